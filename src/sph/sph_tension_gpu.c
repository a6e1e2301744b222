// SPDX-License-Identifier: MIT
#include "sph/sph_tension_gpu.h"

#include "core/status.h"
#include "sph/sph_model.h"

extern const char wb_clSphTension[];

enum { SKINS, BEND, PULL, KERNELS };
static const wbGpuVariantKernel kernels[KERNELS] = {
    [SKINS] = {"tension_skins", 0}, [BEND] = {"tension_bend", 0}, [PULL] = {"tension_pull_pairs", 0}};
enum { HASHED = 1, BASES = 2 };
const wbGpuVariants wb_sphTensionProgram = {
    .name = "tension",
    .sources = (const char *const[]){WB_GPU_SEARCH_SOURCES, WB_GPU_SPH_SOURCES, WB_GPU_TENSION_SOURCES,
                                     wb_clSphTension, NULL},
    .switches = (const char *const[]){"HASHED", "BASES", NULL},
    .kernels = kernels,
    .kernelCount = KERNELS};

enum {
    E,
    SKIN = E + 3,
    STRENGTH,
    BENT,
    BASE = WB_SKIN_COLUMNS,
    BASE_STRENGTH = BASE + 3,
    POINTS = BASE + WB_BASE_COLUMNS,
    COSINES = POINTS + 3,
    WEIGHTS,
    STRAIGHT, // Mxx, Myy, Mzz
    MIXED = STRAIGHT + 3
};

static wbBoundaryGpu *getPoints(const wbSphTensionGpu *tension) {
    return &tension->water->fluid->fluid->boundary;
}

bool wbSphWater_HasBases(const wbSphWater *water) {
    bool isClosed = false;
    for (int s = 0; s < wb_sideCount; s++) isClosed |= water->model->domain->closed[s];
    return wbFluidStepGpu_HasBoundary(water->fluid) || (isClosed && water->model->params.contactAngle != 90);
}

wbStatus wbSphTensionGpu_Build(wbSphTensionGpu *tension, wbGpuVariantSet *program) {
    const wbFluidStepGpu *fluid = tension->water->fluid;
    tension->hasBases = wbSphWater_HasBases(tension->water);
    return wbGpuVariantSet_Choose(
        program, fluid->fluid->gpu,
        (fluid->search.cells->grid.hashed ? HASHED : 0) | (tension->hasBases ? BASES : 0), &tension->kernels);
}

// The water's, by the constants of the tension.
static wbGpuSearch getSearch(const wbSphTensionGpu *tension) {
    wbGpuSearch search = tension->water->fluid->search;
    search.constants = WB_GPU_STRUCT(tension->water->model->tension);
    return search;
}

static wbStatus search(const wbSphTensionGpu *tension, int kernel, const wbGpuArg *args, int argCount) {
    const wbGpuSearch particles = getSearch(tension);
    return wbGpuSearch_Run(&particles, tension->kernels[kernel], args, argCount);
}

// A column, or any where there are none of its kind.
static wbGpuBuffer *getBases(const wbSphTensionGpu *tension, int column) {
    return &tension->columns[tension->hasBases ? column : E];
}
static wbGpuBuffer *getSums(const wbSphTensionGpu *tension, int column) {
    return &tension->columns[wbFluidStepGpu_HasBoundary(tension->water->fluid) ? column : E];
}

static wbStatus addPoints(const wbSphTensionGpu *tension) {
    const wbGpuSearch particles = getSearch(tension);
    wbGpuBuffer *c = tension->columns;
    if (!wbFluidStepGpu_HasBoundary(tension->water->fluid)) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Clear(tension->water->fluid, c + POINTS, WB_POINT_COLUMNS));
    return wbBoundaryGpu_RunAmongPlaces(getPoints(tension), wb_sphBoundaryBases, &particles,
                                        WB_GPU_ARGS(WB_GPU_BUFFER(*wbSphWater_GetAdhesion(tension->water)),
                                                    WB_GPU_BUFFER3(c + POINTS), WB_GPU_BUFFER(c[COSINES]),
                                                    WB_GPU_BUFFER(c[WEIGHTS]), WB_GPU_BUFFER3(c + STRAIGHT),
                                                    WB_GPU_BUFFER3(c + MIXED)));
}

wbStatus wbSphTensionGpu_Find(const wbSphTensionGpu *tension) {
    wbGpuBuffer *c = tension->columns;
    WB_TRY(addPoints(tension));
    WB_TRY(search(
        tension, SKINS,
        WB_GPU_ARGS(WB_GPU_INT(wbFluidStepGpu_HasBoundary(tension->water->fluid)),
                    WB_GPU_BUFFER3(getSums(tension, POINTS)), WB_GPU_BUFFER(*getSums(tension, COSINES)),
                    WB_GPU_BUFFER(*getSums(tension, WEIGHTS)), WB_GPU_BUFFER3(getSums(tension, STRAIGHT)),
                    WB_GPU_BUFFER3(getSums(tension, MIXED)), WB_GPU_BUFFER3(c + E), WB_GPU_BUFFER(c[SKIN]),
                    WB_GPU_BUFFER(c[STRENGTH]), WB_GPU_BUFFER(c[BENT]),
                    WB_GPU_BUFFER3(getBases(tension, BASE)),
                    WB_GPU_BUFFER(*getBases(tension, BASE_STRENGTH)))));
    return search(tension, BEND,
                  WB_GPU_ARGS(WB_GPU_BUFFER3(c + E), WB_GPU_BUFFER(c[SKIN]), WB_GPU_BUFFER(c[STRENGTH]),
                              WB_GPU_BUFFER3(c + BENT)));
}

wbStatus wbSphTensionGpu_Pull(const wbSphTensionGpu *tension, wbGpuBuffer accelerations[3]) {
    const wbGpuSearch particles = getSearch(tension);
    const wbGpuBuffer *c = tension->columns, *base = getBases(tension, BASE),
                      *baseStrength = getBases(tension, BASE_STRENGTH);
    WB_TRY(search(tension, PULL,
                  WB_GPU_ARGS(WB_GPU_BUFFER3(c + E), WB_GPU_BUFFER(c[STRENGTH]), WB_GPU_BUFFER3(c + BENT),
                              WB_GPU_BUFFER3(base), WB_GPU_BUFFER(*baseStrength),
                              WB_GPU_BUFFER3(accelerations))));
    if (!wbFluidStepGpu_HasBoundary(tension->water->fluid)) return wb_okStatus;
    return wbBoundaryGpu_RunAmongPlaces(
        getPoints(tension), wb_sphBoundaryPull, &particles,
        WB_GPU_ARGS(WB_GPU_BUFFER3(c + E), WB_GPU_BUFFER(c[STRENGTH]), WB_GPU_BUFFER3(c + BENT),
                    WB_GPU_BUFFER3(base), WB_GPU_BUFFER(*baseStrength), WB_GPU_BUFFER3(accelerations)));
}

wbStatus wbSphTensionGpu_AddReactions(const wbSphTensionGpu *tension) {
    const wbGpuSearch particles = getSearch(tension);
    const wbGpuBuffer *c = tension->columns;
    return wbBoundaryGpu_RunAmongParticles(
        getPoints(tension), wb_sphBoundaryPullReactions, &particles,
        WB_GPU_ARGS(WB_GPU_FLOAT((float)tension->water->model->mass), WB_GPU_BUFFER3(c + E),
                    WB_GPU_BUFFER(c[STRENGTH]), WB_GPU_BUFFER3(c + BENT), WB_GPU_BUFFER3(c + BASE),
                    WB_GPU_BUFFER(c[BASE_STRENGTH]),
                    WB_GPU_BUFFER3(getPoints(tension)->buffers + wb_placeFx)));
}
