// SPDX-License-Identifier: MIT
// Water that floats freely: a cube becomes a ball, and in drops at rest surface and pressure are in balance.
#include <math.h>

#include "bench/drop.h"
#include "core/status.h"
#include "world/solver_sph.h"

enum { across = 12 };

static wbVec3 getPlace(const wbView *view, int i) {
    return wbMakeVec3(view->x[i * view->stride], view->y[i * view->stride], view->z[i * view->stride]);
}

static wbVec3 findCentre(const wbView *view) {
    double sum[3] = {0};
    for (int i = 0; i < view->count; i++) {
        wbVec3 x = getPlace(view, i);
        sum[0] += x.x, sum[1] += x.y, sum[2] += x.z;
    }
    return wbMakeVec3((float)(sum[0] / view->count), (float)(sum[1] / view->count),
                      (float)(sum[2] / view->count));
}

// The ball

static double measureExtent(const wbView *view, wbVec3 direction) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < view->count; i++) {
        double along = wbDot(getPlace(view, i), direction);
        low = fmin(low, along), high = fmax(high, along);
    }
    return (high - low) / sqrt(wbDot(direction, direction));
}

// Largest by smallest extent along axes, face and body diagonals; a cube has 1.73.
static double measureRoundness(const wbView *view) {
    double smallest = INFINITY, largest = 0;
    for (int code = 14; code < 27; code++) { // one of each pair of opposite directions
        wbVec3 direction =
            wbMakeVec3((float)(code % 3 - 1), (float)(code / 3 % 3 - 1), (float)(code / 9 - 1));
        double extent = measureExtent(view, direction);
        smallest = fmin(smallest, extent), largest = fmax(largest, extent);
    }
    return largest / smallest;
}

static wbStatus roundCube(wbValidateRun *caseRun, wbWorld *world, wbFluidId fluid, double duration) {
    wbView view;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    wbVec3 before = findCentre(&view);
    WB_TRY(wbRunDrop(caseRun, world, duration, 0, 1));
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    if (caseRun->stopped) return wb_okStatus;
    wbVec3 moved = wbSub(findCentre(&view), before);
    wbReportQuantity(caseRun, (wbQuantity){.quantity = "largest by smallest extent, 13 directions",
                                           .unit = "",
                                           .value = measureRoundness(&view),
                                           .reference = 1,
                                           .tolerance = 0.1,
                                           .source = "a ball; the cube had 1.73"});
    wbReportQuantity(caseRun, (wbQuantity){.quantity = "centre of mass, way",
                                           .unit = "spacings",
                                           .value = sqrt(wbDot(moved, moved)) / WB_DROP_SPACING,
                                           .tolerance = 1e-3,
                                           .source = "stays"});
    return wb_okStatus;
}

wbStatus wbValidateDroplet(wbValidateRun *caseRun) {
    wbWorld *world;
    wbFluidId fluid;
    float half = (float)(across * WB_DROP_SPACING / 2);
    double radius = across * WB_DROP_SPACING * cbrt(3 / (4 * 3.14159265));
    wbBlockDef block = {.min = wbMakeVec3(-half, -half, -half), .max = wbMakeVec3(half, half, half)};
    WB_TRY(wbCreateCaseWorld(caseRun, wbMakeDropWorld(3, radius), wb_solverSph, &world, &fluid));
    wbStatus status = wbFluid_AddBlock(world, fluid, &block);
    if (wbIsOk(status)) status = roundCube(caseRun, world, fluid, 12 * wbGetSwingTime(radius));
    wbDestroyWorld(world);
    return status;
}

// Laplace's pressure

// p/rho2 above the air's.
static double findTerm(const wbView *view, int i, const SphConstants *c) {
    double density = view->density[i * view->stride], rest = c->restDensity, air = c->ambient;
    return (view->pressure[i * view->stride] + air) / (density * density) - air / (rest * rest);
}

// Pressure around particle i, by the virial of its pairs: what the equation of state presses, less what cohesion pulls. A stress
// along the skin does not reach inside.
static double measureVirial(const wbWorld *world, const wbView *view, int i) {
    const wbSphModel *model = &wbGetSphSolver(world)->model;
    const SphConstants *c = &model->constants;
    bool wendland = model->params.kernel == wb_kernelWendland;
    const bool isCohesive = model->params.tensionMethod == wb_tensionCohesion;
    double sum = 0, density1 = view->density[i * view->stride], term1 = findTerm(view, i, c);
    for (int j = 0; j < view->count; j++) {
        wbVec3 apart = wbSub(getPlace(view, i), getPlace(view, j));
        double r = sqrt(wbDot(apart, apart)), q = r * c->inverseH, cube = pow(q * (1 - q), 3);
        if (j == i || q >= 1) continue;
        double density2 = view->density[j * view->stride];
        double spline = q < 0.5 ? 2 * cube - 1.0 / 64 : cube;
        double force = c->gradientScale * (wendland ? pow(1 - q, 3) : pow(1 - q, 2) / r); // sph_formula.h
        sum += force * (term1 + findTerm(view, j, c)) * r * r;
        if (isCohesive) sum -= c->cohesionScale * spline * r / (density1 + density2);
    }
    return density1 * sum / (2 * world->domain.dimensions);
}

// Mean pressure farther inside than 1.5 h.
static double measurePressure(const wbWorld *world, const wbView *view, double radius) {
    double sum = 0, inner = radius - 1.5 * wbGetSphSolver(world)->model.h;
    wbVec3 centre = findCentre(view);
    int count = 0;
    for (int i = 0; i < view->count; i++) {
        wbVec3 from = wbSub(getPlace(view, i), centre);
        if (wbDot(from, from) > inner * inner) continue;
        sum += measureVirial(world, view, i);
        count++;
    }
    return sum / count;
}

// Pressure times radius, as a tension; the radius is that of the water's volume.
static wbStatus measureTension(wbValidateRun *caseRun, const wbWorldDef *def, double radius, double done,
                               double *measured) {
    const int dimensions = def->params.dimensions;
    enum { samples = 20 };
    wbWorld *world;
    wbFluidId fluid;
    wbView view;
    WB_TRY(wbCreateCaseWorld(caseRun, *def, wb_solverSph, &world, &fluid));
    wbStatus status = wbAddDrop(world, fluid, dimensions, radius);
    *measured = 0;
    for (int k = 0; k < samples && wbIsOk(status) && !caseRun->stopped; k++) {
        status = wbRunDrop(caseRun, world, (4 + 0.1 * k) * wbGetSwingTime(radius), done, 0.5);
        if (wbIsOk(status)) status = wbFluid_GetView(world, fluid, &view);
        if (!wbIsOk(status)) break;
        double size = wbGetDropRadius(world, fluid, dimensions);
        *measured += measurePressure(world, &view, size) * size / (dimensions - 1) / samples;
    }
    wbDestroyWorld(world);
    return status;
}

typedef struct Resting {
    const char *quantity;
    int dimensions;
    double radius; // spacings
} Resting;

static wbWorldDef makeCalmLiquid(int dimensions, double radius) {
    wbWorldDef def = wbMakeLiquidDropWorld(dimensions, radius);
    def.sph.viscosity = wbMakeDropWorld(dimensions, radius).sph.viscosity;
    return def;
}

typedef wbWorldDef MakeWorld(int dimensions, double radius);

static wbStatus validateDrops(wbValidateRun *caseRun, MakeWorld *makeWorld, const Resting drops[2]) {
    for (int k = 0; k < 2; k++) {
        double measured, radius = drops[k].radius * WB_DROP_SPACING;
        wbWorldDef def = makeWorld(drops[k].dimensions, radius);
        WB_TRY(measureTension(caseRun, &def, radius, 0.5 * k, &measured));
        if (caseRun->stopped) return wb_okStatus;
        wbReportQuantity(caseRun, (wbQuantity){.quantity = drops[k].quantity,
                                               .unit = "N/m",
                                               .value = measured,
                                               .reference = WB_DROP_TENSION,
                                               .tolerance = 0.15 * WB_DROP_TENSION,
                                               .source = "Laplace: p = sigma / R (2D), 2 sigma / R (3D)"});
    }
    return wb_okStatus;
}

wbStatus wbValidateLaplace(wbValidateRun *caseRun) {
    static const Resting drops[] = {{"pressure times R, disc of 12 spacings, 2D", 2, 12},
                                    {"pressure times R / 2, ball of 7 spacings, 3D", 3, 7}};
    return validateDrops(caseRun, wbMakeDropWorld, drops);
}

wbStatus wbValidateLaplaceLarge(wbValidateRun *caseRun) {
    static const Resting drops[] = {{"pressure times R, disc of 20 spacings, 2D", 2, 20},
                                    {"pressure times R / 2, ball of 10 spacings, 3D", 3, 10}};
    return validateDrops(caseRun, wbMakeDropWorld, drops);
}

wbStatus wbValidateDropPressure(wbValidateRun *caseRun) {
    static const Resting drops[] = {{"pressure times R, disc of 8 spacings, 2D", 2, 8},
                                    {"pressure times R, disc of 14 spacings, 2D", 2, 14}};
    return validateDrops(caseRun, makeCalmLiquid, drops);
}

wbStatus wbValidateDropPressureLarge(wbValidateRun *caseRun) {
    static const Resting drops[] = {{"pressure times R, disc of 24 spacings, 2D", 2, 24},
                                    {"pressure times R / 2, ball of 10 spacings, 3D", 3, 10}};
    return validateDrops(caseRun, makeCalmLiquid, drops);
}
