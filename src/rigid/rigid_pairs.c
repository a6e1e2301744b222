// SPDX-License-Identifier: MIT
// Which pieces are near each other. They are looked for with a skin around them, so that what is found holds until a piece has moved
// by its skin (Verlet 1967). Pieces of bodies that forces move are sorted into grids by their size, each level four times as coarse
// as the one before, and look in their own and in coarser ones; what stands or moves by itself is in a tree of boxes.
#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "core/status.h"
#include "rigid/rigid_code.h"
#include "space/broad_phase.h"
#include "space/neighbours.h"
#include "space/space_code.h"

#define SKIN RIGID_SKIN

enum { mostLevels = WB_PAIR_LEVELS, levelShift = 2, blockOfPieces = 256 };

float wbGetPieceReach(const wbRigidPiece *piece) {
    const float *s = piece->size;
    float most = 0;
    switch (piece->kind) {
    case wb_pieceSphere:
        return s[0];
    case wb_pieceCapsule:
        return s[0] + s[1];
    case wb_pieceBox:
        return sqrtf(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    case wb_pieceCylinder:
        return sqrtf(s[0] * s[0] + s[1] * s[1]);
    case wb_pieceHull:
        for (int i = 0; i < piece->hull->cornerCount; i++)
            most = fmaxf(most, wbDot(piece->hull->corners[i], piece->hull->corners[i]));
        return sqrtf(most);
    default:
        return INFINITY;
    }
}

// The search

typedef struct Search {
    wbExactStep *step;
    wbRigidContacts *contacts;
    bool isKnown; // the list before was right, for where pieces were then
    const wbRigidPiece *pieces;
    float (*known)[4];
    // pieces of bodies that forces move, by level, each level in the order of its grid
    int *movers;
    float *x, *y, *z;
    int moverCount, levelStarts[mostLevels + 1], levelCount;
    wbGrid *grids; // by level
    wbNeighbours *neighbours;
    wbBroadPhase *tree; // of the others
    int *treePieces, *planes;
    int treeCount, planeCount;
    // what is being listed
    int firstMover, otherFirst; // of the points, and of those in the grid that is searched
    bool isOwn;                 // of the same level: each pair once
    wbPiecePair *found;         // all so far
    int foundCount, foundCapacity;
    int *counts; // by point; then where its pairs begin
} Search;

static bool isDynamic(const Search *search, int piece) {
    return search->step->rigid->bits[search->step->pieceBodies[piece]] & WB_RIGID_DYNAMIC;
}

static bool mayTouch(const Search *search, int a, int b) {
    const wbRigid *rigid = search->step->rigid;
    const int i = search->step->pieceBodies[a], j = search->step->pieceBodies[b];
    if (i == j || !(rigid->category[i] & rigid->mask[j]) || !(rigid->category[j] & rigid->mask[i]))
        return false;
    return rigid->joints.count == 0 || !wbRigidJoints_AreTied(&rigid->joints, i, j);
}

static bool areNear(const Search *search, int a, int b) {
    const float *p = search->known[a], *q = search->known[b];
    const float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2], reach = p[3] + q[3];
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

// The first is moved by forces, and of two that are the one with the lower number: the same from list to list.
static wbPiecePair makePair(const Search *search, int a, int b) {
    const bool swaps = b >= 0 && b < a && isDynamic(search, b);
    return swaps ? (wbPiecePair){b, a, -1, 0} : (wbPiecePair){a, b, -1, 0};
}

static wbPairClass classify(const Search *search, const wbPiecePair *pair) {
    const wbRigid *rigid = search->step->rigid;
    const int *bodies = search->step->pieceBodies;
    const bool isBox = search->pieces[pair->a].kind == wb_pieceBox;
    if (pair->b < 0) return isBox ? wb_pairBoxSide : wb_pairOther;
    const bool isSensor = (rigid->bits[bodies[pair->a]] | rigid->bits[bodies[pair->b]]) & WB_RIGID_SENSOR;
    return isBox && search->pieces[pair->b].kind == wb_pieceBox && !isSensor ? wb_pairBoxes : wb_pairOther;
}

// How many pairs a point has, and which.
typedef int ListFn(const Search *search, int point, wbPiecePair *pairs);

typedef struct Listing {
    Search *search;
    ListFn *list;
    wbPiecePair *pairs; // NULL: they are counted
} Listing;

static void listRange(int begin, int end, int worker, void *context) {
    const Listing *listing = context;
    const Search *search = listing->search;
    (void)worker;
    for (int i = begin; i < end; i++) {
        if (listing->pairs)
            listing->list(search, i, listing->pairs + search->counts[i]);
        else
            search->counts[i] = listing->list(search, i, NULL);
    }
}

// Crowds that no pile of solids is: most of them lie within each other.
enum { mostPairsPerPiece = 1000, mostPairsAtLeast = 4 << 20 };

static wbStatus reserveFound(Search *search, int64_t needed) {
    const wbWork *work = search->step->work;
    const int64_t most = fmax(mostPairsAtLeast, (double)mostPairsPerPiece * search->step->pieceCount);
    if (needed > most || needed > INT32_MAX / 2)
        return wbError(wb_errorInput,
                       "%lld pairs of rigid bodies' pieces are near each other, more than %lld: %d pieces "
                       "lie within each other: place them apart",
                       (long long)needed, (long long)most, search->moverCount);
    wbArray *pairs = &search->contacts->spare;
    const int64_t records =
        (needed * (int64_t)sizeof(wbPiecePair) + (int64_t)sizeof(wbContact) - 1) / (int64_t)sizeof(wbContact);
    if (!wbArray_Reserve(work->memory, pairs, (int)records))
        return wbMemoryError(work->memory, "%lld pairs of rigid bodies' pieces need", (long long)needed);
    search->found = pairs->data;
    return wb_okStatus;
}

// Lists the pairs of so many points behind those found so far.
static wbStatus listPairs(Search *search, ListFn *list, int points) {
    wbThreadPool *pool = search->step->work->pool;
    Listing listing = {search, list, NULL};
    wbParallelFor(pool, points, blockOfPieces, listRange, &listing);
    const int64_t more = wbPrefixSum(pool, search->counts, points, search->counts);
    if (more == 0) return wb_okStatus;
    WB_TRY(reserveFound(search, search->foundCount + more));
    listing.pairs = search->found + search->foundCount;
    wbParallelFor(pool, points, blockOfPieces, listRange, &listing);
    search->foundCount += (int)more;
    return wb_okStatus;
}

static int listNeighbours(const Search *search, int point, wbPiecePair *pairs) {
    int rowCount, count = 0;
    const int *rows = wbNeighbours_GetRows(search->neighbours, point / WB_GROUP, &rowCount);
    const int a = search->movers[search->firstMover + point];
    for (int k = 0; k < rowCount; k++) {
        const int other = rows[k * WB_GROUP + point % WB_GROUP];
        if (other < 0 || (search->isOwn && other <= point)) continue;
        const int b = search->movers[search->otherFirst + other];
        if (!areNear(search, a, b) || !mayTouch(search, a, b)) continue;
        if (pairs) pairs[count] = makePair(search, a, b);
        count++;
    }
    return count;
}

// What the tree finds, by number: the order in which it does depends on how it was built.
typedef struct Finds {
    const Search *search;
    int piece, count;
    wbPiecePair *pairs;
} Finds;

static void addFind(int item, void *context) {
    Finds *finds = context;
    const int b = finds->search->treePieces[item];
    if (!mayTouch(finds->search, finds->piece, b)) return;
    int k = finds->count++;
    if (!finds->pairs) return;
    for (; k > 0 && finds->pairs[k - 1].b > b; k--) finds->pairs[k] = finds->pairs[k - 1];
    finds->pairs[k] = makePair(finds->search, finds->piece, b);
}

static BroadBox boundKnown(const Search *search, int piece) {
    const wbExactStep *step = search->step;
    const float *known = search->known[piece];
    const int body = step->pieceBodies[piece];
    BroadBox box;
    if (search->pieces[piece].kind == wb_pieceMesh) {
        const wbPose pose = wbRigid_GetPose(step->rigid, body);
        return wbRigidPiece_Bound(&search->pieces[piece], &pose);
    }
    // a box about a body that may turn while the list holds, no larger than the ball about it
    const wbPiecePlace *place = &step->places[piece];
    for (int k = 0; k < 3; k++) {
        float reach = known[3];
        if (!isDynamic(search, piece)) {
            const float skin = known[3] * SKIN / (1 + SKIN);
            float extent = 2 * skin;
            for (int i = 0; i < 3; i++) extent += place->axes[i][3] * fabsf(place->axes[i][k]);
            reach = fminf(reach, extent);
        }
        box.min[k] = known[k] - reach, box.max[k] = known[k] + reach;
    }
    return box;
}

static int listTree(const Search *search, int point, wbPiecePair *pairs) {
    Finds finds = {search, search->movers[point], 0, pairs};
    const BroadBox box = boundKnown(search, finds.piece);
    wbBroadPhase_FindAll(search->tree, &box, addFind, &finds);
    return finds.count;
}

static int listPlanes(const Search *search, int point, wbPiecePair *pairs) {
    const int a = search->movers[point];
    int count = 0;
    for (int k = 0; k < search->planeCount; k++) {
        const int b = search->planes[k];
        const wbPiecePlace *plane = &search->step->places[b];
        float height = 0;
        for (int c = 0; c < 3; c++) height += plane->axes[1][c] * (search->known[a][c] - plane->centre[c]);
        if (height > search->known[a][3] || !mayTouch(search, a, b)) continue;
        if (pairs) pairs[count] = (wbPiecePair){a, b, -1, 0};
        count++;
    }
    return count;
}

static int listSides(const Search *search, int point, wbPiecePair *pairs) {
    const wbDomain *domain = search->step->model->domain;
    const int piece = search->movers[point];
    int count = 0;
    for (int side = 0; side < wb_sideCount; side++) {
        if (!domain->closed[side]) continue;
        const float place = search->known[piece][side / 2], reach = search->known[piece][3];
        const float end = wbDomain_GetEnd(domain, side), gap = side % 2 ? end - place : place - end;
        if (gap > reach) continue;
        if (pairs) pairs[count] = (wbPiecePair){piece, -1 - side, -1, 0};
        count++;
    }
    return count;
}

// Levels

int wbGetPairLevel(float reach, float least) {
    int exponent;
    frexpf(reach / least, &exponent);
    const int level = (exponent - 1) / levelShift;
    return level < 0 ? 0 : level < mostLevels ? level : mostLevels - 1;
}

static wbStatus sortLevel(Search *search, int level, int *scratch) {
    const wbExactStep *step = search->step;
    const int first = search->levelStarts[level], count = search->levelStarts[level + 1] - first;
    int *movers = search->movers + first, *order = scratch, *sorted = scratch + wbPadCount(count);
    float most = 0;
    if (count == 0) return wb_okStatus;
    float *x = search->x + first + level * WB_PADDING, *y = search->y + first + level * WB_PADDING,
          *z = search->z + first + level * WB_PADDING;
    for (int i = 0; i < count; i++) {
        const float *known = search->known[movers[i]];
        x[i] = known[0], y[i] = known[1], z[i] = known[2];
        most = fmaxf(most, known[3]);
    }
    const int dimensions = step->model->domain->dimensions;
    wbGrid *grid = &search->grids[level];
    WB_TRY(
        wbGrid_Sort(grid, step->work, (wbPoints){x, y, z, count}, 2 * most, dimensions, wb_gridAuto, order));
    if (grid->crowding > mostPairsPerPiece)
        return wbError(wb_errorInput,
                       "%d rigid bodies' pieces lie within each other, %g of them in one place on average, "
                       "more than %d: place them apart",
                       count, (double)grid->crowding, mostPairsPerPiece);
    for (int i = 0; i < count; i++) sorted[i] = movers[order[i]];
    memcpy(movers, sorted, sizeof(int) * (size_t)count);
    for (int i = 0; i < count; i++) {
        const float *known = search->known[movers[i]];
        x[i] = known[0], y[i] = known[1], z[i] = known[2];
    }
    return wb_okStatus;
}

static wbPointSet getLevelSet(const Search *search, int level) {
    const int first = search->levelStarts[level], at = first + level * WB_PADDING;
    return (wbPointSet){
        .points = {search->x + at, search->y + at, search->z + at, search->levelStarts[level + 1] - first},
        .grid = &search->grids[level],
        .clearMin = {1, 1, 1},
        .clearMax = {0, 0, 0}};
}

static wbStatus searchLevel(Search *search, int level, int other) {
    const wbWork *work = search->step->work;
    const wbPointSet own = getLevelSet(search, level), coarse = getLevelSet(search, other);
    if (own.points.count == 0 || coarse.points.count == 0) return wb_okStatus;
    search->firstMover = search->levelStarts[level], search->otherFirst = search->levelStarts[other];
    search->isOwn = level == other;
    if (search->isOwn) {
        WB_TRY(wbNeighbours_Build(search->neighbours, work, &own, NULL, -1));
    } else {
        const wbPointSet *sets[1] = {&coarse};
        wbListTask task;
        WB_TRY(wbNeighbours_BeginAmong(search->neighbours, work, own.points, sets, 1, -1, &task));
        wbParallelFor(work->pool, own.points.count, WB_BLOCK, wbGetSpaceCode(work->simd)->lists, &task);
        WB_TRY(wbNeighbours_End(search->neighbours, work));
    }
    return listPairs(search, listNeighbours, own.points.count);
}

// All pieces

static void sortIntoLevels(Search *search, const int *unsorted, float least) {
    int ends[mostLevels + 1] = {0};
    for (int i = 0; i < search->moverCount; i++)
        ends[wbGetPairLevel(search->known[unsorted[i]][3], least) + 1]++;
    for (int level = 0; level < mostLevels; level++) {
        ends[level + 1] += ends[level];
        search->levelStarts[level] = ends[level];
    }
    search->levelStarts[mostLevels] = search->moverCount;
    for (int i = 0; i < search->moverCount; i++)
        search->movers[ends[wbGetPairLevel(search->known[unsorted[i]][3], least)]++] = unsorted[i];
}

// Where the domain ends, in two records behind those of pieces.
static void knowSides(const wbExactStep *step, float known[WB_SIDE_RECORDS][4]) {
    const wbDomain *domain = step->model->domain;
    for (int k = 0; k < 3; k++) known[0][k] = domain->min[k], known[1][k] = domain->max[k];
    known[0][3] = known[1][3] = 0;
}

// Notes where pieces are, and tells those that forces move from the others.
static void knowPieces(Search *search, int *unsorted, float *least) {
    const wbExactStep *step = search->step;
    *least = INFINITY;
    for (int piece = 0; piece < step->pieceCount; piece++) {
        const wbPiecePlace *place = &step->places[piece];
        const uint32_t bits = step->rigid->bits[step->pieceBodies[piece]];
        const float thickness = isfinite(place->centre[3]) ? place->centre[3] : 0;
        const float reach =
            (wbGetPieceReach(&search->pieces[piece]) + 0.5f * step->terms.margin * thickness) * (1 + SKIN);
        memcpy(search->known[piece], place->centre, sizeof(float[3]));
        search->known[piece][3] = reach;
        if (bits & WB_RIGID_OFF) continue;
        if (bits & WB_RIGID_DYNAMIC) {
            unsorted[search->moverCount++] = piece;
            *least = fminf(*least, reach);
        } else if (search->pieces[piece].kind == wb_piecePlane) {
            search->planes[search->planeCount++] = piece;
        } else {
            search->treePieces[search->treeCount++] = piece;
        }
    }
    knowSides(step, search->known + step->pieceCount);
}

static bool growTree(Search *search) {
    if (!wbBroadPhase_Reserve(search->step->work->memory, search->tree, search->treeCount)) return false;
    wbBroadPhase_SetCount(search->tree, search->treeCount);
    for (int i = 0; i < search->treeCount; i++) {
        const BroadBox box = boundKnown(search, search->treePieces[i]);
        wbBroadPhase_SetBox(search->tree, i, &box);
    }
    wbBroadPhase_Update(search->tree);
    return true;
}

static bool hasClosedSide(const wbDomain *domain) {
    for (int side = 0; side < wb_sideCount; side++)
        if (domain->closed[side]) return true;
    return false;
}

// m, along each axis: squares of distances are finite, and grids can number their cells.
#define FARTHEST 1e18f

// A step that succeeds leaves finite places; they may be too far away nevertheless.
static wbStatus checkPlaces(const Search *search) {
    const wbExactStep *step = search->step;
    for (int piece = 0; piece < step->pieceCount; piece++) {
        const float *p = search->known[piece];
        if (fabsf(p[0]) <= FARTHEST && fabsf(p[1]) <= FARTHEST && fabsf(p[2]) <= FARTHEST) continue;
        return wbError(wb_errorUnstable,
                       "body %d is at (%g, %g, %g) m, allowed is -1e+18 to 1e+18: use a smaller world.dt, "
                       "more rigid.subSteps, or weaker forces",
                       step->pieceBodies[piece], (double)p[0], (double)p[1], (double)p[2]);
    }
    return wb_okStatus;
}

static wbStatus findPairs(Search *search, int *unsorted) {
    float least;
    knowPieces(search, unsorted, &least);
    WB_TRY(checkPlaces(search));
    if (search->moverCount == 0) return wb_okStatus;
    sortIntoLevels(search, unsorted, least);
    for (int level = 0; level < mostLevels; level++) WB_TRY(sortLevel(search, level, search->counts));
    for (int level = 0; level < mostLevels; level++)
        for (int other = level; other < mostLevels; other++) WB_TRY(searchLevel(search, level, other));
    if (search->treeCount > 0) {
        if (!growTree(search))
            return wbMemoryError(search->step->work->memory, "%d fixed rigid pieces need", search->treeCount);
        WB_TRY(listPairs(search, listTree, search->moverCount));
    }
    if (search->planeCount > 0) WB_TRY(listPairs(search, listPlanes, search->moverCount));
    return hasClosedSide(search->step->model->domain) ? listPairs(search, listSides, search->moverCount)
                                                      : wb_okStatus;
}

// Contacts of before are found again by their pieces.
static int getContactPiece(const wbExactStep *step, const wbContact *contact, int which) {
    const int body = contact->bodies[which],
              local = (int)(which == 0 ? contact->pieces & 0xffff : contact->pieces >> 16);
    if (body & WB_CONTACT_SIDE) return -1 - (body & ~WB_CONTACT_SIDE);
    const int row = body & WB_CONTACT_GUEST ? step->rigid->count + (body & ~WB_CONTACT_GUEST) : body;
    return row < step->bodyCount && local < step->rigid->pieceCount[row]
               ? step->rigid->firstPiece[row] + local
               : step->pieceCount;
}

// Contacts of one pair of pieces, in the order in which they are stored.
typedef struct Run {
    int next, a, b, first, count;
} Run;

static uint32_t hashPieces(int a, int b) {
    uint32_t hash = (uint32_t)a * 2654435761u + (uint32_t)b;
    hash = (hash ^ hash >> 16) * 2246822519u;
    return hash ^ hash >> 13;
}

static wbStatus linkContacts(Search *search, wbPiecePair *pairs) {
    const wbExactStep *step = search->step;
    const wbContact *contacts = search->contacts->contacts.data;
    const int count = search->contacts->count;
    uint32_t mask = 63;
    if (count == 0) return wb_okStatus;
    while (mask < (uint32_t)count) mask = 2 * mask + 1;
    int *heads = wbArena_Alloc(step->work->arena, sizeof(int) * ((size_t)mask + 1));
    Run *runs = wbArena_Alloc(step->work->arena, sizeof(Run) * (size_t)count);
    if (!heads || !runs) return wbMemoryError(step->work->memory, "%d contacts of rigid bodies need", count);
    for (uint32_t i = 0; i <= mask; i++) heads[i] = -1;
    for (int k = 0, last = -1; k < count; k++) {
        const int a = getContactPiece(step, &contacts[k], 0), b = getContactPiece(step, &contacts[k], 1);
        if (last >= 0 && runs[last].a == a && runs[last].b == b) {
            runs[last].count++;
            continue;
        }
        int *head = &heads[hashPieces(a, b) & mask];
        runs[last = k] = (Run){*head, a, b, k, 1};
        *head = k;
    }
    for (int i = 0; i < search->foundCount; i++)
        for (int k = heads[hashPieces(pairs[i].a, pairs[i].b) & mask]; k >= 0; k = runs[k].next)
            if (runs[k].a == pairs[i].a && runs[k].b == pairs[i].b)
                pairs[i].contact = runs[k].first, pairs[i].contactCount = runs[k].count;
    return wb_okStatus;
}

// In one run per class.
static wbStatus takePairs(Search *search) {
    wbRigidContacts *contacts = search->contacts;
    int places[wb_pairClassCount];
    wbKnownPairs known;
    if (search->isKnown) WB_TRY(wbNoteCaches(search->step, &known));
    if (!wbArray_Reserve(search->step->work->memory, &contacts->pairs, search->foundCount))
        return wbMemoryError(search->step->work->memory, "%d pairs of rigid bodies' pieces need",
                             search->foundCount);
    wbPiecePair *pairs = contacts->pairs.data;
    memset(contacts->pairCounts, 0, sizeof contacts->pairCounts);
    for (int i = 0; i < search->foundCount; i++) contacts->pairCounts[classify(search, &search->found[i])]++;
    for (int c = 0, sum = 0; c < wb_pairClassCount; c++) places[c] = sum, sum += contacts->pairCounts[c];
    for (int i = 0; i < search->foundCount; i++)
        pairs[places[classify(search, &search->found[i])]++] = search->found[i];
    WB_TRY(wbCarryCaches(search->step, search->isKnown ? &known : NULL));
    return linkContacts(search, pairs);
}

static bool allocate(Search *search) {
    wbArena *arena = search->step->work->arena;
    const size_t pieces = (size_t)wbPadCount(search->step->pieceCount) + 2 * WB_PADDING,
                 points = pieces + mostLevels * WB_PADDING;
    search->movers = wbArena_Alloc(arena, sizeof(int) * pieces);
    search->treePieces = wbArena_Alloc(arena, sizeof(int) * pieces);
    search->planes = wbArena_Alloc(arena, sizeof(int) * pieces);
    search->counts = wbArena_Alloc(arena, 2 * sizeof(int) * pieces);
    search->x = wbArena_Alloc(arena, sizeof(float) * points);
    search->y = wbArena_Alloc(arena, sizeof(float) * points);
    search->z = wbArena_Alloc(arena, sizeof(float) * points);
    if (!search->movers || !search->treePieces || !search->planes || !search->counts || !search->x ||
        !search->y || !search->z)
        return false;
    // what is searched is read in whole vectors
    memset(search->x, 0, sizeof(float) * points), memset(search->y, 0, sizeof(float) * points);
    memset(search->z, 0, sizeof(float) * points);
    return wbArray_Reserve(search->step->work->memory, &search->contacts->known,
                           search->step->pieceCount + WB_SIDE_RECORDS);
}

// Whether a piece is so far from where it was that others may be near which are not in the list.
static bool isListOld(const wbExactStep *step) {
    const wbRigidContacts *contacts = &step->rigid->contacts;
    const float(*known)[4] = contacts->known.data;
    const float share = SKIN / (1 + SKIN);
    float sides[WB_SIDE_RECORDS][4];
    if (contacts->isStale || contacts->pieceCount != step->pieceCount) return true;
    knowSides(step, sides);
    if (memcmp(sides, known + step->pieceCount, sizeof sides) != 0) return true;
    for (int i = 0; i < step->pieceCount; i++) {
        const float *p = step->places[i].centre, *q = known[i];
        const float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
        const float skin = share * q[3];
        if (!(dx * dx + dy * dy + dz * dz <= skin * skin)) return true;
    }
    return false;
}

wbStatus wbSearchPairs(wbExactStep *step) {
    wbRigidContacts *contacts = &step->rigid->contacts;
    if (!isListOld(step)) return wb_okStatus;
    const bool isKnown = !contacts->isStale && contacts->pieceCount == step->pieceCount;
    contacts->isStale = true; // also if it fails
    const size_t mark = wbArena_Mark(step->work->arena);
    int *unsorted = wbArena_Alloc(step->work->arena, sizeof(int) * (size_t)(step->pieceCount + 1));
    Search search = {
        .step = step, .contacts = contacts, .isKnown = isKnown, .pieces = step->rigid->pieces.data};
    search.grids = contacts->search.grids, search.neighbours = &contacts->search.neighbours;
    search.tree = &contacts->search.tree;
    if (!unsorted || !allocate(&search))
        return wbMemoryError(step->work->memory, "a search among %d pieces of rigid bodies needs",
                             step->pieceCount);
    search.known = contacts->known.data;
    WB_TRY(findPairs(&search, unsorted));
    WB_TRY(takePairs(&search));
    wbArena_Release(step->work->arena, mark);
    contacts->pieceCount = step->pieceCount;
    contacts->isStale = false;
    contacts->searches++;
    return wb_okStatus;
}
