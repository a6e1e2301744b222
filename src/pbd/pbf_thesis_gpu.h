// SPDX-License-Identifier: MIT
// The fluid of pbf_thesis.h on a compute device, where its particles stay between steps. The host gives ids and places where particles were merged or split.
#pragma once

#include "pbd/pbf_model.h"
#include "pbd/pbf_thesis.h"
#include "space/particle_fluid_gpu.h"

extern const wbFluidGpuKind wb_thesisGpu;

/// Columns of `thesis` are copied and stay where the particles are. The state stays where it is in memory.
void wbThesis_PutOn(wbThesis *thesis, wbParticlesGpu *device);

/// What a step is of, beside its length.
typedef struct wbThesisFluid {
    wbThesis *thesis;
    wbFluidState *fluid;
    const wbThesisModel *model;
    const wbFluidColliders *colliders; ///< NULL: none
    const wbWork *work;
} wbThesisFluid;

/// m2/s2 as wbFindPbfHead, by the columns of the model of equal particles; m, the greatest distance to the boundary.
wbStatus wbThesisGpu_FindHead(wbFluidGpu *device, wbThesisFluid fluid, const wbPbfModel *model, double *head,
                              float *farthest);
/// As wbThesis_Step, of the device's particles.
wbStatus wbThesisGpu_Step(wbFluidGpu *device, wbThesisFluid fluid, float dt, int subSteps);
