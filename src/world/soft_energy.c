// SPDX-License-Identifier: MIT
// The check against runaway of soft bodies: their kinetic and potential energy stays below what it was, and what their
// constraints stored, when the account was opened.
//
// It is opened with the first step, and again after what may do work on them or store energy in them: another parameter of
// the solver, another pin, solid or collider, a shorter sub-step. While sides, colliders or pins move it is opened at each
// look instead of a judgement. A new gravity moves it by as much as it moves the potential energy. Between openings nothing
// gives them energy but sides that slide along themselves: each particle may have twice their speed, and be as high as they
// may have carried it.
#include <float.h>
#include <math.h>

#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

// Steps: between looks, and that the energy may be above its bound one after another.
enum { LOOK_INTERVAL = 16, MOST_ABOVE = 8 };

// Where the particles are now, on the host or copied from a device.
typedef struct State {
    const float *p[3], *v[3];
} State;

static wbStatus readState(wbWorld *world, State *state) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    *state = (State){{pbd->x, pbd->y, pbd->z}, {pbd->vx, pbd->vy, pbd->vz}};
    if (!wbSolver_IsAhead(&world->solvers[wb_solverIndex_pbd])) return wb_okStatus;
    return wbPbdGpu_Copy(world->solvers[wb_solverIndex_pbd].device, pbd, state->p, state->v);
}

typedef struct Sums {
    double mass, kinetic; // kg, J, of what is not pinned
    double moment[3];     // kg m
    double least;         // m2/s2, of -g·x: the lowest particle
    float min[3], max[3]; // m, around all
} Sums;

static double getHeight(wbVec3 g, double x, double y, double z) { return -(g.x * x + g.y * y + g.z * z); }

static double getPotential(const Sums *sums, wbVec3 g) {
    return getHeight(g, sums->moment[0], sums->moment[1], sums->moment[2]);
}

// kg
static double getMass(const wbPbd *pbd, int i) { return pbd->w[i] > 0 ? 1 / (double)pbd->w[i] : 0; }

static double weigh(const wbPbd *pbd) {
    double mass = 0;
    for (int i = 0; i < pbd->count; i++) mass += getMass(pbd, i);
    return mass;
}

static Sums sumState(const wbWorld *world, const State *state) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const wbVec3 g = world->domain.gravity;
    Sums sums = {.least = DBL_MAX, .min = {FLT_MAX, FLT_MAX, FLT_MAX}, .max = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (int i = 0; i < pbd->count; i++) {
        double mass = getMass(pbd, i), speed2 = 0;
        for (int a = 0; a < 3; a++) {
            float x = state->p[a][i];
            speed2 += (double)state->v[a][i] * state->v[a][i];
            sums.moment[a] += mass * x;
            sums.min[a] = fminf(sums.min[a], x), sums.max[a] = fmaxf(sums.max[a], x);
        }
        sums.mass += mass, sums.kinetic += 0.5 * mass * speed2;
        sums.least = fmin(
            sums.least, getHeight(g, (double)state->p[0][i], (double)state->p[1][i], (double)state->p[2][i]));
    }
    return sums;
}

// m, that a particle is in a collider, where that is at the end of the step that is being done.
static double getDepth(const wbCollider *collider, wbVec3 point, float radius) {
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    const wbVec3 local = wbPose_ApplyInverse(&collider->motion[wb_atEnd].pose, point),
                 away = wbSub(local, tree->centre);
    if (sqrtf(wbDot(away, away)) > tree->radius + radius) return 0;
    return fmax(0, (double)(radius - wbShape_FindSurface(collider->shape, local).distance));
}

// J, of particles that are in colliders, as in wbPbd_GetStored.
static double sumColliders(const wbWorld *world, const State *state, double dt) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const float radius = wbGetSoft(world)->model.params.radius;
    double sum = 0;
    for (int i = 0; i < pbd->count; i++) {
        const float p[3] = {state->p[0][i], state->p[1][i], state->p[2][i]};
        const wbVec3 point = wbMakeVec3(p[0], p[1], p[2]);
        if (!(pbd->w[i] > 0) || !wbIsNear(p)) continue;
        for (int k = -1; (k = wbFindNextCollider(world, point, radius, k)) >= 0;) {
            const double depth = getDepth(wbGetColliderAt(world, k), point, radius);
            sum += 0.5 * wbPbd_CountTies(pbd, i) * depth * depth / (dt * dt * pbd->w[i]);
        }
    }
    return sum;
}

static double getSubStep(const wbWorld *world, float dt) {
    return (double)dt / wbGetSoft(world)->model.params.subSteps;
}

// A correction goes on through as many constraints as there are iterations, whose particles then go along: so the speed
// that lengths of a chain make in a step, and its energy, are that many times as large. Measured, with a stretched rope that
// is let go: 0.6 of it with 1 iteration, 0.4 to 0.6 with 20 to 200. The state is that `time` seconds after the step began.
static wbStatus openAccount(wbWorld *world, const State *state, const Sums *sums, float dt, float time) {
    wbSoft *soft = wbGetSoft(world);
    const wbDomain domain = wbDomain_At(&world->domain, time);
    wbPbdModel model = soft->model;
    model.domain = &domain;
    const double part = getSubStep(world, dt);
    double stored;
    WB_TRY(wbPbd_GetStored(&soft->pbd, &model, &world->work, state->p, part, &stored));
    stored += sumColliders(world, state, part);
    soft->account = (wbSoftAccount){.isOpen = true,
                                    .steps = soft->account.steps,
                                    .part = part,
                                    .gravity = world->domain.gravity,
                                    .energy = sums->kinetic + getPotential(sums, world->domain.gravity) +
                                              soft->model.params.iterations * stored};
    return wb_okStatus;
}

wbStatus wbPrepareSoftAccount(wbWorld *world, float dt) {
    wbSoftAccount *account = &wbGetSoft(world)->account;
    const wbVec3 gravity = world->domain.gravity, change = wbSub(gravity, account->gravity);
    bool isNew = !account->isOpen || getSubStep(world, dt) < 0.99 * account->part;
    State state;
    if (!isNew && wbDot(change, change) == 0) return wb_okStatus;
    WB_TRY(readState(world, &state));
    const Sums sums = sumState(world, &state);
    if (isNew) account->steps = 0;
    if (isNew) return openAccount(world, &state, &sums, dt, 0);
    account->energy += getPotential(&sums, change);
    account->gravity = gravity;
    return wb_okStatus;
}

void wbCloseSoftAccount(wbWorld *world) { wbGetSoft(world)->account.isOpen = false; }

// m2/s2, of -g·x: the side that things fall to, or else the lowest particle.
static double getFloor(const wbWorld *world, const Sums *sums) {
    const wbDomain *domain = &world->domain;
    const wbVec3 gravity = world->domain.gravity;
    const float g[3] = {gravity.x, gravity.y, gravity.z};
    double floor = 0;
    for (int a = 0; a < 3; a++) {
        if (g[a] == 0) continue;
        if (!domain->closed[2 * a + (g[a] > 0)]) return sums->least;
        floor -= (double)g[a] * (g[a] > 0 ? domain->max[a] : domain->min[a]);
    }
    return fmin(floor, sums->least);
}

// m: no coordinate is farther from 0.
static double getExtent(const Sums *sums) {
    double extent = 0;
    for (int a = 0; a < 3; a++) extent = fmax(extent, fmax(fabs(sums->min[a]), fabs(sums->max[a])));
    return extent;
}

// J
static double getEnergy(const wbWorld *world, const Sums *sums) {
    return sums->kinetic + getPotential(sums, world->domain.gravity);
}

static double getLimit(const wbWorld *world, const Sums *sums, float dt) {
    const wbSoftAccount *account = &wbGetSoft(world)->account;
    const wbVec3 gravity = world->domain.gravity;
    double g = sqrt((double)wbDot(gravity, gravity)), part = getSubStep(world, dt);
    // velocities are those of half a sub-step before
    double apart = part * g * sqrt(0.5 * sums->kinetic * sums->mass);
    // lengths are rounded as positions are, and corrected within a sub-step
    double noise = 4 * (double)FLT_EPSILON * getExtent(sums) / part;
    // surfaces that begin nearer than they may be are parted
    const double parting =
        (double)wbPbdSurface_GetPartingSpeed(&wbGetSoft(world)->surface.pairs, (float)part);
    double room = parting * parting + 2 * account->slideSpeed * account->slideSpeed + g * account->slideWay +
                  noise * noise;
    return account->energy + 0.3 * fmax(0, account->energy - sums->mass * getFloor(world, sums)) + apart +
           sums->mass * room;
}

static double getSpeed(const State *state, int i) {
    double speed2 = 0;
    for (int a = 0; a < 3; a++) speed2 += (double)state->v[a][i] * state->v[a][i];
    return sqrt(speed2);
}

static wbStatus fail(const wbWorld *world, const State *state, const Sums *sums, double limit) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    double floor = sums->mass * getFloor(world, sums);
    int fastest = 0;
    for (int i = 1; i < pbd->count; i++)
        if (getSpeed(state, i) > getSpeed(state, fastest)) fastest = i;
    const wbSoftBody *body = wbGetSoftBodyAt(world, (int)pbd->body[fastest]);
    return wbError(
        wb_errorUnstable,
        "energy %.3g J is above its bound %.3g J, fastest is particle %d of \"%s\" at (%.3g, %.3g, "
        "%.3g) m with %.3g m/s: make pbd.subSteps larger, world.dt or pbd.omega smaller",
        getEnergy(world, sums) - floor, limit - floor, fastest - body->particles.first, body->name,
        (double)state->p[0][fastest], (double)state->p[1][fastest], (double)state->p[2][fastest],
        getSpeed(state, fastest));
}

// A stiff body that hits a side fast has its lengths pushed to and fro, and up to four times its energy for a few steps,
// in a cube of 64 particles that are all tied to each other. What runs away goes on.
static wbStatus judge(wbWorld *world, const State *state, const Sums *sums, float dt) {
    wbSoftAccount *account = &wbGetSoft(world)->account;
    double limit = getLimit(world, sums, dt);
    account->above = getEnergy(world, sums) > limit ? account->above + 1 : 0;
    return account->above > MOST_ABOVE ? fail(world, state, sums, limit) : wb_okStatus;
}

// Of particles on a device, from the box around them and the highest speed: no less than they have.
static Sums boundDevice(const wbWorld *world) {
    const wbSoft *soft = wbGetSoft(world);
    const wbVec3 gravity = world->domain.gravity;
    const float g[3] = {gravity.x, gravity.y, gravity.z};
    Sums sums = {.mass = weigh(&soft->pbd)};
    wbPbdGpu_GetBox(world->solvers[wb_solverIndex_pbd].device, sums.min, sums.max);
    for (int a = 0; a < 3; a++) {
        bool isUp = g[a] < 0;
        sums.moment[a] = sums.mass * (double)(isUp ? sums.max[a] : sums.min[a]);
        sums.least -= g[a] != 0 ? (double)g[a] * (isUp ? sums.min[a] : sums.max[a]) : 0;
    }
    sums.kinetic = 0.5 * sums.mass * (double)soft->pbd.maxSpeed * soft->pbd.maxSpeed;
    return sums;
}

wbStatus wbCheckSoft(wbWorld *world, float dt) {
    wbSoftAccount *account = &wbGetSoft(world)->account;
    double slide = wbDomain_GetTopSpeed(&world->domain);
    State state;
    account->slideSpeed = fmax(account->slideSpeed, slide), account->slideWay += slide * (double)dt;
    account->isDriven |= wbDomain_IsMoving(&world->domain) || !wbAreCollidersStill(world);
    // the first ones all: what breaks at once may be over before the next look
    bool isFirst = account->steps++ < LOOK_INTERVAL && !account->isDriven;
    if (!isFirst && account->above == 0 && account->steps % LOOK_INTERVAL != 0) return wb_okStatus;
    if (wbSolver_IsAhead(&world->solvers[wb_solverIndex_pbd]) && !account->isDriven) {
        const Sums most = boundDevice(world);
        if (getEnergy(world, &most) <= getLimit(world, &most, dt)) {
            account->above = 0;
            return wb_okStatus;
        }
    }
    WB_TRY(readState(world, &state));
    const Sums sums = sumState(world, &state);
    return account->isDriven ? openAccount(world, &state, &sums, dt, dt) : judge(world, &state, &sums, dt);
}
