// SPDX-License-Identifier: MIT
// What the host hands to kernels that search for neighbours: the same structs in C and in OpenCL C.
#pragma once

/// Cells of the sorted points, as in space/grid.h. Points outside the grid belong to its outermost cells, so that the
/// cells from x - reach to x + reach hold every point within reach of x, wherever it is.
typedef struct SpaceCells {
    float min[3];         ///< m
    float inverseCell[3]; ///< 1/m
    int size[3];
    float reach;       ///< m, the search radius and a bit against rounding
    unsigned slotMask; ///< hashed: slots - 1
} SpaceCells;

/// A side of the box. What it mirrors moves with the velocity sign v + offset, along each axis.
typedef struct SpaceSide {
    int closed;
    float place; ///< m, along its axis
    float velocitySign[3], velocityOffset[3];
} SpaceSide;

typedef struct SpaceSides {
    SpaceSide sides[6]; ///< low and high side along x, y, z
    float radius;       ///< m: what is farther away from a side is not mirrored
} SpaceSides;

/// Where particles may be, and what pulls at them.
typedef struct SpaceRoom {
    float gravity[3];      ///< m/s2
    float low[3], high[3]; ///< m
} SpaceRoom;

/// Where particles are searched.
typedef struct SpaceSearch {
    SpaceCells cells;
    SpaceSides sides;
} SpaceSearch;

/// Points of colliders that are sorted together.
typedef struct SpacePlaces {
    SpaceCells cells;
    int first;            ///< their place among all
    float min[3], max[3]; ///< m, around them
} SpacePlaces;
