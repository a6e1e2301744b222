// SPDX-License-Identifier: MIT
// Queries among colliders: exact triangles, where the colliders are now.
#include <math.h>

#include "world/collider.h"
#include "world/query.h"

// m, from a point to what is looked for.
static double getDistance(const wbSearch *search, wbVec3d p) {
    wbVec3d d = wbSub3d(p, search->from);
    if (search->kind == wb_searchRay) {
        const double along = wbDot3d(d, search->to) / wbDot3d(search->to, search->to);
        d = wbAddScaled3d(d, -fmin(fmax(along, 0), 1), search->to);
    } else if (search->kind == wb_searchBox) {
        const wbVec3d above = wbSub3d(p, search->to);
        d = (wbVec3d){fmax(0, fmax(-d.x, above.x)), fmax(0, fmax(-d.y, above.y)),
                      fmax(0, fmax(-d.z, above.z))};
    }
    return sqrt(wbDot3d(d, d));
}

// Whether the ball around a collider is near enough.
static bool mayBeFound(const wbSearch *search, const wbCollider *collider) {
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    const wbVec3d centre = wbPose_Apply3d(&collider->state.pose, wbToDouble(tree->centre));
    const double reach = search->kind == wb_searchNearest ? search->limit : search->radius;
    return getDistance(search, centre) <= 1.0001 * tree->radius + reach;
}

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

void wbSearchColliders(wbSearch *search) {
    for (int i = 0; i < wbWorld_GetColliderCount(search->world); i++)
        if (mayBeFound(search, wbGetColliderAt(search->world, i))) searchOne(search, i);
}
