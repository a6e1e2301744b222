// SPDX-License-Identifier: MIT
// The check against runaway: closed sides keep an exploding fluid finite, but not its energy.
//
// Each solver's particles have an account of what they may have, kinetic and potential, summed and over the mass of a
// particle of its rest density: so a new density changes nothing. Those of denser fluids weigh more.
//
//     came    what they came with; a new gravity moves it as it moves the potential energy
//     given   what was added since: the work of colliders on them, the pressure under which others were pushed in between
//             them, what compression and cohesion stored when they came or when the equation of state became another, and
//             what confinement of vorticity makes of their motion
//
// Beside it there is room, for each particle: sides and colliders may have given it twice their speed, moving sides may have
// carried it up; sound and noise of the solver's own size. And three tenths of what the fluid has above its floor, because
// no solver of particles keeps energy exactly. Friction only takes. What is above all that is no flow.
#include <float.h>
#include <math.h>

#include "core/status.h"
#include "world/collider.h"

// Every so many steps: often enough for a blow-up, which grows from step to step, and cheap. Steps of corrected positions
// are long.
enum { ENERGY_INTERVAL = 16, PBF_INTERVAL = 4 };

// Of a device's particles more are copied only now and then.
enum { FEW_PARTICLES = 100000, COPY_INTERVAL = 256 };

static double getFall(wbVec3 g, float x, float y, float z) {
    return (double)g.x * x + (double)g.y * y + (double)g.z * z;
}

static double getSpeed2(float x, float y, float z) { return (double)x * x + (double)y * y + (double)z * z; }

static double getEnergy(const wbWorld *world, const float p[3], const float v[3]) {
    return 0.5 * getSpeed2(v[0], v[1], v[2]) - getFall(world->domain.gravity, p[0], p[1], p[2]);
}

void wbAddEnergy(const wbWorld *world, int fluid, const float p[3], const float v[3]) {
    wbEnergyAccount *account = &wbGetPoolOf(world, fluid)->account;
    account->came += wbGetRelativeDensity(world, fluid) * getEnergy(world, p, v);
    account->speed = fmax(account->speed, sqrt(getSpeed2(v[0], v[1], v[2])));
    account->newCount++, account->pressing++;
    account->newFall += getFall(world->domain.gravity, p[0], p[1], p[2]);
}

// What it takes away, but no more than its share: walls and pressure may have given it more than it came with.
void wbTakeEnergy(const wbWorld *world, int fluid, const float p[3], const float v[3], int64_t count) {
    wbEnergyAccount *account = &wbGetPoolOf(world, fluid)->account;
    double share = 1 / (double)count, energy = wbGetRelativeDensity(world, fluid) * getEnergy(world, p, v);
    account->came -= fmin(energy, account->came * share);
    account->given -= account->given * share;
}

// Then the weights of its particles follow the solver's rest density.
bool wbHasOwnDensity(const wbPool *pool) {
    const wbFluid *fluids = pool->world->fluids.data;
    for (int i = 0; i < pool->world->fluidIds.indexCount; i++)
        if (wbGetPoolOf(pool->world, i) == pool && fluids[i].restDensity > 0) return true;
    return false;
}

// The weight of a particle: its fluid's relative density.
static double getWeight(const wbWorld *world, bool isMixed, uint32_t id) {
    return isMixed ? wbGetRelativeDensity(world, wbGetFluidOfId(world, id)) : 1;
}

// Weights that have changed: the account begins anew with what the particles have.
void wbBookAnew(wbPool *pool) {
    const wbWorld *world = pool->world;
    const wbParticles *p = pool->particles;
    pool->account.came = 0;
    for (int i = 0; i < p->count; i++)
        pool->account.came +=
            getWeight(world, true, p->id[i]) * getEnergy(world, (const float[3]){p->x[i], p->y[i], p->z[i]},
                                                         (const float[3]){p->vx[i], p->vy[i], p->vz[i]});
}

void wbOpenAccount(wbPool *pool) {
    pool->account.sideSpeed = fmax(pool->account.sideSpeed, wbDomain_GetTopSpeed(&pool->world->domain));
}

void wbFollowGravity(wbWorld *world, wbVec3 before) {
    const wbVec3 change = wbSub(world->domain.gravity, before);
    for (int s = 0; s < WB_FLUID_SOLVERS; s++) {
        wbEnergyAccount *account = &world->pools[s].account;
        const wbParticles *p = world->pools[s].particles;
        const bool isMixed = wbIsMixed(&world->pools[s]);
        for (int i = 0; i < p->count; i++)
            account->came -= getWeight(world, isMixed, p->id[i]) * getFall(change, p->x[i], p->y[i], p->z[i]);
    }
}

// Sums over a pool's particles.
typedef struct Sums {
    double speed2;      // m2/s2, of v2 times weights
    double fall;        // m2/s2, of g·x, likewise
    double least, most; // m2/s2, of g·x
    bool isUpper;       // speed2 and -fall are upper bounds
} Sums;

static void addSums(const wbWorld *world, Sums *sums, const float *const columns[6], const uint32_t *mixedIds,
                    int count) {
    for (int i = 0; i < count; i++) {
        double fall = getFall(world->domain.gravity, columns[0][i], columns[1][i], columns[2][i]);
        double weight = mixedIds ? getWeight(world, true, mixedIds[i]) : 1;
        sums->speed2 += weight * getSpeed2(columns[3][i], columns[4][i], columns[5][i]);
        sums->fall += weight * fall, sums->least = fmin(sums->least, fall),
                                     sums->most = fmax(sums->most, fall);
    }
}

// By the box around them and the highest speed.
static Sums boundDevice(const wbWorld *world, const wbPool *pool) {
    const wbVec3 gravity = world->domain.gravity;
    const float g[3] = {gravity.x, gravity.y, gravity.z};
    const double weight = wbWeighPool(pool), speed = pool->particles->maxSpeed;
    Sums sums = {.speed2 = weight * speed * speed, .isUpper = true};
    for (int a = 0; a < 3; a++) {
        double low = (double)g[a] * pool->device->min[a], high = (double)g[a] * pool->device->max[a];
        if (g[a] != 0) sums.least += fmin(low, high), sums.most += fmax(low, high);
    }
    sums.fall = weight * sums.least;
    return sums;
}

// Copies positions, velocities and, of several fluids, ids beside the host's. Without memory for it the bounds stay.
static wbStatus sumDevice(wbWorld *world, const wbPool *pool, Sums *sums) {
    const int first[6] = {wb_columnX, wb_columnY, wb_columnZ, wb_columnVx, wb_columnVy, wb_columnVz};
    size_t mark = wbArena_Mark(world->work.arena), count = (size_t)pool->particles->count;
    float *floats = wbArena_Alloc(world->work.arena, sizeof(float[6]) * count);
    uint32_t *ids = wbIsMixed(pool) ? wbArena_Alloc(world->work.arena, sizeof *ids * count) : NULL;
    bool hasRoom = floats && (ids || !wbIsMixed(pool));
    const float *columns[6];
    wbStatus status = wb_okStatus;
    for (size_t c = 0; c < 6 && hasRoom && wbIsOk(status); c++) {
        columns[c] = floats + c * count;
        status = wbGpu_Download(world->gpu, &pool->device->front[first[c]], floats + c * count,
                                sizeof(float) * count);
    }
    if (ids && wbIsOk(status))
        status = wbGpu_Download(world->gpu, &pool->device->front[wb_columnId], ids, sizeof *ids * count);
    if (hasRoom && wbIsOk(status)) {
        *sums = (Sums){.least = DBL_MAX, .most = -DBL_MAX};
        addSums(world, sums, columns, ids, (int)count);
    }
    wbArena_Release(world->work.arena, mark);
    return wbIsOk(status) ? status : wbRestoreSnapshot(world, status);
}

static Sums sumPool(const wbWorld *world, const wbPool *pool) {
    const wbParticles *p = pool->particles;
    Sums sums = {.least = DBL_MAX, .most = -DBL_MAX};
    if (wbIsPoolOnDevice(pool)) {
        sums = boundDevice(world, pool);
        if (pool == &world->pools[wb_solverSph])
            sums.speed2 = world->sph.sums.speed2, sums.fall = world->sph.sums.fall, sums.isUpper = false;
        return sums;
    }
    addSums(world, &sums, (const float *const[6]){p->x, p->y, p->z, p->vx, p->vy, p->vz},
            wbIsMixed(pool) ? p->id : NULL, p->count);
    return sums;
}

// m2/s2: what compression stores at this density over the mass of the rest density, by ∫ p/rho2 drho; Tait's equation or
// the linear one.
static double getStored(const wbSphParams *params, double density) {
    double x = fmax(1, density / params->restDensity), c2 = (double)params->soundSpeed * params->soundSpeed;
    return params->equation == wb_equationTait ? c2 / 7 * ((pow(x, 6) - 1) / 6 + 1 / x - 1)
                                               : c2 * (log(x) + 1 / x - 1);
}

// m/s: a spacing in a sub-step, about the most that corrections of positions make of speed.
static double getShiftSpeed(const wbWorld *world, const wbPool *pool, double dt) {
    return pool->spacing * fmax(1, world->pbf.subSteps) / dt;
}

// The same of positions that are corrected: in a sub-step they part by what is too dense.
static double getParting(const wbWorld *world, const wbPool *pool, double dt) {
    double excess = fmax(0, pool->particles->maxDensity / (double)pool->restDensity - 1);
    return 0.5 * pow(excess * getShiftSpeed(world, pool, dt), 2);
}

// Of all fluids of a pool: the relative density.
static double getHeaviest(const wbPool *pool) {
    double heaviest = 1;
    for (int i = 0; i < pool->world->fluidIds.indexCount; i++)
        if (wbGetPoolOf(pool->world, i) == pool)
            heaviest = fmax(heaviest, wbGetRelativeDensity(pool->world, i));
    return heaviest;
}

// At once: what presses soon flies apart. New particles press themselves and about thirty around each.
static void bookStored(const wbWorld *world, wbPool *pool, double dt) {
    wbEnergyAccount *account = &pool->account;
    double count = pool->particles->count, touched = fmin(30 * (double)account->pressing, count);
    if (account->isStoredAnew) touched = count;
    if (touched == 0) return;
    account->given += touched * (pool == &world->pools[wb_solverSph]
                                     ? getStored(&world->sphModel.params, pool->particles->maxDensity)
                                     : getHeaviest(pool) * getParting(world, pool, dt));
    account->pressing = 0, account->isStoredAnew = 0;
}

// Those that are new have lifted what was in their way, up to the highest particle.
static void bookLift(const wbWorld *world, wbPool *pool, const Sums *sums) {
    wbEnergyAccount *account = &pool->account;
    double lift = account->newFall - (double)account->newCount * sums->least;
    if (world->stepCount > 0) account->given += getHeaviest(pool) * fmax(0, lift);
    account->newCount = 0, account->newFall = 0;
}

// What colliders have done to the fluid in a step: their forces, which it felt, along their motion.
static void bookWork(wbWorld *world, wbPool *pool, double dt) {
    double work = 0;
    if (!wbIsSampled(world, pool)) return;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbMotion *motion = &wbGetColliderAt(world, i)->motion[wb_atMiddle];
        const wbBoundaryBody *body = wbBoundary_GetBody(&pool->boundary, i);
        double power = 0;
        for (int a = 0; a < 3; a++)
            power -= body->force[a] * (double)motion->velocity[a] + body->torque[a] * (double)motion->spin[a];
        work += fmax(0, power) * dt;
    }
    // corrections of positions make more of a push than its work, where they do not reach their end
    if (pool == &world->pools[wb_solverPbf]) work *= 2;
    if (isfinite(work)) pool->account.given += work / pool->mass;
}

// m2/s2 per kg.
static double getRoom(const wbWorld *world, const wbPool *pool, double dt) {
    const wbSphParams *sph = &world->sphModel.params;
    const wbEnergyAccount *account = &pool->account;
    double g = sqrt((double)wbDot(world->domain.gravity, world->domain.gravity)), s = pool->spacing;
    double room = 2 * account->sideSpeed * account->sideSpeed + g * (account->sideWay + s);
    if (pool == &world->pools[wb_solverPbf]) {
        // particles part by a spacing in 1/20 s; those that may not be too far apart either come together at once
        bool isEqual = world->pbfModel.params.constraint == wb_densityEquality;
        return room + 0.5 * pow(fmax(20 * s, isEqual ? 2 * getShiftSpeed(world, pool, dt) : 0), 2);
    }
    double tension = sph->surfaceTension, c = sph->soundSpeed;
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        tension = fmax(tension, wbGetColliderAt(world, i)->params.adhesion);
    return room + 1e-3 * c * c + 30 * tension / (sph->restDensity * (double)pool->h);
}

// m2/s2, of g·x: the wall that things fall to, or else where the lowest particle is.
static double getFloor(const wbWorld *world, const Sums *sums) {
    const wbDomain *domain = &world->domain;
    const wbVec3 gravity = world->domain.gravity;
    const float g[3] = {gravity.x, gravity.y, gravity.z};
    double fall = 0;
    for (int a = 0; a < 3; a++) {
        if (g[a] == 0) continue;
        if (!domain->closed[2 * a + (g[a] > 0)]) return sums->most;
        fall += (double)g[a] * (g[a] > 0 ? domain->max[a] : domain->min[a]);
    }
    return fmax(fall, sums->most);
}

static double getLimit(const wbWorld *world, const wbPool *pool, const Sums *sums, float dt) {
    const wbEnergyAccount *account = &pool->account;
    const wbVec3 g = world->domain.gravity;
    double weight = wbWeighPool(pool), allowed = account->came + account->given;
    // positions and velocities are up to half a step apart
    double apart = 0.5 * (double)dt * sqrt((double)wbDot(g, g) * sums->speed2 * weight);
    // light fluids are as stiff, and as noisy, as heavy ones
    double noisy = fmax(weight, pool->particles->count);
    return allowed + 0.3 * fmax(0, allowed + weight * getFloor(world, sums)) +
           noisy * getRoom(world, pool, (double)dt) + apart;
}

static wbStatus checkSums(wbWorld *world, wbPool *pool, Sums sums, float dt) {
    const wbParticles *p = pool->particles;
    double limit = getLimit(world, pool, &sums, dt);
    bool isCopied = p->count <= FEW_PARTICLES || world->stepCount % COPY_INTERVAL == 0;
    if (sums.isUpper && isCopied && 0.5 * sums.speed2 - sums.fall > limit) {
        WB_TRY(sumDevice(world, pool, &sums));
        limit = getLimit(world, pool, &sums, dt);
    }
    double total = 0.5 * sums.speed2 - sums.fall;
    if (sums.isUpper || total <= limit) return wb_okStatus;
    WB_TRY(wbPullState(world));
    return wbError(wb_errorUnstable, "energy %.3g J is above its bound %.3g J, worst is %s",
                   pool->mass * total, pool->mass * limit,
                   wbParticles_Describe(p, wbParticles_FindWorst(p)).text);
}

wbStatus wbCheckEnergyNow(wbWorld *world, wbPool *pool, float dt) {
    return pool->particles->count > 0 ? checkSums(world, pool, sumPool(world, pool), dt) : wb_okStatus;
}

wbStatus wbCheckEnergy(wbWorld *world, wbPool *pool, float dt) {
    const wbVec3 g = world->domain.gravity;
    wbEnergyAccount *account = &pool->account;
    const wbPbfParams *pbf = &world->pbfModel.params;
    bool isPbf = pool == &world->pools[wb_solverPbf];
    if (pool->particles->count == 0) return wb_okStatus;
    // what falling gains in a step of Euler's method
    if (!isPbf && world->sphModel.params.integrator == wb_integratorEuler)
        account->given += 0.5 * (double)wbDot(g, g) * (double)dt * dt * wbWeighPool(pool);
    account->sideWay += wbDomain_GetTopSpeed(&world->domain) * (double)dt;
    bookWork(world, pool, (double)dt);
    bookStored(world, pool, (double)dt);
    // the first ones all: a step far too long breaks at once, and the run may be over before the next look
    bool isFirst = world->stepCount <= ENERGY_INTERVAL;
    int interval = isFirst ? 1 : isPbf ? PBF_INTERVAL : ENERGY_INTERVAL;
    if (world->stepCount % interval != 0) return wb_okStatus;
    const Sums sums = sumPool(world, pool);
    if (account->newCount > 0) bookLift(world, pool, &sums);
    // confinement pushes by epsilon |curl v|, and curls are a few v/h
    if (isPbf) account->given += 2 * sums.speed2 * (double)pbf->vorticity * interval * dt / (double)pool->h;
    return checkSums(world, pool, sums, dt);
}
