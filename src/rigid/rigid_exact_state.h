// SPDX-License-Identifier: MIT
// Exact contacts on a compute device, as the parts of its step share them: rigid_exact_gpu.c is the step, rigid_exact_sub_steps.c its
// solver, rigid_exact_joints.c what joints add to it, rigid_exact_copy.c copies, and rigid_exact_host.c does what the host's own code
// does in some steps.
#pragma once

#include "gpu/gpu_sort.h"
#include "rigid/rigid_code.h"
#include "rigid/rigid_exact_device.h"
#include "rigid/rigid_exact_gpu.h"
#include "rigid/rigid_joint.h"

/// What a step moves of bodies: quads, but for the last.
enum { EXACT_CENTRE, EXACT_TURN, EXACT_VELOCITY, EXACT_SPIN, EXACT_STILL, EXACT_STATE };

/// Buffers of a device.
#define WB_EXACT_BUFFERS(X)                                                                                  \
    X(terms)                                                                                                 \
    X(bits)                                                                                                  \
    X(newBits)                                                                                               \
    X(loads)                                                                                                 \
    X(pieces)                                                                                                \
    X(corners)                                                                                               \
    X(faces)                                                                                                 \
    X(loops)                                                                                                 \
    X(edges)                                                                                                 \
    X(planes)                                                                                                \
    X(nodes)                                                                                                 \
    X(triangles)                                                                                             \
    X(rooms)                                                                                                 \
    X(groundContacts)                                                                                        \
    X(caches)                                                                                                \
    X(kept)                                                                                                  \
    X(places)                                                                                                \
    X(moves)                                                                                                 \
    X(known)                                                                                                 \
    X(cells)                                                                                                 \
    X(keys)                                                                                                  \
    X(order)                                                                                                 \
    X(buckets)                                                                                               \
    X(pairStarts)                                                                                            \
    X(pairs)                                                                                                 \
    X(contacts)                                                                                              \
    X(spare)                                                                                                 \
    X(sources)                                                                                               \
    X(manifolds)                                                                                             \
    X(counts)                                                                                                \
    X(plans)                                                                                                 \
    X(colours)                                                                                               \
    X(ranks)                                                                                                 \
    X(best)                                                                                                  \
    X(next)                                                                                                  \
    X(taken)                                                                                                 \
    X(bids)                                                                                                  \
    X(crowds)                                                                                                \
    X(slots)                                                                                                 \
    X(colourStarts)                                                                                          \
    X(constraints)                                                                                           \
    X(contactRows)                                                                                           \
    X(bounces)                                                                                               \
    X(bounceFlags)                                                                                           \
    X(bodies)                                                                                                \
    X(masses)                                                                                                \
    X(kicks)                                                                                                 \
    X(starts)                                                                                                \
    X(tops)                                                                                                  \
    X(touches)                                                                                               \
    X(jointData)                                                                                             \
    X(jointStates)                                                                                           \
    X(jointOrder)                                                                                            \
    X(jointNodes)                                                                                            \
    X(jointBatches)                                                                                          \
    X(jointLines)                                                                                            \
    X(jointMovers)                                                                                           \
    X(jointTree)                                                                                             \
    X(jointMasses)                                                                                           \
    X(jointTurns)                                                                                            \
    X(tieStarts)                                                                                             \
    X(ties)                                                                                                  \
    X(counters)

#define WB_EXACT_KERNELS(X)                                                                                  \
    X(wake)                                                                                                  \
    X(begin)                                                                                                 \
    X(place)                                                                                                 \
    X(know)                                                                                                  \
    X(list)                                                                                                  \
    X(name)                                                                                                  \
    X(link)                                                                                                  \
    X(collide)                                                                                               \
    X(convex)                                                                                                \
    X(ground)                                                                                                \
    X(forget)                                                                                                \
    X(plan)                                                                                                  \
    X(bid)                                                                                                   \
    X(take)                                                                                                  \
    X(crowd_bid)                                                                                             \
    X(crowd_take)                                                                                            \
    X(crowd)                                                                                                 \
    X(sort)                                                                                                  \
    X(build)                                                                                                 \
    X(kick)                                                                                                  \
    X(hold)                                                                                                  \
    X(move)                                                                                                  \
    X(swing)                                                                                                 \
    X(keep)                                                                                                  \
    X(end)

/// Those over REAL, of a program of their own.
#define WB_EXACT_PASSES(X)                                                                                   \
    X(boxes)                                                                                                 \
    X(solve)                                                                                                 \
    X(solve_tail)                                                                                            \
    X(meet)                                                                                                  \
    X(bounce)                                                                                                \
    X(bounce_tail)

typedef struct wbExactKernels {
    bool areBuilt;
#define WB_KERNEL(name) wbGpuKernel *name;
    WB_EXACT_KERNELS(WB_KERNEL)
    WB_EXACT_PASSES(WB_KERNEL)
#undef WB_KERNEL
} wbExactKernels;

/// A hull in the tables of the device.
typedef struct wbExactHull {
    const wbHull *hull;
    int firstCorner, firstFace, firstEdge;
} wbExactHull;

/// A mesh in the tables of the device, which is one of its owners.
typedef struct wbExactMesh {
    struct wbShape *shape;
    int firstNode, firstTriangle;
} wbExactMesh;

/// What the host knows of the device's bodies.
typedef struct wbExactMarks {
    int pairCounts[wb_pairClassCount];
    int contactCount;
    int keptCount;    ///< manifolds of pairs with meshes, or of any: room for one each, and more where needed
    bool isListKnown; ///< pairs and known places hold something
    float sides[2][3];     ///< m: where the domain ended when pairs were looked for
    float subStep;         ///< s, that impulses are of; 0: there are none
    float jointStep;       ///< s, that those of joints are of, likewise
    unsigned touchHash[2]; ///< of the last step
    bool isTouchKnown;
} wbExactMarks;

/// Joints on the device.
typedef struct wbExactJoints {
    wbGpuKernel *begin, *solve, *end; ///< of a program of their own; NULL: not built yet
    int count;
    bool isPlanSent;
    wbArray pulled; ///< wbJointState, on their way back to the host
    wbArray noted;  ///< uint32_t: bits, as they were when the device was not ahead
} wbExactJoints;

struct wbRigidExactGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuSort *sort;
    wbExactKernels kernels;
    wbGpuBuffer state[EXACT_STATE], after[EXACT_STATE]; ///< now, and as the step that is being done leaves it
#define WB_BUFFER(name) wbGpuBuffer name;
    WB_EXACT_BUFFERS(WB_BUFFER)
#undef WB_BUFFER
    int bodyCount, ownCount; ///< with guests, without
    int pieceCount, planeCount;
    wbExactMarks marks;
    wbExactJoints joints;
    int rounds; ///< of colouring, that the last step needed
    bool hadLoads;
    wbArray pieceTerms;   ///< RigidPieceTerms
    wbArray hulls;        ///< wbExactHull
    wbArray sentBits;     ///< uint32_t: as the device has them
    wbArray rows;         ///< float[4], on their way
    wbArray colourFirsts; ///< int by colour and one more: its slots
    int colourCount;
    wbArray meshes; ///< wbExactMesh
    int meshCount;
    int roomCount;  ///< pairs that have room for contacts with meshes, before they become manifolds
    int groundRoom; ///< contacts that there is room for
    float levelReach[RIGID_LEVELS];
    int levelCount;
    // on their way back to the host
    wbArray pulled;         ///< float[4]
    wbArray pulledPairs;    ///< wbPiecePair
    wbArray pulledContacts; ///< wbContact
    wbArray pulledKnown;    ///< float[4]
    wbArray pulledCaches;   ///< wbCollideCache
    wbArray pulledKept;     ///< wbKeptManifold
    // what steps change of the host's bodies, as it was when the device was not ahead
    wbRigid *rigid;       ///< that they are; NULL: nothing was noted
    wbArray noted;        ///< by body: EXACT_NOTED words
    wbArray notedTouches; ///< wbRigidTouch
    int notedTouchCount;
    uint64_t notedTouchHash;
    bool hostIsNewer, deviceIsNewer;
};
/// Velocity, spin, programs' forces, still time, bits, and the ring of sleepers.
enum { EXACT_NOTED = 15 };
/// Before the first step that is ahead.
wbStatus wbRigidExactGpu_Note(wbRigidExactGpu *device, wbRigid *rigid);

/// A step.
typedef struct wbDeviceStep {
    wbRigidExactGpu *device;
    wbRigid *rigid;
    const wbRigidModel *model;
    const wbWork *work;
    float dt;
    int subSteps;
    RigidExactModel terms;
    RigidCounters counters; ///< as they were read last
    int slotCount;
    bool resetsStill; ///< nothing has been still
    bool rolls;       ///< some bodies have rolling friction
    bool bounces;     ///< some have restitution
    bool hasNeedles;  ///< some turn far more easily about one axis than about others
} wbDeviceStep;

wbStatus wbDeviceStep_Run(const wbDeviceStep *step, wbGpuKernel *kernel, int items, const wbGpuArg *args,
                          int argCount);
/// A kernel whose items have as many contacts as the device has lanes.
wbStatus wbDeviceStep_RunLanes(const wbDeviceStep *step, wbGpuKernel *kernel, int count, const wbGpuArg *args,
                               int argCount);
/// All sub-steps: rigid_exact_sub_steps.c.
wbStatus wbDeviceStep_DoSubSteps(const wbDeviceStep *step);
static inline int wbCountPairs(const wbRigidExactGpu *device) {
    const int *counts = device->marks.pairCounts;
    return counts[0] + counts[1] + counts[2];
}

// Joints, in the order of a step:

/// In which order they are solved, and which bodies do not touch.
wbStatus wbDeviceStep_PlanJoints(wbDeviceStep *step);
wbStatus wbDeviceStep_PushJoints(wbDeviceStep *step);
/// As wbPrepareJoints, wbSolveJoints over all stages, and wbFinishJoints.
wbStatus wbDeviceStep_BeginJoints(const wbDeviceStep *step);
wbStatus wbDeviceStep_SolveJoints(const wbDeviceStep *step, int pass);
wbStatus wbDeviceStep_EndJoints(const wbDeviceStep *step);
/// Tells the host's joints what broke, once the counters are read.
wbStatus wbDeviceStep_TakeBroken(wbDeviceStep *step);
/// As wbRigidExactGpu_Fetch and _Take, and for _Discard: what steps change of the host's joints.
wbStatus wbFetchDeviceJoints(wbRigidExactGpu *device);
void wbTakeDeviceJoints(const wbRigidExactGpu *device, wbRigid *rigid);
wbStatus wbNoteDeviceJoints(wbRigidExactGpu *device, const wbRigid *rigid);
void wbReturnDeviceJoints(const wbRigidExactGpu *device, wbRigid *rigid);

/// Before a step: all that the host has changed.
wbStatus wbDeviceStep_Push(wbDeviceStep *step);
/// Who sleeps, if the host changed it.
wbStatus wbDeviceStep_PushBits(wbDeviceStep *step);

// Pieces on meshes (rigid_exact_ground.c):

/// Tables of the meshes of all pieces, if there are others than before.
wbStatus wbDeviceStep_PushMeshes(wbDeviceStep *step);
/// Where they are in these, for all pieces.
void wbRigidExactGpu_PlaceMeshes(const wbRigidExactGpu *device, const wbRigid *rigid);
/// For pairs that were listed, or copied from the host: what is known of them (`forgets`: nothing), and the room they have.
wbStatus wbDeviceStep_StartGround(const wbDeviceStep *step, bool forgets);
/// `again`: those for which there was no room.
wbStatus wbDeviceStep_CollideGround(const wbDeviceStep *step, bool again);
/// For pairs that ask for more.
wbStatus wbDeviceStep_MakeRoom(wbDeviceStep *step);

// What the host does, by copies of bodies that leave its own as they are:

/// Force generators.
wbStatus wbDeviceStep_SumForces(wbDeviceStep *step);
/// Wakes what something awake touches: how many.
wbStatus wbDeviceStep_WakeTouched(wbDeviceStep *step, int *woken);
/// Continuous collision: shortens the ways of bodies that went too far.
wbStatus wbDeviceStep_StopFast(wbDeviceStep *step);
/// Events.
wbStatus wbDeviceStep_Tell(wbDeviceStep *step);
wbStatus wbDeviceStep_FallAsleep(wbDeviceStep *step);
