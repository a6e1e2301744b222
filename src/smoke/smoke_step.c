// SPDX-License-Identifier: MIT
// A step of smoke, phase by phase.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "smoke/smoke.h"
#include "smoke/smoke_code.h"
#include "smoke/smoke_heat.h"
#include "smoke/smoke_sources.h"
#include "smoke/smoke_steam.h"
#include "smoke/smoke_viscosity.h"
#include "smoke/smoke_walls.h"

typedef struct Step {
    wbSmoke *smoke;
    const wbSmokeModel *model;
    const wbWork *work;
    const wbSmokeCode *code;
    wbSmokeKind kinds[4];
    const wbSmokeSource *sources;
    int sourceCount;
    double time;
    float dt;
    double mark;                    // when the last phase ended
    double *sums;                   // per plane
    double heat;                    // J, with steam, when it was looked at last
    float *maxima;                  // likewise
    float *spare[3];                // fields, for MacCormack
    float *reflected[3], *bends[3]; // likewise, for the scheme reflect
    int *rows;                      // of blocks that smoke may come to
    int rowCount;
    float *rings; // for the forces
    wbSmokeFeeding *feedings;
    int feedingCount;
    double *divergence; // sums of b2 per plane, for the pass of the forces: NULL if it is not asked
} Step;

static Step makeStep(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                     const wbSmokeSource *sources, int sourceCount, double time, float dt) {
    return (Step){.smoke = smoke,
                  .model = model,
                  .work = work,
                  .code = wbGetSmokeCode(work->simd),
                  .sources = sources,
                  .sourceCount = sourceCount,
                  .time = time,
                  .dt = dt};
}

static void endPhase(Step *step, wbSmokePhase phase) { step->smoke->ms[phase] += wbLapMs(&step->mark); }

// Scalars that are carried together: colours come after the others.
static int countCarried(const wbSmoke *smoke) { return smoke->scalarCount < 3 ? smoke->scalarCount : 3; }

// Rows that forces are found for at once: those whose ring stays in a core's share of the cache. Up to 150^3 cells all
// rows do, and cutting them costs more than it saves; at 256^3 it saves a tenth.
static int getTile(const wbSmokeGrid *grid) {
    enum { RING_BYTES = 3 << 20, LEAST = 16 };
    int most = RING_BYTES / (int)(sizeof(float) * WB_SMOKE_RING_PLANES) / grid->row - WB_SMOKE_RING_EDGE;
    int tiles = (grid->nz - 1) / (most > LEAST ? most : LEAST) + 1;
    return (grid->nz + tiles - 1) / tiles;
}

static size_t getRingLength(const wbSmokeGrid *grid) {
    size_t rows = (size_t)(getTile(grid) + WB_SMOKE_RING_EDGE);
    return (size_t)grid->row * rows * WB_SMOKE_RING_PLANES + 2 * WB_SMOKE_MARGIN;
}

// Fields of scratch.
static int countSpares(const wbSmoke *smoke, const wbSmokeParams *params) {
    bool corrects =
        params->advection == wb_smokeMacCormack || params->velocityAdvection == wb_advectionMacCormack;
    return (corrects ? countCarried(smoke) : 0) + (params->scheme == wb_schemeReflect ? 6 : 0);
}

// NULL if there is no room.
static float *allocateField(const Step *step) {
    const wbSmokeGrid *grid = &step->smoke->grid;
    float *start = wbArena_Alloc(step->work->arena, sizeof(float) * wbGetSmokeStride(grid));
    return start ? start + WB_SMOKE_MARGIN : NULL;
}

static size_t getFeedingBytes(int sourceCount) {
    return sizeof(wbSmokeFeeding) * 3 * ((size_t)sourceCount + 1);
}

static wbStatus allocateScratch(Step *step) {
    const wbSmokeGrid *grid = &step->smoke->grid;
    const wbSmokeParams *params = &step->model->params;
    wbArena *arena = step->work->arena;
    size_t threads = (size_t)wbThreadPool_GetCount(step->work->pool);
    bool corrects =
        params->advection == wb_smokeMacCormack || params->velocityAdvection == wb_advectionMacCormack;
    bool allocated = true;
    step->sums = wbArena_Alloc(arena, sizeof(double) * (size_t)(grid->ny + 1));
    step->maxima = wbArena_Alloc(arena, sizeof(float) * (size_t)(grid->ny + 1));
    wbSmokeBlocks blocks = wbCountSmokeBlocks(grid);
    step->rows = wbArena_Alloc(arena, sizeof(int) * (size_t)blocks.y * (size_t)blocks.z);
    step->rings = wbArena_Alloc(arena, sizeof(float) * threads * getRingLength(grid));
    step->feedings = wbArena_Alloc(arena, getFeedingBytes(step->sourceCount));
    for (int n = 0; n < countCarried(step->smoke) && corrects; n++) {
        step->spare[n] = allocateField(step);
        allocated &= step->spare[n] != NULL;
        if (step->spare[n]) memset(step->spare[n], 0, sizeof(float) * (size_t)grid->total);
    }
    for (int axis = 0; axis < 3 && params->scheme == wb_schemeReflect; axis++) {
        step->reflected[axis] = allocateField(step), step->bends[axis] = allocateField(step);
        allocated &= step->reflected[axis] && step->bends[axis];
    }
    // nothing writes along z in 2D, but paths are followed along it too
    if (allocated && params->scheme == wb_schemeReflect && grid->dimensions == 2) {
        memset(step->reflected[2], 0, sizeof(float) * (size_t)grid->total);
        memset(step->bends[2], 0, sizeof(float) * (size_t)grid->total);
    }
    if (allocated && step->sums && step->maxima && step->rows && step->rings && step->feedings)
        return wb_okStatus;
    return wbMemoryError(step->work->memory, "a step of smoke needs");
}

// Before the projection, or in it, after all that was given back.
size_t wbSmoke_GetStepBytes(const wbSmoke *smoke, const wbSmokeModel *model, int sourceCount,
                            int threadCount) {
    enum { SMALL = 1 << 14, PER_PLANE = 128, PER_BLOCK_ROW = 16, KEPT = 4 };
    const wbSmokeGrid *grid = &smoke->grid;
    const wbSmokeParams *params = &model->params;
    size_t threads = (size_t)threadCount, planes = (size_t)grid->ny + 1;
    size_t before = threads * (getRingLength(grid) + 2 * WB_SMOKE_MARGIN);
    before += (size_t)countSpares(smoke, params) * wbGetSmokeStride(grid);
    before += wbCountHeatFloats(smoke, model);
    size_t within = threads * (2 * (size_t)grid->row + 256);
    if (params->pressureSolver != wb_pressureSor) // a solution by cycles may turn out to be slow
        within += KEPT * (size_t)(smoke->pressure.levels[0].total + 4 * WB_SMOKE_MARGIN);
    size_t parts = (size_t)smoke->pressure.pocketCount + 1;
    return sizeof(float) * (before > within ? before : within) +
           planes * ((size_t)grid->nz * PER_BLOCK_ROW + PER_PLANE) + 2 * sizeof(double) * parts +
           getFeedingBytes(sourceCount) + SMALL;
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

float wbSmoke_GetWay(const wbSmoke *smoke, float dt) {
    return fmaxf(smoke->maxSpeed, smoke->sideSpeed) * dt / smoke->grid.h + 1;
}

void wbSmoke_GetReach(float cells, int *reachX, int *reach) {
    *reachX = (int)fminf(cells / WB_SMOKE_BLOCK_X, 1e6f) + 1;
    *reach = (int)fminf(cells / WB_SMOKE_BLOCK, 1e6f) + 1;
}

// Blocks that smoke can come to: those within so many cells, and one more.
static void spreadActive(Step *step, float cells) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeBlocks count = wbCountSmokeBlocks(&smoke->grid);
    size_t total = wbGetSmokeBlockCount(&smoke->grid);
    int reachX, reach;
    bool isKnown = cells < INFINITY;
    wbSmoke_GetReach(cells, &reachX, &reach);
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
        uint8_t *dirty = smoke->dirty[1] + r * count.x;
        bool isActive = next < step->rowCount && step->rows[next] == r;
        next += isActive;
        if (isActive || !memchr(dirty, 1, (size_t)count.x)) continue;
        clearBlockRow(step, r);
        memset(dirty, 0, (size_t)count.x);
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
    for (int axis = 0; axis < 3 && first < 3; axis++)
        task.reflected[axis] = step->reflected[axis], task.bends[axis] = step->bends[axis];
    task.settles = true;
    for (int n = 0; n < count; n++) {
        task.from[n] = first < 3 && step->reflected[0] ? step->reflected[first] : smoke->fields[first + n];
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
        once.marks = NULL, once.settles = false;
        for (int n = 0; n < count; n++) once.to[n] = step->spare[n], once.factor[n] = 1;
        wbParallelShare(pool, planes, 1, step->code->advect, &once);
        fillHalos(step, step->spare, first, count);
        for (int n = 0; n < count; n++) task.first[n] = step->spare[n];
    }
    wbParallelShare(pool, planes, 1, step->code->advect, &task);
}

static double sumField(const Step *step, float *field) {
    const wbSmokeGrid *grid = &step->smoke->grid;
    wbSmokeSum task = {.grid = grid, .dirty = step->smoke->dirty[0], .field = field, .sums = step->sums};
    double sum = 0;
    wbParallelFor(step->work->pool, grid->ny, 1, step->code->sum, &task);
    for (int j = 0; j < grid->ny; j++) sum += step->sums[j];
    return sum;
}

// In a closed box the amount of smoke that came out of advection is brought back to what went in, unless none is lost.
float wbSmoke_TakeDrift(wbSmoke *smoke, const wbSmokeModel *model, double before, double after, float dt) {
    double kept = before * exp(-model->params.densityDecay * dt);
    if (!model->isClosed) {
        smoke->left += kept - after;
        return 1;
    }
    if (!(kept > 0 && after > 0)) return 1;
    smoke->drift = (1 + smoke->drift) * (after / kept) - 1;
    bool keeps = model->params.keepMass && model->params.advection != wb_smokeConserving;
    return keeps ? (float)(kept / after) : 1;
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

static void swapScalars(wbSmoke *smoke) {
    for (int f = 0; f < smoke->scalarCount; f++) swapFields(smoke, wb_smokeDensity + f);
    uint8_t *dirty = smoke->dirty[0];
    smoke->dirty[0] = smoke->dirty[1], smoke->dirty[1] = dirty;
}

// Along paths: from front to back.
static void carrySmoke(Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    spreadActive(step, wbSmoke_GetWay(smoke, step->dt));
    clearInactive(step);
    memcpy(smoke->dirty[1], smoke->active, wbGetSmokeBlockCount(&smoke->grid));
    carry(step, wb_smokeDensity, countCarried(smoke), (wbAdvection)p->advection,
          (float[]){p->densityDecay, p->cooling, 0});
    if (p->coloured)
        carry(step, wb_smokeRed, 3, (wbAdvection)p->advection,
              (float[]){p->densityDecay, p->densityDecay, p->densityDecay});
    swapScalars(smoke);
}

static void sweepFields(const Step *step, wbSmokeSweep *sweep) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    const float decay[] = {p->densityDecay, p->cooling, 0, p->densityDecay, p->densityDecay, p->densityDecay};
    const int lasting = smoke->steam ? smoke->steam - wb_smokeDensity : smoke->scalarCount;
    sweep->dirtyFrom = smoke->dirty[0], sweep->dirtyTo = smoke->dirty[1];
    for (int n = 0; n < smoke->scalarCount; n++) {
        sweep->from[n] = smoke->fields[wb_smokeDensity + n], sweep->to[n] = smoke->back[wb_smokeDensity + n];
        sweep->factor[n] = sweep->marks && n < lasting ? expf(-decay[n] * step->dt) : 1;
    }
    wbParallelShare(step->work->pool, step->rowCount, 1, step->code->sweep, sweep);
    swapScalars(smoke);
}

// Of one part of the step, along one axis after the other: from front to back and again.
static void flowAlongAxes(const Step *step, int part, int parts) {
    wbSmoke *smoke = step->smoke;
    int axes = smoke->grid.dimensions;
    wbSmokeSweep sweep = {.grid = &smoke->grid,
                          .open = step->model->open,
                          .cells = step->dt / (smoke->grid.h * (float)parts),
                          .fieldCount = smoke->scalarCount,
                          .active = smoke->active,
                          .rows = step->rows};
    const int strides[3] = {1, smoke->grid.plane, smoke->grid.row};
    for (int axis = 0; axis < 3; axis++)
        sweep.velocity[axis] = smoke->fields[axis], sweep.strides[axis] = strides[axis];
    for (int n = 0; n < axes; n++) {
        sweep.axis = wbSmoke_GetSweepAxis(smoke, part, n);
        sweep.isLast = n == axes - 1;
        sweep.marks = sweep.isLast && part == parts - 1 ? smoke->marks : NULL;
        sweepFields(step, &sweep);
        if (!sweep.isLast) sweep.done[sweep.doneCount++] = sweep.axis;
    }
}

// J that came since the last look.
static double lapHeat(Step *step) {
    const double before = step->heat;
    if (!step->smoke->steam) return 0;
    step->heat = wbSumAirHeat(step->smoke, step->model, step->work, step->sums);
    return step->heat - before;
}

// What solids came to and no air is beside.
static void loseBuried(Step *step) {
    if (!step->smoke->steam) return;
    const double buried = wbSumBuriedHeat(step->smoke, step->model);
    step->smoke->heat.lost += buried, step->heat -= buried;
}

// Of advection.
static void bookFlow(Step *step) {
    const wbSmokeParams *p = &step->model->params;
    const double more = lapHeat(step);
    if (step->model->isClosed && p->cooling == 0 && p->lapse == 0)
        step->smoke->heat.lost -= more;
    else
        step->smoke->heat.sides += more;
}

// As fluxes. No smoke flows into solids, which push what is in cells that they come to.
static void flowSmoke(Step *step) {
    wbSmoke *smoke = step->smoke;
    wbPushCovered(smoke);
    loseBuried(step);
    wbHoldSurfaces(smoke, smoke->fields, true);
    int parts = wbSmoke_CountParts(smoke, wbFindOutflow(smoke, step->work, step->maxima), step->dt);
    spreadActive(step, (float)parts);
    clearInactive(step);
    for (int part = 0; part < parts; part++) flowAlongAxes(step, part, parts);
    smoke->turned = (smoke->turned + parts) & 1;
    wbHoldSurfaces(smoke, smoke->fields, false);
}

static void advectSmoke(Step *step) {
    wbSmoke *smoke = step->smoke;
    double before = sumField(step, smoke->fields[wb_smokeDensity]);
    if (step->model->params.advection == wb_smokeConserving)
        flowSmoke(step);
    else
        carrySmoke(step);
    wbEmptySolids(smoke);
    keepMass(step, before);
}

static void feedSmoke(const Step *step) {
    wbSmoke *smoke = step->smoke;
    float *fields[wb_smokeFieldCount] = {0};
    for (int f = wb_smokeDensity; f < wb_smokeFieldCount; f++) fields[f] = smoke->fields[f];
    wbFeedSmoke(step->model, step->kinds, step->work, fields, smoke->marks, step->sources, step->sourceCount,
                step->time, step->dt);
    wbEmptySolids(smoke);
    size_t blocks = wbGetSmokeBlockCount(&smoke->grid);
    for (size_t b = 0; b < blocks; b++) smoke->dirty[0][b] |= smoke->marks[b];
}

static void burn(const Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    wbSmokeBurn task = {.grid = &smoke->grid,
                        .marks = smoke->marks,
                        .density = smoke->fields[wb_smokeDensity],
                        .temperature = smoke->fields[wb_smokeTemperature],
                        .fuel = smoke->fields[wb_smokeFuel],
                        .steam = smoke->steam ? smoke->fields[smoke->steam] : NULL,
                        .mostSteam = (float)(0.3 * WB_STEAM_DENSITY), // oxygen below 15 %
                        .share = 1 - expf(-p->burnRate * step->dt),
                        .ignition = p->ignition,
                        .heat = p->burnHeat,
                        .soot = p->soot};
    if (p->fire) wbParallelFor(step->work->pool, smoke->grid.ny, 1, step->code->burn, &task);
}

static wbSmokeProjection makeProjection(const wbSmoke *smoke, const wbSmokeModel *model,
                                        float *const velocity[3]) {
    return (wbSmokeProjection){.grid = &smoke->grid,
                               .level = &smoke->pressure.levels[0],
                               .open = model->open,
                               .velocity = {velocity[0], velocity[1], velocity[2]}};
}

// Velocity

// A negative one takes the share epsilon dt of their speed from vortices of a few cells: half of it at most, for long steps would
// turn them round, and the more each time.
float wbGetConfinement(const wbSmokeParams *params, float dt) {
    float epsilon = params->confinement;
    return epsilon < 0 ? epsilon / (1 - 2 * epsilon * dt) : epsilon;
}

static wbSmokeForces makeForces(const Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    float half = 0.5f * step->dt;
    return (wbSmokeForces){.grid = &smoke->grid,
                           .density = smoke->fields[wb_smokeDensity],
                           .temperature = smoke->steam ? smoke->lift : smoke->fields[wb_smokeTemperature],
                           .marks = smoke->marks,
                           .tile = getTile(&smoke->grid),
                           .rings = step->rings,
                           .ringLength = getRingLength(&smoke->grid),
                           .buoyancy = half * p->buoyancy,
                           .weight = half * p->weight,
                           .confinement = 0.25f * half * wbGetConfinement(p, step->dt),
                           .up = step->model->up,
                           .wind = {half * p->wind.x, half * p->wind.y, half * p->wind.z}};
}

// From front to back on one way through memory, up to the divergence that is left if it is asked for.
static void carryAndPush(Step *step) {
    wbSmoke *smoke = step->smoke;
    wbSmokeCarry carry = {.model = step->model,
                          .feedings = step->feedings,
                          .feedingCount = step->feedingCount,
                          .cells = step->dt / smoke->grid.h};
    wbSmokeProjection projection = makeProjection(smoke, step->model, smoke->back);
    wbSmokeForces task = makeForces(step);
    task.carry = &carry;
    if (step->divergence && task.tile == smoke->grid.nz && step->model->params.viscosity == 0) {
        projection.sums = step->divergence;
        task.projection = &projection;
    }
    for (int axis = 0; axis < 3; axis++) {
        carry.components[axis] = makeAdvect(step, axis, 1, &step->model->params.velocityDecay);
        task.target[axis] = smoke->back[axis];
    }
    wbParallelFor(step->work->pool, smoke->grid.ny + 1, 1, step->code->forces, &task);
    for (int axis = 0; axis < 3; axis++) swapFields(smoke, axis);
    endPhase(step, wb_smoke_forces);
}

// After what sides do to it.
static void feedVelocity(int begin, int end, int worker, void *context) {
    (void)worker;
    const Step *step = context;
    const wbSmokeGrid *grid = &step->smoke->grid;
    for (int axis = 0; axis < grid->dimensions; axis++) {
        const int *count = step->kinds[axis].count;
        for (int j = begin; j < end && j < count[1]; j++) {
            wbSmokePatch patch = {axis, j, 0, count[2],
                                  step->smoke->back[axis] + wbSmokeIndex(grid, 0, j, 0)};
            wbSlowInflow(step->model, &patch, step->dt / grid->h);
            wbFeedPatch(grid, step->feedings, step->feedingCount, &patch);
        }
    }
}

// From front to back, and back to the front.
static void carryThenPush(Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeParams *p = &step->model->params;
    wbThreadPool *pool = step->work->pool;
    for (int axis = 0; axis < smoke->grid.dimensions; axis++)
        carry(step, axis, 1, p->velocityAdvection, &p->velocityDecay);
    endPhase(step, wb_smoke_advect);
    wbParallelFor(pool, smoke->grid.ny + 1, 1, feedVelocity, step);
    endPhase(step, wb_smoke_sources);
    fillHalos(step, smoke->back, 0, 3);
    endPhase(step, wb_smoke_halo);
    wbSmokeForces task = makeForces(step);
    for (int axis = 0; axis < 3; axis++)
        task.velocity[axis] = smoke->back[axis], task.target[axis] = smoke->fields[axis];
    wbParallelFor(pool, smoke->grid.ny + 1, 1, step->code->forces, &task);
    endPhase(step, wb_smoke_forces);
}

// Advection, sources and forces, unless one needs the others' results of the whole box. Threads with few planes each
// would carry too many that others carry as well.
static void moveVelocity(Step *step) {
    const wbSmokeGrid *grid = &step->smoke->grid;
    if (step->model->params.scheme == wb_schemeReflect) {
        wbReflectSmoke(step->smoke, step->model, step->kinds, step->work, step->dt, step->reflected);
        wbBendPaths(step->smoke, step->model, step->kinds, step->work, step->dt, step->reflected,
                    step->bends);
        endPhase(step, wb_smoke_reflect);
    }
    step->feedingCount = wbListVelocityFeedings(step->model, step->kinds, step->sources, step->sourceCount,
                                                step->time, step->dt, step->feedings);
    int planes = grid->ny / wbThreadPool_GetCount(step->work->pool);
    if (grid->dimensions == 3 && planes > 3 * WB_SMOKE_CARRY_EDGE &&
        step->model->params.velocityAdvection != wb_advectionMacCormack)
        carryAndPush(step);
    else
        carryThenPush(step);
}

// Projection

wbStatus wbSmoke_TakeDivergence(wbSmoke *smoke, double sum) {
    double rms = sqrt(sum / fmax(smoke->pressure.airCount, 1));
    smoke->divergenceBefore = rms / smoke->grid.h;
    if (isfinite(rms)) return wb_okStatus;
    return wbError(wb_errorUnstable, "the velocity of the air is no longer finite");
}

static wbStatus failProjection(const wbWork *work) {
    return wbMemoryError(work->memory, "a projection of smoke needs");
}

// Sums of b2 per plane that are not known yet.
static double *allocateSums(const wbSmoke *smoke, const wbWork *work) {
    double *sums = wbArena_Alloc(work->arena, sizeof(double) * (size_t)smoke->grid.ny);
    for (int j = 0; j < smoke->grid.ny && sums; j++) sums[j] = -1;
    return sums;
}

// b, and its sums where they are not known.
static wbStatus findDivergence(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                               const wbSmokeSource *sources, int sourceCount, double time, double *sums) {
    double mark = wbGetSeconds(), sum = 0;
    wbSmokeProjection task = makeProjection(smoke, model, smoke->fields);
    task.sums = sums;
    wbParallelFor(work->pool, smoke->grid.ny, 1, wbGetSmokeCode(work->simd)->divergence, &task);
    bool expands = wbExpandSmoke(smoke, sources, sourceCount, time, sums);
    for (int j = 0; j < smoke->grid.ny; j++) sum += sums[j];
    WB_TRY(wbSmoke_TakeDivergence(smoke, sum));
    smoke->isBlocked = wbIsExpansionBlocked(smoke, sources, sourceCount, time);
    if (expands || smoke->hasMovingBodies) WB_TRY(wbPressure_Balance(&smoke->pressure, work));
    smoke->ms[wb_smoke_divergence] = wbLapMs(&mark);
    return wb_okStatus;
}

wbStatus wbSmoke_FindDivergence(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                                const wbSmokeSource *sources, int sourceCount, double time) {
    size_t arena = wbArena_Mark(work->arena);
    double *sums = allocateSums(smoke, work);
    if (!sums) return failProjection(work);
    wbStatus status = findDivergence(smoke, model, work, sources, sourceCount, time, sums);
    wbArena_Release(work->arena, arena);
    return status;
}

wbStatus wbSmoke_TakePressure(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    int planes = smoke->grid.ny + 1;
    size_t arena = wbArena_Mark(work->arena);
    double mark = wbGetSeconds();
    wbSmokeProjection task = makeProjection(smoke, model, smoke->fields);
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
    smoke->maxSpeed = smoke->sideSpeed;
    for (int j = 0; j < planes; j++) smoke->maxSpeed = fmaxf(smoke->maxSpeed, task.maxima[j]);
    wbArena_Release(work->arena, arena);
    smoke->ms[wb_smoke_gradient] = wbLapMs(&mark);
    return wb_okStatus;
}

wbStatus wbSmoke_Project(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    wbSetWallVelocities(smoke, model, work, smoke->fields, false);
    smoke->pressureStep = 0;
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

static wbStatus predict(Step *step) {
    wbSmoke *smoke = step->smoke;
    const wbSmokeModel *model = step->model;
    const wbWork *work = step->work;
    wbMakeSmokeKinds(model, step->kinds);
    memset(smoke->ms, 0, sizeof smoke->ms);
    step->mark = wbGetSeconds();
    WB_TRY(allocateScratch(step));
    bool corrects = model->params.advection == wb_smokeMacCormack;
    if (model->params.viscosity == 0) wbSlipAlongSolids(smoke, smoke->fields);
    fillHalos(step, smoke->fields, 0, corrects ? wb_smokeDensity + smoke->scalarCount : 3);
    endPhase(step, wb_smoke_halo);
    lapHeat(step);
    advectSmoke(step); // Stam 1999, section 2.2
    bookFlow(step);
    endPhase(step, wb_smoke_advect);
    feedSmoke(step);
    endPhase(step, wb_smoke_sources);
    burn(step);
    if (step->sourceCount > 0 || model->params.fire) smoke->heat.sources += lapHeat(step);
    endPhase(step, wb_smoke_burn);
    wbCondense(smoke, model, work);
    smoke->heat.lost -= lapHeat(step);
    wbFindLift(smoke, model, work);
    endPhase(step, wb_smoke_steam);
    if (model->params.thermalDiffusivity > 0) {
        WB_TRY(wbConductHeat(smoke, model, step->kinds, work, step->dt));
        smoke->heat.sides += lapHeat(step);
    }
    endPhase(step, wb_smoke_conduction);
    moveVelocity(step); // Fedkiw, Stam and Jensen 2001, eqs. 8 to 11
    wbSetWallVelocities(smoke, model, work, smoke->fields, false);
    endPhase(step, wb_smoke_walls);
    if (model->params.viscosity > 0) WB_TRY(wbDiffuseSmoke(smoke, model, step->kinds, work, step->dt));
    endPhase(step, wb_smoke_viscosity);
    smoke->pressureStep = step->dt; // of the pressure that comes now
    return wb_okStatus;
}

wbStatus wbSmoke_Predict(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         const wbSmokeSource *sources, int sourceCount, double time, float dt) {
    size_t arena = wbArena_Mark(work->arena);
    Step step = makeStep(smoke, model, work, sources, sourceCount, time, dt);
    wbStatus status = predict(&step);
    wbArena_Release(work->arena, arena);
    return status;
}

static wbStatus predictAndMeasure(Step *step) {
    step->divergence = allocateSums(step->smoke, step->work);
    if (!step->divergence) return failProjection(step->work);
    WB_TRY(predict(step));
    return findDivergence(step->smoke, step->model, step->work, step->sources, step->sourceCount, step->time,
                          step->divergence);
}

wbStatus wbSmoke_Step(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                      const wbSmokeSource *sources, int sourceCount, double time, float dt) {
    size_t arena = wbArena_Mark(work->arena);
    Step step = makeStep(smoke, model, work, sources, sourceCount, time, dt);
    wbStatus status = predictAndMeasure(&step);
    wbArena_Release(work->arena, arena);
    WB_TRY(status);
    return wbSmoke_TakePressure(smoke, model, work);
}
