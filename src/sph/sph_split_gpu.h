// SPDX-License-Identifier: MIT
// The split scheme (sph_split.h), for wbSphGpu_Step.
#pragma once

#include "sph/sph_boundary_gpu.h"
#include "sph/sph_split_model.h"

extern const wbGpuVariants wb_sphSplitProgram;

/// Columns that it needs; with colliders more.
enum { WB_SPLIT_COLUMNS = 8, WB_SPLIT_BOUNDARY_COLUMNS = 4 };
#define WB_SPLIT_COLUMN_NAMES(all, colliders)                                                                \
    {"k", all}, {"k ahead", all}, {"gain", all}, {"target", all}, {"solved ax", all}, {"solved ay", all},    \
        {"solved az", all}, {"press", all}, {"gradient x by colliders", colliders},                          \
        {"gradient y by colliders", colliders}, {"gradient z by colliders", colliders}, {                    \
        "nearing", colliders                                                                                 \
    }
/// Buffers of its own.
enum { WB_SPLIT_BUFFERS = 8 };

/// A step's solve.
typedef struct wbSphSplitGpu {
    const wbSphWater *water;
    wbSph *sph;
    wbGpuBuffer *columns, *buffers;
    wbGpuBuffer *accelerations;  ///< forces but pressure; they become those that keep the water's volume
    const wbGpuBuffer *pressure; ///< Pa, of the step before, in the order of now
    wbBoundaryTime time;         ///< of the places of points
    SphSplitConstants constants;
    wbGpuKernel **kernels;
    SpaceSides sides; ///< where they are; volume slips along all of them
} wbSphSplitGpu;

/// Before anything runs: room beside the columns.
wbStatus wbSphSplitGpu_Reserve(const wbSphSplitGpu *split);
/// Kernels for the cells as they are now.
wbStatus wbSphSplitGpu_Build(wbSphSplitGpu *split, wbGpuVariantSet *program);
/// As wbSphSplit_Solve; forces on colliders are added to those that are there.
wbStatus wbSphSplitGpu_Solve(const wbSphSplitGpu *split);
/// Moves places apart: after those of before were kept.
wbStatus wbSphSplitGpu_Move(const wbSphSplitGpu *split);
/// What steps to come follow, when particles have moved and collided: as wbSphSplit_FindUsual.
wbStatus wbSphSplitGpu_FindUsual(const wbSphSplitGpu *split);
