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

static wbStatus checkParticle(const wbWorld *world, int i) {
    const wbSph *sph = &world->sph;
    const wbBox *box = &world->sphModel.box;
    const float p[3] = {sph->x[i], sph->y[i], sph->z[i]}, v[3] = {sph->vx[i], sph->vy[i], sph->vz[i]};
    uint32_t id = sph->id[i];
    for (int a = 0; a < 3; a++) {
        if (!isFinite(p[a]) || !isFinite(v[a]))
            return wbError(wb_errorInput, "position or velocity of particle %u is not finite", id);
        if (a >= world->params.dimensions && (p[a] != 0 || v[a] != 0))
            return wbError(wb_errorInput, "particle %u is not in the plane of a 2D world", id);
        if ((box->closed[2 * a] && p[a] < box->min[a]) || (box->closed[2 * a + 1] && p[a] > box->max[a]))
            return wbError(wb_errorInput,
                           "particle %u: coordinate %c is %g, beyond the closed sides %g to %g", id, "xyz"[a],
                           p[a], box -> min[a], box -> max[a]);
    }
    if (!isFinite(sph->density[i]) || !(sph->density[i] > 0) || !isFinite(sph->pressure[i]))
        return wbError(wb_errorInput, "density or pressure of particle %u is not possible", id);
    return wb_okStatus;
}

// Below nextId and each only once; `taken` has a bit per id.
static wbStatus checkId(const wbWorld *world, uint32_t id, uint8_t *taken) {
    if (id >= world->nextId)
        return wbError(wb_errorInput, "a particle has the id %u, given were those below %u", id,
                       world->nextId);
    uint8_t bit = (uint8_t)(1u << id % 8);
    if (taken[id / 8] & bit) return wbError(wb_errorInput, "two particles have the id %u", id);
    taken[id / 8] |= bit;
    return wb_okStatus;
}

static wbStatus checkParticles(wbWorld *world, uint8_t *taken) {
    const uint32_t *fluidOfId = world->fluidOfId.data;
    for (uint32_t id = 0; id < world->nextId; id++)
        if (fluidOfId[id] >= (uint32_t)world->fluidIds.indexCount)
            return wbError(wb_errorInput, "particle %u belongs to fluid %u of %d", id, fluidOfId[id],
                           world->fluidIds.indexCount);
    for (int i = 0; i < world->sph.count; i++) {
        uint32_t id = world->sph.id[i];
        WB_TRY(checkId(world, id, taken));
        WB_TRY(checkParticle(world, i));
        ((wbFluid *)world->fluids.data)[fluidOfId[id]].particleCount++;
    }
    return wb_okStatus;
}

wbStatus wbCheckLoaded(wbWorld *world) {
    WB_TRY(checkNames(world));
    size_t bytes = world->nextId / 8 + 1;
    uint8_t *taken = wbAllocZero(world->memory, bytes);
    if (!taken) return wbMemoryError(world->memory, "the ids of %u particles need", world->nextId);
    wbStatus status = checkParticles(world, taken);
    wbFree(world->memory, taken, bytes);
    return status;
}
