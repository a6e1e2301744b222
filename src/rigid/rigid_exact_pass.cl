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

// A point of contacts of which some may bounce: these leave in the relax pass what comes near fast to the next sub-step.
WB_INLINE REAL push_point(__global const float *k, int i, REAL before, const Sweep *sweep, RigidTerms terms,
                          int kind, RigidResponse response, MASK bounces, RigidApproach *speed,
                          RigidSums *sums) {
    const REAL x = field(k, FIELD_X + i), y = field(k, FIELD_Y + i),
               separation = field(k, FIELD_SEPARATION + i), pushSpeed = field(k, FIELD_PUSH_SPEED),
               keep = field(k, FIELD_KEEP);
    RigidApproach other = *speed;
    RigidSums otherSums = *sums;
    const REAL after = rigid_push_point(before, x, y, separation, sweep->way, response, pushSpeed, keep,
                                        terms, kind, speed, sums);
    if (kind != RIGID_PUSH_RELAX || mask_sum(mask_ones(bounces)) == 0) return after;
    const REAL left = rigid_push_point(before, x, y, separation, sweep->way, response, pushSpeed, keep, terms,
                                       RIGID_PUSH_BOUNCING, &other, &otherSums);
    *speed = rigid_select_approach(bounces, other, *speed);
    *sums = rigid_select_sums(bounces, otherSums, *sums);
    return real_select(bounces, left, after);
}

// Lanes that are not swept stay as they are.
WB_INLINE void sweep_points(__global float *k, RigidTerms terms, int kind, RigidResponse response,
                            MASK isSwept, MASK bounces, Sweep *sweep) {
    RigidApproach speed = sweep->speed;
    RigidSums sums = sweep->sums;
    REAL push = real_set(0);
    for (int i = 0; i < RIGID_POINTS; i++) {
        const REAL before = field(k, FIELD_IMPULSE + i);
        const REAL after = push_point(k, i, before, sweep, terms, kind, response, bounces, &speed, &sums);
        const REAL impulse = real_select(isSwept, after, before);
        set_field(k, FIELD_IMPULSE + i, impulse);
        push += impulse;
    }
    sweep->push = push;
    sweep->speed = rigid_select_approach(isSwept, speed, sweep->speed);
    sweep->sums = rigid_select_sums(isSwept, sums, sweep->sums);
}

// A blow is shared out anew until it hardly changes the speed, as on the cores.
WB_INLINE void sweep_all(__global float *k, RigidTerms terms, int kind, MASK bounces, Sweep *sweep) {
    const RigidResponse response = load_response(k);
    const REAL little = field(k, FIELD_BLOW);
    MASK isSwept = real_less(real_set(0), real_set(1));
    for (int n = 0; n < RIGID_POINT_SWEEPS && mask_sum(mask_ones(isSwept)) > 0; n++) {
        const REAL before = sweep->speed.along;
        sweep_points(k, terms, kind, response, isSwept, bounces, sweep);
        isSwept = real_less(little, real_abs(sweep->speed.along - before));
    }
}

WB_INLINE void push(__global float *k, RigidCouple *c, RigidTerms terms, int isSoft, int rolls,
                    MASK bounces) {
    const REAL friction = field(k, FIELD_FRICTION), zero = real_set(0);
    Sweep sweep = {rigid_approach(c->frame, rigid_part_ways(c), c->turnA, c->turnB),
                   rigid_approach(c->frame, rigid_part(c), c->wa, c->wb),
                   {zero, zero, zero},
                   zero};
    sweep_all(k, terms, isSoft ? RIGID_PUSH_SOFT : RIGID_PUSH_RELAX, bounces, &sweep);
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

WB_INLINE __global float *constraint_at(__global float *constraints, int slot) {
    return constraints + slot / RIGID_GROUP * RIGID_FIELDS * RIGID_GROUP + slot % RIGID_GROUP;
}
WB_INLINE __global float *bounce_at(__global float *bounces, int slot) {
    return bounces + slot / RIGID_GROUP * BOUNCE_FIELDS * RIGID_GROUP + slot % RIGID_GROUP;
}

// What cannot be moved has no inverse mass: impulses leave it as it is.
static void solve(int slot, const RigidPass *pass, __global const int2 *named, __global float *constraints,
                  __global float4 *bodies, __global const float4 *masses, __global float *bounces) {
    const Rows rows = load_rows(named, slot);
    __global float *k = constraint_at(constraints, slot);
    RigidCouple c = load_couple(k, &rows, bodies, masses);
    MASK mayBounce = real_less(real_set(1), real_set(0));
    if (pass->bounces && pass->kind == PASS_RELAX)
        mayBounce = real_less(real_set(0), field(bounce_at(bounces, slot), BOUNCE_SHARE));
    if (pass->kind == PASS_WARM)
        warm_start(k, &c);
    else
        push(k, &c, pass->terms, pass->kind == PASS_BIAS, pass->rolls, mayBounce);
    store_speeds(bodies, rows.a, c.va, c.wa, c.wayA);
    store_speeds(bodies, rows.b, c.vb, c.wb, c.wayB);
}

// Contacts of one colour.
__kernel void exact_solve(RigidPass pass, __global const int2 *rows, __global float *constraints,
                          __global float4 *bodies, __global const float4 *masses, __global float *bounces) {
    const int i = get_global_id(0) * WB_LANES;
    if (i < pass.count) solve(pass.first + i, &pass, rows, constraints, bodies, masses, bounces);
}

// Colours with few contacts, one after another in one group: a kernel for each would take longer to start than to run.
__kernel void exact_solve_tail(RigidPass pass, __global const int *colourStarts, __global const int2 *rows,
                               __global float *constraints, __global float4 *bodies,
                               __global const float4 *masses, __global float *bounces) {
    for (int colour = pass.first; colour < pass.first + pass.count; colour++) {
        const int end = colourStarts[colour + 1];
        for (int i = colourStarts[colour] + (int)get_local_id(0) * WB_LANES; i < end;
             i += (int)get_local_size(0) * WB_LANES)
            solve(i, &pass, rows, constraints, bodies, masses, bounces);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// Restitution, as in rigid_bounce_wide.c; here each lane settles by itself.

// What forces change of an approach in a sub-step.
WB_INLINE RigidApproach get_gain(__global const float4 *kicks, const Rows *rows, const RigidCouple *c) {
    REAL a[8], b[8];
    load_columns(kicks, 2, 2, rows->a, a), load_columns(kicks, 2, 2, rows->b, b);
    const RigidVector va = rigid_vector(a[0], a[1], a[2]), wa = rigid_vector(a[4], a[5], a[6]),
                      vb = rigid_vector(b[0], b[1], b[2]), wb = rigid_vector(b[4], b[5], b[6]);
    return rigid_approach(c->frame, rigid_parting(va, wa, c->armA, vb, wb, c->armB), wa, wb);
}

WB_INLINE REAL approach_at(RigidApproach a, REAL x, REAL y) {
    return real_madd(a.y, y, real_madd(a.x, x, a.along));
}
WB_INLINE bool is_any(REAL a) { return mask_sum(mask_ones(real_less(real_set(0), a))) > 0; }

// Which points meet in this sub-step. It changes no body: all colours at once.
__kernel void exact_meet(RigidPass pass, __global const int2 *named, __global float *constraints,
                         __global float4 *bodies, __global const float4 *masses, __global float *bounces,
                         __global const float4 *kicks, __global int *flags) {
    const int i = get_global_id(0) * WB_LANES, slot = pass.first + i;
    if (i >= pass.count) return;
    __global float *b = bounce_at(bounces, slot);
    const REAL share = field(b, BOUNCE_SHARE);
    if (!is_any(share)) return;
    const Rows rows = load_rows(named, slot);
    __global const float *k = constraint_at(constraints, slot);
    const RigidCouple c = load_couple(k, &rows, bodies, masses);
    const RigidApproach speed = rigid_approach(c.frame, rigid_part(&c), c.wa, c.wb),
                        way = rigid_approach(c.frame, rigid_part_ways(&c), c.turnA, c.turnB),
                        gain = get_gain(kicks, &rows, &c);
    RigidMeeting meetings[RIGID_POINTS];
    REAL wanted[RIGID_POINTS];
    for (int p = 0; p < RIGID_POINTS; p++) {
        const REAL x = field(k, FIELD_X + p), y = field(k, FIELD_Y + p);
        meetings[p].parting = approach_at(speed, x, y), meetings[p].gained = approach_at(gain, x, y);
        meetings[p].gap = field(k, FIELD_SEPARATION + p) + approach_at(way, x, y);
    }
    const REAL any = rigid_meet_points(meetings, share, pass.terms, wanted);
    for (int p = 0; p < RIGID_POINTS; p++)
        set_field(b, BOUNCE_WANTED + p, wanted[p]), set_field(b, BOUNCE_KICK + p, real_set(0));
    if (is_any(any)) atomic_or(&flags[0], 1);
}

WB_INLINE bool is_met(__global const float *b) {
    REAL most = field(b, BOUNCE_WANTED);
    for (int i = 1; i < RIGID_POINTS; i++) most = real_max(most, field(b, BOUNCE_WANTED + i));
    return is_any(most - RIGID_NO_BOUNCE);
}

// Impulses of the points, swept until each lane is settled; what was still needed in the first sweep.
WB_INLINE REAL bounce_points(__global const float *k, __global float *b, RigidCouple *c) {
    const RigidResponse r = load_response(k);
    const REAL zero = real_set(0);
    RigidApproach speed = rigid_approach(c->frame, rigid_part(c), c->wa, c->wb);
    RigidSums sums = {zero, zero, zero};
    REAL kicks[RIGID_POINTS], first = zero, rest = real_set(1);
    for (int i = 0; i < RIGID_POINTS; i++) kicks[i] = field(b, BOUNCE_KICK + i);
    for (int sweep = 0; sweep < RIGID_BOUNCE_SWEEPS && is_any(rest); sweep++) {
        const MASK isSwept = real_less(zero, rest);
        RigidApproach nextSpeed = speed;
        RigidSums nextSums = sums;
        REAL next = zero;
        for (int i = 0; i < RIGID_POINTS; i++) {
            const REAL kick =
                rigid_bounce_point(kicks[i], field(k, FIELD_X + i), field(k, FIELD_Y + i),
                                   field(b, BOUNCE_WANTED + i), r, &nextSpeed, &nextSums, &next);
            kicks[i] = real_select(isSwept, kick, kicks[i]);
        }
        speed = rigid_select_approach(isSwept, nextSpeed, speed);
        sums = rigid_select_sums(isSwept, nextSums, sums);
        rest = real_select(isSwept, next, rest);
        if (sweep == 0) first = rest;
    }
    const MASK isMoved = real_less(zero, first);
    const RigidSums none = {zero, zero, zero};
    for (int i = 0; i < RIGID_POINTS; i++)
        set_field(b, BOUNCE_KICK + i, real_select(isMoved, kicks[i], field(b, BOUNCE_KICK + i)));
    rigid_push_sums(c, rigid_select_sums(isMoved, sums, none), 0);
    return first;
}

// Friction by an impulse along the normal: it stops sliding and twisting, or does what the cone allows.
WB_INLINE void scrape(__global const float *k, __global float *b, RigidCouple *c) {
    const REAL zero = real_set(0);
    REAL push = zero;
    for (int i = 0; i < RIGID_POINTS; i++) push += field(b, BOUNCE_KICK + i);
    const REAL limit = field(k, FIELD_FRICTION) * push;
    const RigidDrag none = {zero, zero};
    const RigidDrag drag =
        rigid_rub(c, none, field(k, FIELD_DRAG_MASS), field(k, FIELD_DRAG_MASS + 1), limit);
    rigid_push_couple(c, rigid_across(&c->frame, drag.s, drag.t), rigid_set(0, 0, 0), 0);
    const REAL twist = rigid_twist(c, zero, field(k, FIELD_TWIST_MASS), limit * field(k, FIELD_TWIST_ARM));
    rigid_turn_couple(c, rigid_scale(twist, c->frame.n), 0);
    set_field(b, BOUNCE_BOUNCED, real_select(real_less(zero, push), real_set(1), field(b, BOUNCE_BOUNCED)));
}

static void bounce(int slot, const RigidPass *pass, __global const int2 *named, __global float *constraints,
                   __global float4 *bodies, __global const float4 *masses, __global float *bounces,
                   __global int *flags) {
    __global float *b = bounce_at(bounces, slot);
    if (!is_met(b)) return;
    const Rows rows = load_rows(named, slot);
    __global const float *k = constraint_at(constraints, slot);
    RigidCouple c = load_couple(k, &rows, bodies, masses);
    if (pass->kind == PASS_SCRAPE)
        scrape(k, b, &c);
    else if (is_any(bounce_points(k, b, &c)))
        atomic_or(&flags[pass->sweep + 1], 1);
    store_speeds(bodies, rows.a, c.va, c.wa, c.wayA);
    store_speeds(bodies, rows.b, c.vb, c.wb, c.wayB);
}

WB_INLINE bool is_settled(const RigidPass *pass, __global const int *flags) {
    return pass->kind == PASS_BOUNCE && flags[pass->sweep] == 0;
}

__kernel void exact_bounce(RigidPass pass, __global const int2 *rows, __global float *constraints,
                           __global float4 *bodies, __global const float4 *masses, __global float *bounces,
                           __global int *flags) {
    const int i = get_global_id(0) * WB_LANES;
    if (i < pass.count && !is_settled(&pass, flags))
        bounce(pass.first + i, &pass, rows, constraints, bodies, masses, bounces, flags);
}

__kernel void exact_bounce_tail(RigidPass pass, __global const int *colourStarts, __global const int2 *rows,
                                __global float *constraints, __global float4 *bodies,
                                __global const float4 *masses, __global float *bounces, __global int *flags) {
    if (is_settled(&pass, flags)) return;
    for (int colour = pass.first; colour < pass.first + pass.count; colour++) {
        const int end = colourStarts[colour + 1];
        for (int i = colourStarts[colour] + (int)get_local_id(0) * WB_LANES; i < end;
             i += (int)get_local_size(0) * WB_LANES)
            bounce(i, &pass, rows, constraints, bodies, masses, bounces, flags);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
