// SPDX-License-Identifier: MIT
// Which particles of a body are tied to each other.
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/status.h"
#include "pbd/pbd_build.h"

// Pairs that are being collected.
typedef struct Pairs {
    wbArray array; // int[2]
    int count;
    const wbWork *work;
} Pairs;

static Pairs beginPairs(const wbWork *work) {
    return (Pairs){.array = {.elementSize = sizeof(int[2])}, .work = work};
}

static bool addPair(Pairs *pairs, int i, int j) {
    if (!wbArray_Reserve(pairs->work->memory, &pairs->array, pairs->count + 1)) return false;
    int *pair = (int *)pairs->array.data + 2 * (size_t)pairs->count++;
    pair[0] = i, pair[1] = j;
    return true;
}

static wbStatus outOfMemory(const wbWork *work) {
    return wbMemoryError(work->memory, "pairs of particles need");
}

// Adds what was collected, if all of it was, and frees it.
static wbStatus endPairs(Pairs *pairs, wbPbd *pbd, bool complete, wbPbdKind kind) {
    wbMemory *memory = pairs->work->memory;
    wbStatus status = complete ? wbPbd_AddConstraints(pbd, memory, pairs->count, pairs->array.data, kind)
                               : outOfMemory(pairs->work);
    wbArray_Free(memory, &pairs->array);
    return status;
}

wbStatus wbConnectAll(wbPbd *pbd, const wbWork *work, wbPbdBody body) {
    Pairs pairs = beginPairs(work);
    int64_t total = (int64_t)body.count * (body.count - 1) / 2;
    // all at once: what has no room is refused before it is filled
    bool complete = total <= INT_MAX - 1024 && wbArray_Reserve(work->memory, &pairs.array, (int)total);
    for (int i = 0; i < body.count && complete; i++)
        for (int j = i + 1; j < body.count && complete; j++)
            complete = addPair(&pairs, body.first + i, body.first + j);
    return endPairs(&pairs, pbd, complete, wb_pbdStretch);
}

static double getDistance2(const wbPbd *pbd, int i, int j) {
    double dx = (double)pbd->x[i] - pbd->x[j], dy = (double)pbd->y[i] - pbd->y[j];
    double dz = (double)pbd->z[i] - pbd->z[j];
    return dx * dx + dy * dy + dz * dz;
}

typedef struct Along {
    float at; // m
    int particle;
} Along;

static int compareAlong(const void *a, const void *b) {
    const Along *p = a, *q = b;
    if (p->at != q->at) return p->at < q->at ? -1 : 1;
    return (p->particle > q->particle) - (p->particle < q->particle);
}

// The axis along which a body is longest, so that a plate across x is not compared pair by pair; x if all are alike.
static const float *findLongAxis(const wbPbd *pbd, wbPbdBody body) {
    const float *axes[3] = {pbd->x, pbd->y, pbd->z}, *longest = pbd->x;
    float length = 0;
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = body.first; i < body.first + body.count; i++)
            low = fminf(low, axes[a][i]), high = fmaxf(high, axes[a][i]);
        if (high - low > 2 * length) longest = axes[a], length = high - low;
    }
    return longest;
}

// Pairs nearer than a distance: particles sorted along an axis, each compared with those that come soon after it.
static bool addNear(Pairs *pairs, const wbPbd *pbd, wbPbdBody body, float distance, Along *sorted) {
    const float *axis = findLongAxis(pbd, body);
    for (int k = 0; k < body.count; k++) sorted[k] = (Along){axis[body.first + k], body.first + k};
    qsort(sorted, (size_t)body.count, sizeof *sorted, compareAlong);
    for (int k = 0; k < body.count; k++)
        for (int l = k + 1; l < body.count && sorted[l].at - sorted[k].at < distance; l++) {
            int i = sorted[k].particle, j = sorted[l].particle;
            if (getDistance2(pbd, i, j) >= (double)distance * distance) continue;
            if (!addPair(pairs, i < j ? i : j, i < j ? j : i)) return false;
        }
    return true;
}

// Pairs further apart than `furthest` and not near already, at most farMax at each particle.
static bool addCoarse(Pairs *pairs, const wbPbd *pbd, wbPbdBody body, float nearest, float furthest,
                      int farMax, int *counts) {
    double least = nearest > furthest ? nearest : furthest;
    for (int k = 0; k < body.count; k++) counts[k] = 0;
    for (int k = 0; k < body.count; k++)
        for (int l = k + 1; l < body.count && counts[k] < farMax; l++) {
            int i = body.first + k, j = body.first + l;
            if (counts[l] >= farMax || getDistance2(pbd, i, j) <= least * least) continue;
            if (!addPair(pairs, i, j)) return false;
            counts[k]++, counts[l]++;
        }
    return true;
}

wbStatus wbConnectDecimated(wbPbd *pbd, const wbWork *work, wbPbdBody body, float maxDistance, float furthest,
                            int farMax) {
    size_t mark = wbArena_Mark(work->arena);
    Along *sorted = wbArena_Alloc(work->arena, sizeof(Along) * (size_t)(body.count + 1));
    int *counts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(body.count + 1));
    if (!sorted || !counts) return outOfMemory(work);
    Pairs pairs = beginPairs(work);
    bool complete = addNear(&pairs, pbd, body, maxDistance, sorted) &&
                    addCoarse(&pairs, pbd, body, maxDistance, furthest, farMax, counts);
    wbArena_Release(work->arena, mark);
    return endPairs(&pairs, pbd, complete, wb_pbdStretch);
}

wbStatus wbConnectBraces(wbPbd *pbd, const wbWork *work, wbPbdBody body, float furthest, int farMax) {
    size_t mark = wbArena_Mark(work->arena);
    int *counts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(body.count + 1));
    if (!counts) return outOfMemory(work);
    Pairs pairs = beginPairs(work);
    bool complete = addCoarse(&pairs, pbd, body, 0, furthest, farMax, counts);
    wbArena_Release(work->arena, mark);
    return endPairs(&pairs, pbd, complete, wb_pbdStretch);
}

// An edge of a triangle and the corner across it.
typedef struct Edge {
    int low, high, across;
} Edge;

static int compareEdges(const void *a, const void *b) {
    const Edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return (p->across > q->across) - (p->across < q->across);
}

static int comparePairs(const void *a, const void *b) {
    const int *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

static void listEdges(Edge *edges, const int *triangles, int triangleCount, int first) {
    for (int k = 0; k < 3 * triangleCount; k++) {
        int corner = k % 3, base = k - corner;
        int i = first + triangles[base + corner], j = first + triangles[base + (corner + 1) % 3];
        edges[k] = (Edge){i < j ? i : j, i < j ? j : i, first + triangles[base + (corner + 2) % 3]};
    }
    qsort(edges, 3 * (size_t)triangleCount, sizeof *edges, compareEdges);
}

static bool isSameEdge(const Edge *a, const Edge *b) { return a->low == b->low && a->high == b->high; }

// Braces between neighbouring triangles that are no edges and come once.
static bool addBraces(Pairs *braces, const Edge *edges, int edgeCount) {
    Pairs all = beginPairs(braces->work);
    bool complete = true;
    for (int k = 1; k < edgeCount && complete; k++) {
        int i = edges[k - 1].across, j = edges[k].across;
        if (!isSameEdge(&edges[k - 1], &edges[k]) || i == j) continue;
        complete = addPair(&all, i < j ? i : j, i < j ? j : i);
    }
    if (all.count > 0) qsort(all.array.data, (size_t)all.count, sizeof(int[2]), comparePairs);
    const int *pair = all.array.data;
    for (int k = 0, e = 0; k < all.count && complete; k++) {
        const int *p = pair + 2 * (size_t)k;
        if (k > 0 && comparePairs(p - 2, p) == 0) continue;
        while (e < edgeCount && comparePairs((const int[2]){edges[e].low, edges[e].high}, p) < 0) e++;
        bool isEdge = e < edgeCount && edges[e].low == p[0] && edges[e].high == p[1];
        if (!isEdge) complete = addPair(braces, p[0], p[1]);
    }
    wbArray_Free(braces->work->memory, &all.array);
    return complete;
}

// Hinges about all edges that two triangles share.
static wbStatus addHinges(wbPbd *pbd, const wbWork *work, const Edge *edges, int edgeCount) {
    int *corners = wbArena_Alloc(work->arena, sizeof(int[4]) * (size_t)(edgeCount + 1)), count = 0;
    if (!corners) return outOfMemory(work);
    for (int k = 1; k < edgeCount; k++) {
        if (!isSameEdge(&edges[k - 1], &edges[k]) || edges[k - 1].across == edges[k].across) continue;
        int *c = corners + 4 * (size_t)count++;
        c[0] = edges[k].low, c[1] = edges[k].high, c[2] = edges[k - 1].across, c[3] = edges[k].across;
    }
    return wbPbd_AddHinges(pbd, work->memory, count, corners);
}

static wbStatus addLengths(wbPbd *pbd, const wbWork *work, const Edge *edges, int edgeCount) {
    Pairs lengths = beginPairs(work);
    bool complete = true;
    for (int k = 0; k < edgeCount && complete; k++)
        if (k == 0 || !isSameEdge(&edges[k - 1], &edges[k]))
            complete = addPair(&lengths, edges[k].low, edges[k].high);
    return endPairs(&lengths, pbd, complete, wb_pbdStretch);
}

wbStatus wbConnectTriangles(wbPbd *pbd, const wbWork *work, wbPbdBody body, const int *triangles,
                            int triangleCount, wbBending bending) {
    size_t mark = wbArena_Mark(work->arena);
    int edgeCount = 3 * triangleCount;
    Edge *edges = wbArena_Alloc(work->arena, sizeof(Edge) * (size_t)(edgeCount + 1));
    if (!edges) return outOfMemory(work);
    listEdges(edges, triangles, triangleCount, body.first);
    wbStatus status = addLengths(pbd, work, edges, edgeCount);
    Pairs braces = beginPairs(work);
    if (wbIsOk(status) && bending == wb_bendingOverTwoEdges)
        status = endPairs(&braces, pbd, addBraces(&braces, edges, edgeCount), wb_pbdBend);
    if (wbIsOk(status) && bending == wb_bendingDihedral) status = addHinges(pbd, work, edges, edgeCount);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbConnectHinges(wbPbd *pbd, const wbWork *work, wbPbdBody body, const int *triangles,
                         int triangleCount) {
    size_t mark = wbArena_Mark(work->arena);
    Edge *edges = wbArena_Alloc(work->arena, sizeof(Edge) * (3 * (size_t)triangleCount + 1));
    if (!edges) return outOfMemory(work);
    listEdges(edges, triangles, triangleCount, body.first);
    wbStatus status = addHinges(pbd, work, edges, 3 * triangleCount);
    wbArena_Release(work->arena, mark);
    return status;
}
