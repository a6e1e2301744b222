// SPDX-License-Identifier: MIT
// What a world tells of itself: statistics, profile, hash.
#include <math.h>

#include "core/hash.h"
#include "core/status.h"
#include "pbd/pbd.h"
#include "pbd/pbf_depth.h"
#include "smoke/smoke.h"
#include "world/collider.h"

uint64_t wbWorld_Hash(wbWorld *world) {
    WB_REQUIRE(world);
    (void)wbPullState(world); // else the hash is that of the state that the world went back to
    wbColumn columns[WB_PARTICLE_COLUMNS];
    wbSavedValue values[WB_WORLD_VALUES];
    int valueCount = wbWorld_ListValues(world, values);
    uint64_t hash = WB_HASH_START;
    for (int v = 0; v < valueCount; v++)
        if (values[v].hashed) hash = wbHashBytes(hash, values[v].data, wbGetValueSize(values[v].type));
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) {
        if (!wbIsSolverSaved(world, (wbFluidSolver)s)) continue;
        wbParticles_ListColumns(world->pools[s].particles, columns);
        for (int c = 0; c < WB_SAVED_COLUMNS; c++)
            hash = wbHashBytes(hash, *columns[c].data, 4 * (size_t)world->pools[s].particles->count);
    }
    for (int i = 0; i < world->fluidIds.indexCount; i++) {
        const float *density = &((const wbFluid *)world->fluids.data)[i].restDensity;
        if (*density > 0) hash = wbHashBytes(hash, density, sizeof *density);
    }
    return wbHashAir(world, wbHashSoft(world, wbHashColliders(world, wbHashFlow(world, hash))));
}

static bool isBeyondSides(const wbBox *box, float x, float y, float z) {
    const float p[3] = {x, y, z};
    for (int s = 0; s < 6; s++)
        if (box->closed[s] && (s & 1 ? p[s / 2] > box->max[s / 2] : p[s / 2] < box->min[s / 2])) return true;
    return false;
}

// A hair is allowed: floats of positions are coarse, and colliders turn.
static bool isInCollider(const wbWorld *world, float spacing, float x, float y, float z) {
    return wbGetClearance(world, (float[3]){x, y, z}, 0) < -1e-3f * spacing;
}

// m: where potential energy is 0.
static double getGround(const wbWorld *world) {
    const wbBox *box = &world->sphModel.box;
    return box->closed[wb_bottom] ? box->min[1] : 0;
}

static void addParticles(const wbWorld *world, const wbPool *pool, wbStats *stats) {
    const wbParticles *p = pool->particles;
    const wbBox *box = &world->sphModel.box;
    const wbVec3 g = world->sphModel.gravity;
    const bool isMixed = wbIsMixed(pool);
    double ground = getGround(world), m = pool->mass;
    stats->mass += pool->mass * wbWeighPool(pool);
    for (int i = 0; i < p->count; i++) {
        if (isMixed) m = pool->mass * wbGetRelativeDensity(world, wbGetFluidOfId(world, p->id[i]));
        double vx = p->vx[i], vy = p->vy[i], vz = p->vz[i];
        stats->momentum[0] += m * vx, stats->momentum[1] += m * vy, stats->momentum[2] += m * vz;
        stats->kinetic += 0.5 * m * (vx * vx + vy * vy + vz * vz);
        stats->potential -= m * (g.x * (double)p->x[i] + g.y * (p->y[i] - ground) + g.z * (double)p->z[i]);
        double compression = fmax(0, p->density[i] / (double)pool->restDensity - 1);
        stats->densityErrorMean += compression / stats->particles;
        stats->densityErrorMax = fmax(stats->densityErrorMax, compression);
        stats->leaked += isBeyondSides(box, p->x[i], p->y[i], p->z[i]) ||
                         isInCollider(world, pool->spacing, p->x[i], p->y[i], p->z[i]);
    }
}

wbStats wbWorld_GetStats(wbWorld *world) {
    WB_REQUIRE(world);
    (void)wbPullState(world);
    wbStats stats = {.step = world->stepCount,
                     .time = world->time,
                     .particles = (int)wbCountParticles(world),
                     .spawned = world->spawned,
                     .removed = world->removed,
                     .leaked = wbCountSqueezed(world),
                     .held = wbCountHeld(world)};
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) addParticles(world, &world->pools[s], &stats);
    wbAddSoftStats(world, getGround(world), &stats);
    wbAddAirStats(world, &stats);
    return stats;
}

// A whole mix has them all, and smoke its colliders and what is far.
_Static_assert(wb_sphPhaseCount + wb_pbfPhaseCount + wb_pbdPhaseCount + wb_smokePhaseCount + 2 <=
                   WB_MAX_PHASES,
               "a profile has no room for all phases");

void wbAddPhase(wbProfile *profile, const char *name, double ms) {
    WB_ASSERT(profile->phaseCount < WB_MAX_PHASES, "a profile has no room for all phases");
    profile->phases[profile->phaseCount].name = name;
    profile->phases[profile->phaseCount++].ms = ms;
}

static void addPhases(wbProfile *profile, const char *const *names, const double *ms, int count) {
    for (int k = 0; k < count; k++) wbAddPhase(profile, names[k], ms[k]);
}

// Before the first step: what it takes, as things are.
static int countSubSteps(const wbWorld *world) {
    const wbPbf *pbf = &world->pbf;
    double head = 0;
    wbMixture mixture;
    if (pbf->subSteps > 0 || pbf->particles.count == 0) return pbf->subSteps;
    size_t scratch = wbArena_Mark(world->work.arena);
    wbStatus status = wbListMixture(world, &world->pools[wb_solverPbf], &mixture);
    if (wbIsOk(status))
        status = wbFindPbfHead(&pbf->particles, &mixture, &world->pbfModel, &world->work, &head);
    wbArena_Release(world->work.arena, scratch);
    if (!wbIsOk(status)) return 0;
    return wbPbfModel_CountSubSteps(&world->pbfModel, wbWorld_GetTimeStep(world), head,
                                    fmaxf(pbf->particles.maxSpeed, world->colliderSpeed));
}

wbProfile wbWorld_GetProfile(const wbWorld *world) {
    WB_REQUIRE(world);
    // phases of the second solver, where there are two
    static const char *const pbfNames[wb_pbfPhaseCount] = {
#define WB_PHASE(name) "pbf_" #name,
        WB_PBF_PHASES(WB_PHASE)
#undef WB_PHASE
    };
    const int subSteps = countSubSteps(world);
    wbMemoryUse use = wbGetMemoryUse(world->memory);
    wbProfile profile = {.stepMs = world->stepMs,
                         .pairs = world->sph.neighbours.pairs + world->pbf.neighbours.pairs,
                         .allocations = use.calls,
                         .bytes = use.bytes,
                         .peakBytes = use.peakBytes,
                         .dt = world->lastDt,
                         .subSteps = subSteps};
    bool isOfAir =
        world->air && world->fluidIds.indexCount == 0; // then there is no water, not even an empty one
    bool isSph = wbIsSolverUsed(world, wb_solverSph) && !isOfAir;
    if (isSph) addPhases(&profile, wb_sphPhaseNames, world->sph.ms, wb_sphPhaseCount);
    if (wbIsSolverUsed(world, wb_solverPbf))
        addPhases(&profile, isSph ? pbfNames : wb_pbfPhaseNames, world->pbf.ms, wb_pbfPhaseCount);
    wbAddSoftPhases(world, &profile);
    wbAddAirPhases(world, &profile);
    return profile;
}
