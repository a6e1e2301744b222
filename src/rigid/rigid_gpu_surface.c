// SPDX-License-Identifier: MIT
// Static and kinematic bodies and guests on a device: their pieces, with the hulls and meshes that these have.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_gpu_state.h"
#include "shape/shape.h"

_Static_assert((int)wb_pieceSphere == RIGID_SPHERE && (int)wb_pieceCapsule == RIGID_CAPSULE &&
                   (int)wb_pieceBox == RIGID_BOX && (int)wb_pieceCylinder == RIGID_CYLINDER &&
                   (int)wb_pieceHull == RIGID_HULL && (int)wb_piecePlane == RIGID_PLANE &&
                   (int)wb_pieceMesh == RIGID_MESH,
               "kinds of pieces are the same on a device");
_Static_assert(sizeof(RigidFace) == sizeof(wbHullFace) &&
                   offsetof(RigidFace, offset) == offsetof(wbHullFace, offset) &&
                   offsetof(RigidFace, first) == offsetof(wbHullFace, first) &&
                   offsetof(RigidFace, count) == offsetof(wbHullFace, count),
               "faces of hulls are the same on a device");

static SurfaceModel *getModels(const Surfaces *s) { return s->models.data; }

static void dropModels(Surfaces *s) {
    for (int k = 0; k < s->modelCount; k++) {
        wbDestroyHull(getModels(s)[k].hull);
        wbDestroyShape(getModels(s)[k].shape);
    }
    s->modelCount = 0;
}

void wbRigidGpu_FreeSurfaces(wbRigidGpu *device) {
    Surfaces *s = &device->surfaces;
    wbGpuBuffer *buffers[] = {&s->faces,     &s->loops,    &s->corners, &s->nodes, &s->clusters,
                              &s->triangles, &s->surfaces, &s->poses,   &s->near};
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++) wbGpuBuffer_Free(device->gpu, buffers[k]);
    dropModels(s);
    wbArray_Free(device->memory, &s->models), wbArray_Free(device->memory, &s->list);
}

// Models

static const SurfaceModel *findModel(const Surfaces *s, const wbRigidPiece *piece) {
    for (int k = 0; k < s->modelCount; k++)
        if (getModels(s)[k].hull == piece->hull && getModels(s)[k].shape == piece->shape)
            return &getModels(s)[k];
    return NULL;
}

static bool hasModel(const wbRigidPiece *piece) {
    return piece->kind == wb_pieceHull || piece->kind == wb_pieceMesh;
}

static bool isSurface(const wbRigid *rigid, int body) {
    return !(rigid->bits[body] & (WB_RIGID_DYNAMIC | WB_RIGID_OFF | WB_RIGID_SENSOR));
}

static const wbRigidPiece *getPieces(const wbRigid *rigid, int body) {
    return (const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[body];
}

static wbStatus addModel(wbRigidGpu *device, const wbRigidPiece *piece) {
    Surfaces *s = &device->surfaces;
    if (!wbArray_Reserve(device->memory, &s->models, s->modelCount + 1))
        return wbMemoryError(device->memory, "%d shapes of rigid bodies need", s->modelCount + 1);
    getModels(s)[s->modelCount++] =
        (SurfaceModel){.hull = piece->hull ? wbHull_Share(piece->hull) : NULL,
                       .shape = piece->shape ? wbShape_Share(piece->shape) : NULL};
    return wb_okStatus;
}

// Where each stands among all, and how many there are of each kind.
typedef struct Sizes {
    int faces, loops, corners, nodes, triangles;
} Sizes;

static wbStatus layOutModels(Surfaces *s, Sizes *sizes) {
    *sizes = (Sizes){0};
    for (int k = 0; k < s->modelCount; k++) {
        SurfaceModel *m = &getModels(s)[k];
        const wbShapeTree *tree = m->shape ? wbShape_GetTree(m->shape) : NULL;
        m->firstFace = sizes->faces, m->firstLoop = sizes->loops, m->firstCorner = sizes->corners;
        m->firstNode = sizes->nodes, m->firstTriangle = sizes->triangles;
        if (tree && (tree->nodeCount > INT32_MAX / 64 - sizes->nodes ||
                     tree->triangleCount > INT32_MAX / 64 - sizes->triangles))
            return wbError(wb_errorMemory, "the meshes of rigid bodies are more than a device can hold");
        if (tree) sizes->nodes += tree->nodeCount, sizes->triangles += tree->triangleCount;
        if (m->hull) sizes->faces += m->hull->faceCount, sizes->loops += m->hull->loopCount;
        if (m->hull) sizes->corners += m->hull->cornerCount;
    }
    return wb_okStatus;
}

static wbStatus copyPart(wbRigidGpu *device, wbGpuBuffer *buffer, size_t elementBytes, int first,
                         const void *host, int count) {
    return wbGpu_UploadAt(device->gpu, buffer, elementBytes * (size_t)first, host,
                          elementBytes * (size_t)count);
}

static wbStatus copyModel(wbRigidGpu *device, const SurfaceModel *m) {
    Surfaces *s = &device->surfaces;
    const wbHull *hull = m->hull;
    if (hull) {
        WB_TRY(copyPart(device, &s->faces, sizeof(RigidFace), m->firstFace, hull->faces, hull->faceCount));
        WB_TRY(copyPart(device, &s->loops, sizeof(int), m->firstLoop, hull->loops, hull->loopCount));
        return copyPart(device, &s->corners, sizeof(wbVec3), m->firstCorner, hull->corners,
                        hull->cornerCount);
    }
    const wbShapeTree *tree = wbShape_GetTree(m->shape);
    WB_TRY(copyPart(device, &s->nodes, sizeof(ShapeNode), m->firstNode, tree->nodes, tree->nodeCount));
    WB_TRY(
        copyPart(device, &s->clusters, sizeof(ShapeCluster), m->firstNode, tree->clusters, tree->nodeCount));
    return copyPart(device, &s->triangles, sizeof(ShapeTriangle), m->firstTriangle, tree->triangles,
                    tree->triangleCount);
}

static wbStatus copyModels(wbRigidGpu *device) {
    Surfaces *s = &device->surfaces;
    Sizes n;
    WB_TRY(layOutModels(s, &n));
    const struct {
        wbGpuBuffer *buffer;
        size_t bytes;
    } rooms[] = {{&s->faces, sizeof(RigidFace) * (size_t)n.faces},
                 {&s->loops, sizeof(int) * (size_t)n.loops},
                 {&s->corners, sizeof(wbVec3) * (size_t)n.corners},
                 {&s->nodes, sizeof(ShapeNode) * (size_t)n.nodes},
                 {&s->clusters, sizeof(ShapeCluster) * (size_t)n.nodes},
                 {&s->triangles, sizeof(ShapeTriangle) * (size_t)n.triangles}};
    for (size_t k = 0; k < sizeof rooms / sizeof rooms[0]; k++)
        WB_TRY(
            wbGpuBuffer_Reserve(device->gpu, rooms[k].buffer, "shapes of rigid bodies", rooms[k].bytes + 64));
    for (int k = 0; k < s->modelCount; k++) WB_TRY(copyModel(device, &getModels(s)[k]));
    return wb_okStatus;
}

// All that there are, without those that nobody has any more. After a failure there are none.
static wbStatus renewModels(wbRigidGpu *device, const wbRigid *rigid) {
    Surfaces *s = &device->surfaces;
    wbStatus status = wb_okStatus;
    dropModels(s);
    for (int b = 0; b < rigid->count + rigid->guestCount && wbIsOk(status); b++)
        for (int k = 0; k < rigid->pieceCount[b] && isSurface(rigid, b) && wbIsOk(status); k++) {
            const wbRigidPiece *piece = &getPieces(rigid, b)[k];
            if (hasModel(piece) && !findModel(s, piece)) status = addModel(device, piece);
        }
    if (wbIsOk(status)) status = copyModels(device);
    if (!wbIsOk(status)) dropModels(s);
    return status;
}

static bool hasAllModels(const Surfaces *s, const wbRigid *rigid, int first, int count) {
    for (int b = first; b < first + count; b++)
        for (int k = 0; k < rigid->pieceCount[b] && isSurface(rigid, b); k++)
            if (hasModel(&getPieces(rigid, b)[k]) && !findModel(s, &getPieces(rigid, b)[k])) return false;
    return true;
}

// Surfaces

static RigidSurface makeSurface(const Surfaces *s, const wbRigid *rigid, int body, int k) {
    const wbRigidPiece *piece = &getPieces(rigid, body)[k];
    wbRigidPiece alone = *piece;
    alone.pose = wb_poseAtOrigin;
    RigidSurface surface = {.pose = piece->pose,
                            .size = {piece->size[0], piece->size[1], piece->size[2]},
                            .kind = (int)piece->kind,
                            .body = body,
                            .second = -1 - wb_sideCount - (rigid->firstPiece[body] + k)};
    if (piece->kind != wb_piecePlane) {
        const BroadBox box = wbRigidPiece_Bound(&alone, &wb_poseAtOrigin);
        surface.min = wbMakeVec3(box.min[0], box.min[1], box.min[2]);
        surface.max = wbMakeVec3(box.max[0], box.max[1], box.max[2]);
    }
    if (!hasModel(piece)) return surface;
    const SurfaceModel *m = findModel(s, piece);
    surface.firstFace = m->firstFace, surface.faceCount = m->hull ? m->hull->faceCount : 0;
    surface.firstLoop = m->firstLoop, surface.firstCorner = m->firstCorner;
    surface.firstNode = m->firstNode, surface.firstTriangle = m->firstTriangle;
    surface.nodeCount = m->shape ? wbShape_GetTree(m->shape)->nodeCount : 0;
    return surface;
}

static int countSurfaces(const wbRigid *rigid, int first, int count) {
    int sum = 0;
    for (int b = first; b < first + count; b++) sum += isSurface(rigid, b) ? rigid->pieceCount[b] : 0;
    return sum;
}

static void listSurfaces(Surfaces *s, const wbRigid *rigid, int first, int count) {
    for (int b = first; b < first + count; b++)
        for (int k = 0; k < rigid->pieceCount[b] && isSurface(rigid, b); k++)
            ((RigidSurface *)s->list.data)[s->count++] = makeSurface(s, rigid, b, k);
}

static wbStatus reserveSurfaces(wbRigidGpu *device, const wbRigid *rigid, int count) {
    Surfaces *s = &device->surfaces;
    const size_t words = (size_t)(count + 31) / 32;
    if (!wbArray_Reserve(device->memory, &s->list, count + 1))
        return wbMemoryError(device->memory, "%d surfaces of rigid bodies need", count);
    if (words * (size_t)rigid->count > INT32_MAX / 8)
        return wbError(wb_errorMemory, "%d surfaces for %d rigid bodies are more than a device can hold",
                       count, rigid->count);
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &s->poses, "surfaces", sizeof(wbPose) * (size_t)count + 64));
    return wbGpuBuffer_Reserve(device->gpu, &s->near, "surfaces", 4 * words * (size_t)rigid->count + 64);
}

// Bodies' stay until bodies are pushed again; guests come anew in each step. Where a shape is not there, all are made anew: their
// places are others then.
wbStatus wbRigidGpu_PushSurfaces(wbRigidGpu *device, const wbRigid *rigid, bool areBodiesNew) {
    Surfaces *s = &device->surfaces;
    const int guests = rigid->guestCount;
    if (areBodiesNew || s->isStale || !hasAllModels(s, rigid, rigid->count, guests)) {
        s->count = s->bodyCount = 0;
        s->isStale = areBodiesNew = true; // until all of it is done
        WB_TRY(renewModels(device, rigid));
    }
    const int bodySurfaces = areBodiesNew ? countSurfaces(rigid, 0, rigid->count) : s->bodyCount;
    WB_TRY(reserveSurfaces(device, rigid, bodySurfaces + countSurfaces(rigid, rigid->count, guests)));
    s->count = s->bodyCount;
    if (areBodiesNew) listSurfaces(s, rigid, 0, rigid->count);
    s->bodyCount = s->count;
    listSurfaces(s, rigid, rigid->count, guests);
    WB_TRY(wbRigidGpu_Write(device, &s->surfaces, "surfaces", s->list.data,
                            sizeof(RigidSurface) * (size_t)s->count));
    s->isStale = false;
    return wb_okStatus;
}

wbStatus wbRigidGpu_PlaceSurfaces(const Step *step) {
    wbRigidGpu *d = step->device;
    const Surfaces *s = &d->surfaces;
    return wbRigidGpu_Run(step, step->motion->placeSurfaces, s->count,
                          WB_GPU_ARGS(WB_GPU_INT(s->count), WB_GPU_BUFFER(s->surfaces),
                                      WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[TURN]),
                                      WB_GPU_BUFFER(s->poses)));
}

wbStatus wbRigidGpu_FindSurfaces(const Step *step) {
    wbRigidGpu *d = step->device;
    const Surfaces *s = &d->surfaces;
    const int words = (s->count + 31) / 32;
    return wbRigidGpu_Run(step, step->search->near, d->bodyCount * words,
                          WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_INT(words), WB_GPU_INT(s->count),
                                      WB_GPU_FLOAT(step->margin), WB_GPU_BUFFER(d->laws),
                                      WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(s->surfaces),
                                      WB_GPU_BUFFER(s->poses), WB_GPU_BUFFER(s->near)));
}

RigidSides wbRigidGpu_GetSides(const Step *step, float time) {
    const wbDomain domain = wbDomain_At(step->model->domain, time);
    RigidSides sides = {.matter = wbRigid_GetMatter(step->rigid, step->model, -1)};
    for (int k = 0; k < wb_sideCount; k++) {
        const float sign = k % 2 ? -1 : 1;
        RigidSide *side = &sides.sides[k];
        side->isClosed = domain.closed[k];
        if (!side->isClosed) continue;
        side->normal[k / 2] = sign, side->offset = sign * wbDomain_GetEnd(&domain, k);
        memcpy(side->velocity, domain.velocity[k], sizeof side->velocity);
    }
    return sides;
}
