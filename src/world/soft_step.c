// SPDX-License-Identifier: MIT
// Soft bodies in a world's step.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

wbStatus wbStepSoft(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    const wbPbdObstacles obstacles = {wbFindSoftPlanes, world};
    WB_TRY(wbPrepareSoftAccount(world, dt));
    soft->model.obstacles = world->colliderIds.indexCount > 0 ? &obstacles : NULL;
    void *device = solver->device;
    wbStatus status = device ? wbPbdGpu_Step(device, &soft->pbd, &soft->model, &world->work, dt)
                             : wbPbd_Step(&soft->pbd, &soft->model, &world->work, dt);
    soft->model.obstacles = NULL;
    return wbIsOk(status) ? wbCheckSoft(world, dt) : status;
}
