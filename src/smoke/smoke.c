// SPDX-License-Identifier: MIT
#include "smoke/smoke.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "core/timer.h"
#include "smoke/smoke_code.h"
#include "smoke/smoke_sources.h"
#include "smoke/smoke_viscosity.h"
#include "smoke/smoke_walls.h"

const char *const wb_smokePhaseNames[wb_smokePhaseCount] = {
#define WB_PHASE(name) #name,
    WB_SMOKE_PHASES(WB_PHASE)
#undef WB_PHASE
};

const wbSmokeCode *wbGetSmokeCode(wbSimd simd) {
#ifdef __x86_64__
    if (simd == wb_simdAvx512) return &wb_smokeCode_avx512;
    if (simd == wb_simdAvx2) return &wb_smokeCode_avx2;
    if (simd == wb_simdSse) return &wb_smokeCode_sse;
#endif
    WB_ASSERT(simd == wb_simdScalar, "unknown instruction set");
    return &wb_smokeCode_scalar;
}

// Creation

// Fields start a different number of cache lines behind a page each, or they would share the same few sets of the cache.
static size_t getFieldStride(const wbSmokeGrid *grid) {
    enum { STAGGER = 13 * 16 };
    return (size_t)wbPadCount(grid->total) + 2 * WB_SMOKE_MARGIN + STAGGER;
}

wbStatus wbSmoke_Init(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    const wbSmokeGrid *grid = &model->grid;
    *smoke = (wbSmoke){.grid = *grid};
    size_t stride = getFieldStride(grid), cells = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
    smoke->scalarCount = model->params.coloured ? 6 : model->params.fire ? 3 : 2;
    int fieldCount = wb_smokeDensity + smoke->scalarCount;
    size_t floats = 2 * (size_t)fieldCount * stride;
    wbSmokeBlocks blocks = wbCountSmokeBlocks(grid);
    size_t blockCount = wbGetSmokeBlockCount(grid);
    size_t blockRows = (size_t)blocks.y * (size_t)blocks.z;
    smoke->blockBytes = sizeof(float) * floats + cells + 2 * blockCount + 2 * blockRows;
    float *block = smoke->block = wbAllocZero(work->memory, smoke->blockBytes);
    if (!block)
        return wbMemoryError(work->memory, "smoke of %d x %d x %d cells needs", grid->nx, grid->ny, grid->nz);
    for (int f = 0; f < fieldCount; f++) {
        smoke->fields[f] = block + 2 * (size_t)f * stride + WB_SMOKE_MARGIN;
        smoke->back[f] = smoke->fields[f] + stride;
    }
    smoke->solid = (uint8_t *)(block + floats);
    smoke->active = smoke->solid + cells;
    smoke->marks = smoke->active + blockCount;
    smoke->dirty[0] = smoke->marks + blockCount;
    smoke->dirty[1] = smoke->dirty[0] + blockRows;
    wbSmoke_Touch(smoke);
    smoke->solidCells.elementSize = sizeof(int);
    for (int axis = 0; axis < 3; axis++) {
        smoke->faces[axis].places.elementSize = sizeof(int);
        smoke->faces[axis].values.elementSize = sizeof(float);
        smoke->faces[axis].slips.elementSize = sizeof(wbSlipFace);
    }
    wbStatus status = wbSmoke_SetSolids(smoke, model, work, NULL, NULL, 0);
    if (!wbIsOk(status)) wbSmoke_Free(work->memory, smoke);
    return status;
}

void wbSmoke_Free(wbMemory *memory, wbSmoke *smoke) {
    if (!smoke->block) return;
    for (int axis = 0; axis < 3; axis++) {
        wbArray_Free(memory, &smoke->faces[axis].places);
        wbArray_Free(memory, &smoke->faces[axis].values);
        wbArray_Free(memory, &smoke->faces[axis].slips);
    }
    wbArray_Free(memory, &smoke->solidCells);
    wbPressure_Free(memory, &smoke->pressure);
    wbFree(memory, smoke->block, smoke->blockBytes);
    *smoke = (wbSmoke){0};
}

wbStatus wbSmoke_SetSolids(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work, const uint8_t *mask,
                           const wbSmokeBody *bodies, int bodyCount) {
    const wbSmokeGrid *grid = &smoke->grid;
    WB_ASSERT(bodyCount <= WB_SMOKE_MAX_BODIES, "more bodies than a mask can tell apart");
    size_t cells = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
    if (mask)
        memcpy(smoke->solid, mask, cells);
    else
        memset(smoke->solid, 0, cells);
    smoke->bodyCount = bodyCount;
    smoke->solidVersion++;
    if (bodyCount) memcpy(smoke->bodies, bodies, sizeof(wbSmokeBody) * (size_t)bodyCount);
    WB_TRY(wbListSolidFaces(smoke, model, work->memory));
    return wbPressure_Build(&smoke->pressure, work, grid, smoke->solid, model->open);
}

void wbSmoke_Touch(wbSmoke *smoke) {
    wbSmokeBlocks blocks = wbCountSmokeBlocks(&smoke->grid);
    smoke->maxSpeed = INFINITY;
    memset(smoke->marks, 1, wbGetSmokeBlockCount(&smoke->grid));
    memset(smoke->dirty[0], 1, (size_t)blocks.y * (size_t)blocks.z);
}

void wbSmoke_ClearMarks(wbSmoke *smoke) { memset(smoke->marks, 0, wbGetSmokeBlockCount(&smoke->grid)); }

wbSmokeValues wbSmoke_GetValues(const wbSmoke *smoke) {
    return (wbSmokeValues){.drift = smoke->drift,
                           .divergenceBefore = smoke->divergenceBefore,
                           .divergence = smoke->divergence,
                           .maxSpeed = smoke->maxSpeed,
                           .cycles = smoke->cycles,
                           .likelyCycles = smoke->pressure.likelyCycles,
                           .slowSteps = smoke->pressure.slowSteps};
}

void wbSmoke_SetValues(wbSmoke *smoke, const wbSmokeValues *values) {
    smoke->drift = values->drift;
    smoke->divergenceBefore = values->divergenceBefore, smoke->divergence = values->divergence;
    smoke->maxSpeed = values->maxSpeed;
    smoke->cycles = values->cycles;
    smoke->pressure.likelyCycles = values->likelyCycles, smoke->pressure.slowSteps = values->slowSteps;
}

// Equal on faces across x and y: without divergence also between them, up to the shape of the box.
void wbSmoke_AddVortices(wbSmoke *smoke, int count) {
    const wbSmokeGrid *grid = &smoke->grid;
    const double pi = 3.14159265358979323846;
    double kx = count * pi / grid->nx, ky = count * pi / grid->ny, kz = count * pi / grid->nz;
    double ratio = sin(0.5 * kx) / sin(0.5 * ky);
    if (grid->dimensions == 2) kz = 0;
    for (int j = 0; j <= grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i <= grid->nx; i++) {
                int c = wbSmokeIndex(grid, i, j, k);
                double depth = cos(kz * (k + 0.5));
                if (j < grid->ny)
                    smoke->fields[wb_smokeU][c] += (float)(sin(kx * i) * cos(ky * (j + 0.5)) * depth);
                if (i < grid->nx)
                    smoke->fields[wb_smokeV][c] -= (float)(ratio * cos(kx * (i + 0.5)) * sin(ky * j) * depth);
            }
        }
    }
    wbSmoke_Touch(smoke);
}

uint64_t wbSmoke_Hash(const wbSmoke *smoke, uint64_t hash) {
    const wbSmokeGrid *grid = &smoke->grid;
    const wbPressureLevel *level = &smoke->pressure.levels[0];
    for (int f = 0; f < wb_smokeDensity + smoke->scalarCount; f++)
        for (int j = 0; j < grid->ny + (f == wb_smokeV); j++)
            for (int k = 0; k < grid->nz + (f == wb_smokeW); k++)
                hash = wbHashBytes(hash, smoke->fields[f] + wbSmokeIndex(grid, 0, j, k),
                                   sizeof(float) * (size_t)(grid->nx + (f == wb_smokeU)));
    for (int colour = 0; colour < 2; colour++)
        hash = wbHashBytes(hash, level->p[colour], sizeof(float) * (size_t)level->total);
    const int counts[2] = {smoke->pressure.likelyCycles, smoke->pressure.slowSteps};
    hash = wbHashBytes(hash, counts, sizeof counts);
    hash = wbHashBytes(hash, &smoke->maxSpeed, sizeof smoke->maxSpeed);
    hash = wbHashBytes(hash, &smoke->drift, sizeof smoke->drift);
    return wbHashBytes(hash, smoke->marks, wbGetSmokeBlockCount(grid));
}

bool wbSmoke_HasMovingBodies(const wbSmoke *smoke) {
    bool moves = false;
    for (int b = 0; b < smoke->bodyCount; b++) {
        const wbVec3 v = smoke->bodies[b].velocity, w = smoke->bodies[b].spin;
        moves |= v.x != 0 || v.y != 0 || v.z != 0 || w.x != 0 || w.y != 0 || w.z != 0;
    }
    return moves;
}

// The step

typedef struct Step {
    wbSmoke *smoke;
    const wbSmokeModel *model;
    const wbWork *work;
    const wbSmokeCode *code;
    wbSmokeKind kinds[4];
    float dt;
    double *sums;    // per plane
    float *spare[3]; // fields, for MacCormack
    int *rows;       // of blocks that smoke may come to
    int rowCount;
    float *rings;
    int ringLength;
} Step;

// Scalars that are carried together: colours come after the others.
static int countCarried(const wbSmoke *smoke) { return smoke->scalarCount < 3 ? smoke->scalarCount : 3; }

static wbStatus allocateScratch(Step *step) {
    const wbSmokeGrid *grid = &step->smoke->grid;
    const wbSmokeParams *params = &step->model->params;
    wbArena *arena = step->work->arena;
    size_t threads = (size_t)wbThreadPool_GetCount(step->work->pool);
    bool corrects =
        params->advection == wb_advectionMacCormack || params->velocityAdvection == wb_advectionMacCormack;
    bool allocated = true;
    step->sums = wbArena_Alloc(arena, sizeof(double) * (size_t)(grid->ny + 1));
    wbSmokeBlocks blocks = wbCountSmokeBlocks(grid);
    step->rows = wbArena_Alloc(arena, sizeof(int) * (size_t)blocks.y * (size_t)blocks.z);
    step->ringLength = grid->row * WB_SMOKE_RING_ROWS * WB_SMOKE_RING_PLANES + 2 * WB_SMOKE_MARGIN;
    step->rings = wbArena_Alloc(arena, sizeof(float) * threads * (size_t)step->ringLength);
    for (int n = 0; n < countCarried(step->smoke) && corrects; n++) {
        size_t bytes = sizeof(float) * getFieldStride(grid);
        float *start = wbArena_Alloc(arena, bytes);
        if (start) memset(start, 0, bytes);
        allocated &= start != NULL;
        step->spare[n] = start ? start + WB_SMOKE_MARGIN : NULL;
    }
    if (allocated && step->sums && step->rows && step->rings) return wb_okStatus;
    return wbMemoryError(step->work->memory, "a step of smoke needs");
}

size_t wbSmoke_GetStepBytes(const wbSmoke *smoke, const wbSmokeModel *model, int threadCount) {
    enum { SMALL = 1 << 20, PER_PLANE = 64, PER_BLOCK_ROW = 16 };
    const wbSmokeGrid *grid = &smoke->grid;
    const wbSmokeParams *params = &model->params;
    size_t rings = (size_t)grid->row * WB_SMOKE_RING_ROWS * WB_SMOKE_RING_PLANES + 4 * WB_SMOKE_MARGIN;
    size_t floats = (size_t)threadCount * (rings + 2 * (size_t)grid->row + 256);
    if (params->advection == wb_advectionMacCormack || params->velocityAdvection == wb_advectionMacCormack)
        floats += (size_t)countCarried(smoke) * getFieldStride(grid);
    if (params->pressureSolver == wb_pressureJacobi)
        floats += 2 * (size_t)(smoke->pressure.levels[0].total + 2 * WB_SMOKE_MARGIN);
    size_t planes = (size_t)grid->ny + 1;
    size_t parts = (size_t)smoke->pressure.pocketCount + 1;
    return sizeof(float) * floats + planes * ((size_t)grid->nz * PER_BLOCK_ROW + PER_PLANE) +
           2 * sizeof(double) * parts + SMALL;
}

static void swapFields(wbSmoke *smoke, int f) {
    float *field = smoke->fields[f];
    smoke->fields[f] = smoke->back[f], smoke->back[f] = field;
}

// Fields first … first + count - 1, as they are or as they came back from a phase.
static void fillHalos(const Step *step, float *const fields[], int first, int count) {
    wbSmokeHalos halos = {.model = step->model, .kinds = step->kinds, .count = count};
    for (int n = 0; n < count; n++) {
        halos.fields[n] = fields[n];
        halos.kind[n] = first + n < 3 ? first + n : 3;
    }
    wbFillHalos(&halos, step->work);
}

bool wbSmoke_GetReach(const wbSmoke *smoke, float dt, int *reachX, int *reach) {
    float cells = fmaxf(smoke->maxSpeed, smoke->wallSpeed) * dt / smoke->grid.h + 1;
    *reachX = (int)fminf(cells / WB_SMOKE_BLOCK_X, 1e6f) + 1;
    *reach = (int)fminf(cells / WB_SMOKE_BLOCK, 1e6f) + 1;
    return cells < INFINITY;
}

// Blocks that smoke can come to: those within the distance that the fastest air goes, and one more.
static void spreadActive(Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeBlocks count = wbCountSmokeBlocks(&smoke->grid);
    size_t total = wbGetSmokeBlockCount(&smoke->grid);
    int reachX, reach;
    bool isKnown = wbSmoke_GetReach(smoke, step->dt, &reachX, &reach);
    memset(smoke->active, isKnown ? 0 : 1, total);
    for (int y = 0; y < count.y && isKnown; y++) {
        for (int z = 0; z < count.z; z++) {
            for (int x = 0; x < count.x; x++) {
                if (!smoke->marks[x + count.x * (z + count.z * y)]) continue;
                int low = x > reachX ? x - reachX : 0, high = x + reachX < count.x ? x + reachX : count.x - 1;
                for (int b = y > reach ? y - reach : 0; b <= y + reach && b < count.y; b++)
                    for (int c = z > reach ? z - reach : 0; c <= z + reach && c < count.z; c++)
                        memset(smoke->active + low + count.x * (c + count.z * b), 1,
                               (size_t)(high - low + 1));
            }
        }
    }
    memset(smoke->marks, 0, total);
    step->rowCount = 0;
    for (int r = 0; r < count.y * count.z; r++)
        if (memchr(smoke->active + r * count.x, 1, (size_t)count.x)) step->rows[step->rowCount++] = r;
}

static void clearBlockRow(const Step *step, int row) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeGrid *grid = &smoke->grid;
    int across = wbCountSmokeBlocks(grid).z, j = row / across * WB_SMOKE_BLOCK,
        k = row % across * WB_SMOKE_BLOCK;
    for (int f = 0; f < smoke->scalarCount; f++)
        for (int y = j; y < j + WB_SMOKE_BLOCK && y < grid->ny; y++)
            for (int z = k; z < k + WB_SMOKE_BLOCK && z < grid->nz; z++)
                memset(smoke->back[wb_smokeDensity + f] + wbSmokeIndex(grid, 0, y, z), 0,
                       sizeof(float) * (size_t)grid->nx);
}

// Where no smoke comes to, the back must be empty: it nearly always is.
static void clearInactive(const Step *step) {
    wbSmoke *smoke = step->smoke;
    wbSmokeBlocks count = wbCountSmokeBlocks(&smoke->grid);
    int next = 0;
    for (int r = 0; r < count.y * count.z; r++) {
        bool isActive = next < step->rowCount && step->rows[next] == r;
        next += isActive;
        if (!isActive && smoke->dirty[1][r]) clearBlockRow(step, r);
        smoke->dirty[1][r] = isActive;
    }
}

// To carry fields of one kind from front to back.
static wbSmokeAdvect makeAdvect(const Step *step, int first, int count, const float decay[]) {
    wbSmoke *smoke = step->smoke;
    wbSmokeAdvect task = {.grid = &smoke->grid,
                          .kinds = step->kinds,
                          .kind = first < 3 ? first : 3,
                          .velocity = {smoke->fields[0], smoke->fields[1], smoke->fields[2]},
                          .fieldCount = count,
                          .cells = step->dt / smoke->grid.h,
                          .midpoint = step->model->params.backtrace == wb_backtraceMidpoint};
    if (first >= wb_smokeDensity)
        task.active = smoke->active, task.marks = smoke->marks, task.rows = step->rows;
    for (int n = 0; n < count; n++) {
        task.from[n] = smoke->fields[first + n];
        task.to[n] = smoke->back[first + n];
        task.factor[n] = expf(-decay[n] * step->dt);
    }
    return task;
}

static void carry(const Step *step, int first, int count, wbAdvection method, const float decay[]) {
    wbThreadPool *pool = step->work->pool;
    wbSmokeAdvect task = makeAdvect(step, first, count, decay);
    int planes = first < wb_smokeDensity ? step->kinds[first].count[1] : step->rowCount;
    if (method == wb_advectionMacCormack) {
        wbSmokeAdvect once = task;
        once.marks = NULL;
        for (int n = 0; n < count; n++) once.to[n] = step->spare[n], once.factor[n] = 1;
        wbParallelShare(pool, planes, 1, step->code->advect, &once);
        fillHalos(step, step->spare, first, count);
        for (int n = 0; n < count; n++) task.first[n] = step->spare[n];
    }
    wbParallelShare(pool, planes, 1, step->code->advect, &task);
}

// All components in one pass over the planes, if none has to be done twice.
static void carryVelocity(const Step *step) {
    const wbSmokeParams *p = &step->model->params;
    const wbSmokeGrid *grid = &step->smoke->grid;
    wbSmokeVelocityAdvect task = {.count = grid->dimensions};
    if (p->velocityAdvection == wb_advectionMacCormack) {
        for (int axis = 0; axis < grid->dimensions; axis++)
            carry(step, axis, 1, p->velocityAdvection, &p->velocityDecay);
        return;
    }
    for (int axis = 0; axis < task.count; axis++)
        task.components[axis] = makeAdvect(step, axis, 1, &p->velocityDecay);
    wbParallelShare(step->work->pool, grid->ny + 1, 1, step->code->advectVelocity, &task);
}

static double sumField(const Step *step, float *field) {
    const wbSmokeGrid *grid = &step->smoke->grid;
    wbSmokeSum task = {.grid = grid, .field = field, .sums = step->sums};
    double sum = 0;
    wbParallelFor(step->work->pool, grid->ny, 1, step->code->sum, &task);
    for (int j = 0; j < grid->ny; j++) sum += step->sums[j];
    return sum;
}

// In a closed box the amount of smoke that came out of advection is brought back to what went in.
float wbSmoke_TakeDrift(wbSmoke *smoke, const wbSmokeModel *model, double before, double after, float dt) {
    double kept = before * exp(-model->params.densityDecay * dt);
    if (!(kept > 0 && after > 0)) return 1;
    smoke->drift = (1 + smoke->drift) * (after / kept) - 1;
    return model->params.keepMass ? (float)(kept / after) : 1;
}

static void keepMass(const Step *step, double before) {
    wbSmoke *smoke = step->smoke;
    float *density = smoke->fields[wb_smokeDensity];
    wbSmokeSum task = {.grid = &smoke->grid};
    task.scale = wbSmoke_TakeDrift(smoke, step->model, before, sumField(step, density), step->dt);
    for (int f = wb_smokeDensity; f < wb_smokeDensity + smoke->scalarCount && task.scale != 1; f++) {
        task.field = smoke->fields[f];
        if (f == wb_smokeDensity || f >= wb_smokeRed)
            wbParallelFor(step->work->pool, smoke->grid.ny, 1, step->code->scale, &task);
    }
}

static void advect(Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    double before = step->model->isClosed ? sumField(step, smoke->fields[wb_smokeDensity]) : 0;
    spreadActive(step);
    clearInactive(step);
    carry(step, wb_smokeDensity, countCarried(smoke), p->advection,
          (float[]){p->densityDecay, p->cooling, 0});
    if (p->coloured)
        carry(step, wb_smokeRed, 3, p->advection,
              (float[]){p->densityDecay, p->densityDecay, p->densityDecay});
    // after the smoke: what they leave in the spare fields must not be taken for smoke in blocks that are skipped
    carryVelocity(step);
    for (int f = 0; f < smoke->scalarCount; f++) swapFields(smoke, wb_smokeDensity + f);
    uint8_t *dirty = smoke->dirty[0];
    smoke->dirty[0] = smoke->dirty[1], smoke->dirty[1] = dirty;
    wbEmptySolids(smoke);
    if (step->model->isClosed) keepMass(step, before);
}

// The velocity is at the back until the forces bring it to the front.
static void feed(const Step *step, const wbSmokeSource *sources, int sourceCount, double time) {
    wbSmoke *smoke = step->smoke;
    float *fields[wb_smokeFieldCount];
    for (int f = 0; f < wb_smokeFieldCount; f++) fields[f] = f < 3 ? smoke->back[f] : smoke->fields[f];
    wbFeedSmoke(step->model, step->kinds, step->work, fields, smoke->marks, sources, sourceCount, time,
                step->dt);
    wbEmptySolids(smoke);
    wbSmokeBlocks blocks = wbCountSmokeBlocks(&smoke->grid);
    for (int r = 0; r < blocks.y * blocks.z; r++)
        if (memchr(smoke->marks + r * blocks.x, 1, (size_t)blocks.x)) smoke->dirty[0][r] = 1;
}

static void burn(const Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    wbSmokeBurn task = {.grid = &smoke->grid,
                        .marks = smoke->marks,
                        .density = smoke->fields[wb_smokeDensity],
                        .temperature = smoke->fields[wb_smokeTemperature],
                        .fuel = smoke->fields[wb_smokeFuel],
                        .share = 1 - expf(-p->burnRate * step->dt),
                        .ignition = p->ignition,
                        .heat = p->burnHeat,
                        .soot = p->soot};
    if (p->fire) wbParallelFor(step->work->pool, smoke->grid.ny, 1, step->code->burn, &task);
}

static void accelerate(const Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    float half = 0.5f * step->dt;
    wbSmokeForces task = {.grid = &smoke->grid,
                          .velocity = {smoke->back[0], smoke->back[1], smoke->back[2]},
                          .target = {smoke->fields[0], smoke->fields[1], smoke->fields[2]},
                          .density = smoke->fields[wb_smokeDensity],
                          .temperature = smoke->fields[wb_smokeTemperature],
                          .marks = smoke->marks,
                          .rings = step->rings,
                          .ringLength = step->ringLength,
                          .buoyancy = half * p->buoyancy,
                          .weight = half * p->weight,
                          .confinement = 0.25f * half * p->confinement,
                          .up = step->model->up,
                          .wind = {half * p->wind.x, half * p->wind.y, half * p->wind.z}};
    wbParallelFor(step->work->pool, smoke->grid.ny + 1, 1, step->code->forces, &task);
}

// Projection

wbStatus wbSmoke_TakeDivergence(wbSmoke *smoke, double sum) {
    double rms = sqrt(sum / fmax(smoke->pressure.airCount, 1));
    smoke->divergenceBefore = rms / smoke->grid.h;
    if (isfinite(rms)) return wb_okStatus;
    return wbError(wb_errorUnstable, "the velocity of smoke is no longer finite: reduce world.dt");
}

static wbSmokeProjection makeProjection(const wbSmoke *smoke, const wbSmokeModel *model) {
    return (wbSmokeProjection){.grid = &smoke->grid,
                               .level = &smoke->pressure.levels[0],
                               .open = model->open,
                               .velocity = {smoke->fields[0], smoke->fields[1], smoke->fields[2]}};
}

static wbStatus failProjection(const wbWork *work) {
    return wbMemoryError(work->memory, "a projection of smoke needs");
}

wbStatus wbSmoke_FindDivergence(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                                const wbSmokeSource *sources, int sourceCount, double time) {
    int planes = smoke->grid.ny;
    size_t arena = wbArena_Mark(work->arena);
    double mark = wbGetSeconds(), sum = 0;
    wbSmokeProjection task = makeProjection(smoke, model);
    task.sums = wbArena_Alloc(work->arena, sizeof(double) * (size_t)planes);
    if (!task.sums) return failProjection(work);
    wbParallelFor(work->pool, planes, 1, wbGetSmokeCode(work->simd)->divergence, &task);
    bool expands = wbExpandSmoke(smoke, sources, sourceCount, time, task.sums);
    for (int j = 0; j < planes; j++) sum += task.sums[j];
    wbArena_Release(work->arena, arena);
    WB_TRY(wbSmoke_TakeDivergence(smoke, sum));
    smoke->isBlocked = wbIsExpansionBlocked(smoke, sources, sourceCount, time);
    if (expands || wbSmoke_HasMovingBodies(smoke)) WB_TRY(wbPressure_Balance(&smoke->pressure, work));
    smoke->ms[wb_smoke_divergence] = wbLapMs(&mark);
    return wb_okStatus;
}

wbStatus wbSmoke_TakePressure(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    int planes = smoke->grid.ny + 1;
    size_t arena = wbArena_Mark(work->arena);
    double mark = wbGetSeconds();
    wbSmokeProjection task = makeProjection(smoke, model);
    wbPressureResult result;
    WB_TRY(wbPressure_Solve(&smoke->pressure, work, &model->params, smoke->divergenceBefore * smoke->grid.h,
                            &result));
    smoke->divergence = result.residual / smoke->grid.h;
    smoke->cycles = result.cycles;
    smoke->ms[wb_smoke_pressure] = wbLapMs(&mark);
    task.maxima = wbArena_Alloc(work->arena, sizeof(float) * (size_t)planes);
    if (!task.maxima) return failProjection(work);
    wbParallelFor(work->pool, planes, 1, wbGetSmokeCode(work->simd)->gradient, &task);
    wbSetWallVelocities(smoke, model, work, smoke->fields, true);
    if (smoke->solidCount > 0)
        wbParallelFor(work->pool, planes, 1, wbGetSmokeCode(work->simd)->nearSpeed, &task);
    smoke->maxSpeed = smoke->wallSpeed;
    for (int j = 0; j < planes; j++) smoke->maxSpeed = fmaxf(smoke->maxSpeed, task.maxima[j]);
    wbArena_Release(work->arena, arena);
    smoke->ms[wb_smoke_gradient] = wbLapMs(&mark);
    return wb_okStatus;
}

wbStatus wbSmoke_Project(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    wbSetWallVelocities(smoke, model, work, smoke->fields, false);
    WB_TRY(wbSmoke_FindDivergence(smoke, model, work, NULL, 0, 0));
    return wbSmoke_TakePressure(smoke, model, work);
}

wbStatus wbSmoke_SumDensity(const wbSmoke *smoke, const wbWork *work, double *sum) {
    size_t arena = wbArena_Mark(work->arena);
    Step step = {.smoke = (wbSmoke *)smoke, .work = work, .code = wbGetSmokeCode(work->simd)};
    step.sums = wbArena_Alloc(work->arena, sizeof(double) * (size_t)smoke->grid.ny);
    if (!step.sums) return wbMemoryError(work->memory, "the sum of smoke needs");
    *sum = sumField(&step, smoke->fields[wb_smokeDensity]);
    wbArena_Release(work->arena, arena);
    return wb_okStatus;
}

static void endPhase(const Step *step, wbSmokePhase phase, double *mark) {
    step->smoke->ms[phase] += wbLapMs(mark);
}

wbStatus wbSmoke_Predict(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         const wbSmokeSource *sources, int sourceCount, double time, float dt) {
    size_t arena = wbArena_Mark(work->arena);
    Step step = {.smoke = smoke, .model = model, .work = work, .code = wbGetSmokeCode(work->simd), .dt = dt};
    wbMakeSmokeKinds(model, step.kinds);
    memset(smoke->ms, 0, sizeof smoke->ms);
    double mark = wbGetSeconds();
    wbStatus status = allocateScratch(&step);
    if (wbIsOk(status)) {
        bool corrects = model->params.advection == wb_advectionMacCormack;
        if (model->params.viscosity == 0) wbSlipAlongSolids(smoke);
        fillHalos(&step, smoke->fields, 0, corrects ? wb_smokeDensity + smoke->scalarCount : 3);
        endPhase(&step, wb_smoke_halo, &mark);
        advect(&step); // Stam 1999, section 2.2
        endPhase(&step, wb_smoke_advect, &mark);
        feed(&step, sources, sourceCount, time);
        endPhase(&step, wb_smoke_sources, &mark);
        burn(&step);
        endPhase(&step, wb_smoke_burn, &mark);
        fillHalos(&step, smoke->back, 0, 3);
        endPhase(&step, wb_smoke_halo, &mark);
        accelerate(&step); // Fedkiw, Stam and Jensen 2001, eqs. 8 to 11
        endPhase(&step, wb_smoke_forces, &mark);
        wbSetWallVelocities(smoke, model, work, smoke->fields, false);
        endPhase(&step, wb_smoke_walls, &mark);
        if (model->params.viscosity > 0) status = wbDiffuseSmoke(smoke, model, step.kinds, work, dt);
        endPhase(&step, wb_smoke_viscosity, &mark);
    }
    wbArena_Release(work->arena, arena);
    return status;
}

wbStatus wbSmoke_Step(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                      const wbSmokeSource *sources, int sourceCount, double time, float dt) {
    WB_TRY(wbSmoke_Predict(smoke, model, work, sources, sourceCount, time, dt));
    WB_TRY(wbSmoke_FindDivergence(smoke, model, work, sources, sourceCount, time));
    return wbSmoke_TakePressure(smoke, model, work);
}
