// SPDX-License-Identifier: MIT
// What the kernels of exact contacts share with the host: the same structs in C and in OpenCL C.
#pragma once

#include "shape/shape_device.h"

/// Bits of a body, kinds of pieces, rules of mixing, bodies of contacts that are none: as the cores have them.
enum {
    BIT_DYNAMIC = 1,
    BIT_KINEMATIC = 2,
    BIT_ASLEEP = 4,
    BIT_MAY_SLEEP = 8,
    BIT_SENSOR = 16,
    BIT_OFF = 64,
};
enum {
    PIECE_SPHERE,
    PIECE_CAPSULE,
    PIECE_BOX,
    PIECE_CYLINDER,
    PIECE_HULL,
    PIECE_PLANE,
    PIECE_MESH,
    PIECE_TRIANGLE ///< one of a mesh, as kernels look at it
};
enum { MIX_GEOMETRIC, MIX_MEAN, MIX_LEAST, MIX_MOST, MIX_PRODUCT };
enum { CONTACT_GUEST = 1 << 29, CONTACT_SIDE = 1 << 30 };
enum { PASS_WARM, PASS_BIAS, PASS_RELAX, PASS_MEET, PASS_BOUNCE, PASS_SCRAPE };
#define NO_POINT 1e5f

/// Of a pair: it is apart, or at rest and not looked at.
enum { PAIR_APART = -1, PAIR_ASLEEP = -2 };
/// Of a contact: it has no colour yet, none of those that are given out now, or needs none.
enum { COLOUR_NONE = -1, COLOUR_STUCK = -2, COLOUR_NEVER = -3 };

/// Sizes of pieces by powers of four, as on the cores (rigid_pairs.c).
enum { RIGID_LEVELS = 16 };
enum { RIGID_SIDES = 6 };
/// Colours that are given out at once.
enum { RIGID_COLOURS = 64 };
/// Rounds of colouring before the host looks whether all have one.
enum { RIGID_ROUNDS = 16 };
/// Rounds after which all colours are given out at once, and rounds of that: most contacts that find room have a colour then.
enum { RIGID_MOST_ROUNDS = 48, RIGID_CROWD_ROUNDS = 8 };
/// Contacts that one work-group solves colour by colour, without a kernel for each.
enum { RIGID_TAIL_GROUP = 64 };

/// What a step does not change of a body.
typedef struct RigidBodyTerms {
    float inverseInertia[3]; ///< 1/(kg m2), about its own axes
    float inverseMass;       ///< 1/kg
    float gravityScale, linearDamping, angularDamping;
    float reach; ///< m; of a plane 0
    float friction, rolling, restitution;
    float core; ///< m: how far it may go unseen
    unsigned category, mask;
    int firstPiece, pieceCount;
} RigidBodyTerms;

/// And of a piece.
typedef struct RigidPieceTerms {
    float position[3];                                  ///< m, in its body's frame
    float reach;                                        ///< m, from its centre, with margin and skin
    float rotation[4];                                  ///< x, y, z, w
    float extent[3];                                    ///< m: half of what it measures along its axes
    float depth;                                        ///< m, of a ball about its middle that is inside
    float thickness;                                    ///< m
    float size[3];                                      ///< m, as wbRigidPiece has it
    int kind;                                           ///< wbPieceKind
    int body, level;                                    ///< level -1: a plane
    int firstCorner, cornerCount, firstFace, faceCount; ///< of a hull; behind the corners is its middle
    int firstNode, nodeCount, firstTriangle;            ///< of a mesh
} RigidPieceTerms;

/// Of meshes: a node of the tree, and a triangle with what lies across its edges (wbShapeEdges).
typedef struct RigidMeshNode {
    ShapeNode node;
    int isFlat;
} RigidMeshNode;
typedef struct RigidMeshTriangle {
    ShapeTriangle shape;
    int neighbours[3];
    float bends[3];
} RigidMeshTriangle;

/// Of a pair with a mesh: where its contacts are before they become manifolds, and, where these or those have no room, what it needs.
typedef struct RigidGroundRoom {
    int first, room;
    int contacts, manifolds; ///< needed; 0: there is room
    int count;               ///< manifolds that were found
} RigidGroundRoom;
/// Contacts that each has room for at first.
enum { RIGID_GROUND_ROOM = 16 };

/// A body that tumbles: wbSolverTop in quads.
typedef struct RigidTop {
    float rotation[4];
    float momentum[3]; ///< kg m2/s
    float spin[3];     ///< rad/s
    float inertia[6];  ///< kg m2, about the world's axes, where the step began
    float swing;       ///< rad: how far the axis of a needle has turned at most
    float waiting;     ///< s, for which it is still to turn when the step ends
} RigidTop;

/// What holds for a step.
typedef struct RigidExactModel {
    RigidTerms terms;
    float dt, h; ///< s
    float gravity[3];
    float warmScale;
    float sleepSpeed, sleepTime, hitSpeed;
    int bodyCount; ///< with guests
    int ownCount;  ///< without
    int pieceCount, planeCount, levelCount;
    int boxPairs, sidePairs, otherPairs;
    int dimensions;
    int frictionMix, restitutionMix; ///< wbMix
    int sidesAreOwn;                 ///< 1: of the material below; 0: of that of what touches them
    float sideFriction, sideRestitution;
    int isContinuous, maySleep;
    float sideEnds[RIGID_SIDES]; ///< m
    int isClosed[RIGID_SIDES];
    float sideVelocities[RIGID_SIDES][3]; ///< m/s
    float levelReach[RIGID_LEVELS];       ///< m: the most of its pieces
    unsigned bucketMask;                  ///< of cells, hashed
    int bounces;                          ///< 1: some contacts may
    int jointCount, tiedBodies;           ///< bodies that joints may keep from touching others
} RigidExactModel;

/// A contact of this step before it has points.
typedef struct RigidPlan {
    int pair;
    int a, b;     ///< rows of bodies, behind them the sides
    int source;   ///< two boxes: the axis; a side: which; else where its manifold is
    int old;      ///< contact of the step before, -1: none
    int kind;     ///< RIGID_PLAN_…
    unsigned key; ///< of pieces that touch several times
    int slot;     ///< in the order of colours; -1: it is not solved
} RigidPlan;
enum {
    RIGID_PLAN_FACE,
    RIGID_PLAN_EDGE,
    RIGID_PLAN_SIDE,
    RIGID_PLAN_MANIFOLD,
    RIGID_PLAN_ASLEEP, ///< it stays as it is
    RIGID_PLAN_SENSOR  ///< it is told, not felt
};

/// Points of two pieces that are not boxes.
typedef struct RigidManifold {
    float points[4][4]; ///< m, from the first body's centre; separation
    float normal[3];    ///< from the first to the second
    int count;
    unsigned key; ///< tells those of the same pieces from each other
} RigidManifold;

/// A contact as it is solved; see rigid_formula.h. Contacts stand in groups of one colour: number f of contact s is at
/// (s / RIGID_GROUP * RIGID_FIELDS + f) * RIGID_GROUP + s % RIGID_GROUP, so that neighbours are read together.
enum { RIGID_GROUP = 16 };
enum {
    FIELD_NORMAL,                   ///< three
    FIELD_ARM_A = FIELD_NORMAL + 3, ///< m, of the middle
    FIELD_ARM_B = FIELD_ARM_A + 3,
    FIELD_FRICTION = FIELD_ARM_B + 3,
    FIELD_ROLLING,                    ///< m
    FIELD_KEEP,                       ///< what of its impulse a soft contact keeps
    FIELD_PUSH_SPEED,                 ///< m/s
    FIELD_BLOW,                       ///< m/s, changes above which are shared out anew among the points
    FIELD_APPROACH,                   ///< m/s
    FIELD_DRAG_MASS,                  ///< kg, along s and t
    FIELD_DRAG = FIELD_DRAG_MASS + 2, ///< N s, likewise
    FIELD_RESPONSE = FIELD_DRAG + 2,  ///< RigidResponse
    FIELD_TWIST_MASS = FIELD_RESPONSE + 6,
    FIELD_TWIST_ARM,
    FIELD_TWIST,
    FIELD_ROLL_MASS,          ///< kg m2
    FIELD_ROLL,               ///< N m s, three
    FIELD_X = FIELD_ROLL + 3, ///< m, of four points
    FIELD_Y = FIELD_X + 4,
    FIELD_SEPARATION = FIELD_Y + 4,       ///< m, where the step begins
    FIELD_IMPULSE = FIELD_SEPARATION + 4, ///< N s
    RIGID_FIELDS = FIELD_IMPULSE + 4
};

/// And, if some may bounce, its restitution, in the same order: number f of contact s is at
/// (s / RIGID_GROUP * BOUNCE_FIELDS + f) * RIGID_GROUP + s % RIGID_GROUP.
enum {
    BOUNCE_SHARE,
    BOUNCE_BOUNCED,                  ///< 1: in this step; else 0
    BOUNCE_WANTED,                   ///< m/s, of four points' parting; RIGID_NO_BOUNCE
    BOUNCE_KICK = BOUNCE_WANTED + 4, ///< N s
    BOUNCE_FIELDS = BOUNCE_KICK + 4
};
/// A sweep passes impulses on between contacts that meet at one body; few bodies have more than some of these. The host asks after
/// some of them whether all are settled.
enum { BOUNCE_SWEEPS = 32, BOUNCE_RUN = 4 };

/// A pass over contacts of one colour, or of several in one group.
typedef struct RigidPass {
    RigidTerms terms;
    int kind;
    int rolls, bounces; ///< 1: some have rolling friction; may bounce
    int first, count;   ///< slots, or colours
    int sweep;          ///< of bouncing: does nothing if the one before left nothing to do
} RigidPass;

/// What the host reads of a step.
typedef struct RigidCounters {
    int contactCount;
    int movedFar;                    ///< pieces that left the skin of the list
    int woken;                       ///< touches between what is awake and what sleeps
    int cramped;                     ///< pairs with a mesh that need more room
    int far;                         ///< pieces where floats do not tell places apart
    int left[RIGID_ROUNDS];          ///< contacts without a colour, after each round
    int stuck;                       ///< of them, those that find none of those that are given out now
    int fast;                        ///< bodies that went farther than they are thick
    int tired;                       ///< bodies that were slow long enough to sleep
    int hits;                        ///< contacts that met faster than hitSpeed
    int broken;                      ///< bodies with something that is not finite
    int torn;                        ///< joints that broke
    int maxSpeed;                    ///< m/s, as the bits of a float
    unsigned touchHash[2];           ///< of the bodies that touch
    unsigned colours[RIGID_COLOURS]; ///< contacts of each
} RigidCounters;
