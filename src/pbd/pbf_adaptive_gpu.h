// SPDX-License-Identifier: MIT
// Particles of different sizes on a compute device: what a sub-step of pbf_gpu.c does otherwise for them, as pbf_adaptive_step.h on the cores.
#pragma once

#include "pbd/pbf.h"
#include "pbd/pbf_adaptive_device.h"
#include "space/particle_fluid_gpu.h"

/// Programs beside that of particles of one size, and kernels of colliders.
extern const wbGpuVariants wb_sizedProgram, wb_lookProgram;

/// Columns that are sorted along with the particles', in the order of wbPbfSizes_ListColumns.
enum { WB_GPU_LEVEL, WB_GPU_OFFSET, WB_GPU_DISTANCE };

/// Buffers of a fluid for this, behind its own.
enum {
    wb_sizingBuffer,   ///< PbfSizing
    wb_sunkBuffer,     ///< records of colliders' points
    wb_countersBuffer, ///< of a look
    wb_roomsBuffer,    ///< room on each axis of what splits
    wb_runsBuffer,     ///< runs of ids, and whose they are
    wb_runFluidsBuffer,
    WB_SIZED_BUFFERS
};

/// A sub-step on the device. Columns are those of the fluid.
typedef struct wbSizedStepGpu {
    wbFluidStepGpu *fluid;
    wbPbf *pbf;
    const wbPbfModel *model;
    const PbfMove *move;
    bool hasBoundary;
    float frames;              ///< that it is long, as in wbSizedStep
    wbGpuVariantSet *programs; ///< those of above
    wbGpuBuffer *buffers;      ///< WB_SIZED_BUFFERS
    wbGpuBuffer *places;       ///< x, y, z by now; those of the front are predicted, or before the sub-step
    wbGpuBuffer *corrected;    ///< three
    wbGpuBuffer *smoothed;     ///< three
    wbGpuBuffer *spins;        ///< four
    wbGpuBuffer *moved;        ///< three
    wbGpuBuffer *boundary;     ///< WB_PBF_BOUNDARY_SUMS, or any where there are no colliders
    wbGpuBuffer *mu, *inverse, *calming, *weights;
    const wbGpuBuffer *pressure;          ///< sums of mu
    const wbGpuBuffer *relative, *lowest; ///< or any
    wbGpuKernel **kernels, **lookKernels; ///< for the present cells
    unsigned terms;                       ///< of the fluid's columns
    const char *const *extra;             ///< of the particles' columns
    PbfSizing sizing;
} wbSizedStepGpu;

/// Sizes are copied and stay where the particles are. The state stays where it is in memory.
void wbPbfSizes_PutOn(wbPbfSizes *sizes, wbParticlesGpu *device);

/// The order of particles by octave and cell of their predicted positions, for wbFluidStepGpu_Sort, after which sizes are sorted, too.
wbStatus wbSizedStepGpu_FindOrder(wbSizedStepGpu *step);
/// Particles that are all of level 0 are in the order of the fluid's cells.
wbStatus wbSizedStepGpu_TakeOrder(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_SortSizes(wbSizedStepGpu *step);
/// Records of the points of colliders, when they are placed.
wbStatus wbSizedStepGpu_PlaceBoundary(wbSizedStepGpu *step);

/// Passes, as on the cores.
wbStatus wbSizedStepGpu_FindLowest(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_AddBoundary(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_LeanOnBoundary(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_Solve(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_PushBoundary(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_Correct(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_Stick(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_Smooth(wbSizedStepGpu *step);
/// What particles weigh, for continuous collision.
wbStatus wbSizedStepGpu_Weigh(wbSizedStepGpu *step);

/// Passes of a look, by places.
wbStatus wbSizedStepGpu_Measure(wbSizedStepGpu *step, wbGpuBuffer *density, wbGpuBuffer *gradient);
wbStatus wbSizedStepGpu_Mark(wbSizedStepGpu *step, const wbGpuBuffer *density, const wbGpuBuffer *gradient,
                             wbGpuBuffer *marks);
wbStatus wbSizedStepGpu_FindDistances(wbSizedStepGpu *step, const wbGpuBuffer *density,
                                      const wbGpuBuffer *marks, wbGpuBuffer *toMarks);
wbStatus wbSizedStepGpu_Relax(wbSizedStepGpu *step, const wbGpuBuffer *before, float most);
wbStatus wbSizedStepGpu_Shift(wbSizedStepGpu *step, PbfApart apart);
wbStatus wbSizedStepGpu_Carry(wbSizedStepGpu *step, const wbGpuBuffer *density, const wbGpuBuffer *before);

/// Runs a kernel of SEARCHED_SIZES (pbf_adaptive_walk.cl), with these arguments behind those; one of particles near colliders' points.
wbStatus wbSizedStepGpu_Search(const wbSizedStepGpu *step, wbGpuKernel *kernel, int items,
                               const wbGpuArg *args, int argCount);
wbStatus wbSizedStepGpu_RunNear(const wbSizedStepGpu *step, int kernel, const wbGpuArg *args, int argCount);

/// At the end of a sub-step: as wbSizedStep_Look. Before the first one: as wbSizedStep_Fill.
wbStatus wbSizedStepGpu_Look(wbSizedStepGpu *step);
wbStatus wbSizedStepGpu_Fill(wbSizedStepGpu *step);

/// As wbFindSizedHead, of the device's particles.
wbStatus wbSizedStepGpu_FindHead(wbSizedStepGpu *step, double *head);
