// SPDX-License-Identifier: MIT
// Spray, foam and bubbles in pictures: soft white spots, blended over the water. Lone particles of water are drawn as a handful of
// drops among them, instead of as balls.
#pragma once

#include "render/swarm.h"
#include "render/target.h"
#include "render/water_surface.h"

typedef struct wbDrawnDiffuse {
    GLuint program, plainProgram; ///< over a smooth surface; over spheres
    GLuint buffer, array;
    wbArray spots;
    int count;
} wbDrawnDiffuse;

wbStatus wbDrawnDiffuse_Create(wbDrawnDiffuse *drawn);
void wbDrawnDiffuse_Destroy(wbDrawnDiffuse *drawn);
/// What of the scene is to be seen; `swarm` knows who is alone.
wbStatus wbDrawnDiffuse_Gather(wbDrawnDiffuse *drawn, const wbRenderScene *scene, const wbSwarm *swarm);
/// Over the water in `surface->shaded`.
void wbDrawnDiffuse_DrawOver(const wbDrawnDiffuse *drawn, const wbWaterSurface *surface,
                             const wbSunMaps *maps);
/// Over spheres, into the target that is bound, by its depths.
void wbDrawnDiffuse_DrawPlain(const wbDrawnDiffuse *drawn, const wbSunMaps *maps);
