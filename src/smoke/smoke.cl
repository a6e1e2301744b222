// SPDX-License-Identifier: MIT
// The phases of smoke on a device, but for advection and projection: see smoke_step.c. A buffer has one field after the
// other: the components of the velocity, or what stands at centres.

// Halos

WB_INLINE float halo_end(const SmokeHalo *halo, __global const float *row, int isHigh) {
    return halo->add[isHigh] + halo->factor[isHigh] * row[isHigh ? halo->count[0] - 1 : 0];
}

// A row, or a part of one beyond the sides; beyond two sides the rules follow each other: x, z, y.
WB_INLINE void halo_row(const SmokeShape *shape, const SmokeHalo *halo, __global float *fields, int f, int j,
                        int k, int part, const int parts) {
    const int fromJ = clamp(j, 0, halo->count[1] - 1), fromK = clamp(k, 0, halo->count[2] - 1);
    __global const float *from = fields + value_index(shape, f, 0, fromJ, fromK);
    __global float *to = fields + value_index(shape, f, 0, j, k);
    float add = 0, factor = 1;
    if (k != fromK) add = halo->add[4 + (k > 0)], factor = halo->factor[4 + (k > 0)];
    if (j != fromJ) {
        const float outer = halo->factor[2 + (j > 0)];
        add = halo->add[2 + (j > 0)] + outer * add, factor *= outer;
    }
    if (part == 0) {
        to[-1] = add + factor * halo_end(halo, from, 0);
        to[halo->count[0]] = add + factor * halo_end(halo, from, 1);
    }
    if (j == fromJ && k == fromK) return;
    for (int i = part * WB_LANES; i < halo->count[0]; i += parts * WB_LANES)
        store_first(to + i, add + factor * load_first(from + i, halo->count[0] - i), halo->count[0] - i);
}

// Rows with one more beyond each side: on GPUs items share a row, on CPUs an item has a plane.
__kernel void smoke_halo(SmokeShape shape, SmokeHalos halos, __global float *fields) {
#if WB_LANES == 1
    const int parts = SMOKE_HALO_PARTS, part = get_global_id(0) % parts, r = get_global_id(0) / parts;
    const int firstK = r % (shape.nz + 3) - 1, endK = firstK + 1, plane = r / (shape.nz + 3);
#else
    const int parts = 1, part = 0, firstK = -1, endK = shape.nz + 2, plane = get_global_id(0);
#endif
    const int j = plane % (shape.ny + 3) - 1, f = plane / (shape.ny + 3);
    if (f >= halos.fieldCount) return;
    const SmokeHalo halo = halos.of[halos.isOwn ? f : 0];
    for (int k = firstK; k < endK && k <= halo.count[2] && j <= halo.count[1]; k++)
        halo_row(&shape, &halo, fields, halos.first + f, j, k, part, parts);
}

// Blocks

// Those that smoke may come to: high is how many blocks away it may be. All if one of them is below 0.
__kernel void smoke_spread(SmokeBlockBox box, __global const uchar *marks, __global uchar *active) {
    const int block = get_global_id(0);
    const int x = block % box.count[0], z = block / box.count[0] % box.count[2],
              y = block / box.count[0] / box.count[2];
    if (y >= box.count[1]) return;
    uchar any = box.high[0] < 0;
    for (int b = max(y - box.high[1], 0); b <= min(y + box.high[1], box.count[1] - 1); b++)
        for (int c = max(z - box.high[2], 0); c <= min(z + box.high[2], box.count[2] - 1); c++)
            for (int a = max(x - box.high[0], 0); a <= min(x + box.high[0], box.count[0] - 1); a++)
                any |= marks[a + box.count[0] * (c + box.count[2] * b)];
    active[block] = any;
}

// Blocks low … high - 1 along each axis.
__kernel void smoke_mark(SmokeBlockBox box, __global uchar *marks, __global uchar *dirty) {
    const int wide = box.high[0] - box.low[0], deep = box.high[2] - box.low[2], n = get_global_id(0);
    const int x = box.low[0] + n % wide, z = box.low[2] + n / wide % deep, y = box.low[1] + n / wide / deep;
    if (y >= box.high[1]) return;
    const int block = x + box.count[0] * (z + box.count[2] * y);
    marks[block] = dirty[block] = 1;
}

// Solids and sides

__kernel void smoke_slip(SmokeShape shape, SmokeFaceRanges ranges, __global const SmokeSlip *slips,
                         __global float *velocity) {
    int n = get_global_id(0), axis = 0;
    while (axis < 3 && n >= ranges.count[axis]) n -= ranges.count[axis++];
    if (axis == 3) return;
    const SmokeSlip slip = slips[ranges.first[axis] + n];
    __global float *field = velocity + value_index(&shape, axis, 0, -1, -1);
    float sum = 0;
    for (int s = 0; s < slip.count; s++) sum += field[slip.sources[s]];
    field[slip.place] = sum / (float)slip.count;
}

// In the fields from `first` on, `step` from one axis to the next; `scale`: 0 or 1.
__kernel void smoke_set_faces(SmokeShape shape, SmokeFaceRanges ranges, int first, int step, float scale,
                              __global const int *places, __global const float *values,
                              __global float *fields) {
    int n = get_global_id(0), axis = 0;
    while (axis < 3 && n >= ranges.count[axis]) n -= ranges.count[axis++];
    if (axis == 3) return;
    n += ranges.first[axis];
    fields[value_index(&shape, first + step * axis, 0, -1, -1) + places[n]] = scale * values[n];
}

// No flow through closed sides: those whose bit is set. Likewise; `axes`: bits of the components that are there.
__kernel void smoke_close_sides(SmokeShape shape, int first, int step, int axes, int closed,
                                __global float *fields) {
    const int r = get_global_id(0), k = r % (shape.nz + 1), j = r / (shape.nz + 1);
    if (j > shape.ny) return;
    const size_t next = (size_t)step * shape.stride;
    __global float *u = fields + value_index(&shape, first, 0, j, k), *v = u + next, *w = v + next;
    const bool clearsU = axes & 1 && j < shape.ny && k < shape.nz;
    const bool clearsV =
        axes & 2 && k < shape.nz && ((j == 0 && closed & 4) || (j == shape.ny && closed & 8));
    const bool clearsW =
        axes & 4 && j < shape.ny && ((k == 0 && closed & 16) || (k == shape.nz && closed & 32));
    if (clearsU && closed & 1) u[0] = 0;
    if (clearsU && closed & 2) u[shape.nx] = 0;
    for (int i = 0; i < shape.nx && clearsV; i++) v[i] = 0;
    for (int i = 0; i < shape.nx && clearsW; i++) w[i] = 0;
}

// Row k of plane j of faces, as wbSlowInflow.
__kernel void smoke_slow_inflow(SmokeShape shape, int still, float cells, __global float *fields) {
    const int r = get_global_id(0), k = r % (shape.nz + 1), j = r / (shape.nz + 1);
    if (j > shape.ny) return;
    __global float *u = fields + value_index(&shape, 0, 0, j, k), *v = u + shape.stride,
                   *w = v + shape.stride;
    const bool slowsU = j < shape.ny && k < shape.nz;
    const bool slowsV = k < shape.nz && ((j == 0 && still & 4) || (j == shape.ny && still & 8));
    const bool slowsW = j < shape.ny && ((k == 0 && still & 16) || (k == shape.nz && still & 32));
    if (slowsU && still & 1) u[0] = smoke_inflow(u[0], 0, cells);
    if (slowsU && still & 2) u[shape.nx] = smoke_inflow(u[shape.nx], 1, cells);
    for (int i = 0; i < shape.nx && slowsV; i++) v[i] = smoke_inflow(v[i], j > 0, cells);
    for (int i = 0; i < shape.nx && slowsW; i++) w[i] = smoke_inflow(w[i], k > 0, cells);
}

__kernel void smoke_empty(SmokeShape shape, int count, int fieldCount, __global const int *cells,
                          __global float *scalars) {
    const int n = get_global_id(0);
    if (n >= count) return;
    for (int f = 0; f < fieldCount; f++) scalars[value_index(&shape, f, 0, -1, -1) + cells[n]] = 0;
}

// Sources and fire

// `mask`: of a mesh.
__kernel void smoke_feed(SmokeShape shape, SmokeFeed feed, __global const uchar *mask, int field,
                         __global float *fields) {
    const int deep = feed.end[2] - feed.first[2];
    const Span span = get_span(get_global_id(0), feed.end[0] - feed.first[0]);
    const int k = feed.first[2] + span.row % deep, j = feed.first[1] + span.row / deep;
    if (j >= feed.end[1]) return;
    __global float *row = fields + value_index(&shape, field, 0, j, k);
    for (int i = feed.first[0] + span.begin; i < feed.first[0] + span.end; i++)
        row[i] += feed.share * smoke_strength(&feed, mask, i, j, k) * (feed.target - row[i]);
}

__kernel void smoke_burn(SmokeShape shape, SmokeBurn task, __global float *scalars) {
    __global float *densities = scalars + (size_t)task.density * shape.stride,
                   *temperatures = scalars + (size_t)task.temperature * shape.stride,
                   *fuels = scalars + (size_t)task.fuel * shape.stride;
    const Span span = get_span(get_global_id(0), shape.nx);
    const int k = span.row % shape.nz, j = span.row / shape.nz;
    if (j >= shape.ny) return;
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        const size_t c = value_index(&shape, 0, i, j, k);
        const int left = shape.nx - i;
        const REAL fuel = real_load(fuels + c), temperature = real_load(temperatures + c);
        const REAL burnt = smoke_burnt(fuel, temperature, task.ignition, task.share);
        const REAL density = real_load(densities + c);
        store_first(fuels + c, fuel - burnt, left);
        store_first(temperatures + c, real_madd(burnt, real_set(task.heat), temperature), left);
        store_first(densities + c, real_madd(burnt, real_set(task.soot), density), left);
    }
}

// Forces: the size of the curl of each cell, then the force of each cell, then its faces.

WB_INLINE REAL sum_of_two(__global const float *f, int a, int b) {
    return real_load(f + a) + real_load(f + b);
}

// Four h times the curl at cell centres.
WB_INLINE SmokeVector curl_at(const SmokeShape *shape, __global const float *velocity, size_t c) {
    const int x = 1, y = shape->plane, z = shape->row;
    __global const float *u = velocity + c, *v = u + shape->stride, *w = u + 2 * (size_t)shape->stride;
    SmokeVector curl;
    curl.x = (sum_of_two(w, y, y + z) - sum_of_two(w, -y, z - y)) -
             (sum_of_two(v, z, z + y) - sum_of_two(v, -z, y - z));
    curl.y = (sum_of_two(u, z, z + x) - sum_of_two(u, -z, x - z)) -
             (sum_of_two(w, x, x + z) - sum_of_two(w, -x, z - x));
    curl.z = (sum_of_two(v, x, x + y) - sum_of_two(v, -x, y - x)) -
             (sum_of_two(u, y, y + x) - sum_of_two(u, -y, x - y));
    return curl;
}

// The field behind the forces.
enum { SIZES = 3 };

// Beyond the sides as within.
__kernel void smoke_curl(SmokeShape shape, __global const float *velocity, __global float *forces) {
    const Span span = get_span(get_global_id(0), shape.nx);
    const int k = span.row % shape.nz, j = span.row / shape.nz;
    if (j >= shape.ny) return;
    __global float *row = forces + value_index(&shape, SIZES, 0, j, k);
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        const SmokeVector curl = curl_at(&shape, velocity, value_index(&shape, 0, i, j, k));
        const REAL square = real_madd(curl.x, curl.x, real_madd(curl.y, curl.y, curl.z * curl.z));
        store_first(row + i, square * real_rsqrt(square + 1e-30f), shape.nx - i);
    }
    if (span.begin == 0) row[-1] = row[0];
    if (span.end == shape.nx) row[shape.nx] = row[shape.nx - 1];
}

// Twice what the faces of a cell get: lift, wind and confinement.
__kernel void smoke_force(SmokeShape shape, SmokeForces task, __global const float *velocity,
                          __global const float *scalars, __global float *forces) {
    __global const float *densities = scalars + (size_t)task.density * shape.stride,
                         *temperatures = scalars + (size_t)task.temperature * shape.stride,
                         *sizes = forces + (size_t)SIZES * shape.stride;
    const Span span = get_span(get_global_id(0), shape.nx);
    const int k = span.row % shape.nz, j = span.row / shape.nz;
    if (j >= shape.ny) return;
    const int above = j < shape.ny - 1 ? shape.plane : 0, below = j > 0 ? -shape.plane : 0,
              front = k < shape.nz - 1 ? shape.row : 0, behind = k > 0 ? -shape.row : 0;
    const size_t second = shape.stride;
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        const size_t c = value_index(&shape, 0, i, j, k);
        const int left = shape.nx - i;
        const REAL lift =
            smoke_lift(real_load(temperatures + c), real_load(densities + c), task.buoyancy, task.weight);
        SmokeVector sum;
        sum.x = real_madd(lift, real_set(task.up[0]), real_set(task.wind[0]));
        sum.y = real_madd(lift, real_set(task.up[1]), real_set(task.wind[1]));
        sum.z = real_madd(lift, real_set(task.up[2]), real_set(task.wind[2]));
        if (task.confinement != 0) {
            __global const float *size = sizes + c;
            SmokeVector grad;
            grad.x = real_load(size + 1) - real_load(size - 1);
            grad.y = real_load(size + above) - real_load(size + below);
            grad.z = real_load(size + front) - real_load(size + behind);
            const SmokeVector extra = smoke_confinement(curl_at(&shape, velocity, c), grad, task.confinement);
            sum.x += extra.x, sum.y += extra.y, sum.z += extra.z;
        }
        store_first(forces + c, sum.x, left);
        store_first(forces + second + c, sum.y, left);
        store_first(forces + 2 * second + c, sum.z, left);
    }
    __global float *row = forces + value_index(&shape, 0, 0, j, k);
    if (span.begin == 0) row[-1] = row[0];
    if (span.end == shape.nx) row[shape.nx] = row[shape.nx - 1];
}

// The faces below the cells of a plane get the mean of the forces on both sides; at a side, of the one that there is.
__kernel void smoke_push(SmokeShape shape, int axes, __global const float *velocity,
                         __global const float *forces, __global float *target) {
    const Span span = get_span(get_global_id(0), shape.nx + 1);
    const int k = span.row % (shape.nz + 1), j = span.row / (shape.nz + 1);
    if (j > shape.ny) return;
    const int here = -(j == shape.ny) * shape.plane, below = -(j > 0) * shape.plane;
    const int own = -(k == shape.nz) * shape.row, behind = -(k > 0) * shape.row;
    const bool hasU = j < shape.ny && k < shape.nz, hasV = k < shape.nz, hasW = axes == 3 && j < shape.ny;
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        const size_t c = value_index(&shape, 0, i, j, k), second = c + shape.stride,
                     third = second + shape.stride;
        const int left = shape.nx - i;
        if (hasU) store_first(target + c, real_load(velocity + c) + sum_of_two(forces + c, 0, -1), left + 1);
        if (left <= 0) continue;
        if (hasV)
            store_first(target + second,
                        real_load(velocity + second) + sum_of_two(forces + second, here, below), left);
        if (hasW)
            store_first(target + third, real_load(velocity + third) + sum_of_two(forces + third, own, behind),
                        left);
    }
}

// Sums and scales

SUM_KERNEL void smoke_sum(SmokeShape shape, int field, __global const float *fields, int first,
                          __global float *sums) {
    __local float shared[SMOKE_SUM_GROUP];
    REAL total = real_set(0);
    for (int item = get_global_id(0);; item += get_global_size(0)) {
        const Span span = get_span(item, shape.nx);
        const int k = span.row % shape.nz, j = span.row / shape.nz;
        if (j >= shape.ny) break;
        __global const float *row = fields + value_index(&shape, field, 0, j, k);
        for (int i = span.begin; i < span.end; i += WB_LANES)
            total += first_lanes(real_load(row + i), shape.nx - i);
    }
    sum_group(real_sum(total), shared, sums + first);
}

__kernel void smoke_scale(SmokeShape shape, float scale, int field, __global float *fields) {
    const Span span = get_span(get_global_id(0), shape.nx);
    const int k = span.row % shape.nz, j = span.row / shape.nz;
    if (j >= shape.ny) return;
    __global float *row = fields + value_index(&shape, field, 0, j, k);
    for (int i = span.begin; i < span.end; i += WB_LANES)
        store_first(row + i, real_load(row + i) * scale, shape.nx - i);
}

// Viscosity: conjugate gradients of one component, whose values are `count` along x, y and z. The fields of `work`:
enum { RESIDUAL, DIRECTION, PRODUCT };

// Alpha times the sum over neighbours minus own.
WB_INLINE REAL spread(const SmokeShape *shape, float alpha, __global const float *u) {
    const int y = shape->plane, z = shape->row;
    const REAL own = real_load(u);
    REAL around = (real_load(u - 1) - own) + (real_load(u + 1) - own);
    around += (real_load(u - y) - own) + (real_load(u + y) - own);
    around += (real_load(u - z) - own) + (real_load(u + z) - own);
    return around * alpha;
}

// The residual of component `axis`: alpha laplace u.
__kernel void smoke_laplace(SmokeShape shape, int4 count, float alpha, int axis, __global const float *u,
                            __global float *work) {
    const Span span = get_span(get_global_id(0), count.x);
    const int k = span.row % count.z, j = span.row / count.z;
    if (j >= count.y) return;
    for (int i = span.begin; i < span.end; i += WB_LANES)
        store_first(work + value_index(&shape, RESIDUAL, i, j, k),
                    spread(&shape, alpha, u + value_index(&shape, axis, i, j, k)), count.x - i);
}

// product = (1 - alpha laplace) direction
__kernel void smoke_apply(SmokeShape shape, int4 count, float alpha, __global float *work) {
    const Span span = get_span(get_global_id(0), count.x);
    const int k = span.row % count.z, j = span.row / count.z;
    if (j >= count.y) return;
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        __global const float *direction = work + value_index(&shape, DIRECTION, i, j, k);
        store_first(work + value_index(&shape, PRODUCT, i, j, k),
                    real_load(direction) - spread(&shape, alpha, direction), count.x - i);
    }
}

// Sums of direction * product.
SUM_KERNEL void smoke_dot(SmokeShape shape, int4 count, __global const float *work, __global float *sums) {
    __local float shared[SMOKE_SUM_GROUP];
    REAL total = real_set(0);
    for (int item = get_global_id(0);; item += get_global_size(0)) {
        const Span span = get_span(item, count.x);
        const int k = span.row % count.z, j = span.row / count.z;
        if (j >= count.y) break;
        for (int i = span.begin; i < span.end; i += WB_LANES) {
            const REAL product = real_load(work + value_index(&shape, PRODUCT, i, j, k));
            const REAL direction = real_load(work + value_index(&shape, DIRECTION, i, j, k));
            total += first_lanes(direction * product, count.x - i);
        }
    }
    sum_group(real_sum(total), shared, sums);
}

// u and the residual go along the direction; sums of its squares.
SUM_KERNEL void smoke_advance(SmokeShape shape, int4 count, float along, int axis, __global float *u,
                              __global float *work, __global float *sums) {
    __local float shared[SMOKE_SUM_GROUP];
    REAL total = real_set(0);
    for (int item = get_global_id(0);; item += get_global_size(0)) {
        const Span span = get_span(item, count.x);
        const int k = span.row % count.z, j = span.row / count.z;
        if (j >= count.y) break;
        for (int i = span.begin; i < span.end; i += WB_LANES) {
            __global float *own = u + value_index(&shape, axis, i, j, k),
                           *residual = work + value_index(&shape, RESIDUAL, i, j, k);
            const int left = count.x - i;
            const REAL direction = real_load(work + value_index(&shape, DIRECTION, i, j, k));
            const REAL product = real_load(work + value_index(&shape, PRODUCT, i, j, k));
            const REAL rest = real_load(residual) - along * product;
            store_first(own, real_madd(real_set(along), direction, real_load(own)), left);
            store_first(residual, rest, left);
            total += first_lanes(rest * rest, left);
        }
    }
    sum_group(real_sum(total), shared, sums);
}

// direction = residual + turn * direction
__kernel void smoke_turn(SmokeShape shape, int4 count, float turn, __global float *work) {
    const Span span = get_span(get_global_id(0), count.x);
    const int k = span.row % count.z, j = span.row / count.z;
    if (j >= count.y) return;
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        __global float *direction = work + value_index(&shape, DIRECTION, i, j, k);
        const REAL residual = real_load(work + value_index(&shape, RESIDUAL, i, j, k));
        store_first(direction, real_madd(real_set(turn), real_load(direction), residual), count.x - i);
    }
}
