// SPDX-License-Identifier: MIT
// Ctrl-C: the first asks to stop after the current step, the second ends the program at once.
#pragma once

#include <signal.h>

/// From now on SIGINT and SIGTERM set the flag. Also a reader of stdout that went away is an error of the
/// write, not the program's end.
void wbCatchInterrupts(void);

/// Not 0 after the first of them.
extern volatile sig_atomic_t wb_interrupted;
