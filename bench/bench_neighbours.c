// SPDX-License-Identifier: MIT
// The neighbour search alone: each repeat starts from the scene's unsorted positions and keeps nothing.
#include "bench/bench_case.h"
#include "bench/case_work.h"
#include "core/hash.h"
#include "core/status.h"
#include "core/timer.h"
#include "space/neighbours.h"
#include "wirbel/scene.h"

enum { stageCount = 3 };
static const char *const stageNames[stageCount] = {"sort", "reorder", "lists"};

typedef struct Search {
    wbWork work;
    wbGrid grid;
    wbNeighbours neighbours;
    wbPoints points; // as the scene has them
    float *coordinates, *sorted[3];
    int *order;
    size_t bytes; // of one array
    float radius;
    int dimensions;
} Search;

static wbStatus outOfMemory(int count) {
    return wbError(wb_errorMemory, "no memory to search the neighbours of %d particles", count);
}

static wbStatus allocate(Search *search, int count) {
    wbMemory *memory = search->work.memory;
    search->bytes = sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING);
    search->coordinates = wbAllocZero(memory, 3 * search->bytes);
    search->order = wbAlloc(memory, search->bytes);
    bool complete = search->coordinates != NULL && search->order != NULL;
    for (int k = 0; k < 3; k++) {
        search->sorted[k] = wbAllocZero(memory, search->bytes);
        complete &= search->sorted[k] != NULL;
    }
    if (!complete) return outOfMemory(count);
    float *x = search->coordinates;
    size_t length = search->bytes / sizeof(float);
    search->points = (wbPoints){x, x + length, x + 2 * length, count};
    return wb_okStatus;
}

static wbStatus copyPositions(Search *search, wbWorld *world, wbFluidId fluid) {
    int count = wbFluid_GetParticleCount(world, fluid);
    size_t length = search->bytes / sizeof(float), bytes = 3 * sizeof(float) * (size_t)count;
    float *positions = wbAlloc(NULL, bytes);
    if (positions == NULL) return outOfMemory(count);
    wbStatus status = wbFluid_CopyById(world, fluid, positions, NULL);
    for (int i = 0; i < 3 * count && wbIsOk(status); i++) {
        search->coordinates[(size_t)(i % 3) * length + (size_t)(i / 3)] = positions[i];
    }
    wbFree(NULL, positions, bytes);
    return status;
}

static wbStatus createSearch(Search *search, const wbBenchOptions *options) {
    wbGrid_Init(&search->grid);
    wbNeighbours_Init(&search->neighbours);
    return wbCreateCaseWork(options->threadCount, options->simd, &search->work);
}

static void destroySearch(Search *search) {
    wbMemory *memory = search->work.memory;
    if (memory == NULL) return;
    wbNeighbours_Free(memory, &search->neighbours);
    wbGrid_Free(memory, &search->grid);
    for (int k = 0; k < 3; k++) wbFree(memory, search->sorted[k], search->bytes);
    wbFree(memory, search->order, search->bytes);
    wbFree(memory, search->coordinates, 3 * search->bytes);
    wbDestroyCaseWork(&search->work);
}

static wbStatus loadPositions(Search *search, const wbBenchCase *benchCase, const wbBenchOptions *options) {
    wbWorld *world;
    char path[1024];
    WB_TRY(wbGetBenchScene(benchCase, options, path, sizeof path));
    WB_TRY(wbLoadScene(path, &world));
    wbFluidId fluid = wbWorld_GetFluid(world, 0);
    search->radius = (float)wbFluid_GetSupportRadius(world, fluid);
    search->dimensions = wbWorld_GetWorldParams(world)->dimensions;
    wbStatus status = allocate(search, wbFluid_GetParticleCount(world, fluid));
    if (wbIsOk(status)) status = copyPositions(search, world, fluid);
    wbDestroyWorld(world);
    return status;
}

static wbStatus repeat(Search *search, wbBenchStage stages[stageCount]) {
    const wbWork *work = &search->work;
    const wbPoints *p = &search->points;
    float **sorted = search->sorted;
    wbArena_Reset(work->arena);
    double mark = wbGetSeconds();
    WB_TRY(
        wbGrid_Sort(&search->grid, work, *p, search->radius, search->dimensions, wb_gridAuto, search->order));
    stages[0].ms = wbLapMs(&mark);
    const wbMove moves[] = {{p->x, sorted[0]}, {p->y, sorted[1]}, {p->z, sorted[2]}};
    wbReorder(work, search->order, p->count, moves, 3);
    stages[1].ms = wbLapMs(&mark);
    wbPointSet own = {.points = {sorted[0], sorted[1], sorted[2], p->count}, .grid = &search->grid};
    WB_TRY(wbNeighbours_Build(&search->neighbours, work, &own, NULL, p->count));
    stages[2].ms = wbLapMs(&mark);
    return wb_okStatus;
}

static wbStatus timeRepeats(Search *search, const wbBenchCase *benchCase, const wbBenchOptions *options,
                            wbBenchTimes *times) {
    wbBenchStage stages[stageCount];
    for (int i = 0; i < benchCase->warmUp; i++) WB_TRY(repeat(search, stages));
    while (times->count < times->capacity && !wbIsBenchStopped(options)) {
        double mark = wbGetSeconds();
        WB_TRY(repeat(search, stages));
        wbBenchTimes_Add(times, wbLapMs(&mark), stages, stageCount);
    }
    return wb_okStatus;
}

static uint64_t hashLists(const Search *search) {
    uint64_t hash = WB_HASH_START;
    for (int group = 0; group * WB_GROUP < search->points.count; group++) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&search->neighbours, group, &rowCount);
        hash = wbHashBytes(hash, rows, sizeof(int) * WB_GROUP * (size_t)rowCount);
    }
    return hash;
}

static void describe(const Search *search, wbBenchResult *result) {
    result->simd = search->work.simd;
    result->threads = wbThreadPool_GetCount(search->work.pool);
    result->dimensions = search->dimensions;
    result->particles = search->points.count;
    result->pairs = search->neighbours.pairs;
    result->bytes = wbGetMemoryUse(search->work.memory).peakBytes;
    result->hash = hashLists(search);
    for (int k = 0; k < stageCount; k++) result->stages[k].name = stageNames[k];
}

wbStatus wbBenchNeighbours(const wbBenchCase *benchCase, const wbBenchOptions *options,
                           wbBenchResult *result) {
    if (options->backend != wb_backendCpu)
        return wbError(wb_errorInput, "%s runs on the cpu only: compute devices make no neighbour lists",
                       benchCase->name);
    Search search = {0};
    wbBenchTimes times = {0};
    wbStatus status = createSearch(&search, options);
    if (wbIsOk(status)) status = loadPositions(&search, benchCase, options);
    if (wbIsOk(status)) status = wbCreateBenchTimes(benchCase->timed, &times);
    if (wbIsOk(status)) status = timeRepeats(&search, benchCase, options, &times);
    if (wbIsOk(status)) {
        describe(&search, result);
        wbBenchTimes_Summarise(&times, result);
        result->stopped = wbIsBenchStopped(options);
    }
    wbDestroyBenchTimes(&times);
    destroySearch(&search);
    return status;
}
