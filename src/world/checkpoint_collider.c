// SPDX-License-Identifier: MIT
// Colliders and mechanisms in a checkpoint. Meshes are saved too: files that they came from are not needed again.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "shape/mesh.h"
#include "world/checkpoint.h"

_Static_assert(sizeof(wbSavedCollider) == 232, "as it stands in the file");
_Static_assert(sizeof(wbSavedMechanism) == 120, "as it stands in the file");

// One behind the other.
static void saveMeshes(const wbWorld *world, wbSectionList *list) {
    size_t vertexBytes = 0, indexBytes = 0;
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbMesh *mesh = &wbGetColliderAt(world, i)->mesh;
        vertexBytes += sizeof(float[3]) * (size_t)mesh->vertexCount;
        indexBytes += sizeof(uint32_t[3]) * (size_t)mesh->triangleCount;
    }
    char *vertices = wbAddOwnedSection(list, "meshVertices", vertexBytes),
         *indices = wbAddOwnedSection(list, "meshIndices", indexBytes);
    for (int i = 0; i < world->colliderIds.indexCount && vertices && indices; i++) {
        const wbMesh *mesh = &wbGetColliderAt(world, i)->mesh;
        vertexBytes = sizeof(float[3]) * (size_t)mesh->vertexCount;
        indexBytes = sizeof(uint32_t[3]) * (size_t)mesh->triangleCount;
        memcpy(vertices, mesh->vertices, vertexBytes), vertices += vertexBytes;
        memcpy(indices, mesh->indices, indexBytes), indices += indexBytes;
    }
}

void wbSaveColliders(const wbWorld *world, wbSectionList *list) {
    size_t colliderCount = (size_t)world->colliderIds.indexCount,
           mechanismCount = (size_t)world->mechanismIds.indexCount;
    wbSavedCollider *colliders = wbAddOwnedSection(list, "colliders", colliderCount * sizeof *colliders);
    wbSavedMechanism *mechanisms = wbAddOwnedSection(list, "mechanisms", mechanismCount * sizeof *mechanisms);
    for (size_t i = 0; i < colliderCount && colliders; i++) {
        const wbCollider *collider = wbGetColliderAt(world, (int)i);
        colliders[i] = (wbSavedCollider){.index1 = wbIdPool_GetIndex1(&world->colliderIds, (int)i),
                                         .mechanism = collider->mechanism,
                                         .part = collider->part,
                                         .vertexCount = collider->mesh.vertexCount,
                                         .triangleCount = collider->mesh.triangleCount,
                                         .state = collider->state};
        memcpy(colliders[i].name, collider->name, sizeof collider->name);
    }
    for (size_t i = 0; i < mechanismCount && mechanisms; i++) {
        const wbMechanism *mechanism = wbGetMechanismAt(world, (int)i);
        mechanisms[i] = (wbSavedMechanism){.index1 = wbIdPool_GetIndex1(&world->mechanismIds, (int)i),
                                           .partCount = mechanism->partCount,
                                           .state = mechanism->state};
        memcpy(mechanisms[i].name, mechanism->name, sizeof mechanism->name);
    }
    saveMeshes(world, list);
}

static bool isPose(const wbPose *pose) {
    double length2 = 0;
    for (int a = 0; a < 4; a++) length2 += (double)pose->rotation[a] * pose->rotation[a];
    for (int a = 0; a < 3; a++)
        if (!(fabsf(pose->position[a]) <= 1e30f)) return false;
    return fabs(length2 - 1) < 1e-3;
}

static bool isVelocity(const float v[3]) {
    return fabsf(v[0]) <= 1e30f && fabsf(v[1]) <= 1e30f && fabsf(v[2]) <= 1e30f;
}

static bool isColliderState(const wbSavedCollider *saved) {
    const wbColliderState *state = &saved->state;
    const wbPose *pose = &state->pose;
    bool isGood = isPose(pose) && state->isDriven >= 0 && state->isDriven <= (saved->mechanism < 0);
    for (int a = 0; a < 3 && state->isDriven; a++)
        isGood &= fabs(state->position[a] - pose->position[a]) <= 1e-6 * fabs(state->position[a]) + 1e-30;
    for (int a = 0; a < 4 && state->isDriven; a++)
        isGood &= fabs(state->rotation[a] - pose->rotation[a]) <= 1e-6;
    return isGood && isVelocity(state->velocity) && isVelocity(state->spin) && state->hasTarget >= 0 &&
           state->hasTarget <= state->isDriven && (!state->hasTarget || isPose(&state->target));
}

static bool isMechanismState(const wbMechanismState *state) {
    for (int g = 0; g < 2; g++)
        if (!(state->place[g] >= 0 && state->place[g] <= 1)) return false;
    return fabs(state->angle) <= 1e30 && fabs(state->speed) <= 1e30 && fabs(state->phase) <= 1e30 &&
           fabs(state->transit) <= 1e30;
}

wbStatus wbLoadMesh(wbSavedMeshes *meshes, const char *owners, int vertexCount, int triangleCount,
                    wbMesh *mesh) {
    size_t vertexBytes = sizeof(float[3]) * (size_t)vertexCount,
           indexBytes = sizeof(uint32_t[3]) * (size_t)triangleCount;
    if (vertexCount < 1 || triangleCount < 1 || vertexBytes > meshes->vertexBytes ||
        indexBytes > meshes->indexBytes)
        return wbError(wb_errorInput, "the meshes of %s are cut", owners);
    WB_TRY(wbAllocMesh(vertexCount, triangleCount, mesh));
    memcpy(mesh->vertices, meshes->vertices, vertexBytes);
    memcpy(mesh->indices, meshes->indices, indexBytes);
    meshes->vertices += vertexBytes, meshes->vertexBytes -= vertexBytes;
    meshes->indices += indexBytes, meshes->indexBytes -= indexBytes;
    return wb_okStatus;
}

static wbStatus loadCollider(const wbSavedCollider *saved, wbSavedMeshes *meshes, wbWorld *world) {
    wbMesh mesh;
    wbColliderDef def = wbDefaultColliderDef();
    if (!wbIsSavedObject(saved->name, saved->index1) || !isColliderState(saved))
        return wbError(wb_errorInput, "collider %d makes no sense", world->colliderIds.indexCount);
    WB_TRY(wbLoadMesh(meshes, "colliders", saved->vertexCount, saved->triangleCount, &mesh));
    WB_TRY(wbAddCollider(world, saved->name, &def.params, &mesh, saved->index1));
    return wb_okStatus;
}

// Its parts are the colliders that name it.
static wbStatus loadMechanism(const wbSavedMechanism *saved, const wbSavedCollider *colliders,
                              size_t colliderCount, wbWorld *world) {
    int parts[WB_MAX_PARTS], index = world->mechanismIds.indexCount;
    wbMechanismDef def = wbDefaultMechanismDef();
    bool isGood = wbIsSavedObject(saved->name, saved->index1) && isMechanismState(&saved->state) &&
                  saved->partCount > 0 && saved->partCount <= WB_MAX_PARTS;
    for (int p = 0; p < saved->partCount && isGood; p++) {
        parts[p] = -1;
        for (size_t i = 0; i < colliderCount; i++)
            if (colliders[i].mechanism == index && colliders[i].part == p) parts[p] = (int)i;
        isGood = parts[p] >= 0;
    }
    if (!isGood) return wbError(wb_errorInput, "mechanism %d makes no sense", index);
    WB_TRY(wbAddMechanism(world, saved->name, &def.params, parts, saved->partCount, saved->index1));
    wbMechanism *mechanism = wbGetMechanismAt(world, index);
    mechanism->state = mechanism->hostState = saved->state;
    return wb_okStatus;
}

static wbStatus loadParts(const wbSavedCollider *colliders, size_t colliderCount, const void *mechanisms,
                          size_t mechanismCount, wbSavedMeshes *meshes, wbWorld *world) {
    for (size_t i = 0; i < colliderCount; i++) WB_TRY(loadCollider(&colliders[i], meshes, world));
    if (meshes->vertexBytes || meshes->indexBytes)
        return wbError(wb_errorInput, "there are more meshes than colliders");
    for (size_t i = 0; i < mechanismCount; i++) {
        wbSavedMechanism saved;
        memcpy(&saved, (const char *)mechanisms + i * sizeof saved, sizeof saved);
        WB_TRY(loadMechanism(&saved, colliders, colliderCount, world));
    }
    for (size_t i = 0; i < colliderCount; i++) {
        const wbCollider *collider = wbGetColliderAt(world, (int)i);
        if (colliders[i].mechanism != collider->mechanism || colliders[i].part != collider->part)
            return wbError(wb_errorInput, "collider %zu is moved by a mechanism that is not there", i);
    }
    return wb_okStatus;
}

static wbStatus findColliders(wbSectionList *list, const wbSection **colliders, size_t *colliderCount,
                              const wbSection **mechanisms, size_t *mechanismCount) {
    WB_TRY(
        wbFindParts(list, "colliders", sizeof(wbSavedCollider), WB_MAX_COLLIDERS, colliders, colliderCount));
    return wbFindParts(list, "mechanisms", sizeof(wbSavedMechanism), WB_MAX_COLLIDERS, mechanisms,
                       mechanismCount);
}

wbStatus wbLoadColliders(wbSectionList *list, wbWorld *world) {
    const wbSection *colliders, *mechanisms;
    size_t colliderCount, mechanismCount;
    wbStatus status = wb_okStatus;
    WB_TRY(findColliders(list, &colliders, &colliderCount, &mechanisms, &mechanismCount));
    const wbSection *vertices = wbFindAnySection(list, "meshVertices", &status),
                    *indices = vertices ? wbFindAnySection(list, "meshIndices", &status) : NULL;
    if (!indices) return status;
    wbSavedMeshes meshes = {vertices->data, indices->data, vertices->size, indices->size};
    wbSavedCollider *copy = wbAlloc(NULL, colliders->size); // the file's bytes may lie anywhere
    if (colliders->size && !copy) return wbMemoryError(NULL, "to load colliders needs");
    if (colliders->size) memcpy(copy, colliders->data, colliders->size);
    status = loadParts(copy, colliderCount, mechanisms->data, mechanismCount, &meshes, world);
    wbFree(NULL, copy, colliders->size);
    return status;
}

wbStatus wbCheckColliderStates(wbSectionList *list) {
    const wbSection *colliders, *mechanisms;
    size_t colliderCount, mechanismCount;
    WB_TRY(findColliders(list, &colliders, &colliderCount, &mechanisms, &mechanismCount));
    for (size_t i = 0; i < colliderCount; i++) {
        wbSavedCollider saved;
        memcpy(&saved, (const char *)colliders->data + i * sizeof saved, sizeof saved);
        if (!isColliderState(&saved)) return wbError(wb_errorInput, "collider %zu makes no sense", i);
    }
    for (size_t i = 0; i < mechanismCount; i++) {
        wbSavedMechanism saved;
        memcpy(&saved, (const char *)mechanisms->data + i * sizeof saved, sizeof saved);
        if (!isMechanismState(&saved.state)) return wbError(wb_errorInput, "mechanism %zu makes no sense", i);
    }
    return wb_okStatus;
}

// They rest until the next step, and nothing presses them.
void wbLoadColliderStates(wbSectionList *list, wbWorld *world) {
    wbStatus status = wb_okStatus;
    const wbSection *colliders = wbFindAnySection(list, "colliders", &status),
                    *mechanisms = wbFindAnySection(list, "mechanisms", &status);
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        wbSavedCollider saved;
        wbCollider *collider = wbGetColliderAt(world, i);
        memcpy(&saved, (const char *)colliders->data + (size_t)i * sizeof saved, sizeof saved);
        const wbPose before = collider->state.pose;
        collider->state = collider->hostState = saved.state;
        for (int k = 0; k < 3; k++) collider->motion[k] = (wbMotion){.pose = saved.state.pose};
        memset(collider->impulses, 0, sizeof collider->impulses);
        wbFollowDrive(world, i);
        if (collider->isBoundMoving || memcmp(&before, &saved.state.pose, sizeof before) != 0)
            wbBoundCollider(world, i);
        collider->isBoundMoving = false;
    }
    for (int i = 0; i < world->mechanismIds.indexCount; i++) {
        wbSavedMechanism saved;
        memcpy(&saved, (const char *)mechanisms->data + (size_t)i * sizeof saved, sizeof saved);
        wbGetMechanismAt(world, i)->state = saved.state;
    }
}
