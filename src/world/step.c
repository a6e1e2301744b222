// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <float.h>
#include <math.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

// s, of soft solids alone: they are stable at every step, and this is a frame of most screens
#define WB_SOFT_STEP (1.0f / 60)

float wbWorld_GetTimeStep(const wbWorld *world) {
    WB_REQUIRE(world);
    if (world->params.dt > 0) return world->params.dt;
    const wbParticles *water = &world->sph.particles, *pbf = &world->pbf.particles;
    float limit = fminf(wbGetAirStep(world), wbWorld_GetSolidCount(world) > 0 ? WB_SOFT_STEP : INFINITY);
    if (wbIsSolverUsed(world, wb_solverSph))
        limit =
            fminf(limit, wbSphModel_GetStableStep(&world->sphModel, fmaxf(water->maxSpeed, world->solidSpeed),
                                                  water->maxDensity));
    if (wbIsSolverUsed(world, wb_solverPbf))
        limit =
            fminf(limit, wbPbfModel_GetStableStep(&world->pbfModel, fmaxf(pbf->maxSpeed, world->solidSpeed)));
    return limit;
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
    return pool->device && isLost ? wbGoBack(world, status) : status;
}

static wbStatus stepSph(wbWorld *world, float dt) {
    wbFluidSolids room;
    wbPool *pool = &world->pools[wb_solverSph];
    const wbFluidSolids *solids = wbGetFluidSolids(pool, &room);
    if (!wbIsSolverUsed(world, wb_solverSph)) return wb_okStatus;
    if (!world->sphGpu) return wbSph_Step(&world->sph, &world->sphModel, solids, &world->work, dt);
    return settle(world, pool,
                  wbSphGpu_Step(world->sphGpu, &world->sph, &world->sphModel, solids, &world->work, dt));
}

static wbStatus stepPbf(wbWorld *world, float dt) {
    wbFluidSolids room;
    wbPool *pool = &world->pools[wb_solverPbf];
    const wbFluidSolids *solids = wbGetFluidSolids(pool, &room);
    if (!wbIsSolverUsed(world, wb_solverPbf)) return wb_okStatus;
    if (!world->pbfGpu) return wbPbf_Step(&world->pbf, &world->pbfModel, solids, &world->work, dt);
    return settle(world, pool,
                  wbPbfGpu_Step(world->pbfGpu, &world->pbf, &world->pbfModel, solids, &world->work, dt));
}

// One solver after the other; *failed is the one that a status other than ok is of. What the first has done cannot be
// taken back when the second finds no memory: then the world stops.
static wbStatus stepFluids(wbWorld *world, float dt, wbFluidSolver *failed) {
    *failed = wb_solverSph;
    WB_TRY(stepSph(world, dt));
    WB_TRY(wbCheckEnergy(world, dt));
    *failed = wb_solverPbf;
    wbStatus status = stepPbf(world, dt);
    if (status.code == wb_errorMemory && world->sph.particles.count > 0) world->stopped = status;
    return status;
}

wbStatus wbWorld_Step(wbWorld *world, float dt) {
    WB_REQUIRE(world);
    if (!wbIsOk(world->stopped)) return world->stopped;
    if (!(dt >= 0) || !isfinite(dt))
        return wbError(wb_errorInput, "dt is %g s, allowed is 0 (the world's own) or more", dt);
    if (dt == 0) dt = wbWorld_GetTimeStep(world);
    double mark = wbGetSeconds();
    if (!wbArena_Reset(world->work.arena))
        return wbMemoryError(world->memory, "a step of %lld particles needs",
                             (long long)wbCountParticles(world));

    wbFluidSolver failed = wb_solverSph;
    wbStatus status = wbPrepareFlow(world);
    if (wbIsOk(status)) status = wbPrepareSolids(world, dt); // gates, locks, wheels, shakers
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
    wbSettleSolids(world, dt);
    world->time += dt;
    world->stepCount++;
    world->lastDt = dt;
    world->stepMs = wbLapMs(&mark);
    return wb_okStatus;
}
