// SPDX-License-Identifier: MIT
// Rigid bodies with exact contacts on a compute device. Bodies, pairs and contacts stay on it between steps; the host's arrays (wbRigid)
// are what was copied back last, but for who sleeps and who touches, which the host keeps itself.
#pragma once

#include "rigid/rigid_engine.h"

typedef struct wbRigidExactGpu wbRigidExactGpu;

wbStatus wbCreateRigidExactGpu(wbMemory *memory, wbGpu *gpu, wbRigidExactGpu **device);
/// NULL is allowed.
void wbDestroyRigidExactGpu(wbRigidExactGpu *device);

/// The host's bodies changed: they are copied to the device at the next step.
void wbRigidExactGpu_Invalidate(wbRigidExactGpu *device);

/// Advances the device's bodies by dt seconds; sets the highest speed, the events and the phase times of `rigid`. Nothing may be
/// missing. After a failure the device's bodies may be halfway.
wbStatus wbRigidExactGpu_Step(wbRigidExactGpu *device, wbRigid *rigid, const wbRigidModel *model,
                              const wbWork *work, float dt);

/// True if the device's bodies are ahead of the host's.
bool wbRigidExactGpu_IsNewer(const wbRigidExactGpu *device);
/// Copies them back in two steps: what may fail, then what cannot. After a failure the device's are lost, and the host's are what they
/// were.
wbStatus wbRigidExactGpu_Fetch(wbRigidExactGpu *device, wbRigid *rigid);
void wbRigidExactGpu_Take(wbRigidExactGpu *device, wbRigid *rigid);
/// Gives up the device's bodies: the host's count.
void wbRigidExactGpu_Discard(wbRigidExactGpu *device);

/// For worlds: the same.
extern const wbRigidEngine wb_rigidExactEngine;
