// SPDX-License-Identifier: MIT
// Contacts of a step: from pairs that touch to groups of lanes, and what is kept of them for the next.
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "rigid/rigid_code.h"

void wbRigidContacts_Init(wbRigidContacts *contacts) {
    *contacts = (wbRigidContacts){.contacts.elementSize = sizeof(wbContact),
                                  .spare.elementSize = sizeof(wbContact),
                                  .before.elementSize = sizeof(wbContact),
                                  .pairs.elementSize = sizeof(wbPiecePair),
                                  .caches.elementSize = sizeof(wbCollideCache),
                                  .kept.elementSize = sizeof(wbKeptManifold),
                                  .known.elementSize = sizeof(float[4]),
                                  .search.sweptPieces.elementSize = sizeof(int),
                                  .isStale = 1};
    wbColumn lists[WB_CONTACT_LISTS];
    int counts[WB_CONTACT_LISTS];
    wbRigidContacts_ListColumns(contacts, lists, counts);
    for (int c = 0; c < WB_HELD_LISTS; c++) contacts->held[c].elementSize = lists[c + 1].elementSize;
    for (int level = 0; level < WB_PAIR_LEVELS; level++) wbGrid_Init(&contacts->search.grids[level]);
    wbNeighbours_Init(&contacts->search.neighbours);
}

void wbRigidContacts_Free(wbMemory *memory, wbRigidContacts *contacts) {
    wbArray_Free(memory, &contacts->contacts);
    wbArray_Free(memory, &contacts->spare);
    wbArray_Free(memory, &contacts->before);
    wbArray_Free(memory, &contacts->pairs);
    wbArray_Free(memory, &contacts->caches);
    wbArray_Free(memory, &contacts->kept);
    wbArray_Free(memory, &contacts->known);
    for (int c = 0; c < WB_HELD_LISTS; c++) wbArray_Free(memory, &contacts->held[c]);
    for (int level = 0; level < WB_PAIR_LEVELS; level++) wbGrid_Free(memory, &contacts->search.grids[level]);
    wbNeighbours_Free(memory, &contacts->search.neighbours);
    wbBroadPhase_Free(memory, &contacts->search.tree);
    wbBroadPhase_Free(memory, &contacts->search.swept);
    wbArray_Free(memory, &contacts->search.sweptPieces);
    wbRigidContacts_Init(contacts);
}

void wbRigidContacts_RemoveBody(wbRigidContacts *contacts, int body) {
    wbContact *all = contacts->contacts.data;
    int kept = 0;
    for (int i = 0; i < contacts->count; i++) {
        wbContact contact = all[i];
        if (contact.bodies[0] == body || contact.bodies[1] == body) continue;
        for (int k = 0; k < 2; k++)
            if (contact.bodies[k] > body && contact.bodies[k] < WB_CONTACT_GUEST) contact.bodies[k]--;
        all[kept++] = contact;
    }
    contacts->count = kept;
    contacts->isStale = 1;
    contacts->touchHash = 0;
}

// Saving

int wbGetPairStart(const wbRigidContacts *contacts, wbPairClass class) {
    int start = 0;
    for (int c = 0; c < (int)class; c++) start += contacts->pairCounts[c];
    return start;
}

void wbRigidContacts_ListColumns(wbRigidContacts *contacts, wbColumn columns[WB_CONTACT_LISTS],
                                 int counts[WB_CONTACT_LISTS]) {
    columns[0] = (wbColumn){"contacts", &contacts->contacts.data, sizeof(wbContact), true};
    columns[1] = (wbColumn){"pairs", &contacts->pairs.data, sizeof(wbPiecePair), true};
    columns[2] = (wbColumn){"known", &contacts->known.data, sizeof(float[4]), true};
    columns[3] = (wbColumn){"pairCaches", &contacts->caches.data, sizeof(wbCollideCache), true};
    columns[4] = (wbColumn){"pairManifolds", &contacts->kept.data, sizeof(wbKeptManifold), true};
    counts[0] = contacts->count;
    counts[1] = contacts->isStale ? 0 : wbGetPairStart(contacts, wb_pairClassCount);
    counts[2] = contacts->isStale ? 0 : contacts->pieceCount + WB_SIDE_RECORDS;
    counts[3] = contacts->isStale ? 0 : contacts->pairCounts[wb_pairOther];
    counts[4] = contacts->isStale ? 0 : contacts->keptCount;
}

void wbRigidContacts_ListValues(wbRigidContacts *contacts, wbSavedValue values[WB_CONTACT_VALUES]) {
    const double most = INT32_MAX / 4;
    values[0] = (wbSavedValue){"boxPairs", &contacts->pairCounts[wb_pairBoxes], wb_valueInt, 0, most, true};
    values[1] =
        (wbSavedValue){"sidePairs", &contacts->pairCounts[wb_pairBoxSide], wb_valueInt, 0, most, true};
    values[2] = (wbSavedValue){"otherPairs", &contacts->pairCounts[wb_pairOther], wb_valueInt, 0, most, true};
    values[3] = (wbSavedValue){"pairPieces", &contacts->pieceCount, wb_valueInt, 0, most, true};
    values[4] = (wbSavedValue){"arePairsStale", &contacts->isStale, wb_valueInt, 0, 1, true};
    values[5] = (wbSavedValue){"contactSubStep", &contacts->subStep, wb_valueFloat, 0, 1e9, true};
    values[6] = (wbSavedValue){"keptManifolds", &contacts->keptCount, wb_valueInt, 0, most, true};
}

bool wbRigidContacts_Reserve(wbMemory *memory, wbRigidContacts *contacts,
                             const int counts[WB_CONTACT_LISTS]) {
    if (!wbArray_Reserve(memory, &contacts->contacts, counts[0]) ||
        !wbArray_Reserve(memory, &contacts->pairs, counts[1]) ||
        !wbArray_Reserve(memory, &contacts->known, counts[2]) ||
        !wbArray_Reserve(memory, &contacts->caches, counts[3]) ||
        !wbArray_Reserve(memory, &contacts->kept, counts[4]))
        return false;
    contacts->count = counts[0];
    return true;
}

static bool isPieceOf(const wbRigid *rigid, int piece) {
    return piece >= 0 && piece < rigid->contacts.pieceCount;
}

static bool isPairRight(const wbRigid *rigid, const wbPiecePair *pair) {
    const bool isSide = pair->b < 0 && pair->b >= -wb_sideCount;
    const bool hasContacts = pair->contactCount > 0;
    const wbRigidPiece *pieces = rigid->pieces.data;
    return isPieceOf(rigid, pair->a) && pair->a < rigid->totalPieces &&
           pieces[pair->a].kind < wb_piecePlane && (isSide || isPieceOf(rigid, pair->b)) &&
           pair->contactCount >= 0 &&
           (!hasContacts ||
            (pair->contact >= 0 && pair->contact <= rigid->contacts.count - pair->contactCount));
}

wbStatus wbCheckContacts(const wbRigid *rigid) {
    const wbRigidContacts *contacts = &rigid->contacts;
    const wbPiecePair *pairs = contacts->pairs.data;
    const wbContact *all = contacts->contacts.data;
    for (int i = 0; !contacts->isStale && i < wbGetPairStart(contacts, wb_pairClassCount); i++)
        if (!isPairRight(rigid, &pairs[i]))
            return wbError(wb_errorInput, "pair %d of rigid pieces is %d and %d, with %d contacts from %d on",
                           i, pairs[i].a, pairs[i].b, pairs[i].contactCount, pairs[i].contact);
    for (int k = 0; k < contacts->count; k++)
        for (int end = 0; end < 2; end++) {
            const int body = all[k].bodies[end];
            const bool isOther = body >= WB_CONTACT_GUEST && end == 1;
            if (body < 0 || (body >= rigid->count && !isOther))
                return wbError(wb_errorInput, "contact %d is of body %d, there are %d", k, body,
                               rigid->count);
        }
    return wb_okStatus;
}

// Where pieces are

void wbGetHalfExtents(const wbRigidPiece *piece, int dimensions, float half[3]) {
    const float *s = piece->size;
    const wbPose origin = wb_poseAtOrigin;
    switch (piece->kind) {
    case wb_pieceSphere:
    case wb_pieceCapsule:
        half[0] = half[1] = half[2] = s[0];
        if (piece->kind == wb_pieceCapsule) half[1] += s[1];
        break;
    case wb_pieceBox:
        memcpy(half, s, sizeof(float[3]));
        // in the plane no box is thin across it, or others would leave it there
        if (dimensions == 2) half[2] = 4 * fmaxf(s[0], s[1]);
        break;
    case wb_pieceCylinder:
        half[0] = half[2] = s[0], half[1] = s[1];
        break;
    case wb_pieceHull: {
        wbRigidPiece own = *piece;
        own.pose = origin;
        const BroadBox box = wbRigidPiece_Bound(&own, &origin);
        for (int k = 0; k < 3; k++) half[k] = 0.5f * (box.max[k] - box.min[k]);
        break;
    }
    default:
        half[0] = half[1] = half[2] = INFINITY;
    }
}

static float smaller(float a, float b) { return a < b ? a : b; }

static void placePiece(const wbExactStep *step, const wbPose *body, const wbRigidPiece *piece,
                       wbPiecePlace *place) {
    const wbPose pose = wbPose_Multiply(body, &piece->pose);
    const int dimensions = step->model->domain->dimensions;
    const float *q = pose.rotation, x = q[0], y = q[1], z = q[2], w = q[3];
    float half[3];
    wbGetHalfExtents(piece, dimensions, half);
    *place = (wbPiecePlace){
        .axes = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), half[0]},
                 {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), half[1]},
                 {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), half[2]}},
        .centre = {pose.position[0], pose.position[1], pose.position[2],
                   2 * smaller(half[0], dimensions == 2 ? half[1] : smaller(half[1], half[2]))},
        .offset = {pose.position[0] - body->position[0], pose.position[1] - body->position[1],
                   pose.position[2] - body->position[2]}};
}

static void placeRange(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    const wbRigid *rigid = step->rigid;
    const wbRigidPiece *pieces = rigid->pieces.data;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const wbPose pose = wbRigid_GetPose(rigid, i);
        const wbSolverBody *body = &step->bodies[i];
        const uint32_t bits = rigid->bits[i];
        const bool goes = body->v[0] != 0 || body->v[1] != 0 || body->v[2] != 0 || body->w[0] != 0 ||
                          body->w[1] != 0 || body->w[2] != 0;
        const bool moves = step->masses[i].inverseMass > 0 || (bits & WB_RIGID_KINEMATIC && goes);
        for (int k = rigid->firstPiece[i]; k < rigid->firstPiece[i] + rigid->pieceCount[i]; k++) {
            placePiece(step, &pose, &pieces[k], &step->places[k]);
            step->pieceBodies[k] = i;
            step->moves[k] = moves;
        }
    }
}

wbStatus wbPlacePieces(wbExactStep *step) {
    const wbRigid *rigid = step->rigid;
    wbArena *arena = step->work->arena;
    const int last = step->bodyCount - 1;
    step->pieceCount = last < 0 ? 0 : rigid->firstPiece[last] + rigid->pieceCount[last];
    step->places = wbArena_Alloc(arena, sizeof(wbPiecePlace) * (size_t)step->pieceCount);
    step->pieceBodies = wbArena_Alloc(arena, sizeof(int) * (size_t)step->pieceCount);
    step->moves = wbArena_Alloc(arena, sizeof(bool) * (size_t)step->pieceCount);
    if (!step->places || !step->pieceBodies || !step->moves)
        return wbMemoryError(step->work->memory, "%d pieces of rigid bodies need", step->pieceCount);
    wbParallelFor(step->work->pool, step->bodyCount, WB_BLOCK, placeRange, step);
    return wb_okStatus;
}

// Its y axis points into the domain.
wbPose wbGetSidePose(const wbDomain *domain, int side) {
    static const float rotations[wb_sideCount][4] = {
        {0, 0, -0.70710678f, 0.70710678f}, {0, 0, 0.70710678f, 0.70710678f}, {0, 0, 0, 1}, {1, 0, 0, 0},
        {0.70710678f, 0, 0, 0.70710678f},  {-0.70710678f, 0, 0, 0.70710678f}};
    wbPose pose = wb_poseAtOrigin;
    pose.position[side / 2] = wbDomain_GetEnd(domain, side);
    memcpy(pose.rotation, rotations[side], sizeof pose.rotation);
    return pose;
}

// Which pairs touch

static const wbPiecePair *getPairs(const wbExactStep *step) { return step->rigid->contacts.pairs.data; }

// m: how far a box is from a side.
static float getSideGap(const wbExactStep *step, const wbPiecePlace *place, int side) {
    const int axis = side / 2;
    const float end = wbDomain_GetEnd(step->model->domain, side);
    float gap = side % 2 ? end - place->centre[axis] : place->centre[axis] - end;
    for (int k = 0; k < 3; k++) gap -= place->axes[k][3] * fabsf(place->axes[k][axis]);
    return gap;
}

static void collideSides(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    const wbPiecePair *pairs = getPairs(step) + wbGetPairStart(&step->rigid->contacts, wb_pairBoxSide);
    int *axes = step->axes + wbGetPairStart(&step->rigid->contacts, wb_pairBoxSide);
    (void)worker;
    for (int i = begin; i < end; i++) {
        const wbPiecePlace *place = &step->places[pairs[i].a];
        const int side = -1 - pairs[i].b;
        if (!step->moves[pairs[i].a])
            axes[i] = WB_PAIR_ASLEEP;
        else
            axes[i] =
                getSideGap(step, place, side) < step->terms.margin * place->centre[3] ? side : WB_PAIR_APART;
    }
}

wbStatus wbCollidePairs(wbExactStep *step) {
    const wbRigidContacts *contacts = &step->rigid->contacts;
    const int *counts = contacts->pairCounts, pairCount = wbGetPairStart(contacts, wb_pairClassCount);
    wbArena *arena = step->work->arena;
    wbThreadPool *pool = step->work->pool;
    step->axes = wbArena_Alloc(arena, sizeof(int) * (size_t)pairCount);
    if (!step->axes)
        return wbMemoryError(step->work->memory, "%d pairs of rigid bodies' pieces need", pairCount);
    wbParallelFor(pool, counts[wb_pairBoxes], WB_BLOCK, step->manifoldCode->collideBoxes, step);
    wbParallelFor(pool, counts[wb_pairBoxSide], WB_BLOCK, collideSides, step);
    return wbCollideOthers(step);
}

// Plans

static int findOld(const wbExactStep *step, const wbPiecePair *pair, uint32_t key) {
    for (int k = pair->contact; k < pair->contact + pair->contactCount; k++)
        if (step->oldContacts[k].key == key) return k;
    return -1;
}

static int getRow(const wbExactStep *step, int piece) {
    return piece < 0 ? step->bodyCount - 1 - piece : step->pieceBodies[piece];
}

// Written field by field where it stays: a copy in whole vectors would wait for fields that were just written.
static void makePlan(const wbExactStep *step, const wbPiecePair *pair, int source, uint32_t key, int old,
                     int kind, wbContactPlan *plan) {
    plan->rows[0] = getRow(step, pair->a), plan->rows[1] = getRow(step, pair->b);
    plan->pieces[0] = pair->a, plan->pieces[1] = pair->b;
    plan->source = source, plan->key = key, plan->old = old;
    plan->kind = kind;
}

static int isFixedRow(const wbExactStep *step, int row) {
    return row >= step->bodyCount || !(step->rigid->bits[row] & WB_RIGID_DYNAMIC);
}

static bool isSensor(const wbExactStep *step, const wbContactPlan *plan) {
    const uint32_t *bits = step->rigid->bits;
    return bits[plan->rows[0]] & WB_RIGID_SENSOR ||
           (plan->rows[1] < step->bodyCount && bits[plan->rows[1]] & WB_RIGID_SENSOR);
}

// Bodies at rest: their contacts wait until something wakes them.
static void planAsleep(const wbExactStep *step, const wbPiecePair *pair, wbContactPlan *plans) {
    for (int k = 0; k < pair->contactCount; k++) {
        const int old = pair->contact + k;
        makePlan(step, pair, 0, step->oldContacts[old].key, old, wb_contactAsleep, &plans[k]);
    }
}

// The same kinds with a fixed second body follow two behind.
static int chooseKind(const wbExactStep *step, const wbPiecePair *pair, wbContactKind kind) {
    return (int)kind + 2 * isFixedRow(step, getRow(step, pair->b));
}

static void planOther(const wbExactStep *step, const wbPiecePair *pair, int index, int found,
                      wbContactPlan *plans) {
    const int first = ((const wbCollideCache *)step->rigid->contacts.caches.data)[index].first;
    for (int k = 0; k < found; k++) {
        const uint32_t key = step->manifoldKeys[first + k];
        const wbContactKind kind = step->manifolds[first + k].count == 1 ? wb_contactOne : wb_contactMany;
        makePlan(step, pair, first + k, key, findOld(step, pair, key), chooseKind(step, pair, kind),
                 &plans[k]);
        if (isSensor(step, &plans[k])) plans[k].kind = wb_contactSensor;
    }
}

// Pairs of boxes and of boxes with sides touch once: what they had before is no other contact.
static void planBox(const wbExactStep *step, const wbPiecePair *pair, int code, bool isSide,
                    wbContactPlan *plan) {
    const int old = pair->contact | -(pair->contactCount == 0);
    const wbContactKind kind = code >= RIGID_AXIS_EDGES ? wb_contactEdge : wb_contactFace;
    makePlan(step, pair, code, 0, old, isSide ? (int)wb_contactSide : chooseKind(step, pair, kind), plan);
}

// How many contacts a pair has now; `others` is the first that may have several.
static inline int countOfPair(const wbExactStep *step, int i, int others) {
    const int code = step->axes[i];
    if (code == WB_PAIR_ASLEEP) return getPairs(step)[i].contactCount;
    return i < others ? code >= 0 : code;
}

static void countRange(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    const int others = wbGetPairStart(&step->rigid->contacts, wb_pairOther);
    (void)worker;
    for (int first = begin; first < end; first += WB_BLOCK) {
        const int last = first + WB_BLOCK < end ? first + WB_BLOCK : end;
        int count = 0;
        for (int i = first; i < last; i++) count += countOfPair(step, i, others);
        step->planStarts[first / WB_BLOCK] = count;
    }
}

// Whether a pair touches is as good as random, so that a branch on it would cost more than a plan that the next one overwrites.
static wbContactPlan *planBoxRange(const wbExactStep *step, int begin, int end, wbContactPlan *plan,
                                   const wbContactPlan *last) {
    const wbPiecePair *pairs = getPairs(step);
    const int sides = wbGetPairStart(&step->rigid->contacts, wb_pairBoxSide);
    for (int i = begin; i < end && plan < last; i++) {
        const int code = step->axes[i];
        if (code == WB_PAIR_ASLEEP) {
            planAsleep(step, &pairs[i], plan);
            plan += pairs[i].contactCount;
            continue;
        }
        planBox(step, &pairs[i], code, i >= sides, plan);
        plan += code >= 0;
    }
    return plan;
}

static void planRange(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    const wbRigidContacts *contacts = &step->rigid->contacts;
    const int others = wbGetPairStart(contacts, wb_pairOther),
              pairCount = wbGetPairStart(contacts, wb_pairClassCount);
    const wbPiecePair *pairs = getPairs(step);
    const wbContactPlan *last =
        step->plans + (end < pairCount ? step->planStarts[end / WB_BLOCK] : step->contactCount);
    wbContactPlan *plan = planBoxRange(step, begin, end < others ? end : others,
                                       step->plans + step->planStarts[begin / WB_BLOCK], last);
    (void)worker;
    for (int i = begin < others ? others : begin; i < end; i++) {
        if (step->axes[i] == WB_PAIR_ASLEEP)
            planAsleep(step, &pairs[i], plan);
        else
            planOther(step, &pairs[i], i - others, step->axes[i], plan);
        plan += countOfPair(step, i, others);
    }
}

// Where contacts of pairs are from now on.
static void noteRange(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    wbPiecePair *pairs = step->rigid->contacts.pairs.data;
    const int others = wbGetPairStart(&step->rigid->contacts, wb_pairOther);
    int next = step->planStarts[begin / WB_BLOCK];
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int count = countOfPair(step, i, others);
        pairs[i].contact = next | -(count == 0), pairs[i].contactCount = count;
        next += count;
    }
}

// Colours: no two contacts of one have a body in common that can be moved. Contacts that find none of 64 free at their bodies are
// coloured in further rounds, with 64 more each.
enum { coloursOfRound = 64, mostColours = UINT16_MAX };

static int colourRound(wbExactStep *step, int *left, int leftCount, int base, uint64_t *taken) {
    int kept = 0;
    memset(taken, 0, sizeof(uint64_t) * (size_t)step->bodyCount);
    for (int i = 0; i < leftCount; i++) {
        const int k = left ? left[i] : i;
        const wbContactPlan *plan = &step->plans[k];
        step->buckets[k] = -1;
        if (plan->kind >= wb_contactKindCount) continue;
        const int a = plan->rows[0], b = wbIsFixed((wbContactKind)plan->kind) ? a : plan->rows[1];
        const uint64_t used = taken[a] | taken[b];
        if (used == UINT64_MAX) {
            step->slots[kept++] = k;
            continue;
        }
        const int colour = __builtin_ctzll(~used);
        taken[a] |= UINT64_C(1) << colour, taken[b] |= UINT64_C(1) << colour;
        step->buckets[k] = (base + colour) * wb_contactKindCount + plan->kind;
        if (base + colour >= step->colourCount) step->colourCount = base + colour + 1;
    }
    return kept;
}

// Contacts of each body, by the colours that they took. Those of a crowd take more than RIGID_CROWD.
static wbStatus countCrowds(wbExactStep *step, const uint64_t *taken) {
    if (step->colourCount <= RIGID_CROWD) return wb_okStatus;
    if (!step->crowds) {
        step->crowds = wbArena_Alloc(step->work->arena, sizeof(int) * (size_t)step->bodyCount);
        if (!step->crowds)
            return wbMemoryError(step->work->memory, "contacts of %d rigid bodies need", step->bodyCount);
        memset(step->crowds, 0, sizeof(int) * (size_t)step->bodyCount);
    }
    for (int i = 0; i < step->bodyCount; i++) step->crowds[i] += __builtin_popcountll(taken[i]);
    return wb_okStatus;
}

static wbStatus colourContacts(wbExactStep *step) {
    uint64_t *taken = wbArena_Alloc(step->work->arena, sizeof(uint64_t) * (size_t)step->bodyCount);
    if (!taken) return wbMemoryError(step->work->memory, "colours of %d rigid bodies need", step->bodyCount);
    int left = colourRound(step, NULL, step->contactCount, 0, taken);
    WB_TRY(countCrowds(step, taken));
    for (int base = coloursOfRound; left > 0; base += coloursOfRound) {
        if (base + coloursOfRound > mostColours)
            return wbError(wb_errorInput, "a rigid body touches more than %d others that move", mostColours);
        left = colourRound(step, step->slots, left, base, taken);
        WB_TRY(countCrowds(step, taken));
    }
    return wb_okStatus;
}

// Groups of one colour and kind are filled in the order of contacts.
static wbStatus planGroups(wbExactStep *step) {
    wbArena *arena = step->work->arena;
    const int buckets = step->colourCount * wb_contactKindCount;
    const size_t mostGroups = (size_t)step->contactCount / WB_CONTACT_LANES + (size_t)buckets;
    int *starts = wbArena_Alloc(arena, sizeof(int) * (size_t)(buckets + 1));
    step->batches = wbArena_Alloc(arena, sizeof(wbContactBatch) * (size_t)buckets);
    step->colourBatches = wbArena_Alloc(arena, sizeof(int) * (size_t)(step->colourCount + 1));
    step->groupPlans = wbArena_Alloc(arena, sizeof(wbGroupPlan) * mostGroups);
    if (!starts || !step->batches || !step->colourBatches || !step->groupPlans)
        return wbMemoryError(step->work->memory, "groups of %d contacts need", step->contactCount);
    memset(starts, 0, sizeof(int) * (size_t)(buckets + 1));
    for (int k = 0; k < step->contactCount; k++)
        if (step->buckets[k] >= 0) starts[step->buckets[k]]++;
    int batchCount = 0, slot = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
        const wbContactKind kind = (wbContactKind)(bucket % wb_contactKindCount);
        const int count = starts[bucket], groups = (count + WB_CONTACT_LANES - 1) / WB_CONTACT_LANES;
        int *at = wbIsOnePoint(kind) ? &step->oneCount : &step->manyCount;
        if (kind == 0) step->colourBatches[bucket / wb_contactKindCount] = batchCount;
        starts[bucket] = slot;
        if (count > 0) step->batches[batchCount++] = (wbContactBatch){kind, step->groupCount, groups, *at};
        for (int g = 0; g < groups; g++) {
            const int left = count - g * WB_CONTACT_LANES;
            step->groupPlans[step->groupCount++] =
                (wbGroupPlan){kind, slot + g * WB_CONTACT_LANES,
                              left < WB_CONTACT_LANES ? left : WB_CONTACT_LANES, (*at)++};
        }
        slot += count;
    }
    step->colourBatches[step->colourCount] = batchCount;
    step->solvedCount = slot;
    for (int k = 0; k < step->contactCount; k++)
        if (step->buckets[k] >= 0) step->slots[starts[step->buckets[k]]++] = k;
    return wb_okStatus;
}

wbStatus wbPlanContacts(wbExactStep *step) {
    const wbWork *work = step->work;
    const int pairCount = wbGetPairStart(&step->rigid->contacts, wb_pairClassCount),
              blocks = (pairCount + WB_BLOCK - 1) / WB_BLOCK;
    step->planStarts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)blocks);
    if (!step->planStarts) return wbMemoryError(work->memory, "contacts of %d pairs need", pairCount);
    wbParallelFor(work->pool, pairCount, WB_BLOCK, countRange, step);
    step->contactCount = 0;
    for (int b = 0; b < blocks; b++) {
        const int count = step->planStarts[b];
        step->planStarts[b] = step->contactCount;
        step->contactCount += count;
    }
    step->plans = wbArena_Alloc(work->arena, sizeof(wbContactPlan) * (size_t)step->contactCount);
    if (!step->plans)
        return wbMemoryError(work->memory, "%d contacts of rigid bodies need", step->contactCount);
    wbParallelFor(work->pool, pairCount, WB_BLOCK, planRange, step);
    return wb_okStatus;
}

wbStatus wbGroupContacts(wbExactStep *step) {
    step->buckets = wbArena_Alloc(step->work->arena, sizeof(int) * (size_t)step->contactCount);
    step->slots = wbArena_Alloc(step->work->arena, sizeof(int) * (size_t)step->contactCount);
    if (!step->buckets || !step->slots)
        return wbMemoryError(step->work->memory, "%d contacts of rigid bodies need", step->contactCount);
    WB_TRY(colourContacts(step));
    WB_TRY(planGroups(step));
    wbParallelFor(step->work->pool, wbGetPairStart(&step->rigid->contacts, wb_pairClassCount), WB_BLOCK,
                  noteRange, step);
    return wb_okStatus;
}

// Points

static void calmCrowds(int begin, int end, int worker, void *context) {
    wbExactStep *step = context;
    (void)worker;
    for (int g = begin; g < end; g++) {
        const wbGroupPlan *group = &step->groupPlans[g];
        wbGroupHead *head =
            wbIsOnePoint(group->kind) ? &step->ones[group->at].head : &step->many[group->at].head;
        for (int l = 0; l < group->count; l++) {
            const int *rows = step->plans[step->slots[group->first + l]].rows;
            const int a = step->crowds[rows[0]], b = wbIsFixed(group->kind) ? a : step->crowds[rows[1]];
            const int crowd = a > b ? a : b;
            if (crowd > RIGID_CROWD) head->pushSpeed[l] *= (float)RIGID_CROWD / (float)crowd;
        }
    }
}

wbStatus wbBuildContacts(wbExactStep *step) {
    wbArena *arena = step->work->arena;
    const size_t groups = (size_t)step->groupCount;
    const bool hasTilt = step->hasUneven || step->hasBounce;
    step->many = wbArena_Alloc(arena, sizeof(wbManyGroup) * (size_t)step->manyCount);
    step->ones = wbArena_Alloc(arena, sizeof(wbOneGroup) * (size_t)step->oneCount);
    step->approaches = wbArena_Alloc(arena, sizeof(wbGroupApproach) * groups);
    step->inertias = step->hasUneven ? wbArena_Alloc(arena, sizeof(wbGroupInertia) * groups) : NULL;
    step->tilts = hasTilt ? wbArena_Alloc(arena, sizeof(wbGroupTilt) * (size_t)step->manyCount) : NULL;
    step->rolls = step->hasRolling ? wbArena_Alloc(arena, sizeof(wbGroupRoll) * groups) : NULL;
    step->groupBounces = step->hasBounce ? wbArena_Alloc(arena, sizeof(wbGroupBounce) * groups) : NULL;
    if (!step->many || !step->ones || !step->approaches || (step->hasUneven && !step->inertias) ||
        (hasTilt && !step->tilts) || (step->hasRolling && !step->rolls) ||
        (step->hasBounce && !step->groupBounces))
        return wbMemoryError(step->work->memory, "%d contacts of rigid bodies need", step->contactCount);
    wbParallelFor(step->work->pool, step->groupCount, 8, step->manifoldCode->build, step);
    if (step->crowds) wbParallelFor(step->work->pool, step->groupCount, WB_BLOCK, calmCrowds, step);
    if (!step->hasBounce) return wb_okStatus;
    for (int g = 0; g < step->manyCount; g++) step->bounceCount += step->many[g].head.bounces;
    for (int g = 0; g < step->oneCount; g++) step->bounceCount += step->ones[g].head.bounces;
    return wb_okStatus;
}

// A manifold that is told and not felt.
static void keepSensor(const wbExactStep *step, const wbContactPlan *plan, wbContact *contact) {
    const wbManifold *manifold = &step->manifolds[plan->source];
    const wbRigid *rigid = step->rigid;
    const int a = plan->rows[0];
    memset(contact, 0, sizeof *contact);
    contact->normal[0] = manifold->normal.x, contact->normal[1] = manifold->normal.y;
    contact->normal[2] = manifold->normal.z;
    for (int i = 0; i < WB_MANIFOLD_POINTS; i++) {
        const wbManifoldPoint *point = &manifold->points[i];
        const bool isThere = i < manifold->count;
        contact->separation[i] = isThere ? point->separation : RIGID_FAR;
        contact->points[i][0] = isThere ? point->place.x - rigid->x[a] : RIGID_FAR;
        contact->points[i][1] = isThere ? point->place.y - rigid->y[a] : 0;
        contact->points[i][2] = isThere ? point->place.z - rigid->z[a] : 0;
    }
}

static void keepUnsolved(wbExactStep *step) {
    wbContact *contacts = step->rigid->contacts.spare.data;
    for (int k = 0; k < step->contactCount; k++) {
        const wbContactPlan *plan = &step->plans[k];
        if (plan->kind < wb_contactKindCount) continue;
        if (plan->kind == wb_contactAsleep)
            contacts[k] = step->oldContacts[plan->old];
        else
            keepSensor(step, plan, &contacts[k]);
        const wbContactNames names = wbNameContact(step, plan);
        memcpy(contacts[k].bodies, &names, sizeof names);
        step->isFast[k] = false;
        step->touches[k] = plan->kind == wb_contactSensor && contacts[k].separation[0] <= 0;
    }
}

wbStatus wbBeginKeeping(wbExactStep *step) {
    wbRigidContacts *contacts = &step->rigid->contacts;
    step->touches = wbArena_Alloc(step->work->arena, sizeof(bool) * (size_t)step->contactCount);
    step->isFast = wbArena_Alloc(step->work->arena, sizeof(bool) * (size_t)step->contactCount);
    if (!step->touches || !step->isFast ||
        !wbArray_Reserve(step->work->memory, &contacts->spare, step->contactCount + 1 + step->groupCount))
        return wbMemoryError(step->work->memory, "%d contacts of rigid bodies need", step->contactCount);
    return wb_okStatus;
}

void wbKeepContacts(wbExactStep *step) {
    wbRigidContacts *contacts = &step->rigid->contacts;
    if (step->solvedCount < step->contactCount) keepUnsolved(step);
    wbChangeContacts(contacts);
    contacts->count = step->contactCount;
    contacts->subStep = step->h;
}

// Hits are told, and one that ends at once has touched, too.
static wbStatus tellHits(wbExactStep *step) {
    const wbContact *contacts = step->rigid->contacts.contacts.data;
    for (int k = 0; k < step->contactCount; k++) {
        wbRigidHit hit;
        if (step->isFast && !step->isFast[k]) continue;
        if (step->plans[k].kind >= wb_contactKindCount ||
            !wbRigid_FindHit(step->rigid, &contacts[k], step->model->params.hitSpeed, step->dt, &hit))
            continue;
        step->touches[k] = true;
        WB_TRY(wbRigidEvents_AddHit(&step->rigid->events, step->work->memory, &hit));
    }
    return wb_okStatus;
}

// Pairs of bodies that touch, by blocks of contacts: how many there are, and a hash of them.
typedef struct Touching {
    wbExactStep *step;
    int *counts; // then where they begin
    uint64_t *hashes;
} Touching;

static bool isTouch(const wbExactStep *step, int k) {
    return step->touches[k] && step->plans[k].rows[1] < step->bodyCount;
}

static uint64_t hashMore(uint64_t hash, uint64_t word) {
    return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

static void hashTouches(int begin, int end, int worker, void *context) {
    const Touching *touching = context;
    const wbExactStep *step = touching->step;
    (void)worker;
    for (int first = begin; first < end; first += WB_BLOCK) {
        int count = 0;
        uint64_t hash = WB_HASH_START;
        for (int k = first; k < end && k < first + WB_BLOCK; k++) {
            if (!isTouch(step, k)) continue;
            const int *rows = step->plans[k].rows;
            hash = hashMore(hash, (uint64_t)(uint32_t)rows[0] << 32 | (uint32_t)rows[1]);
            count++;
        }
        touching->counts[first / WB_BLOCK] = count, touching->hashes[first / WB_BLOCK] = hash;
    }
}

static void listTouches(int begin, int end, int worker, void *context) {
    const Touching *touching = context;
    wbExactStep *step = touching->step;
    int *pair = step->touchPairs + 2 * (size_t)touching->counts[begin / WB_BLOCK];
    (void)worker;
    for (int k = begin; k < end; k++) {
        if (!isTouch(step, k)) continue;
        *pair++ = step->plans[k].rows[0], *pair++ = step->plans[k].rows[1];
    }
}

wbStatus wbTellContacts(wbExactStep *step) {
    const wbWork *work = step->work;
    const int blocks = (step->contactCount + WB_BLOCK - 1) / WB_BLOCK;
    Touching touching = {step, wbArena_Alloc(work->arena, sizeof(int) * (size_t)blocks),
                         wbArena_Alloc(work->arena, sizeof(uint64_t) * (size_t)blocks)};
    step->touchPairs = wbArena_Alloc(work->arena, 2 * sizeof(int) * (size_t)step->contactCount);
    if (!step->touchPairs || !touching.counts || !touching.hashes)
        return wbMemoryError(work->memory, "%d contacts of rigid bodies need", step->contactCount);
    WB_TRY(tellHits(step));
    wbParallelFor(work->pool, step->contactCount, WB_BLOCK, hashTouches, &touching);
    uint64_t hash = WB_HASH_START;
    step->touchCount = 0;
    for (int b = 0; b < blocks; b++) {
        const int count = touching.counts[b];
        hash = hashMore(hash, touching.hashes[b]);
        touching.counts[b] = step->touchCount;
        step->touchCount += count;
    }
    // in a pile at rest the same bodies touch in step after step: finding that out by sorting would take a tenth of it
    if (hash == step->rigid->contacts.touchHash) return wb_okStatus;
    step->rigid->contacts.touchHash = hash;
    wbParallelFor(work->pool, step->contactCount, WB_BLOCK, listTouches, &touching);
    return wbFindTouches(step->rigid, work, step->touchPairs, step->touchCount);
}
