// SPDX-License-Identifier: MIT
// Surfaces: who has bodies that fluids flow around shows them by a wbSurfaceOwner. A fluid samples them at its own spacing into a
// wbBoundary of its own, and gives impulses back. In each sub-step
//
//     place(0, 1)         the owner moves its bodies, and each fluid sees how (coupling/exchange.h)
//     …                   fluids move; those with sub-steps of their own ask for parts of it: place(from, to)
//     take(…)             each gives what its bodies got, in the order in which they got it
#pragma once

#include "space/boundary.h"

struct wbShape;

/// What of a body's motion follows from impulses: nothing, its own affair; what an axle or a rail leaves it; all of it.
typedef enum wbMobility { wb_mobilityNone, wb_mobilityGuide, wb_mobilityFree } wbMobility;

typedef struct wbSurfaceBody {
    const char *name;        ///< for messages
    struct wbShape *shape;   ///< in its own frame; NULL: it has no surface, and is off
    wbPose pose;             ///< where it is
    const wbMotion *motions; ///< in the part that was placed last: at its start, in its middle and at its end
    bool isMoving;           ///< often enough to be sorted anew each time
    bool isOff;              ///< nothing feels it
    bool isThin;             ///< what flows feels it otherwise, and not by its samples
    bool isNoSlip;
    float slack;    ///< 0 to 1: of the grip of what does not slip along it, what a light body lacks
    float adhesion; ///< N/m
    wbMobility mobility;
    float inertia; ///< kg m2 about its axle, or kg along its rail, if it has one
} wbSurfaceBody;

/// Bodies are counted from 0, in the order in which a boundary has them.
typedef struct wbSurfaceOwner {
    void *context;
    int (*countBodies)(const void *context);
    wbSurfaceBody (*getBody)(const void *context, int body);
    /// Of it, its motions alone.
    const wbMotion *(*getMotions)(const void *context, int body);
    /// Those that move in the sub-step or have just come to rest, ascending; the motions of others are what they were. Gives how many.
    int (*listMoving)(const void *context, const int **bodies);
    /// Motions for a part of the sub-step, from and to a share of it.
    void (*place)(void *context, float from, float to);
    /// A body got an impulse in the sub-step.
    void (*take)(void *context, int body, const wbImpulse *impulse);
} wbSurfaceOwner;

/// How it moves a share of dt seconds after it was at `from`, going evenly, the short way round, to where it is at their end.
wbMotion wbMoveEvenly(const wbPose *from, const wbPose *to, float share, float dt);
