// SPDX-License-Identifier: MIT
// How a collider gets elsewhere: it sweeps there within a limit of speed, or is put there at once where nothing is in its
// way.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/collider.h"

// m, that the finest of what is there resolves; 0: there is nothing.
static float getFinest(const wbWorld *world) {
    float finest = INFINITY;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->getResolution) finest = fminf(finest, s->kind->getResolution(s));
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
    WB_TRY(wbCheckParamsOf(name, &wb_colliderTable, params));
    if (world->params.dimensions == 2 && (params->rotation.x != 0 || params->rotation.y != 0))
        return wbError(wb_errorInput,
                       "collider \"%s\": in 2D its rotation is about z only: 0,0,angle, not %g,%g,%g", name,
                       params->rotation.x, params->rotation.y, params->rotation.z);
    if (world->params.dimensions == 2 && params->position.z != 0)
        return wbError(wb_errorInput, "collider \"%s\": in 2D its position is x,y, not %g,%g,%g", name,
                       params->position.x, params->position.y, params->position.z);
    return shape ? checkReach(world, name, params, shape) : wb_okStatus;
}

bool wbIsNearer(const wbShape *shape, const wbPose *pose, wbVec3 point, float margin) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const wbVec3 local = wbPose_ApplyInverse(pose, point), away = wbSub(local, tree->centre);
    if (sqrtf(wbDot(away, away)) > tree->radius + margin) return false;
    return wbShape_FindSurface(shape, local).distance < margin;
}

wbStatus wbCheckTrapped(const wbWorld *world, const char *name, const wbShape *shape, const wbPose *pose) {
    int64_t count = 0;
    char parts[WB_SOLVER_COUNT * 40] = "";
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        const size_t length = strlen(parts);
        int64_t own = s->self && s->kind->countTrapped ? s->kind->countTrapped(s, shape, pose) : 0;
        if (own == 0) continue;
        snprintf(parts + length, sizeof parts - length, "%s%lld of %s", count > 0 ? ", " : "", (long long)own,
                 s->kind->info.moves);
        count += own;
    }
    if (count == 0) return wb_okStatus;
    return wbError(wb_errorInput,
                   "collider \"%s\": %lld particles (%s) would be in it, or too near to it: put it where "
                   "there is room, and let it sweep to here by its position and rotation",
                   name, (long long)count, parts);
}

float wbGetSpeedLimit(const wbWorld *world, const wbColliderParams *params) {
    float most = INFINITY;
    if (params->speed > 0) return params->speed;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->getColliderSpeed) most = fminf(most, s->kind->getColliderSpeed(s));
    return most;
}

static wbCollider *getCollider(wbWorld *world, wbColliderId id) {
    return wbGetColliderAt(world, wbGetColliderIndex(world, id));
}

wbStatus wbCollider_MoveTo(wbWorld *world, wbColliderId id, wbVec3 position, wbVec3 rotation) {
    wbCollider *collider = getCollider(world, id);
    wbColliderParams params = collider->params;
    params.position = position, params.rotation = rotation;
    WB_TRY(wbCheckColliderParams(world, collider->name, &params, collider->shape));
    collider->params = params;
    wbReleaseCollider(world, wbGetColliderIndex(world, id));
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
    wbReleaseCollider(world, wbGetColliderIndex(world, id));
    collider->state.pose = pose;
    collider->hostState = collider->state;
    wbBoundCollider(world, wbGetColliderIndex(world, id));
    for (int k = 0; k < 3; k++) collider->motion[k] = (wbMotion){.pose = pose};
    wbDisturbSolvers(world);
    wbRecordHostValues(world);
    return wb_okStatus;
}
