// SPDX-License-Identifier: MIT
#include "reference/z_order.h"

#include <math.h>
#include <stdlib.h>

enum { BITS = 20 }; // of a cell's number along an axis

// Puts two zeros between the bits of a number, or one in a plane.
static uint64_t spreadBits(uint64_t v, int dimensions) {
    uint64_t spread = 0;
    for (int b = 0; b < BITS + 1; b++) spread |= (v >> b & 1) << (dimensions * b);
    return spread;
}

static uint64_t getCode(int dimensions, const int64_t cell[3]) {
    uint64_t code = 0;
    for (int a = 0; a < dimensions; a++) code |= spreadBits((uint64_t)cell[a], dimensions) << a;
    return code;
}

static void getCell(const refZOrder *search, int i, int64_t cell[3]) {
    const float x[3] = {search->x[i], search->y[i], search->z[i]};
    for (int a = 0; a < 3; a++) cell[a] = (int64_t)((x[a] - search->min[a]) / search->cell);
}

typedef struct Entry {
    uint64_t code;
    int point;
} Entry;

static int compareEntries(const void *a, const void *b) {
    const Entry *first = a, *second = b;
    if (first->code != second->code) return first->code < second->code ? -1 : 1;
    return first->point - second->point;
}

refZOrder *refCreateZOrder(int dimensions, int count, const float *x, const float *y, const float *z,
                           const float *h) {
    refZOrder *s = calloc(1, sizeof *s);
    const float *const axes[3] = {x, y, z};
    Entry *entries = calloc((size_t)count + 1, sizeof *entries);
    float widest = 0;
    *s = (refZOrder){.dimensions = dimensions, .count = count, .x = x, .y = y, .z = z, .h = h};
    for (int a = 0; a < 3; a++) {
        float most = axes[a][0];
        s->min[a] = axes[a][0];
        for (int i = 1; i < count; i++)
            s->min[a] = fminf(s->min[a], axes[a][i]), most = fmaxf(most, axes[a][i]);
        widest = fmaxf(widest, most - s->min[a]);
    }
    s->cell = widest * 1.001f / (1 << BITS) + 1e-30f;
    s->codes = calloc((size_t)count + 1, sizeof *s->codes), s->order = calloc((size_t)count + 1, sizeof(int));
    for (int i = 0; i < count; i++) {
        int64_t cell[3];
        getCell(s, i, cell);
        entries[i] = (Entry){getCode(dimensions, cell), i};
    }
    qsort(entries, (size_t)count, sizeof *entries, compareEntries);
    for (int k = 0; k < count; k++) s->codes[k] = entries[k].code, s->order[k] = entries[k].point;
    free(entries);
    return s;
}

void refDestroyZOrder(refZOrder *search) {
    free(search->codes), free(search->order);
    free(search);
}

// The first place whose code is not below this one.
static int findFirst(const refZOrder *s, uint64_t code) {
    int low = 0, high = s->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int searchCell(const refZOrder *s, int i, const int64_t cell[3], int level, int *found) {
    const int shift = s->dimensions * level;
    const uint64_t code = getCode(s->dimensions, cell);
    int count = 0;
    for (int k = findFirst(s, code << shift); k < s->count && s->codes[k] >> shift == code; k++) {
        const int j = s->order[k];
        const float dx = s->x[i] - s->x[j], dy = s->y[i] - s->y[j], dz = s->z[i] - s->z[j];
        if (dx * dx + dy * dy + dz * dz >= s->h[i] * s->h[i]) continue;
        if (found) found[count] = j;
        count++;
    }
    return count;
}

int refFindByZOrder(const refZOrder *s, int i, int *found) {
    int64_t own[3];
    int level = 0, count = 0;
    while (level < BITS && ldexpf(s->cell, level) < s->h[i]) level++;
    getCell(s, i, own);
    for (int n = 0; n < (s->dimensions == 3 ? 27 : 9); n++) {
        const int64_t cell[3] = {(own[0] >> level) + n % 3 - 1, (own[1] >> level) + n / 3 % 3 - 1,
                                 s->dimensions == 3 ? (own[2] >> level) + n / 9 - 1 : 0};
        if (cell[0] < 0 || cell[1] < 0 || cell[2] < 0) continue;
        if ((cell[0] | cell[1] | cell[2]) >> (BITS - level) != 0) continue;
        count += searchCell(s, i, cell, level, found ? found + count : NULL);
    }
    return count;
}
