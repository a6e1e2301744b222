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
/// nx × ny × nz sites of a lattice, of which the first stands at `corner`: cubes, plates, grids. The spacing is that
/// along each axis.
wbStatus wbBuildLattice(wbPbd *pbd, const wbWork *work, wbVec3 corner, wbVec3 spacing, const int sites[3],
                        float inverseMass, wbPbdBody *body);
/// The `count` sites of a cubic lattice nearest to its centre (ties by z, y, x), scaled to the radius.
wbStatus wbBuildSphere(wbPbd *pbd, const wbWork *work, wbVec3 centre, float radius, int count,
                       float inverseMass, wbPbdBody *body);
/// `count` pseudo-random places in a box.
wbStatus wbBuildRandom(wbPbd *pbd, const wbWork *work, wbVec3 min, wbVec3 max, int count, uint32_t seed,
                       float inverseMass, wbPbdBody *body);
/// nx × ny particles from `corner` along two sides: lengths, diagonals, and what resists bending.
wbStatus wbBuildCloth(wbPbd *pbd, const wbWork *work, wbVec3 corner, wbVec3 sideX, wbVec3 sideY, int nx,
                      int ny, wbBending bending, float inverseMass, wbPbdBody *body);
/// The triangles of such a cloth, three numbers each, counted from its first particle: 2 (nx - 1) (ny - 1) of them.
void wbListClothTriangles(int nx, int ny, int *triangles);
/// A chain of `count` particles with bending over two edges (`bends`), or without.
wbStatus wbBuildRope(wbPbd *pbd, const wbWork *work, wbVec3 from, wbVec3 to, int count, bool bends,
                     float inverseMass, wbPbdBody *body);

/// Constraints between all pairs of a body: n (n - 1) / 2.
wbStatus wbConnectAll(wbPbd *pbd, const wbWork *work, wbPbdBody body);
/// Pairs nearer than maxDistance, and braces to particles further than `furthest`, at most farMax at each particle.
/// Each pair once.
wbStatus wbConnectDecimated(wbPbd *pbd, const wbWork *work, wbPbdBody body, float maxDistance, float furthest,
                            int farMax);
/// Braces alone, longer than `furthest`, at most farMax at each particle.
wbStatus wbConnectBraces(wbPbd *pbd, const wbWork *work, wbPbdBody body, float furthest, int farMax);

/// The edges of triangles (three particles each, counted from the body's first) once each. What resists bending about
/// an edge is the distance of the corners across it, or a hinge.
wbStatus wbConnectTriangles(wbPbd *pbd, const wbWork *work, wbPbdBody body, const int *triangles,
                            int triangleCount, wbBending bending);
/// Those hinges alone.
wbStatus wbConnectHinges(wbPbd *pbd, const wbWork *work, wbPbdBody body, const int *triangles,
                         int triangleCount);
