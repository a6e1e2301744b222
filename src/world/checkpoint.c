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

_Static_assert(sizeof(wbSavedDomain) == 196, "as it stands in the file");
_Static_assert(sizeof(wbSavedFluid) == 96, "as it stands in the file");

void wbWorld_ListValues(wbWorld *world, wbSavedValue values[WB_WORLD_VALUES]) {
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
        {"frameRate", &world->frameRate, wb_valueDouble, WB_LEAST_FRAME_RATE, WB_MOST_FRAME_RATE, false},
    };
    _Static_assert(sizeof list == WB_WORLD_VALUES * sizeof list[0], "all of them");
    memcpy(values, list, sizeof list);
}

// A state that is unstable, but was not yet found to be, must not take the place of a good one. What was copied from
// a device before it failed is good.
static wbStatus checkHealth(wbWorld *world) {
    wbStatus status = world->stopped.code == wb_errorDevice ? wb_okStatus : world->stopped;
    wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
    for (; liquid && wbIsOk(status); liquid = wbGetNextLiquid(world, liquid)) {
        const wbSolver *solver = liquid->solver;
        status = wbCheckEnergyNow(liquid, solver->lastSubStep);
        if (!wbIsOk(status)) status = solver->kind->explain(solver, solver->lastSubStep, status.text);
    }
    return wbIsOk(status) ? status : wbError(status.code, "not saved: %s", status.text);
}

void wbSaveDomain(const wbWorld *world, wbSectionList *list) {
    const wbDomain *domain = &world->domain;
    const wbDomainDef def = wbDomain_GetDef(domain);
    wbSavedDomain *saved = wbAddOwnedSection(list, "domain", sizeof *saved);
    if (!saved) return;
    saved->sideSpeed = def.sideSpeed;
    memcpy(&saved->min, domain->madeMin, sizeof saved->min);
    memcpy(&saved->max, domain->madeMax, sizeof saved->max);
    memcpy(saved->nowMin, domain->min, sizeof saved->nowMin);
    memcpy(saved->nowMax, domain->max, sizeof saved->nowMax);
    memcpy(saved->sides, def.sides, sizeof saved->sides);
    memcpy(saved->targetMin, domain->targetMin, sizeof saved->targetMin);
    memcpy(saved->targetMax, domain->targetMax, sizeof saved->targetMax);
}

static void saveFluids(const wbWorld *world, wbSectionList *list) {
    size_t count = (size_t)world->fluidIds.indexCount;
    wbSavedFluid *fluids = wbAddOwnedSection(list, "fluids", count * sizeof *fluids);
    for (size_t i = 0; i < count && fluids; i++) {
        const wbFluid *fluid = (const wbFluid *)world->fluids.data + i;
        memcpy(fluids[i].name, fluid->name, sizeof fluid->name);
        fluids[i].index1 = wbIdPool_GetIndex1(&world->fluidIds, (int)i);
        fluids[i].solver = (uint32_t)fluid->solver;
        fluids[i].spawned = fluid->spawned, fluids[i].removed = fluid->removed;
        fluids[i].restDensity = fluid->restDensity;
    }
}

static void saveIdRuns(const wbWorld *world, wbSectionList *list) {
    size_t runCount = (size_t)world->idRunCount;
    wbSavedIdRun *runs = wbAddOwnedSection(list, "idRuns", runCount * sizeof *runs);
    for (size_t i = 0; i < runCount && runs; i++) {
        const wbIdRun *run = (const wbIdRun *)world->idRuns.data + i;
        runs[i] = (wbSavedIdRun){run->first, run->fluid};
    }
}

// Names of the solvers that are there, a line each.
static void saveSolvers(const wbWorld *world, wbSectionList *list) {
    size_t length = 0;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) length += strlen(s->kind->info.name) + 1;
    char *names = wbAddOwnedSection(list, "solvers", length);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT && names; s++) {
        if (!s->self) continue;
        size_t size = strlen(s->kind->info.name);
        memcpy(names, s->kind->info.name, size), names[size] = '\n', names += size + 1;
    }
}

void wbSaveMakeUp(const wbWorld *world, wbSectionList *list) {
    wbSaveIds(world, list);
    saveFluids(world, list);
    saveSolvers(world, list);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->saveObjects) s->kind->saveObjects(s, list);
    wbSaveFlow(world, list);
    wbSaveColliders(world, list);
    wbSaveProbes(world, list);
    wbSaveGrabs(world, list);
}

static void saveSections(wbWorld *world, wbSectionList *list) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbSaveWriter(world, list);
    wbSaveParams(world, list);
    wbSaveDomain(world, list);
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        wbAddSection(list, values[v].name, values[v].data, wbGetValueSize(values[v].type));
    wbSaveMakeUp(world, list);
    saveIdRuns(world, list);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) wbSolver_Save(s, list);
    wbSaveObjects(world, list);
}

wbStatus wbWorld_Save(wbWorld *world, const char *path) {
    WB_REQUIRE(world);
    WB_REQUIRE(path);
    WB_TRY(wbPullState(world));
    WB_TRY(checkHealth(world));
    wbSectionList list = {0};
    saveSections(world, &list);
    wbStatus status = wbWriteSections(path, &list);
    wbFreeSections(&list);
    return status;
}

// The list is in the arena, which is free between steps: worlds that are saved often do not ask for memory each time.
wbStatus wbWorld_SaveToBytes(wbWorld *world, wbBytes *bytes) {
    WB_REQUIRE(world);
    WB_REQUIRE(bytes);
    WB_TRY(wbPullState(world));
    WB_TRY(checkHealth(world));
    (void)wbArena_Reset(world->work.arena); // one that cannot grow is still of use
    wbSectionList list = {.arena = world->work.arena};
    saveSections(world, &list);
    wbStatus status = wbPackSections(&list, bytes);
    wbArena_Release(world->work.arena, 0);
    return status;
}

static wbStatus readDomain(wbSectionList *list, wbSavedDomain *saved) {
    wbStatus status = wb_okStatus;
    const void *data = wbFindSection(list, "domain", sizeof *saved, &status);
    if (data) memcpy(saved, data, sizeof *saved);
    return status;
}

wbStatus wbReadSavedDef(wbSectionList *list, wbWorldDef *def, wbSavedDomain *saved) {
    wbStatus status = wb_okStatus;
    const wbSection *params = wbFindAnySection(list, "params", &status);
    if (!params) return status;
    WB_TRY(readDomain(list, saved));
    def->domain = (wbDomainDef){.min = saved->min, .max = saved->max, .sideSpeed = saved->sideSpeed};
    memcpy(def->domain.sides, saved->sides, sizeof saved->sides);
    return wbReadSavedParams(params, def);
}

wbStatus wbLoadSides(const wbSavedDomain *saved, wbDomain *domain) {
    memcpy(domain->min, saved->nowMin, sizeof domain->min),
        memcpy(domain->max, saved->nowMax, sizeof domain->max);
    memcpy(domain->targetMin, saved->targetMin, sizeof domain->targetMin);
    memcpy(domain->targetMax, saved->targetMax, sizeof domain->targetMax);
    for (int s = 0; s < wb_sideCount; s++) {
        int a = s / 2;
        float end = wbDomain_GetEnd(domain, s), target = s % 2 ? domain->targetMax[a] : domain->targetMin[a];
        bool isGood = domain->closed[s]
                          ? fabsf(target) <= 1e9f && fabsf(end) <= 1e9f && domain->min[a] < domain->max[a] &&
                                domain->targetMin[a] < domain->targetMax[a]
                          : target == end && !isnan(end);
        if (!isGood) return wbError(wb_errorInput, "where the sides of the domain go makes no sense");
    }
    return wb_okStatus;
}

wbStatus wbLoadValues(wbSectionList *list, wbWorld *world) {
    wbSavedValue values[WB_WORLD_VALUES];
    wbStatus status = wb_okStatus;
    wbWorld_ListValues(world, values);
    for (int v = 0; v < WB_WORLD_VALUES; v++) {
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
        if (!saved.name[0] || !wbIsSavedObject(saved.name, saved.index1))
            return wbError(wb_errorInput, "fluid %zu has no name or no id", i);
        if (!wbIsFluidSolver(saved.solver) || saved.spawned < 0 || saved.removed < 0)
            return wbError(wb_errorInput, "the solver or the counts of fluid %zu make no sense", i);
        float density = (float)saved.restDensity;
        if (density != 0 && !(density >= 1e-3f && density <= 1e6f))
            return wbError(wb_errorInput, "the rest density of fluid %zu makes no sense", i);
        WB_TRY(wbSolver_Create(&world->solvers[saved.solver]));
        WB_TRY(wbTakeObjectId(world, &wb_fluidKind, saved.index1));
        wbFluid *fluid = (wbFluid *)world->fluids.data + i;
        *fluid = wbMakeFluid((wbFluidSolver)saved.solver, density);
        fluid->spawned = saved.spawned, fluid->removed = saved.removed;
        memcpy(fluid->name, saved.name, sizeof saved.name);
    }
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        l->method->follow(l);
    return wb_okStatus;
}

// Whether a section has a line with this name.
static bool isNamed(const wbSection *section, const char *name) {
    size_t length = strlen(name);
    const char *at = section->data, *end = at + section->size, *stop;
    for (; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) return false;
        if ((size_t)(stop - at) == length && memcmp(at, name, length) == 0) return true;
    }
    return false;
}

// Solvers that have a fluid or were made with the world have to be in the file, and others that come with their objects may be.
static wbStatus loadSolvers(wbSectionList *list, wbWorld *world, bool isNamedIn[WB_SOLVER_COUNT]) {
    wbStatus status = wb_okStatus;
    const wbSection *names = wbFindAnySection(list, "solvers", &status);
    if (!names) return status;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        wbSolver *solver = &world->solvers[s];
        const wbSolverInfo *info = &solver->kind->info;
        isNamedIn[s] = isNamed(names, info->name);
        if (solver->self && !isNamedIn[s] && solver->kind->isWanted) wbSolver_Destroy(solver);
        if (solver->self && !isNamedIn[s])
            return wbError(wb_errorInput, "section \"solvers\" does not name %s, which is there", info->name);
        if (!isNamedIn[s]) continue;
        if (!solver->self && (info->isAsked > 0 || info->isFluid))
            return wbError(wb_errorInput, "section \"solvers\" names %s, of which there are no %s",
                           info->name, info->isFluid ? "fluids" : "parameters");
        WB_TRY(wbSolver_Create(solver));
        WB_TRY(wbSolver_Load(solver, list));
    }
    return wb_okStatus;
}

wbStatus wbReserveIdRuns(wbSectionList *list, wbWorld *world) {
    const wbSection *section;
    size_t count;
    WB_TRY(wbFindParts(list, "idRuns", sizeof(wbSavedIdRun), INT_MAX - 1024, &section, &count));
    if (wbArray_Reserve(world->memory, &world->idRuns, (int)count)) return wb_okStatus;
    return wbMemoryError(world->memory, "%zu runs of ids need", count);
}

void wbLoadIdRuns(wbSectionList *list, wbWorld *world) {
    wbStatus status = wb_okStatus;
    const wbSection *section = wbFindAnySection(list, "idRuns", &status);
    world->idRunCount = (int)(section->size / sizeof(wbSavedIdRun));
    for (int i = 0; i < world->idRunCount; i++) {
        wbSavedIdRun saved;
        memcpy(&saved, (const char *)section->data + (size_t)i * sizeof saved, sizeof saved);
        ((wbIdRun *)world->idRuns.data)[i] = (wbIdRun){saved.first, saved.fluid, 0};
    }
}

void wbLoadFluidCounts(wbSectionList *list, wbWorld *world) {
    wbStatus status = wb_okStatus;
    const wbSection *section = wbFindAnySection(list, "fluids", &status);
    for (int i = 0; i < world->fluidIds.indexCount; i++) {
        wbSavedFluid saved;
        wbFluid *fluid = (wbFluid *)world->fluids.data + i;
        memcpy(&saved, (const char *)section->data + (size_t)i * sizeof saved, sizeof saved);
        fluid->spawned = saved.spawned, fluid->removed = saved.removed;
    }
}

// What shall compute: as it was saved, as it was asked for, or what another world has.
typedef struct Machine {
    wbBackend backend;
    int device;
    bool isAsked;
    const wbWorld *other; // NULL: a machine of its own
} Machine;

// A machine without the device goes on with the cores of its processor, unless the device was asked for.
static wbStatus takeMachine(wbWorld *world, const Machine *machine, const wbSection *writer) {
    wbStatus status = wb_okStatus;
    if (machine->other)
        WB_TRY(wbShareDevice(world, machine->other));
    else if (machine->isAsked || machine->backend != wb_backendCpu)
        status = wbWorld_SetBackend(world, machine->backend, machine->device);
    if (machine->isAsked) WB_TRY(status);
    wbNoticeWriter(writer, world, status);
    return wb_okStatus;
}

static wbStatus loadState(wbSectionList *list, wbWorld *world, const Machine *machine) {
    bool isNamedIn[WB_SOLVER_COUNT];
    wbStatus status = wb_okStatus;
    const wbSection *writer = wbFindAnySection(list, "writer", &status);
    if (!writer) return status;
    WB_TRY(wbLoadIds(list, world));
    WB_TRY(loadFluids(list, world));
    WB_TRY(wbLoadValues(list, world));
    WB_TRY(loadSolvers(list, world, isNamedIn));
    WB_TRY(wbReserveIdRuns(list, world));
    wbLoadIdRuns(list, world);
    WB_TRY(wbCheckLoaded(list, world));
    WB_TRY(wbLoadFlow(list, world));
    for (int s = 0; s < WB_SOLVER_COUNT; s++) // before colliders, which only some solvers have sampled
        if (isNamedIn[s] && world->solvers[s].kind->loadObjects)
            WB_TRY(world->solvers[s].kind->loadObjects(&world->solvers[s], list));
    WB_TRY(wbLoadColliders(list, world));
    WB_TRY(wbLoadProbes(list, world));
    WB_TRY(wbLoadGrabs(list, world));
    const wbSection *objects = wbFindAnySection(list, "objects", &status);
    if (!objects) return status;
    WB_TRY(wbReadSavedObjects(objects, world));
    wbLoadColliderStates(list, world); // parameters say where what is not driven goes
    WB_TRY(wbCheckAllFound(list));
    WB_TRY(wbCheckIds(world));
    WB_TRY(wbListBodies(world)); // those that were wet have the floor under their inertia
    return takeMachine(world, machine, writer);
}

static wbStatus createWorld(const wbWorldDef *def, const wbWorld *other, wbWorld **world) {
    wbWorldDef own = *def;
    own.params.backend = wb_backendCpu; // until all is loaded
    if (!other) return wbCreateWorld(&own, world);
    own.params.memoryLimit = other->params.memoryLimit;
    own.threadCount = other->def.threadCount, own.simd = other->def.simd;
    own.parallel = other->parallel, own.parallelContext = other->parallelContext;
    return wbCreateWorldBeside(other, &own, world);
}

static void destroyWorld(wbWorld *world, const wbWorld *other) {
    if (!other) return wbDestroyWorld(world);
    if (world->gpu) wbLeaveDevice(world);
    wbDestroyContents(world);
}

// asked: NULL, as it was saved
static wbStatus loadSections(wbSectionList *list, const Machine *asked, wbWorld **result) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbSavedDomain domain;
    WB_TRY(wbReadSavedDef(list, &def, &domain));
    WB_TRY(wbCheckSolverFiles(list, &def));
    const Machine machine =
        asked ? *asked : (Machine){.backend = def.params.backend, .device = def.params.device};
    WB_TRY(createWorld(&def, machine.other, &world));
    wbStatus status = wbLoadSides(&domain, &world->domain);
    if (wbIsOk(status)) status = loadState(list, world, &machine);
    if (wbIsOk(status))
        *result = world;
    else
        destroyWorld(world, machine.other);
    return status;
}

wbStatus wbLoadBeside(wbSectionList *list, const wbWorld *other, wbWorld **world) {
    return loadSections(list, &(Machine){.other = other}, world);
}

static wbStatus loadBytes(const void *bytes, size_t size, const Machine *asked, wbWorld **world) {
    wbSectionList list;
    *world = NULL;
    WB_TRY(wbReadSections(bytes, size, NULL, &list));
    wbStatus status = loadSections(&list, asked, world);
    wbFreeSections(&list);
    return status;
}

wbStatus wbLoadWorldFromBytes(const void *bytes, size_t size, wbWorld **world) {
    WB_REQUIRE(bytes);
    WB_REQUIRE(world);
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
    return loadFile(path, &(Machine){.backend = backend, .device = device, .isAsked = true}, world);
}
