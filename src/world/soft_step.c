// SPDX-License-Identifier: MIT
// Soft bodies in a world's step.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

static wbStatus stepOnDevice(wbWorld *world, float dt) {
    wbSoft *soft = wbGetSoft(world);
    const wbSolver *solver = &world->solvers[wb_solverIndex_pbd];
    wbStatus status = wbPbdGpu_Step(solver->device, &soft->pbd, &soft->model, &world->work, dt);
    bool isLost = !wbIsOk(status) && status.code != wb_errorUnstable && !wbSolver_IsAhead(solver);
    return isLost ? wbRestoreSnapshot(world, status) : status;
}

wbStatus wbStepSoft(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    const wbPbdObstacles obstacles = {wbFindSoftPlanes, world};
    WB_TRY(wbPrepareSoftAccount(world, dt));
    soft->model.obstacles = world->colliderIds.indexCount > 0 ? &obstacles : NULL;
    wbStatus status =
        world->gpu ? stepOnDevice(world, dt) : wbPbd_Step(&soft->pbd, &soft->model, &world->work, dt);
    soft->model.obstacles = NULL;
    return wbIsOk(status) ? wbCheckSoft(world, dt) : status;
}
