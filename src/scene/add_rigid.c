// SPDX-License-Identifier: MIT
// Rigid bodies of a scene become those of a world, with their copies.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/scene.h"

// The lattice of a body's copies.
typedef struct Lattice {
    int counts[3];
    double places; // of it, from the first; there may be more than an int holds
} Lattice;

static double countUsedPlaces(const wbSceneCopies *copies) {
    const double places =
        floor((double)copies->counts.x) * floor((double)copies->counts.y) * floor((double)copies->counts.z);
    return copies->most > 0 ? fmin(places, copies->most) : places;
}

double wbCountCopies(const wbSceneRigidBody *body) {
    const wbSceneCopies *copies = &body->copies;
    if (!body->hasCopies) return 1;
    const double places = countUsedPlaces(copies);
    return places > copies->first ? ceil((places - copies->first) / copies->every) : 0;
}

static Lattice makeLattice(const wbSceneCopies *copies) {
    return (Lattice){{(int)copies->counts.x, (int)copies->counts.y, (int)copies->counts.z},
                     countUsedPlaces(copies)};
}

// Bits that depend on all bits of a number (Steele, Lea and Flood 2014).
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// A number of 0 to 1 that belongs to a copy.
static float draw(const wbScene *scene, int body, int64_t copy, int which) {
    const uint64_t seed = mix((uint64_t)scene->def.params.seed << 32 | (uint32_t)body);
    return (float)(mix(seed + ((uint64_t)copy << 8 | (uint64_t)which)) >> 40) * 0x1p-24f;
}

// Layer by layer; shifted layers do not stand upon each other.
static wbVec3 getPlace(const wbScene *scene, int index, const Lattice *lattice, int64_t copy) {
    const wbSceneRigidBody *body = wbScene_GetRigidBody(scene, index);
    const wbSceneCopies *c = &body->copies;
    const int *n = lattice->counts;
    const int64_t x = copy % n[0], z = copy / n[0] % n[2], y = copy / n[0] / n[2];
    const bool isFlat = scene->def.params.dimensions == 2;
    wbVec3 place = {((float)x - 0.5f * (float)(n[0] - 1)) * c->spacing.x + (y & 1 ? c->shift : -c->shift),
                    (float)y * c->spacing.y,
                    ((float)z - 0.5f * (float)(n[2] - 1)) * c->spacing.z + (y & 2 ? c->shift : -c->shift)};
    place.x += c->jitter * (2 * draw(scene, index, copy, 0) - 1);
    place.y += c->jitter * (2 * draw(scene, index, copy, 1) - 1);
    place.z = isFlat ? 0 : place.z + c->jitter * (2 * draw(scene, index, copy, 2) - 1);
    return wbAdd(body->params.position, place);
}

// A rotation that is as likely as any other (Shoemake 1992), as angles about x, then y, then z.
static wbVec3 drawRotation(const wbScene *scene, int index, int64_t copy) {
    const double turn = 6.283185307179586, degrees = 360 / turn;
    const double u = draw(scene, index, copy, 3), a = turn * (double)draw(scene, index, copy, 4),
                 b = turn * (double)draw(scene, index, copy, 5);
    if (scene->def.params.dimensions == 2) return wbMakeVec3(0, 0, (float)(degrees * a));
    const double q[4] = {sqrt(1 - u) * sin(a), sqrt(1 - u) * cos(a), sqrt(u) * sin(b), sqrt(u) * cos(b)};
    const double sine = 2 * (q[3] * q[1] - q[2] * q[0]);
    return wbMakeVec3(
        (float)(degrees * atan2(2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] * q[0] + q[1] * q[1]))),
        (float)(degrees * asin(fmax(-1, fmin(1, sine)))),
        (float)(degrees * atan2(2 * (q[3] * q[2] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]))));
}

// Colours that tell neighbours apart.
static wbVec3 drawColour(const wbScene *scene, int index, int64_t copy) {
    static const wbVec3 tints[] = {{0.80f, 0.40f, 0.27f}, {0.90f, 0.68f, 0.30f}, {0.33f, 0.57f, 0.60f},
                                   {0.82f, 0.78f, 0.68f}, {0.38f, 0.46f, 0.68f}, {0.58f, 0.66f, 0.38f}};
    const int count = wbScene_GetRigidBody(scene, index)->copies.tints;
    const int which = (int)((float)count * draw(scene, index, copy, 6));
    return tints[which < count ? which : count - 1];
}

static wbStatus addCopies(const wbScene *scene, int index, wbRigidBodyDef *def, wbWorld *world) {
    const wbSceneRigidBody *body = wbScene_GetRigidBody(scene, index);
    const wbSceneCopies *copies = &body->copies;
    const Lattice lattice = makeLattice(copies);
    char name[WB_NAME_SIZE + 16];
    wbRigidBodyId id;
    int number = 0;
    for (int64_t copy = copies->first; (double)copy < lattice.places; copy += copies->every, number++) {
        def->params.position = getPlace(scene, index, &lattice, copy);
        if (copies->turn == wb_turnRandom) def->params.rotation = drawRotation(scene, index, copy);
        if (copies->tints > 1) def->params.colour = drawColour(scene, index, copy);
        snprintf(name, sizeof name, "%s-%d", body->name, number);
        if (body->name[0]) def->name = name;
        WB_TRY(wbCreateRigidBody(world, def, &id));
    }
    return wb_okStatus;
}

static void fillParts(const wbSceneRigidBody *body, wbRigidPartDef *parts) {
    const wbScenePart *from = body->parts.data;
    for (int i = 0; i < body->partCount; i++) {
        parts[i] = from[i].def;
        parts[i].points = from[i].points.data, parts[i].pointCount = from[i].pointCount;
    }
}

wbStatus wbScene_AddRigidBody(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneRigidBody *body = wbScene_GetRigidBody(scene, index);
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    wbArray parts = {.elementSize = sizeof(wbRigidPartDef)};
    if (!wbArray_Reserve(NULL, &parts, body->partCount)) return wbMemoryError(NULL, "a rigid body needs");
    fillParts(body, parts.data);
    def.name = body->name;
    def.params = body->params;
    def.mesh = &body->mesh;
    def.points = body->points.data, def.pointCount = body->pointCount;
    def.heights = body->heights.data;
    memcpy(def.heightCounts, body->heightCounts, sizeof def.heightCounts);
    def.parts = parts.data, def.partCount = body->partCount;
    wbStatus status =
        body->hasCopies ? addCopies(scene, index, &def, world) : wbCreateRigidBody(world, &def, &id);
    wbArray_Free(NULL, &parts);
    return status;
}

// "crate-12" of "crate": 12; -1: it is none of so many.
static int getNumber(const char *common, int count, const char *name) {
    const size_t length = strlen(common);
    char same[WB_NAME_SIZE + 16];
    int number;
    if (length == 0 || strncmp(name, common, length) != 0 || name[length] != '-') return -1;
    if (sscanf(name + length + 1, "%9d", &number) != 1 || number < 0 || number >= count) return -1;
    snprintf(same, sizeof same, "%s-%d", common, number);
    return strcmp(same, name) == 0 ? number : -1; // not "crate-012"
}

static int countNumberedBodies(const wbSceneRigidBody *body) {
    return body->hasCopies ? (int)wbCountCopies(body) : 0;
}
static int countNumberedJoints(const wbSceneJoint *joint) {
    return joint->chainCount > 0 ? joint->chainCount - 1 : 0;
}

int wbScene_CountNumbered(const wbScene *scene, const char *name) {
    for (int i = 0; i < scene->rigidBodyCount; i++)
        if (strcmp(wbScene_GetRigidBody(scene, i)->name, name) == 0)
            return countNumberedBodies(wbScene_GetRigidBody(scene, i));
    for (int i = 0; i < scene->jointCount; i++)
        if (strcmp(wbScene_GetJoint(scene, i)->name, name) == 0)
            return countNumberedJoints(wbScene_GetJoint(scene, i));
    return 0;
}

const char *wbScene_FindCommonName(const wbScene *scene, const char *name) {
    for (int i = 0; i < scene->rigidBodyCount; i++) {
        const wbSceneRigidBody *body = wbScene_GetRigidBody(scene, i);
        if (getNumber(body->name, countNumberedBodies(body), name) >= 0) return body->name;
    }
    for (int i = 0; i < scene->jointCount; i++) {
        const wbSceneJoint *joint = wbScene_GetJoint(scene, i);
        if (getNumber(joint->name, countNumberedJoints(joint), name) >= 0) return joint->name;
    }
    return NULL;
}

bool wbScene_FindBodies(const wbScene *scene, const char *name, int *first, int *count) {
    *first = 0, *count = 0;
    for (int i = 0; i < scene->rigidBodyCount && name[0]; i++) {
        const wbSceneRigidBody *body = wbScene_GetRigidBody(scene, i);
        const int number = getNumber(body->name, countNumberedBodies(body), name);
        *count = number >= 0 ? 1 : (int)wbCountCopies(body);
        if (number >= 0) *first += number;
        if (number >= 0 || strcmp(body->name, name) == 0) return true;
        *first += *count;
    }
    return false;
}

static wbRigidBodyId getBody(const wbWorld *world, int number) {
    return number < 0 ? (wbRigidBodyId){0} : wbWorld_GetRigidBody(world, number);
}

// Between neighbours, halfway.
static wbStatus addChain(const wbSceneJoint *joint, wbJointDef *def, wbWorld *world) {
    char name[WB_NAME_SIZE + 16];
    wbJointId id;
    for (int k = 0; k + 1 < joint->chainCount; k++) {
        wbRigidMotion one, two;
        def->first = getBody(world, joint->bodies[0] + k);
        def->second = getBody(world, joint->bodies[0] + k + 1);
        WB_TRY(wbRigidBody_GetMotion(world, def->first, &one));
        WB_TRY(wbRigidBody_GetMotion(world, def->second, &two));
        const bool isDistance = def->params.kind == wb_jointDistance;
        const wbVec3 middle = wbScale(0.5f, wbAdd(one.position, two.position));
        def->params.anchor = isDistance ? one.position : middle;
        def->params.end = isDistance ? two.position : middle;
        snprintf(name, sizeof name, "%s-%d", joint->name, k);
        if (joint->name[0]) def->name = name;
        WB_TRY(wbCreateJoint(world, def, &id));
    }
    return wb_okStatus;
}

wbStatus wbScene_AddJoint(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneJoint *joint = wbScene_GetJoint(scene, index);
    wbJointDef def = wbDefaultJointDef();
    wbJointId id;
    def.name = joint->name;
    def.params = joint->params;
    if (joint->chainCount > 0) return addChain(joint, &def, world);
    def.first = getBody(world, joint->bodies[0]), def.second = getBody(world, joint->bodies[1]);
    return wbCreateJoint(world, &def, &id);
}

wbStatus wbScene_AddForce(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneForce *force = wbScene_GetForce(scene, index);
    wbForceDef def = wbDefaultForceDef();
    wbForceId id;
    wbArray bodies = {.elementSize = sizeof(wbRigidBodyId)};
    if (!wbArray_Reserve(NULL, &bodies, force->bodyCount)) return wbMemoryError(NULL, "a force needs");
    for (int i = 0; i < force->bodyCount; i++)
        ((wbRigidBodyId *)bodies.data)[i] = getBody(world, ((const int *)force->bodies.data)[i]);
    def.name = force->name;
    def.params = force->params;
    def.bodies = bodies.data, def.bodyCount = force->bodyCount;
    def.isOnAll = force->isOnAll;
    wbStatus status = wbCreateForce(world, &def, &id);
    wbArray_Free(NULL, &bodies);
    return status;
}

// Names of a world against those of a scene, one behind the other.
typedef struct Comparison {
    const wbWorld *world;
    const char *(*getName)(const wbWorld *world, int index);
    int next; // of the world's
} Comparison;

static const char *getBodyName(const wbWorld *world, int i) {
    return wbRigidBody_GetName(world, wbWorld_GetRigidBody(world, i));
}
static const char *getJointName(const wbWorld *world, int i) {
    return wbJoint_GetName(world, wbWorld_GetJoint(world, i));
}
static const char *getForceName(const wbWorld *world, int i) {
    return wbForce_GetName(world, wbWorld_GetForce(world, i));
}

static wbStatus compareCounts(const char *kind, int its, double scenes) {
    if ((double)its == scenes) return wb_okStatus;
    return wbError(wb_errorInput, "it has %d %s, the scene has %.10g", its, kind, scenes);
}

static wbStatus compareName(Comparison *names, const char *wanted) {
    const char *name = names->getName(names->world, names->next++);
    if (strcmp(name, wanted) == 0) return wb_okStatus;
    return wbError(wb_errorInput, "it has \"%s\" where the scene has \"%s\"", name, wanted);
}

static wbStatus compareNumbered(Comparison *names, const char *common, int count) {
    char wanted[WB_NAME_SIZE + 16] = "";
    for (int k = 0; k < count; k++) {
        if (common[0]) snprintf(wanted, sizeof wanted, "%s-%d", common, k);
        WB_TRY(compareName(names, wanted));
    }
    return wb_okStatus;
}

static wbStatus compareBodies(const wbScene *scene, const wbWorld *world) {
    Comparison names = {world, getBodyName, 0};
    double count = 0;
    for (int i = 0; i < scene->rigidBodyCount; i++) count += wbCountCopies(wbScene_GetRigidBody(scene, i));
    WB_TRY(compareCounts("rigid bodies", wbWorld_GetRigidBodyCount(world), count));
    for (int i = 0; i < scene->rigidBodyCount; i++) {
        const wbSceneRigidBody *body = wbScene_GetRigidBody(scene, i);
        WB_TRY(body->hasCopies ? compareNumbered(&names, body->name, countNumberedBodies(body))
                               : compareName(&names, body->name));
    }
    return wb_okStatus;
}

static wbStatus compareJoints(const wbScene *scene, const wbWorld *world) {
    Comparison names = {world, getJointName, 0};
    double count = 0;
    for (int i = 0; i < scene->jointCount; i++) {
        const wbSceneJoint *joint = wbScene_GetJoint(scene, i);
        count += joint->chainCount > 0 ? countNumberedJoints(joint) : 1;
    }
    WB_TRY(compareCounts("joints", wbWorld_GetJointCount(world), count));
    for (int i = 0; i < scene->jointCount; i++) {
        const wbSceneJoint *joint = wbScene_GetJoint(scene, i);
        WB_TRY(joint->chainCount > 0 ? compareNumbered(&names, joint->name, countNumberedJoints(joint))
                                     : compareName(&names, joint->name));
    }
    return wb_okStatus;
}

static wbStatus compareForces(const wbScene *scene, const wbWorld *world) {
    Comparison names = {world, getForceName, 0};
    WB_TRY(compareCounts("forces", wbWorld_GetForceCount(world), scene->forceCount));
    for (int i = 0; i < scene->forceCount; i++) WB_TRY(compareName(&names, wbScene_GetForce(scene, i)->name));
    return wb_okStatus;
}

wbStatus wbScene_CompareRigidBodies(const wbScene *scene, const wbWorld *world) {
    WB_TRY(compareBodies(scene, world));
    WB_TRY(compareJoints(scene, world));
    return compareForces(scene, world);
}
