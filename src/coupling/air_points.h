// SPDX-License-Identifier: MIT
// Points in the air of a grid that feel it and push it back: pieces of cloth and ropes, drops of water. The velocity at a point is read between
// faces, and what the air loses there is taken from the same faces with the same weights. Where several points share a face, each has the part
// of its air that its weight is of all their weights: so all of them together do not push it too far either, whatever the time step.
#pragma once

#include "core/work.h"
#include "smoke/smoke.h"

typedef struct wbAirPoints {
    int count;
    float *place[3];   ///< m; not a number: of nothing
    float *wind[3];    ///< m/s, what is known of the air before it is read: it stays so beyond the cells
    float *mobility;   ///< 1/kg, by which the air at a point gives way; NULL: it is not pushed
    float *impulse[3]; ///< N s, that the points get and the air loses; NULL likewise
} wbAirPoints;

/// Sums of weights by face, 0 from one use to the next.
typedef struct wbAirShares {
    wbArray axes[3]; ///< float, by wbSmokeIndex
} wbAirShares;

void wbAirShares_Init(wbAirShares *shares);
void wbAirShares_Free(wbMemory *memory, wbAirShares *shares);

/// Room in the arena for so many points, with those of the air that gives way. False: there is none.
bool wbAirPoints_Allocate(wbAirPoints *points, wbArena *arena, int count, bool isPushed);
/// Velocities, and mobilities of air of `density`, kg/m3.
wbStatus wbAirPoints_Read(const wbAirPoints *points, const wbSmoke *smoke, float density, wbAirShares *shares,
                          const wbWork *work);
/// Takes the impulses from the air. `shares` are those of the same points.
void wbAirPoints_Push(const wbAirPoints *points, wbSmoke *smoke, float density, const wbWork *work);

/// Faces around a place, of one component of the velocity.
typedef struct wbAirStencil {
    int face[8];
    double weight[8];
} wbAirStencil;

/// In 2D half of them have no weight. False: it is beyond the cells.
bool wbFindAirStencil(const wbSmokeGrid *grid, int axis, const double place[3], wbAirStencil *stencil);
