// SPDX-License-Identifier: MIT
// The order of a step's phases, and what happens when one fails.
#include <math.h>

#include "core/status.h"
#include "core/timer.h"
#include "world/world.h"

float wbWorld_GetTimeStep(const wbWorld *world) {
    return world->params.dt > 0 ? world->params.dt : wbSphModel_GetStableStep(&world->sphModel);
}

// Every so many steps: often enough for a blow-up, which grows from step to step, and a thousandth of the time.
enum { ENERGY_INTERVAL = 16 };

typedef struct Energy {
    double kinetic, potential; // J
} Energy;

static Energy sumEnergy(const wbWorld *world) {
    const wbSph *sph = &world->sph;
    const wbVec3 g = world->sphModel.gravity;
    double speed2 = 0, fall = 0, m = world->sphModel.mass;
    for (int i = 0; i < sph->count; i++) {
        double vx = sph->vx[i], vy = sph->vy[i], vz = sph->vz[i];
        speed2 += vx * vx + vy * vy + vz * vz;
        fall += (double)g.x * sph->x[i] + (double)g.y * sph->y[i] + (double)g.z * sph->z[i];
    }
    return (Energy){0.5 * m * speed2, -m * fall};
}

// Water has no engine: what it can gain is what compression stores, about m c2 where particles start twice too
// dense, and what walls drag along. A hundred times that is no flow.
static void limitEnergy(wbWorld *world) {
    Energy energy = sumEnergy(world);
    double c = world->sphModel.params.soundSpeed, speed2 = c * c;
    for (int s = 0; s < wb_sideCount; s++) {
        const wbVec3 wall = world->domain.sides[s].velocity;
        speed2 = fmax(speed2, (double)wbDot(wall, wall));
    }
    double mass = world->sphModel.mass * world->sph.count;
    world->energyLimit = energy.kinetic + energy.potential + 100 * mass * speed2;
    world->hasEnergyLimit = true;
}

static bool isBeyondEnergyLimit(const wbWorld *world, float dt) {
    if (world->stepCount % ENERGY_INTERVAL != 0) return false;
    Energy energy = sumEnergy(world);
    // positions and velocities are up to half a step apart
    double g = sqrt((double)wbDot(world->sphModel.gravity, world->sphModel.gravity));
    double momentum = sqrt(2 * energy.kinetic * world->sphModel.mass * world->sph.count);
    double limit = world->energyLimit + 0.5 * dt * g * momentum;
    return !(energy.kinetic + energy.potential <= limit); // also where it is not a number
}

// The particle to name: the first that is not finite, else the fastest.
static uint32_t findCulprit(const wbWorld *world) {
    const wbSph *sph = &world->sph;
    int found = wbSph_FindNonFinite(sph);
    if (found >= 0) return sph->id[found];
    double most = -1;
    for (int i = 0; i < sph->count; i++) {
        double vx = sph->vx[i], vy = sph->vy[i], vz = sph->vz[i], speed2 = vx * vx + vy * vy + vz * vz;
        if (speed2 > most) most = speed2, found = i;
    }
    return sph->id[found];
}

// Says where the simulation broke and what the likely cause is.
static wbStatus explainInstability(const wbWorld *world, float dt) {
    float stable = wbSphModel_GetStableStep(&world->sphModel);
    long long step = (long long)world->stepCount + 1, particle = (long long)findCulprit(world);
    if (dt > 1.01f * stable)
        return wbError(
            wb_errorUnstable,
            "unstable at step %lld (%g s), particle %lld: dt is %g s, above the stable limit of %g s; make "
            "world.dt smaller or \"auto\"",
            step, world->time, particle, dt, stable);
    return wbError(
        wb_errorUnstable,
        "unstable at step %lld (%g s), particle %lld: speeds left what sph.soundSpeed %g m/s can hold; make "
        "world.dt (now %g s) smaller, or sph.soundSpeed larger if the water is meant to be so fast",
        step, world->time, particle, world->sphModel.params.soundSpeed, dt);
}

wbStatus wbWorld_Step(wbWorld *world, float dt) {
    if (!wbIsOk(world->stopped)) return world->stopped;
    if (!(dt >= 0) || !isfinite(dt))
        return wbError(wb_errorInput, "dt is %g s, allowed is 0 (the world's own) or more", dt);
    if (dt == 0) dt = wbWorld_GetTimeStep(world);
    double mark = wbGetSeconds();
    if (!wbArena_Reset(world->work.arena))
        return wbError(wb_errorMemory, "out of memory for a step's scratch");

    if (!world->hasEnergyLimit) limitEnergy(world);

    wbStatus status = wbSph_Step(&world->sph, &world->sphModel, &world->work, dt);

    if (wbIsOk(status) && isBeyondEnergyLimit(world, dt)) status.code = wb_errorUnstable;
    if (status.code == wb_errorUnstable) status = explainInstability(world, dt);
    if (!wbIsOk(status)) return world->stopped = status;
    world->time += dt;
    world->stepCount++;
    world->lastDt = dt;
    world->stepMs = wbLapMs(&mark);
    return wb_okStatus;
}
