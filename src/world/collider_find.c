// SPDX-License-Identifier: MIT
// Which colliders are near a place: the broad phase over their boxes. A box holds its collider from the start to the end of the
// step that is being done or was done last, so that it need not be looked at while the collider moves. One that is off has none.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "world/collider.h"

void wbBoundCollider(wbWorld *world, int index) {
    const wbCollider *collider = wbGetColliderAt(world, index);
    const BroadBox box =
        collider->params.on ? wbBoundShape(collider->shape, &collider->state.pose) : wbMakeEmptyBox();
    wbBroadPhase_SetBox(&world->colliderBoxes, index, &box);
    wbBroadPhase_Update(&world->colliderBoxes);
}

void wbBoundColliders(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++) wbBoundCollider(world, i);
}

// m, from the origin of its frame to its farthest point.
static float getReach(const wbCollider *collider) {
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    return sqrtf(wbDot(tree->centre, tree->centre)) + tree->radius;
}

// Turning, a point leaves the line between its ends by no more than its arc is high.
static BroadBox boundMotion(const wbCollider *collider, float halfCosine) {
    const BroadBox start = wbBoundShape(collider->shape, &collider->motion[wb_atStart].pose),
                   end = wbBoundShape(collider->shape, &collider->motion[wb_atEnd].pose),
                   both = wbJoinBoxes(&start, &end);
    return wbGrowBox(&both, getReach(collider) * (1.001f - halfCosine));
}

static void boundMoving(wbWorld *world, int index) {
    wbCollider *collider = wbGetColliderAt(world, index);
    const wbPose *a = &collider->motion[wb_atStart].pose, *b = &collider->motion[wb_atEnd].pose;
    const float *p = a->rotation, *q = b->rotation;
    const float halfCosine = fminf(fabsf(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]), 1);
    const wbVec3 way = wbMakeVec3(b->position[0] - a->position[0], b->position[1] - a->position[1],
                                  b->position[2] - a->position[2]);
    const float turn = 2 * acosf(halfCosine) + 1e-3f; // what rounding hides of it is less
    const BroadBox box = boundMotion(collider, halfCosine);
    wbColliderMotions *motions = &world->colliderMotions;
    wbBroadPhase_SetBox(&world->colliderBoxes, index, &box);
    motions->count++;
    motions->turn = fmaxf(motions->turn, turn);
    motions->way = fmaxf(motions->way, sqrtf(wbDot(way, way)) + turn * getReach(collider));
}

void wbBoundMotions(wbWorld *world) {
    world->colliderMotions = (wbColliderMotions){0};
    const int *movers = world->movers.data;
    for (int k = 0; k < world->moverCount; k++) {
        wbCollider *collider = wbGetColliderAt(world, movers[k]);
        const wbMotion *motion = collider->motion;
        const bool moves = collider->params.on &&
                           memcmp(&motion[wb_atStart].pose, &motion[wb_atEnd].pose, sizeof motion->pose) != 0;
        if (moves)
            boundMoving(world, movers[k]);
        else if (collider->isBoundMoving)
            wbBoundCollider(world, movers[k]);
        collider->isBoundMoving = moves;
    }
    wbBroadPhase_Update(&world->colliderBoxes);
}

void wbBoundMoved(wbWorld *world) {
    const int *movers = world->movers.data;
    for (int k = 0; k < world->moverCount; k++) {
        wbCollider *collider = wbGetColliderAt(world, movers[k]);
        if (!collider->isBoundMoving) continue;
        const BroadBox box = wbBoundShape(collider->shape, &collider->state.pose);
        wbBroadPhase_SetBox(&world->colliderBoxes, movers[k], &box);
        collider->isBoundMoving = false;
    }
    wbBroadPhase_Update(&world->colliderBoxes);
}

int wbFindNextCollider(const wbWorld *world, wbVec3 p, float margin, int after) {
    const BroadBox box = {{p.x - margin, p.y - margin, p.z - margin},
                          {p.x + margin, p.y + margin, p.z + margin}};
    return wbBroadPhase_FindNext(&world->colliderBoxes, &box, after);
}

// side: as of wbFindSurfaceFrom, of all colliders.
static float getClearance(const wbWorld *world, const float p[3], float most, int side) {
    const wbVec3 point = wbMakeVec3(p[0], p[1], p[2]);
    for (int i = -1; (i = wbFindNextCollider(world, point, fmaxf(most, 0), i)) >= 0;) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        const wbShapeTree *tree = wbShape_GetTree(collider->shape);
        const wbVec3 local = wbPose_ApplyInverse(&collider->state.pose, point),
                     away = wbSub(local, tree->centre);
        if (sqrtf(wbDot(away, away)) > tree->radius + most) continue;
        most = fminf(most, wbFindSurfaceFrom(collider->shape, local, side, FLT_MAX).distance);
    }
    return most;
}

float wbGetClearance(const wbWorld *world, const float p[3], float most) {
    return getClearance(world, p, most, 0);
}

static float getDistance2(const float a[3], const float b[3]) {
    const wbVec3 d = wbMakeVec3(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    return wbDot(d, d);
}

// Cells share places: a ball says itself where it is.
static uint32_t findPlace(const float p[3], float cell) {
    uint32_t hash = 0;
    for (int a = 0; a < 3; a++)
        hash = wbHash32(hash ^ (uint32_t)(int32_t)fminf(fmaxf(floorf(p[a] / cell), -1e9f), 1e9f));
    return hash % WB_CLEARINGS;
}

bool wbIsInCollider(const wbWorld *world, wbClearings *known, const float p[3], float depth, float reach) {
    if (world->colliderIds.indexCount == 0) return false;
    const uint32_t place = findPlace(p, reach);
    float *centre = known->balls[place].centre, *radius = &known->balls[place].radius;
    const float far2 = getDistance2(p, centre);
    if (far2 < *radius * *radius) return false;
    // If a ball around it that meets no surface meets the known one, which is outside, so is it; which side a point is on costs most.
    const bool isNear = *radius > 0 && far2 < 4 * reach * reach;
    float clearance = isNear ? getClearance(world, p, reach, 1) : 0;
    if (!isNear || clearance + *radius <= 1.001f * sqrtf(far2)) clearance = wbGetClearance(world, p, reach);
    // the largest ball of a cell holds most of it
    if (clearance > *radius || far2 > 4 * reach * reach) {
        memcpy(centre, p, sizeof(float[3]));
        *radius = fmaxf(clearance, 0);
    }
    return clearance < -depth;
}
