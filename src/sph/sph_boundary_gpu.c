// SPDX-License-Identifier: MIT
#include "sph/sph_boundary_gpu.h"

#include "core/status.h"
#include "sph/sph_model.h"
#include "sph/sph_tension.h"

extern const char wb_clSphBoundary[];

enum { SUM_DENSITY, SUM_NORMALS, FIND_MEANS, SUM_FORCES, FIND_REACTIONS };
enum { WENDLAND = 2, ADHESIVE = 4, MIXED = 8, SPLIT = 16, STRESS = 32 };
static const wbGpuVariantKernel kernels[WB_SPH_BOUNDARY_KERNELS] = {
    [SUM_DENSITY] = {"sph_boundary_density", 0},
    [SUM_NORMALS] = {"sph_boundary_normals", 0},
    [FIND_MEANS] = {"sph_boundary_means", 0},
    [SUM_FORCES] = {"sph_boundary_forces", 0},
    [FIND_REACTIONS] = {"sph_boundary_reactions", 0},
    [wb_sphBoundarySplit] = {"sph_boundary_split", SPLIT},
    [wb_sphBoundarySplitReactions] = {"sph_boundary_split_reactions", SPLIT},
    [wb_sphBoundaryBases] = {"sph_boundary_bases", STRESS},
    [wb_sphBoundaryPull] = {"sph_boundary_pull", STRESS},
    [wb_sphBoundaryPullReactions] = {"sph_boundary_pull_reactions", STRESS}};
const wbGpuVariants wb_sphBoundaryProgram = {
    .name = "colliders",
    .sources = (const char *const[]){WB_GPU_SEARCH_SOURCES, WB_GPU_SPH_SOURCES, WB_GPU_SPLIT_SOURCES,
                                     WB_GPU_TENSION_SOURCES, wb_clSphBoundary, NULL},
    .switches = (const char *const[]){"HASHED", "WENDLAND", "ADHESIVE", "MIXED", "SPLIT", "STRESS", NULL},
    .kernels = kernels,
    .kernelCount = WB_SPH_BOUNDARY_KERNELS};

// Buffers of the device's, one float per place.
enum { ADHESION, MEAN };
static wbGpuBuffer *getBuffers(const wbSphWater *water) { return water->fluid->fluid->buffers; }
static wbBoundaryGpu *getPoints(const wbSphWater *water) { return &water->fluid->fluid->boundary; }

const wbGpuBuffer *wbSphWater_GetAdhesion(const wbSphWater *water) { return &getBuffers(water)[ADHESION]; }

wbStatus wbSphWater_ReserveBoundary(const wbSphWater *water) {
    wbBoundaryGpu *points = getPoints(water);
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(points->count) + WB_PADDING);
    WB_TRY(wbGpuBuffer_Reserve(points->gpu, &getBuffers(water)[ADHESION], "colliders' adhesion", bytes));
    return wbGpuBuffer_Reserve(points->gpu, &getBuffers(water)[MEAN], "colliders' pressure", bytes);
}

static wbStatus uploadAdhesion(const wbSphWater *water, int first, int count) {
    const wbBoundaryGpu *points = getPoints(water);
    const wbBoundary *b = points->boundary;
    float *adhesion = points->host.data; // forces come there later
    for (int k = 0; k < count; k++) {
        int point = b->source[first + k];
        adhesion[k] = b->weight[point] * wbBoundary_GetBody(b, b->body[point])->adhesion;
    }
    return wbGpu_UploadAt(points->gpu, &getBuffers(water)[ADHESION], sizeof(float) * (size_t)first, adhesion,
                          sizeof(float) * (size_t)count);
}

wbStatus wbSphWater_PlaceBoundary(const wbSphWater *water, wbBoundaryTime time) {
    wbBoundaryGpu *points = getPoints(water);
    WB_TRY(wbBoundaryGpu_Place(points, water->fluid->work, time));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        const wbPointSet *placed = &points->boundary->sets[set];
        if (points->isNew[set]) WB_TRY(uploadAdhesion(water, placed->firstIndex, placed->points.count));
    }
    return wb_okStatus;
}

wbStatus wbSphWater_BuildBoundary(const wbSphWater *water) {
    if (!wbFluidStepGpu_HasBoundary(water->fluid)) return wb_okStatus;
    bool isWendland = water->model->params.kernel == wb_kernelWendland,
         isAdhesive =
             wbBoundary_HasAdhesion(getPoints(water)->boundary) && !wbSphModel_HasStress(water->model);
    return wbFluidStepGpu_BuildBoundary(water->fluid, (isWendland ? WENDLAND : 0) |
                                                          (isAdhesive ? ADHESIVE : 0) |
                                                          (water->fluid->isMixed ? MIXED : 0) |
                                                          (wbSphModel_IsSplit(water->model) ? SPLIT : 0) |
                                                          (wbSphModel_HasStress(water->model) ? STRESS : 0));
}

wbStatus wbSphWater_AddBoundaryDensity(const wbSphWater *water, wbGpuBuffer *sums) {
    return wbBoundaryGpu_RunAmongPlaces(getPoints(water), SUM_DENSITY, &water->fluid->search,
                                        WB_GPU_ARGS(WB_GPU_BUFFER(*sums)));
}

wbStatus wbSphWater_AddBoundaryNormals(const wbSphWater *water, wbGpuBuffer normals[3]) {
    return wbBoundaryGpu_RunAmongPlaces(getPoints(water), SUM_NORMALS, &water->fluid->search,
                                        WB_GPU_ARGS(WB_GPU_BUFFER3(normals)));
}

static wbStatus findMeans(const wbSphWater *water) {
    wbBoundaryGpu *points = getPoints(water);
    wbGpuBuffer *mean = &getBuffers(water)[MEAN];
    if (water->model->params.boundaryPressure != wb_boundaryMean)
        return wbGpu_Fill(points->gpu, mean, 0, sizeof(float) * (size_t)points->count);
    return wbBoundaryGpu_RunAmongParticles(points, FIND_MEANS, &water->fluid->search,
                                           WB_GPU_ARGS(WB_GPU_BUFFER3(water->velocities),
                                                       WB_GPU_BUFFER(*water->term),
                                                       WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER(*mean)));
}

wbStatus wbSphWater_AddBoundaryForces(const wbSphWater *water, wbGpuBuffer accelerations[3]) {
    const wbGpuBuffer *own = getBuffers(water);
    WB_TRY(findMeans(water));
    return wbBoundaryGpu_RunAmongPlaces(
        getPoints(water), SUM_FORCES, &water->fluid->search,
        WB_GPU_ARGS(WB_GPU_BUFFER(own[MEAN]), WB_GPU_BUFFER(own[ADHESION]), WB_GPU_BUFFER3(water->velocities),
                    WB_GPU_BUFFER(*water->inverseDensity), WB_GPU_BUFFER(*water->term),
                    WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER3(accelerations)));
}

wbStatus wbSphWater_FindReactions(const wbSphWater *water) {
    wbBoundaryGpu *points = getPoints(water);
    return wbBoundaryGpu_RunAmongParticles(
        points, FIND_REACTIONS, &water->fluid->search,
        WB_GPU_ARGS(WB_GPU_FLOAT((float)water->model->mass), WB_GPU_BUFFER3(water->velocities),
                    WB_GPU_BUFFER(*water->inverseDensity), WB_GPU_BUFFER(*water->term),
                    WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER(getBuffers(water)[MEAN]),
                    WB_GPU_BUFFER(getBuffers(water)[ADHESION]),
                    WB_GPU_BUFFER3(points->buffers + wb_placeFx)));
}
