// SPDX-License-Identifier: MIT
// The walk over octaves (pbf_octaves.cl) among particles of pbf_thesis.h, which are neighbours where one of them reaches the other at the predicted
// positions, as in the lists of the cores:
//
//     __kernel void x(SEARCHED_REACHES(predicted), …) {
//         WALK_REACHES(walk, predicted, &predictedSpace.sides);          or 0: without what sides mirror
//         if (walk.isPast) return;
//         while (next_octave(&walk, &walkOctaves))
//             while (next_run(&walk))
//                 while (next_candidate(&walk)) …                        walk.j, near the lanes find_near(…)

// Reaches are those that particles had when they were sorted: kernels may have changed since.
#define SEARCHED_REACHES(p)                                                                                  \
    SEARCHED(p), ThesisConstants constants, __constant PbfOctaves *octaves, __global const float *p##Reach

WB_INLINE float largest_reach(const Walk *walk, __global const float *reaches) {
    return walk->isPast ? 0 : largest_of(walk, real_load(reaches + walk->first));
}

#define WALK_REACHES(walk, p, mirrors)                                                                       \
    int walk##Sifted[SIFTED];                                                                                \
    SpaceCells walk##Cells = p##Space.cells;                                                                 \
    Walk walk = walk_points(p##Count, &walk##Cells, p##Start, p##X, p##Y, p##Z, walk##Sifted);               \
    Octaves walk##Octaves =                                                                                  \
        begin_octaves(octaves, p##Start, &walk##Cells, mirrors, p##Count, largest_reach(&walk, p##Reach))

WB_INLINE bool next_octave(Walk *w, Octaves *o) {
    if (!find_octave(o)) return false;
    walk_in_octave(w, o, fmax(o->largest, o->all->top[o->octave]));
    return true;
}
// The same octaves once more.
WB_INLINE void begin_again(Octaves *o) { o->octave = -1; }

// Lanes, of these reaches, of which the candidate is a neighbour by this squared distance.
WB_INLINE MASK are_reached(const Walk *walk, REAL r2, REAL reach, float other) {
    const REAL most = real_max(reach, real_set(other));
    return (r2 < most * most) & walk->inside;
}
// Where sides mirror, and where they do not.
WB_INLINE MASK find_near(const Walk *walk, REAL reach, float other) {
    return are_reached(walk, square3(find_predicted_gap(walk)), reach, other);
}
WB_INLINE MASK find_real_near(const Walk *walk, REAL reach, float other) {
    return are_reached(walk, square3(candidate_gap(walk)), reach, other);
}
