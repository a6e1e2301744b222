// SPDX-License-Identifier: MIT
// A grid is a tree (Museth, "VDB: High-Resolution Sparse Volumes with Dynamic Topology", 2013): a root, nodes of 32^3
// children, nodes of 16^3 children, leaves of 8^3 cells; z is the fastest axis in all of them. File version 224, as
// io/Archive.cc, tree/InternalNode.h, tree/LeafNode.h and io/Compression.h of OpenVDB read it: first the masks of all
// nodes, then the values of all leaves. Values that are not active are 0 and are not written.
#include "io/vdb.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/air_field.h"
#include "io/little_endian.h"

#include <math.h>

enum { LEAF = 8, LOWER = 16, UPPER = 32 };                                   // children along an axis
enum { LOWER_CELLS = LEAF * LOWER, UPPER_CELLS = LOWER_CELLS * UPPER };      // cells along an axis
enum { LEAF_MASK = 512 / 8, LOWER_MASK = 4096 / 8, UPPER_MASK = 32768 / 8 }; // bytes
enum { ACTIVE_VALUES_ONLY = 2, INACTIVE_ARE_BACKGROUND = 0 };                // of a grid, of a node

static const float threshold = 1e-6f;

/// One field on its way into the file.
typedef struct Grid {
    const wbSmokeView *view;
    wbAirField field;
    int leaves[3];   ///< along x, y, z
    uint8_t *active; ///< per leaf: 1 if it has any value
    int64_t leafCount, lowerCount, upperCount, valueCount;
    int min[3], max[3]; ///< cells with values
} Grid;

/// Small texts and numbers before they are written.
typedef struct Bytes {
    uint8_t data[2048];
    size_t size;
} Bytes;

static void put(Bytes *bytes, const void *data, size_t size) {
    WB_ASSERT(bytes->size + size <= sizeof bytes->data, "a head of a grid is short");
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void putU32(Bytes *bytes, uint32_t value) {
    uint8_t text[4];
    wbPutU32(text, value);
    put(bytes, text, sizeof text);
}

static void putU64(Bytes *bytes, uint64_t value) {
    uint8_t text[8];
    wbPutU64(text, value);
    put(bytes, text, sizeof text);
}

static void putF64(Bytes *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    putU64(bytes, bits);
}

static void putText(Bytes *bytes, const char *text) {
    putU32(bytes, (uint32_t)strlen(text));
    put(bytes, text, strlen(text));
}

static void putMeta(Bytes *bytes, const char *name, const char *type, uint32_t size) {
    putText(bytes, name);
    putText(bytes, type);
    putU32(bytes, size);
}

static void putTextMeta(Bytes *bytes, const char *name, const char *text) {
    putMeta(bytes, name, "string", (uint32_t)strlen(text));
    put(bytes, text, strlen(text));
}

static void putCellMeta(Bytes *bytes, const char *name, const int cell[3]) {
    putMeta(bytes, name, "vec3i", 12);
    for (int a = 0; a < 3; ++a) putU32(bytes, (uint32_t)cell[a]);
}

static bool hasValue(const wbSmokeView *view, wbAirField field, int i, int j, int k) {
    if (!wbHasAirField(view, field)) return false;
    for (int c = 0; c < wbGetAirComponents(field); ++c)
        if (fabsf(wbGetAirValue(view, field, c, i, j, k)) > threshold) return true;
    return false;
}

static bool isActive(const Grid *grid, int i, int j, int k) {
    const int *n = grid->view->cells;
    if (i >= n[0] || j >= n[1] || k >= n[2]) return false;
    if (grid->field != wb_airVelocity) return hasValue(grid->view, grid->field, i, j, k);
    return hasValue(grid->view, wb_airDensity, i, j, k) || hasValue(grid->view, wb_airTemperature, i, j, k) ||
           hasValue(grid->view, wb_airFuel, i, j, k) || hasValue(grid->view, wb_airCloud, i, j, k) ||
           hasValue(grid->view, wb_airSteam, i, j, k);
}

static void setBit(uint8_t *mask, int index) { mask[index / 8] |= (uint8_t)(1u << (index % 8)); }

static bool getBit(const uint8_t *mask, int index) { return mask[index / 8] >> (index % 8) & 1; }

// The cells of a leaf that have values; returns how many.
static int makeLeafMask(const Grid *grid, const int leaf[3], uint8_t mask[LEAF_MASK]) {
    int count = 0;
    memset(mask, 0, LEAF_MASK);
    for (int n = 0; n < LEAF * LEAF * LEAF; ++n) {
        if (!isActive(grid, LEAF * leaf[0] + n / 64, LEAF * leaf[1] + n / 8 % 8, LEAF * leaf[2] + n % 8))
            continue;
        setBit(mask, n);
        ++count;
    }
    return count;
}

static void includeLeaf(Grid *grid, const int leaf[3], const uint8_t mask[LEAF_MASK]) {
    for (int n = 0; n < LEAF * LEAF * LEAF; ++n) {
        const int place[3] = {n / 64, n / 8 % 8, n % 8};
        for (int a = 0; a < 3 && getBit(mask, n); ++a) {
            int cell = LEAF * leaf[a] + place[a];
            if (cell < grid->min[a]) grid->min[a] = cell;
            if (cell > grid->max[a]) grid->max[a] = cell;
        }
    }
}

static size_t getLeafPlace(const Grid *grid, const int leaf[3]) {
    return ((size_t)leaf[0] * (size_t)grid->leaves[1] + (size_t)leaf[1]) * (size_t)grid->leaves[2] +
           (size_t)leaf[2];
}

static size_t countLeafPlaces(const Grid *grid) {
    return (size_t)grid->leaves[0] * (size_t)grid->leaves[1] * (size_t)grid->leaves[2];
}

/// A node while its children are visited: `size` cells along an axis, first cell, children along an axis.
typedef struct Node {
    int first[3], size, children;
} Node;

// Child n in the order of masks; false where it lies beyond the grid or has no values.
static bool findChild(const Grid *grid, const Node *node, int n, Node *child) {
    int size = node->size / node->children, c = node->children;
    const int place[3] = {n / (c * c), n / c % c, n % c};
    *child = (Node){.size = size, .children = size == LOWER_CELLS ? LOWER : LEAF};
    int low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        child->first[a] = node->first[a] + size * place[a];
        low[a] = child->first[a] / LEAF;
        high[a] = low[a] + size / LEAF;
        if (high[a] > grid->leaves[a]) high[a] = grid->leaves[a];
    }
    for (int leaf[3] = {low[0], 0, 0}; leaf[0] < high[0]; ++leaf[0])
        for (leaf[1] = low[1]; leaf[1] < high[1]; ++leaf[1])
            for (leaf[2] = low[2]; leaf[2] < high[2]; ++leaf[2])
                if (grid->active[getLeafPlace(grid, leaf)]) return true;
    return false;
}

/// Calls visit for a node and all below it that have values, parents first.
typedef wbStatus VisitFn(const Grid *grid, const Node *node, void *context);

static wbStatus visitNode(const Grid *grid, const Node *node, VisitFn *visit, void *context) {
    WB_TRY(visit(grid, node, context));
    int count = node->size == LEAF ? 0 : node->children * node->children * node->children;
    Node child;
    for (int n = 0; n < count; ++n)
        if (findChild(grid, node, n, &child)) WB_TRY(visitNode(grid, &child, visit, context));
    return wb_okStatus;
}

static wbStatus visitTree(const Grid *grid, VisitFn *visit, void *context) {
    const int *n = grid->view->cells;
    int counts[3];
    for (int a = 0; a < 3; ++a) counts[a] = (n[a] + UPPER_CELLS - 1) / UPPER_CELLS;
    // a node above that spans them all
    int most = counts[0] > counts[1] ? counts[0] : counts[1];
    most = most > counts[2] ? most : counts[2];
    Node root = {.size = most * UPPER_CELLS, .children = most}, child;
    for (int i = 0; i < most * most * most; ++i) {
        if (!findChild(grid, &root, i, &child)) continue;
        child.children = UPPER;
        WB_TRY(visitNode(grid, &child, visit, context));
    }
    return wb_okStatus;
}

static wbStatus countNode(const Grid *grid, const Node *node, void *context) {
    (void)grid;
    Grid *counts = context;
    if (node->size == UPPER_CELLS) ++counts->upperCount;
    if (node->size == LOWER_CELLS) ++counts->lowerCount;
    return wb_okStatus;
}

static wbStatus scanGrid(Grid *grid) {
    for (int a = 0; a < 3; ++a) {
        grid->leaves[a] = (grid->view->cells[a] + LEAF - 1) / LEAF;
        grid->min[a] = INT32_MAX, grid->max[a] = -1;
    }
    grid->active = wbAllocZero(NULL, countLeafPlaces(grid));
    if (grid->active == NULL)
        return wbError(wb_errorMemory, "no memory to write the air's %s", wbGetAirFieldName(grid->field));
    uint8_t mask[LEAF_MASK];
    for (int leaf[3] = {0}; leaf[0] < grid->leaves[0]; ++leaf[0]) {
        for (leaf[1] = 0; leaf[1] < grid->leaves[1]; ++leaf[1]) {
            for (leaf[2] = 0; leaf[2] < grid->leaves[2]; ++leaf[2]) {
                int count = makeLeafMask(grid, leaf, mask);
                if (count == 0) continue;
                grid->active[getLeafPlace(grid, leaf)] = 1;
                ++grid->leafCount;
                grid->valueCount += count;
                includeLeaf(grid, leaf, mask);
            }
        }
    }
    for (int a = 0; a < 3 && grid->leafCount == 0; ++a) grid->min[a] = 0;
    return visitTree(grid, countNode, grid);
}

static const char *getTreeType(wbAirField field) {
    return wbGetAirComponents(field) == 3 ? "Tree_vec3s_5_4_3" : "Tree_float_5_4_3";
}

static void putMetadata(Bytes *bytes, const Grid *grid) {
    putU32(bytes, 7);
    putTextMeta(bytes, "name", wbGetAirFieldName(grid->field));
    putTextMeta(bytes, "class", grid->field == wb_airVelocity ? "unknown" : "fog volume");
    putTextMeta(bytes, "vector_type", grid->field == wb_airVelocity ? "contravariant relative" : "invariant");
    putTextMeta(bytes, "file_compression", "active values");
    putCellMeta(bytes, "file_bbox_min", grid->min);
    putCellMeta(bytes, "file_bbox_max", grid->max);
    putMeta(bytes, "file_voxel_count", "int64", 8);
    putU64(bytes, (uint64_t)grid->valueCount);
}

static void putThree(Bytes *bytes, double x, double y, double z) {
    putF64(bytes, x);
    putF64(bytes, y);
    putF64(bytes, z);
}

// From cells to metres: whole numbers are centres.
static void putTransform(Bytes *bytes, const wbSmokeView *view) {
    double h = (double)view->cellSize;
    const double scales[] = {h, h, 1 / h, 1 / (h * h), 0.5 / h};
    putText(bytes, "UniformScaleTranslateMap");
    putThree(bytes, (double)view->min.x + 0.5 * h, (double)view->min.y + 0.5 * h,
             (double)view->min.z + 0.5 * h);
    for (int i = 0; i < 5; ++i) putThree(bytes, scales[i], scales[i], scales[i]);
}

static size_t getValueBytes(const Grid *grid) { return 4 * (size_t)wbGetAirComponents(grid->field); }

// What stands before the masks of nodes: metadata, transform, and the root with its background.
static void putGridHead(Bytes *bytes, const Grid *grid) {
    putU32(bytes, ACTIVE_VALUES_ONLY);
    putMetadata(bytes, grid);
    putTransform(bytes, grid->view);
    putU32(bytes, 1); // sets of values per leaf
    for (int c = 0; c < wbGetAirComponents(grid->field); ++c) putU32(bytes, 0);
    putU32(bytes, 0); // tiles of the root
    putU32(bytes, (uint32_t)grid->upperCount);
}

static wbStatus writeMask(wbOutputFile *file, const Grid *grid, const Node *node, size_t bytes) {
    // the mask of children, that of values (none), and what values that are not written are
    uint8_t masks[2 * UPPER_MASK + 1] = {0};
    Node child;
    for (int n = 0; n < node->children * node->children * node->children; ++n)
        if (findChild(grid, node, n, &child)) setBit(masks, n);
    masks[2 * bytes] = INACTIVE_ARE_BACKGROUND;
    return wbOutputFile_Write(file, masks, 2 * bytes + 1);
}

static wbStatus writeTopology(const Grid *grid, const Node *node, void *context) {
    wbOutputFile *file = context;
    if (node->size == LOWER_CELLS) return writeMask(file, grid, node, LOWER_MASK);
    if (node->size == UPPER_CELLS) {
        uint8_t first[12], *to = first;
        for (int a = 0; a < 3; ++a) to = wbPutU32(to, (uint32_t)node->first[a]);
        WB_TRY(wbOutputFile_Write(file, first, sizeof first));
        return writeMask(file, grid, node, UPPER_MASK);
    }
    const int leaf[3] = {node->first[0] / LEAF, node->first[1] / LEAF, node->first[2] / LEAF};
    uint8_t mask[LEAF_MASK];
    makeLeafMask(grid, leaf, mask);
    return wbOutputFile_Write(file, mask, sizeof mask);
}

static wbStatus writeValues(const Grid *grid, const Node *node, void *context) {
    if (node->size != LEAF) return wb_okStatus;
    uint8_t bytes[LEAF_MASK + 1 + 512 * 12];
    const int leaf[3] = {node->first[0] / LEAF, node->first[1] / LEAF, node->first[2] / LEAF};
    makeLeafMask(grid, leaf, bytes);
    uint8_t *to = bytes + LEAF_MASK;
    *to++ = INACTIVE_ARE_BACKGROUND;
    for (int n = 0; n < LEAF * LEAF * LEAF; ++n) {
        if (!getBit(bytes, n)) continue;
        for (int c = 0; c < wbGetAirComponents(grid->field); ++c)
            to = wbPutF32(to, wbGetAirValue(grid->view, grid->field, c, node->first[0] + n / 64,
                                            node->first[1] + n / 8 % 8, node->first[2] + n % 8));
    }
    return wbOutputFile_Write(context, bytes, (size_t)(to - bytes));
}

// *position: bytes of the file so far.
static wbStatus writeGrid(wbOutputFile *file, const Grid *grid, uint64_t *position) {
    Bytes name = {.size = 0}, head = {.size = 0};
    putText(&name, wbGetAirFieldName(grid->field));
    putText(&name, getTreeType(grid->field));
    putText(&name, ""); // shares its tree with no other grid
    putGridHead(&head, grid);
    uint64_t start = *position + name.size + 3 * 8;
    uint64_t values = start + head.size + (uint64_t)grid->upperCount * (12 + 2 * UPPER_MASK + 1) +
                      (uint64_t)grid->lowerCount * (2 * LOWER_MASK + 1) +
                      (uint64_t)grid->leafCount * LEAF_MASK;
    uint64_t end = values + (uint64_t)grid->leafCount * (LEAF_MASK + 1) +
                   (uint64_t)grid->valueCount * getValueBytes(grid);
    putU64(&name, start);
    putU64(&name, values);
    putU64(&name, end);
    WB_TRY(wbOutputFile_Write(file, name.data, name.size));
    WB_TRY(wbOutputFile_Write(file, head.data, head.size));
    WB_TRY(visitTree(grid, writeTopology, file));
    WB_TRY(visitTree(grid, writeValues, file));
    *position = end;
    return wb_okStatus;
}

static wbStatus writeField(wbOutputFile *file, const wbSmokeView *view, wbAirField field,
                           uint64_t *position) {
    Grid grid = {.view = view, .field = field};
    wbStatus status = scanGrid(&grid);
    if (!wbIsOk(status)) wbOutputFile_Abort(file);
    if (wbIsOk(status)) status = writeGrid(file, &grid, position);
    wbFree(NULL, grid.active, countLeafPlaces(&grid));
    return status;
}

static const wbAirField written[] = {wb_airDensity, wb_airTemperature, wb_airFuel,    wb_airSteam,
                                     wb_airCloud,   wb_airColour,      wb_airVelocity};
enum { WRITTEN_COUNT = sizeof written / sizeof written[0] };

static void putFileHead(Bytes *bytes, const wbSmokeView *view, double time) {
    char creator[64];
    snprintf(creator, sizeof creator, "wirbel %s", wbGetVersion());
    putU64(bytes, 0x56444220); // "VDB "
    putU32(bytes, 224);        // version of the format
    putU32(bytes, 10);         // version of the library that it is like
    putU32(bytes, 0);
    put(bytes, "\1", 1); // grids say where they are
    // the same for the same content, so that files of the same run are the same
    put(bytes, "00000000-0000-0000-0000-000000000000", 36);
    putU32(bytes, 2);
    putTextMeta(bytes, "creator", creator);
    putMeta(bytes, "time", "double", 8);
    putF64(bytes, time);
    uint32_t count = 0;
    for (int i = 0; i < WRITTEN_COUNT; ++i) count += wbHasAirField(view, written[i]);
    putU32(bytes, count);
}

wbStatus wbWriteVdb(const char *path, const wbSmokeView *view, double time) {
    Bytes head = {.size = 0};
    putFileHead(&head, view, time);
    uint64_t position = head.size;
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(wbOutputFile_Write(&file, head.data, head.size));
    for (int i = 0; i < WRITTEN_COUNT; ++i)
        if (wbHasAirField(view, written[i])) WB_TRY(writeField(&file, view, written[i], &position));
    return wbOutputFile_Close(&file);
}
