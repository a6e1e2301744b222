// SPDX-License-Identifier: MIT
// Surface tension as a stress along the skin (sph_tension.h), for wbSphGpu_Step.
#pragma once

#include "sph/sph_boundary_gpu.h"

extern const wbGpuVariants wb_sphTensionProgram;

/// Columns that it needs: of the skin; where water touches sides or colliders that have a contact angle, of bases; with colliders, what
/// their points add.
enum { WB_SKIN_COLUMNS = 8, WB_BASE_COLUMNS = 4, WB_POINT_COLUMNS = 11 };
enum { WB_TENSION_COLUMNS = WB_SKIN_COLUMNS + WB_BASE_COLUMNS + WB_POINT_COLUMNS };
#define WB_TENSION_COLUMN_NAMES(skin, bases, points)                                                         \
    {"skin x", skin}, {"skin y", skin}, {"skin z", skin}, {"skin", skin}, {"stress", skin},                  \
        {"bent x", skin}, {"bent y", skin}, {"bent z", skin}, {"base x", bases}, {"base y", bases},          \
        {"base z", bases}, {"stress of base", bases}, {"base x by colliders", points},                       \
        {"base y by colliders", points}, {"base z by colliders", points}, {"cosines by colliders", points},  \
        {"weights by colliders", points}, {"xx by colliders", points}, {"yy by colliders", points},          \
        {"zz by colliders", points}, {"xy by colliders", points}, {"xz by colliders", points}, {             \
        "yz by colliders", points                                                                            \
    }

/// A step's tension.
typedef struct wbSphTensionGpu {
    const wbSphWater *water;
    wbGpuBuffer *columns;
    wbGpuKernel **kernels;
    bool hasBases;
} wbSphTensionGpu;

/// Whether there is anything with a contact angle.
bool wbSphWater_HasBases(const wbSphWater *water);
/// Kernels for the cells as they are now.
wbStatus wbSphTensionGpu_Build(wbSphTensionGpu *tension, wbGpuVariantSet *program);
/// Finds the stress at the present positions, after the colliders were placed.
wbStatus wbSphTensionGpu_Find(const wbSphTensionGpu *tension);
/// Adds accelerations; adds forces to those on colliders' points.
wbStatus wbSphTensionGpu_Pull(const wbSphTensionGpu *tension, wbGpuBuffer accelerations[3]);
wbStatus wbSphTensionGpu_AddReactions(const wbSphTensionGpu *tension);
