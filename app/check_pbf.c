// SPDX-License-Identifier: MIT
// What `wirbel check` says of position based fluids alone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/args.h"
#include "app/solvers.h"
#include "core/memory.h"

// The start of a fluid in cells of a spacing: how many steps each is from the nearest that is empty. Closed sides are no surface.
typedef struct Cells {
    int size[3];
    float low[3], spacing;
    int count;
    int *steps; // -1: empty
} Cells;

static bool findBox(const wbView *view, int dimensions, Cells *cells) {
    const float *const x[3] = {view->x, view->y, view->z};
    double count = 1;
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < view->count; i++) low = fminf(low, x[a][i]), high = fmaxf(high, x[a][i]);
        cells->low[a] = low - 0.5f * cells->spacing;
        cells->size[a] = a < dimensions ? (int)((high - low) / cells->spacing + 1.5f) : 1;
        count *= cells->size[a];
    }
    cells->count = (int)fmin(count, 1e8);
    return count < 1e8; // a spray that is wide apart says nothing
}

static int findCell(const Cells *cells, const float p[3]) {
    int at[3];
    for (int a = 0; a < 3; a++) {
        const int cell = (int)((p[a] - cells->low[a]) / cells->spacing);
        at[a] = cell < 0 ? 0 : cell >= cells->size[a] ? cells->size[a] - 1 : cell;
    }
    return (at[2] * cells->size[1] + at[1]) * cells->size[0] + at[0];
}

// The next cell in a direction: side 0 is left, 5 is front. -1: it is behind a closed side; -2: it is empty there.
static int findNext(const Cells *cells, const wbDomainDef *domain, int cell, int side) {
    const int stride[3] = {1, cells->size[0], cells->size[0] * cells->size[1]}, axis = side / 2;
    const int at = cell / stride[axis] % cells->size[axis], next = at + (side % 2 ? 1 : -1);
    if (next >= 0 && next < cells->size[axis]) return cell + (side % 2 ? 1 : -1) * stride[axis];
    const float place = cells->low[axis] + cells->spacing * (float)(side % 2 ? cells->size[axis] : 0);
    const float end = side % 2 ? (&domain->max.x)[axis] : (&domain->min.x)[axis];
    const bool isThere = domain->sides[side].type != wb_sideOpen && domain->max.x > domain->min.x;
    return isThere && fabsf(end - place) < cells->spacing ? -1 : -2;
}

// From the surface inwards, a layer at a time.
static void findSteps(Cells *cells, const wbDomainDef *domain, int dimensions) {
    int changed = 1;
    for (int layer = 0; changed > 0; layer++) {
        changed = 0;
        for (int c = 0; c < cells->count; c++) {
            if (cells->steps[c] != 0) continue; // empty, or known
            bool isNext = false;
            for (int side = 0; side < 2 * dimensions && !isNext; side++) {
                const int next = findNext(cells, domain, c, side);
                isNext = layer == 0 ? next == -2 || (next >= 0 && cells->steps[next] == -1)
                                    : next >= 0 && cells->steps[next] == layer;
            }
            if (isNext) cells->steps[c] = layer + 1, changed++;
        }
    }
}

static double getKernelSlope(const wbAdaptiveParams *params, int dimensions) {
    return params->kernelSlope > 0 ? (double)params->kernelSlope : dimensions == 2 ? 0.4 : 0.3;
}

// How many smallest particles one stands for, by its distance to the surface in radii of these.
static double findUnits(const wbAdaptiveParams *params, int dimensions, double radii) {
    const double a = getKernelSlope(params, dimensions);
    if (params->method == wb_adaptiveThesis) return pow(fmax(a * radii / (4 + 4 * a), 1), dimensions);
    const double wide = 1 + (double)params->slope * fmax(0, radii - (double)params->band);
    return exp2(fmin(floor(dimensions * log2(wide) + 0.5), params->topLevel)); // the nearest level
}

// The share of its particles that an adaptive fluid would have, by how deep in it they are; 1: it is not known.
static double findShare(const wbView *view, float spacing, const wbWorld *world) {
    const wbAdaptiveParams *params = &wbWorld_GetPbfParams(world)->adaptive;
    const int dimensions = wbWorld_GetWorldParams(world)->dimensions;
    const wbDomainDef domain = wbWorld_GetDomain(world);
    Cells cells = {.spacing = spacing};
    double sum = 0;
    if (view->count == 0 || !findBox(view, dimensions, &cells)) return 1;
    const size_t bytes = sizeof *cells.steps * (size_t)cells.count;
    cells.steps = wbAlloc(NULL, bytes);
    if (!cells.steps) return 1;
    memset(cells.steps, 0xff, bytes);
    for (int i = 0; i < view->count; i++)
        cells.steps[findCell(&cells, (const float[3]){view->x[i], view->y[i], view->z[i]})] = 0;
    findSteps(&cells, &domain, dimensions);
    for (int i = 0; i < view->count; i++) {
        const int steps = cells.steps[findCell(&cells, (const float[3]){view->x[i], view->y[i], view->z[i]})];
        sum += 1 / findUnits(params, dimensions, 2 * steps - 1);
    }
    wbFree(NULL, cells.steps, bytes);
    return sum / view->count;
}

// Colliders hold water as sides do, but where they are is not looked at.
static void warnOfSizes(wbWorld *world) {
    wbView view;
    const wbAdaptiveMethod method = wbWorld_GetPbfParams(world)->adaptive.method;
    const bool isThesis = method == wb_adaptiveThesis;
    if (method == wb_adaptiveOff || wbWorld_GetColliderCount(world) > 0) return;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        const wbFluidId fluid = wbWorld_GetFluid(world, i);
        if (wbFluid_GetSolver(world, fluid) != wb_solverPbf || wbFluid_GetParticleCount(world, fluid) == 0)
            continue;
        if (wbFluid_GetView(world, fluid, &view).code != wb_ok) continue;
        const double share = findShare(&view, (float)wbFluid_GetSpacing(world, fluid), world);
        // with more there are more pairs than with particles of one size (docs/adaptive-analysis.md)
        if (isThesis && share >= 0.7)
            wbComplain(
                "warning: of fluid \"%s\" %.0f %% of the particles would be left with pbf.adaptive, as it "
                "starts; above 70 %% the method thesis costs more than without: it is for water that is "
                "deep, 25 particles and more",
                wbFluid_GetName(world, fluid), 100 * share);
        if (!isThesis && share >= 0.5)
            wbComplain(
                "warning: of fluid \"%s\" %.0f %% of the particles would be left with pbf.adaptive, as it "
                "starts; above 50 %% it stays off, and costs as much as without: it is for water that is "
                "deep, 10 particles and more",
                wbFluid_GetName(world, fluid), 100 * share);
    }
}

// Large particles inside of small ones would be pushed most, and without weight nothing brings them back.
static void warnOfTension(const wbWorld *world) {
    const wbPbfParams *pbf = wbWorld_GetPbfParams(world);
    const wbVec3 gravity = wbWorld_GetWorldParams(world)->gravity;
    if (pbf->adaptive.method != wb_adaptiveLevels || !(pbf->tension > 0)) return;
    if (gravity.x == 0 && gravity.y == 0 && gravity.z == 0)
        wbComplain("warning: pbf.tension %.3g is not felt: particles of different sizes have none without "
                   "gravity; set it to 0",
                   (double)pbf->tension);
}

static void describe(const wbScene *scene, wbWorld *world) {
    (void)scene;
    const wbPbfParams *pbf = wbWorld_GetPbfParams(world);
    char subSteps[32];
    wbWorld_GetParam(world, "pbf.subSteps", subSteps, sizeof subSteps);
    if (pbf->subSteps == 0)
        snprintf(subSteps, sizeof subSteps, "%d (auto)", wbWorld_GetProfile(world).pbfSubSteps);
    printf("pbf        spacing %.4g m, h = %.3g spacings, rest density %.4g kg/m3, sub-steps %s x %d "
           "iterations\n",
           (double)pbf->spacing, (double)pbf->smoothing, (double)pbf->restDensity, subSteps, pbf->iterations);
    if (pbf->adaptive.method == wb_adaptiveThesis)
        printf("adaptive   thesis: kernels widen by %.3g of the distance to the surface\n",
               getKernelSlope(&pbf->adaptive, wbWorld_GetWorldParams(world)->dimensions));
    if (pbf->adaptive.method == wb_adaptiveLevels)
        printf("adaptive   levels: radii grow by %.3g of the distance to the surface, from %.3g radii on, to "
               "level %d\n",
               (double)pbf->adaptive.slope, (double)pbf->adaptive.band, pbf->adaptive.topLevel);
}

static void warn(const wbScene *scene, wbWorld *world) {
    (void)scene;
    warnOfSizes(world);
    warnOfTension(world);
}

const wbSolverReport wb_pbfReport = {.name = "pbf", .describe = describe, .warn = warn};
