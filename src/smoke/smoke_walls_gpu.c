// SPDX-License-Identifier: MIT
// What sides and solids do to the fields on a device: see smoke_walls.c.
#include <string.h>

#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_walls.h"

_Static_assert(sizeof(SmokeSlip) == sizeof(wbSlipFace), "the device reads the host's structs");

// Solids

static SmokeFaceRanges getRanges(const wbSmoke *smoke, bool onlySurfaces) {
    SmokeFaceRanges ranges = {{0}, {0}};
    int first = 0;
    for (int axis = 0; axis < 3; axis++) {
        const wbSmokeFaces *faces = &smoke->faces[axis];
        ranges.first[axis] = first;
        ranges.count[axis] = onlySurfaces ? faces->surfaceCount : faces->count;
        first += faces->count;
    }
    return ranges;
}

static int countRanges(const SmokeFaceRanges *ranges) {
    return ranges->count[0] + ranges->count[1] + ranges->count[2];
}

wbStatus wbReserveSolidsGpu(wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmoke *smoke = step->smoke;
    enum { LEAST = 64 }; // so that there always is a buffer
    size_t faces = LEAST, slips = LEAST, cells = LEAST + (size_t)smoke->solidCount;
    for (int axis = 0; axis < 3; axis++)
        faces += (size_t)smoke->faces[axis].count, slips += (size_t)smoke->faces[axis].slipCount;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->places, "faces of solids", sizeof(int) * faces));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->values, "faces of solids", sizeof(float) * faces));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->slips, "faces beside air", sizeof(SmokeSlip) * slips));
    return wbGpuBuffer_Reserve(device->gpu, &device->cells, "cells of solids", sizeof(int) * cells);
}

// The lists of the axes, one after the other.
typedef struct Lists {
    int *places;
    float *values;
    wbSlipFace *slips;
} Lists;

static void joinLists(const wbSmoke *smoke, const SmokeFaceRanges *faces, const SmokeFaceRanges *slips,
                      Lists *lists) {
    for (int axis = 0; axis < 3; axis++) {
        const wbSmokeFaces *from = &smoke->faces[axis];
        size_t count = (size_t)from->count, slipCount = (size_t)from->slipCount;
        if (count) memcpy(lists->places + faces->first[axis], from->places.data, sizeof(int) * count);
        if (count) memcpy(lists->values + faces->first[axis], from->values.data, sizeof(float) * count);
        if (slipCount)
            memcpy(lists->slips + slips->first[axis], from->slips.data, sizeof(wbSlipFace) * slipCount);
    }
}

wbStatus wbPlaceSolidsGpu(wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmoke *smoke = step->smoke;
    wbArena *arena = step->work->arena;
    size_t mark = wbArena_Mark(arena), slipCount = 0;
    device->faces = getRanges(smoke, false), device->surfaces = getRanges(smoke, true);
    for (int axis = 0; axis < 3; axis++) {
        device->slipRanges.first[axis] = (int)slipCount;
        device->slipRanges.count[axis] = smoke->faces[axis].slipCount;
        slipCount += (size_t)smoke->faces[axis].slipCount;
    }
    device->solidCells = smoke->solidCount;
    size_t count = (size_t)countRanges(&device->faces);
    Lists lists = {wbArena_Alloc(arena, sizeof(int) * (count + 1)),
                   wbArena_Alloc(arena, sizeof(float) * (count + 1)),
                   wbArena_Alloc(arena, sizeof(wbSlipFace) * (slipCount + 1))};
    if (!lists.places || !lists.values || !lists.slips)
        return wbMemoryError(step->work->memory, "a copy of the faces of solids needs");
    joinLists(smoke, &device->faces, &device->slipRanges, &lists);
    WB_TRY(wbGpu_Upload(device->gpu, &device->places, lists.places, sizeof(int) * count));
    WB_TRY(wbGpu_Upload(device->gpu, &device->values, lists.values, sizeof(float) * count));
    WB_TRY(wbGpu_Upload(device->gpu, &device->slips, lists.slips, sizeof(SmokeSlip) * slipCount));
    wbArena_Release(arena, mark);
    return wbGpu_Upload(device->gpu, &device->cells, smoke->solidCells.data,
                        sizeof(int) * (size_t)smoke->solidCount);
}

wbStatus wbSlipAlongSolidsGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *velocity) {
    wbSmokeGpu *device = step->device;
    return wbGpu_Run(device->gpu, device->kernels.slip, countRanges(&device->slipRanges),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_STRUCT(device->slipRanges),
                                 WB_GPU_BUFFER(device->slips), WB_GPU_BUFFER(*velocity)));
}

wbStatus wbEmptySolidsGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    return wbGpu_Run(device->gpu, device->kernels.empty, device->solidCells,
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_INT(device->solidCells),
                                 WB_GPU_INT(step->smoke->scalarCount), WB_GPU_BUFFER(device->cells),
                                 WB_GPU_BUFFER(device->scalars[0])));
}

// Walls

typedef struct Target {
    const wbGpuBuffer *fields;
    int first, step; // field of the first axis, and from one axis to the next
    float scale;     // of the velocities
    int axes;        // bits
} Target;

static wbStatus setFaces(const wbSmokeGpuStep *step, const SmokeFaceRanges *ranges, const Target *target) {
    wbSmokeGpu *device = step->device;
    return wbGpu_Run(device->gpu, device->kernels.setFaces, countRanges(ranges),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_STRUCT(*ranges),
                                 WB_GPU_INT(target->first), WB_GPU_INT(target->step),
                                 WB_GPU_FLOAT(target->scale), WB_GPU_BUFFER(device->places),
                                 WB_GPU_BUFFER(device->values), WB_GPU_BUFFER(*target->fields)));
}

static wbStatus setWalls(const wbSmokeGpuStep *step, const SmokeFaceRanges *ranges, const Target *target) {
    wbSmokeGpu *device = step->device;
    int closed = 0;
    for (int s = 0; s < wb_sideCount; s++) closed |= step->model->open[s] ? 0 : 1 << s;
    WB_TRY(setFaces(step, ranges, target));
    return wbGpu_Run(device->gpu, device->kernels.closeSides, (step->shape.ny + 1) * (step->shape.nz + 1),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_INT(target->first),
                                 WB_GPU_INT(target->step), WB_GPU_INT(target->axes), WB_GPU_INT(closed),
                                 WB_GPU_BUFFER(*target->fields)));
}

wbStatus wbSetWallVelocitiesGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *velocity, bool onlySurfaces) {
    const Target target = {velocity, 0, 1, 1, step->model->grid.dimensions == 3 ? 7 : 3};
    return setWalls(step, onlySurfaces ? &step->device->surfaces : &step->device->faces, &target);
}

wbStatus wbSlowInflowGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *velocity) {
    wbSmokeGpu *device = step->device;
    int still = 0;
    for (int s = 0; s < 2 * step->model->grid.dimensions; s++) still |= step->model->still[s] ? 1 << s : 0;
    if (!still) return wb_okStatus;
    return wbGpu_Run(device->gpu, device->kernels.slowInflow, (step->shape.ny + 1) * (step->shape.nz + 1),
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_INT(still),
                                 WB_GPU_FLOAT(step->dt / step->model->grid.h), WB_GPU_BUFFER(*velocity)));
}

wbStatus wbHoldSurfacesGpu(const wbSmokeGpuStep *step, bool hold) {
    const Target target = {&step->device->velocity[0], 0, 1, hold ? 0 : 1,
                           step->model->grid.dimensions == 3 ? 7 : 3};
    return setFaces(step, &step->device->surfaces, &target);
}

wbStatus wbClearWallsGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, int first, int axis) {
    const Target target = {fields, first, 0, 0, 1 << axis};
    SmokeFaceRanges ranges = step->device->faces;
    for (int a = 0; a < 3; a++)
        if (a != axis) ranges.count[a] = 0;
    return setWalls(step, &ranges, &target);
}

// Halos

static wbStatus runHalos(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, const SmokeHalos *halos) {
    wbSmokeGpu *device = step->device;
    int planes = halos->fieldCount * (step->shape.ny + 3);
    int parts = wbGpu_GetLanes(device->gpu) == 1 ? (step->shape.nz + 3) * SMOKE_HALO_PARTS : 1;
    return wbGpu_Run(device->gpu, device->kernels.halo, planes * parts,
                     WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_STRUCT(*halos), WB_GPU_BUFFER(*fields)));
}

wbStatus wbFillHalosGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, int first, int count,
                        int firstKind, bool atRest) {
    SmokeHalos halos = {.first = first, .fieldCount = count, .isOwn = firstKind < 3};
    for (int n = 0; n < (halos.isOwn ? count : 1); n++) {
        const wbSmokeKind *kind = &step->kinds[firstKind + n];
        memcpy(halos.of[n].count, kind->count, sizeof kind->count);
        for (int side = 0; side < wb_sideCount; side++) {
            wbHaloRule rule = wbGetHaloRule(step->model, kind->axis, side, atRest);
            halos.of[n].add[side] = rule.add, halos.of[n].factor[side] = rule.factor;
        }
    }
    return runHalos(step, fields, &halos);
}

wbStatus wbFillHeatHalosGpu(const wbSmokeGpuStep *step, const wbGpuBuffer *fields, int field, bool atRest) {
    SmokeHalos halos = {.first = field, .fieldCount = 1};
    memcpy(halos.of[0].count, step->kinds[3].count, sizeof halos.of[0].count);
    for (int side = 0; side < wb_sideCount; side++) {
        wbHaloRule rule = wbGetHeatRule(step->model, side, atRest);
        halos.of[0].add[side] = rule.add, halos.of[0].factor[side] = rule.factor;
    }
    return runHalos(step, fields, &halos);
}

wbStatus wbFillBendHalosGpu(const wbSmokeGpuStep *step) {
    SmokeHalos halos = {.fieldCount = 3};
    memcpy(halos.of[0].count, step->kinds[3].count, sizeof halos.of[0].count);
    for (int side = 0; side < wb_sideCount; side++) halos.of[0].factor[side] = 1;
    return runHalos(step, &step->device->bends, &halos);
}
