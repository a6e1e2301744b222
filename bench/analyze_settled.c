// SPDX-License-Identifier: MIT
#include "bench/analyze_settled.h"

#include <math.h>

#include "bench/adaptive_theory.h"
#include "bench/plot.h"
#include "core/output_file.h"
#include "core/status.h"
#include "wirbel/wirbel.h"

enum { RINGS = 10, METHODS = 2, STEPS = 240, SITES = 80 };
static const double fluidRadius = 75; // in radii of the smallest particle
static const char *const names[METHODS] = {"thesis", "levels"};

typedef struct Profile {
    double place[RINGS], radius[RINGS], theory[RINGS]; // by the ring, in radii of the smallest
    int particles;
    double expected;
} Profile;

// Lattice sites of a disc around the origin.
static wbStatus fillDisc(wbWorld *world, wbFluidId fluid) {
    const float spacing = (float)wbFluid_GetSpacing(world, fluid), most = 0.5f * (float)fluidRadius * spacing;
    for (int n = 0; n < SITES * SITES; n++) {
        const float place[3] = {spacing * ((float)(n % SITES - SITES / 2) + 0.5f),
                                spacing * ((float)(n / SITES - SITES / 2) + 0.5f), 0};
        if (place[0] * place[0] + place[1] * place[1] < most * most)
            WB_TRY(wbFluid_AddParticles(world, fluid, 1, place, NULL));
    }
    return wb_okStatus;
}

// Of the mass in a ring: a mean over particles would be one over places.
static wbStatus measure(wbWorld *world, wbFluidId fluid, Profile *profile) {
    wbView view;
    double mass[RINGS] = {0};
    const double smallest = 0.5 * wbFluid_GetSpacing(world, fluid);
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    for (int k = 0; k < RINGS; k++) profile->radius[k] = 0;
    for (int i = 0; i < view.count; i++) {
        const int ring = (int)(hypot((double)view.x[i], (double)view.y[i]) / smallest / fluidRadius * RINGS);
        if (ring >= RINGS) continue;
        mass[ring] += (double)view.mass[i];
        profile->radius[ring] += (double)view.mass[i] * (double)view.radius[i] / smallest;
    }
    for (int k = 0; k < RINGS; k++)
        if (mass[k] > 0) profile->radius[k] /= mass[k];
    profile->particles = view.count;
    return wb_okStatus;
}

static wbStatus runDisc(wbWorld *world, Profile *profile) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId fluid;
    def.name = "water", def.solver = wb_solverPbf;
    WB_TRY(wbCreateFluid(world, &def, &fluid));
    WB_TRY(fillDisc(world, fluid));
    for (int k = 0; k < STEPS; k++) WB_TRY(wbWorld_Step(world, 1 / 60.0f));
    return measure(world, fluid, profile);
}

static wbStatus findProfile(int method, Profile *profile) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    wbAdaptiveTheory theory = wbMakeThesisTheory(2, fluidRadius);
    def.params.dimensions = 2, def.params.gravity = wbMakeVec3(0, 0, 0);
    def.pbf.spacing = 0.1f, def.pbf.tension = 0;
    def.pbf.adaptive.method = method == 0 ? wb_adaptiveThesis : wb_adaptiveLevels;
    if (method == 1)
        theory = (wbAdaptiveTheory){wb_theoryLevels,
                                    2,
                                    fluidRadius,
                                    2 * (double)def.pbf.smoothing,
                                    (double)def.pbf.adaptive.slope,
                                    (double)def.pbf.adaptive.band};
    for (int k = 0; k < RINGS; k++) {
        profile->place[k] = (k + 0.5) * fluidRadius / RINGS;
        profile->theory[k] = wbTheory_GetRadius(&theory, profile->place[k]);
    }
    profile->expected = wbTheory_CountParticles(&theory);
    WB_TRY(wbCreateWorld(&def, &world));
    const wbStatus status = runDisc(world, profile);
    wbDestroyWorld(world);
    return status;
}

static void print(bool json, const Profile *profile, const char *name, FILE *out) {
    if (!json)
        fprintf(out,
                "Disc of %g radii after 4 s, %s: %d particles, %.0f by theory\n\n| from the centre | mean "
                "radius | "
                "theory |\n|---|---|---|\n",
                fluidRadius, name, profile->particles, profile->expected);
    for (int k = 0; k < RINGS; k++)
        fprintf(out,
                json ? "{\"name\": \"profile\", \"method\": \"%s\", \"place\": %g, \"radius\": %.4g, "
                       "\"theory\": %.4g}\n"
                     : "%.0s| %g | %.3f | %.3f |\n",
                name, profile->place[k], profile->radius[k], profile->theory[k]);
    if (!json) fprintf(out, "\n");
}

wbStatus wbAnalyzeSettled(bool json, const char *folder, FILE *out) {
    Profile profiles[METHODS];
    char path[WB_MAX_PATH];
    for (int m = 0; m < METHODS; m++) {
        WB_TRY(findProfile(m, &profiles[m]));
        print(json, &profiles[m], names[m], out);
    }
    const wbSeries series[] = {{"thesis, theory", profiles[0].place, profiles[0].theory, RINGS, false},
                               {"thesis", profiles[0].place, profiles[0].radius, RINGS, true},
                               {"levels, theory", profiles[1].place, profiles[1].theory, RINGS, false},
                               {"levels", profiles[1].place, profiles[1].radius, RINGS, true}};
    const wbPlot plot = {"Mean radius of particles in a disc after 4 s", "distance from the centre", "radius",
                         series, 4};
    if (snprintf(path, sizeof path, "%s/adaptive-disc.svg", folder) >= (int)sizeof path)
        return wbError(wb_errorInput, "the folder's name is too long");
    return wbWritePlot(path, &plot);
}
