// SPDX-License-Identifier: MIT
// What there is to see of a world.
#pragma once

#include "core/array.h"
#include "render/renderer.h"

typedef struct wbDrawnWorld {
    wbArray views;  ///< one per fluid
    wbArray fluids; ///< wbRenderFluid, likewise
    wbArray bodies; ///< one per collider and rigid body that is on
    wbArray
        softs; ///< one per soft body, one per tie of rigid bodies, and one per rigid body that is shown as particles
    wbArray ties;   ///< wbTie
    wbArray points; ///< wbVec3: particles of those bodies
    wbSmokeView air;
    wbDiffuseView diffuse;
    wbDomainDef domain;
} wbDrawnWorld;

/// Looks at the world and fills in the scene, all but camera, output and title. Valid until the world changes.
wbStatus wbDrawnWorld_Gather(wbDrawnWorld *drawn, wbWorld *world, wbRenderScene *scene);
void wbDrawnWorld_Free(wbDrawnWorld *drawn);
