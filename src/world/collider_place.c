// SPDX-License-Identifier: MIT
// How a collider gets elsewhere: it sweeps there within a limit of speed, or is put there at once where nothing is in its
// way.
#include <math.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

// What is nearer to a surface than this is pushed away from it: in spacings, of fluids, and in contact radii, of soft
// colliders. Still SPH water, 0.4 m deep, below a lid that was put above it: 0.5 spacings stir it with 2 % of its potential
// energy, 0.1 with 180 %, 0.7 with nothing.
#define WB_NEAREST_FLUID 0.75f
#define WB_NEAREST_SOFT  0.75f

// m, that the finest of what is there resolves; 0: there is nothing.
static float getFinest(const wbWorld *world) {
    float finest = INFINITY;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->kind->getResolution && s->kind->isUsed(s)) finest = fminf(finest, s->kind->getResolution(s));
    return isfinite(finest) ? finest : 0;
}

// As blocks are: where floats are too coarse, a collider is not where it was put, and its points are not on a lattice.
static wbStatus checkReach(const wbWorld *world, const char *name, const wbColliderParams *params,
                           const wbShape *shape) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const float position[3] = {params->position.x, params->position.y, params->position.z};
    float reach = sqrtf(wbDot(tree->centre, tree->centre)) + tree->radius, finest = getFinest(world);
    for (int a = 0; a < 3 && finest > 0; a++) {
        float farthest = fabsf(position[a]) + reach, step = nextafterf(farthest, INFINITY) - farthest;
        if (step > 0.125f * finest)
            return wbError(wb_errorInput,
                           "collider \"%s\": it reaches to %c = %g m, where positions are rounded to %.2g m, "
                           "too coarse beside a spacing of %g m: put it nearer to 0",
                           name, "xyz"[a], copysignf(farthest, position[a]), step, finest);
    }
    return wb_okStatus;
}

wbStatus wbCheckColliderParams(const wbWorld *world, const char *name, const wbColliderParams *params,
                               const wbShape *shape) {
    WB_TRY(wbCheckParams(wbGetObjectParams("collider"), params));
    if (world->params.dimensions == 2 && (params->rotation.x != 0 || params->rotation.y != 0))
        return wbError(wb_errorInput,
                       "collider \"%s\": in 2D its rotation is about z only: 0,0,angle, not %g,%g,%g", name,
                       params->rotation.x, params->rotation.y, params->rotation.z);
    if (world->params.dimensions == 2 && params->position.z != 0)
        return wbError(wb_errorInput, "collider \"%s\": in 2D its position is x,y, not %g,%g,%g", name,
                       params->position.x, params->position.y, params->position.z);
    return shape ? checkReach(world, name, params, shape) : wb_okStatus;
}

static bool isNearer(const wbShape *shape, const wbPose *pose, wbVec3 point, float margin) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const wbVec3 local = wbPose_ApplyInverse(pose, point), away = wbSub(local, tree->centre);
    if (sqrtf(wbDot(away, away)) > tree->radius + margin) return false;
    return wbShape_FindSurface(shape, local).distance < margin;
}

wbStatus wbCheckTrapped(const wbWorld *world, const char *name, const wbShape *shape, const wbPose *pose) {
    const wbPbd *pbd = &world->soft->pbd;
    int64_t fluid = 0, soft = 0;
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) {
        const wbParticles *p = world->pools[s].particles;
        for (int i = 0; i < p->count; i++)
            fluid += isNearer(shape, pose, wbMakeVec3(p->x[i], p->y[i], p->z[i]),
                              WB_NEAREST_FLUID * world->pools[s].spacing);
    }
    // before the first step colliders and colliders come in any order, and part when it is done
    for (int i = 0; i < pbd->count && world->stepCount > 0; i++)
        soft += isNearer(shape, pose, wbMakeVec3(pbd->x[i], pbd->y[i], pbd->z[i]),
                         WB_NEAREST_SOFT * world->soft->model.params.radius);
    if (fluid + soft == 0) return wb_okStatus;
    return wbError(wb_errorInput,
                   "collider \"%s\": %lld particles (%lld of soft bodies) would be in it, or too near to it: "
                   "put it where there is room, and let it sweep to here by its position and rotation",
                   name, (long long)(fluid + soft), (long long)soft);
}

float wbGetSpeedLimit(const wbWorld *world, const wbColliderParams *params) {
    float most = INFINITY;
    if (params->speed > 0) return params->speed;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->kind->getColliderSpeed && s->kind->isUsed(s)) most = fminf(most, s->kind->getColliderSpeed(s));
    return most;
}

static wbCollider *getCollider(wbWorld *world, wbColliderId id) {
    WB_ASSERT(wbCollider_IsValid(world, id), "this collider id is null, stale or of another world");
    return wbGetColliderAt(world, (int)id.index1 - 1);
}

wbStatus wbCollider_MoveTo(wbWorld *world, wbColliderId id, wbVec3 position, wbVec3 rotation) {
    wbCollider *collider = getCollider(world, id);
    wbColliderParams params = collider->params;
    params.position = position, params.rotation = rotation;
    WB_TRY(wbCheckColliderParams(world, collider->name, &params, collider->shape));
    collider->params = params;
    return wb_okStatus;
}

wbStatus wbCollider_Place(wbWorld *world, wbColliderId id, wbVec3 position, wbVec3 rotation) {
    wbCollider *collider = getCollider(world, id);
    wbColliderParams params = collider->params;
    params.position = position, params.rotation = rotation;
    if (collider->mechanism >= 0)
        return wbError(wb_errorInput,
                       "collider \"%s\": mechanism \"%s\" says where it is; it can only be moved",
                       collider->name, wbGetMechanismAt(world, collider->mechanism)->name);
    WB_TRY(wbCheckColliderParams(world, collider->name, &params, collider->shape));
    WB_TRY(wbPullState(world));
    wbPose pose = wbGetRestPose(&params);
    WB_TRY(wbCheckTrapped(world, collider->name, collider->shape, &pose));
    collider->params = params;
    collider->state.pose = pose;
    collider->snapshotState = collider->state;
    for (int k = 0; k < 3; k++) collider->motion[k] = (wbMotion){.pose = pose};
    for (wbSolver *other = world->solvers; other < world->solvers + WB_SOLVER_COUNT; other++)
        if (other->kind->disturb && other->kind->isUsed(other)) other->kind->disturb(other);
    wbSnapshotValues(world);
    return wb_okStatus;
}
