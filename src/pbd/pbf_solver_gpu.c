// SPDX-License-Identifier: MIT
#include "pbd/pbf_solver_gpu.h"

#include "core/status.h"
#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_solver.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfColours[], wb_clPbfSolver[];

// REAL is a float on CPUs too: what a constraint does depends on the one before
static const char oneLane[] = "#undef WB_LANES\n#define WB_LANES 1\n";
static const char *const sources[] = {
    oneLane, WB_GPU_SEARCH_SOURCES, wb_clPbfConstants, wb_clPbfFormula, wb_clPbfColours, wb_clPbfSolver,
    NULL};
static const char *const switches[] = {"HASHED", "MIXED", NULL};
static const wbGpuVariantKernel kernels[] = {{"pbf_project", 0}, {"pbf_scatter", 0}, {"pbf_settle", 0}};
enum { PROJECT, SCATTER, SETTLE, KERNELS };
const wbGpuVariants wb_pbfSweepProgram = {"pbf by constraints", sources, switches, kernels, KERNELS};

wbStatus wbPbfSweepGpu_Begin(const wbPbfSweepGpu *sweep) {
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Fill(sweep->gpu, &sweep->pushes[a], 0, sizeof(float) * (size_t)sweep->search->count));
    return wb_okStatus;
}

static wbStatus settle(const wbPbfSweepGpu *sweep) {
    return wbGpu_Run(sweep->gpu, sweep->kernels[SETTLE], sweep->search->count,
                     WB_GPU_ARGS(WB_GPU_INT(sweep->search->count), WB_GPU_STRUCT(*sweep->move),
                                 WB_GPU_BUFFER3(sweep->starts), WB_GPU_BUFFER3(sweep->velocities),
                                 WB_GPU_BUFFER3(sweep->moved), WB_GPU_BUFFER3(sweep->pushes),
                                 WB_GPU_BUFFER3(sweep->places)));
}

wbStatus wbPbfSweepGpu_Project(const wbPbfSweepGpu *sweep, bool isBack) {
    for (int k = 0; k < PBF_COLOURS; k++) {
        int colour = isBack ? PBF_COLOURS - 1 - k : k;
        int blocks = wbCountColourBlocks(&sweep->search->cells->grid, pbf_colour(colour));
        WB_TRY(wbGpuSearch_RunItems(
            sweep->search, sweep->kernels[PROJECT], blocks,
            WB_GPU_ARGS(
                WB_GPU_INT(blocks), WB_GPU_INT(colour), WB_GPU_INT(isBack), WB_GPU_STRUCT(*sweep->move),
                WB_GPU_BUFFER3(sweep->places), WB_GPU_BUFFER3(sweep->pushes), WB_GPU_BUFFER3(sweep->moved),
                WB_GPU_INT(sweep->hasBoundary), WB_GPU_BUFFER3(sweep->boundary),
                WB_GPU_BUFFER(sweep->boundary[3]), WB_GPU_BUFFER(sweep->boundary[4]),
                WB_GPU_BUFFER3(sweep->boundary + WB_PBF_BOUNDARY_HEADS),
                WB_GPU_BUFFER(sweep->boundary[WB_PBF_BOUNDARY_LEANS]), WB_GPU_BUFFER(*sweep->relative),
                WB_GPU_BUFFER(*sweep->lowest), WB_GPU_BUFFER(*sweep->lambda), WB_GPU_BUFFER(*sweep->density),
                WB_GPU_BUFFER(*sweep->pressure), WB_GPU_BUFFER(*sweep->neighbours))));
    }
    return settle(sweep);
}

wbStatus wbPbfSweepGpu_Scatter(const wbPbfSweepGpu *sweep) {
    for (int colour = 0; colour < PBF_COLOURS; colour++) {
        int blocks = wbCountColourBlocks(&sweep->search->cells->grid, pbf_colour(colour));
        WB_TRY(
            wbGpuSearch_RunItems(sweep->search, sweep->kernels[SCATTER], blocks,
                                 WB_GPU_ARGS(WB_GPU_INT(blocks), WB_GPU_INT(colour),
                                             WB_GPU_STRUCT(*sweep->move), WB_GPU_BUFFER3(sweep->places),
                                             WB_GPU_BUFFER3(sweep->pushes), WB_GPU_INT(sweep->hasBoundary),
                                             WB_GPU_BUFFER3(sweep->boundary), WB_GPU_BUFFER(*sweep->relative),
                                             WB_GPU_BUFFER(*sweep->lowest), WB_GPU_BUFFER(*sweep->lambda))));
    }
    return settle(sweep);
}
