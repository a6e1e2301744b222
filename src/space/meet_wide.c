// SPDX-License-Identifier: MIT
#include <string.h>

#include "space/meet_code.h"
#include "space/neighbours_wide.h"

// Of a body with few points a box is as good as their cells, and all of them are candidates: particles around a small body are in no order of
// its own axes, so that most would be searched one by one.
enum { FEW_POINTS = 256 };

static wbMeetStore *getStore(const wbMeetTask *task, int worker) {
    return (wbMeetStore *)task->search->stores.data + worker;
}

typedef struct Found {
    wbMeetStore *store;
    wbMemory *memory;
} Found;

// Bodies in their order, whatever that of the tree is.
static void add_body(int body, void *context) {
    const Found *found = context;
    wbMeetStore *store = found->store;
    if (!wbArray_Reserve(found->memory, &store->found, store->foundCount + 1)) {
        store->failed = true;
        return;
    }
    int *bodies = store->found.data, k = store->foundCount++;
    for (; k > 0 && bodies[k - 1] > body; k--) bodies[k] = bodies[k - 1];
    bodies[k] = body;
}

static void bound_points(const wbPoints *points, int begin, int end, float low[3], float high[3]) {
    const float *columns[3] = {points->x, points->y, points->z};
    for (int a = 0; a < 3; a++) {
        REAL least = real_set(columns[a][begin]), most = least;
        float lows[WB_LANES], highs[WB_LANES];
        for (int k = begin; k < end; k += WB_LANES) {
            const REAL p = real_select(real_mask(lane_first(end - k)), real_load(columns[a] + k),
                                       real_set(columns[a][begin]));
            least = real_min(p, least), most = real_max(p, most);
        }
        real_store(lows, least), real_store(highs, most);
        low[a] = lows[0], high[a] = highs[0];
        for (int l = 1; l < WB_LANES; l++)
            low[a] = lows[l] < low[a] ? lows[l] : low[a], high[a] = highs[l] > high[a] ? highs[l] : high[a];
    }
}

// The particles of a stretch in a body's frame.
WB_INLINE void bring_over(const wbPoints *points, int begin, int end, const wbPose *pose,
                          float places[3][WB_MEET_STRETCH]) {
    const float *at = pose->position;
    const wbVec3 axes[3] = {wbPose_Rotate(pose, wbMakeVec3(1, 0, 0)),
                            wbPose_Rotate(pose, wbMakeVec3(0, 1, 0)),
                            wbPose_Rotate(pose, wbMakeVec3(0, 0, 1))};
    for (int k = begin; k < end; k += WB_LANES) {
        const REAL x = real_load(points->x + k) - at[0], y = real_load(points->y + k) - at[1],
                   z = real_load(points->z + k) - at[2];
        for (int a = 0; a < 3; a++)
            real_store(places[a] + (k - begin),
                       real_madd(x, real_set(axes[a].x), real_madd(y, real_set(axes[a].y), z * axes[a].z)));
    }
}

static void add_meet(const wbMeetTask *task, wbMeetStore *store, wbMeet meet) {
    if (meet.particles == 0 || store->failed) return;
    if (wbArray_Reserve(task->memory, &store->meets, store->count + 1))
        ((wbMeet *)store->meets.data)[store->count++] = meet;
    else
        store->failed = true;
}

static void meet_body(const wbMeetTask *task, wbMeetStore *store, int begin, int end, int body) {
    const wbGrid *grid = (const wbGrid *)task->boundary->ownGrids.data + body;
    const wbBoundaryBody *own = wbBoundary_GetBody(task->boundary, body);
    float places[3][WB_MEET_STRETCH];
    uint64_t all = 0, layer = 0;
    bring_over(&task->particles, begin, end, &own->motions[task->time].pose, places);
    const float reach = 1.0001f * task->radius + grid->slack, first = 0.7f * task->radius;
    for (int k = 0; k < end - begin; k += WB_LANES) {
        REAL away2 = real_set(0);
        for (int a = 0; a < 3; a++) {
            const REAL p = real_load(places[a] + k),
                       away = real_max(real_max(p - grid->max[a], grid->min[a] - p), real_set(0));
            away2 = real_madd(away, away, away2);
        }
        const unsigned some = lane_first(end - begin - k);
        all |= (uint64_t)(lane_less(away2, real_set(reach * reach)) & some) << k;
        layer |= (uint64_t)(lane_less(away2, real_set(first * first)) & some) << k;
    }
    if (all == 0) return;
    if (own->ownCount > FEW_POINTS) {
        const wbPoints local = {places[0], places[1], places[2], end - begin};
        const wbPointSet set = {.grid = grid};
        Box box;
        bound_points(&local, 0, end - begin, box.min, box.max);
        if (is_far(&set, &box)) return;
    }
    add_meet(task, store, (wbMeet){body, begin / WB_MEET_STRETCH, false, 0, layer});
    add_meet(task, store, (wbMeet){body, begin / WB_MEET_STRETCH, true, 0, all & ~layer});
}

static void find(int begin, int end, int worker, void *context) {
    const wbMeetTask *task = context;
    wbMeetStore *store = getStore(task, worker);
    Found found = {store, task->memory};
    for (int i = begin, next; i < end && !store->failed; i = next) {
        BroadBox box;
        next = i + WB_MEET_STRETCH < end ? i + WB_MEET_STRETCH : end;
        bound_points(&task->particles, i, next, box.min, box.max);
        store->foundCount = 0;
        wbBroadPhase_FindAll(&task->search->tree, &box, add_body, &found);
        for (int k = 0; k < store->foundCount && !store->failed; k++)
            meet_body(task, store, i, next, ((const int *)store->found.data)[k]);
    }
}

static bool take_candidates(const wbListTask *task, wbListStore *s, const wbPointSet *set) {
    const int count = set->points.count;
    if (s->candidateCapacity < FEW_POINTS + WB_LANES &&
        !wbListStore_GrowCandidates(task->memory, s, FEW_POINTS + WB_LANES))
        return false;
    for (int k = 0; k < count; k++) s->id[k] = set->firstIndex + k;
    memcpy(s->x, set->points.x, sizeof(float) * (size_t)count);
    memcpy(s->y, set->points.y, sizeof(float) * (size_t)count);
    memcpy(s->z, set->points.z, sizeof(float) * (size_t)count);
    const REAL away = real_set(FAR_AWAY);
    real_store(s->x + count, away), real_store(s->y + count, away), real_store(s->z + count, away);
    return true;
}

// Those that fill up a group are far from everything.
WB_INLINE void filter_group(const wbListTask *task, wbListStore *s, int i, int candidates) {
    int found[WB_GROUP];
    float sums[WB_GROUP];
    for (int lane = 0; lane < WB_GROUP; lane += SHARED_POINTS)
        filter_candidates(task, s, candidates, i + lane, lane, SHARED_POINTS, NULL, NULL, found + lane,
                          sums + lane);
    for (int l = 0; l < WB_GROUP; l++) s->pairs += found[l];
    store_lists(task, s, i / WB_GROUP, found);
}

static wbPointSet get_points(const wbBoundary *b, int body) {
    const wbBoundaryBody *own = wbBoundary_GetBody(b, body);
    return (wbPointSet){
        .points = {b->ownX + own->first, b->ownY + own->first, b->ownZ + own->first, own->ownCount},
        .grid = (const wbGrid *)b->ownGrids.data + body,
        .firstIndex = own->first,
        .clearMin = {FLT_MAX, FLT_MAX, FLT_MAX},
        .clearMax = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static void lists(int begin, int end, int worker, void *context) {
    const wbMeetTask *task = context;
    const wbMeetings *m = task->meetings;
    wbListTask one = task->lists;
    wbListStore *store = &one.neighbours->stores[worker];
    wbPointSet set = {.grid = NULL};
    for (int i = begin, last = -1; i < end; i += WB_GROUP) {
        const int group = i / WB_GROUP, body = m->bodies[group];
        float sums[WB_GROUP];
        int rowCount;
        if (i % WB_BLOCK == 0) ((uint8_t *)one.neighbours->owners.data)[i / WB_BLOCK] = (uint8_t)worker;
        ((uint32_t *)one.neighbours->begins.data)[group] = 0;
        ((int *)one.neighbours->lengths.data)[group] = 0;
        for (int l = 0; l < WB_GROUP; l++) m->isNear[i + l] = 0;
        if (body < 0) continue;
        if (body != last) set = get_points(task->boundary, body);
        if (set.points.count <= FEW_POINTS) {
            if (body != last && !take_candidates(&one, store, &set)) return;
            filter_group(&one, store, i, set.points.count);
        } else {
            one.searched[0] = &set, one.own.count = i;
            while (one.own.count < i + WB_GROUP && m->particles[one.own.count] != m->dummy) one.own.count++;
            wb_build_group(&one, store, i, NULL, NULL, sums);
        }
        if (store->failed) return;
        last = body;
        const int *rows = wbNeighbours_GetRows(one.neighbours, group, &rowCount);
        for (int l = 0; l < WB_GROUP && rowCount > 0; l++) m->isNear[i + l] = rows[l] != one.dummy;
    }
}

const wbMeetCode WB_WIDE(wb_meetCode) = {find, lists};
