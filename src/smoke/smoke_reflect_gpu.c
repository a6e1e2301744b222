// SPDX-License-Identifier: MIT
// What steps of second order carry, and along which paths, on a device: see smoke_reflect.c.
#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_walls.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeFormula[], wb_clSmokeLanes[],
    wb_clPressureDevice[], wb_clSmokeReflect[];

wbStatus wbBuildReflectionGpu(wbSmokeGpu *device) {
    const char *const sources[] = {wb_clReal,       wb_clSmokeDevice,    wb_clSmokeFormula,
                                   wb_clSmokeLanes, wb_clPressureDevice, wb_clSmokeReflect};
    wbGpuProgramDef def = {"smoke reflection", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {{"smoke_reflect", &device->kernels.reflect},
                                       {"smoke_reflect_halo", &device->kernels.reflectHalo}};
    if (device->kernels.reflectHalo) return wb_okStatus;
    return wbGpu_BuildKernels(device->gpu, &def, kernels, 2);
}

static wbStatus fillHalos(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const SmokeShape *shape = &step->shape;
    int axes = step->model->grid.dimensions, rows = axes * (shape->ny + 3) * (shape->nz + 3);
    SmokeReflectedHalo halo;
    for (int axis = 0; axis < 3; axis++) {
        for (int a = 0; a < 3; a++) {
            halo.count[axis][a] = step->kinds[axis].count[a];
            wbGetReflectedRange(step->model, &step->kinds[axis], a, &halo.low[axis][a], &halo.high[axis][a]);
        }
    }
    return wbGpu_Run(device->gpu, device->kernels.reflectHalo,
                     wbCountRowItems(device->gpu, rows, shape->nx + 3),
                     WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_STRUCT(halo), WB_GPU_INT(axes),
                                 WB_GPU_BUFFER(device->velocity[0]), WB_GPU_BUFFER(device->reflected)));
}

wbStatus wbReflectSmokeGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeParams *p = &step->model->params;
    const SmokeShape *shape = &step->shape;
    const wbVec3 up = step->model->up;
    float dt = step->dt;
    SmokeReflect task = {.share = wbSmoke_GetPressureShare(step->smoke, dt),
                         .buoyancy = 0.25f * dt * p->buoyancy,
                         .weight = 0.25f * dt * p->weight,
                         .up = {up.x, up.y, up.z},
                         .wind = {0.5f * dt * p->wind.x, 0.5f * dt * p->wind.y, 0.5f * dt * p->wind.z},
                         .density = 0,
                         .temperature = wb_smokeTemperature - wb_smokeDensity};
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.reflect,
                     wbCountRowItems(device->gpu, (shape->ny + 1) * (shape->nz + 1), shape->nx / 2 + 1),
                     WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_STRUCT(task),
                                 WB_GPU_INT(step->model->grid.dimensions),
                                 WB_GPU_STRUCT(device->pressure.layout[0]),
                                 WB_GPU_BUFFER(device->pressure.values), WB_GPU_BUFFER(device->velocity[0]),
                                 WB_GPU_BUFFER(device->scalars[0]), WB_GPU_BUFFER(device->reflected))));
    WB_TRY(wbSetWallVelocitiesGpu(step, &device->reflected, false));
    if (p->viscosity == 0) WB_TRY(wbSlipAlongSolidsGpu(step, &device->reflected));
    return fillHalos(step);
}
