// SPDX-License-Identifier: MIT
// What a file says of fluids and particles is believed only as far as it can be a world's state.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "space/spare_ids.h"
#include "world/checkpoint.h"

static int compareNames(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Sorted, as a file may hold more fluids than can be compared one by one.
static wbStatus checkNames(wbWorld *world) {
    size_t count = (size_t)world->fluidIds.indexCount, bytes = count * sizeof(char *);
    if (count == 0) return wb_okStatus;
    const char **names = wbAlloc(world->memory, bytes);
    if (!names) return wbMemoryError(world->memory, "%zu fluids need", count);
    for (size_t i = 0; i < count; i++) names[i] = ((const wbFluid *)world->fluids.data)[i].name;
    qsort(names, count, sizeof *names, compareNames);
    wbStatus status = wb_okStatus;
    for (size_t i = 1; i < count && wbIsOk(status); i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = wbError(wb_errorInput, "two fluids are named \"%s\"", names[i]);
    wbFree(world->memory, names, bytes);
    return status;
}

// m, m/s, kg/m3, Pa: what is beyond it is taken as not finite, as in the solver
#define WB_LARGEST 1e30f

static bool isFinite(float value) { return fabsf(value) < WB_LARGEST; }

static float getFloat(const char *floats, size_t index) {
    float value;
    memcpy(&value, floats + index * sizeof value, sizeof value);
    return value;
}

bool wbAreFinite(const void *floats, size_t count) {
    enum { BLOCK = 4096 };
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        const size_t end = count - begin < BLOCK ? count : begin + BLOCK;
        bool areFinite = true;
        for (size_t i = begin; i < end; i++) areFinite &= isFinite(getFloat(floats, i));
        if (!areFinite) return false;
    }
    return true;
}

// The particles of a liquid as they stand in a file, anywhere in memory.
typedef struct Columns {
    const char *bytes[WB_SAVED_COLUMNS];
    int count;
} Columns;

static uint32_t getId(const Columns *columns, int i) {
    uint32_t id;
    memcpy(&id, columns->bytes[wb_columnId] + sizeof id * (size_t)i, sizeof id);
    return id;
}

static wbStatus findColumns(const wbParticleFluid *liquid, wbSectionList *list, Columns *found) {
    wbStateColumn columns[WB_MAX_STATE_COLUMNS];
    wbStatus status = wb_okStatus;
    wbListFluidColumns(liquid->solver, columns);
    found->count = liquid->particles->count;
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        found->bytes[c] = wbFindSection(list, columns[c].name, columns[c].bytes, &status);
    return status;
}

static wbStatus checkParticle(const wbWorld *world, const Columns *columns, int i) {
    const wbDomain *domain = &world->domain;
    uint32_t id = getId(columns, i);
    for (int a = 0; a < 3; a++) {
        const float p = getFloat(columns->bytes[wb_columnX + a], (size_t)i),
                    v = getFloat(columns->bytes[wb_columnVx + a], (size_t)i);
        if (!isFinite(p) || !isFinite(v))
            return wbError(wb_errorInput, "position or velocity of particle %u is not finite", id);
        if (a >= world->params.dimensions && (p != 0 || v != 0))
            return wbError(wb_errorInput, "particle %u is not in the plane of a 2D world", id);
        if ((domain->closed[2 * a] && p < domain->min[a]) ||
            (domain->closed[2 * a + 1] && p > domain->max[a]))
            return wbError(wb_errorInput,
                           "particle %u: coordinate %c is %g, beyond the closed sides %g to %g", id, "xyz"[a],
                           p, domain -> min[a], domain -> max[a]);
    }
    const float density = getFloat(columns->bytes[wb_columnDensity], (size_t)i),
                pressure = getFloat(columns->bytes[wb_columnPressure], (size_t)i);
    if (!isFinite(density) || !(density > 0) || !isFinite(pressure))
        return wbError(wb_errorInput, "density or pressure of particle %u is not possible", id);
    return wb_okStatus;
}

static int compareIds(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return one < two ? -1 : one > two;
}

// Whether each is there only once; `twice` is one that is not. Marks of those that there may be are quicker than to sort them,
// and few enough unless most that there were are gone.
static wbStatus findTwice(const wbWorld *world, uint32_t *ids, size_t count, bool *isTwice, uint32_t *twice) {
    const size_t words = world->nextId / 64 + 1;
    *isTwice = false;
    if (words <= count) {
        uint64_t *marks = wbArena_Alloc(world->work.arena, words * sizeof *marks);
        if (!marks) return wbMemoryError(world->memory, "the ids of %zu particles need", count);
        memset(marks, 0, words * sizeof *marks);
        for (size_t i = 0; i < count && !*isTwice; i++) {
            const uint64_t mark = (uint64_t)1 << ids[i] % 64;
            if (marks[ids[i] / 64] & mark) *isTwice = true, *twice = ids[i];
            marks[ids[i] / 64] |= mark;
        }
        return wb_okStatus;
    }
    qsort(ids, count, sizeof *ids, compareIds);
    for (size_t i = 1; i < count && !*isTwice; i++)
        if (ids[i] == ids[i - 1]) *isTwice = true, *twice = ids[i];
    return wb_okStatus;
}

// Below nextId, each only once, and of a fluid.
static wbStatus checkIds(const wbWorld *world, const wbIdRun *runs, int runCount, uint32_t *ids,
                         size_t count) {
    uint32_t least = UINT32_MAX, most = 0, twice;
    bool isTwice;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] < least) least = ids[i];
        if (ids[i] > most) most = ids[i];
    }
    if (most >= world->nextId)
        return wbError(wb_errorInput, "a particle has the id %u, given were those below %u", most,
                       world->nextId);
    WB_TRY(findTwice(world, ids, count, &isTwice, &twice));
    if (isTwice) return wbError(wb_errorInput, "two particles have the id %u", twice);
    if (runCount == 0 || runs[0].first > least)
        return wbError(wb_errorInput, "particle %u belongs to no fluid", least);
    return wb_okStatus;
}

static wbStatus checkIdRuns(const wbWorld *world, const wbIdRun *runs, int count) {
    for (int i = 0; i < count; i++) {
        if (runs[i].fluid >= (uint32_t)world->fluidIds.indexCount)
            return wbError(wb_errorInput, "particle %u belongs to fluid %u of %d", runs[i].first,
                           runs[i].fluid, world->fluidIds.indexCount);
        if (runs[i].first >= world->nextId || (i > 0 && runs[i].first <= runs[i - 1].first))
            return wbError(wb_errorInput, "run %d of ids starts with %u, which is not in order", i,
                           runs[i].first);
    }
    return wb_okStatus;
}

// What a file says of fluids and of ids, in an arena.
typedef struct Claim {
    wbIdRun *runs;
    uint32_t *ids;   // of all particles, liquid after liquid
    int64_t *counts; // of the particles of each fluid
    int runCount, fluidCount;
    size_t idCount;
    const char *fluids; // wbSavedFluid, which may lie anywhere
} Claim;

// As the values say that were loaded.
static int countSpareIdsOf(const wbParticleFluid *liquid) {
    return wbIsSized(liquid) ? liquid->method->getSpareIds(liquid)->count : 0;
}

static int64_t countSpareIds(const wbWorld *world) {
    int64_t count = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        count += countSpareIdsOf(l);
    return count;
}

static bool areOfOneFluid(const Claim *claim, wbIdSpan span) {
    if (claim->runCount == 0 || claim->runs[0].first > span.first) return false;
    const wbIdRun *run = wbFindIdRun(claim->runs, claim->runCount, span.first),
                  *last = wbFindIdRun(claim->runs, claim->runCount, span.first + span.count - 1);
    const uint32_t fluid = run->fluid;
    while (run < last && run->fluid == fluid) run++;
    return run->fluid == fluid;
}

// Ids of particles that were merged into others: as many as the values say, in spans of one fluid each.
static wbStatus readSpareIds(const wbParticleFluid *liquid, wbSectionList *list, const Claim *claim,
                             uint32_t *ids) {
    char name[WB_SECTION_NAME];
    wbStatus status = wb_okStatus;
    if (!wbIsSized(liquid)) return status;
    const wbSpareIds *spare = liquid->method->getSpareIds(liquid);
    snprintf(name, sizeof name, "%s." WB_SPARE_IDS, liquid->solver->kind->info.name);
    const char *bytes = wbFindSection(list, name, sizeof(wbIdSpan) * (size_t)spare->spanCount, &status);
    uint32_t left = (uint32_t)spare->count;
    int64_t from = 0;
    WB_TRY(status);
    for (int k = 0; k < spare->spanCount; k++) {
        wbIdSpan span;
        memcpy(&span, bytes + sizeof span * (size_t)k, sizeof span);
        if (span.first < from || span.count == 0 || span.count > left ||
            span.count > liquid->world->nextId - (int64_t)span.first || !areOfOneFluid(claim, span))
            return wbError(wb_errorInput, "span %d of spare ids, %u from %u on, is not possible", k,
                           span.count, span.first);
        for (uint32_t n = 0; n < span.count; n++) *ids++ = span.first + n;
        from = (int64_t)span.first + span.count, left -= span.count;
    }
    return left == 0 ? status
                     : wbError(wb_errorInput, "of %d spare ids %u are in no span", spare->count, left);
}

static wbStatus readClaim(wbSectionList *list, const wbWorld *world, Claim *claim) {
    wbArena *arena = world->work.arena;
    const wbSection *fluids, *runs;
    size_t fluidCount, runCount;
    WB_TRY(wbFindParts(list, "fluids", sizeof(wbSavedFluid), INT_MAX, &fluids, &fluidCount));
    WB_TRY(wbFindParts(list, "idRuns", sizeof(wbSavedIdRun), INT_MAX - 1024, &runs, &runCount));
    *claim = (Claim){.runCount = (int)runCount,
                     .fluidCount = (int)fluidCount,
                     .idCount = (size_t)(wbCountParticles(world) + countSpareIds(world)),
                     .fluids = fluids->data};
    claim->runs = wbArena_Alloc(arena, runCount * sizeof *claim->runs);
    claim->ids = wbArena_Alloc(arena, claim->idCount * sizeof *claim->ids);
    claim->counts = wbArena_Alloc(arena, fluidCount * sizeof *claim->counts);
    if (!claim->runs || !claim->ids || !claim->counts)
        return wbMemoryError(world->memory, "the ids of %zu particles need", claim->idCount);
    memset(claim->counts, 0, fluidCount * sizeof *claim->counts);
    for (size_t i = 0; i < runCount; i++) {
        wbSavedIdRun saved;
        memcpy(&saved, (const char *)runs->data + i * sizeof saved, sizeof saved);
        claim->runs[i] = (wbIdRun){saved.first, saved.fluid, 0};
    }
    return wb_okStatus;
}

// What was spawned and not removed is there, in the world and in each fluid.
static wbStatus checkCounts(const wbWorld *world, Claim *claim) {
    if (world->spawned != world->nextId)
        return wbError(wb_errorInput, "nextId is %u, but %lld particles were spawned", world->nextId,
                       (long long)world->spawned);
    if (world->spawned - world->removed != (int64_t)claim->idCount)
        return wbError(wb_errorInput, "%lld particles were spawned and %lld removed, but %zu are there",
                       (long long)world->spawned, (long long)world->removed, claim->idCount);
    for (size_t i = 0; i < claim->idCount; i++)
        claim->counts[wbFindIdRun(claim->runs, claim->runCount, claim->ids[i])->fluid]++;
    for (int f = 0; f < claim->fluidCount; f++) {
        wbSavedFluid saved;
        memcpy(&saved, claim->fluids + (size_t)f * sizeof saved, sizeof saved);
        if (saved.spawned < 0 || saved.removed < 0 || saved.spawned - saved.removed != claim->counts[f])
            return wbError(wb_errorInput,
                           "%lld particles of fluid \"%s\" were spawned and %lld removed, but %lld are there",
                           (long long)saved.spawned, saved.name, (long long)saved.removed,
                           (long long)claim->counts[f]);
    }
    return wb_okStatus;
}

static wbStatus checkClaim(wbSectionList *list, wbWorld *world) {
    Claim claim;
    size_t count = 0;
    WB_TRY(readClaim(list, world, &claim));
    WB_TRY(checkIdRuns(world, claim.runs, claim.runCount));
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        Columns columns;
        WB_TRY(findColumns(l, list, &columns));
        for (int i = 0; i < columns.count; i++) WB_TRY(checkParticle(world, &columns, i));
        if (columns.count > 0)
            memcpy(claim.ids + count, columns.bytes[wb_columnId], sizeof *claim.ids * (size_t)columns.count);
        count += (size_t)columns.count;
        WB_TRY(readSpareIds(l, list, &claim, claim.ids + count));
        count += (size_t)countSpareIdsOf(l);
    }
    if (count > 0) WB_TRY(checkIds(world, claim.runs, claim.runCount, claim.ids, count));
    return checkCounts(world, &claim);
}

wbStatus wbCheckParticles(wbSectionList *list, wbWorld *world) {
    const size_t mark = wbArena_Mark(world->work.arena);
    wbStatus status = checkClaim(list, world);
    wbArena_Release(world->work.arena, mark);
    return status;
}

wbStatus wbCheckLoaded(wbSectionList *list, wbWorld *world) {
    WB_TRY(checkNames(world));
    WB_TRY(wbCheckParticles(list, world));
    wbRecountIds(world);
    return wb_okStatus;
}
