// SPDX-License-Identifier: MIT
// Thin sheets in a fluid of particles: triangles of cloth and of closed surfaces, and single balls of what has no surface. A particle
// feels them by their nearest feet: behind each of them it sees a half space full of lattice sites, tabulated once. So there are no
// samples, no weights, and no holes between them. Which side counts is where the particle was when the sub-step began: nothing is kept.
//
// In the end nothing may have gone through a triangle. What did is put back before it, as a contact in which both sides give way; where
// many particles push one corner, each counts it as many times as light (Tonge 2012). What still goes through after that moves on
// together with the corners of what it went through, with their mean way (Bridson, Fedkiw and Anderson 2002: impact zones), until nothing does.
//
// All sums are taken in the order of particles: the number of threads does not matter.
#pragma once

#include "core/array.h"
#include "shape/vec3d.h"
#include "space/sheets.h"

/// A corner: where it is, how it gives way, and what it got.
typedef struct wbSheetNode {
    wbVec3d start, end; ///< m, of the sub-step as far as it is known
    double mobility;    ///< 1/kg, when something is about to go through; 0: held
    double response;    ///< 1/kg, within iterations: with fluid that goes along; 0: held
    wbVec3d push;       ///< kg m, in this iteration
    wbVec3d given;      ///< kg m, in this sub-step
    int hits;           ///< of a pass
    int isTouched;      ///< in this sub-step
    float apart;        ///< spacings: what is nearer feels it as if it were that far away
} wbSheetNode;

enum { WB_SHEET_FEET = 3 };
#define WB_SHEET_SLACK 0.25f ///< spacings

/// A triangle, or a ball about one corner, which is there three times.
typedef struct wbSheetElement {
    int corners[3];
    int across
        [3]; ///< of the edge from corner k to the next: the third corner of the one other triangle there; else its own
    float radius;  ///< m, of a ball; 0: a triangle
    bool isClosed; ///< of a closed surface: it is there for those alone that are in front of it
    bool isEdge;   ///< of a wall: nothing goes through, but it has no feet, and those beside it end at a rim
    bool isSharp;  ///< some of it is missing
    float missing
        [3]; ///< of the half space behind it, beside the edge from corner k to the next: there is fluid
    unsigned
        rims; ///< bit k: no other triangle has its edge from corner k to the next; bit 3 + k: corner k is on such an edge
} wbSheetElement;

enum { WB_SHEET_TABLE = 192 };
/// Sums over the lattice sites of a half space at a distance of a particle, by h over the spacing.
typedef struct wbSheetTable {
    float smoothing; ///< that it was made for; 0: none
    float density[WB_SHEET_TABLE + 1], gradient[WB_SHEET_TABLE + 1];
} wbSheetTable;
void wbSheetTable_Make(wbSheetTable *table, wbSheetKernel kernel, float smoothing);

typedef struct wbSheetCounts {
    int64_t held;  ///< particles that were put back before a sheet
    int64_t zones; ///< passes over impact zones
    int64_t lost;  ///< particles that were behind a sheet in the end
} wbSheetCounts;

typedef struct wbSheetFoot {
    int element;
    float weights[3];
    float gradient, normal[3]; ///< with its share; towards the particle
} wbSheetFoot;

/// A particle near elements.
typedef struct wbNearSheet {
    int particle, firstSlot, slotCount;
    int triangleCount; ///< of its slots
    int activeCount; ///< of them, first: those that may come to be feet while nothing strays by more than WB_SHEET_SLACK
    float place[3]; ///< m, where that was found
    int side;       ///< of the nearest triangle at the start; 0: none, or beyond a rim
    bool isBySharp; ///< some of its elements are
    bool isByRim;   ///< some of its elements have an edge on a rim that particles can go round
    int footCount;
    wbSheetFoot feet[WB_SHEET_FEET];
    // of a pass: what it goes through first; -1: nothing
    int hit, hitSide;
    double hitWeights[3], depth; ///< m
    wbVec3d hitNormal;
} wbNearSheet;

typedef struct wbSheets {
    wbArray nodes, elements; ///< wbSheetNode, wbSheetElement
    wbArray rings; ///< int: nodes that edges of triangles lead to, those from node k from ringBegins[k] on
    wbArray ringBegins; ///< int per node, and one more
    int nodeCount, elementCount;
    bool hasClosed; ///< elements, of which some are of closed surfaces: found with the rims
    wbSheetTable tables[wb_sheetKernelCount];
    wbSheetCounts counts;
    // of a sub-step, in the arena
    wbVec3d *startNormals; ///< of triangles
    int *corners[3], *across[3];
    float *radii;
    float *rimMarks[3]; ///< 2: edge k is on a rim; 1: corner k is; negative: of a closed surface
    uint8_t *openRims;  ///< of elements, bits as `rims`: of those that particles can go round
    bool *areLying;     ///< of elements: on a side of the domain, which is there for fluids instead
    bool hasLying;
    float *places[2]; ///< of nodes, four floats each, as they began and as they are
    float *found,
        *strays; ///< of nodes when particles near them were found; m, per block of them: by how much they have strayed since
    float stray;      ///< m, at most
    int moment;       ///< at which feet are looked for: 0: as they began; 1: as they are
    float *shapes[2]; ///< of elements, likewise: four records of four (sheet_lanes.h)
    float *
        acrossShapes; ///< at that moment, per edge, three per element: across, as seen from the element's first corner, then the mark
    wbNearSheet *near;
    int nearCount;
    int *nearOf; ///< per particle: among those; -1: it is not near
    int *slotElements;
    float *slotSides; ///< 1 or -1: where the particle began, by the element's plane; 0: a ball
    struct wbSheetScratch *scratches; ///< per worker
    int *zone;                        ///< per near particle, then per node
    wbVec3d *zoneWays;
    double *zoneMasses;
} wbSheets;

void wbSheets_Init(wbSheets *sheets);
void wbSheets_Free(wbMemory *memory, wbSheets *sheets);
/// Room for nodes and elements, which are to be written.
wbStatus wbSheets_Reserve(wbSheets *sheets, wbMemory *memory, int nodes, int elements);
/// Elements of closed surfaces, in a sub-step: particles forget what they are behind (sheet_closed.c).
void wbSheets_KeepFronts(wbSheets *sheets, const wbWork *work);
/// Finds the rims of all triangles, what is across their edges, and which nodes those lead to.
wbStatus wbSheets_FindRims(wbSheets *sheets, const wbWork *work);

static inline wbSheetNode *wbSheets_GetNode(const wbSheets *sheets, int node) {
    return (wbSheetNode *)sheets->nodes.data + node;
}
static inline wbSheetElement *wbSheets_GetElement(const wbSheets *sheets, int element) {
    return (wbSheetElement *)sheets->elements.data + element;
}
/// Nodes at the other ends of a node's edges; how many.
static inline const int *wbSheets_GetRing(const wbSheets *sheets, int node, int *count) {
    const int *begins = (const int *)sheets->ringBegins.data + node;
    *count = begins[1] - begins[0];
    return (const int *)sheets->rings.data + begins[0];
}
static inline bool wbIsBall(const wbSheetElement *element) { return element->radius > 0; }

/// Parts of wbFluidSheets. `end` of nodes may change between them; pushes are summed up in nodes.
wbStatus wbSheets_Find(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work);
void wbSheets_Cut(wbSheets *sheets, const wbSheetSwarm *swarm, wbNeighbours *neighbours, const wbWork *work);
void wbSheets_Add(wbSheets *sheets, const wbSheetSwarm *swarm, float *sums, float *squares,
                  const wbWork *work);
void wbSheets_Near(const wbSheets *sheets, const wbSheetSwarm *swarm, float *nearing, const wbWork *work);
void wbSheets_Push(wbSheets *sheets, const wbSheetPush *push);
void wbSheets_Approach(const wbSheets *sheets, const wbSheetSwarm *swarm, float *distances,
                       const wbWork *work);
bool wbSheets_Parts(const wbSheets *sheets, int particle, wbVec3d from, wbVec3d to);
/// Moves particles and ends of nodes.
void wbSheets_Hold(wbSheets *sheets, const wbSheetSwarm *swarm, const wbWork *work);

/// The point of a triangle that is closest to another, by weights of its corners; gives how many of them it is between.
int wbFindClosestOnTriangle(const wbVec3d corners[3], wbVec3d point, double weights[3]);
/// The first time, as a share of an even way, at which a point that goes from `from` to `to` is on a triangle; above 1: never.
double wbFindHitTime(const wbVec3d starts[3], const wbVec3d ends[3], wbVec3d from, wbVec3d to);
