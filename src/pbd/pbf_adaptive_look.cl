// SPDX-License-Identifier: MIT
// A look at particles of different sizes on a device: wishes, partners, axes, and what becomes of particles. Built with one lane, so that an item is a
// particle; HASHED of the cells, which were sorted by the predicted positions.

// Counters of a look: particles by level and wanted level, then by wish, then those of unknown distance, then those that make sizes vary.
enum { WANTED_LEVELS = PBF_LEVELS + 2, WISHES = PBF_LEVELS * WANTED_LEVELS, UNKNOWN = WISHES + 3, VARIED };

// Curl of the velocity and the greatest distance to the surface around particles, among neighbours without their ghosts.
__kernel void look_around(SEARCHED_SIZES(predicted), PbfWishes wishes, IN3(x, y, z), IN3(vx, vy, vz),
                          __global const float *distances, __global float *curl, __global float *deepest) {
    WALK_OCTAVES(walk, predicted);
    const int i = walk.first;
    if (walk.isPast) return;
    const float h = sizing->levels.h[level_at(predictedLevel, i)];
    const Real3 p = load3(x, y, z, i), v = load3(vx, vy, vz, i);
    Real3 turning = zero3();
    float squares = 0, most = distances[i];
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int j = walk.j, level = level_at(predictedLevel, j);
                if (walk.choice != 1 || !find_sized_near(&walk, h, sizing->levels.h[level])) continue;
                const Real3 way = less3(p, load3(x, y, z, j));
                const float r2 = square3(way), w = pbf_around_weight(r2, 1 / h, sizing->levels.mass[level]);
                turning = madd3(w, cross3(way, less3(v, load3(vx, vy, vz, j))), turning);
                squares += w * r2;
                if (w > 0) most = fmax(most, distances[j]);
            }
    curl[i] = pbf_curl(square3(turning), squares, &wishes), deepest[i] = most;
}

// What a particle should become. near2: the squared distance to colliders; curl and deepest: what is around it, if that is asked for.
__kernel void look_choose(int count, PbfWishes wishes, PbfTargets targets, __global const uchar *levels,
                          IN3(x, y, z), IN3(vx, vy, vz), __global const float *offsets,
                          __global const float *distances, __global const float *near2,
                          __global const float *curl, __global const float *deepest, __global float *sizes,
                          __global int *wish, __global uint *counters) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int level = level_at(levels, i);
    const PbfAround around = {sqrt(near2[i]), curl[i], deepest[i]};
    const float size = pbf_wished_size(x[i], y[i], z[i], distances[i], vx[i], vy[i], vz[i], around, &wishes);
    const int mine = pbf_wish(&targets, size, level, distances[i], around.toColliders, offsets[i]);
    sizes[i] = size, wish[i] = mine;
    atomic_inc(&counters[level * WANTED_LEVELS + pbf_wanted_level(&targets, size)]);
    atomic_inc(&counters[WISHES + mine]);
}

// Where it does not pay, all become the smallest.
__kernel void look_leave(int count, __global const uchar *levels, __global int *wish) {
    const int i = get_global_id(0);
    if (i < count) wish[i] = levels[i] > 0 ? PBF_SPLIT : PBF_KEEP;
}

__kernel void look_count_unknown(int count, __global const float *distances, __global uint *counters) {
    const int i = get_global_id(0);
    if (i < count && distances[i] > 0.1f * PBF_UNKNOWN_DISTANCE) atomic_inc(&counters[UNKNOWN]);
}

__kernel void look_count_varied(int count, __global const uchar *levels, __global const float *offsets,
                                __global uint *counters) {
    const int i = get_global_id(0);
    if (i < count && (levels[i] > 0 || fabs(offsets[i]) > 1e-4f)) atomic_inc(&counters[VARIED]);
}

// Particles where they are predicted to be and where they are, and what they want.
typedef struct Herd {
    Points predicted, now;
    __constant PbfSizing *sizing;
    __global const int *starts;
    __global const uchar *levels;
    __global const uint *ids;
    __global const int *wish;
    int runs;
    __global const uint *runFirst;
    __global const int *runFluids;
} Herd;

WB_INLINE float support_of(const Herd *h, int i) { return h->sizing->levels.h[level_at(h->levels, i)]; }

WB_INLINE bool are_near(const Herd *h, int i, int j) {
    const float x = h->predicted.x[i] - h->predicted.x[j], y = h->predicted.y[i] - h->predicted.y[j],
                z = h->predicted.z[i] - h->predicted.z[j];
    return real_madd(x, x, real_madd(y, y, z * z)) < support_of(h, i) * support_of(h, j);
}

WB_INLINE bool can_merge(const Herd *h, int i, int j) {
    return j != i && h->wish[j] == PBF_MERGE && h->levels[j] == h->levels[i] &&
           (h->runs == 0 || fluid_of(h->ids[i], h->runs, h->runFirst, h->runFluids) ==
                                fluid_of(h->ids[j], h->runs, h->runFirst, h->runFluids));
}

typedef struct Partner {
    float key;
    int j; // -1: nobody
} Partner;

WB_INLINE void try_partner(const Herd *h, int i, int j, Partner *best) {
    if (!can_merge(h, i, j)) return;
    const Points p = h->now;
    const float key =
        pbf_partner_key(p.x[i] - p.x[j], p.y[i] - p.y[j], p.z[i] - p.z[j], h->ids[i], h->ids[j]);
    if (key < best->key) best->key = key, best->j = j;
}

// A walk around a particle, among those of an octave within this reach, without ghosts.
WB_INLINE Walk walk_around(const Herd *h, int i, int octave, float reach, SpaceCells *cells, int *sifted) {
    *cells = h->sizing->octaves.cells[octave];
    Walk walk = begin_walk(1, cells, h->starts + h->sizing->octaves.firstBucket[octave], h->predicted,
                           h->predicted, sifted);
    const float x = h->predicted.x[i], y = h->predicted.y[i], z = h->predicted.z[i];
    const Box box = {{x, y, z}, {x, y, z}};
    walk.reach = reach * 1.00001f;
    search_around(&walk, box);
    return walk;
}

// Those of i's level among the neighbours of a particle, which may be i.
WB_INLINE void try_neighbours(const Herd *h, int i, int j, Partner *best) {
    SpaceCells cells;
    int sifted[SIFTED];
    const int octave = pbf_octave(level_at(h->levels, i), h->sizing->levels.dimensions);
    Walk walk = walk_around(h, j, octave, sqrt(support_of(h, i) * support_of(h, j)), &cells, sifted);
    while (next_run_around(&walk))
        while (next_candidate(&walk))
            if (h->levels[walk.j] == h->levels[i] && are_near(h, j, walk.j)) try_partner(h, i, walk.j, best);
}

// Those among the neighbours of its larger neighbours.
WB_INLINE void try_farther(const Herd *h, int i, Partner *best) {
    SpaceCells cells;
    int sifted[SIFTED];
    for (int octave = 0; octave < h->sizing->octaves.count; octave++) {
        if (is_empty_octave(&h->sizing->octaves, h->starts, octave)) continue;
        Walk walk = walk_around(h, i, octave, sqrt(support_of(h, i) * h->sizing->octaves.top[octave]), &cells,
                                sifted);
        while (next_run_around(&walk))
            while (next_candidate(&walk))
                if (h->levels[walk.j] > h->levels[i] && are_near(h, i, walk.j))
                    try_neighbours(h, i, walk.j, best);
    }
}

// The nearest of the same level that wants to merge. What is behind looks farther, and if need be among the neighbours of its larger
// neighbours: small ones that are alone among large ones are thrown about.
__kernel void look_pair(SEARCHED_SIZES(predicted), PbfTargets targets, IN3(x, y, z), __global const uint *ids,
                        __global const int *wish, __global const float *sizes, int runs,
                        __global const uint *runFirst, __global const int *runFluids, __global int *partner) {
    const int i = get_global_id(0);
    if (i >= predictedCount) return;
    const Herd herd = {points_of(predictedX, predictedY, predictedZ),
                       points_of(x, y, z),
                       sizing,
                       predictedStart,
                       predictedLevel,
                       ids,
                       wish,
                       runs,
                       runFirst,
                       runFluids};
    Partner best = {0, -1};
    if (wish[i] == PBF_MERGE) {
        const int level = level_at(predictedLevel, i);
        const bool isBehind = targets.reachesFar && pbf_is_behind(&targets, sizes[i], level);
        const float reach = pbf_partner_reach(sizing->levels.radius[level], isBehind);
        best.key = reach * reach;
        try_neighbours(&herd, i, i, &best);
        if (best.j < 0 && isBehind) {
            best.key = 1e30f;
            try_farther(&herd, i, &best);
        }
    }
    partner[i] = best.j;
}

WB_INLINE bool is_merged(__global const int *partner, int i) {
    return partner[i] >= 0 && partner[partner[i]] == i;
}

// What becomes of a particle: none, one, two. Of two that merge the one with the smaller id stays.
__kernel void look_count_slots(int count, __global const uint *ids, __global const int *wish,
                               __global const int *partner, __global int *slots) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const bool isGone = is_merged(partner, i) && ids[partner[i]] < ids[i];
    slots[i] = isGone ? 0 : wish[i] == PBF_SPLIT ? 2 : 1;
}

// Room on the axes of what splits, by the squared distance of the nearer end to anyone, over the other's size. Slots are the first places of what
// comes of particles by now.
__kernel void look_find_room(SEARCHED_SIZES(predicted), IN3(x, y, z), __global const int *slots, int stride,
                             __global float *rooms) {
    WALK_OCTAVES(walk, predicted);
    const int i = walk.first, axes = pbf_count_axes(sizing->levels.dimensions);
    if (walk.isPast || slots[i + 1] - slots[i] != 2) return;
    const int level = level_at(predictedLevel, i);
    const float h = sizing->levels.h[level], way = pbf_half_way(sizing->levels.radius[level - 1]);
    const Real3 p = load3(x, y, z, i);
    float room[PBF_AXES];
    for (int k = 0; k < axes; k++) room[k] = 1e30f;
    while (next_octave(&walk, &walkOctaves))
        while (next_run(&walk))
            while (next_candidate(&walk)) {
                const int other = level_at(predictedLevel, walk.j);
                const bool isItself = walk.j == i && walk.choice == 1; // not its ghost
                if (isItself || !find_sized_near(&walk, h, sizing->levels.h[other])) continue;
                const float size = sizing->levels.radius[other];
                const Real3 d = pbf_gap(p, &walk.ghost, x, y, z, walk.j);
                const float d2 = d.x * d.x + d.y * d.y + d.z * d.z + way * way;
                for (int k = 0; k < axes; k++) {
                    const float along =
                        fabs(d.x * pbf_axis(k, 0) + d.y * pbf_axis(k, 1) + d.z * pbf_axis(k, 2));
                    room[k] = fmin(room[k], (d2 - 2 * way * along) / (size * size));
                }
            }
    for (int k = 0; k < axes; k++) rooms[k * stride + i] = room[k];
}

// Columns of particles, and where they go to.
#define HERD(x, y, z, vx, vy, vz, id, density, pressure, level, offset, distance, kind)                      \
    __global kind float *x, __global kind float *y, __global kind float *z, __global kind float *vx,         \
        __global kind float *vy, __global kind float *vz, __global kind uint *id,                            \
        __global kind float *density, __global kind float *pressure, __global kind uchar *level,             \
        __global kind float *offset, __global kind float *distance

WB_INLINE float confine(float x, int axis, const SpaceRoom *room) {
    return fmin(fmax(x, room->low[axis]), room->high[axis]);
}

// The axis with most room.
WB_INLINE int find_axis(__global const float *rooms, int stride, int axes, uint id) {
    const int first = (int)(id % (uint)axes);
    int best = first;
    for (int n = 1; n < axes; n++) {
        const int k = (first + n) % axes;
        if (pbf_has_more_room(rooms[k * stride], rooms[best * stride])) best = k;
    }
    return best;
}

// Particles as they are now: as they were, in halves, or as means of two, which keep mass, momentum and centre. `before` is the density over which
// constraints pushed, `from` where they were, or what they came from, where anybody asks.
__kernel void look_apply(int count, SpaceRoom room, __constant PbfSizing *sizing, int fills,
                         __global const int *slots, __global const int *partner, __global const uint *newIds,
                         __global const float *rooms, int stride, __global const float *measured,
                         HERD(x, y, z, vx, vy, vz, id, density, pressure, level, offset, distance, const),
                         HERD(toX, toY, toZ, toVx, toVy, toVz, toId, toDensity, toPressure, toLevel, toOffset,
                              toDistance, ),
                         __global float *before, int hasFrom, OUT3(fromX, fromY, fromZ)) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int first = slots[i], parts = slots[i + 1] - first;
    const float mine = pbf_pressed(measured[i], offset[i]);
    float axis[3] = {0, 0, 0};
    if (parts == 2) {
        const int best = find_axis(rooms + i, stride, pbf_count_axes(sizing->levels.dimensions), id[i]);
        const float way = pbf_half_way(sizing->levels.radius[level_at(level, i) - 1]);
        for (int a = 0; a < 3; a++) axis[a] = way * pbf_axis(best, a);
    }
    for (int part = 0; part < parts; part++) {
        const int to = first + part;
        toX[to] = x[i], toY[to] = y[i], toZ[to] = z[i], toVx[to] = vx[i], toVy[to] = vy[i], toVz[to] = vz[i];
        toId[to] = id[i], toDensity[to] = density[i], toPressure[to] = pressure[i];
        toLevel[to] = level[i], toOffset[to] = offset[i], toDistance[to] = distance[i];
        before[to] = fills ? 1 : mine;
        if (hasFrom) fromX[to] = x[i], fromY[to] = y[i], fromZ[to] = z[i];
        if (parts == 2) {
            const float sign = part ? 1 : -1;
            toX[to] = confine(x[i] + sign * axis[0], 0, &room);
            toY[to] = confine(y[i] + sign * axis[1], 1, &room);
            toZ[to] = confine(z[i] + sign * axis[2], 2, &room);
            toLevel[to] = level[i] - 1;
            if (part) toId[to] = newIds[i];
        } else if (is_merged(partner, i)) {
            const int j = partner[i];
            toX[to] = 0.5f * (x[i] + x[j]), toY[to] = 0.5f * (y[i] + y[j]), toZ[to] = 0.5f * (z[i] + z[j]);
            toVx[to] = 0.5f * (vx[i] + vx[j]), toVy[to] = 0.5f * (vy[i] + vy[j]),
            toVz[to] = 0.5f * (vz[i] + vz[j]);
            toLevel[to] = level[i] + 1, toDistance[to] = 0.5f * (distance[i] + distance[j]);
            if (!fills) before[to] = 0.5f * (mine + pbf_pressed(measured[j], offset[j]));
        }
    }
}
