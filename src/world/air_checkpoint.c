// SPDX-License-Identifier: MIT
// The air in a checkpoint: its fields as they stand in memory, empty beyond the sides, and its sources with their meshes.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "shape/mesh.h"
#include "world/air.h"
#include "world/checkpoint.h"

_Static_assert(sizeof(wbSavedSource) == 80, "as it stands in the file");
_Static_assert(sizeof(wbSmokeValues) == 56, "as it stands in the file");

static const char *const fieldNames[wb_smokeFieldCount] = {
    "smoke.u",    "smoke.v",   "smoke.w",     "smoke.density", "smoke.temperature",
    "smoke.fuel", "smoke.red", "smoke.green", "smoke.blue"};
static const char *const pressureNames[2] = {"smoke.pressure0", "smoke.pressure1"};
static const char *const coarseNames[3] = {"smoke.coarseU", "smoke.coarseV", "smoke.coarseW"};
static const char *const coarsePressureNames[2] = {"smoke.farPressure0", "smoke.farPressure1"};

static size_t getFieldBytes(const wbSmokeGrid *grid) { return sizeof(float) * (size_t)grid->total; }

static size_t getPressureBytes(const wbSmoke *smoke) {
    return sizeof(float) * (size_t)smoke->pressure.levels[0].total;
}

static int countFields(const wbSmoke *smoke) { return wb_smokeDensity + smoke->scalarCount; }

// Saving

static void addFields(wbSmoke *smoke, wbSectionList *list) {
    wbSmoke_ClearBeyond(smoke);
    for (int f = 0; f < countFields(smoke); f++)
        wbAddSection(list, fieldNames[f], smoke->fields[f], getFieldBytes(&smoke->grid));
    for (int colour = 0; colour < 2; colour++)
        wbAddSection(list, pressureNames[colour], smoke->pressure.levels[0].p[colour],
                     getPressureBytes(smoke));
    wbAddSection(list, "smoke.marks", smoke->marks, wbGetSmokeBlockCount(&smoke->grid));
}

// Coarse cells carry no smoke.
static void addCoarse(wbCoarseAir *coarse, wbSavedSources *saved, wbSectionList *list) {
    wbSmoke *smoke = &coarse->smoke;
    wbSmoke_ClearBeyond(smoke);
    saved->coarse = wbSmoke_GetValues(smoke);
    for (int a = 0; a < 3; a++) saved->window[a] = coarse->low[a], saved->window[3 + a] = coarse->high[a];
    wbAddSection(list, "smoke.window", saved->window, sizeof saved->window);
    wbAddSection(list, "smoke.coarse", &saved->coarse, sizeof saved->coarse);
    for (int axis = 0; axis < 3; axis++)
        wbAddSection(list, coarseNames[axis], smoke->fields[axis], getFieldBytes(&smoke->grid));
    for (int colour = 0; colour < 2; colour++)
        wbAddSection(list, coarsePressureNames[colour], smoke->pressure.levels[0].p[colour],
                     getPressureBytes(smoke));
}

static void copySources(const wbWorld *world, wbSavedSources *saved) {
    char *vertices = saved->vertices, *indices = saved->indices;
    for (int i = 0; i < world->air->sourceIds.indexCount; i++) {
        const wbAirSource *source = wbGetSourceAt(world, i);
        wbSavedSource *copy = (wbSavedSource *)saved->sources + i;
        *copy = (wbSavedSource){.generation = source->generation,
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

wbStatus wbSaveAir(const wbWorld *world, wbSavedSources *saved, wbSectionList *list) {
    wbAir *air = world->air;
    if (!air) return wb_okStatus;
    wbSmoke *smoke = &air->smoke;
    saved->sourceBytes = sizeof(wbSavedSource) * (size_t)air->sourceIds.indexCount;
    for (int i = 0; i < air->sourceIds.indexCount; i++) {
        saved->vertexBytes += sizeof(float[3]) * (size_t)wbGetSourceAt(world, i)->mesh.vertexCount;
        saved->indexBytes += sizeof(uint32_t[3]) * (size_t)wbGetSourceAt(world, i)->mesh.triangleCount;
    }
    saved->sources = wbAllocZero(NULL, saved->sourceBytes);
    saved->vertices = wbAlloc(NULL, saved->vertexBytes);
    saved->indices = wbAlloc(NULL, saved->indexBytes);
    if ((saved->sourceBytes && !saved->sources) || (saved->vertexBytes && !saved->vertices) ||
        (saved->indexBytes && !saved->indices))
        return wbMemoryError(NULL, "to save sources needs");
    copySources(world, saved);
    saved->air = wbSmoke_GetValues(smoke);
    wbAddSection(list, "smoke", &saved->air, sizeof saved->air);
    addFields(smoke, list);
    if (air->coarse) addCoarse(air->coarse, saved, list);
    wbAddSection(list, "sources", saved->sources, saved->sourceBytes);
    wbAddSection(list, "sourceVertices", saved->vertices, saved->vertexBytes);
    wbAddSection(list, "sourceIndices", saved->indices, saved->indexBytes);
    return wb_okStatus;
}

void wbFreeSavedAir(wbSavedSources *saved) {
    wbFree(NULL, saved->sources, saved->sourceBytes);
    wbFree(NULL, saved->vertices, saved->vertexBytes);
    wbFree(NULL, saved->indices, saved->indexBytes);
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
wbStatus wbCheckSavedAir(wbSectionList *list, const wbWorldDef *def) {
    wbSmokeModel model, part;
    wbStatus status = wb_okStatus;
    if (!def->hasSmoke) return wb_okStatus;
    WB_TRY(wbCheckAir(def, &model));
    int factor = wbChooseNestedFactor(&model), window[6];
    part = model;
    if (factor > 0) {
        WB_TRY(findWindow(list, &model.grid, window));
        wbSmokeModel_Coarsen(&part, &model, factor);
        if (!wbFindSection(list, coarseNames[0], getFieldBytes(&part.grid), &status)) return status;
        wbSmokeModel_Cut(&part, &model, window, window + 3);
    }
    (void)wbFindSection(list, fieldNames[0], getFieldBytes(&part.grid), &status);
    return status;
}

// Beyond that it is taken as not finite.
static bool areFinite(const float *values, size_t count) {
    const float largest = 1e30f;
    for (size_t n = 0; n < count; n++)
        if (!(fabsf(values[n]) < largest)) return false;
    return true;
}

static wbStatus loadFloats(wbSectionList *list, const char *name, float *target, size_t bytes) {
    wbStatus status = wb_okStatus;
    const void *data = wbFindSection(list, name, bytes, &status);
    if (!data) return status;
    memcpy(target, data, bytes);
    if (areFinite(target, bytes / sizeof(float))) return wb_okStatus;
    return wbError(wb_errorInput, "section \"%s\" has numbers that are not finite", name);
}

static wbStatus loadNumbers(wbSectionList *list, const char *name, wbSmoke *smoke) {
    wbSmokeValues saved;
    wbStatus status = wb_okStatus;
    const void *data = wbFindSection(list, name, sizeof saved, &status);
    if (!data) return status;
    memcpy(&saved, data, sizeof saved);
    if (!(saved.maxSpeed >= 0 && saved.maxSpeed < INFINITY) || !isfinite(saved.drift) ||
        !(saved.divergenceBefore >= 0) || !(saved.divergence >= 0) || saved.cycles < 0 ||
        saved.likelyCycles < 0 || saved.slowSteps < 0 || (saved.turned != 0 && saved.turned != 1) ||
        !isfinite(saved.left) || !(saved.pressureStep >= 0 && saved.pressureStep < INFINITY))
        return wbError(wb_errorInput, "section \"%s\" makes no sense", name);
    wbSmoke_SetValues(smoke, &saved);
    return wb_okStatus;
}

static wbStatus loadFields(wbSectionList *list, wbSmoke *smoke) {
    wbStatus status = wb_okStatus;
    size_t blocks = wbGetSmokeBlockCount(&smoke->grid);
    for (int f = 0; f < countFields(smoke); f++)
        WB_TRY(loadFloats(list, fieldNames[f], smoke->fields[f], getFieldBytes(&smoke->grid)));
    for (int colour = 0; colour < 2; colour++)
        WB_TRY(loadFloats(list, pressureNames[colour], smoke->pressure.levels[0].p[colour],
                          getPressureBytes(smoke)));
    const uint8_t *marks = wbFindSection(list, "smoke.marks", blocks, &status);
    for (size_t b = 0; b < blocks && marks; b++) smoke->marks[b] = marks[b] != 0;
    return status;
}

static wbStatus loadCoarse(wbSectionList *list, wbWorld *world) {
    wbSmoke *smoke = &world->air->coarse->smoke;
    int32_t window[6];
    WB_TRY(findWindow(list, &world->air->coarse->box.grid, window));
    WB_TRY(wbMoveWindow(world, window, window + 3));
    WB_TRY(loadNumbers(list, "smoke.coarse", smoke));
    for (int axis = 0; axis < 3; axis++)
        WB_TRY(loadFloats(list, coarseNames[axis], smoke->fields[axis], getFieldBytes(&smoke->grid)));
    for (int colour = 0; colour < 2; colour++)
        WB_TRY(loadFloats(list, coarsePressureNames[colour], smoke->pressure.levels[0].p[colour],
                          getPressureBytes(smoke)));
    return wb_okStatus;
}

static wbStatus loadSources(wbSectionList *list, wbWorld *world) {
    const wbSection *sources;
    size_t count;
    wbStatus status = wb_okStatus;
    WB_TRY(wbFindParts(list, "sources", sizeof(wbSavedSource), WB_MAX_SOURCES, &sources, &count));
    const wbSection *vertices = wbFindAnySection(list, "sourceVertices", &status),
                    *indices = vertices ? wbFindAnySection(list, "sourceIndices", &status) : NULL;
    if (!indices) return status;
    wbSavedMeshes meshes = {vertices->data, indices->data, vertices->size, indices->size};
    const wbSourceDef def = wbDefaultSourceDef();
    for (size_t i = 0; i < count; i++) {
        wbSavedSource saved;
        wbMesh mesh = {0};
        memcpy(&saved, (const char *)sources->data + i * sizeof saved, sizeof saved);
        if (!wbIsSavedObject(saved.name, saved.generation) || saved.unused != 0)
            return wbError(wb_errorInput, "source %zu makes no sense", i);
        if (saved.vertexCount != 0 || saved.triangleCount != 0)
            WB_TRY(wbLoadMesh(&meshes, "sources", saved.vertexCount, saved.triangleCount, &mesh));
        WB_TRY(wbAddSource(world, saved.name, &def.params, &mesh, saved.generation));
    }
    if (meshes.vertexBytes == 0 && meshes.indexBytes == 0) return wb_okStatus;
    return wbError(wb_errorInput, "there are more meshes than sources");
}

wbStatus wbLoadAir(wbSectionList *list, wbWorld *world) {
    wbAir *air = world->air;
    if (!air) return wb_okStatus;
    if (air->coarse) WB_TRY(loadCoarse(list, world));
    wbSmoke_MarkDirty(&air->smoke);
    WB_TRY(loadNumbers(list, "smoke", &air->smoke));
    WB_TRY(loadFields(list, &air->smoke));
    air->areCollidersStale = true;
    return loadSources(list, world);
}
