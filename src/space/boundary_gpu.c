// SPDX-License-Identifier: MIT
#include "space/boundary_gpu.h"

#include <string.h>

#include "core/status.h"

enum { STILL };

// PLACES of walk.cl
#define WB_GPU_PLACES(device)                                                                                \
    WB_GPU_BUFFER3((device)->buffers + wb_placeX), WB_GPU_BUFFER((device)->buffers[wb_placePosition]),       \
        WB_GPU_BUFFER((device)->buffers[wb_placeVelocity])

wbStatus wbBoundaryGpu_Init(wbBoundaryGpu *device, wbMemory *memory, wbGpu *gpu,
                            const wbGpuVariants *program) {
    *device = (wbBoundaryGpu){.memory = memory, .gpu = gpu, .host.elementSize = sizeof(float)};
    return wbGpuVariantSet_Init(&device->program, memory, program);
}

void wbBoundaryGpu_Free(wbBoundaryGpu *device) {
    for (int k = 0; k < WB_PLACE_BUFFERS; k++) wbGpuBuffer_Free(device->gpu, &device->buffers[k]);
    for (int s = 0; s < WB_PLACE_SETS; s++) wbGpuBuffer_Free(device->gpu, &device->bucketStart[s]);
    wbArray_Free(device->memory, &device->host);
    wbGpuVariantSet_Free(&device->program, device->memory);
}

wbStatus wbBoundaryGpu_Reserve(wbBoundaryGpu *device, wbBoundary *boundary) {
    static const char *const names[WB_PLACE_BUFFERS] = {
        "colliders' x",  "colliders' y",  "colliders' z",         "colliders' fx",
        "colliders' fy", "colliders' fz", "colliders' positions", "colliders' velocities"};
    int count = wbBoundary_GetCount(boundary), lanes = wbGpu_GetLanes(device->gpu);
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING);
    if (count > device->capacity) device->hasStill = false;
    device->boundary = boundary;
    device->count = count, device->items = (count + lanes - 1) / lanes;
    device->firstCaught = wbPadCount(count); // up to there kernels write whole vectors
    device->caughtWords = 2 * WB_CAUGHT_SUMS * boundary->bodyCount;
    const size_t caughtBytes = sizeof(wbSharedSum[WB_CAUGHT_SUMS]) * (size_t)boundary->bodyCount;
    if (!wbArray_Reserve(device->memory, &device->host, 3 * (count + WB_PADDING) + device->caughtWords))
        return wbMemoryError(device->memory, "forces on %d points of colliders need", count);
    for (int k = 0; k < WB_PLACE_BUFFERS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->buffers[k], names[k],
                                   k == wb_placeFx        ? bytes + caughtBytes
                                   : k < wb_placePosition ? bytes
                                                          : 4 * bytes));
    if (count > device->capacity) device->capacity = count;
    return wb_okStatus;
}

// The host's cells hold on the device, too: they are found by the same operations.
static void describePlaces(SpacePlaces *places, const wbPointSet *set) {
    const wbGrid *grid = set->grid;
    *places = (SpacePlaces){.cells = wbGetSpaceCells(grid), .first = set->firstIndex};
    for (int a = 0; a < 3; a++) places->min[a] = grid->min[a], places->max[a] = grid->max[a];
}

static wbStatus uploadSet(wbBoundaryGpu *device, int set) {
    const wbBoundary *b = device->boundary;
    const wbPointSet *points = &b->sets[set];
    wbGpuBuffer *buffers = device->buffers;
    size_t first = (size_t)points->firstIndex, offset = sizeof(float) * first,
           bytes = sizeof(float) * (size_t)points->points.count;
    size_t startBytes = sizeof(int) * ((size_t)points->grid->bucketCount + 1);
    const float *columns[3] = {b->x, b->y, b->z};
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->bucketStart[set], "cells of colliders", startBytes));
    WB_TRY(wbGpu_Upload(device->gpu, &device->bucketStart[set], points->grid->bucketStart.data, startBytes));
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_UploadAt(device->gpu, &buffers[wb_placeX + a], offset, columns[a] + first, bytes));
    WB_TRY(wbGpu_UploadAt(device->gpu, &buffers[wb_placePosition], 4 * offset, b->positionRecords + 4 * first,
                          4 * bytes));
    WB_TRY(wbGpu_UploadAt(device->gpu, &buffers[wb_placeVelocity], 4 * offset, b->velocityRecords + 4 * first,
                          4 * bytes));
    describePlaces(&device->places[set], points);
    return wb_okStatus;
}

static bool isEmpty(const wbBoundaryGpu *device, int set) {
    return (set == STILL ? device->boundary->stillCount : device->boundary->movingCount) == 0;
}

wbStatus wbBoundaryGpu_Place(wbBoundaryGpu *device, const wbWork *work, wbBoundaryTime time) {
    WB_TRY(wbBoundary_Place(device->boundary, work, time));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        bool isThere = set == STILL && device->hasStill && device->stillHash == device->boundary->stillHash;
        device->isNew[set] = !isEmpty(device, set) && !isThere;
        if (!device->isNew[set]) continue;
        if (set == STILL) device->hasStill = false;
        WB_TRY(uploadSet(device, set));
        if (set == STILL) device->hasStill = true, device->stillHash = device->boundary->stillHash;
    }
    return wb_okStatus;
}

// HASHED is the first switch.
static wbStatus chooseKernels(wbBoundaryGpu *device, unsigned switches, bool hashed, wbGpuKernel ***row) {
    return wbGpuVariantSet_Choose(&device->program, device->gpu, switches | (hashed ? 1 : 0), row);
}

wbStatus wbBoundaryGpu_Build(wbBoundaryGpu *device, unsigned switches, const wbGpuCells *cells) {
    for (int set = 0; set < WB_PLACE_SETS; set++)
        if (!isEmpty(device, set))
            WB_TRY(chooseKernels(device, switches, device->boundary->grids[set].hashed,
                                 &device->placeKernels[set]));
    return chooseKernels(device, switches, cells->grid.hashed, &device->particleKernels);
}

wbStatus wbBoundaryGpu_RunAmongPlaces(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                      const wbGpuArg *args, int argCount) {
    for (int set = 0; set < WB_PLACE_SETS; set++)
        if (!isEmpty(device, set))
            WB_TRY(
                wbGpu_RunJoined(device->gpu, device->placeKernels[set][kernel], particles->items,
                                WB_GPU_ARGS(WB_GPU_INT(particles->count), WB_GPU_STRUCT(device->places[set]),
                                            WB_GPU_BUFFER(device->bucketStart[set]), WB_GPU_PLACES(device),
                                            WB_GPU_BUFFER3(particles->points), particles->constants),
                                args, argCount));
    return wb_okStatus;
}

wbStatus wbBoundaryGpu_RunAmongParticles(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                         const wbGpuArg *args, int argCount) {
    return wbGpu_RunJoined(device->gpu, device->particleKernels[kernel], device->items,
                           WB_GPU_ARGS(WB_GPU_INT(device->count), WB_GPU_STRUCT(particles->space),
                                       WB_GPU_BUFFER(particles->cells->bucketStart),
                                       WB_GPU_BUFFER3(particles->points), WB_GPU_PLACES(device),
                                       particles->constants),
                           args, argCount);
}

wbStatus wbBoundaryGpu_RunOverParticles(wbBoundaryGpu *device, int kernel, const wbGpuSearch *particles,
                                        const wbGpuArg *args, int argCount) {
    return wbGpu_RunJoined(device->gpu, device->particleKernels[kernel], particles->items,
                           WB_GPU_ARGS(WB_GPU_INT(particles->count), particles->constants), args, argCount);
}

// Words of a buffer of forces that hold them, or what stands behind them.
static size_t countWords(const wbBoundaryGpu *device, int axis) {
    return (size_t)(axis == 0 ? device->firstCaught + device->caughtWords : device->count);
}

wbStatus wbBoundaryGpu_ClearForces(wbBoundaryGpu *device) {
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Fill(device->gpu, &device->buffers[wb_placeFx + a], 0,
                          sizeof(float) * countWords(device, a)));
    return wb_okStatus;
}

wbStatus wbBoundaryGpu_FetchForces(wbBoundaryGpu *device, wbBoundaryForces *fetched) {
    float *forces[3] = {device->host.data};
    forces[1] = forces[0] + countWords(device, 0), forces[2] = forces[1] + countWords(device, 1);
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Download(device->gpu, &device->buffers[wb_placeFx + a], forces[a],
                              sizeof(float) * countWords(device, a)));
    memcpy(device->boundary->caught.data, forces[0] + device->firstCaught,
           sizeof(float) * (size_t)device->caughtWords);
    device->boundary->hasCaught = true;
    *fetched = (wbBoundaryForces){forces[0], forces[1], forces[2]};
    return wb_okStatus;
}
