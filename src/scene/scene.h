// SPDX-License-Identifier: MIT
// What a scene file says, in memory. Filled by read.c, changed by settings.c, made into a world by scene.c.
#pragma once

#include "core/array.h"
#include "scene/forms.h"
#include "scene/progress.h"
#include "scene/source.h"
#include "wirbel/scene.h"

enum { WB_NAME_SIZE = 64, WB_KEY_SIZE = 128, WB_VALUE_SIZE = 128 };

/// A mesh that a fluid fills; the def's own mesh is not set.
typedef struct wbSceneMesh {
    wbFillMeshDef def;
    wbMesh mesh; ///< of a file
} wbSceneMesh;

typedef struct wbSceneFluid {
    char name[WB_NAME_SIZE];
    wbFluidSolver solver;
    wbQuality quality;
    float restDensity; ///< kg/m3; 0: the solver's
    bool hasSizes;     ///< it says how sizes of particles differ
    wbArray blocks;    ///< wbBlockDef
    int blockCount;
    wbArray balls, meshes, random; ///< wbBallDef, wbSceneMesh, wbRandomDef
    int ballCount, meshCount, randomCount;
    wbArray positions, velocities; ///< wbVec3 per particle
    int particleCount;
} wbSceneFluid;

typedef struct wbSceneEmitter {
    char name[WB_NAME_SIZE], fluid[WB_NAME_SIZE];
    wbEmitterParams params;
} wbSceneEmitter;

typedef struct wbSceneDrain {
    char name[WB_NAME_SIZE], emitter[WB_NAME_SIZE]; ///< emitter: "" without a pump
    wbDrainParams params;
} wbSceneDrain;

typedef struct wbSceneCollider {
    char name[WB_NAME_SIZE];
    wbColliderParams params;
    wbArray path; ///< wbVec3
    int pathCount;
    wbMesh mesh; ///< of a file
} wbSceneCollider;

typedef struct wbSceneMechanism {
    char name[WB_NAME_SIZE];
    wbMechanismParams params;
    wbArray parts; ///< int: colliders of the scene
    int partCount;
} wbSceneMechanism;

/// A soft body.
typedef struct wbSceneSoftBody {
    char name[WB_NAME_SIZE];
    wbSoftBodyParams params;
    wbArray pins, attachments; ///< int, wbSceneAttachment
    int pinCount, attachmentCount;
    wbMesh mesh; ///< of a file
} wbSceneSoftBody;

typedef struct wbScenePart {
    wbRigidPartDef def;
    wbArray points; ///< wbVec3
    int pointCount;
} wbScenePart;

typedef struct wbSceneRigidBody {
    char name[WB_NAME_SIZE]; ///< "": none; of copies: before their numbers
    wbRigidBodyParams params;
    wbMesh mesh;             ///< of a file
    wbArray points, heights; ///< wbVec3, float
    int pointCount, heightCount, heightCounts[2];
    wbArray parts; ///< wbScenePart
    int partCount;
    wbSceneCopies copies;
    bool hasCopies;
} wbSceneRigidBody;

/// Bodies by their numbers in the world, which follow from the order of the scene's.
typedef struct wbSceneJoint {
    char name[WB_NAME_SIZE]; ///< "": none; of a chain: before their numbers
    wbJointParams params;
    int bodies[2];  ///< -1: the world
    int chainCount; ///< a chain: of so many bodies, from the first on; 0: none
} wbSceneJoint;

typedef struct wbSceneForce {
    char name[WB_NAME_SIZE];
    wbForceParams params;
    wbArray bodies; ///< int
    int bodyCount;
    bool isOnAll;
} wbSceneForce;

typedef struct wbSceneSource {
    char name[WB_NAME_SIZE];
    wbSourceParams params;
    wbMesh mesh; ///< of a file
} wbSceneSource;

typedef struct wbSceneProbe {
    char name[WB_NAME_SIZE], fluid[WB_NAME_SIZE], collider[WB_NAME_SIZE]; ///< "": none
    wbProbeParams params;
} wbSceneProbe;

typedef struct wbSceneGrab {
    char name[WB_NAME_SIZE], of[WB_NAME_SIZE]; ///< of: "" pushes fluids
    wbGrabParams params;
} wbSceneGrab;

/// "At this time, set key to value." Key and value have been checked.
typedef struct wbScriptEntry {
    double time; ///< s
    int order;   ///< of entries of one time, from 1: those of the file first
    char key[WB_KEY_SIZE];
    char value[WB_VALUE_SIZE];
} wbScriptEntry;

struct wbScene {
    wbSceneProgressFn *progress; ///< told while its world is made; NULL: nobody
    void *progressContext;
    wbSource source; ///< errors of its world point into it
    wbWorldDef def;
    wbCameraParams camera;
    wbArray cameraKeys; ///< wbCameraKey, by time; none: the camera stands still
    int cameraKeyCount;
    wbOutputParams output;
    wbArray title, description; ///< char, closed by a zero
    wbArray files;              ///< char: paths, each closed by a zero
    int fileCount, fileBytes;
    wbArray fluids; ///< wbSceneFluid
    int fluidCount;
    wbArray emitters, drains; ///< wbSceneEmitter, wbSceneDrain
    int emitterCount, drainCount;
    wbArray colliders, mechanisms; ///< wbSceneCollider, wbSceneMechanism
    int colliderCount, mechanismCount;
    wbArray softBodies; ///< wbSceneSoftBody
    int softBodyCount;
    wbArray rigidBodies;   ///< wbSceneRigidBody
    const char *bodiesKey; ///< of their list in the file
    int rigidBodyCount;
    wbArray joints, forces; ///< wbSceneJoint, wbSceneForce
    int jointCount, forceCount;
    wbArray sources; ///< wbSceneSource
    int sourceCount;
    wbArray probes; ///< wbSceneProbe
    int probeCount;
    wbArray grabs; ///< wbSceneGrab
    int grabCount;
    wbArray script;   ///< wbScriptEntry, by time
    bool isDomainSet; ///< after it was read, by wbScene_Set
    int scriptCount;
    int fileScriptCount; ///< of those: in the file
};

static inline wbSceneFluid *wbScene_GetFluid(const wbScene *scene, int index) {
    return (wbSceneFluid *)scene->fluids.data + index;
}

static inline wbSceneEmitter *wbScene_GetEmitter(const wbScene *scene, int index) {
    return (wbSceneEmitter *)scene->emitters.data + index;
}
static inline wbSceneDrain *wbScene_GetDrain(const wbScene *scene, int index) {
    return (wbSceneDrain *)scene->drains.data + index;
}
static inline wbSceneCollider *wbScene_GetCollider(const wbScene *scene, int index) {
    return (wbSceneCollider *)scene->colliders.data + index;
}
static inline wbSceneMechanism *wbScene_GetMechanism(const wbScene *scene, int index) {
    return (wbSceneMechanism *)scene->mechanisms.data + index;
}

static inline wbSceneSoftBody *wbScene_GetSoftBody(const wbScene *scene, int index) {
    return (wbSceneSoftBody *)scene->softBodies.data + index;
}

static inline wbSceneRigidBody *wbScene_GetRigidBody(const wbScene *scene, int index) {
    return (wbSceneRigidBody *)scene->rigidBodies.data + index;
}

static inline wbSceneJoint *wbScene_GetJoint(const wbScene *scene, int index) {
    return (wbSceneJoint *)scene->joints.data + index;
}
static inline wbSceneForce *wbScene_GetForce(const wbScene *scene, int index) {
    return (wbSceneForce *)scene->forces.data + index;
}

static inline wbSceneSource *wbScene_GetSource(const wbScene *scene, int index) {
    return (wbSceneSource *)scene->sources.data + index;
}

static inline wbSceneProbe *wbScene_GetProbe(const wbScene *scene, int index) {
    return (wbSceneProbe *)scene->probes.data + index;
}

static inline wbSceneGrab *wbScene_GetGrab(const wbScene *scene, int index) {
    return (wbSceneGrab *)scene->grabs.data + index;
}

/// How many bodies a body of the scene is, with its copies.
double wbCountCopies(const wbSceneRigidBody *body);
wbStatus wbScene_AddRigidBody(const wbScene *scene, int index, wbWorld *world);
/// Whether the world has the scene's rigid bodies, joints and forces, by their names.
wbStatus wbScene_CompareRigidBodies(const wbScene *scene, const wbWorld *world);
wbStatus wbScene_AddJoint(const wbScene *scene, int index, wbWorld *world);
wbStatus wbScene_AddForce(const wbScene *scene, int index, wbWorld *world);
/// The bodies that a name of the scene means, by their numbers in the world: one, or all copies; false: there is none.
bool wbScene_FindBodies(const wbScene *scene, const char *name, int *first, int *count);
/// Copies of a body and joints of a chain are named "crate-0", "crate-1", …: how many have this name in common; 0: it is none of that kind.
int wbScene_CountNumbered(const wbScene *scene, const char *name);
/// "crate" of "crate-12"; NULL: no copy of a body and no joint of a chain has the name.
const char *wbScene_FindCommonName(const wbScene *scene, const char *name);
void wbFreeSceneRigidBody(wbSceneRigidBody *body);

/// The names of all objects, one by one: NULL behind the last.
const char *wbScene_GetObjectName(const wbScene *scene, int index);
/// The names of all objects of a kind, one by one, NULL behind the last: "fluid", "emitter", "collider".
const char *wbScene_GetNameOfKind(const wbScene *scene, const char *kind, int index);
/// The table of an object with parameters and its struct in the scene; NULL if there is no such object.
const wbParamTable *wbScene_FindObject(const wbScene *scene, const char *name, void **params);

/// What a world says of an object of a list ("softBodies"), or of a section, with its place in the file.
wbStatus wbScene_FailAtObject(const wbScene *scene, const char *list, int index, wbStatus status);
wbStatus wbScene_FailAtSection(const wbScene *scene, wbStatus status);

/// The section's table and its struct in the scene; NULL if there is no such section.
const wbParamTable *wbScene_FindSection(const wbScene *scene, const char *name, void **section);

/// A parameter that a script may set, from "section.name" or "object.name".
typedef struct wbScriptTarget {
    char owner[WB_NAME_SIZE]; ///< the section, or the object's name
    const wbParamTable *table;
    const wbParam *param;
    void *section;     ///< its struct in the scene
    bool depthAllowed; ///< in 2D a vector may have three numbers as well
} wbScriptTarget;
enum { WB_MAX_SECTION = 512 }; ///< bytes of the largest of those structs
wbStatus wbScene_FindScriptTarget(const wbScene *scene, const char *key, wbScriptTarget *target);

/// Whether the script sets something of a section or object: then what it is at the start says little.
bool wbScene_IsScripted(const wbScene *scene, const char *owner);

/// Appends; wbScene_SortScript then puts all in the order of time.
wbStatus wbScene_AddScriptEntry(wbScene *scene, const wbScriptEntry *entry);
void wbScene_SortScript(wbScene *scene);

/// Appends a zeroed element to an array of the scene; NULL if memory ran out.
void *wbAppend(wbArray *array, int *count);
wbStatus wbSetString(wbArray *string, const char *text);
/// Notes a file that the scene was read from.
wbStatus wbScene_AddFile(wbScene *scene, const char *path);

/// Whether a block is a box that holds particles and lies within the closed sides. The text has no subject:
/// "reaches beyond …".
wbStatus wbScene_CheckBlock(const wbScene *scene, wbFluidSolver solver, const wbBlockDef *block);
wbStatus wbScene_CheckPosition(const wbScene *scene, wbVec3 position);
/// How many particles a block holds: a double, as a wrong spacing may ask for more than an integer counts.
double wbScene_CountBlock(const wbScene *scene, wbFluidSolver solver, const wbBlockDef *block);
/// Whether balls and boxes of random places are in the domain. The world looks at meshes.
wbStatus wbScene_CheckBall(const wbScene *scene, const wbBallDef *ball);
wbStatus wbScene_CheckRandom(const wbScene *scene, const wbRandomDef *random);
/// m3 (m2 in 2D): the room of a fluid's blocks, which whole layers of particles may not fill.
double wbScene_MeasureBlocks(const wbScene *scene, const wbSceneFluid *fluid);
/// m3 (2D: m2) of a fluid's balls and meshes, and about how many particles they and the random places are.
double wbScene_MeasureFills(const wbScene *scene, const wbSceneFluid *fluid);
double wbScene_CountFills(const wbScene *scene, const wbSceneFluid *fluid);
wbStatus wbScene_AddFills(const wbSceneFluid *fluid, wbWorld *world, wbFluidId id);
void wbFreeFills(wbSceneFluid *fluid);
/// How many particles all of what fills a fluid are, about.
double wbScene_CountFluid(const wbScene *scene, const wbSceneFluid *fluid);
/// m3, of a closed mesh.
double wbMeasureVolume(const wbMesh *mesh);
/// Whether a world can hold so many.
wbStatus wbCheckParticleCount(double count);
