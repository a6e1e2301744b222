// SPDX-License-Identifier: MIT
// Programs of the graphics card, and what all of them read.
#pragma once

#include "render/matrix.h"
#include "wirbel/base.h"

#include <epoxy/gl.h>

/// The uniform block "Frame" of shaders/common.glsl, in std140 layout: keep both the same.
typedef struct wbFrameUniforms {
    wbMat4 view, projection;
    wbMat4 sun;       ///< world to the clip cube of the sun's depth map
    float eye[4];     ///< xyz of the camera; w: 1 where water is a smooth surface
    float toSun[4];   ///< xyz direction; w: depth of the sun's map in m
    float screen[4];  ///< width, height; z, w: tangents of half the angles of view
    float water[4];   ///< radius in m, absorption length in m, colour minimum, 1 / (maximum - minimum)
    float options[4]; ///< what colours show (wbColour), shadows (0, 1), dimensions, texels of sun's map
    float ground[4];  ///< y of the floor, width of a tile, radius where it has faded, 1: drawn
    float centre[4];  ///< xyz of what is shown; w: 1 if there are opaque bodies
    float sideMin[4]; ///< xyz of the closed sides; far away where a side is open
    float sideMax[4];
    float surface[4];   ///< m: radius of spheres inside the water, of a lone drop; spacing; absorption length
    float fire[4];      ///< xyz of the middle of all that glows; square of the radius around it in m2
    float fireLight[4]; ///< its red, green and blue at a distance of 1 m; w: brightness of sun and sky
    float smokeMin[4];  ///< xyz of the box of smoke; w: 1 if there is any
    float smokeSize[4]; ///< xyz of its edges; w: edge of a cell
    float smokeShade[4]; ///< x, z of the corner of its shadow; 1 / edges of that
    float smokeDark[4];  ///< x: what full texels take of the light, 1/m
} wbFrameUniforms;

/// `source`: text that holds both stages, chosen by VERTEX and FRAGMENT; `name` is for messages.
wbStatus wbCreateProgram(const char *name, const char *source, GLuint *program);
/// The same with a word defined, such as QUICK: what a picture does not need is left out of the program, as drivers on the CPU compute both
/// ways of a branch.
wbStatus wbCreateVariant(const char *name, const char *word, const char *source, GLuint *program);

/// What the light of a picture comes through, each a variant of the programs that it falls on.
typedef enum wbLight {
    wb_lightFull,  ///< shadows, water and smoke
    wb_lightDry,   ///< DRY: there is neither water nor smoke
    wb_lightQuick, ///< QUICK: no shadows, nor the light of fire
    WB_LIGHTS
} wbLight;
wbStatus wbCreateLitPrograms(const char *name, const char *source, GLuint programs[WB_LIGHTS]);

/// A buffer that every program reads as its uniform block "Frame".
GLuint wbCreateFrameUniforms(void);
void wbSetFrameUniforms(GLuint buffer, const wbFrameUniforms *block);

/// Units that smoke is bound to throughout a frame.
enum { WB_UNIT_SMOKE_CELLS = 8, WB_UNIT_SMOKE_SHADE = 9 };

/// Says which texture unit a program's sampler reads.
void wbSetSampler(GLuint program, const char *name, int unit);
void wbBindTexture(GLuint unit, GLuint texture);

/// Depths of what the sun sees first, as wbSunlight draws them.
typedef struct wbSunMaps {
    GLuint water, bodies;
} wbSunMaps;

/// Texts of src/render/shaders, embedded by the build.
extern const char wb_shaderCommon[], wb_shaderDiffuse[], wb_shaderParticles[], wb_shaderPoints[],
    wb_shaderSunDepth[], wb_shaderSunBlur[];
extern const char wb_shaderFloor[], wb_shaderSegments[], wb_shaderBar[], wb_shaderBodies[],
    wb_shaderSunBodies[];
extern const char wb_shaderSurfaceDepth[], wb_shaderSurfaceThickness[], wb_shaderSurfaceSmooth[];
extern const char wb_shaderVolumeMarch[], wb_shaderVolumeBlend[], wb_shaderVolumePlane[];
extern const char wb_shaderSurfaceShade[], wb_shaderSurfaceEdges[], wb_shaderSurfaceScene[],
    wb_shaderSurfaceOutline[];
