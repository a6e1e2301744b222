// SPDX-License-Identifier: MIT
// wirbel check: reads a scene, says what it holds and what looks wrong.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/check_fluids.h"
#include "app/check_places.h"
#include "app/check_scene.h"
#include "app/commands.h"
#include "app/open_scene.h"
#include "app/solvers.h"
#include "core/status.h"
#include "core/text.h"
#include "scene/forms.h"
#include "scene/scene.h"

// A side that fluid slips along drags nothing, and one that is open neither.
static void warnOfSides(const wbDomainDef *domain, int dimensions) {
    for (int s = 0; s < 2 * dimensions; s++) {
        wbVec3 v = domain->sides[s].velocity;
        if (domain->sides[s].type == wb_sideNoSlip || wbDot(v, v) == 0) continue;
        wbComplain("warning: side %s has a velocity, but %s: make its type noSlip", wb_sideNames[s],
                   domain->sides[s].type == wb_sideOpen ? "it is open" : "everything slips along it");
    }
}

static void printDomain(const wbWorld *world) {
    const wbDomainDef domain = wbWorld_GetDomain(world);
    int dimensions = wbWorld_GetWorldParams(world)->dimensions;
    int closed = 0;
    for (int side = 0; side < 2 * dimensions; side++) closed += domain.sides[side].type != wb_sideOpen;
    wbVec3 size = wbSub(domain.max, domain.min);
    if (closed == 0)
        printf("domain     open\n");
    else if (dimensions == 2)
        printf("domain     %.4g x %.4g m, %d of 4 sides closed\n", (double)size.x, (double)size.y, closed);
    else
        printf("domain     %.4g x %.4g x %.4g m, %d of 6 sides closed\n", (double)size.x, (double)size.y,
               (double)size.z, closed);
}

static void printFluids(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId fluid = wbWorld_GetFluid(world, i);
        printf("fluid      %s: %d particles of %.4g kg, h = %.4g m\n", wbFluid_GetName(world, fluid),
               wbFluid_GetParticleCount(world, fluid), wbFluid_GetParticleMass(world, fluid),
               wbFluid_GetSupportRadius(world, fluid));
        if (wbFluid_GetParticleCount(world, fluid) == 0 && wbWorld_GetEmitterCount(world) == 0)
            wbComplain("warning: fluid \"%s\" has no particles", wbFluid_GetName(world, fluid));
    }
}

static void printFlow(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++)
        printf("emitter    %s\n", wbEmitter_GetName(world, wbWorld_GetEmitter(world, i)));
    for (int i = 0; i < wbWorld_GetDrainCount(world); i++)
        printf("drain      %s\n", wbDrain_GetName(world, wbWorld_GetDrain(world, i)));
}

static void printSoftBodies(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        wbColliderId id = wbWorld_GetCollider(world, i);
        printf("collider   %s: %d triangles\n", wbCollider_GetName(world, id),
               wbCollider_GetMesh(world, id)->triangleCount);
    }
    for (int i = 0; i < wbWorld_GetMechanismCount(world); i++)
        printf("mechanism  %s\n", wbMechanism_GetName(world, wbWorld_GetMechanism(world, i)));
}

static void printSoft(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetSoftBodyCount(world); i++) {
        wbSoftBodyId id = wbWorld_GetSoftBody(world, i);
        printf("soft body  %s: %d particles, %d constraints\n", wbSoftBody_GetName(world, id),
               wbSoftBody_GetParticleCount(world, id), wbSoftBody_GetMesh(world, id).constraintCount);
    }
}

static void printProbes(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetProbeCount(world); i++) {
        wbProbeId id = wbWorld_GetProbe(world, i);
        char key[80], kind[32] = "";
        snprintf(key, sizeof key, "%s.kind", wbProbe_GetName(world, id));
        (void)wbWorld_GetParam(world, key, kind, sizeof kind);
        printf("probe      %s: %s\n", wbProbe_GetName(world, id), kind);
    }
}

// what does nothing as it stands
static void warnOfIdle(const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetMechanismCount(world); i++) {
        wbMechanismId id = wbWorld_GetMechanism(world, i);
        const wbMechanismParams *p = wbMechanism_GetParams(world, id);
        const char *name = wbMechanism_GetName(world, id);
        if (p->kind == wb_mechanismWheel && p->drive == wb_driveHand && p->speed == 0)
            wbComplain("warning: wheel \"%s\" is turned by hand, but its speed is 0", name);
        if (p->kind == wb_mechanismLock && p->period > 0 && p->gates == wb_lockShut)
            wbComplain(
                "warning: lock \"%s\" has a period, but its gates are shut: let it start with upper or lower",
                name);
    }
}

static void printTimeStep(const wbWorld *world) {
    bool isAuto = wbWorld_GetWorldParams(world)->dt == 0;
    double limit = (double)wbWorld_GetStableStep(world);
    printf("dt         %.4g s%s", (double)wbWorld_GetTimeStep(world), isAuto ? " (auto)" : "");
    if (isfinite(limit)) printf(", stability limit %.4g s", limit);
    printf("\n");
    wbWarnOfTimeStep(world);
}

// What only shows in a step: memory, particles on top of each other, speeds that cannot be.
static wbStatus tryStep(wbWorld *world) {
    char held[32], peak[32], limit[32];
    wbFormatBytes((double)wbWorld_GetProfile(world).bytes, held, sizeof held);
    WB_TRY(wbWorld_Step(world, 0));
    wbFormatBytes((double)wbWorld_GetProfile(world).peakBytes, peak, sizeof peak);
    wbFormatBytes((double)wbWorld_GetWorldParams(world)->memoryLimit, limit, sizeof limit);
    printf("memory     %s, %s with the first step, limit %s\n", held, peak, limit);
    return wb_okStatus;
}

static wbStatus printWorld(const wbScene *scene, wbWorld *world) {
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    const wbOutputParams *output = wbScene_GetOutput(scene);
    printf("%s\n", wbScene_GetTitle(scene));
    printf("world      %d dimensions, %.4g s, %.4g frames/s\n", params->dimensions, (double)params->seconds,
           (double)output->fps);
    warnOfSides(&scene->def.domain, params->dimensions); // a world keeps only what is along them
    printDomain(world);
    printFluids(world);
    wbPrintQualities(scene);
    wbPrintBlocks(scene, world);
    wbDescribeSolvers(scene, world);
    printFlow(world);
    printSoftBodies(world);
    printSoft(world);
    printProbes(world);
    warnOfIdle(world);
    wbWarnOfScene(scene, world);
    wbWarnOfSolvers(scene, world);
    wbWarnOfPlaces(scene, world);
    if (output->colourMin >= output->colourMax) // not if one of them is auto
        wbComplain("warning: output.colourMin is %g, not below output.colourMax, which is %g",
                   (double)output->colourMin, (double)output->colourMax);
    printTimeStep(world);
    wbWarnOfStart(world);
    WB_TRY(tryStep(world));
    wbWarnOfCompression(world);
    return wb_okStatus;
}

static int checkScene(const wbOptions *options) {
    wbScene *scene = wbOpenScene(options);
    wbWorld *world = NULL;
    if (!scene) return WB_EXIT_USAGE;
    wbStatus status = wbScene_CreateWorld(scene, &world);
    if (wbIsOk(status)) status = printWorld(scene, world);
    if (!wbIsOk(status)) wbComplain("%s", status.text);
    wbDestroyWorld(world);
    wbDestroyScene(scene);
    return wbIsOk(status) ? WB_EXIT_DONE : wbGetRefusalExit(status);
}

const wbCommand wb_checkCommand = {
    "check", "SCENE", "read a scene, say what it holds and what looks wrong", 1, 1, NULL, 0, checkScene,
};
