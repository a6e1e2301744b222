// SPDX-License-Identifier: MIT
#pragma once

/// Seconds on a clock that only goes forward.
double wbGetSeconds(void);

/// Milliseconds since *mark, which moves to now: one call between two phases.
double wbLapMs(double *mark);
