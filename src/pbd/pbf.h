// SPDX-License-Identifier: MIT
// Position based fluids: particles whose density is held by constraints on their positions. The model is constant during
// a step; the particles (wbPbf) change.
#pragma once

#include "core/array.h"
#include "core/work.h"
#include "pbd/pbf_model.h"
#include "space/neighbours.h"

/// Phases of a step, as they appear in profiles.
#define WB_PBF_PHASES(X) X(sort) X(walls) X(neighbours) X(density) X(velocities)

typedef enum wbPbfPhase {
#define WB_PHASE(name) wb_pbf_##name,
    WB_PBF_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_pbfPhaseCount
} wbPbfPhase;

extern const char *const wb_pbfPhaseNames[wb_pbfPhaseCount];

/// The particles, in memory order: sorted by cell in the last sub-step.
typedef struct wbPbf {
    int count, capacity;
    float *x, *y, *z;    ///< m
    float *vx, *vy, *vz; ///< m/s
    uint32_t *id;
    float
        *density; ///< kg/m3, before the last correction of positions; the rest density before the first step
    float maxSpeed, maxDensity; ///< m/s, kg/m3, after the last step
    wbGrid grid, imageGrid;
    wbNeighbours neighbours;
    double ms[wb_pbfPhaseCount]; ///< of the last step
} wbPbf;

void wbPbf_Init(wbPbf *pbf);
void wbPbf_Free(wbMemory *memory, wbPbf *pbf);

enum { WB_PBF_COLUMNS = 8 };
/// All arrays of the particles, listed once.
void wbPbf_ListColumns(wbPbf *pbf, wbColumn columns[WB_PBF_COLUMNS]);

/// Adds particles; positions and velocities (NULL: at rest) x, y, z each; ids go on from the count.
wbStatus wbPbf_AddParticles(wbPbf *pbf, wbMemory *memory, const wbPbfModel *model, int count,
                            const float *positions, const float *velocities);

/// Advances by dt seconds. After wb_errorMemory the state is that at the end of a sub-step, or of before.
wbStatus wbPbf_Step(wbPbf *pbf, const wbPbfModel *model, const wbWork *work, float dt);
