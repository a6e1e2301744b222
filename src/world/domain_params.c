// SPDX-License-Identifier: MIT
// The domain's parameters while a world runs. "domain.min" and "domain.max" say where its closed sides shall go, and they go there
// no faster than domain.sideSpeed, so that they push; "domain.left" and the others say of what kind a side is.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "world/world.h"

// Ends are where its sides shall go.
static wbDomainDef getParams(const wbDomain *domain) {
    wbDomainDef params = wbDomain_GetDef(domain);
    memcpy(&params.min, domain->targetMin, sizeof domain->targetMin);
    memcpy(&params.max, domain->targetMax, sizeof domain->targetMax);
    return params;
}

static float getTarget(const wbDomainDef *params, int side) {
    return side % 2 ? (&params->max.x)[side / 2] : (&params->min.x)[side / 2];
}

static bool hasExtent(const wbDomain *domain, int side) {
    return side / 2 < domain->dimensions && domain->min[side / 2] < domain->max[side / 2];
}

// An open side does not hold anything: it would not go where it is told to.
static wbStatus checkOpenSides(const wbDomain *domain, const wbParam *param, const wbDomainDef *wanted) {
    const wbDomainDef before = getParams(domain);
    for (int side = 0; side < wb_sideCount; side++) {
        if (domain->closed[side] || getTarget(wanted, side) == getTarget(&before, side)) continue;
        if (!hasExtent(domain, side))
            return wbError(wb_errorInput,
                           "domain.%s: a domain without extent has no sides to move: give it one "
                           "when the world is made",
                           param->name);
        return wbError(wb_errorInput,
                       "domain.%s: the %s side is open, so that there is nothing to move: leave %c as it "
                       "is, or close the side first",
                       param->name, wb_domainSideNames[side], "xyz"[side / 2]);
    }
    return wb_okStatus;
}

// A side that opens stays where it is.
static wbStatus changeKinds(wbDomain *next, const wbParam *param, const wbDomainDef *wanted) {
    for (int side = 0; side < wb_sideCount; side++) {
        int a = side / 2;
        if (wanted->sides[side].type == next->types[side]) continue;
        if (!hasExtent(next, side))
            return wbError(wb_errorInput, "domain.%s: %s has no such side", param->name,
                           a < next->dimensions ? "a domain without extent" : "a world of 2 dimensions");
        next->types[side] = wanted->sides[side].type;
        next->closed[side] = next->types[side] != wb_sideOpen;
        if (next->closed[side]) continue;
        if (side % 2)
            next->targetMax[a] = next->max[a];
        else
            next->targetMin[a] = next->min[a];
    }
    return wb_okStatus;
}

// m: how far the outermost particle is beyond a side.
static float getExcess(const float *p, int count, float end, bool isHigh) {
    float most = 0;
    for (int i = 0; i < count; i++) most = fmaxf(most, isHigh ? p[i] - end : end - p[i]);
    return most;
}

// A side that closes would throw back what is beyond it already.
wbStatus wbCheckClosing(const wbWorld *world, const wbDomain *next, const float *const places[3], int count) {
    for (int side = 0; side < wb_sideCount; side++) {
        if (!next->closed[side] || world->domain.closed[side]) continue;
        float beyond = getExcess(places[side / 2], count, wbDomain_GetEnd(next, side), side % 2);
        if (beyond > 0)
            return wbError(wb_errorInput,
                           "there are particles beyond the %s side, up to %g m: it cannot close; a drain "
                           "takes those of fluids away",
                           wb_domainSideNames[side], beyond);
    }
    return wb_okStatus;
}

// The solver that bears the least speed of sides, and that speed; NULL: none cares.
static const wbSolver *findLimit(const wbWorld *world, float *limit) {
    const wbSolver *slowest = NULL;
    *limit = INFINITY;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        float speed = s->kind->getColliderSpeed && s->self ? s->kind->getColliderSpeed(s) : INFINITY;
        if (speed < *limit) *limit = speed, slowest = s;
    }
    return slowest;
}

float wbGetSidePace(const wbWorld *world) {
    const float asked = world->domain.sideSpeed;
    float limit;
    if (!wbDomain_IsOnTheWay(&world->domain)) return 0;
    findLimit(world, &limit);
    return asked > 0 ? fminf(asked, limit) : limit;
}

// Sides that are asked to be faster than a solver bears are not, and it is said.
static void tellOfLimit(const wbWorld *world) {
    const float asked = world->domain.sideSpeed;
    float limit;
    const wbSolver *slowest = findLimit(world, &limit);
    if (asked > limit && wbDomain_IsOnTheWay(&world->domain))
        wbLog(wb_logWarning,
              "sides go at %g m/s, the most that %s bear now, and not at domain.sideSpeed = %g", limit,
              slowest->kind->info.moves, asked);
}

// m3, or m2 in the plane, where the sides shall go; INFINITY if one is open.
static double getRoom(const wbDomain *domain) {
    double room = 1;
    for (int side = 0; side < 2 * domain->dimensions; side++)
        if (!domain->closed[side]) return INFINITY;
    for (int a = 0; a < domain->dimensions; a++) room *= (double)domain->targetMax[a] - domain->targetMin[a];
    return room;
}

// Fluids are hardly compressed: in a closed box that becomes smaller than they are, they would burst.
static wbStatus checkVolume(const wbWorld *world, const wbDomain *next) {
    double room = getRoom(next), needed = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        needed += l->particles->count * pow(l->spacing, next->dimensions);
    if (room >= 0.999 * needed || room >= getRoom(&world->domain)) return wb_okStatus;
    return wbError(wb_errorInput,
                   "closed sides would leave %.4g %s for %.4g of fluids: leave more room, or open one first",
                   room, next->dimensions == 2 ? "m2" : "m3", needed);
}

static wbStatus checkSolvers(const wbWorld *world, const wbDomain *next) {
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->kind->checkDomain && s->self) WB_TRY(s->kind->checkDomain(s, next));
    return checkVolume(world, next);
}

// What a side held may fly apart when it opens, and neighbours are others.
static void followKinds(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        if (!s->self) continue;
        if (s->kind->refresh) s->kind->refresh(s);
        if (s->kind->disturb) s->kind->disturb(s);
        if (s->liquid) s->liquid->account.isStoredAnew = 1;
    }
    wbRecordHostValues(world);
}

// Where the state is restored to, sides still go where they were last told to.
static void take(wbWorld *world, const wbDomain *next) {
    wbDomain *kept = &world->hostDomain;
    const wbDomain before = *kept;
    world->domain = *kept = *next;
    memcpy(kept->min, before.min, sizeof kept->min), memcpy(kept->max, before.max, sizeof kept->max);
}

wbStatus wbSetDomainParam(wbWorld *world, const wbParam *param, const char *value) {
    wbDomain next = world->domain;
    wbDomainDef wanted = getParams(&next);
    wbStatus status = wbParam_SetText(param, &wanted, value);
    if (!wbIsOk(status)) return wbError(status.code, "domain.%s", status.text);
    for (int a = 0; a < next.dimensions; a++)
        if (!((&wanted.min.x)[a] < (&wanted.max.x)[a]) && param->type == wb_paramVec3)
            return wbError(wb_errorInput, "domain.%s: min %g must be less than max %g along %c", param->name,
                           (&wanted.min.x)[a], (&wanted.max.x)[a], "xyz"[a]);
    WB_TRY(checkOpenSides(&next, param, &wanted));
    memcpy(next.targetMin, &wanted.min, sizeof next.targetMin);
    memcpy(next.targetMax, &wanted.max, sizeof next.targetMax);
    next.sideSpeed = wanted.sideSpeed;
    WB_TRY(changeKinds(&next, param, &wanted));
    bool isOther = memcmp(next.types, world->domain.types, sizeof next.types) != 0;
    if (isOther) WB_TRY(wbPullState(world));
    status = checkSolvers(world, &next);
    if (!wbIsOk(status)) return wbError(status.code, "domain.%s: %s", param->name, status.text);
    take(world, &next);
    if (isOther) followKinds(world);
    tellOfLimit(world);
    return wb_okStatus;
}

wbStatus wbGetDomainParam(const wbWorld *world, const wbParam *param, char *value, int size) {
    const wbDomainDef params = getParams(&world->domain);
    return wbParam_GetText(param, &params, value, size);
}
