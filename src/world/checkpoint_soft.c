// SPDX-License-Identifier: MIT
// Soft bodies in a checkpoint. A world that never had any has none of their sections.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/checkpoint.h"
#include "world/soft.h"

_Static_assert(sizeof(wbSavedSoftBody) == 84, "as it stands in the file");
_Static_assert(sizeof(wbSavedSoftState) == 32, "as it stands in the file");

bool wbIsSoftUsed(const wbWorld *world) {
    const wbSoft *soft = world->soft;
    wbPbdParams defaults;
    wbSetParamDefaults(wbGetParams("pbd"), &defaults);
    return soft->ids.indexCount > 0 || memcmp(&defaults, &soft->model.params, sizeof defaults) != 0 ||
           memcmp(&soft->sideMin, &world->domain.min, sizeof soft->sideMin) != 0 ||
           memcmp(&soft->sideMax, &world->domain.max, sizeof soft->sideMax) != 0;
}

// The saved columns of a list, one behind the other.
typedef struct Part {
    const char *name;
    wbColumn columns[WB_PBD_COLUMNS + WB_PBD_HINGE_COLUMNS];
    int columnCount, count;
} Part;
enum { PARTS = 4, HISTORY = 3 };

static void keepSaved(Part *part) {
    int kept = 0;
    for (int c = 0; c < part->columnCount; c++)
        if (part->columns[c].saved) part->columns[kept++] = part->columns[c];
    part->columnCount = kept;
}

static void listParts(wbPbd *pbd, Part parts[PARTS]) {
    parts[0] = (Part){"soft.particles", .columnCount = WB_PBD_COLUMNS, .count = pbd->count};
    parts[1] =
        (Part){"soft.constraints", .columnCount = WB_PBD_CONSTRAINT_COLUMNS, .count = pbd->constraintCount};
    parts[2] = (Part){"soft.hinges", .columnCount = WB_PBD_HINGE_COLUMNS, .count = pbd->hingeCount};
    parts[HISTORY] = (Part){"soft.history", .columnCount = WB_PBD_HISTORY_COLUMNS, .count = pbd->count};
    if (!(pbd->history.dt > 0)) parts[HISTORY].count = 0;
    wbPbd_ListColumns(pbd, parts[0].columns);
    wbPbd_ListConstraintColumns(pbd, parts[1].columns);
    wbPbd_ListHingeColumns(pbd, parts[2].columns);
    wbPbd_ListHistoryColumns(pbd, parts[HISTORY].columns);
    for (int p = 0; p < PARTS; p++) keepSaved(&parts[p]);
}

static size_t getPartBytes(const Part *part) { return 4 * (size_t)part->count * (size_t)part->columnCount; }

static void copyBodies(const wbWorld *world, wbSavedSoftBody *saved) {
    for (int i = 0; i < world->soft->ids.indexCount; i++) {
        const wbSoftBody *body = wbGetSoftBodyAt(world, i);
        saved[i] = (wbSavedSoftBody){.generation = body->generation,
                                     .particles = body->particles.count,
                                     .constraints = body->constraintCount,
                                     .triangles = body->triangleCount,
                                     .particleMass = body->particleMass};
        memcpy(saved[i].name, body->name, sizeof body->name);
    }
}

wbStatus wbSaveSoft(const wbWorld *world, wbSavedSoftParts *saved, wbSectionList *list) {
    wbSoft *soft = world->soft;
    Part parts[PARTS];
    *saved = (wbSavedSoftParts){0};
    if (!wbIsSoftUsed(world)) return wb_okStatus;
    saved->state = (wbSavedSoftState){.previousDt = soft->pbd.previousDt, .maxSpeed = soft->pbd.maxSpeed};
    memcpy(saved->state.sideMin, &soft->sideMin, sizeof saved->state.sideMin);
    memcpy(saved->state.sideMax, &soft->sideMax, sizeof saved->state.sideMax);
    listParts(&soft->pbd, parts);
    size_t bodyBytes = sizeof(wbSavedSoftBody) * (size_t)soft->ids.indexCount;
    saved->bytes = bodyBytes;
    for (int p = 0; p < PARTS; p++) saved->bytes += getPartBytes(&parts[p]);
    if (saved->bytes == 0) saved->bytes = 1; // sections without bodies are empty, but somewhere
    char *at = saved->data = wbAllocZero(NULL, saved->bytes);
    if (!at) return wbMemoryError(NULL, "to save soft bodies needs");
    copyBodies(world, (wbSavedSoftBody *)(void *)at);
    wbAddSection(list, "soft.state", &saved->state, sizeof saved->state);
    wbAddSection(list, "soft.bodies", at, bodyBytes);
    at += bodyBytes;
    for (int p = 0; p < PARTS; p++) {
        if (p == HISTORY && parts[p].count == 0) break;
        wbAddSection(list, parts[p].name, at, getPartBytes(&parts[p]));
        for (int c = 0; c < parts[p].columnCount; c++, at += 4 * (size_t)parts[p].count)
            if (parts[p].count) memcpy(at, *parts[p].columns[c].data, 4 * (size_t)parts[p].count);
    }
    wbAddSection(list, "soft.triangles", soft->triangles.data, sizeof(int[3]) * (size_t)soft->triangleCount);
    return wb_okStatus;
}

void wbFreeSavedSoft(wbSavedSoftParts *saved) { wbFree(NULL, saved->data, saved->bytes); }

// Loading

static bool isFinite(float value) { return fabsf(value) < 1e30f; }

static void loadColumns(const Part *part, const wbSection *section, int count) {
    const char *at = section->data;
    for (int c = 0; c < part->columnCount; c++, at += 4 * (size_t)count)
        if (count) memcpy(*part->columns[c].data, at, 4 * (size_t)count);
}

// Sizes come first: nothing is allocated for particles that the file does not have.
static wbStatus loadParts(wbSectionList *list, wbWorld *world) {
    wbPbd *pbd = &world->soft->pbd;
    int *counts[HISTORY] = {&pbd->count, &pbd->constraintCount, &pbd->hingeCount};
    int *capacities[HISTORY] = {&pbd->capacity, &pbd->constraintCapacity, &pbd->hingeCapacity};
    Part parts[PARTS];
    listParts(pbd, parts);
    for (int p = 0; p < HISTORY; p++) {
        wbColumn all[WB_PBD_COLUMNS];
        const wbSection *section;
        size_t count;
        WB_TRY(
            wbFindParts(list, parts[p].name, 4 * (size_t)parts[p].columnCount, 1u << 28, &section, &count));
        wbPbd_ListColumns(pbd, all);
        if (!wbReserveColumns(world->memory, p == 0 ? all : parts[p].columns,
                              p == 0 ? WB_PBD_COLUMNS : parts[p].columnCount, capacities[p], (int)count))
            return wbMemoryError(world->memory, "the soft bodies of a checkpoint need");
        *counts[p] = (int)count;
        loadColumns(&parts[p], section, (int)count);
    }
    return wb_okStatus;
}

static bool hasSection(const wbSectionList *list, const char *name) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0) return true;
    return false;
}

// What BDF2 keeps of the last sub-step, if that was one of its own.
static wbStatus loadHistory(wbSectionList *list, wbWorld *world) {
    wbPbd *pbd = &world->soft->pbd;
    Part parts[PARTS];
    const wbSection *section;
    size_t count;
    if (!hasSection(list, "soft.history")) return wb_okStatus;
    listParts(pbd, parts);
    const Part *part = &parts[HISTORY];
    WB_TRY(wbFindParts(list, part->name, 4 * (size_t)part->columnCount, 1u << 28, &section, &count));
    bool isGood = count == (size_t)pbd->count && count > 0 && pbd->previousDt > 0;
    if (isGood) WB_TRY(wbPbd_ReserveHistory(pbd, world->memory));
    if (isGood) loadColumns(part, section, (int)count);
    for (int c = 0; c < part->columnCount; c++)
        for (size_t i = 0; i < count && isGood; i++)
            isGood = isFinite(((const float *)*part->columns[c].data)[i]);
    if (!isGood) return wbError(wb_errorInput, "the history of soft bodies makes no sense");
    pbd->history.dt = pbd->previousDt;
    return wb_okStatus;
}

static wbStatus loadTriangles(wbSectionList *list, wbWorld *world) {
    wbSoft *soft = world->soft;
    const wbSection *section;
    size_t count;
    WB_TRY(wbFindParts(list, "soft.triangles", sizeof(int[3]), 1u << 28, &section, &count));
    if (!wbArray_Reserve(world->memory, &soft->triangles, (int)count))
        return wbMemoryError(world->memory, "the soft bodies of a checkpoint need");
    if (count) memcpy(soft->triangles.data, section->data, section->size);
    soft->triangleCount = (int)count;
    return wb_okStatus;
}

static bool isOf(const wbSoftBody *body, int particle) {
    return particle >= body->particles.first && particle < body->particles.first + body->particles.count;
}

static bool areParticles(const wbPbd *pbd, const wbSoftBody *body, uint32_t index) {
    const wbPbdBody p = body->particles;
    const float *const floats[] = {pbd->x, pbd->y, pbd->z, pbd->vx, pbd->vy, pbd->vz, pbd->w};
    for (int i = p.first; i < p.first + p.count; i++) {
        for (int c = 0; c < 7; c++)
            if (!isFinite(floats[c][i])) return false;
        if (pbd->w[i] < 0 || pbd->body[i] != index) return false;
    }
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
    wbPbd *pbd = &world->soft->pbd;
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
    wbSoft *soft = world->soft;
    const wbPbd *pbd = &soft->pbd;
    int64_t particles = 0, constraints = 0, triangles = 0;
    for (size_t i = 0; i < count; i++) {
        wbSavedSoftBody saved;
        memcpy(&saved, (const char *)section->data + i * sizeof saved, sizeof saved);
        bool isGood = wbIsSavedObject(saved.name, saved.generation) && saved.particles > 0 &&
                      saved.constraints >= 0 && saved.triangles >= 0 && saved.particleMass > 0 &&
                      isFinite(saved.particleMass) && particles + saved.particles <= pbd->count &&
                      constraints + saved.constraints <= pbd->constraintCount &&
                      triangles + saved.triangles <= soft->triangleCount;
        wbSoftBody body = {.generation = saved.generation,
                           .params = wbDefaultSoftBodyDef().params,
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
        WB_TRY(wbAddSoft(world, saved.name, &body));
        particles += saved.particles, constraints += saved.constraints, triangles += saved.triangles;
    }
    if (particles != pbd->count || constraints != pbd->constraintCount || triangles != soft->triangleCount ||
        !areHinges(pbd) || !areColours(world))
        return wbError(wb_errorInput, "there are particles, constraints or triangles of no body");
    return wb_okStatus;
}

static wbStatus loadState(wbSectionList *list, wbWorld *world) {
    wbSoft *soft = world->soft;
    wbStatus status = wb_okStatus;
    wbSavedSoftState state;
    const void *bytes = wbFindSection(list, "soft.state", sizeof state, &status);
    if (!bytes) return status;
    memcpy(&state, bytes, sizeof state);
    bool isGood = state.previousDt >= 0 && isFinite(state.previousDt) && state.maxSpeed >= 0 &&
                  isFinite(state.maxSpeed);
    for (int a = 0; a < world->params.dimensions; a++)
        isGood = isGood && isFinite(state.sideMin[a]) && isFinite(state.sideMax[a]) &&
                 state.sideMin[a] <= state.sideMax[a];
    if (!isGood) return wbError(wb_errorInput, "the state of soft bodies makes no sense");
    soft->pbd.previousDt = state.previousDt, soft->pbd.maxSpeed = state.maxSpeed;
    memcpy(&soft->sideMin, state.sideMin, sizeof soft->sideMin);
    memcpy(&soft->sideMax, state.sideMax, sizeof soft->sideMax);
    return wb_okStatus;
}

wbStatus wbLoadSoft(wbSectionList *list, wbWorld *world) {
    const wbSection *bodies;
    size_t count;
    if (!hasSection(list, "soft.state")) return wb_okStatus;
    WB_TRY(loadState(list, world));
    WB_TRY(wbFindParts(list, "soft.bodies", sizeof(wbSavedSoftBody), WB_MAX_SOFT_BODIES, &bodies, &count));
    if (count > 0 && world->params.dimensions != 3)
        return wbError(wb_errorInput, "soft bodies live in 3 dimensions, this world has 2");
    WB_TRY(loadParts(list, world));
    WB_TRY(loadHistory(list, world));
    WB_TRY(loadTriangles(list, world));
    world->soft->pbd.bodyCount = (int)count;
    return loadBodies(bodies, count, world);
}
