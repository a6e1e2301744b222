// SPDX-License-Identifier: MIT
// The velocity with half of the acceleration that it gets: see smoke_reflect.h.

// Lanes `at` … of a row of faces, whose value with number 0 is at c; `push`: pressure steps.
WB_INLINE void reflect_lanes(const SmokeShape *shape, const SmokeReflect *task, const int axis, size_t c,
                             int at, int count, REAL push, __global const float *velocity,
                             __global const float *scalars, __global float *target) {
    const int strides[3] = {1, shape->plane, shape->row};
    if (at >= count) return;
    const size_t here = c + at, place = (size_t)axis * shape->stride + here;
    REAL value = real_madd(push, real_set(-task->share), real_load(velocity + place) + task->wind[axis]);
    if (task->up[axis] != 0) {
        __global const float *density = scalars + (size_t)task->density * shape->stride + here,
                             *heat = scalars + (size_t)task->temperature * shape->stride + here;
        const int down = strides[axis];
        const REAL lift =
            smoke_lift(real_load(heat), real_load(density), task->buoyancy, task->weight) +
            smoke_lift(real_load(heat - down), real_load(density - down), task->buoyancy, task->weight);
        value = real_madd(lift, real_set(task->up[axis]), value);
    }
    store_first(target + place, value, count - at);
}

// As subtract_row of pressure.cl.
WB_INLINE void reflect_row(const SmokeShape *shape, const SmokeReflect *task, const int axis, size_t c, int i,
                           int count, __global const float *values, int even, int odd, int evenBefore,
                           int oddBefore, __global const float *velocity, __global const float *scalars,
                           __global float *target) {
    const int t = i / 2;
    const REAL evens = smoke_pressure_step(real_load(values + even + t), real_load(values + evenBefore + t));
    const REAL odds = smoke_pressure_step(real_load(values + odd + t), real_load(values + oddBefore + t));
    REAL a, b;
    lane_join(evens, odds, &a, &b);
    reflect_lanes(shape, task, axis, c, i, count, a, velocity, scalars, target);
    reflect_lanes(shape, task, axis, c, i + WB_LANES, count, b, velocity, scalars, target);
}

__kernel void smoke_reflect(SmokeShape shape, SmokeReflect task, int axes, PressureLevel level,
                            __global const float *values, __global const float *velocity,
                            __global const float *scalars, __global float *target) {
    const int y = level.plane, z = level.row;
    const Span span = get_span(get_global_id(0), shape.nx / 2 + 1);
    const int k = span.row % (shape.nz + 1), j = span.row / (shape.nz + 1);
    if (j > shape.ny) return;
    const int place = level.row * (k + 1) + level.plane * (j + 1), even = level.p[(j + k) & 1] + place,
              odd = level.p[(j + k + 1) & 1] + place;
    const size_t c = value_index(&shape, 0, 0, j, k);
    for (int t = span.begin; t < span.end; t += WB_LANES) {
        const int i = 2 * t;
        if (k < shape.nz)
            reflect_row(&shape, &task, 1, c, i, shape.nx, values, even, odd, odd - y, even - y, velocity,
                        scalars, target);
        if (k < shape.nz && j < shape.ny)
            reflect_row(&shape, &task, 0, c, i, shape.nx + 1, values, even, odd, odd - 1, even, velocity,
                        scalars, target);
        if (axes == 3 && j < shape.ny)
            reflect_row(&shape, &task, 2, c, i, shape.nx, values, even, odd, odd - z, even - z, velocity,
                        scalars, target);
    }
}

// Beyond the sides and across open ones it differs from the velocity as it does within.
__kernel void smoke_reflect_halo(SmokeShape shape, SmokeReflectedHalo halo, int axes,
                                 __global const float *velocity, __global float *reflected) {
    const Span span = get_span(get_global_id(0), shape.nx + 3);
    const int k = span.row % (shape.nz + 3) - 1, j = span.row / (shape.nz + 3) % (shape.ny + 3) - 1,
              axis = span.row / (shape.nz + 3) / (shape.ny + 3);
    if (axis >= axes || j > halo.count[axis][1] || k > halo.count[axis][2]) return;
    const int lowX = halo.low[axis][0], highX = halo.high[axis][0], nx = halo.count[axis][0];
    const bool any =
        lowX <= highX && halo.low[axis][1] <= halo.high[axis][1] && halo.low[axis][2] <= halo.high[axis][2];
    const int y = clamp(j, halo.low[axis][1], max(halo.high[axis][1], halo.low[axis][1])),
              z = clamp(k, halo.low[axis][2], max(halo.high[axis][2], halo.low[axis][2]));
    const bool isInner = any && y == j && z == k;
    const size_t to = value_index(&shape, axis, 0, j, k), from = value_index(&shape, axis, 0, y, z);
    for (int i = span.begin - 1; i < span.end - 1 && i <= nx; i++) {
        if (isInner && i == lowX && span.end - span.begin > 1) i = highX + 1;
        if (i > nx || (isInner && i >= lowX && i <= highX)) continue;
        const size_t inner = from + clamp(i, lowX, max(highX, lowX));
        reflected[to + i] = velocity[to + i] + (any ? reflected[inner] - velocity[inner] : 0);
    }
}
