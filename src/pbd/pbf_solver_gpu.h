// SPDX-License-Identifier: MIT
// Position based fluids by constraints on a compute device: colours of cells as launches that follow each other.
#pragma once

#include "pbd/pbf_model.h"
#include "space/gpu_cells.h"

/// Kernels of one kind of cells; zero before they are built.
typedef struct wbPbfSweepKernels {
    wbGpuKernel *project, *scatter, *settle;
} wbPbfSweepKernels;

/// What a sub-step's sweeps work with: x, y, z each where there is one buffer.
typedef struct wbPbfSweepGpu {
    wbGpu *gpu;
    const wbPbfSweepKernels *kernels;
    const wbPbfModel *model;
    const PbfMove *move; ///< of the present iteration
    const wbGpuCells *cells;
    const SpaceSearch *search;
    int count;
    bool hasWalls;
    const wbGpuBuffer *starts, *velocities, *predicted;
    wbGpuBuffer *places, *moved;
    wbGpuBuffer *pushes; ///< 0 before and after an iteration
    const wbGpuBuffer *walls;
    const wbGpuBuffer *relative, *lowest; ///< of fluids of different density: see wbPbfPass; else any
    wbGpuBuffer *lambda, *density, *pressure, *neighbours;
} wbPbfSweepGpu;

/// Builds them, if they are not.
wbStatus wbPbfSweepGpu_Build(wbGpu *gpu, bool hashed, bool mixed, wbPbfSweepKernels *kernels);
wbStatus wbPbfSweepGpu_Begin(const wbPbfSweepGpu *sweep);
/// As wbPbfSweep_Project and wbPbfSweep_Scatter (pbf_solver.h).
wbStatus wbPbfSweepGpu_Project(const wbPbfSweepGpu *sweep, bool isBack);
wbStatus wbPbfSweepGpu_Scatter(const wbPbfSweepGpu *sweep);
