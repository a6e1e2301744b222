// SPDX-License-Identifier: MIT
#include "reference/rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

refRigid *refCreateRigid(int bodyCount, int particleCount) {
    refRigid *r = calloc(1, sizeof *r);
    const size_t bodies = (size_t)bodyCount, particles = (size_t)particleCount;
    r->bodyCount = bodyCount, r->particleCount = particleCount;
    r->bodies = calloc(bodies, sizeof *r->bodies);
    r->particles = calloc(particles, sizeof *r->particles);
    r->springs = calloc(bodies * (bodies + 1), sizeof *r->springs);
    r->shear = calloc(particles * (particles + 6), sizeof *r->shear);
    r->force = calloc(bodies, sizeof *r->force), r->torque = calloc(bodies, sizeof *r->torque);
    return r;
}

void refDestroyRigid(refRigid *r) {
    if (!r) return;
    free(r->bodies), free(r->particles), free(r->springs), free(r->shear), free(r->force), free(r->torque);
    free(r);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

// (16), with its slip put right
static void getMatrix(const double q[4], double m[3][3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

// R diag(scale) R^T v: (22)
static void weigh(const double q[4], const double scale[3], const double v[3], double out[3]) {
    double m[3][3], own[3];
    getMatrix(q, m);
    for (int k = 0; k < 3; k++) own[k] = scale[k] * (m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2]);
    for (int k = 0; k < 3; k++) out[k] = dot(m[k], own);
}

static void getMomentum(const refRigidBody *b, double momentum[3]) {
    weigh(b->q, b->inertia, b->w, momentum);
}

static void setSpin(refRigidBody *b, const double momentum[3]) {
    double inverse[3];
    for (int k = 0; k < 3; k++) inverse[k] = b->inertia[k] > 0 ? 1 / b->inertia[k] : 0;
    weigh(b->q, inverse, momentum, b->w);
}

// dq/dt = (0, w) q / 2: (18)
static void getTurnRate(const double q[4], const double w[3], double rate[4]) {
    rate[0] = 0.5 * (w[0] * q[3] + w[1] * q[2] - w[2] * q[1]);
    rate[1] = 0.5 * (w[1] * q[3] + w[2] * q[0] - w[0] * q[2]);
    rate[2] = 0.5 * (w[2] * q[3] + w[0] * q[1] - w[1] * q[0]);
    rate[3] = -0.5 * dot(w, q);
}

static void normalise(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
}

// (34)
static void placeParticles(refRigid *r) {
    for (int i = 0; i < r->particleCount; i++) {
        refRigidParticle *p = &r->particles[i];
        const refRigidBody *b = &r->bodies[p->body];
        double m[3][3];
        getMatrix(b->q, m);
        for (int k = 0; k < 3; k++) p->x[k] = b->x[k] + dot(m[k], p->own);
    }
}

// (35), at any point
static void getVelocity(const refRigidBody *b, const double point[3], double v[3]) {
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = point[k] - b->x[k];
    cross(b->w, arm, v);
    for (int k = 0; k < 3; k++) v[k] += b->v[k];
}

// (10), (31)
static void addForce(refRigid *r, int body, const double point[3], const double force[3], double sign) {
    double arm[3], torque[3];
    for (int k = 0; k < 3; k++) arm[k] = point[k] - r->bodies[body].x[k];
    cross(arm, force, torque);
    for (int k = 0; k < 3; k++) r->force[body][k] += sign * force[k], r->torque[body][k] += sign * torque[k];
}

// (H 10), (H 11), and the spring across. n is from the second to the first, u the velocity of the first less the second's.
static void getContact(const double n[3], double overlap, const double u[3], const refSprings *s, double span,
                       double shear[3], double force[3]) {
    const double along = dot(u, n), push = s->stiffness * overlap - s->damping * along, lean = dot(shear, n);
    double across[3], drag[3];
    for (int k = 0; k < 3; k++) {
        across[k] = u[k] - along * n[k];
        shear[k] += -lean * n[k] + span * across[k];
        drag[k] = -s->shearStiffness * shear[k] - s->shearDamping * across[k];
    }
    const double size = sqrt(dot(drag, drag)), limit = s->friction * fmax(push, 0);
    for (int k = 0; k < 3 && size > limit; k++) {
        drag[k] *= limit / size;
        shear[k] = s->shearStiffness > 0 ? -(drag[k] + s->shearDamping * across[k]) / s->shearStiffness : 0;
    }
    for (int k = 0; k < 3; k++) force[k] = push * n[k] + drag[k];
}

static void touchParticles(refRigid *r, int i, int j, double span, bool keeps) {
    const refRigidParticle *p = &r->particles[i], *q = &r->particles[j];
    double n[3], d2 = 0, shear[3], force[3], point[3], u[3], other[3];
    for (int k = 0; k < 3; k++) n[k] = p->x[k] - q->x[k], d2 += n[k] * n[k];
    const double d = sqrt(d2), overlap = p->radius + q->radius - d;
    double *kept = r->shear[i * (r->particleCount + 6) + j];
    if (overlap <= 0) {
        if (keeps) memset(kept, 0, sizeof shear);
        return;
    }
    for (int k = 0; k < 3; k++) n[k] = d > 0 ? n[k] / d : k == 1;
    for (int k = 0; k < 3; k++) point[k] = p->x[k] - n[k] * (p->radius - overlap / 2);
    getVelocity(&r->bodies[p->body], point, u), getVelocity(&r->bodies[q->body], point, other);
    for (int k = 0; k < 3; k++) u[k] -= other[k];
    memcpy(shear, kept, sizeof shear);
    getContact(n, overlap, u, &r->springs[p->body * (r->bodyCount + 1) + q->body], span, shear, force);
    if (keeps) memcpy(kept, shear, sizeof shear);
    addForce(r, p->body, point, force, 1), addForce(r, q->body, point, force, -1);
}

// (30), with its slip put right: a force along the side's normal
static void touchSide(refRigid *r, int i, int side, double time, double span, bool keeps) {
    const refRigidParticle *p = &r->particles[i];
    const int axis = side / 2;
    const double sign = side % 2 ? -1 : 1;
    const double place =
        (side % 2 ? r->sideMax[axis] : r->sideMin[axis]) + time * r->sideVelocity[side][axis];
    const double overlap = p->radius - sign * (p->x[axis] - place);
    double n[3] = {0, 0, 0}, shear[3], force[3], point[3], u[3];
    double *kept = r->shear[i * (r->particleCount + 6) + r->particleCount + side];
    if (overlap <= 0) {
        if (keeps) memset(kept, 0, sizeof shear);
        return;
    }
    n[axis] = sign;
    for (int k = 0; k < 3; k++) point[k] = k == axis ? place : p->x[k];
    getVelocity(&r->bodies[p->body], point, u);
    for (int k = 0; k < 3; k++) u[k] -= r->sideVelocity[side][k];
    memcpy(shear, kept, sizeof shear);
    getContact(n, overlap, u, &r->springs[p->body * (r->bodyCount + 1) + r->bodyCount], span, shear, force);
    if (keeps) memcpy(kept, shear, sizeof shear);
    addForce(r, p->body, point, force, 1);
}

// `time` since the step began, `span` since the sub-step did.
static void evaluate(refRigid *r, double time, double span, bool keeps) {
    placeParticles(r);
    memset(r->force, 0, sizeof *r->force * (size_t)r->bodyCount);
    memset(r->torque, 0, sizeof *r->torque * (size_t)r->bodyCount);
    for (int i = 0; i < r->particleCount; i++) {
        for (int j = i + 1; j < r->particleCount; j++)
            if (r->particles[i].body != r->particles[j].body) touchParticles(r, i, j, span, keeps);
        for (int side = 0; side < 6; side++)
            if (r->closed[side]) touchSide(r, i, side, time, span, keeps);
    }
    for (int b = 0; b < r->bodyCount; b++)
        for (int k = 0; k < 3; k++) r->force[b][k] += r->bodies[b].mass * r->gravity[k];
}

static void slowDown(const refRigid *r, refRigidBody *b, double h) {
    for (int k = 0; k < 3; k++) b->v[k] /= 1 + h * b->linearDamping, b->w[k] /= 1 + h * b->angularDamping;
    const double speed = sqrt(dot(b->v, b->v));
    for (int k = 0; k < 3 && r->terminalSpeed > 0 && speed > r->terminalSpeed; k++)
        b->v[k] *= r->terminalSpeed / speed;
}

// (32), (33)
static void kick(refRigid *r, double h) {
    for (int n = 0; n < r->bodyCount; n++) {
        refRigidBody *b = &r->bodies[n];
        double momentum[3];
        getMomentum(b, momentum);
        for (int k = 0; k < 3; k++) momentum[k] += h * r->torque[n][k];
        for (int k = 0; k < 3; k++) b->v[k] += h * r->force[n][k] / b->mass;
        setSpin(b, momentum);
        slowDown(r, b, h);
    }
}

static void drift(refRigid *r, double h) {
    for (int n = 0; n < r->bodyCount; n++) {
        refRigidBody *b = &r->bodies[n];
        double momentum[3], rate[4], start[4];
        getMomentum(b, momentum);
        memcpy(start, b->q, sizeof start);
        for (int k = 0; k < 3; k++) b->x[k] += h * b->v[k];
        if (r->integrator != refEuler) {
            getTurnRate(b->q, b->w, rate);
            for (int k = 0; k < 4; k++) b->q[k] += 0.5 * h * rate[k];
            normalise(b->q);
            setSpin(b, momentum);
        }
        getTurnRate(start, b->w, rate);
        for (int k = 0; k < 4; k++) b->q[k] = start[k] + h * rate[k];
        normalise(b->q);
        setSpin(b, momentum);
    }
}

typedef struct Motion {
    double x[3], q[4], v[3], momentum[3];
} Motion;

static void addMotion(Motion *to, double h, const Motion *rate) {
    double *a = to->x;
    const double *b = rate->x;
    for (size_t k = 0; k < sizeof *to / sizeof *a; k++) a[k] += h * b[k];
}

static void setMotion(refRigidBody *b, const Motion *m) {
    memcpy(b->x, m->x, sizeof b->x), memcpy(b->q, m->q, sizeof b->q), memcpy(b->v, m->v, sizeof b->v);
    normalise(b->q);
    setSpin(b, m->momentum);
}

static void advanceRungeKutta(refRigid *r, double time, double h) {
    static const double weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, steps[4] = {0, 0.5, 0.5, 1};
    const size_t count = (size_t)r->bodyCount;
    Motion *base = calloc(count, sizeof *base), *sum = calloc(count, sizeof *sum);
    for (int n = 0; n < r->bodyCount; n++) {
        const refRigidBody *b = &r->bodies[n];
        memcpy(base[n].x, b->x, sizeof b->x), memcpy(base[n].q, b->q, sizeof b->q);
        memcpy(base[n].v, b->v, sizeof b->v);
        getMomentum(b, base[n].momentum);
    }
    for (int s = 0; s < 4; s++) {
        evaluate(r, time + steps[s] * h, s == 3 ? h : steps[s] * h, s == 3);
        for (int n = 0; n < r->bodyCount; n++) {
            refRigidBody *b = &r->bodies[n];
            Motion rate, next = base[n];
            memcpy(rate.x, b->v, sizeof rate.x);
            getTurnRate(b->q, b->w, rate.q);
            for (int k = 0; k < 3; k++) rate.v[k] = r->force[n][k] / b->mass;
            memcpy(rate.momentum, r->torque[n], sizeof rate.momentum);
            addMotion(&sum[n], weights[s], &rate);
            if (s < 3) addMotion(&next, steps[s + 1] * h, &rate), setMotion(b, &next);
        }
    }
    for (int n = 0; n < r->bodyCount; n++) {
        addMotion(&base[n], h, &sum[n]);
        setMotion(&r->bodies[n], &base[n]);
        slowDown(r, &r->bodies[n], h);
    }
    free(base), free(sum);
}

void refStepRigid(refRigid *r, double dt, int subSteps) {
    const double h = dt / subSteps;
    for (int s = 0; s < subSteps; s++) {
        const double time = s * h;
        switch (r->integrator) {
        case refEuler:
            evaluate(r, time, h, true);
            kick(r, h), drift(r, h);
            break;
        case refVerlet:
            if (s == 0) evaluate(r, time, 0, false);
            kick(r, h / 2), drift(r, h);
            evaluate(r, time + h, h, true);
            kick(r, h / 2);
            break;
        case refLeapfrog:
            drift(r, h / 2);
            evaluate(r, time + h / 2, h, true);
            kick(r, h), drift(r, h / 2);
            break;
        case refRungeKutta4:
            advanceRungeKutta(r, time, h);
            break;
        }
    }
    for (int k = 0; k < 6; k++)
        *(k % 2 ? &r->sideMax[k / 2] : &r->sideMin[k / 2]) += dt * r->sideVelocity[k][k / 2];
}
