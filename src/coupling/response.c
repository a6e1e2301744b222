// SPDX-License-Identifier: MIT
#include "coupling/response.h"

// N s, N m s about the centres of mass: of forces in this part, in the order of places.
static void sumForces(const wbWetBodies *wet, const wbExchange *exchange, const float *const forces[3],
                      wbBoundaryTime time, double seconds) {
    const wbBoundary *b = exchange->boundary;
    for (int i = 0; i < wet->count; i++)
        wbWetBodies_GetInner(wet, i)->centre = wbWetBodies_GetCentre(wet, i, time);
    for (int k = b->stillCount; k < wbBoundary_GetCount(b); k++) {
        if (forces[0][k] == 0 && forces[1][k] == 0 && forces[2][k] == 0) continue;
        const int body = b->body[b->source[k]] - exchange->first;
        if (body < 0) continue;
        wbWetMotion *inner = wbWetBodies_GetInner(wet, body);
        const wbVec3 centre = inner->centre;
        const wbVec3d f = {seconds * (double)forces[0][k], seconds * (double)forces[1][k],
                           seconds * (double)forces[2][k]},
                      arm = {(double)b->x[k] - (double)centre.x, (double)b->y[k] - (double)centre.y,
                             (double)b->z[k] - (double)centre.z},
                      turn = wbCross3d(arm, f);
        double *given = inner->given;
        given[0] += f.x, given[1] += f.y, given[2] += f.z;
        given[3] += turn.x, given[4] += turn.y, given[5] += turn.z;
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
    wbWetBodies_FindMotion(wet, i, momentum, (double)body->load, (double)body->turnLoad, change);
    for (int k = 0; k < 6; k++) inner->now[k] += seconds * change[k], inner->given[k] = 0;
    inner->isResponding = true;
}

void wbWetBodies_Respond(wbWetBodies *wet, const wbExchange *exchange, const float *const forces[3],
                         wbBoundaryTime time, float seconds) {
    wbExchange_Take(exchange); // by what was before the iterations
    sumForces(wet, exchange, forces, time, (double)seconds);
    for (int i = 0; i < wet->count; i++) {
        if (!isPushed(wet, i)) continue;
        respondBody(wet, i, (double)seconds);
        wbWetBodies_FollowWay(wet, i);
        wbBoundary_SetMotion(exchange->boundary, exchange->first + i, wbWetBodies_GetMotions(wet, i));
    }
}
