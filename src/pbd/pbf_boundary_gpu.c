// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_gpu.h"

#include <stdio.h>

#include "core/status.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfBoundary[];

typedef struct Kernels {
    bool built;
    wbGpuKernel *add, *mean, *stick, *caught, *forces, *drag;
} Kernels;

struct wbPbfBoundaryGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbBoundaryGpu shared;
    Kernels variants[2][2];                                  // dense, hashed; of one density, of several
    const Kernels *setKernels[WB_PLACE_SETS], *swarmKernels; // by whose cells are searched
    bool sticks;                                             // to any body
};

wbStatus wbCreatePbfBoundaryGpu(wbMemory *memory, wbGpu *gpu, wbPbfBoundaryGpu **result) {
    *result = wbAllocZero(memory, sizeof **result);
    if (!*result) return wbMemoryError(memory, "colliders on a device need");
    (*result)->memory = memory, (*result)->gpu = gpu;
    wbBoundaryGpu_Init(&(*result)->shared, memory, gpu);
    return wb_okStatus;
}

void wbDestroyPbfBoundaryGpu(wbPbfBoundaryGpu *walls) {
    if (!walls) return;
    wbBoundaryGpu_Free(&walls->shared);
    wbFree(walls->memory, walls, sizeof *walls);
}

wbStatus wbPbfBoundaryGpu_Reserve(wbPbfBoundaryGpu *walls, wbBoundary *boundary, const wbPbfModel *model,
                                  const wbWork *work) {
    WB_TRY(wbPbfModel_WeighBoundary(model, boundary, work));
    walls->sticks = wbBoundary_HasNoSlip(boundary);
    return wbBoundaryGpu_Reserve(&walls->shared, boundary);
}

wbStatus wbPbfBoundaryGpu_Place(wbPbfBoundaryGpu *walls, const wbWork *work) {
    WB_TRY(wbBoundaryGpu_Place(&walls->shared, work, wb_atEnd));
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Fill(walls->gpu, &walls->shared.buffers[wb_placeFx + a], 0,
                          sizeof(float) * (size_t)walls->shared.count));
    return wb_okStatus;
}

static wbStatus getKernels(wbPbfBoundaryGpu *walls, bool hashed, bool mixed, const Kernels **result) {
    Kernels *k = &walls->variants[hashed][mixed];
    *result = k;
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clPbfConstants, wb_clPbfFormula,
                                   wb_clPbfBoundary};
    char options[32];
    snprintf(options, sizeof options, "-DHASHED=%d -DMIXED=%d", hashed, mixed);
    wbGpuProgramDef def = {"pbf colliders", sources, sizeof sources / sizeof sources[0], options};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(walls->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "pbf_boundary_add", &k->add));
    WB_TRY(wbGpuProgram_GetKernel(program, "pbf_boundary_mean", &k->mean));
    WB_TRY(wbGpuProgram_GetKernel(program, "pbf_boundary_stick", &k->stick));
    WB_TRY(wbGpuProgram_GetKernel(program, "pbf_boundary_caught", &k->caught));
    WB_TRY(wbGpuProgram_GetKernel(program, "pbf_boundary_forces", &k->forces));
    WB_TRY(wbGpuProgram_GetKernel(program, "pbf_boundary_drag", &k->drag));
    k->built = true;
    return wb_okStatus;
}

wbStatus wbPbfBoundaryGpu_Build(wbPbfBoundaryGpu *walls, const wbGpuCells *cells, bool mixed) {
    for (int set = 0; set < WB_PLACE_SETS; set++)
        if (!wbBoundaryGpu_IsEmpty(&walls->shared, set))
            WB_TRY(
                getKernels(walls, walls->shared.boundary->grids[set].hashed, mixed, &walls->setKernels[set]));
    return getKernels(walls, cells->grid.hashed, mixed, &walls->swarmKernels);
}

#define THREE(buffers, first)                                                                                \
    WB_GPU_BUFFER((buffers)[first]), WB_GPU_BUFFER((buffers)[(first) + 1]),                                  \
        WB_GPU_BUFFER((buffers)[(first) + 2])

wbStatus wbPbfBoundaryGpu_Add(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm) {
    wbBoundaryGpu *shared = &walls->shared;
    const wbGpuBuffer *b = shared->buffers;
    for (int k = 0; k < 5; k++)
        WB_TRY(wbGpu_Fill(walls->gpu, &swarm->walls[k], 0, sizeof(float) * (size_t)swarm->count));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        if (wbBoundaryGpu_IsEmpty(shared, set)) continue;
        WB_TRY(wbGpu_Run(walls->gpu, walls->setKernels[set]->add, swarm->items,
                         WB_GPU_ARGS(WB_GPU_INT(swarm->count), WB_GPU_STRUCT(shared->places[set]),
                                     WB_GPU_BUFFER(shared->bucketStart[set]), THREE(b, wb_placeX),
                                     WB_GPU_STRUCT(swarm->model->constants), THREE(swarm->predicted, 0),
                                     WB_GPU_BUFFER(b[wb_placePosition]), THREE(swarm->places, 0),
                                     THREE(swarm->walls, 0), WB_GPU_BUFFER(swarm->walls[3]),
                                     WB_GPU_BUFFER(swarm->walls[4]))));
    }
    return wb_okStatus;
}

wbStatus wbPbfBoundaryGpu_AddForces(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm) {
    wbBoundaryGpu *shared = &walls->shared;
    const wbGpuBuffer *b = shared->buffers;
    double rate = (double)swarm->rate;
    float scale = (float)(PBF_WALL_SHARE * swarm->model->mass * rate * rate *
                          (double)swarm->model->constants.gradientScale);
    return wbGpu_Run(walls->gpu, walls->swarmKernels->forces, shared->items,
                     WB_GPU_ARGS(WB_GPU_INT(shared->count), WB_GPU_STRUCT(*swarm->search),
                                 WB_GPU_BUFFER(swarm->cells->bucketStart), THREE(swarm->predicted, 0),
                                 WB_GPU_STRUCT(swarm->model->constants), THREE(b, wb_placeX),
                                 WB_GPU_FLOAT(scale), THREE(swarm->places, 0), WB_GPU_BUFFER(*swarm->lambda),
                                 WB_GPU_BUFFER(b[wb_placePosition]), THREE(b, wb_placeFx)));
}

static wbStatus stick(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm) {
    wbBoundaryGpu *shared = &walls->shared;
    const wbGpuBuffer *b = shared->buffers;
    wbGpuBuffer *scratch = swarm->scratch;
    for (int k = 0; k < 7; k++)
        WB_TRY(wbGpu_Fill(walls->gpu, &scratch[k], 0, sizeof(float) * (size_t)swarm->count));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        if (wbBoundaryGpu_IsEmpty(shared, set)) continue;
        WB_TRY(wbGpu_Run(walls->gpu, walls->setKernels[set]->mean, swarm->items,
                         WB_GPU_ARGS(WB_GPU_INT(swarm->count), WB_GPU_STRUCT(shared->places[set]),
                                     WB_GPU_BUFFER(shared->bucketStart[set]), THREE(b, wb_placeX),
                                     WB_GPU_STRUCT(swarm->model->constants), THREE(swarm->predicted, 0),
                                     WB_GPU_BUFFER(b[wb_placeVelocity]), THREE(swarm->places, 0),
                                     THREE(scratch, 0), WB_GPU_BUFFER(scratch[3]), THREE(scratch, 4))));
    }
    return wbGpu_Run(walls->gpu, walls->swarmKernels->stick, swarm->items,
                     WB_GPU_ARGS(WB_GPU_INT(swarm->count), WB_GPU_STRUCT(swarm->model->constants),
                                 THREE(scratch, 0), WB_GPU_BUFFER(scratch[3]), THREE(scratch, 4),
                                 THREE(swarm->velocities, 0), WB_GPU_BUFFER(*swarm->relative),
                                 THREE(swarm->walls, 0)));
}

static wbStatus drag(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm, wbPlaceBuffer records) {
    wbBoundaryGpu *shared = &walls->shared;
    const wbGpuBuffer *b = shared->buffers;
    return wbGpu_Run(walls->gpu, walls->swarmKernels->drag, shared->items,
                     WB_GPU_ARGS(WB_GPU_INT(shared->count), WB_GPU_STRUCT(*swarm->search),
                                 WB_GPU_BUFFER(swarm->cells->bucketStart), THREE(swarm->predicted, 0),
                                 WB_GPU_STRUCT(swarm->model->constants), THREE(b, wb_placeX),
                                 WB_GPU_FLOAT((float)(swarm->model->mass * (double)swarm->rate)),
                                 THREE(swarm->places, 0), THREE(swarm->walls, 0), WB_GPU_BUFFER(b[records]),
                                 THREE(b, wb_placeFx)));
}

wbStatus wbPbfBoundaryGpu_Stick(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm) {
    if (!walls->sticks) return wb_okStatus;
    WB_TRY(stick(walls, swarm));
    return drag(walls, swarm, wb_placeVelocity);
}

wbStatus wbPbfBoundaryGpu_AddCaught(wbPbfBoundaryGpu *walls, const wbPbfSwarm *swarm,
                                    const wbGpuBuffer before[3]) {
    WB_TRY(wbPbfBoundaryGpu_Add(walls, swarm));
    WB_TRY(wbGpu_Run(walls->gpu, walls->swarmKernels->caught, swarm->items,
                     WB_GPU_ARGS(WB_GPU_INT(swarm->count), WB_GPU_BUFFER(swarm->walls[3]), THREE(before, 0),
                                 THREE(swarm->velocities, 0), WB_GPU_BUFFER(*swarm->relative),
                                 THREE(swarm->walls, 0))));
    return drag(walls, swarm, wb_placePosition);
}

wbStatus wbPbfBoundaryGpu_TakeForces(wbPbfBoundaryGpu *walls, double share) {
    const float *forces = walls->shared.host.data;
    int count = walls->shared.count;
    WB_TRY(wbBoundaryGpu_FetchForces(&walls->shared));
    wbBoundary_AddForces(walls->shared.boundary, wb_atEnd, forces, forces + count, forces + 2 * count, share);
    return wb_okStatus;
}
