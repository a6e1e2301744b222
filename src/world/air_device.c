// SPDX-License-Identifier: MIT
// The air on a compute device: where its fields are, and what is known of them when the device is lost.
#include "core/status.h"
#include "world/air.h"

// The device's solvers: of the air's grid, and of coarse cells; NULL: not made yet.
static wbSmokeGpu *getDevice(const wbWorld *world) { return world->air ? world->air->device : NULL; }
static wbSmokeGpu *getCoarseDevice(const wbWorld *world) {
    return world->air && world->air->coarse ? world->air->coarse->device : NULL;
}

static wbStatus createDevices(wbWorld *world) {
    wbAir *air = world->air;
    if (!air->device) WB_TRY(wbCreateSmokeGpu(world->memory, world->gpu, &air->device));
    if (!wbIsFollowing(air) || air->coarse->device) return wb_okStatus;
    return wbCreateSmokeGpu(world->memory, world->gpu, &air->coarse->device);
}

static wbStatus prepare(wbWorld *world, const wbSmokeSource *feeds, int count) {
    wbAir *air = world->air;
    if (!wbIsFollowing(air))
        return wbSmokeGpu_Prepare(air->device, &air->smoke, &air->model, &world->work, feeds, count);
    const wbSmokePair pair = wbGetAirPair(air);
    const wbSmokePairGpu devices = {air->device, air->coarse->device};
    return wbSmokePairGpu_Prepare(&devices, &pair, &world->work, feeds, count);
}

wbStatus wbPrepareAirDevice(wbWorld *world) {
    const wbSmokeSource *feeds;
    int count = wbListFeeds(world, &feeds);
    WB_TRY(createDevices(world));
    wbStatus status = prepare(world, feeds, count);
    return status.code == wb_errorDevice ? wbRestoreSnapshot(world, status) : status;
}

static wbStatus stepDevice(wbWorld *world, const wbSmokeSource *feeds, int count, float dt) {
    wbAir *air = world->air;
    if (!wbIsFollowing(air))
        return wbSmokeGpu_Step(air->device, &air->smoke, &air->model, &world->work, feeds, count, world->time,
                               dt);
    const wbSmokePair pair = wbGetAirPair(air);
    const wbSmokePairGpu devices = {air->device, air->coarse->device};
    return wbSmokePairGpu_Step(&devices, &pair, &world->work, feeds, count, world->time, dt,
                               &air->coarse->ms);
}

wbStatus wbStepAirDevice(wbWorld *world, const wbSmokeSource *feeds, int count, float dt) {
    wbStatus status = stepDevice(world, feeds, count, dt);
    return status.code == wb_errorDevice ? wbRestoreSnapshot(world, status) : status;
}

wbStatus wbFetchAirMarks(wbWorld *world, const uint8_t **marks) {
    wbSmoke *smoke = &world->air->smoke;
    *marks = getDevice(world) ? smoke->active : smoke->marks;
    if (!getDevice(world)) return wb_okStatus;
    wbStatus status = wbSmokeGpu_FetchMarks(getDevice(world), smoke);
    return wbIsOk(status) ? status : wbRestoreSnapshot(world, wbError(wb_errorDevice, "%s", status.text));
}

void wbResetAirDevice(wbWorld *world) {
    if (getDevice(world)) wbSmokeGpu_Reset(getDevice(world));
    if (getCoarseDevice(world)) wbSmokeGpu_Invalidate(getCoarseDevice(world));
}

bool wbIsAirAhead(const wbWorld *world) {
    return (getDevice(world) && wbSmokeGpu_IsNewer(getDevice(world))) ||
           (getCoarseDevice(world) && wbSmokeGpu_IsNewer(getCoarseDevice(world)));
}

wbStatus wbFetchAir(wbWorld *world) {
    if (getDevice(world)) WB_TRY(wbSmokeGpu_Fetch(getDevice(world), &world->air->smoke));
    return getCoarseDevice(world) ? wbSmokeGpu_Fetch(getCoarseDevice(world), &world->air->coarse->smoke)
                                  : wb_okStatus;
}

void wbTakeAir(wbWorld *world) {
    if (getDevice(world)) wbSmokeGpu_Take(getDevice(world), &world->air->smoke);
    if (getCoarseDevice(world)) wbSmokeGpu_Take(getCoarseDevice(world), &world->air->coarse->smoke);
}

void wbMarkAirDirty(wbWorld *world) {
    if (getDevice(world)) wbSmokeGpu_Invalidate(getDevice(world));
    if (getCoarseDevice(world)) wbSmokeGpu_Invalidate(getCoarseDevice(world));
}

void wbDiscardAir(wbWorld *world, wbStatus why) {
    if (world->air) world->air->areCollidersStale = true; // they are where they were, too
    if (getDevice(world)) (void)wbSmokeGpu_Discard(getDevice(world), &world->air->smoke, why);
    if (getCoarseDevice(world))
        (void)wbSmokeGpu_Discard(getCoarseDevice(world), &world->air->coarse->smoke, why);
}

void wbCloseAirDevice(wbWorld *world) {
    if (!world->air) return;
    wbDestroySmokeGpu(getDevice(world));
    wbDestroySmokeGpu(getCoarseDevice(world));
    world->air->device = NULL;
    if (world->air->coarse) world->air->coarse->device = NULL;
}
