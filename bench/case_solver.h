// SPDX-License-Identifier: MIT
// For cases that drive a solver without a world: its state, and the cores or the device that it runs on.
#pragma once

#include "bench/case_work.h"
#include "pbd/pbd_gpu.h"

typedef struct wbCaseMachine {
    int threadCount; ///< 0: one per core
    wbSimd simd;
    wbBackend backend;
    int deviceIndex; ///< -1: chosen
} wbCaseMachine;

/// Position based solids without particles, with default parameters and gravity.
typedef struct wbCaseSolids {
    wbWork work;
    wbPbd pbd;
    wbPbdModel model;
    wbGpu *gpu; ///< NULL on the cores
    wbPbdGpu *device;
} wbCaseSolids;

/// After a failure nothing is left to destroy.
wbStatus wbCreateCaseSolids(const wbCaseMachine *machine, wbCaseSolids *solids);
void wbDestroyCaseSolids(wbCaseSolids *solids);
wbStatus wbCaseSolids_Step(wbCaseSolids *solids, float dt);
/// Brings the particles to the host, where they may be read; changes of theirs are not seen by a device any more.
wbStatus wbCaseSolids_Pull(wbCaseSolids *solids);

/// Mixes the saved columns of a state into a hash.
uint64_t wbHashColumns(const wbColumn *columns, int columnCount, int count);
