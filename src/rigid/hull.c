// SPDX-License-Identifier: MIT
// Convex hulls by quickhull (Barber, Dobkin and Huhdanpaa 1996). Which side of a triangle a point is on is
// decided exactly: points are put on a grid of 2^20 steps along each axis, where the determinant fits into 64
// bits. So there are no thin triangles that look the wrong way, and no tolerances but those for what the
// result is made of.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "rigid/convex.h"

#define GRID 1048576.0 // steps along each edge of the box around all points
// A hull that is thinner than this share of its size is flat: rounding would decide how it looks.
#define THINNEST 1e-5
// Triangles that leave a plane by less belong to it, in steps of rounding.
#define COPLANAR 4.0

typedef struct GridPoint {
    int32_t x[3];
    int next; // in the list of a triangle that it is outside of; -1: the last
} GridPoint;

typedef struct Triangle {
    int corners[3];
    int neighbours[3]; // across the edge from corner k to the next
    int64_t normal[3]; // outwards, of the grid: exact
    double length;     // 1/m, of the normal in space; 0: a free triangle
    int outside;       // points, of which the farthest is first; of a free one the next that is free
    double farthest;   // m
    int region;        // of triangles in one plane
    bool isVisible;
} Triangle;

typedef struct Builder {
    const float *points3;
    int count;
    GridPoint *points;
    Triangle *triangles;
    int used, firstFree;
    int *atCorner;    // new triangle that begins at a point
    double steps[3];  // m, of the grid
    double extent;    // m
    double rounding;  // m, of the points
    double tolerance; // m
    int regionCount;
} Builder;

// How far a point is above a triangle, times the length of its normal.
static int64_t getHeight(const Builder *b, const Triangle *t, int point) {
    const int32_t *p = b->points[point].x, *o = b->points[t->corners[0]].x;
    return t->normal[0] * (p[0] - o[0]) + t->normal[1] * (p[1] - o[1]) + t->normal[2] * (p[2] - o[2]);
}

static void setNormal(const Builder *b, Triangle *t) {
    const int32_t *o = b->points[t->corners[0]].x, *p = b->points[t->corners[1]].x,
                  *q = b->points[t->corners[2]].x;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        t->normal[k] = (int64_t)(p[i] - o[i]) * (q[j] - o[j]) - (int64_t)(p[j] - o[j]) * (q[i] - o[i]);
        sum += (double)t->normal[k] * (double)t->normal[k] / (b->steps[k] * b->steps[k]);
    }
    t->length = sqrt(sum);
}

static int addTriangle(Builder *b, int i, int j, int k) {
    int index = b->firstFree;
    if (index >= 0)
        b->firstFree = b->triangles[index].outside;
    else
        index = b->used++;
    Triangle *t = &b->triangles[index];
    *t = (Triangle){.corners = {i, j, k}, .outside = -1, .region = -1};
    setNormal(b, t);
    return index;
}

static bool isFree(const Triangle *t) { return t->length == 0; }

static void freeTriangle(Builder *b, int index) {
    b->triangles[index].length = 0;
    b->triangles[index].outside = b->firstFree;
    b->firstFree = index;
}

// Gives a point to the triangle that it is farthest outside of, if there is one from `first` on in the list.
static void assignPoint(Builder *b, int point, const int *list, int listCount) {
    Triangle *best = NULL;
    double farthest = b->tolerance;
    for (int i = 0; i < listCount; i++) {
        Triangle *t = &b->triangles[list[i]];
        const int64_t height = getHeight(b, t, point);
        if (height <= 0 || (double)height <= farthest * t->length) continue;
        best = t, farthest = (double)height / t->length;
    }
    if (!best) return;
    GridPoint *p = &b->points[point];
    if (best->outside < 0 || farthest > best->farthest) {
        p->next = best->outside;
        best->outside = point, best->farthest = farthest;
    } else {
        p->next = b->points[best->outside].next;
        b->points[best->outside].next = point;
    }
}

static int findTwin(const Triangle *t, int from, int to) {
    for (int k = 0; k < 3; k++)
        if (t->corners[k] == from && t->corners[(k + 1) % 3] == to) return k;
    return -1;
}

// Triangles from the point to every edge between what it sees and what it does not.
static int closeHorizon(Builder *b, int point, int *made) {
    int madeCount = 0;
    const int used = b->used;
    for (int i = 0; i < used; i++) {
        if (isFree(&b->triangles[i]) || !b->triangles[i].isVisible) continue;
        for (int k = 0; k < 3; k++) {
            const int beyond = b->triangles[i].neighbours[k];
            if (b->triangles[beyond].isVisible) continue;
            const int from = b->triangles[i].corners[k], to = b->triangles[i].corners[(k + 1) % 3];
            const int index = addTriangle(b, from, to, point);
            b->triangles[index].neighbours[0] = beyond;
            b->triangles[beyond].neighbours[findTwin(&b->triangles[beyond], to, from)] = index;
            b->atCorner[from] = index;
            made[madeCount++] = index;
        }
    }
    for (int m = 0; m < madeCount; m++) {
        const int next = b->atCorner[b->triangles[made[m]].corners[1]];
        b->triangles[made[m]].neighbours[1] = next;
        b->triangles[next].neighbours[2] = made[m];
    }
    return madeCount;
}

static void addCorner(Builder *b, int from, int *made) {
    const int point = b->triangles[from].outside;
    for (int i = 0; i < b->used; i++) {
        Triangle *t = &b->triangles[i];
        t->isVisible = !isFree(t) && getHeight(b, t, point) > 0;
    }
    const int used = b->used, madeCount = closeHorizon(b, point, made);
    for (int i = 0; i < used; i++) {
        if (isFree(&b->triangles[i]) || !b->triangles[i].isVisible) continue;
        for (int p = b->triangles[i].outside, next; p >= 0; p = next) {
            next = b->points[p].next;
            if (p != point) assignPoint(b, p, made, madeCount);
        }
        freeTriangle(b, i);
    }
}

// The four points that the hull begins with: far apart, then far from the line, then from the plane.

static wbVec3d getPoint(const Builder *b, int i) {
    const int32_t *x = b->points[i].x;
    return (wbVec3d){x[0] * b->steps[0], x[1] * b->steps[1], x[2] * b->steps[2]};
}

static void findEnds(const Builder *b, int ends[2]) {
    double most = -1;
    for (int axis = 0; axis < 3; axis++) {
        int low = 0, high = 0;
        for (int i = 1; i < b->count; i++) {
            if (b->points[i].x[axis] < b->points[low].x[axis]) low = i;
            if (b->points[i].x[axis] > b->points[high].x[axis]) high = i;
        }
        const wbVec3d d = wbSub3d(getPoint(b, high), getPoint(b, low));
        if (wbDot3d(d, d) > most) most = wbDot3d(d, d), ends[0] = low, ends[1] = high;
    }
}

static int findFarthestFromLine(const Builder *b, const int ends[2], double *distance) {
    const wbVec3d o = getPoint(b, ends[0]), d = wbSub3d(getPoint(b, ends[1]), o);
    int best = 0;
    double most = -1;
    for (int i = 0; i < b->count; i++) {
        const wbVec3d c = wbCross3d(wbSub3d(getPoint(b, i), o), d);
        if (wbDot3d(c, c) > most) most = wbDot3d(c, c), best = i;
    }
    *distance = sqrt(most / wbDot3d(d, d));
    return best;
}

static int findFarthestFromPlane(const Builder *b, const Triangle *plane, double *distance) {
    int best = 0;
    int64_t most = -1;
    for (int i = 0; i < b->count; i++) {
        const int64_t height = llabs(getHeight(b, plane, i));
        if (height > most) most = height, best = i;
    }
    *distance = (double)most / plane->length;
    return best;
}

static wbStatus startHull(Builder *b) {
    int ends[2] = {0, 0};
    double width, thickness;
    findEnds(b, ends);
    const int third = findFarthestFromLine(b, ends, &width);
    if (width < THINNEST * b->extent)
        return wbError(wb_errorInput, "the %d points of a hull are on one line; give it a thickness",
                       b->count);
    const int first = addTriangle(b, ends[0], ends[1], third);
    const int fourth = findFarthestFromPlane(b, &b->triangles[first], &thickness);
    if (thickness < THINNEST * b->extent)
        return wbError(wb_errorInput,
                       "the %d points of a hull are in one plane: it is %g m thick; at least %g are needed",
                       b->count, thickness, THINNEST * b->extent);
    // counter-clockwise as seen from outside
    const bool isBelow = getHeight(b, &b->triangles[first], fourth) < 0;
    const int c[4] = {ends[0], isBelow ? ends[1] : third, isBelow ? third : ends[1], fourth};
    b->used = 0;
    static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int all[4];
    for (int t = 0; t < 4; t++) {
        all[t] = addTriangle(b, c[corners[t][0]], c[corners[t][1]], c[corners[t][2]]);
        memcpy(b->triangles[t].neighbours, neighbours[t], sizeof neighbours[t]);
    }
    for (int i = 0; i < b->count; i++) assignPoint(b, i, all, 4);
    return wb_okStatus;
}

// The point that stands out farthest of all, until none does or there are enough.
static void growHull(Builder *b, int maxCorners, int *made) {
    for (int corners = 4; corners < maxCorners; corners++) {
        int best = -1;
        for (int i = 0; i < b->used; i++) {
            const Triangle *t = &b->triangles[i];
            if (isFree(t) || t->outside < 0) continue;
            if (best < 0 || t->farthest > b->triangles[best].farthest) best = i;
        }
        if (best < 0) return;
        addCorner(b, best, made);
    }
}

// Faces: triangles in one plane

static bool isInPlane(const Builder *b, const Triangle *seed, const Triangle *t) {
    double cosine = 0, rounding = b->rounding * seed->length;
    for (int k = 0; k < 3; k++) {
        cosine += (double)seed->normal[k] * (double)t->normal[k] / (b->steps[k] * b->steps[k]);
        rounding += fabs((double)seed->normal[k]);
    }
    if (cosine <= 0) return false;
    const double most = fmax(b->tolerance * seed->length, COPLANAR * rounding);
    for (int k = 0; k < 3; k++)
        if (fabs((double)getHeight(b, seed, t->corners[k])) > most) return false;
    return true;
}

static void growRegion(Builder *b, int seed, bool isJoined, int *stack) {
    int depth = 0;
    b->triangles[seed].region = b->regionCount;
    stack[depth++] = seed;
    while (depth > 0) {
        const Triangle *t = &b->triangles[stack[--depth]];
        for (int k = 0; k < 3 && isJoined; k++) {
            Triangle *next = &b->triangles[t->neighbours[k]];
            if (next->region >= 0 || !isInPlane(b, &b->triangles[seed], next)) continue;
            next->region = b->regionCount;
            stack[depth++] = t->neighbours[k];
        }
    }
    b->regionCount++;
}

// The largest triangles know best where their planes are. Not joined: each is a face of its own.
static void findRegions(Builder *b, bool isJoined, int *stack) {
    b->regionCount = 0;
    for (int i = 0; i < b->used; i++) b->triangles[i].region = -1;
    for (;;) {
        int seed = -1;
        for (int i = 0; i < b->used; i++) {
            const Triangle *t = &b->triangles[i];
            if (isFree(t) || t->region >= 0) continue;
            if (seed < 0 || t->length > b->triangles[seed].length) seed = i;
        }
        if (seed < 0) return;
        growRegion(b, seed, isJoined, stack);
    }
}

// Loops on their way into a hull.
typedef struct Loops {
    int *loops, *starts; // of all faces, and where each begins
    int *cornerOf;       // of points: the hull's corner; -1: none
    int faceCount, loopCount, cornerCount;
} Loops;

static bool isBorder(const Builder *b, const Triangle *t, int k) {
    return b->triangles[t->neighbours[k]].region != t->region;
}

// Whether a point is where three faces meet: between two it is only on their edge.
static bool isCorner(const Builder *b, int triangle, int k) {
    const int point = b->triangles[triangle].corners[k];
    int borders = 0;
    for (int at = triangle;;) {
        const Triangle *t = &b->triangles[at];
        int place = 0;
        while (t->corners[place] != point) place++;
        borders += isBorder(b, t, place);
        at = t->neighbours[place];
        if (at == triangle) return borders >= 3;
    }
}

static void numberCorners(const Builder *b, Loops *loops) {
    loops->cornerCount = 0;
    for (int i = 0; i < b->used; i++)
        for (int k = 0; k < 3 && !isFree(&b->triangles[i]); k++)
            loops->cornerOf[b->triangles[i].corners[k]] = -1;
    for (int i = 0; i < b->used; i++)
        for (int k = 0; k < 3 && !isFree(&b->triangles[i]); k++) {
            int *corner = &loops->cornerOf[b->triangles[i].corners[k]];
            if (*corner < 0 && isCorner(b, i, k)) *corner = loops->cornerCount++;
        }
}

// The border of a region, from an edge on; how many edges it has.
static int walkBorder(const Builder *b, Loops *loops, int triangle, int k) {
    int edges = 0;
    const int end = b->triangles[triangle].corners[k];
    do {
        const int point = b->triangles[triangle].corners[k], corner = loops->cornerOf[point];
        if (corner >= 0) loops->loops[loops->loopCount++] = corner;
        edges++;
        // turn about the edge's end until the next border
        k = (k + 1) % 3;
        while (!isBorder(b, &b->triangles[triangle], k)) {
            const int at = b->triangles[triangle].corners[k], next = b->triangles[triangle].neighbours[k];
            triangle = next, k = 0;
            while (b->triangles[triangle].corners[k] != at) k++;
        }
    } while (b->triangles[triangle].corners[k] != end);
    return edges;
}

// False if a region has not one border of at least three corners: then faces must not be joined.
static bool traceRegions(const Builder *b, Loops *loops) {
    loops->faceCount = loops->loopCount = 0;
    for (int region = 0; region < b->regionCount; region++) {
        int borders = 0, walked = 0;
        loops->starts[loops->faceCount] = loops->loopCount;
        for (int i = 0; i < b->used; i++) {
            const Triangle *t = &b->triangles[i];
            for (int k = 0; k < 3 && !isFree(t) && t->region == region; k++) {
                if (!isBorder(b, t, k)) continue;
                if (borders++ == 0) walked = walkBorder(b, loops, i, k);
            }
        }
        if (walked != borders || loops->loopCount - loops->starts[loops->faceCount] < 3) return false;
        loops->faceCount++;
    }
    loops->starts[loops->faceCount] = loops->loopCount;
    // Euler: every edge is in two loops
    return loops->cornerCount + loops->faceCount == loops->loopCount / 2 + 2;
}

// The hull itself

static wbVec3d getCorner(const wbHull *hull, int corner) { return wbToDouble(hull->corners[corner]); }

static void setPlane(const wbHull *hull, wbHullFace *face) {
    const int *loop = hull->loops + face->first;
    const wbVec3d o = getCorner(hull, loop[0]);
    wbVec3d sum = {0, 0, 0};
    for (int c = 2; c < face->count; c++)
        sum = wbAddScaled3d(
            sum, 1,
            wbCross3d(wbSub3d(getCorner(hull, loop[c - 1]), o), wbSub3d(getCorner(hull, loop[c]), o)));
    const double length = sqrt(wbDot3d(sum, sum));
    sum = wbAddScaled3d((wbVec3d){0, 0, 0}, 1 / length, sum);
    face->normal = wbToFloat(sum);
    double offset = -INFINITY;
    for (int i = 0; i < hull->cornerCount; i++) offset = fmax(offset, wbDot3d(sum, getCorner(hull, i)));
    face->offset = (float)offset;
}

static void listEdges(wbHull *hull) {
    hull->edgeCount = 0;
    for (int f = 0; f < hull->faceCount; f++) {
        const int *loop = hull->loops + hull->faces[f].first, count = hull->faces[f].count;
        for (int c = 0; c < count; c++) {
            const int from = loop[c], to = loop[(c + 1) % count];
            if (from > to) continue;
            hull->edges[2 * hull->edgeCount] = from, hull->edges[2 * hull->edgeCount + 1] = to;
            hull->edgeCount++;
        }
    }
}

static void listCornerFaces(wbHull *hull) {
    int place = 0;
    for (int i = 0; i < hull->cornerCount; i++) {
        hull->firstFaces[i] = place;
        for (int f = 0; f < hull->faceCount; f++)
            for (int c = 0; c < hull->faces[f].count; c++)
                if (hull->loops[hull->faces[f].first + c] == i) hull->cornerFaces[place++] = f;
    }
    hull->firstFaces[hull->cornerCount] = place;
}

static void findCentre(wbHull *hull) {
    const wbRigidPiece piece = {.kind = wb_pieceHull, .pose = wb_poseAtOrigin, .hull = hull};
    const wbMassProperties mass = wbRigidPiece_GetMass(&piece, 3);
    hull->centre = wbMakeVec3((float)mass.centre[0], (float)mass.centre[1], (float)mass.centre[2]);
    for (int i = 0; i < hull->cornerCount; i++)
        hull->reach = fmaxf(hull->reach, sqrtf(wbDot(hull->corners[i], hull->corners[i])));
    hull->depth = INFINITY;
    for (int f = 0; f < hull->faceCount; f++)
        hull->depth = fminf(hull->depth, hull->faces[f].offset - wbDot(hull->faces[f].normal, hull->centre));
}

// One allocation for all arrays: `place` moves on by what is taken.
static void *takeRoom(char **place, size_t bytes) {
    void *room = *place;
    *place += (bytes + 15) / 16 * 16;
    return room;
}

static size_t layOut(wbHull *hull, char *start) {
    char *place = start;
    const size_t corners = (size_t)hull->cornerCount, loops = (size_t)hull->loopCount;
    takeRoom(&place, sizeof *hull);
    hull->corners = takeRoom(&place, corners * sizeof *hull->corners);
    hull->faces = takeRoom(&place, (size_t)hull->faceCount * sizeof *hull->faces);
    hull->loops = takeRoom(&place, loops * sizeof(int));
    hull->edges = takeRoom(&place, loops * sizeof(int));
    hull->firstFaces = takeRoom(&place, (corners + 1) * sizeof(int));
    hull->cornerFaces = takeRoom(&place, loops * sizeof(int));
    return (size_t)(place - start);
}

static wbStatus finishHull(wbMemory *memory, const Builder *b, const Loops *loops, wbHull **result) {
    wbHull plan = {.cornerCount = loops->cornerCount,
                   .faceCount = loops->faceCount,
                   .loopCount = loops->loopCount,
                   .owners = 1,
                   .memory = memory};
    plan.bytes = layOut(&plan, (char *)&plan);
    wbHull *hull = wbAllocZero(memory, plan.bytes);
    if (!hull) return wbMemoryError(memory, "a hull of %d corners needs", plan.cornerCount);
    *hull = plan;
    layOut(hull, (char *)hull);
    for (int i = 0; i < b->used; i++)
        for (int k = 0; k < 3 && !isFree(&b->triangles[i]); k++) {
            const int point = b->triangles[i].corners[k], corner = loops->cornerOf[point];
            if (corner >= 0) memcpy(&hull->corners[corner], b->points3 + 3 * (size_t)point, sizeof(wbVec3));
        }
    memcpy(hull->loops, loops->loops, (size_t)loops->loopCount * sizeof(int));
    for (int f = 0; f < hull->faceCount; f++) {
        hull->faces[f] =
            (wbHullFace){.first = loops->starts[f], .count = loops->starts[f + 1] - loops->starts[f]};
        setPlane(hull, &hull->faces[f]);
    }
    listEdges(hull);
    listCornerFaces(hull);
    findCentre(hull);
    *result = hull;
    return wb_okStatus;
}

static wbStatus checkPoints(const float *points3, int count) {
    if (count < 4) return wbError(wb_errorInput, "a hull needs at least 4 points; there are %d", count);
    for (int i = 0; i < 3 * count; i++)
        if (!isfinite(points3[i]))
            return wbError(wb_errorInput, "%c of a hull's point %d is %g; it must be finite", "xyz"[i % 3],
                           i / 3, (double)points3[i]);
    return wb_okStatus;
}

static wbStatus fillGrid(Builder *b) {
    double min[3], max[3], farthest = 0;
    for (int k = 0; k < 3; k++) {
        min[k] = INFINITY, max[k] = -INFINITY;
        for (int i = 0; i < b->count; i++) {
            const double x = b->points3[3 * (size_t)i + (size_t)k];
            min[k] = fmin(min[k], x), max[k] = fmax(max[k], x);
        }
        b->extent = fmax(b->extent, max[k] - min[k]);
        farthest = fmax(farthest, fmax(-min[k], max[k]));
    }
    if (!(b->extent > 0)) return wbError(wb_errorInput, "the %d points of a hull are at one place", b->count);
    b->rounding = farthest * FLT_EPSILON;
    for (int k = 0; k < 3; k++) {
        // flat: it is refused later
        b->steps[k] = fmax(max[k] - min[k], THINNEST * b->extent) / GRID;
        for (int i = 0; i < b->count; i++)
            b->points[i].x[k] =
                (int32_t)lrint((b->points3[3 * (size_t)i + (size_t)k] - min[k]) / b->steps[k]);
    }
    return wb_okStatus;
}

static wbStatus buildHull(wbMemory *memory, Builder *b, int maxCorners, int *made, Loops *loops,
                          wbHull **hull) {
    WB_TRY(fillGrid(b));
    WB_TRY(startHull(b));
    growHull(b, maxCorners, made);
    findRegions(b, true, made);
    numberCorners(b, loops);
    if (!traceRegions(b, loops)) {
        findRegions(b, false, made);
        numberCorners(b, loops);
        traceRegions(b, loops);
    }
    return finishHull(memory, b, loops, hull);
}

wbStatus wbCreateHull(wbMemory *memory, const float *points3, int count, float tolerance, int maxCorners,
                      wbHull **hull) {
    WB_REQUIRE(hull);
    WB_ASSERT(maxCorners >= 4 && maxCorners <= WB_MAX_HULL_CORNERS, "a hull has 4 to 255 corners");
    *hull = NULL;
    WB_TRY(checkPoints(points3, count));
    // triangles there are while a corner is added: those before, and as many around it as there are corners
    const int capacity = 3 * maxCorners;
    const size_t points = (size_t)count, room = (size_t)capacity;
    const size_t bytes = points * (sizeof(GridPoint) + 2 * sizeof(int)) + room * sizeof(Triangle) +
                         (room + 3 * room + room + 1) * sizeof(int);
    char *scratch = wbAlloc(memory, bytes);
    if (!scratch) return wbMemoryError(memory, "a hull of %d points needs", count);
    Triangle *triangles = (Triangle *)scratch;
    GridPoint *grid = (GridPoint *)(triangles + room);
    int *numbers = (int *)(grid + points);
    Builder builder = {.points3 = points3,
                       .count = count,
                       .points = grid,
                       .triangles = triangles,
                       .firstFree = -1,
                       .atCorner = numbers,
                       .tolerance = fmaxf(tolerance, 0)};
    int *made = numbers + 2 * points;
    Loops loops = {.cornerOf = numbers + points, .loops = made + room, .starts = made + 4 * room};
    const wbStatus status = buildHull(memory, &builder, maxCorners, made, &loops, hull);
    wbFree(memory, scratch, bytes);
    return status;
}

// Prisms

static double getTurn(const float (*corners)[2], int count, int i, double *angle) {
    const float *a = corners[(i + count - 1) % count], *b = corners[i], *c = corners[(i + 1) % count];
    const double ux = (double)b[0] - a[0], uy = (double)b[1] - a[1], vx = (double)c[0] - b[0],
                 vy = (double)c[1] - b[1];
    const double cross = ux * vy - uy * vx;
    *angle = atan2(cross, ux * vx + uy * vy);
    return cross;
}

static wbStatus checkPolygon(const float (*corners)[2], int count) {
    double sum = 0, angle;
    if (count < 3) return wbError(wb_errorInput, "a polygon needs at least 3 corners; there are %d", count);
    if (count > WB_MAX_HULL_CORNERS / 2)
        return wbError(wb_errorInput, "a polygon has %d corners; at most %d are allowed", count,
                       WB_MAX_HULL_CORNERS / 2);
    for (int i = 0; i < count; i++) {
        if (!isfinite(corners[i][0]) || !isfinite(corners[i][1]))
            return wbError(wb_errorInput, "corner %d of a polygon is (%g, %g); it must be finite", i,
                           (double)corners[i][0], (double)corners[i][1]);
        getTurn(corners, count, i, &angle);
        sum += angle;
    }
    for (int i = 0; i < count; i++)
        if (getTurn(corners, count, i, &angle) * sum <= 0 && fabs(angle) > 1e-4)
            return wbError(wb_errorInput,
                           "a polygon is not convex at its corner %d, (%g, %g); make several of it", i,
                           (double)corners[i][0], (double)corners[i][1]);
    if (fabs(sum) > 6.3)
        return wbError(wb_errorInput, "a polygon of %d corners goes around more than once", count);
    return wb_okStatus;
}

wbStatus wbCreatePrism(wbMemory *memory, const float (*corners)[2], int count, wbHull **hull) {
    float points[WB_MAX_HULL_CORNERS + 1][3];
    *hull = NULL;
    WB_TRY(checkPolygon(corners, count));
    for (int i = 0; i < 2 * count; i++) {
        memcpy(points[i], corners[i / 2], sizeof corners[0]);
        points[i][2] = i % 2 ? 0.5f : -0.5f;
    }
    return wbCreateHull(memory, points[0], 2 * count, 0, WB_MAX_HULL_CORNERS, hull);
}

wbHull *wbHull_Share(wbHull *hull) {
    hull->owners++;
    return hull;
}

void wbDestroyHull(wbHull *hull) {
    if (hull && --hull->owners == 0) wbFree(hull->memory, hull, hull->bytes);
}
