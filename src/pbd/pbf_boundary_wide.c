// SPDX-License-Identifier: MIT
#include "pbd/pbf_boundary_code.h"
#include "pbd/pbf_lanes.h"
#include "space/neighbours_wide.h"

// What places add to the density of particles and to the gradient of their constraint.
WB_INLINE void add_lanes(const wbPbfBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const PbfConstants c = walls->pass->model->constants;
    REAL4 self = load_own(walls->pass->places, i), sum = zero4();
    REAL squares = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->boundary->positionRecords, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz)), g = pbf_gradient(r2, &c) * other.w;
        squares = real_madd(g * g, r2, squares);
        sum.x = real_madd(g, dx, sum.x), sum.y = real_madd(g, dy, sum.y), sum.z = real_madd(g, dz, sum.z);
        sum.w = real_madd(other.w, pbf_density(r2, &c), sum.w);
    }
    lane_store4(walls->pass->walls + 4 * (size_t)i, sum);
    real_store(walls->pass->wallSquares + i, squares);
}

// Places from i on are pushed by what pushes particles away: by lambda times the same gradient.
WB_INLINE void force_lanes(const wbPbfBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const PbfConstants c = walls->pass->model->constants;
    REAL4 self = load_own(walls->boundary->positionRecords, i), sum = zero4();
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->pass->solved, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz)), g = pbf_gradient(r2, &c) * other.w;
        sum.x = real_madd(g, dx, sum.x), sum.y = real_madd(g, dy, sum.y), sum.z = real_madd(g, dz, sum.z);
    }
    REAL scale = self.w * walls->forceScale;
    real_store(walls->fx + i, real_madd(sum.x, scale, real_load(walls->fx + i)));
    real_store(walls->fy + i, real_madd(sum.y, scale, real_load(walls->fy + i)));
    real_store(walls->fz + i, real_madd(sum.z, scale, real_load(walls->fz + i)));
}

// Changes of velocity as what they do to colliders is of: times the relative densities of their fluids.
WB_INLINE REAL4 weigh_change(const wbPbfPass *pass, int i, REAL4 change) {
    if (!pass->relative) return change;
    REAL relative = real_load(pass->relative + i);
    return (REAL4){change.x * relative, change.y * relative, change.z * relative, change.w};
}

// Particles at a surface that nothing slips along take its velocity, across its normal: fully where they are half a
// spacing before it.
WB_INLINE void stick_lanes(const wbPbfBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const wbPbfPass *pass = walls->pass;
    const PbfConstants c = pass->model->constants;
    wbParticles *p = &pass->pbf->particles;
    REAL4 self = load_own(pass->places, i), mean = zero4(), normal = zero4();
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->boundary->positionRecords, rows);
        REAL4 motion = lane_load4(walls->boundary->velocityRecords, rows);
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz)), g = pbf_gradient(r2, &c) * motion.w;
        REAL weight = pbf_density(r2, &c) * motion.w;
        mean.x = real_madd(weight, motion.x, mean.x), mean.y = real_madd(weight, motion.y, mean.y);
        mean.z = real_madd(weight, motion.z, mean.z), mean.w += weight;
        normal.x = real_madd(g, dx, normal.x), normal.y = real_madd(g, dy, normal.y);
        normal.z = real_madd(g, dz, normal.z);
    }
    PbfStick stick = pbf_stick(mean.w, &c);
    REAL vx = real_load(p->vx + i), vy = real_load(p->vy + i), vz = real_load(p->vz + i);
    REAL ux = mean.x - mean.w * vx, uy = mean.y - mean.w * vy, uz = mean.z - mean.w * vz;
    REAL length2 = real_madd(normal.x, normal.x, real_madd(normal.y, normal.y, normal.z * normal.z));
    REAL across = real_madd(ux, normal.x, real_madd(uy, normal.y, uz * normal.z)) *
                  real_rcp(real_max(length2, real_set(1e-20f)));
    REAL4 change = {stick.rate * (ux - across * normal.x), stick.rate * (uy - across * normal.y),
                    stick.rate * (uz - across * normal.z), real_set(0)};
    vx += change.x, vy += change.y, vz += change.z;
    real_store(p->vx + i, vx), real_store(p->vy + i, vy), real_store(p->vz + i, vz);
    lane_store4(pass->velocities + 4 * (size_t)i, (REAL4){vx, vy, vz, real_set(0)});
    change.x *= stick.share, change.y *= stick.share, change.z *= stick.share;
    lane_store4(walls->changes + 4 * (size_t)i, weigh_change(pass, i, change));
}

// What the collision took from particles, shared out among the places near them.
WB_INLINE void caught_lanes(const wbPbfBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const wbParticles *p = &walls->pass->pbf->particles;
    REAL share = real_rcp(real_max(load_own(walls->pass->walls, i).w, real_set(1e-20f)));
    REAL4 change = {(real_load(p->vx + i) - real_load(p->backVx + i)) * share,
                    (real_load(p->vy + i) - real_load(p->backVy + i)) * share,
                    (real_load(p->vz + i) - real_load(p->backVz + i)) * share, real_set(0)};
    (void)rows, (void)rowCount;
    lane_store4(walls->changes + 4 * (size_t)i, weigh_change(walls->pass, i, change));
}

// Changes from the other side.
WB_INLINE void drag_lanes(const wbPbfBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const PbfConstants c = walls->pass->model->constants;
    REAL4 self = load_own(walls->boundary->positionRecords, i), sum = zero4();
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->pass->places, rows), change = lane_load4(walls->changes, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL weight = pbf_density(real_madd(dx, dx, real_madd(dy, dy, dz * dz)), &c);
        sum.x = real_madd(weight, change.x, sum.x), sum.y = real_madd(weight, change.y, sum.y);
        sum.z = real_madd(weight, change.z, sum.z);
    }
    REAL scale = load_own(walls->dragRecords, i).w * -walls->dragScale;
    real_store(walls->fx + i, real_madd(sum.x, scale, real_load(walls->fx + i)));
    real_store(walls->fy + i, real_madd(sum.y, scale, real_load(walls->fy + i)));
    real_store(walls->fz + i, real_madd(sum.z, scale, real_load(walls->fz + i)));
}

typedef void LanesFn(const wbPbfBoundaryPass *walls, int i, const int *rows, int rowCount);

// Most groups have nobody near.
WB_INLINE void lists_range(const wbPbfBoundaryPass *walls, const wbNeighbours *neighbours, int begin, int end,
                           LanesFn *lanes) {
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP && rowCount > 0; l += WB_LANES) lanes(walls, i + l, rows + l, rowCount);
    }
}

static void add(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *walls = context;
    lists_range(walls, walls->placesNear, begin, end, add_lanes);
}

static void forces(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *walls = context;
    lists_range(walls, walls->particlesNear, begin, end, force_lanes);
}

static void stick(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *walls = context;
    lists_range(walls, walls->placesNear, begin, end, stick_lanes);
}

static void caught(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *walls = context;
    lists_range(walls, walls->placesNear, begin, end, caught_lanes);
}

static void drag(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbPbfBoundaryPass *walls = context;
    lists_range(walls, walls->particlesNear, begin, end, drag_lanes);
}

WB_INLINE REAL density_term(REAL r2, const void *context) { return pbf_density(r2, context); }

static void weigh(int begin, int end, int worker, void *context) {
    const wbWeighing *weighing = context;
    const PbfConstants c = ((const wbPbfModel *)weighing->model)->constants;
    const wbNeighbours *neighbours = weighing->lists.neighbours;
    wbListStore *store = &neighbours->stores[worker];
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) ((uint8_t *)neighbours->owners.data)[i / WB_BLOCK] = (uint8_t)worker;
        wb_build_group(&weighing->lists, store, i, density_term, &c, weighing->sums + i);
        if (store->failed) return;
    }
}

const wbPbfBoundaryCode WB_WIDE(wb_pbfBoundaryCode) = {add, forces, stick, caught, drag, weigh};
