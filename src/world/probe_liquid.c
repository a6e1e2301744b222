// SPDX-License-Identifier: MIT
// What probes measure in liquids: sums over particles near a point, in a column, or at a rectangle.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "world/collider.h"
#include "world/probe.h"

// Particles of a liquid in a box, one by one.
typedef struct Look {
    const wbWorld *world;
    const wbParticleFluid *liquid;
    const wbQueryPoints *points;
    int fluid; // whose particles count; -1: all
    double min[3], max[3];
    double limit;
    void (*take)(const struct Look *look, int place, void *sums);
    void *sums;
} Look;

static double measureBox(const wbPointBox *box, const void *context) {
    const Look *look = context;
    for (int a = 0; a < 3; a++)
        if (!(box->min[a] <= look->max[a] && box->max[a] >= look->min[a])) return 1;
    return 0;
}

static wbVec3d getPlace(const Look *look, int place) {
    const wbPoints *p = &look->points->points;
    return (wbVec3d){p->x[place], p->y[place], p->z[place]};
}

static void visit(int place, void *context) {
    const Look *look = context;
    const wbVec3d p = getPlace(look, place);
    const double *min = look->min, *max = look->max;
    if (!(p.x >= min[0] && p.x <= max[0] && p.y >= min[1] && p.y <= max[1] && p.z >= min[2] && p.z <= max[2]))
        return;
    if (look->fluid < 0 || wbFindOwner(look->world, look->points, place) == look->fluid)
        look->take(look, place, look->sums);
}

// The box of what is looked for in a liquid.
typedef void BoundFn(const wbParticleFluid *liquid, const void *sums, double min[3], double max[3]);

// All particles of all liquids in a box, in an order that follows from their places alone.
static wbStatus lookAtAll(wbWorld *world, int fluid, BoundFn *bound,
                          void (*take)(const Look *look, int place, void *sums), void *sums) {
    wbQueries *queries;
    WB_TRY(wbGetQueries(world, &queries));
    WB_TRY(wbRefreshTrees(world, queries, wb_queryFluids));
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        const wbQueryTree *tree = &queries->trees[s];
        Look look = {world, world->solvers[s].liquid, &tree->points, fluid, .take = take, .sums = sums};
        if (!look.liquid) continue;
        bound(look.liquid, sums, look.min, look.max);
        wbPointTree_Search(&tree->tree, &(wbPointSearch){measureBox, visit, &look, &look.limit});
    }
    return wb_okStatus;
}

static float getRelative(const Look *look, int place) {
    return (float)wbGetRelativeDensity(look->world, wbFindOwner(look->world, look->points, place));
}

// m, the side of the cube that a particle stands for; m3 (2D: m2), the cube.
static double getSize(const Look *look, int place) {
    return 2 * (double)wbGetRadiusOf(look->liquid, wbGetUnits(look->liquid, place));
}

static double getVolume(const Look *look, int place) {
    return wbGetUnits(look->liquid, place) * pow(look->liquid->spacing, look->world->params.dimensions);
}

// m, of a liquid's largest particle.
static double findLargest(const wbParticleFluid *liquid) {
    double units = 1;
    for (int i = 0; i < liquid->particles->count && wbIsSized(liquid); i++)
        units = fmax(units, wbGetUnits(liquid, i));
    return 2 * (double)wbGetRadiusOf(liquid, units);
}

enum { MOST_UNKNOWNS = 4 };

// A field near a point as a + b·(x - centre), by least squares with a kernel's weights: sums of w, w x, w x x, and of w f, w x f.
// Plain means would be those of a place farther from a wall or a surface.
typedef struct Fit {
    wbVec3d point, centre; // of the kernel
    wbLiquidField field;
    int unknowns; // 1 + dimensions
    double matrix[MOST_UNKNOWNS][MOST_UNKNOWNS];
    double sides[MOST_UNKNOWNS][3];
    double nearest; // particle to the point, in its sizes
    double spacing; // m, the coarsest around it
} Fit;

// m: how far a probe looks. In still water of both solvers layers have by turns too much and too little pressure, by up to 5 %;
// within two spacings that shows, within three it is below 1 %.
static const double reachOfFit = 3; // in sizes of particles

static void boundFit(const wbParticleFluid *liquid, const void *sums, double min[3], double max[3]) {
    const Fit *fit = sums;
    const double p[3] = {fit->centre.x, fit->centre.y, fit->centre.z},
                 reach = reachOfFit * findLargest(liquid);
    for (int a = 0; a < 3; a++) min[a] = p[a] - reach, max[a] = p[a] + reach;
}

static void getField(const Look *look, int place, wbLiquidField field, double f[3]) {
    const wbParticles *p = look->liquid->particles;
    f[0] = f[1] = f[2] = 0;
    if (field == wb_liquidVelocity)
        f[0] = p->vx[place], f[1] = p->vy[place], f[2] = p->vz[place];
    else
        f[0] = field == wb_liquidPressure ? p->pressure[place] : p->density[place] * getRelative(look, place);
}

// By Wendland's C2 kernel; offsets are in m.
static void addToFit(const Look *look, int place, void *sums) {
    Fit *fit = sums;
    const double size = getSize(look, place), reach = reachOfFit * size;
    const wbVec3d p = getPlace(look, place), d = wbSub3d(p, fit->centre), way = wbSub3d(p, fit->point);
    const double q = sqrt(wbDot3d(d, d)) / reach;
    fit->nearest = fmin(fit->nearest, sqrt(wbDot3d(way, way)) / size);
    if (q >= 1) return;
    fit->spacing = fmax(fit->spacing, size);
    const double weight = pow(1 - q, 4) * (1 + 4 * q), x[MOST_UNKNOWNS] = {1, d.x, d.y, d.z};
    double f[3];
    getField(look, place, fit->field, f);
    for (int i = 0; i < fit->unknowns; i++) {
        for (int k = 0; k < fit->unknowns; k++) fit->matrix[i][k] += weight * x[i] * x[k];
        for (int c = 0; c < 3; c++) fit->sides[i][c] += weight * x[i] * f[c];
    }
}

// Reduces the matrix from above. Slopes along which particles are too few, or in a plane, are left out.
static void reduceFit(Fit *fit, bool isUsed[MOST_UNKNOWNS]) {
    const double least =
        0.05 * fit->spacing * fit->spacing * fit->matrix[0][0]; // of their mean squared distance
    for (int i = 0; i < fit->unknowns; i++) {
        isUsed[i] = i == 0 || fit->matrix[i][i] > least;
        for (int k = i + 1; k < fit->unknowns && isUsed[i]; k++) {
            const double factor = fit->matrix[k][i] / fit->matrix[i][i];
            for (int j = i; j < fit->unknowns; j++) fit->matrix[k][j] -= factor * fit->matrix[i][j];
            for (int c = 0; c < 3; c++) fit->sides[k][c] -= factor * fit->sides[i][c];
        }
    }
}

// The value at the point, by what the field is at the kernel's centre and its slopes; without any of them the mean remains.
static void solveFit(Fit *fit, double values[3]) {
    const wbVec3d way = wbSub3d(fit->point, fit->centre);
    const double at[MOST_UNKNOWNS] = {1, way.x, way.y, way.z};
    bool isUsed[MOST_UNKNOWNS];
    reduceFit(fit, isUsed);
    for (int c = 0; c < 3; c++) {
        double x[MOST_UNKNOWNS] = {0};
        values[c] = 0;
        for (int i = fit->unknowns - 1; i >= 0; i--) {
            double rest = fit->sides[i][c];
            for (int j = i + 1; j < fit->unknowns; j++) rest -= fit->matrix[i][j] * x[j];
            x[i] = isUsed[i] ? rest / fit->matrix[i][i] : 0;
            values[c] += at[i] * x[i];
        }
    }
}

static wbVec3d flatten(const wbWorld *world, wbVec3 v) {
    wbVec3d p = wbToDouble(v);
    if (world->params.dimensions == 2) p.z = 0;
    return p;
}

// Twice: around the point, then around the middle of what was found, so that beside a wall the slopes are those of as many
// layers as elsewhere.
wbStatus wbSampleLiquid(wbWorld *world, int fluid, wbVec3 point, wbLiquidField field, bool *isThere,
                        double values[3]) {
    const Fit empty = {.point = flatten(world, point),
                       .field = field,
                       .unknowns = 1 + world->params.dimensions,
                       .nearest = INFINITY};
    Fit fit = empty;
    fit.centre = fit.point;
    WB_TRY(lookAtAll(world, fluid, boundFit, addToFit, &fit));
    *isThere = fit.nearest < 1;
    if (!*isThere) return wb_okStatus;
    const double *row = fit.matrix[0];
    const wbVec3d middle = wbAddScaled3d(fit.centre, 1 / row[0], (wbVec3d){row[1], row[2], row[3]});
    fit = empty;
    fit.centre = middle;
    WB_TRY(lookAtAll(world, fluid, boundFit, addToFit, &fit));
    solveFit(&fit, values);
    return wb_okStatus;
}

// Particles in a column: how high they are, and how much of it each fills.
typedef struct Slice {
    double height, volume;
} Slice;

typedef struct Column {
    wbWorld *world;
    double min[3], max[3];
    double area;    // m2 (2D: m) of its section, within closed sides
    double spacing; // m, the coarsest in it
    wbArray *slices;
    int count;
    bool hasFailed;
} Column;

static void boundColumn(const wbParticleFluid *liquid, const void *sums, double min[3], double max[3]) {
    const Column *column = sums;
    (void)liquid;
    memcpy(min, column->min, sizeof column->min), memcpy(max, column->max, sizeof column->max);
}

static void addSlice(const Look *look, int place, void *sums) {
    Column *column = sums;
    column->spacing = fmax(column->spacing, look->liquid->spacing);
    if (!wbArray_Reserve(column->world->memory, column->slices, column->count + 1)) {
        column->hasFailed = true;
        return;
    }
    ((Slice *)column->slices->data)[column->count++] =
        (Slice){getPlace(look, place).y, getVolume(look, place)};
}

static int compareSlices(const void *first, const void *second) {
    const Slice *a = first, *b = second;
    if (a->height != b->height) return a->height > b->height ? -1 : 1;
    return a->volume > b->volume ? -1 : a->volume < b->volume;
}

// The highest slab, a spacing thick, that is half full: half a spacing above its lowest particle is the surface. Drops above it
// do not fill a slab.
static double findSurface(const Column *column) {
    const Slice *slices = column->slices->data;
    const double half = 0.5 * column->area * column->spacing;
    for (int top = 0; top < column->count; top++) {
        double volume = 0;
        for (int i = top; i < column->count && slices[top].height - slices[i].height < column->spacing; i++) {
            volume += slices[i].volume;
            if (volume >= 0.9999 * half) return slices[i].height + 0.5 * column->spacing;
        }
    }
    return NAN;
}

wbStatus wbFindLevel(wbWorld *world, int fluid, const wbProbeParams *params, double *level) {
    const wbVec3d middle = flatten(world, params->position);
    const double p[3] = {middle.x, middle.y, middle.z}, size[3] = {params->size.x, INFINITY, params->size.z};
    wbQueries *queries;
    WB_TRY(wbGetQueries(world, &queries));
    Column column = {.world = world, .area = 1, .slices = &queries->slices};
    column.slices->elementSize = sizeof(Slice);
    for (int a = 0; a < 3; a++) {
        const bool isFlat = a == 2 && world->params.dimensions == 2;
        column.min[a] = isFlat ? 0 : p[a] - 0.5 * size[a], column.max[a] = isFlat ? 0 : p[a] + 0.5 * size[a];
        if (a == 1 || isFlat) continue;
        if (world->domain.closed[2 * a]) column.min[a] = fmax(column.min[a], world->domain.min[a]);
        if (world->domain.closed[2 * a + 1]) column.max[a] = fmin(column.max[a], world->domain.max[a]);
        column.area *= fmax(0, column.max[a] - column.min[a]);
    }
    WB_TRY(lookAtAll(world, fluid, boundColumn, addSlice, &column));
    if (column.hasFailed) return wbMemoryError(world->memory, "a column of %d particles needs", column.count);
    if (column.count > 0) qsort(column.slices->data, (size_t)column.count, sizeof(Slice), compareSlices);
    *level = findSurface(&column);
    return wb_okStatus;
}

// A rectangle, and what goes through it.
typedef struct Gate {
    wbVec3d middle, normal, up, side;
    double height, width; // along up and side
    double volume, mass;
} Gate;

static void boundGate(const wbParticleFluid *liquid, const void *sums, double min[3], double max[3]) {
    const Gate *g = sums;
    const double p[3] = {g->middle.x, g->middle.y, g->middle.z}, thickness = 2 * findLargest(liquid);
    const double reach[3] = {
        thickness * fabs(g->normal.x) + 0.5 * (g->height * fabs(g->up.x) + g->width * fabs(g->side.x)),
        thickness * fabs(g->normal.y) + 0.5 * (g->height * fabs(g->up.y) + g->width * fabs(g->side.y)),
        thickness * fabs(g->normal.z) + 0.5 * (g->height * fabs(g->up.z) + g->width * fabs(g->side.z))};
    for (int a = 0; a < 3; a++) min[a] = p[a] - reach[a], max[a] = p[a] + reach[a];
}

// The cubic B-spline: of layers a particle's size apart its values sum up to 1, wherever they are.
static double getSpline(double q) {
    if (q >= 2) return 0;
    return q < 1 ? 2 / 3.0 - q * q + 0.5 * q * q * q : pow(2 - q, 3) / 6;
}

static void addFlow(const Look *look, int place, void *sums) {
    Gate *gate = sums;
    const wbParticles *p = look->liquid->particles;
    const double size = getSize(look, place);
    const wbVec3d d = wbSub3d(getPlace(look, place), gate->middle),
                  v = {p->vx[place], p->vy[place], p->vz[place]};
    if (fabs(wbDot3d(d, gate->up)) > 0.5 * gate->height || fabs(wbDot3d(d, gate->side)) > 0.5 * gate->width)
        return;
    const double weight = getSpline(fabs(wbDot3d(d, gate->normal)) / size) / size,
                 rate = weight * wbDot3d(v, gate->normal);
    gate->volume += rate * getVolume(look, place);
    gate->mass += rate * look->liquid->mass * wbGetUnits(look->liquid, place) * getRelative(look, place);
}

wbStatus wbSumFlow(wbWorld *world, int fluid, const wbProbeParams *params, double *volume, double *mass) {
    const wbPose pose = wbGetRestPose(&(wbColliderParams){.rotation = params->rotation});
    Gate gate = {.middle = flatten(world, params->position),
                 .normal = wbPose_Rotate3d(&pose, 1, (wbVec3d){1, 0, 0}),
                 .up = wbPose_Rotate3d(&pose, 1, (wbVec3d){0, 1, 0}),
                 .side = wbPose_Rotate3d(&pose, 1, (wbVec3d){0, 0, 1}),
                 .height = params->size.y,
                 .width = params->size.z};
    WB_TRY(lookAtAll(world, fluid, boundGate, addFlow, &gate));
    *volume = gate.volume, *mass = gate.mass;
    return wb_okStatus;
}
