// SPDX-License-Identifier: MIT
// What steps of second order carry, and along which paths: see smoke_reflect.h.
#include <math.h>

#include "smoke/smoke_code.h"
#include "smoke/smoke_walls.h"

float wbSmoke_GetPressureShare(const wbSmoke *smoke, float dt) {
    // what a very short step left of the divergence is none of its acceleration, and must not grow with the next
    const float most = 2;
    if (!(smoke->pressureStep > 0)) return 0;
    return 0.5f * fminf(dt / smoke->pressureStep, most);
}

void wbReflectSmoke(const wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                    const wbWork *work, float dt, float *const reflected[3]) {
    const wbSmokeParams *p = &model->params;
    wbSmokeReflect task = {.grid = &smoke->grid,
                           .level = &smoke->pressure.levels[0],
                           .density = smoke->fields[wb_smokeDensity],
                           .temperature = smoke->steam ? smoke->lift : smoke->fields[wb_smokeTemperature],
                           .share = wbSmoke_GetPressureShare(smoke, dt),
                           .buoyancy = 0.25f * dt * p->buoyancy,
                           .weight = 0.25f * dt * p->weight,
                           .up = model->up,
                           .wind = {0.5f * dt * p->wind.x, 0.5f * dt * p->wind.y, 0.5f * dt * p->wind.z}};
    for (int axis = 0; axis < 3; axis++)
        task.velocity[axis] = smoke->fields[axis], task.target[axis] = reflected[axis];
    wbParallelFor(work->pool, smoke->grid.ny + 1, 1, wbGetSmokeCode(work->simd)->reflect, &task);
    wbSetWallVelocities(smoke, model, work, reflected, false);
    if (p->viscosity == 0) wbSlipAlongSolids(smoke, reflected);
    wbFillReflectedHalos(model, kinds, work, smoke->fields, reflected);
}

void wbBendPaths(const wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                 const wbWork *work, float dt, float *const reflected[3], float *const bends[3]) {
    wbSmokeAdvect task = {.grid = &smoke->grid, .kinds = kinds, .kind = 3, .cells = dt / smoke->grid.h};
    wbSmokeHalos halos = {.model = model, .kinds = kinds, .count = 3, .goesOn = true};
    for (int axis = 0; axis < 3; axis++) {
        task.velocity[axis] = smoke->fields[axis];
        task.reflected[axis] = reflected[axis];
        task.to[axis] = halos.fields[axis] = bends[axis];
        halos.kind[axis] = 3;
    }
    wbParallelFor(work->pool, smoke->grid.ny, 1, wbGetSmokeCode(work->simd)->bend, &task);
    wbFillHalos(&halos, work);
}
