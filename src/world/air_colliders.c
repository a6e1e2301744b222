// SPDX-License-Identifier: MIT
// Colliders in the air: colliders, cut into cells wherever they are, each with its motion.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/air.h"
#include "world/collider.h"

bool wbIsMoving(const wbMotion *motion) {
    const float *v = motion->velocity, *w = motion->spin;
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0;
}

// Where a collider is at the end of the step, or now if none is being done.
static wbPose getPose(const wbCollider *collider, float dt) {
    return dt > 0 ? collider->motion[2].pose : collider->state.pose;
}

bool wbAreCollidersCut(const wbWorld *world, float dt) {
    const wbAir *air = wbGetAir(world);
    const wbPose *poses = air->poses.data;
    if (air->areCollidersStale || air->poseCount != world->colliderIds.indexCount) return false;
    if (dt > 0 && air->isStirred) return false;
    for (int i = 0; i < air->poseCount; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        wbPose pose = getPose(collider, dt);
        if (memcmp(&pose, &poses[i], sizeof pose) != 0) return false;
        if (dt > 0 && wbIsMoving(&collider->motion[2])) return false;
    }
    return true;
}

static wbSmokeBody makeBody(const wbCollider *collider, bool moves) {
    const wbMotion *motion = &collider->motion[2];
    const float *p = motion->pose.position, *v = motion->velocity, *w = motion->spin;
    wbSmokeBody body = {.hasTemperature = !isnan(collider->params.temperature)};
    if (body.hasTemperature) body.temperature = collider->params.temperature;
    if (!moves) return body;
    body.centre = wbMakeVec3(p[0], p[1], p[2]);
    body.velocity = wbMakeVec3(v[0], v[1], v[2]), body.spin = wbMakeVec3(w[0], w[1], w[2]);
    return body;
}

// What the cells of a collider are marked with: colliders at rest of one temperature, or without, are one body. 0: there
// are too many.
static int findBody(const wbCollider *collider, bool moves, wbSmokeBody bodies[WB_SMOKE_MAX_BODIES],
                    int *bodyCount) {
    const wbSmokeBody body = makeBody(collider, moves);
    for (int b = 0; b < *bodyCount && !moves; b++)
        if (!wbSmokeBody_IsMoving(&bodies[b]) && bodies[b].hasTemperature == body.hasTemperature &&
            bodies[b].temperature == body.temperature)
            return b + 1;
    if (*bodyCount == WB_SMOKE_MAX_BODIES) return 0;
    bodies[(*bodyCount)++] = body;
    return *bodyCount;
}

// The mask of a grid, and the bodies that its numbers stand for: the first is at rest and insulates.
static wbStatus cut(wbWorld *world, float dt, const wbSmokeGrid *grid, uint8_t *mask,
                    wbSmokeBody bodies[WB_SMOKE_MAX_BODIES], int *bodyCount) {
    wbAir *air = wbGetAir(world);
    wbVoxelGrid voxels = wbMakeAirVoxels(grid);
    int count = world->colliderIds.indexCount;
    if (!wbArray_Reserve(world->memory, &air->poses, count))
        return wbMemoryError(world->memory, "the places of colliders need");
    memset(mask, 0, wbCountAirCells(grid));
    bodies[0] = (wbSmokeBody){.hasTemperature = false};
    *bodyCount = 1;
    for (int i = 0; i < count; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        wbPose pose = getPose(collider, dt);
        bool moves = dt > 0 && wbIsMoving(&collider->motion[2]);
        int body = findBody(collider, moves, bodies, bodyCount);
        if (body == 0)
            return wbError(wb_errorInput,
                           "collider \"%s\": in smoke at most %d colliders move at once, or have different "
                           "temperatures",
                           collider->name, WB_SMOKE_MAX_BODIES - 1);
        WB_TRY(wbVoxelise(&voxels, &collider->mesh, &pose, world->work.arena, (uint8_t)body, mask));
        ((wbPose *)air->poses.data)[i] = pose;
    }
    return wb_okStatus;
}

wbStatus wbCutColliders(wbWorld *world, float dt) {
    wbAir *air = wbGetAir(world);
    wbSmokeBody bodies[WB_SMOKE_MAX_BODIES];
    int bodyCount;
    if (wbAreCollidersCut(world, dt)) return wb_okStatus;
    air->areCollidersStale = true; // until all is done
    WB_TRY(cut(world, dt, &air->smoke.grid, air->mask, bodies, &bodyCount));
    WB_TRY(wbSmoke_SetSolids(&air->smoke, &air->model, &world->work, air->mask, bodies, bodyCount));
    wbCoarseAir *coarse = air->coarse;
    if (coarse) {
        WB_TRY(cut(world, dt, &coarse->smoke.grid, coarse->mask, bodies, &bodyCount));
        WB_TRY(
            wbSmoke_SetSolids(&coarse->smoke, &coarse->model, &world->work, coarse->mask, bodies, bodyCount));
    }
    air->poseCount = world->colliderIds.indexCount;
    air->areCollidersStale = false;
    air->isStirred = wbSmoke_HasMovingBodies(&air->smoke);
    return wb_okStatus;
}
