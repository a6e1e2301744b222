// SPDX-License-Identifier: MIT
#include "rigid/rigid_particles.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "rigid/rigid_fill.h"
#include "rigid/rigid_list.h"

enum { AUTO_SUB_STEPS = 10 };

// State

enum { PARTICLE_COLUMNS = 9, BODY_COLUMNS = 10 };

static void listParticles(wbRigidParticles *p, wbColumn columns[PARTICLE_COLUMNS]) {
    const wbColumn list[PARTICLE_COLUMNS] = {{"x", (void **)&p->x, 4, false},
                                             {"y", (void **)&p->y, 4, false},
                                             {"z", (void **)&p->z, 4, false},
                                             {"radius", (void **)&p->radius, 4, false},
                                             {"body", (void **)&p->body, 4, false},
                                             {"places", (void **)&p->places, 16, false},
                                             {"worldX", (void **)&p->world[0], 4, false},
                                             {"worldY", (void **)&p->world[1], 4, false},
                                             {"worldZ", (void **)&p->world[2], 4, false}};
    memcpy(columns, list, sizeof list);
}

static void listBodies(wbRigidParticles *p, wbColumn columns[BODY_COLUMNS]) {
    const wbColumn list[BODY_COLUMNS] = {{"firstParticle", (void **)&p->firstParticle, 4, false},
                                         {"surfaceCount", (void **)&p->surfaceCount, 4, false},
                                         {"particleCount", (void **)&p->particleCount, 4, false},
                                         {"faceCount", (void **)&p->faceCount, 4, false},
                                         {"middleX", (void **)&p->middle[0], 4, false},
                                         {"middleY", (void **)&p->middle[1], 4, false},
                                         {"middleZ", (void **)&p->middle[2], 4, false},
                                         {"halfX", (void **)&p->half[0], 4, false},
                                         {"halfY", (void **)&p->half[1], 4, false},
                                         {"halfZ", (void **)&p->half[2], 4, false}};
    memcpy(columns, list, sizeof list);
}

void wbRigidParticles_ListContacts(wbRigidParticles *p, wbColumn columns[WB_RIGID_CONTACT_COLUMNS]) {
    const wbColumn list[WB_RIGID_CONTACT_COLUMNS] = {{"contactFirst", (void **)&p->contactFirst, 4, true},
                                                     {"contactSecond", (void **)&p->contactSecond, 4, true},
                                                     {"shearX", (void **)&p->shear[0], 4, true},
                                                     {"shearY", (void **)&p->shear[1], 4, true},
                                                     {"shearZ", (void **)&p->shear[2], 4, true}};
    memcpy(columns, list, sizeof list);
}

void wbRigidParticles_Init(wbRigidParticles *p) {
    *p = (wbRigidParticles){.links.elementSize = sizeof(wbRigidLink),
                            .groups.elementSize = sizeof(wbRigidGroup),
                            .sums.elementSize = sizeof(wbRigidSum),
                            .lanes.elementSize = sizeof(int),
                            .chunks.elementSize = sizeof(wbRigidChunk),
                            .movers.elementSize = sizeof(float[WB_RIGID_MOVER]),
                            .planes.elementSize = sizeof(float[4]),
                            .planeMovers.elementSize = sizeof(int),
                            .planeSeconds.elementSize = sizeof(int),
                            .firstGroups.elementSize = sizeof(int),
                            .groupCounts.elementSize = sizeof(int),
                            .secondStarts.elementSize = sizeof(int),
                            .secondGroups.elementSize = sizeof(int)};
    wbGrid_Init(&p->grid);
    wbNeighbours_Init(&p->neighbours);
    p->neighbours.usualRows = 24;
}

void wbRigidParticles_Free(wbMemory *memory, wbRigidParticles *p) {
    wbColumn particles[PARTICLE_COLUMNS], bodies[BODY_COLUMNS], contacts[WB_RIGID_CONTACT_COLUMNS];
    listParticles(p, particles), listBodies(p, bodies), wbRigidParticles_ListContacts(p, contacts);
    wbFreeColumns(memory, particles, PARTICLE_COLUMNS, &p->capacity);
    wbFreeColumns(memory, bodies, BODY_COLUMNS, &p->bodyCapacity);
    wbFreeColumns(memory, contacts, WB_RIGID_CONTACT_COLUMNS, &p->contactCapacity);
    for (int w = 0; w < p->storeCount; w++) wbRigidStore_Free(memory, &p->stores[w]);
    wbFree(memory, p->stores, sizeof(wbRigidStore) * (size_t)p->storeCount);
    wbRigidParticles_FreeRows(memory, p);
    wbArray *arrays[] = {&p->links,       &p->groups,      &p->sums,         &p->lanes,        &p->chunks,
                         &p->firstGroups, &p->groupCounts, &p->secondStarts, &p->secondGroups, &p->movers,
                         &p->planes,      &p->planeMovers, &p->planeSeconds};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) wbArray_Free(memory, arrays[k]);
    wbGrid_Free(memory, &p->grid);
    wbNeighbours_Free(memory, &p->neighbours);
    wbRigidParticles_Init(p);
}

static bool isDynamic(const wbRigid *rigid, int body) { return rigid->bits[body] & WB_RIGID_DYNAMIC; }

static void measureBody(wbRigidParticles *p, int body) {
    const float *columns[3] = {p->x, p->y, p->z};
    const int first = p->firstParticle[body], end = first + p->particleCount[body];
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = first; i < end; i++)
            low = fminf(low, columns[k][i] - p->radius[i]), high = fmaxf(high, columns[k][i] + p->radius[i]);
        p->middle[k][body] = first < end ? 0.5f * (low + high) : 0;
        p->half[k][body] = first < end ? 0.5f * (high - low) : 0;
    }
}

static wbStatus addParticles(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, int body) {
    wbRigidParticles *p = &rigid->particles;
    wbColumn columns[PARTICLE_COLUMNS];
    wbRigidFill fill;
    WB_TRY(wbFillPieces((const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[body],
                        rigid->pieceCount[body], rigid->particlesPerEdge[body], model->domain->dimensions,
                        work->arena, work->memory, &fill));
    const int padded = wbPadCount(fill.count);
    listParticles(p, columns);
    if (padded > INT32_MAX / 8 - p->count ||
        !wbReserveColumns(work->memory, columns, PARTICLE_COLUMNS, &p->capacity, p->count + padded))
        return wbMemoryError(work->memory, "%d particles of rigid bodies need", p->count + padded);
    for (int k = 0; k < padded; k++) {
        const int i = p->count + k;
        const float *place = fill.places + 3 * (size_t)(k < fill.count ? k : 0);
        p->x[i] = place[0], p->y[i] = place[1], p->z[i] = place[2];
        p->radius[i] = fill.radius, p->body[i] = body;
    }
    p->particleCount[body] = fill.count, p->surfaceCount[body] = fill.surfaceCount;
    p->faceCount[body] = fill.faceCount;
    p->count += padded;
    p->leastRadius = p->leastRadius > 0 ? fminf(p->leastRadius, fill.radius) : fill.radius;
    p->largestRadius = fmaxf(p->largestRadius, fill.radius);
    measureBody(p, body);
    return wb_okStatus;
}

static void forgetParticles(wbRigidParticles *p) {
    p->count = p->bodyCount = 0;
    p->leastRadius = p->largestRadius = 0;
}

wbStatus wbRigidParticles_ResizeContacts(wbRigidParticles *p, wbMemory *memory, int count) {
    wbColumn columns[WB_RIGID_CONTACT_COLUMNS];
    wbRigidParticles_ListContacts(p, columns);
    if (!wbReserveColumns(memory, columns, WB_RIGID_CONTACT_COLUMNS, &p->contactCapacity, count))
        return wbMemoryError(memory, "%d contacts of rigid bodies need", count);
    forgetParticles(p);
    p->contactCount = count;
    return wb_okStatus;
}

static wbStatus checkContacts(const wbRigidParticles *p) {
    for (int c = 0; c < p->contactCount; c++) {
        const int first = p->contactFirst[c], second = p->contactSecond[c];
        if (first < 0 || first >= p->count || second >= p->count)
            return wbError(wb_errorInput,
                           "contact %d is of particles %d and %d of rigid bodies, and there are %d", c, first,
                           second, p->count);
    }
    return wb_okStatus;
}

wbStatus wbRigid_PrepareParticles(wbRigid *rigid, const wbRigidModel *model, const wbWork *work) {
    wbRigidParticles *p = &rigid->particles;
    wbColumn columns[BODY_COLUMNS];
    listBodies(p, columns);
    if (!wbReserveColumns(work->memory, columns, BODY_COLUMNS, &p->bodyCapacity, rigid->count))
        return wbMemoryError(work->memory, "particles of %d bodies need", rigid->count);
    // where a body became static, or dynamic, particles get other numbers: contacts are forgotten
    for (int b = 0; b < p->bodyCount; b++)
        if ((p->particleCount[b] > 0) != isDynamic(rigid, b)) forgetParticles(p), p->contactCount = 0;
    const bool isComplete = p->bodyCount == rigid->count;
    while (p->bodyCount < rigid->count) {
        const int body = p->bodyCount;
        const size_t mark = wbArena_Mark(work->arena);
        p->firstParticle[body] = p->count;
        p->particleCount[body] = p->surfaceCount[body] = p->faceCount[body] = 0;
        wbStatus status = isDynamic(rigid, body) ? addParticles(rigid, model, work, body) : wb_okStatus;
        wbArena_Release(work->arena, mark);
        WB_TRY(status);
        p->bodyCount++;
    }
    const int movers = rigid->count + rigid->guestCount + wb_sideCount;
    if (!wbArray_Reserve(work->memory, &p->movers, movers))
        return wbMemoryError(work->memory, "the motion of %d bodies needs", movers);
    wbStatus status = isComplete ? wb_okStatus : checkContacts(p);
    if (!wbIsOk(status)) forgetParticles(p);
    return status;
}

static int movePiece(int second, int first, int count) {
    const int piece = -1 - wb_sideCount - second;
    return piece < first ? second : second + count;
}

// Contacts with a body's particles go, and so do those with its pieces.
static void removeContacts(wbRigid *rigid, int body, int gone) {
    wbRigidParticles *p = &rigid->particles;
    const int begin = p->firstParticle[body], end = begin + gone;
    const int piece = rigid->firstPiece[body], pieces = rigid->pieceCount[body];
    int kept = 0;
    for (int c = 0; c < p->contactCount; c++) {
        int first = p->contactFirst[c], second = p->contactSecond[c];
        const int met = -1 - wb_sideCount - second;
        if ((first >= begin && first < end) || (second >= begin && second < end) ||
            (second < -wb_sideCount && met >= piece && met < piece + pieces))
            continue;
        if (first >= end) first -= gone;
        if (second >= end) second -= gone;
        if (second < -wb_sideCount) second = movePiece(second, piece + pieces, pieces);
        p->contactFirst[kept] = first, p->contactSecond[kept] = second;
        for (int k = 0; k < 3; k++) p->shear[k][kept] = p->shear[k][c];
        kept++;
    }
    p->contactCount = kept;
}

void wbRigidParticles_RemoveBody(wbRigid *rigid, int body) {
    wbRigidParticles *p = &rigid->particles;
    wbColumn particles[PARTICLE_COLUMNS], bodies[BODY_COLUMNS];
    if (body >= p->bodyCount) return;
    const int begin = p->firstParticle[body], gone = wbPadCount(p->particleCount[body]);
    listParticles(p, particles), listBodies(p, bodies);
    removeContacts(rigid, body, gone);
    wbRemoveRange(particles, PARTICLE_COLUMNS, begin, begin + gone, p->count);
    wbRemoveRange(bodies, BODY_COLUMNS, body, body + 1, p->bodyCount);
    p->count -= gone, p->bodyCount--;
    for (int b = body; b < p->bodyCount; b++) p->firstParticle[b] -= gone;
    for (int i = begin; i < p->count; i++) p->body[i]--;
}

// Step

typedef struct Step {
    wbRigid *rigid;
    const wbRigidModel *model;
    const wbWork *work;
    const wbRigidParticleCode *code;
    int total;           // bodies and guests
    float dt, h, margin; // s, s, m
    int subStep;
    double travelled; // m, of any point since contacts were listed, at most
    double mark;
    wbRigidLoads own; // of programs
    wbRigidMotionPass motion;
} Step;

int wbRigid_CountSubSteps(const wbRigidModel *model) {
    return model->params.subSteps > 0 ? (int)model->params.subSteps : AUTO_SUB_STEPS;
}

static bool allocColumns(const wbWork *work, int count, float **columns, int columnCount) {
    const size_t length = (size_t)wbPadCount(count) + WB_PADDING;
    float *floats = wbArena_Alloc(work->arena, sizeof(float) * length * (size_t)columnCount);
    if (!floats) return false;
    memset(floats, 0, sizeof(float) * length * (size_t)columnCount);
    for (int k = 0; k < columnCount; k++) columns[k] = floats + (size_t)k * length;
    return true;
}

// R diag(scale) R^T v in double: a step in floats would add a hair of the same sign to the angular momentum every time.
static void weigh(const wbRigid *rigid, int body, const double scale[3], const double v[3],
                  double result[3]) {
    const double x = rigid->qx[body], y = rigid->qy[body], z = rigid->qz[body], w = rigid->qw[body];
    const double s = 2 / (x * x + y * y + z * z + w * w);
    const double axes[3][3] = {{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
                               {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
                               {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}};
    double own[3];
    for (int k = 0; k < 3; k++)
        own[k] = scale[k] * (axes[k][0] * v[0] + axes[k][1] * v[1] + axes[k][2] * v[2]);
    for (int k = 0; k < 3; k++) result[k] = axes[0][k] * own[0] + axes[1][k] * own[1] + axes[2][k] * own[2];
}

// Angular momentum from spin when a step begins, and spin from angular momentum when it ends.
static void convertSpin(const Step *step, int body, bool ends) {
    wbRigid *rigid = step->rigid;
    if (!isDynamic(rigid, body)) return;
    float *spin[3] = {&rigid->wx[body], &rigid->wy[body], &rigid->wz[body]};
    const float inverse[3] = {rigid->inverseInertiaX[body], rigid->inverseInertiaY[body],
                              rigid->inverseInertiaZ[body]};
    double scale[3], v[3], result[3];
    for (int k = 0; k < 3; k++) {
        scale[k] = ends ? (double)inverse[k] : inverse[k] > 0 ? 1 / (double)inverse[k] : 0;
        v[k] = ends ? step->motion.momentum[k][body] : *spin[k];
    }
    weigh(rigid, body, scale, v, result);
    for (int k = 0; k < 3; k++) *(ends ? spin[k] : &step->motion.momentum[k][body]) = (float)result[k];
}

static void beginSpins(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int b = begin; b < end; b++) convertSpin(context, b, false);
}

static void endSpins(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int b = begin; b < end; b++) convertSpin(context, b, true);
}

static wbStatus run(Step *step, wbRangeFn *range, float h) {
    step->motion.move.h = h;
    wbParallelFor(step->work->pool, step->total, WB_BLOCK, range, &step->motion);
    step->rigid->ms[wb_rigid_integrate] += wbLapMs(&step->mark);
    return wb_okStatus;
}

static wbStatus beginStep(Step *step) {
    wbRigid *rigid = step->rigid;
    const wbWork *work = step->work;
    const wbVec3 g = step->model->domain->gravity;
    float *loads[6];
    if (!allocColumns(work, step->total, loads, 6) ||
        !allocColumns(work, step->total, step->motion.momentum, 3) ||
        !(step->motion.maxima =
              wbArena_Alloc(work->arena, sizeof(float) * ((size_t)step->total / WB_BLOCK + 1))) ||
        (step->model->params.integrator == wb_rigidRungeKutta4 &&
         (!allocColumns(work, step->total, step->motion.base, WB_RIGID_MOTION) ||
          !allocColumns(work, step->total, step->motion.change, WB_RIGID_MOTION))))
        return wbMemoryError(work->memory, "a step of %d rigid bodies needs", step->total);
    step->motion.rigid = rigid;
    for (int k = 0; k < 3; k++)
        step->motion.loads.force[k] = loads[k], step->motion.loads.torque[k] = loads[3 + k];
    step->own = (wbRigidLoads){{rigid->fx, rigid->fy, rigid->fz}, {rigid->tx, rigid->ty, rigid->tz}};
    step->motion.move =
        (RigidMove){.gravity = {g.x, g.y, g.z}, .terminalSpeed = step->model->params.terminalSpeed};
    step->motion.halfway = step->model->params.integrator != wb_rigidEuler;
    wbParallelFor(work->pool, rigid->count, WB_BLOCK, beginSpins, step);
    return wb_okStatus;
}

static double getTopSpeed(const wbRigid *rigid, int total) {
    double most = 0;
    for (int b = 0; b < total; b++) {
        if (!(rigid->bits[b] & (WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC)) || !isfinite(rigid->reach[b]))
            continue;
        const double v = sqrt((double)rigid->vx[b] * rigid->vx[b] + (double)rigid->vy[b] * rigid->vy[b] +
                              (double)rigid->vz[b] * rigid->vz[b]);
        const double w = sqrt((double)rigid->wx[b] * rigid->wx[b] + (double)rigid->wy[b] * rigid->wy[b] +
                              (double)rigid->wz[b] * rigid->wz[b]);
        most = fmax(most, v + w * rigid->reach[b]);
    }
    return most;
}

// m: so much that lists hold for the step if nothing speeds up much, but no more than pays. One sub-step needs none.
static float chooseMargin(const Step *step) {
    const wbRigidParticles *p = &step->rigid->particles;
    const wbVec3 g = step->model->domain->gravity;
    if (step->dt == step->h) return 0;
    const double speed = getTopSpeed(step->rigid, step->total) + sqrtf(wbDot(g, g)) * (double)step->dt;
    return (float)fmin(fmax(2.5 * speed * step->dt, 0.05 * p->leastRadius), 0.5 * p->leastRadius);
}

// Whether a list would be used only once: search and forces are one pass then.
static bool isOnce(const Step *step) { return step->margin == 0 && !wbRigid_Remembers(step->model); }

static void place(Step *step) {
    wbRigidPlacing placing = {step->rigid, !isOnce(step)};
    wbParallelFor(step->work->pool, step->total, 16, step->code->place, &placing);
    step->rigid->ms[wb_rigid_particles] += wbLapMs(&step->mark);
}

static wbStatus touchOnce(Step *step, const wbDomain *domain, const wbRigidTouching *task) {
    const wbWork *work = step->work;
    const size_t mark = wbArena_Mark(work->arena);
    wbContactSearch search;
    wbStatus status = wbContactSearch_Begin(&search, step->rigid, step->model, work, domain, 0, step->h);
    step->rigid->ms[wb_rigid_grid] += wbLapMs(&step->mark);
    if (wbIsOk(status)) status = wbRigid_TouchOnce(&search, work, task);
    step->rigid->particles.listings++;
    wbArena_Release(work->arena, mark);
    return status;
}

// Lists are made when something may have come nearer than they know.
static wbStatus list(Step *step, const wbDomain *domain) {
    wbRigidParticles *p = &step->rigid->particles;
    if (p->listings > 0 && 2.2 * step->travelled <= step->margin) return wb_okStatus;
    if (p->listings > 0) WB_TRY(wbRigid_KeepContacts(step->rigid, step->model, step->work->memory));
    WB_TRY(wbRigid_ListContacts(step->rigid, step->model, step->work, domain, step->margin, step->h));
    p->listings++, step->travelled = 0;
    step->rigid->ms[wb_rigid_grid] += wbLapMs(&step->mark);
    return wb_okStatus;
}

static void addTo(const wbRigidLoads *loads, int body, const float force[3], const float torque[3],
                  float sign) {
    for (int k = 0; k < 3; k++)
        loads->force[k][body] += sign * force[k], loads->torque[k][body] += sign * torque[k];
}

// What bodies gather of groups. The torque of a group is about its first body's centre: about the second's, T + (x1 - x2) x F.
static void gatherRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Step *step = context;
    const wbRigid *rigid = step->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const wbRigidLoads *loads = &step->motion.loads;
    const wbRigidLink *links = p->links.data;
    const wbRigidSum *sums = p->sums.data;
    const int *first = p->firstGroups.data, *counts = p->groupCounts.data, *starts = p->secondStarts.data,
              *seconds = p->secondGroups.data;
    for (int b = begin; b < end; b++) {
        for (int k = 0; k < 3; k++)
            loads->force[k][b] = step->own.force[k][b], loads->torque[k][b] = step->own.torque[k][b];
        for (int g = first[b]; g < first[b] + counts[b]; g++)
            if (sums[g].touching > 0) addTo(loads, b, sums[g].force, sums[g].torque, 1);
        for (int n = starts[b]; n < starts[b + 1]; n++) {
            const wbRigidSum *s = &sums[seconds[n]];
            if (!(s->touching > 0)) continue;
            const int a = links[seconds[n]].first;
            const float *f = s->force, dx = rigid->x[a] - rigid->x[b], dy = rigid->y[a] - rigid->y[b],
                        dz = rigid->z[a] - rigid->z[b];
            const float torque[3] = {s->torque[0] + (dy * f[2] - dz * f[1]),
                                     s->torque[1] + (dz * f[0] - dx * f[2]),
                                     s->torque[2] + (dx * f[1] - dy * f[0])};
            addTo(loads, b, f, torque, -1);
        }
    }
}

// Forces on bodies as they are, `span` s after the sub-step began; if it is the last evaluation of the sub-step, contacts remember it.
static wbStatus evaluate(Step *step, float span, bool keeps) {
    wbRigid *rigid = step->rigid;
    wbRigidParticles *p = &rigid->particles;
    const wbDomain domain = wbDomain_At(step->model->domain, (float)step->subStep * step->h + span);
    place(step);
    WB_TRY(wbRigid_PlacePlanes(rigid, step->work->memory, &domain));
    wbRigidTouching task = {rigid, keeps ? step->h : span, keeps};
    if (isOnce(step)) {
        WB_TRY(touchOnce(step, &domain, &task));
    } else {
        WB_TRY(list(step, &domain));
        wbParallelShare(step->work->pool, p->chunkCount, 1, step->code->touch, &task);
    }
    rigid->ms[wb_rigid_contacts] += wbLapMs(&step->mark);
    wbParallelFor(step->work->pool, rigid->count, 64, gatherRange, step);
    rigid->ms[wb_rigid_momentum] += wbLapMs(&step->mark);
    WB_TRY(wbRigidForces_Apply(rigid, step->model, step->work, step->h, 1, &step->motion.loads));
    rigid->ms[wb_rigid_forces] += wbLapMs(&step->mark);
    return wb_okStatus;
}

static wbStatus takeMaxima(Step *step, float h) {
    float most = 0;
    for (int block = 0; block * WB_BLOCK < step->total; block++)
        if (!(step->motion.maxima[block] <= most)) most = step->motion.maxima[block];
    step->rigid->maxSpeed = most;
    step->travelled += (double)h * most;
    if (isfinite(most)) return wb_okStatus;
    return wbError(wb_errorUnstable,
                   "rigid bodies are beyond what floats can hold: take a shorter time step, more "
                   "sub-steps, or a lower rigid.stiffness");
}

static wbStatus drift(Step *step, float h) {
    WB_TRY(run(step, step->code->drift, h));
    return takeMaxima(step, h);
}

static wbStatus kick(Step *step, float h) { return run(step, step->code->kick, h); }

// Semi-implicit Euler: the source's.
static wbStatus advanceEuler(Step *step) {
    WB_TRY(evaluate(step, 0, true));
    WB_TRY(kick(step, step->h));
    return drift(step, step->h);
}

// Velocity Verlet: the forces at the end of a sub-step are those at the start of the next.
static wbStatus advanceVerlet(Step *step) {
    if (step->subStep == 0) WB_TRY(evaluate(step, 0, false));
    WB_TRY(kick(step, 0.5f * step->h));
    WB_TRY(drift(step, step->h));
    WB_TRY(evaluate(step, step->h, true));
    return kick(step, 0.5f * step->h);
}

// Half a drift, forces in the middle, and the other half.
static wbStatus advanceLeapfrog(Step *step) {
    WB_TRY(drift(step, 0.5f * step->h));
    WB_TRY(evaluate(step, 0.5f * step->h, true));
    WB_TRY(kick(step, step->h));
    return drift(step, 0.5f * step->h);
}

static wbStatus advanceRungeKutta(Step *step) {
    static const float spans[4] = {0, 0.5f, 0.5f, 1}, ways[4] = {0.5f, 0, 0.5f, 0};
    for (int k = 0; k < 4; k++) {
        WB_TRY(evaluate(step, spans[k] * step->h, k == 3));
        step->motion.stage = k;
        WB_TRY(run(step, step->code->stage, step->h));
        WB_TRY(takeMaxima(step, ways[k] * step->h));
    }
    return wb_okStatus;
}

static wbStatus advance(Step *step) {
    switch (step->model->params.integrator) {
    case wb_rigidVerlet:
        return advanceVerlet(step);
    case wb_rigidLeapfrog:
        return advanceLeapfrog(step);
    case wb_rigidRungeKutta4:
        return advanceRungeKutta(step);
    default:
        return advanceEuler(step);
    }
}

static void countTouching(wbRigidParticles *p) {
    const wbRigidSum *sums = p->sums.data;
    p->touching = 0;
    for (int g = 0; g < p->groupCount; g++) p->touching += (int64_t)sums[g].touching;
}

wbStatus wbRigid_StepParticles(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt) {
    const int subSteps = wbRigid_CountSubSteps(model);
    Step step = {.rigid = rigid,
                 .model = model,
                 .work = work,
                 .code = wbGetRigidParticleCode(work->simd),
                 .total = rigid->count + rigid->guestCount,
                 .dt = dt,
                 .h = dt / (float)subSteps,
                 .mark = wbGetSeconds()};
    memset(rigid->ms, 0, sizeof rigid->ms);
    if (step.total == 0) return wb_okStatus;
    WB_TRY(wbRigid_PrepareParticles(rigid, model, work));
    WB_TRY(beginStep(&step));
    rigid->particles.listings = 0;
    step.margin = chooseMargin(&step);
    for (; step.subStep < subSteps; step.subStep++) WB_TRY(advance(&step));
    wbParallelFor(work->pool, rigid->count, WB_BLOCK, endSpins, &step);
    countTouching(&rigid->particles);
    WB_TRY(wbRigid_KeepContacts(rigid, model, work->memory));
    for (int k = 0; k < 3; k++) {
        memset(step.own.force[k], 0, sizeof(float) * (size_t)rigid->count);
        memset(step.own.torque[k], 0, sizeof(float) * (size_t)rigid->count);
    }
    rigid->previousDt = dt;
    return wb_okStatus;
}

// A spring's period is followed if a sub-step is no longer than 1/w, with a face full of contacts and three times as much for what turns.
double wbRigid_GetStableStep(const wbRigid *rigid, const wbRigidModel *model) {
    const wbRigidParticles *p = &rigid->particles;
    const double k = model->params.stiffness, subSteps = wbRigid_CountSubSteps(model);
    double least = INFINITY;
    for (int b = 0; b < p->bodyCount && k > 0; b++)
        if (isDynamic(rigid, b))
            least = fmin(least, sqrt(1 / (3 * k * p->faceCount[b] * (double)rigid->inverseMass[b])));
    const double speed = getTopSpeed(rigid, rigid->count);
    if (speed > 0 && p->leastRadius > 0) least = fmin(least, 0.5 * p->leastRadius / speed);
    return subSteps * least;
}
