// SPDX-License-Identifier: MIT
// The same solver on a compute device. Fields and pressure stay on it between steps; the host's (wbSmoke) are what was
// copied back last.
#pragma once

#include "gpu/gpu.h"
#include "smoke/smoke.h"

typedef struct wbSmokeGpu wbSmokeGpu;

wbStatus wbCreateSmokeGpu(wbMemory *memory, wbGpu *gpu, wbSmokeGpu **device);
void wbDestroySmokeGpu(wbSmokeGpu *device);

/// The host's fields or pressure changed: they are copied to the device at the next step. Solids that were set are
/// noticed without this.
void wbSmokeGpu_Invalidate(wbSmokeGpu *device);

/// The grid will be another one.
void wbSmokeGpu_Reset(wbSmokeGpu *device);
/// Blocks that smoke is in now, into smoke->active; the host's own marks stay.
wbStatus wbSmokeGpu_FetchMarks(const wbSmokeGpu *device, wbSmoke *smoke);

/// All of a step that may fail but for the device: takes the pressure away where solids came to. wbSmokeGpu_Step does it, too.
wbStatus wbSmokeGpu_Prepare(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                            const wbSmokeSource *sources, int sourceCount);

/// Advances the device's fields as wbSmoke_Step does the host's, and sets all of `smoke` that tells of the last step.
/// After wb_errorMemory, or if kernels cannot be built, the fields are as before. If the device fails, they are to be
/// discarded.
wbStatus wbSmokeGpu_Step(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         const wbSmokeSource *sources, int sourceCount, double time, float dt);

/// As wbSmoke_Project.
wbStatus wbSmokeGpu_Project(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model,
                            const wbWork *work);

/// Where the device has a field, the pressure of cells of a colour and the marks, once it has them: as long as those of the host.
void wbSmokeGpu_FindField(wbSmokeGpu *device, const wbSmoke *smoke, int field, wbGpuBuffer **buffer,
                          size_t *offset);
void wbSmokeGpu_FindPressure(wbSmokeGpu *device, int colour, wbGpuBuffer **buffer, size_t *offset);
wbGpuBuffer *wbSmokeGpu_FindMarks(wbSmokeGpu *device);
/// What was copied to the fields from outside stands in any block.
wbStatus wbSmokeGpu_MarkDirty(wbSmokeGpu *device, const wbSmoke *smoke);
/// True if the device's fields are ahead of the host's.
bool wbSmokeGpu_IsNewer(const wbSmokeGpu *device);
/// Copies them back. After a failure the device's are lost, and the host's are what they were.
wbStatus wbSmokeGpu_Pull(wbSmokeGpu *device, wbSmoke *smoke);
/// The same in two steps, for a state of more than one solver: what may fail, then what cannot.
wbStatus wbSmokeGpu_Fetch(wbSmokeGpu *device, wbSmoke *smoke);
void wbSmokeGpu_Take(wbSmokeGpu *device, wbSmoke *smoke);
/// What is on the device is halfway or lost: the host's fields are the last good ones. Gives wb_errorDevice.
wbStatus wbSmokeGpu_Discard(wbSmokeGpu *device, wbSmoke *smoke, wbStatus why);
