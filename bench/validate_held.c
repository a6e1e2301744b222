// SPDX-License-Identifier: MIT
// What is held deep under water feels the weight of the water that it displaces, and no torque; a cube that is free stands on a corner.
#include <math.h>

#include "bench/couple_method.h"
#include "bench/validate_case.h"
#include "core/status.h"
#include "wirbel/rigid.h"

static const double spacing = 0.025, gravity = 9.81, edge = 0.2;

static wbWorldDef makeDef(double width, double height) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.gravity = wbMakeVec3(0, (float)-gravity, 0);
    def.sph.spacing = def.pbf.spacing = (float)spacing;
    def.domain.max = wbMakeVec3((float)width, (float)height, (float)width);
    return def;
}

// What is held

enum { shapeCount = 3, heldFrames = 180, heldMean = 60 };

typedef struct Held {
    wbWorld *world;
    wbFluidId water;
    wbColliderId body;
    double force, torque; // N, N m: means
} Held;

static wbColliderDef makeShape(int shape, double x, double y) {
    wbColliderDef def = wbDefaultColliderDef();
    def.name = "body", def.params.position = wbMakeVec3((float)x, (float)y, (float)x);
    def.params.size = wbMakeVec3((float)edge, (float)edge, (float)edge);
    if (shape == 1) def.params.shape = wb_shapeSphere, def.params.radius = (float)(0.5 * edge);
    if (shape == 2) def.params.rotation = wbMakeVec3(20, 10, 35);
    return def;
}

static wbStatus hold(wbValidateRun *run, wbCoupleMethod method, int shape, Held *held) {
    const double width = 0.5, depth = 0.5;
    wbWorldDef def = makeDef(width, 0.8);
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, &held->world, &held->water));
    const wbColliderDef body = makeShape(shape, 0.5 * width, 0.5 * depth);
    WB_TRY(wbCreateCollider(held->world, &body, &held->body));
    const wbBlockDef block = {.max = {(float)width, (float)depth, (float)width}};
    WB_TRY(wbFluid_AddBlock(held->world, held->water, &block));
    double torque[3] = {0};
    for (int k = 0; k < heldFrames && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, held->world, (double)k / heldFrames));
        const wbColliderStats stats = wbCollider_GetStats(held->world, held->body);
        if (k < heldFrames - heldMean) continue;
        held->force += stats.force[1] / heldMean;
        for (int a = 0; a < 3; a++) torque[a] += stats.torque[a] / heldMean;
    }
    held->torque = sqrt(torque[0] * torque[0] + torque[1] * torque[1] + torque[2] * torque[2]);
    return wb_okStatus;
}

static void reportHeld(wbValidateRun *run, const Held *held, int shape, const char *force,
                       const char *torque) {
    const double volume = shape == 1 ? acos(-1.0) / 6 * pow(edge, 3) : pow(edge, 3),
                 weight = 1000 * gravity * volume;
    wbReportQuantity(run, (wbQuantity){.quantity = force,
                                       .unit = "N",
                                       .value = held->force,
                                       .reference = weight,
                                       .tolerance = 0.03 * weight,
                                       .source = "rho0 g V, Archimedes"});
    wbReportQuantity(run, (wbQuantity){.quantity = torque,
                                       .unit = "rho0 g V a",
                                       .value = held->torque / (weight * edge),
                                       .tolerance = 0.01,
                                       .source = "it is displaced about its middle"});
}

wbStatus wbValidateCoupleArchimedes(wbValidateRun *run) {
    static const char *const names[shapeCount][2][wb_coupleMethodCount] = {
        {WB_COUPLE_NAMES("force", "cube"), WB_COUPLE_NAMES("torque", "cube")},
        {WB_COUPLE_NAMES("force", "ball"), WB_COUPLE_NAMES("torque", "ball")},
        {WB_COUPLE_NAMES("force", "tilted cube"), WB_COUPLE_NAMES("torque", "tilted cube")}};
    for (int k = 0; k < shapeCount * wb_coupleMethodCount && !run->stopped; k++) {
        const int shape = k % shapeCount, method = k / shapeCount;
        Held held = {0};
        wbStatus status = hold(run, (wbCoupleMethod)method, shape, &held);
        if (wbIsOk(status) && !run->stopped)
            reportHeld(run, &held, shape, names[shape][0][method], names[shape][1][method]);
        wbDestroyWorld(held.world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// Of other sizes, as deep in as much water around it

typedef struct Size {
    int shape, spacings;
    const char *names[2]; // by method
} Size;

static wbStatus holdSize(wbValidateRun *run, wbCoupleMethod method, const Size *size, wbWorld **world,
                         double *force) {
    const double width = 24 * spacing, across = size->spacings * spacing;
    wbWorldDef def = makeDef(width, 1.25 * width);
    wbColliderDef body = makeShape(size->shape, 0.5 * width, 0.5 * width);
    wbColliderId id;
    wbFluidId water;
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, world, &water));
    body.params.size = wbMakeVec3((float)across, (float)across, (float)across);
    body.params.radius = (float)(0.5 * across);
    WB_TRY(wbCreateCollider(*world, &body, &id));
    const wbBlockDef block = {.max = {(float)width, (float)width, (float)width}};
    WB_TRY(wbFluid_AddBlock(*world, water, &block));
    for (int k = 0; k < heldFrames && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, *world, (double)k / heldFrames));
        if (k >= heldFrames - heldMean) *force += wbCollider_GetStats(*world, id).force[1] / heldMean;
    }
    return wb_okStatus;
}

wbStatus wbValidateCoupleSizes(wbValidateRun *run) {
    static const wbCoupleMethod methods[] = {wb_couplePbf, wb_coupleThesis};
    static const Size sizes[] = {{0, 5, {"cube of 5, PBF", "cube of 5, thesis"}},
                                 {0, 8, {"cube of 8, PBF", "cube of 8, thesis"}},
                                 {0, 12, {"cube of 12, PBF", "cube of 12, thesis"}},
                                 {0, 16, {"cube of 16, PBF", "cube of 16, thesis"}},
                                 {1, 8, {"ball of 8, PBF", "ball of 8, thesis"}},
                                 {1, 12, {"ball of 12, PBF", "ball of 12, thesis"}}};
    const int count = (int)(sizeof sizes / sizeof *sizes);
    for (int k = 0; k < 2 * count && !run->stopped; k++) {
        const Size *size = &sizes[k % count];
        const double across = size->spacings * spacing, share = size->shape == 1 ? acos(-1.0) / 6 : 1;
        const double weight = 1000 * gravity * share * pow(across, 3);
        double force = 0;
        wbWorld *world = NULL;
        wbStatus status = holdSize(run, methods[k / count], size, &world, &force);
        if (wbIsOk(status) && !run->stopped)
            wbReportQuantity(run, (wbQuantity){.quantity = size->names[k / count],
                                               .unit = "rho0 g V",
                                               .value = force / weight,
                                               .reference = 1,
                                               .tolerance = 0.03,
                                               .source = "Archimedes"});
        wbDestroyWorld(world);
        WB_TRY(status);
    }
    return wb_okStatus;
}

// What is free

typedef struct Cube {
    double relative; // density
    double depth;    // of its corner, over its edge
    const char *angles[wb_coupleMethodCount], *depths[wb_coupleMethodCount];
} Cube;

enum { cubeFrames = 600, cubeMean = 120 };

typedef struct Lie {
    double angle, draft; // degrees, of the axis that is farthest from 54.7; m, of the lowest corner
} Lie;

static Lie findLie(const wbRigidMotion *motion, double level) {
    const double *q = (const double[4]){motion->rotation[0], motion->rotation[1], motion->rotation[2],
                                        motion->rotation[3]},
                 right = acos(1 / sqrt(3.0));
    // the vertical as the cube sees it
    const double up[3] = {2 * (q[0] * q[1] + q[3] * q[2]), 1 - 2 * (q[0] * q[0] + q[2] * q[2]),
                          2 * (q[1] * q[2] - q[3] * q[0])};
    double farthest = right, reach = 0;
    for (int a = 0; a < 3; a++) {
        const double angle = acos(fmin(1, fabs(up[a])));
        if (fabs(angle - right) > fabs(farthest - right)) farthest = angle;
        reach += 0.5 * edge * fabs(up[a]);
    }
    return (Lie){farthest * 180 / acos(-1.0), level - (motion->centre.y - reach)};
}

static wbStatus floatCube(wbValidateRun *run, wbCoupleMethod method, const Cube *cube, wbWorld **world) {
    const double width = 0.5, level = 0.4 + cube->relative * pow(edge, 3) / (width * width);
    wbWorldDef def = makeDef(width, 0.8);
    wbRigidBodyDef body = wbDefaultRigidBodyDef();
    wbRigidBodyId id;
    wbRigidMotion motion;
    wbFluidId water;
    const wbFluidSolver solver = wbChooseCoupleMethod(method, &def);
    WB_TRY(wbCreateCaseWorld(run, def, solver, world, &water));
    body.name = "cube", body.params.size = wbMakeVec3((float)edge, (float)edge, (float)edge);
    body.params.density = (float)(1000 * cube->relative), body.params.rotation = wbMakeVec3(25, 10, 30);
    body.params.position = wbMakeVec3((float)(0.5 * width), (float)(level + (0.5 - cube->relative) * edge),
                                      (float)(0.5 * width));
    WB_TRY(wbCreateRigidBody(*world, &body, &id));
    const wbBlockDef block = {.max = {(float)width, (float)level, (float)width}};
    WB_TRY(wbFluid_AddBlock(*world, water, &block));
    Lie mean = {0};
    for (int k = 0; k < cubeFrames && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, *world, (double)k / cubeFrames));
        WB_TRY(wbRigidBody_GetMotion(*world, id, &motion));
        if (k < cubeFrames - cubeMean) continue;
        const double volume = wbFluid_GetMass(*world, water) / 1000 + cube->relative * pow(edge, 3);
        const Lie lie = findLie(&motion, volume / (width * width));
        mean.angle += lie.angle / cubeMean, mean.draft += lie.draft / cubeMean;
    }
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(run, (wbQuantity){.quantity = cube->angles[method],
                                       .unit = "deg",
                                       .value = mean.angle,
                                       .reference = 54.7356,
                                       .tolerance = 5,
                                       .source = "it stands on a corner"});
    wbReportQuantity(run, (wbQuantity){.quantity = cube->depths[method],
                                       .unit = "m",
                                       .value = mean.draft,
                                       .reference = cube->depth * edge,
                                       .tolerance = 0.5 * spacing,
                                       .source = "Archimedes"});
    return wb_okStatus;
}

wbStatus wbValidateCoupleCube(wbValidateRun *run) {
    // with t = √3 depth, from 1 to 2, what is below has (t3 - 3 (t - 1)3) / 6 of the volume
    static const Cube cubes[] = {
        {0.5, 0.86603, WB_COUPLE_NAMES("farthest axis", "0.5"), WB_COUPLE_NAMES("deepest corner", "0.5")},
        {0.3, 0.70711, WB_COUPLE_NAMES("farthest axis", "0.3"), WB_COUPLE_NAMES("deepest corner", "0.3")}};
    for (int k = 0; k < 2 * wb_coupleMethodCount && !run->stopped; k++) {
        wbWorld *world = NULL;
        wbStatus status = floatCube(run, (wbCoupleMethod)(k / 2), &cubes[k % 2], &world);
        wbDestroyWorld(world);
        WB_TRY(status);
    }
    return wb_okStatus;
}
