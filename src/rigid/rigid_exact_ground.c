// SPDX-License-Identifier: MIT
// Pieces on meshes, on a compute device: tables of the meshes, and room for what pairs with them need.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_exact_state.h"
#include "shape/shape.h"

enum { contactBytes = sizeof(float[8]), mostContacts = 1280 }; // of GroundContact in kernels

// Tables, of each mesh once, whoever shares it

static wbExactMesh *findMesh(const wbRigidExactGpu *device, const wbShape *shape) {
    wbExactMesh *meshes = device->meshes.data;
    for (int k = device->meshCount - 1; k >= 0; k--)
        if (meshes[k].shape == shape) return &meshes[k];
    return NULL;
}

static bool isUsed(const wbRigid *rigid, const wbShape *shape) {
    const wbRigidPiece *pieces = rigid->pieces.data;
    for (int k = 0; k < rigid->totalPieces; k++)
        if (pieces[k].shape == shape) return true;
    return false;
}

// Those that no piece has any longer, when bodies are copied anyway.
static bool dropMeshes(wbRigidExactGpu *device, const wbRigid *rigid) {
    wbExactMesh *meshes = device->meshes.data;
    int kept = 0;
    for (int k = 0; k < device->meshCount; k++)
        if (isUsed(rigid, meshes[k].shape))
            meshes[kept++] = meshes[k];
        else
            wbDestroyShape(meshes[k].shape);
    const bool hasChanged = kept < device->meshCount;
    device->meshCount = kept;
    return hasChanged;
}

static wbStatus addMeshes(wbRigidExactGpu *device, const wbRigid *rigid, bool *hasChanged) {
    const wbRigidPiece *pieces = rigid->pieces.data;
    for (int k = 0; k < rigid->totalPieces; k++) {
        if (!pieces[k].shape || findMesh(device, pieces[k].shape)) continue;
        if (!wbArray_Reserve(device->memory, &device->meshes, device->meshCount + 1))
            return wbMemoryError(device->memory, "%d meshes need", device->meshCount + 1);
        ((wbExactMesh *)device->meshes.data)[device->meshCount++].shape = wbShape_Share(pieces[k].shape);
        *hasChanged = true;
    }
    return wb_okStatus;
}

static void fillMesh(const wbShapeTree *tree, RigidMeshNode *nodes, RigidMeshTriangle *triangles) {
    for (int i = 0; i < tree->nodeCount; i++) nodes[i] = (RigidMeshNode){tree->nodes[i], tree->isFlat[i]};
    for (int i = 0; i < tree->triangleCount; i++) {
        triangles[i].shape = tree->triangles[i];
        memcpy(triangles[i].neighbours, tree->edges[i].neighbours, sizeof triangles[i].neighbours);
        memcpy(triangles[i].bends, tree->edges[i].bends, sizeof triangles[i].bends);
    }
}

// One mesh after the other: a large one need not fit into the host's memory twice.
static wbStatus uploadMesh(const wbDeviceStep *step, const wbExactMesh *mesh) {
    wbRigidExactGpu *d = step->device;
    wbArena *arena = step->work->arena;
    const wbShapeTree *tree = wbShape_GetTree(mesh->shape);
    const size_t mark = wbArena_Mark(arena), nodes = (size_t)tree->nodeCount,
                 triangles = (size_t)tree->triangleCount;
    RigidMeshNode *nodeRows = wbArena_Alloc(arena, sizeof *nodeRows * nodes);
    RigidMeshTriangle *triangleRows = wbArena_Alloc(arena, sizeof *triangleRows * triangles);
    if (!nodeRows || !triangleRows)
        return wbMemoryError(step->work->memory, "tables of a mesh of %d triangles need",
                             tree->triangleCount);
    fillMesh(tree, nodeRows, triangleRows);
    WB_TRY(wbGpu_UploadAt(d->gpu, &d->nodes, sizeof *nodeRows * (size_t)mesh->firstNode, nodeRows,
                          sizeof *nodeRows * nodes));
    WB_TRY(wbGpu_UploadAt(d->gpu, &d->triangles, sizeof *triangleRows * (size_t)mesh->firstTriangle,
                          triangleRows, sizeof *triangleRows * triangles));
    wbArena_Release(arena, mark);
    return wb_okStatus;
}

static wbStatus uploadMeshes(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbExactMesh *meshes = d->meshes.data;
    int nodes = 0, triangles = 0;
    for (int k = 0; k < d->meshCount; k++) {
        const wbShapeTree *tree = wbShape_GetTree(meshes[k].shape);
        meshes[k].firstNode = nodes, meshes[k].firstTriangle = triangles;
        nodes += tree->nodeCount, triangles += tree->triangleCount;
    }
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->nodes, "meshes", sizeof(RigidMeshNode) * ((size_t)nodes + 1)));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->triangles, "meshes",
                               sizeof(RigidMeshTriangle) * ((size_t)triangles + 1)));
    for (int k = 0; k < d->meshCount; k++) WB_TRY(uploadMesh(step, &meshes[k]));
    return wb_okStatus;
}

wbStatus wbDeviceStep_PushMeshes(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    bool hasChanged = d->hostIsNewer && dropMeshes(d, step->rigid);
    WB_TRY(addMeshes(d, step->rigid, &hasChanged));
    if (!hasChanged) return wb_okStatus;
    if (!d->hostIsNewer) d->marks.isListKnown = false; // what is known may be of another mesh
    const wbStatus status = uploadMeshes(step);
    if (!wbIsOk(status)) { // they are not there: the next step tries again
        for (int k = 0; k < d->meshCount; k++) wbDestroyShape(((wbExactMesh *)d->meshes.data)[k].shape);
        d->meshCount = 0;
    }
    return status;
}

void wbRigidExactGpu_PlaceMeshes(const wbRigidExactGpu *device, const wbRigid *rigid) {
    const wbRigidPiece *pieces = rigid->pieces.data;
    RigidPieceTerms *terms = device->pieceTerms.data;
    for (int k = 0; k < rigid->totalPieces && device->meshCount > 0; k++) {
        if (!pieces[k].shape) continue;
        const wbExactMesh *mesh = findMesh(device, pieces[k].shape);
        terms[k].firstNode = mesh->firstNode, terms[k].firstTriangle = mesh->firstTriangle;
        terms[k].nodeCount = wbShape_GetTree(mesh->shape)->nodeCount;
    }
}

// Pairs

wbStatus wbDeviceStep_StartGround(const wbDeviceStep *step, bool forgets) {
    wbRigidExactGpu *d = step->device;
    const int count = d->marks.pairCounts[wb_pairOther];
    if (forgets) d->marks.keptCount = d->meshCount > 0 ? count : 0;
    if (d->meshCount == 0) return wb_okStatus;
    const size_t pairs = (size_t)count + 1;
    d->roomCount = count, d->groundRoom = count * RIGID_GROUND_ROOM;
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->rooms, "pairs", sizeof(RigidGroundRoom) * pairs));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->groundContacts, "contacts",
                               contactBytes * ((size_t)d->groundRoom + 1)));
    if (forgets) {
        WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->caches, "pairs", sizeof(wbCollideCache) * pairs));
        WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->kept, "pairs", sizeof(wbKeptManifold) * pairs));
    }
    return wbGpu_Run(d->gpu, d->kernels.forget, count,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(forgets), WB_GPU_BUFFER(d->caches),
                                 WB_GPU_BUFFER(d->kept), WB_GPU_BUFFER(d->rooms)));
}

wbStatus wbDeviceStep_CollideGround(const wbDeviceStep *step, bool again) {
    wbRigidExactGpu *d = step->device;
    if (d->meshCount == 0) return wb_okStatus;
    // rooms are of another list after a step that was undone
    if (d->roomCount != d->marks.pairCounts[wb_pairOther]) WB_TRY(wbDeviceStep_StartGround(step, false));
    return wbDeviceStep_Run(
        step, d->kernels.ground, step->terms.otherPairs,
        WB_GPU_ARGS(WB_GPU_INT(again), WB_GPU_BUFFER(d->pairs), WB_GPU_BUFFER(d->pieces),
                    WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->state[EXACT_CENTRE]),
                    WB_GPU_BUFFER(d->state[EXACT_TURN]), WB_GPU_BUFFER(d->places), WB_GPU_BUFFER(d->corners),
                    WB_GPU_BUFFER(d->faces), WB_GPU_BUFFER(d->loops), WB_GPU_BUFFER(d->edges),
                    WB_GPU_BUFFER(d->nodes), WB_GPU_BUFFER(d->triangles), WB_GPU_BUFFER(d->moves),
                    WB_GPU_BUFFER(d->rooms), WB_GPU_BUFFER(d->groundContacts), WB_GPU_BUFFER(d->caches),
                    WB_GPU_BUFFER(d->kept), WB_GPU_BUFFER(d->sources), WB_GPU_BUFFER(d->manifolds),
                    WB_GPU_BUFFER(d->counts), WB_GPU_BUFFER(d->counters)));
}

// Twice what pairs need, at the end, in their order: what they had is not used until pairs are listed again.
static void giveRoom(wbRigidExactGpu *d, RigidGroundRoom *rooms, wbCollideCache *caches) {
    for (int i = 0; i < d->roomCount; i++) {
        if (rooms[i].contacts > 0) {
            rooms[i].first = d->groundRoom;
            rooms[i].room = 2 * rooms[i].contacts < mostContacts ? 2 * rooms[i].contacts : mostContacts;
            d->groundRoom += rooms[i].room;
        }
        if (rooms[i].manifolds > 0) {
            caches[i].first = d->marks.keptCount, caches[i].room = 2 * rooms[i].manifolds;
            d->marks.keptCount += caches[i].room;
        }
    }
}

wbStatus wbDeviceStep_MakeRoom(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbArena *arena = step->work->arena;
    const size_t mark = wbArena_Mark(arena), pairs = (size_t)d->roomCount,
                 before = (size_t)d->marks.keptCount;
    RigidGroundRoom *rooms = wbArena_Alloc(arena, sizeof *rooms * pairs);
    wbCollideCache *caches = wbArena_Alloc(arena, sizeof *caches * pairs);
    if (!rooms || !caches) return wbMemoryError(step->work->memory, "room of %d pairs needs", d->roomCount);
    WB_TRY(wbGpu_Download(d->gpu, &d->rooms, rooms, sizeof *rooms * pairs));
    WB_TRY(wbGpu_Download(d->gpu, &d->caches, caches, sizeof *caches * pairs));
    giveRoom(d, rooms, caches);
    const size_t kept = (size_t)d->marks.keptCount, more = sizeof(wbKeptManifold) * (kept - before);
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->groundContacts, "contacts",
                               contactBytes * ((size_t)d->groundRoom + 1)));
    WB_TRY(wbGpuBuffer_Grow(d->gpu, &d->manifolds, "contacts", sizeof(RigidManifold) * (kept + 1),
                            sizeof(RigidManifold) * before));
    WB_TRY(wbGpuBuffer_Grow(d->gpu, &d->kept, "contacts", sizeof(wbKeptManifold) * (kept + 1),
                            sizeof(wbKeptManifold) * before));
    if (more > 0) { // they are saved as they are
        void *zeros = wbArena_Alloc(arena, more);
        if (!zeros) return wbMemoryError(step->work->memory, "%d manifolds of rigid bodies need", (int)kept);
        memset(zeros, 0, more);
        WB_TRY(wbGpu_UploadAt(d->gpu, &d->kept, sizeof(wbKeptManifold) * before, zeros, more));
    }
    WB_TRY(wbGpu_Upload(d->gpu, &d->rooms, rooms, sizeof *rooms * pairs));
    WB_TRY(wbGpu_Upload(d->gpu, &d->caches, caches, sizeof *caches * pairs));
    wbArena_Release(arena, mark);
    return wb_okStatus;
}
