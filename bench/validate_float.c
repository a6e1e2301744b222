// SPDX-License-Identifier: MIT
// Square logs in a tank of water in the plane: how deep they float, how they lie, how calm they are, and how fast they rise.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double spacing = 0.02, edge = 0.2, tankWidth = 0.8, depth = 0.4, gravity = 9.81;

typedef struct Log {
    const char *quantities[2]; // what is reported of it
    wbFluidSolver solver;
    double relative; // density
    double tilt;     // degrees, at the start
    double lift;     // m, at the start above where it floats
    bool turns;
    double seconds;
    wbWorld *world;
    wbFluidId fluid;
    wbRigidBodyId body;
    // means over the last fifth
    double draft, angle; // m; degrees, 0 to 45 from lying on a side
    double energy;       // J, the highest kinetic one
    double top;          // m, where its centre was at most
} Log;

static wbStatus create(wbValidateRun *run, Log *log) {
    wbWorldDef def = wbDefaultWorldDef();
    wbRigidBodyDef body = wbDefaultRigidBodyDef();
    const double level = depth + log->relative * edge * edge / tankWidth;
    def.params.dimensions = 2, def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    def.sph.spacing = def.pbf.spacing = (float)spacing;
    def.domain.max = wbMakeVec3((float)tankWidth, 1.5f, 0);
    WB_TRY(wbCreateCaseWorld(run, def, log->solver, &log->world, &log->fluid));
    body.name = "log", body.params.size = wbMakeVec3((float)edge, (float)edge, 1);
    body.params.density = (float)(1000 * log->relative), body.params.turns = log->turns;
    body.params.rotation.z = (float)log->tilt;
    body.params.position =
        wbMakeVec3((float)(0.5 * tankWidth), (float)(level + (0.5 - log->relative) * edge + log->lift), 0);
    WB_TRY(wbCreateRigidBody(log->world, &body, &log->body));
    const wbBlockDef block = {.max = {(float)tankWidth, (float)level, 0}};
    return wbFluid_AddBlock(log->world, log->fluid, &block);
}

// m: where the water would stand if it were level.
static double getLevel(const Log *log) {
    const double water = wbFluid_GetParticleCount(log->world, log->fluid) * spacing * spacing;
    return (water + log->relative * edge * edge) / tankWidth;
}

static double getAngle(const wbRigidMotion *motion) {
    const double angle = 2 * atan2(motion->rotation[2], motion->rotation[3]) * 180 / acos(-1.0);
    const double turned = fmod(fmod(angle, 90) + 90, 90);
    return fmin(turned, 90 - turned);
}

static wbStatus runLog(wbValidateRun *run, Log *log) {
    const int steps = (int)(60 * log->seconds), first = steps - steps / 5;
    const double mass = 1000 * log->relative * edge * edge, inertia = mass * edge * edge / 6;
    wbRigidMotion motion;
    WB_TRY(create(run, log));
    for (int k = 0; k < steps && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, log->world, (double)k / steps));
        WB_TRY(wbRigidBody_GetMotion(log->world, log->body, &motion));
        log->top = fmax(log->top, (double)motion.centre.y);
        if (k < first) continue;
        const double v2 = motion.velocity.x * motion.velocity.x + motion.velocity.y * motion.velocity.y,
                     share = 1.0 / (steps - first);
        log->draft += share * (getLevel(log) - (motion.centre.y - 0.5 * edge));
        log->angle += share * getAngle(&motion);
        log->energy = fmax(log->energy, 0.5 * mass * v2 + 0.5 * inertia * motion.spin.z * motion.spin.z);
    }
    return wb_okStatus;
}

static void reportDraft(wbValidateRun *run, const Log *log, const char *quantity) {
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "m",
                                       .value = log->draft,
                                       .reference = log->relative * edge,
                                       .tolerance = 0.5 * spacing,
                                       .source = "Archimedes"});
}

static void reportAngle(wbValidateRun *run, const Log *log, const char *quantity) {
    const double s = log->relative, square = 12 * s * (1 - s) - 2;
    const double angle = s == 0.5 ? 45 : square > 0 ? atan(sqrt(square)) * 180 / acos(-1.0) : 0;
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "deg",
                                       .value = log->angle,
                                       .reference = angle,
                                       .tolerance = 4,
                                       .source = "tan2 = 12 s (1 - s) - 2"});
}

static void reportCalm(wbValidateRun *run, const Log *log, const char *quantity) {
    const double mass = 1000 * log->relative * edge * edge;
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "m g a",
                                       .value = log->energy / (mass * gravity * edge),
                                       .tolerance = 1e-4,
                                       .source = "it lies still"});
}

// A light log that was dropped stays in the tank: no higher than it fell from.
static void reportTop(wbValidateRun *run, const Log *log, const char *quantity) {
    const double start = depth + (0.5 - log->relative) * edge + log->lift;
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "of its start",
                                       .value = log->top / start,
                                       .reference = 1,
                                       .tolerance = 0.1,
                                       .source = "it is not thrown"});
}

typedef void ReportFn(wbValidateRun *run, const Log *log, const char *quantity);

static wbStatus runLogs(wbValidateRun *run, const Log *logs, int count, ReportFn *const reports[2]) {
    for (int k = 0; k < count && !run->stopped; k++) {
        Log log = logs[k];
        wbStatus status = runLog(run, &log);
        for (int r = 0; r < 2 && reports[r] && wbIsOk(status) && !run->stopped; r++)
            reports[r](run, &log, log.quantities[r]);
        wbDestroyWorld(log.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

wbStatus wbValidateCoupleDraft(wbValidateRun *run) {
    static const Log logs[] = {
        {.quantities = {"draft, SPH, 0.5"}, .solver = wb_solverSph, .relative = 0.5, .seconds = 2},
        {.quantities = {"draft, PBF, 0.5"}, .solver = wb_solverPbf, .relative = 0.5, .seconds = 3}};
    return runLogs(run, logs, 2, (ReportFn *const[2]){reportDraft});
}

wbStatus wbValidateCoupleDrafts(wbValidateRun *run) {
    static const Log logs[] = {{.quantities = {"draft, SPH, 0.3", "kinetic energy, SPH, 0.3"},
                                .solver = wb_solverSph,
                                .relative = 0.3,
                                .seconds = 12},
                               {.quantities = {"draft, SPH, 0.5", "kinetic energy, SPH, 0.5"},
                                .solver = wb_solverSph,
                                .relative = 0.5,
                                .seconds = 12},
                               {.quantities = {"draft, SPH, 0.8", "kinetic energy, SPH, 0.8"},
                                .solver = wb_solverSph,
                                .relative = 0.8,
                                .seconds = 12},
                               {.quantities = {"draft, PBF, 0.3", "kinetic energy, PBF, 0.3"},
                                .solver = wb_solverPbf,
                                .relative = 0.3,
                                .seconds = 12},
                               {.quantities = {"draft, PBF, 0.5", "kinetic energy, PBF, 0.5"},
                                .solver = wb_solverPbf,
                                .relative = 0.5,
                                .seconds = 12},
                               {.quantities = {"draft, PBF, 0.8", "kinetic energy, PBF, 0.8"},
                                .solver = wb_solverPbf,
                                .relative = 0.8,
                                .seconds = 12}};
    return runLogs(run, logs, 6, (ReportFn *const[2]){reportDraft, reportCalm});
}

wbStatus wbValidateCoupleLog(wbValidateRun *run) {
    static const Log logs[] = {{.quantities = {"lies at, SPH, 0.1"},
                                .solver = wb_solverSph,
                                .relative = 0.1,
                                .tilt = 5,
                                .turns = true,
                                .seconds = 10},
                               {.quantities = {"lies at, SPH, 0.25"},
                                .solver = wb_solverSph,
                                .relative = 0.25,
                                .tilt = 5,
                                .turns = true,
                                .seconds = 10},
                               {.quantities = {"lies at, SPH, 0.5"},
                                .solver = wb_solverSph,
                                .relative = 0.5,
                                .tilt = 5,
                                .turns = true,
                                .seconds = 10},
                               {.quantities = {"lies at, PBF, 0.1"},
                                .solver = wb_solverPbf,
                                .relative = 0.1,
                                .tilt = 5,
                                .turns = true,
                                .seconds = 10},
                               {.quantities = {"lies at, PBF, 0.25"},
                                .solver = wb_solverPbf,
                                .relative = 0.25,
                                .tilt = 5,
                                .turns = true,
                                .seconds = 10},
                               {.quantities = {"lies at, PBF, 0.5"},
                                .solver = wb_solverPbf,
                                .relative = 0.5,
                                .tilt = 5,
                                .turns = true,
                                .seconds = 10}};
    return runLogs(run, logs, 6, (ReportFn *const[2]){reportAngle});
}

wbStatus wbValidateCoupleLight(wbValidateRun *run) {
    static const Log logs[] = {{.quantities = {"highest, SPH, 0.1", "draft, SPH, 0.1"},
                                .solver = wb_solverSph,
                                .relative = 0.1,
                                .lift = 0.2,
                                .turns = true,
                                .seconds = 20},
                               {.quantities = {"highest, SPH, 0.01", "draft, SPH, 0.01"},
                                .solver = wb_solverSph,
                                .relative = 0.01,
                                .lift = 0.2,
                                .turns = true,
                                .seconds = 20},
                               {.quantities = {"highest, PBF, 0.1", "draft, PBF, 0.1"},
                                .solver = wb_solverPbf,
                                .relative = 0.1,
                                .lift = 0.2,
                                .turns = true,
                                .seconds = 20},
                               {.quantities = {"highest, PBF, 0.01", "draft, PBF, 0.01"},
                                .solver = wb_solverPbf,
                                .relative = 0.01,
                                .lift = 0.2,
                                .turns = true,
                                .seconds = 20}};
    return runLogs(run, logs, 4, (ReportFn *const[2]){reportTop, reportDraft});
}
