// SPDX-License-Identifier: MIT
// Sources: where smoke, heat, fuel and wind come from.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "shape/voxels.h"
#include "world/air.h"
#include "world/grab.h"

#define WB_PARAM_STRUCT wbSourceParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_SOURCE_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_sourceTable = WB_PARAM_TABLE(
    "source", "where smoke, heat, fuel and wind come from; set by its name", wbSourceParams, rows);

wbSourceDef wbDefaultSourceDef(void) {
    wbSourceDef def = {.name = "source", .cookie = WB_SOURCE_COOKIE};
    wbSetParamDefaults(&wb_sourceTable, &def.params);
    return def;
}

static const wbAirSource *getSource(const wbWorld *world, wbSourceId id) {
    return wbGetSourceAt(world, wbGetSourceIndex(world, id));
}
const wbSourceParams *wbSource_GetParams(const wbWorld *world, wbSourceId id) {
    return &getSource(world, id)->params;
}

// Which cells a mesh is in.
static void findBounds(const wbSmokeGrid *grid, wbAirSource *source) {
    const int count[3] = {grid->nx, grid->ny, grid->nz};
    for (int a = 0; a < 3; a++) source->low[a] = count[a], source->high[a] = 0;
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i < grid->nx; i++) {
                const int at[3] = {i, j, k};
                if (!source->cells[wbSmokeCell(grid, i, j, k)]) continue;
                for (int a = 0; a < 3; a++) {
                    if (at[a] < source->low[a]) source->low[a] = at[a];
                    if (at[a] >= source->high[a]) source->high[a] = at[a] + 1;
                }
            }
        }
    }
}

// Cuts the mesh of a source into cells, where its parameters put it.
static wbStatus cutMesh(const wbWorld *world, wbAirSource *source) {
    const wbSmokeGrid *grid = &wbGetAir(world)->smoke.grid;
    wbPose pose = wb_poseAtOrigin;
    if (source->params.shape != wb_sourceMesh) return wb_okStatus;
    if (!source->cells) source->cells = wbAlloc(world->memory, wbGetAir(world)->cellCount);
    if (!source->cells) return wbMemoryError(world->memory, "the mesh of a source needs");
    memcpy(pose.position, &source->params.position, sizeof pose.position);
    memset(source->cells, 0, wbGetAir(world)->cellCount);
    wbVoxelGrid cells = wbMakeAirVoxels(grid);
    wbVoxels voxels = {0};
    wbStatus status = wbVoxelise(&cells, &source->mesh, &pose, world->work.arena, world->memory, &voxels);
    const wbVoxelRun *runs = voxels.runs.data;
    for (int r = 0; r < voxels.runCount; r++) memset(source->cells + runs[r].first, 1, (size_t)runs[r].count);
    wbVoxels_Free(world->memory, &voxels);
    if (wbIsOk(status)) findBounds(grid, source);
    return status;
}

static wbStatus checkParams(const char *name, const wbSourceParams *params, const wbMesh *mesh) {
    WB_TRY(wbCheckParamsOf(name, &wb_sourceTable, params));
    if (params->shape != wb_sourceMesh || mesh->triangleCount > 0) return wb_okStatus;
    return wbError(wb_errorInput, "source \"%s\": its shape is \"mesh\", but it has none", name);
}

static const char *getName(const wbWorld *world, int index) { return wbGetSourceAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) { return &wbGetSourceAt(world, index)->params; }

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbAirSource *source = wbGetSourceAt(world, index);
    wbSourceParams before = source->params;
    WB_TRY(checkParams(source->name, params, &source->mesh));
    memcpy(&source->params, params, sizeof source->params);
    const wbVec3 way = wbSub(source->params.position, before.position);
    if (wbDot(way, way) == 0 && before.shape == source->params.shape) return wb_okStatus;
    wbStatus status = cutMesh(world, source);
    if (!wbIsOk(status)) source->params = before;
    return status;
}

const wbObjectKind wb_sourceKind = {
    &wb_sourceTable, "source", offsetof(wbWorld, sourceIds), getName, getParams, setParams, NULL, NULL};

static void dropCells(wbWorld *world, wbAirSource *source) {
    if (source->cells) wbFree(world->memory, source->cells, wbGetAir(world)->cellCount);
    source->cells = NULL;
}

static void freeSource(wbWorld *world, wbAirSource *source) {
    wbFreeMesh(&source->mesh);
    dropCells(world, source);
}

void wbDropSourceCells(wbWorld *world) {
    for (int i = 0; i < world->sourceIds.indexCount; i++) dropCells(world, wbGetSourceAt(world, i));
}

wbStatus wbCutSources(wbWorld *world) {
    wbStatus status = wb_okStatus;
    for (int i = 0; i < world->sourceIds.indexCount && wbIsOk(status); i++) {
        wbAirSource *source = wbGetSourceAt(world, i);
        if (source->cells) continue;
        status = cutMesh(world, source);
        if (!wbIsOk(status)) dropCells(world, source);
    }
    return status;
}

static wbStatus addSource(wbWorld *world, wbAirSource *source, const char *name, uint32_t index1) {
    wbAir *air = wbGetAir(world);
    int count = world->sourceIds.indexCount;
    if (count >= WB_MAX_SOURCES)
        return wbError(wb_errorInput, "a world has at most %d sources", WB_MAX_SOURCES);
    WB_TRY(wbCheckPlainName(world, "source", name));
    WB_TRY(checkParams(name, &source->params, &source->mesh));
    if (source->mesh.triangleCount > 0) {
        wbStatus status = wbMesh_Check(&source->mesh);
        if (!wbIsOk(status)) return wbError(status.code, "source \"%s\": %s", name, status.text);
        WB_TRY(cutMesh(world, source));
    }
    if (!wbArray_Reserve(world->memory, &air->sources, count + 1) ||
        !wbArray_Reserve(world->memory, &air->feeds, count + 1))
        return wbMemoryError(world->memory, "a source needs");
    WB_TRY(wbTakeObjectId(world, &wb_sourceKind, index1));
    snprintf(source->name, sizeof source->name, "%s", name);
    *wbGetSourceAt(world, count) = *source;
    return wb_okStatus;
}

wbStatus wbAddSource(wbWorld *world, const char *name, const wbSourceParams *params, wbMesh *mesh,
                     uint32_t index1) {
    wbAirSource source = {.params = *params, .mesh = *mesh};
    *mesh = (wbMesh){0};
    wbStatus status = wbGetAir(world)
                          ? addSource(world, &source, name, index1)
                          : wbError(wb_errorInput, "source \"%s\": the world has no smoke for it", name);
    if (!wbIsOk(status)) freeSource(world, &source);
    return status;
}

// A copy of the def's mesh in its scale.
static wbStatus copyMesh(const wbSourceDef *def, wbMesh *mesh) {
    *mesh = (wbMesh){0};
    if (def->params.shape != wb_sourceMesh || !def->mesh || def->mesh->triangleCount < 1) return wb_okStatus;
    WB_TRY(wbAllocMesh(def->mesh->vertexCount, def->mesh->triangleCount, mesh));
    for (int n = 0; n < 3 * mesh->vertexCount; n++)
        mesh->vertices[n] = def->params.scale * def->mesh->vertices[n];
    memcpy(mesh->indices, def->mesh->indices, sizeof(uint32_t[3]) * (size_t)mesh->triangleCount);
    return wb_okStatus;
}

wbStatus wbCreateSource(wbWorld *world, const wbSourceDef *def, wbSourceId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    wbMesh mesh;
    WB_ASSERT(def && def->cookie == WB_SOURCE_COOKIE, "make the def with wbDefaultSourceDef");
    wbRequireMesh(def->mesh);
    WB_TRY(copyMesh(def, &mesh));
    WB_TRY(wbAddSource(world, def->name, &def->params, &mesh, 0));
    *id = wbWorld_GetSource(world, world->sourceIds.indexCount - 1);
    return wb_okStatus;
}

void wbDestroySource(wbWorld *world, wbSourceId id) {
    int index = wbGetSourceIndex(world, id);
    freeSource(world, wbGetSourceAt(world, index));
    wbDropObject(world, &wb_sourceKind, &wbGetAir(world)->sources, index);
}

// As the solver takes them.
static wbSmokeSource makeFeed(const wbAirSource *source, float ambient) {
    const wbSourceParams *p = &source->params;
    const float temperature = isnan(p->temperature) ? ambient : p->temperature;
    wbSmokeSource feed = {.shape = p->shape,
                          .centre = p->position,
                          .radius = p->radius,
                          .half = wbScale(0.5f, p->size),
                          .soft = p->soft,
                          .feeds = p->density != 0 || temperature != ambient || p->fuel != 0 || p->steam != 0,
                          .blows = wbDot(p->velocity, p->velocity) > 0,
                          .density = p->density,
                          .temperature = temperature,
                          .fuel = p->fuel,
                          .colour = p->colour,
                          .steam = p->steam,
                          .expansion = p->expansion,
                          .velocity = p->velocity,
                          .rate = p->rate,
                          .start = p->start,
                          .end = p->end,
                          .cells = p->shape == wb_sourceMesh ? source->cells : NULL};
    memcpy(feed.low, source->low, sizeof feed.low);
    memcpy(feed.high, source->high, sizeof feed.high);
    return feed;
}

// Wind in a ball, as strong as a source's in its middle, and less towards its surface.
static wbSmokeSource makePush(const wbWorld *world, const wbGrab *grab) {
    wbVec3 centre, velocity;
    wbFindBall(world, grab, &centre, &velocity);
    return (wbSmokeSource){.shape = wb_sourceSphere,
                           .centre = centre,
                           .radius = grab->params.radius,
                           .soft = true,
                           .blows = true,
                           .velocity = velocity,
                           .rate = fmaxf(grab->params.strength, 1e-6f),
                           .end = 1e9f};
}

wbStatus wbReserveFeeds(wbWorld *world) {
    wbAir *air = wbGetAir(world);
    if (!air || wbArray_Reserve(world->memory, &air->feeds, world->sourceIds.indexCount + WB_MAX_GRABS))
        return wb_okStatus;
    return wbMemoryError(world->memory, "pushed air needs");
}

int wbListFeeds(const wbWorld *world, const wbSmokeSource **feeds) {
    wbSmokeSource *list = wbGetAir(world)->feeds.data;
    const float ambient = wbGetAir(world)->model.params.ambient;
    int count = 0;
    for (int i = 0; i < world->sourceIds.indexCount; i++)
        if (wbGetSourceAt(world, i)->params.open) list[count++] = makeFeed(wbGetSourceAt(world, i), ambient);
    for (int i = 0; i < world->grabIds.indexCount; i++)
        if (wbIsPushing(world, wbGetGrabAt(world, i))) list[count++] = makePush(world, wbGetGrabAt(world, i));
    *feeds = list;
    return count;
}

void wbFreeSources(wbWorld *world) {
    for (int i = 0; i < world->sourceIds.indexCount; i++) freeSource(world, wbGetSourceAt(world, i));
    wbArray_Free(world->memory, &wbGetAir(world)->sources);
}
