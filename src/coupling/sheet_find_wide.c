// SPDX-License-Identifier: MIT
// The search: clusters of particles list the elements that may be near them, and each of their particles looks at those.
#include <float.h>
#include <math.h>
#include <string.h>

#include "coupling/sheet_lanes.h"

typedef struct Box {
    REAL low[3], high[3];
} Box;

WB_INLINE Box load_box(float *const bounds[WB_SHEET_BOUNDS], int k) {
    return (Box){{real_load(bounds[0] + k), real_load(bounds[1] + k), real_load(bounds[2] + k)},
                 {real_load(bounds[3] + k), real_load(bounds[4] + k), real_load(bounds[5] + k)}};
}

WB_INLINE void include(Box *box, SheetVec p) {
    const REAL place[3] = {p.x, p.y, p.z};
    for (int a = 0; a < 3; a++)
        box->low[a] = real_min(box->low[a], place[a]), box->high[a] = real_max(box->high[a], place[a]);
}

WB_INLINE void include_around(Box *box, SheetVec p, REAL by) {
    include(box, (SheetVec){p.x - by, p.y - by, p.z - by});
    include(box, (SheetVec){p.x + by, p.y + by, p.z + by});
}

static float get_least(REAL a) {
    float lanes[WB_LANES];
    real_store(lanes, a);
    for (int l = 1; l < WB_LANES; l++)
        if (lanes[l] < lanes[0]) lanes[0] = lanes[l];
    return lanes[0];
}

// How far elements from e on may be gone to or come from, beyond their ways.
WB_INLINE REAL get_more(REAL margin, REAL radius) { return real_max(margin, radius); }

// Around the ways of elements from e on; those behind the last are nowhere.
WB_INLINE void bound_lanes(const wbSheetPass *pass, int e, Box *all) {
    const wbSheets *sheets = pass->sheets;
    const REAL nowhere = real_set(1e30f), zero = real_set(0);
    const REAL left = real_set((float)(sheets->elementCount - e)) - real_from_ints(ints_count()),
               radius = real_load(sheets->radii + e);
    const MASK is = real_less(zero, left), isBall = real_less(zero, radius);
    Box box = {{nowhere, nowhere, nowhere}, {-nowhere, -nowhere, -nowhere}};
    REAL way2 = zero;
    for (int c = 0; c < 3; c++) {
        const SheetVec start = load_place(sheets->places[0], sheets->corners[c] + e),
                       end = load_place(sheets->places[1], sheets->corners[c] + e),
                       way = sheet_sub(end, start);
        include(&box, start), include(&box, end);
        way2 = real_max(way2, sheet_dot(way, way));
    }
    const REAL margin = real_select(isBall, zero, 2.0f * real_sqrt(way2)), more = get_more(margin, radius);
    for (int a = 0; a < 3; a++) {
        box.low[a] = real_select(is, box.low[a], nowhere),
        box.high[a] = real_select(is, box.high[a], -nowhere);
        real_store(pass->bounds[a] + e, box.low[a]), real_store(pass->bounds[3 + a] + e, box.high[a]);
        all->low[a] = real_min(all->low[a], box.low[a] - more);
        all->high[a] = real_max(all->high[a], box.high[a] + more);
    }
    real_store(pass->bounds[6] + e, margin), real_store(pass->bounds[7] + e, radius);
}

static void bound(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSheetPass *pass = context;
    const REAL nowhere = real_set(1e30f);
    for (int c = begin; c < end; c++) {
        Box all = {{nowhere, nowhere, nowhere}, {-nowhere, -nowhere, -nowhere}};
        for (int l = 0; l < WB_SHEET_CLUSTER; l += WB_LANES)
            bound_lanes(pass, c * WB_SHEET_CLUSTER + l, &all);
        for (int a = 0; a < 3; a++) {
            pass->clusters[a][c] = get_least(all.low[a]);
            pass->clusters[3 + a][c] = -get_least(-all.high[a]);
        }
    }
}

// A particle's way, and how far beside its beginning elements are looked at: corrections may be as long as ways.
typedef struct Way {
    const float *start, *end;
    float far, reach; // reach: beside its end, of its own kernel
} Way;

static Way get_way(const wbSheetPass *pass, int i) {
    const wbSheetSwarm *swarm = pass->swarm;
    const float size = swarm->sizes ? swarm->sizes[i] : 1;
    Way way = {swarm->starts + 4 * (size_t)i, swarm->places + 4 * (size_t)i, 0, size * pass->reach};
    float length2 = 0;
    for (int a = 0; a < 3; a++) length2 += (way.end[a] - way.start[a]) * (way.end[a] - way.start[a]);
    way.far = 2 * sqrtf(length2) + 0.5f * size * swarm->spacing;
    return way;
}

// Where elements may be that particles from `first` on may meet.
static void bound_cluster(const wbSheetPass *pass, int first, int end, float low[3], float high[3]) {
    const wbSheetSwarm *swarm = pass->swarm;
    const REAL nowhere = real_set(1e30f);
    Box box = {{nowhere, nowhere, nowhere}, {-nowhere, -nowhere, -nowhere}};
    for (int i = first; i < end; i += WB_LANES) {
        int index[WB_LANES];
        ints_store(index, ints_min(ints_count() + i, ints_set(end - 1)));
        float sizes[WB_LANES];
        for (int l = 0; l < WB_LANES; l++) sizes[l] = swarm->sizes ? swarm->sizes[index[l]] : 1;
        const REAL size = real_load(sizes);
        const SheetVec from = load_place(swarm->starts, index), to = load_place(swarm->places, index),
                       way = sheet_sub(to, from);
        const REAL far =
            real_madd(real_sqrt(sheet_dot(way, way)), real_set(2), size * real_set(0.5f * swarm->spacing));
        include_around(&box, from, far), include_around(&box, to, size * real_set(pass->reach));
    }
    for (int a = 0; a < 3; a++) low[a] = get_least(box.low[a]), high[a] = -get_least(-box.high[a]);
}

WB_INLINE unsigned find_overlap(Box box, REAL more, const float low[3], const float high[3]) {
    REAL gap = real_set(-1);
    for (int a = 0; a < 3; a++)
        gap = real_max(gap, real_max(box.low[a] - more - high[a], low[a] - box.high[a] - more));
    return lane_less(gap, real_set(1e-30f));
}

WB_INLINE int list_elements(const wbSheetPass *pass, wbSheetScratch *scratch, int e, int count,
                            const float low[3], const float high[3]) {
    for (int k = e; k < e + WB_SHEET_CLUSTER; k += WB_LANES) {
        const REAL more = get_more(real_load(pass->bounds[6] + k), real_load(pass->bounds[7] + k));
        const unsigned bits = find_overlap(load_box(pass->bounds, k), more, low, high);
        if (!bits) continue;
        for (int column = 0; column < WB_SHEET_BOUNDS; column++)
            lane_pack(scratch->bounds[column] + count, bits, real_load(pass->bounds[column] + k));
        count += lane_pack_ints(scratch->listed + count, bits, ints_count() + k);
    }
    return count;
}

// The elements that particles of a cluster may meet; how many.
static int list(const wbSheetPass *pass, wbSheetScratch *scratch, int first, int end) {
    float low[3], high[3];
    int count = 0;
    bound_cluster(pass, first, end, low, high);
    for (int c = 0; c < pass->clusterCount; c += WB_LANES) {
        unsigned bits = find_overlap(load_box(pass->clusters, c), real_set(0), low, high) &
                        lane_first(pass->clusterCount - c);
        for (; bits; bits &= bits - 1)
            count =
                list_elements(pass, scratch, (c + __builtin_ctz(bits)) * WB_SHEET_CLUSTER, count, low, high);
    }
    return count;
}

WB_INLINE REAL get_distance2(Box box, const float p[3]) {
    REAL sum = real_set(0);
    for (int a = 0; a < 3; a++) {
        const REAL beside = real_max(real_max(box.low[a] - p[a], p[a] - box.high[a]), real_set(0));
        sum = real_madd(beside, beside, sum);
    }
    return sum;
}

// By squared distances from the end and the beginning of a way: near enough to feel it at the end, or to come to it. Balls nothing goes
// through.
WB_INLINE unsigned find_near(const Way *way, REAL margin, REAL radius, REAL end2, REAL start2) {
    const REAL near = radius + way->reach,
               far = real_select(real_less(real_set(0), radius), real_set(0), margin + way->far);
    return lane_less(end2, near * near) | lane_less(start2, far * far);
}

// Of those that are listed from k on.
WB_INLINE unsigned find_met(const wbSheetScratch *scratch, const Way *way, int k, int count) {
    const Box box = load_box(scratch->bounds, k);
    return lane_first(count - k) & find_near(way, real_load(scratch->bounds[6] + k),
                                             real_load(scratch->bounds[7] + k), get_distance2(box, way->end),
                                             get_distance2(box, way->start));
}

static void count(int begin, int end, int worker, void *context) {
    const wbSheetPass *pass = context;
    wbSheetScratch *scratch = pass->sheets->scratches + worker;
    for (int first = begin; first < end; first += WB_SHEET_CLUSTER) {
        const int last = first + WB_SHEET_CLUSTER < end ? first + WB_SHEET_CLUSTER : end,
                  listed = list(pass, scratch, first, last);
        for (int i = first; i < last; i++) {
            const Way way = get_way(pass, i);
            int found = 0;
            for (int k = 0; k < listed; k += WB_LANES)
                found += __builtin_popcount(find_met(scratch, &way, k, listed));
            pass->counts[i] = found;
        }
    }
}

// What a particle may meet, into `packed`; how many. Behind them is one vector of what may be read.
static int pack_met(wbSheetScratch *scratch, const Way *way, int listed) {
    int found = 0;
    for (int k = 0; k < listed; k += WB_LANES) {
        const unsigned bits = find_met(scratch, way, k, listed);
        if (!bits) continue;
        lane_pack(scratch->margins + found, bits, real_load(scratch->bounds[6] + k));
        lane_pack(scratch->radii + found, bits, real_load(scratch->bounds[7] + k));
        found += lane_pack_ints(scratch->packed + found, bits, ints_load(scratch->listed + k));
    }
    ints_store(scratch->packed + found, ints_set(0));
    return found;
}

// The nearest triangle in each lane, and where on it.
typedef struct Nearest {
    REAL distance2, element, part;
} Nearest;

// The side of the one that was nearest at the start; 0: there is none, or it is beyond a rim.
static int find_side(const wbSheets *sheets, const float *start, const Nearest *nearest) {
    float distances2[WB_LANES], elements[WB_LANES], parts[WB_LANES];
    int best = 0;
    real_store(distances2, nearest->distance2), real_store(elements, nearest->element);
    real_store(parts, nearest->part);
    for (int l = 1; l < WB_LANES; l++)
        if (distances2[l] < distances2[best]) best = l;
    if (!(distances2[best] < FLT_MAX)) return 0;
    const int element = (int)elements[best];
    const bool isRim = wbSheets_GetElement(sheets, element)->rims >> (int)parts[best] & 1;
    return isRim ? 0 : wbSheets_FindSide(sheets, element, start);
}

// By heights above planes; 0: a ball.
WB_INLINE REAL find_sides(const wbSheets *sheets, const Way *way, const int *elements, REAL height,
                          REAL radius, float hair) {
    float sides[WB_LANES];
    const REAL one = real_set(1), zero = real_set(0);
    real_store(sides,
               real_select(real_less(zero, radius), zero, real_select(real_less(zero, height), one, -one)));
    unsigned close = lane_less(real_abs(height), real_set(hair)) & ~lane_less(zero, radius);
    for (; close; close &= close - 1) {
        const int l = __builtin_ctz(close);
        sides[l] = (float)wbSheets_FindSide(sheets, elements[l], way->start);
    }
    return real_load(sides);
}

// Of corners that are closest: those that other triangles at them hide.
static unsigned find_hidden_corners(const wbSheets *sheets, const int *elements, unsigned bits,
                                    const SheetClosest *closest, float slack) {
    float parts[WB_LANES], away[3][WB_LANES];
    unsigned hidden = 0;
    real_store(parts, closest->part);
    real_store(away[0], closest->away.x), real_store(away[1], closest->away.y),
        real_store(away[2], closest->away.z);
    for (; bits; bits &= bits - 1) {
        const int l = __builtin_ctz(bits),
                  corner = sheets->corners[(int)parts[l] - SHEET_CORNER][elements[l]];
        if (wbSheets_IsCornerHidden(sheets, corner, (const float[3]){away[0][l], away[1][l], away[2][l]}, 0,
                                    slack))
            hidden |= 1u << l;
    }
    return hidden;
}

// Of elements that are near: those that are no feet where the particle is now, nor within the slack around that. Of a triangle that is neither
// under the particle nor soon to be, edges and corners may be behind others that are nearer.
WB_INLINE unsigned find_idle(const wbSheetPass *pass, const Way *way, const int *elements,
                             const SheetClosest *closest, SheetVec from, REAL height, REAL radius) {
    const float slack = pass->slack;
    const REAL far = radius + (way->reach + slack), beside2 = closest->distance2 - height * height;
    const unsigned balls = lane_less(real_set(0), radius),
                   beside = lane_less(real_set(slack * slack), beside2) & ~balls &
                            lane_less(closest->part, real_set(SHEET_INSIDE - 0.5f));
    unsigned idle = lane_less(far * far, closest->distance2), rims;
    if (beside & ~idle)
        idle |=
            beside & find_hidden(pass->sheets, ints_load(elements), closest, from, real_set(0), slack, &rims);
    const unsigned corners = beside & ~idle & lane_less(real_set(SHEET_CORNER - 0.5f), closest->part);
    return corners ? idle | find_hidden_corners(pass->sheets, elements, corners, closest, slack) : idle;
}

// What cannot be feet soon, behind what can.
WB_INLINE void append_idle(const wbSheets *sheets, const wbSheetScratch *scratch, wbNearSheet *near) {
    int *elements = sheets->slotElements + near->firstSlot + near->activeCount;
    float *sides = sheets->slotSides + near->firstSlot + near->activeCount;
    const int count = near->slotCount - near->activeCount;
    for (int k = 0; k < count; k += WB_LANES) {
        ints_store(elements + k, ints_load(scratch->idle + k));
        real_store(sides + k, real_load(scratch->idleSides + k));
    }
    ints_store(elements + count, ints_set(0)), real_store(sides + count, real_set(0));
}

// Slots of what a particle meets.
static void fill_one(const wbSheetPass *pass, const wbSheetScratch *scratch, wbNearSheet *near,
                     const Way *way, int packed) {
    const wbSheets *sheets = pass->sheets;
    const float hair = get_hair(way->start, pass->swarm->spacing);
    const REAL zero = real_set(0);
    const bool isAtStart = sheets->moment == 0;
    const SheetVec from = set_vec(way->start), to = set_vec(way->end);
    int *elements = sheets->slotElements + near->firstSlot;
    float *sides = sheets->slotSides + near->firstSlot;
    Nearest nearest = {real_set(FLT_MAX), zero, zero};
    int idleCount = 0;
    near->activeCount = near->triangleCount = 0;
    memcpy(near->place, isAtStart ? way->start : way->end, sizeof near->place);
    for (int k = 0; k < packed; k += WB_LANES) {
        const INTS e = ints_load(scratch->packed + k);
        const REAL radius = real_load(scratch->radii + k);
        const SheetShape start = load_shape(sheets->shapes[0], e), end = load_shape(sheets->shapes[1], e);
        const SheetVec seen = sheet_sub(from, start.a), now = sheet_sub(to, end.a);
        const SheetClosest first = sheet_closest(&start, seen), last = sheet_closest(&end, now);
        const unsigned bits = lane_first(packed - k) & find_near(way, real_load(scratch->margins + k), radius,
                                                                 last.distance2, first.distance2),
                       triangles = bits & ~lane_less(zero, radius);
        if (!bits) continue;
        const unsigned idle = bits & (isAtStart ? find_idle(pass, way, scratch->packed + k, &first, seen,
                                                            sheet_dot(start.normal, seen), radius)
                                                : find_idle(pass, way, scratch->packed + k, &last, now,
                                                            sheet_dot(end.normal, now), radius));
        const REAL side =
            find_sides(sheets, way, scratch->packed + k, sheet_dot(start.normal, seen), radius, hair);
        lane_pack(sides + near->activeCount, bits & ~idle, side);
        near->activeCount += lane_pack_ints(elements + near->activeCount, bits & ~idle, e);
        lane_pack(scratch->idleSides + idleCount, idle, side);
        idleCount += lane_pack_ints(scratch->idle + idleCount, idle, e);
        near->triangleCount += __builtin_popcount(triangles);
        const REAL own = real_select(real_mask(triangles), first.distance2, real_set(FLT_MAX));
        const MASK isNearer = real_less(own, nearest.distance2);
        nearest = (Nearest){real_select(isNearer, own, nearest.distance2),
                            real_select(isNearer, real_from_ints(e), nearest.element),
                            real_select(isNearer, first.part, nearest.part)};
    }
    near->slotCount = near->activeCount + idleCount;
    append_idle(sheets, scratch, near);
    for (int k = 0; k < near->slotCount && !near->isByRim; k++)
        near->isByRim = sheets->openRims[elements[k]] & 7;
    near->side = find_side(sheets, way->start, &nearest);
}

static void fill(int begin, int end, int worker, void *context) {
    const wbSheetPass *pass = context;
    const wbSheets *sheets = pass->sheets;
    wbSheetScratch *scratch = sheets->scratches + worker;
    for (int first = begin; first < end; first += WB_SHEET_CLUSTER) {
        const int last = first + WB_SHEET_CLUSTER < end ? first + WB_SHEET_CLUSTER : end;
        int listed = -1;
        for (int i = first; i < last; i++) {
            if (sheets->nearOf[i] < 0) continue;
            const Way way = get_way(pass, i);
            if (listed < 0) listed = list(pass, scratch, first, last);
            fill_one(pass, scratch, &sheets->near[sheets->nearOf[i]], &way, pack_met(scratch, &way, listed));
        }
    }
}

const wbSheetFindCode WB_WIDE(wb_sheetFindCode) = {bound, count, fill};
