// SPDX-License-Identifier: MIT
#include "coupling/response.h"

// Parts of the added mass, and of the displaced fluid's inertia, that make it converge: more is slower, less swings.
static const double linearShare = 0.45, turnShare = 0.6;

// N s, N m s about the centres of mass: of forces in this part, in the order of places.
static void sumForces(const wbWetBodies *wet, const wbBoundary *b, int first, const float *const forces[3],
                      double seconds) {
    for (int k = b->stillCount; k < wbBoundary_GetCount(b); k++) {
        const int body = b->body[b->source[k]] - first;
        if (body < 0 || (forces[0][k] == 0 && forces[1][k] == 0 && forces[2][k] == 0)) continue;
        const wbVec3 centre = wbWetBodies_GetCentre(wet, body);
        const wbVec3d f = {seconds * (double)forces[0][k], seconds * (double)forces[1][k],
                           seconds * (double)forces[2][k]},
                      arm = {(double)b->x[k] - (double)centre.x, (double)b->y[k] - (double)centre.y,
                             (double)b->z[k] - (double)centre.z},
                      turn = wbCross3d(arm, f);
        double *given = wbWetBodies_GetInner(wet, body)->given;
        given[0] += f.x, given[1] += f.y, given[2] += f.z;
        given[3] += turn.x, given[4] += turn.y, given[5] += turn.z;
    }
}

// By the parts of the sub-step that are over, about the centre of mass of now.
static void addBefore(const wbWetBodies *wet, const wbBoundary *b, int first) {
    const wbSurfaceOwner owner = wbWetBodies_GetOwner((wbWetBodies *)wet);
    for (int i = 0; i < wet->count; i++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(b, first + i);
        if (body->isTouched) owner.take(owner.context, i, &body->impulse);
    }
}

static bool isPushed(const wbWetBodies *wet, int i) {
    const wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    const float *transit = wbWetBodies_GetState(wet, i)->transit;
    bool isAny = inner->isResponding;
    for (int k = 0; k < 6; k++) isAny |= inner->given[k] != 0 || transit[k] != 0;
    return isAny && wbWetBodies_IsFree(wet, i);
}

static void respondBody(wbWetBodies *wet, int i, double seconds) {
    wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    const wbWetBody *body = wbWetBodies_Get(wet, i);
    const float *transit = wbWetBodies_GetState(wet, i)->transit;
    double speed[6], momentum[6], change[6];
    for (int k = 0; k < 6; k++) speed[k] = inner->gain[k] + inner->now[k] / seconds;
    wbWetBodies_FindMomentum(wet, i, speed, momentum);
    for (int k = 0; k < 6; k++) momentum[k] = inner->given[k] + (double)transit[k] - momentum[k];
    wbWetBodies_FindMotion(wet, i, momentum, linearShare * (double)body->addedMass,
                           turnShare * (double)body->displaced, change);
    for (int k = 0; k < 6; k++) inner->now[k] += seconds * change[k], inner->given[k] = 0;
    inner->isResponding = true;
}

void wbWetBodies_Respond(wbWetBodies *wet, wbBoundary *boundary, int first, const float *const forces[3],
                         float seconds, const wbWork *work) {
    addBefore(wet, boundary, first);
    sumForces(wet, boundary, first, forces, (double)seconds);
    for (int i = 0; i < wet->count; i++) {
        if (!isPushed(wet, i)) continue;
        respondBody(wet, i, (double)seconds);
        wbWetBodies_FollowWay(wet, i);
        wbBoundary_SetMotion(boundary, first + i, wbWetBodies_GetMotions(wet, i));
    }
    wbBoundary_Follow(boundary, work, wb_atEnd);
}
