// SPDX-License-Identifier: MIT
#include "render/sunlight.h"

#include "core/status.h"

#include <math.h>

static void destroyMaps(wbSunlight *light) {
    wbDestroyTarget(&light->depth);
    wbDestroyTarget(&light->bodies);
    for (int i = 0; i < 2; ++i) wbDestroyTarget(&light->cover[i]);
}

wbStatus wbSunlight_Resize(wbSunlight *light, int texels) {
    if (light->texels == texels) return wb_okStatus;
    const wbSize size = {texels, texels}, quarter = {texels / 4, texels / 4};
    destroyMaps(light);
    light->texels = 0;
    WB_TRY(wbCreateDepthTarget(size, &light->depth));
    WB_TRY(wbCreateDepthTarget(size, &light->bodies));
    for (int i = 0; i < 2; ++i) WB_TRY(wbCreateGreyTarget(quarter, &light->cover[i]));
    light->texels = texels;
    return wb_okStatus;
}

wbStatus wbSunlight_Create(wbSunlight *light) {
    WB_TRY(wbCreateProgram("sun_depth", wb_shaderSunDepth, &light->depthProgram));
    WB_TRY(wbCreateProgram("sun_blur", wb_shaderSunBlur, &light->blurProgram));
    light->blurLocation = glGetUniformLocation(light->blurProgram, "blur");
    wbSetSampler(light->blurProgram, "source", 0);
    glGenVertexArrays(1, &light->emptyArray);
    return wbSunlight_Resize(light, WB_SUN_TEXELS);
}

void wbSunlight_Destroy(wbSunlight *light) {
    glDeleteProgram(light->depthProgram);
    glDeleteProgram(light->blurProgram);
    destroyMaps(light);
    glDeleteVertexArrays(1, &light->emptyArray);
}

// From the left, in front and above: shadows fall to the right, where the automatic camera sees them. What
// lies in the plane is lit from the front.
wbVec3 wbGetSunDirection(int dimensions) {
    return wbNormalize(dimensions == 2 ? wbMakeVec3(-0.45f, 0.6f, 1) : wbMakeVec3(-0.55f, 1, 0.38f));
}

static float snap(float value, float step, float direction) {
    return direction * ceilf(direction * value / step) * step;
}

// Outwards to coarse steps: while water moves, the map mostly stays where it is, and its texels do not crawl.
static wbBounds snapBox(const wbBounds *box) {
    wbVec3 extent = wbSub(box->max, box->min);
    float largest = fmaxf(fmaxf(extent.x, extent.y), extent.z);
    if (!(largest > 0)) return *box;
    float step = exp2f(ceilf(log2f(largest / 16)));
    return (wbBounds){{snap(box->min.x, step, -1), snap(box->min.y, step, -1), snap(box->min.z, step, -1)},
                      {snap(box->max.x, step, 1), snap(box->max.y, step, 1), snap(box->max.z, step, 1)}};
}

void wbSunlight_Aim(const wbSunlight *light, const wbBounds *aim, int dimensions, float radius,
                    wbFrameUniforms *block) {
    wbVec3 back = wbGetSunDirection(dimensions);
    wbVec3 right = wbNormalize(wbCross(wbMakeVec3(0, 1, 0), back));
    wbVec3 up = wbCross(back, right);
    wbBounds box = snapBox(aim);
    wbVec3 centre = wbBounds_GetCentre(&box);
    wbMat4 view = wbMakeView(right, up, back, centre);

    // a few spheres' width around, so that the blur finds its way and a single sphere is not a whole map
    wbVec3 reach = wbMakeVec3(0, 0, 0);
    for (int i = 0; i < 8; ++i) {
        wbVec3 corner = wbSub(wbBounds_GetCorner(&box, i), centre);
        reach.x = fmaxf(reach.x, fabsf(wbDot(corner, right)));
        reach.y = fmaxf(reach.y, fabsf(wbDot(corner, up)));
        reach.z = fmaxf(reach.z, fabsf(wbDot(corner, back)));
    }
    float margin = 6 * radius + 0.04f * (reach.x + reach.y);
    reach = wbAdd(reach, wbMakeVec3(margin, margin, margin));
    // texels are square, so that spheres are round
    reach.x = reach.y = fmaxf(reach.x, reach.y);
    wbMat4 projection = wbMakeOrthographic(wbScale(-1, reach), reach);
    block->sun = wbMulMat4(&projection, &view);
    float toSun[4] = {back.x, back.y, back.z, 2 * reach.z};
    for (int i = 0; i < 4; ++i) block->toSun[i] = toSun[i];
    block->options[3] = (float)light->texels;
}

static void blurInto(const wbSunlight *light, const wbTarget *to, GLuint source, const float blur[3]) {
    wbTarget_Bind(to);
    glBindTexture(GL_TEXTURE_2D, source);
    glUniform3fv(light->blurLocation, 1, blur);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void drawCover(const wbSunlight *light) {
    glDisable(GL_DEPTH_TEST);
    glUseProgram(light->blurProgram);
    glBindVertexArray(light->emptyArray);
    glActiveTexture(GL_TEXTURE0);
    blurInto(light, &light->cover[0], light->depth.texture, (float[]){0, 0, 0});
    blurInto(light, &light->cover[1], light->cover[0].texture, (float[]){1, 0, 1});
    blurInto(light, &light->cover[0], light->cover[1].texture, (float[]){0, 1, 1});
}

static void clearCover(const wbSunlight *light) {
    glDisable(GL_DEPTH_TEST);
    wbTarget_Bind(&light->cover[0]);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
}

void wbSunlight_Draw(const wbSunlight *light, const wbDrawnParticles *particles, const wbBodies *bodies) {
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_PROGRAM_POINT_SIZE);
    wbTarget_Bind(&light->bodies);
    glClear(GL_DEPTH_BUFFER_BIT);
    wbBodies_DrawSunDepth(bodies);
    wbTarget_Bind(&light->depth);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(light->depthProgram);
    wbDrawnParticles_DrawPoints(particles);
    if (particles->count > 0)
        drawCover(light);
    else
        clearCover(light);
}
