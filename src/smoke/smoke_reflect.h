// SPDX-License-Identifier: MIT
// Steps of second order over the wide type. What a parcel of air gets in a step, a dt, acts half where it comes from and
// half where it goes to: with R = u + dt a / 2,
//     u'(x) = R(x - d) + dt a' / 2,
// where a is that of the last pressure and of the smoke as it is now, and a' follows from the projection. If all of it acted at
// the end, vortices would lose energy as by a viscosity of u2 dt / 8. Reflections of the velocity at the fields without
// divergence do the same by two projections in a step (Zehnder, Narain and Thomaszewski 2018); the last pressure saves one.
//
// The parcel comes from where d = dt R(x - d): half-way it is as fast as R tells there. One evaluation suffices for second order, at
// the place that the midpoint rule gives; at that of a straight path, vortices gain energy if they turn far in a step. Where air
// moves by less than some 0.4 cells, differences beside it do, which cost much less.
#pragma once

#include "smoke/smoke_advect.h"

// Values of a row of faces. Pressures on both sides are in the other colour: at the same place, or one before.
WB_INLINE void reflect_row(const wbSmokeReflect *task, const int axis, int c, int count, const float *even,
                           const float *odd, const float *evenBefore, const float *oddBefore) {
    const int strides[3] = {1, task->grid->plane, task->grid->row}, down = strides[axis];
    const float ups[3] = {task->up.x, task->up.y, task->up.z},
                winds[3] = {task->wind.x, task->wind.y, task->wind.z};
    const float up = ups[axis], wind = winds[axis], share = -task->share;
    const float *u = task->velocity[axis] + c, *density = task->density + c, *heat = task->temperature + c;
    float *target = task->target[axis] + c;
    for (int i = 0, t = 0; i < count; i += 2 * WB_LANES, t += WB_LANES) {
        REAL push[2];
        lane_join(smoke_pressure_step(real_load(even + t), real_load(evenBefore + t)),
                  smoke_pressure_step(real_load(odd + t), real_load(oddBefore + t)), &push[0], &push[1]);
        for (int n = 0, at = i; n < 2 && at < count; n++, at += WB_LANES) {
            REAL value = real_madd(push[n], real_set(share), real_load(u + at) + wind);
            if (up != 0) {
                REAL lift =
                    smoke_lift(real_load(heat + at), real_load(density + at), task->buoyancy, task->weight) +
                    smoke_lift(real_load(heat + at - down), real_load(density + at - down), task->buoyancy,
                               task->weight);
                value = real_madd(lift, real_set(up), value);
            }
            real_store(target + at, value);
        }
    }
}

static void reflect(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeReflect *task = context;
    const wbPressureLevel *level = task->level;
    const wbSmokeGrid *grid = task->grid;
    int y = level->plane, z = level->row;
    for (int j = begin; j < end; j++) {
        for (int k = 0; k <= grid->nz; k++) {
            int c = wbSmokeIndex(grid, 0, j, k), place = level->row * (k + 1) + level->plane * (j + 1);
            const float *even = level->p[(j + k) & 1] + place, *odd = level->p[(j + k + 1) & 1] + place;
            if (k < grid->nz) reflect_row(task, 1, c, grid->nx, even, odd, odd - y, even - y);
            if (k < grid->nz && j < grid->ny) reflect_row(task, 0, c, grid->nx + 1, even, odd, odd - 1, even);
            if (grid->dimensions == 3 && j < grid->ny)
                reflect_row(task, 2, c, grid->nx, even, odd, odd - z, even - z);
        }
    }
}

WB_INLINE SmokeVector vector_there(const wbSmokeAdvect *task, const float *const *velocity, SmokeVector at,
                                   unsigned lanes) {
    SmokeVector v = {velocity_there(task, velocity, 0, at, lanes),
                     velocity_there(task, velocity, 1, at, lanes), real_set(0)};
    if (task->grid->dimensions == 3) v.z = velocity_there(task, velocity, 2, at, lanes);
    return v;
}

WB_INLINE SmokeVector scale_vector(SmokeVector v, float scale) {
    return (SmokeVector){v.x * scale, v.y * scale, v.z * scale};
}

// Twice the derivative of component `axis` of the reflected velocity along another axis, at centres.
WB_INLINE REAL slope_here(const Pass *pass, const int axis, const int along, int c) {
    const int strides[3] = {1, pass->grid.plane, pass->grid.row}, up = strides[axis], step = strides[along];
    const float *field = pass->reflected[axis] + c;
    if (axis == along) return (real_load(field + up) - real_load(field)) * 2.0f;
    return (mean_of_two(field + step, up) - mean_of_two(field - step, up));
}

WB_INLINE REAL short_bend(const Pass *pass, SmokeVector here, REAL own, const int axis, int c) {
    SmokeVector slopes = {slope_here(pass, axis, 0, c), slope_here(pass, axis, 1, c), real_set(0)};
    if (pass->grid.dimensions == 3) slopes.z = slope_here(pass, axis, 2, c);
    REAL reflected = component_here(pass, pass->reflected, 3, axis, c);
    return smoke_short_bend(reflected * pass->cells, own, here, scale_vector(slopes, pass->cells));
}

// Paths to lanes of centres, in cells: d less what the velocity there tells.
WB_INLINE SmokeVector find_bends(const Pass *pass, int i, int j, int k) {
    const wbSmokeAdvect *task = pass->task;
    const bool isFlat = pass->grid.dimensions == 2;
    int c = wbSmokeIndex(&pass->grid, i, j, k);
    unsigned lanes = lane_first(pass->grid.nx - i);
    SmokeVector here = scale_vector(velocity_here(pass, pass->velocity, 3, c), pass->cells);
    if (isFlat) here.z = real_set(0);
    SmokeVector bend = {short_bend(pass, here, here.x, 0, c), short_bend(pass, here, here.y, 1, c),
                        isFlat ? real_set(0) : short_bend(pass, here, here.z, 2, c)};
    REAL way = real_max(real_max(real_abs(here.x), real_abs(here.y)), real_abs(here.z));
    if ((lane_less(real_set(SMOKE_SHORT_WAY), way) & lanes) == 0) return bend;
    SmokeVector at = {real_from_ints(ints_count() + i), real_set((float)j), real_set((float)k)};
    SmokeVector middle = vector_there(task, task->velocity, move_place(at, here, 0.5f), lanes);
    SmokeVector there = vector_there(task, task->reflected, move_place(at, middle, pass->cells), lanes);
    REAL share = smoke_long_share(way);
    bend.x = smoke_mix(bend.x, there.x * pass->cells - here.x, share);
    bend.y = smoke_mix(bend.y, there.y * pass->cells - here.y, share);
    bend.z = smoke_mix(bend.z, there.z * pass->cells - here.z, share);
    return bend;
}

static void bend(int begin, int end, int worker, void *context) {
    (void)worker;
    const Pass pass = make_pass(context, 3, 3);
    for (int j = begin; j < end; j++) {
        for (int k = 0; k < pass.grid.nz; k++) {
            for (int i = 0; i < pass.grid.nx; i += WB_LANES) {
                SmokeVector bends = find_bends(&pass, i, j, k);
                int c = wbSmokeIndex(&pass.grid, i, j, k);
                real_store(pass.to[0] + c, bends.x);
                real_store(pass.to[1] + c, bends.y);
                real_store(pass.to[2] + c, bends.z);
            }
        }
    }
}
