// SPDX-License-Identifier: MIT
// What sides and solids do to the fields.
#pragma once

#include "smoke/smoke_code.h"

/// Of u, v, w and what stands at centres.
void wbMakeSmokeKinds(const wbSmokeModel *model, wbSmokeKind kinds[4]);

/// A value beyond a side is `add` + `factor` times the last one.
typedef struct wbHaloRule {
    float add, factor;
} wbHaloRule;
/// atRest: walls count as if they did not move.
wbHaloRule wbGetHaloRule(const wbSmokeModel *model, int kind, int side, bool atRest);
/// Of heat as it is conducted; atRest: sides count as if they were at ambient.
wbHaloRule wbGetHeatRule(const wbSmokeModel *model, int side, bool atRest);

enum { WB_SMOKE_MAX_HALOS = wb_smokeFieldCount };
/// Fields whose values beyond the sides follow from those within.
typedef struct wbSmokeHalos {
    const wbSmokeModel *model;
    const wbSmokeKind *kinds;
    int count;
    float *fields[WB_SMOKE_MAX_HALOS];
    int kind[WB_SMOKE_MAX_HALOS];
    bool forViscosity; ///< also velocities beyond the faces of their own axis
    bool forHeat;      ///< heat as it is conducted: sides insulate or have temperatures
    bool atRest;       ///< walls count as if they did not move, or were at ambient: for differences
    bool goesOn;       ///< all values go on beyond all sides
} wbSmokeHalos;
void wbFillHalos(const wbSmokeHalos *halos, const wbWork *work);

/// `reflected` beyond the sides and across open ones: it differs from the velocity as it does within.
void wbFillReflectedHalos(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbWork *work,
                          float *const velocity[3], float *const reflected[3]);
/// The values of a kind along an axis that lie within, for the above: low … high, or none if low > high.
void wbGetReflectedRange(const wbSmokeModel *model, const wbSmokeKind *kind, int axis, int *low, int *high);

/// Beyond the sides along x and z, where the patch reaches them.
void wbFillPatchHalo(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbSmokePatch *patch);
/// The patch beyond the top or bottom, from values within, with theirs beyond the sides.
void wbFillPatchBeyond(const wbSmokeModel *model, const wbSmokePatch *patch, const float *from, int side);

/// m/s, the fastest that a side slides along itself and drags air with it.
float wbGetSmokeSideSpeed(const wbSmokeModel *model);

/// Lists of faces and cells, with the velocities of bodies; solid cells are marked.
wbStatus wbListSolidFaces(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeSolids *solids,
                          wbMemory *memory);

/// Cells that are air now and solid in the mask, which bodies move, each with the air before it.
wbStatus wbListCovered(wbSmoke *smoke, const wbSmokeSolids *solids, wbMemory *memory);

/// Air slips along solids: the velocity within them goes on from the air beside. Until walls are set again.
void wbSlipAlongSolids(const wbSmoke *smoke, float *const velocity[3]);

/// The velocity across closed sides is 0: plane j of faces, of components that are not NULL.
void wbCloseSides(const wbSmokeGrid *grid, const bool open[6], float *const velocity[3], int j);
/// That of air which comes in through open sides from still air, as it is carried: cells = dt / h.
void wbSlowInflow(const wbSmokeModel *model, const wbSmokePatch *patch, float cells);
/// That across solids is the body's, also within them unless onlySurfaces.
void wbSetSolidVelocities(const wbSmoke *smoke, float *const velocity[3], bool onlySurfaces);
/// Both.
void wbSetWallVelocities(const wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         float *const velocity[3], bool onlySurfaces);
/// The velocity across surfaces of solids, as 0 or as it is, while smoke flows: none of it into them.
void wbHoldSurfaces(const wbSmoke *smoke, float *const velocity[3], bool hold);
/// The same for one component, as 0.
void wbClearWalls(const wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work, int axis,
                  float *field);

/// No smoke in solids: in the fields at the front.
void wbEmptySolids(const wbSmoke *smoke);
