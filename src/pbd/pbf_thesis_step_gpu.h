// SPDX-License-Identifier: MIT
// What the files of pbf_thesis_gpu.h share of a step.
#pragma once

#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_octaves_device.h"
#include "pbd/pbf_thesis_gpu.h"

/// Columns of the sub-step: present positions, where they are corrected to, where velocities are smoothed to, insets, gradients, … what colliders add
/// (WB_PBF_BOUNDARY_SUMS).
enum {
    WB_THESIS_QX,
    WB_THESIS_NX = WB_THESIS_QX + 3,
    WB_THESIS_NVX = WB_THESIS_NX + 3,
    WB_THESIS_INSET = WB_THESIS_NVX + 3,
    WB_THESIS_GRADIENT = WB_THESIS_INSET + 3,
    WB_THESIS_VOLUME = WB_THESIS_GRADIENT + 3,
    WB_THESIS_INVERSE,
    WB_THESIS_REACH,
    WB_THESIS_CALIBRATION,
    WB_THESIS_LATTICE,
    WB_THESIS_REST,
    WB_THESIS_DENSITY,
    WB_THESIS_MU,
    WB_THESIS_PUSH,
    WB_THESIS_MARK,
    WB_THESIS_SIZE,
    WB_THESIS_LOWEST,
    WB_THESIS_BOUNDARY,
    WB_THESIS_GPU_COLUMNS = WB_THESIS_BOUNDARY + WB_PBF_BOUNDARY_SUMS
};

/// Columns that are state, in the order of wbThesis_ListColumns.
enum {
    WB_THESIS_UNITS,
    WB_THESIS_MASS,
    WB_THESIS_WIDTH,
    WB_THESIS_DISTANCE,
    WB_THESIS_OFFSET,
    WB_THESIS_ROLE,
    WB_THESIS_OTHER,
    WB_THESIS_LEFT
};

/// Buffers beside them.
enum {
    wb_thesisOctaves,  ///< PbfOctaves
    wb_thesisTable,    ///< lattice sums
    wb_thesisSunk,     ///< records of colliders' points
    wb_thesisCounters, ///< as in pbf_thesis_change.cl
    wb_thesisRuns,     ///< runs of ids, and whose they are
    wb_thesisRunFluids,
    wb_thesisDepth
};
enum { WB_THESIS_GONE, WB_THESIS_SPLITTING, WB_THESIS_FARTHEST, WB_THESIS_COUNTERS };

/// Kernels of pbf_thesis.cl and pbf_thesis_change.cl.
enum {
    wb_thesisFindCells,
    wb_thesisInvert,
    wb_thesisFollowOthers,
    wb_thesisBegin,
    wb_thesisCalibrate,
    wb_thesisFindLowest,
    wb_thesisSolve,
    wb_thesisCorrect,
    wb_thesisFindBoundary,
    wb_thesisMark,
    wb_thesisFindDistances,
    wb_thesisPress,
    wb_thesisFinish,
    wb_thesisSmooth,
    wb_thesisWeigh,
    wb_thesisCarry,
    wb_thesisFindFarthest,
    wb_thesisLookAround,
    wb_thesisWish,
    wb_thesisPair,
    wb_thesisStartMerges,
    wb_thesisTransfer,
    wb_thesisFindWidest,
    wb_thesisWiden,
    wb_thesisCountSlots,
    wb_thesisApply,
    wb_thesisDepthKernels,
};

typedef struct wbThesisStepGpu {
    wbFluidStepGpu fluid;
    wbFluidGpu *device;
    wbGpu *gpu;
    wbThesis *thesis;
    const wbThesisModel *model;
    wbGpuBuffer *columns, *buffers, *own; ///< of the device; columns of the state
    ThesisConstants constants;
    ThesisSizing sizing;
    ThesisMove move; ///< of the sub-step
    bool hasBoundary;
} wbThesisStepGpu;

/// Runs a kernel with an item for each particle: its arguments are their count, and these.
wbStatus wbThesisStepGpu_Run(const wbThesisStepGpu *step, int kernel, const wbGpuArg *args, int argCount);
/// One of SEARCHED_REACHES (pbf_thesis_walk.cl), with these arguments behind those.
wbStatus wbThesisStepGpu_Search(const wbThesisStepGpu *step, int kernel, const wbGpuArg *args, int argCount);

/// Room for the particles that there are.
wbStatus wbThesisStepGpu_Reserve(wbThesisStepGpu *step);
/// Volumes, kernels and lattice sums.
wbStatus wbThesisStepGpu_Calibrate(wbThesisStepGpu *step);
/// Continuous collision of what went from the device's `before` to where particles are.
wbStatus wbThesisStepGpu_Collide(wbThesisStepGpu *step, wbBoundaryTime from);

/// Colliders, as on the cores.
extern const wbGpuVariants wb_thesisBoundaryProgram;
wbStatus wbThesisStepGpu_PlaceBoundary(wbThesisStepGpu *step);
wbStatus wbThesisStepGpu_AddBoundary(wbThesisStepGpu *step);
/// With the weight of water; `mu`: the sum with the last change.
wbStatus wbThesisStepGpu_LeanOnBoundary(wbThesisStepGpu *step, const wbGpuBuffer *mu);
wbStatus wbThesisStepGpu_PushBoundary(wbThesisStepGpu *step);
wbStatus wbThesisStepGpu_Stick(wbThesisStepGpu *step);
/// Squared distances to the nearest points.
wbStatus wbThesisStepGpu_FindNearest(wbThesisStepGpu *step, wbGpuBuffer *near2);

/// Sizes that are wished; merges that begin and go on; kernels; then, when that has settled, splits and what is gone.
wbStatus wbThesisStepGpu_TakeWishes(wbThesisStepGpu *step);
wbStatus wbThesisStepGpu_Transfer(wbThesisStepGpu *step);
wbStatus wbThesisStepGpu_Widen(wbThesisStepGpu *step);
wbStatus wbThesisStepGpu_Change(wbThesisStepGpu *step);
