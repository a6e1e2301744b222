// SPDX-License-Identifier: MIT
// Numbers that the formulas of pbd_formula.h need: the same structs in C and in OpenCL C.
#pragma once

/// How constraints of one kind are solved in a sub-step.
typedef struct PbdRule {
    float scale;           ///< of the change of lambda: stiffness, damping, over-relaxation
    float alpha;           ///< 1/kg, compliance / dt2; 0 for PBD
    float lowest, highest; ///< kg m, of lambda: inequalities push or pull only
} PbdRule;

/// The way in a sub-step that is predicted from velocities, and back.
typedef struct PbdMove {
    float dt, kick;   ///< s, s2: way = dt v + kick g
    float rate;       ///< 1/s: v = rate way
    float gravity[3]; ///< m/s2
    // BDF2, where dt is the implicit share of the sub-step
    float
        carry; ///< of the last way in this one, and of the last change of v in the next; 0: there is no last
    float firstRate; ///< 1/s: v = firstRate way by the first order
    float lastRate;  ///< 1/s: the same of the last way; 0: there is none, and v is taken
    float perSpan;   ///< 1/s: 1 / time between the middles of the last sub-step and this one
} PbdMove;

/// A box that particles stay in, with sides that move, in the order of wbSide.
typedef struct PbdSides {
    float low[3], high[3]; ///< m, where particles may be
    float shift[6][3];     ///< m, of each side in this sub-step
    float friction;
} PbdSides;

/// Contacts between particles of different bodies.
typedef struct PbdContact {
    float distance; ///< m, that they keep
    float friction;
} PbdContact;
