// SPDX-License-Identifier: MIT
#include "app/view/pick.h"

#include "app/view/geometry.h"

typedef struct Search {
    const wbSight *sight;
    wbPick best, clear; ///< the nearest, and the nearest of clear bodies
} Search;

static wbVec3 getPoint(const wbView *view, int i) {
    const size_t at = (size_t)i * (size_t)view->stride;
    return wbMakeVec3(view->x[at], view->y[at], view->z[at]);
}

static void offer(wbPick *best, wbOwner owner, int particle, float distance, wbRay ray) {
    if (!(distance > 0) || !(distance < best->distance)) return;
    *best = (wbPick){
        .owner = owner, .particle = particle, .point = wbRay_GetPoint(ray, distance), .distance = distance};
}

// Where a ray meets a ball; 0: it does not. Balls that are smaller than the sight is wide are hit beside them.
static float meetBall(const wbSight *sight, wbVec3 centre, float radius) {
    const wbVec3 way = wbSub(centre, sight->ray.origin);
    const float along = wbDot(way, sight->ray.direction), wide = fmaxf(radius, sight->slope * along);
    const float beside2 = wbDot(way, way) - along * along;
    if (along <= 0 || beside2 > wide * wide) return 0;
    return along - sqrtf(fmaxf(0, radius * radius - beside2));
}

static void searchBalls(Search *search, const wbView *view, wbOwner owner, float radius) {
    const wbSight exact = {search->sight->ray, 0};
    const bool isFluid = owner.kind == wb_ownerFluid;
    const float wide = isFluid ? 1.42f : 1; // of a lattice, without gaps between its balls
    for (int i = 0; i < view->count; i++) {
        const float r = wide * (view->radius ? view->radius[(size_t)i * (size_t)view->stride] : radius);
        const float t = meetBall(isFluid ? &exact : search->sight, getPoint(view, i), r);
        if (t > 0) offer(&search->best, owner, i, t, search->sight->ray);
    }
}

static int findNearest(const wbView *view, const int *corners, int count, wbVec3 point) {
    int nearest = corners[0];
    float least = INFINITY;
    for (int i = 0; i < count; i++) {
        const wbVec3 way = wbSub(getPoint(view, corners[i]), point);
        if (wbDot(way, way) < least) least = wbDot(way, way), nearest = corners[i];
    }
    return nearest;
}

static void searchTriangles(Search *search, const wbRenderSoft *soft) {
    const wbRay ray = search->sight->ray;
    for (int i = 0; i < soft->triangleCount; i++) {
        int corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = soft->triangles[3 * (size_t)i + (size_t)k] - soft->firstParticle;
        const float t =
            wbRay_MeetTriangle(ray, getPoint(&soft->view, corners[0]), getPoint(&soft->view, corners[1]),
                               getPoint(&soft->view, corners[2]));
        if (!(t > 0) || t >= search->best.distance) continue;
        const wbVec3 point = wbRay_GetPoint(ray, t);
        offer(&search->best, soft->owner, findNearest(&soft->view, corners, 3, point), t, ray);
    }
}

// Where two lines are nearest to each other: of the sight, if a tube around the other one is within its width; 0: missed
static float meetTube(const wbSight *sight, wbVec3 a, wbVec3 b, float radius) {
    const wbVec3 way = wbSub(b, a);
    const float s = fminf(fmaxf(wbRay_FindAlong(sight->ray, a, way), 0), 1);
    return meetBall(sight, wbAdd(a, wbScale(s, way)), radius);
}

static void searchLink(Search *search, const wbRenderSoft *soft, int first, int second) {
    const int ends[2] = {first, second};
    const wbRay ray = search->sight->ray;
    const float t =
        meetTube(search->sight, getPoint(&soft->view, first), getPoint(&soft->view, second), soft->radius);
    if (!(t > 0) || t >= search->best.distance) return;
    const wbVec3 point = wbRay_GetPoint(ray, t);
    offer(&search->best, soft->owner, findNearest(&soft->view, ends, 2, point), t, ray);
}

static void searchLines(Search *search, const wbRenderSoft *soft) {
    for (int i = 0; soft->isChain && i + 1 < soft->view.count; i++) searchLink(search, soft, i, i + 1);
    for (int i = 0; !soft->isChain && i < soft->linkCount; i++)
        searchLink(search, soft, soft->first[i] - soft->firstParticle, soft->second[i] - soft->firstParticle);
}

static void searchSoft(Search *search, const wbRenderSoft *soft) {
    if (soft->show == wb_showSurface && soft->triangleCount > 0)
        searchTriangles(search, soft);
    else if (soft->show == wb_showLines)
        searchLines(search, soft);
    else
        searchBalls(search, &soft->view, soft->owner, soft->radius);
}

static wbVec3 getCorner(const wbMesh *mesh, uint32_t corner) {
    const float *v = mesh->vertices + 3 * (size_t)corner;
    return wbMakeVec3(v[0], v[1], v[2]);
}

// In the body's own frame.
static void searchBody(Search *search, const wbRenderBody *body) {
    const wbVec3 position = {body->position[0], body->position[1], body->position[2]};
    const wbRay ray = search->sight->ray, own = {wbTurnBack(body->rotation, wbSub(ray.origin, position)),
                                                 wbTurnBack(body->rotation, ray.direction)};
    wbPick *best = body->opacity < 1 ? &search->clear : &search->best;
    const float before = best->distance;
    for (int i = 0; i < body->mesh->triangleCount; i++) {
        const uint32_t *c = body->mesh->indices + 3 * (size_t)i;
        const float t = wbRay_MeetTriangle(own, getCorner(body->mesh, c[0]), getCorner(body->mesh, c[1]),
                                           getCorner(body->mesh, c[2]));
        if (t > 0) offer(best, body->owner, -1, t, ray);
    }
    if (!(best->distance < before)) return;
    wbVec3 min, max;
    wbBoundMesh(body->mesh, &min, &max);
    best->extent = wbSub(max, min);
}

wbPick wbPickStill(const wbStill *still, const wbSight *sight, unsigned kinds) {
    const wbRenderScene *scene = &still->scene;
    const wbPick nothing = {.particle = -1, .distance = INFINITY};
    Search search = {sight, nothing, nothing};
    for (int i = 0; i < scene->viewCount && kinds >> wb_ownerFluid & 1; i++) {
        const wbOwner owner = {wb_ownerFluid, i};
        const wbSeenObject *fluid = wbObjects_Find(&still->objects, owner);
        searchBalls(&search, &scene->views[i], owner, 0.5f * (fluid ? fluid->spacing : scene->spacing));
    }
    for (int i = 0; i < scene->softCount; i++)
        if (scene->softs[i].owner.kind != wb_ownerNone && kinds >> scene->softs[i].owner.kind & 1)
            searchSoft(&search, &scene->softs[i]);
    for (int i = 0; i < scene->bodyCount; i++)
        if (kinds >> scene->bodies[i].owner.kind & 1) searchBody(&search, &scene->bodies[i]);
    wbPick *best = search.best.owner.kind == wb_ownerNone ? &search.clear : &search.best;
    if (best->owner.kind == wb_ownerFluid) {
        const wbView *view = &scene->views[best->owner.index];
        best->id = view->id ? view->id[(size_t)best->particle * (size_t)view->stride] : 0;
    }
    return *best;
}

int wbPickHandle(const wbStill *still, const wbSight *sight, bool withSides) {
    const wbHandle *handles = still->objects.handles.data;
    int found = -1;
    float least = 1;
    for (int i = 0; i < still->objects.handleCount; i++) {
        const wbVec3 way = wbSub(handles[i].at, sight->ray.origin);
        const float along = wbDot(way, sight->ray.direction);
        if (along <= 0 || (handles[i].kind == wb_handleSide && !withSides)) continue;
        const float beside = sqrtf(fmaxf(0, wbDot(way, way) - along * along)) / (sight->slope * along);
        if (beside < least) least = beside, found = i;
    }
    return found;
}

bool wbPickAir(const wbStill *still, wbRay ray, wbVec3 *point) {
    const wbSmokeView *air = &still->air;
    if (air->cells[0] == 0) return false;
    const wbVec3 extent = {air->cellSize * (float)air->cells[0], air->cellSize * (float)air->cells[1],
                           air->cellSize * (float)air->cells[2]};
    const wbVec3 max = wbAdd(air->min, extent);
    float enters, leaves, depth = 0;
    if (!wbRay_MeetBox(ray, air->min, max, &enters, &leaves)) return false;
    *point = wbRay_GetPoint(ray, 0.5f * (enters + leaves));
    // thick: as much smoke as three cells full of it
    for (float t = enters + 0.5f * air->cellSize; t < leaves && air->density; t += air->cellSize) {
        const wbVec3 p = wbSub(wbRay_GetPoint(ray, t), air->min);
        int cell[3];
        for (int a = 0; a < 3; a++) {
            cell[a] = (int)((&p.x)[a] / air->cellSize);
            cell[a] = cell[a] < 0 ? 0 : cell[a] >= air->cells[a] ? air->cells[a] - 1 : cell[a];
        }
        depth += air->density[cell[0] + cell[1] * air->strideY + cell[2] * air->strideZ];
        if (depth < 3) continue;
        *point = wbRay_GetPoint(ray, t);
        break;
    }
    return true;
}
