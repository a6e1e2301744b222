// SPDX-License-Identifier: MIT
// The air on a compute device: where its fields are, and what is known of them when the device is lost.
#include "core/log.h"
#include "core/status.h"
#include "world/air.h"

// The device's solvers: of the air's grid, and of coarse cells, if there are any.
typedef struct AirDevice {
    wbMemory *memory;
    wbSmokeGpu *fine, *coarse;
} AirDevice;

static AirDevice *getDevices(const wbWorld *world) { return world->solvers[wb_solverIndex_smoke].device; }
static wbSmokeGpu *getDevice(const wbWorld *world) {
    return getDevices(world) ? getDevices(world)->fine : NULL;
}
static wbSmokeGpu *getCoarseDevice(const wbWorld *world) {
    return getDevices(world) ? getDevices(world)->coarse : NULL;
}

static void destroy(void *device) {
    AirDevice *devices = device;
    wbDestroySmokeGpu(devices->fine);
    wbDestroySmokeGpu(devices->coarse);
    wbFree(devices->memory, devices, sizeof *devices);
}

static wbStatus create(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbMemory *memory = solver->world->memory;
    if (wbGetAir(solver->world)->smoke.steam) {
        wbLog(wb_logWarning, "smoke is computed on the cores: the device does not compute smoke.steam");
        *device = NULL;
        return wb_okStatus;
    }
    AirDevice *made = wbAllocZero(memory, sizeof *made);
    if (!made) return wbMemoryError(memory, "a device's solver needs");
    made->memory = memory;
    wbStatus status = wbCreateSmokeGpu(memory, gpu, &made->fine);
    if (wbIsOk(status) && wbGetAir(solver->world)->coarse)
        status = wbCreateSmokeGpu(memory, gpu, &made->coarse);
    if (wbIsOk(status))
        *device = made;
    else
        destroy(made);
    return status;
}

static wbStatus prepare(wbWorld *world, const wbSmokeSource *feeds, int count) {
    wbAir *air = wbGetAir(world);
    if (!wbIsFollowing(air))
        return wbSmokeGpu_Prepare(getDevice(world), &air->smoke, &air->model, &world->work, feeds, count);
    const wbSmokePair pair = wbGetAirPair(air);
    const wbSmokePairGpu devices = {getDevice(world), getCoarseDevice(world)};
    return wbSmokePairGpu_Prepare(&devices, &pair, &world->work, feeds, count);
}

wbStatus wbPrepareAirDevice(wbWorld *world) {
    const wbSmokeSource *feeds;
    int count = wbListFeeds(world, &feeds);
    return prepare(world, feeds, count);
}

wbStatus wbStepAirDevice(wbWorld *world, const wbSmokeSource *feeds, int count, float dt) {
    wbAir *air = wbGetAir(world);
    if (!wbIsFollowing(air))
        return wbSmokeGpu_Step(getDevice(world), &air->smoke, &air->model, &world->work, feeds, count,
                               world->time, dt);
    const wbSmokePair pair = wbGetAirPair(air);
    const wbSmokePairGpu devices = {getDevice(world), getCoarseDevice(world)};
    return wbSmokePairGpu_Step(&devices, &pair, &world->work, feeds, count, world->time, dt,
                               &air->coarse->ms);
}

wbStatus wbFetchAirMarks(wbWorld *world, const uint8_t **marks) {
    wbSmoke *smoke = &wbGetAir(world)->smoke;
    *marks = getDevice(world) ? smoke->active : smoke->marks;
    return getDevice(world) ? wbSmokeGpu_FetchMarks(getDevice(world), smoke) : wb_okStatus;
}

void wbSetAirBuffers(const wbWorld *world, bool isCoarse, int fieldCount, bool isAll,
                     wbStateColumn *columns) {
    const wbAir *air = wbGetAir(world);
    const wbSmoke *smoke = isCoarse ? &air->coarse->smoke : &air->smoke;
    wbSmokeGpu *device = isCoarse ? getCoarseDevice(world) : getDevice(world);
    if (!device || !wbSmokeGpu_IsNewer(device)) return;
    for (int f = 0; f < fieldCount && isAll; f++)
        wbSmokeGpu_FindField(device, smoke, f, &columns[f].buffer, &columns[f].offset);
    for (int colour = 0; colour < 2; colour++) {
        wbStateColumn *pressure = &columns[fieldCount + colour];
        wbSmokeGpu_FindPressure(device, colour, &pressure->buffer, &pressure->offset);
    }
    if (!isCoarse && isAll) columns[fieldCount + 2].buffer = wbSmokeGpu_FindMarks(device);
}

// If that fails, the device does, which is asked when all is copied.
void wbMarkAirDeviceDirty(wbWorld *world) {
    wbSmokeGpu *fine = getDevice(world), *coarse = getCoarseDevice(world);
    if (fine && wbSmokeGpu_IsNewer(fine)) (void)wbSmokeGpu_MarkDirty(fine, &wbGetAir(world)->smoke);
    if (coarse && wbSmokeGpu_IsNewer(coarse))
        (void)wbSmokeGpu_MarkDirty(coarse, &wbGetAir(world)->coarse->smoke);
}

void wbResetAirDevice(wbWorld *world) {
    if (getDevice(world)) wbSmokeGpu_Reset(getDevice(world));
    if (getCoarseDevice(world)) wbSmokeGpu_Invalidate(getCoarseDevice(world));
}

static bool isAhead(const wbSolver *solver) {
    const wbSmokeGpu *coarse = getCoarseDevice(solver->world);
    return wbSmokeGpu_IsNewer(getDevice(solver->world)) || (coarse && wbSmokeGpu_IsNewer(coarse));
}

static wbStatus fetch(wbSolver *solver) {
    const wbWorld *world = solver->world;
    WB_TRY(wbSmokeGpu_Fetch(getDevice(world), &wbGetAir(world)->smoke));
    return getCoarseDevice(world) ? wbSmokeGpu_Fetch(getCoarseDevice(world), &wbGetAir(world)->coarse->smoke)
                                  : wb_okStatus;
}

static void take(wbSolver *solver) {
    const wbWorld *world = solver->world;
    wbSmokeGpu_Take(getDevice(world), &wbGetAir(world)->smoke);
    if (getCoarseDevice(world)) wbSmokeGpu_Take(getCoarseDevice(world), &wbGetAir(world)->coarse->smoke);
}

static void markDirty(wbSolver *solver) {
    wbSmokeGpu_Invalidate(getDevice(solver->world));
    if (getCoarseDevice(solver->world)) wbSmokeGpu_Invalidate(getCoarseDevice(solver->world));
}

static void discard(wbSolver *solver, wbStatus why) {
    const wbWorld *world = solver->world;
    wbGetAir(world)->areCollidersStale = true; // they are where they were, too
    (void)wbSmokeGpu_Discard(getDevice(world), &wbGetAir(world)->smoke, why);
    if (getCoarseDevice(world))
        (void)wbSmokeGpu_Discard(getCoarseDevice(world), &wbGetAir(world)->coarse->smoke, why);
}

const wbSolverDevice wb_airDevice = {create, destroy, NULL, isAhead, fetch, take, markDirty, discard};
