// SPDX-License-Identifier: MIT
// Smoke and fire: rays through the air's cells, blended over what is behind.
#pragma once

#include "render/camera.h"
#include "render/renderer.h"
#include "render/shader.h"
#include "render/target.h"
#include "render/volume_around.h"
#include "render/volume_grid.h"

typedef struct wbVolume {
    GLuint marchProgram, blendProgram;
    GLint matterLocation, albedoLocation, spanLocation;
    GLuint cells, tints, steps, around, shade, glow; ///< textures
    wbTarget rays;                                   ///< with a quarter of the pixels
    wbTarget backdrop, depth;                        ///< copies of what smoke is drawn over
    GLuint emptyArray;
    wbVolumeGrid grid;
    wbArray mixed; ///< float: smoke and clouds as one
    wbVolumeAround surroundings;
    bool hasTargets;
    bool isShown; ///< there is smoke in this frame
    int axis;     ///< of slices: that the eye looks along
    int area[4];  ///< pixels that smoke can be in: left, bottom, width, height
} wbVolume;

/// What of the smoke is drawn: all; where there is water, what lies behind or before it.
typedef enum wbVolumePart { wb_volumeAll, wb_volumeBehindWater, wb_volumeBeforeWater } wbVolumePart;

wbStatus wbVolume_Create(wbVolume *volume);
void wbVolume_Destroy(wbVolume *volume);

/// Takes over the frame's smoke; what the block says of it.
wbStatus wbVolume_Gather(wbVolume *volume, const wbRenderScene *scene, const wbCamera *camera, wbSize size,
                         wbFrameUniforms *block);

/// Draws over `target`, up to the depths of a texture. `water`: eye depths of water, 0 if all is drawn.
wbStatus wbVolume_Draw(wbVolume *volume, const wbRenderScene *scene, const wbTarget *target, GLuint depths,
                       GLuint water, wbVolumePart part);
/// Draws over a target that has several samples per pixel, up to its own depths. Its samples become one colour.
wbStatus wbVolume_DrawSampled(wbVolume *volume, const wbRenderScene *scene, const wbTarget *sampled);
