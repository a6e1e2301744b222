// SPDX-License-Identifier: MIT
// Soft bodies in a world's step.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "world/air.h"
#include "world/collider.h"
#include "world/grab.h"
#include "world/soft.h"

bool wbFindSoftPoint(const wbWorld *world, int index, int particle, wbVec3 *point) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const wbPbdBody *particles = &wbGetSoftBodyAt(world, index)->particles;
    const int i = particles->first + particle;
    if (particle < particles->count) *point = wbMakeVec3(pbd->x[i], pbd->y[i], pbd->z[i]);
    return particle < particles->count;
}

// Of the mass of its body, whose weight it has to bear.
static wbPbdHold makeHold(const wbWorld *world, const wbGrab *grab, int index) {
    const wbSoftBody *body = wbGetSoftBodyAt(world, index);
    const wbGrabSpring spring =
        wbMakeGrabSpring(&grab->params, (double)body->particleMass * body->particles.count);
    const wbVec3 target = grab->params.target;
    return (wbPbdHold){.particle = body->particles.first + grab->params.particle,
                       .target = {target.x, target.y, target.z},
                       .stiffness = spring.stiffness,
                       .damping = spring.damping,
                       .maxForce = spring.maxForce};
}

static int listHolds(const wbWorld *world, wbPbdHold holds[WB_MAX_GRABS]) {
    int count = 0;
    for (int i = 0; i < world->grabIds.indexCount; i++) {
        const wbGrab *grab = wbGetGrabAt(world, i);
        const int index = wbGetHeld(world, grab, &wb_softBodyKind);
        if (index >= 0 && grab->params.particle < wbGetSoftBodyAt(world, index)->particles.count)
            holds[count++] = makeHold(world, grab, index);
    }
    return count;
}

bool wbNeedsSoftCores(const wbWorld *world) {
    wbPbdHold holds[WB_MAX_GRABS];
    return listHolds(world, holds) > 0 || wbMeetsSoft(world) || wbIsSoftBlown(world) || wbAreSoftWet(world) ||
           wbIsSoftTouching(world);
}

static void tellWind(const wbSolver *solver) {
    wbSoft *soft = solver->self;
    if (!solver->device || soft->air.isTold || !wbIsSoftBlown(solver->world)) return;
    wbLog(wb_logWarning, "soft bodies are computed on the cores: the device does not compute the wind");
    soft->air.isTold = true;
}

// The wind does work on them, still air takes it.
static bool isDriven(const wbWorld *world) {
    const wbVec3 wind = world->def.coupling.wind;
    const wbSoft *soft = wbGetSoft(world);
    return soft->model.holdCount > 0 || (soft->model.partner && soft->rigid.contacts.isTouched) ||
           (wbIsSoftBlown(world) && (wbGetAir(world) || wbDot(wind, wind) > 0));
}

wbStatus wbPlanSoft(wbSolver *solver, float dt) {
    (void)dt;
    wbSoft *soft = solver->self;
    memset(soft->rigid.contacts.given, 0, sizeof soft->rigid.contacts.given);
    memset(soft->air.given, 0, sizeof soft->air.given);
    soft->surface.pairs.isKnown = false;
    tellWind(solver);
    return wbNeedsSoftCores(solver->world) ? wbPullState(solver->world) : wb_okStatus;
}

static wbStatus advance(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    const wbPbdObstacles obstacles = {wbFindSoftPlanes, world};
    const wbPbdForces forces = {wbBlowSoft, world};
    wbPbdPartner partner;
    wbPbdHold holds[WB_MAX_GRABS];
    WB_TRY(wbBeginSoftRigid(solver, dt, &partner, &soft->model.partner));
    WB_TRY(wbBeginSoftSurface(solver, &soft->model.surface));
    WB_TRY(wbPrepareSoftAccount(world, dt));
    soft->model.holds = holds, soft->model.holdCount = listHolds(world, holds);
    soft->model.obstacles = world->colliderIds.indexCount > 0 ? &obstacles : NULL;
    soft->model.forces = wbIsSoftBlown(world) ? &forces : NULL;
    void *device = wbNeedsSoftCores(world) ? NULL : solver->device;
    const bool isWet = wbAreSoftWet(world);
    wbStatus status = device  ? wbPbdGpu_Step(device, &soft->pbd, &soft->model, &world->work, dt)
                      : isWet ? wbOpenWetSoft(solver, &soft->model, dt)
                              : wbPbd_Step(&soft->pbd, &soft->model, &world->work, dt);
    if (solver->device && !device)
        wbPbdGpu_Invalidate(solver->device); // it gets the cores' state with its next step
    if (wbIsOk(status) && soft->model.partner) wbSoftContacts_Give(&soft->rigid.contacts);
    soft->account.isDriven |= isDriven(world);
    return wbIsOk(status) && !isWet ? wbCheckSoft(world, dt) : status;
}

// The model is as it was before, without what was of this step.
wbStatus wbStepSoft(wbSolver *solver, float dt) {
    wbSoft *soft = solver->self;
    const wbPbdModel model = soft->model;
    const wbStatus status = advance(solver, dt);
    soft->model = model;
    return status;
}
