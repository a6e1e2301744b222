// SPDX-License-Identifier: MIT
// What candidates of a walk over particles and what sides mirror of them (space/walk.cl) are to those who search.

// From the candidate, mirrored, to particles: `from` is where those are, less the ghost's offset.
WB_INLINE Real3 find_gap(Real3 from, const Walk *walk) {
    const Points p = walk->searched;
    const int j = walk->j;
    return real3(real_madd(real_set(p.x[j]), real_set(-walk->ghost.sign[0]), from.x),
                 real_madd(real_set(p.y[j]), real_set(-walk->ghost.sign[1]), from.y),
                 real_madd(real_set(p.z[j]), real_set(-walk->ghost.sign[2]), from.z));
}
WB_INLINE Real3 less_offset(Real3 p, const Ghost *ghost) {
    return real3(p.x - ghost->offset[0], p.y - ghost->offset[1], p.z - ghost->offset[2]);
}

// A vector of the candidate.
WB_INLINE Real3 mirrored_at(IN3(x, y, z), const Walk *walk) {
    const Ghost *ghost = &walk->ghost;
    return real3(real_set(x[walk->j] * ghost->sign[0]), real_set(y[walk->j] * ghost->sign[1]),
                 real_set(z[walk->j] * ghost->sign[2]));
}

// Velocities of candidates, mirrored, against those of particles: `against` is velocityOffset - v.
WB_INLINE Real3 find_slip(Real3 against, const Ghost *ghost, IN3(vx, vy, vz), int j) {
    return real3(real_madd(real_set(vx[j]), real_set(ghost->velocitySign[0]), against.x),
                 real_madd(real_set(vy[j]), real_set(ghost->velocitySign[1]), against.y),
                 real_madd(real_set(vz[j]), real_set(ghost->velocitySign[2]), against.z));
}

// Whether a candidate is left out. Lanes have different ones near.
WB_INLINE bool is_beyond(REAL r2, float h2) {
#if WB_LANES == 1
    return r2 >= h2;
#else
    return false;
#endif
}
