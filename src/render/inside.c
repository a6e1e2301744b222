// SPDX-License-Identifier: MIT
#include "render/inside.h"

#include "core/status.h"

#include <math.h>

enum { MAX_CELLS = 4 << 20 };

/// What is known of a cell.
enum { EMPTY, FULL, INSIDE, DEEP, TOLD };

typedef struct Lattice {
    wbVec3 min;
    float cell;
    int size[3];
    float *volumes;
    uint8_t *kinds;
} Lattice;

// Particles beyond the body of water count for the cells at its border, which are never inside.
static bool layOut(Lattice *lattice, const wbSwarm *swarm, float spacing) {
    const wbVec3 extent = wbSub(swarm->body.max, swarm->body.min);
    double cells = 1;
    lattice->cell = 2 * spacing, lattice->min = swarm->body.min;
    for (int a = 0; a < 3; ++a) {
        lattice->size[a] = (int)fminf((&extent.x)[a] / lattice->cell, 1e6f) + 1;
        cells *= lattice->size[a];
    }
    return cells <= MAX_CELLS;
}

static int findCell(const Lattice *lattice, const wbDrop *drop) {
    int cell[3];
    for (int a = 0; a < 3; ++a) {
        const float place = ((&drop->x)[a] - (&lattice->min.x)[a]) / lattice->cell;
        const int last = lattice->size[a] - 1;
        cell[a] = place < 0 ? 0 : place > (float)last ? last : (int)place;
    }
    return cell[0] + lattice->size[0] * (cell[1] + lattice->size[1] * cell[2]);
}

// Cells of at least one kind with six neighbours of it become the next.
static void deepen(const Lattice *lattice, uint8_t kind) {
    const int nx = lattice->size[0], ny = lattice->size[1], nz = lattice->size[2], row = nx, layer = nx * ny;
    uint8_t *k = lattice->kinds;
    for (int z = 1; z < nz - 1; ++z)
        for (int y = 1; y < ny - 1; ++y)
            for (int x = 1; x < nx - 1; ++x) {
                const int c = x + row * y + layer * z;
                if (k[c] >= kind && k[c - 1] >= kind && k[c + 1] >= kind && k[c - row] >= kind &&
                    k[c + row] >= kind && k[c - layer] >= kind && k[c + layer] >= kind)
                    k[c] = kind + 1;
            }
}

static void fill(const Lattice *lattice, const wbSwarm *swarm, int cells) {
    const wbDrop *drops = swarm->drops.data;
    for (int c = 0; c < cells; ++c) lattice->volumes[c] = 0;
    for (int i = 0; i < swarm->count; ++i)
        lattice->volumes[findCell(lattice, &drops[i])] += drops[i].size * drops[i].size * drops[i].size;
    // of eight particles that fit, as many as water at rest has that is no lattice
    for (int c = 0; c < cells; ++c) lattice->kinds[c] = lattice->volumes[c] > 5.5f ? FULL : EMPTY;
    deepen(lattice, FULL);
    deepen(lattice, INSIDE);
}

static wbVec3 getMiddle(const Lattice *lattice, int cell) {
    const int x = cell % lattice->size[0], rest = cell / lattice->size[0];
    const wbVec3 place = {(float)x + 0.5f, (float)(rest % lattice->size[1]) + 0.5f,
                          (float)(rest / lattice->size[1]) + 0.5f};
    return wbAdd(lattice->min, wbScale(lattice->cell, place));
}

wbStatus wbDropInside(wbSwarm *swarm, float spacing) {
    Lattice lattice;
    if (swarm->count == 0 || !layOut(&lattice, swarm, spacing)) return wb_okStatus;
    const int cells = lattice.size[0] * lattice.size[1] * lattice.size[2];
    swarm->volumes.elementSize = (int)sizeof(float);
    swarm->groups.elementSize = 1;
    if (!wbArray_Reserve(NULL, &swarm->volumes, cells) || !wbArray_Reserve(NULL, &swarm->groups, cells))
        return wbMemoryError(NULL, "cells of %d particles need", swarm->count);
    lattice.volumes = swarm->volumes.data, lattice.kinds = swarm->groups.data;
    fill(&lattice, swarm, cells);
    wbDrop *drops = swarm->drops.data;
    int kept = 0;
    for (int i = 0; i < swarm->count; ++i) {
        const int cell = findCell(&lattice, &drops[i]);
        uint8_t *kind = &lattice.kinds[cell];
        wbDrop drop = drops[i];
        if (*kind == INSIDE) {
            const wbVec3 middle = getMiddle(&lattice, cell);
            drop.x = middle.x, drop.y = middle.y, drop.z = middle.z;
            drop.size = 2.5f; // so that those of two cells overlap
        }
        if (*kind < DEEP) drops[kept++] = drop;
        if (*kind == INSIDE) *kind = TOLD;
    }
    swarm->count = swarm->allCount = swarm->seenCount = kept;
    return wb_okStatus;
}
