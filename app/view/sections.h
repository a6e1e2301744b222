// SPDX-License-Identifier: MIT
// The sections of parameters that a world has: those of its solvers, and one per object with a name.
#pragma once

#include "core/array.h"
#include "wirbel/scene.h"

enum { WB_SECTION_NAME = 64 };

typedef struct wbSection {
    char name[WB_SECTION_NAME]; ///< before the point of a key: "sph", "pipe"
    const wbParamTable *table;
    bool isObject;  ///< table->section is its kind: "emitter"
    bool isPicture; ///< of the camera or the output: it changes pictures alone
    bool isIdle;    ///< of a solver that could be of use here, and is not
} wbSection;

/// Fills `sections` with those of the world and of its scene, and gives their count.
wbStatus wbListSections(const wbWorld *world, wbArray *sections, int *count);
/// Of another world, or of one whose objects or solvers have become others, the list is another.
uint64_t wbHashSections(const wbWorld *world);

/// The value of a row as text; the scene has those of the picture.
wbStatus wbSection_ReadRow(const wbScene *scene, const wbWorld *world, const wbSection *section,
                           const wbParam *param, char *text, int size);
