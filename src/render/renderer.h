// SPDX-License-Identifier: MIT
// Pictures without a display: OpenGL 3.3 into memory, on a GPU or on the CPU (Mesa's llvmpipe).
#pragma once

#include "wirbel/mesh.h"
#include "wirbel/render.h"

/// A body to draw, of a collider for example, as it stands in one frame.
typedef struct wbRenderBody {
    const wbMesh *mesh;
    uint64_t key;      ///< the same in each frame, and of bodies with the same mesh: it is uploaded once
    float position[3]; ///< m
    float rotation[4]; ///< quaternion x, y, z, w
    float colour[3];   ///< red, green, blue, 0 to 1, as the screen shows them
    float opacity;     ///< 0 to 1; below 1 it is clear: blended over what is behind, and without a shadow
} wbRenderBody;

/// A soft body as it stands in one frame. Numbers of particles count from firstParticle on.
typedef struct wbRenderSoft {
    wbView view;
    wbSoftBodyShow show; ///< not auto
    int firstParticle;
    const int *triangles; ///< surface
    int triangleCount;
    const int *first, *second; ///< lines: ends of constraints
    int linkCount;
    bool isChain;    ///< lines: one tube along all particles
    float radius;    ///< m, of spheres and tubes
    float colour[3]; ///< as that of a body
} wbRenderSoft;

/// What is to be seen.
typedef struct wbRenderScene {
    const wbView *views; ///< one per fluid
    int viewCount;
    const wbRenderBody *bodies;
    int bodyCount;
    const wbRenderSoft *softs;
    int softCount;
    bool isDry;               ///< soft or rigid bodies without fluids
    const wbSmokeView *smoke; ///< NULL, or 0 cells: none
    const wbDomainDef *domain;
    int dimensions;
    float spacing;              ///< m, distance of particles
    float restDensity, densest; ///< kg/m3, of the lightest and the densest fluid
    wbCameraParams
        camera; ///< position equal to target: framed on the domain, or on the particles if all is open
    wbOutputParams output; ///< size and fps are not used here
    double time;           ///< s
    const char *title;     ///< NULL: none
} wbRenderScene;

/// Whether there is water drawn as a smooth surface. In 2D it is always spheres.
static inline bool wbRenderScene_HasSurface(const wbRenderScene *scene) {
    return scene->dimensions == 3 && scene->output.water == wb_waterSurface && !scene->isDry;
}

/// What its colour shows; wb_colourAuto: nothing, it is clear.
static inline wbColour wbRenderScene_GetColour(const wbRenderScene *scene) {
    if (scene->isDry) return wb_colourAuto;
    if (scene->output.colour != wb_colourAuto || wbRenderScene_HasSurface(scene)) return scene->output.colour;
    return wb_colourSpeed;
}

static inline bool wbRenderScene_HasSmoke(const wbRenderScene *scene) {
    return scene->smoke != NULL && scene->smoke->cells[0] > 0;
}

/// The field of the air that is shown on a plane; wb_fieldAuto: none, it looks as smoke does.
static inline wbField wbRenderScene_GetField(const wbRenderScene *scene) {
    if (!wbRenderScene_HasSmoke(scene)) return wb_fieldAuto;
    if (scene->output.field != wb_fieldAuto || scene->dimensions == 3) return scene->output.field;
    return wb_fieldDensity;
}

static inline bool wbRenderScene_HasVolume(const wbRenderScene *scene) {
    return wbRenderScene_HasSmoke(scene) && wbRenderScene_GetField(scene) == wb_fieldAuto;
}

wbStatus wbRenderer_DrawFrame(wbRenderer *renderer, const wbRenderScene *scene);

/// Where a point of the world stood in the last frame, in pixels from the left and the top. False: behind
/// the camera.
bool wbRenderer_Project(const wbRenderer *renderer, wbVec3 point, float *x, float *y);
