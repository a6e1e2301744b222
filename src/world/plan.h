// SPDX-License-Identifier: MIT
// How long a step is, and how solvers go through it. A number for its length is one undivided step of all of them. Else it lasts as
// long as solvers may go without hearing of each other, a part of a frame, and each takes as many equal sub-steps as it needs. Those
// that what moves them joins share theirs: a group. The plan follows from the state alone.
#pragma once

#include "world/solver.h"

typedef struct wbStepPlan {
    double length;  ///< s
    double end;     ///< s, the time when it is over
    bool isAuto;    ///< sub-steps follow what is stable
    int groupCount; ///< in the order of places
    int leading;    ///< the group at whose end mechanisms, colliders and sides are when the step is over
    int counts[WB_SOLVER_COUNT]; ///< sub-steps of each group
} wbStepPlan;

/// One sub-step of a group.
typedef struct wbSubStep {
    int group;
    bool isLeading; ///< mechanisms feel it, and drains work in it
    float dt;       ///< s
} wbSubStep;

/// A solver that broke or may break, and the length of its sub-step.
typedef struct wbBreak {
    const wbSolver *solver; ///< NULL: none
    float dt;               ///< s
} wbBreak;

/// A step of dt seconds, or of the world's own length if that is 0. wb_errorUnstable if what is stable has collapsed.
wbStatus wbPlanStep(wbWorld *world, float dt, wbStepPlan *plan, wbBreak *where);
/// Equal sub-steps of a group over `seconds`, as its solvers are now.
wbStatus wbCountSubSteps(const wbWorld *world, int group, double seconds, int *count, wbBreak *where);
/// s: the longest step that its solvers allow as they are; INFINITY: any.
float wbGetGroupLimit(const wbWorld *world, int group);

/// Whether a solver is there and in a group.
static inline bool wbIsIn(const wbSolver *solver, int group) {
    return solver->self && solver->group == group;
}
