// SPDX-License-Identifier: MIT
// Rigid bodies on a compute device, as a world sees them: one engine for each method of contact, all with the same functions. An
// engine keeps its bodies on the device between steps; wbRigid has what was copied back last.
#pragma once

#include "gpu/gpu.h"
#include "rigid/rigid.h"

/// What a step of an engine changes beside wbRigid: bytes on the device, or, without a buffer, what the host knows of them.
typedef struct wbRigidEnginePart {
    wbGpuBuffer *buffer; ///< NULL: `data` has it
    void *data;
    size_t bytes;
} wbRigidEnginePart;

enum { WB_MAX_ENGINE_PARTS = 40 };

typedef struct wbRigidEngine {
    /// What of bodies only the cores compute, where this is the device, in words; NULL: nothing. Without this function it computes
    /// all, or says in `step` what it does not.
    const char *(*findMissing)(const wbGpu *gpu, const wbRigid *rigid);
    wbStatus (*create)(wbMemory *memory, wbGpu *gpu, void **device);
    void (*destroy)(void *device);
    /// The host's bodies changed: they are copied to the device at the next step.
    void (*invalidate)(void *device);
    /// Advances the device's bodies by dt seconds, with the guests that `rigid` has. Of `rigid` it changes what programs' forces are,
    /// the highest speed, the phase times, and what is made anew by itself; not where bodies are. After a failure the device's
    /// bodies may be halfway.
    wbStatus (*step)(void *device, wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt);
    /// Whether the device's bodies are ahead of the host's.
    bool (*isNewer)(const void *device);
    /// Copies them, if they are, beside the host's; `take` then makes them those, and cannot fail.
    wbStatus (*fetch)(void *device, wbRigid *rigid);
    void (*take)(void *device, wbRigid *rigid);
    /// Gives up the device's bodies: the host's count.
    void (*discard)(void *device);
    /// Before a step that may be undone: what `listParts` names can be copied back, whatever the step does to it. NULL: it always can.
    wbStatus (*prepare)(void *device);
    /// For such a step, which copies them before it and back if it is undone; the same ones in the same order each time.
    int (*listParts)(void *device, wbRigidEnginePart parts[WB_MAX_ENGINE_PARTS]);
} wbRigidEngine;
