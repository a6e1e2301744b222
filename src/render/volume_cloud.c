// SPDX-License-Identifier: MIT
#include "render/volume_cloud.h"

#include "core/memory.h"
#include "core/status.h"

static void mixRow(const wbSmokeView *view, const float colour[3], float share, ptrdiff_t row,
                   float *const mixed[4]) {
    for (ptrdiff_t at = row; at < row + view->cells[0]; ++at) {
        const float cloud = share * view->cloud[at], smoke = view->density[at];
        mixed[0][at] = smoke + cloud;
        for (int c = 0; c < 3; ++c)
            mixed[1 + c][at] = (view->colour[c] ? view->colour[c][at] : colour[c] * smoke) + cloud;
    }
}

wbStatus wbMixClouds(wbArray *numbers, const wbSmokeView *view, const wbOutputParams *output, float opacity,
                     wbSmokeView *mixed) {
    const int *n = view->cells;
    const float colour[3] = {output->smokeColour.x, output->smokeColour.y, output->smokeColour.z};
    *mixed = *view;
    if (!view->cloud || !(opacity > 0)) return wb_okStatus;
    const ptrdiff_t length = n[0] + (n[1] - 1) * view->strideY + (n[2] - 1) * view->strideZ;
    float *fields[4];
    numbers->elementSize = sizeof(float);
    if (4 * length > INT32_MAX / 2 || !wbArray_Reserve(NULL, numbers, (int)(4 * length)))
        return wbError(wb_errorMemory, "no memory to draw clouds in %d x %d x %d cells", n[0], n[1], n[2]);
    for (int f = 0; f < 4; ++f) fields[f] = (float *)numbers->data + f * length;
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            mixRow(view, colour, output->cloudOpacity / opacity, j * view->strideY + k * view->strideZ,
                   fields);
    mixed->density = fields[0];
    for (int c = 0; c < 3; ++c) mixed->colour[c] = fields[1 + c];
    return wb_okStatus;
}
