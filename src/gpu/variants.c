// SPDX-License-Identifier: MIT
#include "gpu/variants.h"

#include <stdio.h>

#include "core/status.h"

enum { MOST_KERNELS = 16 };

static int countTexts(const char *const *texts) {
    int count = 0;
    while (texts[count]) count++;
    return count;
}

wbStatus wbGpu_BuildVariant(wbGpu *gpu, const wbGpuVariants *variants, unsigned switches,
                            wbGpuKernel **kernels) {
    wbGpuKernel *built[MOST_KERNELS] = {0};
    wbGpuProgram *program;
    char options[256] = "";
    if (kernels[0]) return wb_okStatus;
    WB_ASSERT(variants->kernelCount <= MOST_KERNELS && variants->kernels[0].needs == 0,
              "the first kernel of a program is in all variants");
    wbGpuProgramDef def = {variants->name, variants->sources, countTexts(variants->sources), options};
    for (int k = 0, at = 0; variants->switches[k]; k++) {
        at += snprintf(options + at, sizeof options - (size_t)at, "%s-D%s=%u", k ? " " : "",
                       variants->switches[k], switches >> k & 1);
        WB_ASSERT(at < (int)sizeof options, "a program has too many switches");
    }
    WB_TRY(wbGpu_Build(gpu, &def, &program));
    for (int k = 0; k < variants->kernelCount; k++)
        if ((variants->kernels[k].needs & ~switches) == 0)
            WB_TRY(wbGpuProgram_GetKernel(program, variants->kernels[k].name, &built[k]));
    for (int k = 0; k < variants->kernelCount; k++) kernels[k] = built[k];
    return wb_okStatus;
}
