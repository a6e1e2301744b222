// SPDX-License-Identifier: MIT
// Cases of probes: gauges in tanks at rest, and the flow of a jet.
#include <math.h>

#include "bench/validate_case.h"
#include "core/status.h"

static const double restDensity = 1000, gravity = 9.81;

static wbStatus addProbe(wbWorld *world, const char *name, wbProbeKind kind, wbVec3 position, wbVec3 size,
                         wbProbeId *probe) {
    wbProbeDef def = wbDefaultProbeDef();
    def.name = name;
    def.params.kind = kind;
    def.params.position = position;
    def.params.size = size;
    return wbCreateProbe(world, &def, probe);
}

static wbStatus addValue(wbWorld *world, wbProbeId probe, double *sum) {
    wbProbeValues values;
    WB_TRY(wbProbe_GetValues(world, probe, &values));
    *sum += values.values[0].value;
    return wb_okStatus;
}

// A tank 20 layers deep, 1 m, rests for 4 s; means are of the last.
typedef struct Gauges {
    wbFluidSolver solver;
    const char *deep, *half, *level; // names of what is reported
} Gauges;

static void reportPressure(wbValidateRun *run, const char *quantity, double pressure, double depth) {
    wbReportQuantity(run, (wbQuantity){.quantity = quantity,
                                       .unit = "rho0 g depth",
                                       .value = pressure / (restDensity * gravity * depth),
                                       .reference = 1,
                                       .tolerance = 0.03,
                                       .source = "p = rho0 g depth"});
}

static wbStatus readGauges(wbValidateRun *run, const Gauges *gauges, wbWorld *world) {
    const wbVec3 size = {0.2f, 0.2f, 0.2f};
    wbProbeId deep, half, level;
    double deepSum = 0, halfSum = 0, levelSum = 0;
    int count = 0;
    WB_TRY(addProbe(world, "deep", wb_probePressure, wbMakeVec3(0.5f, 0.05f, 0), size, &deep));
    WB_TRY(addProbe(world, "half", wb_probePressure, wbMakeVec3(0.5f, 0.5f, 0), size, &half));
    WB_TRY(addProbe(world, "level", wb_probeLevel, wbMakeVec3(0.5f, 0, 0), size, &level));
    for (double next = 3; wbWorld_GetTime(world) < 4 && !run->stopped;) {
        WB_TRY(wbStepCase(run, world, wbWorld_GetTime(world) / 4));
        if (wbWorld_GetTime(world) < next) continue;
        WB_TRY(addValue(world, deep, &deepSum));
        WB_TRY(addValue(world, half, &halfSum));
        WB_TRY(addValue(world, level, &levelSum));
        next += 1 / 60.0, count++;
    }
    if (run->stopped) return wb_okStatus;
    reportPressure(run, gauges->deep, deepSum / count, 0.95);
    reportPressure(run, gauges->half, halfSum / count, 0.5);
    wbReportQuantity(run, (wbQuantity){.quantity = gauges->level,
                                       .unit = "m",
                                       .value = levelSum / count,
                                       .reference = 1,
                                       .tolerance = 0.025,
                                       .source = "volume is kept"});
    return wb_okStatus;
}

wbStatus wbValidateProbesStill(wbValidateRun *run) {
    static const Gauges all[] = {{wb_solverSph, "pressure a spacing above the floor, sph",
                                  "pressure at half the depth, sph", "level, sph"},
                                 {wb_solverPbf, "pressure a spacing above the floor, pbf",
                                  "pressure at half the depth, pbf", "level, pbf"}};
    for (int k = 0; k < 2 && !run->stopped; k++) {
        wbWorldDef def = wbDefaultWorldDef();
        wbWorld *world;
        wbFluidId fluid;
        def.params.dimensions = 2;
        def.sph.spacing = def.pbf.spacing = 0.05f;
        def.domain.max = wbMakeVec3(1, 2, 0);
        WB_TRY(wbCreateCaseWorld(run, def, all[k].solver, &world, &fluid));
        wbStatus status = wbFluid_AddBlock(world, fluid, &(wbBlockDef){.max = {1, 1, 0}});
        if (wbIsOk(status)) status = readGauges(run, &all[k], world);
        wbDestroyWorld(world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// A round jet without gravity, 8 spacings wide.
static wbStatus runJet(wbValidateRun *run, wbWorld *world, wbFluidId fluid) {
    wbEmitterDef pipe = wbDefaultEmitterDef();
    wbEmitterId emitter;
    wbProbeId probe;
    double sum = 0;
    int count = 0;
    pipe.fluid = fluid;
    pipe.params.radius = 0.2f, pipe.params.velocity = 2;
    WB_TRY(wbCreateEmitter(world, &pipe, &emitter));
    WB_TRY(addProbe(world, "flow", wb_probeFlow, wbMakeVec3(0.5f, 0, 0), wbMakeVec3(1, 1, 1), &probe));
    for (double done = 0; (done = wbWorld_GetTime(world)) < 0.6 && !run->stopped;) {
        WB_TRY(wbStepCase(run, world, done));
        if (done < 0.4) continue;
        WB_TRY(addValue(world, probe, &sum));
        count++;
    }
    const double spacing = wbFluid_GetSpacing(world, fluid),
                 places = wbEmitter_GetStats(world, emitter).places;
    if (!run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = "flow of a jet",
                                           .unit = "of the emitter",
                                           .value = sum / count / (places * spacing * spacing * 2),
                                           .reference = 1,
                                           .tolerance = 0.02,
                                           .source = "what comes out goes through"});
    return wb_okStatus;
}

wbStatus wbValidateProbesJet(wbValidateRun *run) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbFluidId fluid;
    def.params.gravity = wbMakeVec3(0, 0, 0);
    def.sph.spacing = 0.05f;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverSph, &world, &fluid));
    wbStatus status = runJet(run, world, fluid);
    wbDestroyWorld(world);
    return status;
}
