// SPDX-License-Identifier: MIT
// Saving and loading of worlds.
#include "world/checkpoint.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"

_Static_assert(sizeof(wbDomainDef) == 144, "as it stands in the file");
_Static_assert(sizeof(wbSavedFluid) == 96, "as it stands in the file");

static void listAccount(wbPool *pool, const char *const names[WB_ACCOUNT_VALUES],
                        wbSavedValue values[WB_ACCOUNT_VALUES]) {
    wbEnergyAccount *a = &pool->account;
    const wbSavedValue list[WB_ACCOUNT_VALUES] = {
        {names[0], &a->came, wb_valueDouble, -DBL_MAX, DBL_MAX, true},
        {names[1], &a->given, wb_valueDouble, 0, DBL_MAX, true},
        {names[2], &a->speed, wb_valueDouble, 0, DBL_MAX, true},
        {names[3], &a->sideSpeed, wb_valueDouble, 0, DBL_MAX, true},
        {names[4], &a->sideWay, wb_valueDouble, 0, DBL_MAX, true},
        {names[5], &a->newCount, wb_valueInt64, 0, INT_MAX, true},
        {names[6], &a->newFall, wb_valueDouble, -DBL_MAX, DBL_MAX, true},
        {names[7], &a->pressing, wb_valueInt64, 0, INT_MAX, true},
        {names[8], &a->isStoredAnew, wb_valueInt, 0, 1, true},
    };
    memcpy(values, list, sizeof list);
}

int wbWorld_ListValues(wbWorld *world, wbSavedValue values[WB_WORLD_VALUES]) {
    const double many = 4e18; // steps and particles that 64 bits can still count on from
    const wbSavedValue list[] = {
        {"time", &world->time, wb_valueDouble, 0, DBL_MAX, true},
        {"stepCount", &world->stepCount, wb_valueInt64, 0, many, true},
        {"nextId", &world->nextId, wb_valueUint32, 0, INT_MAX, true},
        {"spawned", &world->spawned, wb_valueInt64, 0, many, false},
        {"removed", &world->removed, wb_valueInt64, 0, many, false},
        {"scriptTime", &world->scriptTime, wb_valueDouble, -DBL_MAX, DBL_MAX, false},
        {"lastDt", &world->lastDt, wb_valueFloat, 0, FLT_MAX, false},
        {"colliderSpeed", &world->colliderSpeed, wb_valueFloat, 0, FLT_MAX, false},
    };
    int count = (int)(sizeof list / sizeof list[0]);
    static const char *const names[WB_FLUID_SOLVERS][WB_ACCOUNT_VALUES] = {
        {"sph.came", "sph.given", "sph.speed", "sph.sideSpeed", "sph.sideWay", "sph.newCount", "sph.newFall",
         "sph.pressing", "sph.isStoredAnew"},
        {"pbf.came", "pbf.given", "pbf.speed", "pbf.sideSpeed", "pbf.sideWay", "pbf.newCount", "pbf.newFall",
         "pbf.pressing", "pbf.isStoredAnew"}};
    memcpy(values, list, sizeof list);
    for (int s = 0; s < WB_FLUID_SOLVERS; s++, count += WB_ACCOUNT_VALUES)
        listAccount(&world->pools[s], names[s], values + count);
    wbSph_ListValues(&world->sph, values + count);
    count += WB_SPH_VALUES;
    if (!wbIsSolverUsed(world, wb_solverPbf)) return count;
    wbPbf_ListValues(&world->pbf, values + count);
    return count + WB_PBF_VALUES;
}

// The columns of a pool that stand in files, under the names that they have there.
typedef struct SavedColumn {
    char name[WB_SECTION_NAME];
    void **data;
} SavedColumn;

static void listSavedColumns(wbPool *pool, SavedColumn saved[WB_SAVED_COLUMNS]) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(pool->particles, columns);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
        saved[c].data = columns[c].data;
        snprintf(saved[c].name, WB_SECTION_NAME, "%s.%s", pool->section, columns[c].name);
    }
}

static void addState(wbWorld *world, wbSectionList *list) {
    wbSavedValue values[WB_WORLD_VALUES];
    SavedColumn columns[WB_SAVED_COLUMNS];
    int valueCount = wbWorld_ListValues(world, values);
    for (int v = 0; v < valueCount; v++)
        wbAddSection(list, values[v].name, values[v].data, wbGetValueSize(values[v].type));
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) {
        wbPool *pool = &world->pools[s];
        if (!wbIsSolverSaved(world, (wbFluidSolver)s)) continue;
        listSavedColumns(pool, columns);
        for (int c = 0; c < WB_SAVED_COLUMNS; c++)
            wbAddSection(list, columns[c].name, *columns[c].data, 4 * (size_t)pool->particles->count);
    }
}

// A state that is unstable, but was not yet found to be, must not take the place of a good one. What was copied from
// a device before it failed is good.
static wbStatus checkHealth(wbWorld *world) {
    wbStatus status = world->stopped.code == wb_errorDevice ? wb_okStatus : world->stopped;
    for (int s = 0; s < WB_FLUID_SOLVERS && wbIsOk(status); s++) {
        status = wbCheckEnergyNow(world, &world->pools[s], world->lastDt);
        if (!wbIsOk(status))
            status = world->solvers[s].kind->explain(&world->solvers[s], world->lastDt, status.text);
    }
    return wbIsOk(status) ? status : wbError(status.code, "not saved: %s", status.text);
}

wbStatus wbWorld_Save(wbWorld *world, const char *path) {
    WB_REQUIRE(world);
    WB_REQUIRE(path);
    WB_TRY(wbPullState(world));
    WB_TRY(checkHealth(world));
    char writer[WB_WRITER_TEXT], *params, *objects = NULL;
    size_t paramBytes, objectBytes = 0;
    wbSectionList list = {0};
    wbStatus status = wbDescribeParams(world, &params, &paramBytes);
    wbAddSection(&list, "writer", writer, wbDescribeWriter(world, writer));
    wbAddSection(&list, "params", params, paramBytes);
    wbAddSection(&list, "domain", &world->domain, sizeof world->domain);

    size_t fluidCount = (size_t)world->fluidIds.indexCount, fluidBytes = fluidCount * sizeof(wbSavedFluid);
    wbSavedFluid *fluids = wbAllocZero(NULL, fluidBytes);
    for (size_t i = 0; i < fluidCount && fluids; i++) {
        const wbFluid *fluid = (const wbFluid *)world->fluids.data + i;
        memcpy(fluids[i].name, fluid->name, sizeof fluid->name);
        fluids[i].generation = fluid->generation, fluids[i].solver = (uint32_t)fluid->solver;
        fluids[i].spawned = fluid->spawned, fluids[i].removed = fluid->removed;
        fluids[i].restDensity = fluid->restDensity;
    }
    wbAddSection(&list, "fluids", fluids, fluidBytes);
    size_t runBytes = sizeof(wbSavedIdRun) * (size_t)world->idRunCount;
    wbSavedIdRun *runs = wbAlloc(NULL, runBytes);
    for (int i = 0; i < world->idRunCount && runs; i++) {
        const wbIdRun *run = (const wbIdRun *)world->idRuns.data + i;
        runs[i] = (wbSavedIdRun){run->first, run->fluid};
    }
    wbAddSection(&list, "idRuns", runs, runBytes);
    addState(world, &list);

    wbSavedFlow flow = {0};
    wbSavedColliders colliders = {0};
    wbSavedSoftParts soft = {0};
    wbSavedSources air = {0};
    if (wbIsOk(status) && ((fluidBytes && !fluids) || (runBytes && !runs)))
        status = wbMemoryError(NULL, "to save a world needs");
    if (wbIsOk(status)) status = wbSaveFlow(world, &flow, &list);
    if (wbIsOk(status)) status = wbSaveColliders(world, &colliders, &list);
    if (wbIsOk(status)) status = wbSaveSoft(world, &soft, &list);
    if (wbIsOk(status)) status = wbSaveAir(world, &air, &list);
    if (wbIsOk(status)) status = wbDescribeObjects(world, &objects, &objectBytes);
    wbAddSection(&list, "objects", objects, objectBytes);
    if (wbIsOk(status)) status = wbWriteSections(path, &list);
    wbFreeSections(&list);
    wbFree(NULL, params, paramBytes);
    wbFree(NULL, objects, objectBytes);
    wbFreeSavedAir(&air);
    wbFreeSavedColliders(&colliders);
    wbFreeSavedSoft(&soft);
    wbFreeSavedFlow(&flow);
    wbFree(NULL, runs, runBytes);
    wbFree(NULL, fluids, fluidBytes);
    return status;
}

// As format 1 has it: its sides insulate.
typedef struct FirstDomain {
    wbVec3 min, max;
    struct {
        wbSideType type;
        wbVec3 velocity;
    } sides[wb_sideCount];
} FirstDomain;

static wbStatus readDomain(wbSectionList *list, wbDomainDef *domain) {
    wbStatus status = wb_okStatus;
    const wbSection *section = wbFindAnySection(list, "domain", &status);
    if (!section) return status;
    if (section->size != sizeof(FirstDomain)) {
        const void *data = wbFindSection(list, "domain", sizeof *domain, &status);
        if (data) memcpy(domain, data, sizeof *domain);
        return status;
    }
    FirstDomain first;
    memcpy(&first, section->data, sizeof first);
    *domain = (wbDomainDef){.min = first.min, .max = first.max};
    for (int s = 0; s < wb_sideCount; s++)
        domain->sides[s] = (wbSideDef){first.sides[s].type, first.sides[s].velocity, NAN};
    return wb_okStatus;
}

static wbStatus readDef(wbSectionList *list, wbWorldDef *def) {
    wbStatus status = wb_okStatus;
    const wbSection *params = wbFindAnySection(list, "params", &status);
    if (!params) return status;
    WB_TRY(readDomain(list, &def->domain));
    return wbReadSavedParams(params, def);
}

static wbStatus loadValues(wbSectionList *list, wbWorld *world) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbStatus status = wb_okStatus;
    int valueCount = wbWorld_ListValues(world, values);
    for (int v = 0; v < valueCount; v++) {
        const void *bytes = wbFindSection(list, values[v].name, wbGetValueSize(values[v].type), &status);
        if (!bytes) return status;
        WB_TRY(wbLoadValue(&values[v], bytes));
    }
    return wb_okStatus;
}

// The number of fluids follows from the size of their section.
static wbStatus loadFluids(wbSectionList *list, wbWorld *world) {
    wbStatus status = wb_okStatus;
    const wbSection *section = wbFindAnySection(list, "fluids", &status);
    if (!section) return status;
    size_t count = section->size / sizeof(wbSavedFluid);
    if (count > INT_MAX || section->size % sizeof(wbSavedFluid) != 0)
        return wbError(wb_errorInput, "section \"fluids\" has %zu bytes, %zu are one fluid", section->size,
                       sizeof(wbSavedFluid));
    if (!wbArray_Reserve(world->memory, &world->fluids, (int)count))
        return wbMemoryError(world->memory, "%zu fluids need", count);
    for (size_t i = 0; i < count; i++) {
        wbSavedFluid saved;
        memcpy(&saved, (const char *)section->data + i * sizeof saved, sizeof saved);
        if (!saved.name[0] || !memchr(saved.name, 0, sizeof saved.name) || saved.generation % 2 == 0)
            return wbError(wb_errorInput, "fluid %zu has no name or no generation", i);
        if (saved.solver >= WB_FLUID_SOLVERS || saved.spawned < 0 || saved.removed < 0)
            return wbError(wb_errorInput, "the solver or the counts of fluid %zu make no sense", i);
        float density = (float)saved.restDensity;
        if (density != 0 && !(density >= 1e-3f && density <= 1e6f))
            return wbError(wb_errorInput, "the rest density of fluid %zu makes no sense", i);
        WB_TRY(wbUseSolver(world, (wbFluidSolver)saved.solver));
        if (!wbIdPool_Restore(world->memory, &world->fluidIds, saved.generation))
            return wbMemoryError(world->memory, "%zu fluids need", count);
        wbFluid *fluid = (wbFluid *)world->fluids.data + i;
        *fluid = (wbFluid){.generation = saved.generation,
                           .solver = (wbFluidSolver)saved.solver,
                           .restDensity = density,
                           .spawned = saved.spawned,
                           .removed = saved.removed,
                           .viewFloats.elementSize = sizeof(float),
                           .viewIds.elementSize = sizeof(uint32_t)};
        memcpy(fluid->name, saved.name, sizeof saved.name);
    }
    wbFollowModels(world);
    return wb_okStatus;
}

// Sizes come first: nothing is allocated for particles that the file does not have.
static wbStatus loadParticles(wbSectionList *list, wbWorld *world, wbPool *pool) {
    SavedColumn columns[WB_SAVED_COLUMNS];
    const void *found[WB_SAVED_COLUMNS];
    size_t bytes = 4 * (size_t)pool->particles->count;
    wbStatus status = wb_okStatus;
    listSavedColumns(pool, columns);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++) {
        found[c] = wbFindSection(list, columns[c].name, bytes, &status);
        if (!found[c]) return status;
    }
    WB_TRY(wbParticles_Reserve(pool->particles, world->memory, pool->particles->count));
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        if (bytes) memcpy(*columns[c].data, found[c], bytes);
    pool->mostParticles = pool->particles->count;
    return wb_okStatus;
}

static wbStatus loadIdRuns(wbSectionList *list, wbWorld *world) {
    wbStatus status = wb_okStatus;
    const wbSection *section = wbFindAnySection(list, "idRuns", &status);
    if (!section) return status;
    size_t count = section->size / sizeof(wbSavedIdRun);
    if (count > INT_MAX - 1024 || section->size % sizeof(wbSavedIdRun) != 0)
        return wbError(wb_errorInput, "section \"idRuns\" has %zu bytes, %zu are one run", section->size,
                       sizeof(wbSavedIdRun));
    if (!wbArray_Reserve(world->memory, &world->idRuns, (int)count))
        return wbMemoryError(world->memory, "%zu runs of ids need", count);
    for (size_t i = 0; i < count; i++) {
        wbSavedIdRun saved;
        memcpy(&saved, (const char *)section->data + i * sizeof saved, sizeof saved);
        ((wbIdRun *)world->idRuns.data)[i] = (wbIdRun){saved.first, saved.fluid, 0};
    }
    world->idRunCount = (int)count;
    return wb_okStatus;
}

// What shall compute: as it was saved, or as it was asked for.
typedef struct Machine {
    wbBackend backend;
    int device;
    bool isAsked;
} Machine;

// A machine without the device goes on with the cores of its processor, unless the device was asked for.
static wbStatus takeMachine(wbWorld *world, const Machine *machine, const wbSection *writer) {
    wbStatus status = wb_okStatus;
    if (machine->isAsked || machine->backend != wb_backendCpu)
        status = wbWorld_SetBackend(world, machine->backend, machine->device);
    if (machine->isAsked) WB_TRY(status);
    wbNoticeWriter(writer, world, status);
    return wb_okStatus;
}

static wbStatus loadState(wbSectionList *list, wbWorld *world, const Machine *machine) {
    wbStatus status = wb_okStatus;
    const wbSection *writer = wbFindAnySection(list, "writer", &status);
    if (!writer) return status;
    WB_TRY(loadFluids(list, world));
    WB_TRY(loadValues(list, world));
    for (int s = 0; s < WB_FLUID_SOLVERS; s++)
        if (wbIsSolverSaved(world, (wbFluidSolver)s)) WB_TRY(loadParticles(list, world, &world->pools[s]));
    WB_TRY(loadIdRuns(list, world));
    WB_TRY(wbCheckLoaded(world));
    WB_TRY(wbLoadFlow(list, world));
    WB_TRY(wbLoadSoft(list, world)); // first: colliders of soft bodies alone are not sampled
    WB_TRY(wbLoadColliders(list, world));
    WB_TRY(wbLoadAir(list, world));
    const wbSection *objects = wbFindAnySection(list, "objects", &status);
    if (!objects) return status;
    WB_TRY(wbReadSavedObjects(objects, world));
    WB_TRY(wbCheckAllFound(list));
    return takeMachine(world, machine, writer);
}

// asked: NULL, as it was saved
static wbStatus loadSections(wbSectionList *list, const Machine *asked, wbWorld **result) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    WB_TRY(readDef(list, &def));
    WB_TRY(wbCheckSavedAir(list, &def));
    Machine saved = {def.params.backend, def.params.device, false};
    def.params.backend = wb_backendCpu;
    WB_TRY(wbCreateWorld(&def, &world));
    wbStatus status = loadState(list, world, asked ? asked : &saved);
    if (wbIsOk(status))
        *result = world;
    else
        wbDestroyWorld(world);
    return status;
}

static wbStatus loadBytes(const void *bytes, size_t size, const Machine *asked, wbWorld **world) {
    wbSectionList list;
    *world = NULL;
    WB_TRY(wbReadSections(bytes, size, &list));
    wbStatus status = loadSections(&list, asked, world);
    wbFreeSections(&list);
    return status;
}

wbStatus wbLoadWorldFromBytes(const void *bytes, size_t size, wbWorld **world) {
    return loadBytes(bytes, size, NULL, world);
}

// The file's name before a message, its end where it is long; errors of reading have it already.
static wbStatus nameFile(const char *path, wbStatus status) {
    enum { SHOWN = 100 };
    size_t length = strlen(path);
    if (wbIsOk(status) || status.code == wb_errorFile || status.code == wb_errorDevice) return status;
    return wbError(status.code, "%s%s: %s", length > SHOWN ? "…" : "",
                   length > SHOWN ? path + length - SHOWN : path, status.text);
}

static wbStatus loadFile(const char *path, const Machine *asked, wbWorld **world) {
    void *bytes;
    size_t size;
    *world = NULL;
    wbStatus status = wbReadSectionFile(path, &bytes, &size);
    if (!wbIsOk(status)) return nameFile(path, status);
    status = loadBytes(bytes, size, asked, world);
    wbFree(NULL, bytes, size);
    return nameFile(path, status);
}

wbStatus wbLoadWorld(const char *path, wbWorld **world) {
    WB_REQUIRE(path);
    WB_REQUIRE(world);
    return loadFile(path, NULL, world);
}

wbStatus wbLoadWorldOn(const char *path, wbBackend backend, int device, wbWorld **world) {
    WB_REQUIRE(path);
    WB_REQUIRE(world);
    return loadFile(path, &(Machine){backend, device, true}, world);
}
