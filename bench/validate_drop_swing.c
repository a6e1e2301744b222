// SPDX-License-Identifier: MIT
// Drops that swing between long and flat, the mode n = 2: omega2 = n (n2 - 1) sigma / (rho R3) in 2D, 6 of them (Rayleigh
// 1879), and n (n - 1) (n + 2) sigma / (rho R3) in 3D, 8 of them (Lamb 1932).
#include <math.h>

#include "bench/drop.h"
#include "core/memory.h"
#include "core/status.h"

static const double pi = 3.14159265358979;
static const double rest = 4;     // swing times in which the lattice becomes a drop
static const double longest = 12; // swing times after which a drop that does not swing is given up

// A method of surface tension, and what is asked of it.
typedef struct Method {
    wbWorldDef (*makeWorld)(int dimensions, double radius);
    bool isLiquid; // it swings as one: by the period of its push, and comes back to round
} Method;

static wbWorldDef makeCohesive(int dimensions, double radius) {
    wbWorldDef def = wbMakeDropWorld(dimensions, radius);
    def.sph.viscosity = 0.001f;
    def.sph.artificialViscosity = 0.02f; // a hundredth of the period at most
    return def;
}
static const Method cohesion = {makeCohesive, false}, stress = {wbMakeLiquidDropWorld, true};

// Particles of a drop at rest, and room for the speeds that set it swinging.
typedef struct Drop {
    const Method *method;
    int dimensions, count;
    double radius;
    float *places, *speeds; // x, y, z each
} Drop;

// What a swing shows.
typedef struct Swing {
    double period; // s; infinite: it does not swing back
    double left;   // mean stretch of the fifth period, of the highest
} Swing;

static size_t getBytes(const Drop *drop) { return 3 * (size_t)drop->count * sizeof(float); }

static double getOmega(const Drop *drop) {
    return sqrt(drop->dimensions == 3 ? 8 : 6) / wbGetSwingTime(drop->radius);
}

// The flow of the mode: stretched along x, pressed along the others, without divergence. The first quarter of a swing
// makes the drop longer by the share `push`.
static void setSpeeds(Drop *drop, double push) {
    double rate = push * getOmega(drop), across = drop->dimensions == 3 ? -0.5 : -1;
    for (int i = 0; i < drop->count; i++) {
        const float *p = drop->places + 3 * (size_t)i;
        float *v = drop->speeds + 3 * (size_t)i;
        v[0] = (float)(rate * p[0]);
        v[1] = (float)(rate * across * p[1]);
        v[2] = (float)(drop->dimensions == 3 ? rate * across * p[2] : 0);
    }
}

static wbStatus settle(wbValidateRun *run, double radius, Drop *drop, double done, double share) {
    wbWorld *world;
    wbFluidId fluid;
    wbWorldDef def = drop->method->makeWorld(drop->dimensions, radius);
    def.sph.viscosity = (float)(0.3 * sqrt(WB_DROP_DENSITY * WB_DROP_TENSION * radius));
    def.sph.artificialViscosity = 0.1f;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &world, &fluid));
    wbStatus status = wbAddDrop(world, fluid, drop->dimensions, radius);
    if (wbIsOk(status)) status = wbRunDrop(run, world, rest * wbGetSwingTime(radius), done, share);
    drop->count = wbFluid_GetParticleCount(world, fluid);
    drop->radius = wbGetDropRadius(world, fluid, drop->dimensions);
    drop->places = wbAlloc(NULL, getBytes(drop));
    drop->speeds = wbAlloc(NULL, getBytes(drop));
    if (wbIsOk(status) && (!drop->places || !drop->speeds))
        status = wbError(wb_errorMemory, "no memory for a drop of %d particles", drop->count);
    if (wbIsOk(status)) status = wbFluid_CopyById(world, fluid, drop->places, NULL);
    wbDestroyWorld(world);
    return status;
}

// How much longer the drop is along x than across: mean of x2 less that of the other axes.
static wbStatus measureStretch(wbWorld *world, wbFluidId fluid, int dimensions, double *stretch) {
    wbView view;
    double sum = 0;
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    for (int i = 0; i < view.count; i++) {
        double x = view.x[i * view.stride], y = view.y[i * view.stride], z = view.z[i * view.stride];
        sum += x * x - (y * y + z * z) / (dimensions - 1);
    }
    *stretch = sum / view.count;
    return wb_okStatus;
}

// Between the times that the stretch is again what it was at rest, over all whole swings of a liquid and the first of others; and what
// is left of it in the fifth period.
static wbStatus watch(wbValidateRun *run, const Drop *drop, wbWorld *world, wbFluidId fluid, double done,
                      Swing *swing) {
    const double unit = wbGetSwingTime(drop->radius), turn = 2 * pi / getOmega(drop),
                 end = drop->method->isLiquid ? 5 * turn : longest * unit;
    double start, last = 0, lastTime = 0, first = 0, stretch, time, highest = 0, sum = 0, looks = 0;
    int crossings = 0;
    *swing = (Swing){INFINITY, INFINITY};
    WB_TRY(measureStretch(world, fluid, drop->dimensions, &start));
    while ((time = wbWorld_GetTime(world)) < end && !run->stopped) {
        WB_TRY(wbStepCaseFinely(run, world, done));
        WB_TRY(measureStretch(world, fluid, drop->dimensions, &stretch));
        double now = stretch - start, nowTime = wbWorld_GetTime(world);
        highest = fmax(highest, fabs(now));
        if (nowTime > 4 * turn) sum += now, looks++;
        if (last * now < 0) {
            double crossing = lastTime + (nowTime - lastTime) * last / (last - now);
            if (++crossings == 1) first = crossing;
            if (crossings > 1 && crossings % 2 == 1) swing->period = 2 * (crossing - first) / (crossings - 1);
            if (crossings == 3 && !drop->method->isLiquid) return wb_okStatus;
        }
        last = now, lastTime = nowTime;
    }
    if (looks > 0) swing->left = fabs(sum / looks) / highest;
    return wb_okStatus;
}

static wbStatus push(wbValidateRun *run, Drop *drop, double by, double done, Swing *swing) {
    wbWorld *world;
    wbFluidId fluid;
    setSpeeds(drop, by);
    WB_TRY(wbCreateCaseWorld(run, drop->method->makeWorld(drop->dimensions, drop->radius), wb_solverSph,
                             &world, &fluid));
    wbStatus status = wbFluid_AddParticles(world, fluid, drop->count, drop->places, drop->speeds);
    if (wbIsOk(status)) status = watch(run, drop, world, fluid, done, swing);
    wbDestroyWorld(world);
    return status;
}

// The period of an ellipse, or ellipsoid, that stays one, by its energy; lengths in R, energies in sigma R^(d-1). It swings along
// a = exp(u), and was pushed by v = `by` omega at a = 1.

static double getSurface(int dimensions, double a) {
    enum { slices = 200 };
    double b = dimensions == 3 ? 1 / sqrt(a) : 1 / a, sum = 0;
    for (int k = 0; k < slices; k++) { // along the outline from end to end
        double t = pi * (k + 0.5) / slices, length = sqrt(a * a * sin(t) * sin(t) + b * b * cos(t) * cos(t));
        sum += (dimensions == 3 ? 2 * pi * b * sin(t) : 2) * length * pi / slices;
    }
    return sum;
}

// Twice the kinetic energy over the square of u's rate, in rho R^(d+2).
static double getInertia(int dimensions, double a) {
    return dimensions == 3 ? 4 * pi / 3 * (a * a / 5 + 0.1 / a) : pi / 4 * (a * a + 1 / (a * a));
}

// From the round shape to the turn on one side, in 2 pi / omega. With u = u_m sin s the square root at the turn is smooth.
static double timeQuarter(int dimensions, double omega2, double energy, double side) {
    enum { steps = 200 };
    const double round = getSurface(dimensions, 1);
    double low = 0, high = 2, sum = 0;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (getSurface(dimensions, exp(side * middle)) - round < energy)
            low = middle;
        else
            high = middle;
    }
    for (int k = 0; k < steps; k++) {
        double s = 0.5 * pi * (k + 0.5) / steps, u = low * sin(s), a = exp(side * u);
        double left = energy - (getSurface(dimensions, a) - round);
        sum += sqrt(0.5 * getInertia(dimensions, a) / fmax(left, 1e-12)) * low * cos(s) * 0.5 * pi / steps;
    }
    return sum * sqrt(omega2) / (2 * pi);
}

static double findPeriod(int dimensions, double by) {
    const double omega2 = dimensions == 3 ? 8 : 6;
    const double energy = 0.5 * getInertia(dimensions, 1) * by * by * omega2;
    return 2 * (timeQuarter(dimensions, omega2, energy, 1) + timeQuarter(dimensions, omega2, energy, -1));
}

// A gentle push and a hard one: a liquid swings by both, a pile of particles that holds its shape does not.
static const double pushes[] = {0.1, 0.3};

typedef struct Case {
    const char *periods[2], *rounds[2]; // names of what is reported, by pushes
    int dimensions;
    double radius; // spacings
} Case;

static void report(wbValidateRun *run, const Case *one, const Drop *drop, int k, const Swing *swing) {
    const bool isLiquid = drop->method->isLiquid;
    const double reference = isLiquid ? findPeriod(drop->dimensions, pushes[k]) : 1;
    wbReportQuantity(
        run, (wbQuantity){.quantity = one->periods[k],
                          .unit = "2 pi / omega",
                          .value = swing->period * getOmega(drop) / (2 * pi),
                          .reference = reference,
                          // 15 % of the tension, as for the pressure
                          .tolerance = isLiquid ? 0.05 * reference : 0.075,
                          .source = isLiquid ? "Rayleigh 1879 (2D), Lamb 1932 (3D), by the energy of ellipses"
                                             : "Rayleigh 1879 (2D), Lamb 1932 (3D)"});
    if (isLiquid)
        wbReportQuantity(run, (wbQuantity){.quantity = one->rounds[k],
                                           .unit = "of the highest",
                                           .value = swing->left,
                                           .tolerance = 0.05,
                                           .source = "a drop at rest is round"});
}

static wbStatus swingTwice(wbValidateRun *run, const Case *one, Drop *drop, double done, double share) {
    for (int k = 0; k < 2 && !run->stopped; k++) {
        Swing swing;
        WB_TRY(push(run, drop, pushes[k], done + 0.5 * k * share, &swing));
        if (!run->stopped) report(run, one, drop, k, &swing);
    }
    return wb_okStatus;
}

static wbStatus swingAll(wbValidateRun *run, const Method *method, const Case *cases, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        Drop drop = {.method = method, .dimensions = cases[k].dimensions};
        double done = (double)k / count, share = 1.0 / count;
        wbStatus status = settle(run, cases[k].radius * WB_DROP_SPACING, &drop, done, 0.3 * share);
        if (wbIsOk(status)) status = swingTwice(run, &cases[k], &drop, done + 0.3 * share, 0.7 * share);
        wbFree(NULL, drop.places, getBytes(&drop));
        wbFree(NULL, drop.speeds, getBytes(&drop));
        WB_TRY(status);
    }
    return wb_okStatus;
}

#define CASE(drop, dimensions, radius)                                                                       \
    {                                                                                                        \
        {"period, " drop ", by 10 %", "period, " drop ", by 30 %"},                                          \
            {"stretch left, " drop ", by 10 %", "stretch left, " drop ", by 30 %"}, dimensions, radius       \
    }

wbStatus wbValidateDropSwing(wbValidateRun *run) {
    static const Case cases[] = {CASE("disc of 14 spacings", 2, 14), CASE("disc of 24 spacings", 2, 24),
                                 CASE("ball of 8 spacings", 3, 8), CASE("ball of 12 spacings", 3, 12)};
    return swingAll(run, &cohesion, cases, 4);
}

wbStatus wbValidateDropLiquid(wbValidateRun *run) {
    static const Case cases[] = {CASE("disc of 8 spacings", 2, 8), CASE("disc of 14 spacings", 2, 14)};
    return swingAll(run, &stress, cases, 2);
}

wbStatus wbValidateDropLiquidLarge(wbValidateRun *run) {
    static const Case cases[] = {CASE("disc of 24 spacings", 2, 24), CASE("ball of 6 spacings", 3, 6),
                                 CASE("ball of 8 spacings", 3, 8)};
    return swingAll(run, &stress, cases, 3);
}
