// SPDX-License-Identifier: MIT
// Position based fluids by constraints on a compute device: colours of cells as launches that follow each other.
#pragma once

#include "gpu/variants.h"
#include "pbd/pbf_model.h"
#include "space/gpu_cells.h"

/// Its switches are those of the other kernels: HASHED and MIXED.
extern const wbGpuVariants wb_pbfSweepProgram;

/// What a sub-step's sweeps work with: x, y, z each where there is one buffer.
typedef struct wbPbfSweepGpu {
    wbGpu *gpu;
    wbGpuKernel *const *kernels;
    const wbPbfModel *model;
    const PbfMove *move;       ///< of the present iteration
    const wbGpuSearch *search; ///< at the predicted positions
    bool hasBoundary;
    const wbGpuBuffer *starts, *velocities;
    wbGpuBuffer *places, *moved;
    wbGpuBuffer *pushes;                  ///< 0 before and after an iteration
    const wbGpuBuffer *boundary;          ///< what colliders add, see wbPbfSwarm
    const wbGpuBuffer *relative, *lowest; ///< of fluids of different density: see wbPbfPass; else any
    wbGpuBuffer *lambda, *density, *pressure, *neighbours;
} wbPbfSweepGpu;

wbStatus wbPbfSweepGpu_Begin(const wbPbfSweepGpu *sweep);
/// As wbPbfSweep_Project and wbPbfSweep_Scatter (pbf_solver.h).
wbStatus wbPbfSweepGpu_Project(const wbPbfSweepGpu *sweep, bool isBack);
wbStatus wbPbfSweepGpu_Scatter(const wbPbfSweepGpu *sweep);
