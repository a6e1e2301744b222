// SPDX-License-Identifier: MIT
// Rigid bodies as particles on a compute device. Bodies and what their contacts remember stay on it between steps; the host's arrays
// (wbRigid) are what was copied back last.
#pragma once

#include "rigid/rigid_engine.h"

typedef struct wbRigidGpu wbRigidGpu;

wbStatus wbCreateRigidGpu(wbMemory *memory, wbGpu *gpu, wbRigidGpu **device);
/// NULL is allowed.
void wbDestroyRigidGpu(wbRigidGpu *device);

/// Work-items of a group in all kernels of bodies and particles; 0, the default: what the device likes.
void wbRigidGpu_SetGroupSize(wbRigidGpu *device, int size);

/// The host's bodies changed: they are copied to the device at the next step.
void wbRigidGpu_Invalidate(wbRigidGpu *device);

/// Advances the device's bodies by dt seconds, with the guests that `rigid` has; sets its highest speed and phase times, and its
/// programs' forces to 0. After a failure the device's bodies may be halfway.
wbStatus wbRigidGpu_Step(wbRigidGpu *device, wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                         float dt);

/// Gives up the device's bodies: the host's count.
void wbRigidGpu_Discard(wbRigidGpu *device);
/// True if the device's bodies are ahead of the host's.
bool wbRigidGpu_IsNewer(const wbRigidGpu *device);
/// Copies them back. After a failure the device's are lost, and the host's are what they were.
wbStatus wbRigidGpu_Pull(wbRigidGpu *device, wbRigid *rigid);
/// The same in two steps, for a state of more than one solver: what may fail, then what cannot.
wbStatus wbRigidGpu_Fetch(wbRigidGpu *device, wbRigid *rigid);
void wbRigidGpu_Take(wbRigidGpu *device, wbRigid *rigid);

/// For worlds: the same.
extern const wbRigidEngine wb_rigidParticlesEngine;
