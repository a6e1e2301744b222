// SPDX-License-Identifier: MIT
// The hot loops of this folder, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "diffuse/diffuse_layer.h"

/// What fluid particles of a layer have around them, in its order.
typedef struct wbDiffusePotentials {
    const wbDiffuseLayer *layer;
    float leastSpeed2; ///< m2/s2: who is slower bears none, and has nothing of what follows
    float *closing; ///< m/s: speed at which others come near, weighted; over the kernel's sum on the lattice
    float *count;   ///< of others within the radius
    float *normals[3]; ///< out of the water, of length 1; 0 where there is no surface
    float leastNormal; ///< sums shorter than this are no surface
    float *bends;      ///< of crests; over the kernel's sum on the lattice
    float leastFacing; ///< cosine between velocity and normal from which on a crest breaks
} wbDiffusePotentials;

/// The fluid around diffuse particles.
typedef struct wbDiffuseSamples {
    const wbDiffuseLayer *layers;
    int layerCount;
    const float *x, *y, *z; ///< m, of diffuse particles
    const uint32_t *id;     ///< whose lowest bit says whose turn it is
    uint32_t turn;
    float *fullness; ///< share of the ball around each whose turn it is that is fluid
    float *v[3];     ///< m/s, of the fluid there; 0 where there is none
} wbDiffuseSamples;

typedef struct wbDiffuseCode {
    wbRangeFn *potentials; ///< closing, count, normals; context: wbDiffusePotentials
    wbRangeFn *bends;      ///< after all normals; context: wbDiffusePotentials
    wbRangeFn *samples;    ///< context: wbDiffuseSamples
} wbDiffuseCode;

WB_DECLARE_CODE(wbDiffuseCode, wb_diffuseCode, wbGetDiffuseCode)
