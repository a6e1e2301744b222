// SPDX-License-Identifier: MIT
#include "diffuse/diffuse.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "core/status.h"
#include "core/timer.h"

/// s: steps are put off until there is so much to do at once.
static const float leastStep = 1.0f / 240;

void wbDiffuse_Init(wbDiffuse *diffuse) {
    *diffuse = (wbDiffuse){0};
    for (int l = 0; l < WB_DIFFUSE_MOST_LAYERS; l++) wbDiffuseLayer_Init(&diffuse->layers[l]);
}

void wbDiffuse_Free(wbMemory *memory, wbDiffuse *diffuse) {
    wbColumn columns[WB_DIFFUSE_STATE_COLUMNS];
    wbDiffuse_ListColumns(diffuse, columns);
    wbFreeColumns(memory, columns, WB_DIFFUSE_STATE_COLUMNS, &diffuse->capacity);
    for (int l = 0; l < WB_DIFFUSE_MOST_LAYERS; l++) wbDiffuseLayer_Free(memory, &diffuse->layers[l]);
}

void wbDiffuse_ListColumns(wbDiffuse *d, wbColumn columns[WB_DIFFUSE_STATE_COLUMNS]) {
    const wbColumn list[WB_DIFFUSE_STATE_COLUMNS] = {
        {"x", (void **)&d->x, 4, true},       {"y", (void **)&d->y, 4, true},
        {"z", (void **)&d->z, 4, true},       {"vx", (void **)&d->vx, 4, true},
        {"vy", (void **)&d->vy, 4, true},     {"vz", (void **)&d->vz, 4, true},
        {"age", (void **)&d->age, 4, true},   {"left", (void **)&d->left, 4, true},
        {"kind", (void **)&d->kind, 4, true}, {"id", (void **)&d->id, 4, true}};
    for (int c = 0; c < WB_DIFFUSE_STATE_COLUMNS; c++) columns[c] = list[c];
}

void wbDiffuse_ListValues(wbDiffuse *d, wbSavedValue values[WB_DIFFUSE_VALUES]) {
    const wbSavedValue list[WB_DIFFUSE_VALUES] = {
        {"diffuse.count", &d->count, wb_valueInt, 0, INT_MAX - 1024, true},
        {"diffuse.nextId", &d->nextId, wb_valueUint32, 0, UINT32_MAX, true},
        {"diffuse.ownSteps", &d->stepCount, wb_valueInt64, 0, 4e18, true},
        {"diffuse.born", &d->born, wb_valueInt64, 0, 4e18, false},
        {"diffuse.refused", &d->refused, wb_valueInt64, 0, 4e18, false},
        {"diffuse.pending", &d->pending, wb_valueFloat, 0, FLT_MAX, true},
        {"diffuse.barren", &d->barren, wb_valueFloat, 0, FLT_MAX, true},
    };
    for (int v = 0; v < WB_DIFFUSE_VALUES; v++) values[v] = list[v];
}

wbStatus wbDiffuse_Reserve(wbDiffuse *diffuse, wbMemory *memory, int count) {
    wbColumn columns[WB_DIFFUSE_STATE_COLUMNS];
    wbDiffuse_ListColumns(diffuse, columns);
    if (wbReserveColumns(memory, columns, WB_DIFFUSE_STATE_COLUMNS, &diffuse->capacity, count))
        return wb_okStatus;
    return wbMemoryError(memory, "%d diffuse particles need", count);
}

float wbRamp(float value, float from, float to) {
    if (!(to > from)) return value > from ? 1 : 0;
    return fminf(fmaxf((value - from) / (to - from), 0), 1);
}

wbDiffuseKind wbClassifyDiffuse(const wbDiffuseParams *params, float fullness) {
    if (fullness < params->sprayBelow) return wb_diffuseSpray;
    return fullness < params->bubblesFrom ? wb_diffuseFoam : wb_diffuseBubble;
}

// Octaves that particles of a liquid have: bits.
static unsigned findOctaves(const wbDiffuseLiquid *liquid) {
    unsigned octaves = liquid->particles->count > 0;
    for (int i = 0; liquid->sizes && i < liquid->particles->count; i++)
        octaves |= 1u << wbGetDiffuseOctave(liquid->sizes[i]);
    return octaves;
}

wbStatus wbDiffuse_Search(wbDiffuse *diffuse, const wbDiffuseStep *step, const wbDiffuseLiquid *liquids,
                          int liquidCount) {
    const wbVec3 g = step->domain->gravity;
    const float gravity = sqrtf(wbDot(g, g));
    diffuse->layerCount = 0;
    for (int k = 0; k < liquidCount; k++) {
        const unsigned octaves = findOctaves(&liquids[k]);
        for (int o = 0; octaves >> o; o++) {
            if (!(octaves >> o & 1)) continue;
            WB_ASSERT(diffuse->layerCount < WB_DIFFUSE_MOST_LAYERS,
                      "liquids have more sizes than there are layers");
            WB_TRY(wbDiffuseLayer_Fill(&diffuse->layers[diffuse->layerCount++], step->work, &liquids[k], o,
                                       step->domain->dimensions, gravity));
        }
    }
    return wb_okStatus;
}

static wbStatus bearInTurn(wbDiffuse *diffuse, const wbDiffuseStep *step) {
    wbDiffuseStep both = *step;
    diffuse->barren += step->dt;
    if (diffuse->stepCount % 2 == 0) return wb_okStatus;
    both.dt = diffuse->barren, diffuse->barren = 0;
    return wbDiffuse_Bear(diffuse, &both);
}

wbStatus wbDiffuse_Step(wbDiffuse *diffuse, const wbDiffuseStep *step, const wbDiffuseLiquid *liquids,
                        int liquidCount) {
    wbDiffuseStep whole = *step;
    double mark = wbGetSeconds();
    for (int p = 0; p < wb_diffusePhaseCount; p++) diffuse->ms[p] = 0;
    diffuse->pending += step->dt;
    if (diffuse->pending < 0.999f * leastStep) return wb_okStatus;
    whole.dt = diffuse->pending;
    WB_TRY(wbDiffuse_Search(diffuse, &whole, liquids, liquidCount));
    diffuse->ms[wb_diffuse_search] = wbLapMs(&mark);
    WB_TRY(wbDiffuse_Move(diffuse, &whole));
    diffuse->ms[wb_diffuse_move] = wbLapMs(&mark);
    WB_TRY(bearInTurn(diffuse, &whole));
    diffuse->ms[wb_diffuse_birth] = wbLapMs(&mark);
    diffuse->pending = 0;
    diffuse->stepCount++;
    return wb_okStatus;
}
