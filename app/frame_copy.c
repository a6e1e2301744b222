// SPDX-License-Identifier: MIT
#include "app/frame_copy.h"

#include <string.h>

#include "core/memory.h"
#include "core/status.h"

/// A mesh that a body had, and who it was of.
typedef struct KeptMesh {
    uint64_t key;
    int generation;
    bool isUsed;
    wbMesh mesh;
} KeptMesh;

// Where copies go: counted first, so that no array moves while pointers into it are made.
typedef struct Room {
    size_t floats, numbers, bytes;
} Room;

enum { VIEW_COLUMNS = 11 };

static const float **getColumn(wbView *view, int column) {
    const float **columns[VIEW_COLUMNS] = {&view->x,        &view->y,      &view->z,       &view->vx,
                                           &view->vy,       &view->vz,     &view->mass,    &view->density,
                                           &view->pressure, &view->radius, &view->distance};
    return columns[column];
}

static void countView(const wbView *source, Room *room) {
    wbView view = *source;
    for (int c = 0; c < VIEW_COLUMNS; c++)
        if (*getColumn(&view, c)) room->floats += (size_t)view.count;
    if (view.id) room->numbers += (size_t)view.count;
}

static void copyView(wbView *view, float **floats, int **numbers) {
    const size_t count = (size_t)view->count, stride = (size_t)view->stride;
    for (int c = 0; c < VIEW_COLUMNS; c++) {
        const float **column = getColumn(view, c), *from = *column;
        if (!from) continue;
        for (size_t i = 0; i < count; i++) (*floats)[i] = from[i * stride];
        *column = *floats, *floats += count;
    }
    if (view->id) {
        uint32_t *ids = (uint32_t *)*numbers;
        for (size_t i = 0; i < count; i++) ids[i] = view->id[i * stride];
        view->id = ids, *numbers += count;
    }
    view->stride = 1;
}

static void copyNumbers(const int **from, size_t count, int **numbers) {
    if (!*from) return;
    memcpy(*numbers, *from, count * sizeof(int));
    *from = *numbers, *numbers += count;
}

enum { DIFFUSE_COLUMNS = 8 };

static const float **getDiffuseColumn(wbDiffuseView *view, int column) {
    const float **columns[DIFFUSE_COLUMNS] = {&view->x,  &view->y,  &view->z,   &view->vx,
                                              &view->vy, &view->vz, &view->age, &view->left};
    return columns[column];
}

static void countDiffuse(const wbDiffuseView *view, Room *room) {
    room->floats += DIFFUSE_COLUMNS * (size_t)view->count;
    room->numbers += 2 * (size_t)view->count;
}

static void copyDiffuse(wbDiffuseView *view, float **floats, int **numbers) {
    const size_t count = (size_t)view->count;
    const uint32_t **ids[] = {&view->kind, &view->id};
    if (count == 0) return;
    for (int c = 0; c < DIFFUSE_COLUMNS; c++) {
        const float **column = getDiffuseColumn(view, c);
        memcpy(*floats, *column, count * sizeof(float));
        *column = *floats, *floats += count;
    }
    for (int c = 0; c < 2; c++) {
        memcpy(*numbers, *ids[c], count * sizeof(uint32_t));
        *ids[c] = (const uint32_t *)*numbers, *numbers += count;
    }
}

/// Fields of the air, in their order.
enum {
    FIELD_DENSITY,
    FIELD_TEMPERATURE,
    FIELD_FUEL,
    FIELD_RED,
    FIELD_GREEN,
    FIELD_BLUE,
    FIELD_STEAM,
    FIELD_CLOUD,
    FIELD_PRESSURE,
    FIELD_U,
    FIELD_V,
    FIELD_W,
    AIR_FIELDS
};

// Smoke as it looks needs all that it carries; a field on a slice itself alone, and arrows the velocities. Bits of fields.
static unsigned chooseFields(const wbRenderScene *scene, bool wantsMotion) {
    const unsigned motion = 1 << FIELD_U | 1 << FIELD_V | 1 << FIELD_W, looks = (1 << FIELD_PRESSURE) - 1;
    const unsigned more = wantsMotion ? motion : 0;
    switch (wbRenderScene_GetField(scene)) {
    case wb_fieldAuto:
        return looks | more;
    case wb_fieldTemperature:
        return 1 << FIELD_DENSITY | 1 << FIELD_TEMPERATURE | more;
    case wb_fieldFuel:
        return 1 << FIELD_DENSITY | 1 << FIELD_FUEL | more;
    case wb_fieldSteam:
        return 1 << FIELD_DENSITY | 1 << FIELD_STEAM | more;
    case wb_fieldCloud:
        return 1 << FIELD_DENSITY | 1 << FIELD_CLOUD | more;
    case wb_fieldPressure:
        return 1 << FIELD_DENSITY | 1 << FIELD_PRESSURE | more;
    case wb_fieldDensity: // of air without smoke the speed is shown
    default:
        return 1 << FIELD_DENSITY | motion;
    }
}

static const float **getField(wbSmokeView *air, int field, unsigned chosen) {
    const float **fields[AIR_FIELDS] = {&air->density,   &air->temperature, &air->fuel,  &air->colour[0],
                                        &air->colour[1], &air->colour[2],   &air->steam, &air->cloud,
                                        &air->pressure,  &air->u,           &air->v,     &air->w};
    if (!(chosen >> field & 1)) *fields[field] = NULL;
    return fields[field];
}

static size_t countCells(const wbSmokeView *air) {
    return (size_t)(air->cells[0] + 1) * (size_t)(air->cells[1] + 1) * (size_t)(air->cells[2] + 1);
}

static void countAir(const wbSmokeView *source, unsigned chosen, Room *room) {
    wbSmokeView air = *source;
    if (air.cells[0] == 0) return;
    for (int f = 0; f < AIR_FIELDS; f++)
        if (*getField(&air, f, chosen)) room->floats += countCells(&air);
    if (air.solid) room->bytes += countCells(&air);
}

// Rows of one cell more than there are: velocities have one face more.
static void copyAir(wbSmokeView *air, unsigned chosen, float *floats, uint8_t *bytes) {
    const int *cells = air->cells;
    const ptrdiff_t strideY = cells[0] + 1, strideZ = strideY * (cells[1] + 1);
    if (cells[0] == 0) return;
    for (int f = 0; f < AIR_FIELDS; f++) {
        const float **field = getField(air, f, chosen);
        const int more = f >= FIELD_U; // faces
        if (!*field) continue;
        for (int k = 0; k < cells[2] + (f == FIELD_W ? more : 0); k++)
            for (int j = 0; j < cells[1] + (f == FIELD_V ? more : 0); j++)
                memcpy(floats + j * strideY + k * strideZ, *field + j * air->strideY + k * air->strideZ,
                       (size_t)(cells[0] + (f == FIELD_U ? more : 0)) * sizeof(float));
        *field = floats, floats += countCells(air);
    }
    if (air->solid) {
        for (int k = 0; k < cells[2]; k++)
            for (int j = 0; j < cells[1]; j++)
                memcpy(bytes + j * strideY + k * strideZ,
                       air->solid + j * air->solidStrideY + k * air->solidStrideZ, (size_t)cells[0]);
        air->solid = bytes;
    }
    air->strideY = air->solidStrideY = strideY;
    air->strideZ = air->solidStrideZ = strideZ;
}

static void freeMesh(wbMesh *mesh) {
    wbFree(NULL, mesh->vertices, 3 * (size_t)mesh->vertexCount * sizeof(float));
    wbFree(NULL, mesh->indices, 3 * (size_t)mesh->triangleCount * sizeof(uint32_t));
    *mesh = (wbMesh){0};
}

static wbStatus copyMesh(const wbMesh *from, wbMesh *to) {
    const size_t vertices = 3 * (size_t)from->vertexCount * sizeof(float),
                 indices = 3 * (size_t)from->triangleCount * sizeof(uint32_t);
    *to = (wbMesh){from->vertexCount, from->triangleCount, wbAlloc(NULL, vertices), wbAlloc(NULL, indices)};
    if ((vertices > 0 && !to->vertices) || (indices > 0 && !to->indices)) {
        freeMesh(to);
        return wbMemoryError(NULL, "a copy of a mesh of %d triangles needs", from->triangleCount);
    }
    if (vertices > 0) memcpy(to->vertices, from->vertices, vertices);
    if (indices > 0) memcpy(to->indices, from->indices, indices);
    return wb_okStatus;
}

// Bodies come in the order of the last time: the search starts where the last one ended.
static wbStatus findMesh(wbFrameCopy *copy, const wbRenderBody *body, int generation, int *found) {
    KeptMesh *kept = copy->meshes.data;
    for (int i = 0; i < copy->meshCount; i++) {
        const int k = (*found + i) % copy->meshCount;
        if (kept[k].key != body->key || kept[k].generation != generation) continue;
        kept[k].isUsed = true, *found = k;
        return wb_okStatus;
    }
    copy->meshes.elementSize = sizeof *kept;
    if (!wbArray_Reserve(NULL, &copy->meshes, copy->meshCount + 1))
        return wbMemoryError(NULL, "copies of %d meshes need", copy->meshCount + 1);
    kept = copy->meshes.data;
    *found = copy->meshCount;
    kept[*found] = (KeptMesh){.key = body->key, .generation = generation, .isUsed = true};
    WB_TRY(copyMesh(body->mesh, &kept[*found].mesh));
    copy->meshCount++;
    return wb_okStatus;
}

static void forgetMeshes(wbFrameCopy *copy) {
    KeptMesh *kept = copy->meshes.data;
    int count = 0;
    for (int i = 0; i < copy->meshCount; i++) {
        if (kept[i].isUsed)
            kept[count++] = kept[i];
        else
            freeMesh(&kept[i].mesh);
    }
    copy->meshCount = count;
    for (int i = 0; i < count; i++) kept[i].isUsed = false;
}

// In two passes, as kept meshes move while unused ones go.
static wbStatus copyBodies(wbFrameCopy *copy, const wbRenderScene *from, int generation) {
    int found = 0;
    for (int i = 0; i < from->bodyCount; i++) WB_TRY(findMesh(copy, &from->bodies[i], generation, &found));
    forgetMeshes(copy);
    wbRenderBody *bodies = copy->bodies.data;
    found = 0;
    for (int i = 0; i < from->bodyCount; i++) {
        bodies[i] = from->bodies[i];
        WB_TRY(findMesh(copy, &bodies[i], generation, &found));
        bodies[i].mesh = &((KeptMesh *)copy->meshes.data)[found].mesh;
    }
    KeptMesh *kept = copy->meshes.data;
    for (int i = 0; i < copy->meshCount; i++) kept[i].isUsed = false;
    return wb_okStatus;
}

static bool reserve(wbArray *array, int elementSize, size_t count) {
    array->elementSize = elementSize;
    return count <= (size_t)1 << 30 && wbArray_Reserve(NULL, array, (int)count);
}

static Room countRoom(const wbRenderScene *from, unsigned chosen) {
    Room room = {0};
    for (int i = 0; i < from->viewCount; i++) countView(&from->views[i], &room);
    for (int i = 0; i < from->softCount; i++) {
        const wbRenderSoft *soft = &from->softs[i];
        countView(&soft->view, &room);
        if (soft->triangles) room.numbers += 3 * (size_t)soft->triangleCount;
        if (soft->first) room.numbers += 2 * (size_t)soft->linkCount;
    }
    countDiffuse(from->diffuse, &room);
    countAir(from->smoke, chosen, &room);
    return room;
}

size_t wbFrameCopy_CountBytes(const wbFrameScene *frame, bool wantsMotion) {
    const Room room = countRoom(&frame->scene, chooseFields(&frame->scene, wantsMotion));
    return room.floats * sizeof(float) + room.numbers * sizeof(int) + room.bytes;
}

static wbStatus makeRoom(wbFrameCopy *copy, const wbRenderScene *from, unsigned chosen) {
    const Room room = countRoom(from, chosen);
    bool hasRoom = reserve(&copy->views, sizeof(wbView), (size_t)from->viewCount) &&
                   reserve(&copy->fluids, sizeof(wbRenderFluid), (size_t)from->viewCount) &&
                   reserve(&copy->softs, sizeof(wbRenderSoft), (size_t)from->softCount) &&
                   reserve(&copy->bodies, sizeof(wbRenderBody), (size_t)from->bodyCount) &&
                   reserve(&copy->floats, sizeof(float), room.floats) &&
                   reserve(&copy->numbers, sizeof(int), room.numbers) && reserve(&copy->bytes, 1, room.bytes);
    return hasRoom ? wb_okStatus : wbMemoryError(NULL, "a copy of what is drawn needs");
}

wbStatus wbFrameCopy_Fill(wbFrameCopy *copy, const wbFrameScene *frame, int generation, bool wantsMotion) {
    const wbRenderScene *from = &frame->scene;
    const unsigned chosen = chooseFields(from, wantsMotion);
    WB_TRY(makeRoom(copy, from, chosen));
    float *floats = copy->floats.data;
    int *numbers = copy->numbers.data;
    wbView *views = copy->views.data;
    wbRenderSoft *softs = copy->softs.data;
    for (int i = 0; i < from->viewCount; i++) {
        views[i] = from->views[i];
        ((wbRenderFluid *)copy->fluids.data)[i] = from->fluids[i];
        copyView(&views[i], &floats, &numbers);
    }
    for (int i = 0; i < from->softCount; i++) {
        softs[i] = from->softs[i];
        copyView(&softs[i].view, &floats, &numbers);
        copyNumbers(&softs[i].triangles, 3 * (size_t)softs[i].triangleCount, &numbers);
        copyNumbers(&softs[i].first, (size_t)softs[i].linkCount, &numbers);
        copyNumbers(&softs[i].second, (size_t)softs[i].linkCount, &numbers);
    }
    copy->diffuse = *from->diffuse;
    copyDiffuse(&copy->diffuse, &floats, &numbers);
    WB_TRY(copyBodies(copy, from, generation));
    copy->air = *from->smoke;
    copyAir(&copy->air, chosen, floats, copy->bytes.data);
    copy->domain = *from->domain;
    copy->scene = *from;
    copy->scene.views = views;
    copy->scene.fluids = copy->fluids.data;
    copy->scene.softs = softs;
    copy->scene.bodies = copy->bodies.data;
    copy->scene.smoke = &copy->air;
    copy->scene.diffuse = &copy->diffuse;
    copy->scene.domain = &copy->domain;
    return wb_okStatus;
}

void wbFrameCopy_Free(wbFrameCopy *copy) {
    forgetMeshes(copy);
    wbArray *arrays[] = {&copy->views,  &copy->fluids, &copy->softs,   &copy->bodies,
                         &copy->floats, &copy->bytes,  &copy->numbers, &copy->meshes};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) wbArray_Free(NULL, arrays[i]);
}
