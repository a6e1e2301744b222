// SPDX-License-Identifier: MIT
#include "pbd/pbf_gpu.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_depth.h"
#include "pbd/pbf_device.h"
#include "pbd/pbf_solver_gpu.h"

extern const char wb_clPbfColumns[], wb_clPbfConstants[], wb_clPbfDevice[], wb_clPbfFormula[], wb_clPbf[];

// Predicted positions are sorted along with the particles' columns.
enum {
    X = wb_columnX,
    VX = wb_columnVx,
    ID = wb_columnId,
    DENSITY = wb_columnDensity,
    PX = WB_SORTED_COLUMNS
};
// Of which fluid particles are, where that matters, the lowest density near them, and the runs of ids that tell it.
enum { RELATIVE, LOWEST, RUN_FIRST, RUN_RELATIVE, MIXTURE };
// Present positions and where they are corrected to, where velocities are smoothed to, spins; what the constraints have moved
// particles by, from MX on; and the rest.
enum {
    QX,
    QY,
    QZ,
    NX,
    NY,
    NZ,
    NVX,
    NVY,
    NVZ,
    SX,
    SY,
    SZ,
    SPIN,
    MX,
    MY,
    MZ,
    LAMBDA,
    INVERSE,
    NEIGHBOURS,
    SPARE
};
enum { OTHERS = SPARE + 1 };
enum { WALLS = 5, SCRATCH = NVX, BEFORE = 3 };

// Summaries are few, and always the same number for a number of particles.
enum { MAX_SUMMARIES = 256 };

typedef struct Kernels {
    bool built;
    wbGpuKernel *predict, *countColumns, *findDeepest, *begin, *solve, *correct, *finish, *smooth, *turn;
    wbGpuKernel *mix, *findLowest; // with fluids of different density only
    wbPbfSweepKernels sweep;       // by constraints: built when they are asked for
} Kernels;

struct wbPbfGpu {
    wbParticlesGpu particles;
    wbMemory *memory;
    wbGpu *gpu;
    Kernels variants[2][2]; // dense, hashed; of one density, of several
    wbGpuBuffer others[OTHERS], mixture[MIXTURE], summaries;
    wbGpuBuffer slots;                  // of columns, and the count of the fullest
    wbPbfBoundaryGpu *colliders;        // made when the first collider comes
    wbGpuBuffer walls[WALLS];           // what colliders add: gradient, density, squared gradients
    wbGpuBuffer before[BEFORE];         // positions before a drift, for a collision
    wbGpuBuffer kept[WB_SAVED_COLUMNS]; // of the step's start, for a later sub-step that fails
};

wbStatus wbCreatePbfGpu(wbMemory *memory, wbGpu *gpu, wbPbfGpu **result) {
    *result = NULL;
    wbPbfGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory;
    device->gpu = gpu;
    wbStatus status = wbParticlesGpu_Init(&device->particles, memory, gpu, &device->others[SPARE]);
    if (!wbIsOk(status)) {
        wbDestroyPbfGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

void wbDestroyPbfGpu(wbPbfGpu *device) {
    if (!device) return;
    wbParticlesGpu_Free(&device->particles);
    for (int k = 0; k < OTHERS; k++) wbGpuBuffer_Free(device->gpu, &device->others[k]);
    for (int k = 0; k < MIXTURE; k++) wbGpuBuffer_Free(device->gpu, &device->mixture[k]);
    wbGpuBuffer_Free(device->gpu, &device->summaries);
    wbGpuBuffer_Free(device->gpu, &device->slots);
    for (int k = 0; k < WALLS; k++) wbGpuBuffer_Free(device->gpu, &device->walls[k]);
    for (int k = 0; k < BEFORE; k++) wbGpuBuffer_Free(device->gpu, &device->before[k]);
    for (int k = 0; k < WB_SAVED_COLUMNS; k++) wbGpuBuffer_Free(device->gpu, &device->kept[k]);
    wbDestroyPbfBoundaryGpu(device->colliders);
    wbFree(device->memory, device, sizeof *device);
}

wbParticlesGpu *wbPbfGpu_GetParticles(wbPbfGpu *device) { return &device->particles; }

static wbStatus getKernels(wbPbfGpu *device, bool hashed, bool mixed, Kernels **result) {
    Kernels *k = *result = &device->variants[hashed][mixed];
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clPbfColumns, wb_clPbfConstants,
                                   wb_clPbfFormula,       wb_clPbfDevice,  wb_clPbf};
    char options[32];
    snprintf(options, sizeof options, "-DHASHED=%d -DMIXED=%d", hashed, mixed);
    wbGpuProgramDef def = {"pbf", sources, sizeof sources / sizeof sources[0], options};
    const wbGpuKernelName kernels[] = {{"pbf_predict", &k->predict},
                                       {"pbf_count_columns", &k->countColumns},
                                       {"pbf_find_deepest", &k->findDeepest},
                                       {"pbf_begin", &k->begin},
                                       {"pbf_solve", &k->solve},
                                       {"pbf_correct", &k->correct},
                                       {"pbf_finish", &k->finish},
                                       {"pbf_smooth", &k->smooth},
                                       {"pbf_turn", &k->turn},
                                       {"pbf_mix", &k->mix},
                                       {"pbf_find_lowest", &k->findLowest}};
    const int all = (int)(sizeof kernels / sizeof kernels[0]);
    WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, mixed ? all : all - 2));
    k->built = true;
    return wb_okStatus;
}

static wbStatus reserveColliders(wbPbfGpu *device, const wbPbfModel *model, const wbFluidColliders *colliders,
                                 const wbWork *work, size_t bytes) {
    if (!device->colliders) WB_TRY(wbCreatePbfBoundaryGpu(device->memory, device->gpu, &device->colliders));
    WB_TRY(wbPbfBoundaryGpu_Reserve(device->colliders, colliders->boundary, model, work));
    for (int k = 0; k < WALLS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->walls[k], "sums of colliders", bytes));
    for (int a = 0; a < BEFORE && colliders->collideGpu; a++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->before[a], "positions before", bytes));
    return wb_okStatus;
}

// All room for particles before anything runs.
static wbStatus reserve(wbPbfGpu *device, const wbPbfModel *model, const wbFluidColliders *colliders,
                        const wbWork *work, int count, int subSteps) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); // read by whole vectors
    static const char *const predicted[WB_GPU_EXTRA] = {"predicted x", "predicted y", "predicted z"};
    WB_TRY(wbParticlesGpu_Reserve(&device->particles, count, predicted));
    for (int k = 0; k < OTHERS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->others[k], "velocities and densities", bytes));
    for (int k = 0; k < WB_SAVED_COLUMNS && subSteps > 1; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->kept[k], "the step's start", bytes));
    if (colliders) WB_TRY(reserveColliders(device, model, colliders, work, bytes));
    return wbGpuBuffer_Reserve(device->gpu, &device->summaries, "summaries",
                               sizeof(PbfSummary) * MAX_SUMMARIES);
}

// What one sub-step works with.
typedef struct Step {
    wbPbfGpu *device;
    wbPbf *pbf;
    const wbPbfModel *model;
    const wbFluidColliders *colliders; // NULL: none
    const wbWork *work;
    int count, items; // an item has as many particles as REAL has lanes
    SpaceSearch search;
    PbfMove move;
    Kernels *kernels;
} Step;

// What every kernel that searches begins with, after the count.
#define SEARCH_ARGS(device, step)                                                                            \
    WB_GPU_STRUCT((step)->search), WB_GPU_BUFFER((device)->particles.cells.bucketStart),                     \
        WB_GPU_BUFFER((device)->particles.front[PX]), WB_GPU_BUFFER((device)->particles.front[PX + 1]),      \
        WB_GPU_BUFFER((device)->particles.front[PX + 2])
#define THREE_BUFFERS(buffers, first)                                                                        \
    WB_GPU_BUFFER((buffers)[first]), WB_GPU_BUFFER((buffers)[(first) + 1]),                                  \
        WB_GPU_BUFFER((buffers)[(first) + 2])

static bool isMixed(const Step *step) { return step->pbf->mixture.count > 0; }

// Any buffer, where it is not read.
static wbGpuBuffer *getMixture(const Step *step, int which) {
    return isMixed(step) ? &step->device->mixture[which] : &step->device->particles.front[ID];
}

static bool hasWalls(const Step *step) {
    return step->colliders && wbBoundary_GetCount(step->colliders->boundary) > 0;
}

static wbPbfSwarm getSwarm(const Step *step) {
    wbPbfGpu *device = step->device;
    return (wbPbfSwarm){.count = step->count,
                        .items = step->items,
                        .model = step->model,
                        .rate = step->move.rate,
                        .cells = &device->particles.cells,
                        .search = &step->search,
                        .predicted = &device->particles.front[PX],
                        .places = &device->others[QX],
                        .lambda = &device->others[LAMBDA],
                        .relative = getMixture(step, RELATIVE),
                        .velocities = &device->particles.front[VX],
                        .walls = device->walls,
                        .scratch = &device->others[SCRATCH]};
}

// Of which fluid the particles are, in their order of now.
static wbStatus mixFluids(Step *step, const Kernels *kernels) {
    wbGpuBuffer *m = step->device->mixture;
    if (!isMixed(step)) return wb_okStatus;
    return wbGpu_Run(step->device->gpu, kernels->mix, step->count,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_INT(step->pbf->mixture.count),
                                 WB_GPU_BUFFER(m[RUN_FIRST]), WB_GPU_BUFFER(m[RUN_RELATIVE]),
                                 WB_GPU_BUFFER(step->device->particles.front[ID]),
                                 WB_GPU_BUFFER(m[RELATIVE])));
}

static wbStatus findLowest(Step *step) {
    wbPbfGpu *device = step->device;
    if (!isMixed(step)) return wb_okStatus;
    WB_TRY(mixFluids(step, step->kernels));
    return wbGpu_Run(
        device->gpu, step->kernels->findLowest, step->items,
        WB_GPU_ARGS(WB_GPU_INT(step->count), SEARCH_ARGS(device, step), WB_GPU_STRUCT(step->model->constants),
                    WB_GPU_BUFFER(device->mixture[RELATIVE]), WB_GPU_BUFFER(device->mixture[LOWEST])));
}

static wbStatus sortPredicted(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front;
    wbGpu_SetPhase(device->gpu, wb_pbf_sort);
    Kernels *any;
    WB_TRY(getKernels(device, false, isMixed(step), &any));
    WB_TRY(wbGpu_Run(device->gpu, any->predict, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->move), THREE_BUFFERS(front, X),
                                 THREE_BUFFERS(front, VX), THREE_BUFFERS(front, PX))));
    wbGpuPoints points = {&front[PX], &front[PX + 1], &front[PX + 2], step->count, {0}, {0}};
    memcpy(points.min, device->particles.min, sizeof points.min);
    memcpy(points.max, device->particles.max, sizeof points.max);
    WB_TRY(
        wbGpuCells_Sort(&device->particles.cells, &points, step->model->h, step->model->domain->dimensions));
    // before anything is moved: it may fail
    const bool isHashed = device->particles.cells.grid.hashed;
    WB_TRY(getKernels(device, isHashed, isMixed(step), &step->kernels));
    if (step->model->params.solver != wb_pbdJacobiParticles)
        WB_TRY(wbPbfSweepGpu_Build(device->gpu, isHashed, isMixed(step), &step->kernels->sweep));
    if (hasWalls(step)) {
        WB_TRY(wbPbfBoundaryGpu_Place(device->colliders, step->work));
        WB_TRY(wbPbfBoundaryGpu_Build(device->colliders, &device->particles.cells, isMixed(step)));
    }
    step->search.cells = device->particles.cells.cells;
    return wbGpuCells_Reorder(&device->particles.cells, step->count, front, device->particles.back,
                              WB_GPU_SORTED);
}

// What the constraints begin with: the box has moved particles already.
static wbStatus beginDensity(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *others = device->others;
    WB_TRY(findLowest(step));
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->begin, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->move), THREE_BUFFERS(front, X),
                                 THREE_BUFFERS(front, VX), THREE_BUFFERS(others, MX))));
    WB_TRY(wbGpu_Fill(device->gpu, &others[LAMBDA], 0, 4 * (size_t)step->count));
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Copy(device->gpu, &device->particles.front[PX + a], &others[QX + a],
                          4 * (size_t)step->count));
    return wbGpu_Fill(device->gpu, &device->particles.pressure, 0, 4 * (size_t)step->count);
}

static wbStatus solveLambda(Step *step, wbGpuBuffer *walls) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *others = device->others;
    return wbGpu_Run(device->gpu, step->kernels->solve, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), SEARCH_ARGS(device, step),
                                 WB_GPU_STRUCT(step->model->constants), WB_GPU_STRUCT(step->move),
                                 THREE_BUFFERS(others, QX), WB_GPU_INT(hasWalls(step)),
                                 THREE_BUFFERS(walls, 0), WB_GPU_BUFFER(walls[3]), WB_GPU_BUFFER(walls[4]),
                                 WB_GPU_BUFFER(*getMixture(step, LOWEST)), WB_GPU_BUFFER(others[LAMBDA]),
                                 WB_GPU_BUFFER(front[DENSITY]), WB_GPU_BUFFER(device->particles.pressure),
                                 WB_GPU_BUFFER(others[NEIGHBOURS])));
}

static wbStatus correct(Step *step, wbGpuBuffer *walls) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *others = device->others;
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->correct, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), SEARCH_ARGS(device, step),
                                 WB_GPU_STRUCT(step->model->constants), WB_GPU_STRUCT(step->move),
                                 THREE_BUFFERS(others, QX), WB_GPU_INT(hasWalls(step)),
                                 THREE_BUFFERS(walls, 0), WB_GPU_BUFFER(*getMixture(step, RELATIVE)),
                                 WB_GPU_BUFFER(*getMixture(step, LOWEST)), WB_GPU_BUFFER(others[LAMBDA]),
                                 THREE_BUFFERS(front, X), THREE_BUFFERS(front, VX), THREE_BUFFERS(others, MX),
                                 THREE_BUFFERS(others, NX))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&others[QX + a], &others[NX + a]);
    return wb_okStatus;
}

// By constraints particles are moved where they are, and what they are to be moved by stands in NX.
static wbPbfSweepGpu getSweep(Step *step, wbGpuBuffer *walls) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *others = device->others;
    return (wbPbfSweepGpu){.gpu = device->gpu,
                           .kernels = &step->kernels->sweep,
                           .model = step->model,
                           .move = &step->move,
                           .cells = &device->particles.cells,
                           .search = &step->search,
                           .count = step->count,
                           .hasWalls = hasWalls(step),
                           .starts = &front[X],
                           .velocities = &front[VX],
                           .predicted = &front[PX],
                           .places = &others[QX],
                           .moved = &others[MX],
                           .pushes = &others[NX],
                           .walls = walls,
                           .relative = getMixture(step, RELATIVE),
                           .lowest = getMixture(step, LOWEST),
                           .lambda = &others[LAMBDA],
                           .density = &front[DENSITY],
                           .pressure = &device->particles.pressure,
                           .neighbours = &others[NEIGHBOURS]};
}

// What colliders add is of the places before a sweep, and so is what they are pushed by.
static wbStatus keepPlaces(Step *step) {
    wbGpuBuffer *others = step->device->others;
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Copy(step->device->gpu, &others[QX + a], &others[NVX + a], 4 * (size_t)step->count));
    return wb_okStatus;
}

// As in wbPbf_Step.
static wbStatus solveDensity(Step *step) {
    wbPbfGpu *device = step->device;
    const wbPbdSolver solver = step->model->params.solver;
    wbGpuBuffer *walls = hasWalls(step) ? device->walls : device->others; // any, if they are not read
    const wbPbfSwarm begun = getSwarm(step);
    wbPbfSwarm kept = begun;
    const wbPbfSweepGpu sweep = getSweep(step, walls);
    wbGpu_SetPhase(device->gpu, wb_pbf_density);
    kept.places = &device->others[NVX];
    WB_TRY(beginDensity(step));
    if (solver != wb_pbdJacobiParticles) WB_TRY(wbPbfSweepGpu_Begin(&sweep));
    for (int k = 0; k < step->model->params.iterations; k++) {
        wbPbfModel_SetIteration(step->model, k, &step->move);
        if (hasWalls(step)) WB_TRY(wbPbfBoundaryGpu_Add(device->colliders, &begun));
        if (solver == wb_pbdGaussSeidel) {
            if (hasWalls(step)) WB_TRY(keepPlaces(step));
            WB_TRY(wbPbfSweepGpu_Project(&sweep, k % 2 == 1));
        } else {
            WB_TRY(solveLambda(step, walls));
        }
        if (hasWalls(step))
            WB_TRY(
                wbPbfBoundaryGpu_AddForces(device->colliders, solver == wb_pbdGaussSeidel ? &kept : &begun));
        if (solver == wb_pbdJacobiConstraints) WB_TRY(wbPbfSweepGpu_Scatter(&sweep));
        if (solver == wb_pbdJacobiParticles) WB_TRY(correct(step, walls));
    }
    return wb_okStatus;
}

static void takeSummaries(Step *step, const PbfSummary *summaries, int count, int *broken) {
    wbPbfGpu *device = step->device;
    float speed2 = 0, density = 0;
    int64_t neighbours = 0;
    *broken = 0;
    for (int a = 0; a < 3; a++) device->particles.min[a] = FLT_MAX, device->particles.max[a] = -FLT_MAX;
    for (int g = 0; g < count; g++) {
        const PbfSummary *s = &summaries[g];
        speed2 = fmaxf(speed2, s->maxSpeed2), density = fmaxf(density, s->maxDensity);
        neighbours += (int64_t)((uint64_t)s->neighbours[1] << 32 | s->neighbours[0]);
        *broken += s->broken;
        for (int a = 0; a < 3; a++) {
            device->particles.min[a] = fminf(device->particles.min[a], s->min[a]);
            device->particles.max[a] = fmaxf(device->particles.max[a], s->max[a]);
        }
    }
    step->pbf->search.neighbours.pairs = neighbours - step->count;
    step->pbf->particles.maxSpeed = sqrtf(speed2),
    step->pbf->particles.maxDensity = density * step->model->params.restDensity;
}

// What the guards of wbPbf_Step look at; they name a particle, so it must be at hand.
static wbStatus checkHealth(Step *step, int broken) {
    wbParticles *p = &step->pbf->particles;
    double neighbours = (double)step->pbf->search.neighbours.pairs / step->count;
    bool isClumped = wbAreClumped(step->model->params.smoothing, step->model->domain->dimensions, neighbours);
    if (broken == 0 && !isClumped) return wb_okStatus;
    WB_TRY(wbParticlesGpu_Pull(&step->device->particles, p));
    if (broken > 0) return wbParticles_FailByBroken(p);
    int densest = 0;
    for (int i = 1; i < p->count; i++)
        if (p->density[i] > p->density[densest]) densest = i;
    return wbParticles_FailByClump(p, neighbours, densest);
}

static wbStatus keepPositions(Step *step) {
    wbPbfGpu *device = step->device;
    for (int a = 0; a < BEFORE && step->colliders && step->colliders->collideGpu; a++)
        WB_TRY(wbGpu_Copy(device->gpu, &device->particles.front[X + a], &device->before[a],
                          4 * (size_t)step->count));
    return wb_okStatus;
}

// As in wbPbf_Step: what the collision takes from particles counts as a force.
static wbStatus collideColliders(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *before = device->before;
    wbGpuDrift drift = {.count = step->count,
                        .before = {&before[0], &before[1], &before[2]},
                        .position = {&front[X], &front[X + 1], &front[X + 2]},
                        .velocity = {&front[VX], &front[VX + 1], &front[VX + 2]},
                        .from = wb_atStart,
                        .to = wb_atEnd};
    const wbPbfSwarm swarm = getSwarm(step);
    wbGpuBuffer *velocities = &device->others[NVX];
    if (!step->colliders) return wb_okStatus;
    if (step->colliders->collideGpu) {
        for (int a = 0; a < 3; a++)
            WB_TRY(wbGpu_Copy(device->gpu, &front[VX + a], &velocities[a], 4 * (size_t)step->count));
        WB_TRY(step->colliders->collideGpu(&drift, step->colliders->context));
        if (hasWalls(step)) WB_TRY(wbPbfBoundaryGpu_AddCaught(device->colliders, &swarm, velocities));
    }
    if (!hasWalls(step)) return wb_okStatus;
    return wbPbfBoundaryGpu_TakeForces(device->colliders, 1.0 / step->pbf->subSteps);
}

static wbStatus stickToColliders(Step *step) {
    const wbPbfSwarm swarm = getSwarm(step);
    return hasWalls(step) ? wbPbfBoundaryGpu_Stick(step->device->colliders, &swarm) : wb_okStatus;
}

// v = (p - x) / dt, x = p
static wbStatus finish(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *others = device->others;
    int groups = (step->items + PBF_SUMMARY_GROUP - 1) / PBF_SUMMARY_GROUP, broken;
    if (groups > MAX_SUMMARIES) groups = MAX_SUMMARIES;
    wbGpu_SetPhase(device->gpu, wb_pbf_velocities);
    WB_TRY(keepPositions(step));
    WB_TRY(
        wbGpu_RunGroups(device->gpu, step->kernels->finish, groups, PBF_SUMMARY_GROUP,
                        WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->move),
                                    WB_GPU_FLOAT(step->model->params.restDensity), THREE_BUFFERS(front, X),
                                    THREE_BUFFERS(front, VX), THREE_BUFFERS(others, QX),
                                    THREE_BUFFERS(others, MX), WB_GPU_BUFFER(front[DENSITY]),
                                    WB_GPU_BUFFER(device->particles.pressure), WB_GPU_BUFFER(others[INVERSE]),
                                    WB_GPU_BUFFER(others[NEIGHBOURS]), WB_GPU_BUFFER(device->summaries))));
    PbfSummary summaries[MAX_SUMMARIES];
    WB_TRY(wbGpu_Download(device->gpu, &device->summaries, summaries, sizeof(PbfSummary) * (size_t)groups));
    takeSummaries(step, summaries, groups, &broken);
    return checkHealth(step, broken);
}

static wbStatus smoothVelocities(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->particles.front, *others = device->others;
    const wbPbfParams *p = &step->model->params;
    const PbfConstants *constants = &step->model->constants;
    if (p->viscosity <= 0 && p->vorticity <= 0) return wb_okStatus;
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->smooth, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), SEARCH_ARGS(device, step),
                                 WB_GPU_STRUCT(*constants), THREE_BUFFERS(others, QX),
                                 WB_GPU_BUFFER(*getMixture(step, RELATIVE)), WB_GPU_BUFFER(others[INVERSE]),
                                 THREE_BUFFERS(front, VX), THREE_BUFFERS(others, NVX),
                                 THREE_BUFFERS(others, SX), WB_GPU_BUFFER(others[SPIN]))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&front[VX + a], &others[NVX + a]);
    if (p->vorticity <= 0) return wb_okStatus;
    return wbGpu_Run(
        device->gpu, step->kernels->turn, step->items,
        WB_GPU_ARGS(WB_GPU_INT(step->count), SEARCH_ARGS(device, step), WB_GPU_STRUCT(*constants),
                    WB_GPU_STRUCT(step->move), THREE_BUFFERS(others, QX), WB_GPU_BUFFER(others[INVERSE]),
                    THREE_BUFFERS(others, SX), WB_GPU_BUFFER(others[SPIN]), THREE_BUFFERS(front, VX)));
}

// See wbPbf_Step for the scheme. No ghosts are made of what walls mirror, and no lists: phases `walls` and `neighbours`
// stay empty.
static wbStatus advance(Step *step, float dt) {
    step->move = wbPbf_BeginSubStep(step->pbf, step->model, dt);
    WB_TRY(sortPredicted(step));
    WB_TRY(solveDensity(step));
    WB_TRY(finish(step));
    WB_TRY(stickToColliders(step));
    WB_TRY(smoothVelocities(step));
    return collideColliders(step);
}

// Room for what is counted before it is known how many sub-steps there are.
static wbStatus reserveColumns(wbPbfGpu *device, const wbMixture *mixture, int count) {
    static const char *const predicted[WB_GPU_EXTRA] = {"predicted x", "predicted y", "predicted z"};
    WB_TRY(wbParticlesGpu_Reserve(&device->particles, count, predicted));
    return wbGpuBuffer_Reserve(
        device->gpu, &device->slots, "columns",
        sizeof(uint32_t) * ((size_t)wbCountDepthTables(mixture) * (size_t)wbCountDepthSlots(count) + 1));
}

static wbStatus reserveMixture(wbPbfGpu *device, const wbMixture *mixture, int count) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING),
           runBytes = sizeof(float) * (size_t)mixture->count;
    wbGpuBuffer *buffers = device->mixture;
    if (mixture->count == 0) return wb_okStatus;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[RELATIVE], "relative density", bytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[LOWEST], "lowest density", bytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[RUN_FIRST], "first ids of fluids", runBytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &buffers[RUN_RELATIVE], "densities of fluids", runBytes));
    WB_TRY(wbGpu_Upload(device->gpu, &buffers[RUN_FIRST], mixture->first, runBytes));
    return wbGpu_Upload(device->gpu, &buffers[RUN_RELATIVE], mixture->relative, runBytes);
}

// As wbFindPbfHead does it.
static wbStatus findHead(Step *step, double *head) {
    wbPbfGpu *device = step->device;
    const float gravity[3] = {step->model->domain->gravity.x, step->model->domain->gravity.y,
                              step->model->domain->gravity.z};
    int slots = wbCountDepthSlots(step->count);
    const wbMixture *mixture = &step->pbf->mixture;
    size_t bytes = sizeof(uint32_t) * ((size_t)wbCountDepthTables(mixture) * (size_t)slots + 1);
    Kernels *any;
    *head = 0;
    WB_TRY(getKernels(device, false, isMixed(step), &any));
    WB_TRY(mixFluids(step, any));
    for (int axis = 0; axis < step->model->domain->dimensions; axis++) {
        if (gravity[axis] == 0) continue;
        PbfColumns columns = wbPbfModel_GetColumns(step->model, mixture, axis, slots);
        uint32_t most;
        int axes[3];
        wbGetDepthAxes(axis, axes);
        WB_TRY(wbGpu_Fill(device->gpu, &device->slots, 0, bytes));
        for (int pass = 0; pass < 2; pass++)
            WB_TRY(wbGpu_Run(device->gpu, pass == 0 ? any->countColumns : any->findDeepest, step->count,
                             WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(columns),
                                         WB_GPU_BUFFER(device->particles.front[X + axes[0]]),
                                         WB_GPU_BUFFER(device->particles.front[X + axes[1]]),
                                         WB_GPU_BUFFER(device->particles.front[X + axes[2]]),
                                         WB_GPU_BUFFER(*getMixture(step, RELATIVE)),
                                         WB_GPU_BUFFER(device->slots))));
        WB_TRY(wbGpu_DownloadAt(device->gpu, &device->slots, bytes - sizeof most, &most, sizeof most));
        *head += fabs((double)gravity[axis]) * wbPbfModel_GetDepth(step->model, (int)most);
    }
    return wb_okStatus;
}

static wbStatus chooseSubSteps(Step *step, float dt) {
    double head;
    wbGpu_SetPhase(step->device->gpu, wb_pbf_sort);
    WB_TRY(findHead(step, &head));
    wbPbf_BeginStep(step->pbf, step->model, dt, head);
    return wb_okStatus;
}

// Where it starts, if a sub-step may be followed by one that fails without the device.
static wbStatus copyStart(Step *step, bool isBack) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *saved[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS];
    wbParticlesGpu_ListBuffers(&device->particles, saved, spare);
    for (int c = 0; c < WB_SAVED_COLUMNS && step->pbf->subSteps > 1; c++)
        WB_TRY(isBack ? wbGpu_Copy(device->gpu, &device->kept[c], saved[c], 4 * (size_t)step->count)
                      : wbGpu_Copy(device->gpu, saved[c], &device->kept[c], 4 * (size_t)step->count));
    return wb_okStatus;
}

static wbStatus runSubSteps(Step *step, float dt) {
    const wbFluidColliders *colliders = step->colliders;
    int subSteps = step->pbf->subSteps;
    WB_TRY(copyStart(step, false));
    for (int k = 0; k < subSteps; k++) {
        if (colliders && colliders->move)
            colliders->move((float)k / (float)subSteps, (float)(k + 1) / (float)subSteps, colliders->context);
        WB_TRY(advance(step, dt / (float)subSteps));
    }
    return wb_okStatus;
}

wbStatus wbPbfGpu_Step(wbPbfGpu *device, wbPbf *pbf, const wbPbfModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt) {
    int lanes = wbGpu_GetLanes(device->gpu), count = pbf->particles.count;
    Step step = {.device = device,
                 .pbf = pbf,
                 .model = model,
                 .colliders = colliders,
                 .work = work,
                 .count = count,
                 .items = (count + lanes - 1) / lanes,
                 .search.sides = wbGetSpaceSides(model->domain, model->h)};
    const wbPbfMarks before = wbPbf_GetMarks(pbf);
    wbParticlesGpu *particles = &device->particles;
    memset(pbf->ms, 0, sizeof pbf->ms);
    if (colliders) wbBoundary_ClearForces(colliders->boundary);
    if (count == 0) return wb_okStatus;
    WB_TRY(reserveColumns(device, &pbf->mixture, count));
    WB_TRY(reserveMixture(device, &pbf->mixture, count));
    WB_TRY(wbParticlesGpu_Push(particles, &pbf->particles));
    WB_TRY(chooseSubSteps(&step, dt));
    wbStatus room = reserve(device, model, colliders, work, count, pbf->subSteps);
    if (!wbIsOk(room)) wbPbf_SetMarks(pbf, &before);
    WB_TRY(room);
    bool wasNewer = particles->deviceIsNewer;
    particles->deviceIsNewer = true;
    wbStatus status = runSubSteps(&step, dt);
    if (wbIsOk(status)) status = wbGpu_TakeTimes(device->gpu, pbf->ms, wb_pbfPhaseCount);
    if (wbIsOk(status) || status.code == wb_errorUnstable) return status;
    // without sub-steps, what failed had not moved anything yet
    if (!wbIsOk(copyStart(&step, true)) || !wbIsOk(wbGpu_Finish(device->gpu)))
        return wbParticlesGpu_Discard(particles, status);
    wbPbf_SetMarks(pbf, &before);
    particles->deviceIsNewer = wasNewer;
    return status;
}
