// SPDX-License-Identifier: MIT
// Cells whose particles' densities may be held at the same time: the same in C and in OpenCL C.
//
// The constraint of a particle reads and moves what is within h of it, which is never more than a cell away in y and z, and
// two in x, where cells are half as long (space/grid.h). So four cells in a row along x form a block. Blocks of one colour,
// every second along x and every third along y and z, never reach the same particle:
//
//     x  |0 0 0 0|1 1 1 1|0 0 0 0|1 1 1 1|      y  |0|1|2|0|1|2|
//
// Ghosts behind sides need no colours of their own: what is near a ghost is nearer still to its particle.
#pragma once

enum {
    PBF_BLOCK = 4,     ///< cells of a block, along x
    PBF_COLOURS_X = 2, ///< of which eight in a row, that one slot of hashed cells holds, have both
    PBF_COLOURS_YZ = 3,
    PBF_COLOURS = PBF_COLOURS_X * PBF_COLOURS_YZ * PBF_COLOURS_YZ
};

/// A colour's number is (z 3 + y) 2 + x.
typedef struct PbfColour {
    int x, y, z;
} PbfColour;

static inline PbfColour pbf_colour(int number) {
    PbfColour colour = {number % PBF_COLOURS_X, number / PBF_COLOURS_X % PBF_COLOURS_YZ,
                        number / (PBF_COLOURS_X * PBF_COLOURS_YZ)};
    return colour;
}

/// Of `count` in a row, those that are `first`, first + stride, …
static inline int pbf_count_every(int count, int first, int stride) {
    return count > first ? (count - first + stride - 1) / stride : 0;
}

/// Blocks along an axis with so many cells that are of a colour.
static inline int pbf_count_blocks_x(int cells, PbfColour colour) {
    return pbf_count_every((cells + PBF_BLOCK - 1) / PBF_BLOCK, colour.x, PBF_COLOURS_X);
}

/// The first bucket of a colour's block number k, and the one behind its last, where each cell has a bucket of its own.
typedef struct PbfBuckets {
    int begin, end;
} PbfBuckets;

static inline PbfBuckets pbf_dense_block(int k, PbfColour colour, int sizeX, int sizeY) {
    const int nx = pbf_count_blocks_x(sizeX, colour), ny = pbf_count_every(sizeY, colour.y, PBF_COLOURS_YZ);
    const int x = PBF_BLOCK * (k % nx * PBF_COLOURS_X + colour.x);
    const int y = k / nx % ny * PBF_COLOURS_YZ + colour.y, z = k / nx / ny * PBF_COLOURS_YZ + colour.z;
    const int row = (z * sizeY + y) * sizeX, end = x + PBF_BLOCK < sizeX ? x + PBF_BLOCK : sizeX;
    PbfBuckets buckets = {row + x, row + end};
    return buckets;
}

/// The same in slot number k where cells are hashed: rows of other colours share it.
static inline PbfBuckets pbf_hashed_block(int k, PbfColour colour) {
    const int begin = PBF_COLOURS_X * PBF_BLOCK * k + PBF_BLOCK * colour.x;
    PbfBuckets buckets = {begin, begin + PBF_BLOCK};
    return buckets;
}
