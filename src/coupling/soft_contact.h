// SPDX-License-Identifier: MIT
// Rigid bodies and soft bodies push each other: particles against the exact pieces of bodies, and pieces against triangles, so that no
// corner goes through coarse cloth. All of it happens within the iterations of the soft bodies (wbPbdPartner), while bodies go on evenly:
//
//     wbSoftContacts_Begin(…)     which bodies are near, and how they move
//     …                           soft bodies move, in sub-steps of their own: find, push, end
//     wbSoftContacts_Give(…)      bodies get the impulses, before they move
//
// A contact of C = n · (x - y) - r < 0 is pushed apart by lambda = -C / (w_soft + N w_body), where N contacts share the body (Tonge 2012:
// mass splitting) and w_body is 1/M + (a × n) · I⁻¹ (a × n). All contacts of an iteration start from the same state, and are summed in their
// order: the number of threads does not matter. Friction takes back at most mu lambda of what slid along the body. Bodies give way
// within the iterations as if they were free, but not into what they stand on: a light plate between a heavy ball and the ground would be
// gone through before the ball stops. What holds them is their own solver's, which gets the load before it moves them.
//
// That solver moves them by dt times all that they gained; of what they gained in a later sub-step they have gone less by the end, and so they
// begin as much farther back. Without that a body that a rope whirls round gains energy in each step.
#pragma once

#include "pbd/pbd.h"
#include "rigid/rigid.h"
#include "space/broad_phase.h"

/// One particle, or a point of a triangle, against a point of a body.
typedef struct wbSoftContact {
    int particles[3];
    float weights[3]; ///< of the particles in the point: their sum is 1; 0 where there is none
    int body;         ///< of wbSoftContacts.bodies; -1: none
    wbVec3d normal;   ///< of length 1, away from the body
    wbVec3d arm;      ///< m, from the body's centre to its point, where an even motion ends
    wbVec3d shift;    ///< m, that this point goes evenly
    double height;    ///< m, of the soft point's start above that end, less than which they keep
    // of an iteration
    double depth;  ///< m; 0: they do not touch
    wbVec3d slide; ///< m, of the soft point along the body
    wbVec3d push;  ///< kg m, on the soft point
} wbSoftContact;

/// A particle that is held by a point of a body, as seen from its centre of mass and principal axes. Fields of four bytes: it is saved.
typedef struct wbSoftTie {
    int particle, body;
    float point[3]; ///< m
} wbSoftTie;

/// A body that soft bodies may touch, as far as they have pushed it: linear, then angular.
typedef struct wbPushedBody {
    int row; ///< in wbRigid
    bool isFree;
    wbPose start, end;        ///< of a sub-step that goes evenly
    double velocity[6];       ///< m/s, rad/s, at the start
    double inverseMass;       ///< 1/kg
    double inverseInertia[6]; ///< 1/(kg m2) about the world's axes: xx, xy, xz, yy, yz, zz
    double now[6];            ///< m, rad, by which it gave way in this sub-step
    double sums[6];           ///< kg m, kg m2: of this iteration
    double pushed[6];         ///< of this sub-step
    double given[6];          ///< N s, N m s, since the step began
    double gain[6];           ///< m/s, rad/s, that it gained by that
    double way[6];            ///< m, rad, that it has gone by what it gained
    int hits;                 ///< contacts of this iteration
    float friction;           ///< against soft bodies
    wbVec3d support;          ///< of length 1, the way that what it stands on pushed it last; 0: it does not
} wbPushedBody;

/// A piece of one of them.
typedef struct wbPushedPiece {
    int body; ///< of wbSoftContacts.bodies
    const wbRigidPiece *piece;
    wbPose start, end; ///< in the world
} wbPushedPiece;

typedef struct wbSoftContacts {
    wbRigid *rigid;
    const wbPbd *pbd;
    const int *triangles; ///< three particles each
    int triangleCount;
    const wbSoftTie *ties;
    int tieCount;
    wbPairMode mode;
    float radius;    ///< m, of particles and of cloth
    float gravity;   ///< m/s2
    double given[3]; ///< N s, since it was set to 0
    // of a step
    wbArray bodies; ///< wbPushedBody
    int bodyCount;
    wbArray rows;    ///< int per rigid body: where it is in `bodies`; -1: not near
    wbArray areNear; ///< bool per soft body: a rigid one is near
    wbArray pieces;  ///< wbPushedPiece
    int pieceCount;
    wbArray gaps;      ///< wbVec3d per tie: m, by which its ends were apart when the step began
    wbArray unbounded; ///< int: planes among the pieces
    int unboundedCount;
    wbBroadPhase tree; ///< around the others
    bool isTouched;    ///< something pushed or held in the last step
    // of a sub-step
    float dt;                ///< s
    double seconds;          ///< since the step began, of sub-steps that have ended
    double wholeStep;        ///< s
    wbSoftContact *contacts; ///< in the order of particles, then of triangles
    int contactCount;
    float *shares; ///< per particle: contacts of this iteration
    int *tied;     ///< per particle: the body that holds it; -1: none. NULL: there are no ties
} wbSoftContacts;

void wbSoftContacts_Init(wbSoftContacts *contacts);
void wbSoftContacts_Free(wbMemory *memory, wbSoftContacts *contacts);
/// Whether bodies may touch soft bodies within so many seconds, as they move now; always if there are ties.
bool wbSoftContacts_MayMeet(const wbSoftContacts *contacts, float seconds);
/// Before a step of dt seconds; what is set from outside is set. `model` mixes materials, `friction` is the soft bodies'.
wbStatus wbSoftContacts_Begin(wbSoftContacts *contacts, const wbWork *work, const wbRigidModel *model,
                              float friction, float dt);
/// After it: velocities change at once, and who sleeps wakes.
void wbSoftContacts_Give(wbSoftContacts *contacts);
/// When a step begins: how far the ends of ties are apart.
void wbSoftContacts_MeasureTies(wbSoftContacts *contacts);

/// For wbPbdPartner, with the contacts as their context.
wbStatus wbSoftContacts_Find(const float *records, float dt, const wbWork *work, void *context);
void wbSoftContacts_Push(float *records, const wbWork *work, void *context);
void wbSoftContacts_End(void *context);

/// A sub-step of dt seconds begins: bodies and pieces know where they go evenly.
void wbSoftContacts_Move(wbSoftContacts *contacts, float dt);
/// Parts of the search (soft_meet.c), of a particle and of a triangle near a piece: contacts, and how many.
enum { WB_TRIANGLE_CONTACTS = 4 };
bool wbMeetParticle(const wbSoftContacts *contacts, const float *records, int particle,
                    const wbPushedPiece *piece, wbSoftContact *contact);
int wbMeetTriangle(const wbSoftContacts *contacts, const float *records, const int *particles,
                   const wbPushedPiece *piece, wbSoftContact found[WB_TRIANGLE_CONTACTS]);

static inline wbPushedBody *wbSoftContacts_GetBody(const wbSoftContacts *contacts, int body) {
    return (wbPushedBody *)contacts->bodies.data + body;
}
/// A particle's way and start in the records of a sub-step.
static inline wbVec3d wbGetRecordWay(const float *records, int particle) {
    const float *r = records + WB_PBD_RECORD * (size_t)particle;
    return (wbVec3d){r[0], r[1], r[2]};
}
static inline wbVec3d wbGetRecordStart(const float *records, int particle) {
    const float *r = records + WB_PBD_RECORD * (size_t)particle + WB_PBD_HALF;
    return (wbVec3d){r[0], r[1], r[2]};
}
/// 1/kg
static inline double wbGetRecordWeight(const float *records, int particle) {
    return records[WB_PBD_RECORD * (size_t)particle + 3];
}
