// SPDX-License-Identifier: MIT
// A disc that is held under water in the plane, until the water is still, is let go: the water that it accelerates along decides how fast
// it rises.
#include <math.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double radius = 0.1, spacing = 0.02, gravity = 9.81;
// 1/s: position based water is as stiff as its steps are short, so that these stay the same.
enum { rate = 240, stillSteps = 3 * rate };
// Mass of that water over the displaced one's, in a tank that is as wide as ten radii: between walls it is more than 1.
static const double addedShare = 1.10;

typedef struct Rise {
    wbWorld *world;
    wbRigidBodyId disc;
    double relative; // density
} Rise;

static wbStatus create(wbValidateRun *run, wbCoupleMethod method, Rise *rise) {
    wbWorldDef def = wbDefaultWorldDef();
    wbRigidBodyDef disc = wbDefaultRigidBodyDef();
    wbFluidId water;
    const double width = 10 * radius, depth = 8 * radius;
    def.params.dimensions = 2, def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    def.sph.spacing = def.pbf.spacing = (float)spacing;
    def.domain.max = wbMakeVec3((float)width, (float)(2 * depth), 0);
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, &rise->world, &water));
    disc.name = "disc", disc.params.shape = wb_rigidSphere, disc.params.radius = (float)radius;
    disc.params.density = (float)(1000 * rise->relative), disc.params.type = wb_rigidStatic;
    disc.params.position = wbMakeVec3((float)(0.5 * width), (float)(0.5 * depth), 0);
    WB_TRY(wbCreateRigidBody(rise->world, &disc, &rise->disc));
    WB_TRY(wbWorld_SetFrameRate(rise->world, rate));
    const wbBlockDef block = {.max = {(float)width, (float)depth, 0}};
    return wbFluid_AddBlock(rise->world, water, &block);
}

static wbStatus getHeight(const Rise *rise, double *height) {
    wbRigidMotion motion;
    WB_TRY(wbRigidBody_GetMotion(rise->world, rise->disc, &motion));
    *height = motion.centre.y;
    return wb_okStatus;
}

// m/s2: the mean while it rises by a sixteenth of its radius; 0 if it does not.
static wbStatus letGo(const Rise *rise, double *acceleration) {
    const double way = radius / 16;
    double start, before, now;
    WB_TRY(wbRigidBody_SetType(rise->world, rise->disc, wb_rigidDynamic));
    WB_TRY(getHeight(rise, &start));
    before = now = start, *acceleration = 0;
    for (int k = 0; k < rate; k++) {
        WB_TRY(wbWorld_Step(rise->world, 0));
        WB_TRY(getHeight(rise, &now));
        if (now - start >= way) {
            const double time = (k + (start + way - before) / (now - before)) / rate;
            *acceleration = 2 * way / (time * time);
            return wb_okStatus;
        }
        before = now;
    }
    return wb_okStatus;
}

static wbStatus runRise(wbValidateRun *run, wbCoupleMethod method, Rise *rise, double *acceleration) {
    WB_TRY(create(run, method, rise));
    for (int k = 0; k < stillSteps && !run->stopped; k++)
        WB_TRY(wbStepCase(run, rise->world, (double)k / stillSteps));
    return letGo(rise, acceleration);
}

wbStatus wbValidateCoupleRise(wbValidateRun *run) {
    static const struct {
        double relative;
        const char *names[wb_coupleMethodCount];
    } discs[] = {{0.5, WB_COUPLE_NAMES("acceleration", "0.5")},
                 {0.1, WB_COUPLE_NAMES("acceleration", "0.1")}};
    for (int k = 0; k < 2 * wb_coupleMethodCount && !run->stopped; k++) {
        Rise rise = {.relative = discs[k % 2].relative};
        double acceleration = 0;
        wbStatus status = runRise(run, k / 2, &rise, &acceleration);
        const double reference = (1 - rise.relative) / (rise.relative + addedShare);
        if (wbIsOk(status) && !run->stopped)
            wbReportQuantity(run, (wbQuantity){.quantity = discs[k % 2].names[k / 2],
                                               .unit = "g",
                                               .value = acceleration / gravity,
                                               .reference = reference,
                                               .tolerance = 0.15 * reference,
                                               .source = "(1 - s) / (s + C), added mass"});
        wbDestroyWorld(rise.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}
