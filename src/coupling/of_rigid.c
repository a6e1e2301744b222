// SPDX-License-Identifier: MIT
#include "coupling/of_rigid.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "shape/vec3d.h"

// s: a body that was dry for so long has come out of the water, and what was away from it for so long is as heavy as it is itself.
static const float longestDry = 0.1f;
static const float away = 0.2f, untouched = -1;

typedef struct Way {
    wbPose start, end;
} Way;
typedef struct Motions {
    wbMotion at[wb_boundaryTimeCount];
} Motions;

static Way *getWay(const wbWetBodies *wet, int body) { return (Way *)wet->ways.data + body; }
static Motions *getMotions(const wbWetBodies *wet, int body) { return (Motions *)wet->motions.data + body; }

// Memory

enum { ARRAYS = 7 };
static void listArrays(wbWetBodies *wet, wbArray *arrays[ARRAYS]) {
    wbArray *const list[ARRAYS] = {&wet->bodies, &wet->states,  &wet->inner, &wet->told,
                                   &wet->ways,   &wet->motions, &wet->all};
    memcpy(arrays, list, sizeof list);
}

void wbWetBodies_Init(wbWetBodies *wet) {
    *wet = (wbWetBodies){.bodies.elementSize = sizeof(wbWetBody),
                         .states.elementSize = sizeof(wbWetState),
                         .inner.elementSize = sizeof(wbWetMotion),
                         .told.elementSize = sizeof(wbWetTold),
                         .ways.elementSize = sizeof(Way),
                         .motions.elementSize = sizeof(Motions),
                         .all.elementSize = sizeof(int)};
}

void wbWetBodies_Free(wbMemory *memory, wbWetBodies *wet) {
    wbArray *arrays[ARRAYS];
    listArrays(wet, arrays);
    for (int k = 0; k < ARRAYS; k++) wbArray_Free(memory, arrays[k]);
    wbWetBodies_Init(wet);
}

wbStatus wbWetBodies_ReserveStates(wbWetBodies *wet, wbMemory *memory, int count) {
    if (!wbArray_Reserve(memory, &wet->states, count) || !wbArray_Reserve(memory, &wet->told, count))
        return wbMemoryError(memory, "%d rigid bodies among fluids need", count);
    for (int i = 0; i < count; i++) *wbWetBodies_GetTold(wet, i) = (wbWetTold){.isTold = false};
    return wb_okStatus;
}

wbStatus wbWetBodies_Reserve(wbWetBodies *wet, wbMemory *memory, int count) {
    wbArray *arrays[ARRAYS];
    listArrays(wet, arrays);
    for (int k = 0; k < ARRAYS; k++)
        if (!wbArray_Reserve(memory, arrays[k], count))
            return wbMemoryError(memory, "%d rigid bodies among fluids need", count);
    for (int i = wet->stateCount; i < count; i++)
        *wbWetBodies_GetState(wet, i) = (wbWetState){.dryTime = longestDry, .farTime = away},
                                   *wbWetBodies_GetTold(wet, i) = (wbWetTold){.isTold = false};
    for (int i = 0; i < count; i++) ((int *)wet->all.data)[i] = i;
    wet->count = wet->stateCount = count;
    return wb_okStatus;
}

void wbWetBodies_Remove(wbWetBodies *wet, int body) {
    if (body >= wet->stateCount) return;
    wbArray_Remove(&wet->told, body, wet->stateCount);
    wbArray_Remove(&wet->states, body, wet->stateCount--);
}

// Motion

// Of a body's origin, as it is now.
static wbPose getOrigin(const wbWetBodies *wet, int body) {
    const wbPose pose = wbRigid_GetPose(wet->rigid, body),
                 back = wbPose_Invert(&wbWetBodies_Get(wet, body)->frame);
    return wbPose_Multiply(&pose, &back);
}

// Where it is after a small displacement of its centre of mass and a turn about it.
static wbPose displace(const wbWetBodies *wet, int body, const wbPose *origin, const double by[6]) {
    const double angle = sqrt(by[3] * by[3] + by[4] * by[4] + by[5] * by[5]),
                 sine = angle > 0 ? sin(0.5 * angle) / angle : 0;
    const wbPose turn = {.rotation = {(float)(sine * by[3]), (float)(sine * by[4]), (float)(sine * by[5]),
                                      (float)cos(0.5 * angle)}};
    const float *centre = wbWetBodies_Get(wet, body)->frame.position;
    const wbVec3 arm = wbPose_Rotate(origin, wbMakeVec3(-centre[0], -centre[1], -centre[2])),
                 swing = wbSub(wbPose_Rotate(&turn, arm), arm);
    wbPose pose = wbPose_Multiply(&turn, origin);
    const float shift[3] = {(float)by[0] + swing.x, (float)by[1] + swing.y, (float)by[2] + swing.z};
    for (int a = 0; a < 3; a++) pose.position[a] = origin->position[a] + shift[a];
    return pose;
}

bool wbWetBodies_IsWet(const wbWetBodies *wet, int body) {
    return wbWetBodies_GetState(wet, body)->dryTime < longestDry;
}

bool wbWetBodies_HasFloor(const wbWetBodies *wet, int body) {
    return wbWetBodies_GetState(wet, body)->farTime <= longestDry;
}

bool wbWetBodies_IsToFind(const wbWetBodies *wet, int body) {
    const float time = wbWetBodies_GetState(wet, body)->farTime;
    return wbWetBodies_Get(wet, body)->floor > 0 && (time == untouched || time >= longestDry);
}

float wbWetBodies_SetNear(wbWetBodies *wet, int i, bool isNear) {
    wbWetState *state = wbWetBodies_GetState(wet, i);
    const wbRigid *r = wet->rigid;
    const float before = state->farTime, floor = wbWetBodies_Get(wet, i)->floor;
    if (isNear)
        state->farTime = before > longestDry ? untouched : before < 0 ? before : 0;
    else
        state->farTime = away;
    if (isNear || before > longestDry) return isNear && before > longestDry ? 1 / floor : 1;
    if (before < 0) return floor;
    const double more = r->inverseMass[i] > 0 ? (1 - 1 / (double)floor) / (double)r->inverseMass[i] : 0;
    wet->left[0] += more * (double)r->vx[i], wet->left[1] += more * (double)r->vy[i];
    wet->left[2] += more * (double)r->vz[i];
    return 1;
}

float wbWetBodies_GetSpeed(const wbWetBodies *wet, int i) {
    const wbRigid *r = wet->rigid;
    const wbWetBody *body = wbWetBodies_Get(wet, i);
    const wbShapeTree *tree = wbShape_GetTree(body->shape);
    const wbVec3 v = wbMakeVec3(r->vx[i], r->vy[i], r->vz[i]), w = wbMakeVec3(r->wx[i], r->wy[i], r->wz[i]),
                 arm = wbSub(tree->centre, wbMakeVec3(body->frame.position[0], body->frame.position[1],
                                                      body->frame.position[2]));
    return sqrtf(wbDot(v, v)) + sqrtf(wbDot(w, w)) * (tree->radius + sqrtf(wbDot(arm, arm)));
}

void wbWetBodies_Tell(wbWetBodies *wet) {
    memset(wet->given, 0, sizeof wet->given);
    for (int i = 0; i < wet->count; i++)
        *wbWetBodies_GetTold(wet, i) = (wbWetTold){.isTold = true, .wasWet = wbWetBodies_IsWet(wet, i)};
}

void wbWetBodies_Begin(wbWetBodies *wet) {
    wet->from = wet->to = 0;
    for (int i = 0; i < wet->count; i++) {
        const wbPose origin = getOrigin(wet, i);
        *getWay(wet, i) = (Way){origin, origin};
        *wbWetBodies_GetInner(wet, i) = (wbWetMotion){0};
    }
}

// The part that was done is over: the body has gone on with what it had gained before, and has its displacement.
static void endPart(const wbWetBodies *wet, int body) {
    wbWetMotion *inner = wbWetBodies_GetInner(wet, body);
    const double seconds = wbWetBodies_GetPart(wet);
    for (int k = 0; k < 6 && inner->isResponding && seconds > 0; k++) {
        inner->way[k] += inner->gain[k] * seconds + inner->now[k];
        inner->gain[k] += inner->now[k] / seconds;
        inner->now[k] = 0;
    }
}

// Beside the even way, by when the part ends that is being done.
static void findDetour(const wbWetBodies *wet, int body, double by[6]) {
    const wbWetMotion *inner = wbWetBodies_GetInner(wet, body);
    const double seconds = wbWetBodies_GetPart(wet);
    for (int k = 0; k < 6; k++) by[k] = inner->way[k] + (inner->gain[k] * seconds + inner->now[k]);
}

static wbPose findPart(const Way *way, float share) {
    if (share == 0) return way->start;
    return share == 1 ? way->end : wbMoveEvenly(&way->start, &way->end, share, 1).pose;
}

void wbWetBodies_FollowWay(wbWetBodies *wet, int body) {
    const Way *way = getWay(wet, body);
    const wbWetMotion *inner = wbWetBodies_GetInner(wet, body);
    const double seconds = wbWetBodies_GetPart(wet);
    wbPose start = findPart(way, wet->from), end = findPart(way, wet->to);
    if (inner->isResponding) {
        double then[6];
        findDetour(wet, body, then);
        start = displace(wet, body, &start, inner->way), end = displace(wet, body, &end, then);
    }
    Motions *motions = getMotions(wet, body);
    const wbMotion middle = wbMoveEvenly(&start, &end, 0.5f, (float)seconds);
    for (int k = 0; k < wb_boundaryTimeCount; k++)
        motions->at[k] = middle; // they differ by their places alone
    motions->at[wb_atStart].pose = start, motions->at[wb_atEnd].pose = end;
}

static void place(void *context, float from, float to) {
    wbWetBodies *wet = context;
    for (int i = 0; i < wet->count; i++) endPart(wet, i);
    wet->from = from, wet->to = to;
    for (int i = 0; i < wet->count; i++) wbWetBodies_FollowWay(wet, i);
}

void wbWetBodies_Move(wbWetBodies *wet, float dt) {
    wet->dt = dt;
    for (int i = 0; i < wet->count; i++) getWay(wet, i)->end = getOrigin(wet, i);
    place(wet, 0, 1);
}

const wbMotion *wbWetBodies_GetMotions(const wbWetBodies *wet, int body) { return getMotions(wet, body)->at; }

static wbVec3 findCentre(const wbWetBodies *wet, int body, const wbPose *origin) {
    const float *centre = wbWetBodies_Get(wet, body)->frame.position;
    return wbPose_Apply(origin, wbMakeVec3(centre[0], centre[1], centre[2]));
}

wbVec3 wbWetBodies_GetCentre(const wbWetBodies *wet, int body, wbBoundaryTime time) {
    return findCentre(wet, body, &getMotions(wet, body)->at[time].pose);
}

void wbWetBodies_Place(const wbWetBodies *wet, wbBoundaryTime from, wbBoundaryTime to,
                       wbCollisionPlace *places) {
    for (int i = 0; i < wet->count; i++) {
        const wbWetBody *body = wbWetBodies_Get(wet, i);
        const Motions *motions = getMotions(wet, i);
        places[i] = (wbCollisionPlace){motions->at[from].pose, motions->at[to],
                                       body->isOff || body->isThin || !body->shape};
    }
}

// Inertia

static wbVec3d getThree(const double v[3]) { return (wbVec3d){v[0], v[1], v[2]}; }

ResponseBody wbWetBodies_GetResponse(const wbWetBodies *wet, int i, double mass, double turn) {
    const wbRigid *r = wet->rigid;
    const wbPose pose = wbRigid_GetPose(r, i);
    const double share = 1 / (1 + turn);
    const float inverse[3] = {r->inverseInertiaX[i], r->inverseInertiaY[i], r->inverseInertiaZ[i]};
    ResponseBody body = {.inverseMass = (double)r->inverseMass[i],
                         .slowness = 1 + (double)r->inverseMass[i] * mass};
    for (int k = 0; k < 4; k++) body.rotation[k] = (double)pose.rotation[k];
    for (int a = 0; a < 3; a++) {
        body.inertia[a] = inverse[a] > 0 ? 1 / (double)inverse[a] : 0;
        body.answers[a] = share * (double)inverse[a];
    }
    memcpy(body.gain, wbWetBodies_GetInner(wet, i)->gain, sizeof body.gain);
    return body;
}

// The owner

static int countBodies(const void *context) { return ((const wbWetBodies *)context)->count; }

static wbSurfaceBody getBody(const void *context, int body) {
    const wbWetBodies *wet = context;
    const wbWetBody *own = wbWetBodies_Get(wet, body);
    const uint32_t bits = wet->rigid->bits[body];
    return (wbSurfaceBody){.name = own->name,
                           .shape = own->shape,
                           .pose = getOrigin(wet, body),
                           .motions = getMotions(wet, body)->at,
                           .isMoving = bits & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC),
                           .isOff = own->isOff || !own->shape,
                           .isThin = own->isThin,
                           .isNoSlip = own->isNoSlip,
                           .slack = own->slack,
                           .adhesion = own->adhesion,
                           .mobility = bits & WB_RIGID_DYNAMIC ? wb_mobilityFree : wb_mobilityNone};
}

static const wbMotion *getOwnMotions(const void *context, int body) { return getMotions(context, body)->at; }

static int listMoving(const void *context, const int **bodies) {
    const wbWetBodies *wet = context;
    *bodies = wet->all.data;
    return wet->count;
}

// Impulses are about the origin, bodies turn about their centre of mass.
static void take(void *context, int body, const wbImpulse *impulse) {
    const wbWetBodies *wet = context;
    double *given = wbWetBodies_GetInner(wet, body)->given;
    const float *origin = getMotions(wet, body)->at[wb_atEnd].pose.position;
    const wbVec3 centre = wbWetBodies_GetCentre(wet, body, wb_atEnd);
    const wbVec3d arm = {(double)origin[0] - (double)centre.x, (double)origin[1] - (double)centre.y,
                         (double)origin[2] - (double)centre.z};
    const wbVec3d turn = wbCross3d(arm, getThree(impulse->linear));
    for (int a = 0; a < 3; a++) given[a] += impulse->linear[a], given[3 + a] += impulse->angular[a];
    given[3] += turn.x, given[4] += turn.y, given[5] += turn.z;
}

wbSurfaceOwner wbWetBodies_GetOwner(wbWetBodies *wet) {
    return (wbSurfaceOwner){wet, countBodies, getBody, getOwnMotions, listMoving, place, take};
}

// Taking

static void addMotion(const wbWetBodies *wet, int i, const double motion[6]) {
    wbRigid *r = wet->rigid;
    float *const columns[6] = {r->vx, r->vy, r->vz, r->wx, r->wy, r->wz};
    for (int k = 0; k < 6; k++) columns[k][i] = (float)((double)columns[k][i] + motion[k]);
}

// Of the body itself, where its origin is there.
static wbPose findPose(const wbWetBodies *wet, int i, const wbPose *origin) {
    wbPose pose = wbPose_Multiply(origin, &wbWetBodies_Get(wet, i)->frame);
    float *q = pose.rotation;
    const float scale = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] *= scale;
    return pose;
}

static void setPose(const wbWetBodies *wet, int i, const wbPose *origin) {
    wbRigid *r = wet->rigid;
    const wbPose pose = findPose(wet, i, origin);
    r->x[i] = pose.position[0], r->y[i] = pose.position[1], r->z[i] = pose.position[2];
    r->qx[i] = pose.rotation[0], r->qy[i] = pose.rotation[1], r->qz[i] = pose.rotation[2],
    r->qw[i] = pose.rotation[3];
}

wbPose wbWetBodies_GetPlace(const wbWetBodies *wet, int i, float share) {
    const Way *way = getWay(wet, i);
    double by[6];
    if (share == 0) return way->start;
    wbPose origin = findPart(way, share);
    if (!wbWetBodies_GetInner(wet, i)->isResponding) return origin;
    findDetour(wet, i, by);
    for (int k = 0; k < 6; k++) by[k] *= (double)share;
    origin = displace(wet, i, &origin, by);
    if (share < 1) return origin;
    const wbPose pose = findPose(wet, i, &origin), back = wbPose_Invert(&wbWetBodies_Get(wet, i)->frame);
    return wbPose_Multiply(&pose, &back);
}

static bool isAny(const double v[6]) {
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || v[3] != 0 || v[4] != 0 || v[5] != 0;
}

static void tellBody(wbWetBodies *wet, int i) {
    const double *given = wbWetBodies_GetInner(wet, i)->given;
    wbWetState *state = wbWetBodies_GetState(wet, i);
    for (int k = 0; k < 6; k++) wbWetBodies_GetTold(wet, i)->given[k] += given[k];
    state->dryTime = isAny(given) ? 0 : fminf(state->dryTime + wet->dt, longestDry);
    if (wbWetBodies_HasFloor(wet, i) && isAny(given))
        state->farTime = 0;
    else if (state->farTime >= 0 && state->farTime < longestDry)
        state->farTime = fminf(state->farTime + wet->dt, longestDry);
}

// What a body that gave way has got already; the rest stays in transit. Others get all of it at once.
static void settleBody(wbWetBodies *wet, int i) {
    wbWetMotion *inner = wbWetBodies_GetInner(wet, i);
    wbWetState *state = wbWetBodies_GetState(wet, i);
    double left[6], taken[6] = {0};
    for (int k = 0; k < 6; k++) left[k] = inner->given[k] + (double)state->transit[k];
    if (!isAny(left) && !inner->isResponding) return;
    wbRigid_Wake(wet->rigid, i);
    for (int a = 0; a < 3; a++) wet->given[a] += inner->given[a];
    if (inner->isResponding) {
        endPart(wet, i);
        const wbPose origin = displace(wet, i, &getWay(wet, i)->end, inner->way);
        setPose(wet, i, &origin);
        const ResponseBody body = wbWetBodies_GetResponse(wet, i, 0, 0);
        response_momentum(&body, inner->gain, taken);
    } else {
        const ResponseBody body = wbWetBodies_GetResponse(wet, i, 0, 0);
        response_motion(&body, left, inner->gain);
        memcpy(taken, left, sizeof taken);
    }
    addMotion(wet, i, inner->gain);
    for (int k = 0; k < 6; k++) state->transit[k] = (float)(left[k] - taken[k]);
}

void wbWetBodies_Settle(wbWetBodies *wet) {
    for (int i = 0; i < wet->count; i++) {
        tellBody(wet, i);
        if (wbWetBodies_IsFree(wet, i)) settleBody(wet, i);
    }
}
