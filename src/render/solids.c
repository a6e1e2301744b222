// SPDX-License-Identifier: MIT
#include "render/solids.h"

#include "core/status.h"
#include "render/mesh_corners.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/// Faces that meet at less than 40 degrees look round: cylinders of ten sides do, cubes do not.
static const float creaseCosine = 0.766f;

/// A mesh on the graphics card.
typedef struct Mesh {
    uint64_t key;
    GLuint buffer, array;
    int cornerCount;
    wbBounds box;
    bool used; ///< in this frame
} Mesh;

/// What the graphics card reads per solid.
typedef struct Pose { // 44 bytes
    wbVec3 position;
    float rotation[4];
    float colour[3], opacity;
} Pose;

typedef struct Item {
    Pose pose;
    int mesh, index;
    float distance; ///< from the eye, squared
} Item;

wbStatus wbSolids_Create(wbSolids *solids) {
    solids->meshes.elementSize = (int)sizeof(Mesh);
    solids->items.elementSize = (int)sizeof(Item);
    WB_TRY(wbCreateProgram("solids", wb_shaderSolids, &solids->program));
    WB_TRY(wbCreateProgram("sun_solids", wb_shaderSunSolids, &solids->sunProgram));
    wbSetSampler(solids->program, "sunDepth", 0);
    wbSetSampler(solids->program, "sunSolids", 1);
    wbSetSampler(solids->program, "smokeCells", WB_UNIT_SMOKE_CELLS);
    solids->clearLocation = glGetUniformLocation(solids->program, "clear");
    glGenBuffers(1, &solids->poses);
    return wb_okStatus;
}

static void destroyMesh(Mesh *mesh) {
    glDeleteBuffers(1, &mesh->buffer);
    glDeleteVertexArrays(1, &mesh->array);
}

void wbSolids_Destroy(wbSolids *solids) {
    Mesh *meshes = solids->meshes.data;
    for (int i = 0; i < solids->meshCount; ++i) destroyMesh(&meshes[i]);
    glDeleteProgram(solids->program);
    glDeleteProgram(solids->sunProgram);
    glDeleteBuffers(1, &solids->poses);
    wbArray_Free(NULL, &solids->meshes);
    wbArray_Free(NULL, &solids->items);
}

static wbBounds findBox(const wbMesh *mesh) {
    wbBounds box = wbBounds_Empty();
    for (int i = 0; i < mesh->vertexCount; ++i) {
        const float *v = mesh->vertices + 3 * (size_t)i;
        box = wbBounds_Include(box, wbMakeVec3(v[0], v[1], v[2]));
    }
    return box;
}

static void uploadCorners(Mesh *mesh, const wbArray *corners) {
    glGenBuffers(1, &mesh->buffer);
    glGenVertexArrays(1, &mesh->array);
    glBindVertexArray(mesh->array);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)mesh->cornerCount * (GLsizeiptr)sizeof(wbCorner), corners->data,
                 GL_STATIC_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(wbCorner), (void *)offsetof(wbCorner, position));
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(wbCorner), (void *)offsetof(wbCorner, normal));
    for (GLuint i = 0; i < 5; ++i) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, i < 2 ? 0 : 1);
    }
}

static wbStatus addMesh(wbSolids *solids, const wbRenderSolid *solid) {
    if (!wbArray_Reserve(NULL, &solids->meshes, solids->meshCount + 1))
        return wbError(wb_errorMemory, "no memory to draw %d meshes", solids->meshCount + 1);
    Mesh mesh = {
        .key = solid->key, .cornerCount = 3 * solid->mesh->triangleCount, .box = findBox(solid->mesh)};
    wbArray corners = {0};
    wbStatus status = wbMakeCorners(solid->mesh, creaseCosine, &corners);
    if (wbIsOk(status)) {
        uploadCorners(&mesh, &corners);
        ((Mesh *)solids->meshes.data)[solids->meshCount++] = mesh;
    }
    wbArray_Free(NULL, &corners);
    return status;
}

// Solids mostly come in the order of the last frame: the search starts where the last one ended.
static wbStatus findMesh(wbSolids *solids, const wbRenderSolid *solid, int *found) {
    const Mesh *meshes = solids->meshes.data;
    for (int i = 0; i < solids->meshCount; ++i) {
        int k = (*found + i) % solids->meshCount;
        if (meshes[k].key != solid->key) continue;
        *found = k;
        return wb_okStatus;
    }
    WB_TRY(addMesh(solids, solid));
    *found = solids->meshCount - 1;
    return wb_okStatus;
}

// Those that the last frame did not have.
static void forgetMeshes(wbSolids *solids) {
    Mesh *meshes = solids->meshes.data;
    int kept = 0;
    for (int i = 0; i < solids->meshCount; ++i) {
        if (meshes[i].used)
            meshes[kept++] = meshes[i];
        else
            destroyMesh(&meshes[i]);
    }
    solids->meshCount = kept;
    for (int i = 0; i < kept; ++i) meshes[i].used = false;
}

static bool isSomewhere(const wbRenderSolid *solid) {
    float sum = 0;
    for (int i = 0; i < 3; ++i) sum += solid->position[i];
    for (int i = 0; i < 4; ++i) sum += solid->rotation[i];
    return isfinite(sum) && solid->mesh->triangleCount > 0;
}

// v + 2 q x (q x v + w v), for a rotation q, w of length 1
static wbVec3 place(const Pose *pose, wbVec3 v) {
    wbVec3 q = {pose->rotation[0], pose->rotation[1], pose->rotation[2]};
    wbVec3 turned = wbAdd(wbCross(q, v), wbScale(pose->rotation[3], v));
    return wbAdd(pose->position, wbAdd(v, wbScale(2, wbCross(q, turned))));
}

static void addItem(wbSolids *solids, const wbRenderSolid *solid, int mesh) {
    const float *r = solid->rotation, *c = solid->colour;
    float length = sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    float scale = length > 0 ? 1 / length : 0;
    Item item = {.mesh = mesh, .index = solids->count};
    item.pose = (Pose){{solid->position[0], solid->position[1], solid->position[2]},
                       {scale * r[0], scale * r[1], scale * r[2], length > 0 ? scale * r[3] : 1},
                       {c[0], c[1], c[2]},
                       solid->opacity};
    const wbBounds *box = &((Mesh *)solids->meshes.data)[mesh].box;
    for (int i = 0; i < 8; ++i)
        solids->box = wbBounds_Include(solids->box, place(&item.pose, wbBounds_GetCorner(box, i)));
    ((Item *)solids->items.data)[solids->count++] = item;
    solids->opaqueCount += solid->opacity >= 1;
}

wbStatus wbSolids_Gather(wbSolids *solids, const wbRenderSolid *list, int count) {
    if (!wbArray_Reserve(NULL, &solids->items, count))
        return wbError(wb_errorMemory, "no memory to draw %d solids", count);
    forgetMeshes(solids);
    solids->count = solids->opaqueCount = 0;
    solids->box = wbBounds_Empty();
    int found = 0;
    for (int i = 0; i < count; ++i) {
        if (!isSomewhere(&list[i])) continue;
        WB_TRY(findMesh(solids, &list[i], &found));
        ((Mesh *)solids->meshes.data)[found].used = true;
        addItem(solids, &list[i], found++);
    }
    return wb_okStatus;
}

static int compareItems(const void *a, const void *b) {
    const Item *p = a, *q = b;
    bool clear = p->pose.opacity < 1;
    if (clear != (q->pose.opacity < 1)) return clear ? 1 : -1;
    if (clear && p->distance != q->distance) return p->distance > q->distance ? -1 : 1;
    if (!clear && p->mesh != q->mesh) return p->mesh < q->mesh ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

void wbSolids_Upload(wbSolids *solids, wbVec3 eye) {
    Item *items = solids->items.data;
    const Mesh *meshes = solids->meshes.data;
    for (int i = 0; i < solids->count; ++i) {
        wbVec3 centre = place(&items[i].pose, wbBounds_GetCentre(&meshes[items[i].mesh].box));
        wbVec3 away = wbSub(centre, eye);
        items[i].distance = wbDot(away, away);
    }
    if (solids->count > 0) qsort(items, (size_t)solids->count, sizeof *items, compareItems);
    glBindBuffer(GL_ARRAY_BUFFER, solids->poses);
    glBufferData(GL_ARRAY_BUFFER, solids->count * (GLsizeiptr)sizeof(Item), items, GL_STREAM_DRAW);
}

// `count` solids of the same mesh, from `first` on.
static void drawItems(const wbSolids *solids, int first, int count) {
    const Item *items = solids->items.data;
    const Mesh *mesh = (const Mesh *)solids->meshes.data + items[first].mesh;
    size_t start = (size_t)first * sizeof(Item);
    glBindVertexArray(mesh->array);
    glBindBuffer(GL_ARRAY_BUFFER, solids->poses);
    glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, sizeof(Item), (void *)(start + offsetof(Pose, position)));
    glVertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, sizeof(Item), (void *)(start + offsetof(Pose, rotation)));
    glVertexAttribPointer(4, 4, GL_FLOAT, GL_FALSE, sizeof(Item), (void *)(start + offsetof(Pose, colour)));
    glDrawArraysInstanced(GL_TRIANGLES, 0, mesh->cornerCount, count);
}

static void drawAllOpaque(const wbSolids *solids) {
    const Item *items = solids->items.data;
    for (int first = 0, end; first < solids->opaqueCount; first = end) {
        for (end = first + 1; end < solids->opaqueCount && items[end].mesh == items[first].mesh;) ++end;
        drawItems(solids, first, end - first);
    }
}

void wbSolids_DrawSunDepth(const wbSolids *solids) {
    glUseProgram(solids->sunProgram);
    drawAllOpaque(solids);
}

static void useProgram(const wbSolids *solids, const wbSunMaps *maps, float clear) {
    glUseProgram(solids->program);
    glUniform1f(solids->clearLocation, clear);
    wbBindTexture(0, maps->water);
    wbBindTexture(1, maps->solids);
}

void wbSolids_DrawOpaque(const wbSolids *solids, const wbSunMaps *maps) {
    if (solids->opaqueCount == 0) return;
    useProgram(solids, maps, 0);
    drawAllOpaque(solids);
}

void wbSolids_DrawClear(const wbSolids *solids, const wbSunMaps *maps) {
    if (solids->opaqueCount == solids->count) return;
    useProgram(solids, maps, 1);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    // alpha adds up: above 0 says where edges are to be softened
    glBlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
    glDepthMask(GL_FALSE);
    for (int i = solids->opaqueCount; i < solids->count; ++i) {
        glCullFace(GL_FRONT);
        drawItems(solids, i, 1);
        glCullFace(GL_BACK);
        drawItems(solids, i, 1);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}
