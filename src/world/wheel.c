// SPDX-License-Identifier: MIT
// Wheels that are free on their axle, and turned by what fluids do to their parts.
#include <math.h>

#include "world/collider.h"
#include "world/fluid.h"

double wbGetImpulseAbout(const wbMechanism *mechanism, const wbCollider *part, const wbImpulse *impulse) {
    const wbMechanismParams *params = &mechanism->params;
    const float *origin = part->state.pose.position;
    const double arm[3] = {origin[0] - params->pivot.x, origin[1] - params->pivot.y,
                           origin[2] - params->pivot.z};
    const double axis[3] = {params->axis.x, params->axis.y, params->axis.z};
    const double *linear = impulse->linear, *angular = impulse->angular;
    double sum = 0, length2 = 0;
    for (int a = 0; a < 3; a++) {
        const int u = (a + 1) % 3, v = (a + 2) % 3;
        sum += axis[a] * (angular[a] + arm[u] * linear[v] - arm[v] * linear[u]);
        length2 += axis[a] * axis[a];
    }
    return length2 > 0 ? sum / sqrt(length2) : 0;
}

// m: how far a point of a surface moves along its normal when the wheel turns by 1; *radius: its distance from the axis.
static double getLever(const wbMechanism *mechanism, wbVec3 point, wbVec3 normal, double *radius) {
    const wbVec3 axis = mechanism->params.axis, way = wbCross(axis, wbSub(point, mechanism->params.pivot));
    const double length = sqrt((double)wbDot(axis, axis));
    *radius = sqrt((double)wbDot(way, way)) / length;
    return (double)wbDot(way, normal) / length;
}

// kg m2 of fluid that has to be turned along with a part, if all of it is under water. That of a plate of the length 2 a which turns
// about its middle is pi/8 rho a^4: as of a layer on both of its sides that is pi/8 times as thick as it is far from the axis.
static double getInertiaAround(const wbParticleFluid *liquid, const wbMechanism *mechanism, int index) {
    const wbBoundary *b = &liquid->boundary;
    const wbBoundaryBody *body = wbBoundary_GetBody(b, index);
    const wbPose *pose = &wbGetColliderAt(liquid->world, index)->state.pose;
    const double spacing = (double)liquid->spacing;
    double sum = 0;
    for (int k = body->first; k < body->first + body->count && !body->isOff; k++) {
        if (b->depth[k] > liquid->spacing) continue; // behind the first layer of points
        double radius;
        const double lever =
            getLever(mechanism, wbPose_Apply(pose, wbMakeVec3(b->localX[k], b->localY[k], b->localZ[k])),
                     wbPose_Rotate(pose, wbMakeVec3(b->normalX[k], b->normalY[k], b->normalZ[k])), &radius);
        sum += radius * lever * lever;
    }
    const double area = pow(spacing, liquid->world->params.dimensions - 1);
    return 180 * wb_radians / 8 * (double)liquid->restDensity * area * sum;
}

// Of fluids that feel at once what the wheel does, and not only those of its particles that are next to it.
static double getAddedInertia(const wbWorld *world, int index) {
    const wbMechanism *mechanism = wbGetMechanismAt(world, index);
    double sum = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!wbIsSampled(l) || wbGetBearing(l) == wb_bearingSoft) continue;
        for (int i = 0; i < world->colliderIds.indexCount; i++)
            if (wbGetColliderAt(world, i)->mechanism == index) sum += getInertiaAround(l, mechanism, i);
    }
    return sum;
}

static double slowDown(double speed, double most) {
    return speed > 0 ? fmax(speed - most, 0) : fmin(speed + most, 0);
}

// A change of its speed meets a fluid that has to be turned along, but hears of it one sub-step later: where that is heavier than the wheel, it is thrown
// to and fro, ever faster. So it takes as much of an impulse as if it had the fluid's inertia too, and what is left is in transit: with A of the fluid and A' as it
// is estimated a change becomes (A' - A) / (I + A') of it in the next sub-step, less than 1 where A' is more than (A - I) / 2, and nothing is lost.
void wbTurnFreeWheel(wbWorld *world, int index, float dt) {
    wbMechanism *mechanism = wbGetMechanismAt(world, index);
    wbMechanismState *state = &mechanism->state;
    const wbMechanismParams *params = &mechanism->params;
    const double inertia = params->inertia, impulse = state->transit + mechanism->impulseNow;
    state->transit = 0;
    if (!wbIsFreeWheel(mechanism)) return;
    const double added = getAddedInertia(world, index), gain = impulse / (inertia + added);
    state->transit = added * gain;
    const double speed = (state->speed + gain) / (1 + dt * params->friction / inertia);
    state->speed = slowDown(speed, dt * params->load / inertia); // a load never drives
}
