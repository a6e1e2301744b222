// SPDX-License-Identifier: MIT
// A fluid and a rigid body: without sides and gravity they keep their momentum together, with what is in transit between them.
#include <math.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"
#include "world/world.h"

enum { steps = 1000 };
static const double side = 0.2, density = 400; // m, kg/m3, of the box

typedef struct Sums {
    double linear[3], angular[3]; // kg m/s; kg m2/s about the origin
    double size, turn;            // the sums of m |v| and of m |x| |v|
} Sums;

typedef struct Couple {
    wbCoupleMethod method;
    int dimensions;
    wbWorld *world;
    wbFluidId fluid;
    wbRigidBodyId box;
    double mass, inertia; // kg, kg m2: of a cube, alike about all axes
} Couple;

static void addMoment(Sums *sums, double mass, const double x[3], const double v[3]) {
    double x2 = 0, v2 = 0;
    for (int a = 0; a < 3; a++) {
        const int u = (a + 1) % 3, w = (a + 2) % 3;
        sums->linear[a] += mass * v[a];
        sums->angular[a] += mass * (x[u] * v[w] - x[w] * v[u]);
        x2 += x[a] * x[a], v2 += v[a] * v[a];
    }
    sums->size += mass * sqrt(v2), sums->turn += mass * sqrt(x2 * v2);
}

static wbStatus sumAll(const Couple *c, Sums *sums) {
    wbView view;
    WB_TRY(wbFluid_GetView(c->world, c->fluid, &view));
    const double mass = wbFluid_GetParticleMass(c->world, c->fluid);
    *sums = (Sums){0};
    for (int i = 0; i < view.count; i++) {
        const double x[3] = {view.x[i], view.y[i], view.z[i]}, v[3] = {view.vx[i], view.vy[i], view.vz[i]};
        addMoment(sums, view.mass ? view.mass[i] : mass, x, v);
    }
    wbRigidMotion box;
    WB_TRY(wbRigidBody_GetMotion(c->world, c->box, &box));
    const double x[3] = {box.centre.x, box.centre.y, box.centre.z},
                 v[3] = {box.velocity.x, box.velocity.y, box.velocity.z},
                 spin[3] = {box.spin.x, box.spin.y, box.spin.z};
    const wbStats stats = wbWorld_GetStats(c->world);
    addMoment(sums, c->mass, x, v);
    for (int a = 0; a < 3; a++) sums->angular[a] += c->inertia * spin[a], sums->linear[a] += stats.transit[a];
    return wb_okStatus;
}

// A block that meets the box off its middle, so that it turns; and drops ahead, which nothing but continuous collision stops.
static wbStatus addWater(const Couple *c) {
    const float depth = c->dimensions == 3 ? 0.1f : 0;
    const wbBlockDef block = {
        .min = {-0.4f, -0.1f, -depth}, .max = {-0.2f, 0.1f, depth}, .velocity = {3, 0, 0}};
    WB_TRY(wbFluid_AddBlock(c->world, c->fluid, &block));
    for (int k = 0; k < 3; k++) {
        const float x[3] = {-0.16f, -0.02f + 0.07f * (float)k, 0}, v[3] = {30, 0, 0};
        WB_TRY(wbFluid_AddParticles(c->world, c->fluid, 1, x, v));
    }
    return wb_okStatus;
}

static wbStatus create(wbValidateRun *run, Couple *c) {
    wbWorldDef def = wbDefaultWorldDef();
    wbRigidBodyDef box = wbDefaultRigidBodyDef();
    def.params.dimensions = c->dimensions, def.params.gravity = wbMakeVec3(0, 0, 0);
    def.params.dt = 2.5e-4f;
    def.sph.spacing = def.pbf.spacing = 0.025f, def.sph.soundSpeed = 30;
    def.sph.viscosity = 0, def.pbf.viscosity = 0, def.pbf.subSteps = 1;
    const wbFluidSolver solver = wbChooseCoupleMethod(c->method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, &c->world, &c->fluid));
    box.name = "box", box.params.position = wbMakeVec3(0, 0.06f, 0), box.params.density = (float)density;
    box.params.size = wbMakeVec3((float)side, (float)side, (float)side);
    WB_TRY(wbCreateRigidBody(c->world, &box, &c->box));
    c->mass = density * side * side * (c->dimensions == 3 ? side : 1);
    c->inertia = c->mass * side * side / 6;
    return addWater(c);
}

static wbStatus runCouple(wbValidateRun *run, Couple *c, Sums *start, Sums *end) {
    WB_TRY(create(run, c));
    WB_TRY(sumAll(c, start));
    for (int k = 0; k < steps && !run->stopped; k++) WB_TRY(wbStepCase(run, c->world, (double)k / steps));
    return sumAll(c, end);
}

static double getDistance(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void report(wbValidateRun *run, const Couple *c, const Sums *start, const Sums *end,
                   const char *const names[3]) {
    wbReportQuantity(run, (wbQuantity){.quantity = names[0],
                                       .unit = "sum m abs(v)",
                                       .value = getDistance(start->linear, end->linear) / start->size,
                                       .tolerance = 1e-5,
                                       .source = "sum m v is constant"});
    wbReportQuantity(run, (wbQuantity){.quantity = names[1],
                                       .unit = "sum m x v",
                                       .value = getDistance(start->angular, end->angular) / end->turn,
                                       .tolerance = 1e-3,
                                       .source = "sum m x cross v is constant"});
    wbReportQuantity(run, (wbQuantity){.quantity = names[2],
                                       .unit = "",
                                       .value = (double)wbCountCollisions(c->world).caught,
                                       .reference = 3,
                                       .judgement = wb_atLeast,
                                       .source = "as many drops"});
}

wbStatus wbValidateCouple(wbValidateRun *run) {
    static const char *const names[2][3][wb_coupleMethodCount] = {
        {WB_COUPLE_NAMES("momentum drift", "2D"), WB_COUPLE_NAMES("angular", "2D"),
         WB_COUPLE_NAMES("caught drops", "2D")},
        {WB_COUPLE_NAMES("momentum drift", "3D"), WB_COUPLE_NAMES("angular", "3D"),
         WB_COUPLE_NAMES("caught drops", "3D")}};
    for (int k = 0; k < 2 * wb_coupleMethodCount && !run->stopped; k++) {
        Couple couple = {.method = k / 2, .dimensions = 2 + k % 2};
        const char *const(*own)[wb_coupleMethodCount] = names[k % 2];
        Sums start, end;
        wbStatus status = runCouple(run, &couple, &start, &end);
        if (wbIsOk(status) && !run->stopped)
            report(run, &couple, &start, &end,
                   (const char *const[3]){own[0][k / 2], own[1][k / 2], own[2][k / 2]});
        wbDestroyWorld(couple.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}
