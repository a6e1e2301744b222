// SPDX-License-Identifier: MIT
// What takes most of a step with exact contacts on a device, over REAL: axes of boxes, and passes of the solver. A work-item has as many
// pairs, or contacts of one colour, as REAL has lanes.

WB_INLINE REAL field(__global const float *c, int f) { return real_load(c + f * RIGID_GROUP); }
WB_INLINE void set_field(__global float *c, int f, REAL value) { real_store(c + f * RIGID_GROUP, value); }
WB_INLINE RigidVector field3(__global const float *c, int f) {
    return rigid_vector(field(c, f), field(c, f + 1), field(c, f + 2));
}

// Bodies

// Rows of the bodies of an item's contacts. -1: there is no contact; a second body that is not moved is there as ~row.
typedef struct Rows {
    int a[WB_LANES], b[WB_LANES];
} Rows;

WB_INLINE int row_of(int named) { return named < 0 ? ~named : named; }

WB_INLINE Rows load_rows(__global const int2 *rows, int slot) {
    Rows r;
    for (int l = 0; l < WB_LANES; l++) r.a[l] = rows[slot + l].x, r.b[l] = rows[slot + l].y;
    return r;
}

// The first `quads` quads of records of `size` quads, as columns.
enum { BODY_QUADS = 3, MASS_QUADS = 2, PLACE_QUADS = 5, MOST_QUADS = 4 };
WB_INLINE void load_columns(__global const float4 *records, int size, int quads, const int *rows,
                            REAL *columns) {
    float own[4 * MOST_QUADS][WB_LANES];
    for (int l = 0; l < WB_LANES; l++)
        for (int k = 0; k < quads; k++) {
            const float4 q = records[size * row_of(rows[l]) + k];
            own[4 * k][l] = q.x, own[4 * k + 1][l] = q.y, own[4 * k + 2][l] = q.z, own[4 * k + 3][l] = q.w;
        }
    for (int k = 0; k < 4 * quads; k++) columns[k] = lanes_load(own[k]);
}

WB_INLINE RigidInertia load_inertia(__global const float4 *masses, const int *rows) {
    REAL m[4 * MASS_QUADS];
    load_columns(masses, MASS_QUADS, MASS_QUADS, rows, m);
    RigidInertia inertia = {m[0], m[1], m[2], m[3], m[4], m[5], m[6]};
    return inertia;
}

WB_INLINE RigidCouple load_couple(__global const float *k, const Rows *rows, __global const float4 *bodies,
                                  __global const float4 *masses) {
    RigidCouple c;
    REAL p[4 * BODY_QUADS];
    load_columns(bodies, BODY_QUADS, BODY_QUADS, rows->a, p);
    c.va = rigid_vector(p[0], p[1], p[2]), c.wa = rigid_vector(p[3], p[4], p[5]);
    c.wayA = rigid_vector(p[6], p[7], p[8]), c.turnA = rigid_vector(p[9], p[10], p[11]);
    load_columns(bodies, BODY_QUADS, BODY_QUADS, rows->b, p);
    c.vb = rigid_vector(p[0], p[1], p[2]), c.wb = rigid_vector(p[3], p[4], p[5]);
    c.wayB = rigid_vector(p[6], p[7], p[8]), c.turnB = rigid_vector(p[9], p[10], p[11]);
    c.armA = field3(k, FIELD_ARM_A), c.armB = field3(k, FIELD_ARM_B);
    c.frame = rigid_frame(field3(k, FIELD_NORMAL));
    c.a = load_inertia(masses, rows->a), c.b = load_inertia(masses, rows->b);
    c.isRound = 0;
    return c;
}

WB_INLINE void store_speeds(__global float4 *bodies, const int *rows, RigidVector v, RigidVector w,
                            RigidVector way) {
    float own[8][WB_LANES];
    lanes_store(own[0], v.x), lanes_store(own[1], v.y), lanes_store(own[2], v.z), lanes_store(own[3], w.x);
    lanes_store(own[4], w.y), lanes_store(own[5], w.z), lanes_store(own[6], way.x),
        lanes_store(own[7], way.y);
    for (int l = 0; l < WB_LANES; l++) {
        if (rows[l] < 0) continue;
        bodies[3 * rows[l]] = (float4)(own[0][l], own[1][l], own[2][l], own[3][l]);
        bodies[3 * rows[l] + 1] = (float4)(own[4][l], own[5][l], own[6][l], own[7][l]);
    }
}

// Boxes

WB_INLINE RigidBox load_boxes(__global const float4 *places, const int *pieces) {
    REAL p[4 * MOST_QUADS];
    RigidBox box;
    load_columns(places, PLACE_QUADS, 4, pieces, p);
    for (int k = 0; k < 3; k++)
        box.axes[k] = rigid_vector(p[4 * k], p[4 * k + 1], p[4 * k + 2]), box.extent[k] = p[4 * k + 3];
    box.centre = rigid_vector(p[12], p[13], p[14]), box.thickness = p[15];
    return box;
}

// By which axis two boxes touch, if they do.
__kernel void exact_boxes(int count, float margin, __global const int4 *pairs, __global const float4 *places,
                          __global const int *moves, __global int *sources) {
    const int first = get_global_id(0) * WB_LANES;
    if (first >= count) return;
    Rows pieces;
    int anyMoves = 0;
    for (int l = 0; l < WB_LANES; l++) {
        const int4 pair = pairs[min(first + l, count - 1)];
        pieces.a[l] = pair.x, pieces.b[l] = pair.y;
        anyMoves |= moves[pair.x] | moves[pair.y];
    }
    if (!anyMoves) return;
    const RigidBox a = load_boxes(places, pieces.a), b = load_boxes(places, pieces.b);
    const RigidAxis axis = rigid_box_axis(&a, &b);
    const MASK near = real_less(axis.separation, real_min(a.thickness, b.thickness) * margin);
    float codes[WB_LANES];
    REAL code = real_select(near, axis.code, real_set(PAIR_APART));
    lanes_store(codes, code);
    for (int l = 0; l < WB_LANES && first + l < count; l++) sources[first + l] = (int)codes[l];
}

// Passes

WB_INLINE RigidResponse load_response(__global const float *k) {
    RigidResponse r = {field(k, FIELD_RESPONSE),     field(k, FIELD_RESPONSE + 1),
                       field(k, FIELD_RESPONSE + 2), field(k, FIELD_RESPONSE + 3),
                       field(k, FIELD_RESPONSE + 4), field(k, FIELD_RESPONSE + 5)};
    return r;
}

WB_INLINE void warm_start(__global const float *k, RigidCouple *c) {
    RigidSums sums = {real_set(0), real_set(0), real_set(0)};
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL impulse = field(k, FIELD_IMPULSE + i);
        sums.along += impulse;
        sums.x = real_madd(field(k, FIELD_X + i), impulse, sums.x);
        sums.y = real_madd(field(k, FIELD_Y + i), impulse, sums.y);
    }
    rigid_push_sums(c, sums, 0);
    const RigidVector drag = rigid_across(&c->frame, field(k, FIELD_DRAG), field(k, FIELD_DRAG + 1));
    rigid_push_couple(c, drag, rigid_scale(field(k, FIELD_TWIST), c->frame.n), 0);
}

WB_INLINE void roll(__global float *k, RigidCouple *c, REAL pushed) {
    const RigidVector before = field3(k, FIELD_ROLL);
    const RigidVector moment =
        rigid_roll(c, before, field(k, FIELD_ROLL_MASS), field(k, FIELD_ROLLING) * pushed);
    set_field(k, FIELD_ROLL, moment.x), set_field(k, FIELD_ROLL + 1, moment.y);
    set_field(k, FIELD_ROLL + 2, moment.z);
    rigid_turn_couple(c, rigid_sub(moment, before), 0);
}

// All points of a contact while they are swept.
typedef struct Sweep {
    RigidApproach way, speed;
    RigidSums sums;
    REAL push;
} Sweep;

// Lanes that are not swept stay as they are.
WB_INLINE void sweep_points(__global float *k, RigidTerms terms, int kind, RigidResponse response,
                            MASK isSwept, Sweep *sweep) {
    const REAL pushSpeed = field(k, FIELD_PUSH_SPEED), keep = field(k, FIELD_KEEP);
    RigidApproach speed = sweep->speed;
    RigidSums sums = sweep->sums;
    REAL push = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL before = field(k, FIELD_IMPULSE + i);
        const REAL after = rigid_push_point(before, field(k, FIELD_X + i), field(k, FIELD_Y + i),
                                            field(k, FIELD_SEPARATION + i), sweep->way, response, pushSpeed,
                                            keep, terms, kind, &speed, &sums);
        const REAL impulse = real_select(isSwept, after, before);
        set_field(k, FIELD_IMPULSE + i, impulse);
        push += impulse;
    }
    sweep->push = push;
    sweep->speed = rigid_select_approach(isSwept, speed, sweep->speed);
    sweep->sums = rigid_select_sums(isSwept, sums, sweep->sums);
}

// A blow is shared out anew until it hardly changes the speed, as on the cores; here each lane stops by itself.
WB_INLINE void sweep_all(__global float *k, RigidTerms terms, int kind, Sweep *sweep) {
    const RigidResponse response = load_response(k);
    const REAL little = field(k, FIELD_PUSH_SPEED) * RIGID_BLOW;
    MASK isSwept = real_less(real_set(0), real_set(1));
    for (int n = 0; n < RIGID_POINT_SWEEPS && mask_sum(mask_ones(isSwept)) > 0; n++) {
        const REAL before = sweep->speed.along;
        sweep_points(k, terms, kind, response, isSwept, sweep);
        isSwept = real_less(little, real_abs(sweep->speed.along - before));
    }
}

WB_INLINE void push(__global float *k, RigidCouple *c, RigidTerms terms, int isSoft, int rolls) {
    const REAL friction = field(k, FIELD_FRICTION), zero = real_set(0);
    Sweep sweep = {rigid_approach(c->frame, rigid_part_ways(c), c->turnA, c->turnB),
                   rigid_approach(c->frame, rigid_part(c), c->wa, c->wb),
                   {zero, zero, zero},
                   zero};
    sweep_all(k, terms, isSoft ? RIGID_PUSH_SOFT : RIGID_PUSH_RELAX, &sweep);
    const REAL pushed = sweep.push;
    rigid_push_sums(c, sweep.sums, 0);
    const RigidDrag before = {field(k, FIELD_DRAG), field(k, FIELD_DRAG + 1)};
    const RigidDrag drag =
        rigid_rub(c, before, field(k, FIELD_DRAG_MASS), field(k, FIELD_DRAG_MASS + 1), friction * pushed);
    const REAL twist = field(k, FIELD_TWIST), limit = friction * pushed * field(k, FIELD_TWIST_ARM);
    const REAL twisted = rigid_twist(c, twist, field(k, FIELD_TWIST_MASS), limit);
    rigid_push_couple(c, rigid_across(&c->frame, drag.s - before.s, drag.t - before.t),
                      rigid_scale(twisted - twist, c->frame.n), 0);
    set_field(k, FIELD_DRAG, drag.s), set_field(k, FIELD_DRAG + 1, drag.t),
        set_field(k, FIELD_TWIST, twisted);
    if (rolls) roll(k, c, pushed);
}

// What cannot be moved has no inverse mass: impulses leave it as it is.
static void solve(int slot, RigidTerms terms, int pass, int rolls, __global const int2 *named,
                  __global float *constraints, __global float4 *bodies, __global const float4 *masses) {
    const Rows rows = load_rows(named, slot);
    __global float *k = constraints + slot / RIGID_GROUP * RIGID_FIELDS * RIGID_GROUP + slot % RIGID_GROUP;
    RigidCouple c = load_couple(k, &rows, bodies, masses);
    if (pass == PASS_WARM)
        warm_start(k, &c);
    else
        push(k, &c, terms, pass == PASS_BIAS, rolls);
    store_speeds(bodies, rows.a, c.va, c.wa, c.wayA);
    store_speeds(bodies, rows.b, c.vb, c.wb, c.wayB);
}

// Contacts of one colour.
__kernel void exact_solve(RigidTerms terms, int pass, int rolls, int first, int count,
                          __global const int2 *rows, __global float *constraints, __global float4 *bodies,
                          __global const float4 *masses) {
    const int i = get_global_id(0) * WB_LANES;
    if (i < count) solve(first + i, terms, pass, rolls, rows, constraints, bodies, masses);
}

// Colours with few contacts, one after another in one group: a kernel for each would take longer to start than to run.
__kernel void exact_solve_tail(RigidTerms terms, int pass, int rolls, int firstColour, int lastColour,
                               __global const int *colourStarts, __global const int2 *rows,
                               __global float *constraints, __global float4 *bodies,
                               __global const float4 *masses) {
    for (int colour = firstColour; colour < lastColour; colour++) {
        const int end = colourStarts[colour + 1];
        for (int i = colourStarts[colour] + (int)get_local_id(0) * WB_LANES; i < end;
             i += (int)get_local_size(0) * WB_LANES)
            solve(i, terms, pass, rolls, rows, constraints, bodies, masses);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
