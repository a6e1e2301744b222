// SPDX-License-Identifier: MIT
#include <float.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "world/world.h"

_Static_assert((int)WB_SOLVER_COUNT <= (int)WB_MAX_SOLVERS, "a profile has room for all");

static const wbSolverKind *const kinds[WB_SOLVER_COUNT] = {
#define WB_SOLVER_ROW(name) &wb_##name##Solver,
    WB_SOLVERS(WB_SOLVER_ROW)
#undef WB_SOLVER_ROW
};

void wbListSolvers(wbWorld *world) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        world->solvers[s] = (wbSolver){.kind = kinds[s], .world = world};
}

const wbSolverKind *wbGetSolverKind(int index) { return kinds[index]; }

const wbSolverInfo *const *wbGetSolvers(int *count) {
    static const wbSolverInfo *const infos[WB_SOLVER_COUNT] = {
#define WB_SOLVER_ROW(name) &wb_##name##Solver.info,
        WB_SOLVERS(WB_SOLVER_ROW)
#undef WB_SOLVER_ROW
    };
    WB_REQUIRE(count);
    *count = WB_SOLVER_COUNT;
    return infos;
}

#define WB_SOLVER_NAME(name) #name
const char wb_fluidSolverNames[] = WB_FLUID_SOLVERS(WB_SOLVER_NAME, "|");
#undef WB_SOLVER_NAME

bool wbWorld_HasSolver(const wbWorld *world, const char *name) {
    WB_REQUIRE(world);
    WB_REQUIRE(name);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (strcmp(s->kind->info.name, name) == 0) return s->self != NULL;
    WB_ASSERT(false, "there is no solver of that name");
    return false;
}

wbStatus wbSolver_Create(wbSolver *solver) {
    if (solver->self) return wb_okStatus;
    wbStatus status = solver->kind->create(solver);
    if (wbIsOk(status) && solver->world->gpu) status = wbSolver_OpenDevice(solver);
    if (!wbIsOk(status)) wbSolver_Destroy(solver);
    if (solver->device) wbSolver_RecordHostValues(solver); // others may be ahead of the host
    return status;
}

void wbSolver_Destroy(wbSolver *solver) {
    wbSolver_CloseDevice(solver);
    if (solver->self) solver->kind->destroy(solver);
    *solver = (wbSolver){.kind = solver->kind, .world = solver->world}; // one that comes again begins anew
}

void wbDisturbSolvers(wbWorld *world) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self && s->kind->disturb) s->kind->disturb(s);
}

wbSolver *wbFindSolver(wbWorld *world, const wbParamTable *table) {
    for (wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->kind->table == table) return s;
    return NULL;
}

int wbSolver_ListValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_SOLVER_COUNT][2] = {
#define WB_SOLVER_ROW(name) {#name ".stepCount", #name ".lastStep"},
        WB_SOLVERS(WB_SOLVER_ROW)
#undef WB_SOLVER_ROW
    };
    wbSolver *own = &solver->world->solvers[solver - solver->world->solvers];
    const char *const *name = names[solver - solver->world->solvers];
    int count = solver->kind->listValues(solver, values);
    WB_ASSERT(count + 2 <= WB_MAX_SOLVER_VALUES, "a solver has more values than fit");
    values[count++] = (wbSavedValue){name[0], &own->subStepCount, wb_valueInt64, 0, 4e18, false};
    values[count++] = (wbSavedValue){name[1], &own->lastSubStep, wb_valueFloat, 0, FLT_MAX, false};
    return count;
}

uint64_t wbSolver_Hash(const wbSolver *solver, uint64_t hash) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    if (solver->kind->clean) solver->kind->clean(solver);
    int valueCount = wbSolver_ListValues(solver, values);
    for (int v = 0; v < valueCount; v++)
        if (values[v].hashed) hash = wbHashBytes(hash, values[v].data, wbGetValueSize(values[v].type));
    int columnCount = solver->kind->listColumns(solver, columns);
    for (int c = 0; c < columnCount; c++) hash = wbHashBytes(hash, columns[c].data, columns[c].bytes);
    return hash;
}

void wbSolver_RecordHostValues(wbSolver *solver) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    int count = wbSolver_ListValues(solver, values);
    for (int v = 0; v < count; v++)
        memcpy(solver->hostValues[v], values[v].data, wbGetValueSize(values[v].type));
}

void wbSolver_RestoreHostValues(const wbSolver *solver) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    int count = wbSolver_ListValues(solver, values);
    for (int v = 0; v < count; v++)
        memcpy(values[v].data, solver->hostValues[v], wbGetValueSize(values[v].type));
}

void wbSolver_RecordHostValue(wbSolver *solver, const void *data) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    int count = wbSolver_ListValues(solver, values);
    for (int v = 0; v < count; v++)
        if (values[v].data == data)
            memcpy(solver->hostValues[v], values[v].data, wbGetValueSize(values[v].type));
}

void wbSolver_Save(const wbSolver *solver, wbSectionList *list) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    if (solver->kind->clean) solver->kind->clean(solver);
    int valueCount = wbSolver_ListValues(solver, values);
    for (int v = 0; v < valueCount; v++)
        wbAddSection(list, values[v].name, values[v].data, wbGetValueSize(values[v].type));
    int columnCount = solver->kind->listColumns(solver, columns);
    for (int c = 0; c < columnCount; c++)
        wbAddSection(list, columns[c].name, columns[c].data, columns[c].bytes);
}

// Sizes come first: nothing is allocated for what the file does not have.
static wbStatus findColumns(const wbSolver *solver, wbSectionList *list) {
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    int count = solver->kind->listColumns(solver, columns);
    wbStatus status = wb_okStatus;
    for (int c = 0; c < count; c++)
        if (!wbFindSection(list, columns[c].name, columns[c].bytes, &status)) return status;
    return wb_okStatus;
}

wbStatus wbSolver_LoadValues(const wbSolver *solver, wbSectionList *list) {
    wbSavedValue values[WB_MAX_SOLVER_VALUES];
    wbStatus status = wb_okStatus;
    int valueCount = wbSolver_ListValues(solver, values);
    for (int v = 0; v < valueCount; v++) {
        const void *bytes = wbFindSection(list, values[v].name, wbGetValueSize(values[v].type), &status);
        if (!bytes) return status;
        WB_TRY(wbLoadValue(&values[v], bytes));
    }
    if (!solver->kind->checkFile) WB_TRY(findColumns(solver, list)); // else it has looked already
    return solver->kind->resize ? solver->kind->resize(solver, list) : wb_okStatus;
}

wbStatus wbSolver_CheckColumns(const wbSolver *solver, wbSectionList *list) {
    WB_TRY(findColumns(solver, list));
    return solver->kind->checkColumns ? solver->kind->checkColumns(solver, list) : wb_okStatus;
}

void wbSolver_LoadColumns(const wbSolver *solver, wbSectionList *list) {
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    wbStatus status = wb_okStatus;
    int columnCount = solver->kind->listColumns(solver, columns);
    for (int c = 0; c < columnCount; c++) {
        const void *bytes = wbFindSection(list, columns[c].name, columns[c].bytes, &status);
        WB_ASSERT(bytes || columns[c].bytes == 0, "columns are checked before they are loaded");
        if (columns[c].bytes) memcpy(columns[c].data, bytes, columns[c].bytes);
    }
    if (solver->kind->endStep) solver->kind->endStep(solver, false);
    if (solver->kind->renew) solver->kind->renew(solver);
}

wbStatus wbSolver_Load(const wbSolver *solver, wbSectionList *list) {
    WB_TRY(wbSolver_LoadValues(solver, list));
    WB_TRY(wbSolver_CheckColumns(solver, list));
    wbSolver_LoadColumns(solver, list);
    return wb_okStatus;
}

wbStatus wbCheckSolverFiles(wbSectionList *list, const wbWorldDef *def) {
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        if (kinds[s]->checkFile) WB_TRY(kinds[s]->checkFile(list, def));
    return wb_okStatus;
}

// "sph.x", without snprintf: the snapshot lists all columns in each step.
static void nameColumn(wbStateColumn *column, const char *solver, const char *name) {
    const size_t length = strlen(solver), rest = strlen(name) + 1;
    WB_ASSERT(length + 1 + rest <= sizeof column->name, "the name of a column is too long");
    memcpy(column->name, solver, length);
    column->name[length] = '.';
    memcpy(column->name + length + 1, name, rest);
}

int wbAddColumns(const wbSolver *solver, const wbColumn *from, int columnCount, int count, bool isSnapshot,
                 wbStateColumn *columns) {
    int added = 0;
    for (int c = 0; c < columnCount; c++) {
        if (!from[c].saved) continue;
        wbStateColumn *column = &columns[added++];
        *column = (wbStateColumn){.data = *from[c].data,
                                  .bytes = (size_t)from[c].elementSize * (size_t)count,
                                  .isSnapshot = isSnapshot};
        nameColumn(column, solver->kind->info.name, from[c].name);
    }
    return added;
}
