// SPDX-License-Identifier: MIT
// Thin sheets in a sub-step of a position based fluid, of one size or of levels: their sums are kept with those of colliders.
#pragma once

#include "pbd/pbf_code.h"
#include "space/sheets.h"

typedef struct wbPbfSheets {
    const wbFluidSheets *sheets; ///< NULL: none, and the rest is not asked
    const wbPbfModel *model;
    wbFluidStep *fluid;
    wbPbfPass *pass;
    wbSheetSwarm swarm;
    // where sizes differ; in the arena
    const uint8_t *level; ///< NULL: they do not
    float *sums, *squares, *values;
} wbPbfSheets;

/// What is near particles that go from `from`, in the order of now, to the places of the pass, in a part of the sub-step of dt seconds; `dummy` is what
/// lists are filled up with. Then lists are cut.
typedef struct wbPbfSheetPart {
    const float *from[3];
    const uint8_t *level; ///< NULL: all are of one size
    float dt, begin, end;
    int dummy;
    bool isStill; ///< sheets are held: particles move without time
} wbPbfSheetPart;
wbStatus wbPbfSheets_Find(wbPbfSheets *sheets, const wbPbfSheetPart *part);
/// In each iteration: the sums of colliders begin anew; sheets add to them; they get what constraints did to them. After all nothing goes through.
void wbPbfSheets_Clear(wbPbfSheets *sheets);
void wbPbfSheets_Add(wbPbfSheets *sheets);
void wbPbfSheets_Push(wbPbfSheets *sheets);
void wbPbfSheets_Hold(wbPbfSheets *sheets);
/// Distances of particles, m, become less where a sheet is nearer.
void wbPbfSheets_Approach(const wbPbfSheets *sheets, float *distances);
/// Whether one is between two places, of which the first is a particle's.
bool wbPbfSheets_Parts(const wbPbfSheets *sheets, int particle, const float from[3], const float to[3]);
