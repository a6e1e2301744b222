// SPDX-License-Identifier: MIT
// Which particles meet which bodies of a boundary. Of each body the particles near it stand together, and are looked at from its own frame,
// where its points rest: nothing of it has to be placed, sorted, or moved along. What a particle feels is summed over the bodies that it meets,
// what a body feels over the particles that meet it: pairs push each other along their way, so that both are the same sum, seen from two sides.
#pragma once

#include "core/arena.h"
#include "space/boundary.h"
#include "space/broad_phase.h"

/// A stretch of consecutive particles near a body.
enum { WB_MEET_STRETCH = 64 };
typedef struct wbMeet {
    int body, stretch;
    int first;          ///< meeting of the first of them, before those of a block are put in order
    uint64_t particles; ///< those that may be near, as bits
} wbMeet;

/// What a worker finds.
typedef struct wbMeetStore {
    wbArray meets;  ///< wbMeet
    wbArray found;  ///< int: bodies near a block
    wbArray bounds; ///< float: of their boxes
    wbArray lists;  ///< int: points near the meetings of a block, one list behind the other
    int count, foundCount;
    bool failed; ///< memory ran out
} wbMeetStore;

/// Keeps its memory from step to step.
typedef struct wbMeetSearch {
    wbArray stores; ///< wbMeetStore per worker
    wbNeighbours lists;
    wbBroadPhase tree; ///< over boxes around bodies
} wbMeetSearch;

void wbMeetSearch_Init(wbMeetSearch *search);
void wbMeetSearch_Free(wbMemory *memory, wbMeetSearch *search);

/// Meetings of one step, by groups of sixteen of the same body; the first group is of none, and nobody's.
typedef struct wbMeetings {
    const wbBoundary *boundary;
    const wbNeighbours
        *lists; ///< of each meeting: the body's points near the particle, by their places in its order
    int count;  ///< with those that fill up groups
    int particleCount, dummy;
    int *firstGroup; ///< per body, and one more
    int *bodies;     ///< per group; -1: none
    /// per meeting; `dummy`: nobody, whose list is empty. The longest lists of a body's in a block come first
    int *particles;
    float *clearances; ///< m, per meeting: how far the body's surface is away at least
    float clearance;   ///< m: the same of all bodies that are not met
    int *head,
        *next; ///< per particle, padded, and per meeting: the next one of the particle; 0: none. In the order of bodies
    int *heads;        ///< per group of sixteen particles: how many meetings they have
    wbImpulse *forces; ///< per body of the boundary, N and N m about its origin: of the solver
} wbMeetings;

/// Finds who meets whom among sorted particles, with bodies where they are at this time. Arrays are in the arena. `clearance`: m, that a
/// surface is away at least where none of its points is within the radius.
wbStatus wbMeetSearch_Find(wbMeetSearch *search, const wbBoundary *boundary, const wbWork *work,
                           wbPoints particles, wbBoundaryTime time, int dummy, float clearance,
                           wbMeetings *meetings);
