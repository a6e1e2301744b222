// SPDX-License-Identifier: MIT
// How particles of pbf_thesis.h merge and split.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf_thesis_change_formula.h"
#include "pbd/pbf_thesis_step.h"
#include "space/spare_ids.h"

typedef struct ChangeTask {
    wbThesisStep *step;
    int *partner;       // -1: nobody
    uint32_t *newParts; // after the transfers of a step
    int *slots;         // what becomes of a particle: none, one, two; then the first of their places
    uint32_t *newIds;   // of second halves
    float *pressure;    // of those that are there then
    float *from[3];     // where they were, or what they came from; NULL: nobody asks
} ChangeTask;

static float getTargetParts(const wbThesisStep *step, int i) {
    return thesis_target_parts(step->size[i], &step->sizing);
}

// The way from one to another, squared, and as pbf_partner_key has it.
static float getWay2(const float way[3]) { return way[0] * way[0] + way[1] * way[1] + way[2] * way[2]; }
static void findGap(const wbThesisStep *step, int i, int j, float way[3]) {
    for (int a = 0; a < 3; a++)
        way[a] = step->pass.places[4 * (size_t)i + (size_t)a] - step->pass.places[4 * (size_t)j + (size_t)a];
}

static int getFluid(const wbThesisStep *step, int i) {
    return wbFluidRuns_GetFluid(&step->thesis->runs, step->fluid.particles->id[i]);
}

// The nearest that is near enough.
static int findPartner(const wbThesisStep *step, int i) {
    const wbThesis *t = step->thesis;
    const uint32_t *id = step->fluid.particles->id;
    const int count = step->fluid.particles->count;
    int rows, partner = -1;
    float best = INFINITY;
    if (t->role[i] != wb_roleAlone) return -1;
    const int *entry =
        wbNeighbours_GetRows(&step->fluid.search->neighbours, i / WB_GROUP, &rows) + i % WB_GROUP;
    const float parts = getTargetParts(step, i), r = thesis_radius(t->parts[i], &step->sizing);
    for (; rows > 0; rows--, entry += WB_GROUP) {
        const int j = *entry;
        if (j >= count || j == i || t->role[j] != wb_roleAlone) continue;
        if (!thesis_may_merge(t->parts[i], t->parts[j], parts, getTargetParts(step, j), t->h[i], t->h[j],
                              &step->sizing) ||
            getFluid(step, i) != getFluid(step, j))
            continue;
        const float reach = step->sizing.reach * fmaxf(r, thesis_radius(t->parts[j], &step->sizing));
        float way[3];
        findGap(step, i, j, way);
        if (getWay2(way) >= reach * reach) continue;
        const float key = pbf_partner_key(way[0], way[1], way[2], id[i], id[j]);
        if (key < best) best = key, partner = j;
    }
    return partner;
}

static void pairUp(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    for (int i = begin; i < end; i++) task->partner[i] = findPartner(task->step, i);
}

static void startMerges(const ChangeTask *task) {
    wbThesis *t = task->step->thesis;
    const uint32_t *id = task->step->fluid.particles->id;
    for (int i = 0; i < task->step->fluid.particles->count; i++) {
        const int j = task->partner[i];
        if (j < 0 || task->partner[j] != i) continue;
        const bool isSource = thesis_is_source(t->parts[i], t->parts[j], id[i], id[j]);
        t->role[i] = isSource ? wb_roleMergeSource : wb_roleMergeTarget;
        t->other[i] = j, t->left[i] = task->step->sizing.mergeTime;
    }
}

static bool ends(const ChangeTask *task, int i) {
    return thesis_ends(task->step->thesis->left[i], task->step->pass.move.dt);
}

static uint32_t getMoved(const ChangeTask *task, int source, int target) {
    const wbThesis *t = task->step->thesis;
    return thesis_moved(t->role[source], t->parts[source], t->units[target], t->parts[target],
                        t->left[source], task->step->pass.move.dt);
}

// The target of a transfer gets velocity, and on wish place, along with mass. Gives what momentum is lost, kg m/s.
static double takeOver(const ChangeTask *task, int i, int from, uint32_t moved) {
    const wbThesisStep *step = task->step;
    const ThesisSizing *sizing = &step->sizing;
    const wbParticles *p = step->fluid.particles;
    float *const v[3] = {p->vx, p->vy, p->vz};
    const float share = thesis_taken(step->thesis->parts[i], moved);
    double lost2 = 0;
    for (int a = 0; a < 3; a++) {
        float *place = step->pass.places + 4 * (size_t)i + a;
        const float change = v[a][from] - v[a][i];
        lost2 += (double)change * (double)change;
        if (!sizing->losesMomentum) v[a][i] += share * change;
        if (sizing->movesTargets)
            *place += share * (step->pass.places[4 * (size_t)from + (size_t)a] - *place);
    }
    if (!sizing->losesMomentum) return 0;
    return wbThesisModel_GetMass(step->model) * (double)thesis_mass(moved) * sqrt(lost2);
}

static void transfer(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    const wbThesis *t = task->step->thesis;
    for (int i = begin; i < end; i++) {
        const int j = t->other[i];
        task->newParts[i] = t->parts[i];
        if (j < 0) continue;
        const bool gives = thesis_gives(t->role[i]);
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
        t->left[i] -= task->step->pass.move.dt;
        if (isOver && t->role[i] == wb_roleMergeTarget) t->units[i] += t->units[t->other[i]];
        if (isOver && t->role[i] != wb_roleMergeSource) t->role[i] = wb_roleAlone;
    }
    for (int i = 0; i < task->step->fluid.particles->count; i++)
        if (thesis_is_gone(t->role[i], task->newParts[i]) || t->role[i] == wb_roleAlone) t->other[i] = -1;
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

static void countSlots(int begin, int end, int worker, void *context) {
    (void)worker;
    const ChangeTask *task = context;
    const wbThesis *t = task->step->thesis;
    for (int i = begin; i < end; i++) {
        const bool splits = thesis_splits(t->role[i], t->parts[i], getTargetParts(task->step, i));
        task->slots[i] = thesis_is_gone(t->role[i], t->parts[i]) ? 0 : splits ? 2 : 1;
    }
}

// Ids of what goes.
static wbStatus setAside(wbThesis *t, const wbWork *work, const uint32_t *ids, int count, int gone,
                         const int *slots) {
    const size_t scratch = wbArena_Mark(work->arena);
    uint32_t *list = wbArena_Alloc(work->arena, sizeof *list * (size_t)(gone + 1));
    if (!list) return wbMemoryError(work->memory, "ids of %d merged particles need", gone);
    for (int i = 0, k = 0; i < count; i++)
        if (slots[i] == 0) list[k++] = ids[i];
    WB_TRY(wbSpareIds_Add(&t->spare, &t->runs, list, gone, work));
    t->merges += gone;
    wbArena_Release(work->arena, scratch);
    return wb_okStatus;
}

wbStatus wbThesis_TakeSlots(wbThesis *t, const wbWork *work, const uint32_t *ids, int count, int limit,
                            int *slots, uint32_t *newIds, bool *hasChanged) {
    int place = 0, gone = 0;
    for (int i = 0; i < count; i++) gone += slots[i] == 0;
    WB_TRY(setAside(t, work, ids, count, gone, slots));
    int room = limit > 0 ? limit - (count - gone) : INT32_MAX;
    wbIdTaker taker;
    if (!wbIdTaker_Begin(&taker, &t->spare, &t->runs, work->arena))
        return wbMemoryError(work->memory, "ids of %d merged particles need", gone);
    *hasChanged = gone > 0;
    for (int i = 0; i < count; i++) {
        int own = slots[i];
        if (own == 2 &&
            (room <= 0 || !wbIdTaker_Take(&taker, wbFluidRuns_GetFluid(&t->runs, ids[i]), &newIds[i])))
            own = 1;
        if (own == 2) room--, t->splits++, *hasChanged = true;
        slots[i] = place, place += own;
    }
    wbIdTaker_End(&taker);
    slots[count] = place;
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

static void shift(const ChangeTask *task, int to, int i, const float way[3], float length) {
    const wbThesisStep *step = task->step;
    const wbParticles *p = step->fluid.particles;
    float *const x[3] = {p->backX, p->backY, p->backZ};
    for (int a = 0; a < 3; a++) {
        x[a][to] = thesis_confine(x[a][to] + length * way[a], step->pass.inset[a][i], a, &step->pass.move);
    }
}

static void split(const ChangeTask *task, int i, int to) {
    const wbThesisStep *step = task->step;
    const wbThesis *t = step->thesis;
    const ThesisSizing *sizing = &step->sizing;
    const float gradient[3] = {step->pass.gradient[0][i], step->pass.gradient[1][i],
                               step->pass.gradient[2][i]};
    float way[3];
    thesis_find_way(t->h[i], gradient, step->fluid.particles->id[i], &step->pass.move, sizing->dimensions,
                    way);
    for (int k = 0; k < 2; k++) {
        const ThesisHalf half = thesis_half(t->units[i], k, sizing);
        copyParticle(task, i, to + k);
        shift(task, to + k, i, way, half.way);
        t->backUnits[to + k] = half.units, t->backParts[to + k] = half.parts, t->backRole[to + k] = half.role;
        if (sizing->splitsGradually)
            t->backOther[to + k] = to + 1 - k, t->backLeft[to + k] = sizing->mergeTime;
    }
    step->fluid.particles->backId[to + 1] = task->newIds[i];
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
    WB_TRY(wbThesis_TakeSlots(t, work, p->id, p->count, step->model->params.limit, task.slots, task.newIds,
                              &hasChanged));
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
