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

// Colours that contacts of a body have, as bits in two words.
WB_INLINE ulong free_colours(__global const uint2 *taken, int a, int b) {
    const uint2 both = ~(taken[a] | taken[b]);
    return (ulong)both.y << 32 | both.x;
}

// `best` of this round is read, that of the next one is cleared.
__kernel void exact_take(RigidExactModel model, int count, int round, __global const RigidPlan *plans,
                         __global const uint *bits, __global int *colours, __global int *ranks,
                         __global const uint *best, __global uint *next, __global uint2 *taken,
                         __global RigidCounters *counters) {
    const int k = get_global_id(0);
    if (k >= count || colours[k] != COLOUR_NONE) return;
    const int a = plans[k].a, b = second_of(&model, &plans[k], bits);
    const uint rank = scramble(k);
    next[a] = next[b] = 0;
    if (best[a] != rank || best[b] != rank) {
        atomic_inc(&counters->left[round]);
        return;
    }
    const ulong free = free_colours(taken, a, b);
    if (free == 0) {
        colours[k] = COLOUR_STUCK;
        atomic_inc(&counters->stuck);
        return;
    }
    const ulong lowest = free & -free;
    const uint2 bit = (uint2)((uint)lowest, (uint)(lowest >> 32));
    const int colour = popcount(lowest - 1);
    taken[a] |= bit, taken[b] |= bit;
    colours[k] = colour;
    // within a colour the order does not matter: no contact of it feels another
    ranks[k] = atomic_inc(&counters->colours[colour]);
}

// Crowds. Where a body touches hundreds of others, rounds in which one of its contacts gets a colour would not end. There each contact
// bids for one of the colours that are free at both its bodies, a random one, and all are given out at once.

WB_INLINE int pick_colour(ulong free, uint random) {
    for (uint n = random % (uint)popcount(free); n > 0; n--) free &= free - 1;
    return popcount((free & -free) - 1);
}

// Writes the colour that a contact bids for where its rank will be.
__kernel void exact_crowd_bid(RigidExactModel model, int count, int round, __global const RigidPlan *plans,
                              __global const uint *bits, __global const uint2 *taken, __global int *colours,
                              __global int *choices, __global uint *bids, __global RigidCounters *counters) {
    const int k = get_global_id(0);
    if (k >= count || colours[k] != COLOUR_NONE) return;
    const int a = plans[k].a, b = second_of(&model, &plans[k], bits);
    const ulong free = free_colours(taken, a, b);
    if (free == 0) {
        colours[k] = COLOUR_STUCK;
        atomic_inc(&counters->stuck);
        return;
    }
    const uint rank = scramble(k);
    const int colour = pick_colour(free, scramble(rank + round));
    choices[k] = colour;
    atomic_max(&bids[RIGID_COLOURS * a + colour], rank);
    atomic_max(&bids[RIGID_COLOURS * b + colour], rank);
}

__kernel void exact_crowd_take(RigidExactModel model, int count, int base, int isLast,
                               __global const RigidPlan *plans, __global const uint *bits,
                               __global const uint *bids, __global uint *taken, __global int *colours,
                               __global int *ranks, __global RigidCounters *counters) {
    const int k = get_global_id(0);
    if (k >= count || colours[k] != COLOUR_NONE) return;
    const int a = plans[k].a, b = second_of(&model, &plans[k], bits), colour = ranks[k];
    const uint rank = scramble(k), bit = 1u << colour % 32;
    if (bids[RIGID_COLOURS * a + colour] != rank || bids[RIGID_COLOURS * b + colour] != rank) {
        if (!isLast) return;
        colours[k] = COLOUR_STUCK;
        atomic_inc(&counters->stuck);
        return;
    }
    atomic_or(&taken[2 * a + colour / 32], bit);
    atomic_or(&taken[2 * b + colour / 32], bit);
    colours[k] = base + colour;
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

// How many contacts bodies have, by the colours that they took.
__kernel void exact_crowd(RigidExactModel model, int isFirst, __global const uint2 *taken,
                          __global int *crowds) {
    const int i = get_global_id(0);
    if (i >= model.bodyCount) return;
    const uint2 both = popcount(taken[i]);
    crowds[i] = (isFirst ? 0 : crowds[i]) + (int)(both.x + both.y);
}
