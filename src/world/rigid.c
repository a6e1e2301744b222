// SPDX-License-Identifier: MIT
// Rigid bodies as objects of a world: creation, parameters, destruction.
#include "world/rigid.h"

#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "world/collider.h"

#define WB_PARAM_STRUCT wbRigidBodyParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_RIGID_BODY_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_rigidBodyTable =
    WB_PARAM_TABLE("rigidBody", "a rigid body; set by its name", wbRigidBodyParams, rows);

wbRigidBodyDef wbDefaultRigidBodyDef(void) {
    wbRigidBodyDef def = {.cookie = WB_RIGID_BODY_COOKIE};
    wbSetParamDefaults(&wb_rigidBodyTable, &def.params);
    return def;
}

wbRigidPartDef wbDefaultRigidPartDef(void) {
    const wbRigidBodyParams params = wbDefaultRigidBodyDef().params;
    return (wbRigidPartDef){.shape = params.shape,
                            .size = params.size,
                            .radius = params.radius,
                            .height = params.height,
                            .cookie = WB_RIGID_PART_COOKIE};
}

const wbRigidBodyParams *wbRigidBody_GetParams(const wbWorld *world, wbRigidBodyId id) {
    return &wbGetRigidBodyAt(world, wbGetRigidBodyIndex(world, id))->params;
}
const wbRigidParams *wbWorld_GetRigidParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->def.rigid;
}

// Forms

static int findForm(const wbRigidBodies *bodies, const wbRigidRecipe *recipe) {
    for (int i = bodies->formCount - 1; i >= 0; i--) { // the one that came last is the likeliest
        const wbRigidForm *form = wbGetRigidForm(bodies, i);
        if (form->owners > 0 && form->recipe.hash == recipe->hash && form->recipe.size == recipe->size &&
            memcmp(form->recipe.bytes, recipe->bytes, recipe->size) == 0)
            return i;
    }
    return -1;
}

// The place of a form without owners, or a new one behind all others.
static int findFree(const wbRigidBodies *bodies) {
    for (int i = 0; i < bodies->formCount; i++)
        if (wbGetRigidForm(bodies, i)->owners == 0) return i;
    return bodies->formCount;
}

static wbStatus takeForm(wbWorld *world, const wbRigidRecipe *recipe, int *found) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    int index = findForm(bodies, recipe);
    if (index < 0) {
        index = findFree(bodies);
        if (!wbArray_Reserve(world->memory, &bodies->forms, index + 1))
            return wbMemoryError(world->memory, "%d shapes of rigid bodies need", index + 1);
        WB_TRY(wbMakeRigidForm(world->memory, recipe, wbGetRigidForm(bodies, index)));
        if (index == bodies->formCount) bodies->formCount++;
    }
    wbGetRigidForm(bodies, index)->owners++;
    *found = index;
    return wb_okStatus;
}

static void leaveForm(wbWorld *world, int index) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    wbRigidForm *form = wbGetRigidForm(bodies, index);
    if (--form->owners > 0) return;
    wbFreeRigidForm(world->memory, form);
    while (bodies->formCount > 0 && wbGetRigidForm(bodies, bodies->formCount - 1)->owners == 0)
        bodies->formCount--;
}

// Mass

static bool isChosen(float value) { return !isnan(value); }

// Where its mass is, in the frame of its origin: by its shape, or as its parameters say.
static wbMassProperties getSolid(const wbRigidForm *form, const wbRigidBodyParams *p, double mass) {
    wbMassProperties solid = form->solid;
    const float centre[3] = {p->centreX, p->centreY, p->centreZ};
    const double inertia[3] = {p->inertia.x, p->inertia.y, p->inertia.z};
    for (int k = 0; k < 3; k++)
        if (isChosen(centre[k])) solid.centre[k] = (double)centre[k];
    if (inertia[0] == 0 && inertia[1] == 0 && inertia[2] == 0) return solid;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) solid.inertia[i][j] = i == j ? inertia[i] * solid.volume / mass : 0;
    return solid;
}

static double getMass(const wbRigidForm *form, const wbRigidBodyParams *p) {
    return p->mass > 0 ? (double)p->mass : (double)p->density * form->solid.volume;
}

static const char *getShapeName(wbRigidShape shape) {
    return shape == wb_rigidPlane     ? "a plane"
           : shape == wb_rigidHeights ? "a field of heights"
                                      : "a mesh that was not made to move";
}

// Of given moments: in two dimensions only the third counts.
static wbStatus checkInertia(const wbRigidBodyParams *p, int dimensions) {
    const float *inertia = &p->inertia.x, least = 1e-30f; // what divides 1 with a finite result
    if (inertia[0] == 0 && inertia[1] == 0 && inertia[2] == 0) return wb_okStatus;
    for (int k = dimensions == 2 ? 2 : 0; k < 3; k++) {
        if (!(inertia[k] >= least))
            return wbError(wb_errorInput,
                           "inertia.%c is %g kg m2, allowed is %g to 1e+30, or 0 for all three", "xyz"[k],
                           (double)inertia[k], (double)least);
        // no solid has more about one axis than about the two others together
        if (dimensions == 3 && inertia[k] > 1.0001f * (inertia[(k + 1) % 3] + inertia[(k + 2) % 3]))
            return wbError(wb_errorInput,
                           "inertia is %g, %g, %g kg m2: none may be above the sum of the two others",
                           (double)inertia[0], (double)inertia[1], (double)inertia[2]);
    }
    return wb_okStatus;
}

static wbStatus checkMass(const wbRigidForm *form, const wbRigidBodyParams *p, int dimensions) {
    if (p->type != wb_rigidDynamic) return wb_okStatus;
    if (!(form->solid.volume > 0))
        return wbError(wb_errorInput, "%s has no inside: its type is static or kinematic",
                       getShapeName(p->shape));
    if (!(getMass(form, p) > 0)) return wbError(wb_errorInput, "it needs a density or a mass");
    return checkInertia(p, dimensions);
}

// Creation

static uint32_t getBits(const wbRigidBodyParams *p) {
    return (p->type == wb_rigidDynamic     ? WB_RIGID_DYNAMIC
            : p->type == wb_rigidKinematic ? WB_RIGID_KINEMATIC
                                           : 0u) |
           (p->sleeps ? WB_RIGID_MAY_SLEEP : 0u) | (p->sensor ? WB_RIGID_SENSOR : 0u) |
           (p->bullet ? WB_RIGID_BULLET : 0u) | (p->on ? 0u : WB_RIGID_OFF);
}

static wbRigidBodySetup makeSetup(const wbWorld *world, const wbRigidForm *form, const wbRigidBodyParams *p) {
    const bool isFlat = world->params.dimensions == 2, isMoving = p->type != wb_rigidStatic;
    wbColliderParams place = {.position = p->position, .rotation = p->rotation};
    if (isFlat) place.position.z = place.rotation.x = place.rotation.y = 0;
    const double mass = getMass(form, p);
    wbRigidBodySetup setup = {.pieces = form->pieces,
                              .pieceCount = form->pieceCount,
                              .pose = wbGetRestPose(&place),
                              .bits = getBits(p),
                              .mass = mass,
                              .solid = getSolid(form, p, mass),
                              .particlesPerEdge = p->particlesPerEdge > 0
                                                      ? p->particlesPerEdge
                                                      : world->def.rigid.particlesPerEdge};
    if (isMoving) {
        setup.velocity[0] = p->velocity.x, setup.velocity[1] = p->velocity.y;
        setup.velocity[2] = isFlat ? 0 : p->velocity.z;
        setup.spin[0] = isFlat ? 0 : p->spin.x, setup.spin[1] = isFlat ? 0 : p->spin.y;
        setup.spin[2] = p->spin.z;
    }
    return setup;
}

static wbStatus checkPlace(const wbWorld *world, const wbRigidForm *form, const wbRigidBodySetup *setup) {
    const double *c = setup->solid.centre;
    const wbVec3d centre = wbPose_Apply3d(&setup->pose, (wbVec3d){c[0], c[1], c[2]});
    const float at[3] = {(float)centre.x, (float)centre.y, (float)centre.z};
    (void)form;
    if (!(setup->bits & WB_RIGID_DYNAMIC) || !wbDomain_IsBeyond(&world->domain, at, 0)) return wb_okStatus;
    return wbError(wb_errorInput,
                   "its centre is at (%g, %g, %g) m, beyond a closed side of the domain: "
                   "move it inside, or open that side",
                   centre.x, centre.y, centre.z);
}

// Principal moments, as the frame has them.
static void measureMoments(const wbRigidBodySetup *setup, int dimensions, float moments[3]) {
    double values[3] = {0, 0, setup->solid.inertia[2][2]};
    float rotation[4];
    if (dimensions == 3) wbFindPrincipalAxes(setup->solid.inertia, values, rotation);
    for (int k = 0; k < 3; k++)
        moments[k] = setup->solid.volume > 0 ? (float)(values[k] * setup->mass / setup->solid.volume) : 0;
}

static wbStatus addRow(wbWorld *world, int form, wbRigidBody *body, uint32_t index1) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    const int index = world->rigidBodyIds.indexCount;
    const wbRigidForm *made = wbGetRigidForm(bodies, form);
    WB_TRY(checkMass(made, &body->params, world->params.dimensions));
    const wbRigidBodySetup setup = makeSetup(world, made, &body->params);
    if (index1 == 0) WB_TRY(checkPlace(world, made, &setup));
    body->form = form, body->mass = made->solid.volume > 0 ? setup.mass : 0;
    measureMoments(&setup, world->params.dimensions, body->moments);
    if (!wbArray_Reserve(world->memory, &bodies->bodies, index + 1))
        return wbMemoryError(world->memory, "%d rigid bodies need", index + 1);
    WB_TRY(wbRigid_AddBody(&bodies->rigid, world->memory, &bodies->model, &setup, &body->frame));
    wbStatus status = wbTakeObjectId(world, &wb_rigidBodyKind, index1);
    // a world that does not load goes as a whole, and joints of the file may name the body already
    if (!wbIsOk(status) && index1 == 0) wbRigid_RemoveBody(&bodies->rigid, world->memory, index);
    WB_TRY(status);
    *wbGetRigidBodyAt(world, index) = *body;
    wbApplyRigidParams(world, index);
    return wb_okStatus;
}

wbStatus wbAddRigidBody(wbWorld *world, const char *name, const wbRigidBodyParams *params,
                        const wbRigidRecipe *recipe, uint32_t index1) {
    wbRigidBody body = {.params = *params};
    int form = -1;
    if (world->rigidBodyIds.indexCount >= WB_MAX_RIGID_BODIES)
        return wbError(wb_errorInput, "a world has at most %d rigid bodies", WB_MAX_RIGID_BODIES);
    snprintf(body.name, sizeof body.name, "%s", name);
    WB_TRY(wbCheckParams(&wb_rigidBodyTable, params));
    WB_TRY(takeForm(world, recipe, &form));
    wbStatus status = addRow(world, form, &body, index1);
    if (!wbIsOk(status)) leaveForm(world, form);
    return status;
}

static void requireParts(const wbRigidBodyDef *def) {
    WB_ASSERT(def && def->cookie == WB_RIGID_BODY_COOKIE, "make the def with wbDefaultRigidBodyDef");
    WB_ASSERT(def->pointCount >= 0 && (def->points || def->pointCount == 0), "the points are missing");
    WB_ASSERT(def->heights || def->heightCounts[0] * def->heightCounts[1] == 0, "the heights are missing");
    WB_ASSERT(def->partCount >= 0 && (def->parts || def->partCount == 0), "the parts are missing");
    for (int i = 0; i < def->partCount; i++) {
        WB_ASSERT(def->parts[i].cookie == WB_RIGID_PART_COOKIE, "make parts with wbDefaultRigidPartDef");
        WB_ASSERT(def->parts[i].pointCount >= 0 && (def->parts[i].points || def->parts[i].pointCount == 0),
                  "the points of a part are missing");
    }
    wbRequireMesh(def->mesh);
}

// The last one goes again if it is in a fluid.
static wbStatus checkRoom(wbWorld *world) {
    const int index = world->rigidBodyIds.indexCount - 1;
    wbStatus status = wbCheckBodyRoom(world, index);
    if (!wbIsOk(status)) (void)wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, index));
    return status;
}

static wbStatus create(wbWorld *world, const wbRigidBodyDef *def, const char *name) {
    wbRigidRecipe recipe;
    wbSolver *solver = &world->solvers[wb_solverIndex_rigid];
    const bool isFirst = !solver->self;
    WB_TRY(wbWriteRigidRecipe(world->memory, def, world->params.dimensions, &recipe));
    wbStatus status = wbSolver_Create(solver);
    if (wbIsOk(status)) status = wbAddRigidBody(world, name, &def->params, &recipe, 0);
    wbFreeRigidRecipe(world->memory, &recipe);
    if (wbIsOk(status)) return checkRoom(world);
    if (!wbIsOk(status) && isFirst) wbSolver_Destroy(solver);
    return status;
}

wbStatus wbCreateRigidBody(wbWorld *world, const wbRigidBodyDef *def, wbRigidBodyId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    requireParts(def);
    const char *name = def->name ? def->name : "";
    if (name[0]) WB_TRY(wbCheckPlainName(world, "rigid body", name));
    WB_TRY(wbPullState(world));
    wbStatus status = create(world, def, name);
    if (!wbIsOk(status) && name[0]) return wbError(status.code, "rigid body \"%s\": %s", name, status.text);
    if (!wbIsOk(status)) return wbError(status.code, "a rigid body: %s", status.text);
    wbMarkStateDirty(world);
    *id = wbWorld_GetRigidBody(world, wbWorld_GetRigidBodyCount(world) - 1);
    return wb_okStatus;
}

wbStatus wbDestroyRigidBody(wbWorld *world, wbRigidBodyId id) {
    const int index = wbGetRigidBodyIndex(world, id);
    WB_TRY(wbPullState(world));
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    wbRigid_WakeNeighbours(&bodies->rigid, index); // what lay on it falls
    wbDropJointsOf(world, index);
    wbDropBody(world, index);
    wbForgetAirBodies(world);
    wbReleaseSoftTies(world, index);
    leaveForm(world, wbGetRigidBodyAt(world, index)->form);
    wbRigid_RemoveBody(&bodies->rigid, world->memory, index);
    wbDropObject(world, &wb_rigidBodyKind, &bodies->bodies, index);
    if (world->rigidBodyIds.indexCount == 0) {
        wbDropForces(world);
        wbSolver_Destroy(&world->solvers[wb_solverIndex_rigid]);
    }
    wbMarkStateDirty(world);
    return wb_okStatus;
}

// Parameters

// Of one that does not turn, or is not dynamic, inverse masses are 0. A floor under its inertia is none under its weight.
static void applyMass(wbRigid *rigid, int i, const wbRigidBody *body) {
    const bool isDynamic = body->params.type == wb_rigidDynamic, doesTurn = isDynamic && body->params.turns;
    float *const inverse[3] = {rigid->inverseInertiaX, rigid->inverseInertiaY, rigid->inverseInertiaZ};
    const float scale = 1 / fmaxf(body->floor, 1);
    rigid->floor[i] = fmaxf(body->floor, 1);
    rigid->gravityScale[i] = body->params.gravityScale * scale;
    rigid->inverseMass[i] = isDynamic ? scale * (float)(1 / body->mass) : 0;
    float turn[3];
    wbInvertMoments(body->moments, turn);
    for (int k = 0; k < 3; k++) inverse[k][i] = doesTurn ? scale * turn[k] : 0;
    if (body->params.type == wb_rigidStatic) {
        rigid->vx[i] = rigid->vy[i] = rigid->vz[i] = 0;
        rigid->wx[i] = rigid->wy[i] = rigid->wz[i] = 0;
    }
    if (isDynamic && !doesTurn) rigid->wx[i] = rigid->wy[i] = rigid->wz[i] = 0;
}

void wbSetInertiaFloor(wbWorld *world, int index, float floor) {
    wbRigidBody *body = wbGetRigidBodyAt(world, index);
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    if (body->floor == floor) return;
    body->floor = floor;
    applyMass(rigid, index, body);
}

void wbApplyRigidParams(wbWorld *world, int i) {
    wbRigidBodies *bodies = wbGetRigidBodies(world);
    wbRigid *rigid = &bodies->rigid;
    const wbRigidBody *body = wbGetRigidBodyAt(world, i);
    const wbRigidBodyParams *p = &body->params;
    rigid->bits[i] = (rigid->bits[i] & WB_RIGID_ASLEEP) | getBits(p);
    rigid->linearDamping[i] = p->linearDamping, rigid->angularDamping[i] = p->angularDamping;
    rigid->friction[i] = p->friction, rigid->rollingFriction[i] = p->rollingFriction;
    rigid->restitution[i] = p->restitution;
    rigid->category[i] = (uint32_t)p->category, rigid->mask[i] = (uint32_t)p->mask;
    applyMass(rigid, i, body);
    wbForgetPairs(bodies);
    rigid->joints.isDirty = true;
    wbRigid_Wake(&bodies->rigid, i);
}

static const char *getName(const wbWorld *world, int index) { return wbGetRigidBodyAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) {
    return &wbGetRigidBodyAt(world, index)->params;
}

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    const wbRigidBodyParams *next = params;
    wbRigidBody *body = wbGetRigidBodyAt(world, index);
    WB_TRY(wbCheckParams(&wb_rigidBodyTable, params));
    wbStatus status =
        checkMass(wbGetRigidForm(wbGetRigidBodies(world), body->form), next, world->params.dimensions);
    if (!wbIsOk(status)) return wbError(status.code, "rigid body \"%s\": %s", body->name, status.text);
    WB_TRY(wbPullState(world));
    // what lies on a body that is not dynamic may sleep, while that one never does
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    if (!(rigid->bits[index] & WB_RIGID_DYNAMIC)) wbRigid_WakeNeighbours(rigid, index);
    body->params = *next;
    wbApplyRigidParams(world, index);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

// One that is switched on is suddenly there.
static wbStatus changeParams(wbWorld *world, int index, const void *params) {
    if (((const wbRigidBodyParams *)params)->on && !wbGetRigidBodyAt(world, index)->params.on) {
        WB_TRY(wbPullState(world));
        const wbPose pose = wbGetRigidOrigin(world, index);
        WB_TRY(wbCheckBodyPlace(world, index, &pose, NULL));
    }
    return setParams(world, index, params);
}

const wbObjectKind wb_rigidBodyKind = {.table = &wb_rigidBodyTable,
                                       .title = "rigid body",
                                       .savedAs = "body",
                                       .ids = offsetof(wbWorld, rigidBodyIds),
                                       .getName = getName,
                                       .getParams = getParams,
                                       .setParams = setParams,
                                       .changeParams = changeParams};

wbStatus wbRigidBody_SetType(wbWorld *world, wbRigidBodyId id, wbRigidType type) {
    wbRigidBodyParams params = *wbRigidBody_GetParams(world, id);
    params.type = type;
    return setParams(world, wbGetRigidBodyIndex(world, id), &params);
}

wbStatus wbRigidBody_SetOn(wbWorld *world, wbRigidBodyId id, bool isOn) {
    wbRigidBodyParams params = *wbRigidBody_GetParams(world, id);
    params.on = isOn;
    return changeParams(world, wbGetRigidBodyIndex(world, id), &params);
}

wbStatus wbRigidBody_SetGravityScale(wbWorld *world, wbRigidBodyId id, float scale) {
    wbRigidBodyParams params = *wbRigidBody_GetParams(world, id);
    params.gravityScale = scale;
    return setParams(world, wbGetRigidBodyIndex(world, id), &params);
}
