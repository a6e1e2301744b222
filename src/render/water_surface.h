// SPDX-License-Identifier: MIT
// Water as one smooth surface, made on the screen: depths of spheres, smoothed, give the normals that light
// falls on (van der Laan, Green and Sainz 2009).
#pragma once

#include "render/particles.h"
#include "render/target.h"

typedef struct wbWaterSurface {
    GLuint sceneProgram, depthProgram, outlineProgram, thicknessProgram, smoothProgram, shadeProgram,
        edgeProgram;
    GLint sizeLocation, outlineLocation, axisLocation;
    GLuint depths;    ///< shared by most targets: first of floor and bodies, then of the spheres too
    wbTarget behind;  ///< what is seen through the water; alpha: 0 where it is a body
    wbTarget scene;   ///< depths of floor and bodies alone
    wbTarget bodies;  ///< of bodies, from the eye
    wbTarget depth;   ///< from the eye; and how much a pixel belongs to a body of water (surface_depth.glsl)
    wbTarget between; ///< depths and shares between the steps of smoothing
    wbTarget thickness; ///< in spacings; and that times the value that colours show, 0 to 1
    wbTarget shaded;
    wbTarget front; ///< the finished picture
    GLuint emptyArray;
    int passes; ///< of smoothing: 2 as in films, or 1
} wbWaterSurface;

wbStatus wbWaterSurface_Create(wbSize size, wbWaterSurface *surface);
void wbWaterSurface_Destroy(wbWaterSurface *surface);
/// Keeps the programs.
wbStatus wbWaterSurface_Resize(wbWaterSurface *surface, wbSize size);

/// Finds where the water is, before what `behind` shows.
void wbWaterSurface_DrawDepths(const wbWaterSurface *surface, const wbDrawnParticles *particles);
/// Draws it, into `shaded`.
void wbWaterSurface_Shade(const wbWaterSurface *surface, const wbSunMaps *maps);
/// Makes `front` of `shaded`: stairs along edges are softened, wherever alpha is 0.
void wbWaterSurface_Finish(const wbWaterSurface *surface);
