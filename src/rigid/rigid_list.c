// SPDX-License-Identifier: MIT
#include "rigid/rigid_list.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_springs_formula.h"

// Springs

// Springs shorter in their period than so many sub-steps / (2 pi) are not followed: with a face full of contacts, from six sides, and
// what a body's turning adds, semi-implicit steps stay stable.
static const float stableAngle = 0.25f;

RigidRule wbRigid_GetRule(const wbRigidModel *model, float h) {
    const wbRigidParams *p = &model->params;
    return (RigidRule){.stiffness = p->stiffness,
                       .damping = p->damping,
                       .overlap = p->overlap,
                       .stableRate2 = stableAngle * stableAngle / (h * h),
                       .shearStiffness = p->shearStiffness,
                       .shearDamping = p->shearDamping,
                       .isSeed = p->seed,
                       .frictionMix = (int)p->frictionMix,
                       .restitutionMix = (int)p->restitutionMix};
}

RigidMatter wbRigid_GetMatter(const wbRigid *rigid, const wbRigidModel *model, int body) {
    const wbRigidParticles *p = &rigid->particles;
    if (body < 0)
        return (RigidMatter){.face = INFINITY,
                             .friction = model->params.sideFriction,
                             .restitution = model->params.sideRestitution,
                             .hasMaterial = model->params.sideMaterial == wb_sideMaterialOwn};
    RigidMatter m = {.face = INFINITY,
                     .friction = rigid->friction[body],
                     .restitution = rigid->restitution[body],
                     .hasMaterial = true};
    if (!(rigid->bits[body] & WB_RIGID_DYNAMIC) || body >= p->bodyCount) return m;
    const wbVec3 g = model->domain->gravity;
    m.inverseMass = rigid->inverseMass[body];
    m.weight = sqrtf(wbDot(g, g)) * fabsf(rigid->gravityScale[body]) / m.inverseMass;
    m.radius = p->radius[p->firstParticle[body]], m.face = (float)p->faceCount[body];
    return m;
}

RigidSprings wbRigid_GetSprings(const wbRigid *rigid, const wbRigidModel *model, int first, int second,
                                float h) {
    return rigid_springs(wbRigid_GetRule(model, h), wbRigid_GetMatter(rigid, model, first),
                         wbRigid_GetMatter(rigid, model, second));
}

// Groups

// Which groups a body is the first and the second of.
static void linkBodies(wbRigid *rigid) {
    wbRigidParticles *p = &rigid->particles;
    const wbRigidLink *links = p->links.data;
    int *first = p->firstGroups.data, *counts = p->groupCounts.data, *starts = p->secondStarts.data,
        *seconds = p->secondGroups.data;
    memset(first, 0, sizeof(int) * (size_t)rigid->count);
    memset(counts, 0, sizeof(int) * (size_t)rigid->count);
    memset(starts, 0, sizeof(int) * (size_t)(rigid->count + 2));
    for (int g = 0; g < p->groupCount; g++) {
        if (counts[links[g].first]++ == 0) first[links[g].first] = g;
        if (links[g].second >= 0) starts[links[g].second + 2]++;
    }
    for (int b = 0; b < rigid->count; b++) starts[b + 2] += starts[b + 1];
    for (int g = 0; g < p->groupCount; g++)
        if (links[g].second >= 0) seconds[starts[links[g].second + 1]++] = g;
}

// Of each body in the order of the first bodies, which is not that of the search.
static void sortSeconds(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidParticles *p = context;
    const wbRigidLink *links = p->links.data;
    const int *starts = p->secondStarts.data;
    for (int b = begin; b < end; b++) {
        const int count = starts[b + 1] - starts[b];
        if (count < 2) continue;
        int *seconds = (int *)p->secondGroups.data + starts[b];
        for (int i = 1; i < count; i++) {
            const int g = seconds[i];
            int k = i;
            for (; k > 0 && links[seconds[k - 1]].first > links[g].first; k--) seconds[k] = seconds[k - 1];
            seconds[k] = g;
        }
    }
}

// Links of all workers behind each other, with room for `more` sums behind theirs; and what bodies gather.
static wbStatus joinLinks(const wbContactSearch *search, const wbWork *work, int more) {
    wbRigid *rigid = search->rigid;
    wbRigidParticles *p = &rigid->particles;
    int64_t total = more;
    for (int w = 0; w < p->storeCount; w++) total += p->stores[w].groupCount;
    const int room = total > INT32_MAX / 4 ? INT32_MAX : (int)total;
    if (room == INT32_MAX || !wbArray_Reserve(work->memory, &p->links, room) ||
        !wbArray_Reserve(work->memory, &p->sums, room) ||
        !wbArray_Reserve(work->memory, &p->secondGroups, room) ||
        !wbArray_Reserve(work->memory, &p->firstGroups, rigid->count + 1) ||
        !wbArray_Reserve(work->memory, &p->groupCounts, rigid->count + 1) ||
        !wbArray_Reserve(work->memory, &p->secondStarts, rigid->count + 2))
        return wbContactSearch_FailForMemory(search);
    p->groupCount = 0;
    for (int w = 0; w < p->storeCount; w++) {
        const size_t count = (size_t)p->stores[w].groupCount;
        if (count)
            memcpy((wbRigidLink *)p->links.data + p->groupCount, p->stores[w].links.data,
                   sizeof(wbRigidLink) * count);
        p->groupCount += (int)count;
    }
    linkBodies(rigid);
    wbParallelFor(work->pool, rigid->count, 64, sortSeconds, p);
    return wb_okStatus;
}

wbStatus wbRigid_TouchOnce(wbContactSearch *search, const wbWork *work, const wbRigidTouching *once) {
    wbRigidParticles *p = &search->rigid->particles;
    search->once = once;
    WB_TRY(wbContactSearch_Run(search, work));
    WB_TRY(joinLinks(search, work, 0));
    for (int w = 0, at = 0; w < p->storeCount; at += p->stores[w++].groupCount) {
        const size_t count = (size_t)p->stores[w].groupCount;
        if (count)
            memcpy((wbRigidSum *)p->sums.data + at, p->stores[w].sums.data, sizeof(wbRigidSum) * count);
    }
    return wb_okStatus;
}

// A list in the making, and what the memory of contacts has, by body.
typedef struct Listing {
    wbContactSearch search;
    int *oldBegin, *oldEnd;
} Listing;

static wbStatus joinGroups(Listing *listing, const wbWork *work) {
    wbRigidParticles *p = &listing->search.rigid->particles;
    WB_TRY(joinLinks(&listing->search, work, wb_surfaceKindCount));
    if (!wbArray_Reserve(work->memory, &p->groups, p->groupCount + wb_surfaceKindCount))
        return wbContactSearch_FailForMemory(&listing->search);
    wbRigidGroup *groups = p->groups.data;
    for (int w = 0; w < p->storeCount; w++) {
        const size_t count = (size_t)p->stores[w].groupCount;
        if (count) memcpy(groups, p->stores[w].groups.data, sizeof(wbRigidGroup) * count);
        groups += count;
    }
    for (int kind = 0; kind < wb_surfaceKindCount; kind++) groups[kind] = (wbRigidGroup){.kind = kind};
    return wb_okStatus;
}

// Chunks

enum { LENGTHS = 256, ROW_COLUMNS = 5 }; // longer groups are sorted as if they were as long as this

static int getBucket(const wbRigidGroup *group) {
    const int length = group->count < LENGTHS ? group->count : LENGTHS;
    return group->kind * (LENGTHS + 1) + LENGTHS - length;
}

static void listRows(wbRigidParticles *p, wbColumn columns[ROW_COLUMNS]) {
    const wbColumn list[ROW_COLUMNS] = {{"rowFirst", (void **)&p->rowFirst, 4, false},
                                        {"rowSecond", (void **)&p->rowSecond, 4, false},
                                        {"rowShearX", (void **)&p->rowShear[0], 4, false},
                                        {"rowShearY", (void **)&p->rowShear[1], 4, false},
                                        {"rowShearZ", (void **)&p->rowShear[2], 4, false}};
    memcpy(columns, list, sizeof list);
}

void wbRigidParticles_FreeRows(wbMemory *memory, wbRigidParticles *p) {
    wbColumn columns[ROW_COLUMNS];
    listRows(p, columns);
    wbFreeColumns(memory, columns, ROW_COLUMNS, &p->rowCapacity);
}

// Groups into lanes, the longest of each kind first; behind the last of a kind, empty ones.
static wbStatus fillLanes(Listing *listing, const wbWork *work) {
    wbRigidParticles *p = &listing->search.rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    int buckets[wb_surfaceKindCount * (LENGTHS + 1) + 1] = {0};
    int kindCounts[wb_surfaceKindCount] = {0}, lanes = 0;
    for (int g = 0; g < p->groupCount; g++)
        buckets[getBucket(&groups[g]) + 1]++, kindCounts[groups[g].kind]++;
    for (int kind = 0; kind < wb_surfaceKindCount; kind++) lanes += wbPadCount(kindCounts[kind]);
    if (!wbArray_Reserve(work->memory, &p->lanes, lanes) ||
        !wbArray_Reserve(work->memory, &p->chunks, lanes / WB_PADDING))
        return wbContactSearch_FailForMemory(&listing->search);
    int *lane = p->lanes.data, at = 0;
    for (int kind = 0; kind < wb_surfaceKindCount; kind++) {
        int *bucket = buckets + kind * (LENGTHS + 1);
        bucket[0] = at;
        for (int k = 1; k <= LENGTHS; k++) bucket[k] += bucket[k - 1];
        const int end = at + kindCounts[kind];
        at += wbPadCount(kindCounts[kind]);
        for (int k = end; k < at; k++) lane[k] = p->groupCount + kind;
    }
    for (int g = 0; g < p->groupCount; g++) lane[buckets[getBucket(&groups[g])]++] = g;
    p->chunkCount = lanes / WB_PADDING;
    return wb_okStatus;
}

static wbStatus layOutChunks(Listing *listing, const wbWork *work) {
    wbRigidParticles *p = &listing->search.rigid->particles;
    wbRigidGroup *groups = p->groups.data;
    wbRigidChunk *chunks = p->chunks.data;
    wbColumn columns[ROW_COLUMNS];
    int64_t rows = 0;
    for (int n = 0; n < p->chunkCount; n++) {
        const int *lane = (const int *)p->lanes.data + n * WB_PADDING;
        chunks[n] = (wbRigidChunk){.begin = (int)(rows * WB_PADDING), .kind = groups[lane[0]].kind};
        for (int k = 0; k < WB_PADDING; k++)
            if (groups[lane[k]].count > chunks[n].rows) chunks[n].rows = groups[lane[k]].count;
        rows += chunks[n].rows;
        if (rows > INT32_MAX / 2 / WB_PADDING) return wbContactSearch_FailForMemory(&listing->search);
    }
    p->rowCount = (int)rows * WB_PADDING;
    listRows(p, columns);
    if (!wbReserveColumns(work->memory, columns, ROW_COLUMNS, &p->rowCapacity, p->rowCount))
        return wbContactSearch_FailForMemory(&listing->search);
    return wb_okStatus;
}

// Order in which a body's groups stand: other bodies, then sides, then pieces.
static int64_t rankOf(const wbRigidParticles *p, int second) {
    return second >= 0 ? p->body[second] : (int64_t)INT32_MAX - second;
}

static bool isBefore(const wbRigidParticles *p, int first, int second, int thanFirst, int thanSecond) {
    const int64_t a = rankOf(p, second), b = rankOf(p, thanSecond);
    return a != b ? a < b : first != thanFirst ? first < thanFirst : second < thanSecond;
}

// Where the memory of contacts has those of each body: together.
static bool findOld(Listing *listing, const wbWork *work) {
    const wbRigid *rigid = listing->search.rigid;
    const wbRigidParticles *p = &rigid->particles;
    const size_t bytes = sizeof(int) * ((size_t)rigid->count + 1);
    int *begin = listing->oldBegin = wbArena_Alloc(work->arena, bytes);
    int *end = listing->oldEnd = wbArena_Alloc(work->arena, bytes);
    if (!begin || !end) return false;
    memset(begin, 0, bytes), memset(end, 0, bytes);
    for (int c = 0; c < p->contactCount; c++) {
        const int body = p->body[p->contactFirst[c]];
        if (end[body] != c) begin[body] = c;
        end[body] = c + 1;
    }
    return true;
}

// How far the contacts of a group were sheared: both are in the same order.
static void carryShear(const Listing *listing, const wbRigidGroup *group) {
    wbRigidParticles *p = &listing->search.rigid->particles;
    int low = listing->oldBegin[group->first], end = listing->oldEnd[group->first];
    for (int high = end; low < high;) {
        const int middle = low + (high - low) / 2;
        if (isBefore(p, p->contactFirst[middle], p->contactSecond[middle], p->rowFirst[group->begin],
                     p->rowSecond[group->begin]))
            low = middle + 1;
        else
            high = middle;
    }
    for (int k = 0; k < group->count && low < end; k++) {
        const int c = group->begin + k * WB_PADDING;
        while (low < end &&
               isBefore(p, p->contactFirst[low], p->contactSecond[low], p->rowFirst[c], p->rowSecond[c]))
            low++;
        if (low == end || p->contactFirst[low] != p->rowFirst[c] || p->contactSecond[low] != p->rowSecond[c])
            continue;
        for (int d = 0; d < 3; d++) p->rowShear[d][c] = p->shear[d][low];
    }
}

// The contacts of chunks, row by row; where a lane has fewer, its first one once more, or any: it does not count.
static void fillRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Listing *listing = context;
    wbRigidParticles *p = &listing->search.rigid->particles;
    wbRigidGroup *groups = p->groups.data;
    const wbRigidChunk *chunks = p->chunks.data;
    for (int n = begin; n < end; n++) {
        const size_t words = (size_t)chunks[n].rows * WB_PADDING;
        for (int d = 0; d < 3; d++) memset(p->rowShear[d] + chunks[n].begin, 0, sizeof(float) * words);
        for (int lane = 0; lane < WB_PADDING; lane++) {
            wbRigidGroup *group = &groups[((const int *)p->lanes.data)[n * WB_PADDING + lane]];
            const wbRigidStore *store = &p->stores[group->store];
            const int from = group->begin, to = chunks[n].begin + lane;
            for (int k = 0; k < chunks[n].rows; k++) {
                const int c = k < group->count ? from + k : from;
                p->rowFirst[to + k * WB_PADDING] = group->count ? store->first[c] : 0;
                p->rowSecond[to + k * WB_PADDING] = group->count ? store->second[c] : 0;
            }
            if (group->count == 0) continue; // many lanes have the same empty one
            group->begin = to;
            if (listing->oldBegin[group->first] < listing->oldEnd[group->first]) carryShear(listing, group);
        }
    }
}

static wbStatus fillChunks(Listing *listing, const wbWork *work) {
    if (!findOld(listing, work)) return wbContactSearch_FailForMemory(&listing->search);
    WB_TRY(fillLanes(listing, work));
    WB_TRY(layOutChunks(listing, work));
    wbParallelFor(work->pool, listing->search.rigid->particles.chunkCount, 1, fillRange, listing);
    return wb_okStatus;
}

wbStatus wbRigid_ListContacts(wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                              const wbDomain *domain, float margin, float h) {
    const size_t mark = wbArena_Mark(work->arena);
    Listing listing = {.oldBegin = NULL};
    wbStatus status = wbContactSearch_Begin(&listing.search, rigid, model, work, domain, margin, h);
    if (wbIsOk(status)) status = wbContactSearch_Run(&listing.search, work);
    if (wbIsOk(status)) status = joinGroups(&listing, work);
    if (wbIsOk(status)) status = fillChunks(&listing, work);
    wbArena_Release(work->arena, mark);
    return status;
}

bool wbRigid_Remembers(const wbRigidModel *model) {
    return !model->params.seed && model->params.shearStiffness > 0;
}

static bool isSheared(const wbRigidParticles *p, int c) {
    return p->rowShear[0][c] != 0 || p->rowShear[1][c] != 0 || p->rowShear[2][c] != 0;
}

static int countSheared(const wbRigidParticles *p) {
    const wbRigidGroup *groups = p->groups.data;
    int count = 0;
    for (int g = 0; g < p->groupCount; g++)
        for (int k = 0; k < groups[g].count; k++) count += isSheared(p, groups[g].begin + k * WB_PADDING);
    return count;
}

wbStatus wbRigid_KeepContacts(wbRigid *rigid, const wbRigidModel *model, wbMemory *memory) {
    wbRigidParticles *p = &rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    wbColumn columns[WB_RIGID_CONTACT_COLUMNS];
    wbRigidParticles_ListContacts(p, columns);
    p->contactCount = 0;
    if (!wbRigid_Remembers(model)) return wb_okStatus;
    const int count = countSheared(p);
    if (!wbReserveColumns(memory, columns, WB_RIGID_CONTACT_COLUMNS, &p->contactCapacity, count))
        return wbMemoryError(memory, "%d contacts of rigid bodies need", count);
    for (int g = 0; g < p->groupCount; g++)
        for (int k = 0; k < groups[g].count; k++) {
            const int c = groups[g].begin + k * WB_PADDING;
            if (!isSheared(p, c)) continue;
            const int n = p->contactCount++;
            p->contactFirst[n] = p->rowFirst[c], p->contactSecond[n] = p->rowSecond[c];
            for (int d = 0; d < 3; d++) p->shear[d][n] = p->rowShear[d][c];
        }
    return wb_okStatus;
}
