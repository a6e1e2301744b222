// SPDX-License-Identifier: MIT
#include "space/response_gpu.h"

#include <string.h>

#include "core/status.h"

extern const char wb_clResponseFormula[], wb_clResponse[];

enum { REALS = sizeof(Response) / sizeof(ResponseReal), SUMS = 6 };

enum { ARRAYS = 8, BUFFERS = 6 };
static void listArrays(wbResponseGpu *r, wbArray *arrays[ARRAYS]) {
    wbArray *const list[ARRAYS] = {&r->hostPoints, &r->hostOwners, &r->hostFirst,  &r->hostNext,
                                   &r->bodyRows,   &r->hostRows,   &r->hostFloats, &r->hostAnswers};
    memcpy(arrays, list, sizeof list);
}

void wbResponseGpu_Init(wbResponseGpu *response, wbMemory *memory, wbGpu *gpu) {
    *response = (wbResponseGpu){.memory = memory,
                                .gpu = gpu,
                                .hostPoints.elementSize = sizeof(int),
                                .hostOwners.elementSize = sizeof(int),
                                .hostFirst.elementSize = sizeof(int),
                                .hostNext.elementSize = sizeof(int),
                                .bodyRows.elementSize = sizeof(int),
                                .hostRows.elementSize = sizeof(Response),
                                .hostFloats.elementSize = sizeof(float),
                                .hostAnswers.elementSize = sizeof(ResponseAnswer)};
}

void wbResponseGpu_Free(wbResponseGpu *r) {
    wbArray *arrays[ARRAYS];
    wbGpuBuffer *const buffers[BUFFERS] = {&r->points, &r->owners,  &r->firstBlocks,
                                           &r->rows,   &r->answers, &r->sums};
    listArrays(r, arrays);
    for (int k = 0; k < ARRAYS; k++) wbArray_Free(r->memory, arrays[k]);
    for (int k = 0; k < BUFFERS; k++) wbGpuBuffer_Free(r->gpu, buffers[k]);
}

static bool responds(const wbFluidColliders *colliders) {
    return colliders && colliders->describeResponse && wbBoundary_GetCount(colliders->boundary) > 0;
}

static wbStatus build(wbResponseGpu *r) {
    const char *const sources[] = {wb_clResponseFormula, wb_clResponse};
    const wbGpuProgramDef def = {"response", sources, 2, NULL};
    const wbGpuKernelName kernels[] = {
        {"response_sum", &r->sum}, {"response_answer", &r->answer}, {"response_follow", &r->follow}};
    return r->follow ? wb_okStatus : wbGpu_BuildKernels(r->gpu, &def, kernels, 3);
}

wbStatus wbResponseGpu_Reserve(wbResponseGpu *r, const wbFluidColliders *colliders) {
    r->count = r->blocks = 0;
    if (!responds(colliders)) return wb_okStatus;
    const wbBoundary *b = colliders->boundary;
    const int rows = b->bodyCount, blocks = b->pointCount / RESPONSE_BLOCK + 1 + b->bodyCount;
    const struct {
        wbArray *array;
        int count;
    } arrays[] = {{&r->hostPoints, RESPONSE_BLOCK * blocks},
                  {&r->hostOwners, blocks},
                  {&r->hostFirst, rows + 1},
                  {&r->hostNext, rows},
                  {&r->bodyRows, rows},
                  {&r->hostRows, rows},
                  {&r->hostFloats, REALS * rows},
                  {&r->hostAnswers, rows}};
    const struct {
        wbGpuBuffer *buffer;
        size_t bytes;
    } buffers[] = {{&r->points, sizeof(int[RESPONSE_BLOCK]) * (size_t)blocks},
                   {&r->owners, sizeof(int) * (size_t)blocks},
                   {&r->firstBlocks, sizeof(int) * (size_t)(rows + 1)},
                   {&r->rows, sizeof(float[REALS]) * (size_t)rows},
                   {&r->answers, sizeof(ResponseAnswer) * (size_t)rows},
                   {&r->sums, sizeof(float[SUMS]) * (size_t)blocks}};
    for (int k = 0; k < ARRAYS; k++)
        if (!wbArray_Reserve(r->memory, arrays[k].array, arrays[k].count))
            return wbMemoryError(r->memory, "%d bodies that give way to fluids need", rows);
    for (int k = 0; k < BUFFERS; k++)
        WB_TRY(wbGpuBuffer_Reserve(r->gpu, buffers[k].buffer, "bodies that give way", buffers[k].bytes));
    return build(r);
}

// Blocks of each row's points: those of all of its bodies.
static void layOut(wbResponseGpu *r, const wbBoundary *b) {
    const int *rows = r->bodyRows.data;
    int *first = r->hostFirst.data, *owners = r->hostOwners.data;
    memset(first, 0, sizeof(int) * (size_t)(r->count + 1));
    for (int k = 0; k < b->bodyCount; k++)
        if (rows[k] >= 0) first[rows[k] + 1] += wbBoundary_GetBody(b, k)->count;
    for (int i = 0; i < r->count; i++) {
        first[i + 1] = first[i] + (first[i + 1] + RESPONSE_BLOCK - 1) / RESPONSE_BLOCK;
        for (int block = first[i]; block < first[i + 1]; block++) owners[block] = i;
    }
    r->blocks = first[r->count];
}

static void listPoints(wbResponseGpu *r, const wbBoundary *b) {
    const int *rows = r->bodyRows.data;
    int *first = r->hostFirst.data, *next = r->hostNext.data, *points = r->hostPoints.data;
    for (int k = 0; k < RESPONSE_BLOCK * r->blocks; k++) points[k] = -1;
    for (int i = 0; i < r->count; i++) next[i] = RESPONSE_BLOCK * first[i];
    for (int k = 0; k < b->bodyCount; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(b, k);
        const int seen = body->isNoSlip || b->showsSlip ? 1 : 0;
        for (int point = body->first; rows[k] >= 0 && point < body->first + body->count; point++)
            if (b->place[point] >= 0) points[next[rows[k]]++] = 2 * b->place[point] + seen;
    }
}

// Devices compute in float.
static wbStatus upload(wbResponseGpu *r) {
    const Response *rows = r->hostRows.data;
    ResponseAnswer *answers = r->hostAnswers.data;
    float *floats = r->hostFloats.data;
    for (int i = 0; i < r->count; i++) {
        double reals[REALS];
        memcpy(reals, &rows[i], sizeof reals);
        for (int k = 0; k < REALS; k++) floats[REALS * i + k] = (float)reals[k];
        answers[i] = (ResponseAnswer){.gaveWay = (float)rows[i].gaveWay};
        for (int k = 0; k < 6; k++) answers[i].now[k] = (float)rows[i].start[k];
    }
    const size_t count = (size_t)r->count, blocks = (size_t)r->blocks;
    WB_TRY(wbGpu_Upload(r->gpu, &r->points, r->hostPoints.data, sizeof(int[RESPONSE_BLOCK]) * blocks));
    WB_TRY(wbGpu_Upload(r->gpu, &r->owners, r->hostOwners.data, sizeof(int) * blocks));
    WB_TRY(wbGpu_Upload(r->gpu, &r->firstBlocks, r->hostFirst.data, sizeof(int) * (count + 1)));
    WB_TRY(wbGpu_Upload(r->gpu, &r->rows, floats, sizeof(float[REALS]) * count));
    return wbGpu_Upload(r->gpu, &r->answers, answers, sizeof(ResponseAnswer) * count);
}

wbStatus wbResponseGpu_Begin(wbResponseGpu *r, const wbBoundaryGpu *points, const wbFluidColliders *colliders,
                             wbBoundaryTime time, float seconds) {
    r->count = r->blocks = 0, r->time = time;
    if (!responds(colliders)) return wb_okStatus;
    int *rows = r->bodyRows.data;
    for (int k = 0; k < points->boundary->bodyCount; k++) rows[k] = -1;
    r->count = colliders->describeResponse(r->hostRows.data, rows, time, seconds, colliders->context);
    if (r->count == 0) return wb_okStatus;
    layOut(r, points->boundary);
    listPoints(r, points->boundary);
    return upload(r);
}

#define ROWS(r) WB_GPU_BUFFER((r)->rows), WB_GPU_BUFFER((r)->answers)

wbStatus wbResponseGpu_Answer(const wbResponseGpu *r, const wbBoundaryGpu *points,
                              const wbGpuBuffer forces[3], const wbGpuBuffer *stop, int stopAt) {
    const wbGpuBuffer *places = points->buffers;
    const wbGpuBuffer *stopped = stop ? stop : &r->owners;
    const int count = RESPONSE_BLOCK * r->blocks;
    if (r->count == 0) return wb_okStatus;
    WB_TRY(wbGpu_Run(r->gpu, r->sum, r->blocks,
                     WB_GPU_ARGS(WB_GPU_INT(r->blocks), WB_GPU_BUFFER(r->owners), WB_GPU_BUFFER(r->points),
                                 WB_GPU_BUFFER3(forces), WB_GPU_BUFFER(places[wb_placePosition]), ROWS(r),
                                 WB_GPU_BUFFER(r->sums))));
    WB_TRY(wbGpu_Run(r->gpu, r->answer, r->count,
                     WB_GPU_ARGS(WB_GPU_INT(r->count), WB_GPU_BUFFER(r->firstBlocks), WB_GPU_BUFFER(r->sums),
                                 WB_GPU_BUFFER(r->rows), WB_GPU_BUFFER(*stopped),
                                 WB_GPU_INT(stop ? stopAt : -1), WB_GPU_BUFFER(r->answers))));
    return wbGpu_Run(r->gpu, r->follow, count,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_BUFFER(r->owners), WB_GPU_BUFFER(r->points),
                                 ROWS(r), WB_GPU_BUFFER3(places + wb_placeX),
                                 WB_GPU_BUFFER(places[wb_placePosition]),
                                 WB_GPU_BUFFER(places[wb_placeVelocity])));
}

wbStatus wbResponseGpu_End(wbResponseGpu *r, const wbFluidColliders *colliders) {
    if (r->count == 0) return wb_okStatus;
    WB_TRY(
        wbGpu_Download(r->gpu, &r->answers, r->hostAnswers.data, sizeof(ResponseAnswer) * (size_t)r->count));
    colliders->takeResponse(r->hostAnswers.data, r->time, colliders->context);
    return wb_okStatus;
}
