// SPDX-License-Identifier: MIT
// Water and soft bodies of volume as obstacles in the air of a grid, and what its pressure does to them.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "smoke/smoke_walls.h"
#include "world/air.h"
#include "world/coupling.h"
#include "world/soft.h"

// Of the wind along a surface of water: Large and Pond 1981.
static const float waterShear = 1.2e-3f;

static wbPairMode getMode(const wbWorld *world, wbMatter matter) {
    return world->def.coupling.airDensity > 0 ? wbGetPairMode(&world->def.coupling, wb_matterAir, matter)
                                              : wb_pairOff;
}

bool wbIsAirFillWanted(const wbWorld *world) {
    return getMode(world, wb_matterWater) != wb_pairOff || getMode(world, wb_matterSoft) != wb_pairOff;
}

bool wbIsAirPushed(const wbWorld *world) {
    return wbGetAir(world) &&
           (getMode(world, wb_matterWater) == wb_pairBoth || getMode(world, wb_matterSoft) == wb_pairBoth);
}

bool wbGetAirTouch(wbWorld *world, wbMatter matter, wbDragAir *air) {
    if (!wbGetAir(world)) return false;
    *air =
        (wbDragAir){&wbGetAir(world)->smoke, &wbGetAir(world)->shares, getMode(world, matter) == wb_pairBoth};
    return true;
}

// What pushes the air beside a side pushes the side: none of the air goes through it.
void wbMarkAirPushed(wbWorld *world) {
    wbSolver *solver = &world->solvers[wb_solverIndex_smoke];
    wbAir *air = solver->self;
    for (int j = 0; j <= air->smoke.grid.ny; j++)
        wbCloseSides(&air->smoke.grid, air->model.open, air->smoke.fields, j);
    if (solver->device) solver->kind->device->markDirty(solver);
}

wbStatus wbFitAirFill(wbWorld *world) {
    wbAir *air = wbGetAir(world);
    if (!wbIsAirFillWanted(world) || wbIsFollowing(air)) {
        if (air->fill.cellCount > 0) air->areCollidersStale = true;
        wbAirFill_Free(world->memory, &air->fill);
        return wb_okStatus;
    }
    return air->fill.cellCount > 0 ? wb_okStatus
                                   : wbAirFill_Open(&air->fill, world->memory, &air->smoke.grid);
}

// What fills cells

static bool isVolume(wbSoftBodyShape shape) {
    return shape == wb_softBodyCube || shape == wb_softBodySphere || shape == wb_softBodyGrid ||
           shape == wb_softBodyMeshVolume || shape == wb_softBodyRandom;
}

// m3, of each of its particles; 0: it is not known.
static float getSoftVolume(const wbSoftBody *body) {
    const wbSoftBodyParams *p = &body->params;
    const float count = (float)body->particles.count;
    if (!isVolume(p->shape)) return 0;
    if (p->density > 0) return body->particleMass / p->density;
    switch (p->shape) {
    case wb_softBodyCube:
        return p->size.x * p->size.y * p->size.z / count;
    case wb_softBodySphere:
        return 4.18879f * p->radius * p->radius * p->radius / count;
    case wb_softBodyGrid:
        return p->spacing * p->spacing * p->spacing;
    default:
        return 0;
    }
}

static int countSoftSets(const wbWorld *world) {
    int count = 0;
    if (!wbGetSoft(world) || getMode(world, wb_matterSoft) == wb_pairOff || world->params.dimensions == 2)
        return 0;
    for (int i = 0; i < world->softBodyIds.indexCount; i++)
        count += getSoftVolume(wbGetSoftBodyAt(world, i)) > 0;
    return count;
}

static int countLiquids(const wbWorld *world) {
    int count = 0;
    if (getMode(world, wb_matterWater) == wb_pairOff) return 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) count++;
    return count;
}

static bool hasOwnMasses(const wbParticleFluid *liquid) { return wbIsMixed(liquid) || wbIsSized(liquid); }

static void weighParticles(const wbParticleFluid *liquid, float *volumes, float *masses) {
    const wbWorld *world = liquid->world;
    const double volume = pow((double)liquid->spacing, world->params.dimensions);
    const bool isMixed = wbIsMixed(liquid), isSized = wbIsSized(liquid);
    for (int i = 0; i < liquid->particles->count; i++) {
        const double units = isSized ? wbGetUnits(liquid, i) : 1;
        const double relative =
            isMixed ? wbGetRelativeDensity(world, wbGetFluidOfId(world, liquid->particles->id[i])) : 1;
        volumes[i] = (float)(volume * units);
        masses[i] = (float)(liquid->mass * units * relative);
    }
}

static wbStatus describeLiquid(const wbParticleFluid *liquid, wbAirFillers *set) {
    const wbWorld *world = liquid->world;
    const wbParticles *p = liquid->particles;
    *set = (wbAirFillers){.count = p->count,
                          .place = {p->x, p->y, p->z},
                          .velocity = {p->vx, p->vy, p->vz},
                          .allVolume = (float)pow((double)liquid->spacing, world->params.dimensions),
                          .allMass = (float)liquid->mass,
                          .allEdge = liquid->spacing,
                          .isPushed = getMode(world, wb_matterWater) == wb_pairBoth};
    WB_TRY(wbListWater(world, liquid, set));
    if (!hasOwnMasses(liquid)) return wb_okStatus;
    float *volumes = wbArena_Alloc(world->work.arena, sizeof(float[2]) * (size_t)(p->count + 1));
    if (!volumes) return wbMemoryError(world->memory, "%d particles in the air need", p->count);
    weighParticles(liquid, volumes, volumes + p->count);
    set->volume = volumes, set->mass = volumes + p->count;
    return wb_okStatus;
}

static void describeSoft(const wbWorld *world, const wbSoftBody *body, wbAirFillers *set) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const int first = body->particles.first;
    *set = (wbAirFillers){.count = body->particles.count,
                          .place = {pbd->x + first, pbd->y + first, pbd->z + first},
                          .velocity = {pbd->vx + first, pbd->vy + first, pbd->vz + first},
                          .allVolume = getSoftVolume(body),
                          .allMass = body->particleMass,
                          .allEdge = wbGetFillEdge(3, getSoftVolume(body)),
                          .weight = pbd->w + first,
                          .isPushed = getMode(world, wb_matterSoft) == wb_pairBoth};
}

// Liquids, then soft bodies.
static wbStatus listSets(const wbWorld *world, wbAirFillers **sets, int *liquids, int *count) {
    const int softs = countSoftSets(world);
    *liquids = *count = 0;
    *sets = wbArena_Alloc(world->work.arena, sizeof **sets * (size_t)(countLiquids(world) + softs + 1));
    if (!*sets) return wbMemoryError(world->memory, "what fills cells of the air needs");
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && countLiquids(world) > 0;
         l = wbGetNextLiquid(world, l))
        WB_TRY(describeLiquid(l, &(*sets)[(*count)++]));
    *liquids = *count;
    for (int i = 0; i < world->softBodyIds.indexCount && softs > 0; i++)
        if (getSoftVolume(wbGetSoftBodyAt(world, i)) > 0)
            describeSoft(world, wbGetSoftBodyAt(world, i), &(*sets)[(*count)++]);
    return wb_okStatus;
}

size_t wbGetAirFillBytes(const wbWorld *world) {
    enum { SMALL = 4096 };
    size_t bytes = SMALL + sizeof(int64_t) * (size_t)(world->fluidIds.indexCount + 1);
    if (wbGetAir(world)->fill.cellCount == 0) return 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        bytes += sizeof(float[5]) * (size_t)(l->particles->count + 1) + sizeof(wbAirFillers) + 256;
    if (wbGetSoft(world))
        bytes += sizeof(float) * (size_t)wbGetSoft(world)->pbd.count +
                 sizeof(wbAirFillers) * (size_t)world->softBodyIds.indexCount;
    return bytes;
}

wbStatus wbFillAir(wbWorld *world) {
    wbAir *air = wbGetAir(world);
    const size_t mark = wbArena_Mark(world->work.arena);
    wbAirFillers *sets;
    int liquids, count;
    if (air->fill.cellCount == 0) return wb_okStatus;
    WB_TRY(wbPullState(world));
    WB_TRY(listSets(world, &sets, &liquids, &count));
    wbAirFill_Find(&air->fill, &world->work, sets, count);
    wbArena_Release(world->work.arena, mark);
    return wb_okStatus;
}

bool wbIsAirFilled(const wbWorld *world) {
    return wbGetAir(world)->fill.cellCount > 0 && countLiquids(world) + countSoftSets(world) > 0;
}

void wbMarkFilled(const wbAirFill *fill, uint16_t mark, uint16_t *mask) {
    const uint8_t *filled = fill->filled.data;
    for (int c = 0; c < fill->cellCount; c++)
        if (filled[c] && mask[c] == 0) mask[c] = mark;
}

// What the air has done

static void kickLiquids(wbWorld *world, const wbAirFillers *sets, int liquids, float dt) {
    const wbAir *air = wbGetAir(world);
    wbParticleFluid *l = NULL;
    for (int s = 0; s < liquids; s++) {
        l = wbGetNextLiquid(world, l);
        if (!sets[s].isPushed) continue;
        const float speed = wbAirFill_Kick(&air->fill, &world->work, &sets[s], l->blown);
        l->particles->maxSpeed = fmaxf(l->particles->maxSpeed, speed);
        wbBookPush(l, (double)air->smoke.maxSpeed, dt);
        wbMarkLiquidDirty(world, l);
    }
}

static void kickSofts(wbWorld *world, const wbAirFillers *sets, int count) {
    wbSolver *solver = &world->solvers[wb_solverIndex_pbd];
    for (int s = 0; s < count; s++) {
        if (!sets[s].isPushed) continue;
        (void)wbAirFill_Kick(&wbGetAir(world)->fill, &world->work, &sets[s], wbGetSoft(world)->air.given);
        wbGetSoft(world)->account.isDriven = true;
        if (solver->device) solver->kind->device->markDirty(solver);
    }
}

wbStatus wbMeetFilled(wbWorld *world, float dt) {
    const size_t mark = wbArena_Mark(world->work.arena);
    wbAirFillers *sets;
    int liquids, count;
    wbGetAir(world)->smoke.expansion = NULL;
    if (!wbIsAirFilled(world) || world->solvers[wb_solverIndex_smoke].device) return wb_okStatus;
    WB_TRY(wbPullState(world)); // liquids that a device computes
    WB_TRY(listSets(world, &sets, &liquids, &count));
    wbExchangeAirHeat(world, sets, dt);
    wbArena_Release(world->work.arena, mark);
    return wb_okStatus;
}

wbStatus wbPressFilled(wbWorld *world, float dt) {
    wbAir *air = wbGetAir(world);
    wbAirFillers *sets;
    int liquids, count;
    if (!wbIsAirFilled(world) || !wbIsAirPushed(world)) return wb_okStatus;
    WB_TRY(wbPullState(world));
    WB_TRY(listSets(world, &sets, &liquids, &count));
    const wbAirOver over = {&air->smoke, air->mask, air->fillMark, world->def.coupling.airDensity,
                            waterShear,  dt};
    wbAirFill_Press(&air->fill, &over);
    kickLiquids(world, sets, liquids, dt);
    kickSofts(world, sets + liquids, count - liquids);
    wbMarkAirPushed(world);
    wbArena_Release(world->work.arena, 0);
    return wb_okStatus;
}
