// SPDX-License-Identifier: MIT
// The V-cycle after Briggs, Henson and McCormick 2000: a red-black sweep before and two after the coarse correction, but
// for the finest level, where the first one goes beyond the best values and only cycles that may be the last have the
// third. In the plume of 100^3 cells the second cycle leaves 0.03 of what the first has left; one sweep each leave 0.14.
//
// Each leg of the cycle is one pass over the planes: its stages follow each other a plane apart, so that what one has
// written is still in the cache for the next. Threads have slabs of planes. Near the cut between two slabs a stage must
// wait for planes of the other one, so these few are done afterwards, all stages of a cut by one thread. Every value is
// computed from the same values for any number of threads.
//
// Tried: the leg up of a cycle and the leg down of the next as one pass, over whole planes or tiles of rows: 2 to 8 % less
// on one thread, not told from noise on two, where its seven stages make longer serial cuts. Stages that follow each
// other by 4 to 16 rows instead of a plane lose 8 to 20 %.
#include "smoke/pressure.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/pressure_code.h"
#include "smoke/pressure_formula.h"

enum {
    SERIAL_CELLS = 30000, // a level below this size is faster on one thread
    MAX_STAGES = 6 + 2 * PRESSURE_NEAR_SWEEPS
};

typedef enum Stage {
    START_RED,
    RELAX_RED,
    SMOOTH_RED,
    SMOOTH_BLACK,
    SMOOTH_NEAR_RED,
    SMOOTH_NEAR_BLACK,
    RESTRICT,
    PROLONG,
    MEASURE
} Stage;

typedef struct Solve {
    wbPressure *pressure;
    const wbWork *work;
    const wbPressureCode *code;
    float *lines; // scratch per thread
    int lineLength;
    double *sums;      // PRESSURE_SUMS per plane of the finest level
    float *kept[2][2]; // p before the cycle, and before the last one
    bool mayBeLast;    // this cycle: its rest is measured
    bool goesAlong;    // p goes only so far as is best
} Solve;

typedef struct Pass {
    const Solve *solve;
    int level;
    int stageCount;
    Stage stages[MAX_STAGES];
    int block; // pairs of planes that slabs are made of
} Pass;

// Pairs of planes that threads share; the last pair may be one plane, which need not be in a coarse one.
static int countPairs(const wbPressureLevel *level) { return (level->ny + level->shiftY + 1) / 2; }

static void runStage(const Pass *pass, Stage stage, int j, int worker) {
    const Solve *solve = pass->solve;
    const wbPressureCode *code = solve->code;
    const wbPressureLevel *level = &solve->pressure->levels[pass->level];
    switch (stage) {
    case START_RED:
        code->start(level, 0, j);
        break;
    case RELAX_RED:
        code->relax(level, 0, j, PRESSURE_FIRST_RELAXATION);
        break;
    case SMOOTH_RED:
        code->smooth(level, 0, j, false);
        break;
    case SMOOTH_BLACK:
        code->smooth(level, 1, j, false);
        break;
    case SMOOTH_NEAR_RED:
        code->smooth(level, 0, j, true);
        break;
    case SMOOTH_NEAR_BLACK:
        code->smooth(level, 1, j, true);
        break;
    case RESTRICT: // once both planes of the coarse one are done
        if (((j + level->shiftY) & 1 || j == level->ny - 1) && (j + level->shiftY) >> 1 < level[1].ny)
            code->restrict_(level, level + 1, (j + level->shiftY) >> 1);
        break;
    case PROLONG:
        code->prolong(level, level + 1, j, solve->lines + worker * solve->lineLength);
        break;
    case MEASURE: // black has none, unless only rows near solids were smoothed last
        solve->sums[j] = code->residual(level, 0, j);
        if (solve->pressure->slowSteps > 0) solve->sums[j] += code->residual(level, 1, j);
        break;
    }
}

// Pairs of planes begin … end - 1, but for stages that need planes of other slabs.
static void runPassRange(int begin, int end, int worker, void *context) {
    const Pass *pass = context;
    const wbPressureLevel *level = &pass->solve->pressure->levels[pass->level];
    bool below = begin > 0, above = end < countPairs(level);
    int first = below ? 2 * begin - level->shiftY : 0, last = above ? 2 * end - level->shiftY : level->ny;
    for (int front = first; front < last + pass->stageCount - 1; front++) {
        for (int s = 0; s < pass->stageCount; s++) {
            int j = front - s;
            if (j >= first + (below ? s : 0) && j < last - (above ? s : 0))
                runStage(pass, pass->stages[s], j, worker);
        }
    }
}

// The planes on both sides of cuts, the lower ends of slabs begin + 1 … end. RESTRICT is always a stage of even number,
// so that the two planes of a coarse one are done together.
static void finishCuts(int begin, int end, int worker, void *context) {
    const Pass *pass = context;
    const Solve *solve = pass->solve;
    const wbPressureLevel *level = &solve->pressure->levels[pass->level];
    for (int n = begin; n < end; n++) {
        int first, last;
        wbGetRange(solve->work->pool, countPairs(level), pass->block, n + 1, &first, &last);
        int cut = 2 * first - level->shiftY;
        for (int s = 1; s < pass->stageCount; s++)
            for (int j = cut - s; j < cut + s && j < level->ny; j++)
                runStage(pass, pass->stages[s], j, worker);
    }
}

static void runPass(Pass *pass, bool serial) {
    const Solve *solve = pass->solve;
    wbThreadPool *pool = solve->work->pool;
    int planes = countPairs(&solve->pressure->levels[pass->level]);
    if (serial) {
        runPassRange(0, planes, 0, pass);
        return;
    }
    // slabs as equal as can be, but so thick that the stages at one cut do not meet those at the next
    int threads = wbThreadPool_GetCount(pool);
    pass->block = planes < threads * pass->stageCount ? pass->stageCount : 1;
    int slabs = (planes + pass->block - 1) / pass->block;
    wbParallelFor(pool, planes, pass->block, runPassRange, pass);
    wbParallelFor(pool, (slabs < threads ? slabs : threads) - 1, 1, finishCuts, pass);
}

static void addNearSweeps(Pass *pass) {
    for (int n = 0; n < PRESSURE_NEAR_SWEEPS; n++) {
        pass->stages[pass->stageCount++] = SMOOTH_NEAR_RED;
        pass->stages[pass->stageCount++] = SMOOTH_NEAR_BLACK;
    }
}

// Values inside solids for the interpolation, and away again.
static void fillGhosts(wbPressureLevel *level) {
    const wbPressureGhost *ghosts = level->ghosts.data;
    const int *sources = level->ghostSources.data;
    for (int g = 0; g < level->ghostCount; g++) {
        float sum = 0;
        for (int n = 0; n < ghosts[g].count; n++) {
            int source = sources[ghosts[g].first + n];
            sum += level->p[source & 1][source >> 1];
        }
        level->p[ghosts[g].colour][ghosts[g].place] = sum / (float)ghosts[g].count;
    }
}

static void clearGhosts(wbPressureLevel *level) {
    const wbPressureGhost *ghosts = level->ghosts.data;
    for (int g = 0; g < level->ghostCount; g++) level->p[ghosts[g].colour][ghosts[g].place] = 0;
}

static bool isAir(const wbPressureLevel *level, int colour, int row, int t) {
    int diagonal = level->diagonals[2 * row + colour];
    return diagonal >= 0 && level->inverse[diagonal + t] > 0;
}

// Without an open side the sum of b must be 0, or all pressures grow together, from cycle to cycle, until nothing of
// their differences is left. What rounding has made of it is taken away here, where it takes no time.
static void balanceBottom(const wbPressureLevel *level) {
    double sum = 0;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < level->nx * level->ny * level->nz; n++) {
            int i = n % level->nx, row = n / level->nx, j = row / level->nz, k = row % level->nz;
            int colour = (i + j + k) & 1, t = i >> 1;
            float *b = &level->b[colour][t + level->row * (k + 1) + level->plane * (j + 1)];
            if (!isAir(level, colour, row, t)) continue;
            if (pass == 0)
                sum += *b, count++;
            else
                *b -= (float)(sum / count);
        }
    }
}

static void solveBottom(const Solve *solve, int l) {
    Pass first = {solve, l, 2, {START_RED, SMOOTH_BLACK}, 0},
         sweep = {solve, l, 2, {SMOOTH_RED, SMOOTH_BLACK}, 0};
    if (l > 0 && solve->pressure->isClosed) balanceBottom(&solve->pressure->levels[l]);
    if (l > 0) runPass(&first, true);
    for (int n = 0; n < PRESSURE_BOTTOM_SWEEPS; n++) runPass(&sweep, true);
    if (l > 0) return;
    Pass measure = {solve, l, 1, {MEASURE}, 0};
    runPass(&measure, true);
}

static void runCycle(const Solve *solve, int l, bool serial);

typedef struct Descent {
    const Solve *solve;
    int level;
} Descent;

static void runSerialCycle(int begin, int end, int worker, void *context) {
    (void)begin, (void)end, (void)worker;
    const Descent *descent = context;
    runCycle(descent->solve, descent->level, true);
}

static void runCycle(const Solve *solve, int l, bool serial) {
    wbPressureLevel *level = &solve->pressure->levels[l];
    if (!serial && (int64_t)level->nx * level->ny * level->nz < SERIAL_CELLS) {
        Descent descent = {solve, l};
        wbParallelFor(solve->work->pool, 1, 1, runSerialCycle, &descent);
        return;
    }
    if (l == solve->pressure->levelCount - 1) {
        solveBottom(solve, l);
        return;
    }
    Pass down = {.solve = solve, .level = l}, up = {.solve = solve, .level = l};
    if (l == 0 && solve->pressure->slowSteps > 0) addNearSweeps(&down);
    down.stages[down.stageCount++] = l == 0 ? RELAX_RED : START_RED;
    down.stages[down.stageCount++] = SMOOTH_BLACK;
    down.stages[down.stageCount++] = RESTRICT;
    runPass(&down, serial);
    runCycle(solve, l + 1, serial);
    fillGhosts(level + 1);
    up.stages[up.stageCount++] = PROLONG;
    for (int n = 0; n < pressure_sweeps_up(l, solve->mayBeLast); n++) {
        up.stages[up.stageCount++] = SMOOTH_RED;
        up.stages[up.stageCount++] = SMOOTH_BLACK;
    }
    if (solve->pressure->slowSteps > 0) addNearSweeps(&up);
    if (l == 0 && solve->mayBeLast && !solve->goesAlong) up.stages[up.stageCount++] = MEASURE;
    runPass(&up, serial);
    clearGhosts(level + 1);
}

// Air that cannot leave

static float *findInRun(const wbPressureLevel *level, const wbAirRun *run, int i, bool ofB) {
    int k = run->row % level->nz, j = run->row / level->nz, colour = (i + j + k) & 1;
    float *values = ofB ? level->b[colour] : level->p[colour];
    return &values[(i >> 1) + level->row * (k + 1) + level->plane * (j + 1)];
}

// Takes away the mean of b or of p in each part of the air that no open side is reached from.
static wbStatus takeMeans(const wbPressure *pressure, const wbWork *work, bool ofB) {
    const wbPressureLevel *level = &pressure->levels[0];
    const wbAirRun *runs = pressure->runs.data;
    if (pressure->pocketCount == 0) return wb_okStatus;
    size_t mark = wbArena_Mark(work->arena), parts = (size_t)pressure->pocketCount + 1;
    double *sums = wbArena_Alloc(work->arena, 2 * parts * sizeof(double)), *counts = sums + parts;
    if (!sums)
        return wbMemoryError(work->memory, "sums over %d parts of the air need", pressure->pocketCount);
    memset(sums, 0, 2 * parts * sizeof(double));
    for (int r = 0; r < pressure->runCount; r++) {
        for (int i = runs[r].first; i < runs[r].end && runs[r].part > 0; i++)
            sums[runs[r].part] += *findInRun(level, &runs[r], i, ofB);
        counts[runs[r].part] += runs[r].end - runs[r].first;
    }
    for (int r = 0; r < pressure->runCount; r++) {
        int part = runs[r].part;
        for (int i = runs[r].first; i < runs[r].end && part > 0; i++)
            *findInRun(level, &runs[r], i, ofB) -= (float)(sums[part] / counts[part]);
    }
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

wbStatus wbPressure_Balance(wbPressure *pressure, const wbWork *work) {
    return takeMeans(pressure, work, true);
}

static double sumPlanes(const Solve *solve) {
    double sum = 0;
    for (int j = 0; j < solve->pressure->levels[0].ny; j++) sum += solve->sums[j];
    return sqrt(sum / fmax(solve->pressure->airCount, 1));
}

static void measurePlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Solve *solve = context;
    const wbPressureLevel *level = &solve->pressure->levels[0];
    for (int j = begin; j < end; j++)
        solve->sums[j] = solve->code->residual(level, 0, j) + solve->code->residual(level, 1, j);
}

static double measure(Solve *solve) {
    wbParallelFor(solve->work->pool, solve->pressure->levels[0].ny, 1, measurePlanes, solve);
    return sumPlanes(solve);
}

// Slow solutions: see pressure_formula.h.

typedef struct Way {
    const Solve *solve;
    float shares[2];
} Way;

// With the planes beyond the sides, where p is 0.
static void keepPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Solve *solve = context;
    const wbPressureLevel *level = &solve->pressure->levels[0];
    size_t first = (size_t)level->plane * (size_t)begin, count = (size_t)level->plane * (size_t)(end - begin);
    for (int colour = 0; colour < 2; colour++)
        memcpy(solve->kept[0][colour] + first, level->p[colour] + first, sizeof(float) * count);
}

// Room for it is only taken by solutions that need it.
static wbStatus allocateKept(Solve *solve) {
    size_t count = (size_t)(solve->pressure->levels[0].total + 2 * WB_SMOKE_MARGIN);
    float *start = wbArena_Alloc(solve->work->arena, 4 * sizeof(float) * count);
    if (!start) return wbMemoryError(solve->work->memory, "copies of the pressure need");
    for (int n = 0; n < 4; n++) solve->kept[n / 2][n % 2] = start + (size_t)n * count + WB_SMOKE_MARGIN;
    return wb_okStatus;
}

static wbStatus keepPressure(Solve *solve) {
    if (!solve->kept[0][0]) WB_TRY(allocateKept(solve));
    for (int colour = 0; colour < 2; colour++) {
        float *last = solve->kept[1][colour];
        solve->kept[1][colour] = solve->kept[0][colour], solve->kept[0][colour] = last;
    }
    wbParallelFor(solve->work->pool, solve->pressure->levels[0].ny + 2, 1, keepPlanes, solve);
    return wb_okStatus;
}

static void comparePlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Solve *solve = context;
    for (int j = begin; j < end; j++) {
        double *sums = solve->sums + PRESSURE_SUMS * j;
        memset(sums, 0, PRESSURE_SUMS * sizeof(double));
        solve->code->compare(&solve->pressure->levels[0], solve->kept, j, sums);
    }
}

static void mixPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Way *way = context;
    const Solve *solve = way->solve;
    for (int j = begin; j < end; j++)
        solve->code->mix(&solve->pressure->levels[0], solve->kept, j, way->shares);
}

// Gives what is left.
static double goAlong(Solve *solve) {
    wbThreadPool *pool = solve->work->pool;
    int planes = solve->pressure->levels[0].ny;
    double sums[PRESSURE_SUMS] = {0};
    Way way = {.solve = solve};
    wbParallelFor(pool, planes, 1, comparePlanes, solve);
    for (int n = 0; n < PRESSURE_SUMS * planes; n++) sums[n % PRESSURE_SUMS] += solve->sums[n];
    pressure_best_shares(sums, way.shares);
    wbParallelFor(pool, planes, 1, mixPlanes, &way);
    return measure(solve);
}

static void clearPressure(const wbPressure *pressure) {
    const wbPressureLevel *finest = &pressure->levels[0];
    for (int colour = 0; colour < 2; colour++)
        memset(finest->p[colour], 0, sizeof(float) * (size_t)finest->total);
}

static wbStatus solveByCycles(Solve *solve, const wbSmokeParams *params, double before,
                              wbPressureResult *result) {
    wbPressure *pressure = solve->pressure;
    double last = before, allowed = params->tolerance * before;
    bool isCentred = false;
    int stalls = 0;
    if (pressure->slowSteps > 0) pressure->slowSteps--;
    for (int n = 1; n <= params->maxCycles && result->residual > allowed; n++) {
        bool wentAlong = solve->goesAlong;
        solve->goesAlong = pressure->slowSteps > 0;
        solve->mayBeLast =
            solve->goesAlong || pressure_is_measured(n, pressure->likelyCycles, params->maxCycles);
        if (solve->goesAlong && !wentAlong) WB_TRY(keepPressure(solve)); // there is no last way
        if (solve->goesAlong) WB_TRY(keepPressure(solve));
        runCycle(solve, 0, false);
        result->cycles = n;
        if (!solve->mayBeLast) continue;
        result->residual = solve->goesAlong ? goAlong(solve) : sumPlanes(solve);
        if (result->residual > PRESSURE_SLOW_RATE * last) pressure->slowSteps = PRESSURE_SLOW_STEPS;
        stalls = result->residual > PRESSURE_STALL_RATE * last ? stalls + 1 : 0;
        if (stalls == PRESSURE_STALLS) break;
        last = result->residual;
        // where air cannot leave, pressures may have grown together until their differences are lost
        if (isCentred || n < pressure->likelyCycles || result->residual <= allowed) continue;
        WB_TRY(takeMeans(pressure, solve->work, false));
        isCentred = true;
    }
    if (result->residual > before) { // as cycles that were not measured may leave it
        clearPressure(pressure);
        result->residual = before;
    }
    pressure->likelyCycles = pressure_likely_cycles(result->cycles, result->residual, allowed);
    return wb_okStatus;
}

// Sweeps over the finest level alone, for comparison.

typedef struct Sweep {
    const Solve *solve;
    const wbPressureLevel *level;
    float *target[2];
    int colour;
    float relaxation;
} Sweep;

static void runRelax(int begin, int end, int worker, void *context) {
    (void)worker;
    const Sweep *sweep = context;
    for (int j = begin; j < end; j++)
        sweep->solve->code->relax(sweep->level, sweep->colour, j, sweep->relaxation);
}

static void runJacobi(int begin, int end, int worker, void *context) {
    (void)worker;
    const Sweep *sweep = context;
    for (int j = begin; j < end; j++) sweep->solve->code->jacobi(sweep->level, sweep->target, j);
}

static void solveBySor(const Solve *solve, const wbSmokeParams *params) {
    const wbPressureLevel *level = &solve->pressure->levels[0];
    for (int n = 0; n < 2 * params->sweeps; n++) {
        Sweep sweep = {.solve = solve, .level = level, .colour = n & 1, .relaxation = params->relaxation};
        wbParallelFor(solve->work->pool, level->ny, 1, runRelax, &sweep);
    }
}

// To and fro between two pairs of arrays.
static wbStatus solveByJacobi(Solve *solve, const wbSmokeParams *params) {
    wbPressureLevel level = solve->pressure->levels[0];
    float *own[2] = {level.p[0], level.p[1]};
    WB_TRY(keepPressure(solve)); // what no sweep writes is 0 in both
    for (int n = 0; n < params->sweeps; n++) {
        bool forth = n % 2 == 0;
        Sweep sweep = {.solve = solve, .level = &level};
        for (int colour = 0; colour < 2; colour++) {
            level.p[colour] = forth ? own[colour] : solve->kept[0][colour];
            sweep.target[colour] = forth ? solve->kept[0][colour] : own[colour];
        }
        wbParallelFor(solve->work->pool, level.ny, 1, runJacobi, &sweep);
    }
    for (int colour = 0; colour < 2 && params->sweeps % 2 == 1; colour++)
        memcpy(own[colour], solve->kept[0][colour], sizeof(float) * (size_t)level.total);
    return wb_okStatus;
}

static wbStatus solveBySweeps(Solve *solve, const wbSmokeParams *params, double before,
                              wbPressureResult *result) {
    // what few sweeps left may be worse than no pressure now, and feed the air if they went on from it
    if (measure(solve) > before) clearPressure(solve->pressure);
    if (params->pressureSolver == wb_pressureSor)
        solveBySor(solve, params);
    else
        WB_TRY(solveByJacobi(solve, params));
    result->cycles = params->sweeps;
    result->residual = measure(solve);
    return wb_okStatus;
}

wbStatus wbPressure_Solve(wbPressure *pressure, const wbWork *work, const wbSmokeParams *params,
                          double before, wbPressureResult *result) {
    const wbPressureLevel *finest = &pressure->levels[0];
    *result = (wbPressureResult){.residual = before};
    if (before == 0) { // nothing moves: no pressure
        clearPressure(pressure);
        return wb_okStatus;
    }
    size_t mark = wbArena_Mark(work->arena);
    Solve solve = {.pressure = pressure, .work = work, .code = wbGetPressureCode(work->simd)};
    solve.lineLength = wbPadCount(2 * finest->length + 64);
    solve.lines = wbArena_Alloc(work->arena, sizeof(float) * (size_t)solve.lineLength *
                                                 (size_t)wbThreadPool_GetCount(work->pool));
    solve.sums = wbArena_Alloc(work->arena, PRESSURE_SUMS * sizeof(double) * (size_t)finest->ny);
    wbStatus status = wb_okStatus;
    if (!solve.lines || !solve.sums)
        status = wbMemoryError(work->memory, "a projection needs");
    else if (params->pressureSolver == wb_pressureMultigrid)
        status = solveByCycles(&solve, params, before, result);
    else
        status = solveBySweeps(&solve, params, before, result);
    wbArena_Release(work->arena, mark);
    return status;
}
