// SPDX-License-Identifier: MIT
// Sums over fluid particles near a point: Ihmsen, Akinci, Akinci, Teschner (2012), "Unified spray, foam and bubbles for particle-based fluids".
// Lengths are in radii of the layer that is summed over, so that a layer's kernel reaches as far as 1.
#pragma once

#include "core/real.h"

/// Where a neighbour is: x_i - x_j, its length and the kernel W = 1 - r (eq. 2), 0 from the radius on.
typedef struct DiffusePair {
    REAL x, y, z, r, w;
} DiffusePair;

WB_INLINE DiffusePair diffuse_pair(REAL x, REAL y, REAL z) {
    const REAL r = real_sqrt(x * x + y * y + z * z);
    return (DiffusePair){x, y, z, r, real_max(real_set(0), real_set(1) - r)};
}

/// |v_ij| (1 - v_ij/|v_ij| · x_ij/|x_ij|) (eq. 2): how fast two particles come together, at most twice their relative speed; 0 for
/// those that part. The point itself, with r = 0, has v = 0.
WB_INLINE REAL diffuse_closing(const DiffusePair *p, REAL vx, REAL vy, REAL vz) {
    const REAL speed = real_sqrt(vx * vx + vy * vy + vz * vz);
    const REAL along = (vx * p->x + vy * p->y + vz * p->z) / real_max(p->r, real_set(1e-12f));
    return speed - along;
}

/// 1 - n_i · n_j where j is on the inner side of i's surface (eqs. 4 and 5), else 0; 0 for a j without a normal, too.
WB_INLINE REAL diffuse_bend(const DiffusePair *p, REAL nx, REAL ny, REAL nz, REAL mx, REAL my, REAL mz) {
    const REAL zero = real_set(0), inward = p->x * nx + p->y * ny + p->z * nz,
               mine = mx * mx + my * my + mz * mz;
    const REAL bend = real_set(1) - (nx * mx + ny * my + nz * mz);
    return real_select(real_less(zero, real_min(inward, mine)), bend, zero);
}
