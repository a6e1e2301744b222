// SPDX-License-Identifier: MIT
// Colours of contacts on a device: no two of one have a body in common that forces move. In each round every contact whose number,
// scrambled, is the highest at both its bodies takes the lowest colour that is free there (Jones and Plassmann 1993). Maxima do not
// depend on the order in which they are taken, so that colours do not either.

// A bijection: no two contacts have the same, and none has 0.
WB_INLINE uint scramble(uint k) {
    k = (k + 1) * 2654435761u;
    k ^= k >> 16;
    k *= 2246822519u;
    return k ^ k >> 13;
}

WB_INLINE int second_of(const RigidExactModel *model, __global const RigidPlan *plan,
                        __global const uint *bits) {
    const int b = plan->b;
    return b < model->bodyCount && bits[b] & BIT_DYNAMIC ? b : plan->a;
}

__kernel void exact_bid(RigidExactModel model, int count, __global const RigidPlan *plans,
                        __global const uint *bits, __global const int *colours, __global uint *best) {
    const int k = get_global_id(0);
    if (k >= count || colours[k] != COLOUR_NONE) return;
    const uint rank = scramble(k);
    atomic_max(&best[plans[k].a], rank);
    atomic_max(&best[second_of(&model, &plans[k], bits)], rank);
}

// `best` of this round is read, that of the next one is cleared.
__kernel void exact_take(RigidExactModel model, int count, int base, int round,
                         __global const RigidPlan *plans, __global const uint *bits, __global int *colours,
                         __global int *ranks, __global const uint *best, __global uint *next,
                         __global ulong *taken, __global RigidCounters *counters) {
    const int k = get_global_id(0);
    if (k >= count || colours[k] != COLOUR_NONE) return;
    const int a = plans[k].a, b = second_of(&model, &plans[k], bits);
    const uint rank = scramble(k);
    next[a] = next[b] = 0;
    if (best[a] != rank || best[b] != rank) {
        atomic_inc(&counters->left[round]);
        return;
    }
    const ulong free = ~(taken[a] | taken[b]);
    if (free == 0) {
        colours[k] = COLOUR_STUCK;
        atomic_inc(&counters->stuck);
        return;
    }
    const int colour = popcount((free & -free) - 1);
    taken[a] |= 1ul << colour, taken[b] |= 1ul << colour;
    colours[k] = base + colour;
    // within a colour the order does not matter: no contact of it feels another
    ranks[k] = atomic_inc(&counters->colours[colour]);
}

WB_INLINE int in_groups(int count) { return (count + RIGID_GROUP - 1) / RIGID_GROUP * RIGID_GROUP; }

// Those of the colours that were given out now are put behind those of before, each colour in groups of its own; -1 fills them up.
__kernel void exact_sort(int count, int base, int first, __global RigidPlan *plans, __global int *colours,
                         __global const int *ranks, __global const RigidCounters *counters,
                         __global int *slots) {
    const int k = get_global_id(0), filler = k - count;
    if (filler >= RIGID_COLOURS * RIGID_GROUP) return;
    const bool fills = filler >= 0;
    const int colour = fills ? filler / RIGID_GROUP : colours[k] - base;
    if (!fills && colours[k] == COLOUR_STUCK) colours[k] = COLOUR_NONE;
    if (colour < 0 || colour >= RIGID_COLOURS) return;
    int slot = first;
    for (int c = 0; c < colour; c++) slot += in_groups(counters->colours[c]);
    if (fills) {
        const int own = counters->colours[colour], place = own + filler % RIGID_GROUP;
        if (place < in_groups(own)) slots[slot + place] = -1;
    } else {
        slots[slot + ranks[k]] = k;
        plans[k].slot = slot + ranks[k];
    }
}
