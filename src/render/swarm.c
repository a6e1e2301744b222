// SPDX-License-Identifier: MIT
#include "render/swarm.h"

#include "core/status.h"

#include <math.h>
#include <stdlib.h>

// A particle is at the surface where that is not farther than its own half.
static bool isAtSurface(const wbView *view, size_t i) {
    return !view->distance || view->distance[i] <= 1.01f * view->radius[i];
}

/// A view on its way into the swarm.
typedef struct Gathered {
    const wbView *view;
    wbColour colour;
    float spacing, restDensity;
    int fluid;           ///< its number
    const float *counts; ///< of neighbours; NULL: they are not shown
} Gathered;

static float measure(const Gathered *g, size_t i, int k) {
    const wbView *view = g->view;
    switch (g->colour) {
    case wb_colourDensity:
        return view->density[i];
    case wb_colourDeviation:
        return 100 * (view->density[i] / g->restDensity - 1);
    case wb_colourPressure:
        return view->pressure[i];
    case wb_colourSize:
        return view->radius ? view->radius[i] : 0.5f * g->spacing;
    case wb_colourBoundary:
        return isAtSurface(view, i);
    case wb_colourNeighbours:
        return g->counts[k];
    case wb_colourId:
        return (float)view->id[i];
    case wb_colourFluid:
        return (float)g->fluid;
    case wb_colourAuto:
    case wb_colourSpeed:
        break;
    }
    float vx = view->vx[i], vy = view->vy[i], vz = view->vz[i];
    return sqrtf(vx * vx + vy * vy + vz * vz);
}

static void gatherView(wbSwarm *swarm, const Gathered *g) {
    wbDrop *drops = swarm->drops.data;
    const wbView *view = g->view;
    for (int k = 0; k < view->count; ++k) {
        size_t i = (size_t)k * (size_t)view->stride;
        wbDrop drop = {.x = view->x[i],
                       .y = view->y[i],
                       .z = view->z[i],
                       .value = measure(g, i, k),
                       .id = view->id ? view->id[i] : 0,
                       .size = view->radius ? 2 * view->radius[i] / g->spacing : 1};
        if (isfinite(drop.x + drop.y + drop.z + drop.value)) drops[swarm->count++] = drop;
    }
}

static int compareFloats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// 2 % of the drops may be anywhere; the others, and as much room around them again, are the body of water.
static void findSpan(const wbDrop *drops, int count, size_t axis, float *low, float *high) {
    enum { SAMPLES = 1000 };
    float samples[SAMPLES];
    int sampleCount = count < SAMPLES ? count : SAMPLES;
    float least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; ++i) {
        float value = (&drops[i].x)[axis];
        least = fminf(least, value);
        most = fmaxf(most, value);
    }
    for (int i = 0; i < sampleCount; ++i) samples[i] = (&drops[(int64_t)i * count / sampleCount].x)[axis];
    qsort(samples, (size_t)sampleCount, sizeof samples[0], compareFloats);
    int skip = sampleCount / 100;
    float from = samples[skip], to = samples[sampleCount - 1 - skip];
    *low = fmaxf(least, from - (to - from));
    *high = fminf(most, to + (to - from));
}

static wbBounds findBody(const wbSwarm *swarm) {
    const wbDrop *drops = swarm->drops.data;
    wbBounds box = {{0, 0, 0}, {0, 0, 0}};
    if (swarm->count == 0) return box;
    findSpan(drops, swarm->count, 0, &box.min.x, &box.max.x);
    findSpan(drops, swarm->count, 1, &box.min.y, &box.max.y);
    findSpan(drops, swarm->count, 2, &box.min.z, &box.max.z);
    return box;
}

// From a histogram: a few fast drops shall not make all others look slow.
static float findHighValue(const wbSwarm *swarm) {
    enum { BINS = 1024 };
    const wbDrop *drops = swarm->drops.data;
    float highest = 0;
    for (int i = 0; i < swarm->count; ++i) highest = fmaxf(highest, drops[i].value);
    if (highest <= 0) return 0;
    int bins[BINS] = {0};
    for (int i = 0; i < swarm->count; ++i) {
        float bin = drops[i].value / highest * BINS;
        ++bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin];
    }
    int bin = BINS;
    for (int above = 0; bin > 1 && above <= swarm->count / 200; --bin) above += bins[bin - 1];
    return highest * (float)(bin + 1) / BINS;
}

// Of all particles, solver by solver, as those of one do not see those of another.
static wbStatus countNeighbours(wbSwarm *swarm, const wbRenderScene *scene, int count) {
    const wbRenderFluid *fluids = scene->fluids;
    WB_ASSERT(fluids || scene->viewCount == 0, "neighbours are counted within the reach of fluids");
    swarm->counts.elementSize = (int)sizeof(float);
    if (!wbArray_Reserve(NULL, &swarm->counts, count))
        return wbMemoryError(NULL, "neighbours of %d particles need", count);
    for (int v = 0; v < scene->viewCount; ++v) {
        bool isFirst = true;
        for (int u = 0; u < v; ++u) isFirst = isFirst && fluids[u].solver != fluids[v].solver;
        if (!isFirst) continue;
        WB_TRY(wbCrowd_Sort(&swarm->crowd, scene->views, fluids, scene->viewCount, fluids[v].solver));
        wbCrowd_CountNeighbours(&swarm->crowd, scene->views, fluids, scene->viewCount, fluids[v].solver,
                                scene->spacing, swarm->counts.data);
    }
    return wb_okStatus;
}

wbStatus wbSwarm_Gather(wbSwarm *swarm, const wbRenderScene *scene) {
    int64_t count = 0;
    for (int v = 0; v < scene->viewCount; ++v) count += scene->views[v].count;
    swarm->drops.elementSize = (int)sizeof(wbDrop);
    if (count > INT32_MAX - 64 || !wbArray_Reserve(NULL, &swarm->drops, (int)count)) {
        return wbError(wb_errorMemory, "no memory to draw %lld particles", (long long)count);
    }
    swarm->count = 0;
    const wbColour colour = scene->output.colour;
    if (colour == wb_colourNeighbours) WB_TRY(countNeighbours(swarm, scene, (int)count));
    const float *counts = colour == wb_colourNeighbours ? swarm->counts.data : NULL;
    for (int v = 0; v < scene->viewCount; ++v) {
        const Gathered g = {.view = &scene->views[v],
                            .colour = colour,
                            .spacing = scene->spacing,
                            .restDensity = scene->fluids ? scene->fluids[v].restDensity : scene->restDensity,
                            .fluid = v,
                            .counts = counts};
        gatherView(swarm, &g);
        if (counts) counts += scene->views[v].count;
    }
    swarm->body = findBody(swarm);
    swarm->highValue = findHighValue(swarm);
    swarm->allCount = swarm->seenCount = swarm->count;
    swarm->shadedFirst = 0;
    return wb_okStatus;
}

void wbSwarm_Free(wbSwarm *swarm) {
    wbArray_Free(NULL, &swarm->drops);
    wbArray_Free(NULL, &swarm->sorted);
    wbArray_Free(NULL, &swarm->groups);
    wbArray_Free(NULL, &swarm->volumes);
    wbArray_Free(NULL, &swarm->counts);
    wbCrowd_Free(&swarm->crowd);
}
