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
    wbSetParamDefaults(wbGetParams("sph"), &def.sph);
    wbSetParamDefaults(wbGetParams("pbd"), &def.pbd);
    wbSetParamDefaults(wbGetParams("smoke"), &def.smoke);
    wbSetParamDefaults(wbGetParams("pbf"), &def.pbf);
    wbSetParamDefaults(wbGetParams("domain"), &def.domain);
    for (int s = 0; s < wb_sideCount; s++)
        def.domain.sides[s] = (wbSideDef){.type = wb_sideFreeSlip, .temperature = NAN};
    return def;
}

static wbStatus checkDef(const wbWorldDef *def) {
    WB_TRY(wbCheckParams(wbGetParams("world"), &def->params));
    WB_TRY(wbCheckParams(wbGetParams("sph"), &def->sph));
    WB_TRY(wbCheckParams(wbGetParams("pbd"), &def->pbd));
    WB_TRY(wbCheckParams(wbGetParams("pbf"), &def->pbf));
    if (def->threadCount < 0 || def->threadCount > WB_MAX_THREADS)
        return wbError(wb_errorInput, "threadCount is %d, allowed is 0 (one per core) to %d",
                       def->threadCount, WB_MAX_THREADS);
    return wbCheckDomain(&def->domain, def->params.dimensions);
}

static void initWorld(wbWorld *world, const wbWorldDef *def) {
    world->params = def->params;
    world->domain = wbMakeDomain(&def->domain, def->params.gravity, def->params.dimensions);
    world->parallel = def->parallel;
    world->parallelContext = def->parallelContext;
    world->scriptTime = -1;
    wbListSolvers(world);
    wbSph_Init(&world->sph);
    wbPbf_Init(&world->pbf);
    world->pbfModel.params = def->pbf;
    world->pools[wb_solverSph] = (wbPool){world, .section = "sph", .particles = &world->sph.particles};
    world->pools[wb_solverPbf] = (wbPool){world, .section = "pbf", .particles = &world->pbf.particles};
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) wbBoundary_Init(&world->pools[s].boundary);
    wbIdPool_Init(&world->fluidIds);
    world->fluids.elementSize = sizeof(wbFluid);
    world->idRuns.elementSize = sizeof(wbIdRun);
    wbIdPool_Init(&world->emitterIds);
    wbIdPool_Init(&world->drainIds);
    world->emitters.elementSize = sizeof(wbEmitter);
    world->drains.elementSize = sizeof(wbDrain);
    world->collisionPlaces.elementSize = sizeof(wbCollisionPlace);
    wbIdPool_Init(&world->colliderIds);
    wbIdPool_Init(&world->mechanismIds);
    world->colliders.elementSize = sizeof(wbCollider);
    world->mechanisms.elementSize = sizeof(wbMechanism);
}

wbStatus wbCreateWorld(const wbWorldDef *def, wbWorld **result) {
    WB_ASSERT(result, "world is NULL");
    WB_ASSERT(def && def->cookie == WB_WORLD_COOKIE, "make the def with wbDefaultWorldDef");
    *result = NULL;
    WB_TRY(checkDef(def));
    wbWork work = {0};
    WB_TRY(wbChooseSimd(def->simd, &work.simd));
    wbSphModel model;
    const wbDomain domain = wbMakeDomain(&def->domain, def->params.gravity, def->params.dimensions);
    WB_TRY(wbSphModel_Init(&model, &def->sph, &domain));

    wbMemory *memory = work.memory = wbCreateMemory((size_t)def->params.memoryLimit);
    if (!memory) return wbMemoryError(NULL, "a world needs");
    wbWorld *world = wbAllocZero(memory, sizeof *world);
    int threads = def->threadCount ? def->threadCount : wbGetCoreCount();
    work.arena = wbCreateArena(memory);
    work.pool = wbCreateThreadPool(memory, threads < WB_MAX_THREADS ? threads : WB_MAX_THREADS, def->parallel,
                                   def->parallelContext);
    if (!world || !work.arena || !work.pool) {
        wbStatus status =
            wbGetMemoryUse(memory).refused
                ? wbMemoryError(memory, "a world with %d threads needs", threads)
                : wbError(wb_errorMemory, "the system does not start %d threads: use fewer", threads);
        if (work.pool) wbDestroyThreadPool(work.pool);
        if (work.arena) wbDestroyArena(work.arena);
        wbFree(memory, world, sizeof *world);
        wbDestroyMemory(memory);
        return status;
    }
    initWorld(world, def);
    world->memory = memory;
    world->work = work;
    world->sphModel = model;
    world->sphModel.domain = &world->domain;
    wbFollowModels(world);
    wbFollowParams(world, domain.gravity, &model.params, world->pbfModel.params.restDensity);
    wbStatus status = wbCreateSoft(world, &def->pbd);
    if (wbIsOk(status)) status = wbCreateAir(world, def);
    if (wbIsOk(status) && world->params.backend == wb_backendOpencl)
        status = wbWorld_SetBackend(world, wb_backendOpencl, world->params.device);
    if (!wbIsOk(status)) {
        wbDestroyWorld(world);
        return status;
    }
    *result = world;
    return wb_okStatus;
}

void wbDestroyWorld(wbWorld *world) {
    if (!world) return;
    wbMemory *memory = world->memory;
    wbFreeBackend(world);
    wbSph_Free(memory, &world->sph);
    wbPbf_Free(memory, &world->pbf);
    wbFreeFluids(world);
    wbFreeFlow(world);
    wbFreeColliders(world);
    wbDestroySoft(world);
    wbFreeAir(world);
    wbDestroyThreadPool(world->work.pool);
    wbDestroyArena(world->work.arena);
    wbFree(memory, world, sizeof *world);
    wbDestroyMemory(memory);
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
    wbRefreshAir(world);
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
    wbSnapshotValues(world);
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
const wbSphParams *wbWorld_GetSphParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->sphModel.params;
}
const wbPbfParams *wbWorld_GetPbfParams(const wbWorld *world) {
    WB_REQUIRE(world);
    return &world->pbfModel.params;
}

wbStatus wbFindParamByKey(const char *key, const wbParamTable **table, const wbParam **param) {
    char section[WB_NAME_SIZE];
    *table = NULL, *param = NULL;
    const char *dot = strchr(key, '.');
    size_t length = dot ? (size_t)(dot - key) : 0;
    if (!dot || length == 0 || length >= sizeof section)
        return wbError(wb_errorInput, "\"%.80s\" is not of the form section.name, like sph.viscosity", key);
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

wbStatus wbWorld_SetParam(wbWorld *world, const char *key, const char *value) {
    WB_REQUIRE(world);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    const wbParamTable *table;
    const wbParam *param;
    if (isOfObject(key)) return wbSetObjectParam(world, key, value);
    WB_TRY(wbFindParamByKey(key, &table, &param));
    if (!param->live) return wbError(wb_errorInput, "%s is fixed when the world is made", key);
    if (strcmp(table->section, "domain") == 0) return wbSetDomainParam(world, param, value);
    if (strcmp(table->section, "pbd") == 0) return wbSetSoftParam(world, param, value);
    if (strcmp(table->section, "smoke") == 0) return wbSetAirParam(world, key, param, value);
    wbWorldParams worldParams = world->params;
    wbSphParams sphParams = world->sphModel.params;
    wbPbfModel pbfModel = world->pbfModel;
    bool isSph = strcmp(table->section, "sph") == 0, isPbf = strcmp(table->section, "pbf") == 0;
    void *section = isSph ? (void *)&sphParams : isPbf ? (void *)&pbfModel.params : &worldParams;
    WB_TRY(wbParam_SetText(param, section, value));
    if (sphParams.soundSpeed == 0) {
        WB_TRY(wbPullState(world));
        WB_TRY(wbChooseSoundSpeed(world, worldParams.gravity, &sphParams));
    }
    wbSphModel model;
    WB_TRY(wbSphModel_Init(&model, &sphParams, &world->domain));
    if (wbIsSolverUsed(world, wb_solverSph)) WB_TRY(wbSphModel_CheckRoom(&model));
    if (wbIsSolverUsed(world, wb_solverPbf)) {
        const wbPbfParams pbfParams = pbfModel.params;
        WB_TRY(wbPbfModel_Init(&pbfModel, &pbfParams, &world->domain));
    }
    WB_TRY(checkMemoryLimit(world, worldParams.memoryLimit));
    // a lost device must not keep the state from moving to another
    if (worldParams.backend != world->params.backend || worldParams.device != world->params.device)
        WB_TRY(wbWorld_SetBackend(world, worldParams.backend, worldParams.device));
    else
        WB_TRY(wbPullState(world));
    wbMemory_SetLimit(world->memory, (size_t)worldParams.memoryLimit);
    const wbVec3 gravityBefore = world->domain.gravity;
    const wbSphParams sphBefore = world->sphModel.params;
    const float pbfDensityBefore = world->pbfModel.params.restDensity;
    world->params = worldParams;
    wbDomain_SetGravity(&world->domain, worldParams.gravity);
    world->sphModel = model;
    world->pbfModel = pbfModel;
    wbFollowModels(world);
    if (isSph) world->sph.sinceEvaluation = 0; // densities of before and after do not compare
    wbFollowParams(world, gravityBefore, &sphBefore, pbfDensityBefore);
    wbRefreshAir(world);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

wbStatus wbWorld_GetParam(const wbWorld *world, const char *key, char *value, int size) {
    WB_REQUIRE(world);
    WB_REQUIRE(key);
    WB_REQUIRE(value);
    const wbParamTable *table;
    const wbParam *param;
    if (isOfObject(key)) return wbGetObjectParam(world, key, value, size);
    WB_TRY(wbFindParamByKey(key, &table, &param));
    if (strcmp(table->section, "smoke") == 0) return wbGetAirParam(world, key, param, value, size);
    if (strcmp(table->section, "domain") == 0) return wbGetDomainParam(world, param, value, size);
    if (strcmp(table->section, "pbd") == 0)
        return wbParam_GetText(param, wbWorld_GetPbdParams(world), value, size);
    bool isSph = strcmp(table->section, "sph") == 0, isPbf = strcmp(table->section, "pbf") == 0;
    return wbParam_GetText(param,
                           isSph   ? (const void *)&world->sphModel.params
                           : isPbf ? (const void *)&world->pbfModel.params
                                   : &world->params,
                           value, size);
}
