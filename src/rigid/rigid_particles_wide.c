// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "rigid/rigid_motion_formula.h"
#include "rigid/rigid_particles_code.h"

#define FAR_AWAY 1e18f // m: its square is still finite

WB_INLINE RigidVector set_three(const float a[3]) { return rigid_set(a[0], a[1], a[2]); }

WB_INLINE RigidVector load_three(const float *x, const float *y, const float *z, int i) {
    return rigid_vector(real_load(x + i), real_load(y + i), real_load(z + i));
}

WB_INLINE RigidVector get_place(const wbRigid *rigid, int body) {
    return rigid_set(rigid->x[body], rigid->y[body], rigid->z[body]);
}

WB_INLINE RigidAxes get_axes(const wbRigid *rigid, int body) {
    const RigidTurn q = {real_set(rigid->qx[body]), real_set(rigid->qy[body]), real_set(rigid->qz[body]),
                         real_set(rigid->qw[body])};
    return rigid_axes(q);
}

WB_INLINE void store_mover(float *m, const wbRigid *r, int b) {
    m[0] = r->x[b], m[1] = r->y[b], m[2] = r->z[b], m[3] = 0;
    m[4] = r->vx[b], m[5] = r->vy[b], m[6] = r->vz[b], m[7] = 0;
    m[8] = r->wx[b], m[9] = r->wy[b], m[10] = r->wz[b], m[11] = 0;
}

static void place(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidPlacing *placing = context;
    const wbRigid *rigid = placing->rigid;
    const wbRigidParticles *p = &rigid->particles;
    for (int body = begin; body < end; body++) {
        store_mover((float *)p->movers.data + WB_RIGID_MOVER * (size_t)body, rigid, body);
        if (body >= p->bodyCount || p->particleCount[body] == 0) continue;
        const RigidVector centre = get_place(rigid, body);
        const RigidAxes axes = get_axes(rigid, body);
        const int last = p->firstParticle[body] + p->particleCount[body];
        for (int i = p->firstParticle[body]; i < last; i += WB_LANES) {
            const RigidVector own = load_three(p->x, p->y, p->z, i);
            const RigidVector at = rigid_add(centre, rigid_turn(axes, own));
            if (placing->records)
                lane_store4(p->places + 4 * (size_t)i, (REAL4){at.x, at.y, at.z, real_load(p->radius + i)});
            real_store(p->world[0] + i, at.x), real_store(p->world[1] + i, at.y);
            real_store(p->world[2] + i, at.z);
        }
    }
}

WB_INLINE wbRigidFrame make_frame(const wbRigid *r, int body) {
    const wbRigidParticles *p = &r->particles;
    const float x = r->qx[body], y = r->qy[body], z = r->qz[body], w = r->qw[body];
    wbRigidFrame f = {.axes = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
                               2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                               2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
                      .middle = {r->x[body], r->y[body], r->z[body]},
                      .radius = p->particleCount[body] > 0 ? p->radius[p->firstParticle[body]] : 0};
    for (int k = 0; k < 3; k++) {
        f.half[k] = p->half[k][body];
        for (int c = 0; c < 3; c++) f.middle[c] += p->middle[k][body] * f.axes[3 * k + c];
    }
    return f;
}

static void spread(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidFinder *finder = context;
    for (int body = begin; body < end; body++) finder->frames[body] = make_frame(finder->rigid, body);
}

// Boxes of WB_LANES bodies.
typedef struct Frames {
    RigidVector axes[3], middle;
    REAL half[3];
} Frames;

WB_INLINE Frames load_frames(const wbRigidFrame *frames, const int *bodies) {
    const float *records = (const float *)frames;
    int quads[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) quads[k] = 4 * bodies[k];
    const REAL4 a = lane_load4(records, quads), b = lane_load4(records + 4, quads),
                c = lane_load4(records + 8, quads), d = lane_load4(records + 12, quads);
    const Frames f = {{rigid_vector(a.x, a.y, a.z), rigid_vector(a.w, b.x, b.y), rigid_vector(b.z, b.w, c.x)},
                      rigid_vector(c.y, c.z, c.w),
                      {d.x, d.y, d.z}};
    return f;
}

// Which of the boxes come near one, by the axes of their faces. The slack is for rounding: no pair may be lost that the exact test
// would find.
WB_INLINE unsigned are_boxes_near(const wbRigidFrame *one, const Frames *b, float margin) {
    const RigidVector d = rigid_sub(b->middle, set_three(one->middle));
    const REAL slack = real_set(1.0001f);
    REAL reach[3];
    unsigned apart = 0;
    for (int j = 0; j < 3; j++) reach[j] = b->half[j] + margin;
    for (int i = 0; i < 3; i++) {
        const RigidVector u = set_three(one->axes + 3 * i);
        REAL room = real_set(one->half[i] + margin);
        for (int j = 0; j < 3; j++) {
            const REAL c = real_abs(rigid_dot(u, b->axes[j]));
            room = real_madd(b->half[j], c, room), reach[j] = real_madd(real_set(one->half[i]), c, reach[j]);
        }
        apart |= lane_less(room * slack, real_abs(rigid_dot(u, d)));
    }
    for (int j = 0; j < 3; j++) apart |= lane_less(reach[j] * slack, real_abs(rigid_dot(b->axes[j], d)));
    return ~apart;
}

static int pick(const wbRigidFinder *finder, int body, int *others, int count) {
    int kept = 0;
    ints_store(others + count, ints_set(body));
    for (int k = 0; k < count; k += WB_LANES) {
        const Frames frames = load_frames(finder->frames, others + k);
        const unsigned near = are_boxes_near(&finder->frames[body], &frames, finder->margin);
        kept += lane_pack_ints(others + kept, near & lane_first(count - k), ints_load(others + k));
    }
    return kept;
}

// A box that points are tried for: in vectors, or each of them would load it anew.
typedef struct Box {
    RigidVector axes[3], middle;
    REAL half[3]; // m
} Box;

// Grown by `room`, with a slack for rounding.
WB_INLINE Box load_box(const wbRigidFrame *frame, float room) {
    Box box = {.middle = set_three(frame->middle)};
    for (int k = 0; k < 3; k++)
        box.axes[k] = set_three(frame->axes + 3 * k),
        box.half[k] = real_set(1.0001f * (frame->half[k] + room));
    return box;
}

// Which of the points are in it.
WB_INLINE unsigned find_inside(const Box *box, RigidVector at) {
    const RigidVector gap = rigid_sub(at, box->middle);
    REAL outside[3];
    for (int k = 0; k < 3; k++) outside[k] = real_abs(rigid_dot(box->axes[k], gap)) - box->half[k];
    return lane_less(real_max(real_max(outside[0], outside[1]), outside[2]), real_set(0));
}

WB_INLINE RigidVector load_places(const wbRigidParticles *p, int i) {
    return load_three(p->world[0], p->world[1], p->world[2], i);
}

// Cells of a grid.
typedef struct CellRange {
    int min[3], max[3];
} CellRange;

// Those that a box reaches.
WB_INLINE CellRange get_cells(const wbGrid *grid, const float min[3], const float max[3]) {
    CellRange range;
    for (int k = 0; k < 3; k++)
        range.min[k] = wbGrid_GetCell(grid, k, min[k] - grid->slack),
        range.max[k] = wbGrid_GetCell(grid, k, max[k] + grid->slack);
    return range;
}

// A body that looks for others in cells.
typedef struct Scan {
    const wbRigidCells *cells;
    Box box;
    int body;
    int *seen, *others, count;
} Scan;

WB_INLINE void scan_run(Scan *scan, int begin, int end) {
    const wbRigidCells *cells = scan->cells;
    for (int j = begin; j < end; j += WB_LANES) {
        const RigidVector at = load_three(cells->x, cells->y, cells->z, j);
        unsigned bits = find_inside(&scan->box, at) & lane_first(end - j) &
                        ints_less(ints_set(scan->body), ints_load(cells->bodies + j));
        for (; bits; bits &= bits - 1) {
            const int other = cells->bodies[j + __builtin_ctz(bits)];
            if (scan->seen[other] == scan->body) continue;
            scan->seen[other] = scan->body, scan->others[scan->count++] = other;
        }
    }
}

// Rows that share a hashed slot are told twice, which `seen` does not mind.
static void scan_cells(Scan *scan, const CellRange *range) {
    const wbGrid *grid = scan->cells->grid;
    const int *start = grid->bucketStart.data;
    const int first = range->min[0], last = range->max[0];
    for (int z = range->min[2]; z <= range->max[2]; z++)
        for (int y = range->min[1]; y <= range->max[1]; y++) {
            if (!grid->hashed) {
                const int *row =
                    start + ((size_t)z * (size_t)grid->size[1] + (size_t)y) * (size_t)grid->size[0];
                scan_run(scan, row[first], row[last + 1]);
                continue;
            }
            for (int x = first >> 3; x <= last >> 3; x++) {
                const uint32_t slot = wbHashSlot((uint32_t)x, (uint32_t)y, (uint32_t)z) & grid->slotMask;
                const int *row = start + 8 * (size_t)slot;
                scan_run(scan, row[x == first >> 3 ? first & 7 : 0],
                         row[x == last >> 3 ? (last & 7) + 1 : 8]);
            }
        }
}

WB_INLINE float get_size(float a) { return a < 0 ? -a : a; }

// The cells of the body's box, or, where those are more, the cells around each of its particles: long bodies may lie aslant.
static int scan(const wbRigidFinder *finder, int worker, int body, int *others) {
    const wbRigidParticles *p = &finder->rigid->particles;
    const wbRigidFrame *box = &finder->frames[body];
    const float room = p->largestRadius + finder->margin;
    Scan scan = {.cells = &finder->cells,
                 .box = load_box(box, room),
                 .body = body,
                 .seen = finder->near[worker].seen,
                 .others = others};
    float min[3], max[3];
    for (int k = 0; k < 3; k++) {
        float half = room;
        for (int j = 0; j < 3; j++) half += box->half[j] * get_size(box->axes[3 * j + k]);
        min[k] = box->middle[k] - half * 1.0001f, max[k] = box->middle[k] + half * 1.0001f;
    }
    const CellRange all = get_cells(finder->cells.grid, min, max);
    const int64_t rows = (int64_t)(all.max[1] - all.min[1] + 1) * (all.max[2] - all.min[2] + 1);
    const int first = p->firstParticle[body], count = p->surfaceCount[body];
    if (rows <= 9 * (int64_t)count) {
        scan_cells(&scan, &all);
        return scan.count;
    }
    const float reach = (box->radius + room) * 1.0001f;
    for (int i = first; i < first + count; i++) {
        for (int k = 0; k < 3; k++) min[k] = p->world[k][i] - reach, max[k] = p->world[k][i] + reach;
        const CellRange range = get_cells(finder->cells.grid, min, max);
        scan_cells(&scan, &range);
    }
    return scan.count;
}

// Which of up to 64 particles of a body, from `first` on, are in a box: a bit each.
enum { MOST_BITS = 64 };
WB_INLINE uint64_t find_bits(const wbRigidParticles *p, const Box *box, int first, int count) {
    const float *const x = p->world[0] + first, *const y = p->world[1] + first,
                       *const z = p->world[2] + first;
    uint64_t bits = 0;
    for (int k = 0; k < count; k += WB_LANES)
        bits |= (uint64_t)(find_inside(box, load_three(x, y, z, k)) & lane_first(count - k)) << k;
    return bits;
}

// Those of a body in the box around another, packed, with their numbers if these are kept; behind them some that are far away.
WB_INLINE void find_near(const wbRigidFinder *finder, int body, const wbRigidFrame *frame, bool isOnce,
                         wbRigidNear *near) {
    const wbRigidParticles *p = &finder->rigid->particles;
    const int first = p->firstParticle[body], end = first + p->surfaceCount[body];
    const float *const worldX = p->world[0], *const worldY = p->world[1], *const worldZ = p->world[2];
    const Box box = load_box(frame, finder->frames[body].radius + finder->margin);
    float *restrict x = near->x, *restrict y = near->y, *restrict z = near->z;
    int *restrict id = near->id, found = 0;
    for (int i = first; i < end; i += WB_LANES) {
        const RigidVector at = load_three(worldX, worldY, worldZ, i);
        const unsigned bits = find_inside(&box, at) & lane_first(end - i);
        lane_pack(x + found, bits, at.x), lane_pack(y + found, bits, at.y), lane_pack(z + found, bits, at.z);
        if (!isOnce) lane_pack_ints(id + found, bits, ints_count() + i);
        found += __builtin_popcount(bits);
    }
    real_store(x + found, real_set(FAR_AWAY));
    near->count = found;
}

WB_INLINE void take_all(const wbRigidFinder *finder, int body, wbRigidNear *near) {
    const wbRigidParticles *p = &finder->rigid->particles;
    const int first = p->firstParticle[body], count = p->surfaceCount[body];
    for (int k = 0; k < count; k += WB_LANES) {
        const RigidVector at = load_places(p, first + k);
        real_store(near->x + k, at.x), real_store(near->y + k, at.y), real_store(near->z + k, at.z);
        ints_store(near->id + k, ints_count() + (first + k));
    }
    real_store(near->x + count, real_set(FAR_AWAY));
    near->count = count;
}

// Contacts of the particles of one body whose bits, counted from `start` on, are set, with each of `b`, behind those of a store with
// room for them. `vectors` is how many b has; it, where it is small, isOnce and isSparse are constants at each call. Branches on
// whether a vector has a contact cannot be foreseen, and lose, unless hardly any has.
WB_INLINE void find_contacts(const wbRigidParticles *p, int start, uint64_t bits, const wbRigidNear *b,
                             int vectors, float reach, wbRigidStore *store, bool isOnce, bool isSparse) {
    const float *restrict x = p->world[0] + start, *restrict y = p->world[1] + start,
                          *restrict z = p->world[2] + start;
    const float *restrict bx = b->x, *restrict by = b->y, *restrict bz = b->z;
    const int *restrict ids = b->id;
    int *restrict first = store->first, *restrict second = store->second, count = store->count;
    float *restrict ax = store->at[0], *restrict ay = store->at[1], *restrict az = store->at[2];
    float *restrict tx = store->to[0], *restrict ty = store->to[1], *restrict tz = store->to[2];
    const REAL reach2 = real_set(reach * reach);
    for (; bits; bits &= bits - 1) {
        const int i = __builtin_ctzll(bits);
        const RigidVector at = rigid_set(x[i], y[i], z[i]);
        const INTS own = ints_set(start + i);
        for (int j = 0; j < vectors * WB_LANES; j += WB_LANES) {
            const RigidVector to = load_three(bx, by, bz, j);
            const RigidVector gap = rigid_sub(at, to);
            const unsigned touching = lane_less(rigid_dot(gap, gap), reach2);
            if (isSparse && !touching) continue;
            if (isOnce) {
                real_store(ax + count, at.x), real_store(ay + count, at.y), real_store(az + count, at.z);
                lane_pack(tx + count, touching, to.x), lane_pack(ty + count, touching, to.y);
                lane_pack(tz + count, touching, to.z);
                count += __builtin_popcount(touching);
            } else {
                ints_store(first + count, own);
                count += lane_pack_ints(second + count, touching, ints_load(ids + j));
            }
        }
    }
    store->count = count;
}

// Takes the lowest of the bits away, `most` at most, and returns them.
WB_INLINE uint64_t take_bits(uint64_t *bits, int most) {
    const uint64_t all = *bits;
    if (__builtin_popcountll(all) <= most) return *bits = 0, all;
    for (int k = 0; k < most; k++) *bits &= *bits - 1;
    return all ^ *bits;
}

WB_INLINE bool find_pair(const wbRigidFinder *finder, wbRigidStore *store, int worker, int first, int second,
                         bool isOnce) {
    enum { ROOM = 4096 }; // contacts to make room for at once, or as many as one particle may have
    const wbRigidParticles *p = &finder->rigid->particles;
    wbRigidNear *b = &finder->near[worker];
    if (finder->triesAll)
        take_all(finder, second, b);
    else
        find_near(finder, second, &finder->frames[first], isOnce, b);
    if (b->count == 0) return true;
    const float radius = finder->frames[first].radius + finder->margin;
    const float reach = radius + finder->frames[second].radius;
    const Box box = load_box(&finder->frames[second], radius);
    const int vectors = (b->count + WB_LANES - 1) / WB_LANES, most = ROOM / b->count + 1;
    const int begin = p->firstParticle[first], end = begin + p->surfaceCount[first];
    for (int start = begin; start < end; start += MOST_BITS) {
        const int count = end - start < MOST_BITS ? end - start : MOST_BITS;
        uint64_t bits =
            finder->triesAll ? ~(uint64_t)0 >> (MOST_BITS - count) : find_bits(p, &box, start, count);
        while (bits) {
            const uint64_t some = take_bits(&bits, most);
            const int room = __builtin_popcountll(some) * b->count + WB_PADDING;
            if (!wbRigidStore_Reserve(store, finder->memory, room)) return false;
            if (!isOnce)
                find_contacts(p, start, some, b, vectors, reach, store, false, true);
            else if (finder->triesAll)
                find_contacts(p, start, some, b, vectors, reach, store, true, true);
            else if (vectors == 1)
                find_contacts(p, start, some, b, 1, reach, store, true, false);
            else
                find_contacts(p, start, some, b, vectors, reach, store, true, false);
        }
    }
    return true;
}

static bool find(const wbRigidFinder *finder, wbRigidStore *store, int worker, int first, int second) {
    return store->isOnce ? find_pair(finder, store, worker, first, second, true)
                         : find_pair(finder, store, worker, first, second, false);
}

// Groups, one in each lane or one in all, and what their contacts add up to.
typedef struct Lanes {
    RigidLaw law;
    RigidVector centre; // m, of the first bodies
    // of the first beside the second bodies, at the first ones' centres: m/s, rad/s
    RigidVector velocity, spin;
    RigidVector force, torque;
} Lanes;

// How two bodies move beside each other: v1 + w1 x (p - x1) - v2 - w2 x (p - x2) = velocity + spin x (p - x1).
WB_INLINE void relate(Lanes *l, RigidVector centreB, RigidVector velocityB, RigidVector spinB) {
    const RigidVector there = rigid_add(velocityB, rigid_cross(spinB, rigid_sub(l->centre, centreB)));
    l->velocity = rigid_sub(l->velocity, there), l->spin = rigid_sub(l->spin, spinB);
}

// Contacts, with overlaps below 0 where there are none: `at` are the first bodies' particles, whose centres are `depth` above the
// points of contact.
WB_INLINE void add_contacts(Lanes *l, RigidTouch touch, RigidVector at, REAL depth, float span,
                            RigidVector *shear) {
    const RigidVector arm = rigid_sub(rigid_madd(-depth, touch.normal, at), l->centre);
    const RigidVector speed = rigid_add(l->velocity, rigid_cross(l->spin, arm));
    const RigidVector force = rigid_contact(touch, speed, &l->law, span, shear);
    l->force = rigid_add(l->force, force), l->torque = rigid_add(l->torque, rigid_cross(arm, force));
}

// The same where nothing holds them across the normal: rigid_contact's force for a friction of 0.
WB_INLINE void add_smooth_contacts(Lanes *l, RigidTouch touch, RigidVector at, REAL depth) {
    const REAL zero = real_set(0);
    const RigidVector arm = rigid_sub(rigid_madd(-depth, touch.normal, at), l->centre);
    const RigidVector speed = rigid_add(l->velocity, rigid_cross(l->spin, arm));
    const REAL push = rigid_spring_force(touch.overlap, rigid_dot(speed, touch.normal), &l->law);
    const RigidVector force =
        rigid_scale(real_select(real_less(zero, touch.overlap), push, zero), touch.normal);
    l->force = rigid_add(l->force, force), l->torque = rigid_add(l->torque, rigid_cross(arm, force));
}

// Groups of a chunk.
typedef struct Row {
    Lanes lanes;
    int group[WB_LANES];
    REAL count, touching;
} Row;

WB_INLINE RigidVector load_mover(const float *movers, const int *index) {
    const REAL4 a = lane_load4(movers, index);
    return rigid_vector(a.x, a.y, a.z);
}

WB_INLINE Row load_row(const wbRigidParticles *p, const int *groups) {
    const wbRigidGroup *all = p->groups.data;
    const float *records = (const float *)all, *movers = p->movers.data;
    Row r;
    float counts[WB_LANES];
    int first[WB_LANES], second[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const wbRigidGroup *group = &all[groups[k]];
        r.group[k] = 4 * groups[k], counts[k] = (float)group->count;
        first[k] = 3 * group->first, second[k] = 3 * group->mover;
    }
    r.count = real_load(counts), r.touching = real_set(0);
    const REAL4 along = lane_load4(records, r.group), across = lane_load4(records + 4, r.group);
    Lanes *l = &r.lanes;
    l->law = (RigidLaw){along.x, along.y, along.z, along.w, across.x, across.y};
    l->centre = load_mover(movers, first), l->velocity = load_mover(movers + 4, first);
    l->spin = load_mover(movers + 8, first);
    relate(l, load_mover(movers, second), load_mover(movers + 4, second), load_mover(movers + 8, second));
    l->force = l->torque = rigid_set(0, 0, 0);
    return r;
}

WB_INLINE void add_row(const wbRigidTouching *task, Row *r, int row, int c, RigidTouch touch, RigidVector at,
                       REAL depth) {
    float *const *kept = task->rigid->particles.rowShear;
    const REAL zero = real_set(0);
    touch.overlap = real_select(real_less(real_set((float)row), r->count), touch.overlap, real_set(-1));
    if (!lane_less(zero, touch.overlap)) {
        for (int k = 0; k < 3 && task->keeps; k++) real_store(kept[k] + c, zero);
        return;
    }
    RigidVector shear = rigid_vector(real_load(kept[0] + c), real_load(kept[1] + c), real_load(kept[2] + c));
    add_contacts(&r->lanes, touch, at, depth, task->span, &shear);
    if (task->keeps)
        real_store(kept[0] + c, shear.x), real_store(kept[1] + c, shear.y), real_store(kept[2] + c, shear.z);
    r->touching += real_select(real_less(zero, touch.overlap), real_set(1), zero);
}

// How WB_LANES particles touch shapes, which are asked for one at a time.
typedef struct Felt {
    float quads[4][WB_LANES];
} Felt;
WB_INLINE void feel_shape(Felt *felt, int lane, const wbRigid *rigid, const wbRigidGroup *group,
                          const float *particle) {
    float one[4];
    wbRigid_FeelShape(rigid, group, particle, one);
    for (int n = 0; n < 4; n++) felt->quads[n][lane] = one[n];
}
WB_INLINE RigidTouch load_felt(const Felt *felt) {
    const RigidTouch touch = {
        rigid_vector(real_load(felt->quads[0]), real_load(felt->quads[1]), real_load(felt->quads[2])),
        real_load(felt->quads[3])};
    return touch;
}

WB_INLINE void touch_particles(const wbRigidTouching *task, Row *r, int rows, int begin) {
    const wbRigidParticles *p = &task->rigid->particles;
    for (int row = 0, c = begin; row < rows; row++, c += WB_PADDING) {
        const REAL4 a = lane_load4(p->places, p->rowFirst + c), b = lane_load4(p->places, p->rowSecond + c);
        const RigidVector at = rigid_vector(a.x, a.y, a.z);
        const RigidTouch touch = rigid_touch(rigid_sub(at, rigid_vector(b.x, b.y, b.z)), a.w + b.w);
        add_row(task, r, row, c, touch, at, a.w - 0.5f * touch.overlap);
    }
}

WB_INLINE void touch_planes(const wbRigidTouching *task, Row *r, int rows, int begin) {
    const wbRigidParticles *p = &task->rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    int planes[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) planes[k] = groups[r->group[k] / 4].plane;
    const REAL4 plane = lane_load4(p->planes.data, planes);
    RigidTouch touch = {rigid_vector(plane.x, plane.y, plane.z), real_set(0)};
    for (int row = 0, c = begin; row < rows; row++, c += WB_PADDING) {
        const REAL4 a = lane_load4(p->places, p->rowFirst + c);
        const RigidVector at = rigid_vector(a.x, a.y, a.z);
        touch.overlap = a.w - (rigid_dot(touch.normal, at) - plane.w);
        add_row(task, r, row, c, touch, at, a.w - touch.overlap);
    }
}

WB_INLINE void touch_shapes(const wbRigidTouching *task, Row *r, int rows, int begin) {
    const wbRigidParticles *p = &task->rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    for (int row = 0, c = begin; row < rows; row++, c += WB_PADDING) {
        Felt felt = {{{0}}};
        for (int k = 0; k < WB_LANES; k++) {
            const wbRigidGroup *group = &groups[r->group[k] / 4];
            if (row < group->count)
                feel_shape(&felt, k, task->rigid, group, p->places + 4 * (size_t)p->rowFirst[c + k]);
        }
        const REAL4 a = lane_load4(p->places, p->rowFirst + c);
        const RigidTouch touch = load_felt(&felt);
        add_row(task, r, row, c, touch, rigid_vector(a.x, a.y, a.z), a.w - touch.overlap);
    }
}

static void touch(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidTouching *task = context;
    const wbRigidParticles *p = &task->rigid->particles;
    const wbRigidChunk *chunks = p->chunks.data;
    float *sums = p->sums.data;
    for (int n = begin; n < end; n++)
        for (int lane = 0; lane < WB_PADDING; lane += WB_LANES) {
            Row r = load_row(p, (const int *)p->lanes.data + n * WB_PADDING + lane);
            if (chunks[n].kind == wb_surfaceParticles)
                touch_particles(task, &r, chunks[n].rows, chunks[n].begin + lane);
            else if (chunks[n].kind == wb_surfacePlane)
                touch_planes(task, &r, chunks[n].rows, chunks[n].begin + lane);
            else
                touch_shapes(task, &r, chunks[n].rows, chunks[n].begin + lane);
            const RigidVector force = r.lanes.force, torque = r.lanes.torque;
            for (int k = 0; k < WB_LANES; k++) r.group[k] /= 2;
            lane_scatter4(sums, r.group, (REAL4){force.x, force.y, force.z, r.touching});
            lane_scatter4(sums + 4, r.group, (REAL4){torque.x, torque.y, torque.z, real_set(0)});
        }
}

WB_INLINE Lanes load_group(const wbRigidParticles *p, const wbRigidGroup *group) {
    const float *a = (const float *)p->movers.data + WB_RIGID_MOVER * (size_t)group->first,
                *b = (const float *)p->movers.data + WB_RIGID_MOVER * (size_t)group->mover;
    const RigidSprings *s = &group->springs;
    Lanes l;
    l.law = (RigidLaw){real_set(s->stiffness),    real_set(s->damping),      real_set(s->shearStiffness),
                       real_set(s->inverseShear), real_set(s->shearDamping), real_set(s->friction)};
    l.centre = set_three(a), l.velocity = set_three(a + 4), l.spin = set_three(a + 8);
    relate(&l, set_three(b), set_three(b + 4), set_three(b + 8));
    l.force = l.torque = rigid_set(0, 0, 0);
    return l;
}

// How WB_LANES particles from c on touch the second of their group, and how deep below their centres the points of contact are.
WB_INLINE RigidTouch touch_second(const wbRigidTouching *task, const wbRigidGroup *group,
                                  const wbRigidStore *store, int c, RigidVector at, REAL *depth) {
    const float *plane = (const float *)task->rigid->particles.planes.data + 4 * (size_t)group->plane;
    float *const *to = store->to;
    const REAL radius = real_set(group->radii[0]);
    RigidTouch touch;
    switch (group->kind) {
    case wb_surfaceParticles:
        touch = rigid_touch(rigid_sub(at, load_three(to[0], to[1], to[2], c)), radius + group->radii[1]);
        *depth = radius - 0.5f * touch.overlap;
        return touch;
    case wb_surfacePlane:
        touch.normal = set_three(plane);
        touch.overlap = radius - (rigid_dot(touch.normal, at) - plane[3]);
        break;
    default: {
        Felt felt;
        for (int k = 0; k < WB_LANES; k++) {
            const float one[4] = {store->at[0][c + k], store->at[1][c + k], store->at[2][c + k],
                                  group->radii[0]};
            feel_shape(&felt, k, task->rigid, group, one);
        }
        touch = load_felt(&felt);
    }
    }
    *depth = radius - touch.overlap;
    return touch;
}

static void touchGroup(const wbRigidTouching *task, const wbRigidGroup *group, const wbRigidStore *store,
                       wbRigidSum *sum) {
    const int begin = group->begin, end = begin + group->count;
    Lanes l = load_group(&task->rigid->particles, group);
    int touching = 0;
    // behind the last, the first once more: lanes that do not count
    for (int k = 0; k < 3; k++)
        real_store(store->at[k] + end, real_set(store->at[k][begin])),
            real_store(store->to[k] + end, real_set(store->to[k][begin]));
    for (int c = begin; c < end; c += WB_LANES) {
        const RigidVector at = load_three(store->at[0], store->at[1], store->at[2], c);
        REAL depth;
        RigidTouch touch = touch_second(task, group, store, c, at, &depth);
        touch.overlap = real_select(real_mask(lane_first(end - c)), touch.overlap, real_set(-1));
        touching += __builtin_popcount(lane_less(real_set(0), touch.overlap));
        if (group->springs.friction > 0) {
            RigidVector shear = rigid_set(0, 0, 0);
            add_contacts(&l, touch, at, depth, task->span, &shear);
        } else {
            add_smooth_contacts(&l, touch, at, depth);
        }
    }
    *sum = (wbRigidSum){{real_sum(l.force.x), real_sum(l.force.y), real_sum(l.force.z)},
                        (float)touching,
                        {real_sum(l.torque.x), real_sum(l.torque.y), real_sum(l.torque.z)},
                        0};
}

// Motion

WB_INLINE void store_three(float *x, float *y, float *z, int i, RigidVector a) {
    real_store(x + i, a.x), real_store(y + i, a.y), real_store(z + i, a.z);
}
WB_INLINE RigidVector load_base(float *const *columns, int first, int i) {
    return load_three(columns[first], columns[first + 1], columns[first + 2], i);
}
WB_INLINE RigidTurn load_turn(const wbRigid *r, int i) {
    const RigidTurn q = {real_load(r->qx + i), real_load(r->qy + i), real_load(r->qz + i),
                         real_load(r->qw + i)};
    return q;
}
WB_INLINE void store_turn(wbRigid *r, int i, RigidTurn q) {
    real_store(r->qx + i, q.x), real_store(r->qy + i, q.y);
    real_store(r->qz + i, q.z), real_store(r->qw + i, q.w);
}
WB_INLINE RigidTurn select_turn(MASK mask, RigidTurn a, RigidTurn b) {
    const RigidTurn q = {real_select(mask, a.x, b.x), real_select(mask, a.y, b.y),
                         real_select(mask, a.z, b.z), real_select(mask, a.w, b.w)};
    return q;
}
WB_INLINE RigidVector load_inverse_inertia(const wbRigid *r, int i) {
    return load_three(r->inverseInertiaX, r->inverseInertiaY, r->inverseInertiaZ, i);
}
// Bodies that move at all; those that are off do not.
WB_INLINE MASK load_moving(const wbRigid *r, int i) {
    const INTS bits = ints_load((const int *)r->bits + i);
    const INTS moving = bits & ints_set(WB_RIGID_DYNAMIC | WB_RIGID_KINEMATIC);
    return real_mask(ints_less(ints_set(0), moving) & ints_less(bits & ints_set(WB_RIGID_OFF), ints_set(1)));
}

// m/s2, of what a body weighs and what pulls at it.
WB_INLINE RigidVector get_acceleration(const wbRigidMotionPass *pass, int i, REAL inverseMass) {
    const wbRigid *r = pass->rigid;
    float *const *f = pass->loads.force;
    const RigidVector weight = rigid_scale(real_load(r->gravityScale + i), set_three(pass->move.gravity));
    return rigid_madd(inverseMass, load_three(f[0], f[1], f[2], i), weight);
}

// v + h a, damped and limited.
WB_INLINE RigidVector slow_down(const wbRigidMotionPass *pass, int i, RigidVector v) {
    const REAL rate = real_set(pass->move.h) * real_load(pass->rigid->linearDamping + i);
    v = rigid_scale(real_set(1) / (real_set(1) + rate), v);
    return pass->move.terminalSpeed > 0 ? rigid_limit(v, pass->move.terminalSpeed) : v;
}
WB_INLINE RigidVector slow_spin(const wbRigidMotionPass *pass, int i, RigidVector w) {
    const REAL rate = real_set(pass->move.h) * real_load(pass->rigid->angularDamping + i);
    return rigid_scale(real_set(1) / (real_set(1) + rate), w);
}

// Velocities, from forces over h.
static void kick(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidMotionPass *pass = context;
    wbRigid *r = pass->rigid;
    float *const *m = pass->momentum;
    const REAL h = real_set(pass->move.h);
    for (int i = begin; i < end; i += WB_LANES) {
        const REAL inverseMass = real_load(r->inverseMass + i);
        const MASK dynamic = real_less(real_set(0), inverseMass);
        const RigidVector v = load_three(r->vx, r->vy, r->vz, i), w = load_three(r->wx, r->wy, r->wz, i);
        const RigidVector torque =
            load_three(pass->loads.torque[0], pass->loads.torque[1], pass->loads.torque[2], i);
        const RigidVector faster =
            slow_down(pass, i, rigid_madd(h, get_acceleration(pass, i, inverseMass), v));
        const RigidVector momentum =
            slow_spin(pass, i, rigid_madd(h, torque, load_three(m[0], m[1], m[2], i)));
        const RigidVector spun =
            rigid_weigh(rigid_axes(load_turn(r, i)), load_inverse_inertia(r, i), momentum);
        store_three(m[0], m[1], m[2], i, momentum);
        store_three(r->vx, r->vy, r->vz, i, rigid_select(dynamic, faster, v));
        store_three(r->wx, r->wy, r->wz, i, rigid_select(dynamic, spun, w));
    }
}

// m/s, of the fastest point of each body.
WB_INLINE REAL get_top_speed(const wbRigid *r, int i, RigidVector v, RigidVector w) {
    const REAL reach = real_min(real_load(r->reach + i), real_set(1e9f));
    return real_sqrt(rigid_dot(v, v)) + reach * real_sqrt(rigid_dot(w, w));
}

WB_INLINE void keep_maximum(const wbRigidMotionPass *pass, int i, int end, REAL speed, MASK moving) {
    float lanes[WB_LANES];
    real_store(lanes, real_select(moving, speed, real_set(0)));
    float *most = &pass->maxima[i / WB_BLOCK];
    if (i % WB_BLOCK == 0) *most = 0;
    for (int l = 0; l < WB_LANES && i + l < end; l++)
        if (*most == *most && !(lanes[l] <= *most)) *most = lanes[l]; // a NaN stays
}

// Poses, from velocities over h; the angular momentum stays.
static void drift(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidMotionPass *pass = context;
    wbRigid *r = pass->rigid;
    const REAL h = real_set(pass->move.h);
    for (int i = begin; i < end; i += WB_LANES) {
        const MASK moving = load_moving(r, i),
                   dynamic = real_less(real_set(0), real_load(r->inverseMass + i));
        const RigidVector at = load_three(r->x, r->y, r->z, i), v = load_three(r->vx, r->vy, r->vz, i);
        const RigidVector w = load_three(r->wx, r->wy, r->wz, i), inverse = load_inverse_inertia(r, i);
        const RigidTurn q = load_turn(r, i);
        const RigidVector momentum = load_base(pass->momentum, 0, i);
        RigidTurn turned = rigid_drift_turn(q, h, w, momentum, inverse, pass->halfway);
        const RigidTurn driven = rigid_normalise(rigid_advance_turn(q, h, w));
        turned = select_turn(moving, select_turn(dynamic, turned, driven), q);
        const RigidVector spin = rigid_weigh(rigid_axes(turned), inverse, momentum);
        const RigidVector newSpin = rigid_select(dynamic, spin, w);
        store_three(r->x, r->y, r->z, i, rigid_select(moving, rigid_madd(h, v, at), at));
        store_turn(r, i, turned);
        store_three(r->wx, r->wy, r->wz, i, newSpin);
        keep_maximum(pass, i, end, get_top_speed(r, i, v, newSpin), moving);
    }
}

// Runge-Kutta of fourth order: weights of the stages, and how far the next one is from the start.
static const float stageWeights[4] = {1.0f / 6, 1.0f / 3, 1.0f / 3, 1.0f / 6},
                   stageSteps[4] = {0.5f, 0.5f, 1, 0};

// Adds what a stage wants, and gives where the next one starts: from the base by a part of it, or from the sum after the last one.
WB_INLINE RigidVector add_stage(const wbRigidMotionPass *pass, int first, int i, RigidVector rate) {
    const REAL h = real_set(pass->move.h), weight = real_set(stageWeights[pass->stage]);
    const RigidVector base = load_base(pass->base, first, i);
    RigidVector sum = pass->stage == 0 ? rigid_set(0, 0, 0) : load_base(pass->change, first, i);
    sum = rigid_madd(weight, rate, sum);
    store_three(pass->change[first], pass->change[first + 1], pass->change[first + 2], i, sum);
    return pass->stage == 3 ? rigid_madd(h, sum, base)
                            : rigid_madd(h * real_set(stageSteps[pass->stage]), rate, base);
}

WB_INLINE REAL add_stage_one(const wbRigidMotionPass *pass, int column, int i, REAL rate) {
    const REAL h = real_set(pass->move.h), weight = real_set(stageWeights[pass->stage]);
    const REAL base = real_load(pass->base[column] + i);
    REAL sum = pass->stage == 0 ? real_set(0) : real_load(pass->change[column] + i);
    sum = real_madd(weight, rate, sum);
    real_store(pass->change[column] + i, sum);
    return pass->stage == 3 ? real_madd(h, sum, base)
                            : real_madd(h * real_set(stageSteps[pass->stage]), rate, base);
}

WB_INLINE RigidTurn add_turn_stage(const wbRigidMotionPass *pass, int i, RigidTurn q, RigidVector w) {
    const RigidTurn zero = {real_set(0), real_set(0), real_set(0), real_set(0)};
    const RigidTurn moved = rigid_advance_turn(q, real_set(1), w);
    RigidTurn next = zero;
    next.x = add_stage_one(pass, WB_RIGID_TURN, i, moved.x - q.x);
    next.y = add_stage_one(pass, WB_RIGID_TURN + 1, i, moved.y - q.y);
    next.z = add_stage_one(pass, WB_RIGID_TURN + 2, i, moved.z - q.z);
    next.w = add_stage_one(pass, WB_RIGID_TURN + 3, i, moved.w - q.w);
    return rigid_normalise(next);
}

WB_INLINE void keep_base(const wbRigidMotionPass *pass, int i, RigidVector momentum) {
    const wbRigid *r = pass->rigid;
    float *const *b = pass->base;
    store_three(b[WB_RIGID_PLACE], b[WB_RIGID_PLACE + 1], b[WB_RIGID_PLACE + 2], i,
                load_three(r->x, r->y, r->z, i));
    const RigidTurn q = load_turn(r, i);
    real_store(b[WB_RIGID_TURN] + i, q.x), real_store(b[WB_RIGID_TURN + 1] + i, q.y);
    real_store(b[WB_RIGID_TURN + 2] + i, q.z), real_store(b[WB_RIGID_TURN + 3] + i, q.w);
    store_three(b[WB_RIGID_SPEED], b[WB_RIGID_SPEED + 1], b[WB_RIGID_SPEED + 2], i,
                load_three(r->vx, r->vy, r->vz, i));
    store_three(b[WB_RIGID_MOMENTUM], b[WB_RIGID_MOMENTUM + 1], b[WB_RIGID_MOMENTUM + 2], i, momentum);
}

// One stage: rates from the state and the forces there, and the state of the next.
static void stage(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbRigidMotionPass *pass = context;
    wbRigid *r = pass->rigid;
    for (int i = begin; i < end; i += WB_LANES) {
        const REAL inverseMass = real_load(r->inverseMass + i);
        const MASK moving = load_moving(r, i), dynamic = real_less(real_set(0), inverseMass);
        const RigidVector v = load_three(r->vx, r->vy, r->vz, i), w = load_three(r->wx, r->wy, r->wz, i);
        const RigidVector inverse = load_inverse_inertia(r, i), at = load_three(r->x, r->y, r->z, i);
        const RigidTurn q = load_turn(r, i);
        if (pass->stage == 0) keep_base(pass, i, load_base(pass->momentum, 0, i));
        const RigidVector torque =
            load_three(pass->loads.torque[0], pass->loads.torque[1], pass->loads.torque[2], i);
        RigidVector nextAt = add_stage(pass, WB_RIGID_PLACE, i, v);
        RigidVector nextV = add_stage(pass, WB_RIGID_SPEED, i, get_acceleration(pass, i, inverseMass));
        RigidVector momentum = add_stage(pass, WB_RIGID_MOMENTUM, i, torque);
        const RigidTurn turned = select_turn(moving, add_turn_stage(pass, i, q, w), q);
        if (pass->stage == 3) {
            nextV = slow_down(pass, i, nextV), momentum = slow_spin(pass, i, momentum);
            store_three(pass->momentum[0], pass->momentum[1], pass->momentum[2], i, momentum);
        }
        RigidVector nextW = rigid_weigh(rigid_axes(turned), inverse, momentum);
        nextV = rigid_select(dynamic, nextV, v), nextW = rigid_select(dynamic, nextW, w);
        nextAt = rigid_select(moving, nextAt, at);
        store_three(r->x, r->y, r->z, i, nextAt);
        store_turn(r, i, turned);
        store_three(r->vx, r->vy, r->vz, i, nextV);
        store_three(r->wx, r->wy, r->wz, i, nextW);
        keep_maximum(pass, i, end, get_top_speed(r, i, nextV, nextW), moving);
    }
}

const wbRigidParticleCode WB_WIDE(wb_rigidParticleCode) = {.place = place,
                                                           .spread = spread,
                                                           .pick = pick,
                                                           .scan = scan,
                                                           .find = find,
                                                           .touch = touch,
                                                           .touchGroup = touchGroup,
                                                           .kick = kick,
                                                           .drift = drift,
                                                           .stage = stage};
