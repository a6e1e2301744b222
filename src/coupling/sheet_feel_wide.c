// SPDX-License-Identifier: MIT
// What particles feel of elements near them, and which of those they may have gone through.
#include <float.h>
#include <math.h>

#include "coupling/sheet_lanes.h"

// Of edges: the corner across them, as seen from the element's first, and whether they and their first corners are on rims.
static void shape_across(const wbSheets *sheets, const float *places, int e, SheetVec a) {
    int index[WB_LANES];
    for (int k = 0; k < 3; k++) {
        const SheetVec seen = sheet_sub(load_place(places, sheets->across[k] + e), a);
        ints_store(index, (ints_count() + e) * 3 + k);
        lane_scatter4(sheets->acrossShapes, index,
                      (REAL4){seen.x, seen.y, seen.z, real_load(sheets->rimMarks[k] + e)});
    }
}

static void shape(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSheetPass *pass = context;
    const wbSheets *sheets = pass->sheets;
    const float *places = sheets->places[pass->moment];
    for (int e = begin; e < end; e += WB_LANES) {
        const SheetShape s = sheet_shape(
            load_place(places, sheets->corners[0] + e), load_place(places, sheets->corners[1] + e),
            load_place(places, sheets->corners[2] + e), real_load(sheets->radii + e));
        store_shape(sheets->shapes[pass->moment], ints_count() + e, &s);
        if (pass->moment == sheets->moment) shape_across(sheets, places, e, s.a);
    }
}

// Elements from a slot on, as a particle sees them.
typedef struct Sight {
    SheetClosest closest;
    SheetVec from, normal; // of the first corner; towards the side that the particle is on
    REAL length, distance; // m, from the closest point, and along what is the foot's normal
    INTS element;
    unsigned inside, balls, on, rims; // on: at the closest point itself; rims: that is on a rim
} Sight;

WB_INLINE Sight see_slots(const wbSheets *sheets, const float *place, int slot, float spacing) {
    Sight sight = {.element = ints_load(sheets->slotElements + slot)};
    const SheetShape s = load_shape(sheets->shapes[sheets->moment], sight.element);
    const REAL side = real_load(sheets->slotSides + slot);
    sight.from = sheet_sub(set_vec(place), s.a);
    sight.closest = sheet_closest(&s, sight.from);
    sight.normal = sheet_scale(side, s.normal);
    sight.length = real_sqrt(sight.closest.distance2);
    sight.balls = lane_less(real_abs(side), real_set(0.5f));
    sight.inside = lane_less(real_set(SHEET_INSIDE - 0.5f), sight.closest.part);
    sight.on = lane_less(sight.length, real_set(1e-5f * spacing));
    sight.distance = real_select(real_mask(sight.balls), sight.length - s.size, sight.length);
    return sight;
}

// What of them may be a foot, with its normal and its distance along that.
WB_INLINE unsigned find_feet(const wbSheetPass *pass, Sight *sight, unsigned bits, float h, float spacing) {
    const REAL across = sheet_dot(sight->closest.away, sight->normal), zero = real_set(0),
               inverse = sheet_inverse(sight->length, 1e-20f);
    bits &= lane_less(sight->distance, real_set(h)) & ~(sight->balls & sight->on);
    const unsigned beside = bits & ~sight->inside & ~sight->balls;
    sight->rims = 0;
    if (beside) {
        unsigned rims;
        const unsigned back = lane_less(across, -0.2f * sight->length) &
                              lane_less(sight->length, real_set(0.3f * spacing)) & ~sight->on;
        bits &= ~(beside & (back | find_hidden(pass->sheets, sight->element, &sight->closest, sight->from,
                                               real_set(1e-5f * h * spacing), 0, &rims)));
        sight->rims = beside & rims;
        bits &= ~sight->rims | lane_less(zero, across);
    }
    const unsigned flat = sight->inside | sight->rims | (sight->on & ~sight->balls);
    sight->normal = sheet_select(real_mask(flat), sight->normal, sheet_scale(inverse, sight->closest.away));
    sight->distance = real_select(real_mask(sight->inside | sight->rims), across,
                                  real_select(real_mask(sight->on & ~sight->balls), zero, sight->distance));
    return bits & lane_less(real_set(-1.5f * spacing), sight->distance);
}

static int add_candidates(const Sight *sight, unsigned bits, int slot, wbSheetCandidate *candidates,
                          int count) {
    enum { COLUMNS = 8 };
    float lanes[COLUMNS][WB_LANES];
    const SheetClosest *closest = &sight->closest;
    const REAL columns[COLUMNS] = {sight->distance, sight->normal.x, sight->normal.y, sight->normal.z,
                                   closest->v,      closest->w,      closest->part,   sight->length};
    for (int c = 0; c < COLUMNS; c++) real_store(lanes[c], columns[c]);
    for (; bits; bits &= bits - 1) {
        const int l = __builtin_ctz(bits);
        candidates[count++] =
            (wbSheetCandidate){.slot = slot + l,
                               .part = (int)lanes[6][l],
                               .distance = lanes[0][l],
                               .length = lanes[7][l],
                               .isBeyond = sight->rims >> l & 1,
                               .share = 1,
                               .normal = {lanes[1][l], lanes[2][l], lanes[3][l]},
                               .weights = {1 - lanes[4][l] - lanes[5][l], lanes[4][l], lanes[5][l]}};
    }
    return count;
}

// Whether it may have other feet by now than slots that were active when they were found. Nodes count twice: at a distance triangles turn more
// than their corners move.
static bool has_strayed(const wbSheetPass *pass, const wbNearSheet *near, const float *place) {
    const float left = WB_SHEET_SLACK * pass->swarm->spacing - 2 * pass->sheets->stray;
    float away2 = 0;
    if (pass->sheets->moment == 0) return false;
    for (int a = 0; a < 3; a++) away2 += (place[a] - near->place[a]) * (place[a] - near->place[a]);
    return !(left > 0 && away2 < left * left);
}

static void feel(int begin, int end, int worker, void *context) {
    const wbSheetPass *pass = context;
    const wbSheets *sheets = pass->sheets;
    const wbSheetScratch *scratch = sheets->scratches + worker;
    const wbSheetSwarm *swarm = pass->swarm;
    const float *places = sheets->moment == 0 ? swarm->starts : swarm->places;
    for (int n = begin; n < end; n++) {
        wbNearSheet *near = &sheets->near[n];
        const float *place = places + 4 * (size_t)near->particle;
        const float size = swarm->sizes ? swarm->sizes[near->particle] : 1, spacing = size * swarm->spacing;
        const int slots = has_strayed(pass, near, place) ? near->slotCount : near->activeCount;
        int count = 0;
        for (int k = 0; k < slots; k += WB_LANES) {
            Sight sight = see_slots(sheets, place, near->firstSlot + k, spacing);
            const unsigned bits = find_feet(pass, &sight, lane_first(slots - k), size * swarm->h, spacing);
            if (bits) count = add_candidates(&sight, bits, near->firstSlot + k, scratch->candidates, count);
        }
        wbSheets_ChooseFeet(pass, near, scratch, count);
    }
}

// The widest gap along an axis between a point and a triangle that both go evenly.
WB_INLINE REAL find_gap(const SheetShape *start, const SheetShape *end, SheetVec from, SheetVec to) {
    const SheetVec a = sheet_sub(start->a, from), b = sheet_sub(end->a, to);
    const SheetVec corners[6] = {
        a, sheet_add_scaled(a, real_set(1), start->ab), sheet_add_scaled(a, real_set(1), start->ac),
        b, sheet_add_scaled(b, real_set(1), end->ab),   sheet_add_scaled(b, real_set(1), end->ac)};
    SheetVec low = a, high = a;
    for (int k = 1; k < 6; k++) {
        low = (SheetVec){real_min(low.x, corners[k].x), real_min(low.y, corners[k].y),
                         real_min(low.z, corners[k].z)};
        high = (SheetVec){real_max(high.x, corners[k].x), real_max(high.y, corners[k].y),
                          real_max(high.z, corners[k].z)};
    }
    return real_max(real_max(real_max(low.x, -high.x), real_max(low.y, -high.y)), real_max(low.z, -high.z));
}

static int sift(const wbSheetPass *pass, const wbNearSheet *near, int worker) {
    const wbSheets *sheets = pass->sheets;
    const wbSheetSwarm *swarm = pass->swarm;
    const float *from = swarm->starts + 4 * (size_t)near->particle,
                *to = swarm->places + 4 * (size_t)near->particle, hair = get_hair(to, swarm->spacing);
    int *packed = sheets->scratches[worker].packed, count = 0;
    if (near->triangleCount == 0) return 0;
    for (int k = 0; k < near->slotCount; k += WB_LANES) {
        const INTS e = ints_load(sheets->slotElements + near->firstSlot + k);
        const SheetShape start = load_shape(sheets->shapes[0], e), end = load_shape(sheets->shapes[1], e);
        const REAL side = real_load(sheets->slotSides + near->firstSlot + k),
                   gap = find_gap(&start, &end, set_vec(from), set_vec(to));
        const unsigned bits = lane_first(near->slotCount - k) & ~lane_less(real_set(hair), gap) &
                              ~lane_less(real_abs(side), real_set(0.5f));
        if (bits) count += lane_pack_ints(packed + count, bits, ints_count() + (near->firstSlot + k));
    }
    return count;
}

const wbSheetFeelCode WB_WIDE(wb_sheetFeelCode) = {shape, feel, sift};
