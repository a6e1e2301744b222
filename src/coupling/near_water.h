// SPDX-License-Identifier: MIT
// What a liquid may touch in a sub-step that begins: its particles in boxes around a few of them, each with its way, and bodies against
// these. It may say that one is near which is then not touched, and never the other way round but for what is flung within the sub-step.
#pragma once

#include "core/work.h"
#include "shape/shape.h"
#include "space/particles.h"

/// Particles of a liquid on the cores.
typedef struct wbNearSwarm {
    const wbParticles *particles;
    float reach; ///< m, of its kernel
} wbNearSwarm;

typedef struct wbNearBox {
    float min[3], max[3];
} wbNearBox;

enum { WB_NEAR_SWARMS = 8 };
typedef struct wbNearWater {
    wbNearSwarm swarms[WB_NEAR_SWARMS];
    int first[WB_NEAR_SWARMS + 1]; ///< boxes of each
    int swarmCount;
    wbNearBox *boxes; ///< the arena's; with the ways of what is in them, and the reach
    float dt;         ///< s
} wbNearWater;

/// Of the swarms that are set, from here on for dt seconds. False: memory is missing.
bool wbNearWater_List(wbNearWater *near, const wbWork *work, float dt);

/// Whether any of it may touch a shape, whose points go no faster than `speed` in m/s.
bool wbNearWater_FindShape(const wbNearWater *near, const wbShape *shape, const wbPose *pose, float speed);

/// A triangle, or a ball of a radius in m where its corners are one.
typedef struct wbNearElement {
    wbVec3 corners[3];
    float radius, speed; ///< m, m/s
} wbNearElement;
/// With its way in a time.
wbNearBox wbNearElement_GetBox(const wbNearElement *element, float dt);
/// Whether any of it may touch one, of the boxes that are listed.
bool wbNearWater_FindElement(const wbNearWater *near, const wbNearElement *element, const int *boxes,
                             int count);
/// Lists those that meet a box, which may be all; how many.
int wbNearWater_FindBoxes(const wbNearWater *near, const wbNearBox *box, int *boxes);
static inline int wbNearWater_CountBoxes(const wbNearWater *near) { return near->first[near->swarmCount]; }
