// SPDX-License-Identifier: MIT
// The particles of a frame, gathered from all views and made ready for the graphics card.
#pragma once

#include "core/array.h"
#include "render/bounds.h"
#include "render/crowd.h"
#include "render/renderer.h"

/// What the graphics card reads per particle.
typedef struct wbDrop { // 28 bytes
    float x, y, z;
    float value;      ///< speed, density, or what else colours show
    float size;       ///< over that of a spacing
    int8_t normal[3]; ///< of the body of water that it belongs to; shorter where that is less clear
    int8_t occlusion; ///< 0: free, 127: deep inside
    uint32_t id;      ///< of the particle: what is made of it stays the same from frame to frame
} wbDrop;

typedef struct wbSwarm {
    wbArray drops;   ///< of wbDrop
    wbArray sorted;  ///< of wbDrop, while they are put in order
    wbArray groups;  ///< of uint8_t, likewise
    wbArray volumes; ///< of float, of cells, while particles inside are left out
    wbArray counts;  ///< of float: neighbours of each particle, where colours show them
    wbCrowd crowd;   ///< likewise
    int allCount;    ///< the last ones can be seen neither from the eye nor from the sun
    int count;       ///< without those
    int seenCount;   ///< the first ones can be seen from the eye
    int shadedFirst; ///< from here on the sun sees them
    wbBounds body;   ///< around nearly all drops: strays far away do not count
    float highValue; ///< 99.5 % of the values lie below
} wbSwarm;

/// Leaves out particles that are nowhere (not finite).
wbStatus wbSwarm_Gather(wbSwarm *swarm, const wbRenderScene *scene);
void wbSwarm_Free(wbSwarm *swarm);
