// SPDX-License-Identifier: MIT
// How soft solids feel colliders: where a particle's way in a sub-step leads near a surface, a plane there holds it.
#include <math.h>

#include "world/soft.h"
#include "world/solid.h"

typedef struct Search {
    const wbWorld *world;
    const wbPbdPlaces *places;
    const wbPbdPlanes *planes;
    float from, to; // shares of the step
    float radius;
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
} Plane;

// A way that goes through a thin wall ends where the other side is nearest: then the side counts that it came from.
static bool crosses(float length, const wbSurface *start, const wbSurface *end) {
    return start->distance >= 0 && wbDot(start->gradient, end->gradient) < 0 &&
           start->distance + fabsf(end->distance) <= length;
}

// Whether a point is further than a distance from the box around a shape.
static bool isBeyond(const wbShapeTree *tree, wbVec3 p, float distance) {
    return p.x < tree->min.x - distance || p.x > tree->max.x + distance || p.y < tree->min.y - distance ||
           p.y > tree->max.y + distance || p.z < tree->min.z - distance || p.z > tree->max.z + distance;
}

static void findPlane(const Search *search, const Place *place, const wbCollider *collider, Plane *plane) {
    const wbPose from = wbGetPoseWithin(collider, search->from), to = wbGetPoseWithin(collider, search->to);
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    wbVec3 start = wbPose_ApplyInverse(&from, place->start), end = wbPose_ApplyInverse(&to, place->end);
    wbVec3 way = wbSub(end, start);
    float length = sqrtf(wbDot(way, way));
    // corrections may lead it on: by a quarter of the contact, as between particles, or half its way
    float reach = 1.25f * search->radius + 0.5f * length;
    if (isBeyond(tree, end, length + reach)) return;
    wbSurface surface = wbShape_FindSurface(collider->shape, end);
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
        for (int k = 0; k < search->world->colliderIds.indexCount; k++)
            findPlane(search, &place, wbGetColliderAt(search->world, k), &plane);
        planes->nx[i] = plane.normal.x, planes->ny[i] = plane.normal.y, planes->nz[i] = plane.normal.z;
        planes->height[i] = plane.height;
        planes->sx[i] = plane.shift.x, planes->sy[i] = plane.shift.y, planes->sz[i] = plane.shift.z;
    }
}

void wbFindSoftPlanes(const wbPbdPlaces *places, const wbPbdPlanes *planes, const wbWork *work, float from,
                      float to, void *context) {
    const wbWorld *world = context;
    Search search = {world, places, planes, from, to, world->soft->model.params.radius};
    wbParallelFor(work->pool, places->count, 64, findRange, &search);
}
