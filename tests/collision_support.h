// SPDX-License-Identifier: MIT
// Hard cases for the collision, for any machine that runs it. What comes out is checked in double, by other formulas.
#pragma once

#include "shape_support.h"
#include "space/collision.h"

/// Runs the collision on the processor or on a device.
typedef struct CollisionRunner {
    wbCollisionCounts (*run)(void *context, wbCollision *collision, const wbCollisionPlace *places,
                             const wbCollisionPoints *points);
    void *context;
} CollisionRunner;

enum { MOST_PARTICLES = 20000 };

/// Particles with room for a copy of their positions.
typedef struct Swarm {
    int count;
    float before[3][MOST_PARTICLES], position[3][MOST_PARTICLES], velocity[3][MOST_PARTICLES];
} Swarm;

static inline Swarm *makeSwarm(int count) {
    Swarm *swarm = calloc(1, sizeof *swarm);
    assert_non_null(swarm);
    assert_true(count <= MOST_PARTICLES);
    swarm->count = count;
    return swarm;
}

static inline wbVec3 getColumn(float (*columns)[MOST_PARTICLES], int i) {
    return wbMakeVec3(columns[0][i], columns[1][i], columns[2][i]);
}

static inline void setColumn(float (*columns)[MOST_PARTICLES], int i, wbVec3 v) {
    columns[0][i] = v.x, columns[1][i] = v.y, columns[2][i] = v.z;
}

/// Keeps the positions as those before, then moves all by `dt` times their velocities.
static inline void drift(Swarm *swarm, float dt) {
    memcpy(swarm->before, swarm->position, sizeof swarm->before);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < swarm->count; i++) swarm->position[a][i] += dt * swarm->velocity[a][i];
}

static inline wbCollisionCounts runCollision(const CollisionRunner *runner, wbCollision *collision,
                                             const wbCollisionPlace *places, Swarm *swarm) {
    wbCollisionPoints points = {.count = swarm->count,
                                .beforeX = swarm->before[0],
                                .beforeY = swarm->before[1],
                                .beforeZ = swarm->before[2],
                                .x = swarm->position[0],
                                .y = swarm->position[1],
                                .z = swarm->position[2],
                                .vx = swarm->velocity[0],
                                .vy = swarm->velocity[1],
                                .vz = swarm->velocity[2]};
    return runner->run(runner->context, collision, places, &points);
}

/// A point in a pose's own frame, in double.
static inline void toOwnFrame(const wbPose *pose, wbVec3 p, double own[3]) {
    const float *r = pose->rotation;
    double x = -(double)r[0], y = -(double)r[1], z = -(double)r[2], w = r[3];
    double length = sqrt(x * x + y * y + z * z + w * w);
    x /= length, y /= length, z /= length, w /= length;
    double v[3] = {(double)p.x - pose->position[0], (double)p.y - pose->position[1],
                   (double)p.z - pose->position[2]};
    double t[3] = {y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1],
                   x * v[1] - y * v[0] + w * v[2]};
    own[0] = v[0] + 2 * (y * t[2] - z * t[1]);
    own[1] = v[1] + 2 * (z * t[0] - x * t[2]);
    own[2] = v[2] + 2 * (x * t[1] - y * t[0]);
}

/// Whether a segment meets a box about the origin.
static inline bool meetsBox(const double from[3], const double to[3], const double half[3]) {
    double enter = 0, leave = 1;
    for (int a = 0; a < 3; a++) {
        double d = to[a] - from[a], low = -half[a] - from[a], high = half[a] - from[a];
        if (d == 0 && (low > 0 || high < 0)) return false;
        if (d == 0) continue;
        enter = fmax(enter, d > 0 ? low / d : high / d), leave = fmin(leave, d > 0 ? high / d : low / d);
    }
    return enter <= leave;
}

static inline wbPose randomPose(uint32_t *seed, wbVec3 about, float reach) {
    wbVec3 p = wbAdd(about, randomPoint(seed, reach));
    float q[4], length2 = 0;
    for (int k = 0; k < 4; k++) q[k] = randomNumber(seed), length2 += q[k] * q[k];
    float s = 1 / sqrtf(length2 + 1e-6f);
    return (wbPose){{p.x, p.y, p.z}, {s * q[0], s * q[1], s * q[2], s * q[3]}};
}

static inline wbCollision *collideOf(const wbShape *const *shapes, int count) {
    wbCollision *collision;
    assertOk(wbCreateCollision(NULL, shapes, count, &collision));
    return collision;
}

/// Paths of many thicknesses through a plate that jumps and turns: none leads through it. `about`: where it all is.
static inline void checkThinPlate(const CollisionRunner *runner, wbVec3 about, float thickness, int steps) {
    enum { COUNT = 10000 };
    wbMesh mesh;
    wbVec3 size = {1, thickness, 0.7f};
    const double margin = 1e-7 * (double)(lengthOf(about) + 1);
    const double half[3] = {0.5 - margin, 0.5 * (double)thickness - margin, 0.35 - margin};
    const wbShape *plate = shapeOf(wbMakeBox(size, &mesh), &mesh);
    wbCollision *collision = collideOf(&plate, 1);
    Swarm *swarm = makeSwarm(COUNT);
    uint32_t seed = 1;
    int64_t caught = 0;
    wbCollisionPlace place = {.after.pose = randomPose(&seed, about, 0.2f)};
    for (int i = 0; i < COUNT; i++) { // none in the plate
        double own[3];
        wbVec3 p;
        do {
            p = wbAdd(about, randomPoint(&seed, 1));
            toOwnFrame(&place.after.pose, p, own);
        } while (fabs(own[1]) < (double)thickness);
        setColumn(swarm->position, i, p);
    }
    for (int step = 0; step < steps; step++) {
        place.before = place.after.pose, place.after.pose = randomPose(&seed, about, 0.2f);
        for (int i = 0; i < COUNT; i++) { // some far, some hardly, and back to the middle
            wbVec3 home = wbScale(0.2f, wbSub(about, getColumn(swarm->position, i)));
            setColumn(swarm->velocity, i, wbAdd(home, randomPoint(&seed, i % 3 == 0 ? 0.01f : 1)));
        }
        drift(swarm, 1);
        wbCollisionCounts counts = runCollision(runner, collision, &place, swarm);
        caught += counts.caught;
        assert_int_equal(counts.lost, 0);
        for (int i = 0; i < COUNT; i++) {
            double from[3], to[3];
            toOwnFrame(&place.before, getColumn(swarm->before, i), from);
            toOwnFrame(&place.after.pose, getColumn(swarm->position, i), to);
            if (meetsBox(from, to, half)) fail_msg("step %d: particle %d passed the plate", step, i);
        }
    }
    assert_true(caught > steps * COUNT / 100);
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)plate);
}

/// A closed vessel, shaken and turned with particles in it: all stay.
static inline void checkShakenVessel(const CollisionRunner *runner, wbVec3 about, int steps) {
    enum { COUNT = 500 };
    wbMesh mesh;
    wbCupParams params = {0.3f, 0.5f, 0.01f, 0.01f, true, 24};
    const wbShape *cup = shapeOf(wbMakeCup(&params, &mesh), &mesh);
    wbCollision *collision = collideOf(&cup, 1);
    Swarm *swarm = makeSwarm(COUNT);
    uint32_t seed = 5;
    wbCollisionPlace place = {.after.pose = randomPose(&seed, about, 0.3f)};
    for (int i = 0; i < COUNT; i++) {
        wbVec3 p = randomPoint(&seed, 0.2f);
        setColumn(swarm->position, i, wbPose_Apply(&place.after.pose, wbAdd(p, wbMakeVec3(0, 0.26f, 0))));
    }
    for (int step = 0; step < steps; step++) {
        place.before = place.after.pose;
        if (step % 2 == 0) place.after.pose = randomPose(&seed, about, 0.3f);
        for (int i = 0; i < COUNT; i++) setColumn(swarm->velocity, i, randomPoint(&seed, i % 2 ? 0.02f : 1));
        drift(swarm, 1);
        assert_int_equal(runCollision(runner, collision, &place, swarm).lost, 0);
        for (int i = 0; i < COUNT; i++) {
            double own[3];
            toOwnFrame(&place.after.pose, getColumn(swarm->position, i), own);
            if (!(hypot(own[0], own[2]) < 0.3 && own[1] > 0.01 && own[1] < 0.51))
                fail_msg("step %d: particle %d left the vessel: (%g, %g, %g)", step, i, own[0], own[1],
                         own[2]);
        }
    }
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)cup);
}

/// Straight at the corners, edges, diagonals and middles of a cube, to its centre and through it.
static inline void checkExactHits(const CollisionRunner *runner) {
    wbMesh mesh;
    const wbShape *cube = shapeOf(wbMakeBox(wbMakeVec3(2, 2, 2), &mesh), &mesh);
    wbCollision *collision = collideOf(&cube, 1);
    wbCollisionPlace place = {.before = wb_poseAtOrigin, .after = {.pose = wb_poseAtOrigin}};
    Swarm *swarm = makeSwarm(2 * 26 * 16);
    for (int i = 0; i < swarm->count; i++) {
        int direction = i / 32, way = i % 32;
        if (direction >= 13) direction++; // 13 is no direction
        wbVec3 d = {(float)(direction % 3 - 1), (float)(direction / 3 % 3 - 1), (float)(direction / 9 - 1)};
        float from = 1.25f + 0.25f * (float)(way / 4), to = way % 2 ? 0 : -2;
        setColumn(swarm->position, i, wbScale(from, d));
        // half of them across the middle of one face, on its diagonal
        wbVec3 aim = way & 2 ? wbScale(to, d) : wbMakeVec3(to * d.y, to * d.x, to * d.z);
        setColumn(swarm->velocity, i, wbSub(aim, wbScale(from, d)));
    }
    drift(swarm, 1);
    assert_true(runCollision(runner, collision, &place, swarm).lost == 0);
    const double half[3] = {1, 1, 1};
    for (int i = 0; i < swarm->count; i++) {
        wbVec3 a = getColumn(swarm->before, i), b = getColumn(swarm->position, i);
        double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
        if (meetsBox(from, to, half))
            fail_msg("from (%g, %g, %g) into the cube: (%g, %g, %g)", from[0], from[1], from[2], to[0], to[1],
                     to[2]);
    }
    free(swarm);
    wbDestroyCollision(collision);
    wbDestroyShape((wbShape *)cube);
}

/// What collision_particle does, with a loop over all colliders.
static inline bool isClearOfAll(const CollisionTrees *trees, const CollisionParticle *particle) {
    for (int s = 0; s < trees->colliderCount; s++) {
        const CollisionCollider *collider = &trees->colliders[s];
        const CollisionPath path = collision_path(collider, particle);
        if (collision_is_near(collider, particle) &&
            collision_meets(&path, collider->min, collider->max, 2 * collider->hair) &&
            collision_find(collider, trees, &path).at < 2)
            return false;
    }
    return true;
}
static inline int collideWithAll(const CollisionTrees *trees, CollisionParticle *particle) {
    CollisionPlane last = {{0, 0, 0}, 0, 0};
    bool isMoved = true, isCaught = false;
    for (int round = 0; isMoved && round < COLLISION_ROUNDS; round++) {
        isMoved = false;
        for (int s = 0; s < trees->colliderCount; s++)
            if (collision_push(&trees->colliders[s], s, trees, round < COLLISION_SLIDES, particle,
                               &(CollisionGift){NULL, 0}, &last))
                isMoved = isCaught = true;
    }
    if (!isMoved) return isCaught ? COLLISION_CAUGHT : COLLISION_FREE;
    for (int s = 0; s < trees->colliderCount; s++) {
        const CollisionCollider *collider = &trees->colliders[s];
        particle->position =
            collision_apply(&collider->after, collision_apply_inverse(&collider->before, particle->before));
        if (isClearOfAll(trees, particle)) return COLLISION_CAUGHT;
    }
    return COLLISION_LOST;
}

/// Where a collider goes: some rest, some are shifted, turned a little, or far.
static inline wbCollisionPlace makeAnyPlace(uint32_t *seed, wbVec3 about, int kind) {
    wbCollisionPlace place = {.before = randomPose(seed, about, 1)};
    place.after.pose = place.before;
    if (kind % 3 == 1) {
        for (int a = 0; a < 3; a++) place.after.pose.position[a] += 0.1f * randomNumber(seed);
        place.after.velocity[1] = randomNumber(seed), place.after.spin[0] = randomNumber(seed);
    }
    if (kind % 9 == 1) {
        const float half = kind % 2 ? 0.05f : 0.4f * fabsf(randomNumber(seed));
        const wbPose turn = {{0, 0, 0}, {0, sinf(half), 0, cosf(half)}};
        place.after.pose = wbPose_Multiply(&place.after.pose, &turn);
    }
    return place;
}

/// A thousand colliders that overlap and move as they like do what a loop over all of them does: in the same order, to the bit
/// if `isExact`.
static inline void checkManyColliders(const CollisionRunner *runner, wbVec3 about, bool isExact) {
    enum { COLLIDERS = 1000, COUNT = 1500 };
    wbMesh mesh;
    wbCupParams cup = {0.05f, 0.1f, 0.01f, 0.01f, false, 8};
    const wbShape *kinds[3] = {shapeOf(wbMakeBox(wbMakeVec3(0.1f, 0.06f, 0.02f), &mesh), &mesh),
                               shapeOf(wbMakeCup(&cup, &mesh), &mesh),
                               shapeOf(wbMakeBox(wbMakeVec3(2, 0.02f, 2), &mesh), &mesh)};
    const wbShape *shapes[COLLIDERS];
    static wbCollisionPlace places[COLLIDERS];
    uint32_t seed = 13;
    for (int s = 0; s < COLLIDERS; s++) shapes[s] = kinds[s % 100 == 7 ? 2 : s % 2];
    wbCollision *collision = collideOf(shapes, COLLIDERS);
    Swarm *swarm = makeSwarm(COUNT), *expected = makeSwarm(COUNT);
    for (int round = 0; round < 2; round++) {
        wbCollisionCounts counts = {0, 0};
        int differing = 0;
        for (int s = 0; s < COLLIDERS; s++)
            if (round == 0 || s % 10 == 0) places[s] = makeAnyPlace(&seed, about, s);
        for (int i = 0; i < COUNT; i++) {
            setColumn(swarm->position, i, wbAdd(about, randomPoint(&seed, 1)));
            setColumn(swarm->velocity, i, randomPoint(&seed, i % 10 ? 0.05f : 1));
        }
        drift(swarm, 1);
        wbCollision_Place(collision, places);
        *expected = *swarm;
        for (int i = 0; i < COUNT; i++) {
            CollisionParticle particle = {getColumn(swarm->before, i), getColumn(swarm->position, i),
                                          getColumn(swarm->velocity, i)};
            const int result = collideWithAll(&wbCollision_GetParts(collision)->trees, &particle);
            counts.caught += result != COLLISION_FREE, counts.lost += result == COLLISION_LOST;
            setColumn(expected->position, i, particle.position);
            setColumn(expected->velocity, i, particle.velocity);
        }
        const wbCollisionCounts own = runCollision(runner, collision, places, swarm);
        assert_true(counts.caught > COUNT / 10 && counts.lost > 0);
        if (isExact) {
            assert_memory_equal(swarm, expected, sizeof *swarm);
            assert_true(own.caught == counts.caught && own.lost == counts.lost);
        }
        for (int i = 0; i < COUNT; i++)
            differing +=
                lengthOf(wbSub(getColumn(swarm->position, i), getColumn(expected->position, i))) > 1e-4f;
        assert_true(differing <= COUNT / 100);
    }
    free(swarm), free(expected);
    wbDestroyCollision(collision);
    for (int k = 0; k < 3; k++) wbDestroyShape((wbShape *)kinds[k]);
}
