// SPDX-License-Identifier: MIT
// The air of a world, which carries smoke: the solver's state, the sources that feed it and the solids that stand in it.
#pragma once

#include "shape/voxels.h"
#include "smoke/smoke_gpu.h"
#include "world/object.h"

enum { WB_MAX_SOURCES = 4096 };

typedef struct wbAirSource {
    char name[WB_NAME_SIZE];
    uint32_t generation;
    wbSourceParams params;
    wbMesh mesh;         ///< empty unless it is the shape; in its own frame, with its scale
    uint8_t *cells;      ///< of the mesh, by wbSmokeCell; NULL without
    int low[3], high[3]; ///< as of wbSmokeSource
} wbAirSource;

/// What a step tells of itself, to go back to.
typedef struct wbAirValues {
    double drift, divergenceBefore, divergence;
    float maxSpeed;
    int cycles, likelyCycles, slowSteps;
} wbAirValues;

struct wbAir {
    wbSmokeModel model;
    wbSmoke smoke;      ///< what of it is on the host
    wbSmokeGpu *device; ///< made with the first step on a device
    wbAirValues kept;   ///< as of the host's fields
    size_t cellBytes;   ///< of a mask with a byte per cell
    wbIdPool sourceIds;
    wbArray sources; ///< wbAirSource
    wbArray feeds;   ///< wbSmokeSource: what sources do in the step that is being done
    uint8_t *mask;   ///< where solids are cut into cells
    wbArray poses;   ///< wbPose, of the colliders that were cut
    int poseCount;
    bool areSolidsStale; ///< colliders were added, or all is new
    bool isStirred;      ///< some collider was moving in the last step
    double solidsMs;     ///< wall time to cut them in the last step
    float *pressure;     ///< for views, by wbSmokeIndex; made when it is asked for first
    bool isReady;        ///< a step with these parameters has found its memory
    bool isBroken;       ///< the last step ended in what is not finite
    bool saidBlocked;
};

static inline wbAirSource *wbGetSourceAt(const wbWorld *world, int index) {
    return (wbAirSource *)world->air->sources.data + index;
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

/// Makes a source with the next id, or with a generation that was saved (0: new). The mesh is taken over, also on
/// failure.
wbStatus wbAddSource(wbWorld *world, const char *name, const wbSourceParams *params, wbMesh *mesh,
                     uint32_t generation);
/// What sources do in the next step; gives how many.
int wbListFeeds(const wbWorld *world, const wbSmokeSource **feeds);
void wbFreeSources(wbWorld *world);

/// The colliders as cells of the air, where they are now (dt 0) or at the end of the step of dt seconds that is prepared.
wbStatus wbCutSolids(wbWorld *world, float dt);

/// A device's part of wbPrepareAir and wbStepAir.
wbStatus wbPrepareAirDevice(wbWorld *world);
wbStatus wbStepAirDevice(wbWorld *world, const wbSmokeSource *feeds, int count, float dt);
