// SPDX-License-Identifier: MIT
// Which triangles share an edge, and how the surface bends there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "shape/shape_state.h"

// An edge of a triangle, sorted by the places of its two ends, whichever comes first.
typedef struct Side {
    float low[3], high[3];
    int triangle, corner;
    bool isForward; // from low to high
} Side;

static int comparePlaces(const float a[3], const float b[3]) {
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compareSides(const void *first, const void *second) {
    const Side *a = first, *b = second;
    const int low = comparePlaces(a->low, b->low), high = low ? low : comparePlaces(a->high, b->high);
    if (high) return high;
    if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
    return a->corner < b->corner ? -1 : a->corner > b->corner;
}

static Side makeSide(const ShapeTriangle *t, int triangle, int corner) {
    const wbVec3 a = t->corners[corner], b = t->corners[(corner + 1) % 3];
    // adding 0 makes one zero of two
    const float from[3] = {a.x + 0.0f, a.y + 0.0f, a.z + 0.0f}, to[3] = {b.x + 0.0f, b.y + 0.0f, b.z + 0.0f};
    Side side = {.triangle = triangle, .corner = corner, .isForward = comparePlaces(from, to) <= 0};
    memcpy(side.low, side.isForward ? from : to, sizeof from);
    memcpy(side.high, side.isForward ? to : from, sizeof to);
    return side;
}

static wbVec3d getNormal(const ShapeTriangle *t) {
    const wbVec3d a = wbToDouble(t->corners[0]);
    const wbVec3d n = wbCross3d(wbSub3d(wbToDouble(t->corners[1]), a), wbSub3d(wbToDouble(t->corners[2]), a));
    const double length = sqrt(wbDot3d(n, n));
    return length > 0 ? wbAddScaled3d((wbVec3d){0, 0, 0}, 1 / length, n) : n;
}

static float getBend(const ShapeTriangle *t, const ShapeTriangle *other, int otherCorner) {
    const wbVec3d n = getNormal(t), m = getNormal(other);
    const wbVec3d beyond = wbToDouble(other->corners[(otherCorner + 2) % 3]);
    const double height = wbDot3d(n, wbSub3d(beyond, wbToDouble(other->corners[otherCorner])));
    const double bend = fmax(1 - wbDot3d(n, m), 0);
    return (float)(height <= 0 ? bend : -bend);
}

static void join(wbShape *shape, const Side *a, const Side *b) {
    const ShapeTriangle *ta = &shape->triangles[a->triangle], *tb = &shape->triangles[b->triangle];
    wbShapeEdges *ea = &shape->edges[a->triangle], *eb = &shape->edges[b->triangle];
    ea->neighbours[a->corner] = b->triangle, eb->neighbours[b->corner] = a->triangle;
    ea->bends[a->corner] = getBend(ta, tb, b->corner);
    eb->bends[b->corner] = getBend(tb, ta, a->corner);
}

// Of the sides at one place, of which there may be more than two where parts touch, each forward one takes
// the next that goes back.
static void joinPlace(wbShape *shape, const Side *sides, int count) {
    int back = 0;
    for (int i = 0; i < count; i++) {
        if (!sides[i].isForward) continue;
        while (back < count && sides[back].isForward) back++;
        if (back < count) join(shape, &sides[i], &sides[back++]);
    }
}

// Of one that has only edges which do not bend.
static bool isTriangleFlat(const wbShape *shape, int triangle) {
    const float *bends = shape->edges[triangle].bends;
    return fabsf(bends[0]) < WB_FLAT_BEND && fabsf(bends[1]) < WB_FLAT_BEND && fabsf(bends[2]) < WB_FLAT_BEND;
}

static bool areAlike(const wbShape *shape, int a, int b) {
    const wbVec3 n = shape->triangles[a].normal, m = shape->triangles[b].normal;
    return fabsf(n.x - m.x) + fabsf(n.y - m.y) + fabsf(n.z - m.z) < 1e-6f;
}

static bool isLeafFlat(const wbShape *shape, const ShapeNode *node) {
    for (int t = node->first; t < node->first + node->count; t++)
        if (!isTriangleFlat(shape, t) || !areAlike(shape, node->first, t)) return false;
    return true;
}

// From the leaves upwards: children stand behind their nodes.
static void findFlatNodes(wbShape *shape) {
    for (int i = shape->tree.nodeCount - 1; i >= 0; i--) {
        const ShapeNode *node = &shape->nodes[i];
        if (node->count > 0) {
            shape->isFlat[i] = isLeafFlat(shape, node);
            continue;
        }
        const int first = i + 1, second = shape->nodes[first].skip;
        shape->isFlat[i] = shape->isFlat[first] && shape->isFlat[second] &&
                           areAlike(shape, shape->nodes[first].first, shape->nodes[second].first);
    }
}

static void joinSides(wbShape *shape, Side *sides, int count) {
    for (int i = 0; i < count; i++) sides[i] = makeSide(&shape->triangles[i / 3], i / 3, i % 3);
    qsort(sides, (size_t)count, sizeof *sides, compareSides);
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (comparePlaces(sides[first].low, sides[end].low) ||
                comparePlaces(sides[first].high, sides[end].high))
                break;
        joinPlace(shape, sides + first, end - first);
    }
}

wbStatus wbShape_FindEdges(wbShape *shape) {
    if (shape->edges) return wb_okStatus;
    const int triangles = shape->tree.triangleCount, nodes = shape->tree.nodeCount;
    const size_t bytes = 3 * (size_t)triangles * sizeof(Side),
                 edgeBytes = (size_t)triangles * sizeof(wbShapeEdges);
    Side *sides = wbAlloc(shape->memory, bytes);
    bool *isFlat = wbAlloc(shape->memory, (size_t)nodes * sizeof(bool));
    wbShapeEdges *edges = wbAllocZero(shape->memory, edgeBytes);
    const bool hasMemory = sides && isFlat && edges;
    if (hasMemory) {
        shape->edges = edges, shape->isFlat = isFlat;
        joinSides(shape, sides, 3 * triangles);
        findFlatNodes(shape);
        shape->tree.edges = edges, shape->tree.isFlat = isFlat;
    } else {
        wbFree(shape->memory, isFlat, (size_t)nodes * sizeof(bool));
        wbFree(shape->memory, edges, edgeBytes);
    }
    wbFree(shape->memory, sides, bytes);
    return hasMemory ? wb_okStatus
                     : wbMemoryError(shape->memory, "the edges of %d triangles need", triangles);
}
