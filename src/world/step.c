// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <math.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

// s, of soft solids alone: they are stable at every step, and this is a frame of most screens
#define WB_SOFT_STEP (1.0f / 60)

float wbWorld_GetTimeStep(const wbWorld *world) {
    if (world->params.dt > 0) return world->params.dt;
    float step = fminf(wbGetAirStep(world), wbWorld_GetSolidCount(world) > 0 ? WB_SOFT_STEP : INFINITY);
    if (wbWorld_GetFluidCount(world) == 0 && step < INFINITY) return step;
    const wbParticles *water = &world->sph.particles;
    float speed = fmaxf(water->maxSpeed, world->solidSpeed);
    return fminf(step, wbSphModel_GetStableStep(&world->sphModel, speed, water->maxDensity));
}

wbStatus wbExplainInstability(const wbWorld *world, float dt, const char *what) {
    if (wbIsAirBroken(world)) return wbExplainAir(world, dt);
    float stable = wbSphModel_GetStableStep(&world->sphModel, 0, 0);
    long long step = (long long)world->stepCount + 1;
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

static wbStatus stepWater(wbWorld *world, float dt) {
    wbSphSolids room;
    const wbSphSolids *solids = wbGetSphSolids(world, &room);
    if (!world->sphGpu) return wbSph_Step(&world->sph, &world->sphModel, solids, &world->work, dt);
    wbStatus status = wbSphGpu_Step(world->sphGpu, &world->sph, &world->sphModel, solids, &world->work, dt);
    bool isLost =
        !wbIsOk(status) && status.code != wb_errorUnstable && !wbIsPoolOnDevice(&world->pools[wb_solverSph]);
    return isLost ? wbGoBack(world, status) : status;
}

wbStatus wbWorld_Step(wbWorld *world, float dt) {
    if (!wbIsOk(world->stopped)) return world->stopped;
    if (!(dt >= 0) || !isfinite(dt))
        return wbError(wb_errorInput, "dt is %g s, allowed is 0 (the world's own) or more", dt);
    if (dt == 0) dt = wbWorld_GetTimeStep(world);
    double mark = wbGetSeconds();
    if (!wbArena_Reset(world->work.arena))
        return wbMemoryError(world->memory, "a step of %lld particles needs",
                             (long long)wbCountParticles(world));

    wbStatus status = wbPrepareFlow(world);
    if (wbIsOk(status)) status = wbPrepareSolids(world, dt); // gates, locks, wheels, shakers
    if (wbIsOk(status)) status = wbPrepareAir(world, dt);
    if (wbIsOk(status)) status = wbStepSoft(world, dt);
    if (status.code == wb_errorUnstable && !wbIsOk(world->stopped)) return status; // explained
    bool isSoftAhead = wbIsOk(status);
    if (wbIsOk(status)) status = stepWater(world, dt);
    if (wbIsOk(status)) status = wbCheckEnergy(world, dt);
    if (wbIsOk(status)) status = wbStepAir(world, dt);
    if (wbIsOk(status)) status = wbRunFlow(world, dt); // emitters and drains
    if (status.code == wb_errorUnstable) return world->stopped = wbExplainInstability(world, dt, status.text);
    if (!wbIsOk(status)) {
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
