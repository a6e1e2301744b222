// SPDX-License-Identifier: MIT
#include "core/timer.h"

#include <time.h>

double wbGetSeconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double wbLapMs(double *mark) {
    double now = wbGetSeconds();
    double ms = 1e3 * (now - *mark);
    *mark = now;
    return ms;
}
