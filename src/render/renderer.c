// SPDX-License-Identifier: MIT
#include "render/renderer.h"

#include "core/status.h"
#include "render/bodies.h"
#include "render/camera.h"
#include "render/context.h"
#include "render/drawn_diffuse.h"
#include "render/drawn_world.h"
#include "render/ground.h"
#include "render/inside.h"
#include "render/marks.h"
#include "render/occupancy.h"
#include "render/overlay.h"
#include "render/particles.h"
#include "render/segments.h"
#include "render/soft.h"
#include "render/sunlight.h"
#include "render/swarm.h"
#include "render/target.h"
#include "render/visibility.h"
#include "render/volume.h"
#include "render/volume_plane.h"
#include "render/water_surface.h"

#include <math.h>
#include <string.h>

struct wbRenderer {
    wbSize size;  ///< of the picture
    wbSize inner; ///< that it is drawn with: less where it may be quick
    wbGlContext context;
    wbTarget picture; ///< what is read
    wbTarget sampled; ///< for spheres: several samples per pixel, or one; made when they are first asked for
    int samples;      ///< that it has
    GLuint frameBuffer;
    wbDrawnParticles particles;
    wbWaterSurface surface; ///< made when it is first asked for
    bool hasSurface;
    wbBodies bodies;
    wbSoftShapes soft;
    wbDrawnDiffuse diffuse;
    wbVolume volume;
    wbVolumePlane plane;
    wbSunlight sunlight;
    wbGround ground;
    wbSegments segments;
    wbOverlay overlay;
    wbSwarm swarm;
    wbOccupancy occupancy;
    wbDrawnWorld drawn;
    wbArray rows; ///< pixels as OpenGL gives them: four bytes each, from the bottom up
    wbCamera camera;
    wbBounds shown;      ///< what the camera is framed on
    float held;          ///< highest value of the last frames, slowly forgotten
    wbColour heldColour; ///< what it is of
    float low, high;     ///< ends of the colours
    bool hasFrame;
};

static wbStatus checkVersion(void) {
    if (epoxy_gl_version() >= 33) return wb_okStatus;
    return wbError(wb_errorDevice,
                   "no pictures: OpenGL %d.%d is too old, 3.3 is needed: install the package "
                   "libgl1-mesa-dri",
                   epoxy_gl_version() / 10, epoxy_gl_version() % 10);
}

static wbStatus createParts(wbRenderer *renderer) {
    WB_TRY(checkVersion());
    WB_TRY(wbCreatePlainTarget(renderer->size, &renderer->picture));
    renderer->frameBuffer = wbCreateFrameUniforms();
    WB_TRY(wbDrawnParticles_Create(&renderer->particles));
    WB_TRY(wbBodies_Create(&renderer->bodies));
    WB_TRY(wbDrawnDiffuse_Create(&renderer->diffuse));
    WB_TRY(wbVolume_Create(&renderer->volume));
    WB_TRY(wbVolumePlane_Create(&renderer->plane));
    WB_TRY(wbSunlight_Create(&renderer->sunlight));
    WB_TRY(wbGround_Create(&renderer->ground));
    WB_TRY(wbSegments_Create(&renderer->segments));
    return wbOverlay_Create(&renderer->overlay);
}

static wbStatus checkSize(int width, int height) {
    if (width >= 1 && height >= 1 && width <= 8192 && height <= 8192) return wb_okStatus;
    return wbError(wb_errorInput, "a picture of %d x %d pixels, allowed is 1 to 8192 each", width, height);
}

static wbStatus create(wbSize size, bool isBorrowed, wbRenderer **renderer) {
    WB_REQUIRE(renderer);
    *renderer = NULL;
    WB_TRY(checkSize(size.width, size.height));
    wbRenderer *made = wbAllocZero(NULL, sizeof *made);
    if (made == NULL) return wbError(wb_errorMemory, "no memory for a renderer");
    made->size = made->inner = size;
    wbStatus status = wb_okStatus;
    if (isBorrowed)
        made->context = wbBorrowGlContext();
    else
        status = wbGlContext_Create(&made->context);
    if (wbIsOk(status)) status = createParts(made);
    if (wbIsOk(status))
        *renderer = made;
    else
        wbDestroyRenderer(made);
    return status;
}

wbStatus wbCreateRenderer(int width, int height, wbRenderer **renderer) {
    return create((wbSize){width, height}, false, renderer);
}

wbStatus wbCreateRendererHere(int width, int height, wbRenderer **renderer) {
    return create((wbSize){width, height}, true, renderer);
}

wbStatus wbRenderer_Resize(wbRenderer *renderer, int width, int height) {
    wbSize size = {width, height};
    WB_TRY(checkSize(width, height));
    if (wbIsSameSize(renderer->size, size)) return wb_okStatus;
    WB_TRY(wbGlContext_MakeCurrent(&renderer->context));
    wbTarget picture;
    WB_TRY(wbCreatePlainTarget(size, &picture));
    wbDestroyTarget(&renderer->picture);
    renderer->picture = picture;
    renderer->size = size;
    return wb_okStatus;
}

static void destroyParts(wbRenderer *renderer) {
    wbOverlay_Destroy(&renderer->overlay);
    wbSegments_Destroy(&renderer->segments);
    wbGround_Destroy(&renderer->ground);
    wbSunlight_Destroy(&renderer->sunlight);
    wbVolumePlane_Destroy(&renderer->plane);
    wbVolume_Destroy(&renderer->volume);
    wbDrawnDiffuse_Destroy(&renderer->diffuse);
    wbBodies_Destroy(&renderer->bodies);
    wbWaterSurface_Destroy(&renderer->surface);
    wbDrawnParticles_Destroy(&renderer->particles);
    glDeleteBuffers(1, &renderer->frameBuffer);
    wbDestroyTarget(&renderer->picture);
    wbDestroyTarget(&renderer->sampled);
}

void wbDestroyRenderer(wbRenderer *renderer) {
    if (renderer == NULL) return;
    if (wbGlContext_Exists(&renderer->context) && wbIsOk(wbGlContext_MakeCurrent(&renderer->context))) {
        destroyParts(renderer);
    }
    wbGlContext_Destroy(&renderer->context);
    wbArray_Free(NULL, &renderer->rows);
    wbDrawnWorld_Free(&renderer->drawn);
    wbOccupancy_Free(&renderer->occupancy);
    wbSwarm_Free(&renderer->swarm);
    wbSoftShapes_Free(&renderer->soft);
    wbFree(NULL, renderer, sizeof *renderer);
}

static bool hasBox(const wbRenderScene *scene) {
    const wbDomainDef *d = scene->domain;
    bool closed = false;
    for (int s = 0; s < (scene->dimensions == 2 ? wb_back : wb_sideCount); ++s) {
        closed = closed || d->sides[s].type != wb_sideOpen;
    }
    bool flat = scene->dimensions == 2 || d->max.z > d->min.z;
    return closed && d->max.x > d->min.x && d->max.y > d->min.y && flat;
}

// The domain, also where its sides were; without one, everything that was ever seen: the camera does not shake.
static void updateShown(wbRenderer *renderer, const wbRenderScene *scene) {
    wbBounds box = {scene->domain->min, scene->domain->max};
    if (!hasBox(scene) && !wbRenderScene_HasSmoke(scene)) {
        bool bodies = renderer->bodies.count > 0, water = renderer->swarm.count > 0;
        box = wbBounds_Grow(renderer->swarm.body, 2 * scene->spacing);
        if (bodies) box = water ? wbBounds_Join(box, renderer->bodies.box) : renderer->bodies.box;
        if (renderer->hasFrame && (bodies || water)) box = wbBounds_Join(box, renderer->shown);
    } else if (renderer->hasFrame) {
        box = wbBounds_Join(box, renderer->shown);
    }
    if (scene->dimensions == 2) box.min.z = box.max.z = 0;
    renderer->shown = box;
}

// Quick to rise, slow to fall, and led gently to a round number: colours do not flicker.
static float followHighest(wbRenderer *renderer, wbColour colour, float least) {
    bool isNew = !renderer->hasFrame || renderer->heldColour != colour;
    if (isNew) renderer->held = 0;
    renderer->heldColour = colour;
    renderer->held = fmaxf(fmaxf(renderer->swarm.highValue, least), renderer->held * 0.997f);
    float aim = wbRoundUp(renderer->held);
    if (isNew) return aim;
    float next = renderer->high + 0.15f * (aim - renderer->high);
    return fabsf(next - aim) < 0.01f * aim ? aim : next;
}

// What colours show: its ends, and what is written over the scale.
static void findEnds(wbRenderer *renderer, const wbRenderScene *scene, float *low, float *high) {
    const wbColour colour = wbRenderScene_GetColour(scene);
    const float height = fmaxf(renderer->shown.max.y - renderer->shown.min.y, 1e-6f);
    *low = 0;
    switch (colour) {
    case wb_colourDeviation:
        *low = -10, *high = 10;
        return;
    case wb_colourPressure: // below this it is noise: a fiftieth of what the domain's height of water weighs
        *high = followHighest(renderer, colour, 0.02f * 9.81f * scene->restDensity * height);
        return;
    case wb_colourNeighbours:
        *high = followHighest(renderer, colour, 10);
        return;
    case wb_colourId:
        *high = fmaxf(1, wbRoundUp(fmaxf(renderer->swarm.highValue, 1)));
        return;
    case wb_colourFluid:
        *high = (float)(scene->viewCount > 0 ? scene->viewCount : 1);
        return;
    case wb_colourDensity:
        *low = 0.9f * scene->restDensity, *high = 1.1f * fmaxf(scene->restDensity, scene->densest);
        return;
    case wb_colourSize: // the largest rounded up, never less than four times the smallest
        *low = 0.5f * scene->spacing, *high = fmaxf(4 * *low, wbRoundUp(renderer->swarm.highValue));
        return;
    case wb_colourBoundary:
        *high = 1;
        return;
    case wb_colourAuto:
    case wb_colourSpeed:
        break;
    }
    // below this it is noise of water at rest: a twentieth of the speed of a fall through the domain
    *high = followHighest(renderer, colour, 0.05f * sqrtf(9.81f * height));
}

static const char *getColourTitle(wbColour colour) {
    switch (colour) {
    case wb_colourDensity:
        return "density  kg/m³";
    case wb_colourSize:
        return "radius  m";
    case wb_colourBoundary:
        return "surface";
    case wb_colourDeviation:
        return "density against rest  %";
    case wb_colourPressure:
        return "pressure  Pa";
    case wb_colourNeighbours:
        return "neighbours";
    case wb_colourId:
        return "id";
    case wb_colourFluid:
        return "fluid";
    case wb_colourAuto:
    case wb_colourSpeed:
        break;
    }
    return "speed  m/s";
}

static void updateColours(wbRenderer *renderer, const wbRenderScene *scene) {
    const wbOutputParams *output = &scene->output;
    float low, high;
    findEnds(renderer, scene, &low, &high);
    renderer->low = isnan(output->colourMin) ? low : output->colourMin;
    renderer->high = isnan(output->colourMax) ? high : output->colourMax;
}

static wbStatus shadeWater(wbRenderer *renderer, const wbRenderScene *scene) {
    if (wbRenderScene_HasPoints(scene)) // between small ones one can look far inside
        return scene->output.radius >= 0.45f ? wbDropInside(&renderer->swarm, scene->spacing) : wb_okStatus;
    WB_TRY(wbOccupancy_Apply(&renderer->occupancy, &renderer->swarm, scene->spacing));
    // between small spheres one can look far inside
    if (scene->output.radius < 0.45f) return wb_okStatus;
    // about five layers of spheres; the larger ones of a surface leave no gaps
    float depth = wbRenderScene_HasSurface(scene) ? 1.2f : 3;
    return wbHideDrops(&renderer->swarm, &renderer->occupancy, renderer->camera.eye, scene->spacing, depth);
}

// Closed sides cut the water off; a little inside, so that the box's edges lie before it.
static void fillSides(const wbRenderScene *scene, wbFrameUniforms *block) {
    const wbDomainDef *d = scene->domain;
    const float min[3] = {d->min.x, d->min.y, d->min.z}, max[3] = {d->max.x, d->max.y, d->max.z};
    float inset = 0.05f * scene->spacing;
    bool box = hasBox(scene);
    for (int a = 0; a < 3; ++a) {
        block->sideMin[a] = box && d->sides[2 * a].type != wb_sideOpen ? min[a] + inset : -1e9f;
        block->sideMax[a] = box && d->sides[2 * a + 1].type != wb_sideOpen ? max[a] - inset : 1e9f;
    }
}

// Water and opaque bodies; of those not more than lies around what is shown.
static wbBounds findLit(const wbRenderer *renderer) {
    wbVec3 extent = wbSub(renderer->shown.max, renderer->shown.min);
    float margin = 0.25f * fmaxf(fmaxf(extent.x, extent.y), extent.z);
    wbBounds bodies = wbBounds_Cut(renderer->bodies.box, wbBounds_Grow(renderer->shown, margin));
    if (renderer->bodies.opaqueCount == 0 || wbBounds_IsEmpty(bodies)) return renderer->swarm.body;
    return renderer->swarm.count > 0 ? wbBounds_Join(renderer->swarm.body, bodies) : bodies;
}

static void fillBlock(const wbRenderer *renderer, const wbRenderScene *scene, wbFrameUniforms *block) {
    const wbCamera *camera = &renderer->camera;
    wbBounds shown = renderer->shown;
    wbVec3 extent = wbSub(shown.max, shown.min), centre = wbBounds_GetCentre(&shown);
    float diagonal = sqrtf(wbDot(extent, extent)), radius = scene->output.radius * scene->spacing;
    float range = renderer->high - renderer->low;
    bool space = scene->dimensions == 3, shadows = space && scene->quality < wb_qualityPoints;
    *block = (wbFrameUniforms){
        .view = camera->view,
        .projection = camera->projection,
        .eye = {camera->eye.x, camera->eye.y, camera->eye.z, wbRenderScene_HasSurface(scene)},
        .screen = {(float)renderer->inner.width, (float)renderer->inner.height, camera->tanX, camera->tanY},
        .water = {radius, 5 * scene->spacing + 0.10f * diagonal, renderer->low, 1 / (range != 0 ? range : 1)},
        .options = {(float)wbRenderScene_GetColour(scene), shadows, (float)scene->dimensions, 0},
        // a lone particle is a handful of drops where there is spray, and else a ball
        .surface = {2 * radius, (wbRenderScene_HasDiffuse(scene) ? 0.2f : 0.6f) * radius, scene->spacing,
                    0.09f * diagonal},
        .ground = {shown.min.y - 0.002f * diagonal, wbRoundUp(0.08f * diagonal), 2.6f * diagonal,
                   space && scene->output.floor},
        .fireLight = {0, 0, 0, space ? scene->output.daylight : 1},
        .centre = {centre.x, centre.y, centre.z, shadows && renderer->bodies.opaqueCount > 0},
    };
    fillSides(scene, block);
    wbBounds lit = findLit(renderer);
    wbSunlight_Aim(&renderer->sunlight, &lit, scene->dimensions, radius, block);
}

// The side of the box that an edge or corner touches along an axis.
static const wbSideDef *getSide(const wbRenderScene *scene, int corner, int axis) {
    return &scene->domain->sides[2 * axis + (corner >> axis & 1)];
}

static wbBounds getDomain(const wbRenderScene *scene) {
    wbBounds box = {scene->domain->min, scene->domain->max};
    if (scene->dimensions == 2) box.min.z = box.max.z = 0;
    return box;
}

// Whether the eye looks at that side from outside.
static bool facesEye(const wbRenderer *renderer, const wbBounds *box, int corner, int axis) {
    const wbVec3 *eye = &renderer->camera.eye;
    float place = (&eye->x)[axis];
    return corner >> axis & 1 ? place > (&box->max.x)[axis] : place < (&box->min.x)[axis];
}

/// Edges between two sides that both are seen from inside lie behind all water in the box.
typedef enum Edges { EDGES_BEHIND, EDGES_FRONT } Edges;

// An edge is drawn if one of the two sides that meet there is closed.
static bool showsEdge(const wbRenderer *renderer, const wbRenderScene *scene, int corner, int axis,
                      Edges edges) {
    bool closed = false, front = false;
    const wbBounds box = getDomain(scene);
    for (int other = 0; other < 3; ++other) {
        if (other == axis || (scene->dimensions == 2 && other == 2)) continue;
        closed = closed || getSide(scene, corner, other)->type != wb_sideOpen;
        front = front || facesEye(renderer, &box, corner, other);
    }
    return closed && front == (edges == EDGES_FRONT);
}

static void addBox(wbRenderer *renderer, const wbRenderScene *scene, Edges edges) {
    float halfWidth = 0.75f * (float)renderer->inner.height / 720;
    const wbBounds box = getDomain(scene);
    for (int a = 0; a < 8; ++a) {
        for (int axis = 0; axis < 3; ++axis) {
            int b = a | 1 << axis;
            if (b == a || (scene->dimensions == 2 && (axis == 2 || a >= 4))) continue;
            if (!showsEdge(renderer, scene, a, axis, edges)) continue;
            wbSegment edge = {
                wbBounds_GetCorner(&box, a), halfWidth, wbBounds_GetCorner(&box, b), {225, 233, 242, 150}};
            wbSegments_Add(&renderer->segments, edge);
        }
    }
}

static wbStatus drawBox(wbRenderer *renderer, const wbRenderScene *scene, Edges edges) {
    if (!scene->output.box || !hasBox(scene)) return wb_okStatus;
    addBox(renderer, scene, edges);
    wbMat4 transform = wbMulMat4(&renderer->camera.projection, &renderer->camera.view);
    glEnable(GL_DEPTH_TEST);
    wbStatus status = wbSegments_Draw(&renderer->segments, &transform);
    glDisable(GL_DEPTH_TEST);
    return status;
}

// Over what is opaque.
static wbStatus drawLinks(wbRenderer *renderer, const wbRenderScene *scene) {
    wbMat4 transform = wbMulMat4(&renderer->camera.projection, &renderer->camera.view);
    wbSoftShapes_AddLinks(scene, 0.5f * (float)renderer->inner.height / 720, &renderer->segments);
    glEnable(GL_DEPTH_TEST);
    return wbSegments_Draw(&renderer->segments, &transform);
}

// Samples become pixels; fewer pixels are stretched.
static void copyPicture(const wbRenderer *renderer, const wbTarget *from) {
    const wbSize small = from->size, size = renderer->size;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from->framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, renderer->picture.framebuffer);
    glBlitFramebuffer(0, 0, small.width, small.height, 0, 0, size.width, size.height, GL_COLOR_BUFFER_BIT,
                      wbIsSameSize(small, size) ? GL_NEAREST : GL_LINEAR);
}

static wbLight findLight(const wbRenderer *renderer, const wbRenderScene *scene) {
    if (wbRenderScene_HasSmoke(scene)) return wb_lightFull;
    if (scene->quality == wb_qualityPoints) return wb_lightQuick;
    return renderer->swarm.count == 0 ? wb_lightDry : wb_lightFull;
}

static void drawBackground(const wbRenderer *renderer, const wbRenderScene *scene, const wbTarget *target,
                           const wbSunMaps *maps) {
    const wbLight light = findLight(renderer, scene);
    wbTarget_Bind(target);
    glEnable(GL_DEPTH_TEST);
    wbGround_Draw(&renderer->ground, &renderer->sunlight, light);
    wbVolumePlane_Draw(&renderer->plane);
    wbBodies_DrawOpaque(&renderer->bodies, maps, light);
}

// OpenGL does not stretch a picture of several samples per pixel while it joins them: fewer pixels have one.
static wbStatus prepareSampled(wbRenderer *renderer, wbRenderQuality quality) {
    const bool isFine = quality < wb_qualitySpheres && wbIsSameSize(renderer->inner, renderer->size);
    const int samples = isFine ? 4 : 1;
    if (renderer->samples == samples && wbIsSameSize(renderer->sampled.size, renderer->inner))
        return wb_okStatus;
    wbDestroyTarget(&renderer->sampled);
    renderer->samples = 0;
    WB_TRY(wbCreateSampledTarget(renderer->inner, samples, &renderer->sampled));
    renderer->samples = samples;
    return wb_okStatus;
}

static wbStatus drawSpheres(wbRenderer *renderer, const wbRenderScene *scene) {
    WB_TRY(prepareSampled(renderer, scene->quality));
    wbSunMaps maps = wbSunlight_GetMaps(&renderer->sunlight);
    drawBackground(renderer, scene, &renderer->sampled, &maps);
    WB_TRY(drawLinks(renderer, scene));
    if (wbRenderScene_HasPoints(scene))
        wbDrawnParticles_DrawBalls(&renderer->particles);
    else
        wbDrawnParticles_DrawSpheres(&renderer->particles, &maps);
    wbDrawnDiffuse_DrawPlain(&renderer->diffuse, &maps);
    WB_TRY(drawBox(renderer, scene, EDGES_BEHIND));
    WB_TRY(wbVolume_DrawSampled(&renderer->volume, scene, &renderer->sampled));
    wbBodies_DrawClear(&renderer->bodies, &maps);
    WB_TRY(drawBox(renderer, scene, EDGES_FRONT));
    copyPicture(renderer, &renderer->sampled);
    return wb_okStatus;
}

static wbStatus drawSurface(wbRenderer *renderer, const wbRenderScene *scene) {
    wbWaterSurface *surface = &renderer->surface;
    wbVolume *volume = &renderer->volume;
    if (!renderer->hasSurface) WB_TRY(wbWaterSurface_Create(renderer->inner, surface));
    if (renderer->hasSurface && !wbIsSameSize(surface->front.size, renderer->inner))
        WB_TRY(wbWaterSurface_Resize(surface, renderer->inner));
    renderer->hasSurface = true;
    surface->passes = scene->quality == wb_qualityFilm ? 2 : 1;
    wbSunMaps maps = wbSunlight_GetMaps(&renderer->sunlight);
    drawBackground(renderer, scene, &surface->behind, &maps);
    WB_TRY(drawLinks(renderer, scene));
    WB_TRY(drawBox(renderer, scene, EDGES_BEHIND));
    wbWaterSurface_DrawDepths(surface, &renderer->particles);
    GLuint scenery = surface->scene.texture, water = surface->depth.texture;
    WB_TRY(wbVolume_Draw(volume, scene, &surface->behind, scenery, water, wb_volumeBehindWater));
    wbWaterSurface_Shade(surface, &maps);
    wbDrawnDiffuse_DrawOver(&renderer->diffuse, surface, &maps);
    WB_TRY(wbVolume_Draw(volume, scene, &surface->shaded, scenery, water, wb_volumeBeforeWater));
    wbBodies_DrawClear(&renderer->bodies, &maps);
    wbWaterSurface_Finish(surface);
    WB_TRY(drawBox(renderer, scene, EDGES_FRONT));
    copyPicture(renderer, &surface->front);
    return wb_okStatus;
}

// A field of the air comes before the water's colours.
static wbColourScale getScale(const wbRenderer *renderer, const wbRenderScene *scene) {
    if (renderer->plane.isShown) return renderer->plane.scale;
    wbColourScale scale = {.kind = wb_rampWater, .low = renderer->low, .high = renderer->high};
    wbColour colour = wbRenderScene_GetColour(scene);
    bool hasWater = scene->viewCount > 0 || !wbRenderScene_HasSmoke(scene);
    if (colour != wb_colourAuto && hasWater) scale.title = getColourTitle(colour);
    scale.isOfKinds = colour == wb_colourFluid;
    return scale;
}

// Title, scale and marks have all pixels of the picture.
static wbStatus drawOver(wbRenderer *renderer, const wbRenderScene *scene, wbFrameUniforms *block) {
    block->screen[0] = (float)renderer->size.width, block->screen[1] = (float)renderer->size.height;
    wbSetFrameUniforms(renderer->frameBuffer, block);
    wbTarget_Bind(&renderer->picture);
    WB_TRY(wbDrawMarks(scene, &renderer->camera, renderer->size, &renderer->segments));
    wbColourScale scale = getScale(renderer, scene);
    return wbOverlay_Draw(&renderer->overlay, &renderer->segments, scene, renderer->size, &scale);
}

// Where there is no water, half the pixels would only make edges coarse.
static wbSize findInner(const wbRenderer *renderer, const wbRenderScene *scene) {
    const wbSize half = {(renderer->size.width + 1) / 2, (renderer->size.height + 1) / 2};
    bool soft = wbRenderScene_HasSurface(scene) || wbRenderScene_HasVolume(scene);
    if (scene->quality == wb_qualityPoints || (scene->quality == wb_qualityHalf && soft)) return half;
    return renderer->size;
}

wbStatus wbRenderer_DrawFrame(wbRenderer *renderer, const wbRenderScene *scene) {
    WB_ASSERT(scene->spacing > 0, "a picture needs the particles' spacing");
    WB_TRY(wbGlContext_MakeCurrent(&renderer->context));
    renderer->inner = findInner(renderer, scene);
    WB_TRY(wbSunlight_Resize(&renderer->sunlight,
                             scene->quality >= wb_qualityHalf ? WB_SUN_TEXELS / 2 : WB_SUN_TEXELS));
    WB_TRY(wbSwarm_Gather(&renderer->swarm, scene));
    WB_TRY(wbSoftShapes_Gather(&renderer->soft, scene));
    WB_TRY(wbBodies_Gather(&renderer->bodies, renderer->soft.bodies.data, renderer->soft.bodyCount));
    updateShown(renderer, scene);
    updateColours(renderer, scene);
    renderer->camera = wbMakeCamera(&scene->camera, scene->dimensions, &renderer->shown, renderer->size);
    bool isLit = scene->dimensions == 3 && scene->quality < wb_qualityPoints;
    if (scene->dimensions == 3) WB_TRY(shadeWater(renderer, scene));
    wbFrameUniforms block;
    fillBlock(renderer, scene, &block);
    WB_TRY(wbVolume_Gather(&renderer->volume, scene, &renderer->camera, renderer->inner, &block));
    WB_TRY(wbVolumePlane_Gather(&renderer->plane, scene));
    wbSetFrameUniforms(renderer->frameBuffer, &block);
    wbDrawnParticles_Upload(&renderer->particles, &renderer->swarm);
    wbBodies_Upload(&renderer->bodies, renderer->camera.eye);
    WB_TRY(wbDrawnDiffuse_Gather(&renderer->diffuse, scene, &renderer->swarm));

    if (isLit) wbSunlight_Draw(&renderer->sunlight, &renderer->particles, &renderer->bodies);
    // where there is only smoke, edges of bodies are finer with several samples per pixel
    bool surface = wbRenderScene_HasSurface(scene);
    if (wbRenderScene_HasSmoke(scene)) surface = surface && renderer->swarm.count > 0;
    WB_TRY(surface ? drawSurface(renderer, scene) : drawSpheres(renderer, scene));
    WB_TRY(drawOver(renderer, scene, &block));
    renderer->hasFrame = true;
    GLenum error = glGetError();
    if (error != GL_NO_ERROR) return wbError(wb_errorDevice, "OpenGL failed to draw (error 0x%x)", error);
    return wb_okStatus;
}

wbStatus wbRenderer_DrawWorld(wbRenderer *renderer, wbWorld *world, const wbCameraParams *camera,
                              const wbOutputParams *output, const char *title) {
    wbRenderScene scene;
    WB_REQUIRE(renderer);
    WB_REQUIRE(world);
    WB_REQUIRE(camera);
    WB_REQUIRE(output);
    WB_TRY(wbDrawnWorld_Gather(&renderer->drawn, world, &scene));
    scene.camera = *camera;
    scene.output = *output;
    scene.title = title;
    return wbRenderer_DrawFrame(renderer, &scene);
}

static wbStatus readRows(wbArray *rows, unsigned framebuffer, wbRectangle place, uint8_t *rgb) {
    const int width = place.width, height = place.height;
    rows->elementSize = 4;
    if (!wbArray_Reserve(NULL, rows, width * height)) {
        return wbError(wb_errorMemory, "no memory for a picture of %d x %d pixels", width, height);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadPixels(place.left, place.bottom, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rows->data);
    for (int y = 0; y < height; ++y) {
        const uint8_t *from =
            (const uint8_t *)rows->data + (size_t)4 * (size_t)(height - 1 - y) * (size_t)width;
        for (int x = 0; x < width; ++x, from += 4, rgb += 3) memcpy(rgb, from, 3);
    }
    GLenum error = glGetError();
    if (error != GL_NO_ERROR) return wbError(wb_errorDevice, "OpenGL failed to read (error 0x%x)", error);
    return wb_okStatus;
}

wbStatus wbRenderer_ReadPixels(wbRenderer *renderer, uint8_t *rgb) {
    WB_REQUIRE(renderer);
    WB_REQUIRE(rgb);
    WB_TRY(wbGlContext_MakeCurrent(&renderer->context));
    const wbRectangle all = {0, 0, renderer->size.width, renderer->size.height};
    return readRows(&renderer->rows, renderer->picture.framebuffer, all, rgb);
}

wbStatus wbReadFramebuffer(unsigned framebuffer, wbRectangle place, uint8_t *rgb) {
    wbArray rows = {0};
    wbStatus status = readRows(&rows, framebuffer, place, rgb);
    wbArray_Free(NULL, &rows);
    return status;
}

const char *wbRenderer_GetDeviceName(const wbRenderer *renderer) {
    WB_REQUIRE(renderer);
    if (!wbIsOk(wbGlContext_MakeCurrent(&renderer->context))) return "none";
    return (const char *)glGetString(GL_RENDERER);
}

bool wbRenderer_Project(const wbRenderer *renderer, wbVec3 point, float *x, float *y) {
    return wbCamera_Project(&renderer->camera, point, renderer->size, x, y);
}

wbRay wbRenderer_GetRay(const wbRenderer *renderer, float x, float y) {
    return (wbRay){renderer->camera.eye, wbCamera_GetDirection(&renderer->camera, renderer->size, x, y)};
}

wbCameraParams wbRenderer_GetCamera(const wbRenderer *renderer) {
    return wbCamera_GetParams(&renderer->camera, wbBounds_GetCentre(&renderer->shown));
}

void wbRenderer_Forget(wbRenderer *renderer) {
    renderer->hasFrame = false;
    renderer->held = 0;
    if (wbIsOk(wbGlContext_MakeCurrent(&renderer->context))) wbBodies_Forget(&renderer->bodies);
}

void wbRenderer_Present(const wbRenderer *renderer, unsigned framebuffer, wbRectangle place) {
    const wbSize size = renderer->size;
    const int right = place.left + place.width, top = place.bottom + place.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->picture.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glBlitFramebuffer(0, 0, size.width, size.height, place.left, place.bottom, right, top,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

void wbRenderer_Finish(const wbRenderer *renderer) {
    (void)renderer;
    glFinish();
}
