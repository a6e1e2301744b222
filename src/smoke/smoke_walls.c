// SPDX-License-Identifier: MIT
#include "smoke/smoke_walls.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/smoke_side_formula.h"

static float getComponent(wbVec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// Kinds

static void setLimits(wbSmokeKind *kind, const wbSmokeModel *model, int axis, int cells) {
    bool own = kind->axis == axis, centred = kind->axis == 3;
    kind->count[axis] = cells + own;
    kind->boxLow[axis] = own ? 0 : -0.5f;
    kind->boxHigh[axis] = own ? (float)cells : (float)cells - 0.5f;
    kind->low[axis] = kind->boxLow[axis];
    // below the last value, so that there is one above
    kind->high[axis] = own ? nextafterf((float)cells, 0) : kind->boxHigh[axis];
    // velocities are not corrected near open sides: air that is drawn in there and out again would gain speed without end
    const float margin = 2;
    if (!centred && model->open[2 * axis]) kind->boxLow[axis] += margin;
    if (!centred && model->open[2 * axis + 1]) kind->boxHigh[axis] -= margin;
    if (!centred) return;
    // air that comes in through an open side brings no smoke; at a closed one the last value goes on, so that places
    // beyond it need not be sampled, unless their neighbours count as extremes
    bool corrects = model->params.advection == wb_smokeMacCormack;
    if (!corrects) kind->low[axis] = 0, kind->high[axis] = (float)cells - 1;
    // beyond the last centre at an open side samples mix in clear air: no errors come from there, or smoke would stay
    if (model->open[2 * axis]) kind->low[axis] = -1, kind->boxLow[axis] = 0;
    if (model->open[2 * axis + 1])
        kind->high[axis] = nextafterf((float)cells, 0), kind->boxHigh[axis] = (float)cells - 1;
}

void wbMakeSmokeKinds(const wbSmokeModel *model, wbSmokeKind kinds[4]) {
    const wbSmokeGrid *grid = &model->grid;
    const int cells[3] = {grid->nx, grid->ny, grid->nz};
    for (int f = 0; f < 4; f++) {
        wbSmokeKind *kind = &kinds[f];
        *kind = (wbSmokeKind){.axis = f};
        for (int a = 0; a < 3; a++) setLimits(kind, model, a, cells[a]);
        if (grid->dimensions == 3) continue;
        kind->low[2] = kind->high[2] = 0;
        kind->boxLow[2] = -1, kind->boxHigh[2] = 1;
    }
}

// Halos

wbHaloRule wbGetHaloRule(const wbSmokeModel *model, int kind, int side, bool atRest) {
    const wbSideDef *def = &model->sides[side];
    if (kind == 3) return (wbHaloRule){0, def->type == wb_sideOpen ? 0 : 1};
    if (kind == side / 2 || def->type != wb_sideNoSlip) return (wbHaloRule){0, 1};
    return (wbHaloRule){atRest ? 0 : 2 * getComponent(def->velocity, kind), -1};
}

wbHaloRule wbGetHeatRule(const wbSmokeModel *model, int side, bool atRest) {
    float temperature = model->sides[side].temperature;
    if (model->open[side] || isnan(temperature)) return (wbHaloRule){0, 1};
    return (wbHaloRule){atRest ? 0 : 2 * (temperature - model->params.ambient), -1};
}

static wbHaloRule getRule(const wbSmokeHalos *halos, int kind, int side) {
    if (halos->forHeat) return wbGetHeatRule(halos->model, side, halos->atRest);
    if (halos->goesOn) return (wbHaloRule){0, 1};
    return wbGetHaloRule(halos->model, kind, side, halos->atRest);
}

static void applyRule(wbHaloRule rule, const float *from, float *to, int count) {
    for (int i = 0; i < count; i++) to[i] = rule.add + rule.factor * from[i];
}

// The ends of rows first … end - 1 of a plane, then the rows before and behind all. `values`: of row `first`.
static void fillRows(const wbSmokeHalos *halos, const wbSmokeKind *kind, int first, int end, float *values) {
    int row = halos->model->grid.row, nx = kind->count[0];
    bool alongX = kind->axis != 0 || halos->forViscosity, alongZ = kind->axis != 2 || halos->forViscosity;
    wbHaloRule left = getRule(halos, kind->axis, wb_left), right = getRule(halos, kind->axis, wb_right);
    float *last = values + (end - first - 1) * row;
    for (float *next = values; next <= last && alongX; next += row) {
        applyRule(left, next, next - 1, 1);
        applyRule(right, next + nx - 1, next + nx, 1);
    }
    if (alongZ && first == 0)
        applyRule(getRule(halos, kind->axis, wb_back), values - 1, values - 1 - row, nx + 2);
    if (alongZ && end == kind->count[2])
        applyRule(getRule(halos, kind->axis, wb_front), last - 1, last - 1 + row, nx + 2);
}

static void fillPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeHalos *halos = context;
    for (int f = 0; f < halos->count; f++) {
        const wbSmokeKind *kind = &halos->kinds[halos->kind[f]];
        for (int j = begin; j < end && j < kind->count[1]; j++)
            fillRows(halos, kind, 0, kind->count[2],
                     halos->fields[f] + wbSmokeIndex(&halos->model->grid, 0, j, 0));
    }
}

// Whole planes below and above, with their halos.
static void fillEnds(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbSmokeHalos *halos = context;
    const wbSmokeGrid *grid = &halos->model->grid;
    for (int n = begin; n < end; n++) {
        int f = n / 2, high = n & 1;
        const wbSmokeKind *kind = &halos->kinds[halos->kind[f]];
        if (kind->axis == 1 && !halos->forViscosity) continue;
        int from = high ? kind->count[1] - 1 : 0, to = high ? from + 1 : -1;
        const float *source = halos->fields[f] + wbSmokeIndex(grid, -1, from, -1);
        float *target = halos->fields[f] + wbSmokeIndex(grid, -1, to, -1);
        int count = (kind->count[2] + 1) * grid->row + kind->count[0] + 2;
        applyRule(getRule(halos, kind->axis, high ? wb_top : wb_bottom), source, target, count);
    }
}

void wbFillHalos(const wbSmokeHalos *halos, const wbWork *work) {
    wbSmokeHalos task = *halos;
    wbParallelFor(work->pool, task.model->grid.ny + 1, 1, fillPlanes, &task);
    wbParallelFor(work->pool, 2 * task.count, 1, fillEnds, &task);
}

void wbGetReflectedRange(const wbSmokeModel *model, const wbSmokeKind *kind, int axis, int *low, int *high) {
    bool own = kind->axis == axis;
    *low = own && model->open[2 * axis];
    *high = kind->count[axis] - 1 - (own && model->open[2 * axis + 1]);
}

typedef struct ReflectedHalos {
    const wbSmokeModel *model;
    const wbSmokeKind *kinds;
    float *const *velocity, *const *reflected;
} ReflectedHalos;

static int clampTo(int n, int low, int high) { return n < low ? low : n > high ? high : n; }

// Values first … end - 1 of row (j, k); `from` is where the row within stands that it goes on from.
static void goOn(const float *u, float *reflected, int from, int to, int first, int end, const int range[2]) {
    for (int i = first; i < end; i++) {
        int inner = from + clampTo(i, range[0], range[1]);
        reflected[to + i] = u[to + i] + (reflected[inner] - u[inner]);
    }
}

static void fillReflectedPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const ReflectedHalos *halos = context;
    const wbSmokeGrid *grid = &halos->model->grid;
    for (int axis = 0; axis < grid->dimensions; axis++) {
        const wbSmokeKind *kind = &halos->kinds[axis];
        const float *u = halos->velocity[axis];
        float *reflected = halos->reflected[axis];
        int range[3][2], nx = kind->count[0];
        bool any = true;
        for (int a = 0; a < 3; a++) {
            wbGetReflectedRange(halos->model, kind, a, &range[a][0], &range[a][1]);
            any &= range[a][0] <= range[a][1];
        }
        for (int j = begin - 1; j < end - 1 && j <= kind->count[1]; j++) {
            for (int k = -1; k <= kind->count[2]; k++) {
                int y = clampTo(j, range[1][0], range[1][1]), z = clampTo(k, range[2][0], range[2][1]);
                int to = wbSmokeIndex(grid, 0, j, k), from = wbSmokeIndex(grid, 0, y, z);
                bool isInner = y == j && z == k;
                if (!any) {
                    memcpy(reflected + to - 1, u + to - 1, sizeof(float) * (size_t)(nx + 2));
                } else {
                    goOn(u, reflected, from, to, -1, isInner ? range[0][0] : nx + 1, range[0]);
                    if (isInner) goOn(u, reflected, from, to, range[0][1] + 1, nx + 1, range[0]);
                }
            }
        }
    }
}

void wbFillReflectedHalos(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbWork *work,
                          float *const velocity[3], float *const reflected[3]) {
    ReflectedHalos halos = {model, kinds, velocity, reflected};
    wbParallelFor(work->pool, model->grid.ny + 3, 1, fillReflectedPlanes, &halos);
}

void wbFillPatchHalo(const wbSmokeModel *model, const wbSmokeKind kinds[4], const wbSmokePatch *patch) {
    wbSmokeHalos halos = {.model = model};
    fillRows(&halos, &kinds[patch->axis], patch->first, patch->end, patch->values);
}

void wbFillPatchBeyond(const wbSmokeModel *model, const wbSmokePatch *patch, const float *from, int side) {
    const wbSmokeGrid *grid = &model->grid;
    bool halo = patch->axis != 2;
    int first = halo && patch->first == 0 ? -1 : 0;
    int end = patch->end - patch->first + (halo && patch->end == grid->nz);
    wbHaloRule rule = wbGetHaloRule(model, patch->axis, side, false);
    for (int n = first; n < end; n++)
        applyRule(rule, from + n * grid->row - 1, patch->values + n * grid->row - 1, grid->nx + 2);
}

// Solids

static float getBodyVelocity(const wbSmokeGrid *grid, const wbSmokeBody *body, int axis, const int at[3]) {
    const wbVec3 w = body->spin;
    if (body->flow) return body->flow(body->flowContext, axis, at);
    wbVec3 r = {grid->origin.x + grid->h * ((float)at[0] + (axis == 0 ? 0 : 0.5f)) - body->centre.x,
                grid->origin.y + grid->h * ((float)at[1] + (axis == 1 ? 0 : 0.5f)) - body->centre.y,
                grid->origin.z + grid->h * ((float)at[2] + (axis == 2 ? 0 : 0.5f)) - body->centre.z};
    if (grid->dimensions == 2) r.z = 0;
    const float turn[3] = {w.y * r.z - w.z * r.y, w.z * r.x - w.x * r.z, w.x * r.y - w.y * r.x};
    return getComponent(body->velocity, axis) + turn[axis];
}

static bool isSolid(const wbSmoke *smoke, const int at[3]) {
    const wbSmokeGrid *grid = &smoke->grid;
    if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= grid->nx || at[1] >= grid->ny || at[2] >= grid->nz)
        return false;
    return smoke->solid[wbSmokeCell(grid, at[0], at[1], at[2])];
}

// Of a solid cell.
static const wbSmokeBody *getBody(const wbSmokeGrid *grid, const wbSmokeSolids *solids, const int at[3]) {
    return &solids->bodies[solids->mask[wbSmokeCell(grid, at[0], at[1], at[2])] - 1];
}

// The face below the cell at this place; of two bodies the lower one counts.
static bool addFace(wbSmoke *smoke, const wbSmokeBody *body, wbMemory *memory, int axis, const int at[3]) {
    wbSmokeFaces *faces = &smoke->faces[axis];
    if (!wbArray_Reserve(memory, &faces->places, faces->count + 1)) return false;
    if (!wbArray_Reserve(memory, &faces->values, faces->count + 1)) return false;
    float value = getBodyVelocity(&smoke->grid, body, axis, at);
    ((int *)faces->places.data)[faces->count] = wbSmokeIndex(&smoke->grid, at[0], at[1], at[2]);
    ((float *)faces->values.data)[faces->count++] = value;
    smoke->sideSpeed = fmaxf(smoke->sideSpeed, fabsf(value));
    return true;
}

// Whether air passes the face below a cell.
static bool isFree(const wbSmoke *smoke, const wbSmokeModel *model, int axis, const int at[3]) {
    const int cells[3] = {smoke->grid.nx, smoke->grid.ny, smoke->grid.nz};
    int below[3] = {at[0], at[1], at[2]};
    below[axis]--;
    if (at[axis] == 0 && !model->open[2 * axis]) return false;
    if (at[axis] == cells[axis] && !model->open[2 * axis + 1]) return false;
    return !isSolid(smoke, at) && !isSolid(smoke, below);
}

// A face within a solid, if there is air beside it.
static bool addSlip(wbSmoke *smoke, const wbSmokeModel *model, wbMemory *memory, int axis, const int at[3]) {
    const wbSmokeGrid *grid = &smoke->grid;
    const int cells[3] = {grid->nx, grid->ny, grid->nz};
    wbSmokeFaces *faces = &smoke->faces[axis];
    wbSlipFace slip = {.place = wbSmokeIndex(grid, at[0], at[1], at[2])};
    for (int n = 0; n < 2 * grid->dimensions; n++) {
        int beside[3] = {at[0], at[1], at[2]}, along = n / 2;
        beside[along] += n & 1 ? 1 : -1;
        if (along == axis || beside[along] < 0 || beside[along] >= cells[along]) continue;
        if (isFree(smoke, model, axis, beside))
            slip.sources[slip.count++] = wbSmokeIndex(grid, beside[0], beside[1], beside[2]);
    }
    if (slip.count == 0) return true;
    if (!wbArray_Reserve(memory, &faces->slips, faces->slipCount + 1)) return false;
    ((wbSlipFace *)faces->slips.data)[faces->slipCount++] = slip;
    return true;
}

// The faces of a solid cell: those to other solid cells, of which the upper cell has them, or those to air.
static bool addCellFaces(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeSolids *solids,
                         wbMemory *memory, const int cell[3], bool within) {
    const wbSmokeBody *body = getBody(&smoke->grid, solids, cell);
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        int below[3] = {cell[0], cell[1], cell[2]}, above[3] = {cell[0], cell[1], cell[2]};
        below[axis]--, above[axis]++;
        const bool isLower = isSolid(smoke, below);
        const wbSmokeBody *lower = isLower ? getBody(&smoke->grid, solids, below) : body;
        if (within == isLower && !addFace(smoke, lower, memory, axis, cell)) return false;
        if (within && isLower && !addSlip(smoke, model, memory, axis, cell)) return false;
        if (!within && !isSolid(smoke, above) && !addFace(smoke, body, memory, axis, above)) return false;
    }
    return true;
}

static bool addCell(wbSmoke *smoke, wbMemory *memory, const int at[3]) {
    if (!wbArray_Reserve(memory, &smoke->solidCells, smoke->solidCount + 1)) return false;
    ((int *)smoke->solidCells.data)[smoke->solidCount++] = wbSmokeIndex(&smoke->grid, at[0], at[1], at[2]);
    return true;
}

static bool hasSolid(const uint16_t *row, int count) {
    uint16_t any = 0;
    for (int i = 0; i < count; i++) any |= row[i];
    return any != 0;
}

// Faces to air in the first pass, those within solids in the second.
static bool listPass(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeSolids *solids, wbMemory *memory,
                     bool within) {
    const wbSmokeGrid *grid = &smoke->grid;
    for (int j = 0; j < grid->ny && solids->mask; j++) {
        for (int k = 0; k < grid->nz; k++) {
            const uint16_t *row = solids->mask + wbSmokeCell(grid, 0, j, k);
            if (!hasSolid(row, grid->nx)) continue;
            for (int i = 0; i < grid->nx; i++) {
                const int at[3] = {i, j, k};
                if (!row[i]) continue;
                if (!within && !addCell(smoke, memory, at)) return false;
                if (!addCellFaces(smoke, model, solids, memory, at, within)) return false;
            }
        }
    }
    return true;
}

// Steps along an axis from a covered cell to the next cell of air within reach; 0: there is none.
static int findAir(const wbSmokeGrid *grid, const uint16_t *mask, const int cell[3], int axis, int way) {
    enum { REACH = 8 };
    const int cells[3] = {grid->nx, grid->ny, grid->nz};
    int at[3] = {cell[0], cell[1], cell[2]};
    for (int n = 1; n <= REACH; n++) {
        at[axis] += way;
        if (at[axis] < 0 || at[axis] >= cells[axis]) return 0;
        if (!mask[wbSmokeCell(grid, at[0], at[1], at[2])]) return n;
    }
    return 0;
}

// Along the way that the body moves most, or to the nearest air along any axis. False: there is none.
static bool findTarget(const wbSmokeGrid *grid, const wbSmokeSolids *solids, const int cell[3],
                       int target[3]) {
    const uint16_t *mask = solids->mask;
    const wbSmokeBody *body = getBody(grid, solids, cell);
    int bestAxis = 0, bestWay = 0, bestSteps = 0;
    float fastest = 0;
    for (int axis = 0; axis < grid->dimensions; axis++) {
        float velocity = getBodyVelocity(grid, body, axis, cell);
        if (fabsf(velocity) > fastest)
            fastest = fabsf(velocity), bestAxis = axis, bestWay = velocity > 0 ? 1 : -1;
    }
    if (bestWay != 0) bestSteps = findAir(grid, mask, cell, bestAxis, bestWay);
    for (int n = 0, isSet = bestSteps > 0; n < 2 * grid->dimensions && !isSet; n++) {
        int steps = findAir(grid, mask, cell, n / 2, n & 1 ? 1 : -1);
        if (steps > 0 && (bestSteps == 0 || steps < bestSteps))
            bestAxis = n / 2, bestWay = n & 1 ? 1 : -1, bestSteps = steps;
    }
    memcpy(target, cell, sizeof(int[3]));
    target[bestAxis] += bestWay * bestSteps;
    return bestSteps > 0;
}

wbStatus wbListCovered(wbSmoke *smoke, const wbSmokeSolids *solids, wbMemory *memory) {
    const wbSmokeGrid *grid = &smoke->grid;
    const uint16_t *mask = solids->mask;
    // room for all of its cells: how many a solid comes to changes from step to step
    int most = smoke->coveredCount;
    for (int c = 0; c < grid->nx * grid->ny * grid->nz; c++) most += mask[c] != 0;
    if (most > smoke->covered.capacity && !wbArray_Reserve(memory, &smoke->covered, 2 * most))
        return wbMemoryError(memory, "cells that solids come to in smoke need");
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            int row = wbSmokeCell(grid, 0, j, k);
            if (!hasSolid(mask + row, grid->nx)) continue;
            for (int i = 0; i < grid->nx; i++) {
                int target[3];
                if (!mask[row + i] || smoke->solid[row + i]) continue;
                if (!findTarget(grid, solids, (int[3]){i, j, k}, target)) continue;
                ((wbCoveredCell *)smoke->covered.data)[smoke->coveredCount++] = (wbCoveredCell){
                    wbSmokeIndex(grid, i, j, k), wbSmokeIndex(grid, target[0], target[1], target[2])};
            }
        }
    }
    return wb_okStatus;
}

float wbGetSmokeSideSpeed(const wbSmokeModel *model) {
    float fastest = 0;
    for (int s = 0; s < 2 * model->grid.dimensions; s++)
        for (int axis = 0; axis < 3; axis++)
            if (model->sides[s].type == wb_sideNoSlip && axis != s / 2)
                fastest = fmaxf(fastest, fabsf(getComponent(model->sides[s].velocity, axis)));
    return fastest;
}

wbStatus wbListSolidFaces(wbSmoke *smoke, const wbSmokeModel *model, const wbSmokeSolids *solids,
                          wbMemory *memory) {
    smoke->sideSpeed = wbGetSmokeSideSpeed(model);
    smoke->solidCount = 0;
    for (int axis = 0; axis < 3; axis++) smoke->faces[axis].count = smoke->faces[axis].slipCount = 0;
    bool listed = listPass(smoke, model, solids, memory, false);
    for (int axis = 0; axis < 3; axis++) smoke->faces[axis].surfaceCount = smoke->faces[axis].count;
    listed = listed && listPass(smoke, model, solids, memory, true);
    return listed ? wb_okStatus : wbMemoryError(memory, "the faces of solids in smoke need");
}

void wbSlipAlongSolids(const wbSmoke *smoke, float *const velocity[3]) {
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        const wbSlipFace *slips = smoke->faces[axis].slips.data;
        float *field = velocity[axis];
        for (int n = 0; n < smoke->faces[axis].slipCount; n++) {
            float sum = 0;
            for (int s = 0; s < slips[n].count; s++) sum += field[slips[n].sources[s]];
            field[slips[n].place] = sum / (float)slips[n].count;
        }
    }
}

// Walls

typedef struct Walls {
    const wbSmokeGrid *grid;
    const bool *open;
    float *velocity[3]; // NULL: left alone
} Walls;

void wbCloseSides(const wbSmokeGrid *grid, const bool open[6], float *const velocity[3], int j) {
    float *u = velocity[0], *v = velocity[1], *w = velocity[2];
    size_t row = sizeof(float) * (size_t)grid->nx;
    for (int k = 0; k < grid->nz; k++) {
        int c = wbSmokeIndex(grid, 0, j, k);
        if (v && ((j == 0 && !open[wb_bottom]) || (j == grid->ny && !open[wb_top]))) memset(v + c, 0, row);
        if (u && j < grid->ny && !open[wb_left]) u[c] = 0;
        if (u && j < grid->ny && !open[wb_right]) u[c + grid->nx] = 0;
    }
    if (w && j < grid->ny && !open[wb_back]) memset(w + wbSmokeIndex(grid, 0, j, 0), 0, row);
    if (w && j < grid->ny && !open[wb_front]) memset(w + wbSmokeIndex(grid, 0, j, grid->nz), 0, row);
}

void wbSlowInflow(const wbSmokeModel *model, const wbSmokePatch *patch, float cells) {
    const wbSmokeGrid *grid = &model->grid;
    const int axis = patch->axis, counts[3] = {grid->nx, grid->ny, grid->nz};
    for (int high = 0; high < 2; high++) {
        const int side = high ? counts[axis] : 0;
        if (!model->still[2 * axis + high] || (axis == 1 && patch->j != side)) continue;
        for (int k = patch->first; k < patch->end; k++) {
            if (axis == 2 && k != side) continue;
            float *row = patch->values + grid->row * (k - patch->first);
            const int first = axis == 0 ? side : 0, end = axis == 0 ? side + 1 : grid->nx;
            for (int i = first; i < end; i++) row[i] = smoke_inflow(row[i], high, cells);
        }
    }
}

static void closePlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Walls *walls = context;
    for (int j = begin; j < end; j++) wbCloseSides(walls->grid, walls->open, walls->velocity, j);
}

void wbSetSolidVelocities(const wbSmoke *smoke, float *const velocity[3], bool onlySurfaces) {
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        const wbSmokeFaces *faces = &smoke->faces[axis];
        const int *places = faces->places.data;
        const float *values = faces->values.data;
        int count = onlySurfaces ? faces->surfaceCount : faces->count;
        for (int f = 0; f < count; f++) velocity[axis][places[f]] = values[f];
    }
}

void wbSetWallVelocities(const wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work,
                         float *const velocity[3], bool onlySurfaces) {
    wbSetSolidVelocities(smoke, velocity, onlySurfaces);
    Walls walls = {&smoke->grid, model->open, {velocity[0], velocity[1], velocity[2]}};
    wbParallelFor(work->pool, smoke->grid.ny + 1, 1, closePlanes, &walls);
}

void wbHoldSurfaces(const wbSmoke *smoke, float *const velocity[3], bool hold) {
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        const wbSmokeFaces *faces = &smoke->faces[axis];
        const int *places = faces->places.data;
        const float *values = faces->values.data;
        for (int f = 0; f < faces->surfaceCount; f++) velocity[axis][places[f]] = hold ? 0 : values[f];
    }
}

void wbClearWalls(const wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work, int axis,
                  float *field) {
    const wbSmokeFaces *faces = &smoke->faces[axis];
    const int *places = faces->places.data;
    for (int f = 0; f < faces->count; f++) field[places[f]] = 0;
    Walls walls = {.grid = &smoke->grid, .open = model->open};
    walls.velocity[axis] = field;
    wbParallelFor(work->pool, smoke->grid.ny + 1, 1, closePlanes, &walls);
}

void wbEmptySolids(const wbSmoke *smoke) {
    const int *cells = smoke->solidCells.data;
    for (int f = 0; f < smoke->scalarCount; f++)
        for (int c = 0; c < smoke->solidCount; c++) smoke->fields[wb_smokeDensity + f][cells[c]] = 0;
}
