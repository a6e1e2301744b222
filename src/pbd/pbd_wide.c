// SPDX-License-Identifier: MIT
#include "core/real.h"
#include "pbd/pbd_code.h"
#include "pbd/pbd_formula.h"

// Indices of the records of the particles from i on.
typedef struct Own {
    int index[WB_LANES];
} Own;

WB_INLINE Own own_records(int i) {
    Own own;
    ints_store(own.index, (ints_count() + i) * 2);
    return own;
}

// Three columns at once.
typedef struct Three {
    REAL a[3];
} Three;

WB_INLINE Three load_three(const float *x, const float *y, const float *z, int i) {
    return (Three){{real_load(x + i), real_load(y + i), real_load(z + i)}};
}

WB_INLINE void predict_range(const wbPbdPass *pass, int begin, int end, const bool isSecond) {
    const wbPbd *pbd = pass->pbd;
    const wbPbdHistory *h = &pbd->history;
    const PbdMove move = pass->terms.move;
    for (int i = begin; i < end; i += WB_LANES) {
        Own own = own_records(i);
        Three v = load_three(pbd->vx, pbd->vy, pbd->vz, i), lastV = v, lastWay = v;
        if (isSecond) lastV = load_three(h->vx, h->vy, h->vz, i);
        if (isSecond) lastWay = load_three(h->wayX, h->wayY, h->wayZ, i);
        REAL w = real_load(pass->w + i), zero = real_set(0), way[3];
        for (int a = 0; a < 3; a++) {
            way[a] = isSecond ? pbd_predict_second(v.a[a], lastV.a[a], lastWay.a[a], move.gravity[a], &move)
                              : v.a[a] * move.dt + move.kick * move.gravity[a];
            if (pass->push[a]) way[a] = real_madd(real_load(pass->push[a] + i), real_set(move.kick), way[a]);
            way[a] = real_select(real_less(zero, w), way[a], zero);
        }
        REAL4 start = {real_load(pbd->x + i), real_load(pbd->y + i), real_load(pbd->z + i), zero};
        lane_scatter4(pass->records, own.index, (REAL4){way[0], way[1], way[2], w});
        lane_scatter4(pass->records + WB_PBD_HALF, own.index, start);
        if (pass->back) lane_scatter4(pass->back + WB_PBD_HALF, own.index, start);
    }
}

static void predict(int begin, int end, int worker, void *context) {
    (void)worker;
    predict_range(context, begin, end, false);
}

static void predict_second(int begin, int end, int worker, void *context) {
    (void)worker;
    predict_range(context, begin, end, true);
}

// The gap from the particles with ways q and starts y to those with p and x: positions by themselves would lose what is
// small beside them.
WB_INLINE PbdGap gap_between(REAL4 p, REAL4 x, REAL4 q, REAL4 y, REAL sign) {
    return pbd_gap((x.x - y.x) + (p.x - q.x), (x.y - y.y) + (p.y - q.y), (x.z - y.z) + (p.z - q.z), sign);
}

// Constraints begin … end - 1 in the order of batches, which share no particle: either moves the particles, or adds
// to their sums of corrections.
WB_INLINE void project_range(const wbPbdPass *pass, int begin, int end, wbPbdKind kind, const bool xpbd,
                             const bool sums) {
    const wbPbdBatches *b = &pass->pbd->batches;
    const PbdRule rule = pass->terms.rules[kind];
    const int *first = b->first, *second = b->second;
    const float *rest = b->rest, *shares = b->share;
    float *lambdas = b->lambda, *records = pass->records, *target = sums ? pass->sums : records;
    const float *starts = records + WB_PBD_HALF;
    for (int k = begin; k < end; k += WB_LANES) {
        REAL4 p = lane_load4(records, first + k), q = lane_load4(records, second + k);
        REAL4 x = lane_load4(starts, first + k), y = lane_load4(starts, second + k);
        PbdGap gap = gap_between(p, x, q, y, real_set(1));
        REAL lambda = xpbd ? real_load(lambdas + k) : real_set(0);
        REAL change = pbd_distance(xpbd, gap.r, real_load(rest + k), p.w + q.w, lambda, &rule);
        if (xpbd && sums) change *= real_load(shares + k);
        if (xpbd) real_store(lambdas + k, lambda + change);
        REAL push = change * gap.inverse, pushP = push * p.w, pushQ = push * -q.w;
        if (sums) p = lane_load4(target, first + k), q = lane_load4(target, second + k);
        p.x = real_madd(pushP, gap.x, p.x), q.x = real_madd(pushQ, gap.x, q.x);
        p.y = real_madd(pushP, gap.y, p.y), q.y = real_madd(pushQ, gap.y, q.y);
        p.z = real_madd(pushP, gap.z, p.z), q.z = real_madd(pushQ, gap.z, q.z);
        lane_scatter4(target, first + k, p);
        lane_scatter4(target, second + k, q);
    }
}

WB_INLINE void project_part(const wbPbdPass *pass, int begin, int end, wbPbdKind kind, const bool sums) {
    if (pass->terms.xpbd)
        project_range(pass, begin, end, kind, true, sums);
    else
        project_range(pass, begin, end, kind, false, sums);
}

WB_INLINE void project_batch(const wbPbdPass *pass, int begin, int end, const bool sums) {
    const wbPbdBatch *batch = (const wbPbdBatch *)pass->pbd->batches.list.data + pass->firstBatch;
    project_part(pass, batch->begin + begin, batch->begin + end, batch->kind, sums);
}

WB_INLINE void project_run_of(const wbPbdPass *pass, const bool sums) {
    const wbPbdBatch *batches = pass->pbd->batches.list.data;
    for (int n = 0; n < pass->lastBatch - pass->firstBatch; n++) {
        int k = pass->isBack ? pass->lastBatch - 1 - n : pass->firstBatch + n;
        project_part(pass, batches[k].begin, batches[k].end, batches[k].kind, sums);
    }
}

// Hinges begin … end - 1, likewise. C = |sum k x| - rest; since the k add up to 0, only gaps to corner 0 count.
WB_INLINE void bend_range(const wbPbdPass *pass, int begin, int end, const bool xpbd, const bool sums) {
    const wbPbdHingeBatches *h = &pass->pbd->hinges;
    const PbdRule rule = pass->terms.rules[wb_pbdBend];
    float *records = pass->records, *target = sums ? pass->sums : records;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 p[4], x[4];
        REAL k[4], weight = real_set(0), kx = weight, ky = weight, kz = weight;
        for (int m = 0; m < 4; m++) {
            p[m] = lane_load4(records, h->corner[m] + i);
            x[m] = lane_load4(records + WB_PBD_HALF, h->corner[m] + i);
            k[m] = real_load(h->coefficient[m] + i);
            weight = real_madd(p[m].w * k[m], k[m], weight);
            kx = real_madd(k[m], (x[m].x - x[0].x) + (p[m].x - p[0].x), kx);
            ky = real_madd(k[m], (x[m].y - x[0].y) + (p[m].y - p[0].y), ky);
            kz = real_madd(k[m], (x[m].z - x[0].z) + (p[m].z - p[0].z), kz);
        }
        PbdGap gap = pbd_gap(kx, ky, kz, real_set(1));
        REAL lambda = xpbd ? real_load(h->lambda + i) : real_set(0);
        REAL change = pbd_distance(xpbd, gap.r, real_load(h->rest + i), weight, lambda, &rule);
        if (xpbd && sums) change *= real_load(h->share + i);
        if (xpbd) real_store(h->lambda + i, lambda + change);
        for (int m = 0; m < 4; m++) {
            REAL push = change * gap.inverse * p[m].w * k[m];
            REAL4 to = sums ? lane_load4(target, h->corner[m] + i) : p[m];
            to.x = real_madd(push, gap.x, to.x), to.y = real_madd(push, gap.y, to.y);
            to.z = real_madd(push, gap.z, to.z);
            lane_scatter4(target, h->corner[m] + i, to);
        }
    }
}

WB_INLINE void bend_part(const wbPbdPass *pass, int begin, int end, const bool sums) {
    if (pass->terms.xpbd)
        bend_range(pass, begin, end, true, sums);
    else
        bend_range(pass, begin, end, false, sums);
}

WB_INLINE void bend_batch(const wbPbdPass *pass, int begin, int end, const bool sums) {
    const wbPbdBatch *batch = (const wbPbdBatch *)pass->pbd->hinges.list.data + pass->firstBatch;
    bend_part(pass, batch->begin + begin, batch->begin + end, sums);
}

WB_INLINE void bend_run_of(const wbPbdPass *pass, const bool sums) {
    const wbPbdBatch *batches = pass->pbd->hinges.list.data;
    for (int n = 0; n < pass->lastBatch - pass->firstBatch; n++) {
        int k = pass->isBack ? pass->lastBatch - 1 - n : pass->firstBatch + n;
        bend_part(pass, batches[k].begin, batches[k].end, sums);
    }
}

// A range of one batch, and a run of whole ones, for each of the loops above.
#define RANGES(name, batch, run, sums)                                                                       \
    static void name(int begin, int end, int worker, void *context) {                                        \
        (void)worker;                                                                                        \
        batch(context, begin, end, sums);                                                                    \
    }                                                                                                        \
    static void name##_run(int begin, int end, int worker, void *context) {                                  \
        (void)begin, (void)end, (void)worker;                                                                \
        run(context, sums);                                                                                  \
    }
RANGES(project, project_batch, project_run_of, false)
RANGES(sum, project_batch, project_run_of, true)
RANGES(bend, bend_batch, bend_run_of, false)
RANGES(sum_bend, bend_batch, bend_run_of, true)
#undef RANGES

// XPBD has taken each constraint's share already; PBD takes the mean over a particle's constraints.
static void apply(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    for (int i = begin; i < end; i += WB_LANES) {
        Own own = own_records(i);
        REAL4 p = lane_load4(pass->records, own.index), s = lane_load4(pass->sums, own.index);
        REAL share = pass->terms.xpbd ? real_set(1) : real_load(pass->pbd->perConstraint + i),
             zero = real_set(0);
        p.x = real_madd(s.x, share, p.x), p.y = real_madd(s.y, share, p.y), p.z = real_madd(s.z, share, p.z);
        lane_scatter4(pass->records, own.index, p);
        lane_scatter4(pass->sums, own.index, (REAL4){zero, zero, zero, zero});
    }
}

// Adds to `sum` what the constraints of one kind want of the WB_LANES particles from i on.
WB_INLINE void gather_kind(const wbPbdPass *pass, int i, wbPbdKind kind, REAL4 p, REAL4 x, REAL4 *sum,
                           const bool xpbd) {
    const wbPbdRows *rows = &pass->pbd->rows;
    const int *begins = (const int *)rows->begins.data + i / WB_GROUP * wb_pbdKindCount + kind;
    const PbdRule rule = pass->terms.rules[kind];
    Own own = own_records(i);
    for (int row = begins[0]; row < begins[1]; row++) {
        size_t k = (size_t)row * WB_GROUP + (size_t)(i % WB_GROUP);
        const int *other = rows->other + k;
        REAL4 q = lane_load4(pass->records, other), y = lane_load4(pass->records + WB_PBD_HALF, other);
        float side[WB_LANES]; // the two of a pair in one place must part to different sides
        for (int l = 0; l < WB_LANES; l++) side[l] = own.index[l] < other[l] ? 1.0f : -1.0f;
        PbdGap gap = gap_between(p, x, q, y, real_load(side));
        REAL rest = real_load(rows->rest + k), lambda = xpbd ? real_load(rows->lambda + k) : real_set(0);
        REAL change = pbd_distance(xpbd, gap.r, rest, p.w + q.w, lambda, &rule);
        change = real_select(real_less(rest, real_set(0)), real_set(0), change);
        if (xpbd) change *= real_load(rows->share + k);
        if (xpbd) real_store(rows->lambda + k, lambda + change);
        REAL push = change * gap.inverse * p.w;
        sum->x = real_madd(push, gap.x, sum->x);
        sum->y = real_madd(push, gap.y, sum->y);
        sum->z = real_madd(push, gap.z, sum->z);
    }
}

WB_INLINE void gather_range(const wbPbdPass *pass, int begin, int end, const bool xpbd) {
    for (int i = begin; i < end; i += WB_LANES) {
        Own own = own_records(i);
        REAL4 p = lane_load4(pass->records, own.index),
              x = lane_load4(pass->records + WB_PBD_HALF, own.index);
        REAL4 s = {real_set(0), real_set(0), real_set(0), real_set(0)};
        if (pass->sums) { // of the hinges
            const REAL4 none = s;
            s = lane_load4(pass->sums, own.index);
            lane_scatter4(pass->sums, own.index, none);
        }
        for (int kind = 0; kind < wb_pbdKindCount; kind++)
            gather_kind(pass, i, (wbPbdKind)kind, p, x, &s, xpbd);
        REAL share = xpbd ? real_set(1) : real_load(pass->pbd->perConstraint + i);
        p.x = real_madd(s.x, share, p.x), p.y = real_madd(s.y, share, p.y), p.z = real_madd(s.z, share, p.z);
        lane_scatter4(pass->back, own.index, p);
    }
}

static void gather(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    if (pass->terms.xpbd)
        gather_range(pass, begin, end, true);
    else
        gather_range(pass, begin, end, false);
}

// Where both are of different bodies, whose numbers are the last of y and x, and one of them moves.
WB_INLINE MASK may_touch(REAL weight, REAL4 x, REAL4 y) {
    REAL zero = real_set(0);
    return real_less(zero, real_select(real_less(zero, real_abs(y.w - x.w)), weight, zero));
}

// How many of those near them WB_LANES sorted particles from i on touch, times their inverse masses.
WB_INLINE void load_lanes(const wbPbdPass *pass, int i, const int *rows, int rowCount) {
    const PbdContact contact = pass->terms.contact;
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    REAL4 p = lane_load4(pass->sortedWays, own), x = lane_load4(pass->sortedStarts, own);
    REAL count = real_set(0), zero = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 q = lane_load4(pass->sortedWays, rows), y = lane_load4(pass->sortedStarts, rows);
        REAL touches = pbd_touches((x.x - y.x) + (p.x - q.x), (x.y - y.y) + (p.y - q.y),
                                   (x.z - y.z) + (p.z - q.z), y.w - x.w, &contact);
        count += real_select(may_touch(p.w + q.w, x, y), touches, zero);
    }
    real_store(pass->loads + i, count * p.w);
}

// Contacts of WB_LANES sorted particles from i on with those near them.
WB_INLINE void touch_lanes(const wbPbdPass *pass, int i, const int *rows, int rowCount) {
    const PbdContact contact = pass->terms.contact;
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    REAL4 p = lane_load4(pass->sortedWays, own), x = lane_load4(pass->sortedStarts, own);
    const REAL load = p.w;
    p.w = lane_load4(pass->records, pass->order + i).w;
    PbdPush sum = {real_set(0), real_set(0), real_set(0)};
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 q = lane_load4(pass->sortedWays, rows), y = lane_load4(pass->sortedStarts, rows);
        REAL sx = p.x - q.x, sy = p.y - q.y, sz = p.z - q.z;
        REAL loads = load + q.w;
        REAL share = real_select(may_touch(loads, x, y), p.w * real_rcp(loads), real_set(-1));
        PbdPush push = pbd_contact((x.x - y.x) + sx, (x.y - y.y) + sy, (x.z - y.z) + sz, y.w - x.w, sx, sy,
                                   sz, share, &contact);
        sum.x += push.x, sum.y += push.y, sum.z += push.z;
    }
    p.x += sum.x, p.y += sum.y, p.z += sum.z;
    lane_scatter4(pass->records, pass->order + i, p);
}

static void load(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&pass->pbd->neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP; l += WB_LANES) load_lanes(pass, i + l, rows + l, rowCount);
    }
}

static void touch(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(&pass->pbd->neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP; l += WB_LANES) touch_lanes(pass, i + l, rows + l, rowCount);
    }
}

static void block(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    const wbPbdPlanes *planes = &pass->planes;
    const PbdContact contact = pass->terms.contact;
    for (int i = begin; i < end; i += WB_LANES) {
        Own own = own_records(i);
        REAL4 p = lane_load4(pass->records, own.index);
        const REAL normal[3] = {real_load(planes->nx + i), real_load(planes->ny + i),
                                real_load(planes->nz + i)},
                   shift[3] = {real_load(planes->sx + i), real_load(planes->sy + i),
                               real_load(planes->sz + i)};
        PbdPlace place = {.way = {p.x, p.y, p.z}};
        REAL free = real_select(real_less(real_set(0), p.w), real_set(1), real_set(0));
        place = pbd_plane(place, normal, real_load(planes->height + i), shift, free, &contact);
        lane_scatter4(pass->records, own.index, (REAL4){place.way[0], place.way[1], place.way[2], p.w});
    }
}

static void confine(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    const PbdSides sides = pass->terms.sides;
    for (int i = begin; i < end; i += WB_LANES) {
        Own own = own_records(i);
        REAL4 p = lane_load4(pass->records, own.index),
              x = lane_load4(pass->records + WB_PBD_HALF, own.index);
        PbdPlace place = {{x.x, x.y, x.z}, {p.x, p.y, p.z}};
        REAL free = real_select(real_less(real_set(0), p.w), real_set(1), real_set(0));
        for (int axis = 0; axis < 3; axis++) place = pbd_side(place, free, axis, &sides);
        lane_scatter4(pass->records, own.index, (REAL4){place.way[0], place.way[1], place.way[2], p.w});
    }
}

// BDF2: how motions go on, weighed by mass. Pinned ones do not count.
static void compare(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    const wbPbd *pbd = pass->pbd;
    const wbPbdHistory *h = &pbd->history;
    const PbdMove move = pass->terms.move;
    const REAL zero = real_set(0),
               gravity2 = real_set(move.gravity[0] * move.gravity[0] + move.gravity[1] * move.gravity[1] +
                                   move.gravity[2] * move.gravity[2]);
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 p = lane_load4(pass->records, own_records(i).index);
        Three v = load_three(pbd->vx, pbd->vy, pbd->vz, i),
              lastWay = load_three(h->wayX, h->wayY, h->wayZ, i);
        const REAL way[3] = {p.x, p.y, p.z};
        PbdTrend trend = pbd_trend(way, lastWay.a, v.a, &move);
        for (int a = 0; a < 3 && pass->push[a]; a++)
            trend.room = real_madd(real_load(pass->push[a] + i), way[a], trend.room);
        REAL mass = real_select(real_less(zero, p.w), real_rcp(real_max(p.w, real_set(1e-30f))), zero);
        REAL before = move.lastRate > 0 ? real_load(h->acceleration2 + i) : gravity2;
        real_store(pass->trends[WB_PBD_BEFORE] + i, before * mass);
        real_store(pass->trends[WB_PBD_NOW] + i, trend.acceleration2 * mass);
        real_store(pass->trends[WB_PBD_ROOM] + i, trend.room * mass);
        real_store(pass->trends[WB_PBD_RISE] + i, trend.rise * mass);
        real_store(pass->trends[WB_PBD_BEND] + i, trend.bend * mass);
        real_store(h->acceleration2 + i, trend.acceleration2);
    }
}

// Sums over each body are taken in the order of its particles.
static void judge(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbdPass *pass = context;
    const int *begins = pass->pbd->bodyBegins.data;
    for (int body = begin; body < end; body++) {
        REAL sums[WB_PBD_SHARE];
        if (begins[body] == begins[body + 1]) continue;
        for (int k = 0; k < WB_PBD_SHARE; k++) {
            double sum = 0;
            for (int i = begins[body]; i < begins[body + 1]; i++) sum += (double)pass->trends[k][i];
            sums[k] = real_set((float)sum);
        }
        PbdTrend trend = {sums[WB_PBD_NOW], sums[WB_PBD_ROOM], sums[WB_PBD_RISE], sums[WB_PBD_BEND]};
        float *banks = pass->pbd->history.bank, share[WB_LANES], bank[WB_LANES];
        bool isFirst = !(pass->terms.move.lastRate > 0);
        PbdVerdict verdict =
            pbd_judge(sums[WB_PBD_BEFORE], trend, real_set(isFirst ? 0 : banks[begins[body]]));
        real_store(share, verdict.share), real_store(bank, verdict.bank);
        for (int i = begins[body]; i < begins[body + 1]; i++)
            pass->trends[WB_PBD_SHARE][i] = share[0], banks[i] = bank[0];
    }
}

// Velocities and positions of a block; its highest squared speed, or NaN. Lanes past the end are at rest.
WB_INLINE float finish_block(const wbPbdPass *pass, int begin, int end, const bool isSecond) {
    wbPbd *pbd = pass->pbd;
    wbPbdHistory *h = &pbd->history;
    const PbdMove move = pass->terms.move;
    float *x[3] = {pbd->x, pbd->y, pbd->z}, *v[3] = {pbd->vx, pbd->vy, pbd->vz}, lanes[WB_LANES];
    float *lastWay[3] = {h->wayX, h->wayY, h->wayZ}, *lastV[3] = {h->vx, h->vy, h->vz};
    REAL largest = real_set(0), check = real_set(0);
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 p = lane_load4(pass->records, own_records(i).index);
        const REAL way[3] = {p.x, p.y, p.z};
        REAL speed2 = real_set(0);
        for (int a = 0; a < 3; a++) {
            REAL speed = way[a] * (isSecond ? move.firstRate : move.rate);
            if (isSecond) {
                REAL share = real_load(pass->trends[WB_PBD_SHARE] + i), before = real_load(v[a] + i);
                REAL more = pbd_speed_second(way[a], real_load(lastWay[a] + i), &move) - speed;
                speed = real_madd(more, share, speed);
                real_store(lastV[a] + i, real_madd(before - speed, share, speed));
                real_store(lastWay[a] + i, way[a]);
            }
            speed2 = real_madd(speed, speed, speed2);
            real_store(v[a] + i, speed);
            real_store(x[a] + i, real_load(x[a] + i) + way[a]);
        }
        largest = real_max(speed2, largest);
        check += speed2 * 0.0f;
    }
    real_store(lanes, largest);
    float result = lanes[0];
    for (int l = 1; l < WB_LANES; l++) result = lanes[l] > result ? lanes[l] : result;
    return result + real_sum(check);
}

WB_INLINE void finish_range(const wbPbdPass *pass, int begin, int end, const bool isSecond) {
    for (int block = begin; block < end; block += WB_BLOCK)
        pass->maxima[block / WB_BLOCK] =
            finish_block(pass, block, block + WB_BLOCK < end ? block + WB_BLOCK : end, isSecond);
}

static void finish(int begin, int end, int worker, void *context) {
    (void)worker;
    finish_range(context, begin, end, false);
}

static void finish_second(int begin, int end, int worker, void *context) {
    (void)worker;
    finish_range(context, begin, end, true);
}

const wbPbdCode WB_WIDE(wb_pbdCode) = {
    predict, project, project_run, sum,   sum_run, bend,   bend_run,       sum_bend, sum_bend_run,  apply,
    gather,  load,    touch,       block, confine, finish, predict_second, compare,  finish_second, judge};
