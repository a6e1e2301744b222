// SPDX-License-Identifier: MIT
#include "pbd/pbf.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbd_params.h"
#include "pbd/pbf_adaptive_decide.h"
#include "pbd/pbf_adaptive_step.h"
#include "pbd/pbf_boundary.h"
#include "pbd/pbf_boundary_code.h"
#include "pbd/pbf_depth.h"
#include "pbd/pbf_sheets.h"
#include "pbd/pbf_solver.h"

void wbPbf_ListValues(wbPbf *pbf, wbSavedValue values[WB_PBF_VALUES]) {
    const wbSavedValue own[] = {
        {"pbf.subSteps", &pbf->subSteps, wb_valueInt, 0, WB_PBF_MOST_SUB_STEPS, true},
        {"pbf.softStep", &pbf->softStep, wb_valueFloat, 0, FLT_MAX, true},
        {"pbf.previousDt", &pbf->previousDt, wb_valueFloat, 0, FLT_MAX, false}, // which Verlet alone reads
        {"pbf.head", &pbf->head, wb_valueDouble, 0, DBL_MAX, true},
    };
    wbFluidState_ListValues(&pbf->fluid, WB_FLUID_VALUE_NAMES("pbf"), values);
    memcpy(values + WB_FLUID_VALUES, own, sizeof own);
}

float wbPbf_GetStableStep(const wbPbf *pbf, const wbPbfModel *model, float maxSpeed) {
    bool isNew = pbf->softStep == 0;
    return wbPbfModel_GetStableStep(model, isNew ? wbGetPbfReach(&pbf->fluid.particles, model) : pbf->head,
                                    maxSpeed);
}

// Waves make a column's count rise and fall. Sub-steps that followed would beat in time with them, and with every change of
// stiffness lift the water: 80 layers at rest began to hop. So the head follows at once upwards; downwards only where it is less
// by a fifth, and in ten seconds.
void wbPbf_BeginStep(wbPbf *pbf, const wbPbfModel *model, float dt, double head) {
    double fading = fmax(1.25 * head, pbf->head * fmax(0, 1 - 0.1 * (double)dt));
    pbf->head = fmax(head, fmin(pbf->head, fading));
    pbf->startSpeed = fmaxf(pbf->fluid.particles.maxSpeed, pbf->colliderSpeed);
    pbf->subSteps = wbPbfModel_CountSubSteps(model, dt, pbf->head, pbf->startSpeed);
}

// Particles take dt g first and go on with it: Verlet's kick is that of another gravity.
PbfMove wbPbf_BeginSubStep(wbPbf *pbf, const wbPbfModel *model, const wbDomain *domain, float dt) {
    const bool isVerlet = model->params.integrator == wb_pbfVerlet;
    pbf->softStep = wbPbfModel_GetSoftStep(model, pbf->softStep, dt, pbf->head, pbf->startSpeed);
    PbfMove move = wbPbfModel_GetMove(model, domain, dt, pbf->softStep);
    for (int a = 0; a < 3 && isVerlet; a++)
        move.room.gravity[a] *= wbGetKick(isVerlet, dt, pbf->previousDt) / (dt * dt);
    pbf->previousDt = dt;
    return move;
}

wbStatus wbPbf_AddParticles(wbPbf *pbf, wbMemory *memory, const wbPbfModel *model, int count,
                            const float *positions, const float *velocities) {
    wbParticles *p = &pbf->fluid.particles;
    if (count > INT_MAX - 1024 - p->count)
        return wbError(wb_errorMemory, "%d particles more are more than a fluid can hold", count);
    WB_TRY(wbParticles_Reserve(p, memory, p->count + count));
    if (wbPbfModel_IsAdaptive(model)) {
        WB_TRY(wbPbfSizes_Reserve(&pbf->sizes, memory, p->count + count));
        wbPbfSizes_Begin(&pbf->sizes, p->count, p->count + count);
    }
    for (size_t k = 0; k < (size_t)count; k++) {
        int i = p->count++;
        const float *v = velocities ? velocities + 3 * k : (const float[3]){0};
        p->x[i] = positions[3 * k], p->y[i] = positions[3 * k + 1], p->z[i] = positions[3 * k + 2];
        p->vx[i] = v[0], p->vy[i] = v[1], p->vz[i] = v[2];
        p->id[i] = (uint32_t)i, p->density[i] = model->params.restDensity, p->pressure[i] = 0;
    }
    return wb_okStatus;
}

typedef struct Step {
    wbPbf *pbf;
    const wbPbfModel *model;
    const wbWork *work;
    const wbPbfCode *code;
    wbFluidStep fluid;
    wbDomain domain; // at the end of the sub-step
    wbPbfPass pass;
    wbPbfBoundaryPass boundary;
    wbPbfSweep sweep;  // by constraints
    wbSizedStep sized; // of an adaptive fluid
    bool looks;        // at its particles, at the end of the sub-step
    wbPbfSheets sheets;
    float dt; // s, of the sub-step
} Step;

static wbStatus outOfMemory(const Step *step) { return wbFluidStep_FailByMemory(&step->fluid); }

// Densities are not sorted but made anew: until then a predicted position is where they would be sorted to. Two columns of a look are
// there already, and written when nobody asks for predicted positions any more.
static bool allocateColumns(Step *step) {
    wbPbfPass *pass = &step->pass;
    float **const columns[] = {&pass->py, &pass->pz};
    pass->px = step->pbf->fluid.particles.backDensity;
    pass->py = step->sized.room.before, pass->pz = step->sized.room.pressure;
    return step->looks || wbFluidStep_AllocColumns(&step->fluid, columns, 2);
}

// Whether particles have different sizes; else all of them are as in a uniform fluid.
static bool isVaried(const Step *step) {
    return wbPbfModel_IsAdaptive(step->model) && step->pbf->sizes.varied;
}

static bool needsVelocities(const Step *step) {
    return isVaried(step) || step->model->params.viscosity > 0 || step->model->params.vorticity > 0;
}

static bool allocateAllRecords(Step *step) {
    wbPbfPass *pass = &step->pass;
    const wbFluidStep *fluid = &step->fluid;
    pass->places = wbFluidStep_AllocPositions(fluid, 1), pass->solved = wbFluidStep_AllocPositions(fluid, 1);
    // of ghosts only constraints that move their neighbours write it
    const bool movesOthers = step->model->params.solver != wb_pbdJacobiParticles;
    const int own = 4 * (wbPadCount(fluid->particles->count) + WB_PADDING);
    pass->moved = movesOthers ? wbFluidStep_AllocVectors(fluid) : wbFluidStep_AllocZeros(fluid, own);
    pass->velocities = pass->solved; // which nothing reads after the last iteration
    if (step->model->params.vorticity > 0 && !(pass->spins = wbFluidStep_AllocVectors(fluid))) return false;
    return pass->places && pass->solved && pass->moved;
}

static bool allocateMixture(Step *step) {
    if (step->pbf->fluid.mixture.count == 0) return true;
    step->pass.relative = wbFluidStep_AllocNumbers(&step->fluid, 1);
    step->pass.lowest = wbFluidStep_AllocNumbers(&step->fluid, 1);
    return step->pass.relative && step->pass.lowest;
}

static bool hasBoundary(const Step *step) { return wbFluidStep_HasBoundary(&step->fluid); }

static void runPass(Step *step, wbRangeFn *range) {
    wbParallelShare(step->work->pool, step->pbf->fluid.particles.count, WB_BLOCK, range, &step->pass);
}

static void runOverLists(Step *step, wbRangeFn *range, const float *records) {
    const unsigned terms = (step->pass.relative ? PBF_MIXED : 0) | (step->pass.spins ? PBF_SPINS : 0);
    wbFluidStep_RunOverLists(&step->fluid, range, records, &step->pass, terms);
}

// Sorts particles by the cells of their predicted positions, to the back.
static wbStatus sortPredicted(Step *step) {
    wbParticles *p = &step->pbf->fluid.particles;
    const wbPbfPass *pass = &step->pass;
    wbPbfSizes *sizes = &step->pbf->sizes;
    const wbMove moves[] = {
        {p->x, p->backX},   {p->y, p->backY},   {p->z, p->backZ},   {p->vx, p->backVx},
        {p->vy, p->backVy}, {p->vz, p->backVz}, {p->id, p->backId}, {sizes->distance, sizes->backDistance}};
    wbPoints points = {pass->px, pass->py, pass->pz, p->count};
    if (isVaried(step)) {
        WB_TRY(wbSizedStep_Sort(&step->sized, points, moves, 7));
    } else {
        WB_TRY(wbFluidStep_Sort(&step->fluid, points, moves, wbPbfModel_IsAdaptive(step->model) ? 8 : 7));
        float *distance = sizes->distance;
        sizes->distance = sizes->backDistance, sizes->backDistance = distance;
    }
    runPass(step, step->code->arrange);
    return wb_okStatus;
}

// The same of particles of different sizes, whose ghosts' places are given back before there are records.
static wbStatus findSizedNeighbours(Step *step, wbPoints points) {
    WB_TRY(wbSizedStep_FindGhosts(&step->sized, points));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_boundary);
    WB_TRY(wbSizedStep_BuildLists(&step->sized));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_neighbours);
    if (!allocateAllRecords(step) || !allocateMixture(step)) return outOfMemory(step);
    WB_TRY(wbSizedStep_ListBoundary(&step->sized, true));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_boundary);
    return wb_okStatus;
}

// Neighbour lists at the predicted positions, among particles and their ghosts behind sides.
static wbStatus findNeighbours(Step *step) {
    wbPbf *pbf = step->pbf;
    wbPbfPass *pass = &step->pass;
    const wbPbfModel *model = step->model;
    wbPoints points = {pass->px, pass->py, pass->pz, pbf->fluid.particles.count};
    wbPointSet ghosts;
    if (model->domain->dimensions == 3)
        pbf->fluid.search.neighbours.usualRows = 50; // water that falls is pressed together at first
    if (isVaried(step)) return findSizedNeighbours(step, points);
    WB_TRY(wbFluidStep_FindGhosts(&step->fluid, points, &ghosts));
    if (!allocateAllRecords(step) || !allocateMixture(step)) return outOfMemory(step);
    if (hasBoundary(step)) WB_TRY(wbPbfBoundaryPass_Begin(&step->boundary, pass, step->looks));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_boundary);
    WB_TRY(wbFluidStep_BuildLists(&step->fluid, points, &ghosts));
    if (model->params.solver != wb_pbdJacobiParticles && !wbPbfSweep_Begin(&step->sweep, pass, step->work))
        return outOfMemory(step);
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_neighbours);
    return wb_okStatus;
}

// Thin surfaces

static bool hasSheets(const Step *step) { return step->sheets.sheets != NULL; }

// Before the first iteration, when neighbours are listed.
static wbStatus findSheets(Step *step) {
    const wbParticles *p = &step->pbf->fluid.particles;
    const bool isSized = isVaried(step);
    if (!hasSheets(step)) return wb_okStatus;
    return wbPbfSheets_Find(
        &step->sheets, &(wbPbfSheetPart){.from = {p->backX, p->backY, p->backZ},
                                         .level = isSized ? step->pbf->sizes.level : NULL,
                                         .dt = step->dt,
                                         .end = 1,
                                         .dummy = isSized ? step->sized.lists.dummy : step->fluid.dummy});
}

// Of which fluid the sorted particles are, and the lightest around each of them: for all iterations, as the lists are.
static void mixFluids(Step *step) {
    wbPbfPass *pass = &step->pass;
    if (!pass->relative) return;
    wbFluidStep_FillRelative(&step->fluid, step->pbf->fluid.particles.backId, pass->relative);
    wbFluidStep_CopyToGhosts(&step->fluid, pass->relative);
    wbFluidStep_MirrorPositions(&step->fluid, pass->places);
    if (isVaried(step))
        wbSizedStep_RunOverLists(&step->sized, step->sized.code->lowest, pass->places);
    else
        runOverLists(step, step->code->lowest, pass->places);
    wbFluidStep_CopyToGhosts(&step->fluid, pass->lowest);
}

// All constraints from the same places: dp = m/rho0 sum (lambda_i + lambda_j + s_corr) grad W.
static void solveAtOnce(Step *step) {
    wbPbfPass *pass = &step->pass;
    runOverLists(step, step->code->lambda, pass->places); // -C / (sum |grad C|2 + epsilon' G)
    if (hasBoundary(step)) wbPbfBoundaryPass_Push(&step->boundary);
    if (step->model->params.solver == wb_pbdJacobiParticles) {
        wbFluidStep_MirrorPositions(&step->fluid, pass->solved);
        runOverLists(step, step->code->correct, pass->solved);
    } else {
        wbPbfSweep_Scatter(&step->sweep);
    }
}

// Each from where those before it have left the particles. One way alone would push more to one end than to the other.
static void solveInTurn(Step *step, bool isBack) {
    wbPbfSweep_Project(&step->sweep, isBack);
    if (hasBoundary(step)) wbPbfBoundaryPass_Push(&step->boundary);
}

// The same of particles of different sizes: mu instead of lambda, and masses.
static wbStatus solveSized(Step *step) {
    wbPbfPass *pass = &step->pass;
    wbSizedStep_Run(&step->sized, step->sized.code->place);
    mixFluids(step);
    WB_TRY(findSheets(step));
    for (int k = 0; k < step->model->params.iterations; k++) {
        wbPbfModel_SetIteration(step->model, k, &pass->move);
        wbFluidStep_MirrorPositions(&step->fluid, pass->places);
        wbSizedStep_AddBoundary(&step->sized, pass->places);
        wbSizedStep_RunOverLists(&step->sized, step->sized.code->lambda, pass->places);
        wbSizedStep_PushBoundary(&step->sized);
        wbFluidStep_MirrorPositions(&step->fluid, pass->solved);
        wbSizedStep_RunOverLists(&step->sized, step->sized.code->correct, pass->solved);
        if (hasSheets(step)) wbPbfSheets_Push(&step->sheets);
        wbFluidStep_Respond(&step->fluid, &step->sized.sized.near, wb_atEnd, step->dt);
    }
    if (hasSheets(step)) wbPbfSheets_Hold(&step->sheets);
    return wb_okStatus;
}

static wbStatus solveDensity(Step *step) {
    runPass(step, step->code->place);
    mixFluids(step);
    WB_TRY(findSheets(step));
    for (int k = 0; k < step->model->params.iterations; k++) {
        wbPbfModel_SetIteration(step->model, k, &step->pass.move);
        wbFluidStep_MirrorPositions(&step->fluid, step->pass.places);
        if (hasSheets(step)) wbPbfSheets_Clear(&step->sheets);
        if (hasBoundary(step)) wbPbfBoundaryPass_Add(&step->boundary);
        if (hasSheets(step)) wbPbfSheets_Add(&step->sheets);
        if (step->model->params.solver == wb_pbdGaussSeidel)
            solveInTurn(step, k % 2 == 1);
        else
            solveAtOnce(step);
        if (hasSheets(step)) wbPbfSheets_Push(&step->sheets);
        wbFluidStep_RespondTo(&step->fluid, step->boundary.meetings.forces, wb_atEnd, step->dt);
    }
    if (hasSheets(step)) wbPbfSheets_Hold(&step->sheets);
    return wb_okStatus;
}

// Velocities where nothing slips. What changed them is a force on the colliders.
static void stickToColliders(Step *step) {
    if (isVaried(step)) {
        wbSizedStep_Stick(&step->sized);
        return;
    }
    if (!hasBoundary(step) || !step->boundary.sticks) return;
    wbPbfBoundaryPass_Stick(&step->boundary);
}

// The last line of colliders: what went through a surface is put back. A single particle is below the rest density and feels
// no constraint, so that much of what drops do to a collider comes from here. Then all forces of the sub-step are known.
static wbStatus collide(Step *step, float dt) {
    const wbParticles *p = &step->pbf->fluid.particles;
    const wbBoundaryLists *near = &step->sized.sized.near;
    float *const before[3] = {p->backX, p->backY, p->backZ};
    const bool isKnown = hasBoundary(step) && !isVaried(step);
    float *const seen[3] = {step->pass.px, step->pass.py, step->pass.pz}; // where lists were made
    step->fluid.clearances = isKnown ? wbPbfBoundaryPass_FindClearances(&step->boundary) : NULL;
    memcpy(step->fluid.before, before, sizeof before);
    memcpy(step->fluid.seen, seen, sizeof seen);
    step->fluid.relative = step->pass.relative;
    if (isVaried(step)) WB_TRY(wbSizedStep_WeighParticles(&step->sized));
    wbFluidStep_Collide(&step->fluid, NULL, wb_atStart, wb_atEnd, true);
    if (!hasBoundary(step)) return wb_okStatus;
    wbBoundary *boundary = step->fluid.colliders->boundary;
    if (isVaried(step))
        wbBoundary_AddForces(boundary, wb_atEnd, near->fx, near->fy, near->fz, (double)dt);
    else
        wbBoundary_AddSums(boundary, step->boundary.meetings.forces, (double)dt);
    return wb_okStatus;
}

static void runSmoothing(Step *step, wbRangeFn *range, wbRangeFn *sized) {
    if (isVaried(step))
        wbSizedStep_RunOverLists(&step->sized, sized, step->pass.places);
    else
        runOverLists(step, range, step->pass.places);
}

static void finishVelocities(Step *step) {
    wbPbfPass *pass = &step->pass;
    runPass(step, step->code->finish); // v = (p - x) / dt, x = p
    uint32_t *id = step->pbf->fluid.particles.id;
    step->pbf->fluid.particles.id = step->pbf->fluid.particles.backId, step->pbf->fluid.particles.backId = id;
    stickToColliders(step);
    if (!needsVelocities(step)) return;
    if (isVaried(step)) wbSizedStep_Run(&step->sized, step->sized.code->calm);
    wbFluidStep_MirrorPositions(&step->fluid, pass->places);
    wbFluidStep_MirrorVelocities(&step->fluid, pass->velocities); // sides slip
    runSmoothing(step, step->code->smooth, step->sized.code->smooth);
    if (!pass->spins) return;
    wbFluidStep_MirrorVectors(&step->fluid, pass->spins); // of which only the length is looked at
    runSmoothing(step, step->code->confine, step->sized.code->confine);
}

static bool canAdapt(const Step *step) {
    const wbPbfParams *params = &step->model->params;
    return params->solver == wb_pbdJacobiParticles && params->constraint == wb_densityInequality;
}

// Now and then particles merge and split.
static wbStatus lookAtSizes(Step *step) {
    wbPbfSizes *sizes = &step->pbf->sizes;
    if (!step->looks) return wb_okStatus;
    if (!sizes->varied && hasBoundary(step))
        WB_TRY(wbSizedStep_SetBoundary(&step->sized, &step->boundary.near));
    WB_TRY(wbSizedStep_Look(&step->sized));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_velocities);
    return wb_okStatus;
}

// [M13], algorithm 1.
static wbStatus advance(Step *step, float dt, int subStep) {
    size_t scratch = wbArena_Mark(step->work->arena);
    step->domain = wbDomain_At(step->model->domain, (float)(subStep + 1) * dt);
    step->fluid.domain = &step->domain, step->dt = dt;
    step->pass = (wbPbfPass){.pbf = step->pbf,
                             .model = step->model,
                             .constants = step->model->constants,
                             .fluid = &step->fluid,
                             .density = step->pbf->fluid.particles.density,
                             .move = wbPbf_BeginSubStep(step->pbf, step->model, &step->domain, dt)};
    step->sized = wbMakeSizedStep(step->pbf, step->model, &step->fluid, &step->pass);
    step->sized.sheets = hasSheets(step) ? &step->sheets : NULL;
    step->looks = wbPbfModel_IsAdaptive(step->model) &&
                  wbPbfSizes_IsLookDue(&step->pbf->sizes, step->model, step->pbf->head, step->sized.frames);
    if (step->looks) WB_TRY(wbSizedStep_ReserveLook(&step->sized));
    if (!allocateColumns(step)) return outOfMemory(step);
    runPass(step, step->code->predict); // p = x + dt (v + dt g)
    WB_TRY(sortPredicted(step));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_sort);
    WB_TRY(findNeighbours(step));
    WB_TRY(isVaried(step) ? solveSized(step) : solveDensity(step));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_density);
    finishVelocities(step);
    WB_TRY(collide(step, dt));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_velocities);
    WB_TRY(wbFluidStep_TakeMaxima(&step->fluid));
    WB_TRY(lookAtSizes(step));
    wbArena_Release(step->work->arena, scratch);
    return wb_okStatus;
}

// At the first step of an adaptive fluid.
static wbStatus fillSizes(Step *step, float dt) {
    wbPbfSizes *sizes = &step->pbf->sizes;
    const size_t scratch = wbArena_Mark(step->work->arena);
    if (!wbPbfModel_IsAdaptive(step->model) || !step->model->adaptive.fills || sizes->isFilled)
        return wb_okStatus;
    sizes->isFilled = 1;
    step->fluid.domain = step->model->domain;
    step->pass = (wbPbfPass){.pbf = step->pbf,
                             .model = step->model,
                             .constants = step->model->constants,
                             .fluid = &step->fluid,
                             .density = step->pbf->fluid.particles.density,
                             .move = wbPbfModel_GetMove(step->model, step->model->domain, dt, dt)};
    step->sized = wbMakeSizedStep(step->pbf, step->model, &step->fluid, &step->pass);
    step->sized.sheets = hasSheets(step) ? &step->sheets : NULL;
    WB_TRY(
        wbFluidStep_Begin(&step->fluid, wbPbfModel_GetBoundaryKernel(step->model, true, step->work->simd)));
    WB_TRY(wbSizedStep_Fill(&step->sized));
    wbArena_Release(step->work->arena, scratch);
    return wb_okStatus;
}

static wbStatus chooseSubSteps(Step *step, float dt) {
    double head;
    const wbPbf *pbf = step->pbf;
    if (isVaried(step))
        WB_TRY(wbFindSizedHead(&pbf->fluid.particles, &pbf->fluid.mixture, &step->pbf->sizes, step->model,
                               step->work, &head));
    else
        WB_TRY(wbFindPbfHead(&pbf->fluid.particles, &pbf->fluid.mixture, step->model, step->work, &head));
    wbPbf_BeginStep(step->pbf, step->model, dt, head);
    if (hasSheets(step)) step->pbf->subSteps = 1; // they go once through the step
    return wb_okStatus;
}

static wbStatus runSubSteps(Step *step, float dt) {
    const wbFluidColliders *colliders = step->fluid.colliders;
    int subSteps = step->pbf->subSteps;
    WB_TRY(wbFluidStep_Begin(&step->fluid,
                             wbPbfModel_GetBoundaryKernel(step->model, isVaried(step), step->work->simd)));
    for (int k = 0; k < subSteps; k++) {
        const int count = step->pbf->fluid.particles.count;
        if (colliders && colliders->move)
            colliders->move((float)k / (float)subSteps, (float)(k + 1) / (float)subSteps, colliders->context);
        WB_TRY(advance(step, dt / (float)subSteps, k));
        if (step->pbf->fluid.particles.count > count) WB_TRY(wbFluidStep_ReserveMaxima(&step->fluid));
    }
    return wb_okStatus;
}

wbStatus wbPbf_Step(wbPbf *pbf, const wbPbfModel *model, const wbFluidColliders *colliders,
                    const wbWork *work, float dt) {
    Step step = {.pbf = pbf,
                 .model = model,
                 .work = work,
                 .code = wbGetPbfCode(work->simd),
                 .fluid = wbMakeFluidStep(&pbf->fluid, model->domain, model->h, model->params.smoothing,
                                          colliders, work)};
    if (pbf->fluid.particles.count == 0) return wb_okStatus;
    step.sheets = (wbPbfSheets){.sheets = colliders ? colliders->sheets : NULL,
                                .model = model,
                                .fluid = &step.fluid,
                                .pass = &step.pass};
    WB_ASSERT(!wbPbfModel_IsAdaptive(model) || canAdapt(&step),
              "sizes vary with the default solver and constraint");
    WB_TRY(fillSizes(&step, dt));
    WB_TRY(chooseSubSteps(&step, dt));
    WB_TRY(runSubSteps(&step, dt));
    wbFluidStep_TakeCaught(&step.fluid, model->mass);
    return wb_okStatus;
}
