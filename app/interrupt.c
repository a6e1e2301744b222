// SPDX-License-Identifier: MIT
#include "app/interrupt.h"

#include <stddef.h>

volatile sig_atomic_t wb_interrupted;

static void noteInterrupt(int signal) {
    (void)signal;
    wb_interrupted = 1;
}

void wbCatchInterrupts(void) {
    // SA_RESETHAND: the second one meets the default action
    struct sigaction action = {.sa_handler = noteInterrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}
