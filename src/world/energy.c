// SPDX-License-Identifier: MIT
// The guard against runaway: walls keep an exploding fluid finite, but not its energy.
//
// Water has no engine. What its particles may have is what they came with, and what compression can store: about
// c2 per kg where they start twice too dense, or what walls drag along. A hundred times that is no flow. The account
// is kept over changes of parameters: a new gravity moves the potential energy, and the bound by the same; a higher
// speed of sound may store more; nothing else adds energy. Energies are per kg, so that a new density changes none.
#include <math.h>

#include "core/status.h"
#include "world/world.h"

// Every so many steps: often enough for a blow-up, which grows from step to step, and cheap.
enum { ENERGY_INTERVAL = 16 };

static double getFall(wbVec3 g, float x, float y, float z) {
    return (double)g.x * x + (double)g.y * y + (double)g.z * z;
}

static double getSpeed2(float x, float y, float z) { return (double)x * x + (double)y * y + (double)z * z; }

static double getEnergy(const wbWorld *world, const float p[3], const float v[3]) {
    return 0.5 * getSpeed2(v[0], v[1], v[2]) - getFall(world->sphModel.gravity, p[0], p[1], p[2]);
}

void wbAddEnergy(wbWorld *world, const float p[3], const float v[3]) {
    world->energyStart += getEnergy(world, p, v);
}

// What it takes away, but no more than its share: walls and pressure may have given it more than it came with.
void wbTakeEnergy(wbWorld *world, const float p[3], const float v[3], int64_t count) {
    world->energyStart -= fmin(getEnergy(world, p, v), world->energyStart / (double)count);
}

void wbFollowParams(wbWorld *world, wbVec3 gravityBefore) {
    const wbParticles *p = &world->sph.particles;
    const wbVec3 change = wbSub(world->sphModel.gravity, gravityBefore);
    if (wbDot(change, change) > 0)
        for (int i = 0; i < p->count; i++) world->energyStart -= getFall(change, p->x[i], p->y[i], p->z[i]);
    world->energySpeed = fmax(world->energySpeed, world->sphModel.params.soundSpeed);
    for (int s = 0; s < wb_sideCount; s++) {
        const wbVec3 wall = world->domain.sides[s].velocity;
        world->energySpeed = fmax(world->energySpeed, sqrt(getSpeed2(wall.x, wall.y, wall.z)));
    }
}

wbStatus wbCheckEnergy(wbWorld *world, float dt) {
    const wbVec3 g = world->sphModel.gravity;
    // what falling gains in a step of Euler's method
    world->energyStart += 0.5 * getSpeed2(g.x, g.y, g.z) * (double)dt * dt * world->sph.particles.count;
    // the first ones all: a step far too long breaks at once, and the run may be over before the next look
    if (world->stepCount > ENERGY_INTERVAL && world->stepCount % ENERGY_INTERVAL != 0) return wb_okStatus;
    return wbCheckEnergyNow(world, dt);
}

wbStatus wbCheckEnergyNow(wbWorld *world, float dt) {
    const wbParticles *p = &world->sph.particles;
    const wbVec3 g = world->sphModel.gravity;
    if (p->count == 0) return wb_okStatus;
    double speed2 = 0, fall = 0, g2 = getSpeed2(g.x, g.y, g.z), m = world->sphModel.mass;
    bool isOnDevice = wbIsPoolOnDevice(&world->pools[wb_solverSph]);
    if (isOnDevice) speed2 = world->sph.sums.speed2, fall = world->sph.sums.fall;
    for (int i = 0; i < p->count && !isOnDevice; i++) {
        speed2 += getSpeed2(p->vx[i], p->vy[i], p->vz[i]);
        fall += getFall(g, p->x[i], p->y[i], p->z[i]);
    }
    // positions and velocities are up to half a step apart
    double apart = 0.5 * (double)dt * sqrt(g2 * speed2 * p->count);
    double limit = world->energyStart + 100 * p->count * world->energySpeed * world->energySpeed + apart;
    double total = 0.5 * speed2 - fall;
    if (total <= limit) return wb_okStatus;
    WB_TRY(wbPullState(world));
    return wbError(wb_errorUnstable, "energy %.3g J is above its bound %.3g J, worst is %s", m * total,
                   m * limit, wbParticles_Describe(p, wbParticles_FindWorst(p)).text);
}
