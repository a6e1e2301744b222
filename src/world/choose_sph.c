// SPDX-License-Identifier: MIT
// The parameter of SPH that a world chooses by the water that it holds.
#include <math.h>

#include "core/status.h"
#include "world/flow.h"
#include "world/solver_sph.h"

// What the water can do by its place and speed, per kg: m2/s2. Each part is the greatest of all.
typedef struct Reach {
    double energy;  // v2/2 - g·x
    double fall[3]; // g x along an axis: how far down water is or starts
    bool isAny;
} Reach;

static void addPoint(Reach *reach, const double g[3], const float p[3], double speed2) {
    double energy = 0.5 * speed2;
    for (int a = 0; a < 3; a++) {
        double fall = g[a] * (double)p[a];
        reach->fall[a] = reach->isAny ? fmax(reach->fall[a], fall) : fall;
        energy -= fall;
    }
    reach->energy = reach->isAny ? fmax(reach->energy, energy) : energy;
    reach->isAny = true;
}

// A disc by the highest point of its ball, a block by the corner that lies highest.
static void addEmitter(Reach *reach, const double g[3], const wbEmitterParams *params) {
    const float *min = &params->min.x, *max = &params->max.x, *centre = &params->position.x;
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    float p[3];
    for (int a = 0; a < 3; a++) {
        double up = length > 0 ? -g[a] / length : 0;
        p[a] = params->kind == wb_emitterBlock ? (g[a] > 0 ? min[a] : max[a])
                                               : centre[a] + (float)(up * params->radius);
    }
    addPoint(reach, g, p, (double)params->velocity * params->velocity);
}

static Reach findReach(const wbSolver *solver, const double g[3]) {
    const wbWorld *world = solver->world;
    const wbParticles *water = solver->liquid ? solver->liquid->particles : NULL;
    Reach reach = {0};
    for (int i = 0; water && i < water->count; i++) {
        const float p[3] = {water->x[i], water->y[i], water->z[i]};
        double vx = water->vx[i], vy = water->vy[i], vz = water->vz[i];
        addPoint(&reach, g, p, vx * vx + vy * vy + vz * vz);
    }
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++) {
        const wbEmitter *emitter = wbGetEmitterAt(world, i);
        if (wbGetLiquidOf(world, emitter->fluid) == solver->liquid) addEmitter(&reach, g, &emitter->params);
    }
    return reach;
}

// The greatest density over sph.restDensity of a fluid that is there or comes.
static double findHeaviest(const wbSolver *solver) {
    const wbWorld *world = solver->world;
    double heaviest = 0;
    for (int i = 0; i < world->fluidIds.indexCount; i++) {
        bool comes = ((const wbFluid *)world->fluids.data)[i].particleCount > 0;
        for (int e = 0; e < wbWorld_GetEmitterCount(world); e++)
            comes = comes || wbGetEmitterAt(world, e)->fluid == i;
        if (comes && wbGetLiquidOf(world, i) == solver->liquid)
            heaviest = fmax(heaviest, wbGetRelativeDensity(world, i));
    }
    return heaviest;
}

// The lowest point that water can come to: the side below, or else where the lowest water is.
static double findBottom(const wbDomain *domain, const Reach *reach, const double g[3]) {
    double bottom = 0;
    for (int a = 0; a < 3; a++) {
        bool isDown = g[a] < 0, isClosed = domain->closed[2 * a + (isDown ? 0 : 1)];
        bottom += isClosed && g[a] != 0 ? g[a] * (double)(isDown ? domain->min[a] : domain->max[a])
                                        : reach->fall[a];
    }
    return bottom;
}

wbStatus wbChooseSoundSpeed(const wbSolver *solver, wbSphParams *params) {
    const wbWorld *world = solver->world;
    const wbVec3 gravity = world->params.gravity;
    bool isFlat = world->params.dimensions == 2;
    const double g[3] = {gravity.x, gravity.y, isFlat ? 0 : gravity.z};
    Reach reach = findReach(solver, g);
    if (!reach.isAny)
        return wbError(
            wb_errorInput,
            "sph.soundSpeed is auto, but there is neither water nor an emitter to choose it by: give a "
            "number, or set it to auto when the water is there");
    const double side = wbDomain_GetTopSpeed(&world->domain);
    double head = reach.energy + findBottom(&world->domain, &reach, g) + 0.5 * side * side;
    double speed = wbSphModel_ChooseSoundSpeed(params, findHeaviest(solver) * fmax(head, 0));
    if (speed == 0)
        return wbError(wb_errorInput,
                       "sph.soundSpeed is auto, but the water neither lies deep nor moves: give a number");
    return wbParam_SetNumbers(wbFindParam(wbGetParams("sph"), "soundSpeed"), params, &speed, 1);
}
