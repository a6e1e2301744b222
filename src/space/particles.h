// SPDX-License-Identifier: MIT
// What the particles of all fluids have, whichever solver moves them, in memory order: sorted by cell in the last step.
#pragma once

#include "core/array.h"
#include "space/grid.h"

typedef struct wbParticles {
    int count, capacity;
    float *x, *y, *z;    ///< m
    float *vx, *vy, *vz; ///< m/s
    uint32_t *id;
    float *density;  ///< kg/m3, as if of the solver's rest density; which it is before the first step
    float *pressure; ///< Pa; 0 before the first step
    float maxSpeed, maxDensity; ///< m/s, kg/m3, after the last step: for the time step
    // where sorting moves to; then front and back change places
    float *backX, *backY, *backZ, *backVx, *backVy, *backVz, *backDensity;
    uint32_t *backId;
} wbParticles;

/// Fluids of different rest density: ids from first[k] on, up to first[k + 1], have relative[k] times the solver's. No runs:
/// all have the solver's own. What a step writes to the particles is of the solver's rest density whatever their fluid,
/// so that compressions compare.
typedef struct wbMixture {
    int count;
    const uint32_t *first;
    const float *relative;
} wbMixture;

/// Of a particle, by its id.
float wbMixture_GetRelative(const wbMixture *mixture, uint32_t id);
/// The greatest of them; 1 without runs.
float wbMixture_GetHeaviest(const wbMixture *mixture);

/// Columns in the order of wbParticles_ListColumns: those that are saved, all but the last of them sorted; then, in the
/// same order, where they are sorted to.
typedef enum wbParticleColumn {
    wb_columnX,
    wb_columnY,
    wb_columnZ,
    wb_columnVx,
    wb_columnVy,
    wb_columnVz,
    wb_columnId,
    wb_columnDensity,
    wb_columnPressure,
    WB_SORTED_COLUMNS = wb_columnPressure,
    WB_SAVED_COLUMNS,
    WB_PARTICLE_COLUMNS = WB_SAVED_COLUMNS + WB_SORTED_COLUMNS
} wbParticleColumn;

/// To sort or to search.
static inline wbPoints wbParticles_GetPoints(const wbParticles *p) {
    return (wbPoints){p->x, p->y, p->z, p->count};
}

/// All arrays, listed once: growing, hashing, saving and copying walk this list.
void wbParticles_ListColumns(wbParticles *particles, wbColumn columns[WB_PARTICLE_COLUMNS]);
/// Makes room; the arrays keep their content.
wbStatus wbParticles_Reserve(wbParticles *particles, wbMemory *memory, int count);
/// Gives back the room beyond so many.
void wbParticles_Shrink(wbParticles *particles, wbMemory *memory, int kept);
void wbParticles_Free(wbMemory *memory, wbParticles *particles);

/// What wbReorder moves from front to back; wbParticles_Flip then exchanges them.
void wbParticles_ListMoves(const wbParticles *particles, wbMove moves[WB_SORTED_COLUMNS]);
void wbParticles_Flip(wbParticles *particles);

/// The place of the particle that is worst off: the first that is not finite, else the fastest.
int wbParticles_FindWorst(const wbParticles *particles);
/// "particle 12 at (0.1, 0.2, 0.3) m with 4.5 m/s", by its place.
typedef struct wbParticleText {
    char text[96];
} wbParticleText;
wbParticleText wbParticles_Describe(const wbParticles *particles, int place);

/// wb_errorUnstable that names a particle that is not finite.
wbStatus wbParticles_FailByBroken(const wbParticles *particles);

/// An unstable fluid may show by particles that fall into each other, long before its energy does: whether so many
/// neighbours are too many for particles that see `reach` spacings far.
bool wbAreClumped(float reach, int dimensions, double neighbours);
/// Asks that of all particles, by the pairs of the last step; their densities are at hand.
wbStatus wbParticles_CheckPairs(const wbParticles *particles, int64_t pairs, float reach, int dimensions);
/// wb_errorUnstable that says so of a place.
wbStatus wbParticles_FailByClump(const wbParticles *particles, double neighbours, int place);

/// The same of few particles, which never have so many neighbours: whether the densest is ten times too dense.
bool wbAreCrushed(const wbParticles *particles, float restDensity);
/// wb_errorUnstable that names it; its density is at hand.
wbStatus wbParticles_FailByCrush(const wbParticles *particles, float restDensity);
