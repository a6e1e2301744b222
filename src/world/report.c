// SPDX-License-Identifier: MIT
// What a world tells of itself: statistics, profile, hash.
#include <math.h>

#include "core/hash.h"
#include "world/solid.h"

uint64_t wbWorld_Hash(wbWorld *world) {
    (void)wbPullState(world); // else the hash is that of the state that the world went back to
    wbColumn columns[WB_SPH_COLUMNS];
    wbSavedValue values[WB_WORLD_VALUES];
    wbSph_ListColumns(&world->sph, columns);
    wbWorld_ListValues(world, values);
    uint64_t hash = WB_HASH_START;
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        if (values[v].hashed) hash = wbHashBytes(hash, values[v].data, wbGetValueSize(values[v].type));
    for (int c = 0; c < WB_SPH_COLUMNS; c++)
        if (columns[c].saved)
            hash = wbHashBytes(hash, *columns[c].data,
                               (size_t)columns[c].elementSize * (size_t)world->sph.count);
    return wbHashSoft(world, wbHashSolids(world, wbHashFlow(world, hash)));
}

static bool isBeyondWalls(const wbBox *box, float x, float y, float z) {
    const float p[3] = {x, y, z};
    for (int s = 0; s < 6; s++)
        if (box->closed[s] && (s & 1 ? p[s / 2] > box->max[s / 2] : p[s / 2] < box->min[s / 2])) return true;
    return false;
}

// A hair is allowed: floats of positions are coarse, and solids turn.
static bool isInSolid(const wbWorld *world, float x, float y, float z) {
    const float p[3] = {x, y, z}, hair = 1e-3f * world->sphModel.spacing;
    return wbGetClearance(world, p, 0) < -hair;
}

wbStats wbWorld_GetStats(wbWorld *world) {
    (void)wbPullState(world);
    const wbSph *sph = &world->sph;
    const wbSphModel *model = &world->sphModel;
    const wbVec3 g = model->gravity;
    double ground = model->box.closed[wb_bottom] ? model->box.min[1] : 0, m = model->mass;
    wbStats stats = {.step = world->stepCount,
                     .time = world->time,
                     .particles = sph->count,
                     .mass = m * sph->count,
                     .spawned = world->spawned,
                     .removed = world->removed,
                     .leaked = wbCountSqueezed(world)};
    for (int i = 0; i < sph->count; i++) {
        double vx = sph->vx[i], vy = sph->vy[i], vz = sph->vz[i];
        stats.momentum[0] += m * vx, stats.momentum[1] += m * vy, stats.momentum[2] += m * vz;
        stats.kinetic += 0.5 * m * (vx * vx + vy * vy + vz * vz);
        stats.potential -=
            m * (g.x * (double)sph->x[i] + g.y * (sph->y[i] - ground) + g.z * (double)sph->z[i]);
        double compression = fmax(0, sph->density[i] / (double)model->params.restDensity - 1);
        stats.densityErrorMean += compression / sph->count;
        stats.densityErrorMax = fmax(stats.densityErrorMax, compression);
        stats.leaked += isBeyondWalls(&model->box, sph->x[i], sph->y[i], sph->z[i]) ||
                        isInSolid(world, sph->x[i], sph->y[i], sph->z[i]);
    }
    wbAddSoftStats(world, ground, &stats);
    return stats;
}

wbProfile wbWorld_GetProfile(const wbWorld *world) {
    wbMemoryUse use = wbGetMemoryUse(world->memory);
    wbProfile profile = {.stepMs = world->stepMs,
                         .pairs = world->sph.neighbours.pairs,
                         .allocations = use.calls,
                         .bytes = use.bytes,
                         .peakBytes = use.peakBytes,
                         .dt = world->lastDt};
    bool hasWater = wbWorld_GetFluidCount(world) > 0 || wbWorld_GetSolidCount(world) == 0;
    for (int k = 0; k < wb_sphPhaseCount && hasWater; k++, profile.phaseCount++)
        profile.phases[k].name = wb_sphPhaseNames[k], profile.phases[k].ms = world->sph.ms[k];
    wbAddSoftPhases(world, &profile);
    return profile;
}
