// SPDX-License-Identifier: MIT
#include "rigid/rigid_search.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_list.h"
#include "rigid/rigid_springs_formula.h"

// Stores

enum {
    CONTACT_COLUMNS = 2,
    PLACE_COLUMNS = 6,
    MOST_CONTACTS = 1 << 24 // of all bodies: half a gigabyte
};

static void listContacts(wbRigidStore *store, wbColumn columns[CONTACT_COLUMNS]) {
    const wbColumn list[CONTACT_COLUMNS] = {{"first", (void **)&store->first, 4, false},
                                            {"second", (void **)&store->second, 4, false}};
    memcpy(columns, list, sizeof list);
}

static void listPlaces(wbRigidStore *store, wbColumn columns[PLACE_COLUMNS]) {
    const wbColumn list[PLACE_COLUMNS] = {
        {"atX", (void **)&store->at[0], 4, false}, {"atY", (void **)&store->at[1], 4, false},
        {"atZ", (void **)&store->at[2], 4, false}, {"toX", (void **)&store->to[0], 4, false},
        {"toY", (void **)&store->to[1], 4, false}, {"toZ", (void **)&store->to[2], 4, false}};
    memcpy(columns, list, sizeof list);
}

void wbRigidStore_Free(wbMemory *memory, wbRigidStore *store) {
    wbColumn contacts[CONTACT_COLUMNS], places[PLACE_COLUMNS];
    listContacts(store, contacts), listPlaces(store, places);
    wbFreeColumns(memory, contacts, CONTACT_COLUMNS, &store->capacity);
    wbFreeColumns(memory, places, PLACE_COLUMNS, &store->placeCapacity);
    wbArray *arrays[] = {&store->links, &store->groups, &store->sums, &store->others};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) wbArray_Free(memory, arrays[k]);
}

bool wbRigidStore_Reserve(wbRigidStore *store, wbMemory *memory, int more) {
    wbColumn columns[PLACE_COLUMNS];
    int *capacity = store->isOnce ? &store->placeCapacity : &store->capacity;
    if (more <= *capacity - store->count) return true;
    if (store->isOnce)
        listPlaces(store, columns);
    else
        listContacts(store, columns);
    store->isTooMuch = more > MOST_CONTACTS + WB_PADDING - store->count;
    store->failed = store->isTooMuch ||
                    !wbReserveColumns(memory, columns, store->isOnce ? PLACE_COLUMNS : CONTACT_COLUMNS,
                                      capacity, store->count + more);
    return !store->failed;
}

void wbRigidStore_Add(wbRigidStore *store, const wbRigidParticles *p, int first, int second) {
    const int n = store->count++;
    if (store->isOnce)
        for (int k = 0; k < 3; k++) store->at[k][n] = store->to[k][n] = p->world[k][first];
    else
        store->first[n] = first, store->second[n] = second;
}

static bool reserveStores(wbRigidParticles *p, const wbWork *work) {
    const int count = wbThreadPool_GetCount(work->pool);
    if (count <= p->storeCount) return true;
    wbRigidStore *stores = wbAlloc(work->memory, sizeof(wbRigidStore) * (size_t)count);
    if (!stores) return false;
    if (p->stores) memcpy(stores, p->stores, sizeof(wbRigidStore) * (size_t)p->storeCount);
    wbFree(work->memory, p->stores, sizeof(wbRigidStore) * (size_t)p->storeCount);
    for (int w = p->storeCount; w < count; w++)
        stores[w] = (wbRigidStore){.links.elementSize = sizeof(wbRigidLink),
                                   .groups.elementSize = sizeof(wbRigidGroup),
                                   .sums.elementSize = sizeof(wbRigidSum),
                                   .others.elementSize = sizeof(int)};
    p->stores = stores, p->storeCount = count;
    return true;
}

// Groups

static bool reserveGroup(const wbContactSearch *search, wbRigidStore *store) {
    wbMemory *memory = search->finder.memory;
    wbArray *records = search->once ? &store->sums : &store->groups;
    if (wbArray_Reserve(memory, &store->links, store->groupCount + 1) &&
        wbArray_Reserve(memory, records, store->groupCount + 1))
        return true;
    return store->failed = true, false;
}

bool wbContactSearch_CloseGroup(const wbContactSearch *search, wbRigidStore *store, int begin,
                                wbRigidGroup *group) {
    if (begin == store->count) return true;
    if (!reserveGroup(search, store)) return false;
    const int n = store->groupCount++;
    ((wbRigidLink *)store->links.data)[n] = (wbRigidLink){group->first, group->second};
    group->begin = begin, group->count = store->count - begin;
    if (search->once) {
        search->code->touchGroup(search->once, group, store, (wbRigidSum *)store->sums.data + n);
        store->count = begin;
    } else {
        group->store = (int)(store - search->rigid->particles.stores);
        ((wbRigidGroup *)store->groups.data)[n] = *group;
    }
    return true;
}

static bool findPair(const wbContactSearch *search, wbRigidStore *store, int worker, int a, int b) {
    const int begin = store->count;
    if (!search->code->find(&search->finder, store, worker, a, b)) return false;
    if (begin == store->count) return true;
    wbRigidGroup group = {.first = a,
                          .second = b,
                          .mover = b,
                          .kind = wb_surfaceParticles,
                          .radii = {search->matter[a].radius, search->matter[b].radius},
                          .springs = rigid_springs(search->rule, search->matter[a], search->matter[b])};
    return wbContactSearch_CloseGroup(search, store, begin, &group);
}

// Bodies

static bool hasParticles(const wbRigid *rigid, int body) {
    return rigid->bits[body] & WB_RIGID_DYNAMIC && wbRigid_IsFelt(rigid, body);
}

static void sortInts(int *values, int count) {
    for (int i = 1; i < count; i++) {
        const int value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
}

static int getBodyAt(const wbContactSearch *search, int place) {
    return place < search->smallCount ? search->small[place] : search->large[place - search->smallCount];
}

static bool reserveOthers(const wbContactSearch *search, wbRigidStore *store, int needed) {
    if (wbArray_Reserve(search->finder.memory, &store->others, needed)) return true;
    return store->failed = true, false;
}

// Bodies behind one whose boxes are near its own, into the store's `others`; -1 if memory ran out. Small ones are in the lists of the
// grid; with large ones all are tried.
static int findByBodies(const wbContactSearch *search, wbRigidStore *store, int place) {
    const bool isSmall = place < search->smallCount;
    const int body = getBodyAt(search, place), total = search->smallCount + search->largeCount;
    int rows = 0, count = 0;
    const int *list =
        isSmall ? wbNeighbours_GetRows(&search->rigid->particles.neighbours, place / WB_GROUP, &rows) : NULL;
    const int firstTried = isSmall ? search->smallCount : 0;
    if (!reserveOthers(search, store, rows + total - firstTried)) return -1;
    int *others = store->others.data;
    for (int k = 0; k < rows; k++) {
        const int other = search->small[list[k * WB_GROUP + place % WB_GROUP]];
        others[count] = other, count += other > body;
    }
    for (int at = firstTried; at < total; at++) {
        const int other = getBodyAt(search, at);
        others[count] = other, count += other > body;
    }
    return search->code->pick(&search->finder, body, others, count);
}

// The same by the cells of particles, whose bodies are told once each.
static int findByParticles(const wbContactSearch *search, wbRigidStore *store, int worker, int body) {
    if (!reserveOthers(search, store, search->smallCount + search->largeCount)) return -1;
    return search->code->scan(&search->finder, worker, body, store->others.data);
}

static int findAmongAll(const wbContactSearch *search, wbRigidStore *store, int body) {
    int count = 0;
    if (!reserveOthers(search, store, search->rigid->count)) return -1;
    for (int other = body + 1; other < search->rigid->count; other++)
        if (hasParticles(search->rigid, other)) ((int *)store->others.data)[count++] = other;
    return count;
}

static int findOthers(const wbContactSearch *search, wbRigidStore *store, int worker, int place) {
    switch (search->model->params.search) {
    case wb_searchGrid:
        return findByParticles(search, store, worker, getBodyAt(search, place));
    case wb_searchAllPairs:
        return findAmongAll(search, store, getBodyAt(search, place));
    default:
        return findByBodies(search, store, place);
    }
}

static int keepMeeting(const wbRigid *rigid, int body, int *others, int count) {
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (wbRigid_MayMeet(rigid, body, others[k])) others[kept++] = others[k];
    return kept;
}

// What a search needs of a body that comes next: of 10,000 bodies, more than the caches near the cores hold.
static void fetchBody(const wbContactSearch *search, int body) {
    enum { MOST = 64, LINE = 16 };
    const wbRigidParticles *p = &search->rigid->particles;
    const int first = p->firstParticle[body],
              count = p->surfaceCount[body] < MOST ? p->surfaceCount[body] : MOST;
    const float *mover = (const float *)p->movers.data + WB_RIGID_MOVER * (size_t)body;
    __builtin_prefetch(&search->matter[body]);
    __builtin_prefetch(mover), __builtin_prefetch(mover + WB_RIGID_MOVER - 1);
    for (int k = 0; k < 3; k++) {
        for (int i = first; i < first + count; i += LINE) __builtin_prefetch(p->world[k] + i);
        __builtin_prefetch(p->world[k] + first + count - 1); // they do not begin at lines
    }
}

// By place in the list of bodies, so that the groups of those that are near each other are.
static void searchRange(int begin, int end, int worker, void *context) {
    const wbContactSearch *search = context;
    wbRigidStore *store = &search->rigid->particles.stores[worker];
    for (int place = begin; place < end && !store->failed; place++) {
        const int body = getBodyAt(search, place), found = findOthers(search, store, worker, place);
        if (found < 0) return;
        int *others = store->others.data;
        const int count = keepMeeting(search->rigid, body, others, found);
        sortInts(others, count);
        if (count) fetchBody(search, others[0]);
        for (int k = 0; k < count; k++) {
            if (k + 1 < count) fetchBody(search, others[k + 1]);
            if (!findPair(search, store, worker, body, others[k])) return;
        }
        if (!wbContactSearch_FindSurfaces(search, store, body)) return;
    }
}

// Preparation

wbStatus wbContactSearch_FailForMemory(const wbContactSearch *search) {
    return wbMemoryError(search->finder.memory, "contacts of %d rigid bodies need", search->rigid->count);
}

// Room for the particles of a body by worker, and for what all read.
static bool reserveNear(wbContactSearch *search, const wbWork *work) {
    const wbRigidParticles *p = &search->rigid->particles;
    const int count = wbThreadPool_GetCount(work->pool);
    int most = 0;
    for (int b = 0; b < p->bodyCount; b++) most = p->surfaceCount[b] > most ? p->surfaceCount[b] : most;
    const size_t length = (size_t)wbPadCount(most) + WB_PADDING, bodies = (size_t)p->bodyCount + 1;
    wbRigidNear *near = search->finder.near = wbArena_Alloc(work->arena, sizeof(wbRigidNear) * (size_t)count);
    float *floats = wbArena_Alloc(work->arena, sizeof(float[4]) * length * (size_t)count);
    search->finder.frames = wbArena_Alloc(work->arena, sizeof(wbRigidFrame) * bodies);
    search->matter = wbArena_Alloc(work->arena, sizeof(RigidMatter) * bodies);
    if (!near || !floats || !search->finder.frames || !search->matter) return false;
    for (int k = 0; k < count; k++, floats += 4 * length)
        near[k] = (wbRigidNear){
            .x = floats, .y = floats + length, .z = floats + 2 * length, .id = (int *)(floats + 3 * length)};
    return true;
}

static void prepareRange(int begin, int end, int worker, void *context) {
    wbContactSearch *search = context;
    search->code->spread(begin, end, worker, &search->finder);
    for (int b = begin; b < end; b++) search->matter[b] = wbRigid_GetMatter(search->rigid, search->model, b);
}

// Which bodies there are. Those are large that reach four times as far as the mean: cells are made for the others.
static bool chooseBodies(wbContactSearch *search, const wbWork *work, float *largest) {
    const wbRigid *rigid = search->rigid;
    const size_t total = (size_t)rigid->count + 1;
    search->small = wbArena_Alloc(work->arena, sizeof(int) * (total + WB_PADDING));
    search->large = wbArena_Alloc(work->arena, sizeof(int) * total);
    if (!search->small || !search->large) return false;
    double sum = 0;
    int felt = 0;
    for (int b = 0; b < rigid->count; b++)
        if (hasParticles(rigid, b)) sum += rigid->reach[b], felt++;
    *largest = 0;
    for (int b = 0; b < rigid->count; b++) {
        if (!hasParticles(rigid, b)) continue;
        if (rigid->reach[b] * felt > 4 * sum)
            search->large[search->largeCount++] = b;
        else
            search->small[search->smallCount++] = b, *largest = fmaxf(*largest, rigid->reach[b]);
    }
    return true;
}

// Bodies and their particles fill few of the cells around them, so that cells would be hashed, and a third of the search would be to
// find the runs of them. Clearing dense ones costs less, as long as they are not too many.
static wbGridKind chooseGrid(const wbContactSearch *search, float radius) {
    enum { MOST_CELLS = 1 << 22 };
    const wbRigid *rigid = search->rigid;
    const float *columns[3] = {rigid->x, rigid->y, rigid->z};
    double cells = 2;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (int n = 0; n < search->smallCount + search->largeCount; n++) {
            const int body = getBodyAt(search, n);
            const float from = columns[k][body] - rigid->reach[body],
                        to = columns[k][body] + rigid->reach[body];
            low = from < low ? from : low, high = to > high ? to : high;
        }
        cells *= (double)(high - low) / radius + 1;
    }
    return cells < MOST_CELLS ? wb_gridDense : wb_gridAuto;
}

// Points of bodies or of particles: places, and whose they are.
typedef struct Points {
    float *at[3];
    int *ids;
    int count;
} Points;

static bool allocPoints(const wbWork *work, Points *points, int count) {
    const size_t bytes = 4 * ((size_t)wbPadCount(count) + WB_PADDING);
    points->count = count;
    points->ids = wbArena_Alloc(work->arena, bytes);
    for (int k = 0; k < 3; k++) points->at[k] = wbArena_Alloc(work->arena, bytes);
    return points->ids && points->at[0] && points->at[1] && points->at[2];
}

// The same points by cells of the grid.
static wbStatus sortPoints(wbContactSearch *search, const wbWork *work, const Points *points, float radius,
                           Points *sorted) {
    const size_t bytes = sizeof(int) * ((size_t)wbPadCount(points->count) + WB_PADDING);
    int *order = wbArena_Alloc(work->arena, bytes);
    if (!order || !allocPoints(work, sorted, points->count)) return wbContactSearch_FailForMemory(search);
    WB_TRY(wbGrid_Sort(&search->rigid->particles.grid, work,
                       (wbPoints){points->at[0], points->at[1], points->at[2], points->count}, radius,
                       search->domain->dimensions, chooseGrid(search, radius), order));
    const wbMove moves[] = {{points->at[0], sorted->at[0]},
                            {points->at[1], sorted->at[1]},
                            {points->at[2], sorted->at[2]},
                            {points->ids, sorted->ids}};
    wbReorder(work, order, points->count, moves, 4);
    return wb_okStatus;
}

// Lists of small bodies whose balls are near each other.
static wbStatus sortBodies(wbContactSearch *search, const wbWork *work, float largest) {
    const wbRigid *rigid = search->rigid;
    wbRigidParticles *p = &search->rigid->particles;
    const int count = search->smallCount;
    Points points, sorted;
    if (!allocPoints(work, &points, count)) return wbContactSearch_FailForMemory(search);
    for (int n = 0; n < count; n++) {
        const int b = points.ids[n] = search->small[n];
        points.at[0][n] = rigid->x[b], points.at[1][n] = rigid->y[b], points.at[2][n] = rigid->z[b];
    }
    WB_TRY(sortPoints(search, work, &points, (2 * largest + search->finder.margin) * 1.0001f, &sorted));
    search->small = sorted.ids, search->small[count] = -1; // what lists are filled up with
    const wbPointSet set = {.points = {sorted.at[0], sorted.at[1], sorted.at[2], count},
                            .grid = &p->grid,
                            .clearMin = {1, 1, 1},
                            .clearMax = {0, 0, 0}};
    return wbNeighbours_Build(&p->neighbours, work, &set, NULL, count);
}

static wbStatus sortParticles(wbContactSearch *search, const wbWork *work) {
    const wbRigid *rigid = search->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const int workers = wbThreadPool_GetCount(work->pool);
    const size_t seen = (size_t)rigid->count + 1;
    Points points, sorted;
    int count = 0;
    for (int b = 0; b < rigid->count; b++)
        if (hasParticles(rigid, b)) count += p->surfaceCount[b];
    int *marks = wbArena_Alloc(work->arena, sizeof(int) * seen * (size_t)workers);
    if (!marks || !allocPoints(work, &points, count)) return wbContactSearch_FailForMemory(search);
    count = 0;
    for (int b = 0; b < rigid->count; b++) {
        if (!hasParticles(rigid, b)) continue;
        const int first = p->firstParticle[b], own = p->surfaceCount[b];
        for (int k = 0; k < 3; k++)
            memcpy(points.at[k] + count, p->world[k] + first, sizeof(float) * (size_t)own);
        for (int n = 0; n < own; n++) points.ids[count + n] = b;
        count += own;
    }
    const float radius = (2 * p->largestRadius + search->finder.margin) * 1.0001f;
    WB_TRY(sortPoints(search, work, &points, radius, &sorted));
    memset(marks, -1, sizeof(int) * seen * (size_t)workers);
    for (int w = 0; w < workers; w++) search->finder.near[w].seen = marks + seen * (size_t)w;
    search->finder.cells = (wbRigidCells){
        .grid = &p->grid, .x = sorted.at[0], .y = sorted.at[1], .z = sorted.at[2], .bodies = sorted.ids};
    return wb_okStatus;
}

wbStatus wbContactSearch_Begin(wbContactSearch *search, wbRigid *rigid, const wbRigidModel *model,
                               const wbWork *work, const wbDomain *domain, float margin, float h) {
    const wbRigidSearch kind = model->params.search;
    float largest = 0;
    *search = (wbContactSearch){.finder = {.rigid = rigid,
                                           .memory = work->memory,
                                           .margin = margin,
                                           .triesAll = kind == wb_searchAllPairs},
                                .rigid = rigid,
                                .model = model,
                                .domain = domain,
                                .code = wbGetRigidParticleCode(work->simd),
                                .h = h,
                                .rule = wbRigid_GetRule(model, h)};
    if (!reserveStores(&rigid->particles, work) || !reserveNear(search, work) ||
        !chooseBodies(search, work, &largest) || !wbContactSearch_ChooseShapes(search, work))
        return wbContactSearch_FailForMemory(search);
    wbParallelFor(work->pool, rigid->particles.bodyCount, 16, prepareRange, search);
    if (kind == wb_searchBodies) return sortBodies(search, work, largest);
    if (kind == wb_searchGrid) return sortParticles(search, work);
    return wb_okStatus;
}

wbStatus wbContactSearch_Run(wbContactSearch *search, const wbWork *work) {
    const wbRigidParticles *p = &search->rigid->particles;
    int64_t contacts = 0;
    bool isTooMuch = false;
    for (int w = 0; w < p->storeCount; w++) {
        p->stores[w].groupCount = p->stores[w].count = 0;
        p->stores[w].failed = p->stores[w].isTooMuch = false;
        p->stores[w].isOnce = search->once != NULL;
    }
    wbParallelFor(work->pool, search->smallCount + search->largeCount, 16, searchRange, search);
    for (int w = 0; w < p->storeCount; w++) {
        const wbRigidStore *store = &p->stores[w];
        if (store->failed && !store->isTooMuch) return wbContactSearch_FailForMemory(search);
        contacts += store->count, isTooMuch = isTooMuch || store->isTooMuch;
    }
    if (isTooMuch || contacts > MOST_CONTACTS)
        return wbError(
            wb_errorUnstable,
            "particles of %d rigid bodies have more than %d contacts: too many bodies are in one place",
            search->rigid->count, MOST_CONTACTS);
    return wb_okStatus;
}
