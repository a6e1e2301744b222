// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/drops.h"
#include "world/grab.h"
#include "world/plan.h"
#include "world/world.h"

// Before anything moves, and before the snapshot: all that is made once for the step, with what moves on its way to the end of it.
static wbStatus prepareStep(wbWorld *world, float dt) {
    if (!wbArena_Reset(world->work.arena))
        return wbMemoryError(world->memory, "a step of %lld particles needs",
                             (long long)wbCountParticles(world));
    WB_TRY(wbPrepareGrabs(world, dt));
    WB_TRY(wbFollowGravity(world));
    WB_TRY(wbPrepareFlow(world));
    WB_TRY(wbPlanDrops(world));
    WB_TRY(wbPrepareColliders(world));
    wbDomain_Drive(&world->domain, dt, wbGetSidePace(world));
    wbPlaceColliders(world, dt);
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        s->done = 0;
        memset(s->ms, 0, sizeof s->ms);
        if (s->self && s->kind->plan) WB_TRY(s->kind->plan(s, dt));
    }
    return wb_okStatus;
}

static wbStatus prepareSolvers(wbWorld *world, const wbSubStep *part) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbIsIn(s, part->group) && s->kind->prepare) WB_TRY(s->kind->prepare(s, part->dt));
    return wb_okStatus;
}

static void bookSubStep(wbSolver *solver, float dt) {
    wbProfile profile = {.phaseCount = 0};
    solver->kind->addProfile(solver, &profile);
    for (int k = 0; k < profile.phaseCount; k++) solver->ms[k] += profile.phases[k].ms;
    solver->done++, solver->subStepCount++;
    solver->lastSubStep = dt;
}

// One after the other. `where` is the one that a status other than ok is of.
static wbStatus stepSolvers(wbWorld *world, const wbSubStep *part, wbBreak *where) {
    for (wbStepPlace place = 0; place < wb_stepPlaceCount; place++) {
        for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
            if (s->kind->place != place || !wbIsIn(s, part->group)) continue;
            where->solver = s;
            WB_TRY(s->kind->step(s, part->dt));
            if (s->kind->check) WB_TRY(s->kind->check(s, part->dt));
            bookSubStep(s, part->dt);
        }
    }
    where->solver = NULL;
    return wb_okStatus;
}

static void settleSolvers(wbWorld *world, const wbSubStep *part) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbIsIn(s, part->group) && s->kind->settle) s->kind->settle(s, part->dt);
}

static wbStatus runSubStep(wbWorld *world, const wbSubStep *part, wbBreak *where) {
    *where = (wbBreak){NULL, part->dt};
    if (!wbArena_Reset(world->work.arena)) return wbMemoryError(world->memory, "a sub-step needs");
    wbDomain_Drive(&world->domain, part->dt, wbGetSidePace(world));
    wbPlaceColliders(world, part->dt); // gates, locks, wheels, shakers
    WB_TRY(wbShowColliders(world, part));
    WB_TRY(wbPushLiquids(world, part));
    WB_TRY(wbBlowLiquids(world, part)); // drops feel the wind
    WB_TRY(prepareSolvers(world, part));
    WB_TRY(stepSolvers(world, part, where));           // bodies, their surfaces, liquids, air
    WB_TRY(wbSettleSoft(world, part, &where->solver)); // soft bodies that liquids pushed while they moved
    WB_TRY(wbRunFlow(world, part));                    // emitters and drains
    settleSolvers(world, part);                        // bodies feel the water
    wbDomain_Advance(&world->domain, part->dt);
    wbSettleColliders(world, part); // free mechanisms feel the water
    return wb_okStatus;
}

// All sub-steps are equal, until what is stable becomes much shorter: then the rest is planned anew.
static wbStatus runGroup(wbWorld *world, const wbStepPlan *plan, int group, wbBreak *where) {
    double start = world->time, seconds = plan->length;
    int count = plan->counts[group];
    for (int k = 0; k < count; k++) {
        const float dt = (float)(seconds / count);
        world->time = start + seconds * k / count;
        WB_TRY(runSubStep(world, &(wbSubStep){group, group == plan->leading, dt}, where));
        if (k + 1 == count || !plan->isAuto || wbGetGroupLimit(world, group) >= 0.5f * dt) continue;
        start += seconds * (k + 1) / count, seconds -= seconds * (k + 1) / count;
        WB_TRY(wbCountSubSteps(world, group, seconds, &count, where));
        k = -1;
    }
    return wb_okStatus;
}

// One after the other, each from the start: mechanisms, colliders and sides go through the step with each of them.
static wbStatus runGroups(wbWorld *world, const wbStepPlan *plan, wbBreak *where) {
    for (int g = 0; g < plan->groupCount; g++) {
        if (g > 0) wbRewind(world);
        if (g > plan->leading) wbTurnEvenly(world, plan->length);
        WB_TRY(runGroup(world, plan, g, where));
        if (g == plan->leading) wbMarkEnd(world);
    }
    wbGoToEnd(world);
    return wb_okStatus;
}

static wbStatus explain(const wbWorld *world, const wbBreak *where, const char *what) {
    if (where->solver) return where->solver->kind->explain(where->solver, where->dt, what);
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): %s; dt is %.3g s",
                   (long long)world->stepCount + 1, world->time, what, where->dt);
}

wbStatus wbWorld_Step(wbWorld *world, float dt) {
    WB_REQUIRE(world);
    if (!wbIsOk(world->stopped)) return world->stopped;
    if (!(dt >= 0) || !isfinite(dt))
        return wbError(wb_errorInput, "dt is %g s, allowed is 0 (the world's own) or more", dt);
    double mark = wbGetSeconds();
    world->stateVersion++;
    wbStepPlan plan;
    wbBreak where = {NULL, 0};
    wbDriveGrabbed(world, dt > 0 ? dt : wbWorld_GetTimeStep(world));
    wbMarkStart(world);
    wbStatus status = wbPlanStep(world, dt, &plan, &where); // its length, groups of solvers, sub-steps
    world->stepLength = plan.length;
    if (wbIsOk(status)) status = prepareStep(world, (float)plan.length);
    if (wbIsOk(status)) status = wbTakeSnapshot(world);
    if (wbIsOk(status)) status = runGroups(world, &plan, &where);
    if (!wbIsOk(status) && status.code != wb_errorUnstable) { // where it broke must be seen
        wbArena_Release(world->work.arena, 0);                // room to read the state
        wbRewind(world);
        wbUndriveGrabbed(world);
        return wbUndoStep(world, status);
    }
    wbEndStep(world);
    if (!wbIsOk(status)) return world->stopped = explain(world, &where, status.text);
    world->time = plan.end;
    world->stepCount++;
    wbSettleGrabs(world);
    world->lastDt = (float)plan.length;
    wbRecordHostValues(world);
    world->stepMs = wbLapMs(&mark);
    return wb_okStatus;
}
