// SPDX-License-Identifier: MIT
#include "space/point_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "core/status.h"

// Keys of a Morton curve: the bits of a cell's three coordinates, by turns. They are sorted by DIGIT_BITS at a time.
enum { AXIS_BITS = 14, DIGIT_BITS = 14, DIGITS = 3, DIGIT_COUNT = 1 << DIGIT_BITS };
_Static_assert(3 * AXIS_BITS == DIGITS * DIGIT_BITS, "a key has as many bits as all digits");

void wbPointTree_Init(wbPointTree *tree) {
    *tree = (wbPointTree){.boxes.elementSize = sizeof(wbPointBox), .order.elementSize = sizeof(int)};
}

void wbPointTree_Free(wbMemory *memory, wbPointTree *tree) {
    wbArray_Free(memory, &tree->boxes);
    wbArray_Free(memory, &tree->order);
}

static const wbPointBox emptyBox = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

// Of two numbers; calls of the library's would take most of the time. What is not a number is not taken.
static float getLess(float a, float b) { return b < a ? b : a; }
static float getMore(float a, float b) { return b > a ? b : a; }

static void addPoint(wbPointBox *box, const wbPoints *points, int i) {
    const float p[3] = {points->x[i], points->y[i], points->z[i]};
    for (int a = 0; a < 3; a++)
        box->min[a] = getLess(box->min[a], p[a]), box->max[a] = getMore(box->max[a], p[a]);
}

static wbPointBox unite(const wbPointBox *one, const wbPointBox *two) {
    wbPointBox box;
    for (int a = 0; a < 3; a++)
        box.min[a] = getLess(one->min[a], two->min[a]), box.max[a] = getMore(one->max[a], two->max[a]);
    return box;
}

typedef struct Builder {
    wbPoints points;
    wbPointTree *tree;
    wbPointBox bounds; // of all points
    double scale;      // cells per m
    uint64_t *keys;    // of points
    uint32_t *digits;  // of points in the order so far
    int *order, *moves;
    int shift;
} Builder;

// Each bit followed by two zeros; up to 21 bits.
static uint64_t spread(uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

static uint64_t getCell(const Builder *builder, int axis, float position) {
    const double cell = ((double)position - builder->bounds.min[axis]) * builder->scale;
    const uint64_t last = (1u << AXIS_BITS) - 1;
    return cell > 0 ? cell < (double)last ? (uint64_t)cell : last : 0; // one that is not finite is anywhere
}

static void makeKeys(int begin, int end, int worker, void *context) {
    (void)worker;
    const Builder *b = context;
    for (int i = begin; i < end; i++) {
        b->keys[i] = spread(getCell(b, 0, b->points.x[i])) | spread(getCell(b, 1, b->points.y[i])) << 1 |
                     spread(getCell(b, 2, b->points.z[i])) << 2;
        b->order[i] = i;
    }
}

static void takeDigits(int begin, int end, int worker, void *context) {
    (void)worker;
    const Builder *b = context;
    for (int i = begin; i < end; i++)
        b->digits[i] = (uint32_t)(b->keys[b->order[i]] >> b->shift) & (DIGIT_COUNT - 1);
}

// Digit by digit, the highest last.
static wbStatus sortKeys(Builder *builder, const wbWork *work) {
    const int count = builder->points.count;
    int *starts = wbArena_Alloc(work->arena, sizeof(int) * (DIGIT_COUNT + 1));
    int *sorted = wbArena_Alloc(work->arena, sizeof(int) * (size_t)count);
    wbParallelFor(work->pool, count, WB_BLOCK, makeKeys, builder);
    for (int d = 0; d < DIGITS && starts && sorted; d++) {
        builder->shift = d * DIGIT_BITS;
        wbParallelFor(work->pool, count, WB_BLOCK, takeDigits, builder);
        if (!wbCountingSort(work->pool, work->arena, builder->digits, count, DIGIT_COUNT, starts,
                            builder->moves))
            return wbMemoryError(work->memory, "a tree over %d points needs", count);
        for (int i = 0; i < count; i++) sorted[i] = builder->order[builder->moves[i]];
        memcpy(builder->order, sorted, sizeof(int) * (size_t)count);
    }
    return starts && sorted ? wb_okStatus : wbMemoryError(work->memory, "a tree over %d points needs", count);
}

static void boundLeaves(int begin, int end, int worker, void *context) {
    (void)worker;
    const Builder *b = context;
    wbPointBox *leaves = (wbPointBox *)b->tree->boxes.data + b->tree->leafBase;
    for (int leaf = begin; leaf < end; leaf++) {
        const int64_t first = (int64_t)leaf * WB_TREE_LEAF, last = first + WB_TREE_LEAF;
        leaves[leaf] = emptyBox;
        for (int64_t k = first; k < last && k < b->points.count; k++)
            addPoint(&leaves[leaf], &b->points, b->order[k]);
    }
}

static void boundAll(Builder *builder, const wbWork *work) {
    wbPointBox *boxes = builder->tree->boxes.data;
    wbParallelFor(work->pool, builder->tree->leafBase, WB_BLOCK, boundLeaves, builder);
    for (int k = builder->tree->leafBase - 1; k > 0; k--) boxes[k] = unite(&boxes[2 * k], &boxes[2 * k + 1]);
}

static wbStatus build(wbPointTree *tree, const wbWork *work, wbPoints points) {
    Builder builder = {.points = points, .tree = tree, .bounds = emptyBox, .order = tree->order.data};
    const size_t count = (size_t)points.count;
    double longest = 0;
    for (int i = 0; i < points.count; i++) addPoint(&builder.bounds, &points, i);
    for (int a = 0; a < 3; a++)
        longest = fmax(longest, (double)builder.bounds.max[a] - builder.bounds.min[a]);
    builder.scale = longest > 0 && longest < FLT_MAX ? (1 << AXIS_BITS) / longest : 0;
    builder.keys = wbArena_Alloc(work->arena, sizeof(uint64_t) * count);
    builder.digits = wbArena_Alloc(work->arena, sizeof(uint32_t) * count);
    builder.moves = wbArena_Alloc(work->arena, sizeof(int) * count);
    if (!builder.keys || !builder.digits || !builder.moves)
        return wbMemoryError(work->memory, "a tree over %d points needs", points.count);
    WB_TRY(sortKeys(&builder, work));
    boundAll(&builder, work);
    tree->count = points.count;
    return wb_okStatus;
}

wbStatus wbPointTree_Build(wbPointTree *tree, const wbWork *work, wbPoints points) {
    int leafBase = 1;
    while ((int64_t)leafBase * WB_TREE_LEAF < points.count) leafBase *= 2;
    tree->count = 0, tree->leafBase = leafBase;
    if (points.count == 0) return wb_okStatus;
    if (!wbArray_Reserve(work->memory, &tree->boxes, 2 * leafBase) ||
        !wbArray_Reserve(work->memory, &tree->order, points.count))
        return wbMemoryError(work->memory, "a tree over %d points needs", points.count);
    const size_t mark = wbArena_Mark(work->arena);
    wbStatus status = build(tree, work, points);
    wbArena_Release(work->arena, mark);
    return status;
}

static void visitLeaf(const wbPointTree *tree, const wbPointSearch *search, int leaf) {
    const int *order = tree->order.data;
    const int64_t first = (int64_t)leaf * WB_TREE_LEAF, last = first + WB_TREE_LEAF;
    for (int64_t k = first; k < last && k < tree->count; k++) search->visit(order[k], search->context);
}

void wbPointTree_Search(const wbPointTree *tree, const wbPointSearch *search) {
    struct {
        int box;
        double measure;
    } stack[64]; // two per level at most
    const wbPointBox *boxes = tree->boxes.data;
    int depth = 0;
    if (tree->count == 0) return;
    stack[depth].box = 1, stack[depth++].measure = search->measure(&boxes[1], search->context);
    while (depth > 0) {
        const int box = stack[--depth].box;
        if (!(stack[depth].measure <= *search->limit)) continue;
        if (box >= tree->leafBase) {
            visitLeaf(tree, search, box - tree->leafBase);
            continue;
        }
        const double m[2] = {search->measure(&boxes[2 * box], search->context),
                             search->measure(&boxes[2 * box + 1], search->context)};
        const int nearer = m[1] < m[0];
        stack[depth].box = 2 * box + !nearer, stack[depth++].measure = m[!nearer];
        stack[depth].box = 2 * box + nearer, stack[depth++].measure = m[nearer];
    }
}
