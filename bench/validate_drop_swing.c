// SPDX-License-Identifier: MIT
// Drops that swing between long and flat, the mode n = 2: omega2 = n (n2 - 1) sigma / (rho R3) in 2D, 6 of them (Rayleigh
// 1879), and n (n - 1) (n + 2) sigma / (rho R3) in 3D, 8 of them (Lamb 1932).
#include <math.h>

#include "bench/drop.h"
#include "core/memory.h"
#include "core/status.h"

static const double rest = 4;       // swing times in which the lattice becomes a drop
static const double longest = 12;   // swing times after which a drop that does not swing is given up
static const double damping = 0.02; // Monaghan's alpha while it swings: a hundredth of the period at most

// Particles of a drop at rest, and room for the speeds that set it swinging.
typedef struct Drop {
    int dimensions, count;
    double radius;
    float *places, *speeds; // x, y, z each
} Drop;

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
    WB_TRY(wbCreateCaseWorld(run, wbMakeDropWorld(drop->dimensions, radius), wb_solverSph, &world, &fluid));
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

// From the first to the third time that the stretch is again what it was at rest; infinite if it does not come.
static wbStatus timeSwing(wbValidateRun *run, const Drop *drop, wbWorld *world, wbFluidId fluid, double done,
                          double *period) {
    double start, last = 0, lastTime = 0, first = 0, end = longest * wbGetSwingTime(drop->radius), stretch,
                  time;
    int crossings = 0;
    *period = INFINITY;
    WB_TRY(measureStretch(world, fluid, drop->dimensions, &start));
    while ((time = wbWorld_GetTime(world)) < end && !run->stopped) {
        WB_TRY(wbStepCaseFinely(run, world, done));
        WB_TRY(measureStretch(world, fluid, drop->dimensions, &stretch));
        double now = stretch - start, nowTime = wbWorld_GetTime(world);
        if (last * now < 0) {
            double crossing = lastTime + (nowTime - lastTime) * last / (last - now);
            if (crossings == 0) first = crossing;
            if (++crossings == 3) {
                *period = crossing - first;
                return wb_okStatus;
            }
        }
        last = now, lastTime = nowTime;
    }
    return wb_okStatus;
}

static wbStatus swing(wbValidateRun *run, Drop *drop, double push, double done, double *period) {
    wbWorldDef def = wbMakeDropWorld(drop->dimensions, drop->radius);
    wbWorld *world;
    wbFluidId fluid;
    def.sph.viscosity = 0.001f;
    def.sph.artificialViscosity = (float)damping;
    setSpeeds(drop, push);
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &world, &fluid));
    wbStatus status = wbFluid_AddParticles(world, fluid, drop->count, drop->places, drop->speeds);
    if (wbIsOk(status)) status = timeSwing(run, drop, world, fluid, done, period);
    wbDestroyWorld(world);
    return status;
}

// A gentle push and a hard one: a liquid has one period for both, a pile of particles that holds its shape has not.
static const double pushes[] = {0.1, 0.3};

typedef struct Case {
    const char *quantities[2]; // of the pushes
    int dimensions;
    double radius; // spacings
} Case;

static wbStatus swingTwice(wbValidateRun *run, const Case *one, Drop *drop, double done) {
    for (int k = 0; k < 2 && !run->stopped; k++) {
        double period;
        WB_TRY(swing(run, drop, pushes[k], done, &period));
        if (run->stopped) break;
        wbReportQuantity(run, (wbQuantity){.quantity = one->quantities[k],
                                           .unit = "2 pi / omega",
                                           .value = period * getOmega(drop) / (2 * 3.14159265),
                                           .reference = 1,
                                           .tolerance = 0.075, // 15 % of the tension, as for the pressure
                                           .source = "Rayleigh 1879 (2D), Lamb 1932 (3D)"});
    }
    return wb_okStatus;
}

wbStatus wbValidateDropSwing(wbValidateRun *run) {
    static const Case cases[] = {
        {{"period, disc of 14 spacings, by 10 %", "period, disc of 14 spacings, by 30 %"}, 2, 14},
        {{"period, disc of 24 spacings, by 10 %", "period, disc of 24 spacings, by 30 %"}, 2, 24},
        {{"period, ball of 8 spacings, by 10 %", "period, ball of 8 spacings, by 30 %"}, 3, 8},
        {{"period, ball of 12 spacings, by 10 %", "period, ball of 12 spacings, by 30 %"}, 3, 12}};
    for (int k = 0; k < 4 && !run->stopped; k++) {
        Drop drop = {.dimensions = cases[k].dimensions};
        wbStatus status = settle(run, cases[k].radius * WB_DROP_SPACING, &drop, 0.25 * k, 0.1);
        if (wbIsOk(status)) status = swingTwice(run, &cases[k], &drop, 0.25 * k + 0.1);
        wbFree(NULL, drop.places, getBytes(&drop));
        wbFree(NULL, drop.speeds, getBytes(&drop));
        WB_TRY(status);
    }
    return wb_okStatus;
}
