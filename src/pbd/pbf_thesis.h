// SPDX-License-Identifier: MIT
// Adaptive position based fluids as L. Geyer describes them (Adaptive Sampling in Position-Based Fluids, TU Wien 2022; equations and sections
// are named by its numbers): particles have any radius, the kernel of each is as wide as its distance to the boundary of the fluid asks for,
// and mass goes over from one particle to another bit by bit. Kept to reproduce that work and to compare with; pbf_adaptive.h is
// the method that is faster than equal particles.
//
// Mended: densities are divided by the kernel's sum S(h/r) over a lattice, without which a disc at rest flies apart; a constraint counts by its
// mass over the mean of its neighbours' instead of over the smallest (4.6), which over-relaxes the inside by up to 192; splits make whole
// multiples of the smallest particle (5.5); momentum is kept. Where the density jumps by transfers it is settled on positions alone, and what
// is left becomes a rest offset: without that, with omega = 0.5, a free disc had expanded by half in six seconds. So it is where particles were split:
// without that a pool whose upper third was taken away was thrown about at 3.0 sqrt(g dx) instead of 0.8, and one that was swayed swelled by 2 % in a
// minute.
//
// Sides, colliders and the fluid's own surface are one boundary to sizes, as in the source. But in sums fluid goes on behind sides, as ghosts, and
// colliders' points count, as in fluids of equal particles: without them a pool of 20 particles' depth sank by a fifth.
#pragma once

#include "core/saved_value.h"
#include "pbd/pbf_adaptive.h"
#include "pbd/pbf_thesis_constants.h"
#include "pbd/pbf_wishes.h"
#include "space/domain.h"
#include "space/particle_fluid.h"

/// Radii and distances are in radii of the smallest particle, half a spacing.
typedef struct wbThesisParams {
    float spacing, restDensity; ///< m, kg/m3
    int iterations;
    float width;     ///< k: of a kernel, in radii, among equal particles
    float slope;     ///< a: by how much kernels widen over the distance to the boundary
    float largest;   ///< radius that particles should have at most
    float omega;     ///< step of an iteration. From 0.5 on a disc of mixed sizes does not come to rest
    float softness;  ///< epsilon over its lattice sum
    float viscosity; ///< c of XSPH
    float mergeTime; ///< s
    float reach; ///< of merges, in radii of the larger. The source has 1: its particles are pressed together
    /// Mass that a merge may make beyond the larger target, over the smaller: at 1 a disc of r_f = 100 has 3,720 particles, 3,331 by the analysis, which
    /// has each at its target. 1.25 over the larger target made particles at rest that split again.
    float excess;
    /// Of the halves of a split particle, in their spacings. With 0.5 the fastest after splits was faster by a quarter.
    float gap;
    float steep, thin;    ///< h |grad C| and density, over the rest density, of boundary particles
    int relaxations;      ///< iterations that settle changes, on positions alone
    float inside;         ///< distance beyond which these also close gaps
    int limit;            ///< particles that splits make at most; 0: any number
    bool isGeneral;       ///< kernels spread to neighbours (4.2), instead of following the distance (4.6)
    bool losesMomentum;   ///< the target of a merge keeps its velocity, as in the source
    bool movesTargets;    ///< and moves towards what it gets (4.27)
    bool splitsGradually; ///< (4.28)
} wbThesisParams;

wbThesisParams wbDefaultThesisParams(int dimensions);

typedef struct wbThesisModel {
    wbThesisParams params;
    const wbDomain *domain;
    PbfWishes wishes; ///< what sizes follow beside the distance to the boundary: none at first
    float sums[WB_THESIS_TABLE + 1], squares[WB_THESIS_TABLE + 1]; ///< over r/h
    float
        stickSum; ///< of (1 - r/h)^3 at a flat collider, half a spacing before it, with the narrowest kernel
} wbThesisModel;

void wbThesisModel_Init(wbThesisModel *model, const wbThesisParams *params, const wbDomain *domain);
/// m, the radius of the smallest particle.
float wbThesisModel_GetSmallest(const wbThesisModel *model);
/// S, and the sum of V |grad W|2 times h^(d + 2), of particles of radius r with kernels of width h on their lattice.
void wbThesisModel_GetSums(const wbThesisModel *model, float r, float h, float *sum, float *squares);
/// What is wished, with sizes that grow by the slope of (4.39).
PbfWishes wbThesisModel_GetWishes(const wbThesisModel *model);
/// What the formulas need of the parameters.
ThesisConstants wbThesisModel_GetConstants(const wbThesisModel *model);
ThesisSizing wbThesisModel_GetSizing(const wbThesisModel *model);
/// Of the sub-step of dt seconds that ends with this domain, after so many.
ThesisMove wbThesisModel_GetMove(const wbThesisModel *model, const wbDomain *domain, float dt, int steps);
/// kg, of the smallest particle.
double wbThesisModel_GetMass(const wbThesisModel *model);

/// Sub-steps of a step of dt seconds in which water of this head (m2/s2, gravity times depth) is not pressed together by more than 0.4 % by its weight.
int wbThesisModel_CountSubSteps(const wbThesisModel *model, float dt, double head);

/// Of the particles, in their order, beside what every fluid has.
typedef struct wbThesis {
    int capacity;
    uint32_t *units,
        *backUnits; ///< smallest particles that it stands for; in a transfer, before it or after it
    uint32_t *parts, *backParts;    ///< mass, as it is now
    float *h, *backH;               ///< m
    float *distance, *backDistance; ///< m, to the boundary
    float *offset, *backOffset;     ///< of the rest density, in units of it
    uint32_t *role, *backRole;      ///< wbThesisRole
    int *other, *backOther;         ///< the place of the other particle of a transfer
    float *left, *backLeft;         ///< s, of a transfer
    wbSpareIds spare;               ///< ids of particles that were merged away
    wbKeptIds hostIds;
    int steps;
    int64_t merges, splits; ///< that are done; that have begun
    double lost;            ///< kg m/s: lengths of the momenta that merges lost
    wbFluidRuns runs;       ///< to be set before a step; only what is of one fluid merges
    // made anew in each step
    wbGrid grids[WB_THESIS_OCTAVES], ghostGrids[WB_THESIS_OCTAVES];
    int begins[WB_THESIS_OCTAVES + 1];
} wbThesis;

void wbThesis_Init(wbThesis *thesis);
void wbThesis_Free(wbMemory *memory, wbThesis *thesis);
/// Makes room for so many particles.
wbStatus wbThesis_Reserve(wbThesis *thesis, wbMemory *memory, int count);
/// Particles from `begin` to `end` - 1 are new, and smallest ones.
void wbThesis_Begin(wbThesis *thesis, const wbThesisModel *model, int begin, int end);
/// Of `count` particles those go whose marks are not 0; what was in a transfer with one of them has the mass that it stands for.
void wbThesis_RemoveMarked(wbThesis *thesis, const uint8_t *marks, int count);

enum { WB_THESIS_COLUMNS = 8, WB_THESIS_VALUES = 6 };
/// What is saved of each particle, and all single numbers, listed once: hashing and saving walk these lists.
void wbThesis_ListColumns(wbThesis *thesis, wbColumn columns[WB_THESIS_COLUMNS]);
/// The same, each followed by one that it may change places with.
void wbThesis_ListPairs(wbThesis *thesis, wbColumn columns[2 * WB_THESIS_COLUMNS]);
void wbThesis_ListValues(wbThesis *thesis, wbSavedValue values[WB_THESIS_VALUES]);
/// Whether saved columns, in their order, are those of `count` particles; `units` gets how many smallest ones they stand for.
bool wbThesis_AreColumns(const void *const columns[WB_THESIS_COLUMNS], int count, int64_t *units);

/// m
float wbThesis_GetRadius(const wbThesis *thesis, const wbThesisModel *model, int i);

/// In so many sub-steps, with the model's domain. Phases, as in profiles of position based fluids: wbPbfPhase.
wbStatus wbThesis_Step(wbThesis *thesis, wbFluidState *fluid, const wbThesisModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt, int subSteps);
