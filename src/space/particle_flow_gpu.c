// SPDX-License-Identifier: MIT
#include <math.h>

#include "core/status.h"
#include "space/particle_flow.h"

extern const char wb_clParticleFlowFormula[], wb_clParticleFlow[];

struct wbParticleFlowGpu {
    wbMemory *memory;
    wbParticlesGpu *device;
    wbGpuBuffer *kept[WB_SAVED_COLUMNS], *spare[WB_SAVED_COLUMNS]; // of the device
    wbGpuKernel *hold, *push, *mark, *flag, *order;
    wbGpuBuffer u, v, taken, ranks;
};

static wbStatus buildKernels(wbParticleFlowGpu *flow) {
    const char *const sources[] = {wb_clParticleFlowFormula, wb_clParticleFlow};
    wbGpuProgramDef def = {"flow", sources, sizeof sources / sizeof sources[0], ""};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(flow->device->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_hold", &flow->hold));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_push", &flow->push));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_mark", &flow->mark));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_flag", &flow->flag));
    return wbGpuProgram_GetKernel(program, "flow_order", &flow->order);
}

wbStatus wbCreateParticleFlowGpu(wbMemory *memory, wbParticlesGpu *device, wbParticleFlowGpu **result) {
    *result = NULL;
    wbParticleFlowGpu *flow = wbAllocZero(memory, sizeof *flow);
    if (!flow) return wbMemoryError(memory, "emitters and drains on a device need");
    flow->memory = memory, flow->device = device;
    wbParticlesGpu_ListBuffers(device, flow->kept, flow->spare);
    wbStatus status = buildKernels(flow);
    if (wbIsOk(status))
        *result = flow;
    else
        wbDestroyParticleFlowGpu(flow);
    return status;
}

void wbDestroyParticleFlowGpu(wbParticleFlowGpu *flow) {
    if (!flow) return;
    wbGpuBuffer *buffers[] = {&flow->u, &flow->v, &flow->taken, &flow->ranks};
    for (int i = 0; i < 4; i++) wbGpuBuffer_Free(flow->device->gpu, buffers[i]);
    wbFree(flow->memory, flow, sizeof *flow);
}

// Memory that is short changed nothing, unless it is that of a device that is lost.
static wbStatus settle(wbParticleFlowGpu *flow, wbStatus status) {
    if (status.code != wb_errorMemory || wbIsOk(wbGpu_Finish(flow->device->gpu))) return status;
    return wbError(wb_errorDevice, "%s", status.text);
}

wbStatus wbParticleFlowGpu_Hold(wbParticleFlowGpu *flow, const wbParticles *p, const FlowMouth *mouth) {
    wbGpuBuffer *const *kept = flow->kept;
    if (p->count == 0) return wb_okStatus;
    return settle(
        flow, wbGpu_Run(flow->device->gpu, flow->hold, p->count,
                        WB_GPU_ARGS(WB_GPU_INT(p->count), WB_GPU_STRUCT(*mouth),
                                    WB_GPU_BUFFER(*kept[wb_columnX]), WB_GPU_BUFFER(*kept[wb_columnY]),
                                    WB_GPU_BUFFER(*kept[wb_columnZ]), WB_GPU_BUFFER(*kept[wb_columnVx]),
                                    WB_GPU_BUFFER(*kept[wb_columnVy]), WB_GPU_BUFFER(*kept[wb_columnVz]))));
}

wbStatus wbParticleFlowGpu_Push(wbParticleFlowGpu *flow, const wbParticles *p, const FlowBall *ball) {
    wbGpuBuffer *const *kept = flow->kept;
    if (p->count == 0) return wb_okStatus;
    return settle(
        flow, wbGpu_Run(flow->device->gpu, flow->push, p->count,
                        WB_GPU_ARGS(WB_GPU_INT(p->count), WB_GPU_STRUCT(*ball),
                                    WB_GPU_BUFFER(*kept[wb_columnX]), WB_GPU_BUFFER(*kept[wb_columnY]),
                                    WB_GPU_BUFFER(*kept[wb_columnZ]), WB_GPU_BUFFER(*kept[wb_columnVx]),
                                    WB_GPU_BUFFER(*kept[wb_columnVy]), WB_GPU_BUFFER(*kept[wb_columnVz]))));
}

static wbStatus markTaken(wbParticleFlowGpu *flow, const wbParticles *p, const FlowSites *sites,
                          const float *u, const float *v, int *taken) {
    wbGpu *gpu = flow->device->gpu;
    wbGpuBuffer *const *kept = flow->kept;
    size_t placeBytes = sizeof(float) * (size_t)sites->count, takenBytes = placeBytes * (size_t)sites->layers;
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->u, "places", placeBytes));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->v, "places", placeBytes));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->taken, "taken places", takenBytes));
    WB_TRY(wbGpu_Upload(gpu, &flow->u, u, placeBytes));
    WB_TRY(wbGpu_Upload(gpu, &flow->v, v, placeBytes));
    WB_TRY(wbGpu_Fill(gpu, &flow->taken, 0, takenBytes));
    WB_TRY(
        wbGpu_Run(gpu, flow->mark, p->count,
                  WB_GPU_ARGS(WB_GPU_INT(p->count), WB_GPU_STRUCT(*sites), WB_GPU_BUFFER(*kept[wb_columnX]),
                              WB_GPU_BUFFER(*kept[wb_columnY]), WB_GPU_BUFFER(*kept[wb_columnZ]),
                              WB_GPU_BUFFER(flow->u), WB_GPU_BUFFER(flow->v), WB_GPU_BUFFER(flow->taken))));
    return wbGpu_Download(gpu, &flow->taken, taken, takenBytes);
}

wbStatus wbParticleFlowGpu_MarkTaken(wbParticleFlowGpu *flow, const wbParticles *p, const FlowSites *sites,
                                     const float *u, const float *v, int *taken) {
    return settle(flow, markTaken(flow, p, sites, u, v, taken));
}

static wbStatus append(wbParticleFlowGpu *flow, wbParticles *p, const wbStagedParticles *staged) {
    wbGpu *gpu = flow->device->gpu;
    size_t before = 4 * (size_t)p->count, added = 4 * (size_t)staged->count;
    size_t needed = 4 * ((size_t)wbPadCount(p->count + staged->count) + WB_PADDING);
    if (!wbArray_Reserve(flow->memory, &flow->device->pulled, p->count + staged->count))
        return wbMemoryError(flow->memory, "%d particles need", p->count + staged->count);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        WB_TRY(wbGpuBuffer_Grow(gpu, flow->kept[c], "particles", needed, before));
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        WB_TRY(wbGpu_UploadAt(gpu, flow->kept[c], before, staged->columns[c], added));
    for (int a = 0; a < 3; a++) {
        const float *values = staged->columns[wb_columnX + a];
        if (p->count == 0) flow->device->min[a] = flow->device->max[a] = values[0];
        for (int i = 0; i < staged->count; i++) {
            flow->device->min[a] = fminf(flow->device->min[a], values[i]);
            flow->device->max[a] = fmaxf(flow->device->max[a], values[i]);
        }
    }
    p->count += staged->count;
    return wb_okStatus;
}

wbStatus wbParticleFlowGpu_Append(wbParticleFlowGpu *flow, wbParticles *p, const wbStagedParticles *staged) {
    return settle(flow, append(flow, p, staged));
}

// The removed ones are last on the device now; the host gets them where it sorts into.
static wbStatus takeRemoved(wbParticleFlowGpu *flow, wbParticles *p, int removed) {
    void *const targets[] = {p->backX, p->backY, p->backZ, p->backVx, p->backVy, p->backVz, p->backId};
    for (int c = wb_columnX; c <= wb_columnId; c++)
        WB_TRY(wbGpu_DownloadAt(flow->device->gpu, flow->kept[c], 4 * (size_t)(p->count - removed),
                                targets[c], 4 * (size_t)removed));
    p->count -= removed;
    return wb_okStatus;
}

static wbStatus reorder(wbParticleFlowGpu *flow, int count) {
    wbGpuBuffer kept[WB_SAVED_COLUMNS], spare[WB_SAVED_COLUMNS];
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) kept[c] = *flow->kept[c], spare[c] = *flow->spare[c];
    WB_TRY(wbGpuCells_Reorder(&flow->device->cells, count, kept, spare, WB_SAVED_COLUMNS));
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) *flow->kept[c] = kept[c], *flow->spare[c] = spare[c];
    return wb_okStatus;
}

static wbStatus removeParticles(wbParticleFlowGpu *flow, wbParticles *p, const FlowRegion *region, int most,
                                int *removed) {
    wbGpu *gpu = flow->device->gpu;
    wbGpuCells *cells = &flow->device->cells;
    int count = p->count;
    uint32_t found;
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->ranks, "ranks of a drain", 4 * ((size_t)count + 1)));
    WB_TRY(
        wbGpu_Run(gpu, flow->flag, count + 1,
                  WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_STRUCT(*region),
                              WB_GPU_BUFFER(*flow->kept[wb_columnX]), WB_GPU_BUFFER(*flow->kept[wb_columnY]),
                              WB_GPU_BUFFER(*flow->kept[wb_columnZ]), WB_GPU_BUFFER(flow->ranks))));
    WB_TRY(wbGpuSort_Scan(cells->sort, &flow->ranks, count + 1));
    WB_TRY(wbGpu_DownloadAt(gpu, &flow->ranks, 4 * (size_t)count, &found, sizeof found));
    *removed = (int)found < most ? (int)found : most;
    if (*removed == 0) return wb_okStatus;
    // added particles may have made it longer than what a step has sorted
    WB_TRY(wbGpuBuffer_Reserve(gpu, &cells->order, "order", 4 * (size_t)count));
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        WB_TRY(wbGpuBuffer_Reserve(gpu, flow->spare[c], "particles", flow->kept[c]->bytes));
    WB_TRY(wbGpu_Run(gpu, flow->order, count,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(*removed), WB_GPU_BUFFER(flow->ranks),
                                 WB_GPU_BUFFER(cells->order))));
    WB_TRY(reorder(flow, count));
    return takeRemoved(flow, p, *removed);
}

wbStatus wbParticleFlowGpu_Remove(wbParticleFlowGpu *flow, wbParticles *p, const FlowRegion *region, int most,
                                  int *removed) {
    *removed = 0;
    if (p->count == 0) return wb_okStatus;
    wbStatus status = settle(flow, removeParticles(flow, p, region, most, removed));
    if (!wbIsOk(status)) *removed = 0;
    return status;
}
