// SPDX-License-Identifier: MIT
#include "space/particle_fluid.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "space/space_code.h"

void wbFluidSearch_Init(wbFluidSearch *search) {
    *search = (wbFluidSearch){0};
    wbGrid_Init(&search->grid), wbGrid_Init(&search->ghostGrid);
    wbNeighbours_Init(&search->neighbours);
    wbNeighbours_Init(&search->boundaryNeighbours), wbNeighbours_Init(&search->bodyNeighbours);
    wbMeetSearch_Init(&search->meet);
}

void wbFluidSearch_Free(wbMemory *memory, wbFluidSearch *search) {
    wbGrid_Free(memory, &search->grid), wbGrid_Free(memory, &search->ghostGrid);
    wbNeighbours_Free(memory, &search->neighbours);
    wbNeighbours_Free(memory, &search->boundaryNeighbours);
    wbNeighbours_Free(memory, &search->bodyNeighbours);
    wbMeetSearch_Free(memory, &search->meet);
}

void wbFluidSearch_Reset(wbMemory *memory, wbFluidSearch *search) {
    wbFluidSearch_Free(memory, search);
    wbFluidSearch_Init(search);
}

void wbFluidState_Init(wbFluidState *state) {
    *state = (wbFluidState){0};
    wbFluidSearch_Init(&state->search);
}

void wbFluidState_Free(wbMemory *memory, wbFluidState *state) {
    wbParticles_Free(memory, &state->particles);
    wbFluidSearch_Free(memory, &state->search);
}

void wbFluidState_ListValues(wbFluidState *state, const char *const names[WB_FLUID_VALUES],
                             wbSavedValue values[WB_FLUID_VALUES]) {
    wbParticles *p = &state->particles;
    values[0] = (wbSavedValue){names[0], &p->count, wb_valueInt, 0, INT_MAX - 1024, true};
    values[1] = (wbSavedValue){names[1], &p->maxSpeed, wb_valueFloat, 0, FLT_MAX, true};
    values[2] = (wbSavedValue){names[2], &p->maxDensity, wb_valueFloat, 0, FLT_MAX, true};
}

wbFluidStep wbMakeFluidStep(wbFluidState *state, const wbDomain *domain, float h, float smoothing,
                            const wbFluidColliders *colliders, const wbWork *work) {
    memset(state->ms, 0, sizeof state->ms);
    if (colliders) wbBoundary_ClearImpulses(colliders->boundary);
    return (wbFluidStep){.ms = state->ms,
                         .mark = wbGetSeconds(),
                         .particles = &state->particles,
                         .mixture = &state->mixture,
                         .search = &state->search,
                         .domain = domain,
                         .h = h,
                         .smoothing = smoothing,
                         .colliders = colliders,
                         .work = work};
}

void wbFluidStep_EndPhase(wbFluidStep *step, int phase) { step->ms[phase] += wbLapMs(&step->mark); }

void wbFluidStep_CopyVelocities(const wbFluidStep *step, float *vx, float *vy, float *vz) {
    const wbParticles *p = step->particles;
    size_t bytes = sizeof(float) * (size_t)p->count;
    memcpy(vx, p->vx, bytes), memcpy(vy, p->vy, bytes), memcpy(vz, p->vz, bytes);
}

wbStatus wbFluidStep_FailByMemory(const wbFluidStep *step) {
    return wbMemoryError(step->work->memory, "a step of %d particles needs", step->particles->count);
}

wbStatus wbFluidStep_Begin(wbFluidStep *step, wbBoundaryKernel kernel) {
    WB_ASSERT(step->particles->count > 0, "there are no particles");
    if (step->colliders) WB_TRY(wbBoundary_Weigh(step->colliders->boundary, &kernel, step->work));
    return wbFluidStep_ReserveMaxima(step);
}

wbStatus wbFluidStep_ReserveMaxima(wbFluidStep *step) {
    size_t blocks = (size_t)step->particles->count / WB_BLOCK + 1;
    step->maxima = wbArena_Alloc(step->work->arena, sizeof(float[2]) * blocks);
    return step->maxima ? wb_okStatus : wbFluidStep_FailByMemory(step);
}

static wbStatus checkCrowding(const wbFluidStep *step, const int *order) {
    const wbGrid *grid = &step->search->grid;
    if (!wbAreClumped(step->smoothing, step->domain->dimensions, (double)grid->crowding)) return wb_okStatus;
    return wbParticles_FailByClump(step->particles, (double)grid->crowding, order[grid->crowdedPlace]);
}

wbStatus wbFluidStep_Sort(wbFluidStep *step, wbPoints points, const wbMove *moves, int moveCount) {
    const wbWork *work = step->work;
    size_t scratch = wbArena_Mark(work->arena);
    int *order = wbArena_Alloc(work->arena, sizeof(int) * (size_t)points.count);
    if (!order) return wbFluidStep_FailByMemory(step);
    WB_TRY(wbGrid_Sort(&step->search->grid, work, points, step->h, step->domain->dimensions, wb_gridAuto,
                       order));
    WB_TRY(checkCrowding(step, order));
    wbReorder(work, order, points.count, moves, moveCount);
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

wbStatus wbFluidStep_CheckCrowding(wbFluidStep *step) {
    return wbFluidStep_Sort(step, wbParticles_GetPoints(step->particles), NULL, 0);
}

wbStatus wbFluidStep_CheckPairs(const wbFluidStep *step) {
    return wbParticles_CheckPairs(step->particles, step->search->neighbours.pairs, step->smoothing,
                                  step->domain->dimensions);
}

wbStatus wbFluidStep_FindGhosts(wbFluidStep *step, wbPoints points, wbPointSet *set) {
    step->firstGhost = wbPadCount(points.count);
    WB_TRY(wbMirrorPoints(step->work, step->domain, points, step->h, &step->ghosts));
    step->dummy = step->firstGhost + step->ghosts.count;
    if (step->ghosts.count == 0) return wb_okStatus;
    return wbSortGhosts(&step->search->ghostGrid, step->work, step->domain, step->h, step->firstGhost,
                        &step->ghosts, set);
}

wbStatus wbFluidStep_BeginLists(wbFluidStep *step, wbPoints points, const wbPointSet *ghosts,
                                wbListTask *lists) {
    step->own = (wbPointSet){.points = points, .grid = &step->search->grid};
    return wbNeighbours_Begin(&step->search->neighbours, step->work, &step->own,
                              step->ghosts.count ? ghosts : NULL, step->dummy, lists);
}

wbStatus wbFluidStep_BuildLists(wbFluidStep *step, wbPoints points, const wbPointSet *ghosts) {
    wbListTask task;
    WB_TRY(wbFluidStep_BeginLists(step, points, ghosts, &task));
    wbParallelFor(step->work->pool, points.count, WB_BLOCK, wbGetSpaceCode(step->work->simd)->lists, &task);
    return wbNeighbours_End(&step->search->neighbours, step->work);
}

bool wbFluidStep_AllocColumns(const wbFluidStep *step, float **const columns[], int count) {
    size_t bytes = sizeof(float) * (size_t)(wbPadCount(step->particles->count) + WB_PADDING);
    for (int c = 0; c < count; c++)
        if (!(*columns[c] = wbArena_Alloc(step->work->arena, bytes))) return false;
    return true;
}

static float *allocRecords(const wbFluidStep *step, const float dummy[], int length) {
    const size_t bytes = sizeof(float) * (size_t)length;
    float *records = wbArena_Alloc(step->work->arena, bytes * (size_t)(step->dummy + 1));
    if (!records) return NULL;
    for (int i = step->particles->count; i < step->firstGhost; i++)
        memcpy(records + (size_t)length * (size_t)i, dummy, bytes);
    memcpy(records + (size_t)length * (size_t)step->dummy, dummy, bytes);
    return records;
}

float *wbFluidStep_AllocPositions(const wbFluidStep *step, float fourth) {
    const float away[4] = {1e15f, 1e15f, 1e15f, fourth};
    return allocRecords(step, away, 4);
}

float *wbFluidStep_AllocVectors(const wbFluidStep *step) {
    const float none[4] = {0};
    return allocRecords(step, none, 4);
}

float *wbFluidStep_AllocMotions(const wbFluidStep *step) {
    const float away[8] = {1e15f, 1e15f, 1e15f};
    return allocRecords(step, away, 8);
}

float *wbFluidStep_AllocNumbers(const wbFluidStep *step, float dummy) {
    size_t count = (size_t)(step->dummy + 1 + WB_PADDING);
    float *numbers = wbArena_Alloc(step->work->arena, sizeof(float) * count);
    if (!numbers) return NULL;
    for (int i = step->particles->count; i < step->firstGhost; i++) numbers[i] = dummy;
    numbers[step->dummy] = dummy;
    return numbers;
}

typedef struct RelativeTask {
    const wbMixture *mixture;
    const uint32_t *ids;
    float *relative;
} RelativeTask;

static void fillRelative(int begin, int end, int worker, void *context) {
    (void)worker;
    const RelativeTask *task = context;
    for (int i = begin; i < end; i++) task->relative[i] = wbMixture_GetRelative(task->mixture, task->ids[i]);
}

void wbFluidStep_FillRelative(const wbFluidStep *step, const uint32_t *ids, float *relative) {
    int count = step->particles->count;
    RelativeTask task = {step->mixture, ids, relative};
    wbParallelFor(step->work->pool, count, WB_BLOCK, fillRelative, &task);
    for (int i = count; i < wbPadCount(count); i++) relative[i] = 1;
}

void wbFluidStep_CopyToGhosts(const wbFluidStep *step, float *numbers) {
    for (int k = 0; k < step->ghosts.count; k++)
        numbers[step->firstGhost + k] = numbers[step->ghosts.source[k]];
}

// Vectors of ghosts are those of their particles, times a sign, plus a shift.
typedef struct MirrorTask {
    const wbFluidStep *step;
    float *records;
    float sign[4], shift[3][4]; // by an axis' two bits of `sides`
} MirrorTask;

static void mirrorRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const MirrorTask *task = context;
    const wbGhosts *ghosts = &task->step->ghosts;
    for (int k = begin; k < end; k++) {
        const float *from = task->records + 4 * (size_t)ghosts->source[k];
        float *to = task->records + 4 * (size_t)(task->step->firstGhost + k);
        for (int a = 0; a < 3; a++) {
            uint32_t sides = ghosts->sides[k] >> (2 * a) & 3;
            to[a] = task->shift[a][sides] + task->sign[sides] * from[a];
        }
        to[3] = from[3];
    }
}

static void mirror(MirrorTask *task) {
    const wbFluidStep *step = task->step;
    wbParallelFor(step->work->pool, step->ghosts.count, 4 * WB_BLOCK, mirrorRange, task);
}

void wbFluidStep_MirrorPositions(const wbFluidStep *step, float *records) {
    MirrorTask task = {.step = step, .records = records, .sign = {1, -1, -1, 1}};
    for (int a = 0; a < 3; a++)
        task.shift[a][1] = 2 * step->domain->min[a], task.shift[a][2] = 2 * step->domain->max[a];
    mirror(&task);
}

void wbFluidStep_MirrorVelocities(const wbFluidStep *step, float *records) {
    MirrorTask task = {.step = step, .records = records, .sign = {1, -1, -1, 1}};
    for (int a = 0; a < 3; a++)
        for (int end = 0; end < 2; end++) task.shift[a][end + 1] = 2 * step->domain->velocity[2 * a + end][a];
    mirror(&task);
}

void wbFluidStep_MirrorVectors(const wbFluidStep *step, float *records) {
    MirrorTask task = {.step = step, .records = records, .sign = {1, -1, -1, 1}};
    mirror(&task);
}

wbStatus wbFluidStep_TakeMaxima(const wbFluidStep *step) {
    wbParticles *particles = step->particles;
    float speed2 = 0, density = 0;
    for (int b = 0; b * WB_BLOCK < particles->count; b++) {
        if (!isfinite(step->maxima[b][0])) return wbParticles_FailByBroken(particles);
        speed2 = fmaxf(speed2, step->maxima[b][0]), density = fmaxf(density, step->maxima[b][1]);
    }
    particles->maxSpeed = sqrtf(speed2), particles->maxDensity = density;
    return wb_okStatus;
}

bool wbFluidStep_HasBoundary(const wbFluidStep *step) {
    return step->colliders && wbBoundary_GetCount(step->colliders->boundary) > 0;
}

void wbFluidStep_RespondTo(const wbFluidStep *step, const wbImpulse *forces, wbBoundaryTime time,
                           float seconds) {
    if (wbFluidStep_HasBoundary(step) && step->colliders->respond)
        step->colliders->respond(forces, time, seconds, step->colliders->context);
}

void wbFluidStep_Respond(const wbFluidStep *step, const wbBoundaryLists *lists, wbBoundaryTime time,
                         float seconds) {
    if (!wbFluidStep_HasBoundary(step) || !step->colliders->respond) return;
    const float *const forces[3] = {lists->fx, lists->fy, lists->fz};
    wbBoundary_SumForces(step->colliders->boundary, step->work, time, forces, lists->sums);
    wbFluidStep_RespondTo(step, lists->sums, time, seconds);
}

float *wbFluidStep_AllocZeros(const wbFluidStep *step, int count) {
    size_t bytes = sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING);
    float *floats = wbArena_Alloc(step->work->arena, bytes);
    if (floats) memset(floats, 0, bytes);
    return floats;
}

wbImpulse *wbFluidStep_AllocBodySums(const wbFluidStep *step) {
    return wbArena_Alloc(step->work->arena,
                         sizeof(wbImpulse) * (size_t)(step->colliders->boundary->bodyCount + 1));
}

static wbStatus reserveForces(const wbFluidStep *step, wbBoundaryLists *lists) {
    int count = wbBoundary_GetCount(lists->points);
    float **const forces[] = {&lists->fx, &lists->fy, &lists->fz};
    for (int a = 0; a < 3; a++)
        if (!(*forces[a] = wbFluidStep_AllocZeros(step, count)))
            return wbMemoryError(step->work->memory, "%d points of colliders need", count);
    lists->sums = wbFluidStep_AllocBodySums(step);
    return lists->sums ? wb_okStatus
                       : wbMemoryError(step->work->memory, "%d points of colliders need", count);
}

wbStatus wbFluidStep_ListBoundary(const wbFluidStep *step, wbPoints points, wbBoundaryTime time,
                                  wbBoundaryWish wish, wbBoundaryLists *lists) {
    wbBoundary *boundary = step->colliders->boundary;
    wbFluidSearch *search = step->search;
    const wbWork *work = step->work;
    wbPointSet particles = {.points = points, .grid = &search->grid};
    wbListTask task;
    *lists = (wbBoundaryLists){.points = boundary, .places = &search->boundaryNeighbours};
    if (wish >= wb_wantsForces) WB_TRY(reserveForces(step, lists));
    WB_TRY(wbBoundary_Place(boundary, work, time));
    if (wish >= wb_wantsParticles) {
        lists->particles = &search->bodyNeighbours;
        WB_TRY(wbBoundary_ListParticles(boundary, &search->bodyNeighbours, work, &particles, step->dummy));
    }
    WB_TRY(wbBoundary_BeginLists(boundary, &search->boundaryNeighbours, work, points, &task));
    wbParallelFor(work->pool, points.count, WB_BLOCK, wbGetSpaceCode(work->simd)->lists, &task);
    return wbNeighbours_End(&search->boundaryNeighbours, work);
}

bool wbFluidStep_HasCollision(const wbFluidStep *step) { return step->colliders && step->colliders->collide; }

bool wbFluidStep_AllocBefore(wbFluidStep *step) {
    float **const before[] = {&step->before[0], &step->before[1], &step->before[2]};
    return !wbFluidStep_HasCollision(step) || wbFluidStep_AllocColumns(step, before, 3);
}

void wbFluidStep_KeepPositions(const wbFluidStep *step) {
    const wbParticles *p = step->particles;
    const float *const positions[3] = {p->x, p->y, p->z};
    for (int a = 0; a < 3 && wbFluidStep_HasCollision(step); a++)
        memcpy(step->before[a], positions[a], sizeof(float) * (size_t)p->count);
}

void wbFluidStep_Collide(const wbFluidStep *step, const float *boundarySums, wbBoundaryTime from,
                         wbBoundaryTime to, bool isLasting) {
    const wbParticles *p = step->particles;
    if (!wbFluidStep_HasCollision(step)) return;
    wbDrift drift = {.count = p->count,
                     .beforeX = step->before[0],
                     .beforeY = step->before[1],
                     .beforeZ = step->before[2],
                     .x = p->x,
                     .y = p->y,
                     .z = p->z,
                     .vx = p->vx,
                     .vy = p->vy,
                     .vz = p->vz,
                     .boundarySums = boundarySums,
                     .clearances = step->clearances,
                     .seenX = step->seen[0],
                     .seenY = step->seen[1],
                     .seenZ = step->seen[2],
                     .from = from,
                     .to = to,
                     .caught = isLasting ? step->colliders->boundary->caught.data : NULL,
                     .share = 1 / wbMixture_GetHeaviest(step->mixture),
                     .relative = step->relative};
    step->colliders->collide(&drift, step->work, step->colliders->context);
}

void wbFluidStep_TakeCaught(const wbFluidStep *step, double mass) {
    if (step->colliders)
        wbBoundary_AddCaught(step->colliders->boundary, mass * (double)wbMixture_GetHeaviest(step->mixture));
}

void wbFluidStep_Run(const wbFluidStep *step, wbRangeFn *range, int count, wbListPass lists) {
    wbParallelShare(step->work->pool, count, WB_BLOCK, range, &lists);
}

void wbFluidStep_RunOverLists(const wbFluidStep *step, wbRangeFn *range, const float *records,
                              const void *pass, unsigned terms) {
    wbFluidStep_Run(step, range, step->particles->count,
                    (wbListPass){&step->search->neighbours, records, records, pass, terms, false});
}

void wbFluidStep_RunNear(const wbFluidStep *step, const wbBoundaryLists *near, wbRangeFn *range,
                         const float *records, const void *pass, unsigned terms) {
    wbFluidStep_Run(step, range, step->particles->count,
                    (wbListPass){near->places, records, near->points->positionRecords, pass, terms, true});
}

void wbFluidStep_RunAt(const wbFluidStep *step, const wbBoundaryLists *near, wbRangeFn *range,
                       const float *records, const void *pass, unsigned terms) {
    wbFluidStep_Run(step, range, wbBoundary_GetCount(near->points),
                    (wbListPass){near->particles, near->points->positionRecords, records, pass, terms, true});
}
