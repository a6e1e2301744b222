// SPDX-License-Identifier: MIT
// Soft bodies in a world's step, and their state as hashing, statistics and going back see it.
#include <math.h>
#include <string.h>

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

static void snapshot(wbWorld *world) {
    wbSoft *soft = world->soft;
    size_t count = (size_t)soft->pbd.count;
    float *columns[WB_SOFT_MOVING], *kept = soft->kept.data;
    size_t columnCount = listMoving(&soft->pbd, columns);
    for (size_t c = 0; c < columnCount && count > 0; c++)
        memcpy(kept + c * count, columns[c], sizeof(float) * count);
    soft->snapshotDt = soft->pbd.previousDt, soft->snapshotSpeed = soft->pbd.maxSpeed;
    soft->snapshotHistoryDt = soft->pbd.history.dt;
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
}

static wbStatus stepOnDevice(wbWorld *world, float dt) {
    wbSoft *soft = world->soft;
    const wbSolver *solver = &world->solvers[wb_solverIndex_pbd];
    wbStatus status = wbPbdGpu_Step(solver->device, &soft->pbd, &soft->model, &world->work, dt);
    bool isLost = !wbIsOk(status) && status.code != wb_errorUnstable && !wbSolver_IsAhead(solver);
    return isLost ? wbRestoreSnapshot(world, status) : status;
}

wbStatus wbStepSoft(wbWorld *world, float dt) {
    wbSoft *soft = world->soft;
    const wbPbdObstacles obstacles = {wbFindSoftPlanes, world};
    WB_TRY(wbPrepareSoftAccount(world, dt));
    if (!world->gpu) snapshot(world);
    soft->model.obstacles = world->colliderIds.indexCount > 0 ? &obstacles : NULL;
    wbStatus status =
        world->gpu ? stepOnDevice(world, dt) : wbPbd_Step(&soft->pbd, &soft->model, &world->work, dt);
    soft->model.obstacles = NULL;
    if (wbIsOk(status)) status = wbCheckSoft(world, dt);
    if (status.code == wb_errorUnstable) return status;
    if (!wbIsOk(status) && !world->gpu) wbRestoreSoft(world);
    return status;
}
