// SPDX-License-Identifier: MIT
#include "coupling/of_soft.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"

// s: as of rigid bodies (of_rigid.c).
static const float longestFar = 0.1f;
static const float away = 0.2f, untouched = -1;
// s: for so long what is made in a fluid makes room for itself.
static const float young = 0.2f;

void wbWetSoft_Init(wbWetSoft *wet) {
    *wet = (wbWetSoft){.bodies.elementSize = sizeof(wbWetSoftBody),
                       .particles.elementSize = sizeof(wbWetParticle),
                       .inverseMasses.elementSize = sizeof(float)};
}

void wbWetSoft_Free(wbMemory *memory, wbWetSoft *wet) {
    wbArray_Free(memory, &wet->bodies);
    wbArray_Free(memory, &wet->particles);
    wbArray_Free(memory, &wet->inverseMasses);
    wbWetSoft_Init(wet);
}

wbStatus wbWetSoft_ReserveParticles(wbWetSoft *wet, wbMemory *memory, int count) {
    if (wbArray_Reserve(memory, &wet->particles, count)) return wb_okStatus;
    return wbMemoryError(memory, "%d soft particles among fluids need", count);
}

void wbWetSoft_Remove(wbWetSoft *wet, int first, int count) {
    const wbColumn column = {"particles", &wet->particles.data, sizeof(wbWetParticle), true};
    const int end = first + count < wet->particleCount ? first + count : wet->particleCount;
    if (first >= end) return;
    wbRemoveRange(&column, 1, first, end, wet->particleCount);
    wet->particleCount -= end - first;
}

void wbWetSoft_Forget(wbWetSoft *wet) {
    wet->particleCount = wet->nodeCount = wet->bodyCount = 0, wet->step = NULL;
}

// Measures

static wbVec3d getPlace(const wbPbd *pbd, int i) { return (wbVec3d){pbd->x[i], pbd->y[i], pbd->z[i]}; }

// A third of each triangle.
static void measureTriangles(const wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body) {
    for (int t = 0; t < body->triangleCount; t++) {
        const int *c = body->triangles + 3 * (size_t)t;
        const wbVec3d a = getPlace(pbd, c[0]),
                      n = wbCross3d(wbSub3d(getPlace(pbd, c[1]), a), wbSub3d(getPlace(pbd, c[2]), a));
        const float third = (float)(sqrt(wbDot3d(n, n)) / 6);
        for (int k = 0; k < 3; k++) wbWetSoft_Get(wet, c[k])->area += third;
    }
}

// Of a few particles, evenly chosen: how far the nearest is from each, in the mean, and how many are about as near.
typedef struct Lattice {
    double spacing, neighbours;
} Lattice;

static double getDistance(const wbPbd *pbd, int i, int j) {
    const wbVec3d apart = wbSub3d(getPlace(pbd, i), getPlace(pbd, j));
    return sqrt(wbDot3d(apart, apart));
}

static Lattice findLattice(const wbPbd *pbd, const wbWetSoftBody *body) {
    enum { SAMPLES = 256 };
    const int step = body->count / SAMPLES + 1, end = body->first + body->count;
    Lattice lattice = {0, 0};
    int count = 0;
    for (int i = body->first; i < end; i += step, count++) {
        double least = DBL_MAX;
        for (int j = body->first; j < end; j++)
            if (j != i) least = fmin(least, getDistance(pbd, i, j));
        lattice.spacing += least < DBL_MAX ? least : 0;
    }
    lattice.spacing /= count;
    for (int i = body->first; i < end; i += step)
        for (int j = body->first; j < end; j++)
            lattice.neighbours += j != i && getDistance(pbd, i, j) < 1.5 * lattice.spacing;
    lattice.neighbours /= count;
    return lattice;
}

// Within a lattice, with all its neighbours about it.
static bool isInside(const wbPbd *pbd, const wbWetSoftBody *body, int i, double spacing) {
    enum { ALL = 18 };
    int count = 0;
    for (int j = body->first; j < body->first + body->count && count < ALL; j++)
        count += j != i && getDistance(pbd, i, j) < 1.5 * spacing;
    return count == ALL;
}

// Balls of half a spacing at its surface, so that a lattice fills its room. Those of a line, or of places at random, have too few neighbours
// to be one.
static void measureBalls(const wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body) {
    const Lattice lattice = findLattice(pbd, body);
    for (int i = body->first; i < body->first + body->count && lattice.neighbours >= 6; i++) {
        wbWetParticle *particle = wbWetSoft_Get(wet, i);
        if (isInside(pbd, body, i, lattice.spacing)) continue;
        particle->radius = (float)(0.5 * lattice.spacing);
        particle->area = (float)(0.5 * lattice.spacing * lattice.spacing);
    }
}

static void measure(const wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body) {
    for (int i = body->first; i < body->first + body->count; i++)
        *wbWetSoft_Get(wet, i) = (wbWetParticle){.farTime = away};
    if (body->triangleCount > 0)
        measureTriangles(wet, pbd, body);
    else
        measureBalls(wet, pbd, body);
}

// Elements

static int countBalls(const wbWetSoft *wet, const wbWetSoftBody *body) {
    int count = 0;
    for (int i = body->first; i < body->first + body->count && body->triangleCount == 0; i++)
        count += wbWetSoft_Get(wet, i)->radius > 0;
    return count;
}

bool wbWetSoft_HasSurface(const wbWetSoft *wet, const wbWetSoftBody *body) {
    return body->triangleCount > 0 || countBalls(wet, body) > 0;
}

int wbWetSoft_CountElements(const wbWetSoft *wet, const wbWetSoftBody *bodies, int bodyCount) {
    int count = 0;
    for (int b = 0; b < bodyCount; b++) count += bodies[b].triangleCount + countBalls(wet, &bodies[b]);
    return count;
}

void wbWetSoft_ListElements(const wbWetSoft *wet, const wbWetSoftBody *bodies, int bodyCount) {
    int at = 0;
    for (int b = 0; b < bodyCount; b++) {
        const wbWetSoftBody *body = &bodies[b];
        for (int t = 0; t < body->triangleCount; t++) {
            wbSheetElement *element = wbSheets_GetElement(wet->sheets, at++);
            *element = (wbSheetElement){.radius = 0};
            memcpy(element->corners, body->triangles + 3 * (size_t)t, sizeof element->corners);
        }
        for (int i = body->first; i < body->first + body->count && body->triangleCount == 0; i++)
            if (wbWetSoft_Get(wet, i)->radius > 0)
                *wbSheets_GetElement(wet->sheets, at++) =
                    (wbSheetElement){.corners = {i, i, i}, .radius = wbWetSoft_Get(wet, i)->radius};
    }
}

// kg, of the fluid that moves along with a corner.
static double getLoad(const wbWetSoft *wet, int i) {
    return (double)wet->layer * (double)wbWetSoft_Get(wet, i)->area;
}

// What feels nothing of water needs no floor.
float wbWetSoft_FindInverseMassInFluids(const wbWetSoft *wet, const wbPbd *pbd, int i) {
    const double own = pbd->w[i] > 0 ? 1 / (double)pbd->w[i] : 0,
                 least = (double)wet->floor * getLoad(wet, i);
    return wet->mode == wb_pairBoth && own > 0 && least > own ? (float)(1 / least) : pbd->w[i];
}

static bool hasFloor(const wbWetSoft *wet, int i) { return wbWetSoft_Get(wet, i)->farTime <= longestFar; }

float wbWetSoft_FindInverseMass(const wbWetSoft *wet, const wbPbd *pbd, int i) {
    return hasFloor(wet, i) ? wbWetSoft_FindInverseMassInFluids(wet, pbd, i) : pbd->w[i];
}

// Spacings. What is made in a fluid may be nearer to its particles than they ever come by themselves: if they felt that
// at once it would be thrown off like what was under a hundred metres of water.
static float getApart(const wbWetSoft *wet, int i) { return 0.5f * (1 - wbWetSoft_Get(wet, i)->age / young); }

// How it gives way.
static void setNode(const wbWetSoft *wet, const wbPbd *pbd, int i) {
    wbSheetNode *node = wbSheets_GetNode(wet->sheets, i);
    float *inverse = (float *)wet->inverseMasses.data + i;
    *inverse = wbWetSoft_FindInverseMass(wet, pbd, i);
    const bool isFree = pbd->w[i] > 0 && wet->mode == wb_pairBoth;
    node->mobility = isFree ? (double)*inverse : 0;
    node->apart = getApart(wet, i);
    node->response = isFree ? 1 / (1 / (double)*inverse + (double)wet->along * getLoad(wet, i)) : 0;
}

// With what seldom changes from step to step.
void wbWetSoft_SetNodes(const wbWetSoft *wet, const wbPbd *pbd) {
    for (int i = 0; i < pbd->count; i++) {
        *wbSheets_GetNode(wet->sheets, i) = (wbSheetNode){0};
        setNode(wet, pbd, i);
    }
    memset((float *)wet->inverseMasses.data + pbd->count, 0,
           sizeof(float) * (size_t)(wbPadCount(pbd->count) + WB_PADDING - pbd->count));
}

bool wbWetSoft_IsToFind(const wbWetSoft *wet, const wbWetSoftBody *body) {
    const float time = wbWetSoft_Get(wet, body->first)->farTime;
    return body->isLight && (time == untouched || time >= longestFar);
}

// What its velocity is times from then on.
static float changeInertia(wbWetSoft *wet, const wbPbd *pbd, int i, float before, bool isNear) {
    const float inverse = wbWetSoft_FindInverseMassInFluids(wet, pbd, i);
    if (!(pbd->w[i] > 0) || isNear == (before <= longestFar)) return 1;
    if (isNear) return inverse / pbd->w[i];
    if (before < 0) return pbd->w[i] / inverse;
    const double more = 1 / (double)inverse - 1 / (double)pbd->w[i];
    wet->left[0] += more * (double)pbd->vx[i], wet->left[1] += more * (double)pbd->vy[i];
    wet->left[2] += more * (double)pbd->vz[i];
    return 1;
}

void wbWetSoft_SetNear(wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body, bool isNear) {
    const float before = wbWetSoft_Get(wet, body->first)->farTime, after = !isNear               ? away
                                                                           : before > longestFar ? untouched
                                                                           : before < 0          ? before
                                                                                                 : 0;
    for (int i = body->first; i < body->first + body->count; i++) {
        const float share = changeInertia(wet, pbd, i, before, isNear);
        pbd->vx[i] *= share, pbd->vy[i] *= share, pbd->vz[i] *= share;
        wbWetSoft_Get(wet, i)->farTime = after;
        setNode(wet, pbd, i);
    }
}

static void listBodies(wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *bodies, int bodyCount) {
    wet->bodyCount = bodyCount;
    for (int b = 0, at = 0; b < bodyCount; b++) {
        wbWetSoftBody *body = wbWetSoft_GetBody(wet, b);
        *body = bodies[b];
        body->firstElement = at, body->elementCount = wbWetSoft_CountElements(wet, body, 1);
        at += body->elementCount;
        for (int i = body->first; i < body->first + body->count && wet->mode == wb_pairBoth; i++)
            body->isLight |= wbWetSoft_FindInverseMassInFluids(wet, pbd, i) < pbd->w[i];
    }
}

wbStatus wbWetSoft_Prepare(wbWetSoft *wet, const wbWork *work, const wbPbd *pbd, const wbWetSoftBody *bodies,
                           int bodyCount) {
    const int before = wet->particleCount;
    WB_TRY(wbWetSoft_ReserveParticles(wet, work->memory, pbd->count));
    if (!wbArray_Reserve(work->memory, &wet->inverseMasses, wbPadCount(pbd->count) + WB_PADDING))
        return wbMemoryError(work->memory, "%d soft particles among fluids need", pbd->count);
    if (!wbArray_Reserve(work->memory, &wet->bodies, bodyCount))
        return wbMemoryError(work->memory, "%d soft bodies among fluids need", bodyCount);
    wet->particleCount = pbd->count;
    for (int b = 0; b < bodyCount; b++)
        if (bodies[b].first >= before) measure(wet, pbd, &bodies[b]);
    wet->nodeCount = pbd->count;
    listBodies(wet, pbd, bodies, bodyCount);
    return wb_okStatus;
}

// The sub-step

void wbWetSoft_WeighPushes(const wbWetSoft *wet, const wbPbd *pbd, wbVec3 gravity,
                           float *const acceleration[3]) {
    const float *inverse = wet->inverseMasses.data, g[3] = {gravity.x, gravity.y, gravity.z};
    for (int i = 0; i < pbd->count; i++) {
        const float share = pbd->w[i] > 0 ? inverse[i] / pbd->w[i] : 1;
        for (int a = 0; a < 3; a++) acceleration[a][i] = acceleration[a][i] * share + (share - 1) * g[a];
    }
}

static wbVec3d getWayStart(const float *record) {
    return (wbVec3d){record[WB_PBD_HALF], record[WB_PBD_HALF + 1], record[WB_PBD_HALF + 2]};
}

// A part of the sub-step begins where corners are then.
static void readStarts(const wbWetSoft *wet) {
    const float *records = wbPbdOpenStep_GetRecords(wet->step);
    for (int i = 0; i < wet->nodeCount; i++) {
        const float *r = records + WB_PBD_RECORD * (size_t)i;
        wbSheets_GetNode(wet->sheets, i)->start =
            wbAddScaled3d(getWayStart(r), (double)wet->from, (wbVec3d){r[0], r[1], r[2]});
    }
}

void wbWetSoft_ReadEnds(const wbWetSoft *wet) {
    const float *records = wbPbdOpenStep_GetRecords(wet->step);
    for (int i = 0; i < wet->nodeCount; i++) {
        const float *r = records + WB_PBD_RECORD * (size_t)i;
        wbSheets_GetNode(wet->sheets, i)->end =
            wbAddScaled3d(getWayStart(r), (double)wet->to, (wbVec3d){r[0], r[1], r[2]});
    }
}

void wbWetSoft_WriteEnds(const wbWetSoft *wet) {
    float *records = wbPbdOpenStep_GetRecords(wet->step);
    const double whole = 1 / (double)wet->to;
    for (int i = 0; i < wet->nodeCount; i++) {
        const wbSheetNode *node = wbSheets_GetNode(wet->sheets, i);
        float *r = records + WB_PBD_RECORD * (size_t)i;
        if (!(node->mobility > 0)) continue;
        const wbVec3d way = wbSub3d(node->end, getWayStart(r));
        r[0] = (float)(whole * way.x), r[1] = (float)(whole * way.y), r[2] = (float)(whole * way.z);
    }
}

void wbWetSoft_BeginPart(wbWetSoft *wet, float from, float to) {
    wet->from = from, wet->to = to;
    readStarts(wet), wbWetSoft_ReadEnds(wet);
}

void wbWetSoft_Begin(wbWetSoft *wet, wbPbdOpenStep *step, const wbPbd *pbd, float dt) {
    wet->step = step, wet->pbd = pbd, wet->dt = dt;
    for (int i = 0; i < wet->nodeCount; i++) {
        wbSheetNode *node = wbSheets_GetNode(wet->sheets, i);
        const float *transit = wbWetSoft_Get(wet, i)->transit;
        const double seconds = dt;
        node->push = (wbVec3d){seconds * transit[0], seconds * transit[1], seconds * transit[2]};
        node->given = (wbVec3d){0, 0, 0};
        node->hits = node->isTouched = 0;
    }
    wbWetSoft_BeginPart(wet, 0, 1);
}

static void giveWay(const wbWetSoft *wet) {
    const float *inverse = wet->inverseMasses.data;
    float *records = wbPbdOpenStep_GetRecords(wet->step);
    for (int i = 0; i < wet->nodeCount; i++) {
        wbSheetNode *node = wbSheets_GetNode(wet->sheets, i);
        if (!(node->response > 0)) {
            node->push = (wbVec3d){0, 0, 0}; // what is held takes all
            continue;
        }
        if (wbDot3d(node->push, node->push) == 0) continue;
        float *r = records + WB_PBD_RECORD * (size_t)i;
        const float way[3] = {(float)(node->response * node->push.x), (float)(node->response * node->push.y),
                              (float)(node->response * node->push.z)};
        const double mass = 1 / (double)inverse[i];
        for (int a = 0; a < 3; a++) r[a] += way[a];
        node->push = wbAddScaled3d(node->push, -mass, (wbVec3d){way[0], way[1], way[2]});
    }
}

void wbWetSoft_GiveWay(const wbWetSoft *wet) {
    giveWay(wet);
    wbPbdOpenStep_Iterate(wet->step, wet->sweeps);
    wbWetSoft_ReadEnds(wet);
}

// A body is near as a whole.
static void passTime(const wbWetSoft *wet, const wbWetSoftBody *body) {
    bool isTouched = false;
    for (int i = body->first; i < body->first + body->count; i++) {
        float *age = &wbWetSoft_Get(wet, i)->age;
        *age = fminf(*age + wet->dt, young);
    }
    for (int i = body->first; i < body->first + body->count; i++)
        isTouched |= wbSheets_GetNode(wet->sheets, i)->isTouched;
    for (int i = body->first; i < body->first + body->count && hasFloor(wet, i); i++) {
        float *time = &wbWetSoft_Get(wet, i)->farTime;
        if (isTouched)
            *time = 0;
        else if (*time >= 0)
            *time = fminf(*time + wet->dt, longestFar);
    }
}

void wbWetSoft_End(wbWetSoft *wet) {
    const double perSecond = 1 / (double)wet->dt;
    for (int i = 0; i < wet->nodeCount; i++) {
        const wbSheetNode *node = wbSheets_GetNode(wet->sheets, i);
        wbWetParticle *particle = wbWetSoft_Get(wet, i);
        const double left[3] = {node->push.x, node->push.y, node->push.z},
                     given[3] = {node->given.x, node->given.y, node->given.z};
        for (int a = 0; a < 3; a++) {
            particle->transit[a] = node->response > 0 ? (float)(perSecond * left[a]) : 0;
            wet->given[a] += perSecond * given[a];
        }
    }
    for (int b = 0; b < wet->bodyCount; b++) passTime(wet, wbWetSoft_GetBody(wet, b));
    wet->step = NULL;
}
