// SPDX-License-Identifier: MIT
// Rigid bodies in the wind: the air's impulse over a sub-step is a force in it, so that contacts and joints bear it.
#include "core/status.h"
#include "world/air.h"
#include "world/coupling.h"
#include "world/rigid.h"

bool wbAreRigidBlown(const wbWorld *world) {
    return wbGetRigidBodies(world) && world->def.coupling.airDensity > 0 &&
           wbGetPairMode(&world->def.coupling, wb_matterAir, wb_matterRigid) == wb_pairBoth;
}

// Of a plane there is none.
static wbStatus findSurface(const wbWorld *world, int index, const wbDragSurface **surface) {
    wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), wbGetRigidBodyAt(world, index)->form);
    if (form->drag.count == 0) WB_TRY(wbDragSurface_Build(&form->drag, world->memory, &form->mesh));
    *surface = &form->drag;
    return wb_okStatus;
}

// The weight of the air that it displaces bears it.
static void addLift(const wbWorld *world, int i, float density, float dt, double impulse[6]) {
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    const wbRigidBody *body = wbGetRigidBodyAt(world, i);
    const double volume = wbGetRigidForm(bodies, body->form)->solid.volume,
                 share = -(double)density * volume * (double)body->params.gravityScale * (double)dt;
    const wbVec3 g = world->domain.gravity;
    impulse[0] += share * (double)g.x, impulse[1] += share * (double)g.y, impulse[2] += share * (double)g.z;
}

static void push(wbRigidBodies *bodies, int i, const double impulse[6], float dt) {
    wbRigid *r = &bodies->rigid;
    float *const columns[6] = {r->fx, r->fy, r->fz, r->tx, r->ty, r->tz};
    for (int k = 0; k < 6; k++) columns[k][i] += (float)(impulse[k] / (double)dt);
    for (int a = 0; a < 3; a++) bodies->blown[a] += impulse[a];
}

wbStatus wbBlowRigidBodies(wbWorld *world, float dt) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    const wbRigid *r = &bodies->rigid;
    wbWind wind = wbGetWind(world);
    const bool isFlat = world->params.dimensions == 2;
    for (int i = 0; i < r->count && wbAreRigidBlown(world); i++) {
        const wbDragSurface *surface;
        double impulse[6];
        if (!(r->bits[i] & WB_RIGID_DYNAMIC) || r->bits[i] & WB_RIGID_OFF) continue;
        if (wbAreBodiesInAir(world) && wbFillsAir(world, i)) {
            wbGetAirLoad(world, i, dt, impulse);
        } else {
            WB_TRY(findSurface(world, i, &surface));
            if (wbGetAir(world)) wbFindWindAt(world, i, wind.velocity);
            wbDragRigid(surface, &wbGetRigidBodyAt(world, i)->frame, r, i, &wind, world->domain.gravity, dt,
                        world->work.simd, impulse);
        }
        addLift(world, i, wind.density, dt, impulse);
        if (isFlat) impulse[2] = impulse[3] = impulse[4] = 0;
        push(bodies, i, impulse, dt);
    }
    return wb_okStatus;
}
