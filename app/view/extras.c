// SPDX-License-Identifier: MIT
#include "app/view/extras.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view/geometry.h"
#include "core/status.h"

static wbStatus reserve(wbArray *array, size_t elementSize, int count) {
    array->elementSize = (int)elementSize;
    return wbArray_Reserve(NULL, array, count) ? wb_okStatus
                                               : wbMemoryError(NULL, "%d things to be shown need", count);
}

static wbVec3 getParticle(const wbView *view, int i) {
    const size_t at = (size_t)i * (size_t)view->stride;
    return wbMakeVec3(view->x[at], view->y[at], view->z[at]);
}

static wbStatus addLinks(wbExtras *extras, wbWorld *world) {
    WB_TRY(reserve(&extras->links, sizeof(wbShownLink), wbWorld_GetConstraintCount(world)));
    wbShownLink *links = extras->links.data;
    for (int b = 0; b < wbWorld_GetSoftBodyCount(world); b++) {
        const wbSoftBodyId id = wbWorld_GetSoftBody(world, b);
        const wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, id);
        wbView view;
        WB_TRY(wbSoftBody_GetView(world, id, &view));
        for (int k = 0; k < mesh.constraintCount; k++) {
            wbShownLink *link = &links[extras->linkCount++];
            *link = (wbShownLink){.from = getParticle(&view, mesh.first[k] - mesh.firstParticle),
                                  .to = getParticle(&view, mesh.second[k] - mesh.firstParticle)};
            const wbVec3 way = wbSub(link->to, link->from);
            if (mesh.restLength[k] > 0) link->error = sqrtf(wbDot(way, way)) / mesh.restLength[k] - 1;
        }
    }
    return wb_okStatus;
}

static wbStatus addContacts(wbExtras *extras, wbWorld *world) {
    int count;
    WB_TRY(wbWorld_GetContacts(world, NULL, 0, &count));
    WB_TRY(reserve(&extras->contacts, sizeof(wbBodyContact), count));
    return wbWorld_GetContacts(world, extras->contacts.data, count, &extras->contactCount);
}

static wbStatus findCentre(wbWorld *world, wbRigidBodyId body, wbVec3 *centre) {
    wbRigidMotion motion;
    if (!wbRigidBody_IsValid(world, body)) return wb_okStatus;
    WB_TRY(wbRigidBody_GetMotion(world, body, &motion));
    *centre = motion.centre;
    return wb_okStatus;
}

static wbStatus addJoints(wbExtras *extras, wbWorld *world) {
    const int count = wbWorld_GetJointCount(world);
    WB_TRY(reserve(&extras->joints, sizeof(wbShownJoint), count));
    wbShownJoint *joints = extras->joints.data;
    for (int i = 0; i < count; i++) {
        const wbJointId id = wbWorld_GetJoint(world, i);
        wbJointReading reading;
        if (!wbJoint_GetParams(world, id)->on) continue;
        WB_TRY(wbJoint_GetReading(world, id, &reading));
        wbShownJoint *joint = &joints[extras->jointCount++];
        *joint = (wbShownJoint){reading.from, reading.to, reading.from, reading.to, reading.isBroken};
        WB_TRY(findCentre(world, wbJoint_GetFirst(world, id), &joint->first));
        WB_TRY(findCentre(world, wbJoint_GetSecond(world, id), &joint->second));
    }
    return wb_okStatus;
}

// Particles of a soft body that rigid bodies hold.
static wbStatus addTies(wbExtras *extras, wbWorld *world, wbSoftBodyId body) {
    int count;
    wbView view;
    WB_TRY(wbSoftBody_GetAttachments(world, body, NULL, 0, &count));
    if (count == 0) return wb_okStatus;
    WB_TRY(reserve(&extras->ties, sizeof(wbAttachment), count));
    WB_TRY(reserve(&extras->joints, sizeof(wbShownJoint), extras->jointCount + count));
    WB_TRY(wbSoftBody_GetAttachments(world, body, extras->ties.data, count, &count));
    WB_TRY(wbSoftBody_GetView(world, body, &view));
    const wbAttachment *ties = extras->ties.data;
    for (int i = 0; i < count; i++) {
        wbRigidMotion motion;
        WB_TRY(wbRigidBody_GetMotion(world, ties[i].body, &motion));
        const wbVec3 from = getParticle(&view, ties[i].particle),
                     to = wbAdd(motion.position, wbTurn(motion.rotation, ties[i].point));
        ((wbShownJoint *)extras->joints.data)[extras->jointCount++] =
            (wbShownJoint){from, to, from, motion.centre, false};
    }
    return wb_okStatus;
}

static wbStatus addAllTies(wbExtras *extras, wbWorld *world) {
    for (int b = 0; b < wbWorld_GetSoftBodyCount(world); b++)
        WB_TRY(addTies(extras, world, wbWorld_GetSoftBody(world, b)));
    return wb_okStatus;
}

static wbStatus addSleepers(wbExtras *extras, wbWorld *world) {
    const int count = wbWorld_GetRigidBodyCount(world);
    WB_TRY(reserve(&extras->sleepers, sizeof(wbVec3), count));
    for (int i = 0; i < count; i++) {
        const wbRigidBodyId id = wbWorld_GetRigidBody(world, i);
        bool isAwake;
        WB_TRY(wbRigidBody_IsAwake(world, id, &isAwake));
        if (isAwake) continue;
        WB_TRY(findCentre(world, id, (wbVec3 *)extras->sleepers.data + extras->sleeperCount++));
    }
    return wb_okStatus;
}

static wbShownPlace *addPlace(wbExtras *extras, wbPlaceKind kind, const char *name, bool isOpen) {
    wbShownPlace *place = (wbShownPlace *)extras->places.data + extras->placeCount++;
    *place = (wbShownPlace){.kind = kind, .isOpen = isOpen};
    snprintf(place->name, sizeof place->name, "%s", name);
    return place;
}

static void addEmitter(wbExtras *extras, const wbWorld *world, wbEmitterId id) {
    const wbEmitterParams *p = wbEmitter_GetParams(world, id);
    wbShownPlace *place = addPlace(extras, wb_placeEmitter, wbEmitter_GetName(world, id), p->open);
    const float length = sqrtf(wbDot(p->direction, p->direction));
    place->shape = p->kind == wb_emitterDisc ? wb_placeDisc : wb_placeBox;
    place->position = p->position, place->radius = p->radius;
    place->direction = wbScale(length > 0 ? p->velocity / length : 0, p->direction);
    place->min = p->min, place->max = p->max;
    if (place->shape == wb_placeBox) place->position = wbScale(0.5f, wbAdd(p->min, p->max));
}

static void addDrain(wbExtras *extras, const wbWorld *world, wbDrainId id) {
    const wbDrainParams *p = wbDrain_GetParams(world, id);
    wbShownPlace *place = addPlace(extras, wb_placeDrain, wbDrain_GetName(world, id), p->open);
    place->shape = wb_placeBox;
    place->min = p->min, place->max = p->max;
    place->position = wbScale(0.5f, wbAdd(p->min, p->max));
}

static void addSource(wbExtras *extras, const wbWorld *world, wbSourceId id) {
    const wbSourceParams *p = wbSource_GetParams(world, id);
    wbShownPlace *place = addPlace(extras, wb_placeSource, wbSource_GetName(world, id), p->open);
    place->shape = p->shape == wb_sourceSphere ? wb_placeBall
                   : p->shape == wb_sourceBox  ? wb_placeBox
                                               : wb_placePoint;
    place->position = p->position, place->radius = p->radius, place->direction = p->velocity;
    place->min = wbSub(p->position, wbScale(0.5f, p->size));
    place->max = wbAdd(p->position, wbScale(0.5f, p->size));
}

static wbStatus addPlaces(wbExtras *extras, const wbWorld *world) {
    const int emitters = wbWorld_GetEmitterCount(world), drains = wbWorld_GetDrainCount(world),
              sources = wbWorld_GetSourceCount(world);
    WB_TRY(reserve(&extras->places, sizeof(wbShownPlace), emitters + drains + sources));
    for (int i = 0; i < emitters; i++) addEmitter(extras, world, wbWorld_GetEmitter(world, i));
    for (int i = 0; i < drains; i++) addDrain(extras, world, wbWorld_GetDrain(world, i));
    for (int i = 0; i < sources; i++) addSource(extras, world, wbWorld_GetSource(world, i));
    return wb_okStatus;
}

// About x, then y, then z.
static wbVec3 turn(wbVec3 v, wbVec3 degrees) {
    const float r = 3.14159265f / 180, cx = cosf(r * degrees.x), sx = sinf(r * degrees.x),
                cy = cosf(r * degrees.y), sy = sinf(r * degrees.y), cz = cosf(r * degrees.z),
                sz = sinf(r * degrees.z);
    v = wbMakeVec3(v.x, cx * v.y - sx * v.z, sx * v.y + cx * v.z);
    v = wbMakeVec3(cy * v.x + sy * v.z, v.y, cy * v.z - sy * v.x);
    return wbMakeVec3(cz * v.x - sz * v.y, sz * v.x + cz * v.y, v.z);
}

static void setCorners(wbShownProbe *probe, const wbProbeParams *p) {
    for (int c = 0; c < 4; c++) {
        const float a = c == 0 || c == 3 ? -0.5f : 0.5f, b = c < 2 ? -0.5f : 0.5f;
        wbVec3 corner = wbMakeVec3(a * p->size.x, 0, b * p->size.z); // level: the section of a column
        if (p->kind == wb_probeFlow) corner = turn(wbMakeVec3(0, a * p->size.y, b * p->size.z), p->rotation);
        probe->corners[c] = wbAdd(p->position, corner);
    }
}

static wbStatus addProbes(wbExtras *extras, wbWorld *world) {
    const int count = wbWorld_GetProbeCount(world);
    WB_TRY(reserve(&extras->probes, sizeof(wbShownProbe), count));
    wbShownProbe *probes = extras->probes.data;
    for (int i = 0; i < count; i++) {
        const wbProbeId id = wbWorld_GetProbe(world, i);
        const wbProbeParams *params = wbProbe_GetParams(world, id);
        wbShownProbe *probe = &probes[extras->probeCount++];
        *probe = (wbShownProbe){.kind = params->kind, .position = params->position};
        snprintf(probe->name, sizeof probe->name, "%s", wbProbe_GetName(world, id));
        setCorners(probe, params);
        WB_TRY(wbProbe_GetValues(world, id, &probe->values));
    }
    return wb_okStatus;
}

static wbStatus addTransfers(wbExtras *extras, wbWorld *world) {
    int count;
    WB_TRY(wbWorld_GetTransfers(world, NULL, 0, &count));
    WB_TRY(reserve(&extras->transfers, sizeof(wbTransfer), count));
    return wbWorld_GetTransfers(world, extras->transfers.data, count, &extras->transferCount);
}

static wbStatus addDerived(wbExtras *extras, wbWorld *world) {
    int count;
    WB_TRY(wbWorld_GetDerived(world, NULL, 0, &count));
    WB_TRY(reserve(&extras->derived, sizeof(wbDerived), count));
    return wbWorld_GetDerived(world, extras->derived.data, count, &extras->derivedCount);
}

static wbStatus addChoice(wbExtras *extras, const wbWorld *world, const char *section, const wbParam *param) {
    char key[2 * WB_EXTRA_NAME];
    WB_TRY(reserve(&extras->choices, sizeof(wbShownChoice), extras->choiceCount + 1));
    wbShownChoice *choice = (wbShownChoice *)extras->choices.data + extras->choiceCount++;
    *choice = (wbShownChoice){.param = param};
    snprintf(choice->section, sizeof choice->section, "%s", section);
    snprintf(key, sizeof key, "%s.%s", section, param->name);
    return wbWorld_GetParam(world, key, choice->text, sizeof choice->text);
}

static wbStatus addChoices(wbExtras *extras, const wbWorld *world) {
    int solvers;
    const wbSolverInfo *const *list = wbGetSolvers(&solvers);
    for (int s = 0; s < solvers; s++) {
        const wbParamTable *table = wbGetParams(list[s]->name);
        for (int r = 0; wbWorld_HasSolver(world, list[s]->name) && r < table->count; r++)
            if (table->params[r].type == wb_paramEnum)
                WB_TRY(addChoice(extras, world, list[s]->name, &table->params[r]));
    }
    return wb_okStatus;
}

static wbStatus addErrors(wbExtras *extras, wbWorld *world) {
    if (wbWorld_GetConstraintCount(world) > 0) WB_TRY(wbWorld_GetLengthError(world, &extras->lengthError));
    if (wbWorld_GetCellCount(world) > 0) extras->cycles = wbWorld_GetSmokeStats(world).cycles;
    return wb_okStatus;
}

wbStatus wbExtras_Fill(wbExtras *extras, wbWorld *world, unsigned wants) {
    extras->wants = wants;
    extras->linkCount = extras->contactCount = extras->jointCount = extras->sleeperCount = 0;
    extras->placeCount = extras->probeCount = extras->transferCount = extras->derivedCount = 0;
    extras->choiceCount = 0;
    extras->lengthError = extras->cycles = NAN;
    if (wants & wb_wantLinks) WB_TRY(addLinks(extras, world));
    if (wants & wb_wantContacts) WB_TRY(addContacts(extras, world));
    if (wants & wb_wantJoints) WB_TRY(addJoints(extras, world));
    if (wants & wb_wantJoints) WB_TRY(addAllTies(extras, world));
    if (wants & wb_wantSleepers) WB_TRY(addSleepers(extras, world));
    if (wants & wb_wantPlaces) WB_TRY(addPlaces(extras, world));
    if (wants & wb_wantProbes) WB_TRY(addProbes(extras, world));
    if (wants & wb_wantTransfers) WB_TRY(addTransfers(extras, world));
    if (wants & wb_wantDerived) WB_TRY(addDerived(extras, world));
    if (wants & wb_wantDerived) WB_TRY(addChoices(extras, world));
    if (wants & wb_wantErrors) WB_TRY(addErrors(extras, world));
    return wb_okStatus;
}

void wbExtras_Free(wbExtras *extras) {
    wbArray *arrays[] = {&extras->links,   &extras->contacts, &extras->joints,    &extras->sleepers,
                         &extras->places,  &extras->probes,   &extras->transfers, &extras->derived,
                         &extras->choices, &extras->ties};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) wbArray_Free(NULL, arrays[i]);
}
