// SPDX-License-Identifier: MIT
// What a sub-step of a fluid with particles of different sizes does otherwise than one of equal particles: it sorts them by octaves of their size,
// searches among these, and has its own passes; and now and then it looks at all particles and merges and splits them.
#pragma once

#include "pbd/pbf.h"
#include "pbd/pbf_adaptive_code.h"

/// What outlives the changes of a look, for as many particles as there can be then. It lies below all other scratch of its sub-step, which is given up
/// when particles have changed: with both, looks would need twice what a sub-step does.
typedef struct wbLookRoom {
    float *before, *pressure;
    float *from[3]; ///< where there are colliders
    size_t mark;    ///< of the arena, above this
} wbLookRoom;

typedef struct wbSizedStep {
    wbPbf *pbf;
    const wbPbfModel *model;
    wbFluidStep *fluid;
    wbPbfPass *pass; ///< of the same sub-step
    const wbSizedCode *code;
    const wbSizedBoundaryCode *boundaryCode;
    wbSizedPass sized;
    wbSizedListTask lists;
    float *h;        ///< m, of the sorted particles
    size_t searched; ///< of the arena: above it is what only the search asks for
    wbLookRoom room;
    /// That the sub-step is long: a frame is a sub-step of shallow water of this speed. Looks and offsets that went by sub-steps made deep water, which
    /// has shorter ones, twice as restless.
    float frames;
} wbSizedStep;

/// For a sub-step whose move is known.
wbSizedStep wbMakeSizedStep(wbPbf *pbf, const wbPbfModel *model, wbFluidStep *fluid, wbPbfPass *pass);
/// Sorts by octave and cell of `points`, in the particles' order: moves go from front to back, sizes are exchanged. wb_errorUnstable if too many
/// share a cell.
wbStatus wbSizedStep_Sort(wbSizedStep *step, wbPoints points, const wbMove *moves, int moveCount);
/// Ghosts of the sorted points; then lists among both, which give back what the arena got in between; then records can be made.
wbStatus wbSizedStep_FindGhosts(wbSizedStep *step, wbPoints points);
wbStatus wbSizedStep_BuildLists(wbSizedStep *step);
/// Lists of colliders' points near the sorted particles, who have lists already, and with forces the other way round; room for what they add.
wbStatus wbSizedStep_ListBoundary(wbSizedStep *step, bool wantsForces);
/// Records of placed points: the unit vector into the collider, and the depth below its surface.
void wbFillSunk(const wbBoundary *boundary, float *sunk);
/// Takes lists of equal particles.
wbStatus wbSizedStep_SetBoundary(wbSizedStep *step, const wbBoundaryLists *near);
/// What colliders add to the sums of the next pass, by records of places; what that pass does to them; and what surfaces that nothing
/// slips along do to velocities. Without colliders these do nothing.
void wbSizedStep_AddBoundary(wbSizedStep *step, const float *records);
void wbSizedStep_PushBoundary(wbSizedStep *step);
void wbSizedStep_Stick(wbSizedStep *step);
/// What particles weigh, for continuous collision.
wbStatus wbSizedStep_WeighParticles(wbSizedStep *step);
/// A pass over particles, and over lists by these records.
void wbSizedStep_Run(wbSizedStep *step, wbRangeFn *range);
void wbSizedStep_RunOverLists(wbSizedStep *step, wbRangeFn *range, const float *records);

/// Before a sub-step at whose end there is a look.
wbStatus wbSizedStep_ReserveLook(wbSizedStep *step);
/// At the end of a sub-step, with its lists: measures particles, finds how far they are from the surface, and merges and splits them. What changed is
/// relaxed, and what is left of it fades. After it nothing of the sub-step's scratch is left.
wbStatus wbSizedStep_Look(wbSizedStep *step);

/// Before the first sub-step: particles of the lattice become as large as they should be, in rounds of merges and of relaxation without time.
/// Merged while the water moves instead, they sink by up to 6 % for some seconds, until what the merges left has evened out.
wbStatus wbSizedStep_Fill(wbSizedStep *step);

/// As wbFindPbfHead, of particles of different sizes, once after each look: the head of a uniform fluid that is compressed as much, or sinks as far.
wbStatus wbFindSizedHead(const wbParticles *particles, const wbMixture *mixture, wbPbfSizes *sizes,
                         const wbPbfModel *model, const wbWork *work, double *head);
