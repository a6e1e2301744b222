// SPDX-License-Identifier: MIT
// What force generators do to a body: the same in C and in OpenCL C. Springs are those of rigid_force.h.
#pragma once

#include "shape/pose.h"

#ifdef __OPENCL_VERSION__
#    define FORCE_SQRT sqrt
#    define FORCE_MIN  fmin
#    define FORCE_MAX  fmax
#else
#    include <math.h>
#    define FORCE_SQRT sqrtf
#    define FORCE_MIN  fminf
#    define FORCE_MAX  fmaxf
#endif

enum {
    FORCE_GRAVITY,
    FORCE_DRAG, ///< wind as well: beside the velocity of the air
    FORCE_TORQUE,
    FORCE_BUOYANCY,
    FORCE_ANCHORED, ///< a spring to a point of the world
    FORCE_SPRING,   ///< between two bodies
    FORCE_ATTRACTION,
    FORCE_OTHER ///< no formula of a body's motion says what it does
};

/// A generator.
typedef struct ForceRule {
    int kind;
    int onlyPulls;                       ///< of a spring
    wbVec3 vector;                       ///< m/s2, N m, m/s
    wbVec3 anchor, attach, attachOther;  ///< m
    float stiffness, damping, length;    ///< N/m, N s/m, m
    float linear, quadratic;             ///< N s/m, N s2/m2
    float waterHeight, maxDepth, volume; ///< m, m, m3; volume 0: the body's
    float liquidDensity;                 ///< kg/m3
    float strength;                      ///< m3/(kg s2)
    int first, count;                    ///< bodies among all members; of a device
} ForceRule;

/// For how long a sum holds.
typedef struct ForceSpan {
    wbVec3 gravity; ///< m/s2
    float dt;       ///< s
    float ahead;    ///< s: forces by places look so far ahead
} ForceSpan;

/// A body. One that forces do not move has an inverse mass of 0.
typedef struct ForceBody {
    wbPose pose;
    wbVec3 velocity, spin; ///< m/s, rad/s
    wbVec3 inverseInertia; ///< 1/(kg m2), about its axes
    float inverseMass;     ///< 1/kg
} ForceBody;

typedef struct ForceLoad {
    wbVec3 force, torque; ///< N, N m
} ForceLoad;

/// Where a tie holds a body, or the world.
typedef struct ForceHold {
    wbVec3 place, arm, velocity, turning; ///< m, m, m/s; turning: of the arm, m/s
} ForceHold;

/// What ties two holds: the direction from the first to the second, how long it is, and how fast it becomes longer.
typedef struct ForceTie {
    ForceHold a, b;
    wbVec3 n;
    float length, speed;
    float
        lightness; ///< 1/kg: how much faster it becomes longer by a unit of impulse along it; 0: nothing gives way
} ForceTie;

static inline ForceLoad force_none(void) {
    ForceLoad load = {{0, 0, 0}, {0, 0, 0}};
    return load;
}

static inline ForceBody force_world(void) {
    ForceBody body = {{{0, 0, 0}, {0, 0, 0, 1}}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
    return body;
}

/// R diag(1 / I) R^T v
static inline wbVec3 force_divide_by_inertia(const ForceBody *body, wbVec3 v) {
    const wbVec3 own = wbPose_RotateInverse(&body->pose, v), i = body->inverseInertia;
    return wbPose_Rotate(&body->pose, wbMakeVec3(i.x * own.x, i.y * own.y, i.z * own.z));
}

static inline ForceHold force_hold(const ForceBody *body, wbVec3 attach) {
    ForceHold hold;
    const float *p = body->pose.position;
    hold.arm = wbPose_Rotate(&body->pose, attach);
    hold.turning = wbCross(body->spin, hold.arm);
    hold.place = wbAdd(hold.arm, wbMakeVec3(p[0], p[1], p[2]));
    hold.velocity = wbAdd(body->velocity, hold.turning);
    return hold;
}

static inline float force_lightness(const ForceBody *body, const ForceHold *hold, wbVec3 n) {
    if (!(body->inverseMass > 0)) return 0;
    const wbVec3 turn = wbCross(hold->arm, n);
    return body->inverseMass + wbDot(turn, force_divide_by_inertia(body, turn));
}

static inline ForceTie force_tie(const ForceBody *a, ForceHold holdA, const ForceBody *b, ForceHold holdB) {
    const wbVec3 gap = wbSub(holdB.place, holdA.place);
    ForceTie tie = {holdA, holdB, {0, 0, 0}, FORCE_SQRT(wbDot(gap, gap)), 0, 0};
    if (!(tie.length > 0)) return tie;
    tie.n = wbScale(1 / tie.length, gap);
    tie.speed = wbDot(tie.n, wbSub(holdB.velocity, holdA.velocity));
    tie.lightness = force_lightness(a, &holdA, tie.n) + force_lightness(b, &holdB, tie.n);
    return tie;
}

/// What a tie does to the body of its first hold, or of its second.
static inline ForceLoad force_of_tie(const ForceTie *tie, float tension, int isSecond) {
    ForceLoad load;
    load.force = wbScale(isSecond ? -tension : tension, tie->n);
    load.torque = wbCross(isSecond ? tie->b.arm : tie->a.arm, load.force);
    return load;
}

/// N, of a spring and a damper that are stretched and become longer, over dt: see rigid_force.h.
static inline float force_respond(ForceSpan span, float stiffness, float damping, float stretch, float speed,
                                  float lightness) {
    const float force = stiffness * stretch + damping * speed;
    return force / (1 + 0.5f * lightness * span.dt * (stiffness * span.dt + damping));
}

/// A spring under tension also drives what it holds back across itself, and turns it: direction and arm look ahead as its
/// length does.
static inline ForceHold force_look_ahead(ForceSpan span, ForceHold hold) {
    hold.place = wbAdd(hold.place, wbScale(span.ahead, hold.velocity));
    hold.arm = wbAdd(hold.arm, wbScale(span.ahead, hold.turning));
    return hold;
}

/// N: the tension of a spring between two holds. `ties`: the most springs that hold one of its bodies; each takes its share of the
/// body, so that all together stay stable.
static inline float force_stretch(ForceSpan span, const ForceRule *rule, const ForceTie *tie, int ties) {
    const float stretch = tie->length - rule->length, share = ties > 1 ? (float)ties : 1.0f;
    if (!(tie->lightness > 0) || (rule->onlyPulls && stretch <= 0)) return 0;
    const float tension =
        force_respond(span, rule->stiffness, rule->damping, stretch, tie->speed, share * tie->lightness);
    return rule->onlyPulls ? FORCE_MAX(tension, 0.0f) : tension;
}

static inline ForceTie force_tie_bodies(ForceSpan span, const ForceRule *rule, const ForceBody *a,
                                        const ForceBody *b) {
    return force_tie(a, force_look_ahead(span, force_hold(a, rule->attach)), b,
                     force_look_ahead(span, force_hold(b, rule->attachOther)));
}

static inline ForceLoad force_anchored(ForceSpan span, const ForceRule *rule, const ForceBody *body,
                                       int ties) {
    const ForceBody world = force_world();
    const ForceTie tie = force_tie(body, force_look_ahead(span, force_hold(body, rule->attach)), &world,
                                   force_hold(&world, rule->anchor));
    return force_of_tie(&tie, force_stretch(span, rule, &tie, ties), 0);
}

/// N: against a velocity by its size and its square, but no more than would stop the body.
static inline wbVec3 force_resist(ForceSpan span, const ForceRule *rule, const ForceBody *body) {
    const wbVec3 speed = wbSub(body->velocity, rule->vector);
    const float rate = rule->linear + rule->quadratic * FORCE_SQRT(wbDot(speed, speed));
    return wbScale(-FORCE_MIN(rate, 1 / (span.dt * body->inverseMass)), speed);
}

/// Archimedes, with the share of the body that is under water by the height of its centre: a spring between two ends.
static inline wbVec3 force_buoyancy(ForceSpan span, const ForceRule *rule, const ForceBody *body,
                                    float volume) {
    const float g = FORCE_SQRT(wbDot(span.gravity, span.gravity));
    const float weight = rule->liquidDensity * (rule->volume > 0 ? rule->volume : volume) * g;
    const float depth = rule->waterHeight + rule->maxDepth - body->pose.position[1],
                full = 2 * rule->maxDepth;
    if (depth <= 0 || !(weight > 0)) return wbMakeVec3(0, 0, 0);
    const float lift = depth >= full
                           ? weight
                           : force_respond(span, weight / full, 0, depth - span.ahead * body->velocity.y, 0,
                                           body->inverseMass);
    return wbScale(-FORCE_MAX(lift, 0.0f) / g, span.gravity);
}

/// Newton's law: on the first of two that forces move. The order of divisions keeps planets within what floats can hold.
static inline wbVec3 force_attraction(const ForceRule *rule, wbVec3 a, float inverseMassA, wbVec3 b,
                                      float inverseMassB) {
    const wbVec3 d = wbSub(b, a);
    const float r2 = wbDot(d, d);
    if (!(r2 > 0)) return wbMakeVec3(0, 0, 0);
    return wbScale(rule->strength / r2 / inverseMassA / inverseMassB / FORCE_SQRT(r2), d);
}

/// On one body that forces move, of a generator that needs no other.
static inline ForceLoad force_on_body(ForceSpan span, const ForceRule *rule, const ForceBody *body,
                                      float volume, int ties) {
    ForceLoad load = force_none();
    switch (rule->kind) {
    case FORCE_GRAVITY:
        load.force = wbScale(1 / body->inverseMass, rule->vector);
        break;
    case FORCE_DRAG:
        load.force = force_resist(span, rule, body);
        break;
    case FORCE_TORQUE:
        load.torque = rule->vector;
        break;
    case FORCE_BUOYANCY:
        load.force = force_buoyancy(span, rule, body, volume);
        break;
    case FORCE_ANCHORED:
        load = force_anchored(span, rule, body, ties);
        break;
    default:
        break;
    }
    return load;
}
