// SPDX-License-Identifier: MIT
// The walk over octaves (pbf_octaves.cl) among particles of levels, each within the reach of the largest particles of the item and of the octave:
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

// The largest support of the particles of an item; 0 if it has none.
WB_INLINE float largest_support(const Walk *walk, __constant PbfSizing *sizing,
                                __global const uchar *levels) {
    return walk->isPast ? 0 : largest_of(walk, lanes_of(sizing->levels.h, levels, walk->first));
}

#define WALK_OCTAVES(walk, p)                                                                                \
    int walk##Sifted[SIFTED];                                                                                \
    SpaceCells walk##Cells = p##Space.cells;                                                                 \
    Walk walk = walk_points(p##Count, &walk##Cells, p##Start, p##X, p##Y, p##Z, walk##Sifted);               \
    Octaves walk##Octaves = begin_octaves(&sizing->octaves, p##Start, &walk##Cells, &p##Space.sides,         \
                                          p##Count, largest_support(&walk, sizing, p##Level))

WB_INLINE bool next_octave(Walk *w, Octaves *o) {
    if (!find_octave(o)) return false;
    walk_in_octave(w, o, sqrt(o->largest * o->all->top[o->octave]));
    return true;
}

// Lanes, of these supports, whose neighbour the candidate is, at the predicted positions: r2 < h_i h_j.
WB_INLINE MASK find_sized_near(const Walk *walk, REAL h, float otherH) {
    return (square3(find_predicted_gap(walk)) < h * otherH) & walk->inside;
}
