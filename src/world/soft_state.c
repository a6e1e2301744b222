// SPDX-License-Identifier: MIT
// The state of soft bodies, as hash, checkpoint and snapshot see it. A file may say anything.
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/checkpoint.h"
#include "world/soft.h"

typedef struct SavedBody {
    char name[WB_NAME_SIZE];
    uint32_t index1;
    int32_t particles, constraints, triangles;
    float particleMass;
} SavedBody;
_Static_assert(sizeof(SavedBody) == 84, "as it stands in the file");

enum { MOST = 1 << 28 }; // particles, constraints, hinges and triangles that a file may have

int wbListSoftValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    wbSoft *soft = solver->self;
    wbPbd *pbd = &soft->pbd;
    const wbSavedValue list[] = {
        {"pbd.count", &pbd->count, wb_valueInt, 0, MOST, true},
        {"pbd.constraintCount", &pbd->constraintCount, wb_valueInt, 0, MOST, true},
        {"pbd.hingeCount", &pbd->hingeCount, wb_valueInt, 0, MOST, true},
        {"pbd.triangleCount", &soft->triangleCount, wb_valueInt, 0, MOST, false},
        {"pbd.previousDt", &pbd->previousDt, wb_valueFloat, 0, 1e30, true},
        {"pbd.historyDt", &pbd->history.dt, wb_valueFloat, 0, 1e30, true},
        {"pbd.tieCount", &soft->rigid.tieCount, wb_valueInt, 0, MOST, true},
        {"pbd.maxSpeed", &pbd->maxSpeed, wb_valueFloat, 0, 1e30, false},
    };
    memcpy(values, list, sizeof list);
    return (int)(sizeof list / sizeof list[0]);
}

// A step changes positions, velocities and, if BDF2 has one, the history.
int wbListSoftColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbSoft *soft = solver->self;
    wbPbd *pbd = &soft->pbd;
    wbColumn particles[WB_PBD_COLUMNS], history[WB_PBD_HISTORY_COLUMNS],
        constraints[WB_PBD_CONSTRAINT_COLUMNS], hinges[WB_PBD_HINGE_COLUMNS], rest[WB_PBD_REST_COLUMNS];
    const wbColumn triangles = {"triangles", &soft->triangles.data, sizeof(int[3]), true},
                   ties = {"ties", &soft->rigid.ties.data, sizeof(wbSoftTie), true};
    wbPbd_ListColumns(pbd, particles);
    wbPbd_ListHistoryColumns(pbd, history);
    wbPbd_ListConstraintColumns(pbd, constraints);
    wbPbd_ListHingeColumns(pbd, hinges);
    wbPbd_ListRestColumns(pbd, rest);
    int n = wbAddColumns(solver, particles, WB_PBD_MOVING, pbd->count, true, columns);
    if (pbd->history.dt > 0)
        n += wbAddColumns(solver, history, WB_PBD_HISTORY_COLUMNS, pbd->count, true, columns + n);
    if (solver->device && !wbNeedsSoftCores(solver->world)) {
        wbGpuBuffer *buffers[WB_PBD_MOVING + WB_PBD_HISTORY_COLUMNS];
        (void)wbPbdGpu_ListBuffers(solver->device, buffers, buffers + WB_PBD_MOVING);
        for (int c = 0; c < n; c++) columns[c].buffer = buffers[c];
    }
    const int moving = n;
    n += wbAddColumns(solver, particles + WB_PBD_MOVING, WB_PBD_COLUMNS - WB_PBD_MOVING, pbd->count, false,
                      columns + n);
    n += wbAddColumns(solver, rest, WB_PBD_REST_COLUMNS, pbd->count, false, columns + n);
    n += wbAddColumns(solver, constraints, WB_PBD_CONSTRAINT_COLUMNS, pbd->constraintCount, false,
                      columns + n);
    n += wbAddColumns(solver, hinges, WB_PBD_HINGE_COLUMNS, pbd->hingeCount, false, columns + n);
    n += wbAddColumns(solver, &triangles, 1, soft->triangleCount, false, columns + n);
    n += wbAddColumns(solver, &ties, 1, soft->rigid.tieCount, false, columns + n);
    for (int c = moving; c < n; c++) columns[c].isFixed = true;
    return n;
}

int wbListSoftUnsaved(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbSoftAccount *account = &wbGetSoft(solver->world)->account;
    columns[0] = (wbStateColumn){.data = account, .bytes = sizeof *account, .isSnapshot = true};
    if (!solver->device) return 1;
    wbGpuBuffer *buffers[WB_PBD_MOVING + WB_PBD_HISTORY_COLUMNS];
    wbPbdGpuMarks *marks = wbPbdGpu_ListBuffers(solver->device, buffers, buffers + WB_PBD_MOVING);
    columns[1] = (wbStateColumn){.data = marks, .bytes = sizeof *marks, .isSnapshot = true};
    return 2;
}

wbStatus wbResizeSoft(const wbSolver *solver, wbSectionList *list) {
    (void)list;
    wbSoft *soft = solver->self;
    wbPbd *pbd = &soft->pbd;
    wbMemory *memory = solver->world->memory;
    wbColumn particles[WB_PBD_COLUMNS], constraints[WB_PBD_CONSTRAINT_COLUMNS], hinges[WB_PBD_HINGE_COLUMNS],
        rest[WB_PBD_REST_COLUMNS];
    wbPbd_ListColumns(pbd, particles), wbPbd_ListRestColumns(pbd, rest);
    wbPbd_ListConstraintColumns(pbd, constraints);
    wbPbd_ListHingeColumns(pbd, hinges);
    bool isMade =
        wbReserveColumns(memory, particles, WB_PBD_COLUMNS, &pbd->capacity, pbd->count) &&
        wbReserveColumns(memory, rest, WB_PBD_REST_COLUMNS, &pbd->restCapacity, pbd->count) &&
        wbReserveColumns(memory, constraints, WB_PBD_CONSTRAINT_COLUMNS, &pbd->constraintCapacity,
                         pbd->constraintCount) &&
        wbReserveColumns(memory, hinges, WB_PBD_HINGE_COLUMNS, &pbd->hingeCapacity, pbd->hingeCount) &&
        wbArray_Reserve(memory, &soft->triangles, soft->triangleCount) &&
        wbArray_Reserve(memory, &soft->rigid.ties, soft->rigid.tieCount);
    if (!isMade) return wbMemoryError(memory, "the soft bodies of a checkpoint need");
    return pbd->history.dt > 0 ? wbPbd_ReserveHistory(pbd, memory) : wb_okStatus;
}

static void copyBodies(const wbWorld *world, SavedBody *saved) {
    for (int i = 0; i < world->softBodyIds.indexCount; i++) {
        const wbSoftBody *body = wbGetSoftBodyAt(world, i);
        saved[i] = (SavedBody){.index1 = wbIdPool_GetIndex1(&world->softBodyIds, i),
                               .particles = body->particles.count,
                               .constraints = body->constraintCount,
                               .triangles = body->triangleCount,
                               .particleMass = body->particleMass};
        memcpy(saved[i].name, body->name, sizeof body->name);
    }
}

void wbSaveSoftBodies(const wbSolver *solver, wbSectionList *list) {
    const wbWorld *world = solver->world;
    SavedBody *saved =
        wbAddOwnedSection(list, "softBodies", sizeof(SavedBody) * (size_t)world->softBodyIds.indexCount);
    if (saved) copyBodies(world, saved);
}

// Loading

static bool isFinite(float value) { return fabsf(value) < 1e30f; }

// What moves, and what BDF2 keeps of the last sub-step, if that was one of its own.
wbStatus wbCheckSoftColumns(const wbSolver *solver, wbSectionList *list) {
    const wbPbd *pbd = &wbGetSoft(solver->world)->pbd;
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    int count = wbListSoftColumns(solver, columns);
    wbStatus status = wb_okStatus;
    if (pbd->history.dt > 0 && pbd->history.dt != pbd->previousDt)
        return wbError(wb_errorInput, "the history of soft bodies makes no sense");
    for (int c = 0; c < count; c++) {
        const void *bytes = wbFindSection(list, columns[c].name, columns[c].bytes, &status);
        if (!columns[c].isFixed && !wbAreFinite(bytes, columns[c].bytes / sizeof(float)))
            return wbError(wb_errorInput, "section \"%s\" has numbers that are not finite", columns[c].name);
    }
    return status;
}

void wbRenewSoft(const wbSolver *solver) { wbCloseSoftAccount(solver->world); }

static bool isOf(const wbSoftBody *body, int particle) {
    return particle >= body->particles.first && particle < body->particles.first + body->particles.count;
}

static bool areParticles(const wbPbd *pbd, const wbSoftBody *body, uint32_t index) {
    const wbPbdBody p = body->particles;
    for (int i = p.first; i < p.first + p.count; i++)
        if (!isFinite(pbd->w[i]) || pbd->w[i] < 0 || pbd->body[i] != index ||
            !isFinite(pbd->restPlace[0][i]) || !isFinite(pbd->restPlace[1][i]) ||
            !isFinite(pbd->restPlace[2][i]))
            return false;
    return true;
}

static bool areConstraints(const wbPbd *pbd, const wbSoftBody *body) {
    for (int k = body->firstConstraint; k < body->firstConstraint + body->constraintCount; k++)
        if (!isOf(body, pbd->first[k]) || !isOf(body, pbd->second[k]) || pbd->first[k] == pbd->second[k] ||
            pbd->kind[k] < 0 || pbd->kind[k] >= wb_pbdKindCount || !isFinite(pbd->rest[k]) ||
            pbd->rest[k] < 0)
            return false;
    return true;
}

// Colours that were given hold for all constraints, and fit.
static bool areColours(wbWorld *world) {
    wbPbd *pbd = &wbGetSoft(world)->pbd;
    bool isAny = false;
    for (int k = 0; k < pbd->constraintCount; k++) {
        if (pbd->colour[k] < -1) return false;
        isAny |= pbd->colour[k] >= 0;
    }
    if (!isAny) return true;
    for (int k = 0; k < pbd->constraintCount; k++)
        if (pbd->colour[k] < 0) return false;
    return wbIsOk(wbPbd_SetColours(pbd, &world->work, pbd->colour));
}

static bool areTriangles(const wbSoft *soft, const wbSoftBody *body) {
    const int *triangles = soft->triangles.data;
    for (int k = 3 * body->firstTriangle; k < 3 * (body->firstTriangle + body->triangleCount); k++)
        if (!isOf(body, triangles[k])) return false;
    return true;
}

// Whether bodies are there that they name is known when a step is planned: rigid ones are loaded later.
static bool areTies(const wbSoft *soft) {
    const wbSoftTie *ties = soft->rigid.ties.data;
    for (int k = 0; k < soft->rigid.tieCount; k++) {
        if (ties[k].particle < 0 || ties[k].particle >= soft->pbd.count || ties[k].body < 0) return false;
        for (int a = 0; a < 3; a++)
            if (!isFinite(ties[k].point[a])) return false;
    }
    return true;
}

static bool areHinges(const wbPbd *pbd) {
    for (int k = 0; k < pbd->hingeCount; k++) {
        for (int m = 0; m < 4; m++) {
            int corner = pbd->corner[m][k];
            if (corner < 0 || corner >= pbd->count || !isFinite(pbd->coefficient[m][k])) return false;
            for (int other = 0; other < m; other++)
                if (pbd->corner[other][k] == corner) return false;
        }
        if (!isFinite(pbd->hingeRest[k]) || pbd->hingeRest[k] < 0) return false;
    }
    return true;
}

// The bodies share particles, constraints and triangles out among them, one behind the other.
static wbStatus loadBodies(const wbSection *section, size_t count, wbWorld *world) {
    wbSoft *soft = wbGetSoft(world);
    const wbPbd *pbd = &soft->pbd;
    int64_t particles = 0, constraints = 0, triangles = 0;
    for (size_t i = 0; i < count; i++) {
        SavedBody saved;
        memcpy(&saved, (const char *)section->data + i * sizeof saved, sizeof saved);
        bool isGood = wbIsSavedObject(saved.name, saved.index1) && saved.particles > 0 &&
                      saved.constraints >= 0 && saved.triangles >= 0 && saved.particleMass > 0 &&
                      isFinite(saved.particleMass) && particles + saved.particles <= pbd->count &&
                      constraints + saved.constraints <= pbd->constraintCount &&
                      triangles + saved.triangles <= soft->triangleCount;
        wbSoftBody body = {.params = wbDefaultSoftBodyDef().params,
                           .particles = {(int)particles, saved.particles},
                           .firstConstraint = (int)constraints,
                           .constraintCount = saved.constraints,
                           .firstTriangle = (int)triangles,
                           .triangleCount = saved.triangles,
                           .particleMass = saved.particleMass};
        if (!isGood || !areParticles(pbd, &body, (uint32_t)i) || !areConstraints(pbd, &body) ||
            !areTriangles(soft, &body))
            return wbError(wb_errorInput, "body %zu makes no sense", i);
        WB_TRY(wbCheckPlainName(world, "soft body", saved.name));
        WB_TRY(wbAddSoft(world, saved.name, &body, saved.index1));
        particles += saved.particles, constraints += saved.constraints, triangles += saved.triangles;
    }
    if (particles != pbd->count || constraints != pbd->constraintCount || triangles != soft->triangleCount ||
        !areHinges(pbd) || !areTies(soft) || !areColours(world))
        return wbError(wb_errorInput, "there are particles, constraints, triangles or ties of no body");
    return wb_okStatus;
}

wbStatus wbLoadSoftBodies(const wbSolver *solver, wbSectionList *list) {
    wbWorld *world = solver->world;
    const wbSection *bodies;
    size_t count;
    WB_TRY(wbFindParts(list, "softBodies", sizeof(SavedBody), WB_MAX_SOFT_BODIES, &bodies, &count));
    if (world->params.dimensions != 3)
        return wbError(wb_errorInput, "soft bodies live in 3 dimensions, this world has 2");
    wbGetSoft(world)->pbd.bodyCount = (int)count;
    WB_TRY(loadBodies(bodies, count, world));
    return count > 0 ? wb_okStatus
                     : wbError(wb_errorInput, "section \"solvers\" names pbd, but no body is there");
}
