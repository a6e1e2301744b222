// SPDX-License-Identifier: MIT
// How soft bodies feel colliders: where a particle's way in a sub-step leads near a surface, a plane there holds it.
#include <math.h>
#include <string.h>

#include "world/collider.h"
#include "world/soft.h"

typedef struct Search {
    const wbWorld *world;
    const wbPbdPlaces *places;
    const wbPbdPlanes *planes;
    float from, to; // shares of the step
    float radius;
    bool isStill; // no collider moves in this step
} Search;

typedef struct Place {
    wbVec3 start, end; // m
} Place;

// A plane in the world, where the collider is at the end of the sub-step.
typedef struct Plane {
    wbVec3 normal;
    float height;   // m, of the start above it
    wbVec3 shift;   // m
    float distance; // m, of the end from the surface: the nearest plane counts
    float clear;    // m, from the end to the nearest collider, at least
} Plane;

// A way that goes through a thin wall ends where the other side is nearest: then the side counts that it came from.
static bool crosses(float length, const wbSurface *start, const wbSurface *end) {
    return start->distance >= 0 && wbDot(start->gradient, end->gradient) < 0 &&
           start->distance + fabsf(end->distance) <= length;
}

static float getGap(float p, float min, float max) { return fmaxf(fmaxf(min - p, p - max), 0); }

// m, from a point to the box around a shape.
static float getBoxDistance(const wbShapeTree *tree, wbVec3 p) {
    const wbVec3 gap = {getGap(p.x, tree->min.x, tree->max.x), getGap(p.y, tree->min.y, tree->max.y),
                        getGap(p.z, tree->min.z, tree->max.z)};
    return sqrtf(wbDot(gap, gap));
}

// Corrections may lead a particle on: by a quarter of the contact, as between particles, or half its way.
static float getReach(const Search *search, float length) { return 1.25f * search->radius + 0.5f * length; }

static void findPlane(const Search *search, const Place *place, const wbCollider *collider, Plane *plane) {
    const wbPose from = wbGetPoseWithin(collider, search->from), to = wbGetPoseWithin(collider, search->to);
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    wbVec3 start = wbPose_ApplyInverse(&from, place->start), end = wbPose_ApplyInverse(&to, place->end);
    wbVec3 way = wbSub(end, start);
    float length = sqrtf(wbDot(way, way));
    float reach = getReach(search, length), beside = getBoxDistance(tree, end);
    if (beside > length + reach) {
        plane->clear = fminf(plane->clear, beside);
        return;
    }
    wbSurface surface = wbShape_FindSurface(collider->shape, end);
    plane->clear = fminf(plane->clear, surface.distance);
    if (fabsf(surface.distance) <= length) {
        wbSurface before = wbShape_FindSurface(collider->shape, start);
        if (crosses(length, &before, &surface)) surface = before, surface.distance = -length;
    }
    if (surface.distance > reach || surface.distance >= plane->distance) return;
    wbVec3 was = wbPose_Apply(&from, surface.nearest), is = wbPose_Apply(&to, surface.nearest);
    plane->normal = wbPose_Rotate(&to, surface.gradient);
    plane->height = wbDot(plane->normal, wbSub(place->start, is));
    plane->shift = wbSub(is, was);
    plane->distance = surface.distance;
}

// Whether what an earlier sub-step found is enough to know that no surface is near.
static bool isClear(const Search *search, const Place *place, const wbClearance *clearance) {
    wbVec3 way = wbSub(place->end, place->start), since = wbSub(place->end, clearance->place);
    float length = sqrtf(wbDot(way, way));
    return clearance->distance - sqrtf(wbDot(since, since)) > length + getReach(search, length);
}

bool wbAreCollidersStill(const wbWorld *world) { return world->colliderMotions.count == 0; }

// m, around the end of a way: colliders that are farther away from it have no plane for it. As seen from a collider that goes
// `way` and turns by `turn`, a way is longer by way + turn times the distance; a turn by more than half a radian may bring any.
static float getMargin(const Search *search, const Place *place) {
    const wbColliderMotions *motions = &search->world->colliderMotions;
    const float share = search->to - search->from;
    const wbVec3 way = wbSub(place->end, place->start);
    if (share * motions->turn > 0.5f) return HUGE_VALF;
    const float least = 1.25f * search->radius + sqrtf(wbDot(way, way)) + share * motions->way;
    // twice what is needed, so that the next sub-steps need not look again
    return 2 * 2 * least;
}

static void findRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Search *search = context;
    const wbPbdPlaces *p = search->places;
    const wbPbdPlanes *planes = search->planes;
    for (int i = begin; i < end; i++) {
        Place place = {.start = {p->x[i], p->y[i], p->z[i]}};
        wbVec3 way = {p->wayX[i], p->wayY[i], p->wayZ[i]};
        place.end = wbAdd(place.start, way);
        Plane plane = {.height = WB_PBD_NO_PLANE, .distance = HUGE_VALF};
        wbClearance *clearance = (wbClearance *)wbGetSoft(search->world)->clearances.data + i;
        if (!search->isStill || search->from == 0) clearance->distance = -1;
        bool isNear = wbIsNear((const float[3]){place.start.x, place.start.y, place.start.z}) &&
                      wbIsNear((const float[3]){place.end.x, place.end.y, place.end.z});
        if (isNear && !isClear(search, &place, clearance)) {
            const float margin = getMargin(search, &place);
            plane.clear = margin;
            for (int k = -1; (k = wbFindNextCollider(search->world, place.end, margin, k)) >= 0;)
                findPlane(search, &place, wbGetColliderAt(search->world, k), &plane);
            *clearance = (wbClearance){place.end, plane.clear};
        }
        planes->nx[i] = plane.normal.x, planes->ny[i] = plane.normal.y, planes->nz[i] = plane.normal.z;
        planes->height[i] = plane.height;
        planes->sx[i] = plane.shift.x, planes->sy[i] = plane.shift.y, planes->sz[i] = plane.shift.z;
    }
}

void wbFindSoftPlanes(const wbPbdPlaces *places, const wbPbdPlanes *planes, const wbWork *work, float from,
                      float to, void *context) {
    const wbWorld *world = context;
    Search search = {
        world, places, planes, from, to, wbGetSoft(world)->model.params.radius, wbAreCollidersStill(world)};
    wbParallelFor(work->pool, places->count, 64, findRange, &search);
}
