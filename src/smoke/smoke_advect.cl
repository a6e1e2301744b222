// SPDX-License-Identifier: MIT
// Advection on a device: see smoke_advect.h. Built for each kind of path (MIDPOINT) and scheme (CORRECTS), and for a
// number of SCALARS.
//
// Lanes whose places are as far from each other as the lanes themselves read from the same eight vectors. Air moves
// alike in places that are near, so mostly all lanes do; any others are served in turn.

typedef struct Sample {
    REAL value, least, most;
} Sample;

// Where lanes sample: place of the lower corner, and shares of the upper neighbours.
typedef struct Places {
    MASK at;
    SmokeVector share;
} Places;

WB_INLINE REAL clamp_place(REAL x, float low, float high) {
    return real_min(real_max(x, real_set(low)), real_set(high));
}

// PoCL computes floor lane by lane.
WB_INLINE MASK floor_ints(REAL x) {
    const MASK i = real_ints(x);
    return i - mask_ones(x < ints_reals(i));
}

WB_INLINE Places find_places(const SmokeShape *shape, const SmokeKind *kind, SmokeVector at) {
    const REAL x = clamp_place(at.x, kind->low[0], kind->high[0]),
               y = clamp_place(at.y, kind->low[1], kind->high[1]),
               z = clamp_place(at.z, kind->low[2], kind->high[2]);
    const MASK i = floor_ints(x), j = floor_ints(y), k = floor_ints(z);
    Places places;
    places.at = i + j * shape->plane + k * shape->row + (shape->plane + shape->row + SMOKE_MARGIN);
    places.share.x = x - ints_reals(i), places.share.y = y - ints_reals(j),
    places.share.z = z - ints_reals(k);
    return places;
}

WB_INLINE Sample mix_corners(const SmokeShape *shape, __global const float *start, SmokeVector share,
                             const bool extremes) {
    const int rows[4] = {0, shape->row, shape->plane, shape->plane + shape->row};
    REAL c[8];
    for (int r = 0; r < 4; r++) {
        c[2 * r] = real_load(start + rows[r]);
        c[2 * r + 1] = real_load(start + rows[r] + 1);
    }
    const REAL low = smoke_mix(smoke_mix(c[0], c[1], share.x), smoke_mix(c[2], c[3], share.x), share.z);
    const REAL high = smoke_mix(smoke_mix(c[4], c[5], share.x), smoke_mix(c[6], c[7], share.x), share.z);
    Sample sample = {smoke_mix(low, high, share.y), c[0], c[0]};
    for (int n = 1; n < 8 && extremes; n++) {
        sample.least = real_min(sample.least, c[n]);
        sample.most = real_max(sample.most, c[n]);
    }
    return sample;
}

// Samples of `count` fields in the first `left` lanes.
WB_INLINE void sample_fields(const SmokeShape *shape, __global const float *fields, const int count,
                             const Places *places, int left, const bool extremes, Sample *samples) {
#if WB_LANES == 1
    for (int f = 0; f < count; f++)
        samples[f] =
            mix_corners(shape, fields + (size_t)f * shape->stride + places->at, places->share, extremes);
#else
    const MASK served = (MASK)(INT_MAX);
    MASK starts = real_select(lanes_below(left), places->at - lane_index(), served);
    for (int start = starts.s0; start < INT_MAX; start = mask_least(starts)) {
        const MASK these = starts == start;
        for (int f = 0; f < count; f++) {
            const Sample s =
                mix_corners(shape, fields + (size_t)f * shape->stride + start, places->share, extremes);
            samples[f].value = real_select(these, s.value, samples[f].value);
            samples[f].least = real_select(these, s.least, samples[f].least);
            samples[f].most = real_select(these, s.most, samples[f].most);
        }
        starts = real_select(these, served, starts);
    }
#endif
}

WB_INLINE REAL component_here(__global const float *velocity, int up, int back) {
    return ((real_load(velocity) + real_load(velocity + up)) +
            (real_load(velocity - back) + real_load(velocity + up - back))) *
           0.25f;
}

WB_INLINE SmokeVector velocity_here(const SmokeShape *shape, const SmokeKind *kind,
                                    __global const float *velocity) {
    SmokeVector v;
    v.x = component_here(velocity, kind->up[0], kind->back[0]);
    v.y = component_here(velocity + shape->stride, kind->up[1], kind->back[1]);
    v.z = component_here(velocity + 2 * (size_t)shape->stride, kind->up[2], kind->back[2]);
    return v;
}

WB_INLINE SmokeVector move_place(SmokeVector at, SmokeVector velocity, float cells) {
    SmokeVector to;
    to.x = real_madd(velocity.x, real_set(-cells), at.x);
    to.y = real_madd(velocity.y, real_set(-cells), at.y);
    to.z = real_madd(velocity.z, real_set(-cells), at.z);
    return to;
}

// Component `axis` of velocities at places of a kind.
WB_INLINE REAL component_there(const SmokeShape *shape, const SmokeAdvect *task, const SmokeKind *kind,
                               __global const float *velocities, int axis, SmokeVector at, int left) {
    SmokeVector place;
    place.x = at.x + kind->shift[axis][0];
    place.y = at.y + kind->shift[axis][1];
    place.z = at.z + kind->shift[axis][2];
    const Places places = find_places(shape, &task->kinds[axis], place);
    Sample sample = {real_set(0), real_set(0), real_set(0)};
    sample_fields(shape, velocities + (size_t)axis * shape->stride, 1, &places, left, false, &sample);
    return sample.value;
}

// Where what is here was before so many cells at speed 1.
WB_INLINE SmokeVector trace_back(const SmokeShape *shape, const SmokeAdvect *task, const SmokeKind *kind,
                                 __global const float *velocities, SmokeVector at, SmokeVector velocity,
                                 float cells, int left) {
#if MIDPOINT
    const SmokeVector middle = move_place(at, velocity, 0.5f * cells);
    REAL there[3];
    for (int axis = 0; axis < 3; axis++)
        there[axis] = component_there(shape, task, kind, velocities, axis, middle, left);
    velocity.x = there[0], velocity.y = there[1], velocity.z = there[2];
#endif
    return move_place(at, velocity, cells);
}

WB_INLINE REAL zero_outside(REAL x, REAL a, float low, float high) {
    x = real_select(real_less(a, real_set(low)), real_set(0), x);
    return real_select(real_less(real_set(high), a), real_set(0), x);
}

// Errors count where the way there leads not out of the box.
WB_INLINE REAL error_in_box(const SmokeKind *kind, SmokeVector at, REAL error) {
    error = zero_outside(error, at.x, kind->boxLow[0], kind->boxHigh[0]);
    error = zero_outside(error, at.y, kind->boxLow[1], kind->boxHigh[1]);
    return zero_outside(error, at.z, kind->boxLow[2], kind->boxHigh[2]);
}

// Where what is at a face was a step ago: see smoke_reflect.h.
WB_INLINE SmokeVector bent_back(const SmokeShape *shape, const SmokeKind *kind, __global const float *bends,
                                SmokeVector at, SmokeVector velocity, float cells) {
    const SmokeVector straight = move_place(at, velocity, cells);
    __global const float *x = bends, *y = x + shape->stride, *z = y + shape->stride;
    const int down = kind->down;
    SmokeVector back;
    back.x = straight.x - (real_load(x) + real_load(x - down)) * 0.5f;
    back.y = straight.y - (real_load(y) + real_load(y - down)) * 0.5f;
    back.z = straight.z - (real_load(z) + real_load(z - down)) * 0.5f;
    return back;
}

// The fields from `from` on at (i, j, k) and behind it along x, a step later. `once`: what was carried along once.
// `reflected` and `bends` count if the task reflects.
WB_INLINE void carry(const SmokeShape *shape, const SmokeAdvect *task, const SmokeKind *kind,
                     __global const float *velocities, __global const float *reflected,
                     __global const float *bends, __global const float *from, __global const float *once,
                     const int count, int i, int j, int k, Sample *carried) {
    const int left = kind->count[0] - i;
    const size_t c = value_index(shape, 0, i, j, k);
    SmokeVector at;
    at.x = ints_reals(lane_index() + i), at.y = real_set((float)j), at.z = real_set((float)k);
    const SmokeVector velocity = velocity_here(shape, kind, velocities + c);
    const SmokeVector before =
        task->reflects ? bent_back(shape, kind, bends + c, at, velocity, task->cells)
                       : trace_back(shape, task, kind, velocities, at, velocity, task->cells, left);
    const Places back = find_places(shape, kind, before);
    for (int f = 0; f < count; f++) carried[f].value = carried[f].least = carried[f].most = real_set(0);
    sample_fields(shape, from, count, &back, left, CORRECTS, carried);
#if CORRECTS
    Sample returned[SCALARS];
    for (int f = 0; f < count; f++) returned[f] = carried[f];
    const SmokeVector there =
        task->reflects ? move_place(at, velocity_here(shape, kind, reflected + c), -task->cells)
                       : trace_back(shape, task, kind, velocities, at, velocity, -task->cells, left);
    const Places forth = find_places(shape, kind, there);
    sample_fields(shape, once, count, &forth, left, false, returned);
    for (int f = 0; f < count; f++) {
        const REAL here = real_load(from + (size_t)f * shape->stride + c);
        const REAL error = error_in_box(kind, there, here - returned[f].value);
        carried[f].value = smoke_correct(carried[f].value, error, carried[f].least, carried[f].most);
    }
#endif
}

// All components of the velocity; `from` is what is carried of it.
__kernel void smoke_advect_faces(SmokeShape shape, SmokeAdvect task, int axes, __global const float *velocity,
                                 __global const float *from, __global const float *bends,
                                 __global const float *once, __global float *to) {
    const Span span = get_span(get_global_id(0), shape.nx + 1);
    const int k = span.row % (shape.nz + 1), j = span.row / (shape.nz + 1) % (shape.ny + 1),
              axis = span.row / (shape.nz + 1) / (shape.ny + 1);
    if (axis >= axes) return;
    const SmokeKind kind = task.kinds[axis];
    if (j >= kind.count[1] || k >= kind.count[2]) return;
    const size_t field = (size_t)axis * shape.stride;
    for (int i = span.begin; i < span.end && i < kind.count[0]; i += WB_LANES) {
        Sample carried;
        carry(&shape, &task, &kind, velocity, from, bends, from + field, once + field, 1, i, j, k, &carried);
        const size_t c = value_index(&shape, axis, i, j, k);
        REAL value = carried.value * task.velocityFactor;
        if (task.settles) value += real_load(velocity + c) - real_load(from + c);
        store_first(to + c, value, kind.count[0] - i);
    }
}

WB_INLINE SmokeVector vector_there(const SmokeShape *shape, const SmokeAdvect *task, const SmokeKind *kind,
                                   __global const float *velocities, SmokeVector at, int axes, int left) {
    REAL there[3] = {real_set(0), real_set(0), real_set(0)};
    for (int axis = 0; axis < axes; axis++)
        there[axis] = component_there(shape, task, kind, velocities, axis, at, left);
    SmokeVector v;
    v.x = there[0], v.y = there[1], v.z = there[2];
    return v;
}

// Twice the derivative of component `axis` of a velocity along another axis, at centres; `field` is at the place.
WB_INLINE REAL slope_here(const SmokeShape *shape, __global const float *field, const int axis,
                          const int along) {
    const int strides[3] = {1, shape->plane, shape->row}, up = strides[axis], step = strides[along];
    if (axis == along) return (real_load(field + up) - real_load(field)) * 2.0f;
    return (real_load(field + step) + real_load(field + step + up)) * 0.5f -
           (real_load(field - step) + real_load(field - step + up)) * 0.5f;
}

WB_INLINE REAL short_bend(const SmokeShape *shape, __global const float *reflected, SmokeVector here,
                          REAL own, const int axis, int axes, float cells) {
    const int strides[3] = {1, shape->plane, shape->row};
    __global const float *field = reflected + (size_t)axis * shape->stride;
    SmokeVector slopes;
    slopes.x = slope_here(shape, field, axis, 0) * cells;
    slopes.y = slope_here(shape, field, axis, 1) * cells;
    slopes.z = axes == 3 ? slope_here(shape, field, axis, 2) * cells : real_set(0);
    const REAL mean = (real_load(field) + real_load(field + strides[axis])) * 0.5f;
    return smoke_short_bend(mean * cells, own, here, slopes);
}

// Bends of paths, at centres: see smoke_reflect.h.
__kernel void smoke_bend(SmokeShape shape, SmokeAdvect task, int axes, __global const float *velocity,
                         __global const float *reflected, __global float *bends) {
    const Span span = get_span(get_global_id(0), shape.nx);
    const int k = span.row % shape.nz, j = span.row / shape.nz;
    if (j >= shape.ny) return;
    const SmokeKind kind = task.kinds[3];
    const float cells = task.cells;
    for (int i = span.begin; i < span.end; i += WB_LANES) {
        const size_t c = value_index(&shape, 0, i, j, k);
        const int left = shape.nx - i;
        SmokeVector at, here = velocity_here(&shape, &kind, velocity + c), bend;
        here.x *= cells, here.y *= cells;
        here.z = axes == 3 ? here.z * cells : real_set(0);
        bend.x = short_bend(&shape, reflected + c, here, here.x, 0, axes, cells);
        bend.y = short_bend(&shape, reflected + c, here, here.y, 1, axes, cells);
        bend.z = axes == 3 ? short_bend(&shape, reflected + c, here, here.z, 2, axes, cells) : real_set(0);
        const REAL way = real_max(real_max(real_abs(here.x), real_abs(here.y)), real_abs(here.z));
        if (real_largest(first_lanes(way, left)) > SMOKE_SHORT_WAY) {
            at.x = ints_reals(lane_index() + i), at.y = real_set((float)j), at.z = real_set((float)k);
            const SmokeVector middle =
                vector_there(&shape, &task, &kind, velocity, move_place(at, here, 0.5f), axes, left);
            const SmokeVector there =
                vector_there(&shape, &task, &kind, reflected, move_place(at, middle, cells), axes, left);
            const REAL share = smoke_long_share(way);
            bend.x = smoke_mix(bend.x, there.x * cells - here.x, share);
            bend.y = smoke_mix(bend.y, there.y * cells - here.y, share);
            bend.z = smoke_mix(bend.z, there.z * cells - here.z, share);
        }
        store_first(bends + c, bend.x, left);
        store_first(bends + shape.stride + c, bend.y, left);
        store_first(bends + 2 * (size_t)shape.stride + c, bend.z, left);
    }
}

// Takes what is nearly nothing away; true if something is left.
WB_INLINE bool keep_smoke(Sample *fields, int left) {
    REAL most = real_set(0);
    for (int f = 0; f < SCALARS; f++) most = real_max(most, fabs(fields[f].value));
    const MASK smoke = real_less(real_set(SMOKE_LEAST), most);
    for (int f = 0; f < SCALARS; f++) fields[f].value = real_select(smoke, fields[f].value, real_set(0));
    return real_largest(first_lanes(most, left)) > SMOKE_LEAST;
}

// What stands at centres; a group has a block of cells. `marks` are set where smoke is, if they are asked for; `dirty`
// tells of each block whether all is 0 there already.
__kernel __attribute__((reqd_work_group_size(SMOKE_BLOCK_GROUP, 1, 1))) void
smoke_advect_centres(SmokeShape shape, SmokeAdvect task, int isLast, __global const float *velocity,
                     __global const float *from, __global const float *once, __global float *to,
                     __global const uchar *active, __global uchar *dirty, __global uchar *marks) {
    __local int found[SMOKE_BLOCK_GROUP];
    const int block = get_group_id(0), across = (shape.nx + SMOKE_BLOCK_X - 1) / SMOKE_BLOCK_X,
              behind = (shape.nz + SMOKE_BLOCK - 1) / SMOKE_BLOCK;
    const int firstX = block % across * SMOKE_BLOCK_X, firstZ = block / across % behind * SMOKE_BLOCK,
              firstY = block / across / behind * SMOKE_BLOCK;
    const bool isActive = active[block], isDirty = dirty[block];
    const SmokeKind kind = task.kinds[3];
    enum { VECTORS = SMOKE_BLOCK_X / WB_LANES, ALL = VECTORS * SMOKE_BLOCK * SMOKE_BLOCK };
    bool any = false;
    for (int n = get_local_id(0); n < ALL && (isActive || isDirty); n += SMOKE_BLOCK_GROUP) {
        const int i = firstX + n % VECTORS * WB_LANES, k = firstZ + n / VECTORS % SMOKE_BLOCK,
                  j = firstY + n / VECTORS / SMOKE_BLOCK, left = shape.nx - i;
        if (left <= 0 || k >= shape.nz || j >= shape.ny) continue;
        Sample carried[SCALARS];
        if (isActive) {
            carry(&shape, &task, &kind, velocity, velocity, velocity, from, once, SCALARS, i, j, k, carried);
            for (int f = 0; f < SCALARS; f++) carried[f].value *= task.factors[f];
            if (isLast) any |= keep_smoke(carried, left);
        }
        for (int f = 0; f < SCALARS; f++)
            store_first(to + value_index(&shape, f, i, j, k), isActive ? carried[f].value : real_set(0),
                        left);
    }
    found[get_local_id(0)] = any;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all have looked at dirty
    if (get_local_id(0) != 0) return;
    for (int n = 1; n < SMOKE_BLOCK_GROUP; n++) any |= found[n] != 0;
    dirty[block] = isActive;
    if (isLast) marks[block] = any;
}
