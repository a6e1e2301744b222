// SPDX-License-Identifier: MIT
// Approximate convex decomposition by voxels, in the manner of Mamou's V-HACD (2016), but with hulls of the
// mesh itself.
#include "rigid/decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/array.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "shape/voxels.h"

enum { SEARCH_CORNERS = 96, CLIP_CORNERS = 16, FIRST_CUTS = 64 };
// Of cuts that save as much volume the one into halves, across the longest edge, is taken: shares of the
// volume for two parts of which one is nothing, and for an edge that is nothing beside the longest.
#define BALANCE 0.1
#define LENGTH  0.1
// A cut may add this share of volume: half a ring is no better than a ring, but it can be cut again.
#define NO_BETTER 1.01
// Share of the volume that joining two parts again may add.
#define JOIN 1e-4

// Share of a voxel by which a corner may miss a plane that it is in.
#define ROUNDING 1e-3

// Cells of the grid from low to high - 1.
typedef struct Block {
    int low[3], high[3];
} Block;

typedef struct Part {
    Block block;
    wbHull *hull;
    double excess; // m3, of the hull over the voxels
    bool isDone;   // no cut makes it better
} Part;

typedef struct Decomposer {
    wbMemory *memory;
    const wbMesh *mesh;
    const wbDecomposeParams *params;
    wbVoxelGrid grid;
    uint8_t *cells;
    double *places[3]; // m, of the grid's planes along each axis, and as many as there are cells and one
    wbArray points;    // three floats each, of the hull that is made
    int pointCount;
    Part *parts;
    int partCount;
    double volume; // m3, of the mesh
} Decomposer;

static bool isFilled(const Decomposer *d, int x, int y, int z) {
    return d->cells[x * d->grid.stride[0] + y * d->grid.stride[1] + z * d->grid.stride[2]];
}

static wbStatus addPoint(Decomposer *d, double x, double y, double z) {
    if (!wbArray_Reserve(d->memory, &d->points, d->pointCount + 1))
        return wbMemoryError(d->memory, "%d points of a hull need", d->pointCount + 1);
    float *p = (float *)d->points.data + 3 * (size_t)d->pointCount++;
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
    return wb_okStatus;
}

static double getPlace(const Decomposer *d, int axis, int line) { return d->places[axis][line]; }

static double getHullVolume(const wbHull *hull) {
    const wbRigidPiece piece = {.kind = wb_pieceHull, .pose = wb_poseAtOrigin, .hull = (wbHull *)hull};
    return wbRigidPiece_GetMass(&piece, 3).volume;
}

// Voxels of a block

static int countCells(const Decomposer *d, const Block *b) {
    int count = 0;
    for (int z = b->low[2]; z < b->high[2]; z++)
        for (int y = b->low[1]; y < b->high[1]; y++)
            for (int x = b->low[0]; x < b->high[0]; x++) count += isFilled(d, x, y, z);
    return count;
}

static double getCellVolume(const Decomposer *d, const Block *b) {
    return (double)countCells(d, b) * d->grid.size * d->grid.size * d->grid.size;
}

// The first and the last filled cell of the rows around a line of lattice points: no others can be corners of
// a hull.
static bool findRow(const Decomposer *d, const Block *b, int y, int z, int *first, int *last) {
    *first = b->high[0], *last = b->low[0] - 1;
    for (int j = y - 1; j <= y; j++)
        for (int k = z - 1; k <= z; k++) {
            if (j < b->low[1] || j >= b->high[1] || k < b->low[2] || k >= b->high[2]) continue;
            int x = b->low[0];
            while (x < *first && !isFilled(d, x, j, k)) x++;
            if (x < *first) *first = x;
            x = b->high[0] - 1;
            while (x > *last && !isFilled(d, x, j, k)) x--;
            if (x > *last) *last = x;
        }
    return *last >= *first;
}

static wbStatus listVoxelPoints(Decomposer *d, const Block *b) {
    d->pointCount = 0;
    for (int z = b->low[2]; z <= b->high[2]; z++)
        for (int y = b->low[1]; y <= b->high[1]; y++) {
            int first, last;
            if (!findRow(d, b, y, z, &first, &last)) continue;
            WB_TRY(addPoint(d, getPlace(d, 0, first), getPlace(d, 1, y), getPlace(d, 2, z)));
            WB_TRY(addPoint(d, getPlace(d, 0, last + 1), getPlace(d, 1, y), getPlace(d, 2, z)));
        }
    return wb_okStatus;
}

static wbStatus measureVoxelHull(Decomposer *d, const Block *b, double *volume) {
    *volume = 0;
    WB_TRY(listVoxelPoints(d, b));
    if (d->pointCount == 0) return wb_okStatus;
    wbHull *hull;
    WB_TRY(
        wbCreateHull(d->memory, d->points.data, d->pointCount, 0.25f * d->grid.size, SEARCH_CORNERS, &hull));
    *volume = getHullVolume(hull);
    wbDestroyHull(hull);
    return wb_okStatus;
}

// The mesh between the planes of a block

typedef struct Polygon {
    double corners[CLIP_CORNERS][3];
    double normal[3]; // of its triangle, outwards, of any length
    int count;
} Polygon;

// Keeps what is below a plane. What only touches it is not below; of what lies in it, what has its inside
// below.
static void clipByPlane(Polygon *p, int axis, double place, double sign, double rounding) {
    Polygon kept = {.count = 0};
    bool isBelow = false, isAbove = false;
    double heights[CLIP_CORNERS];
    for (int i = 0; i < p->count; i++) {
        heights[i] = sign * (p->corners[i][axis] - place);
        if (fabs(heights[i]) < rounding) heights[i] = 0;
        isBelow = isBelow || heights[i] < 0, isAbove = isAbove || heights[i] > 0;
    }
    const bool isInside = isBelow || (!isAbove && sign * p->normal[axis] > 0);
    for (int i = 0; i < p->count && isInside; i++) {
        const int j = (i + 1) % p->count;
        const double *a = p->corners[i], *b = p->corners[j], ha = heights[i], hb = heights[j];
        if (ha <= 0) memcpy(kept.corners[kept.count++], a, sizeof kept.corners[0]);
        if ((ha < 0 && hb > 0) || (ha > 0 && hb < 0)) {
            double *cut = kept.corners[kept.count++];
            for (int k = 0; k < 3; k++) cut[k] = a[k] + (b[k] - a[k]) * ha / (ha - hb);
            cut[axis] = place;
        }
    }
    memcpy(p->corners, kept.corners, (size_t)kept.count * sizeof kept.corners[0]);
    p->count = kept.count;
}

static Polygon getTriangle(const wbMesh *mesh, int triangle) {
    Polygon p = {.count = 3};
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        const size_t vertex = mesh->indices[3 * (size_t)triangle + (size_t)i];
        for (int k = 0; k < 3; k++) p.corners[i][k] = mesh->vertices[3 * vertex + (size_t)k];
    }
    for (int k = 0; k < 3; k++)
        u[k] = p.corners[1][k] - p.corners[0][k], v[k] = p.corners[2][k] - p.corners[0][k];
    for (int k = 0; k < 3; k++)
        p.normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    return p;
}

static wbStatus addTriangle(Decomposer *d, const Block *b, int triangle) {
    Polygon p = getTriangle(d->mesh, triangle);
    const double rounding = ROUNDING * d->grid.size;
    for (int k = 0; k < 3 && p.count > 0; k++) {
        clipByPlane(&p, k, getPlace(d, k, b->low[k]), -1, rounding);
        if (p.count > 0) clipByPlane(&p, k, getPlace(d, k, b->high[k]), 1, rounding);
    }
    for (int i = 0; i < p.count; i++) WB_TRY(addPoint(d, p.corners[i][0], p.corners[i][1], p.corners[i][2]));
    return wb_okStatus;
}

// Whether all cells around a lattice point are filled.
static bool isInside(const Decomposer *d, const int at[3]) {
    for (int corner = 0; corner < 8; corner++) {
        int cell[3];
        for (int k = 0; k < 3; k++) {
            cell[k] = at[k] - (corner >> k & 1);
            if (cell[k] < 0 || cell[k] >= d->grid.count[k]) return false;
        }
        if (!isFilled(d, cell[0], cell[1], cell[2])) return false;
    }
    return true;
}

static wbStatus listMeshPoints(Decomposer *d, const Block *b) {
    d->pointCount = 0;
    for (int t = 0; t < d->mesh->triangleCount; t++) WB_TRY(addTriangle(d, b, t));
    for (int corner = 0; corner < 8; corner++) {
        int at[3];
        for (int k = 0; k < 3; k++) at[k] = corner >> k & 1 ? b->high[k] : b->low[k];
        if (isInside(d, at))
            WB_TRY(addPoint(d, getPlace(d, 0, at[0]), getPlace(d, 1, at[1]), getPlace(d, 2, at[2])));
    }
    return wb_okStatus;
}

// What is too thin for a hull is one of voxels.
static wbStatus makePart(Decomposer *d, const Block *b, Part *part) {
    *part = (Part){.block = *b};
    WB_TRY(listMeshPoints(d, b));
    wbStatus status =
        wbCreateHull(d->memory, d->points.data, d->pointCount, 0, WB_MAX_HULL_CORNERS, &part->hull);
    if (status.code == wb_errorInput) {
        WB_TRY(listVoxelPoints(d, b));
        status = wbCreateHull(d->memory, d->points.data, d->pointCount, 0, WB_MAX_HULL_CORNERS, &part->hull);
    }
    WB_TRY(status);
    part->excess = getHullVolume(part->hull) - getCellVolume(d, b);
    return wb_okStatus;
}

// Cuts

typedef struct Cut {
    int axis, line;
    double cost; // m3
} Cut;

static void cutBlock(const Block *b, int axis, int line, Block halves[2]) {
    halves[0] = halves[1] = *b;
    halves[0].high[axis] = halves[1].low[axis] = line;
}

static wbStatus tryCut(Decomposer *d, const Block *b, int axis, int line, Cut *best) {
    Block halves[2];
    double volumes[2];
    cutBlock(b, axis, line, halves);
    for (int h = 0; h < 2; h++) {
        WB_TRY(measureVoxelHull(d, &halves[h], &volumes[h]));
        if (volumes[h] == 0) return wb_okStatus;
    }
    int longest = 0;
    for (int k = 0; k < 3; k++)
        if (b->high[k] - b->low[k] > longest) longest = b->high[k] - b->low[k];
    const double off = fabs(volumes[0] - volumes[1]) / (volumes[0] + volumes[1]),
                 shorter = 1 - (double)(b->high[axis] - b->low[axis]) / longest;
    const double cost = (volumes[0] + volumes[1]) * (1 + BALANCE * off + LENGTH * shorter);
    if (cost < best->cost) *best = (Cut){axis, line, cost};
    return wb_okStatus;
}

// Around a part's cells, so that no cut is tried where there is nothing.
static Block findFilled(const Decomposer *d, const Block *b) {
    Block box = {{b->high[0], b->high[1], b->high[2]}, {b->low[0], b->low[1], b->low[2]}};
    for (int z = b->low[2]; z < b->high[2]; z++)
        for (int y = b->low[1]; y < b->high[1]; y++)
            for (int x = b->low[0]; x < b->high[0]; x++) {
                if (!isFilled(d, x, y, z)) continue;
                const int cell[3] = {x, y, z};
                for (int k = 0; k < 3; k++) {
                    if (cell[k] < box.low[k]) box.low[k] = cell[k];
                    if (cell[k] + 1 > box.high[k]) box.high[k] = cell[k] + 1;
                }
            }
    return box;
}

// Along each axis a few cuts, then those between around the best of them.
static wbStatus findCut(Decomposer *d, const Block *b, Cut *best) {
    const Block filled = findFilled(d, b);
    *best = (Cut){.cost = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        const int low = filled.low[axis], high = filled.high[axis];
        int stride = 1;
        while ((high - low) / stride > FIRST_CUTS) stride *= 2;
        Cut own = {.cost = INFINITY};
        for (int line = low + stride; line < high; line += stride)
            WB_TRY(tryCut(d, &filled, axis, line, &own));
        for (stride /= 2; stride >= 1 && own.cost < INFINITY; stride /= 2) {
            const int middle = own.line;
            if (middle - stride > low) WB_TRY(tryCut(d, &filled, axis, middle - stride, &own));
            if (middle + stride < high) WB_TRY(tryCut(d, &filled, axis, middle + stride, &own));
        }
        if (own.cost < best->cost) *best = own;
    }
    return wb_okStatus;
}

// Cuts a part in two unless that is worse: then it is done.
static wbStatus cutPart(Decomposer *d, int index) {
    Part *part = &d->parts[index], halves[2] = {{.hull = NULL}, {.hull = NULL}};
    Block blocks[2];
    Cut cut;
    WB_TRY(findCut(d, &part->block, &cut));
    part->isDone = true;
    if (cut.cost == INFINITY) return wb_okStatus;
    cutBlock(&part->block, cut.axis, cut.line, blocks);
    wbStatus status = makePart(d, &blocks[0], &halves[0]);
    if (status.code == wb_ok) status = makePart(d, &blocks[1], &halves[1]);
    const bool isTaken =
        status.code == wb_ok &&
        getHullVolume(halves[0].hull) + getHullVolume(halves[1].hull) < NO_BETTER * getHullVolume(part->hull);
    if (!isTaken) {
        for (int h = 0; h < 2; h++) wbDestroyHull(halves[h].hull);
        return status;
    }
    wbDestroyHull(part->hull);
    *part = halves[0];
    d->parts[d->partCount++] = halves[1];
    return wb_okStatus;
}

static int findWorst(const Decomposer *d) {
    int worst = -1;
    for (int i = 0; i < d->partCount; i++) {
        const Part *part = &d->parts[i];
        if (part->isDone || part->excess <= d->params->excess * d->volume) continue;
        if (worst < 0 || part->excess > d->parts[worst].excess) worst = i;
    }
    return worst;
}

static wbStatus cutAll(Decomposer *d) {
    const Block all = {{0, 0, 0}, {d->grid.count[0], d->grid.count[1], d->grid.count[2]}};
    WB_TRY(makePart(d, &all, &d->parts[0]));
    d->partCount = 1;
    while (d->partCount < d->params->maxParts) {
        const int worst = findWorst(d);
        if (worst < 0) break;
        WB_TRY(cutPart(d, worst));
    }
    return wb_okStatus;
}

// Joining

static wbStatus joinHulls(Decomposer *d, const wbHull *a, const wbHull *b, wbHull **both) {
    const wbHull *hulls[2] = {a, b};
    d->pointCount = 0;
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < hulls[h]->cornerCount; i++) {
            const wbVec3 p = hulls[h]->corners[i];
            WB_TRY(addPoint(d, p.x, p.y, p.z));
        }
    return wbCreateHull(d->memory, d->points.data, d->pointCount, 0, WB_MAX_HULL_CORNERS, both);
}

// Two parts whose hull is no larger than theirs are one, so that cuts which led to nothing are undone.
static wbStatus joinPart(Decomposer *d, int index, bool *isJoined) {
    for (int other = index + 1; other < d->partCount; other++) {
        Part *a = &d->parts[index], *b = &d->parts[other];
        wbHull *both;
        WB_TRY(joinHulls(d, a->hull, b->hull, &both));
        const double more = getHullVolume(both) - getHullVolume(a->hull) - getHullVolume(b->hull);
        *isJoined = fabs(more) <= JOIN * d->volume;
        wbDestroyHull(*isJoined ? a->hull : both);
        if (!*isJoined) continue;
        a->hull = both;
        wbDestroyHull(b->hull);
        memmove(b, b + 1, (size_t)(--d->partCount - other) * sizeof *b);
        return wb_okStatus;
    }
    return wb_okStatus;
}

static wbStatus joinAll(Decomposer *d) {
    for (int i = 0; i < d->partCount;) {
        bool isJoined = false;
        WB_TRY(joinPart(d, i, &isJoined));
        // a larger part may be joined with those before
        i = isJoined ? 0 : i + 1;
    }
    return wb_okStatus;
}

// Hulls have all the corners they can have until they are done: otherwise parts would seem smaller than what
// they are cut into.
static wbStatus simplifyAll(Decomposer *d) {
    for (int i = 0; i < d->partCount; i++) {
        wbHull *full = d->parts[i].hull, *simple;
        if (full->cornerCount <= d->params->maxCorners) continue;
        WB_TRY(wbCreateHull(d->memory, &full->corners[0].x, full->cornerCount, 0, d->params->maxCorners,
                            &simple));
        wbDestroyHull(full);
        d->parts[i].hull = simple;
    }
    return wb_okStatus;
}

// Voxels of the whole

static void layGrid(Decomposer *d) {
    float min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    for (int i = 0; i < 3 * d->mesh->vertexCount; i++) {
        min[i % 3] = fminf(min[i % 3], d->mesh->vertices[i]);
        max[i % 3] = fmaxf(max[i % 3], d->mesh->vertices[i]);
    }
    for (int k = 0; k < 3; k++) longest = fmaxf(longest, max[k] - min[k]);
    wbVoxelGrid *grid = &d->grid;
    grid->size = longest / (float)d->params->resolution;
    ptrdiff_t stride = 1;
    float low[3];
    for (int k = 0; k < 3; k++) {
        // a cell more on either side, and the mesh in the middle
        grid->count[k] = (int)ceilf((max[k] - min[k]) / grid->size - 1e-3f) + 2;
        low[k] = 0.5f * (min[k] + max[k] - grid->size * (float)grid->count[k]);
        grid->stride[k] = stride;
        stride *= grid->count[k];
    }
    grid->min = wbMakeVec3(low[0], low[1], low[2]);
}

static int compareFloats(const void *first, const void *second) {
    const float a = *(const float *)first, b = *(const float *)second;
    return a < b ? -1 : a > b;
}

// Planes that nearly are faces of the mesh are moved there: a cut beside one would leave a slice of it on the
// wrong side. Faces are where three vertices or more have the same coordinate; the most of them win.
static void placePlanes(Decomposer *d, int axis, float *sorted) {
    const float min[3] = {d->grid.min.x, d->grid.min.y, d->grid.min.z};
    const int count = d->mesh->vertexCount;
    const double size = d->grid.size;
    for (int line = 0; line <= d->grid.count[axis]; line++) d->places[axis][line] = min[axis] + size * line;
    for (int i = 0; i < count; i++) sorted[i] = d->mesh->vertices[3 * (size_t)i + (size_t)axis];
    qsort(sorted, (size_t)count, sizeof *sorted, compareFloats);
    int most = 2, before = -1;
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sorted[end] == sorted[first];) end++;
        const int line = (int)lrint((sorted[first] - min[axis]) / size);
        if (line != before) most = 2, before = line;
        if (end - first > most) most = end - first, d->places[axis][line] = sorted[first];
    }
}

static wbStatus placeAllPlanes(Decomposer *d) {
    const size_t bytes = (size_t)d->mesh->vertexCount * sizeof(float);
    float *sorted = wbAlloc(d->memory, bytes);
    if (!sorted) return wbMemoryError(d->memory, "%d vertices of a mesh need", d->mesh->vertexCount);
    for (int axis = 0; axis < 3; axis++) placePlanes(d, axis, sorted);
    wbFree(d->memory, sorted, bytes);
    return wb_okStatus;
}

static wbStatus fillCells(Decomposer *d, wbArena *arena) {
    wbVoxels voxels = {.runs.elementSize = sizeof(wbVoxelRun)};
    const wbStatus status = wbVoxelise(&d->grid, d->mesh, &wb_poseAtOrigin, arena, d->memory, &voxels);
    const wbVoxelRun *runs = voxels.runs.data;
    for (int r = 0; r < voxels.runCount && status.code == wb_ok; r++)
        memset(d->cells + runs[r].first, 1, (size_t)runs[r].count);
    wbVoxels_Free(d->memory, &voxels);
    return status;
}

static wbStatus decompose(Decomposer *d, wbDecomposition *parts) {
    WB_TRY(placeAllPlanes(d));
    wbArena *arena = wbCreateArena(d->memory);
    if (!arena) return wbMemoryError(d->memory, "voxels of a mesh need");
    wbStatus status = fillCells(d, arena);
    wbDestroyArena(arena);
    WB_TRY(status);
    status = cutAll(d);
    if (status.code == wb_ok) status = joinAll(d);
    if (status.code == wb_ok) status = simplifyAll(d);
    double sum = 0;
    for (int i = 0; i < d->partCount; i++) {
        parts->hulls[i] = d->parts[i].hull;
        sum += getHullVolume(d->parts[i].hull);
    }
    parts->count = d->partCount, parts->excess = sum / d->volume - 1;
    return status;
}

static wbStatus checkParams(const wbDecomposeParams *p) {
    if (p->maxParts < 1 || p->maxParts > 1024)
        return wbError(wb_errorInput, "a mesh in %d parts; allowed: 1 to 1024", p->maxParts);
    if (p->resolution < 8 || p->resolution > 256)
        return wbError(wb_errorInput, "a mesh of %d voxels along its longest edge; allowed: 8 to 256",
                       p->resolution);
    if (p->maxCorners < 8 || p->maxCorners > WB_MAX_HULL_CORNERS)
        return wbError(wb_errorInput, "hulls of %d corners; allowed: 8 to %d", p->maxCorners,
                       WB_MAX_HULL_CORNERS);
    return wb_okStatus;
}

wbStatus wbDecomposeMesh(wbMemory *memory, const wbMesh *mesh, const wbDecomposeParams *params,
                         wbDecomposition *parts) {
    *parts = (wbDecomposition){0};
    WB_TRY(checkParams(params));
    WB_TRY(wbMesh_Check(mesh));
    Decomposer d = {.memory = memory,
                    .mesh = mesh,
                    .params = params,
                    .points.elementSize = sizeof(float[3]),
                    .volume = wbMesh_GetVolume(mesh)};
    layGrid(&d);
    const size_t cellBytes = (size_t)d.grid.count[0] * (size_t)d.grid.count[1] * (size_t)d.grid.count[2],
                 partBytes = (size_t)params->maxParts * sizeof(Part),
                 planes = (size_t)d.grid.count[0] + (size_t)d.grid.count[1] + (size_t)d.grid.count[2] + 3;
    double *places = wbAlloc(memory, planes * sizeof *places);
    d.cells = wbAllocZero(memory, cellBytes);
    d.parts = wbAllocZero(memory, partBytes);
    parts->hulls = wbAllocZero(memory, (size_t)params->maxParts * sizeof *parts->hulls);
    parts->capacity = params->maxParts;
    const bool hasMemory = places && d.cells && d.parts && parts->hulls;
    if (places) {
        d.places[0] = places, d.places[1] = places + d.grid.count[0] + 1;
        d.places[2] = d.places[1] + d.grid.count[1] + 1;
    }
    const wbStatus status =
        hasMemory ? decompose(&d, parts) : wbMemoryError(memory, "%d parts of a mesh need", params->maxParts);
    wbArray_Free(memory, &d.points);
    wbFree(memory, places, planes * sizeof *places);
    wbFree(memory, d.parts, partBytes);
    wbFree(memory, d.cells, cellBytes);
    if (status.code != wb_ok) wbDecomposition_Free(memory, parts);
    return status;
}

void wbDecomposition_Free(wbMemory *memory, wbDecomposition *parts) {
    for (int i = 0; i < parts->count; i++) wbDestroyHull(parts->hulls[i]);
    wbFree(memory, parts->hulls, (size_t)parts->capacity * sizeof *parts->hulls);
    *parts = (wbDecomposition){0};
}
