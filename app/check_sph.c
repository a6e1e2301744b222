// SPDX-License-Identifier: MIT
// What `wirbel check` and `wirbel run` say of water by SPH alone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/args.h"
#include "app/solvers.h"
#include "scene/scene.h"

// Without it nothing is too fast or too deep.
static bool hasSound(const wbWorld *world) { return wbWorld_GetSphParams(world)->method != wb_sphSplit; }

// what was chosen where the scene says auto, and what follows from it
static void describe(const wbScene *scene, wbWorld *world) {
    const wbSphParams *sph = wbWorld_GetSphParams(world);
    char wanted[64] = "";
    (void)wbScene_Get(scene, "sph.soundSpeed", wanted, sizeof wanted);
    bool isTait = sph->equation == wb_equationTait;
    double c = (double)sph->soundSpeed, stiffness = (double)sph->restDensity * c * c / (isTait ? 7 : 1);
    printf("water      spacing %.4g m, h = %.3g spacings, rest density %.4g kg/m3\n", (double)sph->spacing,
           (double)sph->smoothing, (double)sph->restDensity);
    if (!hasSound(world)) {
        printf("pressure   solved for (split), to %.3g of density, in %d to %d updates\n",
               (double)sph->tolerance, sph->minIterations, sph->maxIterations);
        return;
    }
    printf("sound      %.4g m/s%s, %s = %.4g Pa\n", c,
           strcmp(wanted, "auto") == 0 ? " (auto: 1 % compression)" : "", isTait ? "B" : "rho0 c2",
           stiffness);
}

// Water that is nearly as fast as its own sound is pressed together by more than any water.
static void warnOfSpeed(const wbWorld *world, const char *what, const char *name, double speed) {
    double sound = (double)wbWorld_GetSphParams(world)->soundSpeed;
    if (speed > 0.5 * sound)
        wbComplain(
            "warning: %s \"%s\" starts water at %.4g m/s, but sph.soundSpeed is %.4g m/s and should be ten "
            "times that: raise it, or let it be auto",
            what, name, speed, sound);
}

static void warn(const wbScene *scene, wbWorld *world) {
    if (!hasSound(world)) return;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId id = wbWorld_GetFluid(world, i);
        wbView view;
        double most = 0;
        if (wbFluid_GetSolver(world, id) != wb_solverSph || !wbIsOk(wbFluid_GetView(world, id, &view)))
            continue;
        for (int k = 0; k < view.count; k++) {
            double x = view.vx[k * view.stride], y = view.vy[k * view.stride], z = view.vz[k * view.stride];
            most = fmax(most, x * x + y * y + z * z);
        }
        warnOfSpeed(world, "fluid", wbFluid_GetName(world, id), sqrt(most));
    }
    for (int i = 0; i < scene->emitterCount; i++) {
        const wbSceneEmitter *emitter = wbScene_GetEmitter(scene, i);
        for (int k = 0; k < scene->fluidCount; k++)
            if (strcmp(wbScene_GetFluid(scene, k)->name, emitter->fluid) == 0 &&
                wbScene_GetFluid(scene, k)->solver == wb_solverSph)
                warnOfSpeed(world, "emitter", emitter->name, (double)emitter->params.velocity);
    }
}

// m2/s2, of -g·x: what the highest particle of the fluid lies above the lowest
static double getHead(const wbWorld *world, const wbView *view) {
    const wbVec3 g = wbWorld_GetWorldParams(world)->gravity;
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < view->count; k++) {
        const int i = k * view->stride;
        double height = -((double)g.x * view->x[i] + (double)g.y * view->y[i] + (double)g.z * view->z[i]);
        least = fmin(least, height), most = fmax(most, height);
    }
    return view->count > 0 ? most - least : 0;
}

// rho/rho0 - 1 = r g depth / c2 at the bottom: all fluids are as stiff as the solver's, whose density one has r times
static void warnOfStart(wbWorld *world) {
    const wbSphParams *sph = wbWorld_GetSphParams(world);
    const double allowed = 0.05, sound = (double)sph->soundSpeed;
    if (!hasSound(world)) return;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId fluid = wbWorld_GetFluid(world, i);
        wbView view;
        if (wbFluid_GetSolver(world, fluid) != wb_solverSph || !wbIsOk(wbFluid_GetView(world, fluid, &view)))
            continue;
        double relative = wbFluid_GetRestDensity(world, fluid) / (double)sph->restDensity;
        double head = relative * getHead(world, &view);
        if (head > allowed * sound * sound)
            wbComplain("warning: fluid \"%s\" is too deep for sph.soundSpeed %.4g m/s, which lets its weight "
                       "compress it by %.2g %%: let it be auto, or at least %.3g m/s",
                       wbFluid_GetName(world, fluid), sound, 100 * head / (sound * sound), 10 * sqrt(head));
    }
}

const wbSolverReport wb_sphReport = {
    .name = "sph", .describe = describe, .warn = warn, .warnOfStart = warnOfStart};
