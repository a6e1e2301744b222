// SPDX-License-Identifier: MIT
// What cloth and soft bodies bear: an open bag that a hose fills with position based water, and a block of springs under a column of each method.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"

static const double gravity = 9.81, density = 1000; // m/s2, kg/m3

typedef struct Loaded {
    wbWorld *world;
    wbFluidId water;
    wbSoftBodyId soft;
    wbCoupleMethod method;
} Loaded;

static wbWorldDef makeDef(wbVec3 min, wbVec3 max) {
    wbWorldDef def = wbDefaultWorldDef();
    def.pbf.spacing = def.sph.spacing = 0.03f, def.pbd.method = wb_methodXpbd, def.pbd.subSteps = 20;
    def.domain.min = min, def.domain.max = max;
    return def;
}

// An open bag: half a ball of cloth that hangs by its rim, is filled by a hose, and swung

enum { AROUND = 36, ROWS = 11, MOST_DROPS = 1 << 13 };

static wbStatus addBag(Loaded *bag, double radius) {
    float places[3 * (AROUND * ROWS + 1)];
    uint32_t indices[3 * 2 * AROUND * ROWS];
    int pins[AROUND];
    const uint32_t tip = AROUND * ROWS;
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    size_t count = 0;
    for (int d = 0; d < ROWS; d++)
        for (int a = 0; a < AROUND; a++) {
            const double polar = 0.5 * 3.14159265 * d / ROWS, turn = 6.2831853 * (a + 0.5 * (d % 2)) / AROUND;
            float *p = places + 3 * (size_t)(d * AROUND + a);
            p[0] = (float)(radius * cos(polar) * cos(turn)), p[1] = (float)(-radius * sin(polar));
            p[2] = (float)(radius * cos(polar) * sin(turn));
        }
    places[3 * tip] = places[3 * tip + 2] = 0, places[3 * tip + 1] = (float)-radius;
    for (int d = 0; d < ROWS; d++)
        for (int a = 0; a < AROUND; a++) {
            const uint32_t own = (uint32_t)(d * AROUND + a),
                           beside = (uint32_t)(d * AROUND + (a + 1) % AROUND),
                           row = (uint32_t)((d + 1) * AROUND), after = row + (uint32_t)((a + d % 2) % AROUND),
                           before = row + (uint32_t)((a + d % 2 + AROUND - 1) % AROUND);
            const uint32_t both[6] = {own, beside, after, own, after, before}, last[3] = {own, beside, tip};
            if (d + 1 < ROWS) memcpy(indices + count, both, sizeof both), count += 6;
            if (d + 1 == ROWS) memcpy(indices + count, last, sizeof last), count += 3;
        }
    for (int a = 0; a < AROUND; a++) pins[a] = a;
    const wbMesh mesh = {AROUND * ROWS + 1, (int)(count / 3), places, indices};
    def.name = "bag", def.params.shape = wb_softBodyMeshSurface, def.mesh = &mesh;
    def.params.mass = 0.1f, def.params.bending = wb_bendingNone, def.params.selfContact = true;
    def.pins = pins, def.pinCount = AROUND;
    return wbCreateSoftBody(bag->world, &def, &bag->soft);
}

static wbStatus addHose(const Loaded *bag) {
    wbEmitterDef hose = wbDefaultEmitterDef();
    wbEmitterId id;
    hose.name = "hose", hose.fluid = bag->water;
    hose.params.position = wbMakeVec3(0.04f, 0.2f, 0), hose.params.direction = wbMakeVec3(0, -1, 0);
    hose.params.radius = 0.06f, hose.params.velocity = 1.2f, hose.params.end = 1.8f;
    return wbCreateEmitter(bag->world, &hose, &id);
}

// Where a particle was seen last: what left the bag over its rim was above it first.
typedef enum Place { wb_dropAbove, wb_dropWithin, wb_dropSpilled, wb_dropLeaked } Place;

typedef struct Count {
    uint8_t places[MOST_DROPS]; // Place, by id
    int within, spilled, leaked;
} Count;

static wbStatus lookAt(const Loaded *bag, double radius, Count *count) {
    wbView view;
    int outside = 0;
    WB_TRY(wbFluid_GetView(bag->world, bag->water, &view));
    for (int i = 0; i < view.count; i++) {
        const double x = view.x[i], y = view.y[i], z = view.z[i], far = sqrt(x * x + y * y + z * z);
        uint8_t *place = &count->places[view.id[i] % MOST_DROPS];
        const bool isOut = y < 0 && far > 1.25 * radius;
        if (*place == wb_dropAbove && y < -0.03 && far < 0.9 * radius) *place = wb_dropWithin;
        if (*place == wb_dropWithin && y > 0) *place = wb_dropAbove;
        if (isOut && *place == wb_dropAbove) *place = wb_dropSpilled, count->spilled++;
        if (isOut && *place == wb_dropWithin) *place = wb_dropLeaked, count->leaked++;
        outside += *place == wb_dropSpilled || *place == wb_dropLeaked;
    }
    count->within = view.count - outside; // what fell out of the domain is not in view any more
    return wb_okStatus;
}

static wbStatus fillAndSwing(wbValidateRun *run, Loaded *bag, double radius) {
    const double seconds = 60, drop = density * pow(0.03, 3);
    double given = 0, weight = 0;
    Count count = {.within = 0};
    WB_TRY(addBag(bag, radius));
    WB_TRY(addHose(bag));
    while (wbWorld_GetTime(bag->world) < seconds - 1e-6 && !run->stopped) {
        const double t = wbWorld_GetTime(bag->world), swing = t < 4 ? 0 : 0.08 * sin(6.2831853 * 0.7 * t);
        char swung[96];
        snprintf(swung, sizeof swung, "%.9g,%.9g,%.9g", gravity * sin(swing), -gravity * cos(swing), 0.0);
        WB_TRY(wbWorld_SetParam(bag->world, "world.gravity", swung));
        WB_TRY(wbStepCase(run, bag->world, t / seconds));
        WB_TRY(lookAt(bag, radius, &count));
        if (t < 5) continue;
        given -= wbWorld_GetStats(bag->world).waterSoft[1];
        weight += count.within * drop * gravity * cos(swing) * (wbWorld_GetTime(bag->world) - t);
    }
    wbReportQuantity(run, (wbQuantity){.quantity = "through the cloth of an open bag that swings",
                                       .unit = "",
                                       .value = count.leaked,
                                       .source = "water does not go through cloth"});
    wbReportQuantity(run, (wbQuantity){.quantity = "spilled over its rim, of what was poured",
                                       .unit = "",
                                       .value = count.spilled / fmax(count.within + count.spilled, 1),
                                       .tolerance = 0.1,
                                       .source = "counted apart: seen above the rim before outside"});
    wbReportQuantity(run, (wbQuantity){.quantity = "weight borne by the bag, of the water in it",
                                       .unit = "",
                                       .value = given / weight,
                                       .reference = 1,
                                       .tolerance = 0.02,
                                       .source = "in the mean over 55 s, without what spilled over the rim"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleOpenBag(wbValidateRun *run) {
    wbWorldDef def = makeDef(wbMakeVec3(-1, -3, -1), wbMakeVec3(1, 1, 1));
    Loaded bag = {0};
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
    wbStatus status = wbCreateCaseWorld(run, def, wb_solverPbf, &bag.world, &bag.water);
    if (wbIsOk(status)) status = fillAndSwing(run, &bag, 0.3);
    wbDestroyWorld(bag.world);
    return status;
}

// A block of springs of known compliance under a column of water: two layers of particles, of which the lower one is held. Those
// above each stand on a spring of their own, so the mean of how far they sink is the load over the sum of springs. Softer ones buckle

enum { SPRINGS = 11 };
static const float pitch = 0.03f; // m

static wbStatus addSprings(Loaded *load) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbView view;
    def.name = "block", def.params.shape = wb_softBodyGrid, def.params.spacing = pitch;
    def.params.counts = wbMakeVec3(SPRINGS, 2, SPRINGS), def.params.position = wbMakeVec3(0, 0.5f * pitch, 0);
    def.params.constraints = wb_linksDecimated, def.params.maxDistance = 1.1f * pitch, def.params.mass = 5;
    WB_TRY(wbCreateSoftBody(load->world, &def, &load->soft));
    WB_TRY(wbSoftBody_GetView(load->world, load->soft, &view));
    for (int i = 0; i < view.count; i++)
        if (view.y[i] < 0.5f * pitch) WB_TRY(wbSoftBody_Pin(load->world, load->soft, i, true));
    return wb_okStatus;
}

// m, the mean of the upper layer over two seconds.
static wbStatus findTop(wbValidateRun *run, const Loaded *load, double from, double whole, double *top) {
    double sum = 0;
    int looks = 0;
    while (wbWorld_GetTime(load->world) < from + 2 - 1e-6 && !run->stopped) {
        wbView view;
        WB_TRY(wbStepCase(run, load->world, wbWorld_GetTime(load->world) / whole));
        if (wbWorld_GetTime(load->world) < from) continue;
        WB_TRY(wbSoftBody_GetView(load->world, load->soft, &view));
        for (int i = 0; i < view.count; i++) sum += view.y[i];
        looks++;
    }
    *top = looks > 0 ? sum / looks / (SPRINGS * SPRINGS) : 0; // the lower layer is at 0
    return wb_okStatus;
}

static wbStatus pour(const Loaded *load, float from, float height) {
    const float half = 0.5f * (SPRINGS - 1) * pitch;
    const wbBlockDef block = {.min = {-half, from, -half}, .max = {half, from + height, half}};
    return wbFluid_AddBlock(load->world, load->water, &block);
}

static wbStatus loadSprings(wbValidateRun *run, Loaded *load, double compliance) {
    double once, twice;
    WB_TRY(addSprings(load));
    WB_TRY(pour(load, 0.06f, 0.45f));
    const double first = wbWorld_GetStats(load->world).mass;
    WB_TRY(findTop(run, load, 2, 8, &once));
    WB_TRY(pour(load, 0.5f, 0.45f));
    const double more = wbWorld_GetStats(load->world).mass - first,
                 sink = more * gravity * compliance / (SPRINGS * SPRINGS);
    WB_TRY(findTop(run, load, 6, 8, &twice));
    static const char *const names[] =
        WB_COUPLE_NAMES("what a soft block sinks by under twice the water", "3D");
    wbReportQuantity(run, (wbQuantity){.quantity = names[load->method],
                                       .unit = "m",
                                       .value = once - twice,
                                       .reference = sink,
                                       .tolerance = 0.03 * sink,
                                       .source = "rho0 g H A/k of its springs"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleSoftPiston(wbValidateRun *run) {
    const float half = 0.5f * (SPRINGS - 1) * pitch;
    for (wbCoupleMethod m = 0; m < wb_coupleMethodCount && !run->stopped; m++) {
        if (m == wb_coupleThesis) continue; // it does not feel them
        wbWorldDef def = makeDef(wbMakeVec3(-half, -pitch, -half), wbMakeVec3(half, 1.5f, half));
        Loaded load = {.method = m};
        def.pbd.compliance = 5e-5f;
        const wbFluidSolver solver = wbChooseCoupleMethod(m, &def);
        wbStatus status = wbCreateCaseWorld(run, def, solver, &load.world, &load.water);
        if (wbIsOk(status)) status = loadSprings(run, &load, 5e-5);
        wbDestroyWorld(load.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}
