// SPDX-License-Identifier: MIT
// The part of a step in which colliders move, and its state as hashing and going back see it.
#include "world/collider.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/log.h"
#include "core/status.h"
#include "coupling/exchange.h"

wbPose wbGetPoseWithin(const wbCollider *collider, float share) {
    const wbPose *from = &collider->motion[wb_atStart].pose, *to = &collider->motion[2].pose;
    if (memcmp(from, to, sizeof *from) == 0) return *from;
    return wbMoveEvenly(from, to, share, 1).pose;
}

void wbListMover(wbWorld *world, int index) {
    int *movers = world->movers.data, place = world->moverCount;
    wbCollider *collider = wbGetColliderAt(world, index);
    if (collider->isListed) return;
    for (; place > 0 && movers[place - 1] > index; place--) movers[place] = movers[place - 1];
    movers[place] = index, world->moverCount++;
    collider->isListed = true;
}

void wbListAllMovers(wbWorld *world) {
    int *movers = world->movers.data;
    world->moverCount = world->colliderIds.indexCount;
    for (int i = 0; i < world->moverCount; i++) movers[i] = i, wbGetColliderAt(world, i)->isListed = true;
}

// After a step in which it did not move: nothing moves it but a setter, which lists it again.
static bool isAtRest(const wbCollider *collider) {
    const wbMotion *motion = &collider->motion[wb_atEnd];
    const wbColliderState *state = &collider->state;
    const wbPose rest = wbGetRestPose(&collider->params);
    for (int a = 0; a < 3; a++)
        if (motion->velocity[a] != 0 || motion->spin[a] != 0 || state->velocity[a] != 0 ||
            state->spin[a] != 0)
            return false;
    return collider->mechanism < 0 && !state->hasTarget &&
           (state->isDriven || memcmp(&state->pose, &rest, sizeof rest) == 0);
}

// Continuous collision knows where those are that are listed no more, also if no fluid has asked for it yet.
void wbDropMovers(wbWorld *world) {
    int *movers = world->movers.data, count = 0;
    wbCollisionPlace *places = world->collisionPlaces.data;
    for (int k = 0; k < world->moverCount; k++) {
        wbCollider *collider = wbGetColliderAt(world, movers[k]);
        const wbPose pose = collider->state.pose;
        collider->isListed = !isAtRest(collider);
        if (collider->isListed)
            movers[count++] = movers[k];
        else
            places[movers[k]] = (wbCollisionPlace){pose, {.pose = pose}, !collider->params.on};
    }
    world->moverCount = count;
}

// Colliders as the first owner of surfaces; mechanisms that are free are those that fluids move.
static wbSurfaceBody describe(const wbWorld *world, const wbCollider *collider) {
    wbSurfaceBody body = {.name = collider->name,
                          .shape = collider->shape,
                          .pose = collider->state.pose,
                          .motions = collider->motion,
                          .isOff = !collider->params.on,
                          .isMoving = collider->mechanism >= 0 || collider->state.isDriven,
                          .isNoSlip = collider->params.slip == wb_slipNone,
                          .adhesion = collider->params.adhesion};
    if (collider->mechanism < 0) return body;
    const wbMechanism *mechanism = wbGetMechanismAt(world, collider->mechanism);
    if (!wbIsFree(mechanism)) return body;
    body.name = mechanism->name, body.mobility = wb_mobilityGuide;
    body.inertia = (float)mechanism->guide.law.inertia;
    return body;
}

static int countBodies(const void *context) { return ((const wbWorld *)context)->colliderIds.indexCount; }

static wbSurfaceBody getBody(const void *context, int body) {
    return describe(context, wbGetColliderAt(context, body));
}

static const wbMotion *getMotions(const void *context, int body) {
    return wbGetColliderAt(context, body)->motion;
}

static int listMoving(const void *context, const int **bodies) {
    const wbWorld *world = context;
    *bodies = world->movers.data;
    return world->moverCount;
}

// In the first sub-step that does something to it, what the last step did is put aside: it counts again if this one fails.
static void beginImpulse(const wbWorld *world, wbCollider *collider) {
    if (collider->impulseSteps[0] == world->doneStep)
        collider->impulses[1] = collider->impulses[0], collider->impulseSteps[1] = collider->impulseSteps[0];
    collider->impulses[0] = (wbImpulse){0}, collider->impulseSteps[0] = world->begunSteps;
}

wbImpulse wbGetImpulse(const wbWorld *world, const wbCollider *collider) {
    for (int k = 0; k < 2; k++)
        if (collider->impulseSteps[k] == world->doneStep) return collider->impulses[k];
    return (wbImpulse){0};
}

static void take(void *context, int body, const wbImpulse *impulse) {
    const wbWorld *world = context;
    wbCollider *collider = wbGetColliderAt(world, body);
    if (collider->impulseSteps[0] != world->begunSteps) beginImpulse(world, collider);
    for (int a = 0; a < 3; a++) {
        collider->impulses[0].linear[a] += impulse->linear[a];
        collider->impulses[0].angular[a] += impulse->angular[a];
    }
    if (collider->mechanism < 0) return;
    wbMechanism *mechanism = wbGetMechanismAt(world, collider->mechanism);
    mechanism->impulseNow += wbGetImpulseAlong(mechanism, collider, impulse);
}

static void place(void *context, float from, float to);
static wbSurfaceOwner getOwner(wbWorld *world) {
    return (wbSurfaceOwner){world, countBodies, getBody, getMotions, listMoving, place, take};
}

// Colliders come first in boundaries, then the bodies of solvers.
static wbExchange joinBodies(const wbSurfaceOwner *owner, wbParticleFluid *liquid) {
    return (wbExchange){owner, &liquid->boundary, liquid->world->colliderIds.indexCount};
}

// The samples of a body as the boundary takes them: one array per vector.
static wbStatus addBody(wbParticleFluid *liquid, int at, const wbSurfaceBody *body,
                        const wbShapeSamples *samples) {
    wbMemory *memory = liquid->world->memory;
    const size_t count = (size_t)samples->count, bytes = sizeof(float[7]) * (count + 1); // some have none
    float *floats = wbAlloc(memory, bytes);
    if (!floats) return wbMemoryError(memory, "the points of a collider need");
    float *points = floats, *normals = floats + 3 * count, *depths = floats + 6 * count;
    for (size_t i = 0; i < count; i++) {
        memcpy(points + 3 * i, &samples->samples[i].position, sizeof(float[3]));
        memcpy(normals + 3 * i, &samples->samples[i].normal, sizeof(float[3]));
        depths[i] = samples->samples[i].depth;
    }
    wbBoundaryBodyDef def = {.count = samples->count,
                             .shape = body->shape,
                             .points = points,
                             .normals = normals,
                             .depths = depths,
                             .isOff = body->isOff || body->isThin,
                             .isMoving = body->isMoving,
                             .isNoSlip = body->isNoSlip,
                             .slack = body->slack,
                             .adhesion = body->adhesion,
                             .motion.pose = body->pose};
    wbStatus status = wbBoundary_InsertBody(&liquid->boundary, memory, at, &def);
    wbFree(memory, floats, bytes);
    return status;
}

static wbStatus createCollision(wbWorld *world) {
    if (!world->isCollisionStale) return wb_okStatus;
    const wbSurfaceOwner owners[] = {getOwner(world), *wbGetBodyOwner(world)};
    int count = 0;
    for (int k = 0; k < 2; k++) count += owners[k].countBodies(owners[k].context);
    size_t bytes = sizeof(wbShape *) * (size_t)count;
    wbDestroyCollisionGpu(world->collisionGpu);
    wbDestroyCollision(world->collision);
    world->collisionGpu = NULL, world->collision = NULL;
    if (!wbArray_Reserve(world->memory, &world->collisionPlaces, count))
        return wbMemoryError(world->memory, "the collision of colliders needs");
    const wbShape **shapes = wbAlloc(world->memory, bytes);
    if (count > 0 && !shapes) return wbMemoryError(world->memory, "the collision of colliders needs");
    for (int k = 0, n = 0; k < 2; k++)
        for (int i = 0; i < owners[k].countBodies(owners[k].context); i++)
            shapes[n++] = owners[k].getBody(owners[k].context, i).shape;
    wbStatus status = wbCreateCollision(world->memory, shapes, count, &world->collision);
    wbFree(world->memory, shapes, bytes);
    world->isCollisionStale = !wbIsOk(status);
    return status;
}

// The points that a liquid of world->elder has of the same shape, which both worlds share; NULL: none.
static const wbBoundaryBody *findElderBody(const wbParticleFluid *liquid, const wbShape *shape,
                                           const wbBoundary **boundary) {
    const wbWorld *world = liquid->world, *elder = world->elder;
    int index = 0;
    if (!elder || elder->params.dimensions != world->params.dimensions) return NULL;
    const wbParticleFluid *other = elder->solvers[liquid->solver - world->solvers].liquid;
    if (!other || other->spacing != liquid->spacing || other->h != liquid->h || !wbIsSampled(other))
        return NULL;
    const int count = elder->colliderIds.indexCount;
    while (index < count && wbGetColliderAt(elder, index)->shape != shape) index++;
    *boundary = &other->boundary;
    return index < count ? wbBoundary_GetBody(&other->boundary, index) : NULL;
}

// Those that the liquid has of a body of the same form; NULL: none.
static const wbBoundaryBody *findTwin(const wbParticleFluid *liquid, const wbShape *shape,
                                      const wbBoundary **boundary) {
    const wbSurfaceOwner *owner = wbGetBodyOwner(liquid->world);
    int index = liquid->bodyCount - 1; // the one that came last is the likeliest
    while (index >= 0 && owner->getBody(owner->context, index).shape != shape) index--;
    *boundary = &liquid->boundary;
    return index < 0 ? NULL
                     : wbBoundary_GetBody(&liquid->boundary, liquid->world->colliderIds.indexCount + index);
}

static wbStatus sampleShape(const wbParticleFluid *liquid, const wbShape *shape, bool isCollider,
                            wbShapeSamples *samples) {
    const wbBoundary *b;
    const wbBoundaryBody *body = (isCollider ? findElderBody : findTwin)(liquid, shape, &b);
    if (!body)
        return wbShape_Sample(shape, liquid->spacing, liquid->h, liquid->world->params.dimensions,
                              liquid->world->work.pool, samples);
    *samples = (wbShapeSamples){.count = body->count, .bytes = sizeof(wbShapeSample) * (size_t)body->count};
    samples->samples = wbAlloc(liquid->world->memory, samples->bytes);
    if (!samples->samples) return wbMemoryError(liquid->world->memory, "the points of a collider need");
    for (int k = 0; k < body->count; k++) {
        const int i = body->first + k;
        samples->samples[k] = (wbShapeSample){{b->localX[i], b->localY[i], b->localZ[i]},
                                              {b->normalX[i], b->normalY[i], b->normalZ[i]},
                                              b->depth[i]};
    }
    return wb_okStatus;
}

static wbStatus sampleCollider(wbParticleFluid *liquid, int index, const wbSurfaceBody *body) {
    wbShapeSamples samples;
    wbStatus status = sampleShape(liquid, body->shape, true, &samples);
    if (wbIsOk(status) && samples.count == 0)
        status = wbError(
            wb_errorInput,
            "it is too small to be felt with a spacing of %g m: make it larger, or the spacing smaller",
            (double)liquid->spacing);
    if (wbIsOk(status)) status = addBody(liquid, index, body, &samples);
    wbShape_FreeSamples(body->shape, &samples);
    return wbIsOk(status) ? status : wbError(status.code, "collider \"%s\": %s", body->name, status.text);
}

wbStatus wbSampleCollider(wbWorld *world, const wbCollider *collider) {
    const wbSurfaceBody body = describe(world, collider);
    wbStatus status = wb_okStatus;
    world->isCollisionStale = true;
    wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
    for (; liquid && wbIsOk(status); liquid = wbGetNextLiquid(world, liquid))
        if (wbIsSampled(liquid)) status = sampleCollider(liquid, world->colliderIds.indexCount, &body);
    return status;
}

// What is smaller than a spacing has no points, but continuous collision feels it.
static wbStatus sampleBody(wbParticleFluid *liquid, const wbSurfaceBody *body) {
    wbShapeSamples samples = {0};
    const int at = liquid->boundary.bodyCount;
    if (!body->shape) return addBody(liquid, at, body, &samples);
    wbStatus status = sampleShape(liquid, body->shape, false, &samples);
    if (wbIsOk(status)) status = addBody(liquid, at, body, &samples);
    if (wbIsOk(status) && samples.count == 0 && !body->isThin)
        wbLog(wb_logWarning, "body \"%s\" is too small to float with a spacing of %g m: drops alone push it",
              body->name, (double)liquid->spacing);
    wbShape_FreeSamples(body->shape, &samples);
    return wbIsOk(status) ? status : wbError(status.code, "body \"%s\": %s", body->name, status.text);
}

static void followBody(wbParticleFluid *liquid, int index, const wbSurfaceBody *body) {
    const wbBoundaryBody *known = wbBoundary_GetBody(&liquid->boundary, index);
    if (known->isNoSlip != body->isNoSlip || known->slack != body->slack || known->adhesion != body->adhesion)
        wbBoundary_SetSurface(&liquid->boundary, index, body->isNoSlip, body->slack, body->adhesion);
    wbBoundary_SetOn(&liquid->boundary, index, !body->isOff && !body->isThin);
    wbBoundary_SetMoving(&liquid->boundary, index, body->isMoving);
}

// Bodies come and go behind the colliders.
static wbStatus sampleBodies(wbWorld *world, wbParticleFluid *liquid) {
    const wbSurfaceOwner *owner = wbGetBodyOwner(world);
    const int count = owner->countBodies(owner->context);
    world->isCollisionStale |= liquid->bodyCount != count;
    for (; liquid->bodyCount > count; liquid->bodyCount--)
        wbBoundary_RemoveBody(&liquid->boundary, liquid->boundary.bodyCount - 1);
    for (int i = 0; i < count; i++) {
        const wbSurfaceBody body = owner->getBody(owner->context, i);
        if (i < liquid->bodyCount)
            followBody(liquid, world->colliderIds.indexCount + i, &body);
        else
            WB_TRY(sampleBody(liquid, &body));
        if (i == liquid->bodyCount) liquid->bodyCount++;
    }
    return wb_okStatus;
}

static wbStatus sampleAll(wbWorld *world, wbParticleFluid *liquid) {
    const wbSurfaceOwner owner = getOwner(world);
    if (wbIsSampled(liquid)) return wb_okStatus;
    wbBoundary_Free(world->memory, &liquid->boundary);
    wbBoundary_Init(&liquid->boundary);
    liquid->bodyCount = 0;
    for (int i = 0; i < owner.countBodies(owner.context); i++) {
        const wbSurfaceBody body = owner.getBody(owner.context, i);
        WB_TRY(sampleCollider(liquid, i, &body));
    }
    liquid->isBoundaryStale = false;
    return wb_okStatus;
}

// m, that no point of its surface goes farther than from one pose to another: the way of its origin, and the turn about
// it.
static double getWay(const wbCollider *collider, const wbPose *from, const wbPose *to) {
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    const wbPose back = wbPose_Invert(from), turn = wbPose_Multiply(to, &back);
    const float *q = turn.rotation;
    double sine = sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2]), way2 = 0;
    for (int a = 0; a < 3; a++) {
        double d = (double)to->position[a] - from->position[a];
        way2 += d * d;
    }
    double reach = sqrt((double)wbDot(tree->centre, tree->centre)) + tree->radius;
    return sqrt(way2) + 2 * atan2(sine, fabs((double)q[3])) * reach;
}

static wbPose normalise(wbPose pose) {
    double length2 = 0;
    for (int a = 0; a < 4; a++) length2 += (double)pose.rotation[a] * pose.rotation[a];
    for (int a = 0; a < 4; a++) pose.rotation[a] = (float)(pose.rotation[a] / sqrt(length2));
    return pose;
}

// Where it is at the end of the step. What follows its mechanism goes as that does; what is elsewhere than its
// parameters say, because they have changed, catches up no faster than its speed.
static wbPose findEnd(const wbWorld *world, const wbCollider *collider) {
    const wbPose *from = &collider->state.pose;
    wbPose rest = wbGetRestPose(&collider->params), start = rest, end = rest;
    if (collider->mechanism >= 0) {
        const wbMechanism *mechanism = wbGetMechanismAt(world, collider->mechanism);
        start = wbPlacePart(mechanism, &mechanism->state, collider->part, rest);
        end = wbPlacePart(mechanism, &mechanism->next, collider->part, rest);
    }
    if (memcmp(from, &start, sizeof start) == 0) return end;
    double way = getWay(collider, from, &end),
           most = getWay(collider, &start, &end) +
                  (double)wbGetSpeedLimit(world, &collider->params) * world->collidersDt;
    return way <= most ? end : normalise(wbMoveEvenly(from, &end, (float)(most / way), 1).pose);
}

// No fluid drives a wheel faster than sound, or than it could push it at all: one that is too light is thrown to and fro,
// ever faster, and time steps that follow it shrink to nothing.
static wbStatus checkMobile(const wbWorld *world, const wbSurfaceBody *body, const wbSubStep *part) {
    if (body->mobility != wb_mobilityGuide) return wb_okStatus;
    const wbShapeTree *tree = wbShape_GetTree(body->shape);
    const wbMotion *motion = &body->motions[wb_atStart];
    const wbVec3 velocity = wbMakeVec3(motion->velocity[0], motion->velocity[1], motion->velocity[2]),
                 spin = wbMakeVec3(motion->spin[0], motion->spin[1], motion->spin[2]);
    float reach = sqrtf(wbDot(tree->centre, tree->centre)) + tree->radius;
    float speed = sqrtf(wbDot(velocity, velocity)) + reach * sqrtf(wbDot(spin, spin));
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (wbIsIn(l->solver, part->group) && speed > l->method->getWheelSpeed(l, part->dt))
            return wbError(
                wb_errorUnstable,
                "the free mechanism \"%s\" moves at %.3g m/s, %s: its inertia, %g, may be too small",
                body->name, (double)speed, l->method->beyondWheelSpeed, (double)body->inertia);
    return wb_okStatus;
}

static wbStatus checkMovers(const wbWorld *world, const wbSurfaceOwner *owner, const wbSubStep *part) {
    const int *moving;
    const int count = owner->listMoving(owner->context, &moving);
    for (int k = 0; k < count; k++) {
        const wbSurfaceBody body = owner->getBody(owner->context, moving[k]);
        WB_TRY(checkMobile(world, &body, part));
    }
    return wb_okStatus;
}

// s, from the start of the sub-step that is being done to the end of the step.
static double getTimeLeft(const wbWorld *world) {
    return world->stepLength - (world->time - world->startTime);
}

static wbMotion findMotion(const wbWorld *world, const wbCollider *collider, const wbPose *end, float share) {
    const float dt = world->collidersDt;
    return collider->state.isDriven
               ? wbMoveDriven(&collider->state, getTimeLeft(world), (double)share * (double)dt)
               : wbMoveEvenly(&collider->state.pose, end, share, dt);
}

// What gives way to fluids beside its even way; NULL: nothing that moves it does.
static const wbGuide *findGuide(const wbWorld *world, const wbCollider *collider) {
    if (collider->mechanism < 0) return NULL;
    const wbMechanism *mechanism = wbGetMechanismAt(world, collider->mechanism);
    return wbIsFree(mechanism) && mechanism->guide.responds && !mechanism->goesEvenly ? &mechanism->guide
                                                                                      : NULL;
}

static void followGuide(const wbWorld *world, wbCollider *collider, const wbGuide *guide) {
    const wbPose end = findEnd(world, collider);
    const float seconds = (guide->to - guide->from) * world->collidersDt;
    wbPose at[2];
    for (int k = 0; k < 2; k++)
        at[k] =
            wbGuide_Displace(&guide->law, findMotion(world, collider, &end, k ? guide->to : guide->from).pose,
                             wbGuide_GetWay(guide, k > 0));
    for (int k = 0; k < wb_boundaryTimeCount; k++)
        collider->motion[k] = wbMoveEvenly(&at[0], &at[1], 0.5f * (float)k, seconds);
}

static void place(void *context, float from, float to) {
    wbWorld *world = context;
    const int *movers = world->movers.data;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGuide_Place(&wbGetMechanismAt(world, i)->guide, from, to);
    for (int i = 0; i < world->moverCount; i++) {
        wbCollider *collider = wbGetColliderAt(world, movers[i]);
        const wbGuide *guide = findGuide(world, collider);
        const wbPose end = collider->state.isDriven ? collider->state.pose : findEnd(world, collider);
        if (guide) followGuide(world, collider, guide);
        for (int k = 0; k < 3 && !guide; k++)
            collider->motion[k] = findMotion(world, collider, &end, from + 0.5f * (float)k * (to - from));
    }
}

void wbFollowGuides(const wbWorld *world, wbBoundary *boundary, wbBoundaryTime time) {
    const int *movers = world->movers.data;
    for (int k = 0; k < world->moverCount; k++) {
        wbCollider *collider = wbGetColliderAt(world, movers[k]);
        const wbGuide *guide = findGuide(world, collider);
        if (!guide) continue;
        followGuide(world, collider, guide);
        wbBoundary_SetMotion(boundary, movers[k], collider->motion);
        if (boundary->hasPlaces) wbBoundary_Follow(boundary, movers[k], time);
    }
}

static void placePart(float from, float to, void *context) {
    wbParticleFluid *liquid = context;
    const wbSurfaceOwner owner = getOwner(liquid->world), *bodies = wbGetBodyOwner(liquid->world);
    const wbExchange colliders = {&owner, &liquid->boundary, 0}, others = joinBodies(bodies, liquid);
    if (from > 0 && wbHasFree(liquid->world))
        wbSumGuides(liquid); // what was done to them in the parts that are over
    owner.place(owner.context, from, to);
    bodies->place(bodies->context, from, to);
    wbExchange_Show(&colliders);
    wbExchange_Show(&others);
}

wbStatus wbPrepareColliders(wbWorld *world) {
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        WB_TRY(sampleAll(world, l));
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        WB_TRY(sampleBodies(world, l));
    wbWeighGuides(world);
    WB_TRY(createCollision(world));
    if (world->gpu && world->collision && !world->collisionGpu)
        WB_TRY(wbCreateCollisionGpu(world->memory, world->gpu, world->collision, &world->collisionGpu));
    return wb_okStatus;
}

void wbPlaceColliders(wbWorld *world, float dt) {
    const wbSurfaceOwner owner = getOwner(world);
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->next =
            wbIsFree(mechanism) ? wbAdvanceGuide(world, i, dt) : wbAdvanceMechanism(mechanism, dt);
        if (!wbIsFree(mechanism)) mechanism->next.transit = 0;
    }
    world->collidersDt = dt;
    owner.place(owner.context, 0, 1);
    wbBoundMotions(world);
}

wbStatus wbShowColliders(wbWorld *world, const wbSubStep *part) {
    const wbSurfaceOwner owner = getOwner(world);
    WB_TRY(checkMovers(world, &owner, part));
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (wbIsIn(l->solver, part->group)) wbExchange_Show(&(wbExchange){&owner, &l->boundary, 0});
    return wb_okStatus;
}

void wbShowBodies(wbWorld *world, int group) {
    const wbSurfaceOwner *owner = wbGetBodyOwner(world);
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        const wbExchange exchange = joinBodies(owner, l);
        if (wbIsIn(l->solver, group)) wbExchange_Show(&exchange);
    }
}

void wbGiveToBodies(wbWorld *world, int group) {
    const wbSurfaceOwner *owner = wbGetBodyOwner(world);
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        const wbExchange exchange = joinBodies(owner, l);
        if (wbIsIn(l->solver, group)) wbExchange_Take(&exchange);
    }
}

void wbBookColliderSpeed(wbParticleFluid *liquid) {
    if (!wbIsSampled(liquid)) return;
    liquid->account.sideSpeed = fmax(liquid->account.sideSpeed, wbBoundary_GetTopSpeed(&liquid->boundary));
}

static const wbCollisionPlace *placeCollision(wbWorld *world, wbBoundaryTime from, wbBoundaryTime to) {
    wbCollisionPlace *places = world->collisionPlaces.data;
    const int *movers = world->movers.data;
    for (int k = 0; k < world->moverCount; k++) {
        const wbCollider *collider = wbGetColliderAt(world, movers[k]);
        const wbMotion *motion = collider->motion;
        places[movers[k]] = (wbCollisionPlace){motion[from].pose, motion[to], !collider->params.on};
    }
    wbPlaceBodies(world, from, to, places + world->colliderIds.indexCount);
    return places;
}

// How far water may go that has no point of a collider within h: such a point is never farther than 1.5 spacings from
// any place of the surface (tests/test_shape_sample.c), and the colliders move too.
static float findMargin(const wbParticleFluid *liquid, float stray) {
    return fmaxf(liquid->h - 1.5f * liquid->spacing - stray, 0);
}

// After a drift of the particles.
static void collideParticles(const wbDrift *drift, const wbWork *work, void *context) {
    wbParticleFluid *liquid = context;
    wbWorld *world = liquid->world;
    const wbCollisionPlace *places = placeCollision(world, drift->from, drift->to);
    const float stray = world->collidersDt * wbBoundary_GetTopSpeed(&liquid->boundary);
    wbCollisionPoints points = {.count = drift->count,
                                .isFlat = world->params.dimensions == 2,
                                .beforeX = drift->beforeX,
                                .beforeY = drift->beforeY,
                                .beforeZ = drift->beforeZ,
                                .x = drift->x,
                                .y = drift->y,
                                .z = drift->z,
                                .vx = drift->vx,
                                .vy = drift->vy,
                                .vz = drift->vz,
                                .nearness = drift->boundarySums,
                                .seenX = drift->seenX,
                                .seenY = drift->seenY,
                                .seenZ = drift->seenZ,
                                .margin = findMargin(liquid, stray),
                                .clearances = drift->clearances,
                                .stray = stray,
                                .gifts = {drift->caught, drift->share, drift->relative}};
    const wbCollisionCounts counts = wbCollision_Run(world->collision, work, places, &points);
    liquid->boundary.hasCaught |= drift->caught && counts.caught > 0;
    world->collisions.caught += counts.caught, world->collisions.lost += counts.lost;
}

static wbStatus collideOnDevice(const wbGpuDrift *drift, void *context) {
    wbWorld *world = ((wbParticleFluid *)context)->world;
    wbCollisionBuffers buffers = {.count = drift->count,
                                  .isFlat = world->params.dimensions == 2,
                                  .sums = drift->caught,
                                  .firstSum = drift->firstCaught,
                                  .share = drift->share,
                                  .relative = drift->relative};
    for (int a = 0; a < 3; a++) {
        buffers.before[a] = drift->before[a];
        buffers.position[a] = drift->position[a], buffers.velocity[a] = drift->velocity[a];
    }
    return wbCollisionGpu_Run(world->collisionGpu, placeCollision(world, drift->from, drift->to), &buffers);
}

wbCollisionCounts wbCountCollisions(wbWorld *world) {
    wbCollisionCounts counts, *sum = &world->collisions;
    if (world->collisionGpu && wbIsOk(wbCollisionGpu_TakeCounts(world->collisionGpu, &counts)))
        sum->caught += counts.caught, sum->lost += counts.lost;
    return *sum;
}

const wbFluidColliders *wbGetFluidColliders(wbParticleFluid *liquid, wbFluidColliders *colliders) {
    const struct wbFluidSheets *sheets = wbGetFluidSheets(liquid);
    const bool isAny = liquid->boundary.onCount > 0;
    if (!isAny && !sheets) return NULL;
    *colliders = (wbFluidColliders){.boundary = &liquid->boundary,
                                    .move = placePart,
                                    .collide = isAny ? collideParticles : NULL,
                                    .collideGpu = isAny ? collideOnDevice : NULL,
                                    .context = liquid,
                                    .sheets = sheets};
    wbSetResponse(liquid->world, colliders);
    return colliders;
}

// What the liquids of a group did in their sub-step, and the speed that they saw.
static void giveImpulses(wbWorld *world, int group) {
    const wbSurfaceOwner owner = getOwner(world);
    float speed = 0;
    bool isAny = false;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!wbIsIn(l->solver, group)) continue;
        isAny = true;
        if (!wbIsSampled(l)) continue;
        speed = fmaxf(speed, wbBoundary_GetTopSpeed(&l->boundary));
        wbExchange_Take(&(wbExchange){&owner, &l->boundary, 0});
    }
    if (isAny) world->colliderSpeed = speed;
}

static void settleMovers(wbWorld *world, float dt) {
    const int *movers = world->movers.data;
    for (int k = 0; k < world->moverCount; k++) {
        wbCollider *collider = wbGetColliderAt(world, movers[k]);
        if (collider->state.isDriven)
            wbAdvanceDriven(&collider->state, getTimeLeft(world), (double)dt);
        else
            collider->state.pose =
                findGuide(world, collider) ? findEnd(world, collider) : collider->motion[wb_atEnd].pose;
    }
}

void wbSettleColliders(wbWorld *world, const wbSubStep *part) {
    for (int i = 0; i < world->mechanismIds.indexCount; i++) wbGetMechanismAt(world, i)->impulseNow = 0;
    giveImpulses(world, part->group);
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->impulseSum += mechanism->impulseNow;
        if (part->isLeading && wbIsFree(mechanism)) wbSettleGuide(mechanism);
    }
    settleMovers(world, part->dt);
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->state = wbGetMechanismAt(world, i)->next;
}

uint64_t wbHashColliders(const wbWorld *world, uint64_t hash) {
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetColliderAt(world, i)->state, sizeof(wbColliderState));
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        hash = wbHashBytes(hash, &wbGetMechanismAt(world, i)->state, sizeof(wbMechanismState));
    return hash;
}

void wbRecordHostColliders(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        wbGetColliderAt(world, i)->hostState = wbGetColliderAt(world, i)->state;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->hostState = wbGetMechanismAt(world, i)->state;
}

void wbRestoreHostColliders(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        wbGetColliderAt(world, i)->state = wbGetColliderAt(world, i)->hostState;
    wbBoundColliders(world);
    wbListAllMovers(world);
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->state = wbGetMechanismAt(world, i)->hostState;
}

void wbFreeColliders(wbWorld *world) {
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbDestroyShape(wbGetColliderAt(world, i)->shape);
        wbFreeMesh(&wbGetColliderAt(world, i)->mesh);
    }
    wbDestroyCollision(world->collision);
    wbArray_Free(world->memory, &world->movers);
    wbArray_Free(world->memory, &world->collisionPlaces);
    wbBroadPhase_Free(world->memory, &world->colliderBoxes);
    wbArray_Free(world->memory, &world->colliders);
    wbArray_Free(world->memory, &world->mechanisms);
}
