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

/// Position based bodies without particles, with default parameters and gravity.
typedef struct wbCaseBodies {
    wbWork work;
    wbPbd pbd;
    wbPbdModel model;
    wbDomain domain; ///< without sides
    wbGpu *gpu;      ///< NULL on the cores
    wbPbdGpu *device;
} wbCaseBodies;

/// After a failure nothing is left to destroy.
wbStatus wbCreateCaseBodies(const wbCaseMachine *machine, wbCaseBodies *bodies);
void wbDestroyCaseBodies(wbCaseBodies *bodies);
wbStatus wbCaseBodies_Step(wbCaseBodies *bodies, float dt);
/// Brings the particles to the host, where they may be read; changes of theirs are not seen by a device any more.
wbStatus wbCaseBodies_Pull(wbCaseBodies *bodies);
