// SPDX-License-Identifier: MIT
#include "render/swarm.h"

#include "core/status.h"

#include <math.h>

static float measure(const wbView *view, size_t i, wbColour colour) {
    if (colour == wb_colourDensity) return view->density[i];
    float vx = view->vx[i], vy = view->vy[i], vz = view->vz[i];
    return sqrtf(vx * vx + vy * vy + vz * vz);
}

static void gatherView(wbSwarm *swarm, const wbView *view, wbColour colour) {
    wbDrop *drops = swarm->drops.data;
    for (int k = 0; k < view->count; ++k) {
        size_t i = (size_t)k * (size_t)view->stride;
        wbDrop drop = {.x = view->x[i], .y = view->y[i], .z = view->z[i], .value = measure(view, i, colour)};
        if (isfinite(drop.x + drop.y + drop.z + drop.value)) drops[swarm->count++] = drop;
    }
}

static wbBox findBox(const wbSwarm *swarm) {
    const wbDrop *drops = swarm->drops.data;
    if (swarm->count == 0) return (wbBox){{0, 0, 0}, {0, 0, 0}};
    wbVec3 first = {drops[0].x, drops[0].y, drops[0].z};
    wbBox box = {first, first};
    for (int i = 1; i < swarm->count; ++i) {
        box.min.x = fminf(box.min.x, drops[i].x), box.max.x = fmaxf(box.max.x, drops[i].x);
        box.min.y = fminf(box.min.y, drops[i].y), box.max.y = fmaxf(box.max.y, drops[i].y);
        box.min.z = fminf(box.min.z, drops[i].z), box.max.z = fmaxf(box.max.z, drops[i].z);
    }
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

wbStatus wbSwarm_Gather(wbSwarm *swarm, const wbRenderScene *scene) {
    int64_t count = 0;
    for (int v = 0; v < scene->viewCount; ++v) count += scene->views[v].count;
    swarm->drops.elementSize = (int)sizeof(wbDrop);
    if (count > INT32_MAX - 64 || !wbArray_Reserve(NULL, &swarm->drops, (int)count)) {
        return wbError(wb_errorMemory, "no memory to draw %lld particles", (long long)count);
    }
    swarm->count = 0;
    for (int v = 0; v < scene->viewCount; ++v) gatherView(swarm, &scene->views[v], scene->output.colour);
    swarm->box = findBox(swarm);
    swarm->highValue = findHighValue(swarm);
    swarm->seenCount = swarm->count;
    swarm->shadedFirst = 0;
    return wb_okStatus;
}

void wbSwarm_Free(wbSwarm *swarm) {
    wbArray_Free(NULL, &swarm->drops);
    wbArray_Free(NULL, &swarm->sorted);
    wbArray_Free(NULL, &swarm->groups);
}
