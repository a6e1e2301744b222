// SPDX-License-Identifier: MIT
#include "pbd/pbd.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"
#include "pbd/pbd_code.h"
#include "pbd/pbd_surface_code.h"

const char *const wb_pbdPhaseNames[wb_pbdPhaseCount] = {
#define WB_PHASE(name) #name,
    WB_PBD_PHASES(WB_PHASE)
#undef WB_PHASE
};

void wbPbd_Init(wbPbd *pbd) {
    *pbd = (wbPbd){.batches.list.elementSize = sizeof(wbPbdBatch),
                   .hinges.list.elementSize = sizeof(wbPbdBatch),
                   .rows.begins.elementSize = sizeof(int),
                   .bodyBegins.elementSize = sizeof(int)};
    wbGrid_Init(&pbd->grid);
    wbNeighbours_Init(&pbd->neighbours);
}

void wbPbd_ListColumns(wbPbd *pbd, wbColumn columns[WB_PBD_COLUMNS]) {
    const wbColumn list[WB_PBD_COLUMNS] = {
        {"x", (void **)&pbd->x, 4, true},
        {"y", (void **)&pbd->y, 4, true},
        {"z", (void **)&pbd->z, 4, true},
        {"vx", (void **)&pbd->vx, 4, true},
        {"vy", (void **)&pbd->vy, 4, true},
        {"vz", (void **)&pbd->vz, 4, true},
        {"w", (void **)&pbd->w, 4, true},
        {"body", (void **)&pbd->body, 4, true},
        {"perConstraint", (void **)&pbd->perConstraint, 4, false},
    };
    memcpy(columns, list, sizeof list);
}

void wbPbd_ListHistoryColumns(wbPbd *pbd, wbColumn columns[WB_PBD_HISTORY_COLUMNS]) {
    wbPbdHistory *h = &pbd->history;
    const wbColumn list[WB_PBD_HISTORY_COLUMNS] = {
        {"wayX", (void **)&h->wayX, 4, true},
        {"wayY", (void **)&h->wayY, 4, true},
        {"wayZ", (void **)&h->wayZ, 4, true},
        {"lastVx", (void **)&h->vx, 4, true},
        {"lastVy", (void **)&h->vy, 4, true},
        {"lastVz", (void **)&h->vz, 4, true},
        {"acceleration2", (void **)&h->acceleration2, 4, true},
        {"bank", (void **)&h->bank, 4, true},
    };
    memcpy(columns, list, sizeof list);
}

void wbPbd_ListRestColumns(wbPbd *pbd, wbColumn columns[WB_PBD_REST_COLUMNS]) {
    const wbColumn list[WB_PBD_REST_COLUMNS] = {{"restX", (void **)&pbd->restPlace[0], 4, true},
                                                {"restY", (void **)&pbd->restPlace[1], 4, true},
                                                {"restZ", (void **)&pbd->restPlace[2], 4, true}};
    memcpy(columns, list, sizeof list);
}

void wbPbd_ListConstraintColumns(wbPbd *pbd, wbColumn columns[WB_PBD_CONSTRAINT_COLUMNS]) {
    const wbColumn list[WB_PBD_CONSTRAINT_COLUMNS] = {{"first", (void **)&pbd->first, 4, true},
                                                      {"second", (void **)&pbd->second, 4, true},
                                                      {"rest", (void **)&pbd->rest, 4, true},
                                                      {"kind", (void **)&pbd->kind, 4, true},
                                                      {"colour", (void **)&pbd->colour, 4, true}};
    memcpy(columns, list, sizeof list);
}

void wbPbd_ListHingeColumns(wbPbd *pbd, wbColumn columns[WB_PBD_HINGE_COLUMNS]) {
    const wbColumn list[WB_PBD_HINGE_COLUMNS] = {
        {"corner0", (void **)&pbd->corner[0], 4, true},
        {"corner1", (void **)&pbd->corner[1], 4, true},
        {"corner2", (void **)&pbd->corner[2], 4, true},
        {"corner3", (void **)&pbd->corner[3], 4, true},
        {"coefficient0", (void **)&pbd->coefficient[0], 4, true},
        {"coefficient1", (void **)&pbd->coefficient[1], 4, true},
        {"coefficient2", (void **)&pbd->coefficient[2], 4, true},
        {"coefficient3", (void **)&pbd->coefficient[3], 4, true},
        {"hingeRest", (void **)&pbd->hingeRest, 4, true},
    };
    memcpy(columns, list, sizeof list);
}

void wbPbd_Free(wbMemory *memory, wbPbd *pbd) {
    wbColumn columns[WB_PBD_COLUMNS], constraints[WB_PBD_CONSTRAINT_COLUMNS], hinges[WB_PBD_HINGE_COLUMNS];
    wbColumn history[WB_PBD_HISTORY_COLUMNS], rest[WB_PBD_REST_COLUMNS];
    wbPbd_ListColumns(pbd, columns), wbPbd_ListConstraintColumns(pbd, constraints);
    wbPbd_ListRestColumns(pbd, rest);
    wbFreeColumns(memory, rest, WB_PBD_REST_COLUMNS, &pbd->restCapacity);
    wbPbd_ListHingeColumns(pbd, hinges), wbPbd_ListHistoryColumns(pbd, history);
    wbFreeColumns(memory, history, WB_PBD_HISTORY_COLUMNS, &pbd->history.capacity);
    wbArray_Free(memory, &pbd->bodyBegins);
    wbFreeColumns(memory, hinges, WB_PBD_HINGE_COLUMNS, &pbd->hingeCapacity);
    wbPbdHingeBatches_Free(memory, &pbd->hinges);
    wbFreeColumns(memory, columns, WB_PBD_COLUMNS, &pbd->capacity);
    wbFreeColumns(memory, constraints, WB_PBD_CONSTRAINT_COLUMNS, &pbd->constraintCapacity);
    wbPbdBatches_Free(memory, &pbd->batches);
    wbPbdRows_Free(memory, &pbd->rows);
    wbGrid_Free(memory, &pbd->grid);
    wbNeighbours_Free(memory, &pbd->neighbours);
}

wbStatus wbPbd_ReserveHistory(wbPbd *pbd, wbMemory *memory) {
    wbColumn columns[WB_PBD_HISTORY_COLUMNS];
    wbPbd_ListHistoryColumns(pbd, columns);
    if (!wbReserveColumns(memory, columns, WB_PBD_HISTORY_COLUMNS, &pbd->history.capacity, pbd->count))
        return wbMemoryError(memory, "the history of %d particles needs", pbd->count);
    return wb_okStatus;
}

void wbPbd_ForgetMotion(wbPbd *pbd, int particle) {
    wbColumn columns[WB_PBD_HISTORY_COLUMNS];
    wbPbd_ListHistoryColumns(pbd, columns);
    for (int c = 0; c < WB_PBD_HISTORY_COLUMNS && particle < pbd->history.capacity; c++)
        ((float *)*columns[c].data)[particle] = 0;
}

wbStatus wbPbd_AddBody(wbPbd *pbd, wbMemory *memory, int count, const float *positions, float inverseMass,
                       int *first) {
    wbColumn columns[WB_PBD_COLUMNS], rest[WB_PBD_REST_COLUMNS];
    wbPbd_ListColumns(pbd, columns), wbPbd_ListRestColumns(pbd, rest);
    if (count > INT_MAX / 2 - 1024 - pbd->count || // records count in halves
        !wbReserveColumns(memory, columns, WB_PBD_COLUMNS, &pbd->capacity, pbd->count + count) ||
        !wbReserveColumns(memory, rest, WB_PBD_REST_COLUMNS, &pbd->restCapacity, pbd->count + count))
        return wbMemoryError(memory, "%d particles more need", count);
    *first = pbd->count;
    for (int k = 0; k < count; k++) {
        int i = pbd->count++;
        pbd->x[i] = positions[3 * k], pbd->y[i] = positions[3 * k + 1], pbd->z[i] = positions[3 * k + 2];
        pbd->w[i] = inverseMass, pbd->body[i] = (uint32_t)pbd->bodyCount;
        for (int a = 0; a < 3; a++) pbd->restPlace[a][i] = positions[3 * k + a];
    }
    pbd->bodyCount++;
    pbd->history.dt = 0;
    pbd->isPrepared = false;
    return wb_okStatus;
}

static int moveUp(int particle, wbPbdRange gone) {
    return particle < gone.end ? particle : particle - (gone.end - gone.begin);
}

static bool isWithin(int particle, wbPbdRange range) {
    return particle >= range.begin && particle < range.end;
}

// Hinges of one body stand together, as they were added.
static void removeHinges(wbPbd *pbd, wbPbdRange particles) {
    wbColumn columns[WB_PBD_HINGE_COLUMNS];
    wbPbdRange gone = {.begin = 0};
    while (gone.begin < pbd->hingeCount && !isWithin(pbd->corner[0][gone.begin], particles)) gone.begin++;
    for (gone.end = gone.begin; gone.end < pbd->hingeCount && isWithin(pbd->corner[0][gone.end], particles);)
        gone.end++;
    wbPbd_ListHingeColumns(pbd, columns);
    wbRemoveRange(columns, WB_PBD_HINGE_COLUMNS, gone.begin, gone.end, pbd->hingeCount);
    pbd->hingeCount -= gone.end - gone.begin;
    for (int k = 0; k < pbd->hingeCount; k++)
        for (int c = 0; c < 4; c++) pbd->corner[c][k] = moveUp(pbd->corner[c][k], particles);
}

void wbPbd_RemoveBody(wbPbd *pbd, wbPbdRange particles, wbPbdRange constraints) {
    wbColumn columns[WB_PBD_COLUMNS], history[WB_PBD_HISTORY_COLUMNS], ties[WB_PBD_CONSTRAINT_COLUMNS],
        rest[WB_PBD_REST_COLUMNS];
    wbPbd_ListColumns(pbd, columns), wbPbd_ListHistoryColumns(pbd, history);
    wbPbd_ListRestColumns(pbd, rest);
    wbPbd_ListConstraintColumns(pbd, ties);
    removeHinges(pbd, particles);
    wbRemoveRange(columns, WB_PBD_COLUMNS, particles.begin, particles.end, pbd->count);
    wbRemoveRange(rest, WB_PBD_REST_COLUMNS, particles.begin, particles.end, pbd->count);
    if (pbd->history.capacity >= pbd->count)
        wbRemoveRange(history, WB_PBD_HISTORY_COLUMNS, particles.begin, particles.end, pbd->count);
    wbRemoveRange(ties, WB_PBD_CONSTRAINT_COLUMNS, constraints.begin, constraints.end, pbd->constraintCount);
    pbd->count -= particles.end - particles.begin;
    pbd->constraintCount -= constraints.end - constraints.begin;
    for (int k = 0; k < pbd->constraintCount; k++)
        pbd->first[k] = moveUp(pbd->first[k], particles), pbd->second[k] = moveUp(pbd->second[k], particles);
    for (int i = particles.begin; i < pbd->count; i++) pbd->body[i]--;
    pbd->bodyCount--;
    pbd->isPrepared = false;
}

static float getDistance(const wbPbd *pbd, int i, int j) {
    double dx = (double)pbd->x[i] - pbd->x[j], dy = (double)pbd->y[i] - pbd->y[j];
    double dz = (double)pbd->z[i] - pbd->z[j];
    return (float)sqrt(dx * dx + dy * dy + dz * dz);
}

wbStatus wbPbd_AddConstraints(wbPbd *pbd, wbMemory *memory, int count, const int *pairs, wbPbdKind kind) {
    wbColumn columns[WB_PBD_CONSTRAINT_COLUMNS];
    wbPbd_ListConstraintColumns(pbd, columns);
    if (count > INT_MAX - 1024 - pbd->constraintCount ||
        !wbReserveColumns(memory, columns, WB_PBD_CONSTRAINT_COLUMNS, &pbd->constraintCapacity,
                          pbd->constraintCount + count))
        return wbMemoryError(memory, "%d constraints more need", count);
    for (int k = 0; k < count; k++) {
        int i = pairs[2 * (size_t)k], j = pairs[2 * (size_t)k + 1], at = pbd->constraintCount++;
        WB_ASSERT(i >= 0 && i < pbd->count && j >= 0 && j < pbd->count && i != j,
                  "a constraint needs two particles that are there");
        pbd->first[at] = i, pbd->second[at] = j;
        pbd->rest[at] = getDistance(pbd, i, j), pbd->kind[at] = (int)kind;
    }
    for (int k = 0; k < pbd->constraintCount; k++)
        pbd->colour[k] = -1; // others may share particles with new ones
    pbd->isPrepared = false;
    return wb_okStatus;
}

// Cotangent of the angle at `corner` between the directions to two others. Two that lie in one line have none: 0, so
// that a degenerate triangle does not bend.
static double getCotangent(const wbPbd *pbd, int corner, int i, int j) {
    const float *x[3] = {pbd->x, pbd->y, pbd->z};
    double a[3], b[3], dot = 0;
    for (int k = 0; k < 3; k++) {
        a[k] = (double)x[k][i] - x[k][corner], b[k] = (double)x[k][j] - x[k][corner];
        dot += a[k] * b[k];
    }
    double cross = sqrt(pow(a[1] * b[2] - a[2] * b[1], 2) + pow(a[2] * b[0] - a[0] * b[2], 2) +
                        pow(a[0] * b[1] - a[1] * b[0], 2));
    return cross > 1e-6 * fabs(dot) ? dot / cross : 0;
}

static void setHinge(wbPbd *pbd, int at, const int c[4]) {
    const float *x[3] = {pbd->x, pbd->y, pbd->z};
    double near2 = getCotangent(pbd, c[0], c[1], c[2]), near3 = getCotangent(pbd, c[0], c[1], c[3]);
    double far2 = getCotangent(pbd, c[1], c[0], c[2]), far3 = getCotangent(pbd, c[1], c[0], c[3]);
    const double k[4] = {far2 + far3, near2 + near3, -near2 - far2, -near3 - far3};
    double rest2 = 0;
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int m = 0; m < 4; m++) sum += k[m] * x[a][c[m]];
        rest2 += sum * sum;
    }
    for (int m = 0; m < 4; m++) pbd->corner[m][at] = c[m], pbd->coefficient[m][at] = (float)k[m];
    pbd->hingeRest[at] = (float)sqrt(rest2);
}

wbStatus wbPbd_AddHinges(wbPbd *pbd, wbMemory *memory, int count, const int *corners) {
    wbColumn columns[WB_PBD_HINGE_COLUMNS];
    wbPbd_ListHingeColumns(pbd, columns);
    if (count > INT_MAX / 8 - pbd->hingeCount ||
        !wbReserveColumns(memory, columns, WB_PBD_HINGE_COLUMNS, &pbd->hingeCapacity,
                          pbd->hingeCount + count))
        return wbMemoryError(memory, "%d hinges more need", count);
    for (int k = 0; k < count; k++) {
        const int *c = corners + 4 * (size_t)k;
        for (int m = 0; m < 4; m++)
            WB_ASSERT(c[m] >= 0 && c[m] < pbd->count && (m == 0 || c[m] != c[0]) &&
                          (m != 3 || c[2] != c[3]) && (m < 2 || c[m] != c[1]),
                      "a hinge needs four particles that are there");
        setHinge(pbd, pbd->hingeCount++, c);
    }
    pbd->isPrepared = false;
    return wb_okStatus;
}

double wbPbd_GetLengthError(const wbPbd *pbd) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < pbd->constraintCount; k++) {
        if (!(pbd->rest[k] > 0)) continue;
        double error = (double)getDistance(pbd, pbd->first[k], pbd->second[k]) / (double)pbd->rest[k] - 1;
        sum += error * error, count++;
    }
    return count ? sqrt(sum / count) : 0;
}

typedef struct Step {
    wbPbd *pbd;
    const wbPbdModel *model;
    const wbWork *work;
    const wbPbdCode *code;
    wbPbdPass pass;
    double mark;    // of the profile
    size_t scratch; // the arena's, when the sub-step began
    float dt;       // s, of it
} Step;

static void endPhase(Step *step, wbPbdPhase phase) { step->pbd->ms[phase] += wbLapMs(&step->mark); }

static wbStatus outOfMemory(const Step *step) {
    return wbMemoryError(step->work->memory, "a step of %d particles needs", step->pbd->count);
}

// Records, or halves of them: lanes past the end and the dummy are zero, the rest is not set.
static float *allocateRecords(const Step *step, int floats) {
    size_t count = (size_t)step->pbd->count, all = (size_t)wbPadCount(step->pbd->count) + 1,
           size = (size_t)floats;
    float *records = wbArena_Alloc(step->work->arena, sizeof(float) * size * all);
    if (records) memset(records + size * count, 0, sizeof(float) * size * (all - count));
    return records;
}

// Lanes past the end are not pushed.
static bool allocatePush(const Step *step, float *push[3]) {
    const size_t count = (size_t)step->pbd->count, all = (size_t)wbPadCount(step->pbd->count);
    for (int a = 0; a < 3; a++) {
        if (!(push[a] = wbArena_Alloc(step->work->arena, sizeof(float) * all))) return false;
        memset(push[a] + count, 0, sizeof(float) * (all - count));
    }
    return true;
}

static bool allocatePass(Step *step) {
    wbPbdPass *pass = &step->pass;
    wbArena *arena = step->work->arena;
    int count = step->pbd->count;
    pass->records = allocateRecords(step, WB_PBD_RECORD);
    pass->maxima = wbArena_Alloc(arena, sizeof(float) * ((size_t)count / WB_BLOCK + 1));
    if (!pass->records || !pass->maxima) return false;
    if (step->model->forces && !allocatePush(step, pass->push)) return false;
    for (int k = 0; k < WB_PBD_TRENDS && pass->terms.isSecond; k++)
        if (!(pass->trends[k] =
                  wbArena_Alloc(arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING))))
            return false;
    if (pass->terms.isSecond) // lanes past the end too
        memset(pass->trends[WB_PBD_SHARE], 0, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
    if (step->model->params.solver == wb_pbdJacobiParticles &&
        !(pass->back = allocateRecords(step, WB_PBD_RECORD)))
        return false;
    bool byParticles = step->model->params.solver == wb_pbdJacobiParticles && step->pbd->hingeCount > 0;
    if (step->model->params.solver == wb_pbdJacobiConstraints || byParticles) {
        if (!(pass->sums = allocateRecords(step, WB_PBD_RECORD))) return false;
        memset(pass->sums, 0, sizeof(float[WB_PBD_RECORD]) * (size_t)count);
    }
    if (!pass->terms.hasContacts) return true;
    pass->order = wbArena_Alloc(arena, sizeof(int) * (size_t)(wbPadCount(count) + 1));
    pass->sortedWays = allocateRecords(step, WB_PBD_HALF);
    pass->sortedStarts = allocateRecords(step, WB_PBD_HALF);
    pass->loads = wbArena_Alloc(arena, sizeof(float) * (size_t)(wbPadCount(count) + WB_PADDING));
    return pass->order && pass->sortedWays && pass->sortedStarts && pass->loads;
}

static PbdRule makeRule(const wbPbdParams *p, wbPbdKind kind, float dt) {
    bool xpbd = p->method == wb_methodXpbd, bends = kind == wb_pbdBend;
    float stiffness = xpbd ? 1 : bends ? p->bendStiffness : p->stiffness;
    float compliance = bends ? p->bendCompliance : p->compliance;
    float relaxation = p->solver == wb_pbdGaussSeidel ? 1 : p->omega;
    return (PbdRule){.scale = stiffness * (1 - p->damping) * relaxation,
                     .alpha = xpbd ? compliance / (dt * dt) : 0,
                     .lowest = kind == wb_pbdAtLeast ? 0 : -FLT_MAX,
                     .highest = kind == wb_pbdAtMost ? 0 : FLT_MAX};
}

// Steps that grow by more than 1 + sqrt 2 make BDF2 unstable [H93, III.5]: then it begins anew.
#define MAX_GROWTH 2.4f

// From a sub-step of first order to BDF2, if there is a sub-step before to go on from.
static void setSecondOrder(const wbPbdHistory *history, float drag, PbdMove *move) {
    float dt = move->dt, last = history->dt;
    move->firstRate = move->rate, move->perSpan = 1 / dt;
    if (!(last > 0 && dt <= MAX_GROWTH * last)) return;
    float growth = dt / last;
    move->carry = growth * growth / (1 + 2 * growth);
    move->dt = dt * (1 + growth) / (1 + 2 * growth);
    move->kick = move->dt * move->dt;
    move->rate = expf(-drag * move->dt) / move->dt;
    move->lastRate = expf(-drag * last) / last;
    move->perSpan = 2 / (dt + last);
}

void wbPbd_SetTerms(const wbPbd *pbd, const wbPbdModel *model, float dt, wbPbdTerms *terms) {
    const wbPbdParams *p = &model->params;
    const wbVec3 g = model->domain->gravity;
    terms->move = (PbdMove){.dt = dt,
                            .kick = wbGetKick(p->integrator == wb_pbdVerlet, dt, pbd->previousDt),
                            .rate = expf(-p->drag * dt) / dt,
                            .gravity = {g.x, g.y, g.z}};
    terms->isSecond = p->integrator == wb_pbdBdf2;
    if (terms->isSecond) setSecondOrder(&pbd->history, p->drag, &terms->move);
    for (int kind = 0; kind < wb_pbdKindCount; kind++)
        terms->rules[kind] = makeRule(p, (wbPbdKind)kind, terms->move.dt);
    terms->xpbd = p->method == wb_methodXpbd;
    terms->contact = (PbdContact){2 * p->radius, p->friction};
    terms->hasContacts = pbd->bodyCount > 1 && p->radius > 0;
    terms->hasPlanes = model->obstacles != NULL;
}

void wbPbd_PlaceSides(const wbPbdModel *model, int subStep, float dt, wbPbdTerms *terms) {
    const wbDomain domain = wbDomain_At(model->domain, (float)(subStep + 1) * dt);
    const float radius = model->params.radius;
    PbdSides *limits = &terms->sides;
    limits->friction = model->params.friction;
    terms->hasSides = false;
    for (int side = 0; side < wb_sideCount; side++) {
        terms->hasSides |= domain.closed[side];
        for (int a = 0; a < 3; a++) limits->shift[side][a] = dt * domain.velocity[side][a];
    }
    for (int a = 0; a < 3; a++) {
        limits->low[a] = domain.closed[2 * a] ? domain.min[a] + radius : -FLT_MAX;
        limits->high[a] = domain.closed[2 * a + 1] ? domain.max[a] - radius : FLT_MAX;
    }
}

// Passes over particles with work enough for two threads from two blocks on.
static void runPass(Step *step, wbRangeFn *range) {
    wbParallelFor(step->work->pool, step->pbd->count, WB_BLOCK, range, &step->pass);
}

// Passes that do so little per particle that waking a thread for a few of them takes longer.
static void runLightPass(Step *step, wbRangeFn *range) {
    wbParallelFor(step->work->pool, step->pbd->count, 8 * WB_BLOCK, range, &step->pass);
}

// Below this many constraints a colour is done sooner by one thread than two threads can meet after it.
enum { SMALL_BATCH = 3072 };

// One colour after another: large ones by all threads, runs of small ones by one.
static void runBatches(Step *step, const wbArray *list, int count, wbRangeFn *one, wbRangeFn *run) {
    wbPbdPass *pass = &step->pass;
    const wbPbdBatch *batches = list->data;
    for (int k = 0; k < count; k = pass->lastBatch) {
        pass->firstBatch = k, pass->lastBatch = k + 1;
        int size = batches[k].end - batches[k].begin;
        if (size >= SMALL_BATCH) {
            wbParallelFor(step->work->pool, size, WB_PADDING, one, pass);
            continue;
        }
        while (pass->lastBatch < count &&
               batches[pass->lastBatch].end - batches[pass->lastBatch].begin < SMALL_BATCH)
            pass->lastBatch++;
        wbParallelFor(step->work->pool, 1, 1, run, pass);
    }
}

// The same from the last to the first.
static void runBatchesBack(Step *step, const wbArray *list, int count, wbRangeFn *one, wbRangeFn *run) {
    wbPbdPass *pass = &step->pass;
    const wbPbdBatch *batches = list->data;
    pass->isBack = true;
    for (int k = count; k > 0; k = pass->firstBatch) {
        pass->firstBatch = k - 1, pass->lastBatch = k;
        int size = batches[k - 1].end - batches[k - 1].begin;
        if (size >= SMALL_BATCH) {
            wbParallelFor(step->work->pool, size, WB_PADDING, one, pass);
            continue;
        }
        while (pass->firstBatch > 0 &&
               batches[pass->firstBatch - 1].end - batches[pass->firstBatch - 1].begin < SMALL_BATCH)
            pass->firstBatch--;
        wbParallelFor(step->work->pool, 1, 1, run, pass);
    }
    pass->isBack = false;
}

static void solveConstraints(Step *step) {
    wbPbdPass *pass = &step->pass;
    const wbPbdBatches *batches = &step->pbd->batches;
    const wbPbdHingeBatches *hinges = &step->pbd->hinges;
    const wbPbdCode *code = step->code;
    switch (step->model->params.solver) {
    case wb_pbdGaussSeidel:
        runBatches(step, &batches->list, batches->batchCount, code->project, code->projectRun);
        runBatches(step, &hinges->list, hinges->batchCount, code->bend, code->bendRun);
        if (!pass->terms.isSecond) break;
        // One way alone pushes more to one end than to the other, and BDF2 does not damp what that feeds: a cloth on two
        // pins gains energy.
        runBatchesBack(step, &hinges->list, hinges->batchCount, code->bend, code->bendRun);
        runBatchesBack(step, &batches->list, batches->batchCount, code->project, code->projectRun);
        break;
    case wb_pbdJacobiParticles: {
        runBatches(step, &hinges->list, hinges->batchCount, code->sumBend, code->sumBendRun);
        runPass(step, step->code->gather);
        float *records = pass->records;
        pass->records = pass->back, pass->back = records;
        break;
    }
    case wb_pbdJacobiConstraints:
        runBatches(step, &batches->list, batches->batchCount, code->sum, code->sumRun);
        runBatches(step, &hinges->list, hinges->batchCount, code->sumBend, code->sumBendRun);
        runLightPass(step, step->code->apply);
        break;
    }
}

static void clearFloats(float *values, int count) {
    if (count > 0) memset(values, 0, sizeof(float) * (size_t)count);
}

// XPBD starts each sub-step without forces.
static void clearLambda(Step *step) {
    if (!step->pass.terms.xpbd) return;
    wbPbd *pbd = step->pbd;
    clearFloats(pbd->hinges.lambda, pbd->hinges.count);
    if (step->model->params.solver == wb_pbdJacobiParticles)
        clearFloats(pbd->rows.lambda, pbd->rows.count);
    else
        clearFloats(pbd->batches.lambda, pbd->batches.count);
}

// Copies in the order of cells, since all contacts of an iteration start from the same state.
static void copySorted(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    for (int k = begin; k < end; k++)
        memcpy(pass->sortedWays + WB_PBD_HALF * (size_t)k,
               pass->records + WB_PBD_HALF * (size_t)pass->order[k], sizeof(float[WB_PBD_HALF]));
}

static void copyLoads(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    for (int k = begin; k < end; k++)
        pass->sortedWays[WB_PBD_HALF * (size_t)k + WB_PBD_HALF - 1] = pass->loads[k];
}

// What contacts need of the particles in the order of cells. Those of surfaces that touch are not among them.
static void listSorted(Step *step) {
    const wbPbd *pbd = step->pbd;
    const wbPbdSurface *surface = step->pass.surface;
    int *order = step->pass.order, dummy = wbPadCount(pbd->count);
    for (int k = 0; k < pbd->count; k++) {
        int i = order[k];
        float start[WB_PBD_HALF] = {pbd->x[i], pbd->y[i], pbd->z[i], (float)pbd->body[i]};
        if (surface && wbPbdSurface_Has(surface, i)) start[0] = -1e15f, start[3] = -1;
        memcpy(step->pass.sortedStarts + WB_PBD_HALF * (size_t)k, start, sizeof start);
        order[k] = 2 * i;
    }
    for (int k = pbd->count; k < dummy; k++) order[k] = 2 * dummy;
    const float away[WB_PBD_HALF] = {1e15f, 1e15f, 1e15f, 0}; // what fills up lists touches nothing
    memcpy(step->pass.sortedStarts + WB_PBD_HALF * (size_t)dummy, away, sizeof away);
}

// Pairs of particles that may come to touch in this sub-step.
static wbStatus findContacts(Step *step) {
    wbPbd *pbd = step->pbd;
    wbPbdPass *pass = &step->pass;
    const wbWork *work = step->work;
    size_t bytes = sizeof(float) * (size_t)(wbPadCount(pbd->count) + WB_PADDING);
    float *columns[3], *sorted[3];
    for (size_t a = 0; a < 3; a++) {
        columns[a] = wbArena_Alloc(work->arena, bytes), sorted[a] = wbArena_Alloc(work->arena, bytes);
        if (!columns[a] || !sorted[a]) return outOfMemory(step);
        for (size_t i = 0; i < (size_t)pbd->count; i++) {
            const float *record = pass->records + WB_PBD_RECORD * i;
            columns[a][i] = record[WB_PBD_HALF + a] + record[a];
        }
    }
    wbPoints points = {columns[0], columns[1], columns[2], pbd->count};
    WB_TRY(wbGrid_Sort(&pbd->grid, work, points, wbPbd_GetContactReach(step->model), 3, wb_gridAuto,
                       pass->order));
    const wbMove moves[] = {{columns[0], sorted[0]}, {columns[1], sorted[1]}, {columns[2], sorted[2]}};
    wbReorder(work, pass->order, pbd->count, moves, 3);
    wbPointSet own = {.points = {sorted[0], sorted[1], sorted[2], pbd->count}, .grid = &pbd->grid};
    WB_TRY(wbNeighbours_Build(&pbd->neighbours, work, &own, NULL, wbPadCount(pbd->count)));
    listSorted(step);
    return wb_okStatus;
}

// Planes of colliders that the predicted ways may meet.
static wbStatus findPlanes(Step *step, float from, float to) {
    const wbPbd *pbd = step->pbd;
    size_t length = (size_t)wbPadCount(pbd->count) + WB_PADDING, bytes = sizeof(float) * length;
    float *ways = wbArena_Alloc(step->work->arena, 3 * bytes),
          *planes = wbArena_Alloc(step->work->arena, WB_PBD_PLANE_COLUMNS * bytes);
    if (!ways || !planes) return outOfMemory(step);
    for (size_t i = 0; i < (size_t)pbd->count; i++)
        for (size_t a = 0; a < 3; a++) ways[a * length + i] = step->pass.records[WB_PBD_RECORD * i + a];
    memset(planes, 0, WB_PBD_PLANE_COLUMNS * bytes); // lanes past the end too
    step->pass.planes = wbCutPlanes(planes, length);
    const wbPbdPlaces places = {pbd->x, pbd->y, pbd->z, ways, ways + length, ways + 2 * length, pbd->count};
    const wbPbdObstacles *obstacles = step->model->obstacles;
    obstacles->find(&places, &step->pass.planes, step->work, from, to, obstacles->context);
    return wb_okStatus;
}

static void pressSurfaces(Step *step) {
    const wbPbdSurface *surface = step->pass.surface;
    if (!surface) return;
    const wbPbdSurfaceCode *code = wbGetPbdSurfaceCode(step->work->simd);
    runBatches(step, &surface->pressed.list, surface->pressed.batchCount, code->press, code->pressRun);
}

static void solveContacts(Step *step) {
    pressSurfaces(step);
    if (step->pass.terms.hasContacts) {
        runLightPass(step, copySorted);
        runPass(step, step->code->load);
        runLightPass(step, copyLoads);
        runPass(step, step->code->touch);
    }
    if (step->pass.terms.hasPlanes) runLightPass(step, step->code->block);
    const wbPbdPartner *partner = step->model->partner;
    if (partner) partner->push(step->pass.records, step->work, partner->context);
}

// [M16] Macklin et al. 2016, XPBD, eq. 26, along each axis: a spring of so much compliance with a damper, whose impulse of all
// iterations together is bounded. With the particle's mass alone it is stiff and well damped; what it is tied to follows.
static void pullHeld(Step *step, float dt, bool isFirst) {
    for (wbPbdHold *h = step->model->holds; h < step->model->holds + step->model->holdCount; h++) {
        float *way = step->pass.records + WB_PBD_RECORD * (size_t)h->particle, *start = way + WB_PBD_HALF;
        const float w = step->pass.w[h->particle], alpha = 1 / (h->stiffness * dt * dt),
                    gamma = h->damping / (h->stiffness * dt), most = h->maxForce * dt * dt;
        float next[3], length2 = 0;
        for (int a = 0; a < 3; a++) {
            const float before = isFirst ? 0 : h->lambda[a], error = start[a] + way[a] - h->target[a];
            next[a] = before - (error + alpha * before + gamma * way[a]) / ((1 + gamma) * w + alpha);
            length2 += next[a] * next[a];
        }
        const float cut = length2 > most * most ? most / sqrtf(length2) : 1;
        for (int a = 0; a < 3; a++) {
            way[a] += w * (cut * next[a] - (isFirst ? 0 : h->lambda[a]));
            h->lambda[a] = cut * next[a];
        }
    }
}

static void finish(Step *step) {
    if (step->pass.terms.isSecond) {
        runLightPass(step, step->code->compare);
        wbParallelFor(step->work->pool, step->pbd->bodyCount, 1, step->code->judge, &step->pass);
        runLightPass(step, step->code->finishSecond);
    } else {
        runLightPass(step, step->code->finish);
    }
}

static wbStatus takeMaxima(Step *step) {
    wbPbd *pbd = step->pbd;
    float speed2 = 0;
    for (int b = 0; b * WB_BLOCK < pbd->count; b++) {
        if (!isfinite(step->pass.maxima[b]))
            return wbError(wb_errorUnstable,
                           "a particle near number %d is beyond what floats can hold: take a shorter "
                           "time step, or more sub-steps",
                           b * WB_BLOCK);
        speed2 = fmaxf(speed2, step->pass.maxima[b]);
    }
    pbd->maxSpeed = sqrtf(speed2);
    return wb_okStatus;
}

// Everything before the first iteration.
static wbStatus begin(Step *step, float dt, int subStep) {
    wbPbd *pbd = step->pbd;
    wbPbdTerms *terms = &step->pass.terms;
    const wbPbdPartner *partner = step->model->partner;
    step->scratch = wbArena_Mark(step->work->arena), step->dt = dt;
    wbPbd_SetTerms(pbd, step->model, dt, terms);
    const wbPbdForces *forces = step->model->forces;
    if (forces) WB_TRY(forces->find(pbd, dt, step->work, step->pass.push, forces->context));
    runLightPass(step,
                 terms->isSecond ? step->code->predictSecond : step->code->predict); // way = dt v + kick a
    clearLambda(step);
    endPhase(step, wb_pbd_predict);
    if (terms->hasContacts) WB_TRY(findContacts(step));
    float parts = (float)step->model->params.subSteps;
    if (terms->hasPlanes) WB_TRY(findPlanes(step, (float)subStep / parts, (float)(subStep + 1) / parts));
    if (partner) WB_TRY(partner->find(step->pass.records, dt, step->work, partner->context));
    if (step->pass.surface)
        WB_TRY(wbPbdSurface_Find(step->model->surface, step->work, step->pass.records, dt));
    wbPbd_PlaceSides(step->model, subStep, dt, terms);
    endPhase(step, wb_pbd_search);
    return wb_okStatus;
}

static void iterate(Step *step, int count, bool isFirst) {
    for (int k = 0; k < count; k++) {
        solveConstraints(step); // dp = w lambda grad C
        pullHeld(step, step->dt, isFirst && k == 0);
        endPhase(step, wb_pbd_constraints);
        solveContacts(step);
        endPhase(step, wb_pbd_contacts);
        if (step->pass.terms.hasSides) runLightPass(step, step->code->confine);
        endPhase(step, wb_pbd_sides);
    }
}

// So that nothing goes through.
static wbStatus holdSurfaces(Step *step, bool *isChanged) {
    *isChanged = false;
    if (!step->pass.surface) return wb_okStatus;
    const wbStatus status =
        wbPbdSurface_Hold(step->model->surface, step->work, step->pass.records, isChanged);
    endPhase(step, wb_pbd_contacts);
    return status;
}

static wbStatus end(Step *step) {
    bool isChanged;
    WB_TRY(holdSurfaces(step, &isChanged));
    finish(step); // v = way / dt, x += way
    step->pbd->previousDt = step->dt, step->pbd->history.dt = step->pass.terms.isSecond ? step->dt : 0;
    endPhase(step, wb_pbd_velocities);
    wbArena_Release(step->work->arena, step->scratch);
    return takeMaxima(step);
}

static void endPartner(const Step *step) {
    const wbPbdPartner *partner = step->model->partner;
    if (partner) partner->end(partner->context);
}

// [M07], algorithm 1, with sub-steps as in Macklin et al. 2019; BDF2 as [E08].
static wbStatus advance(Step *step, float dt, int subStep) {
    WB_TRY(begin(step, dt, subStep));
    iterate(step, step->model->params.iterations, true);
    endPartner(step);
    return end(step);
}

static wbStatus prepare(Step *step, float dt) {
    wbPbd *pbd = step->pbd;
    const wbPbdParams *params = &step->model->params;
    memset(pbd->ms, 0, sizeof pbd->ms);
    WB_TRY(wbPbd_Prepare(pbd, step->work, params->solver == wb_pbdJacobiParticles));
    if (params->integrator == wb_pbdBdf2) WB_TRY(wbPbd_ReserveHistory(pbd, step->work->memory));
    wbPbd_SetTerms(pbd, step->model, dt, &step->pass.terms);
    return allocatePass(step) ? wb_okStatus : outOfMemory(step);
}

static Step makeStep(wbPbd *pbd, const wbPbdModel *model, const wbWork *work) {
    return (Step){.pbd = pbd,
                  .model = model,
                  .work = work,
                  .code = wbGetPbdCode(work->simd),
                  .pass = {.pbd = pbd,
                           .w = model->inverseMasses ? model->inverseMasses : pbd->w,
                           .surface = model->surface},
                  .mark = wbGetSeconds()};
}

wbStatus wbPbd_Step(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, float dt) {
    Step step = makeStep(pbd, model, work);
    const int subSteps = model->params.subSteps;
    if (pbd->count == 0) return wb_okStatus;
    WB_TRY(prepare(&step, dt / (float)subSteps));
    for (int k = 0; k < subSteps; k++) WB_TRY(advance(&step, dt / (float)subSteps, k));
    return wb_okStatus;
}

// Open sub-steps

struct wbPbdOpenStep {
    Step step;
    wbPbdModel model;
    wbWork work;
};

wbStatus wbPbd_Open(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, float dt, int iterations,
                    wbPbdOpenStep **opened) {
    WB_ASSERT(model->params.subSteps == 1 && pbd->count > 0, "an open step is one sub-step of particles");
    wbPbdOpenStep *open = wbArena_Alloc(work->arena, sizeof *open);
    wbPbdHold *holds = wbArena_Alloc(work->arena, sizeof *holds * (size_t)(model->holdCount + 1));
    if (!open || !holds) return wbMemoryError(work->memory, "a step of %d particles needs", pbd->count);
    if (model->holdCount > 0) memcpy(holds, model->holds, sizeof *holds * (size_t)model->holdCount);
    *open = (wbPbdOpenStep){.model = *model, .work = *work};
    open->model.holds = holds;
    open->step = makeStep(pbd, &open->model, &open->work);
    WB_TRY(prepare(&open->step, dt));
    WB_TRY(begin(&open->step, dt, 0));
    iterate(&open->step, iterations, true);
    endPartner(&open->step);
    // what they point to is the caller's, and has been asked all that it is asked for
    open->model.partner = NULL, open->model.obstacles = NULL, open->model.forces = NULL;
    *opened = open;
    return wb_okStatus;
}

float *wbPbdOpenStep_GetRecords(const wbPbdOpenStep *open) { return open->step.pass.records; }

void wbPbdOpenStep_Iterate(wbPbdOpenStep *open, int count) {
    open->step.mark = wbGetSeconds();
    iterate(&open->step, count, false);
}

wbStatus wbPbdOpenStep_Hold(wbPbdOpenStep *open, bool *isChanged) {
    open->step.mark = wbGetSeconds();
    return holdSurfaces(&open->step, isChanged);
}

wbStatus wbPbdOpenStep_Close(wbPbdOpenStep *open) {
    open->step.mark = wbGetSeconds();
    return end(&open->step);
}
