// SPDX-License-Identifier: MIT
// Queries against plain loops over all triangles and all particles, in double, in worlds of random things.
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shape/vec3d.h"
#include "test_support.h"
#include "wirbel/query.h"
#include "wirbel/wirbel.h"

enum { QUERY_COLLIDERS = 8, QUERY_PARTICLES = 300, QUERY_ROOM = 4096, QUERY_TRIANGLES = 100000 };

typedef struct QueryRandom {
    uint32_t seed;
} QueryRandom;

static inline float queryRandom(QueryRandom *random, float low, float high) {
    random->seed = random->seed * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random->seed >> 8) / 16777216.0f;
}

static inline wbVec3 queryPlace(QueryRandom *random, int dimensions, float reach) {
    const float x = queryRandom(random, -reach, reach), y = queryRandom(random, -reach, reach),
                z = queryRandom(random, -reach, reach);
    return wbMakeVec3(x, y, dimensions == 3 ? z : 0);
}

static inline void addQueryCollider(wbWorld *world, QueryRandom *random, int index, int dimensions) {
    static const wbColliderShape shapes[] = {wb_shapeBox, wb_shapeSphere, wb_shapeTorus, wb_shapeCapsule};
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId id;
    char name[16];
    snprintf(name, sizeof name, "c%d", index);
    def.name = name;
    def.params.shape = shapes[dimensions == 3 ? index % 4 : index % 2];
    def.params.size = wbMakeVec3(queryRandom(random, 0.2f, 1), queryRandom(random, 0.2f, 1), 0.5f);
    def.params.radius = queryRandom(random, 0.15f, 0.4f);
    def.params.height = 0.3f;
    def.params.thickness = 0.1f;
    def.params.position = queryPlace(random, dimensions, 2);
    def.params.rotation = wbMakeVec3(0, 0, queryRandom(random, -180, 180));
    if (dimensions == 3) def.params.rotation.x = 40, def.params.rotation.y = 70;
    assertOk(wbCreateCollider(world, &def, &id));
}

// Particles that are in no collider; colliders are put around them.
static inline wbWorld *createQueryWorld(int dimensions, wbBackend backend, uint32_t seed) {
    QueryRandom random = {seed};
    wbWorldDef def = wbDefaultWorldDef();
    def.coupling.fluids = wb_otherFluidsIgnore;
    wbWorld *world;
    wbFluidDef fluidDef = wbDefaultFluidDef();
    wbFluidId fluid, other;
    def.params.dimensions = dimensions;
    def.params.gravity = wbMakeVec3(0, -1, 0);
    def.params.dt = 1e-3f;
    def.params.backend = backend;
    def.sph.spacing = def.pbf.spacing = 0.05f;
    def.threadCount = 2;
    assertOk(wbCreateWorld(&def, &world));
    for (int i = 0; i < QUERY_COLLIDERS; i++) addQueryCollider(world, &random, i, dimensions);
    fluidDef.name = "one";
    assertOk(wbCreateFluid(world, &fluidDef, &fluid));
    fluidDef.name = "two", fluidDef.solver = wb_solverPbf;
    assertOk(wbCreateFluid(world, &fluidDef, &other));
    for (int i = 0; i < QUERY_PARTICLES; i++) {
        const wbVec3 place = queryPlace(&random, dimensions, 2);
        (void)wbFluid_AddParticles(world, i % 3 ? fluid : other, 1, &place.x, NULL); // refused in a collider
    }
    if (dimensions == 3) {
        wbSoftBodyDef softDef = wbDefaultSoftBodyDef();
        wbSoftBodyId soft;
        softDef.name = "soft";
        softDef.params.shape = wb_softBodyGrid;
        softDef.params.counts = wbMakeVec3(4, 4, 4);
        softDef.params.position = wbMakeVec3(0, 3, 0);
        assertOk(wbCreateSoftBody(world, &softDef, &soft));
    }
    return world;
}

// All triangles where they are now.
typedef struct PlainTriangles {
    int first[QUERY_COLLIDERS + 1];
    wbVec3d corners[QUERY_TRIANGLES][3];
} PlainTriangles;

static inline void listTriangles(const wbWorld *world, PlainTriangles *all) {
    int count = 0;
    for (int c = 0; c < wbWorld_GetColliderCount(world); c++) {
        const wbMesh *mesh = wbCollider_GetMesh(world, wbWorld_GetCollider(world, c));
        const wbColliderStats stats = wbCollider_GetStats(world, wbWorld_GetCollider(world, c));
        wbPose pose;
        memcpy(pose.position, stats.position, sizeof pose.position);
        memcpy(pose.rotation, stats.rotation, sizeof pose.rotation);
        all->first[c] = count;
        assert_true(count + mesh->triangleCount <= QUERY_TRIANGLES);
        for (int k = 0; k < 3 * mesh->triangleCount; k++) {
            const float *v = mesh->vertices + 3 * mesh->indices[k];
            all->corners[count + k / 3][k % 3] = wbPose_Apply3d(&pose, (wbVec3d){v[0], v[1], v[2]});
        }
        count += mesh->triangleCount;
    }
    all->first[wbWorld_GetColliderCount(world)] = count;
}

static inline double det3(wbVec3d a, wbVec3d b, wbVec3d c) { return wbDot3d(a, wbCross3d(b, c)); }

// By the volumes that a segment and the edges of a triangle span.
static inline double plainCross(const wbVec3d t[3], wbVec3d p, wbVec3d q) {
    const wbVec3d way = wbSub3d(q, p), a = wbSub3d(t[0], p), b = wbSub3d(t[1], p), c = wbSub3d(t[2], p);
    const double u = det3(way, b, c), v = det3(way, c, a), w = det3(way, a, b);
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return INFINITY;
    const wbVec3d normal = wbCross3d(wbSub3d(t[1], t[0]), wbSub3d(t[2], t[0]));
    const double start = wbDot3d(wbSub3d(p, t[0]), normal), end = wbDot3d(wbSub3d(q, t[0]), normal);
    return start * end <= 0 && start != end ? start / (start - end) : INFINITY;
}

static inline double segmentDistance(wbVec3d p, wbVec3d a, wbVec3d b) {
    const wbVec3d ab = wbSub3d(b, a), ap = wbSub3d(p, a);
    const double share = fmin(1, fmax(0, wbDot3d(ap, ab) / wbDot3d(ab, ab)));
    const wbVec3d d = wbAddScaled3d(ap, -share, ab);
    return sqrt(wbDot3d(d, d));
}

static inline double triangleDistance(const wbVec3d t[3], wbVec3d p) {
    const wbVec3d normal = wbCross3d(wbSub3d(t[1], t[0]), wbSub3d(t[2], t[0]));
    const double length = sqrt(wbDot3d(normal, normal));
    double least = INFINITY;
    bool isOver = length > 0;
    for (int k = 0; k < 3; k++) {
        const wbVec3d edge = wbSub3d(t[(k + 1) % 3], t[k]);
        isOver = isOver && wbDot3d(wbCross3d(normal, edge), wbSub3d(p, t[k])) >= 0;
        least = fmin(least, segmentDistance(p, t[k], t[(k + 1) % 3]));
    }
    return isOver ? fabs(wbDot3d(normal, wbSub3d(p, t[0])) / length) : least;
}

// Van Oosterom and Strackee.
static inline double solidAngle(const wbVec3d t[3], wbVec3d p) {
    const wbVec3d a = wbSub3d(t[0], p), b = wbSub3d(t[1], p), c = wbSub3d(t[2], p);
    const double la = sqrt(wbDot3d(a, a)), lb = sqrt(wbDot3d(b, b)), lc = sqrt(wbDot3d(c, c));
    return 2 *
           atan2(det3(a, b, c), la * lb * lc + wbDot3d(a, b) * lc + wbDot3d(b, c) * la + wbDot3d(c, a) * lb);
}

// Whether a part of a triangle is left when a box's faces cut it.
static inline bool plainMeetsBox(const wbVec3d t[3], const double low[3], const double high[3]) {
    double polygon[16][3] = {{t[0].x, t[0].y, t[0].z}, {t[1].x, t[1].y, t[1].z}, {t[2].x, t[2].y, t[2].z}};
    int count = 3;
    for (int side = 0; side < 6 && count > 0; side++) {
        const int a = side / 2;
        const double sign = side % 2 ? -1 : 1, end = side % 2 ? high[a] : low[a];
        double cut[16][3];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            const double *p = polygon[i], *q = polygon[(i + 1) % count];
            const double dp = sign * (p[a] - end), dq = sign * (q[a] - end);
            if (dp >= 0) memcpy(cut[kept++], p, sizeof(double[3]));
            if ((dp < 0) != (dq < 0))
                for (int k = 0, at = kept++; k < 3; k++) cut[at][k] = p[k] + dp / (dp - dq) * (q[k] - p[k]);
        }
        memcpy(polygon, cut, sizeof cut), count = kept;
    }
    return count > 0;
}

typedef struct PlainCollider {
    double fraction; // of a ray
    double distance; // signed
    bool isInBox;
} PlainCollider;

static inline PlainCollider lookAtCollider(const PlainTriangles *all, int index, wbVec3d p, wbVec3d q,
                                           double margin) {
    const double low[3] = {fmin(p.x, q.x) - margin, fmin(p.y, q.y) - margin, fmin(p.z, q.z) - margin},
                 high[3] = {fmax(p.x, q.x) + margin, fmax(p.y, q.y) + margin, fmax(p.z, q.z) + margin};
    PlainCollider found = {INFINITY, INFINITY, false};
    double angle = 0;
    for (int t = all->first[index]; t < all->first[index + 1]; t++) {
        const wbVec3d *corners = all->corners[t];
        found.fraction = fmin(found.fraction, plainCross(corners, p, q));
        found.distance = fmin(found.distance, triangleDistance(corners, p));
        found.isInBox |= plainMeetsBox(corners, low, high);
        angle += solidAngle(corners, p);
    }
    const bool isInside = angle > 6.2831853;
    found.isInBox |= isInside; // p is a corner of the box
    if (isInside) found.distance = -found.distance;
    return found;
}

// All particles of the world with their balls.
typedef struct PlainParticles {
    int count;
    struct {
        wbVec3d place;
        double radius;
        wbQueryObject object;
    } at[QUERY_ROOM];
} PlainParticles;

static inline void listView(PlainParticles *all, const wbView *view, double radius, wbQueryObject object) {
    for (int i = 0; i < view->count; i++) {
        assert_true(all->count < QUERY_ROOM);
        object.particle = view->id[i];
        all->at[all->count].place = (wbVec3d){view->x[i], view->y[i], view->z[i]};
        all->at[all->count].radius = radius;
        all->at[all->count++].object = object;
    }
}

static inline void listParticles(wbWorld *world, PlainParticles *all) {
    wbView view;
    all->count = 0;
    for (int f = 0; f < wbWorld_GetFluidCount(world); f++) {
        const wbFluidId id = wbWorld_GetFluid(world, f);
        assertOk(wbFluid_GetView(world, id, &view));
        listView(all, &view, 0.5 * wbFluid_GetSpacing(world, id),
                 (wbQueryObject){.kind = wb_queryFluids, .fluid = id});
    }
    for (int b = 0; b < wbWorld_GetSoftBodyCount(world); b++) {
        const wbSoftBodyId id = wbWorld_GetSoftBody(world, b);
        assertOk(wbSoftBody_GetView(world, id, &view));
        listView(all, &view, 0.05, (wbQueryObject){.kind = wb_querySoftBodies, .body = id});
    }
}

static inline double plainEnter(wbVec3d centre, double radius, wbVec3d p, wbVec3d q) {
    const wbVec3d way = wbSub3d(q, p);
    const double length = sqrt(wbDot3d(way, way)), along = wbDot3d(wbSub3d(centre, p), way) / length;
    const wbVec3d foot = wbAddScaled3d(p, along / length, way), off = wbSub3d(centre, foot),
                  start = wbSub3d(p, centre);
    if (wbDot3d(start, start) <= radius * radius) return 0;
    const double half2 = radius * radius - wbDot3d(off, off);
    const double fraction = half2 < 0 ? INFINITY : (along - sqrt(half2)) / length;
    return fraction >= 0 && fraction <= 1 ? fraction : INFINITY;
}

static inline bool areSame(const wbQueryObject *a, const wbQueryObject *b) {
    return a->kind == b->kind && a->particle == b->particle && a->collider.index1 == b->collider.index1 &&
           a->fluid.index1 == b->fluid.index1 && a->body.index1 == b->body.index1;
}

static inline bool isListed(const wbQueryObject *object, const wbQueryObject *objects, int count) {
    for (int i = 0; i < count; i++)
        if (areSame(object, &objects[i])) return true;
    return false;
}

static inline void checkRay(wbWorld *world, const PlainTriangles *triangles, const PlainParticles *all,
                            wbVec3 p, wbVec3 way) {
    static wbRayHit hits[QUERY_ROOM];
    const wbQueryFilter filter = wbDefaultQueryFilter();
    const wbVec3d from = wbToDouble(p), to = wbToDouble(wbAdd(p, way));
    double least = INFINITY;
    int wanted = 0, count;
    wbRayHit hit;
    assertOk(wbWorld_CastRay(world, p, way, &filter, &hit));
    assertOk(wbWorld_CastRayAll(world, p, way, &filter, hits, QUERY_ROOM, &count));
    for (int c = 0; c < wbWorld_GetColliderCount(world); c++) {
        const double fraction = lookAtCollider(triangles, c, from, to, 0).fraction;
        wanted += fraction <= 1, least = fmin(least, fraction);
    }
    for (int i = 0; i < all->count; i++) {
        const double fraction = plainEnter(all->at[i].place, all->at[i].radius, from, to);
        wanted += fraction <= 1, least = fmin(least, fraction);
    }
    assert_int_equal(count, wanted);
    assert_int_equal(hit.object.kind != 0, wanted > 0);
    if (wanted == 0) return;
    assert_float_equal(hit.fraction, least, 1e-5);
    assert_memory_equal(&hit, &hits[0], sizeof hit);
    for (int i = 1; i < count; i++) assert_true(hits[i].fraction >= hits[i - 1].fraction);
    const wbVec3 off = wbSub(hit.point, wbAdd(p, wbScale(hit.fraction, way)));
    assert_true(wbDot(off, off) < 1e-10f);
    assert_float_equal(wbDot(hit.normal, hit.normal), 1, 1e-5);
    if (hit.object.kind != wb_queryColliders) return;
    const wbVec3d *corners =
        triangles->corners[triangles->first[hit.object.collider.index1 - 1] + hit.triangle];
    assert_true(triangleDistance(corners, wbToDouble(hit.point)) < 1e-5);
}

static inline void checkBall(wbWorld *world, const PlainTriangles *triangles, const PlainParticles *all,
                             wbVec3 p, float radius) {
    static wbQueryObject objects[QUERY_ROOM];
    const wbQueryFilter filter = wbDefaultQueryFilter();
    const wbVec3d centre = wbToDouble(p);
    wbNearest nearest;
    double least = INFINITY;
    int count;
    assertOk(wbWorld_OverlapSphere(world, p, radius, &filter, objects, QUERY_ROOM, &count));
    for (int c = 0; c < wbWorld_GetColliderCount(world); c++) {
        const wbQueryObject object = {.kind = wb_queryColliders, .collider = wbWorld_GetCollider(world, c)};
        const double distance = lookAtCollider(triangles, c, centre, centre, 0).distance;
        least = fmin(least, distance);
        if (fabs(distance - radius) < 1e-5) continue;
        assert_int_equal(isListed(&object, objects, count), distance <= radius);
    }
    for (int i = 0; i < all->count; i++) {
        const wbVec3d d = wbSub3d(all->at[i].place, centre);
        const double distance = sqrt(wbDot3d(d, d)) - all->at[i].radius;
        least = fmin(least, distance);
        if (fabs(distance - radius) < 1e-6) continue;
        assert_int_equal(isListed(&all->at[i].object, objects, count), distance <= radius);
    }
    assertOk(wbWorld_FindNearest(world, p, INFINITY, &filter, &nearest));
    assert_float_equal(nearest.distance, least, 1e-5);
    const wbVec3 foot = wbSub(p, wbScale(nearest.distance, nearest.normal)), off = wbSub(foot, nearest.point);
    assert_true(wbDot(off, off) < 1e-8f);
    assertOk(wbWorld_FindNearest(world, p, (float)fmax(0, least) + 1e-4f, &filter, &nearest));
    assert_true(nearest.object.kind != 0);
    if (least > 1e-3) {
        assertOk(wbWorld_FindNearest(world, p, (float)least - 1e-4f, &filter, &nearest));
        assert_int_equal(nearest.object.kind, 0);
    }
}

static inline void checkBox(wbWorld *world, const PlainTriangles *triangles, const PlainParticles *all,
                            wbVec3 min, wbVec3 max) {
    static wbQueryObject objects[QUERY_ROOM];
    const wbQueryFilter filter = wbDefaultQueryFilter();
    const wbVec3d low = wbToDouble(min), high = wbToDouble(max);
    int count, other;
    assertOk(wbWorld_OverlapBox(world, min, max, &filter, objects, QUERY_ROOM, &count));
    for (int c = 0; c < wbWorld_GetColliderCount(world); c++) {
        const wbQueryObject object = {.kind = wb_queryColliders, .collider = wbWorld_GetCollider(world, c)};
        const bool isIn = lookAtCollider(triangles, c, low, high, 1e-6).isInBox;
        if (isIn != lookAtCollider(triangles, c, low, high, -1e-6).isInBox) continue; // it only touches
        assert_int_equal(isListed(&object, objects, count), isIn);
    }
    for (int i = 0; i < all->count; i++) {
        const wbVec3d p = all->at[i].place;
        const wbVec3d d = {fmax(0, fmax(low.x - p.x, p.x - high.x)), fmax(0, fmax(low.y - p.y, p.y - high.y)),
                           fmax(0, fmax(low.z - p.z, p.z - high.z))};
        const double distance = sqrt(wbDot3d(d, d));
        if (fabs(distance - all->at[i].radius) < 1e-6) continue;
        assert_int_equal(isListed(&all->at[i].object, objects, count), distance <= all->at[i].radius);
    }
    // the count does not depend on the room
    assertOk(wbWorld_OverlapBox(world, min, max, &filter, NULL, 0, &other));
    assert_int_equal(other, count);
}

static inline void checkQueries(wbWorld *world, int dimensions, QueryRandom *random, int rounds) {
    static PlainParticles all;
    static PlainTriangles triangles;
    listParticles(world, &all);
    listTriangles(world, &triangles);
    for (int i = 0; i < rounds; i++) {
        const wbVec3 p = queryPlace(random, dimensions, 2.5f), q = queryPlace(random, dimensions, 2.5f);
        checkRay(world, &triangles, &all, p, wbSub(q, p));
        checkBall(world, &triangles, &all, p, queryRandom(random, 0, 0.5f));
        const wbVec3 size = wbMakeVec3(queryRandom(random, 0, 0.8f), queryRandom(random, 0, 0.8f),
                                       dimensions == 3 ? queryRandom(random, 0, 0.8f) : 0);
        checkBox(world, &triangles, &all, p, wbAdd(p, size));
    }
}

// At the start, and while colliders and particles move.
static inline void checkWorld(int dimensions, wbBackend backend, uint32_t seed, int rounds) {
    wbWorld *world = createQueryWorld(dimensions, backend, seed);
    QueryRandom random = {seed + 1};
    checkQueries(world, dimensions, &random, rounds);
    assertOk(wbWorld_SetParam(world, "c1.position", dimensions == 3 ? "1,1,1" : "1,1"));
    assertOk(wbWorld_SetParam(world, "c1.speed", "20"));
    for (int i = 0; i < 3; i++) {
        assertOk(wbWorld_Step(world, 0));
        checkQueries(world, dimensions, &random, rounds / 3);
    }
    wbDestroyWorld(world);
}
