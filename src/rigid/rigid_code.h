// SPDX-License-Identifier: MIT
// A step with exact contacts, as its parts share it, and its hot loops, once per instruction set.
#pragma once

#include "core/cpu.h"
#include "rigid/rigid.h"
#include "rigid/rigid_constants.h"

/// What a sub-step does to a body's velocity before contacts: v = (v + kick) * keep.
typedef struct wbSolverKick {
    float v[3], w[3];   ///< m/s, rad/s
    float keepV, keepW; ///< what damping leaves
} wbSolverKick;

/// What of a body touches others.
typedef struct wbSolverMaterial {
    float friction, rolling, bounce; ///< 1; m; restitution
    float isRound;                   ///< as of its mass
} wbSolverMaterial;

/// A body that tumbles: its moments of inertia differ, so that its spin changes though nothing turns it.
typedef struct wbSolverTop {
    int body;
    float rotation[4];       ///< now
    float inverseInertia[3]; ///< 1/(kg m2), about its own axes
    float inertia
        [6]; ///< kg m2, about the world's, where the step began: impulses turn it as if it were still there
    wbVec3 momentum;   ///< kg m2/s
    wbVec3 spin;       ///< rad/s, after the last sub-step: what it has more is from impulses
    int axis;          ///< about which it turns most easily; -1: it is no needle
    float slenderness; ///< how much more easily than about the others
    float swing;       ///< rad: how far this axis has turned at most
    float waiting;     ///< s, for which it is still to turn when the step ends
} wbSolverTop;

/// Where a piece is, in records of four.
typedef struct wbPiecePlace {
    float axes[3][4]; ///< in the world; and its half extent along each, m
    float centre[4];  ///< m; and its thickness: twice its least half extent, m
    float offset[4];  ///< m, of its centre from that of its body; and nothing
} wbPiecePlace;
enum {
    WB_PLACE_QUADS = sizeof(wbPiecePlace) / sizeof(float[4]),
    WB_BODY_QUADS = 4,
    WB_MASS_QUADS = 2,
    WB_MATERIAL_QUADS = 1,
    WB_KICK_QUADS = 2,
    WB_CONTACT_QUADS = sizeof(wbContact) / sizeof(float[4]),
    WB_FRICTION_QUAD = 4 ///< of a contact
};

/// How the points of contacts are found, how many there may be, and whether the second body can be moved.
typedef enum wbContactKind {
    wb_contactFace, ///< of two boxes
    wb_contactMany, ///< manifolds, from one by one
    wb_contactFaceFixed,
    wb_contactManyFixed,
    wb_contactSide, ///< a box and a side of the domain
    wb_contactEdge, ///< two edges of boxes: one point, as all below
    wb_contactOne,
    wb_contactEdgeFixed,
    wb_contactOneFixed,
    wb_contactKindCount,
    wb_contactAsleep = wb_contactKindCount, ///< it stays as it is; like the next it is in no group
    wb_contactSensor,                       ///< it is told, not felt
} wbContactKind;
static inline bool wbIsOnePoint(wbContactKind kind) { return kind >= wb_contactEdge; }
static inline bool wbIsFixed(wbContactKind kind) {
    return kind == wb_contactFaceFixed || kind == wb_contactManyFixed || kind == wb_contactSide ||
           kind == wb_contactEdgeFixed || kind == wb_contactOneFixed;
}

/// A contact of this step before it has points.
typedef struct wbContactPlan {
    int rows[2];   ///< of solver bodies
    int pieces[2]; ///< as of the pair
    int source;    ///< two boxes: the axis; a side: which; else its manifold
    uint32_t key;  ///< of pieces that touch several times
    int old;       ///< contact of the step before, -1: none
    int kind;      ///< wbContactKind
} wbContactPlan;

enum { WB_CONTACT_LANES = 16 };

// Passes stream through what all groups need, which starts at lines of the cache; what few need lies elsewhere, and is there only if
// some body of the step asks for it.

/// m/s, along the normal at the middle: it is told, not solved.
typedef struct wbGroupApproach {
    float speed[WB_CONTACT_LANES];
} wbGroupApproach;

/// Of groups whose bodies are not all round.
typedef struct wbGroupInertia {
    float a[6][WB_CONTACT_LANES], b[6][WB_CONTACT_LANES];
} wbGroupInertia;

/// Of groups with many points whose bodies are not all round, or bounce: xx, xy, yy of their response.
typedef struct wbGroupTilt {
    float response[3][WB_CONTACT_LANES];
} wbGroupTilt;

typedef struct wbGroupRoll {
    float arm[WB_CONTACT_LANES];        ///< m
    float mass[WB_CONTACT_LANES];       ///< kg m2
    float impulse[3][WB_CONTACT_LANES]; ///< N m s
} wbGroupRoll;

typedef struct wbGroupBounce {
    float share[WB_CONTACT_LANES];                ///< restitution
    float bounced[WB_CONTACT_LANES];              ///< 1: in this step; else 0
    float wanted[RIGID_POINTS][WB_CONTACT_LANES]; ///< m/s, of parting after a bounce; RIGID_NO_BOUNCE
    float kick[RIGID_POINTS][WB_CONTACT_LANES];   ///< N s, of the bounce
} wbGroupBounce;

/// What all groups of contacts have. No two of a group have a body in common, but for fixed ones.
typedef struct wbGroupHead {
    _Alignas(WB_ALIGNMENT) int count; ///< of contacts: the first lanes
    bool isRound, rolls, bounces;
    wbGroupApproach *approach;
    wbGroupInertia *inertia; ///< NULL: all bodies of the step are round
    wbGroupTilt *tilt;       ///< NULL: likewise, and none bounces; or the group has one point each
    wbGroupRoll *roll;       ///< NULL: none has rolling friction
    wbGroupBounce *bounce;   ///< NULL: none bounces
    _Alignas(WB_ALIGNMENT) int a[WB_CONTACT_LANES];
    int b[WB_CONTACT_LANES];                                    ///< records of the bodies
    float normal[3][WB_CONTACT_LANES];                          ///< from the first to the second
    float armA[3][WB_CONTACT_LANES], armB[3][WB_CONTACT_LANES]; ///< m, of the middle
    float massA[WB_CONTACT_LANES], massB[WB_CONTACT_LANES];     ///< 1/kg
    float turnA[WB_CONTACT_LANES], turnB[WB_CONTACT_LANES];     ///< 1/(kg m2), if all are round
    float friction[WB_CONTACT_LANES];
    float pushSpeed[WB_CONTACT_LANES];      ///< m/s
    float keep[WB_CONTACT_LANES];           ///< what soft contacts keep of their impulses
    float dragMass[2][WB_CONTACT_LANES];    ///< kg, along s and t
    float dragImpulse[2][WB_CONTACT_LANES]; ///< N s
} wbGroupHead;

typedef struct wbManyGroup {
    wbGroupHead head;
    float response[3][WB_CONTACT_LANES];                           ///< nn, nx, ny
    float twistMass[WB_CONTACT_LANES], twistArm[WB_CONTACT_LANES]; ///< kg m2; m, of friction
    float twistImpulse[WB_CONTACT_LANES];
    float x[RIGID_POINTS][WB_CONTACT_LANES], y[RIGID_POINTS][WB_CONTACT_LANES]; ///< m
    float separation[RIGID_POINTS][WB_CONTACT_LANES];                           ///< m, where the step begins
    float impulse[RIGID_POINTS][WB_CONTACT_LANES];                              ///< N s
} wbManyGroup;

typedef struct wbOneGroup {
    wbGroupHead head;
    float mass[WB_CONTACT_LANES]; ///< kg
    float separation[WB_CONTACT_LANES];
    float impulse[WB_CONTACT_LANES];
} wbOneGroup;

/// A group before it is built.
typedef struct wbGroupPlan {
    wbContactKind kind;
    int first, count; ///< in `slots`
    int at;           ///< in groups with many points, or with one
} wbGroupPlan;

/// Groups of one colour and kind.
typedef struct wbContactBatch {
    wbContactKind kind;
    int first, count; ///< of groups
    int at;           ///< of the first, in groups with many points, or with one
} wbContactBatch;

/// One step.
typedef struct wbExactStep {
    wbRigid *rigid;
    const wbRigidModel *model;
    const wbWork *work;
    const struct wbManifoldCode *manifoldCode;
    const struct wbSolveCode *solveCode;
    const struct wbBounceCode *bounceCode;
    float dt, h; ///< s, of the step and of a sub-step
    int subSteps;
    int bodyCount; ///< with guests
    int jointStages;
    float (*jointTurns)[4]; ///< rad/s, by body: what joints changed of its spin
    bool hasSleepers;
    RigidTerms terms;
    // in the arena, by body; behind them the sides of the domain, in the order of wbSide, and dummies for lanes without a contact
    wbSolverBody *bodies;
    wbSolverMass *masses;
    wbSolverMaterial *materials;
    wbSolverKick *kicks;
    float (*starts)
        [8]; ///< v and w that a sub-step had before impulses: what these changed is the next one's warm start
    wbSolverTop *tops;
    int topCount;
    bool hasUneven, hasRolling, hasBounce; ///< some body is not round, has rolling friction, or restitution
    // by piece
    wbPiecePlace *places;
    int *pieceBodies;
    bool *moves; ///< whether it does, or may be moved
    int pieceCount;
    // contacts
    int *axes;             ///< by pair: how it touches, or how often; else WB_PAIR_…
    wbManifold *manifolds; ///< of other pairs, where their caches say
    uint32_t *manifoldKeys;
    wbContactPlan *plans; ///< of contacts
    int *planStarts;      ///< by WB_BLOCK pairs: the first contact of theirs
    int contactCount;
    int *buckets; ///< by contact: its colour times the number of kinds, and its kind; -1: it is in no group
    int *slots;   ///< contacts by group
    wbGroupPlan *groupPlans;
    int groupCount, manyCount, oneCount;
    int solvedCount; ///< of contacts that are in groups
    wbManyGroup *many;
    wbOneGroup *ones;
    // by group, those with many points first; NULL: none needs it
    wbGroupApproach *approaches;
    wbGroupInertia *inertias;
    wbGroupTilt *tilts; ///< by group with many points
    wbGroupRoll *rolls;
    wbGroupBounce *groupBounces;
    wbContactBatch *batches; ///< by colour and kind
    int *colourBatches;      ///< by colour: its first batch; and the end
    int colourCount;
    int *crowds;                  ///< by body: how many contacts it has; NULL: none has more than RIGID_CROWD
    const wbContact *oldContacts; ///< of the step before
    int noContact;                ///< the one behind them: far from everything
    float warmScale;              ///< of their impulses, which were of other sub-steps
    int bounceCount;              ///< of groups with contacts that may bounce
    uint8_t *bounces;             ///< by group, those with many points first: wbBounceState
    bool *touches;                ///< by contact: whether its bodies do, not just nearly
    bool *isFast;    ///< by contact: whether they met at rigid.hitSpeed or faster; NULL: any may have
    int *touchPairs; ///< two bodies for each that does
    int touchCount;
} wbExactStep;

/// Rows of solver bodies behind those of bodies and guests.
enum { WB_SIDE_ROWS = 6, WB_DUMMY_ROWS = wb_contactKindCount, WB_EXTRA_ROWS = WB_SIDE_ROWS + WB_DUMMY_ROWS };

/// Of a pair: it is apart, or at rest and not looked at.
enum { WB_PAIR_APART = -1, WB_PAIR_ASLEEP = -2 };

/// Who touches: the last four numbers of a wbContact.
typedef struct wbContactNames {
    int bodies[2];
    uint32_t pieces, key;
} wbContactNames;
static inline int wbNameBody(const wbExactStep *step, int row) {
    if (row >= step->bodyCount) return WB_CONTACT_SIDE | (row - step->bodyCount);
    return row >= step->rigid->count ? WB_CONTACT_GUEST | (row - step->rigid->count) : row;
}
static inline wbContactNames wbNameContact(const wbExactStep *step, const wbContactPlan *plan) {
    const int *first = step->rigid->firstPiece;
    const int a = plan->pieces[0] - first[plan->rows[0]],
              b = plan->pieces[1] < 0 ? 0 : plan->pieces[1] - first[plan->rows[1]];
    return (wbContactNames){{wbNameBody(step, plan->rows[0]), wbNameBody(step, plan->rows[1])},
                            (uint32_t)a | (uint32_t)b << 16,
                            plan->key};
}

/// Steps that may be undone: before a step changes lists of pairs, and when it has made other contacts.
wbStatus wbHoldLists(wbRigidContacts *contacts, const wbWork *work);
void wbChangeContacts(wbRigidContacts *contacts);

/// Adds a turn, a vector, rad, to a rotation.
void wbTurnBy(float rotation[4], wbVec3 turn);
/// A free body turns for h seconds; inverse moments of inertia are about its own axes.
void wbTurnFreely(float rotation[4], const float inverseInertia[3], wbVec3 momentum, float h);
/// Of a plane that is a side of the domain.
wbPose wbGetSidePose(const wbDomain *domain, int side);

/// m: half of what a piece measures along its axes; and how far it reaches from its centre.
void wbGetHalfExtents(const wbRigidPiece *piece, int dimensions, float half[3]);
float wbGetPieceReach(const wbRigidPiece *piece);
/// Of the grids in which pairs are looked for: by how much a piece reaches farther than the least one.
int wbGetPairLevel(float reach, float least);
/// In sub-steps of h seconds.
RigidTerms wbGetRigidTerms(const wbRigidModel *model, float h);

/// Where pairs of a class begin in the list.
int wbGetPairStart(const wbRigidContacts *contacts, wbPairClass class);
/// Of so many pairs that are not of boxes nothing is known; there is room for them.
void wbClearCaches(wbRigidContacts *contacts, int count);
/// What is known of the pairs of a list, while another is made: in the arena.
typedef struct wbKnownPairs {
    int *heads;      ///< by piece: the last pair that it is the first of, -1: none
    int (*links)[2]; ///< by pair: the one before, and its second piece
    wbCollideCache *caches;
    wbKeptManifold *kept;
} wbKnownPairs;
wbStatus wbNoteCaches(wbExactStep *step, wbKnownPairs *known);
/// For the new list: of pairs that were in the one before it is still known. NULL: of none.
wbStatus wbCarryCaches(wbExactStep *step, const wbKnownPairs *known);

// Parts of a step, in their order:
wbStatus wbPlacePieces(wbExactStep *step);
wbStatus wbSearchPairs(
    wbExactStep *step); ///< lists what is near each other, if something moved too far for the last list
wbStatus wbCollidePairs(wbExactStep *step);   ///< which of them touch
wbStatus wbCollideOthers(wbExactStep *step);  ///< of that, those that are not of two boxes
wbStatus wbPlanContacts(wbExactStep *step);   ///< contacts of those
wbStatus wbGroupContacts(wbExactStep *step);  ///< their colours and groups
wbStatus wbBuildContacts(wbExactStep *step);  ///< points, masses, impulses of before
wbStatus wbBeginKeeping(wbExactStep *step);   ///< room for what the last pass keeps of groups
wbStatus wbStopFastBodies(wbExactStep *step); ///< after the solver, which may have moved some through others
void wbKeepContacts(
    wbExactStep *step); ///< after the solver: for the next step, also those that were not solved
wbStatus wbTellContacts(wbExactStep *step); ///< as events: which bodies touch, and which hit each other

/// What a pass does to a run of groups: wbSolverPass; or of bouncing: which contacts do, their impulses, and friction by these.
enum { WB_PASS_MEET = wb_passRelax + 1, WB_PASS_BOUNCE, WB_PASS_SCRAPE };
typedef enum wbBounceState { wb_bounceNone, wb_bounceSettled, wb_bounceUnsettled } wbBounceState;

typedef void wbSolveGroupsFn(const wbExactStep *step, const wbContactBatch *batch, int begin, int end,
                             int pass);

/// Boxes that touch, and contacts with points: rigid_manifold_wide.c.
typedef struct wbManifoldCode {
    wbRangeFn *collideBoxes; ///< axes of pairs of boxes; over pairs
    wbRangeFn *build;        ///< over groups
} wbManifoldCode;
/// Impulses: rigid_solve_wide.c.
typedef struct wbSolveCode {
    wbSolveGroupsFn *solve; ///< groups begin … end - 1 of a batch
    wbRangeFn
        *keep; ///< after the last pass, while they are in the caches: contacts for the next step; over groups
} wbSolveCode;
/// Restitution: rigid_bounce_wide.c.
typedef struct wbBounceCode {
    wbSolveGroupsFn *solve;
} wbBounceCode;

WB_DECLARE_CODE(wbBounceCode, wb_bounceCode, wbGetBounceCode)
WB_DECLARE_CODE(wbManifoldCode, wb_manifoldCode, wbGetManifoldCode)
WB_DECLARE_CODE(wbSolveCode, wb_solveCode, wbGetSolveCode)
