// SPDX-License-Identifier: MIT
// For tests of colliders in water on every backend: a solver without a world, bodies made of lattice points, and their
// reference.
#pragma once

#include <stdlib.h>

#include "core/cpu.h"
#include "core/status.h"
#include "sph/sph_boundary.h"
#include "sph/sph_model.h"
#include "sph_support.h"

enum { maxBodies = 3, maxBodyPoints = 4096 };

// A body and how it moves: along a line, turning about z.
typedef struct Body {
    int count;
    float points[3 * maxBodyPoints], normals[3 * maxBodyPoints], depths[maxBodyPoints];
    bool isMoving, isNoSlip;
    float adhesion;
    double position[3], velocity[3], angle, spin;
} Body;

typedef struct Bodies {
    int count;
    Body bodies[maxBodies];
} Bodies;

static inline wbMotion moveBody(const Body *body, double time) {
    wbMotion motion = {.pose = wb_poseAtOrigin};
    double angle = body->angle + body->spin * time;
    for (int a = 0; a < 3; a++) {
        motion.pose.position[a] = (float)(body->position[a] + body->velocity[a] * time);
        motion.velocity[a] = (float)body->velocity[a];
    }
    motion.pose.rotation[2] = (float)sin(angle / 2), motion.pose.rotation[3] = (float)cos(angle / 2);
    motion.spin[2] = (float)body->spin;
    return motion;
}

static inline void addPoint(Body *body, const float p[3], const float normal[3], float depth) {
    assert_true(body->count < maxBodyPoints);
    int k = body->count++;
    memcpy(body->points + 3 * k, p, sizeof(float[3])),
        memcpy(body->normals + 3 * k, normal, sizeof(float[3]));
    body->depths[k] = depth;
}

// A slab below y = 0 of its own frame, on the lattice: nx × nz columns from the origin, as deep as 2 h.
static inline void makeSlab(Body *body, int nx, int nz, float spacing, float h, bool flat) {
    const float up[3] = {0, 1, 0};
    body->count = 0;
    for (int k = 0; ((float)k + 0.5f) * spacing < 2 * h; k++)
        for (int i = 0; i < nx * nz; i++) {
            const float depth = ((float)k + 0.5f) * spacing;
            const float p[3] = {((float)(i % nx) + 0.5f) * spacing, -depth,
                                flat ? 0 : ((float)(i / nx) + 0.5f) * spacing};
            addPoint(body, p, up, depth);
        }
}

// A solver without a world.
typedef struct Tank {
    wbWork work;
    wbSphModel model;
    wbDomain domain;
    wbSph sph;
    wbBoundary boundary;
    wbFluidColliders colliders;
    double time;
} Tank;

static inline void addBodies(Tank *tank, const Bodies *bodies) {
    for (int k = 0; k < bodies->count; k++) {
        const Body *body = &bodies->bodies[k];
        const wbBoundaryBodyDef def = {.count = body->count,
                                       .points = body->points,
                                       .normals = body->normals,
                                       .depths = body->depths,
                                       .isMoving = body->isMoving,
                                       .isNoSlip = body->isNoSlip,
                                       .adhesion = body->adhesion,
                                       .motion = moveBody(body, 0)};
        assertOk(wbBoundary_AddBody(&tank->boundary, tank->work.memory, &def));
    }
}

static inline void fillTank(Tank *tank, const Setup *setup) {
    wbParticles *particles = &tank->sph.fluid.particles;
    assertOk(wbParticles_Reserve(particles, tank->work.memory, setup->count));
    for (int i = 0; i < setup->count; i++) {
        const float *x = setup->x + 3 * i, *v = setup->v + 3 * i;
        particles->x[i] = x[0], particles->y[i] = x[1], particles->z[i] = x[2];
        particles->vx[i] = v[0], particles->vy[i] = v[1], particles->vz[i] = v[2];
        particles->id[i] = (uint32_t)i;
        particles->density[i] = setup->def.sph.restDensity;
    }
    particles->count = setup->count;
}

static inline Tank *createTank(const Setup *setup, const Bodies *bodies) {
    Tank *tank = calloc(1, sizeof *tank);
    const wbWorldDef *def = &setup->def;
    tank->work.memory = wbCreateMemory(0);
    tank->work.arena = wbCreateArena(tank->work.memory);
    tank->work.pool = wbCreateThreadPool(tank->work.memory, def->threadCount, NULL, NULL);
    assertOk(wbChooseSimd(def->simd, &tank->work.simd));
    tank->domain = wbMakeDomain(&def->domain, def->params.gravity, def->params.dimensions);
    assertOk(wbSphModel_Init(&tank->model, &def->sph, &tank->domain));
    wbFluidState_Init(&tank->sph.fluid);
    wbBoundary_Init(&tank->boundary);
    fillTank(tank, setup);
    addBodies(tank, bodies);
    tank->colliders = (wbFluidColliders){.boundary = &tank->boundary};
    return tank;
}

static inline void destroyTank(Tank *tank) {
    wbFluidState_Free(tank->work.memory, &tank->sph.fluid);
    wbBoundary_Free(tank->work.memory, &tank->boundary);
    wbDestroyThreadPool(tank->work.pool);
    wbDestroyArena(tank->work.arena);
    wbDestroyMemory(tank->work.memory);
    free(tank);
}

// What a world does before a step.
static inline void setMotions(Tank *tank, const Bodies *bodies, float dt) {
    for (int k = 0; k < bodies->count; k++) {
        if (!bodies->bodies[k].isMoving) continue;
        wbMotion motions[wb_boundaryTimeCount];
        for (int t = 0; t < wb_boundaryTimeCount; t++)
            motions[t] = moveBody(&bodies->bodies[k], tank->time + 0.5 * t * (double)dt);
        wbBoundary_SetMotion(&tank->boundary, k, motions);
    }
}

static inline wbStatus stepTank(Tank *tank, const Bodies *bodies, float dt) {
    setMotions(tank, bodies, dt);
    wbArena_Reset(tank->work.arena);
    wbStatus status = wbSph_Step(&tank->sph, &tank->model, &tank->colliders, &tank->work, dt);
    if (wbIsOk(status)) tank->time += (double)dt;
    return status;
}

// Positions and velocities in the order of ids.
static inline void copyById(const wbSph *sph, float *x, float *v) {
    const wbParticles *p = &sph->fluid.particles;
    for (int k = 0; k < p->count; k++) {
        float *to = x + 3 * p->id[k], *toV = v + 3 * p->id[k];
        to[0] = p->x[k], to[1] = p->y[k], to[2] = p->z[k];
        toV[0] = p->vx[k], toV[1] = p->vy[k], toV[2] = p->vz[k];
    }
}

// The tank of the reference

typedef struct RefTank {
    refSph *sph;
    const Bodies *bodies;
    int pointCount;
    refBoundaryPoint points[maxBodies * maxBodyPoints];
    int owner[maxBodies * maxBodyPoints], point[maxBodies * maxBodyPoints];
    double psi[maxBodies][maxBodyPoints]; // 0: too deep
    double stepStart, dt;
} RefTank;

static inline void placeReference(refSph *sph, double fraction, void *context) {
    const RefTank *tank = context;
    for (int k = 0; k < tank->pointCount; k++) {
        const Body *body = &tank->bodies->bodies[tank->owner[k]];
        const float *p = body->points + 3 * tank->point[k];
        refBoundaryPoint *point = &sph->boundary[k];
        double time = body->isMoving ? tank->stepStart + fraction * tank->dt : 0;
        double angle = body->angle + body->spin * time, s = sin(angle), c = cos(angle);
        const double arm[3] = {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
        const double turning[3] = {-body->spin * arm[1], body->spin * arm[0], 0};
        for (int a = 0; a < 3; a++) {
            point->x[a] = body->position[a] + body->velocity[a] * time + arm[a];
            point->v[a] = body->velocity[a] + turning[a];
        }
    }
}

static inline void weighReference(RefTank *tank, int owner) {
    const Body *body = &tank->bodies->bodies[owner];
    for (int k = 0; k < body->count; k++) {
        bool counts = body->depths[k] < tank->sph->h;
        tank->psi[owner][k] = counts ? tank->sph->mass : 0;
        if (!counts) continue;
        tank->owner[tank->pointCount] = owner, tank->point[tank->pointCount] = k;
        tank->points[tank->pointCount++] = (refBoundaryPoint){
            .psi = tank->psi[owner][k], .noSlip = body->isNoSlip, .adhesion = body->adhesion};
    }
}

static inline RefTank *createRefTank(const Setup *setup, const Bodies *bodies) {
    RefTank *tank = calloc(1, sizeof *tank);
    tank->sph = createReference(setup);
    tank->bodies = bodies;
    for (int k = 0; k < bodies->count; k++) weighReference(tank, k);
    tank->sph->boundary = tank->points, tank->sph->boundaryCount = tank->pointCount;
    tank->sph->placeBoundary = placeReference, tank->sph->placeContext = tank;
    placeReference(tank->sph, 0, tank);
    return tank;
}

static inline void destroyRefTank(RefTank *tank) {
    refDestroySph(tank->sph);
    free(tank);
}

static inline void stepRefTank(RefTank *tank, double dt) {
    tank->dt = dt;
    refStepSph(tank->sph, dt);
    tank->stepStart += dt;
}

// Force and torque of a body about its origin, which was at `origin`.
static inline void sumReference(const RefTank *tank, int owner, const float origin[3], double force[3],
                                double torque[3]) {
    for (int a = 0; a < 3; a++) force[a] = torque[a] = 0;
    for (int k = 0; k < tank->pointCount; k++) {
        if (tank->owner[k] != owner) continue;
        const refBoundaryPoint *point = &tank->points[k];
        for (int a = 0; a < 3; a++) {
            int u = (a + 1) % 3, v = (a + 2) % 3;
            force[a] += point->f[a];
            torque[a] += (point->x[u] - origin[u]) * point->f[v] - (point->x[v] - origin[v]) * point->f[u];
        }
    }
}

// Forces and torques of a step of dt seconds, in parts of the largest component of the force.
static inline void compareForces(const Tank *tank, const RefTank *reference, wbBoundaryTime time, float dt,
                                 double tolerance) {
    for (int k = 0; k < tank->boundary.bodyCount; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(&tank->boundary, k);
        double force[3], torque[3], scale = 0;
        sumReference(reference, k, body->motions[time].pose.position, force, torque);
        for (int a = 0; a < 3; a++) scale = fmax(scale, fabs(force[a]));
        assert_true(scale > 0);
        for (int a = 0; a < 3; a++) {
            assertBelow(fabs(body->impulse.linear[a] / (double)dt - force[a]) / scale, tolerance, "force");
            assertBelow(fabs(body->impulse.angular[a] / (double)dt - torque[a]) / scale, tolerance, "torque");
        }
    }
}

// Shaken water on a still floor, beside a plate that comes nearer and turns, and a closed side on the right.
static inline void makeBasin(int dimensions, Setup *setup, Bodies *bodies) {
    const float spacing = 0.1f, h = 0.27f; // the largest of all variants
    const int nz = dimensions == 3 ? 8 : 1;
    const float middle = dimensions == 3 ? -0.5f * spacing : 0;
    *setup = dimensions == 2 ? makeShaken(2, 17, 13, 1) : makeShaken(3, 8, 8, 6);
    setup->def.domain.sides[wb_right].type = wb_sideFreeSlip;
    *bodies = (Bodies){.count = 2};
    Body *ground = &bodies->bodies[0], *gate = &bodies->bodies[1];
    makeSlab(ground, dimensions == 3 ? 12 : 21, nz, spacing, h, dimensions == 2);
    ground->isNoSlip = true;
    ground->position[0] = -0.35, ground->position[2] = (double)middle;
    makeSlab(gate, 10, nz, spacing, h, dimensions == 2);
    gate->isMoving = true;
    gate->adhesion = 30;
    gate->position[0] = -0.04, gate->position[1] = 0.9, gate->position[2] = (double)middle;
    gate->angle = -1.5, gate->spin = 2;
    gate->velocity[0] = 0.5, gate->velocity[1] = -0.3;
}
