// SPDX-License-Identifier: MIT
#include "coupling/of_guide.h"

#include <math.h>

static double getPart(const wbGuide *guide) { return (double)(guide->to - guide->from) * guide->dt; }

// Its inertia with what of the spring's force is by the end of a step. A quarter of k dt2 makes the symplectic step swing as the midpoint
// rule does: with 2 tan(w dt / 2) = dt √(k / M), at any dt, and without damping of its own.
static double getSprung(const wbGuide *guide, double dt) {
    return guide->law.inertia + 0.25 * guide->law.stiffness * dt * dt;
}

static double getInertia(const wbGuide *guide, double dt) {
    return getSprung(guide, dt) + guide->law.damping * dt;
}

// A step of dt from the start of the part.
static ResponseGuide describe(const wbGuide *guide, double dt) {
    const wbGuideLaw *law = &guide->law;
    const double inertia = getInertia(guide, dt),
                 force = law->push + law->stiffness * (law->rest - guide->place);
    return (ResponseGuide){.inertia = inertia,
                           .load = law->load,
                           .momentum = getSprung(guide, dt) * guide->speed + force * dt,
                           .slowing = dt * law->drag / inertia,
                           .least = (law->least - guide->place) / dt,
                           .most = (law->most - guide->place) / dt,
                           .free = guide->free};
}

// Its speed dt after the start of the part, by an impulse in that time.
static double findSpeed(const wbGuide *guide, double dt, double impulse) {
    const ResponseGuide step = describe(guide, dt);
    return response_speed(&step, impulse);
}

void wbGuide_Begin(wbGuide *guide, double place, double speed, double transit, double dt) {
    guide->dt = dt;
    guide->place = guide->startPlace = place, guide->speed = guide->startSpeed = speed;
    guide->transit = transit;
    guide->given = guide->taken = guide->now = 0;
    guide->from = 0, guide->to = 1, guide->gaveWay = false;
    // what fluids that do not iterate did counts with the forces of the next sub-step: a spring bears all of it, whatever the damper
    guide->free = guide->endSpeed = findSpeed(guide, dt, guide->responds ? 0 : transit);
    guide->endPlace = place + guide->endSpeed * dt;
}

static double getEndSpeed(const wbGuide *guide) { return guide->free + guide->now / getPart(guide); }

// Given and not taken by the parts that are over.
static double findAll(const wbGuide *guide) { return guide->given + guide->transit - guide->taken; }

// Given and not taken by the part that is being done: what is left of that is for the next one, but what stops and drags took.
static double findLeft(const wbGuide *guide) {
    const double seconds = getPart(guide);
    return getInertia(guide, seconds) * (findSpeed(guide, seconds, findAll(guide)) - getEndSpeed(guide));
}

static void endPart(wbGuide *guide) {
    const double left = findLeft(guide), speed = getEndSpeed(guide);
    guide->taken = guide->given + guide->transit - left;
    guide->place += speed * getPart(guide), guide->speed = speed;
    guide->now = 0;
}

void wbGuide_Place(wbGuide *guide, float from, float to) {
    if (!guide->responds || !(guide->dt > 0)) return;
    if (from == 0)
        guide->place = guide->startPlace, guide->speed = guide->startSpeed, guide->now = guide->taken = 0;
    else
        endPart(guide);
    guide->from = from, guide->to = to;
    guide->free = findSpeed(guide, getPart(guide), 0);
}

double wbGuide_GetWay(const wbGuide *guide, bool isEnd) {
    const double share = (double)(isEnd ? guide->to : guide->from),
                 even = guide->startPlace + share * (guide->endPlace - guide->startPlace);
    return guide->place - even + (isEnd ? getEndSpeed(guide) * getPart(guide) : 0);
}

wbPose wbGuide_Displace(const wbGuideLaw *law, wbPose pose, double by) {
    const double s = sin(0.5 * by);
    const wbPose turn = {.rotation = {(float)(s * law->way.x), (float)(s * law->way.y),
                                      (float)(s * law->way.z), (float)cos(0.5 * by)}};
    wbPose moved = pose;
    if (law->slides) {
        const double shift[3] = {by * law->way.x, by * law->way.y, by * law->way.z};
        for (int a = 0; a < 3; a++) moved.position[a] = (float)((double)pose.position[a] + shift[a]);
        return moved;
    }
    const wbVec3 pivot = wbToFloat(law->pivot),
                 arm = wbSub(wbMakeVec3(pose.position[0], pose.position[1], pose.position[2]), pivot),
                 swing = wbSub(wbPose_Rotate(&turn, arm), arm);
    moved = wbPose_Multiply(&turn, &pose);
    moved.position[0] = pose.position[0] + swing.x, moved.position[1] = pose.position[1] + swing.y;
    moved.position[2] = pose.position[2] + swing.z;
    return moved;
}

double wbGuide_Project(const wbGuideLaw *law, wbVec3d point, wbVec3d force) {
    return wbDot3d(law->way, law->slides ? force : wbCross3d(wbSub3d(point, law->pivot), force));
}

double wbGuide_ProjectImpulse(const wbGuideLaw *law, wbVec3d point, const wbImpulse *impulse) {
    const wbVec3d linear = {impulse->linear[0], impulse->linear[1], impulse->linear[2]},
                  angular = {impulse->angular[0], impulse->angular[1], impulse->angular[2]};
    return wbGuide_Project(law, point, linear) + (law->slides ? 0 : wbDot3d(law->way, angular));
}

double wbGuide_GetLever(const wbGuideLaw *law, wbVec3 point, wbVec3 normal, double *radius) {
    const wbVec3d n = wbToDouble(normal);
    *radius = 1;
    if (law->slides) return wbDot3d(law->way, n);
    const wbVec3d way = wbCross3d(law->way, wbSub3d(wbToDouble(point), law->pivot));
    *radius = sqrt(wbDot3d(way, way));
    return wbDot3d(way, n);
}

bool wbGuide_Respond(wbGuide *guide) {
    const double seconds = getPart(guide), all = findAll(guide);
    if (all == 0 && guide->now == 0) return false;
    const ResponseGuide step = describe(guide, seconds);
    guide->gaveWay = true;
    guide->now = response_of_guide(&step, all, seconds, guide->now);
    return true;
}

Response wbGuide_Describe(const wbGuide *guide, const wbMotion *motion, wbBoundaryTime time) {
    const wbGuideLaw *law = &guide->law;
    const double seconds = getPart(guide);
    const wbVec3 v = wbMotion_VelocityAt(motion, wbToFloat(law->pivot));
    Response row = {.isGuide = 1,
                    .slides = law->slides,
                    .seconds = seconds,
                    .isAtEnd = time == wb_atEnd,
                    .middle = {law->pivot.x, law->pivot.y, law->pivot.z},
                    .velocity = {v.x, v.y, v.z},
                    .way = {law->way.x, law->way.y, law->way.z},
                    .left = {findAll(guide)},
                    .start = {guide->now},
                    .gaveWay = guide->now != 0,
                    .guide = describe(guide, seconds)};
    for (int a = 0; a < 3; a++) row.spin[a] = (double)motion->spin[a];
    return row;
}

void wbGuide_TakeAnswer(wbGuide *guide, const ResponseAnswer *answer) {
    if (answer->gaveWay > 0) guide->now = (double)answer->now[0], guide->gaveWay = true;
}

// Stops are not springs: what is stopped rests.
static double findRest(const wbGuide *guide, double speed) {
    const wbGuideLaw *law = &guide->law;
    const bool isStopped =
        (guide->endPlace <= law->least && speed < 0) || (guide->endPlace >= law->most && speed > 0);
    return isStopped ? 0 : speed;
}

void wbGuide_Settle(wbGuide *guide) {
    if (guide->responds) {
        const double left = findLeft(guide), inertia = getInertia(guide, getPart(guide));
        endPart(guide);
        guide->endPlace = fmin(fmax(guide->place, guide->law.least), guide->law.most);
        guide->endSpeed = guide->speed + (guide->gaveWay ? 0 : left / inertia);
        guide->transit = guide->gaveWay ? left : 0;
    } else {
        guide->transit = guide->given;
    }
    guide->endSpeed = findRest(guide, guide->endSpeed);
}
