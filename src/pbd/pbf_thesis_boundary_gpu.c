// SPDX-License-Identifier: MIT
// Colliders among particles of pbf_thesis.h on a device, as pbf_thesis_boundary.c has them on the cores.
#include "core/status.h"
#include "pbd/pbf_boundary_gpu.h"
#include "pbd/pbf_constants.h"
#include "pbd/pbf_sized_gpu.h"
#include "pbd/pbf_thesis_step_gpu.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfShared[], wb_clPbfOctavesDevice[],
    wb_clPbfOctaves[], wb_clPbfThesisConstants[], wb_clPbfThesisFormula[], wb_clPbfThesisBoundary[];

enum { MIXED = 2 };
enum { ADD, LEAN, MEAN, STICK, NEAREST, FORCES, DRAG, KERNELS };
static const wbGpuVariantKernel kernels[KERNELS] = {
    [ADD] = {"thesis_boundary_add", 0},         [LEAN] = {"thesis_boundary_lean", 0},
    [MEAN] = {"thesis_boundary_mean", 0},       [STICK] = {"thesis_boundary_stick", 0},
    [NEAREST] = {"thesis_boundary_nearest", 0}, [FORCES] = {"thesis_boundary_forces", 0},
    [DRAG] = {"thesis_boundary_drag", 0}};
static const char *const sources[] = {WB_GPU_SEARCH_SOURCES,   wb_clPbfConstants,
                                      wb_clPbfFormula,         wb_clPbfShared,
                                      wb_clPbfThesisConstants, wb_clPbfThesisFormula,
                                      wb_clPbfOctavesDevice,   wb_clPbfOctaves,
                                      wb_clPbfThesisBoundary,  NULL};
static const char *const switches[] = {"HASHED", "MIXED", NULL};
const wbGpuVariants wb_thesisBoundaryProgram = {"pbf thesis colliders", sources, switches, kernels, KERNELS};

static wbBoundaryGpu *getPoints(const wbThesisStepGpu *step) { return &step->device->boundary; }

wbStatus wbThesisStepGpu_PlaceBoundary(wbThesisStepGpu *step) {
    if (!step->hasBoundary) return wb_okStatus;
    WB_TRY(wbBoundaryGpu_Place(getPoints(step), step->fluid.work, wb_atEnd));
    WB_TRY(wbFluidStepGpu_BuildBoundary(&step->fluid, step->fluid.isMixed ? MIXED : 0));
    return wbUploadSunk(&step->fluid, &step->buffers[wb_thesisSunk]);
}

#define KERNELS_OF(step)                                                                                     \
    WB_GPU_BUFFER((step)->columns[WB_THESIS_REACH]), WB_GPU_BUFFER((step)->columns[WB_THESIS_INVERSE])
#define SUNK(step) WB_GPU_BUFFER((step)->buffers[wb_thesisSunk])

wbStatus wbThesisStepGpu_AddBoundary(wbThesisStepGpu *step) {
    wbGpuBuffer *c = step->columns, *sums = &c[WB_THESIS_BOUNDARY];
    if (!step->hasBoundary) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Clear(&step->fluid, sums, WB_PBF_BOUNDARY_SUMS));
    return wbBoundaryGpu_RunAmongPlaces(getPoints(step), ADD, &step->fluid.search,
                                        WB_GPU_ARGS(KERNELS_OF(step), SUNK(step), WB_GPU_STRUCT(step->move),
                                                    WB_GPU_BUFFER3(c + WB_THESIS_QX), WB_GPU_BUFFER3(sums),
                                                    WB_GPU_BUFFER(sums[3]), WB_GPU_BUFFER(sums[4]),
                                                    WB_GPU_BUFFER3(sums + WB_PBF_BOUNDARY_HEADS)));
}

wbStatus wbThesisStepGpu_LeanOnBoundary(wbThesisStepGpu *step, const wbGpuBuffer *mu) {
    wbGpuBuffer *c = step->columns, *sums = &c[WB_THESIS_BOUNDARY];
    if (!step->hasBoundary) return wb_okStatus;
    return wbBoundaryGpu_RunOverParticles(
        getPoints(step), LEAN, &step->fluid.search,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER(c[WB_THESIS_INVERSE]),
                    WB_GPU_BUFFER(c[WB_THESIS_PUSH]), WB_GPU_BUFFER(*mu),
                    WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                    WB_GPU_BUFFER3(sums + WB_PBF_BOUNDARY_HEADS), WB_GPU_BUFFER3(sums),
                    WB_GPU_BUFFER(sums[WB_PBF_BOUNDARY_LEANS])));
}

// Arguments of kernels of points among particles.
#define AT(step, scale)                                                                                      \
    WB_GPU_BUFFER((step)->buffers[wb_thesisOctaves]), KERNELS_OF(step),                                      \
        WB_GPU_BUFFER((step)->columns[WB_THESIS_VOLUME]), SUNK(step), WB_GPU_FLOAT(scale),                   \
        WB_GPU_BUFFER3((step)->columns + WB_THESIS_QX)

wbStatus wbThesisStepGpu_PushBoundary(wbThesisStepGpu *step) {
    const double rate = (double)step->move.rate;
    const float scale = (float)(PBF_BOUNDARY_SHARE * wbThesisModel_GetMass(step->model) * rate * rate);
    if (!step->hasBoundary) return wb_okStatus;
    return wbBoundaryGpu_RunAmongParticles(
        getPoints(step), FORCES, &step->fluid.search,
        WB_GPU_ARGS(AT(step, scale), WB_GPU_STRUCT(step->move), WB_GPU_BUFFER(step->columns[WB_THESIS_PUSH]),
                    WB_GPU_BUFFER(step->columns[WB_THESIS_BOUNDARY + WB_PBF_BOUNDARY_LEANS]),
                    WB_GPU_BUFFER3(getPoints(step)->buffers + wb_placeFx)));
}

// Seven columns, between the iterations and the smoothing; and what colliders added has no reader any more.
wbStatus wbThesisStepGpu_Stick(wbThesisStepGpu *step) {
    wbGpuBuffer *c = step->columns, *mean = &c[WB_THESIS_NVX], *normal = &c[WB_THESIS_NX],
                *means = &c[WB_THESIS_MARK], *changes = &c[WB_THESIS_BOUNDARY];
    const float scale = (float)(wbThesisModel_GetMass(step->model) * (double)step->move.rate);
    if (!step->hasBoundary || !wbBoundary_HasNoSlip(getPoints(step)->boundary)) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Clear(&step->fluid, mean, 3));
    WB_TRY(wbFluidStepGpu_Clear(&step->fluid, normal, 3));
    WB_TRY(wbFluidStepGpu_Clear(&step->fluid, means, 1));
    WB_TRY(wbBoundaryGpu_RunAmongPlaces(getPoints(step), MEAN, &step->fluid.search,
                                        WB_GPU_ARGS(KERNELS_OF(step), SUNK(step),
                                                    WB_GPU_BUFFER3(c + WB_THESIS_QX), WB_GPU_BUFFER3(mean),
                                                    WB_GPU_BUFFER(*means), WB_GPU_BUFFER3(normal))));
    WB_TRY(wbBoundaryGpu_RunOverParticles(
        getPoints(step), STICK, &step->fluid.search,
        WB_GPU_ARGS(WB_GPU_BUFFER(c[WB_THESIS_VOLUME]), WB_GPU_BUFFER3(mean), WB_GPU_BUFFER(*means),
                    WB_GPU_BUFFER3(normal), WB_GPU_BUFFER3(step->fluid.front + wb_columnVx),
                    WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)), WB_GPU_BUFFER3(changes))));
    return wbBoundaryGpu_RunAmongParticles(
        getPoints(step), DRAG, &step->fluid.search,
        WB_GPU_ARGS(AT(step, scale), WB_GPU_BUFFER3(changes),
                    WB_GPU_BUFFER3(getPoints(step)->buffers + wb_placeFx)));
}

wbStatus wbThesisStepGpu_FindNearest(wbThesisStepGpu *step, wbGpuBuffer *near2) {
    return wbBoundaryGpu_RunAmongPlaces(getPoints(step), NEAREST, &step->fluid.search,
                                        WB_GPU_ARGS(WB_GPU_BUFFER(step->columns[WB_THESIS_REACH]),
                                                    WB_GPU_BUFFER3(step->columns + WB_THESIS_QX),
                                                    WB_GPU_BUFFER(*near2)));
}
