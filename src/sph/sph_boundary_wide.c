// SPDX-License-Identifier: MIT
#include "space/neighbours_wide.h"
#include "sph/sph_boundary_code.h"
#include "sph/sph_formula.h"

WB_INLINE REAL poly6_term(REAL r2, const void *context) { return sph_poly6(r2, context); }
WB_INLINE REAL wendland_term(REAL r2, const void *context) { return sph_wendland(r2, context); }

// Impedances of some particles.
WB_INLINE REAL load_impedances(const wbSphPass *pass, const int *index) {
    float lanes[WB_LANES];
    if (!pass->roots) return real_set(1);
    for (int l = 0; l < WB_LANES; l++) lanes[l] = pass->roots[index[l]];
    REAL root = real_load(lanes);
    return root * root;
}

WB_INLINE bool is_wendland(const wbSphModel *model) { return model->params.kernel == wb_kernelWendland; }

WB_INLINE REAL4 load_own(const float *records, int i) {
    int own[WB_LANES];
    ints_store(own, ints_count() + i);
    return lane_load4(records, own);
}

// What the places of the lists add to the sums of the particles from i on.
WB_INLINE void density_lanes(const wbSphBoundaryPass *walls, int i, const int *rows, int rowCount,
                             const bool wendland) {
    const wbSph *sph = walls->pass->sph;
    const SphConstants c = walls->pass->model->constants;
    REAL x = real_load(sph->particles.x + i), y = real_load(sph->particles.y + i),
         z = real_load(sph->particles.z + i), sum = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->boundary->positionRecords, rows);
        REAL dx = x - other.x, dy = y - other.y, dz = z - other.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        sum = real_madd(other.w, wendland ? sph_wendland(r2, &c) : sph_poly6(r2, &c), sum);
    }
    real_store(walls->pass->boundarySums + i, sum);
}

static void density(int begin, int end, int worker, void *context) {
    const wbSphBoundaryPass *walls = context;
    const wbNeighbours *neighbours = walls->lists.neighbours;
    wbListStore *store = &neighbours->stores[worker];
    const bool wendland = is_wendland(walls->pass->model);
    float sums[WB_GROUP];
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        if (i % WB_BLOCK == 0) ((uint8_t *)neighbours->owners.data)[i / WB_BLOCK] = (uint8_t)worker;
        wb_build_group(&walls->lists, store, i, NULL, NULL, sums);
        if (store->failed) return;
        const int *rows = wbNeighbours_GetRows(neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP; l += WB_LANES)
            density_lanes(walls, i + l, rows + l, rowCount, wendland);
    }
}

// A place has the rest density in its volume: without adhesion a wall is no surface.
WB_INLINE void normals_lanes(const wbSphBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const bool wendland = is_wendland(walls->pass->model);
    const SphConstants c = walls->pass->model->constants;
    float *records = walls->pass->roughRecords;
    REAL4 self = load_own(walls->pass->positionRecords, i), normal = load_own(records, i);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->boundary->positionRecords, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL weight = sph_normal(wendland, r2, other.w * c.inverseRestDensity, &c);
        normal.x = real_madd(weight, dx, normal.x);
        normal.y = real_madd(weight, dy, normal.y);
        normal.z = real_madd(weight, dz, normal.z);
    }
    lane_store4(records + 4 * (size_t)i, normal);
}

static void normals(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphBoundaryPass *walls = context;
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(walls->lists.neighbours, i / WB_GROUP, &rowCount);
        for (int l = 0; l < WB_GROUP && rowCount > 0; l += WB_LANES)
            normals_lanes(walls, i + l, rows + l, rowCount);
    }
}

// p/rho2 of the places from i on, by the listed particles.
WB_INLINE REAL mean_lanes(const wbSphBoundaryPass *walls, int i, const int *rows, int rowCount) {
    const bool wendland = is_wendland(walls->pass->model);
    const SphConstants c = walls->pass->model->constants;
    REAL4 self = load_own(walls->boundary->positionRecords, i),
          motion = load_own(walls->boundary->velocityRecords, i);
    REAL terms = real_set(0), weights = real_set(0), rate = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(walls->pass->positionRecords, rows),
              velocity = lane_load4(walls->pass->velocityRecords, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL ux = velocity.x - motion.x, uy = velocity.y - motion.y, uz = velocity.z - motion.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL vr = real_madd(ux, dx, real_madd(uy, dy, uz * dz));
        REAL weight = wendland ? sph_wendland(r2, &c) : sph_poly6(r2, &c);
        terms = real_madd(weight, velocity.w, terms);
        weights += weight;
        rate += sph_wall_rate(wendland, r2, vr, load_impedances(walls->pass, rows), &c);
    }
    return sph_wall_term(terms, weights, rate, &c);
}

static void places(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphBoundaryPass *walls = context;
    const wbBoundary *b = walls->boundary;
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount = 0;
        const int *rows =
            walls->isMean ? wbNeighbours_GetRows(walls->bodyNeighbours, i / WB_GROUP, &rowCount) : NULL;
        for (int l = 0; l < WB_GROUP; l += WB_LANES) {
            REAL zero = real_set(0), mean = rowCount ? mean_lanes(walls, i + l, rows + l, rowCount) : zero;
            float adhesion[WB_LANES] = {0};
            for (int k = 0; k < WB_LANES && i + l + k < end && walls->isAdhesive; k++) {
                int point = b->source[i + l + k];
                adhesion[k] = b->weight[point] * wbBoundary_GetBody(b, b->body[point])->adhesion;
            }
            REAL4 extra = {mean, real_load(adhesion), zero, zero};
            lane_store4(walls->extraRecords + 4 * (size_t)(i + l), extra);
        }
    }
}

WB_INLINE void forces_lanes(const wbSphBoundaryPass *walls, int i, const int *rows, int rowCount,
                            const bool wendland, const bool extra) {
    const wbSphPass *pass = walls->pass;
    const wbBoundary *b = walls->boundary;
    const SphConstants c = pass->model->constants;
    const REAL4 none = {real_set(0), real_set(0), real_set(0), real_set(0)};
    REAL4 self = load_own(pass->positionRecords, i), motion = load_own(pass->velocityRecords, i);
    REAL root = pass->roots ? real_load(pass->roots + i) : real_set(1), impedance = root * root;
    REAL ax = real_load(pass->ax + i), ay = real_load(pass->ay + i), az = real_load(pass->az + i);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(b->positionRecords, rows), velocity = lane_load4(b->velocityRecords, rows);
        REAL4 more = extra ? lane_load4(walls->extraRecords, rows) : none;
        REAL dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        REAL ux = velocity.x - motion.x, uy = velocity.y - motion.y, uz = velocity.z - motion.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL vr = -real_madd(ux, dx, real_madd(uy, dy, uz * dz));
        SphPair pair = sph_wall(wendland, extra, r2, vr, self.w, motion.w, more.x, other.w, velocity.w,
                                more.y, impedance, &c);
        ax = real_madd(pair.along, dx, real_madd(pair.drag, ux, ax));
        ay = real_madd(pair.along, dy, real_madd(pair.drag, uy, ay));
        az = real_madd(pair.along, dz, real_madd(pair.drag, uz, az));
    }
    real_store(pass->ax + i, ax);
    real_store(pass->ay + i, ay);
    real_store(pass->az + i, az);
}

// The same pairs from the other side: what the listed particles do to the places from i on, in N.
WB_INLINE void body_lanes(const wbSphBoundaryPass *walls, int i, const int *rows, int rowCount,
                          const bool wendland, const bool extra) {
    const wbSphPass *pass = walls->pass;
    const wbBoundary *b = walls->boundary;
    const SphConstants c = pass->model->constants;
    const float scale = -(float)pass->model->mass;
    const REAL4 none = {real_set(0), real_set(0), real_set(0), real_set(0)};
    REAL4 self = load_own(b->positionRecords, i), motion = load_own(b->velocityRecords, i);
    REAL4 more = extra ? load_own(walls->extraRecords, i) : none;
    REAL fx = real_set(0), fy = real_set(0), fz = real_set(0);
    for (int k = 0; k < rowCount; k++, rows += WB_GROUP) {
        REAL4 other = lane_load4(pass->positionRecords, rows),
              velocity = lane_load4(pass->velocityRecords, rows);
        REAL dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        REAL ux = motion.x - velocity.x, uy = motion.y - velocity.y, uz = motion.z - velocity.z;
        REAL r2 = real_madd(dx, dx, real_madd(dy, dy, dz * dz));
        REAL vr = -real_madd(ux, dx, real_madd(uy, dy, uz * dz));
        SphPair pair = sph_wall(wendland, extra, r2, vr, other.w, velocity.w, more.x, self.w, motion.w,
                                more.y, load_impedances(pass, rows), &c);
        fx = real_madd(pair.along, dx, real_madd(pair.drag, ux, fx));
        fy = real_madd(pair.along, dy, real_madd(pair.drag, uy, fy));
        fz = real_madd(pair.along, dz, real_madd(pair.drag, uz, fz));
    }
    real_store(walls->fx + i, fx * scale);
    real_store(walls->fy + i, fy * scale);
    real_store(walls->fz + i, fz * scale);
}

typedef void LanesFn(const wbSphBoundaryPass *walls, int i, const int *rows, int rowCount,
                     const bool wendland, const bool extra);

// A copy of the loop for each kernel, with and without extra records. Groups without rows are skipped where `skips`.
WB_INLINE void lists_range(const wbSphBoundaryPass *walls, const wbNeighbours *neighbours, int begin, int end,
                           LanesFn *lanes, const bool skips) {
    const bool wendland = is_wendland(walls->pass->model), extra = walls->isAdhesive || walls->isMean;
    for (int i = begin; i < end; i += WB_GROUP) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(neighbours, i / WB_GROUP, &rowCount);
        if (skips && rowCount == 0) continue;
        for (int l = 0; l < WB_GROUP; l += WB_LANES) {
            if (wendland && extra)
                lanes(walls, i + l, rows + l, rowCount, true, true);
            else if (wendland)
                lanes(walls, i + l, rows + l, rowCount, true, false);
            else if (extra)
                lanes(walls, i + l, rows + l, rowCount, false, true);
            else
                lanes(walls, i + l, rows + l, rowCount, false, false);
        }
    }
}

static void forces(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphBoundaryPass *walls = context;
    lists_range(walls, walls->lists.neighbours, begin, end, forces_lanes, true);
}

static void body_forces(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSphBoundaryPass *walls = context;
    lists_range(walls, walls->bodyNeighbours, begin, end, body_lanes, false);
}

static void weigh(int begin, int end, int worker, void *context) {
    const wbWeighing *weighing = context;
    const wbSphModel *model = weighing->model;
    const wbNeighbours *neighbours = weighing->lists.neighbours;
    wbListStore *store = &neighbours->stores[worker];
    const SphConstants c = model->constants;
    for (int i = begin; i < end; i += WB_GROUP) {
        if (i % WB_BLOCK == 0) ((uint8_t *)neighbours->owners.data)[i / WB_BLOCK] = (uint8_t)worker;
        if (is_wendland(model))
            wb_build_group(&weighing->lists, store, i, wendland_term, &c, weighing->sums + i);
        else
            wb_build_group(&weighing->lists, store, i, poly6_term, &c, weighing->sums + i);
        if (store->failed) return;
    }
}

const wbSphBoundaryCode WB_WIDE(wb_sphBoundaryCode) = {density, normals, places, forces, body_forces, weigh};
