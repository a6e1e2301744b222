// SPDX-License-Identifier: MIT
#include "render/drawn_world.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

// Those that are on; returns their count.
static int placeColliders(wbRenderBody *bodies, const wbWorld *world) {
    int count = 0;
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        wbColliderId id = wbWorld_GetCollider(world, i);
        const wbColliderParams *params = wbCollider_GetParams(world, id);
        wbColliderStats stats = wbCollider_GetStats(world, id);
        if (!params->on) continue;
        wbRenderBody *body = &bodies[count++];
        *body = (wbRenderBody){.mesh = wbCollider_GetMesh(world, id),
                               .key = (uint64_t)id.generation << 32 | id.index1,
                               .colour = {params->colour.x, params->colour.y, params->colour.z},
                               .opacity = params->opacity,
                               .owner = {wb_ownerCollider, i}};
        memcpy(body->position, stats.position, sizeof body->position);
        memcpy(body->rotation, stats.rotation, sizeof body->rotation);
    }
    return count;
}

// Behind `count` others; gives how many there are then. Bodies without a surface, such as planes, are not seen.
static wbStatus placeRigidBodies(wbRenderBody *bodies, int *count, wbWorld *world) {
    const uint64_t kind = UINT64_C(3) << 62; // keys that nothing else has
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); i++) {
        const wbRigidBodyId id = wbWorld_GetRigidBody(world, i);
        const wbRigidBodyParams *params = wbRigidBody_GetParams(world, id);
        wbRigidMotion motion;
        WB_TRY(wbRigidBody_GetMotion(world, id, &motion));
        if (!params->on || params->show == wb_rigidShowParticles) continue;
        wbRenderBody *body = &bodies[(*count)++];
        *body = (wbRenderBody){.mesh = wbRigidBody_GetMesh(world, id),
                               .key = kind | wbRigidBody_GetMeshKey(world, id),
                               .position = {motion.position.x, motion.position.y, motion.position.z},
                               .colour = {params->colour.x, params->colour.y, params->colour.z},
                               .opacity = 1,
                               .owner = {wb_ownerRigidBody, i}};
        memcpy(body->rotation, motion.rotation, sizeof body->rotation);
    }
    return wb_okStatus;
}

static wbVec3 turn(const float q[4], wbVec3 v) {
    const wbVec3 u = {q[0], q[1], q[2]}, t = wbScale(2, wbCross(u, v));
    return wbAdd(v, wbAdd(wbScale(q[3], t), wbCross(u, t)));
}

// Rigid bodies as balls, one per particle, behind `softCount` others. Places of points are known when there is room for all: their views
// are set at last.
static wbStatus placeParticles(wbDrawnWorld *drawn, wbWorld *world, int *softCount) {
    wbRenderSoft *softs = drawn->softs.data;
    int first = *softCount, total = 0;
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); i++) {
        const wbRigidBodyId id = wbWorld_GetRigidBody(world, i);
        const wbRigidBodyParams *params = wbRigidBody_GetParams(world, id);
        wbRigidMotion motion;
        int count;
        float radius;
        if (!params->on || params->show != wb_rigidShowParticles) continue;
        WB_TRY(wbRigidBody_GetMotion(world, id, &motion));
        WB_TRY(wbRigidBody_GetParticles(world, id, NULL, 0, &count, &radius));
        if (!wbArray_Reserve(NULL, &drawn->points, total + count))
            return wbMemoryError(NULL, "pictures of %d particles need", total + count);
        wbVec3 *points = (wbVec3 *)drawn->points.data + total;
        WB_TRY(wbRigidBody_GetParticles(world, id, points, count, &count, &radius));
        for (int k = 0; k < count; k++) points[k] = wbAdd(motion.position, turn(motion.rotation, points[k]));
        softs[(*softCount)++] =
            (wbRenderSoft){.view.count = count,
                           .show = wb_showSpheres,
                           .radius = radius,
                           .colour = {params->colour.x, params->colour.y, params->colour.z},
                           .owner = {wb_ownerRigidBody, i}};
        total += count;
    }
    for (const float *p = drawn->points.data; first < *softCount; first++) {
        wbView *view = &softs[first].view;
        view->x = p, view->y = p + 1, view->z = p + 2, view->stride = sizeof(wbVec3) / sizeof(float);
        p += 3 * (size_t)view->count;
    }
    return wb_okStatus;
}

// m; where nothing says it, by the room that each particle has, or each link
static float chooseRadius(const wbWorld *world, wbSoftBodyId id, const wbRenderSoft *soft) {
    const wbSoftBodyParams *p = wbSoftBody_GetParams(world, id);
    float contact = wbSoftBody_GetContactRadius(world, id);
    if (p->showRadius > 0) return p->showRadius;
    if (contact > 0) return contact;
    if (soft->isChain) return 0.25f * p->length / (float)p->count;
    double volume = (double)p->size.x * p->size.y * p->size.z;
    if (p->shape == wb_softBodySphere) volume = 4.19 * pow(p->radius, 3);
    if (p->shape == wb_softBodyGrid || p->shape == wb_softBodyMeshVolume) return 0.5f * p->spacing;
    if (p->shape == wb_softBodyCloth) return 0.5f * p->size.x / p->counts.x;
    return (float)(0.5 * cbrt(volume / soft->view.count));
}

static wbSoftBodyShow chooseShow(const wbSoftBodyParams *params) {
    if (params->show != wb_showAuto) return params->show;
    switch (params->shape) {
    case wb_softBodyStick:
    case wb_softBodyRope:
        return wb_showLines;
    case wb_softBodyCloth:
    case wb_softBodyMeshSurface:
        return wb_showSurface;
    default:
        return wb_showSpheres;
    }
}

static wbStatus placeSofts(wbRenderSoft *softs, int count, wbWorld *world) {
    for (int i = 0; i < count; i++) {
        wbSoftBodyId id = wbWorld_GetSoftBody(world, i);
        const wbSoftBodyParams *params = wbSoftBody_GetParams(world, id);
        wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, id);
        wbRenderSoft *soft = &softs[i];
        *soft =
            (wbRenderSoft){.show = chooseShow(params),
                           .firstParticle = mesh.firstParticle,
                           .triangles = mesh.triangles,
                           .triangleCount = mesh.triangleCount,
                           .first = mesh.first,
                           .second = mesh.second,
                           .linkCount = mesh.constraintCount,
                           .isChain = params->shape == wb_softBodyStick || params->shape == wb_softBodyRope,
                           .colour = {params->colour.x, params->colour.y, params->colour.z},
                           .owner = {wb_ownerSoftBody, i}};
        WB_TRY(wbSoftBody_GetView(world, id, &soft->view));
        soft->radius = chooseRadius(world, id, soft);
    }
    return wb_okStatus;
}

// Ropes and springs, as tubes: thin beside what they hold, and beside their length.
static void placeTies(wbRenderSoft *softs, const wbTie *ties, int count) {
    for (int i = 0; i < count; i++) {
        const wbTie *tie = &ties[i];
        const float length = sqrtf(wbDot(wbSub(tie->to, tie->from), wbSub(tie->to, tie->from)));
        const wbView ends = {.x = &tie->from.x,
                             .y = &tie->from.y,
                             .z = &tie->from.z,
                             .count = 2,
                             .stride = sizeof(wbVec3) / sizeof(float)};
        softs[i] = (wbRenderSoft){.view = ends,
                                  .show = wb_showLines,
                                  .isChain = true,
                                  .radius = fminf(0.02f * tie->size, 0.1f * length),
                                  .colour = {0.16f, 0.15f, 0.14f}};
    }
}

static wbStatus gatherTies(wbDrawnWorld *drawn, wbWorld *world, int *count) {
    drawn->ties.elementSize = sizeof(wbTie);
    WB_TRY(wbWorld_GetTies(world, NULL, 0, count));
    if (!wbArray_Reserve(NULL, &drawn->ties, *count))
        return wbMemoryError(NULL, "pictures of %d ties need", *count);
    return wbWorld_GetTies(world, drawn->ties.data, *count, count);
}

// All fluids are drawn alike: as the finest of them, on a scale from the lightest to the densest.
typedef struct Grain {
    float spacing, restDensity, densest;
} Grain;

static Grain findGrain(const wbWorld *world) {
    Grain grain = {0.02f, 1000,
                   1000}; // without fluids: a picture has a scale of its own, which nothing shows
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++) {
        wbFluidId id = wbWorld_GetFluid(world, i);
        float spacing = (float)wbFluid_GetSpacing(world, id),
              density = (float)wbFluid_GetRestDensity(world, id);
        grain.spacing = i == 0 ? spacing : fminf(spacing, grain.spacing);
        grain.restDensity = i == 0 ? density : fminf(density, grain.restDensity);
        grain.densest = i == 0 ? density : fmaxf(density, grain.densest);
    }
    return grain;
}

static wbRenderFluid describe(const wbWorld *world, wbFluidId id) {
    return (wbRenderFluid){.restDensity = (float)wbFluid_GetRestDensity(world, id),
                           .support = (float)wbFluid_GetSupportRadius(world, id),
                           .solver = (int)wbFluid_GetSolver(world, id)};
}

static wbStatus reserve(wbDrawnWorld *drawn, int fluids, int bodies, int softs) {
    drawn->views.elementSize = sizeof(wbView);
    drawn->fluids.elementSize = sizeof(wbRenderFluid);
    drawn->bodies.elementSize = sizeof(wbRenderBody);
    drawn->softs.elementSize = sizeof(wbRenderSoft);
    drawn->points.elementSize = sizeof(wbVec3);
    bool hasRoom =
        wbArray_Reserve(NULL, &drawn->views, fluids) && wbArray_Reserve(NULL, &drawn->fluids, fluids) &&
        wbArray_Reserve(NULL, &drawn->bodies, bodies) && wbArray_Reserve(NULL, &drawn->softs, softs);
    return hasRoom ? wb_okStatus
                   : wbMemoryError(NULL, "pictures of %d objects need", fluids + bodies + softs);
}

wbStatus wbDrawnWorld_Gather(wbDrawnWorld *drawn, wbWorld *world, wbRenderScene *scene) {
    const Grain grain = findGrain(world);
    const int fluids = wbWorld_GetFluidCount(world), softs = wbWorld_GetSoftBodyCount(world),
              rigids = wbWorld_GetRigidBodyCount(world);
    int ties;
    WB_TRY(gatherTies(drawn, world, &ties));
    WB_TRY(reserve(drawn, fluids, wbWorld_GetColliderCount(world) + rigids, softs + ties + rigids));
    wbView *views = drawn->views.data;
    wbRenderFluid *looks = drawn->fluids.data;
    for (int i = 0; i < fluids; i++) {
        looks[i] = describe(world, wbWorld_GetFluid(world, i));
        WB_TRY(wbFluid_GetView(world, wbWorld_GetFluid(world, i), &views[i]));
    }
    int bodies = placeColliders(drawn->bodies.data, world);
    WB_TRY(placeRigidBodies(drawn->bodies.data, &bodies, world));
    WB_TRY(placeSofts(drawn->softs.data, softs, world));
    placeTies((wbRenderSoft *)drawn->softs.data + softs, drawn->ties.data, ties);
    int softCount = softs + ties;
    WB_TRY(placeParticles(drawn, world, &softCount));
    WB_TRY(wbWorld_GetSmokeView(world, &drawn->air));
    WB_TRY(wbWorld_GetDiffuseView(world, &drawn->diffuse));
    drawn->domain = wbWorld_GetDomain(world);
    *scene = (wbRenderScene){.views = views,
                             .fluids = looks,
                             .viewCount = fluids,
                             .bodies = drawn->bodies.data,
                             .bodyCount = bodies,
                             .softs = drawn->softs.data,
                             .softCount = softCount,
                             .isDry = fluids == 0 && softs + rigids > 0,
                             .smoke = &drawn->air,
                             .diffuse = &drawn->diffuse,
                             .domain = &drawn->domain,
                             .dimensions = wbWorld_GetWorldParams(world)->dimensions,
                             .spacing = grain.spacing,
                             .restDensity = grain.restDensity,
                             .densest = grain.densest,
                             .time = wbWorld_GetTime(world)};
    return wb_okStatus;
}

void wbDrawnWorld_Free(wbDrawnWorld *drawn) {
    wbArray_Free(NULL, &drawn->views);
    wbArray_Free(NULL, &drawn->fluids);
    wbArray_Free(NULL, &drawn->bodies);
    wbArray_Free(NULL, &drawn->softs);
    wbArray_Free(NULL, &drawn->ties);
    wbArray_Free(NULL, &drawn->points);
}
