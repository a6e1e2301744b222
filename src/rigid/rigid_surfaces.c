// SPDX-License-Identifier: MIT
// Sides, planes, and pieces of static and kinematic bodies, as particles feel them.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/manifold.h"
#include "rigid/rigid_list.h"
#include "rigid/rigid_search.h"

static const wbRigidPiece *getPiece(const wbRigid *rigid, int piece) {
    return (const wbRigidPiece *)rigid->pieces.data + piece;
}

static void placePlane(wbRigidParticles *p, int plane, wbVec3 normal, float offset) {
    float *row = (float *)p->planes.data + 4 * (size_t)plane;
    row[0] = normal.x, row[1] = normal.y, row[2] = normal.z, row[3] = offset;
}

static void placeSides(wbRigid *rigid, const wbDomain *domain) {
    wbRigidParticles *p = &rigid->particles;
    const int total = rigid->count + rigid->guestCount;
    for (int side = 0; side < wb_sideCount; side++) {
        const float sign = side % 2 ? -1 : 1;
        const wbVec3 normal = {side / 2 == 0 ? sign : 0, side / 2 == 1 ? sign : 0, side / 2 == 2 ? sign : 0};
        float *mover = (float *)p->movers.data + WB_RIGID_MOVER * (size_t)(total + side);
        placePlane(p, side, normal, sign * wbDomain_GetEnd(domain, side));
        memset(mover, 0, sizeof(float[WB_RIGID_MOVER]));
        memcpy(mover + 4, domain->velocity[side], sizeof domain->velocity[side]);
        ((int *)p->planeMovers.data)[side] = total + side;
        ((int *)p->planeSeconds.data)[side] = -1 - side;
    }
    p->planeCount = wb_sideCount;
}

wbStatus wbRigid_PlacePlanes(wbRigid *rigid, wbMemory *memory, const wbDomain *domain) {
    wbRigidParticles *p = &rigid->particles;
    int most = wb_sideCount;
    for (int b = 0; b < rigid->count + rigid->guestCount; b++)
        if (!(rigid->bits[b] & WB_RIGID_DYNAMIC) && !isfinite(rigid->reach[b])) most += rigid->pieceCount[b];
    if (!wbArray_Reserve(memory, &p->planes, most) || !wbArray_Reserve(memory, &p->planeMovers, most) ||
        !wbArray_Reserve(memory, &p->planeSeconds, most))
        return wbMemoryError(memory, "%d planes need", most);
    placeSides(rigid, domain);
    for (int b = 0; b < rigid->count + rigid->guestCount && most > wb_sideCount; b++) {
        if (rigid->bits[b] & WB_RIGID_DYNAMIC || isfinite(rigid->reach[b])) continue;
        const wbPose body = wbRigid_GetPose(rigid, b);
        for (int k = rigid->firstPiece[b]; k < rigid->firstPiece[b] + rigid->pieceCount[b]; k++) {
            if (getPiece(rigid, k)->kind != wb_piecePlane) continue;
            const wbPose pose = wbPose_Multiply(&body, &getPiece(rigid, k)->pose);
            const wbVec3 normal = wbPose_Rotate(&pose, wbMakeVec3(0, 1, 0));
            const wbVec3 place = {pose.position[0], pose.position[1], pose.position[2]};
            placePlane(p, p->planeCount, normal, wbDot(normal, place));
            ((int *)p->planeMovers.data)[p->planeCount] = b;
            ((int *)p->planeSeconds.data)[p->planeCount++] = -1 - wb_sideCount - k;
        }
    }
    return wb_okStatus;
}

// Whether a body feels a plane at all.
static bool meetsPlane(const wbContactSearch *search, int body, int plane) {
    const wbRigid *rigid = search->rigid;
    if (plane < wb_sideCount) return search->domain->closed[plane];
    const int solid = ((const int *)rigid->particles.planeMovers.data)[plane];
    return wbRigid_IsFelt(rigid, solid) && wbRigid_MayMeet(rigid, body, solid);
}

static bool findPlane(const wbContactSearch *search, wbRigidStore *store, int body, int plane) {
    const wbRigid *rigid = search->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const float *n = (const float *)p->planes.data + 4 * (size_t)plane, margin = search->finder.margin;
    const int begin = store->count, second = ((const int *)p->planeSeconds.data)[plane],
              mover = ((const int *)p->planeMovers.data)[plane];
    const float height = n[0] * rigid->x[body] + n[1] * rigid->y[body] + n[2] * rigid->z[body] - n[3];
    if (height > rigid->reach[body] * 1.0001f + margin || !meetsPlane(search, body, plane)) return true;
    if (!wbRigidStore_Reserve(store, search->finder.memory, p->surfaceCount[body] + WB_PADDING)) return false;
    const float radius = search->matter[body].radius;
    for (int i = p->firstParticle[body]; i < p->firstParticle[body] + p->surfaceCount[body]; i++)
        if (n[0] * p->world[0][i] + n[1] * p->world[1][i] + n[2] * p->world[2][i] - n[3] < radius + margin)
            wbRigidStore_Add(store, p, i, second);
    if (store->count == begin) return true;
    const int solid = plane < wb_sideCount ? -1 : mover;
    wbRigidGroup group = {.first = body,
                          .second = second,
                          .mover = mover,
                          .plane = plane,
                          .kind = wb_surfacePlane,
                          .radii = {radius},
                          .springs = wbRigid_GetSprings(rigid, search->model, body, solid, search->h)};
    return wbContactSearch_CloseGroup(search, store, begin, &group);
}

void wbRigid_FeelShape(const wbRigid *rigid, const wbRigidGroup *group, const float particle[4],
                       float touch[4]) {
    const wbRigidPiece *piece = getPiece(rigid, group->plane);
    const wbPose body = wbRigid_GetPose(rigid, group->mover), pose = wbPose_Multiply(&body, &piece->pose);
    wbVec3 nearest, normal;
    const float distance = wbRigidPiece_FindNearest(
        piece, &pose, wbMakeVec3(particle[0], particle[1], particle[2]), &nearest, &normal);
    touch[0] = normal.x, touch[1] = normal.y, touch[2] = normal.z, touch[3] = particle[3] - distance;
}

static bool isNearBox(const wbRigid *rigid, int body, const BroadBox *box, float margin) {
    const float at[3] = {rigid->x[body], rigid->y[body], rigid->z[body]}, reach = rigid->reach[body] + margin;
    for (int k = 0; k < 3; k++)
        if (at[k] + reach < box->min[k] || at[k] - reach > box->max[k]) return false;
    return true;
}

static bool findShape(const wbContactSearch *search, wbRigidStore *store, int body,
                      const wbFeltShape *shape) {
    const wbRigid *rigid = search->rigid;
    const wbRigidParticles *p = &rigid->particles;
    const float margin = search->finder.margin;
    const int begin = store->count;
    wbRigidGroup group = {.first = body,
                          .second = -1 - wb_sideCount - shape->piece,
                          .mover = shape->body,
                          .plane = shape->piece,
                          .kind = wb_surfaceShape,
                          .radii = {search->matter[body].radius}};
    if (!isNearBox(rigid, body, &shape->box, margin) || !wbRigid_MayMeet(rigid, body, shape->body))
        return true;
    if (!wbRigidStore_Reserve(store, search->finder.memory, p->surfaceCount[body] + WB_PADDING)) return false;
    for (int i = p->firstParticle[body]; i < p->firstParticle[body] + p->surfaceCount[body]; i++) {
        const float at[4] = {p->world[0][i], p->world[1][i], p->world[2][i], group.radii[0]};
        float touch[4];
        wbRigid_FeelShape(rigid, &group, at, touch);
        if (touch[3] + margin > 0) wbRigidStore_Add(store, p, i, group.second);
    }
    if (store->count == begin) return true;
    group.springs = wbRigid_GetSprings(rigid, search->model, body, shape->body, search->h);
    return wbContactSearch_CloseGroup(search, store, begin, &group);
}

bool wbContactSearch_FindSurfaces(const wbContactSearch *search, wbRigidStore *store, int body) {
    for (int plane = 0; plane < search->rigid->particles.planeCount; plane++)
        if (!findPlane(search, store, body, plane)) return false;
    for (int k = 0; k < search->shapeCount; k++)
        if (!findShape(search, store, body, &search->shapes[k])) return false;
    return true;
}

bool wbContactSearch_ChooseShapes(wbContactSearch *search, const wbWork *work) {
    const wbRigid *rigid = search->rigid;
    const int total = rigid->count + rigid->guestCount;
    size_t most = 0;
    for (int b = 0; b < total; b++)
        if (!(rigid->bits[b] & WB_RIGID_DYNAMIC) && wbRigid_IsFelt(rigid, b))
            most += (size_t)rigid->pieceCount[b];
    if (most == 0) return true;
    if (!(search->shapes = wbArena_Alloc(work->arena, sizeof(wbFeltShape) * most))) return false;
    for (int b = 0; b < total; b++) {
        if (rigid->bits[b] & WB_RIGID_DYNAMIC || !wbRigid_IsFelt(rigid, b)) continue;
        const wbPose pose = wbRigid_GetPose(rigid, b);
        for (int k = rigid->firstPiece[b]; k < rigid->firstPiece[b] + rigid->pieceCount[b]; k++)
            if (getPiece(rigid, k)->kind != wb_piecePlane)
                search->shapes[search->shapeCount++] =
                    (wbFeltShape){b, k, wbRigidPiece_Bound(getPiece(rigid, k), &pose)};
    }
    return true;
}
