// SPDX-License-Identifier: MIT
// Exact contacts on a compute device, as worlds see them: their life, what only the cores compute, and what a step that is undone or
// lost goes back to.
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_exact_state.h"
#include "shape/shape.h"

wbStatus wbCreateRigidExactGpu(wbMemory *memory, wbGpu *gpu, wbRigidExactGpu **result) {
    *result = NULL;
    wbRigidExactGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory, device->gpu = gpu, device->hostIsNewer = true;
    device->pieceTerms.elementSize = sizeof(RigidPieceTerms), device->hulls.elementSize = sizeof(wbExactHull);
    device->sentBits.elementSize = device->colourFirsts.elementSize = sizeof(int);
    device->rows.elementSize = device->pulled.elementSize = device->pulledKnown.elementSize =
        sizeof(float[4]);
    device->pulledPairs.elementSize = sizeof(wbPiecePair);
    device->pulledContacts.elementSize = sizeof(wbContact);
    device->joints.pulled.elementSize = sizeof(wbJointState);
    device->joints.noted.elementSize = sizeof(uint32_t);
    device->meshes.elementSize = sizeof(wbExactMesh);
    device->pulledCaches.elementSize = sizeof(wbCollideCache);
    device->pulledKept.elementSize = sizeof(wbKeptManifold);
    device->noted.elementSize = sizeof(uint32_t), device->notedTouches.elementSize = sizeof(wbRigidTouch);
    const wbStatus status = wbCreateGpuSort(memory, gpu, &device->sort);
    if (!wbIsOk(status)) {
        wbDestroyRigidExactGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

void wbDestroyRigidExactGpu(wbRigidExactGpu *device) {
    if (!device) return;
    for (int k = 0; k < EXACT_STATE; k++) {
        wbGpuBuffer_Free(device->gpu, &device->state[k]);
        wbGpuBuffer_Free(device->gpu, &device->after[k]);
    }
#define WB_BUFFER(name) wbGpuBuffer_Free(device->gpu, &device->name);
    WB_EXACT_BUFFERS(WB_BUFFER)
#undef WB_BUFFER
    wbArray *arrays[] = {
        &device->hulls,        &device->pieceTerms,   &device->sentBits,      &device->rows,
        &device->colourFirsts, &device->pulled,       &device->pulledPairs,   &device->pulledContacts,
        &device->pulledKnown,  &device->noted,        &device->notedTouches,  &device->meshes,
        &device->pulledKept,   &device->pulledCaches, &device->joints.pulled, &device->joints.noted};
    for (int k = 0; k < device->meshCount; k++) wbDestroyShape(((wbExactMesh *)device->meshes.data)[k].shape);
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) wbArray_Free(device->memory, arrays[k]);
    if (device->sort) wbDestroyGpuSort(device->sort);
    wbFree(device->memory, device, sizeof *device);
}

void wbRigidExactGpu_Invalidate(wbRigidExactGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "bodies were changed on the host before they were copied back");
    device->hostIsNewer = true;
}
bool wbRigidExactGpu_IsNewer(const wbRigidExactGpu *device) { return device->deviceIsNewer; }

// Trees of joints are eliminated in double.
static const char *findMissing(const wbGpu *gpu, const wbRigid *rigid) {
    return rigid->joints.count > 0 && !wbGpu_HasDoubles(gpu) ? "joints without double precision" : NULL;
}

// Going back

static void listNoted(const wbRigid *rigid, void *columns[EXACT_NOTED]) {
    void *const all[EXACT_NOTED] = {rigid->vx, rigid->vy, rigid->vz,        rigid->wx,   rigid->wy,
                                    rigid->wz, rigid->fx, rigid->fy,        rigid->fz,   rigid->tx,
                                    rigid->ty, rigid->tz, rigid->stillTime, rigid->bits, rigid->nextAsleep};
    memcpy(columns, all, sizeof all);
}

wbStatus wbRigidExactGpu_Note(wbRigidExactGpu *device, wbRigid *rigid) {
    const wbRigidEvents *events = &rigid->events;
    void *columns[EXACT_NOTED];
    if (!wbArray_Reserve(device->memory, &device->noted, EXACT_NOTED * rigid->count + 1) ||
        !wbArray_Reserve(device->memory, &device->notedTouches, events->touchCount + 1))
        return wbMemoryError(device->memory, "copies of %d rigid bodies need", rigid->count);
    WB_TRY(wbNoteDeviceJoints(device, rigid));
    device->rigid = rigid;
    listNoted(rigid, columns);
    for (int k = 0; k < EXACT_NOTED && rigid->count > 0; k++)
        memcpy((uint32_t *)device->noted.data + k * rigid->count, columns[k], 4 * (size_t)rigid->count);
    device->notedTouchCount = events->touchCount, device->notedTouchHash = rigid->contacts.touchHash;
    if (events->touchCount > 0)
        memcpy(device->notedTouches.data, events->touches.data,
               sizeof(wbRigidTouch) * (size_t)events->touchCount);
    return wb_okStatus;
}

// Lists of touches never become smaller than they were: there is room for what was noted. How many there are is a value, which the world
// brings back.
static void goBack(wbRigidExactGpu *device) {
    wbRigid *rigid = device->rigid;
    void *columns[EXACT_NOTED];
    if (!rigid || rigid->count != device->ownCount) return;
    listNoted(rigid, columns);
    for (int k = 0; k < EXACT_NOTED && rigid->count > 0; k++)
        memcpy(columns[k], (uint32_t *)device->noted.data + k * rigid->count, 4 * (size_t)rigid->count);
    wbReturnDeviceJoints(device, rigid);
    rigid->contacts.touchHash = device->notedTouchHash;
    if (device->notedTouchCount > 0)
        memcpy(rigid->events.touches.data, device->notedTouches.data,
               sizeof(wbRigidTouch) * (size_t)device->notedTouchCount);
}

void wbRigidExactGpu_Discard(wbRigidExactGpu *device) {
    if (device->deviceIsNewer) goBack(device);
    device->deviceIsNewer = false, device->hostIsNewer = true;
}

// For worlds

static wbStatus create(wbMemory *memory, wbGpu *gpu, void **result) {
    wbRigidExactGpu *device;
    WB_TRY(wbCreateRigidExactGpu(memory, gpu, &device));
    *result = device;
    return wb_okStatus;
}
static void destroy(void *device) { wbDestroyRigidExactGpu(device); }
static void invalidate(void *device) { wbRigidExactGpu_Invalidate(device); }
static wbStatus step(void *device, wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    return wbRigidExactGpu_Step(device, rigid, model, work, dt);
}
static bool isNewer(const void *device) { return wbRigidExactGpu_IsNewer(device); }
static wbStatus fetch(void *device, wbRigid *rigid) { return wbRigidExactGpu_Fetch(device, rigid); }
static void take(void *device, wbRigid *rigid) { wbRigidExactGpu_Take(device, rigid); }
static void discard(void *device) { wbRigidExactGpu_Discard(device); }

static size_t getStateSize(int k) { return k == EXACT_STILL ? sizeof(float) : sizeof(float[4]); }

// Bodies and contacts are in one of two buffers each: there is room in either for what may come back.
static wbStatus prepare(void *device) {
    wbRigidExactGpu *d = device;
    const size_t bodies = (size_t)d->ownCount;
    if (!d->deviceIsNewer) return wb_okStatus;
    for (int k = 0; k < EXACT_STATE; k++)
        WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->after[k], "bodies", getStateSize(k) * (bodies + 1)));
    return wbGpuBuffer_Reserve(d->gpu, &d->spare, "contacts",
                               sizeof(wbContact) * ((size_t)d->marks.contactCount + 1));
}

static int listParts(void *device, wbRigidEnginePart parts[WB_MAX_ENGINE_PARTS]) {
    wbRigidExactGpu *d = device;
    const size_t bodies = (size_t)d->ownCount;
    int count = 0;
    for (int k = 0; k < EXACT_STATE; k++)
        parts[count++] = (wbRigidEnginePart){.buffer = &d->state[k], .bytes = getStateSize(k) * bodies};
    parts[count++] = (wbRigidEnginePart){.buffer = &d->bits, .bytes = 4 * bodies};
    parts[count++] =
        (wbRigidEnginePart){.buffer = &d->pairs, .bytes = sizeof(wbPiecePair) * (size_t)wbCountPairs(d)};
    parts[count++] = (wbRigidEnginePart){.buffer = &d->contacts,
                                         .bytes = sizeof(wbContact) * (size_t)d->marks.contactCount};
    parts[count++] =
        (wbRigidEnginePart){.buffer = &d->known, .bytes = sizeof(float[4]) * (size_t)d->pieceCount};
    const size_t joints = (size_t)d->joints.count;
    parts[count++] = (wbRigidEnginePart){.buffer = &d->jointData, .bytes = sizeof(wbJoint) * joints};
    parts[count++] = (wbRigidEnginePart){.buffer = &d->jointStates, .bytes = sizeof(wbJointState) * joints};
    const size_t caches = d->marks.keptCount > 0 ? (size_t)d->marks.pairCounts[wb_pairOther] : 0;
    parts[count++] = (wbRigidEnginePart){.buffer = &d->caches, .bytes = sizeof(wbCollideCache) * caches};
    parts[count++] =
        (wbRigidEnginePart){.buffer = &d->kept, .bytes = sizeof(wbKeptManifold) * (size_t)d->marks.keptCount};
    parts[count++] = (wbRigidEnginePart){.data = d->sentBits.data, .bytes = 4 * bodies};
    parts[count++] = (wbRigidEnginePart){.data = &d->marks, .bytes = sizeof d->marks};
    return count;
}

const wbRigidEngine wb_rigidExactEngine = {.findMissing = findMissing,
                                           .create = create,
                                           .destroy = destroy,
                                           .invalidate = invalidate,
                                           .step = step,
                                           .isNewer = isNewer,
                                           .fetch = fetch,
                                           .take = take,
                                           .discard = discard,
                                           .prepare = prepare,
                                           .listParts = listParts};
