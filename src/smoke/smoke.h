// SPDX-License-Identifier: MIT
// Smoke: incompressible air on a staggered grid that carries density and heat (Stam 1999; Fedkiw, Stam and Jensen
// 2001). Parameters and what follows from them (wbSmokeModel) are constant during a step; the fields (wbSmoke) change.
#pragma once

#include "core/saved_value.h"
#include "core/work.h"
#include "smoke/pressure.h"
#include "smoke/smoke_model.h"

/// Phases of a step, as they appear in profiles.
#define WB_SMOKE_PHASES(X)                                                                                   \
    X(halo)                                                                                                  \
    X(advect)                                                                                                \
    X(sources)                                                                                               \
    X(burn)                                                                                                  \
    X(steam) X(conduction) X(reflect) X(forces) X(walls) X(viscosity) X(divergence) X(pressure) X(gradient)

typedef enum wbSmokePhase {
#define WB_PHASE(name) wb_smoke_##name,
    WB_SMOKE_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_smokePhaseCount
} wbSmokePhase;

typedef enum wbSmokeField {
    wb_smokeU, ///< m/s, at the faces across x
    wb_smokeV,
    wb_smokeW,
    wb_smokeDensity,
    wb_smokeTemperature, ///< K above ambient
    wb_smokeFuel,        ///< only with smoke.fire; also there, but empty, with smoke.coloured
    wb_smokeRed,         ///< density times the share of the colour; these only with smoke.coloured
    wb_smokeGreen,
    wb_smokeBlue,
    wb_smokeEighth, ///< vapour and droplets of wbGetSteamField stand behind what else there is
    wb_smokeNinth,
    wb_smokeFieldCount
} wbSmokeField;

/// A face within a solid beside faces in air.
typedef struct wbSlipFace {
    int place;
    int count, sources[4]; ///< those faces
} wbSlipFace;

/// Faces across an axis whose velocity a solid gives, those between air and solid first.
typedef struct wbSmokeFaces {
    wbArray places; ///< int
    wbArray values; ///< float, m/s
    int count, surfaceCount;
    wbArray slips; ///< wbSlipFace
    int slipCount;
} wbSmokeFaces;

/// A cell that a solid came to, and the cell of air that it pushes its smoke to: places.
typedef struct wbCoveredCell {
    int from, to;
} wbCoveredCell;

/// Where the vapour of water stands, g/m3, and behind it the droplets of clouds; 0: there is no steam.
static inline int wbGetSteamField(const wbSmokeParams *params) {
    if (!params->steam) return 0;
    return params->coloured ? wb_smokeEighth : wb_smokeRed;
}

/// J (2D: J/m) of the air and its vapour, so far: what came from sources and fire, what came through sides, less what
/// went out there, by cooling and as work of air that rises (smoke.lapse), and what rounding took, or solids that no
/// air is beside.
typedef struct wbSmokeHeat {
    double sources, sides, lost;
} wbSmokeHeat;

typedef struct wbSmoke {
    wbSmokeGrid grid;
    float *fields[wb_smokeFieldCount]; ///< by wbSmokeIndex
    float *back[wb_smokeFieldCount];   ///< where a phase writes to
    int scalarCount;                   ///< fields from wb_smokeDensity on
    int steam;                         ///< wbGetSteamField
    float *lift;                       ///< K, with steam: what temperature without it would lift as much
    const float *expansion; ///< by wbSmokeCell: 1/s, air that a step makes beside that of sources; NULL: none
    uint8_t *solid;         ///< by wbSmokeCell: 1, or 0 in air
    int solidVersion;       ///< another one after each wbSmoke_SetSolids
    bool hasMovingBodies;   ///< that the solids belong to
    wbSmokeFaces faces[3];
    wbArray solidCells; ///< int: places of cells in solids
    int solidCount;
    wbArray heatEdges; ///< SmokeHeatEdge: cells at the surfaces of solids; none where no heat is conducted
    int heatEdgeCount;
    wbArray covered; ///< wbCoveredCell: that solids came to since the last step
    int coveredCount;
    float sideSpeed; ///< m/s, the fastest of the faces and of sides that slide
    wbPressure pressure;
    uint8_t *active;    ///< by wbSmokeBlockRow: blocks that smoke may come to in this step
    uint8_t *marks;     ///< likewise: that it is in
    uint8_t *dirty[2];  ///< likewise: not all 0, at the front and at the back
    float maxSpeed;     ///< m/s, of the last step, across faces and of walls; INFINITY: not known
    float pressureStep; ///< s, of the step that the pressure is of; 0: of none
    // of the last step
    double divergenceBefore, divergence; ///< 1/s, root mean square over cells of air, of the projection
    int cycles;                          ///< or sweeps of the pressure
    bool isBlocked;                      ///< a source expands where air cannot leave: the mean was taken away
    double drift; ///< share by which advection changed the smoke in a closed box: what keepMass takes back
    double left;  ///< sum of the density that advection let out through open sides
    wbSmokeHeat heat; ///< with steam
    int turned;       ///< 1: the next part of a step that flows along axes does so in the opposite order
    double ms[wb_smokePhaseCount];
    void *block; ///< that fields and mask stand in
    size_t blockBytes;
} wbSmoke;

/// What the last step left beside the fields.
typedef struct wbSmokeValues {
    double drift, left, divergenceBefore, divergence;
    float maxSpeed, pressureStep;
    int32_t cycles, likelyCycles, slowSteps, turned;
} wbSmokeValues;

wbSmokeValues wbSmoke_GetValues(const wbSmoke *smoke);
void wbSmoke_SetValues(wbSmoke *smoke, const wbSmokeValues *values);

enum { WB_SMOKE_VALUES = 10 };
/// Names for wbSmoke_ListValues, by what stands before them.
#define WB_SMOKE_VALUE_NAMES(prefix)                                                                         \
    prefix ".drift", prefix ".left", prefix ".divergenceBefore", prefix ".divergence", prefix ".maxSpeed",   \
        prefix ".pressureStep", prefix ".cycles", prefix ".likelyCycles", prefix ".slowSteps",               \
        prefix ".turned"
/// The same, one by one: hashing and saving walk this list.
void wbSmoke_ListValues(wbSmoke *smoke, const char *const names[WB_SMOKE_VALUES],
                        wbSavedValue values[WB_SMOKE_VALUES]);

/// Air at rest without solids.
wbStatus wbSmoke_Init(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work);
void wbSmoke_Free(wbMemory *memory, wbSmoke *smoke);

/// The velocities of bodies count until the next call. Smoke in cells that became solid goes to the air before them in the
/// next step.
wbStatus wbSmoke_SetSolids(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                           const wbSmokeSolids *solids);

/// There were no solids in the last step, as far as is known: they have to be set before the next one.
void wbSmoke_ForgetSolids(wbSmoke *smoke, const wbSmokeModel *model);

/// After fields were changed from outside.
void wbSmoke_MarkDirty(wbSmoke *smoke);

/// It is known that there is no smoke.
void wbSmoke_ClearMarks(wbSmoke *smoke);

/// Advances by dt seconds from `time`. After wb_errorMemory the step may be done in part.
wbStatus wbSmoke_Step(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                      const wbSmokeSource *sources, int sourceCount, double time, float dt);

/// @name Parts of a step, one after the other, for grids that work together
/// @{
/// All that comes before the projection.
wbStatus wbSmoke_Predict(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         const wbSmokeSource *sources, int sourceCount, double time, float dt);
/// What the pressure has to take away: its b, and divergenceBefore, which the tolerance refers to.
wbStatus wbSmoke_FindDivergence(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                                const wbSmokeSource *sources, int sourceCount, double time);
wbStatus wbSmoke_TakePressure(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work);
/// @}

/// Vortices of Taylor and Green, `count` along each axis: u = sin x cos y cos z, v = - cos x sin y cos z, w = 0, m/s.
void wbSmoke_AddVortices(wbSmoke *smoke, int count);

/// What a step with so many sources takes from the arena at most.
size_t wbSmoke_GetStepBytes(const wbSmoke *smoke, const wbSmokeModel *model, int sourceCount,
                            int threadCount);

/// Sum of the density over all cells.
wbStatus wbSmoke_SumDensity(const wbSmoke *smoke, const wbWork *work, double *sum);

/// Mixes all that the next step reads into a running hash.
uint64_t wbSmoke_Hash(const wbSmoke *smoke, uint64_t hash);

/// Sets what fields hold beyond the sides and between rows to 0. A step fills it before it reads it, and what it leaves there
/// depends on the number of threads.
void wbSmoke_ClearBeyond(wbSmoke *smoke);

/// The phases from the divergence on, also for fields that were set from outside.
wbStatus wbSmoke_Project(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work);
