// SPDX-License-Identifier: MIT
#include "app/view/past.h"

#include <math.h>

#include "core/status.h"
#include "core/timer.h"

static wbPastState *getState(const wbPast *past, int index) {
    return (wbPastState *)past->states.data + index;
}

static void removeState(wbPast *past, int index) {
    past->bytes -= getState(past, index)->bytes.size;
    wbFreeBytes(&getState(past, index)->bytes);
    wbArray_Remove(&past->states, index, past->count--);
}

// Every second of the older half goes, but never the first.
static void thin(wbPast *past) {
    for (int i = past->count / 2; i >= 1; i -= 2) removeState(past, i);
}

static bool isDue(const wbPast *past, int64_t step, double stepMs) {
    if (past->count == 0) return true;
    const double ofSaving = past->saveMs / (0.05 * fmax(stepMs, 1e-3)), ofSeeking = 500 / fmax(stepMs, 1e-3);
    const double spacing = fmax(fmin(ofSeeking, 60), ofSaving);
    return step - getState(past, past->count - 1)->step >= (int64_t)fmax(1, spacing);
}

wbStatus wbPast_Update(wbPast *past, wbWorld *world, double stepMs) {
    const int64_t step = wbWorld_GetStepCount(world);
    if (!isDue(past, step, stepMs)) return wb_okStatus;
    past->states.elementSize = sizeof(wbPastState);
    if (!wbArray_Reserve(NULL, &past->states, past->count + 1))
        return wbMemoryError(NULL, "states to go back to need");
    double clock = wbGetSeconds();
    wbPastState state = {.step = step, .time = wbWorld_GetTime(world)};
    wbStatus status = wbWorld_SaveToBytes(world, &state.bytes);
    if (!wbIsOk(status)) {
        wbFreeBytes(&state.bytes);
        return status;
    }
    const double ms = wbLapMs(&clock);
    past->saveMs = past->saveMs > 0 ? 0.7 * past->saveMs + 0.3 * ms : ms;
    *getState(past, past->count++) = state;
    past->bytes += state.bytes.size;
    while (past->bytes > past->limit && past->count > 4) thin(past);
    return wb_okStatus;
}

const wbPastState *wbPast_Find(const wbPast *past, int64_t step) {
    int found = past->count - 1;
    while (found >= 0 && getState(past, found)->step > step) found--;
    return found >= 0 ? getState(past, found) : NULL;
}

void wbPast_Cut(wbPast *past, int64_t step) {
    while (past->count > 0 && getState(past, past->count - 1)->step > step)
        removeState(past, past->count - 1);
}

void wbPast_Free(wbPast *past) {
    while (past->count > 0) removeState(past, past->count - 1);
    wbArray_Free(NULL, &past->states);
    past->saveMs = 0;
}
