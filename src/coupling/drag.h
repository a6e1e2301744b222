// SPDX-License-Identifier: MIT
// The air's drag on cloth, ropes and rigid bodies, by the law of drag_formula.h.
//
// Cloth feels it at the middles of its triangles, ropes at those of their segments. What a piece gets its corners share; a corner that n pieces share
// is to each of them n times as light (Tonge 2012: mass splitting), so that all of them together do not push it too far either. Particles gather from
// their pieces in a fixed order.
//
// Rigid bodies feel it at points of their surface where it faces the wind: what is behind feels the still air of the wake. The strengths
// of all points are those of the start, and velocity and spin are solved for together.
#pragma once

#include "core/work.h"
#include "coupling/air_points.h"
#include "pbd/pbd.h"
#include "rigid/rigid.h"
#include "wirbel/params.h"

typedef struct wbWind {
    float density;       ///< kg/m3
    float normal, along; ///< coefficients across and along a surface
    float velocity[3];   ///< m/s
} wbWind;

/// Pieces of soft bodies in one list: triangles, then segments, each filled up to whole vectors with pieces of the dummy.
typedef struct wbDragPieces {
    int triangleCount, segmentCount; ///< with what fills up
    int particleCount;
    wbArray corner[3]; ///< int: places of records; of segments the third is not used
    wbArray
        closed;    ///< float: 1 of triangles around a volume, which face outward; 0: both sides feel the wind
    wbArray width; ///< float, m: of segments, as pieces are counted
    wbArray begins; ///< int per particle, and one more: first of its pieces
    wbArray owned;  ///< int: pieces by particle
} wbDragPieces;

/// A surface of triangles, as it is given.
typedef struct wbDragSheet {
    const int *triangles; ///< three particles each
    int count;
    bool isClosed; ///< around a volume
} wbDragSheet;

/// Particles one after the other, with a segment between each and the next.
typedef struct wbDragRope {
    int first, count; ///< particles
    float width;      ///< m
} wbDragRope;

void wbDragPieces_Init(wbDragPieces *pieces);
void wbDragPieces_Free(wbMemory *memory, wbDragPieces *pieces);
/// Makes them anew.
wbStatus wbDragPieces_Build(wbDragPieces *pieces, const wbWork *work, int particleCount,
                            const wbDragSheet *sheets, int sheetCount, const wbDragRope *ropes,
                            int ropeCount);
/// Whether triangles enclose a volume: each edge belongs to two, which go along it in opposite directions.
wbStatus wbFindClosed(const wbWork *work, const int *triangles, int count, bool *isClosed);

/// The air of a grid, where there is one.
typedef struct wbDragAir {
    wbSmoke *smoke;
    wbAirShares *shares;
    bool isPushed; ///< it loses what the pieces get
} wbDragAir;

/// m/s2: what the air does to each particle in a sub-step of dt seconds, in the middle of which half of gravity's has been done. Adds to
/// `given`, N s, what all pieces got. `air`: NULL, or the wind is what it is around each piece.
wbStatus wbDragParticles(const wbDragPieces *pieces, const wbPbd *pbd, const wbWind *wind,
                         const wbDragAir *air, wbVec3 gravity, float dt, const wbWork *work,
                         float *const acceleration[3], double given[3]);

/// Points of a rigid body's surface, in the frame of its origin.
typedef struct wbDragSurface {
    int count;         ///< filled up to whole vectors with points of no area
    wbArray place[3];  ///< float, m
    wbArray normal[3]; ///< float, outward
    wbArray area;      ///< float, m2
} wbDragSurface;

wbStatus wbDragSurface_Build(wbDragSurface *surface, wbMemory *memory, const wbMesh *mesh);
void wbDragSurface_Free(wbMemory *memory, wbDragSurface *surface);

/// N s, N m s about the centre of mass: what the air does to a body in dt seconds, likewise. `frame` is that of its centre of mass and principal
/// axes, as the surface's frame sees them.
void wbDragRigid(const wbDragSurface *surface, const wbPose *frame, const wbRigid *rigid, int body,
                 const wbWind *wind, wbVec3 gravity, float dt, wbSimd simd, double impulse[6]);
