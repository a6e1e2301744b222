// SPDX-License-Identifier: MIT
// The walk over candidates: a work-item holds WB_LANES points that follow each other in memory, and goes over all points
// within reach of them and some more, one after the other. Nothing is listed, so nothing can overflow.
//
//     __kernel void x(SEARCHED(particle), …) {
//         WALK(walk, particle);
//         if (walk.isPast) return;               the last group of items has more than there are points
//         while (next_run(&walk))                candidates behind each other in memory, mirrored: walk.ghost
//             while (next_candidate(&walk))      walk.j, for the lanes walk.inside, which are at walk.p …
//
// Lanes in different rows of cells search in turn, as groups. What lanes outside would gain by a candidate is to be dropped: nothing is
// added to them, or their sums of before the group stay. Then groups are a loop of their own: to drop what a run has gained, run by
// run, cost sph a tenth on CPUs.
//
//         while (next_group(&walk)) {            before = sum
//             while (next_run_around(&walk))
//                 while (next_candidate(&walk)) …
//         }                                      sum = select3(walk.inside, sum, before)
//
// The loops over runs and candidates are nested as they are written. (One loop over all candidates that finds the next
// run when it needs it cost a sixth more on CPUs.)

// On CPUs the candidates of a run are first sifted by their distance to the box of those who search, WB_LANES at a time: a
// quarter to a third fewer pairs at a cost of about one cycle each. (A branch on "none of the lanes is near" loses what it
// saves.)
#if WB_LANES == 1
enum { SIFTED = 1 };
#else
enum { SIFTED_AT_ONCE = 64, SIFTED = SIFTED_AT_ONCE + WB_LANES };
#endif

// Parameters of a kernel that searches, after whose points they are called (particleCount, particleX …), and its walk:
// particles among themselves and what sides mirror of them,
#define SEARCHED(p) int p##Count, SpaceSearch p##Space, __global const int *p##Start, IN3(p##X, p##Y, p##Z)
#define WALK(walk, p)                                                                                        \
    int walk##Sifted[SIFTED];                                                                                \
    Walk walk = walk_particles(p##Count, &p##Space, p##Start, p##X, p##Y, p##Z, walk##Sifted)
// particles p among points q of colliders, of which there are records, too: x, y, z, weight; vx, vy, vz, drag,
#define PLACES(q)                                                                                            \
    IN3(q##X, q##Y, q##Z), __global const float *q##Positions, __global const float *q##Velocities
#define SEARCHED_PLACES(p, q)                                                                                \
    int p##Count, SpacePlaces q##Space, __global const int *q##Start, PLACES(q), IN3(p##X, p##Y, p##Z)
#define WALK_PLACES(walk, p, q)                                                                              \
    int walk##Sifted[SIFTED];                                                                                \
    Walk walk =                                                                                              \
        walk_to_places(p##Count, &q##Space, q##Start, q##X, q##Y, q##Z, p##X, p##Y, p##Z, walk##Sifted)
// points q of colliders among particles p, which nothing mirrors.
#define SEARCHED_PARTICLES(q, p)                                                                             \
    int q##Count, SpaceSearch p##Space, __global const int *p##Start, IN3(p##X, p##Y, p##Z), PLACES(q)
#define WALK_PARTICLES(walk, q, p)                                                                           \
    int walk##Sifted[SIFTED];                                                                                \
    Walk walk = walk_to_particles(q##Count, &p##Space.cells, p##Start, p##X, p##Y, p##Z, q##X, q##Y, q##Z,   \
                                  walk##Sifted)

typedef struct Walk {
    const SpaceCells *cells; // that are searched
    __global const int *bucketStart;
    Points searched;           // in the order of those cells
    float reach;               // m, of the search
    const SpaceSides *sides;   // that mirror what is searched; 0: none
    float mirrorReach;         // m: what is farther away from a side is not mirrored
    const SpacePlaces *places; // that are searched; 0: particles are
    int firstSearched;         // in memory
    Points own;                // who searches
    bool isOwn;                // who searches is searched, too
    int first, itemEnd;        // of `own`, the item's
    bool isPast;               // the item has none
    int end;                   // of the group, which are the lanes `inside`
    MASK inside;
    Real3 p;             // the item's points
    Box box;             // around the group
    int choice, choices; // of ghosts
    Ghost ghost;
    Box mirrored;                                    // the box as it is searched around
    int lowX, lowY, lastX, lastY, lastZ, part, y, z; // cells within reach of it, and the row of the next run
    int runPart, runY, runZ;                         // the row of this run
    int run, runEnd;                                 // what is left of it
    int j;                                           // the candidate
    int next, nextEnd;                               // those to come
    int *sifted;                                     // candidates of a run that are near the box
} Walk;

// From the candidate to the item's points, and back.
WB_INLINE Real3 candidate_gap(const Walk *w) { return gap_from(w->searched, w->j, w->p); }
WB_INLINE Real3 candidate_gap_back(const Walk *w) { return gap_to(w->searched, w->j, w->p); }

WB_INLINE Walk begin_walk(int count, const SpaceCells *cells, __global const int *bucketStart,
                          Points searched, Points own, int *sifted) {
    Walk w;
    w.cells = cells, w.bucketStart = bucketStart, w.searched = searched, w.own = own, w.sifted = sifted;
    w.sides = 0, w.places = 0, w.firstSearched = 0, w.isOwn = false;
    w.reach = cells->reach, w.mirrorReach = 0;
    w.first = w.end = get_global_id(0) * WB_LANES, w.itemEnd = min(w.first + WB_LANES, count);
    w.isPast = w.first >= count;
    w.run = w.runEnd = w.choice = w.choices = w.lastZ = 0, w.z = 1; // no search has begun
    return w;
}

WB_INLINE Walk walk_particles(int count, const SpaceSearch *space, __global const int *bucketStart,
                              IN3(x, y, z), int *sifted) {
    const Points points = points_of(x, y, z);
    Walk w = begin_walk(count, &space->cells, bucketStart, points, points, sifted);
    w.sides = &space->sides, w.mirrorReach = space->sides.radius, w.isOwn = true;
    return w;
}

// Points among themselves, without sides.
WB_INLINE Walk walk_points(int count, const SpaceCells *cells, __global const int *bucketStart, IN3(x, y, z),
                           int *sifted) {
    const Points points = points_of(x, y, z);
    Walk w = begin_walk(count, cells, bucketStart, points, points, sifted);
    w.isOwn = true;
    return w;
}

WB_INLINE Walk walk_to_places(int count, const SpacePlaces *places, __global const int *bucketStart,
                              IN3(placeX, placeY, placeZ), IN3(x, y, z), int *sifted) {
    Walk w = begin_walk(count, &places->cells, bucketStart, points_of(placeX, placeY, placeZ),
                        points_of(x, y, z), sifted);
    w.places = places, w.firstSearched = places->first;
    return w;
}

WB_INLINE Walk walk_to_particles(int count, const SpaceCells *cells, __global const int *bucketStart,
                                 IN3(x, y, z), IN3(placeX, placeY, placeZ), int *sifted) {
    return begin_walk(count, cells, bucketStart, points_of(x, y, z), points_of(placeX, placeY, placeZ),
                      sifted);
}

WB_INLINE void search_box(Walk *w, Box box) {
    w->mirrored = box;
    const float reach = w->reach;
    w->lowX = lowest_cell(box.low[0], reach, 0, w->cells);
    w->lastX = highest_cell(box.high[0], reach, 0, w->cells);
    w->lowY = lowest_cell(box.low[1], reach, 1, w->cells);
    w->lastY = highest_cell(box.high[1], reach, 1, w->cells);
    w->part = part_of(w->lowX), w->y = w->lowY;
    w->z = lowest_cell(box.low[2], reach, 2, w->cells);
    w->lastZ = highest_cell(box.high[2], reach, 2, w->cells);
    w->run = w->runEnd = 0;
}

// On copies: an array that is indexed by a variable would keep the whole walk out of registers.
WB_INLINE bool next_ghost(Walk *w) {
    const Box box = w->box;
    Ghost ghost;
    while (w->choice < w->choices)
        if (find_ghost(&ghost, w->choice++, &box, w->mirrorReach, w->sides)) {
            w->ghost = ghost;
            search_box(w, mirror_box(&box, &ghost));
            return true;
        }
    return false;
}

// Begins a search around a box. The first choice of ghosts is what is there itself.
WB_INLINE void search_around(Walk *w, Box box) {
    w->box = box, w->choice = w->choices = 0;
    if (w->sides) w->choices = count_choices(&box, w->mirrorReach, w->sides);
    if (!w->sides || !next_ghost(w)) search_box(w, box);
}

WB_INLINE bool is_in_row(Points points, int j, int part, int y, int z, const SpaceCells *cells) {
    return part_of(cell_along(points.x[j], 0, cells)) == part && cell_along(points.y[j], 1, cells) == y &&
           cell_along(points.z[j], 2, cells) == z;
}

// The end of those points behind `begin` that lie in the same row of cells (hashed: in the same part of it).
WB_INLINE int end_of_row(const Walk *w, int begin) {
    const Points p = w->own;
    const int y = cell_along(p.y[begin], 1, w->cells), z = cell_along(p.z[begin], 2, w->cells);
#if HASHED
    const int part = part_of(cell_along(p.x[begin], 0, w->cells));
    int end = begin + 1;
    while (end < w->itemEnd && is_in_row(p, end, part, y, z, w->cells)) end++;
    return end;
#else
    return min(w->itemEnd, w->bucketStart[first_bucket(0, y, z, w->cells) + w->cells->size[0]]);
#endif
}

// The end of those points behind `begin` that are near it: they need not be in the order of the cells that are searched.
WB_INLINE int end_of_bunch(const Walk *w, int begin) {
    const Points p = w->own;
    const float reach = w->reach;
    int end = begin + 1;
    while (end < w->itemEnd && fabs(p.x[end] - p.x[begin]) < 4 * reach &&
           fabs(p.y[end] - p.y[begin]) < reach && fabs(p.z[end] - p.z[begin]) < reach)
        end++;
    return end;
}

WB_INLINE bool is_near_places(const Box *box, float reach, const SpacePlaces *places) {
    bool near = true;
    for (int a = 0; a < 3; a++)
        near &= box->low[a] - reach <= places->max[a] && box->high[a] + reach >= places->min[a];
    return near;
}

// Groups that are near no point of colliders are left out where those are searched.
WB_INLINE bool next_group(Walk *w) {
    while (w->end < w->itemEnd) {
        const int begin = w->end;
        w->end = w->isOwn ? end_of_row(w, begin) : end_of_bunch(w, begin);
        w->inside = lanes_below(w->end - w->first) & ~lanes_below(begin - w->first);
        w->p = load3(w->own.x, w->own.y, w->own.z, w->first);
        const Box box = box_around(w->p, w->inside);
        if (w->places && !is_near_places(&box, w->reach, w->places)) continue;
        search_around(w, box);
        return true;
    }
    return false;
}

// Sets w->run to the points of the next row of cells around the box that holds any.
WB_INLINE bool find_run(Walk *w) {
    const int lowPart = part_of(w->lowX), lastPart = part_of(w->lastX);
    while (w->run >= w->runEnd) {
        if (w->z > w->lastZ) return false;
        const int bucket = first_bucket(w->part, w->y, w->z, w->cells);
        const int begin = w->part == lowPart ? place_of(w->lowX) : 0;
        const int last = w->part < lastPart ? last_place(w->cells) : place_of(w->lastX);
        w->run = w->firstSearched + w->bucketStart[bucket + begin];
        w->runEnd = w->firstSearched + w->bucketStart[bucket + last + 1];
        w->runPart = w->part, w->runY = w->y, w->runZ = w->z;
        if (++w->part <= lastPart) continue;
        w->part = lowPart;
        if (++w->y <= w->lastY) continue;
        w->y = w->lowY, w->z++;
    }
    return true;
}

// Two rows may share a bucket where they are hashed; then a point counts in its own row only.
WB_INLINE bool is_in_run(const Walk *w, int j) {
    return !HASHED || is_in_row(w->searched, j, w->runPart, w->runY, w->runZ, w->cells);
}

// The candidates of a run, those of a long one in turns.
#if WB_LANES == 1
WB_INLINE void take_candidates(Walk *w) { w->next = w->run, w->run = w->nextEnd = w->runEnd; }

WB_INLINE bool next_candidate(Walk *w) {
    while (w->next < w->nextEnd) {
        w->j = w->next++;
        if (is_in_run(w, w->j)) return true;
    }
    return false;
}
#else
// Lists those of j … end - 1 that are near the box.
WB_INLINE int sift(const Walk *w, int j, int end) {
    const Box box = w->mirrored;
    const float reach2 = w->reach * w->reach;
    int count = 0;
    for (; j < end; j += WB_LANES) {
        const Real3 p = load3(w->searched.x, w->searched.y, w->searched.z, j);
        const Real3 d = real3(real_max(real_max(box.low[0] - p.x, p.x - box.high[0]), real_set(0)),
                              real_max(real_max(box.low[1] - p.y, p.y - box.high[1]), real_set(0)),
                              real_max(real_max(box.low[2] - p.z, p.z - box.high[2]), real_set(0)));
        const MASK inside = (dot3(d, d) < reach2) & lanes_below(end - j);
        int ones[WB_LANES];
        lanes_store(ones, mask_ones(inside));
        _Pragma("unroll") for (int l = 0; l < WB_LANES; l++) {
            w->sifted[count] = j + l;
            count += ones[l] && is_in_run(w, j + l);
        }
    }
    return count;
}

WB_INLINE void take_candidates(Walk *w) {
    w->next = 0;
    w->nextEnd = sift(w, w->run, min(w->run + SIFTED_AT_ONCE, w->runEnd));
    w->run += SIFTED_AT_ONCE;
}

WB_INLINE bool next_candidate(Walk *w) {
    if (w->next == w->nextEnd) return false;
    w->j = w->sifted[w->next++];
    return true;
}
#endif

// Runs around one box, after next_group or search_around.
WB_INLINE bool next_run_around(Walk *w) {
    while (!find_run(w))
        if (!w->sides || !next_ghost(w)) return false;
    take_candidates(w);
    return true;
}

WB_INLINE bool next_run(Walk *w) {
    while (!next_run_around(w))
        if (!next_group(w)) return false;
    return true;
}
