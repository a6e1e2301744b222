// SPDX-License-Identifier: MIT
#include "world/plan.h"

#include <math.h>

#include "core/status.h"
#include "world/air.h"
#include "world/collider.h"

// What is stable at any step, and what frames are cut into at least, 1/s.
static const double slowestRate = 60;
// Sub-steps of a solver in a step at most: programs that wait for its end, or for Ctrl-C, wait no longer.
static const double mostSubSteps = 256;
// Sub-steps of the rest of a step at most, if what is stable became shorter since it began: it cannot end earlier.
static const double mostAnew = 16 * 256;

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

float wbGetGroupLimit(const wbWorld *world, int group) {
    float limit = INFINITY;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbIsIn(s, group)) limit = fminf(limit, getLimit(s, false));
    return limit;
}

// 1/s, of automatic steps: as few as make whole frames, and halves of them where what is stable is very short.
static double getRate(const wbWorld *world) {
    const double needed = 1 / (mostSubSteps * (double)wbWorld_GetStableStep(world)), endless = 1e15;
    double rate = world->frameRate * ceil(slowestRate / world->frameRate - 1e-6);
    while (rate < needed && rate < endless) rate *= 2;
    return rate;
}

// Automatic steps end on whole numbers of them, on which frames end, too: sums would drift away.
static void planAuto(double time, double rate, wbStepPlan *plan) {
    const double number = floor(time * rate + 1e-6);
    plan->end = (number + 1) / rate;
    plan->length = fabs(time * rate - number) < 1e-6 ? 1 / rate : plan->end - time;
}

float wbWorld_GetTimeStep(const wbWorld *world) {
    WB_REQUIRE(world);
    wbStepPlan plan;
    planAuto(world->time, getRate(world), &plan);
    return world->params.dt > 0 ? world->params.dt : (float)plan.length;
}

// An automatic step follows speeds and densities. Where they run away it shrinks without end, and the run would go on
// without end. No step is longer than a frame: water that nothing drives allows minutes, until a body comes into it.
static wbStatus checkCollapse(const wbSolver *solver, wbBreak *where) {
    const float least = 1e-4f, now = getLimit(solver, false);
    const float asked = fminf(getLimit(solver, true), WB_FRAME_STEP);
    if (!(now < least * asked)) return wb_okStatus;
    *where = (wbBreak){solver, now};
    wbStatus why = wbError(wb_errorUnstable, "the stable step has collapsed to %.3g s, from %.3g s",
                           (double)now, (double)asked);
    if (!solver->liquid) return why;
    const wbParticles *fluid = solver->liquid->particles;
    return wbError(wb_errorUnstable, "%s, by speeds up to %.3g m/s and densities up to %.3g kg/m3", why.text,
                   (double)fluid->maxSpeed, (double)fluid->maxDensity);
}

// Where speeds run away within a step, or are beyond what halves of steps can follow, a step would take hours.
static wbStatus checkCount(const wbWorld *world, int group, double seconds, wbBreak *where) {
    const float limit = wbGetGroupLimit(world, group);
    const double count = ceil(seconds / (double)limit);
    if (!(count > mostAnew)) return wb_okStatus;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbIsIn(s, group) && getLimit(s, false) == limit) *where = (wbBreak){s, limit};
    return wbError(wb_errorUnstable,
                   "%.3g s would take %.4g sub-steps, since what is stable fell to %.3g s; allowed are %.0f",
                   seconds, count, (double)limit, mostAnew);
}

wbStatus wbCountSubSteps(const wbWorld *world, int group, double seconds, int *count, wbBreak *where) {
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbIsIn(s, group)) WB_TRY(checkCollapse(s, where));
    WB_TRY(checkCount(world, group, seconds, where));
    *count = (int)fmax(ceil(seconds / (double)wbGetGroupLimit(world, group) - 1e-3), 1);
    return wb_okStatus;
}

// A free mechanism has to feel all liquids before their next sub-steps, and a drain takes from all of them.
static bool areLiquidsJoined(const wbWorld *world) {
    return wbHasFree(world) || world->drainIds.indexCount > 0;
}

// Whether a solver that is there has two share their sub-steps; it may be one of them.
static bool areJoined(const wbWorld *world, const wbSolver *one, const wbSolver *other) {
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->joins && (s == one || s->kind->joins(s, one)) &&
            (s == other || s->kind->joins(s, other)))
            return true;
    return false;
}

// Whether a solver has another share its sub-steps now.
static bool isJoining(const wbSolver *solver) {
    const wbWorld *world = solver->world;
    if (!solver->self || !solver->kind->joins) return false;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s != solver && s->self && solver->kind->joins(solver, s)) return true;
    return false;
}

static bool isAnyJoined(const wbWorld *world) {
    bool isAny = false;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) isAny |= isJoining(s);
    return isAny;
}

// Solvers that are there, in the order of places.
static int listByPlace(wbWorld *world, wbSolver *list[WB_SOLVER_COUNT]) {
    int count = 0;
    for (wbStepPlace place = 0; place < wb_stepPlaceCount; place++)
        for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
            if (s->kind->place == place && s->self) list[count++] = s;
    return count;
}

// All of one group are in another from now on; those behind it are counted from one less.
static void mergeGroups(wbSolver *const *list, int count, int from, int to) {
    for (int k = 0; k < count; k++) {
        if (list[k]->group == from) list[k]->group = to;
        if (list[k]->group > from) list[k]->group--;
    }
}

// One group of all, or one of each that nothing joins to others, so that air sees where bodies went; without solvers there is one, which moves colliders.
static void group(wbWorld *world, wbStepPlan *plan) {
    const bool areOne = areLiquidsJoined(world),
               isWhole = !plan->isAuto && !isAnyJoined(world) && !wbAreBodiesInAir(world);
    wbSolver *list[WB_SOLVER_COUNT];
    const int count = listByPlace(world, list);
    plan->groupCount = 0, plan->leading = -1;
    for (int k = 0; k < count; k++) {
        wbSolver *s = list[k];
        s->group = plan->groupCount++;
        for (int j = 0; j < k; j++) {
            const wbSolver *t = list[j];
            if (t->group == s->group) continue;
            if (!isWhole && !(areOne && t->liquid && s->liquid) && !areJoined(world, t, s)) continue;
            const int low = t->group < s->group ? t->group : s->group, high = t->group + s->group - low;
            mergeGroups(list, k + 1, high, low);
            plan->groupCount--;
        }
    }
    for (int k = 0; k < count; k++)
        if (list[k]->liquid) plan->leading = list[k]->group;
    if (plan->groupCount == 0) plan->groupCount = 1;
    if (plan->leading < 0) plan->leading = plan->groupCount - 1;
}

// A number for the length of a step is one undivided step, but where solvers push each other.
static int countParts(const wbWorld *world, int group, double seconds) {
    double limit = INFINITY;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (wbIsIn(s, group) && isJoining(s)) limit = fmin(limit, (double)getLimit(s, false));
    return (int)fmax(ceil(seconds / limit - 1e-3), 1);
}

wbStatus wbCallSolvers(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        if (!s->kind->isWanted) continue;
        if (s->kind->isWanted(s))
            WB_TRY(wbSolver_Create(s));
        else if (s->self)
            wbSolver_Destroy(s);
    }
    return wb_okStatus;
}

wbStatus wbPlanStep(wbWorld *world, float dt, wbStepPlan *plan, wbBreak *where) {
    if (dt == 0) dt = world->params.dt;
    *plan = (wbStepPlan){.isAuto = dt == 0, .length = (double)dt, .end = world->time + (double)dt};
    if (plan->isAuto) planAuto(world->time, getRate(world), plan);
    WB_TRY(wbListBodies(world));
    WB_TRY(wbFindMeetings(world, plan->length));
    WB_TRY(wbCallSolvers(world));
    group(world, plan);
    for (int g = 0; g < plan->groupCount; g++) {
        plan->counts[g] = countParts(world, g, plan->length);
        if (plan->isAuto) WB_TRY(wbCountSubSteps(world, g, plan->length, &plan->counts[g], where));
    }
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        s->planned = s->self ? plan->counts[s->group] : 0;
    return wb_okStatus;
}
