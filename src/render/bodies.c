// SPDX-License-Identifier: MIT
#include "render/bodies.h"

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
    GLuint corners, indices, array;
    int indexCount;
    bool closed; ///< its back faces are never seen
    wbBounds box;
    bool used; ///< in this frame
} Mesh;

/// What the graphics card reads per body.
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

static void setSamplers(GLuint program) {
    wbSetSampler(program, "sunDepth", 0);
    wbSetSampler(program, "sunBodies", 1);
    wbSetSampler(program, "smokeCells", WB_UNIT_SMOKE_CELLS);
}

wbStatus wbBodies_Create(wbBodies *bodies) {
    bodies->meshes.elementSize = (int)sizeof(Mesh);
    bodies->items.elementSize = (int)sizeof(Item);
    WB_TRY(wbCreateLitPrograms("bodies", wb_shaderBodies, bodies->programs));
    WB_TRY(wbCreateVariant("bodies", "CLEAR", wb_shaderBodies, &bodies->clearProgram));
    for (int i = 0; i < WB_LIGHTS; ++i) setSamplers(bodies->programs[i]);
    setSamplers(bodies->clearProgram);
    WB_TRY(wbCreateProgram("sun_bodies", wb_shaderSunBodies, &bodies->sunProgram));
    glGenBuffers(1, &bodies->poses);
    return wb_okStatus;
}

static void destroyMesh(Mesh *mesh) {
    glDeleteBuffers(1, &mesh->corners);
    glDeleteBuffers(1, &mesh->indices);
    glDeleteVertexArrays(1, &mesh->array);
}

void wbBodies_Destroy(wbBodies *bodies) {
    Mesh *meshes = bodies->meshes.data;
    for (int i = 0; i < bodies->meshCount; ++i) destroyMesh(&meshes[i]);
    for (int i = 0; i < WB_LIGHTS; ++i) glDeleteProgram(bodies->programs[i]);
    glDeleteProgram(bodies->clearProgram);
    glDeleteProgram(bodies->sunProgram);
    glDeleteBuffers(1, &bodies->poses);
    wbArray_Free(NULL, &bodies->meshes);
    wbArray_Free(NULL, &bodies->items);
}

static wbBounds findBox(const wbMesh *mesh) {
    wbBounds box = wbBounds_Empty();
    for (int i = 0; i < mesh->vertexCount; ++i) {
        const float *v = mesh->vertices + 3 * (size_t)i;
        box = wbBounds_Include(box, wbMakeVec3(v[0], v[1], v[2]));
    }
    return box;
}

static void uploadCorners(Mesh *mesh, const wbCorner *corners, int cornerCount, const uint32_t *indices) {
    glGenBuffers(1, &mesh->corners);
    glGenBuffers(1, &mesh->indices);
    glGenVertexArrays(1, &mesh->array);
    glBindVertexArray(mesh->array);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->corners);
    glBufferData(GL_ARRAY_BUFFER, cornerCount * (GLsizeiptr)sizeof *corners, corners, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, mesh->indexCount * (GLsizeiptr)sizeof *indices, indices,
                 GL_STATIC_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(wbCorner), (void *)offsetof(wbCorner, position));
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(wbCorner), (void *)offsetof(wbCorner, normal));
    for (GLuint i = 0; i < 5; ++i) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, i < 2 ? 0 : 1);
    }
}

static wbStatus addMesh(wbBodies *bodies, const wbRenderBody *body) {
    if (!wbArray_Reserve(NULL, &bodies->meshes, bodies->meshCount + 1))
        return wbError(wb_errorMemory, "no memory to draw %d meshes", bodies->meshCount + 1);
    const bool soft =
        body->key >> 62 == 1; // of one frame: to look for open edges would cost more than it saves
    Mesh mesh = {.key = body->key,
                 .indexCount = 3 * body->mesh->triangleCount,
                 .closed = !soft && wbIsClosedMesh(body->mesh),
                 .box = findBox(body->mesh)};
    wbArray corners = {0}, indices = {0};
    int cornerCount;
    wbStatus status = wbMakeCorners(body->mesh, creaseCosine, &corners, &cornerCount, &indices);
    if (wbIsOk(status)) {
        uploadCorners(&mesh, corners.data, cornerCount, indices.data);
        ((Mesh *)bodies->meshes.data)[bodies->meshCount++] = mesh;
    }
    wbArray_Free(NULL, &corners);
    wbArray_Free(NULL, &indices);
    return status;
}

// Bodies mostly come in the order of the last frame: the search starts where the last one ended.
static wbStatus findMesh(wbBodies *bodies, const wbRenderBody *body, int *found) {
    const Mesh *meshes = bodies->meshes.data;
    for (int i = 0; i < bodies->meshCount; ++i) {
        int k = (*found + i) % bodies->meshCount;
        if (meshes[k].key != body->key) continue;
        *found = k;
        return wb_okStatus;
    }
    WB_TRY(addMesh(bodies, body));
    *found = bodies->meshCount - 1;
    return wb_okStatus;
}

// Those that the last frame did not have.
static void forgetMeshes(wbBodies *bodies) {
    Mesh *meshes = bodies->meshes.data;
    int kept = 0;
    for (int i = 0; i < bodies->meshCount; ++i) {
        if (meshes[i].used)
            meshes[kept++] = meshes[i];
        else
            destroyMesh(&meshes[i]);
    }
    bodies->meshCount = kept;
    for (int i = 0; i < kept; ++i) meshes[i].used = false;
}

// None was used since the last frame's were noted.
void wbBodies_Forget(wbBodies *bodies) { forgetMeshes(bodies); }

static bool isSomewhere(const wbRenderBody *body) {
    float sum = 0;
    for (int i = 0; i < 3; ++i) sum += body->position[i];
    for (int i = 0; i < 4; ++i) sum += body->rotation[i];
    return isfinite(sum) && body->mesh->triangleCount > 0;
}

// v + 2 q x (q x v + w v), for a rotation q, w of length 1
static wbVec3 place(const Pose *pose, wbVec3 v) {
    wbVec3 q = {pose->rotation[0], pose->rotation[1], pose->rotation[2]};
    wbVec3 turned = wbAdd(wbCross(q, v), wbScale(pose->rotation[3], v));
    return wbAdd(pose->position, wbAdd(v, wbScale(2, wbCross(q, turned))));
}

static void addItem(wbBodies *bodies, const wbRenderBody *body, int mesh) {
    const float *r = body->rotation, *c = body->colour;
    float length = sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    float scale = length > 0 ? 1 / length : 0;
    Item item = {.mesh = mesh, .index = bodies->count};
    item.pose = (Pose){{body->position[0], body->position[1], body->position[2]},
                       {scale * r[0], scale * r[1], scale * r[2], length > 0 ? scale * r[3] : 1},
                       {c[0], c[1], c[2]},
                       body->opacity};
    const wbBounds *box = &((Mesh *)bodies->meshes.data)[mesh].box;
    for (int i = 0; i < 8; ++i)
        bodies->box = wbBounds_Include(bodies->box, place(&item.pose, wbBounds_GetCorner(box, i)));
    ((Item *)bodies->items.data)[bodies->count++] = item;
    bodies->opaqueCount += body->opacity >= 1;
}

wbStatus wbBodies_Gather(wbBodies *bodies, const wbRenderBody *list, int count) {
    if (!wbArray_Reserve(NULL, &bodies->items, count))
        return wbError(wb_errorMemory, "no memory to draw %d bodies", count);
    forgetMeshes(bodies);
    bodies->count = bodies->opaqueCount = 0;
    bodies->box = wbBounds_Empty();
    int found = 0;
    for (int i = 0; i < count; ++i) {
        if (!isSomewhere(&list[i])) continue;
        WB_TRY(findMesh(bodies, &list[i], &found));
        ((Mesh *)bodies->meshes.data)[found].used = true;
        addItem(bodies, &list[i], found++);
    }
    return wb_okStatus;
}

static int compareItems(const void *a, const void *b) {
    const Item *p = a, *q = b;
    bool clear = p->pose.opacity < 1;
    if (clear != (q->pose.opacity < 1)) return clear ? 1 : -1;
    if (clear && p->distance != q->distance) return p->distance > q->distance ? -1 : 1;
    if (!clear && p->mesh != q->mesh) return p->mesh < q->mesh ? -1 : 1;
    if (!clear && p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1; // what is hidden is not lit
    return (p->index > q->index) - (p->index < q->index);
}

void wbBodies_Upload(wbBodies *bodies, wbVec3 eye) {
    Item *items = bodies->items.data;
    const Mesh *meshes = bodies->meshes.data;
    for (int i = 0; i < bodies->count; ++i) {
        wbVec3 centre = place(&items[i].pose, wbBounds_GetCentre(&meshes[items[i].mesh].box));
        wbVec3 away = wbSub(centre, eye);
        items[i].distance = wbDot(away, away);
    }
    if (bodies->count > 0) qsort(items, (size_t)bodies->count, sizeof *items, compareItems);
    glBindBuffer(GL_ARRAY_BUFFER, bodies->poses);
    glBufferData(GL_ARRAY_BUFFER, bodies->count * (GLsizeiptr)sizeof(Item), items, GL_STREAM_DRAW);
}

// `count` bodies of the same mesh, from `first` on.
static void drawItems(const wbBodies *bodies, int first, int count) {
    const Item *items = bodies->items.data;
    const Mesh *mesh = (const Mesh *)bodies->meshes.data + items[first].mesh;
    size_t start = (size_t)first * sizeof(Item);
    glBindVertexArray(mesh->array);
    glBindBuffer(GL_ARRAY_BUFFER, bodies->poses);
    glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, sizeof(Item), (void *)(start + offsetof(Pose, position)));
    glVertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, sizeof(Item), (void *)(start + offsetof(Pose, rotation)));
    glVertexAttribPointer(4, 4, GL_FLOAT, GL_FALSE, sizeof(Item), (void *)(start + offsetof(Pose, colour)));
    glDrawElementsInstanced(GL_TRIANGLES, mesh->indexCount, GL_UNSIGNED_INT, NULL, count);
}

static void drawAllOpaque(const wbBodies *bodies) {
    const Item *items = bodies->items.data;
    for (int first = 0, end; first < bodies->opaqueCount; first = end) {
        for (end = first + 1; end < bodies->opaqueCount && items[end].mesh == items[first].mesh;) ++end;
        if (((const Mesh *)bodies->meshes.data)[items[first].mesh].closed) glEnable(GL_CULL_FACE);
        drawItems(bodies, first, end - first);
        glDisable(GL_CULL_FACE);
    }
}

void wbBodies_DrawSunDepth(const wbBodies *bodies) {
    glUseProgram(bodies->sunProgram);
    drawAllOpaque(bodies);
}

static void useProgram(GLuint program, const wbSunMaps *maps) {
    glUseProgram(program);
    wbBindTexture(0, maps->water);
    wbBindTexture(1, maps->bodies);
}

void wbBodies_DrawOpaque(const wbBodies *bodies, const wbSunMaps *maps, wbLight light) {
    if (bodies->opaqueCount == 0) return;
    useProgram(bodies->programs[light], maps);
    drawAllOpaque(bodies);
}

void wbBodies_DrawClear(const wbBodies *bodies, const wbSunMaps *maps) {
    if (bodies->opaqueCount == bodies->count) return;
    useProgram(bodies->clearProgram, maps);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    // alpha adds up: above 0 says where edges are to be softened
    glBlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
    glDepthMask(GL_FALSE);
    for (int i = bodies->opaqueCount; i < bodies->count; ++i) {
        glCullFace(GL_FRONT);
        drawItems(bodies, i, 1);
        glCullFace(GL_BACK);
        drawItems(bodies, i, 1);
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}
