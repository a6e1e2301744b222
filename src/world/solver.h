// SPDX-License-Identifier: MIT
// Solvers as the world sees them: a table of functions each, listed once. What walks over all solvers walks this list and
// names none of them; what the world has to know of one stands in its adapter, solver_<name>.c.
#pragma once

#include "core/array.h"
#include "core/saved_value.h"
#include "core/section_file.h"
#include "gpu/gpu.h"
#include "space/domain.h"
#include "wirbel/wirbel.h"

struct wbShape;
struct wbPose;
struct wbQueryTree;

/// Solvers that a build of its own adds, as tests/toy_solver.h does.
#ifndef WB_MORE_SOLVERS
#    define WB_MORE_SOLVERS(X)
#endif
#ifndef WB_MORE_FLUID_SOLVERS
#    define WB_MORE_FLUID_SOLVERS(X, SEPARATOR)
#endif

/// The solvers. Those of fluids come first, in the order of wbFluidSolver.
#define WB_FLUID_SOLVERS(X, SEPARATOR) X(sph) SEPARATOR X(pbf) WB_MORE_FLUID_SOLVERS(X, SEPARATOR)
#define WB_SOLVERS(X)                  WB_FLUID_SOLVERS(X, ) X(pbd) X(rigid) X(coupling) X(diffuse) X(smoke) WB_MORE_SOLVERS(X)

enum {
#define WB_SOLVER_INDEX(name) wb_solverIndex_##name,
    WB_SOLVERS(WB_SOLVER_INDEX)
#undef WB_SOLVER_INDEX
        WB_SOLVER_COUNT
};
_Static_assert((int)wb_solverSph == wb_solverIndex_sph && (int)wb_solverPbf == wb_solverIndex_pbf,
               "a fluid's solver is an index of the list");

/// s, a frame of most screens: the step of what is stable at every step.
#define WB_FRAME_STEP (1.0f / 60)
/// s, of solvers that push rigid bodies: contacts of bodies are as stiff as they are at 60 Hz in four sub-steps, and light bodies need to be
/// heard soon.
#define WB_SHARED_STEP (1.0f / 240)

/// When in a step a solver moves: bodies first, since fluids flow around them, which see between the two how they moved.
typedef enum wbStepPlace {
    wb_placeDiffuse, ///< before all: it sees fluids as they are at the start of a step
    wb_placeBodies,
    wb_placeSurfaces,
    wb_placeLiquids,
    wb_placeAir,
    wb_stepPlaceCount
} wbStepPlace;

enum {
    WB_MAX_SOLVER_VALUES = 32,
    WB_MAX_STATE_COLUMNS = 48,
    WB_MAX_DERIVED = 12,
    WB_MAX_SECTION = 512 ///< bytes of a solver's parameters
};

/// A solver in a world. Its parameters are in the world's def, also while it is not there.
typedef struct wbSolver {
    const struct wbSolverKind *kind;
    wbWorld *world;
    void *self;                                  ///< its state, for its adapter; NULL: it is not there
    struct wbParticleFluid *liquid;              ///< the part of it that fluids of particles have; NULL: none
    void *device;                                ///< its state on the device; NULL: there is none
    int64_t subStepCount;                        ///< that it has done
    float lastSubStep;                           ///< s, of the last of them
    uint8_t hostValues[WB_MAX_SOLVER_VALUES][8]; ///< as of the state on the host
    /// @name Of the step that is being done, or the last one
    /// @{
    int group;                ///< those of one group share sub-steps (world/plan.h)
    int planned, done;        ///< sub-steps
    double ms[WB_MAX_PHASES]; ///< wall time of its phases
    /// @}
} wbSolver;

/// One array of a solver's state. It is listed anew whenever it is asked for: places and sizes are those of now.
typedef struct wbStateColumn {
    char name[WB_SECTION_NAME]; ///< "sph.x": its section in a checkpoint
    void *data;                 ///< on the host; NULL if there is no room for it yet
    wbGpuBuffer *buffer; ///< on the device, which holds it where the device is ahead; NULL: the host does
    size_t offset;       ///< bytes, in the buffer
    size_t bytes;
    bool isSnapshot; ///< a step that fails may have changed it: it goes back to what it was before
    bool isFixed;    ///< it is as its objects were made: worlds in which it differs have other objects
} wbStateColumn;

/// A solver on a compute device, whose state stays on it between steps. What is on the host is what was copied back last.
typedef struct wbSolverDevice {
    wbStatus (*create)(const wbSolver *solver, wbGpu *gpu, void **device);
    void (*destroy)(void *device);
    struct wbParticlesGpu *(*getParticles)(void *device); ///< of a fluid; else NULL
    /// Whether the device's state is ahead of the host's.
    bool (*isAhead)(const wbSolver *solver);
    /// Copies it, if it is ahead, beside the host's state; `take` then makes it that, and cannot fail.
    wbStatus (*fetch)(wbSolver *solver);
    void (*take)(wbSolver *solver);
    /// The host's state changed: it is copied to the device at the next step.
    void (*markDirty)(wbSolver *solver);
    /// What is on the device is lost: the host's state counts.
    void (*discard)(wbSolver *solver, wbStatus why);
} wbSolverDevice;

typedef struct wbSolverKind {
    wbSolverInfo info; ///< its name also stands before its phases, values and columns
    wbStepPlace place;
    const wbParamTable *table;      ///< of its parameters, which are in the world's def before the solver is
    const wbQualityInfo *qualities; ///< of its fluids; NULL: it has none
    int qualityCount;
    /// @name Parameters. What is in range may still not fit.
    /// @{
    /// While it is not there; what is left to be chosen may be chosen. NULL: all fit.
    wbStatus (*checkParams)(const wbSolver *solver, void *params);
    /// While it is there: the same, and takes them. After a failure nothing has changed. The state is copied from a device
    /// only if it is needed.
    wbStatus (*setParams)(wbSolver *solver, void *params);
    /// Other parameters, of it or of its objects, change its state at once, as what they wake: they cannot be tried.
    bool changesWithParams;
    /// After gravity, the sides, the number of threads or the world's place in memory changed. NULL: it does not matter.
    void (*refresh)(wbSolver *solver);
    /// @}
    /// Makes `self` by its parameters: with the world if the def asks for it, else with its first object. What a failure leaves
    /// is destroyed, too.
    wbStatus (*create)(wbSolver *solver);
    void (*destroy)(wbSolver *solver);
    /// Of a solver without objects of its own: whether it is to be there in the next step. It comes and goes by that. NULL: others say so.
    bool (*isWanted)(const wbSolver *solver);
    /// s: the longest step that it allows as it is, or, if isAsked, by what was asked for alone; INFINITY: any.
    float (*getStableStep)(const wbSolver *solver, bool isAsked);
    /// Whether another solver has to share its sub-steps. NULL: none has to.
    bool (*joins)(const wbSolver *solver, const wbSolver *other);
    /// Before a step of dt seconds in one or more sub-steps, when colliders know where they will be, and before the snapshot: what it has
    /// to read of the state. If it needs it on the host, it copies it from the device now. NULL: nothing.
    wbStatus (*plan)(wbSolver *solver, float dt);
    /// Before a sub-step of dt seconds, after the snapshot: all of it that may fail. NULL: nothing.
    wbStatus (*prepare)(wbSolver *solver, float dt);
    /// Advances by a sub-step of dt seconds. After a failure other than wb_errorUnstable the world goes back to its snapshot.
    wbStatus (*step)(wbSolver *solver, float dt);
    /// After all solvers of its group have done theirs, and emitters and drains. NULL: nothing.
    void (*settle)(wbSolver *solver, float dt);
    /// After it: wb_errorUnstable if the state is none that physics allows. NULL: `step` looks itself.
    wbStatus (*check)(wbSolver *solver, float dt);
    /// wb_errorUnstable that says when it broke in a step of dt seconds, by `what`, and what the likely cause is.
    wbStatus (*explain)(const wbSolver *solver, float dt, const char *what);
    /// @name State: hash, checkpoint and snapshot walk these lists
    /// @{
    int (*listValues)(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]);
    int (*listColumns)(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
    /// What a step that fails may have changed beside values and columns, without names: it goes back, too. On the host, or, if the
    /// device is ahead, in buffers that no column has. NULL: nothing.
    int (*listUnsaved)(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
    /// A step is over. If it is undone, what was made in it and follows from the state is given up, and the state is
    /// copied back after this. NULL: nothing is to be done.
    void (*endStep)(const wbSolver *solver, bool isUndone);
    /// Before columns are hashed or saved: what is in them but is no state becomes 0. NULL: nothing is.
    void (*clean)(const wbSolver *solver);
    /// @}
    /// @name Checkpoints, beside values and columns; NULL: nothing
    /// @{
    /// Before a world is made of a def that was saved: a small file must not ask for much memory.
    wbStatus (*checkFile)(wbSectionList *list, const wbWorldDef *def);
    /// When the values were loaded: room for the columns, all of which the file has. What it makes anew it can go back from:
    /// `endStep` says whether it has to. After a failure nothing has changed.
    wbStatus (*resize)(const wbSolver *solver, wbSectionList *list);
    /// Whether columns that still are the file's can be a state; its values are loaded.
    wbStatus (*checkColumns)(const wbSolver *solver, wbSectionList *list);
    /// When the columns were loaded: what was made of others is given up.
    void (*renew)(const wbSolver *solver);
    void (*saveObjects)(const wbSolver *solver, wbSectionList *list);
    /// When the columns were loaded: its objects, and whether all of it can be a state.
    wbStatus (*loadObjects)(const wbSolver *solver, wbSectionList *list);
    /// @}
    const wbSolverDevice *device; ///< NULL: the processor's cores compute it, whatever computes the others
    /// @name Colliders and emitters; NULL: nothing
    /// @{
    float (*getResolution)(const wbSolver *solver); ///< m, the finest that it resolves
    /// m/s, that colliders without a speed of their own may have in it.
    float (*getColliderSpeed)(const wbSolver *solver);
    /// A collider or particles are suddenly there, or a side is of another kind: what was found before does not compare with what comes.
    void (*disturb)(wbSolver *solver);
    /// How many of its particles a shape would hold, or be too near to, that is put somewhere (world/collider.h).
    int64_t (*countTrapped)(const wbSolver *solver, const struct wbShape *shape, const struct wbPose *pose);
    /// A collider's parameters were `before` and are others.
    void (*followCollider)(wbSolver *solver, int index, const wbColliderParams *before);
    /// A collider goes, and those behind it move up.
    void (*dropCollider)(wbSolver *solver, int index);
    /// @}
    /// What queries see of it where it is no fluid: its particles, in tree->points (world/query.h). NULL: nothing.
    wbStatus (*listPoints)(const wbSolver *solver, struct wbQueryTree *tree);
    /// Whether it can follow a domain that becomes another; its state is on the host if a side closes. NULL: any.
    wbStatus (*checkDomain)(const wbSolver *solver, const wbDomain *next);
    /// Adds its mass, energy and errors; heights are above `ground`, m.
    void (*addStats)(const wbSolver *solver, double ground, wbStats *stats);
    /// What follows from its parameters, for panels; how many. NULL: nothing.
    int (*listDerived)(const wbSolver *solver, wbDerived rows[WB_MAX_DERIVED]);
    /// Adds the phases of the last sub-step with their times, its pairs, and what it was cut into.
    void (*addProfile)(const wbSolver *solver, wbProfile *profile);
} wbSolverKind;

#define WB_SOLVER_KIND(name)                                                                                 \
    extern const wbSolverKind wb_##name##Solver;                                                             \
    extern const wbParamTable wb_##name##Table;
WB_SOLVERS(WB_SOLVER_KIND)
#undef WB_SOLVER_KIND

/// When a world begins.
void wbListSolvers(wbWorld *world);

/// The parameters of a kind in a def, and whether the def asks for it.
static inline void *wbGetSectionOf(const wbSolverKind *kind, wbWorldDef *def) {
    return (char *)def + kind->info.params;
}
static inline bool wbIsAsked(const wbSolverKind *kind, const wbWorldDef *def) {
    return kind->info.isAsked > 0 && *(const bool *)((const char *)def + kind->info.isAsked);
}
/// All kinds, by the order of WB_SOLVERS.
const wbSolverKind *wbGetSolverKind(int index);
/// The solver whose parameters a table is of; NULL: none.
wbSolver *wbFindSolver(wbWorld *world, const wbParamTable *table);

/// Makes it, on the device if that computes, unless it is there. After a failure it is not.
wbStatus wbSolver_Create(wbSolver *solver);
void wbSolver_Destroy(wbSolver *solver);
/// Where the device computes: its state there.
wbStatus wbSolver_OpenDevice(wbSolver *solver);
void wbSolver_CloseDevice(wbSolver *solver);
bool wbSolver_IsAhead(const wbSolver *solver);
/// Solvers that come and go by themselves do so (wbSolverKind.isWanted).
wbStatus wbCallSolvers(wbWorld *world);
/// A collider was put somewhere.
void wbDisturbSolvers(wbWorld *world);

/// The values that its kind lists, and how far it has come: hash, checkpoint and snapshot walk them.
int wbSolver_ListValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]);
/// Mixes the values and columns of a solver into a running hash.
uint64_t wbSolver_Hash(const wbSolver *solver, uint64_t hash);
/// Its values are those of the state on the host; back to them.
void wbSolver_RecordHostValues(wbSolver *solver);
void wbSolver_RestoreHostValues(const wbSolver *solver);
/// A value was changed while the device may be ahead: it holds for the state on the host, too.
void wbSolver_RecordHostValue(wbSolver *solver, const void *data);
void wbSolver_Save(const wbSolver *solver, wbSectionList *list);
/// Values and columns, of a file that may say anything.
wbStatus wbSolver_Load(const wbSolver *solver, wbSectionList *list);
/// Its parts: numbers and room for the columns; whether these can be a state; and the columns, which cannot fail then.
wbStatus wbSolver_LoadValues(const wbSolver *solver, wbSectionList *list);
wbStatus wbSolver_CheckColumns(const wbSolver *solver, wbSectionList *list);
void wbSolver_LoadColumns(const wbSolver *solver, wbSectionList *list);

/// Before a world is made of a def that was saved: whether the file has as much as it asks for.
wbStatus wbCheckSolverFiles(wbSectionList *list, const wbWorldDef *def);

/// For adapters: columns of `count` elements each, with the solver's name before theirs. Those that are not saved are left
/// out. Gives how many were added.
int wbAddColumns(const wbSolver *solver, const wbColumn *from, int columnCount, int count, bool isSnapshot,
                 wbStateColumn *columns);
/// For adapters: phases of the last step.
void wbAddPhase(wbProfile *profile, const char *name, double ms);
void wbAddPhases(wbProfile *profile, const char *const *names, const double *ms, int count);
