// SPDX-License-Identifier: MIT
#include "rigid/rigid_gpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_list.h"
#include "rigid/rigid_particles_device.h"
#include "space/gpu_cells.h"

extern const char wb_clRigidParticlesConstants[], wb_clRigidVectorFormula[], wb_clRigidParticlesFormula[],
    wb_clRigidMotionFormula[], wb_clRigidSpringsFormula[], wb_clRigidParticlesDevice[], wb_clRigidParticles[];

// Kernels are written for one particle each, whatever the device likes: those of a group stand side by side.
static const char oneLane[] = "#undef WB_LANES\n#define WB_LANES 1\n";

// Quads of floats by body: what a step moves, then what it needs.
enum {
    CENTRE,
    TURN,
    VELOCITY,
    SPIN,
    MOVED,
    MOMENTUM = MOVED,
    OWN_FORCE,
    OWN_TORQUE,
    LOADS,  // two each
    BASE,   // Runge-Kutta: where a sub-step began, four each
    CHANGE, // and what its stages want
    BODY_QUADS
};
// Quads by particle.
enum { OWN, PLACE, FORCE, TORQUE, PARTICLE_QUADS };
// What contacts remember, by particle.
typedef struct List {
    wbGpuBuffer starts, seconds, shears;
} List;

// What the host knows of the device's bodies.
typedef struct Marks {
    RigidSummary now;
    int contactCount; // in the list of what contacts remember
} Marks;

typedef struct Kernels {
    bool built;
    wbGpuKernel *begin, *place, *count, *touch, *gather, *kick, *drift, *stage, *summarise;
} Kernels;

// A contact on its way back to the host.
typedef struct Contact {
    int64_t rank;
    int first, second;
    float shear[3];
} Contact;

struct wbRigidGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuCells cells;
    Kernels variants[2]; // dense, hashed
    wbGpuBuffer bodies[BODY_QUADS], particles[PARTICLE_QUADS], axes[3], bodyOf, laws, matter, planes, summary;
    List lists[2]; // the first is what contacts remember now
    int groupSize;
    int bodyCount, particleCount; // particles: those at surfaces
    wbArray firsts;               // int by body and one more: its particles
    wbArray quads;                // float[4], on their way to the device or back
    wbArray words;                // uint32_t, likewise
    wbArray pulled;               // float[4][MOVED] by body
    wbArray contacts;             // Contact, on their way back
    int pulledContacts;
    Marks marks;
    float largestReach;
    bool hadLoads;
    bool hostIsNewer, deviceIsNewer;
};

wbStatus wbCreateRigidGpu(wbMemory *memory, wbGpu *gpu, wbRigidGpu **result) {
    *result = NULL;
    wbRigidGpu *device = wbAllocZero(memory, sizeof *device);
    if (!device) return wbMemoryError(memory, "a device's solver needs");
    device->memory = memory, device->gpu = gpu, device->hostIsNewer = true;
    device->firsts.elementSize = device->words.elementSize = sizeof(int);
    device->quads.elementSize = sizeof(float[4]), device->pulled.elementSize = sizeof(float[MOVED][4]);
    device->contacts.elementSize = sizeof(Contact);
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
    freeBuffers(device, &device->bodyOf, 1), freeBuffers(device, &device->laws, 1);
    freeBuffers(device, &device->matter, 1), freeBuffers(device, &device->planes, 1);
    freeBuffers(device, &device->summary, 1);
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

static wbStatus getKernels(wbRigidGpu *device, bool hashed, Kernels **result) {
    Kernels *k = *result = &device->variants[hashed];
    if (k->built) return wb_okStatus;
    const char *const sources[] = {oneLane,
                                   wb_clReal,
                                   wb_clSpaceDevice,
                                   wb_clVector,
                                   wb_clCells,
                                   wb_clRigidParticlesConstants,
                                   wb_clRigidVectorFormula,
                                   wb_clRigidParticlesFormula,
                                   wb_clRigidMotionFormula,
                                   wb_clRigidSpringsFormula,
                                   wb_clRigidParticlesDevice,
                                   wb_clRigidParticles};
    const wbGpuProgramDef def = {"rigid", sources, sizeof sources / sizeof sources[0],
                                 hashed ? "-DHASHED=1" : "-DHASHED=0"};
    const wbGpuKernelName kernels[] = {
        {"rigid_begin", &k->begin},  {"rigid_place", &k->place},   {"rigid_count", &k->count},
        {"rigid_forces", &k->touch}, {"rigid_gather", &k->gather}, {"rigid_kick", &k->kick},
        {"rigid_drift", &k->drift},  {"rigid_stage", &k->stage},   {"rigid_summarise", &k->summarise}};
    WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0])));
    k->built = true;
    return wb_okStatus;
}

// To the device

static wbStatus upload(wbRigidGpu *device, wbGpuBuffer *buffer, const char *name, const void *host,
                       size_t bytes) {
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, buffer, name, bytes + 64));
    return bytes ? wbGpu_Upload(device->gpu, buffer, host, bytes) : wb_okStatus;
}

// Columns of floats as quads.
static wbStatus pushColumns(wbRigidGpu *device, wbGpuBuffer *buffer, const float *const columns[4],
                            int count) {
    float(*quads)[4] = device->quads.data;
    for (int b = 0; b < count; b++)
        for (int k = 0; k < 4; k++) quads[b][k] = columns[k] ? columns[k][b] : 0;
    return upload(device, buffer, "bodies", quads, sizeof(float[4]) * (size_t)count);
}

static bool touchesOthers(const wbRigid *rigid, int body) {
    return rigid->bits[body] & WB_RIGID_DYNAMIC && !(rigid->bits[body] & (WB_RIGID_OFF | WB_RIGID_SENSOR));
}

static wbStatus reserveHost(wbRigidGpu *device, const wbRigid *rigid) {
    const wbRigidParticles *p = &rigid->particles;
    const int most = p->count > rigid->count ? p->count : rigid->count;
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
    WB_TRY(upload(device, &device->bodyOf, "particles", bodies, sizeof(int) * (size_t)count));
    WB_TRY(upload(device, &device->particles[OWN], "particles", quads, sizeof(float[4]) * (size_t)count));
    for (int k = PLACE; k < PARTICLE_QUADS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->particles[k], "particles",
                                   sizeof(float[4]) * ((size_t)count + WB_PADDING)));
    for (int k = 0; k < 3; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->axes[k], "places",
                                   sizeof(float) * ((size_t)count + WB_PADDING)));
    return wb_okStatus;
}

static wbStatus pushBodies(wbRigidGpu *device, const wbRigid *rigid) {
    const int count = rigid->count;
    const float *columns[MOVED][4] = {{rigid->x, rigid->y, rigid->z, NULL},
                                      {rigid->qx, rigid->qy, rigid->qz, rigid->qw},
                                      {rigid->vx, rigid->vy, rigid->vz, NULL},
                                      {rigid->wx, rigid->wy, rigid->wz, NULL}};
    for (int k = 0; k < MOVED; k++) WB_TRY(pushColumns(device, &device->bodies[k], columns[k], count));
    for (int k = MOVED; k < BODY_QUADS; k++)
        WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->bodies[k], "bodies",
                                   sizeof(float[4]) * (4 * (size_t)count + WB_PADDING)));
    RigidSummary *now = &device->marks.now;
    *now = (RigidSummary){0, {FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}, 0};
    device->largestReach = 0;
    for (int b = 0; b < count; b++) {
        const float at[3] = {rigid->x[b], rigid->y[b], rigid->z[b]};
        if (!touchesOthers(rigid, b)) continue;
        for (int k = 0; k < 3; k++)
            now->min[k] = fminf(now->min[k], at[k]), now->max[k] = fmaxf(now->max[k], at[k]);
        device->largestReach = fmaxf(device->largestReach, rigid->reach[b]);
    }
    return wb_okStatus;
}

// What steps do not change: laws of bodies, and what springs follow from, which gravity may change.
static wbStatus pushLaws(wbRigidGpu *device, const wbRigid *rigid) {
    const int *firsts = device->firsts.data;
    RigidBodyLaw *laws = device->quads.data;
    for (int b = 0; b < rigid->count; b++)
        laws[b] = (RigidBodyLaw){.inverseInertia = {rigid->inverseInertiaX[b], rigid->inverseInertiaY[b],
                                                    rigid->inverseInertiaZ[b]},
                                 .inverseMass = rigid->inverseMass[b],
                                 .gravityScale = rigid->gravityScale[b],
                                 .linearDamping = rigid->linearDamping[b],
                                 .angularDamping = rigid->angularDamping[b],
                                 .reach = isfinite(rigid->reach[b]) ? rigid->reach[b] : 0,
                                 .moves = rigid->bits[b] & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC) &&
                                          !(rigid->bits[b] & WB_RIGID_OFF),
                                 .first = firsts[b],
                                 .count = firsts[b + 1] - firsts[b],
                                 .category = rigid->category[b],
                                 .mask = rigid->mask[b]};
    return upload(device, &device->laws, "bodies", laws, sizeof(RigidBodyLaw) * (size_t)rigid->count);
}

static wbStatus pushMatter(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model) {
    RigidMatter *matter = device->quads.data;
    for (int b = 0; b < rigid->count; b++) matter[b] = wbRigid_GetMatter(rigid, model, b);
    return upload(device, &device->matter, "bodies", matter, sizeof(RigidMatter) * (size_t)rigid->count);
}

// Particles on the device are those at surfaces, without what fills up.
static int toDevice(const wbRigidGpu *device, const wbRigidParticles *p, int particle) {
    return ((const int *)device->firsts.data)[p->body[particle]] + particle -
           p->firstParticle[p->body[particle]];
}

// Of a pair both particles have the contact, as the first body's sees it.
static wbStatus pushContacts(wbRigidGpu *device, const wbRigid *rigid) {
    const wbRigidParticles *p = &rigid->particles;
    List *list = &device->lists[0];
    uint32_t *starts = device->words.data;
    int total = 0;
    memset(starts, 0, sizeof(uint32_t) * ((size_t)device->particleCount + 2));
    for (int c = 0; c < p->contactCount; c++) {
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
    WB_TRY(upload(device, &list->starts, "contacts", starts, 4 * ((size_t)device->particleCount + 1)));
    WB_TRY(upload(device, &list->seconds, "contacts", seconds, 4 * (size_t)total));
    return upload(device, &list->shears, "contacts", shears, sizeof(float[4]) * (size_t)total);
}

static wbStatus push(wbRigidGpu *device, const wbRigid *rigid) {
    device->bodyCount = rigid->count;
    WB_TRY(reserveHost(device, rigid));
    WB_TRY(pushParticles(device, rigid));
    WB_TRY(pushBodies(device, rigid));
    WB_TRY(pushLaws(device, rigid));
    WB_TRY(pushContacts(device, rigid));
    WB_TRY(wbGpuBuffer_Reserve(device->gpu, &device->summary, "summary", sizeof(RigidSummary)));
    device->hadLoads = true; // there may be anything in their buffers
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
    WB_TRY(pushColumns(device, &device->bodies[OWN_FORCE], force, rigid->count));
    device->hadLoads = has;
    return pushColumns(device, &device->bodies[OWN_TORQUE], torque, rigid->count);
}

// Back to the host

static wbStatus fetchContacts(wbRigidGpu *device, wbRigid *rigid) {
    wbRigidParticles *p = &rigid->particles;
    const List *list = &device->lists[0];
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

// Step

typedef struct Step {
    wbRigidGpu *device;
    wbRigid *rigid;
    const wbRigidModel *model;
    Kernels *kernels;
    float h;
    int subStep, subSteps;
    RigidRule rule;
    RigidMove move;
    bool remembers; // contacts know how far they are sheared
} Step;

static wbStatus run(const Step *step, wbGpuKernel *kernel, int items, const wbGpuArg *args, int argCount) {
    const int size = step->device->groupSize;
    if (size == 0 || items == 0) return wbGpu_Run(step->device->gpu, kernel, items, args, argCount);
    return wbGpu_RunGroups(step->device->gpu, kernel, (items + size - 1) / size, size, args, argCount);
}

static wbStatus place(const Step *step) {
    wbRigidGpu *d = step->device;
    wbGpu_SetPhase(d->gpu, wb_rigid_particles);
    return run(step, step->kernels->place, d->particleCount,
               WB_GPU_ARGS(WB_GPU_INT(d->particleCount), WB_GPU_BUFFER(d->bodyOf),
                           WB_GPU_BUFFER(d->particles[OWN]), WB_GPU_BUFFER(d->bodies[CENTRE]),
                           WB_GPU_BUFFER(d->bodies[TURN]), WB_GPU_BUFFER(d->particles[PLACE]),
                           WB_GPU_BUFFER3(d->axes)));
}

// Planes as they are `time` s after the step began.
static wbStatus placePlanes(const Step *step, float time, int *count) {
    wbRigidGpu *d = step->device;
    wbRigid *rigid = step->rigid;
    const wbDomain domain = wbDomain_At(step->model->domain, time);
    WB_TRY(wbRigid_PlacePlanes(rigid, d->memory, &domain));
    const wbRigidParticles *p = &rigid->particles;
    if (!wbArray_Reserve(d->memory, &d->quads,
                         p->planeCount * (int)(sizeof(RigidPlane) / sizeof(float[4]) + 1)))
        return wbMemoryError(d->memory, "%d planes need", p->planeCount);
    RigidPlane *planes = d->quads.data;
    *count = 0;
    for (int k = 0; k < p->planeCount; k++) {
        const float *row = (const float *)p->planes.data + 4 * (size_t)k;
        const int body = k < wb_sideCount ? -1 : ((const int *)p->planeMovers.data)[k];
        const bool isFelt =
            body < 0 ? domain.closed[k] : !(rigid->bits[body] & (WB_RIGID_OFF | WB_RIGID_SENSOR));
        if (!isFelt) continue;
        RigidPlane plane = {.normal = {row[0], row[1], row[2]},
                            .offset = row[3],
                            .second = ((const int *)p->planeSeconds.data)[k],
                            .matter = wbRigid_GetMatter(rigid, step->model, body),
                            .category = body < 0 ? UINT32_MAX : rigid->category[body],
                            .mask = body < 0 ? UINT32_MAX : rigid->mask[body]};
        if (body < 0) memcpy(plane.velocity, domain.velocity[k], sizeof plane.velocity);
        planes[(*count)++] = plane;
    }
    return upload(d, &d->planes, "planes", planes, sizeof(RigidPlane) * (size_t)*count);
}

static wbStatus sortParticles(Step *step) {
    wbRigidGpu *d = step->device;
    const float grow = d->largestReach;
    wbGpuPoints points = {&d->axes[0], &d->axes[1], &d->axes[2], d->particleCount, {0}, {0}};
    for (int k = 0; k < 3; k++)
        points.min[k] = d->marks.now.min[k] - grow, points.max[k] = d->marks.now.max[k] + grow;
    wbGpu_SetPhase(d->gpu, wb_rigid_grid);
    WB_TRY(wbGpuCells_Sort(&d->cells, &points, 2 * step->rigid->particles.largestRadius,
                           step->model->domain->dimensions));
    return getKernels(d, d->cells.grid.hashed, &step->kernels);
}

// Where the contacts of each particle will stand.
static wbStatus layOutList(const Step *step, int planes, int *contactCount) {
    wbRigidGpu *d = step->device;
    List *list = &d->lists[1];
    uint32_t total = 0;
    const size_t bytes = 4 * ((size_t)d->particleCount + 1);
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &list->starts, "contacts", bytes + 64));
    WB_TRY(
        run(step, step->kernels->count, d->particleCount + 1,
            WB_GPU_ARGS(WB_GPU_INT(d->particleCount), WB_GPU_STRUCT(d->cells.cells),
                        WB_GPU_BUFFER(d->cells.bucketStart), WB_GPU_BUFFER(d->cells.order),
                        WB_GPU_BUFFER(d->particles[PLACE]), WB_GPU_BUFFER(d->bodyOf), WB_GPU_BUFFER(d->laws),
                        WB_GPU_BUFFER(d->planes), WB_GPU_INT(planes), WB_GPU_BUFFER(list->starts))));
    WB_TRY(wbGpuSort_Scan(d->cells.sort, &list->starts, d->particleCount + 1));
    WB_TRY(wbGpu_DownloadAt(d->gpu, &list->starts, 4 * (size_t)d->particleCount, &total, sizeof total));
    if (total > INT32_MAX / 16)
        return wbError(wb_errorMemory, "%u contacts of rigid bodies are more than a device can hold", total);
    *contactCount = (int)total;
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &list->seconds, "contacts", 4 * (size_t)total + 64));
    return wbGpuBuffer_Reserve(d->gpu, &list->shears, "contacts", sizeof(float[4]) * (size_t)total + 64);
}

// Forces on bodies as they are, `span` s after the sub-step began; see rigid_particles.c.
static wbStatus evaluate(Step *step, float span, bool keeps) {
    wbRigidGpu *d = step->device;
    int planes = 0, contactCount = 0;
    keeps = keeps && step->remembers;
    WB_TRY(placePlanes(step, (float)step->subStep * step->h + span, &planes));
    if (d->particleCount > 0) {
        WB_TRY(sortParticles(step));
        wbGpu_SetPhase(d->gpu, wb_rigid_contacts);
        if (keeps) WB_TRY(layOutList(step, planes, &contactCount));
        const List *old = &d->lists[0], *new = keeps ? &d->lists[1] : old;
        WB_TRY(run(
            step, step->kernels->touch, d->particleCount,
            WB_GPU_ARGS(WB_GPU_INT(d->particleCount), WB_GPU_STRUCT(d->cells.cells),
                        WB_GPU_BUFFER(d->cells.bucketStart), WB_GPU_BUFFER(d->cells.order),
                        WB_GPU_BUFFER(d->particles[PLACE]), WB_GPU_BUFFER(d->bodyOf), WB_GPU_BUFFER(d->laws),
                        WB_GPU_BUFFER(d->planes), WB_GPU_INT(planes), WB_GPU_STRUCT(step->rule),
                        WB_GPU_BUFFER(d->matter), WB_GPU_BUFFER(d->bodies[CENTRE]),
                        WB_GPU_BUFFER(d->bodies[VELOCITY]), WB_GPU_BUFFER(d->bodies[SPIN]),
                        WB_GPU_FLOAT(keeps ? step->h : span), WB_GPU_INT(step->remembers), WB_GPU_INT(keeps),
                        WB_GPU_BUFFER(old->starts), WB_GPU_BUFFER(old->seconds), WB_GPU_BUFFER(old->shears),
                        WB_GPU_BUFFER(new->starts), WB_GPU_BUFFER(new->seconds), WB_GPU_BUFFER(new->shears),
                        WB_GPU_BUFFER(d->particles[FORCE]), WB_GPU_BUFFER(d->particles[TORQUE]))));
    }
    if (keeps && d->particleCount > 0) {
        const List list = d->lists[0];
        d->lists[0] = d->lists[1], d->lists[1] = list;
        d->marks.contactCount = contactCount;
    }
    wbGpu_SetPhase(d->gpu, wb_rigid_momentum);
    return run(step, step->kernels->gather, d->bodyCount,
               WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_BUFFER(d->laws),
                           WB_GPU_BUFFER(d->particles[FORCE]), WB_GPU_BUFFER(d->particles[TORQUE]),
                           WB_GPU_BUFFER(d->bodies[OWN_FORCE]), WB_GPU_BUFFER(d->bodies[OWN_TORQUE]),
                           WB_GPU_BUFFER(d->bodies[LOADS])));
}

static wbStatus kick(Step *step, float h) {
    wbRigidGpu *d = step->device;
    step->move.h = h;
    wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
    return run(step, step->kernels->kick, d->bodyCount,
               WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_STRUCT(step->move), WB_GPU_BUFFER(d->laws),
                           WB_GPU_BUFFER(d->bodies[LOADS]), WB_GPU_BUFFER(d->bodies[TURN]),
                           WB_GPU_BUFFER(d->bodies[VELOCITY]), WB_GPU_BUFFER(d->bodies[SPIN]),
                           WB_GPU_BUFFER(d->bodies[MOMENTUM])));
}

static wbStatus summarise(const Step *step) {
    wbRigidGpu *d = step->device;
    WB_TRY(wbGpu_RunGroups(d->gpu, step->kernels->summarise, 1, RIGID_SUMMARY_GROUP,
                           WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_BUFFER(d->laws),
                                       WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[VELOCITY]),
                                       WB_GPU_BUFFER(d->bodies[SPIN]), WB_GPU_BUFFER(d->summary))));
    WB_TRY(wbGpu_Download(d->gpu, &d->summary, &d->marks.now, sizeof d->marks.now));
    step->rigid->maxSpeed = d->marks.now.maxSpeed;
    if (d->marks.now.broken == 0) return wb_okStatus;
    return wbError(
        wb_errorUnstable,
        "%d rigid bodies are beyond what floats can hold: take a shorter time step, more sub-steps, or "
        "a lower rigid.stiffness",
        d->marks.now.broken);
}

static wbStatus drift(Step *step, float h) {
    wbRigidGpu *d = step->device;
    step->move.h = h;
    wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
    WB_TRY(run(step, step->kernels->drift, d->bodyCount,
               WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_STRUCT(step->move),
                           WB_GPU_INT(step->model->params.integrator != wb_rigidEuler),
                           WB_GPU_BUFFER(d->laws), WB_GPU_BUFFER(d->bodies[CENTRE]),
                           WB_GPU_BUFFER(d->bodies[TURN]), WB_GPU_BUFFER(d->bodies[VELOCITY]),
                           WB_GPU_BUFFER(d->bodies[SPIN]), WB_GPU_BUFFER(d->bodies[MOMENTUM]))));
    WB_TRY(summarise(step));
    return place(step);
}

static wbStatus advanceRungeKutta(Step *step) {
    static const float spans[4] = {0, 0.5f, 0.5f, 1};
    wbRigidGpu *d = step->device;
    step->move.h = step->h;
    for (int k = 0; k < 4; k++) {
        WB_TRY(evaluate(step, spans[k] * step->h, k == 3));
        wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
        WB_TRY(run(step, step->kernels->stage, d->bodyCount,
                   WB_GPU_ARGS(WB_GPU_INT(d->bodyCount), WB_GPU_STRUCT(step->move), WB_GPU_INT(k),
                               WB_GPU_BUFFER(d->laws), WB_GPU_BUFFER(d->bodies[LOADS]),
                               WB_GPU_BUFFER(d->bodies[CENTRE]), WB_GPU_BUFFER(d->bodies[TURN]),
                               WB_GPU_BUFFER(d->bodies[VELOCITY]), WB_GPU_BUFFER(d->bodies[SPIN]),
                               WB_GPU_BUFFER(d->bodies[MOMENTUM]), WB_GPU_BUFFER(d->bodies[BASE]),
                               WB_GPU_BUFFER(d->bodies[CHANGE]))));
        WB_TRY(summarise(step));
        WB_TRY(place(step));
    }
    return wb_okStatus;
}

static wbStatus advance(Step *step) {
    const float h = step->h;
    switch (step->model->params.integrator) {
    case wb_rigidVerlet:
        if (step->subStep == 0) WB_TRY(evaluate(step, 0, false));
        WB_TRY(kick(step, 0.5f * h));
        WB_TRY(drift(step, h));
        WB_TRY(evaluate(step, h, true));
        return kick(step, 0.5f * h);
    case wb_rigidLeapfrog:
        WB_TRY(drift(step, 0.5f * h));
        WB_TRY(evaluate(step, 0.5f * h, true));
        WB_TRY(kick(step, h));
        return drift(step, 0.5f * h);
    case wb_rigidRungeKutta4:
        return advanceRungeKutta(step);
    default:
        WB_TRY(evaluate(step, 0, true));
        WB_TRY(kick(step, h));
        return drift(step, h);
    }
}

static wbStatus checkModel(const wbRigid *rigid) {
    const char *what = NULL;
    if (rigid->forces.count > 0) what = "force generators";
    const wbRigidPiece *pieces = rigid->pieces.data;
    for (int b = 0; b < rigid->count + rigid->guestCount && !what; b++) {
        if (rigid->bits[b] & (WB_RIGID_DYNAMIC | WB_RIGID_OFF | WB_RIGID_SENSOR)) continue;
        if (rigid->bits[b] & WB_RIGID_KINEMATIC) what = "kinematic bodies";
        for (int k = rigid->firstPiece[b]; k < rigid->firstPiece[b] + rigid->pieceCount[b] && !what; k++)
            if (pieces[k].kind != wb_piecePlane) what = "static bodies other than planes";
    }
    if (!what) return wb_okStatus;
    return wbError(wb_errorInput,
                   "%s are not computed on a device with rigid.contact = particles: set world.backend=cpu",
                   what);
}

wbStatus wbRigidGpu_Step(wbRigidGpu *device, wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                         float dt) {
    const int subSteps = wbRigid_CountSubSteps(model);
    const wbVec3 g = model->domain->gravity;
    Step step = {.device = device,
                 .rigid = rigid,
                 .model = model,
                 .h = dt / (float)subSteps,
                 .subSteps = subSteps,
                 .remembers = !model->params.seed && model->params.shearStiffness > 0,
                 .move = {.gravity = {g.x, g.y, g.z}, .terminalSpeed = model->params.terminalSpeed}};
    step.rule = wbRigid_GetRule(model, step.h);
    memset(rigid->ms, 0, sizeof rigid->ms);
    if (rigid->count == 0) return wb_okStatus;
    WB_TRY(checkModel(rigid));
    WB_TRY(wbRigid_PrepareParticles(rigid, model, work));
    WB_TRY(getKernels(device, false, &step.kernels));
    if (device->hostIsNewer) WB_TRY(push(device, rigid));
    WB_TRY(pushMatter(device, rigid, model));
    WB_TRY(pushLoads(device, rigid));
    device->deviceIsNewer = true;
    wbGpu_SetPhase(device->gpu, wb_rigid_integrate);
    WB_TRY(run(&step, step.kernels->begin, rigid->count,
               WB_GPU_ARGS(WB_GPU_INT(rigid->count), WB_GPU_BUFFER(device->laws),
                           WB_GPU_BUFFER(device->bodies[TURN]), WB_GPU_BUFFER(device->bodies[SPIN]),
                           WB_GPU_BUFFER(device->bodies[MOMENTUM]))));
    WB_TRY(place(&step));
    for (; step.subStep < subSteps; step.subStep++) WB_TRY(advance(&step));
    float *columns[6] = {rigid->fx, rigid->fy, rigid->fz, rigid->tx, rigid->ty, rigid->tz};
    for (int k = 0; k < 6; k++) memset(columns[k], 0, sizeof(float) * (size_t)rigid->count);
    rigid->previousDt = dt;
    return wbGpu_TakeTimes(device->gpu, rigid->ms, wb_rigidPhaseCount);
}

// For worlds

// The lists change places in a step: there is room in either for what may come back.
static wbStatus prepare(void *device) {
    wbRigidGpu *d = device;
    const size_t starts = 4 * ((size_t)d->particleCount + 1), contacts = (size_t)d->marks.contactCount;
    List *other = &d->lists[1];
    if (!d->deviceIsNewer) return wb_okStatus;
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &other->starts, "contacts", starts + 64));
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &other->seconds, "contacts", 4 * contacts + 64));
    return wbGpuBuffer_Reserve(d->gpu, &other->shears, "contacts", sizeof(float[4]) * contacts + 64);
}

static int listParts(void *device, wbRigidEnginePart parts[WB_MAX_ENGINE_PARTS]) {
    wbRigidGpu *d = device;
    List *list = &d->lists[0];
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
