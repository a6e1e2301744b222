// SPDX-License-Identifier: MIT
// What a look makes of particles of different sizes, by their targets: wishes, partners and axes, in plain floats, the same in C and in OpenCL C.
#pragma once

#include "pbd/pbf_adaptive_constants.h"

#ifdef __OPENCL_VERSION__
#    define PBF_TABLE     __constant
#    define pbf_abs(a)    fabs(a)
#    define pbf_min(a, b) fmin(a, b)
#    define pbf_max(a, b) fmax(a, b)
#    define pbf_root(a)   sqrt(a)
#else
#    include <math.h>
#    define PBF_TABLE     static
#    define pbf_abs(a)    fabsf(a)
#    define pbf_min(a, b) fminf(a, b)
#    define pbf_max(a, b) fmaxf(a, b)
#    define pbf_root(a)   sqrtf(a)
#endif

enum { PBF_KEEP, PBF_MERGE, PBF_SPLIT };

/// What sizes are held against.
typedef struct PbfTargets {
    float size[PBF_LEVELS + 2]; ///< of levels, over that of level 0
    float from[PBF_LEVELS + 2]; ///< sizes from which on a level is the nearest
    float slack;                ///< what a size may be too large by
    int topLevel;               ///< now
    float surface;              ///< m: nearer than this, all are of level 0
    float colliders;            ///< m: and nearer than this to points of colliders, those that should be
    int fills;                  ///< there is no motion yet, see wbSizedStep_Fill
    int reachesFar; ///< what is behind, see pbf_is_behind, looks farther for a partner than beside it
} PbfTargets;

/// The nearest level is wanted: with the next lower one there are a quarter more particles, and what is large is no calmer.
static inline int pbf_is_at_least(const PbfTargets *t, float target, int level) {
    return level <= t->topLevel && target >= t->from[level];
}

/// The level that a particle should have.
static inline int pbf_wanted_level(const PbfTargets *t, float target) {
    int wanted = 0;
    while (pbf_is_at_least(t, target, wanted + 1)) wanted++;
    return wanted;
}

/// One level beyond those that a merge waits for: then it looks farther for a partner than beside it.
static inline int pbf_is_behind(const PbfTargets *t, float target, int level) {
    return pbf_is_at_least(t, target, level + (t->fills ? 2 : 3));
}

/// In water that moves only what is two levels too small merges: each merge pushes its neighbours about, and what they
/// stir up makes others due. What still fades does not split, unless it is far from what it should be. Nothing large
/// stays at the surface: level 1, which is no larger than the slack allows anywhere, rose in a pool that circulates
/// until all of its surface was of it. Nor at colliders: of the slack, 2 levels, particles of twice the spacing lay
/// with their centres on a log's face in the plane, and threw it with up to 1 g.
static inline int pbf_wish(const PbfTargets *t, float target, int level, float distance, float toColliders,
                           float offset) {
    const float size = pbf_min(target, t->size[t->topLevel]);
    const int isCalm = t->fills || pbf_abs(offset) < 0.03f,
              isOuter = distance < t->surface || toColliders < t->colliders;
    if (level < t->topLevel && target >= t->from[level + (t->fills ? 1 : 2)]) return PBF_MERGE;
    if (level > 0 && isOuter && !pbf_is_at_least(t, size, level)) return PBF_SPLIT;
    if (level == 0 || size * t->slack >= t->size[level]) return PBF_KEEP;
    return isCalm || size * t->slack < t->size[level - 1] ? PBF_SPLIT : PBF_KEEP;
}

/// m: what is behind looks farther for a partner.
static inline float pbf_partner_reach(float radius, int isBehind) {
    return (isBehind ? 4.2f : 2.6f) * radius;
}

/// wbHash32, which devices do not have.
static inline unsigned pbf_hash(unsigned x) {
    x ^= x >> 16, x *= 0x7feb352du;
    x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/// Squared distance of two that may merge, made a little longer by a hash of both ids, the same from both sides: a lattice has no order of its own.
static inline float pbf_partner_key(float x, float y, float z, unsigned one, unsigned other) {
    const unsigned low = one < other ? one : other, high = one ^ other ^ low;
    const float share = (float)(pbf_hash(low * 0x9e3779b9u + pbf_hash(high)) >> 8) * (1.0f / 16777216.0f);
    return (x * x + y * y + z * z) * (1 + 0.1f * share);
}

/// Axes that a particle may split along; those of the plane come first.
#define PBF_AXES 13
static inline int pbf_count_axes(int dimensions) { return dimensions == 3 ? PBF_AXES : 4; }
PBF_TABLE const signed char pbf_axes[PBF_AXES][3] = {{1, 0, 0},  {0, 1, 0},  {1, 1, 0}, {1, -1, 0}, {0, 0, 1},
                                                     {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                                     {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
/// The component of a unit vector.
static inline float pbf_axis(int axis, int component) {
    const int x = pbf_axes[axis][0], y = pbf_axes[axis][1], z = pbf_axes[axis][2];
    return (float)pbf_axes[axis][component] / pbf_root((float)(x * x + y * y + z * z));
}

/// m, by which halves go along it, of this radius each; the radius that points of colliders are of to them: as if a half were mirrored there.
static inline float pbf_half_way(float radius) { return 0.9f * radius; }
static inline float pbf_collider_size(float radius) { return 0.5f * radius; }

/// Whether an axis has more room than the best so far; ghosts make ties, which rounding is not to decide.
static inline int pbf_has_more_room(float room, float best) { return room > 1.001f * best; }

/// The density over which the constraint pushed; 1 where it did not.
static inline float pbf_pressed(float density, float offset) { return pbf_max(density - offset, 1.0f); }

/// Limits of the rest offsets that changes leave.
typedef struct PbfCarry {
    float most; ///< above
    float rate; ///< of the pressure that there was, below, where an offset makes up for a gap
} PbfCarry;
/// Of fluids with weight, which takes back what offsets push.
#define PBF_HEAVY_CARRY ((PbfCarry){0.6f, 1e6f})

/// What a change left of the density, as the rest offset: max(C, 0) is what it was. Where there was no pressure, none is made.
static inline float pbf_carried(float density, float before, PbfCarry carry) {
    const float least = -pbf_min(carry.rate * (before - 1), 0.2f);
    return pbf_min(pbf_max(density - before, least), carry.most);
}
