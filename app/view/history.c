// SPDX-License-Identifier: MIT
#include "app/view/history.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

static wbHistoryState *getState(const wbHistory *history, int index) {
    return (wbHistoryState *)history->states.data + index;
}

wbBytes wbHistory_TakeSpare(wbHistory *history) {
    const wbBytes bytes = history->spare;
    history->spare = (wbBytes){0};
    return bytes;
}

// The largest stays, as the next state is about as large as those before.
static void giveUp(wbHistory *history, wbBytes bytes) {
    if (bytes.capacity > history->spare.capacity) {
        const wbBytes smaller = history->spare;
        history->spare = bytes;
        bytes = smaller;
    }
    wbFreeBytes(&bytes);
}

static void drop(wbHistory *history, int index) {
    const wbHistoryState gone = *getState(history, index);
    wbArray_Remove(&history->states, index, history->count--);
    history->bytes -= gone.bytes.capacity;
    giveUp(history, gone.bytes);
}

// Of the older half every second goes; the first and the last stay.
static void thin(wbHistory *history) {
    const int half = history->count / 2 > 2 ? history->count / 2 : history->count - 1;
    for (int i = (half - 1) / 2 * 2 + 1; i >= 1; i -= 2)
        if (i < half) drop(history, i);
}

wbStatus wbHistory_Add(wbHistory *history, int64_t step, double time, wbBytes bytes) {
    WB_REQUIRE(history);
    history->states.elementSize = sizeof(wbHistoryState);
    while (history->count > 0 && getState(history, history->count - 1)->step >= step)
        drop(history, history->count - 1);
    if (!wbArray_Reserve(NULL, &history->states, history->count + 1)) {
        wbFreeBytes(&bytes);
        return wbMemoryError(NULL, "%d states need", history->count + 1);
    }
    *getState(history, history->count++) = (wbHistoryState){step, time, bytes};
    history->bytes += bytes.capacity;
    while (history->bytes > history->mostBytes && history->count > 2) thin(history);
    return wb_okStatus;
}

int wbHistory_Find(const wbHistory *history, int64_t step) {
    int low = 0, high = history->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (getState(history, middle)->step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

void wbHistory_Cut(wbHistory *history, int64_t step) {
    while (history->count > 0 && getState(history, history->count - 1)->step > step)
        drop(history, history->count - 1);
}

void wbHistory_Free(wbHistory *history) {
    for (int i = 0; i < history->count; i++) wbFreeBytes(&getState(history, i)->bytes);
    wbFreeBytes(&history->spare);
    wbArray_Free(NULL, &history->states);
    history->count = 0, history->bytes = 0;
}

bool wbHistory_IsDue(const wbHistory *history, int64_t step, double stepMs, double saveMs) {
    const int last = wbHistory_Find(history, step);
    if (last < 0) return true;
    const double since = (double)(step - getState(history, last)->step) * fmax(stepMs, 1e-6);
    return since >= fmax(20 * saveMs, 250);
}
