// SPDX-License-Identifier: MIT
// What a file says of fluids and particles is believed only as far as it can be a world's state.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
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

static wbStatus checkParticle(const wbWorld *world, const wbParticles *all, int i) {
    const wbDomain *domain = &world->domain;
    const float p[3] = {all->x[i], all->y[i], all->z[i]}, v[3] = {all->vx[i], all->vy[i], all->vz[i]};
    uint32_t id = all->id[i];
    for (int a = 0; a < 3; a++) {
        if (!isFinite(p[a]) || !isFinite(v[a]))
            return wbError(wb_errorInput, "position or velocity of particle %u is not finite", id);
        if (a >= world->params.dimensions && (p[a] != 0 || v[a] != 0))
            return wbError(wb_errorInput, "particle %u is not in the plane of a 2D world", id);
        if ((domain->closed[2 * a] && p[a] < domain->min[a]) ||
            (domain->closed[2 * a + 1] && p[a] > domain->max[a]))
            return wbError(wb_errorInput,
                           "particle %u: coordinate %c is %g, beyond the closed sides %g to %g", id, "xyz"[a],
                           p[a], domain -> min[a], domain -> max[a]);
    }
    if (!isFinite(all->density[i]) || !(all->density[i] > 0) || !isFinite(all->pressure[i]))
        return wbError(wb_errorInput, "density or pressure of particle %u is not possible", id);
    return wb_okStatus;
}

static int compareIds(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return one < two ? -1 : one > two;
}

// Below nextId and each only once; `ids` is scratch for all of them.
static wbStatus checkIds(const wbWorld *world, uint32_t *ids) {
    size_t count = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        const wbParticles *all = l->particles;
        if (all->count > 0) memcpy(ids + count, all->id, (size_t)all->count * sizeof *ids);
        count += (size_t)all->count;
    }
    qsort(ids, count, sizeof *ids, compareIds);
    if (ids[count - 1] >= world->nextId)
        return wbError(wb_errorInput, "a particle has the id %u, given were those below %u", ids[count - 1],
                       world->nextId);
    for (size_t i = 1; i < count; i++)
        if (ids[i] == ids[i - 1]) return wbError(wb_errorInput, "two particles have the id %u", ids[i]);
    const wbIdRun *runs = world->idRuns.data;
    if (world->idRunCount == 0 || runs[0].first > ids[0])
        return wbError(wb_errorInput, "particle %u belongs to no fluid", ids[0]);
    return wb_okStatus;
}

static wbStatus checkIdRuns(const wbWorld *world) {
    const wbIdRun *runs = world->idRuns.data;
    for (int i = 0; i < world->idRunCount; i++) {
        if (runs[i].fluid >= (uint32_t)world->fluidIds.indexCount)
            return wbError(wb_errorInput, "particle %u belongs to fluid %u of %d", runs[i].first,
                           runs[i].fluid, world->fluidIds.indexCount);
        if (runs[i].first >= world->nextId || (i > 0 && runs[i].first <= runs[i - 1].first))
            return wbError(wb_errorInput, "run %d of ids starts with %u, which is not in order", i,
                           runs[i].first);
    }
    return wb_okStatus;
}

// What was spawned and not removed is there, in the world and in each fluid.
static wbStatus checkCounts(const wbWorld *world) {
    const wbFluid *fluids = world->fluids.data;
    if (world->spawned != world->nextId)
        return wbError(wb_errorInput, "nextId is %u, but %lld particles were spawned", world->nextId,
                       (long long)world->spawned);
    if (world->spawned - world->removed != wbCountParticles(world))
        return wbError(wb_errorInput, "%lld particles were spawned and %lld removed, but %lld are there",
                       (long long)world->spawned, (long long)world->removed,
                       (long long)wbCountParticles(world));
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        if (fluids[i].spawned - fluids[i].removed != fluids[i].particleCount)
            return wbError(wb_errorInput,
                           "%lld particles of fluid \"%s\" were spawned and %lld removed, but %d are there",
                           (long long)fluids[i].spawned, fluids[i].name, (long long)fluids[i].removed,
                           fluids[i].particleCount);
    return wb_okStatus;
}

static wbStatus checkParticles(wbWorld *world) {
    size_t count = (size_t)wbCountParticles(world), bytes = sizeof(uint32_t) * count;
    if (bytes == 0) return wb_okStatus;
    uint32_t *ids = wbAlloc(world->memory, bytes);
    if (!ids) return wbMemoryError(world->memory, "the ids of %zu particles need", count);
    wbStatus status = checkIds(world, ids);
    wbFree(world->memory, ids, bytes);
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        const wbParticles *all = l->particles;
        for (int i = 0; i < all->count && wbIsOk(status); i++) status = checkParticle(world, all, i);
    }
    return status;
}

wbStatus wbCheckLoaded(wbWorld *world) {
    WB_TRY(checkNames(world));
    WB_TRY(checkIdRuns(world));
    WB_TRY(checkParticles(world));
    wbRecountIds(world);
    return checkCounts(world);
}
