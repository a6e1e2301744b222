// SPDX-License-Identifier: MIT
// Soft bodies as objects of a world: creation, views, pins.
#include "world/soft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "shape/mesh.h"

#define WB_PARAM_STRUCT wbSoftBodyParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_SOFT_BODY_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_softBodyTable =
    WB_PARAM_TABLE("softBody", "a soft body; set by its name", wbSoftBodyParams, rows);

wbSoftBodyDef wbDefaultSoftBodyDef(void) {
    wbSoftBodyDef def = {.name = "softBody", .cookie = WB_SOFT_BODY_COOKIE};
    wbSetParamDefaults(&wb_softBodyTable, &def.params);
    return def;
}

wbStatus wbCreateSoft(wbSolver *solver) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self = wbAllocZero(world->memory, sizeof *soft);
    if (!soft) return wbMemoryError(world->memory, "soft bodies need");
    wbPbd_Init(&soft->pbd);
    wbDragPieces_Init(&soft->air.pieces);
    soft->model.params = world->def.pbd;
    soft->bodies.elementSize = sizeof(wbSoftBody);
    soft->triangles.elementSize = sizeof(int[3]);
    soft->numbers.elementSize = sizeof(uint32_t);
    soft->clearances.elementSize = sizeof(wbClearance);
    wbSoftContacts_Init(&soft->rigid.contacts);
    wbPbdSurface_Init(&soft->surface.pairs);
    soft->rigid.ties.elementSize = sizeof(wbSoftTie);
    soft->model.domain = &world->domain;
    return wb_okStatus;
}

void wbDestroySoft(wbSolver *solver) {
    const wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    wbPbd_Free(world->memory, &soft->pbd);
    wbDragPieces_Free(world->memory, &soft->air.pieces);
    wbArray_Free(world->memory, &soft->bodies);
    wbArray_Free(world->memory, &soft->triangles);
    wbArray_Free(world->memory, &soft->numbers);
    wbArray_Free(world->memory, &soft->clearances);
    wbSoftContacts_Free(world->memory, &soft->rigid.contacts);
    wbPbdSurface_Free(world->memory, &soft->surface.pairs);
    wbArray_Free(world->memory, &soft->rigid.ties);
    wbFree(world->memory, soft, sizeof *soft);
}

wbStatus wbCheckRadius(const wbDomain *domain, float radius) {
    float width;
    int axis = wbDomain_FindNarrow(domain, 2 * radius, &width);
    if (axis < 0) return wb_okStatus;
    return wbError(wb_errorInput,
                   "pbd.radius is %g m, but the domain is %g m wide along %c: make it at most half "
                   "of that, or the domain wider",
                   radius, width, "xyz"[axis]);
}

static wbSoftBody *getBody(const wbWorld *world, wbSoftBodyId id) {
    return wbGetSoftBodyAt(world, wbGetSoftBodyIndex(world, id));
}

const wbSoftBodyParams *wbSoftBody_GetParams(const wbWorld *world, wbSoftBodyId id) {
    return &getBody(world, id)->params;
}
int wbSoftBody_GetParticleCount(const wbWorld *world, wbSoftBodyId id) {
    return getBody(world, id)->particles.count;
}
float wbSoftBody_GetContactRadius(const wbWorld *world, wbSoftBodyId id) {
    (void)getBody(world, id); // it is one for all of them
    return wbWorld_GetPbdParams(world)->radius;
}
const wbPbdParams *wbWorld_GetPbdParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->def.pbd;
}

static const char *getName(const wbWorld *world, int index) { return wbGetSoftBodyAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) {
    return &wbGetSoftBodyAt(world, index)->params;
}

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    WB_TRY(wbCheckParams(&wb_softBodyTable, params));
    WB_TRY(wbCheckSelfContact(params));
    WB_TRY(wbCheckThickness(world, wbGetSoftBodyAt(world, index), params));
    wbCloseSoftAccount(world);
    memcpy(&wbGetSoftBodyAt(world, index)->params, params, sizeof(wbSoftBodyParams));
    return wb_okStatus;
}

const wbObjectKind wb_softBodyKind = {&wb_softBodyTable,
                                      "soft body",
                                      offsetof(wbWorld, softBodyIds),
                                      getName,
                                      getParams,
                                      setParams,
                                      NULL,
                                      NULL};

static bool reserveNumbers(wbWorld *world) {
    wbSoft *soft = wbGetSoft(world);
    if (!wbArray_Reserve(world->memory, &soft->numbers, soft->pbd.count) ||
        !wbArray_Reserve(world->memory, &soft->clearances, soft->pbd.count))
        return false;
    for (int i = 0; i < soft->pbd.count; i++) ((uint32_t *)soft->numbers.data)[i] = (uint32_t)i;
    return true;
}

wbStatus wbAddSoft(wbWorld *world, const char *name, wbSoftBody *body, uint32_t index1) {
    wbSoft *soft = wbGetSoft(world);
    int index = world->softBodyIds.indexCount;
    snprintf(body->name, sizeof body->name, "%s", name);
    if (!wbArray_Reserve(world->memory, &soft->bodies, index + 1) || !reserveNumbers(world))
        return wbMemoryError(world->memory, "a body needs");
    WB_TRY(wbTakeObjectId(world, &wb_softBodyKind, index1));
    *wbGetSoftBodyAt(world, index) = *body;
    wbCloseSoftAccount(world);
    return wb_okStatus;
}

// The last one goes again if it is in a fluid.
static wbStatus checkRoom(wbWorld *world) {
    const int index = world->softBodyIds.indexCount - 1;
    const wbStatus status = wbCheckSoftRoom(world, index);
    if (!wbIsOk(status)) (void)wbDestroySoftBody(world, wbWorld_GetSoftBody(world, index));
    return status;
}

wbStatus wbCreateSoftBody(wbWorld *world, const wbSoftBodyDef *def, wbSoftBodyId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_SOFT_BODY_COOKIE, "make the def with wbDefaultSoftBodyDef");
    WB_ASSERT(def->pinCount >= 0 && (def->pins || def->pinCount == 0), "the pins are missing");
    wbRequireMesh(def->mesh);
    WB_TRY(wbCheckPlainName(world, "soft body", def->name));
    if (world->params.dimensions != 3)
        return wbError(wb_errorInput, "soft body \"%s\": soft bodies live in 3 dimensions, this world has 2",
                       def->name);
    if (wbWorld_GetSoftBodyCount(world) >= WB_MAX_SOFT_BODIES)
        return wbError(wb_errorInput, "a world has at most %d bodies", WB_MAX_SOFT_BODIES);
    WB_TRY(wbPullState(world));
    wbSolver *solver = &world->solvers[wb_solverIndex_pbd];
    bool isFirst = !solver->self;
    WB_TRY(wbSolver_Create(solver));
    wbStatus status = wbBuildSoft(world, def);
    if (wbIsOk(status)) {
        status = checkRoom(world);
    } else if (isFirst) {
        wbSolver_Destroy(solver);
    }
    if (!wbIsOk(status)) return wbError(status.code, "soft body \"%s\": %s", def->name, status.text);
    wbMarkStateDirty(world);
    *id = wbWorld_GetSoftBody(world, wbWorld_GetSoftBodyCount(world) - 1);
    return wb_okStatus;
}

// Its triangles go, and those behind them move up and follow their particles.
static void removeTriangles(wbSoft *soft, const wbSoftBody *body) {
    int *triangles = soft->triangles.data;
    const wbColumn column = {"triangles", &soft->triangles.data, sizeof(int[3]), true};
    const int end = body->firstTriangle + body->triangleCount;
    if (soft->triangleCount == 0) return;
    wbRemoveRange(&column, 1, body->firstTriangle, end, soft->triangleCount);
    soft->triangleCount -= body->triangleCount;
    for (int k = 3 * body->firstTriangle; k < 3 * soft->triangleCount; k++)
        triangles[k] -= body->particles.count;
}

static void removeBody(wbWorld *world, int index) {
    wbSoft *soft = wbGetSoft(world);
    const wbSoftBody gone = *wbGetSoftBodyAt(world, index);
    removeTriangles(soft, &gone);
    wbDropSoftTies(soft, gone.particles);
    wbDropWetSoft(world, gone.particles.first, gone.particles.count);
    wbPbd_RemoveBody(&soft->pbd,
                     (wbPbdRange){gone.particles.first, gone.particles.first + gone.particles.count},
                     (wbPbdRange){gone.firstConstraint, gone.firstConstraint + gone.constraintCount});
    wbDropObject(world, &wb_softBodyKind, &soft->bodies, index);
    for (int i = index; i < world->softBodyIds.indexCount; i++) {
        wbSoftBody *body = wbGetSoftBodyAt(world, i);
        body->particles.first -= gone.particles.count;
        body->firstConstraint -= gone.constraintCount, body->firstTriangle -= gone.triangleCount;
    }
}

wbStatus wbDestroySoftBody(wbWorld *world, wbSoftBodyId id) {
    int index = wbGetSoftBodyIndex(world, id);
    WB_TRY(wbPullState(world));
    removeBody(world, index);
    if (world->softBodyIds.indexCount == 0)
        wbSolver_Destroy(&world->solvers[wb_solverIndex_pbd]);
    else
        wbCloseSoftAccount(world);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

wbStatus wbSoftBody_GetView(wbWorld *world, wbSoftBodyId id, wbView *view) {
    WB_REQUIRE(world);
    WB_REQUIRE(view);
    const wbPbdBody body = getBody(world, id)->particles;
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    WB_TRY(wbPullState(world));
    *view = (wbView){.count = body.count,
                     .stride = 1,
                     .x = pbd->x + body.first,
                     .y = pbd->y + body.first,
                     .z = pbd->z + body.first,
                     .vx = pbd->vx + body.first,
                     .vy = pbd->vy + body.first,
                     .vz = pbd->vz + body.first,
                     .id = (const uint32_t *)wbGetSoft(world)->numbers.data + body.first};
    return wb_okStatus;
}

wbSoftBodyMesh wbSoftBody_GetMesh(const wbWorld *world, wbSoftBodyId id) {
    const wbSoftBody *body = getBody(world, id);
    const wbSoft *soft = wbGetSoft(world);
    wbSoftBodyMesh mesh = {.firstParticle = body->particles.first,
                           .constraintCount = body->constraintCount,
                           .triangleCount = body->triangleCount};
    if (body->constraintCount > 0)
        mesh.first = soft->pbd.first + body->firstConstraint,
        mesh.second = soft->pbd.second + body->firstConstraint,
        mesh.restLength = soft->pbd.rest + body->firstConstraint;
    if (body->triangleCount > 0) mesh.triangles = wbSoft_GetTriangles(soft, body->firstTriangle);
    return mesh;
}

wbStatus wbSoftBody_Pin(wbWorld *world, wbSoftBodyId id, int particle, bool isPinned) {
    WB_REQUIRE(world);
    const wbSoftBody *body = getBody(world, id);
    WB_ASSERT(particle >= 0 && particle < body->particles.count, "the body has no such particle");
    WB_TRY(wbPullState(world));
    int i = body->particles.first + particle;
    wbPbd *pbd = &wbGetSoft(world)->pbd;
    pbd->w[i] = isPinned ? 0 : 1 / body->particleMass;
    if (isPinned) pbd->vx[i] = pbd->vy[i] = pbd->vz[i] = 0;
    wbPbd_ForgetMotion(pbd, i);
    wbCloseSoftAccount(world);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

wbStatus wbSoftBody_MovePin(wbWorld *world, wbSoftBodyId id, int particle, wbVec3 position) {
    WB_REQUIRE(world);
    const wbSoftBody *body = getBody(world, id);
    wbPbd *pbd = &wbGetSoft(world)->pbd;
    int i = body->particles.first + particle;
    WB_ASSERT(particle >= 0 && particle < body->particles.count, "the body has no such particle");
    WB_ASSERT(pbd->w[i] == 0, "only a pinned particle can be moved");
    if (!(fabsf(position.x) <= 1e9f && fabsf(position.y) <= 1e9f && fabsf(position.z) <= 1e9f))
        return wbError(wb_errorInput, "a pin at (%g, %g, %g) m, allowed is -1e+09 to 1e+09 each", position.x,
                       position.y, position.z);
    WB_TRY(wbPullState(world));
    pbd->x[i] = position.x, pbd->y[i] = position.y, pbd->z[i] = position.z;
    wbGetSoft(world)->account.isDriven = true;
    wbMarkStateDirty(world);
    return wb_okStatus;
}

wbStatus wbSoftBody_GetPins(wbWorld *world, wbSoftBodyId id, int *particles, int capacity, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (particles || capacity == 0), "there is no room for pins");
    const int body = wbGetSoftBodyIndex(world, id);
    *count = 0;
    for (int i = 0; i < wbGetSoftBodyAt(world, body)->particles.count; i++) {
        if (!wbIsPinned(world, body, i)) continue;
        if (*count < capacity) particles[*count] = i;
        (*count)++;
    }
    return wb_okStatus;
}

int wbWorld_GetConstraintCount(const wbWorld *world) {
    WB_REQUIRE(world);
    return wbGetSoft(world) ? wbGetSoft(world)->pbd.constraintCount : 0;
}
uint64_t wbWorld_HashConstraints(const wbWorld *world) {
    static const wbPbd none = {0};
    WB_REQUIRE(world);
    return wbPbd_HashConstraints(wbGetSoft(world) ? &wbGetSoft(world)->pbd : &none);
}
wbStatus wbWorld_GetColours(wbWorld *world, int *colours) {
    WB_REQUIRE(world);
    WB_REQUIRE(colours);
    return wbGetSoft(world) ? wbPbd_GetColours(&wbGetSoft(world)->pbd, &world->work, colours) : wb_okStatus;
}
wbStatus wbWorld_SetColours(wbWorld *world, const int *colours) {
    WB_REQUIRE(world);
    WB_REQUIRE(colours);
    return wbGetSoft(world) ? wbPbd_SetColours(&wbGetSoft(world)->pbd, &world->work, colours) : wb_okStatus;
}

wbStatus wbWorld_GetLengthError(wbWorld *world, double *error) {
    WB_REQUIRE(world);
    WB_REQUIRE(error);
    WB_TRY(wbPullState(world));
    *error = wbGetSoft(world) ? wbPbd_GetLengthError(&wbGetSoft(world)->pbd) : 0;
    return wb_okStatus;
}
