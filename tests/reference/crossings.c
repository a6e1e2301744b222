// SPDX-License-Identifier: MIT
#include "reference/crossings.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Edge {
    int low, high;
} Edge;

static int compareEdges(const void *a, const void *b) {
    const Edge *p = a, *q = b;
    return p->low != q->low ? (p->low < q->low ? -1 : 1) : p->high < q->high ? -1 : p->high > q->high;
}

// Six times the volume of a tetrahedron.
static double orient(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = a[k] - d[k], v[k] = b[k] - d[k], w[k] = c[k] - d[k];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static void get(const float *const p[3], int i, double point[3]) {
    for (int a = 0; a < 3; a++) point[a] = p[a][i];
}

static bool areBoxesApart(const double s[2][3], const double c[3][3]) {
    for (int a = 0; a < 3; a++)
        if (fmax(s[0][a], s[1][a]) < fmin(c[0][a], fmin(c[1][a], c[2][a])) ||
            fmin(s[0][a], s[1][a]) > fmax(c[0][a], fmax(c[1][a], c[2][a])))
            return true;
    return false;
}

static bool goesThrough(const float *const p[3], const Edge *edge, const int *triangle) {
    double s[2][3], c[3][3];
    for (int k = 0; k < 3; k++)
        if (triangle[k] == edge->low || triangle[k] == edge->high) return false;
    get(p, edge->low, s[0]), get(p, edge->high, s[1]);
    for (int k = 0; k < 3; k++) get(p, triangle[k], c[k]);
    if (areBoxesApart(s, c)) return false;
    if (orient(c[0], c[1], c[2], s[0]) * orient(c[0], c[1], c[2], s[1]) >= 0) return false;
    const double x = orient(s[0], s[1], c[0], c[1]), y = orient(s[0], s[1], c[1], c[2]),
                 z = orient(s[0], s[1], c[2], c[0]);
    return (x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0);
}

int wbReferenceCountCrossings(const float *const p[3], const int *triangles, int triangleCount) {
    Edge *edges = malloc(sizeof *edges * 3 * (size_t)triangleCount);
    int count = 0;
    for (int t = 0; t < triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            const int a = triangles[3 * t + k], b = triangles[3 * t + (k + 1) % 3];
            edges[3 * t + k] = (Edge){a < b ? a : b, a < b ? b : a};
        }
    qsort(edges, 3 * (size_t)triangleCount, sizeof *edges, compareEdges);
    for (int e = 0; e < 3 * triangleCount; e++) {
        if (e > 0 && compareEdges(&edges[e], &edges[e - 1]) == 0) continue;
        for (int t = 0; t < triangleCount; t++) count += goesThrough(p, &edges[e], triangles + 3 * t);
    }
    free(edges);
    return count;
}
