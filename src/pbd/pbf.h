// SPDX-License-Identifier: MIT
// Position based fluids: particles whose density is held by constraints on their positions. The model is constant during
// a step; the particles (wbPbf) change.
#pragma once

#include "core/saved_value.h"
#include "core/work.h"
#include "pbd/pbf_model.h"
#include "space/particle_fluid.h"

/// Phases of a step, as they appear in profiles.
#define WB_PBF_PHASES(X) X(sort) X(boundary) X(neighbours) X(density) X(velocities)

typedef enum wbPbfPhase {
#define WB_PHASE(name) wb_pbf_##name,
    WB_PBF_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_pbfPhaseCount
} wbPbfPhase;

typedef struct wbPbf {
    wbFluidState fluid;  ///< densities are those before the last correction of positions
    float colliderSpeed; ///< m/s, of the fastest collider or side: to be set before a step
    int subSteps;        ///< of the last step; 0: there was none
    double head;         ///< m2/s2, gravity times the water's depth, the greatest of late; see wbFindPbfHead
    float startSpeed;    ///< m/s, highest speed then; colliders count
    float softStep;      ///< s, of the sub-step that the present stiffness is of; 0: there was none yet
    float previousDt;    ///< s, of the last sub-step; 0: there was none
    wbPbfSizes sizes;    ///< of the particles, where the fluid is adaptive
} wbPbf;

/// Adds particles; positions and velocities (NULL: at rest) x, y, z each; ids go on from the count.
wbStatus wbPbf_AddParticles(wbPbf *pbf, wbMemory *memory, const wbPbfModel *model, int count,
                            const float *positions, const float *velocities);

enum { WB_PBF_VALUES = WB_FLUID_VALUES + 4 };
/// All single numbers of the state, listed once: hashing and saving walk this list.
void wbPbf_ListValues(wbPbf *pbf, wbSavedValue values[WB_PBF_VALUES]);

/// The largest step, s, at this highest speed (m/s; colliders count); before the first step the particles must be at hand.
float wbPbf_GetStableStep(const wbPbf *pbf, const wbPbfModel *model, float maxSpeed);
/// Chooses the sub-steps of a step of water with this head now.
void wbPbf_BeginStep(wbPbf *pbf, const wbPbfModel *model, float dt, double head);
/// How particles move in a sub-step of dt seconds, in the step whose start is known.
PbfMove wbPbf_BeginSubStep(wbPbf *pbf, const wbPbfModel *model, const wbDomain *domain, float dt);

/// Advances by dt seconds; colliders may be NULL. After wb_errorMemory the particles may be halfway: who needs those of before has a
/// copy of them, as the world has (world/snapshot.h).
wbStatus wbPbf_Step(wbPbf *pbf, const wbPbfModel *model, const wbFluidColliders *colliders,
                    const wbWork *work, float dt);

/// Memory that filling with particles of different sizes needed. Before the state is kept that a failed step goes back to, not in the
/// step that filled: that one goes back to the lattice, which has to have room.
void wbPbf_GiveFillingBack(wbPbf *pbf, const wbWork *work);
