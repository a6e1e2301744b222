// SPDX-License-Identifier: MIT
// The air of a frame, made ready for the graphics card: what is seen of each cell, the light that reaches it, and where
// there is nothing.
#pragma once

#include "core/array.h"
#include "wirbel/types.h"

/// Cells along an edge of a block; blocks without smoke are skipped.
enum { WB_VOLUME_BLOCK = 4 };

typedef struct wbVolumeGrid {
    int cells[3];
    int blocks[3];
    float density;       ///< of a texel of 255; texels hold the root, so that thin smoke has finer steps
    float temperature;   ///< K above ambient, likewise, without the root
    float hottest;       ///< K, of what glows, slowly forgotten: what the light of fire is set for
    bool isEmpty;        ///< nothing to be seen
    int low[3], high[3]; ///< cells around all that is seen
    bool hasTints;
    wbVec3 fire;        ///< cells, the middle of all that glows
    float fireRadius;   ///< cells
    float fireLight[3]; ///< sum of its light over all cells
    wbArray texels;     ///< per cell: density, temperature, sun, sun without the shadows of solid cells
    wbArray tints;      ///< per cell: colour of coloured smoke
    wbArray steps;      ///< per block: how many blocks away the next one with smoke is; 0: in here
    wbArray shade;      ///< what the sun leaves of its light below the lowest layer of cells
    int shadeSize[2], shadeFirst[2]; ///< along x and z; the cell that its first texel is below
    wbArray columns;                 ///< while light falls through a layer
} wbVolumeGrid;

/// What the light needs to know.
typedef struct wbVolumeLight {
    wbVec3 toSun;     ///< length 1, upwards
    float extinction; ///< 1/m, of density 1
    float shine;      ///< 1/m, of hot gas
    float sootShine;  ///< of soot, as a share of what it takes of the light
} wbVolumeLight;

wbStatus wbVolumeGrid_Fill(wbVolumeGrid *grid, const wbSmokeView *view, const wbVolumeLight *light);
void wbVolumeGrid_Free(wbVolumeGrid *grid);
