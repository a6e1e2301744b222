// SPDX-License-Identifier: MIT
// Colliders in the air, and sides that have come in: cut into cells wherever they are, each with its motion.
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

// Ends of the domain when the step is over, or now if none is being done.
static void getEnds(const wbWorld *world, float dt, float ends[wb_sideCount]) {
    const wbDomain domain = wbDomain_At(&world->domain, dt);
    for (int s = 0; s < wb_sideCount; s++) ends[s] = wbDomain_GetEnd(&domain, s);
}

static bool areSidesCut(const wbWorld *world, float dt) {
    float ends[wb_sideCount];
    getEnds(world, dt, ends);
    return !(dt > 0 && wbDomain_IsMoving(&world->domain)) &&
           memcmp(ends, wbGetAir(world)->cutEnds, sizeof ends) == 0;
}

bool wbAreCollidersCut(const wbWorld *world, float dt) {
    const wbAir *air = wbGetAir(world);
    const wbPose *poses = air->poses.data;
    if (air->areCollidersStale || air->poseCount != world->colliderIds.indexCount) return false;
    if (dt > 0 && air->isStirred) return false;
    if (!areSidesCut(world, dt)) return false;
    for (int i = 0; i < air->poseCount; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        wbPose pose = getPose(collider, dt);
        if (memcmp(&pose, &poses[i], sizeof pose) != 0) return false;
        if (dt > 0 && wbIsMoving(&collider->motion[2])) return false;
    }
    return true;
}

static bool isCovering(const wbDomain *domain, int side, float end) {
    float made = side % 2 ? domain->madeMax[side / 2] : domain->madeMin[side / 2];
    return side / 2 < domain->dimensions && domain->closed[side] && (side % 2 ? end < made : end > made);
}

bool wbIsSideWithin(const wbWorld *world, float dt) {
    float ends[wb_sideCount];
    getEnds(world, dt, ends);
    for (int s = 0; s < wb_sideCount; s++)
        if (isCovering(&world->domain, s, ends[s])) return true;
    return false;
}

// A side within the box is a body that moves across, and along itself where nothing slips.
static wbSmokeBody makeSide(const wbDomain *domain, int side, bool moves) {
    wbSmokeBody body = {.hasTemperature = !isnan(domain->temperature[side])};
    if (body.hasTemperature) body.temperature = domain->temperature[side];
    float *velocity = &body.velocity.x;
    for (int a = 0; a < 3; a++)
        if (a == side / 2 ? moves : domain->types[side] == wb_sideNoSlip)
            velocity[a] = domain->velocity[side][a];
    return body;
}

static float getMiddle(const wbSmokeGrid *grid, int axis, int cell) {
    return (&grid->origin.x)[axis] + grid->h * ((float)cell + 0.5f);
}

// Marks the cells whose middles are beyond a side; marks of colliders go.
static void coverCells(const wbSmokeGrid *grid, int side, float end, uint8_t body, uint8_t *mask) {
    const int a = side / 2;
    int low[3] = {0, 0, 0}, high[3] = {grid->nx, grid->ny, grid->nz};
    if (side % 2)
        while (low[a] < high[a] && getMiddle(grid, a, low[a]) <= end) low[a]++;
    else
        while (low[a] < high[a] && getMiddle(grid, a, high[a] - 1) >= end) high[a]--;
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++)
            for (int i = low[0]; i < high[0]; i++) mask[wbSmokeCell(grid, i, j, k)] = body;
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
static int findBody(const wbSmokeBody *body, wbSmokeBody bodies[WB_SMOKE_MAX_BODIES], int *bodyCount) {
    for (int b = 0; b < *bodyCount && !wbSmokeBody_IsMoving(body); b++)
        if (!wbSmokeBody_IsMoving(&bodies[b]) && bodies[b].hasTemperature == body->hasTemperature &&
            bodies[b].temperature == body->temperature)
            return b + 1;
    if (*bodyCount == WB_SMOKE_MAX_BODIES) return 0;
    bodies[(*bodyCount)++] = *body;
    return *bodyCount;
}

static wbStatus failByBodies(const char *what, const char *name) {
    return wbError(wb_errorInput,
                   "%s \"%s\": in smoke at most %d colliders and sides move at once, or have different "
                   "temperatures",
                   what, name, WB_SMOKE_MAX_BODIES - 1);
}

static wbStatus cutSides(const wbWorld *world, float dt, const wbSmokeGrid *grid, uint8_t *mask,
                         wbSmokeBody bodies[WB_SMOKE_MAX_BODIES], int *bodyCount) {
    float ends[wb_sideCount];
    getEnds(world, dt, ends);
    for (int s = 0; s < wb_sideCount; s++) {
        if (!isCovering(&world->domain, s, ends[s])) continue;
        const wbSmokeBody side = makeSide(&world->domain, s, dt > 0);
        int body = findBody(&side, bodies, bodyCount);
        if (body == 0) return failByBodies("side", wb_domainSideNames[s]);
        coverCells(grid, s, ends[s], (uint8_t)body, mask);
    }
    memcpy(wbGetAir(world)->cutEnds, ends, sizeof ends);
    return wb_okStatus;
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
        const wbSmokeBody made = makeBody(collider, moves);
        int body = findBody(&made, bodies, bodyCount);
        if (body == 0) return failByBodies("collider", collider->name);
        WB_TRY(wbVoxelise(&voxels, &collider->mesh, &pose, world->work.arena, (uint8_t)body, mask));
        ((wbPose *)air->poses.data)[i] = pose;
    }
    return cutSides(world, dt, grid, mask, bodies, bodyCount);
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
