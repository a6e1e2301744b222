// SPDX-License-Identifier: MIT
// Checkpoints: a world as a file. The sections of the file (core/section_file.h) are
//
//     writer              "key=value" lines: version, compiler, CPU, instruction set, backend
//     params              "section.name=value" lines, as wbWorld_SetParam reads them, of what is used
//     domain              wbSavedDomain
//     ids                 slots of each kind of objects, then the generation of each slot
//     fluids              wbSavedFluid per fluid
//     idRuns              wbSavedIdRun per run of ids that one fluid was given
//     emitters, drains    wbSavedEmitter, wbSavedDrain: names and states
//     colliders, mechanisms, meshVertices, meshIndices   likewise; the meshes one behind the other
//     time, stepCount, …  one per number of wbWorld_ListValues
//     solvers             names of the solvers that are there, a line each
//     sph.count, sph.x, … one per value and column of each of them, in memory order (world/solver.h)
//     softBodies          a record per soft body
//     smoke.window        int32_t low[3], high[3]: where fine cells are; only with smoke.follow
//     probes              wbSavedProbe
//     grabs               wbSavedGrab: with parameters, since what changes often is a state
//     sources, sourceVertices, sourceIndices   a record per source, and their meshes
//     rigidBodies, rigidForms   a record per rigid body, and the recipes of their shapes
//     body.shape, body.type, …  parameters of rigid bodies, a section each
//     objects             "name.parameter=value" lines, of what has a name
#pragma once

#include "core/section_file.h"
#include "world/collider.h"
#include "world/flow.h"
#include "world/grab.h"

typedef struct wbSavedDomain {
    wbVec3 min, max; ///< where it was made
    wbSideDef sides[wb_sideCount];
    float nowMin[3], nowMax[3];
    float targetMin[3], targetMax[3], sideSpeed; ///< where sides go, and how fast
} wbSavedDomain;

typedef struct wbSavedFluid {
    char name[WB_NAME_SIZE];
    uint32_t index1, solver; ///< index1: as of its id
    int64_t spawned, removed;
    double restDensity; ///< kg/m3; 0: the solver's
} wbSavedFluid;

typedef struct wbSavedIdRun {
    uint32_t first, fluid;
} wbSavedIdRun;

typedef struct wbSavedEmitter {
    char name[WB_NAME_SIZE];
    uint32_t index1, fluid;
    wbEmitterState state;
    int64_t isFed; ///< 0 or 1
} wbSavedEmitter;

typedef struct wbSavedDrain {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t emitter; ///< index; -1: none
    wbDrainState state;
} wbSavedDrain;

typedef struct wbSavedCollider {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t mechanism, part; ///< as of wbCollider
    int32_t vertexCount, triangleCount;
    int32_t none; ///< 0
    wbColliderState state;
} wbSavedCollider;

typedef struct wbSavedMechanism {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t partCount;
    wbMechanismState state;
} wbSavedMechanism;

typedef struct wbSavedProbe {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    wbFluidId fluid; ///< null: all
    wbColliderId collider;
} wbSavedProbe;

enum { WB_GRAB_ROWS = 10 };

typedef struct wbSavedGrab {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t kind;                  ///< of what it holds, by WB_OBJECT_KINDS; -1: nothing
    uint32_t ofIndex1, generation; ///< id of that
    wbGrabState state;
    double numbers[WB_GRAB_ROWS][3]; ///< its parameters, by the rows of their table
} wbSavedGrab;

/// @name What is saved, into the memory of the list, whose writing tells if there was too little
/// @{
/// The lines of "writer", "params" and "objects".
void wbSaveWriter(const wbWorld *world, wbSectionList *list);
void wbSaveParams(const wbWorld *world, wbSectionList *list);
void wbSaveObjects(const wbWorld *world, wbSectionList *list);
void wbSaveIds(const wbWorld *world, wbSectionList *list);
void wbSaveDomain(const wbWorld *world, wbSectionList *list);
/// What is there: fluids, solvers, and all that has a name, with their states and meshes.
void wbSaveMakeUp(const wbWorld *world, wbSectionList *list);
/// Emitters and drains; colliders and mechanisms.
void wbSaveFlow(const wbWorld *world, wbSectionList *list);
void wbSaveColliders(const wbWorld *world, wbSectionList *list);
void wbSaveProbes(const wbWorld *world, wbSectionList *list);
void wbSaveGrabs(const wbWorld *world, wbSectionList *list);
/// @}

/// Refuses unknown names and values out of range.
wbStatus wbReadSavedParams(const wbSection *section, wbWorldDef *def);
/// Those, and the domain as it was made.
wbStatus wbReadSavedDef(wbSectionList *list, wbWorldDef *def, wbSavedDomain *saved);
/// Where the sides of a domain are, and where they go.
wbStatus wbLoadSides(const wbSavedDomain *saved, wbDomain *domain);
/// The world's own numbers.
wbStatus wbLoadValues(wbSectionList *list, wbWorld *world);
/// Sets the parameters of objects that have others.
wbStatus wbReadSavedObjects(const wbSection *section, wbWorld *world);
/// Before all objects; and after them, whether all are there.
wbStatus wbLoadIds(wbSectionList *list, wbWorld *world);
wbStatus wbCheckIds(const wbWorld *world);
wbStatus wbLoadFlow(wbSectionList *list, wbWorld *world);
wbStatus wbLoadColliders(wbSectionList *list, wbWorld *world);
wbStatus wbLoadProbes(wbSectionList *list, wbWorld *world);
wbStatus wbLoadGrabs(wbSectionList *list, wbWorld *world);

/// @name What is loaded into objects that are there already: checked, with its room, then loaded, which cannot fail
/// @{
wbStatus wbReserveIdRuns(wbSectionList *list, wbWorld *world);
void wbLoadIdRuns(wbSectionList *list, wbWorld *world);
void wbLoadFluidCounts(wbSectionList *list, wbWorld *world);
wbStatus wbCheckFlowStates(wbSectionList *list);
void wbLoadFlowStates(wbSectionList *list, wbWorld *world);
wbStatus wbCheckColliderStates(wbSectionList *list);
void wbLoadColliderStates(wbSectionList *list, wbWorld *world);
wbStatus wbCheckGrabStates(wbSectionList *list);
void wbLoadGrabStates(wbSectionList *list, wbWorld *world);
/// @}

enum { WB_MAX_SAVED_ROWS = 64 };

/// Parameters of all objects of a kind that is savedAs, in a file.
typedef struct wbSavedRows {
    const wbObjectKind *kind;
    const char *columns[WB_MAX_SAVED_ROWS]; ///< by the rows of its table; NULL: the file does not say it
} wbSavedRows;
void wbSaveRows(const wbWorld *world, const wbObjectKind *kind, wbSectionList *list);
wbStatus wbFindRows(wbSectionList *list, const wbObjectKind *kind, size_t count, wbSavedRows *rows);
/// Those of one object, checked.
wbStatus wbReadRow(const wbSavedRows *rows, size_t index, void *params);

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
/// Whether a name and an index of an id can be those of an object.
bool wbIsSavedObject(const char name[WB_NAME_SIZE], uint32_t index1);

/// Tells the log what in this program or machine is not as it was when the file was written. `missing`: why the device
/// that it was written with cannot be had.
void wbNoticeWriter(const wbSection *section, const wbWorld *world, wbStatus missing);

/// Whether what a file says of fluids and particles can be the state of a world that has its numbers and its domain already.
wbStatus wbCheckParticles(wbSectionList *list, wbWorld *world);
/// The same when all of it is loaded, and the fluids' names; counts the fluids' particles.
wbStatus wbCheckLoaded(wbSectionList *list, wbWorld *world);
/// Floats of a file, which may lie anywhere: what is beyond 1e30 is taken as not finite.
bool wbAreFinite(const void *floats, size_t count);

/// The world of a file's sections beside another, on what computes that one (wbCreateWorldBeside).
wbStatus wbLoadBeside(wbSectionList *list, const wbWorld *other, wbWorld **world);
