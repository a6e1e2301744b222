// SPDX-License-Identifier: MIT
// Marching cubes without its flaw: the mesh is closed, and every edge belongs to two triangles. Lines on the faces of cells follow
// from the signs at a face's corners alone, so that both of its cells agree; a cell joins them to loops and fills each.
// An edge across a loop that lay on a face could be one of the neighbour's, too: a loop that cannot do without gets a
// vertex in its middle.
#pragma once

#include "contour/grid.h"

enum { WB_CELL_EDGES = 12, WB_MAX_LOOPS = 4 };

/// How cells are filled, by the signs at their corners: bit c is set if corner c (x + 2 y + 4 z) is inside.
typedef struct wbMarchTable {
    struct {
        uint8_t triangleCount, middleCount;
        uint16_t cuts;                       ///< a bit per edge
        uint16_t middles[WB_MAX_LOOPS];      ///< likewise: the loops that have a vertex in their middle
        uint8_t triangles[WB_CELL_EDGES][3]; ///< edges, then middles
    } cases[256];
} wbMarchTable;

void wbFillMarchTable(wbMarchTable *table);

/// m3, that the surface at a level encloses.
double wbContourGrid_Measure(wbContourGrid *grid, const wbMarchTable *table, float level);
/// The surface as a mesh; it is empty if the level is nowhere.
wbStatus wbContourGrid_March(wbContourGrid *grid, const wbMarchTable *table, float level, wbMesh *mesh);
