// SPDX-License-Identifier: MIT
// The air on a compute device: where its fields are, and what is known of them when the device is lost.
#include "core/status.h"
#include "world/air.h"

static wbSmokeGpu *getDevice(const wbWorld *world) { return world->air ? world->air->device : NULL; }

wbStatus wbPrepareAirDevice(wbWorld *world) {
    wbAir *air = world->air;
    const wbSmokeSource *feeds;
    int count = wbListFeeds(world, &feeds);
    if (!air->device) WB_TRY(wbCreateSmokeGpu(world->memory, world->gpu, &air->device));
    wbStatus status = wbSmokeGpu_Prepare(air->device, &air->smoke, &air->model, &world->work, feeds, count);
    return status.code == wb_errorDevice ? wbGoBack(world, status) : status;
}

wbStatus wbStepAirDevice(wbWorld *world, const wbSmokeSource *feeds, int count, float dt) {
    wbAir *air = world->air;
    wbStatus status =
        wbSmokeGpu_Step(air->device, &air->smoke, &air->model, &world->work, feeds, count, world->time, dt);
    return status.code == wb_errorDevice ? wbGoBack(world, status) : status;
}

bool wbIsAirAhead(const wbWorld *world) { return getDevice(world) && wbSmokeGpu_IsNewer(getDevice(world)); }

wbStatus wbFetchAir(wbWorld *world) {
    return getDevice(world) ? wbSmokeGpu_Fetch(getDevice(world), &world->air->smoke) : wb_okStatus;
}

void wbTakeAir(wbWorld *world) {
    if (getDevice(world)) wbSmokeGpu_Take(getDevice(world), &world->air->smoke);
}

void wbTouchAir(wbWorld *world) {
    if (getDevice(world)) wbSmokeGpu_Invalidate(getDevice(world));
}

void wbLoseAir(wbWorld *world, wbStatus why) {
    if (getDevice(world)) (void)wbSmokeGpu_Lose(getDevice(world), &world->air->smoke, why);
}

void wbCloseAirDevice(wbWorld *world) {
    if (!world->air) return;
    wbDestroySmokeGpu(world->air->device);
    world->air->device = NULL;
}

// Single numbers of the last step, as of the host's fields

void wbKeepAir(wbWorld *world) {
    wbAir *air = world->air;
    if (!air) return;
    const wbSmoke *smoke = &air->smoke;
    air->kept = (wbAirValues){.drift = smoke->drift,
                              .divergenceBefore = smoke->divergenceBefore,
                              .divergence = smoke->divergence,
                              .maxSpeed = smoke->maxSpeed,
                              .cycles = smoke->cycles,
                              .likelyCycles = smoke->pressure.likelyCycles,
                              .slowSteps = smoke->pressure.slowSteps};
}

void wbRestoreAir(wbWorld *world) {
    wbAir *air = world->air;
    if (!air) return;
    wbSmoke *smoke = &air->smoke;
    const wbAirValues *kept = &air->kept;
    smoke->drift = kept->drift;
    smoke->divergenceBefore = kept->divergenceBefore, smoke->divergence = kept->divergence;
    smoke->maxSpeed = kept->maxSpeed;
    smoke->cycles = kept->cycles;
    smoke->pressure.likelyCycles = kept->likelyCycles, smoke->pressure.slowSteps = kept->slowSteps;
    air->areSolidsStale = true;
}
