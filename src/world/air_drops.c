// SPDX-License-Identifier: MIT
// Drops in the air: particles of fluids that have hardly any others around them are dragged along by the wind, and the air of a grid loses
// what they get.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "coupling/drop.h"
#include "world/air.h"
#include "world/coupling.h"
#include "world/drops.h"

// Densities over that at rest: above the first a particle is water, below the second a drop. One that is alone has 0.35 in space, 0.45 in the
// plane, by its own kernel.
static const float waterFrom = 0.6f, dropTo = 0.46f;

bool wbAreDropsBlown(const wbWorld *world) {
    return world->def.coupling.airDensity > 0 && wbGetNextLiquid(world, NULL) &&
           wbGetPairMode(&world->def.coupling, wb_matterAir, wb_matterWater) == wb_pairBoth;
}

static wbDropAir makeDropAir(const wbWorld *world, float liquid) {
    const wbCouplingParams *p = &world->def.coupling;
    return (wbDropAir){p->airDensity, liquid, p->sprayDiameter};
}

float wbGetDropShare(const wbParticleFluid *liquid, int place) {
    const float density = liquid->particles->density[place] / liquid->restDensity;
    return fminf(fmaxf((waterFrom - density) / (waterFrom - dropTo), 0), 1);
}

// Particles that feel the wind, in their order.
typedef struct Drops {
    int *places;
    float *share;
    wbAirPoints points;
} Drops;

static wbStatus listDrops(const wbParticleFluid *liquid, Drops *drops) {
    const wbWorld *world = liquid->world;
    const wbParticles *p = liquid->particles;
    wbArena *arena = world->work.arena;
    int count = 0;
    drops->places = wbArena_Alloc(arena, sizeof(int) * (size_t)(p->count + 1));
    drops->share = wbArena_Alloc(arena, sizeof(float) * (size_t)(p->count + 1));
    const bool isAllocated = wbAirPoints_Allocate(&drops->points, arena, p->count, true);
    if (!drops->places || !drops->share || !isAllocated)
        return wbMemoryError(world->memory, "drops of %d particles in the wind need", p->count);
    for (int i = 0; i < p->count; i++) {
        const float share = wbGetDropShare(liquid, i);
        if (share > 0) drops->places[count] = i, drops->share[count++] = share;
    }
    drops->points.count = count;
    return wb_okStatus;
}

typedef struct Blow {
    const wbParticleFluid *liquid;
    const Drops *drops;
    wbDropAir air;
    wbVec3 fall; // m/s, half of what gravity gives in this time
    float dt;
    bool isMixed, isSized;
} Blow;

static float getMass(const Blow *blow, int i) {
    const wbParticleFluid *l = blow->liquid;
    double mass = l->mass;
    if (blow->isSized) mass *= wbGetUnits(l, i);
    if (blow->isMixed) mass *= wbGetRelativeDensity(l->world, wbGetFluidOfId(l->world, l->particles->id[i]));
    return (float)mass;
}

// Half of gravity's part before it, half after it.
static void blowOne(const Blow *blow, int k) {
    const wbParticles *p = blow->liquid->particles;
    const wbAirPoints *points = &blow->drops->points;
    const int i = blow->drops->places[k];
    float *const v[3] = {p->vx + i, p->vy + i, p->vz + i};
    const float mass = getMass(blow, i), fall[3] = {blow->fall.x, blow->fall.y, blow->fall.z};
    float u[3], speed2 = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = points->wind[a][k] - *v[a] - fall[a];
        if (a == 2 && blow->liquid->world->params.dimensions == 2) u[a] = 0;
        speed2 += u[a] * u[a];
    }
    const float strength = mass * blow->drops->share[k] * blow->dt * wbGetDropRate(&blow->air, sqrtf(speed2));
    const float share = strength / (1 + strength * (1 / mass + points->mobility[k]));
    for (int a = 0; a < 3; a++) {
        points->impulse[a][k] = share * u[a];
        *v[a] += share * u[a] / mass;
    }
}

static void blowRange(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int k = begin; k < end; k++) blowOne(context, k);
}

static void placeDrops(const wbParticleFluid *liquid, const Drops *drops) {
    const wbParticles *p = liquid->particles;
    const wbVec3 wind = liquid->world->def.coupling.wind;
    const float *const from[3] = {p->x, p->y, p->z}, known[3] = {wind.x, wind.y, wind.z};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < drops->points.count; k++) {
            drops->points.place[a][k] = from[a][drops->places[k]];
            drops->points.wind[a][k] = known[a];
        }
}

static void bookBlow(wbParticleFluid *liquid, const Drops *drops, float dt) {
    double fastest = 0;
    for (int k = 0; k < drops->points.count; k++) {
        double speed2 = 0;
        for (int a = 0; a < 3; a++) {
            liquid->blown[a] += (double)drops->points.impulse[a][k];
            speed2 += (double)drops->points.wind[a][k] * (double)drops->points.wind[a][k];
        }
        fastest = fmax(fastest, speed2);
    }
    liquid->particles->maxSpeed = fmaxf(liquid->particles->maxSpeed, (float)sqrt(fastest));
    wbBookPush(liquid, sqrt(fastest), dt);
}

static wbStatus blowLiquid(wbWorld *world, wbParticleFluid *liquid, float dt) {
    const size_t mark = wbArena_Mark(world->work.arena);
    const wbVec3 half = wbScale(0.5f * dt, world->domain.gravity);
    const wbDropAir air = makeDropAir(world, liquid->restDensity);
    wbDragAir grid;
    Drops drops;
    WB_TRY(listDrops(liquid, &drops));
    if (drops.points.count > 0) {
        const bool isComputed = wbGetAirTouch(world, wb_matterWater, &grid);
        const Blow blow = {liquid, &drops, air, half, dt, wbIsMixed(liquid), wbIsSized(liquid)};
        placeDrops(liquid, &drops);
        if (isComputed)
            WB_TRY(wbAirPoints_Read(&drops.points, grid.smoke, air.density, grid.shares, &world->work));
        wbParallelFor(world->work.pool, drops.points.count, WB_BLOCK, blowRange, (void *)&blow);
        if (isComputed) {
            wbAirPoints_Push(&drops.points, grid.smoke, air.density, &world->work);
            wbMarkAirPushed(world);
        }
        bookBlow(liquid, &drops, dt);
        wbMarkLiquidDirty(world, liquid);
    }
    wbArena_Release(world->work.arena, mark);
    return wb_okStatus;
}

// Where a device moves them, or the air, both are copied.
wbStatus wbPlanDrops(wbWorld *world) {
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        memset(l->blown, 0, sizeof l->blown);
    if (!wbAreDropsBlown(world)) return wb_okStatus;
    if (world->gpu && !world->isAirTold)
        wbLog(wb_logWarning,
              "fluids and the air meet on the cores: their state is copied from the device in each sub-step "
              "(coupling.airWater)");
    world->isAirTold |= world->gpu != NULL;
    return wbPullState(world);
}

wbStatus wbBlowLiquids(wbWorld *world, const wbSubStep *part) {
    if (!wbAreDropsBlown(world)) return wb_okStatus;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!wbIsIn(l->solver, part->group)) continue;
        WB_TRY(wbPullState(world));
        WB_TRY(blowLiquid(world, l, part->dt));
    }
    return wb_okStatus;
}

void wbBlowSpray(const float place[3], float velocity[3], float dt, const void *context) {
    const wbWorld *world = context;
    const wbVec3 wind = world->def.coupling.wind, g = world->domain.gravity;
    const double at[3] = {(double)place[0], (double)place[1], (double)place[2]};
    const float half[3] = {0.5f * dt * g.x, 0.5f * dt * g.y, 0.5f * dt * g.z};
    const wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
    const wbDropAir air = makeDropAir(world, liquid ? liquid->restDensity : 1000);
    float u[3] = {wind.x, wind.y, wind.z}, speed2 = 0;
    if (wbGetAir(world)) wbReadVelocity(&wbGetAir(world)->smoke, at, u);
    for (int a = 0; a < 3; a++) {
        u[a] -= velocity[a] + half[a];
        speed2 += u[a] * u[a];
    }
    const float rate = dt * wbGetDropRate(&air, sqrtf(speed2));
    for (int a = 0; a < 3; a++) velocity[a] += 2 * half[a] + rate / (1 + rate) * u[a];
}
