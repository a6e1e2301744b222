// SPDX-License-Identifier: MIT
#include "space/collision_gpu.h"

#include "core/status.h"

extern const char wb_clSharedSum[], wb_clMath[], wb_clShapeDevice[], wb_clBroadPhaseFormula[],
    wb_clCollisionFormula[], wb_clCollision[];

struct wbCollisionGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbCollision *collision;
    wbGpuKernel *kernel;
    wbGpuBuffer nodes, triangles, colliders, boxes, counts;
    uint64_t version; ///< of the places that it has; 0: none
};

static wbStatus buildKernel(wbCollisionGpu *device) {
    const char *const sources[] = {wb_clSharedSum,        wb_clMath,
                                   wb_clShapeDevice,      wb_clBroadPhaseFormula,
                                   wb_clCollisionFormula, wb_clCollision};
    wbGpuProgramDef def = {"collision", sources, sizeof sources / sizeof sources[0], ""};
    wbGpuProgram *program;
    WB_TRY(wbGpu_Build(device->gpu, &def, &program));
    return wbGpuProgram_GetKernel(program, "collision_particles", &device->kernel);
}

static wbStatus uploadTrees(wbCollisionGpu *device) {
    const wbCollisionParts *parts = wbCollision_GetParts(device->collision);
    const size_t nodeBytes = sizeof(ShapeNode) * (size_t)parts->nodeCount;
    const size_t triangleBytes = sizeof(ShapeTriangle) * (size_t)parts->triangleCount;
    const size_t count = (size_t)parts->trees.colliderCount;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->counts, "counts of the collision", 2 * sizeof(int)));
    WB_TRY(wbGpu_Fill(device->gpu, &device->counts, 0, 2 * sizeof(int)));
    if (count == 0) return wb_okStatus;
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->nodes, "trees of colliders", nodeBytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->triangles, "triangles of colliders", triangleBytes));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->colliders, "places of colliders",
                               sizeof(CollisionCollider) * count));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->boxes, "boxes around colliders",
                               sizeof(BroadNode) * (size_t)parts->trees.boxCount));
    WB_TRY(wbGpu_Upload(device->gpu, &device->nodes, parts->trees.nodes, nodeBytes));
    return wbGpu_Upload(device->gpu, &device->triangles, parts->trees.triangles, triangleBytes);
}

wbStatus wbCreateCollisionGpu(wbMemory *memory, wbGpu *gpu, wbCollision *collision, wbCollisionGpu **result) {
    *result = NULL;
    wbCollisionGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "the collision of colliders on a device needs");
    *device = (wbCollisionGpu){.memory = memory, .gpu = gpu, .collision = collision};
    wbStatus status = buildKernel(device);
    if (wbIsOk(status)) status = uploadTrees(device);
    if (wbIsOk(status))
        *result = device;
    else
        wbDestroyCollisionGpu(device);
    return status;
}

void wbDestroyCollisionGpu(wbCollisionGpu *device) {
    if (!device) return;
    wbGpuBuffer *buffers[] = {&device->nodes, &device->triangles, &device->colliders, &device->boxes,
                              &device->counts};
    for (int i = 0; i < 5; i++) wbGpuBuffer_Free(device->gpu, buffers[i]);
    wbFree(device->memory, device, sizeof *device);
}

static wbStatus uploadPlaces(wbCollisionGpu *device) {
    const wbCollisionParts *parts = wbCollision_GetParts(device->collision);
    const size_t count = (size_t)parts->trees.colliderCount;
    if (device->version == parts->version) return wb_okStatus;
    WB_TRY(wbGpu_Upload(device->gpu, &device->colliders, parts->trees.colliders,
                        sizeof(CollisionCollider) * count));
    WB_TRY(wbGpu_Upload(device->gpu, &device->boxes, parts->trees.boxes,
                        sizeof(BroadNode) * (size_t)parts->trees.boxCount));
    device->version = parts->version;
    return wb_okStatus;
}

wbStatus wbCollisionGpu_Run(wbCollisionGpu *device, const wbCollisionPlace *places,
                            const wbCollisionBuffers *b) {
    const wbCollisionParts *parts = wbCollision_GetParts(device->collision);
    const wbGpuBuffer *relative = b->relative ? b->relative : b->velocity[0],
                      *sums = b->sums ? b->sums : &device->counts; // which are not read
    if (parts->trees.colliderCount == 0) return wb_okStatus;
    wbCollision_Place(device->collision, places);
    WB_TRY(uploadPlaces(device));
    return wbGpu_Run(
        device->gpu, device->kernel, b->count,
        WB_GPU_ARGS(
            WB_GPU_INT(b->count), WB_GPU_INT(b->isFlat), WB_GPU_INT(parts->trees.colliderCount),
            WB_GPU_INT(parts->trees.boxCount), WB_GPU_BUFFER(device->colliders), WB_GPU_BUFFER(device->boxes),
            WB_GPU_BUFFER(device->nodes), WB_GPU_BUFFER(device->triangles), WB_GPU_BUFFER(*b->before[0]),
            WB_GPU_BUFFER(*b->before[1]), WB_GPU_BUFFER(*b->before[2]), WB_GPU_BUFFER(*b->position[0]),
            WB_GPU_BUFFER(*b->position[1]), WB_GPU_BUFFER(*b->position[2]), WB_GPU_BUFFER(*b->velocity[0]),
            WB_GPU_BUFFER(*b->velocity[1]), WB_GPU_BUFFER(*b->velocity[2]), WB_GPU_BUFFER(device->counts),
            WB_GPU_FLOAT(b->share), WB_GPU_INT(b->relative != NULL), WB_GPU_BUFFER(*relative),
            WB_GPU_BUFFER(*sums), WB_GPU_INT(b->sums ? b->firstSum : -1)));
}

wbStatus wbCollisionGpu_TakeCounts(wbCollisionGpu *device, wbCollisionCounts *counts) {
    int sums[2];
    WB_TRY(wbGpu_Download(device->gpu, &device->counts, sums, sizeof sums));
    WB_TRY(wbGpu_Fill(device->gpu, &device->counts, 0, sizeof sums));
    *counts = (wbCollisionCounts){sums[0], sums[1]};
    return wb_okStatus;
}
