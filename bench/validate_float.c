// SPDX-License-Identifier: MIT
// Square logs in a tank of water in the plane: how deep they float, how they lie, how calm they are, and how fast they rise.
#include <math.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double spacing = 0.02, edge = 0.2, tankWidth = 0.8, depth = 0.4, gravity = 9.81;

// What is done with a log in the liquid of each method.
typedef struct Trial {
    const char *quantities[2][wb_coupleMethodCount]; // what is reported of it
    double relative;                                 // density
    double tilt;                                     // degrees, at the start
    double lift;                                     // m, at the start above where it floats
    bool turns;
    double seconds;
} Trial;

typedef struct Log {
    Trial trial;
    wbCoupleMethod method;
    wbWorld *world;
    wbFluidId fluid;
    wbRigidBodyId body;
    double water; // m2, that the tank was filled with
    // means over the last fifth
    double draft, angle; // m; degrees, 0 to 45 from lying on a side
    double energy;       // J, the highest kinetic one
    double top;          // m, where its centre was at most
    double
        shaking; // g, over the last half: root mean square of its vertical acceleration from frame to frame
} Log;

static wbStatus create(wbValidateRun *run, Log *log) {
    wbWorldDef def = wbDefaultWorldDef();
    wbRigidBodyDef body = wbDefaultRigidBodyDef();
    const double level = depth + log->trial.relative * edge * edge / tankWidth;
    def.params.dimensions = 2, def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    def.sph.spacing = def.pbf.spacing = (float)spacing;
    def.domain.max = wbMakeVec3((float)tankWidth, 1.5f, 0);
    const wbFluidSolver solver = wbChooseCoupleMethod(log->method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, &log->world, &log->fluid));
    body.name = "log", body.params.size = wbMakeVec3((float)edge, (float)edge, 1);
    body.params.density = (float)(1000 * log->trial.relative), body.params.turns = log->trial.turns;
    body.params.rotation.z = (float)log->trial.tilt;
    body.params.position = wbMakeVec3(
        (float)(0.5 * tankWidth), (float)(level + (0.5 - log->trial.relative) * edge + log->trial.lift), 0);
    WB_TRY(wbCreateRigidBody(log->world, &body, &log->body));
    const wbBlockDef block = {.max = {(float)tankWidth, (float)level, 0}};
    WB_TRY(wbFluid_AddBlock(log->world, log->fluid, &block));
    log->water = wbFluid_GetParticleCount(log->world, log->fluid) * spacing * spacing;
    return wb_okStatus;
}

// m: where the water would stand if it were level.
static double getLevel(const Log *log) {
    return (log->water + log->trial.relative * edge * edge) / tankWidth;
}

static double getAngle(const wbRigidMotion *motion) {
    const double angle = 2 * atan2(motion->rotation[2], motion->rotation[3]) * 180 / acos(-1.0);
    const double turned = fmod(fmod(angle, 90) + 90, 90);
    return fmin(turned, 90 - turned);
}

static wbStatus runLog(wbValidateRun *run, Log *log) {
    const int steps = (int)(60 * log->trial.seconds), first = steps - steps / 5;
    const double mass = 1000 * log->trial.relative * edge * edge, inertia = mass * edge * edge / 6;
    wbRigidMotion motion;
    double before = 0, squares = 0; // m/s; m2/s2
    WB_TRY(create(run, log));
    for (int k = 0; k < steps && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, log->world, (double)k / steps));
        WB_TRY(wbRigidBody_GetMotion(log->world, log->body, &motion));
        log->top = fmax(log->top, (double)motion.centre.y);
        if (k >= steps / 2) squares += (motion.velocity.y - before) * (motion.velocity.y - before);
        before = motion.velocity.y;
        if (k < first) continue;
        const double v2 = motion.velocity.x * motion.velocity.x + motion.velocity.y * motion.velocity.y,
                     share = 1.0 / (steps - first);
        log->draft += share * (getLevel(log) - (motion.centre.y - 0.5 * edge));
        log->angle += share * getAngle(&motion);
        log->energy = fmax(log->energy, 0.5 * mass * v2 + 0.5 * inertia * motion.spin.z * motion.spin.z);
    }
    log->shaking = 60 / gravity * sqrt(squares / (steps - steps / 2));
    return wb_okStatus;
}

static void reportDraft(wbValidateRun *run, const Log *log, const char *quantity) {
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "m",
                                       .value = log->draft,
                                       .reference = log->trial.relative * edge,
                                       .tolerance = 0.5 * spacing,
                                       .source = "Archimedes"});
}

static void reportAngle(wbValidateRun *run, const Log *log, const char *quantity) {
    const double s = log->trial.relative, square = 12 * s * (1 - s) - 2;
    const double angle = s == 0.5 ? 45 : square > 0 ? atan(sqrt(square)) * 180 / acos(-1.0) : 0;
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "deg",
                                       .value = log->angle,
                                       .reference = angle,
                                       .tolerance = 4,
                                       .source = "tan2 = 12 s (1 - s) - 2"});
}

static void reportCalm(wbValidateRun *run, const Log *log, const char *quantity) {
    const double mass = 1000 * log->trial.relative * edge * edge;
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "m g a",
                                       .value = log->energy / (mass * gravity * edge),
                                       .tolerance = 1e-4,
                                       .source = "it lies still"});
}

// A light log that was dropped stays in the tank: no higher than it fell from.
static void reportTop(wbValidateRun *run, const Log *log, const char *quantity) {
    const double start = depth + (0.5 - log->trial.relative) * edge + log->trial.lift;
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "of its start",
                                       .value = log->top / start,
                                       .reference = 1,
                                       .tolerance = 0.1,
                                       .source = "it is not thrown"});
}

static void reportShaking(wbValidateRun *run, const Log *log, const char *quantity) {
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "g",
                                       .value = log->shaking,
                                       .tolerance = 0.1,
                                       .source = "it floats and does not shake"});
}

typedef void ReportFn(wbValidateRun *run, const Log *log, const char *quantity);

static wbStatus runTrial(wbValidateRun *run, const Trial *trial, wbCoupleMethod method,
                         ReportFn *const reports[2]) {
    Log log = {.trial = *trial, .method = method};
    wbStatus status = runLog(run, &log);
    for (int r = 0; r < 2 && reports[r] && wbIsOk(status) && !run->stopped; r++)
        reports[r](run, &log, trial->quantities[r][method]);
    wbDestroyWorld(log.world);
    return status;
}

static wbStatus runTrials(wbValidateRun *run, const Trial *trials, int count, ReportFn *const reports[2]) {
    for (wbCoupleMethod m = 0; m < wb_coupleMethodCount; m++)
        for (int k = 0; k < count && !run->stopped; k++) WB_TRY(runTrial(run, &trials[k], m, reports));
    return wb_okStatus;
}

wbStatus wbValidateCoupleDraft(wbValidateRun *run) {
    static const Trial trial = {
        .quantities = {WB_COUPLE_NAMES("draft", "0.5")}, .relative = 0.5, .seconds = 3};
    return runTrials(run, &trial, 1, (ReportFn *const[2]){reportDraft});
}

#define FLOATS(density, text)                                                                                \
    {                                                                                                        \
        .quantities = {WB_COUPLE_NAMES("draft", text), WB_COUPLE_NAMES("kinetic energy", text)},             \
        .relative = density, .seconds = 12                                                                   \
    }
wbStatus wbValidateCoupleDrafts(wbValidateRun *run) {
    static const Trial trials[] = {FLOATS(0.3, "0.3"), FLOATS(0.5, "0.5"), FLOATS(0.8, "0.8")};
    return runTrials(run, trials, 3, (ReportFn *const[2]){reportDraft, reportCalm});
}
#undef FLOATS

#define LIES(density, text)                                                                                  \
    {                                                                                                        \
        .quantities = {WB_COUPLE_NAMES("lies at", text)}, .relative = density, .tilt = 5, .turns = true,     \
        .seconds = 10                                                                                        \
    }
wbStatus wbValidateCoupleLog(wbValidateRun *run) {
    static const Trial trials[] = {LIES(0.1, "0.1"), LIES(0.25, "0.25"), LIES(0.5, "0.5")};
    return runTrials(run, trials, 3, (ReportFn *const[2]){reportAngle});
}
#undef LIES

#define DROPS(density, text)                                                                                 \
    {                                                                                                        \
        .quantities = {WB_COUPLE_NAMES("highest", text), WB_COUPLE_NAMES("draft", text)},                    \
        .relative = density, .lift = 0.2, .turns = true, .seconds = 20                                       \
    }
wbStatus wbValidateCoupleLight(wbValidateRun *run) {
    static const Trial trials[] = {DROPS(0.1, "0.1"), DROPS(0.01, "0.01")};
    return runTrials(run, trials, 2, (ReportFn *const[2]){reportTop, reportDraft});
}
#undef DROPS

#define FLOATS(density, text)                                                                                \
    {                                                                                                        \
        .quantities = {WB_COUPLE_NAMES("shaking", text), WB_COUPLE_NAMES("draft", text)},                    \
        .relative = density, .seconds = 6                                                                    \
    }
wbStatus wbValidateCoupleShaking(wbValidateRun *run) {
    static const Trial trials[] = {FLOATS(0.8, "0.8"), FLOATS(0.5, "0.5"),   FLOATS(0.3, "0.3"),
                                   FLOATS(0.1, "0.1"), FLOATS(0.03, "0.03"), FLOATS(0.01, "0.01")};
    return runTrials(run, trials, 6, (ReportFn *const[2]){reportShaking, reportDraft});
}
#undef FLOATS
