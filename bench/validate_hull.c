// SPDX-License-Identifier: MIT
// Rigid bodies with walls much thinner than the kernel in water of all methods: how deep a box of planks floats, empty and with water in
// it, that it sinks when it is full, what a plate between two levels bears, and that nothing goes through.
#include <math.h>
#include <stdio.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "shape/pose.h"
#include "wirbel/rigid.h"

static const double gravity = 9.81, density = 1000;                          // m/s2, kg/m3
static const float length = 0.6f, height = 0.3f, width = 0.4f, wall = 0.01f; // m, of the box

typedef struct Tank {
    wbWorld *world;
    wbFluidId water;
    wbRigidBodyId body;
    float spacing;
    wbVec3 size;
    wbCoupleMethod method;
} Tank;

// The name of a quantity by its method; a literal.
#define NAME(tank, what) ((const char *const[])WB_COUPLE_NAMES(what, "3D"))[(tank)->method]

static wbStatus createTank(wbValidateRun *run, Tank *tank) {
    wbWorldDef def = wbDefaultWorldDef();
    def.pbf.spacing = def.sph.spacing = tank->spacing, def.domain.max = tank->size;
    def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    const wbFluidSolver solver = wbChooseCoupleMethod(tank->method, &def);
    return wbCreateCaseWorld(run, def, solver, &tank->world, &tank->water);
}

static wbStatus addBlock(const Tank *tank, wbVec3 min, wbVec3 max) {
    const wbBlockDef block = {.min = min, .max = max};
    return wbFluid_AddBlock(tank->world, tank->water, &block);
}

// A spout stays above the body, which drifts.
static wbStatus followBody(const Tank *tank) {
    wbRigidMotion motion;
    char place[96];
    if (wbWorld_GetEmitterCount(tank->world) == 0) return wb_okStatus;
    WB_TRY(wbRigidBody_GetMotion(tank->world, tank->body, &motion));
    snprintf(place, sizeof place, "%.9g,0.8,%.9g", (double)motion.position.x, (double)motion.position.z);
    return wbWorld_SetParam(tank->world, "spout.position", place);
}

static wbStatus step(wbValidateRun *run, const Tank *tank, double whole) {
    WB_TRY(followBody(tank));
    return wbStepCase(run, tank->world, wbWorld_GetTime(tank->world) / whole);
}

static wbStatus runTo(wbValidateRun *run, const Tank *tank, double end, double whole) {
    while (wbWorld_GetTime(tank->world) < end - 1e-6 && !run->stopped) WB_TRY(step(run, tank, whole));
    return wb_okStatus;
}

static void reportNone(wbValidateRun *run, const char *name, double count) {
    wbReportQuantity(
        run, (wbQuantity){
                 .quantity = name, .unit = "", .value = count, .source = "water does not go through walls"});
}

static void reportLeaks(wbValidateRun *run, const Tank *tank, const char *name) {
    reportNone(run, name, (double)wbWorld_GetStats(tank->world).leaked);
}

// An open box of planks

static wbStatus addBox(Tank *tank, float mass, wbVec3 position) {
    enum { PLANKS = 5 };
    wbRigidPartDef planks[PLANKS];
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    for (int k = 0; k < PLANKS; k++) planks[k] = wbDefaultRigidPartDef(), planks[k].shape = wb_rigidBox;
    planks[0].size = wbMakeVec3(length, wall, width), planks[0].position.y = 0.5f * wall;
    for (int k = 1; k < PLANKS; k++) {
        const float side = k % 2 ? -0.5f : 0.5f;
        const bool isEnd = k < 3;
        planks[k].size = isEnd ? wbMakeVec3(wall, height, width) : wbMakeVec3(length, height, wall);
        planks[k].position =
            wbMakeVec3(isEnd ? side * (length - wall) : 0, 0.5f * height, isEnd ? 0 : side * (width - wall));
    }
    def.name = "box", def.params.shape = wb_rigidCompound, def.parts = planks, def.partCount = PLANKS;
    def.params.mass = mass, def.params.position = position;
    return wbCreateRigidBody(tank->world, &def, &tank->body);
}

static wbStatus getPose(const Tank *tank, wbPose *pose) {
    wbRigidMotion motion;
    WB_TRY(wbRigidBody_GetMotion(tank->world, tank->body, &motion));
    *pose = (wbPose){.position = {motion.position.x, motion.position.y, motion.position.z}};
    for (int k = 0; k < 4; k++) pose->rotation[k] = motion.rotation[k];
    return wb_okStatus;
}

// Of columns two spacings wide, each by its highest particle: in the box, and away from it.
typedef struct Look {
    double level, inner, bottom; // m
    int count;                   // of particles in it
} Look;

enum { MOST_COLUMNS = 64 };
typedef struct Columns {
    float highest[MOST_COLUMNS][MOST_COLUMNS];
} Columns;

static double getMeanHeight(const Columns *columns, double spacing) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < MOST_COLUMNS * MOST_COLUMNS; k++) {
        const float own = columns->highest[k / MOST_COLUMNS][k % MOST_COLUMNS];
        if (own > 0) sum += (double)own + 0.5 * spacing, count++;
    }
    return count > 0 ? sum / count : 0;
}

static wbStatus lookAt(const Tank *tank, Look *look) {
    Columns columns[2] = {0};
    wbView view;
    wbPose pose;
    WB_TRY(wbFluid_GetView(tank->world, tank->water, &view));
    WB_TRY(getPose(tank, &pose));
    *look = (Look){.bottom = pose.position[1]};
    for (int i = 0; i < view.count; i++) {
        const wbVec3 p = wbPose_ApplyInverse(&pose, wbMakeVec3(view.x[i], view.y[i], view.z[i]));
        const float x = fabsf(p.x) - 0.5f * length, z = fabsf(p.z) - 0.5f * width, gap = 2 * tank->spacing;
        const bool isIn = x < -wall && z < -wall && p.y > wall && p.y < height;
        if (!isIn && x < gap && z < gap) continue;
        float *own = &columns[isIn].highest[(int)(view.x[i] / gap)][(int)(view.z[i] / gap)];
        *own = fmaxf(*own, view.y[i]);
        look->count += isIn;
    }
    look->level = getMeanHeight(&columns[0], (double)tank->spacing);
    look->inner = getMeanHeight(&columns[1], (double)tank->spacing);
    return wb_okStatus;
}

// Means over a second, from a time on.
static wbStatus watch(wbValidateRun *run, const Tank *tank, double from, double whole, Look *mean) {
    int looks = 0;
    *mean = (Look){0};
    WB_TRY(runTo(run, tank, from, whole));
    while (wbWorld_GetTime(tank->world) < from + 1 - 1e-6 && !run->stopped) {
        Look look;
        WB_TRY(step(run, tank, whole));
        WB_TRY(lookAt(tank, &look));
        mean->level += look.level, mean->inner += look.inner, mean->bottom += look.bottom, looks++;
        mean->count = look.count;
    }
    if (looks > 0) mean->level /= looks, mean->inner /= looks, mean->bottom /= looks;
    return wb_okStatus;
}

static void reportDraft(wbValidateRun *run, const Tank *tank, const Look *look, const char *name,
                        double mass) {
    wbReportQuantity(run, (wbQuantity){.quantity = name,
                                       .unit = "m",
                                       .value = look->level - look->bottom,
                                       .reference = mass / (density * (double)length * (double)width),
                                       .tolerance = 0.5 * (double)tank->spacing,
                                       .source = "m/(rho0 A), below the level as it stands"});
}

// A spout above the box, until so much water has come from it.
static wbStatus pour(const Tank *tank, double mass) {
    char count[32];
    wbEmitterDef spout = wbDefaultEmitterDef();
    wbEmitterId id;
    snprintf(count, sizeof count, "%d", (int)(mass / wbFluid_GetParticleMass(tank->world, tank->water)));
    if (wbWorld_GetEmitterCount(tank->world) > 0) return wbWorld_SetParam(tank->world, "spout.count", count);
    spout.name = "spout", spout.fluid = tank->water, spout.params.radius = 0.08f;
    spout.params.position = wbMakeVec3(0.7f, 0.8f, 0.6f), spout.params.direction = wbMakeVec3(0, -1, 0);
    WB_TRY(wbCreateEmitter(tank->world, &spout, &id));
    return wbWorld_SetParam(tank->world, "spout.count", count);
}

static wbStatus floatBox(wbValidateRun *run, Tank *tank) {
    const double mass = 28.8, poured = 14.4, whole = 12; // kg: 0.12 m deep, then 0.18 m
    Look empty, half;
    WB_TRY(addBox(tank, (float)mass, wbMakeVec3(0.7f, 0.4f, 0.6f)));
    WB_TRY(addBlock(tank, wbMakeVec3(0, 0, 0), wbMakeVec3(1.4f, 0.4f, 1.2f)));
    WB_TRY(watch(run, tank, 3, whole, &empty));
    reportDraft(run, tank, &empty, NAME(tank, "draft of an empty box of planks"), mass);
    reportNone(run, NAME(tank, "particles in it"), empty.count);
    WB_TRY(pour(tank, poured));
    WB_TRY(watch(run, tank, 7, whole, &half));
    reportDraft(run, tank, &half, NAME(tank, "draft with half its weight of water in it"), mass + poured);
    const double inner = poured / (density * (double)(length - 2 * wall) * (double)(width - 2 * wall));
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(tank, "depth of that"),
                                       .unit = "m",
                                       .value = half.inner - half.bottom - (double)wall,
                                       .reference = inner,
                                       .tolerance = 0.5 * (double)tank->spacing,
                                       .source = "m/(rho0 A)"});
    WB_TRY(pour(tank, 4 * poured));
    WB_TRY(watch(run, tank, whole - 1, whole, &half));
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(tank, "depth of its ground, when it is full"),
                                       .unit = "m",
                                       .value = half.level - half.bottom,
                                       .reference = half.level,
                                       .tolerance = (double)tank->spacing,
                                       .source = "it sinks"});
    reportLeaks(run, tank, NAME(tank, "through the box"));
    return wb_okStatus;
}

// A box full of water, under water: held by its inertia, it bears what its walls displace, and not what is in it.
static wbStatus drownBox(wbValidateRun *run, Tank *tank) {
    const double walls = (double)wall * (double)(length * width + 2 * height * width + 2 * height * length),
                 content = density * gravity * (double)(length * height * width);
    const double faces = 2 * walls / (double)wall; // m2
    double given = 0;
    WB_TRY(addBox(tank, 1e7f, wbMakeVec3(0.5f, 0.15f, 0.4f)));
    WB_TRY(wbWorld_SetParam(tank->world, "box.gravityScale", "0"));
    WB_TRY(addBlock(tank, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0.6f, 0.8f)));
    WB_TRY(runTo(run, tank, 2, 3));
    const double start = wbWorld_GetTime(tank->world);
    while (wbWorld_GetTime(tank->world) < start + 1 - 1e-6 && !run->stopped) {
        WB_TRY(wbStepCase(run, tank->world, wbWorld_GetTime(tank->world) / 3));
        given += wbWorld_GetStats(tank->world).waterRigid[1];
    }
    wbReportQuantity(
        run, (wbQuantity){.quantity = NAME(tank, "lift of a box under water and full of it"),
                          .unit = "weight of its content",
                          .value = given / content,
                          .reference = density * gravity * walls / content,
                          .tolerance = 0.1 * (double)tank->spacing * faces * density * gravity / content,
                          .source = "its walls alone displace water, to a tenth of a spacing"});
    return wb_okStatus;
}

// Plates across a tank: one that stands reaches beyond its sides; one that is held by its inertia keeps away from them by a millimetre, for
// they would push it

static wbStatus addPlate(Tank *tank, bool stands) {
    const float more = stands ? 0.1f : -0.002f;
    wbRigidBodyDef def = wbDefaultRigidBodyDef();
    def.name = "plate";
    def.params.size = wbMakeVec3(0.1f * tank->spacing, tank->size.y + more, tank->size.z + more);
    def.params.type = stands ? wb_rigidStatic : wb_rigidDynamic;
    def.params.mass = 1e7f, def.params.gravityScale = 0, def.params.position = wbScale(0.5f, tank->size);
    return wbCreateRigidBody(tank->world, &def, &tank->body);
}

// What is before it.
typedef struct Sides {
    int64_t count; // of ids
    double mass;   // kg
} Sides;

// Water to two heights before and behind it.
static wbStatus addSides(const Tank *tank, float left, float right, Sides *sides) {
    const float middle = 0.5f * tank->size.x;
    WB_TRY(addBlock(tank, wbMakeVec3(0, 0, 0), wbMakeVec3(middle, left, tank->size.z)));
    sides->count = wbFluid_GetParticleCount(tank->world, tank->water);
    sides->mass = (double)sides->count * wbFluid_GetParticleMass(tank->world, tank->water);
    return addBlock(tank, wbMakeVec3(middle, 0, 0), wbMakeVec3(tank->size.x, right, tank->size.z));
}

// By their ids; where particles merge and split, by how much mass is before it, over that of a particle.
static wbStatus reportCrossed(wbValidateRun *run, const Tank *tank, const Sides *sides, const char *name) {
    wbView view;
    int64_t crossed = 0;
    double mass = 0;
    const double one = wbFluid_GetParticleMass(tank->world, tank->water);
    WB_TRY(wbFluid_GetView(tank->world, tank->water, &view));
    for (int i = 0; i < view.count; i++) {
        const bool isBefore = view.x[i] < 0.5f * tank->size.x;
        crossed += (view.id[i] < (uint32_t)sides->count) != isBefore;
        if (isBefore) mass += view.mass ? view.mass[i] : one;
    }
    const bool isSized = tank->method == wb_coupleLevels;
    reportNone(run, name, isSized ? round(fabs(mass - sides->mass) / one) : (double)crossed);
    return wb_okStatus;
}

static wbStatus findLevel(const Tank *tank, bool isRight, double *level) {
    Columns columns = {0};
    wbView view;
    WB_TRY(wbFluid_GetView(tank->world, tank->water, &view));
    for (int i = 0; i < view.count; i++) {
        const float away = view.x[i] - 0.5f * tank->size.x, gap = 2 * tank->spacing;
        if ((away > 0) != isRight || fabsf(away) < gap) continue;
        float *own = &columns.highest[(int)(view.x[i] / gap)][(int)(view.z[i] / gap)];
        *own = fmaxf(*own, view.y[i]);
    }
    *level = getMeanHeight(&columns, (double)tank->spacing);
    return wb_okStatus;
}

static wbStatus pressPlate(wbValidateRun *run, Tank *tank) {
    const wbVec3 size = tank->size;
    double given = 0, right = 0, left, low;
    int looks = 0;
    Sides sides;
    WB_TRY(addPlate(tank, false));
    WB_TRY(addSides(tank, 0.4f, 0.2f, &sides));
    WB_TRY(runTo(run, tank, 2, 3));
    const double start = wbWorld_GetTime(tank->world);
    while (wbWorld_GetTime(tank->world) < start + 1 - 1e-6 && !run->stopped) {
        WB_TRY(wbStepCase(run, tank->world, wbWorld_GetTime(tank->world) / 3));
        given += wbWorld_GetStats(tank->world).waterRigid[0];
        WB_TRY(findLevel(tank, false, &left));
        WB_TRY(findLevel(tank, true, &low));
        right += 0.5 * density * gravity * (double)size.z * (left * left - low * low), looks++;
    }
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(tank, "force on a thin plate between two levels"),
                                       .unit = "N",
                                       .value = given,
                                       .reference = right / looks,
                                       .tolerance = 0.05 * right / looks,
                                       .source = "rho0 g w (h1^2 - h2^2)/2 by the levels as they stand"});
    return reportCrossed(run, tank, &sides, NAME(tank, "through the plate"));
}

// A box that swings, shut by a plate of a tenth of a spacing: water stays on its side of it.
static wbStatus stirBox(wbValidateRun *run, Tank *tank) {
    const double seconds = 5;
    Sides sides;
    WB_TRY(addPlate(tank, true));
    WB_TRY(addSides(tank, 0.7f * tank->size.y, 0.3f * tank->size.y, &sides));
    while (wbWorld_GetTime(tank->world) < seconds - 1e-6 && !run->stopped) {
        const double t = wbWorld_GetTime(tank->world), angle = 1.2 * sin(6.2831853 * 1.1 * t);
        char swung[96];
        snprintf(swung, sizeof swung, "%.9g,%.9g,%.9g", gravity * sin(angle), -gravity * cos(angle),
                 0.5 * gravity * sin(4.1 * t));
        WB_TRY(wbWorld_SetParam(tank->world, "world.gravity", swung));
        WB_TRY(wbStepCase(run, tank->world, t / seconds));
    }
    return reportCrossed(run, tank, &sides,
                         NAME(tank, "through a plate of a tenth of a spacing in a box that swings"));
}

wbStatus wbValidateCoupleHull(wbValidateRun *run) {
    enum { TRIALS = 4 };
    static const struct {
        wbStatus (*run)(wbValidateRun *run, Tank *tank);
        float spacing;
        wbVec3 size;
    } trials[TRIALS] = {{floatBox, 0.04f, {1.4f, 1.2f, 1.2f}},
                        {drownBox, 0.04f, {1, 0.8f, 0.8f}},
                        {pressPlate, 0.02f, {0.8f, 0.7f, 0.2f}},
                        {stirBox, 0.04f, {0.8f, 0.5f, 0.4f}}};
    for (int k = 0; k < wb_coupleMethodCount * TRIALS && !run->stopped; k++) {
        const int trial = k % TRIALS;
        Tank tank = {.method = k / TRIALS, .spacing = trials[trial].spacing, .size = trials[trial].size};
        if (tank.method == wb_coupleThesis) continue; // it feels them by points
        wbStatus status = createTank(run, &tank);
        if (wbIsOk(status)) status = trials[trial].run(run, &tank);
        wbDestroyWorld(tank.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}
