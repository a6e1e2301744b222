// SPDX-License-Identifier: MIT
// What joints are, and how they are solved in a step: the same structs in C and in OpenCL C.
#pragma once

#include "rigid/block_tree_formula.h"
#include "rigid/rigid_constants.h"
#include "shape/pose.h"

/// As wbJointKind.
enum { JOINT_BALL, JOINT_HINGE, JOINT_SLIDER, JOINT_FIXED, JOINT_DISTANCE };

/// Bits of a joint.
enum {
    WB_JOINT_ON = 1,
    WB_JOINT_LIMITS = 2,
    WB_JOINT_MOTOR = 4,
    WB_JOINT_COLLIDE = 8, ///< its bodies may touch each other
    WB_JOINT_BROKEN = 16, ///< it holds nothing any more
};

enum { WB_JOINT_ROWS = 6 };

/// What a joint is. Fields of four bytes only: it is saved as it is.
typedef struct wbJoint {
    int kind; ///< wbJointKind
    unsigned bits;
    int bodies[2];                 ///< -1: the world
    wbPose frames[2];              ///< where it holds them, in their frames; x is its axis
    float lower, upper;            ///< rad, m
    float twistLower, twistUpper;  ///< rad; both 0: any
    float speed, maxForce;         ///< rad/s, m/s; N m, N
    float hertz, dampingRatio;     ///< of its spring
    float length;                  ///< m, of a distance at rest
    float breakForce, breakTorque; ///< N, N m; 0: never
} wbJoint;

/// What the next step starts from, and what programs read. Fields of four bytes only, likewise.
typedef struct wbJointState {
    float impulse[WB_JOINT_ROWS];      ///< N s, N m s: of the block's rows, in a sub-step
    float spring, motor, lower, upper; ///< N s, N m s: along its axis
    float twistLower, twistUpper;      ///< N m s: about the axis of a ball
    float value;                       ///< rad, m: angle, which goes on beyond whole turns, way or length
    float speed;                       ///< rad/s, m/s: at which that changes
    float twist;                       ///< rad: of a ball, how far the second body is turned about its axis
    float force[3], torque[3]; ///< N, N m: on the second body where it is held, mean over the last step
} wbJointState;

/// A body that moves, among those that joints connect.
typedef struct wbJointNode {
    int body;
    int parent; ///< in its batch, before it; -1: none
} wbJointNode;

/// A joint where it is solved.
typedef struct wbJointPlace {
    int joint;
    int moves[2]; ///< 1: its body is dynamic
    int nodes[2]; ///< of those, in its batch; -1: none
    int isInTree; ///< 1: solved with the whole batch, it ties a node to its parent, or to what does not move
} wbJointPlace;

/// Joints that are solved by one thread: those of a component, or some of a colour, which have no nodes.
typedef struct wbJointBatch {
    int jointEnd, nodeEnd; ///< in `order` and `nodes`; it begins where the one before ends
} wbJointBatch;

// Of a step

/// A direction in which something is held: its speed is linear (vB - vA) + turnB wB - turnA wA.
typedef struct JointRow {
    wbVec3 linear, turnA, turnB;
} JointRow;

/// A unit quaternion.
typedef struct JointTurn {
    float x, y, z, w;
} JointTurn;

/// A body that moves, with the root S of its inverse mass (S S^t = M^-1): in S^-1 v all masses are 1, and there are none that are
/// infinite.
typedef struct wbJointMover {
    int body;
    double linear;
    double turn[6]; ///< lower half: xx, yx, yy, zx, zy, zz
} wbJointMover;

/// A direction in which a joint lets its bodies move.
typedef struct JointFreedom {
    JointRow row;
    JointRow drive;              ///< how impulses along it act: with those of the block that it calls for
    float undone[WB_JOINT_ROWS]; ///< those, per impulse, negative
    float mass;                  ///< kg, kg m2
    int isThere;                 ///< whether it has a direction now
    int isDriven;                ///< whether something acts along it
} JointFreedom;

/// A joint as the passes see it.
typedef struct wbJointLine {
    double jacobian[2][WB_JOINT_ROWS][WB_TREE_WIDTH]; ///< in the tree: rows times S
    double stiffness[WB_JOINT_ROWS];                  ///< 1 / what it yields
    double residual[WB_JOINT_ROWS];
    float lower[WB_JOINT_ROWS][WB_JOINT_ROWS]; ///< alone: L of the block's L D L^t
    float pivots[WB_JOINT_ROWS];               ///< 1 / D, 0 where nothing can be moved
    int isActive;                              ///< one of its bodies is moved
    int moves[2];                              ///< whether impulses move them
    int rowCount;                              ///< of the block
    wbVec3 arms[2];                            ///< m, from the bodies' centres, where the step begins
    wbVec3 apart;                              ///< m, from the first body's centre to the second's, likewise
    JointTurn frames[2];                       ///< of its frames in the world, likewise
    // where the bodies are now
    wbVec3 nowArms[2], gap; ///< m; from what it holds of the first body to that of the second
    JointRow rows[WB_JOINT_ROWS];
    JointFreedom axis, twist;
    float error[WB_JOINT_ROWS]; ///< m, rad
    float least;                ///< 1/kg, 1/(kg m2): of a row that is held
    /// of the axis' mass, by which its spring is as strong as it should: less than 1 where bodies have a floor
    float springShare;
    wbVec3 force, torque; ///< N s, N m s, on the second body, summed over sub-steps
} wbJointLine;

/// A kernel's run over joints: batches, or places in the order, which are as many batches without nodes.
typedef struct JointRun {
    wbSoftness softness;
    float h, dt;  ///< s, of a sub-step and of a step
    float warmth; ///< by which impulses of the step before are scaled
    int pass;
    int first, count;
    int arePlaces; ///< 1: `first` is one
} JointRun;
