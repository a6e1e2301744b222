// SPDX-License-Identifier: MIT
#include "render/soft.h"

#include "core/status.h"
#include "render/matrix.h"

#include <math.h>
#include <string.h>

/// A ball is an octahedron whose triangles were cut into four so many times, with corners pushed out to the radius.
enum { CUTS = 3, BALL_TRIANGLES = 8 << 2 * CUTS, BALL_VERTICES = 3 * BALL_TRIANGLES };
/// A tube has so many sides.
enum { SIDES = 10 };

void wbSoftShapes_Free(wbSoftShapes *shapes) {
    wbArray_Free(NULL, &shapes->bodies);
    wbArray_Free(NULL, &shapes->meshes);
    wbArray_Free(NULL, &shapes->vertices);
    wbArray_Free(NULL, &shapes->indices);
}

// How large the mesh of a soft body is.
static void measure(const wbRenderSoft *soft, int *vertices, int *triangles) {
    int count = soft->view.count;
    *vertices = *triangles = 0;
    if (soft->show == wb_showSpheres) *vertices = BALL_VERTICES, *triangles = BALL_TRIANGLES;
    if (soft->show == wb_showSurface) *vertices = count, *triangles = soft->triangleCount;
    if (soft->show == wb_showLines && soft->isChain && count > 1)
        *vertices = SIDES * count + 2, *triangles = 2 * SIDES * count;
}

static bool isSomewhere(const wbView *view) {
    float sum = 0;
    for (int k = 0; k < view->count; ++k) {
        size_t i = (size_t)k * (size_t)view->stride;
        sum += 0 * (view->x[i] + view->y[i] + view->z[i]);
    }
    return sum == 0;
}

static wbVec3 getPoint(const wbView *view, int k) {
    size_t i = (size_t)k * (size_t)view->stride;
    return wbMakeVec3(view->x[i], view->y[i], view->z[i]);
}

static void setVertex(wbMesh *mesh, int i, wbVec3 p) {
    float *v = mesh->vertices + 3 * (size_t)i;
    v[0] = p.x, v[1] = p.y, v[2] = p.z;
}

static void setTriangle(wbMesh *mesh, int t, int a, int b, int c) {
    uint32_t *index = mesh->indices + 3 * (size_t)t;
    index[0] = (uint32_t)a, index[1] = (uint32_t)b, index[2] = (uint32_t)c;
}

// Triangles share places, not vertices: what draws them joins places.
static void addBallTriangle(wbMesh *mesh, int *next, float radius, wbVec3 a, wbVec3 b, wbVec3 c, int cuts) {
    if (cuts == 0) {
        const wbVec3 corners[3] = {a, b, c};
        int first = 3 * *next;
        for (int k = 0; k < 3; ++k) setVertex(mesh, first + k, wbScale(radius, corners[k]));
        setTriangle(mesh, (*next)++, first, first + 1, first + 2);
        return;
    }
    wbVec3 ab = wbNormalize(wbAdd(a, b)), bc = wbNormalize(wbAdd(b, c)), ca = wbNormalize(wbAdd(c, a));
    addBallTriangle(mesh, next, radius, a, ab, ca, cuts - 1);
    addBallTriangle(mesh, next, radius, ab, b, bc, cuts - 1);
    addBallTriangle(mesh, next, radius, ca, bc, c, cuts - 1);
    addBallTriangle(mesh, next, radius, ab, bc, ca, cuts - 1);
}

static void makeBall(const wbRenderSoft *soft, wbMesh *mesh) {
    int next = 0;
    for (int k = 0; k < 8; ++k) {
        wbVec3 x = {k & 1 ? -1.0f : 1.0f, 0, 0}, y = {0, k & 2 ? -1.0f : 1.0f, 0},
               z = {0, 0, k & 4 ? -1.0f : 1.0f};
        bool turned = (k & 1) ^ (k >> 1 & 1) ^ (k >> 2);
        addBallTriangle(mesh, &next, soft->radius, x, turned ? z : y, turned ? y : z, CUTS);
    }
}

static void makeSurface(const wbRenderSoft *soft, wbMesh *mesh) {
    for (int k = 0; k < soft->view.count; ++k) setVertex(mesh, k, getPoint(&soft->view, k));
    for (int t = 0; t < soft->triangleCount; ++t) {
        const int *corners = soft->triangles + 3 * (size_t)t;
        int first = soft->firstParticle;
        setTriangle(mesh, t, corners[0] - first, corners[1] - first, corners[2] - first);
    }
}

// A direction across the chain that follows the one at the particle before.
static wbVec3 turnAcross(wbVec3 across, wbVec3 along) {
    wbVec3 next = wbSub(across, wbScale(wbDot(across, along), along));
    if (wbDot(next, next) < 1e-6f)
        next = wbCross(along, fabsf(along.y) < 0.9f ? wbMakeVec3(0, 1, 0) : wbMakeVec3(1, 0, 0));
    return wbNormalize(next);
}

static void makeTube(const wbRenderSoft *soft, wbMesh *mesh) {
    const wbView *view = &soft->view;
    int count = view->count, t = 0, ends = SIDES * count;
    wbVec3 across = {0, 0, 1}, along = {1, 0, 0};
    for (int k = 0; k < count; ++k) {
        wbVec3 way = wbSub(getPoint(view, k + 1 < count ? k + 1 : k), getPoint(view, k > 0 ? k - 1 : 0));
        if (wbDot(way, way) > 0) along = wbNormalize(way);
        across = turnAcross(across, along);
        wbVec3 third = wbCross(along, across);
        for (int s = 0; s < SIDES; ++s) {
            float angle = 6.2831853f * (float)s / SIDES;
            wbVec3 out = wbAdd(wbScale(cosf(angle), across), wbScale(sinf(angle), third));
            setVertex(mesh, SIDES * k + s, wbAdd(getPoint(view, k), wbScale(soft->radius, out)));
        }
    }
    setVertex(mesh, ends, getPoint(view, 0));
    setVertex(mesh, ends + 1, getPoint(view, count - 1));
    for (int s = 0; s < SIDES; ++s) {
        int next = (s + 1) % SIDES, last = SIDES * (count - 1);
        setTriangle(mesh, t++, ends, next, s);
        setTriangle(mesh, t++, ends + 1, last + s, last + next);
        for (int k = 0; k + 1 < count; ++k) {
            int a = SIDES * k + s, b = SIDES * k + next;
            setTriangle(mesh, t++, a, b, a + SIDES);
            setTriangle(mesh, t++, b, b + SIDES, a + SIDES);
        }
    }
}

static wbRenderBody makeBody(const wbRenderSoft *soft, const wbMesh *mesh, uint64_t key) {
    wbRenderBody body = {.mesh = mesh, .key = key, .rotation = {0, 0, 0, 1}, .opacity = 1};
    memcpy(body.colour, soft->colour, sizeof body.colour);
    return body;
}

static uint64_t makeBallKey(float radius) {
    uint32_t bits;
    memcpy(&bits, &radius, sizeof bits);
    return UINT64_C(1) << 63 | bits;
}

static void addBodies(wbSoftShapes *shapes, const wbRenderSoft *soft, const wbMesh *mesh, int index) {
    wbRenderBody *bodies = shapes->bodies.data;
    if (soft->show != wb_showSpheres) {
        uint64_t key = UINT64_C(1) << 62 | (uint64_t)shapes->frame << 24 | (uint64_t)index;
        bodies[shapes->bodyCount++] = makeBody(soft, mesh, key);
        return;
    }
    for (int k = 0; k < soft->view.count; ++k) {
        wbRenderBody *body = &bodies[shapes->bodyCount++];
        wbVec3 p = getPoint(&soft->view, k);
        *body = makeBody(soft, mesh, makeBallKey(soft->radius));
        body->position[0] = p.x, body->position[1] = p.y, body->position[2] = p.z;
    }
}

static wbStatus reserve(wbSoftShapes *shapes, const wbRenderScene *scene) {
    int64_t vertices = 0, triangles = 0, bodies = scene->bodyCount;
    for (int s = 0; s < scene->softCount; ++s) {
        int vertexCount, triangleCount;
        measure(&scene->softs[s], &vertexCount, &triangleCount);
        vertices += vertexCount, triangles += triangleCount;
        bodies += scene->softs[s].show == wb_showSpheres ? scene->softs[s].view.count : 1;
    }
    shapes->bodies.elementSize = (int)sizeof(wbRenderBody);
    shapes->meshes.elementSize = (int)sizeof(wbMesh);
    shapes->vertices.elementSize = (int)sizeof(float[3]);
    shapes->indices.elementSize = (int)sizeof(uint32_t[3]);
    int64_t most = INT32_MAX - 64;
    if (vertices > most || triangles > most || bodies > most ||
        !wbArray_Reserve(NULL, &shapes->bodies, (int)bodies) ||
        !wbArray_Reserve(NULL, &shapes->meshes, scene->softCount) ||
        !wbArray_Reserve(NULL, &shapes->vertices, (int)vertices) ||
        !wbArray_Reserve(NULL, &shapes->indices, (int)triangles))
        return wbError(wb_errorMemory, "no memory to draw %d soft bodies", scene->softCount);
    return wb_okStatus;
}

wbStatus wbSoftShapes_Gather(wbSoftShapes *shapes, const wbRenderScene *scene) {
    WB_TRY(reserve(shapes, scene));
    shapes->frame++;
    shapes->bodyCount = scene->bodyCount;
    if (scene->bodyCount > 0)
        memcpy(shapes->bodies.data, scene->bodies, sizeof *scene->bodies * (size_t)scene->bodyCount);
    float *vertices = shapes->vertices.data;
    uint32_t *indices = shapes->indices.data;
    for (int s = 0; s < scene->softCount; ++s) {
        const wbRenderSoft *soft = &scene->softs[s];
        wbMesh *mesh = (wbMesh *)shapes->meshes.data + s;
        *mesh = (wbMesh){.vertices = vertices, .indices = indices};
        measure(soft, &mesh->vertexCount, &mesh->triangleCount);
        if (mesh->triangleCount == 0) continue;
        vertices += 3 * (size_t)mesh->vertexCount, indices += 3 * (size_t)mesh->triangleCount;
        if (!isSomewhere(&soft->view)) continue;
        if (soft->show == wb_showSpheres) makeBall(soft, mesh);
        if (soft->show == wb_showSurface) makeSurface(soft, mesh);
        if (soft->show == wb_showLines) makeTube(soft, mesh);
        addBodies(shapes, soft, mesh, s);
    }
    return wb_okStatus;
}

void wbSoftShapes_AddLinks(const wbRenderScene *scene, float halfWidth, wbSegments *segments) {
    for (int s = 0; s < scene->softCount; ++s) {
        const wbRenderSoft *soft = &scene->softs[s];
        if (soft->show != wb_showLines || soft->isChain) continue;
        wbSegment line = {.halfWidth = halfWidth, .colour = {0, 0, 0, 200}};
        for (int a = 0; a < 3; ++a) line.colour[a] = (uint8_t)(255 * fminf(fmaxf(soft->colour[a], 0), 1));
        for (int k = 0; k < soft->linkCount; ++k) {
            line.from = getPoint(&soft->view, soft->first[k] - soft->firstParticle);
            line.to = getPoint(&soft->view, soft->second[k] - soft->firstParticle);
            wbSegments_Add(segments, line);
        }
    }
}
