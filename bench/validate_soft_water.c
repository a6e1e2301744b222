// SPDX-License-Identifier: MIT
// Cloth and soft bodies in water of all methods: momentum, forces of water at rest on sheets, sheets that hang as water bends them, and
// bags that hold it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double gravity = 9.81, density = 1000; // m/s2, kg/m3

typedef struct Wet {
    wbWorld *world;
    wbFluidId water;
    wbSoftBodyId soft;
    wbCoupleMethod method;
} Wet;

// Runs a case with each method.
typedef wbStatus Case(wbValidateRun *run, Wet *wet);
static wbStatus runMethods(wbValidateRun *run, wbWorldDef def, Case *one) {
    for (wbCoupleMethod m = 0; m < wb_coupleMethodCount && !run->stopped; m++) {
        if (m == wb_coupleThesis) continue; // they do not feel it
        wbWorldDef own = def;
        Wet wet = {.method = m};
        const wbFluidSolver solver = wbChooseCoupleMethod(m, &own);
        wbStatus status = wbCreateCaseWorld(run, own, solver, &wet.world, &wet.water);
        if (wbIsOk(status)) status = one(run, &wet);
        wbDestroyWorld(wet.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// The name of a quantity by its method; a literal.
#define NAME(wet, what) ((const char *const[])WB_COUPLE_NAMES(what, "cloth"))[(wet)->method]

static wbWorldDef makeDef(float spacing, wbVec3 min, wbVec3 max) {
    wbWorldDef def = wbDefaultWorldDef();
    def.pbf.spacing = def.sph.spacing = spacing, def.pbd.method = wb_methodXpbd, def.pbd.subSteps = 20;
    def.domain.min = min, def.domain.max = max;
    return def;
}

static wbStatus addBlock(const Wet *wet, wbVec3 min, wbVec3 max, wbVec3 velocity) {
    const wbBlockDef block = {.min = min, .max = max, .velocity = velocity};
    return wbFluid_AddBlock(wet->world, wet->water, &block);
}

static wbStatus runFor(wbValidateRun *run, const Wet *wet, double from, double seconds, double whole) {
    const double end = from + seconds;
    for (double t = wbWorld_GetTime(wet->world); t < end - 1e-6 && !run->stopped;
         t = wbWorld_GetTime(wet->world))
        WB_TRY(wbStepCase(run, wet->world, t / whole));
    return wb_okStatus;
}

static void reportLeaks(wbValidateRun *run, const Wet *wet, const char *name) {
    wbReportQuantity(run, (wbQuantity){.quantity = name,
                                       .unit = "",
                                       .value = (double)wbWorld_GetStats(wet->world).leaked,
                                       .source = "water does not go through cloth"});
}

// Sheets of a grid of places, in rows

enum { MOST_NODES = 4096 };
typedef struct Sheet {
    int across, along; // nodes in a row, rows
    float places[3 * MOST_NODES];
    int pins[MOST_NODES], pinCount;
    uint32_t indices[6 * MOST_NODES];
} Sheet;

static wbStatus addSheet(Wet *wet, Sheet *sheet, float mass) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    int count = 0;
    for (int k = 0; k + 1 < sheet->along; k++)
        for (int r = 0; r + 1 < sheet->across; r++) {
            const uint32_t a = (uint32_t)(k * sheet->across + r), b = a + (uint32_t)sheet->across, c = b + 1,
                           d = a + 1;
            const uint32_t cut[2][6] = {{a, b, d, b, c, d}, {a, b, c, a, c, d}};
            memcpy(sheet->indices + 6 * (size_t)count++, cut[(k + r) % 2], sizeof cut[0]);
        }
    const wbMesh mesh = {sheet->across * sheet->along, 2 * count, sheet->places, sheet->indices};
    def.name = "sheet", def.params.shape = wb_softBodyMeshSurface, def.mesh = &mesh;
    def.params.bending = wb_bendingNone, def.params.mass = mass, def.pins = sheet->pins,
    def.pinCount = sheet->pinCount;
    return wbCreateSoftBody(wet->world, &def, &wet->soft);
}

static void addNode(Sheet *sheet, int node, float x, float y, float z, bool isPinned) {
    sheet->places[3 * node] = x, sheet->places[3 * node + 1] = y, sheet->places[3 * node + 2] = z;
    if (isPinned) sheet->pins[sheet->pinCount++] = node;
}

// Momentum

static wbStatus sumWet(const Wet *wet, double sum[3]) {
    const wbStats stats = wbWorld_GetStats(wet->world);
    for (int a = 0; a < 3; a++) sum[a] = stats.momentum[a] + stats.transit[a];
    return wb_okStatus;
}

static wbStatus hitSoft(wbValidateRun *run, Wet *wet) {
    double start[3], end[3], size = 0;
    wbSoftBodyDef cloth = wbDefaultSoftBodyDef(), ball = cloth;
    cloth.name = "cloth", cloth.params.shape = wb_softBodyCloth, cloth.params.mass = 4;
    cloth.params.counts = wbMakeVec3(13, 13, 1), cloth.params.size = wbMakeVec3(0.8f, 0.8f, 1);
    cloth.params.position = wbMakeVec3(0, 0.05f, 0.02f), cloth.params.rotation = wbMakeVec3(0, 80, 5);
    ball.name = "ball", ball.params.shape = wb_softBodySphere, ball.params.radius = 0.15f;
    ball.params.count = 123, ball.params.mass = 5, ball.params.position = wbMakeVec3(-0.45f, 0.4f, 0);
    ball.params.velocity = wbMakeVec3(0, -1.5f, 0);
    WB_TRY(wbCreateSoftBody(wet->world, &cloth, &wet->soft));
    WB_TRY(wbCreateSoftBody(wet->world, &ball, &wet->soft));
    WB_TRY(
        addBlock(wet, wbMakeVec3(-0.6f, -0.2f, -0.2f), wbMakeVec3(-0.2f, 0.2f, 0.2f), wbMakeVec3(2, 0, 0)));
    WB_TRY(wbStepCase(run, wet->world, 0)); // which puts floors under inertias
    WB_TRY(sumWet(wet, start));
    for (int a = 0; a < 3; a++) size += fabs(start[a]);
    for (int k = 0; k < 1000 && !run->stopped; k++) WB_TRY(wbStepCase(run, wet->world, k / 1000.0));
    WB_TRY(sumWet(wet, end));
    wbReportQuantity(
        run,
        (wbQuantity){.quantity = NAME(wet, "momentum drift"),
                     .unit = "sum m abs(v)",
                     .value = hypot(hypot(end[0] - start[0], end[1] - start[1]), end[2] - start[2]) / size,
                     .tolerance = 1e-5,
                     .source = "sum m v is constant"});
    return wb_okStatus;
}

wbStatus wbValidateWetMomentum(wbValidateRun *run) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.gravity = wbMakeVec3(0, 0, 0), def.params.dt = 1.0f / 1024;
    def.pbf.spacing = def.sph.spacing = 0.04f, def.pbf.viscosity = 0;
    return runMethods(run, def, hitSoft);
}

// A membrane between two levels

// The height of the water's surface between two places along x: of the highest particles of columns two spacings wide.
static wbStatus findLevel(const Wet *wet, double from, double to, double spacing, double *level) {
    wbView view;
    int count = 0;
    *level = 0;
    WB_TRY(wbFluid_GetView(wet->world, wet->water, &view));
    for (double x = from; x < to - 1e-9; x += 2 * spacing, count++) {
        double highest = 0;
        for (int i = 0; i < view.count; i++)
            if (view.x[i] >= x && view.x[i] < x + 2 * spacing) highest = fmax(highest, view.y[i]);
        *level += highest + 0.5 * spacing;
    }
    *level /= count;
    return wb_okStatus;
}

static wbStatus pressMembrane(wbValidateRun *run, Wet *wet) {
    const float spacing = 0.02f, step = 2 * spacing;
    const double width = 0.2;
    double given = 0, left, right;
    Sheet sheet = {.across = (int)lround(width / (double)step) + 1,
                   .along = (int)lround(0.5 / (double)step) + 1};
    for (int k = 0; k < sheet.along; k++)
        for (int r = 0; r < sheet.across; r++)
            addNode(&sheet, k * sheet.across + r, 0, step * (float)k, step * (float)r, true);
    WB_TRY(addSheet(wet, &sheet, 0.1f));
    WB_TRY(addBlock(wet, wbMakeVec3(-0.4f, 0, 0), wbMakeVec3(0, 0.4f, (float)width), wbMakeVec3(0, 0, 0)));
    WB_TRY(addBlock(wet, wbMakeVec3(0, 0, 0), wbMakeVec3(0.4f, 0.2f, (float)width), wbMakeVec3(0, 0, 0)));
    WB_TRY(runFor(run, wet, 0, 2, 3));
    const double start = wbWorld_GetTime(wet->world);
    int looks = 0;
    double levels = 0;
    while (wbWorld_GetTime(wet->world) < start + 1 - 1e-6 && !run->stopped) {
        WB_TRY(wbStepCase(run, wet->world, wbWorld_GetTime(wet->world) / 3));
        given += wbWorld_GetStats(wet->world).waterSoft[0];
        WB_TRY(findLevel(wet, -0.36, -0.04, (double)spacing, &left));
        WB_TRY(findLevel(wet, 0.04, 0.36, (double)spacing, &right));
        levels += 0.5 * density * gravity * width * (left * left - right * right), looks++;
    }
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(wet, "force between two levels"),
                                       .unit = "N",
                                       .value = given,
                                       .reference = levels / looks,
                                       .tolerance = 0.05 * levels / looks,
                                       .source = "rho0 g w (h1^2 - h2^2)/2 by the levels as they stand"});
    reportLeaks(run, wet, NAME(wet, "through a membrane"));
    return wb_okStatus;
}

wbStatus wbValidateCoupleMembrane(wbValidateRun *run) {
    return runMethods(run, makeDef(0.02f, wbMakeVec3(-0.4f, 0, 0), wbMakeVec3(0.4f, 0.7f, 0.2f)),
                      pressMembrane);
}

// A trough: lintearia, T dtheta/ds = rho0 g depth. A cloth 1.2 m long between rims 1 m apart, brim full

static const double rimAngle = 1.0266, rimRadius = 0.5844; // of the circle that it begins as

// Half the width of that circle's segment at a depth.
static double getHalfWidth(double y) {
    const double drop = rimRadius * cos(rimAngle) - y;
    return drop < rimRadius ? sqrt(rimRadius * rimRadius - drop * drop) : 0;
}

// Layers as wide as there is room, until there is as much water as a full trough holds: per metre, m2.
static wbStatus fillTrough(const Wet *wet, double spacing, double width, double *mass) {
    double area = 0;
    for (double y = -0.295 + spacing; area < 0.197; y += spacing) {
        const int count = (int)(2 * ((y < 0 ? getHalfWidth(y) : 0.5) - 0.6 * spacing) / spacing);
        const float half = (float)(0.5 * count * spacing);
        if (count <= 0) continue;
        WB_TRY(addBlock(wet, wbMakeVec3(-half, (float)y, 0),
                        wbMakeVec3(half, (float)(y + spacing), (float)width), wbMakeVec3(0, 0, 0)));
        area += count * spacing * spacing;
    }
    *mass = wbWorld_GetStats(wet->world).mass;
    return wb_okStatus;
}

// Between two walls that the cloth reaches through and does not feel.
static wbStatus addWalls(const Wet *wet, double width) {
    for (int side = 0; side < 2; side++) {
        wbRigidBodyDef wall = wbDefaultRigidBodyDef();
        wbRigidBodyId id;
        wall.name = side ? "front" : "back", wall.params.type = wb_rigidStatic;
        wall.params.size = wbMakeVec3(1.6f, 1.2f, 0.1f);
        wall.params.position = wbMakeVec3(0, -0.1f, side ? (float)width + 0.05f : -0.05f);
        WB_TRY(wbCreateRigidBody(wet->world, &wall, &id));
    }
    return wb_okStatus;
}

static wbStatus addTrough(Wet *wet, Sheet *sheet, float spacing, double width) {
    const float step = 2 * spacing, freeboard = 0.1f;
    const int arc = (int)lround(1.2 / (double)step), up = (int)lround((double)(freeboard / step));
    *sheet = (Sheet){.across = (int)lround(width / (double)step) + 3, .along = arc + 1 + 2 * up};
    for (int k = 0; k < sheet->along; k++) {
        const int at = k - up, beyond = at < 0 ? -at : at > arc ? at - arc : 0;
        const double angle = rimAngle * (2.0 * (at < 0 ? 0 : at > arc ? arc : at) / arc - 1);
        const double x = rimRadius * sin(angle), y = rimRadius * (cos(rimAngle) - cos(angle));
        for (int r = 0; r < sheet->across; r++)
            addNode(sheet, k * sheet->across + r, (float)x, (float)y + step * (float)beyond,
                    step * (float)(r - 1), at <= 0 || at >= arc);
    }
    return addSheet(wet, sheet, 0.1f);
}

static wbStatus lookAtTrough(const Wet *wet, const Sheet *sheet, double *depth, double *slope) {
    wbView view;
    WB_TRY(wbSoftBody_GetView(wet->world, wet->soft, &view));
    const int middle = sheet->across / 2;
    double lowest = 0;
    int rim = 0;
    for (int k = 0; k < sheet->along; k++) {
        const int node = k * sheet->across + middle;
        lowest = fmin(lowest, (double)view.y[node]);
        if (fabsf(view.x[node] + 0.5f) < 1e-3f && view.y[node] < 1e-3f) rim = k;
    }
    double slopes[2];
    for (int k = 0; k < 2; k++) {
        const int from = (rim + k) * sheet->across + middle, to = from + sheet->across;
        slopes[k] = atan2((double)(view.y[from] - view.y[to]), (double)(view.x[to] - view.x[from]));
    }
    *depth = -lowest;
    *slope = 1.5 * slopes[0] - 0.5 * slopes[1]; // at the rim, half a piece before the middle of the first
    return wb_okStatus;
}

static wbStatus hangTrough(wbValidateRun *run, Wet *wet) {
    const float spacing = 0.025f;
    const double width = 0.2;
    Sheet sheet = {0};
    double mass, given = 0, depths = 0, slopes = 0;
    int looks = 0;
    WB_TRY(addWalls(wet, width));
    WB_TRY(addTrough(wet, &sheet, spacing, width));
    WB_TRY(fillTrough(wet, (double)spacing, width, &mass));
    WB_TRY(runFor(run, wet, 0, 2, 4));
    const double start = wbWorld_GetTime(wet->world);
    while (wbWorld_GetTime(wet->world) < start + 2 - 1e-6 && !run->stopped) {
        double depth, slope;
        WB_TRY(wbStepCase(run, wet->world, wbWorld_GetTime(wet->world) / 4));
        given -= wbWorld_GetStats(wet->world).waterSoft[1];
        WB_TRY(lookAtTrough(wet, &sheet, &depth, &slope));
        depths += depth, slopes += slope, looks++;
    }
    const double weight = mass * gravity, seconds = wbWorld_GetTime(wet->world) - start;
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(wet, "depth of a full trough"),
                                       .unit = "m",
                                       .value = depths / looks,
                                       .reference = 0.295,
                                       .tolerance = 0.03 * 0.295,
                                       .source = "lintearia, T dtheta/ds = rho0 g depth"});
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(wet, "weight borne by a trough"),
                                       .unit = "N",
                                       .value = given / seconds,
                                       .reference = weight,
                                       .tolerance = 0.02 * weight,
                                       .source = "m g"});
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(wet, "tension of a trough"),
                                       .unit = "N/m",
                                       .value = given / seconds / (2 * width * sin(slopes / looks)),
                                       .reference = 1311,
                                       .tolerance = 0.05 * 1311,
                                       .source = "lintearia, per metre of width"});
    reportLeaks(run, wet, NAME(wet, "through a trough"));
    return wb_okStatus;
}

wbStatus wbValidateCoupleTrough(wbValidateRun *run) {
    wbWorldDef def = makeDef(0.025f, wbMakeVec3(-1, -1, -1), wbMakeVec3(1, 1, 1));
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
    def.coupling.rigidSoft = wb_pairOff, def.sph.boundaryPressure = wb_boundaryMirrored;
    return runMethods(run, def, hangTrough);
}

// A bag: a ball of cloth that hangs by a ring about its middle, half full, while gravity swings

enum { AROUND = 36, ROWS = 21 };

static wbStatus addBag(Wet *wet, double radius) {
    float places[3 * (AROUND * ROWS + 2)] = {0};
    uint32_t indices[3 * 2 * AROUND * ROWS];
    int pins[AROUND];
    const uint32_t tips[2] = {AROUND * ROWS, AROUND * ROWS + 1};
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    size_t count = 0;
    for (int d = 0; d < ROWS; d++)
        for (int a = 0; a < AROUND; a++) {
            const double polar = 3.14159265 * (d - ROWS / 2) / (ROWS + 1),
                         turn = 6.2831853 * (a + 0.5 * (d % 2)) / AROUND;
            float *p = places + 3 * (size_t)(d * AROUND + a);
            p[0] = (float)(radius * cos(polar) * cos(turn)), p[1] = (float)(-radius * sin(polar));
            p[2] = (float)(radius * cos(polar) * sin(turn));
        }
    places[3 * tips[0] + 1] = (float)radius, places[3 * tips[1] + 1] = (float)-radius;
    for (int d = 0; d < ROWS; d++)
        for (int a = 0; a < AROUND; a++) {
            const uint32_t own = (uint32_t)(d * AROUND + a),
                           beside = (uint32_t)(d * AROUND + (a + 1) % AROUND),
                           row = (uint32_t)((d + 1) * AROUND), after = row + (uint32_t)((a + d % 2) % AROUND),
                           before = row + (uint32_t)((a + d % 2 + AROUND - 1) % AROUND);
            const uint32_t both[6] = {own, beside, after, own, after, before},
                           first[3] = {beside, own, tips[0]}, last[3] = {own, beside, tips[1]};
            if (d + 1 < ROWS) memcpy(indices + count, both, sizeof both), count += 6;
            if (d == 0) memcpy(indices + count, first, sizeof first), count += 3;
            if (d + 1 == ROWS) memcpy(indices + count, last, sizeof last), count += 3;
        }
    for (int a = 0; a < AROUND; a++) pins[a] = ROWS / 2 * AROUND + a;
    const wbMesh mesh = {AROUND * ROWS + 2, (int)(count / 3), places, indices};
    def.name = "bag", def.params.shape = wb_softBodyMeshSurface, def.mesh = &mesh;
    def.params.mass = 0.2f, def.pins = pins, def.pinCount = AROUND, def.params.bending = wb_bendingNone;
    return wbCreateSoftBody(wet->world, &def, &wet->soft);
}

static wbStatus countOutside(const Wet *wet, double radius, int *count) {
    wbView view;
    WB_TRY(wbFluid_GetView(wet->world, wet->water, &view));
    *count = 0;
    for (int i = 0; i < view.count; i++) {
        const double x = view.x[i], y = view.y[i], z = view.z[i];
        *count += sqrt(x * x + y * y + z * z) > 1.25 * radius;
    }
    return wb_okStatus;
}

static wbStatus swingBag(wbValidateRun *run, Wet *wet) {
    const double seconds = 5, radius = 0.3;
    double given = 0, weight = 0;
    int outside;
    WB_TRY(addBag(wet, radius));
    for (double y = -0.85 * radius; y < -0.3 * radius; y += 0.03) {
        const float half = (float)(0.6 * sqrt(radius * radius - y * y));
        WB_TRY(addBlock(wet, wbMakeVec3(-half, (float)y, -half), wbMakeVec3(half, (float)y + 0.03f, half),
                        wbMakeVec3(0, 0, 0)));
    }
    const double mass = wbWorld_GetStats(wet->world).mass - 0.2;
    while (wbWorld_GetTime(wet->world) < seconds - 1e-6 && !run->stopped) {
        const double t = wbWorld_GetTime(wet->world), angle = 0.35 * sin(6.2831853 * 0.9 * t);
        char swung[96];
        snprintf(swung, sizeof swung, "%.9g,%.9g,%.9g", gravity * sin(angle), -gravity * cos(angle),
                 0.2 * gravity * sin(4.1 * t));
        WB_TRY(wbWorld_SetParam(wet->world, "world.gravity", swung));
        const double before = wbWorld_GetTime(wet->world);
        WB_TRY(wbStepCase(run, wet->world, t / seconds));
        if (t < 1) continue;
        given -= wbWorld_GetStats(wet->world).waterSoft[1];
        weight += mass * gravity * cos(angle) * (wbWorld_GetTime(wet->world) - before);
    }
    WB_TRY(countOutside(wet, radius, &outside));
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(wet, "outside of a bag that swings"),
                                       .unit = "",
                                       .value = outside,
                                       .source = "water does not go through cloth"});
    reportLeaks(run, wet, NAME(wet, "through a bag"));
    wbReportQuantity(run, (wbQuantity){.quantity = NAME(wet, "weight borne by a bag, of its water"),
                                       .unit = "",
                                       .value = given / weight,
                                       .reference = 1,
                                       .tolerance = 0.02,
                                       .source = "in the mean over 4 s"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleBag(wbValidateRun *run) {
    wbWorldDef def = makeDef(0.03f, wbMakeVec3(-1, -1, -1), wbMakeVec3(1, 1, 1));
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideOpen;
    return runMethods(run, def, swingBag);
}

// A soft ball afloat

// m3: of so many cells of a cubic lattice about a site, whose farthest site is at a radius. They reach beyond it.
static double getLatticeVolume(int count, double radius) {
    enum { REACH = 8 };
    for (int r2 = 1;; r2++) {
        int sites = 0;
        for (int x = -REACH; x <= REACH; x++)
            for (int y = -REACH; y <= REACH; y++)
                for (int z = -REACH; z <= REACH; z++) sites += x * x + y * y + z * z <= r2;
        if (sites >= count) return count * pow(radius / sqrt(r2), 3);
    }
}

static wbStatus floatBall(wbValidateRun *run, Wet *wet) {
    enum { COUNT = 250 };
    const double share = 0.5, radius = 0.15, volume = getLatticeVolume(COUNT, radius);
    wbSoftBodyDef ball = wbDefaultSoftBodyDef();
    double height = 0, level, levels = 0;
    int looks = 0;
    ball.name = "ball", ball.params.shape = wb_softBodySphere, ball.params.radius = (float)radius;
    ball.params.count = COUNT, ball.params.mass = (float)(share * density * volume);
    ball.params.constraints = wb_linksDecimated, ball.params.maxDistance = 0.1f;
    ball.params.position = wbMakeVec3(0.4f, 0.6f, 0.4f);
    WB_TRY(wbCreateSoftBody(wet->world, &ball, &wet->soft));
    WB_TRY(addBlock(wet, wbMakeVec3(0, 0, 0), wbMakeVec3(0.8f, 0.4f, 0.8f), wbMakeVec3(0, 0, 0)));
    WB_TRY(runFor(run, wet, 0, 3, 5));
    while (wbWorld_GetTime(wet->world) < 5 - 1e-6 && !run->stopped) {
        wbView view;
        WB_TRY(wbStepCase(run, wet->world, wbWorld_GetTime(wet->world) / 5));
        WB_TRY(wbSoftBody_GetView(wet->world, wet->soft, &view));
        for (int i = 0; i < view.count; i++) height += (double)view.y[i] / view.count;
        WB_TRY(findLevel(wet, 0, 0.16, 0.04, &level));
        levels += level, looks++;
    }
    wbReportQuantity(
        run, (wbQuantity){.quantity = NAME(wet, "middle of a soft ball of half the density, over the water"),
                          .unit = "m",
                          .value = (height - levels) / looks,
                          .tolerance = 0.02,
                          .source = "Archimedes; half a spacing"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleSoftFloat(wbValidateRun *run) {
    return runMethods(run, makeDef(0.04f, wbMakeVec3(0, 0, 0), wbMakeVec3(0.8f, 1.2f, 0.8f)), floatBall);
}
