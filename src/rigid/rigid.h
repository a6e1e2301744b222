// SPDX-License-Identifier: MIT
// Rigid bodies: solids that move as a whole. A body's frame has its origin in the centre of mass, and its axes are the principal
// ones, so that its inertia is three numbers. It is made of pieces (rigid/convex.h); how bodies touch is one of two methods:
//
//     exact        pieces as they are, by manifolds and a soft-step solver with sub-steps      rigid_exact.h
//     particles    rigid sets of particles with springs and dampers (Harada 2007)              rigid_particles.h
#pragma once

#include "core/array.h"
#include "core/saved_value.h"
#include "core/work.h"
#include "rigid/convex.h"
#include "rigid/rigid_event.h"
#include "rigid/rigid_exact.h"
#include "rigid/rigid_force.h"
#include "rigid/rigid_island.h"
#include "rigid/rigid_joint.h"
#include "rigid/rigid_particles.h"
#include "space/domain.h"
#include "wirbel/types.h"

/// Phases of a step, as they appear in profiles.
#define WB_RIGID_PHASES(X)                                                                                   \
    X(forces)                                                                                                \
    X(search)                                                                                                \
    X(collide)                                                                                               \
    X(colour)                                                                                                \
    X(manifolds) X(solve) X(continuous) X(sleep) X(particles) X(grid) X(contacts) X(momentum) X(integrate)

typedef enum wbRigidPhase {
#define WB_PHASE(name) wb_rigid_##name,
    WB_RIGID_PHASES(WB_PHASE)
#undef WB_PHASE
        wb_rigidPhaseCount
} wbRigidPhase;

/// Bits of a body.
enum {
    WB_RIGID_DYNAMIC = 1,   ///< forces move it; else it is static, or kinematic
    WB_RIGID_KINEMATIC = 2, ///< it moves at its velocity, whatever it meets
    WB_RIGID_ASLEEP = 4,
    WB_RIGID_MAY_SLEEP = 8,
    WB_RIGID_SENSOR = 16, ///< touches are told, not felt
    WB_RIGID_BULLET = 32, ///< continuous collision with what moves, too
    WB_RIGID_OFF = 64,    ///< nothing feels it
};

typedef struct wbRigid {
    // bodies, in the order of creation; behind them `guestCount` colliders of the world, as kinematic bodies, which are neither saved nor hashed
    int count, capacity;
    int guestCount;
    float *x, *y, *z;         ///< m, of the centre of mass
    float *qx, *qy, *qz, *qw; ///< unit quaternion, of the principal axes
    float *vx, *vy, *vz;      ///< m/s
    float *wx, *wy, *wz;      ///< rad/s, about the world's axes
    float *fx, *fy, *fz;      ///< N, of programs, over the next step; then 0
    float *tx, *ty, *tz;      ///< N m, likewise
    float *stillTime;         ///< s, for which it has been slow enough to sleep
    uint32_t *bits;           ///< WB_RIGID_…
    int *nextAsleep;          ///< the next body that fell asleep with it, in a ring; awake: itself
    float *inverseMass;       ///< 1/kg; 0 unless dynamic
    float *inverseInertiaX, *inverseInertiaY,
        *inverseInertiaZ; ///< 1/(kg m2), about its axes; 0 where it does not turn
    float *gravityScale, *linearDamping, *angularDamping; ///< 1, 1/s, 1/s
    /// inertia over the body's own, 1 at least: what its own mass makes, such as a spring, is divided by it
    float *floor;
    float *friction, *rollingFriction, *restitution; ///< of its material; rolling: m
    float *reach;                                    ///< m, of its pieces from its centre; INFINITY: a plane
    float *core; ///< m, radius of a ball about its centre that is inside: how far it may go unseen
    uint32_t *category, *mask; ///< two bodies meet if each has a bit of its category in the other's mask
    int *firstPiece, *pieceCount;
    int *particlesPerEdge; ///< of the method particles
    wbArray pieces;        ///< wbRigidPiece, by body, in one run each
    int totalPieces;
    wbRigidContacts contacts; ///< exact: of the last step
    wbRigidJoints joints;
    wbRigidIslands islands;
    wbRigidEvents events; ///< exact: of the last step
    wbRigidForces forces;
    wbRigidParticles particles;
    float previousDt;              ///< s; 0 before the first step
    float maxSpeed;                ///< m/s, of any point of a body, after the last step
    double ms[wb_rigidPhaseCount]; ///< of the last step
} wbRigid;

/// What stays constant during a step.
typedef struct wbRigidModel {
    wbRigidParams params;
    const wbDomain *domain; ///< the world's; its closed sides hold bodies
} wbRigidModel;

wbRigidParams wbDefaultRigidParams(void);

/// One body to be added. Pieces are in a frame of the caller's, `pose` is that frame's in the world; the body's own frame is found from
/// the mass.
typedef struct wbRigidBodySetup {
    const wbRigidPiece *pieces; ///< their hulls and shapes are shared
    int pieceCount;
    wbPose pose;
    float velocity[3]; ///< m/s, of the centre of mass
    float spin[3];     ///< rad/s
    uint32_t bits;
    double mass;            ///< kg; dynamic: above 0
    wbMassProperties solid; ///< where its mass is: the volume does not matter
    float gravityScale, linearDamping, angularDamping, friction, rollingFriction, restitution;
    uint32_t category, mask;
    int particlesPerEdge; ///< of the method particles; 0: rigid.particlesPerEdge
} wbRigidBodySetup;

void wbRigid_Init(wbRigid *rigid);
void wbRigid_Free(wbMemory *memory, wbRigid *rigid);

enum {
    WB_RIGID_COLUMNS = 40,
    WB_RIGID_MOVING = 22, ///< of them, the first: what a step changes
    WB_RIGID_POSED = 13   ///< the first of these: where they are, and how they move
};
/// All arrays of bodies, listed once.
void wbRigid_ListColumns(wbRigid *rigid, wbColumn columns[WB_RIGID_COLUMNS]);

/// 1/(kg m2) of principal moments, kg m2: 0 where there is none. One below a ten-thousandth of the largest counts as that: of how a needle
/// turns across, floats leave so much noise about its own axis that it would spin up by itself.
void wbInvertMoments(const float moments[3], float inverse[3]);

/// Behind all others, while there are no guests. `frame` receives the pose of the body's frame in the setup's. After a failure nothing
/// has changed.
wbStatus wbRigid_AddBody(wbRigid *rigid, wbMemory *memory, const wbRigidModel *model,
                         const wbRigidBodySetup *setup, wbPose *frame);
/// Those behind it move up; its joints, forces and contacts must be gone.
void wbRigid_RemoveBody(wbRigid *rigid, wbMemory *memory, int body);
wbPose wbRigid_GetPose(const wbRigid *rigid, int body);

/// Advances by dt seconds. After a failure it is halfway.
wbStatus wbRigid_Step(wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt);

/// J, of the motion of all bodies; and kg m2/s, of one about its own centre.
double wbRigid_GetKinetic(const wbRigid *rigid);
wbVec3d wbRigid_GetSpinMomentum(const wbRigid *rigid, int body);
