// SPDX-License-Identifier: MIT
// Lines of given width in pixels, collected and then drawn at once.
#pragma once

#include "core/array.h"
#include "render/matrix.h"
#include "render/shader.h"

typedef struct wbSegment { // 32 bytes
    wbVec3 from;
    float halfWidth; ///< pixels
    wbVec3 to;
    uint8_t colour[4]; ///< red, green, blue, opacity, as the screen shows them
} wbSegment;

typedef struct wbSegments {
    GLuint program, buffer, array;
    GLint transformLocation;
    wbArray list; ///< of wbSegment
    int count;
    bool failed; ///< memory ran out; some are missing
} wbSegments;

wbStatus wbSegments_Create(wbSegments *segments);
void wbSegments_Destroy(wbSegments *segments);
void wbSegments_Add(wbSegments *segments, wbSegment segment);
/// Draws and empties the list. `transform` leads to clip space.
wbStatus wbSegments_Draw(wbSegments *segments, const wbMat4 *transform);
