// SPDX-License-Identifier: MIT
#include "pbd/pbf_depth_gpu.h"

#include <math.h>

#include "core/status.h"
#include "pbd/pbf_depth.h"

static size_t getBytes(const wbFluidStepGpu *step) {
    const size_t slots =
        (size_t)wbCountDepthTables(step->mixture) * (size_t)wbCountDepthSlots(step->search.count);
    return sizeof(uint32_t) * (slots + 1);
}

wbStatus wbReserveDepth(const wbFluidStepGpu *step, wbGpuBuffer *slots) {
    return wbGpuBuffer_Reserve(step->fluid->gpu, slots, "columns", getBytes(step));
}

wbStatus wbFindHeadGpu(wbFluidStepGpu *step, int kernel, wbGpuBuffer *slots, const wbPbfModel *model,
                       double *head) {
    wbGpu *gpu = step->fluid->gpu;
    const wbGpuBuffer *positions = &step->front[wb_columnX];
    const wbVec3 g = model->domain->gravity;
    const float gravity[3] = {g.x, g.y, g.z};
    const int count = step->search.count;
    const size_t bytes = getBytes(step);
    *head = 0;
    WB_TRY(wbFluidStepGpu_FillRelative(step));
    for (int axis = 0; axis < model->domain->dimensions; axis++) {
        if (gravity[axis] == 0) continue;
        const PbfColumns columns =
            wbPbfModel_GetColumns(model, step->mixture, axis, wbCountDepthSlots(count));
        uint32_t most;
        int axes[3];
        wbGetDepthAxes(axis, axes);
        WB_TRY(wbGpu_Fill(gpu, slots, 0, bytes));
        for (int k = 0; k < WB_DEPTH_KERNELS; k++)
            WB_TRY(wbGpu_Run(
                gpu, step->kernels[kernel + k], count,
                WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_STRUCT(columns), WB_GPU_BUFFER(positions[axes[0]]),
                            WB_GPU_BUFFER(positions[axes[1]]), WB_GPU_BUFFER(positions[axes[2]]),
                            WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(step)), WB_GPU_BUFFER(*slots))));
        WB_TRY(wbGpu_DownloadAt(gpu, slots, bytes - sizeof most, &most, sizeof most));
        *head += fabs((double)gravity[axis]) * wbPbfModel_GetDepth(model, (int)most);
    }
    return wb_okStatus;
}
