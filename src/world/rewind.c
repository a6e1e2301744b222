// SPDX-License-Identifier: MIT
// Time, sides, colliders and mechanisms at the start and at the end of a step: every group of solvers goes through it with them.
#include <math.h>

#include "world/collider.h"

// Colliders that may move: the others stay where they are.
static wbCollider *getMover(const wbWorld *world, int k) {
    return wbGetColliderAt(world, ((const int *)world->movers.data)[k]);
}

void wbMarkStart(wbWorld *world) {
    world->startTime = world->time;
    world->startDomain = world->domain;
    world->begunSteps++;
    for (int k = 0; k < world->moverCount; k++) {
        wbCollider *collider = getMover(world, k);
        collider->start = collider->state;
    }
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->start = mechanism->state;
        mechanism->impulseSum = 0, mechanism->goesEvenly = false;
    }
}

void wbRewind(wbWorld *world) {
    world->time = world->startTime;
    world->domain = world->startDomain;
    for (int k = 0; k < world->moverCount; k++) getMover(world, k)->state = getMover(world, k)->start;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->state = wbGetMechanismAt(world, i)->start;
    wbBoundMoved(world);
}

void wbTurnEvenly(wbWorld *world, double seconds) {
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        const wbVec3 travel = mechanism->params.travel;
        const double length = sqrt((double)wbDot(travel, travel));
        if (!wbIsFree(mechanism)) continue;
        mechanism->state.speed =
            mechanism->params.kind == wb_mechanismGate
                ? length * (mechanism->end.place[0] - mechanism->start.place[0]) / seconds
                : (mechanism->end.angle - mechanism->start.angle) / seconds;
        mechanism->goesEvenly = true;
    }
}

void wbMarkEnd(wbWorld *world) {
    world->endDomain = world->domain;
    for (int k = 0; k < world->moverCount; k++) getMover(world, k)->end = getMover(world, k)->state;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->end = wbGetMechanismAt(world, i)->state;
}

void wbGoToEnd(wbWorld *world) {
    world->domain = world->endDomain;
    world->doneStep = world->begunSteps;
    for (int k = 0; k < world->moverCount; k++) getMover(world, k)->state = getMover(world, k)->end;
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->state = mechanism->end;
        mechanism->impulse = mechanism->impulseSum, mechanism->goesEvenly = false;
    }
    wbBoundMoved(world);
    wbDropMovers(world);
}
