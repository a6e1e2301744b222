// SPDX-License-Identifier: MIT
// The meshes of colliders, from their parameters.
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "shape/shape_make.h"
#include "world/collider.h"

enum { SEGMENTS = 64, SPHERE_SEGMENTS = 48 };

// In 2D only the plane z = 0 counts: what is drawn out along z is so long that its ends are out of the way.
static float getDepth(const wbColliderDef *def, int dimensions, float depth) {
    const wbColliderParams *p = &def->params;
    float longest = fmaxf(fmaxf(p->size.x, p->size.y), fmaxf(p->radius, p->height));
    for (int i = 0; i < def->pathCount; i++)
        longest = fmaxf(longest, fmaxf(fabsf(def->path[i].x), fabsf(def->path[i].y)));
    return dimensions == 2 ? fminf(4 * longest, 1e4f) : depth; // no longer than a mesh may be
}

static wbStatus makePrism(const wbColliderDef *def, float depth, wbMesh *mesh) {
    size_t bytes = sizeof(float[2]) * (size_t)def->pathCount;
    float(*points)[2] = wbAlloc(NULL, bytes);
    if (bytes && !points) return wbMemoryError(NULL, "a polygon needs");
    for (int i = 0; i < def->pathCount; i++) points[i][0] = def->path[i].x, points[i][1] = def->path[i].y;
    wbStatus status = wbMakePrism((const float(*)[2])points, def->pathCount, depth, mesh);
    wbFree(NULL, points, bytes);
    return status;
}

static wbStatus copyScaled(const wbColliderDef *def, wbMesh *mesh) {
    if (!def->mesh || def->mesh->triangleCount < 1)
        return wbError(wb_errorInput, "a collider of the shape \"mesh\" needs a mesh");
    WB_TRY(wbAllocMesh(def->mesh->vertexCount, def->mesh->triangleCount, mesh));
    memcpy(mesh->indices, def->mesh->indices, sizeof(uint32_t[3]) * (size_t)mesh->triangleCount);
    for (int i = 0; i < 3 * mesh->vertexCount; i++)
        mesh->vertices[i] = def->params.scale * def->mesh->vertices[i];
    return wb_okStatus;
}

wbStatus wbMakeColliderMesh(const wbColliderDef *def, int dimensions, wbMesh *mesh) {
    const wbColliderParams *p = &def->params;
    bool isFlat = dimensions == 2;
    *mesh = (wbMesh){0};
    switch (p->shape) {
    case wb_shapeBox:
        return wbMakeBox(wbMakeVec3(p->size.x, p->size.y, getDepth(def, dimensions, p->size.z)), mesh);
    case wb_shapeSphere:
        return wbMakeSphere(p->radius, SPHERE_SEGMENTS, mesh);
    case wb_shapeCylinder:
        return wbMakeCylinder(p->radius, p->height, SEGMENTS, mesh);
    case wb_shapeCapsule:
        return wbMakeCapsule(p->radius, p->height, SPHERE_SEGMENTS, mesh);
    case wb_shapeTorus:
        return wbMakeTorus(p->radius, p->thickness, SPHERE_SEGMENTS, mesh);
    case wb_shapePipe:
        return wbMakePipe(
            &(wbPipeParams){def->path, def->pathCount, p->radius, p->thickness, SPHERE_SEGMENTS}, mesh);
    case wb_shapeTrough:
        return wbMakeTrough(&(wbTroughParams){def->path, def->pathCount, getDepth(def, dimensions, p->width),
                                              p->height, p->thickness},
                            mesh);
    case wb_shapeCup:
        return wbMakeCup(&(wbCupParams){p->radius, p->height, p->thickness, p->thickness, p->lid, SEGMENTS},
                         mesh);
    case wb_shapeTank:
        return wbMakeTank(
            &(wbTankParams){.innerSize = {p->size.x, p->size.y, getDepth(def, dimensions, p->size.z)},
                            .wall = p->thickness,
                            .floor = p->thickness,
                            .hasLid = p->lid},
            mesh);
    case wb_shapeWheel:
        return wbMakeWheel(&(wbWheelParams){.hubRadius = p->hub * p->radius,
                                            .radius = p->radius,
                                            .width = getDepth(def, dimensions, p->width),
                                            .paddleThickness = p->thickness,
                                            .paddleCount = p->paddles,
                                            .discThickness = p->discs && !isFlat ? p->thickness : 0,
                                            .segments = SEGMENTS},
                           mesh);
    case wb_shapePolygon:
        return makePrism(def, getDepth(def, dimensions, p->width), mesh);
    case wb_shapeMesh:
        return copyScaled(def, mesh);
    }
    return wbError(wb_errorInput, "unknown shape %d", (int)p->shape);
}
