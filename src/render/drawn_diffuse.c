// SPDX-License-Identifier: MIT
#include "render/drawn_diffuse.h"

#include "core/hash.h"
#include "core/status.h"

#include <math.h>
#include <stddef.h>

/// What the graphics card reads per spot.
typedef struct Spot { // 32 bytes
    float place[3], radius;
    float way[3]; ///< m, while the shutter is open
    float look;   ///< kind + opacity, which is below 1
} Spot;

/// s
static const float shutter = 1.0f / 80;
/// Drops that a lone particle of water is shown as, and the share of the space around it below which it is alone.
enum { DROPS = 9, LONE = 10 };

/// Radii over that of spray, opacities and seconds in which they fade, by their kind.
static const struct {
    float radius, opacity, fade;
} looks[] = {{0.8f, 0.9f, 0.25f}, {4.5f, 0.22f, 1.5f}, {1.5f, 0.16f, 1}};

wbStatus wbDrawnDiffuse_Create(wbDrawnDiffuse *drawn) {
    drawn->spots.elementSize = (int)sizeof(Spot);
    WB_TRY(wbCreateProgram("diffuse", wb_shaderDiffuse, &drawn->program));
    WB_TRY(wbCreateVariant("diffuse", "PLAIN", wb_shaderDiffuse, &drawn->plainProgram));
    wbSetSampler(drawn->program, "depths", 0);
    wbSetSampler(drawn->program, "scene", 1);
    wbSetSampler(drawn->program, "sunBodies", 2);
    wbSetSampler(drawn->plainProgram, "sunBodies", 2);
    glGenBuffers(1, &drawn->buffer);
    glGenVertexArrays(1, &drawn->array);
    glBindVertexArray(drawn->array);
    glBindBuffer(GL_ARRAY_BUFFER, drawn->buffer);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(Spot), (void *)offsetof(Spot, place));
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(Spot), (void *)offsetof(Spot, way));
    for (GLuint i = 0; i < 2; ++i) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, 1);
    }
    return wb_okStatus;
}

void wbDrawnDiffuse_Destroy(wbDrawnDiffuse *drawn) {
    glDeleteProgram(drawn->program);
    glDeleteProgram(drawn->plainProgram);
    glDeleteBuffers(1, &drawn->buffer);
    glDeleteVertexArrays(1, &drawn->array);
    wbArray_Free(NULL, &drawn->spots);
}

// Sizes differ by up to 2.5 times, the same for a particle's whole life.
static Spot makeSpot(const wbDiffuseView *view, int i) {
    const uint32_t kind = view->kind[i];
    const float size = 0.6f + 0.9f * wbHashFloat(view->id[i]) * wbHashFloat(view->id[i] ^ 0x55555555u);
    const float fade = fminf(view->left[i] / looks[kind].fade, 1) * fminf(0.3f + view->age[i] / 0.1f, 1);
    const float wider = kind == wb_diffuseFoam ? 1.6f - 0.6f * fade : 1; // foam spreads as it goes
    const float open = kind == wb_diffuseSpray ? shutter : 0;
    return (Spot){{view->x[i], view->y[i], view->z[i]},
                  view->radius * looks[kind].radius * size * wider,
                  {open * view->vx[i], open * view->vy[i], open * view->vz[i]},
                  (float)kind + fminf(looks[kind].opacity * fade, 0.99f)};
}

static float spread(uint32_t number) { return 2 * wbHashFloat(number) - 1; }

// Around its middle, a little before and behind it.
static Spot makeDrop(const wbDrop *lone, int k, float spacing, float radius) {
    const uint32_t number = wbHash32(lone->id ^ (uint32_t)k * 0x9e3779b9u);
    const float reach = 0.7f * spacing * lone->size;
    return (Spot){{lone->x + reach * spread(number), lone->y + reach * spread(number + 1),
                   lone->z + reach * spread(number + 2)},
                  radius * (0.4f + 0.5f * wbHashFloat(number + 3)),
                  {0, 0, 0},
                  0.7f};
}

wbStatus wbDrawnDiffuse_Gather(wbDrawnDiffuse *drawn, const wbRenderScene *scene, const wbSwarm *swarm) {
    const wbDiffuseView *view = scene->diffuse;
    drawn->count = 0;
    if (!wbRenderScene_HasDiffuse(scene)) return wb_okStatus;
    const bool showsLone = wbRenderScene_HasSurface(scene);
    const int lone = showsLone ? swarm->seenCount : 0;
    if (!wbArray_Reserve(NULL, &drawn->spots, view->count + DROPS * lone))
        return wbMemoryError(NULL, "pictures of %d diffuse particles need", view->count);
    Spot *spots = drawn->spots.data;
    for (int i = 0; i < view->count; ++i) spots[drawn->count++] = makeSpot(view, i);
    const wbDrop *drops = swarm->drops.data;
    for (int i = 0; i < lone; ++i) {
        if (drops[i].occlusion >= LONE) continue;
        for (int k = 0; k < DROPS; ++k)
            spots[drawn->count++] = makeDrop(&drops[i], k, scene->spacing, view->radius);
    }
    glBindBuffer(GL_ARRAY_BUFFER, drawn->buffer);
    glBufferData(GL_ARRAY_BUFFER, drawn->count * (GLsizeiptr)sizeof(Spot), spots, GL_STREAM_DRAW);
    return wb_okStatus;
}

static void draw(const wbDrawnDiffuse *drawn, GLuint program, const wbSunMaps *maps) {
    glUseProgram(program);
    wbBindTexture(2, maps->bodies);
    glBindVertexArray(drawn->array);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE); // alpha says where edges are
    glDepthMask(GL_FALSE);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, drawn->count);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void wbDrawnDiffuse_DrawOver(const wbDrawnDiffuse *drawn, const wbWaterSurface *surface,
                             const wbSunMaps *maps) {
    if (drawn->count == 0) return;
    wbTarget_Bind(&surface->shaded);
    glDisable(GL_DEPTH_TEST);
    wbBindTexture(0, surface->depth.texture);
    wbBindTexture(1, surface->scene.texture);
    draw(drawn, drawn->program, maps);
}

void wbDrawnDiffuse_DrawPlain(const wbDrawnDiffuse *drawn, const wbSunMaps *maps) {
    if (drawn->count == 0) return;
    glEnable(GL_DEPTH_TEST);
    draw(drawn, drawn->plainProgram, maps);
}
