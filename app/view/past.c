// SPDX-License-Identifier: MIT
#include "app/view/past.h"

#include <math.h>

#include "core/status.h"
#include "core/timer.h"

static wbPastState *getState(const wbPast *past, int index) {
    return (wbPastState *)past->states.data + index;
}

enum { EVEN_SECONDS = 60, LONGEST_MS = 250, MOST_STEPS = 60 };

// The larger one of its memory and of what is spare already stays. The next state has the way to it, too.
static void removeState(wbPast *past, int index) {
    wbBytes *bytes = &getState(past, index)->bytes;
    if (index + 1 < past->count) getState(past, index + 1)->ms += getState(past, index)->ms;
    past->bytes -= bytes->size;
    if (bytes->capacity > past->spare.capacity) {
        const wbBytes smaller = past->spare;
        past->spare = *bytes, *bytes = smaller;
    }
    wbFreeBytes(bytes);
    wbArray_Remove(&past->states, index, past->count--);
}

// The state that is missed least: the gap that it leaves takes the least time to compute, where gaps may be as much longer as they are
// older than a minute. The first one stays, and the last one as long as there are others.
static int findSpare(const wbPast *past, double now) {
    double least = INFINITY;
    int found = 1;
    for (int i = 1; i + 1 < past->count; i++) {
        const wbPastState *state = getState(past, i);
        const double gap = state->ms + getState(past, i + 1)->ms;
        const double score = gap / (EVEN_SECONDS + fmax(0, now - state->time));
        if (score < least) least = score, found = i;
    }
    return found;
}

static void makeRoom(wbPast *past, size_t more, double now) {
    while (past->bytes + more > past->limit && past->count > 1) {
        const int spare = findSpare(past, now);
        if (spare + 1 == past->count) past->sinceMs += getState(past, spare)->ms;
        removeState(past, spare);
    }
}

static bool isDue(const wbPast *past, int64_t step) {
    if (past->count == 0) return true;
    const int64_t steps = step - getState(past, past->count - 1)->step;
    // short steps are as soon done again, but a drag along the line of time wants many states
    const bool isLong = past->sinceMs >= LONGEST_MS || steps >= MOST_STEPS;
    return steps > 0 && isLong && past->sinceMs >= 20 * past->saveMs;
}

static wbStatus addState(wbPast *past, wbWorld *world) {
    past->states.elementSize = sizeof(wbPastState);
    if (!wbArray_Reserve(NULL, &past->states, past->count + 1))
        return wbMemoryError(NULL, "states to go back to need");
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    wbPastState state = {.step = wbWorld_GetStepCount(world),
                         .time = wbWorld_GetTime(world),
                         .ms = past->sinceMs,
                         .backend = params->backend,
                         .device = params->device,
                         .bytes = past->spare};
    past->spare = (wbBytes){0};
    wbStatus status = wbWorld_SaveToBytes(world, &state.bytes);
    if (!wbIsOk(status)) {
        wbFreeBytes(&state.bytes);
        return status;
    }
    *getState(past, past->count++) = state;
    past->bytes += state.bytes.size;
    return wb_okStatus;
}

// What was computed since the state before: the world comes to a step from the one before it, wherever it was restored.
static void countStep(wbPast *past, int64_t step, double ms) {
    const wbPastState *before = wbPast_Find(past, step - 1);
    past->sinceMs = before && before->step == step - 1 ? ms : past->sinceMs + ms;
}

wbStatus wbPast_Update(wbPast *past, wbWorld *world, double stepMs) {
    const int64_t step = wbWorld_GetStepCount(world);
    const double now = wbWorld_GetTime(world);
    countStep(past, step, stepMs);
    if (!isDue(past, step)) return wb_okStatus;
    const size_t expected = past->count > 0 ? getState(past, past->count - 1)->bytes.size : 0;
    if (past->count > 0 && getState(past, 0)->bytes.size + expected > past->limit) return wb_okStatus;
    makeRoom(past, expected, now);
    double clock = wbGetSeconds();
    WB_TRY(addState(past, world));
    const double ms = wbLapMs(&clock);
    past->saveMs = past->saveMs > 0 ? 0.7 * past->saveMs + 0.3 * ms : ms;
    past->sinceMs = 0;
    makeRoom(past, 0, now);
    return wb_okStatus;
}

const wbPastState *wbPast_Find(const wbPast *past, int64_t step) {
    int found = past->count - 1;
    while (found >= 0 && getState(past, found)->step > step) found--;
    return found >= 0 ? getState(past, found) : NULL;
}

const wbPastState *wbPast_FindTime(const wbPast *past, double time) {
    int found = past->count - 1;
    while (found > 0 && getState(past, found)->time > time) found--;
    return found >= 0 ? getState(past, found) : NULL;
}

wbStatus wbPastState_Restore(const wbPastState *state, wbWorld *world) {
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    if (params->backend != state->backend || params->device != state->device)
        WB_TRY(wbWorld_SetBackend(world, state->backend, state->device));
    return wbWorld_Restore(world, state->bytes.data, state->bytes.size);
}

void wbPast_Cut(wbPast *past, int64_t step) {
    while (past->count > 0 && getState(past, past->count - 1)->step > step)
        removeState(past, past->count - 1);
}

void wbPast_Free(wbPast *past) {
    while (past->count > 0) removeState(past, past->count - 1);
    wbFreeBytes(&past->spare);
    wbArray_Free(NULL, &past->states);
    past->saveMs = past->sinceMs = 0;
}
