// SPDX-License-Identifier: MIT
#include "coupling/air_points.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

bool wbFindAirStencil(const wbSmokeGrid *grid, int axis, const double place[3], wbAirStencil *stencil) {
    const float origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    int low[3] = {0, 0, 0};
    double share[3] = {0, 0, 0};
    for (int a = 0; a < grid->dimensions; a++) {
        const double cells = (place[a] - (double)origin[a]) / (double)grid->h;
        if (!(cells >= 0 && cells <= counts[a])) return false;
        // faces of the others' axes are half a cell beside those of its own
        const int most = counts[a] - (a == axis ? 0 : 1);
        const double at = fmin(fmax(cells - (a == axis ? 0 : 0.5), 0), most);
        low[a] = at < most ? (int)at : most > 0 ? most - 1 : 0;
        share[a] = at - low[a];
    }
    for (int n = 0; n < 8; n++) {
        const int up[3] = {n & 1, n >> 1 & 1, n >> 2};
        stencil->weight[n] = 1;
        for (int a = 0; a < 3; a++) stencil->weight[n] *= up[a] ? share[a] : 1 - share[a];
        stencil->face[n] =
            stencil->weight[n] > 0 ? wbSmokeIndex(grid, low[0] + up[0], low[1] + up[1], low[2] + up[2]) : 0;
    }
    return true;
}

void wbAirShares_Init(wbAirShares *shares) {
    *shares = (wbAirShares){0};
    for (int a = 0; a < 3; a++) shares->axes[a].elementSize = sizeof(float);
}

void wbAirShares_Free(wbMemory *memory, wbAirShares *shares) {
    for (int a = 0; a < 3; a++) wbArray_Free(memory, &shares->axes[a]);
}

bool wbAirPoints_Allocate(wbAirPoints *points, wbArena *arena, int count, bool isPushed) {
    const size_t bytes = sizeof(float) * (size_t)wbPadCount(count + 1);
    bool isAllocated = true;
    *points = (wbAirPoints){.count = count};
    for (int a = 0; a < 3; a++) {
        points->place[a] = wbArena_Alloc(arena, bytes), points->wind[a] = wbArena_Alloc(arena, bytes);
        points->impulse[a] = isPushed ? wbArena_Alloc(arena, bytes) : NULL;
        isAllocated &= points->place[a] && points->wind[a] && (points->impulse[a] || !isPushed);
    }
    points->mobility = wbArena_Alloc(arena, bytes);
    if (points->mobility) memset(points->mobility, 0, bytes);
    return isAllocated && points->mobility;
}

typedef struct Task {
    const wbAirPoints *points;
    const wbSmokeGrid *grid;
    float *const *fields; // of the air
    float *shares[3];
    double faceMass; // kg
    bool isPushed;
    float fastest[3]; // m/s, of the faces that were pushed
} Task;

static bool findStencil(const Task *task, int axis, int i, wbAirStencil *stencil) {
    const wbAirPoints *p = task->points;
    const double place[3] = {(double)p->place[0][i], (double)p->place[1][i], (double)p->place[2][i]};
    return wbFindAirStencil(task->grid, axis, place, stencil);
}

// Each axis has faces of its own, so that one thread adds to them, in the order of points.
static void addWeights(int begin, int end, int worker, void *context) {
    (void)worker;
    const Task *task = context;
    wbAirStencil s;
    for (int axis = begin; axis < end; axis++)
        for (int i = 0; i < task->points->count; i++)
            for (int n = findStencil(task, axis, i, &s) ? 0 : 8; n < 8; n++)
                task->shares[axis][s.face[n]] += (float)s.weight[n];
}

static void clearWeights(int begin, int end, int worker, void *context) {
    (void)worker;
    const Task *task = context;
    wbAirStencil s;
    for (int axis = begin; axis < end; axis++)
        for (int i = 0; i < task->points->count; i++)
            for (int n = findStencil(task, axis, i, &s) ? 0 : 8; n < 8; n++)
                task->shares[axis][s.face[n]] = 0;
}

// A face whose weights sum up to W has m w / W of its mass for a point of weight w: the sum of w2 over masses is that of w W / m.
static void readRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Task *task = context;
    wbAirStencil s;
    for (int i = begin; i < end; i++) {
        double most = 0;
        for (int axis = 0; axis < task->grid->dimensions; axis++) {
            double velocity = 0, sum = 0;
            if (!findStencil(task, axis, i, &s)) continue;
            for (int n = 0; n < 8; n++) velocity += s.weight[n] * (double)task->fields[axis][s.face[n]];
            for (int n = 0; n < 8 && task->isPushed; n++)
                sum += s.weight[n] * (double)task->shares[axis][s.face[n]];
            task->points->wind[axis][i] = (float)velocity;
            most = fmax(most, sum);
        }
        task->points->mobility[i] = (float)(most / task->faceMass);
    }
}

static wbStatus reserveShares(wbAirShares *shares, const wbSmoke *smoke, wbMemory *memory) {
    for (int a = 0; a < smoke->grid.dimensions; a++)
        if (!wbArray_Reserve(memory, &shares->axes[a], smoke->grid.total))
            return wbMemoryError(memory, "what pushes the air needs");
    return wb_okStatus;
}

static Task makeTask(const wbAirPoints *points, const wbSmoke *smoke, float density) {
    return (Task){.points = points,
                  .grid = &smoke->grid,
                  .fields = smoke->fields,
                  .isPushed = points->impulse[0] != NULL,
                  .faceMass = (double)density * pow((double)smoke->grid.h, smoke->grid.dimensions)};
}

wbStatus wbAirPoints_Read(const wbAirPoints *points, const wbSmoke *smoke, float density, wbAirShares *shares,
                          const wbWork *work) {
    Task task = makeTask(points, smoke, density);
    if (task.isPushed) {
        WB_TRY(reserveShares(shares, smoke, work->memory));
        for (int a = 0; a < 3; a++) task.shares[a] = shares->axes[a].data;
        wbParallelFor(work->pool, smoke->grid.dimensions, 1, addWeights, &task);
    }
    wbParallelFor(work->pool, points->count, WB_BLOCK, readRange, &task);
    if (task.isPushed) wbParallelFor(work->pool, smoke->grid.dimensions, 1, clearWeights, &task);
    return wb_okStatus;
}

static void pushAxes(int begin, int end, int worker, void *context) {
    (void)worker;
    Task *task = context;
    wbAirStencil s;
    for (int axis = begin; axis < end; axis++) {
        float *field = task->fields[axis], fastest = 0;
        for (int i = 0; i < task->points->count; i++) {
            const double change = (double)task->points->impulse[axis][i] / task->faceMass;
            if (change == 0 || !findStencil(task, axis, i, &s)) continue;
            for (int n = 0; n < 8; n++) {
                if (!(s.weight[n] > 0)) continue;
                field[s.face[n]] -= (float)(s.weight[n] * change);
                fastest = fmaxf(fastest, fabsf(field[s.face[n]]));
            }
        }
        task->fastest[axis] = fastest;
    }
}

void wbAirPoints_Push(const wbAirPoints *points, wbSmoke *smoke, float density, const wbWork *work) {
    Task task = makeTask(points, smoke, density);
    if (!task.isPushed) return;
    wbParallelFor(work->pool, smoke->grid.dimensions, 1, pushAxes, &task);
    for (int a = 0; a < smoke->grid.dimensions; a++)
        smoke->maxSpeed = fmaxf(smoke->maxSpeed, task.fastest[a]);
}
