// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <float.h>
#include <math.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

// s: the longest step that a solver allows, as it is or by what was asked for alone; INFINITY if it does not care.
static float getLimit(const wbSolver *solver, bool isAsked) {
    return solver->kind->isUsed(solver) ? solver->kind->getStableStep(solver, isAsked) : INFINITY;
}

float wbWorld_GetStableStep(const wbWorld *world) {
    WB_REQUIRE(world);
    float limit = INFINITY;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) limit = fminf(limit, getLimit(&world->solvers[s], false));
    return limit;
}

float wbWorld_GetTimeStep(const wbWorld *world) {
    WB_REQUIRE(world);
    float stable = wbWorld_GetStableStep(world);
    return world->params.dt > 0 ? world->params.dt : isfinite(stable) ? stable : WB_FRAME_STEP;
}

static wbStatus explainCollapse(const wbSolver *solver, float now, float asked) {
    wbStatus why = wbError(wb_errorUnstable, "the stable step has collapsed to %.3g s, from %.3g s",
                           (double)now, (double)asked);
    const int index = (int)(solver - solver->world->solvers);
    if (index < WB_FLUID_SOLVERS) {
        const wbParticles *fluid = solver->world->pools[index].particles;
        why = wbError(wb_errorUnstable, "%s, by speeds up to %.3g m/s and densities up to %.3g kg/m3",
                      why.text, (double)fluid->maxSpeed, (double)fluid->maxDensity);
    }
    return solver->kind->explain(solver, now, why.text);
}

// An automatic step follows speeds and densities. Where they run away it shrinks without end, and the run would go on
// without end.
static wbStatus checkCollapse(const wbWorld *world) {
    const float least = 1e-4f;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        float now = getLimit(&world->solvers[s], false), asked = getLimit(&world->solvers[s], true);
        if (now < least * asked) return explainCollapse(&world->solvers[s], now, asked);
    }
    return wb_okStatus;
}

// A device that failed has lost the particles; what was short of memory has changed nothing.
static wbStatus settle(wbWorld *world, const wbPool *pool, wbStatus status) {
    bool isLost = !wbIsOk(status) && status.code != wb_errorUnstable && !wbIsPoolOnDevice(pool);
    return pool->device && isLost ? wbRestoreSnapshot(world, status) : status;
}

static wbStatus stepSph(wbWorld *world, float dt) {
    wbFluidColliders room;
    wbPool *pool = &world->pools[wb_solverSph];
    const wbFluidColliders *colliders = wbGetFluidColliders(pool, &room);
    if (!wbIsSolverUsed(world, wb_solverSph)) return wb_okStatus;
    WB_TRY(wbListMixture(world, pool, &world->sph.mixture));
    wbStatus status = pool->device
                          ? settle(world, pool,
                                   wbSphGpu_Step(world->solvers[wb_solverIndex_sph].device, &world->sph,
                                                 &world->sphModel, colliders, &world->work, dt))
                          : wbSph_Step(&world->sph, &world->sphModel, colliders, &world->work, dt);
    world->sph.mixture = (wbMixture){0}; // it was the arena's
    return status;
}

static wbStatus stepPbf(wbWorld *world, float dt) {
    wbFluidColliders room;
    wbPool *pool = &world->pools[wb_solverPbf];
    const wbFluidColliders *colliders = wbGetFluidColliders(pool, &room);
    if (!wbIsSolverUsed(world, wb_solverPbf)) return wb_okStatus;
    world->pbf.colliderSpeed = world->colliderSpeed;
    WB_TRY(wbListMixture(world, pool, &world->pbf.mixture));
    wbStatus status = pool->device
                          ? settle(world, pool,
                                   wbPbfGpu_Step(world->solvers[wb_solverIndex_pbf].device, &world->pbf,
                                                 &world->pbfModel, colliders, &world->work, dt))
                          : wbPbf_Step(&world->pbf, &world->pbfModel, colliders, &world->work, dt);
    world->pbf.mixture = (wbMixture){0}; // it was the arena's
    return status;
}

// However few they are: particles that have fallen into each other are no fluid any more.
static wbStatus checkDensity(wbWorld *world, const wbPool *pool) {
    if (!wbAreCrushed(pool->particles, pool->restDensity)) return wb_okStatus;
    WB_TRY(wbPullState(world));
    return wbParticles_FailByCrush(pool->particles, pool->restDensity);
}

// One solver after the other; *failed is the one that a status other than ok is of. What the first has done cannot be
// taken back when the second finds no memory: then the world stops.
static wbStatus stepFluids(wbWorld *world, float dt, const wbSolver **failed) {
    *failed = &world->solvers[wb_solverSph];
    WB_TRY(stepSph(world, dt));
    WB_TRY(checkDensity(world, &world->pools[wb_solverSph]));
    WB_TRY(wbCheckEnergy(world, &world->pools[wb_solverSph], dt));
    *failed = &world->solvers[wb_solverPbf];
    wbStatus status = stepPbf(world, dt);
    if (status.code == wb_errorMemory && world->sph.particles.count > 0) world->stopped = status;
    WB_TRY(status);
    WB_TRY(checkDensity(world, &world->pools[wb_solverPbf]));
    return wbCheckEnergy(world, &world->pools[wb_solverPbf], dt);
}

static wbStatus explain(const wbWorld *world, const wbSolver *failed, float dt, const char *what) {
    if (failed) return failed->kind->explain(failed, dt, what);
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): %s; dt is %.3g s",
                   (long long)world->stepCount + 1, world->time, what, dt);
}

wbStatus wbWorld_Step(wbWorld *world, float dt) {
    WB_REQUIRE(world);
    if (!wbIsOk(world->stopped)) return world->stopped;
    if (!(dt >= 0) || !isfinite(dt))
        return wbError(wb_errorInput, "dt is %g s, allowed is 0 (the world's own) or more", dt);
    if (dt == 0 && world->params.dt == 0) world->stopped = checkCollapse(world);
    if (!wbIsOk(world->stopped)) return world->stopped;
    if (dt == 0) dt = wbWorld_GetTimeStep(world);
    double mark = wbGetSeconds();
    if (!wbArena_Reset(world->work.arena))
        return wbMemoryError(world->memory, "a step of %lld particles needs",
                             (long long)wbCountParticles(world));

    const wbSolver *failed = NULL; // what moves colliders is none
    wbDomain_Drive(&world->domain, dt);
    wbStatus status = wbPrepareFlow(world);
    if (wbIsOk(status)) status = wbPrepareColliders(world, dt); // gates, locks, wheels, shakers
    if (wbIsOk(status)) status = wbPrepareAir(world, dt);
    if (wbIsOk(status)) failed = &world->solvers[wb_solverIndex_pbd];
    if (wbIsOk(status)) status = wbStepSoft(world, dt);
    bool isSoftAhead = wbIsOk(status);
    if (wbIsOk(status)) status = stepFluids(world, dt, &failed);
    if (wbIsOk(status)) failed = &world->solvers[wb_solverIndex_smoke];
    if (wbIsOk(status)) status = wbStepAir(world, dt);
    if (wbIsOk(status)) status = wbRunFlow(world, dt); // emitters and drains
    if (status.code == wb_errorUnstable) return world->stopped = explain(world, failed, dt, status.text);
    if (!wbIsOk(status)) {
        // a device's step cannot be undone: the world's parts are not at one time any more
        if (isSoftAhead && wbSolver_IsAhead(&world->solvers[wb_solverIndex_pbd])) world->stopped = status;
        if (isSoftAhead) wbUndoSoft(world);
        wbArena_Release(world->work.arena, 0); // room to read the state that the solver went back to
        return status;
    }
    wbDomain_Advance(&world->domain, dt);
    wbSettleColliders(world, dt);
    world->time += dt;
    world->stepCount++;
    world->lastDt = dt;
    world->stepMs = wbLapMs(&mark);
    return wb_okStatus;
}
