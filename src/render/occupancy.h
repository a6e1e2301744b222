// SPDX-License-Identifier: MIT
// How full of water the space around a particle is. From this come the normal of the body of water, which
// makes a pile of spheres look like one thing, the darkness inside, and how much water hides a particle.
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

/// Counts the drops, and fills their normals and occlusions.
wbStatus wbOccupancy_Apply(wbOccupancy *occupancy, wbSwarm *swarm, float spacing);
void wbOccupancy_Free(wbOccupancy *occupancy);

/// How many of the next eight steps from a drop, in a direction of length 1, go through water. `step` in m.
float wbOccupancy_Measure(const wbOccupancy *occupancy, const wbDrop *drop, wbVec3 direction, float step);
