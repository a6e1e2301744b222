// SPDX-License-Identifier: MIT
// The air of a world, which carries smoke: the solver's state, the sources that feed it and the colliders that stand in it.
#pragma once

#include "coupling/air_fill.h"
#include "coupling/drag.h"
#include "coupling/of_air.h"
#include "coupling/pairs.h"
#include "shape/voxels.h"
#include "smoke/smoke_nested_gpu.h"
#include "world/object.h"

enum { WB_MAX_SOURCES = 4096, WB_SOURCE_COOKIE = 0x57624c73 };

typedef struct wbAirSource {
    char name[WB_NAME_SIZE];
    wbSourceParams params;
    wbMesh mesh;         ///< empty unless it is the shape; in its own frame, with its scale
    uint8_t *cells;      ///< of the mesh, by wbSmokeCell; NULL without
    int low[3], high[3]; ///< as of wbSmokeSource
} wbAirSource;

/// A collider or rigid body as cells.
typedef struct wbAirCut {
    wbPose pose;  ///< that it was cut at
    bool isThere; ///< or it has no cells
    wbVoxels voxels;
} wbAirCut;

/// All colliders as cells of a grid, in their order, then rigid bodies: one that stands still is not cut again.
typedef struct wbAirCuts {
    wbSmokeGrid grid;
    wbArray cuts; ///< wbAirCut
    int count;
} wbAirCuts;
void wbFreeAirCuts(wbMemory *memory, wbAirCuts *cuts);

/// A window of fine cells, and the air in it.
typedef struct wbAirWindow {
    wbSmoke smoke;
    wbSmokeModel model;
    uint16_t *mask;      ///< as of wbAir
    size_t cellCount;    ///< of the mask
    int low[3], high[3]; ///< cells of the box: from low to high - 1
} wbAirWindow;

/// With smoke.follow: fine cells fill a window of the box, and coarse ones all of it.
typedef struct wbCoarseAir {
    wbSmokeModel box;            ///< all of it in fine cells
    wbSmokeModel model;          ///< in coarse cells
    wbSmoke smoke;               ///< likewise; not used while the window is all of the box
    int factor;                  ///< fine cells along a coarse one
    int low[3], high[3];         ///< fine cells of the window: from low to high - 1
    int nextLow[3], nextHigh[3]; ///< of the one that the step goes on with
    uint16_t *mask;              ///< where colliders are cut into coarse cells
    size_t cellCount;            ///< of the mask
    wbAirCuts cuts;              ///< likewise
    wbAirWindow last; ///< the one before, if it moved in the step that is being done: to go back to
    double ms;        ///< wall time of the last step, beside that of the fine cells
} wbCoarseAir;

/// wbSolver.self
typedef struct wbAir {
    wbSmokeModel model;
    wbSmoke smoke;               ///< what of it is on the host
    float cutEnds[wb_sideCount]; ///< m, of the domain, when its sides were cut
    wbCoarseAir *coarse;         ///< NULL: the model's grid is all of the box
    size_t cellCount;            ///< of a mask
    wbArray sources;             ///< wbAirSource
    wbArray feeds;               ///< wbSmokeSource: what sources do in the step that is being done
    uint16_t *mask;              ///< where colliders are cut into cells: wbSmokeSolids
    wbAirCuts cuts;              ///< of the colliders
    wbArray bodies;              ///< wbSmokeBody, that the mask's numbers stand for
    int bodyCount;
    wbArray owners;     ///< int per body: the rigid body that it is, or -1
    wbAirShares shares; ///< of what touches the air
    wbAirFill fill;     ///< cells that water and soft bodies fill; none of them where nothing may
    uint16_t fillMark;  ///< of them in the mask
    wbArray heats;      ///< float by id of fluids' particles: J/kg that they have got
    int heatCount;
    wbArray expansion;                    ///< float, by wbSmokeCell: of steam
    bool isHeatTold;                      ///< that some take none
    double evaporated, lostHeat, drowned; ///< kg, J of roundings, and fuel that water came to, so far
    double broughtHeat;                   ///< J that fluids' particles came with, less what they went with
    double waterHeat;                     ///< J that they had after the last exchange
    wbArray loads; ///< wbAirLoad per rigid body: what the air does to them in the step that is being done
    wbArray stillBodies; ///< int: which of them are at rest
    int stillBodyCount;
    bool areCollidersStale; ///< colliders were added, or all is new
    bool isStirred;         ///< some collider was moving in the last step
    double collidersMs;     ///< wall time to cut them in the last step
    float *pressure;        ///< for views, by wbSmokeIndex; made when it is asked for first
    bool saidBlocked;
} wbAir;

/// NULL: there is no smoke.
static inline wbAir *wbGetAir(const wbWorld *world) { return world->solvers[wb_solverIndex_smoke].self; }

static inline wbAirSource *wbGetSourceAt(const wbWorld *world, int index) {
    return (wbAirSource *)wbGetAir(world)->sources.data + index;
}

static inline size_t wbCountAirCells(const wbSmokeGrid *grid) {
    return (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
}

/// A grid of smoke as the voxeliser sees it.
static inline wbVoxelGrid wbMakeAirVoxels(const wbSmokeGrid *grid) {
    return (wbVoxelGrid){.count = {grid->nx, grid->ny, grid->nz},
                         .stride = {1, (ptrdiff_t)grid->nx * grid->nz, grid->nx},
                         .size = grid->h,
                         .min = grid->origin,
                         .isFlat = grid->dimensions == 2};
}

/// What a def can be made into: checked before memory is taken.
wbStatus wbCheckAir(const wbWorldDef *def, wbSmokeModel *model);

/// Makes a source with a new id (index1 0), or as the next of those that were saved. The mesh is taken over, also on
/// failure.
wbStatus wbAddSource(wbWorld *world, const char *name, const wbSourceParams *params, wbMesh *mesh,
                     uint32_t index1);
/// What sources do in the next step; gives how many.
int wbListFeeds(const wbWorld *world, const wbSmokeSource **feeds);
/// Cuts meshes of sources into cells where that is still to be done.
wbStatus wbCutSources(wbWorld *world);
/// Before the grid changes: there are none then.
void wbDropSourceCells(wbWorld *world);
void wbFreeSources(wbWorld *world);

/// The colliders as cells of the air, where they are now (dt 0) or at the end of the step of dt seconds that is prepared.
wbStatus wbCutColliders(wbWorld *world, float dt);
/// Whether they are: nothing has changed since they were cut, and nothing moves.
bool wbAreCollidersCut(const wbWorld *world, float dt);
/// Whether a side is, or will be at the end of the step, within the cells.
bool wbIsSideWithin(const wbWorld *world, float dt);
bool wbIsMoving(const wbMotion *motion);

/// @name Rigid bodies in the air (air_rigid.c)
/// @{
/// Whether air and rigid bodies are joined.
bool wbAreBodiesInAir(const wbWorld *world);
/// Whether a body fills cells, or is too thin for that, or too light to be moved by their pressure.
bool wbFillsAir(const wbWorld *world, int body);
/// As it stands and moves now; or as it stands.
wbSmokeBody wbMakeAirBody(const wbWorld *world, int body, bool moves);
/// Before a step: what the air of the last one does to them. Those that do not fill cells get none.
wbStatus wbFindAirLoads(wbWorld *world);
/// N s, N m s about the centre of mass, of a body that fills cells, in dt seconds.
void wbGetAirLoad(const wbWorld *world, int body, float dt, double impulse[6]);
/// m/s, around a body that does not; as coupling.wind where it is beyond the cells.
void wbFindWindAt(const wbWorld *world, int body, float velocity[3]);
/// @}

/// @name Water, cloth and soft bodies in the air (air_fill.c)
/// @{
/// Whether the parameters let water or soft bodies fill cells; whether something may push the air between its own steps.
bool wbIsAirFillWanted(const wbWorld *world);
bool wbIsAirPushed(const wbWorld *world);
/// Room to note which cells are filled, if it is wanted.
wbStatus wbFitAirFill(wbWorld *world);
/// Before a step of the air: which cells are filled.
wbStatus wbFillAir(wbWorld *world);
bool wbIsAirFilled(const wbWorld *world);
void wbMarkFilled(const wbAirFill *fill, uint16_t mark, uint16_t *mask);
/// Bytes of the arena that the next one takes, which must not fail for want of them.
size_t wbGetAirFillBytes(const wbWorld *world);
/// @name Heat (air_heat.c)
/// @{
/// Whether fluids and air exchange heat.
bool wbIsHeatExchanged(const wbWorld *world);
/// Before a step of the air: room for it.
wbStatus wbPrepareHeat(wbWorld *world);
/// How much of each is water, in the arena; none: they take no heat.
wbStatus wbListWater(const wbWorld *world, const struct wbParticleFluid *liquid, wbAirFillers *set);
/// After that, by what fills cells: liquids first.
void wbExchangeAirHeat(wbWorld *world, const wbAirFillers *sets, float dt);
void wbAddHeatStats(const wbWorld *world, wbStats *stats);
/// @}
/// Before a step of the air, with all memory reserved.
wbStatus wbMeetFilled(wbWorld *world, float dt);
/// After a step of the air: what it did to what fills its cells.
wbStatus wbPressFilled(wbWorld *world, float dt);
/// The air where this kind of matter touches it; false: there is no grid. After it was pushed a device has to hear of it.
bool wbGetAirTouch(wbWorld *world, wbMatter matter, wbDragAir *air);
void wbMarkAirPushed(wbWorld *world);
/// @}

/// Fine cells along a coarse one: 4, or 2, or 0 if the parameters do not ask for it or coarse cells do not fit.
int wbChooseNestedFactor(const wbSmokeModel *box);
/// Makes air->coarse if the parameters ask for it and cells allow it; the window is then the smallest, or all of the box if it has to be.
wbStatus wbCreateNested(wbWorld *world, const wbSmokeModel *box);
void wbFreeNested(wbWorld *world);
/// The models of the air's grids, from that of the box in fine cells.
void wbSetAirModel(wbAir *air, const wbSmokeModel *box);
/// Before a step of dt seconds: chooses where the window goes. If it moves, the air is on the host then.
wbStatus wbPlanWindow(wbSolver *solver, float dt);
/// The window goes there. Nothing has changed after a failure.
wbStatus wbFollowSmoke(wbWorld *world);
/// To a window of whole blocks. The one before stays until wbEndWindow drops it or goes back to it.
wbStatus wbMoveWindow(wbWorld *world, const int low[3], const int high[3]);
/// The same with nothing but still air in it.
wbStatus wbOpenWindow(wbWorld *world, const int low[3], const int high[3]);
void wbEndWindow(wbWorld *world, bool isUndone);
/// Whether the window is less than the box, so that coarse cells are computed, too; and both grids.
bool wbIsFollowing(const wbAir *air);
wbSmokePair wbGetAirPair(wbAir *air);
/// Frees what has a value for each fine cell and is made again when it is asked for.
void wbDropAirCells(wbWorld *world);

/// Hooks of the solver's kind.
wbStatus wbCreateAir(wbSolver *solver);
void wbFreeAir(wbSolver *solver);
wbStatus wbPrepareAir(wbSolver *solver, float dt);
wbStatus wbStepAir(wbSolver *solver, float dt);
wbStatus wbCheckAirDomain(const wbSolver *solver, const wbDomain *next);
int wbListAirValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]);
int wbListAirColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
int wbListAirUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]);
void wbEndAirStep(const wbSolver *solver, bool isUndone);
void wbCleanAir(const wbSolver *solver);
wbStatus wbCheckAirFile(wbSectionList *list, const wbWorldDef *def);
wbStatus wbResizeAir(const wbSolver *solver, wbSectionList *list);
wbStatus wbCheckAirColumns(const wbSolver *solver, wbSectionList *list);
void wbRenewAir(const wbSolver *solver);
void wbSaveSources(const wbSolver *solver, wbSectionList *list);
wbStatus wbLoadSources(const wbSolver *solver, wbSectionList *list);

extern const wbSolverDevice wb_airDevice;

/// A device's part of wbPrepareAir and wbStepAir.
wbStatus wbPrepareAirDevice(wbWorld *world);
wbStatus wbStepAirDevice(wbWorld *world, const wbSmokeSource *feeds, int count, float dt);
/// Blocks that smoke is in, by wbSmokeBlockRow: the host's, or those of a device.
wbStatus wbFetchAirMarks(wbWorld *world, const uint8_t **marks);
/// Of columns of a grid, its fields, its pressure of two colours and, if it is the fine one, its marks: where the device has them,
/// if it is ahead. Fields and marks only if they are copied, too.
void wbSetAirBuffers(const wbWorld *world, bool isCoarse, int fieldCount, bool isAll, wbStateColumn *columns);
/// Before fields are copied back on the device.
void wbMarkAirDeviceDirty(wbWorld *world);
/// After the grid was changed on the host.
void wbResetAirDevice(wbWorld *world);
