// SPDX-License-Identifier: MIT
// Reading JSON values into the structs that tables describe.
#pragma once

#include <jansson.h>

#include "scene/forms.h"
#include "scene/scene.h"
#include "scene/source.h"

typedef struct wbReader {
    const wbSource *source;
    wbScene *scene;
    const char *path;      ///< of the scene's file
    double *particleCount; ///< so far
    const char *subject;   ///< what messages call the whole file; NULL: "the scene"
} wbReader;

/// JSON, without keys that stand twice; to be released by json_decref.
wbStatus wbParseSource(const wbSource *source, json_t **root);

/// One row from one value. `owner` is what messages put before its name: "sph" in "sph.viscosity".
wbStatus wbReadParam(const wbReader *reader, const char *owner, const wbParam *param, bool depthAllowed,
                     const json_t *value, const wbPath *path, void *target);

/// A whole object: refuses unknown keys and missing ones, reads the rows that are there.
wbStatus wbReadObject(const wbReader *reader, const wbForm *form, const json_t *object, const wbPath *path,
                      void *target);

/// The rows "group.name" of a section's table, from an object of its own.
wbStatus wbReadGroup(const wbReader *reader, const wbParamTable *table, const char *group,
                     const json_t *object, const wbPath *path, void *target);

/// Refuses keys of an object that are not in the list.
wbStatus wbCheckKeys(const wbReader *reader, const json_t *object, const wbPath *path,
                     const char *const *names, int count);

/// The "name" of an object, which no section and no other object has.
wbStatus wbReadName(const wbReader *reader, const json_t *object, const wbPath *path, char *target);

/// The same where it may be left out: "" then.
wbStatus wbReadOptionalName(const wbReader *reader, const json_t *object, const wbPath *path, char *target);

/// An optional key that names another object: "" without it.
wbStatus wbReadReference(const wbReader *reader, const json_t *object, const wbPath *path, const char *key,
                         char target[WB_NAME_SIZE]);

/// The number, in the world, of the one rigid body that a value names.
wbStatus wbReadOneBody(const wbReader *reader, const json_t *value, const wbPath *path, int *body);

/// "viscosity is the string "thick", must be a number" unless `fits`.
wbStatus wbCheckType(const wbReader *reader, bool fits, const json_t *value, const wbPath *path,
                     const char *wanted);

/// "fluids[0].blocks[2] reaches beyond …", at its place.
wbStatus wbReader_FailAtSubject(const wbReader *reader, const wbPath *path, wbStatus status);

/// "there is no collider named "gaet"; did you mean "gate"?", at its place.
wbStatus wbReader_FailUnknown(const wbReader *reader, const wbPath *path, const char *kind, const char *name);

/// The mesh that a key of an object names: a file beside the scene, if its path does not start at the root.
wbStatus wbReadMeshKey(const wbReader *reader, const json_t *value, const wbPath *owner, wbMesh *mesh);

/// Before the sections of solvers: what the qualities of fluids set.
void wbReadQualities(const wbReader *reader, const json_t *fluids);
/// Of one fluid, that its quality fits its solver and the fluids before it; chooses its solver.
wbStatus wbCheckQuality(const wbReader *reader, const json_t *value, const wbPath *path,
                        wbSceneFluidKeys *keys);

/// One object of a list.
wbStatus wbReadCollider(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadMechanism(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadSoftBody(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadRigidBody(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadJoint(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadForce(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadAirSource(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadGrab(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadProbe(const wbReader *reader, const json_t *value, const wbPath *path);

/// Sections with code of their own.
wbStatus wbReadDomain(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadFluids(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadEmitters(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadDrains(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadColliders(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadMechanisms(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadSoftBodies(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadRigidBodies(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadJoints(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadForces(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadSources(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadCamera(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadProbes(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadGrabs(const wbReader *reader, const json_t *value, const wbPath *path);
wbStatus wbReadScript(const wbReader *reader, const json_t *value, const wbPath *path);
