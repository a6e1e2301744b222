// SPDX-License-Identifier: MIT
#include "sph/sph_boundary.h"

#include <string.h>

#include "core/status.h"
#include "space/space_code.h"
#include "sph/sph_boundary_code.h"

const wbSphWallCode *wbGetSphWallCode(wbSimd simd) {
#ifdef __x86_64__
    if (simd == wb_simdAvx512) return &wb_sphWallCode_avx512;
    if (simd == wb_simdAvx2) return &wb_sphWallCode_avx2;
    if (simd == wb_simdSse) return &wb_sphWallCode_sse;
#endif
    WB_ASSERT(simd == wb_simdScalar, "unknown instruction set");
    return &wb_sphWallCode_scalar;
}

static float *allocateFloats(const wbWork *work, int count) {
    return wbArena_Alloc(work->arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
}

// Weights

// The points of one body in the order of cells, and their images at the planes that touch the surface above them.
typedef struct Shell {
    int count, *order;
    float *points[3], *images[3], *sums[2];
    wbGrid grid;
    wbNeighbours neighbours;
} Shell;

static bool allocateShell(Shell *shell, const wbWork *work) {
    shell->order = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(shell->count + 1));
    bool isComplete = shell->order;
    float **arrays[] = {&shell->points[0], &shell->points[1], &shell->points[2], &shell->images[0],
                        &shell->images[1], &shell->images[2], &shell->sums[0],   &shell->sums[1]};
    for (int k = 0; k < 8; k++) isComplete &= (*arrays[k] = allocateFloats(work, shell->count)) != NULL;
    return isComplete;
}

// An image of j reaches b where j reaches the image of b.
static void mirrorShell(Shell *shell, const wbBoundary *b, int first) {
    const float *local[3] = {b->localX + first, b->localY + first, b->localZ + first};
    const float *normals[3] = {b->normalX + first, b->normalY + first, b->normalZ + first};
    for (int k = 0; k < shell->count; k++)
        for (int a = 0; a < 3; a++) {
            int point = shell->order[k];
            shell->points[a][k] = local[a][point];
            shell->images[a][k] = local[a][point] + 2 * b->depth[first + point] * normals[a][point];
        }
}

static wbStatus sumKernel(Shell *shell, const wbSphModel *model, const wbWork *work, float *const queries[3],
                          float *sums) {
    wbPointSet set = {.points = {shell->points[0], shell->points[1], shell->points[2], shell->count},
                      .grid = &shell->grid};
    const wbPointSet *searched = &set;
    wbPoints points = {queries[0], queries[1], queries[2], shell->count};
    wbSphWeighing weighing = {.model = model, .sums = sums};
    WB_TRY(wbNeighbours_BeginAmong(&shell->neighbours, work, points, &searched, 1, 0, &weighing.lists));
    wbParallelFor(work->pool, shell->count, WB_BLOCK, wbGetSphWallCode(work->simd)->weigh, &weighing);
    return wbNeighbours_End(&shell->neighbours, work);
}

static wbStatus sumShell(Shell *shell, const wbBoundary *b, const wbBoundaryBody *body,
                         const wbSphModel *model, const wbWork *work) {
    if (!allocateShell(shell, work))
        return wbMemoryError(work->memory, "the weights of %d points need", shell->count);
    wbPoints local = {b->localX + body->first, b->localY + body->first, b->localZ + body->first,
                      shell->count};
    WB_TRY(wbGrid_Sort(&shell->grid, work, local, model->h, model->dimensions, wb_gridAuto, shell->order));
    mirrorShell(shell, b, body->first);
    WB_TRY(sumKernel(shell, model, work, shell->points, shell->sums[0]));
    return sumKernel(shell, model, work, shell->images, shell->sums[1]);
}

// psi_b = rho0 / sum W over the body's points and their images: a flat wall on the lattice has psi = m exactly, however
// many layers there are. Akinci et al. 2012 sum over one layer, and without images.
static wbStatus weighBody(wbBoundary *b, const wbBoundaryBody *body, const wbSphModel *model,
                          const wbWork *work) {
    const SphConstants *c = &model->constants;
    Shell shell = {.count = body->count};
    size_t mark = wbArena_Mark(work->arena);
    wbGrid_Init(&shell.grid);
    wbNeighbours_Init(&shell.neighbours);
    wbStatus status = sumShell(&shell, b, body, model, work);
    for (int k = 0; k < shell.count && wbIsOk(status); k++) {
        int point = body->first + shell.order[k];
        float psi = c->restDensity / ((shell.sums[0][k] + shell.sums[1][k]) * c->densityScale);
        b->weight[point] = b->depth[point] < model->h ? psi : 0;
    }
    wbNeighbours_Free(work->memory, &shell.neighbours);
    wbGrid_Free(work->memory, &shell.grid);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbWeighBoundary(wbBoundary *boundary, const wbSphModel *model, const wbWork *work) {
    wbBoundaryKey key = {model->h, model->dimensions, (int)model->params.kernel}, known = boundary->key;
    if (known.radius == key.radius && known.dimensions == key.dimensions && known.kernel == key.kernel)
        return wb_okStatus;
    for (int k = 0; k < boundary->bodyCount; k++)
        WB_TRY(weighBody(boundary, wbBoundary_GetBody(boundary, k), model, work));
    wbBoundary_Settle(boundary, key);
    return wb_okStatus;
}

// Evaluations

// Lists of the particles near each place, whose records are written only later.
static wbStatus listParticles(wbSphWallPass *walls, wbSph *sph, const wbWork *work, int dummy) {
    const wbBoundary *b = walls->boundary;
    wbPoints places = {b->x, b->y, b->z, wbBoundary_GetCount(b)};
    wbPointSet particles = {
        .points = {sph->particles.x, sph->particles.y, sph->particles.z, sph->particles.count},
        .grid = &sph->grid};
    const wbPointSet *searched = &particles;
    wbListTask task;
    walls->bodyNeighbours = &sph->bodyNeighbours;
    WB_TRY(wbNeighbours_BeginAmong(&sph->bodyNeighbours, work, places, &searched, 1, dummy, &task));
    wbParallelFor(work->pool, places.count, WB_BLOCK, wbGetSpaceCode(work->simd)->lists, &task);
    return wbNeighbours_End(&sph->bodyNeighbours, work);
}

static wbStatus listPlaces(wbSphWallPass *walls, wbSph *sph, const wbWork *work) {
    const wbBoundary *b = walls->boundary;
    const wbPointSet *searched[WB_SEARCHED_SETS];
    wbPoints particles = wbParticles_GetPoints(&sph->particles);
    int searchedCount = 0;
    if (b->stillCount > 0) searched[searchedCount++] = &b->sets[0];
    if (b->movingCount > 0) searched[searchedCount++] = &b->sets[1];
    WB_TRY(wbNeighbours_BeginAmong(&sph->wallNeighbours, work, particles, searched, searchedCount,
                                   wbBoundary_GetCount(b), &walls->lists));
    wbParallelFor(work->pool, sph->particles.count, WB_BLOCK, wbGetSphWallCode(work->simd)->density, walls);
    return wbNeighbours_End(&sph->wallNeighbours, work);
}

static wbStatus reserve(wbSphWallPass *walls, const wbWork *work, bool wantsForces) {
    int count = wbBoundary_GetCount(walls->boundary);
    walls->extraRecords = allocateFloats(work, 4 * (wbPadCount(count) + 1));
    bool isComplete = walls->extraRecords;
    float **forces[] = {&walls->fx, &walls->fy, &walls->fz};
    for (int a = 0; a < 3 && wantsForces; a++)
        isComplete &= (*forces[a] = allocateFloats(work, count)) != NULL;
    return isComplete ? wb_okStatus : wbMemoryError(work->memory, "%d points of solids need", count);
}

wbStatus wbSphWallPass_Begin(wbSphWallPass *walls, wbSphPass *pass, wbBoundary *boundary, const wbWork *work,
                             wbBoundaryTime time, bool wantsForces, int dummy) {
    *walls = (wbSphWallPass){.pass = pass,
                             .boundary = boundary,
                             .isAdhesive = wbBoundary_HasAdhesion(boundary),
                             .isMean = pass->model->params.wallPressure == wb_wallMean};
    WB_TRY(reserve(walls, work, wantsForces));
    WB_TRY(wbBoundary_Place(boundary, work, time));
    if (wantsForces || walls->isMean) WB_TRY(listParticles(walls, pass->sph, work, dummy));
    return listPlaces(walls, pass->sph, work);
}

void wbSphWallPass_AddForces(wbSphWallPass *walls, wbBoundary *boundary, const wbWork *work,
                             wbBoundaryTime time) {
    const wbSphWallCode *code = wbGetSphWallCode(work->simd);
    int count = wbBoundary_GetCount(boundary);
    if (walls->isMean || walls->isAdhesive) {
        wbParallelFor(work->pool, count, WB_BLOCK, code->places, walls);
        memset(walls->extraRecords + 4 * (size_t)count, 0, sizeof(float[4]));
    }
    wbParallelFor(work->pool, walls->pass->sph->particles.count, WB_BLOCK, code->forces, walls);
    if (!walls->fx) return;
    wbParallelFor(work->pool, count, WB_BLOCK, code->bodyForces, walls);
    wbBoundary_SumForces(boundary, time, walls->fx, walls->fy, walls->fz);
}
