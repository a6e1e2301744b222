// SPDX-License-Identifier: MIT
// Bodies as rigid sets of particles that touch by springs and dampers (Harada, GPU Gems 3, chapter 29). A sub-step:
//
//     grid         which particles may touch: lists that hold for as long as nothing has moved farther than a margin
//     contacts     springs, dampers and friction of each pair of particles, summed by pair of bodies; where a list would be used once,
//                  particles are searched here, and no list is made
//     momentum     what each body gathers of these sums, in a fixed order
//     integrate    velocities and poses
//     particles    places of the particles from the poses
//
// Dynamic bodies have particles. Static and kinematic ones, and the closed sides of the domain, are felt as they are.
#pragma once

#include "core/array.h"
#include "core/work.h"
#include "rigid/rigid_particles_constants.h"
#include "space/neighbours.h"

struct wbRigid;
struct wbRigidModel;

/// How the second of a group is felt.
typedef enum wbRigidSurface {
    wb_surfaceParticles,
    wb_surfacePlane, ///< a side of the domain, or a plane
    wb_surfaceShape, ///< any other piece of a static or kinematic body
    wb_surfaceKindCount
} wbRigidSurface;

/// Contacts that may be, between one body's particles and another's, or a surface: four quads of words, which lanes load.
typedef struct wbRigidGroup {
    RigidSprings springs;
    float radii[2]; ///< m, of the particles of the first and the second
    int first;      ///< body
    int second;     ///< body; of a surface: -1 - side, or -1 - wb_sideCount - piece
    int mover;      ///< row of `movers` with the motion of the second
    int plane;      ///< row of `planes`; of a shape, its piece
    int kind;       ///< wbRigidSurface
    int count;      ///< contacts
    int begin; ///< of its contacts, which are WB_PADDING apart; while they are looked for: in its worker's store
    int store; ///< the worker that found it
} wbRigidGroup;

/// Force and torque about the first body's centre, on the first body; how many contacts touch.
typedef struct wbRigidSum {
    float force[3], touching;
    float torque[3], filler;
} wbRigidSum;

/// The bodies of a group; second as there.
typedef struct wbRigidLink {
    int first, second;
} wbRigidLink;

/// Groups that are evaluated together, one in each lane: as many rows of contacts as the longest has.
typedef struct wbRigidChunk {
    int begin, rows, kind;
} wbRigidChunk;

/// What one worker found, group by group. `second` is a particle, or that of the group.
typedef struct wbRigidStore {
    int groupCount;
    wbArray links;       ///< wbRigidLink
    wbArray groups;      ///< wbRigidGroup, where contacts are kept, or
    wbArray sums;        ///< wbRigidSum, where they are evaluated at once
    int count, capacity; ///< contacts
    int *first, *second;
    bool isOnce;          ///< contacts are places instead, of the group that is looked for
    int placeCapacity;    ///< of these
    float *at[3], *to[3]; ///< m: of first and second; of surfaces there is no second
    wbArray others;       ///< int: bodies that one may meet
    bool failed;          ///< memory ran out, or
    bool isTooMuch;       ///< there are more contacts than a world can have
} wbRigidStore;

typedef struct wbRigidParticles {
    // particles in the order of bodies; each body's begin at a multiple of WB_PADDING, those at its surface first
    int count, capacity; ///< with those that fill up
    float *x, *y, *z;    ///< m, in the body's frame
    float *radius;       ///< m
    int *body;
    float *places;   ///< x, y, z of the world and the radius, of each particle: where contacts are kept
    float *world[3]; ///< m: the same by coordinate, always
    // by body
    int bodyCount, bodyCapacity;
    int *firstParticle, *surfaceCount, *particleCount; ///< only those at the surface touch
    int *faceCount;   ///< particles that touch at once at most, where it lies on its largest side
    float *middle[3]; ///< m, in the body's frame, of a box around its particles
    float *half[3];   ///< m
    float leastRadius, largestRadius; ///< m, of all
    // contacts that touched at the end of the last step: what a checkpoint holds of them
    int contactCount, contactCapacity;
    int *contactFirst, *contactSecond; ///< as in a store
    float *shear[3];                   ///< m, how far each is sheared
    // lists, made anew in every step
    wbRigidStore *stores; ///< by worker
    int storeCount;
    int groupCount;
    wbArray links;  ///< wbRigidLink by group; those of a first body follow each other
    wbArray sums;   ///< wbRigidSum by group, and of the empty ones
    wbArray groups; ///< wbRigidGroup, behind them an empty one of each kind: where contacts are kept
    wbArray lanes;  ///< int: groups by lane, WB_PADDING for each chunk
    wbArray chunks; ///< wbRigidChunk
    int chunkCount;
    int rowCount, rowCapacity; ///< contacts in chunks: rows of WB_PADDING
    int *rowFirst, *rowSecond;
    float *rowShear[3];
    wbArray firstGroups;  ///< int by body: the first of its groups; those follow each other
    wbArray groupCounts;  ///< int by body: how many they are
    wbArray secondStarts; ///< int by body and one more, in secondGroups
    wbArray secondGroups; ///< int: groups in which a body is the second
    wbArray movers;       ///< float[WB_RIGID_MOVER] by body, guest and side: x, y, z, -, velocity, -, spin, -
    wbArray planes; ///< float[4]: normal, and distance from the origin along it; of sides, then of pieces
    wbArray planeMovers;  ///< int by plane
    wbArray planeSeconds; ///< int by plane: `second` of groups that touch it
    int planeCount;
    wbGrid grid;
    wbNeighbours neighbours;
    int64_t touching; ///< contacts in the last sub-step
    int listings;     ///< how often lists were made in the last step
} wbRigidParticles;

enum { WB_RIGID_MOVER = 12 };

void wbRigidParticles_Init(wbRigidParticles *particles);
void wbRigidParticles_Free(wbMemory *memory, wbRigidParticles *particles);

/// The memory of contacts, as a checkpoint has it.
enum { WB_RIGID_CONTACT_COLUMNS = 5 };
void wbRigidParticles_ListContacts(wbRigidParticles *particles, wbColumn columns[WB_RIGID_CONTACT_COLUMNS]);

/// Before they are loaded: room for so many, and particles are made anew, since bodies are others.
wbStatus wbRigidParticles_ResizeContacts(wbRigidParticles *particles, wbMemory *memory, int count);

/// Gives particles to bodies that have none yet. wb_errorInput: there would be too many, or contacts that were loaded name
/// particles that are not there.
wbStatus wbRigid_PrepareParticles(struct wbRigid *rigid, const struct wbRigidModel *model,
                                  const wbWork *work);
/// Before a body is removed: its particles and contacts go, those of bodies behind it move up.
void wbRigidParticles_RemoveBody(struct wbRigid *rigid, int body);

/// Advances by dt seconds, in rigid.subSteps parts. After a failure it is halfway.
wbStatus wbRigid_StepParticles(struct wbRigid *rigid, const struct wbRigidModel *model, const wbWork *work,
                               float dt);
/// s: no step should be longer. Where the stiffness is given, by the springs' period; always by how far particles may go unseen.
/// INFINITY: there is none.
double wbRigid_GetStableStep(const struct wbRigid *rigid, const struct wbRigidModel *model);
