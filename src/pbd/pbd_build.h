// SPDX-License-Identifier: MIT
// Bodies to begin with: places of particles, and constraints that hold them together.
#pragma once

#include "core/work.h"
#include "pbd/pbd.h"

/// The particles of a body.
typedef struct wbPbdBody {
    int first, count;
} wbPbdBody;

/// `count` particles on the line between two points, both ends included.
wbStatus wbBuildStick(wbPbd *pbd, const wbWork *work, wbVec3 from, wbVec3 to, int count, float inverseMass,
                      wbPbdBody *body);
/// nx × ny × nz sites of a lattice, of which the first stands at `corner`: cubes, plates, grids.
wbStatus wbBuildLattice(wbPbd *pbd, const wbWork *work, wbVec3 corner, float spacing, const int sites[3],
                        float inverseMass, wbPbdBody *body);
/// The `count` sites of a cubic lattice nearest to its centre (ties by z, y, x), scaled to the radius.
wbStatus wbBuildSphere(wbPbd *pbd, const wbWork *work, wbVec3 centre, float radius, int count,
                       float inverseMass, wbPbdBody *body);
/// `count` pseudo-random places in a box.
wbStatus wbBuildRandom(wbPbd *pbd, const wbWork *work, wbVec3 min, wbVec3 max, int count, uint32_t seed,
                       float inverseMass, wbPbdBody *body);
/// nx × ny particles from `corner` along two sides; lengths, diagonals, and bending over two edges.
wbStatus wbBuildCloth(wbPbd *pbd, const wbWork *work, wbVec3 corner, wbVec3 sideX, wbVec3 sideY, int nx,
                      int ny, float inverseMass, wbPbdBody *body);
/// A chain of `count` particles with bending over two edges (`bends`), or without.
wbStatus wbBuildRope(wbPbd *pbd, const wbWork *work, wbVec3 from, wbVec3 to, int count, bool bends,
                     float inverseMass, wbPbdBody *body);

/// Constraints between all pairs of a body: n (n - 1) / 2.
wbStatus wbConnectAll(wbPbd *pbd, const wbWork *work, wbPbdBody body);
/// Pairs nearer than maxDistance, and braces to particles further than `furthest`, at most farMax at each particle.
/// Each pair once.
wbStatus wbConnectDecimated(wbPbd *pbd, const wbWork *work, wbPbdBody body, float maxDistance, float furthest,
                            int farMax);
/// How triangles resist bending about their common edges: by distances of the corners across them, or by hinges.
typedef enum wbPbdBending { wb_bendingNone, wb_bendingBraces, wb_bendingHinges } wbPbdBending;

/// The edges of triangles (three particles each, counted from the body's first) once each, and what resists bending.
wbStatus wbConnectTriangles(wbPbd *pbd, const wbWork *work, wbPbdBody body, const int *triangles,
                            int triangleCount, wbPbdBending bending);
