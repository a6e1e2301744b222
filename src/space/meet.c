// SPDX-License-Identifier: MIT
#include "space/meet.h"

#include <string.h>

#include "core/status.h"
#include "space/meet_code.h"

void wbMeetSearch_Init(wbMeetSearch *search) {
    *search = (wbMeetSearch){.stores = {.elementSize = sizeof(wbMeetStore)}};
    wbNeighbours_Init(&search->lists);
}

void wbMeetSearch_Free(wbMemory *memory, wbMeetSearch *search) {
    wbMeetStore *stores = search->stores.data;
    for (int w = 0; w < search->stores.capacity; w++) {
        wbArray_Free(memory, &stores[w].meets);
        wbArray_Free(memory, &stores[w].found);
        wbArray_Free(memory, &stores[w].bounds);
        wbArray_Free(memory, &stores[w].lists);
    }
    wbArray_Free(memory, &search->stores);
    wbNeighbours_Free(memory, &search->lists);
    wbBroadPhase_Free(memory, &search->tree);
}

// Around the points of a body that count, where it is.
static BroadBox boundBody(const wbBoundary *b, int index, const wbPose *pose, const wbMeetFrame *frame,
                          float margin) {
    const wbBoundaryBody *body = wbBoundary_GetBody(b, index);
    const wbGrid *grid = (const wbGrid *)b->ownGrids.data + index;
    if (body->isOff || body->ownCount == 0) return wbMakeEmptyBox();
    const wbVec3 min = {grid->min[0], grid->min[1], grid->min[2]},
                 max = {grid->max[0], grid->max[1], grid->max[2]}, half = wbScale(0.5f, wbSub(max, min));
    const BroadBox box =
        wbBoundTurned(wbPose_Apply(pose, wbScale(0.5f, wbAdd(min, max))), wbScale(half.x, frame->axes[0]),
                      wbScale(half.y, frame->axes[1]), wbScale(half.z, frame->axes[2]));
    return wbGrowBox(&box, margin);
}

static wbMeetFrame makeFrame(const wbPose *pose) {
    const float *p = pose->position;
    return (wbMeetFrame){{wbPose_Rotate(pose, wbMakeVec3(1, 0, 0)), wbPose_Rotate(pose, wbMakeVec3(0, 1, 0)),
                          wbPose_Rotate(pose, wbMakeVec3(0, 0, 1))},
                         {p[0], p[1], p[2]}};
}

// Points near a particle: more are rare, and make room when they come. Boxes of more bodies than these take longer to look through than the
// tree over them.
enum { USUAL_POINTS = 48, MANY_BODIES = 512 };

static bool reserveBodies(wbMeetTask *task, const wbWork *work) {
    const int count = task->boundary->bodyCount, room = wbPadCount(count) + WB_PADDING;
    float *floats = wbArena_Alloc(work->arena, sizeof(float[6]) * (size_t)room);
    task->frames = wbArena_Alloc(work->arena, sizeof(wbMeetFrame) * (size_t)(count + 1));
    if (!floats || !task->frames) return false;
    wbMeetBoxes_Lay(&task->boxes, floats, room);
    task->boxes.count = count;
    task->isCrowded = count > MANY_BODIES;
    return true;
}

static bool prepare(wbMeetSearch *search, wbMeetTask *task, const wbWork *work) {
    const wbBoundary *b = task->boundary;
    const int threads = wbThreadPool_GetCount(work->pool);
    if (!reserveBodies(task, work) || !wbArray_Reserve(work->memory, &search->stores, threads) ||
        !wbBroadPhase_Reserve(work->memory, &search->tree, b->bodyCount))
        return false;
    for (int w = 0; w < search->stores.capacity; w++) {
        wbMeetStore *store = (wbMeetStore *)search->stores.data + w;
        store->meets.elementSize = sizeof(wbMeet);
        store->found.elementSize = store->lists.elementSize = sizeof(int);
        store->bounds.elementSize = sizeof(float);
        store->count = 0, store->failed = false;
        if (!wbArray_Reserve(work->memory, &store->lists, USUAL_POINTS * WB_BLOCK)) return false;
    }
    wbBroadPhase_SetCount(&search->tree, b->bodyCount);
    for (int k = 0; k < b->bodyCount; k++) {
        const wbPose *pose = &wbBoundary_GetBody(b, k)->motions[task->time].pose;
        task->frames[k] = makeFrame(pose);
        const BroadBox box = boundBody(b, k, pose, &task->frames[k], 1.001f * task->radius);
        wbMeetBoxes_Set(&task->boxes, k, &box);
        if (task->isCrowded) wbBroadPhase_SetBox(&search->tree, k, &box);
    }
    if (task->isCrowded) wbBroadPhase_Update(&search->tree);
    return true;
}

static const wbMeetStore *getStore(const wbMeetTask *task, int worker) {
    return (const wbMeetStore *)task->search->stores.data + worker;
}

// Meetings of each body in the order of particles, by groups of their own: how many, and the first groups. False: a worker found no memory.
static bool layOut(const wbMeetTask *task, int threads, int *firstGroup, int *counts) {
    const int bodyCount = task->boundary->bodyCount;
    memset(counts, 0, sizeof *counts * (size_t)bodyCount);
    for (int w = 0; w < threads; w++) {
        const wbMeet *meets = getStore(task, w)->meets.data;
        if (getStore(task, w)->failed) return false;
        for (int k = 0; k < getStore(task, w)->count; k++)
            counts[meets[k].body] += __builtin_popcountll(meets[k].particles);
    }
    firstGroup[0] = 1;
    for (int k = 0; k < bodyCount; k++)
        firstGroup[k + 1] = firstGroup[k] + (counts[k] + WB_GROUP - 1) / WB_GROUP;
    return true;
}

static bool allocate(wbMeetTask *task, wbArena *arena, int bodyCount) {
    wbMeetings *m = task->meetings;
    const size_t ints = sizeof(int) * (size_t)m->count,
                 particles = sizeof(int) * (size_t)wbPadCount(m->particleCount);
    m->particles = wbArena_Alloc(arena, ints), m->next = wbArena_Alloc(arena, ints);
    m->clearances = wbArena_Alloc(arena, ints), m->bodies = wbArena_Alloc(arena, ints / WB_GROUP);
    task->places = wbArena_Alloc(arena, ints);
    m->head = wbArena_Alloc(arena, particles), m->heads = wbArena_Alloc(arena, particles / WB_GROUP);
    m->forces = wbArena_Alloc(arena, sizeof(wbImpulse) * (size_t)(bodyCount + 1));
    return m->particles && m->next && m->clearances && m->bodies && task->places && m->head && m->heads &&
           m->forces;
}

// Each meet's first meeting, and the bodies of groups.
static void number(const wbMeetTask *task, int threads, int *counts) {
    const wbMeetings *m = task->meetings;
    m->bodies[0] = -1;
    for (int l = 0; l < WB_GROUP; l++) m->particles[l] = m->dummy, m->next[l] = 0; // where chains end
    for (int b = 0; b < task->boundary->bodyCount; b++) {
        const int first = WB_GROUP * m->firstGroup[b], end = first + counts[b];
        for (int g = m->firstGroup[b]; g < m->firstGroup[b + 1]; g++) m->bodies[g] = b;
        for (int k = end; k < WB_GROUP * m->firstGroup[b + 1]; k++) m->particles[k] = m->dummy;
        counts[b] = first; // the next ones from here on
    }
    for (int w = 0; w < threads; w++) {
        wbMeet *meets = getStore(task, w)->meets.data;
        for (int k = 0; k < getStore(task, w)->count; k++) {
            int *next = &counts[meets[k].body];
            meets[k].first = *next, *next += __builtin_popcountll(meets[k].particles);
        }
    }
}

static void fillRange(int begin, int end, int worker, void *context) {
    (void)begin, (void)end;
    const wbMeetTask *task = context;
    const wbMeet *meets = getStore(task, worker)->meets.data;
    for (int k = 0; k < getStore(task, worker)->count; k++) {
        int *particles = task->meetings->particles + meets[k].first;
        for (uint64_t rest = meets[k].particles; rest; rest &= rest - 1)
            *particles++ = WB_MEET_STRETCH * meets[k].stretch + __builtin_ctzll(rest);
    }
}

// In each stretch from the last body to the first, so that chains are in their order. Where nothing is near, there is no meeting.
static void chainRange(int begin, int end, int worker, void *context) {
    const wbMeetTask *task = context;
    const wbMeetings *m = task->meetings;
    const wbMeet *meets = getStore(task, worker)->meets.data;
    for (int i = begin; i < wbPadCount(end); i++) m->head[i] = 0;
    for (int g = begin / WB_GROUP; g < wbPadCount(end) / WB_GROUP; g++) m->heads[g] = 0;
    for (int k = getStore(task, worker)->count - 1; k >= 0; k--) {
        const int *places = task->places + meets[k].first;
        for (uint64_t rest = meets[k].particles; rest; rest &= rest - 1) {
            const int i = WB_MEET_STRETCH * meets[k].stretch + __builtin_ctzll(rest), place = *places++;
            if (place == 0) continue;
            m->next[place] = m->head[i], m->head[i] = place;
            m->heads[i / WB_GROUP]++;
        }
    }
}

static wbStatus listPoints(wbMeetTask *task, const wbWork *work) {
    const wbMeetings *m = task->meetings;
    const wbPoints own = {.count = m->count}; // which come by groups
    const wbPointSet none = {.grid = task->boundary->ownGrids.data}, *sets = &none;
    WB_TRY(wbNeighbours_BeginAmong(&task->search->lists, work, own, &sets, 1, task->boundary->pointCount,
                                   &task->lists));
    wbParallelFor(work->pool, m->count, WB_BLOCK, wbGetMeetCode(work->simd)->lists, task);
    return wbNeighbours_End(&task->search->lists, work);
}

wbStatus wbMeetSearch_Find(wbMeetSearch *search, const wbBoundary *boundary, const wbWork *work,
                           wbPoints particles, wbBoundaryTime time, int dummy, float clearance,
                           wbMeetings *meetings) {
    wbMeetTask task = {.boundary = boundary,
                       .search = search,
                       .meetings = meetings,
                       .memory = work->memory,
                       .particles = particles,
                       .time = time,
                       .radius = boundary->key.radius};
    const int threads = wbThreadPool_GetCount(work->pool);
    int *firstGroup = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(boundary->bodyCount + 1));
    int *counts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(boundary->bodyCount + 1));
    if (!firstGroup || !counts || !prepare(search, &task, work))
        return wbMemoryError(work->memory, "%d bodies among fluids need", boundary->bodyCount);
    wbParallelFor(work->pool, particles.count, WB_BLOCK, wbGetMeetCode(work->simd)->find, &task);
    const bool isFound = layOut(&task, threads, firstGroup, counts);
    *meetings = (wbMeetings){.boundary = boundary,
                             .lists = &search->lists,
                             .count = WB_GROUP * firstGroup[boundary->bodyCount],
                             .particleCount = particles.count,
                             .dummy = dummy,
                             .clearance = clearance,
                             .firstGroup = firstGroup};
    if (!isFound || !allocate(&task, work->arena, boundary->bodyCount))
        return wbMemoryError(work->memory, "%d bodies among fluids need", boundary->bodyCount);
    number(&task, threads, counts);
    memset(meetings->forces, 0, sizeof(wbImpulse) * (size_t)(boundary->bodyCount + 1));
    wbParallelFor(work->pool, particles.count, WB_BLOCK, fillRange, &task);
    WB_TRY(listPoints(&task, work));
    wbParallelFor(work->pool, particles.count, WB_BLOCK, chainRange, &task);
    return wb_okStatus;
}
