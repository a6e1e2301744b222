// SPDX-License-Identifier: MIT
// Looking into a world: rays, what overlaps a box or a ball, what is nearest. Colliders are solids bounded by their
// triangles, where they are now; rigid bodies are the shapes that they are made of; particles are balls. Answers are the same for any
// number of threads, and of things that are equally near the first counts: colliders, fluids, soft bodies, rigid bodies, each by
// their order in the world, particles by id.
//
//     wbQueryFilter filter = wbDefaultQueryFilter();
//     filter.kinds = wb_queryColliders;
//     wbRayHit hit;
//     wbStatus status = wbWorld_CastRay(world, eye, wbScale(100, forward), &filter, &hit);
//     if (hit.object.kind) …
//
// The first query about particles after a step, or after another change, sorts them (and copies them from a compute device);
// those that follow take microseconds, however many particles there are. In 2D every z counts as 0.
#pragma once

#include "wirbel/types.h"

WB_API_BEGIN

/// What a query looks at; in a filter any sum of them.
typedef enum wbQueryKind {
    wb_queryColliders = 1,
    wb_queryFluids = 2,
    wb_querySoftBodies = 4,
    wb_queryRigidBodies = 8,
    wb_queryAll = 15
} wbQueryKind;

typedef struct wbQueryFilter {
    uint32_t kinds; ///< of wbQueryKind; the others are not there
    float
        radius; ///< m, of particles, 0 to 1e9; NAN: half a spacing of fluids; pbd.radius of soft bodies, or if that
                ///< is 0, half the shortest distance that the body keeps
    uint32_t cookie; ///< set by wbDefaultQueryFilter
} wbQueryFilter;

/// Everything, particles as large as they are.
wbQueryFilter wbDefaultQueryFilter(void);

/// A collider, a rigid body or a particle.
typedef struct wbQueryObject {
    uint32_t kind;         ///< of wbQueryKind: one of them; 0: nothing was found
    wbColliderId collider; ///< null unless it is one; likewise:
    wbFluidId fluid;
    wbSoftBodyId body;
    wbRigidBodyId rigidBody;
    uint32_t particle; ///< of a fluid or a soft body: its id, as in their views
} wbQueryObject;

typedef struct wbRayHit {
    wbQueryObject object;
    float fraction; ///< of the way from the ray's origin to its end, 0 to 1
    wbVec3 point;   ///< m
    wbVec3 normal;  ///< of length 1, outwards; a ray within a collider meets its surface from behind
    int triangle;   ///< of the collider's mesh (wbCollider_GetMesh); -1: no collider
} wbRayHit;

/// What a ray from origin to origin + translation (m) meets first. A ray that begins in a particle or a rigid body meets it at
/// once, one that begins in a collider where it leaves it. wb_errorInput if a number is not finite or the translation is 0.
wbStatus wbWorld_CastRay(wbWorld *world, wbVec3 origin, wbVec3 translation, const wbQueryFilter *filter,
                         wbRayHit *hit);
/// All that it meets, by distance, each where it is met first. *count is how many there are, also if only `capacity` of
/// them, the nearest, have room in `hits`, which may be NULL with capacity 0.
wbStatus wbWorld_CastRayAll(wbWorld *world, wbVec3 origin, wbVec3 translation, const wbQueryFilter *filter,
                            wbRayHit *hits, int capacity, int *count);

/// What shares a point with the box between two corners (m); touching counts, and being inside. *count as above; objects
/// by kind, by their order in the world, particles by id.
wbStatus wbWorld_OverlapBox(wbWorld *world, wbVec3 min, wbVec3 max, const wbQueryFilter *filter,
                            wbQueryObject *objects, int capacity, int *count);
/// The same with a ball; a radius of 0 is a point.
wbStatus wbWorld_OverlapSphere(wbWorld *world, wbVec3 centre, float radius, const wbQueryFilter *filter,
                               wbQueryObject *objects, int capacity, int *count);

typedef struct wbNearest {
    wbQueryObject object;
    float distance; ///< m, to its surface; negative inside
    wbVec3 point;   ///< m, of its surface
    wbVec3 normal;  ///< of length 1: in which the distance grows
} wbNearest;

/// The surface that is nearest to a point, no farther than maxDistance (m, INFINITY is allowed); inside of several things
/// the one in which the point is deepest.
wbStatus wbWorld_FindNearest(wbWorld *world, wbVec3 point, float maxDistance, const wbQueryFilter *filter,
                             wbNearest *nearest);

WB_API_END
