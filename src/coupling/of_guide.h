// SPDX-License-Identifier: MIT
// What turns about an axle or slides along a rail, and is moved by fluids: one degree of freedom, with a spring, a damper and a load. In
// a sub-step
//
//     wbGuide_Begin(…)        where it goes if nothing pushes it
//     wbGuide_Place(…)        a part of the sub-step: fluids see it go there evenly
//     wbGuide_Respond(…)      while they iterate, it gives way, as rigid bodies do (coupling/response.h)
//     wbGuide_Settle(…)       it has got all of what they did
//
// Places are in rad about an axle and in m along a rail, impulses in N m s and N s.
#pragma once

#include "shape/vec3d.h"
#include "space/boundary.h"
#include "space/response_formula.h"

/// What holds it, in a step.
typedef struct wbGuideLaw {
    bool slides;
    wbVec3d way;        ///< unit vector along the axle or the rail
    wbVec3d pivot;      ///< m, on the axle
    double inertia;     ///< kg m2, or kg
    double load;        ///< the same, of fluid that holds its answer back while that iterates
    double stiffness;   ///< of its spring: N m, or N/m
    double rest;        ///< where that pulls it
    double push;        ///< N m, or N, of its weight
    double damping;     ///< N m s, or N s/m
    double drag;        ///< N m, or N, against its motion
    double least, most; ///< where it is stopped
} wbGuideLaw;

typedef struct wbGuide {
    wbGuideLaw law;
    bool responds; ///< to fluids that iterate: then each part of the sub-step is a step of its own
    double dt;     ///< s, of the sub-step
    double startPlace, startSpeed, transit; ///< at its start; given by fluids, and not yet taken
    double endPlace, endSpeed; ///< at its end: evenly, if nothing pushes it; in the end when it is settled
    float from, to;            ///< the part of it that is being done, in shares
    double place, speed, free; ///< at the start of that; speed at its end, if nothing pushes it
    bool gaveWay;              ///< in the sub-step
    double now;                ///< beside that, since it gave way
    double given;              ///< by fluids in the sub-step, so far
    double taken;              ///< of that and of `transit`, in the parts that are over
} wbGuide;

/// Its law and `responds` are set.
void wbGuide_Begin(wbGuide *guide, double place, double speed, double transit, double dt);
void wbGuide_Place(wbGuide *guide, float from, float to);
/// Beside its even way, at the start or at the end of the part that is being done.
double wbGuide_GetWay(const wbGuide *guide, bool isEnd);
/// A pose of something that moves with it, after it has gone by so much.
wbPose wbGuide_Displace(const wbGuideLaw *law, wbPose pose, double by);
/// What an impulse or force at a point is to it.
double wbGuide_Project(const wbGuideLaw *law, wbVec3d point, wbVec3d force);
/// The same of one whose angular part is about that point.
double wbGuide_ProjectImpulse(const wbGuideLaw *law, wbVec3d point, const wbImpulse *impulse);
/// m: how far a point of its surface goes along its normal where it goes by 1; *radius: m, how far it is from the axle, 1 on a rail.
double wbGuide_GetLever(const wbGuideLaw *law, wbVec3 point, wbVec3 normal, double *radius);
/// To what was given so far. False: to nothing.
bool wbGuide_Respond(wbGuide *guide);
/// @name The same on a device, in the part that is being done
/// @{
/// Its parts were placed with this motion, each with its own origin.
Response wbGuide_Describe(const wbGuide *guide, const wbMotion *motion, wbBoundaryTime time);
void wbGuide_TakeAnswer(wbGuide *guide, const ResponseAnswer *answer);
/// @}
/// All of `given` is taken, or in transit.
void wbGuide_Settle(wbGuide *guide);
