// SPDX-License-Identifier: MIT
// Meshes of common shapes, closed and with their outside outwards; the caller frees them. Round ones have `segments`
// corners, all on the true surface. Sizes are 0.1 mm to 10 km; another one is
// wb_errorInput and names itself.
#pragma once

#include <stdbool.h>

#include "wirbel/math.h"
#include "wirbel/mesh.h"

enum { WB_MIN_SEGMENTS = 3, WB_MAX_SEGMENTS = 1024 };

/// Centred on the origin; the axis of round ones is y. Lengths in m.
wbStatus wbMakeBox(wbVec3 size, wbMesh *mesh);
wbStatus wbMakeSphere(float radius, int segments, wbMesh *mesh);
wbStatus wbMakeCylinder(float radius, float height, int segments, wbMesh *mesh);
/// The height is that of the straight part.
wbStatus wbMakeCapsule(float radius, float height, int segments, wbMesh *mesh);
/// A tube of `tubeRadius` whose middle runs around the axis at `ringRadius`.
wbStatus wbMakeTorus(float ringRadius, float tubeRadius, int segments, wbMesh *mesh);

/// A cup: y = 0 is its underside, the axis is y.
typedef struct wbCupParams {
    float innerRadius, innerHeight; ///< m
    float wall, floor;              ///< m, thickness
    bool hasLid;                    ///< as thick as the floor: a closed vessel
    int segments;
} wbCupParams;
wbStatus wbMakeCup(const wbCupParams *params, wbMesh *mesh);

/// A tank: y = 0 is its underside, x and z are centred.
typedef struct wbTankParams {
    wbVec3 innerSize;  ///< m
    float wall, floor; ///< m, thickness
    bool hasLid;       ///< as thick as the floor
} wbTankParams;
wbStatus wbMakeTank(const wbTankParams *params, wbMesh *mesh);

/// A wheel about the z axis: a hub, flat paddles from it to the radius, and discs that close it on both sides. Its
/// parts overlap.
typedef struct wbWheelParams {
    float hubRadius, radius; ///< m
    float width;             ///< m, of hub and paddles between the discs
    float paddleThickness;   ///< m
    int paddleCount;
    float discThickness; ///< m; 0: no discs
    int segments;
} wbWheelParams;
wbStatus wbMakeWheel(const wbWheelParams *params, wbMesh *mesh);

/// A polygon in x, y, drawn out along z from -length/2 to length/2. It may be given either way around, but may not
/// cross itself.
wbStatus wbMakePrism(const float (*points)[2], int count, float length, wbMesh *mesh);

/// A pipe along a path, open at both ends. It bends in arcs of twice its outer radius, which need room on both sides.
typedef struct wbPipeParams {
    const wbVec3 *path; ///< m, the middle
    int pointCount;
    float innerRadius, wall; ///< m
    int segments;
} wbPipeParams;
wbStatus wbMakePipe(const wbPipeParams *params, wbMesh *mesh);

/// A trough along a path, open at the top and at both ends, mitred at bends. The path may slope, but not stand upright.
typedef struct wbTroughParams {
    const wbVec3 *path; ///< m, middle of the floor's upper side
    int pointCount;
    float innerWidth, innerHeight, wall; ///< m; the floor is as thick as the walls
} wbTroughParams;
wbStatus wbMakeTrough(const wbTroughParams *params, wbMesh *mesh);

/// A field of heights over x and z, centred on the origin, as a block whose underside is `depth` below the lowest.
typedef struct wbHeightsParams {
    const float *heights; ///< m, row by row along x
    int countX, countZ;   ///< 2 to WB_MAX_HEIGHTS
    float spacing, depth; ///< m
} wbHeightsParams;
enum { WB_MAX_HEIGHTS = 4096 };
wbStatus wbMakeHeights(const wbHeightsParams *params, wbMesh *mesh);
