// SPDX-License-Identifier: MIT
// What a frame and the panels need of a world, so that they can be drawn while the world goes on.
#pragma once

#include "app/frame_copy.h"
#include "app/view/extras.h"
#include "app/view/objects.h"
#include "app/view/sections.h"

enum { WB_VALUE_TEXT = 96 };

/// The value of a parameter, as text.
typedef struct wbShownValue {
    int section, row; ///< of the list of sections, and of its table
    char text[WB_VALUE_TEXT];
} wbShownValue;

typedef struct wbStill {
    wbRenderScene scene; ///< of the copy, or of the world's own arrays
    wbDomainDef domain;
    wbSmokeView air;
    wbDiffuseView diffuse;
    wbFrameCopy copy;
    wbArray sections; ///< wbSection
    int sectionCount, sectionsVersion;
    wbArray values; ///< wbShownValue, of the sections that the simulation was asked to watch
    int valueCount;
    wbExtras extras; ///< what overlays and panels want beside
    int generation;  ///< of the world: grows when another one is made
    int64_t step;
    double time; ///< s
    float dt;    ///< s, of the last step
    wbStats stats;
    wbProfile profile;
    wbVec3 gravity; ///< m/s2
    wbObjects objects;
} wbStill;

/// Copies what the frame shows, and of the air what is wanted (wbWant). `generation` says when meshes of bodies may have changed.
wbStatus wbStill_Fill(wbStill *still, const wbFrameScene *frame, int generation, unsigned wants);
/// Bytes that a copy takes.
size_t wbStill_CountBytes(const wbFrameScene *frame, unsigned wants);
/// Without a copy: it shows the world's own arrays, until the world changes.
void wbStill_Borrow(wbStill *still, const wbFrameScene *frame, int generation);
void wbStill_Free(wbStill *still);
