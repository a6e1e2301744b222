// SPDX-License-Identifier: MIT
// The sun: its direction, a depth map of the water as it sees it, and the shadow on the floor.
#pragma once

#include "render/box.h"
#include "render/particles.h"
#include "render/shader.h"
#include "render/target.h"

typedef struct wbSunlight {
    GLuint depthProgram, blurProgram;
    GLint blurLocation;
    wbTarget depth;    ///< the nearest water
    wbTarget cover[2]; ///< covered share; the finished shadow is in 0, 1 is between the steps
    GLuint emptyArray; ///< for shapes that the shader makes up
} wbSunlight;

/// Direction to the sun, of length 1.
wbVec3 wbGetSunDirection(int dimensions);

wbStatus wbSunlight_Create(wbSunlight *light);
void wbSunlight_Destroy(wbSunlight *light);

/// Aims the map at the body of water: fills what the block says of the sun.
void wbSunlight_Aim(const wbBox *body, int dimensions, float radius, wbFrameBlock *block);
/// Draws the maps; the frame's block must be set.
void wbSunlight_Draw(const wbSunlight *light, const wbParticles *particles);
