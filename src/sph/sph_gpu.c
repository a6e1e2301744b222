// SPDX-License-Identifier: MIT
#include "sph/sph_gpu.h"

#include <string.h>

#include "core/status.h"
#include "sph/sph_model.h"
#include "sph/sph_split.h"
#include "sph/sph_split_gpu.h"
#include "sph/sph_tension.h"
#include "sph/sph_tension_gpu.h"

extern const char wb_clSph[];

// What is sorted beside the particles' columns: the velocities of the step's start, during leapfrog, or the pressures of the step before.
enum { X = wb_columnX, VX = wb_columnVx, DENSITY = wb_columnDensity, START_VX = WB_SORTED_COLUMNS };
enum { PRESSURE_BEFORE = START_VX };
static const char *const start[WB_GPU_EXTRA] = {"start vx", "start vy", "start vz"};
static const char *const pressure[WB_GPU_EXTRA] = {"pressure before"};

// Results of an evaluation. Normals are those that are not smoothed yet (rough), if they are to be.
enum {
    SUMS,
    INVERSE_DENSITY,
    TERM,
    AX,
    NX = AX + 3,
    ROUGH_NX = NX + 3,
    ROOT = ROUGH_NX + 3,
    TENSION,
    SPLIT_SOLVE = TENSION + WB_TENSION_COLUMNS,
    COLUMNS = SPLIT_SOLVE + WB_SPLIT_COLUMNS + WB_SPLIT_BOUNDARY_COLUMNS
};
enum {
    HAS_SURFACE = 1,
    HAS_SMOOTH = 2,
    HAS_MIXTURE = 4,
    HAS_STRESS = 8,
    HAS_BASES = 16,
    HAS_POINTS = 32, // and a stress
    HAS_SPLIT = 64,
    HAS_CONTACTS = 128 // of the method split
};
static const wbFluidColumn columns[COLUMNS] = {
    [SUMS] = {"sums", 0},
    [INVERSE_DENSITY] = {"inverse density", 0},
    [TERM] = {"pressure term", 0},
    [AX] = {"ax", 0},
    {"ay", 0},
    {"az", 0},
    [NX] = {"normal x", HAS_SURFACE},
    {"normal y", HAS_SURFACE},
    {"normal z", HAS_SURFACE},
    [ROUGH_NX] = {"rough normal x", HAS_SMOOTH},
    {"rough normal y", HAS_SMOOTH},
    {"rough normal z", HAS_SMOOTH},
    [ROOT] = {"root of impedance", HAS_MIXTURE},
    [TENSION] = WB_TENSION_COLUMN_NAMES(HAS_STRESS, HAS_BASES, HAS_POINTS),
    [SPLIT_SOLVE] = WB_SPLIT_COLUMN_NAMES(HAS_SPLIT, HAS_CONTACTS)};
// Buffers beside columns: the first are those of colliders.
enum { SPLIT_BUFFERS = WB_SPH_BOUNDARY_BUFFERS };

// Kernels in variants, one for each set of terms and kind of grid.
enum { WENDLAND = 2, ARTIFICIAL = 4, TAIT = 8, SURFACE = 16, MIXED = 32 };
enum { SUM_DENSITY, FIND_PRESSURE, SUM_NORMALS, SMOOTH_NORMALS, SUM_FORCES, FIND_ROOTS, MOVE, KERNELS };
static const wbGpuVariantKernel kernels[KERNELS] = {[SUM_DENSITY] = {"sph_density", 0},
                                                    [FIND_PRESSURE] = {"sph_pressure", 0},
                                                    [SUM_NORMALS] = {"sph_normals", SURFACE},
                                                    [SMOOTH_NORMALS] = {"sph_smooth", SURFACE},
                                                    [SUM_FORCES] = {"sph_forces", 0},
                                                    [FIND_ROOTS] = {"sph_roots", MIXED},
                                                    [MOVE] = {"sph_integrate", 0}};
static const wbGpuVariants program = {
    .name = "sph",
    .sources = (const char *const[]){WB_GPU_SEARCH_SOURCES, WB_GPU_FLUID_SOURCES, WB_GPU_SPH_SOURCES,
                                     wb_clSph, NULL},
    .switches = (const char *const[]){"HASHED", "WENDLAND", "ARTIFICIAL", "TAIT", "SURFACE", "MIXED", NULL},
    .kernels = kernels,
    .kernelCount = KERNELS};

const wbFluidGpuKind wb_sphGpu = {.columns = columns,
                                  .columnCount = COLUMNS,
                                  .phaseCount = wb_sphPhaseCount,
                                  .program = &program,
                                  .boundaryProgram = &wb_sphBoundaryProgram,
                                  .morePrograms = {&wb_sphTensionProgram, &wb_sphSplitProgram}};
enum { TENSION_PROGRAM, SPLIT_PROGRAM };

// What one step works with.
typedef struct Step {
    wbFluidStepGpu fluid;
    wbGpuBuffer *front, *c; // the particles' columns and the method's own
    wbSphWater water;
    wbSphTensionGpu tension; // where it is a stress
    wbSphSplitGpu split;     // of the method split
    wbFluidGpu *device;
    wbSph *sph;
    const wbSphModel *model;
    wbDomain domains[wb_boundaryTimeCount]; // with its sides where they are then
    wbBoundaryTime time, forceTime; // how far the particles have drifted; when forces on bodies were found
    bool inMiddle;                  // of leapfrog: the start's velocities are sorted along and kicked
} Step;

static bool hasSurface(const wbSphModel *model) {
    return model->params.surfaceTension > 0 && !wbSphModel_HasStress(model);
}
static bool isLeapfrog(const wbSphModel *model) {
    return model->params.integrator == wb_integratorLeapfrog && !wbSphModel_IsSplit(model);
}

static unsigned getStressTerms(const Step *step) {
    if (!wbSphModel_HasStress(step->model)) return 0;
    return HAS_STRESS | (step->fluid.colliders || wbSphWater_HasBases(&step->water) ? HAS_BASES : 0) |
           (step->fluid.colliders ? HAS_POINTS : 0);
}
static unsigned getSplitTerms(const Step *step) {
    if (!wbSphModel_IsSplit(step->model)) return 0;
    return HAS_SPLIT | (step->fluid.colliders ? HAS_CONTACTS : 0);
}

static wbStatus reserve(Step *step) {
    const wbSphModel *model = step->model;
    unsigned terms = (hasSurface(model) ? HAS_SURFACE : 0) |
                     (hasSurface(model) && model->params.smoothNormals ? HAS_SMOOTH : 0) |
                     (step->fluid.isMixed ? HAS_MIXTURE : 0) | getStressTerms(step) | getSplitTerms(step);
    const bool isSplit = wbSphModel_IsSplit(model);
    WB_TRY(wbFluidStepGpu_Reserve(&step->fluid, terms,
                                  isSplit             ? pressure
                                  : isLeapfrog(model) ? start
                                                      : NULL,
                                  wbSphModel_GetBoundaryKernel(model, step->fluid.work->simd)));
    if (isSplit) WB_TRY(wbSphSplitGpu_Reserve(&step->split));
    return step->fluid.colliders ? wbSphWater_ReserveBoundary(&step->water) : wb_okStatus;
}

static wbStatus buildKernels(Step *step) {
    const wbSphParams *p = &step->model->params;
    WB_TRY(wbFluidStepGpu_Build(&step->fluid, (p->kernel == wb_kernelWendland ? WENDLAND : 0) |
                                                  (p->artificialViscosity > 0 ? ARTIFICIAL : 0) |
                                                  (p->equation == wb_equationTait ? TAIT : 0) |
                                                  (hasSurface(step->model) ? SURFACE : 0) |
                                                  (step->fluid.isMixed ? MIXED : 0)));
    if (wbSphModel_HasStress(step->model))
        WB_TRY(wbSphTensionGpu_Build(&step->tension, &step->device->morePrograms[TENSION_PROGRAM]));
    if (wbSphModel_IsSplit(step->model))
        WB_TRY(wbSphSplitGpu_Build(&step->split, &step->device->morePrograms[SPLIT_PROGRAM]));
    return wbSphWater_BuildBoundary(&step->water);
}

// Sides as they are now; a ghost's velocity along one that does not slip: v' = 2 side - v.
static void placeSides(Step *step) {
    const wbDomain *domain = step->fluid.domain = &step->domains[step->time];
    step->split.sides = step->fluid.search.space.sides = wbGetSpaceSides(domain, step->model->h);
    for (int s = 0; s < wb_sideCount; s++) {
        SpaceSide *side = &step->fluid.search.space.sides.sides[s];
        for (int a = 0; a < 3; a++)
            if (domain->types[s] == wb_sideNoSlip && a != s / 2)
                side->velocitySign[a] = -1, side->velocityOffset[a] = 2 * domain->velocity[s][a];
    }
}

static wbStatus placeColliders(Step *step) {
    if (!wbFluidStepGpu_HasBoundary(&step->fluid)) return wb_okStatus;
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_boundary);
    return wbSphWater_PlaceBoundary(&step->water, step->time);
}

static wbStatus sortParticles(Step *step) {
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_sort);
    WB_TRY(wbFluidStepGpu_FindOrder(&step->fluid, X));
    WB_TRY(buildKernels(step));
    if (!wbSphModel_IsSplit(step->model))
        return wbFluidStepGpu_Sort(&step->fluid, step->inMiddle ? WB_GPU_SORTED : WB_SORTED_COLUMNS);
    WB_TRY(wbFluidStepGpu_Copy(&step->fluid, &step->device->particles.pressure, &step->front[PRESSURE_BEFORE],
                               1));
    return wbFluidStepGpu_Sort(&step->fluid, WB_SORTED_COLUMNS + 1);
}

// In the order that particles have now.
static wbStatus mixFluids(Step *step) {
    if (step->fluid.isMixed) {
        WB_TRY(wbFluidStepGpu_FillRelative(&step->fluid));
        WB_TRY(wbFluidStepGpu_Run(
            &step->fluid, FIND_ROOTS,
            WB_GPU_ARGS(WB_GPU_BUFFER(step->device->relative), WB_GPU_BUFFER(step->c[ROOT]))));
    }
    return wb_okStatus;
}

// Neighbours, density and pressure. No ghosts are made of what sides mirror: phase `boundary` is that of colliders.
static wbStatus sumDensity(Step *step) {
    wbGpuBuffer *c = step->c;
    float sinceEvaluation = step->sph->sinceEvaluation;
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_neighbours);
    WB_TRY(
        wbFluidStepGpu_Search(&step->fluid, SUM_DENSITY,
                              WB_GPU_ARGS(WB_GPU_BUFFER(c[SUMS]), WB_GPU_BUFFER(step->device->neighbours))));
    if (wbFluidStepGpu_HasBoundary(&step->fluid)) {
        wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_boundary);
        WB_TRY(wbSphWater_AddBoundaryDensity(&step->water, &c[SUMS]));
        wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_neighbours);
    }
    return wbFluidStepGpu_Run(
        &step->fluid, FIND_PRESSURE,
        WB_GPU_ARGS(step->fluid.search.constants, WB_GPU_FLOAT(sinceEvaluation > 0 ? 1 / sinceEvaluation : 0),
                    WB_GPU_BUFFER(c[SUMS]), WB_GPU_BUFFER(step->front[DENSITY]),
                    WB_GPU_BUFFER(step->device->particles.pressure), WB_GPU_BUFFER(c[INVERSE_DENSITY]),
                    WB_GPU_BUFFER(c[TERM]), WB_GPU_BUFFER(*step->water.root)));
}

// n_i = h sum m/rho_j grad W, and once more smoothed if that is wanted; or the stress along the skin.
static wbStatus sumNormals(Step *step) {
    wbGpuBuffer *c = step->c;
    bool smooth = step->model->params.smoothNormals;
    wbGpuBuffer *rough = &c[smooth ? ROUGH_NX : NX];
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_normals);
    if (wbSphModel_HasStress(step->model)) return wbSphTensionGpu_Find(&step->tension);
    if (!hasSurface(step->model)) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Search(&step->fluid, SUM_NORMALS,
                                 WB_GPU_ARGS(WB_GPU_BUFFER(c[INVERSE_DENSITY]), WB_GPU_BUFFER3(rough))));
    if (wbFluidStepGpu_HasBoundary(&step->fluid)) WB_TRY(wbSphWater_AddBoundaryNormals(&step->water, rough));
    if (!smooth) return wb_okStatus;
    return wbFluidStepGpu_Search(
        &step->fluid, SMOOTH_NORMALS,
        WB_GPU_ARGS(WB_GPU_BUFFER(c[INVERSE_DENSITY]), WB_GPU_BUFFER3(rough), WB_GPU_BUFFER3(c + NX)));
}

// Normals are read with surface tension alone: else any three.
static wbStatus sumForces(Step *step) {
    const wbGpuBuffer *c = step->c, *normals = hasSurface(step->model) ? c + NX : c;
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_forces);
    return wbFluidStepGpu_Search(&step->fluid, SUM_FORCES,
                                 WB_GPU_ARGS(WB_GPU_BUFFER3(step->front + VX),
                                             WB_GPU_BUFFER(c[INVERSE_DENSITY]), WB_GPU_BUFFER(c[TERM]),
                                             WB_GPU_BUFFER3(normals), WB_GPU_BUFFER(*step->water.root),
                                             WB_GPU_BUFFER3(c + AX)));
}

// What colliders add to the accelerations; in a step's last evaluation also the forces on them. Then the skin.
static wbStatus addColliders(Step *step) {
    const bool hasStress = wbSphModel_HasStress(step->model);
    if (wbFluidStepGpu_HasBoundary(&step->fluid))
        WB_TRY(wbSphWater_AddBoundaryForces(&step->water, &step->c[AX]));
    if (hasStress) WB_TRY(wbSphTensionGpu_Pull(&step->tension, &step->c[AX]));
    if (!wbFluidStepGpu_HasBoundary(&step->fluid) || (isLeapfrog(step->model) && !step->inMiddle))
        return wb_okStatus;
    step->forceTime = step->time;
    WB_TRY(wbSphWater_FindReactions(&step->water));
    return hasStress ? wbSphTensionGpu_AddReactions(&step->tension) : wb_okStatus;
}

// Pressures of the method split, by which accelerations keep the water's volume.
static wbStatus solvePressures(Step *step) {
    if (!wbSphModel_IsSplit(step->model)) return wb_okStatus;
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_pressure);
    return wbSphSplitGpu_Solve(&step->split);
}

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    placeSides(step);
    WB_TRY(placeColliders(step));
    step->split.time = step->time;
    WB_TRY(sortParticles(step));
    WB_TRY(mixFluids(step));
    WB_TRY(sumDensity(step)); // rho_i = sum m W
    WB_TRY(sumNormals(step));
    WB_TRY(sumForces(step)); // pressure, viscosity, surface tension
    WB_TRY(addColliders(step));
    return solvePressures(step);
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the sides and the colliders.
static wbStatus integrate(Step *step, float kick, float drift, bool driftsAfterKick, wbBoundaryTime to) {
    wbGpuBuffer *front = step->front, *c = step->c;
    SphMove move = wbSphModel_GetMove(step->model, &step->domains[to], kick, drift, driftsAfterKick);
    wbFluidSums sums = {0};
    wbFluidStepGpu_SetPhase(&step->fluid, wb_sph_integrate);
    WB_TRY(wbFluidStepGpu_KeepPositions(&step->fluid));
    if (wbSphModel_IsSplit(step->model)) WB_TRY(wbSphSplitGpu_Move(&step->split));
    WB_TRY(wbFluidStepGpu_Move(&step->fluid, MOVE,
                               WB_GPU_ARGS(WB_GPU_STRUCT(move), WB_GPU_BUFFER3(front + X),
                                           WB_GPU_BUFFER3(front + VX),
                                           WB_GPU_BUFFER3(front + (step->inMiddle ? START_VX : VX)),
                                           WB_GPU_BUFFER3(c + AX), WB_GPU_BUFFER(front[DENSITY]),
                                           WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)))));
    step->sph->sinceEvaluation = drift;
    WB_TRY(wbFluidStepGpu_Collide(&step->fluid, step->time, to, to == wb_atEnd));
    step->time = to;
    wbStatus status = wbFluidStepGpu_TakeSummaries(&step->fluid, &sums);
    step->sph->sums = (wbSphSums){sums.speed2, sums.fall, sums.broken};
    return status;
}

static wbStatus keepStart(Step *step) {
    step->inMiddle = true;
    return wbFluidStepGpu_Copy(&step->fluid, step->front + VX, step->front + START_VX, 3);
}

// See wbSph_Step for the scheme.
static wbStatus leapfrog(Step *step, float dt) {
    WB_TRY(evaluate(step));
    WB_TRY(keepStart(step));
    WB_TRY(integrate(step, 0.5f * dt, 0.5f * dt, false, wb_atMiddle));
    WB_TRY(evaluate(step));
    return integrate(step, dt, 0.5f * dt, true, wb_atEnd);
}

// One evaluation, with the pressures of its end; see sph_split_formula.h.
static wbStatus split(Step *step, float dt) {
    WB_TRY(evaluate(step));
    WB_TRY(integrate(step, dt, dt, true, wb_atEnd));
    return wbSphSplitGpu_FindUsual(&step->split);
}

static wbStatus run(Step *step, float dt) {
    WB_TRY(wbFluidStepGpu_Begin(&step->fluid));
    if (wbSphModel_IsSplit(step->model)) return split(step, dt);
    if (isLeapfrog(step->model)) return leapfrog(step, dt);
    WB_TRY(evaluate(step));
    return integrate(step, dt, dt, step->model->params.integrator == wb_integratorSymplectic, wb_atEnd);
}

static Step makeStep(wbFluidGpu *device, wbSph *sph, const wbSphModel *model, const wbFluidStep *given) {
    return (Step){.fluid = wbMakeFluidStepGpu(device, *given, WB_GPU_STRUCT(model->constants)),
                  .front = device->particles.front,
                  .c = device->columns,
                  .device = device,
                  .sph = sph,
                  .model = model};
}

// What stands in a step of what it consists of.
static void linkParts(Step *step, float dt) {
    wbGpuBuffer *c = step->c;
    step->water =
        (wbSphWater){&step->fluid,        step->model, step->front + VX,
                     &c[INVERSE_DENSITY], &c[TERM],    wbFluidStepGpu_IfMixed(&step->fluid, &c[ROOT])};
    step->tension = (wbSphTensionGpu){.water = &step->water, .columns = &c[TENSION]};
    step->split = (wbSphSplitGpu){.water = &step->water,
                                  .sph = step->sph,
                                  .columns = &c[SPLIT_SOLVE],
                                  .buffers = &step->device->buffers[SPLIT_BUFFERS],
                                  .accelerations = &c[AX],
                                  .pressure = &step->front[PRESSURE_BEFORE]};
    if (wbSphModel_IsSplit(step->model))
        step->split.constants = wbSphModel_GetSplitConstants(step->model, dt);
}

wbStatus wbSphGpu_Step(wbFluidGpu *device, wbSph *sph, const wbSphModel *own,
                       const wbFluidColliders *colliders, const wbWork *work, float dt) {
    const wbSphModel other = wbSphModel_WithoutPressure(own, wbSph_GetUsualSpeed(sph));
    const wbSphModel *model = wbSphModel_IsSplit(own) ? &other : own;
    wbFluidStep given =
        wbMakeFluidStep(&sph->fluid, model->domain, model->h, model->params.smoothing, colliders, work);
    Step step = makeStep(device, sph, model, &given);
    linkParts(&step, dt);
    if (sph->fluid.particles.count == 0) return wb_okStatus;
    if (device->particles.hostIsNewer) WB_TRY(wbFluidStep_CheckCrowding(&given));
    for (int k = 0; k < wb_boundaryTimeCount; k++)
        step.domains[k] = wbDomain_At(model->domain, 0.5f * (float)k * dt);
    WB_TRY(reserve(&step));
    WB_TRY(wbFluidStepGpu_ClearForces(&step.fluid));
    WB_TRY(run(&step, dt));
    WB_TRY(wbFluidStepGpu_TakeImpulses(&step.fluid, step.forceTime, (double)dt, model->mass));
    return wbFluidStepGpu_TakeTimes(&step.fluid);
}
