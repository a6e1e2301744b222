// SPDX-License-Identifier: MIT
// Particles of one liquid and of about one size, sorted into cells: what diffuse particles are born from and carried by. A liquid
// whose particles are all of one size is one layer; else there is one per octave of sizes, each with a radius of its own.
#pragma once

#include "space/grid.h"
#include "space/particles.h"

enum {
    WB_DIFFUSE_COLUMNS = 7,      ///< x, y, z, vx, vy, vz, id
    WB_DIFFUSE_MOST_OCTAVES = 8, ///< of sizes that are told apart
    WB_DIFFUSE_MOST_LAYERS = 4 * WB_DIFFUSE_MOST_OCTAVES,
};

/// Spacings: how far a layer's sums reach, whatever the support of its solver.
#define WB_DIFFUSE_REACH 1.5f

typedef struct wbDiffuseLayer {
    wbGrid grid;
    int count, capacity;
    float *x, *y, *z, *vx, *vy, *vz; ///< m, m/s, in the order of cells
    uint32_t *id;
    float spacing;    ///< m, of the particles
    float radius;     ///< m, of the sums
    float full;       ///< particles in a ball of that radius, of water at rest; in 2D in a disc
    float kernelSum;  ///< over others on the lattice
    float halfNormal; ///< length of the sum of normals at a flat surface, in radii
    float waveSpeed;  ///< m/s, of waves as short as a spacing: the least that breaks
    bool isFinest;    ///< of its liquid: at its surface
} wbDiffuseLayer;

/// A liquid to be seen as layers.
typedef struct wbDiffuseLiquid {
    const wbParticles *particles; ///< on the host
    const float *sizes;           ///< of particles, over the spacing; NULL: all 1
    float spacing;                ///< m
    float restDensity;            ///< kg/m3
} wbDiffuseLiquid;

/// The particles of a liquid whose size is of octave k (0: below √2 spacings, 1: below 2 √2 …), as a layer; none: count is 0.
wbStatus wbDiffuseLayer_Fill(wbDiffuseLayer *layer, const wbWork *work, const wbDiffuseLiquid *liquid,
                             int octave, int dimensions, float gravity);
int wbGetDiffuseOctave(float size);
void wbDiffuseLayer_Init(wbDiffuseLayer *layer);
void wbDiffuseLayer_Free(wbMemory *memory, wbDiffuseLayer *layer);
