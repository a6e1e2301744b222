// SPDX-License-Identifier: MIT
// The check against runaway: closed sides keep an exploding fluid finite, but not its energy.
//
// Each solver's particles have an account of what they may have, kinetic and potential, summed and over the mass of a
// particle of its rest density: so a new density changes nothing. Those of denser fluids weigh more.
//
//     came    what they came with; a new gravity moves it as it moves the potential energy
//     given   what was added since: the work of colliders and of sides that press on them, the pressure under which others were pushed in between
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

// Steps at the start that are all looked at: one that is far too long breaks at once, and the run may be over before the next
// look.
enum { FIRST_STEPS = 16 };

// Of a device's particles more are copied only now and then.
enum { FEW_PARTICLES = 100000, COPY_INTERVAL = 256 };

static double getFall(wbVec3 g, float x, float y, float z) {
    return (double)g.x * x + (double)g.y * y + (double)g.z * z;
}

static double getSpeed2(float x, float y, float z) { return (double)x * x + (double)y * y + (double)z * z; }

static double getEnergy(const wbWorld *world, const float p[3], const float v[3]) {
    return 0.5 * getSpeed2(v[0], v[1], v[2]) - getFall(world->domain.gravity, p[0], p[1], p[2]);
}

void wbAddEnergy(const wbWorld *world, int fluid, double units, const float p[3], const float v[3]) {
    wbEnergyAccount *account = &wbGetLiquidOf(world, fluid)->account;
    account->came += units * wbGetRelativeDensity(world, fluid) * getEnergy(world, p, v);
    account->speed = fmax(account->speed, sqrt(getSpeed2(v[0], v[1], v[2])));
    account->newCount += llround(units), account->pressing += llround(units);
    account->newFall += units * getFall(world->domain.gravity, p[0], p[1], p[2]);
}

// What it takes away, but no more than its share: sides and pressure may have given it more than it came with.
void wbTakeEnergy(const wbWorld *world, int fluid, double units, const float p[3], const float v[3],
                  int64_t count) {
    wbEnergyAccount *account = &wbGetLiquidOf(world, fluid)->account;
    double share = units / (double)count,
           energy = units * wbGetRelativeDensity(world, fluid) * getEnergy(world, p, v);
    account->came -= fmin(energy, account->came * share);
    account->given -= account->given * share;
}

void wbBookAfresh(wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    wbParticles *p = liquid->particles;
    liquid->account = (wbEnergyAccount){.sideSpeed = wbDomain_GetTopSpeed(&world->domain),
                                        .isStoredAnew = liquid->account.isStoredAnew};
    p->maxSpeed = p->maxDensity = 0;
    for (int i = 0; i < p->count; i++) {
        const float v[3] = {p->vx[i], p->vy[i], p->vz[i]};
        wbAddEnergy(world, wbGetFluidOfId(world, p->id[i]), wbGetUnits(liquid, i),
                    (const float[3]){p->x[i], p->y[i], p->z[i]}, v);
        p->maxSpeed = fmaxf(p->maxSpeed, sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
}

// Then the weights of its particles follow the solver's rest density.
bool wbHasOwnDensity(const wbParticleFluid *liquid) {
    const wbFluid *fluids = liquid->world->fluids.data;
    for (int i = 0; i < liquid->world->fluidIds.indexCount; i++)
        if (wbGetLiquidOf(liquid->world, i) == liquid && fluids[i].restDensity > 0) return true;
    return false;
}

// The weight of a particle: its fluid's relative density, by the ids of a mixture, times its size. Where sizes differ, the cores compute.
static double getWeight(const wbParticleFluid *liquid, const uint32_t *mixedIds, int i) {
    const wbWorld *world = liquid->world;
    const double relative = mixedIds ? wbGetRelativeDensity(world, wbGetFluidOfId(world, mixedIds[i])) : 1;
    return relative * wbGetUnits(liquid, i);
}

// Weights that have changed: the account begins anew with what the particles have.
void wbBookAnew(wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    const wbParticles *p = liquid->particles;
    liquid->account.came = 0;
    for (int i = 0; i < p->count; i++)
        liquid->account.came +=
            getWeight(liquid, p->id, i) * getEnergy(world, (const float[3]){p->x[i], p->y[i], p->z[i]},
                                                    (const float[3]){p->vx[i], p->vy[i], p->vz[i]});
}

// Columns of a liquid's particles: positions, then velocities.
typedef struct Columns {
    const float *floats[6];
    const uint32_t *mixedIds; // NULL: particles weigh alike
} Columns;

// The first of a device's columns and, of several fluids, ids, in the arena beside the host's.
static wbStatus copyDevice(const wbParticleFluid *liquid, int columnCount, Columns *columns) {
    static const int from[6] = {wb_columnX, wb_columnY, wb_columnZ, wb_columnVx, wb_columnVy, wb_columnVz};
    const wbWorld *world = liquid->world;
    const size_t count = (size_t)liquid->particles->count;
    float *floats = wbArena_Alloc(world->work.arena, sizeof(float) * count * (size_t)columnCount);
    uint32_t *ids = wbIsMixed(liquid) ? wbArena_Alloc(world->work.arena, sizeof *ids * count) : NULL;
    if (!floats || (!ids && wbIsMixed(liquid)))
        return wbMemoryError(world->memory, "the energy of %zu particles needs", count);
    *columns = (Columns){.mixedIds = ids};
    for (int c = 0; c < columnCount; c++, floats += count) {
        columns->floats[c] = floats;
        WB_TRY(wbGpu_Download(world->gpu, &liquid->device->front[from[c]], floats, sizeof(float) * count));
    }
    return ids ? wbGpu_Download(world->gpu, &liquid->device->front[wb_columnId], ids, sizeof *ids * count)
               : wb_okStatus;
}

static Columns listColumns(const wbParticleFluid *liquid) {
    const wbParticles *p = liquid->particles;
    return (Columns){{p->x, p->y, p->z, p->vx, p->vy, p->vz}, wbIsMixed(liquid) ? p->id : NULL};
}

// m2/s2, of g·x times weights.
static wbStatus sumFall(const wbParticleFluid *liquid, wbVec3 gravity, double *fall) {
    const wbWorld *world = liquid->world;
    const int count = liquid->particles->count;
    const size_t mark = wbArena_Mark(world->work.arena);
    Columns columns = listColumns(liquid);
    const float *const *p = columns.floats;
    wbStatus status = wb_okStatus;
    if (wbIsLiquidOnDevice(liquid) && count > 0) status = copyDevice(liquid, 3, &columns);
    for (int i = 0; i < count && wbIsOk(status); i++)
        *fall += getWeight(liquid, columns.mixedIds, i) * getFall(gravity, p[0][i], p[1][i], p[2][i]);
    wbArena_Release(world->work.arena, mark);
    return status;
}

void wbBookPush(wbParticleFluid *liquid, double speed, float dt) {
    liquid->account.sideSpeed = fmax(liquid->account.sideSpeed, speed);
    liquid->account.sideWay += speed * (double)dt;
}

wbStatus wbFollowGravity(wbWorld *world) {
    const wbVec3 change = wbSub(world->domain.gravity, world->bookedGravity);
    double falls[WB_SOLVER_COUNT] = {0}, *fall = falls;
    if (change.x == 0 && change.y == 0 && change.z == 0) return wb_okStatus;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        WB_TRY(sumFall(l, change, fall++));
    fall = falls; // all or none
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        l->account.came -= *fall++;
    world->bookedGravity = world->domain.gravity;
    return wb_okStatus;
}

// Sums over a liquid's particles.
typedef struct Sums {
    double speed2;      // m2/s2, of v2 times weights
    double fall;        // m2/s2, of g·x, likewise
    double least, most; // m2/s2, of g·x
    bool isUpper;       // speed2 and -fall are upper bounds
} Sums;

static Sums addSums(const wbParticleFluid *liquid, const Columns *columns) {
    const wbWorld *world = liquid->world;
    const int count = liquid->particles->count;
    const float *const *c = columns->floats;
    Sums sums = {.least = DBL_MAX, .most = -DBL_MAX};
    for (int i = 0; i < count; i++) {
        double fall = getFall(world->domain.gravity, c[0][i], c[1][i], c[2][i]);
        double weight = getWeight(liquid, columns->mixedIds, i);
        sums.speed2 += weight * getSpeed2(c[3][i], c[4][i], c[5][i]);
        sums.fall += weight * fall, sums.least = fmin(sums.least, fall), sums.most = fmax(sums.most, fall);
    }
    return sums;
}

// By the box around them and the highest speed.
static Sums boundDevice(const wbWorld *world, const wbParticleFluid *liquid) {
    const wbVec3 gravity = world->domain.gravity;
    const float g[3] = {gravity.x, gravity.y, gravity.z};
    const double weight = wbWeighLiquid(liquid), speed = liquid->particles->maxSpeed;
    Sums sums = {.speed2 = weight * speed * speed, .isUpper = true};
    for (int a = 0; a < 3; a++) {
        double low = (double)g[a] * liquid->device->min[a], high = (double)g[a] * liquid->device->max[a];
        if (g[a] != 0) sums.least += fmin(low, high), sums.most += fmax(low, high);
    }
    sums.fall = weight * sums.least;
    return sums;
}

// Without memory for it the bounds stay.
static wbStatus sumDevice(wbWorld *world, const wbParticleFluid *liquid, Sums *sums) {
    const size_t mark = wbArena_Mark(world->work.arena);
    Columns columns;
    const wbStatus status = copyDevice(liquid, 6, &columns);
    if (wbIsOk(status)) *sums = addSums(liquid, &columns);
    wbArena_Release(world->work.arena, mark);
    return status.code == wb_errorMemory ? wb_okStatus : status;
}

static Sums sumLiquid(const wbWorld *world, const wbParticleFluid *liquid) {
    if (!wbIsLiquidOnDevice(liquid)) {
        const Columns columns = listColumns(liquid);
        return addSums(liquid, &columns);
    }
    Sums sums = boundDevice(world, liquid);
    sums.isUpper = !liquid->method->getDeviceSums;
    if (!sums.isUpper) liquid->method->getDeviceSums(liquid, &sums.speed2, &sums.fall);
    return sums;
}

double wbGetHeaviest(const wbParticleFluid *liquid) {
    double heaviest = 1;
    for (int i = 0; i < liquid->world->fluidIds.indexCount; i++)
        if (wbGetLiquidOf(liquid->world, i) == liquid)
            heaviest = fmax(heaviest, wbGetRelativeDensity(liquid->world, i));
    return heaviest;
}

// At once: what presses soon flies apart. New particles press themselves and about thirty around each.
static void bookStored(wbParticleFluid *liquid, double dt) {
    wbEnergyAccount *account = &liquid->account;
    double count = (double)wbCountUnits(liquid), touched = fmin(30 * (double)account->pressing, count);
    if (account->isStoredAnew) touched = count;
    if (touched == 0) return;
    account->given += touched * liquid->method->getStored(liquid, dt);
    account->pressing = 0, account->isStoredAnew = 0;
}

// Those that are new have lifted what was in their way, up to the highest particle.
static void bookLift(wbParticleFluid *liquid, const Sums *sums) {
    wbEnergyAccount *account = &liquid->account;
    double lift = account->newFall - (double)account->newCount * sums->least;
    if (liquid->solver->subStepCount > 0) account->given += wbGetHeaviest(liquid) * fmax(0, lift);
    account->newCount = 0, account->newFall = 0;
}

// m/s, with which a side presses.
static double getInwards(const wbDomain *domain, int side) {
    double across = domain->velocity[side][side / 2];
    return domain->closed[side] ? fmax(0, side % 2 ? -across : across) : 0;
}

// J: the work of sides in a step on particles that are on the host, ∫ p dV, by the pressure in the layer next to each.
static double sumPressed(const wbDomain *domain, const wbParticleFluid *liquid, double dt) {
    const wbParticles *p = liquid->particles;
    const float *const places[3] = {p->x, p->y, p->z};
    const wbDomain then = wbDomain_At(domain, (float)dt);
    double work = 0;
    for (int s = 0; s < wb_sideCount; s++) {
        double inwards = getInwards(domain, s), pressure = 0;
        for (int i = 0; i < p->count && inwards > 0; i++) {
            const float size = 2 * wbGetRadiusOf(liquid, wbGetUnits(liquid, i));
            if (fabsf(places[s / 2][i] - wbDomain_GetEnd(&then, s)) < size)
                pressure += fmax(0, p->pressure[i]) *
                            pow((double)size / (double)liquid->spacing, domain->dimensions - 1);
        }
        work += pressure * pow((double)liquid->spacing, domain->dimensions - 1) * inwards * dt;
    }
    return work;
}

// Volume that sides press out of the box in a step, if the fluid reaches over all of their height and width.
static double getSwept(const wbDomain *domain, double dt) {
    double swept = 0;
    for (int s = 0; s < wb_sideCount; s++) {
        double area = 1;
        for (int a = 0; a < domain->dimensions; a++)
            if (a != s / 2) area *= (double)domain->max[a] - domain->min[a];
        swept += area * getInwards(domain, s) * dt;
    }
    return swept;
}

// Pressures on a device are not known here. What was pressed out has been lifted there, at most from the lowest particle to
// the highest.
static void bookSwept(const wbDomain *domain, wbParticleFluid *liquid, const Sums *sums) {
    double particles = liquid->account.swept / pow((double)liquid->spacing, domain->dimensions);
    particles = fmin(particles, (double)wbCountUnits(liquid));
    liquid->account.given += wbGetHeaviest(liquid) * particles * fmax(0, sums->most - sums->least);
    liquid->account.swept = 0;
}

static void bookSides(wbParticleFluid *liquid, double dt) {
    const wbDomain *domain = &liquid->world->domain;
    wbEnergyAccount *account = &liquid->account;
    account->sideSpeed = fmax(account->sideSpeed, wbDomain_GetTopSpeed(domain));
    account->sideWay += wbDomain_GetDragSpeed(domain) * dt;
    if (wbIsLiquidOnDevice(liquid))
        account->swept += getSwept(domain, dt);
    else
        account->given += liquid->method->workFactor * sumPressed(domain, liquid, dt) / liquid->mass;
}

// What colliders have done to the fluid in a step: their impulses, which it felt, along their motion.
static void bookWork(wbParticleFluid *liquid) {
    const int *touched = liquid->boundary.touched.data;
    double work = 0;
    if (!wbIsSampled(liquid)) return;
    for (int k = 0; k < liquid->boundary.touchedCount; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(&liquid->boundary, touched[k]);
        const wbMotion *motion = &body->motions[wb_atMiddle];
        double own = 0;
        for (int a = 0; a < 3; a++)
            own -= body->impulse.linear[a] * (double)motion->velocity[a] +
                   body->impulse.angular[a] * (double)motion->spin[a];
        work += fmax(0, own);
    }
    work *= liquid->method->workFactor;
    if (isfinite(work)) liquid->account.given += work / liquid->mass;
}

// m2/s2 per kg.
static double getRoom(const wbWorld *world, const wbParticleFluid *liquid, double dt) {
    const wbEnergyAccount *account = &liquid->account;
    double g = sqrt((double)wbDot(world->domain.gravity, world->domain.gravity));
    double room = 2 * account->sideSpeed * account->sideSpeed + g * (account->sideWay + liquid->spacing);
    return room + liquid->method->getNoise(liquid, dt);
}

// m2/s2, of g·x: the side that things fall to, or else where the lowest particle is.
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

static double getLimit(const wbWorld *world, const wbParticleFluid *liquid, const Sums *sums, float dt) {
    const wbEnergyAccount *account = &liquid->account;
    const wbVec3 g = world->domain.gravity;
    double weight = wbWeighLiquid(liquid), allowed = account->came + account->given;
    // positions and velocities are up to half a step apart
    double apart = 0.5 * (double)dt * sqrt((double)wbDot(g, g) * sums->speed2 * weight);
    // light fluids are as stiff, and as noisy, as heavy ones
    double noisy = fmax(weight, (double)wbCountUnits(liquid));
    return allowed + 0.3 * fmax(0, allowed + weight * getFloor(world, sums)) +
           noisy * getRoom(world, liquid, (double)dt) + apart;
}

static wbStatus checkSums(wbWorld *world, wbParticleFluid *liquid, Sums sums, float dt) {
    const wbParticles *p = liquid->particles;
    double limit = getLimit(world, liquid, &sums, dt);
    bool isCopied = p->count <= FEW_PARTICLES || liquid->solver->subStepCount % COPY_INTERVAL == 0;
    if (sums.isUpper && isCopied && 0.5 * sums.speed2 - sums.fall > limit) {
        WB_TRY(sumDevice(world, liquid, &sums));
        limit = getLimit(world, liquid, &sums, dt);
    }
    double total = 0.5 * sums.speed2 - sums.fall;
    if (sums.isUpper || total <= limit) return wb_okStatus;
    WB_TRY(wbPullState(world));
    return wbError(wb_errorUnstable, "energy %.3g J is above its bound %.3g J, worst is %s",
                   liquid->mass * total, liquid->mass * limit,
                   wbParticles_Describe(p, wbParticles_FindWorst(p)).text);
}

wbStatus wbCheckEnergyNow(wbParticleFluid *liquid, float dt) {
    wbWorld *world = liquid->world;
    return liquid->particles->count > 0 ? checkSums(world, liquid, sumLiquid(world, liquid), dt)
                                        : wb_okStatus;
}

wbStatus wbCheckEnergy(wbParticleFluid *liquid, float dt) {
    wbWorld *world = liquid->world;
    wbEnergyAccount *account = &liquid->account;
    const wbFluidMethod *method = liquid->method;
    if (liquid->particles->count == 0) return wb_okStatus;
    if (method->getFallGain) account->given += method->getFallGain(liquid, (double)dt);
    bookSides(liquid, (double)dt);
    bookWork(liquid);
    bookStored(liquid, (double)dt);
    const int64_t count = liquid->solver->subStepCount;
    int interval = count <= FIRST_STEPS ? 1 : method->energyInterval;
    if (count % interval != 0) return wb_okStatus;
    const Sums sums = sumLiquid(world, liquid);
    if (account->newCount > 0) bookLift(liquid, &sums);
    if (account->swept > 0) bookSwept(&world->domain, liquid, &sums);
    if (method->getMotionGain)
        account->given += method->getMotionGain(liquid, sums.speed2, interval, (double)dt);
    return checkSums(world, liquid, sums, dt);
}
