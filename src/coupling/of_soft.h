// SPDX-License-Identifier: MIT
// Soft bodies as sheets in fluids. In a sub-step
//
//     wbPbd_Open(…)           they are on their way
//     wbWetSoft_Begin(…)      fluids see them
//     …                       fluids move; after each of their iterations soft bodies give way to what was done to them, and hold
//                             together again: without that taut cloth would give way as if it were free
//     wbWetSoft_End(…)        what they have not given way to yet stays in transit, and acts in the next sub-step
//     wbPbdOpenStep_Close(…)  velocities
//
// With R = m y of what a corner got and has not taken, and m' a layer of fluid that goes along,
//
//     y = R / (m + m');    R -= m y
//
// after each iteration. A fluid that bears them by its sound pushes once in a sub-step, and nothing goes along. Where fluids may touch a body the inertia m is at least that of a layer of fluid over the corner's area; its weight is its own.
#pragma once

#include "coupling/pairs.h"
#include "coupling/sheet.h"
#include "pbd/pbd.h"

/// What the next sub-step reads of a particle, and what was measured when it first met a fluid. Fields of four bytes: it is saved.
typedef struct wbWetParticle {
    float transit[3]; ///< N s
    float
        farTime; ///< s, since a fluid touched its body, likewise for all of it; below 0, and more than matters: as of rigid bodies
    float age;   ///< s, since fluids may feel its body; above a while it stays
    float area;  ///< m2, of sheet about it, or of its ball's square
    float radius; ///< m, of its ball; 0: it is of triangles, within its body, or of nothing that fluids feel
} wbWetParticle;

/// Particles first … first + count - 1, as a fluid is to see them.
typedef struct wbWetSoftBody {
    int first, count;
    const int *triangles;           ///< of all particles, three each
    int triangleCount;              ///< 0: balls, if its particles fill a room
    int firstElement, elementCount; ///< of the sheets; known when it is prepared
    bool isLight;                   ///< likewise: it has less inertia than is stable in fluids
} wbWetSoftBody;

struct wbNearWater;

typedef struct wbWetSoft {
    wbPairMode mode;
    float layer;      ///< kg/m2, of the heaviest fluid
    float floor;      ///< layers: of coupling.floor, and what the fluids ask for
    float along;      ///< layers that go along when corners give way
    int sweeps;       ///< iterations of soft bodies in each of a fluid's
    wbSheets *sheets; ///< whose first nodes are their particles
    int nodeCount;
    wbArray bodies; ///< wbWetSoftBody
    int bodyCount;
    wbArray particles; ///< wbWetParticle
    int particleCount;
    wbArray inverseMasses; ///< float: 1/kg, with the floor under them, and zeros behind
    wbPbdOpenStep *step;   ///< of the sub-step that is being done
    const wbPbd *pbd;
    float dt;        ///< s, of it
    float from, to;  ///< shares of it, in which a fluid moves now
    double given[3]; ///< N s, since it was set to 0
    double left[3];  ///< N s, that floors have had when they went
} wbWetSoft;

void wbWetSoft_Init(wbWetSoft *wet);
void wbWetSoft_Free(wbMemory *memory, wbWetSoft *wet);
/// Room for the particles of a checkpoint.
wbStatus wbWetSoft_ReserveParticles(wbWetSoft *wet, wbMemory *memory, int count);
/// Before a step: all soft bodies. Particles that are new are measured as they stand; `layer`, `floor` and `mode` are set. Their elements
/// come first among those of the sheets, their nodes have to be set in each step.
wbStatus wbWetSoft_Prepare(wbWetSoft *wet, const wbWork *work, const wbPbd *pbd, const wbWetSoftBody *bodies,
                           int bodyCount);
int wbWetSoft_CountElements(const wbWetSoft *wet, const wbWetSoftBody *bodies, int bodyCount);
void wbWetSoft_ListElements(const wbWetSoft *wet, const wbWetSoftBody *bodies, int bodyCount);
void wbWetSoft_SetNodes(const wbWetSoft *wet, const wbPbd *pbd);
/// Particles of a body go, and those behind it move up.
void wbWetSoft_Remove(wbWetSoft *wet, int first, int count);
/// No fluid feels them any more: those that it feels later are measured anew, and no sub-step that broke is left open.
void wbWetSoft_Forget(wbWetSoft *wet);

static inline wbWetParticle *wbWetSoft_Get(const wbWetSoft *wet, int particle) {
    return (wbWetParticle *)wet->particles.data + particle;
}
static inline wbWetSoftBody *wbWetSoft_GetBody(const wbWetSoft *wet, int body) {
    return (wbWetSoftBody *)wet->bodies.data + body;
}
static inline const float *wbWetSoft_GetInverseMasses(const wbWetSoft *wet) {
    return wet->inverseMasses.data;
}

/// @name The floor under the inertia of those that are light
/// Before a sub-step it is known whether a fluid may touch a body there (near_water.h): all of its particles have the floor from there on, and for
/// a tenth of a second after the last touch.
/// @{
/// Whether its place has to be looked at: no fluid has touched it for as long.
bool wbWetSoft_IsToFind(const wbWetSoft *wet, const wbWetSoftBody *body);
/// Of the particles as they are when a sub-step begins. False: memory is missing.
bool wbWetSoft_FindNear(const wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body,
                        const struct wbNearWater *near, const wbWork *work, bool *isNear);
/// As of rigid bodies.
void wbWetSoft_SetNear(wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body, bool isNear);
/// 1/kg, of a particle with its floor; as it is now.
float wbWetSoft_FindInverseMassInFluids(const wbWetSoft *wet, const wbPbd *pbd, int particle);
float wbWetSoft_FindInverseMass(const wbWetSoft *wet, const wbPbd *pbd, int particle);
/// @}

/// m/s2 that gravity and other pushes, of the particle's own mass, give to its inertia beside gravity itself.
void wbWetSoft_WeighPushes(const wbWetSoft *wet, const wbPbd *pbd, wbVec3 gravity,
                           float *const acceleration[3]);
void wbWetSoft_Begin(wbWetSoft *wet, wbPbdOpenStep *step, const wbPbd *pbd, float dt);
void wbWetSoft_End(wbWetSoft *wet);
/// Whether fluids feel a body at all: it has triangles, or fills a room.
bool wbWetSoft_HasSurface(const wbWetSoft *wet, const wbWetSoftBody *body);
/// Within it: after an iteration of a fluid, corners give way to what they got, and soft bodies hold together again; corners that were
/// moved otherwise.
void wbWetSoft_GiveWay(const wbWetSoft *wet);
/// A part of it begins, in which a fluid moves: shares of it.
void wbWetSoft_BeginPart(wbWetSoft *wet, float from, float to);
void wbWetSoft_ReadEnds(const wbWetSoft *wet);
void wbWetSoft_WriteEnds(const wbWetSoft *wet);
