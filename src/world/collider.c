// SPDX-License-Identifier: MIT
// Colliders: colliders that fluids flow around.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "world/collider.h"

#define WB_PARAM_STRUCT wbColliderParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_COLLIDER_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_colliderTable =
    WB_PARAM_TABLE("collider", "a solid that fluids flow around; set by its name", wbColliderParams, rows);

wbColliderDef wbDefaultColliderDef(void) {
    wbColliderDef def = {.name = "collider", .cookie = WB_COLLIDER_COOKIE};
    wbSetParamDefaults(&wb_colliderTable, &def.params);
    return def;
}

static const wbCollider *getCollider(const wbWorld *world, wbColliderId id) {
    return wbGetColliderAt(world, wbGetColliderIndex(world, id));
}

const wbColliderParams *wbCollider_GetParams(const wbWorld *world, wbColliderId id) {
    return &getCollider(world, id)->params;
}
const wbMesh *wbCollider_GetMesh(const wbWorld *world, wbColliderId id) {
    return &getCollider(world, id)->mesh;
}

wbColliderStats wbCollider_GetStats(const wbWorld *world, wbColliderId id) {
    const wbCollider *collider = getCollider(world, id);
    const wbImpulse impulse = wbGetImpulse(world, collider);
    wbColliderStats stats;
    memcpy(stats.position, collider->state.pose.position, sizeof stats.position);
    memcpy(stats.rotation, collider->state.pose.rotation, sizeof stats.rotation);
    memcpy(stats.impulse, impulse.linear, sizeof stats.impulse);
    memcpy(stats.angularImpulse, impulse.angular, sizeof stats.angularImpulse);
    for (int a = 0; a < 3; a++) {
        stats.force[a] = world->lastDt > 0 ? stats.impulse[a] / world->lastDt : 0;
        stats.torque[a] = world->lastDt > 0 ? stats.angularImpulse[a] / world->lastDt : 0;
    }
    return stats;
}

wbPose wbGetRestPose(const wbColliderParams *params) {
    const double half = 0.5 * wb_radians;
    const float angles[3] = {params->rotation.x, params->rotation.y, params->rotation.z};
    wbPose pose = {.rotation = {0, 0, 0, 1}};
    for (int a = 0; a < 3; a++) { // about x first
        wbPose turn = {.rotation = {0, 0, 0, (float)cos(half * angles[a])}};
        turn.rotation[a] = (float)sin(half * angles[a]);
        pose = wbPose_Multiply(&turn, &pose);
    }
    memcpy(pose.position, &params->position, sizeof pose.position);
    return pose;
}

static const char *getName(const wbWorld *world, int index) { return wbGetColliderAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) {
    return &wbGetColliderAt(world, index)->params;
}

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbCollider *collider = wbGetColliderAt(world, index);
    const wbColliderParams *wanted = params;
    bool isPut = memcmp(&wanted->position, &collider->params.position, sizeof wanted->position) != 0;
    WB_TRY(wbCheckColliderParams(world, collider->name, wanted, isPut ? collider->shape : NULL));
    const wbColliderParams before = collider->params;
    memcpy(&collider->params, params, sizeof collider->params);
    if (isPut || memcmp(&wanted->rotation, &before.rotation, sizeof before.rotation) != 0)
        wbReleaseCollider(world, index);
    wbListMover(world, index);
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->followCollider) s->kind->followCollider(s, index, &before);
    if (before.on != collider->params.on) wbBoundCollider(world, index);
    return wb_okStatus;
}

// One that is switched on is suddenly there, one that is switched off is gone.
static wbStatus changeParams(wbWorld *world, int index, const void *params) {
    const wbCollider *collider = wbGetColliderAt(world, index);
    const bool wasOn = collider->params.on, isOn = ((const wbColliderParams *)params)->on;
    if (isOn && !wasOn) {
        WB_TRY(wbPullState(world));
        WB_TRY(wbCheckTrapped(world, collider->name, collider->shape, &collider->state.pose));
    }
    WB_TRY(setParams(world, index, params));
    if (isOn == wasOn) return wb_okStatus;
    wbDisturbSolvers(world);
    wbRecordHostValues(world);
    return wb_okStatus;
}

wbStatus wbCollider_SetOn(wbWorld *world, wbColliderId id, bool isOn) {
    int index = wbGetColliderIndex(world, id);
    wbColliderParams params = wbGetColliderAt(world, index)->params;
    params.on = isOn;
    return changeParams(world, index, &params);
}

const wbObjectKind wb_colliderKind = {&wb_colliderTable, "collider", offsetof(wbWorld, colliderIds),
                                      getName,           getParams,  setParams,
                                      changeParams,      NULL};

// In 2D a face in the plane z = 0 is no cut through the collider either.
static wbStatus checkCut(const wbWorld *world, const char *name, const wbShape *shape) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    if (world->params.dimensions == 3 || (tree->min.z < 0 && tree->max.z > 0)) return wb_okStatus;
    return wbError(
        wb_errorInput,
        "collider \"%s\": in 2D it is cut by the plane z = 0, but it reaches from z = %g to %g: move "
        "its mesh",
        name, tree->min.z, tree->max.z);
}

static bool areSame(const wbMesh *a, const wbMesh *b) {
    return a->vertexCount == b->vertexCount && a->triangleCount == b->triangleCount &&
           memcmp(a->vertices, b->vertices, sizeof(float[3]) * (size_t)a->vertexCount) == 0 &&
           memcmp(a->indices, b->indices, sizeof(uint32_t[3]) * (size_t)a->triangleCount) == 0;
}

static wbStatus makeShape(const wbWorld *world, wbCollider *collider) {
    for (int i = 0; world->elder && i < world->elder->colliderIds.indexCount; i++) {
        const wbCollider *elder = wbGetColliderAt(world->elder, i);
        if (!areSame(&elder->mesh, &collider->mesh)) continue;
        collider->shape = wbShape_Share(elder->shape);
        return wb_okStatus;
    }
    return wbCreateShape(world->memory, &collider->mesh, &collider->shape);
}

static wbStatus addCollider(wbWorld *world, wbCollider *collider, const char *name, uint32_t index1) {
    int count = world->colliderIds.indexCount;
    if (count >= WB_MAX_COLLIDERS)
        return wbError(wb_errorInput, "a world has at most %d colliders", WB_MAX_COLLIDERS);
    WB_TRY(wbCheckPlainName(world, "collider", name));
    WB_TRY(wbCheckColliderParams(world, name, &collider->params, NULL));
    wbStatus status = makeShape(world, collider);
    if (!wbIsOk(status)) return wbError(status.code, "collider \"%s\": %s", name, status.text);
    WB_TRY(checkCut(world, name, collider->shape));
    if (index1 == 0) { // a saved one stands where it stood
        WB_TRY(wbCheckColliderParams(world, name, &collider->params, collider->shape));
        WB_TRY(wbPullState(world));
        if (collider->params.on) WB_TRY(wbCheckTrapped(world, name, collider->shape, &collider->state.pose));
    }
    if (!wbArray_Reserve(world->memory, &world->colliders, count + 1) ||
        !wbArray_Reserve(world->memory, &world->movers, count + 1) ||
        !wbBroadPhase_Reserve(world->memory, &world->colliderBoxes, count + 1))
        return wbMemoryError(world->memory, "a collider needs");
    snprintf(collider->name, sizeof collider->name, "%s", name);
    WB_TRY(wbSampleCollider(world, collider));
    wbStatus taken = wbTakeObjectId(world, &wb_colliderKind, index1);
    if (!wbIsOk(taken)) {
        for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
            l->isBoundaryStale = true; // it has one collider too many
        return taken;
    }
    wbFindMiddle(collider);
    *wbGetColliderAt(world, count) = *collider;
    wbBroadPhase_SetCount(&world->colliderBoxes, count + 1);
    wbBoundCollider(world, count);
    wbListAllMovers(world); // continuous collision is made anew with all of them
    return wb_okStatus;
}

wbStatus wbAddCollider(wbWorld *world, const char *name, const wbColliderParams *params, wbMesh *mesh,
                       uint32_t index1) {
    wbCollider collider = {
        .params = *params, .mesh = *mesh, .mechanism = -1, .part = -1, .state.pose = wbGetRestPose(params)};
    collider.hostState = collider.state;
    *mesh = (wbMesh){0};
    wbStatus status = addCollider(world, &collider, name, index1);
    if (wbIsOk(status)) return status;
    wbDestroyShape(collider.shape);
    wbFreeMesh(&collider.mesh);
    return status;
}

wbStatus wbDestroyCollider(wbWorld *world, wbColliderId id) {
    int index = wbGetColliderIndex(world, id);
    wbCollider *collider = wbGetColliderAt(world, index);
    if (collider->mechanism >= 0)
        return wbError(wb_errorInput, "collider \"%s\": mechanism \"%s\" moves it: destroy that first",
                       collider->name, wbGetMechanismAt(world, collider->mechanism)->name);
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->dropCollider) s->kind->dropCollider(s, index);
    wbDestroyShape(collider->shape);
    wbFreeMesh(&collider->mesh);
    wbDropObject(world, &wb_colliderKind, &world->colliders, index);
    wbBroadPhase_Remove(&world->colliderBoxes, index);
    wbBroadPhase_Update(&world->colliderBoxes);
    wbListAllMovers(world);
    world->isCollisionStale = true;
    wbDisturbSolvers(world);
    wbRecordHostValues(world);
    return wb_okStatus;
}

wbStatus wbCreateCollider(wbWorld *world, const wbColliderDef *def, wbColliderId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    wbMesh mesh;
    WB_ASSERT(def && def->cookie == WB_COLLIDER_COOKIE, "make the def with wbDefaultColliderDef");
    WB_ASSERT(def->pathCount >= 0 && (def->path || def->pathCount == 0), "the points of a path are missing");
    wbRequireMesh(def->mesh);
    wbStatus status = wbCheckParams(&wb_colliderTable, &def->params);
    if (wbIsOk(status)) status = wbMakeColliderMesh(def, world->params.dimensions, &mesh);
    if (!wbIsOk(status)) return wbError(status.code, "collider \"%s\": %s", def->name, status.text);
    WB_TRY(wbAddCollider(world, def->name, &def->params, &mesh, 0));
    wbDisturbSolvers(world);
    *id = wbWorld_GetCollider(world, world->colliderIds.indexCount - 1);
    return wb_okStatus;
}
