// SPDX-License-Identifier: MIT
// The hot loops of position based bodies, once per instruction set, as ranges for wbParallelFor.
#pragma once

#include "core/cpu.h"
#include "pbd/pbd.h"
#include "pbd/pbd_constants.h"

/// What holds for all particles and constraints in one sub-step, on every machine.
typedef struct wbPbdTerms {
    PbdMove move;
    PbdRule rules[wb_pbdKindCount];
    PbdSides sides;
    PbdContact contact;
    bool xpbd, isSecond, hasSides, hasContacts, hasPlanes; ///< isSecond: BDF2
} wbPbdTerms;

/// Sets all but the sides.
void wbPbd_SetTerms(const wbPbd *pbd, const wbPbdModel *model, float dt, wbPbdTerms *terms);
/// Where particles may be at the end of a sub-step of dt seconds; the first of a step is number 0.
void wbPbd_PlaceSides(const wbPbdModel *model, int subStep, float dt, wbPbdTerms *terms);

/// How far around a particle those that may touch it in a sub-step are looked for: a contact and a quarter of it more.
static inline float wbPbd_GetContactReach(const wbPbdModel *model) { return 2.5f * model->params.radius; }

/// Cuts `floats`, WB_PBD_PLANE_COLUMNS of a length, into the columns of planes.
static inline wbPbdPlanes wbCutPlanes(float *floats, size_t length) {
    return (wbPbdPlanes){floats,
                         floats + length,
                         floats + 2 * length,
                         floats + 3 * length,
                         floats + 4 * length,
                         floats + 5 * length,
                         floats + 6 * length};
}

/// BDF2: of each particle, weighed by mass, the squared acceleration before and its trend (pbd_formula.h); and the share of
/// the second order in its body's velocities.
enum { WB_PBD_BEFORE, WB_PBD_NOW, WB_PBD_ROOM, WB_PBD_RISE, WB_PBD_BEND, WB_PBD_SHARE, WB_PBD_TRENDS };

/// One sub-step: what its passes read and write.
typedef struct wbPbdPass {
    wbPbd *pbd;
    const float *w; ///< 1/kg
    wbPbdTerms terms;
    const wbPbdSurface *surface; ///< NULL: none
    float *records;              ///< per particle, then one dummy
    float *back;                 ///< likewise: where particles write that read each other
    float *sums;    ///< corrections, in the first halves; by particles: of hinges, NULL without any
    float *push[3]; ///< m/s2, per particle, beside gravity; NULL: none
    float *trends[WB_PBD_TRENDS]; ///< BDF2: per particle
    float *maxima;                ///< per block: squared speed, NaN if something is not finite
    int firstBatch,
        lastBatch; ///< what a pass over batches works on; a range counts from the first one's begin
    bool isBack;   ///< a run goes from the last batch to the first
    // contacts: particles sorted by cell
    int *order; ///< indices of records, and the dummy's up to whole vectors
    float *
        sortedWays; ///< first halves of records, then a dummy's; with loads instead of inverse masses when contacts are solved
    float *loads;        ///< 1/kg, in that order: inverse masses times numbers of contacts
    float *sortedStarts; ///< x, y, z, body
    wbPbdPlanes planes;
} wbPbdPass;

typedef struct wbPbdCode {
    wbRangeFn *predict;    ///< records from positions and velocities; over particles
    wbRangeFn *project;    ///< Gauss-Seidel: the constraints of one batch, counted from its begin
    wbRangeFn *projectRun; ///< all batches from firstBatch to lastBatch - 1, or back, in turn; over one item
    wbRangeFn *sum;        ///< Jacobi: corrections of one batch into sums
    wbRangeFn *sumRun;     ///< likewise
    wbRangeFn *bend, *bendRun, *sumBend, *sumBendRun; ///< the same four for hinges
    wbRangeFn *apply;                                 ///< sums into records; over particles
    wbRangeFn *gather;  ///< Jacobi by particles, from records to back; over particles
    wbRangeFn *load;    ///< of contacts, from sorted places; over particles
    wbRangeFn *touch;   ///< contacts, from sorted places to records; over particles
    wbRangeFn *block;   ///< planes of solids; over particles
    wbRangeFn *confine; ///< sides; over particles
    wbRangeFn *finish;  ///< velocities and positions from records; over particles
    wbRangeFn *predictSecond, *compare, *finishSecond; ///< BDF2: records, trends, velocities and positions
    wbRangeFn *judge;                                  ///< BDF2: shares from trends; over bodies
} wbPbdCode;

WB_DECLARE_CODE(wbPbdCode, wb_pbdCode, wbGetPbdCode)
