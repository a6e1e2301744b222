// SPDX-License-Identifier: MIT
#include "sph/sph_boundary_gpu.h"

#include "core/status.h"
#include "sph/sph_model.h"

extern const char wb_clSphConstants[], wb_clSphFormula[], wb_clSphBoundary[];

enum { SUM_DENSITY, SUM_NORMALS, FIND_MEANS, SUM_FORCES, FIND_REACTIONS, KERNELS };
_Static_assert((int)KERNELS == (int)WB_SPH_BOUNDARY_KERNELS, "a kernel without room");
static const wbGpuVariantKernel kernels[KERNELS] = {[SUM_DENSITY] = {"sph_boundary_density", 0},
                                                    [SUM_NORMALS] = {"sph_boundary_normals", 0},
                                                    [FIND_MEANS] = {"sph_boundary_means", 0},
                                                    [SUM_FORCES] = {"sph_boundary_forces", 0},
                                                    [FIND_REACTIONS] = {"sph_boundary_reactions", 0}};
static const char *const switches[] = {"HASHED", "WENDLAND", "ADHESIVE", "MIXED", NULL};
enum { WENDLAND = 2, ADHESIVE = 4, MIXED = 8 };
static const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clSphConstants, wb_clSphFormula,
                                      wb_clSphBoundary, NULL};
static const wbGpuVariants program = {"colliders", sources, switches, kernels, KERNELS};

void wbSphBoundaryGpu_Free(wbSphBoundaryGpu *boundary, wbGpu *gpu) {
    wbGpuBuffer_Free(gpu, &boundary->adhesion), wbGpuBuffer_Free(gpu, &boundary->mean);
}

wbStatus wbSphBoundaryGpu_Reserve(wbSphBoundaryGpu *boundary, wbBoundaryGpu *points) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(points->count) + WB_PADDING);
    boundary->points = points;
    WB_TRY(wbGpuBuffer_Reserve(points->gpu, &boundary->adhesion, "colliders' adhesion", bytes));
    return wbGpuBuffer_Reserve(points->gpu, &boundary->mean, "colliders' pressure", bytes);
}

static wbStatus uploadAdhesion(wbSphBoundaryGpu *boundary, int first, int count) {
    const wbBoundary *b = boundary->points->boundary;
    float *adhesion = boundary->points->host.data; // forces come there later
    for (int k = 0; k < count; k++) {
        int point = b->source[first + k];
        adhesion[k] = b->weight[point] * wbBoundary_GetBody(b, b->body[point])->adhesion;
    }
    return wbGpu_UploadAt(boundary->points->gpu, &boundary->adhesion, sizeof(float) * (size_t)first, adhesion,
                          sizeof(float) * (size_t)count);
}

wbStatus wbSphBoundaryGpu_Place(wbSphBoundaryGpu *boundary, const wbWork *work, wbBoundaryTime time) {
    WB_TRY(wbBoundaryGpu_Place(boundary->points, work, time));
    for (int set = 0; set < WB_PLACE_SETS; set++) {
        const wbPointSet *points = &boundary->points->boundary->sets[set];
        if (boundary->points->isNew[set])
            WB_TRY(uploadAdhesion(boundary, points->firstIndex, points->points.count));
    }
    return wb_okStatus;
}

wbStatus wbSphBoundaryGpu_Build(wbSphBoundaryGpu *boundary, const wbSphModel *model, const wbGpuCells *cells,
                                bool isMixed) {
    bool isWendland = model->params.kernel == wb_kernelWendland,
         isAdhesive = wbBoundary_HasAdhesion(boundary->points->boundary);
    unsigned terms = (isWendland ? WENDLAND : 0) | (isAdhesive ? ADHESIVE : 0) | (isMixed ? MIXED : 0);
    return wbBoundaryGpu_Build(boundary->points, &program, boundary->kernels[0], terms, cells);
}

wbStatus wbSphBoundaryGpu_AddDensity(wbSphBoundaryGpu *boundary, const wbSphWater *water, wbGpuBuffer *sums) {
    return wbBoundaryGpu_RunAmongPlaces(
        boundary->points, SUM_DENSITY, water->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER(*sums)));
}

wbStatus wbSphBoundaryGpu_AddNormals(wbSphBoundaryGpu *boundary, const wbSphWater *water,
                                     wbGpuBuffer normals[3]) {
    return wbBoundaryGpu_RunAmongPlaces(
        boundary->points, SUM_NORMALS, water->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER3(normals)));
}

static wbStatus findMeans(wbSphBoundaryGpu *boundary, const wbSphWater *water) {
    wbBoundaryGpu *points = boundary->points;
    if (water->model->params.boundaryPressure != wb_boundaryMean)
        return wbGpu_Fill(points->gpu, &boundary->mean, 0, sizeof(float) * (size_t)points->count);
    return wbBoundaryGpu_RunAmongParticles(
        points, FIND_MEANS, water->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER3(water->velocities),
                    WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER(boundary->mean)));
}

wbStatus wbSphBoundaryGpu_AddForces(wbSphBoundaryGpu *boundary, const wbSphWater *water,
                                    wbGpuBuffer accelerations[3]) {
    WB_TRY(findMeans(boundary, water));
    return wbBoundaryGpu_RunAmongPlaces(
        boundary->points, SUM_FORCES, water->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(water->model->constants), WB_GPU_BUFFER(boundary->mean),
                    WB_GPU_BUFFER(boundary->adhesion), WB_GPU_BUFFER3(water->velocities),
                    WB_GPU_BUFFER(*water->inverseDensity), WB_GPU_BUFFER(*water->term),
                    WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER3(accelerations)));
}

wbStatus wbSphBoundaryGpu_FindForces(wbSphBoundaryGpu *boundary, const wbSphWater *water) {
    WB_TRY(wbBoundaryGpu_RunAmongParticles(
        boundary->points, FIND_REACTIONS, water->search,
        WB_GPU_ARGS(WB_GPU_STRUCT(water->model->constants), WB_GPU_FLOAT((float)water->model->mass),
                    WB_GPU_BUFFER3(water->velocities), WB_GPU_BUFFER(*water->inverseDensity),
                    WB_GPU_BUFFER(*water->term), WB_GPU_BUFFER(*water->root), WB_GPU_BUFFER(boundary->mean),
                    WB_GPU_BUFFER(boundary->adhesion),
                    WB_GPU_BUFFER3(boundary->points->buffers + wb_placeFx))));
    return wbBoundaryGpu_FetchForces(boundary->points);
}

void wbSphBoundaryGpu_TakeForces(wbSphBoundaryGpu *boundary, wbBoundaryTime time) {
    const float *forces = boundary->points->host.data;
    int count = boundary->points->count;
    wbBoundary_SumForces(boundary->points->boundary, time, forces, forces + count, forces + 2 * count);
}
