// SPDX-License-Identifier: MIT
#include "smoke/smoke_gpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "smoke/smoke_gpu_state.h"
#include "smoke/smoke_sources.h"
#include "smoke/smoke_walls.h"

extern const char wb_clReal[], wb_clSmokeDevice[], wb_clSmokeFormula[], wb_clSmokeSourceFormula[],
    wb_clSmokeSideFormula[], wb_clSmokeLanes[], wb_clSmoke[], wb_clSmokeAdvect[];

_Static_assert((int)SMOKE_BLOCK_X == WB_SMOKE_BLOCK_X && (int)SMOKE_BLOCK == WB_SMOKE_BLOCK &&
                   (int)SMOKE_MARGIN == WB_SMOKE_MARGIN,
               "the device has the host's layout");
_Static_assert(sizeof((SmokeAdvect){0}.factors) >= sizeof(float[wb_smokeFieldCount - wb_smokeDensity]),
               "a factor for each field");

enum { FRONT, BACK, SCRATCH };
enum { FORCE_FIELDS = 4 }; // of the scratch

// Creation

wbStatus wbCreateSmokeGpu(wbMemory *memory, wbGpu *gpu, wbSmokeGpu **result) {
    *result = wbAllocZero(memory, sizeof **result);
    wbSmokeGpu *device = *result;
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory;
    device->gpu = gpu;
    device->hostIsNewer = true;
    device->solidVersion = -1;
    device->keptPressure.elementSize = sizeof(float);
    wbPressureGpu_Init(&device->pressure, gpu);
    return wb_okStatus;
}

static void freeBuffers(wbSmokeGpu *device) {
    wbGpuBuffer *buffers[] = {
        &device->velocity[0], &device->velocity[1], &device->scalars[0], &device->scalars[1],
        &device->scratch,     &device->active,      &device->marks,      &device->dirty[0],
        &device->dirty[1],    &device->dirty[2],    &device->places,     &device->values,
        &device->slips,       &device->cells,       &device->sums,       &device->sourceMask,
        &device->reflected,   &device->bends,       &device->covered,    &device->heatEdges};
    for (size_t n = 0; n < sizeof buffers / sizeof buffers[0]; n++) wbGpuBuffer_Free(device->gpu, buffers[n]);
    wbPressureGpu_Free(&device->pressure);
}

void wbDestroySmokeGpu(wbSmokeGpu *device) {
    if (!device) return;
    freeBuffers(device);
    wbArray_Free(device->memory, &device->keptPressure);
    wbFree(device->memory, device, sizeof *device);
}

void wbSmokeGpu_Reset(wbSmokeGpu *device) {
    wbSmokeGpu_Invalidate(device);
    freeBuffers(device);
    device->solidVersion = -1;
}

void wbSmokeGpu_FindPressure(wbSmokeGpu *device, int colour, wbGpuBuffer **buffer, size_t *offset) {
    *buffer = &device->pressure.values;
    *offset = sizeof(float) * (size_t)device->pressure.layout[0].p[colour];
}

wbStatus wbSmokeGpu_FetchMarks(const wbSmokeGpu *device, wbSmoke *smoke) {
    if (!device->deviceIsNewer) {
        memcpy(smoke->active, smoke->marks, wbGetSmokeBlockCount(&smoke->grid));
        return wb_okStatus;
    }
    return wbGpu_Download(device->gpu, &device->marks, smoke->active, wbGetSmokeBlockCount(&smoke->grid));
}

void wbSmokeGpu_Invalidate(wbSmokeGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "fields were changed on the host before they were copied back");
    device->hostIsNewer = true;
    device->keepsPressure = false;
}

bool wbSmokeGpu_IsNewer(const wbSmokeGpu *device) { return device->deviceIsNewer; }

static wbStatus buildKernels(wbSmokeGpu *device) {
    const char *const sources[] = {wb_clReal,       wb_clSmokeDevice,        wb_clSmokeFormula,
                                   wb_clSmokeLanes, wb_clSmokeSourceFormula, wb_clSmokeSideFormula,
                                   wb_clSmoke};
    wbGpuProgramDef def = {"smoke", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {{"smoke_halo", &device->kernels.halo},
                                       {"smoke_spread", &device->kernels.spread},
                                       {"smoke_mark", &device->kernels.mark},
                                       {"smoke_slip", &device->kernels.slip},
                                       {"smoke_set_faces", &device->kernels.setFaces},
                                       {"smoke_close_sides", &device->kernels.closeSides},
                                       {"smoke_slow_inflow", &device->kernels.slowInflow},
                                       {"smoke_empty", &device->kernels.empty},
                                       {"smoke_feed", &device->kernels.feed},
                                       {"smoke_burn", &device->kernels.burn},
                                       {"smoke_curl", &device->kernels.curl},
                                       {"smoke_force", &device->kernels.force},
                                       {"smoke_push", &device->kernels.push},
                                       {"smoke_sum", &device->kernels.sum},
                                       {"smoke_scale", &device->kernels.scale},
                                       {"smoke_laplace", &device->kernels.laplace},
                                       {"smoke_apply", &device->kernels.apply},
                                       {"smoke_dot", &device->kernels.dot},
                                       {"smoke_advance", &device->kernels.advance},
                                       {"smoke_turn", &device->kernels.turn}};
    if (device->kernels.turn) return wb_okStatus;
    return wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0]));
}

// Built when a set of parameters first needs them.
static wbStatus buildAdvection(wbSmokeGpu *device, bool midpoint, bool corrects, int scalarCount) {
    const char *const sources[] = {wb_clReal, wb_clSmokeDevice, wb_clSmokeFormula, wb_clSmokeLanes,
                                   wb_clSmokeAdvect};
    wbAdvectKernels *kernels = &device->advect[midpoint][corrects];
    char options[64];
    if (kernels->centres) return wb_okStatus;
    snprintf(options, sizeof options, "-DMIDPOINT=%d -DCORRECTS=%d -DSCALARS=%d", midpoint, corrects,
             scalarCount);
    wbGpuProgramDef def = {"smoke advection", sources, sizeof sources / sizeof sources[0], options};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    WB_TRY(wbGpuProgram_GetKernel(program, "smoke_advect_faces", &kernels->faces));
    WB_TRY(wbGpuProgram_GetKernel(program, "smoke_bend", &kernels->bend));
    return wbGpuProgram_GetKernel(program, "smoke_advect_centres", &kernels->centres);
}

static bool usesMacCormack(const wbSmokeParams *params) {
    return params->advection == wb_smokeMacCormack || params->velocityAdvection == wb_advectionMacCormack;
}

// Buffers

static SmokeShape getShape(const wbSmokeGrid *grid) {
    return (SmokeShape){.nx = grid->nx,
                        .ny = grid->ny,
                        .nz = grid->nz,
                        .row = grid->row,
                        .plane = grid->plane,
                        .stride = wbPadCount(grid->total) + 2 * WB_SMOKE_MARGIN};
}

static size_t countCells(const SmokeShape *shape) {
    return (size_t)shape->nx * (size_t)shape->ny * (size_t)shape->nz;
}

// Whole words, with 0 in what is new.
static wbStatus reserveZero(wbSmokeGpu *device, wbGpuBuffer *buffer, const char *name, size_t bytes) {
    bytes = (bytes + 3) / 4 * 4;
    if (buffer->bytes >= bytes) return wb_okStatus;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, buffer, name, bytes));
    return wbGpu_Fill(device->gpu, buffer, 0, bytes);
}

// All room and all kernels before anything runs.
static wbStatus prepare(wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeParams *params = &step->model->params;
    int scalars = step->smoke->scalarCount, spare = FORCE_FIELDS > scalars ? FORCE_FIELDS : scalars;
    size_t field = sizeof(float) * (size_t)step->shape.stride,
           blocks = wbGetSmokeBlockCount(&step->smoke->grid);
    bool midpoint = params->backtrace == wb_backtraceMidpoint;
    WB_TRY(buildKernels(device));
    WB_TRY(buildAdvection(device, midpoint, false, scalars));
    if (usesMacCormack(params)) WB_TRY(buildAdvection(device, midpoint, true, scalars));
    for (int side = FRONT; side <= BACK; side++) {
        WB_TRY(reserveZero(device, &device->velocity[side], "velocity", 3 * field));
        WB_TRY(reserveZero(device, &device->scalars[side], "smoke", (size_t)scalars * field));
    }
    WB_TRY(reserveZero(device, &device->scratch, "scratch of smoke", (size_t)spare * field));
    if (params->scheme == wb_schemeReflect) {
        WB_TRY(wbBuildReflectionGpu(device));
        WB_TRY(reserveZero(device, &device->reflected, "reflected velocity", 3 * field));
        WB_TRY(reserveZero(device, &device->bends, "bends of paths", 3 * field));
    }
    WB_TRY(reserveZero(device, &device->active, "blocks", blocks));
    WB_TRY(reserveZero(device, &device->marks, "blocks", blocks));
    for (int n = FRONT; n <= SCRATCH; n++) WB_TRY(reserveZero(device, &device->dirty[n], "blocks", blocks));
    WB_TRY(reserveZero(device, &device->sums, "sums", 2 * sizeof(float) * SMOKE_MAX_SUMS));
    bool hasMesh = false;
    for (int s = 0; s < step->sourceCount; s++) hasMesh |= step->sources[s].cells != NULL;
    WB_TRY(
        reserveZero(device, &device->sourceMask, "cells of sources", hasMesh ? countCells(&step->shape) : 4));
    if (!wbArray_Reserve(device->memory, &device->keptPressure, 2 * step->smoke->pressure.levels[0].total))
        return wbMemoryError(device->memory, "a copy of the pressure needs");
    WB_TRY(wbReserveSolidsGpu(step));
    WB_TRY(wbPrepareHeatGpu(step));
    WB_TRY(wbPrepareFluxesGpu(step));
    return wbPressureGpu_Reserve(&device->pressure, &step->smoke->pressure);
}

// The host's pressure belongs to its fields, but solids that move on take it away where they come to.
static void keepPressure(wbSmokeGpu *device, const wbSmoke *smoke) {
    const wbPressureLevel *finest = &smoke->pressure.levels[0];
    for (int colour = 0; colour < 2; colour++)
        memcpy((float *)device->keptPressure.data + colour * finest->total, finest->p[colour],
               sizeof(float) * (size_t)finest->total);
    device->keepsPressure = true;
}

wbStatus wbSmokeGpu_Discard(wbSmokeGpu *device, wbSmoke *smoke, wbStatus why) {
    const wbPressureLevel *finest = &smoke->pressure.levels[0];
    for (int colour = 0; colour < 2 && device->keepsPressure; colour++)
        memcpy(finest->p[colour], (float *)device->keptPressure.data + colour * finest->total,
               sizeof(float) * (size_t)finest->total);
    device->deviceIsNewer = device->keepsPressure = false, device->hostIsNewer = true;
    return wbError(wb_errorDevice, "%s", why.text);
}

// A field of the host and its place on the device.
typedef struct Pair {
    wbGpuBuffer *buffer;
    size_t offset;
} Pair;

static Pair getPair(wbSmokeGpu *device, const SmokeShape *shape, int f) {
    size_t field = sizeof(float) * (size_t)shape->stride, margin = sizeof(float) * WB_SMOKE_MARGIN;
    if (f < wb_smokeDensity) return (Pair){&device->velocity[FRONT], (size_t)f * field + margin};
    return (Pair){&device->scalars[FRONT], (size_t)(f - wb_smokeDensity) * field + margin};
}

void wbSmokeGpu_FindField(wbSmokeGpu *device, const wbSmoke *smoke, int field, wbGpuBuffer **buffer,
                          size_t *offset) {
    const SmokeShape shape = getShape(&smoke->grid);
    const Pair pair = getPair(device, &shape, field);
    *buffer = pair.buffer, *offset = pair.offset;
}

wbGpuBuffer *wbSmokeGpu_FindMarks(wbSmokeGpu *device) { return &device->marks; }

static wbStatus fillDirty(wbSmokeGpu *device, int which, const wbSmokeGrid *grid) {
    return wbGpu_Fill(device->gpu, &device->dirty[which], 0x01010101u,
                      (wbGetSmokeBlockCount(grid) + 3) / 4 * 4);
}

wbStatus wbSmokeGpu_MarkDirty(wbSmokeGpu *device, const wbSmoke *smoke) {
    return fillDirty(device, FRONT, &smoke->grid);
}

static wbStatus push(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmoke *smoke = step->smoke;
    keepPressure(device, smoke);
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++) {
        Pair pair = getPair(device, &step->shape, f);
        WB_TRY(wbGpu_UploadAt(device->gpu, pair.buffer, pair.offset, smoke->fields[f],
                              sizeof(float) * (size_t)smoke->grid.total));
    }
    WB_TRY(fillDirty(device, FRONT, &smoke->grid));
    WB_TRY(wbGpu_Upload(device->gpu, &device->marks, smoke->marks, wbGetSmokeBlockCount(&smoke->grid)));
    return wbPressureGpu_Upload(&device->pressure, &smoke->pressure);
}

// Fields and solids that the device does not have yet.
static wbStatus update(wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    bool isNew = device->hostIsNewer;
    if (isNew) WB_TRY(push(step));
    if (isNew || device->solidVersion != step->smoke->solidVersion) {
        WB_TRY(wbPlaceSolidsGpu(step));
        WB_TRY(wbPlaceHeatEdgesGpu(step));
        WB_TRY(wbPressureGpu_Place(&device->pressure, &step->smoke->pressure, step->work));
        device->solidVersion = step->smoke->solidVersion;
    }
    device->hostIsNewer = false;
    return wb_okStatus;
}

// To the fields at the back, to b and to active: what is at the front must stay whole until nothing can fail any more.
wbStatus wbSmokeGpu_Fetch(wbSmokeGpu *device, wbSmoke *smoke) {
    if (!device->deviceIsNewer) return wb_okStatus;
    SmokeShape shape = getShape(&smoke->grid);
    memset(smoke->dirty[1], 1, wbGetSmokeBlockCount(&smoke->grid));
    wbStatus status = wbPressureGpu_Download(&device->pressure, &smoke->pressure);
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount && wbIsOk(status); f++) {
        Pair pair = getPair(device, &shape, f);
        status = wbGpu_DownloadAt(device->gpu, pair.buffer, pair.offset, smoke->back[f],
                                  sizeof(float) * (size_t)smoke->grid.total);
    }
    if (wbIsOk(status))
        status =
            wbGpu_Download(device->gpu, &device->marks, smoke->active, wbGetSmokeBlockCount(&smoke->grid));
    if (wbIsOk(status)) return wb_okStatus;
    // what came halfway must not be taken for halos
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++)
        memset(smoke->back[f], 0, sizeof(float) * (size_t)smoke->grid.total);
    for (int colour = 0; colour < 2; colour++)
        memset(smoke->pressure.levels[0].b[colour], 0,
               sizeof(float) * (size_t)smoke->pressure.levels[0].total);
    return wbSmokeGpu_Discard(device, smoke, status);
}

void wbSmokeGpu_Take(wbSmokeGpu *device, wbSmoke *smoke) {
    if (!device->deviceIsNewer) return;
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++) {
        float *pulled = smoke->back[f];
        smoke->back[f] = smoke->fields[f], smoke->fields[f] = pulled;
    }
    wbPressureGpu_Take(&smoke->pressure);
    keepPressure(device, smoke);
    uint8_t *marks = smoke->active;
    smoke->active = smoke->marks, smoke->marks = marks;
    memset(smoke->dirty[0], 1, wbGetSmokeBlockCount(&smoke->grid));
    device->deviceIsNewer = false;
}

wbStatus wbSmokeGpu_Pull(wbSmokeGpu *device, wbSmoke *smoke) {
    WB_TRY(wbSmokeGpu_Fetch(device, smoke));
    wbSmokeGpu_Take(device, smoke);
    return wb_okStatus;
}

// Advection

static SmokeKind getKind(const wbSmokeGrid *grid, const wbSmokeKind *from) {
    const int strides[3] = {1, grid->plane, grid->row};
    SmokeKind kind = {.count = {from->count[0], from->count[1], from->count[2]}};
    for (int a = 0; a < 3; a++) {
        bool own = from->axis == a;
        kind.low[a] = from->low[a], kind.high[a] = from->high[a];
        kind.boxLow[a] = from->boxLow[a], kind.boxHigh[a] = from->boxHigh[a];
        kind.up[a] = own ? 0 : strides[a];
        kind.back[a] = own || from->axis == 3 ? 0 : strides[from->axis];
        if (own) kind.down = strides[a];
        for (int b = 0; b < 3; b++) kind.shift[a][b] = (from->axis == b ? 0 : 0.5f) - (a == b ? 0 : 0.5f);
    }
    return kind;
}

static SmokeAdvect getAdvection(const wbSmokeGpuStep *step, bool decays) {
    const wbSmokeParams *p = &step->model->params;
    const float rates[wb_smokeFieldCount - wb_smokeDensity] = {
        p->densityDecay, p->cooling, 0, p->densityDecay, p->densityDecay, p->densityDecay};
    SmokeAdvect task = {.cells = step->dt / step->model->grid.h};
    for (int k = 0; k < 4; k++) task.kinds[k] = getKind(&step->model->grid, &step->kinds[k]);
    task.velocityFactor = decays ? expf(-p->velocityDecay * step->dt) : 1;
    for (int f = 0; f < step->smoke->scalarCount; f++)
        task.factors[f] = decays ? expf(-rates[f] * step->dt) : 1;
    return task;
}

static const wbAdvectKernels *getKernels(const wbSmokeGpuStep *step, bool corrects) {
    return &step->device->advect[step->model->params.backtrace == wb_backtraceMidpoint][corrects];
}

static bool reflects(const wbSmokeGpuStep *step) { return step->model->params.scheme == wb_schemeReflect; }

static wbStatus runFaces(const wbSmokeGpuStep *step, bool corrects, bool isLast, const wbGpuBuffer *to) {
    wbSmokeGpu *device = step->device;
    SmokeAdvect task = getAdvection(step, isLast);
    task.reflects = reflects(step), task.settles = reflects(step) && isLast;
    const SmokeShape *shape = &step->shape;
    const wbGpuBuffer *velocity = &device->velocity[FRONT],
                      *from = task.reflects ? &device->reflected : velocity,
                      *bends = task.reflects ? &device->bends : velocity;
    int axes = step->model->grid.dimensions, rows = axes * (shape->ny + 1) * (shape->nz + 1);
    return wbGpu_Run(device->gpu, getKernels(step, corrects)->faces,
                     wbCountRowItems(device->gpu, rows, shape->nx + 1),
                     WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_STRUCT(task), WB_GPU_INT(axes),
                                 WB_GPU_BUFFER(*velocity), WB_GPU_BUFFER(*from), WB_GPU_BUFFER(*bends),
                                 WB_GPU_BUFFER(device->scratch), WB_GPU_BUFFER(*to)));
}

static wbStatus bendPaths(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const SmokeShape *shape = &step->shape;
    SmokeAdvect task = getAdvection(step, false);
    WB_TRY(wbGpu_Run(device->gpu, getKernels(step, false)->bend,
                     wbCountRowItems(device->gpu, shape->ny * shape->nz, shape->nx),
                     WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_STRUCT(task),
                                 WB_GPU_INT(step->model->grid.dimensions),
                                 WB_GPU_BUFFER(device->velocity[FRONT]), WB_GPU_BUFFER(device->reflected),
                                 WB_GPU_BUFFER(device->bends))));
    return wbFillBendHalosGpu(step);
}

// Velocities from front to back.
static wbStatus advectFaces(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    bool corrects = step->model->params.velocityAdvection == wb_advectionMacCormack;
    if (reflects(step)) {
        wbGpu_SetPhase(device->gpu, wb_smoke_reflect);
        WB_TRY(wbReflectSmokeGpu(step));
        WB_TRY(bendPaths(step));
    }
    wbGpu_SetPhase(device->gpu, wb_smoke_advect);
    if (corrects) {
        WB_TRY(runFaces(step, false, false, &device->scratch));
        WB_TRY(wbFillHalosGpu(step, &device->scratch, 0, step->model->grid.dimensions, 0, false));
    }
    return runFaces(step, corrects, true, &device->velocity[BACK]);
}

static wbStatus runCentres(const wbSmokeGpuStep *step, bool corrects, bool isLast, const wbGpuBuffer *to,
                           const wbGpuBuffer *dirty) {
    wbSmokeGpu *device = step->device;
    SmokeAdvect task = getAdvection(step, isLast);
    return wbGpu_RunGroups(device->gpu, getKernels(step, corrects)->centres,
                           (int)wbGetSmokeBlockCount(&step->smoke->grid), SMOKE_BLOCK_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_STRUCT(task), WB_GPU_INT(isLast),
                                       WB_GPU_BUFFER(device->velocity[FRONT]),
                                       WB_GPU_BUFFER(device->scalars[FRONT]), WB_GPU_BUFFER(device->scratch),
                                       WB_GPU_BUFFER(*to), WB_GPU_BUFFER(device->active),
                                       WB_GPU_BUFFER(*dirty), WB_GPU_BUFFER(device->marks)));
}

static SmokeBlockBox getBlockBox(const wbSmokeGrid *grid) {
    wbSmokeBlocks blocks = wbCountSmokeBlocks(grid);
    return (SmokeBlockBox){.count = {blocks.x, blocks.y, blocks.z}};
}

// Blocks that smoke can come to. If it goes far, looking for it would cost more than it saves.
static wbStatus spreadActive(const wbSmokeGpuStep *step, float cells) {
    enum { FAR = 4 };
    wbSmokeGpu *device = step->device;
    SmokeBlockBox box = getBlockBox(&step->smoke->grid);
    int reachX, reach;
    wbSmoke_GetReach(cells, &reachX, &reach);
    bool isNear = cells < INFINITY && reachX <= FAR && reach <= FAR;
    box.high[0] = isNear ? reachX : -1;
    box.high[1] = box.high[2] = isNear ? reach : -1;
    return wbGpu_Run(
        device->gpu, device->kernels.spread, (int)wbGetSmokeBlockCount(&step->smoke->grid),
        WB_GPU_ARGS(WB_GPU_STRUCT(box), WB_GPU_BUFFER(device->marks), WB_GPU_BUFFER(device->active)));
}

// As fluxes.
static wbStatus flowCentres(const wbSmokeGpuStep *step) {
    const SmokeAdvect advection = getAdvection(step, true);
    int parts;
    WB_TRY(wbStartFluxesGpu(step, &parts));
    WB_TRY(spreadActive(step, (float)parts));
    WB_TRY(wbRunFluxesGpu(step, parts, advection.factors));
    return wbEmptySolidsGpu(step);
}

// Along paths.
static wbStatus carryCentres(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    bool corrects = step->model->params.advection == wb_smokeMacCormack;
    WB_TRY(spreadActive(step, wbSmoke_GetWay(step->smoke, step->dt)));
    if (corrects) {
        WB_TRY(fillDirty(device, SCRATCH, &step->smoke->grid));
        WB_TRY(runCentres(step, false, false, &device->scratch, &device->dirty[SCRATCH]));
        WB_TRY(wbFillHalosGpu(step, &device->scratch, 0, step->smoke->scalarCount, 3, false));
    }
    WB_TRY(runCentres(step, corrects, true, &device->scalars[BACK], &device->dirty[BACK]));
    wbGpuBuffer_Swap(&device->scalars[FRONT], &device->scalars[BACK]);
    wbGpuBuffer_Swap(&device->dirty[FRONT], &device->dirty[BACK]);
    return wbEmptySolidsGpu(step);
}

// Sums

wbStatus wbTakeSumGpu(const wbSmokeGpuStep *step, int groups, double *sum) {
    float sums[SMOKE_MAX_SUMS];
    WB_TRY(wbGpu_Download(step->device->gpu, &step->device->sums, sums, sizeof(float) * (size_t)groups));
    *sum = 0;
    for (int g = 0; g < groups; g++) *sum += sums[g];
    return wb_okStatus;
}

static wbStatus sumDensity(const wbSmokeGpuStep *step, double *sum) {
    wbSmokeGpu *device = step->device;
    int groups = wbCountSumGroups(device->gpu, step->shape.ny * step->shape.nz, step->shape.nx);
    WB_TRY(wbGpu_RunGroups(device->gpu, device->kernels.sum, groups, SMOKE_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_INT(0),
                                       WB_GPU_BUFFER(device->scalars[FRONT]), WB_GPU_INT(0),
                                       WB_GPU_BUFFER(device->sums))));
    return wbTakeSumGpu(step, groups, sum);
}

// In a closed box the amount of smoke that came out of advection is brought back to what went in.
static wbStatus keepMass(const wbSmokeGpuStep *step, double before) {
    wbSmokeGpu *device = step->device;
    const SmokeShape *shape = &step->shape;
    double after;
    WB_TRY(sumDensity(step, &after));
    float scale = wbSmoke_TakeDrift(step->smoke, step->model, before, after, step->dt);
    for (int f = wb_smokeDensity; f < wb_smokeDensity + step->smoke->scalarCount && scale != 1; f++) {
        if (f != wb_smokeDensity && f < wb_smokeRed) continue;
        WB_TRY(
            wbGpu_Run(device->gpu, device->kernels.scale,
                      wbCountRowItems(device->gpu, shape->ny * shape->nz, shape->nx),
                      WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_FLOAT(scale), WB_GPU_INT(f - wb_smokeDensity),
                                  WB_GPU_BUFFER(device->scalars[FRONT]))));
    }
    return wb_okStatus;
}

static wbStatus advectCentres(const wbSmokeGpuStep *step) {
    double before;
    WB_TRY(sumDensity(step, &before));
    if (step->model->params.advection == wb_smokeConserving)
        WB_TRY(flowCentres(step));
    else
        WB_TRY(carryCentres(step));
    return keepMass(step, before);
}

// Sources, fire and forces

static wbStatus markBlocks(const wbSmokeGpuStep *step, const SmokeFeed *feed) {
    wbSmokeGpu *device = step->device;
    static const int edges[3] = {WB_SMOKE_BLOCK_X, WB_SMOKE_BLOCK, WB_SMOKE_BLOCK};
    SmokeBlockBox box = getBlockBox(&step->smoke->grid);
    int count = 1;
    for (int a = 0; a < 3; a++) {
        box.low[a] = feed->first[a] / edges[a];
        box.high[a] = feed->end[a] > feed->first[a] ? (feed->end[a] - 1) / edges[a] + 1 : box.low[a];
        count *= box.high[a] - box.low[a];
    }
    return wbGpu_Run(
        device->gpu, device->kernels.mark, count,
        WB_GPU_ARGS(WB_GPU_STRUCT(box), WB_GPU_BUFFER(device->marks), WB_GPU_BUFFER(device->dirty[FRONT])));
}

wbStatus wbPlaceSourceMaskGpu(const wbSmokeGpuStep *step, const wbSmokeSource *source) {
    if (!source->cells) return wb_okStatus;
    return wbGpu_Upload(step->device->gpu, &step->device->sourceMask, source->cells,
                        countCells(&step->shape));
}

static wbStatus feedField(const wbSmokeGpuStep *step, const SmokeFeed *feed, int f) {
    wbSmokeGpu *device = step->device;
    bool isFace = f < wb_smokeDensity;
    int rows = (feed->end[1] - feed->first[1]) * (feed->end[2] - feed->first[2]);
    WB_TRY(wbGpu_Run(
        device->gpu, device->kernels.feed,
        feed->end[0] > feed->first[0] ? wbCountRowItems(device->gpu, rows, feed->end[0] - feed->first[0]) : 0,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->shape), WB_GPU_STRUCT(*feed), WB_GPU_BUFFER(device->sourceMask),
                    WB_GPU_INT(isFace ? f : f - wb_smokeDensity),
                    WB_GPU_BUFFER(*(isFace ? &device->velocity[BACK] : &device->scalars[FRONT])))));
    return isFace ? wb_okStatus : markBlocks(step, feed);
}

// Fields first … end - 1. The velocity is at the back until the forces bring it to the front.
static wbStatus feed(const wbSmokeGpuStep *step, int first, int end) {
    bool any = false;
    for (int s = 0; s < step->sourceCount; s++) {
        const wbSmokeSource *source = &step->sources[s];
        bool isPlaced = false;
        for (int f = first; f < end; f++) {
            SmokeFeed feed;
            if (!wbMakeSmokeFeed(step->model, step->kinds, source, f, step->time, step->dt, &feed)) continue;
            if (!isPlaced) WB_TRY(wbPlaceSourceMaskGpu(step, source));
            WB_TRY(feedField(step, &feed, f));
            any = isPlaced = true;
        }
    }
    return any && end > wb_smokeDensity ? wbEmptySolidsGpu(step) : wb_okStatus;
}

static wbStatus burn(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeParams *p = &step->model->params;
    const SmokeShape *shape = &step->shape;
    SmokeBurn task = {.share = 1 - expf(-p->burnRate * step->dt),
                      .ignition = p->ignition,
                      .heat = p->burnHeat,
                      .soot = p->soot,
                      .density = 0,
                      .temperature = wb_smokeTemperature - wb_smokeDensity,
                      .fuel = wb_smokeFuel - wb_smokeDensity};
    if (!p->fire) return wb_okStatus;
    return wbGpu_Run(
        device->gpu, device->kernels.burn, wbCountRowItems(device->gpu, shape->ny * shape->nz, shape->nx),
        WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_STRUCT(task), WB_GPU_BUFFER(device->scalars[FRONT])));
}

static wbStatus accelerate(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    const wbSmokeParams *p = &step->model->params;
    const SmokeShape *shape = &step->shape;
    const wbVec3 up = step->model->up, wind = p->wind;
    float half = 0.5f * step->dt;
    int cells = wbCountRowItems(device->gpu, shape->ny * shape->nz, shape->nx),
        faces = wbCountRowItems(device->gpu, (shape->ny + 1) * (shape->nz + 1), shape->nx + 1);
    SmokeForces task = {.buoyancy = half * p->buoyancy,
                        .weight = half * p->weight,
                        .confinement = 0.25f * half * wbGetConfinement(p, step->dt),
                        .up = {up.x, up.y, up.z},
                        .wind = {half * wind.x, half * wind.y, half * wind.z},
                        .density = 0,
                        .temperature = wb_smokeTemperature - wb_smokeDensity};
    if (task.confinement != 0)
        WB_TRY(wbGpu_Run(device->gpu, device->kernels.curl, cells,
                         WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_BUFFER(device->velocity[BACK]),
                                     WB_GPU_BUFFER(device->scratch))));
    WB_TRY(wbGpu_Run(device->gpu, device->kernels.force, cells,
                     WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_STRUCT(task),
                                 WB_GPU_BUFFER(device->velocity[BACK]), WB_GPU_BUFFER(device->scalars[FRONT]),
                                 WB_GPU_BUFFER(device->scratch))));
    return wbGpu_Run(device->gpu, device->kernels.push, faces,
                     WB_GPU_ARGS(WB_GPU_STRUCT(*shape), WB_GPU_INT(step->model->grid.dimensions),
                                 WB_GPU_BUFFER(device->velocity[BACK]), WB_GPU_BUFFER(device->scratch),
                                 WB_GPU_BUFFER(device->velocity[FRONT])));
}

// Projection

wbStatus wbFindDivergenceGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    wbGpu_SetPhase(device->gpu, wb_smoke_divergence);
    wbSmoke *smoke = step->smoke;
    bool expands = false;
    double sum;
    WB_TRY(wbPressureGpu_FindDivergence(&device->pressure, &step->shape, &device->velocity[FRONT]));
    for (int s = 0; s < step->sourceCount; s++) {
        SmokeFeed feed;
        if (!wbMakeSmokeExpansion(&smoke->grid, &step->sources[s], step->time, &feed)) continue;
        WB_TRY(wbPlaceSourceMaskGpu(step, &step->sources[s]));
        WB_TRY(wbPressureGpu_Expand(&device->pressure, &feed, &device->sourceMask));
        expands = true;
    }
    WB_TRY(wbPressureGpu_SumSquares(&device->pressure, &sum));
    WB_TRY(wbSmoke_TakeDivergence(smoke, sum));
    smoke->isBlocked = wbIsExpansionBlocked(smoke, step->sources, step->sourceCount, step->time);
    return expands || smoke->hasMovingBodies ? wbPressureGpu_Balance(&device->pressure) : wb_okStatus;
}

wbStatus wbTakePressureGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    wbSmoke *smoke = step->smoke;
    const wbGpuBuffer *velocity = &device->velocity[FRONT];
    wbPressureResult result;
    wbGpu_SetPhase(device->gpu, wb_smoke_pressure);
    WB_TRY(wbPressureGpu_Solve(&device->pressure, &smoke->pressure, &step->model->params,
                               smoke->divergenceBefore * smoke->grid.h, &result));
    smoke->divergence = result.residual / smoke->grid.h;
    smoke->cycles = result.cycles;
    wbGpu_SetPhase(device->gpu, wb_smoke_gradient);
    WB_TRY(wbPressureGpu_SubtractGradient(&device->pressure, &step->shape, smoke->grid.dimensions, velocity));
    WB_TRY(wbSetWallVelocitiesGpu(step, velocity, true));
    WB_TRY(wbPressureGpu_FindMaxSpeed(&device->pressure, &step->shape, smoke->grid.dimensions, velocity,
                                      &smoke->maxSpeed));
    smoke->maxSpeed = fmaxf(smoke->maxSpeed, smoke->sideSpeed);
    return wb_okStatus;
}

static wbStatus project(const wbSmokeGpuStep *step) {
    WB_TRY(wbFindDivergenceGpu(step));
    return wbTakePressureGpu(step);
}

// The step

// See wbSmoke_Predict for the scheme.
wbStatus wbPredictGpu(const wbSmokeGpuStep *step) {
    wbSmokeGpu *device = step->device;
    wbGpu *gpu = device->gpu;
    const wbSmokeParams *p = &step->model->params;
    int axes = step->model->grid.dimensions;
    wbGpu_SetPhase(gpu, wb_smoke_halo);
    if (p->viscosity == 0) WB_TRY(wbSlipAlongSolidsGpu(step, &device->velocity[FRONT]));
    WB_TRY(wbFillHalosGpu(step, &device->velocity[FRONT], 0, axes, 0, false));
    if (p->advection == wb_smokeMacCormack)
        WB_TRY(wbFillHalosGpu(step, &device->scalars[FRONT], 0, step->smoke->scalarCount, 3, false));
    wbGpu_SetPhase(gpu, wb_smoke_advect);
    WB_TRY(advectCentres(step)); // Stam 1999, section 2.2
    wbGpu_SetPhase(gpu, wb_smoke_sources);
    WB_TRY(feed(step, wb_smokeDensity, wb_smokeDensity + step->smoke->scalarCount));
    wbGpu_SetPhase(gpu, wb_smoke_burn);
    WB_TRY(burn(step));
    wbGpu_SetPhase(gpu, wb_smoke_conduction);
    if (p->thermalDiffusivity > 0) WB_TRY(wbConductHeatGpu(step));
    WB_TRY(advectFaces(step));
    WB_TRY(wbSlowInflowGpu(step, &device->velocity[BACK]));
    wbGpu_SetPhase(gpu, wb_smoke_sources);
    WB_TRY(feed(step, 0, wb_smokeDensity));
    wbGpu_SetPhase(gpu, wb_smoke_halo);
    WB_TRY(wbFillHalosGpu(step, &device->velocity[BACK], 0, axes, 0, false));
    wbGpu_SetPhase(gpu, wb_smoke_forces);
    WB_TRY(accelerate(step)); // Fedkiw, Stam and Jensen 2001, eqs. 8 to 11
    wbGpu_SetPhase(gpu, wb_smoke_walls);
    WB_TRY(wbSetWallVelocitiesGpu(step, &device->velocity[FRONT], false));
    wbGpu_SetPhase(gpu, wb_smoke_viscosity);
    if (p->viscosity > 0) WB_TRY(wbDiffuseSmokeGpu(step));
    step->smoke->pressureStep = step->dt; // of the pressure that comes now
    return wb_okStatus;
}

wbSmokeGpuStep wbBeginSmokeGpu(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model,
                               const wbWork *work) {
    wbSmokeGpuStep step = {
        .device = device, .smoke = smoke, .model = model, .work = work, .shape = getShape(&smoke->grid)};
    wbMakeSmokeKinds(model, step.kinds);
    return step;
}

wbStatus wbEndSmokeGpu(wbSmokeGpuStep *step, wbStatus status) {
    wbSmokeGpu *device = step->device;
    device->deviceIsNewer = true;
    return wbIsOk(status) ? wbGpu_TakeTimes(device->gpu, step->smoke->ms, wb_smokePhaseCount) : status;
}

static wbStatus startStep(wbSmokeGpuStep *step) {
    WB_TRY(prepare(step));
    return update(step);
}

wbStatus wbSmokeGpu_Prepare(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                            const wbSmokeSource *sources, int sourceCount) {
    wbSmokeGpuStep step = wbBeginSmokeGpu(device, smoke, model, work);
    step.sources = sources, step.sourceCount = sourceCount;
    return startStep(&step);
}

wbStatus wbSmokeGpu_Step(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         const wbSmokeSource *sources, int sourceCount, double time, float dt) {
    wbSmokeGpuStep step = wbBeginSmokeGpu(device, smoke, model, work);
    step.sources = sources, step.sourceCount = sourceCount;
    step.time = time, step.dt = dt;
    WB_TRY(startStep(&step));
    memset(smoke->ms, 0, sizeof smoke->ms);
    wbStatus status = wbPredictGpu(&step);
    if (wbIsOk(status)) status = project(&step);
    return wbEndSmokeGpu(&step, status);
}

wbStatus wbSmokeGpu_Project(wbSmokeGpu *device, wbSmoke *smoke, const wbSmokeModel *model,
                            const wbWork *work) {
    wbSmokeGpuStep step = wbBeginSmokeGpu(device, smoke, model, work);
    WB_TRY(startStep(&step));
    memset(smoke->ms, 0, sizeof smoke->ms);
    smoke->pressureStep = 0;
    wbStatus status = wbSetWallVelocitiesGpu(&step, &device->velocity[FRONT], false);
    if (wbIsOk(status)) status = project(&step);
    return wbEndSmokeGpu(&step, status);
}
