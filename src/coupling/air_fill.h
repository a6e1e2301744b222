// SPDX-License-Identifier: MIT
// Particles that fill cells of the air: water and soft bodies of volume. Each is spread evenly over a cube of one and a half times its own edge, or of a
// cell where that is larger, cut at the ends of the grid. A cell of which more than WB_FILL_FROM is filled is an obstacle, until less than WB_FILL_TO is;
// it moves as what is in it. What the air does to it goes to its particles, by the mass that each has there.
#pragma once

#include "coupling/of_air.h"

#define WB_FILL_FROM 0.6f
#define WB_FILL_TO   0.4f

/// Particles of one solver.
typedef struct wbAirFillers {
    int count;
    const float *place[3];      ///< m
    float *velocity[3];         ///< m/s
    const float *volume, *mass; ///< m3 (2D: m2), kg: of each; NULL: of all
    float allVolume, allMass;
    float allEdge;       ///< m, the root of that volume
    const float *weight; ///< 1/kg, 0 of what is held; NULL: all are free
    const float *water;  ///< share of each that is water, and no drop; NULL: they take no heat
    bool isPushed;       ///< they feel the air
} wbAirFillers;

/// What is in a cell.
typedef struct wbAirFilled {
    float volume, mass, momentum[3];
} wbAirFilled;

typedef struct wbAirFill {
    wbSmokeGrid grid;
    wbArray cells; ///< wbAirFilled, by wbSmokeCell
    wbArray kicks; ///< float[3] likewise: m/s that the air gives to what is in it
    /// float likewise: m3 (2D: m2) of dense water, each particle in a cube of one and a half times its edge
    wbArray wet;
    wbArray surface;      ///< float likewise: m2 (2D: m) of its surface over that
    wbArray cover;        ///< float likewise: how much of the cell that water covers, 0 to 1
    wbArray ways;         ///< uint8_t likewise: cells to the nearest air, also by corners
    wbArray filled;       ///< uint8_t likewise, 1 where it is an obstacle: from one step to the next
    int cellCount;        ///< of them
    const uint16_t *mask; ///< while heat is exchanged: filled cells have this mark, colliders others
    uint16_t mark;
    int reach; ///< cells to air, up to which water has a part in the surface
} wbAirFill;

/// m: the root of a volume.
float wbGetFillEdge(int dimensions, float volume);
void wbAirFill_Init(wbAirFill *fill);
void wbAirFill_Free(wbMemory *memory, wbAirFill *fill);
/// Room for a grid, nothing in it.
wbStatus wbAirFill_Open(wbAirFill *fill, wbMemory *memory, const wbSmokeGrid *grid);
/// Finds what is in the cells, and which are filled.
void wbAirFill_Find(wbAirFill *fill, const wbWork *work, const wbAirFillers *sets, int setCount);
/// m/s across the face below a cell, of what is in the cells beside it: wbSmokeBody.flow.
float wbAirFill_GetFlow(const void *fill, int axis, const int at[3]);

/// Dense water in cells that are no farther from air than they may be (air_heat.h): wbAirFill.wet.
void wbAirFill_FindWet(wbAirFill *fill, const wbWork *work, const wbAirFillers *sets, int setCount);
/// Of a particle by its place: the mean of a number per cell over where its water was found.
double wbAirFill_GatherWet(const wbAirFill *fill, const wbAirFillers *set, int i, const float *numbers);

/// How the air moved past the cells.
typedef struct wbAirOver {
    wbSmoke *smoke;
    const uint16_t *mask;
    uint16_t mark; ///< of filled cells
    float density; ///< kg/m3, of the air
    float shear;   ///< drag of the wind along a surface of water, over rho u2
    float dt;      ///< s
} wbAirOver;

/// After a step of the air: what its pressure and shear give to each cell, which the air loses along its faces.
void wbAirFill_Press(wbAirFill *fill, const wbAirOver *over);
/// Gives it to the particles, as they stood when the cells were found; the fastest of them, m/s. Adds to `given`, N s.
float wbAirFill_Kick(const wbAirFill *fill, const wbWork *work, const wbAirFillers *set, double given[3]);
