// SPDX-License-Identifier: MIT
// For tests of the energy check of soft bodies on every backend: what drives them, and what makes them run away.
#pragma once

#include "soft_support.h"

// Both ends are pinned, and the rope is as long as they are apart.
#define STRETCHED_ROPE                                                                                       \
    "{\"world\": {\"dt\": 0.0166666667, \"gravity\": [0, 0, 0]}, \"domain\": {\"min\": [-9, -9, -9],"        \
    " \"max\": [9, 9, 9]}, \"softBodies\": [{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 2,"        \
    " \"count\": 40, \"bending\": \"none\", \"pins\": [0, -1]}]}"

// Lengths of XPBD that Jacobi's method over-relaxes: their stiffest wave grows by itself.
#define WAVY_ROPE                                                                                            \
    "{\"world\": {\"dt\": 0.001}, \"domain\": {\"min\": [-2, 0, -1], \"max\": [2, 3, 1]},"                   \
    " \"pbd\": {\"solver\": \"jacobiParticles\", \"method\": \"xpbd\", \"subSteps\": 1, \"omega\": 1.9},"    \
    " \"softBodies\": [{\"name\": \"rope\", \"shape\": \"rope\", \"length\": 2, \"count\": 80,"              \
    " \"position\": [0.6, 2.5, 0.15], \"pins\": [0]}]}"

// A ball on a plate that a shaker throws up, beside one that a gate presses against the side.
#define DRIVEN_BALLS                                                                                         \
    "{\"world\": {\"dt\": 0.01}, \"domain\": {\"min\": [-1, 0, -1], \"max\": [1, 9, 1]},"                    \
    " \"pbd\": {\"radius\": 0.03},"                                                                          \
    " \"softBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"count\": 57,"          \
    "   \"position\": [0.5, 0.6, 0], \"mass\": 5},"                                                          \
    "  {\"name\": \"cushion\", \"shape\": \"sphere\", \"radius\": 0.2, \"count\": 57,"                       \
    "   \"position\": [-0.75, 0.25, 0], \"mass\": 5}],"                                                      \
    " \"colliders\": [{\"name\": \"plate\", \"size\": [0.8, 0.1, 1], \"position\": [0.5, 0.25, 0]},"         \
    "  {\"name\": \"press\", \"size\": [0.1, 1, 1], \"position\": [-0.4, 0.5, 0]}],"                         \
    " \"mechanisms\": [{\"name\": \"hand\", \"kind\": \"shaker\", \"colliders\": [\"plate\"],"               \
    "   \"travel\": [0, 0.1, 0], \"frequency\": 5},"                                                         \
    "  {\"name\": \"gate\", \"kind\": \"gate\", \"colliders\": [\"press\"], \"travel\": [-0.3, 0, 0],"       \
    "   \"duration\": 0.3}]}"

static inline void setPbd(wbWorld *world, const char *name, const char *value) {
    char key[64];
    snprintf(key, sizeof key, "pbd.%s", name);
    assertOk(wbWorld_SetParam(world, key, value));
}

// The first status that is not ok, within so many steps.
static inline wbStatus tryWorld(wbWorld *world, int count) {
    wbStatus status = {0};
    for (int k = 0; k < count && wbIsOk(status); k++) status = wbWorld_Step(world, 0);
    return status;
}
