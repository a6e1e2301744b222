// SPDX-License-Identifier: MIT
// From the way that two cores are pushed apart to the points where they touch: faces of one clipped by faces
// of the other.
#pragma once

#include "rigid/closest.h"
#include "rigid/manifold.h"

/// What the normal of a contact belongs to.
typedef enum wbAxisKind {
    wb_axisNone,
    wb_axisFaceA, ///< a face of the first
    wb_axisFaceB,
    wb_axisFree, ///< edges, corners and round sides
} wbAxisKind;

typedef struct wbAxis {
    wbAxisKind kind;
    int face;          ///< of a face
    wbClosest closest; ///< points only if it is free
} wbAxis;

/// Flat faces: of a box 6, of a cylinder 2, of a triangle its front.
typedef struct wbCoreFace {
    wbVec3d normal; ///< outwards
    double offset;  ///< m, along it
} wbCoreFace;
int wbCore_CountFaces(const wbCore *core);
wbCoreFace wbCore_GetFace(const wbCore *core, int face);
/// Of the faces around the point that is farthest in a direction, the one that looks most that way; -1: there
/// are none.
int wbCore_FindFace(const wbCore *core, wbVec3d direction);

enum { WB_CLIP_POINTS = 2 * (WB_MAX_HULL_CORNERS + 1) };
/// Points of a core that may touch: one, an edge, or a face counter-clockwise as seen from outside.
typedef struct wbFeature {
    wbVec3d points[WB_CLIP_POINTS];
    int count;
} wbFeature;
/// What of a core touches something that is in a direction; and the same of the second of a pair in the
/// first's frame.
void wbCore_GetFeature(const wbCore *core, wbVec3d direction, wbFeature *feature);
void wbCorePair_MoveFeature(const wbCorePair *pair, wbFeature *feature);
/// What of the incident feature is over a reference face; it ends in one of both buffers. What stands over by
/// less than `slack` m is not cut off.
const wbFeature *wbClipFeature(const wbFeature *reference, wbVec3d normal, double slack, wbFeature *incident,
                               wbFeature *spare);

/// Points where cores touch, before they are thinned out.
typedef struct wbClipPoint {
    wbVec3d place;     ///< m, in the first's frame, halfway between the surfaces
    double separation; ///< m, skins included
} wbClipPoint;
typedef struct wbContactPoints {
    wbClipPoint points[WB_CLIP_POINTS];
    int count;
    double lost; ///< m, by which what was cut off is deeper than what is left
} wbContactPoints;

/// All points no farther apart than `margin` m for an axis.
void wbFindContactPoints(const wbCorePair *pair, const wbAxis *axis, double margin,
                         wbContactPoints *contacts);
/// Keeps up to four: the deepest, and those that span the largest area across the normal. Returns how many,
/// and which.
int wbChooseContactPoints(const wbClipPoint *points, int count, wbVec3d normal,
                          int chosen[WB_MANIFOLD_POINTS]);

/// What faces are preferred by at a separation of cores, m.
double wbCorePair_GetPreference(const wbCorePair *pair, double separation);
/// The lowest point of a core along a direction; what is below `floor` need not be exact.
double wbCore_FindLowest(const wbCore *core, wbVec3d direction, double floor);
/// The way along which they are farthest apart, or overlap least, but rather a face's than another that is a
/// little better: normals stay what they are from step to step. wb_axisNone: farther apart than `most`, and
/// separation is a distance that they surely have.
wbAxis wbFindAxis(const wbCorePair *pair, double most);
