// SPDX-License-Identifier: MIT
// The material of the domain's sides, on the cores and on devices: how far a box slides on the floor, and how high a ball bounces off it.
#pragma once

#include "test_support.h"
#include "wirbel/rigid.h"
#include "wirbel/wirbel.h"

typedef struct SidesResult {
    float speed;  ///< m/s, of a box with friction 0.5 that slid at 3 m/s for half a second
    float height; ///< m, that a ball without restitution rises to again, of 0.5
} SidesResult;

static inline SidesResult runOnSides(wbBackend backend, wbRigidContact contact,
                                     const char *const settings[4]) {
    static const char *const keys[4] = {"rigid.sideMaterial", "rigid.sideFriction", "rigid.sideRestitution",
                                        "rigid.frictionMix"};
    wbWorldDef def = wbDefaultWorldDef();
    wbRigidBodyDef box = wbDefaultRigidBodyDef(), ball = wbDefaultRigidBodyDef();
    wbRigidBodyId ids[2];
    wbRigidMotion motions[2];
    wbWorld *world;
    SidesResult result = {0, 0};
    def.threadCount = 1;
    def.params.backend = backend, def.params.dt = 1.0f / 60;
    def.rigid.contact = contact;
    def.domain = (wbDomainDef){.min = {-10, 0, -10}, .max = {10, 10, 10}};
    box.name = "box", box.params.position = wbMakeVec3(0, 0.5f, 0);
    box.params.velocity = wbMakeVec3(3, 0, 0), box.params.friction = 0.5f;
    ball.name = "ball", ball.params.shape = wb_rigidSphere, ball.params.radius = 0.1f;
    ball.params.position = wbMakeVec3(0, 0.6f, 5), ball.params.restitution = 0;
    assertOk(wbCreateWorld(&def, &world));
    assertOk(wbCreateRigidBody(world, &box, &ids[0]));
    assertOk(wbCreateRigidBody(world, &ball, &ids[1]));
    for (int k = 0; k < 4; k++)
        if (settings[k]) assertOk(wbWorld_SetParam(world, keys[k], settings[k]));
    for (int n = 0; n < 40; n++) {
        assertOk(wbWorld_Step(world, 0));
        for (int k = 0; k < 2; k++) assertOk(wbRigidBody_GetMotion(world, ids[k], &motions[k]));
        if (n == 29) result.speed = motions[0].velocity.x;
        if (n > 22 && motions[1].position.y - 0.1f > result.height)
            result.height = motions[1].position.y - 0.1f;
    }
    wbDestroyWorld(world);
    return result;
}

// Sides are of the body's material at first; of their own, it is mixed by the rules of materials: 0.5 with 0.02 is 0.1 by the geometric
// mean, and 0.8 with 0 is 0.8 where the most counts.
static inline void checkSides(wbBackend backend, wbRigidContact contact) {
    static const char *const cases[][4] = {{NULL, NULL, NULL, NULL},
                                           {NULL, "0", "0.8", NULL},
                                           {"own", "0", NULL, NULL},
                                           {"own", "0.02", "0.8", NULL},
                                           {"own", "0", "0", "most"}};
    static const float frictions[] = {0.5f, 0.5f, 0, 0.1f, 0.5f};
    for (int k = 0; k < 5; k++) {
        const SidesResult result = runOnSides(backend, contact, cases[k]);
        assert_float_equal(result.speed, 3 - 0.5 * 9.81 * frictions[k], 0.1);
        if (contact == wb_contactExact)
            assert_float_equal(result.height, k == 3 ? 0.32 : 0, 0.01);
        else // balls of particles bounce higher than they should
            assert_true(k == 3 ? result.height > 0.3 : result.height < 0.15);
    }
}
