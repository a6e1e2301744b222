// SPDX-License-Identifier: MIT
// The walk over candidates (space/walk.cl) among particles that are sorted by octaves of their supports, one octave after the other. How far it reaches
// in each of them is for the method to say: its next_octave begins the walk in the next one that has particles.

typedef struct Octaves {
    __constant const PbfOctaves *all;
    __global const int *starts; // of all buckets
    SpaceCells *cells;          // of the octave
    const SpaceSides *sides;    // 0: none mirrors
    int count, octave;
    float largest; // m, support of the item's particles
} Octaves;

WB_INLINE Octaves begin_octaves(__constant const PbfOctaves *all, __global const int *starts,
                                SpaceCells *cells, const SpaceSides *sides, int count, float largest) {
    Octaves octaves = {all, starts, cells, sides, count, -1, largest};
    return octaves;
}

// The largest support of the particles of an item, of these lanes.
WB_INLINE float largest_of(const Walk *walk, REAL h) {
    return real_largest(real_select(lanes_below(walk->itemEnd - walk->first), h, real_set(0)));
}

WB_INLINE bool is_empty_octave(__constant const PbfOctaves *all, __global const int *starts, int octave) {
    return starts[all->firstBucket[octave]] == starts[all->firstBucket[octave + 1]];
}

WB_INLINE bool find_octave(Octaves *o) {
    while (++o->octave < o->all->count)
        if (!is_empty_octave(o->all, o->starts, o->octave)) return true;
    return false;
}

// Particles of an item need not be in one row of the cells that are searched, so that they are searched in bunches.
WB_INLINE void walk_in_octave(Walk *w, const Octaves *o, float reach) {
    *o->cells = o->all->cells[o->octave];
    Walk next = begin_walk(o->count, o->cells, o->starts + o->all->firstBucket[o->octave], w->searched,
                           w->own, w->sifted);
    next.reach = next.mirrorReach = reach * 1.00001f;
    next.sides = o->sides;
    *w = next;
}

// The key of a particle in an octave.
WB_INLINE uint octave_key(__constant const PbfOctaves *all, int octave, float x, float y, float z) {
    const SpaceCells cells = all->cells[octave];
    const int cx = cell_along(x, 0, &cells), cy = cell_along(y, 1, &cells), cz = cell_along(z, 2, &cells);
    return (uint)(all->firstBucket[octave] + first_bucket(part_of(cx), cy, cz, &cells) + place_of(cx));
}

// Points of colliders among the particles of an octave, which nothing mirrors.
WB_INLINE Walk walk_to_octave(int count, int octave, SpaceCells *cells, __constant const PbfOctaves *all,
                              __global const int *starts, IN3(x, y, z), IN3(placeX, placeY, placeZ),
                              int *sifted) {
    *cells = all->cells[octave];
    Walk walk = walk_to_particles(count, cells, starts + all->firstBucket[octave], x, y, z, placeX, placeY,
                                  placeZ, sifted);
    walk.reach = all->top[octave] * 1.00001f;
    return walk;
}
#define WALK_OCTAVE(walk, octave, octaves, q, p)                                                             \
    int walk##Sifted[SIFTED];                                                                                \
    SpaceCells walk##Cells;                                                                                  \
    Walk walk = walk_to_octave(q##Count, octave, &walk##Cells, octaves, p##Start, p##X, p##Y, p##Z, q##X,    \
                               q##Y, q##Z, walk##Sifted)
