// SPDX-License-Identifier: MIT
#include "pbd/pbf_solver_gpu.h"

#include <stdio.h>

#include "core/status.h"
#include "pbd/pbf_solver.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfColours[], wb_clPbfSolver[];

wbStatus wbPbfSweepGpu_Build(wbGpu *gpu, bool hashed, bool mixed, wbPbfSweepKernels *kernels) {
    if (kernels->project) return wb_okStatus;
    // REAL is a float on CPUs too: what a constraint does depends on the one before
    static const char oneLane[] = "#undef WB_LANES\n#define WB_LANES 1\n";
    const char *const sources[] = {oneLane,         WB_GPU_SEARCH_SOURCES, wb_clPbfConstants,
                                   wb_clPbfFormula, wb_clPbfColours,       wb_clPbfSolver};
    char options[32];
    snprintf(options, sizeof options, "-DHASHED=%d -DMIXED=%d", hashed, mixed);
    wbGpuProgramDef def = {.name = "pbf by constraints",
                           .sources = sources,
                           .sourceCount = sizeof sources / sizeof sources[0],
                           .options = options};
    wbPbfSweepKernels built;
    const wbGpuKernelName names[] = {
        {"pbf_project", &built.project}, {"pbf_scatter", &built.scatter}, {"pbf_settle", &built.settle}};
    WB_TRY(wbGpu_BuildKernels(gpu, &def, names, (int)(sizeof names / sizeof names[0])));
    *kernels = built;
    return wb_okStatus;
}

wbStatus wbPbfSweepGpu_Begin(const wbPbfSweepGpu *sweep) {
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Fill(sweep->gpu, &sweep->pushes[a], 0, sizeof(float) * (size_t)sweep->count));
    return wb_okStatus;
}

#define THREE(buffers) WB_GPU_BUFFER((buffers)[0]), WB_GPU_BUFFER((buffers)[1]), WB_GPU_BUFFER((buffers)[2])
#define SEARCH(sweep)                                                                                        \
    WB_GPU_STRUCT(*(sweep)->search), WB_GPU_BUFFER((sweep)->cells->bucketStart), THREE((sweep)->predicted),  \
        WB_GPU_STRUCT((sweep)->model->constants), WB_GPU_STRUCT(*(sweep)->move), THREE((sweep)->places),     \
        THREE((sweep)->pushes)

static wbStatus settle(const wbPbfSweepGpu *sweep) {
    return wbGpu_Run(sweep->gpu, sweep->kernels->settle, sweep->count,
                     WB_GPU_ARGS(WB_GPU_INT(sweep->count), WB_GPU_STRUCT(*sweep->move), THREE(sweep->starts),
                                 THREE(sweep->velocities), THREE(sweep->moved), THREE(sweep->pushes),
                                 THREE(sweep->places)));
}

wbStatus wbPbfSweepGpu_Project(const wbPbfSweepGpu *sweep, bool isBack) {
    for (int k = 0; k < PBF_COLOURS; k++) {
        int colour = isBack ? PBF_COLOURS - 1 - k : k;
        int blocks = wbCountColourBlocks(&sweep->cells->grid, pbf_colour(colour));
        WB_TRY(
            wbGpu_Run(sweep->gpu, sweep->kernels->project, blocks,
                      WB_GPU_ARGS(WB_GPU_INT(blocks), WB_GPU_INT(colour), WB_GPU_INT(isBack), SEARCH(sweep),
                                  THREE(sweep->moved), WB_GPU_INT(sweep->hasWalls), THREE(sweep->walls),
                                  WB_GPU_BUFFER(sweep->walls[3]), WB_GPU_BUFFER(sweep->walls[4]),
                                  WB_GPU_BUFFER(*sweep->relative), WB_GPU_BUFFER(*sweep->lowest),
                                  WB_GPU_BUFFER(*sweep->lambda), WB_GPU_BUFFER(*sweep->density),
                                  WB_GPU_BUFFER(*sweep->pressure), WB_GPU_BUFFER(*sweep->neighbours))));
    }
    return settle(sweep);
}

wbStatus wbPbfSweepGpu_Scatter(const wbPbfSweepGpu *sweep) {
    for (int colour = 0; colour < PBF_COLOURS; colour++) {
        int blocks = wbCountColourBlocks(&sweep->cells->grid, pbf_colour(colour));
        WB_TRY(wbGpu_Run(sweep->gpu, sweep->kernels->scatter, blocks,
                         WB_GPU_ARGS(WB_GPU_INT(blocks), WB_GPU_INT(colour), SEARCH(sweep),
                                     WB_GPU_INT(sweep->hasWalls), THREE(sweep->walls),
                                     WB_GPU_BUFFER(*sweep->relative), WB_GPU_BUFFER(*sweep->lowest),
                                     WB_GPU_BUFFER(*sweep->lambda))));
    }
    return settle(sweep);
}
