// SPDX-License-Identifier: MIT
// The air in the world: making it, its part of a step, what it tells of itself.
#include "world/air.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/log.h"
#include "core/param_table.h"
#include "core/status.h"
#include "core/timer.h"

// Creation

wbStatus wbCheckAir(const wbWorldDef *def, wbSmokeModel *model) {
    const float low[3] = {def->domain.min.x, def->domain.min.y, def->domain.min.z};
    const float high[3] = {def->domain.max.x, def->domain.max.y, def->domain.max.z};
    WB_TRY(wbCheckParams(wbGetParams("smoke"), &def->smoke));
    for (int a = 0; a < def->params.dimensions; a++)
        if (!(isfinite(low[a]) && isfinite(high[a]) && low[a] < high[a]))
            return wbError(wb_errorInput,
                           "smoke fills the box of the domain: its min must be less than its max, also where "
                           "sides are open; along %c they are %g and %g",
                           "xyz"[a], low[a], high[a]);
    const wbDomain domain = wbMakeDomain(&def->domain, def->params.gravity, def->params.dimensions);
    return wbSmokeModel_Init(model, &def->smoke, &domain);
}

static wbStatus addVortices(wbWorld *world, int count) {
    wbAir *air = wbGetAir(world);
    wbSmoke *smoke = air->coarse ? &air->coarse->smoke : &air->smoke;
    wbSmoke_AddVortices(smoke, count);
    smoke->maxSpeed = air->smoke.maxSpeed = 1;
    if (!air->coarse) return wb_okStatus;
    wbSmoke_ClearMarks(smoke);
    const wbSmokePair pair = wbGetAirPair(air);
    return wbSmokePair_Scatter(&pair, &world->work, (int[3]){0}, (int[3]){0});
}

wbStatus wbCreateAir(wbSolver *solver) {
    wbWorld *world = solver->world;
    const wbWorldDef *def = &world->def;
    wbSmokeModel model;
    WB_TRY(wbCheckAir(def, &model));
    wbAir *air = solver->self = wbAllocZero(world->memory, sizeof *air);
    if (!air) return wbMemoryError(world->memory, "smoke needs");
    air->sources.elementSize = sizeof(wbAirSource);
    air->feeds.elementSize = sizeof(wbSmokeSource);
    wbAirShares_Init(&air->shares);
    wbAirFill_Init(&air->fill);
    air->heats.elementSize = air->expansion.elementSize = sizeof(float);
    air->bodies.elementSize = sizeof(wbSmokeBody), air->stillBodies.elementSize = sizeof(int);
    WB_TRY(wbCreateNested(world, &model));
    wbSetAirModel(air, &model);
    air->cellCount = wbCountAirCells(&air->model.grid);
    WB_TRY(wbSmoke_Init(&air->smoke, &air->model, &world->work));
    air->mask = wbAlloc(world->memory, sizeof *air->mask * air->cellCount);
    if (!air->mask)
        return wbMemoryError(world->memory, "the colliders in %zu cells of smoke need", air->cellCount);
    air->smoke.maxSpeed = 0;
    if (air->coarse) wbSmoke_ClearMarks(&air->smoke);
    WB_TRY(wbFitAirFill(world));
    return def->smoke.vortices > 0 ? addVortices(world, def->smoke.vortices) : wb_okStatus;
}

static size_t getPressureBytes(const wbAir *air) { return sizeof(float) * (size_t)air->smoke.grid.total; }

void wbDropAirCells(wbWorld *world) {
    wbAir *air = wbGetAir(world);
    wbDropSourceCells(world);
    if (air->pressure) wbFree(world->memory, air->pressure, getPressureBytes(air));
    air->pressure = NULL;
}

void wbFreeAir(wbSolver *solver) {
    wbWorld *world = solver->world;
    wbAir *air = solver->self;
    wbEndWindow(world, false);
    wbDropAirCells(world);
    wbFreeSources(world);
    wbFree(world->memory, air->mask, sizeof *air->mask * air->cellCount);
    wbSmoke_Free(world->memory, &air->smoke);
    wbFreeNested(world);
    wbArray_Free(world->memory, &air->feeds);
    wbArray_Free(world->memory, &air->bodies);
    wbArray_Free(world->memory, &air->stillBodies);
    wbArray_Free(world->memory, &air->owners);
    wbArray_Free(world->memory, &air->loads);
    wbFreeAirCuts(world->memory, &air->cuts);
    wbArray_Free(world->memory, &air->heats);
    wbArray_Free(world->memory, &air->expansion);
    wbAirShares_Free(world->memory, &air->shares);
    wbAirFill_Free(world->memory, &air->fill);
    wbFree(world->memory, air, sizeof *air);
}

// Cells stay where they were made, those beyond a side that has come in are solid. Air is not compressed: what is pressed out has
// to find an open side.
wbStatus wbCheckAirDomain(const wbSolver *solver, const wbDomain *next) {
    (void)solver;
    bool isAnyOpen = false;
    for (int s = 0; s < 2 * next->dimensions; s++) {
        int a = s / 2;
        float made = s % 2 ? next->madeMax[a] : next->madeMin[a], end = wbDomain_GetEnd(next, s);
        float target = s % 2 ? next->targetMax[a] : next->targetMin[a];
        const char *name = wb_domainSideNames[s];
        isAnyOpen |= !next->closed[s];
        if (s % 2 ? target > made : target < made)
            return wbError(wb_errorInput,
                           "the %s side cannot go beyond %c = %g, where the cells of the smoke end", name,
                           "xyz"[a], made);
        if (!next->closed[s] && end != made)
            return wbError(
                wb_errorInput,
                "the %s side is at %c = %g, within the cells of the smoke: move it back to %g before "
                "it opens",
                name, "xyz"[a], end, made);
    }
    if (wbDomain_IsOnTheWay(next) && !isAnyOpen)
        return wbError(wb_errorInput,
                       "air is not compressed, and all sides are closed: one must be open while others move");
    return wb_okStatus;
}

const wbSmokeParams *wbWorld_GetSmokeParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return wbGetAir(world) ? &wbGetAir(world)->model.params : NULL;
}

wbStatus wbWorld_SetWind(wbWorld *world, wbVec3 wind) {
    WB_REQUIRE(world);
    wbSolver *solver = &world->solvers[wb_solverIndex_smoke];
    if (!solver->self) return wbError(wb_errorInput, "smoke.wind: the world has no smoke");
    wbSmokeParams params = world->def.smoke;
    params.wind = wind;
    WB_TRY(wbCheckParams(solver->kind->table, &params));
    return wbSetSolverParams(solver, &params);
}

int64_t wbWorld_GetCellCount(const wbWorld *world) {
    WB_REQUIRE(world);
    const wbAir *air = wbGetAir(world);
    if (!air) return 0;
    return (int64_t)air->cellCount + (wbIsFollowing(air) ? (int64_t)air->coarse->cellCount : 0);
}

// Step

// All that the step takes from the arena: the air moves when all others have moved, and must not fail then.
static wbStatus reserveScratch(wbWorld *world) {
    wbAir *air = wbGetAir(world);
    int sources = world->sourceIds.indexCount, threads = wbThreadPool_GetCount(world->work.pool);
    const wbSmokePair pair = air->coarse ? wbGetAirPair(air) : (wbSmokePair){0};
    size_t bytes = air->coarse ? wbSmokePair_GetStepBytes(&pair, sources, threads)
                               : wbSmoke_GetStepBytes(&air->smoke, &air->model, sources, threads);
    if (world->solvers[wb_solverIndex_smoke].device) bytes = 0;
    if (bytes < wbGetAirFillBytes(world)) bytes = wbGetAirFillBytes(world);
    if (wbArena_Reserve(world->work.arena, bytes)) return wb_okStatus;
    return wbMemoryError(world->memory, "a step of smoke needs");
}

wbStatus wbPrepareAir(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    double mark = wbGetSeconds();
    WB_TRY(wbFollowSmoke(world));
    WB_TRY(wbPrepareHeat(world));
    WB_TRY(wbFillAir(world));
    WB_TRY(wbCutColliders(world, dt));
    wbGetAir(world)->collidersMs = wbLapMs(&mark);
    WB_TRY(reserveScratch(world));
    return solver->device ? wbPrepareAirDevice(world) : wb_okStatus;
}

// Air that is made where none can leave is a mistake of the scene, and the run goes on.
static void warnOfPockets(wbAir *air) {
    if (!air->smoke.isBlocked || air->saidBlocked) return;
    air->saidBlocked = true;
    wbLog(wb_logWarning,
          "a source expands where the air cannot leave: what it makes there is taken away evenly; "
          "open a side of the domain");
}

static wbStatus stepHost(wbWorld *world, const wbSmokeSource *feeds, int count, float dt) {
    wbAir *air = wbGetAir(world);
    if (!wbIsFollowing(air))
        return wbSmoke_Step(&air->smoke, &air->model, &world->work, feeds, count, world->time, dt);
    const wbSmokePair pair = wbGetAirPair(air);
    return wbSmokePair_Step(&pair, &world->work, feeds, count, world->time, dt, &air->coarse->ms);
}

wbStatus wbStepAir(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbAir *air = solver->self;
    const wbSmokeSource *feeds;
    int count = wbListFeeds(world, &feeds);
    wbArena_Release(world->work.arena, 0); // others are done with it: all that was reserved is free
    if (air->coarse) air->coarse->ms = 0;
    WB_TRY(wbMeetFilled(world, dt));
    wbStatus status =
        solver->device ? wbStepAirDevice(world, feeds, count, dt) : stepHost(world, feeds, count, dt);
    warnOfPockets(air);
    return wbIsOk(status) ? wbPressFilled(world, dt) : status;
}

// Reports

// The pressure in the order of the other fields; the solver's is in m/s and sorted by colours.
static void copyPressure(const wbWorld *world) {
    const wbAir *air = wbGetAir(world);
    const wbSmokeGrid *grid = &air->smoke.grid;
    const wbPressureLevel *level = &air->smoke.pressure.levels[0];
    const float dt = air->smoke.pressureStep;
    const float scale = dt > 0 ? grid->h / dt : 0;
    for (int j = 0; j < grid->ny; j++)
        for (int k = 0; k < grid->nz; k++)
            for (int i = 0; i < grid->nx; i++)
                air->pressure[wbSmokeIndex(grid, i, j, k)] =
                    scale *
                    level->p[(i + j + k) & 1][(i >> 1) + level->row * (k + 1) + level->plane * (j + 1)];
}

wbStatus wbWorld_GetSmokeView(wbWorld *world, wbSmokeView *view) {
    WB_REQUIRE(world);
    WB_REQUIRE(view);
    wbAir *air = wbGetAir(world);
    *view = (wbSmokeView){.cells = {0, 0, 0}};
    if (!air) return wb_okStatus;
    const wbSmoke *smoke = &air->smoke;
    const wbSmokeGrid *grid = &smoke->grid;
    WB_TRY(wbPullState(world));
    WB_TRY(wbCutColliders(world, 0));
    if (!air->pressure) air->pressure = wbAllocZero(world->memory, getPressureBytes(air));
    if (!air->pressure) return wbMemoryError(world->memory, "a view of the pressure needs");
    copyPressure(world);
    int first = wbSmokeIndex(grid, 0, 0, 0);
    const wbSmokeGrid *box = air->coarse ? &air->coarse->box.grid : grid;
    *view = (wbSmokeView){.cells = {grid->nx, grid->ny, grid->nz},
                          .boxCells = {box->nx, box->ny, box->nz},
                          .strideY = grid->plane,
                          .strideZ = grid->row,
                          .cellSize = grid->h,
                          .min = grid->origin,
                          .density = smoke->fields[wb_smokeDensity] + first,
                          .temperature = smoke->fields[wb_smokeTemperature] + first,
                          .fuel = air->model.params.fire ? smoke->fields[wb_smokeFuel] + first : NULL,
                          .steam = smoke->steam ? smoke->fields[smoke->steam] + first : NULL,
                          .cloud = smoke->steam ? smoke->fields[smoke->steam + 1] + first : NULL,
                          .pressure = air->pressure + first,
                          .u = smoke->fields[wb_smokeU] + first,
                          .v = smoke->fields[wb_smokeV] + first,
                          .w = smoke->fields[wb_smokeW] + first,
                          .solid = smoke->solid,
                          .solidStrideY = (ptrdiff_t)grid->nx * grid->nz,
                          .solidStrideZ = grid->nx};
    if (air->coarse) memcpy(view->first, air->coarse->low, sizeof view->first);
    for (int c = 0; c < 3 && air->model.params.coloured; c++)
        view->colour[c] = smoke->fields[wb_smokeRed + c] + first;
    return wb_okStatus;
}

// Of a cell: the mean of two faces.
static double getMean(const float *field, int c, int up) { return 0.5 * ((double)field[c] + field[c + up]); }

typedef struct Part {
    const wbSmoke *smoke;
    int low[3], high[3]; // cells that do not count
} Part;

// Smoke and motion of a part of the air.
static void addMotion(const Part *part, wbSmokeStats *stats) {
    const wbSmoke *smoke = part->smoke;
    const wbSmokeGrid *grid = &smoke->grid;
    const int *low = part->low, *high = part->high;
    double volume = pow(grid->h, grid->dimensions), mass = WB_AIR_DENSITY * volume;
    const int ups[3] = {1, grid->plane, grid->dimensions == 3 ? grid->row : 0};
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            bool isBeside = j >= low[1] && j < high[1] && k >= low[2] && k < high[2];
            for (int i = 0; i < grid->nx; i++) {
                int c = wbSmokeIndex(grid, i, j, k);
                if (smoke->solid[wbSmokeCell(grid, i, j, k)]) continue;
                if (isBeside && i >= low[0] && i < high[0]) continue;
                stats->amount += volume * smoke->fields[wb_smokeDensity][c];
                for (int a = 0; a < grid->dimensions; a++) {
                    double v = getMean(smoke->fields[a], c, ups[a]);
                    stats->momentum[a] += mass * v;
                    stats->kinetic += 0.5 * mass * v * v;
                }
            }
        }
    }
}

wbSmokeStats wbWorld_GetSmokeStats(wbWorld *world) {
    WB_REQUIRE(world);
    const wbAir *air = wbGetAir(world);
    wbSmokeStats stats = {.cells = 0};
    if (!air) return stats;
    (void)wbPullState(world);
    const wbSmoke *smoke = &air->smoke;
    addMotion(&(Part){smoke, {0}, {0}}, &stats);
    if (wbIsFollowing(air)) {
        Part part = {.smoke = &air->coarse->smoke};
        for (int a = 0; a < 3; a++) {
            int factor = a < smoke->grid.dimensions ? air->coarse->factor : 1;
            part.low[a] = air->coarse->low[a] / factor, part.high[a] = air->coarse->high[a] / factor;
        }
        addMotion(&part, &stats);
    }
    stats.cells = wbWorld_GetCellCount(world);
    stats.divergenceBefore = smoke->divergenceBefore, stats.divergence = smoke->divergence;
    stats.cycles = smoke->cycles;
    stats.drift = smoke->drift;
    stats.left = smoke->left * pow(smoke->grid.h, smoke->grid.dimensions);
    return stats;
}
