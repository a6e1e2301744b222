// SPDX-License-Identifier: MIT
// The part of a step in which solids move, and its state as hashing and going back see it.
#include "world/solid.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"

// Where it is a share of the step after the start, moving evenly to its end.
static wbMotion moveEvenly(const wbPose *from, const wbPose *to, float share, float dt) {
    wbMotion motion;
    const wbPose back = wbPose_Invert(from), turn = wbPose_Multiply(to, &back);
    const float *q = turn.rotation;
    double sine = sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2]);
    // the short way round; about its axis, by an angle
    double angle = 2 * atan2(sine, fabs((double)q[3])), scale = sine > 0 ? angle / sine : 0;
    if (q[3] < 0) scale = -scale;
    double half = 0.5 * angle * share, part = sine > 0 ? sin(half) / sine : 0;
    wbPose partly = {.rotation = {0, 0, 0, (float)cos(half)}};
    for (int a = 0; a < 3; a++) {
        partly.rotation[a] = (float)((q[3] < 0 ? -part : part) * q[a]);
        motion.spin[a] = (float)(scale * q[a] / dt);
        motion.velocity[a] = (to->position[a] - from->position[a]) / dt;
    }
    motion.pose = wbPose_Multiply(&partly, from);
    for (int a = 0; a < 3; a++)
        motion.pose.position[a] = from->position[a] + share * (to->position[a] - from->position[a]);
    if (share == 0) motion.pose = *from;
    if (share == 1) motion.pose = *to;
    return motion;
}

wbPose wbGetPoseWithin(const wbCollider *collider, float share) {
    const wbPose *from = &collider->motion[wb_atStart].pose, *to = &collider->motion[2].pose;
    if (memcmp(from, to, sizeof *from) == 0) return *from;
    return moveEvenly(from, to, share, 1).pose;
}

// The samples of a solid as the boundary takes them: one array per vector.
static wbStatus addBody(wbWorld *world, const wbCollider *collider, const wbShapeSamples *samples) {
    size_t count = (size_t)samples->count, bytes = sizeof(float[7]) * count;
    float *floats = wbAlloc(world->memory, bytes);
    if (bytes && !floats) return wbMemoryError(world->memory, "the points of a solid need");
    float *points = floats, *normals = floats + 3 * count, *depths = floats + 6 * count;
    for (size_t i = 0; i < count; i++) {
        memcpy(points + 3 * i, &samples->samples[i].position, sizeof(float[3]));
        memcpy(normals + 3 * i, &samples->samples[i].normal, sizeof(float[3]));
        depths[i] = samples->samples[i].depth;
    }
    wbBoundaryBodyDef def = {.count = samples->count,
                             .points = points,
                             .normals = normals,
                             .depths = depths,
                             .isMoving = collider->mechanism >= 0,
                             .isNoSlip = collider->params.slip == wb_slipNone,
                             .adhesion = collider->params.adhesion,
                             .motion.pose = collider->state.pose};
    wbStatus status = wbBoundary_AddBody(&world->boundary, world->memory, &def);
    wbFree(world->memory, floats, bytes);
    return status;
}

static wbStatus createGuard(wbWorld *world) {
    if (!world->isGuardStale) return wb_okStatus;
    int count = world->colliderIds.indexCount;
    size_t bytes = sizeof(wbShape *) * (size_t)count;
    wbDestroyGuardGpu(world->guardGpu);
    wbDestroyGuard(world->guard);
    world->guardGpu = NULL, world->guard = NULL;
    if (!wbArray_Reserve(world->memory, &world->guardPlaces, count))
        return wbMemoryError(world->memory, "the guard of solids needs");
    const wbShape **shapes = wbAlloc(world->memory, bytes);
    if (count > 0 && !shapes) return wbMemoryError(world->memory, "the guard of solids needs");
    for (int i = 0; i < count; i++) shapes[i] = wbGetColliderAt(world, i)->shape;
    wbStatus status = wbCreateGuard(world->memory, shapes, count, &world->guard);
    wbFree(world->memory, shapes, bytes);
    world->isGuardStale = !wbIsOk(status);
    return status;
}

static wbStatus sampleSolid(wbWorld *world, const wbCollider *collider) {
    const wbSphModel *model = &world->sphModel;
    wbShapeSamples samples;
    // twice the reach of the sums: weights count what is behind
    wbStatus status =
        wbShape_Sample(collider->shape, model->spacing, 2 * model->h, model->dimensions, &samples);
    if (wbIsOk(status) && samples.count == 0)
        status = wbError(
            wb_errorInput,
            "it is too small to be felt with a spacing of %g m: make it larger, or the spacing smaller",
            (double)model->spacing);
    if (wbIsOk(status)) status = addBody(world, collider, &samples);
    wbShape_FreeSamples(collider->shape, &samples);
    return wbIsOk(status) ? status : wbError(status.code, "collider \"%s\": %s", collider->name, status.text);
}

// Smoke and soft solids feel the shapes themselves: without a fluid beside them there is nothing to sample.
static bool hasBoundary(const wbWorld *world) {
    return wbWorld_GetFluidCount(world) > 0 || (!world->air && wbWorld_GetSolidCount(world) == 0);
}

wbStatus wbAddSolid(wbWorld *world, const wbCollider *collider) {
    world->isGuardStale = true;
    world->isBoundaryStale |= !hasBoundary(world);
    return world->isBoundaryStale ? wb_okStatus : sampleSolid(world, collider);
}

static wbStatus sampleSolids(wbWorld *world) {
    if (!world->isBoundaryStale || !hasBoundary(world)) return wb_okStatus;
    wbBoundary_Free(world->memory, &world->boundary);
    wbBoundary_Init(&world->boundary);
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        WB_TRY(sampleSolid(world, wbGetColliderAt(world, i)));
    world->isBoundaryStale = false;
    return wb_okStatus;
}

static wbPose findTarget(const wbWorld *world, const wbCollider *collider) {
    wbPose rest = wbGetRestPose(&collider->params);
    if (collider->mechanism < 0) return rest;
    const wbMechanism *mechanism = wbGetMechanismAt(world, collider->mechanism);
    return wbPlacePart(mechanism, &mechanism->next, collider->part, rest);
}

// Water alone turns no wheel faster than sound: one that is too light is thrown to and fro, ever faster, and time steps
// that follow it shrink to nothing.
static wbStatus checkFreeWheel(const wbWorld *world, const wbCollider *collider) {
    if (collider->mechanism < 0) return wb_okStatus;
    const wbMechanism *mechanism = wbGetMechanismAt(world, collider->mechanism);
    const wbMechanismParams *params = &mechanism->params;
    if (params->kind != wb_mechanismWheel || params->drive != wb_driveFree) return wb_okStatus;
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    const wbMotion *motion = &collider->motion[wb_atStart];
    const wbVec3 velocity = wbMakeVec3(motion->velocity[0], motion->velocity[1], motion->velocity[2]),
                 spin = wbMakeVec3(motion->spin[0], motion->spin[1], motion->spin[2]);
    float reach = sqrtf(wbDot(tree->centre, tree->centre)) + tree->radius;
    float speed = sqrtf(wbDot(velocity, velocity)) + reach * sqrtf(wbDot(spin, spin));
    if (speed <= world->sphModel.params.soundSpeed) return wb_okStatus;
    return wbError(
        wb_errorUnstable,
        "the free wheel \"%s\" moves at %.3g m/s, faster than sound in the water: its inertia, %g kg "
        "m2, may be too small",
        mechanism->name, (double)speed, (double)params->inertia);
}

wbStatus wbPrepareSolids(wbWorld *world, float dt) {
    WB_TRY(sampleSolids(world));
    WB_TRY(createGuard(world));
    if (world->gpu && world->guard && !world->guardGpu)
        WB_TRY(wbCreateGuardGpu(world->memory, world->gpu, world->guard, &world->guardGpu));
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->next = wbAdvanceMechanism(mechanism, dt);
    }
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbCollider *collider = wbGetColliderAt(world, i);
        wbPose target = findTarget(world, collider);
        for (int k = 0; k < 3; k++)
            collider->motion[k] = moveEvenly(&collider->state.pose, &target, 0.5f * (float)k, dt);
        WB_TRY(checkFreeWheel(world, collider));
        if (hasBoundary(world)) wbBoundary_SetMotion(&world->boundary, i, collider->motion);
    }
    world->solidsDt = dt;
    // what solids drag along is no runaway
    world->energySpeed = fmax(world->energySpeed, wbBoundary_GetTopSpeed(&world->boundary));
    return wb_okStatus;
}

static const wbGuardPlace *placeGuard(wbWorld *world, wbBoundaryTime from, wbBoundaryTime to) {
    wbGuardPlace *places = world->guardPlaces.data;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbMotion *motion = wbGetColliderAt(world, i)->motion;
        places[i] = (wbGuardPlace){motion[from].pose, motion[to]};
    }
    return places;
}

// How far water may go that has no point of a solid within h: such a point is never farther than 1.5 spacings from
// any place of the surface (tests/test_shape_sample.c), and the solids move too.
static float findMargin(const wbWorld *world) {
    const wbSphModel *model = &world->sphModel;
    return model->h - 1.5f * model->spacing - world->solidsDt * wbBoundary_GetTopSpeed(&world->boundary);
}

// After a drift of the water.
static void guardWater(const wbSphDrift *drift, const wbWork *work, void *context) {
    wbWorld *world = context;
    const wbGuardPlace *places = placeGuard(world, drift->from, drift->to);
    wbGuardPoints points = {.count = drift->count,
                            .isFlat = world->params.dimensions == 2,
                            .beforeX = drift->beforeX,
                            .beforeY = drift->beforeY,
                            .beforeZ = drift->beforeZ,
                            .x = drift->x,
                            .y = drift->y,
                            .z = drift->z,
                            .vx = drift->vx,
                            .vy = drift->vy,
                            .vz = drift->vz,
                            .nearness = drift->wallSums,
                            .margin = findMargin(world)};
    world->squeezed += wbGuard_Run(world->guard, work->pool, places, &points).lost;
}

static wbStatus guardWaterOnDevice(const wbSphGpuDrift *drift, void *context) {
    wbWorld *world = context;
    wbGuardBuffers buffers = {.count = drift->count, .isFlat = world->params.dimensions == 2};
    for (int a = 0; a < 3; a++) {
        buffers.before[a] = drift->before[a];
        buffers.position[a] = drift->position[a], buffers.velocity[a] = drift->velocity[a];
    }
    return wbGuardGpu_Run(world->guardGpu, placeGuard(world, drift->from, drift->to), &buffers);
}

int64_t wbCountSqueezed(wbWorld *world) {
    wbGuardCounts counts;
    if (world->guardGpu && wbIsOk(wbGuardGpu_TakeCounts(world->guardGpu, &counts)))
        world->squeezed += counts.lost;
    return world->squeezed;
}

const wbSphSolids *wbGetSphSolids(wbWorld *world, wbSphSolids *solids) {
    if (world->colliderIds.indexCount == 0 || !hasBoundary(world)) return NULL;
    *solids = (wbSphSolids){&world->boundary, guardWater, guardWaterOnDevice, world};
    return solids;
}

void wbSettleSolids(wbWorld *world, float dt) {
    world->solidSpeed = wbBoundary_GetTopSpeed(&world->boundary);
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbCollider *collider = wbGetColliderAt(world, i);
        collider->state.pose = collider->motion[2].pose;
        if (!hasBoundary(world)) continue;
        const wbBoundaryBody *body = wbBoundary_GetBody(&world->boundary, i);
        memcpy(collider->force, body->force, sizeof collider->force);
        memcpy(collider->torque, body->torque, sizeof collider->torque);
    }
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->state = mechanism->next;
        wbTurnFreeWheel(mechanism, wbMechanism_GetStats(world, wbWorld_GetMechanism(world, i)).torque, dt);
    }
}

uint64_t wbHashSolids(const wbWorld *world, uint64_t hash) {
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetColliderAt(world, i)->state, sizeof(wbColliderState));
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetMechanismAt(world, i)->state, sizeof(wbMechanismState));
    return hash;
}

void wbKeepSolids(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        wbGetColliderAt(world, i)->keptState = wbGetColliderAt(world, i)->state;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->keptState = wbGetMechanismAt(world, i)->state;
}

void wbRestoreSolids(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        wbGetColliderAt(world, i)->state = wbGetColliderAt(world, i)->keptState;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->state = wbGetMechanismAt(world, i)->keptState;
}

void wbFreeSolids(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbDestroyShape(wbGetColliderAt(world, i)->shape);
        wbFreeMesh(&wbGetColliderAt(world, i)->mesh);
    }
    wbBoundary_Free(world->memory, &world->boundary);
    wbDestroyGuard(world->guard);
    wbArray_Free(world->memory, &world->guardPlaces);
    wbIdPool_Free(world->memory, &world->colliderIds);
    wbIdPool_Free(world->memory, &world->mechanismIds);
    wbArray_Free(world->memory, &world->colliders);
    wbArray_Free(world->memory, &world->mechanisms);
}
