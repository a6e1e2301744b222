// SPDX-License-Identifier: MIT
// Two worlds that go through the same: in a veteran, objects came and went before, the other was made of those that are left.
// From then on both are created in, destroyed in, set and stepped alike, at random, and their states must be equal, bit for bit,
// but for ids of particles. The veteran is also saved and loaded on the way, and goes on with the ids that it had.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "test_support.h"
#include "world/object.h"

enum { VETERAN, FRESH, WORLDS, MOST_OBJECTS = 14, SLOTS = 16, MOST_STALE = 64 };

// In the order of the world's list of kinds.
typedef enum Kind {
    FLUID,
    EMITTER,
    DRAIN,
    COLLIDER,
    MECHANISM,
    SOFT_BODY,
    SOURCE,
    PROBE,
    RIGID_BODY,
    JOINT,
    FORCE,
    KINDS
} Kind;

// Ids of all kinds look alike.
typedef struct Id {
    uint32_t index1, generation;
} Id;

typedef struct Object {
    Kind kind;
    int number; // its parameters follow from it
    int slot;   // of the ground
    int parent; // number of a fluid, an emitter or a collider; -1: none
    bool isShut;
    Id ids[WORLDS];
} Object;

typedef struct Twins {
    wbWorld *worlds[WORLDS];
    Object objects[MOST_OBJECTS];
    int count, made, staleCount;
    struct {
        Kind kind;
        Id id;
    } stale[MOST_STALE]; // of the veteran
    uint32_t random;
    wbBackend backend;
} Twins;

static uint32_t roll(Twins *twins, uint32_t sides) {
    twins->random = twins->random * 1664525u + 1013904223u;
    return (twins->random >> 8) % sides;
}

static wbVec3 getPlace(int slot, float y) {
    return wbMakeVec3(0.25f + 0.5f * (float)(slot % 4), y, 0.25f + 0.5f * (float)(slot / 4));
}

static wbWorld *createTwin(const Twins *twins) {
    wbWorldDef def = wbDefaultWorldDef();
    def.coupling.fluids = wb_otherFluidsIgnore;
    wbWorld *world;
    def.domain.max = wbMakeVec3(2, 1, 2);
    def.domain.sides[wb_top].type = wb_sideOpen;
    def.params.dt = 0.005f;
    def.sph.soundSpeed = 8;
    def.params.backend = twins->backend;
    def.sph.spacing = def.pbf.spacing = 0.1f;
    def.hasSmoke = twins->random % 2 == 0;
    def.smoke.cellSize = 0.25f;
    def.smoke.pressureSolver = wb_pressureSor, def.smoke.sweeps = 4;
    def.pbd.radius = 0.02f;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    return world;
}

static Object *findObject(Twins *twins, int number) {
    for (int i = 0; i < twins->count; i++)
        if (twins->objects[i].number == number) return &twins->objects[i];
    return NULL;
}

static Id getParent(Twins *twins, int w, const Object *object) {
    const Object *parent = findObject(twins, object->parent);
    return parent ? parent->ids[w] : (Id){0};
}

#define ID(Type, id) ((Type){(id).index1, (id).generation})

static wbStatus createFluid(wbWorld *world, const char *name, const Object *object, Id *id) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId made;
    def.name = name, def.solver = object->number % 2 ? wb_solverPbf : wb_solverSph;
    def.restDensity = object->number % 3 == 0 ? 800 : 0;
    wbStatus status = wbCreateFluid(world, &def, &made);
    if (!wbIsOk(status)) return status;
    const wbBlockDef block = {wbSub(getPlace(object->slot, 0.5f), wbMakeVec3(0.15f, 0.15f, 0.15f)),
                              wbAdd(getPlace(object->slot, 0.5f), wbMakeVec3(0.15f, 0.15f, 0.15f)),
                              wbMakeVec3(0.1f * (float)(object->number % 5), 0, 0), 0};
    *id = (Id){made.index1, made.generation};
    status = wbFluid_AddBlock(world, made, &block);
    return status.code == wb_errorInput ? (wbStatus){0} : status; // something may be in its way
}

static wbStatus createEmitter(wbWorld *world, const char *name, const Object *object, Id parent, Id *id) {
    wbEmitterDef def = wbDefaultEmitterDef();
    wbEmitterId made;
    def.name = name, def.fluid = ID(wbFluidId, parent);
    def.params.position = getPlace(object->slot, 0.8f), def.params.direction = wbMakeVec3(0, -1, 0);
    def.params.open = !object->isShut;
    wbStatus status = wbCreateEmitter(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createDrain(wbWorld *world, const char *name, const Object *object, Id parent, Id *id) {
    wbDrainDef def = wbDefaultDrainDef();
    wbDrainId made;
    def.name = name, def.emitter = ID(wbEmitterId, parent);
    def.params.min = wbSub(getPlace(object->slot, 0), wbMakeVec3(0.2f, 0, 0.2f));
    def.params.max = wbAdd(getPlace(object->slot, 0.3f), wbMakeVec3(0.2f, 0, 0.2f));
    def.params.delay = 0.01f, def.params.open = !object->isShut;
    wbStatus status = wbCreateDrain(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createCollider(wbWorld *world, const char *name, const Object *object, Id *id) {
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId made;
    def.name = name;
    def.params.shape = object->number % 2 ? wb_shapeSphere : wb_shapeBox;
    def.params.radius = 0.12f, def.params.size = wbMakeVec3(0.25f, 0.1f, 0.25f);
    def.params.position = getPlace(object->slot, 0.15f);
    def.params.slip = object->number % 3 ? wb_slipNone : wb_slipFree;
    wbStatus status = wbCreateCollider(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createMechanism(wbWorld *world, const char *name, const Object *object, Id parent, Id *id) {
    wbMechanismDef def = wbDefaultMechanismDef();
    wbMechanismId made;
    const wbColliderId part = ID(wbColliderId, parent);
    bool isGate = object->number % 2;
    def.name = name, def.colliders = &part, def.colliderCount = 1;
    def.params.kind = isGate ? wb_mechanismGate : wb_mechanismWheel;
    def.params.travel = wbMakeVec3(0, 0.1f, 0), def.params.duration = 0.1f;
    def.params.pivot = getPlace(object->slot, 0.15f), def.params.axis = wbMakeVec3(1, 2, 3);
    def.params.speed = 90;
    wbStatus status = wbCreateMechanism(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createSoftBody(wbWorld *world, const char *name, const Object *object, Id *id) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId made;
    def.name = name, def.params.shape = object->number % 2 ? wb_softBodyRope : wb_softBodyCloth;
    def.params.position = getPlace(object->slot, 0.7f);
    def.params.count = 3 + object->number % 4, def.params.length = 0.3f;
    def.params.counts = wbMakeVec3((float)(2 + object->number % 3), 3, 1);
    def.params.size = wbMakeVec3(0.3f, 0.2f, 0.1f);
    if (def.params.shape == wb_softBodyCloth) def.params.bending = wb_bendingDihedral;
    wbStatus status = wbCreateSoftBody(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createSource(wbWorld *world, const char *name, const Object *object, Id *id) {
    wbSourceDef def = wbDefaultSourceDef();
    wbSourceId made;
    def.name = name, def.params.position = getPlace(object->slot, 0.4f), def.params.radius = 0.2f;
    def.params.velocity = wbMakeVec3(0, 0.1f * (float)(object->number % 4), 0);
    def.params.open = !object->isShut;
    wbStatus status = wbCreateSource(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

// Some without a name, of several shapes.
static wbStatus createRigidBody(wbWorld *world, const char *name, const Object *object, Id *id) {
    static const wbRigidShape shapes[] = {wb_rigidBox, wb_rigidSphere, wb_rigidCapsule, wb_rigidHull};
    static const wbVec3 corners[] = {{0, 0, 0}, {0.2f, 0, 0}, {0, 0.2f, 0}, {0, 0, 0.2f}};
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    wbRigidBodyId made;
    def.name = object->number % 3 ? name : NULL;
    def.params.shape = shapes[object->number % 4];
    def.params.size = wbMakeVec3(0.2f, 0.1f, 0.15f), def.params.radius = 0.08f, def.params.height = 0.1f;
    def.points = corners, def.pointCount = 4;
    def.params.position = getPlace(object->slot, 0.6f);
    def.params.spin = wbMakeVec3(1, 0, (float)(object->number % 5));
    wbStatus status = wbCreateRigidBody(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createJoint(wbWorld *world, const char *name, const Object *object, Id parent, Id *id) {
    wbJointDef def = wbDefaultJointDef();
    wbJointId made;
    def.name = object->number % 2 ? name : NULL, def.first = ID(wbRigidBodyId, parent);
    def.params.kind = object->number % 2 ? wb_jointBall : wb_jointHinge;
    def.params.anchor = getPlace(object->slot, 0.9f);
    wbStatus status = wbCreateJoint(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createForce(wbWorld *world, const char *name, const Object *object, Id parent, Id *id) {
    const wbRigidBodyId body = ID(wbRigidBodyId, parent);
    wbForceDef def = wbDefaultForceDef();
    wbForceId made;
    def.name = name, def.bodies = &body, def.bodyCount = 1;
    def.params.kind = object->number % 2 ? wb_forceDrag : wb_forceAnchoredSpring;
    def.params.linear = 0.1f, def.params.anchor = getPlace(object->slot, 0.9f);
    wbStatus status = wbCreateForce(world, &def, &made);
    if (wbIsOk(status)) *id = (Id){made.index1, made.generation};
    return status;
}

static wbStatus createIn(Twins *twins, int w, Object *object) {
    wbWorld *world = twins->worlds[w];
    const Id parent = getParent(twins, w, object);
    Id *id = &object->ids[w];
    char name[16];
    snprintf(name, sizeof name, "o%d", object->number);
    switch (object->kind) {
    case FLUID:
        return createFluid(world, name, object, id);
    case EMITTER:
        return createEmitter(world, name, object, parent, id);
    case DRAIN:
        return createDrain(world, name, object, parent, id);
    case COLLIDER:
        return createCollider(world, name, object, id);
    case MECHANISM:
        return createMechanism(world, name, object, parent, id);
    case SOFT_BODY:
        return createSoftBody(world, name, object, id);
    case RIGID_BODY:
        return createRigidBody(world, name, object, id);
    case JOINT:
        return createJoint(world, name, object, parent, id);
    case FORCE:
        return createForce(world, name, object, parent, id);
    default:
        return createSource(world, name, object, id);
    }
}

static wbStatus destroyIn(wbWorld *world, Kind kind, Id id) {
    const wbStatus ok = {0};
    switch (kind) {
    case FLUID:
        return wbDestroyFluid(world, ID(wbFluidId, id));
    case EMITTER:
        return wbDestroyEmitter(world, ID(wbEmitterId, id)), ok;
    case DRAIN:
        return wbDestroyDrain(world, ID(wbDrainId, id)), ok;
    case COLLIDER:
        return wbDestroyCollider(world, ID(wbColliderId, id));
    case MECHANISM:
        return wbDestroyMechanism(world, ID(wbMechanismId, id)), ok;
    case SOFT_BODY:
        return wbDestroySoftBody(world, ID(wbSoftBodyId, id));
    case RIGID_BODY:
        return wbDestroyRigidBody(world, ID(wbRigidBodyId, id));
    case JOINT:
        return wbDestroyJoint(world, ID(wbJointId, id));
    case FORCE:
        return wbDestroyForce(world, ID(wbForceId, id));
    default:
        return wbDestroySource(world, ID(wbSourceId, id)), ok;
    }
}

static bool isValid(const wbWorld *world, Kind kind, Id id) {
    return wbIdPool_Find(wbGetIds(world, wbGetObjectKind((int)kind)), id.index1, id.generation) >= 0;
}

// All of the state but ids of particles.
static uint64_t hashState(wbWorld *world) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    uint64_t hash = WB_HASH_START;
    assertOk(wbPullState(world));
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        if (!s->self) continue;
        if (s->kind->clean) s->kind->clean(s);
        for (int v = 0, n = s->kind->listValues(s, values); v < n; v++)
            if (values[v].hashed) hash = wbHashBytes(hash, values[v].data, wbGetValueSize(values[v].type));
        for (int c = 0, n = s->kind->listColumns(s, columns); c < n; c++)
            if (!strstr(columns[c].name, ".id")) hash = wbHashBytes(hash, columns[c].data, columns[c].bytes);
    }
    return wbHashColliders(world, wbHashFlow(world, hash));
}

// A parent that a new object of a kind may have: its number; -1: there is none.
static int chooseParent(Twins *twins, Kind kind) {
    static const Kind wanted[KINDS] = {KINDS, FLUID, EMITTER, KINDS,      COLLIDER,  KINDS,
                                       KINDS, KINDS, KINDS,   RIGID_BODY, RIGID_BODY};
    int start = (int)roll(twins, MOST_OBJECTS);
    for (int k = 0; k < twins->count; k++) {
        const Object *parent = &twins->objects[(start + k) % twins->count];
        bool isTaken = false; // a collider is moved by one mechanism alone
        for (int i = 0; i < twins->count && kind == MECHANISM; i++)
            isTaken |= twins->objects[i].kind == MECHANISM && twins->objects[i].parent == parent->number;
        if (parent->kind == wanted[kind] && !isTaken) return parent->number;
    }
    return -1;
}

static int chooseSlot(Twins *twins) {
    int slot = (int)roll(twins, SLOTS);
    for (int i = 0; i < twins->count; i++)
        if (twins->objects[i].slot == slot) slot = (slot + 1) % SLOTS, i = -1;
    return slot;
}

static void forget(Twins *twins, int index) {
    const Object *object = &twins->objects[index];
    if (twins->staleCount < MOST_STALE) {
        twins->stale[twins->staleCount].kind = object->kind;
        twins->stale[twins->staleCount++].id = object->ids[VETERAN];
    }
    for (int i = index; i + 1 < twins->count; i++) twins->objects[i] = twins->objects[i + 1];
    twins->count--;
}

// `worlds` of them.
static void createOne(Twins *twins, int worlds) {
    if (twins->count == MOST_OBJECTS) return;
    static const Kind kinds[] = {FLUID,  FLUID,      EMITTER,    EMITTER,   DRAIN,
                                 DRAIN,  COLLIDER,   COLLIDER,   MECHANISM, SOFT_BODY,
                                 SOURCE, RIGID_BODY, RIGID_BODY, JOINT,     FORCE};
    const Kind kind = kinds[roll(twins, sizeof kinds / sizeof kinds[0])];
    Object object = {.kind = kind, .number = twins->made++, .slot = chooseSlot(twins)};
    object.parent = chooseParent(twins, object.kind);
    const bool needsParent = kind == EMITTER || kind == MECHANISM || kind == JOINT || kind == FORCE;
    if (needsParent && object.parent < 0) return;
    if (object.kind == DRAIN && object.number % 4 == 0) object.parent = -1;
    if (object.kind == SOURCE && !wbWorld_HasSolver(twins->worlds[0], "smoke")) return;
    if (needsParent && kind != EMITTER) object.slot = findObject(twins, object.parent)->slot;
    wbStatus status[WORLDS];
    for (int w = 0; w < worlds; w++) status[w] = createIn(twins, w, &object);
    if (worlds == WORLDS) assert_string_equal(status[VETERAN].text, status[FRESH].text);
    assert_true(wbIsOk(status[0]) || status[0].code == wb_errorInput);
    if (wbIsOk(status[0])) twins->objects[twins->count++] = object;
}

static bool hasRigidBody(const Twins *twins) {
    for (int i = 0; i < twins->count; i++)
        if (twins->objects[i].kind == RIGID_BODY) return true;
    return false;
}

static void destroyOne(Twins *twins, int worlds) {
    if (twins->count == 0) return;
    int index = (int)roll(twins, (uint32_t)twins->count);
    const Object gone = twins->objects[index];
    for (int w = 0; w < worlds; w++) {
        bool isHeld = false;
        for (int i = 0; i < twins->count; i++)
            isHeld |= twins->objects[i].kind == MECHANISM && twins->objects[i].parent == gone.number;
        wbStatus status = destroyIn(twins->worlds[w], gone.kind, gone.ids[w]);
        assert_int_equal(status.code, isHeld ? wb_errorInput : wb_ok);
        assert_true(isValid(twins->worlds[w], gone.kind, gone.ids[w]) == isHeld);
        if (isHeld && w + 1 == worlds) return;
    }
    forget(twins, index);
    for (int i = twins->count - 1; i >= 0; i--) {
        Object *other = &twins->objects[i];
        if (other->kind == FORCE && !hasRigidBody(twins)) { // went with the last body
            forget(twins, i);
            continue;
        }
        if (other->parent != gone.number) continue;
        if (other->kind == JOINT) { // went with its body
            forget(twins, i);
        } else if (other->kind == EMITTER) { // went with its fluid; its drains stay
            for (int k = 0; k < twins->count; k++)
                if (twins->objects[k].parent == other->number) twins->objects[k].parent = -1;
            forget(twins, i);
        } else {
            other->parent = -1;
        }
    }
}

static void setOne(Twins *twins, int worlds) {
    if (twins->count == 0) return;
    Object *object = &twins->objects[roll(twins, (uint32_t)twins->count)];
    bool canShut = object->kind == EMITTER || object->kind == DRAIN || object->kind == SOURCE;
    char key[32];
    if (!canShut && (object->kind != MECHANISM || worlds < WORLDS)) return;
    snprintf(key, sizeof key, "o%d.open", object->number);
    object->isShut = !object->isShut;
    for (int w = 0; w < worlds; w++)
        assertOk(wbWorld_SetParam(twins->worlds[w], key, object->isShut == canShut ? "0" : "1"));
}

// By the typed setters; a collider may be refused to be there again.
static wbStatus setTyped(wbWorld *world, const Object *object, Id id, uint32_t value) {
    const float part = (float)value / 8;
    switch (object->kind) {
    case EMITTER:
        return wbEmitter_SetRate(world, ID(wbEmitterId, id), part);
    case COLLIDER:
        return wbCollider_SetOn(world, ID(wbColliderId, id), value % 2);
    case MECHANISM:
        return object->number % 2 ? wbMechanism_SetOpen(world, ID(wbMechanismId, id), part)
                                  : wbMechanism_SetSpeed(world, ID(wbMechanismId, id), 90 * part);
    case SOURCE:
        return wbWorld_SetWind(world, wbMakeVec3(part, 0, 0));
    default:
        return wbWorld_SetGravity(world, wbMakeVec3(part, -9, 0));
    }
}

static void setOneTyped(Twins *twins) {
    if (twins->count == 0) return;
    const Object *object = &twins->objects[roll(twins, (uint32_t)twins->count)];
    const uint32_t value = roll(twins, 8);
    wbStatus status[WORLDS];
    for (int w = 0; w < WORLDS; w++) status[w] = setTyped(twins->worlds[w], object, object->ids[w], value);
    assert_string_equal(status[VETERAN].text, status[FRESH].text);
    assert_true(wbIsOk(status[0]) || (object->kind == COLLIDER && status[0].code == wb_errorInput));
}

// One particle is removed, or several in a box are, or one is set.
static void changeParticles(Twins *twins) {
    const uint32_t which = roll(twins, 3), place = roll(twins, 1000);
    const wbVec3 low = getPlace((int)roll(twins, SLOTS), 0.1f),
                 high = wbAdd(low, wbMakeVec3(0.1f, 0.5f, 0.1f));
    const float velocity[3] = {0.1f, 0.2f, 0.3f};
    for (int i = 0; i < twins->count; i++) {
        const Object *object = &twins->objects[i];
        if (object->kind != FLUID) continue;
        int removed[WORLDS] = {0};
        for (int w = 0; w < WORLDS; w++) {
            wbFluidId fluid = ID(wbFluidId, object->ids[w]);
            wbView view;
            assertOk(wbFluid_GetView(twins->worlds[w], fluid, &view));
            const uint32_t id = view.count > 0 ? view.id[place % (uint32_t)view.count] : 0;
            if (which == 0 && view.count > 0)
                assertOk(wbFluid_RemoveParticles(twins->worlds[w], fluid, 1, &id));
            else if (which == 1)
                assertOk(wbFluid_RemoveParticlesInBox(twins->worlds[w], fluid, low, high, &removed[w]));
            else if (view.count > 0)
                assertOk(wbFluid_SetParticles(twins->worlds[w], fluid, 1, &id, NULL, velocity));
        }
        assert_int_equal(removed[VETERAN], removed[FRESH]);
        return;
    }
}

static void reload(Twins *twins) {
    wbBytes bytes = {0};
    wbWorld *loaded;
    assertOk(wbWorld_SaveToBytes(twins->worlds[VETERAN], &bytes));
    assertOk(wbLoadWorldFromBytes(bytes.data, bytes.size, &loaded));
    assertOk(wbWorld_SetThreadCount(loaded, 1));
    wbFreeBytes(&bytes);
    wbDestroyWorld(twins->worlds[VETERAN]);
    twins->worlds[VETERAN] = loaded;
}

static void checkIds(const Twins *twins, int worlds) {
    const wbWorld *veteran = twins->worlds[VETERAN];
    for (int k = 0; k < twins->staleCount; k++)
        assert_false(isValid(veteran, twins->stale[k].kind, twins->stale[k].id));
    for (int w = 0; w < worlds; w++)
        for (int i = 0; i < twins->count; i++)
            assert_true(isValid(twins->worlds[w], twins->objects[i].kind, twins->objects[i].ids[w]));
}

// Which values and columns of two worlds are not the same, for the message.
static void tellDifferences(wbWorld *const worlds[WORLDS]) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        wbSavedValue values[WORLDS][WB_MAX_SOLVER_VALUES];
        wbStateColumn columns[WORLDS][WB_MAX_STATE_COLUMNS];
        int valueCount = 0, columnCount = 0;
        const wbSolver *one = &worlds[VETERAN]->solvers[s], *two = &worlds[FRESH]->solvers[s];
        if (!one->self || !two->self) continue;
        for (int w = 0; w < WORLDS; w++) {
            const wbSolver *solver = &worlds[w]->solvers[s];
            valueCount = solver->kind->listValues(solver, values[w]);
            columnCount = solver->kind->listColumns(solver, columns[w]);
        }
        for (int v = 0; v < valueCount; v++)
            if (values[0][v].hashed &&
                memcmp(values[0][v].data, values[1][v].data, wbGetValueSize(values[0][v].type)) != 0)
                print_error("%s differs\n", values[0][v].name);
        for (int c = 0; c < columnCount; c++)
            if (columns[0][c].bytes != columns[1][c].bytes ||
                (columns[0][c].bytes &&
                 memcmp(columns[0][c].data, columns[1][c].data, columns[0][c].bytes) != 0))
                print_error("%s differs\n", columns[0][c].name);
    }
}

static void checkEqual(Twins *twins) {
    const uint64_t veteran = hashState(twins->worlds[VETERAN]), fresh = hashState(twins->worlds[FRESH]);
    if (veteran == fresh) return;
    tellDifferences(twins->worlds);
    fail_msg("the worlds differ after step %lld", (long long)twins->worlds[0]->stepCount);
}

// One operation in both; false if they broke, as they may, and both in the same way.
static bool doOne(Twins *twins) {
    wbStatus status[WORLDS] = {{0}};
    switch (roll(twins, 12)) {
    case 0:
    case 1:
        createOne(twins, WORLDS);
        break;
    case 2:
        destroyOne(twins, WORLDS);
        break;
    case 3:
        setOne(twins, WORLDS);
        break;
    case 4:
        changeParticles(twins);
        break;
    case 5:
    case 6:
        setOneTyped(twins);
        break;
    default:
        for (int w = 0; w < WORLDS; w++) status[w] = wbWorld_Step(twins->worlds[w], 0);
    }
    assert_string_equal(status[VETERAN].text, status[FRESH].text);
    return wbIsOk(status[VETERAN]);
}

// WIRBEL_OPERATIONS: how many are asked for, instead of the usual few.
static int getOperations(int usual) {
    const char *text = getenv("WIRBEL_OPERATIONS");
    return text ? atoi(text) : usual;
}

// Operations: before the first step in the veteran alone, then in both. Gives how many were done.
static int runTwins(uint32_t seed, wbBackend backend, int alone, int together) {
    Twins twins = {.random = seed * 2654435761u, .backend = backend};
    twins.worlds[VETERAN] = createTwin(&twins);
    twins.worlds[FRESH] = createTwin(&twins);
    int done = 0;
    for (; done < alone; done++) {
        const uint32_t what = roll(&twins, 8);
        if (what < 4)
            createOne(&twins, 1);
        else if (what < 7)
            destroyOne(&twins, 1);
        else
            setOne(&twins, 1);
        if (done % 16 == 0) reload(&twins);
        checkIds(&twins, 1);
    }
    for (int i = 0; i < twins.count; i++) assertOk(createIn(&twins, FRESH, &twins.objects[i]));
    checkEqual(&twins);
    bool isWell = true;
    for (; done < alone + together && isWell; done++) {
        isWell = doOne(&twins);
        checkIds(&twins, WORLDS);
        if (done % 8 == 0) checkEqual(&twins);
        if (isWell && done % 32 == 0) reload(&twins);
    }
    checkEqual(&twins);
    for (int w = 0; w < WORLDS; w++) wbDestroyWorld(twins.worlds[w]);
    return done;
}
