// SPDX-License-Identifier: MIT
// The air's drag on soft bodies: pieces of cloth and ropes, and what their particles get of them.
#include "coupling/drag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "coupling/drag_code.h"

enum { PIECE_ARRAYS = 7 };
static void listArrays(wbDragPieces *pieces, wbArray *arrays[PIECE_ARRAYS]) {
    wbArray *const list[PIECE_ARRAYS] = {&pieces->corner[0], &pieces->corner[1], &pieces->corner[2],
                                         &pieces->closed,    &pieces->width,     &pieces->begins,
                                         &pieces->owned};
    memcpy(arrays, list, sizeof list);
}

void wbDragPieces_Init(wbDragPieces *pieces) {
    wbArray *arrays[PIECE_ARRAYS];
    *pieces = (wbDragPieces){0};
    listArrays(pieces, arrays);
    for (int k = 0; k < PIECE_ARRAYS; k++) arrays[k]->elementSize = sizeof(int32_t);
}

void wbDragPieces_Free(wbMemory *memory, wbDragPieces *pieces) {
    wbArray *arrays[PIECE_ARRAYS];
    listArrays(pieces, arrays);
    for (int k = 0; k < PIECE_ARRAYS; k++) wbArray_Free(memory, arrays[k]);
    wbDragPieces_Init(pieces);
}

static int countCorners(const wbDragPieces *pieces, int piece) {
    return piece < pieces->triangleCount ? 3 : 2;
}

static int *getCorner(const wbDragPieces *pieces, int corner, int piece) {
    return (int *)pieces->corner[corner].data + piece;
}

static wbStatus reserve(wbDragPieces *pieces, wbMemory *memory) {
    const int count = pieces->triangleCount + pieces->segmentCount;
    wbArray *arrays[PIECE_ARRAYS];
    listArrays(pieces, arrays);
    for (int k = 0; k < PIECE_ARRAYS; k++) {
        const int needed = arrays[k] == &pieces->begins  ? pieces->particleCount + 1
                           : arrays[k] == &pieces->owned ? 3 * count
                                                         : count;
        if (!wbArray_Reserve(memory, arrays[k], needed))
            return wbMemoryError(memory, "the wind on %d triangles and segments needs", count);
    }
    return wb_okStatus;
}

static void setPiece(const wbDragPieces *pieces, int piece, const int particles[3], bool isClosed,
                     float width) {
    for (int c = 0; c < 3; c++) *getCorner(pieces, c, piece) = 2 * particles[c];
    ((float *)pieces->closed.data)[piece] = isClosed ? 1 : 0;
    ((float *)pieces->width.data)[piece] = width;
}

// Pieces by particle, in their order.
static void listOwned(const wbDragPieces *pieces) {
    const int count = pieces->triangleCount + pieces->segmentCount, dummy = wbPadCount(pieces->particleCount);
    int *begins = pieces->begins.data, *owned = pieces->owned.data;
    memset(begins, 0, sizeof(int) * ((size_t)pieces->particleCount + 1));
    for (int k = 0; k < count; k++)
        for (int c = 0; c < countCorners(pieces, k); c++) {
            const int particle = *getCorner(pieces, c, k) / 2;
            if (particle != dummy) begins[particle + 1]++;
        }
    for (int i = 0; i < pieces->particleCount; i++) begins[i + 1] += begins[i];
    for (int k = 0; k < count; k++)
        for (int c = 0; c < countCorners(pieces, k); c++) {
            const int particle = *getCorner(pieces, c, k) / 2;
            if (particle != dummy) owned[begins[particle]++] = k;
        }
    for (int i = pieces->particleCount; i > 0; i--) begins[i] = begins[i - 1];
    begins[0] = 0;
}

wbStatus wbDragPieces_Build(wbDragPieces *pieces, const wbWork *work, int particleCount,
                            const wbDragSheet *sheets, int sheetCount, const wbDragRope *ropes,
                            int ropeCount) {
    const int dummies[3] = {wbPadCount(particleCount), wbPadCount(particleCount), wbPadCount(particleCount)};
    int triangles = 0, segments = 0, k = 0;
    for (int s = 0; s < sheetCount; s++) triangles += sheets[s].count;
    for (int r = 0; r < ropeCount; r++) segments += ropes[r].count - 1;
    pieces->triangleCount = wbPadCount(triangles), pieces->segmentCount = wbPadCount(segments);
    pieces->particleCount = particleCount;
    WB_TRY(reserve(pieces, work->memory));
    for (int s = 0; s < sheetCount; s++)
        for (int t = 0; t < sheets[s].count; t++)
            setPiece(pieces, k++, sheets[s].triangles + 3 * (size_t)t, sheets[s].isClosed, 0);
    for (; k < pieces->triangleCount; k++) setPiece(pieces, k, dummies, false, 0);
    for (int r = 0; r < ropeCount; r++)
        for (int i = ropes[r].first; i + 1 < ropes[r].first + ropes[r].count; i++)
            setPiece(pieces, k++, (const int[3]){i, i + 1, i + 1}, false, ropes[r].width);
    for (; k < pieces->triangleCount + pieces->segmentCount; k++) setPiece(pieces, k, dummies, false, 0);
    listOwned(pieces);
    return wb_okStatus;
}

static int compareKeys(const void *first, const void *second) {
    const uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    return a < b ? -1 : a > b;
}

// Edges as they are gone along, and the other way round: of a closed surface both are the same, and each is there once.
static bool areClosed(const int *triangles, size_t count, uint64_t *edges, uint64_t *back) {
    for (size_t e = 0; e < count; e++) {
        const uint64_t from = (uint32_t)triangles[e], to = (uint32_t)triangles[e % 3 == 2 ? e - 2 : e + 1];
        edges[e] = from << 32 | to, back[e] = to << 32 | from;
    }
    qsort(edges, count, sizeof *edges, compareKeys);
    qsort(back, count, sizeof *back, compareKeys);
    for (size_t e = 1; e < count; e++)
        if (edges[e] == edges[e - 1]) return false;
    return memcmp(edges, back, sizeof *edges * count) == 0;
}

wbStatus wbFindClosed(const wbWork *work, const int *triangles, int count, bool *isClosed) {
    const size_t mark = wbArena_Mark(work->arena), edgeCount = 3 * (size_t)count;
    uint64_t *edges = wbArena_Alloc(work->arena, sizeof(uint64_t[2]) * edgeCount);
    if (!edges) return wbMemoryError(work->memory, "the edges of %d triangles need", count);
    *isClosed = areClosed(triangles, edgeCount, edges, edges + edgeCount);
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

typedef struct Gather {
    const wbDragPieces *pieces;
    const wbPbd *pbd;
    const float *impulses;
    float *const *acceleration;
    float perSecond; // 1 / dt
    double (*sums)[3];
    const wbAirPoints *points; // NULL: the air is not pushed
} Gather;

// What a particle's pieces give it, in their order.
static void gatherBlock(const Gather *g, int begin, int end, double sums[3]) {
    const int *begins = g->pieces->begins.data, *owned = g->pieces->owned.data;
    for (int i = begin; i < end; i++) {
        float j[3] = {0, 0, 0};
        for (int k = begins[i]; k < begins[i + 1]; k++)
            for (size_t a = 0; a < 3; a++) j[a] += g->impulses[4 * (size_t)owned[k] + a];
        for (int a = 0; a < 3; a++) {
            sums[a] += (double)j[a];
            g->acceleration[a][i] = j[a] * g->pbd->w[i] * g->perSecond;
        }
    }
}

static void gather(int begin, int end, int worker, void *context) {
    (void)worker;
    const Gather *g = context;
    for (int block = begin; block < end; block += WB_BLOCK) {
        double *sums = g->sums[block / WB_BLOCK];
        sums[0] = sums[1] = sums[2] = 0;
        gatherBlock(g, block, block + WB_BLOCK < end ? block + WB_BLOCK : end, sums);
    }
}

typedef struct Records {
    const wbDragPieces *pieces;
    const wbPbd *pbd;
    float fall[3]; // m/s
    float *records;
} Records;

static void writeRecords(int begin, int end, int worker, void *context) {
    (void)worker;
    const Records *r = context;
    const wbPbd *pbd = r->pbd;
    const int *begins = r->pieces->begins.data;
    for (int i = begin; i < end; i++) {
        const float isFree = pbd->w[i] > 0 ? 1 : 0;
        const float record[WB_DRAG_RECORD] = {pbd->x[i],
                                              pbd->y[i],
                                              pbd->z[i],
                                              pbd->w[i] * (float)(begins[i + 1] - begins[i]),
                                              pbd->vx[i] + isFree * r->fall[0],
                                              pbd->vy[i] + isFree * r->fall[1],
                                              pbd->vz[i] + isFree * r->fall[2],
                                              0};
        memcpy(r->records + WB_DRAG_RECORD * (size_t)i, record, sizeof record);
    }
}

// The middles of pieces, where they feel the air of a grid.
typedef struct Middles {
    const wbDragPieces *pieces;
    const float *records;
    const wbWind *wind;
    const wbAirPoints *points;
} Middles;

static void findMiddles(int begin, int end, int worker, void *context) {
    (void)worker;
    const Middles *m = context;
    const int dummy = 2 * wbPadCount(m->pieces->particleCount);
    for (int k = begin; k < end; k++) {
        const int corners = countCorners(m->pieces, k);
        const bool isDummy = *getCorner(m->pieces, 0, k) == dummy;
        for (size_t a = 0; a < 3; a++) {
            float sum = 0;
            for (int c = 0; c < corners; c++)
                sum += m->records[WB_DRAG_HALF * (size_t)*getCorner(m->pieces, c, k) + a];
            m->points->place[a][k] = isDummy ? NAN : sum / (float)corners;
            m->points->wind[a][k] = m->wind->velocity[a];
        }
    }
}

static void takeImpulses(int begin, int end, int worker, void *context) {
    (void)worker;
    const Gather *g = context;
    for (int k = begin; k < end; k++)
        for (size_t a = 0; a < 3; a++)
            g->points->impulse[a][k] = (float)countCorners(g->pieces, k) * g->impulses[4 * (size_t)k + a];
}

static wbStatus readAir(const wbDragAir *air, wbDragPass *pass, wbAirPoints *points, const wbWork *work) {
    const int count = pass->pieces->triangleCount + pass->pieces->segmentCount;
    Middles middles = {pass->pieces, pass->records, &pass->wind, points};
    if (!wbAirPoints_Allocate(points, work->arena, count, air->isPushed))
        return wbMemoryError(work->memory, "the air around %d pieces of cloth and ropes needs", count);
    wbParallelFor(work->pool, count, 4 * WB_BLOCK, findMiddles, &middles);
    WB_TRY(wbAirPoints_Read(points, air->smoke, pass->wind.density, air->shares, work));
    for (int a = 0; a < 3; a++) pass->winds[a] = points->wind[a];
    pass->mobility = points->mobility;
    return wb_okStatus;
}

wbStatus wbDragParticles(const wbDragPieces *pieces, const wbPbd *pbd, const wbWind *wind,
                         const wbDragAir *air, wbVec3 gravity, float dt, const wbWork *work,
                         float *const acceleration[3], double given[3]) {
    const size_t mark = wbArena_Mark(work->arena), all = (size_t)wbPadCount(pbd->count) + 1;
    const int count = pieces->triangleCount + pieces->segmentCount, blocks = pbd->count / WB_BLOCK + 1;
    float *records = wbArena_Alloc(work->arena, sizeof(float[WB_DRAG_RECORD]) * all),
          *impulses = wbArena_Alloc(work->arena, sizeof(float[4]) * (size_t)count);
    double(*sums)[3] = wbArena_Alloc(work->arena, sizeof *sums * (size_t)blocks);
    if (!records || !impulses || !sums)
        return wbMemoryError(work->memory, "the wind on %d particles needs", pbd->count);
    const float half = 0.5f * dt;
    const wbDragCode *code = wbGetDragCode(work->simd);
    Records write = {pieces, pbd, {half * gravity.x, half * gravity.y, half * gravity.z}, records};
    wbDragPass pass = {.pieces = pieces, .wind = *wind, .dt = dt, .records = records, .impulses = impulses};
    wbAirPoints points;
    Gather sum = {pieces, pbd, impulses, acceleration, 1 / dt, sums, &points};
    memset(records + WB_DRAG_RECORD * (size_t)pbd->count, 0,
           sizeof(float[WB_DRAG_RECORD]) * (all - (size_t)pbd->count));
    wbParallelFor(work->pool, pbd->count, 4 * WB_BLOCK, writeRecords, &write);
    if (air) WB_TRY(readAir(air, &pass, &points, work));
    wbParallelFor(work->pool, pieces->triangleCount, 4 * WB_BLOCK, code->triangles, &pass);
    wbParallelFor(work->pool, pieces->segmentCount, 4 * WB_BLOCK, code->segments, &pass);
    wbParallelFor(work->pool, pbd->count, 4 * WB_BLOCK, gather, &sum);
    if (air && air->isPushed) {
        wbParallelFor(work->pool, points.count, 4 * WB_BLOCK, takeImpulses, &sum);
        wbAirPoints_Push(&points, air->smoke, wind->density, work);
    }
    for (int b = 0; b * WB_BLOCK < pbd->count; b++)
        for (int a = 0; a < 3; a++) given[a] += sums[b][a];
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
