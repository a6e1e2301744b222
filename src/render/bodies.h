// SPDX-License-Identifier: MIT
// Bodies to draw: triangle meshes with a pose and a colour each, opaque or clear as glass.
#pragma once

#include "core/array.h"
#include "render/bounds.h"
#include "render/renderer.h"
#include "render/shader.h"

typedef struct wbBodies {
    GLuint programs[WB_LIGHTS], clearProgram, sunProgram;
    GLuint poses;          ///< buffer of what each body has for itself
    wbArray meshes, items; ///< see bodies.c
    int meshCount,
        count; ///< items: opaque ones first, mesh by mesh and from near to far, then clear ones from far to near
    int opaqueCount;
    wbBounds box; ///< around all; where there are none, nothing
} wbBodies;

wbStatus wbBodies_Create(wbBodies *bodies);
void wbBodies_Destroy(wbBodies *bodies);

/// Takes over the frame's bodies, without those that are nowhere (not finite); uploads meshes that are new and
/// forgets those that are gone.
wbStatus wbBodies_Gather(wbBodies *bodies, const wbRenderBody *list, int count);
/// All meshes: bodies of another world may have their keys.
void wbBodies_Forget(wbBodies *bodies);
/// Puts them in order as seen from the eye, and on the graphics card.
void wbBodies_Upload(wbBodies *bodies, wbVec3 eye);

/// Into the sun's map of bodies: the opaque ones.
void wbBodies_DrawSunDepth(const wbBodies *bodies);
/// With the depth test on. Writes an alpha of 0, where the floor writes 1.
void wbBodies_DrawOpaque(const wbBodies *bodies, const wbSunMaps *maps, wbLight light);
/// Blended over what is there: inner faces first.
void wbBodies_DrawClear(const wbBodies *bodies, const wbSunMaps *maps);
