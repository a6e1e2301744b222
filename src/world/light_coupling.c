// SPDX-License-Identifier: MIT
// Floors under the inertia of bodies that are light for their fluids: they are there where fluids may touch what has them, and nowhere else. What
// comes near to a fluid keeps its momentum, as what hits water does that has to move along.
#include <math.h>

#include "core/status.h"
#include "coupling/near_water.h"
#include "world/coupling.h"
#include "world/rigid.h"
#include "world/soft.h"

void wbApplyFloor(wbWorld *world, int index) {
    const wbWetBodies *wet = &wbGetCoupling(world)->wet;
    wbSetInertiaFloor(world, index,
                      wbWetBodies_HasFloor(wet, index) ? wbWetBodies_Get(wet, index)->floor : 0);
}

void wbApplyFloors(wbWorld *world) {
    const wbCoupling *coupling = wbGetCoupling(world);
    for (int i = 0; coupling && i < coupling->wet.count && i < coupling->wet.stateCount; i++)
        wbApplyFloor(world, i);
}

static bool isAnyToFind(const wbCoupling *coupling) {
    bool isAny = false;
    for (int i = 0; i < coupling->wet.count; i++) isAny |= wbWetBodies_IsToFind(&coupling->wet, i);
    for (int b = 0; b < coupling->soft.bodyCount && coupling->hasSoft; b++)
        isAny |= wbWetSoft_IsToFind(&coupling->soft, wbWetSoft_GetBody(&coupling->soft, b));
    return isAny;
}

static void slow(wbRigid *r, int i, float share) {
    float *const columns[] = {r->vx, r->vy, r->vz, r->wx, r->wy, r->wz};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) columns[k][i] *= share;
}

// Where the places of fluids are not known it is as fast as before.
static void setNear(wbWorld *world, int index, bool isNear, bool isKnown) {
    wbWetBodies *wet = &wbGetCoupling(world)->wet;
    const float share = wbWetBodies_SetNear(wet, index, isNear);
    if (isKnown) slow(wet->rigid, index, share);
    wbApplyFloor(world, index);
}

static void findRigid(wbWorld *world, const wbNearWater *near, bool isKnown) {
    const wbWetBodies *wet = &wbGetCoupling(world)->wet;
    for (int i = 0; i < wet->count; i++) {
        const wbWetBody *body = wbWetBodies_Get(wet, i);
        if (!wbWetBodies_IsToFind(wet, i)) continue;
        const wbPose pose = wbGetRigidOrigin(world, i);
        setNear(world, i,
                !body->isOff && (!isKnown || wbNearWater_FindShape(near, body->shape, &pose,
                                                                   wbWetBodies_GetSpeed(wet, i))),
                isKnown);
    }
}

static bool findSoft(wbWorld *world, const wbNearWater *near) {
    wbCoupling *coupling = wbGetCoupling(world);
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    for (int b = 0; b < coupling->soft.bodyCount; b++) {
        const wbWetSoftBody *body = wbWetSoft_GetBody(&coupling->soft, b);
        bool isNear;
        if (!wbWetSoft_IsToFind(&coupling->soft, body)) continue;
        if (!wbWetSoft_FindNear(&coupling->soft, pbd, body, near, &world->work, &isNear)) return false;
        wbWetSoft_SetNear(&coupling->soft, pbd, body, isNear);
    }
    return true;
}

// m: particles rest half a spacing from what they push, and from farther away than this they hardly do. With 0.35 to 2 spacings light logs are
// dropped into water alike; what is within it is slow, so that less is better.
static float findReach(const wbParticleFluid *liquid) {
    return 0.75f * liquid->spacing * cbrtf((float)wbGetHeaviest(liquid));
}

// Where particles are on a device their places are not known: bodies have their floors everywhere.
wbStatus wbFollowFloors(wbWorld *world, float dt) {
    const wbCoupling *coupling = wbGetCoupling(world);
    wbNearWater near = {.swarmCount = 0};
    bool isKnown = true;
    if (!isAnyToFind(coupling)) return wb_okStatus;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        WB_ASSERT(near.swarmCount < WB_NEAR_SWARMS, "raise WB_NEAR_SWARMS");
        near.swarms[near.swarmCount++] = (wbNearSwarm){l->particles, findReach(l)};
        isKnown &= !l->device;
    }
    const size_t mark = wbArena_Mark(world->work.arena);
    bool isDone = !isKnown || wbNearWater_List(&near, &world->work, dt);
    if (isDone) findRigid(world, &near, isKnown);
    if (isDone && coupling->hasSoft) isDone = findSoft(world, &near);
    wbArena_Release(world->work.arena, mark);
    return isDone ? wb_okStatus : wbMemoryError(world->memory, "to know what is near to fluids needs");
}
