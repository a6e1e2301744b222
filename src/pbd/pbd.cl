// SPDX-License-Identifier: MIT
// Position based bodies on a device. Formulas stand in pbd_formula.h, the search in space/walk.cl; a work-item has
// WB_LANES particles or constraints. A particle is where it began the sub-step (x, y, z) plus its way since. Lists name
// particles by twice their place, as the records of the cores count (pbd_code.h).

WB_INLINE REAL gather(__global const float *values, const int *index) {
    float lanes[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) lanes[l] = values[index[l]];
    return lanes_load(lanes);
}

WB_INLINE void scatter_add(__global float *values, const int *index, REAL a) {
    float lanes[WB_LANES];
    lanes_store(lanes, a);
    for (int l = 0; l < WB_LANES; l++) values[index[l]] += lanes[l];
}

// way = dt v + kick g
__kernel void pbd_predict(int count, PbdMove move, __global const float *vx, __global const float *vy,
                          __global const float *vz, __global const float *w, __global float *wayX,
                          __global float *wayY, __global float *wayZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const MASK free = real_less(real_set(0), real_load(w + i));
    const REAL zero = real_set(0);
    real_store(wayX + i, real_select(free, real_load(vx + i) * move.dt + move.kick * move.gravity[0], zero));
    real_store(wayY + i, real_select(free, real_load(vy + i) * move.dt + move.kick * move.gravity[1], zero));
    real_store(wayZ + i, real_select(free, real_load(vz + i) * move.dt + move.kick * move.gravity[2], zero));
}

WB_INLINE void predict_axis(__global const float *v, __global const float *lastV,
                            __global const float *lastWay, __global float *way, float gravity, MASK free,
                            const PbdMove *move) {
    const REAL to = pbd_predict_second(real_load(v), real_load(lastV), real_load(lastWay), gravity, move);
    real_store(way, real_select(free, to, real_set(0)));
}

// BDF2
__kernel void pbd_predict2(int count, PbdMove move, __global const float *vx, __global const float *vy,
                           __global const float *vz, __global const float *lastVx,
                           __global const float *lastVy, __global const float *lastVz,
                           __global const float *lastWayX, __global const float *lastWayY,
                           __global const float *lastWayZ, __global const float *w, __global float *wayX,
                           __global float *wayY, __global float *wayZ) {
    const PbdMove m = move;
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const MASK free = real_less(real_set(0), real_load(w + i));
    predict_axis(vx + i, lastVx + i, lastWayX + i, wayX + i, m.gravity[0], free, &m);
    predict_axis(vy + i, lastVy + i, lastWayY + i, wayY + i, m.gravity[1], free, &m);
    predict_axis(vz + i, lastVz + i, lastWayZ + i, wayZ + i, m.gravity[2], free, &m);
}

// The constraints `begin` … `end` - 1, which share no particle: moves the particles (to is their way), or adds to their
// sums of corrections, where XPBD takes each constraint's share.
__kernel void pbd_project(int begin, int end, PbdRule rule, int xpbd, int sums, __global const int *first,
                          __global const int *second, __global const float *rest,
                          __global const float *shares, __global float *lambdas, __global const float *x,
                          __global const float *y, __global const float *z, __global const float *w,
                          __global const float *wayX, __global const float *wayY, __global const float *wayZ,
                          __global float *toX, __global float *toY, __global float *toZ) {
    const int k = begin + get_global_id(0) * WB_LANES;
    if (k >= end) return;
    int p[WB_LANES], q[WB_LANES];
    for (int l = 0; l < WB_LANES; l++) p[l] = first[k + l] / 2, q[l] = second[k + l] / 2;
    const REAL wp = gather(w, p), wq = gather(w, q);
    const PbdGap gap =
        pbd_gap((gather(x, p) - gather(x, q)) + (gather(wayX, p) - gather(wayX, q)),
                (gather(y, p) - gather(y, q)) + (gather(wayY, p) - gather(wayY, q)),
                (gather(z, p) - gather(z, q)) + (gather(wayZ, p) - gather(wayZ, q)), real_set(1));
    const REAL lambda = xpbd ? real_load(lambdas + k) : real_set(0);
    REAL change = pbd_distance(xpbd, gap.r, real_load(rest + k), wp + wq, lambda, &rule);
    if (xpbd && sums) change *= real_load(shares + k);
    if (xpbd) real_store(lambdas + k, lambda + change);
    const REAL push = change * gap.inverse, pushP = push * wp, pushQ = -push * wq;
    scatter_add(toX, p, pushP * gap.x), scatter_add(toX, q, pushQ * gap.x);
    scatter_add(toY, p, pushP * gap.y), scatter_add(toY, q, pushQ * gap.y);
    scatter_add(toZ, p, pushP * gap.z), scatter_add(toZ, q, pushQ * gap.z);
}

// Hinges, likewise: C = |sum k x| - rest; since the k add up to 0, only gaps to corner 0 count.
__kernel void pbd_bend(int begin, int end, PbdRule rule, int xpbd, int sums, __global const int *corner0,
                       __global const int *corner1, __global const int *corner2, __global const int *corner3,
                       __global const float *k0, __global const float *k1, __global const float *k2,
                       __global const float *k3, __global const float *rest, __global const float *shares,
                       __global float *lambdas, __global const float *x, __global const float *y,
                       __global const float *z, __global const float *w, __global const float *wayX,
                       __global const float *wayY, __global const float *wayZ, __global float *toX,
                       __global float *toY, __global float *toZ) {
    const int i = begin + get_global_id(0) * WB_LANES;
    if (i >= end) return;
    __global const int *corners[4] = {corner0, corner1, corner2, corner3};
    const REAL k[4] = {real_load(k0 + i), real_load(k1 + i), real_load(k2 + i), real_load(k3 + i)};
    int p[4][WB_LANES];
    REAL wk[4], weight = real_set(0), kx = weight, ky = weight, kz = weight;
    for (int m = 0; m < 4; m++) {
        for (int l = 0; l < WB_LANES; l++) p[m][l] = corners[m][i + l] / 2;
        wk[m] = gather(w, p[m]) * k[m];
        weight = real_madd(wk[m], k[m], weight);
        kx = real_madd(k[m], (gather(x, p[m]) - gather(x, p[0])) + (gather(wayX, p[m]) - gather(wayX, p[0])),
                       kx);
        ky = real_madd(k[m], (gather(y, p[m]) - gather(y, p[0])) + (gather(wayY, p[m]) - gather(wayY, p[0])),
                       ky);
        kz = real_madd(k[m], (gather(z, p[m]) - gather(z, p[0])) + (gather(wayZ, p[m]) - gather(wayZ, p[0])),
                       kz);
    }
    const PbdGap gap = pbd_gap(kx, ky, kz, real_set(1));
    const REAL lambda = xpbd ? real_load(lambdas + i) : real_set(0);
    REAL change = pbd_distance(xpbd, gap.r, real_load(rest + i), weight, lambda, &rule);
    if (xpbd && sums) change *= real_load(shares + i);
    if (xpbd) real_store(lambdas + i, lambda + change);
    for (int m = 0; m < 4; m++) {
        const REAL push = change * gap.inverse * wk[m];
        scatter_add(toX, p[m], push * gap.x);
        scatter_add(toY, p[m], push * gap.y);
        scatter_add(toZ, p[m], push * gap.z);
    }
}

WB_INLINE void apply_axis(__global float *way, __global const float *sums, REAL share) {
    real_store(way, real_madd(real_load(sums), share, real_load(way)));
}

// Both Jacobis: PBD takes the mean over a particle's constraints.
__kernel void pbd_apply(int count, int xpbd, __global const float *perConstraint, __global float *wayX,
                        __global float *wayY, __global float *wayZ, __global const float *sumX,
                        __global const float *sumY, __global const float *sumZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL share = xpbd ? real_set(1) : real_load(perConstraint + i);
    apply_axis(wayX + i, sumX + i, share);
    apply_axis(wayY + i, sumY + i, share);
    apply_axis(wayZ + i, sumZ + i, share);
}

// Jacobi by particles: sums what the constraints of one kind want, from all ways to `sum`.
__kernel void pbd_gather(int count, int kind, int kinds, PbdRule rule, int xpbd, __global const int *begins,
                         __global const int *others, __global const float *rest, __global const float *shares,
                         __global float *lambdas, __global const float *x, __global const float *y,
                         __global const float *z, __global const float *w, __global const float *wayX,
                         __global const float *wayY, __global const float *wayZ, __global float *sumX,
                         __global float *sumY, __global float *sumZ) {
    const int i = get_global_id(0) * WB_LANES, list = i / 16 * kinds + kind;
    if (i >= count) return;
    const REAL xi = real_load(x + i), yi = real_load(y + i), zi = real_load(z + i), wi = real_load(w + i);
    const REAL wxi = real_load(wayX + i), wyi = real_load(wayY + i), wzi = real_load(wayZ + i);
    REAL sx = real_load(sumX + i), sy = real_load(sumY + i), sz = real_load(sumZ + i);
    for (int row = begins[list]; row < begins[list + 1]; row++) {
        const int k = row * 16 + i % 16;
        int q[WB_LANES];
        float side[WB_LANES]; // the two of a pair in one place must part to different sides
        for (int l = 0; l < WB_LANES; l++) q[l] = others[k + l] / 2, side[l] = i + l < q[l] ? 1.0f : -1.0f;
        const PbdGap gap = pbd_gap((xi - gather(x, q)) + (wxi - gather(wayX, q)),
                                   (yi - gather(y, q)) + (wyi - gather(wayY, q)),
                                   (zi - gather(z, q)) + (wzi - gather(wayZ, q)), lanes_load(side));
        const REAL length = real_load(rest + k), lambda = xpbd ? real_load(lambdas + k) : real_set(0);
        REAL change = pbd_distance(xpbd, gap.r, length, wi + gather(w, q), lambda, &rule);
        change = real_select(real_less(length, real_set(0)), real_set(0), change);
        if (xpbd) change *= real_load(shares + k);
        if (xpbd) real_store(lambdas + k, lambda + change);
        const REAL push = change * gap.inverse * wi;
        sx = real_madd(push, gap.x, sx), sy = real_madd(push, gap.y, sy), sz = real_madd(push, gap.z, sz);
    }
    real_store(sumX + i, sx);
    real_store(sumY + i, sy);
    real_store(sumZ + i, sz);
}

// Predicted positions, which contacts are searched by, and the places that are sorted along.
__kernel void pbd_arrive(int count, __global const float *x, __global const float *y, __global const float *z,
                         __global const float *wayX, __global const float *wayY, __global const float *wayZ,
                         __global float *px, __global float *py, __global float *pz, __global int *places) {
    const int i = get_global_id(0);
    if (i >= count) return;
    px[i] = x[i] + wayX[i], py[i] = y[i] + wayY[i], pz[i] = z[i] + wayZ[i];
    places[i] = i;
}

// How many particles of other bodies each touches, near by at the predicted positions x, y, z, times its inverse mass. Sorted by cell; places[k]
// is where the particle is.
__kernel void pbd_load(int count, PbdContact contact, SpaceCells cells, float reach,
                       __global const int *bucketStart, __global const float *x, __global const float *y,
                       __global const float *z, __global const int *places, __global const float *startX,
                       __global const float *startY, __global const float *startZ, __global const float *w,
                       __global const int *bodies, __global const float *wayX, __global const float *wayY,
                       __global const float *wayZ, __global float *loads) {
    int sifted[SIFTED];
    Walk walk = walk_points(count, &cells, bucketStart, x, y, z, sifted);
    const int first = walk.first;
    if (walk.isPast) return;
    int own[WB_LANES];
    float body[WB_LANES];
    for (int l = 0; l < WB_LANES; l++)
        own[l] = places[min(first + l, count - 1)], body[l] = (float)bodies[own[l]];
    const REAL sxi = gather(startX, own), syi = gather(startY, own), szi = gather(startZ, own);
    const REAL wxi = gather(wayX, own), wyi = gather(wayY, own), wzi = gather(wayZ, own);
    const REAL wi = gather(w, own), bi = lanes_load(body), zero = real_set(0);
    REAL sum = zero;
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const int j = walk.j, q = places[j];
            const Real3 e = real3(walk.p.x - x[j], walk.p.y - y[j], walk.p.z - z[j]);
            const REAL other = (float)bodies[q] - bi;
            const MASK near = (dot3(e, e) < reach * reach) & walk.inside;
            REAL touches =
                pbd_touches((sxi - startX[q]) + (wxi - wayX[q]), (syi - startY[q]) + (wyi - wayY[q]),
                            (szi - startZ[q]) + (wzi - wayZ[q]), other, &contact);
            touches = real_select(real_less(zero, wi + w[q]), touches, zero);
            touches = real_select(real_less(zero, other * other), touches, zero);
            sum += real_select(near, touches, zero);
        }
    float lanes[WB_LANES];
    lanes_store(lanes, sum * wi);
    for (int l = 0; first + l < walk.itemEnd; l++) loads[own[l]] = lanes[l];
}

// Contacts with particles of other bodies near by at the predicted positions x, y, z, from the ways to `to`.
__kernel void pbd_touch(int count, PbdContact contact, SpaceCells cells, float reach,
                        __global const int *bucketStart, __global const float *x, __global const float *y,
                        __global const float *z, __global const int *places, __global const float *startX,
                        __global const float *startY, __global const float *startZ, __global const float *w,
                        __global const float *loads, __global const int *bodies, __global const float *wayX,
                        __global const float *wayY, __global const float *wayZ, __global float *toX,
                        __global float *toY, __global float *toZ) {
    int sifted[SIFTED];
    Walk walk = walk_points(count, &cells, bucketStart, x, y, z, sifted);
    const int first = walk.first;
    if (walk.isPast) return;
    int own[WB_LANES];
    float body[WB_LANES];
    for (int l = 0; l < WB_LANES; l++)
        own[l] = places[min(first + l, count - 1)], body[l] = (float)bodies[own[l]];
    const REAL sxi = gather(startX, own), syi = gather(startY, own), szi = gather(startZ, own);
    const REAL wxi = gather(wayX, own), wyi = gather(wayY, own), wzi = gather(wayZ, own);
    const REAL wi = gather(w, own), ni = gather(loads, own), bi = lanes_load(body), none = real_set(-1);
    REAL sumX = real_set(0), sumY = real_set(0), sumZ = real_set(0);
    while (next_run(&walk))
        while (next_candidate(&walk)) {
            const int j = walk.j, q = places[j];
            const Real3 e = real3(walk.p.x - x[j], walk.p.y - y[j], walk.p.z - z[j]);
            REAL sx = wxi - wayX[q], sy = wyi - wayY[q], sz = wzi - wayZ[q];
            REAL weight = ni + loads[q], other = (float)bodies[q] - bi;
            REAL share = real_select(real_less(real_set(0), weight), wi / weight, none);
            share = real_select(real_less(real_set(0), other * other), share, none);
            const MASK near = (dot3(e, e) < reach * reach) & walk.inside;
            share = real_select(near, share, none);
            PbdPush push = pbd_contact((sxi - startX[q]) + sx, (syi - startY[q]) + sy, (szi - startZ[q]) + sz,
                                       other, sx, sy, sz, share, &contact);
            sumX += push.x, sumY += push.y, sumZ += push.z;
        }
    float lanesX[WB_LANES], lanesY[WB_LANES], lanesZ[WB_LANES];
    lanes_store(lanesX, wxi + sumX);
    lanes_store(lanesY, wyi + sumY);
    lanes_store(lanesZ, wzi + sumZ);
    for (int l = 0; first + l < walk.itemEnd; l++)
        toX[own[l]] = lanesX[l], toY[own[l]] = lanesY[l], toZ[own[l]] = lanesZ[l];
}

__kernel void pbd_block(int count, PbdContact contact, __global const float *nx, __global const float *ny,
                        __global const float *nz, __global const float *height, __global const float *sx,
                        __global const float *sy, __global const float *sz, __global const float *w,
                        __global float *wayX, __global float *wayY, __global float *wayZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL normal[3] = {real_load(nx + i), real_load(ny + i), real_load(nz + i)};
    const REAL shift[3] = {real_load(sx + i), real_load(sy + i), real_load(sz + i)};
    PbdPlace place = {{real_set(0), real_set(0), real_set(0)},
                      {real_load(wayX + i), real_load(wayY + i), real_load(wayZ + i)}};
    const REAL free = real_select(real_less(real_set(0), real_load(w + i)), real_set(1), real_set(0));
    place = pbd_plane(place, normal, real_load(height + i), shift, free, &contact);
    real_store(wayX + i, place.way[0]);
    real_store(wayY + i, place.way[1]);
    real_store(wayZ + i, place.way[2]);
}

__kernel void pbd_confine(int count, PbdSides sides, __global const float *x, __global const float *y,
                          __global const float *z, __global const float *w, __global float *wayX,
                          __global float *wayY, __global float *wayZ) {
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    PbdPlace place = {{real_load(x + i), real_load(y + i), real_load(z + i)},
                      {real_load(wayX + i), real_load(wayY + i), real_load(wayZ + i)}};
    const REAL free = real_select(real_less(real_set(0), real_load(w + i)), real_set(1), real_set(0));
    for (int axis = 0; axis < 3; axis++) place = pbd_side(place, free, axis, &sides);
    real_store(wayX + i, place.way[0]);
    real_store(wayY + i, place.way[1]);
    real_store(wayZ + i, place.way[2]);
}

// BDF2: how motions go on, weighed by mass. Pinned ones do not count.
__kernel void pbd_compare(int count, PbdMove move, __global const float *vx, __global const float *vy,
                          __global const float *vz, __global const float *lastWayX,
                          __global const float *lastWayY, __global const float *lastWayZ,
                          __global const float *wayX, __global const float *wayY, __global const float *wayZ,
                          __global const float *w, __global float *acceleration2, __global float *before,
                          __global float *now, __global float *room, __global float *rise,
                          __global float *bend) {
    const PbdMove m = move;
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL way[3] = {real_load(wayX + i), real_load(wayY + i), real_load(wayZ + i)};
    const REAL lastWay[3] = {real_load(lastWayX + i), real_load(lastWayY + i), real_load(lastWayZ + i)};
    const REAL v[3] = {real_load(vx + i), real_load(vy + i), real_load(vz + i)};
    const REAL zero = real_set(0), wi = real_load(w + i);
    const REAL mass = real_select(real_less(zero, wi), real_rcp(real_max(wi, real_set(1e-30f))), zero);
    const float gravity2 =
        m.gravity[0] * m.gravity[0] + m.gravity[1] * m.gravity[1] + m.gravity[2] * m.gravity[2];
    const PbdTrend trend = pbd_trend(way, lastWay, v, &m);
    real_store(before + i, (m.lastRate > 0 ? real_load(acceleration2 + i) : real_set(gravity2)) * mass);
    real_store(now + i, trend.acceleration2 * mass);
    real_store(room + i, trend.room * mass);
    real_store(rise + i, trend.rise * mass);
    real_store(bend + i, trend.bend * mass);
    real_store(acceleration2 + i, trend.acceleration2);
}

// BDF2: the share of the second order in the velocities of a body, one per group.
__kernel __attribute__((reqd_work_group_size(PBD_SUMMARY_GROUP, 1, 1))) void
pbd_weigh(__global const int *begins, int isFirst, __global const float *before, __global const float *now,
          __global const float *room, __global const float *rise, __global const float *bend,
          __global float *shares, __global float *banks) {
    __local float sums[5][PBD_SUMMARY_GROUP];
    const int own = get_local_id(0), begin = begins[get_group_id(0)], end = begins[get_group_id(0) + 1];
    float sum[5] = {0, 0, 0, 0, 0};
    for (int i = begin + own; i < end; i += PBD_SUMMARY_GROUP)
        sum[0] += before[i], sum[1] += now[i], sum[2] += room[i], sum[3] += rise[i], sum[4] += bend[i];
    for (int k = 0; k < 5; k++) sums[k][own] = sum[k];
    for (int width = PBD_SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 5 && own < width; k++) sums[k][own] += sums[k][own + width];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const PbdTrend trend = {real_set(sums[1][0]), real_set(sums[2][0]), real_set(sums[3][0]),
                            real_set(sums[4][0])};
    float share[WB_LANES], bank[WB_LANES];
    const PbdVerdict verdict =
        pbd_judge(real_set(sums[0][0]), trend, real_set(isFirst || begin == end ? 0 : banks[begin]));
    lanes_store(share, verdict.share);
    lanes_store(bank, verdict.bank);
    barrier(CLK_GLOBAL_MEM_FENCE); // all have read the first one's
    for (int i = begin + own; i < end; i += PBD_SUMMARY_GROUP) shares[i] = share[0], banks[i] = bank[0];
}

WB_INLINE void change_axis(__global const float *v, __global float *lastV, __global float *lastWay,
                           __global const float *way, __global float *speeds, REAL share,
                           const PbdMove *move) {
    const REAL to = real_load(way), first = to * move->firstRate;
    const REAL speed = real_madd(pbd_speed_second(to, real_load(lastWay), move) - first, share, first);
    real_store(lastV, real_madd(real_load(v) - speed, share, speed));
    real_store(lastWay, to);
    real_store(speeds, speed);
}

// BDF2: velocities from ways, and the history goes on.
__kernel void pbd_change(int count, PbdMove move, __global const float *vx, __global const float *vy,
                         __global const float *vz, __global float *lastVx, __global float *lastVy,
                         __global float *lastVz, __global float *lastWayX, __global float *lastWayY,
                         __global float *lastWayZ, __global const float *wayX, __global const float *wayY,
                         __global const float *wayZ, __global float *speedX, __global float *speedY,
                         __global float *speedZ, __global const float *shares) {
    const PbdMove m = move;
    const int i = get_global_id(0) * WB_LANES;
    if (i >= count) return;
    const REAL share = real_load(shares + i);
    change_axis(vx + i, lastVx + i, lastWayX + i, wayX + i, speedX + i, share, &m);
    change_axis(vy + i, lastVy + i, lastWayY + i, wayY + i, speedY + i, share, &m);
    change_axis(vz + i, lastVz + i, lastWayZ + i, wayZ + i, speedZ + i, share, &m);
}

// Adds another summary to one.
WB_INLINE void join_summaries(PbdSummary *summary, const PbdSummary *other) {
    summary->maxSpeed2 = max(summary->maxSpeed2, other->maxSpeed2);
    for (int a = 0; a < 3; a++) {
        summary->min[a] = min(summary->min[a], other->min[a]);
        summary->max[a] = max(summary->max[a], other->max[a]);
    }
    summary->broken += other->broken;
}

WB_INLINE REAL finish_axis(__global float *x, __global float *v, __global const float *way,
                           __global const float *speeds, float rate) {
    REAL speed = real_load(speeds) * rate;
    real_store(x, real_load(x) + real_load(way));
    real_store(v, speed);
    return speed;
}

// v = rate speed, where speeds are ways if the step is of first order, x += way; one summary per group, as in sph.cl
__kernel __attribute__((reqd_work_group_size(PBD_SUMMARY_GROUP, 1, 1))) void
pbd_finish(int count, float rate, __global float *x, __global float *y, __global float *z, __global float *vx,
           __global float *vy, __global float *vz, __global const float *wayX, __global const float *wayY,
           __global const float *wayZ, __global const float *speedX, __global const float *speedY,
           __global const float *speedZ, __global PbdSummary *summaries) {
    __local PbdSummary shared[PBD_SUMMARY_GROUP];
    PbdSummary own = {0, {MAXFLOAT, MAXFLOAT, MAXFLOAT}, {-MAXFLOAT, -MAXFLOAT, -MAXFLOAT}, 0};
    for (int i = get_global_id(0) * WB_LANES; i < count; i += get_global_size(0) * WB_LANES) {
        REAL ux = finish_axis(x + i, vx + i, wayX + i, speedX + i, rate),
             uy = finish_axis(y + i, vy + i, wayY + i, speedY + i, rate);
        REAL uz = finish_axis(z + i, vz + i, wayZ + i, speedZ + i, rate);
        const MASK inside = lanes_below(count - i);
        REAL speed2 = real_select(inside, ux * ux + uy * uy + uz * uz, real_set(0));
        Box box = box_around(load3(x, y, z, i), inside);
        PbdSummary these = {real_largest(speed2),
                            {box.low[0], box.low[1], box.low[2]},
                            {box.high[0], box.high[1], box.high[2]},
                            mask_sum(mask_ones(!(speed2 < MAXFLOAT)))};
        join_summaries(&own, &these);
    }
    shared[get_local_id(0)] = own;
    for (int width = PBD_SUMMARY_GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) >= width) continue;
        PbdSummary other = shared[get_local_id(0) + width];
        join_summaries(&own, &other);
        shared[get_local_id(0)] = own;
    }
    if (get_local_id(0) == 0) summaries[get_group_id(0)] = own;
}
