// SPDX-License-Identifier: MIT
#include "sph/sph_gpu.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "sph/sph_boundary_gpu.h"
#include "sph/sph_device.h"
#include "sph/sph_model.h"

extern const char wb_clSphConstants[], wb_clSphDevice[], wb_clSphFormula[], wb_clSph[];

// What is sorted; the velocities of the step's start only during leapfrog.
enum { X, Y, Z, VX, VY, VZ, ID, DENSITY, MOVED, START_VX = MOVED, START_VY, START_VZ, SORTED };
// Results of an evaluation; leapfrog keeps the pressures of the step before.
enum { SUMS, PRESSURE, INVERSE_DENSITY, TERM, NEIGHBOURS, AX, AY, AZ, KEPT_PRESSURE, RESULTS };
// Surface normals, and those that are not smoothed yet.
enum { NX, NY, NZ, SMOOTHED, ROUGH = SMOOTHED, NORMALS = 2 * SMOOTHED };

// Summaries are few, and always the same number for a number of particles.
enum { MAX_SUMMARIES = 256 };

// Kernels of one set of terms and one kind of grid.
typedef struct Kernels {
    bool built;
    wbGpuKernel *density, *pressure, *forces, *keep, *integrate;
    wbGpuKernel *normals, *smooth; // with surface tension only
} Kernels;

enum { HASHED = 1, WENDLAND = 2, ARTIFICIAL = 4, TAIT = 8, SURFACE = 16, VARIANTS = 32 };

struct wbSphGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuCells cells;
    Kernels variants[VARIANTS];
    wbGpuBuffer front[SORTED], back[SORTED], results[RESULTS], normals[NORMALS], summaries;
    wbSphWallGpu *walls;   // made when the first solid comes
    wbGpuBuffer before[3]; // positions before a drift, for a guard
    wbArray pulled;        // float: pressures on their way to the host
    float min[3], max[3];  // m, around the particles
    bool hostIsNewer, deviceIsNewer;
};

wbStatus wbCreateSphGpu(wbMemory *memory, wbGpu *gpu, wbSphGpu **result) {
    *result = NULL;
    wbSphGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory;
    device->gpu = gpu;
    device->hostIsNewer = true;
    device->pulled.elementSize = sizeof(float);
    wbStatus status = wbGpuCells_Init(&device->cells, memory, gpu);
    if (!wbIsOk(status)) {
        wbDestroySphGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

void wbDestroySphGpu(wbSphGpu *device) {
    if (!device) return;
    for (int k = 0; k < SORTED; k++) {
        wbGpuBuffer_Free(device->gpu, &device->front[k]);
        wbGpuBuffer_Free(device->gpu, &device->back[k]);
    }
    for (int k = 0; k < RESULTS; k++) wbGpuBuffer_Free(device->gpu, &device->results[k]);
    for (int k = 0; k < NORMALS; k++) wbGpuBuffer_Free(device->gpu, &device->normals[k]);
    wbGpuBuffer_Free(device->gpu, &device->summaries);
    for (int a = 0; a < 3; a++) wbGpuBuffer_Free(device->gpu, &device->before[a]);
    wbDestroySphWallGpu(device->walls);
    wbGpuCells_Free(&device->cells);
    wbArray_Free(device->memory, &device->pulled);
    wbFree(device->memory, device, sizeof *device);
}

void wbSphGpu_Invalidate(wbSphGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "particles were changed on the host before they were copied back");
    device->hostIsNewer = true;
}

static bool hasSurface(const wbSphModel *model) { return model->params.surfaceTension > 0; }

// Kernels are built when a set of parameters first needs them.
static wbStatus getKernels(wbSphGpu *device, const wbSphModel *model, bool hashed, Kernels **result) {
    const wbSphParams *p = &model->params;
    bool wendland = p->kernel == wb_kernelWendland, artificial = p->artificialViscosity > 0,
         tait = p->equation == wb_equationTait, surface = hasSurface(model);
    Kernels *k = *result =
        &device->variants[(hashed ? HASHED : 0) | (wendland ? WENDLAND : 0) | (artificial ? ARTIFICIAL : 0) |
                          (tait ? TAIT : 0) | (surface ? SURFACE : 0)];
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clSphConstants, wb_clSphFormula, wb_clSphDevice,
                                   wb_clSph};
    char options[96];
    snprintf(options, sizeof options, "-DHASHED=%d -DWENDLAND=%d -DARTIFICIAL=%d -DTAIT=%d -DSURFACE=%d",
             hashed, wendland, artificial, tait, surface);
    wbGpuProgramDef def = {"sph", sources, sizeof sources / sizeof sources[0], options};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_density", &k->density));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_pressure", &k->pressure));
    if (surface) WB_TRY(wbGpuProgram_GetKernel(program, "sph_normals", &k->normals));
    if (surface) WB_TRY(wbGpuProgram_GetKernel(program, "sph_smooth", &k->smooth));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_forces", &k->forces));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_keep", &k->keep));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_integrate", &k->integrate));
    k->built = true;
    return wb_okStatus;
}

// The host's columns, each with its buffer: those that are saved, then, without the pressure, the places that they are
// sorted into.
typedef struct Pair {
    void **host;
    wbGpuBuffer *buffer;
} Pair;
enum { SAVED = MOVED + 1 };
_Static_assert(SAVED + MOVED == WB_SPH_COLUMNS, "a column without a buffer");

static void listPairs(wbSphGpu *device, wbSph *sph, Pair pairs[WB_SPH_COLUMNS]) {
    wbColumn columns[WB_SPH_COLUMNS];
    wbSph_ListColumns(sph, columns);
    for (int c = 0; c < WB_SPH_COLUMNS; c++) {
        WB_ASSERT(columns[c].saved == (c < SAVED) && columns[c].elementSize == 4, "columns in another order");
        wbGpuBuffer *buffer = c == MOVED ? &device->results[PRESSURE] : &device->front[c % SAVED];
        pairs[c] = (Pair){columns[c].data, buffer};
    }
}

wbStatus wbSphGpu_Lose(wbSphGpu *device, wbStatus why) {
    device->deviceIsNewer = false, device->hostIsNewer = true;
    return wbError(wb_errorDevice, "%s", why.text);
}

wbSphGpuParts wbSphGpu_GetParts(wbSphGpu *device) {
    wbSphGpuParts parts = {.gpu = device->gpu,
                           .cells = &device->cells,
                           .pulled = &device->pulled,
                           .min = device->min,
                           .max = device->max};
    for (int k = 0; k < MOVED; k++) parts.kept[k] = &device->front[k], parts.spare[k] = &device->back[k];
    parts.kept[MOVED] = &device->results[PRESSURE], parts.spare[MOVED] = &device->results[SUMS];
    return parts;
}

static bool isLeapfrog(const wbSphModel *model) { return model->params.integrator == wb_integratorLeapfrog; }

// All room for particles before anything runs: a step that finds no memory for them has changed nothing.
static wbStatus reserve(wbSphGpu *device, const wbSphModel *model, int count) {
    static const char *const normals[NORMALS] = {"normal x",       "normal y",       "normal z",
                                                 "rough normal x", "rough normal y", "rough normal z"};
    static const char *const sorted[SORTED] = {"x",  "y",       "z",        "vx",       "vy",      "vz",
                                               "id", "density", "start vx", "start vy", "start vz"};
    static const char *const results[RESULTS] = {
        "sums", "pressure", "inverse density", "pressure term", "neighbours", "ax",
        "ay",   "az",       "kept pressure"};
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); // read by whole vectors
    bool leapfrog = isLeapfrog(model);
    for (int k = 0; k < (model->params.smoothNormals ? NORMALS : SMOOTHED) && hasSurface(model); k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->normals[k], normals[k], bytes));
    if (!wbArray_Reserve(device->memory, &device->pulled, count))
        return wbMemoryError(device->memory, "the pressures of %d particles need", count);
    for (int k = 0; k < (leapfrog ? SORTED : MOVED); k++) {
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->front[k], sorted[k], bytes));
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->back[k], sorted[k], bytes));
    }
    for (int k = 0; k < (leapfrog ? RESULTS : KEPT_PRESSURE); k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->results[k], results[k], bytes));
    return wbGpuBuffer_Reserve(device->gpu, &device->summaries, "summaries",
                               sizeof(SphSummary) * MAX_SUMMARIES);
}

static bool isGuarded(const wbSphSolids *solids) { return solids && solids->gpuGuard; }

// The same for solids.
static wbStatus reserveSolids(wbSphGpu *device, const wbSphModel *model, const wbSphSolids *solids,
                              const wbWork *work, int count) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING);
    if (!solids) return wb_okStatus;
    if (!device->walls) WB_TRY(wbCreateSphWallGpu(device->memory, device->gpu, &device->walls));
    WB_TRY(wbSphWallGpu_Reserve(device->walls, solids->boundary, model, work));
    for (int a = 0; a < 3 && isGuarded(solids); a++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->before[a], "positions before", bytes));
    return wb_okStatus;
}

static void findBounds(wbSphGpu *device, const wbSph *sph) {
    const float *columns[3] = {sph->x, sph->y, sph->z};
    for (int a = 0; a < 3; a++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (int i = 0; i < sph->count; i++)
            low = fminf(low, columns[a][i]), high = fmaxf(high, columns[a][i]);
        device->min[a] = low, device->max[a] = high;
    }
}

static wbStatus push(wbSphGpu *device, wbSph *sph) {
    Pair pairs[WB_SPH_COLUMNS];
    listPairs(device, sph, pairs);
    for (int k = 0; k < SAVED; k++) {
        wbStatus status = wbGpu_Upload(device->gpu, pairs[k].buffer, *pairs[k].host, 4 * (size_t)sph->count);
        if (!wbIsOk(status)) return wbSphGpu_Lose(device, status);
    }
    findBounds(device, sph);
    device->hostIsNewer = false;
    return wb_okStatus;
}

bool wbSphGpu_IsNewer(const wbSphGpu *device) { return device->deviceIsNewer; }

// First to other places, for what is there must stay whole until nothing can fail any more: those for sorting, and for
// the pressure, which is not sorted, an own one.
wbStatus wbSphGpu_Pull(wbSphGpu *device, wbSph *sph) {
    if (!device->deviceIsNewer) return wb_okStatus;
    size_t bytes = sizeof(float) * (size_t)sph->count;
    Pair pairs[WB_SPH_COLUMNS];
    listPairs(device, sph, pairs);
    for (int k = 0; k < SAVED; k++) {
        void *to = k < MOVED ? *pairs[SAVED + k].host : device->pulled.data;
        wbStatus status = wbGpu_Download(device->gpu, pairs[k].buffer, to, bytes);
        if (!wbIsOk(status)) return wbSphGpu_Lose(device, status);
    }
    for (int k = 0; k < MOVED; k++) {
        void *pulled = *pairs[SAVED + k].host;
        *pairs[SAVED + k].host = *pairs[k].host, *pairs[k].host = pulled;
    }
    memcpy(sph->pressure, device->pulled.data, bytes);
    device->deviceIsNewer = false;
    return wb_okStatus;
}

// What one step works with.
typedef struct Step {
    wbSphGpu *device;
    wbSph *sph;
    const wbSphModel *model;
    const wbSphSolids *solids; // NULL: none
    const wbWork *work;
    wbBoundaryTime time, forceTime; // how far the particles have drifted; when forces on bodies were found
    int count, items;               // an item has as many particles as REAL has lanes
    SpaceSides sides;
    bool inMiddle; // of leapfrog: the start's velocities are sorted along and kicked
    Kernels *kernels;
    bool isSorted; // once: `back` has the particles of before
    float beforeMin[3], beforeMax[3], beforeValues[3];
} Step;

static void keepBefore(Step *step) {
    const wbSph *sph = step->sph;
    const float values[3] = {sph->maxSpeed, sph->maxDensity, sph->sinceEvaluation};
    memcpy(step->beforeValues, values, sizeof values);
    memcpy(step->beforeMin, step->device->min, sizeof step->beforeMin);
    memcpy(step->beforeMax, step->device->max, sizeof step->beforeMax);
}

// After memory ran out, which it does only before particles are sorted: leapfrog's half step is in `front`, and what
// it started from still in `back`.
static void goBack(Step *step) {
    wbSphGpu *device = step->device;
    wbSph *sph = step->sph;
    for (int k = 0; k < MOVED && step->isSorted; k++) wbGpuBuffer_Swap(&device->front[k], &device->back[k]);
    if (isLeapfrog(step->model))
        wbGpuBuffer_Swap(&device->results[PRESSURE], &device->results[KEPT_PRESSURE]);
    sph->maxSpeed = step->beforeValues[0], sph->maxDensity = step->beforeValues[1];
    sph->sinceEvaluation = step->beforeValues[2];
    memcpy(device->min, step->beforeMin, sizeof step->beforeMin);
    memcpy(device->max, step->beforeMax, sizeof step->beforeMax);
}

// An image's velocity along a wall that does not slip: v' = 2 wall - v.
static SpaceSides getSides(const wbSphModel *model) {
    SpaceSides result = wbGetSpaceSides(&model->box, model->h);
    for (int s = 0; s < wb_sideCount; s++) {
        const wbSideDef *side = &model->domain.sides[s];
        const float wall[3] = {side->velocity.x, side->velocity.y, side->velocity.z};
        for (int a = 0; a < 3; a++)
            if (side->type == wb_sideNoSlip && a != s / 2)
                result.sides[s].velocitySign[a] = -1, result.sides[s].velocityOffset[a] = 2 * wall[a];
    }
    return result;
}

static bool hasWalls(const Step *step) {
    return step->solids && wbBoundary_GetCount(step->solids->boundary) > 0;
}

static wbSphWater getWater(const Step *step) {
    const wbGpuBuffer *front = step->device->front, *results = step->device->results;
    return (wbSphWater){.count = step->count,
                        .items = step->items,
                        .model = step->model,
                        .cells = &step->device->cells,
                        .x = &front[X],
                        .y = &front[Y],
                        .z = &front[Z],
                        .vx = &front[VX],
                        .vy = &front[VY],
                        .vz = &front[VZ],
                        .inverseDensity = &results[INVERSE_DENSITY],
                        .term = &results[TERM]};
}

// Before particles are sorted: it may fail.
static wbStatus placeSolids(Step *step) {
    if (!hasWalls(step)) return wb_okStatus;
    wbGpu_SetPhase(step->device->gpu, wb_sph_walls);
    return wbSphWallGpu_Place(step->device->walls, step->work, step->time);
}

static wbStatus sortParticles(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->front;
    wbGpuPoints points = {&front[X], &front[Y], &front[Z], step->count, {0}, {0}};
    memcpy(points.min, device->min, sizeof points.min);
    memcpy(points.max, device->max, sizeof points.max);
    wbGpu_SetPhase(device->gpu, wb_sph_sort);
    WB_TRY(wbGpuCells_Sort(&device->cells, &points, step->model->h, step->model->dimensions));
    // before anything is moved: it may fail
    WB_TRY(getKernels(device, step->model, device->cells.grid.hashed, &step->kernels));
    if (hasWalls(step)) WB_TRY(wbSphWallGpu_Build(device->walls, step->model, &device->cells));
    WB_TRY(wbGpuCells_Reorder(&device->cells, step->count, front, device->back,
                              step->inMiddle ? SORTED : MOVED));
    step->isSorted = true;
    return wb_okStatus;
}

// Neighbours, density and pressure. No images are made of what walls mirror: phase `walls` is that of solids.
static wbStatus sumDensity(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->front, *results = device->results;
    const SphConstants *constants = &step->model->constants;
    float sinceEvaluation = step->sph->sinceEvaluation;
    wbGpu_SetPhase(device->gpu, wb_sph_neighbours);
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->density, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants),
                                 WB_GPU_STRUCT(device->cells.cells), WB_GPU_STRUCT(step->sides),
                                 WB_GPU_BUFFER(device->cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                                 WB_GPU_BUFFER(results[SUMS]), WB_GPU_BUFFER(results[NEIGHBOURS]))));
    if (hasWalls(step)) {
        wbSphWater water = getWater(step);
        wbGpu_SetPhase(device->gpu, wb_sph_walls);
        WB_TRY(wbSphWallGpu_AddDensity(device->walls, &water, &results[SUMS]));
        wbGpu_SetPhase(device->gpu, wb_sph_neighbours);
    }
    return wbGpu_Run(device->gpu, step->kernels->pressure, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants),
                                 WB_GPU_FLOAT(sinceEvaluation > 0 ? 1 / sinceEvaluation : 0),
                                 WB_GPU_BUFFER(results[SUMS]), WB_GPU_BUFFER(front[DENSITY]),
                                 WB_GPU_BUFFER(results[PRESSURE]), WB_GPU_BUFFER(results[INVERSE_DENSITY]),
                                 WB_GPU_BUFFER(results[TERM])));
}

// n_i = h sum m/rho_j grad W, and once more smoothed if that is wanted.
static wbStatus sumNormals(Step *step) {
    wbSphGpu *device = step->device;
    bool smooth = step->model->params.smoothNormals;
    wbGpuBuffer *front = device->front, *results = device->results, *n = device->normals,
                *rough = n + (smooth ? ROUGH : 0);
    if (!hasSurface(step->model)) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_sph_normals);
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->normals, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->model->constants),
                                 WB_GPU_STRUCT(device->cells.cells), WB_GPU_STRUCT(step->sides),
                                 WB_GPU_BUFFER(device->cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                                 WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(rough[NX]),
                                 WB_GPU_BUFFER(rough[NY]), WB_GPU_BUFFER(rough[NZ]))));
    if (hasWalls(step)) {
        wbSphWater water = getWater(step);
        WB_TRY(wbSphWallGpu_AddNormals(device->walls, &water, rough));
    }
    if (!smooth) return wb_okStatus;
    return wbGpu_Run(device->gpu, step->kernels->smooth, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->model->constants),
                                 WB_GPU_STRUCT(device->cells.cells), WB_GPU_STRUCT(step->sides),
                                 WB_GPU_BUFFER(device->cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                                 WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(rough[NX]),
                                 WB_GPU_BUFFER(rough[NY]), WB_GPU_BUFFER(rough[NZ]), WB_GPU_BUFFER(n[NX]),
                                 WB_GPU_BUFFER(n[NY]), WB_GPU_BUFFER(n[NZ])));
}

static wbStatus sumForces(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->front, *results = device->results, *n = device->normals;
    wbGpu_SetPhase(device->gpu, wb_sph_forces);
    if (hasSurface(step->model))
        return wbGpu_Run(device->gpu, step->kernels->forces, step->items,
                         WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->model->constants),
                                     WB_GPU_STRUCT(device->cells.cells), WB_GPU_STRUCT(step->sides),
                                     WB_GPU_BUFFER(device->cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                     WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                                     WB_GPU_BUFFER(front[VX]), WB_GPU_BUFFER(front[VY]),
                                     WB_GPU_BUFFER(front[VZ]), WB_GPU_BUFFER(results[INVERSE_DENSITY]),
                                     WB_GPU_BUFFER(results[TERM]), WB_GPU_BUFFER(n[NX]), WB_GPU_BUFFER(n[NY]),
                                     WB_GPU_BUFFER(n[NZ]), WB_GPU_BUFFER(results[AX]),
                                     WB_GPU_BUFFER(results[AY]), WB_GPU_BUFFER(results[AZ])));
    return wbGpu_Run(device->gpu, step->kernels->forces, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->model->constants),
                                 WB_GPU_STRUCT(device->cells.cells), WB_GPU_STRUCT(step->sides),
                                 WB_GPU_BUFFER(device->cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]), WB_GPU_BUFFER(front[VX]),
                                 WB_GPU_BUFFER(front[VY]), WB_GPU_BUFFER(front[VZ]),
                                 WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(results[TERM]),
                                 WB_GPU_BUFFER(results[AX]), WB_GPU_BUFFER(results[AY]),
                                 WB_GPU_BUFFER(results[AZ])));
}

// What solids add to the accelerations; in a step's last evaluation also the forces on them.
static wbStatus addSolids(Step *step) {
    wbSphGpu *device = step->device;
    if (!hasWalls(step)) return wb_okStatus;
    wbSphWater water = getWater(step);
    WB_TRY(wbSphWallGpu_AddForces(device->walls, &water, &device->results[AX]));
    if (isLeapfrog(step->model) && !step->inMiddle) return wb_okStatus;
    step->forceTime = step->time;
    return wbSphWallGpu_FindForces(device->walls, &water);
}

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    WB_TRY(placeSolids(step));
    WB_TRY(sortParticles(step));
    WB_TRY(sumDensity(step)); // rho_i = sum m W
    WB_TRY(sumNormals(step));
    WB_TRY(sumForces(step)); // pressure, viscosity, surface tension
    return addSolids(step);
}

static void takeSummaries(Step *step, const SphSummary *summaries, int count) {
    wbSph *sph = step->sph;
    wbSphGpu *device = step->device;
    float speed2 = 0, density = 0;
    int64_t neighbours = 0;
    sph->sums = (wbSphSums){0};
    for (int a = 0; a < 3; a++) device->min[a] = FLT_MAX, device->max[a] = -FLT_MAX;
    for (int g = 0; g < count; g++) {
        const SphSummary *s = &summaries[g];
        speed2 = fmaxf(speed2, s->maxSpeed2), density = fmaxf(density, s->maxDensity);
        sph->sums.speed2 += s->speed2, sph->sums.fall += s->fall;
        sph->sums.broken += s->broken;
        neighbours += (int64_t)((uint64_t)s->neighbours[1] << 32 | s->neighbours[0]);
        for (int a = 0; a < 3; a++) {
            device->min[a] = fminf(device->min[a], s->min[a]);
            device->max[a] = fmaxf(device->max[a], s->max[a]);
        }
    }
    sph->neighbours.pairs = neighbours - step->count;
    sph->maxSpeed = sqrtf(speed2), sph->maxDensity = density;
}

// What the guards of wbSph_Step look at; they name a particle, so it must be at hand.
static wbStatus checkHealth(Step *step) {
    wbSph *sph = step->sph;
    bool isBroken = sph->sums.broken > 0, isClumped = !wbIsOk(wbSph_CheckPairs(sph, step->model));
    if (!isBroken && !isClumped) return wb_okStatus;
    WB_TRY(wbSphGpu_Pull(step->device, sph));
    return isBroken ? wbSph_FailByBroken(sph) : wbSph_CheckPairs(sph, step->model);
}

static wbStatus keepPositions(Step *step) {
    wbSphGpu *device = step->device;
    for (int a = 0; a < 3 && isGuarded(step->solids); a++)
        WB_TRY(wbGpu_Copy(device->gpu, &device->front[X + a], &device->before[a],
                          sizeof(float) * (size_t)step->count));
    return wb_okStatus;
}

// The last line of solids: what went through a surface is put back.
static wbStatus guardSolids(Step *step, wbBoundaryTime to) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->front, *before = device->before;
    wbSphGpuDrift drift = {.count = step->count,
                           .before = {&before[0], &before[1], &before[2]},
                           .position = {&front[X], &front[Y], &front[Z]},
                           .velocity = {&front[VX], &front[VY], &front[VZ]},
                           .from = step->time,
                           .to = to};
    step->time = to;
    return isGuarded(step->solids) ? step->solids->gpuGuard(&drift, step->solids->guardContext) : wb_okStatus;
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the walls and the solids.
static wbStatus integrate(Step *step, float kick, float drift, bool driftsAfterKick, wbBoundaryTime to) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->front, *results = device->results;
    SphMove move = wbSphModel_GetMove(step->model, kick, drift, driftsAfterKick);
    int start = step->inMiddle ? START_VX : VX, groups = (step->items + SUMMARY_GROUP - 1) / SUMMARY_GROUP;
    if (groups > MAX_SUMMARIES) groups = MAX_SUMMARIES;
    wbGpu_SetPhase(device->gpu, wb_sph_integrate);
    WB_TRY(keepPositions(step));
    WB_TRY(wbGpu_RunGroups(
        device->gpu, step->kernels->integrate, groups, SUMMARY_GROUP,
        WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(move), WB_GPU_BUFFER(front[X]),
                    WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]), WB_GPU_BUFFER(front[VX]),
                    WB_GPU_BUFFER(front[VY]), WB_GPU_BUFFER(front[VZ]), WB_GPU_BUFFER(front[start]),
                    WB_GPU_BUFFER(front[start + 1]), WB_GPU_BUFFER(front[start + 2]),
                    WB_GPU_BUFFER(results[AX]), WB_GPU_BUFFER(results[AY]), WB_GPU_BUFFER(results[AZ]),
                    WB_GPU_BUFFER(front[DENSITY]), WB_GPU_BUFFER(results[NEIGHBOURS]),
                    WB_GPU_BUFFER(device->summaries))));
    step->sph->sinceEvaluation = drift;
    WB_TRY(guardSolids(step, to));
    SphSummary summaries[MAX_SUMMARIES];
    WB_TRY(wbGpu_Download(device->gpu, &device->summaries, summaries, sizeof(SphSummary) * (size_t)groups));
    takeSummaries(step, summaries, groups);
    return checkHealth(step);
}

static wbStatus keepStart(Step *step) {
    wbGpuBuffer *front = step->device->front;
    step->inMiddle = true;
    return wbGpu_Run(step->device->gpu, step->kernels->keep, step->count,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_BUFFER(front[VX]), WB_GPU_BUFFER(front[VY]),
                                 WB_GPU_BUFFER(front[VZ]), WB_GPU_BUFFER(front[START_VX]),
                                 WB_GPU_BUFFER(front[START_VY]), WB_GPU_BUFFER(front[START_VZ])));
}

// See wbSph_Step for the scheme.
static wbStatus leapfrog(Step *step, float dt) {
    wbGpuBuffer *results = step->device->results;
    wbGpuBuffer_Swap(&results[PRESSURE], &results[KEPT_PRESSURE]);
    WB_TRY(evaluate(step));
    WB_TRY(keepStart(step));
    WB_TRY(integrate(step, 0.5f * dt, 0.5f * dt, false, wb_atMiddle));
    WB_TRY(evaluate(step));
    return integrate(step, dt, 0.5f * dt, true, wb_atEnd);
}

static wbStatus run(Step *step, float dt) {
    if (isLeapfrog(step->model)) return leapfrog(step, dt);
    WB_TRY(evaluate(step));
    return integrate(step, dt, dt, step->model->params.integrator == wb_integratorSymplectic, wb_atEnd);
}

wbStatus wbSphGpu_Step(wbSphGpu *device, wbSph *sph, const wbSphModel *model, const wbSphSolids *solids,
                       const wbWork *work, float dt) {
    int lanes = wbGpu_GetLanes(device->gpu);
    Step step = {.device = device,
                 .sph = sph,
                 .model = model,
                 .solids = solids,
                 .work = work,
                 .count = sph->count,
                 .items = (sph->count + lanes - 1) / lanes,
                 .sides = getSides(model)};
    memset(sph->ms, 0, sizeof sph->ms);
    if (sph->count == 0) {
        if (solids) wbBoundary_ClearForces(solids->boundary);
        return wb_okStatus;
    }
    if (device->hostIsNewer) WB_TRY(wbSph_CheckStart(sph, model, work));
    WB_TRY(reserve(device, model, sph->count));
    WB_TRY(reserveSolids(device, model, solids, work, sph->count));
    if (device->hostIsNewer) WB_TRY(push(device, sph));
    keepBefore(&step);

    bool wasNewer = device->deviceIsNewer;
    device->deviceIsNewer = true;
    wbStatus status = run(&step, dt);
    if (wbIsOk(status)) status = wbGpu_TakeTimes(device->gpu, sph->ms, wb_sphPhaseCount);
    if (wbIsOk(status) && hasWalls(&step)) wbSphWallGpu_TakeForces(device->walls, step.forceTime);
    if (wbIsOk(status) || status.code == wb_errorUnstable) return status;
    if (!wbIsOk(wbGpu_Finish(device->gpu))) return wbSphGpu_Lose(device, status);
    goBack(&step);
    device->deviceIsNewer = wasNewer;
    return status;
}
