// SPDX-License-Identifier: MIT
// The cells that particles are counted in to find how deep the water is: the same in C and in OpenCL C.
#pragma once

#ifdef __OPENCL_VERSION__
#    define PBF_GLOBAL __global
#else
#    define PBF_GLOBAL
#endif

/// In spacings, of a cell in each direction: narrow enough for a trough, wide enough that a column's count says its depth.
#define PBF_CELL_WIDTH 3

typedef struct PbfColumns {
    float inverseWidth; ///< 1/m
    unsigned mask;      ///< slots of a table - 1
    int along;          ///< of the cell below a cell: 1 or -1
    int full;           ///< particles of a cell in water at rest
} PbfColumns;

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
    a = a < -farthest ? -farthest : a > farthest ? farthest : a;
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

/// Particles of the deepest water below the highest cell of a column, 0 for a lower cell. Only what bears on each other counts:
/// where there are less than half as many particles in a cell as above or below it, but no more than water at rest has, water
/// ends. So do a trough's water at the basin's below it, and a jet, which falls apart, at the pool that it falls into. The cell at
/// an end, which the surface cuts, counts still.
static inline unsigned pbf_find_run(PBF_GLOBAL const unsigned *tables, PbfCell cell, int count,
                                    const PbfColumns *columns) {
    const unsigned full = (unsigned)columns->full;
    unsigned most = 0, sum = 0, peak = 0, last = 0;
    cell.k -= (unsigned)columns->along;
    if (pbf_get_count(tables, cell, columns) > 0) return 0;
    for (int cells = 0; cells < count; cells++) {
        cell.k += (unsigned)columns->along;
        unsigned here = pbf_get_count(tables, cell, columns), bounded = here < full ? here : full;
        sum += here;
        most = sum > most ? sum : most;
        if (here == 0) break;
        if (2 * bounded < peak) sum = peak = here;           // the end of one, perhaps the start of another
        if (bounded > 2 * peak) sum = last + here, peak = 0; // water below spray
        peak = bounded > peak ? bounded : peak;
        last = here;
    }
    return most;
}
