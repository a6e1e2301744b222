// SPDX-License-Identifier: MIT
// Mechanisms that are free: wheels on their axle and gates on their rail, moved by what fluids do to their parts, by springs and by their weight.
#include <math.h>

#include "core/log.h"
#include "rigid/convex.h"
#include "world/collider.h"
#include "world/fluid.h"

static bool slides(const wbMechanism *mechanism) { return mechanism->params.kind == wb_mechanismGate; }

static wbVec3d normalise(wbVec3 v) {
    const double length = sqrt((double)wbDot(v, v));
    return length > 0 ? (wbVec3d){v.x / length, v.y / length, v.z / length} : (wbVec3d){0};
}

static double getTravel(const wbMechanism *mechanism) {
    const wbVec3 travel = mechanism->params.travel;
    return sqrt((double)wbDot(travel, travel));
}

// Where fluids see it, without what depends on time.
static wbGuideLaw makeLaw(const wbMechanism *mechanism) {
    const wbMechanismParams *p = &mechanism->params;
    const bool isGate = slides(mechanism);
    return (wbGuideLaw){.slides = isGate,
                        .way = normalise(isGate ? p->travel : p->axis),
                        .pivot = wbToDouble(p->pivot),
                        .inertia = fmax(isGate ? p->mass : p->inertia, mechanism->floor),
                        .load = mechanism->load,
                        .stiffness = p->stiffness,
                        .rest = isGate ? p->open * getTravel(mechanism) : p->angle * wb_radians,
                        .damping = p->friction,
                        .drag = p->load,
                        .least = isGate ? 0 : -INFINITY,
                        .most = isGate ? getTravel(mechanism) : INFINITY};
}

// Inertia

// What fluid has to be moved along with it if all of it is under water, and the layers of particles that touch it.
typedef struct Around {
    double added, layers; // kg m2, or kg
} Around;

static bool isWithin(const wbDomain *domain, wbVec3 p) {
    const float at[3] = {p.x, p.y, p.z};
    bool isIn = true;
    for (int a = 0; a < domain->dimensions; a++) isIn &= at[a] >= domain->min[a] && at[a] <= domain->max[a];
    return isIn;
}

// Of a plate of the length 2 a that turns about its middle it is pi/8 rho a^4: as of a layer on both of its sides that is pi/8 times as thick as it is
// far from the axle. Of what slides it is that of a plate of its section.
static Around findAround(const wbParticleFluid *liquid, const wbMechanism *mechanism, int index) {
    const wbBoundary *b = &liquid->boundary;
    const wbWorld *world = liquid->world;
    const wbGuideLaw law = makeLaw(mechanism);
    const double density = (double)liquid->restDensity, spacing = (double)liquid->spacing;
    const double area = pow(spacing, world->params.dimensions - 1);
    double turns = 0, section = 0, squares = 0;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbCollider *part = wbGetColliderAt(world, i);
        const wbBoundaryBody *body = wbBoundary_GetBody(b, i);
        if (part->mechanism != index || body->isOff) continue;
        const wbPose pose = wbGetRestPose(&part->params);
        for (int k = body->first; k < body->first + body->count; k++) {
            const wbVec3 point = wbPose_Apply(&pose, wbMakeVec3(b->localX[k], b->localY[k], b->localZ[k]));
            if (b->depth[k] > liquid->spacing || !isWithin(&world->domain, point))
                continue; // behind the first layer of points, or beyond a side
            double radius;
            const double lever = wbGuide_GetLever(
                &law, point, wbPose_Rotate(&pose, wbMakeVec3(b->normalX[k], b->normalY[k], b->normalZ[k])),
                &radius);
            turns += radius * lever * lever, squares += lever * lever, section += 0.5 * fabs(lever);
        }
    }
    const double added =
        law.slides ? wbGetAddedMass(liquid, area * section) : 180 * wb_radians / 8 * density * area * turns;
    return (Around){added, density * spacing * area * squares};
}

// Iterations reach farther from large particle to large particle, so that a column of these answers to what moves as if there were more of them:
// with the load of particles of one size a piston of a tenth of its water shook by 0.4 g, and one of a hundredth by 1 g.
enum { SIZED_LOAD = 4 };

// As of rigid bodies (solver_coupling.c): what a fluid pushes in steps holds a layer of particles, what asks within its iterations a
// tenth of what moves along, and half of it if it does not.
static void weighFor(const wbParticleFluid *liquid, wbMechanism *mechanism, int index) {
    const Around around = findAround(liquid, mechanism, index);
    const wbBearing bearing = wbGetBearing(liquid);
    const bool asks = bearing >= wb_bearingShared && liquid->world->def.coupling.response;
    const double share = liquid->world->def.coupling.floor,
                 whole = (wbIsSized(liquid) ? SIZED_LOAD : 1) * 0.45 * around.added;
    mechanism->floor =
        fmax(mechanism->floor,
             share * (bearing == wb_bearingSoft ? around.layers : (asks ? 0.1 : 0.5) * around.added));
    mechanism->load = fmax(mechanism->load, bearing == wb_bearingKept ? fmin(around.layers, whole) : whole);
}

static void tellFloor(wbMechanism *mechanism) {
    const double own = slides(mechanism) ? mechanism->params.mass : mechanism->params.inertia;
    const char *unit = slides(mechanism) ? "kg" : "kg m2";
    if (!(mechanism->floor > own) || mechanism->isFloorTold) return;
    mechanism->isFloorTold = true;
    wbLog(wb_logWarning,
          "mechanism \"%s\" of %.3g %s is too light for these fluids: it has the inertia of %.3g %s "
          "(coupling.floor)",
          mechanism->name, own, unit, mechanism->floor, unit);
}

void wbWeighGuides(wbWorld *world) {
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->floor = mechanism->load = 0;
        if (!wbIsFree(mechanism)) continue;
        for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
            if (wbIsSampled(l)) weighFor(l, mechanism, i);
        tellFloor(mechanism);
    }
}

// A sub-step

void wbFindMiddle(wbCollider *collider) {
    const wbMassProperties solid = wbGetMeshMass(&collider->mesh);
    collider->volume = solid.volume;
    collider->middle = (wbVec3d){solid.centre[0], solid.centre[1], solid.centre[2]};
}

// N, or N m: it acts where the parts have their middle, as if they were of one density.
static double findWeight(const wbWorld *world, int index, const wbGuideLaw *law) {
    const wbMechanism *mechanism = wbGetMechanismAt(world, index);
    const double mass = mechanism->params.mass;
    double volume = 0;
    wbVec3d sum = {0};
    for (int i = 0; i < world->colliderIds.indexCount && mass > 0; i++) {
        const wbCollider *part = wbGetColliderAt(world, i);
        if (part->mechanism != index) continue;
        volume += part->volume;
        sum = wbAddScaled3d(sum, part->volume, wbPose_Apply3d(&part->state.pose, part->middle));
    }
    if (!(volume > 0)) return 0;
    const wbVec3 g = world->domain.gravity;
    const wbVec3d weight = {mass * g.x, mass * g.y, mass * g.z},
                  middle = {sum.x / volume, sum.y / volume, sum.z / volume};
    return wbGuide_Project(law, middle, weight);
}

// Whether there is a liquid that iterates.
static bool areAsked(const wbWorld *world) {
    bool isAny = false;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        isAny |= wbGetBearing(l) >= wb_bearingShared;
    return isAny;
}

wbMechanismState wbAdvanceGuide(wbWorld *world, int index, float dt) {
    wbMechanism *mechanism = wbGetMechanismAt(world, index);
    wbMechanismState next = mechanism->state;
    const double length = slides(mechanism) ? getTravel(mechanism) : 1;
    double *place = slides(mechanism) ? &next.place[0] : &next.angle;
    wbGuideLaw law = makeLaw(mechanism);
    if (mechanism->goesEvenly) {
        *place += next.speed * (double)dt / length;
        return next;
    }
    law.push = findWeight(world, index, &law);
    mechanism->guide = (wbGuide){.law = law, .responds = wbDoesRespond(world) && areAsked(world)};
    wbGuide_Begin(&mechanism->guide, *place * length, next.speed, next.transit, (double)dt);
    *place = mechanism->guide.endPlace / length, next.speed = mechanism->guide.endSpeed;
    return next;
}

void wbSettleGuide(wbMechanism *mechanism) {
    wbGuide *guide = &mechanism->guide;
    wbMechanismState *next = &mechanism->next;
    guide->given = mechanism->impulseNow;
    wbGuide_Settle(guide);
    if (slides(mechanism))
        next->place[0] = fmin(fmax(guide->endPlace / getTravel(mechanism), 0), 1);
    else
        next->angle = guide->endPlace;
    next->speed = guide->endSpeed, next->transit = guide->transit;
}

double wbGetImpulseAlong(const wbMechanism *mechanism, const wbCollider *part, const wbImpulse *impulse) {
    const wbMechanismParams *p = &mechanism->params;
    const float *origin = part->motion[wb_atEnd].pose.position;
    const bool isStraight = p->kind == wb_mechanismGate || p->kind == wb_mechanismLock;
    const wbGuideLaw law = {.slides = isStraight,
                            .way = normalise(isStraight ? p->travel : p->axis),
                            .pivot = wbToDouble(p->pivot)};
    return wbGuide_ProjectImpulse(&law, (wbVec3d){origin[0], origin[1], origin[2]}, impulse);
}

// Response

static wbMechanism *getFree(const wbWorld *world, int collider) {
    const int index = wbGetColliderAt(world, collider)->mechanism;
    wbMechanism *mechanism = index < 0 ? NULL : wbGetMechanismAt(world, index);
    return mechanism && wbIsFree(mechanism) ? mechanism : NULL;
}

void wbSumGuides(wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    for (int i = 0; i < world->mechanismIds.indexCount; i++) wbGetMechanismAt(world, i)->guide.given = 0;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbMechanism *mechanism = getFree(world, i);
        const wbImpulse *impulse = &wbBoundary_GetBody(&liquid->boundary, i)->impulse;
        if (mechanism)
            mechanism->guide.given += wbGetImpulseAlong(mechanism, wbGetColliderAt(world, i), impulse);
    }
}

static void addForces(const wbParticleFluid *liquid, const wbImpulse *forces, wbBoundaryTime time) {
    const wbWorld *world = liquid->world;
    for (int k = 0; k < world->colliderIds.indexCount; k++) {
        wbMechanism *mechanism = getFree(world, k);
        if (!mechanism) continue;
        wbGuide *guide = &mechanism->guide;
        const double seconds = (double)(guide->to - guide->from) * guide->dt;
        const float *p = wbBoundary_GetBody(&liquid->boundary, k)->motions[time].pose.position;
        guide->given +=
            seconds * wbGuide_ProjectImpulse(&guide->law, (wbVec3d){p[0], p[1], p[2]}, &forces[k]);
    }
}

bool wbRespondGuides(wbParticleFluid *liquid, const wbImpulse *forces, wbBoundaryTime time) {
    wbWorld *world = liquid->world;
    bool isAny = false;
    wbSumGuides(liquid);
    addForces(liquid, forces, time);
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        if (wbIsFree(mechanism)) isAny |= wbGuide_Respond(&mechanism->guide);
    }
    return isAny;
}

// One of its parts, whose motions differ by their origins alone; -1: it has none, or nothing that wbFollowGuides moves.
static int findPart(const wbWorld *world, int index) {
    const wbMechanism *mechanism = wbGetMechanismAt(world, index);
    int part = wbIsFree(mechanism) && mechanism->guide.responds && !mechanism->goesEvenly
                   ? world->colliderIds.indexCount - 1
                   : -1;
    while (part >= 0 && wbGetColliderAt(world, part)->mechanism != index) part--;
    return part;
}

int wbDescribeGuides(wbParticleFluid *liquid, Response *rows, int *bodyRows, wbBoundaryTime time) {
    const wbWorld *world = liquid->world;
    int count = 0;
    if (wbHasFree(world)) wbSumGuides(liquid);
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        const int part = findPart(world, i);
        if (part < 0) continue;
        for (int k = 0; k <= part; k++)
            if (wbGetColliderAt(world, k)->mechanism == i) bodyRows[k] = count;
        rows[count++] = wbGuide_Describe(&wbGetMechanismAt(world, i)->guide,
                                         &wbBoundary_GetBody(&liquid->boundary, part)->motions[time], time);
    }
    return count;
}

int wbTakeGuideAnswers(const wbWorld *world, const ResponseAnswer *answers) {
    int count = 0;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        if (findPart(world, i) >= 0)
            wbGuide_TakeAnswer(&wbGetMechanismAt(world, i)->guide, &answers[count++]);
    return count;
}

bool wbHasFree(const wbWorld *world) {
    bool isAny = false;
    for (int i = 0; i < world->mechanismIds.indexCount; i++) isAny |= wbIsFree(wbGetMechanismAt(world, i));
    return isAny;
}

// Statistics

void wbAddGuideStats(const wbWorld *world, wbStats *stats) {
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbCollider *part = wbGetColliderAt(world, i);
        if (part->mechanism < 0 || !wbIsFree(wbGetMechanismAt(world, part->mechanism))) continue;
        const wbImpulse impulse = wbGetImpulse(world, part);
        for (int a = 0; a < 3; a++) stats->waterMechanism[a] += impulse.linear[a];
    }
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        const wbMechanism *mechanism = wbGetMechanismAt(world, i);
        const double transit = mechanism->state.transit;
        if (!wbIsFree(mechanism) || !slides(mechanism)) continue;
        const wbVec3d way = normalise(mechanism->params.travel);
        stats->transit[0] += transit * way.x, stats->transit[1] += transit * way.y,
            stats->transit[2] += transit * way.z;
    }
}
