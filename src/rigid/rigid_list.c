// SPDX-License-Identifier: MIT
#include "rigid/rigid_list.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/manifold.h"
#include "rigid/rigid_springs_formula.h"

// Stores

enum {
    STORE_COLUMNS = 2,
    MOST_CONTACTS = 1 << 24 // of all bodies: half a gigabyte
};

static void listStore(wbRigidStore *store, wbColumn columns[STORE_COLUMNS]) {
    const wbColumn list[STORE_COLUMNS] = {{"first", (void **)&store->first, 4, false},
                                          {"second", (void **)&store->second, 4, false}};
    memcpy(columns, list, sizeof list);
}

void wbRigidStore_Free(wbMemory *memory, wbRigidStore *store) {
    wbColumn columns[STORE_COLUMNS];
    listStore(store, columns);
    wbFreeColumns(memory, columns, STORE_COLUMNS, &store->capacity);
    wbArray_Free(memory, &store->groups), wbArray_Free(memory, &store->scratch);
}

bool wbRigidStore_Reserve(wbRigidStore *store, wbMemory *memory, int more) {
    wbColumn columns[STORE_COLUMNS];
    if (more <= store->capacity - store->count) return true;
    listStore(store, columns);
    store->isTooMuch = more > MOST_CONTACTS + WB_PADDING - store->count;
    store->failed = store->isTooMuch ||
                    !wbReserveColumns(memory, columns, STORE_COLUMNS, &store->capacity, store->count + more);
    return !store->failed;
}

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
    if (body < 0) return (RigidMatter){.face = INFINITY};
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

// Listing

// A piece of a static or kinematic body that is felt as it is.
typedef struct Shape {
    int body, piece;
    BroadBox box;
} Shape;

// What a listing knows of bodies.
typedef struct Listing {
    wbRigidFinder finder;
    wbRigid *rigid;
    const wbRigidModel *model;
    const wbDomain *domain;
    const wbRigidParticleCode *code;
    float h;
    RigidRule rule;
    RigidMatter *matter;    // by body
    int *small, smallCount; // bodies by place in the grid
    int *large, largeCount; // those too large for it
    Shape *shapes;
    int shapeCount;
    int *oldBegin, *oldEnd; // by body: what the memory of contacts has
    // rigid.search = grid
    int *order;  // particles by place in the grid
    int *places; // places by particle
    int sortedCount;
} Listing;

// A pair of particles that is sorted by the second one's body; of one body they stay in the order in which they were found.
typedef struct Pair {
    int body, first, second;
} Pair;

static bool isFelt(const wbRigid *rigid, int body) {
    return !(rigid->bits[body] & (WB_RIGID_OFF | WB_RIGID_SENSOR));
}
static bool hasParticles(const wbRigid *rigid, int body) {
    return rigid->bits[body] & WB_RIGID_DYNAMIC && isFelt(rigid, body);
}
static bool mayMeet(const wbRigid *rigid, int a, int b) {
    return (rigid->category[a] & rigid->mask[b]) && (rigid->category[b] & rigid->mask[a]);
}

// Whether the balls around two bodies are near each other.
static bool areNear(const wbRigid *rigid, int a, int b, float margin) {
    const float dx = rigid->x[a] - rigid->x[b], dy = rigid->y[a] - rigid->y[b],
                dz = rigid->z[a] - rigid->z[b];
    const float reach = (rigid->reach[a] + rigid->reach[b] + margin) * 1.0001f;
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

// Order in which a body's groups stand: other bodies, then sides, then pieces.
static int64_t rankOf(const wbRigidParticles *p, int second) {
    return second >= 0 ? p->body[second] : (int64_t)INT32_MAX - second;
}

static bool isBefore(const wbRigidParticles *p, int first, int second, int thanFirst, int thanSecond) {
    const int64_t a = rankOf(p, second), b = rankOf(p, thanSecond);
    return a != b ? a < b : first != thanFirst ? first < thanFirst : second < thanSecond;
}

// The contacts from `begin` on become a group, if there are any.
static bool closeGroup(const Listing *listing, wbRigidStore *store, int begin, wbRigidGroup group) {
    if (begin == store->count) return true;
    if (!wbArray_Reserve(listing->finder.memory, &store->groups, store->groupCount + 1))
        return store->failed = true, false;
    group.store = (int)(store - listing->rigid->particles.stores);
    group.begin = begin, group.count = store->count - begin;
    ((wbRigidGroup *)store->groups.data)[store->groupCount++] = group;
    return true;
}

static bool closePair(const Listing *listing, wbRigidStore *store, int begin, int a, int b) {
    if (begin == store->count) return true;
    const wbRigidGroup group = {.first = a,
                                .second = b,
                                .mover = b,
                                .kind = wb_surfaceParticles,
                                .springs =
                                    rigid_springs(listing->rule, listing->matter[a], listing->matter[b])};
    return closeGroup(listing, store, begin, group);
}

static bool findPair(const Listing *listing, wbRigidStore *store, int worker, int a, int b) {
    const int begin = store->count;
    return listing->code->find(&listing->finder, store, worker, a, b) &&
           closePair(listing, store, begin, a, b);
}

// Surfaces

static const wbRigidPiece *getPiece(const wbRigid *rigid, int piece) {
    return (const wbRigidPiece *)rigid->pieces.data + piece;
}

static void placePlane(wbRigidParticles *p, int plane, wbVec3 normal, float offset) {
    float *row = (float *)p->planes.data + 4 * (size_t)plane;
    row[0] = normal.x, row[1] = normal.y, row[2] = normal.z, row[3] = offset;
}

static void placeSides(wbRigid *rigid, const wbDomain *domain) {
    wbRigidParticles *p = &rigid->particles;
    const int total = rigid->count + rigid->guestCount;
    for (int side = 0; side < wb_sideCount; side++) {
        const float sign = side % 2 ? -1 : 1;
        const wbVec3 normal = {side / 2 == 0 ? sign : 0, side / 2 == 1 ? sign : 0, side / 2 == 2 ? sign : 0};
        float *mover = (float *)p->movers.data + WB_RIGID_MOVER * (size_t)(total + side);
        placePlane(p, side, normal, sign * wbDomain_GetEnd(domain, side));
        memset(mover, 0, sizeof(float[WB_RIGID_MOVER]));
        memcpy(mover + 4, domain->velocity[side], sizeof domain->velocity[side]);
        ((int *)p->planeMovers.data)[side] = total + side;
        ((int *)p->planeSeconds.data)[side] = -1 - side;
    }
    p->planeCount = wb_sideCount;
}

wbStatus wbRigid_PlacePlanes(wbRigid *rigid, wbMemory *memory, const wbDomain *domain) {
    wbRigidParticles *p = &rigid->particles;
    int most = wb_sideCount;
    for (int b = 0; b < rigid->count + rigid->guestCount; b++)
        if (!(rigid->bits[b] & WB_RIGID_DYNAMIC) && !isfinite(rigid->reach[b])) most += rigid->pieceCount[b];
    if (!wbArray_Reserve(memory, &p->planes, most) || !wbArray_Reserve(memory, &p->planeMovers, most) ||
        !wbArray_Reserve(memory, &p->planeSeconds, most))
        return wbMemoryError(memory, "%d planes need", most);
    placeSides(rigid, domain);
    for (int b = 0; b < rigid->count + rigid->guestCount && most > wb_sideCount; b++) {
        if (rigid->bits[b] & WB_RIGID_DYNAMIC || isfinite(rigid->reach[b])) continue;
        const wbPose body = wbRigid_GetPose(rigid, b);
        for (int k = rigid->firstPiece[b]; k < rigid->firstPiece[b] + rigid->pieceCount[b]; k++) {
            if (getPiece(rigid, k)->kind != wb_piecePlane) continue;
            const wbPose pose = wbPose_Multiply(&body, &getPiece(rigid, k)->pose);
            const wbVec3 normal = wbPose_Rotate(&pose, wbMakeVec3(0, 1, 0));
            const wbVec3 place = {pose.position[0], pose.position[1], pose.position[2]};
            placePlane(p, p->planeCount, normal, wbDot(normal, place));
            ((int *)p->planeMovers.data)[p->planeCount] = b;
            ((int *)p->planeSeconds.data)[p->planeCount++] = -1 - wb_sideCount - k;
        }
    }
    return wb_okStatus;
}

// Whether a body feels a plane at all.
static bool meetsPlane(const Listing *listing, int body, int plane) {
    const wbRigid *rigid = listing->rigid;
    if (plane < wb_sideCount) return listing->domain->closed[plane];
    const int solid = ((const int *)rigid->particles.planeMovers.data)[plane];
    return isFelt(rigid, solid) && mayMeet(rigid, body, solid);
}

static bool findPlane(const Listing *listing, wbRigidStore *store, int body, int plane) {
    const wbRigid *rigid = listing->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const float *n = (const float *)p->planes.data + 4 * (size_t)plane, margin = listing->finder.margin;
    const int begin = store->count, second = ((const int *)p->planeSeconds.data)[plane],
              mover = ((const int *)p->planeMovers.data)[plane];
    const float height = n[0] * rigid->x[body] + n[1] * rigid->y[body] + n[2] * rigid->z[body] - n[3];
    if (height > rigid->reach[body] * 1.0001f + margin || !meetsPlane(listing, body, plane)) return true;
    if (!wbRigidStore_Reserve(store, listing->finder.memory, p->surfaceCount[body] + WB_PADDING))
        return false;
    for (int i = p->firstParticle[body]; i < p->firstParticle[body] + p->surfaceCount[body]; i++) {
        const float *at = p->places + 4 * (size_t)i;
        if (n[0] * at[0] + n[1] * at[1] + n[2] * at[2] - n[3] >= at[3] + margin) continue;
        store->first[store->count] = i, store->second[store->count++] = second;
    }
    if (store->count == begin) return true;
    const int solid = plane < wb_sideCount ? -1 : mover;
    const wbRigidGroup group = {.first = body,
                                .second = second,
                                .mover = mover,
                                .plane = plane,
                                .kind = wb_surfacePlane,
                                .springs =
                                    wbRigid_GetSprings(rigid, listing->model, body, solid, listing->h)};
    return closeGroup(listing, store, begin, group);
}

void wbRigid_FeelShape(const wbRigid *rigid, const wbRigidGroup *group, const float particle[4],
                       float touch[4]) {
    const wbRigidPiece *piece = getPiece(rigid, group->plane);
    const wbPose body = wbRigid_GetPose(rigid, group->mover), pose = wbPose_Multiply(&body, &piece->pose);
    wbVec3 nearest, normal;
    const float distance = wbRigidPiece_FindNearest(
        piece, &pose, wbMakeVec3(particle[0], particle[1], particle[2]), &nearest, &normal);
    touch[0] = normal.x, touch[1] = normal.y, touch[2] = normal.z, touch[3] = particle[3] - distance;
}

static bool isNearBox(const wbRigid *rigid, int body, const BroadBox *box, float margin) {
    const float at[3] = {rigid->x[body], rigid->y[body], rigid->z[body]}, reach = rigid->reach[body] + margin;
    for (int k = 0; k < 3; k++)
        if (at[k] + reach < box->min[k] || at[k] - reach > box->max[k]) return false;
    return true;
}

static bool findShape(const Listing *listing, wbRigidStore *store, int body, const Shape *shape) {
    const wbRigid *rigid = listing->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const float margin = listing->finder.margin;
    const int begin = store->count;
    wbRigidGroup group = {.first = body,
                          .second = -1 - wb_sideCount - shape->piece,
                          .mover = shape->body,
                          .plane = shape->piece,
                          .kind = wb_surfaceShape};
    if (!isNearBox(rigid, body, &shape->box, margin) || !mayMeet(rigid, body, shape->body)) return true;
    if (!wbRigidStore_Reserve(store, listing->finder.memory, p->surfaceCount[body] + WB_PADDING))
        return false;
    for (int i = p->firstParticle[body]; i < p->firstParticle[body] + p->surfaceCount[body]; i++) {
        float touch[4];
        wbRigid_FeelShape(rigid, &group, p->places + 4 * (size_t)i, touch);
        if (!(touch[3] + margin > 0)) continue;
        store->first[store->count] = i, store->second[store->count++] = group.second;
    }
    if (store->count == begin) return true;
    group.springs = wbRigid_GetSprings(rigid, listing->model, body, shape->body, listing->h);
    return closeGroup(listing, store, begin, group);
}

static bool findSurfaces(const Listing *listing, wbRigidStore *store, int body) {
    for (int plane = 0; plane < listing->rigid->particles.planeCount; plane++)
        if (!findPlane(listing, store, body, plane)) return false;
    for (int k = 0; k < listing->shapeCount; k++)
        if (!findShape(listing, store, body, &listing->shapes[k])) return false;
    return true;
}

// Bodies

static void sortInts(int *values, int count) {
    for (int i = 1; i < count; i++) {
        const int value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
}

static bool reserveScratch(const Listing *listing, wbRigidStore *store, int needed) {
    if (wbArray_Reserve(listing->finder.memory, &store->scratch, needed)) return true;
    return store->failed = true, false;
}

static int getBodyAt(const Listing *listing, int place) {
    return place < listing->smallCount ? listing->small[place] : listing->large[place - listing->smallCount];
}

// Bodies behind one that it may meet, by index, into the store's scratch; -1 if memory ran out. Small ones are in the lists of the
// grid; with large ones all are tried.
static int findOthers(const Listing *listing, wbRigidStore *store, int place) {
    const wbRigid *rigid = listing->rigid;
    const bool isSmall = place < listing->smallCount;
    const int body = getBodyAt(listing, place), total = listing->smallCount + listing->largeCount;
    int rows = 0, count = 0;
    const int *list =
        isSmall ? wbNeighbours_GetRows(&rigid->particles.neighbours, place / WB_GROUP, &rows) : NULL;
    const int firstTried = isSmall ? listing->smallCount : 0;
    if (!reserveScratch(listing, store, rows + total - firstTried)) return -1;
    int *found = store->scratch.data;
    for (int k = 0; k < rows + total - firstTried; k++) {
        const int at = k < rows ? list[k * WB_GROUP + place % WB_GROUP] : firstTried + k - rows;
        if (k < rows && at >= listing->smallCount) continue; // what fills up a list
        const int other = getBodyAt(listing, at);
        if (other > body && mayMeet(rigid, body, other) &&
            areNear(rigid, body, other, listing->finder.margin))
            found[count++] = other;
    }
    sortInts(found, count);
    return count;
}

static bool findByBodies(const Listing *listing, wbRigidStore *store, int worker, int place) {
    const int body = getBodyAt(listing, place), count = findOthers(listing, store, place);
    for (int k = 0; k < count; k++)
        if (!findPair(listing, store, worker, body, ((const int *)store->scratch.data)[k])) return false;
    return count >= 0;
}

static bool findAmongAll(const Listing *listing, wbRigidStore *store, int worker, int body) {
    const wbRigid *rigid = listing->rigid;
    for (int other = body + 1; other < rigid->count; other++)
        if (hasParticles(rigid, other) && mayMeet(rigid, body, other) &&
            !findPair(listing, store, worker, body, other))
            return false;
    return true;
}

// Pairs of one particle with those of bodies behind its own, behind `count` others, by the second particle; -1 if memory ran out.
static int findOfParticle(const Listing *listing, wbRigidStore *store, int particle, int count) {
    const wbRigid *rigid = listing->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const int place = listing->places[particle], body = p->body[particle];
    const float *at = p->places + 4 * (size_t)particle;
    int rows, begin = count;
    const int *list = wbNeighbours_GetRows(&p->neighbours, place / WB_GROUP, &rows);
    if (!reserveScratch(listing, store, count + rows)) return -1;
    Pair *pairs = store->scratch.data;
    for (int k = 0; k < rows; k++) {
        const int entry = list[k * WB_GROUP + place % WB_GROUP];
        if (entry >= listing->sortedCount) continue; // what fills up a list
        const int other = listing->order[entry];
        if (p->body[other] <= body || !mayMeet(rigid, body, p->body[other])) continue;
        const float *to = p->places + 4 * (size_t)other;
        const float dx = at[0] - to[0], dy = at[1] - to[1], dz = at[2] - to[2];
        const float reach = at[3] + listing->finder.margin + to[3];
        if (!(dx * dx + dy * dy + dz * dz < reach * reach)) continue;
        int n = count++;
        for (; n > begin && pairs[n - 1].second > other; n--) pairs[n] = pairs[n - 1];
        pairs[n] = (Pair){p->body[other], particle, other};
    }
    return count;
}

static void sortByBody(Pair *pairs, int count) {
    for (int i = 1; i < count; i++) {
        const Pair pair = pairs[i];
        int k = i;
        for (; k > 0 && pairs[k - 1].body > pair.body; k--) pairs[k] = pairs[k - 1];
        pairs[k] = pair;
    }
}

static bool findByParticles(const Listing *listing, wbRigidStore *store, int body) {
    const wbRigidParticles *p = &listing->rigid->particles;
    int count = 0;
    for (int i = p->firstParticle[body]; i < p->firstParticle[body] + p->surfaceCount[body]; i++)
        if ((count = findOfParticle(listing, store, i, count)) < 0) return false;
    Pair *pairs = store->scratch.data;
    sortByBody(pairs, count);
    for (int k = 0; k < count;) {
        const int begin = store->count, other = pairs[k].body;
        int end = k;
        while (end < count && pairs[end].body == other) end++;
        if (!wbRigidStore_Reserve(store, listing->finder.memory, end - k + WB_PADDING)) return false;
        for (; k < end; k++)
            store->first[store->count] = pairs[k].first, store->second[store->count++] = pairs[k].second;
        if (!closePair(listing, store, begin, body, other)) return false;
    }
    return true;
}

// By place in the list of bodies, so that the groups of those that are near each other are.
static void listRange(int begin, int end, int worker, void *context) {
    const Listing *listing = context;
    wbRigidStore *store = &listing->rigid->particles.stores[worker];
    store->count = store->groupCount = 0, store->failed = store->isTooMuch = false;
    for (int place = begin; place < end && !store->failed; place++) {
        const int body = getBodyAt(listing, place);
        bool found = false;
        switch (listing->model->params.search) {
        case wb_searchBodies:
            found = findByBodies(listing, store, worker, place);
            break;
        case wb_searchGrid:
            found = findByParticles(listing, store, body);
            break;
        case wb_searchAllPairs:
            found = findAmongAll(listing, store, worker, body);
            break;
        }
        store->failed = !found || !findSurfaces(listing, store, body);
    }
}

// Preparation

static wbStatus failForMemory(const Listing *listing) {
    return wbMemoryError(listing->finder.memory, "contacts of %d rigid bodies need", listing->rigid->count);
}

static bool reserveStores(wbRigidParticles *p, const wbWork *work) {
    const int count = wbThreadPool_GetCount(work->pool);
    if (count <= p->storeCount) return true;
    wbRigidStore *stores = wbAlloc(work->memory, sizeof(wbRigidStore) * (size_t)count);
    if (!stores) return false;
    if (p->stores) memcpy(stores, p->stores, sizeof(wbRigidStore) * (size_t)p->storeCount);
    wbFree(work->memory, p->stores, sizeof(wbRigidStore) * (size_t)p->storeCount);
    for (int w = p->storeCount; w < count; w++)
        stores[w] =
            (wbRigidStore){.groups.elementSize = sizeof(wbRigidGroup), .scratch.elementSize = sizeof(Pair)};
    p->stores = stores, p->storeCount = count;
    return true;
}

// Room for the particles of a body by worker, and for what all read.
static bool reserveNear(Listing *listing, const wbWork *work) {
    const wbRigidParticles *p = &listing->rigid->particles;
    const int workers = wbThreadPool_GetCount(work->pool);
    int most = 0;
    for (int b = 0; b < p->bodyCount; b++) most = p->surfaceCount[b] > most ? p->surfaceCount[b] : most;
    const size_t length = (size_t)wbPadCount(most) + WB_PADDING;
    wbRigidNear *near = listing->finder.near =
        wbArena_Alloc(work->arena, sizeof(wbRigidNear) * (size_t)workers);
    float *floats = wbArena_Alloc(work->arena, sizeof(float[5]) * length * (size_t)workers);
    if (!near || !floats) return false;
    for (int w = 0; w < workers; w++, floats += 5 * length)
        near[w] = (wbRigidNear){.x = floats,
                                .y = floats + length,
                                .z = floats + 2 * length,
                                .radius = floats + 3 * length,
                                .id = (int *)(floats + 4 * length)};
    const size_t bodies = (size_t)p->bodyCount + 1;
    listing->finder.frames = wbArena_Alloc(work->arena, sizeof(wbRigidFrame) * bodies);
    listing->matter = wbArena_Alloc(work->arena, sizeof(RigidMatter) * bodies);
    for (int b = 0; b < p->bodyCount && listing->matter; b++)
        listing->matter[b] = wbRigid_GetMatter(listing->rigid, listing->model, b);
    return listing->finder.frames && listing->matter;
}

// Which bodies there are. Those are large that reach four times as far as the mean: cells are made for the others.
static bool chooseBodies(Listing *listing, const wbWork *work, float *largest) {
    const wbRigid *rigid = listing->rigid;
    const size_t total = (size_t)rigid->count + 1;
    listing->small = wbArena_Alloc(work->arena, sizeof(int) * (total + WB_PADDING));
    listing->large = wbArena_Alloc(work->arena, sizeof(int) * total);
    if (!listing->small || !listing->large) return false;
    double sum = 0;
    int felt = 0;
    for (int b = 0; b < rigid->count; b++)
        if (hasParticles(rigid, b)) sum += rigid->reach[b], felt++;
    *largest = 0;
    for (int b = 0; b < rigid->count; b++) {
        if (!hasParticles(rigid, b)) continue;
        if (rigid->reach[b] * felt > 4 * sum)
            listing->large[listing->largeCount++] = b;
        else
            listing->small[listing->smallCount++] = b, *largest = fmaxf(*largest, rigid->reach[b]);
    }
    return true;
}

static bool chooseShapes(Listing *listing, const wbWork *work) {
    const wbRigid *rigid = listing->rigid;
    const int total = rigid->count + rigid->guestCount;
    size_t most = 0;
    for (int b = 0; b < total; b++)
        if (!(rigid->bits[b] & WB_RIGID_DYNAMIC) && isFelt(rigid, b)) most += (size_t)rigid->pieceCount[b];
    if (most == 0) return true;
    if (!(listing->shapes = wbArena_Alloc(work->arena, sizeof(Shape) * most))) return false;
    for (int b = 0; b < total; b++) {
        if (rigid->bits[b] & WB_RIGID_DYNAMIC || !isFelt(rigid, b)) continue;
        const wbPose pose = wbRigid_GetPose(rigid, b);
        for (int k = rigid->firstPiece[b]; k < rigid->firstPiece[b] + rigid->pieceCount[b]; k++)
            if (getPiece(rigid, k)->kind != wb_piecePlane)
                listing->shapes[listing->shapeCount++] =
                    (Shape){b, k, wbRigidPiece_Bound(getPiece(rigid, k), &pose)};
    }
    return true;
}

// Particles fill few of the cells around them, so that cells would be hashed, and a third of the search would be to find the runs of
// them. Clearing dense ones costs less, as long as they are not too many.
static wbGridKind chooseGrid(float *const points[3], int count, float radius) {
    enum { MOST_CELLS = 1 << 22 };
    double cells = 2;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) low = fminf(low, points[k][i]), high = fmaxf(high, points[k][i]);
        cells *= (double)(high - low) / radius + 1;
    }
    return cells < MOST_CELLS ? wb_gridDense : wb_gridAuto;
}

// Sorts points by cell and lists their neighbours. `ids` become those of the sorted points.
static wbStatus searchPoints(Listing *listing, const wbWork *work, float *const points[3], int *ids,
                             int count, float radius) {
    wbRigidParticles *p = &listing->rigid->particles;
    const size_t bytes = 4 * ((size_t)wbPadCount(count) + WB_PADDING);
    float *sorted[3];
    int *order = wbArena_Alloc(work->arena, bytes), *sortedIds = wbArena_Alloc(work->arena, bytes);
    for (int k = 0; k < 3; k++) sorted[k] = wbArena_Alloc(work->arena, bytes);
    if (!order || !sortedIds || !sorted[0] || !sorted[1] || !sorted[2]) return failForMemory(listing);
    const int dimensions = listing->domain->dimensions;
    WB_TRY(wbGrid_Sort(&p->grid, work, (wbPoints){points[0], points[1], points[2], count}, radius, dimensions,
                       chooseGrid(points, count, radius), order));
    const wbMove moves[] = {
        {points[0], sorted[0]}, {points[1], sorted[1]}, {points[2], sorted[2]}, {ids, sortedIds}};
    wbReorder(work, order, count, moves, 4);
    memcpy(ids, sortedIds, sizeof(int) * (size_t)count);
    const wbPointSet set = {.points = {sorted[0], sorted[1], sorted[2], count},
                            .grid = &p->grid,
                            .clearMin = {1, 1, 1},
                            .clearMax = {0, 0, 0}};
    return wbNeighbours_Build(&p->neighbours, work, &set, NULL, count);
}

static wbStatus searchBodies(Listing *listing, const wbWork *work, float largest) {
    const wbRigid *rigid = listing->rigid;
    const size_t bytes = sizeof(float) * ((size_t)wbPadCount(listing->smallCount) + WB_PADDING);
    float *points[3];
    for (int k = 0; k < 3; k++)
        if (!(points[k] = wbArena_Alloc(work->arena, bytes))) return failForMemory(listing);
    for (int n = 0; n < listing->smallCount; n++) {
        const int b = listing->small[n];
        points[0][n] = rigid->x[b], points[1][n] = rigid->y[b], points[2][n] = rigid->z[b];
    }
    const float radius = (2 * largest + listing->finder.margin) * 1.0001f;
    return searchPoints(listing, work, points, listing->small, listing->smallCount, radius);
}

static wbStatus searchParticles(Listing *listing, const wbWork *work) {
    const wbRigid *rigid = listing->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const size_t bytes = sizeof(float) * ((size_t)wbPadCount(p->count) + WB_PADDING);
    float *points[3];
    for (int k = 0; k < 3; k++) points[k] = wbArena_Alloc(work->arena, bytes);
    listing->order = wbArena_Alloc(work->arena, bytes), listing->places = wbArena_Alloc(work->arena, bytes);
    if (!points[0] || !points[1] || !points[2] || !listing->order || !listing->places)
        return failForMemory(listing);
    int count = 0;
    for (int b = 0; b < rigid->count; b++) {
        if (!hasParticles(rigid, b)) continue;
        for (int i = p->firstParticle[b]; i < p->firstParticle[b] + p->surfaceCount[b]; i++, count++) {
            for (int k = 0; k < 3; k++) points[k][count] = p->places[4 * (size_t)i + (size_t)k];
            listing->order[count] = i;
        }
    }
    listing->sortedCount = count;
    const float radius = (2 * p->largestRadius + listing->finder.margin) * 1.0001f;
    WB_TRY(searchPoints(listing, work, points, listing->order, count, radius));
    for (int k = 0; k < count; k++) listing->places[listing->order[k]] = k;
    return wb_okStatus;
}

// Where the memory of contacts has those of each body: together.
static bool findOld(Listing *listing, const wbWork *work) {
    const wbRigid *rigid = listing->rigid;
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

// Of each body in the order of the first bodies, which is not that of the search.
static void sortSeconds(const wbRigidGroup *groups, int *seconds, int count) {
    for (int i = 1; i < count; i++) {
        const int g = seconds[i];
        int k = i;
        for (; k > 0 && groups[seconds[k - 1]].first > groups[g].first; k--) seconds[k] = seconds[k - 1];
        seconds[k] = g;
    }
}

// Which groups a body is the first and the second of.
static void linkBodies(wbRigid *rigid) {
    wbRigidParticles *p = &rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    int *first = p->firstGroups.data, *counts = p->groupCounts.data, *starts = p->secondStarts.data,
        *seconds = p->secondGroups.data;
    memset(first, 0, sizeof(int) * (size_t)rigid->count);
    memset(counts, 0, sizeof(int) * (size_t)rigid->count);
    memset(starts, 0, sizeof(int) * (size_t)(rigid->count + 2));
    for (int g = 0; g < p->groupCount; g++) {
        if (counts[groups[g].first]++ == 0) first[groups[g].first] = g;
        if (groups[g].second >= 0) starts[groups[g].second + 2]++;
    }
    for (int b = 0; b < rigid->count; b++) starts[b + 2] += starts[b + 1];
    for (int g = 0; g < p->groupCount; g++)
        if (groups[g].second >= 0) seconds[starts[groups[g].second + 1]++] = g;
    for (int b = 0; b < rigid->count; b++)
        sortSeconds(groups, seconds + starts[b], starts[b + 1] - starts[b]);
}

// The groups of all workers behind each other.
static wbStatus joinGroups(Listing *listing, const wbWork *work) {
    wbRigid *rigid = listing->rigid;
    wbRigidParticles *p = &rigid->particles;
    int64_t total = 0;
    int64_t contacts = 0;
    bool isTooMuch = false;
    for (int w = 0; w < p->storeCount; w++) {
        const wbRigidStore *store = &p->stores[w];
        if (store->failed && !store->isTooMuch) return failForMemory(listing);
        total += store->groupCount, contacts += store->count, isTooMuch = isTooMuch || store->isTooMuch;
    }
    if (isTooMuch || contacts > MOST_CONTACTS)
        return wbError(
            wb_errorUnstable,
            "particles of %d rigid bodies have more than %d contacts: too many bodies are in one place",
            rigid->count, MOST_CONTACTS);
    const int room = total > INT32_MAX / 4 ? INT32_MAX : (int)total + wb_surfaceKindCount;
    if (room == INT32_MAX || !wbArray_Reserve(work->memory, &p->groups, room) ||
        !wbArray_Reserve(work->memory, &p->sums, room) ||
        !wbArray_Reserve(work->memory, &p->secondGroups, room) ||
        !wbArray_Reserve(work->memory, &p->firstGroups, rigid->count + 1) ||
        !wbArray_Reserve(work->memory, &p->groupCounts, rigid->count + 1) ||
        !wbArray_Reserve(work->memory, &p->secondStarts, rigid->count + 2))
        return failForMemory(listing);
    wbRigidGroup *groups = p->groups.data;
    p->groupCount = 0;
    for (int w = 0; w < p->storeCount; w++) {
        const size_t count = (size_t)p->stores[w].groupCount;
        if (count) memcpy(groups + p->groupCount, p->stores[w].groups.data, sizeof(wbRigidGroup) * count);
        p->groupCount += (int)count;
    }
    for (int kind = 0; kind < wb_surfaceKindCount; kind++)
        groups[p->groupCount + kind] = (wbRigidGroup){.kind = kind};
    linkBodies(rigid);
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
    wbRigidParticles *p = &listing->rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    int buckets[wb_surfaceKindCount * (LENGTHS + 1) + 1] = {0};
    int kindCounts[wb_surfaceKindCount] = {0}, lanes = 0;
    for (int g = 0; g < p->groupCount; g++)
        buckets[getBucket(&groups[g]) + 1]++, kindCounts[groups[g].kind]++;
    for (int kind = 0; kind < wb_surfaceKindCount; kind++) lanes += wbPadCount(kindCounts[kind]);
    if (!wbArray_Reserve(work->memory, &p->lanes, lanes) ||
        !wbArray_Reserve(work->memory, &p->chunks, lanes / WB_PADDING))
        return failForMemory(listing);
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
    wbRigidParticles *p = &listing->rigid->particles;
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
        if (rows > INT32_MAX / 2 / WB_PADDING) return failForMemory(listing);
    }
    p->rowCount = (int)rows * WB_PADDING;
    listRows(p, columns);
    if (!wbReserveColumns(work->memory, columns, ROW_COLUMNS, &p->rowCapacity, p->rowCount))
        return failForMemory(listing);
    return wb_okStatus;
}

// How far the contacts of a group were sheared: both are in the same order.
static void carryShear(const Listing *listing, const wbRigidGroup *group) {
    wbRigidParticles *p = &listing->rigid->particles;
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
    wbRigidParticles *p = &listing->rigid->particles;
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
    WB_TRY(fillLanes(listing, work));
    WB_TRY(layOutChunks(listing, work));
    wbParallelFor(work->pool, listing->rigid->particles.chunkCount, 1, fillRange, listing);
    return wb_okStatus;
}

wbStatus wbRigid_ListContacts(wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                              const wbDomain *domain, float margin, float h) {
    const wbRigidSearch search = model->params.search;
    const size_t mark = wbArena_Mark(work->arena);
    Listing listing = {.finder = {.rigid = rigid,
                                  .memory = work->memory,
                                  .margin = margin,
                                  .triesAll = search == wb_searchAllPairs},
                       .rigid = rigid,
                       .model = model,
                       .domain = domain,
                       .code = wbGetRigidParticleCode(work->simd),
                       .h = h,
                       .rule = wbRigid_GetRule(model, h)};
    float largest = 0;
    wbStatus status = wb_okStatus;
    if (!reserveStores(&rigid->particles, work) || !reserveNear(&listing, work) ||
        !chooseBodies(&listing, work, &largest) || !chooseShapes(&listing, work) || !findOld(&listing, work))
        status = failForMemory(&listing);
    if (wbIsOk(status))
        wbParallelFor(work->pool, rigid->particles.bodyCount, 16, listing.code->spread, &listing.finder);
    if (wbIsOk(status) && search == wb_searchBodies) status = searchBodies(&listing, work, largest);
    if (wbIsOk(status) && search == wb_searchGrid) status = searchParticles(&listing, work);
    if (wbIsOk(status)) {
        for (int w = 0; w < rigid->particles.storeCount; w++)
            rigid->particles.stores[w].groupCount = rigid->particles.stores[w].count = 0,
            rigid->particles.stores[w].failed = rigid->particles.stores[w].isTooMuch = false;
        wbParallelFor(work->pool, listing.smallCount + listing.largeCount, 16, listRange, &listing);
        status = joinGroups(&listing, work);
    }
    if (wbIsOk(status)) status = fillChunks(&listing, work);
    wbArena_Release(work->arena, mark);
    return status;
}

static bool isSheared(const wbRigidParticles *p, int c) {
    return p->rowShear[0][c] != 0 || p->rowShear[1][c] != 0 || p->rowShear[2][c] != 0;
}

wbStatus wbRigid_KeepContacts(wbRigid *rigid, const wbRigidModel *model, wbMemory *memory) {
    const bool remembers = !model->params.seed && model->params.shearStiffness > 0;
    wbRigidParticles *p = &rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    wbColumn columns[WB_RIGID_CONTACT_COLUMNS];
    wbRigidParticles_ListContacts(p, columns);
    p->contactCount = 0;
    if (!remembers) return wb_okStatus;
    if (!wbReserveColumns(memory, columns, WB_RIGID_CONTACT_COLUMNS, &p->contactCapacity, p->rowCount))
        return wbMemoryError(memory, "%d contacts of rigid bodies need", p->rowCount);
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
