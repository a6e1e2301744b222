// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_code.h"
#include "pbd/pbf_lanes.h"

// Where a body is: its axes, its origin, and how it moves.
typedef struct Frame {
    wbVec3 axes[3];
    wbVec3 velocity, spin; // along its own axes
    const float *origin;
    float grip; // of what does not slip along it; 0: it does
} Frame;

WB_INLINE wbVec3 along_axes(const Frame *frame, const float v[3]) {
    const wbVec3 to = wbMakeVec3(v[0], v[1], v[2]);
    return wbMakeVec3(wbDot(frame->axes[0], to), wbDot(frame->axes[1], to), wbDot(frame->axes[2], to));
}

WB_INLINE Frame get_frame(const wbPbfBoundaryPass *boundary, int body) {
    const wbBoundaryBody *own = wbBoundary_GetBody(boundary->meetings.boundary, body);
    const wbMotion *motion = &own->motions[wb_atEnd];
    Frame frame = {.origin = motion->pose.position, .grip = own->isNoSlip ? 1 - own->slack : 0};
    for (int a = 0; a < 3; a++)
        frame.axes[a] = wbPose_Rotate(&motion->pose, wbMakeVec3(a == 0, a == 1, a == 2));
    frame.velocity = along_axes(&frame, motion->velocity), frame.spin = along_axes(&frame, motion->spin);
    return frame;
}

// A vector in the body's frame, and one of it in the world.
WB_INLINE REAL4 turn_in(const Frame *frame, REAL4 v) {
    const wbVec3 *a = frame->axes;
    return (REAL4){real_madd(v.x, real_set(a[0].x), real_madd(v.y, real_set(a[0].y), v.z * a[0].z)),
                   real_madd(v.x, real_set(a[1].x), real_madd(v.y, real_set(a[1].y), v.z * a[1].z)),
                   real_madd(v.x, real_set(a[2].x), real_madd(v.y, real_set(a[2].y), v.z * a[2].z)), v.w};
}
WB_INLINE REAL4 turn_out(const Frame *frame, REAL4 v) {
    const wbVec3 *a = frame->axes;
    return (REAL4){real_madd(v.x, real_set(a[0].x), real_madd(v.y, real_set(a[1].x), v.z * a[2].x)),
                   real_madd(v.x, real_set(a[0].y), real_madd(v.y, real_set(a[1].y), v.z * a[2].y)),
                   real_madd(v.x, real_set(a[0].z), real_madd(v.y, real_set(a[1].z), v.z * a[2].z)), v.w};
}

// Particles of WB_LANES meetings from i on: their records, from the body's origin.
WB_INLINE REAL4 load_from(const wbPbfBoundaryPass *boundary, const Frame *frame, const float *records,
                          int i) {
    REAL4 p = lane_load4(records, boundary->meetings.particles + i);
    p.x -= frame->origin[0], p.y -= frame->origin[1], p.z -= frame->origin[2];
    return p;
}

// Records of eight floats of WB_LANES meetings from i on.
WB_INLINE void store_both(float *records, int i, REAL4 first, REAL4 second) {
    lane_store_part(records + 8 * (size_t)i, 8, first),
        lane_store_part(records + 8 * (size_t)i + 4, 8, second);
}
WB_INLINE REAL8 load_both(const float *records, int i) {
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    return lane_load8(records, own);
}

typedef void MeetFn(const wbPbfBoundaryPass *boundary, const Frame *frame, wbLanes at);

// Over the lists of meetings, in the frames of their bodies.
WB_INLINE void walk_meetings(const wbPbfBoundaryPass *boundary, int begin, int end, MeetFn *meet) {
    const wbMeetings *m = &boundary->meetings;
    Frame frame;
    for (int i = begin, last = -1; i < end; i += WB_GROUP) {
        wbLanes at = {.others = m->boundary->ownRecords};
        const int *rows = wbNeighbours_GetRows(m->lists, i / WB_GROUP, &at.rowCount),
                  body = m->bodies[i / WB_GROUP];
        if (at.rowCount == 0) continue; // whose sums nobody reads
        if (body != last) frame = get_frame(boundary, body), last = body;
        for (int l = 0; l < WB_GROUP; l += WB_LANES) {
            at.i = i + l, at.rows = rows + l;
            at.self = turn_in(&frame, load_from(boundary, &frame, boundary->pass->places, at.i));
            meet(boundary, &frame, at);
        }
    }
}

WB_INLINE void add_meeting(const wbPbfBoundaryPass *boundary, const Frame *frame, wbLanes at) {
    const wbVec3 down = along_axes(frame, boundary->pass->move.room.gravity);
    const float gravity[3] = {down.x, down.y, down.z};
    REAL4 sum = zero4(), heads = zero4();
    REAL squares = real_set(0);
    while (next_pair(&at)) {
        REAL g = pbf_gradient(at.way.w, &boundary->constants) * at.other.w;
        add_scaled(&heads, g * pbf_head(at.way.x, at.way.y, at.way.z, gravity), at.way);
        squares = real_madd(g * g, at.way.w, squares);
        add_scaled(&sum, g, at.way);
        sum.w = real_madd(at.other.w, pbf_density(at.way.w, &boundary->constants), sum.w);
    }
    heads.w = squares;
    store_both(boundary->sums, at.i, turn_out(frame, sum), turn_out(frame, heads));
}

static void add(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass boundary = *(const wbPbfBoundaryPass *)context;
    walk_meetings(&boundary, begin, end, add_meeting);
}

// Sums of records over the meetings of WB_LANES particles from i on.
WB_INLINE void gather_meetings(const wbPbfBoundaryPass *boundary, int i, REAL4 *sum, REAL4 *other) {
    int next[WB_LANES];
    *sum = *other = zero4();
    for (INTS now = ints_load(boundary->meetings.head + i); ints_less(ints_set(0), now);
         now = ints_gather(boundary->meetings.next, now, lane_first(WB_LANES))) {
        ints_store(next, now);
        const REAL8 both = lane_load8(boundary->sums, next);
        const REAL4 a = both.first, b = both.second;
        sum->x += a.x, sum->y += a.y, sum->z += a.z, sum->w += a.w;
        other->x += b.x, other->y += b.y, other->z += b.z, other->w += b.w;
    }
}

static void gather(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *boundary = context;
    const wbPbfPass *pass = boundary->pass;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 sum, heads;
        if (boundary->meetings.heads[i / WB_GROUP] == 0) continue;
        gather_meetings(boundary, i, &sum, &heads);
        store_added(pass, i, sum, heads);
    }
}

// How far all surfaces are away from particles at least.
static void clear(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *boundary = context;
    const wbMeetings *m = &boundary->meetings;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL least = real_set(m->clearance);
        for (INTS now = m->heads[i / WB_GROUP] ? ints_load(m->head + i) : ints_set(0);
             ints_less(ints_set(0), now); now = ints_gather(m->next, now, lane_first(WB_LANES)))
            least = real_min(
                real_from_bits(ints_gather((const int *)m->clearances, now, lane_first(WB_LANES))), least);
        real_store(boundary->clearances + i, least);
    }
}

// What acts on a body where WB_LANES of its particles are, and its moment.
typedef struct Load {
    REAL4 force, moment;
} Load;
typedef Load LoadFn(const wbPbfBoundaryPass *boundary, const Frame *frame, int i);

// Loads of a block's meetings are summed per body, which the last group of each adds to its part.
WB_INLINE void sum_loads(const wbPbfBoundaryPass *boundary, int begin, int end, LoadFn *load) {
    const wbMeetings *m = &boundary->meetings;
    Load sum = {zero4(), zero4()};
    for (int i = begin; i < end; i += WB_GROUP) {
        const int group = i / WB_GROUP, body = m->bodies[group];
        int rowCount;
        if (body < 0) continue;
        (void)wbNeighbours_GetRows(m->lists, group, &rowCount);
        const Frame frame = get_frame(boundary, body);
        for (int l = 0; l < WB_GROUP && rowCount > 0; l += WB_LANES) {
            const Load own = load(boundary, &frame, i + l);
            sum.force.x += own.force.x, sum.force.y += own.force.y, sum.force.z += own.force.z;
            sum.moment.x += own.moment.x, sum.moment.y += own.moment.y, sum.moment.z += own.moment.z;
        }
        if (!wbPbf_EndsPart(m, group)) continue;
        const REAL all[6] = {sum.force.x, sum.force.y, sum.force.z, sum.moment.x, sum.moment.y, sum.moment.z};
        for (int a = 0; a < 6; a++) boundary->parts[group][a] += (double)real_sum(all[a]);
        sum = (Load){zero4(), zero4()};
    }
}

// A body is pushed by what pushes particles away: by lambda times the same gradients, each along its way, so that all of it acts where the
// particle is.
WB_INLINE Load push_load(const wbPbfBoundaryPass *boundary, const Frame *frame, int i) {
    const int *particles = boundary->meetings.particles + i;
    const REAL4 arm = load_from(boundary, frame, boundary->pass->solved, i);
    const REAL scale = arm.w * boundary->forceScale;
    const REAL8 sums = load_both(boundary->sums, i);
    REAL4 force = sums.first;
    add_scaled(&force, load_numbers(boundary->pass->leans, particles), sums.second);
    scale3(&force, scale);
    return (Load){force, cross3(arm, force)};
}

static void force(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass boundary = *(const wbPbfBoundaryPass *)context;
    for (int i = begin; i < end; i += WB_BLOCK)
        sum_loads(&boundary, i, i + WB_BLOCK < end ? i + WB_BLOCK : end, push_load);
}

// Velocities of points that nothing slips along, their weights, and the directions to them.
WB_INLINE void mean_meeting(const wbPbfBoundaryPass *boundary, const Frame *frame, wbLanes at) {
    REAL4 arms = zero4(), normal = zero4();
    if (frame->grip == 0) at.rowCount = 0;
    while (next_pair(&at)) {
        const REAL weight = pbf_density(at.way.w, &boundary->constants) * (frame->grip * at.other.w);
        add_scaled(&arms, weight, at.other);
        arms.w += weight;
        add_scaled(&normal, pbf_gradient(at.way.w, &boundary->constants) * at.other.w, at.way);
    }
    const wbVec3 v = frame->velocity, s = frame->spin;
    const REAL4 spin = {real_set(s.x), real_set(s.y), real_set(s.z), real_set(0)};
    REAL4 mean = cross3(spin, arms);
    mean.x = real_madd(arms.w, real_set(v.x), mean.x), mean.y = real_madd(arms.w, real_set(v.y), mean.y);
    mean.z = real_madd(arms.w, real_set(v.z), mean.z), mean.w = arms.w;
    store_both(boundary->sums, at.i, turn_out(frame, mean), turn_out(frame, normal));
    store_own(boundary->arms, at.i, turn_out(frame, arms));
}

static void mean(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass boundary = *(const wbPbfBoundaryPass *)context;
    walk_meetings(&boundary, begin, end, mean_meeting);
}

// Particles at a surface that nothing slips along take its velocity, across its normal: fully where they are half a
// spacing before it.
static void stick(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *boundary = context;
    const wbPbfPass *pass = boundary->pass;
    for (int i = begin; i < end; i += WB_LANES) {
        REAL4 mean, normal;
        if (boundary->meetings.heads[i / WB_GROUP] == 0) continue;
        gather_meetings(boundary, i, &mean, &normal);
        PbfStick stick = pbf_stick(mean.w, boundary->constants.stickSum);
        REAL4 change = stick_to(&pass->pbf->fluid.particles, pass->velocities, i, stick.rate, mean, normal);
        scale3(&change, stick.share); // of what colliders get, which is times the relative density
        if (pass->relative) scale3(&change, real_load(pass->relative + i));
        store_own(boundary->changes, i, change);
    }
}

// What changes of particles' velocities do to points, by their weights.
WB_INLINE Load drag_load(const wbPbfBoundaryPass *boundary, const Frame *frame, int i) {
    (void)frame;
    const REAL4 arms = load_own(boundary->arms, i);
    REAL4 change = lane_load4(boundary->changes, boundary->meetings.particles + i);
    scale3(&change, real_set(-boundary->dragScale));
    Load load = {change, cross3(arms, change)};
    scale3(&load.force, arms.w);
    return load;
}

static void drag(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass boundary = *(const wbPbfBoundaryPass *)context;
    for (int i = begin; i < end; i += WB_BLOCK)
        sum_loads(&boundary, i, i + WB_BLOCK < end ? i + WB_BLOCK : end, drag_load);
}

WB_INLINE REAL density_term(REAL r2, const void *constants) { return pbf_density(r2, constants); }

WB_WEIGH_RANGE(weigh, PbfConstants, density_term)

WB_INLINE REAL mixed_term(REAL r2, const void *constants) {
    return kernel_poly6(r2, ((const PbfConstants *)constants)->inverseH);
}

WB_WEIGH_RANGE(weighMixed, PbfConstants, mixed_term)

const wbPbfBoundaryCode WB_WIDE(wb_pbfBoundaryCode) = {add,   force, mean,  drag,      gather,
                                                       clear, stick, weigh, weighMixed};
