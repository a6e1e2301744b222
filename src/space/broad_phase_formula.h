// SPDX-License-Identifier: MIT
// The tree of a broad phase and the search in it that kernels need: the same in C and in OpenCL C. See broad_phase.h.
#pragma once

#ifdef __OPENCL_VERSION__
#    define BROAD_GLOBAL __global
#else
#    define BROAD_GLOBAL
#endif

/// Along the axes; min is no more than max. An empty one, of NaNs, touches nothing.
typedef struct BroadBox {
    float min[3], max[3]; ///< m
} BroadBox;

/// Nodes stand in the order of a walk that goes down first: the first child of an inner node comes next, its second
/// child is the first one's `skip`.
typedef struct BroadNode {
    BroadBox box; ///< around all below
    int skip; ///< the node to go on with when nothing below this one matters; the next one's index: a leaf
    int last; ///< the highest index of an item below
} BroadNode;

/// An empty box, whose min is above its max, touches none, not even one without end.
static inline bool broad_touches(BROAD_GLOBAL const BroadBox *a, const BroadBox *b) {
    return a->min[0] <= a->max[0] && a->min[0] <= b->max[0] && a->max[0] >= b->min[0] &&
           a->min[1] <= b->max[1] && a->max[1] >= b->min[1] && a->min[2] <= b->max[2] &&
           a->max[2] >= b->min[2];
}

/// The first item behind `after`, by index, whose box touches another; -1: there is none.
static inline int broad_find_next(BROAD_GLOBAL const BroadNode *nodes, int nodeCount, const BroadBox *box,
                                  int after) {
    int next = -1;
    for (int i = 0; i < nodeCount;) {
        BROAD_GLOBAL const BroadNode *node = nodes + i;
        if (node->last <= after || !broad_touches(&node->box, box)) {
            i = node->skip;
            continue;
        }
        i++;
        if (node->skip == i && (next < 0 || node->last < next)) next = node->last;
    }
    return next;
}
