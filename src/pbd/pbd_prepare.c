// SPDX-License-Identifier: MIT
// From the list of constraints to what the solvers walk over: batches of constraints that share no particle, and rows
// of constraints by particle.
#include <string.h>

#include "core/hash.h"
#include "core/sort.h"
#include "core/status.h"
#include "pbd/pbd.h"
#include "space/colour.h"

enum { BATCH_COLUMNS = 5, HINGE_COLUMNS = 11, ROW_COLUMNS = 4 };

static void listBatchColumns(wbPbdBatches *b, wbColumn columns[BATCH_COLUMNS]) {
    const wbColumn list[BATCH_COLUMNS] = {{"first", (void **)&b->first, 4, false},
                                          {"second", (void **)&b->second, 4, false},
                                          {"rest", (void **)&b->rest, 4, false},
                                          {"share", (void **)&b->share, 4, false},
                                          {"lambda", (void **)&b->lambda, 4, false}};
    memcpy(columns, list, sizeof list);
}

static void listHingeColumns(wbPbdHingeBatches *h, wbColumn columns[HINGE_COLUMNS]) {
    const wbColumn list[HINGE_COLUMNS] = {{"corner0", (void **)&h->corner[0], 4, false},
                                          {"corner1", (void **)&h->corner[1], 4, false},
                                          {"corner2", (void **)&h->corner[2], 4, false},
                                          {"corner3", (void **)&h->corner[3], 4, false},
                                          {"coefficient0", (void **)&h->coefficient[0], 4, false},
                                          {"coefficient1", (void **)&h->coefficient[1], 4, false},
                                          {"coefficient2", (void **)&h->coefficient[2], 4, false},
                                          {"coefficient3", (void **)&h->coefficient[3], 4, false},
                                          {"rest", (void **)&h->rest, 4, false},
                                          {"share", (void **)&h->share, 4, false},
                                          {"lambda", (void **)&h->lambda, 4, false}};
    memcpy(columns, list, sizeof list);
}

static void listRowColumns(wbPbdRows *r, wbColumn columns[ROW_COLUMNS]) {
    const wbColumn list[ROW_COLUMNS] = {{"other", (void **)&r->other, 4, false},
                                        {"rest", (void **)&r->rest, 4, false},
                                        {"share", (void **)&r->share, 4, false},
                                        {"lambda", (void **)&r->lambda, 4, false}};
    memcpy(columns, list, sizeof list);
}

void wbPbdBatches_Free(wbMemory *memory, wbPbdBatches *batches) {
    wbColumn columns[BATCH_COLUMNS];
    listBatchColumns(batches, columns);
    wbFreeColumns(memory, columns, BATCH_COLUMNS, &batches->capacity);
    wbArray_Free(memory, &batches->list);
}

void wbPbdHingeBatches_Free(wbMemory *memory, wbPbdHingeBatches *hinges) {
    wbColumn columns[HINGE_COLUMNS];
    listHingeColumns(hinges, columns);
    wbFreeColumns(memory, columns, HINGE_COLUMNS, &hinges->capacity);
    wbArray_Free(memory, &hinges->list);
}

void wbPbdRows_Free(wbMemory *memory, wbPbdRows *rows) {
    wbColumn columns[ROW_COLUMNS];
    listRowColumns(rows, columns);
    wbFreeColumns(memory, columns, ROW_COLUMNS, &rows->capacity);
    wbArray_Free(memory, &rows->begins);
}

static wbStatus outOfMemory(const wbPbd *pbd, const wbWork *work) {
    return wbMemoryError(work->memory, "%d constraints need", pbd->constraintCount);
}

// Records count in halves; the dummy stands behind the particles.
static int getRecord(int particle) { return 2 * particle; }
static int getDummy(const wbPbd *pbd) { return getRecord(wbPadCount(pbd->count)); }

static void countAtParticles(wbPbd *pbd) {
    memset(pbd->perConstraint, 0, sizeof(float) * (size_t)pbd->count);
    for (int k = 0; k < pbd->constraintCount; k++)
        pbd->perConstraint[pbd->first[k]]++, pbd->perConstraint[pbd->second[k]]++;
    for (int k = 0; k < pbd->hingeCount; k++)
        for (int m = 0; m < 4; m++) pbd->perConstraint[pbd->corner[m][k]]++;
    for (int i = 0; i < pbd->count; i++)
        if (pbd->perConstraint[i] > 0) pbd->perConstraint[i] = 1 / pbd->perConstraint[i];
}

static float getShare(const wbPbd *pbd, int k) {
    float a = pbd->perConstraint[pbd->first[k]], b = pbd->perConstraint[pbd->second[k]];
    return a < b ? a : b;
}

// Constraints of one kind as the colouring wants them: `items` are their places, members two particles each.
static int collectKind(const wbPbd *pbd, wbPbdKind kind, int *items, int *members) {
    int count = 0;
    for (int k = 0; k < pbd->constraintCount; k++) {
        if (pbd->kind[k] != (int)kind) continue;
        members[2 * (size_t)count] = pbd->first[k], members[2 * (size_t)count + 1] = pbd->second[k];
        items[count++] = k;
    }
    return count;
}

static bool reserveBatches(wbPbd *pbd, const wbWork *work, int constraints, int batches) {
    wbColumn columns[BATCH_COLUMNS];
    listBatchColumns(&pbd->batches, columns);
    return wbReserveColumns(work->memory, columns, BATCH_COLUMNS, &pbd->batches.capacity, constraints) &&
           wbArray_Reserve(work->memory, &pbd->batches.list, batches);
}

static void appendConstraint(wbPbd *pbd, int k) {
    wbPbdBatches *b = &pbd->batches;
    int at = b->count++;
    b->first[at] = k < 0 ? getDummy(pbd) : getRecord(pbd->first[k]);
    b->second[at] = k < 0 ? getDummy(pbd) : getRecord(pbd->second[k]);
    b->rest[at] = k < 0 ? 0 : pbd->rest[k];
    b->share[at] = k < 0 ? 0 : getShare(pbd, k);
}

// One batch per colour, filled up with the dummy.
static void appendBatches(wbPbd *pbd, wbPbdKind kind, const int *items, const int *colourStart,
                          const int *order, int colourCount) {
    for (int colour = 0; colour < colourCount; colour++) {
        wbPbdBatch batch = {.begin = pbd->batches.count, .kind = kind};
        for (int k = colourStart[colour]; k < colourStart[colour + 1]; k++)
            appendConstraint(pbd, items[order[k]]);
        while (pbd->batches.count % WB_PADDING != 0) appendConstraint(pbd, -1);
        batch.end = pbd->batches.count;
        ((wbPbdBatch *)pbd->batches.list.data)[pbd->batches.batchCount++] = batch;
    }
}

// Constraints of one kind with a colour each: those that were given, if all were.
typedef struct Coloured {
    int *items, *colours; // places among all constraints
    int count, colourCount;
} Coloured;

static bool takeGivenColours(const wbPbd *pbd, Coloured *coloured) {
    coloured->colourCount = 0;
    for (int k = 0; k < coloured->count; k++) {
        int colour = coloured->colours[k] = pbd->colour[coloured->items[k]];
        if (colour < 0) return false;
        if (colour >= coloured->colourCount) coloured->colourCount = colour + 1;
    }
    return coloured->count > 0;
}

static wbStatus chooseColours(const wbPbd *pbd, const wbWork *work, wbPbdKind kind, Coloured *coloured) {
    size_t bytes = sizeof(int) * ((size_t)pbd->constraintCount + 1);
    int *members = wbArena_Alloc(work->arena, 2 * bytes);
    coloured->items = wbArena_Alloc(work->arena, bytes);
    coloured->colours = wbArena_Alloc(work->arena, bytes);
    if (!coloured->items || !members || !coloured->colours) return outOfMemory(pbd, work);
    coloured->count = collectKind(pbd, kind, coloured->items, members);
    if (takeGivenColours(pbd, coloured)) return wb_okStatus;
    return wbColourItems(work, members, 2, coloured->count, pbd->count, coloured->colours,
                         &coloured->colourCount);
}

wbStatus wbPbd_GetColours(wbPbd *pbd, const wbWork *work, int *colours) {
    for (int kind = 0; kind < wb_pbdKindCount; kind++) {
        size_t mark = wbArena_Mark(work->arena);
        Coloured coloured;
        WB_TRY(chooseColours(pbd, work, (wbPbdKind)kind, &coloured));
        for (int k = 0; k < coloured.count; k++) colours[coloured.items[k]] = coloured.colours[k];
        wbArena_Release(work->arena, mark);
    }
    return wb_okStatus;
}

// Which constraints come after another, colour by colour within a kind; keys are kind and colour in one.
static wbStatus checkColours(const wbPbd *pbd, const wbWork *work, const int *colours) {
    int count = pbd->constraintCount;
    size_t bytes = sizeof(int) * ((size_t)count + 1);
    for (int kind = 0; kind < wb_pbdKindCount; kind++) {
        int *items = wbArena_Alloc(work->arena, bytes), *members = wbArena_Alloc(work->arena, 2 * bytes);
        uint32_t *keys = wbArena_Alloc(work->arena, bytes);
        int *order = wbArena_Alloc(work->arena, bytes), *start = wbArena_Alloc(work->arena, bytes);
        int *seen = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)pbd->count + 1));
        if (!items || !members || !keys || !order || !start || !seen) return outOfMemory(pbd, work);
        int kindCount = collectKind(pbd, (wbPbdKind)kind, items, members);
        for (int k = 0; k < kindCount; k++) keys[k] = (uint32_t)colours[items[k]];
        if (!wbCountingSort(work->pool, work->arena, keys, kindCount, count, start, order))
            return outOfMemory(pbd, work);
        for (int i = 0; i < pbd->count; i++) seen[i] = -1;
        for (int k = 0; k < kindCount; k++) {
            int item = items[order[k]], colour = colours[item];
            if (seen[pbd->first[item]] == colour || seen[pbd->second[item]] == colour)
                return wbError(wb_errorInput, "constraint %d shares a particle with another one of colour %d",
                               item, colour);
            seen[pbd->first[item]] = seen[pbd->second[item]] = colour;
        }
    }
    return wb_okStatus;
}

wbStatus wbPbd_SetColours(wbPbd *pbd, const wbWork *work, const int *colours) {
    size_t mark = wbArena_Mark(work->arena);
    for (int k = 0; k < pbd->constraintCount; k++)
        if (colours[k] < 0 || colours[k] >= pbd->constraintCount)
            return wbError(wb_errorInput, "the colour of constraint %d is %d, allowed is 0 to %d", k,
                           colours[k], pbd->constraintCount - 1);
    wbStatus status = checkColours(pbd, work, colours);
    wbArena_Release(work->arena, mark);
    if (!wbIsOk(status)) return status;
    if (pbd->constraintCount > 0) memcpy(pbd->colour, colours, sizeof(int) * (size_t)pbd->constraintCount);
    pbd->isPrepared = false;
    return wb_okStatus;
}

uint64_t wbPbd_HashConstraints(const wbPbd *pbd) {
    const int *const columns[] = {pbd->first, pbd->second, pbd->kind};
    uint64_t hash = wbHashBytes(WB_HASH_START, &pbd->count, sizeof pbd->count);
    for (int c = 0; c < 3; c++)
        hash = wbHashBytes(hash, columns[c], sizeof(int) * (size_t)pbd->constraintCount);
    return hash;
}

static wbStatus colourKind(wbPbd *pbd, const wbWork *work, wbPbdKind kind) {
    Coloured coloured;
    WB_TRY(chooseColours(pbd, work, kind, &coloured));
    int count = coloured.count, colourCount = coloured.colourCount;
    int *order = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)count + 1));
    if (!order) return outOfMemory(pbd, work);
    int *start = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)colourCount + 1));
    wbPbdBatches *b = &pbd->batches;
    int64_t room = (int64_t)b->count + count + (int64_t)(WB_PADDING - 1) * colourCount;
    if (room > INT32_MAX - 1024)
        return wbError(wb_errorMemory, "%d constraints are more than a world can hold", pbd->constraintCount);
    if (!start ||
        !wbCountingSort(work->pool, work->arena, (const uint32_t *)coloured.colours, count, colourCount,
                        start, order) ||
        !reserveBatches(pbd, work, (int)room, b->batchCount + colourCount))
        return outOfMemory(pbd, work);
    appendBatches(pbd, kind, coloured.items, start, order, colourCount);
    pbd->colourCount += colourCount;
    return wb_okStatus;
}

static wbStatus makeBatches(wbPbd *pbd, const wbWork *work) {
    pbd->batches.count = pbd->batches.batchCount = pbd->colourCount = 0;
    for (int kind = 0; kind < wb_pbdKindCount; kind++) {
        size_t mark = wbArena_Mark(work->arena);
        WB_TRY(colourKind(pbd, work, (wbPbdKind)kind));
        wbArena_Release(work->arena, mark);
    }
    return wb_okStatus;
}

static void appendHinge(wbPbd *pbd, int k) {
    wbPbdHingeBatches *h = &pbd->hinges;
    int at = h->count++;
    h->rest[at] = k < 0 ? 0 : pbd->hingeRest[k];
    h->share[at] = 1;
    for (int m = 0; m < 4; m++) {
        h->corner[m][at] = k < 0 ? getDummy(pbd) : getRecord(pbd->corner[m][k]);
        h->coefficient[m][at] = k < 0 ? 0 : pbd->coefficient[m][k];
        float share = k < 0 ? 0 : pbd->perConstraint[pbd->corner[m][k]];
        if (share < h->share[at]) h->share[at] = share;
    }
}

static void appendHingeBatches(wbPbd *pbd, const int *colourStart, const int *order, int colourCount) {
    wbPbdHingeBatches *h = &pbd->hinges;
    for (int colour = 0; colour < colourCount; colour++) {
        wbPbdBatch batch = {.begin = h->count, .kind = wb_pbdBend};
        for (int k = colourStart[colour]; k < colourStart[colour + 1]; k++) appendHinge(pbd, order[k]);
        while (h->count % WB_PADDING != 0) appendHinge(pbd, -1);
        batch.end = h->count;
        ((wbPbdBatch *)h->list.data)[h->batchCount++] = batch;
    }
}

static wbStatus makeHingeBatches(wbPbd *pbd, const wbWork *work) {
    wbColumn columns[HINGE_COLUMNS];
    wbPbdHingeBatches *h = &pbd->hinges;
    size_t bytes = sizeof(int) * ((size_t)pbd->hingeCount + 1);
    int *members = wbArena_Alloc(work->arena, 4 * bytes), *colours = wbArena_Alloc(work->arena, bytes);
    int *order = wbArena_Alloc(work->arena, bytes), colourCount;
    if (!members || !colours || !order) return outOfMemory(pbd, work);
    h->count = h->batchCount = 0;
    for (size_t k = 0; k < 4 * (size_t)pbd->hingeCount; k++) members[k] = pbd->corner[k % 4][k / 4];
    WB_TRY(wbColourItems(work, members, 4, pbd->hingeCount, pbd->count, colours, &colourCount));
    int *start = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)colourCount + 1));
    int64_t room = pbd->hingeCount + (int64_t)(WB_PADDING - 1) * colourCount;
    listHingeColumns(h, columns);
    if (!start || room > INT32_MAX - 1024 ||
        !wbCountingSort(work->pool, work->arena, (const uint32_t *)colours, pbd->hingeCount, colourCount,
                        start, order) ||
        !wbReserveColumns(work->memory, columns, HINGE_COLUMNS, &h->capacity, (int)room) ||
        !wbArray_Reserve(work->memory, &h->list, colourCount))
        return outOfMemory(pbd, work);
    appendHingeBatches(pbd, start, order, colourCount);
    pbd->colourCount += colourCount;
    return wb_okStatus;
}

// How many constraints of each kind each particle has: particle i's are at [i * wb_pbdKindCount].
static void countKinds(const wbPbd *pbd, int *counts) {
    memset(counts, 0, sizeof(int) * (size_t)wbPadCount(pbd->count) * wb_pbdKindCount);
    for (int k = 0; k < pbd->constraintCount; k++) {
        counts[(size_t)pbd->first[k] * wb_pbdKindCount + (size_t)pbd->kind[k]]++;
        counts[(size_t)pbd->second[k] * wb_pbdKindCount + (size_t)pbd->kind[k]]++;
    }
}

// First rows of each group and kind, for the longest list among its lanes; returns the number of rows.
static int64_t layOutRows(const wbPbd *pbd, const int *counts, int *begins) {
    int64_t rows = 0;
    int lists = wbPadCount(pbd->count) / WB_GROUP * wb_pbdKindCount;
    for (int list = 0; list < lists; list++) {
        int longest = 0;
        for (int lane = 0; lane < WB_GROUP; lane++) {
            int i = list / wb_pbdKindCount * WB_GROUP + lane;
            int count = counts[(size_t)i * wb_pbdKindCount + (size_t)(list % wb_pbdKindCount)];
            longest = count > longest ? count : longest;
        }
        begins[list] = (int)rows;
        rows += longest;
        if (rows > (INT32_MAX - 1024) / WB_GROUP) return -1;
    }
    begins[lists] = (int)rows;
    return rows;
}

static void appendEntry(wbPbd *pbd, int i, int other, int k, int *counts) {
    wbPbdRows *rows = &pbd->rows;
    size_t list = (size_t)(i / WB_GROUP * wb_pbdKindCount + pbd->kind[k]);
    int row =
        ((const int *)rows->begins.data)[list] + counts[(size_t)i * wb_pbdKindCount + (size_t)pbd->kind[k]]++;
    size_t at = (size_t)row * WB_GROUP + (size_t)(i % WB_GROUP);
    rows->other[at] = getRecord(other), rows->rest[at] = pbd->rest[k], rows->share[at] = getShare(pbd, k);
}

static wbStatus makeRows(wbPbd *pbd, const wbWork *work) {
    wbPbdRows *rows = &pbd->rows;
    wbColumn columns[ROW_COLUMNS];
    int padded = wbPadCount(pbd->count), lists = padded / WB_GROUP * wb_pbdKindCount;
    int *counts = wbArena_Alloc(work->arena, sizeof(int) * (size_t)padded * wb_pbdKindCount);
    if (!counts || !wbArray_Reserve(work->memory, &rows->begins, lists + 1)) return outOfMemory(pbd, work);
    countKinds(pbd, counts);
    int64_t rowCount = layOutRows(pbd, counts, rows->begins.data);
    if (rowCount < 0)
        return wbError(wb_errorMemory, "%d constraints are more than this solver can hold",
                       pbd->constraintCount);
    listRowColumns(rows, columns);
    rows->count = (int)rowCount * WB_GROUP;
    if (!wbReserveColumns(work->memory, columns, ROW_COLUMNS, &rows->capacity, rows->count))
        return outOfMemory(pbd, work);
    for (int k = 0; k < rows->count; k++)
        rows->other[k] = getDummy(pbd), rows->rest[k] = -1, rows->share[k] = 0;
    memset(counts, 0, sizeof(int) * (size_t)padded * wb_pbdKindCount);
    for (int k = 0; k < pbd->constraintCount; k++) {
        appendEntry(pbd, pbd->first[k], pbd->second[k], k, counts);
        appendEntry(pbd, pbd->second[k], pbd->first[k], k, counts);
    }
    rows->isReady = true;
    return wb_okStatus;
}

// Bodies stand one behind the other.
static wbStatus listBodies(wbPbd *pbd, const wbWork *work) {
    if (!wbArray_Reserve(work->memory, &pbd->bodyBegins, pbd->bodyCount + 1)) return outOfMemory(pbd, work);
    int *begins = pbd->bodyBegins.data, body = 0;
    begins[0] = 0;
    for (int i = 0; i < pbd->count; i++)
        while (body < (int)pbd->body[i]) begins[++body] = i;
    while (body < pbd->bodyCount) begins[++body] = pbd->count;
    return wb_okStatus;
}

wbStatus wbPbd_Prepare(wbPbd *pbd, const wbWork *work, bool needsRows) {
    size_t mark = wbArena_Mark(work->arena);
    if (!pbd->isPrepared) {
        countAtParticles(pbd);
        pbd->rows.isReady = false;
        WB_TRY(makeBatches(pbd, work));
        WB_TRY(makeHingeBatches(pbd, work));
        WB_TRY(listBodies(pbd, work));
        pbd->isPrepared = true;
        pbd->version++;
    }
    if (needsRows && !pbd->rows.isReady) WB_TRY(makeRows(pbd, work));
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}
