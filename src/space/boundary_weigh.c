// SPDX-License-Identifier: MIT
// The volumes of colliders' points by a solver's kernel: those by which a particle that lies on the surface, at x half a spacing above a
// point b, sees as much as of a body that is full of particles. With c(q), which is 1 within the body and 0 outside,
//
//     psi_b = sum over a lattice around x of W(q - x) c(q)  /  sum over the body's points of W
//
// which is a particle's volume exactly where points are on the lattice: in any layer, and also on edges and corners. rho0 / sum W at b
// (Akinci et al. 2012) takes the room beyond an edge for gaps between points: a cube of 8 spacings displaced 3 % too much.
//
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "space/boundary.h"
#include "space/kernels.h"

// In spacings, how far points may be off a plane that is still flat.
#define FLATNESS 0.02f

// Sites of the lattice around a point, and the kernel there.
typedef struct Lattice {
    int count;
    float *places[3], *kernel;
} Lattice;

// The points of one body in the order of cells.
typedef struct Shell {
    const wbBoundary *boundary;
    const Lattice *lattice;
    const wbShape *shape;
    int first, count, *order;
    float spacing; // m
    float *points[3], *above[3], *sums, *ownSums;
    wbGrid grid;
    wbNeighbours neighbours;
} Shell;

static float *allocateFloats(const wbWork *work, int count) {
    return wbArena_Alloc(work->arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
}

// Sums of the kernel over a body's points; their lists stay.
static wbStatus sumKernel(Shell *shell, const wbBoundaryKernel *kernel, const wbWork *work, wbPoints queries,
                          float *sums) {
    const wbPointSet set = {.points = {shell->points[0], shell->points[1], shell->points[2], shell->count},
                            .grid = &shell->grid};
    const wbPointSet *searched = &set;
    wbWeighing weighing = {.constants = kernel->constants, .sums = sums};
    WB_TRY(wbNeighbours_BeginAmong(&shell->neighbours, work, queries, &searched, 1, shell->count,
                                   &weighing.lists));
    wbParallelFor(work->pool, queries.count, WB_BLOCK, kernel->sum, &weighing);
    return wbNeighbours_End(&shell->neighbours, work);
}

static wbStatus sortShell(Shell *shell, const wbBoundaryKernel *kernel, const wbWork *work, wbPoints points) {
    const float *const from[3] = {points.x, points.y, points.z};
    shell->count = points.count;
    shell->order = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(shell->count + 1));
    shell->sums = allocateFloats(work, shell->count), shell->ownSums = allocateFloats(work, shell->count);
    bool isComplete = shell->order && shell->sums && shell->ownSums;
    for (int a = 0; a < 3 && isComplete; a++) {
        shell->points[a] = allocateFloats(work, shell->count);
        shell->above[a] = allocateFloats(work, shell->count);
        isComplete = shell->points[a] && shell->above[a];
    }
    if (!isComplete) return wbMemoryError(work->memory, "the weights of %d points need", shell->count);
    WB_TRY(wbGrid_Sort(&shell->grid, work, points, kernel->key.radius, kernel->key.dimensions, wb_gridAuto,
                       shell->order));
    for (int k = 0; k < shell->count; k++)
        for (int a = 0; a < 3; a++) shell->points[a][k] = from[a][shell->order[k]];
    return wb_okStatus;
}

static void initShell(Shell *shell) {
    wbGrid_Init(&shell->grid);
    wbNeighbours_Init(&shell->neighbours);
}
static void freeShell(Shell *shell, const wbWork *work) {
    wbNeighbours_Free(work->memory, &shell->neighbours);
    wbGrid_Free(work->memory, &shell->grid);
}

// The kernel as the solver's range function has it: around a single point.
static wbStatus makeLattice(Lattice *lattice, const wbBoundaryKernel *kernel, const wbWork *work) {
    const int dimensions = kernel->key.dimensions;
    const float zeros[1 + WB_PADDING] = {0};
    wbSite site = wbMakeSites((double)(kernel->key.radius / kernel->spacing), dimensions);
    const int width = 2 * site.reach + 1, most = width * width * (dimensions == 3 ? width : 1);
    Shell shell = {0};
    initShell(&shell);
    lattice->kernel = allocateFloats(work, most);
    for (int a = 0; a < 3; a++)
        if (!(lattice->places[a] = allocateFloats(work, most)) || !lattice->kernel)
            return wbMemoryError(work->memory, "the weights of points need");
    for (lattice->count = 0; wbSite_Next(&site); lattice->count++) {
        const int at[3] = {site.x, site.y, site.z};
        for (int a = 0; a < 3; a++) lattice->places[a][lattice->count] = kernel->spacing * (float)at[a];
    }
    wbStatus status = sortShell(&shell, kernel, work, (wbPoints){zeros, zeros, zeros, 1});
    const wbPoints sites = {lattice->places[0], lattice->places[1], lattice->places[2], lattice->count};
    if (wbIsOk(status)) status = sumKernel(&shell, kernel, work, sites, lattice->kernel);
    freeShell(&shell, work);
    return status;
}

static wbVec3 getNormal(const wbBoundary *b, int point) {
    return wbMakeVec3(b->normalX[point], b->normalY[point], b->normalZ[point]);
}

// Whether all points around one are below the same plane.
static bool isFlat(const Shell *shell, int k) {
    const wbBoundary *b = shell->boundary;
    const int point = shell->first + shell->order[k];
    const wbVec3 own = getNormal(b, point);
    int rowCount;
    const int *rows = wbNeighbours_GetRows(&shell->neighbours, k / WB_GROUP, &rowCount) + k % WB_GROUP;
    for (int row = 0; row < rowCount; row++) {
        const int j = rows[row * WB_GROUP];
        if (j == shell->count) continue;
        const int other = shell->first + shell->order[j];
        const wbVec3 to =
            wbMakeVec3(shell->points[0][j] - shell->points[0][k], shell->points[1][j] - shell->points[1][k],
                       shell->points[2][j] - shell->points[2][k]);
        const float over = wbDot(own, to) + b->depth[other] - b->depth[point];
        if (wbDot(own, getNormal(b, other)) < 0.9999f || fabsf(over) > FLATNESS * shell->spacing)
            return false;
    }
    return true;
}

// The lattice turned so that one of its axes is along a normal, by as little as that takes.
static void turnLattice(wbVec3 normal, wbVec3 axes[3]) {
    const float n[3] = {normal.x, normal.y, normal.z};
    int main = 0;
    for (int a = 1; a < 3; a++)
        if (fabsf(n[a]) > fabsf(n[main])) main = a;
    const float sign = n[main] < 0 ? -1.0f : 1.0f,
                e[3] = {main == 0 ? sign : 0, main == 1 ? sign : 0, main == 2 ? sign : 0};
    const wbVec3 from = wbMakeVec3(e[0], e[1], e[2]), sum = wbAdd(from, normal);
    const float scale = 1 / (1 + wbDot(from, normal));
    for (int a = 0; a < 3; a++) {
        const wbVec3 v = wbMakeVec3(a == 0, a == 1, a == 2);
        axes[a] = wbAdd(wbSub(v, wbScale(scale * wbDot(sum, v), sum)), wbScale(2 * wbDot(from, v), normal));
    }
}

// Of the kernel around x, what a full body would fill; `below`: how far x is from the surface.
static float sumShare(const Shell *shell, wbVec3 x, wbVec3 normal, float below, bool isFlat) {
    const Lattice *lattice = shell->lattice;
    wbVec3 axes[3];
    float sum = 0;
    turnLattice(normal, axes);
    for (int n = 0; n < lattice->count; n++) {
        if (lattice->kernel[n] == 0) continue;
        wbVec3 to = {0, 0, 0};
        for (int a = 0; a < 3; a++) to = wbAdd(to, wbScale(lattice->places[a][n], axes[a]));
        const float most = 1.001f * (below + sqrtf(wbDot(to, to)));
        const float distance = isFlat ? below + wbDot(normal, to)
                                      : wbFindSurfaceFrom(shell->shape, wbAdd(x, to), 0, most).distance;
        sum += lattice->kernel[n] * fminf(fmaxf(0.5f - distance / shell->spacing, 0), 1);
    }
    return sum;
}

static void weighRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Shell *shell = context;
    const wbBoundary *b = shell->boundary;
    for (int k = begin; k < end; k++) {
        const int point = shell->first + shell->order[k];
        const wbVec3 x = wbMakeVec3(shell->above[0][k], shell->above[1][k], shell->above[2][k]);
        const float share = sumShare(shell, x, getNormal(b, point), 0.5f * shell->spacing, isFlat(shell, k));
        b->weight[point] = shell->sums[k] > 0 ? share / shell->sums[k] : 1;
    }
}

static void findAbove(Shell *shell) {
    const wbBoundary *b = shell->boundary;
    for (int k = 0; k < shell->count; k++) {
        const int point = shell->first + shell->order[k];
        const float way = b->depth[point] + 0.5f * shell->spacing;
        shell->above[0][k] = shell->points[0][k] + way * b->normalX[point];
        shell->above[1][k] = shell->points[1][k] + way * b->normalY[point];
        shell->above[2][k] = shell->points[2][k] + way * b->normalZ[point];
    }
}

static wbStatus weighShell(Shell *shell, const wbBoundaryKernel *kernel, const wbWork *work) {
    const wbPoints points = {shell->points[0], shell->points[1], shell->points[2], shell->count};
    const wbPoints above = {shell->above[0], shell->above[1], shell->above[2], shell->count};
    findAbove(shell);
    WB_TRY(sumKernel(shell, kernel, work, above, shell->sums));
    WB_TRY(sumKernel(shell, kernel, work, points, shell->ownSums)); // for its lists
    wbParallelFor(work->pool, shell->count, WB_BLOCK, weighRange, shell);
    return wb_okStatus;
}

static wbStatus weighBody(wbBoundary *b, const wbBoundaryBody *body, const Lattice *lattice,
                          const wbBoundaryKernel *kernel, const wbWork *work) {
    const wbPoints local = {b->localX + body->first, b->localY + body->first, b->localZ + body->first,
                            body->count};
    const size_t mark = wbArena_Mark(work->arena);
    Shell shell = {.boundary = b,
                   .lattice = lattice,
                   .first = body->first,
                   .shape = body->shape,
                   .spacing = kernel->spacing};
    wbStatus status = wb_okStatus;
    initShell(&shell);
    for (int k = body->first; k < body->first + body->count; k++) b->weight[k] = 1;
    if (body->shape) status = sortShell(&shell, kernel, work, local);
    if (body->shape && wbIsOk(status)) status = weighShell(&shell, kernel, work);
    for (int k = body->first; k < body->first + body->count; k++)
        if (b->depth[k] >= kernel->key.radius) b->weight[k] = 0;
    freeShell(&shell, work);
    wbArena_Release(work->arena, mark);
    return status;
}

// Before a body, the next of the same form; NULL: none.
static const wbBoundaryBody *findTwin(const wbBoundary *b, int index) {
    const wbBoundaryBody *body = wbBoundary_GetBody(b, index);
    int at = body->shape ? index - 1 : -1;
    while (at >= 0 && wbBoundary_GetBody(b, at)->shape != body->shape) at--;
    return at < 0 ? NULL : wbBoundary_GetBody(b, at);
}

static wbStatus weighNext(wbBoundary *b, int index, const Lattice *lattice, const wbBoundaryKernel *kernel,
                          const wbWork *work) {
    const wbBoundaryBody *body = wbBoundary_GetBody(b, index), *twin = findTwin(b, index);
    if (!twin || twin->count != body->count) return weighBody(b, body, lattice, kernel, work);
    memcpy(b->weight + body->first, b->weight + twin->first, sizeof(float) * (size_t)body->count);
    return wb_okStatus;
}

static wbStatus weighBodies(wbBoundary *boundary, const wbBoundaryKernel *kernel, bool isKnown,
                            const wbWork *work) {
    const size_t mark = wbArena_Mark(work->arena);
    Lattice lattice;
    wbStatus status = makeLattice(&lattice, kernel, work);
    for (int k = 0; k < boundary->bodyCount && wbIsOk(status); k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(boundary, k);
        if (!isKnown || !body->isWeighed) status = weighNext(boundary, k, &lattice, kernel, work);
    }
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbBoundary_Weigh(wbBoundary *boundary, const wbBoundaryKernel *kernel, const wbWork *work) {
    const wbBoundaryKey *key = &kernel->key, *known = &boundary->key;
    const bool isKnown =
        known->radius == key->radius && known->dimensions == key->dimensions && known->kernel == key->kernel;
    boundary->showsSlip = kernel->readsSlip;
    if (isKnown && boundary->isWeighed) return wb_okStatus;
    if (boundary->bodyCount > 0) WB_TRY(weighBodies(boundary, kernel, isKnown, work));
    wbBoundary_Settle(boundary, *key);
    return wb_okStatus;
}
