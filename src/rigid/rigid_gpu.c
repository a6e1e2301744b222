// SPDX-License-Identifier: MIT
#include "rigid/rigid_gpu.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_gpu_state.h"

// A contact on its way back to the host.
typedef struct Contact {
    int64_t rank;
    int first, second;
    float shear[3];
} Contact;

wbStatus wbCreateRigidGpu(wbMemory *memory, wbGpu *gpu, wbRigidGpu **result) {
    *result = NULL;
    wbRigidGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory, device->gpu = gpu, device->hostIsNewer = true;
    device->firsts.elementSize = device->words.elementSize = sizeof(int);
    device->quads.elementSize = sizeof(float[4]), device->pulled.elementSize = sizeof(float[MOVED][4]);
    device->contacts.elementSize = sizeof(Contact);
    device->surfaces.models.elementSize = sizeof(SurfaceModel);
    device->surfaces.list.elementSize = sizeof(RigidSurface);
    device->generators.starts.elementSize = device->generators.ties.elementSize = sizeof(int);
    device->generators.members.elementSize = sizeof(int);
    device->generators.acts.elementSize = sizeof(RigidAct);
    device->generators.rules.elementSize = sizeof(ForceRule);
    wbStatus status = wbGpuCells_Init(&device->cells, memory, gpu);
    if (!wbIsOk(status)) {
        wbDestroyRigidGpu(device);
        return status;
    }
    *result = device;
    return wb_okStatus;
}

static void freeBuffers(wbRigidGpu *device, wbGpuBuffer *buffers, int count) {
    for (int k = 0; k < count; k++) wbGpuBuffer_Free(device->gpu, &buffers[k]);
}

void wbDestroyRigidGpu(wbRigidGpu *device) {
    if (!device) return;
    freeBuffers(device, device->bodies, BODY_QUADS), freeBuffers(device, device->particles, PARTICLE_QUADS);
    freeBuffers(device, device->axes, 3);
    for (int k = 0; k < 2; k++) {
        freeBuffers(device, &device->lists[k].starts, 1), freeBuffers(device, &device->lists[k].seconds, 1);
        freeBuffers(device, &device->lists[k].shears, 1);
    }
    freeBuffers(device, &device->bodyOf, 1), freeBuffers(device, &device->sortedBodies, 1);
    freeBuffers(device, &device->laws, 1), freeBuffers(device, &device->targets, 1);
    freeBuffers(device, &device->matter, 1), freeBuffers(device, &device->summary, 1);
    wbRigidGpu_FreeSurfaces(device), wbRigidGpu_FreeGenerators(device);
    wbGpuCells_Free(&device->cells);
    wbArray *arrays[] = {&device->firsts, &device->quads, &device->words, &device->pulled, &device->contacts};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) wbArray_Free(device->memory, arrays[k]);
    wbFree(device->memory, device, sizeof *device);
}

void wbRigidGpu_SetGroupSize(wbRigidGpu *device, int size) { device->groupSize = size; }

void wbRigidGpu_Invalidate(wbRigidGpu *device) {
    WB_ASSERT(!device->deviceIsNewer, "bodies were changed on the host before they were copied back");
    device->hostIsNewer = true;
}

bool wbRigidGpu_IsNewer(const wbRigidGpu *device) { return device->deviceIsNewer; }

void wbRigidGpu_Discard(wbRigidGpu *device) { device->deviceIsNewer = false, device->hostIsNewer = true; }

static wbStatus lose(wbRigidGpu *device, wbStatus why) {
    wbRigidGpu_Discard(device);
    return wbError(wb_errorDevice, "%s", why.text);
}

// To the device

wbStatus wbRigidGpu_Write(wbRigidGpu *device, wbGpuBuffer *buffer, const char *name, const void *host,
                          size_t bytes) {
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, buffer, name, bytes + 64));
    return bytes ? wbGpu_Upload(device->gpu, buffer, host, bytes) : wb_okStatus;
}

// Rows from `first` on, behind those that are there.
static wbStatus writeRows(wbRigidGpu *device, wbGpuBuffer *buffer, const void *rows, size_t rowBytes,
                          int first, int count) {
    const size_t begin = rowBytes * (size_t)first, bytes = rowBytes * (size_t)count;
    WB_TRY(wbGpuBuffer_Grow(device->gpu, buffer, "bodies", begin + bytes + 64, begin));
    return bytes ? wbGpu_UploadAt(device->gpu, buffer, begin, rows, bytes) : wb_okStatus;
}

// Columns of floats as quads, of bodies from `first` on.
static wbStatus pushColumns(wbRigidGpu *device, wbGpuBuffer *buffer, const float *const columns[4], int first,
                            int count) {
    float(*quads)[4] = device->quads.data;
    for (int b = 0; b < count; b++)
        for (int k = 0; k < 4; k++) quads[b][k] = columns[k] ? columns[k][first + b] : 0;
    return writeRows(device, buffer, quads, sizeof(float[4]), first, count);
}

static bool touchesOthers(const wbRigid *rigid, int body) {
    return rigid->bits[body] & WB_RIGID_DYNAMIC && !(rigid->bits[body] & (WB_RIGID_OFF | WB_RIGID_SENSOR));
}

// Room for what is copied, of bodies, guests and particles.
static wbStatus reserveHost(wbRigidGpu *device, const wbRigid *rigid) {
    const wbRigidParticles *p = &rigid->particles;
    const int total = rigid->count + rigid->guestCount, most = p->count > total ? p->count : total;
    const size_t law = sizeof(RigidBodyLaw) + sizeof(float[4]);
    const int quads = (int)(((size_t)most + 1) * law / sizeof(float[4]) + 1);
    if (!wbArray_Reserve(device->memory, &device->firsts, rigid->count + 1) ||
        !wbArray_Reserve(device->memory, &device->quads, quads) ||
        !wbArray_Reserve(device->memory, &device->words, most + 2) ||
        !wbArray_Reserve(device->memory, &device->pulled, rigid->count))
        return wbMemoryError(device->memory, "copies of %d rigid bodies need", rigid->count);
    return wb_okStatus;
}

static wbStatus pushParticles(wbRigidGpu *device, const wbRigid *rigid) {
    const wbRigidParticles *p = &rigid->particles;
    int *firsts = device->firsts.data, *bodies = device->words.data, count = 0;
    float(*quads)[4] = device->quads.data;
    for (int b = 0; b < rigid->count; b++) {
        firsts[b] = count;
        for (int i = p->firstParticle[b];
             touchesOthers(rigid, b) && i < p->firstParticle[b] + p->surfaceCount[b]; i++, count++) {
            bodies[count] = b;
            quads[count][0] = p->x[i], quads[count][1] = p->y[i], quads[count][2] = p->z[i];
            quads[count][3] = p->radius[i];
        }
    }
    firsts[rigid->count] = device->particleCount = count;
    WB_TRY(wbRigidGpu_Write(device, &device->bodyOf, "particles", bodies, sizeof(int) * (size_t)count));
    WB_TRY(wbRigidGpu_Write(device, &device->particles[OWN], "particles", quads,
                            sizeof(float[4]) * (size_t)count));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->sortedBodies, "particles",
                               sizeof(int) * ((size_t)count + WB_PADDING)));
    for (int k = PLACE; k < PARTICLE_QUADS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->particles[k], "particles",
                                   sizeof(float[4]) * ((size_t)count + WB_PADDING)));
    for (int k = 0; k < 3; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->axes[k], "places",
                                   sizeof(float) * ((size_t)count + WB_PADDING)));
    return wb_okStatus;
}

// Bodies, or guests, from `first` on: where they are, how they move, and what steps do not change.
static wbStatus pushMotion(wbRigidGpu *device, const wbRigid *rigid, int first, int count) {
    const float *columns[MOVED][4] = {{rigid->x, rigid->y, rigid->z, NULL},
                                      {rigid->qx, rigid->qy, rigid->qz, rigid->qw},
                                      {rigid->vx, rigid->vy, rigid->vz, NULL},
                                      {rigid->wx, rigid->wy, rigid->wz, NULL}};
    for (int k = 0; k < MOVED; k++) WB_TRY(pushColumns(device, &device->bodies[k], columns[k], first, count));
    const int *firsts = device->firsts.data;
    RigidBodyLaw *laws = device->quads.data;
    for (int k = 0; k < count; k++) {
        const int b = first + k, particles = b < rigid->count ? firsts[b + 1] - firsts[b] : 0;
        laws[k] = (RigidBodyLaw){.inverseInertia = {rigid->inverseInertiaX[b], rigid->inverseInertiaY[b],
                                                    rigid->inverseInertiaZ[b]},
                                 .inverseMass = rigid->inverseMass[b],
                                 .gravityScale = rigid->gravityScale[b],
                                 .linearDamping = rigid->linearDamping[b],
                                 .angularDamping = rigid->angularDamping[b],
                                 .reach = isfinite(rigid->reach[b]) ? rigid->reach[b] : 0,
                                 .moves = rigid->bits[b] & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC) &&
                                          !(rigid->bits[b] & WB_RIGID_OFF),
                                 .first = particles > 0 ? firsts[b] : 0,
                                 .count = particles,
                                 .category = rigid->category[b],
                                 .mask = rigid->mask[b]};
    }
    return writeRows(device, &device->laws, laws, sizeof(RigidBodyLaw), first, count);
}

static void measureBodies(wbRigidGpu *device, const wbRigid *rigid) {
    device->largestReach = 0;
    for (int b = 0; b < rigid->count; b++)
        if (touchesOthers(rigid, b)) device->largestReach = fmaxf(device->largestReach, rigid->reach[b]);
}

// What springs follow from, which gravity may change.
static wbStatus pushMatter(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model) {
    RigidMatter *matter = device->quads.data;
    for (int b = 0; b < device->total; b++) matter[b] = wbRigid_GetMatter(rigid, model, b);
    return wbRigidGpu_Write(device, &device->matter, "bodies", matter,
                            sizeof(RigidMatter) * (size_t)device->total);
}

// Particles on the device are those at surfaces, without what fills up.
static int toDevice(const wbRigidGpu *device, const wbRigidParticles *p, int particle) {
    return ((const int *)device->firsts.data)[p->body[particle]] + particle -
           p->firstParticle[p->body[particle]];
}

// Those of bodies that nothing feels now are not on the device, and their contacts are forgotten.
static bool isOnDevice(const wbRigidGpu *device, const wbRigidParticles *p, int particle) {
    const int *firsts = device->firsts.data, body = p->body[particle];
    return firsts[body] < firsts[body + 1];
}

static bool isRemembered(const wbRigidGpu *device, const wbRigidParticles *p, int contact) {
    const int first = p->contactFirst[contact], second = p->contactSecond[contact];
    return isOnDevice(device, p, first) && (second < 0 || isOnDevice(device, p, second));
}

// Of a pair both particles have the contact, as the first body's sees it.
static wbStatus pushContacts(wbRigidGpu *device, const wbRigid *rigid) {
    const wbRigidParticles *p = &rigid->particles;
    ContactList *list = &device->lists[0];
    uint32_t *starts = device->words.data;
    int total = 0;
    memset(starts, 0, sizeof(uint32_t) * ((size_t)device->particleCount + 2));
    for (int c = 0; c < p->contactCount; c++) {
        if (!isRemembered(device, p, c)) continue;
        starts[toDevice(device, p, p->contactFirst[c]) + 2]++, total++;
        if (p->contactSecond[c] >= 0) starts[toDevice(device, p, p->contactSecond[c]) + 2]++, total++;
    }
    for (int i = 0; i < device->particleCount; i++) starts[i + 2] += starts[i + 1];
    if (!wbArray_Reserve(device->memory, &device->contacts, total + 1))
        return wbMemoryError(device->memory, "%d contacts need", total);
    // seconds and shears, in the same memory as contacts on their way back
    float(*shears)[4] = device->contacts.data;
    int *seconds = (int *)(shears + total);
    for (int c = 0; c < p->contactCount; c++) {
        if (!isRemembered(device, p, c)) continue;
        const int first = toDevice(device, p, p->contactFirst[c]);
        const bool isPair = p->contactSecond[c] >= 0;
        const int second = isPair ? toDevice(device, p, p->contactSecond[c]) : p->contactSecond[c];
        for (int turned = 0; turned < 1 + isPair; turned++) {
            const uint32_t at = starts[(turned ? second : first) + 1]++;
            seconds[at] = turned ? first : second;
            for (int k = 0; k < 3; k++) shears[at][k] = p->shear[k][c];
            shears[at][3] = 0;
        }
    }
    device->marks.contactCount = total;
    WB_TRY(
        wbRigidGpu_Write(device, &list->starts, "contacts", starts, 4 * ((size_t)device->particleCount + 1)));
    WB_TRY(wbRigidGpu_Write(device, &list->seconds, "contacts", seconds, 4 * (size_t)total));
    return wbRigidGpu_Write(device, &list->shears, "contacts", shears, sizeof(float[4]) * (size_t)total);
}

wbStatus wbRigidGpu_Push(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model) {
    device->bodyCount = rigid->count;
    WB_TRY(reserveHost(device, rigid));
    WB_TRY(pushParticles(device, rigid));
    WB_TRY(pushMotion(device, rigid, 0, rigid->count));
    WB_TRY(pushContacts(device, rigid));
    WB_TRY(wbRigidGpu_PushSurfaces(device, rigid, true));
    WB_TRY(wbRigidGpu_PushGenerators(device, rigid, model));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->summary, "summary", sizeof(RigidSummary)));
    measureBodies(device, rigid);
    device->hadLoads = true; // of other bodies
    device->hostIsNewer = false;
    return wb_okStatus;
}

static bool hasLoads(const wbRigid *rigid) {
    const float *columns[6] = {rigid->fx, rigid->fy, rigid->fz, rigid->tx, rigid->ty, rigid->tz};
    for (int k = 0; k < 6; k++)
        for (int b = 0; b < rigid->count; b++)
            if (columns[k][b] != 0) return true;
    return false;
}

static wbStatus pushLoads(wbRigidGpu *device, const wbRigid *rigid) {
    const bool has = hasLoads(rigid);
    if (!has && !device->hadLoads) return wb_okStatus;
    const float *force[4] = {rigid->fx, rigid->fy, rigid->fz, NULL},
                *torque[4] = {rigid->tx, rigid->ty, rigid->tz, NULL};
    WB_TRY(pushColumns(device, &device->bodies[OWN_FORCE], force, 0, rigid->count));
    WB_TRY(pushColumns(device, &device->bodies[OWN_TORQUE], torque, 0, rigid->count));
    device->hadLoads = has;
    return wb_okStatus;
}

wbStatus wbRigidGpu_PushStep(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model) {
    device->total = rigid->count + rigid->guestCount;
    WB_TRY(reserveHost(device, rigid));
    const size_t bytes = sizeof(float[4]) * (4 * (size_t)device->total + WB_PADDING);
    if (device->bodies[OWN_TORQUE].bytes < bytes) device->hadLoads = true; // there may be anything in it
    for (int k = MOVED; k < BODY_QUADS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->bodies[k], "bodies", bytes));
    WB_TRY(pushMatter(device, rigid, model));
    WB_TRY(pushLoads(device, rigid));
    const Surfaces *s = &device->surfaces;
    if (rigid->guestCount == 0 && s->count == s->bodyCount && !s->isStale) return wb_okStatus;
    WB_TRY(pushMotion(device, rigid, rigid->count, rigid->guestCount));
    return wbRigidGpu_PushSurfaces(device, rigid, false);
}

// Back to the host

static wbStatus fetchContacts(wbRigidGpu *device, wbRigid *rigid) {
    wbRigidParticles *p = &rigid->particles;
    const ContactList *list = &device->lists[0];
    const int *firsts = device->firsts.data, count = device->marks.contactCount;
    wbColumn columns[WB_RIGID_CONTACT_COLUMNS];
    wbRigidParticles_ListContacts(p, columns);
    // quads hold shears and then seconds; words the starts
    if (!wbArray_Reserve(device->memory, &device->quads, 2 * count + 1) ||
        !wbArray_Reserve(device->memory, &device->contacts, count + 1) ||
        !wbReserveColumns(device->memory, columns, WB_RIGID_CONTACT_COLUMNS, &p->contactCapacity, count))
        return wbMemoryError(device->memory, "%d contacts need", count);
    uint32_t *starts = device->words.data;
    float(*shears)[4] = device->quads.data;
    int *seconds = (int *)(shears + count);
    WB_TRY(wbGpu_Download(device->gpu, &list->starts, starts, 4 * ((size_t)device->particleCount + 1)));
    device->pulledContacts = 0;
    if (count == 0) return wb_okStatus;
    WB_TRY(wbGpu_Download(device->gpu, &list->shears, shears, sizeof(float[4]) * (size_t)count));
    WB_TRY(wbGpu_Download(device->gpu, &list->seconds, seconds, 4 * (size_t)count));
    for (int b = 0; b < rigid->count; b++)
        for (int i = firsts[b]; i < firsts[b + 1]; i++)
            for (uint32_t k = starts[i]; k < starts[i + 1]; k++) {
                Contact contact = {.first = p->firstParticle[b] + i - firsts[b], .second = seconds[k]};
                memcpy(contact.shear, shears[k], sizeof contact.shear);
                if (!(contact.shear[0] != 0 || contact.shear[1] != 0 || contact.shear[2] != 0)) continue;
                if (seconds[k] >= 0 && seconds[k] < firsts[b + 1]) continue; // the other one has it
                ((Contact *)device->contacts.data)[device->pulledContacts++] = contact;
            }
    return wb_okStatus;
}

wbStatus wbRigidGpu_Fetch(wbRigidGpu *device, wbRigid *rigid) {
    if (!device->deviceIsNewer) return wb_okStatus;
    const size_t bytes = sizeof(float[4]) * (size_t)device->bodyCount;
    char *pulled = device->pulled.data;
    wbStatus status = wb_okStatus;
    for (int k = 0; k < MOVED && wbIsOk(status) && bytes; k++)
        status = wbGpu_Download(device->gpu, &device->bodies[k], pulled + (size_t)k * bytes, bytes);
    if (wbIsOk(status)) status = fetchContacts(device, rigid);
    return wbIsOk(status) ? status : lose(device, status);
}

// The host's number of a particle, and how a body's contacts are sorted: as wbRigid_KeepContacts leaves them.
static void translate(const wbRigidGpu *device, const wbRigidParticles *p, Contact *contact) {
    const int *firsts = device->firsts.data;
    contact->rank = (int64_t)INT32_MAX - contact->second;
    if (contact->second < 0) return;
    int low = 0, high = device->bodyCount;
    while (low + 1 < high) {
        const int middle = (low + high) / 2;
        *(firsts[middle] <= contact->second ? &low : &high) = middle;
    }
    contact->rank = low;
    contact->second = p->firstParticle[low] + contact->second - firsts[low];
}

static bool isBefore(const Contact *a, const Contact *b) {
    return a->rank != b->rank     ? a->rank < b->rank
           : a->first != b->first ? a->first < b->first
                                  : a->second < b->second;
}

static void takeContacts(wbRigidGpu *device, wbRigid *rigid) {
    wbRigidParticles *p = &rigid->particles;
    Contact *contacts = device->contacts.data;
    for (int begin = 0, end; begin < device->pulledContacts; begin = end) {
        const int body = p->body[contacts[begin].first];
        for (end = begin; end < device->pulledContacts && p->body[contacts[end].first] == body; end++) {
            Contact contact = contacts[end];
            translate(device, p, &contact);
            int k = end;
            for (; k > begin && isBefore(&contact, &contacts[k - 1]); k--) contacts[k] = contacts[k - 1];
            contacts[k] = contact;
        }
    }
    p->contactCount = device->pulledContacts;
    for (int c = 0; c < p->contactCount; c++) {
        p->contactFirst[c] = contacts[c].first, p->contactSecond[c] = contacts[c].second;
        for (int k = 0; k < 3; k++) p->shear[k][c] = contacts[c].shear[k];
    }
}

void wbRigidGpu_Take(wbRigidGpu *device, wbRigid *rigid) {
    if (!device->deviceIsNewer) return;
    const float(*quads)[4] = device->pulled.data;
    float *columns[MOVED][4] = {{rigid->x, rigid->y, rigid->z, NULL},
                                {rigid->qx, rigid->qy, rigid->qz, rigid->qw},
                                {rigid->vx, rigid->vy, rigid->vz, NULL},
                                {rigid->wx, rigid->wy, rigid->wz, NULL}};
    for (int k = 0; k < MOVED; k++, quads += device->bodyCount)
        for (int b = 0; b < device->bodyCount; b++)
            for (int c = 0; c < 4; c++)
                if (columns[k][c]) columns[k][c][b] = quads[b][c];
    takeContacts(device, rigid);
    device->deviceIsNewer = false;
}

wbStatus wbRigidGpu_Pull(wbRigidGpu *device, wbRigid *rigid) {
    WB_TRY(wbRigidGpu_Fetch(device, rigid));
    wbRigidGpu_Take(device, rigid);
    return wb_okStatus;
}

// For worlds

// The lists change places in a step: there is room in either for what may come back.
static wbStatus prepare(void *device) {
    wbRigidGpu *d = device;
    const size_t starts = 4 * ((size_t)d->particleCount + 1), contacts = (size_t)d->marks.contactCount;
    ContactList *other = &d->lists[1];
    if (!d->deviceIsNewer) return wb_okStatus;
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &other->starts, "contacts", starts + 64));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &other->seconds, "contacts", 4 * contacts + 64));
    return wbGpuBuffer_Reserve(d->gpu, &other->shears, "contacts", sizeof(float[4]) * contacts + 64);
}

static int listParts(void *device, wbRigidEnginePart parts[WB_MAX_ENGINE_PARTS]) {
    wbRigidGpu *d = device;
    ContactList *list = &d->lists[0];
    const size_t contacts = (size_t)d->marks.contactCount;
    int count = 0;
    for (int k = 0; k < MOVED; k++)
        parts[count++] =
            (wbRigidEnginePart){.buffer = &d->bodies[k], .bytes = sizeof(float[4]) * (size_t)d->bodyCount};
    parts[count++] =
        (wbRigidEnginePart){.buffer = &list->starts, .bytes = 4 * ((size_t)d->particleCount + 1)};
    parts[count++] = (wbRigidEnginePart){.buffer = &list->seconds, .bytes = 4 * contacts};
    parts[count++] = (wbRigidEnginePart){.buffer = &list->shears, .bytes = sizeof(float[4]) * contacts};
    parts[count++] = (wbRigidEnginePart){.data = &d->marks, .bytes = sizeof d->marks};
    return count;
}

static wbStatus create(wbMemory *memory, wbGpu *gpu, void **result) {
    wbRigidGpu *device;
    WB_TRY(wbCreateRigidGpu(memory, gpu, &device));
    *result = device;
    return wb_okStatus;
}
static void destroy(void *device) { wbDestroyRigidGpu(device); }
static void invalidate(void *device) { wbRigidGpu_Invalidate(device); }
static wbStatus step(void *device, wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    return wbRigidGpu_Step(device, rigid, model, work, dt);
}
static bool isNewer(const void *device) { return wbRigidGpu_IsNewer(device); }
static wbStatus fetch(void *device, wbRigid *rigid) { return wbRigidGpu_Fetch(device, rigid); }
static void take(void *device, wbRigid *rigid) { wbRigidGpu_Take(device, rigid); }
static void discard(void *device) { wbRigidGpu_Discard(device); }

const wbRigidEngine wb_rigidParticlesEngine = {.create = create,
                                               .destroy = destroy,
                                               .invalidate = invalidate,
                                               .step = step,
                                               .isNewer = isNewer,
                                               .fetch = fetch,
                                               .take = take,
                                               .discard = discard,
                                               .prepare = prepare,
                                               .listParts = listParts};
