// SPDX-License-Identifier: MIT
// The cells that particles are counted in to find how deep the water is: the same in C and in OpenCL C.
#pragma once

#ifdef __OPENCL_VERSION__
#    define PBF_GLOBAL __global
#    define pbf_sqrt   sqrt
#else
#    include <math.h>
#    include <stdbool.h>
#    define PBF_GLOBAL
#    define pbf_sqrt sqrtf
#endif

/// In spacings, of a cell in each direction: narrow enough for a trough, wide enough that a column's count says its depth.
#define PBF_CELL_WIDTH 3

typedef struct PbfColumns {
    float inverseWidth;         ///< 1/m
    unsigned mask;              ///< slots of a table - 1
    int along;                  ///< of the cell below a cell: 1 or -1
    int full;                   ///< particles of a cell in water at rest
    float heaviness, lightness; ///< scale relative densities, and their inverses, to at most PBF_WHOLE
    float bearing;              ///< of a heaviness times a lightness, in particles
} PbfColumns;

/// The heaviest fluid, or the lightest, in sums of integers, which do not depend on an order.
#define PBF_WHOLE 65536.0f

/// The cell of a particle: across gravity, across, and along it.
typedef struct PbfCell {
    unsigned i, j, k;
} PbfCell;

/// A cell's slots in two tables. Other cells may share one of them, few share both: the smaller count is the cell's.
typedef struct PbfSlots {
    unsigned one, other;
} PbfSlots;

static inline unsigned pbf_round(float place, const PbfColumns *columns) {
    const float farthest = 1e9f;
    float a = place * columns->inverseWidth;
    a = a < -farthest ? -farthest : a;
    a = a > farthest ? farthest : a;
    return (unsigned)(int)a - (a < 0);
}

static inline PbfCell pbf_cell(float first, float second, float height, const PbfColumns *columns) {
    PbfCell cell = {pbf_round(first, columns), pbf_round(second, columns), pbf_round(height, columns)};
    return cell;
}

static inline PbfSlots pbf_slots(PbfCell c, const PbfColumns *columns) {
    unsigned one = c.i * 0x9e3779b1u + c.j * 0x85ebca77u + c.k * 0xd6e8feb9u;
    unsigned other = c.i * 0xc2b2ae3du ^ c.j * 0x27d4eb2fu ^ c.k * 0x165667b1u;
    one ^= one >> 15, one *= 0x2c1b3c6du, other ^= other >> 13, other *= 0x297a2d39u;
    PbfSlots slots = {(one ^ one >> 16) & columns->mask, (other ^ other >> 15) & columns->mask};
    return slots;
}

static inline unsigned pbf_get_count(PBF_GLOBAL const unsigned *tables, PbfCell cell,
                                     const PbfColumns *columns) {
    PbfSlots s = pbf_slots(cell, columns);
    unsigned one = tables[s.one], other = tables[columns->mask + 1 + s.other];
    return one < other ? one : other;
}

/// What a cell has in tables of several fluids. Sums of the relative densities of its particles, and of their inverses, stand
/// behind the counts, in two tables each.
typedef struct PbfMix {
    unsigned count;
    float heaviness, lightness; ///< sum; mean
} PbfMix;
static inline PbfMix pbf_get_mix(PBF_GLOBAL const unsigned *tables, PbfCell cell, const PbfColumns *columns) {
    const PbfSlots s = pbf_slots(cell, columns);
    const unsigned size = columns->mask + 1, one = tables[s.one], other = tables[size + s.other];
    const unsigned at = one < other ? s.one : size + s.other, count = one < other ? one : other;
    PbfMix mix = {count, (float)tables[2 * size + at],
                  (float)tables[4 * size + at] / (float)(count > 0 ? count : 1)};
    return mix;
}

static inline unsigned pbf_weigh(float relative, const PbfColumns *columns) {
    return (unsigned)(relative * columns->heaviness + 0.5f);
}
static inline unsigned pbf_lighten(float relative, const PbfColumns *columns) {
    return (unsigned)(columns->lightness / relative + 0.5f);
}

/// Particles of the deepest water below the highest cell of a column, 0 for a lower cell. Only what bears on each other counts:
/// where there are less than half as many particles in a cell as above or below it, but no more than water at rest has, water
/// ends. So do a trough's water at the basin's below it, and a jet, which falls apart, at the pool that it falls into: at the
/// first cell with three quarters of what water at rest has. The cell at an end, which the surface cuts, counts still.
///
/// Of several fluids (`mixed`), as many of a cell's own as weigh what is above it, and the cell's: that compresses it as much.
/// Light fluid under heavy has more of them than there are. Or as many of one fluid as sink by as much in all, which is by the
/// square of their number: layers that lie on each other sink by more than each alone.
static inline unsigned pbf_find_run(PBF_GLOBAL const unsigned *tables, PbfCell cell, int count,
                                    const PbfColumns *columns, const int mixed) {
    const unsigned full = (unsigned)columns->full;
    unsigned most = 0, sum = 0, peak = 0, last = 0;
    float above = 0, lastHeaviness = 0, sink = 0;
    cell.k -= (unsigned)columns->along;
    if (pbf_get_count(tables, cell, columns) > 0) return 0;
    for (int cells = 0; cells < count; cells++) {
        cell.k += (unsigned)columns->along;
        PbfMix mix = {0, 0, 0};
        if (mixed) mix = pbf_get_mix(tables, cell, columns);
        unsigned here = mixed ? mix.count : pbf_get_count(tables, cell, columns),
                 bounded = here < full ? here : full;
        sum += here;
        unsigned borne = sum;
        if (mixed) {
            float load = above * mix.lightness * columns->bearing, own = (float)here;
            sink += (load + 0.5f * own) * own;
            float alike = pbf_sqrt(2 * sink);
            borne = (unsigned)(0.5f + (load + own > alike ? load + own : alike));
        }
        most = borne > most ? borne : most;
        if (here == 0) break;
        bool ends = 2 * bounded < peak;
        if (ends) sum = peak = here; // the end of one, perhaps the start of another
        bool begins = bounded > 2 * peak || (4 * bounded >= 3 * full && 4 * peak < 3 * full);
        if (begins) sum = last + here, peak = 0; // water below spray, or below a jet that falls into it
        peak = bounded > peak ? bounded : peak;
        last = here;
        if (!mixed) continue;
        above = mix.heaviness + (begins ? lastHeaviness : ends ? 0 : above);
        lastHeaviness = mix.heaviness;
        if (ends || begins) sink = 0.5f * (float)sum * (float)sum;
    }
    return most;
}
