// SPDX-License-Identifier: MIT
// A volume of smoke on its own, for benchmarks and validation.
#pragma once

#include "bench/case_solver.h"
#include "smoke/smoke_gpu.h"

typedef struct wbSmokeVolume {
    wbWork work;
    wbSmokeModel model;
    wbSmoke smoke;
    wbGpu *gpu; ///< NULL on the cores
    wbSmokeGpu *device;
} wbSmokeVolume;

/// After a failure nothing is left to destroy.
wbStatus wbCreateSmokeVolume(wbSmokeVolume *volume, const wbCaseMachine *machine, const wbSmokeParams *params,
                             const wbDomainDef *domain, int dimensions);
void wbDestroySmokeVolume(wbSmokeVolume *volume);

wbStatus wbSmokeVolume_Step(wbSmokeVolume *volume, const wbSmokeSource *sources, int sourceCount, double time,
                            float dt);
/// Takes the divergence out of the velocities: wbSmoke_Project, on the volume's backend.
wbStatus wbSmokeVolume_Project(wbSmokeVolume *volume);
/// Brings the fields to the host, where they may be read; changes of theirs are not seen by a device any more.
wbStatus wbSmokeVolume_Pull(wbSmokeVolume *volume);

/// Solid cells where the function says so, of a body at rest.
typedef bool wbSolidFn(wbVec3 point, const void *context);
wbStatus wbFillSolids(wbSmokeVolume *volume, wbSolidFn *isSolid, const void *context,
                      const wbSmokeBody *body);
