// SPDX-License-Identifier: MIT
// How full of water the space around a particle is. From this come the normal of the body of water, which
// makes a pile of spheres look like one thing, the darkness inside, and which particles nobody can see.
#pragma once

#include "core/array.h"
#include "render/swarm.h"

/// A smoothed count of particles on a lattice.
typedef struct wbOccupancy {
    wbArray nodes, scratch; ///< of float; 1: as full as water at rest
    int size[3];
    wbVec3 origin;
    float cell; ///< m
} wbOccupancy;

/// Fills normal and occlusion of the drops; with `cull`, drops that are covered from all sides are left out.
wbStatus wbOccupancy_Apply(wbOccupancy *occupancy, wbSwarm *swarm, float spacing, bool cull);
void wbOccupancy_Free(wbOccupancy *occupancy);
