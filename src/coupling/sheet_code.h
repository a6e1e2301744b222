// SPDX-License-Identifier: MIT
// The hot loops of sheets in fluids, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "coupling/sheet.h"

enum {
    WB_SHEET_CLUSTER = 16, ///< elements that the search looks at together, and particles
    WB_SHEET_BOUNDS = 8    ///< columns: lowest and highest places, margin, radius
};

/// What may be a foot.
typedef struct wbSheetCandidate {
    int slot, part; ///< of its triangle, as in sheet_formula.h
    float distance; ///< m, along the normal
    float length;   ///< m, from the closest point
    float share;    ///< that feet which were taken leave it
    bool isBeyond;  ///< a rim
    float normal[3], weights[3];
} wbSheetCandidate;

/// Of one worker.
typedef struct wbSheetScratch {
    int *listed;                    ///< elements near a cluster of particles
    float *bounds[WB_SHEET_BOUNDS]; ///< theirs
    int *packed;                    ///< of elements near a particle, or slots
    float *margins, *radii;         ///< m, of those elements
    int *idle;                      ///< of those elements, those that cannot be feet soon
    float *idleSides;
    wbSheetCandidate *candidates;
} wbSheetScratch;

typedef struct wbSheetPass {
    wbSheets *sheets;
    const wbSheetSwarm *swarm;
    int moment;                       ///< shapes: 0: as they began; 1: as they are
    float *bounds[WB_SHEET_BOUNDS];   ///< the search: of elements, around their ways
    float *clusters[WB_SHEET_BOUNDS]; ///< around the bounds of so many, with what each may go on
    int clusterCount;
    float slack;           ///< m
    float reach;           ///< m, of a kernel, with half a spacing
    int *counts;           ///< per particle: how many bounds it is in
    float *sums, *squares; ///< of feet
} wbSheetPass;

typedef struct wbSheetFindCode {
    wbRangeFn *bound; ///< over clusters of elements
    wbRangeFn *count; ///< over particles
    wbRangeFn *fill;  ///< over particles: slots of those that are near
} wbSheetFindCode;

typedef struct wbSheetFeelCode {
    wbRangeFn *shape; ///< over elements
    wbRangeFn *feel;  ///< over particles that are near: feet
    /// The slots that a particle may have gone through, as far as floats tell, into the worker's `packed`; how many.
    int (*sift)(const wbSheetPass *pass, const wbNearSheet *near, int worker);
} wbSheetFeelCode;

WB_DECLARE_CODE(wbSheetFindCode, wb_sheetFindCode, wbGetSheetFindCode)
WB_DECLARE_CODE(wbSheetFeelCode, wb_sheetFeelCode, wbGetSheetFeelCode)

/// Feet of those that may be some.
void wbSheets_ChooseFeet(const wbSheetPass *pass, wbNearSheet *near, const wbSheetScratch *scratch,
                         int count);
/// Whether an edge leads from a corner to what is nearer to a place `away` from it: by more than `least` (m2), and still when the place has moved by
/// `slack` (m).
bool wbSheets_IsCornerHidden(const wbSheets *sheets, int corner, const float away[3], float least,
                             float slack);
/// Which rims particles can go round, in the arena; false: no memory.
bool wbSheets_MarkRims(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work);
#define WB_SHEET_FLAT 3.14159265f
/// What a sheet hides of the half space behind a foot: the angle of a wedge, WB_SHEET_FLAT far inside of rims, 0 far beyond them.
float wbSheets_FindWedge(const wbSheetPass *pass, const wbNearSheet *near, const wbSheetCandidate *candidate);
/// m, the closest point.
void wbSheets_FindPoint(const wbSheets *sheets, const wbSheetCandidate *candidate, float point[3]);
/// m2, from a point to an edge.
float wbFindEdgeDistance2(const float *from, const float *to, const float point[3]);
/// 1 or -1: where a particle began, by an element's plane.
int wbSheets_FindSide(const wbSheets *sheets, int element, const float *start);
