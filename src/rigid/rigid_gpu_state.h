// SPDX-License-Identifier: MIT
// Inside of rigid_gpu*.c: what is on the device, and how a step walks through it.
#pragma once

#include "rigid/rigid_gpu.h"
#include "rigid/rigid_list.h"
#include "rigid/rigid_particles_device.h"
#include "space/gpu_cells.h"

// Quads of floats by body: what a step moves, then what it needs.
enum {
    CENTRE,
    TURN,
    VELOCITY,
    SPIN,
    MOVED,
    MOMENTUM = MOVED,
    OWN_FORCE,
    OWN_TORQUE,
    LOADS,  // two each
    BASE,   // Runge-Kutta: where a sub-step began, four each
    CHANGE, // and what its stages want
    BODY_QUADS
};
// Quads by particle.
enum { OWN, PLACE, SORTED, FORCE, TORQUE, PARTICLE_QUADS };

// Contacts that remember, by particle.
typedef struct ContactList {
    wbGpuBuffer starts, seconds, shears;
} ContactList;

// What the host knows of the device's bodies.
typedef struct Marks {
    RigidSummary now;
    int contactCount; // in the list of what contacts remember
} Marks;

typedef struct SearchKernels {
    bool built;
    wbGpuKernel *sort, *near, *count, *list;
} SearchKernels;

typedef struct MotionKernels {
    bool built;
    wbGpuKernel *begin, *end, *place, *gather, *act, *kick, *drift, *stage, *summarise, *placeSurfaces,
        *touch;
} MotionKernels;

// A hull or the mesh of a shape that is on the device. It is shared, so that no other can come to its place in memory.
typedef struct SurfaceModel {
    wbHull *hull;
    struct wbShape *shape;
    int firstFace, firstLoop, firstCorner, firstNode, firstTriangle;
} SurfaceModel;

// Static and kinematic bodies and guests, as particles feel them.
typedef struct Surfaces {
    wbArray models; // SurfaceModel
    int modelCount;
    wbGpuBuffer faces, loops, corners, nodes, clusters, triangles; // of all models
    wbArray list;                                                  // RigidSurface, bodies' and then guests'
    int count, bodyCount;                                          // all of them, and those of bodies
    wbGpuBuffer surfaces, poses;
    wbGpuBuffer near; // a bit for each body and surface
    bool isStale;     // they could not be made
} Surfaces;

// Force generators.
typedef struct Generators {
    wbArray starts, ties; // int by body, and one more: its acts; springs that hold it
    wbArray acts;         // RigidAct
    wbArray rules;        // ForceRule
    wbArray members;      // int
    wbGpuBuffer startsBuffer, tiesBuffer, actsBuffer, rulesBuffer, membersBuffer;
    int actCount;
    bool needsCores; // some are left to the cores
} Generators;

struct wbRigidGpu {
    wbMemory *memory;
    wbGpu *gpu;
    wbGpuCells cells;
    MotionKernels motion;
    SearchKernels searches[2]; // dense, hashed
    wbGpuBuffer bodies[BODY_QUADS], particles[PARTICLE_QUADS], axes[3], bodyOf, sortedBodies, laws, matter,
        summary;
    ContactList lists[2]; // the first is what contacts remember now
    wbGpuBuffer targets;  // int by contact of the first, where forces find it
    Surfaces surfaces;
    Generators generators;
    int groupSize;
    int bodyCount, particleCount; // particles: those at surfaces
    int total;                    // bodies and guests of the step
    wbArray firsts;               // int by body and one more: its particles
    wbArray quads;                // float[4], on their way to the device or back
    wbArray words;                // uint32_t, likewise
    wbArray pulled;               // float[4][MOVED] by body
    wbArray contacts;             // what contacts remember, on its way back
    int pulledContacts;
    Marks marks;
    float largestReach;
    bool hadLoads;
    bool hostIsNewer, deviceIsNewer;
};

typedef struct Step {
    wbRigidGpu *device;
    wbRigid *rigid;
    const wbRigidModel *model;
    const wbWork *work;
    const MotionKernels *motion;
    const SearchKernels *search;
    float h;
    int subStep, subSteps;
    float margin;     // m, to which lists of contacts look ahead
    double travelled; // m, of any point since they were made, at most
    bool isListed;
    RigidRule rule;
    RigidMove move;
    bool remembers; // contacts know how far they are sheared
} Step;

wbStatus wbRigidGpu_Write(wbRigidGpu *device, wbGpuBuffer *buffer, const char *name, const void *host,
                          size_t bytes);
wbStatus wbRigidGpu_Run(const Step *step, wbGpuKernel *kernel, int items, const wbGpuArg *args, int argCount);

/// The host's bodies, and what goes with them.
wbStatus wbRigidGpu_Push(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model);
/// Guests of this step behind the bodies, matter of all, and what programs want.
wbStatus wbRigidGpu_PushStep(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model);

void wbRigidGpu_FreeSurfaces(wbRigidGpu *device);
/// With the bodies, and with the guests of each step.
wbStatus wbRigidGpu_PushSurfaces(wbRigidGpu *device, const wbRigid *rigid, bool areBodiesNew);
/// Where they are now; and which of them are near bodies then.
wbStatus wbRigidGpu_PlaceSurfaces(const Step *step);
wbStatus wbRigidGpu_FindSurfaces(const Step *step);
/// Sides of the domain as they are `time` s after the step began.
RigidSides wbRigidGpu_GetSides(const Step *step, float time);

void wbRigidGpu_FreeGenerators(wbRigidGpu *device);
wbStatus wbRigidGpu_PushGenerators(wbRigidGpu *device, const wbRigid *rigid, const wbRigidModel *model);
/// Adds what they do in a sub-step to the loads.
wbStatus wbRigidGpu_ActOnBodies(const Step *step);
