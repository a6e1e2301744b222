// SPDX-License-Identifier: MIT
#include "bench/stable_step.h"

#include <math.h>

#include "bench/block.h"
#include "core/status.h"

enum { across = 16 };
static const double shortest = 0.002, longest = 0.016, fineness = 1.02; // s, s, ratio of the last two
static const double duration = 10, watched = 2, pause = 0.1;            // s
static const double calm = 1.2;                                         // times the energy of the short step

// Where a search stands: what it tries, and the share of all of it that is done.
typedef struct Search {
    wbValidateRun *run;
    wbIntegrator integrator;
    wbEquation equation;
    double done, share;
} Search;

// J, mean over the end of the run.
static wbStatus watch(const Search *search, wbWorld *world, double *energy) {
    double next = duration - watched, sum = 0;
    int samples = 0;
    while (wbWorld_GetTime(world) < duration && !search->run->stopped) {
        double done = search->done + search->share * wbWorld_GetTime(world) / duration;
        WB_TRY(wbStepCase(search->run, world, done));
        if (wbWorld_GetTime(world) < next) continue;
        sum += wbWorld_GetStats(world).kinetic;
        samples++;
        next += pause;
    }
    *energy = sum / samples;
    return wb_okStatus;
}

// The energy is infinite if the water does not stay stable.
static wbStatus measureEnergy(const Search *search, double dt, double *energy) {
    wbWorldDef def = wbMakeBlockWorld(across);
    wbWorld *world;
    wbFluidId fluid;
    def.params.dt = (float)dt;
    def.sph.integrator = search->integrator;
    def.sph.equation = search->equation;
    WB_TRY(wbCreateCaseWorld(search->run, def, wb_solverSph, &world, &fluid));
    wbStatus status = wbAddBlockOf(world, fluid, across);
    if (wbIsOk(status)) status = watch(search, world, energy);
    wbDestroyWorld(world);
    if (status.code != wb_errorUnstable) return status;
    *energy = INFINITY;
    return wb_okStatus;
}

// The largest step whose energy stays below the limit.
static wbStatus bisect(Search *search, double limit, double *dt) {
    double low = 0, high = longest, step = shortest, energy;
    int runs = 1 + (int)ceil(log2(log(longest / shortest) / log(fineness)));
    search->share /= runs;
    for (int k = 0; k < runs && !search->run->stopped; k++) {
        WB_TRY(measureEnergy(search, step, &energy));
        *(energy <= limit ? &low : &high) = step;
        if (low == 0) break;
        step = sqrt(low * high);
        search->done += search->share;
    }
    *dt = low;
    return wb_okStatus;
}

wbStatus wbFindStableSteps(wbValidateRun *run, wbStableSteps *steps) {
    const double share = 1.0 / (WB_EQUATIONS * (WB_INTEGRATORS + 1));
    *steps = (wbStableSteps){0};
    for (int e = 0; e < WB_EQUATIONS; e++) {
        double reference;
        Search search = {run, wb_integratorLeapfrog, (wbEquation)e, (double)e / WB_EQUATIONS, share};
        WB_TRY(measureEnergy(&search, shortest, &reference));
        for (int i = 0; i < WB_INTEGRATORS && !run->stopped; i++) {
            search = (Search){run, (wbIntegrator)i, (wbEquation)e, (double)e / WB_EQUATIONS + (i + 1) * share,
                              share};
            WB_TRY(bisect(&search, calm * reference, &steps->dt[i][e]));
        }
    }
    return wb_okStatus;
}
