// SPDX-License-Identifier: MIT
// Creation, parameters and threads of worlds.
#include "world/flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cpu.h"
#include "core/param_table.h"
#include "core/renamed.h"
#include "core/status.h"
#include "world/collider.h"

wbWorldDef wbDefaultWorldDef(void) {
    wbWorldDef def = {.cookie = WB_WORLD_COOKIE};
    wbSetParamDefaults(wbGetParams("world"), &def.params);
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        wbSetParamDefaults(wbGetSolverKind(s)->table, wbGetSectionOf(wbGetSolverKind(s), &def));
    wbSetParamDefaults(wbGetParams("domain"), &def.domain);
    def.frameRate = 60;
    for (int s = 0; s < wb_sideCount; s++)
        def.domain.sides[s] = (wbSideDef){.type = wb_sideFreeSlip, .temperature = NAN};
    return def;
}

static wbStatus checkFrameRate(double rate) {
    if (rate >= WB_LEAST_FRAME_RATE && rate <= WB_MOST_FRAME_RATE) return wb_okStatus;
    return wbError(wb_errorInput, "the frame rate is %g, allowed is %g to %g 1/s", rate, WB_LEAST_FRAME_RATE,
                   WB_MOST_FRAME_RATE);
}

wbStatus wbCheckWorldDef(const wbWorldDef *def) {
    WB_TRY(wbCheckParams(wbGetParams("world"), &def->params));
    WB_TRY(checkFrameRate(def->frameRate));
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        const wbSolverKind *kind = wbGetSolverKind(s);
        if (kind->info.isAsked == 0 || wbIsAsked(kind, def))
            WB_TRY(wbCheckParams(kind->table, (const char *)def + kind->info.params));
    }
    if (def->threadCount < 0 || def->threadCount > WB_MAX_THREADS)
        return wbError(wb_errorInput, "threadCount is %d, allowed is 0 (one per core) to %d",
                       def->threadCount, WB_MAX_THREADS);
    return wbCheckDomain(&def->domain, def->params.dimensions);
}

static void initWorld(wbWorld *world, const wbWorldDef *def) {
    world->params = def->params;
    world->def = *def;
    world->domain = wbMakeDomain(&def->domain, def->params.gravity, def->params.dimensions);
    world->bookedGravity = world->domain.gravity;
    world->parallel = def->parallel;
    world->parallelContext = def->parallelContext;
    world->scriptTime = -1;
    world->frameRate = def->frameRate;
    wbListSolvers(world);
    wbSnapshot_Init(&world->snapshot);
    wbInitIds(world);
    world->fluids.elementSize = sizeof(wbFluid);
    world->idRuns.elementSize = sizeof(wbIdRun);
    world->emitters.elementSize = sizeof(wbEmitter);
    world->drains.elementSize = sizeof(wbDrain);
    world->collisionPlaces.elementSize = sizeof(wbCollisionPlace);
    world->movers.elementSize = sizeof(int);
    world->colliders.elementSize = sizeof(wbCollider);
    world->mechanisms.elementSize = sizeof(wbMechanism);
}

// Those that are asked for; others come with their first object, by parameters that fit.
static wbStatus createSolvers(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        if (wbIsAsked(s->kind, &world->def))
            WB_TRY(wbSolver_Create(s));
        else if (s->kind->info.isAsked == 0 && s->kind->checkParams)
            WB_TRY(s->kind->checkParams(s, wbGetSectionOf(s->kind, &world->def)));
    }
    return wb_okStatus;
}

// Its contents, on a machine that is there.
static wbStatus makeWorld(const wbWorldDef *def, const wbWork *work, const wbWorld *elder, wbWorld **result) {
    wbWorld *world = wbAllocZero(work->memory, sizeof *world);
    if (!world) return wbMemoryError(work->memory, "a world needs");
    initWorld(world, def);
    world->memory = work->memory;
    world->work = *work;
    world->elder = elder;
    wbStatus status = createSolvers(world);
    if (wbIsOk(status) && world->params.backend == wb_backendOpencl)
        status = wbWorld_SetBackend(world, wb_backendOpencl, world->params.device);
    if (wbIsOk(status))
        *result = world;
    else
        wbDestroyContents(world);
    return status;
}

static void destroyMachine(wbWork *work) {
    if (work->pool) wbDestroyThreadPool(work->pool);
    if (work->arena) wbDestroyArena(work->arena);
    wbDestroyMemory(work->memory);
}

static wbStatus createMachine(const wbWorldDef *def, wbWork *work) {
    int threads = def->threadCount ? def->threadCount : wbGetCoreCount();
    *work = (wbWork){0};
    WB_TRY(wbChooseSimd(def->simd, &work->simd));
    wbMemory *memory = work->memory = wbCreateMemory((size_t)def->params.memoryLimit);
    if (!memory) return wbMemoryError(NULL, "a world needs");
    work->arena = wbCreateArena(memory);
    work->pool = wbCreateThreadPool(memory, threads < WB_MAX_THREADS ? threads : WB_MAX_THREADS,
                                    def->parallel, def->parallelContext);
    if (work->arena && work->pool) return wb_okStatus;
    wbStatus status =
        wbGetMemoryUse(memory).refused
            ? wbMemoryError(memory, "a world with %d threads needs", threads)
            : wbError(wb_errorMemory, "the system does not start %d threads: use fewer", threads);
    destroyMachine(work);
    return status;
}

wbStatus wbCreateWorld(const wbWorldDef *def, wbWorld **result) {
    WB_ASSERT(result, "world is NULL");
    WB_ASSERT(def && def->cookie == WB_WORLD_COOKIE, "make the def with wbDefaultWorldDef");
    wbWork work;
    *result = NULL;
    WB_TRY(wbCheckWorldDef(def));
    WB_TRY(createMachine(def, &work));
    wbStatus status = makeWorld(def, &work, NULL, result);
    if (!wbIsOk(status)) destroyMachine(&work);
    return status;
}

wbStatus wbCreateWorldBeside(const wbWorld *world, const wbWorldDef *def, wbWorld **result) {
    *result = NULL;
    WB_TRY(wbCheckWorldDef(def));
    return makeWorld(def, &world->work, world, result);
}

void wbDestroyContents(wbWorld *world) {
    wbFreeBackend(world);
    wbFreeQueries(world);
    wbFreeFluids(world);
    wbFreeFlow(world);
    wbFreeColliders(world);
    wbFreeProbes(world);
    wbFreeGrabs(world);
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) wbSolver_Destroy(s);
    wbFreeIds(world);
    wbSnapshot_Free(world->memory, &world->snapshot);
    wbFree(world->memory, world, sizeof *world);
}

void wbDestroyWorld(wbWorld *world) {
    if (!world) return;
    wbWork work = world->work;
    wbDestroyContents(world);
    destroyMachine(&work);
}

static void refreshSolvers(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->refresh) s->kind->refresh(s);
}

// What a solver knows of where its world is.
static void settleIn(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        s->world = world;
        if (s->liquid) s->liquid->world = world, s->liquid->solver = s;
    }
    refreshSolvers(world);
}

void wbExchangeContents(wbWorld *one, wbWorld *two) {
    const wbWorld first = *one;
    *one = *two, *two = first;
    one->elder = two->elder = NULL;
    settleIn(one), settleIn(two);
}

wbStatus wbWorld_SetThreadCount(wbWorld *world, int count) {
    WB_REQUIRE(world);
    if (count < 1 || count > WB_MAX_THREADS)
        return wbError(wb_errorInput, "threads is %d, allowed is 1 to %d", count, WB_MAX_THREADS);
    if (count == wbThreadPool_GetCount(world->work.pool)) return wb_okStatus;
    wbThreadPool *pool = wbCreateThreadPool(world->memory, count, world->parallel, world->parallelContext);
    if (!pool) return wbError(wb_errorMemory, "%d threads cannot be started: use fewer", count);
    wbDestroyThreadPool(world->work.pool);
    world->work.pool = pool;
    refreshSolvers(world);
    return wb_okStatus;
}

int wbWorld_GetThreadCount(const wbWorld *world) {
    WB_REQUIRE(world);
    return wbThreadPool_GetCount(world->work.pool);
}
wbSimd wbWorld_GetSimd(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->work.simd;
}
double wbWorld_GetTime(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->time;
}
double wbWorld_GetScriptTime(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->scriptTime;
}
void wbWorld_SetScriptTime(wbWorld *world, double time) {
    WB_REQUIRE(world);
    WB_ASSERT(isfinite(time), "the script's time is not finite");
    world->scriptTime = time;
    wbRecordHostValues(world);
}
wbStatus wbWorld_SetFrameRate(wbWorld *world, double rate) {
    WB_REQUIRE(world);
    WB_TRY(checkFrameRate(rate));
    world->frameRate = rate;
    wbRecordHostValues(world);
    return wb_okStatus;
}
double wbWorld_GetFrameRate(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->frameRate;
}
int64_t wbWorld_GetStepCount(const wbWorld *world) {
    WB_REQUIRE(world);
    return world->stepCount;
}
wbDomainDef wbWorld_GetDomain(const wbWorld *world) {
    WB_REQUIRE(world);
    return wbDomain_GetDef(&world->domain);
}
const wbWorldParams *wbWorld_GetWorldParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->params;
}

wbStatus wbFindParamByKey(const char *key, const wbParamTable **table, const wbParam **param) {
    char section[WB_NAME_SIZE];
    *table = NULL, *param = NULL;
    const char *dot = strchr(key, '.');
    size_t length = dot ? (size_t)(dot - key) : 0;
    if (!dot || length == 0 || length >= sizeof section)
        return wbError(wb_errorInput, "\"%.80s\" is not of the form section.name, like world.dt", key);
    memcpy(section, key, length);
    section[length] = 0;
    *table = wbGetParams(section);
    if (!*table) return wbError(wb_errorInput, "unknown section \"%s\" in \"%.80s\"", section, key);
    *param = wbFindParam(*table, dot + 1);
    if (*param) return wb_okStatus;
    const char *renamed = wbFindRenamed(key), *nearest = wbNearestParam(*table, dot + 1);
    if (renamed)
        return wbError(wb_errorInput, "unknown parameter \"%s\"; it is called \"%s\" now", key, renamed);
    if (nearest)
        return wbError(wb_errorInput, "unknown parameter \"%.80s\"; did you mean \"%s.%s\"?", key, section,
                       nearest);
    return wbError(wb_errorInput, "unknown parameter \"%.80s\"", key);
}

static wbStatus checkMemoryLimit(const wbWorld *world, float limit) {
    double held = (double)wbGetMemoryUse(world->memory).bytes;
    if (limit == world->params.memoryLimit || (double)limit >= held) return wb_okStatus;
    return wbError(wb_errorInput, "world.memoryLimit is %g, but the world already uses %.0f bytes",
                   (double)limit, held);
}

// Objects come second, so that their names may be anything but a section's. What is neither is told there.
static bool isOfObject(const char *key) {
    char name[WB_NAME_SIZE];
    size_t length = strcspn(key, ".");
    if (length >= sizeof name || key[length] == 0) return false;
    memcpy(name, key, length);
    name[length] = 0;
    return !wbGetParams(name);
}

static wbStatus setWorldParams(wbWorld *world, const wbWorldParams *next) {
    WB_TRY(checkMemoryLimit(world, next->memoryLimit));
    // a lost device must not keep the state from moving to another
    if (next->backend != world->params.backend || next->device != world->params.device)
        WB_TRY(wbWorld_SetBackend(world, next->backend, next->device));
    wbMemory_SetLimit(world->memory, (size_t)next->memoryLimit);
    world->params = *next;
    wbDomain_SetGravity(&world->domain, next->gravity);
    wbDomain_SetGravity(&world->hostDomain, next->gravity);
    refreshSolvers(world);
    if (!wbIsDeviceNewer(world)) WB_TRY(wbFollowGravity(world));
    wbRecordHostValues(world);
    return wb_okStatus;
}

wbStatus wbWorld_SetGravity(wbWorld *world, wbVec3 gravity) {
    WB_REQUIRE(world);
    wbWorldParams next = world->params;
    next.gravity = gravity;
    WB_TRY(wbCheckParams(&wb_worldTable, &next));
    return setWorldParams(world, &next);
}

wbStatus wbSetSolverParams(wbSolver *solver, void *params) {
    const wbSolverKind *kind = solver->kind;
    if (solver->self)
        WB_TRY(kind->setParams(solver, params));
    else if (kind->checkParams)
        WB_TRY(kind->checkParams(solver, params));
    memcpy(wbGetSectionOf(kind, &solver->world->def), params, (size_t)kind->table->structSize);
    solver->world->stateVersion++;
    wbRecordHostValues(solver->world);
    return wb_okStatus;
}

wbStatus wbTakeParams(wbWorld *world, const wbWorldDef *def, const wbDomain *domain) {
    const wbWorldParams machine = world->params;
    world->params = def->params;
    world->params.backend = machine.backend, world->params.device = machine.device;
    world->params.memoryLimit = machine.memoryLimit;
    world->domain = *domain;
    refreshSolvers(world);
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++) {
        _Alignas(16) unsigned char params[WB_MAX_SECTION];
        memcpy(params, (const char *)def + s->kind->info.params, (size_t)s->kind->table->structSize);
        WB_TRY(wbSetSolverParams(s, params));
    }
    return wb_okStatus;
}

// A solver that comes with the world, or never.
static wbStatus checkThere(const wbSolver *solver, const char *key) {
    if (!solver || solver->kind->info.isAsked == 0 || solver->self) return wb_okStatus;
    return wbError(wb_errorInput, "%.80s: the world has no %s", key, solver->kind->info.name);
}

wbStatus wbWorld_SetParam(wbWorld *world, const char *key, const char *value) {
    WB_REQUIRE(world);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    _Alignas(16) unsigned char params[WB_MAX_SECTION];
    const wbParamTable *table;
    const wbParam *param;
    if (isOfObject(key)) return wbSetObjectParam(world, key, value);
    WB_TRY(wbFindParamByKey(key, &table, &param));
    if (!param->live) return wbError(wb_errorInput, "%s is fixed when the world is made", key);
    if (strcmp(table->section, "domain") == 0) return wbSetDomainParam(world, param, value);
    wbSolver *solver = wbFindSolver(world, table);
    const void *section = solver ? wbGetSectionOf(solver->kind, &world->def) : &world->params;
    WB_TRY(checkThere(solver, key));
    WB_ASSERT((size_t)table->structSize <= sizeof params, "a section has more parameters than fit");
    memcpy(params, section, (size_t)table->structSize);
    wbStatus status = wbParam_SetText(param, params, value);
    if (!wbIsOk(status)) return wbError(status.code, "%s.%s", table->section, status.text);
    return solver ? wbSetSolverParams(solver, params) : setWorldParams(world, (const wbWorldParams *)params);
}

wbStatus wbWorld_GetParam(const wbWorld *world, const char *key, char *value, int size) {
    WB_REQUIRE(world);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    const wbParamTable *table;
    const wbParam *param;
    if (isOfObject(key)) return wbGetObjectParam(world, key, value, size);
    WB_TRY(wbFindParamByKey(key, &table, &param));
    if (strcmp(table->section, "domain") == 0) return wbGetDomainParam(world, param, value, size);
    const wbSolver *solver = wbFindSolver((wbWorld *)world, table);
    WB_TRY(checkThere(solver, key));
    const void *section =
        solver ? (const char *)&world->def + solver->kind->info.params : (const char *)&world->params;
    return wbParam_GetText(param, section, value, size);
}
