// SPDX-License-Identifier: MIT
// For tests of rigid bodies as particles on every backend: set-ups, and comparisons with the reference.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/rigid.h"
#include "rigid/rigid.h"
#include "rigid/rigid_list.h"
#include "work_support.h"

#define DEFAULT(field, value, ...)             .field = (value),
#define DEFAULT_ENUM(field, type, value, ...)  .field = (value),
#define DEFAULT_VECTOR(field, vx, vy, vz, ...) .field = {(vx), (vy), (vz)},
#define DEFAULT_SIZE(field, w, h, ...)         .field = {(w), (h)},
#define DEFAULT_AUTO(field, ...)               .field = 0,

typedef struct Scene {
    wbWork work;
    wbRigid rigid;
    wbRigidModel model;
    wbDomain *domain; // the model's
} Scene;

static inline Scene createScene(int threads, wbSimd simd) {
    Scene scene = {.work = createWork(threads, simd),
                   .model = {.params = {WB_RIGID_PARAMS(DEFAULT, DEFAULT_AUTO, DEFAULT, DEFAULT, DEFAULT_ENUM,
                                                        DEFAULT_VECTOR, DEFAULT_SIZE)}},
                   .domain = malloc(sizeof(wbDomain))};
    *scene.domain = (wbDomain){.dimensions = 3, .gravity = {0, -9.81f, 0}};
    scene.model.domain = scene.domain;
    scene.model.params.contact = wb_contactParticles;
    wbRigid_Init(&scene.rigid);
    return scene;
}

static inline void destroyScene(Scene *scene) {
    wbRigid_Free(scene->work.memory, &scene->rigid);
    free(scene->domain);
    destroyWork(&scene->work);
}

static inline wbStatus tryStep(Scene *scene, float dt) {
    wbArena_Reset(scene->work.arena);
    return wbRigid_StepParticles(&scene->rigid, &scene->model, &scene->work, dt);
}

static inline void stepScene(Scene *scene, float dt) {
    assertOk(tryStep(scene, dt));
    *scene->domain = wbDomain_At(scene->domain, dt); // sides go on as they go
}

static inline void closeSide(Scene *scene, int side, float place) {
    scene->domain->closed[side] = true;
    *(side % 2 ? &scene->domain->max[side / 2] : &scene->domain->min[side / 2]) = place;
}

static inline wbRigidPiece makePiece(wbPieceKind kind, float a, float b, float c) {
    return (wbRigidPiece){.kind = kind, .pose = wb_poseAtOrigin, .size = {a, b, c}};
}

static inline wbPose poseAt(float x, float y, float z) { return (wbPose){{x, y, z}, {0, 0, 0, 1}}; }

static inline int addPieces(Scene *scene, const wbRigidPiece *pieces, int count, wbPose pose, double mass,
                            uint32_t bits) {
    wbRigidBodySetup setup = {.pieces = pieces,
                              .pieceCount = count,
                              .pose = pose,
                              .bits = bits,
                              .mass = mass,
                              .gravityScale = 1,
                              .friction = 0.5f,
                              .category = 1,
                              .mask = 0x7fffffff};
    for (int k = 0; k < count && bits & WB_RIGID_DYNAMIC; k++) {
        const wbMassProperties part = wbRigidPiece_GetMass(&pieces[k], scene->domain->dimensions);
        wbMassProperties_Add(&setup.solid, &part, 1);
    }
    wbPose frame;
    assertOk(wbRigid_AddBody(&scene->rigid, scene->work.memory, &scene->model, &setup, &frame));
    return scene->rigid.count - 1;
}

static inline int addPiece(Scene *scene, wbRigidPiece piece, wbPose pose, double mass) {
    return addPieces(scene, &piece, 1, pose, mass, WB_RIGID_DYNAMIC);
}

static inline int addBox(Scene *scene, wbPose pose, float edge, double mass) {
    return addPiece(scene, makePiece(wb_pieceBox, edge / 2, edge / 2, edge / 2), pose, mass);
}

// One particle: what it does has a closed form.
static inline int addBall(Scene *scene, wbVec3 at, float radius, double mass) {
    const int before = scene->model.params.particlesPerEdge;
    scene->model.params.particlesPerEdge = 1;
    const int body = addPiece(scene, makePiece(wb_pieceSphere, radius, 0, 0), poseAt(at.x, at.y, at.z), mass);
    scene->model.params.particlesPerEdge = before;
    return body;
}

static inline wbPose randomPose(uint32_t seed, wbVec3 at) {
    wbPose pose = {{at.x, at.y, at.z}, {0, 0, 0, 0}};
    float length = 0;
    for (uint32_t k = 0; k < 4; k++)
        pose.rotation[k] = randomSigned(4 * seed + k), length += pose.rotation[k] * pose.rotation[k];
    for (int k = 0; k < 4; k++) pose.rotation[k] /= sqrtf(length);
    return pose;
}

// Boxes, balls, a capsule and a compound, of different sizes, in each other's way and in that of sides that close in.
static inline void buildMixture(Scene *scene) {
    wbRigid *rigid = &scene->rigid;
    for (uint32_t k = 0; k < 12; k++) {
        const wbVec3 at = {0.55f * (float)(k % 3), 0.5f + 0.5f * (float)(k / 6), 0.55f * (float)(k / 3 % 2)};
        const float size = 0.22f + 0.05f * wbHashFloat(99 + k);
        wbRigidPiece pieces[2] = {makePiece(k % 4 == 1   ? wb_pieceSphere
                                            : k % 4 == 2 ? wb_pieceCapsule
                                                         : wb_pieceBox,
                                            size, 0.2f, size),
                                  makePiece(wb_pieceBox, 0.1f, 0.3f, 0.1f)};
        if (k % 4 == 0) pieces[0].size[1] = 0.6f * size;
        pieces[1].pose.position[0] = 0.2f;
        scene->model.params.particlesPerEdge = 2 + (int)k % 3;
        const int body =
            addPieces(scene, pieces, 1 + (k % 4 == 3), randomPose(k, at), 0.5 + 0.1 * k, WB_RIGID_DYNAMIC);
        rigid->vx[body] = randomSigned(1000 + 3 * k), rigid->vy[body] = randomSigned(1001 + 3 * k);
        rigid->vz[body] = randomSigned(1002 + 3 * k);
        rigid->wx[body] = 3 * randomSigned(2000 + 3 * k), rigid->wy[body] = 3 * randomSigned(2001 + 3 * k);
        rigid->wz[body] = 3 * randomSigned(2002 + 3 * k);
        rigid->linearDamping[body] = 0.1f * (float)(k % 2), rigid->angularDamping[body] = 0.2f;
        rigid->friction[body] = 0.3f + 0.05f * (float)k;
    }
    closeSide(scene, wb_left, -0.3f), closeSide(scene, wb_right, 1.3f);
    closeSide(scene, wb_bottom, 0.1f), closeSide(scene, wb_back, -0.3f), closeSide(scene, wb_front, 0.9f);
    const float squeeze[3] = {0.4f, 0.5f, -0.3f};
    memcpy(scene->domain->velocity[wb_left], squeeze, sizeof squeeze);
    scene->model.params.subSteps = 4;
}

// Against the reference

static inline refSprings copySprings(RigidSprings s) {
    return (refSprings){(double)s.stiffness, (double)s.damping, (double)s.shearStiffness,
                        (double)s.shearDamping, (double)s.friction};
}

static inline refRigid *createReference(Scene *scene, float h) {
    const wbRigid *rigid = &scene->rigid;
    const wbRigidParticles *p = &rigid->particles;
    assertOk(wbRigid_PrepareParticles(&scene->rigid, &scene->model, &scene->work));
    int count = 0;
    for (int b = 0; b < rigid->count; b++) count += p->surfaceCount[b];
    refRigid *r = refCreateRigid(rigid->count, count);
    count = 0;
    for (int b = 0; b < rigid->count; b++) {
        refRigidBody *body = &r->bodies[b];
        const float x[3] = {rigid->x[b], rigid->y[b], rigid->z[b]},
                    v[3] = {rigid->vx[b], rigid->vy[b], rigid->vz[b]},
                    w[3] = {rigid->wx[b], rigid->wy[b], rigid->wz[b]},
                    q[4] = {rigid->qx[b], rigid->qy[b], rigid->qz[b], rigid->qw[b]},
                    inertia[3] = {rigid->inverseInertiaX[b], rigid->inverseInertiaY[b],
                                  rigid->inverseInertiaZ[b]};
        for (int k = 0; k < 4; k++) body->q[k] = q[k];
        for (int k = 0; k < 3; k++) {
            body->x[k] = x[k], body->v[k] = v[k], body->w[k] = w[k];
            body->inertia[k] = inertia[k] > 0 ? 1 / (double)inertia[k] : 0;
        }
        body->mass = 1 / (double)rigid->inverseMass[b];
        body->linearDamping = rigid->linearDamping[b], body->angularDamping = rigid->angularDamping[b];
        body->first = count, body->count = p->surfaceCount[b];
        for (int i = p->firstParticle[b]; i < p->firstParticle[b] + p->surfaceCount[b]; i++)
            r->particles[count++] =
                (refRigidParticle){{p->x[i], p->y[i], p->z[i]}, p->radius[i], {0, 0, 0}, b};
        for (int c = b + 1; c <= rigid->count; c++)
            r->springs[b * (rigid->count + 1) + c] =
                copySprings(wbRigid_GetSprings(rigid, &scene->model, b, c < rigid->count ? c : -1, h));
    }
    const wbVec3 g = scene->domain->gravity;
    r->gravity[0] = g.x, r->gravity[1] = g.y, r->gravity[2] = g.z;
    r->terminalSpeed = scene->model.params.terminalSpeed;
    r->integrator = (refIntegrator)scene->model.params.integrator;
    for (int side = 0; side < wb_sideCount; side++) {
        r->closed[side] = scene->domain->closed[side];
        for (int k = 0; k < 3; k++) r->sideVelocity[side][k] = scene->domain->velocity[side][k];
    }
    for (int k = 0; k < 3; k++) r->sideMin[k] = scene->domain->min[k], r->sideMax[k] = scene->domain->max[k];
    return r;
}

static inline void compare(const wbRigid *rigid, const refRigid *r, double tolerance) {
    double place = 0, turn = 0, speed = 0, spin = 0;
    for (int b = 0; b < rigid->count; b++) {
        const refRigidBody *body = &r->bodies[b];
        const float x[3] = {rigid->x[b], rigid->y[b], rigid->z[b]},
                    v[3] = {rigid->vx[b], rigid->vy[b], rigid->vz[b]},
                    w[3] = {rigid->wx[b], rigid->wy[b], rigid->wz[b]},
                    q[4] = {rigid->qx[b], rigid->qy[b], rigid->qz[b], rigid->qw[b]};
        for (int k = 0; k < 4; k++) turn = fmax(turn, fabs(q[k] - body->q[k]));
        for (int k = 0; k < 3; k++) {
            place = fmax(place, fabs(x[k] - body->x[k])), speed = fmax(speed, fabs(v[k] - body->v[k]));
            spin = fmax(spin, fabs(w[k] - body->w[k]));
        }
    }
    assertBelow(place, tolerance, "place"), assertBelow(turn, tolerance, "turn");
    assertBelow(speed, 100 * tolerance, "speed"), assertBelow(spin, 1000 * tolerance, "spin");
}

static inline uint64_t hashBodies(wbRigid *rigid) {
    wbColumn columns[WB_RIGID_COLUMNS], contacts[WB_RIGID_CONTACT_COLUMNS];
    uint64_t hash = WB_HASH_START;
    wbRigid_ListColumns(rigid, columns);
    wbRigidParticles_ListContacts(&rigid->particles, contacts);
    for (int k = 0; k < WB_RIGID_COLUMNS; k++)
        hash = wbHashBytes(hash, *columns[k].data, sizeof(float) * (size_t)rigid->count);
    for (int k = 2; k < WB_RIGID_CONTACT_COLUMNS; k++)
        hash = wbHashBytes(hash, *contacts[k].data, sizeof(float) * (size_t)rigid->particles.contactCount);
    return hash;
}
