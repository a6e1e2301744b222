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
    if (!wbArray_Reserve(found->memory, &store->found, store->foundCount + 1 + WB_PADDING)) {
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

// WB_LANES places in a body's frame, along one of its axes.
WB_INLINE REAL bring_over(const wbMeetFrame *frame, int axis, REAL x, REAL y, REAL z) {
    const wbVec3 to = frame->axes[axis];
    return real_madd(x - frame->origin[0], real_set(to.x),
                     real_madd(y - frame->origin[1], real_set(to.y), (z - frame->origin[2]) * to.z));
}

// The square of how far places are from a box.
WB_INLINE REAL find_distance2(const REAL place[3], const float min[3], const float max[3]) {
    REAL away2 = real_set(0);
    for (int a = 0; a < 3; a++) {
        const REAL away = real_max(real_max(place[a] - max[a], min[a] - place[a]), real_set(0));
        away2 = real_madd(away, away, away2);
    }
    return away2;
}

static void add_meet(const wbMeetTask *task, wbMeetStore *store, wbMeet meet) {
    if (wbArray_Reserve(task->memory, &store->meets, store->count + 1))
        ((wbMeet *)store->meets.data)[store->count++] = meet;
    else
        store->failed = true;
}

static void meet_body(const wbMeetTask *task, wbMeetStore *store, int begin, int end, int body) {
    const wbGrid *grid = (const wbGrid *)task->boundary->ownGrids.data + body;
    const wbMeetFrame frame = task->frames[body];
    const wbPoints *points = &task->particles;
    float places[3][WB_MEET_STRETCH];
    uint64_t near = 0;
    const float reach = 1.0001f * task->radius + grid->slack;
    for (int k = 0; k < end - begin; k += WB_LANES) {
        const REAL x = real_load(points->x + begin + k), y = real_load(points->y + begin + k),
                   z = real_load(points->z + begin + k);
        REAL own[3];
        for (int a = 0; a < 3; a++) {
            own[a] = bring_over(&frame, a, x, y, z);
            real_store(places[a] + k, own[a]);
        }
        const REAL away2 = find_distance2(own, grid->min, grid->max);
        near |= (uint64_t)(lane_less(away2, real_set(reach * reach)) & lane_first(end - begin - k)) << k;
    }
    if (near == 0) return;
    if (wbBoundary_GetBody(task->boundary, body)->ownCount > FEW_POINTS) {
        const wbPoints local = {places[0], places[1], places[2], end - begin};
        const wbPointSet set = {.grid = grid};
        Box box;
        bound_points(&local, 0, end - begin, box.min, box.max);
        if (is_far(&set, &box)) return;
    }
    add_meet(task, store, (wbMeet){body, begin / WB_MEET_STRETCH, 0, near});
}

// Bodies whose boxes touch that of a stretch, among those of columns.
static void meet_near(const wbMeetTask *task, wbMeetStore *store, const wbMeetBoxes *boxes, int begin,
                      int end) {
    Box box;
    bound_points(&task->particles, begin, end, box.min, box.max);
    for (int k = 0; k < boxes->count && !store->failed; k += WB_LANES) {
        unsigned near = lane_first(boxes->count - k);
        for (int a = 0; a < 3; a++)
            near &= ~(lane_less(real_set(box.max[a]), real_load(boxes->min[a] + k)) |
                      lane_less(real_load(boxes->max[a] + k), real_set(box.min[a])));
        for (; near && !store->failed; near &= near - 1) {
            const int n = k + __builtin_ctz(near);
            meet_body(task, store, begin, end, boxes->bodies ? boxes->bodies[n] : n);
        }
    }
}

// Of many bodies the tree knows those that are near a block.
static bool find_boxes(const wbMeetTask *task, const Found *found, int begin, int end, wbMeetBoxes *boxes) {
    wbMeetStore *store = found->store;
    BroadBox box;
    bound_points(&task->particles, begin, end, box.min, box.max);
    store->foundCount = 0;
    wbBroadPhase_FindAll(&task->search->tree, &box, add_body, (void *)found);
    const int room = wbPadCount(store->foundCount) + WB_PADDING;
    if (store->failed || !wbArray_Reserve(found->memory, &store->bounds, 6 * room)) return false;
    wbMeetBoxes_Lay(boxes, store->bounds.data, room);
    boxes->bodies = store->found.data, boxes->count = store->foundCount;
    for (int k = 0; k < store->foundCount; k++)
        wbMeetBoxes_Set(boxes, k, wbBroadPhase_GetBox(&task->search->tree, boxes->bodies[k]));
    return true;
}

static void find(int begin, int end, int worker, void *context) {
    const wbMeetTask *task = context;
    const Found found = {getStore(task, worker), task->memory};
    wbMeetBoxes boxes = task->boxes;
    for (int i = begin; i < end && !found.store->failed; i += WB_MEET_STRETCH) {
        const int block = i + WB_BLOCK < end ? i + WB_BLOCK : end;
        if (task->isCrowded && (i - begin) % WB_BLOCK == 0 && !find_boxes(task, &found, i, block, &boxes))
            found.store->failed = true;
        else
            meet_near(task, found.store, &boxes, i, i + WB_MEET_STRETCH < end ? i + WB_MEET_STRETCH : end);
    }
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

// Meetings of one body in a block, in the order of particles: where those are in the body's frame, and what is near them.
enum { WORDS = FEW_POINTS / 64 };
typedef struct Run {
    float x[WB_BLOCK + WB_PADDING], y[WB_BLOCK + WB_PADDING], z[WB_BLOCK + WB_PADDING];
    int particles[WB_BLOCK];
    float clearances[WB_BLOCK];
    int counts[WB_BLOCK], most;
    uint64_t points[WB_BLOCK][WORDS]; // of a body with few, as bits
    int starts[WB_BLOCK];             // of lists in the store, where it has many
    int count;
} Run;

// Those that fill up a group are far from everything. Of points on a lattice no surface is known that could be away from them.
static void bring_run(const wbMeetTask *task, int first, int body, Run *run) {
    const wbMeetFrame frame = task->frames[body];
    const wbPoints *points = &task->particles;
    const wbShape *shape = wbBoundary_GetBody(task->boundary, body)->shape;
    float *const columns[3] = {run->x, run->y, run->z}, min[3] = {-INFINITY, -INFINITY, -INFINITY},
                 max[3] = {INFINITY, INFINITY, INFINITY};
    if (shape) {
        const wbShapeTree *tree = wbShape_GetTree(shape);
        min[0] = tree->min.x, min[1] = tree->min.y, min[2] = tree->min.z;
        max[0] = tree->max.x, max[1] = tree->max.y, max[2] = tree->max.z;
    }
    for (int k = 0; k < run->count; k += WB_LANES) {
        const INTS i = ints_load(task->meetings->particles + first + k);
        const unsigned some = ints_less(i, ints_set(points->count));
        const REAL x = real_from_bits(ints_gather((const int *)points->x, i, some)),
                   y = real_from_bits(ints_gather((const int *)points->y, i, some)),
                   z = real_from_bits(ints_gather((const int *)points->z, i, some));
        REAL own[3];
        for (int a = 0; a < 3; a++) {
            own[a] = real_select(real_mask(some), bring_over(&frame, a, x, y, z), real_set(-1e15f));
            real_store(columns[a] + k, own[a]);
        }
        real_store(run->clearances + k, real_sqrt(find_distance2(own, min, max)));
        ints_store(run->particles + k, i);
    }
}

static void add_count(Run *run, int k, int count) {
    run->counts[k] = count;
    run->most = count > run->most ? count : run->most;
}

// All points of a body with few, which are filled up to whole words with some that are far away.
static void see_few(const wbPoints *points, float radius, Run *run, wbListStore *s) {
    const int words = (points->count + 63) / 64;
    const REAL limit = real_set(radius * radius);
    for (int p = points->count / WB_LANES * WB_LANES; p < 64 * words; p += WB_LANES) {
        const REAL away = real_set(FAR_AWAY);
        real_store(s->x + p, away), real_store(s->y + p, away), real_store(s->z + p, away);
    }
    memcpy(s->x, points->x, sizeof(float) * (size_t)points->count);
    memcpy(s->y, points->y, sizeof(float) * (size_t)points->count);
    memcpy(s->z, points->z, sizeof(float) * (size_t)points->count);
    for (int k = 0; k < run->count; k++) {
        const REAL x = real_set(run->x[k]), y = real_set(run->y[k]), z = real_set(run->z[k]);
        int count = 0;
        for (int w = 0; w < words; w++) {
            uint64_t word = 0;
#pragma GCC unroll 16
            for (int p = 0; p < 64; p += WB_LANES) {
                const REAL dx = real_load(s->x + 64 * w + p) - x, dy = real_load(s->y + 64 * w + p) - y,
                           dz = real_load(s->z + 64 * w + p) - z;
                const REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
                word |= (uint64_t)lane_less(r2, limit) << p;
            }
            run->points[k][w] = word, count += __builtin_popcountll(word);
        }
        add_count(run, k, count), s->pairs += count;
    }
}

// Of a body with many they are searched, and their lists stand one behind the other.
static bool search_many(const wbMeetTask *task, const wbPointSet *set, Run *run, wbListStore *s,
                        wbMeetStore *store) {
    wbListTask one = task->lists;
    int used = 0;
    one.searched[0] = set, one.own = (wbPoints){run->x, run->y, run->z, run->count};
    while (one.own.count > 0 && run->particles[one.own.count - 1] == task->meetings->dummy) one.own.count--;
    for (int i = 0; i < run->count; i += WB_GROUP) {
        int found[WB_GROUP];
        float sums[WB_GROUP];
        search_group(&one, s, i, NULL, NULL, found, sums);
        if (s->failed) return false;
        const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
        for (int l = 0; l < WB_GROUP; l++) {
            const int count = found[l] > 0 ? found[l] : 0, *list = s->found + (size_t)l * stride;
            if (!wbArray_Reserve(task->memory, &store->lists, used + count + WB_PADDING)) return false;
            int *to = (int *)store->lists.data + used;
            for (int k = 0; k < count; k += WB_LANES) ints_store(to + k, ints_load(list + k));
            add_count(run, i + l, count), run->starts[i + l] = used;
            used += count;
        }
    }
    return true;
}

// The longest lists first, since those of a group are filled up to its longest: in the order of particles more than
// half of their entries were that.
static void order_run(const Run *run, int *order) {
    enum { MOST = 255 };
    const int most = run->most < MOST ? run->most : MOST;
    int first[MOST + 2];
    for (int c = 0; c <= most + 1; c++) first[c] = 0;
    for (int k = 0; k < run->count; k++) first[most - (run->counts[k] < most ? run->counts[k] : most) + 1]++;
    for (int c = 0; c < most; c++) first[c + 1] += first[c];
    for (int k = 0; k < run->count; k++)
        order[first[most - (run->counts[k] < most ? run->counts[k] : most)]++] = k;
}

// One's list, and the dummy behind it.
WB_INLINE void write_row(const Run *run, int k, const wbPointSet *set, const int *lists, int dummy,
                         int *row) {
    const int count = run->counts[k];
    if (set->points.count > FEW_POINTS)
        for (int n = 0; n < count; n += WB_LANES) ints_store(row + n, ints_load(lists + run->starts[k] + n));
    else
        for (int p = 0, n = 0; p < set->points.count; p += WB_LANES)
            n += lane_pack_ints(row + n, (unsigned)(run->points[k][p / 64] >> p % 64) & lane_first(WB_LANES),
                                ints_count() + (set->firstIndex + p));
    ints_store(row + count, ints_set(dummy));
}

static void store_run(const wbMeetTask *task, wbListStore *s, const int *lists, const wbPointSet *set,
                      const Run *run, int first) {
    const wbMeetings *m = task->meetings;
    const size_t stride = (size_t)(s->candidateCapacity + WB_PADDING);
    int order[WB_BLOCK], found[WB_GROUP];
    order_run(run, order);
    for (int n = 0; n < run->count; n++) {
        const int k = order[n], to = first + n, l = n % WB_GROUP;
        const bool isAny = run->counts[k] > 0;
        write_row(run, k, set, lists, task->lists.dummy, s->found + stride * (size_t)l);
        m->particles[to] = isAny ? run->particles[k] : m->dummy;
        m->clearances[to] = run->clearances[k];
        task->places[first + k] = isAny ? to : 0;
        found[l] = run->counts[k];
        if (l == WB_GROUP - 1) store_lists(&task->lists, s, to / WB_GROUP, found);
    }
}

static bool list_run(const wbMeetTask *task, wbListStore *s, wbMeetStore *store, int first, int body,
                     Run *run) {
    const wbPointSet set = get_points(task->boundary, body);
    if (s->candidateCapacity < FEW_POINTS && !wbListStore_GrowCandidates(task->memory, s, FEW_POINTS))
        return false;
    run->most = 0;
    bring_run(task, first, body, run);
    if (set.points.count <= FEW_POINTS)
        see_few(&set.points, task->radius, run, s);
    else if (!search_many(task, &set, run, s, store))
        return false;
    store_run(task, s, store->lists.data, &set, run, first);
    return !s->failed;
}

static void lists(int begin, int end, int worker, void *context) {
    const wbMeetTask *task = context;
    const wbMeetings *m = task->meetings;
    wbListStore *s = &task->lists.neighbours->stores[worker];
    wbMeetStore *store = getStore(task, worker);
    Run run;
    for (int i = begin; i < end; i += run.count) {
        const int body = m->bodies[i / WB_GROUP], block = i / WB_BLOCK * WB_BLOCK + WB_BLOCK,
                  most = block < end ? block : end;
        if (i % WB_BLOCK == 0)
            ((uint8_t *)task->lists.neighbours->owners.data)[i / WB_BLOCK] = (uint8_t)worker;
        for (run.count = WB_GROUP; i + run.count < most && m->bodies[(i + run.count) / WB_GROUP] == body;)
            run.count += WB_GROUP;
        if (body < 0) {
            const int none[WB_GROUP] = {0};
            store_lists(&task->lists, s, i / WB_GROUP, none);
            for (int l = 0; l < WB_GROUP; l++) m->clearances[i + l] = m->clearance, task->places[i + l] = 0;
            continue;
        }
        if (!list_run(task, s, store, i, body, &run)) {
            s->failed = true;
            return;
        }
    }
}

const wbMeetCode WB_WIDE(wb_meetCode) = {find, lists};
