// SPDX-License-Identifier: MIT
#include "pbd/pbd_gpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbd_code.h"
#include "pbd/pbd_device.h"

extern const char wb_clPbdConstants[], wb_clPbdDevice[], wb_clPbdFormula[], wb_clPbd[];

// The host's columns in their order, then the ways of a sub-step, and where they or their corrections go.
enum {
    X,
    Y,
    Z,
    VX,
    VY,
    VZ,
    W,
    BODY,
    PER_CONSTRAINT,
    COLUMNS,
    WAY_X = COLUMNS,
    WAY_Y,
    WAY_Z,
    TO_X,
    TO_Y,
    TO_Z,
    LOAD,
    ARRAYS
};
_Static_assert((int)COLUMNS == (int)WB_PBD_COLUMNS, "a column without a buffer");
// Columns that a step changes.
enum { MOVING = W };
_Static_assert((int)MOVING == (int)WB_PBD_MOVING, "a column that moves without a buffer");
// BDF2: the columns of its history in their order, then how motions go on.
enum {
    LAST_WAY_X,
    LAST_VX = LAST_WAY_X + 3,
    ACCELERATION2 = LAST_VX + 3,
    BANK,
    TREND,
    HISTORY_ARRAYS = TREND + WB_PBD_TRENDS
};
_Static_assert((int)TREND == (int)WB_PBD_HISTORY_COLUMNS, "a column without a buffer");
// Predicted positions, and places, in the order of cells.
enum { PX, PY, PZ, PLACE, SORTED };
// Constraints and hinges in batches, and constraints by particle.
enum { FIRST, SECOND, REST, SHARE, LAMBDA, BATCH_ARRAYS };
enum {
    CORNER,
    COEFFICIENT = CORNER + 4,
    HINGE_REST = COEFFICIENT + 4,
    HINGE_SHARE,
    HINGE_LAMBDA,
    HINGE_ARRAYS
};
enum { OTHER, ROW_REST, ROW_SHARE, ROW_LAMBDA, BEGINS, ROW_ARRAYS };

// Summaries are few, and always the same number for a number of particles.
enum { MAX_SUMMARIES = 256 };

typedef struct Kernels {
    bool built;
    wbGpuKernel *predict, *predictSecond, *project, *bend, *apply, *gather, *arrive, *load, *touch, *block,
        *confine, *compare, *judge, *change, *finish;
} Kernels;

struct wbPbdGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuCells cells;
    Kernels variants[2]; // dense, hashed: contacts alone care
    wbGpuBuffer arrays[ARRAYS], front[SORTED], back[SORTED], batches[BATCH_ARRAYS], rows[ROW_ARRAYS],
        hinges[HINGE_ARRAYS], planes[WB_PBD_PLANE_COLUMNS], history[HISTORY_ARRAYS], bodyBegins, summaries;
    uint32_t batchVersion, rowVersion, hingeVersion; // of the constraints that are there; 0: none
    uint32_t bodyVersion;                            // likewise
    wbArray pulled;                                  // float: columns on their way to the host
    wbArray planeFloats;                             // float: planes on their way to the device
    wbPbdGpuMarks marks;
    bool hostIsNewer, deviceIsNewer;
};

wbStatus wbCreatePbdGpu(wbMemory *memory, wbGpu *gpu, wbPbdGpu **result) {
    *result = NULL;
    wbPbdGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory;
    device->gpu = gpu;
    device->hostIsNewer = true;
    device->pulled.elementSize = sizeof(float[MOVING + WB_PBD_HISTORY_COLUMNS]);
    device->planeFloats.elementSize = sizeof(float[WB_PBD_PLANE_COLUMNS]);
    wbStatus status = wbGpuCells_Init(&device->cells, memory, gpu);
    if (!wbIsOk(status)) {
        wbDestroyPbdGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

static void freeBuffers(wbPbdGpu *device, wbGpuBuffer *buffers, int count) {
    for (int k = 0; k < count; k++) wbGpuBuffer_Free(device->gpu, &buffers[k]);
}

void wbDestroyPbdGpu(wbPbdGpu *device) {
    if (!device) return;
    freeBuffers(device, device->arrays, ARRAYS);
    freeBuffers(device, device->front, SORTED), freeBuffers(device, device->back, SORTED);
    freeBuffers(device, device->batches, BATCH_ARRAYS), freeBuffers(device, device->rows, ROW_ARRAYS);
    freeBuffers(device, device->hinges, HINGE_ARRAYS);
    freeBuffers(device, device->planes, WB_PBD_PLANE_COLUMNS);
    freeBuffers(device, device->history, HISTORY_ARRAYS);
    wbGpuBuffer_Free(device->gpu, &device->bodyBegins);
    wbGpuBuffer_Free(device->gpu, &device->summaries);
    wbGpuCells_Free(&device->cells);
    wbArray_Free(device->memory, &device->pulled);
    wbArray_Free(device->memory, &device->planeFloats);
    wbFree(device->memory, device, sizeof *device);
}

void wbPbdGpu_Invalidate(wbPbdGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "particles were changed on the host before they were copied back");
    device->hostIsNewer = true;
}

bool wbPbdGpu_IsNewer(const wbPbdGpu *device) { return device->deviceIsNewer; }

wbPbdGpuMarks *wbPbdGpu_ListBuffers(wbPbdGpu *device, wbGpuBuffer *moving[WB_PBD_MOVING],
                                    wbGpuBuffer *history[WB_PBD_HISTORY_COLUMNS]) {
    for (int k = 0; k < MOVING; k++) moving[k] = &device->arrays[k];
    for (int k = 0; k < WB_PBD_HISTORY_COLUMNS; k++) history[k] = &device->history[k];
    return &device->marks;
}

static wbStatus getKernels(wbPbdGpu *device, bool hashed, Kernels **result) {
    Kernels *k = *result = &device->variants[hashed];
    if (k->built) return wb_okStatus;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, wb_clPbdConstants, wb_clPbdFormula, wb_clPbdDevice,
                                   wb_clPbd};
    wbGpuProgramDef def = {"pbd", sources, sizeof sources / sizeof sources[0],
                           hashed ? "-DHASHED=1" : "-DHASHED=0"};
    const wbGpuKernelName kernels[] = {{"pbd_predict", &k->predict}, {"pbd_predict2", &k->predictSecond},
                                       {"pbd_project", &k->project}, {"pbd_bend", &k->bend},
                                       {"pbd_apply", &k->apply},     {"pbd_gather", &k->gather},
                                       {"pbd_arrive", &k->arrive},   {"pbd_load", &k->load},
                                       {"pbd_touch", &k->touch},     {"pbd_block", &k->block},
                                       {"pbd_confine", &k->confine}, {"pbd_compare", &k->compare},
                                       {"pbd_weigh", &k->judge},     {"pbd_change", &k->change},
                                       {"pbd_finish", &k->finish}};
    WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0])));
    k->built = true;
    return wb_okStatus;
}

void wbPbdGpu_Discard(wbPbdGpu *device) { device->deviceIsNewer = false, device->hostIsNewer = true; }

static wbStatus lose(wbPbdGpu *device, wbStatus why) {
    wbPbdGpu_Discard(device);
    return wbError(wb_errorDevice, "%s", why.text);
}

// With room for lanes past the end and the dummy.
static size_t getArrayBytes(int count) { return sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); }

static wbStatus reserve(wbPbdGpu *device, int count) {
    if (!wbArray_Reserve(device->memory, &device->pulled, count))
        return wbMemoryError(device->memory, "copies of %d particles need", count);
    for (int k = 0; k < ARRAYS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->arrays[k], "particles", getArrayBytes(count)));
    for (int k = 0; k < SORTED; k++) {
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->front[k], "places", getArrayBytes(count)));
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->back[k], "sorted places", getArrayBytes(count)));
    }
    for (int k = 0; k < WB_PBD_PLANE_COLUMNS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->planes[k], "planes", getArrayBytes(count)));
    return wbGpuBuffer_Reserve(device->gpu, &device->summaries, "summaries",
                               sizeof(PbdSummary) * MAX_SUMMARIES);
}

// Zero behind the particles: the dummy is pinned and stays where it is.
static wbStatus push(wbPbdGpu *device, wbPbd *pbd) {
    wbColumn columns[WB_PBD_COLUMNS];
    wbPbd_ListColumns(pbd, columns);
    for (int k = 0; k < ARRAYS; k++) {
        wbStatus status = wbGpu_Fill(device->gpu, &device->arrays[k], 0, getArrayBytes(pbd->count));
        if (wbIsOk(status) && k < COLUMNS)
            status = wbGpu_Upload(device->gpu, &device->arrays[k], *columns[k].data, 4 * (size_t)pbd->count);
        if (!wbIsOk(status)) return lose(device, status);
    }
    for (int a = 0; a < 3; a++) {
        const float *x = *columns[a].data;
        device->marks.min[a] = FLT_MAX, device->marks.max[a] = -FLT_MAX;
        for (int i = 0; i < pbd->count; i++)
            device->marks.min[a] = fminf(device->marks.min[a], x[i]),
            device->marks.max[a] = fmaxf(device->marks.max[a], x[i]);
    }
    device->hostIsNewer = false;
    device->marks.historyCount = 0;
    return wb_okStatus;
}

static wbStatus pushWords(wbPbdGpu *device, wbGpuBuffer *buffer, const void *words, int count) {
    size_t bytes = 4 * (size_t)count;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, buffer, "constraints", bytes + 4 * WB_PADDING));
    return words && count ? wbGpu_Upload(device->gpu, buffer, words, bytes) : wb_okStatus;
}

// The host's history, if it has one; else room for it, filled with numbers.
static wbStatus pushHistory(wbPbdGpu *device, wbPbd *pbd) {
    wbColumn columns[WB_PBD_HISTORY_COLUMNS];
    WB_TRY(wbPbd_ReserveHistory(pbd, device->memory));
    if (device->bodyVersion != pbd->version)
        WB_TRY(pushWords(device, &device->bodyBegins, pbd->bodyBegins.data, pbd->bodyCount + 1));
    device->bodyVersion = pbd->version;
    if (device->marks.historyCount == pbd->count) return wb_okStatus;
    wbPbd_ListHistoryColumns(pbd, columns);
    for (int k = 0; k < HISTORY_ARRAYS; k++) {
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->history[k], "history", getArrayBytes(pbd->count)));
        WB_TRY(wbGpu_Fill(device->gpu, &device->history[k], 0, getArrayBytes(pbd->count)));
        if (k < WB_PBD_HISTORY_COLUMNS && pbd->history.dt > 0)
            WB_TRY(wbGpu_Upload(device->gpu, &device->history[k], *columns[k].data, 4 * (size_t)pbd->count));
    }
    device->marks.historyCount = pbd->count;
    return wb_okStatus;
}

static size_t countPulled(const wbPbd *pbd) {
    return MOVING + (pbd->history.dt > 0 ? WB_PBD_HISTORY_COLUMNS : 0);
}

// First to another place, for what the host has must stay whole until nothing can fail any more.
wbStatus wbPbdGpu_Fetch(wbPbdGpu *device, const wbPbd *pbd) {
    if (!device->deviceIsNewer) return wb_okStatus;
    size_t bytes = 4 * (size_t)pbd->count;
    char *pulled = device->pulled.data;
    for (size_t k = 0; k < countPulled(pbd); k++) {
        wbGpuBuffer *buffer = k < MOVING ? &device->arrays[k] : &device->history[k - MOVING];
        wbStatus status = wbGpu_Download(device->gpu, buffer, pulled + k * bytes, bytes);
        if (!wbIsOk(status)) return lose(device, status);
    }
    return wb_okStatus;
}

void wbPbdGpu_Take(wbPbdGpu *device, wbPbd *pbd) {
    if (!device->deviceIsNewer) return;
    wbColumn columns[WB_PBD_COLUMNS], history[WB_PBD_HISTORY_COLUMNS];
    size_t bytes = 4 * (size_t)pbd->count;
    const char *pulled = device->pulled.data;
    wbPbd_ListColumns(pbd, columns), wbPbd_ListHistoryColumns(pbd, history);
    for (size_t k = 0; k < countPulled(pbd); k++)
        memcpy(k < MOVING ? *columns[k].data : *history[k - MOVING].data, pulled + k * bytes, bytes);
    device->deviceIsNewer = false;
}

wbStatus wbPbdGpu_Pull(wbPbdGpu *device, wbPbd *pbd) {
    WB_TRY(wbPbdGpu_Fetch(device, pbd));
    wbPbdGpu_Take(device, pbd);
    return wb_okStatus;
}

wbStatus wbPbdGpu_Copy(wbPbdGpu *device, const wbPbd *pbd, const float *positions[3],
                       const float *velocities[3]) {
    size_t count = (size_t)pbd->count;
    float *pulled = device->pulled.data;
    for (size_t k = 0; k < MOVING; k++) {
        wbStatus status =
            wbGpu_Download(device->gpu, &device->arrays[k], pulled + k * count, sizeof(float) * count);
        if (!wbIsOk(status)) return lose(device, status);
        (k < VX ? positions : velocities)[k % 3] = pulled + k * count;
    }
    return wb_okStatus;
}

void wbPbdGpu_GetBox(const wbPbdGpu *device, float min[3], float max[3]) {
    memcpy(min, device->marks.min, sizeof device->marks.min),
        memcpy(max, device->marks.max, sizeof device->marks.max);
}

static wbStatus pushHinges(wbPbdGpu *device, const wbPbd *pbd) {
    const wbPbdHingeBatches *h = &pbd->hinges;
    if (device->hingeVersion == pbd->version) return wb_okStatus;
    for (int m = 0; m < 4; m++) {
        WB_TRY(pushWords(device, &device->hinges[CORNER + m], h->corner[m], h->count));
        WB_TRY(pushWords(device, &device->hinges[COEFFICIENT + m], h->coefficient[m], h->count));
    }
    WB_TRY(pushWords(device, &device->hinges[HINGE_REST], h->rest, h->count));
    WB_TRY(pushWords(device, &device->hinges[HINGE_SHARE], h->share, h->count));
    WB_TRY(pushWords(device, &device->hinges[HINGE_LAMBDA], NULL, h->count));
    device->hingeVersion = pbd->version;
    return wb_okStatus;
}

// Constraints in the form that this solver walks over, and what depends on their number, if they changed.
static wbStatus pushConstraints(wbPbdGpu *device, const wbPbd *pbd, bool byParticles) {
    const wbPbdBatches *b = &pbd->batches;
    const wbPbdRows *r = &pbd->rows;
    if ((byParticles ? device->rowVersion : device->batchVersion) == pbd->version) return wb_okStatus;
    WB_TRY(pushWords(device, &device->arrays[PER_CONSTRAINT], pbd->perConstraint, pbd->count));
    if (byParticles) {
        const void *words[] = {r->other, r->rest, r->share, NULL};
        for (int k = OTHER; k <= ROW_LAMBDA; k++)
            WB_TRY(pushWords(device, &device->rows[k], words[k], r->count));
        int lists = wbPadCount(pbd->count) / WB_GROUP * wb_pbdKindCount + 1;
        WB_TRY(pushWords(device, &device->rows[BEGINS], r->begins.data, lists));
        device->rowVersion = pbd->version;
    } else {
        const void *words[] = {b->first, b->second, b->rest, b->share, NULL};
        for (int k = FIRST; k <= LAMBDA; k++)
            WB_TRY(pushWords(device, &device->batches[k], words[k], b->count));
        device->batchVersion = pbd->version;
    }
    return wb_okStatus;
}

// What one sub-step works with.
typedef struct Step {
    wbPbdGpu *device;
    wbPbd *pbd;
    const wbPbdModel *model;
    const wbWork *work;
    int count, lanes, items; // an item has as many particles as REAL has lanes
    wbPbdTerms terms;
    Kernels *kernels;
} Step;

#define THREE_BUFFERS(buffers, first)                                                                        \
    WB_GPU_BUFFER((buffers)[first]), WB_GPU_BUFFER((buffers)[(first) + 1]),                                  \
        WB_GPU_BUFFER((buffers)[(first) + 2])

static wbStatus predict(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays;
    bool byParticles = step->model->params.solver == wb_pbdJacobiParticles;
    wbGpu_SetPhase(device->gpu, wb_pbd_predict);
    if (step->terms.isSecond)
        WB_TRY(wbGpu_Run(device->gpu, step->kernels->predictSecond, step->items,
                         WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.move),
                                     THREE_BUFFERS(a, VX), THREE_BUFFERS(device->history, LAST_VX),
                                     THREE_BUFFERS(device->history, LAST_WAY_X), WB_GPU_BUFFER(a[W]),
                                     THREE_BUFFERS(a, WAY_X))));
    else
        WB_TRY(wbGpu_Run(device->gpu, step->kernels->predict, step->items,
                         WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.move),
                                     THREE_BUFFERS(a, VX), WB_GPU_BUFFER(a[W]), THREE_BUFFERS(a, WAY_X))));
    if (step->terms.xpbd && step->pbd->hinges.count > 0)
        WB_TRY(
            wbGpu_Fill(device->gpu, &device->hinges[HINGE_LAMBDA], 0, 4 * (size_t)step->pbd->hinges.count));
    int words = byParticles ? step->pbd->rows.count : step->pbd->batches.count;
    if (!step->terms.xpbd || words == 0) return wb_okStatus;
    return wbGpu_Fill(device->gpu, byParticles ? &device->rows[ROW_LAMBDA] : &device->batches[LAMBDA], 0,
                      4 * (size_t)words);
}

static wbStatus clearSums(Step *step) {
    for (int k = TO_X; k <= TO_Z; k++)
        WB_TRY(wbGpu_Fill(step->device->gpu, &step->device->arrays[k], 0, getArrayBytes(step->count)));
    return wb_okStatus;
}

// One kernel per colour, from the first to the last or back.
static wbStatus projectBatches(Step *step, bool sums, bool isBack) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *b = device->batches;
    const wbPbdBatch *batches = step->pbd->batches.list.data;
    int to = sums ? TO_X : WAY_X;
    for (int k = 0, count = step->pbd->batches.batchCount; k < count; k++) {
        const wbPbdBatch *batch = &batches[isBack ? count - 1 - k : k];
        WB_TRY(wbGpu_Run(device->gpu, step->kernels->project, (batch->end - batch->begin) / step->lanes,
                         WB_GPU_ARGS(WB_GPU_INT(batch->begin), WB_GPU_INT(batch->end),
                                     WB_GPU_STRUCT(step->terms.rules[batch->kind]),
                                     WB_GPU_INT(step->terms.xpbd), WB_GPU_INT(sums), WB_GPU_BUFFER(b[FIRST]),
                                     WB_GPU_BUFFER(b[SECOND]), WB_GPU_BUFFER(b[REST]),
                                     WB_GPU_BUFFER(b[SHARE]), WB_GPU_BUFFER(b[LAMBDA]), THREE_BUFFERS(a, X),
                                     WB_GPU_BUFFER(a[W]), THREE_BUFFERS(a, WAY_X), THREE_BUFFERS(a, to))));
    }
    return wb_okStatus;
}

static wbStatus bendHinges(Step *step, bool sums, bool isBack) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *h = device->hinges;
    const wbPbdBatch *batches = step->pbd->hinges.list.data;
    int to = sums ? TO_X : WAY_X;
    for (int k = 0, count = step->pbd->hinges.batchCount; k < count; k++) {
        const wbPbdBatch *batch = &batches[isBack ? count - 1 - k : k];
        WB_TRY(
            wbGpu_Run(device->gpu, step->kernels->bend, (batch->end - batch->begin) / step->lanes,
                      WB_GPU_ARGS(WB_GPU_INT(batch->begin), WB_GPU_INT(batch->end),
                                  WB_GPU_STRUCT(step->terms.rules[wb_pbdBend]), WB_GPU_INT(step->terms.xpbd),
                                  WB_GPU_INT(sums), THREE_BUFFERS(h, CORNER), WB_GPU_BUFFER(h[CORNER + 3]),
                                  THREE_BUFFERS(h, COEFFICIENT), WB_GPU_BUFFER(h[COEFFICIENT + 3]),
                                  WB_GPU_BUFFER(h[HINGE_REST]), WB_GPU_BUFFER(h[HINGE_SHARE]),
                                  WB_GPU_BUFFER(h[HINGE_LAMBDA]), THREE_BUFFERS(a, X), WB_GPU_BUFFER(a[W]),
                                  THREE_BUFFERS(a, WAY_X), THREE_BUFFERS(a, to))));
    }
    return wb_okStatus;
}

static wbStatus gatherRows(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *r = device->rows;
    for (int kind = 0; kind < wb_pbdKindCount; kind++)
        WB_TRY(wbGpu_Run(device->gpu, step->kernels->gather, step->items,
                         WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_INT(kind), WB_GPU_INT(wb_pbdKindCount),
                                     WB_GPU_STRUCT(step->terms.rules[kind]), WB_GPU_INT(step->terms.xpbd),
                                     WB_GPU_BUFFER(r[BEGINS]), WB_GPU_BUFFER(r[OTHER]),
                                     WB_GPU_BUFFER(r[ROW_REST]), WB_GPU_BUFFER(r[ROW_SHARE]),
                                     WB_GPU_BUFFER(r[ROW_LAMBDA]), THREE_BUFFERS(a, X), WB_GPU_BUFFER(a[W]),
                                     THREE_BUFFERS(a, WAY_X), THREE_BUFFERS(a, TO_X))));
    return wb_okStatus;
}

static wbStatus solveConstraints(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays;
    wbGpu_SetPhase(device->gpu, wb_pbd_constraints);
    if (step->model->params.solver == wb_pbdGaussSeidel) {
        WB_TRY(projectBatches(step, false, false));
        WB_TRY(bendHinges(step, false, false));
        if (!step->terms.isSecond) return wb_okStatus;
        WB_TRY(bendHinges(step, false, true)); // as in pbd.c
        return projectBatches(step, false, true);
    }
    WB_TRY(clearSums(step));
    WB_TRY(bendHinges(step, true, false));
    if (step->model->params.solver == wb_pbdJacobiParticles)
        WB_TRY(gatherRows(step));
    else
        WB_TRY(projectBatches(step, true, false));
    return wbGpu_Run(device->gpu, step->kernels->apply, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_INT(step->terms.xpbd),
                                 WB_GPU_BUFFER(a[PER_CONSTRAINT]), THREE_BUFFERS(a, WAY_X),
                                 THREE_BUFFERS(a, TO_X)));
}

// Sorts predicted positions by cell, for the contacts.
static wbStatus sortPredicted(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *front = device->front;
    if (!step->terms.hasContacts) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_pbd_search);
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->arrive, step->count,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), THREE_BUFFERS(a, X), THREE_BUFFERS(a, WAY_X),
                                 THREE_BUFFERS(front, PX), WB_GPU_BUFFER(front[PLACE]))));
    wbGpuPoints points = {&front[PX], &front[PY], &front[PZ], step->count, {0}, {0}};
    memcpy(points.min, device->marks.min, sizeof points.min);
    memcpy(points.max, device->marks.max, sizeof points.max);
    WB_TRY(wbGpuCells_Sort(&device->cells, &points, wbPbd_GetContactReach(step->model), 3));
    WB_TRY(getKernels(device, device->cells.grid.hashed, &step->kernels));
    return wbGpuCells_Reorder(&device->cells, step->count, front, device->back, SORTED);
}

// Solids are known to the host alone: predicted ways go there, and planes come back.
static wbStatus findPlanes(Step *step, float from, float to) {
    wbPbdGpu *device = step->device;
    const wbPbdObstacles *obstacles = step->model->obstacles;
    size_t count = (size_t)step->count, length = getArrayBytes(step->count) / sizeof(float);
    if (!step->terms.hasPlanes) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_pbd_search);
    if (!wbArray_Reserve(device->memory, &device->planeFloats, (int)length))
        return wbMemoryError(device->memory, "the contacts of %d particles need", step->count);
    float *floats = device->planeFloats.data, *columns = device->pulled.data;
    for (size_t k = 0; k < 6; k++)
        WB_TRY(wbGpu_Download(device->gpu, &device->arrays[k < 3 ? X + k : WAY_X + k - 3],
                              columns + k * count, sizeof(float) * count));
    memset(floats, 0, sizeof(float[WB_PBD_PLANE_COLUMNS]) * length);
    const wbPbdPlaces places = {columns,
                                columns + count,
                                columns + 2 * count,
                                columns + 3 * count,
                                columns + 4 * count,
                                columns + 5 * count,
                                step->count};
    wbPbdPlanes planes = wbCutPlanes(floats, length);
    obstacles->find(&places, &planes, step->work, from, to, obstacles->context);
    for (size_t k = 0; k < WB_PBD_PLANE_COLUMNS; k++)
        WB_TRY(wbGpu_Upload(device->gpu, &device->planes[k], floats + k * length, sizeof(float) * length));
    return wb_okStatus;
}

static wbStatus solvePlanes(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *p = device->planes;
    if (!step->terms.hasPlanes) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_pbd_contacts);
    return wbGpu_Run(device->gpu, step->kernels->block, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.contact),
                                 THREE_BUFFERS(p, 0), WB_GPU_BUFFER(p[3]), THREE_BUFFERS(p, 4),
                                 WB_GPU_BUFFER(a[W]), THREE_BUFFERS(a, WAY_X)));
}

static wbStatus solveContacts(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *front = device->front;
    if (!step->terms.hasContacts) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_pbd_contacts);
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->load, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.contact),
                                 WB_GPU_STRUCT(device->cells.cells),
                                 WB_GPU_FLOAT(wbPbd_GetContactReach(step->model)),
                                 WB_GPU_BUFFER(device->cells.bucketStart), THREE_BUFFERS(front, PX),
                                 WB_GPU_BUFFER(front[PLACE]), THREE_BUFFERS(a, X), WB_GPU_BUFFER(a[W]),
                                 WB_GPU_BUFFER(a[BODY]), THREE_BUFFERS(a, WAY_X), WB_GPU_BUFFER(a[LOAD]))));
    WB_TRY(wbGpu_Run(device->gpu, step->kernels->touch, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.contact),
                                 WB_GPU_STRUCT(device->cells.cells),
                                 WB_GPU_FLOAT(wbPbd_GetContactReach(step->model)),
                                 WB_GPU_BUFFER(device->cells.bucketStart), THREE_BUFFERS(front, PX),
                                 WB_GPU_BUFFER(front[PLACE]), THREE_BUFFERS(a, X), WB_GPU_BUFFER(a[W]),
                                 WB_GPU_BUFFER(a[LOAD]), WB_GPU_BUFFER(a[BODY]), THREE_BUFFERS(a, WAY_X),
                                 THREE_BUFFERS(a, TO_X))));
    for (int k = 0; k < 3; k++) wbGpuBuffer_Swap(&a[WAY_X + k], &a[TO_X + k]);
    return wb_okStatus;
}

static wbStatus solveSides(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays;
    if (!step->terms.hasSides) return wb_okStatus;
    wbGpu_SetPhase(device->gpu, wb_pbd_sides);
    return wbGpu_Run(device->gpu, step->kernels->confine, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.sides),
                                 THREE_BUFFERS(a, X), WB_GPU_BUFFER(a[W]), THREE_BUFFERS(a, WAY_X)));
}

static wbStatus takeSummaries(Step *step, const PbdSummary *summaries, int count) {
    wbPbdGpu *device = step->device;
    float speed2 = 0;
    int broken = 0;
    for (int a = 0; a < 3; a++) device->marks.min[a] = FLT_MAX, device->marks.max[a] = -FLT_MAX;
    for (int g = 0; g < count; g++) {
        const PbdSummary *s = &summaries[g];
        speed2 = fmaxf(speed2, s->maxSpeed2), broken += s->broken;
        for (int a = 0; a < 3; a++) {
            device->marks.min[a] = fminf(device->marks.min[a], s->min[a]);
            device->marks.max[a] = fmaxf(device->marks.max[a], s->max[a]);
        }
    }
    step->pbd->maxSpeed = sqrtf(speed2);
    if (broken == 0) return wb_okStatus;
    return wbError(
        wb_errorUnstable,
        "%d particles are beyond what floats can hold: take a shorter time step, or more sub-steps", broken);
}

// BDF2: velocities, into the room for corrections.
static wbStatus changeVelocities(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays, *h = device->history;
    WB_TRY(
        wbGpu_Run(device->gpu, step->kernels->compare, step->items,
                  WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.move), THREE_BUFFERS(a, VX),
                              THREE_BUFFERS(h, LAST_WAY_X), THREE_BUFFERS(a, WAY_X), WB_GPU_BUFFER(a[W]),
                              WB_GPU_BUFFER(h[ACCELERATION2]), THREE_BUFFERS(h, TREND + WB_PBD_BEFORE),
                              WB_GPU_BUFFER(h[TREND + WB_PBD_RISE]), WB_GPU_BUFFER(h[TREND + WB_PBD_BEND]))));
    WB_TRY(wbGpu_RunGroups(device->gpu, step->kernels->judge, step->pbd->bodyCount, PBD_SUMMARY_GROUP,
                           WB_GPU_ARGS(WB_GPU_BUFFER(device->bodyBegins),
                                       WB_GPU_INT(!(step->terms.move.lastRate > 0)),
                                       THREE_BUFFERS(h, TREND + WB_PBD_BEFORE),
                                       THREE_BUFFERS(h, TREND + WB_PBD_RISE), WB_GPU_BUFFER(h[BANK]))));
    return wbGpu_Run(device->gpu, step->kernels->change, step->items,
                     WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_STRUCT(step->terms.move),
                                 THREE_BUFFERS(a, VX), THREE_BUFFERS(h, LAST_VX),
                                 THREE_BUFFERS(h, LAST_WAY_X), THREE_BUFFERS(a, WAY_X),
                                 THREE_BUFFERS(a, TO_X), WB_GPU_BUFFER(h[TREND + WB_PBD_SHARE])));
}

static wbStatus finish(Step *step) {
    wbPbdGpu *device = step->device;
    wbGpuBuffer *a = device->arrays;
    int groups = (step->items + PBD_SUMMARY_GROUP - 1) / PBD_SUMMARY_GROUP;
    if (groups > MAX_SUMMARIES) groups = MAX_SUMMARIES;
    wbGpu_SetPhase(device->gpu, wb_pbd_velocities);
    if (step->terms.isSecond) WB_TRY(changeVelocities(step));
    float rate = step->terms.isSecond ? 1 : step->terms.move.rate;
    int speeds = step->terms.isSecond ? TO_X : WAY_X;
    WB_TRY(wbGpu_RunGroups(device->gpu, step->kernels->finish, groups, PBD_SUMMARY_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(step->count), WB_GPU_FLOAT(rate), THREE_BUFFERS(a, X),
                                       THREE_BUFFERS(a, VX), THREE_BUFFERS(a, WAY_X),
                                       THREE_BUFFERS(a, speeds), WB_GPU_BUFFER(device->summaries))));
    PbdSummary summaries[MAX_SUMMARIES];
    WB_TRY(wbGpu_Download(device->gpu, &device->summaries, summaries, sizeof(PbdSummary) * (size_t)groups));
    return takeSummaries(step, summaries, groups);
}

// See wbPbd_Step for the scheme.
static wbStatus advance(Step *step, float dt, int subStep) {
    wbPbd_SetTerms(step->pbd, step->model, dt, &step->terms);
    WB_TRY(predict(step));
    WB_TRY(sortPredicted(step));
    float parts = (float)step->model->params.subSteps;
    WB_TRY(findPlanes(step, (float)subStep / parts, (float)(subStep + 1) / parts));
    wbPbd_PlaceSides(step->model, subStep, dt, &step->terms);
    for (int k = 0; k < step->model->params.iterations; k++) {
        WB_TRY(solveConstraints(step));
        WB_TRY(solveContacts(step));
        WB_TRY(solvePlanes(step));
        WB_TRY(solveSides(step));
    }
    step->pbd->previousDt = dt, step->pbd->history.dt = step->terms.isSecond ? dt : 0;
    return finish(step);
}

wbStatus wbPbdGpu_Step(wbPbdGpu *device, wbPbd *pbd, const wbPbdModel *model, const wbWork *work, float dt) {
    int lanes = wbGpu_GetLanes(device->gpu), subSteps = model->params.subSteps;
    bool byParticles = model->params.solver == wb_pbdJacobiParticles;
    Step step = {.device = device,
                 .pbd = pbd,
                 .model = model,
                 .work = work,
                 .count = pbd->count,
                 .lanes = lanes,
                 .items = (pbd->count + lanes - 1) / lanes};
    memset(pbd->ms, 0, sizeof pbd->ms);
    if (pbd->count == 0) return wb_okStatus;
    WB_TRY(wbPbd_Prepare(pbd, work, byParticles));
    WB_TRY(getKernels(device, false, &step.kernels));
    if (device->hostIsNewer) {
        WB_TRY(reserve(device, pbd->count));
        WB_TRY(push(device, pbd));
    }
    WB_TRY(pushConstraints(device, pbd, byParticles));
    WB_TRY(pushHinges(device, pbd));
    if (model->params.integrator == wb_pbdBdf2) WB_TRY(pushHistory(device, pbd));
    device->deviceIsNewer = true;
    for (int k = 0; k < subSteps; k++) WB_TRY(advance(&step, dt / (float)subSteps, k));
    return wbGpu_TakeTimes(device->gpu, pbd->ms, wb_pbdPhaseCount);
}
