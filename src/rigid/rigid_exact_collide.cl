// SPDX-License-Identifier: MIT
// Which pairs of pieces touch on a device, and the contacts that they have: two boxes by the axis that separates them most, boxes and
// sides by their nearest corners, all others by manifolds of their own (rigid_exact_convex.cl,
// rigid_exact_ground.cl).

WB_INLINE int collide_side(const RigidExactModel *model, __global const float4 *places, int4 pair) {
    const int side = -1 - pair.y;
    const RigidBox box = load_box(places, pair.x);
    const RigidVector n = side_normal(side);
    float gap = side_offset(model, side) - rigid_dot(n, box.centre);
    for (int k = 0; k < 3; k++) gap -= box.extent[k] * fabs(rigid_dot(n, box.axes[k]));
    return gap < model->terms.margin * box.thickness ? side : PAIR_APART;
}

// Touches between what is awake and what sleeps wake that.
WB_INLINE void note_touch(int4 pair, __global const RigidPieceTerms *pieces, __global const uint *bits,
                          __global const int *moves, __global RigidCounters *counters) {
    if (pair.y < 0) return;
    const uint a = bits[pieces[pair.x].body], b = bits[pieces[pair.y].body];
    if ((a | b) & BIT_SENSOR) return;
    if ((a & BIT_ASLEEP && moves[pair.y]) || (b & BIT_ASLEEP && moves[pair.x])) atomic_inc(&counters->woken);
}

WB_INLINE bool is_asleep(int4 pair, __global const int *moves) {
    return !moves[pair.x] && !(pair.y >= 0 && moves[pair.y]);
}

// How each pair touches, and how many contacts it has: boxes with boxes, of which that is known, and with sides.
__kernel void exact_collide(RigidExactModel model, int pairCount, __global const int4 *pairs,
                            __global const RigidPieceTerms *pieces, __global const uint *bits,
                            __global const float4 *places, __global const int *moves, __global int *sources,
                            __global uint *counts, __global RigidCounters *counters) {
    const int i = get_global_id(0);
    if (i == 0) counts[pairCount] = 0; // where the sum will stand
    if (i >= model.boxPairs + model.sidePairs) return;
    const int4 pair = pairs[i];
    int source = PAIR_ASLEEP;
    if (!is_asleep(pair, moves))
        source = i < model.boxPairs ? sources[i] : collide_side(&model, places, pair);
    sources[i] = source, counts[i] = source == PAIR_ASLEEP ? pair.w : source >= 0;
    if (source >= 0) note_touch(pair, pieces, bits, moves, counters);
}

WB_INLINE bool is_with_mesh(int4 pair, __global const RigidPieceTerms *pieces) {
    return pair.y >= 0 && pieces[pair.y].kind == PIECE_MESH;
}

// The same of all others, but for those with meshes that do not rest (rigid_exact_ground.cl).
__kernel void exact_convex(RigidExactModel model, __global const int4 *pairs,
                           __global const RigidPieceTerms *pieces, __global const uint *bits,
                           __global const float4 *places, __global const float4 *corners,
                           __global const float4 *faces, __global const int2 *loops,
                           __global const int *edges, __global const int *moves, __global int *sources,
                           __global RigidManifold *manifolds, __global uint *counts,
                           __global RigidCounters *counters) {
    const int other = get_global_id(0), i = model.boxPairs + model.sidePairs + other;
    if (other >= model.otherPairs) return;
    const int4 pair = pairs[i];
    if (is_asleep(pair, moves)) {
        sources[i] = PAIR_ASLEEP, counts[i] = pair.w;
        return;
    }
    if (is_with_mesh(pair, pieces)) return;
    const Colliding c = {&model, pieces, places, corners, faces, loops, edges};
    RigidManifold manifold;
    collide_pieces(&c, pair, &manifold);
    manifolds[other] = manifold;
    sources[i] = manifold.count > 0 ? other : PAIR_APART, counts[i] = manifold.count > 0;
    if (manifold.count > 0) note_touch(pair, pieces, bits, moves, counters);
}

WB_INLINE int plan_kind(const RigidExactModel *model, int i, int source, uint bits) {
    if (i < model->boxPairs) return source >= RIGID_AXIS_EDGES ? RIGID_PLAN_EDGE : RIGID_PLAN_FACE;
    if (i < model->boxPairs + model->sidePairs) return RIGID_PLAN_SIDE;
    return bits & BIT_SENSOR ? RIGID_PLAN_SENSOR : RIGID_PLAN_MANIFOLD;
}

// Of pieces that touch several times contacts are found again by their keys.
WB_INLINE uint key_of(__global const int4 *contacts, int contact) { return contacts[8 * contact + 7].w; }
WB_INLINE int find_old(__global const int4 *contacts, int4 pair, uint key) {
    for (int k = pair.z; k < pair.z + pair.w; k++)
        if (key_of(contacts, k) == key) return k;
    return -1;
}

// Contacts in the order of pairs. When all that wakes is awake, pairs note which are theirs, for the next step.
__kernel void exact_plan(RigidExactModel model, int pairCount, int notes, __global int4 *pairs,
                         __global const RigidPieceTerms *pieces, __global const uint *bits,
                         __global const int *sources, __global const RigidManifold *manifolds,
                         __global const int4 *contacts, __global const uint *starts,
                         __global RigidPlan *plans, __global int *colours) {
    const int i = get_global_id(0);
    if (i >= pairCount) return;
    const int4 pair = pairs[i];
    const int first = starts[i], count = starts[i + 1] - first, source = sources[i];
    const int a = pieces[pair.x].body, b = pair.y < 0 ? model.bodyCount - 1 - pair.y : pieces[pair.y].body;
    const uint both = bits[a] | (pair.y < 0 ? 0 : bits[b]);
    const bool isAsleep = source == PAIR_ASLEEP, isOther = i >= model.boxPairs + model.sidePairs;
    for (int k = 0; k < count; k++) {
        const int kind = isAsleep ? RIGID_PLAN_ASLEEP : plan_kind(&model, i, source, both);
        RigidPlan plan = {i, a, b, source, pair.w > 0 ? pair.z : -1, kind, 0, -1};
        if (isAsleep) {
            plan.old = pair.z + k, plan.key = key_of(contacts, plan.old);
        } else if (isOther) {
            plan.source += k, plan.key = manifolds[plan.source].key;
            plan.old = find_old(contacts, pair, plan.key);
        }
        plans[first + k] = plan;
        colours[first + k] = kind < RIGID_PLAN_ASLEEP ? COLOUR_NONE : COLOUR_NEVER;
    }
    if (notes) pairs[i] = (int4)(pair.x, pair.y, count > 0 ? first : -1, count);
}
