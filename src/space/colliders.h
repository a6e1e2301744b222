// SPDX-License-Identifier: MIT
// Colliders in a fluid, for the steps of its solver: their points enter its sums, and after each drift a collision may put back
// what went through a surface.
#pragma once

#include "gpu/gpu.h"
#include "space/boundary.h"
#include "space/response_formula.h"

/// What a collision sees after a drift. It changes positions and velocities in place, and must not fail: what it needs was
/// allocated before the step.
typedef struct wbDrift {
    int count;
    const float *beforeX, *beforeY, *beforeZ; ///< m, before the drift
    float *x, *y, *z, *vx, *vy, *vz;
    const float *
        boundarySums; ///< 0 where no point of a collider was within h of where a particle was seen; NULL: not known
    /// instead: m, that every collider was away at least from there; padded. NULL: not known
    const float *clearances;
    const float *seenX, *seenY, *seenZ; ///< m, there; NULL: before the drift
    wbBoundaryTime from, to;            ///< which of the bodies' motions belong to before and after
    wbSharedSum *
        caught; ///< the boundary's, for what bodies get of those that are stopped; NULL: velocities are not to last
    float share;           ///< of a particle in them: its mass over the heaviest's, over its relative density
    const float *relative; ///< densities of several fluids over the solver's; NULL: all 1
} wbDrift;
typedef void wbCollideFn(const wbDrift *drift, const wbWork *work, void *context);

/// The same on a device. Its buffers were reserved before the step: an error means that the device failed.
typedef struct wbGpuDrift {
    int count;
    const wbGpuBuffer *before[3];
    wbGpuBuffer *position[3], *velocity[3];
    wbBoundaryTime from, to;
    wbGpuBuffer *caught; ///< likewise, from a 32-bit word on
    int firstCaught;
    float share;
    const wbGpuBuffer *relative;
} wbGpuDrift;
typedef wbStatus wbCollideGpuFn(const wbGpuDrift *drift, void *context);

/// Sets the boundary's motions for a part of the step, from and to a share of it.
typedef void wbMoveCollidersFn(float from, float to, void *context);

/// After an iteration of a (part of a) step of so many seconds, with the forces so far on all bodies of the boundary, N and N m about their
/// origins where they are at `time`: bodies that give way to them do, as do their places.
typedef void wbRespondFn(const wbImpulse *forces, wbBoundaryTime time, float seconds, void *context);

/// The same on a device (space/response_gpu.h), for a (part of a) step of so many seconds, with points where they are at `time`. Before its
/// iterations: what gives way, and which row each body of the boundary belongs to, -1 before. Returns the number of rows, of which there is
/// room for one per body.
typedef int wbDescribeResponseFn(Response *rows, int *bodyRows, wbBoundaryTime time, float seconds,
                                 void *context);
/// After them: how far each row has given way. The motions of its bodies and their places on the host follow.
typedef void wbTakeResponseFn(const ResponseAnswer *answers, wbBoundaryTime time, void *context);

/// Colliders of a step.
typedef struct wbFluidColliders {
    wbBoundary *boundary;       ///< its motions are set; impulses of the bodies are set by the step
    wbMoveCollidersFn *move;    ///< for solvers with sub-steps; NULL: the motions are those of every sub-step
    wbCollideFn *collide;       ///< on the cores; NULL: none
    wbCollideGpuFn *collideGpu; ///< on a device; NULL: none
    wbRespondFn *respond;       ///< for solvers that iterate, on the cores; NULL: nothing gives way
    wbDescribeResponseFn *describeResponse; ///< likewise, on a device
    wbTakeResponseFn *takeResponse;
    void *context;
    const struct wbFluidSheets *sheets; ///< likewise (space/sheets.h); NULL: none
} wbFluidColliders;
