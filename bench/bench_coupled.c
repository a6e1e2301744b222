// SPDX-License-Identifier: MIT
// What coupling costs: a scene of water with bodies beside its water alone, beside the same where water and bodies do
// not know of each other, and beside its own water, stirred as it is, from which the bodies were just taken. The worlds
// are stepped in turns, so that whatever else the machine does slows all of them down.
#include <string.h>

#include "bench/bench_case.h"
#include "core/memory.h"
#include "core/status.h"
#include "wirbel/scene.h"
#include "wirbel/wirbel.h"
#include "world/world.h"

typedef enum Kind { COUPLED, ALONE, OFF, STIRRED, KINDS } Kind;
// Steps: of water from which bodies were taken a few, since it closes over their places in some more.
enum { TURN = 10, WITHOUT = 4 };

typedef struct Sitting {
    wbWorld *worlds[KINDS];
    wbBenchTimes times[KINDS];
    wbBytes bytes;
} Sitting;

static wbStatus takeBodies(wbWorld *world) {
    while (wbWorld_GetRigidBodyCount(world) > 0)
        WB_TRY(wbDestroyRigidBody(world, wbWorld_GetRigidBody(world, 0)));
    return wb_okStatus;
}

static wbStatus open(const char *path, const wbBenchOptions *options, Kind kind, wbWorld **world) {
    wbScene *scene;
    WB_TRY(wbReadBenchScene(path, options, &scene));
    if (kind == OFF) wbScene_GetWorldDef(scene)->coupling.waterRigid = wb_pairOff;
    wbStatus status = wbScene_CreateWorld(scene, world);
    wbDestroyScene(scene);
    return wbIsOk(status) && kind == ALONE ? takeBodies(*world) : status;
}

// As the coupled world is now; the first step makes anew what bodies had a part in.
static wbStatus stepStirred(Sitting *sitting, int steps) {
    wbWorld *world = sitting->worlds[STIRRED];
    WB_TRY(wbWorld_SaveToBytes(sitting->worlds[COUPLED], &sitting->bytes));
    WB_TRY(wbWorld_Restore(world, sitting->bytes.data, sitting->bytes.size));
    WB_TRY(takeBodies(world));
    WB_TRY(wbWorld_Step(world, 0));
    for (int k = 0; k < steps; k++) WB_TRY(wbTimeStep(world, &sitting->times[STIRRED]));
    return wb_okStatus;
}

static wbStatus stepAll(Sitting *sitting, int steps, bool isTimed, const wbBenchOptions *options) {
    for (int done = 0; done < steps; done += TURN) {
        for (int kind = 0; kind < STIRRED; kind++)
            for (int k = done; k < steps && k < done + TURN && !wbIsBenchStopped(options); k++)
                WB_TRY(isTimed ? wbTimeStep(sitting->worlds[kind], &sitting->times[kind])
                               : wbWorld_Step(sitting->worlds[kind], 0));
        if (isTimed && !wbIsBenchStopped(options))
            WB_TRY(stepStirred(sitting, steps - done < WITHOUT ? steps - done : WITHOUT));
    }
    return wb_okStatus;
}

static bool isNear(const wbBoundary *boundary, const wbBoundaryBody *body, const wbParticles *particles,
                   int i) {
    const wbPose *pose = &body->motions[wb_atEnd].pose;
    const wbVec3 p = wbPose_ApplyInverse(pose, wbMakeVec3(particles->x[i], particles->y[i], particles->z[i]));
    const float radius = boundary->key.radius;
    if (wbDot(p, p) > (body->reach + radius) * (body->reach + radius)) return false;
    for (int k = body->first; k < body->first + body->count; k++) {
        const wbVec3 way =
            wbSub(p, wbMakeVec3(boundary->localX[k], boundary->localY[k], boundary->localZ[k]));
        if (boundary->weight[k] > 0 && wbDot(way, way) < radius * radius) return true;
    }
    return false;
}

// The part of all particles that have a point of a body within the kernel's reach.
static double findShare(const wbWorld *world) {
    int near = 0, count = 0;
    for (const wbParticleFluid *liquid = NULL; (liquid = wbGetNextLiquid(world, liquid)) != NULL;) {
        const wbBoundary *boundary = &liquid->boundary;
        const wbParticles *particles = liquid->particles;
        for (int i = 0; i < particles->count; i++) {
            bool is = false;
            for (int b = 0; b < boundary->bodyCount && !is; b++)
                is = isNear(boundary, wbBoundary_GetBody(boundary, b), particles, i);
            near += is;
        }
        count += particles->count;
    }
    return count > 0 ? (double)near / count : 0;
}

// All but what the bodies do among themselves.
static double findMs(wbWorld *world, wbBenchTimes *times) {
    wbBenchResult result = {.steps = 0};
    const wbProfile profile = wbWorld_GetProfile(world);
    wbBenchTimes_Summarise(times, &result);
    double rigid = 0;
    for (int k = 0; k < result.stageCount; k++)
        if (strncmp(profile.phases[k].name, "rigid_", 6) == 0) rigid += result.stages[k].ms;
    return result.msPerStep - rigid;
}

static wbStatus runSitting(Sitting *sitting, const wbBenchCase *benchCase, const wbBenchOptions *options,
                           wbBenchResult *result) {
    char path[1024];
    WB_TRY(wbGetBenchScene(benchCase, options, path, sizeof path));
    for (int kind = 0; kind < KINDS; kind++) {
        WB_TRY(wbCreateBenchTimes(benchCase->timed, &sitting->times[kind]));
        WB_TRY(open(path, options, (Kind)kind, &sitting->worlds[kind]));
    }
    WB_TRY(stepAll(sitting, benchCase->warmUp, false, options));
    WB_TRY(stepAll(sitting, benchCase->timed, true, options));
    result->stopped = wbIsBenchStopped(options);
    if (result->stopped) return wb_okStatus;
    wbDescribeBenchWorld(sitting->worlds[COUPLED], result);
    wbBenchTimes_Summarise(&sitting->times[COUPLED], result);
    result->msAlone = findMs(sitting->worlds[ALONE], &sitting->times[ALONE]);
    result->msOff = findMs(sitting->worlds[OFF], &sitting->times[OFF]);
    result->msStirred = findMs(sitting->worlds[STIRRED], &sitting->times[STIRRED]);
    result->nearShare = findShare(sitting->worlds[COUPLED]);
    return wb_okStatus;
}

wbStatus wbBenchCoupled(const wbBenchCase *benchCase, const wbBenchOptions *options, wbBenchResult *result) {
    Sitting sitting = {.worlds = {NULL}};
    const wbStatus status = runSitting(&sitting, benchCase, options, result);
    for (int kind = 0; kind < KINDS; kind++) {
        wbDestroyWorld(sitting.worlds[kind]);
        wbDestroyBenchTimes(&sitting.times[kind]);
    }
    wbFreeBytes(&sitting.bytes);
    return status;
}
