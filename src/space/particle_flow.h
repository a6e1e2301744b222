// SPDX-License-Identifier: MIT
// Particles that are added at the end and removed from the middle, in the host's arrays or on the device. What is left
// keeps its order.
#pragma once

#include "space/particle_flow_formula.h"
#include "space/particles_gpu.h"

/// New particles, one array per saved column, by wbParticleColumn.
typedef struct wbStagedParticles {
    void *columns[WB_SAVED_COLUMNS];
    int count;
} wbStagedParticles;

/// What is in the mouth goes on as if nothing had pushed it in the last step.
void wbParticles_Hold(wbParticles *particles, const FlowMouth *mouth);
/// What is in the ball is dragged along.
void wbParticles_Push(wbParticles *particles, const FlowBall *ball);
/// taken[layer * sites->count + place] becomes 1 where a particle is nearer than the clearance; it was 0.
void wbParticles_MarkTaken(const wbParticles *particles, const FlowSites *sites, const float *u,
                           const float *v, int *taken);
/// Room was reserved.
void wbParticles_Append(wbParticles *particles, const wbStagedParticles *staged);
/// Removes those in the region, the first `most` of them, and returns how many. They stand in backX, …, backId then.
int wbParticles_Remove(wbParticles *particles, const FlowRegion *region, int most);
/// The same for those whose marks are not 0.
int wbParticles_RemoveMarked(wbParticles *particles, const uint8_t *marks);

/// The same for a device that is newer than the host. After wb_errorMemory nothing has changed; after wb_errorDevice the
/// device's particles are lost.
typedef struct wbParticleFlowGpu wbParticleFlowGpu;
wbStatus wbCreateParticleFlowGpu(wbMemory *memory, wbParticlesGpu *device, wbParticleFlowGpu **flow);
/// NULL is allowed.
void wbDestroyParticleFlowGpu(wbParticleFlowGpu *flow);
wbStatus wbParticleFlowGpu_Hold(wbParticleFlowGpu *flow, const wbParticles *particles,
                                const FlowMouth *mouth);
wbStatus wbParticleFlowGpu_Push(wbParticleFlowGpu *flow, const wbParticles *particles, const FlowBall *ball);
wbStatus wbParticleFlowGpu_MarkTaken(wbParticleFlowGpu *flow, const wbParticles *particles,
                                     const FlowSites *sites, const float *u, const float *v, int *taken);
/// The host's arrays have room for as many; their content is left alone.
wbStatus wbParticleFlowGpu_Append(wbParticleFlowGpu *flow, wbParticles *particles,
                                  const wbStagedParticles *staged);
wbStatus wbParticleFlowGpu_Remove(wbParticleFlowGpu *flow, wbParticles *particles, const FlowRegion *region,
                                  int most, int *removed);
