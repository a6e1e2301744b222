// SPDX-License-Identifier: MIT
// Bodies in air that is not computed: the force of a wind on what is held, and how a flat thing falls.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static const double density = 1.2, coefficient = 1.2; // kg/m3
static const double boardThickness = 0.001;           // m

static wbStatus createAir(wbValidateRun *run, wbWorldDef *def, wbWorld **world) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    def->threadCount = machine.threadCount, def->simd = machine.simd;
    def->params.backend = machine.backend, def->params.device = machine.deviceIndex;
    def->coupling.airSoft = def->coupling.airRigid = wb_pairBoth;
    def->coupling.airDensity = (float)density, def->coupling.dragNormal = (float)coefficient;
    WB_TRY(wbCreateWorld(def, world));
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

// A square metre, held by all of its particles.
static wbStatus addHeldCloth(wbWorld *world) {
    static const int pins[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    wbSoftBodyDef cloth = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    cloth.params.shape = wb_softBodyCloth, cloth.params.counts = wbMakeVec3(3, 3, 1);
    cloth.pins = pins, cloth.pinCount = sizeof pins / sizeof pins[0];
    return wbCreateSoftBody(world, &cloth, &id);
}

// A square metre, too heavy to move in a step.
static wbStatus addHeavyPlate(wbWorld *world) {
    wbRigidBodyDef plate = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    plate.params.size = wbMakeVec3(1, 1, 0.02f), plate.params.density = 0, plate.params.mass = 1e6f;
    return wbCreateRigidBody(world, &plate, &id);
}

static wbStatus measureForce(wbValidateRun *run, double speed, bool isRigid, double *force) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.gravity = wbMakeVec3(0, 0, 0), def.coupling.wind = wbMakeVec3(0, 0, (float)speed);
    WB_TRY(createAir(run, &def, &world));
    wbStatus status = isRigid ? addHeavyPlate(world) : addHeldCloth(world);
    if (wbIsOk(status)) status = wbStepCase(run, world, 0.5);
    const wbStats stats = wbWorld_GetStats(world);
    if (wbIsOk(status)) *force = (isRigid ? stats.airRigid[2] : stats.airSoft[2]) / wbWorld_GetTime(world);
    wbDestroyWorld(world);
    return status;
}

wbStatus wbValidateAirDrag(wbValidateRun *run) {
    static const struct {
        const char *name;
        double speed;
        bool isRigid;
    } rows[] = {{"force on a cloth, 2 m/s", 2, false},
                {"force on a cloth, 20 m/s", 20, false},
                {"force on a rigid plate, 2 m/s", 2, true},
                {"force on a rigid plate, 20 m/s", 20, true}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        const double expected = 0.5 * density * coefficient * rows[k].speed * rows[k].speed;
        double force;
        WB_TRY(measureForce(run, rows[k].speed, rows[k].isRigid, &force));
        wbReportQuantity(run, (wbQuantity){.quantity = rows[k].name,
                                           .unit = "N",
                                           .value = force,
                                           .reference = expected,
                                           .tolerance = 0.001 * expected,
                                           .source = "rho c A v2 / 2"});
    }
    return wb_okStatus;
}

static const double mass = 0.2; // kg, of what falls
static const float gravity = 9.81f;

// A square metre that lies flat in the air: a cloth, kept so by its bending, or a board.
static wbStatus addFlat(wbWorld *world, bool isRigid) {
    wbSoftBodyDef cloth = wbDefaultSoftBodyDef();
    wbRigidBodyDef board = wbDefaultRigidBodyDef();
    wbSoftBodyId clothId;
    wbRigidBodyId boardId;
    cloth.params.shape = wb_softBodyCloth, cloth.params.counts = wbMakeVec3(9, 9, 1);
    cloth.params.bending = wb_bendingDihedral, cloth.params.mass = (float)mass;
    cloth.params.rotation = wbMakeVec3(90, 0, 0);
    board.params.size = wbMakeVec3(1, (float)boardThickness, 1), board.params.density = 0,
    board.params.mass = (float)mass;
    return isRigid ? wbCreateRigidBody(world, &board, &boardId) : wbCreateSoftBody(world, &cloth, &clothId);
}

typedef struct Fall {
    double terminal; // m/s, after 2 s
    double error;    // the largest of speeds on the way, relative
} Fall;

static wbStatus measureFall(wbValidateRun *run, bool isRigid, double g, double terminal, Fall *fall) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dt = 1.0f / 240, def.params.gravity = wbMakeVec3(0, -gravity, 0);
    def.pbd.subSteps = 1, def.pbd.iterations = 40;
    WB_TRY(createAir(run, &def, &world));
    wbStatus status = addFlat(world, isRigid);
    *fall = (Fall){0};
    for (int k = 1; k <= 480 && wbIsOk(status) && !run->stopped; k++) {
        status = wbStepCase(run, world, k / 480.0);
        const wbStats stats = wbWorld_GetStats(world);
        const double speed = -stats.momentum[1] / stats.mass,
                     expected = terminal * tanh(g * wbWorld_GetTime(world) / terminal);
        fall->terminal = speed;
        fall->error = fmax(fall->error, fabs(speed / expected - 1));
    }
    wbDestroyWorld(world);
    return status;
}

wbStatus wbValidateAirFall(wbValidateRun *run) {
    static const char *const names[2][2] = {{"terminal speed, cloth", "error on the way, cloth"},
                                            {"terminal speed, board", "error on the way, board"}};
    for (int isRigid = 0; isRigid < 2 && !run->stopped; isRigid++) {
        // the air that the board displaces bears a part of it
        const double g = (double)gravity * (1 - (isRigid ? density * boardThickness / mass : 0)),
                     terminal = sqrt(2 * mass * g / (density * coefficient));
        Fall fall;
        WB_TRY(measureFall(run, isRigid, g, terminal, &fall));
        if (run->stopped) break;
        wbReportQuantity(run, (wbQuantity){.quantity = names[isRigid][0],
                                           .unit = "m/s",
                                           .value = fall.terminal,
                                           .reference = terminal,
                                           .tolerance = 0.01 * terminal,
                                           .source = "m g = rho c A v2 / 2"});
        wbReportQuantity(run, (wbQuantity){.quantity = names[isRigid][1],
                                           .unit = "",
                                           .value = fall.error,
                                           .reference = 0,
                                           .tolerance = 0.02,
                                           .source = "v tanh(g t / v)"});
    }
    return wb_okStatus;
}
