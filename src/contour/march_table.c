// SPDX-License-Identifier: MIT
#include <string.h>

#include "contour/march.h"

// Edge 4 a + n runs along axis a; n are the places of its start along the two axes that follow.
static int findEdge(int from, int to) {
    const int bit = from ^ to, axis = bit == 1 ? 0 : bit == 2 ? 1 : 2, start = from & to;
    return 4 * axis + (start >> (axis + 1) % 3 & 1) + 2 * (start >> (axis + 2) % 3 & 1);
}

// Corners of face 2 axis + side, counter-clockwise as seen from outside.
static void getFace(int face, int corners[4]) {
    const int axis = face / 2, side = face % 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    const int around[4] = {0, u, u | v, v};
    for (int n = 0; n < 4; n++) corners[n] = side << axis | around[side ? n : 3 - n];
}

// From each cut edge to the next of its loop. On a face, a line runs around each row of corners that are inside: two that lie
// across from each other are parted.
static void linkCuts(int signs, int next[WB_CELL_EDGES]) {
    for (int face = 0; face < 6; face++) {
        int corners[4];
        getFace(face, corners);
        for (int n = 0; n < 4; n++) {
            const int before = corners[n], first = corners[(n + 1) % 4];
            if (signs >> before & 1 || !(signs >> first & 1)) continue;
            int last = n + 1;
            while (signs >> corners[(last + 1) % 4] & 1) last++;
            next[findEdge(before, first)] = findEdge(corners[last % 4], corners[(last + 1) % 4]);
        }
    }
}

static bool shareFace(int a, int b) {
    for (int face = 0; face < 6; face++) {
        int corners[4], found = 0;
        getFace(face, corners);
        for (int n = 0; n < 4; n++) {
            const int edge = findEdge(corners[n], corners[(n + 1) % 4]);
            found += (edge == a) + (edge == b);
        }
        if (found == 2) return true;
    }
    return false;
}

// Whether triangles from this place of a loop have no edge on a face but the loop's own.
static bool isFreeFan(const int *loop, int count, int start) {
    for (int n = 2; n + 1 < count; n++)
        if (shareFace(loop[start], loop[(start + n) % count])) return false;
    return true;
}

static void addTriangle(wbMarchTable *table, int signs, int a, int b, int c) {
    uint8_t *triangle = table->cases[signs].triangles[table->cases[signs].triangleCount++];
    triangle[0] = (uint8_t)a, triangle[1] = (uint8_t)b, triangle[2] = (uint8_t)c;
}

static void fillLoop(wbMarchTable *table, int signs, const int *loop, int count) {
    for (int start = 0; start < count; start++) {
        if (!isFreeFan(loop, count, start)) continue;
        for (int n = 1; n + 1 < count; n++)
            addTriangle(table, signs, loop[start], loop[(start + n) % count], loop[(start + n + 1) % count]);
        return;
    }
    const int middle = table->cases[signs].middleCount++;
    for (int n = 0; n < count; n++) {
        table->cases[signs].middles[middle] |= (uint16_t)(1 << loop[n]);
        addTriangle(table, signs, WB_CELL_EDGES + middle, loop[n], loop[(n + 1) % count]);
    }
}

static void fillCase(wbMarchTable *table, int signs) {
    int next[WB_CELL_EDGES];
    memset(next, -1, sizeof next);
    linkCuts(signs, next);
    for (int first = 0; first < WB_CELL_EDGES; first++) {
        int loop[WB_CELL_EDGES], count = 0;
        for (int edge = first; next[edge] >= 0;) {
            const int to = next[edge];
            loop[count++] = edge;
            table->cases[signs].cuts |= (uint16_t)(1 << edge);
            next[edge] = -1;
            edge = to;
        }
        if (count > 0) fillLoop(table, signs, loop, count);
    }
}

void wbFillMarchTable(wbMarchTable *table) {
    memset(table, 0, sizeof *table);
    for (int signs = 0; signs < 256; signs++) fillCase(table, signs);
}
