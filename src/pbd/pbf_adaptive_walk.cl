// SPDX-License-Identifier: MIT
// The walk over candidates (space/walk.cl) among particles of different sizes, one octave of them after the other, each within the reach of the
// largest particles of the item and of the octave:
//
//     __kernel void x(SEARCHED_SIZES(predicted), …) {
//         WALK_OCTAVES(walk, predicted);
//         if (walk.isPast) return;
//         while (next_octave(&walk, &walkOctaves))
//             while (next_run(&walk))
//                 while (next_candidate(&walk)) …        walk.j, near the lanes find_sized_near(…)

// Numbers by level stand in constant memory, the last but four bits of nothing: levels are bytes.
#define SIZES(level)      __constant PbfSizing *sizing, __global const uchar *level
#define SEARCHED_SIZES(p) SEARCHED(p), PbfConstants constants, SIZES(p##Level)

typedef struct Octaves {
    __constant PbfSizing *sizing;
    __global const int *starts; // of all buckets
    __global const uchar *levels;
    SpaceCells *cells; // of the octave
    const SpaceSides *sides;
    int count, octave;
    float largest; // m, support of the item's particles
} Octaves;

WB_INLINE int level_at(__global const uchar *levels, int i) { return levels[i] & (PBF_LEVELS - 1); }

// Of WB_LANES particles, by their levels.
WB_INLINE REAL lanes_of(__constant const float *table, __global const uchar *levels, int first) {
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = table[level_at(levels, first + l)];
    return lanes_load(lanes);
}

WB_INLINE PbfSize sizes_of(__constant PbfSizing *sizing, __global const uchar *levels, int first) {
    return pbf_size(lanes_of(sizing->levels.root, levels, first),
                    lanes_of(sizing->levels.inverseRoot, levels, first), sizing->levels.dimensions == 2);
}
WB_INLINE PbfSize size_at(__constant PbfSizing *sizing, int level) {
    return pbf_size(real_set(sizing->levels.root[level]), real_set(sizing->levels.inverseRoot[level]),
                    sizing->levels.dimensions == 2);
}

// The largest support of the particles of an item.
WB_INLINE float largest_support(const Walk *walk, __constant PbfSizing *sizing,
                                __global const uchar *levels) {
    const REAL h = lanes_of(sizing->levels.h, levels, walk->first);
    return real_largest(real_select(lanes_below(walk->itemEnd - walk->first), h, real_set(0)));
}

WB_INLINE Octaves begin_octaves(const Walk *walk, int count, const SpaceSides *sides,
                                __constant PbfSizing *sizing, __global const int *starts,
                                __global const uchar *levels, SpaceCells *cells) {
    Octaves octaves = {sizing, starts, levels, cells, sides, count, -1, 0};
    if (!walk->isPast) octaves.largest = largest_support(walk, sizing, levels);
    return octaves;
}

#define WALK_OCTAVES(walk, p)                                                                                \
    int walk##Sifted[SIFTED];                                                                                \
    SpaceCells walk##Cells = p##Space.cells;                                                                 \
    Walk walk = walk_points(p##Count, &walk##Cells, p##Start, p##X, p##Y, p##Z, walk##Sifted);               \
    Octaves walk##Octaves =                                                                                  \
        begin_octaves(&walk, p##Count, &p##Space.sides, sizing, p##Start, p##Level, &walk##Cells)

WB_INLINE bool is_empty_octave(__constant PbfSizing *sizing, __global const int *starts, int octave) {
    return starts[sizing->firstBucket[octave]] == starts[sizing->firstBucket[octave + 1]];
}

// Particles of an item need not be in one row of the cells that are searched, so that they are searched in bunches.
WB_INLINE bool next_octave(Walk *w, Octaves *o) {
    while (++o->octave < o->sizing->octaves) {
        if (is_empty_octave(o->sizing, o->starts, o->octave)) continue;
        *o->cells = o->sizing->cells[o->octave];
        Walk next = begin_walk(o->count, o->cells, o->starts + o->sizing->firstBucket[o->octave], w->searched,
                               w->own, w->sifted);
        next.reach = next.mirrorReach = sqrt(o->largest * o->sizing->top[o->octave]) * 1.00001f;
        next.sides = o->sides;
        *w = next;
        return true;
    }
    return false;
}

// Lanes, of these supports, whose neighbour the candidate is, at the predicted positions: r2 < h_i h_j.
WB_INLINE MASK find_sized_near(const Walk *walk, REAL h, float otherH) {
    return (square3(find_predicted_gap(walk)) < h * otherH) & walk->inside;
}
