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
#include "sph/sph_sheets.h"
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
    values[2] = (wbSavedValue){"sph.usualPace", &sph->usualPace, wb_valueFloat, 0, FLT_MAX, true};
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
    wbSphSheets sheets;  // likewise
    size_t scratch;      // of the arena, of an evaluation and the drift after it
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

// Forces on bodies are those of a step's last evaluation: leapfrog's in the middle.
static bool isLast(const Step *step) { return step->isInMiddle || !isLeapfrog(step->model); }

// Points of colliders and who is near them.
static wbStatus searchColliders(Step *step, wbSphPass *pass, wbSphBoundaryPass *boundary) {
    if (!wbFluidStep_HasBoundary(&step->fluid)) return wb_okStatus;
    pass->boundarySums = step->boundarySums;
    return wbSphBoundaryPass_Begin(boundary, pass, step->time, isLast(step));
}

// How far the drift after an evaluation goes: leapfrog takes two halves.
static wbSheetSwarm getPart(const Step *step) {
    const bool isHalf = isLeapfrog(step->model);
    return (wbSheetSwarm){.dt = step->dt,
                          .from = isHalf && step->isInMiddle ? 0.5f : 0,
                          .to = isHalf && !step->isInMiddle ? 0.5f : 1};
}

static void runOverLists(const Step *step, const wbSphPass *pass, wbRangeFn *range, unsigned terms) {
    wbFluidStep_RunOverLists(&step->fluid, range, pass->positionRecords, pass, terms);
}

static unsigned getKernel(const Step *step) {
    return step->model->params.kernel == wb_kernelWendland ? SPH_WENDLAND : 0;
}

// n_i = h sum m/rho_j grad W, and once more smoothed if that is wanted.
static void sumNormals(Step *step, wbSphPass *pass, wbSphBoundaryPass *boundary) {
    const unsigned kernel = getKernel(step);
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

// Lists come first, since those of particles behind sheets are cut.
static wbStatus sumBesideSheets(Step *step, wbSphPass *pass, const wbPointSet *ghosts) {
    const wbParticles *particles = &step->sph->fluid.particles;
    const wbSheetSwarm part = getPart(step);
    WB_TRY(wbSphSheets_Find(&step->sheets, pass, part, (part.to - part.from) * part.dt));
    WB_TRY(wbFluidStep_BuildLists(&step->fluid, wbParticles_GetPoints(particles), ghosts));
    if (!pass->boundarySums)
        memset(step->boundarySums, 0, sizeof(float) * (size_t)wbPadCount(particles->count));
    pass->boundarySums = step->boundarySums;
    wbSphSheets_AddDensity(&step->sheets, pass->boundarySums);
    wbFluidStep_RunOverLists(&step->fluid, step->code->sums, step->sheets.swarm.starts, pass,
                             getKernel(step));
    wbParallelFor(step->work->pool, step->fluid.ghosts.count, WB_BLOCK, step->code->ghosts, pass);
    return wb_okStatus;
}

// Neighbour lists, density and pressure of particles and ghosts.
static wbStatus sumDensity(Step *step, wbSphPass *pass, const wbPointSet *ghosts) {
    wbSph *sph = step->sph;
    if (!allocateRecords(step, pass)) return wbFluidStep_FailByMemory(&step->fluid);
    mixFluids(step, pass);
    if (step->sheets.sheets) return sumBesideSheets(step, pass, ghosts);
    WB_TRY(wbFluidStep_BeginLists(&step->fluid, wbParticles_GetPoints(&sph->fluid.particles), ghosts,
                                  &pass->lists));
    wbParallelFor(step->work->pool, sph->fluid.particles.count, WB_BLOCK, step->code->density, pass);
    wbParallelFor(step->work->pool, step->fluid.ghosts.count, WB_BLOCK, step->code->ghosts, pass);
    return wbNeighbours_End(&sph->fluid.search.neighbours, step->work);
}

static unsigned getForceTerms(const Step *step) {
    const wbSphParams *p = &step->model->params;
    unsigned terms = getKernel(step);
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
                              .sheets = step->sheets.sheets ? &step->sheets : NULL,
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
    else if (wbFluidStep_HasBoundary(&step->fluid) || step->sheets.sheets)
        for (int a = 0; a < 3; a++)
            memset(columns[a], 0, sizeof(float) * (size_t)wbPadCount(step->sph->fluid.particles.count));
}

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    wbSph *sph = step->sph;
    step->scratch = wbArena_Mark(step->work->arena);
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
    if (step->sheets.sheets && !wbSphModel_IsSplit(step->model))
        wbSphSheets_AddForces(&step->sheets, &pass, isLast(step));
    endPhase(step, wb_sph_forces);
    return solvePressures(step, &pass, &boundary);
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

// Nothing goes through thin sheets. What that does to particles lasts, as what it does to sheets: leapfrog's kick begins with it, too.
static void hold(Step *step, wbBoundaryTime to) {
    float *const start[3] = {step->startVx, step->startVy, step->startVz};
    if (step->sheets.sheets)
        wbSphSheets_Hold(&step->sheets, to == wb_atEnd ? NULL : start, step->fluid.maxima);
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the sides, sheets and the colliders.
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
    hold(step, to);
    collide(step, to);
    sph->sinceEvaluation = drift;
    wbArena_Release(step->work->arena, step->scratch);
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
    wbSphSplit_FindUsual(step->model, step->relative, step->sph);
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
    if (colliders) step.sheets = (wbSphSheets){.sheets = colliders->sheets, .fluid = &step.fluid};
    for (int k = 0; k < wb_boundaryTimeCount; k++)
        step.domains[k] = wbDomain_At(model->domain, 0.5f * (float)k * dt);
    WB_TRY(advance(&step, dt));
    wbFluidStep_TakeCaught(&step.fluid, model->mass);
    return wb_okStatus;
}
