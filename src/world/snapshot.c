// SPDX-License-Identifier: MIT
#include "world/snapshot.h"

#include <string.h>

#include "core/status.h"
#include "world/world.h"

// Bytes are counted in lines, so that an int counts as many as there may be.
enum { LINE = WB_ALIGNMENT, BLOCK = 1 << 16, MOST_COLUMNS = WB_SOLVER_COUNT * WB_MAX_STATE_COLUMNS };

typedef enum Direction { MEASURE, COPY, COPY_BACK } Direction;

typedef struct Copy {
    const char *from;
    char *to;
    size_t bytes;
    size_t firstBlock; // of all copies, one after the other
} Copy;

// Parts of the state stand one after the other, each with its size before it. A walk passes them in the same order each
// time; sizes that follow from counts are those of the counts that were copied back before.
typedef struct Tape {
    Direction direction;
    char *bytes;
    size_t used;
    Copy copies[MOST_COLUMNS]; // that threads share
    int copyCount;
} Tape;

static size_t countBlocks(size_t bytes) { return (bytes + BLOCK - 1) / BLOCK; }

static void queueCopy(Tape *tape, char *to, const void *from, size_t bytes) {
    const Copy *last = tape->copyCount ? &tape->copies[tape->copyCount - 1] : NULL;
    WB_ASSERT(tape->copyCount < MOST_COLUMNS, "more columns than solvers can list");
    tape->copies[tape->copyCount++] =
        (Copy){from, to, bytes, last ? last->firstBlock + countBlocks(last->bytes) : 0};
}

// `bytes` is 0 where a step leaves the data alone.
static void pass(Tape *tape, void *data, size_t bytes) {
    char *at = tape->bytes + tape->used;
    if (tape->direction == COPY_BACK) memcpy(&bytes, at, sizeof bytes);
    if (tape->direction == COPY) memcpy(at, &bytes, sizeof bytes);
    at += sizeof bytes;
    if (bytes > 0 && tape->direction == COPY_BACK) memcpy(data, at, bytes);
    if (bytes > BLOCK && tape->direction == COPY)
        queueCopy(tape, at, data, bytes);
    else if (bytes > 0 && tape->direction == COPY)
        memcpy(at, data, bytes);
    tape->used += sizeof bytes + bytes;
}

static void passValues(Tape *tape, const wbSavedValue *values, int count) {
    for (int v = 0; v < count; v++) pass(tape, values[v].data, wbGetValueSize(values[v].type));
}

static void passColumns(Tape *tape, const wbStateColumn *columns, int count) {
    for (int c = 0; c < count; c++) pass(tape, columns[c].data, columns[c].isSnapshot ? columns[c].bytes : 0);
}

static void passSolver(Tape *tape, const wbSolver *solver) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    passValues(tape, values, solver->kind->listValues(solver, values));
    if (solver->kind->listUnsaved) passColumns(tape, columns, solver->kind->listUnsaved(solver, columns));
    passColumns(tape, columns, solver->kind->listColumns(solver, columns));
}

// The domain, fluids, emitters, drains, colliders and mechanisms change when nothing can fail any more.
static void passWorld(Tape *tape, wbWorld *world) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    passValues(tape, values, WB_WORLD_VALUES);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) passSolver(tape, s);
}

static void copyBlocks(int begin, int end, int worker, void *context) {
    (void)worker;
    const Tape *tape = context;
    for (int c = 0; c < tape->copyCount; c++) {
        const Copy *copy = &tape->copies[c];
        size_t first = copy->firstBlock, last = first + countBlocks(copy->bytes);
        if (first < (size_t)begin) first = (size_t)begin;
        if (last > (size_t)end) last = (size_t)end;
        if (first >= last) continue;
        size_t from = BLOCK * (first - copy->firstBlock), to = BLOCK * (last - copy->firstBlock);
        memcpy(copy->to + from, copy->from + from, (to < copy->bytes ? to : copy->bytes) - from);
    }
}

static void runCopies(Tape *tape, wbThreadPool *pool) {
    if (tape->copyCount == 0) return;
    const Copy *last = &tape->copies[tape->copyCount - 1];
    wbParallelFor(pool, (int)(last->firstBlock + countBlocks(last->bytes)), 1, copyBlocks, tape);
}

void wbSnapshot_Init(wbSnapshot *snapshot) { *snapshot = (wbSnapshot){.bytes.elementSize = LINE}; }

void wbSnapshot_Free(wbMemory *memory, wbSnapshot *snapshot) { wbArray_Free(memory, &snapshot->bytes); }

// What was in it is not needed; by an eighth more where it grows, so that slowly growing states do not ask for memory at
// each step.
static bool reserve(wbMemory *memory, wbArray *bytes, size_t needed) {
    const int lines = (int)(needed / LINE) + 1, ample = bytes->capacity > 0 ? lines + lines / 8 : lines;
    if (lines <= bytes->capacity) return true;
    wbArray_Free(memory, bytes);
    return wbArray_Reserve(memory, bytes, ample) || wbArray_Reserve(memory, bytes, lines);
}

wbStatus wbTakeSnapshot(wbWorld *world) {
    wbSnapshot *snapshot = &world->snapshot;
    Tape tape = {.direction = MEASURE};
    if (world->gpu) return wb_okStatus; // where solvers go back by themselves
    passWorld(&tape, world);
    if (!reserve(world->memory, &snapshot->bytes, tape.used))
        return wbMemoryError(world->memory, "the state before a step needs");
    tape = (Tape){.direction = COPY, .bytes = snapshot->bytes.data};
    passWorld(&tape, world);
    runCopies(&tape, world->work.pool);
    snapshot->isTaken = true;
    return wb_okStatus;
}

void wbEndStep(wbWorld *world, bool isUndone) {
    wbSnapshot *snapshot = &world->snapshot;
    isUndone &= snapshot->isTaken;
    snapshot->isTaken = false;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->endStep) s->kind->endStep(s, isUndone);
    if (!isUndone) return;
    Tape tape = {.direction = COPY_BACK, .bytes = snapshot->bytes.data};
    passWorld(&tape, world);
}
