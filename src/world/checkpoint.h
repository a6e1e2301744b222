// SPDX-License-Identifier: MIT
// Checkpoints: a world as a file. The sections of the file (core/section_file.h) are
//
//     writer              "key=value" lines: version, compiler, CPU, instruction set, backend
//     params              "section.name=value" lines, as wbWorld_SetParam reads them, of what is used
//     domain              wbDomainDef
//     fluids              wbSavedFluid per fluid
//     idRuns              wbSavedIdRun per run of ids that one fluid was given
//     emitters, drains    wbSavedEmitter, wbSavedDrain: names and states
//     colliders, mechanisms, meshVertices, meshIndices   likewise; the meshes one behind the other
//     soft.bodies         wbSavedSoftBody per soft body; soft.state: wbSavedSoftState
//     soft.particles, soft.constraints, soft.hinges, soft.triangles   of all of them, column by column
//     smoke, smoke.u, …   wbSmokeValues, the air's fields and pressure, and its sources; only with smoke
//     smoke.window, smoke.coarse, …   where fine cells are, and the air in coarse ones; only with smoke.follow
//     objects             "name.parameter=value" lines, of all these
//     time, sph.count, …  one per number of wbWorld_ListValues
//     sph.x, pbf.id, …    one per saved column of wbParticles_ListColumns, in memory order
#pragma once

#include "core/section_file.h"
#include "smoke/smoke.h"
#include "world/collider.h"
#include "world/flow.h"

typedef struct wbSavedFluid {
    char name[WB_NAME_SIZE];
    uint32_t generation, solver;
    int64_t spawned, removed;
    double restDensity; ///< kg/m3; 0: the solver's
} wbSavedFluid;

typedef struct wbSavedIdRun {
    uint32_t first, fluid;
} wbSavedIdRun;

typedef struct wbSavedEmitter {
    char name[WB_NAME_SIZE];
    uint32_t generation, fluid;
    wbEmitterState state;
} wbSavedEmitter;

typedef struct wbSavedDrain {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    int32_t emitter; ///< index; -1: none
    wbDrainState state;
} wbSavedDrain;

typedef struct wbSavedCollider {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    int32_t mechanism, part; ///< as of wbCollider
    int32_t vertexCount, triangleCount;
    wbColliderState state;
} wbSavedCollider;

typedef struct wbSavedMechanism {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    int32_t partCount;
    wbMechanismState state;
} wbSavedMechanism;

typedef struct wbSavedSoftBody {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    int32_t particles, constraints, triangles;
    float particleMass;
} wbSavedSoftBody;

typedef struct wbSavedSoftState {
    float previousDt, maxSpeed;
    float sideMin[3], sideMax[3]; ///< where the sides of the domain shall go
} wbSavedSoftState;

typedef struct wbSavedSource {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    int32_t vertexCount, triangleCount; ///< 0 without a mesh
    uint32_t unused;                    ///< 0
} wbSavedSource;

enum { WB_WRITER_TEXT = 2048 };

/// The lines of "writer"; gives their length.
size_t wbDescribeWriter(const wbWorld *world, char text[WB_WRITER_TEXT]);
/// The lines of "params", in memory of the caller: wbFree(NULL, *text, *size).
wbStatus wbDescribeParams(const wbWorld *world, char **text, size_t *size);

/// Refuses unknown names and values out of range.
wbStatus wbReadSavedParams(const wbSection *section, wbWorldDef *def);

/// The lines of "objects", likewise.
wbStatus wbDescribeObjects(const wbWorld *world, char **text, size_t *size);
/// Sets the parameters of objects that were made with their defaults.
wbStatus wbReadSavedObjects(const wbSection *section, wbWorld *world);

/// The sections of emitters and drains, in memory of the caller: wbFreeSavedFlow.
typedef struct wbSavedFlow {
    wbSavedEmitter *emitters;
    wbSavedDrain *drains;
    size_t emitterBytes, drainBytes;
} wbSavedFlow;
wbStatus wbSaveFlow(const wbWorld *world, wbSavedFlow *saved, wbSectionList *list);
void wbFreeSavedFlow(wbSavedFlow *saved);
wbStatus wbLoadFlow(wbSectionList *list, wbWorld *world);

/// The same for colliders and mechanisms.
typedef struct wbSavedColliders {
    wbSavedCollider *colliders;
    wbSavedMechanism *mechanisms;
    void *vertices, *indices;
    size_t colliderBytes, mechanismBytes, vertexBytes, indexBytes;
} wbSavedColliders;
wbStatus wbSaveColliders(const wbWorld *world, wbSavedColliders *saved, wbSectionList *list);
void wbFreeSavedColliders(wbSavedColliders *saved);
wbStatus wbLoadColliders(wbSectionList *list, wbWorld *world);

/// The same for soft bodies. Without any, and with their parameters untouched, there is nothing to save.
typedef struct wbSavedSoftParts {
    wbSavedSoftState state;
    void *data;
    size_t bytes;
} wbSavedSoftParts;
bool wbIsSoftUsed(const wbWorld *world);
wbStatus wbSaveSoft(const wbWorld *world, wbSavedSoftParts *saved, wbSectionList *list);
void wbFreeSavedSoft(wbSavedSoftParts *saved);
wbStatus wbLoadSoft(wbSectionList *list, wbWorld *world);

/// The same for the air. Sizes are checked before a world is made of the def.
typedef struct wbSavedSources {
    void *sources, *vertices, *indices;
    size_t sourceBytes, vertexBytes, indexBytes;
    wbSmokeValues air, coarse;
    int32_t window[6]; ///< with smoke.follow: low and high
} wbSavedSources;
wbStatus wbSaveAir(const wbWorld *world, wbSavedSources *saved, wbSectionList *list);
void wbFreeSavedAir(wbSavedSources *saved);
wbStatus wbCheckSavedAir(wbSectionList *list, const wbWorldDef *def);
wbStatus wbLoadAir(wbSectionList *list, wbWorld *world);

/// What of two sections of meshes, one behind the other, is not yet read.
typedef struct wbSavedMeshes {
    const char *vertices, *indices;
    size_t vertexBytes, indexBytes;
} wbSavedMeshes;
/// The next of them; `owners` is what they belong to, in plural.
wbStatus wbLoadMesh(wbSavedMeshes *meshes, const char *owners, int vertexCount, int triangleCount,
                    wbMesh *mesh);

/// A section of at most `most` equal parts; *count is how many.
wbStatus wbFindParts(wbSectionList *list, const char *name, size_t size, size_t most,
                     const wbSection **section, size_t *count);
/// Whether a name and a generation can be those of an object.
bool wbIsSavedObject(const char name[WB_NAME_SIZE], uint32_t generation);

/// Tells the log what in this program or machine is not as it was when the file was written. `missing`: why the device
/// that it was written with cannot be had.
void wbNoticeWriter(const wbSection *section, const wbWorld *world, wbStatus missing);

/// Whether what a file says of fluids and particles can be a world's state; counts the fluids' particles.
wbStatus wbCheckLoaded(wbWorld *world);

/// wbLoadWorld of what a file holds. Any bytes are allowed.
wbStatus wbLoadWorldFromBytes(const void *bytes, size_t size, wbWorld **world);
