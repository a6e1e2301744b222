// SPDX-License-Identifier: MIT
#include "space/particle_fluid_gpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"

// Summaries are few, and always the same number for a number of particles.
enum { MAX_SUMMARIES = 256 };

static wbStatus init(wbFluidGpu *fluid) {
    const wbFluidGpuKind *kind = fluid->kind;
    wbResponseGpu_Init(&fluid->response, fluid->memory, fluid->gpu);
    WB_TRY(wbBoundaryGpu_Init(&fluid->boundary, fluid->memory, fluid->gpu, kind->boundaryProgram));
    WB_TRY(wbGpuVariantSet_Init(&fluid->program, fluid->memory, kind->program));
    for (int k = 0; k < WB_MORE_PROGRAMS; k++)
        if (kind->morePrograms[k])
            WB_TRY(wbGpuVariantSet_Init(&fluid->morePrograms[k], fluid->memory, kind->morePrograms[k]));
    return wbParticlesGpu_Init(&fluid->particles, fluid->memory, fluid->gpu, &fluid->columns[0]);
}

wbStatus wbCreateFluidGpu(wbMemory *memory, wbGpu *gpu, const wbFluidGpuKind *kind, wbFluidGpu **fluid) {
    WB_ASSERT(kind->columnCount <= WB_MAX_FLUID_COLUMNS && kind->columns[0].terms == 0,
              "columns are few, and the first is there in all steps");
    *fluid = wbAllocZero(memory, sizeof **fluid);
    if (!*fluid) return wbMemoryError(memory, "a device's solver needs");
    (*fluid)->memory = memory, (*fluid)->gpu = gpu, (*fluid)->kind = kind;
    wbStatus status = init(*fluid);
    if (!wbIsOk(status)) wbDestroyFluidGpu(*fluid), *fluid = NULL;
    return status;
}

void wbDestroyFluidGpu(wbFluidGpu *fluid) {
    if (!fluid) return;
    wbGpuBuffer *const own[] = {&fluid->neighbours, &fluid->summaries, &fluid->before[0], &fluid->before[1],
                                &fluid->before[2],  &fluid->relative,  &fluid->runFirst,  &fluid->runDensity};
    wbParticlesGpu_Free(&fluid->particles);
    wbBoundaryGpu_Free(&fluid->boundary);
    wbResponseGpu_Free(&fluid->response);
    wbGpuVariantSet_Free(&fluid->program, fluid->memory);
    for (int k = 0; k < WB_MORE_PROGRAMS; k++) wbGpuVariantSet_Free(&fluid->morePrograms[k], fluid->memory);
    for (int k = 0; k < WB_MAX_FLUID_COLUMNS; k++) wbGpuBuffer_Free(fluid->gpu, &fluid->columns[k]);
    for (int k = 0; k < WB_MAX_FLUID_BUFFERS; k++) wbGpuBuffer_Free(fluid->gpu, &fluid->buffers[k]);
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) wbGpuBuffer_Free(fluid->gpu, own[k]);
    wbFree(fluid->memory, fluid, sizeof *fluid);
}

wbFluidStepGpu wbMakeFluidStepGpu(wbFluidGpu *fluid, wbFluidStep given, wbGpuArg constants) {
    return (wbFluidStepGpu){.fluid = fluid,
                            .particles = given.particles,
                            .mixture = given.mixture,
                            .neighbours = &given.search->neighbours,
                            .domain = given.domain,
                            .h = given.h,
                            .smoothing = given.smoothing,
                            .colliders = given.colliders,
                            .work = given.work,
                            .ms = given.ms,
                            .search.constants = constants,
                            .front = fluid->particles.front,
                            .columns = fluid->columns,
                            .isMixed = given.mixture->count > 0};
}

bool wbFluidStepGpu_HasBoundary(const wbFluidStepGpu *step) {
    return step->colliders && wbBoundary_GetCount(step->colliders->boundary) > 0;
}

bool wbFluidStepGpu_HasCollision(const wbFluidStepGpu *step) {
    return step->colliders && step->colliders->collideGpu;
}

extern const char wb_clMixture[];

// Runs are few, and copied in each step.
static wbStatus reserveMixture(wbFluidStepGpu *step, size_t bytes) {
    wbFluidGpu *fluid = step->fluid;
    size_t runBytes = sizeof(float) * (size_t)step->mixture->count;
    const char *const sources[] = {wb_clMixture};
    const wbGpuProgramDef def = {"mixture", sources, 1, NULL};
    const wbGpuKernelName kernel = {"fluid_mix", &fluid->mix};
    if (!step->isMixed) return wb_okStatus;
    if (!fluid->mix) WB_TRY(wbGpu_BuildKernels(fluid->gpu, &def, &kernel, 1));
    WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->relative, "relative density", bytes));
    WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->runFirst, "first ids of fluids", runBytes));
    WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->runDensity, "densities of fluids", runBytes));
    WB_TRY(wbGpu_Upload(fluid->gpu, &fluid->runFirst, step->mixture->first, runBytes));
    return wbGpu_Upload(fluid->gpu, &fluid->runDensity, step->mixture->relative, runBytes);
}

wbStatus wbFluidStepGpu_Reserve(wbFluidStepGpu *step, unsigned terms, const char *const extra[WB_GPU_EXTRA],
                                wbBoundaryKernel kernel) {
    wbFluidGpu *fluid = step->fluid;
    int count = step->particles->count, lanes = wbGpu_GetLanes(fluid->gpu);
    size_t bytes = sizeof(float) * ((size_t)wbPadCount(count) + WB_PADDING); // read by whole vectors
    step->search.count = count, step->search.items = (count + lanes - 1) / lanes;
    if (step->colliders) WB_TRY(wbBoundary_Weigh(step->colliders->boundary, &kernel, step->work));
    step->search.space.sides = wbGetSpaceSides(step->domain, step->h);
    WB_TRY(wbParticlesGpu_Reserve(&fluid->particles, count, extra));
    for (int k = 0; k < fluid->kind->columnCount; k++) {
        const wbFluidColumn *column = &fluid->kind->columns[k];
        if (column->terms == 0 || (column->terms & terms) != 0)
            WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->columns[k], column->name, bytes));
    }
    WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->neighbours, "neighbours", bytes));
    WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->summaries, "summaries",
                               sizeof(FluidSummary) * MAX_SUMMARIES));
    if (step->colliders) WB_TRY(wbBoundaryGpu_Reserve(&fluid->boundary, step->colliders->boundary));
    for (int a = 0; a < 3 && wbFluidStepGpu_HasCollision(step); a++)
        WB_TRY(wbGpuBuffer_Reserve(fluid->gpu, &fluid->before[a], "positions before", bytes));
    return reserveMixture(step, bytes);
}

void wbFluidStepGpu_SetPhase(const wbFluidStepGpu *step, int phase) {
    wbGpu_SetPhase(step->fluid->gpu, phase);
}

static int countSummaries(const wbFluidStepGpu *step) {
    int groups = (step->search.items + FLUID_SUMMARY_GROUP - 1) / FLUID_SUMMARY_GROUP;
    return groups < MAX_SUMMARIES ? groups : MAX_SUMMARIES;
}

static wbStatus fetchSummaries(const wbFluidStepGpu *step, FluidSummary summaries[MAX_SUMMARIES]) {
    return wbGpu_Download(step->fluid->gpu, &step->fluid->summaries, summaries,
                          sizeof(FluidSummary) * (size_t)countSummaries(step));
}

static void joinBounds(wbParticlesGpu *device, const FluidSummary *summaries, int count) {
    for (int a = 0; a < 3; a++) {
        device->min[a] = FLT_MAX, device->max[a] = -FLT_MAX;
        for (int g = 0; g < count; g++) {
            device->min[a] = fminf(device->min[a], summaries[g].min[a]);
            device->max[a] = fmaxf(device->max[a], summaries[g].max[a]);
        }
    }
}

extern const char wb_clBounds[];

// The cells of a step are of the box around particles where they are when it begins, as those of a step that follows from a checkpoint: collisions, merges and
// drains of the last step came after its summaries.
static wbStatus findBounds(wbFluidStepGpu *step) {
    wbFluidGpu *fluid = step->fluid;
    const wbGpuBuffer *position = &fluid->particles.front[wb_columnX];
    const char *const sources[] = {wb_clParticleFluidDevice, wb_clBounds};
    const wbGpuProgramDef def = {"bounds", sources, 2, NULL};
    const wbGpuKernelName kernel = {"fluid_bound", &fluid->bound};
    FluidSummary summaries[MAX_SUMMARIES];
    if (!fluid->bound) WB_TRY(wbGpu_BuildKernels(fluid->gpu, &def, &kernel, 1));
    WB_TRY(wbGpu_RunGroups(fluid->gpu, fluid->bound, countSummaries(step), FLUID_SUMMARY_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(step->search.count), WB_GPU_BUFFER3(position),
                                       WB_GPU_LOCAL(sizeof(FluidSummary) * FLUID_SUMMARY_GROUP),
                                       WB_GPU_BUFFER(fluid->summaries))));
    WB_TRY(fetchSummaries(step, summaries));
    joinBounds(&fluid->particles, summaries, countSummaries(step));
    return wb_okStatus;
}

wbStatus wbFluidStepGpu_Begin(wbFluidStepGpu *step) {
    wbParticlesGpu *particles = &step->fluid->particles;
    WB_TRY(particles->hostIsNewer ? wbParticlesGpu_Push(particles, step->particles) : findBounds(step));
    particles->deviceIsNewer = true;
    return wb_okStatus;
}

wbStatus wbFluidStepGpu_FindOrder(wbFluidStepGpu *step, int position) {
    wbParticlesGpu *particles = &step->fluid->particles;
    wbGpuBuffer *columns = &particles->front[position];
    wbGpuPoints points = {&columns[0], &columns[1], &columns[2], step->search.count, {0}, {0}};
    memcpy(points.min, particles->min, sizeof points.min);
    memcpy(points.max, particles->max, sizeof points.max);
    WB_TRY(wbGpuCells_Sort(&particles->cells, &points, step->h, step->domain->dimensions));
    step->search.cells = &particles->cells;
    step->search.space.cells = particles->cells.cells;
    step->search.points = columns;
    return wb_okStatus;
}

// HASHED is the first switch.
wbStatus wbFluidStepGpu_Build(wbFluidStepGpu *step, unsigned switches) {
    const bool isHashed = step->search.cells && step->search.cells->grid.hashed;
    return wbGpuVariantSet_Choose(&step->fluid->program, step->fluid->gpu, switches | (isHashed ? 1 : 0),
                                  &step->kernels);
}

wbStatus wbFluidStepGpu_BuildBoundary(wbFluidStepGpu *step, unsigned switches) {
    if (!wbFluidStepGpu_HasBoundary(step)) return wb_okStatus;
    return wbBoundaryGpu_Build(&step->fluid->boundary, switches, step->search.cells);
}

wbStatus wbFluidStepGpu_Sort(wbFluidStepGpu *step, int columnCount) {
    wbParticlesGpu *particles = &step->fluid->particles;
    return wbGpuCells_Reorder(&particles->cells, step->search.count, particles->front, particles->back,
                              columnCount);
}

wbStatus wbFluidStepGpu_Run(const wbFluidStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    return wbGpu_RunJoined(step->fluid->gpu, step->kernels[kernel], step->search.items,
                           WB_GPU_ARGS(WB_GPU_INT(step->search.count)), args, argCount);
}

wbStatus wbFluidStepGpu_Search(const wbFluidStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    return wbGpuSearch_Run(&step->search, step->kernels[kernel], args, argCount);
}

const wbGpuBuffer *wbFluidStepGpu_IfMixed(const wbFluidStepGpu *step, const wbGpuBuffer *buffer) {
    return step->isMixed ? buffer : &step->columns[0];
}

const wbGpuBuffer *wbFluidStepGpu_GetRelative(const wbFluidStepGpu *step) {
    return wbFluidStepGpu_IfMixed(step, &step->fluid->relative);
}

wbStatus wbFluidStepGpu_Copy(const wbFluidStepGpu *step, const wbGpuBuffer *from, wbGpuBuffer *to,
                             int columnCount) {
    for (int k = 0; k < columnCount; k++)
        WB_TRY(wbGpu_Copy(step->fluid->gpu, &from[k], &to[k], sizeof(float) * (size_t)step->search.count));
    return wb_okStatus;
}

wbStatus wbFluidStepGpu_Clear(const wbFluidStepGpu *step, wbGpuBuffer *columns, int columnCount) {
    for (int k = 0; k < columnCount; k++)
        WB_TRY(wbGpu_Fill(step->fluid->gpu, &columns[k], 0, sizeof(float) * (size_t)step->search.count));
    return wb_okStatus;
}

wbStatus wbFluidStepGpu_FillRelative(wbFluidStepGpu *step) {
    wbFluidGpu *fluid = step->fluid;
    if (!step->isMixed) return wb_okStatus;
    return wbGpu_Run(fluid->gpu, fluid->mix, step->search.count,
                     WB_GPU_ARGS(WB_GPU_INT(step->search.count), WB_GPU_INT(step->mixture->count),
                                 WB_GPU_BUFFER(fluid->runFirst), WB_GPU_BUFFER(fluid->runDensity),
                                 WB_GPU_BUFFER(fluid->particles.front[wb_columnId]),
                                 WB_GPU_BUFFER(fluid->relative)));
}

wbStatus wbFluidStepGpu_Collide(wbFluidStepGpu *step, wbBoundaryTime from, wbBoundaryTime to,
                                bool isLasting) {
    wbBoundaryGpu *boundary = &step->fluid->boundary;
    wbGpuBuffer *position = &step->fluid->particles.front[wb_columnX],
                *velocity = &step->fluid->particles.front[wb_columnVx], *before = step->fluid->before;
    const wbGpuDrift drift = {.count = step->search.count,
                              .before = {&before[0], &before[1], &before[2]},
                              .position = {&position[0], &position[1], &position[2]},
                              .velocity = {&velocity[0], &velocity[1], &velocity[2]},
                              .from = from,
                              .to = to,
                              .caught = isLasting ? &boundary->buffers[wb_placeFx] : NULL,
                              .firstCaught = boundary->firstCaught,
                              .share = 1 / wbMixture_GetHeaviest(step->mixture),
                              .relative = step->weights   ? step->weights
                                          : step->isMixed ? &step->fluid->relative
                                                          : NULL};
    if (!wbFluidStepGpu_HasCollision(step)) return wb_okStatus;
    return step->colliders->collideGpu(&drift, step->colliders->context);
}

wbStatus wbFluidStepGpu_ClearForces(wbFluidStepGpu *step) {
    return step->colliders ? wbBoundaryGpu_ClearForces(&step->fluid->boundary) : wb_okStatus;
}

wbStatus wbFluidStepGpu_ReserveResponse(wbFluidStepGpu *step) {
    return wbResponseGpu_Reserve(&step->fluid->response, step->colliders);
}

wbStatus wbFluidStepGpu_BeginResponse(wbFluidStepGpu *step, wbBoundaryTime time, float seconds) {
    wbFluidGpu *fluid = step->fluid;
    return wbResponseGpu_Begin(&fluid->response, &fluid->boundary, step->colliders, time, seconds);
}

wbStatus wbFluidStepGpu_Respond(const wbFluidStepGpu *step) {
    const wbBoundaryGpu *points = &step->fluid->boundary;
    return wbResponseGpu_Answer(&step->fluid->response, points, points->buffers + wb_placeFx, NULL, 0);
}

wbStatus wbFluidStepGpu_EndResponse(wbFluidStepGpu *step) {
    return wbResponseGpu_End(&step->fluid->response, step->colliders);
}

wbStatus wbFluidStepGpu_TakeImpulses(wbFluidStepGpu *step, wbBoundaryTime time, double seconds, double mass) {
    wbBoundaryForces forces;
    if (!step->colliders) return wb_okStatus;
    wbBoundary *boundary = step->colliders->boundary;
    WB_TRY(wbBoundaryGpu_FetchForces(&step->fluid->boundary, &forces));
    wbBoundary_AddForces(boundary, time, forces.x, forces.y, forces.z, seconds);
    wbBoundary_AddCaught(boundary, mass * (double)wbMixture_GetHeaviest(step->mixture));
    return wb_okStatus;
}

wbStatus wbFluidStepGpu_KeepPositions(const wbFluidStepGpu *step) {
    wbFluidGpu *fluid = step->fluid;
    if (!wbFluidStepGpu_HasCollision(step)) return wb_okStatus;
    return wbFluidStepGpu_Copy(step, &fluid->particles.front[wb_columnX], fluid->before, 3);
}

wbStatus wbFluidStepGpu_Move(const wbFluidStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    wbFluidGpu *fluid = step->fluid;
    wbGpuArg all[WB_MAX_GPU_ARGS];
    WB_ASSERT(argCount <= WB_MAX_GPU_ARGS - 4, "a kernel has too many arguments");
    all[0] = WB_GPU_INT(step->search.count);
    memcpy(all + 1, args, sizeof *args * (size_t)argCount);
    all[argCount + 1] = WB_GPU_BUFFER(fluid->neighbours);
    all[argCount + 2] = WB_GPU_LOCAL(sizeof(FluidSummary) * FLUID_SUMMARY_GROUP);
    all[argCount + 3] = WB_GPU_BUFFER(fluid->summaries);
    return wbGpu_RunGroups(fluid->gpu, step->kernels[kernel], countSummaries(step), FLUID_SUMMARY_GROUP, all,
                           argCount + 4);
}

static void joinSummaries(wbFluidStepGpu *step, const FluidSummary *summaries, int count, wbFluidSums *sums) {
    float speed2 = 0, density = 0;
    int64_t neighbours = 0;
    *sums = (wbFluidSums){0};
    joinBounds(&step->fluid->particles, summaries, count);
    for (int g = 0; g < count; g++) {
        const FluidSummary *s = &summaries[g];
        speed2 = fmaxf(speed2, s->maxSpeed2), density = fmaxf(density, s->maxDensity);
        sums->speed2 += (double)s->speed2, sums->fall += (double)s->fall;
        sums->broken += s->broken;
        neighbours += (int64_t)((uint64_t)s->neighbours[1] << 32 | s->neighbours[0]);
    }
    sums->pairs = neighbours - step->search.count;
    step->particles->maxSpeed = sqrtf(speed2), step->particles->maxDensity = density;
}

static wbStatus checkHealth(const wbFluidStepGpu *step, const wbFluidSums *sums) {
    wbParticles *p = step->particles;
    double neighbours = (double)sums->pairs / p->count;
    bool areClumped = wbAreClumped(step->smoothing, step->domain->dimensions, neighbours);
    if (sums->broken == 0 && !areClumped) return wb_okStatus;
    WB_TRY(wbParticlesGpu_Pull(&step->fluid->particles, p));
    if (sums->broken > 0) return wbParticles_FailByBroken(p);
    return wbParticles_CheckPairs(p, sums->pairs, step->smoothing, step->domain->dimensions);
}

wbStatus wbFluidStepGpu_TakeSummaries(wbFluidStepGpu *step, wbFluidSums *sums) {
    FluidSummary summaries[MAX_SUMMARIES];
    WB_TRY(fetchSummaries(step, summaries));
    joinSummaries(step, summaries, countSummaries(step), sums);
    step->neighbours->pairs = sums->pairs;
    return checkHealth(step, sums);
}

wbStatus wbFluidStepGpu_TakeTimes(const wbFluidStepGpu *step) {
    return wbGpu_TakeTimes(step->fluid->gpu, step->ms, step->fluid->kind->phaseCount);
}
