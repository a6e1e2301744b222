// SPDX-License-Identifier: MIT
#include "sph/sph.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "sph/sph_code.h"
#include "sph/sph_model.h"

const char *const wb_sphPhaseNames[wb_sphPhaseCount] = {
#define WB_PHASE(name) #name,
    WB_SPH_PHASES(WB_PHASE)
#undef WB_PHASE
};

void wbSph_Init(wbSph *sph) {
    *sph = (wbSph){0};
    wbGrid_Init(&sph->grid);
    wbGrid_Init(&sph->imageGrid);
    wbNeighbours_Init(&sph->neighbours);
}

void wbSph_ListColumns(wbSph *sph, wbColumn columns[WB_SPH_COLUMNS]) {
    const wbColumn list[WB_SPH_COLUMNS] = {
        {"x", (void **)&sph->x, 4, true},
        {"y", (void **)&sph->y, 4, true},
        {"z", (void **)&sph->z, 4, true},
        {"vx", (void **)&sph->vx, 4, true},
        {"vy", (void **)&sph->vy, 4, true},
        {"vz", (void **)&sph->vz, 4, true},
        {"id", (void **)&sph->id, 4, true},
        {"density", (void **)&sph->density, 4, true},
        {"pressure", (void **)&sph->pressure, 4, true},
        {"backX", (void **)&sph->backX, 4, false},
        {"backY", (void **)&sph->backY, 4, false},
        {"backZ", (void **)&sph->backZ, 4, false},
        {"backVx", (void **)&sph->backVx, 4, false},
        {"backVy", (void **)&sph->backVy, 4, false},
        {"backVz", (void **)&sph->backVz, 4, false},
        {"backId", (void **)&sph->backId, 4, false},
        {"backDensity", (void **)&sph->backDensity, 4, false},
    };
    memcpy(columns, list, sizeof list);
}

void wbSph_ListValues(wbSph *sph, wbSavedValue values[WB_SPH_VALUES]) {
    const wbSavedValue list[WB_SPH_VALUES] = {
        {"sph.count", &sph->count, wb_valueInt, 0, INT_MAX - 1024, true},
        {"sph.maxSpeed", &sph->maxSpeed, wb_valueFloat, 0, FLT_MAX, true},
        {"sph.maxDensity", &sph->maxDensity, wb_valueFloat, 0, FLT_MAX, true},
        {"sph.sinceEvaluation", &sph->sinceEvaluation, wb_valueFloat, 0, FLT_MAX, true},
    };
    memcpy(values, list, sizeof list);
}

wbStatus wbSph_Reserve(wbSph *sph, wbMemory *memory, int count) {
    wbColumn columns[WB_SPH_COLUMNS];
    wbSph_ListColumns(sph, columns);
    if (!wbReserveColumns(memory, columns, WB_SPH_COLUMNS, &sph->capacity, count))
        return wbError(wb_errorMemory, "out of memory for %d particles: raise world.memoryLimit or use fewer",
                       count);
    return wb_okStatus;
}

void wbSph_Free(wbMemory *memory, wbSph *sph) {
    wbColumn columns[WB_SPH_COLUMNS];
    wbSph_ListColumns(sph, columns);
    wbFreeColumns(memory, columns, WB_SPH_COLUMNS, &sph->capacity);
    wbGrid_Free(memory, &sph->grid);
    wbGrid_Free(memory, &sph->imageGrid);
    wbNeighbours_Free(memory, &sph->neighbours);
}

const wbSphCode *wbGetSphCode(wbSimd simd) {
#ifdef __x86_64__
    if (simd == wb_simdAvx512) return &wb_sphCode_avx512;
    if (simd == wb_simdAvx2) return &wb_sphCode_avx2;
    if (simd == wb_simdSse) return &wb_sphCode_sse;
#endif
    WB_ASSERT(simd == wb_simdScalar, "unknown instruction set");
    return &wb_sphCode_scalar;
}

// Scratch of one step. Velocities of the step's start are carried along when leapfrog sorts in the middle.
typedef struct Step {
    wbSph *sph;
    const wbSphModel *model;
    const wbWork *work;
    const wbSphCode *code;
    float *ax, *ay, *az;
    float *startVx, *startVy, *startVz; // NULL unless leapfrog is in the middle of its step
    float *backStartVx, *backStartVy, *backStartVz;
    float (*maxima)[2]; // per block
} Step;

static float *allocateFloats(const wbWork *work, int count) {
    return wbArena_Alloc(work->arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
}

static wbStatus outOfMemory(const Step *step) {
    return wbError(wb_errorMemory, "out of memory for a step of %d particles: raise world.memoryLimit",
                   step->sph->count);
}

static void swapFloats(float **a, float **b) {
    float *t = *a;
    *a = *b, *b = t;
}

// Moves the particles into the order of their cells.
static wbStatus sortParticles(Step *step) {
    wbSph *sph = step->sph;
    const wbWork *work = step->work;
    int *order = wbArena_Alloc(work->arena, sizeof(int) * (size_t)sph->count);
    if (!order) return outOfMemory(step);
    wbPoints points = {sph->x, sph->y, sph->z, sph->count};
    WB_TRY(
        wbGrid_Sort(&sph->grid, work, points, step->model->h, step->model->dimensions, wb_gridAuto, order));
    const wbMove moves[] = {{sph->x, sph->backX},
                            {sph->y, sph->backY},
                            {sph->z, sph->backZ},
                            {sph->vx, sph->backVx},
                            {sph->vy, sph->backVy},
                            {sph->vz, sph->backVz},
                            {sph->id, sph->backId},
                            {sph->density, sph->backDensity},
                            {step->startVx, step->backStartVx},
                            {step->startVy, step->backStartVy},
                            {step->startVz, step->backStartVz}};
    wbReorder(work, order, sph->count, moves, step->startVx ? 11 : 8);
    swapFloats(&sph->x, &sph->backX), swapFloats(&sph->y, &sph->backY), swapFloats(&sph->z, &sph->backZ);
    swapFloats(&sph->vx, &sph->backVx), swapFloats(&sph->vy, &sph->backVy),
        swapFloats(&sph->vz, &sph->backVz);
    swapFloats(&step->startVx, &step->backStartVx), swapFloats(&step->startVy, &step->backStartVy);
    swapFloats(&step->startVz, &step->backStartVz);
    swapFloats(&sph->density, &sph->backDensity);
    uint32_t *id = sph->id;
    sph->id = sph->backId, sph->backId = id;
    return wb_okStatus;
}

// Images of the particles near walls, as a second set to search.
static wbStatus mirrorAtWalls(Step *step, wbSphPass *pass, wbPointSet *images) {
    const wbSph *sph = step->sph;
    const wbSphModel *model = step->model;
    wbPoints points = {sph->x, sph->y, sph->z, sph->count};
    WB_TRY(wbMirrorPoints(step->work, &model->box, points, model->h, &pass->images));
    if (pass->images.count == 0) return wb_okStatus;
    return wbSortImages(&step->sph->imageGrid, step->work, &model->box, model->h, model->dimensions,
                        pass->firstImage, &pass->images, images);
}

static bool allocateRecords(Step *step, wbSphPass *pass, int dummy) {
    size_t bytes = sizeof(float[4]) * (size_t)(dummy + 1);
    pass->positionRecords = wbArena_Alloc(step->work->arena, bytes);
    pass->velocityRecords = wbArena_Alloc(step->work->arena, bytes);
    if (!pass->positionRecords || !pass->velocityRecords) return false;
    // beyond every kernel, and near enough that products with 1/rho stay finite
    const float position[4] = {1e15f, 1e15f, 1e15f, step->model->constants.inverseRestDensity},
                velocity[4] = {0};
    memcpy(pass->positionRecords + 4 * (size_t)dummy, position, sizeof position);
    memcpy(pass->velocityRecords + 4 * (size_t)dummy, velocity, sizeof velocity);
    return true;
}

// Neighbour lists, density and pressure of particles and images.
static wbStatus sumDensity(Step *step, wbSphPass *pass, const wbPointSet *images) {
    wbSph *sph = step->sph;
    wbPointSet own = {.points = {sph->x, sph->y, sph->z, sph->count}, .grid = &sph->grid};
    int dummy = pass->firstImage + pass->images.count;
    if (!allocateRecords(step, pass, dummy)) return outOfMemory(step);
    WB_TRY(wbNeighbours_Begin(&sph->neighbours, step->work, &own, pass->images.count ? images : NULL, dummy,
                              &pass->lists));
    wbParallelFor(step->work->pool, sph->count, WB_BLOCK, step->code->density, pass);
    wbParallelFor(step->work->pool, pass->images.count, WB_BLOCK, step->code->images, pass);
    return wbNeighbours_End(&sph->neighbours);
}

// An unstable fluid may show by particles that fall into each other, long before its energy does.
static wbStatus checkClumping(const Step *step) {
    double mean = (double)step->sph->neighbours.pairs / step->sph->count,
           reach = step->model->params.smoothing;
    double lattice = step->model->dimensions == 2 ? 3.2 * reach * reach : 4.2 * reach * reach * reach;
    if (mean < 30 * lattice) return wb_okStatus;
    return wbError(wb_errorUnstable, "particles clump, with %.0f neighbours each on average", mean);
}

static void endPhase(Step *step, wbSphPhase phase, double *mark) { step->sph->ms[phase] += wbLapMs(mark); }

// Accelerations at the present positions and velocities.
static wbStatus evaluate(Step *step) {
    wbSph *sph = step->sph;
    size_t scratch = wbArena_Mark(step->work->arena);
    double mark = wbGetSeconds();
    WB_TRY(sortParticles(step));
    endPhase(step, wb_sph_sort, &mark);

    wbSphPass pass = {.sph = sph,
                      .model = step->model,
                      .firstImage = wbPadCount(sph->count),
                      .ax = step->ax,
                      .ay = step->ay,
                      .az = step->az,
                      .inverseTime = sph->sinceEvaluation > 0 ? 1 / sph->sinceEvaluation : 0};
    wbPointSet images;
    WB_TRY(mirrorAtWalls(step, &pass, &images));
    endPhase(step, wb_sph_walls, &mark);

    WB_TRY(sumDensity(step, &pass, &images)); // rho_i = sum m W
    WB_TRY(checkClumping(step));
    endPhase(step, wb_sph_neighbours, &mark);

    wbParallelFor(step->work->pool, sph->count, WB_BLOCK, step->code->forces, &pass); // pressure, viscosity
    endPhase(step, wb_sph_forces, &mark);
    wbArena_Release(step->work->arena, scratch);
    return wb_okStatus;
}

// The id of the first particle that is not finite; walls turn infinite positions into the largest float.
static uint32_t findNonFinite(const wbSph *sph) {
    const float *columns[6] = {sph->x, sph->y, sph->z, sph->vx, sph->vy, sph->vz};
    for (int i = 0; i < sph->count; i++)
        for (int c = 0; c < 6; c++)
            if (!(fabsf(columns[c][i]) < 1e30f)) return sph->id[i];
    return 0;
}

// Highest speed and density of all blocks.
static wbStatus takeMaxima(Step *step) {
    wbSph *sph = step->sph;
    float speed2 = 0, density = 0;
    for (int b = 0; b * WB_BLOCK < sph->count; b++) {
        if (!isfinite(step->maxima[b][0]))
            return wbError(wb_errorUnstable, "position or velocity of particle %u is not finite",
                           findNonFinite(sph));
        speed2 = fmaxf(speed2, step->maxima[b][0]), density = fmaxf(density, step->maxima[b][1]);
    }
    sph->maxSpeed = sqrtf(speed2), sph->maxDensity = density;
    return wb_okStatus;
}

// v' = start + kick (a + g), x' = x + drift v (or v'), then the walls.
static wbStatus integrate(Step *step, float kick, float drift, bool driftsAfterKick) {
    wbSph *sph = step->sph;
    double mark = wbGetSeconds();
    bool carried = step->startVx != NULL;
    wbSphMove move = {.sph = sph,
                      .model = step->model,
                      .ax = step->ax,
                      .ay = step->ay,
                      .az = step->az,
                      .startVx = carried ? step->startVx : sph->vx,
                      .startVy = carried ? step->startVy : sph->vy,
                      .startVz = carried ? step->startVz : sph->vz,
                      .kick = kick,
                      .drift = drift,
                      .driftsAfterKick = driftsAfterKick,
                      .maxima = step->maxima};
    wbParallelFor(step->work->pool, sph->count, WB_BLOCK, step->code->integrate, &move);
    sph->sinceEvaluation = drift;
    endPhase(step, wb_sph_integrate, &mark);
    return takeMaxima(step);
}

static bool keepStart(Step *step) {
    const wbSph *sph = step->sph;
    float **starts[3] = {&step->startVx, &step->startVy, &step->startVz};
    float **backs[3] = {&step->backStartVx, &step->backStartVy, &step->backStartVz};
    const float *velocities[3] = {sph->vx, sph->vy, sph->vz};
    for (int a = 0; a < 3; a++) {
        *starts[a] = allocateFloats(step->work, sph->count),
        *backs[a] = allocateFloats(step->work, sph->count);
        if (!*starts[a] || !*backs[a]) return false;
        memcpy(*starts[a], velocities[a], sizeof(float) * (size_t)sph->count);
    }
    return true;
}

// Leapfrog after Cossins 2010: v½ = v + dt/2 a(x, v), x½ = x + dt/2 v, v' = v + dt a(x½, v½), x' = x + dt/2
// (v + v'), which is x½ + dt/2 v'.
static wbStatus leapfrog(Step *step, float dt) {
    WB_TRY(evaluate(step));
    if (!keepStart(step)) return outOfMemory(step);
    WB_TRY(integrate(step, 0.5f * dt, 0.5f * dt, false));
    WB_TRY(evaluate(step));
    return integrate(step, dt, 0.5f * dt, true);
}

wbStatus wbSph_Step(wbSph *sph, const wbSphModel *model, const wbWork *work, float dt) {
    Step step = {.sph = sph, .model = model, .work = work, .code = wbGetSphCode(work->simd)};
    memset(sph->ms, 0, sizeof sph->ms);
    if (sph->count == 0) return wb_okStatus;
    step.ax = allocateFloats(work, sph->count), step.ay = allocateFloats(work, sph->count);
    step.az = allocateFloats(work, sph->count);
    step.maxima = wbArena_Alloc(work->arena, sizeof(float[2]) * ((size_t)sph->count / WB_BLOCK + 1));
    if (!step.ax || !step.ay || !step.az || !step.maxima) return outOfMemory(&step);

    if (model->params.integrator == wb_integratorLeapfrog) return leapfrog(&step, dt);
    WB_TRY(evaluate(&step));
    return integrate(&step, dt, dt, model->params.integrator == wb_integratorSymplectic);
}
