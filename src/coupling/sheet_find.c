// SPDX-License-Identifier: MIT
// What of sheets is near a fluid's particles. Sixteen elements in the order in which they were listed, and sixteen particles in the order of
// cells, are near each other as a rule: particles look first at the boxes of the former, together. No grid has to be laid, and what is far
// away or goes fast costs no other anything.
#include "core/status.h"
#include "coupling/sheet_code.h"
#include "coupling/sheet_place.h"

static wbStatus failByMemory(const wbWork *work, const wbSheets *sheets) {
    return wbMemoryError(work->memory, "%d triangles and balls in a fluid need", sheets->elementCount);
}

static void findNormals(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSheets *sheets = context;
    for (int e = begin; e < end; e++) {
        wbVec3d corners[3];
        wbSheets_GetCorners(sheets, e, false, corners);
        sheets->startNormals[e] = wbFindTriangleNormal(corners);
    }
}

int wbSheets_FindSide(const wbSheets *sheets, int element, const float *start) {
    wbVec3d corners[3];
    wbSheets_GetCorners(sheets, element, false, corners);
    const wbVec3d away = wbSub3d((wbVec3d){start[0], start[1], start[2]}, corners[0]);
    return wbDot3d(sheets->startNormals[element], away) > 0 ? 1 : -1;
}

// For the boxes and the elements that a cluster of particles lists.
static bool allocate(wbSheetPass *pass, const wbWork *work) {
    wbSheets *sheets = pass->sheets;
    const int threads = wbThreadPool_GetCount(work->pool);
    const size_t elements = (size_t)wbPadCount(sheets->elementCount) + WB_PADDING,
                 clusters = (size_t)wbPadCount(pass->clusterCount) + WB_PADDING;
    bool isAll = true;
    sheets->scratches = wbArena_Alloc(work->arena, sizeof *sheets->scratches * (size_t)threads);
    if (!sheets->scratches) return false;
    for (int t = 0; t < threads; t++) {
        wbSheetScratch *scratch = &sheets->scratches[t];
        isAll = isAll && (scratch->listed = wbArena_Alloc(work->arena, sizeof(int) * elements));
        for (int c = 0; c < WB_SHEET_BOUNDS; c++)
            isAll = isAll && (scratch->bounds[c] = wbArena_Alloc(work->arena, sizeof(float) * elements));
    }
    for (int c = 0; c < WB_SHEET_BOUNDS; c++) {
        isAll = isAll && (pass->bounds[c] = wbArena_Alloc(work->arena, sizeof(float) * elements));
        isAll = isAll && (pass->clusters[c] = wbArena_Alloc(work->arena, sizeof(float) * clusters));
    }
    sheets->nearOf = wbArena_Alloc(work->arena, sizeof(int) * (size_t)pass->swarm->count);
    pass->counts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)pass->swarm->count);
    return isAll && sheets->nearOf && pass->counts;
}

// For so many slots of a particle.
static bool allocateSlots(wbSheets *sheets, int most, const wbWork *work) {
    const size_t count = (size_t)wbPadCount(most) + WB_PADDING;
    bool isAll = true;
    for (int t = 0; t < wbThreadPool_GetCount(work->pool); t++) {
        wbSheetScratch *scratch = &sheets->scratches[t];
        scratch->packed = wbArena_Alloc(work->arena, sizeof(int) * count);
        scratch->margins = wbArena_Alloc(work->arena, sizeof(float) * count);
        scratch->radii = wbArena_Alloc(work->arena, sizeof(float) * count);
        scratch->idle = wbArena_Alloc(work->arena, sizeof(int) * count);
        scratch->idleSides = wbArena_Alloc(work->arena, sizeof(float) * count);
        scratch->candidates = wbArena_Alloc(work->arena, sizeof *scratch->candidates * count);
        isAll = isAll && scratch->packed && scratch->margins && scratch->radii && scratch->idle &&
                scratch->idleSides && scratch->candidates;
    }
    return isAll;
}

// Room for as many slots as there are boxes, in whole vectors and one more.
static int64_t countRoom(int boxes) { return (int64_t)wbPadCount(boxes) + WB_PADDING; }

static wbStatus listNear(const wbSheetPass *pass, const wbWork *work) {
    wbSheets *sheets = pass->sheets;
    const int count = pass->swarm->count;
    int64_t slots = 0;
    int most = 0;
    for (int i = 0; i < count; i++) {
        const int boxes = pass->counts[i];
        sheets->nearOf[i] = boxes > 0 ? sheets->nearCount++ : -1;
        slots += boxes > 0 ? countRoom(boxes) : 0;
        most = boxes > most ? boxes : most;
    }
    if (slots > INT32_MAX) return failByMemory(work, sheets);
    const size_t joined = (size_t)sheets->nearCount + (size_t)sheets->nodeCount + 1;
    sheets->near = wbArena_Alloc(work->arena, sizeof *sheets->near * ((size_t)sheets->nearCount + 1));
    sheets->slotElements = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)slots + 1));
    sheets->slotSides = wbArena_Alloc(work->arena, sizeof(float) * ((size_t)slots + 1));
    sheets->zone = wbArena_Alloc(work->arena, sizeof(int) * joined);
    sheets->zoneWays = wbArena_Alloc(work->arena, sizeof *sheets->zoneWays * joined);
    sheets->zoneMasses = wbArena_Alloc(work->arena, sizeof(double[2]) * joined);
    if (!sheets->near || !sheets->slotElements || !sheets->slotSides || !sheets->zone || !sheets->zoneWays ||
        !sheets->zoneMasses || !allocateSlots(sheets, most, work))
        return failByMemory(work, sheets);
    for (int i = 0, first = 0; i < count; i++) {
        if (sheets->nearOf[i] < 0) continue;
        sheets->near[sheets->nearOf[i]] = (wbNearSheet){.particle = i, .firstSlot = first, .hit = -1};
        first += (int)countRoom(pass->counts[i]);
    }
    return wb_okStatus;
}

// What is nearest may be a foot. Sides of the domain do not make particles small, nor does what lies on them.
typedef struct ApproachTask {
    const wbSheets *sheets;
    const wbSheetSwarm *swarm;
    float *distances;
} ApproachTask;

static float findDistance(const wbSheets *sheets, int element, wbVec3d from) {
    wbVec3d corners[3];
    double weights[3];
    wbSheets_GetCorners(sheets, element, true, corners);
    (void)wbFindClosestOnTriangle(corners, from, weights);
    const wbVec3d away = wbSub3d(from, wbCombineCorners(corners, weights));
    return (float)sqrt(wbDot3d(away, away)) - wbSheets_GetElement(sheets, element)->radius;
}

static void approachRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const ApproachTask *task = context;
    for (int n = begin; n < end; n++) {
        const wbNearSheet *near = &task->sheets->near[n];
        const wbVec3d from = wbGetSheetRecord(task->swarm->places, near->particle);
        float *distance = &task->distances[near->particle];
        for (int k = near->firstSlot; k < near->firstSlot + near->activeCount; k++) {
            const int element = task->sheets->slotElements[k];
            if (!task->sheets->areLying[element])
                *distance = fminf(*distance, findDistance(task->sheets, element, from));
        }
    }
}

void wbSheets_Approach(const wbSheets *sheets, const wbSheetSwarm *swarm, float *distances,
                       const wbWork *work) {
    ApproachTask task = {sheets, swarm, distances};
    if (sheets->elementCount > 0)
        wbParallelFor(work->pool, sheets->nearCount, WB_BLOCK, approachRange, &task);
}

wbStatus wbSheets_Find(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work) {
    const wbSheetFindCode *code = wbGetSheetFindCode(work->simd);
    wbSheetPass pass = {.sheets = sheets,
                        .swarm = swarm,
                        .clusterCount = (sheets->elementCount + WB_SHEET_CLUSTER - 1) / WB_SHEET_CLUSTER,
                        .reach = swarm->h + 0.5f * swarm->spacing,
                        .slack = WB_SHEET_SLACK * swarm->spacing};
    sheets->nearCount = 0;
    if (sheets->elementCount == 0) return wb_okStatus;
    sheets->moment = swarm->isAtStart ? 0 : 1;
    wbSheetTable_Make(&sheets->tables[swarm->kernel], swarm->kernel, swarm->h / swarm->spacing);
    if (!wbSheets_Lay(sheets, work) || !wbSheets_MarkRims(sheets, swarm, work) || !allocate(&pass, work))
        return failByMemory(work, sheets);
    wbSheets_Shape(sheets, 0, work), wbSheets_Shape(sheets, 1, work);
    wbSheets_KeepFound(sheets);
    wbParallelFor(work->pool, sheets->elementCount, WB_BLOCK, findNormals, sheets);
    wbParallelFor(work->pool, pass.clusterCount, WB_BLOCK, code->bound, &pass);
    wbParallelShare(work->pool, swarm->count, WB_BLOCK, code->count, &pass);
    WB_TRY(listNear(&pass, work));
    wbParallelShare(work->pool, swarm->count, WB_BLOCK, code->fill, &pass);
    if (sheets->hasClosed) wbSheets_KeepFronts(sheets, work);
    return wb_okStatus;
}
