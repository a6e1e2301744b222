// SPDX-License-Identifier: MIT
#include "coupling/response.h"

#include <string.h>

enum { FEW = 8 }; // bodies that a thread takes at once

typedef struct Response {
    wbWetBodies *wet;
    const wbExchange *exchange;
    const wbImpulse *forces;
    wbBoundaryTime time;
    double seconds;
} Response;

// N s, N m s about its centre of mass: of forces in this part on a body.
static void takeForces(const Response *r, int i) {
    const wbImpulse *forces = &r->forces[r->exchange->first + i];
    const float *origin = wbWetBodies_GetMotions(r->wet, i)[r->time].pose.position;
    const wbVec3 centre = wbWetBodies_GetCentre(r->wet, i, r->time);
    const wbVec3d f = {forces->linear[0], forces->linear[1], forces->linear[2]},
                  arm = {(double)origin[0] - (double)centre.x, (double)origin[1] - (double)centre.y,
                         (double)origin[2] - (double)centre.z},
                  turn = wbCross3d(arm, f);
    double *given = wbWetBodies_GetInner(r->wet, i)->given;
    for (int a = 0; a < 3; a++)
        given[a] += r->seconds * forces->linear[a], given[3 + a] += r->seconds * forces->angular[a];
    given[3] += r->seconds * turn.x, given[4] += r->seconds * turn.y, given[5] += r->seconds * turn.z;
}

static bool isPushed(const wbWetBodies *wet, int i) {
    const wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    const float *transit = wbWetBodies_GetState(wet, i)->transit;
    bool isAny = inner->isResponding;
    for (int k = 0; k < 6; k++) isAny |= inner->given[k] != 0 || transit[k] != 0;
    return isAny;
}

static void respondBody(wbWetBodies *wet, int i, double seconds) {
    wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    const wbWetBody *body = wbWetBodies_Get(wet, i);
    const float *transit = wbWetBodies_GetState(wet, i)->transit;
    double speed[6], momentum[6], change[6];
    for (int k = 0; k < 6; k++) speed[k] = inner->gain[k] + inner->now[k] / seconds;
    wbWetBodies_FindMomentum(wet, i, speed, momentum);
    for (int k = 0; k < 6; k++) momentum[k] = inner->given[k] + (double)transit[k] - momentum[k];
    wbWetBodies_FindMotion(wet, i, momentum, (double)body->load, (double)body->turnLoad, change);
    for (int k = 0; k < 6; k++) inner->now[k] += seconds * change[k];
    inner->isResponding = true;
}

void wbWetBodies_GiveWay(wbWetBodies *wet, int body) {
    if (!isPushed(wet, body)) return;
    respondBody(wet, body, wbWetBodies_GetPart(wet));
    wbWetBodies_FollowWay(wet, body);
}

// Forces of the part so far are summed anew after each iteration.
static void respondRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Response *r = context;
    for (int i = begin; i < end; i++) {
        if (!wbWetBodies_IsFree(r->wet, i) || wbWetBodies_Get(r->wet, i)->isThin) continue;
        takeForces(r, i);
        if (!isPushed(r->wet, i)) continue;
        respondBody(r->wet, i, r->seconds);
        wbWetBodies_FollowWay(r->wet, i);
        memset(wbWetBodies_GetInner(r->wet, i)->given, 0, sizeof(double[6]));
    }
}

static void followRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Response *r = context;
    for (int i = begin; i < end; i++)
        if (wbWetBodies_GetInner(r->wet, i)->isResponding)
            wbBoundary_Follow(r->exchange->boundary, r->exchange->first + i, r->time);
}

void wbWetBodies_Respond(wbWetBodies *wet, const wbExchange *exchange, const wbImpulse *forces,
                         wbBoundaryTime time, float seconds, const wbWork *work) {
    Response response = {wet, exchange, forces, time, (double)seconds};
    wbExchange_Take(exchange); // by what was before the iterations
    wbParallelFor(work->pool, wet->count, FEW, respondRange, &response);
    for (int i = 0; i < wet->count; i++)
        if (wbWetBodies_GetInner(wet, i)->isResponding)
            wbBoundary_SetMotion(exchange->boundary, exchange->first + i, wbWetBodies_GetMotions(wet, i));
    if (exchange->boundary->hasPlaces) wbParallelFor(work->pool, wet->count, FEW, followRange, &response);
}
