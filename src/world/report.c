// SPDX-License-Identifier: MIT
// What a world tells of itself: statistics, profile, hash.
#include <math.h>

#include "core/hash.h"
#include "core/status.h"
#include "world/collider.h"
#include "world/grab.h"
#include "world/query.h"

uint64_t wbWorld_Hash(wbWorld *world) {
    WB_REQUIRE(world);
    (void)wbPullState(world); // else the hash is that of the state that the world went back to
    wbSavedValue values[WB_WORLD_VALUES];
    wbWorld_ListValues(world, values);
    uint64_t hash = WB_HASH_START;
    for (int v = 0; v < WB_WORLD_VALUES; v++)
        if (values[v].hashed) hash = wbHashBytes(hash, values[v].data, wbGetValueSize(values[v].type));
    hash = wbHashBytes(hash, &world->domain.min, sizeof world->domain.min);
    hash = wbHashBytes(hash, &world->domain.max, sizeof world->domain.max);
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) hash = wbSolver_Hash(s, hash);
    for (int i = 0; i < world->fluidIds.indexCount; i++) {
        const float *density = &((const wbFluid *)world->fluids.data)[i].restDensity;
        if (*density > 0) hash = wbHashBytes(hash, density, sizeof *density);
    }
    return wbHashGrabs(world, wbHashColliders(world, wbHashFlow(world, hash)));
}

// m: where potential energy is 0.
static double getGround(const wbWorld *world) {
    const wbDomain *domain = &world->domain;
    return domain->closed[wb_bottom] ? domain->min[1] : 0;
}

static void addRadius(wbStats *stats, double radius) {
    stats->smallestRadius = stats->largestRadius > 0 ? fmin(stats->smallestRadius, radius) : radius;
    stats->largestRadius = fmax(stats->largestRadius, radius);
}

void wbAddFluidStats(const wbSolver *solver, double ground, wbStats *stats) {
    const wbWorld *world = solver->world;
    const wbParticleFluid *liquid = solver->liquid;
    const wbParticles *p = liquid->particles;
    const wbDomain *domain = &world->domain;
    const wbVec3 g = world->domain.gravity;
    const bool isMixed = wbIsMixed(liquid);
    const bool isSized = wbIsSized(liquid);
    double m = liquid->mass, units = 1;
    const double allUnits = (double)(world->spawned - world->removed);
    stats->mass += liquid->mass * wbWeighLiquid(liquid);
    for (int a = 0; a < 3; a++) stats->airWater[a] += liquid->blown[a];
    // A hair is allowed: floats of positions are coarse, and colliders turn.
    const float hair = 1e-3f * liquid->spacing, reach = 4 * liquid->spacing;
    wbClearings known = {0};
    for (int i = 0; i < p->count; i++) {
        const float position[3] = {p->x[i], p->y[i], p->z[i]};
        if (isSized) units = wbGetUnits(liquid, i), m = liquid->mass * units;
        if (isMixed) m = liquid->mass * units * wbGetRelativeDensity(world, wbGetFluidOfId(world, p->id[i]));
        double vx = p->vx[i], vy = p->vy[i], vz = p->vz[i];
        stats->momentum[0] += m * vx, stats->momentum[1] += m * vy, stats->momentum[2] += m * vz;
        stats->kinetic += 0.5 * m * (vx * vx + vy * vy + vz * vz);
        stats->potential -= m * (g.x * (double)p->x[i] + g.y * (p->y[i] - ground) + g.z * (double)p->z[i]);
        double compression = fmax(0, p->density[i] / (double)liquid->restDensity - 1);
        // densities of the particles are of the solver's rest density, whatever that of their fluid is
        const double density = p->density[i] * (isMixed ? m / (liquid->mass * units) : 1);
        stats->maxSpeed = fmax(stats->maxSpeed, sqrt(vx * vx + vy * vy + vz * vz));
        stats->densityMean += units * density / allUnits;
        stats->densityMax = fmax(stats->densityMax, density);
        addRadius(stats, wbGetRadiusOf(liquid, units));
        stats->densityErrorMean += units * compression / allUnits;
        stats->densityErrorMax = fmax(stats->densityErrorMax, compression);
        stats->leaked +=
            wbDomain_IsBeyond(domain, position, 0) || wbIsInCollider(world, &known, position, hair, reach);
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
                     .leaked = wbCountCollisions(world).lost,
                     .held = wbCountHeld(world),
                     .divergence = NAN};
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) s->kind->addStats(s, getGround(world), &stats);
    wbAddGuideStats(world, &stats);
    stats.overlap = wbCountOverlaps(world);
    return stats;
}

void wbAddPhase(wbProfile *profile, const char *name, double ms) {
    WB_ASSERT(profile->phaseCount < WB_MAX_PHASES, "a profile has no room for all phases");
    profile->phases[profile->phaseCount].name = name;
    profile->phases[profile->phaseCount++].ms = ms;
}

void wbAddPhases(wbProfile *profile, const char *const *names, const double *ms, int count) {
    for (int k = 0; k < count; k++) wbAddPhase(profile, names[k], ms[k]);
}

// Its phases are those of the last sub-step; their times are of all.
static void addSolver(const wbSolver *solver, wbProfile *profile) {
    const int first = profile->phaseCount;
    solver->kind->addProfile(solver, profile);
    for (int k = first; k < profile->phaseCount && solver->done > 0; k++)
        profile->phases[k].ms = solver->ms[k - first];
    profile->solvers[profile->solverCount].name = solver->kind->info.name;
    profile->solvers[profile->solverCount++].subSteps = solver->done;
}

wbProfile wbWorld_GetProfile(const wbWorld *world) {
    WB_REQUIRE(world);
    wbMemoryUse use = wbGetMemoryUse(world->memory);
    wbProfile profile = {.stepMs = world->stepMs,
                         .allocations = use.calls,
                         .bytes = use.bytes,
                         .peakBytes = use.peakBytes,
                         .dt = world->lastDt};
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        if (s->self) addSolver(s, &profile);
    return profile;
}

int wbListFluidDerived(const wbSolver *solver, wbDerived rows[WB_MAX_DERIVED]) {
    const wbParticleFluid *liquid = solver->liquid;
    const char *section = solver->kind->info.name;
    wbProfile profile = {0};
    int count = 0;
    solver->kind->addProfile(solver, &profile);
    rows[count++] = (wbDerived){section, "support radius", "m", "how far a particle sees", liquid->h};
    rows[count++] =
        (wbDerived){section, "mass of a particle", "kg", "of the smallest, where sizes differ", liquid->mass};
    rows[count++] = (wbDerived){section, "stable step", "s", "the longest sub-step as things are",
                                solver->kind->getStableStep(solver, false)};
    rows[count++] = (wbDerived){section, "pairs of neighbours", "", "that the last sub-step summed over",
                                (double)profile.pairs};
    if (liquid->particles->count > 0)
        rows[count++] = (wbDerived){section, "neighbours", "", "of a particle, in the mean",
                                    (double)profile.pairs / liquid->particles->count};
    return count;
}

wbStatus wbWorld_GetDerived(wbWorld *world, wbDerived *rows, int capacity, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (rows || capacity == 0), "there is no room for derived values");
    WB_TRY(wbPullState(world));
    wbDerived own[WB_MAX_DERIVED] = {
        {"world", "step", "s", "of the next step", wbWorld_GetTimeStep(world)},
        {"world", "stable step", "s", "the longest that all solvers allow", wbWorld_GetStableStep(world)},
        {"world", "threads", "", "that compute", wbWorld_GetThreadCount(world)}};
    int found = 3;
    *count = 0;
    for (const wbSolver *s = world->solvers; s <= world->solvers + WB_SOLVER_COUNT; s++) {
        for (int i = 0; i < found; i++, ++*count)
            if (*count < capacity) rows[*count] = own[i];
        found = 0;
        if (s < world->solvers + WB_SOLVER_COUNT && s->self && s->kind->listDerived)
            found = s->kind->listDerived(s, own);
    }
    return wb_okStatus;
}

wbStatus wbWorld_GetTransfers(wbWorld *world, wbTransfer *transfers, int capacity, int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (transfers || capacity == 0), "there is no room for transfers");
    WB_TRY(wbPullState(world));
    *count = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!wbIsSized(l) || !l->method->getTransfer) continue;
        wbTransfer transfer;
        for (int i = 0; i < l->particles->count; i++) {
            if (!l->method->getTransfer(l, i, &transfer)) continue;
            if (*count < capacity) transfers[*count] = transfer;
            ++*count;
        }
    }
    return wb_okStatus;
}
