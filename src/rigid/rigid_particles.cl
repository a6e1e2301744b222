// SPDX-License-Identifier: MIT
// Which particles of rigid bodies may touch, on a device: lists of contacts by particle, which hold for as long as nothing has moved
// farther than a margin, and remember. Cells stand in space/cells.cl, surfaces in rigid_surface.cl.

// Places and bodies in the order of cells: walks read runs of them.
__kernel void rigid_sort(int count, __global const int *order, __global const float4 *places,
                         __global const int *bodies, __global float4 *sorted, __global int *sortedBodies) {
    const int k = get_global_id(0);
    if (k >= count) return;
    sorted[k] = places[order[k]], sortedBodies[k] = bodies[order[k]];
}

// What all searches read.
typedef struct Search {
    SpaceCells cells;
    __global const int *starts;
    __global const int *order;
    __global const float4 *sorted;
    __global const int *sortedBodies;
    __global const RigidBodyLaw *laws;
} Search;

// Whether a particle of a body touches the one at a place in the order of cells. Its neighbours are mostly too far, or of its own body.
WB_INLINE bool touches(const Search *s, float4 at, int body, int k) {
    const float4 gap = at - s->sorted[k];
    const float reach = at.w + s->sorted[k].w;
    if (!(gap.x * gap.x + gap.y * gap.y + gap.z * gap.z < reach * reach)) return false;
    const int other = s->sortedBodies[k];
    return other != body && may_meet(&s->laws[body], s->laws[other].category, s->laws[other].mask);
}

// Where two rows of cells share a slot, a particle is found in its own row alone.
WB_INLINE bool is_in_row(const Search *s, int k, int part, int y, int z) {
    if (!HASHED) return true;
    const float4 at = s->sorted[k];
    return cell_along(at.y, 1, &s->cells) == y && cell_along(at.z, 2, &s->cells) == z &&
           part_of(cell_along(at.x, 0, &s->cells)) == part;
}

// A walk through the cells around a particle: rows of parts of cells, each a run of particles.
typedef struct Walk {
    int lowX, highX, lowY, highY, highZ;
    int part, y, z; // of the run
    int next, end;  // in the order of cells
} Walk;

WB_INLINE void enter_run(const Search *s, Walk *w) {
    const int row = first_bucket(w->part, w->y, w->z, &s->cells);
    const int from = w->part == part_of(w->lowX) ? place_of(w->lowX) : 0;
    const int to = w->part == part_of(w->highX) ? place_of(w->highX) : last_place(&s->cells);
    w->next = s->starts[row + from], w->end = s->starts[row + to + 1];
}

WB_INLINE Walk walk_around(const Search *s, float4 at) {
    Walk w = {
        lowest_cell(at.x, s->cells.reach, 0, &s->cells), highest_cell(at.x, s->cells.reach, 0, &s->cells),
        lowest_cell(at.y, s->cells.reach, 1, &s->cells), highest_cell(at.y, s->cells.reach, 1, &s->cells),
        highest_cell(at.z, s->cells.reach, 2, &s->cells)};
    w.part = part_of(w.lowX), w.y = w.lowY, w.z = lowest_cell(at.z, s->cells.reach, 2, &s->cells);
    enter_run(s, &w);
    return w;
}

WB_INLINE bool leave_run(const Search *s, Walk *w) {
    if (++w->part > part_of(w->highX)) w->part = part_of(w->lowX), w->y++;
    if (w->y > w->highY) w->y = w->lowY, w->z++;
    if (w->z > w->highZ) return false;
    enter_run(s, w);
    return true;
}

// The next particle that touches one of a body; -1: there is none.
WB_INLINE int next_touching(const Search *s, Walk *w, float4 at, int body) {
    do {
        while (w->next < w->end) {
            const int k = w->next++;
            if (touches(s, at, body, k) && is_in_row(s, k, w->part, w->y, w->z)) return s->order[k];
        }
    } while (leave_run(s, w));
    return -1;
}

// Surfaces that are near a body.
typedef struct Nearby {
    __global const RigidSurface *surfaces;
    __global const wbPose *poses;
    __global const uint *words; // of all bodies
    int wordCount;              // for each
} Nearby;

// The next surface behind `s` whose box a particle of a body touches; -1: there is none.
WB_INLINE int next_surface(const Nearby *nearby, int body, float4 at, int s) {
    for (int word = ++s / 32; word < nearby->wordCount; s = 32 * ++word) {
        uint bits = nearby->words[body * nearby->wordCount + word] & (0xffffffffu << (s % 32));
        for (; bits; bits &= bits - 1) {
            const int found = 32 * word + 31 - (int)clz(bits & -bits);
            const wbPose pose = nearby->poses[found];
            const wbVec3 p = wbPose_ApplyInverse(&pose, wbMakeVec3(at.x, at.y, at.z));
            if (is_near_box(nearby->surfaces + found, p, at.w)) return found;
        }
    }
    return -1;
}

// What lists are made of.
#define SEARCH_PARAMETERS                                                                                    \
    int count, SpaceCells cells, __global const int *starts, __global const int *order,                      \
        __global const float4 *sorted, __global const int *sortedBodies, __global const float4 *places,      \
        __global const int *bodies, __global const RigidBodyLaw *laws, RigidSides sides, float margin,       \
        int words, __global const RigidSurface *surfaces, __global const wbPose *poses,                      \
        __global const uint *near

// With a radius that is larger by the margin.
WB_INLINE float4 grow(float4 place, float margin) {
    return (float4)(place.x, place.y, place.z, place.w + margin);
}

// How many contacts a particle may have: with what is nearer than the margin, and with surfaces whose boxes are.
__kernel void rigid_count(SEARCH_PARAMETERS, __global uint *counts) {
    const int i = get_global_id(0);
    if (i > count) return;
    const Search s = {cells, starts, order, sorted, sortedBodies, laws};
    const Nearby nearby = {surfaces, poses, near, words};
    uint found = 0;
    if (i < count) {
        const float4 at = grow(places[i], margin);
        Walk walk = walk_around(&s, at);
        while (next_touching(&s, &walk, at, bodies[i]) >= 0) found++;
        for (int k = 0; k < RIGID_SIDES; k++) found += get_side_overlap(at, &sides.sides[k]) > 0;
        for (int k = -1; (k = next_surface(&nearby, bodies[i], at, k)) >= 0;) found++;
    }
    counts[i] = found;
}

// Contacts of particle i are from starts[i] to starts[i + 1] - 1: with what (`seconds`, as in wbRigidGroup), and how far each is sheared.
typedef struct Memory {
    __global const uint *starts;
    __global const int *seconds;
    __global const float4 *shears;
} Memory;

WB_INLINE float4 recall(const Memory *memory, int i, int second) {
    for (uint k = memory->starts[i]; k < memory->starts[i + 1]; k++)
        if (memory->seconds[k] == second) return memory->shears[k];
    return 0;
}

// Lists these contacts, each with what it remembers. `targets` are where forces find the other side: a particle, -1 - side, or
// -1 - RIGID_SIDES - surface.
__kernel void rigid_list(SEARCH_PARAMETERS, int remembers, __global const uint *oldStarts,
                         __global const int *oldSeconds, __global const float4 *oldShears,
                         __global const uint *newStarts, __global int *targets, __global int *newSeconds,
                         __global float4 *newShears) {
    const int i = get_global_id(0);
    if (i >= count || newStarts[i] == newStarts[i + 1]) return;
    const Search s = {cells, starts, order, sorted, sortedBodies, laws};
    const Nearby nearby = {surfaces, poses, near, words};
    const Memory memory = {oldStarts, oldSeconds, oldShears};
    const float4 at = grow(places[i], margin);
    const uint end = newStarts[i + 1];
    uint next = newStarts[i];
    Walk walk = walk_around(&s, at);
    for (int j; next < end && (j = next_touching(&s, &walk, at, bodies[i])) >= 0;)
        targets[next] = newSeconds[next] = j, next++;
    for (int k = 0; k < RIGID_SIDES; k++)
        if (get_side_overlap(at, &sides.sides[k]) > 0) targets[next] = newSeconds[next] = -1 - k, next++;
    for (int k = -1; (k = next_surface(&nearby, bodies[i], at, k)) >= 0;)
        targets[next] = -1 - RIGID_SIDES - k, newSeconds[next] = surfaces[k].second, next++;
    for (uint k = newStarts[i]; k < end; k++)
        newShears[k] = remembers ? recall(&memory, i, newSeconds[k]) : 0;
}
