// SPDX-License-Identifier: MIT
#include "coupling/wet_sheets.h"

#include <math.h>

#include "core/status.h"
#include "core/timer.h"

void wbWetSheets_Init(wbWetSheets *wet, wbWetSoft *soft, wbWetHulls *hulls) {
    *wet = (wbWetSheets){.soft = soft, .hulls = hulls};
    wbSheets_Init(&wet->sheets);
    soft->sheets = &wet->sheets;
}

void wbWetSheets_Free(wbMemory *memory, wbWetSheets *wet) {
    wbSheets_Free(memory, &wet->sheets);
    wbWetSheets_Init(wet, wet->soft, wet->hulls);
}

// Bodies seldom change from step to step.
static wbStatus listElements(wbWetSheets *wet, const wbWork *work, const wbPbd *pbd,
                             const wbWetSoftBody *bodies, int bodyCount) {
    const int soft = wbWetSoft_CountElements(wet->soft, bodies, bodyCount),
              count = soft + wbWetHulls_CountElements(wet->hulls),
              nodes = wet->soft->nodeCount + wet->hulls->nodeCount;
    const uint64_t key = wbWetHulls_GetKey(wet->hulls);
    const uint32_t version = pbd ? pbd->version : 0;
    const bool isPrepared = !pbd || pbd->isPrepared,
               isKnown = wet->isListed && isPrepared && wet->version == version && wet->key == key &&
                         wet->sheets.elementCount == count && wet->sheets.nodeCount == nodes;
    wet->hulls->firstNode = wet->soft->nodeCount;
    if (isKnown) return wb_okStatus;
    WB_TRY(wbSheets_Reserve(&wet->sheets, work->memory, nodes, count));
    wbWetSoft_ListElements(wet->soft, bodies, bodyCount);
    wbWetHulls_ListElements(wet->hulls, &wet->sheets, soft);
    wet->isListed = isPrepared, wet->version = version, wet->key = key;
    return wbSheets_FindRims(&wet->sheets, work);
}

wbStatus wbWetSheets_Prepare(wbWetSheets *wet, const wbWork *work, const wbPbd *pbd,
                             const wbWetSoftBody *bodies, int bodyCount) {
    WB_TRY(listElements(wet, work, pbd, bodies, bodyCount));
    if (pbd) wbWetSoft_SetNodes(wet->soft, pbd);
    return wb_okStatus;
}

// In a fluid's sub-step

static wbStatus find(const wbSheetSwarm *swarm, const wbWork *work, void *context) {
    wbWetSheets *wet = context;
    double mark = wbGetSeconds();
    if (wet->soft->step) wbWetSoft_BeginPart(wet->soft, swarm->from, swarm->to);
    wbWetHulls_Place(wet->hulls, &wet->sheets, swarm->from, swarm->to);
    const wbStatus status = wbSheets_Find(&wet->sheets, swarm, work);
    wet->ms += wbLapMs(&mark);
    return status;
}

static void cut(const wbSheetSwarm *swarm, wbNeighbours *neighbours, const wbWork *work, void *context) {
    wbWetSheets *wet = context;
    double mark = wbGetSeconds();
    wbSheets_Cut(&wet->sheets, swarm, neighbours, work);
    wet->ms += wbLapMs(&mark);
}

static void add(const wbSheetSwarm *swarm, float *sums, float *squares, const wbWork *work, void *context) {
    wbWetSheets *wet = context;
    double mark = wbGetSeconds();
    wbSheets_Add(&wet->sheets, swarm, sums, squares, work);
    wet->ms += wbLapMs(&mark);
}

static void near(const wbSheetSwarm *swarm, float *nearing, const wbWork *work, void *context) {
    wbWetSheets *wet = context;
    double mark = wbGetSeconds();
    wbSheets_Near(&wet->sheets, swarm, nearing, work);
    wet->ms += wbLapMs(&mark);
}

static void push(const wbSheetSwarm *swarm, const wbSheetPush *values, const wbWork *work, void *context) {
    wbWetSheets *wet = context;
    double mark = wbGetSeconds();
    (void)work;
    wbSheets_Push(&wet->sheets, values);
    if (wet->soft->step) wbWetSoft_GiveWay(wet->soft);
    if (!values->isWhole) wbWetHulls_GiveWay(wet->hulls, &wet->sheets, (double)swarm->dt);
    wet->ms += wbLapMs(&mark);
}

// J, at most: of pushes against the way that they go.
static double sumWork(const wbSheets *sheets, double dt) {
    double sum = 0;
    for (int i = 0; i < sheets->nodeCount; i++) {
        const wbSheetNode *node = wbSheets_GetNode(sheets, i);
        sum += fmax(0, -wbDot3d(node->given, wbSub3d(node->end, node->start)));
    }
    return sum / (dt * dt);
}

// Fluids and sheets in turn, until nothing goes through either. Of memory that is missing the end of the sub-step speaks.
static void holdBoth(wbWetSheets *wet, const wbSheetSwarm *swarm, const wbWork *work) {
    enum { TURNS = 4 };
    const wbWetSoft *soft = wet->soft;
    bool isChanged = true;
    for (int turn = 0; turn < TURNS && isChanged; turn++) {
        if (turn == 0 && wbIsOk(wbPbdOpenStep_Hold(soft->step, &isChanged)) && isChanged)
            wbWetSoft_ReadEnds(soft);
        wbSheets_Hold(&wet->sheets, swarm, work);
        wbWetSoft_WriteEnds(soft);
        if (!wbIsOk(wbPbdOpenStep_Hold(soft->step, &isChanged))) return;
        if (isChanged) wbWetSoft_ReadEnds(soft);
    }
}

static void hold(const wbSheetSwarm *swarm, const wbWork *work, void *context) {
    wbWetSheets *wet = context;
    double mark = wbGetSeconds();
    if (wet->soft->step && !swarm->isStill)
        holdBoth(wet, swarm, work);
    else
        wbSheets_Hold(&wet->sheets, swarm, work);
    wbWetHulls_Take(wet->hulls, &wet->sheets, (double)swarm->dt);
    if (!swarm->isStill) wet->work += sumWork(&wet->sheets, (double)swarm->dt);
    wet->ms += wbLapMs(&mark);
}

static bool parts(int particle, const float from[3], const float to[3], void *context) {
    const wbWetSheets *wet = context;
    return wbSheets_Parts(&wet->sheets, particle, (wbVec3d){from[0], from[1], from[2]},
                          (wbVec3d){to[0], to[1], to[2]});
}

static void approach(const wbSheetSwarm *swarm, float *distances, const wbWork *work, void *context) {
    const wbWetSheets *wet = context;
    wbSheets_Approach(&wet->sheets, swarm, distances, work);
}

wbFluidSheets wbWetSheets_GetCalls(wbWetSheets *wet) {
    return (wbFluidSheets){find, cut, add, near, push, hold, parts, approach, wet};
}
