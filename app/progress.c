// SPDX-License-Identifier: MIT
#include "app/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double getSeconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void wbProgress_Start(wbProgress *progress, bool quiet) {
    *progress = (wbProgress){.quiet = quiet, .isTerminal = isatty(STDERR_FILENO)};
    progress->startSeconds = progress->lastSeconds = getSeconds();
}

static void formatTimeLeft(double seconds, char *text, size_t size) {
    if (!(seconds < 360000))
        snprintf(text, size, "-");
    else if (seconds < 3600)
        snprintf(text, size, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, size, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
}

static void formatBar(double share, char *text, int width) {
    for (int i = 0; i < width; i++) text[i] = i < (int)(share * width) ? '#' : '.';
    text[width] = 0;
}

static void printState(const wbProgress *progress, const wbProgressState *state, double share,
                       double elapsed) {
    char left[32], bar[25];
    double simulated = state->time - state->startTime, speed = elapsed > 0 ? simulated / elapsed : 0,
           simulation = state->stepMs > 0 ? 1000 * simulated / state->stepMs : 0;
    // of the steps since the line before: while a box fills they are others than at rest
    double ms = state->stepMs - progress->lastStepMs,
           rate = ms > 0 ? 1000 * (state->steps - progress->lastSteps) / ms : 0;
    formatTimeLeft(speed > 0 ? (state->endTime - state->time) / speed : 1e9, left, sizeof left);
    formatBar(share, bar, sizeof bar - 1);
    fprintf(stderr,
            "%s[%s] frame %d/%d  %.2f s  %.2f x real time, %.2f with output  %s  %.0f steps/s%s  %s left%s",
            progress->isTerminal ? "\r\033[K" : "", bar, state->frame, state->frameCount, state->time,
            simulation, speed, state->size, rate, state->subSteps, left, progress->isTerminal ? "" : "\n");
    fflush(stderr);
}

void wbProgress_Update(wbProgress *progress, const wbProgressState *state) {
    if (progress->quiet) return;
    double now = getSeconds();
    double share = state->endTime > 0 ? state->time / state->endTime : 1;
    if (share > 1) share = 1;
    int tenth = (int)(share * 10);
    bool isDue = progress->isTerminal ? now - progress->lastSeconds > 0.1 : tenth > progress->lastTenth;
    if (!isDue) return;
    printState(progress, state, share, now - progress->startSeconds);
    progress->lastSeconds = now;
    progress->lastTenth = tenth;
    progress->lastSteps = state->steps, progress->lastStepMs = state->stepMs;
    progress->isShown = true;
}

void wbProgress_End(wbProgress *progress) {
    if (progress->isShown && progress->isTerminal) fputs("\r\033[K", stderr);
}
