// SPDX-License-Identifier: MIT
#include "gpu/variants.h"

#include <stdio.h>

#include "core/status.h"

enum { MOST_KERNELS = 32 };

static int countTexts(const char *const *texts) {
    int count = 0;
    while (texts[count]) count++;
    return count;
}

wbStatus wbGpuVariantSet_Init(wbGpuVariantSet *set, wbMemory *memory, const wbGpuVariants *program) {
    WB_ASSERT(program->kernelCount <= MOST_KERNELS && program->kernels[0].needs == 0,
              "the first kernel of a program is in all variants");
    size_t variants = (size_t)1 << countTexts(program->switches);
    *set = (wbGpuVariantSet){.program = program,
                             .bytes = sizeof(wbGpuKernel *) * variants * (size_t)program->kernelCount};
    set->kernels = wbAllocZero(memory, set->bytes);
    return set->kernels ? wb_okStatus : wbMemoryError(memory, "the kernels of %s need", program->name);
}

void wbGpuVariantSet_Free(wbGpuVariantSet *set, wbMemory *memory) {
    if (set->kernels) wbFree(memory, set->kernels, set->bytes);
}

static wbStatus build(const wbGpuVariants *variants, wbGpu *gpu, unsigned switches, wbGpuKernel **kernels) {
    wbGpuKernel *built[MOST_KERNELS] = {0};
    wbGpuProgram *program;
    char options[256] = "";
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

wbStatus wbGpuVariantSet_Choose(wbGpuVariantSet *set, wbGpu *gpu, unsigned switches, wbGpuKernel ***row) {
    *row = set->kernels + (size_t)switches * (size_t)set->program->kernelCount;
    return (*row)[0] ? wb_okStatus : build(set->program, gpu, switches, *row);
}
