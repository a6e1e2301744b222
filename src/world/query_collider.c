// SPDX-License-Identifier: MIT
// Queries among colliders: exact triangles, where the colliders are now.
#include <math.h>

#include "world/collider.h"
#include "world/query.h"

static void searchOne(wbSearch *search, int index) {
    const wbCollider *collider = wbGetColliderAt(search->world, index);
    const wbPose *pose = &collider->state.pose;
    const wbVec3d local = wbPose_ApplyInverse3d(pose, search->from);
    wbFinding finding = {.kind = wb_queryColliders, .owner = index};
    if (search->kind == wb_searchRay) {
        const wbVec3d along = wbPose_Rotate3d(pose, -1, search->to);
        const wbShapeHit hit = wbShape_CastRay(collider->shape, local, along, search->limit);
        if (hit.triangle < 0) return;
        finding.measure = hit.fraction, finding.place = hit.triangle;
    } else if (search->kind == wb_searchBox) {
        if (!wbShape_MeetsBox(collider->shape, pose, search->from, search->to)) return;
    } else {
        finding.measure = (double)wbShape_FindSurface(collider->shape, wbToFloat(local)).distance;
        if (search->kind == wb_searchBall && finding.measure > search->radius) return;
        if (search->kind == wb_searchBall) finding.measure = 0;
    }
    wbSearch_Add(search, &finding);
}

static void visit(int index, void *context) { searchOne(context, index); }

float wbSearch_GetReach(const wbSearch *search) {
    return nextafterf((float)fmax(search->limit, 0), INFINITY);
}

static float seek(int index, float most, void *context) {
    wbSearch *search = context;
    (void)most;
    searchOne(search, index);
    return wbSearch_GetReach(search);
}

// A box that is wider by a distance, and by what rounding to floats may take away.
static BroadBox makeBox(wbVec3d min, wbVec3d max, double margin) {
    const double low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    BroadBox box;
    for (int a = 0; a < 3; a++) {
        box.min[a] = nextafterf((float)(low[a] - margin), -INFINITY);
        box.max[a] = nextafterf((float)(high[a] + margin), INFINITY);
    }
    return box;
}

BroadBox wbSearch_GetBox(const wbSearch *search) {
    return makeBox(search->from, search->kind == wb_searchBox ? search->to : search->from, search->radius);
}

void wbSearchColliders(wbSearch *search) {
    const wbBroadPhase *boxes = &search->world->colliderBoxes;
    const wbVec3 from = wbToFloat(search->from);
    if (search->kind == wb_searchRay) {
        wbBroadPhase_SeekRay(boxes, from, wbToFloat(search->to), wbSearch_GetReach(search), seek, search);
    } else if (search->kind == wb_searchNearest) {
        wbBroadPhase_SeekNearest(boxes, from, wbSearch_GetReach(search), seek, search);
    } else {
        const BroadBox box = wbSearch_GetBox(search);
        wbBroadPhase_FindAll(boxes, &box, visit, search);
    }
}
