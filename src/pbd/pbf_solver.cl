// SPDX-License-Identifier: MIT
// Position based fluids by constraints on a device: a work-item has a block of cells (pbf_colours.h), whose constraints it takes one
// after another; a launch has the blocks of one colour. Built with one lane, and MIXED 0 or 1 as pbf.cl. Names are those of pbf.cl;
// n is what particles are to be moved by.

// Where a neighbour is by now, seen from it to a place; whether it is one at the predicted positions.
typedef struct Gap {
    float x, y, z, r2;
    bool isNear;
} Gap;

typedef struct Swarm {
    __global const float *x, *y, *z; // predicted
    __global float *px, *py, *pz;    // now
    __global float *nx, *ny, *nz;
    __global const float *relative, *lowest; // read where MIXED alone
} Swarm;

WB_INLINE Gap find_gap(int i, int j, const Ghost *ghost, const Swarm *s, float h2) {
    const float ex = s->x[i] - (ghost->sign[0] * s->x[j] + ghost->offset[0]);
    const float ey = s->y[i] - (ghost->sign[1] * s->y[j] + ghost->offset[1]);
    const float ez = s->z[i] - (ghost->sign[2] * s->z[j] + ghost->offset[2]);
    Gap gap = {s->px[i] - (ghost->sign[0] * s->px[j] + ghost->offset[0]),
               s->py[i] - (ghost->sign[1] * s->py[j] + ghost->offset[1]),
               s->pz[i] - (ghost->sign[2] * s->pz[j] + ghost->offset[2]), 0,
               real_madd(ex, ex, real_madd(ey, ey, ez * ez)) < h2};
    gap.r2 = real_madd(gap.x, gap.x, real_madd(gap.y, gap.y, gap.z * gap.z));
    return gap;
}

WB_INLINE Box box_at(int i, const Swarm *s) {
    Box box = {{s->x[i], s->y[i], s->z[i]}, {s->x[i], s->y[i], s->z[i]}};
    return box;
}

// The particles of a block.
WB_INLINE PbfBuckets find_block(int k, PbfColour colour, const SpaceCells *cells) {
#if HASHED
    return pbf_hashed_block(k, colour);
#else
    return pbf_dense_block(k, colour, cells->size[0], cells->size[1]);
#endif
}

WB_INLINE bool is_of_colour(int i, PbfColour colour, const Swarm *s, const SpaceCells *cells) {
#if HASHED
    return cell_along(s->y[i], 1, cells) % PBF_COLOURS_YZ == colour.y &&
           cell_along(s->z[i], 2, cells) % PBF_COLOURS_YZ == colour.z;
#else
    return true;
#endif
}

// 1 over the relative density of a particle's fluid: the heavier gives way less. And the lowest around.
WB_INLINE float lightness(int i, const Swarm *s) { return MIXED ? 1 / s->relative[i] : 1; }
WB_INLINE float lowest_at(int i, const Swarm *s) { return MIXED ? s->lowest[i] : 1; }

// What the constraint of a particle sees: density and squared gradients, and its neighbours.
typedef struct Seen {
    float density, squares, own[3];
    int neighbours;
} Seen;

WB_INLINE Seen see(int i, const Swarm *s, const PbfConstants *c, Walk walk) {
    const float h2 = walk.sides->radius * walk.sides->radius;
    Seen seen = {0, 0, {0, 0, 0}, 0};
    search_around(&walk, box_at(i, s));
    while (next_run_around(&walk))
        while (next_candidate(&walk)) {
            const Gap gap = find_gap(i, walk.j, &walk.ghost, s, h2);
            if (!gap.isNear) continue;
            const float g = pbf_gradient(gap.r2, c);
            seen.density += pbf_density(gap.r2, c);
            seen.own[0] += g * gap.x, seen.own[1] += g * gap.y, seen.own[2] += g * gap.z;
            seen.squares += g * g * gap.r2;
            seen.neighbours++;
        }
    return seen;
}

// Lambda grad_k C, and half of s_corr, over relative densities into n. What a ghost is to do, its particle does mirrored.
WB_INLINE void push(int i, float lambda, float boundaryX, float boundaryY, float boundaryZ, const Swarm *s,
                    const PbfConstants *c, const PbfMove *move, Walk walk) {
    const float h2 = walk.sides->radius * walk.sides->radius;
    const float boundary = lambda * PBF_BOUNDARY_SHARE * c->gradientScale;
    const float apart = 0.5f * move->apartScale * lowest_at(i, s), own_share = lightness(i, s);
    float own[3] = {-boundary * boundaryX, -boundary * boundaryY, -boundary * boundaryZ};
    search_around(&walk, box_at(i, s));
    while (next_run_around(&walk))
        while (next_candidate(&walk)) {
            const int j = walk.j;
            const Gap gap = find_gap(i, j, &walk.ghost, s, h2);
            if (!gap.isNear) continue;
            const float g = pbf_correction(gap.r2, lambda, apart, c) * c->gradientScale;
            own[0] -= g * gap.x, own[1] -= g * gap.y, own[2] -= g * gap.z;
            const float share = g * lightness(j, s);
            s->nx[j] += walk.ghost.sign[0] * share * gap.x;
            s->ny[j] += walk.ghost.sign[1] * share * gap.y;
            s->nz[j] += walk.ghost.sign[2] * share * gap.z;
        }
    s->nx[i] += own_share * own[0], s->ny[i] += own_share * own[1], s->nz[i] += own_share * own[2];
}

// Moves the neighbours of a particle and itself by n: all that it has pushed, for what is near a ghost is nearer still to its
// particle.
WB_INLINE void take_pushes(int i, const Swarm *s, OUT3(movedX, movedY, movedZ), Walk walk) {
    const float h2 = walk.sides->radius * walk.sides->radius;
    const Ghost itself = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
    walk.sides = 0;
    search_around(&walk, box_at(i, s));
    while (next_run_around(&walk))
        while (next_candidate(&walk)) {
            const int j = walk.j;
            if (!find_gap(i, j, &itself, s, h2).isNear) continue;
            s->px[j] += s->nx[j], s->py[j] += s->ny[j], s->pz[j] += s->nz[j];
            movedX[j] += s->nx[j], movedY[j] += s->ny[j], movedZ[j] += s->nz[j];
            s->nx[j] = s->ny[j] = s->nz[j] = 0;
        }
}

WB_INLINE void confine_axis(__global float *p, __global float *moved, int axis, const PbfMove *move) {
    const float to = pbf_confine(*p, axis, move);
    *moved += to - *p, *p = to;
}

// Gauss-Seidel: dp_k = lambda_i grad_k C_i, one i after another.
__kernel void pbf_project(SEARCHED(predicted), PbfConstants constants, int blocks, int number, int isBack,
                          PbfMove move, OUT3(px, py, pz), OUT3(nx, ny, nz), OUT3(movedX, movedY, movedZ),
                          int hasBoundary, IN3(boundaryX, boundaryY, boundaryZ),
                          __global const float *boundaryDensity, __global const float *boundarySquares,
                          IN3(headX, headY, headZ), __global float *leans, __global const float *relative,
                          __global const float *lowest, __global float *lambdas, __global float *densities,
                          __global float *pressures, __global int *neighbours) {
    const Swarm s = {predictedX, predictedY, predictedZ, px, py, pz, nx, ny, nz, relative, lowest};
    const PbfColour colour = pbf_colour(number);
    WALK(walk, predicted);
    if (get_global_id(0) >= blocks) return;
    const PbfBuckets buckets = find_block(get_global_id(0), colour, walk.cells);
    const int begin = predictedStart[buckets.begin], end = predictedStart[buckets.end];
    for (int k = begin; k < end; k++) {
        const int i = isBack ? begin + end - 1 - k : k;
        if (!is_of_colour(i, colour, &s, walk.cells)) continue;
        confine_axis(px + i, movedX + i, 0, &move);
        confine_axis(py + i, movedY + i, 1, &move);
        confine_axis(pz + i, movedZ + i, 2, &move);
        Seen seen = see(i, &s, &constants, walk);
        if (hasBoundary) {
            seen.own[0] += boundaryX[i], seen.own[1] += boundaryY[i], seen.own[2] += boundaryZ[i];
            seen.density += boundaryDensity[i], seen.squares += boundarySquares[i];
        }
        seen.squares += seen.own[0] * seen.own[0] + seen.own[1] * seen.own[1] + seen.own[2] * seen.own[2];
        seen.density *= constants.densityScale;
        const float change = pbf_change(lowest_at(i, &s) * pbf_lambda(seen.density, seen.squares, &constants),
                                        pressures[i], 0, &move, &constants);
        pressures[i] += change, lambdas[i] = change, densities[i] = seen.density;
        neighbours[i] = seen.neighbours;
        const float own = 1 / lightness(i, &s),
                    lean = pbf_lean(pressures[i], change, own, move.bearing, move.dt);
        if (hasBoundary) leans[i] = lean;
        push(i, change, hasBoundary ? boundaryX[i] + lean * headX[i] : 0,
             hasBoundary ? boundaryY[i] + lean * headY[i] : 0,
             hasBoundary ? boundaryZ[i] + lean * headZ[i] : 0, &s, &constants, &move, walk);
        take_pushes(i, &s, movedX, movedY, movedZ, walk);
    }
}

// Jacobi: the same for all i at once; lambda is known.
__kernel void pbf_scatter(SEARCHED(predicted), PbfConstants constants, int blocks, int number, PbfMove move,
                          OUT3(px, py, pz), OUT3(nx, ny, nz), int hasBoundary,
                          IN3(boundaryX, boundaryY, boundaryZ), __global const float *relative,
                          __global const float *lowest, __global const float *lambdas) {
    const Swarm s = {predictedX, predictedY, predictedZ, px, py, pz, nx, ny, nz, relative, lowest};
    const PbfColour colour = pbf_colour(number);
    WALK(walk, predicted);
    if (get_global_id(0) >= blocks) return;
    const PbfBuckets buckets = find_block(get_global_id(0), colour, walk.cells);
    const int end = predictedStart[buckets.end];
    for (int i = predictedStart[buckets.begin]; i < end; i++)
        if (is_of_colour(i, colour, &s, walk.cells))
            push(i, lambdas[i], hasBoundary ? boundaryX[i] : 0, hasBoundary ? boundaryY[i] : 0,
                 hasBoundary ? boundaryZ[i] : 0, &s, &constants, &move, walk);
}

WB_INLINE void settle_axis(__global const float *start, __global const float *v, int axis,
                           const PbfMove *move, __global float *moved, __global float *n,
                           __global float *to) {
    const PbfDrift drift = pbf_drift(*start, *v, *moved + *n, axis, move);
    *moved = drift.moved, *to = drift.to, *n = 0;
}

// Places from what moved particles, in the box again.
__kernel void pbf_settle(int count, PbfMove move, IN3(startX, startY, startZ), IN3(vx, vy, vz),
                         OUT3(movedX, movedY, movedZ), OUT3(nx, ny, nz), OUT3(px, py, pz)) {
    const int i = get_global_id(0);
    if (i >= count) return;
    settle_axis(startX + i, vx + i, 0, &move, movedX + i, nx + i, px + i);
    settle_axis(startY + i, vy + i, 1, &move, movedY + i, ny + i, py + i);
    settle_axis(startZ + i, vz + i, 2, &move, movedZ + i, nz + i, pz + i);
}
