// SPDX-License-Identifier: MIT
#include "sph/sph.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "sph/sph_boundary.h"
#include "sph/sph_boundary_code.h"
#include "sph/sph_code.h"
#include "sph/sph_model.h"
#include "sph/sph_split.h"
#include "sph/sph_tension.h"

void wbSph_ListValues(wbSph *sph, wbSavedValue values[WB_SPH_VALUES]) {
    wbFluidState_ListValues(&sph->fluid, WB_FLUID_VALUE_NAMES("sph"), values);
    values[WB_FLUID_VALUES] =
        (wbSavedValue){"sph.sinceEvaluation", &sph->sinceEvaluation, wb_valueFloat, 0, FLT_MAX, true};
}

void wbSph_ListSplitValues(wbSph *sph, wbSavedValue values[WB_SPH_SPLIT_VALUES]) {
    values[0] = (wbSavedValue){"sph.usualSpeed", &sph->usualSpeed, wb_valueFloat, 0, FLT_MAX, true};
    values[1] = (wbSavedValue){"sph.usualAmong", &sph->usualAmong, wb_valueFloat, 0, FLT_MAX, true};
}

float wbSph_GetUsualSpeed(const wbSph *sph) {
    const float highest = sph->fluid.particles.maxSpeed;
    return highest == sph->usualAmong ? sph->usualSpeed : highest;
}

// Scratch of one step. Velocities of the step's start are carried along when leapfrog sorts in the middle.
typedef struct Step {
    wbSph *sph;
    const wbSphModel *model;
    const wbWork *work;
    const wbSphCode *code;
    wbFluidStep fluid;
    float *ax, *ay, *az;
    float *relative; // densities of the fluids over the reference's; NULL: all 1
    // leapfrog
    float *startVx, *startVy, *startVz;
    float *backStartVx, *backStartVy, *backStartVz;
    bool isInMiddle;
    // the method split
    float *pressure; // of the step before, sorted
    float *push[3];  // that places are moved apart by; NULL: not at all
    // colliders
    float dt;                               // s, that forces on them act
    wbDomain domains[wb_boundaryTimeCount]; // with its sides where they are then
    wbBoundaryTime time;                    // how far the particles have drifted
    float *boundarySums; // what colliders add to densities, from an evaluation to the drift after it
} Step;

static void swapFloats(float **a, float **b) {
    float *t = *a;
    *a = *b, *b = t;
}

static bool isLeapfrog(const wbSphModel *model) {
    return model->params.integrator == wb_integratorLeapfrog && !wbSphModel_IsSplit(model);
}

// Moves the particles into the order of their cells.
static wbStatus sortParticles(Step *step) {
    wbParticles *particles = &step->sph->fluid.particles;
    const bool isSplit = wbSphModel_IsSplit(step->model);
    wbMove moves[WB_SORTED_COLUMNS + 3] = {[WB_SORTED_COLUMNS] = {step->startVx, step->backStartVx},
                                           {step->startVy, step->backStartVy},
                                           {step->startVz, step->backStartVz}};
    if (isSplit) moves[WB_SORTED_COLUMNS] = (wbMove){particles->pressure, step->pressure};
    wbParticles_ListMoves(particles, moves);
    WB_TRY(wbFluidStep_Sort(&step->fluid, wbParticles_GetPoints(particles), moves,
                            WB_SORTED_COLUMNS + (step->isInMiddle ? 3 : isSplit)));
    wbParticles_Flip(particles);
    swapFloats(&step->startVx, &step->backStartVx), swapFloats(&step->startVy, &step->backStartVy);
    swapFloats(&step->startVz, &step->backStartVz);
    return wb_okStatus;
}

// All records at once, before the first pass.
static bool allocateRecords(const Step *step, wbSphPass *pass) {
    const wbFluidStep *fluid = &step->fluid;
    const wbSphParams *p = &step->model->params;
    pass->positionRecords = wbFluidStep_AllocPositions(fluid, step->model->constants.inverseRestDensity);
    pass->velocityRecords = wbFluidStep_AllocVectors(fluid);
    if (!pass->positionRecords || !pass->velocityRecords) return false;
    if (step->relative && !(pass->roots = wbFluidStep_AllocNumbers(fluid, 1))) return false;
    if (p->surfaceTension <= 0 || wbSphModel_HasStress(step->model)) return true;
    pass->normalRecords = wbFluidStep_AllocVectors(fluid);
    pass->roughRecords = p->smoothNormals ? wbFluidStep_AllocVectors(fluid) : pass->normalRecords;
    return pass->normalRecords && pass->roughRecords;
}

// Points of colliders and who is near them. Forces on the bodies are those of a step's last evaluation: leapfrog's in the
// middle.
static wbStatus searchColliders(Step *step, wbSphPass *pass, wbSphBoundaryPass *boundary) {
    bool isLast = step->isInMiddle || !isLeapfrog(step->model);
    if (!wbFluidStep_HasBoundary(&step->fluid)) return wb_okStatus;
    pass->boundarySums = step->boundarySums;
    return wbSphBoundaryPass_Begin(boundary, pass, step->time, isLast);
}

static void runOverLists(const Step *step, const wbSphPass *pass, wbRangeFn *range, unsigned terms) {
    wbFluidStep_RunOverLists(&step->fluid, range, pass->positionRecords, pass, terms);
}

// n_i = h sum m/rho_j grad W, and once more smoothed if that is wanted.
static void sumNormals(Step *step, wbSphPass *pass, wbSphBoundaryPass *boundary) {
    const unsigned kernel = step->model->params.kernel == wb_kernelWendland ? SPH_WENDLAND : 0;
    if (!pass->normalRecords) return;
    float *smoothed = pass->normalRecords;
    pass->normalRecords = pass->roughRecords;
    runOverLists(step, pass, step->code->normals, kernel);
    if (wbFluidStep_HasBoundary(&step->fluid)) wbSphBoundaryPass_AddNormals(boundary);
    wbFluidStep_MirrorVectors(&step->fluid, pass->normalRecords);
    pass->normalRecords = smoothed;
    if (!step->model->params.smoothNormals) return;
    runOverLists(step, pass, step->code->smooth, kernel);
    wbFluidStep_MirrorVectors(&step->fluid, pass->normalRecords);
}

// Of which fluid the particles are, in their order of now.
static void mixFluids(Step *step, wbSphPass *pass) {
    const wbParticles *particles = &step->sph->fluid.particles;
    if (!step->relative) return;
    wbFluidStep_FillRelative(&step->fluid, particles->id, step->relative);
    pass->relative = step->fluid.relative = step->relative;
    wbParallelFor(step->work->pool, particles->count, WB_BLOCK, step->code->roots, pass);
    wbFluidStep_CopyToGhosts(&step->fluid, pass->roots);
}

// Neighbour lists, density and pressure of particles and ghosts.
static wbStatus sumDensity(Step *step, wbSphPass *pass, const wbPointSet *ghosts) {
    wbSph *sph = step->sph;
    if (!allocateRecords(step, pass)) return wbFluidStep_FailByMemory(&step->fluid);
    mixFluids(step, pass);
    WB_TRY(wbFluidStep_BeginLists(&step->fluid, wbParticles_GetPoints(&sph->fluid.particles), ghosts,
                                  &pass->lists));
    wbParallelFor(step->work->pool, sph->fluid.particles.count, WB_BLOCK, step->code->density, pass);
    wbParallelFor(step->work->pool, step->fluid.ghosts.count, WB_BLOCK, step->code->ghosts, pass);
    return wbNeighbours_End(&sph->fluid.search.neighbours, step->work);
}

static unsigned getForceTerms(const Step *step) {
    const wbSphParams *p = &step->model->params;
    unsigned terms = p->kernel == wb_kernelWendland ? SPH_WENDLAND : 0;
    if (p->artificialViscosity > 0) terms |= step->relative ? SPH_ARTIFICIAL | SPH_MIXED : SPH_ARTIFICIAL;
    return p->surfaceTension > 0 && !wbSphModel_HasStress(step->model) ? terms | SPH_SURFACE : terms;
}

// Whether viscosity comes with the first pressures of the method split, in one pass. What sides that fluid sticks to mirror for it is not what
// they mirror for volume.
static bool leavesForcesToSplit(const Step *step) {
    bool leaves =
        wbSphModel_IsSplit(step->model) && !step->relative && step->model->params.surfaceTension <= 0;
    for (int s = 0; s < wb_sideCount; s++) leaves &= step->fluid.domain->types[s] != wb_sideNoSlip;
    return leaves;
}

static void endPhase(Step *step, wbSphPhase phase) { wbFluidStep_EndPhase(&step->fluid, phase); }

// Pressures of the method split, by which accelerations keep the water's volume.
static wbStatus solvePressures(Step *step, const wbSphPass *pass, const wbSphBoundaryPass *boundary) {
    if (!wbSphModel_IsSplit(step->model)) return wb_okStatus;
    const wbSphSplit split = {.pass = pass,
                              .boundary = wbFluidStep_HasBoundary(&step->fluid) ? boundary : NULL,
                              .time = step->time,
                              .addsForces = leavesForcesToSplit(step),
                              .pressure = step->pressure,
                              .push = {step->push[0], step->push[1], step->push[2]},
                              .dt = step->dt};
    WB_TRY(wbSphSplit_Solve(&split));
    endPhase(step, wb_sph_pressure);
    return wb_okStatus;
}

// Of pairs: pressure, viscosity, surface tension.
static void sumForces(const Step *step, const wbSphPass *pass) {
    float *const columns[] = {step->ax, step->ay, step->az};
    if (!leavesForcesToSplit(step))
        runOverLists(step, pass, step->code->forces, getForceTerms(step));
    else if (wbFluidStep_HasBoundary(&step->fluid))
        for (int a = 0; a < 3; a++)
            memset(columns[a], 0, sizeof(float) * (size_t)wbPadCount(step->sph->fluid.particles.count));
}

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    wbSph *sph = step->sph;
    size_t scratch = wbArena_Mark(step->work->arena);
    step->fluid.domain = &step->domains[step->time];
    WB_TRY(sortParticles(step));
    endPhase(step, wb_sph_sort);

    wbSphPass pass = {.sph = sph,
                      .fluid = &step->fluid,
                      .ax = step->ax,
                      .ay = step->ay,
                      .az = step->az,
                      .model = step->model,
                      .constants = step->model->constants,
                      .inverseTime = sph->sinceEvaluation > 0 ? 1 / sph->sinceEvaluation : 0};
    wbPointSet ghosts;
    wbSphBoundaryPass boundary;
    WB_TRY(wbFluidStep_FindGhosts(&step->fluid, wbParticles_GetPoints(&sph->fluid.particles), &ghosts));
    WB_TRY(searchColliders(step, &pass, &boundary));
    endPhase(step, wb_sph_boundary);

    WB_TRY(sumDensity(step, &pass, &ghosts)); // rho_i = sum m W
    WB_TRY(wbFluidStep_CheckPairs(&step->fluid));
    endPhase(step, wb_sph_neighbours);

    const bool hasStress = wbSphModel_HasStress(step->model),
               hasBoundary = wbFluidStep_HasBoundary(&step->fluid);
    wbSphTensionPass tension;
    if (hasStress && !wbSphTensionPass_Begin(&tension, &pass, hasBoundary ? &boundary : NULL))
        return wbFluidStep_FailByMemory(&step->fluid);
    sumNormals(step, &pass, &boundary);
    endPhase(step, wb_sph_normals);

    sumForces(step, &pass);
    if (hasBoundary) wbSphBoundaryPass_AddForces(&boundary, step->time, step->dt);
    if (hasStress) wbSphTensionPass_AddForces(&tension, step->time, step->dt);
    endPhase(step, wb_sph_forces);
    WB_TRY(solvePressures(step, &pass, &boundary));
    wbArena_Release(step->work->arena, scratch);
    return wb_okStatus;
}

// The last line of colliders: what went through a surface is put back. What leapfrog's middle takes from velocities does not last.
static void collide(Step *step, wbBoundaryTime to) {
    const float *sums = wbFluidStep_HasBoundary(&step->fluid) ? step->boundarySums : NULL;
    wbFluidStep_Collide(&step->fluid, sums, step->time, to, to == wb_atEnd);
    step->time = to;
}

static void pushRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Step *step = context;
    const wbParticles *p = &step->sph->fluid.particles;
    for (int i = begin; i < end; i++)
        p->x[i] += step->push[0][i], p->y[i] += step->push[1][i], p->z[i] += step->push[2][i];
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the sides and the colliders.
static wbStatus integrate(Step *step, float kick, float drift, bool driftsAfterKick, wbBoundaryTime to) {
    wbSph *sph = step->sph;
    wbFluidStep_KeepPositions(&step->fluid);
    if (step->push[0]) wbParallelFor(step->work->pool, sph->fluid.particles.count, WB_BLOCK, pushRange, step);
    bool carried = step->isInMiddle;
    wbSphMove move = {.sph = sph,
                      .move =
                          wbSphModel_GetMove(step->model, &step->domains[to], kick, drift, driftsAfterKick),
                      .ax = step->ax,
                      .ay = step->ay,
                      .az = step->az,
                      .relative = step->relative,
                      .startVx = carried ? step->startVx : sph->fluid.particles.vx,
                      .startVy = carried ? step->startVy : sph->fluid.particles.vy,
                      .startVz = carried ? step->startVz : sph->fluid.particles.vz,
                      .maxima = step->fluid.maxima};
    wbParallelFor(step->work->pool, sph->fluid.particles.count, WB_BLOCK, step->code->integrate, &move);
    collide(step, to);
    sph->sinceEvaluation = drift;
    endPhase(step, wb_sph_integrate);
    return wbFluidStep_TakeMaxima(&step->fluid);
}

static bool reserveStart(Step *step) {
    float **arrays[] = {&step->startVx,     &step->startVy,     &step->startVz,
                        &step->backStartVx, &step->backStartVy, &step->backStartVz};
    return wbFluidStep_AllocColumns(&step->fluid, arrays, sizeof arrays / sizeof arrays[0]);
}

// The start's velocities, in the order of the first evaluation.
static void keepStart(Step *step) {
    wbFluidStep_CopyVelocities(&step->fluid, step->startVx, step->startVy, step->startVz);
    step->isInMiddle = true;
}

// Leapfrog after Cossins 2010: v½ = v + dt/2 a(x, v), x½ = x + dt/2 v, v' = v + dt a(x½, v½), x' = x + dt/2
// (v + v'), which is x½ + dt/2 v'.
static wbStatus leapfrog(Step *step, float dt) {
    if (!reserveStart(step)) return wbFluidStep_FailByMemory(&step->fluid);
    WB_TRY(evaluate(step));
    keepStart(step);
    WB_TRY(integrate(step, 0.5f * dt, 0.5f * dt, false, wb_atMiddle));
    WB_TRY(evaluate(step));
    return integrate(step, dt, 0.5f * dt, true, wb_atEnd);
}

// One evaluation, with the pressures of its end; see sph_split_formula.h.
static wbStatus split(Step *step, float dt) {
    float **const columns[] = {&step->pressure, &step->push[0], &step->push[1], &step->push[2]};
    if (!wbFluidStep_AllocColumns(&step->fluid, columns, 4)) return wbFluidStep_FailByMemory(&step->fluid);
    WB_TRY(evaluate(step));
    WB_TRY(integrate(step, dt, dt, true, wb_atEnd));
    step->sph->usualSpeed = wbParticles_FindUsualSpeed(&step->sph->fluid.particles);
    step->sph->usualAmong = step->sph->fluid.particles.maxSpeed;
    return wb_okStatus;
}

static bool reserveForColliders(Step *step) {
    float **const sums[] = {&step->boundarySums};
    if (step->fluid.colliders && !wbFluidStep_AllocColumns(&step->fluid, sums, 1)) return false;
    return wbFluidStep_AllocBefore(&step->fluid);
}

static wbStatus advance(Step *step, float dt) {
    const wbWork *work = step->work;
    float **const accelerations[] = {&step->ax, &step->ay, &step->az}, **const relative[] = {&step->relative};
    const bool isMixed = step->sph->fluid.mixture.count > 0;
    WB_TRY(wbFluidStep_Begin(&step->fluid, wbSphModel_GetBoundaryKernel(step->model, work->simd)));
    if (!wbFluidStep_AllocColumns(&step->fluid, accelerations, 3) ||
        (isMixed && !wbFluidStep_AllocColumns(&step->fluid, relative, 1)) || !reserveForColliders(step))
        return wbFluidStep_FailByMemory(&step->fluid);

    wbIntegrator integrator = step->model->params.integrator;
    if (wbSphModel_IsSplit(step->model)) return split(step, dt);
    if (isLeapfrog(step->model)) return leapfrog(step, dt);
    WB_TRY(evaluate(step));
    return integrate(step, dt, dt, integrator == wb_integratorSymplectic, wb_atEnd);
}

wbStatus wbSph_Step(wbSph *sph, const wbSphModel *given, const wbFluidColliders *colliders,
                    const wbWork *work, float dt) {
    const wbSphModel other = wbSphModel_WithoutPressure(given, wbSph_GetUsualSpeed(sph));
    const wbSphModel *model = wbSphModel_IsSplit(given) ? &other : given;
    Step step = {.sph = sph,
                 .model = model,
                 .work = work,
                 .code = wbGetSphCode(work->simd),
                 .dt = dt,
                 .fluid = wbMakeFluidStep(&sph->fluid, model->domain, model->h, model->params.smoothing,
                                          colliders, work)};
    if (sph->fluid.particles.count == 0) return wb_okStatus;
    for (int k = 0; k < wb_boundaryTimeCount; k++)
        step.domains[k] = wbDomain_At(model->domain, 0.5f * (float)k * dt);
    WB_TRY(advance(&step, dt));
    wbFluidStep_TakeCaught(&step.fluid, model->mass);
    return wb_okStatus;
}
