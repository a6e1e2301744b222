// SPDX-License-Identifier: MIT
// Position based fluids with particles of different sizes on a device. Built with HASHED of the cells, and MIXED 1 for fluids of different density.
// Formulas stand in pbf_adaptive_formula.h, the search in pbf_adaptive_walk.cl. Places are predicted, and velocities come of them, by the
// kernels of particles of one size (pbf.cl).

// Keys of particles' cells, by octave.
__kernel void sized_keys(int count, SIZES(levels), IN3(x, y, z), __global uint *keys) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int octave = pbf_octave(level_at(levels, i), sizing->levels.dimensions);
    keys[i] = octave_key(&sizing->octaves, octave, x[i], y[i], z[i]);
}

// Moves sizes into the order of cells.
__kernel void sized_reorder(int count, __global const uint *order, __global const uchar *level,
                            __global const float *offset, __global const float *distance,
                            __global uchar *toLevel, __global float *toOffset, __global float *toDistance) {
    const int k = get_global_id(0);
    if (k >= count) return;
    const uint i = order[k];
    toLevel[k] = level[i], toOffset[k] = offset[i], toDistance[k] = distance[i];
}

// What particles weigh over the smallest.
__kernel void sized_weigh(int count, SIZES(levels), __global const float *relative, __global float *weights) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    REAL weight = lanes_of(sizing->levels.mass, levels, i);
#if MIXED
    weight *= real_load(relative + i);
#endif
    real_store(weights + i, weight);
}

#if MIXED
// The lowest relative density near them, see pbf_lightness.
__kernel void sized_find_lowest(SEARCHED_SIZES(predicted), __global const float *relative,
                                __global float *lowest) {
    WALK_OCTAVES(walk, predicted);
    if (walk.isPast) return;
    const PbfSize self = sizes_of(sizing, predictedLevel, walk.first);
    REAL lightness = 1.0f / real_load(relative + walk.first);
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const PbfSize other = size_at(sizing, level_at(predictedLevel, walk.j));
                const REAL inverse = pbf_inverse_support(self, other, &constants);
                const REAL r2 = square3(find_predicted_gap(&walk));
                const REAL near = real_max(1.0f - r2 * (inverse * inverse), real_set(0));
                const REAL faded = real_min(4.0f * near, real_set(1)) / relative[walk.j];
                lightness = real_select(walk.inside, real_max(faded, lightness), lightness);
            }
    real_store(lowest + walk.first, 1.0f / lightness);
}
#endif

// What colliders add to the constraints of particles, if there are any.
#define BOUNDARY                                                                                             \
    int hasBoundary, IN3(boundaryX, boundaryY, boundaryZ), __global const float *boundaryDensity,            \
        __global const float *boundarySquares

// Sums of the constraint of WB_LANES particles.
typedef struct Constraint {
    REAL density, mu; // over the rest density; for an error of 1
    REAL gradient2;   // |grad C|2, without its factor
    MASK found;       // neighbours
} Constraint;

WB_INLINE Constraint sum_constraint(Walk *walk, Octaves *octaves, SIZES(level), const PbfConstants *c,
                                    IN3(x, y, z), BOUNDARY) {
    __constant const PbfLevels *levels = &sizing->levels;
    const int first = walk->first;
    const PbfSize self = sizes_of(sizing, level, first);
    const REAL h = lanes_of(levels->h, level, first);
    const Real3 p = load3(x, y, z, first);
    Real3 own = zero3();
    REAL density = real_set(0), squares = real_set(0);
    MASK found = 0;
    while (next_octave(walk, octaves))
        while (next_run(walk))
            while (next_candidate(walk)) {
                const int otherLevel = level_at(level, walk->j);
                const PbfSize other = size_at(sizing, otherLevel);
                const MASK near = find_sized_near(walk, h, levels->h[otherLevel]);
                const Real3 d = pbf_gap(p, &walk->ghost, x, y, z, walk->j);
                const REAL r2 = square3(d), inverse = pbf_inverse_support(self, other, c);
                const REAL g = real_select(near, pbf_gradient_of(r2, inverse, c), real_set(0));
                density = real_madd(real_select(near, pbf_density_of(r2, inverse), real_set(0)),
                                    other.density, density);
                squares = real_madd(g * g, r2 * (other.root * other.root), squares);
                own = madd3(g * other.slope, d, own);
                found += mask_ones(near);
            }
    if (hasBoundary) {
        own = add3(own, load3(boundaryX, boundaryY, boundaryZ, first));
        density += real_load(boundaryDensity + first), squares += real_load(boundarySquares + first);
    }
    const REAL slopeOwn = lanes_of(levels->slopeOwn, level, first), own2 = square3(own);
    const Constraint sums = {density * (c->mixedScale * lanes_of(levels->densityOwn, level, first)),
                             pbf_mu(real_set(1), squares, own2, lanes_of(levels->squaresOwn, level, first),
                                    slopeOwn, lanes_of(levels->softOwn, level, first), c),
                             own2 * (slopeOwn * slopeOwn), found};
    return sums;
}
#define SUM_CONSTRAINT(walk)                                                                                 \
    sum_constraint(&walk, &walk##Octaves, sizing, predictedLevel, &constants, x, y, z, hasBoundary,          \
                   boundaryX, boundaryY, boundaryZ, boundaryDensity, boundarySquares)

// What an iteration adds to mu; `pressures` have the sum.
__kernel void sized_solve(SEARCHED_SIZES(predicted), PbfMove move, IN3(x, y, z), BOUNDARY,
                          __global const float *offsets, __global const float *lowest, __global float *mus,
                          __global float *densities, __global float *pressures, __global int *neighbours) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    const Constraint sums = SUM_CONSTRAINT(walk);
    const REAL sum = real_load(pressures + first);
    REAL wanted = sums.mu * (sums.density - 1.0f - real_load(offsets + first));
#if MIXED
    wanted *= real_load(lowest + first);
#endif
    const REAL change = pbf_change(wanted, sum, real_load(mus + first), &move, &constants);
    real_store(mus + first, change);
    real_store(pressures + first, sum + change);
    real_store(densities + first, sums.density);
    lanes_store(neighbours + first, sums.found);
}

// sum V_j (mu_i + mu_j + s_corr) grad W_ij, over the relative density of the particle's fluid; `isStill`: without time
WB_INLINE Real3 sum_pushes(Walk *walk, Octaves *octaves, SIZES(level), const PbfConstants *c, IN3(x, y, z),
                           BOUNDARY, __global const float *relative, __global const float *lowest,
                           __global const float *mus, PbfApart apartScale, const bool isStill) {
    __constant const PbfLevels *levels = &sizing->levels;
    const int first = walk->first;
    const PbfSize self = sizes_of(sizing, level, first);
    const REAL h = lanes_of(levels->h, level, first), mu = real_load(mus + first);
    const Real3 p = load3(x, y, z, first);
    Real3 push = zero3();
#if MIXED
    const REAL own = real_load(lowest + first);
#endif
    while (next_octave(walk, octaves))
        while (next_run(walk))
            while (next_candidate(walk)) {
                const int otherLevel = level_at(level, walk->j);
                const PbfSize other = size_at(sizing, otherLevel);
                const MASK near = find_sized_near(walk, h, levels->h[otherLevel]);
                const Real3 d = pbf_gap(p, &walk->ghost, x, y, z, walk->j);
                const REAL r2 = square3(d), inverse = pbf_inverse_support(self, other, c);
                REAL apart = isStill ? pbf_apart_still(self, other, r2, inverse, apartScale)
                                     : pbf_apart(self, other, apartScale.far);
#if MIXED
                apart *= 0.5f * (own + lowest[walk->j]);
#endif
                const REAL g = pbf_correction_of(r2, inverse, mu + mus[walk->j], apart, c);
                push = madd3(real_select(near, g * other.slope, real_set(0)), d, push);
            }
    if (hasBoundary)
        push = madd3(mu * PBF_BOUNDARY_SHARE, load3(boundaryX, boundaryY, boundaryZ, first), push);
    REAL scale = c->mixedGradient * lanes_of(levels->slopeOwn, level, first);
#if MIXED
    scale = scale / real_load(relative + first);
#endif
    return scale3(push, scale);
}
#define SUM_PUSHES(walk, apartScale, isStill)                                                                \
    sum_pushes(&walk, &walk##Octaves, sizing, predictedLevel, &constants, x, y, z, hasBoundary, boundaryX,   \
               boundaryY, boundaryZ, boundaryDensity, boundarySquares, relative, lowest, mus, apartScale,    \
               isStill)

__kernel void sized_correct(SEARCHED_SIZES(predicted), PbfMove move, IN3(x, y, z), BOUNDARY,
                            __global const float *relative, __global const float *lowest,
                            __global const float *mus, IN3(startX, startY, startZ), IN3(vx, vy, vz),
                            OUT3(movedX, movedY, movedZ), OUT3(toX, toY, toZ)) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    const PbfApart apart = {move.apartScale, 0};
    const Real3 push = SUM_PUSHES(walk, apart, false);
    correct_axis(startX + first, vx + first, push.x, 0, &move, movedX + first, toX + first);
    correct_axis(startY + first, vy + first, push.y, 1, &move, movedY + first, toY + first);
    correct_axis(startZ + first, vz + first, push.z, 2, &move, movedZ + first, toZ + first);
}

// c of XSPH, by the offsets, which fade.
__kernel void sized_calm(int count, PbfConstants constants, SIZES(levels), float keep,
                         __global float *offsets, __global float *calming) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    float level[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) level[l] = (float)level_at(levels, i + l);
    const REAL offset = real_load(offsets + i);
    real_store(calming + i, pbf_calming(offset, lanes_load(level), &constants));
    real_store(offsets + i, offset * keep);
}

// XSPH, and the curl of the velocity with its length.
__kernel void sized_smooth(SEARCHED_SIZES(predicted), IN3(x, y, z), __global const float *relative,
                           __global const float *inverses, __global const float *calming, IN3(vx, vy, vz),
                           OUT3(toVx, toVy, toVz), OUT3(spinX, spinY, spinZ), __global float *spin) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    __constant const PbfLevels *levels = &sizing->levels;
    const PbfSize self = sizes_of(sizing, predictedLevel, first);
    const REAL h = lanes_of(levels->h, predictedLevel, first);
    const Real3 p = load3(x, y, z, first), v = load3(vx, vy, vz, first);
    const REAL wi = real_load(inverses + first), calm = real_load(calming + first);
#if MIXED
    const REAL own = real_load(relative + first);
#endif
    Real3 sum = zero3(), turn = zero3();
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int otherLevel = level_at(predictedLevel, walk.j);
                const PbfSize other = size_at(sizing, otherLevel);
                const MASK near = find_sized_near(&walk, h, levels->h[otherLevel]);
                const Real3 d = pbf_gap(p, &walk.ghost, x, y, z, walk.j),
                            u = pbf_speed_gap(v, &walk.ghost, vx, vy, vz, walk.j);
                const REAL r2 = square3(d), wj = real_set(inverses[walk.j]),
                           inverse = pbf_inverse_support(self, other, &constants);
                REAL mixing = pbf_mixing_by(r2, inverse, calm + calming[walk.j] + pbf_carrying(self, other),
                                            wi, wj, &constants);
#if MIXED
                const REAL relativeJ = real_set(relative[walk.j]);
                mixing *= relativeJ * (wi + wj) * real_rcp(own * wj + relativeJ * wi);
#endif
                const REAL g = pbf_gradient_of(r2, inverse, &constants) * wj * other.slope;
                sum = madd3(real_select(near, mixing * other.density, real_set(0)), u, sum);
                turn = madd3(real_select(near, g, real_set(0)), cross3(u, d), turn);
            }
    const REAL mixingOwn = lanes_of(levels->mixingOwn, predictedLevel, first);
    store3(toVx, toVy, toVz, first, add3(v, scale3(sum, mixingOwn)));
    turn = scale3(turn, constants.mixedGradient * lanes_of(levels->slopeOwn, predictedLevel, first));
    store3(spinX, spinY, spinZ, first, turn);
    real_store(spin + first, sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z));
}

// Vorticity confinement.
__kernel void sized_turn(SEARCHED_SIZES(predicted), PbfMove move, IN3(x, y, z),
                         __global const float *inverses, IN3(spinX, spinY, spinZ), __global const float *spin,
                         OUT3(vx, vy, vz)) {
    WALK_OCTAVES(walk, predicted);
    const int first = walk.first;
    if (walk.isPast) return;
    __constant const PbfLevels *levels = &sizing->levels;
    const PbfSize self = sizes_of(sizing, predictedLevel, first);
    const REAL h = lanes_of(levels->h, predictedLevel, first), own = real_load(spin + first);
    const Real3 p = load3(x, y, z, first);
    Real3 eta = zero3();
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int otherLevel = level_at(predictedLevel, walk.j);
                const PbfSize other = size_at(sizing, otherLevel);
                const MASK near = find_sized_near(&walk, h, levels->h[otherLevel]);
                const Real3 d = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
                const REAL g =
                    pbf_gradient_of(square3(d), pbf_inverse_support(self, other, &constants), &constants) *
                    other.slope * inverses[walk.j] * (own - spin[walk.j]);
                eta = madd3(real_select(near, g, real_set(0)), d, eta);
            }
    eta = scale3(eta, constants.mixedGradient * lanes_of(levels->slopeOwn, predictedLevel, first));
    confine_by(eta, load3(spinX, spinY, spinZ, first), &constants, &move, vx, vy, vz, first);
}
