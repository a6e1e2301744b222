// SPDX-License-Identifier: MIT
// How particles of pbf_thesis.h merge and split.
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "pbd/pbf_spare_ids.h"
#include "pbd/pbf_thesis_step.h"

typedef struct ChangeTask {
    wbThesisStep *step;
    int *partner;       // -1: nobody
    uint32_t *newParts; // after the transfers of a step
    int *slots;         // what becomes of a particle: none, one, two; then the first of their places
    uint32_t *newIds;   // of second halves
    float *pressure;    // of those that are there then
    float *from[3];     // where they were, or what they came from; NULL: nobody asks
} ChangeTask;

static float getTargetMass(const wbThesisStep *step, int i) {
    const float side = fminf(step->size[i], step->model->params.largest);
    return side * side * (step->model->domain->dimensions == 3 ? side : 1) * WB_THESIS_PARTS;
}

static float getWay2(const wbThesisStep *step, int i, int j) {
    const float *a = step->pass.places + 4 * (size_t)i, *b = step->pass.places + 4 * (size_t)j;
    const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

// Squared distance, a little longer by a hash of both ids, the same from both sides: a lattice has no order of its own.
static float getKey(const wbThesisStep *step, int i, int j) {
    const uint32_t *id = step->fluid.particles->id, low = id[i] < id[j] ? id[i] : id[j],
                   high = id[i] ^ id[j] ^ low;
    return getWay2(step, i, j) * (1 + 0.1f * wbHashFloat(low * 0x9e3779b9u + wbHash32(high)));
}

static int getFluid(const wbThesisStep *step, int i) {
    return wbFluidRuns_GetFluid(&step->thesis->runs, step->fluid.particles->id[i]);
}

// Kernels grow before particles do: merges that went ahead left a kernel a handful of neighbours, and the inside was taken for a boundary.
static bool areWide(const wbThesisStep *step, int i, int j) {
    const wbThesis *t = step->thesis;
    const float mass = ((float)t->parts[i] + (float)t->parts[j]) / WB_THESIS_PARTS;
    const float radius = 0.5f * step->model->params.spacing *
                         (step->model->domain->dimensions == 3 ? cbrtf(mass) : sqrtf(mass));
    return fminf(t->h[i], t->h[j]) >= 0.9999f * step->model->params.width * radius;
}

// (4.34), section 4.5.4: the nearest that is near enough, and together with which it is no larger than one of them should be; or, so that sizes are about
// their targets instead of below them, not much larger than both should.
static int findPartner(const wbThesisStep *step, int i) {
    const wbThesis *t = step->thesis;
    const int count = step->fluid.particles->count;
    int rows, partner = -1;
    float best = INFINITY;
    if (t->role[i] != wb_roleAlone) return -1;
    const int *entry =
        wbNeighbours_GetRows(&step->fluid.search->neighbours, i / WB_GROUP, &rows) + i % WB_GROUP;
    const float mass = getTargetMass(step, i), r = wbThesis_GetRadius(t, step->model, i);
    for (; rows > 0; rows--, entry += WB_GROUP) {
        const int j = *entry;
        if (j >= count || j == i || t->role[j] != wb_roleAlone) continue;
        const float theirs = getTargetMass(step, j);
        const float most =
            fmaxf(fmaxf(mass, theirs), step->model->params.excess * fminf(mass, theirs)) * 1.0001f;
        if ((float)t->parts[i] + (float)t->parts[j] > most || !areWide(step, i, j)) continue;
        if (getFluid(step, i) != getFluid(step, j)) continue;
        const float reach = step->model->params.reach * fmaxf(r, wbThesis_GetRadius(t, step->model, j));
        if (getWay2(step, i, j) >= reach * reach) continue;
        const float key = getKey(step, i, j);
        if (key < best) best = key, partner = j;
    }
    return partner;
}

static void pairUp(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    for (int i = begin; i < end; i++) task->partner[i] = findPartner(task->step, i);
}

// The smaller goes into the larger; of equal ones that with the larger id into the other.
static void startMerges(const ChangeTask *task) {
    wbThesis *t = task->step->thesis;
    const uint32_t *id = task->step->fluid.particles->id;
    for (int i = 0; i < task->step->fluid.particles->count; i++) {
        const int j = task->partner[i];
        if (j < 0 || task->partner[j] != i) continue;
        const bool isSource = t->parts[i] != t->parts[j] ? t->parts[i] < t->parts[j] : id[i] > id[j];
        t->role[i] = isSource ? wb_roleMergeSource : wb_roleMergeTarget;
        t->other[i] = j, t->left[i] = task->step->model->params.mergeTime;
    }
}

static bool isGone(const wbThesis *t, const uint32_t *parts, int i) {
    return t->role[i] == wb_roleMergeSource && parts[i] == 0;
}

static bool isSource(uint32_t role) { return role == wb_roleMergeSource || role == wb_roleSplitSource; }

static bool ends(const ChangeTask *task, int i) {
    return task->step->thesis->left[i] < 1.001f * task->step->pass.dt;
}

// Parts that go from source to target in this step: as much of what is still to be moved as the step has of the time left.
static uint32_t getMoved(const ChangeTask *task, int source, int target) {
    const wbThesis *t = task->step->thesis;
    const uint32_t rest = t->role[source] == wb_roleMergeSource
                              ? t->parts[source]
                              : t->units[target] * WB_THESIS_PARTS - t->parts[target];
    if (ends(task, source)) return rest;
    return (uint32_t)((double)task->step->pass.dt / (double)t->left[source] * rest + 0.5);
}

// The target of a transfer gets velocity, and on wish place, along with mass. Gives what momentum is lost, kg m/s.
static double takeOver(const ChangeTask *task, int i, int from, uint32_t moved) {
    const wbThesisStep *step = task->step;
    const wbThesisParams *params = &step->model->params;
    const wbParticles *p = step->fluid.particles;
    float *const v[3] = {p->vx, p->vy, p->vz};
    const uint32_t own = step->thesis->parts[i];
    const float share = own + moved > 0 ? (float)moved / (float)(own + moved) : 0;
    double lost2 = 0;
    for (int a = 0; a < 3; a++) {
        float *place = step->pass.places + 4 * (size_t)i + a;
        const float change = v[a][from] - v[a][i];
        lost2 += (double)change * (double)change;
        if (!params->losesMomentum) v[a][i] += share * change;
        if (params->movesTargets)
            *place += share * (step->pass.places[4 * (size_t)from + (size_t)a] - *place);
    }
    const double mass =
        (double)params->restDensity * pow((double)params->spacing, step->model->domain->dimensions);
    return params->losesMomentum ? mass * moved / WB_THESIS_PARTS * sqrt(lost2) : 0;
}

static void transfer(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    const wbThesis *t = task->step->thesis;
    for (int i = begin; i < end; i++) {
        const int j = t->other[i];
        task->newParts[i] = t->parts[i];
        if (j < 0) continue;
        const bool gives = isSource(t->role[i]);
        const uint32_t moved = gives ? getMoved(task, i, j) : getMoved(task, j, i);
        if (!gives) task->step->lost[i / WB_BLOCK] += takeOver(task, i, j, moved);
        task->newParts[i] = gives ? t->parts[i] - moved : t->parts[i] + moved;
    }
}

// When the time is over both are alone again, but what was merged, which goes.
static void settleRoles(const ChangeTask *task) {
    wbThesis *t = task->step->thesis;
    for (int i = 0; i < task->step->fluid.particles->count; i++) {
        if (t->other[i] < 0) continue;
        const bool isOver = ends(task, i);
        t->left[i] -= task->step->pass.dt;
        if (isOver && t->role[i] == wb_roleMergeTarget) t->units[i] += t->units[t->other[i]];
        if (isOver && t->role[i] != wb_roleMergeSource) t->role[i] = wb_roleAlone;
    }
    for (int i = 0; i < task->step->fluid.particles->count; i++)
        if (isGone(t, task->newParts, i) || t->role[i] == wb_roleAlone) t->other[i] = -1;
}

static size_t getBytes(const wbThesisStep *step) {
    return sizeof(int) * (size_t)(wbPadCount(step->fluid.particles->count) + WB_PADDING);
}

wbStatus wbThesisStep_Transfer(wbThesisStep *step) {
    const wbWork *work = step->work;
    wbThesis *t = step->thesis;
    const int count = step->fluid.particles->count, blocks = count / WB_BLOCK + 1;
    ChangeTask task = {.step = step,
                       .partner = wbArena_Alloc(work->arena, getBytes(step)),
                       .newParts = wbArena_Alloc(work->arena, getBytes(step))};
    step->lost = wbArena_Alloc(work->arena, sizeof(double) * (size_t)blocks);
    if (!task.partner || !task.newParts || !step->lost) return wbFluidStep_FailByMemory(&step->fluid);
    memset(step->lost, 0, sizeof(double) * (size_t)blocks);
    wbParallelFor(work->pool, count, WB_BLOCK, pairUp, &task);
    startMerges(&task);
    wbParallelFor(work->pool, count, WB_BLOCK, transfer, &task);
    for (int b = 0; b < blocks; b++) t->lost += step->lost[b];
    settleRoles(&task);
    memcpy(t->parts, task.newParts, sizeof *t->parts * (size_t)count);
    return wb_okStatus;
}

// Splits and removals

// (4.33), by masses
static void countSlots(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    const wbThesis *t = task->step->thesis;
    for (int i = begin; i < end; i++) {
        const bool splits = t->role[i] == wb_roleAlone && t->parts[i] >= 2 * WB_THESIS_PARTS &&
                            (float)t->parts[i] >= 1.9999f * getTargetMass(task->step, i);
        task->slots[i] = isGone(t, t->parts, i) ? 0 : splits ? 2 : 1;
    }
}

// Splits obey the limit, and take the ids of what was merged: what splits was merged once.
static wbStatus takeSlots(const ChangeTask *task, bool *hasChanged) {
    wbThesis *t = task->step->thesis;
    const wbParticles *p = task->step->fluid.particles;
    const int limit = task->step->model->params.limit;
    int place = 0, gone = 0;
    if (!wbArray_Reserve(task->step->work->memory, &t->freeIds, t->freeCount + p->count))
        return wbFluidStep_FailByMemory(&task->step->fluid);
    uint32_t *freeIds = t->freeIds.data;
    for (int i = 0; i < p->count; i++)
        if (task->slots[i] == 0) freeIds[t->freeCount++] = p->id[i], gone++, t->merges++;
    int room = limit > 0 ? limit - (p->count - gone) : INT32_MAX;
    wbSpareIds ids;
    if (!wbSpareIds_Begin(&ids, &t->runs, freeIds, &t->freeCount, task->step->work->arena))
        return wbFluidStep_FailByMemory(&task->step->fluid);
    *hasChanged = gone > 0;
    for (int i = 0; i < p->count; i++) {
        int slots = task->slots[i];
        if (slots == 2 && (room <= 0 || !wbSpareIds_Take(&ids, getFluid(task->step, i), &task->newIds[i])))
            slots = 1;
        if (slots == 2) room--, t->splits++, *hasChanged = true;
        task->slots[i] = place, place += slots;
    }
    wbSpareIds_End(&ids);
    task->slots[p->count] = place;
    return wb_okStatus;
}

static void copyParticle(const ChangeTask *task, int i, int to) {
    const wbParticles *p = task->step->fluid.particles;
    const wbThesis *t = task->step->thesis;
    p->backX[to] = p->x[i], p->backY[to] = p->y[i], p->backZ[to] = p->z[i];
    if (task->from[0]) task->from[0][to] = p->x[i], task->from[1][to] = p->y[i], task->from[2][to] = p->z[i];
    p->backVx[to] = p->vx[i], p->backVy[to] = p->vy[i], p->backVz[to] = p->vz[i];
    p->backId[to] = p->id[i], p->backDensity[to] = p->density[i], task->pressure[to] = p->pressure[i];
    t->backUnits[to] = t->units[i], t->backParts[to] = t->parts[i], t->backH[to] = t->h[i],
    t->backDistance[to] = t->distance[i];
    t->backOffset[to] = t->offset[i], t->backRole[to] = t->role[i], t->backLeft[to] = t->left[i];
    t->backOther[to] = t->other[i] < 0 ? -1 : task->slots[t->other[i]];
}

// Along which the second half goes: away from the density, section 4.4.1.
static void findWay(const wbThesisStep *step, int i, float way[3]) {
    float length2 = 0;
    for (int a = 0; a < 3; a++) {
        way[a] = -step->thesis->h[i] * step->pass.gradient[a][i];
        if (a < step->model->domain->dimensions)
            way[a] += 0.02f * wbHashFloat(step->fluid.particles->id[i] +
                                          wbHash32(3 * (uint32_t)step->thesis->steps + (uint32_t)a)) -
                      0.01f;
        length2 += way[a] * way[a];
    }
    for (int a = 0; a < 3; a++) way[a] /= sqrtf(fmaxf(length2, 1e-30f));
}

static void shift(const ChangeTask *task, int to, int i, const float way[3], float length) {
    const wbThesisStep *step = task->step;
    const wbParticles *p = step->fluid.particles;
    float *const x[3] = {p->backX, p->backY, p->backZ};
    for (int a = 0; a < 3; a++) {
        const float inset = step->pass.inset[a][i];
        x[a][to] = fminf(fmaxf(x[a][to] + length * way[a], step->pass.room.low[a] + inset),
                         step->pass.room.high[a] - inset);
    }
}

// Section 4.4.3: at once, into whole multiples of the smallest, with the centre of both where it was; or the new one is empty at first.
static void split(const ChangeTask *task, int i, int to) {
    const wbThesis *t = task->step->thesis;
    const wbThesisParams *params = &task->step->model->params;
    const uint32_t units = t->units[i], half = units / 2;
    const float side = task->step->model->domain->dimensions == 3 ? cbrtf((float)half) : sqrtf((float)half);
    const float gap = params->gap * params->spacing * side;
    const float ahead = params->splitsGradually ? 1 : (float)(units - half) / (float)units;
    float way[3];
    findWay(task->step, i, way);
    for (int k = 0; k < 2; k++) {
        copyParticle(task, i, to + k);
        shift(task, to + k, i, way, k ? ahead * gap : (ahead - 1) * gap);
        t->backUnits[to + k] = k ? half : units - half;
        t->backParts[to + k] = t->backUnits[to + k] * WB_THESIS_PARTS;
        if (!params->splitsGradually) continue;
        t->backParts[to + k] = k ? 0 : units * WB_THESIS_PARTS;
        t->backRole[to + k] = k ? wb_roleSplitTarget : wb_roleSplitSource;
        t->backOther[to + k] = to + 1 - k, t->backLeft[to + k] = params->mergeTime;
    }
    task->step->fluid.particles->backId[to + 1] = task->newIds[i];
}

static void apply(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    for (int i = begin; i < end; i++) {
        const int to = task->slots[i], count = task->slots[i + 1] - to;
        if (count == 2)
            split(task, i, to);
        else if (count == 1)
            copyParticle(task, i, to);
    }
}

wbStatus wbThesisStep_Change(wbThesisStep *step) {
    const wbWork *work = step->work;
    wbParticles *p = step->fluid.particles;
    wbThesis *t = step->thesis;
    bool hasChanged = false;
    ChangeTask task = {.step = step,
                       .slots = wbArena_Alloc(work->arena, getBytes(step)),
                       .newIds = wbArena_Alloc(work->arena, getBytes(step))};
    if (!task.slots || !task.newIds) return wbFluidStep_FailByMemory(&step->fluid);
    wbParallelFor(work->pool, p->count, WB_BLOCK, countSlots, &task);
    WB_TRY(takeSlots(&task, &hasChanged));
    const int count = task.slots[p->count];
    if (!hasChanged) return wb_okStatus;
    WB_TRY(wbParticles_Reserve(p, work->memory, count));
    WB_TRY(wbThesis_Reserve(t, work->memory, count));
    const size_t bytes = sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING);
    if (!(task.pressure = wbArena_Alloc(work->arena, bytes))) return wbFluidStep_FailByMemory(&step->fluid);
    for (int a = 0; a < 3 && wbFluidStep_HasCollision(&step->fluid); a++)
        if (!(task.from[a] = wbArena_Alloc(work->arena, bytes)))
            return wbFluidStep_FailByMemory(&step->fluid);
    wbParallelFor(work->pool, p->count, WB_BLOCK, apply, &task);
    memcpy(p->pressure, task.pressure, sizeof(float) * (size_t)count);
    p->count = count;
    wbParticles_Flip(p);
    wbThesis_Flip(t);
    return wbThesisStep_Collide(step, task.from, wb_atEnd);
}
