// SPDX-License-Identifier: MIT
// Forces between particles of rigid bodies on a device, one particle for each work-item: the source's kernels, with lists of contacts
// that remember. Formulas stand in rigid_particles_formula.h; cells in space/cells.cl, surfaces in rigid_surface.cl.

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

// How deep a particle is in a side.
WB_INLINE float get_side_overlap(float4 at, const RigidSide *side) {
    return at.w - (side->normal[0] * at.x + side->normal[1] * at.y + side->normal[2] * at.z - side->offset);
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
    Walk w = {lowest_cell(at.x, 0, &s->cells), highest_cell(at.x, 0, &s->cells),
              lowest_cell(at.y, 1, &s->cells), highest_cell(at.y, 1, &s->cells),
              highest_cell(at.z, 2, &s->cells)};
    w.part = part_of(w.lowX), w.y = w.lowY, w.z = lowest_cell(at.z, 2, &s->cells);
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

// How many contacts a particle has at most: those with surfaces whose boxes it touches among them.
__kernel void rigid_count(int count, SpaceCells cells, __global const int *starts, __global const int *order,
                          __global const float4 *sorted, __global const int *sortedBodies,
                          __global const float4 *places, __global const int *bodies,
                          __global const RigidBodyLaw *laws, RigidSides sides, int words,
                          __global const RigidSurface *surfaces, __global const wbPose *poses,
                          __global const uint *near, __global uint *counts) {
    const int i = get_global_id(0);
    if (i > count) return;
    const Search s = {cells, starts, order, sorted, sortedBodies, laws};
    const Nearby nearby = {surfaces, poses, near, words};
    uint found = 0;
    if (i < count) {
        Walk walk = walk_around(&s, places[i]);
        while (next_touching(&s, &walk, places[i], bodies[i]) >= 0) found++;
        for (int k = 0; k < sides.count; k++) found += get_side_overlap(places[i], &sides.sides[k]) > 0;
        for (int k = -1; (k = next_surface(&nearby, bodies[i], places[i], k)) >= 0;) found++;
    }
    counts[i] = found;
}

// What contacts remember: a particle's are from lists[i] to lists[i + 1] - 1.
typedef struct Memory {
    __global const uint *starts;
    __global const int *seconds;
    __global const float4 *shears;
} Memory;

WB_INLINE RigidVector recall(const Memory *memory, int i, int second) {
    for (uint k = memory->starts[i]; k < memory->starts[i + 1]; k++)
        if (memory->seconds[k] == second) return xyz(memory->shears[k]);
    return rigid_vector(0, 0, 0);
}

// How bodies move.
typedef struct Movers {
    __global const float4 *centres, *velocities, *spins;
} Movers;

WB_INLINE RigidVector velocity_at(const Movers *m, int b, RigidVector point) {
    return rigid_add(xyz(m->velocities[b]),
                     rigid_cross(xyz(m->spins[b]), rigid_sub(point, xyz(m->centres[b]))));
}

// What a particle does in one evaluation.
typedef struct Pass {
    RigidRule rule;
    float span;           // s
    int remembers, keeps; // contacts know how far they were sheared; and are to know how far they are now
    Memory memory;
    __global int *seconds;
    __global float4 *shears;
    uint next; // in these two
    RigidVector centre, force, torque;
} Pass;

// Adds a contact of particle i, felt by bodies of two kinds of matter that have this speed against each other at a point. Its force is
// that on the body of the first kind; `sign` says whether the particle is of that.
WB_INLINE void add_contact(Pass *pass, int i, int second, RigidMatter a, RigidMatter b, RigidTouch touch,
                           RigidVector point, RigidVector speed, float sign) {
    const RigidSprings s = rigid_springs(pass->rule, a, b);
    const RigidLaw law = {s.stiffness,    s.damping,      s.shearStiffness,
                          s.inverseShear, s.shearDamping, s.friction};
    RigidVector shear = pass->remembers ? recall(&pass->memory, i, second) : rigid_set(0, 0, 0);
    const RigidVector force = rigid_scale(sign, rigid_contact(touch, speed, &law, pass->span, &shear));
    pass->force = rigid_add(pass->force, force);
    pass->torque = rigid_add(pass->torque, rigid_cross(rigid_sub(point, pass->centre), force));
    if (pass->keeps) pass->seconds[pass->next] = second, pass->shears[pass->next++] = quad(shear);
}

// Force of each particle, and its torque about the body's centre. Both particles of a pair compute it as the first body's sees it, so
// that both find the same bits, up to the sign of the force.
__kernel void
rigid_forces(int count, SpaceCells cells, __global const int *starts, __global const int *order,
             __global const float4 *sorted, __global const int *sortedBodies, __global const float4 *places,
             __global const int *bodies, __global const RigidBodyLaw *laws, RigidSides sides, int words,
             __global const RigidSurface *surfaces, __global const wbPose *poses, __global const uint *near,
             __global const RigidFace *faces, __global const int *loops, __global const wbVec3 *corners,
             __global const ShapeNode *nodes, __global const ShapeCluster *clusters,
             __global const ShapeTriangle *triangles, RigidRule rule, __global const RigidMatter *matter,
             __global const float4 *centres, __global const float4 *velocities, __global const float4 *spins,
             float span, int remembers, int keeps, __global const uint *oldStarts,
             __global const int *oldSeconds, __global const float4 *oldShears, __global const uint *newStarts,
             __global int *newSeconds, __global float4 *newShears, __global float4 *forces,
             __global float4 *torques) {
    const int i = get_global_id(0);
    if (i >= count) return;
    if (keeps && newStarts[i] == newStarts[i + 1]) { // most have none
        forces[i] = torques[i] = 0;
        return;
    }
    const Search s = {cells, starts, order, sorted, sortedBodies, laws};
    const Movers movers = {centres, velocities, spins};
    const int a = bodies[i];
    const float4 place = places[i];
    const RigidVector at = xyz(place), none = rigid_set(0, 0, 0);
    Pass pass = {rule,
                 span,
                 remembers,
                 keeps,
                 {oldStarts, oldSeconds, oldShears},
                 newSeconds,
                 newShears,
                 keeps ? newStarts[i] : 0,
                 xyz(centres[a]),
                 none,
                 none};
    const uint end = keeps ? newStarts[i + 1] : UINT_MAX; // when all that were counted are found
    Walk walk = walk_around(&s, place);
    for (int j; pass.next < end && (j = next_touching(&s, &walk, place, a)) >= 0;) {
        const bool isFirst = a < bodies[j];
        const float4 one = places[isFirst ? i : j], two = places[isFirst ? j : i];
        const int b = bodies[isFirst ? i : j], c = bodies[isFirst ? j : i];
        const RigidTouch touch = rigid_touch(rigid_sub(xyz(one), xyz(two)), one.w + two.w);
        const RigidVector point = rigid_madd(-(one.w - 0.5f * touch.overlap), touch.normal, xyz(one));
        const RigidVector speed = rigid_sub(velocity_at(&movers, b, point), velocity_at(&movers, c, point));
        add_contact(&pass, i, j, matter[b], matter[c], touch, point, speed, isFirst ? 1 : -1);
    }
    for (int k = 0; k < sides.count; k++) {
        const RigidSide side = sides.sides[k];
        const RigidTouch touch = {rigid_vector(side.normal[0], side.normal[1], side.normal[2]),
                                  get_side_overlap(place, &side)};
        if (!(touch.overlap > 0)) continue;
        const RigidVector point = rigid_madd(-(place.w - touch.overlap), touch.normal, at);
        const RigidVector speed =
            rigid_sub(velocity_at(&movers, a, point),
                      rigid_vector(side.velocity[0], side.velocity[1], side.velocity[2]));
        add_contact(&pass, i, side.second, matter[a], sides.matter, touch, point, speed, 1);
    }
    const Nearby nearby = {surfaces, poses, near, words};
    const SurfaceModels models = {faces, loops, corners, nodes, clusters, triangles};
    for (int k = -1; (k = next_surface(&nearby, a, place, k)) >= 0;) {
        const wbPose pose = poses[k];
        const wbVec3 own = wbPose_ApplyInverse(&pose, wbMakeVec3(at.x, at.y, at.z));
        const Felt felt = feel_surface(&models, surfaces + k, own);
        const wbVec3 n = wbPose_Rotate(&pose, felt.normal);
        const RigidTouch touch = {rigid_vector(n.x, n.y, n.z), place.w - felt.distance};
        const RigidVector point = rigid_madd(-felt.distance, touch.normal, at);
        const int b = surfaces[k].body;
        const RigidVector speed = rigid_sub(velocity_at(&movers, a, point), velocity_at(&movers, b, point));
        add_contact(&pass, i, surfaces[k].second, matter[a], matter[b], touch, point, speed, 1);
    }
    forces[i] = quad(pass.force), torques[i] = quad(pass.torque);
}
