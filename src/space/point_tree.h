// SPDX-License-Identifier: MIT
// A tree of boxes over points, to look for some of many: what a ray meets, what a box holds, what is nearest. It is
// balanced, over points sorted along a Morton curve, so that single points far away cost nothing.
#pragma once

#include "space/grid.h"

enum { WB_TREE_LEAF = 8 }; ///< points in a leaf

typedef struct wbPointBox {
    float min[3], max[3]; ///< m; min > max: it holds no points
} wbPointBox;

typedef struct wbPointTree {
    int count;
    int leafBase; ///< box of the first leaf, a power of two
    wbArray
        boxes; ///< wbPointBox: 1 is the root, k has the children 2 k and 2 k + 1; behind the leaves empty ones
    wbArray order; ///< int: points by leaves
} wbPointTree;

void wbPointTree_Init(wbPointTree *tree);
void wbPointTree_Free(wbMemory *memory, wbPointTree *tree);
/// The points are not copied. The same tree for any number of threads. Points that are not finite are found by nobody.
wbStatus wbPointTree_Build(wbPointTree *tree, const wbWork *work, wbPoints points);

/// How a search goes on: `measure` gives how near a point of a box may be at least, in whatever is searched for;
/// `visit` gets all points of leaves that are not beyond the limit, which it may lower.
typedef struct wbPointSearch {
    double (*measure)(const wbPointBox *box, const void *context);
    void (*visit)(int point, void *context);
    void *context;
    const double *limit;
} wbPointSearch;
/// Nearer boxes first.
void wbPointTree_Search(const wbPointTree *tree, const wbPointSearch *search);
