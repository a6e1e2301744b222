// SPDX-License-Identifier: MIT
#include "coupling/response.h"

#include <string.h>

enum { FEW = 8 }; // bodies that a thread takes at once

typedef struct Iteration {
    wbWetBodies *wet;
    const wbExchange *exchange;
    const wbImpulse *forces;
    wbBoundaryTime time;
    double seconds;
} Iteration;

// N s, N m s about its centre of mass: of forces in this part on a body.
static void takeForces(const Iteration *r, int i) {
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

// N s, N m s: given so far and in transit.
static void findLeft(const wbWetBodies *wet, int i, double left[6]) {
    const double *given = wbWetBodies_GetInner(wet, i)->given;
    const float *transit = wbWetBodies_GetState(wet, i)->transit;
    for (int k = 0; k < 6; k++) left[k] = given[k] + (double)transit[k];
}

static ResponseBody describeBody(const wbWetBodies *wet, int i) {
    const wbWetBody *body = wbWetBodies_Get(wet, i);
    return wbWetBodies_GetResponse(wet, i, (double)body->load, (double)body->turnLoad);
}

static void respondBody(wbWetBodies *wet, int i, double seconds) {
    wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    const ResponseBody body = describeBody(wet, i);
    double left[6];
    findLeft(wet, i, left);
    response_of_body(&body, left, seconds, inner->now);
    inner->isResponding = true;
}

void wbWetBodies_GiveWay(wbWetBodies *wet, int body) {
    if (!isPushed(wet, body)) return;
    respondBody(wet, body, wbWetBodies_GetPart(wet));
    wbWetBodies_FollowWay(wet, body);
}

static bool givesWay(const wbWetBodies *wet, int i) {
    return wbWetBodies_IsFree(wet, i) && !wbWetBodies_Get(wet, i)->isThin;
}

// What was taken before the end of the sub-step is taken again then. Thin ones got theirs from sheets.
static void forget(wbWetBodies *wet, int i) {
    if (!wbWetBodies_Get(wet, i)->isThin) memset(wbWetBodies_GetInner(wet, i)->given, 0, sizeof(double[6]));
}

static void respondTo(const Iteration *r, int i) {
    takeForces(r, i);
    if (!isPushed(r->wet, i)) return;
    respondBody(r->wet, i, r->seconds);
    wbWetBodies_FollowWay(r->wet, i);
}

// Forces of the part so far are summed anew after each iteration.
static void respondRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Iteration *r = context;
    for (int i = begin; i < end; i++) {
        if (givesWay(r->wet, i)) respondTo(r, i);
        forget(r->wet, i);
    }
}

static void followRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Iteration *r = context;
    for (int i = begin; i < end; i++)
        if (wbWetBodies_GetInner(r->wet, i)->isResponding)
            wbBoundary_Follow(r->exchange->boundary, r->exchange->first + i, r->time);
}

void wbWetBodies_Respond(wbWetBodies *wet, const wbExchange *exchange, const wbImpulse *forces,
                         wbBoundaryTime time, float seconds, const wbWork *work) {
    Iteration iteration = {wet, exchange, forces, time, (double)seconds};
    wbExchange_Take(exchange); // by what was before the iterations
    wbParallelFor(work->pool, wet->count, FEW, respondRange, &iteration);
    for (int i = 0; i < wet->count; i++)
        if (wbWetBodies_GetInner(wet, i)->isResponding)
            wbBoundary_SetMotion(exchange->boundary, exchange->first + i, wbWetBodies_GetMotions(wet, i));
    if (exchange->boundary->hasPlaces) wbParallelFor(work->pool, wet->count, FEW, followRange, &iteration);
}

static Response describe(const wbWetBodies *wet, int i, wbBoundaryTime time, double seconds) {
    const wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    const wbMotion *motion = &wbWetBodies_GetMotions(wet, i)[time];
    const wbVec3 middle = wbWetBodies_GetCentre(wet, i, time), v = wbMotion_VelocityAt(motion, middle);
    Response row = {.seconds = seconds,
                    .isAtEnd = time == wb_atEnd,
                    .middle = {middle.x, middle.y, middle.z},
                    .velocity = {v.x, v.y, v.z},
                    .gaveWay = inner->isResponding,
                    .body = describeBody(wet, i)};
    for (int a = 0; a < 3; a++) row.spin[a] = (double)motion->spin[a];
    memcpy(row.start, inner->now, sizeof row.start);
    findLeft(wet, i, row.left);
    return row;
}

int wbWetBodies_Describe(wbWetBodies *wet, const wbExchange *exchange, Response *rows, int count,
                         int *bodyRows, wbBoundaryTime time, float seconds) {
    wbExchange_Take(exchange);
    for (int i = 0; i < wet->count; i++) {
        if (givesWay(wet, i)) {
            bodyRows[exchange->first + i] = count;
            rows[count++] = describe(wet, i, time, (double)seconds);
        }
        forget(wet, i);
    }
    return count;
}

void wbWetBodies_TakeAnswers(wbWetBodies *wet, const wbExchange *exchange, const ResponseAnswer *answers,
                             int first, wbBoundaryTime time) {
    wbBoundary *boundary = exchange->boundary;
    for (int i = 0, row = first; i < wet->count; i++) {
        if (!givesWay(wet, i)) continue;
        const ResponseAnswer *answer = &answers[row++];
        wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
        if (answer->gaveWay == 0) continue;
        inner->isResponding = true;
        for (int k = 0; k < 6; k++) inner->now[k] = (double)answer->now[k];
        wbWetBodies_FollowWay(wet, i);
        wbBoundary_SetMotion(boundary, exchange->first + i, wbWetBodies_GetMotions(wet, i));
        if (boundary->hasPlaces) wbBoundary_Follow(boundary, exchange->first + i, time);
    }
}
