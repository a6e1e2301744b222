// SPDX-License-Identifier: MIT
// How sizes of pbf_thesis.h change on a device: what is wished, kernels, merges and splits, as pbf_thesis_change.c has them. Behind pbf_thesis.cl.
// Partners are written, then read from both sides; the host gives places and ids.

// Counters: particles that are gone, that would split; the farthest from the boundary, as the bits of a float.
enum { GONE, SPLITTING, FARTHEST };

__kernel void thesis_find_farthest(int count, __global const float *distance, __global uint *counters) {
    const int i = get_global_id(0);
    if (i < count) atomic_max(&counters[FARTHEST], as_uint(fmax(distance[i], 0.0f)));
}

// Curl of the velocity and the greatest distance to the boundary around particles, for wishes that ask for it.
__kernel void thesis_look_around(SEARCHED_REACHES(predicted), PbfWishes wishes, IN3(x, y, z), IN3(vx, vy, vz),
                                 __global const float *volumes, __global const float *inverses,
                                 __global const float *distances, __global float *curl,
                                 __global float *deepest) {
    WALK_REACHES(walk, predicted, 0);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first), inverseH = real_load(inverses + first),
               zero = real_set(0);
    const Real3 p = load3(x, y, z, first), v = load3(vx, vy, vz, first);
    Real3 turning = zero3();
    REAL squares = zero, most = real_load(distances + first);
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_real_near(&walk, reach, predictedReach[walk.j]);
                const Real3 way = gap_from(points_of(x, y, z), walk.j, p),
                            faster = gap_from(points_of(vx, vy, vz), walk.j, v);
                const REAL r2 = square3(way);
                const REAL w =
                    real_select(near, pbf_around_weight(r2, inverseH, real_set(volumes[walk.j])), zero);
                turning = madd3(w, cross3(way, faster), turning);
                squares = real_madd(w, r2, squares);
                most = real_max(most, real_select(real_less(zero, w), real_set(distances[walk.j]), zero));
            }
    real_store(curl + first, pbf_curl(square3(turning), squares, &wishes));
    real_store(deepest + first, most);
}

// The sizes that particles should have, and the radii that they have. near2: the squared distance to colliders.
__kernel void thesis_wish(int count, PbfWishes wishes, ThesisSizing sizing, IN3(x, y, z), IN3(vx, vy, vz),
                          __global const uint *parts, __global const float *distances,
                          __global const float *near2, __global const float *curl,
                          __global const float *deepest, __global float *sizes, __global float *radii) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const PbfAround around = {real_sqrt(real_load(near2 + i)), real_load(curl + i), real_load(deepest + i)};
    real_store(sizes + i,
               pbf_wished_size(real_load(x + i), real_load(y + i), real_load(z + i), real_load(distances + i),
                               real_load(vx + i), real_load(vy + i), real_load(vz + i), around, &wishes));
    for (int l = 0; l < WB_LANES; l++) radii[i + l] = thesis_radius(parts[i + l], &sizing);
}

// Particles that look for one to merge with.
typedef struct Herd {
    ThesisSizing sizing;
    Points now;
    __global const uint *ids, *parts, *roles;
    __global const float *h, *sizes;
    int runs;
    __global const uint *runFirst;
    __global const int *runFluids;
} Herd;

typedef struct Partner {
    float key;
    int j; // -1: nobody
} Partner;

WB_INLINE int herd_fluid(const Herd *h, int i) {
    return fluid_of(h->ids[i], h->runs, h->runFirst, h->runFluids);
}

WB_INLINE void try_partner(const Herd *h, int i, int j, Partner *best) {
    if (i == j || h->roles[i] != wb_roleAlone) return;
    if (!thesis_may_merge(h->parts[i], h->parts[j], thesis_target_parts(h->sizes[i], &h->sizing),
                          thesis_target_parts(h->sizes[j], &h->sizing), h->h[i], h->h[j], &h->sizing) ||
        herd_fluid(h, i) != herd_fluid(h, j))
        return;
    const Points p = h->now;
    const float key =
        pbf_partner_key(p.x[i] - p.x[j], p.y[i] - p.y[j], p.z[i] - p.z[j], h->ids[i], h->ids[j]);
    if (key < best->key) best->key = key, best->j = j;
}

// The nearest that is near enough (4.34). Few are: the lanes of those are tried one by one.
__kernel void thesis_pair(SEARCHED_REACHES(predicted), ThesisSizing sizing, IN3(x, y, z),
                          __global const uint *ids, __global const uint *parts, __global const uint *roles,
                          __global const float *h, __global const float *sizes, __global const float *radii,
                          int runs, __global const uint *runFirst, __global const int *runFluids,
                          __global int *partner) {
    WALK_REACHES(walk, predicted, 0);
    const int first = walk.first;
    if (walk.isPast) return;
    const Herd herd = {sizing, points_of(x, y, z), ids, parts, roles, h, sizes, runs, runFirst, runFluids};
    const REAL reach = real_load(predictedReach + first), radius = real_load(radii + first);
    const Real3 p = load3(x, y, z, first);
    Partner best[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) best[l].key = INFINITY, best[l].j = -1;
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                if (roles[walk.j] != wb_roleAlone) continue;
                const REAL most = sizing.reach * real_max(radius, real_set(radii[walk.j]));
                const MASK near = find_real_near(&walk, reach, predictedReach[walk.j]) &
                                  (square3(gap_from(herd.now, walk.j, p)) < most * most);
                if (mask_sum(mask_ones(near)) == 0) continue;
                int lanes[WB_LANES];
                lanes_store(lanes, mask_ones(near));
                for (int l = 0; l < WB_LANES; l++)
                    if (lanes[l]) try_partner(&herd, first + l, walk.j, &best[l]);
            }
    for (int l = 0; first + l < walk.itemEnd; l++) partner[first + l] = best[l].j;
}

// Merges that begin: where the choice is mutual.
__kernel void thesis_start_merges(int count, ThesisSizing sizing, __global const int *partner,
                                  __global const uint *ids, __global const uint *parts, __global uint *roles,
                                  __global int *others, __global float *left) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int j = partner[i];
    if (j < 0 || partner[j] != i) return;
    const bool isSource = thesis_is_source(parts[i], parts[j], ids[i], ids[j]);
    roles[i] = isSource ? wb_roleMergeSource : wb_roleMergeTarget;
    others[i] = j, left[i] = sizing.mergeTime;
}

// The target of a transfer gets velocity, and on wish place, along with mass: a share of what the source has. Sources keep theirs.
WB_INLINE void take_over(__global float *values, int i, int from, float share) {
    values[i] += share * (values[from] - values[i]);
}

// Parts of mass go over (4.17 to 4.29). When the time is over both are alone again, but what was merged, which goes. Of the other nothing is read that
// its own item writes. `lost`: mass times lengths of velocities, where momentum is lost.
__kernel void thesis_transfer(int count, float dt, ThesisSizing sizing, OUT3(x, y, z), OUT3(vx, vy, vz),
                              __global const uint *parts, __global uint *units, __global uint *roles,
                              __global int *others, __global float *left, __global uint *newParts,
                              __global float *lost) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int j = others[i];
    const uint role = roles[i], own = parts[i];
    newParts[i] = own;
    if (sizing.losesMomentum) lost[i] = 0;
    if (j < 0) return;
    const bool gives = thesis_gives(role), merges = role == wb_roleMergeSource || role == wb_roleMergeTarget,
               isOver = thesis_ends(left[i], dt);
    const int source = gives ? i : j, target = gives ? j : i;
    const uint moved = thesis_moved(merges ? wb_roleMergeSource : wb_roleSplitSource, parts[source],
                                    merges ? 0 : units[target], parts[target], left[i], dt);
    newParts[i] = gives ? own - moved : own + moved;
    if (!gives) {
        const float share = thesis_taken(own, moved);
        if (sizing.losesMomentum)
            lost[i] = thesis_mass(moved) *
                      sqrt((vx[j] - vx[i]) * (vx[j] - vx[i]) + (vy[j] - vy[i]) * (vy[j] - vy[i]) +
                           (vz[j] - vz[i]) * (vz[j] - vz[i]));
        else
            take_over(vx, i, j, share), take_over(vy, i, j, share), take_over(vz, i, j, share);
        if (sizing.movesTargets)
            take_over(x, i, j, share), take_over(y, i, j, share), take_over(z, i, j, share);
    }
    left[i] -= dt;
    if (isOver && role == wb_roleMergeTarget) units[i] += units[j];
    if (isOver && role != wb_roleMergeSource) roles[i] = wb_roleAlone;
    if (thesis_is_gone(role, newParts[i]) || roles[i] == wb_roleAlone) others[i] = -1;
}

// Section 4.2: the widest kernel around. Intrinsic widths are those of the sizes that particles should have.
__kernel void thesis_find_widest(SEARCHED_REACHES(predicted), ThesisSizing sizing, IN3(x, y, z),
                                 __global const float *sizes, __global float *widest) {
    WALK_REACHES(walk, predicted, 0);
    const int first = walk.first;
    if (walk.isPast) return;
    const REAL reach = real_load(predictedReach + first);
    const Real3 p = load3(x, y, z, first);
    REAL most = real_set(0);
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const MASK near = find_real_near(&walk, reach, predictedReach[walk.j]);
                const REAL width = real_set(sizing.width * thesis_target(sizes[walk.j], &sizing)),
                           r = real_sqrt(square3(gap_from(points_of(x, y, z), walk.j, p)));
                most = real_select(near, real_max(most, thesis_spread(width, r)), most);
            }
    real_store(widest + first, most);
}

// Kernels follow what is wanted of them.
__kernel void thesis_widen(int count, ThesisSizing sizing, __global const float *sizes,
                           __global const float *widest, __global const float *distance, __global float *h) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const float wanted = sizing.isGeneral ? widest[i] : thesis_support(distance[i], sizes[i], &sizing);
    h[i] = thesis_follow(h[i], wanted);
}

// What becomes of a particle: none, one, two.
__kernel void thesis_count_slots(int count, ThesisSizing sizing, __global const uint *roles,
                                 __global const uint *parts, __global const float *sizes, __global int *slots,
                                 __global uint *counters) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const bool isGone = thesis_is_gone(roles[i], parts[i]),
               splits = thesis_splits(roles[i], parts[i], thesis_target_parts(sizes[i], &sizing));
    slots[i] = isGone ? 0 : splits ? 2 : 1;
    if (isGone) atomic_inc(&counters[GONE]);
    if (!isGone && splits) atomic_inc(&counters[SPLITTING]);
}

// Columns of particles, and where they go to.
#define COLUMNS(x, y, z, vx, vy, vz, id, density, pressure, units, parts, h, distance, offset, role, other,  \
                left, kind)                                                                                  \
    __global kind float *x, __global kind float *y, __global kind float *z, __global kind float *vx,         \
        __global kind float *vy, __global kind float *vz, __global kind uint *id,                            \
        __global kind float *density, __global kind float *pressure, __global kind uint *units,              \
        __global kind uint *parts, __global kind float *h, __global kind float *distance,                    \
        __global kind float *offset, __global kind uint *role, __global kind int *other,                     \
        __global kind float *left

// Particles as they are from now on: as they were, or as halves next to each other (4.33). `slots` are the first places of what comes of them, and
// `from` is where they were, if anybody asks.
__kernel void thesis_apply(int count, ThesisMove move, ThesisSizing sizing, __global const int *slots,
                           __global const uint *newIds, IN3(gradientX, gradientY, gradientZ),
                           IN3(insetX, insetY, insetZ),
                           COLUMNS(x, y, z, vx, vy, vz, id, density, pressure, units, parts, h, distance,
                                   offset, role, other, left, const),
                           COLUMNS(toX, toY, toZ, toVx, toVy, toVz, toId, toDensity, toPressure, toUnits,
                                   toParts, toH, toDistance, toOffset, toRole, toOther, toLeft, ),
                           int hasFrom, OUT3(fromX, fromY, fromZ)) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int first = slots[i], halves = slots[i + 1] - first;
    float way[3] = {0, 0, 0};
    if (halves == 2) {
        const float gradient[3] = {gradientX[i], gradientY[i], gradientZ[i]};
        thesis_find_way(h[i], gradient, id[i], &move, sizing.dimensions, way);
    }
    for (int k = 0; k < halves; k++) {
        const int to = first + k;
        toX[to] = x[i], toY[to] = y[i], toZ[to] = z[i], toVx[to] = vx[i], toVy[to] = vy[i], toVz[to] = vz[i];
        toId[to] = k ? newIds[i] : id[i], toDensity[to] = density[i], toPressure[to] = pressure[i];
        toUnits[to] = units[i], toParts[to] = parts[i], toH[to] = h[i], toDistance[to] = distance[i];
        toOffset[to] = offset[i], toRole[to] = role[i], toLeft[to] = left[i];
        toOther[to] = other[i] < 0 ? -1 : slots[other[i]];
        if (hasFrom) fromX[to] = x[i], fromY[to] = y[i], fromZ[to] = z[i];
        if (halves < 2) continue;
        const ThesisHalf piece = thesis_half(units[i], k, &sizing);
        toX[to] = thesis_confine(x[i] + piece.way * way[0], insetX[i], 0, &move);
        toY[to] = thesis_confine(y[i] + piece.way * way[1], insetY[i], 1, &move);
        toZ[to] = thesis_confine(z[i] + piece.way * way[2], insetZ[i], 2, &move);
        toUnits[to] = piece.units, toParts[to] = piece.parts, toRole[to] = piece.role;
        if (sizing.splitsGradually) toOther[to] = first + 1 - k, toLeft[to] = sizing.mergeTime;
    }
}
