// SPDX-License-Identifier: MIT
#include "sph/sph.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "sph/sph_boundary.h"
#include "sph/sph_boundary_code.h"
#include "sph/sph_code.h"
#include "sph/sph_model.h"

void wbSph_Init(wbSph *sph) {
    *sph = (wbSph){0};
    wbFluidSearch_Init(&sph->search);
}

void wbSph_ListValues(wbSph *sph, wbSavedValue values[WB_SPH_VALUES]) {
    const wbSavedValue list[WB_SPH_VALUES] = {
        {"sph.count", &sph->particles.count, wb_valueInt, 0, INT_MAX - 1024, true},
        {"sph.maxSpeed", &sph->particles.maxSpeed, wb_valueFloat, 0, FLT_MAX, true},
        {"sph.maxDensity", &sph->particles.maxDensity, wb_valueFloat, 0, FLT_MAX, true},
        {"sph.sinceEvaluation", &sph->sinceEvaluation, wb_valueFloat, 0, FLT_MAX, true},
    };
    memcpy(values, list, sizeof list);
}

void wbSph_Free(wbMemory *memory, wbSph *sph) {
    wbParticles_Free(memory, &sph->particles);
    wbFluidSearch_Free(memory, &sph->search);
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
    // colliders
    wbDomain domains[wb_boundaryTimeCount]; // with its sides where they are then
    wbBoundaryTime time;                    // how far the particles have drifted
    float *before[3];                       // positions before a drift, for continuous collision
    float *boundarySums; // what colliders add to densities, from an evaluation to the drift after it
} Step;

static wbFluidStep makeFluidStep(wbSph *sph, const wbSphModel *model, const wbFluidColliders *colliders,
                                 const wbWork *work) {
    return (wbFluidStep){.particles = &sph->particles,
                         .mixture = &sph->mixture,
                         .search = &sph->search,
                         .domain = model->domain,
                         .h = model->h,
                         .smoothing = model->params.smoothing,
                         .colliders = colliders,
                         .work = work};
}

static wbStatus outOfMemory(const Step *step) { return wbFluidStep_FailByMemory(&step->fluid); }

static void swapFloats(float **a, float **b) {
    float *t = *a;
    *a = *b, *b = t;
}

// Moves the particles into the order of their cells.
static wbStatus sortParticles(Step *step) {
    wbParticles *particles = &step->sph->particles;
    wbMove moves[WB_SORTED_COLUMNS + 3] = {[WB_SORTED_COLUMNS] = {step->startVx, step->backStartVx},
                                           {step->startVy, step->backStartVy},
                                           {step->startVz, step->backStartVz}};
    wbParticles_ListMoves(particles, moves);
    WB_TRY(wbFluidStep_Sort(&step->fluid, wbParticles_GetPoints(particles), moves,
                            WB_SORTED_COLUMNS + (step->isInMiddle ? 3 : 0)));
    wbParticles_Flip(particles);
    swapFloats(&step->startVx, &step->backStartVx), swapFloats(&step->startVy, &step->backStartVy);
    swapFloats(&step->startVz, &step->backStartVz);
    return wb_okStatus;
}

// All records at once, before the first pass.
static bool allocateRecords(const Step *step, wbSphPass *pass) {
    const wbFluidStep *fluid = &step->fluid;
    const wbSphParams *p = &step->model->params;
    // beyond every kernel, and near enough that products with 1/rho stay finite
    const float away[4] = {1e15f, 1e15f, 1e15f, step->model->constants.inverseRestDensity}, none[4] = {0};
    pass->positionRecords = wbFluidStep_AllocRecords(fluid, away);
    pass->velocityRecords = wbFluidStep_AllocRecords(fluid, none);
    if (!pass->positionRecords || !pass->velocityRecords) return false;
    if (step->relative && !(pass->roots = wbFluidStep_AllocNumbers(fluid, 1))) return false;
    if (p->surfaceTension <= 0) return true;
    pass->normalRecords = wbFluidStep_AllocRecords(fluid, none);
    pass->roughRecords = p->smoothNormals ? wbFluidStep_AllocRecords(fluid, none) : pass->normalRecords;
    return pass->normalRecords && pass->roughRecords;
}

// Points of colliders and who is near them. Forces on the bodies are those of a step's last evaluation: leapfrog's in the
// middle.
static wbStatus searchColliders(Step *step, wbSphPass *pass, wbSphBoundaryPass *boundary) {
    bool isLast = step->isInMiddle || step->model->params.integrator != wb_integratorLeapfrog;
    if (!wbFluidStep_HasBoundary(&step->fluid)) return wb_okStatus;
    pass->boundarySums = step->boundarySums;
    return wbSphBoundaryPass_Begin(boundary, pass, step->time, isLast);
}

static void runOverLists(const Step *step, const wbSphPass *pass, wbRangeFn *range, unsigned terms) {
    wbFluidStep_Run(&step->fluid, range, step->sph->particles.count,
                    (wbListPass){&step->sph->search.neighbours, pass, terms, false});
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
    const wbParticles *particles = &step->sph->particles;
    if (!step->relative) return;
    wbFluidStep_FillRelative(&step->fluid, particles->id, step->relative);
    pass->relative = step->relative;
    wbParallelFor(step->work->pool, particles->count, WB_BLOCK, step->code->roots, pass);
    wbFluidStep_CopyToGhosts(&step->fluid, pass->roots);
}

// Neighbour lists, density and pressure of particles and ghosts.
static wbStatus sumDensity(Step *step, wbSphPass *pass, const wbPointSet *ghosts) {
    wbSph *sph = step->sph;
    wbPointSet own = {.points = wbParticles_GetPoints(&sph->particles), .grid = &sph->search.grid};
    const int ghostCount = step->fluid.ghosts.count;
    if (!allocateRecords(step, pass)) return outOfMemory(step);
    mixFluids(step, pass);
    WB_TRY(wbNeighbours_Begin(&sph->search.neighbours, step->work, &own, ghostCount ? ghosts : NULL,
                              step->fluid.dummy, &pass->lists));
    wbParallelFor(step->work->pool, sph->particles.count, WB_BLOCK, step->code->density, pass);
    wbParallelFor(step->work->pool, ghostCount, WB_BLOCK, step->code->ghosts, pass);
    return wbNeighbours_End(&sph->search.neighbours, step->work);
}

wbStatus wbSph_CheckStart(wbSph *sph, const wbSphModel *model, const wbWork *work) {
    wbFluidStep fluid = makeFluidStep(sph, model, NULL, work);
    return wbFluidStep_Sort(&fluid, wbParticles_GetPoints(&sph->particles), NULL, 0);
}

wbStatus wbSph_CheckPairs(const wbSph *sph, const wbSphModel *model) {
    return wbParticles_CheckPairs(&sph->particles, sph->search.neighbours.pairs, model->params.smoothing,
                                  model->domain->dimensions);
}

static void endPhase(Step *step, wbSphPhase phase, double *mark) { step->sph->ms[phase] += wbLapMs(mark); }

static unsigned getForceTerms(const Step *step) {
    const wbSphParams *p = &step->model->params;
    unsigned terms = p->kernel == wb_kernelWendland ? SPH_WENDLAND : 0;
    if (p->artificialViscosity > 0) terms |= step->relative ? SPH_ARTIFICIAL | SPH_MIXED : SPH_ARTIFICIAL;
    return p->surfaceTension > 0 ? terms | SPH_SURFACE : terms;
}

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    wbSph *sph = step->sph;
    size_t scratch = wbArena_Mark(step->work->arena);
    double mark = wbGetSeconds();
    step->fluid.domain = &step->domains[step->time];
    WB_TRY(sortParticles(step));
    endPhase(step, wb_sph_sort, &mark);

    wbSphPass pass = {.sph = sph,
                      .model = step->model,
                      .fluid = &step->fluid,
                      .ax = step->ax,
                      .ay = step->ay,
                      .az = step->az,
                      .inverseTime = sph->sinceEvaluation > 0 ? 1 / sph->sinceEvaluation : 0};
    wbPointSet ghosts;
    wbSphBoundaryPass boundary;
    WB_TRY(wbFluidStep_FindGhosts(&step->fluid, wbParticles_GetPoints(&sph->particles), &ghosts));
    WB_TRY(searchColliders(step, &pass, &boundary));
    endPhase(step, wb_sph_walls, &mark);

    WB_TRY(sumDensity(step, &pass, &ghosts)); // rho_i = sum m W
    WB_TRY(wbSph_CheckPairs(sph, step->model));
    endPhase(step, wb_sph_neighbours, &mark);

    sumNormals(step, &pass, &boundary);
    endPhase(step, wb_sph_normals, &mark);

    // pressure, viscosity, surface tension
    runOverLists(step, &pass, step->code->forces, getForceTerms(step));
    if (wbFluidStep_HasBoundary(&step->fluid)) wbSphBoundaryPass_AddForces(&boundary, step->time);
    endPhase(step, wb_sph_forces, &mark);
    wbArena_Release(step->work->arena, scratch);
    return wb_okStatus;
}

static void keepBefore(const Step *step) {
    const wbParticles *p = &step->sph->particles;
    const float *const positions[3] = {p->x, p->y, p->z};
    for (int a = 0; a < 3 && wbFluidStep_HasCollision(&step->fluid); a++)
        memcpy(step->before[a], positions[a], sizeof(float) * (size_t)p->count);
}

// The last line of colliders: what went through a surface is put back.
static void collide(Step *step, wbBoundaryTime to) {
    const float *const before[3] = {step->before[0], step->before[1], step->before[2]};
    const float *sums = wbFluidStep_HasBoundary(&step->fluid) ? step->boundarySums : NULL;
    wbFluidStep_Collide(&step->fluid, before, sums, step->time, to);
    step->time = to;
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the sides and the colliders.
static wbStatus integrate(Step *step, float kick, float drift, bool driftsAfterKick, wbBoundaryTime to) {
    wbSph *sph = step->sph;
    double mark = wbGetSeconds();
    keepBefore(step);
    bool carried = step->isInMiddle;
    wbSphMove move = {.sph = sph,
                      .move =
                          wbSphModel_GetMove(step->model, &step->domains[to], kick, drift, driftsAfterKick),
                      .ax = step->ax,
                      .ay = step->ay,
                      .az = step->az,
                      .relative = step->relative,
                      .startVx = carried ? step->startVx : sph->particles.vx,
                      .startVy = carried ? step->startVy : sph->particles.vy,
                      .startVz = carried ? step->startVz : sph->particles.vz,
                      .maxima = step->fluid.maxima};
    wbParallelFor(step->work->pool, sph->particles.count, WB_BLOCK, step->code->integrate, &move);
    collide(step, to);
    sph->sinceEvaluation = drift;
    endPhase(step, wb_sph_integrate, &mark);
    return wbFluidStep_TakeMaxima(&step->fluid);
}

static bool reserveStart(Step *step) {
    float **arrays[] = {&step->startVx,     &step->startVy,     &step->startVz,
                        &step->backStartVx, &step->backStartVy, &step->backStartVz};
    return wbFluidStep_AllocColumns(&step->fluid, arrays, sizeof arrays / sizeof arrays[0]);
}

// The start's velocities, in the order of the first evaluation.
static void keepStart(Step *step) {
    const wbParticles *p = &step->sph->particles;
    const wbMove copies[] = {{p->vx, step->startVx}, {p->vy, step->startVy}, {p->vz, step->startVz}};
    for (size_t k = 0; k < sizeof copies / sizeof copies[0]; k++)
        memcpy(copies[k].to, copies[k].from, sizeof(float) * (size_t)p->count);
    step->isInMiddle = true;
}

// Leapfrog after Cossins 2010: v½ = v + dt/2 a(x, v), x½ = x + dt/2 v, v' = v + dt a(x½, v½), x' = x + dt/2
// (v + v'), which is x½ + dt/2 v'.
static wbStatus leapfrog(Step *step, float dt) {
    if (!reserveStart(step)) return outOfMemory(step);
    WB_TRY(evaluate(step));
    keepStart(step);
    WB_TRY(integrate(step, 0.5f * dt, 0.5f * dt, false, wb_atMiddle));
    WB_TRY(evaluate(step));
    return integrate(step, dt, 0.5f * dt, true, wb_atEnd);
}

static bool reserveForColliders(Step *step) {
    float **const sums[] = {&step->boundarySums};
    float **const before[] = {&step->before[0], &step->before[1], &step->before[2]};
    if (step->fluid.colliders && !wbFluidStep_AllocColumns(&step->fluid, sums, 1)) return false;
    return !wbFluidStep_HasCollision(&step->fluid) || wbFluidStep_AllocColumns(&step->fluid, before, 3);
}

static wbStatus advance(Step *step, float dt) {
    const wbWork *work = step->work;
    const wbFluidColliders *colliders = step->fluid.colliders;
    float **const accelerations[] = {&step->ax, &step->ay, &step->az}, **const relative[] = {&step->relative};
    const bool isMixed = step->sph->mixture.count > 0;
    if (colliders) WB_TRY(wbWeighBoundary(colliders->boundary, step->model, work));
    WB_TRY(wbFluidStep_Begin(&step->fluid));
    if (!wbFluidStep_AllocColumns(&step->fluid, accelerations, 3) ||
        (isMixed && !wbFluidStep_AllocColumns(&step->fluid, relative, 1)) || !reserveForColliders(step))
        return outOfMemory(step);

    wbIntegrator integrator = step->model->params.integrator;
    if (integrator == wb_integratorLeapfrog) return leapfrog(step, dt);
    WB_TRY(evaluate(step));
    return integrate(step, dt, dt, integrator == wb_integratorSymplectic, wb_atEnd);
}

wbStatus wbSph_Step(wbSph *sph, const wbSphModel *model, const wbFluidColliders *colliders,
                    const wbWork *work, float dt) {
    Step step = {.sph = sph,
                 .model = model,
                 .work = work,
                 .code = wbGetSphCode(work->simd),
                 .fluid = makeFluidStep(sph, model, colliders, work)};
    memset(sph->ms, 0, sizeof sph->ms);
    if (sph->particles.count == 0) {
        if (colliders) wbBoundary_ClearForces(colliders->boundary);
        return wb_okStatus;
    }
    for (int k = 0; k < wb_boundaryTimeCount; k++)
        step.domains[k] = wbDomain_At(model->domain, 0.5f * (float)k * dt);
    return advance(&step, dt);
}
