// SPDX-License-Identifier: MIT
#include "coupling/soft_contact.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/closest.h"

void wbSoftContacts_Init(wbSoftContacts *contacts) {
    *contacts = (wbSoftContacts){.bodies.elementSize = sizeof(wbPushedBody),
                                 .rows.elementSize = sizeof(int),
                                 .areNear.elementSize = sizeof(bool),
                                 .pieces.elementSize = sizeof(wbPushedPiece),
                                 .gaps.elementSize = sizeof(wbVec3d),
                                 .unbounded.elementSize = sizeof(int)};
}

void wbSoftContacts_Free(wbMemory *memory, wbSoftContacts *contacts) {
    wbArray_Free(memory, &contacts->bodies);
    wbArray_Free(memory, &contacts->rows);
    wbArray_Free(memory, &contacts->areNear);
    wbArray_Free(memory, &contacts->pieces);
    wbArray_Free(memory, &contacts->gaps);
    wbArray_Free(memory, &contacts->unbounded);
    wbBroadPhase_Free(memory, &contacts->tree);
}

// Bodies

static wbVec3d getThree(const double v[3]) { return (wbVec3d){v[0], v[1], v[2]}; }

static void addThree(double v[3], wbVec3d by) { v[0] += by.x, v[1] += by.y, v[2] += by.z; }

static wbVec3d turnBy(const double inertia[6], wbVec3d v) {
    return (wbVec3d){inertia[0] * v.x + inertia[1] * v.y + inertia[2] * v.z,
                     inertia[1] * v.x + inertia[3] * v.y + inertia[4] * v.z,
                     inertia[2] * v.x + inertia[4] * v.y + inertia[5] * v.z};
}

// About the world's axes: the sum over its own axes of their outer products.
static void findInertia(const wbRigid *rigid, int row, const wbPose *pose, double inertia[6]) {
    const double own[3] = {rigid->inverseInertiaX[row], rigid->inverseInertiaY[row],
                           rigid->inverseInertiaZ[row]};
    memset(inertia, 0, sizeof(double[6]));
    for (int k = 0; k < 3; k++) {
        const wbVec3d a = wbPose_Rotate3d(pose, 1, (wbVec3d){k == 0, k == 1, k == 2});
        const double outer[6] = {a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z};
        for (int j = 0; j < 6; j++) inertia[j] += own[k] * outer[j];
    }
}

// Where a body is after a displacement and a small turn about its centre.
static wbPose displace(const wbPose *pose, const double by[6], double times) {
    const wbVec3d turn = wbScale3d(0.5 * times, getThree(by + 3));
    const double angle = sqrt(wbDot3d(turn, turn)), sine = angle > 0 ? sin(angle) / angle : 0;
    const wbPose rotation = {.rotation = {(float)(sine * turn.x), (float)(sine * turn.y),
                                          (float)(sine * turn.z), (float)cos(angle)}};
    const wbPose own = {
        .rotation = {pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]}};
    wbPose next = wbPose_Multiply(&rotation, &own);
    const float *q = next.rotation, scale = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) next.rotation[k] *= scale;
    for (int a = 0; a < 3; a++) next.position[a] = (float)((double)pose->position[a] + times * by[a]);
    return next;
}

void wbSoftContacts_Move(wbSoftContacts *contacts, float dt) {
    contacts->dt = dt;
    for (int k = 0; k < contacts->bodyCount; k++) {
        wbPushedBody *body = wbSoftContacts_GetBody(contacts, k);
        body->end = displace(&body->start, body->velocity, (double)dt);
        memset(body->now, 0, sizeof body->now);
        memset(body->pushed, 0, sizeof body->pushed);
        if (body->isFree) findInertia(contacts->rigid, body->row, &body->start, body->inverseInertia);
    }
    const wbPushedBody *bodies = contacts->bodies.data;
    for (int k = 0; k < contacts->pieceCount; k++) {
        wbPushedPiece *piece = (wbPushedPiece *)contacts->pieces.data + k;
        piece->start = wbPose_Multiply(&bodies[piece->body].start, &piece->piece->pose);
        piece->end = wbPose_Multiply(&bodies[piece->body].end, &piece->piece->pose);
    }
}

void wbSoftContacts_End(void *context) {
    wbSoftContacts *contacts = context;
    const double perSecond = 1 / (double)contacts->dt;
    for (int k = 0; k < contacts->bodyCount; k++) {
        wbPushedBody *body = wbSoftContacts_GetBody(contacts, k);
        body->start = displace(&body->end, body->now, 1);
        for (int j = 0; j < 6; j++) {
            const double gain = body->now[j] * perSecond;
            body->way[j] += body->gain[j] * (double)contacts->dt + body->now[j];
            body->gain[j] += gain, body->velocity[j] += gain;
            body->given[j] += body->pushed[j] * perSecond;
        }
    }
    contacts->seconds += (double)contacts->dt;
}

// Back by what they will go too far.
static void setBack(wbRigid *r, const wbPushedBody *body, double seconds) {
    const int i = body->row;
    const wbPose pose = wbRigid_GetPose(r, i);
    double by[6];
    for (int j = 0; j < 6; j++) by[j] = body->way[j] - seconds * body->gain[j];
    const wbPose back = displace(&pose, by, 1);
    const float *q = back.rotation;
    r->x[i] = back.position[0], r->y[i] = back.position[1], r->z[i] = back.position[2];
    r->qx[i] = q[0], r->qy[i] = q[1], r->qz[i] = q[2], r->qw[i] = q[3];
}

static void give(wbRigid *r, const wbPushedBody *body) {
    const int i = body->row;
    const wbPose pose = wbRigid_GetPose(r, i);
    double inertia[6], change[6];
    findInertia(r, i, &pose, inertia);
    const wbVec3d spin = turnBy(inertia, getThree(body->given + 3));
    for (int a = 0; a < 3; a++) change[a] = body->inverseMass * body->given[a];
    change[3] = spin.x, change[4] = spin.y, change[5] = spin.z;
    float *const columns[6] = {r->vx, r->vy, r->vz, r->wx, r->wy, r->wz};
    for (int k = 0; k < 6; k++) columns[k][i] = (float)((double)columns[k][i] + change[k]);
}

void wbSoftContacts_Give(wbSoftContacts *contacts) {
    for (int k = 0; k < contacts->bodyCount; k++) {
        const wbPushedBody *body = wbSoftContacts_GetBody(contacts, k);
        bool isAny = false;
        for (int j = 0; j < 6; j++) isAny |= body->given[j] != 0;
        if (!body->isFree || !isAny) continue;
        wbRigid_Wake(contacts->rigid, body->row);
        give(contacts->rigid, body);
        setBack(contacts->rigid, body, contacts->seconds);
        for (int a = 0; a < 3; a++) contacts->given[a] += body->given[a];
    }
}

// Iterations

typedef struct Pass {
    wbSoftContacts *contacts;
    float *records;
} Pass;

// m, by which a body has given way at a point.
static wbVec3d getYield(const wbPushedBody *body, wbVec3d arm) {
    return wbAdd3d(getThree(body->now), wbCross3d(getThree(body->now + 3), arm));
}

static wbVec3d getWay(const wbSoftContact *c, const float *records) {
    wbVec3d way = {0, 0, 0};
    for (int m = 0; m < 3; m++)
        way = wbAddScaled3d(way, (double)c->weights[m], wbGetRecordWay(records, c->particles[m]));
    return way;
}

static void measureRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Pass *pass = context;
    for (int k = begin; k < end; k++) {
        wbSoftContact *c = &pass->contacts->contacts[k];
        const wbVec3d way = wbSub3d(getWay(c, pass->records),
                                    getYield(wbSoftContacts_GetBody(pass->contacts, c->body), c->arm)),
                      slide = wbSub3d(way, c->shift);
        c->depth = fmax(0, -(c->height + wbDot3d(c->normal, way)));
        c->slide = wbAddScaled3d(slide, -wbDot3d(c->normal, slide), c->normal);
    }
}

// Who shares particles and bodies in this iteration.
static bool countHits(const Pass *pass) {
    const wbSoftContacts *contacts = pass->contacts;
    bool isAny = false;
    memset(contacts->shares, 0, sizeof(float) * (size_t)contacts->pbd->count);
    for (int k = 0; k < contacts->bodyCount; k++) wbSoftContacts_GetBody(contacts, k)->hits = 0;
    for (int k = 0; k < contacts->contactCount; k++) {
        const wbSoftContact *c = &contacts->contacts[k];
        if (!(c->depth > 0)) continue;
        wbSoftContacts_GetBody(contacts, c->body)->hits++;
        for (int m = 0; m < 3; m++)
            if (c->weights[m] > 0) contacts->shares[c->particles[m]]++;
        isAny = true;
    }
    return isAny;
}

// What of a push on a body moves it: not what presses it against its support.
static wbVec3d getFree(const wbPushedBody *body, wbVec3d push) {
    return wbAddScaled3d(push, -fmin(wbDot3d(push, body->support), 0), body->support);
}

// 1/kg: how a push along a direction, on the soft point, and its opposite on the body move both apart.
static double getMobility(const Pass *pass, const wbSoftContact *c, wbVec3d direction) {
    const wbPushedBody *body = wbSoftContacts_GetBody(pass->contacts, c->body);
    double soft = 0;
    for (int m = 0; m < 3; m++)
        soft += (double)(c->weights[m] * c->weights[m] * pass->contacts->shares[c->particles[m]]) *
                wbGetRecordWeight(pass->records, c->particles[m]);
    if (!body->isFree) return soft;
    const wbVec3d turn = wbCross3d(c->arm, direction), way = getFree(body, wbScale3d(-1, direction));
    return soft + body->hits * (body->inverseMass * wbDot3d(way, way) +
                                wbDot3d(turn, turnBy(body->inverseInertia, turn)));
}

static void solveRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Pass *pass = context;
    for (int k = begin; k < end; k++) {
        wbSoftContact *c = &pass->contacts->contacts[k];
        const double mobility = c->depth > 0 ? getMobility(pass, c, c->normal) : 0;
        const double lambda = mobility > 0 ? c->depth / mobility : 0,
                     length = sqrt(wbDot3d(c->slide, c->slide));
        c->push = wbScale3d(lambda, c->normal);
        if (!(lambda > 0 && length > 0)) continue;
        const wbVec3d along = wbScale3d(1 / length, c->slide);
        const double most = (double)wbSoftContacts_GetBody(pass->contacts, c->body)->friction * lambda,
                     rub = fmin(most, length / getMobility(pass, c, wbScale3d(-1, along)));
        c->push = wbAddScaled3d(c->push, -rub, along);
    }
}

static void pushPoint(float *records, const wbSoftContact *c, wbVec3d push) {
    for (int m = 0; m < 3; m++) {
        float *way = records + WB_PBD_RECORD * (size_t)c->particles[m];
        const double share = (double)c->weights[m] * (double)way[3];
        way[0] += (float)(share * push.x), way[1] += (float)(share * push.y),
            way[2] += (float)(share * push.z);
    }
}

static void pushBody(wbPushedBody *body, wbVec3d arm, wbVec3d push) {
    addThree(body->sums, push);
    addThree(body->sums + 3, wbCross3d(arm, push));
}

// It gives way by what it got since it did last.
static void yield(wbPushedBody *body) {
    const wbVec3d way = getFree(body, getThree(body->sums));
    addThree(body->now, wbScale3d(body->inverseMass, way));
    addThree(body->now + 3, turnBy(body->inverseInertia, getThree(body->sums + 3)));
    for (int j = 0; j < 6; j++) body->pushed[j] += body->sums[j], body->sums[j] = 0;
}

static void gather(const Pass *pass) {
    const wbSoftContacts *contacts = pass->contacts;
    for (int k = 0; k < contacts->contactCount; k++) {
        const wbSoftContact *c = &contacts->contacts[k];
        wbPushedBody *body = wbSoftContacts_GetBody(contacts, c->body);
        if (!(c->depth > 0)) continue;
        pushPoint(pass->records, c, c->push);
        if (body->isFree) pushBody(body, c->arm, wbScale3d(-1, c->push));
    }
    for (int k = 0; k < contacts->bodyCount; k++) yield(wbSoftContacts_GetBody(contacts, k));
}

// Ties

// x of [a b c] x = d; none where the matrix has no inverse.
static wbVec3d solveColumns(wbVec3d a, wbVec3d b, wbVec3d c, wbVec3d d) {
    const wbVec3d bc = wbCross3d(b, c);
    const double determinant = wbDot3d(a, bc);
    if (!(fabs(determinant) > 0)) return (wbVec3d){0, 0, 0};
    return wbScale3d(1 / determinant,
                     (wbVec3d){wbDot3d(d, bc), wbDot3d(a, wbCross3d(d, c)), wbDot3d(a, wbCross3d(b, d))});
}

// m/(N s): how a push along an axis of the world parts a tie.
static wbVec3d getTieColumn(const wbPushedBody *body, wbVec3d arm, double weight, int axis) {
    const wbVec3d unit = {axis == 0, axis == 1, axis == 2};
    if (!body->isFree) return wbScale3d(weight, unit);
    const wbVec3d spin = turnBy(body->inverseInertia, wbCross3d(arm, unit));
    return wbAddScaled3d(wbCross3d(spin, arm), weight + body->inverseMass, unit);
}

// The body that holds it; NULL: it is off.
static wbPushedBody *getHolder(const wbSoftContacts *contacts, const wbSoftTie *tie) {
    const int row = ((const int *)contacts->rows.data)[tie->body];
    return row < 0 ? NULL : wbSoftContacts_GetBody(contacts, row);
}

static wbVec3d getTieArm(const wbSoftTie *tie, const wbPose *pose) {
    return wbPose_Rotate3d(pose, 1, (wbVec3d){tie->point[0], tie->point[1], tie->point[2]});
}

static wbVec3d getCentre(const wbPose *pose) {
    return (wbVec3d){pose->position[0], pose->position[1], pose->position[2]};
}

void wbSoftContacts_MeasureTies(wbSoftContacts *contacts) {
    for (int k = 0; k < contacts->tieCount; k++) {
        const wbSoftTie *tie = &contacts->ties[k];
        const wbPushedBody *body = getHolder(contacts, tie);
        const wbPbd *pbd = contacts->pbd;
        const int i = tie->particle;
        if (body)
            ((wbVec3d *)contacts->gaps.data)[k] =
                wbSub3d((wbVec3d){pbd->x[i], pbd->y[i], pbd->z[i]},
                        wbAdd3d(getCentre(&body->start), getTieArm(tie, &body->start)));
    }
}

// One after the other, each to the end: few share a body, and a rope's load is to be borne whole. By what rigid bodies did to each other the
// ends are apart when a step begins. They come together in all of the step: in its first sub-step they would get the speed of that.
static void holdTies(const Pass *pass) {
    const wbSoftContacts *contacts = pass->contacts;
    const double left = fmax(0, 1 - (contacts->seconds + (double)contacts->dt) / contacts->wholeStep);
    for (int k = 0; k < contacts->tieCount; k++) {
        const wbSoftTie *tie = &contacts->ties[k];
        wbPushedBody *body = getHolder(contacts, tie);
        if (!body) continue;
        const wbVec3d arm = getTieArm(tie, &body->end);
        const wbVec3d soft = wbAdd3d(wbGetRecordStart(pass->records, tie->particle),
                                     wbGetRecordWay(pass->records, tie->particle)),
                      held = wbAddScaled3d(wbAdd3d(wbAdd3d(getCentre(&body->end), arm), getYield(body, arm)),
                                           left, ((const wbVec3d *)contacts->gaps.data)[k]);
        const double weight = wbGetRecordWeight(pass->records, tie->particle);
        const wbVec3d push =
            solveColumns(getTieColumn(body, arm, weight, 0), getTieColumn(body, arm, weight, 1),
                         getTieColumn(body, arm, weight, 2), wbSub3d(held, soft));
        const wbSoftContact end = {.particles = {tie->particle, tie->particle, tie->particle},
                                   .weights = {1}};
        pushPoint(pass->records, &end, push);
        if (!body->isFree) continue;
        pushBody(body, arm, wbScale3d(-1, push));
        yield(body);
    }
}

void wbSoftContacts_Push(float *records, const wbWork *work, void *context) {
    enum { block = 128 };
    wbSoftContacts *contacts = context;
    Pass pass = {contacts, records};
    if (contacts->contactCount > 0) {
        wbParallelFor(work->pool, contacts->contactCount, block, measureRange, &pass);
        if (countHits(&pass)) {
            wbParallelFor(work->pool, contacts->contactCount, block, solveRange, &pass);
            gather(&pass);
            contacts->isTouched = true;
        }
    }
    holdTies(&pass);
}
