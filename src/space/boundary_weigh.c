// SPDX-License-Identifier: MIT
// The volumes of colliders' points by a solver's kernel.
#include "core/status.h"
#include "space/boundary.h"

static float *allocateFloats(const wbWork *work, int count) {
    return wbArena_Alloc(work->arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
}

// The points of one body in the order of cells, and their ghosts at the planes that touch the surface above them.
typedef struct Shell {
    int count, *order;
    float *points[3], *ghosts[3], *sums[2];
    wbGrid grid;
    wbNeighbours neighbours;
} Shell;

static bool allocateShell(Shell *shell, const wbWork *work) {
    shell->order = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(shell->count + 1));
    bool isComplete = shell->order;
    float **arrays[] = {&shell->points[0], &shell->points[1], &shell->points[2], &shell->ghosts[0],
                        &shell->ghosts[1], &shell->ghosts[2], &shell->sums[0],   &shell->sums[1]};
    for (int k = 0; k < 8; k++) isComplete &= (*arrays[k] = allocateFloats(work, shell->count)) != NULL;
    return isComplete;
}

// A ghost of j reaches b where j reaches the ghost of b.
static void mirrorShell(Shell *shell, const wbBoundary *b, int first) {
    const float *local[3] = {b->localX + first, b->localY + first, b->localZ + first};
    const float *normals[3] = {b->normalX + first, b->normalY + first, b->normalZ + first};
    for (int k = 0; k < shell->count; k++)
        for (int a = 0; a < 3; a++) {
            int point = shell->order[k];
            shell->points[a][k] = local[a][point];
            shell->ghosts[a][k] = local[a][point] + 2 * b->depth[first + point] * normals[a][point];
        }
}

static wbStatus sumKernel(Shell *shell, const wbBoundaryKernel *kernel, const wbWork *work,
                          float *const queries[3], float *sums) {
    wbPointSet set = {.points = {shell->points[0], shell->points[1], shell->points[2], shell->count},
                      .grid = &shell->grid};
    const wbPointSet *searched = &set;
    wbPoints points = {queries[0], queries[1], queries[2], shell->count};
    wbWeighing weighing = {.constants = kernel->constants, .sums = sums};
    WB_TRY(wbNeighbours_BeginAmong(&shell->neighbours, work, points, &searched, 1, 0, &weighing.lists));
    wbParallelFor(work->pool, shell->count, WB_BLOCK, kernel->sum, &weighing);
    return wbNeighbours_End(&shell->neighbours, work);
}

static wbStatus sumShell(Shell *shell, const wbBoundary *b, const wbBoundaryBody *body,
                         const wbBoundaryKernel *kernel, const wbWork *work) {
    if (!allocateShell(shell, work))
        return wbMemoryError(work->memory, "the weights of %d points need", shell->count);
    wbPoints local = {b->localX + body->first, b->localY + body->first, b->localZ + body->first,
                      shell->count};
    WB_TRY(wbGrid_Sort(&shell->grid, work, local, kernel->key.radius, kernel->key.dimensions, wb_gridAuto,
                       shell->order));
    mirrorShell(shell, b, body->first);
    WB_TRY(sumKernel(shell, kernel, work, shell->points, shell->sums[0]));
    return sumKernel(shell, kernel, work, shell->ghosts, shell->sums[1]);
}

// psi_b = rho0 / sum W over the body's points and their ghosts: a flat surface on the lattice has psi = m exactly, however
// many layers there are. Akinci et al. 2012 sum over one layer, and without ghosts.
static wbStatus weighBody(wbBoundary *b, const wbBoundaryBody *body, const wbBoundaryKernel *kernel,
                          const wbWork *work) {
    Shell shell = {.count = body->count};
    size_t mark = wbArena_Mark(work->arena);
    wbGrid_Init(&shell.grid);
    wbNeighbours_Init(&shell.neighbours);
    wbStatus status = sumShell(&shell, b, body, kernel, work);
    for (int k = 0; k < shell.count && wbIsOk(status); k++) {
        int point = body->first + shell.order[k];
        float psi = kernel->whole / ((shell.sums[0][k] + shell.sums[1][k]) * kernel->scale);
        b->weight[point] = b->depth[point] < kernel->key.radius ? psi : 0;
    }
    wbNeighbours_Free(work->memory, &shell.neighbours);
    wbGrid_Free(work->memory, &shell.grid);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbBoundary_Weigh(wbBoundary *boundary, const wbBoundaryKernel *kernel, const wbWork *work) {
    const wbBoundaryKey *key = &kernel->key, *known = &boundary->key;
    const bool isKnown =
        known->radius == key->radius && known->dimensions == key->dimensions && known->kernel == key->kernel;
    if (isKnown && boundary->isWeighed) return wb_okStatus;
    for (int k = 0; k < boundary->bodyCount; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(boundary, k);
        if (!isKnown || !body->isWeighed) WB_TRY(weighBody(boundary, body, kernel, work));
    }
    wbBoundary_Settle(boundary, *key);
    return wb_okStatus;
}
