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

// What is sorted beside the particles' columns: the velocities of the step's start, during leapfrog.
enum { X = wb_columnX, Y, Z, VX, VY, VZ, ID, DENSITY = wb_columnDensity, START_VX = WB_SORTED_COLUMNS };
// Of which fluid particles are, where that matters, and the runs of ids that tell it.
enum { RELATIVE, ROOT, RUN_FIRST, RUN_RELATIVE, MIXTURE };
// Results of an evaluation; leapfrog keeps the pressures of the step before.
enum { SUMS, INVERSE_DENSITY, TERM, NEIGHBOURS, AX, AY, AZ, KEPT_PRESSURE, RESULTS };
// Surface normals, and those that are not smoothed yet.
enum { NX, NY, NZ, SMOOTHED, ROUGH = SMOOTHED, NORMALS = 2 * SMOOTHED };

// Summaries are few, and always the same number for a number of particles.
enum { MAX_SUMMARIES = 256 };

// Kernels of one set of terms and one kind of grid.
typedef struct Kernels {
    bool built;
    wbGpuKernel *density, *pressure, *forces, *keep, *integrate;
    wbGpuKernel *normals, *smooth; // with surface tension only
    wbGpuKernel *mix;              // with fluids of different density only
} Kernels;

enum { HASHED = 1, WENDLAND = 2, ARTIFICIAL = 4, TAIT = 8, SURFACE = 16, MIXED = 32, VARIANTS = 64 };

struct wbSphGpu {
    wbParticlesGpu particles;
    wbMemory *memory;
    wbGpu *gpu;
    Kernels variants[VARIANTS];
    wbGpuBuffer results[RESULTS], normals[NORMALS], mixture[MIXTURE], summaries;
    wbSphBoundaryGpu *walls; // made when the first collider comes
    wbGpuBuffer before[3];   // positions before a drift, for a collision
};

wbStatus wbCreateSphGpu(wbMemory *memory, wbGpu *gpu, wbSphGpu **result) {
    *result = NULL;
    wbSphGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory;
    device->gpu = gpu;
    wbStatus status = wbParticlesGpu_Init(&device->particles, memory, gpu, &device->results[SUMS]);
    if (!wbIsOk(status)) {
        wbDestroySphGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

void wbDestroySphGpu(wbSphGpu *device) {
    if (!device) return;
    wbParticlesGpu_Free(&device->particles);
    for (int k = 0; k < RESULTS; k++) wbGpuBuffer_Free(device->gpu, &device->results[k]);
    for (int k = 0; k < NORMALS; k++) wbGpuBuffer_Free(device->gpu, &device->normals[k]);
    for (int k = 0; k < MIXTURE; k++) wbGpuBuffer_Free(device->gpu, &device->mixture[k]);
    wbGpuBuffer_Free(device->gpu, &device->summaries);
    for (int a = 0; a < 3; a++) wbGpuBuffer_Free(device->gpu, &device->before[a]);
    wbDestroySphBoundaryGpu(device->walls);
    wbFree(device->memory, device, sizeof *device);
}

wbParticlesGpu *wbSphGpu_GetParticles(wbSphGpu *device) { return &device->particles; }

static bool hasSurface(const wbSphModel *model) { return model->params.surfaceTension > 0; }

// Kernels are built when a set of parameters first needs them.
static wbStatus getKernels(wbSphGpu *device, const wbSphModel *model, bool hashed, bool mixed,
                           Kernels **result) {
    const wbSphParams *p = &model->params;
    bool wendland = p->kernel == wb_kernelWendland, artificial = p->artificialViscosity > 0,
         tait = p->equation == wb_equationTait, surface = hasSurface(model);
    Kernels *k = *result =
        &device->variants[(hashed ? HASHED : 0) | (wendland ? WENDLAND : 0) | (artificial ? ARTIFICIAL : 0) |
                          (tait ? TAIT : 0) | (surface ? SURFACE : 0) | (mixed ? MIXED : 0)];
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clSphConstants, wb_clSphFormula, wb_clSphDevice,
                                   wb_clSph};
    char options[112];
    snprintf(options, sizeof options,
             "-DHASHED=%d -DWENDLAND=%d -DARTIFICIAL=%d -DTAIT=%d -DSURFACE=%d -DMIXED=%d", hashed, wendland,
             artificial, tait, surface, mixed);
    wbGpuProgramDef def = {"sph", sources, sizeof sources / sizeof sources[0], options};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_density", &k->density));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_pressure", &k->pressure));
    if (surface) WB_TRY(wbGpuProgram_GetKernel(program, "sph_normals", &k->normals));
    if (surface) WB_TRY(wbGpuProgram_GetKernel(program, "sph_smooth", &k->smooth));
    if (mixed) WB_TRY(wbGpuProgram_GetKernel(program, "sph_mix", &k->mix));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_forces", &k->forces));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_keep", &k->keep));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_integrate", &k->integrate));
    k->built = true;
    return wb_okStatus;
}

static bool isLeapfrog(const wbSphModel *model) { return model->params.integrator == wb_integratorLeapfrog; }

// All room for particles before anything runs: a step that finds no memory for them has changed nothing.
static wbStatus reserve(wbSphGpu *device, const wbSphModel *model, int count) {
    static const char *const normals[NORMALS] = {"normal x",       "normal y",       "normal z",
                                                 "rough normal x", "rough normal y", "rough normal z"};
    static const char *const start[WB_GPU_EXTRA] = {"start vx", "start vy", "start vz"};
    static const char *const results[RESULTS] = {
        "sums", "inverse density", "pressure term", "neighbours", "ax", "ay", "az", "kept pressure"};
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); // read by whole vectors
    bool leapfrog = isLeapfrog(model);
    for (int k = 0; k < (model->params.smoothNormals ? NORMALS : SMOOTHED) && hasSurface(model); k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->normals[k], normals[k], bytes));
    WB_TRY(wbParticlesGpu_Reserve(&device->particles, count, leapfrog ? start : NULL));
    for (int k = 0; k < (leapfrog ? RESULTS : KEPT_PRESSURE); k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->results[k], results[k], bytes));
    return wbGpuBuffer_Reserve(device->gpu, &device->summaries, "summaries",
                               sizeof(SphSummary) * MAX_SUMMARIES);
}

// The same for fluids of different density; their runs are few.
static wbStatus reserveMixture(wbSphGpu *device, const wbMixture *mixture, int count) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING),
           runBytes = sizeof(float) * (size_t)mixture->count;
    wbGpuBuffer *buffers = device->mixture;
    if (mixture->count == 0) return wb_okStatus;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[RELATIVE], "relative density", bytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[ROOT], "root of impedance", bytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[RUN_FIRST], "first ids of fluids", runBytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[RUN_RELATIVE], "densities of fluids", runBytes));
    WB_TRY(wbGpu_Upload(device->gpu, &buffers[RUN_FIRST], mixture->first, runBytes));
    return wbGpu_Upload(device->gpu, &buffers[RUN_RELATIVE], mixture->relative, runBytes);
}

static bool hasCollision(const wbFluidColliders *colliders) { return colliders && colliders->collideGpu; }

// The same for colliders.
static wbStatus reserveColliders(wbSphGpu *device, const wbSphModel *model, const wbFluidColliders *colliders,
                                 const wbWork *work, int count) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING);
    if (!colliders) return wb_okStatus;
    if (!device->walls) WB_TRY(wbCreateSphBoundaryGpu(device->memory, device->gpu, &device->walls));
    WB_TRY(wbSphBoundaryGpu_Reserve(device->walls, colliders->boundary, model, work));
    for (int a = 0; a < 3 && hasCollision(colliders); a++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->before[a], "positions before", bytes));
    return wb_okStatus;
}

// What one step works with.
typedef struct Step {
    wbSphGpu *device;
    wbSph *sph;
    const wbSphModel *model;
    const wbFluidColliders *colliders; // NULL: none
    const wbWork *work;
    wbBoundaryTime time, forceTime; // how far the particles have drifted; when forces on bodies were found
    int count, items;               // an item has as many particles as REAL has lanes
    SpaceSearch search;
    bool inMiddle; // of leapfrog: the start's velocities are sorted along and kicked
    Kernels *kernels;
    bool isSorted; // once: `back` has the particles of before
    float beforeMin[3], beforeMax[3], beforeValues[3];
} Step;

static void keepBefore(Step *step) {
    const wbSph *sph = step->sph;
    const float values[3] = {sph->particles.maxSpeed, sph->particles.maxDensity, sph->sinceEvaluation};
    memcpy(step->beforeValues, values, sizeof values);
    memcpy(step->beforeMin, step->device->particles.min, sizeof step->beforeMin);
    memcpy(step->beforeMax, step->device->particles.max, sizeof step->beforeMax);
}

// After memory ran out, which it does only before particles are sorted: leapfrog's half step is in `front`, and what
// it started from still in `back`.
static void goBack(Step *step) {
    wbSphGpu *device = step->device;
    wbSph *sph = step->sph;
    for (int k = 0; k < WB_SORTED_COLUMNS && step->isSorted; k++)
        wbGpuBuffer_Swap(&device->particles.front[k], &device->particles.back[k]);
    if (isLeapfrog(step->model))
        wbGpuBuffer_Swap(&device->particles.pressure, &device->results[KEPT_PRESSURE]);
    sph->particles.maxSpeed = step->beforeValues[0], sph->particles.maxDensity = step->beforeValues[1];
    sph->sinceEvaluation = step->beforeValues[2];
    memcpy(device->particles.min, step->beforeMin, sizeof step->beforeMin);
    memcpy(device->particles.max, step->beforeMax, sizeof step->beforeMax);
}

// A ghost's velocity along a wall that does not slip: v' = 2 wall - v.
static SpaceSides getSides(const wbSphModel *model) {
    SpaceSides result = wbGetSpaceSides(model->domain, model->h);
    for (int s = 0; s < wb_sideCount; s++) {
        const float *side = model->domain->velocity[s];
        for (int a = 0; a < 3; a++)
            if (model->domain->types[s] == wb_sideNoSlip && a != s / 2)
                result.sides[s].velocitySign[a] = -1, result.sides[s].velocityOffset[a] = 2 * side[a];
    }
    return result;
}

static bool hasWalls(const Step *step) {
    return step->colliders && wbBoundary_GetCount(step->colliders->boundary) > 0;
}

static bool isMixed(const Step *step) { return step->sph->mixture.count > 0; }

// What kernels get that do not look at it: any buffer.
static wbGpuBuffer *getMixture(const Step *step, int which) {
    return isMixed(step) ? &step->device->mixture[which] : &step->device->results[TERM];
}

static wbSphWater getWater(const Step *step) {
    const wbGpuBuffer *front = step->device->particles.front, *results = step->device->results;
    return (wbSphWater){.count = step->count,
                        .items = step->items,
                        .model = step->model,
                        .cells = &step->device->particles.cells,
                        .search = &step->search,
                        .x = &front[X],
                        .y = &front[Y],
                        .z = &front[Z],
                        .vx = &front[VX],
                        .vy = &front[VY],
                        .vz = &front[VZ],
                        .inverseDensity = &results[INVERSE_DENSITY],
                        .term = &results[TERM],
                        .root = getMixture(step, ROOT)};
}

// Before particles are sorted: it may fail.
static wbStatus placeColliders(Step *step) {
    if (!hasWalls(step)) return wb_okStatus;
    wbGpu_SetPhase(step->device->gpu, wb_sph_walls);
    return wbSphBoundaryGpu_Place(step->device->walls, step->work, step->time);
}

static wbStatus sortParticles(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front;
    wbGpuPoints points = {&front[X], &front[Y], &front[Z], step->count, {0}, {0}};
    memcpy(points.min, device->particles.min, sizeof points.min);
    memcpy(points.max, device->particles.max, sizeof points.max);
    wbGpu_SetPhase(device->gpu, wb_sph_sort);
    WB_TRY(
        wbGpuCells_Sort(&device->particles.cells, &points, step->model->h, step->model->domain->dimensions));
    // before anything is moved: it may fail
    WB_TRY(
        getKernels(device, step->model, device->particles.cells.grid.hashed, isMixed(step), &step->kernels));
    if (hasWalls(step))
        WB_TRY(wbSphBoundaryGpu_Build(device->walls, step->model, &device->particles.cells, isMixed(step)));
    WB_TRY(wbGpuCells_Reorder(&device->particles.cells, step->count, front, device->particles.back,
                              step->inMiddle ? WB_GPU_SORTED : WB_SORTED_COLUMNS));
    step->isSorted = true;
    step->search.cells = device->particles.cells.cells;
    return wb_okStatus;
}

// In the order that particles have now.
static wbStatus mixFluids(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *m = device->mixture;
    if (!isMixed(step)) return wb_okStatus;
    return wbGpu_Run(device->gpu, step->kernels->mix, step->count,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_INT(step->sph->mixture.count),
                                 WB_GPU_BUFFER(m[RUN_FIRST]), WB_GPU_BUFFER(m[RUN_RELATIVE]),
                                 WB_GPU_BUFFER(device->particles.front[ID]), WB_GPU_BUFFER(m[RELATIVE]),
                                 WB_GPU_BUFFER(m[ROOT])));
}

// Neighbours, density and pressure. No ghosts are made of what walls mirror: phase `walls` is that of colliders.
static wbStatus sumDensity(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *results = device->results;
    const SphConstants *constants = &step->model->constants;
    float sinceEvaluation = step->sph->sinceEvaluation;
    wbGpu_SetPhase(device->gpu, wb_sph_neighbours);
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->density, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->search),
                                 WB_GPU_BUFFER(device->particles.cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]), WB_GPU_STRUCT(*constants),
                                 WB_GPU_BUFFER(results[SUMS]), WB_GPU_BUFFER(results[NEIGHBOURS]))));
    if (hasWalls(step)) {
        wbSphWater water = getWater(step);
        wbGpu_SetPhase(device->gpu, wb_sph_walls);
        WB_TRY(wbSphBoundaryGpu_AddDensity(device->walls, &water, &results[SUMS]));
        wbGpu_SetPhase(device->gpu, wb_sph_neighbours);
    }
    return wbGpu_Run(device->gpu, step->kernels->pressure, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants),
                                 WB_GPU_FLOAT(sinceEvaluation > 0 ? 1 / sinceEvaluation : 0),
                                 WB_GPU_BUFFER(results[SUMS]), WB_GPU_BUFFER(front[DENSITY]),
                                 WB_GPU_BUFFER(device->particles.pressure),
                                 WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(results[TERM]),
                                 WB_GPU_BUFFER(*getMixture(step, ROOT))));
}

// n_i = h sum m/rho_j grad W, and once more smoothed if that is wanted.
static wbStatus sumNormals(Step *step) {
    wbSphGpu *device = step->device;
    bool smooth = step->model->params.smoothNormals;
    wbGpuBuffer *front = device->particles.front, *results = device->results, *n = device->normals,
                *rough = n + (smooth ? ROUGH : 0);
    if (!hasSurface(step->model)) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_sph_normals);
    WB_TRY(
        wbGpu_Run(device->gpu, step->kernels->normals, step->items,
                  WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->search),
                              WB_GPU_BUFFER(device->particles.cells.bucketStart), WB_GPU_BUFFER(front[X]),
                              WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                              WB_GPU_STRUCT(step->model->constants), WB_GPU_BUFFER(results[INVERSE_DENSITY]),
                              WB_GPU_BUFFER(rough[NX]), WB_GPU_BUFFER(rough[NY]), WB_GPU_BUFFER(rough[NZ]))));
    if (hasWalls(step)) {
        wbSphWater water = getWater(step);
        WB_TRY(wbSphBoundaryGpu_AddNormals(device->walls, &water, rough));
    }
    if (!smooth) return wb_okStatus;
    return wbGpu_Run(device->gpu, step->kernels->smooth, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->search),
                                 WB_GPU_BUFFER(device->particles.cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                                 WB_GPU_STRUCT(step->model->constants),
                                 WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(rough[NX]),
                                 WB_GPU_BUFFER(rough[NY]), WB_GPU_BUFFER(rough[NZ]), WB_GPU_BUFFER(n[NX]),
                                 WB_GPU_BUFFER(n[NY]), WB_GPU_BUFFER(n[NZ])));
}

static wbStatus sumForces(Step *step) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *results = device->results, *n = device->normals;
    wbGpu_SetPhase(device->gpu, wb_sph_forces);
    if (hasSurface(step->model))
        return wbGpu_Run(
            device->gpu, step->kernels->forces, step->items,
            WB_GPU_ARGS(
                WB_GPU_INT(step->count), WB_GPU_STRUCT(step->search),
                WB_GPU_BUFFER(device->particles.cells.bucketStart), WB_GPU_BUFFER(front[X]),
                WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]), WB_GPU_STRUCT(step->model->constants),
                WB_GPU_BUFFER(front[VX]), WB_GPU_BUFFER(front[VY]), WB_GPU_BUFFER(front[VZ]),
                WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(results[TERM]), WB_GPU_BUFFER(n[NX]),
                WB_GPU_BUFFER(n[NY]), WB_GPU_BUFFER(n[NZ]), WB_GPU_BUFFER(*getMixture(step, ROOT)),
                WB_GPU_BUFFER(results[AX]), WB_GPU_BUFFER(results[AY]), WB_GPU_BUFFER(results[AZ])));
    return wbGpu_Run(device->gpu, step->kernels->forces, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->search),
                                 WB_GPU_BUFFER(device->particles.cells.bucketStart), WB_GPU_BUFFER(front[X]),
                                 WB_GPU_BUFFER(front[Y]), WB_GPU_BUFFER(front[Z]),
                                 WB_GPU_STRUCT(step->model->constants), WB_GPU_BUFFER(front[VX]),
                                 WB_GPU_BUFFER(front[VY]), WB_GPU_BUFFER(front[VZ]),
                                 WB_GPU_BUFFER(results[INVERSE_DENSITY]), WB_GPU_BUFFER(results[TERM]),
                                 WB_GPU_BUFFER(*getMixture(step, ROOT)), WB_GPU_BUFFER(results[AX]),
                                 WB_GPU_BUFFER(results[AY]), WB_GPU_BUFFER(results[AZ])));
}

// What colliders add to the accelerations; in a step's last evaluation also the forces on them.
static wbStatus addColliders(Step *step) {
    wbSphGpu *device = step->device;
    if (!hasWalls(step)) return wb_okStatus;
    wbSphWater water = getWater(step);
    WB_TRY(wbSphBoundaryGpu_AddForces(device->walls, &water, &device->results[AX]));
    if (isLeapfrog(step->model) && !step->inMiddle) return wb_okStatus;
    step->forceTime = step->time;
    return wbSphBoundaryGpu_FindForces(device->walls, &water);
}

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    WB_TRY(placeColliders(step));
    WB_TRY(sortParticles(step));
    WB_TRY(mixFluids(step));
    WB_TRY(sumDensity(step)); // rho_i = sum m W
    WB_TRY(sumNormals(step));
    WB_TRY(sumForces(step)); // pressure, viscosity, surface tension
    return addColliders(step);
}

static void takeSummaries(Step *step, const SphSummary *summaries, int count) {
    wbSph *sph = step->sph;
    wbSphGpu *device = step->device;
    float speed2 = 0, density = 0;
    int64_t neighbours = 0;
    sph->sums = (wbSphSums){0};
    for (int a = 0; a < 3; a++) device->particles.min[a] = FLT_MAX, device->particles.max[a] = -FLT_MAX;
    for (int g = 0; g < count; g++) {
        const SphSummary *s = &summaries[g];
        speed2 = fmaxf(speed2, s->maxSpeed2), density = fmaxf(density, s->maxDensity);
        sph->sums.speed2 += s->speed2, sph->sums.fall += s->fall;
        sph->sums.broken += s->broken;
        neighbours += (int64_t)((uint64_t)s->neighbours[1] << 32 | s->neighbours[0]);
        for (int a = 0; a < 3; a++) {
            device->particles.min[a] = fminf(device->particles.min[a], s->min[a]);
            device->particles.max[a] = fmaxf(device->particles.max[a], s->max[a]);
        }
    }
    sph->search.neighbours.pairs = neighbours - step->count;
    sph->particles.maxSpeed = sqrtf(speed2), sph->particles.maxDensity = density;
}

// What the guards of wbSph_Step look at; they name a particle, so it must be at hand.
static wbStatus checkHealth(Step *step) {
    wbSph *sph = step->sph;
    bool isBroken = sph->sums.broken > 0, isClumped = !wbIsOk(wbSph_CheckPairs(sph, step->model));
    if (!isBroken && !isClumped) return wb_okStatus;
    WB_TRY(wbParticlesGpu_Pull(&step->device->particles, &sph->particles));
    return isBroken ? wbParticles_FailByBroken(&sph->particles) : wbSph_CheckPairs(sph, step->model);
}

static wbStatus keepPositions(Step *step) {
    wbSphGpu *device = step->device;
    for (int a = 0; a < 3 && hasCollision(step->colliders); a++)
        WB_TRY(wbGpu_Copy(device->gpu, &device->particles.front[X + a], &device->before[a],
                          sizeof(float) * (size_t)step->count));
    return wb_okStatus;
}

// The last line of colliders: what went through a surface is put back.
static wbStatus collideColliders(Step *step, wbBoundaryTime to) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *before = device->before;
    wbGpuDrift drift = {.count = step->count,
                        .before = {&before[0], &before[1], &before[2]},
                        .position = {&front[X], &front[Y], &front[Z]},
                        .velocity = {&front[VX], &front[VY], &front[VZ]},
                        .from = step->time,
                        .to = to};
    step->time = to;
    return hasCollision(step->colliders) ? step->colliders->collideGpu(&drift, step->colliders->context)
                                         : wb_okStatus;
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the walls and the colliders.
static wbStatus integrate(Step *step, float kick, float drift, bool driftsAfterKick, wbBoundaryTime to) {
    wbSphGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *results = device->results;
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
                    WB_GPU_BUFFER(*getMixture(step, RELATIVE)), WB_GPU_BUFFER(device->summaries))));
    step->sph->sinceEvaluation = drift;
    WB_TRY(collideColliders(step, to));
    SphSummary summaries[MAX_SUMMARIES];
    WB_TRY(wbGpu_Download(device->gpu, &device->summaries, summaries, sizeof(SphSummary) * (size_t)groups));
    takeSummaries(step, summaries, groups);
    return checkHealth(step);
}

static wbStatus keepStart(Step *step) {
    wbGpuBuffer *front = step->device->particles.front;
    step->inMiddle = true;
    return wbGpu_Run(step->device->gpu, step->kernels->keep, step->count,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_BUFFER(front[VX]), WB_GPU_BUFFER(front[VY]),
                                 WB_GPU_BUFFER(front[VZ]), WB_GPU_BUFFER(front[START_VX]),
                                 WB_GPU_BUFFER(front[START_VX + 1]), WB_GPU_BUFFER(front[START_VX + 2])));
}

// See wbSph_Step for the scheme.
static wbStatus leapfrog(Step *step, float dt) {
    wbGpuBuffer_Swap(&step->device->particles.pressure, &step->device->results[KEPT_PRESSURE]);
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

wbStatus wbSphGpu_Step(wbSphGpu *device, wbSph *sph, const wbSphModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt) {
    int lanes = wbGpu_GetLanes(device->gpu);
    Step step = {.device = device,
                 .sph = sph,
                 .model = model,
                 .colliders = colliders,
                 .work = work,
                 .count = sph->particles.count,
                 .items = (sph->particles.count + lanes - 1) / lanes,
                 .search.sides = getSides(model)};
    memset(sph->ms, 0, sizeof sph->ms);
    if (sph->particles.count == 0) {
        if (colliders) wbBoundary_ClearForces(colliders->boundary);
        return wb_okStatus;
    }
    if (device->particles.hostIsNewer) WB_TRY(wbSph_CheckStart(sph, model, work));
    WB_TRY(reserve(device, model, sph->particles.count));
    WB_TRY(reserveColliders(device, model, colliders, work, sph->particles.count));
    WB_TRY(reserveMixture(device, &sph->mixture, sph->particles.count));
    WB_TRY(wbParticlesGpu_Push(&device->particles, &sph->particles));
    keepBefore(&step);

    bool wasNewer = device->particles.deviceIsNewer;
    device->particles.deviceIsNewer = true;
    wbStatus status = run(&step, dt);
    if (wbIsOk(status)) status = wbGpu_TakeTimes(device->gpu, sph->ms, wb_sphPhaseCount);
    if (wbIsOk(status) && hasWalls(&step)) wbSphBoundaryGpu_TakeForces(device->walls, step.forceTime);
    if (wbIsOk(status) || status.code == wb_errorUnstable) return status;
    if (!wbIsOk(wbGpu_Finish(device->gpu))) return wbParticlesGpu_Discard(&device->particles, status);
    goBack(&step);
    device->particles.deviceIsNewer = wasNewer;
    return status;
}
