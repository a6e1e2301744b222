// SPDX-License-Identifier: MIT
// The hot loops of smoke, once per instruction set, as ranges of planes for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "smoke/smoke.h"

/// Where values of a kind stand and may be sampled: u, v, w, or those at centres. In cells, in the order x, y, z.
typedef struct wbSmokeKind {
    int axis; ///< 0 to 2; 3: centres
    int count[3];
    float low[3], high[3];       ///< where samples may be
    float boxLow[3], boxHigh[3]; ///< ways that end within have errors that count: the box, less at open sides
} wbSmokeKind;

/// Fields of a kind that are carried together.
typedef struct wbSmokeAdvect {
    const wbSmokeGrid *grid;
    const wbSmokeKind *kinds; ///< [4]
    int kind;
    const float *velocity[3];
    int fieldCount; ///< 1, or those at centres: 2 or 3
    const float *from[3];
    const float *first[3]; ///< carried along once: NULL, or this is the correction of MacCormack
    float *to[3];
    float factor[3];
    const uint8_t *active; ///< by wbSmokeBlockRow: blocks that values at centres may come to
    const int *rows;       ///< rows of blocks with such, z + count y
    uint8_t *marks;        ///< likewise: set where smoke is; NULL: not asked for
    float cells;           ///< dt / h
    bool midpoint;
    const float
        *reflected[3]; ///< scheme reflect: what is carried of the velocity, `from` is one of them; else NULL
    const float *bends[3]; ///< then: at centres, by how many cells paths are longer than the velocity tells
    bool settles; ///< then: half of the acceleration, that what is carried has more, is taken away again
} wbSmokeAdvect;

/// The velocity with half of the acceleration that it gets in this step, but for what is not known yet.
typedef struct wbSmokeReflect {
    const wbSmokeGrid *grid;
    const wbPressureLevel *level;
    const float *velocity[3], *density, *temperature;
    float *target[3];
    float share;            ///< of the differences of the last pressure
    float buoyancy, weight; ///< times dt / 4
    wbVec3 up, wind;        ///< wind times dt / 2
} wbSmokeReflect;

/// Rows first … end - 1 of a plane of one component of the velocity, wherever they stand: a grid's row apart, with room
/// for what is beyond the sides.
typedef struct wbSmokePatch {
    int axis, j, first, end;
    float *values; ///< from (0, j, first) on
} wbSmokePatch;

/// To carry the velocity patch by patch: advection, then sources and sides.
typedef struct wbSmokeCarry {
    wbSmokeAdvect components[3]; ///< `to` is not used
    const wbSmokeModel *model;
    const struct wbSmokeFeeding *feedings;
    int feedingCount;
    float cells; ///< dt / h
} wbSmokeCarry;

typedef struct wbSmokeProjection {
    const wbSmokeGrid *grid;
    const wbPressureLevel *level;
    const bool *open; ///< sides
    float *velocity[3];
    double *sums;  ///< per plane, of b2; below 0: not known yet
    float *maxima; ///< per plane of faces: the largest velocity across a face that is not at a wall
} wbSmokeProjection;

typedef struct wbSmokeForces {
    const wbSmokeGrid *grid;
    const float *velocity[3];            ///< NULL: comes from `carry`
    const wbSmokeCarry *carry;           ///< or NULL
    const wbSmokeProjection *projection; ///< or NULL: finds the divergence, too, where all rows are one tile
    const float *density, *temperature;
    const uint8_t *marks; ///< blocks with smoke: the others have no lift
    float *target[3];
    int tile;     ///< rows that are worked on at once
    float *rings; ///< scratch per thread
    size_t ringLength;
    float buoyancy, weight, confinement; ///< times dt / 2; confinement / 4 as well
    wbVec3 up, wind;                     ///< wind times dt / 2
} wbSmokeForces;

/// Planes of a ring of wbSmokeForces; rows that it has beside those of a tile: three before and two behind, and one more,
/// as a tile before a last one of two rows also fills the row beyond the side; and planes of faces beside its own that a
/// range carries.
enum { WB_SMOKE_RING_PLANES = 22, WB_SMOKE_RING_EDGE = 6, WB_SMOKE_CARRY_EDGE = 5 };

/// Fields at centres that flow along one axis: see smoke_flux.h.
typedef struct wbSmokeSweep {
    const wbSmokeGrid *grid;
    const bool *open; ///< sides
    const float *velocity[3];
    int strides[3]; ///< to the next cell along x, y and z
    int axis;
    int done[2], doneCount; ///< axes along which it flowed already since its cells were whole
    bool isLast;            ///< then they are so again
    float cells;            ///< dt / h of this part of the step
    int fieldCount;         ///< 2, 3, 5, 6 or 8
    const float *from[8];
    float *to[8], factor[8];
    const uint8_t *active;    ///< by wbSmokeBlockRow: blocks that values may come to
    const int *rows;          ///< rows of blocks with such, z + count y
    uint8_t *marks;           ///< as active: set where smoke is; NULL: not asked for
    const uint8_t *dirtyFrom; ///< likewise: those of `from` that are not all 0
    uint8_t *dirtyTo;         ///< and of `to`
} wbSmokeSweep;

/// How much air leaves a cell on its way through it, at most.
typedef struct wbSmokeOutflow {
    const wbSmokeGrid *grid;
    const float *velocity[3];
    float *maxima; ///< m/s, per plane
} wbSmokeOutflow;

typedef struct wbSmokeBurn {
    const wbSmokeGrid *grid;
    const uint8_t *marks; ///< blocks with smoke or fuel
    float *density, *temperature, *fuel;
    float share; ///< of the fuel that burns in a step
    float ignition, heat, soot;
    const float *steam; ///< g/m3; NULL: there is none
    float mostSteam;    ///< above which nothing burns
} wbSmokeBurn;

/// Implicit viscosity of one component by conjugate gradients.
typedef struct wbSmokeDiffusion {
    const wbSmokeGrid *grid;
    const wbSmokeKind *kind;
    float alpha; ///< viscosity dt / h2
    float *u, *residual, *direction, *product;
    float along, turn; ///< step along the direction; share of the old direction in the new
    double *sums;
} wbSmokeDiffusion;

typedef struct wbSmokeSum {
    const wbSmokeGrid *grid;
    const uint8_t *dirty; ///< by wbSmokeBlockRow: blocks that are not all 0
    float *field;
    float scale;
    double *sums;
} wbSmokeSum;

typedef struct wbSmokeCode {
    wbRangeFn *advect;  ///< over count[1] planes, or at centres over rows of blocks; wbSmokeAdvect
    wbRangeFn *sweep;   ///< over rows of blocks; wbSmokeSweep
    wbRangeFn *outflow; ///< over ny planes; wbSmokeOutflow
    wbRangeFn *burn;    ///< over ny planes; wbSmokeBurn
    wbRangeFn *reflect; ///< over ny + 1 planes of faces, but for walls and beyond sides; wbSmokeReflect
    wbRangeFn *bend;    ///< `to`, at centres, from velocity and reflected, over ny planes; wbSmokeAdvect
    wbRangeFn *forces;  ///< over ny + 1 planes of faces; wbSmokeForces
    wbRangeFn
        *divergence;      ///< b and the sum of its squares where not known, over ny planes; wbSmokeProjection
    wbRangeFn *gradient;  ///< and maxima but for rows near solids, over ny + 1 planes; wbSmokeProjection
    wbRangeFn *nearSpeed; ///< maxima of those, too, once walls are set; likewise
    wbRangeFn *sum;       ///< of a field, over ny planes; wbSmokeSum
    wbRangeFn *scale;     ///< of a field, over ny planes; wbSmokeSum
    wbRangeFn *laplace;   ///< residual = alpha laplace u, over count[1] planes; wbSmokeDiffusion
    wbRangeFn *apply;     ///< product = (1 - alpha laplace) direction; wbSmokeDiffusion
    wbRangeFn *dotProduct; ///< sums of direction * product; wbSmokeDiffusion
    wbRangeFn *advance;    ///< u and residual go along, sums of residual2; wbSmokeDiffusion
    wbRangeFn *turn;       ///< direction = residual + turn * direction; wbSmokeDiffusion
} wbSmokeCode;

/// @name What a step decides, on the processor and on devices
/// @{
/// smoke.confinement, but no more smoothing than a step bears.
float wbGetConfinement(const wbSmokeParams *params, float dt);
/// How many cells smoke may go in a step that carries it along paths; INFINITY: it is not known.
float wbSmoke_GetWay(const wbSmoke *smoke, float dt);
/// How many blocks that is at most.
void wbSmoke_GetReach(float cells, int *reachX, int *reach);
/// Sums of the density before and after advection: sets what left, or the drift; the factor that takes it back, or 1.
float wbSmoke_TakeDrift(wbSmoke *smoke, const wbSmokeModel *model, double before, double after, float dt);
/// Into how many parts a step is cut, so that no cell is emptied: by the most that flows out of one, in m/s.
int wbSmoke_CountParts(const wbSmoke *smoke, float outflow, float dt);
/// Axes of sweep n of part p, in turn; how many there are is how many dimensions.
int wbSmoke_GetSweepAxis(const wbSmoke *smoke, int part, int n);
/// Of the differences of the last pressure: half of what they will be in this step.
float wbSmoke_GetPressureShare(const wbSmoke *smoke, float dt);
/// Sum of b2 before the projection: sets divergenceBefore, and fails if it is not finite.
wbStatus wbSmoke_TakeDivergence(wbSmoke *smoke, double sum);
/// @}

/// @name Scheme reflect: what is carried of the velocity, and the bends of its paths
/// @{
void wbReflectSmoke(const wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                    const wbWork *work, float dt, float *const reflected[3]);
void wbBendPaths(const wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeKind kinds[4],
                 const wbWork *work, float dt, float *const reflected[3], float *const bends[3]);
/// @}

/// @name Advection that conserves
/// @{
/// Smoke in cells that solids came to goes on to the air that they push; its blocks are marked.
void wbPushCovered(wbSmoke *smoke);
/// The most that flows out of a cell, in m/s. Maxima: room for ny of them.
float wbFindOutflow(const wbSmoke *smoke, const wbWork *work, float *maxima);
/// @}

WB_DECLARE_CODE(wbSmokeCode, wb_smokeCode, wbGetSmokeCode)
