// SPDX-License-Identifier: MIT
#include "sph/sph_boundary_gpu.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "sph/sph_device.h"
#include "sph/sph_model.h"

extern const char wb_clSphConstants[], wb_clSphDevice[], wb_clSphFormula[], wb_clSphBoundary[];

enum { X = wb_placeX, Y, Z, FX, FY, FZ, POSITION, VELOCITY };

typedef struct Kernels {
    bool built;
    wbGpuKernel *density, *normals, *means, *forces, *bodyForces;
} Kernels;

enum { HASHED = 1, WENDLAND = 2, ADHESIVE = 4, MIXED = 8, VARIANTS = 16 };

struct wbSphBoundaryGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbBoundaryGpu shared;
    Kernels variants[VARIANTS];
    const Kernels *setKernels[WB_PLACE_SETS], *waterKernels; // by whose cells are searched
    wbGpuBuffer adhesion, mean;                              // one float per place
};

wbStatus wbCreateSphBoundaryGpu(wbMemory *memory, wbGpu *gpu, wbSphBoundaryGpu **result) {
    *result = wbAllocZero(memory, sizeof **result);
    if (!*result) return wbMemoryError(memory, "colliders on a device need");
    (*result)->memory = memory, (*result)->gpu = gpu;
    wbBoundaryGpu_Init(&(*result)->shared, memory, gpu);
    return wb_okStatus;
}

void wbDestroySphBoundaryGpu(wbSphBoundaryGpu *walls) {
    if (!walls) return;
    wbBoundaryGpu_Free(&walls->shared);
    wbGpuBuffer_Free(walls->gpu, &walls->adhesion), wbGpuBuffer_Free(walls->gpu, &walls->mean);
    wbFree(walls->memory, walls, sizeof *walls);
}

wbStatus wbSphBoundaryGpu_Reserve(wbSphBoundaryGpu *walls, wbBoundary *boundary, const wbSphModel *model,
                                  const wbWork *work) {
    WB_TRY(wbWeighBoundary(boundary, model, work));
    WB_TRY(wbBoundaryGpu_Reserve(&walls->shared, boundary));
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(walls->shared.count) + WB_PADDING);
    WB_TRY(wbGpuBuffer_Reserve(walls->gpu, &walls->adhesion, "colliders' adhesion", bytes));
    return wbGpuBuffer_Reserve(walls->gpu, &walls->mean, "colliders' pressure", bytes);
}

static wbStatus uploadAdhesion(wbSphBoundaryGpu *walls, int first, int count) {
    const wbBoundary *b = walls->shared.boundary;
    float *adhesion = walls->shared.host.data; // forces come there later
    for (int k = 0; k < count; k++) {
        int point = b->source[first + k];
        adhesion[k] = b->weight[point] * wbBoundary_GetBody(b, b->body[point])->adhesion;
    }
    return wbGpu_UploadAt(walls->gpu, &walls->adhesion, sizeof(float) * (size_t)first, adhesion,
                          sizeof(float) * (size_t)count);
}

wbStatus wbSphBoundaryGpu_Place(wbSphBoundaryGpu *walls, const wbWork *work, wbBoundaryTime time) {
    WB_TRY(wbBoundaryGpu_Place(&walls->shared, work, time));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        const wbPointSet *points = &walls->shared.boundary->sets[set];
        if (walls->shared.isNew[set]) WB_TRY(uploadAdhesion(walls, points->firstIndex, points->points.count));
    }
    return wb_okStatus;
}

static wbStatus getKernels(wbSphBoundaryGpu *walls, const wbSphModel *model, bool hashed, bool mixed,
                           const Kernels **result) {
    bool wendland = model->params.kernel == wb_kernelWendland,
         adhesive = wbBoundary_HasAdhesion(walls->shared.boundary);
    Kernels *k = &walls->variants[(hashed ? HASHED : 0) | (wendland ? WENDLAND : 0) |
                                  (adhesive ? ADHESIVE : 0) | (mixed ? MIXED : 0)];
    *result = k;
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clSphConstants, wb_clSphFormula, wb_clSphDevice,
                                   wb_clSphBoundary};
    char options[64];
    snprintf(options, sizeof options, "-DHASHED=%d -DWENDLAND=%d -DADHESIVE=%d -DMIXED=%d", hashed, wendland,
             adhesive, mixed);
    wbGpuProgramDef def = {"colliders", sources, sizeof sources / sizeof sources[0], options};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(walls->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_boundary_density", &k->density));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_boundary_normals", &k->normals));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_boundary_means", &k->means));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_boundary_forces", &k->forces));
    WB_TRY(wbGpuProgram_GetKernel(program, "sph_boundary_reactions", &k->bodyForces));
    k->built = true;
    return wb_okStatus;
}

wbStatus wbSphBoundaryGpu_Build(wbSphBoundaryGpu *walls, const wbSphModel *model, const wbGpuCells *cells,
                                bool isMixed) {
    for (int set = 0; set < WB_PLACE_SETS; set++)
        if (!wbBoundaryGpu_IsEmpty(&walls->shared, set))
            WB_TRY(getKernels(walls, model, walls->shared.boundary->grids[set].hashed, isMixed,
                              &walls->setKernels[set]));
    return getKernels(walls, model, cells->grid.hashed, isMixed, &walls->waterKernels);
}

wbStatus wbSphBoundaryGpu_AddDensity(wbSphBoundaryGpu *walls, const wbSphWater *water, wbGpuBuffer *sums) {
    wbGpuBuffer *b = walls->shared.buffers;
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        if (wbBoundaryGpu_IsEmpty(&walls->shared, set)) continue;
        WB_TRY(wbGpu_Run(walls->gpu, walls->setKernels[set]->density, water->items,
                         WB_GPU_ARGS(WB_GPU_INT(water->count), WB_GPU_STRUCT(walls->shared.places[set]),
                                     WB_GPU_BUFFER(walls->shared.bucketStart[set]), WB_GPU_BUFFER(b[X]),
                                     WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]),
                                     WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER(*water->x),
                                     WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                                     WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(*sums))));
    }
    return wb_okStatus;
}

wbStatus wbSphBoundaryGpu_AddNormals(wbSphBoundaryGpu *walls, const wbSphWater *water,
                                     wbGpuBuffer normals[3]) {
    wbGpuBuffer *b = walls->shared.buffers;
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        if (wbBoundaryGpu_IsEmpty(&walls->shared, set)) continue;
        WB_TRY(wbGpu_Run(walls->gpu, walls->setKernels[set]->normals, water->items,
                         WB_GPU_ARGS(WB_GPU_INT(water->count), WB_GPU_STRUCT(walls->shared.places[set]),
                                     WB_GPU_BUFFER(walls->shared.bucketStart[set]), WB_GPU_BUFFER(b[X]),
                                     WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]),
                                     WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER(*water->x),
                                     WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                                     WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(normals[0]),
                                     WB_GPU_BUFFER(normals[1]), WB_GPU_BUFFER(normals[2]))));
    }
    return wb_okStatus;
}

static wbStatus findMeans(wbSphBoundaryGpu *walls, const wbSphWater *water) {
    wbGpuBuffer *b = walls->shared.buffers;
    if (water->model->params.boundaryPressure != wb_boundaryMean)
        return wbGpu_Fill(walls->gpu, &walls->mean, 0, sizeof(float) * (size_t)walls->shared.count);
    return wbGpu_Run(walls->gpu, walls->waterKernels->means, walls->shared.items,
                     WB_GPU_ARGS(WB_GPU_INT(walls->shared.count), WB_GPU_STRUCT(*water->search),
                                 WB_GPU_BUFFER(water->cells->bucketStart), WB_GPU_BUFFER(*water->x),
                                 WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                                 WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER(b[X]),
                                 WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]), WB_GPU_BUFFER(*water->vx),
                                 WB_GPU_BUFFER(*water->vy), WB_GPU_BUFFER(*water->vz),
                                 WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(*water->root),
                                 WB_GPU_BUFFER(b[VELOCITY]), WB_GPU_BUFFER(walls->mean)));
}

wbStatus wbSphBoundaryGpu_AddForces(wbSphBoundaryGpu *walls, const wbSphWater *water,
                                    wbGpuBuffer accelerations[3]) {
    wbGpuBuffer *b = walls->shared.buffers;
    WB_TRY(findMeans(walls, water));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        if (wbBoundaryGpu_IsEmpty(&walls->shared, set)) continue;
        WB_TRY(wbGpu_Run(
            walls->gpu, walls->setKernels[set]->forces, water->items,
            WB_GPU_ARGS(WB_GPU_INT(water->count), WB_GPU_STRUCT(walls->shared.places[set]),
                        WB_GPU_BUFFER(walls->shared.bucketStart[set]), WB_GPU_BUFFER(b[X]),
                        WB_GPU_BUFFER(b[Y]), WB_GPU_BUFFER(b[Z]), WB_GPU_STRUCT(water->model->constants),
                        WB_GPU_BUFFER(*water->x), WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                        WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(b[VELOCITY]), WB_GPU_BUFFER(walls->mean),
                        WB_GPU_BUFFER(walls->adhesion), WB_GPU_BUFFER(*water->vx), WB_GPU_BUFFER(*water->vy),
                        WB_GPU_BUFFER(*water->vz), WB_GPU_BUFFER(*water->inverseDensity),
                        WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(*water->root),
                        WB_GPU_BUFFER(accelerations[0]), WB_GPU_BUFFER(accelerations[1]),
                        WB_GPU_BUFFER(accelerations[2]))));
    }
    return wb_okStatus;
}

wbStatus wbSphBoundaryGpu_FindForces(wbSphBoundaryGpu *walls, const wbSphWater *water) {
    wbGpuBuffer *b = walls->shared.buffers;
    WB_TRY(wbGpu_Run(
        walls->gpu, walls->waterKernels->bodyForces, walls->shared.items,
        WB_GPU_ARGS(WB_GPU_INT(walls->shared.count), WB_GPU_STRUCT(*water->search),
                    WB_GPU_BUFFER(water->cells->bucketStart), WB_GPU_BUFFER(*water->x),
                    WB_GPU_BUFFER(*water->y), WB_GPU_BUFFER(*water->z),
                    WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER(b[X]), WB_GPU_BUFFER(b[Y]),
                    WB_GPU_BUFFER(b[Z]), WB_GPU_FLOAT((float)water->model->mass), WB_GPU_BUFFER(*water->vx),
                    WB_GPU_BUFFER(*water->vy), WB_GPU_BUFFER(*water->vz),
                    WB_GPU_BUFFER(*water->inverseDensity), WB_GPU_BUFFER(*water->term),
                    WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER(b[POSITION]), WB_GPU_BUFFER(b[VELOCITY]),
                    WB_GPU_BUFFER(walls->mean), WB_GPU_BUFFER(walls->adhesion), WB_GPU_BUFFER(b[FX]),
                    WB_GPU_BUFFER(b[FY]), WB_GPU_BUFFER(b[FZ]))));
    return wbBoundaryGpu_FetchForces(&walls->shared);
}

void wbSphBoundaryGpu_TakeForces(wbSphBoundaryGpu *walls, wbBoundaryTime time) {
    const float *forces = walls->shared.host.data;
    int count = walls->shared.count;
    wbBoundary_SumForces(walls->shared.boundary, time, forces, forces + count, forces + 2 * count);
}
