// SPDX-License-Identifier: MIT
#include "sph/sph_boundary_gpu.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "sph/sph_device.h"
#include "sph/sph_model.h"

extern const char wb_clSphConstants[], wb_clSphDevice[], wb_clSphFormula[], wb_clSphBoundary[];

// One float per place, or a record of four.
enum { X, Y, Z, ADHESION, MEAN, FX, FY, FZ, POSITION, VELOCITY, BUFFERS };
enum { STILL, MOVING, SETS };

typedef struct Kernels {
    bool built;
    wbGpuKernel *density, *normals, *means, *forces, *bodyForces;
} Kernels;

enum { HASHED = 1, WENDLAND = 2, ADHESIVE = 4, VARIANTS = 8 };

struct wbSphWallGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbBoundary *boundary; // of the step
    Kernels variants[VARIANTS];
    const Kernels *setKernels[SETS], *waterKernels; // by whose cells are searched
    wbGpuBuffer buffers[BUFFERS], bucketStart[SETS];
    wbArray host;       // float: adhesions on their way to the device, then forces on their way back
    int capacity;       // places
    bool hasStill;      // still places are on the device
    uint64_t stillHash; // which
    int count, items;
    SphPlaces places[SETS];
};

wbStatus wbCreateSphWallGpu(wbMemory *memory, wbGpu *gpu, wbSphWallGpu **result) {
    *result = wbAllocZero(memory, sizeof **result);
    if (!*result) return wbMemoryError(memory, "solids on a device need");
    (*result)->memory = memory, (*result)->gpu = gpu;
    (*result)->host.elementSize = sizeof(float);
    return wb_okStatus;
}

void wbDestroySphWallGpu(wbSphWallGpu *walls) {
    if (!walls) return;
    for (int k = 0; k < BUFFERS; k++) wbGpuBuffer_Free(walls->gpu, &walls->buffers[k]);
    for (int s = 0; s < SETS; s++) wbGpuBuffer_Free(walls->gpu, &walls->bucketStart[s]);
    wbArray_Free(walls->memory, &walls->host);
    wbFree(walls->memory, walls, sizeof *walls);
}

wbStatus wbSphWallGpu_Reserve(wbSphWallGpu *walls, wbBoundary *boundary, const wbSphModel *model,
                              const wbWork *work) {
    static const char *const names[BUFFERS] = {
        "solids' x",  "solids' y",  "solids' z",  "solids' adhesion",  "solids' pressure",
        "solids' fx", "solids' fy", "solids' fz", "solids' positions", "solids' velocities"};
    WB_TRY(wbWeighBoundary(boundary, model, work));
    int count = wbBoundary_GetCount(boundary), lanes = wbGpu_GetLanes(walls->gpu);
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING);
    if (count > walls->capacity) walls->hasStill = false;
    walls->boundary = boundary;
    walls->count = count, walls->items = (count + lanes - 1) / lanes;
    if (!wbArray_Reserve(walls->memory, &walls->host, 3 * (count + WB_PADDING)))
        return wbMemoryError(walls->memory, "forces on %d points of solids need", count);
    for (int k = 0; k < BUFFERS; k++)
        WB_TRY(
            wbGpuBuffer_Reserve(walls->gpu, &walls->buffers[k], names[k], k < POSITION ? bytes : 4 * bytes));
    if (count > walls->capacity) walls->capacity = count;
    return wb_okStatus;
}

static wbStatus uploadAdhesion(wbSphWallGpu *walls, int first, int count) {
    const wbBoundary *b = walls->boundary;
    float *adhesion = walls->host.data;
    for (int k = 0; k < count; k++) {
        int point = b->source[first + k];
        adhesion[k] = b->weight[point] * wbBoundary_GetBody(b, b->body[point])->adhesion;
    }
    return wbGpu_UploadAt(walls->gpu, &walls->buffers[ADHESION], sizeof(float) * (size_t)first, adhesion,
                          sizeof(float) * (size_t)count);
}

// The host's cells hold on the device, too: they are found by the same operations.
static void describePlaces(SphPlaces *places, const wbPointSet *set) {
    const wbGrid *grid = set->grid;
    *places = (SphPlaces){.cells = {.reach = grid->radius * 1.00001f, .slotMask = grid->slotMask},
                          .first = set->firstIndex};
    for (int a = 0; a < 3; a++) {
        places->cells.min[a] = grid->origin[a];
        places->cells.inverseCell[a] = grid->inverseCell[a];
        places->cells.size[a] = grid->size[a];
        places->min[a] = grid->min[a], places->max[a] = grid->max[a];
    }
}

static wbStatus uploadSet(wbSphWallGpu *walls, int set) {
    const wbBoundary *b = walls->boundary;
    const wbPointSet *points = &b->sets[set];
    int first = points->firstIndex, count = points->points.count;
    size_t offset = sizeof(float) * (size_t)first, bytes = sizeof(float) * (size_t)count;
    size_t startBytes = sizeof(int) * ((size_t)points->grid->bucketCount + 1);
    const float *columns[3] = {b->x, b->y, b->z};
    WB_TRY(wbGpuBuffer_Reserve(walls->gpu, &walls->bucketStart[set], "cells of solids", startBytes));
    WB_TRY(wbGpu_Upload(walls->gpu, &walls->bucketStart[set], points->grid->bucketStart.data, startBytes));
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_UploadAt(walls->gpu, &walls->buffers[X + a], offset, columns[a] + first, bytes));
    WB_TRY(wbGpu_UploadAt(walls->gpu, &walls->buffers[POSITION], 4 * offset,
                          b->positionRecords + 4 * (size_t)first, 4 * bytes));
    WB_TRY(wbGpu_UploadAt(walls->gpu, &walls->buffers[VELOCITY], 4 * offset,
                          b->velocityRecords + 4 * (size_t)first, 4 * bytes));
    describePlaces(&walls->places[set], points);
    return uploadAdhesion(walls, first, count);
}

static bool isEmpty(const wbSphWallGpu *walls, int set) {
    return (set == STILL ? walls->boundary->stillCount : walls->boundary->movingCount) == 0;
}

wbStatus wbSphWallGpu_Place(wbSphWallGpu *walls, const wbWork *work, wbBoundaryTime time) {
    WB_TRY(wbBoundary_Place(walls->boundary, work, time));
    for (int set = 0; set < SETS; set++) {
        bool isThere = set == STILL && walls->hasStill && walls->stillHash == walls->boundary->stillHash;
        if (isEmpty(walls, set) || isThere) continue;
        if (set == STILL) walls->hasStill = false;
        WB_TRY(uploadSet(walls, set));
        if (set == STILL) walls->hasStill = true, walls->stillHash = walls->boundary->stillHash;
    }
    return wb_okStatus;
}

static wbStatus getKernels(wbSphWallGpu *walls, const wbSphModel *model, bool hashed,
                           const Kernels **result) {
    bool wendland = model->params.kernel == wb_kernelWendland,
         adhesive = wbBoundary_HasAdhesion(walls->boundary);
    Kernels *k =
        &walls->variants[(hashed ? HASHED : 0) | (wendland ? WENDLAND : 0) | (adhesive ? ADHESIVE : 0)];
    *result = k;
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clSphConstants, wb_clSphFormula, wb_clSphDevice,
                                   wb_clSphBoundary};
    char options[64];
    snprintf(options, sizeof options, "-DHASHED=%d -DWENDLAND=%d -DADHESIVE=%d", hashed, wendland, adhesive);
    wbGpuProgramDef def = {"solids", sources, sizeof sources / sizeof sources[0], options};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(walls->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "wall_density", &k->density));
    WB_TRY(wbGpuProgram_GetKernel(program, "wall_normals", &k->normals));
    WB_TRY(wbGpuProgram_GetKernel(program, "wall_means", &k->means));
    WB_TRY(wbGpuProgram_GetKernel(program, "wall_forces", &k->forces));
    WB_TRY(wbGpuProgram_GetKernel(program, "wall_body_forces", &k->bodyForces));
    k->built = true;
    return wb_okStatus;
}

wbStatus wbSphWallGpu_Build(wbSphWallGpu *walls, const wbSphModel *model, const wbGpuCells *cells) {
    for (int set = 0; set < SETS; set++)
        if (!isEmpty(walls, set))
            WB_TRY(getKernels(walls, model, walls->boundary->grids[set].hashed, &walls->setKernels[set]));
    return getKernels(walls, model, cells->grid.hashed, &walls->waterKernels);
}

wbStatus wbSphWallGpu_AddDensity(wbSphWallGpu *walls, const wbSphWater *water, wbGpuBuffer *sums) {
    wbGpuBuffer *b = walls->buffers;
    for (int set = 0; set < SETS; set++) {
        if (isEmpty(walls, set)) continue;
        WB_TRY(
            wbGpu_Run(walls->gpu, walls->setKernels[set]->density, water->items,
                      WB_GPU_ARGS(WB_GPU_INT(water->count), WB_GPU_STRUCT(water->model->constants),
                                  WB_GPU_STRUCT(walls->places[set]), WB_GPU_BUFFER(walls->bucketStart[set]),
                                  WB_GPU_BUFFER(b[X]), WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]),
                                  WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(*water->x),
                                  WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z), WB_GPU_BUFFER(*sums))));
    }
    return wb_okStatus;
}

wbStatus wbSphWallGpu_AddNormals(wbSphWallGpu *walls, const wbSphWater *water, wbGpuBuffer normals[3]) {
    wbGpuBuffer *b = walls->buffers;
    for (int set = 0; set < SETS; set++) {
        if (isEmpty(walls, set)) continue;
        WB_TRY(wbGpu_Run(walls->gpu, walls->setKernels[set]->normals, water->items,
                         WB_GPU_ARGS(WB_GPU_INT(water->count), WB_GPU_STRUCT(water->model->constants),
                                     WB_GPU_STRUCT(walls->places[set]),
                                     WB_GPU_BUFFER(walls->bucketStart[set]), WB_GPU_BUFFER(b[X]),
                                     WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]), WB_GPU_BUFFER(b[POSITION]),
                                     WB_GPU_BUFFER(*water->x), WB_GPU_BUFFER(*water->y),
                                     WB_GPU_BUFFER(*water->z), WB_GPU_BUFFER(normals[0]),
                                     WB_GPU_BUFFER(normals[1]), WB_GPU_BUFFER(normals[2]))));
    }
    return wb_okStatus;
}

static wbStatus findMeans(wbSphWallGpu *walls, const wbSphWater *water) {
    wbGpuBuffer *b = walls->buffers;
    if (water->model->params.wallPressure != wb_wallMean)
        return wbGpu_Fill(walls->gpu, &b[MEAN], 0, sizeof(float) * (size_t)walls->count);
    return wbGpu_Run(walls->gpu, walls->waterKernels->means, walls->items,
                     WB_GPU_ARGS(WB_GPU_INT(walls->count), WB_GPU_STRUCT(water->model->constants),
                                 WB_GPU_STRUCT(water->cells->cells), WB_GPU_BUFFER(water->cells->bucketStart),
                                 WB_GPU_BUFFER(*water->x), WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                                 WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(b[X]), WB_GPU_BUFFER(b[Y]),
                                 WB_GPU_BUFFER(b[Z]), WB_GPU_BUFFER(b[MEAN])));
}

wbStatus wbSphWallGpu_AddForces(wbSphWallGpu *walls, const wbSphWater *water, wbGpuBuffer accelerations[3]) {
    wbGpuBuffer *b = walls->buffers;
    WB_TRY(findMeans(walls, water));
    for (int set = 0; set < SETS; set++) {
        if (isEmpty(walls, set)) continue;
        WB_TRY(wbGpu_Run(
            walls->gpu, walls->setKernels[set]->forces, water->items,
            WB_GPU_ARGS(WB_GPU_INT(water->count), WB_GPU_STRUCT(water->model->constants),
                        WB_GPU_STRUCT(walls->places[set]), WB_GPU_BUFFER(walls->bucketStart[set]),
                        WB_GPU_BUFFER(b[X]), WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]),
                        WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(b[VELOCITY]), WB_GPU_BUFFER(b[MEAN]),
                        WB_GPU_BUFFER(b[ADHESION]), WB_GPU_BUFFER(*water->x), WB_GPU_BUFFER(*water->y),
                        WB_GPU_BUFFER(*water->z), WB_GPU_BUFFER(*water->vx), WB_GPU_BUFFER(*water->vy),
                        WB_GPU_BUFFER(*water->vz), WB_GPU_BUFFER(*water->inverseDensity),
                        WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(accelerations[0]),
                        WB_GPU_BUFFER(accelerations[1]), WB_GPU_BUFFER(accelerations[2]))));
    }
    return wb_okStatus;
}

wbStatus wbSphWallGpu_FindForces(wbSphWallGpu *walls, const wbSphWater *water) {
    wbGpuBuffer *b = walls->buffers;
    float *forces = walls->host.data;
    WB_TRY(wbGpu_Run(walls->gpu, walls->waterKernels->bodyForces, walls->items,
                     WB_GPU_ARGS(WB_GPU_INT(walls->count), WB_GPU_STRUCT(water->model->constants),
                                 WB_GPU_FLOAT((float)water->model->mass), WB_GPU_STRUCT(water->cells->cells),
                                 WB_GPU_BUFFER(water->cells->bucketStart), WB_GPU_BUFFER(*water->x),
                                 WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                                 WB_GPU_BUFFER(*water->vx), WB_GPU_BUFFER(*water->vy),
                                 WB_GPU_BUFFER(*water->vz), WB_GPU_BUFFER(*water->inverseDensity),
                                 WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(b[X]), WB_GPU_BUFFER(b[Y]),
                                 WB_GPU_BUFFER(b[Z]), WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(b[VELOCITY]),
                                 WB_GPU_BUFFER(b[MEAN]), WB_GPU_BUFFER(b[ADHESION]), WB_GPU_BUFFER(b[FX]),
                                 WB_GPU_BUFFER(b[FY]), WB_GPU_BUFFER(b[FZ]))));
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Download(walls->gpu, &b[FX + a], forces + a * walls->count,
                              sizeof(float) * (size_t)walls->count));
    return wb_okStatus;
}

void wbSphWallGpu_TakeForces(wbSphWallGpu *walls, wbBoundaryTime time) {
    const float *forces = walls->host.data;
    wbBoundary_SumForces(walls->boundary, time, forces, forces + walls->count, forces + 2 * walls->count);
}
