// SPDX-License-Identifier: MIT
// Nothing goes through a sheet: contacts at the end of a sub-step, then impact zones.
#include <float.h>
#include <math.h>

#include "coupling/sheet_code.h"
#include "coupling/sheet_place.h"

enum { PASSES = 4 };

typedef struct HoldTask {
    wbSheets *sheets;
    const wbSheetSwarm *swarm;
    wbSheetPass pass;
    const wbSheetFeelCode *code;
    double hair; // m, before a sheet where particles are put
} HoldTask;

// A particle goes on by so much, within the sides.
static void shift(const wbSheetSwarm *swarm, int i, wbVec3d by) {
    float *place = swarm->places + 4 * (size_t)i, *moved = swarm->moved + 4 * (size_t)i;
    const double way[3] = {by.x, by.y, by.z};
    for (int a = 0; a < 3; a++) {
        const float before = place[a];
        place[a] = fminf(fmaxf((float)((double)before + way[a]), swarm->room->low[a]), swarm->room->high[a]);
        moved[a] += place[a] - before;
    }
}

static void getCorners(const wbSheets *sheets, int element, wbVec3d starts[3], wbVec3d ends[3]) {
    const wbSheetElement *e = wbSheets_GetElement(sheets, element);
    for (int k = 0; k < 3; k++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, e->corners[k]);
        starts[k] = node->start, ends[k] = node->end;
    }
}

// Slots that a particle may have gone through; how many.
static int sift(const HoldTask *task, const wbNearSheet *near, int worker, const int **slots) {
    *slots = task->sheets->scratches[worker].packed;
    return task->code->sift(&task->pass, near, worker);
}

static double findTime(const HoldTask *task, const wbNearSheet *near, int slot) {
    wbVec3d starts[3], ends[3];
    getCorners(task->sheets, task->sheets->slotElements[slot], starts, ends);
    return wbFindHitTime(starts, ends, wbGetSheetRecord(task->swarm->starts, near->particle),
                         wbGetSheetRecord(task->swarm->places, near->particle));
}

// What it goes through first, and how deep it is behind it.
static void findHits(int begin, int end, int worker, void *context) {
    const HoldTask *task = context;
    const wbSheets *sheets = task->sheets;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        const int *slots, count = sift(task, near, worker, &slots);
        double first = 2;
        near->hit = -1;
        for (int k = 0; k < count; k++) {
            const double time = findTime(task, near, slots[k]);
            if (time < first)
                first = time, near->hit = sheets->slotElements[slots[k]],
                near->hitSide = (int)sheets->slotSides[slots[k]];
        }
        if (near->hit < 0) continue;
        wbVec3d starts[3], ends[3], away = wbGetSheetRecord(task->swarm->places, near->particle);
        getCorners(sheets, near->hit, starts, ends);
        (void)wbFindClosestOnTriangle(ends, away, near->hitWeights);
        wbVec3d n3 = wbCross3d(wbSub3d(ends[1], ends[0]), wbSub3d(ends[2], ends[0]));
        const double length = sqrt(wbDot3d(n3, n3)), sign = length > 0 ? near->hitSide / length : 0;
        near->hitNormal = (wbVec3d){sign * n3.x, sign * n3.y, sign * n3.z};
        for (int k = 0; k < 3; k++) away = wbAddScaled3d(away, -near->hitWeights[k], ends[k]);
        near->depth = task->hair - wbDot3d(near->hitNormal, away);
        if (near->depth < 0) near->depth = task->hair; // it went round: by a hair at least
    }
}

static int countHits(const wbSheets *sheets) {
    int count = 0;
    for (int k = 0; k < sheets->nodeCount; k++) wbSheets_GetNode(sheets, k)->hits = 0;
    for (int n = 0; n < sheets->nearCount; n++) {
        const wbNearSheet *near = &sheets->near[n];
        if (near->hit < 0) continue;
        count++;
        for (int k = 0; k < 3; k++)
            wbSheets_GetNode(sheets, wbSheets_GetElement(sheets, near->hit)->corners[k])->hits++;
    }
    return count;
}

static double getMass(const wbSheetSwarm *swarm, int i) {
    return swarm->mass * (swarm->relative ? (double)swarm->relative[i] : 1);
}

// Its impulse goes to a node, whether that gives way or not.
static void give(wbSheetNode *node, double share, wbVec3d impulse) {
    node->given = wbAddScaled3d(node->given, share, impulse);
    node->isTouched = 1;
}

static void pushBack(const HoldTask *task, const wbNearSheet *near) {
    const wbSheets *sheets = task->sheets;
    const wbSheetElement *element = wbSheets_GetElement(sheets, near->hit);
    const double mass = getMass(task->swarm, near->particle);
    double weight = 1 / mass;
    for (int k = 0; k < 3; k++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
        weight += near->hitWeights[k] * near->hitWeights[k] * node->mobility * node->hits;
    }
    const double push = near->depth / weight;
    const wbVec3d n = near->hitNormal, impulse = {push * n.x, push * n.y, push * n.z};
    shift(task->swarm, near->particle, (wbVec3d){impulse.x / mass, impulse.y / mass, impulse.z / mass});
    for (int k = 0; k < 3; k++) {
        wbSheetNode *node = wbSheets_GetNode(sheets, element->corners[k]);
        give(node, -near->hitWeights[k], impulse);
        node->end = wbAddScaled3d(node->end, -near->hitWeights[k] * node->mobility, impulse);
    }
}

// Impact zones

static int findZone(const wbSheets *sheets, int member) {
    while (sheets->zone[member] != member) member = sheets->zone[member];
    return member;
}

// Joins what goes through a triangle with its corners; gives how many do.
static int joinZones(const HoldTask *task) {
    const wbSheets *sheets = task->sheets;
    int count = 0;
    for (int n = 0; n < sheets->nearCount; n++) {
        const wbNearSheet *near = &sheets->near[n];
        const int *slots, sifted = sift(task, near, 0, &slots);
        for (int k = 0; k < sifted; k++) {
            if (findTime(task, near, slots[k]) > 1) continue;
            count++;
            for (int c = 0; c < 3; c++) {
                const int a = findZone(sheets, n),
                          b = findZone(
                              sheets,
                              sheets->nearCount +
                                  wbSheets_GetElement(sheets, sheets->slotElements[slots[k]])->corners[c]);
                sheets->zone[a > b ? a : b] = a > b ? b : a;
            }
        }
    }
    return count;
}

static wbVec3d getWay(const HoldTask *task, int member) {
    const wbSheets *sheets = task->sheets;
    if (member >= sheets->nearCount) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, member - sheets->nearCount);
        return wbSub3d(node->end, node->start);
    }
    const int i = sheets->near[member].particle;
    return wbSub3d(wbGetSheetRecord(task->swarm->places, i), wbGetSheetRecord(task->swarm->starts, i));
}

// 0: it is held, and a zone goes where what is held in it goes.
static double getMemberMass(const HoldTask *task, int member) {
    const wbSheets *sheets = task->sheets;
    if (member < sheets->nearCount) return getMass(task->swarm, sheets->near[member].particle);
    const double mobility = wbSheets_GetNode(sheets, member - sheets->nearCount)->mobility;
    return mobility > 0 ? 1 / mobility : 0;
}

static void sumZones(const HoldTask *task, int members) {
    const wbSheets *sheets = task->sheets;
    double *held = sheets->zoneMasses + members;
    for (int m = 0; m < members; m++)
        sheets->zoneMasses[m] = held[m] = 0, sheets->zoneWays[m] = (wbVec3d){0, 0, 0};
    for (int m = 0; m < members; m++) held[findZone(sheets, m)] += getMemberMass(task, m) == 0;
    for (int m = 0; m < members; m++) {
        const int zone = findZone(sheets, m);
        const double mass = getMemberMass(task, m), weight = held[zone] == 0 ? mass : mass == 0 ? 1 : 0;
        sheets->zoneMasses[zone] += weight;
        sheets->zoneWays[zone] = wbAddScaled3d(sheets->zoneWays[zone], weight, getWay(task, m));
    }
}

// What nobody shares a zone with goes on as it did.
static void moveZones(const HoldTask *task, int members) {
    const wbSheets *sheets = task->sheets;
    for (int m = 0; m < members; m++) {
        const int zone = findZone(sheets, m);
        const double mass = getMemberMass(task, m), all = sheets->zoneMasses[zone];
        if (mass == 0 || (zone == m && all <= mass * (1 + 1e-9) && sheets->zoneMasses[members + zone] == 0))
            continue;
        const wbVec3d mean = {sheets->zoneWays[zone].x / all, sheets->zoneWays[zone].y / all,
                              sheets->zoneWays[zone].z / all},
                      change = wbSub3d(mean, getWay(task, m));
        if (m < sheets->nearCount) {
            shift(task->swarm, sheets->near[m].particle, change);
        } else {
            wbSheetNode *node = wbSheets_GetNode(sheets, m - sheets->nearCount);
            node->end = wbAddScaled3d(node->end, 1, change);
            give(node, mass, change);
        }
    }
}

// A zone that nothing is added to keeps what is in it apart: there is an end.
static void runZones(const HoldTask *task, const wbWork *work) {
    wbSheets *sheets = task->sheets;
    const int members = sheets->nearCount + sheets->nodeCount;
    for (int m = 0; m < members; m++) sheets->zone[m] = m;
    for (int pass = 0, before = 0; pass < members; pass++) {
        const int count = joinZones(task);
        int joined = 0;
        for (int m = 0; m < members; m++) joined += sheets->zone[m] != m;
        if (count == 0 || joined == before) return;
        before = joined;
        sheets->counts.zones++;
        sumZones(task, members);
        moveZones(task, members);
        wbSheets_Shape(sheets, 1, work);
    }
}

static void countLost(const HoldTask *task) {
    wbSheets *sheets = task->sheets;
    for (int n = 0; n < sheets->nearCount; n++) {
        const wbNearSheet *near = &sheets->near[n];
        const int *slots, sifted = sift(task, near, 0, &slots);
        for (int k = 0; k < sifted; k++) {
            if (findTime(task, near, slots[k]) > 1) continue;
            sheets->counts.lost++;
            break;
        }
    }
}

void wbSheets_Hold(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work) {
    HoldTask task = {.sheets = sheets,
                     .swarm = swarm,
                     .pass = {.sheets = sheets, .swarm = swarm},
                     .code = wbGetSheetFeelCode(work->simd),
                     .hair = 0.1 * (double)swarm->spacing};
    int count = 1;
    if (sheets->nearCount == 0) return;
    for (int pass = 0; pass <= PASSES && count > 0; pass++) {
        wbSheets_Shape(sheets, 1, work);
        wbParallelShare(work->pool, sheets->nearCount, 64, findHits, &task);
        count = countHits(sheets);
        if (pass == PASSES) break;
        if (pass == 0) sheets->counts.held += count;
        for (int n = 0; n < sheets->nearCount; n++)
            if (sheets->near[n].hit >= 0) pushBack(&task, &sheets->near[n]);
    }
    if (count == 0) return;
    runZones(&task, work);
    countLost(&task);
}
