// SPDX-License-Identifier: MIT
// A copy of what a frame shows of a world, so that it can be drawn while the world goes on.
#pragma once

#include "app/frame_scene.h"

typedef struct wbFrameCopy {
    wbRenderScene scene; ///< points into what follows
    wbDomainDef domain;
    wbSmokeView air;
    wbDiffuseView diffuse;
    wbArray views, softs, bodies; ///< wbView, wbRenderSoft, wbRenderBody
    wbArray fluids;               ///< wbRenderFluid
    wbArray floats;               ///< of all views and of the air
    wbArray bytes;                ///< solid cells
    wbArray numbers;              ///< ids of particles, triangles and links of soft bodies
    wbArray meshes;               ///< copies of bodies' meshes, kept from one time to the next
    int meshCount;
} wbFrameCopy;

/// Of the air it takes what its picture needs, with `wantsMotion` its velocities too. `generation` says when meshes of
/// bodies may have changed.
wbStatus wbFrameCopy_Fill(wbFrameCopy *copy, const wbFrameScene *frame, int generation, bool wantsMotion);
/// Bytes that a copy takes.
size_t wbFrameCopy_CountBytes(const wbFrameScene *frame, bool wantsMotion);
void wbFrameCopy_Free(wbFrameCopy *copy);
