// SPDX-License-Identifier: MIT
#include "rigid/block_tree.h"

#include <math.h>
#include <string.h>

enum { WIDTH = WB_TREE_WIDTH };

void wbTree_Clear(wbTreeNode *nodes, int count) {
    for (int n = 0; n < count; n++) {
        memset(nodes[n].diagonal, 0, sizeof nodes[n].diagonal);
        memset(nodes[n].toParent, 0, sizeof nodes[n].toParent);
        for (int k = 0; k < WIDTH; k++) nodes[n].diagonal[k][k] = 1;
    }
}

static void addSquare(wbTreeNode *node, const double row[WIDTH], double weight) {
    for (int i = 0; i < WIDTH; i++) {
        const double scaled = weight * row[i];
        for (int j = 0; j <= i; j++) node->diagonal[i][j] += scaled * row[j];
    }
}

void wbTree_AddRow(wbTreeNode *nodes, int n, const double own[WIDTH], const double *other, double weight) {
    wbTreeNode *node = &nodes[n];
    if (weight == 0) return;
    addSquare(node, own, weight);
    if (!other) return;
    addSquare(&nodes[node->parent], other, weight);
    for (int i = 0; i < WIDTH; i++) {
        const double scaled = weight * own[i];
        for (int j = 0; j < WIDTH; j++) node->toParent[i][j] += scaled * other[j];
    }
}

// L L^t, with 1 / L on the diagonal.
static void takeRoot(double a[WIDTH][WIDTH]) {
    for (int j = 0; j < WIDTH; j++) {
        double pivot = a[j][j];
        for (int k = 0; k < j; k++) pivot -= a[j][k] * a[j][k];
        const double inverse = 1 / sqrt(pivot);
        a[j][j] = inverse;
        for (int i = j + 1; i < WIDTH; i++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            a[i][j] = sum * inverse;
        }
    }
}

// toParent becomes L^-1 toParent, whose square is what the parent's block loses.
static void eliminate(wbTreeNode *node, wbTreeNode *parent) {
    double(*x)[WIDTH] = node->toParent;
    for (int i = 0; i < WIDTH; i++) {
        for (int k = 0; k < i; k++)
            for (int c = 0; c < WIDTH; c++) x[i][c] -= node->diagonal[i][k] * x[k][c];
        for (int c = 0; c < WIDTH; c++) x[i][c] *= node->diagonal[i][i];
    }
    for (int k = 0; k < WIDTH; k++)
        for (int i = 0; i < WIDTH; i++)
            for (int j = 0; j <= i; j++) parent->diagonal[i][j] -= x[k][i] * x[k][j];
}

void wbTree_Factorise(wbTreeNode *nodes, int count) {
    for (int n = count - 1; n >= 0; n--) {
        takeRoot(nodes[n].diagonal);
        if (nodes[n].parent >= 0) eliminate(&nodes[n], &nodes[nodes[n].parent]);
    }
}

void wbTree_Solve(wbTreeNode *nodes, int count) {
    for (int n = count - 1; n >= 0; n--) {
        wbTreeNode *node = &nodes[n];
        for (int i = 0; i < WIDTH; i++) {
            for (int k = 0; k < i; k++) node->x[i] -= node->diagonal[i][k] * node->x[k];
            node->x[i] *= node->diagonal[i][i];
        }
        for (int k = 0; k < WIDTH && node->parent >= 0; k++)
            for (int i = 0; i < WIDTH; i++) nodes[node->parent].x[i] -= node->toParent[k][i] * node->x[k];
    }
    for (int n = 0; n < count; n++) {
        wbTreeNode *node = &nodes[n];
        for (int k = 0; k < WIDTH && node->parent >= 0; k++)
            for (int i = 0; i < WIDTH; i++) node->x[k] -= node->toParent[k][i] * nodes[node->parent].x[i];
        for (int i = WIDTH - 1; i >= 0; i--) {
            for (int k = i + 1; k < WIDTH; k++) node->x[i] -= node->diagonal[k][i] * node->x[k];
            node->x[i] *= node->diagonal[i][i];
        }
    }
}
