// SPDX-License-Identifier: MIT
// What programs are told of rigid bodies in fluids.
#include "core/status.h"
#include "world/coupling.h"
#include "world/rigid.h"

static wbVec3 toVec3(const double v[3]) { return wbMakeVec3((float)v[0], (float)v[1], (float)v[2]); }

wbWaterReading wbRigidBody_GetWater(const wbWorld *world, wbRigidBodyId body) {
    const int index = wbGetRigidBodyIndex(world, body);
    const wbCoupling *coupling = wbGetCoupling(world);
    if (!coupling || index >= coupling->wet.stateCount) return (wbWaterReading){.isWet = false};
    const double *given = wbWetBodies_GetTold(&coupling->wet, index)->given;
    return (wbWaterReading){wbWetBodies_IsWet(&coupling->wet, index), toVec3(given), toVec3(given + 3)};
}

wbStatus wbWorld_GetWaterEvents(wbWorld *world, const wbWaterEvent **events, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(events);
    WB_REQUIRE(count);
    *events = NULL, *count = 0;
    wbCoupling *coupling = wbGetCoupling(world);
    if (!coupling) return wb_okStatus;
    const wbWetBodies *wet = &coupling->wet;
    if (!wbArray_Reserve(world->memory, &coupling->events, wet->stateCount))
        return wbMemoryError(world->memory, "%d events need", wet->stateCount);
    wbWaterEvent *list = coupling->events.data;
    for (int i = 0; i < wet->stateCount; i++) {
        const wbWetTold *told = wbWetBodies_GetTold(wet, i);
        const bool isWet = wbWetBodies_IsWet(wet, i);
        if (!told->isTold || isWet == told->wasWet) continue;
        list[(*count)++] = (wbWaterEvent){isWet ? wb_waterBegin : wb_waterEnd, wbWorld_GetRigidBody(world, i),
                                          toVec3(told->given)};
    }
    *events = list;
    return wb_okStatus;
}
