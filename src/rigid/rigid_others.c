// SPDX-License-Identifier: MIT
// Pairs of pieces that are not two boxes: collided one by one, or carried along with what was found of them before.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_code.h"

// What is known of pairs

// NULL if there never were pairs.
static const wbPiecePair *getOtherPairs(const wbRigidContacts *contacts) {
    const wbPiecePair *pairs = contacts->pairs.data;
    return pairs ? pairs + wbGetPairStart(contacts, wb_pairOther) : NULL;
}

void wbClearCaches(wbRigidContacts *contacts, int count) {
    wbCollideCache *caches = contacts->caches.data;
    for (int i = 0; i < count; i++) caches[i] = (wbCollideCache){.first = i, .room = 1};
    if (count > 0) memset(contacts->kept.data, 0, sizeof(wbKeptManifold) * (size_t)count);
    contacts->keptCount = count;
}

wbStatus wbNoteCaches(wbExactStep *step, wbKnownPairs *known) {
    const wbRigidContacts *contacts = &step->rigid->contacts;
    const wbPiecePair *pairs = getOtherPairs(contacts);
    wbArena *arena = step->work->arena;
    const int count = contacts->pairCounts[wb_pairOther];
    const size_t pieces = (size_t)step->pieceCount;
    known->heads = wbArena_Alloc(arena, sizeof(int) * pieces);
    known->links = wbArena_Alloc(arena, sizeof(int[2]) * (size_t)count);
    known->caches = wbArena_Alloc(arena, sizeof(wbCollideCache) * (size_t)count);
    known->kept = wbArena_Alloc(arena, sizeof(wbKeptManifold) * (size_t)contacts->keptCount);
    if (!known->heads || !known->links || !known->caches || !known->kept)
        return wbMemoryError(step->work->memory, "%d pairs of rigid bodies' pieces need", count);
    for (size_t i = 0; i < pieces; i++) known->heads[i] = -1;
    if (count == 0) return wb_okStatus;
    memcpy(known->caches, contacts->caches.data, sizeof(wbCollideCache) * (size_t)count);
    memcpy(known->kept, contacts->kept.data, sizeof(wbKeptManifold) * (size_t)contacts->keptCount);
    for (int i = 0; i < count; i++) {
        known->links[i][0] = known->heads[pairs[i].a], known->links[i][1] = pairs[i].b;
        known->heads[pairs[i].a] = i;
    }
    return wb_okStatus;
}

static const wbCollideCache *findCache(const wbKnownPairs *known, const wbPiecePair *pair) {
    for (int i = known->heads[pair->a]; i >= 0; i = known->links[i][0])
        if (known->links[i][1] == pair->b) return known->caches[i].hold.way > 0 ? &known->caches[i] : NULL;
    return NULL;
}

// A pair that has room for more than one manifold takes as many as it has, at the end.
static void carryCache(wbRigidContacts *contacts, const wbKnownPairs *known, const wbCollideCache *from,
                       wbCollideCache *to) {
    const int own = to->first;
    *to = *from;
    to->first = from->count > 1 ? contacts->keptCount : own;
    to->room = from->count > 1 ? from->count : 1;
    if (from->count > 1) contacts->keptCount += from->count;
    memcpy((wbKeptManifold *)contacts->kept.data + to->first, known->kept + from->first,
           sizeof(wbKeptManifold) * (size_t)from->count);
}

wbStatus wbCarryCaches(wbExactStep *step, const wbKnownPairs *known) {
    wbRigidContacts *contacts = &step->rigid->contacts;
    const wbPiecePair *pairs = getOtherPairs(contacts);
    const int count = contacts->pairCounts[wb_pairOther];
    int most = count;
    for (int i = 0; known && i < count; i++) {
        const wbCollideCache *cache = findCache(known, &pairs[i]);
        if (cache && cache->count > 1) most += cache->count;
    }
    if (!wbArray_Reserve(step->work->memory, &contacts->caches, count) ||
        !wbArray_Reserve(step->work->memory, &contacts->kept, most))
        return wbMemoryError(step->work->memory, "%d pairs of rigid bodies' pieces need", count);
    wbClearCaches(contacts, count);
    wbCollideCache *caches = contacts->caches.data;
    for (int i = 0; known && i < count; i++) {
        const wbCollideCache *cache = findCache(known, &pairs[i]);
        if (cache) carryCache(contacts, known, cache, &caches[i]);
    }
    return wb_okStatus;
}

// Colliding

static wbCollideCache *getCaches(const wbExactStep *step) { return step->rigid->contacts.caches.data; }
static const wbPiecePair *getPairs(const wbExactStep *step) { return getOtherPairs(&step->rigid->contacts); }

static wbPose getBodyPose(const wbExactStep *step, int piece) {
    return piece < 0 ? wbGetSidePose(step->model->domain, -1 - piece)
                     : wbRigid_GetPose(step->rigid, step->pieceBodies[piece]);
}

// m: from where on two pieces touch.
static float getMargin(const wbExactStep *step, const wbPiecePair *pair) {
    const float a = step->places[pair->a].centre[3], b = pair->b < 0 ? a : step->places[pair->b].centre[3];
    return step->terms.margin * fminf(a, b);
}

// Finds the manifolds of a pair: how many there are, also if there is no room for them.
static int collideAnew(const wbExactStep *step, const wbPiecePair *pair, const wbPose *bodyA,
                       const wbPose *bodyB, wbCollideCache *cache, wbManifold *manifolds, uint32_t *keys) {
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin},
                       *pieces = step->rigid->pieces.data, *a = &pieces[pair->a],
                       *b = pair->b < 0 ? &plane : &pieces[pair->b];
    const wbPose poseA = wbPose_Multiply(bodyA, &a->pose), poseB = wbPose_Multiply(bodyB, &b->pose);
    const float margin = getMargin(step, pair), *p = a->pose.position;
    wbKeptManifold *kept = step->rigid->contacts.kept.data;
    wbCollideHold hold;
    int count;
    keys[0] = 0;
    if (b->kind == wb_piecePlane || b->kind == wb_pieceMesh) {
        count = wbCollideGround(a, &poseA, b, &poseB, margin, cache->room, manifolds, keys, &hold);
    } else {
        hold = wbCollidePieces(a, &poseA, b, &poseB, margin, &manifolds[0]);
        count = manifolds[0].count > 0;
    }
    hold.reach += sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    cache->hold.way = 0;
    if (hold.way > 0 && count <= cache->room)
        wbCollideCache_Fill(cache, bodyA, bodyB, &hold, count, manifolds, keys, kept + cache->first);
    return count;
}

static int followPair(const wbExactStep *step, const wbCollideCache *cache, const wbRelativeWay *drift,
                      float margin, wbManifold *manifolds, uint32_t *keys) {
    const wbKeptManifold *kept = (const wbKeptManifold *)step->rigid->contacts.kept.data + cache->first;
    int count = 0;
    for (int k = 0; k < cache->count; k++) {
        keys[count] = kept[k].key;
        count += wbKeptManifold_Follow(&kept[k], &cache->hold, drift, margin, &manifolds[count]);
    }
    return count;
}

static int collideOther(wbExactStep *step, int index) {
    const wbPiecePair *pair = &getPairs(step)[index];
    const wbPose bodyA = getBodyPose(step, pair->a), bodyB = getBodyPose(step, pair->b);
    wbCollideCache *cache = &getCaches(step)[index];
    wbManifold *manifolds = step->manifolds + cache->first;
    uint32_t *keys = step->manifoldKeys + cache->first;
    wbRelativeWay drift;
    const bool holds = wbCollideCache_Holds(cache, &bodyA, &bodyB, &drift);
    const int count = holds ? followPair(step, cache, &drift, getMargin(step, pair), manifolds, keys)
                            : collideAnew(step, pair, &bodyA, &bodyB, cache, manifolds, keys);
    const bool isFlat = step->model->domain->dimensions == 2;
    for (int k = 0; isFlat && k < count && k < cache->room; k++) wbManifold_Flatten(&manifolds[k]);
    return count;
}

static void collideOthers(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    const wbPiecePair *pairs = getPairs(step);
    int *counts = step->axes + wbGetPairStart(&step->rigid->contacts, wb_pairOther);
    (void)worker;
    for (int i = begin; i < end; i++) {
        const wbPiecePair *pair = &pairs[i];
        const bool moves = step->moves[pair->a] || (pair->b >= 0 && step->moves[pair->b]);
        counts[i] = moves ? collideOther(step, i) : WB_PAIR_ASLEEP;
    }
}

static bool allocateManifolds(wbExactStep *step) {
    const size_t count = (size_t)step->rigid->contacts.keptCount;
    step->manifolds = wbArena_Alloc(step->work->arena, sizeof(wbManifold) * count);
    step->manifoldKeys = wbArena_Alloc(step->work->arena, sizeof(uint32_t) * count);
    return step->manifolds && step->manifoldKeys;
}

// Pieces that touch a mesh more often than there is room for, again with all of it. They get twice the room at
// the end, and what they had is not used until pairs are listed again.
static wbStatus collideMany(wbExactStep *step) {
    wbRigidContacts *contacts = &step->rigid->contacts;
    const int start = wbGetPairStart(contacts, wb_pairOther), pairCount = contacts->pairCounts[wb_pairOther];
    const int before = contacts->keptCount;
    wbCollideCache *caches = getCaches(step);
    for (int i = 0; i < pairCount; i++)
        if (step->axes[start + i] > caches[i].room) {
            caches[i].first = contacts->keptCount, caches[i].room = 2 * step->axes[start + i];
            caches[i].hold.way = 0;
            contacts->keptCount += caches[i].room;
        }
    const int more = contacts->keptCount - before;
    if (more == 0) return wb_okStatus;
    const wbManifold *manifolds = step->manifolds;
    const uint32_t *keys = step->manifoldKeys;
    if (!wbArray_Reserve(step->work->memory, &contacts->kept, contacts->keptCount) ||
        !allocateManifolds(step)) {
        contacts->isStale = 1;
        return wbMemoryError(step->work->memory, "%d manifolds of rigid bodies need", contacts->keptCount);
    }
    memset((wbKeptManifold *)contacts->kept.data + before, 0, sizeof(wbKeptManifold) * (size_t)more);
    memcpy(step->manifolds, manifolds, sizeof(wbManifold) * (size_t)before);
    memcpy(step->manifoldKeys, keys, sizeof(uint32_t) * (size_t)before);
    for (int i = 0; i < pairCount; i++)
        if (caches[i].first >= before) collideOther(step, i);
    return wb_okStatus;
}

wbStatus wbCollideOthers(wbExactStep *step) {
    const int count = step->rigid->contacts.pairCounts[wb_pairOther];
    if (!allocateManifolds(step))
        return wbMemoryError(step->work->memory, "%d pairs of rigid bodies' pieces need", count);
    // a pair that is found anew costs five times as much as one that is followed
    wbParallelShare(step->work->pool, count, 16, collideOthers, step);
    return collideMany(step);
}
