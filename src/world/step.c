// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <float.h>
#include <math.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

// s, a frame of most screens: what soft bodies, which are stable at every step, and air at rest take
#define WB_FRAME_STEP (1.0f / 60)

// What a step is limited by.
typedef enum Part { SPH_PART, PBF_PART, AIR_PART, SOFT_PART, PART_COUNT } Part;

// m/s: how fast a fluid is, or is by what was asked for alone: as it came, and by its colliders.
static float getSpeed(const wbWorld *world, wbFluidSolver solver, bool isAsked) {
    const wbPool *pool = &world->pools[solver];
    return fmaxf(isAsked ? (float)pool->account.speed : pool->particles->maxSpeed, world->colliderSpeed);
}

// s: the longest step that a part of the world allows, as it is or by what was asked for alone; INFINITY if it does not
// care.
static float getLimit(const wbWorld *world, Part part, bool isAsked) {
    if (part == SPH_PART && wbIsSolverUsed(world, wb_solverSph))
        return wbSphModel_GetStableStep(&world->sphModel, getSpeed(world, wb_solverSph, isAsked),
                                        isAsked ? 0 : world->sph.particles.maxDensity);
    if (part == PBF_PART && wbIsSolverUsed(world, wb_solverPbf))
        return wbPbf_GetStableStep(&world->pbf, &world->pbfModel, getSpeed(world, wb_solverPbf, isAsked));
    if (part == AIR_PART && world->air)
        return fminf(isAsked ? WB_FRAME_STEP : INFINITY, wbGetAirStep(world, isAsked));
    return part == SOFT_PART && wbWorld_GetSoftBodyCount(world) > 0 ? WB_FRAME_STEP : INFINITY;
}

float wbWorld_GetStableStep(const wbWorld *world) {
    WB_REQUIRE(world);
    float limit = INFINITY;
    for (Part part = 0; part < PART_COUNT; part++) limit = fminf(limit, getLimit(world, part, false));
    return limit;
}

float wbWorld_GetTimeStep(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->params.dt > 0 ? world->params.dt : wbWorld_GetStableStep(world);
}

// An automatic step follows speeds and densities. Where they run away it shrinks without end, and the run would go on
// without end.
static wbStatus checkCollapse(const wbWorld *world) {
    const float least = 1e-4f;
    for (Part part = 0; part < PART_COUNT; part++) {
        float now = getLimit(world, part, false), asked = getLimit(world, part, true);
        const wbParticles *fluid = part == PBF_PART ? &world->pbf.particles : &world->sph.particles;
        if (!(now < least * asked)) continue;
        if (part == AIR_PART)
            return wbError(
                wb_errorUnstable,
                "unstable at step %lld (%g s): the step that air allows has collapsed to %.3g s: it runs "
                "away; make smoke.longestStep or smoke.cfl smaller",
                (long long)world->stepCount + 1, world->time, (double)now);
        wbStatus why =
            wbError(wb_errorUnstable,
                    "the stable step has collapsed to %.3g s, from %.3g s, by speeds up to %.3g m/s and "
                    "densities up to %.3g kg/m3",
                    (double)now, (double)asked, (double)fluid->maxSpeed, (double)fluid->maxDensity);
        return wbExplainInstability(world, part == PBF_PART ? wb_solverPbf : wb_solverSph, now, why.text);
    }
    return wb_okStatus;
}

wbStatus wbExplainInstability(const wbWorld *world, wbFluidSolver solver, float dt, const char *what) {
    if (wbIsAirBroken(world)) return wbExplainAir(world, dt);
    float stable = wbSphModel_GetStableStep(&world->sphModel, 0, 0);
    long long step = (long long)world->stepCount + 1;
    if (solver == wb_solverPbf)
        return wbError(
            wb_errorUnstable,
            "unstable at step %lld (%g s): %s; make world.dt (%.3g s) smaller or pbf.subSteps larger", step,
            world->time, what, dt);
    if (dt > 1.01f * stable)
        return wbError(
            wb_errorUnstable,
            "unstable at step %lld (%g s): %s; dt is %.3g s, above the stable limit of %.3g s: make world.dt "
            "smaller or \"auto\"",
            step, world->time, what, dt, stable);
    if (step == 1)
        return wbError(
            wb_errorUnstable,
            "unstable at step 1: %s; the start is to blame: move particles apart or make them slower", what);
    return wbError(
        wb_errorUnstable,
        "unstable at step %lld (%g s): %s; make world.dt (%.3g s) smaller or sph.soundSpeed ten times the "
        "highest speed",
        step, world->time, what, dt);
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
    wbStatus status =
        world->sphGpu
            ? settle(world, pool,
                     wbSphGpu_Step(world->sphGpu, &world->sph, &world->sphModel, colliders, &world->work, dt))
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
    wbStatus status =
        world->pbfGpu
            ? settle(world, pool,
                     wbPbfGpu_Step(world->pbfGpu, &world->pbf, &world->pbfModel, colliders, &world->work, dt))
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
static wbStatus stepFluids(wbWorld *world, float dt, wbFluidSolver *failed) {
    *failed = wb_solverSph;
    WB_TRY(stepSph(world, dt));
    WB_TRY(checkDensity(world, &world->pools[wb_solverSph]));
    WB_TRY(wbCheckEnergy(world, &world->pools[wb_solverSph], dt));
    *failed = wb_solverPbf;
    wbStatus status = stepPbf(world, dt);
    if (status.code == wb_errorMemory && world->sph.particles.count > 0) world->stopped = status;
    WB_TRY(status);
    WB_TRY(checkDensity(world, &world->pools[wb_solverPbf]));
    return wbCheckEnergy(world, &world->pools[wb_solverPbf], dt);
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

    wbFluidSolver failed = wb_solverSph;
    wbStatus status = wbPrepareFlow(world);
    if (wbIsOk(status)) status = wbPrepareColliders(world, dt); // gates, locks, wheels, shakers
    if (wbIsOk(status)) status = wbPrepareAir(world, dt);
    if (wbIsOk(status)) status = wbStepSoft(world, dt);
    if (status.code == wb_errorUnstable && !wbIsOk(world->stopped)) return status; // explained
    bool isSoftAhead = wbIsOk(status);
    if (wbIsOk(status)) status = stepFluids(world, dt, &failed);
    if (wbIsOk(status)) status = wbStepAir(world, dt);
    if (wbIsOk(status)) status = wbRunFlow(world, dt); // emitters and drains
    if (status.code == wb_errorUnstable)
        return world->stopped = wbExplainInstability(world, failed, dt, status.text);
    if (!wbIsOk(status)) {
        // a device's step cannot be undone: the world's parts are not at one time any more
        if (isSoftAhead && wbIsSoftAhead(world)) world->stopped = status;
        if (isSoftAhead) wbUndoSoft(world);
        wbArena_Release(world->work.arena, 0); // room to read the state that the solver went back to
        return status;
    }
    wbSettleColliders(world, dt);
    world->time += dt;
    world->stepCount++;
    world->lastDt = dt;
    world->stepMs = wbLapMs(&mark);
    return wb_okStatus;
}
