// SPDX-License-Identifier: MIT
// Water as one smooth surface, made on the screen: depths of spheres, smoothed, give the normals that light
// falls on (van der Laan, Green and Sainz 2009).
#pragma once

#include "render/particles.h"
#include "render/target.h"

typedef struct wbWaterSurface {
    GLuint depthProgram, thicknessProgram, smoothProgram, shadeProgram, edgeProgram;
    GLint sizeLocation, axisLocation;
    GLuint depths;    ///< shared by behind, depth and front: first of the floor, then of the spheres too
    wbTarget behind;  ///< what is seen through the water
    wbTarget depth;   ///< from the eye; and how much a pixel belongs to a body of water (surface_depth.glsl)
    wbTarget between; ///< the same, between the steps of smoothing
    wbTarget thickness; ///< in spacings
    wbTarget shaded;
    wbTarget front; ///< the finished picture
    GLuint emptyArray;
} wbWaterSurface;

wbStatus wbWaterSurface_Create(wbSize size, wbWaterSurface *surface);
void wbWaterSurface_Destroy(wbWaterSurface *surface);

/// Draws the water before what `behind` shows, into `front`. sunDepth: the map that wbSunlight drew.
void wbWaterSurface_Draw(const wbWaterSurface *surface, const wbParticles *particles, GLuint sunDepth);
