// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_gpu.h"

#include "core/status.h"
#include "pbd/pbf_sized_gpu.h"

extern const char wb_clPbfBoundary[], wb_clPbfAdaptiveBoundary[];

enum { ADD, LEAN, MEAN, STICK, PUSH, DRAG };
static const wbGpuVariantKernel kernels[WB_BOUNDARY_KERNELS] = {
    [ADD] = {"pbf_boundary_add", 0},
    [LEAN] = {"pbf_boundary_lean", 0},
    [MEAN] = {"pbf_boundary_mean", 0},
    [STICK] = {"pbf_boundary_stick", 0},
    [PUSH] = {"pbf_boundary_forces", 0},
    [DRAG] = {"pbf_boundary_drag", 0},
    [wb_sizedBoundaryAdd] = {"sized_boundary_add", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryLean] = {"sized_boundary_lean", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryMean] = {"sized_boundary_mean", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryStick] = {"sized_boundary_stick", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryForces] = {"sized_boundary_forces", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryDrag] = {"sized_boundary_drag", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryNearest] = {"sized_boundary_nearest", WB_SIZED_BOUNDARY},
    [wb_sizedBoundaryRoom] = {"sized_boundary_room", WB_SIZED_BOUNDARY}};
static const char *const sources[] = {WB_GPU_SIZED_SOURCES, wb_clPbfBoundary, wb_clPbfAdaptiveBoundary, NULL};
static const char *const switches[] = {"HASHED", "MIXED", "SIZED", NULL};
const wbGpuVariants wb_pbfBoundaryProgram = {"pbf colliders", sources, switches, kernels,
                                             WB_BOUNDARY_KERNELS};

static wbBoundaryGpu *getPoints(const wbPbfSwarm *swarm) { return &swarm->fluid->fluid->boundary; }

wbStatus wbPbfSwarm_PlaceBoundary(const wbPbfSwarm *swarm) {
    WB_TRY(wbBoundaryGpu_Place(getPoints(swarm), swarm->fluid->work, wb_atEnd));
    return wbFluidStepGpu_BuildBoundary(swarm->fluid, (swarm->fluid->isMixed ? WB_MIXED_BOUNDARY : 0) |
                                                          (swarm->isSized ? WB_SIZED_BOUNDARY : 0));
}

wbStatus wbPbfSwarm_AddBoundary(const wbPbfSwarm *swarm) {
    wbGpuBuffer *sums = swarm->sums;
    WB_TRY(wbFluidStepGpu_Clear(swarm->fluid, sums, WB_PBF_BOUNDARY_SUMS));
    return wbBoundaryGpu_RunAmongPlaces(getPoints(swarm), ADD, &swarm->fluid->search,
                                        WB_GPU_ARGS(WB_GPU_STRUCT(*swarm->move),
                                                    WB_GPU_BUFFER3(swarm->places), WB_GPU_BUFFER3(sums),
                                                    WB_GPU_BUFFER(sums[3]), WB_GPU_BUFFER(sums[4]),
                                                    WB_GPU_BUFFER3(sums + WB_PBF_BOUNDARY_HEADS)));
}

wbStatus wbPbfSwarm_Lean(const wbPbfSwarm *swarm) {
    wbGpuBuffer *sums = swarm->sums;
    return wbBoundaryGpu_RunOverParticles(
        getPoints(swarm), LEAN, &swarm->fluid->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(*swarm->move), WB_GPU_BUFFER(*swarm->lambda),
                    WB_GPU_BUFFER(*swarm->pressure), WB_GPU_BUFFER(*swarm->relative),
                    WB_GPU_BUFFER3(sums + WB_PBF_BOUNDARY_HEADS), WB_GPU_BUFFER3(sums),
                    WB_GPU_BUFFER(sums[WB_PBF_BOUNDARY_LEANS])));
}

wbStatus wbPbfSwarm_AddForces(const wbPbfSwarm *swarm) {
    double rate = (double)swarm->move->rate;
    float scale = (float)(PBF_BOUNDARY_SHARE * swarm->model->mass * rate * rate *
                          (double)swarm->model->constants.gradientScale);
    return wbBoundaryGpu_RunAmongParticles(
        getPoints(swarm), PUSH, &swarm->fluid->search,
        WB_GPU_ARGS(WB_GPU_FLOAT(scale), WB_GPU_STRUCT(*swarm->move), WB_GPU_BUFFER3(swarm->places),
                    WB_GPU_BUFFER(*swarm->lambda), WB_GPU_BUFFER(swarm->sums[WB_PBF_BOUNDARY_LEANS]),
                    WB_GPU_BUFFER3(getPoints(swarm)->buffers + wb_placeFx)));
}

static wbStatus stick(const wbPbfSwarm *swarm) {
    wbGpuBuffer *scratch = swarm->scratch;
    WB_TRY(wbFluidStepGpu_Clear(swarm->fluid, scratch, 7));
    WB_TRY(wbBoundaryGpu_RunAmongPlaces(getPoints(swarm), MEAN, &swarm->fluid->search,
                                        WB_GPU_ARGS(WB_GPU_BUFFER3(swarm->places), WB_GPU_BUFFER3(scratch),
                                                    WB_GPU_BUFFER(scratch[3]), WB_GPU_BUFFER3(scratch + 4))));
    return wbBoundaryGpu_RunOverParticles(
        getPoints(swarm), STICK, &swarm->fluid->search,
        WB_GPU_ARGS(WB_GPU_BUFFER3(scratch), WB_GPU_BUFFER(scratch[3]), WB_GPU_BUFFER3(scratch + 4),
                    WB_GPU_BUFFER3(swarm->fluid->front + wb_columnVx), WB_GPU_BUFFER(*swarm->relative),
                    WB_GPU_BUFFER3(swarm->sums)));
}

static wbStatus drag(const wbPbfSwarm *swarm) {
    const wbGpuBuffer *b = getPoints(swarm)->buffers;
    float scale = (float)(swarm->model->mass * (double)swarm->move->rate);
    return wbBoundaryGpu_RunAmongParticles(getPoints(swarm), DRAG, &swarm->fluid->search,
                                           WB_GPU_ARGS(WB_GPU_FLOAT(scale), WB_GPU_BUFFER3(swarm->places),
                                                       WB_GPU_BUFFER3(swarm->sums),
                                                       WB_GPU_BUFFER3(b + wb_placeFx)));
}

wbStatus wbPbfSwarm_Stick(const wbPbfSwarm *swarm) {
    if (!wbBoundary_HasNoSlip(getPoints(swarm)->boundary)) return wb_okStatus;
    WB_TRY(stick(swarm));
    return drag(swarm);
}
