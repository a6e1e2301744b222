// SPDX-License-Identifier: MIT
// The sun: its direction, depth maps of water and bodies as it sees them, and the water's shadow on the floor.
#pragma once

#include "render/bodies.h"
#include "render/bounds.h"
#include "render/particles.h"
#include "render/shader.h"
#include "render/target.h"

typedef struct wbSunlight {
    GLuint depthProgram, blurProgram;
    GLint blurLocation;
    wbTarget depth;    ///< the nearest water
    wbTarget bodies;   ///< the nearest body
    wbTarget cover[2]; ///< share covered by water; the finished shadow is in 0, 1 is between the steps
    GLuint emptyArray; ///< for shapes that the shader makes up
    int texels;        ///< along an edge of the maps
} wbSunlight;

enum { WB_SUN_TEXELS = 1024 }; ///< of films

/// Direction to the sun, of length 1.
wbVec3 wbGetSunDirection(int dimensions);

wbStatus wbSunlight_Create(wbSunlight *light);
void wbSunlight_Destroy(wbSunlight *light);
/// Maps of another size, where they have not got it yet.
wbStatus wbSunlight_Resize(wbSunlight *light, int texels);

/// Aims the maps at a box: fills what the block says of the sun.
void wbSunlight_Aim(const wbSunlight *light, const wbBounds *aim, int dimensions, float radius,
                    wbFrameUniforms *block);
/// Draws the maps; the frame's block must be set.
void wbSunlight_Draw(const wbSunlight *light, const wbDrawnParticles *particles, const wbBodies *bodies);

static inline wbSunMaps wbSunlight_GetMaps(const wbSunlight *light) {
    return (wbSunMaps){light->depth.texture, light->bodies.texture};
}
