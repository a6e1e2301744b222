// SPDX-License-Identifier: MIT
#include "bench/analyze_settled.h"

#include <math.h>

#include "bench/adaptive_theory.h"
#include "bench/plot.h"
#include "core/output_file.h"
#include "core/status.h"
#include "wirbel/wirbel.h"

enum { SHELLS = 10, METHODS = 2 };
static const char *const names[METHODS] = {"thesis", "levels"};

// Levels are filled before the first step; thesis merges while it runs. Below some size of a ball levels stay off, and thesis is slow.
typedef struct Form {
    const char *name, *file, *title;
    int dimensions;
    double radius[METHODS]; // of the fluid, in radii of the smallest particle
    int steps[METHODS];     // of 1/60 s
} Form;

static const Form forms[] = {
    {"disc", "adaptive-disc", "Mean radius of particles in a disc at rest", 2, {75, 75}, {300, 240}},
    {"ball", "adaptive-ball", "Mean radius of particles in a ball at rest", 3, {40, 60}, {240, 60}}};

// By the shell; radii and distances in radii of the smallest particle.
typedef struct Profile {
    double place[SHELLS], radius[SHELLS], wanted[SHELLS], distance[SHELLS];
    int particles, steps;
    double expected, size;
} Profile;

// Lattice sites around the origin.
static wbStatus fill(wbWorld *world, wbFluidId fluid, int dimensions, double radius) {
    const double spacing = wbFluid_GetSpacing(world, fluid), most = 0.5 * radius * spacing;
    const int half = (int)ceil(0.5 * radius), layers = dimensions == 3 ? half : 0;
    for (int k = -layers; k < layers || k == 0; k++)
        for (int j = -half; j < half; j++)
            for (int i = -half; i < half; i++) {
                const double x = spacing * (i + 0.5), y = spacing * (j + 0.5),
                             z = dimensions == 3 ? spacing * (k + 0.5) : 0;
                const float place[3] = {(float)x, (float)y, (float)z};
                if (x * x + y * y + z * z < most * most)
                    WB_TRY(wbFluid_AddParticles(world, fluid, 1, place, NULL));
            }
    return wb_okStatus;
}

// Of the mass in a shell: a mean over particles would be one over places.
static wbStatus measure(wbWorld *world, wbFluidId fluid, Profile *profile) {
    wbView view;
    double mass[SHELLS] = {0};
    const double smallest = 0.5 * wbFluid_GetSpacing(world, fluid);
    WB_TRY(wbFluid_GetView(world, fluid, &view));
    for (int i = 0; i < view.count; i++) {
        const double x = (double)view.x[i], y = (double)view.y[i], z = (double)view.z[i],
                     m = (double)view.mass[i];
        const int shell = (int)(sqrt(x * x + y * y + z * z) / smallest / profile->size * SHELLS);
        if (shell >= SHELLS) continue;
        mass[shell] += m;
        profile->radius[shell] += m * (double)view.radius[i] / smallest;
        profile->distance[shell] += m * (double)view.distance[i] / smallest;
    }
    for (int k = 0; k < SHELLS; k++)
        if (mass[k] > 0) profile->radius[k] /= mass[k], profile->distance[k] /= mass[k];
    profile->particles = view.count;
    return wb_okStatus;
}

static wbStatus rest(wbWorld *world, const Form *form, Profile *profile) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId fluid;
    def.name = "water", def.solver = wb_solverPbf;
    WB_TRY(wbCreateFluid(world, &def, &fluid));
    WB_TRY(fill(world, fluid, form->dimensions, profile->size));
    for (int k = 0; k < profile->steps; k++) WB_TRY(wbWorld_Step(world, 1 / 60.0f));
    return measure(world, fluid, profile);
}

static wbStatus findProfile(const Form *form, int method, double seconds, Profile *profile) {
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.params.dimensions = form->dimensions, def.params.gravity = wbMakeVec3(0, 0, 0);
    def.pbf.spacing = 0.1f, def.pbf.tension = 0;
    def.pbf.adaptive.method = method == 0 ? wb_adaptiveThesis : wb_adaptiveLevels;
    const double size = form->radius[method];
    const wbAdaptiveTheory theory = method == 0 ? wbMakeThesisTheory(form->dimensions, size)
                                                : wbMakeLevelsTheory(&def.pbf, form->dimensions, size);
    *profile = (Profile){.size = size, .expected = wbTheory_CountParticles(&theory)};
    profile->steps = seconds < 0 ? form->steps[method] : (int)fmin(form->steps[method], 60 * seconds);
    for (int k = 0; k < SHELLS; k++) {
        profile->place[k] = (k + 0.5) * size / SHELLS;
        profile->wanted[k] = wbTheory_GetRadius(&theory, profile->place[k]);
    }
    WB_TRY(wbCreateWorld(&def, &world));
    const wbStatus status = rest(world, form, profile);
    wbDestroyWorld(world);
    return status;
}

static void print(bool json, const Form *form, int method, const Profile *profile, FILE *out) {
    if (!json)
        fprintf(out,
                "A %s of %g radii after %g s, %s: %d particles, %.0f by theory\n\n| from the centre | mean "
                "radius | theory | distance to the surface | theory |\n|---|---|---|---|---|\n",
                form->name, profile->size, profile->steps / 60.0, names[method], profile->particles,
                profile->expected);
    for (int k = 0; k < SHELLS; k++)
        fprintf(out,
                json ? "{\"name\": \"profile\", \"form\": \"%s\", \"method\": \"%s\", \"place\": %g, "
                       "\"radius\": %.4g, \"theory\": %.4g, \"distance\": %.4g, \"distance_theory\": %.4g}\n"
                     : "%.0s%.0s| %g | %.3f | %.3f | %.2f | %.2f |\n",
                form->name, names[method], profile->place[k], profile->radius[k], profile->wanted[k],
                profile->distance[k], profile->size - profile->place[k]);
    if (!json) fprintf(out, "\n");
}

static wbStatus plot(const Form *form, const Profile profiles[METHODS], const char *folder) {
    char path[WB_MAX_PATH];
    const wbSeries series[] = {{"thesis, theory", profiles[0].place, profiles[0].wanted, SHELLS, false},
                               {"thesis", profiles[0].place, profiles[0].radius, SHELLS, true},
                               {"levels, theory", profiles[1].place, profiles[1].wanted, SHELLS, false},
                               {"levels", profiles[1].place, profiles[1].radius, SHELLS, true}};
    const wbPlot drawn = {form->title, "distance from the centre", "radius", series, 4};
    if (snprintf(path, sizeof path, "%s/%s.svg", folder, form->file) >= (int)sizeof path)
        return wbError(wb_errorInput, "the folder's name is too long");
    return wbWritePlot(path, &drawn);
}

wbStatus wbAnalyzeSettled(bool json, double seconds, const char *folder, FILE *out) {
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        Profile profiles[METHODS];
        for (int m = 0; m < METHODS; m++) {
            WB_TRY(findProfile(&forms[f], m, seconds, &profiles[m]));
            print(json, &forms[f], m, &profiles[m], out);
        }
        WB_TRY(plot(&forms[f], profiles, folder));
    }
    return wb_okStatus;
}
