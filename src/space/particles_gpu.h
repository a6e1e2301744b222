// SPDX-License-Identifier: MIT
// Particles on a compute device. They stay on it between steps; the host's arrays (wbParticles) are what was copied back
// last. A solver embeds this in its own state on the device.
#pragma once

#include "space/gpu_cells.h"
#include "space/particles.h"

/// What of a solver's own is sorted along.
enum { WB_GPU_EXTRA = 3, WB_GPU_SORTED = WB_SORTED_COLUMNS + WB_GPU_EXTRA };
/// The most columns of a solver's own that are state.
enum { WB_GPU_OWN = 8 };

typedef struct wbParticlesGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuCells cells;
    wbGpuBuffer front[WB_GPU_SORTED]; ///< by wbParticleColumn; then three of the solver's own
    wbGpuBuffer back[WB_GPU_SORTED];
    wbGpuBuffer pressure;
    int ownCount;                 ///< columns of the solver's own that are state, in the particles' order
    wbColumn own[2 * WB_GPU_OWN]; ///< of the host, and behind each where it is copied to
    wbGpuBuffer ownFront[WB_GPU_OWN], ownBack[WB_GPU_OWN]; ///< which the solver sorts
    wbGpuBuffer *spare;   ///< of the solver: as long as the pressure, with nothing in it that a step needs
    wbArray pulled;       ///< float: pressures on their way to the host
    float min[3], max[3]; ///< m, around the particles
    bool hostIsNewer, deviceIsNewer;
} wbParticlesGpu;

wbStatus wbParticlesGpu_Init(wbParticlesGpu *device, wbMemory *memory, wbGpu *gpu, wbGpuBuffer *spare);
void wbParticlesGpu_Free(wbParticlesGpu *device);
/// Columns of the host that are copied along with the particles', each followed by one that it may change places with.
void wbParticlesGpu_SetOwn(wbParticlesGpu *device, const wbColumn *columns, int count);

/// The host's particles changed: they are copied to the device at the next step.
void wbParticlesGpu_MarkDirty(wbParticlesGpu *device);

/// Room for so many; with those of the solver's own that have names. Nothing is lost: if the device is newer, the buffers are
/// long enough.
wbStatus wbParticlesGpu_Reserve(wbParticlesGpu *device, int count, const char *const extra[WB_GPU_EXTRA]);
/// Copies the host's particles to the device, if those are newer; room was reserved.
wbStatus wbParticlesGpu_Push(wbParticlesGpu *device, wbParticles *particles);

/// Copies the device's particles, if those are newer, beside the host's; wbParticlesGpu_Take then makes them the host's,
/// which cannot fail. After a failure the device's are lost, and the host's are what they were.
wbStatus wbParticlesGpu_Fetch(wbParticlesGpu *device, wbParticles *particles);
void wbParticlesGpu_Take(wbParticlesGpu *device, wbParticles *particles);
/// Both.
wbStatus wbParticlesGpu_Pull(wbParticlesGpu *device, wbParticles *particles);

/// What is on the device is halfway or lost: the host's particles are the last good ones. Gives wb_errorDevice.
wbStatus wbParticlesGpu_Discard(wbParticlesGpu *device, wbStatus why);

/// All columns that are saved, in the order of wbParticleColumn, and where each may be sorted to.
void wbParticlesGpu_ListBuffers(wbParticlesGpu *device, wbGpuBuffer *kept[WB_SAVED_COLUMNS],
                                wbGpuBuffer *spare[WB_SAVED_COLUMNS]);
