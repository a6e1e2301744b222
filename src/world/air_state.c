// SPDX-License-Identifier: MIT
// The state of the air, as hash, checkpoint and snapshot see it: fields as they stand in memory, empty beyond the sides, where
// the window is, and sources with their meshes. A file may say anything.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "shape/mesh.h"
#include "world/air.h"
#include "world/checkpoint.h"

typedef struct SavedSource {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t vertexCount, triangleCount; // 0 without a mesh
    uint32_t unused;                    // 0
} SavedSource;
_Static_assert(sizeof(SavedSource) == 80, "as it stands in the file");

static const char *const fieldNames[wb_smokeFieldCount] = {"u",    "v",   "w",     "density", "temperature",
                                                           "fuel", "red", "green", "blue"};
static const char *const coarseNames[3] = {"coarseU", "coarseV", "coarseW"};

static const char *getFieldName(const wbSmoke *smoke, int field) {
    static const char *const steam[2] = {"steam", "cloud"};
    return smoke->steam && field >= smoke->steam ? steam[field - smoke->steam] : fieldNames[field];
}

static size_t getFieldBytes(const wbSmokeGrid *grid) { return sizeof(float) * (size_t)grid->total; }

static size_t getPressureBytes(const wbSmoke *smoke) {
    return sizeof(float) * (size_t)smoke->pressure.levels[0].total;
}

static int countFields(const wbSmoke *smoke) { return wb_smokeDensity + smoke->scalarCount; }

// State

int wbListAirValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    static const char *const names[WB_SMOKE_VALUES] = {WB_SMOKE_VALUE_NAMES("smoke")};
    static const char *const coarse[WB_SMOKE_VALUES] = {WB_SMOKE_VALUE_NAMES("coarse")};
    wbAir *air = solver->self;
    int n = WB_SMOKE_VALUES;
    wbSmoke_ListValues(&air->smoke, names, values);
    values[n++] = (wbSavedValue){"smoke.heatCount", &air->heatCount, wb_valueInt, 0, INT_MAX, true};
    values[n++] = (wbSavedValue){"smoke.evaporated", &air->evaporated, wb_valueDouble, 0, DBL_MAX, false};
    values[n++] = (wbSavedValue){"smoke.lostHeat", &air->lostHeat, wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    values[n++] =
        (wbSavedValue){"smoke.broughtHeat", &air->broughtHeat, wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    values[n++] =
        (wbSavedValue){"smoke.waterHeat", &air->waterHeat, wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    wbSmokeHeat *heat = &air->smoke.heat;
    values[n++] =
        (wbSavedValue){"smoke.sourceHeat", &heat->sources, wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    values[n++] = (wbSavedValue){"smoke.sideHeat", &heat->sides, wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    values[n++] = (wbSavedValue){"smoke.flowHeat", &heat->lost, wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    values[n++] = (wbSavedValue){"smoke.drowned", &air->drowned, wb_valueDouble, 0, DBL_MAX, false};
    if (!air->coarse) return n;
    wbSmoke_ListValues(&air->coarse->smoke, coarse, values + n);
    return n + WB_SMOKE_VALUES;
}

static wbStateColumn makeColumn(const char *name, void *data, size_t bytes, bool isSnapshot) {
    wbStateColumn column = {.data = data, .bytes = bytes, .isSnapshot = isSnapshot};
    snprintf(column.name, sizeof column.name, "smoke.%s", name);
    return column;
}

// Whether a step may fail when the air has moved. It moves last, and a sub-step has all its memory before it begins: but the one
// before it has moved it.
// Others may push it before.
static bool mayMove(const wbSolver *solver) { return solver->planned > 1 || wbIsAirPushed(solver->world); }

// What prepares it takes the pressure away where colliders come to, and may fill coarse cells anew. Those carry no smoke.
static bool isPrepared(const wbSolver *solver) {
    return mayMove(solver) || wbIsAirFilled(solver->world) || wbAreBodiesInAir(solver->world) ||
           !wbAreCollidersCut(solver->world, solver->world->collidersDt);
}

int wbListAirColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    const wbAir *air = solver->self;
    const wbSmoke *smoke = &air->smoke, *coarse = air->coarse ? &air->coarse->smoke : NULL;
    const bool moves = mayMove(solver), isCut = isPrepared(solver);
    int n = 0;
    for (int f = 0; f < countFields(smoke); f++)
        columns[n++] =
            makeColumn(getFieldName(smoke, f), smoke->fields[f], getFieldBytes(&smoke->grid), moves);
    columns[n++] = makeColumn("pressure0", smoke->pressure.levels[0].p[0], getPressureBytes(smoke), isCut);
    columns[n++] = makeColumn("pressure1", smoke->pressure.levels[0].p[1], getPressureBytes(smoke), isCut);
    columns[n++] = makeColumn("marks", smoke->marks, wbGetSmokeBlockCount(&smoke->grid), moves);
    wbSetAirBuffers(solver->world, false, countFields(smoke), moves, columns);
    if (air->fill.cellCount > 0)
        columns[n++] = makeColumn("filled", air->fill.filled.data, (size_t)air->fill.cellCount, true);
    if (air->heatCount > 0)
        columns[n++] = makeColumn("heat", air->heats.data, sizeof(float) * (size_t)air->heatCount, true);
    if (!coarse) return n;
    wbStateColumn *others = columns + n;
    for (int a = 0; a < 3; a++)
        columns[n++] = makeColumn(coarseNames[a], coarse->fields[a], getFieldBytes(&coarse->grid), true);
    columns[n++] =
        makeColumn("coarsePressure0", coarse->pressure.levels[0].p[0], getPressureBytes(coarse), true);
    columns[n++] =
        makeColumn("coarsePressure1", coarse->pressure.levels[0].p[1], getPressureBytes(coarse), true);
    wbSetAirBuffers(solver->world, true, 3, moves, others);
    return n;
}

// Where solids are, and the cells that they came to.
int wbListAirUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbAir *air = solver->self;
    wbSmoke *const grids[2] = {&air->smoke, air->coarse ? &air->coarse->smoke : NULL};
    const bool isCut = isPrepared(solver);
    int n = 0;
    for (int g = 0; g < 2 && grids[g]; g++) {
        wbSmoke *smoke = grids[g];
        columns[n++] = makeColumn("solid", smoke->solid, wbCountAirCells(&smoke->grid), isCut);
        columns[n++] = makeColumn("coveredCount", &smoke->coveredCount, sizeof smoke->coveredCount, isCut);
        columns[n++] = makeColumn("covered", smoke->covered.data,
                                  sizeof(wbCoveredCell) * (size_t)smoke->coveredCount, isCut);
    }
    return n;
}

// What is copied back may stand in blocks that have become empty.
static void markDirty(wbSmoke *smoke) { memset(smoke->dirty[0], 1, wbGetSmokeBlockCount(&smoke->grid)); }

void wbEndAirStep(const wbSolver *solver, bool isUndone) {
    wbAir *air = solver->self;
    wbEndWindow(solver->world, isUndone);
    if (!isUndone) return;
    air->areCollidersStale = true; // they are where they were, too
    markDirty(&air->smoke);
    if (air->coarse) markDirty(&air->coarse->smoke);
    wbMarkAirDeviceDirty(solver->world);
}

void wbCleanAir(const wbSolver *solver) {
    wbAir *air = solver->self;
    wbSmoke_ClearBeyond(&air->smoke);
    if (air->coarse) wbSmoke_ClearBeyond(&air->coarse->smoke);
}

// Saving

static void copySources(const wbWorld *world, SavedSource *saved, char *vertices, char *indices) {
    for (int i = 0; i < world->sourceIds.indexCount; i++) {
        const wbAirSource *source = wbGetSourceAt(world, i);
        SavedSource *copy = &saved[i];
        *copy = (SavedSource){.index1 = wbIdPool_GetIndex1(&world->sourceIds, i),
                              .vertexCount = source->mesh.vertexCount,
                              .triangleCount = source->mesh.triangleCount};
        memcpy(copy->name, source->name, sizeof source->name);
        if (source->mesh.triangleCount == 0) continue;
        size_t vertexBytes = sizeof(float[3]) * (size_t)source->mesh.vertexCount,
               indexBytes = sizeof(uint32_t[3]) * (size_t)source->mesh.triangleCount;
        memcpy(vertices, source->mesh.vertices, vertexBytes), vertices += vertexBytes;
        memcpy(indices, source->mesh.indices, indexBytes), indices += indexBytes;
    }
}

void wbSaveSources(const wbSolver *solver, wbSectionList *list) {
    const wbWorld *world = solver->world;
    const wbAir *air = wbGetAir(world);
    size_t count = (size_t)world->sourceIds.indexCount, vertexBytes = 0, indexBytes = 0;
    int32_t *window = air->coarse ? wbAddOwnedSection(list, "smoke.window", sizeof(int32_t[6])) : NULL;
    for (int a = 0; a < 3 && window; a++)
        window[a] = air->coarse->low[a], window[3 + a] = air->coarse->high[a];
    for (size_t i = 0; i < count; i++) {
        const wbMesh *mesh = &wbGetSourceAt(world, (int)i)->mesh;
        vertexBytes += sizeof(float[3]) * (size_t)mesh->vertexCount;
        indexBytes += sizeof(uint32_t[3]) * (size_t)mesh->triangleCount;
    }
    SavedSource *sources = wbAddOwnedSection(list, "sources", sizeof *sources * count);
    char *vertices = wbAddOwnedSection(list, "sourceVertices", vertexBytes),
         *indices = wbAddOwnedSection(list, "sourceIndices", indexBytes);
    if (sources && !list->lacksMemory) copySources(world, sources, vertices, indices);
}

// Loading

// The window that is saved: whole blocks within the box.
static wbStatus findWindow(wbSectionList *list, const wbSmokeGrid *box, int32_t window[6]) {
    const int cells[3] = {box->nx, box->ny, box->nz},
              size[3] = {WB_SMOKE_BLOCK_X, WB_SMOKE_BLOCK, WB_SMOKE_BLOCK};
    wbStatus status = wb_okStatus;
    const void *data = wbFindSection(list, "smoke.window", sizeof(int32_t[6]), &status);
    if (!data) return status;
    memcpy(window, data, sizeof(int32_t[6]));
    for (int a = 0; a < 3; a++) {
        int low = window[a], high = window[3 + a];
        if (low < 0 || low >= high || high > cells[a] || low % size[a] != 0 ||
            (high % size[a] != 0 && high != cells[a]))
            return wbError(wb_errorInput, "section \"smoke.window\" is no part of the box in whole blocks");
    }
    return wb_okStatus;
}

// A small file must not ask for much memory.
wbStatus wbCheckAirFile(wbSectionList *list, const wbWorldDef *def) {
    wbSmokeModel model, part;
    wbStatus status = wb_okStatus;
    if (!def->hasSmoke) return wb_okStatus;
    WB_TRY(wbCheckAir(def, &model));
    int factor = wbChooseNestedFactor(&model), window[6];
    part = model;
    if (factor > 0) {
        WB_TRY(findWindow(list, &model.grid, window));
        wbSmokeModel_Coarsen(&part, &model, factor);
        if (!wbFindSection(list, "smoke.coarseU", getFieldBytes(&part.grid), &status)) return status;
        wbSmokeModel_Cut(&part, &model, window, window + 3);
    }
    (void)wbFindSection(list, "smoke.u", getFieldBytes(&part.grid), &status);
    return status;
}

// Whether water may fill cells can change while a world runs: the file says whether it did.
static wbStatus resizeFill(wbWorld *world, wbSectionList *list) {
    wbAir *air = wbGetAir(world);
    wbStatus status = wb_okStatus;
    const bool isSaved = wbFindAnySection(list, "smoke.filled", &status) != NULL;
    if (isSaved == (air->fill.cellCount > 0)) return wb_okStatus;
    if (isSaved) return wbAirFill_Open(&air->fill, world->memory, &air->smoke.grid);
    wbAirFill_Free(world->memory, &air->fill);
    return wb_okStatus;
}

// As many as the file has: what it says is no reason to ask for memory.
static wbStatus resizeHeats(wbWorld *world, wbSectionList *list) {
    wbAir *air = wbGetAir(world);
    wbStatus status = wb_okStatus;
    if (air->heatCount == 0) return wb_okStatus;
    if (!wbFindSection(list, "smoke.heat", sizeof(float) * (size_t)air->heatCount, &status)) return status;
    if (wbArray_Reserve(world->memory, &air->heats, air->heatCount)) return wb_okStatus;
    return wbMemoryError(world->memory, "the heat of %d particles needs", air->heatCount);
}

wbStatus wbResizeAir(const wbSolver *solver, wbSectionList *list) {
    const wbCoarseAir *coarse = wbGetAir(solver->world)->coarse;
    int32_t window[6];
    WB_TRY(resizeFill(solver->world, list));
    WB_TRY(resizeHeats(solver->world, list));
    if (!coarse) return wb_okStatus;
    WB_TRY(findWindow(list, &coarse->box.grid, window));
    if (memcmp(window, coarse->low, sizeof coarse->low) == 0 &&
        memcmp(window + 3, coarse->high, sizeof coarse->high) == 0)
        return wb_okStatus;
    return wbOpenWindow(solver->world, window, window + 3);
}

wbStatus wbCheckAirColumns(const wbSolver *solver, wbSectionList *list) {
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    int count = wbListAirColumns(solver, columns);
    wbStatus status = wb_okStatus;
    for (int c = 0; c < count; c++) {
        const void *bytes = wbFindSection(list, columns[c].name, columns[c].bytes, &status);
        if (columns[c].data != wbGetAir(solver->world)->smoke.marks &&
            columns[c].data != wbGetAir(solver->world)->fill.filled.data &&
            !wbAreFinite(bytes, columns[c].bytes / sizeof(float)))
            return wbError(wb_errorInput, "section \"%s\" has numbers that are not finite", columns[c].name);
    }
    return status;
}

// Solids that stand where they stood are cut already.
void wbRenewAir(const wbSolver *solver) {
    wbAir *air = solver->self;
    wbSmoke *smoke = &air->smoke;
    const size_t blocks = wbGetSmokeBlockCount(&smoke->grid);
    for (size_t b = 0; b < blocks; b++) smoke->marks[b] = smoke->marks[b] != 0;
    memset(smoke->dirty[0], 1, blocks);
    uint8_t *filled = air->fill.filled.data;
    for (int c = 0; c < air->fill.cellCount; c++) filled[c] = filled[c] != 0;
    if (air->coarse) memset(air->coarse->smoke.dirty[0], 1, wbGetSmokeBlockCount(&air->coarse->smoke.grid));
    if (wbAreCollidersCut(solver->world, 0) && !air->isStirred) return;
    air->areCollidersStale = true, air->isStirred = false;
    wbSmoke_ForgetSolids(smoke, &air->model);
    if (air->coarse) wbSmoke_ForgetSolids(&air->coarse->smoke, &air->coarse->model);
}

static wbStatus loadSources(wbSectionList *list, wbWorld *world) {
    const wbSection *sources;
    size_t count;
    wbStatus status = wb_okStatus;
    WB_TRY(wbFindParts(list, "sources", sizeof(SavedSource), WB_MAX_SOURCES, &sources, &count));
    const wbSection *vertices = wbFindAnySection(list, "sourceVertices", &status),
                    *indices = vertices ? wbFindAnySection(list, "sourceIndices", &status) : NULL;
    if (!indices) return status;
    wbSavedMeshes meshes = {vertices->data, indices->data, vertices->size, indices->size};
    const wbSourceDef def = wbDefaultSourceDef();
    for (size_t i = 0; i < count; i++) {
        SavedSource saved;
        wbMesh mesh = {0};
        memcpy(&saved, (const char *)sources->data + i * sizeof saved, sizeof saved);
        if (!wbIsSavedObject(saved.name, saved.index1) || saved.unused != 0)
            return wbError(wb_errorInput, "source %zu makes no sense", i);
        if (saved.vertexCount != 0 || saved.triangleCount != 0)
            WB_TRY(wbLoadMesh(&meshes, "sources", saved.vertexCount, saved.triangleCount, &mesh));
        WB_TRY(wbAddSource(world, saved.name, &def.params, &mesh, saved.index1));
    }
    if (meshes.vertexBytes == 0 && meshes.indexBytes == 0) return wb_okStatus;
    return wbError(wb_errorInput, "there are more meshes than sources");
}

wbStatus wbLoadSources(const wbSolver *solver, wbSectionList *list) {
    return loadSources(list, solver->world);
}
