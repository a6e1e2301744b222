// SPDX-License-Identifier: MIT
// What the passes over particles share: for *_wide.c files.
#pragma once

#include "core/real.h"
#include "pbd/pbf_code.h"
#include "pbd/pbf_formula.h"
#include "space/particle_fluid_wide.h"

// Where WB_LANES sorted particles come to, having been moved so far by the constraints.
WB_INLINE REAL4 drift_lanes(const wbPbfPass *pass, int i, REAL4 *moved) {
    const wbParticles *p = &pass->pbf->fluid.particles;
    REAL4 place = load_columns(p->backX, p->backY, p->backZ, i);
    REAL4 velocity = load_columns(p->backVx, p->backVy, p->backVz, i);
    PbfDrift x = pbf_drift(place.x, velocity.x, moved->x, 0, &pass->move);
    PbfDrift y = pbf_drift(place.y, velocity.y, moved->y, 1, &pass->move);
    PbfDrift z = pbf_drift(place.z, velocity.z, moved->z, 2, &pass->move);
    moved->x = x.moved, moved->y = y.moved, moved->z = z.moved;
    return (REAL4){x.to, y.to, z.to, real_set(0)};
}

// By what WB_LANES particles from i on take the velocity of what they stick to, but along its normal: `mean` is that velocity, times its weight w.
WB_INLINE REAL4 stick_to(const wbParticles *p, float *velocities, int i, REAL rate, REAL4 mean,
                         REAL4 normal) {
    REAL4 velocity = load_columns(p->vx, p->vy, p->vz, i);
    REAL4 lack = {mean.x - mean.w * velocity.x, mean.y - mean.w * velocity.y, mean.z - mean.w * velocity.z,
                  real_set(0)};
    REAL across = dot3(lack, normal) * real_rcp(real_max(dot3(normal, normal), real_set(1e-20f)));
    REAL4 change = {rate * (lack.x - across * normal.x), rate * (lack.y - across * normal.y),
                    rate * (lack.z - across * normal.z), real_set(0)};
    velocity.x += change.x, velocity.y += change.y, velocity.z += change.z;
    store_columns(p->vx, p->vy, p->vz, i, velocity);
    store_own(velocities, i, velocity);
    return change;
}

// Whether colliders may add something to particles from i on.
WB_INLINE bool has_boundary(const wbPbfPass *pass, int i) {
    return pass->boundaryColumns ? pass->boundaryRows[i / WB_GROUP] > 0 : pass->boundary != NULL;
}

WB_INLINE float *get_added(const wbPbfPass *pass, int i, int column) {
    return pass->boundaryColumns + 8 * (size_t)(i & -WB_GROUP) + WB_GROUP * column + (i & (WB_GROUP - 1));
}

// What colliders add to them: gradient and density; gradients times heads, and squares.
WB_INLINE REAL4 load_quad(const wbPbfPass *pass, int i, int column) {
    return (REAL4){real_load(get_added(pass, i, column)), real_load(get_added(pass, i, column + 1)),
                   real_load(get_added(pass, i, column + 2)), real_load(get_added(pass, i, column + 3))};
}
WB_INLINE REAL4 load_gradient(const wbPbfPass *pass, int i) {
    return pass->boundaryColumns ? load_quad(pass, i, 0) : load_own(pass->boundary, i);
}
WB_INLINE REAL4 load_heads(const wbPbfPass *pass, int i) {
    return pass->boundaryColumns ? load_quad(pass, i, 4) : load_own(pass->boundaryHeads, i);
}
WB_INLINE REAL load_squares(const wbPbfPass *pass, int i) {
    return real_load(pass->boundaryColumns ? get_added(pass, i, 7) : pass->boundarySquares + i);
}

// All of it; the squares are the last.
WB_INLINE void store_added(const wbPbfPass *pass, int i, REAL4 gradient, REAL4 heads) {
    if (pass->boundaryColumns) {
        const REAL columns[8] = {gradient.x, gradient.y, gradient.z, gradient.w,
                                 heads.x,    heads.y,    heads.z,    heads.w};
        for (int c = 0; c < 8; c++) real_store(get_added(pass, i, c), columns[c]);
        return;
    }
    store_own(pass->boundary, i, gradient);
    store_own(pass->boundaryHeads, i, heads);
    real_store(pass->boundarySquares + i, heads.w);
}

// The gradients by which points of colliders push, with the weight of water.
WB_INLINE void lean_on_boundary(const wbPbfPass *pass, int i, REAL sum, REAL change, REAL bearing) {
    if (!pass->boundaryHeads && !pass->boundaryColumns) return;
    const REAL relative = pass->relative ? real_load(pass->relative + i) : real_set(1);
    const REAL lean = pbf_lean(sum, change, relative, bearing, pass->move.dt);
    REAL4 gradient = load_gradient(pass, i);
    add_scaled(&gradient, lean, load_heads(pass, i));
    if (pass->boundaryColumns)
        store_columns(get_added(pass, i, 0), get_added(pass, i, 1), get_added(pass, i, 2), 0, gradient);
    else
        store_own(pass->boundary, i, gradient);
    real_store(pass->leans + i, lean);
}

// a x b
WB_INLINE REAL4 cross3(REAL4 a, REAL4 b) {
    return (REAL4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, real_set(0)};
}

// Confinement of WB_LANES particles: v += dt epsilon (eta / |eta|) x spin [M13, eq. 16].
WB_INLINE void confine_by(const wbPbfPass *pass, int i, REAL4 eta, REAL4 spin) {
    const wbParticles *p = &pass->pbf->fluid.particles;
    REAL length2 = dot3(eta, eta),
         scale = real_rsqrt(length2 + 1e-18f) * (pass->constants.vorticity * pass->move.dt);
    scale = real_select(real_less(real_set(1e-18f), length2), scale, real_set(0));
    REAL4 velocity = load_columns(p->vx, p->vy, p->vz, i), turn = cross3(eta, spin);
    velocity.x += scale * turn.x, velocity.y += scale * turn.y, velocity.z += scale * turn.z;
    store_columns(p->vx, p->vy, p->vz, i, velocity);
}
