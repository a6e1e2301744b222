// SPDX-License-Identifier: MIT
#include "render/volume.h"

#include "core/status.h"
#include "render/black_body.h"
#include "render/volume_cloud.h"

#include <math.h>

enum { GLOW_COUNT = 256 };

static GLuint makeTexture(GLenum kind, GLint filter) {
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(kind, texture);
    glTexParameteri(kind, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(kind, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(kind, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(kind, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(kind, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    return texture;
}

wbStatus wbVolume_Create(wbVolume *volume) {
    WB_TRY(wbCreateProgram("volume_march", wb_shaderVolumeMarch, &volume->marchProgram));
    WB_TRY(wbCreateProgram("volume_blend", wb_shaderVolumeBlend, &volume->blendProgram));
    volume->matterLocation = glGetUniformLocation(volume->marchProgram, "matter");
    volume->albedoLocation = glGetUniformLocation(volume->marchProgram, "albedo");
    volume->spanLocation = glGetUniformLocation(volume->marchProgram, "span");
    wbSetSampler(volume->marchProgram, "scene", 0);
    wbSetSampler(volume->marchProgram, "waterDepths", 1);
    wbSetSampler(volume->marchProgram, "glow", 2);
    wbSetSampler(volume->marchProgram, "tints", 3);
    wbSetSampler(volume->marchProgram, "steps", 4);
    wbSetSampler(volume->marchProgram, "around", 5);
    wbSetSampler(volume->marchProgram, "cells", WB_UNIT_SMOKE_CELLS);
    wbSetSampler(volume->blendProgram, "smoke", 0);
    wbSetSampler(volume->blendProgram, "scene", 1);
    wbSetSampler(volume->blendProgram, "backdrop", 2);
    volume->cells = makeTexture(GL_TEXTURE_3D, GL_LINEAR);
    volume->tints = makeTexture(GL_TEXTURE_3D, GL_LINEAR);
    volume->steps = makeTexture(GL_TEXTURE_3D, GL_NEAREST);
    volume->around = makeTexture(GL_TEXTURE_3D, GL_LINEAR);
    volume->shade = makeTexture(GL_TEXTURE_2D, GL_LINEAR);
    volume->glow = makeTexture(GL_TEXTURE_2D, GL_LINEAR);
    glGenVertexArrays(1, &volume->emptyArray);
    return wb_okStatus;
}

void wbVolume_Destroy(wbVolume *volume) {
    const GLuint textures[] = {volume->cells,  volume->tints, volume->steps,
                               volume->around, volume->shade, volume->glow};
    glDeleteTextures(6, textures);
    glDeleteProgram(volume->marchProgram);
    glDeleteProgram(volume->blendProgram);
    wbDestroyTarget(&volume->rays);
    wbDestroyTarget(&volume->backdrop);
    wbDestroyTarget(&volume->depth);
    glDeleteVertexArrays(1, &volume->emptyArray);
    wbVolumeGrid_Free(&volume->grid);
    wbArray_Free(NULL, &volume->mixed);
    wbVolumeAround_Free(&volume->surroundings);
}

static wbStatus checkSize(const wbSmokeView *view) {
    GLint largest = 0;
    glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &largest);
    for (int a = 0; a < 3; ++a) {
        if (view->cells[a] <= largest) continue;
        return wbError(
            wb_errorDevice,
            "%d cells of smoke along an axis, this OpenGL driver draws %d: make smoke.cellSize larger",
            view->cells[a], largest);
    }
    return wb_okStatus;
}

static void upload(GLuint texture, GLint inner, GLenum format, const int size[3], const wbArray *bytes) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBindTexture(GL_TEXTURE_3D, texture);
    glTexImage3D(GL_TEXTURE_3D, 0, inner, size[0], size[1], size[2], 0, format, GL_UNSIGNED_BYTE,
                 bytes->data);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static void uploadAround(const wbVolume *volume) {
    const int *size = volume->surroundings.size;
    glBindTexture(GL_TEXTURE_3D, volume->around);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA16F, size[0], size[1], size[2], 0, GL_RGBA, GL_FLOAT,
                 volume->surroundings.levels.data);
}

static void uploadShade(const wbVolume *volume) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBindTexture(GL_TEXTURE_2D, volume->shade);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, volume->grid.shadeSize[0], volume->grid.shadeSize[1], 0, GL_RED,
                 GL_UNSIGNED_BYTE, volume->grid.shade.data);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static void uploadGlow(const wbVolume *volume) {
    float light[GLOW_COUNT][3];
    for (int i = 0; i < GLOW_COUNT; ++i) {
        float share = ((float)i + 0.5f) / GLOW_COUNT;
        wbGetBlackBody(WB_AMBIENT_KELVIN + share * volume->grid.temperature, volume->grid.hottest, light[i]);
    }
    glBindTexture(GL_TEXTURE_2D, volume->glow);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB16F, GLOW_COUNT, 1, 0, GL_RGB, GL_FLOAT, light);
}

static void uploadAll(const wbVolume *volume) {
    const wbVolumeGrid *grid = &volume->grid;
    glActiveTexture(GL_TEXTURE0);
    upload(volume->cells, GL_RGBA8, GL_RGBA, grid->cells, &grid->texels);
    if (grid->hasTints) upload(volume->tints, GL_RGBA8, GL_RGBA, grid->cells, &grid->tints);
    upload(volume->steps, GL_R8, GL_RED, grid->blocks, &grid->steps);
    uploadAround(volume);
    uploadShade(volume);
    uploadGlow(volume);
    // there for the whole frame
    glActiveTexture(GL_TEXTURE0 + WB_UNIT_SMOKE_CELLS);
    glBindTexture(GL_TEXTURE_3D, volume->cells);
    wbBindTexture(WB_UNIT_SMOKE_SHADE, volume->shade);
}

// m, of the box.
static float getLongest(const wbSmokeView *view) {
    const int *n = view->boxCells;
    int most = n[0] > n[1] ? n[0] : n[1];
    return view->cellSize * (float)(most > n[2] ? most : n[2]);
}

// 1/m. Steam lets more light through.
static float getExtinction(const wbRenderScene *scene) {
    const wbOutputParams *output = &scene->output;
    if (output->smoke == wb_lookFlame) return 0;
    if (output->smokeOpacity != 0) return output->smokeOpacity;
    return (output->smoke == wb_lookSteam ? 24 : 80) / getLongest(scene->smoke);
}

// 1/m, of what is hot.
static float getShine(const wbRenderScene *scene) {
    if (scene->output.smoke == wb_lookSteam) return 0;
    return scene->output.glow * 40 / getLongest(scene->smoke);
}

// Of soot, as a share of what it takes of the light.
static float getSootShine(const wbRenderScene *scene) {
    return scene->output.smoke == wb_lookSteam ? 0 : 2 * scene->output.glow;
}

static void fillBlock(const wbVolume *volume, const wbRenderScene *scene, wbFrameUniforms *block) {
    const wbVolumeGrid *grid = &volume->grid;
    const wbSmokeView *view = scene->smoke;
    float h = view->cellSize;
    const float min[3] = {view->min.x, view->min.y, view->min.z};
    for (int a = 0; a < 3; ++a) {
        block->smokeMin[a] = min[a];
        block->smokeSize[a] = h * (float)view->cells[a];
    }
    block->smokeMin[3] = 1;
    block->smokeSize[3] = h;
    block->smokeDark[0] = getExtinction(scene) * grid->density;
    for (int a = 0; a < 2; ++a) {
        block->smokeShade[a] = min[2 * a] + h * (float)grid->shadeFirst[a];
        block->smokeShade[2 + a] = 1 / (h * (float)grid->shadeSize[a]);
    }
}

// Light of a cell is that of its volume, spread over a sphere. A fire is not brighter than its outside can be: what shines
// inside it does not come out.
static void fillFire(const wbVolume *volume, const wbRenderScene *scene, wbFrameUniforms *block) {
    const wbVolumeGrid *grid = &volume->grid;
    float h = scene->smoke->cellSize;
    wbVec3 middle = wbAdd(scene->smoke->min, wbScale(h, grid->fire));
    block->fire[0] = middle.x, block->fire[1] = middle.y, block->fire[2] = middle.z;
    block->fire[3] = h * h * grid->fireRadius * grid->fireRadius;
    float scale = getShine(scene) * h * h * h / 4, most = 2 * block->fire[3];
    for (int c = 0; c < 3; ++c) {
        float light = scale * grid->fireLight[c];
        block->fireLight[c] = light > 0 ? light / (1 + light / most) : 0;
    }
}

static int findAxis(wbVec3 back) {
    float x = fabsf(back.x), y = fabsf(back.y), z = fabsf(back.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// Around the corners of what is seen, a cell and a few pixels wider; all if a corner is behind the eye.
static void findArea(wbVolume *volume, const wbSmokeView *view, const wbCamera *camera, wbSize size) {
    const wbVolumeGrid *grid = &volume->grid;
    float h = view->cellSize, left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
    wbVec3 low = {(float)grid->low[0] - 1, (float)grid->low[1] - 1, (float)grid->low[2] - 1};
    wbVec3 high = {(float)grid->high[0] + 1, (float)grid->high[1] + 1, (float)grid->high[2] + 1};
    wbBounds box = {wbAdd(view->min, wbScale(h, low)), wbAdd(view->min, wbScale(h, high))};
    volume->area[0] = volume->area[1] = 0;
    volume->area[2] = size.width, volume->area[3] = size.height;
    for (int i = 0; i < 8; ++i) {
        float x, y;
        if (!wbCamera_Project(camera, wbBounds_GetCorner(&box, i), size, &x, &y)) return;
        left = fminf(left, x), right = fmaxf(right, x), top = fminf(top, y), bottom = fmaxf(bottom, y);
    }
    left = fmaxf(left - 4, 0), right = fminf(right + 4, (float)size.width);
    top = fmaxf(top - 4, 0), bottom = fminf(bottom + 4, (float)size.height);
    volume->area[0] = (int)left, volume->area[1] = size.height - (int)bottom;
    volume->area[2] = right > left ? (int)right - (int)left : 0;
    volume->area[3] = bottom > top ? (int)bottom - (int)top : 0;
}

wbStatus wbVolume_Gather(wbVolume *volume, const wbRenderScene *scene, const wbCamera *camera, wbSize size,
                         wbFrameUniforms *block) {
    volume->isShown = false;
    if (!wbRenderScene_HasVolume(scene)) return wb_okStatus;
    WB_TRY(checkSize(scene->smoke));
    wbVolumeLight light = {.toSun = {block->toSun[0], block->toSun[1], block->toSun[2]},
                           .extinction = getExtinction(scene),
                           .shine = getShine(scene),
                           .sootShine = getSootShine(scene)};
    wbSmokeView view;
    WB_TRY(wbMixClouds(&volume->mixed, scene->smoke, &scene->output, light.extinction, &view));
    WB_TRY(wbVolumeGrid_Fill(&volume->grid, &view, &light));
    volume->isShown = !volume->grid.isEmpty;
    volume->axis = findAxis(camera->back);
    if (!volume->isShown) return wb_okStatus;
    WB_TRY(wbVolumeAround_Fill(&volume->surroundings, &volume->grid, &light, scene->smoke->cellSize));
    findArea(volume, scene->smoke, camera, size);
    uploadAll(volume);
    fillBlock(volume, scene, block);
    fillFire(volume, scene, block);
    return wb_okStatus;
}

static wbStatus createTargets(wbVolume *volume, wbSize size) {
    if (volume->hasTargets && wbIsSameSize(volume->depth.size, size)) return wb_okStatus;
    wbDestroyTarget(&volume->rays);
    wbDestroyTarget(&volume->backdrop);
    wbDestroyTarget(&volume->depth);
    volume->hasTargets = false;
    wbSize half = {(size.width + 1) / 2, (size.height + 1) / 2};
    WB_TRY(wbCreateTextureTarget(half, GL_RGBA16F, 0, &volume->rays));
    WB_TRY(wbCreateTextureTarget(size, GL_RGBA8, 0, &volume->backdrop));
    WB_TRY(wbCreateDepthTarget(size, &volume->depth));
    volume->hasTargets = true;
    return wb_okStatus;
}

static void copy(GLuint from, const wbTarget *to, GLbitfield what) {
    int width = to->size.width, height = to->size.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->framebuffer);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, what, GL_NEAREST);
}

static void castRays(const wbVolume *volume, const wbRenderScene *scene, GLuint depths, GLuint water,
                     wbVolumePart part) {
    const wbOutputParams *output = &scene->output;
    const wbVolumeGrid *grid = &volume->grid;
    bool steam = output->smoke == wb_lookSteam;
    // where clouds are mixed in, colours of cells have that of the smoke in them
    wbVec3 c = steam || (scene->smoke->cloud && !scene->smoke->colour[0]) ? wbMakeVec3(1, 1, 1)
                                                                          : output->smokeColour;
    wbTarget_Bind(&volume->rays);
    glUseProgram(volume->marchProgram);
    glUniform4f(volume->matterLocation, getExtinction(scene) * grid->density, getShine(scene),
                (float)output->smokeMethod, grid->hasTints);
    glUniform4f(volume->albedoLocation, c.x * c.x, c.y * c.y, c.z * c.z, steam ? 1.6f : 0.5f);
    glUniform4f(volume->spanLocation, (float)part, (float)volume->axis, 1.0f / WB_VOLUME_BLOCK,
                getSootShine(scene));
    wbBindTexture(0, depths);
    wbBindTexture(1, water);
    wbBindTexture(2, volume->glow);
    glActiveTexture(GL_TEXTURE3);
    glBindTexture(GL_TEXTURE_3D, volume->tints);
    glActiveTexture(GL_TEXTURE4);
    glBindTexture(GL_TEXTURE_3D, volume->steps);
    glActiveTexture(GL_TEXTURE5);
    glBindTexture(GL_TEXTURE_3D, volume->around);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// Alpha stays: it says where bodies and edges are.
static void blend(const wbVolume *volume, const wbTarget *target, GLuint depths) {
    wbTarget_Bind(target);
    glUseProgram(volume->blendProgram);
    wbBindTexture(0, volume->rays.texture);
    wbBindTexture(1, depths);
    wbBindTexture(2, volume->backdrop.texture);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

wbStatus wbVolume_Draw(wbVolume *volume, const wbRenderScene *scene, const wbTarget *target, GLuint depths,
                       GLuint water, wbVolumePart part) {
    if (!volume->isShown) return wb_okStatus;
    WB_TRY(createTargets(volume, target->size));
    const int *area = volume->area;
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(volume->emptyArray);
    glEnable(GL_SCISSOR_TEST);
    // the rays around count as well
    glScissor(area[0] / 2 - 1, area[1] / 2 - 1, area[2] / 2 + 4, area[3] / 2 + 4);
    castRays(volume, scene, depths, water, part);
    glScissor(area[0], area[1], area[2], area[3]);
    copy(target->framebuffer, &volume->backdrop, GL_COLOR_BUFFER_BIT);
    blend(volume, target, depths);
    glDisable(GL_SCISSOR_TEST);
    return wb_okStatus;
}

wbStatus wbVolume_DrawSampled(wbVolume *volume, const wbRenderScene *scene, const wbTarget *sampled) {
    if (!volume->isShown) return wb_okStatus;
    WB_TRY(createTargets(volume, sampled->size));
    copy(sampled->framebuffer, &volume->depth, GL_DEPTH_BUFFER_BIT);
    return wbVolume_Draw(volume, scene, sampled, volume->depth.texture, 0, wb_volumeAll);
}
