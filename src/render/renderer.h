// SPDX-License-Identifier: MIT
// Pictures by OpenGL 3.3, on a GPU or on the CPU (Mesa's llvmpipe): into memory without a display, or for a window.
#pragma once

#include "wirbel/mesh.h"
#include "wirbel/render.h"

typedef enum wbOwnerKind {
    wb_ownerNone,
    wb_ownerCollider,
    wb_ownerRigidBody,
    wb_ownerSoftBody,
    wb_ownerFluid,
} wbOwnerKind;

/// What something in a picture is of: a kind of object, and its number in the world.
typedef struct wbOwner {
    wbOwnerKind kind;
    int index;
} wbOwner;

/// A body to draw, of a collider for example, as it stands in one frame.
typedef struct wbRenderBody {
    const wbMesh *mesh;
    uint64_t key;      ///< the same in each frame, and of bodies with the same mesh: it is uploaded once
    float position[3]; ///< m
    float rotation[4]; ///< quaternion x, y, z, w
    float colour[3];   ///< red, green, blue, 0 to 1, as the screen shows them
    float opacity;     ///< 0 to 1; below 1 it is clear: blended over what is behind, and without a shadow
    wbOwner owner;
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
    wbOwner owner;
} wbRenderSoft;

/// What colours have to know of a fluid.
typedef struct wbRenderFluid {
    float restDensity; ///< kg/m3
    float support;     ///< m, how far a particle of one spacing sees
    int solver;        ///< fluids of one solver see each other
} wbRenderFluid;

/// What a picture may leave out to be quick, from films down to what a window shows while things move.
typedef enum wbRenderQuality {
    wb_qualityFilm,
    wb_qualityHalf,    ///< water and smoke with a quarter of the pixels, and smoothed once
    wb_qualitySpheres, ///< no surfaces; coarse shadows, one sample per pixel
    wb_qualityPoints,  ///< points shaded as balls, no shadows, a quarter of the pixels
} wbRenderQuality;

typedef enum wbMarkKind { wb_markLine, wb_markArrow, wb_markPoint, wb_markLabel } wbMarkKind;

/// Drawn over the picture, whatever is before it.
typedef struct wbMark {
    wbMarkKind kind;
    wbVec3 from, to;   ///< m; points and labels are at `from`
    float width;       ///< pixels: of a line, a point; height of a label's capitals
    uint8_t colour[4]; ///< red, green, blue, opacity; labels are white
    const char *text;  ///< of labels
} wbMark;

/// What is to be seen.
typedef struct wbRenderScene {
    const wbView *views;         ///< one per fluid
    const wbRenderFluid *fluids; ///< as many; NULL: all have the restDensity, and colours show no neighbours
    int viewCount;
    const wbRenderBody *bodies;
    int bodyCount;
    const wbRenderSoft *softs;
    int softCount;
    bool isDry;                   ///< soft or rigid bodies without fluids
    const wbSmokeView *smoke;     ///< NULL, or 0 cells: none
    const wbDiffuseView *diffuse; ///< NULL: none is to be there
    const wbDomainDef *domain;
    int dimensions;
    float spacing;              ///< m, distance of particles
    float restDensity, densest; ///< kg/m3, of the lightest and the densest fluid
    wbCameraParams
        camera; ///< position equal to target: framed on the domain, or on the particles if all is open
    wbOutputParams output; ///< size and fps are not used here
    double time;           ///< s
    const char *title;     ///< NULL: none
    wbRenderQuality quality;
    const wbMark *marks;
    int markCount;
} wbRenderScene;

/// Whether there is water drawn as a smooth surface. In 2D it is always spheres.
static inline bool wbRenderScene_HasSurface(const wbRenderScene *scene) {
    return scene->dimensions == 3 && scene->output.water == wb_waterSurface && !scene->isDry &&
           scene->quality <= wb_qualityHalf;
}

/// What its colour shows; wb_colourAuto: nothing, it is clear.
static inline wbColour wbRenderScene_GetColour(const wbRenderScene *scene) {
    if (scene->isDry) return wb_colourAuto;
    if (scene->output.colour != wb_colourAuto || wbRenderScene_HasSurface(scene)) return scene->output.colour;
    return wb_colourSpeed;
}

/// Whether particles are points that are shaded as balls.
static inline bool wbRenderScene_HasPoints(const wbRenderScene *scene) {
    return scene->quality == wb_qualityPoints ||
           (scene->dimensions == 3 && scene->output.water == wb_waterPoints);
}

/// Whether water may be broken into spray.
static inline bool wbRenderScene_HasDiffuse(const wbRenderScene *scene) {
    return scene->diffuse != NULL && scene->diffuse->radius > 0;
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

/// For a window: draws with the OpenGL context that is current in this thread and stays so until the renderer is
/// destroyed. Sizes as of wbCreateRenderer.
wbStatus wbCreateRendererHere(int width, int height, wbRenderer **renderer);
/// The next pictures have another size; programs of the graphics card are kept.
wbStatus wbRenderer_Resize(wbRenderer *renderer, int width, int height);

wbStatus wbRenderer_DrawFrame(wbRenderer *renderer, const wbRenderScene *scene);

/// Pixels of a framebuffer, from its left and its bottom.
typedef struct wbRectangle {
    int left, bottom, width, height;
} wbRectangle;

/// Copies the last picture there; a framebuffer of 0 is the window's.
void wbRenderer_Present(const wbRenderer *renderer, unsigned framebuffer, wbRectangle place);

/// Waits until the last picture is there, so that its time can be measured.
void wbRenderer_Finish(const wbRenderer *renderer);
/// Pixels of a framebuffer as wbRenderer_ReadPixels gives them.
wbStatus wbReadFramebuffer(unsigned framebuffer, wbRectangle place, uint8_t *rgb);

/// The next picture's colours, framing and meshes begin anew: those of another world or time belong to nothing.
void wbRenderer_Forget(wbRenderer *renderer);

/// A line of sight: what is seen at a pixel lies at origin + t * direction, t > 0.
typedef struct wbRay {
    wbVec3 origin, direction; ///< m; direction of length 1
} wbRay;

/// Through a place of the last picture, in pixels from the left and the top.
wbRay wbRenderer_GetRay(const wbRenderer *renderer, float x, float y);
/// Where the last picture was taken from, as parameters: also where it was framed by itself.
wbCameraParams wbRenderer_GetCamera(const wbRenderer *renderer);

/// Where a point of the world stood in the last frame, in pixels from the left and the top. False: behind
/// the camera.
bool wbRenderer_Project(const wbRenderer *renderer, wbVec3 point, float *x, float *y);
