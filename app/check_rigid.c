// SPDX-License-Identifier: MIT
// What `wirbel check` and `wirbel run` say of rigid bodies, their joints and forces alone.
#include <stdio.h>

#include "app/args.h"
#include "app/solvers.h"

enum { MOST_LINES = 20 }; // of a kind; of more than these only the number is told

static const char *nameOr(const char *name) { return name[0] ? name : "without a name"; }

static void printBodies(const wbWorld *world) {
    const int count = wbWorld_GetRigidBodyCount(world);
    for (int i = 0; i < count && count <= MOST_LINES; i++) {
        const wbRigidBodyId id = wbWorld_GetRigidBody(world, i);
        const char *name = nameOr(wbRigidBody_GetName(world, id));
        if (wbRigidBody_GetParams(world, id)->type == wb_rigidDynamic)
            printf("rigid body %s: %.4g kg\n", name, (double)wbRigidBody_GetMass(world, id).mass);
        else
            printf("rigid body %s: does not feel forces\n", name);
    }
    if (count > MOST_LINES) printf("bodies     %d rigid bodies\n", count);
}

// "joint      pin: ball"
static void printKind(const char *object, const char *name, const void *params) {
    char kind[32] = "";
    (void)wbParam_GetText(wbFindParam(wbGetObjectParams(object), "kind"), params, kind, sizeof kind);
    printf("%-10s %s: %s\n", object, nameOr(name), kind);
}

static void printJoints(const wbWorld *world) {
    const int count = wbWorld_GetJointCount(world);
    for (int i = 0; i < count && count <= MOST_LINES; i++) {
        const wbJointId id = wbWorld_GetJoint(world, i);
        printKind("joint", wbJoint_GetName(world, id), wbJoint_GetParams(world, id));
    }
    if (count > MOST_LINES) printf("joints     %d joints\n", count);
}

static void printForces(const wbWorld *world) {
    const int count = wbWorld_GetForceCount(world);
    for (int i = 0; i < count && count <= MOST_LINES; i++) {
        const wbForceId id = wbWorld_GetForce(world, i);
        printKind("force", wbForce_GetName(world, id), wbForce_GetParams(world, id));
    }
    if (count > MOST_LINES) printf("forces     %d forces\n", count);
}

static void describe(const wbScene *scene, wbWorld *world) {
    (void)scene;
    printBodies(world);
    printJoints(world);
    printForces(world);
}

static void warnOfStart(wbWorld *world) {
    const int joints = wbWorld_GetJointCount(world);
    if (joints == 0 || wbWorld_GetRigidParams(world)->contact != wb_contactParticles) return;
    wbComplain(
        "warning: rigid.contact is particles, and bodies of particles do not feel joints, of which there "
        "%s %d: set it to exact",
        joints == 1 ? "is" : "are", joints);
}

const wbSolverReport wb_rigidReport = {.name = "rigid", .describe = describe, .warnOfStart = warnOfStart};
