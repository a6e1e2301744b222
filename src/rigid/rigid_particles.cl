// SPDX-License-Identifier: MIT
// Rigid bodies as particles on a device, one particle or body for each work-item: the source's kernels, with lists of contacts that
// remember. Formulas stand in rigid_particles_formula.h and rigid_motion_formula.h; cells in space/cells.cl.

WB_INLINE RigidVector xyz(float4 a) { return rigid_vector(a.x, a.y, a.z); }
WB_INLINE float4 quad(RigidVector a) { return (float4)(a.x, a.y, a.z, 0); }
WB_INLINE RigidTurn as_turn(float4 q) {
    RigidTurn turn = {q.x, q.y, q.z, q.w};
    return turn;
}
WB_INLINE RigidVector three(__global const float *a) { return rigid_vector(a[0], a[1], a[2]); }

// kg m2/s: angular momentum when a step begins.
__kernel void rigid_begin(int count, __global const RigidBodyLaw *laws, __global const float4 *turns,
                          __global const float4 *spins, __global float4 *momenta) {
    const int b = get_global_id(0);
    if (b >= count) return;
    __global const float *i = laws[b].inverseInertia;
    const RigidVector inertia =
        rigid_vector(i[0] > 0 ? 1 / i[0] : 0, i[1] > 0 ? 1 / i[1] : 0, i[2] > 0 ? 1 / i[2] : 0);
    momenta[b] = quad(rigid_weigh(rigid_axes(as_turn(turns[b])), inertia, xyz(spins[b])));
}

__kernel void rigid_place(int count, __global const int *bodies, __global const float4 *own,
                          __global const float4 *centres, __global const float4 *turns,
                          __global float4 *places, __global float *x, __global float *y, __global float *z) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const int b = bodies[i];
    const RigidVector at = rigid_add(xyz(centres[b]), rigid_turn(rigid_axes(as_turn(turns[b])), xyz(own[i])));
    places[i] = (float4)(at.x, at.y, at.z, own[i].w);
    x[i] = at.x, y[i] = at.y, z[i] = at.z;
}

WB_INLINE bool may_meet(__global const RigidBodyLaw *a, uint category, uint mask) {
    return (a->category & mask) && (category & a->mask);
}

// What all searches read.
typedef struct Search {
    SpaceCells cells;
    __global const int *starts;
    __global const int *order;
    __global const float4 *places;
    __global const int *bodies;
    __global const RigidBodyLaw *laws;
    __global const RigidPlane *planes;
    int planeCount;
} Search;

WB_INLINE bool touches(const Search *s, int i, int j) {
    const int a = s->bodies[i], b = s->bodies[j];
    if (a == b || !may_meet(&s->laws[a], s->laws[b].category, s->laws[b].mask)) return false;
    const float4 gap = s->places[i] - s->places[j];
    const float reach = s->places[i].w + s->places[j].w;
    return gap.x * gap.x + gap.y * gap.y + gap.z * gap.z < reach * reach;
}

WB_INLINE float get_plane_overlap(const Search *s, int i, int plane) {
    const float4 at = s->places[i];
    return at.w - (rigid_dot(three(s->planes[plane].normal), xyz(at)) - s->planes[plane].offset);
}

WB_INLINE bool touches_plane(const Search *s, int i, int plane) {
    return get_plane_overlap(s, i, plane) > 0 &&
           may_meet(&s->laws[s->bodies[i]], s->planes[plane].category, s->planes[plane].mask);
}

// Where two rows of cells share a slot, a particle is found in its own row alone.
WB_INLINE bool is_in_row(const Search *s, int j, int part, int y, int z) {
    if (!HASHED) return true;
    const float4 at = s->places[j];
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

WB_INLINE Walk walk_around(const Search *s, int i) {
    const float4 at = s->places[i];
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

// The next particle that touches i; -1: there is none.
WB_INLINE int next_touching(const Search *s, Walk *w, int i) {
    do {
        while (w->next < w->end) {
            const int j = s->order[w->next++];
            if (touches(s, i, j) && is_in_row(s, j, w->part, w->y, w->z)) return j;
        }
    } while (leave_run(s, w));
    return -1;
}

// How many contacts a particle has.
__kernel void rigid_count(int count, SpaceCells cells, __global const int *starts, __global const int *order,
                          __global const float4 *places, __global const int *bodies,
                          __global const RigidBodyLaw *laws, __global const RigidPlane *planes,
                          int planeCount, __global uint *counts) {
    const int i = get_global_id(0);
    if (i > count) return;
    const Search s = {cells, starts, order, places, bodies, laws, planes, planeCount};
    uint found = 0;
    if (i < count) {
        Walk walk = walk_around(&s, i);
        while (next_touching(&s, &walk, i) >= 0) found++;
        for (int p = 0; p < planeCount; p++) found += touches_plane(&s, i, p);
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

typedef struct Mover {
    RigidVector centre, velocity, spin;
} Mover;

WB_INLINE RigidVector velocity_at(Mover m, RigidVector point) {
    return rigid_add(m.velocity, rigid_cross(m.spin, rigid_sub(point, m.centre)));
}

WB_INLINE RigidLaw as_law(RigidSprings s) {
    RigidLaw law = {s.stiffness, s.damping, s.shearStiffness, s.inverseShear, s.shearDamping, s.friction};
    return law;
}

// Force of each particle, and its torque about the body's centre. Both particles of a pair compute it as the first body's sees it, so
// that both find the same bits, up to the sign of the force.
__kernel void rigid_forces(int count, SpaceCells cells, __global const int *starts, __global const int *order,
                           __global const float4 *places, __global const int *bodies,
                           __global const RigidBodyLaw *laws, __global const RigidPlane *planes,
                           int planeCount, RigidRule rule, __global const RigidMatter *matter,
                           __global const float4 *centres, __global const float4 *velocities,
                           __global const float4 *spins, float span, int remembers, int keeps,
                           __global const uint *oldStarts, __global const int *oldSeconds,
                           __global const float4 *oldShears, __global const uint *newStarts,
                           __global int *newSeconds, __global float4 *newShears, __global float4 *forces,
                           __global float4 *torques) {
    const int i = get_global_id(0);
    if (i >= count) return;
    const Search s = {cells, starts, order, places, bodies, laws, planes, planeCount};
    const Memory memory = {oldStarts, oldSeconds, oldShears};
    const int a = bodies[i];
    const RigidVector at = xyz(places[i]);
    const float radius = places[i].w;
    const Mover own = {xyz(centres[a]), xyz(velocities[a]), xyz(spins[a])};
    RigidVector force = rigid_set(0, 0, 0), torque = force;
    uint next = keeps ? newStarts[i] : 0;
    Walk walk = walk_around(&s, i);
    for (int j; (j = next_touching(&s, &walk, i)) >= 0;) {
        const bool isFirst = a < bodies[j];
        const int first = isFirst ? i : j, second = isFirst ? j : i, b = bodies[first], c = bodies[second];
        const RigidVector firstAt = xyz(places[first]);
        const RigidTouch touch =
            rigid_touch(rigid_sub(firstAt, xyz(places[second])), places[first].w + places[second].w);
        const RigidVector point =
            rigid_madd(-(places[first].w - 0.5f * touch.overlap), touch.normal, firstAt);
        const Mover one = {xyz(centres[b]), xyz(velocities[b]), xyz(spins[b])},
                    two = {xyz(centres[c]), xyz(velocities[c]), xyz(spins[c])};
        const RigidLaw law = as_law(rigid_springs(rule, matter[b], matter[c]));
        RigidVector shear = remembers ? recall(&memory, i, j) : rigid_set(0, 0, 0);
        const RigidVector felt = rigid_contact(
            touch, rigid_sub(velocity_at(one, point), velocity_at(two, point)), &law, span, &shear);
        const RigidVector f = rigid_scale(isFirst ? 1.0f : -1.0f, felt);
        force = rigid_add(force, f);
        torque = rigid_add(torque, rigid_cross(rigid_sub(point, own.centre), f));
        if (keeps) newSeconds[next] = j, newShears[next++] = quad(shear);
    }
    for (int p = 0; p < planeCount; p++) {
        if (!touches_plane(&s, i, p)) continue;
        RigidTouch touch;
        touch.normal = three(planes[p].normal), touch.overlap = get_plane_overlap(&s, i, p);
        const RigidVector point = rigid_madd(-(radius - touch.overlap), touch.normal, at);
        const RigidLaw law = as_law(rigid_springs(rule, matter[a], planes[p].matter));
        RigidVector shear = remembers ? recall(&memory, i, planes[p].second) : rigid_set(0, 0, 0);
        const RigidVector f = rigid_contact(
            touch, rigid_sub(velocity_at(own, point), three(planes[p].velocity)), &law, span, &shear);
        force = rigid_add(force, f);
        torque = rigid_add(torque, rigid_cross(rigid_sub(point, own.centre), f));
        if (keeps) newSeconds[next] = planes[p].second, newShears[next++] = quad(shear);
    }
    forces[i] = quad(force), torques[i] = quad(torque);
}

// Velocities from forces over h: what bodies gather of their particles, in their order.
__kernel void rigid_gather(int count, __global const RigidBodyLaw *laws, __global const float4 *forces,
                           __global const float4 *torques, __global const float4 *ownForces,
                           __global const float4 *ownTorques, __global float4 *loads) {
    const int b = get_global_id(0);
    if (b >= count) return;
    float4 force = ownForces[b], torque = ownTorques[b];
    for (int i = laws[b].first; i < laws[b].first + laws[b].count; i++)
        force += forces[i], torque += torques[i];
    loads[2 * b] = force, loads[2 * b + 1] = torque;
}

__kernel void rigid_kick(int count, RigidMove move, __global const RigidBodyLaw *laws,
                         __global const float4 *loads, __global const float4 *turns,
                         __global float4 *velocities, __global float4 *spins, __global float4 *momenta) {
    const int b = get_global_id(0);
    if (b >= count || !(laws[b].inverseMass > 0)) return;
    const RigidVector gravity = rigid_set(move.gravity[0], move.gravity[1], move.gravity[2]);
    const RigidVector pace =
        rigid_madd(laws[b].inverseMass, xyz(loads[2 * b]), rigid_scale(laws[b].gravityScale, gravity));
    RigidVector v = rigid_madd(move.h, pace, xyz(velocities[b]));
    v = rigid_scale(1 / (1 + move.h * laws[b].linearDamping), v);
    if (move.terminalSpeed > 0) v = rigid_limit(v, move.terminalSpeed);
    RigidVector momentum = rigid_madd(move.h, xyz(loads[2 * b + 1]), xyz(momenta[b]));
    momentum = rigid_scale(1 / (1 + move.h * laws[b].angularDamping), momentum);
    velocities[b] = quad(v), momenta[b] = quad(momentum);
    spins[b] = quad(rigid_weigh(rigid_axes(as_turn(turns[b])), three(laws[b].inverseInertia), momentum));
}

__kernel void rigid_drift(int count, RigidMove move, int halfway, __global const RigidBodyLaw *laws,
                          __global float4 *centres, __global float4 *turns, __global const float4 *velocities,
                          __global float4 *spins, __global const float4 *momenta) {
    const int b = get_global_id(0);
    if (b >= count || !laws[b].moves) return;
    const RigidVector inverse = three(laws[b].inverseInertia), w = xyz(spins[b]);
    const RigidTurn q = as_turn(turns[b]);
    const bool isDynamic = laws[b].inverseMass > 0;
    const RigidTurn turned = isDynamic ? rigid_drift_turn(q, move.h, w, xyz(momenta[b]), inverse, halfway)
                                       : rigid_normalise(rigid_advance_turn(q, move.h, w));
    centres[b] = quad(rigid_madd(move.h, xyz(velocities[b]), xyz(centres[b])));
    turns[b] = (float4)(turned.x, turned.y, turned.z, turned.w);
    if (isDynamic) spins[b] = quad(rigid_weigh(rigid_axes(turned), inverse, xyz(momenta[b])));
}

// Runge-Kutta of fourth order: adds what a stage wants, and gives where the next one starts: from the base by a part of it, or from
// the sum after the last one.
WB_INLINE float4 add_stage(int stage, float h, float4 base, float4 rate, __global float4 *change) {
    const float weight = stage % 3 ? 1.0f / 3 : 1.0f / 6, step = stage == 2 ? 1 : 0.5f;
    const float4 sum = (stage == 0 ? (float4)(0) : *change) + weight * rate;
    *change = sum;
    return base + (stage == 3 ? h * sum : h * step * rate);
}

// One stage: rates from the state and the forces there, and the state of the next. `base` and `change` have four quads by body.
__kernel void rigid_stage(int count, RigidMove move, int stage, __global const RigidBodyLaw *laws,
                          __global const float4 *loads, __global float4 *centres, __global float4 *turns,
                          __global float4 *velocities, __global float4 *spins, __global float4 *momenta,
                          __global float4 *bases, __global float4 *changes) {
    const int b = get_global_id(0);
    if (b >= count || !laws[b].moves) return;
    __global float4 *base = bases + 4 * b, *change = changes + 4 * b;
    const bool isDynamic = laws[b].inverseMass > 0;
    if (stage == 0) base[0] = centres[b], base[1] = turns[b], base[2] = velocities[b], base[3] = momenta[b];
    const float4 v = velocities[b], q = turns[b];
    const RigidTurn moved = rigid_advance_turn(as_turn(q), 1, xyz(spins[b]));
    const float4 turning = (float4)(moved.x, moved.y, moved.z, moved.w) - q;
    const float4 gravity = (float4)(move.gravity[0], move.gravity[1], move.gravity[2], 0);
    const float4 pace = laws[b].inverseMass * loads[2 * b] + laws[b].gravityScale * gravity;
    centres[b] = add_stage(stage, move.h, base[0], v, change);
    const RigidTurn turned = rigid_normalise(as_turn(add_stage(stage, move.h, base[1], turning, change + 1)));
    turns[b] = (float4)(turned.x, turned.y, turned.z, turned.w);
    if (!isDynamic) return;
    RigidVector nextV = xyz(add_stage(stage, move.h, base[2], pace, change + 2));
    RigidVector momentum = xyz(add_stage(stage, move.h, base[3], loads[2 * b + 1], change + 3));
    if (stage == 3) {
        nextV = rigid_scale(1 / (1 + move.h * laws[b].linearDamping), nextV);
        if (move.terminalSpeed > 0) nextV = rigid_limit(nextV, move.terminalSpeed);
        momentum = rigid_scale(1 / (1 + move.h * laws[b].angularDamping), momentum);
        momenta[b] = quad(momentum);
    }
    velocities[b] = quad(nextV);
    spins[b] = quad(rigid_weigh(rigid_axes(turned), three(laws[b].inverseInertia), momentum));
}

// One group: each item looks at every RIGID_SUMMARY_GROUP-th body, the first joins what they found.
__kernel void rigid_summarise(int count, __global const RigidBodyLaw *laws, __global const float4 *centres,
                              __global const float4 *velocities, __global const float4 *spins,
                              __global RigidSummary *summary) {
    __local RigidSummary parts[RIGID_SUMMARY_GROUP];
    const int item = get_local_id(0);
    RigidSummary own = {0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0};
    for (int b = item; b < count; b += RIGID_SUMMARY_GROUP) {
        if (!laws[b].moves) continue;
        const float speed = length(velocities[b].xyz) + laws[b].reach * length(spins[b].xyz);
        const float at[3] = {centres[b].x, centres[b].y, centres[b].z};
        if (!isfinite(speed) || !isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) own.broken++;
        own.maxSpeed = fmax(own.maxSpeed, speed);
        for (int k = 0; k < 3; k++)
            own.min[k] = fmin(own.min[k], at[k]), own.max[k] = fmax(own.max[k], at[k]);
    }
    parts[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0) return;
    for (int n = 1; n < RIGID_SUMMARY_GROUP; n++) {
        own.maxSpeed = fmax(own.maxSpeed, parts[n].maxSpeed), own.broken += parts[n].broken;
        for (int k = 0; k < 3; k++)
            own.min[k] = fmin(own.min[k], parts[n].min[k]), own.max[k] = fmax(own.max[k], parts[n].max[k]);
    }
    *summary = own;
}
