// SPDX-License-Identifier: MIT
#include "pbd/pbf_gpu.h"

#include "core/status.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_gpu.h"
#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_depth_gpu.h"
#include "pbd/pbf_solver_gpu.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfShared[], wb_clPbf[];

// Predicted positions are sorted along with the particles' columns.
enum { X = wb_columnX, VX = wb_columnVx, DENSITY = wb_columnDensity, PX = WB_SORTED_COLUMNS };
static const char *const predicted[WB_GPU_EXTRA] = {"predicted x", "predicted y", "predicted z"};

// Present positions (QX) and where they are corrected to (NX), where velocities are smoothed to (NVX), spins (SX) and their lengths,
// what the constraints have moved particles by (MX), what colliders add (BX: WB_PBF_BOUNDARY_SUMS), c of XSPH and weights of
// particles of different sizes, and the rest.
enum {
    QX,
    NX = QX + 3,
    NVX = NX + 3,
    SX = NVX + 3,
    SPIN = SX + 3,
    MX,
    LAMBDA = MX + 3,
    INVERSE,
    BX,
    LOWEST = BX + WB_PBF_BOUNDARY_SUMS,
    CALMING,
    WEIGHTS,
    COLUMNS
};
enum { HAS_COLLIDERS = 1, HAS_MIXTURE = 2, HAS_SIZES = 4 };
static const wbFluidColumn columns[COLUMNS] = {[QX] = {"present x", 0},
                                               {"present y", 0},
                                               {"present z", 0},
                                               [NX] = {"corrected x", 0},
                                               {"corrected y", 0},
                                               {"corrected z", 0},
                                               [NVX] = {"smoothed vx", 0},
                                               {"smoothed vy", 0},
                                               {"smoothed vz", 0},
                                               [SX] = {"spin x", 0},
                                               {"spin y", 0},
                                               {"spin z", 0},
                                               [SPIN] = {"spin", 0},
                                               [MX] = {"moved x", 0},
                                               {"moved y", 0},
                                               {"moved z", 0},
                                               [LAMBDA] = {"lambda", 0},
                                               [INVERSE] = {"inverse density", 0},
                                               [BX] = {"gradient x by colliders", HAS_COLLIDERS},
                                               {"gradient y by colliders", HAS_COLLIDERS},
                                               {"gradient z by colliders", HAS_COLLIDERS},
                                               {"density by colliders", HAS_COLLIDERS},
                                               {"squares by colliders", HAS_COLLIDERS},
                                               {"head x by colliders", HAS_COLLIDERS},
                                               {"head y by colliders", HAS_COLLIDERS},
                                               {"head z by colliders", HAS_COLLIDERS},
                                               {"lean on colliders", HAS_COLLIDERS},
                                               [LOWEST] = {"lowest density", HAS_MIXTURE},
                                               [CALMING] = {"viscosity", HAS_SIZES},
                                               [WEIGHTS] = {"weight", HAS_SIZES}};
enum { SCRATCH = NVX }; // seven, between the iterations and the smoothing

enum { HASHED = 1, MIXED = 2 };
enum {
    PREDICT,
    DEPTH,
    FIND_LOWEST = DEPTH + WB_DEPTH_KERNELS,
    BEGIN,
    SOLVE,
    CORRECT,
    FINISH,
    SMOOTH,
    TURN,
    KERNELS
};
static const wbGpuVariantKernel kernels[KERNELS] = {[PREDICT] = {"pbf_predict", 0},
                                                    [DEPTH] = WB_DEPTH_KERNEL_NAMES,
                                                    [FIND_LOWEST] = {"pbf_find_lowest", MIXED},
                                                    [BEGIN] = {"pbf_begin", 0},
                                                    [SOLVE] = {"pbf_solve", 0},
                                                    [CORRECT] = {"pbf_correct", 0},
                                                    [FINISH] = {"pbf_finish", 0},
                                                    [SMOOTH] = {"pbf_smooth", 0},
                                                    [TURN] = {"pbf_turn", 0}};
static const char *const sources[] = {WB_GPU_SEARCH_SOURCES,
                                      WB_GPU_FLUID_SOURCES,
                                      WB_PBF_DEPTH_SOURCES,
                                      wb_clPbfConstants,
                                      wb_clPbfFormula,
                                      wb_clPbfShared,
                                      wb_clPbf,
                                      NULL};
static const char *const switches[] = {"HASHED", "MIXED", NULL};
static const wbGpuVariants program = {"pbf", sources, switches, kernels, KERNELS};

const wbFluidGpuKind wb_pbfGpu = {.columns = columns,
                                  .columnCount = COLUMNS,
                                  .phaseCount = wb_pbfPhaseCount,
                                  .program = &program,
                                  .boundaryProgram = &wb_pbfBoundaryProgram,
                                  .morePrograms = {&wb_pbfSweepProgram, &wb_sizedProgram, &wb_lookProgram}};
enum { SWEEP_PROGRAM, SIZED_PROGRAM };

// Buffers: slots of columns, and the count of the fullest; those of particles of different sizes.
enum { SLOTS, SIZED_BUFFERS };

// What one sub-step works with.
typedef struct Step {
    wbFluidStepGpu fluid;
    wbFluidGpu *device;
    wbGpu *gpu;
    wbPbf *pbf;
    const wbPbfModel *model;
    int count;
    bool hasBoundary;
    PbfMove move;
    wbGpuKernel **sweepKernels;
    wbSizedStepGpu sized; // of an adaptive fluid
} Step;

static bool isAdaptive(const Step *step) { return wbPbfModel_IsAdaptive(step->model); }
// Whether particles have different sizes; else all of them are as in a uniform fluid.
static bool isVaried(const Step *step) { return isAdaptive(step) && step->pbf->sizes.varied; }

static unsigned getTerms(const Step *step) {
    return (step->fluid.colliders ? HAS_COLLIDERS : 0) | (step->fluid.isMixed ? HAS_MIXTURE : 0) |
           (isAdaptive(step) ? HAS_SIZES : 0);
}

// All room, before anything runs.
static wbStatus reserve(Step *step) {
    WB_TRY(wbFluidStepGpu_Reserve(
        &step->fluid, getTerms(step), predicted,
        wbPbfModel_GetBoundaryKernel(step->model, isVaried(step), step->fluid.work->simd)));
    WB_TRY(wbFluidStepGpu_ReserveResponse(&step->fluid));
    return wbReserveDepth(&step->fluid, &step->device->buffers[SLOTS]);
}

static unsigned getSwitches(const Step *step) { return step->fluid.isMixed ? MIXED : 0; }

static const wbGpuBuffer *getLowest(const Step *step) {
    return wbFluidStepGpu_IfMixed(&step->fluid, &step->fluid.columns[LOWEST]);
}
static wbGpuBuffer *getBoundary(const Step *step) { return &step->fluid.columns[step->hasBoundary ? BX : 0]; }

static wbPbfSwarm getSwarm(Step *step) {
    wbGpuBuffer *c = step->fluid.columns;
    return (wbPbfSwarm){.fluid = &step->fluid,
                        .model = step->model,
                        .move = &step->move,
                        .places = &c[QX],
                        .lambda = &c[LAMBDA],
                        .pressure = &step->device->particles.pressure,
                        .relative = wbFluidStepGpu_GetRelative(&step->fluid),
                        .isSized = isAdaptive(step),
                        .sums = &c[BX],
                        .scratch = &c[SCRATCH]};
}

static wbSizedStepGpu getSized(Step *step) {
    wbGpuBuffer *c = step->fluid.columns;
    const float frame = wbPbfModel_GetSubStep(step->model, 0, step->pbf->startSpeed);
    return (wbSizedStepGpu){.fluid = &step->fluid,
                            .pbf = step->pbf,
                            .model = step->model,
                            .move = &step->move,
                            .hasBoundary = step->hasBoundary,
                            .frames = step->move.dt / frame,
                            .programs = &step->device->morePrograms[SIZED_PROGRAM],
                            .buffers = &step->device->buffers[SIZED_BUFFERS],
                            .places = &c[QX],
                            .corrected = &c[NX],
                            .smoothed = &c[NVX],
                            .spins = &c[SX],
                            .moved = &c[MX],
                            .boundary = getBoundary(step),
                            .mu = &c[LAMBDA],
                            .pressure = &step->device->particles.pressure,
                            .inverse = &c[INVERSE],
                            .calming = &c[CALMING],
                            .weights = &c[WEIGHTS],
                            .relative = wbFluidStepGpu_GetRelative(&step->fluid),
                            .lowest = getLowest(step),
                            .terms = getTerms(step),
                            .extra = predicted};
}

static wbStatus findLowest(Step *step) {
    if (isVaried(step)) return wbSizedStepGpu_FindLowest(&step->sized);
    WB_TRY(wbFluidStepGpu_FillRelative(&step->fluid));
    if (!step->fluid.isMixed) return wb_okStatus;
    return wbFluidStepGpu_Search(&step->fluid, FIND_LOWEST,
                                 WB_GPU_ARGS(WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                                             WB_GPU_BUFFER(step->fluid.columns[LOWEST])));
}

// The present cells are known by now.
static wbStatus buildKernels(Step *step) {
    const bool isHashed = step->fluid.search.cells->grid.hashed;
    WB_TRY(wbFluidStepGpu_Build(&step->fluid, getSwitches(step)));
    if (step->model->params.solver == wb_pbdJacobiParticles) return wb_okStatus;
    return wbGpuVariantSet_Choose(&step->device->morePrograms[SWEEP_PROGRAM], step->gpu,
                                  getSwitches(step) | (isHashed ? HASHED : 0), &step->sweepKernels);
}

static wbStatus sortPredicted(Step *step) {
    wbGpuBuffer *front = step->fluid.front;
    const wbPbfSwarm swarm = getSwarm(step);
    wbGpu_SetPhase(step->gpu, wb_pbf_sort);
    WB_TRY(wbFluidStepGpu_Build(&step->fluid, getSwitches(step)));
    WB_TRY(wbFluidStepGpu_Run(&step->fluid, PREDICT,
                              WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER3(front + X),
                                          WB_GPU_BUFFER3(front + VX), WB_GPU_BUFFER3(front + PX))));
    WB_TRY(isVaried(step) ? wbSizedStepGpu_FindOrder(&step->sized)
                          : wbFluidStepGpu_FindOrder(&step->fluid, PX));
    WB_TRY(buildKernels(step));
    if (step->hasBoundary) WB_TRY(wbPbfSwarm_PlaceBoundary(&swarm));
    WB_TRY(wbFluidStepGpu_Sort(&step->fluid, WB_GPU_SORTED));
    if (!isAdaptive(step)) return wb_okStatus;
    if (!isVaried(step)) WB_TRY(wbSizedStepGpu_TakeOrder(&step->sized));
    WB_TRY(wbSizedStepGpu_PlaceBoundary(&step->sized));
    return wbSizedStepGpu_SortSizes(&step->sized);
}

// What the constraints begin with: the box has moved particles already.
static wbStatus beginDensity(Step *step) {
    wbParticlesGpu *particles = &step->device->particles;
    wbGpuBuffer *front = particles->front, *c = step->fluid.columns;
    size_t bytes = sizeof(float) * (size_t)step->count;
    WB_TRY(findLowest(step));
    WB_TRY(wbFluidStepGpu_Run(&step->fluid, BEGIN,
                              WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER3(front + X),
                                          WB_GPU_BUFFER3(front + VX), WB_GPU_BUFFER3(c + MX))));
    WB_TRY(wbGpu_Fill(step->gpu, &c[LAMBDA], 0, bytes));
    WB_TRY(wbFluidStepGpu_Copy(&step->fluid, front + PX, c + QX, 3));
    return wbGpu_Fill(step->gpu, &particles->pressure, 0, bytes);
}

static wbStatus solveLambda(Step *step) {
    wbParticlesGpu *particles = &step->device->particles;
    wbGpuBuffer *c = step->fluid.columns, *boundary = getBoundary(step);
    return wbFluidStepGpu_Search(
        &step->fluid, SOLVE,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER3(c + QX), WB_GPU_INT(step->hasBoundary),
                    WB_GPU_BUFFER3(boundary), WB_GPU_BUFFER(boundary[3]), WB_GPU_BUFFER(boundary[4]),
                    WB_GPU_BUFFER(*getLowest(step)), WB_GPU_BUFFER(c[LAMBDA]),
                    WB_GPU_BUFFER(particles->front[DENSITY]), WB_GPU_BUFFER(particles->pressure),
                    WB_GPU_BUFFER(step->device->neighbours)));
}

static wbStatus correct(Step *step) {
    wbGpuBuffer *front = step->fluid.front, *c = step->fluid.columns;
    WB_TRY(wbFluidStepGpu_Search(&step->fluid, CORRECT,
                                 WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER3(c + QX),
                                             WB_GPU_INT(step->hasBoundary), WB_GPU_BUFFER3(getBoundary(step)),
                                             WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                                             WB_GPU_BUFFER(*getLowest(step)), WB_GPU_BUFFER(c[LAMBDA]),
                                             WB_GPU_BUFFER3(front + X), WB_GPU_BUFFER3(front + VX),
                                             WB_GPU_BUFFER3(c + MX), WB_GPU_BUFFER3(c + NX))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&c[QX + a], &c[NX + a]);
    return wb_okStatus;
}

// By constraints particles are moved where they are, and what they are to be moved by stands in NX.
static wbPbfSweepGpu getSweep(Step *step) {
    wbParticlesGpu *particles = &step->device->particles;
    wbGpuBuffer *front = particles->front, *c = step->fluid.columns;
    return (wbPbfSweepGpu){.gpu = step->gpu,
                           .kernels = step->sweepKernels,
                           .model = step->model,
                           .move = &step->move,
                           .search = &step->fluid.search,
                           .hasBoundary = step->hasBoundary,
                           .starts = &front[X],
                           .velocities = &front[VX],
                           .places = &c[QX],
                           .moved = &c[MX],
                           .pushes = &c[NX],
                           .boundary = getBoundary(step),
                           .relative = wbFluidStepGpu_GetRelative(&step->fluid),
                           .lowest = getLowest(step),
                           .lambda = &c[LAMBDA],
                           .density = &front[DENSITY],
                           .pressure = &particles->pressure,
                           .neighbours = &step->device->neighbours};
}

// As in wbPbf_Step. What colliders add is of the places before a Gauss-Seidel sweep, and so is what they are pushed by.
static wbStatus solveDensity(Step *step) {
    const wbPbdSolver solver = step->model->params.solver;
    const wbPbfSwarm begun = getSwarm(step);
    wbPbfSwarm pushed = begun;
    const wbPbfSweepGpu sweep = getSweep(step);
    wbGpu_SetPhase(step->gpu, wb_pbf_density);
    if (solver == wb_pbdGaussSeidel) pushed.places = &step->fluid.columns[NVX];
    WB_TRY(beginDensity(step));
    if (solver != wb_pbdJacobiParticles) WB_TRY(wbPbfSweepGpu_Begin(&sweep));
    for (int k = 0; k < step->model->params.iterations; k++) {
        wbPbfModel_SetIteration(step->model, k, &step->move);
        if (step->hasBoundary) WB_TRY(wbPbfSwarm_AddBoundary(&begun));
        if (solver == wb_pbdGaussSeidel) {
            if (step->hasBoundary)
                WB_TRY(wbFluidStepGpu_Copy(&step->fluid, &step->fluid.columns[QX], &step->fluid.columns[NVX],
                                           3));
            WB_TRY(wbPbfSweepGpu_Project(&sweep, k % 2 == 1));
        } else {
            WB_TRY(solveLambda(step));
            if (step->hasBoundary) WB_TRY(wbPbfSwarm_Lean(&begun));
        }
        if (step->hasBoundary) WB_TRY(wbPbfSwarm_AddForces(&pushed));
        if (solver == wb_pbdJacobiConstraints) WB_TRY(wbPbfSweepGpu_Scatter(&sweep));
        if (solver == wb_pbdJacobiParticles) WB_TRY(correct(step));
        WB_TRY(wbFluidStepGpu_Respond(&step->fluid));
    }
    return wbFluidStepGpu_EndResponse(&step->fluid);
}

// The same of particles of different sizes: mu instead of lambda, and masses.
static wbStatus solveSized(Step *step) {
    wbSizedStepGpu *sized = &step->sized;
    wbGpu_SetPhase(step->gpu, wb_pbf_density);
    WB_TRY(beginDensity(step));
    for (int k = 0; k < step->model->params.iterations; k++) {
        wbPbfModel_SetIteration(step->model, k, &step->move);
        WB_TRY(wbSizedStepGpu_AddBoundary(sized));
        WB_TRY(wbSizedStepGpu_Solve(sized));
        WB_TRY(wbSizedStepGpu_LeanOnBoundary(sized));
        WB_TRY(wbSizedStepGpu_PushBoundary(sized));
        WB_TRY(wbSizedStepGpu_Correct(sized));
        WB_TRY(wbFluidStepGpu_Respond(&step->fluid));
    }
    return wbFluidStepGpu_EndResponse(&step->fluid);
}

static wbStatus collideColliders(Step *step, float dt) {
    if (isVaried(step)) WB_TRY(wbSizedStepGpu_Weigh(&step->sized));
    WB_TRY(wbFluidStepGpu_Collide(&step->fluid, wb_atStart, wb_atEnd, true));
    return wbFluidStepGpu_TakeImpulses(&step->fluid, wb_atEnd, (double)dt, step->model->mass);
}

static wbStatus stickToColliders(Step *step) {
    const wbPbfSwarm swarm = getSwarm(step);
    if (isVaried(step)) return wbSizedStepGpu_Stick(&step->sized);
    return step->hasBoundary ? wbPbfSwarm_Stick(&swarm) : wb_okStatus;
}

// v = (p - x) / dt, x = p
static wbStatus finish(Step *step) {
    wbParticlesGpu *particles = &step->device->particles;
    wbGpuBuffer *front = particles->front, *c = step->fluid.columns;
    wbFluidSums sums;
    wbGpu_SetPhase(step->gpu, wb_pbf_velocities);
    WB_TRY(wbFluidStepGpu_KeepPositions(&step->fluid));
    WB_TRY(wbFluidStepGpu_Move(
        &step->fluid, FINISH,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_FLOAT(step->model->params.restDensity),
                    WB_GPU_BUFFER3(front + X), WB_GPU_BUFFER3(front + VX), WB_GPU_BUFFER3(c + QX),
                    WB_GPU_BUFFER3(c + MX), WB_GPU_BUFFER(front[DENSITY]), WB_GPU_BUFFER(particles->pressure),
                    WB_GPU_BUFFER(c[INVERSE]))));
    return wbFluidStepGpu_TakeSummaries(&step->fluid, &sums);
}

static wbStatus smoothVelocities(Step *step) {
    wbGpuBuffer *velocities = &step->fluid.front[VX], *c = step->fluid.columns;
    const wbPbfParams *p = &step->model->params;
    if (isVaried(step)) return wbSizedStepGpu_Smooth(&step->sized);
    if (p->viscosity <= 0 && p->vorticity <= 0) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Search(
        &step->fluid, SMOOTH,
        WB_GPU_ARGS(WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                    WB_GPU_BUFFER(c[INVERSE]), WB_GPU_BUFFER3(velocities), WB_GPU_BUFFER3(c + NVX),
                    WB_GPU_BUFFER3(c + SX), WB_GPU_BUFFER(c[SPIN]))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&velocities[a], &c[NVX + a]);
    if (p->vorticity <= 0) return wb_okStatus;
    return wbFluidStepGpu_Search(&step->fluid, TURN,
                                 WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER3(c + QX),
                                             WB_GPU_BUFFER(c[INVERSE]), WB_GPU_BUFFER3(c + SX),
                                             WB_GPU_BUFFER(c[SPIN]), WB_GPU_BUFFER3(velocities)));
}

// Now and then particles merge and split.
static wbStatus lookAtSizes(Step *step) {
    if (!isAdaptive(step) ||
        !wbPbfSizes_IsLookDue(&step->pbf->sizes, step->model, step->pbf->head, step->sized.frames))
        return wb_okStatus;
    WB_TRY(wbSizedStepGpu_Look(&step->sized));
    step->count = step->fluid.particles->count;
    return wb_okStatus;
}

// At the first step of an adaptive fluid.
static wbStatus fillSizes(Step *step, float dt) {
    wbPbfSizes *sizes = &step->pbf->sizes;
    if (!isAdaptive(step) || !step->model->adaptive.fills || sizes->isFilled) return wb_okStatus;
    sizes->isFilled = 1;
    step->move = wbPbfModel_GetMove(step->model, step->model->domain, dt, dt);
    step->sized = getSized(step), step->fluid.weights = NULL;
    wbGpu_SetPhase(step->gpu, wb_pbf_velocities);
    WB_TRY(wbSizedStepGpu_Fill(&step->sized));
    step->count = step->fluid.particles->count;
    return wb_okStatus;
}

// See wbPbf_Step for the scheme. No ghosts are made of what sides mirror, and no lists: phases `boundary` and `neighbours`
// stay empty.
static wbStatus advance(Step *step, float dt, int subStep) {
    const wbDomain domain = wbDomain_At(step->model->domain, (float)(subStep + 1) * dt);
    step->fluid.search.space.sides = wbGetSpaceSides(&domain, step->model->h);
    step->move = wbPbf_BeginSubStep(step->pbf, step->model, &domain, dt);
    step->sized = getSized(step), step->fluid.weights = NULL;
    WB_TRY(wbFluidStepGpu_ClearForces(&step->fluid));
    WB_TRY(sortPredicted(step));
    WB_TRY(wbFluidStepGpu_BeginResponse(&step->fluid, wb_atEnd, dt));
    WB_TRY(isVaried(step) ? solveSized(step) : solveDensity(step));
    WB_TRY(finish(step));
    WB_TRY(stickToColliders(step));
    WB_TRY(smoothVelocities(step));
    WB_TRY(collideColliders(step, dt));
    return lookAtSizes(step);
}

static wbStatus findHead(Step *step, double *head) {
    WB_TRY(wbFluidStepGpu_Build(&step->fluid, getSwitches(step)));
    return wbFindHeadGpu(&step->fluid, DEPTH, &step->device->buffers[SLOTS], step->model, head);
}

static wbStatus chooseSubSteps(Step *step, float dt) {
    double head;
    wbGpu_SetPhase(step->gpu, wb_pbf_sort);
    step->sized = getSized(step);
    WB_TRY(isVaried(step) ? wbSizedStepGpu_FindHead(&step->sized, &head) : findHead(step, &head));
    wbPbf_BeginStep(step->pbf, step->model, dt, head);
    return wb_okStatus;
}

static wbStatus runSubSteps(Step *step, float dt) {
    const wbFluidColliders *colliders = step->fluid.colliders;
    int subSteps = step->pbf->subSteps;
    for (int k = 0; k < subSteps; k++) {
        if (colliders && colliders->move)
            colliders->move((float)k / (float)subSteps, (float)(k + 1) / (float)subSteps, colliders->context);
        WB_TRY(advance(step, dt / (float)subSteps, k));
    }
    return wb_okStatus;
}

wbStatus wbPbfGpu_Step(wbFluidGpu *device, wbPbf *pbf, const wbPbfModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt) {
    wbFluidStep given =
        wbMakeFluidStep(&pbf->fluid, model->domain, model->h, model->params.smoothing, colliders, work);
    Step step = {.fluid = wbMakeFluidStepGpu(device, given, WB_GPU_STRUCT(model->constants)),
                 .device = device,
                 .gpu = device->gpu,
                 .pbf = pbf,
                 .model = model,
                 .count = pbf->fluid.particles.count};
    if (step.count == 0) return wb_okStatus;
    WB_TRY(reserve(&step));
    step.hasBoundary = wbFluidStepGpu_HasBoundary(&step.fluid); // points that count are known by now
    WB_TRY(wbFluidStepGpu_Begin(&step.fluid));
    WB_TRY(fillSizes(&step, dt));
    WB_TRY(chooseSubSteps(&step, dt));
    WB_TRY(runSubSteps(&step, dt));
    return wbFluidStepGpu_TakeTimes(&step.fluid);
}
