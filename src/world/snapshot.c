// SPDX-License-Identifier: MIT
#include "world/snapshot.h"

#include <string.h>

#include "core/status.h"
#include "world/flow.h"

// Bytes are counted in lines, so that an int counts as many as there may be.
enum { LINE = WB_ALIGNMENT, BLOCK = 1 << 16, MOST_COLUMNS = WB_SOLVER_COUNT * WB_MAX_STATE_COLUMNS };

typedef enum Direction { COPY, COPY_BACK } Direction;

typedef struct Copy {
    const char *from;
    char *to;
    size_t bytes;
    size_t firstBlock; // of all copies, one after the other
} Copy;

// Before each part.
typedef struct Head {
    size_t bytes;
    bool isOnDevice; // its content is in the next of the buffers
} Head;

// Parts of the state stand one after the other. A walk passes them in the same order each time; sizes that follow from
// counts are those of the counts that were copied back before. It copies what there is room for, and counts all of it.
typedef struct Tape {
    Direction direction;
    wbWorld *world;
    char *bytes;
    size_t room, used;
    int usedBuffers;
    wbStatus status;           // of the device
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

static void passBytes(Tape *tape, void *data, size_t bytes) {
    const size_t at = tape->used;
    tape->used += bytes;
    if (bytes == 0 || tape->used > tape->room) return;
    if (tape->direction == COPY_BACK)
        memcpy(data, tape->bytes + at, bytes);
    else if (bytes > BLOCK)
        queueCopy(tape, tape->bytes + at, data, bytes);
    else
        memcpy(tape->bytes + at, data, bytes);
}

// What is copied back is what was copied, whatever would be copied now.
static Head passHead(Tape *tape, Head head) {
    passBytes(tape, &head, sizeof head);
    return head;
}

static void passBuffer(Tape *tape, const wbStateColumn *column, size_t bytes) {
    wbGpu *gpu = tape->world->gpu;
    const wbArray *buffers = &tape->world->snapshot.buffers;
    const int index = tape->usedBuffers++;
    if (index >= buffers->capacity || !wbIsOk(tape->status)) return;
    wbGpuBuffer *copy = (wbGpuBuffer *)buffers->data + index;
    if (tape->direction == COPY)
        tape->status = wbGpuBuffer_Reserve(gpu, copy, "the state before a step", bytes);
    if (!wbIsOk(tape->status)) return;
    tape->status = tape->direction == COPY
                       ? wbGpu_CopyAt(gpu, column->buffer, column->offset, copy, 0, bytes)
                       : wbGpu_CopyAt(gpu, copy, 0, column->buffer, column->offset, bytes);
}

static void pass(Tape *tape, void *data, size_t bytes) {
    passBytes(tape, data, passHead(tape, (Head){.bytes = bytes}).bytes);
}

static void passValues(Tape *tape, const wbSavedValue *values, int count) {
    for (int v = 0; v < count; v++) pass(tape, values[v].data, wbGetValueSize(values[v].type));
}

// Where a device computes from the host's columns, these stay as they are.
static void passColumns(Tape *tape, const wbStateColumn *columns, int count, bool isAhead) {
    for (int c = 0; c < count; c++) {
        const wbStateColumn *column = &columns[c];
        const bool isOnDevice = isAhead && column->buffer, isLeft = column->buffer && !isAhead;
        const Head head = passHead(tape, (Head){.bytes = column->isSnapshot && !isLeft ? column->bytes : 0,
                                                .isOnDevice = isOnDevice});
        if (head.isOnDevice && head.bytes > 0)
            passBuffer(tape, column, head.bytes);
        else
            passBytes(tape, column->data, head.bytes);
    }
}

static void passSolver(Tape *tape, const wbSolver *solver) {
    const bool isAhead = tape->world->snapshot.wasAhead[solver - tape->world->solvers];
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    passValues(tape, values, wbSolver_ListValues(solver, values));
    if (solver->kind->listUnsaved)
        passColumns(tape, columns, solver->kind->listUnsaved(solver, columns), isAhead);
    passColumns(tape, columns, solver->kind->listColumns(solver, columns), isAhead);
}

// What particles that come and go change.
static void passFlow(Tape *tape) {
    wbWorld *world = tape->world;
    wbFluid *fluids = world->fluids.data;
    for (int i = 0; i < world->fluidIds.indexCount; i++) {
        pass(tape, &fluids[i].particleCount, sizeof fluids[i].particleCount);
        pass(tape, &fluids[i].spawned, sizeof fluids[i].spawned);
        pass(tape, &fluids[i].removed, sizeof fluids[i].removed);
    }
    pass(tape, &world->idRunCount, sizeof world->idRunCount);
    pass(tape, world->idRuns.data, sizeof(wbIdRun) * (size_t)world->idRunCount);
    for (int i = 0; i < world->emitterIds.indexCount; i++)
        pass(tape, &wbGetEmitterAt(world, i)->state, sizeof(wbEmitterState));
    for (int i = 0; i < world->drainIds.indexCount; i++)
        pass(tape, &wbGetDrainAt(world, i)->state, sizeof(wbDrainState));
}

// The domain, colliders and mechanisms remember by themselves where they were (rewind.c).
static void passWorld(Tape *tape, wbWorld *world, Direction direction) {
    const wbArray *bytes = &world->snapshot.bytes;
    tape->direction = direction, tape->world = world, tape->status = wb_okStatus;
    tape->bytes = bytes->data, tape->room = (size_t)bytes->capacity * LINE;
    tape->used = 0, tape->usedBuffers = tape->copyCount = 0;
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    passValues(tape, values, WB_WORLD_VALUES);
    pass(tape, &world->collisions, sizeof world->collisions);
    passFlow(tape);
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

void wbSnapshot_Init(wbSnapshot *snapshot) {
    *snapshot = (wbSnapshot){.bytes.elementSize = LINE, .buffers.elementSize = sizeof(wbGpuBuffer)};
}

void wbSnapshot_FreeBuffers(wbSnapshot *snapshot, wbGpu *gpu) {
    wbGpuBuffer *buffers = snapshot->buffers.data;
    for (int k = 0; k < snapshot->buffers.capacity; k++) wbGpuBuffer_Free(gpu, &buffers[k]);
}

void wbSnapshot_Free(wbMemory *memory, wbSnapshot *snapshot) {
    wbArray_Free(memory, &snapshot->bytes);
    wbArray_Free(memory, &snapshot->buffers);
}

// Where a state became far smaller, as that of a fluid whose particles merge, what was for the larger one is given back: not at once, since what a device
// computes is on the host in some steps and not in others.
static bool isTooLarge(wbSnapshot *snapshot, size_t needed) {
    enum { FEW = 1 << 14, PATIENCE = 8 }; // lines that are not worth it; steps
    const bool isWasteful = (size_t)snapshot->bytes.capacity > 2 * (needed / LINE) + FEW;
    snapshot->wastefulSteps = isWasteful ? snapshot->wastefulSteps + 1 : 0;
    return snapshot->wastefulSteps > PATIENCE;
}

// What was in it is not needed; by an eighth more where it changes, so that slowly growing states do not ask for memory at
// each step.
static bool reserve(wbMemory *memory, wbArray *bytes, size_t needed) {
    const int lines = (int)(needed / LINE) + 1, ample = bytes->capacity > 0 ? lines + lines / 8 : lines;
    wbArray_Free(memory, bytes);
    return wbArray_Reserve(memory, bytes, ample) || wbArray_Reserve(memory, bytes, lines);
}

wbStatus wbTakeSnapshot(wbWorld *world) {
    wbSnapshot *snapshot = &world->snapshot;
    Tape tape;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) snapshot->wasAhead[s] = wbSolver_IsAhead(&world->solvers[s]);
    if (world->gpu) wbGpu_SetPhase(world->gpu, WB_MAX_PHASES - 1); // of no solver
    passWorld(&tape, world, COPY);
    const bool isMisfit = isTooLarge(snapshot, tape.used) || tape.used > tape.room;
    if (isMisfit || tape.usedBuffers > snapshot->buffers.capacity) {
        if ((isMisfit && !reserve(world->memory, &snapshot->bytes, tape.used)) ||
            !wbArray_Reserve(world->memory, &snapshot->buffers, tape.usedBuffers))
            return wbMemoryError(world->memory, "the state before a step needs");
        passWorld(&tape, world, COPY);
    }
    runCopies(&tape, world->work.pool);
    snapshot->isTaken = wbIsOk(tape.status);
    return tape.status;
}

static void endSolvers(wbWorld *world, bool isUndone) {
    world->snapshot.isTaken = false;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->endStep) s->kind->endStep(s, isUndone);
}

void wbEndStep(wbWorld *world) { endSolvers(world, false); }

static wbStatus askDevice(const wbWorld *world) {
    return world->gpu ? wbGpu_Finish(world->gpu) : wb_okStatus;
}

// The device is lost, and with it what it alone had.
static wbStatus loseDevice(wbWorld *world, wbStatus why) {
    return wbDiscardDevices(world, wbError(wb_errorDevice, "%s", why.text));
}

// Where the host had the state, the device gets it again.
static void discardPushed(wbWorld *world, wbStatus why) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        wbSolver *solver = &world->solvers[s];
        if (solver->device && !world->snapshot.wasAhead[s]) solver->kind->device->discard(solver, why);
    }
}

wbStatus wbUndoStep(wbWorld *world, wbStatus why) {
    const bool isLost = !wbIsOk(askDevice(world));
    bool wasAhead = false;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) wasAhead |= world->snapshot.wasAhead[s];
    const bool isUndone = world->snapshot.isTaken && !(isLost && wasAhead);
    if (isLost) why = loseDevice(world, why);
    if (isUndone) discardPushed(world, why);
    endSolvers(world, isUndone);
    if (!isUndone) return why;
    Tape tape;
    passWorld(&tape, world, COPY_BACK);
    if (isLost) return why;
    if (wbIsOk(tape.status)) tape.status = askDevice(world);
    return wbIsOk(tape.status) ? why : loseDevice(world, tape.status);
}
