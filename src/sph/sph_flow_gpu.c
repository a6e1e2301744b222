// SPDX-License-Identifier: MIT
#include <math.h>

#include "core/status.h"
#include "sph/sph_flow.h"

extern const char wb_clSphFlowFormula[], wb_clSphFlow[];

struct wbSphFlowGpu {
    wbMemory *memory;
    wbSphGpu *device;
    wbSphGpuParts parts;
    wbGpuKernel *hold, *mark, *flag, *order;
    wbGpuBuffer u, v, taken, ranks;
};

static wbStatus buildKernels(wbSphFlowGpu *flow) {
    const char *const sources[] = {wb_clSphFlowFormula, wb_clSphFlow};
    wbGpuProgramDef def = {"flow", sources, sizeof sources / sizeof sources[0], ""};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(flow->parts.gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_hold", &flow->hold));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_mark", &flow->mark));
    WB_TRY(wbGpuProgram_GetKernel(program, "flow_flag", &flow->flag));
    return wbGpuProgram_GetKernel(program, "flow_order", &flow->order);
}

wbStatus wbCreateSphFlowGpu(wbMemory *memory, wbSphGpu *device, wbSphFlowGpu **result) {
    *result = NULL;
    wbSphFlowGpu *flow = wbAllocZero(memory, sizeof *flow);
    if (!flow) return wbMemoryError(memory, "emitters and drains on a device need");
    flow->memory = memory, flow->device = device;
    flow->parts = wbSphGpu_GetParts(device);
    wbStatus status = buildKernels(flow);
    if (wbIsOk(status))
        *result = flow;
    else
        wbDestroySphFlowGpu(flow);
    return status;
}

void wbDestroySphFlowGpu(wbSphFlowGpu *flow) {
    if (!flow) return;
    wbGpuBuffer *buffers[] = {&flow->u, &flow->v, &flow->taken, &flow->ranks};
    for (int i = 0; i < 4; i++) wbGpuBuffer_Free(flow->parts.gpu, buffers[i]);
    wbFree(flow->memory, flow, sizeof *flow);
}

// Memory that is short changed nothing; all else means that the particles are lost.
static wbStatus settle(wbSphFlowGpu *flow, wbStatus status) {
    if (wbIsOk(status) || (status.code == wb_errorMemory && wbIsOk(wbGpu_Finish(flow->parts.gpu))))
        return status;
    return wbSphGpu_Lose(flow->device, status);
}

wbStatus wbSphFlowGpu_Hold(wbSphFlowGpu *flow, const wbSph *sph, const FlowMouth *mouth) {
    wbGpuBuffer *const *kept = flow->parts.kept;
    if (sph->count == 0) return wb_okStatus;
    return settle(flow,
                  wbGpu_Run(flow->parts.gpu, flow->hold, sph->count,
                            WB_GPU_ARGS(WB_GPU_INT(sph->count), WB_GPU_STRUCT(*mouth),
                                        WB_GPU_BUFFER(*kept[wb_sphX]), WB_GPU_BUFFER(*kept[wb_sphY]),
                                        WB_GPU_BUFFER(*kept[wb_sphZ]), WB_GPU_BUFFER(*kept[wb_sphVx]),
                                        WB_GPU_BUFFER(*kept[wb_sphVy]), WB_GPU_BUFFER(*kept[wb_sphVz]))));
}

static wbStatus markTaken(wbSphFlowGpu *flow, const wbSph *sph, const FlowSites *sites, const float *u,
                          const float *v, int *taken) {
    wbGpu *gpu = flow->parts.gpu;
    wbGpuBuffer *const *kept = flow->parts.kept;
    size_t placeBytes = sizeof(float) * (size_t)sites->count, takenBytes = placeBytes * (size_t)sites->layers;
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->u, "places", placeBytes));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->v, "places", placeBytes));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->taken, "taken places", takenBytes));
    WB_TRY(wbGpu_Upload(gpu, &flow->u, u, placeBytes));
    WB_TRY(wbGpu_Upload(gpu, &flow->v, v, placeBytes));
    WB_TRY(wbGpu_Fill(gpu, &flow->taken, 0, takenBytes));
    WB_TRY(
        wbGpu_Run(gpu, flow->mark, sph->count,
                  WB_GPU_ARGS(WB_GPU_INT(sph->count), WB_GPU_STRUCT(*sites), WB_GPU_BUFFER(*kept[wb_sphX]),
                              WB_GPU_BUFFER(*kept[wb_sphY]), WB_GPU_BUFFER(*kept[wb_sphZ]),
                              WB_GPU_BUFFER(flow->u), WB_GPU_BUFFER(flow->v), WB_GPU_BUFFER(flow->taken))));
    return wbGpu_Download(gpu, &flow->taken, taken, takenBytes);
}

wbStatus wbSphFlowGpu_MarkTaken(wbSphFlowGpu *flow, const wbSph *sph, const FlowSites *sites, const float *u,
                                const float *v, int *taken) {
    return settle(flow, markTaken(flow, sph, sites, u, v, taken));
}

static wbStatus append(wbSphFlowGpu *flow, wbSph *sph, const wbSphStaged *staged) {
    wbGpu *gpu = flow->parts.gpu;
    size_t before = 4 * (size_t)sph->count, added = 4 * (size_t)staged->count;
    size_t needed = 4 * ((size_t)wbPadCount(sph->count + staged->count) + WB_PADDING);
    if (!wbArray_Reserve(flow->memory, flow->parts.pulled, sph->count + staged->count))
        return wbMemoryError(flow->memory, "%d particles need", sph->count + staged->count);
    for (int c = 0; c < WB_SPH_SAVED; c++)
        WB_TRY(wbGpuBuffer_Grow(gpu, flow->parts.kept[c], "particles", needed, before));
    for (int c = 0; c < WB_SPH_SAVED; c++)
        WB_TRY(wbGpu_UploadAt(gpu, flow->parts.kept[c], before, staged->columns[c], added));
    for (int a = 0; a < 3; a++) {
        const float *values = staged->columns[wb_sphX + a];
        if (sph->count == 0) flow->parts.min[a] = flow->parts.max[a] = values[0];
        for (int i = 0; i < staged->count; i++) {
            flow->parts.min[a] = fminf(flow->parts.min[a], values[i]);
            flow->parts.max[a] = fmaxf(flow->parts.max[a], values[i]);
        }
    }
    sph->count += staged->count;
    return wb_okStatus;
}

wbStatus wbSphFlowGpu_Append(wbSphFlowGpu *flow, wbSph *sph, const wbSphStaged *staged) {
    return settle(flow, append(flow, sph, staged));
}

// The removed ones are last on the device now; the host gets them where it sorts into.
static wbStatus takeRemoved(wbSphFlowGpu *flow, wbSph *sph, int removed) {
    void *const targets[] = {sph->backX,  sph->backY,  sph->backZ, sph->backVx,
                             sph->backVy, sph->backVz, sph->backId};
    for (int c = wb_sphX; c <= wb_sphId; c++)
        WB_TRY(wbGpu_DownloadAt(flow->parts.gpu, flow->parts.kept[c], 4 * (size_t)(sph->count - removed),
                                targets[c], 4 * (size_t)removed));
    sph->count -= removed;
    return wb_okStatus;
}

static wbStatus reorder(wbSphFlowGpu *flow, int count) {
    wbGpuBuffer kept[WB_SPH_SAVED], spare[WB_SPH_SAVED];
    for (int c = 0; c < WB_SPH_SAVED; c++) kept[c] = *flow->parts.kept[c], spare[c] = *flow->parts.spare[c];
    WB_TRY(wbGpuCells_Reorder(flow->parts.cells, count, kept, spare, WB_SPH_SAVED));
    for (int c = 0; c < WB_SPH_SAVED; c++) *flow->parts.kept[c] = kept[c], *flow->parts.spare[c] = spare[c];
    return wb_okStatus;
}

static wbStatus removeParticles(wbSphFlowGpu *flow, wbSph *sph, const FlowRegion *region, int most,
                                int *removed) {
    const wbSphGpuParts *parts = &flow->parts;
    wbGpu *gpu = parts->gpu;
    int count = sph->count;
    uint32_t found;
    WB_TRY(wbGpuBuffer_Reserve(gpu, &flow->ranks, "ranks of a drain", 4 * ((size_t)count + 1)));
    WB_TRY(wbGpu_Run(gpu, flow->flag, count + 1,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_STRUCT(*region),
                                 WB_GPU_BUFFER(*parts->kept[wb_sphX]), WB_GPU_BUFFER(*parts->kept[wb_sphY]),
                                 WB_GPU_BUFFER(*parts->kept[wb_sphZ]), WB_GPU_BUFFER(flow->ranks))));
    WB_TRY(wbGpuSort_Scan(parts->cells->sort, &flow->ranks, count + 1));
    WB_TRY(wbGpu_DownloadAt(gpu, &flow->ranks, 4 * (size_t)count, &found, sizeof found));
    *removed = (int)found < most ? (int)found : most;
    if (*removed == 0) return wb_okStatus;
    // added particles may have made it longer than what a step has sorted
    WB_TRY(wbGpuBuffer_Reserve(gpu, &parts->cells->order, "order", 4 * (size_t)count));
    for (int c = 0; c < WB_SPH_SAVED; c++)
        WB_TRY(wbGpuBuffer_Reserve(gpu, parts->spare[c], "particles", parts->kept[c]->bytes));
    WB_TRY(wbGpu_Run(gpu, flow->order, count,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(*removed), WB_GPU_BUFFER(flow->ranks),
                                 WB_GPU_BUFFER(parts->cells->order))));
    WB_TRY(reorder(flow, count));
    return takeRemoved(flow, sph, *removed);
}

wbStatus wbSphFlowGpu_Remove(wbSphFlowGpu *flow, wbSph *sph, const FlowRegion *region, int most,
                             int *removed) {
    *removed = 0;
    if (sph->count == 0) return wb_okStatus;
    return settle(flow, removeParticles(flow, sph, region, most, removed));
}
