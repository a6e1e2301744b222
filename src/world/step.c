// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <float.h>
#include <math.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

// s: the longest step that a solver allows, as it is or by what was asked for alone; INFINITY if it does not care.
static float getLimit(const wbSolver *solver, bool isAsked) {
    return solver->self ? solver->kind->getStableStep(solver, isAsked) : INFINITY;
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
    if (solver->liquid) {
        const wbParticles *fluid = solver->liquid->particles;
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

static wbStatus planSolvers(wbWorld *world, float dt) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->plan) WB_TRY(s->kind->plan(s, dt));
    return wb_okStatus;
}

static wbStatus prepareSolvers(wbWorld *world, float dt) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->prepare) WB_TRY(s->kind->prepare(s, dt));
    return wb_okStatus;
}

// One after the other. `failed` is the one that a status other than ok is of.
static wbStatus stepSolvers(wbWorld *world, float dt, const wbSolver **failed) {
    for (wbStepPlace place = 0; place < wb_stepPlaceCount; place++) {
        for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
            if (s->kind->place != place || !s->self) continue;
            *failed = s;
            WB_TRY(s->kind->step(s, dt));
            if (s->kind->check) WB_TRY(s->kind->check(s, dt));
        }
    }
    *failed = NULL;
    return wb_okStatus;
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
    world->stateVersion++;
    if (!wbArena_Reset(world->work.arena))
        return wbMemoryError(world->memory, "a step of %lld particles needs",
                             (long long)wbCountParticles(world));

    const wbSolver *failed = NULL;
    wbDomain_Drive(&world->domain, dt, wbGetSidePace(world));
    wbStatus status = wbPrepareFlow(world);
    if (wbIsOk(status)) status = wbPrepareColliders(world, dt); // gates, locks, wheels, shakers
    if (wbIsOk(status)) status = planSolvers(world, dt);
    if (wbIsOk(status)) status = wbTakeSnapshot(world);
    if (wbIsOk(status)) status = prepareSolvers(world, dt);
    if (wbIsOk(status)) status = stepSolvers(world, dt, &failed); // bodies, liquids, air
    if (wbIsOk(status)) status = wbRunFlow(world, dt);            // emitters and drains
    if (!wbIsOk(status) && status.code != wb_errorUnstable) {     // where it broke must be seen
        wbArena_Release(world->work.arena, 0);                    // room to read the state
        return wbUndoStep(world, status);
    }
    wbEndStep(world);
    if (!wbIsOk(status)) return world->stopped = explain(world, failed, dt, status.text);
    wbDomain_Advance(&world->domain, dt);
    wbSettleColliders(world, dt);
    world->time += dt;
    world->stepCount++;
    world->lastDt = dt;
    world->stepMs = wbLapMs(&mark);
    return wb_okStatus;
}
