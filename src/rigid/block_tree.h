// SPDX-License-Identifier: MIT
// Linear equations over a tree: each node has six unknowns and is coupled with its parent alone, so that eliminating them from the
// leaves to the root fills nothing in (Baraff 1996). Time grows with the number of nodes.
#pragma once

enum { WB_TREE_WIDTH = 6 };

/// Parents are before their children.
typedef struct wbTreeNode {
    double diagonal[WB_TREE_WIDTH][WB_TREE_WIDTH]; ///< lower half; once factorised, its root
    double toParent[WB_TREE_WIDTH][WB_TREE_WIDTH]; ///< rows: own unknowns
    double x[WB_TREE_WIDTH];                       ///< right side, then the solution
    int parent;                                    ///< -1: none
} wbTreeNode;

/// The unit matrix, parents as they are.
void wbTree_Clear(wbTreeNode *nodes, int count);
/// Adds weight r r^t, where the row r is `own` at a node and `other` at its parent; NULL: only at the node.
void wbTree_AddRow(wbTreeNode *nodes, int node, const double own[WB_TREE_WIDTH], const double *other,
                   double weight);
/// The matrix must be positive definite, as one is to which only rows were added.
void wbTree_Factorise(wbTreeNode *nodes, int count);
void wbTree_Solve(wbTreeNode *nodes, int count);
