// SPDX-License-Identifier: MIT
#include "app/view/past.h"

#include <math.h>

#include "core/status.h"
#include "core/timer.h"

static wbPastState *getState(const wbPast *past, int index) {
    return (wbPastState *)past->states.data + index;
}

// The larger one of its memory and of what is spare already stays.
static void removeState(wbPast *past, int index) {
    wbBytes *bytes = &getState(past, index)->bytes;
    past->bytes -= bytes->size;
    if (bytes->capacity > past->spare.capacity) {
        const wbBytes smaller = past->spare;
        past->spare = *bytes, *bytes = smaller;
    }
    wbFreeBytes(bytes);
    wbArray_Remove(&past->states, index, past->count--);
}

// Every second of the older half goes, but never the first.
static void thin(wbPast *past) {
    const int half = past->count > 4 ? past->count / 2 : 1;
    for (int i = half; i >= 1; i -= 2) removeState(past, i);
}

static void makeRoom(wbPast *past, size_t more) {
    while (past->bytes + more > past->limit && past->count > 1) thin(past);
}

static bool isDue(const wbPast *past, int64_t step) {
    if (past->count == 0) return true;
    const double ms = fmax(past->stepMs, 1e-3), ofSaving = past->saveMs / (0.05 * ms), ofSeeking = 500 / ms;
    // 60 at most: short steps are as soon done again, but a drag along the line of time wants many
    const double spacing = fmax(fmin(ofSeeking, 60), ofSaving);
    return step - getState(past, past->count - 1)->step >= (int64_t)fmax(1, spacing);
}

static wbStatus addState(wbPast *past, wbWorld *world) {
    past->states.elementSize = sizeof(wbPastState);
    if (!wbArray_Reserve(NULL, &past->states, past->count + 1))
        return wbMemoryError(NULL, "states to go back to need");
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    wbPastState state = {wbWorld_GetStepCount(world), wbWorld_GetTime(world), params->backend, params->device,
                         past->spare};
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

wbStatus wbPast_Update(wbPast *past, wbWorld *world, double stepMs) {
    past->stepMs = past->stepMs > 0 ? 0.9 * past->stepMs + 0.1 * stepMs : stepMs;
    if (!isDue(past, wbWorld_GetStepCount(world))) return wb_okStatus;
    const size_t expected = past->count > 0 ? getState(past, past->count - 1)->bytes.size : 0;
    if (past->count > 0 && getState(past, 0)->bytes.size + expected > past->limit) return wb_okStatus;
    makeRoom(past, expected);
    double clock = wbGetSeconds();
    WB_TRY(addState(past, world));
    const double ms = wbLapMs(&clock);
    past->saveMs = past->saveMs > 0 ? 0.7 * past->saveMs + 0.3 * ms : ms;
    makeRoom(past, 0);
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
    past->saveMs = past->stepMs = 0;
}
