// SPDX-License-Identifier: MIT
// Solids: triangle meshes with a pose and a colour each, opaque or clear as glass.
#pragma once

#include "core/array.h"
#include "render/bounds.h"
#include "render/renderer.h"
#include "render/shader.h"

typedef struct wbSolids {
    GLuint program, sunProgram;
    GLint clearLocation;
    GLuint poses;          ///< buffer of what each solid has for itself
    wbArray meshes, items; ///< see solids.c
    int meshCount, count;  ///< items: opaque ones first, mesh by mesh, then clear ones from far to near
    int opaqueCount;
    wbBounds box; ///< around all; where there are none, nothing
} wbSolids;

wbStatus wbSolids_Create(wbSolids *solids);
void wbSolids_Destroy(wbSolids *solids);

/// Takes over the frame's solids, without those that are nowhere (not finite); uploads meshes that are new and
/// forgets those that are gone.
wbStatus wbSolids_Gather(wbSolids *solids, const wbRenderSolid *list, int count);
/// Puts them in order as seen from the eye, and on the graphics card.
void wbSolids_Upload(wbSolids *solids, wbVec3 eye);

/// Into the sun's map of solids: the opaque ones.
void wbSolids_DrawSunDepth(const wbSolids *solids);
/// With the depth test on. Writes an alpha of 0, where the floor writes 1.
void wbSolids_DrawOpaque(const wbSolids *solids, const wbSunMaps *maps);
/// Blended over what is there: inner faces first.
void wbSolids_DrawClear(const wbSolids *solids, const wbSunMaps *maps);
