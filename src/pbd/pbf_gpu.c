// SPDX-License-Identifier: MIT
#include "pbd/pbf_gpu.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_device.h"

extern const char wb_clPbfConstants[], wb_clPbfDevice[], wb_clPbfFormula[], wb_clPbf[];

// Predicted positions, positions and ids are sorted by cell; velocities are made anew from the way.
enum { PX, PY, PZ, X, Y, Z, ID, SORTED };
// Present positions and where they are corrected to, velocities and where they are smoothed to, spins; and the rest.
enum {
    QX,
    QY,
    QZ,
    NX,
    NY,
    NZ,
    VX,
    VY,
    VZ,
    NVX,
    NVY,
    NVZ,
    SX,
    SY,
    SZ,
    SPIN,
    LAMBDA,
    DENSITY,
    INVERSE,
    NEIGHBOURS,
    OTHERS
};

// Summaries are few, and always the same number for a number of particles.
enum { MAX_SUMMARIES = 256 };

typedef struct Kernels {
    bool built;
    wbGpuKernel *predict, *solve, *correct, *finish, *smooth, *turn;
} Kernels;

struct wbPbfGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuCells cells;
    Kernels variants[2]; // dense, hashed
    wbGpuBuffer front[SORTED], back[SORTED], others[OTHERS], summaries;
    wbArray pulled;       // float: columns on their way to the host
    float min[3], max[3]; // m, around the particles
    bool hostIsNewer, deviceIsNewer;
};

wbStatus wbCreatePbfGpu(wbMemory *memory, wbGpu *gpu, wbPbfGpu **result) {
    *result = NULL;
    wbPbfGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory;
    device->gpu = gpu;
    device->hostIsNewer = true;
    device->pulled.elementSize = sizeof(float[WB_PBF_COLUMNS]);
    wbStatus status = wbGpuCells_Init(&device->cells, memory, gpu);
    if (!wbIsOk(status)) {
        wbDestroyPbfGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

void wbDestroyPbfGpu(wbPbfGpu *device) {
    if (!device) return;
    for (int k = 0; k < SORTED; k++) {
        wbGpuBuffer_Free(device->gpu, &device->front[k]);
        wbGpuBuffer_Free(device->gpu, &device->back[k]);
    }
    for (int k = 0; k < OTHERS; k++) wbGpuBuffer_Free(device->gpu, &device->others[k]);
    wbGpuBuffer_Free(device->gpu, &device->summaries);
    wbGpuCells_Free(&device->cells);
    wbArray_Free(device->memory, &device->pulled);
    wbFree(device->memory, device, sizeof *device);
}

void wbPbfGpu_Invalidate(wbPbfGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "particles were changed on the host before they were copied back");
    device->hostIsNewer = true;
}

bool wbPbfGpu_IsNewer(const wbPbfGpu *device) { return device->deviceIsNewer; }

static wbStatus getKernels(wbPbfGpu *device, bool hashed, Kernels **result) {
    Kernels *k = *result = &device->variants[hashed];
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clPbfConstants, wb_clPbfFormula, wb_clPbfDevice,
                                   wb_clPbf};
    wbGpuProgramDef def = {"pbf", sources, sizeof sources / sizeof sources[0],
                           hashed ? "-DHASHED=1" : "-DHASHED=0"};
    const struct {
        const char *name;
        wbGpuKernel **kernel;
    } kernels[] = {{"pbf_predict", &k->predict}, {"pbf_solve", &k->solve},   {"pbf_correct", &k->correct},
                   {"pbf_finish", &k->finish},   {"pbf_smooth", &k->smooth}, {"pbf_turn", &k->turn}};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        WB_TRY(wbGpuProgram_GetKernel(program, kernels[i].name, kernels[i].kernel));
    k->built = true;
    return wb_okStatus;
}

// All room for particles before anything runs.
static wbStatus reserve(wbPbfGpu *device, int count) {
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); // read by whole vectors
    if (!wbArray_Reserve(device->memory, &device->pulled, count))
        return wbMemoryError(device->memory, "copies of %d particles need", count);
    for (int k = 0; k < SORTED; k++) {
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->front[k], "positions", bytes));
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->back[k], "sorted positions", bytes));
    }
    for (int k = 0; k < OTHERS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->others[k], "velocities and densities", bytes));
    return wbGpuBuffer_Reserve(device->gpu, &device->summaries, "summaries",
                               sizeof(PbfSummary) * MAX_SUMMARIES);
}

// The buffers of the host's columns, in their order.
static void listBuffers(wbPbfGpu *device, wbGpuBuffer *buffers[WB_PBF_COLUMNS]) {
    wbGpuBuffer *list[WB_PBF_COLUMNS] = {&device->front[X],   &device->front[Y],       &device->front[Z],
                                         &device->others[VX], &device->others[VY],     &device->others[VZ],
                                         &device->front[ID],  &device->others[DENSITY]};
    memcpy(buffers, list, sizeof list);
}

static wbStatus lose(wbPbfGpu *device, wbStatus why) {
    device->deviceIsNewer = false, device->hostIsNewer = true;
    return wbError(wb_errorDevice, "%s", why.text);
}

static wbStatus push(wbPbfGpu *device, wbPbf *pbf) {
    wbColumn columns[WB_PBF_COLUMNS];
    wbGpuBuffer *buffers[WB_PBF_COLUMNS];
    wbPbf_ListColumns(pbf, columns);
    listBuffers(device, buffers);
    for (int k = 0; k < WB_PBF_COLUMNS; k++) {
        wbStatus status = wbGpu_Upload(device->gpu, buffers[k], *columns[k].data, 4 * (size_t)pbf->count);
        if (!wbIsOk(status)) return lose(device, status);
    }
    for (int a = 0; a < 3; a++) {
        const float *x = *columns[a].data;
        device->min[a] = FLT_MAX, device->max[a] = -FLT_MAX;
        for (int i = 0; i < pbf->count; i++)
            device->min[a] = fminf(device->min[a], x[i]), device->max[a] = fmaxf(device->max[a], x[i]);
    }
    device->hostIsNewer = false;
    return wb_okStatus;
}

// First to another place, for what the host has must stay whole until nothing can fail any more.
wbStatus wbPbfGpu_Pull(wbPbfGpu *device, wbPbf *pbf) {
    if (!device->deviceIsNewer) return wb_okStatus;
    wbColumn columns[WB_PBF_COLUMNS];
    wbGpuBuffer *buffers[WB_PBF_COLUMNS];
    size_t bytes = 4 * (size_t)pbf->count;
    char *pulled = device->pulled.data;
    wbPbf_ListColumns(pbf, columns);
    listBuffers(device, buffers);
    for (size_t k = 0; k < WB_PBF_COLUMNS; k++) {
        wbStatus status = wbGpu_Download(device->gpu, buffers[k], pulled + k * bytes, bytes);
        if (!wbIsOk(status)) return lose(device, status);
    }
    for (size_t k = 0; k < WB_PBF_COLUMNS; k++) memcpy(*columns[k].data, pulled + k * bytes, bytes);
    device->deviceIsNewer = false;
    return wb_okStatus;
}

// What one sub-step works with.
typedef struct Step {
    wbPbfGpu *device;
    wbPbf *pbf;
    const wbPbfModel *model;
    int count, items; // an item has as many particles as REAL has lanes
    SpaceSides sides;
    PbfMove move;
    Kernels *kernels;
} Step;

// What every kernel that searches begins with, after its constants.
#define SEARCH_ARGS(device, step)                                                                            \
    WB_GPU_STRUCT((device)->cells.cells), WB_GPU_STRUCT((step)->sides),                                      \
        WB_GPU_BUFFER((device)->cells.bucketStart), WB_GPU_BUFFER((device)->front[PX]),                      \
        WB_GPU_BUFFER((device)->front[PY]), WB_GPU_BUFFER((device)->front[PZ])
#define THREE_BUFFERS(buffers, first)                                                                        \
    WB_GPU_BUFFER((buffers)[first]), WB_GPU_BUFFER((buffers)[(first) + 1]),                                  \
        WB_GPU_BUFFER((buffers)[(first) + 2])

static wbStatus sortPredicted(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *front = device->front;
    wbGpu_SetPhase(device->gpu, wb_pbf_sort);
    Kernels *any;
    WB_TRY(getKernels(device, false, &any));
    WB_TRY(wbGpu_Run(device->gpu, any->predict, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->move), THREE_BUFFERS(front, X),
                                 THREE_BUFFERS(device->others, VX), THREE_BUFFERS(front, PX))));
    wbGpuPoints points = {&front[PX], &front[PY], &front[PZ], step->count, {0}, {0}};
    memcpy(points.min, device->min, sizeof points.min);
    memcpy(points.max, device->max, sizeof points.max);
    WB_TRY(wbGpuCells_Sort(&device->cells, &points, step->model->h, step->model->dimensions));
    // before anything is moved: it may fail
    WB_TRY(getKernels(device, device->cells.grid.hashed, &step->kernels));
    return wbGpuCells_Reorder(&device->cells, step->count, front, device->back, SORTED);
}

static wbStatus solveDensity(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *others = device->others;
    const PbfConstants *constants = &step->model->constants;
    wbGpu_SetPhase(device->gpu, wb_pbf_density);
    for (int a = 0; a < 3; a++)
        WB_TRY(wbGpu_Copy(device->gpu, &device->front[PX + a], &others[QX + a], 4 * (size_t)step->count));
    for (int k = 0; k < step->model->params.iterations; k++) {
        WB_TRY(wbGpu_Run(device->gpu, step->kernels->solve, step->items,
                         WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants),
                                     SEARCH_ARGS(device, step), THREE_BUFFERS(others, QX),
                                     WB_GPU_BUFFER(others[LAMBDA]), WB_GPU_BUFFER(others[DENSITY]),
                                     WB_GPU_BUFFER(others[NEIGHBOURS]))));
        WB_TRY(wbGpu_Run(device->gpu, step->kernels->correct, step->items,
                         WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants),
                                     WB_GPU_STRUCT(step->move), SEARCH_ARGS(device, step),
                                     THREE_BUFFERS(others, QX), WB_GPU_BUFFER(others[LAMBDA]),
                                     THREE_BUFFERS(others, NX))));
        for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&others[QX + a], &others[NX + a]);
    }
    return wb_okStatus;
}

static void takeSummaries(Step *step, const PbfSummary *summaries, int count, int *broken) {
    wbPbfGpu *device = step->device;
    float speed2 = 0, density = 0;
    int64_t neighbours = 0;
    *broken = 0;
    for (int a = 0; a < 3; a++) device->min[a] = FLT_MAX, device->max[a] = -FLT_MAX;
    for (int g = 0; g < count; g++) {
        const PbfSummary *s = &summaries[g];
        speed2 = fmaxf(speed2, s->maxSpeed2), density = fmaxf(density, s->maxDensity);
        neighbours += (int64_t)((uint64_t)s->neighbours[1] << 32 | s->neighbours[0]);
        *broken += s->broken;
        for (int a = 0; a < 3; a++) {
            device->min[a] = fminf(device->min[a], s->min[a]);
            device->max[a] = fmaxf(device->max[a], s->max[a]);
        }
    }
    step->pbf->neighbours.pairs = neighbours - step->count;
    step->pbf->maxSpeed = sqrtf(speed2), step->pbf->maxDensity = density * step->model->params.restDensity;
}

// v = (p - x) / dt, x = p
static wbStatus finish(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *others = device->others;
    int groups = (step->items + PBF_SUMMARY_GROUP - 1) / PBF_SUMMARY_GROUP, broken;
    if (groups > MAX_SUMMARIES) groups = MAX_SUMMARIES;
    wbGpu_SetPhase(device->gpu, wb_pbf_velocities);
    WB_TRY(wbGpu_RunGroups(device->gpu, step->kernels->finish, groups, PBF_SUMMARY_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->move),
                                       WB_GPU_FLOAT(step->model->params.restDensity),
                                       THREE_BUFFERS(device->front, X), THREE_BUFFERS(others, VX),
                                       THREE_BUFFERS(others, QX), WB_GPU_BUFFER(others[DENSITY]),
                                       WB_GPU_BUFFER(others[INVERSE]), WB_GPU_BUFFER(others[NEIGHBOURS]),
                                       WB_GPU_BUFFER(device->summaries))));
    PbfSummary summaries[MAX_SUMMARIES];
    WB_TRY(wbGpu_Download(device->gpu, &device->summaries, summaries, sizeof(PbfSummary) * (size_t)groups));
    takeSummaries(step, summaries, groups, &broken);
    if (broken == 0) return wb_okStatus;
    return wbError(
        wb_errorUnstable,
        "%d particles are beyond what floats can hold: take a shorter time step, or more sub-steps", broken);
}

static wbStatus smoothVelocities(Step *step) {
    wbPbfGpu *device = step->device;
    wbGpuBuffer *others = device->others;
    const wbPbfParams *p = &step->model->params;
    const PbfConstants *constants = &step->model->constants;
    if (p->viscosity <= 0 && p->vorticity <= 0) return wb_okStatus;
    WB_TRY(wbGpu_Run(
        device->gpu, step->kernels->smooth, step->items,
        WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants), SEARCH_ARGS(device, step),
                    THREE_BUFFERS(others, QX), WB_GPU_BUFFER(others[INVERSE]), THREE_BUFFERS(others, VX),
                    THREE_BUFFERS(others, NVX), THREE_BUFFERS(others, SX), WB_GPU_BUFFER(others[SPIN]))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&others[VX + a], &others[NVX + a]);
    if (p->vorticity <= 0) return wb_okStatus;
    return wbGpu_Run(
        device->gpu, step->kernels->turn, step->items,
        WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(*constants), WB_GPU_STRUCT(step->move),
                    SEARCH_ARGS(device, step), THREE_BUFFERS(others, QX), WB_GPU_BUFFER(others[INVERSE]),
                    THREE_BUFFERS(others, SX), WB_GPU_BUFFER(others[SPIN]), THREE_BUFFERS(others, VX)));
}

// See wbPbf_Step for the scheme. No images are made of what walls mirror, and no lists: phases `walls` and `neighbours`
// stay empty.
static wbStatus advance(Step *step) {
    WB_TRY(sortPredicted(step));
    WB_TRY(solveDensity(step));
    WB_TRY(finish(step));
    return smoothVelocities(step);
}

wbStatus wbPbfGpu_Step(wbPbfGpu *device, wbPbf *pbf, const wbPbfModel *model, float dt) {
    int lanes = wbGpu_GetLanes(device->gpu), subSteps = model->params.subSteps;
    Step step = {.device = device,
                 .pbf = pbf,
                 .model = model,
                 .count = pbf->count,
                 .items = (pbf->count + lanes - 1) / lanes,
                 .sides = wbGetSpaceSides(&model->box, model->h),
                 .move = wbPbfModel_GetMove(model, dt / (float)subSteps)};
    memset(pbf->ms, 0, sizeof pbf->ms);
    if (pbf->count == 0) return wb_okStatus;
    if (device->hostIsNewer) {
        WB_TRY(reserve(device, pbf->count));
        WB_TRY(push(device, pbf));
    }
    bool wasNewer = device->deviceIsNewer;
    wbStatus status = wb_okStatus;
    int done = 0;
    device->deviceIsNewer = true;
    for (; done < subSteps && wbIsOk(status); done++) status = advance(&step);
    if (wbIsOk(status)) status = wbGpu_TakeTimes(device->gpu, pbf->ms, wb_pbfPhaseCount);
    if (wbIsOk(status) || status.code == wb_errorUnstable) return status;
    if (!wbIsOk(wbGpu_Finish(device->gpu))) return lose(device, status);
    device->deviceIsNewer = wasNewer || done > 1; // the sub-step that failed had not moved anything yet
    return status;
}
