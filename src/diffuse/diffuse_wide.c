// SPDX-License-Identifier: MIT
#include "diffuse/diffuse_code.h"
#include "diffuse/diffuse_formula.h"
#include "space/neighbours_wide.h"

/// Runs of particles in a row of cells that may be near a point.
enum { MOST_RUNS = 64 };
typedef struct Runs {
    int begin[MOST_RUNS], end[MOST_RUNS], count;
} Runs;

WB_INLINE void add_run(Runs *runs, int begin, int end) {
    if (begin >= end) return;
    runs->begin[runs->count] = begin, runs->end[runs->count] = end;
    runs->count++;
}

// m, from a coordinate to a row of cells. Without fmaxf, which is a call.
WB_INLINE float row_gap(const wbGrid *grid, int axis, int row, float p) {
    const float low = grid->origin[axis] + (float)row * grid->cell[axis] - grid->slack;
    const float high = low + grid->cell[axis] + 2 * grid->slack;
    return p < low ? low - p : p > high ? p - high : 0;
}

// Each row of cells is cut in x to what the radius reaches there.
static void find_dense(const wbGrid *grid, const float p[3], const RowRange *rows, Runs *runs) {
    const int *start = grid->bucketStart.data;
    const int lastY = rows->y + rows->countY;
    const float square = grid->radius * grid->radius * 1.00002f;
    for (int z = rows->z, k = 0; k < rows->count; z++, k += rows->countY) {
        const float dz = row_gap(grid, 2, z, p[2]);
        for (int y = rows->y; y < lastY; y++) {
            const float dy = row_gap(grid, 1, y, p[1]), left = square - dy * dy - dz * dz;
            if (!(left > 0)) continue;
            const float reach = sqrtf(left) * 1.00001f + grid->slack;
            const int *row = start + ((size_t)z * (size_t)grid->size[1] + (size_t)y) * (size_t)grid->size[0];
            add_run(runs, row[wbGrid_GetCell(grid, 0, p[0] - reach)],
                    row[wbGrid_GetCell(grid, 0, p[0] + reach) + 1]);
        }
    }
}

// Rows that share a slot are joined: no particle comes twice.
static void find_hashed(const wbGrid *grid, const float p[3], const RowRange *rows, Runs *runs) {
    const int *start = grid->bucketStart.data;
    const float reach = grid->radius * 1.00002f;
    const int c0 = wbGrid_GetCell(grid, 0, p[0] - reach), c1 = wbGrid_GetCell(grid, 0, p[0] + reach);
    SlotPart parts[MOST_RUNS];
    int count = 0;
    for (int k = 0; k < rows->count; k++) {
        const uint32_t y = (uint32_t)(rows->y + k % rows->countY), z = (uint32_t)(rows->z + k / rows->countY);
        for (int x = c0 >> 3; x <= c1 >> 3; x++) {
            const SlotPart part = {wbHashSlot((uint32_t)x, y, z) & grid->slotMask, x == c0 >> 3 ? c0 & 7 : 0,
                                   x == c1 >> 3 ? c1 & 7 : 7};
            count = add_slot(parts, count, part);
        }
    }
    for (int k = 0; k < count; k++) {
        const int *slot = start + 8 * (size_t)parts[k].slot;
        add_run(runs, slot[parts[k].first], slot[parts[k].last + 1]);
    }
}

static void find_runs(const wbDiffuseLayer *layer, const float p[3], Runs *runs) {
    const wbGrid *grid = &layer->grid;
    const Box box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    runs->count = 0;
    if (layer->count == 0) return;
    const RowRange rows = rows_near(grid, &box);
    if (grid->hashed)
        find_hashed(grid, p, &rows, runs);
    else
        find_dense(grid, p, &rows, runs);
}

/// A point among the particles of a layer: WB_LANES of them at a time, in radii; what is behind a run's end is out of reach.
typedef struct Walk {
    const wbDiffuseLayer *layer;
    Runs runs;
    float p[3], inverse;
    int run, at;
} Walk;

static void begin_walk(Walk *walk, const wbDiffuseLayer *layer, float x, float y, float z) {
    walk->layer = layer, walk->inverse = 1 / layer->radius;
    walk->p[0] = x, walk->p[1] = y, walk->p[2] = z;
    find_runs(layer, walk->p, &walk->runs);
    walk->run = 0, walk->at = walk->runs.count > 0 ? walk->runs.begin[0] : 0;
}

WB_INLINE bool next_pairs(Walk *walk, DiffusePair *pair, int *place) {
    const wbDiffuseLayer *l = walk->layer;
    if (walk->run == walk->runs.count) return false;
    const int i = *place = walk->at, end = walk->runs.end[walk->run];
    const MASK isIn = real_mask(lane_first(end - i));
    const REAL far = real_set(2);
    REAL x = (walk->p[0] - real_load(l->x + i)) * walk->inverse;
    x = real_select(isIn, x, far);
    *pair = diffuse_pair(x, (walk->p[1] - real_load(l->y + i)) * walk->inverse,
                         (walk->p[2] - real_load(l->z + i)) * walk->inverse);
    walk->at += WB_LANES;
    if (walk->at >= end && ++walk->run < walk->runs.count) walk->at = walk->runs.begin[walk->run];
    return true;
}

WB_INLINE REAL is_near(const DiffusePair *pair) {
    return real_select(real_less(pair->r, real_set(1)), real_set(1), real_set(0));
}

static void potential(const wbDiffusePotentials *task, int i) {
    const wbDiffuseLayer *l = task->layer;
    const float vx = l->vx[i], vy = l->vy[i], vz = l->vz[i];
    task->closing[i] = task->count[i] = task->normals[0][i] = task->normals[1][i] = task->normals[2][i] = 0;
    if (vx * vx + vy * vy + vz * vz <= task->leastSpeed2) return;
    REAL closing = real_set(0), count = closing, nx = closing, ny = closing, nz = closing;
    Walk walk;
    DiffusePair p;
    int j;
    begin_walk(&walk, l, l->x[i], l->y[i], l->z[i]);
    while (next_pairs(&walk, &p, &j)) {
        closing = real_madd(p.w,
                            diffuse_closing(&p, vx - real_load(l->vx + j), vy - real_load(l->vy + j),
                                            vz - real_load(l->vz + j)),
                            closing);
        count += is_near(&p);
        nx = real_madd(p.w, p.x, nx), ny = real_madd(p.w, p.y, ny), nz = real_madd(p.w, p.z, nz);
    }
    const float n[3] = {real_sum(nx), real_sum(ny), real_sum(nz)};
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const float scale = length > task->leastNormal ? 1 / length : 0;
    task->closing[i] = real_sum(closing) / l->kernelSum;
    task->count[i] = real_sum(count) - 1;
    for (int a = 0; a < 3; a++) task->normals[a][i] = n[a] * scale;
}

static void potentials(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int i = begin; i < end; i++) potential(context, i);
}

// Whether it moves out of its surface.
static bool breaks(const wbDiffusePotentials *task, int i) {
    const wbDiffuseLayer *l = task->layer;
    const float vx = l->vx[i], vy = l->vy[i], vz = l->vz[i];
    const float out = vx * task->normals[0][i] + vy * task->normals[1][i] + vz * task->normals[2][i];
    return out > 0 && out * out >= task->leastFacing * task->leastFacing * (vx * vx + vy * vy + vz * vz);
}

static void bend(const wbDiffusePotentials *task, int i) {
    const wbDiffuseLayer *l = task->layer;
    float *const *n = task->normals;
    REAL sum = real_set(0);
    Walk walk;
    DiffusePair p;
    int j;
    task->bends[i] = 0;
    if (!breaks(task, i)) return;
    begin_walk(&walk, l, l->x[i], l->y[i], l->z[i]);
    while (next_pairs(&walk, &p, &j))
        sum = real_madd(p.w,
                        diffuse_bend(&p, real_set(n[0][i]), real_set(n[1][i]), real_set(n[2][i]),
                                     real_load(n[0] + j), real_load(n[1] + j), real_load(n[2] + j)),
                        sum);
    task->bends[i] = real_sum(sum) / l->kernelSum;
}

static void bends(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int i = begin; i < end; i++) bend(context, i);
}

static void sample(const wbDiffuseSamples *task, int i) {
    if ((task->id[i] ^ task->turn) & 1) return;
    float fullness = 0, weight = 0, v[3] = {0, 0, 0};
    for (const wbDiffuseLayer *l = task->layers; l < task->layers + task->layerCount; l++) {
        REAL count = real_set(0), w = count, x = count, y = count, z = count;
        Walk walk;
        DiffusePair p;
        int j;
        begin_walk(&walk, l, task->x[i], task->y[i], task->z[i]);
        while (next_pairs(&walk, &p, &j)) {
            count += is_near(&p), w += p.w;
            x = real_madd(p.w, real_load(l->vx + j), x);
            y = real_madd(p.w, real_load(l->vy + j), y);
            z = real_madd(p.w, real_load(l->vz + j), z);
        }
        fullness += real_sum(count) / l->full;
        weight += real_sum(w);
        v[0] += real_sum(x), v[1] += real_sum(y), v[2] += real_sum(z);
    }
    task->fullness[i] = fullness;
    for (int a = 0; a < 3; a++) task->v[a][i] = weight > 0 ? v[a] / weight : 0;
}

static void samples(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int i = begin; i < end; i++) sample(context, i);
}

const wbDiffuseCode WB_WIDE(wb_diffuseCode) = {potentials, bends, samples};
