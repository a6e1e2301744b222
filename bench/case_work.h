// SPDX-License-Identifier: MIT
// For cases that drive a solver without a world: memory, threads and instruction set.
#pragma once

#include "core/work.h"

/// threadCount 0: one per core. After a failure nothing is left to destroy.
wbStatus wbCreateCaseWork(int threadCount, wbSimd simd, wbWork *work);
/// Everything must have been freed.
void wbDestroyCaseWork(wbWork *work);
