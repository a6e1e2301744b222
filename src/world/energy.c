// SPDX-License-Identifier: MIT
// The guard against runaway: walls keep an exploding fluid finite, but not its energy.
#include <math.h>

#include "core/status.h"
#include "world/world.h"

// Every so many steps: often enough for a blow-up, which grows from step to step, and cheap.
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

// Water has no engine: what it can gain is what compression stores, about m c2 where particles start twice
// too dense, and what walls drag along. A hundred times that is no flow.
void wbLimitEnergy(wbWorld *world) {
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

wbStatus wbCheckEnergy(const wbWorld *world, float dt) {
    // the first ones all: a step far too long breaks at once, and the run may be over before the next look
    if (world->stepCount > ENERGY_INTERVAL && world->stepCount % ENERGY_INTERVAL != 0) return wb_okStatus;
    return wbCheckEnergyNow(world, dt);
}

wbStatus wbCheckEnergyNow(const wbWorld *world, float dt) {
    Energy energy = sumEnergy(world);
    // positions and velocities are up to half a step apart
    double g = sqrt((double)wbDot(world->sphModel.gravity, world->sphModel.gravity));
    double momentum = sqrt(2 * energy.kinetic * world->sphModel.mass * world->sph.count);
    double limit = world->energyLimit + 0.5 * (double)dt * g * momentum,
           total = energy.kinetic + energy.potential;
    if (total <= limit) return wb_okStatus;
    return wbError(wb_errorUnstable,
                   "the energy is %.3g J, beyond its bound of %.3g J; a particle has %.3g m/s", total, limit,
                   (double)world->sph.maxSpeed);
}
