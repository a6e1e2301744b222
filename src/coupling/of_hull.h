// SPDX-License-Identifier: MIT
// Rigid bodies with walls that are thinner than a fluid's kernel, as sheets in it: their triangles, of which particles feel those alone that
// they are in front of. Their corners go where the body goes, and give way with it. In each part of a sub-step
//
//     wbWetHulls_Place(…)     where bodies bring them
//     …                    a fluid pushes; if it iterates, after each iteration
//     wbWetHulls_GiveWay(…)   bodies give way to what their corners got (coupling/response.h), and take them along
//     …                    nothing goes through
//     wbWetHulls_Take(…)      what bodies got in all
//
// Where corners end is where the next sub-step finds them, to the last bit: a particle that is on one side stays there.
#pragma once

#include "coupling/of_rigid.h"
#include "coupling/sheet.h"

typedef struct wbWetHull {
    int body;                       ///< of wbWetBodies
    const wbMesh *mesh;             ///< in the frame of its origin
    const struct wbWallFace *faces; ///< of its triangles (coupling/hull_surface.h)
    uint64_t key;                   ///< of its mesh
    int firstNode;                  ///< from that of all hulls on
    double before[6];               ///< N s, N m s: given to it before this part
} wbWetHull;

typedef struct wbWetHulls {
    wbWetBodies *bodies;
    wbArray list; ///< wbWetHull
    int count;
    int nodeCount, firstNode; ///< in sheets, behind others
    float from, to;           ///< the part of the sub-step that is being done, in shares
    bool responds;            ///< bodies give way within iterations
} wbWetHulls;

void wbWetHulls_Init(wbWetHulls *hulls, wbWetBodies *bodies);
void wbWetHulls_Free(wbMemory *memory, wbWetHulls *hulls);
/// Before a step, all of them anew.
static inline void wbWetHulls_Clear(wbWetHulls *hulls) { hulls->count = hulls->nodeCount = 0; }
wbStatus wbWetHulls_Add(wbWetHulls *hulls, wbMemory *memory, const wbWetHull *hull);
static inline wbWetHull *wbWetHulls_Get(const wbWetHulls *hulls, int hull) {
    return (wbWetHull *)hulls->list.data + hull;
}

/// Elements that they need in sheets, behind others; they are to be listed anew whenever the key changes.
int wbWetHulls_CountElements(const wbWetHulls *hulls);
uint64_t wbWetHulls_GetKey(const wbWetHulls *hulls);
void wbWetHulls_ListElements(const wbWetHulls *hulls, const wbSheets *sheets, int firstElement);

/// m/s, of the fastest corner as bodies are now.
float wbWetHulls_GetTopSpeed(const wbWetHulls *hulls);

void wbWetHulls_Place(wbWetHulls *hulls, const wbSheets *sheets, float from, float to);
void wbWetHulls_GiveWay(const wbWetHulls *hulls, const wbSheets *sheets, double dt);
void wbWetHulls_Take(const wbWetHulls *hulls, const wbSheets *sheets, double dt);
