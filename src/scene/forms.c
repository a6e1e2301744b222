// SPDX-License-Identifier: MIT
#include "scene/forms.h"

#include "core/param_table.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

// clang-format off
#define WB_SIDE_FIELDS(F, A, I, B, E, V, S)                                                                  \
    E(type, wbSideType, wb_sideFreeSlip, "freeSlip|noSlip|open", 0,                                          \
      "freeSlip: nothing passes, sliding is free; noSlip: fluid at the side moves with it; open: everything passes")  \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0,                                                              \
      "of the side; the part along it drags a fluid that does not slip")                                     \
    A(temperature, NAN, -1e6f, 1e6f, "K", 0,                                                                 \
      "with smoke.thermalDiffusivity: held at a closed side; auto: it insulates")

#define WB_FLUID_FIELDS(F, A, I, B, E, V, S)                                                                 \
    E(solver, wbFluidSolver, 0, wb_fluidSolverNames, 0, "the method that moves it; with a quality: its solver")  \
    E(quality, wbQuality, 0, wb_qualityNames, 0,                                                             \
      "sets parameters of its solver for all fluids of it, unless the solver's section gives them; own: none")   \
    A(restDensity, 0, 1e-3f, 1e6f, "kg/m3", 0,                                                               \
      "density of the undisturbed fluid; auto: the solver's restDensity")

#define WB_BLOCK_FIELDS(F, A, I, B, E, V, S)                                                                 \
    V(min, 0, 0, 0, -1e9f, 1e9f, "m", 0, "lower corner")                                                     \
    V(max, 0, 0, 0, -1e9f, 1e9f, "m", 0, "upper corner")                                                     \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "of all its particles at the start")                         \
    F(jitter, 0, 0, 0.5f, "spacings", 0, "random shift of each coordinate")

#define WB_BALL_FIELDS(F, A, I, B, E, V, S)                                                                  \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 0, "of its middle")                                               \
    F(radius, 0.5f, 1e-6f, 1e6f, "m", 0, "of the ball; in 2D of a disc")                                     \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "of all its particles at the start")

#define WB_FILL_MESH_FIELDS(F, A, I, B, E, V, S)                                                             \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 0, "of its origin")                                               \
    V(rotation, 0, 0, 0, -1e6f, 1e6f, "deg", 0, "about x, then y, then z")                                   \
    F(scale, 1, 1e-6f, 1e6f, "", 0, "of the mesh")                                                           \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "of all its particles at the start")

#define WB_RANDOM_FIELDS(F, A, I, B, E, V, S)                                                                \
    V(min, 0, 0, 0, -1e9f, 1e9f, "m", 0, "lower corner")                                                     \
    V(max, 0, 0, 0, -1e9f, 1e9f, "m", 0, "upper corner")                                                     \
    I(count, 1, 1, 2147483647, "", 0, "how many")                                                            \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "of all of them at the start")

#define WB_PARTICLE_FIELDS(F, A, I, B, E, V, S)                                                              \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 0, "where it starts")                                             \
    V(velocity, 0, 0, 0, -1e6f, 1e6f, "m/s", 0, "at the start")

#define WB_ATTACH_FIELDS(F, A, I, B, E, V, S)                                                                \
    I(particle, 0, -10000000, 10000000, "", 0, "from 0, or from the end, where -1 is the last")              \
    V(point, 0, 0, 0, -1e6f, 1e6f, "m", 0, "of the body, in its frame; without it, where the particle is")

#define WB_PART_FIELDS(F, A, I, B, E, V, S)                                                                  \
    E(shape, wbRigidShape, wb_rigidBox, "box|sphere|capsule|cylinder|plane|hull|mesh|heights|polygon|compound", 0, \
      "box, sphere, capsule, cylinder, hull or polygon")                                                     \
    V(position, 0, 0, 0, -1e6f, 1e6f, "m", 0, "of its origin, in the body's frame")                          \
    V(rotation, 0, 0, 0, -1e6f, 1e6f, "deg", 0, "about x, then y, then z; in 2D about z only")               \
    V(size, 1, 1, 1, 1e-4f, 1e4f, "m", 0, "box: edges")                                                      \
    F(radius, 0.5f, 1e-4f, 1e4f, "m", 0, "sphere, capsule, cylinder")                                        \
    F(height, 1, 1e-4f, 1e4f, "m", 0, "cylinder: along y; capsule: of its middle part, along y")

#define WB_COPIES_FIELDS(F, A, I, B, E, V, S)                                                                \
    V(counts, 1, 1, 1, 1, 1e6f, "", 0, "along x, y, z; position is the middle of the lowest layer")          \
    V(spacing, 1, 1, 1, -1e6f, 1e6f, "m", 0, "from one to the next")                                         \
    F(shift, 0, -1e6f, 1e6f, "m", 0,                                                                         \
      "of layers: to the right and to the left in turn, every two of them also to the front and to the back") \
    F(jitter, 0, 0, 1e6f, "m", 0, "random shift of each coordinate, at most")                                \
    I(most, 0, 0, 16777216, "", 0, "no more than so many, layer by layer; 0: all")                           \
    I(every, 1, 1, 16777216, "", 0, "only every so many-th place of the lattice")                            \
    I(first, 0, 0, 16777216, "", 0, "the first of those places")                                             \
    E(turn, wbCopyTurn, wb_turnNone, "none|random", 0, "none: as rotation says; random: any way, by world.seed") \
    I(tints, 6, 1, 6, "", 0, "colours that they have at random; 1: the body's own")

#define WB_SCRIPT_FIELDS(F, A, I, B, E, V, S)                                                                \
    F(at, 0, 0, 1e9f, "s", 0, "simulated time from which the value holds")

#define WB_CAMERA_KEY_FIELDS(F, A, I, B, E, V, S)                                                            \
    F(at, 0, 0, 1e9f, "s", 0, "simulated time at which the camera is there")                                 \
    V(position, 0, 0, 0, -1e9f, 1e9f, "m", 0, "where it stands")                                             \
    V(target, 0, 0, 0, -1e9f, 1e9f, "m", 0, "what it looks at")                                              \
    F(fov, 40, 5, 120, "degrees", 0, "vertical angle of view; without it camera.fov")
// clang-format on

#define WB_PARAM_STRUCT wbSideDef
static const wbParam sideRows[] = {WB_PARAM_ROWS(WB_SIDE_FIELDS)};
static const wbParamTable sideTable =
    WB_PARAM_TABLE("side", "one of the six ends of the box", wbSideDef, sideRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbSceneFluidKeys
static const wbParam fluidRows[] = {WB_PARAM_ROWS(WB_FLUID_FIELDS)};
static const wbParamTable fluidTable =
    WB_PARAM_TABLE("fluid", "a body of fluid", wbSceneFluidKeys, fluidRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbBlockDef
static const wbParam blockRows[] = {WB_PARAM_ROWS(WB_BLOCK_FIELDS)};
static const wbParamTable blockTable =
    WB_PARAM_TABLE("block", "a box filled with particles on a lattice", wbBlockDef, blockRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbBallDef
static const wbParam ballRows[] = {WB_PARAM_ROWS(WB_BALL_FIELDS)};
static const wbParamTable ballTable =
    WB_PARAM_TABLE("ball", "a ball filled with particles on a lattice", wbBallDef, ballRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbFillMeshDef
static const wbParam fillMeshRows[] = {WB_PARAM_ROWS(WB_FILL_MESH_FIELDS)};
static const wbParamTable fillMeshTable = WB_PARAM_TABLE(
    "mesh", "a closed mesh filled with particles on a lattice, in 3 dimensions", wbFillMeshDef, fillMeshRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbRandomDef
static const wbParam randomRows[] = {WB_PARAM_ROWS(WB_RANDOM_FIELDS)};
static const wbParamTable randomTable = WB_PARAM_TABLE(
    "random", "particles at random places of a box, no two nearer than a spacing", wbRandomDef, randomRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbSceneParticle
static const wbParam particleRows[] = {WB_PARAM_ROWS(WB_PARTICLE_FIELDS)};
static const wbParamTable particleTable =
    WB_PARAM_TABLE("particle", "a single particle", wbSceneParticle, particleRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbSceneAttachment
static const wbParam attachRows[] = {WB_PARAM_ROWS(WB_ATTACH_FIELDS)};
static const wbParamTable attachTable =
    WB_PARAM_TABLE("attach", "a particle that a rigid body holds", wbSceneAttachment, attachRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbRigidPartDef
static const wbParam partRows[] = {WB_PARAM_ROWS(WB_PART_FIELDS)};
static const wbParamTable partTable =
    WB_PARAM_TABLE("part", "a convex part of a compound", wbRigidPartDef, partRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbSceneCopies
static const wbParam copiesRows[] = {WB_PARAM_ROWS(WB_COPIES_FIELDS)};
static const wbParamTable copiesTable =
    WB_PARAM_TABLE("copies", "a lattice of bodies that are alike", wbSceneCopies, copiesRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbSceneMoment
static const wbParam scriptRows[] = {WB_PARAM_ROWS(WB_SCRIPT_FIELDS)};
static const wbParamTable scriptTable =
    WB_PARAM_TABLE("script", "a parameter that changes at a time", wbSceneMoment, scriptRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbCameraKey
static const wbParam cameraKeyRows[] = {WB_PARAM_ROWS(WB_CAMERA_KEY_FIELDS)};
static const wbParamTable cameraKeyTable =
    WB_PARAM_TABLE("key", "where the camera is at a time", wbCameraKey, cameraKeyRows);
#undef WB_PARAM_STRUCT

#define WB_PARAM_STRUCT wbCameraParams
static const wbParam cameraRows[] = {WB_PARAM_ROWS(WB_CAMERA_PARAMS)};
#undef WB_PARAM_STRUCT
#define WB_PARAM_STRUCT wbOutputParams
static const wbParam outputRows[] = {WB_PARAM_ROWS(WB_OUTPUT_PARAMS)};
#undef WB_PARAM_STRUCT

static const wbParamTable sceneTables[] = {
    WB_PARAM_TABLE("camera", "where pictures are taken from", wbCameraParams, cameraRows),
    WB_PARAM_TABLE("output", "what frames are and how they are drawn", wbOutputParams, outputRows),
};

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

const wbForm wb_sideForm = {&sideTable, NULL, NULL, false};
const wbForm wb_fluidForm = {
    &fluidTable, NAMES("name", WB_FLUID_GROUP, "blocks", "balls", "meshes", "random", "particles"),
    NAMES("name"), false};
const wbForm wb_blockForm = {&blockTable, NULL, NAMES("min", "max"), false};
const wbForm wb_ballForm = {&ballTable, NULL, NAMES("position", "radius"), false};
const wbForm wb_fillMeshForm = {&fillMeshTable, NAMES("mesh"), NAMES("mesh"), false};
const wbForm wb_randomForm = {&randomTable, NULL, NAMES("min", "max", "count"), false};
const wbForm wb_particleForm = {&particleTable, NULL, NAMES("position"), false};
const wbForm wb_attachForm = {&attachTable, NAMES("body"), NAMES("particle", "body"), false};
const wbForm wb_partForm = {&partTable, NAMES("points"), NULL, true};
const wbForm wb_copiesForm = {&copiesTable, NULL, NAMES("counts", "spacing"), false};
const wbForm wb_scriptForm = {&scriptTable, NAMES("set", "value"), NAMES("at", "set", "value"), false};

const wbForm wb_cameraKeyForm = {&cameraKeyTable, NULL, NAMES("at", "position", "target"), true};

const char *const wb_sideNames[wb_sideCount] = {"left", "right", "bottom", "top", "back", "front"};

wbForm wbMakeSectionForm(const wbParamTable *table) {
    static const char *const ofCamera[] = {"keys", NULL};
    const bool isCamera = table == &sceneTables[0];
    return (wbForm){.table = table, .others = isCamera ? ofCamera : NULL, .depthAllowed = isCamera};
}

wbForm wbMakeDomainForm(void) {
    static const char *const others[] = {"sides", NULL}, *const required[] = {"min", "max", NULL};
    return (wbForm){wbGetParams("domain"), others, required, false};
}

wbForm wbMakeEmitterForm(void) {
    static const char *const others[] = {"name", "fluid", NULL}, *const required[] = {"name", NULL};
    return (wbForm){wbGetObjectParams("emitter"), others, required, false};
}

wbForm wbMakeDrainForm(void) {
    static const char *const others[] = {"name", "emitter", NULL}, *const required[] = {"name", "min", "max",
                                                                                        NULL};
    return (wbForm){wbGetObjectParams("drain"), others, required, false};
}

// In 2D a turn is about z, and a vector may say so.
wbForm wbMakeColliderForm(void) {
    static const char *const others[] = {"name", "mesh", "path", NULL}, *const required[] = {"name", NULL};
    return (wbForm){wbGetObjectParams("collider"), others, required, true};
}

wbForm wbMakeMechanismForm(void) {
    static const char *const others[] = {"name", "colliders", NULL}, *const required[] = {"name", "kind",
                                                                                          "colliders", NULL};
    return (wbForm){wbGetObjectParams("mechanism"), others, required, true};
}

wbForm wbMakeSoftBodyForm(void) {
    static const char *const others[] = {"name", "mesh", "pins", "attach", NULL}, *const required[] = {
                                                                                      "name", "shape", NULL};
    return (wbForm){wbGetObjectParams("softBody"), others, required, false};
}

// In 2D a turn is about z, and a vector may say so.
wbForm wbMakeRigidBodyForm(void) {
    static const char *const others[] = {"name", "mesh", "points", "heights", "parts", "copies", NULL};
    return (wbForm){wbGetObjectParams("rigidBody"), others, NULL, true};
}

wbForm wbMakeJointForm(void) {
    static const char *const others[] = {"name", "bodies", NULL}, *const required[] = {"kind", "bodies",
                                                                                       NULL};
    return (wbForm){wbGetObjectParams("joint"), others, required, true};
}

wbForm wbMakeForceForm(void) {
    static const char *const others[] = {"name", "bodies", NULL}, *const required[] = {"kind", "bodies",
                                                                                       NULL};
    return (wbForm){wbGetObjectParams("force"), others, required, true};
}

wbForm wbMakeSourceForm(void) {
    static const char *const others[] = {"name", "mesh", NULL}, *const required[] = {"name", NULL};
    return (wbForm){wbGetObjectParams("source"), others, required, false};
}

// In 2D a rectangle turns about z, and a vector may say so.
wbForm wbMakeProbeForm(void) {
    static const char *const others[] = {"name", "fluid", "collider", NULL}, *const required[] = {
                                                                                 "name", "kind", NULL};
    return (wbForm){wbGetObjectParams("probe"), others, required, true};
}

wbForm wbMakeGrabForm(void) {
    static const char *const others[] = {"name", "of", NULL}, *const required[] = {"name", NULL};
    return (wbForm){wbGetObjectParams("grab"), others, required, true};
}

const wbParamTable *wbGetSceneParamTables(int *count) {
    WB_REQUIRE(count);
    *count = sizeof sceneTables / sizeof sceneTables[0];
    return sceneTables;
}

int wbListSceneKeys(const char *keys[WB_MAX_SCENE_KEYS]) {
    static const char *const others[] = {
        "$schema", "title",     "description", "world",      "domain", "fluids",      "emitters",
        "drains",  "colliders", "mechanisms",  "softBodies", "bodies", "rigidBodies", "joints",
        "forces",  "sources",   "probes",      "grabs",      "script", "camera",      "output"};
    enum { OTHER_COUNT = sizeof others / sizeof others[0] };
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    WB_ASSERT(OTHER_COUNT + count <= WB_MAX_SCENE_KEYS, "a scene has more sections than there is room for");
    memcpy(keys, others, sizeof others);
    for (int s = 0; s < count; s++) keys[OTHER_COUNT + s] = solvers[s]->name;
    return OTHER_COUNT + count;
}
