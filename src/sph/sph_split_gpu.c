// SPDX-License-Identifier: MIT
#include "sph/sph_split_gpu.h"

#include <stddef.h>

#include "core/status.h"
#include "sph/sph_model.h"

extern const char wb_clSphSplitProgress[], wb_clSphSplit[];

enum { BEGIN, ACCELERATE, UPDATE, SUM, DECIDE, END, PART, MOVE, COUNT_SPEEDS, FIND_SPEED, KERNELS };
static const wbGpuVariantKernel kernels[KERNELS] = {[BEGIN] = {"sph_split_begin", 0},
                                                    [ACCELERATE] = {"sph_split_accelerate", 0},
                                                    [UPDATE] = {"sph_split_update", 0},
                                                    [SUM] = {"sph_split_sum", 0},
                                                    [DECIDE] = {"sph_split_decide", 0},
                                                    [END] = {"sph_split_end", 0},
                                                    [PART] = {"sph_split_part", 0},
                                                    [MOVE] = {"sph_split_move", 0},
                                                    [COUNT_SPEEDS] = {"sph_split_count_speeds", 0},
                                                    [FIND_SPEED] = {"sph_split_find_speed", 0}};
enum { HASHED = 1, WENDLAND = 2, MIXED = 4 };
const wbGpuVariants wb_sphSplitProgram = {
    .name = "split",
    .sources = (const char *const[]){WB_GPU_SEARCH_SOURCES, WB_GPU_SPH_SOURCES, WB_GPU_SPLIT_SOURCES,
                                     wb_clSphSplitProgress, wb_clSphSplit, NULL},
    .switches = (const char *const[]){"HASHED", "WENDLAND", "MIXED", NULL},
    .kernels = kernels,
    .kernelCount = KERNELS};

enum { K, AHEAD, GAIN, TARGET, A, PRESS = A + 3, B = WB_SPLIT_COLUMNS, NEARING = B + 3 };
enum { CHANGES, SUMS, PROGRESS, COUNTS, SPEED, FORCES };

enum { MOST_SUMS = 256 };
enum { USUAL = 2 }; // a speed and a pace
static const size_t binBytes = sizeof(uint32_t[USUAL]) * SPLIT_SPEED_BINS;
_Static_assert((int)SPLIT_NEIGHBOURS == (int)WB_GROUP, "devices sum over as many neighbours as the cores");

static wbGpu *getGpu(const wbSphSplitGpu *split) { return split->water->fluid->fluid->gpu; }
static wbBoundaryGpu *getPoints(const wbSphSplitGpu *split) { return &split->water->fluid->fluid->boundary; }
static int getCount(const wbSphSplitGpu *split) { return split->water->fluid->search.count; }
static bool hasBoundary(const wbSphSplitGpu *split) {
    return wbFluidStepGpu_HasBoundary(split->water->fluid);
}

wbStatus wbSphSplitGpu_Reserve(const wbSphSplitGpu *split) {
    wbGpu *gpu = getGpu(split);
    wbGpuBuffer *b = split->buffers;
    const size_t changes = sizeof(SphSplitChange) * (size_t)split->water->fluid->search.items,
                 forces = sizeof(float) * ((size_t)wbPadCount(getPoints(split)->count) + WB_PADDING);
    const wbFluidColliders *colliders = split->water->fluid->colliders;
    for (int a = 0; a < 3 && colliders && colliders->describeResponse; a++)
        WB_TRY(wbGpuBuffer_Reserve(gpu, &b[FORCES + a], "forces on colliders", forces));
    WB_TRY(wbFluidStepGpu_ReserveResponse(split->water->fluid));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &b[CHANGES], "changes of pressure", changes));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &b[SUMS], "sums of changes", sizeof(SphSplitChange[MOST_SUMS])));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &b[PROGRESS], "progress of pressures", sizeof(SphSplitProgress)));
    WB_TRY(wbGpuBuffer_Reserve(gpu, &b[COUNTS], "counts of speeds", binBytes));
    return wbGpuBuffer_Reserve(gpu, &b[SPEED], "usual speed", sizeof(float[USUAL]));
}

wbStatus wbSphSplitGpu_Build(wbSphSplitGpu *split, wbGpuVariantSet *program) {
    const wbFluidStepGpu *fluid = split->water->fluid;
    const bool isWendland = split->water->model->params.kernel == wb_kernelWendland;
    return wbGpuVariantSet_Choose(program, getGpu(split),
                                  (fluid->search.cells->grid.hashed ? HASHED : 0) |
                                      (isWendland ? WENDLAND : 0) | (fluid->isMixed ? MIXED : 0),
                                  &split->kernels);
}

// The water's, by the constants of the scheme, and with sides that slip.
static wbGpuSearch getSearch(const wbSphSplitGpu *split) {
    wbGpuSearch search = split->water->fluid->search;
    search.constants = WB_GPU_STRUCT(split->constants);
    search.space.sides = split->sides;
    return search;
}

static wbStatus search(const wbSphSplitGpu *split, int kernel, const wbGpuArg *args, int argCount) {
    const wbGpuSearch particles = getSearch(split);
    return wbGpuSearch_Run(&particles, split->kernels[kernel], args, argCount);
}

// Over particles: its arguments are their count, and these.
static wbStatus run(const wbSphSplitGpu *split, int kernel, const wbGpuArg *args, int argCount) {
    return wbGpu_RunJoined(getGpu(split), split->kernels[kernel], split->water->fluid->search.items,
                           WB_GPU_ARGS(WB_GPU_INT(getCount(split))), args, argCount);
}

// A column, or any where there are no colliders.
static const wbGpuBuffer *getBoundary(const wbSphSplitGpu *split, int column) {
    return &split->columns[hasBoundary(split) ? column : K];
}

static wbStatus sumBoundary(const wbSphSplitGpu *split) {
    const wbGpuSearch particles = getSearch(split);
    wbGpuBuffer *c = split->columns;
    if (!hasBoundary(split)) return wb_okStatus;
    WB_TRY(wbFluidStepGpu_Clear(split->water->fluid, c + B, WB_SPLIT_BOUNDARY_COLUMNS));
    return wbBoundaryGpu_RunAmongPlaces(getPoints(split), wb_sphBoundarySplit, &particles,
                                        WB_GPU_ARGS(WB_GPU_BUFFER3(c + B), WB_GPU_BUFFER(c[NEARING])));
}

static const wbGpuBuffer *getDensity(const wbSphSplitGpu *split) {
    return &split->water->fluid->front[wb_columnDensity];
}
static const wbGpuBuffer *getRelative(const wbSphSplitGpu *split) {
    return wbFluidStepGpu_GetRelative(split->water->fluid);
}

static wbStatus begin(const wbSphSplitGpu *split) {
    const wbGpuBuffer *c = split->columns;
    return search(split, BEGIN,
                  WB_GPU_ARGS(WB_GPU_BUFFER3(split->water->velocities), WB_GPU_BUFFER(*getDensity(split)),
                              WB_GPU_BUFFER(*getRelative(split)), WB_GPU_BUFFER(*split->pressure),
                              WB_GPU_INT(hasBoundary(split)), WB_GPU_BUFFER3(getBoundary(split, B)),
                              WB_GPU_BUFFER(c[GAIN]), WB_GPU_BUFFER(c[TARGET]), WB_GPU_BUFFER(c[K]),
                              WB_GPU_BUFFER(c[AHEAD]), WB_GPU_BUFFER(split->buffers[PROGRESS])));
}

static wbStatus accelerate(const wbSphSplitGpu *split) {
    const wbGpuBuffer *c = split->columns;
    return search(split, ACCELERATE,
                  WB_GPU_ARGS(WB_GPU_BUFFER(split->buffers[PROGRESS]), WB_GPU_BUFFER(c[AHEAD]),
                              WB_GPU_BUFFER3(split->accelerations), WB_GPU_BUFFER3(split->water->velocities),
                              WB_GPU_BUFFER(*getDensity(split)), WB_GPU_BUFFER(*getRelative(split)),
                              WB_GPU_INT(hasBoundary(split)), WB_GPU_BUFFER3(getBoundary(split, B)),
                              WB_GPU_BUFFER(*getBoundary(split, NEARING)), WB_GPU_BUFFER3(c + A),
                              WB_GPU_BUFFER(c[PRESS])));
}

static wbStatus update(const wbSphSplitGpu *split) {
    const wbGpuBuffer *c = split->columns, *b = split->buffers;
    return search(split, UPDATE,
                  WB_GPU_ARGS(WB_GPU_BUFFER(b[PROGRESS]), WB_GPU_BUFFER3(c + A), WB_GPU_BUFFER(c[GAIN]),
                              WB_GPU_BUFFER(c[TARGET]), WB_GPU_INT(hasBoundary(split)),
                              WB_GPU_BUFFER3(getBoundary(split, B)),
                              WB_GPU_BUFFER(*getBoundary(split, NEARING)), WB_GPU_BUFFER(c[K]),
                              WB_GPU_BUFFER(c[AHEAD]), WB_GPU_BUFFER(b[CHANGES])));
}

static wbStatus decide(const wbSphSplitGpu *split) {
    const wbGpuBuffer *b = split->buffers;
    const SphSplitLimits limits = wbSphModel_GetSplitLimits(split->water->model);
    const int perGroup = SPLIT_SUM_GROUP * SPLIT_NEIGHBOURS, wanted = (getCount(split) - 1) / perGroup + 1,
              groups = wanted < MOST_SUMS ? wanted : MOST_SUMS;
    WB_TRY(wbGpu_RunGroups(getGpu(split), split->kernels[SUM], groups, SPLIT_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(split->water->fluid->search.items),
                                       WB_GPU_BUFFER(b[PROGRESS]), WB_GPU_BUFFER(b[CHANGES]),
                                       WB_GPU_LOCAL(sizeof(SphSplitChange[SPLIT_SUM_GROUP])),
                                       WB_GPU_BUFFER(b[SUMS]))));
    return wbGpu_RunGroups(getGpu(split), split->kernels[DECIDE], 1, SPLIT_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(groups), WB_GPU_INT(getCount(split)), WB_GPU_STRUCT(limits),
                                       WB_GPU_BUFFER(b[SUMS]),
                                       WB_GPU_LOCAL(sizeof(SphSplitChange[SPLIT_SUM_GROUP])),
                                       WB_GPU_BUFFER(b[PROGRESS])));
}

// On the points of colliders, into three buffers: beside pressures they get what is known before these.
static wbStatus addReactions(const wbSphSplitGpu *split, const wbGpuBuffer *to) {
    const wbGpuSearch particles = getSearch(split);
    const wbGpuBuffer *known = getPoints(split)->buffers + wb_placeFx;
    if (!hasBoundary(split)) return wb_okStatus;
    return wbBoundaryGpu_RunAmongParticles(getPoints(split), wb_sphBoundarySplitReactions, &particles,
                                           WB_GPU_ARGS(WB_GPU_FLOAT((float)split->water->model->mass),
                                                       WB_GPU_BUFFER(split->columns[PRESS]),
                                                       WB_GPU_BUFFER3(known), WB_GPU_BUFFER3(to)));
}

// Bodies give way to what presses on them, and the update sees how fast they then are.
static wbStatus respond(const wbSphSplitGpu *split) {
    const wbResponseGpu *response = &split->water->fluid->fluid->response;
    const wbGpuBuffer *forces = &split->buffers[FORCES];
    if (!wbResponseGpu_IsAny(response)) return wb_okStatus;
    WB_TRY(addReactions(split, forces));
    WB_TRY(wbResponseGpu_Answer(response, getPoints(split), forces, &split->buffers[PROGRESS],
                                offsetof(SphSplitProgress, isDone) / sizeof(int)));
    return sumBoundary(split);
}

// The device decides when it is enough, so that results do not depend on how many updates are queued at once: as many as the step before
// needed and one more, then a few at a time.
static wbStatus iterate(const wbSphSplitGpu *split) {
    wbSph *sph = split->sph;
    SphSplitProgress progress;
    int queued = sph->iterations + 1;
    const wbSphParams *p = &split->water->model->params;
    if (queued < p->minIterations) queued = p->minIterations;
    if (queued > p->maxIterations) queued = p->maxIterations;
    do {
        for (int k = 0; k < queued; k++) {
            WB_TRY(accelerate(split));
            WB_TRY(respond(split));
            WB_TRY(update(split));
            WB_TRY(decide(split));
        }
        WB_TRY(wbGpu_Download(getGpu(split), &split->buffers[PROGRESS], &progress, sizeof progress));
        queued = 2 + progress.iterations / 4;
    } while (!progress.isDone);
    sph->iterations = progress.iterations, sph->residual = (double)progress.residual;
    return wb_okStatus;
}

// Then a are no longer needed: pushes stand there.
static wbStatus end(const wbSphSplitGpu *split) {
    const wbGpuBuffer *c = split->columns, *pressure = &split->water->fluid->fluid->particles.pressure;
    WB_TRY(run(split, END,
               WB_GPU_ARGS(WB_GPU_STRUCT(split->constants), WB_GPU_BUFFER3(c + A),
                           WB_GPU_BUFFER(*getDensity(split)), WB_GPU_BUFFER(*getRelative(split)),
                           WB_GPU_BUFFER(c[GAIN]), WB_GPU_BUFFER(c[K]), WB_GPU_BUFFER(*pressure),
                           WB_GPU_BUFFER(c[AHEAD]), WB_GPU_BUFFER3(split->accelerations))));
    return search(split, PART,
                  WB_GPU_ARGS(WB_GPU_BUFFER(c[AHEAD]), WB_GPU_BUFFER(c[GAIN]),
                              WB_GPU_BUFFER(*getDensity(split)), WB_GPU_BUFFER(*getRelative(split)),
                              WB_GPU_INT(hasBoundary(split)), WB_GPU_BUFFER3(getBoundary(split, B)),
                              WB_GPU_BUFFER3(c + A)));
}

wbStatus wbSphSplitGpu_Solve(const wbSphSplitGpu *split) {
    WB_TRY(wbFluidStepGpu_BeginResponse(split->water->fluid, split->time, split->constants.dt));
    WB_TRY(sumBoundary(split)); // B
    WB_TRY(begin(split));       // D, dt G v + E
    WB_TRY(iterate(split));     // k, a
    WB_TRY(wbFluidStepGpu_EndResponse(split->water->fluid));
    WB_TRY(addReactions(split, getPoints(split)->buffers + wb_placeFx));
    return end(split);
}

wbStatus wbSphSplitGpu_Move(const wbSphSplitGpu *split) {
    wbGpuBuffer *front = split->water->fluid->front;
    return run(split, MOVE,
               WB_GPU_ARGS(WB_GPU_BUFFER3(split->columns + A), WB_GPU_BUFFER3(front + wb_columnX)));
}

wbStatus wbSphSplitGpu_FindUsual(const wbSphSplitGpu *split) {
    wbGpu *gpu = getGpu(split);
    wbGpuBuffer *b = split->buffers;
    wbSph *sph = split->sph;
    WB_TRY(wbGpu_Fill(gpu, &b[COUNTS], 0, binBytes));
    WB_TRY(run(split, COUNT_SPEEDS,
               WB_GPU_ARGS(WB_GPU_STRUCT(split->constants), WB_GPU_BUFFER3(split->water->velocities),
                           WB_GPU_BUFFER(split->water->fluid->fluid->particles.pressure),
                           WB_GPU_BUFFER(*getRelative(split)), WB_GPU_BUFFER(b[COUNTS]))));
    WB_TRY(wbGpu_RunGroups(gpu, split->kernels[FIND_SPEED], USUAL, SPLIT_SUM_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(getCount(split)), WB_GPU_BUFFER(b[COUNTS]),
                                       WB_GPU_LOCAL(sizeof(uint32_t[SPLIT_SUM_GROUP])),
                                       WB_GPU_BUFFER(b[SPEED]))));
    float usual[USUAL];
    WB_TRY(wbGpu_Download(gpu, &b[SPEED], usual, sizeof usual));
    sph->usualSpeed = usual[0], sph->usualPace = usual[1];
    sph->usualAmong = sph->fluid.particles.maxSpeed;
    return wb_okStatus;
}
