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

static wbStatus prepareSolvers(wbWorld *world, float dt) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->prepare) WB_TRY(s->kind->prepare(s, dt));
    return wb_okStatus;
}

// One after the other: which have moved, and the one that a status other than ok is of.
typedef struct Moves {
    bool hasMoved[WB_SOLVER_COUNT];
    const wbSolver *failed; // NULL: none of them
} Moves;

static wbStatus stepSolvers(wbWorld *world, float dt, Moves *moves) {
    for (wbStepPlace place = 0; place < wb_stepPlaceCount; place++) {
        for (int s = 0; s < WB_SOLVER_COUNT; s++) {
            wbSolver *solver = &world->solvers[s];
            if (solver->kind->place != place || !solver->self) continue;
            moves->failed = solver;
            WB_TRY(solver->kind->step(solver, dt));
            moves->hasMoved[s] = true;
            if (solver->kind->check) WB_TRY(solver->kind->check(solver, dt));
        }
    }
    return wb_okStatus;
}

// A device's step cannot be undone: the world's parts are not at one time any more, unless nothing has moved, or the device
// was lost and all of it is back at the last copy.
static bool hasDeviceMoved(const wbWorld *world, const Moves *moves) {
    bool isAny = false;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        const wbSolver *solver = &world->solvers[s];
        bool isEmpty = solver->liquid && solver->liquid->particles->count == 0;
        isAny |= moves->hasMoved[s] && !isEmpty && wbSolver_IsAhead(solver);
    }
    return isAny;
}

static wbStatus explain(const wbWorld *world, const Moves *moves, float dt, const char *what) {
    if (moves->failed) return moves->failed->kind->explain(moves->failed, dt, what);
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

    Moves moves = {.failed = NULL};
    wbDomain_Drive(&world->domain, dt, wbGetSidePace(world));
    wbStatus status = wbPrepareFlow(world);
    if (wbIsOk(status)) status = wbPrepareColliders(world, dt); // gates, locks, wheels, shakers
    if (wbIsOk(status)) status = wbTakeSnapshot(world);
    if (wbIsOk(status)) status = prepareSolvers(world, dt);
    if (wbIsOk(status)) status = stepSolvers(world, dt, &moves);          // bodies, liquids, air
    if (wbIsOk(status)) status = wbRunFlow(world, dt);                    // emitters and drains
    wbEndStep(world, !wbIsOk(status) && status.code != wb_errorUnstable); // where it broke must be seen
    if (status.code == wb_errorUnstable) return world->stopped = explain(world, &moves, dt, status.text);
    if (!wbIsOk(status)) {
        if (hasDeviceMoved(world, &moves)) world->stopped = status;
        wbArena_Release(world->work.arena, 0); // room to read the state
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
