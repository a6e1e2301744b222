// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "rigid/rigid_motion_formula.h"
#include "rigid/rigid_particles_code.h"

WB_INLINE RigidVector set_three(const float a[3]) { return rigid_set(a[0], a[1], a[2]); }

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
    const wbRigid *rigid = context;
    const wbRigidParticles *p = &rigid->particles;
    for (int body = begin; body < end; body++) {
        store_mover((float *)p->movers.data + WB_RIGID_MOVER * (size_t)body, rigid, body);
        if (body >= p->bodyCount || p->particleCount[body] == 0) continue;
        const RigidVector centre = get_place(rigid, body);
        const RigidAxes axes = get_axes(rigid, body);
        const int last = p->firstParticle[body] + p->particleCount[body];
        for (int i = p->firstParticle[body]; i < last; i += WB_LANES) {
            const RigidVector own =
                rigid_vector(real_load(p->x + i), real_load(p->y + i), real_load(p->z + i));
            const RigidVector at = rigid_add(centre, rigid_turn(axes, own));
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
                      .middle = {r->x[body], r->y[body], r->z[body]}};
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

WB_INLINE float get_size(float a) { return a < 0 ? -a : a; }

// Whether two boxes come near each other, by the axes of their faces. The slack is for rounding: no pair may be lost that the
// exact test would find.
WB_INLINE bool are_boxes_near(const wbRigidFrame *a, const wbRigidFrame *b, float margin) {
    const float d[3] = {b->middle[0] - a->middle[0], b->middle[1] - a->middle[1],
                        b->middle[2] - a->middle[2]};
    const float slack = 1.0001f;
    float reach[3] = {0, 0, 0};
    bool apart = false;
    for (int i = 0; i < 3; i++) {
        const float *u = a->axes + 3 * i;
        float other = 0;
        for (int j = 0; j < 3; j++) {
            const float *v = b->axes + 3 * j, c = get_size(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
            other += b->half[j] * c, reach[j] += a->half[i] * c;
        }
        apart |= get_size(u[0] * d[0] + u[1] * d[1] + u[2] * d[2]) > (a->half[i] + other + margin) * slack;
    }
    for (int j = 0; j < 3; j++) {
        const float *v = b->axes + 3 * j;
        apart |= get_size(v[0] * d[0] + v[1] * d[1] + v[2] * d[2]) > (b->half[j] + reach[j] + margin) * slack;
    }
    return !apart;
}

// Which of a body's particles from i on are in the box around another's, grown by their radius and the margin.
WB_INLINE unsigned find_inside(const wbRigidFinder *finder, const wbRigidFrame *box, int i, int count) {
    const RigidVector at = rigid_vector(real_load(finder->rigid->particles.world[0] + i),
                                        real_load(finder->rigid->particles.world[1] + i),
                                        real_load(finder->rigid->particles.world[2] + i));
    const RigidVector gap = rigid_sub(at, set_three(box->middle));
    const REAL room = real_load(finder->rigid->particles.radius + i) + finder->margin,
               slack = real_set(1.0001f);
    unsigned bits = lane_first(count);
    for (int k = 0; k < 3; k++)
        bits &=
            lane_less(real_abs(rigid_dot(set_three(box->axes + 3 * k), gap)), (room + box->half[k]) * slack);
    return bits;
}

// Those of a body, packed.
WB_INLINE void find_near(const wbRigidFinder *finder, int body, const wbRigidFrame *box, wbRigidNear *near) {
    const wbRigidParticles *p = &finder->rigid->particles;
    const int first = p->firstParticle[body], count = p->surfaceCount[body];
    int found = 0;
    for (int i = first; i < first + count; i += WB_LANES) {
        const unsigned bits = find_inside(finder, box, i, first + count - i);
        if (!bits) continue;
        lane_pack(near->x + found, bits, real_load(finder->rigid->particles.world[0] + i));
        lane_pack(near->y + found, bits, real_load(finder->rigid->particles.world[1] + i));
        lane_pack(near->z + found, bits, real_load(finder->rigid->particles.world[2] + i));
        lane_pack(near->radius + found, bits, real_load(p->radius + i));
        found += lane_pack_ints(near->id + found, bits, ints_count() + i);
    }
    near->count = found;
}

WB_INLINE void take_all(const wbRigidFinder *finder, int body, wbRigidNear *near) {
    const wbRigidParticles *p = &finder->rigid->particles;
    const int first = p->firstParticle[body];
    *near = (wbRigidNear){finder->rigid->particles.world[0] + first,
                          finder->rigid->particles.world[1] + first,
                          finder->rigid->particles.world[2] + first,
                          p->radius + first,
                          near->id,
                          p->surfaceCount[body]};
    for (int k = 0; k < near->count; k += WB_LANES) ints_store(near->id + k, ints_count() + (first + k));
}

// Contacts of one particle with those of `b`, behind those of a store with room for them.
WB_INLINE void find_contacts(const wbRigidFinder *finder, wbRigidStore *store, int i, const wbRigidNear *b) {
    const RigidVector at =
        rigid_set(finder->rigid->particles.world[0][i], finder->rigid->particles.world[1][i],
                  finder->rigid->particles.world[2][i]);
    const REAL room = real_set(finder->rigid->particles.radius[i] + finder->margin);
    int count = store->count;
    for (int j = 0; j < b->count; j += WB_LANES) {
        const RigidVector gap =
            rigid_sub(at, rigid_vector(real_load(b->x + j), real_load(b->y + j), real_load(b->z + j)));
        const REAL reach = room + real_load(b->radius + j);
        const unsigned bits = lane_less(rigid_dot(gap, gap), reach * reach) & lane_first(b->count - j);
        if (!bits) continue;
        ints_store(store->first + count, ints_set(i));
        count += lane_pack_ints(store->second + count, bits, ints_load(b->id + j));
    }
    store->count = count;
}

static bool find(const wbRigidFinder *finder, wbRigidStore *store, int worker, int first, int second) {
    const wbRigidFrame *frameA = &finder->frames[first], *frameB = &finder->frames[second];
    const wbRigidParticles *p = &finder->rigid->particles;
    wbRigidNear b = finder->near[worker];
    if (finder->triesAll) {
        take_all(finder, second, &b);
    } else {
        if (!are_boxes_near(frameA, frameB, finder->margin)) return true;
        find_near(finder, second, frameA, &b);
        if (b.count == 0) return true;
    }
    const int begin = p->firstParticle[first], end = begin + p->surfaceCount[first];
    for (int i = begin; i < end; i += WB_LANES) {
        unsigned bits = finder->triesAll ? lane_first(end - i) : find_inside(finder, frameB, i, end - i);
        for (; bits; bits &= bits - 1) {
            if (store->capacity - store->count < b.count + WB_PADDING &&
                !wbRigidStore_Reserve(store, finder->memory, b.count + WB_PADDING))
                return false;
            find_contacts(finder, store, i + __builtin_ctz(bits), &b);
        }
    }
    return true;
}

// Groups of WB_LANES lanes, and what their contacts add up to.
typedef struct Lanes {
    int group[WB_LANES], first[WB_LANES], second[WB_LANES];
    REAL count;
    RigidLaw law;
    RigidVector centreA, velocityA, spinA, centreB, velocityB, spinB;
    RigidVector force, torque;
    REAL touching;
} Lanes;

WB_INLINE RigidVector load_mover(const float *movers, const int *index) {
    const REAL4 a = lane_load4(movers, index);
    return rigid_vector(a.x, a.y, a.z);
}

WB_INLINE Lanes load_lanes(const wbRigidParticles *p, const int *groups) {
    const wbRigidGroup *all = p->groups.data;
    const float *records = (const float *)all, *movers = p->movers.data;
    Lanes l;
    float counts[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) {
        const wbRigidGroup *group = &all[groups[k]];
        l.group[k] = 4 * groups[k], counts[k] = (float)group->count;
        l.first[k] = 3 * group->first, l.second[k] = 3 * group->mover;
    }
    l.count = real_load(counts);
    const REAL4 along = lane_load4(records, l.group), across = lane_load4(records + 4, l.group);
    l.law = (RigidLaw){along.x, along.y, along.z, along.w, across.x, across.y};
    l.centreA = load_mover(movers, l.first), l.centreB = load_mover(movers, l.second);
    l.velocityA = load_mover(movers + 4, l.first), l.velocityB = load_mover(movers + 4, l.second);
    l.spinA = load_mover(movers + 8, l.first), l.spinB = load_mover(movers + 8, l.second);
    l.force = l.torque = rigid_set(0, 0, 0), l.touching = real_set(0);
    return l;
}

// A row of contacts: `at` are the first bodies' particles, whose centres are `depth` above the points of contact.
WB_INLINE void add_row(const wbRigidTouching *task, Lanes *l, int row, int c, RigidTouch touch,
                       RigidVector at, REAL depth) {
    float *const *kept = task->rigid->particles.rowShear;
    const REAL zero = real_set(0);
    touch.overlap = real_select(real_less(real_set((float)row), l->count), touch.overlap, real_set(-1));
    if (!lane_less(zero, touch.overlap)) {
        for (int k = 0; k < 3 && task->keeps; k++) real_store(kept[k] + c, zero);
        return;
    }
    const RigidVector point = rigid_madd(-depth, touch.normal, at);
    const RigidVector armA = rigid_sub(point, l->centreA), armB = rigid_sub(point, l->centreB);
    const RigidVector speed = rigid_sub(rigid_add(l->velocityA, rigid_cross(l->spinA, armA)),
                                        rigid_add(l->velocityB, rigid_cross(l->spinB, armB)));
    RigidVector shear = rigid_vector(real_load(kept[0] + c), real_load(kept[1] + c), real_load(kept[2] + c));
    const RigidVector force = rigid_contact(touch, speed, &l->law, task->span, &shear);
    if (task->keeps)
        real_store(kept[0] + c, shear.x), real_store(kept[1] + c, shear.y), real_store(kept[2] + c, shear.z);
    l->force = rigid_add(l->force, force);
    l->torque = rigid_add(l->torque, rigid_cross(armA, force));
    l->touching += real_select(real_less(zero, touch.overlap), real_set(1), zero);
}

WB_INLINE void touch_particles(const wbRigidTouching *task, Lanes *l, int rows, int begin) {
    const wbRigidParticles *p = &task->rigid->particles;
    for (int row = 0, c = begin; row < rows; row++, c += WB_PADDING) {
        const REAL4 a = lane_load4(p->places, p->rowFirst + c), b = lane_load4(p->places, p->rowSecond + c);
        const RigidVector at = rigid_vector(a.x, a.y, a.z);
        const RigidTouch touch = rigid_touch(rigid_sub(at, rigid_vector(b.x, b.y, b.z)), a.w + b.w);
        add_row(task, l, row, c, touch, at, a.w - 0.5f * touch.overlap);
    }
}

WB_INLINE void touch_plane(const wbRigidTouching *task, Lanes *l, int rows, int begin) {
    const wbRigidParticles *p = &task->rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    int planes[WB_LANES];
    for (int k = 0; k < WB_LANES; k++) planes[k] = groups[l->group[k] / 4].plane;
    const REAL4 plane = lane_load4(p->planes.data, planes);
    RigidTouch touch = {rigid_vector(plane.x, plane.y, plane.z), real_set(0)};
    for (int row = 0, c = begin; row < rows; row++, c += WB_PADDING) {
        const REAL4 a = lane_load4(p->places, p->rowFirst + c);
        const RigidVector at = rigid_vector(a.x, a.y, a.z);
        touch.overlap = a.w - (rigid_dot(touch.normal, at) - plane.w);
        add_row(task, l, row, c, touch, at, a.w - touch.overlap);
    }
}

// Shapes are asked for one particle at a time.
WB_INLINE void touch_shape(const wbRigidTouching *task, Lanes *l, int rows, int begin) {
    const wbRigidParticles *p = &task->rigid->particles;
    const wbRigidGroup *groups = p->groups.data;
    for (int row = 0, c = begin; row < rows; row++, c += WB_PADDING) {
        float felt[4][WB_LANES];
        for (int k = 0; k < WB_LANES; k++) {
            const wbRigidGroup *group = &groups[l->group[k] / 4];
            float one[4] = {0, 1, 0, -1};
            if (row < group->count)
                wbRigid_FeelShape(task->rigid, group, p->places + 4 * (size_t)p->rowFirst[c + k], one);
            for (int n = 0; n < 4; n++) felt[n][k] = one[n];
        }
        const REAL4 a = lane_load4(p->places, p->rowFirst + c);
        const RigidTouch touch = {rigid_vector(real_load(felt[0]), real_load(felt[1]), real_load(felt[2])),
                                  real_load(felt[3])};
        add_row(task, l, row, c, touch, rigid_vector(a.x, a.y, a.z), a.w - touch.overlap);
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
            Lanes l = load_lanes(p, (const int *)p->lanes.data + n * WB_PADDING + lane);
            if (chunks[n].kind == wb_surfaceParticles)
                touch_particles(task, &l, chunks[n].rows, chunks[n].begin + lane);
            else if (chunks[n].kind == wb_surfacePlane)
                touch_plane(task, &l, chunks[n].rows, chunks[n].begin + lane);
            else
                touch_shape(task, &l, chunks[n].rows, chunks[n].begin + lane);
            for (int k = 0; k < WB_LANES; k++) l.group[k] /= 2;
            lane_scatter4(sums, l.group, (REAL4){l.force.x, l.force.y, l.force.z, l.touching});
            lane_scatter4(sums + 4, l.group, (REAL4){l.torque.x, l.torque.y, l.torque.z, real_set(0)});
        }
}

// Motion

WB_INLINE RigidVector load_three(const float *x, const float *y, const float *z, int i) {
    return rigid_vector(real_load(x + i), real_load(y + i), real_load(z + i));
}
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
                                                           .touch = touch,
                                                           .find = find,
                                                           .kick = kick,
                                                           .drift = drift,
                                                           .stage = stage};
