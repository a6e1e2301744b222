// SPDX-License-Identifier: MIT
// Where particles come from and go to: the same tests in C and in OpenCL C.
#pragma once

#ifdef __OPENCL_VERSION__
#    define FLOW_SQRT(x) sqrt(x)
#else
#    include <math.h>
#    define FLOW_SQRT(x) sqrtf(x)
#endif

/// Places in layers: place k of layer n is origin + n gap axis + u[k] side[0] + v[k] side[1]. Layers are at least two
/// clearances apart.
typedef struct FlowSites {
    float origin[3], axis[3], side[2][3]; ///< m, unit vectors
    float gap, radius;                    ///< m: between layers; of the places around the axis
    float clearance;                      ///< m: a place is taken if a particle is nearer than this
    int layers, count;                    ///< places are count per layer
} FlowSites;

/// A box; inside counts its faces.
typedef struct FlowRegion {
    float min[3], max[3]; ///< m
    int isOutside;        ///< what is not in the box is meant
} FlowRegion;

/// Water that is still in a mouth: it moves on evenly, whatever pushes it.
typedef struct FlowMouth {
    float origin[3], axis[3];     ///< m, a unit vector
    float behind, length, radius; ///< m: from `behind` before the origin to `length` after it
    float velocity[3];            ///< m/s
    float shift;                  ///< s: part of the step by which a change of velocity has moved it already
} FlowMouth;

/// A ball that drags along what is in it, less towards its surface.
typedef struct FlowBall {
    float centre[3], radius; ///< m
    float velocity[3];       ///< m/s
    float way;               ///< 1: dt times the rate at which velocities become its own in the middle
    float most;              ///< m/s, by which one changes at most
} FlowBall;

/// Share of the difference of velocities that a particle takes on, which has `difference2` squared, (m/s)^2; 0 out of the ball.
static inline float flow_get_drag(const FlowBall *ball, float x, float y, float z, float difference2) {
    const float dx = x - ball->centre[0], dy = y - ball->centre[1], dz = z - ball->centre[2];
    const float depth = 1 - (dx * dx + dy * dy + dz * dz) / (ball->radius * ball->radius);
    if (!(depth > 0)) return 0;
    const float share = ball->way * depth / (1 + ball->way * depth); // implicit: never more than all of it
    const float change2 = share * share * difference2, most2 = ball->most * ball->most;
    return change2 > most2 ? share * FLOW_SQRT(most2 / change2) : share;
}

static inline int flow_is_held(const FlowMouth *mouth, float x, float y, float z) {
    const float dx = x - mouth->origin[0], dy = y - mouth->origin[1], dz = z - mouth->origin[2];
    const float along = dx * mouth->axis[0] + dy * mouth->axis[1] + dz * mouth->axis[2];
    return along >= -mouth->behind && along < mouth->length &&
           dx * dx + dy * dy + dz * dz - along * along < mouth->radius * mouth->radius;
}

/// A point relative to the nearest layer.
typedef struct FlowPoint {
    int layer; ///< -1: too far from all places
    float u, v, along2;
} FlowPoint;

static inline FlowPoint flow_find_layer(const FlowSites *sites, float x, float y, float z) {
    const float dx = x - sites->origin[0], dy = y - sites->origin[1], dz = z - sites->origin[2];
    const float along = dx * sites->axis[0] + dy * sites->axis[1] + dz * sites->axis[2];
    FlowPoint point = {-1, 0, 0, 0};
    if (!(along > -sites->clearance && along < sites->gap * (float)sites->layers)) return point;
    const int layer = (int)(along / sites->gap + 0.5f);
    const float rest = along - sites->gap * (float)layer;
    if (layer >= sites->layers || rest * rest >= sites->clearance * sites->clearance) return point;
    point.u = dx * sites->side[0][0] + dy * sites->side[0][1] + dz * sites->side[0][2];
    point.v = dx * sites->side[1][0] + dy * sites->side[1][1] + dz * sites->side[1][2];
    point.along2 = rest * rest;
    const float reach = sites->radius + sites->clearance;
    if (point.u * point.u + point.v * point.v < reach * reach) point.layer = layer;
    return point;
}

static inline int flow_is_near(const FlowSites *sites, const FlowPoint *point, float u, float v) {
    const float du = point->u - u, dv = point->v - v;
    return du * du + dv * dv + point->along2 < sites->clearance * sites->clearance;
}

static inline int flow_is_in(const FlowRegion *region, float x, float y, float z) {
    const int isInside = x >= region->min[0] && x <= region->max[0] && y >= region->min[1] &&
                         y <= region->max[1] && z >= region->min[2] && z <= region->max[2];
    return isInside != region->isOutside;
}
