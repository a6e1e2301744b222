// SPDX-License-Identifier: MIT
#include "render/water_surface.h"

#include "core/status.h"

/// Thickness changes slowly: it is drawn with fewer pixels.
enum { THICKNESS_STEP = 4 };

static wbStatus createPrograms(wbWaterSurface *surface) {
    WB_TRY(wbCreateProgram("surface_scene", wb_shaderSurfaceScene, &surface->sceneProgram));
    WB_TRY(wbCreateProgram("surface_depth", wb_shaderSurfaceDepth, &surface->depthProgram));
    WB_TRY(wbCreateProgram("surface_outline", wb_shaderSurfaceOutline, &surface->outlineProgram));
    WB_TRY(wbCreateProgram("surface_thickness", wb_shaderSurfaceThickness, &surface->thicknessProgram));
    WB_TRY(wbCreateProgram("surface_smooth", wb_shaderSurfaceSmooth, &surface->smoothProgram));
    WB_TRY(wbCreateProgram("surface_shade", wb_shaderSurfaceShade, &surface->shadeProgram));
    WB_TRY(wbCreateProgram("surface_edges", wb_shaderSurfaceEdges, &surface->edgeProgram));
    surface->sizeLocation = glGetUniformLocation(surface->thicknessProgram, "size");
    surface->outlineLocation = glGetUniformLocation(surface->outlineProgram, "pattern");
    surface->axisLocation = glGetUniformLocation(surface->smoothProgram, "axis");
    wbSetSampler(surface->sceneProgram, "behind", 0);
    wbSetSampler(surface->sceneProgram, "scene", 1);
    wbSetSampler(surface->depthProgram, "bodies", 0);
    wbSetSampler(surface->outlineProgram, "source", 0);
    wbSetSampler(surface->outlineProgram, "bodies", 1);
    wbSetSampler(surface->smoothProgram, "source", 0);
    wbSetSampler(surface->shadeProgram, "depths", 0);
    wbSetSampler(surface->shadeProgram, "thicknesses", 1);
    wbSetSampler(surface->shadeProgram, "behind", 2);
    wbSetSampler(surface->shadeProgram, "sunDepth", 3);
    wbSetSampler(surface->shadeProgram, "sunBodies", 4);
    wbSetSampler(surface->shadeProgram, "bodies", 5);
    wbSetSampler(surface->edgeProgram, "shaded", 0);
    return wb_okStatus;
}

static wbStatus createTargets(wbSize size, wbWaterSurface *surface) {
    wbSize coarse = {(size.width + THICKNESS_STEP - 1) / THICKNESS_STEP,
                     (size.height + THICKNESS_STEP - 1) / THICKNESS_STEP};
    surface->depths = wbCreateDepthBuffer(size);
    WB_TRY(wbCreateTextureTarget(size, GL_RGBA8, surface->depths, &surface->behind));
    WB_TRY(wbCreateDepthTarget(size, &surface->scene));
    WB_TRY(wbCreateTextureTarget(size, GL_RG32F, 0, &surface->bodies));
    WB_TRY(wbCreateTextureTarget(size, GL_RG32F, surface->depths, &surface->depth));
    WB_TRY(wbCreateTextureTarget(size, GL_RG32F, 0, &surface->between));
    WB_TRY(wbCreateTextureTarget(coarse, GL_RG16F, 0, &surface->thickness));
    WB_TRY(wbCreateTextureTarget(size, GL_RGBA8, surface->depths, &surface->shaded));
    return wbCreateTextureTarget(size, GL_RGBA8, surface->depths, &surface->front);
}

static void destroyTargets(wbWaterSurface *surface) {
    glDeleteRenderbuffers(1, &surface->depths);
    surface->depths = 0;
    wbDestroyTarget(&surface->behind);
    wbDestroyTarget(&surface->scene);
    wbDestroyTarget(&surface->bodies);
    wbDestroyTarget(&surface->depth);
    wbDestroyTarget(&surface->between);
    wbDestroyTarget(&surface->thickness);
    wbDestroyTarget(&surface->shaded);
    wbDestroyTarget(&surface->front);
}

wbStatus wbWaterSurface_Create(wbSize size, wbWaterSurface *surface) {
    glGenVertexArrays(1, &surface->emptyArray);
    surface->passes = 2;
    WB_TRY(createPrograms(surface));
    return createTargets(size, surface);
}

wbStatus wbWaterSurface_Resize(wbWaterSurface *surface, wbSize size) {
    destroyTargets(surface);
    return createTargets(size, surface);
}

void wbWaterSurface_Destroy(wbWaterSurface *surface) {
    glDeleteProgram(surface->sceneProgram);
    glDeleteProgram(surface->depthProgram);
    glDeleteProgram(surface->outlineProgram);
    glDeleteProgram(surface->thicknessProgram);
    glDeleteProgram(surface->smoothProgram);
    glDeleteProgram(surface->shadeProgram);
    glDeleteProgram(surface->edgeProgram);
    destroyTargets(surface);
    glDeleteVertexArrays(1, &surface->emptyArray);
}

static void copy(const wbTarget *from, const wbTarget *to, GLbitfield what) {
    const wbSize size = from->size;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from->framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->framebuffer);
    glBlitFramebuffer(0, 0, size.width, size.height, 0, 0, size.width, size.height, what, GL_NEAREST);
}

static void drawBodies(const wbWaterSurface *surface) {
    wbTarget_Bind(&surface->bodies);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(surface->sceneProgram);
    glBindVertexArray(surface->emptyArray);
    wbBindTexture(0, surface->behind.texture);
    wbBindTexture(1, surface->scene.texture);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// Only what lies before floor and bodies: their depths are there already.
static void drawSpheres(const wbWaterSurface *surface, const wbDrawnParticles *particles) {
    wbTarget_Bind(&surface->depth);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(surface->depthProgram);
    wbBindTexture(0, surface->bodies.texture);
    wbDrawnParticles_DrawSquares(particles, particles->seenCount);
    glDisable(GL_DEPTH_TEST);
}

static void drawThickness(const wbWaterSurface *surface, const wbDrawnParticles *particles) {
    const float nothing[4] = {0, 0, 0, 0};
    wbTarget_Bind(&surface->thickness);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(surface->thicknessProgram);
    glUniform2f(surface->sizeLocation, (float)surface->thickness.size.width,
                (float)surface->thickness.size.height);
    wbDrawnParticles_DrawSquares(particles, particles->allCount);
    glDisable(GL_BLEND);
}

static void outlineOnce(const wbWaterSurface *surface, const wbTarget *from, const wbTarget *to,
                        const float pattern[3]) {
    copy(from, to, GL_COLOR_BUFFER_BIT);
    wbTarget_Bind(to);
    wbBindTexture(0, from->texture);
    glUniform3fv(surface->outlineLocation, 1, pattern);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// The second, narrower one takes away the grain that the first one's pattern leaves.
static void outline(const wbWaterSurface *surface) {
    glUseProgram(surface->outlineProgram);
    wbBindTexture(1, surface->bodies.texture);
    outlineOnce(surface, &surface->depth, &surface->between, (float[]){1.1f, 0, 32});
    outlineOnce(surface, &surface->between, &surface->depth, (float[]){0.4f, 1, 16});
}

/// See surface_smooth.glsl.
typedef struct Filter {
    float deviation, longestStep;
} Filter;

static void smoothAlong(const wbWaterSurface *surface, const wbTarget *from, const wbTarget *to, float x,
                        float y, Filter filter) {
    wbTarget_Bind(to);
    wbBindTexture(0, from->texture);
    glUniform4f(surface->axisLocation, x, y, filter.deviation, filter.longestStep);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// The second, narrower pair takes away the streaks and patterns that long steps along axes leave.
static void smooth(const wbWaterSurface *surface) {
    const Filter filters[2] = {{1, 1e6f}, {0.5f, 1}};
    copy(&surface->depth, &surface->between, GL_COLOR_BUFFER_BIT); // also what no pass writes
    glUseProgram(surface->smoothProgram);
    for (int i = 0; i < surface->passes; ++i) {
        smoothAlong(surface, &surface->depth, &surface->between, 1, 0, filters[i]);
        smoothAlong(surface, &surface->between, &surface->depth, 0, 1, filters[i]);
    }
}

void wbWaterSurface_DrawDepths(const wbWaterSurface *surface, const wbDrawnParticles *particles) {
    copy(&surface->behind, &surface->scene,
         GL_DEPTH_BUFFER_BIT); // depths cannot be read while they are drawn into
    drawBodies(surface);
    copy(&surface->bodies, &surface->depth, GL_COLOR_BUFFER_BIT);
    drawSpheres(surface, particles);
    drawThickness(surface, particles);
    glBindVertexArray(surface->emptyArray);
    outline(surface);
    smooth(surface);
}

void wbWaterSurface_Shade(const wbWaterSurface *surface, const wbSunMaps *maps) {
    copy(&surface->behind, &surface->shaded, GL_COLOR_BUFFER_BIT);
    wbTarget_Bind(&surface->shaded);
    glBindVertexArray(surface->emptyArray);
    glUseProgram(surface->shadeProgram);
    wbBindTexture(0, surface->depth.texture);
    wbBindTexture(1, surface->thickness.texture);
    wbBindTexture(2, surface->behind.texture);
    wbBindTexture(3, maps->water);
    wbBindTexture(4, maps->bodies);
    wbBindTexture(5, surface->bodies.texture);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void wbWaterSurface_Finish(const wbWaterSurface *surface) {
    copy(&surface->shaded, &surface->front, GL_COLOR_BUFFER_BIT);
    wbTarget_Bind(&surface->front);
    glUseProgram(surface->edgeProgram);
    wbBindTexture(0, surface->shaded.texture);
    glBindVertexArray(surface->emptyArray);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
