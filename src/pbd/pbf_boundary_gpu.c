// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_gpu.h"

#include "core/status.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfBoundary[];

static const wbGpuVariantKernel kernels[WB_PBF_BOUNDARY_KERNELS] = {
    {"pbf_boundary_add", 0},    {"pbf_boundary_mean", 0},   {"pbf_boundary_stick", 0},
    {"pbf_boundary_caught", 0}, {"pbf_boundary_forces", 0}, {"pbf_boundary_drag", 0}};
enum { ADD, MEAN, STICK, CATCH, PUSH, DRAG };
static const char *const switches[] = {"HASHED", "MIXED", NULL};
enum { MIXED = 2 };
static const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clPbfConstants, wb_clPbfFormula,
                                      wb_clPbfBoundary, NULL};
static const wbGpuVariants program = {"pbf colliders", sources, switches, kernels, WB_PBF_BOUNDARY_KERNELS};

static wbStatus clear(const wbPbfBoundaryGpu *boundary, wbGpuBuffer *buffers, int bufferCount, int count) {
    for (int k = 0; k < bufferCount; k++)
        WB_TRY(wbGpu_Fill(boundary->points->gpu, &buffers[k], 0, sizeof(float) * (size_t)count));
    return wb_okStatus;
}

wbStatus wbPbfBoundaryGpu_Place(wbPbfBoundaryGpu *boundary, const wbWork *work) {
    wbBoundaryGpu *points = boundary->points;
    WB_TRY(wbBoundaryGpu_Place(points, work, wb_atEnd));
    return clear(boundary, &points->buffers[wb_placeFx], 3, points->count);
}

wbStatus wbPbfBoundaryGpu_Build(wbPbfBoundaryGpu *boundary, const wbGpuCells *cells, bool isMixed) {
    return wbBoundaryGpu_Build(boundary->points, &program, boundary->kernels[0], isMixed ? MIXED : 0, cells);
}

wbStatus wbPbfBoundaryGpu_Add(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm) {
    wbGpuBuffer *sums = swarm->sums;
    WB_TRY(clear(boundary, sums, WB_PBF_BOUNDARY_SUMS, swarm->search->count));
    return wbBoundaryGpu_RunAmongPlaces(boundary->points, ADD, swarm->search,
                                        WB_GPU_ARGS(WB_GPU_STRUCT(swarm->model->constants),
                                                    WB_GPU_BUFFER3(swarm->places), WB_GPU_BUFFER3(sums),
                                                    WB_GPU_BUFFER(sums[3]), WB_GPU_BUFFER(sums[4])));
}

wbStatus wbPbfBoundaryGpu_AddForces(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm) {
    const wbGpuBuffer *b = boundary->points->buffers;
    double rate = (double)swarm->rate;
    float scale = (float)(PBF_WALL_SHARE * swarm->model->mass * rate * rate *
                          (double)swarm->model->constants.gradientScale);
    return wbBoundaryGpu_RunAmongParticles(boundary->points, PUSH, swarm->search,
                                           WB_GPU_ARGS(WB_GPU_STRUCT(swarm->model->constants),
                                                       WB_GPU_FLOAT(scale), WB_GPU_BUFFER3(swarm->places),
                                                       WB_GPU_BUFFER(*swarm->lambda),
                                                       WB_GPU_BUFFER3(b + wb_placeFx)));
}

static wbStatus stick(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm) {
    wbGpuBuffer *scratch = swarm->scratch;
    WB_TRY(clear(boundary, scratch, 7, swarm->search->count));
    WB_TRY(wbBoundaryGpu_RunAmongPlaces(boundary->points, MEAN, swarm->search,
                                        WB_GPU_ARGS(WB_GPU_STRUCT(swarm->model->constants),
                                                    WB_GPU_BUFFER3(swarm->places), WB_GPU_BUFFER3(scratch),
                                                    WB_GPU_BUFFER(scratch[3]), WB_GPU_BUFFER3(scratch + 4))));
    return wbGpu_Run(boundary->points->gpu, boundary->points->particleKernels[STICK], swarm->search->items,
                     WB_GPU_ARGS(WB_GPU_INT(swarm->search->count), WB_GPU_STRUCT(swarm->model->constants),
                                 WB_GPU_BUFFER3(scratch), WB_GPU_BUFFER(scratch[3]),
                                 WB_GPU_BUFFER3(scratch + 4), WB_GPU_BUFFER3(swarm->velocities),
                                 WB_GPU_BUFFER(*swarm->relative), WB_GPU_BUFFER3(swarm->sums)));
}

static wbStatus drag(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm, wbPlaceBuffer records) {
    const wbGpuBuffer *b = boundary->points->buffers;
    return wbBoundaryGpu_RunAmongParticles(
        boundary->points, DRAG, swarm->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(swarm->model->constants),
                    WB_GPU_FLOAT((float)(swarm->model->mass * (double)swarm->rate)),
                    WB_GPU_BUFFER3(swarm->places), WB_GPU_BUFFER3(swarm->sums), WB_GPU_BUFFER(b[records]),
                    WB_GPU_BUFFER3(b + wb_placeFx)));
}

wbStatus wbPbfBoundaryGpu_Stick(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm) {
    if (!wbBoundary_HasNoSlip(boundary->points->boundary)) return wb_okStatus;
    WB_TRY(stick(boundary, swarm));
    return drag(boundary, swarm, wb_placeVelocity);
}

wbStatus wbPbfBoundaryGpu_AddCaught(wbPbfBoundaryGpu *boundary, const wbPbfSwarm *swarm,
                                    const wbGpuBuffer before[3]) {
    WB_TRY(wbPbfBoundaryGpu_Add(boundary, swarm));
    WB_TRY(wbGpu_Run(boundary->points->gpu, boundary->points->particleKernels[CATCH], swarm->search->items,
                     WB_GPU_ARGS(WB_GPU_INT(swarm->search->count), WB_GPU_BUFFER(swarm->sums[3]),
                                 WB_GPU_BUFFER3(before), WB_GPU_BUFFER3(swarm->velocities),
                                 WB_GPU_BUFFER(*swarm->relative), WB_GPU_BUFFER3(swarm->sums))));
    return drag(boundary, swarm, wb_placePosition);
}

wbStatus wbPbfBoundaryGpu_TakeForces(wbPbfBoundaryGpu *boundary, double share) {
    wbBoundaryGpu *points = boundary->points;
    const float *forces = points->host.data;
    WB_TRY(wbBoundaryGpu_FetchForces(points));
    wbBoundary_AddForces(points->boundary, wb_atEnd, forces, forces + points->count,
                         forces + 2 * points->count, share);
    return wb_okStatus;
}
