// SPDX-License-Identifier: MIT
#include "space/particles_gpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"

wbStatus wbParticlesGpu_Init(wbParticlesGpu *device, wbMemory *memory, wbGpu *gpu, wbGpuBuffer *spare) {
    *device = (wbParticlesGpu){.memory = memory,
                               .gpu = gpu,
                               .spare = spare,
                               .pulled.elementSize = sizeof(float),
                               .hostIsNewer = true};
    return wbGpuCells_Init(&device->cells, memory, gpu);
}

void wbParticlesGpu_SetOwn(wbParticlesGpu *device, const wbColumn *columns, int count) {
    WB_ASSERT(count <= WB_GPU_OWN, "a solver has few columns of its own");
    device->ownCount = count;
    memcpy(device->own, columns, 2 * sizeof *columns * (size_t)count);
}

void wbParticlesGpu_Free(wbParticlesGpu *device) {
    for (int k = 0; k < WB_GPU_OWN; k++) {
        wbGpuBuffer_Free(device->gpu, &device->ownFront[k]);
        wbGpuBuffer_Free(device->gpu, &device->ownBack[k]);
    }
    for (int k = 0; k < WB_GPU_SORTED; k++) {
        wbGpuBuffer_Free(device->gpu, &device->front[k]);
        wbGpuBuffer_Free(device->gpu, &device->back[k]);
    }
    wbGpuBuffer_Free(device->gpu, &device->pressure);
    wbGpuCells_Free(&device->cells);
    wbArray_Free(device->memory, &device->pulled);
}

void wbParticlesGpu_MarkDirty(wbParticlesGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "particles were changed on the host before they were copied back");
    device->hostIsNewer = true;
}

wbStatus wbParticlesGpu_Reserve(wbParticlesGpu *device, int count, const char *const extra[WB_GPU_EXTRA]) {
    static const char *const sorted[WB_SORTED_COLUMNS] = {"x", "y", "z", "vx", "vy", "vz", "id", "density"};
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); // read by whole vectors
    if (!wbArray_Reserve(device->memory, &device->pulled, count))
        return wbMemoryError(device->memory, "the pressures of %d particles need", count);
    for (int k = 0; k < (extra ? WB_GPU_SORTED : WB_SORTED_COLUMNS); k++) {
        const char *name = k < WB_SORTED_COLUMNS ? sorted[k] : extra[k - WB_SORTED_COLUMNS];
        if (!name) continue;
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->front[k], name, bytes));
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->back[k], name, bytes));
    }
    for (int k = 0; k < device->ownCount; k++) {
        const wbColumn *column = &device->own[2 * k];
        const size_t ownBytes = bytes / sizeof(float) * (size_t)column->elementSize;
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->ownFront[k], column->name, ownBytes));
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->ownBack[k], column->name, ownBytes));
    }
    return wbGpuBuffer_Reserve(device->gpu, &device->pressure, "pressure", bytes);
}

wbStatus wbParticlesGpu_Discard(wbParticlesGpu *device, wbStatus why) {
    device->deviceIsNewer = false, device->hostIsNewer = true;
    return wbError(wb_errorDevice, "%s", why.text);
}

void wbParticlesGpu_ListBuffers(wbParticlesGpu *device, wbGpuBuffer *kept[WB_SAVED_COLUMNS],
                                wbGpuBuffer *spare[WB_SAVED_COLUMNS]) {
    for (int c = 0; c < WB_SORTED_COLUMNS; c++) kept[c] = &device->front[c], spare[c] = &device->back[c];
    kept[wb_columnPressure] = &device->pressure, spare[wb_columnPressure] = device->spare;
}

static void findBounds(wbParticlesGpu *device, const wbParticles *particles) {
    const float *columns[3] = {particles->x, particles->y, particles->z};
    for (int a = 0; a < 3; a++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (int i = 0; i < particles->count; i++)
            low = fminf(low, columns[a][i]), high = fmaxf(high, columns[a][i]);
        device->min[a] = low, device->max[a] = high;
    }
}

wbStatus wbParticlesGpu_Push(wbParticlesGpu *device, wbParticles *particles) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbGpuBuffer *kept[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS];
    if (!device->hostIsNewer) return wb_okStatus;
    wbParticles_ListColumns(particles, columns);
    wbParticlesGpu_ListBuffers(device, kept, spare);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
        wbStatus status = wbGpu_Upload(device->gpu, kept[c], *columns[c].data, 4 * (size_t)particles->count);
        if (!wbIsOk(status)) return wbParticlesGpu_Discard(device, status);
    }
    for (int k = 0; k < device->ownCount; k++) {
        const wbColumn *column = &device->own[2 * k];
        wbStatus status = wbGpu_Upload(device->gpu, &device->ownFront[k], *column->data,
                                       (size_t)column->elementSize * (size_t)particles->count);
        if (!wbIsOk(status)) return wbParticlesGpu_Discard(device, status);
    }
    findBounds(device, particles);
    device->hostIsNewer = false;
    return wb_okStatus;
}

// To other places, for what is there must stay whole until nothing can fail any more: those for sorting, and for the
// pressure, which is not sorted, an own one.
wbStatus wbParticlesGpu_Fetch(wbParticlesGpu *device, wbParticles *particles) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbGpuBuffer *kept[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS];
    if (!device->deviceIsNewer) return wb_okStatus;
    wbParticles_ListColumns(particles, columns);
    wbParticlesGpu_ListBuffers(device, kept, spare);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
        void *to = c < WB_SORTED_COLUMNS ? *columns[WB_SAVED_COLUMNS + c].data : device->pulled.data;
        wbStatus status = wbGpu_Download(device->gpu, kept[c], to, 4 * (size_t)particles->count);
        if (!wbIsOk(status)) return wbParticlesGpu_Discard(device, status);
    }
    for (int k = 0; k < device->ownCount; k++) {
        const wbColumn *back = &device->own[2 * k + 1];
        wbStatus status = wbGpu_Download(device->gpu, &device->ownFront[k], *back->data,
                                         (size_t)back->elementSize * (size_t)particles->count);
        if (!wbIsOk(status)) return wbParticlesGpu_Discard(device, status);
    }
    return wb_okStatus;
}

void wbParticlesGpu_Take(wbParticlesGpu *device, wbParticles *particles) {
    if (!device->deviceIsNewer) return;
    wbParticles_Flip(particles);
    memcpy(particles->pressure, device->pulled.data, 4 * (size_t)particles->count);
    for (int k = 0; k < device->ownCount; k++) {
        void *front = *device->own[2 * k].data;
        *device->own[2 * k].data = *device->own[2 * k + 1].data, *device->own[2 * k + 1].data = front;
    }
    device->deviceIsNewer = false;
}

wbStatus wbParticlesGpu_Pull(wbParticlesGpu *device, wbParticles *particles) {
    WB_TRY(wbParticlesGpu_Fetch(device, particles));
    wbParticlesGpu_Take(device, particles);
    return wb_okStatus;
}
