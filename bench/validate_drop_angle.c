// SPDX-License-Identifier: MIT
// Half a drop on a plate that slips, without gravity, becomes the cap of a circle, or a ball, that meets the side at the contact angle.
#include <math.h>

#include "bench/drop.h"
#include "core/status.h"

static const double pi = 3.14159265358979;

// A cap of a disc or ball of radius 1: volume, height, greatest width, and the means of y and x2 in it.
typedef struct Cap {
    double volume, height, width, y, x2;
} Cap;

static Cap makeCap(int dimensions, double angle) {
    enum { slices = 1000 };
    Cap cap = {.height = 1 - cos(angle), .width = 2 * (angle < pi / 2 ? sin(angle) : 1)};
    for (int k = 0; k < slices; k++) {
        double y = (k + 0.5) / slices * cap.height, from = y + cos(angle), half2 = 1 - from * from;
        double slice = (dimensions == 3 ? pi * half2 : 2 * sqrt(half2)) * cap.height / slices;
        cap.volume += slice, cap.y += slice * y, cap.x2 += slice * half2 / (dimensions == 3 ? 4 : 3);
    }
    cap.y /= cap.volume, cap.x2 /= cap.volume;
    return cap;
}

// The same of the volume of the particles.
static Cap makeDrop(int dimensions, double angle, double volume) {
    Cap cap = makeCap(dimensions, angle);
    double size = pow(volume / cap.volume, 1.0 / dimensions);
    return (Cap){volume, size * cap.height, size * cap.width, size * cap.y, size * size * cap.x2};
}

typedef struct Drop {
    const char *height, *width; // names of what is reported
    int dimensions;
    double angle, radius; // degrees, spacings
} Drop;

static wbWorldDef makeWorld(const Drop *drop) {
    const double radius = drop->radius * WB_DROP_SPACING;
    wbWorldDef def = wbMakeLiquidDropWorld(drop->dimensions, radius);
    def.sph.contactAngle = (float)drop->angle;
    def.sph.viscosity = (float)(0.15 * sqrt(WB_DROP_DENSITY * WB_DROP_TENSION * radius));
    return def;
}

static wbStatus addHalf(const Drop *drop, wbWorld *world, wbFluidId fluid) {
    const int reach = (int)ceil(drop->radius), depth = drop->dimensions == 3 ? reach : 0;
    for (int z = -depth; z <= depth; z++)
        for (int y = 0; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double at[3] = {x + 0.5, y + 0.5, depth > 0 ? z + 0.5 : 0};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > drop->radius * drop->radius) continue;
                const float place[3] = {(float)(at[0] * WB_DROP_SPACING), (float)(at[1] * WB_DROP_SPACING),
                                        (float)(at[2] * WB_DROP_SPACING)};
                WB_TRY(wbFluid_AddParticles(world, fluid, 1, place, NULL));
            }
    return wb_okStatus;
}

// Its top is y = 0.
static wbStatus addPlate(const Drop *drop, wbWorld *world) {
    const float wide = (float)(8 * drop->radius * WB_DROP_SPACING), thick = (float)(8 * WB_DROP_SPACING);
    wbColliderDef plate = wbDefaultColliderDef();
    wbColliderId id;
    plate.name = "plate";
    plate.params.size = wbMakeVec3(wide, thick, wide);
    plate.params.position = wbMakeVec3(0, -0.5f * thick, 0);
    return wbCreateCollider(world, &plate, &id);
}

// Means of y and x2 over the last fifth of ten swings, by which the cap comes to rest.
static wbStatus rest(wbValidateRun *run, const Drop *drop, wbWorld *world, wbFluidId fluid, double done,
                     double share, Cap *found) {
    const double end = 10 * wbGetSwingTime(drop->radius * WB_DROP_SPACING);
    int looks = 0;
    double time;
    while ((time = wbWorld_GetTime(world)) < end && !run->stopped) {
        WB_TRY(wbStepCaseFinely(run, world, done + share * time / end));
        if (time < 0.8 * end) continue;
        wbView view;
        double x = 0, y = 0, x2 = 0;
        WB_TRY(wbFluid_GetView(world, fluid, &view));
        for (int i = 0; i < view.count; i++) {
            double at = view.x[i * view.stride];
            x += at / view.count, x2 += at * at / view.count,
                y += view.y[i * view.stride] / (double)view.count;
        }
        found->y += y, found->x2 += x2 - x * x, looks++;
    }
    found->y /= looks, found->x2 /= looks;
    return wb_okStatus;
}

// The cap of this volume that has this mean height, or spread.
static Cap findCap(const Drop *drop, double volume, double wanted, bool byWidth) {
    double low = 0.1, high = 3.1;
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (low + high);
        Cap cap = makeDrop(drop->dimensions, middle, volume);
        bool isHigher = byWidth ? cap.x2 < wanted : cap.y > wanted;
        *(isHigher ? &high : &low) = middle;
    }
    return makeDrop(drop->dimensions, low, volume);
}

static wbStatus wet(wbValidateRun *run, const Drop *drop, double done, double share) {
    wbWorld *world;
    wbFluidId fluid;
    Cap found = {0};
    WB_TRY(wbCreateCaseWorld(run, makeWorld(drop), wb_solverSph, &world, &fluid));
    wbStatus status = addPlate(drop, world);
    if (wbIsOk(status)) status = addHalf(drop, world, fluid);
    if (wbIsOk(status)) status = rest(run, drop, world, fluid, done, share, &found);
    const double volume =
        wbFluid_GetParticleCount(world, fluid) * wbFluid_GetParticleMass(world, fluid) / WB_DROP_DENSITY;
    wbDestroyWorld(world);
    if (!wbIsOk(status) || run->stopped) return status;
    const Cap asked = makeDrop(drop->dimensions, pi / 180 * drop->angle, volume);
    wbReportQuantity(run, (wbQuantity){.quantity = drop->height,
                                       .unit = "of the cap's",
                                       .value = findCap(drop, volume, found.y, false).height / asked.height,
                                       .reference = 1,
                                       .tolerance = 0.05,
                                       .source = "Young: a cap of this angle and volume"});
    wbReportQuantity(run, (wbQuantity){.quantity = drop->width,
                                       .unit = "of the cap's",
                                       .value = findCap(drop, volume, found.x2, true).width / asked.width,
                                       .reference = 1,
                                       .tolerance = 0.05,
                                       .source = "Young: a cap of this angle and volume"});
    return wb_okStatus;
}

static wbStatus wetAll(wbValidateRun *run, const Drop *drops, int count) {
    for (int k = 0; k < count && !run->stopped; k++)
        WB_TRY(wet(run, &drops[k], (double)k / count, 1.0 / count));
    return wb_okStatus;
}

#define DROP(what, dimensions, angle, radius)                                                                \
    { "height, " what, "width, " what, dimensions, angle, radius }

wbStatus wbValidateDropAngle(wbValidateRun *run) {
    static const Drop drops[] = {DROP("disc of 16 spacings at 60 degrees", 2, 60, 16),
                                 DROP("disc of 16 spacings at 90 degrees", 2, 90, 16),
                                 DROP("disc of 16 spacings at 120 degrees", 2, 120, 16)};
    return wetAll(run, drops, 3);
}

wbStatus wbValidateDropAngleLarge(wbValidateRun *run) {
    static const Drop drops[] = {DROP("disc of 30 spacings at 60 degrees", 2, 60, 30),
                                 DROP("disc of 30 spacings at 120 degrees", 2, 120, 30),
                                 DROP("ball of 10 spacings at 60 degrees", 3, 60, 10)};
    return wetAll(run, drops, 3);
}
