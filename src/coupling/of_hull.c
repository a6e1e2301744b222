// SPDX-License-Identifier: MIT
#include "coupling/of_hull.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "coupling/hull_surface.h"
#include "coupling/response.h"

void wbWetHulls_Init(wbWetHulls *hulls, wbWetBodies *bodies) {
    *hulls = (wbWetHulls){.bodies = bodies, .list.elementSize = sizeof(wbWetHull)};
}

void wbWetHulls_Free(wbMemory *memory, wbWetHulls *hulls) {
    wbArray_Free(memory, &hulls->list);
    wbWetHulls_Init(hulls, hulls->bodies);
}

wbStatus wbWetHulls_Add(wbWetHulls *hulls, wbMemory *memory, const wbWetHull *hull) {
    if (!wbArray_Reserve(memory, &hulls->list, hulls->count + 1))
        return wbMemoryError(memory, "%d hulls need", hulls->count + 1);
    wbWetHull *own = wbWetHulls_Get(hulls, hulls->count++);
    *own = *hull;
    own->firstNode = hulls->nodeCount;
    hulls->nodeCount += hull->mesh->vertexCount;
    return wb_okStatus;
}

// Elements

int wbWetHulls_CountElements(const wbWetHulls *hulls) {
    int count = 0;
    for (int h = 0; h < hulls->count; h++) count += wbWetHulls_Get(hulls, h)->mesh->triangleCount;
    return count;
}

uint64_t wbWetHulls_GetKey(const wbWetHulls *hulls) {
    uint64_t key = WB_HASH_START;
    for (int h = 0; h < hulls->count; h++)
        key = wbHashBytes(key, &wbWetHulls_Get(hulls, h)->key, sizeof(uint64_t));
    return key;
}

void wbWetHulls_ListElements(const wbWetHulls *hulls, const wbSheets *sheets, int firstElement) {
    int element = firstElement;
    for (int h = 0; h < hulls->count; h++) {
        const wbWetHull *hull = wbWetHulls_Get(hulls, h);
        const wbMesh *mesh = hull->mesh;
        for (int t = 0; t < mesh->triangleCount; t++) {
            wbSheetElement *own = wbSheets_GetElement(sheets, element++);
            const wbWallFace *face = &hull->faces[t];
            *own = (wbSheetElement){.isClosed = true, .isEdge = face->isEdge};
            for (int k = 0; k < 3; k++) {
                own->corners[k] =
                    hulls->firstNode + hull->firstNode + (int)mesh->indices[3 * (size_t)t + (size_t)k];
                own->missing[k] = 0.125f * (float)face->missing[k];
                own->isSharp |= face->missing[k] > 0;
            }
        }
    }
}

// Motion

static wbVec3d applyTo(const wbPose *pose, const wbWetHull *hull, int vertex) {
    const float *v = hull->mesh->vertices + 3 * (size_t)vertex;
    return wbPose_Apply3d(pose, (wbVec3d){v[0], v[1], v[2]});
}

static wbSheetNode *getNode(const wbWetHulls *hulls, const wbSheets *sheets, const wbWetHull *hull,
                            int vertex) {
    return wbSheets_GetNode(sheets, hulls->firstNode + hull->firstNode + vertex);
}

float wbWetHulls_GetTopSpeed(const wbWetHulls *hulls) {
    const wbRigid *r = hulls->bodies->rigid;
    double most2 = 0;
    for (int h = 0; h < hulls->count; h++) {
        const wbWetHull *hull = wbWetHulls_Get(hulls, h);
        const int i = hull->body;
        const wbPose pose = wbRigid_GetPose(r, i),
                     back = wbPose_Invert(&wbWetBodies_Get(hulls->bodies, i)->frame);
        const wbPose origin = wbPose_Multiply(&pose, &back);
        const wbVec3d centre = {r->x[i], r->y[i], r->z[i]}, spin = {r->wx[i], r->wy[i], r->wz[i]};
        for (int v = 0; v < hull->mesh->vertexCount; v++) {
            const wbVec3d arm = wbSub3d(applyTo(&origin, hull, v), centre), swing = wbCross3d(spin, arm),
                          speed = wbAddScaled3d(swing, 1, (wbVec3d){r->vx[i], r->vy[i], r->vz[i]});
            most2 = fmax(most2, wbDot3d(speed, speed));
        }
    }
    return (float)sqrt(most2);
}

static void placeCorners(const wbWetHulls *hulls, const wbSheets *sheets, const wbWetHull *hull,
                         bool isStart) {
    const wbPose start = wbWetBodies_GetPlace(hulls->bodies, hull->body, hulls->from),
                 end = wbWetBodies_GetPlace(hulls->bodies, hull->body, hulls->to);
    for (int v = 0; v < hull->mesh->vertexCount; v++) {
        wbSheetNode *node = getNode(hulls, sheets, hull, v);
        if (isStart) *node = (wbSheetNode){.start = applyTo(&start, hull, v)};
        node->end = applyTo(&end, hull, v);
    }
}

void wbWetHulls_Place(wbWetHulls *hulls, const wbSheets *sheets, float from, float to) {
    hulls->from = from, hulls->to = to;
    for (int h = 0; h < hulls->count; h++) {
        wbWetHull *hull = wbWetHulls_Get(hulls, h);
        memcpy(hull->before, wbWetBodies_GetInner(hulls->bodies, hull->body)->given, sizeof hull->before);
        placeCorners(hulls, sheets, hull, true);
    }
}

// What all of a hull's corners got in this part, in their order.
static void sumGiven(const wbWetHulls *hulls, const wbSheets *sheets, const wbWetHull *hull, double dt) {
    double *given = wbWetBodies_GetInner(hulls->bodies, hull->body)->given;
    const wbVec3 at = wbWetBodies_GetCentre(hulls->bodies, hull->body, wb_atEnd);
    const wbVec3d centre = {at.x, at.y, at.z};
    wbVec3d sum = {0, 0, 0}, turn = {0, 0, 0};
    for (int v = 0; v < hull->mesh->vertexCount; v++) {
        const wbSheetNode *node = getNode(hulls, sheets, hull, v);
        if (!node->isTouched) continue;
        sum = wbAddScaled3d(sum, 1, node->given);
        turn = wbAddScaled3d(turn, 1, wbCross3d(wbSub3d(node->end, centre), node->given));
    }
    const double all[6] = {sum.x, sum.y, sum.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++) given[k] = hull->before[k] + all[k] / dt;
}

void wbWetHulls_GiveWay(const wbWetHulls *hulls, const wbSheets *sheets, double dt) {
    for (int h = 0; h < hulls->count; h++) {
        const wbWetHull *hull = wbWetHulls_Get(hulls, h);
        if (!hulls->responds || !wbWetBodies_IsFree(hulls->bodies, hull->body)) continue;
        sumGiven(hulls, sheets, hull, dt);
        wbWetBodies_GiveWay(hulls->bodies, hull->body);
        placeCorners(hulls, sheets, hull, false);
    }
}

void wbWetHulls_Take(const wbWetHulls *hulls, const wbSheets *sheets, double dt) {
    for (int h = 0; h < hulls->count; h++) sumGiven(hulls, sheets, wbWetHulls_Get(hulls, h), dt);
}
