// SPDX-License-Identifier: MIT
// What the host and the kernels of smoke tell each other: the same structs in C and in OpenCL C.
#pragma once

/// Work-items that make one sum, and sums at most.
enum { SMOKE_SUM_GROUP = 64, SMOKE_MAX_SUMS = 256 };

/// Blocks of cells, as those of smoke_grid.h; one is advected by so many work-items.
enum { SMOKE_BLOCK_X = 16, SMOKE_BLOCK = 8, SMOKE_BLOCK_GROUP = 64 };

/// Less than this is no smoke and no heat: or it would spread for ever.
#define SMOKE_LEAST 1e-6f

/// Values before the first of a field, as in smoke_grid.h.
enum { SMOKE_MARGIN = 64 };

/// wbSmokeGrid, and the values from one field of a buffer to the next.
typedef struct SmokeShape {
    int nx, ny, nz;
    int row, plane, stride;
} SmokeShape;

/// Values of a kind: how many there are, where they may be sampled, and how the velocity is found where they stand.
typedef struct SmokeKind {
    int count[3];
    float low[3], high[3], boxLow[3], boxHigh[3]; ///< as in wbSmokeKind
    /// component a of the velocity is the mean of those here, `up`, `back` and both farther; 0: the same again
    int up[3], back[3];
    int down;          ///< to the value before along its own axis; 0 at centres
    float shift[3][3]; ///< from here to where component a stands
} SmokeKind;

typedef struct SmokeAdvect {
    SmokeKind kinds[4];
    float cells; ///< dt / h
    float velocityFactor, factors[8];
    int reflects; ///< scheme reflect
    int settles;  ///< then: half of the acceleration, that what is carried has more, is taken away again
} SmokeAdvect;

/// Fields at centres that flow along one axis, as wbSmokeSweep.
typedef struct SmokeSweep {
    int axis, done[2], doneCount, isLast, marks; ///< marks: 1 if they are asked for
    float cells, factors[8];
} SmokeSweep;

/// A cell that a solid came to, and where its smoke goes.
typedef struct SmokeCovered {
    int from, to;
} SmokeCovered;

/// As wbSmokeReflect.
typedef struct SmokeReflect {
    float share, buoyancy, weight;
    float up[3], wind[3];
    int density, temperature; ///< numbers of fields
} SmokeReflect;

/// By axis of the velocity: values, and those within, along x, y and z.
typedef struct SmokeReflectedHalo {
    int count[3][3], low[3][3], high[3][3];
} SmokeReflectedHalo;

/// A value beyond a side is `add` + `factor` times the last one.
typedef struct SmokeHalo {
    int count[3];
    float add[6], factor[6];
} SmokeHalo;

/// On GPUs so many items share a row beyond a side.
enum { SMOKE_HALO_PARTS = 16 };

typedef struct SmokeHalos {
    SmokeHalo of[3];
    int first, fieldCount;
    int isOwn; ///< 1: each field has its own; 0: all are like the first
} SmokeHalos;

/// Faces of solids in lists, by axis.
typedef struct SmokeFaceRanges {
    int first[3], count[3];
} SmokeFaceRanges;

/// A face within a solid beside faces in air.
typedef struct SmokeSlip {
    int place, count, sources[4];
} SmokeSlip;

typedef struct SmokeForces {
    float buoyancy, weight, confinement; ///< times dt / 2; confinement / 4 as well
    float up[3], wind[3];                ///< wind times dt / 2
    int density, temperature;            ///< numbers of fields
} SmokeForces;

typedef struct SmokeBurn {
    float share, ignition, heat, soot;
    int density, temperature, fuel; ///< numbers of fields
} SmokeBurn;

/// A box of blocks, or how far smoke may come.
typedef struct SmokeBlockBox {
    int count[3]; ///< blocks of the grid along x, y, z
    int low[3], high[3];
} SmokeBlockBox;
