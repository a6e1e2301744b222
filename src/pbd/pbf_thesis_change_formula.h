// SPDX-License-Identifier: MIT
// Sizes, kernels, merges and splits of pbf_thesis.h, particle by particle in plain floats: the same in C and in OpenCL C.
#pragma once

#include "pbd/pbf_adaptive_look_formula.h"
#include "pbd/pbf_thesis_constants.h"

#ifdef __OPENCL_VERSION__
#    define THESIS_NUMBERS __global const float
#    define thesis_cbrt(a) cbrt(a)
#else
#    define THESIS_NUMBERS const float
#    define thesis_cbrt(a) cbrtf(a)
#endif

/// The side of a cube, or a square, of this volume.
static inline float thesis_side(float volume, int dimensions) {
    return dimensions == 3 ? thesis_cbrt(volume) : pbf_root(volume);
}
/// In smallest particles.
static inline float thesis_mass(unsigned parts) { return (float)parts * (1.0f / WB_THESIS_PARTS); }
/// m
static inline float thesis_radius(unsigned parts, const ThesisSizing *s) {
    return s->smallest * thesis_side(thesis_mass(parts), s->dimensions);
}

/// m, (4.39) and (4.40), by the size that is wished over the smallest's: 1 near the boundary, from there on the target itself, where nothing else is wished;
/// and by the distance to the boundary.
static inline float thesis_target(float size, const ThesisSizing *s) {
    return s->smallest * pbf_min(size, s->largest);
}
/// f_h begins to grow before f_r does, and is (1 + a) k times the target from there on. What is wished smaller has no wider kernel than that, and
/// what is wished larger has at least k times its radius.
static inline float thesis_support(float distance, float size, const ThesisSizing *s) {
    const float own = s->width * thesis_target(size, s);
    return pbf_max(own, pbf_min(s->slope * distance, own * (1 + s->slope)));
}
/// m: how far a particle is searched for, and searches. Kernels that spread do so from what the target may be, whatever is wished.
static inline float thesis_reach(float h, float distance, const ThesisSizing *s) {
    const float size = pbf_max(s->radiusSlope * distance / s->smallest, 1.0f) * s->wished;
    return s->isGeneral ? pbf_max(h, 1.5f * s->width * thesis_target(size, s)) : h;
}
/// Kernels follow by a hundredth in a step.
static inline float thesis_follow(float h, float wanted) {
    return pbf_min(pbf_max(wanted, 0.99f * h), 1.01f * h);
}

/// m, of whom sums are asked for: what is empty has some.
static inline float thesis_least_radius(float r, const ThesisSizing *s) {
    return pbf_max(r, 2e-3f * s->smallest);
}

/// S, and the sum of V |grad W|2 times h^(d + 2), of particles of radius r with kernels of width h on their lattice.
typedef struct ThesisSums {
    float sum, squares;
} ThesisSums;

#define THESIS_MOST_RATIO  24.0f
#define THESIS_LEAST_RATIO 2.5f
/// By tables over r/h. Beyond a ratio h/r of 24 what is not the integral goes as (h/r)^-(d + 1), and squares are what they are at 24; below 2.5 only the
/// nearest sites are in a kernel, and then none, and the squares of the ratio where some are keep constraints soft.
static inline ThesisSums thesis_sums(THESIS_NUMBERS *sums, THESIS_NUMBERS *squares, float r, float h,
                                     int dimensions) {
    const float least = 1 / THESIS_MOST_RATIO, most = 1 / THESIS_LEAST_RATIO, inverse = r / h;
    const float place =
        pbf_min(pbf_max((inverse - least) / (most - least), 0.0f), 1.0f) * (float)WB_THESIS_TABLE;
    const int k = place < (float)WB_THESIS_TABLE ? (int)place : WB_THESIS_TABLE - 1;
    const float share = place - (float)k;
    ThesisSums result = {sums[k] + share * (sums[k + 1] - sums[k]),
                         squares[k] + share * (squares[k + 1] - squares[k])};
    if (inverse < least) {
        const float q = inverse / least, cube = q * q * q;
        result.sum = 1 + (sums[0] - 1) * (dimensions == 3 ? cube * q : cube);
    }
    if (inverse > most) {
        const float s = pbf_max(1 - 2 * inverse, 0.0f), side = 2 * inverse;
        const float factor = dimensions == 3 ? 4.7746483f * side * side * side : 3.1830989f * side * side;
        result.sum = factor * (1 + 2 * (float)dimensions * (s * s * s));
    }
    return result;
}

/// Parts that a particle of this wished size should have.
static inline float thesis_target_parts(float size, const ThesisSizing *s) {
    const float side = pbf_min(size, s->largest);
    return side * side * (s->dimensions == 3 ? side : 1) * (float)WB_THESIS_PARTS;
}

/// (4.34), section 4.5.4: two that together are no larger than one of them should be; or, so that sizes are about their targets instead of below them, not
/// much larger than both should. Kernels grow before particles do: merges that went ahead left a kernel a handful of neighbours, and the
/// inside was taken for a boundary.
static inline int thesis_may_merge(unsigned one, unsigned other, float oneTarget, float otherTarget,
                                   float oneH, float otherH, const ThesisSizing *s) {
    const float parts = (float)one + (float)other,
                most = pbf_max(pbf_max(oneTarget, otherTarget), s->excess * pbf_min(oneTarget, otherTarget));
    if (parts > most * 1.0001f) return 0;
    const float radius = s->smallest * thesis_side(parts * (1.0f / WB_THESIS_PARTS), s->dimensions);
    return pbf_min(oneH, otherH) >= 0.9999f * s->width * radius;
}

/// The smaller goes into the larger; of equal ones that with the larger id into the other.
static inline int thesis_is_source(unsigned parts, unsigned otherParts, unsigned id, unsigned otherId) {
    return parts != otherParts ? parts < otherParts : id > otherId;
}
static inline int thesis_gives(unsigned role) {
    return role == wb_roleMergeSource || role == wb_roleSplitSource;
}
static inline int thesis_ends(float left, float dt) { return left < 1.001f * dt; }

/// Parts that go from source to target in a sub-step: as much of what is still to be moved as it has of the time left. The last one goes at the end: a source
/// that rounding had emptied before went, and its target took the next particle for it.
static inline unsigned thesis_moved(unsigned role, unsigned sourceParts, unsigned targetUnits,
                                    unsigned targetParts, float left, float dt) {
    const unsigned rest =
        role == wb_roleMergeSource ? sourceParts : targetUnits * (unsigned)WB_THESIS_PARTS - targetParts;
    if (thesis_ends(left, dt)) return rest;
    const unsigned moved = (unsigned)(dt / left * (float)rest + 0.5f);
    return moved < rest ? moved : rest > 0 ? rest - 1 : 0;
}
/// Of a target's velocity, and place, that becomes the source's.
static inline float thesis_taken(unsigned own, unsigned moved) {
    return own + moved > 0 ? (float)moved / (float)(own + moved) : 0;
}

/// (4.33), by masses.
static inline int thesis_splits(unsigned role, unsigned parts, float targetParts) {
    return role == wb_roleAlone && parts >= 2u * WB_THESIS_PARTS && (float)parts >= 1.9999f * targetParts;
}
static inline int thesis_is_gone(unsigned role, unsigned parts) {
    return role == wb_roleMergeSource && parts == 0;
}

/// Of rest offsets: as PBF_HEAVY_CARRY, but what was at rest twice in a sub-step has no pressure by rounding.
#define THESIS_CARRY ((PbfCarry){0.6f, 1e3f})

/// From 0 to 1, of a particle in this step.
static inline float thesis_chance(unsigned id, int axis, const ThesisMove *move) {
    return (float)(pbf_hash(id + move->salt[axis]) >> 8) * (1.0f / 16777216.0f);
}
/// m
static inline float thesis_inset(unsigned id, int axis, const ThesisMove *move) {
    return move->inset * thesis_chance(id, axis, move);
}
static inline float thesis_confine(float x, float inset, int axis, const ThesisMove *move) {
    return pbf_min(pbf_max(x, move->room.low[axis] + inset), move->room.high[axis] - inset);
}
/// Where a particle would go, (3.1).
static inline float thesis_predict(float x, float v, float inset, int axis, const ThesisMove *move) {
    return thesis_confine(x + move->dt * (v + move->dt * move->room.gravity[axis]), inset, axis, move);
}

/// Along which the second half goes: away from the density, section 4.4.1.
static inline void thesis_find_way(float h, const float gradient[3], unsigned id, const ThesisMove *move,
                                   int dimensions, float way[3]) {
    float length2 = 0;
    for (int a = 0; a < 3; a++) {
        way[a] = -h * gradient[a];
        if (a < dimensions) way[a] += 0.02f * thesis_chance(id, a, move) - 0.01f;
        length2 += way[a] * way[a];
    }
    const float length = pbf_root(pbf_max(length2, 1e-30f));
    for (int a = 0; a < 3; a++) way[a] /= length;
}

/// Section 4.4.3: into whole multiples of the smallest, with the centre of both where it was; or the second is empty at first.
typedef struct ThesisHalf {
    unsigned units, parts, role;
    float way; ///< m
} ThesisHalf;
static inline ThesisHalf thesis_half(unsigned units, int isSecond, const ThesisSizing *s) {
    const unsigned second = units / 2, own = isSecond ? second : units - second;
    const float gap = s->gap * thesis_side((float)second, s->dimensions);
    const float ahead = s->splitsGradually ? 1 : (float)(units - second) / (float)units;
    ThesisHalf piece = {own, own * (unsigned)WB_THESIS_PARTS, wb_roleAlone,
                        isSecond ? ahead * gap : (ahead - 1) * gap};
    if (s->splitsGradually) {
        piece.parts = isSecond ? 0 : units * (unsigned)WB_THESIS_PARTS;
        piece.role = isSecond ? wb_roleSplitTarget : wb_roleSplitSource;
    }
    return piece;
}
