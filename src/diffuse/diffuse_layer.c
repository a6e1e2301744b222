// SPDX-License-Identifier: MIT
#include "diffuse/diffuse_layer.h"

#include <math.h>

#include "core/status.h"

/// N/m, of water against air.
static const float surfaceTension = 0.073f;

static void listColumns(wbDiffuseLayer *l, wbColumn columns[WB_DIFFUSE_COLUMNS]) {
    void **const data[WB_DIFFUSE_COLUMNS] = {(void **)&l->x,  (void **)&l->y,  (void **)&l->z,
                                             (void **)&l->vx, (void **)&l->vy, (void **)&l->vz,
                                             (void **)&l->id};
    for (int c = 0; c < WB_DIFFUSE_COLUMNS; c++) columns[c] = (wbColumn){"", data[c], 4, false};
}

void wbDiffuseLayer_Init(wbDiffuseLayer *layer) {
    *layer = (wbDiffuseLayer){0};
    wbGrid_Init(&layer->grid);
}

void wbDiffuseLayer_Free(wbMemory *memory, wbDiffuseLayer *layer) {
    wbColumn columns[WB_DIFFUSE_COLUMNS];
    listColumns(layer, columns);
    wbFreeColumns(memory, columns, WB_DIFFUSE_COLUMNS, &layer->capacity);
    wbGrid_Free(memory, &layer->grid);
}

int wbGetDiffuseOctave(float size) {
    return size > 1 ? (int)fminf(floorf(log2f(size) + 0.5f), WB_DIFFUSE_MOST_OCTAVES - 1) : 0;
}

// What the lattice and a flat surface give, of the kernel 1 - r/R.
static void describe(wbDiffuseLayer *l, int dimensions) {
    const int reach = (int)ceilf(WB_DIFFUSE_REACH), deep = dimensions == 3 ? reach : 0;
    const float R = WB_DIFFUSE_REACH, pi = 3.14159265f;
    l->kernelSum = -1; // the particle itself
    for (int z = -deep; z <= deep; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++)
                l->kernelSum += fmaxf(0, 1 - sqrtf((float)(x * x + y * y + z * z)) / R);
    l->full = dimensions == 3 ? 4 * pi / 3 * R * R * R : pi * R * R;
    // the integral of z (1 - r/R) over half a ball, or half a disc, in radii
    l->halfNormal = dimensions == 3 ? pi * R * R * R / 20 : R * R / 6;
}

// Waves of a spacing's length, by gravity and surface tension: √(g/k + σk/ρ) for k = 1/spacing.
static float getWaveSpeed(float spacing, float gravity, float density) {
    return sqrtf(gravity * spacing + surfaceTension / (density * spacing));
}

static int collect(const wbDiffuseLiquid *liquid, int octave, int *places) {
    int count = 0;
    for (int i = 0; i < liquid->particles->count; i++)
        if (wbGetDiffuseOctave(liquid->sizes[i]) == octave) places[count++] = i;
    return count;
}

// Particles of one octave, from those of all of a liquid: moves begin in columns of the arena then.
static wbStatus gather(wbDiffuseLayer *l, const wbWork *work, const wbDiffuseLiquid *liquid, int octave,
                       wbMove moves[WB_DIFFUSE_COLUMNS]) {
    const int all = liquid->particles->count;
    wbMove gathers[WB_DIFFUSE_COLUMNS];
    int *places = wbArena_Alloc(work->arena, (size_t)(all + 1) * sizeof *places);
    bool hasRoom = places != NULL;
    for (int c = 0; c < WB_DIFFUSE_COLUMNS; c++) {
        void *gathered = wbArena_Alloc(work->arena, (size_t)wbPadCount(all + 1) * 4);
        gathers[c] = (wbMove){moves[c].from, gathered}, moves[c].from = gathered;
        hasRoom = hasRoom && gathered;
    }
    if (!hasRoom) return wbMemoryError(work->memory, "diffuse particles near %d of fluids need", all);
    l->count = collect(liquid, octave, places);
    wbReorder(work, places, l->count, gathers, WB_DIFFUSE_COLUMNS);
    return wb_okStatus;
}

// In the order of cells.
static wbStatus sort(wbDiffuseLayer *l, const wbWork *work, wbMove moves[WB_DIFFUSE_COLUMNS],
                     int dimensions) {
    wbColumn columns[WB_DIFFUSE_COLUMNS];
    int *order = wbArena_Alloc(work->arena, (size_t)wbPadCount(l->count + 1) * sizeof *order);
    listColumns(l, columns);
    if (!order || !wbReserveColumns(work->memory, columns, WB_DIFFUSE_COLUMNS, &l->capacity, l->count))
        return wbMemoryError(work->memory, "diffuse particles near %d of fluids need", l->count);
    if (l->count == 0) return wb_okStatus;
    const wbPoints points = {moves[0].from, moves[1].from, moves[2].from, l->count};
    WB_TRY(wbGrid_Sort(&l->grid, work, points, l->radius, dimensions, wb_gridAuto, order));
    for (int c = 0; c < WB_DIFFUSE_COLUMNS; c++) moves[c].to = *columns[c].data;
    wbReorder(work, order, l->count, moves, WB_DIFFUSE_COLUMNS);
    return wb_okStatus;
}

wbStatus wbDiffuseLayer_Fill(wbDiffuseLayer *layer, const wbWork *work, const wbDiffuseLiquid *liquid,
                             int octave, int dimensions, float gravity) {
    const size_t mark = wbArena_Mark(work->arena);
    const wbParticles *p = liquid->particles;
    wbMove moves[WB_DIFFUSE_COLUMNS] = {{.from = p->x},  {.from = p->y},  {.from = p->z}, {.from = p->vx},
                                        {.from = p->vy}, {.from = p->vz}, {.from = p->id}};
    describe(layer, dimensions);
    layer->count = p->count;
    layer->spacing = liquid->spacing * exp2f((float)octave);
    layer->radius = WB_DIFFUSE_REACH * layer->spacing;
    layer->waveSpeed = getWaveSpeed(liquid->spacing, gravity, liquid->restDensity);
    layer->isFinest = octave == 0;
    wbStatus status = liquid->sizes ? gather(layer, work, liquid, octave, moves) : wb_okStatus;
    if (wbIsOk(status)) status = sort(layer, work, moves, dimensions);
    wbArena_Release(work->arena, mark);
    return status;
}
