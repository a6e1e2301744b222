// SPDX-License-Identifier: MIT
#include "scene/command_log.h"

#include <string.h>

#include "core/status.h"

static wbStatus append(wbArray *commands, int *count, double time, const char *key, const char *value) {
    if (strlen(key) >= WB_COMMAND_KEY || strlen(value) >= WB_COMMAND_VALUE)
        return wbError(wb_errorInput,
                       "\"%.40s\" or its value is too long: allowed are %d and %d bytes for key and value",
                       key, WB_COMMAND_KEY - 1, WB_COMMAND_VALUE - 1);
    commands->elementSize = sizeof(wbLoggedCommand);
    if (!wbArray_Reserve(NULL, commands, *count + 1))
        return wbMemoryError(NULL, "%d commands need", *count + 1);
    wbLoggedCommand *command = (wbLoggedCommand *)commands->data + (*count)++;
    *command = (wbLoggedCommand){.time = time};
    strcpy(command->key, key);
    strcpy(command->value, value);
    return wb_okStatus;
}

wbStatus wbCommandQueue_Put(wbCommandQueue *queue, const char *key, const char *value) {
    WB_REQUIRE(queue);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    WB_TRY(append(&queue->commands, &queue->count, 0, key, value));
    const wbLoggedCommand *commands = queue->commands.data;
    for (int i = 0; i + 1 < queue->count && !wbIsCommandKey(key); i++) {
        if (strcmp(commands[i].key, key) != 0) continue;
        wbArray_Remove(&queue->commands, i, queue->count--);
        break;
    }
    return wb_okStatus;
}

void wbCommandQueue_Clear(wbCommandQueue *queue) { queue->count = 0; }
void wbCommandQueue_Free(wbCommandQueue *queue) { wbArray_Free(NULL, &queue->commands), queue->count = 0; }

wbStatus wbCommandQueue_Run(wbCommandQueue *queue, wbWorld *world, wbCommandLog *log, wbRefusedFn *refused,
                            void *context) {
    WB_REQUIRE(queue);
    WB_REQUIRE(world);
    WB_REQUIRE(log);
    wbStatus status = wb_okStatus;
    for (int i = 0; i < queue->count && wbIsOk(status); i++) {
        wbLoggedCommand *command = (wbLoggedCommand *)queue->commands.data + i;
        command->time = wbWorld_GetTime(world);
        status = wbCommandLog_Add(log, command->time, command->key, command->value);
        if (!wbIsOk(status)) break;
        const wbStatus done = wbWorld_Apply(world, command->key, command->value);
        if (wbIsOk(done)) continue;
        wbCommandLog_Cut(log, log->count - 1);
        if (refused) refused(command, done, context);
    }
    queue->count = 0;
    return status;
}

wbStatus wbCommandLog_Add(wbCommandLog *log, double time, const char *key, const char *value) {
    WB_REQUIRE(log);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    return append(&log->commands, &log->count, time, key, value);
}

wbStatus wbCommandLog_Insert(wbCommandLog *log, double time, const char *key, const char *value) {
    WB_TRY(wbCommandLog_Add(log, time, key, value));
    wbLoggedCommand *commands = log->commands.data, added = commands[log->count - 1];
    int place = log->count - 1;
    for (; place > 0 && commands[place - 1].time > time; place--) commands[place] = commands[place - 1];
    commands[place] = added;
    return wb_okStatus;
}

int wbCommandLog_Find(const wbCommandLog *log, double time) {
    int low = 0, high = log->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (wbCommandLog_Get(log, middle)->time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

wbStatus wbCommandLog_Replay(const wbCommandLog *log, wbWorld *world, int *next) {
    WB_REQUIRE(log);
    WB_REQUIRE(world);
    WB_REQUIRE(next);
    for (const double now = wbWorld_GetTime(world); *next < log->count; ++*next) {
        const wbLoggedCommand *command = wbCommandLog_Get(log, *next);
        if (command->time > now) break;
        WB_TRY(wbWorld_Apply(world, command->key, command->value));
    }
    return wb_okStatus;
}

void wbCommandLog_Cut(wbCommandLog *log, int first) {
    if (first < log->count) log->count = first;
}

wbStatus wbCommandLog_Copy(const wbCommandLog *log, wbCommandLog *copy) {
    copy->commands.elementSize = sizeof(wbLoggedCommand);
    if (!wbArray_Reserve(NULL, &copy->commands, log->count))
        return wbMemoryError(NULL, "%d commands need", log->count);
    if (log->count > 0)
        memcpy(copy->commands.data, log->commands.data, (size_t)log->count * sizeof(wbLoggedCommand));
    copy->count = log->count;
    return wb_okStatus;
}

void wbCommandLog_Free(wbCommandLog *log) { wbArray_Free(NULL, &log->commands), log->count = 0; }
