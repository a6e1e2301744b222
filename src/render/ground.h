// SPDX-License-Identifier: MIT
// Background and floor.
#pragma once

#include "render/sunlight.h"

typedef struct wbGround {
    GLuint programs[WB_LIGHTS];
    GLuint emptyArray;
} wbGround;

wbStatus wbGround_Create(wbGround *ground);
void wbGround_Destroy(wbGround *ground);
/// Fills the whole picture, colour and depth.
void wbGround_Draw(const wbGround *ground, const wbSunlight *sunlight, wbLight light);
