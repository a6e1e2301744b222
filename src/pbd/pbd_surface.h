// SPDX-License-Identifier: MIT
// Surfaces of soft bodies that touch themselves and each other: triangles of cloth and meshes, segments of ropes, and particles as balls.
// Corners keep a distance from triangles, and edges from edges: nothing else can be the first to meet. In a sub-step
//
//     wbPbdSurface_Find(…)    pairs that may come to touch: closest points where they start, and the plane between them
//     press, pressRun         in each iteration: those nearer than they may be are pushed apart along it, and rubbed across it
//     wbPbdSurface_Hold(…)    in the end: nothing has gone through
//
// The direction n between the closest points of two convex things that are apart parts them. If it still parts their ends, they never met
// on their even ways: along n the least of one and the most of the other are a concave and a convex function of time. So most pairs
// need one look; what is left is looked at in halves of the time. What would go through is pushed back; what still would goes on
// together, with the mean way of its particles (Provot 1997, Bridson, Fedkiw and Anderson 2002: impact zones).
//
// Pairs that are near are kept from one sub-step to the next until something has moved too far. What is found is a function of the
// state at the beginning of a step: neither the number of threads nor what was kept before it matters.
#pragma once

#include "core/array.h"
#include "core/work.h"
#include "space/broad_phase.h"
#include "wirbel/types.h"

struct wbPbd;

/// A body, as others feel it: particles first … first + count - 1.
typedef struct wbPbdSkin {
    int first, count;
    const int *triangles; ///< three particles each
    int triangleCount;
    bool
        isChain; ///< segments between each particle and the next; without triangles or segments they are balls
    float half;  ///< m, of the distance that it keeps from its like; 0: it is not felt
} wbPbdSkin;

/// A triangle, a segment or a ball. Each corner and each edge belongs to one of those that it is part of.
typedef struct wbPbdElement {
    int corners[3], cornerCount;
    unsigned own; ///< bit k: corner k; bit 3 + k: its edge from corner k to the next
    int skin;
    float half; ///< m
} wbPbdElement;

/// What may meet: a corner and the three of a triangle, or the two ends of an edge and those of another.
typedef enum wbPbdMeeting { wb_pbdCorners, wb_pbdEdges, wb_pbdMeetingCount } wbPbdMeeting;

/// Pairs that are near, in the order of elements.
typedef struct wbPbdNear {
    int count, capacity;
    int *corner[4];  ///< twice the particle, as records count
    float *distance; ///< m, that they keep
    float *measured; ///< WB_PBD_RECORD each, of the last look (PbdMeasure in pbd_surface_formula.h)
} wbPbdNear;

/// Pairs of a sub-step by colours, each filled up to whole vectors.
typedef struct wbPbdPressed {
    int count, capacity;
    int *corner[4]; ///< twice the particle
    float *k[4];    ///< C = gap + n · sum k way
    float *n[3];
    float *gap;    ///< m, at the start
    float *target; ///< m, that C is to have
    float *least;  ///< m, that must be left between them in the end
    float *left;   ///< m, along n, between all of their corners
    wbArray list;  ///< wbPbdBatch
    int batchCount;
    int begins
        [2 *
         wb_pbdMeetingCount]; ///< of each meeting: those that are pressed; then those that are only watched, in no batch
} wbPbdPressed;

typedef struct wbPbdSurface {
    wbArray elements; ///< wbPbdElement
    int elementCount, particleCount;
    wbArray skins; ///< wbPbdSkin, that they were made of
    int skinCount;
    uint32_t version; ///< of the particles, likewise
    bool isListed;
    float distance; ///< m, the largest that is kept
    float edge;     ///< m, the mean length of edges
    float slack; ///< m, that two may be nearer in the end than they would be, before they are looked for anew
    wbArray isOf; ///< bool per particle: it is of a triangle or a segment
    wbArray rest; ///< float: records of particles as bodies were made
    wbBroadPhase tree;
    wbPbdNear near[wb_pbdMeetingCount];
    // tubes that particles were to stay in, when pairs were looked for
    wbArray isFelt;    ///< bool per particle: it is of an element
    wbArray tubes;     ///< float: records with ways beside the drift
    wbArray boxes;     ///< BroadBox per particle
    wbArray edgeBoxes; ///< BroadBox, three per element
    bool isKnown;
    int most;        ///< sub-steps that are looked ahead, at most: those of a step
    int ahead, gone; ///< sub-steps: that tubes are laid for, and that have gone
    float roam;      ///< m, that particles may be beside the middles of tubes
    float drift[3];  ///< m, that all go in a sub-step
    float lookDt;    ///< s, of the sub-step then
    wbPbdPressed pressed;
    wbArray ways;                  ///< float[3] per particle: the ways that pairs were pressed for
    wbArray found;                 ///< int: elements near one
    wbArray zone;                  ///< int per particle
    wbArray zoneSums;              ///< double[5] per particle
    wbArray passing;               ///< int: pairs that would go through
    float dt;                      ///< s
    int64_t searches, zones, held; ///< since it was made
} wbPbdSurface;

void wbPbdSurface_Init(wbPbdSurface *surface);
void wbPbdSurface_Free(wbMemory *memory, wbPbdSurface *surface);
/// Before a step: the bodies.
wbStatus wbPbdSurface_List(wbPbdSurface *surface, const wbWork *work, const struct wbPbd *pbd,
                           const wbPbdSkin *skins, int count);
/// Whether a particle is of a triangle or a segment that may touch.
static inline bool wbPbdSurface_Has(const wbPbdSurface *surface, int particle) {
    return ((const bool *)surface->isOf.data)[particle];
}
/// A sub-step of dt seconds has its predicted ways.
wbStatus wbPbdSurface_Find(wbPbdSurface *surface, const wbWork *work, const float *records, float dt);
/// Again, with ways as they are by now.
wbStatus wbPbdSurface_Look(wbPbdSurface *surface, const wbWork *work, const float *records);
/// Before velocities: changes ways, so that nothing goes through. Gives whether it changed any.
wbStatus wbPbdSurface_Hold(wbPbdSurface *surface, const wbWork *work, float *records, bool *isChanged);
/// m/s, by which what begins nearer than it may be is parted.
float wbPbdSurface_GetPartingSpeed(const wbPbdSurface *surface, float dt);
