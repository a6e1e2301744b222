// SPDX-License-Identifier: MIT
// How what is free gives way to a fluid that iterates (coupling/response.h): the same in C, where numbers are double,
// and in OpenCL C, where they are float. What was given so far J, what is in transit q, and a displacement y: with
//
//     r = (J + q) - M (u + y / dt),    y += dt (M + M')⁻¹ r
//
// y converges to where what pushes has pushed it.
#pragma once

#ifdef __OPENCL_VERSION__
typedef float ResponseReal;
#else
#    include <math.h>
typedef double ResponseReal;
#endif

/// A rigid body: linear, then angular about its centre of mass.
typedef struct ResponseBody {
    ResponseReal rotation[4]; ///< of its principal axes: x, y, z, w
    ResponseReal inverseMass; ///< 1/kg; 0: it does not move along
    ResponseReal inertia[3];  ///< kg m2, about its own axes; 0: it does not turn about them
    ResponseReal slowness;    ///< of its answer along: mass with fluid that goes along, over its own
    ResponseReal answers[3];  ///< 1/(kg m2): what turns it, with fluid that turns along
    ResponseReal gain[6];     ///< u: m/s, rad/s
} ResponseBody;

/// What turns about an axle or slides along a rail, in one step of dt: N m s, or N s.
typedef struct ResponseGuide {
    ResponseReal inertia;     ///< kg m2 or kg, with what springs and dampers add in a step
    ResponseReal load;        ///< the same, of fluid that goes along
    ResponseReal momentum;    ///< without fluids, when the step ends
    ResponseReal slowing;     ///< of a drag: a speed
    ResponseReal least, most; ///< speeds, by which it would reach its stops
    ResponseReal free;        ///< speed without fluids
} ResponseGuide;

/// One that gives way in a part of a sub-step.
typedef struct Response {
    ResponseReal isGuide, slides; ///< 1: it is one, along a rail
    ResponseReal seconds;
    /// 1: points are where they are at the end of the part; 0: at its start, which nothing moves any more
    ResponseReal isAtEnd;
    ResponseReal middle[3];            ///< m, then: its centre of mass, or a point on the axle
    ResponseReal velocity[3], spin[3]; ///< there
    ResponseReal way[3];               ///< unit vector along the axle or the rail
    ResponseReal left[6];  ///< given and in transit, and not taken by parts that are over; [0] of a guide
    ResponseReal start[6]; ///< y when the part's motions were told; m, rad
    ResponseReal gaveWay;  ///< 1: it did before
    ResponseBody body;
    ResponseGuide guide;
} Response;

/// What became of it.
typedef struct ResponseAnswer {
    float now[6];  ///< y; [0] of a guide
    float gaveWay; ///< 1: it did, in the part or before
    float unused;  ///< 0, up to 32 bytes
} ResponseAnswer;

/// Points whose forces are summed by one item.
enum { RESPONSE_BLOCK = 32 };

static inline void response_cross(const ResponseReal a[3], const ResponseReal b[3], ResponseReal to[3]) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/// v + 2 q × (q × v + w v), with sign -1 back
static inline void response_rotate(const ResponseReal rotation[4], ResponseReal sign, const ResponseReal v[3],
                                   ResponseReal to[3]) {
    const ResponseReal q[3] = {sign * rotation[0], sign * rotation[1], sign * rotation[2]};
    ResponseReal inner[3], outer[3];
    response_cross(q, v, inner);
    for (int a = 0; a < 3; a++) inner[a] += rotation[3] * v[a];
    response_cross(q, inner, outer);
    for (int a = 0; a < 3; a++) to[a] = v[a] + 2 * outer[a];
}

/// About the body's own axes, each times a factor.
static inline void response_turn(const ResponseReal rotation[4], const ResponseReal factors[3],
                                 const ResponseReal v[3], ResponseReal to[3]) {
    ResponseReal own[3];
    response_rotate(rotation, -1, v, own);
    for (int a = 0; a < 3; a++) own[a] *= factors[a];
    response_rotate(rotation, 1, own, to);
}

static inline void response_momentum(const ResponseBody *body, const ResponseReal motion[6],
                                     ResponseReal momentum[6]) {
    for (int a = 0; a < 3; a++) momentum[a] = body->inverseMass > 0 ? motion[a] / body->inverseMass : 0;
    response_turn(body->rotation, body->inertia, motion + 3, momentum + 3);
}

static inline void response_motion(const ResponseBody *body, const ResponseReal momentum[6],
                                   ResponseReal motion[6]) {
    for (int a = 0; a < 3; a++) motion[a] = body->inverseMass * momentum[a] / body->slowness;
    response_turn(body->rotation, body->answers, momentum + 3, motion + 3);
}

/// y of a body, after an iteration.
static inline void response_of_body(const ResponseBody *body, const ResponseReal left[6],
                                    ResponseReal seconds, ResponseReal now[6]) {
    ResponseReal speed[6], momentum[6], change[6];
    for (int k = 0; k < 6; k++) speed[k] = body->gain[k] + now[k] / seconds;
    response_momentum(body, speed, momentum);
    for (int k = 0; k < 6; k++) momentum[k] = left[k] - momentum[k];
    response_motion(body, momentum, change);
    for (int k = 0; k < 6; k++) now[k] += seconds * change[k];
}

/// A guide's speed when the step ends, by an impulse in it. A drag never drives, and a stop takes what is too much.
static inline ResponseReal response_speed(const ResponseGuide *guide, ResponseReal impulse) {
    const ResponseReal none = 0, speed = (guide->momentum + impulse) / guide->inertia,
                       slow = speed > 0 ? fmax(speed - guide->slowing, none)
                                        : fmin(speed + guide->slowing, none);
    return fmin(fmax(slow, guide->least), guide->most);
}

/// y of a guide.
static inline ResponseReal response_of_guide(const ResponseGuide *guide, ResponseReal left,
                                             ResponseReal seconds, ResponseReal now) {
    const ResponseReal change = response_speed(guide, left) - (guide->free + now / seconds);
    return now + seconds * change * guide->inertia / (guide->inertia + guide->load);
}
