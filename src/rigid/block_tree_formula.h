// SPDX-License-Identifier: MIT
// Linear equations over a tree: each node has six unknowns and is coupled with its parent alone, so that eliminating them from the
// leaves to the root fills nothing in (Baraff 1996). Time grows with the number of nodes. The same in C and in OpenCL C. In double: with
// stiff rows beside a unit matrix, floats lose the pivots of a chain of 50 links with a hundred times their mass at its end.
#pragma once

#ifdef __OPENCL_VERSION__
#    pragma OPENCL EXTENSION cl_khr_fp64 : enable
#    define WB_GLOBAL __global
#else
#    include <math.h>
#    include <stdbool.h>
#    define WB_GLOBAL
#endif

enum { WB_TREE_WIDTH = 6 };

/// Parents are before their children.
typedef struct wbTreeNode {
    double diagonal[WB_TREE_WIDTH][WB_TREE_WIDTH]; ///< lower half; once factorised, its root
    double toParent[WB_TREE_WIDTH][WB_TREE_WIDTH]; ///< rows: own unknowns
    double x[WB_TREE_WIDTH];                       ///< right side, then the solution
    int parent;                                    ///< -1: none
} wbTreeNode;

/// The unit matrix, parents as they are.
static inline void tree_clear(WB_GLOBAL wbTreeNode *nodes, int count) {
    for (int n = 0; n < count; n++)
        for (int i = 0; i < WB_TREE_WIDTH; i++)
            for (int j = 0; j < WB_TREE_WIDTH; j++)
                nodes[n].diagonal[i][j] = i == j, nodes[n].toParent[i][j] = 0;
}

static inline void tree_add_square(WB_GLOBAL wbTreeNode *node, WB_GLOBAL const double *row, double weight) {
    for (int i = 0; i < WB_TREE_WIDTH; i++) {
        const double scaled = weight * row[i];
        for (int j = 0; j <= i; j++) node->diagonal[i][j] += scaled * row[j];
    }
}

/// Adds weight r r^t, where the row r is `own` at a node and `other` at its parent; NULL: only at the node.
static inline void tree_add_row(WB_GLOBAL wbTreeNode *nodes, int n, WB_GLOBAL const double *own,
                                WB_GLOBAL const double *other, double weight) {
    WB_GLOBAL wbTreeNode *node = &nodes[n];
    if (weight == 0) return;
    tree_add_square(node, own, weight);
    if (!other) return;
    tree_add_square(&nodes[node->parent], other, weight);
    for (int i = 0; i < WB_TREE_WIDTH; i++) {
        const double scaled = weight * own[i];
        for (int j = 0; j < WB_TREE_WIDTH; j++) node->toParent[i][j] += scaled * other[j];
    }
}

// L L^t, with 1 / L on the diagonal.
static inline void tree_take_root(WB_GLOBAL wbTreeNode *node) {
    for (int j = 0; j < WB_TREE_WIDTH; j++) {
        double pivot = node->diagonal[j][j];
        for (int k = 0; k < j; k++) pivot -= node->diagonal[j][k] * node->diagonal[j][k];
        const double inverse = 1 / sqrt(pivot);
        node->diagonal[j][j] = inverse;
        for (int i = j + 1; i < WB_TREE_WIDTH; i++) {
            double sum = node->diagonal[i][j];
            for (int k = 0; k < j; k++) sum -= node->diagonal[i][k] * node->diagonal[j][k];
            node->diagonal[i][j] = sum * inverse;
        }
    }
}

// toParent becomes L^-1 toParent, whose square is what the parent's block loses.
static inline void tree_eliminate(WB_GLOBAL wbTreeNode *node, WB_GLOBAL wbTreeNode *parent) {
    for (int i = 0; i < WB_TREE_WIDTH; i++) {
        for (int k = 0; k < i; k++)
            for (int c = 0; c < WB_TREE_WIDTH; c++)
                node->toParent[i][c] -= node->diagonal[i][k] * node->toParent[k][c];
        for (int c = 0; c < WB_TREE_WIDTH; c++) node->toParent[i][c] *= node->diagonal[i][i];
    }
    for (int k = 0; k < WB_TREE_WIDTH; k++)
        for (int i = 0; i < WB_TREE_WIDTH; i++)
            for (int j = 0; j <= i; j++)
                parent->diagonal[i][j] -= node->toParent[k][i] * node->toParent[k][j];
}

/// The matrix must be positive definite, as one is to which only rows were added.
static inline void tree_factorise(WB_GLOBAL wbTreeNode *nodes, int count) {
    for (int n = count - 1; n >= 0; n--) {
        tree_take_root(&nodes[n]);
        if (nodes[n].parent >= 0) tree_eliminate(&nodes[n], &nodes[nodes[n].parent]);
    }
}

static inline void tree_solve(WB_GLOBAL wbTreeNode *nodes, int count) {
    for (int n = count - 1; n >= 0; n--) {
        WB_GLOBAL wbTreeNode *node = &nodes[n];
        for (int i = 0; i < WB_TREE_WIDTH; i++) {
            for (int k = 0; k < i; k++) node->x[i] -= node->diagonal[i][k] * node->x[k];
            node->x[i] *= node->diagonal[i][i];
        }
        for (int k = 0; k < WB_TREE_WIDTH && node->parent >= 0; k++)
            for (int i = 0; i < WB_TREE_WIDTH; i++)
                nodes[node->parent].x[i] -= node->toParent[k][i] * node->x[k];
    }
    for (int n = 0; n < count; n++) {
        WB_GLOBAL wbTreeNode *node = &nodes[n];
        for (int k = 0; k < WB_TREE_WIDTH && node->parent >= 0; k++)
            for (int i = 0; i < WB_TREE_WIDTH; i++)
                node->x[k] -= node->toParent[k][i] * nodes[node->parent].x[i];
        for (int i = WB_TREE_WIDTH - 1; i >= 0; i--) {
            for (int k = i + 1; k < WB_TREE_WIDTH; k++) node->x[i] -= node->diagonal[k][i] * node->x[k];
            node->x[i] *= node->diagonal[i][i];
        }
    }
}
