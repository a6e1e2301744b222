// SPDX-License-Identifier: MIT
// Time, sides, colliders and mechanisms at the start and at the end of a step: every group of solvers goes through it with them.
#include "world/collider.h"

void wbMarkStart(wbWorld *world) {
    world->startTime = world->time;
    world->startDomain = world->domain;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbCollider *collider = wbGetColliderAt(world, i);
        collider->start = collider->state;
        collider->impulseSum = (wbImpulse){0};
    }
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->start = mechanism->state;
        mechanism->impulseSum = 0;
    }
}

void wbRewind(wbWorld *world) {
    world->time = world->startTime;
    world->domain = world->startDomain;
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        wbGetColliderAt(world, i)->state = wbGetColliderAt(world, i)->start;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->state = wbGetMechanismAt(world, i)->start;
    wbBoundMoved(world);
}

void wbTurnEvenly(wbWorld *world, double seconds) {
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        if (wbIsFreeWheel(mechanism))
            mechanism->state.speed = (mechanism->end.angle - mechanism->start.angle) / seconds;
    }
}

void wbMarkEnd(wbWorld *world) {
    world->endDomain = world->domain;
    for (int i = 0; i < world->colliderIds.indexCount; i++)
        wbGetColliderAt(world, i)->end = wbGetColliderAt(world, i)->state;
    for (int i = 0; i < world->mechanismIds.indexCount; i++)
        wbGetMechanismAt(world, i)->end = wbGetMechanismAt(world, i)->state;
}

void wbGoToEnd(wbWorld *world) {
    world->domain = world->endDomain;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbCollider *collider = wbGetColliderAt(world, i);
        collider->state = collider->end;
        collider->impulse = collider->impulseSum;
    }
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbMechanism *mechanism = wbGetMechanismAt(world, i);
        mechanism->state = mechanism->end;
        mechanism->impulse = mechanism->impulseSum;
    }
    wbBoundMoved(world);
}
