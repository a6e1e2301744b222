// SPDX-License-Identifier: MIT
// Soft bodies in a world's step, and their state as hashing, statistics and going back see it.
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

// What a step changes: positions, velocities, and the history if there is one. Returns their number.
static size_t listMoving(wbPbd *pbd, float *columns[WB_SOFT_MOVING]) {
    float *const list[] = {pbd->x, pbd->y, pbd->z, pbd->vx, pbd->vy, pbd->vz};
    wbColumn history[WB_PBD_HISTORY_COLUMNS];
    memcpy(columns, list, sizeof list);
    if (!(pbd->history.dt > 0)) return 6;
    wbPbd_ListHistoryColumns(pbd, history);
    for (int c = 0; c < WB_PBD_HISTORY_COLUMNS; c++) columns[6 + c] = *history[c].data;
    return WB_SOFT_MOVING;
}

void wbSnapshotSoft(wbWorld *world) {
    wbSoft *soft = world->soft;
    size_t count = (size_t)soft->pbd.count;
    float *columns[WB_SOFT_MOVING], *kept = soft->kept.data;
    size_t columnCount = listMoving(&soft->pbd, columns);
    for (size_t c = 0; c < columnCount && count > 0; c++)
        memcpy(kept + c * count, columns[c], sizeof(float) * count);
    soft->snapshotDt = soft->pbd.previousDt, soft->snapshotSpeed = soft->pbd.maxSpeed;
    soft->snapshotHistoryDt = soft->pbd.history.dt;
    soft->snapshotSides = soft->pbd.walls;
}

void wbRestoreSoft(wbWorld *world) {
    wbSoft *soft = world->soft;
    size_t count = (size_t)soft->pbd.count;
    float *columns[WB_SOFT_MOVING];
    const float *kept = soft->kept.data;
    soft->pbd.history.dt = soft->snapshotHistoryDt;
    size_t columnCount = listMoving(&soft->pbd, columns);
    for (size_t c = 0; c < columnCount && count > 0; c++)
        memcpy(columns[c], kept + c * count, sizeof(float) * count);
    soft->pbd.previousDt = soft->snapshotDt, soft->pbd.maxSpeed = soft->snapshotSpeed;
    soft->pbd.walls = soft->snapshotSides;
    memcpy(&world->domain.min, soft->pbd.walls.min, sizeof(float[3]));
    memcpy(&world->domain.max, soft->pbd.walls.max, sizeof(float[3]));
}

bool wbIsSoftAhead(const wbWorld *world) {
    return world->soft->device && wbPbdGpu_IsNewer(world->soft->device);
}

wbStatus wbPullSoft(wbWorld *world) {
    return world->soft->device ? wbPbdGpu_Pull(world->soft->device, &world->soft->pbd) : wb_okStatus;
}

void wbMarkSoftDirty(wbWorld *world) {
    if (world->soft->device) wbPbdGpu_Invalidate(world->soft->device);
    wbSnapshotValues(world);
}

void wbDiscardSoft(wbWorld *world) {
    if (world->soft->device) wbPbdGpu_Discard(world->soft->device);
    wbCloseSoftAccount(world);
}

void wbCloseSoftDevice(wbWorld *world) {
    if (!world->soft) return; // a world that was not made to its end
    wbDestroyPbdGpu(world->soft->device);
    world->soft->device = NULL;
}

static wbStatus stepOnDevice(wbWorld *world, float dt) {
    wbSoft *soft = world->soft;
    if (!soft->device) WB_TRY(wbCreatePbdGpu(world->memory, world->gpu, &soft->device));
    wbStatus status = wbPbdGpu_Step(soft->device, &soft->pbd, &soft->model, &world->work, dt);
    bool isLost = !wbIsOk(status) && status.code != wb_errorUnstable && !wbIsSoftAhead(world);
    return isLost ? wbRestoreSnapshot(world, status) : status;
}

static wbStatus explain(const wbWorld *world, float dt, wbStatus status) {
    return wbError(status.code, "unstable at step %lld (%g s): soft bodies: %s; dt is %.3g s",
                   (long long)world->stepCount + 1, world->time, status.text, dt);
}

wbStatus wbStepSoft(wbWorld *world, float dt) {
    wbSoft *soft = world->soft;
    const wbPbdObstacles obstacles = {wbFindSoftPlanes, world};
    if (soft->ids.indexCount == 0) return wb_okStatus;
    WB_TRY(wbPrepareSoftAccount(world, dt));
    if (!world->gpu) wbSnapshotSoft(world);
    if (wbWorld_GetFluidCount(world) == 0 && !world->air) wbDriveSides(world, dt);
    soft->model.gravity = world->params.gravity;
    soft->model.obstacles = world->colliderIds.indexCount > 0 ? &obstacles : NULL;
    wbStatus status =
        world->gpu ? stepOnDevice(world, dt) : wbPbd_Step(&soft->pbd, &soft->model, &world->work, dt);
    soft->model.obstacles = NULL;
    if (wbIsOk(status)) status = wbCheckSoft(world, dt);
    if (status.code == wb_errorUnstable) return world->stopped = explain(world, dt, status);
    if (wbIsOk(status)) status = wbFollowSides(world);
    if (!wbIsOk(status)) wbUndoSoft(world);
    return status;
}

// A device's step cannot be undone: it is gone back to what was copied last, if the device is lost.
void wbUndoSoft(wbWorld *world) {
    if (!world->gpu && world->soft->ids.indexCount > 0) wbRestoreSoft(world);
}

uint64_t wbHashSoft(wbWorld *world, uint64_t hash) {
    wbColumn columns[WB_PBD_COLUMNS], history[WB_PBD_HISTORY_COLUMNS];
    wbPbd *pbd = &world->soft->pbd;
    if (world->soft->ids.indexCount == 0) return hash;
    wbPbd_ListColumns(pbd, columns);
    for (int c = 0; c < WB_PBD_COLUMNS; c++)
        if (columns[c].saved) hash = wbHashBytes(hash, *columns[c].data, 4 * (size_t)pbd->count);
    wbPbd_ListHistoryColumns(pbd, history);
    for (int c = 0; c < WB_PBD_HISTORY_COLUMNS && pbd->history.dt > 0; c++)
        hash = wbHashBytes(hash, *history[c].data, 4 * (size_t)pbd->count);
    hash = wbHashBytes(hash, &pbd->previousDt, sizeof pbd->previousDt);
    hash = wbHashBytes(hash, pbd->walls.min, sizeof pbd->walls.min);
    return wbHashBytes(hash, pbd->walls.max, sizeof pbd->walls.max);
}

static bool isBeyondSides(const wbPbdSides *walls, const float p[3]) {
    for (int side = 0; side < wb_sideCount; side++) {
        float at = p[side / 2], hair = 1e-5f * (fabsf(at) + 1);
        if (walls->closed[side] &&
            (side % 2 ? at > walls->max[side / 2] + hair : at < walls->min[side / 2] - hair))
            return true;
    }
    return false;
}

void wbAddSoftStats(wbWorld *world, double ground, wbStats *stats) {
    const wbSoft *soft = world->soft;
    const wbPbd *pbd = &soft->pbd;
    const wbVec3 g = world->params.gravity;
    const float hair = 0.1f * soft->model.params.radius + 1e-4f; // m, that what is pressed may sink in
    for (int i = 0; i < pbd->count; i++) {
        double m = wbGetSoftBodyAt(world, (int)pbd->body[i])->particleMass;
        double vx = pbd->vx[i], vy = pbd->vy[i], vz = pbd->vz[i];
        stats->mass += m;
        stats->momentum[0] += m * vx, stats->momentum[1] += m * vy, stats->momentum[2] += m * vz;
        stats->kinetic += 0.5 * m * (vx * vx + vy * vy + vz * vz);
        stats->potential -=
            m * (g.x * (double)pbd->x[i] + g.y * (pbd->y[i] - ground) + g.z * (double)pbd->z[i]);
        const float p[3] = {pbd->x[i], pbd->y[i], pbd->z[i]};
        stats->leaked +=
            isBeyondSides(&pbd->walls, p) || (wbIsNear(p) && wbGetClearance(world, p, 0) < -hair);
    }
    stats->particles += pbd->count;
}

void wbAddSoftPhases(const wbWorld *world, wbProfile *profile) {
    static const char *const names[wb_pbdPhaseCount] = {
#define WB_PHASE(name) "pbd_" #name,
        WB_PBD_PHASES(WB_PHASE)
#undef WB_PHASE
    };
    const wbSoft *soft = world->soft;
    if (soft->ids.indexCount == 0) return;
    for (int k = 0; k < wb_pbdPhaseCount; k++) wbAddPhase(profile, names[k], soft->pbd.ms[k]);
    profile->pairs += soft->pbd.neighbours.pairs;
}
