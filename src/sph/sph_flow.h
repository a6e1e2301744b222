// SPDX-License-Identifier: MIT
// Particles that are added at the end and removed from the middle, in the host's arrays or on the device. What is left
// keeps its order.
#pragma once

#include "sph/sph.h"
#include "sph/sph_flow_formula.h"
#include "sph/sph_gpu.h"

enum { WB_SPH_SAVED = WB_SPH_GPU_KEPT };
/// New particles, one array per saved column of wbSph_ListColumns.
typedef struct wbSphStaged {
    void *columns[WB_SPH_SAVED];
    int count;
} wbSphStaged;
typedef enum wbSphColumn {
    wb_sphX,
    wb_sphY,
    wb_sphZ,
    wb_sphVx,
    wb_sphVy,
    wb_sphVz,
    wb_sphId,
    wb_sphDensity,
    wb_sphPressure
} wbSphColumn;

/// Water in the mouth goes on as if nothing had pushed it in the last step.
void wbSph_Hold(wbSph *sph, const FlowMouth *mouth);
/// taken[layer * sites->count + place] becomes 1 where a particle is nearer than the clearance; it was 0.
void wbSph_MarkTaken(const wbSph *sph, const FlowSites *sites, const float *u, const float *v, int *taken);
/// Room was reserved.
void wbSph_Append(wbSph *sph, const wbSphStaged *staged);
/// Removes those in the region, the first `most` of them, and returns how many. They stand in backX, …, backId then.
int wbSph_Remove(wbSph *sph, const FlowRegion *region, int most);

/// The same for a device that is newer than the host (wbSphGpu_IsNewer). After wb_errorMemory nothing has changed;
/// after wb_errorDevice the device's particles are lost.
typedef struct wbSphFlowGpu wbSphFlowGpu;
wbStatus wbCreateSphFlowGpu(wbMemory *memory, wbSphGpu *device, wbSphFlowGpu **flow);
void wbDestroySphFlowGpu(wbSphFlowGpu *flow);
wbStatus wbSphFlowGpu_Hold(wbSphFlowGpu *flow, const wbSph *sph, const FlowMouth *mouth);
wbStatus wbSphFlowGpu_MarkTaken(wbSphFlowGpu *flow, const wbSph *sph, const FlowSites *sites, const float *u,
                                const float *v, int *taken);
/// The host's arrays have room for as many; their content is left alone.
wbStatus wbSphFlowGpu_Append(wbSphFlowGpu *flow, wbSph *sph, const wbSphStaged *staged);
wbStatus wbSphFlowGpu_Remove(wbSphFlowGpu *flow, wbSph *sph, const FlowRegion *region, int most,
                             int *removed);
