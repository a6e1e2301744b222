// SPDX-License-Identifier: MIT
// The public queries: what is asked is checked, all that is looked at is searched, and findings become answers.
#include "world/query.h"

#include <math.h>
#include <stdlib.h>

#include "core/status.h"
#include "world/collider.h"

wbQueryFilter wbDefaultQueryFilter(void) {
    return (wbQueryFilter){.kinds = wb_queryAll, .radius = NAN, .cookie = WB_QUERY_COOKIE};
}

static int compareFindings(const void *first, const void *second) {
    const wbFinding *a = first, *b = second;
    if (a->measure != b->measure) return a->measure < b->measure ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

void wbSearch_Add(wbSearch *search, const wbFinding *finding) {
    if (!(finding->measure <= search->limit)) return;
    if (!search->isAll) {
        if (search->count > 0 && compareFindings(finding, &search->best) >= 0) return;
        search->best = *finding, search->limit = finding->measure, search->count = 1;
    } else if (wbArray_Reserve(search->world->memory, search->findings, search->count + 1)) {
        ((wbFinding *)search->findings->data)[search->count++] = *finding;
    } else {
        search->hasFailed = true;
    }
}

static bool isNear(wbVec3d p) { return fabs(p.x) <= 1e9 && fabs(p.y) <= 1e9 && fabs(p.z) <= 1e9; }

static wbStatus checkFilter(const wbQueryFilter *filter) {
    WB_ASSERT(filter && filter->cookie == WB_QUERY_COOKIE, "make the filter with wbDefaultQueryFilter");
    WB_ASSERT((filter->kinds & ~(uint32_t)wb_queryAll) == 0, "the filter has kinds that do not exist");
    if (isnan(filter->radius) || (filter->radius >= 0 && filter->radius <= 1e9f)) return wb_okStatus;
    return wbError(wb_errorInput, "a query's radius of particles is %g m, allowed is 0 to 1e+09, or NAN",
                   (double)filter->radius);
}

static wbStatus checkPoint(const char *what, wbVec3d p) {
    if (isNear(p)) return wb_okStatus;
    return wbError(wb_errorInput, "%s is (%g, %g, %g) m, allowed is -1e+09 to 1e+09 each", what, p.x, p.y,
                   p.z);
}

static wbVec3d place(const wbWorld *world, wbVec3 v) {
    wbVec3d p = wbToDouble(v);
    if (world->params.dimensions == 2) p.z = 0;
    return p;
}

// Where only colliders are looked at, no particle is copied from a device.
static wbStatus run(wbWorld *world, wbSearch *search, wbQueries **queries) {
    wbQueries *found = NULL;
    const uint32_t kinds = search->filter->kinds;
    WB_TRY(wbGetQueries(world, &found));
    search->findings = &found->findings;
    if (kinds & wb_queryColliders) wbSearchColliders(search);
    if (kinds & (wb_queryFluids | wb_querySoftBodies)) {
        WB_TRY(wbRefreshTrees(world, found, kinds));
        wbSearchParticles(search, found);
    }
    if (kinds & wb_queryRigidBodies && world->rigidBodyIds.indexCount > 0) {
        WB_TRY(wbRefreshBodyBoxes(world, found));
        wbSearchRigidBodies(search, found);
    }
    if (search->hasFailed)
        return wbMemoryError(world->memory, "more than %d findings of a query need", search->count);
    if (search->isAll && search->count > 0)
        qsort(found->findings.data, (size_t)search->count, sizeof(wbFinding), compareFindings);
    *queries = found;
    return wb_okStatus;
}

static wbQueryObject makeObject(const wbWorld *world, const wbFinding *finding) {
    wbQueryObject object = {.kind = finding->kind, .particle = finding->id};
    if (finding->kind == wb_queryColliders) object.collider = wbWorld_GetCollider(world, finding->owner);
    if (finding->kind == wb_queryFluids) object.fluid = wbWorld_GetFluid(world, finding->owner);
    if (finding->kind == wb_querySoftBodies) object.body = wbWorld_GetSoftBody(world, finding->owner);
    if (finding->kind == wb_queryRigidBodies) object.rigidBody = wbWorld_GetRigidBody(world, finding->owner);
    return object;
}

static wbVec3d getCentre(const wbQueries *queries, const wbFinding *finding) {
    const wbPoints *p = &queries->trees[finding->solver].points.points;
    return (wbVec3d){p->x[finding->place], p->y[finding->place], p->z[finding->place]};
}

static wbVec3d normalise(wbVec3d v, wbVec3d otherwise) {
    const double length = sqrt(wbDot3d(v, v));
    return length > 0 ? wbAddScaled3d((wbVec3d){0}, 1 / length, v) : otherwise;
}

static wbRayHit makeHit(const wbSearch *search, const wbQueries *queries, const wbFinding *finding) {
    static const wbVec3d zero = {0}, up = {0, 1, 0};
    const wbVec3d point = wbAddScaled3d(search->from, finding->measure, search->to);
    wbRayHit hit = {.object = makeObject(search->world, finding),
                    .fraction = (float)finding->measure,
                    .point = wbToFloat(point),
                    .triangle = -1};
    if (finding->kind == wb_queryColliders) {
        const wbCollider *collider = wbGetColliderAt(search->world, finding->owner);
        const wbShapeTree *tree = wbShape_GetTree(collider->shape);
        hit.normal = wbPose_Rotate(&collider->state.pose, tree->triangles[finding->place].normal);
        hit.triangle = tree->meshTriangles[finding->place];
    } else if (finding->kind == wb_queryRigidBodies) {
        hit.normal = wbGetBodyHit(search, finding);
    } else {
        const wbVec3d back = normalise(wbAddScaled3d(zero, -1, search->to), up);
        hit.normal = wbToFloat(normalise(wbSub3d(point, getCentre(queries, finding)), back));
    }
    return hit;
}

static wbStatus startRay(wbWorld *world, wbVec3 origin, wbVec3 translation, const wbQueryFilter *filter,
                         wbSearch *search) {
    WB_REQUIRE(world);
    *search = (wbSearch){.kind = wb_searchRay,
                         .world = world,
                         .filter = filter,
                         .from = place(world, origin),
                         .to = place(world, translation),
                         .limit = 1};
    WB_TRY(checkFilter(filter));
    WB_TRY(checkPoint("a ray's origin", search->from));
    WB_TRY(checkPoint("a ray's translation", search->to));
    if (wbDot3d(search->to, search->to) > 0) return wb_okStatus;
    return wbError(wb_errorInput, "a ray's translation is 0: it says how far the ray goes, and where to");
}

wbStatus wbWorld_CastRay(wbWorld *world, wbVec3 origin, wbVec3 translation, const wbQueryFilter *filter,
                         wbRayHit *hit) {
    WB_REQUIRE(hit);
    wbSearch search;
    wbQueries *queries;
    *hit = (wbRayHit){.triangle = -1};
    WB_TRY(startRay(world, origin, translation, filter, &search));
    WB_TRY(run(world, &search, &queries));
    if (search.count > 0) *hit = makeHit(&search, queries, &search.best);
    return wb_okStatus;
}

static void requireRoom(const void *room, int capacity, const int *count) {
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (room || capacity == 0), "there is no room for what a query finds");
}

wbStatus wbWorld_CastRayAll(wbWorld *world, wbVec3 origin, wbVec3 translation, const wbQueryFilter *filter,
                            wbRayHit *hits, int capacity, int *count) {
    requireRoom(hits, capacity, count);
    wbSearch search;
    wbQueries *queries;
    *count = 0;
    WB_TRY(startRay(world, origin, translation, filter, &search));
    search.isAll = true;
    WB_TRY(run(world, &search, &queries));
    const wbFinding *findings = queries->findings.data;
    for (int i = 0; i < search.count && i < capacity; i++) hits[i] = makeHit(&search, queries, &findings[i]);
    *count = search.count;
    return wb_okStatus;
}

static wbStatus overlap(wbWorld *world, wbSearch *search, wbQueryObject *objects, int capacity, int *count) {
    wbQueries *queries;
    WB_TRY(run(world, search, &queries));
    const wbFinding *findings = queries->findings.data;
    for (int i = 0; i < search->count && i < capacity; i++) objects[i] = makeObject(world, &findings[i]);
    *count = search->count;
    return wb_okStatus;
}

wbStatus wbWorld_OverlapBox(wbWorld *world, wbVec3 min, wbVec3 max, const wbQueryFilter *filter,
                            wbQueryObject *objects, int capacity, int *count) {
    WB_REQUIRE(world);
    requireRoom(objects, capacity, count);
    wbSearch search = {.kind = wb_searchBox,
                       .world = world,
                       .filter = filter,
                       .from = place(world, min),
                       .to = place(world, max),
                       .isAll = true};
    *count = 0;
    WB_TRY(checkFilter(filter));
    WB_TRY(checkPoint("the lower corner of a box", search.from));
    WB_TRY(checkPoint("the upper corner of a box", search.to));
    if (search.from.x > search.to.x || search.from.y > search.to.y || search.from.z > search.to.z)
        return wbError(wb_errorInput,
                       "a box from (%g, %g, %g) to (%g, %g, %g) m: the upper corner is below the lower one",
                       search.from.x, search.from.y, search.from.z, search.to.x, search.to.y, search.to.z);
    return overlap(world, &search, objects, capacity, count);
}

wbStatus wbWorld_OverlapSphere(wbWorld *world, wbVec3 centre, float radius, const wbQueryFilter *filter,
                               wbQueryObject *objects, int capacity, int *count) {
    WB_REQUIRE(world);
    requireRoom(objects, capacity, count);
    wbSearch search = {.kind = wb_searchBall,
                       .world = world,
                       .filter = filter,
                       .from = place(world, centre),
                       .radius = radius,
                       .isAll = true};
    *count = 0;
    WB_TRY(checkFilter(filter));
    WB_TRY(checkPoint("the middle of a ball", search.from));
    if (!(radius >= 0 && radius <= 1e9f))
        return wbError(wb_errorInput, "the radius of a ball is %g m, allowed is 0 to 1e+09", (double)radius);
    return overlap(world, &search, objects, capacity, count);
}

static wbNearest makeNearest(const wbSearch *search, const wbQueries *queries, const wbFinding *finding) {
    wbNearest nearest = {.object = makeObject(search->world, finding), .distance = (float)finding->measure};
    if (finding->kind == wb_queryColliders) {
        const wbCollider *collider = wbGetColliderAt(search->world, finding->owner);
        const wbPose *pose = &collider->state.pose;
        const wbVec3 local = wbToFloat(wbPose_ApplyInverse3d(pose, search->from));
        const wbSurface surface = wbShape_FindSurface(collider->shape, local);
        nearest.point = wbPose_Apply(pose, surface.nearest);
        nearest.normal = wbPose_Rotate(pose, surface.gradient);
    } else if (finding->kind == wb_queryRigidBodies) {
        wbGetBodyNearest(search, finding, &nearest.point, &nearest.normal);
    } else {
        const wbVec3d centre = getCentre(queries, finding);
        const wbVec3d normal = normalise(wbSub3d(search->from, centre), (wbVec3d){0, 1, 0});
        nearest.point = wbToFloat(wbAddScaled3d(centre, finding->radius, normal));
        nearest.normal = wbToFloat(normal);
    }
    return nearest;
}

wbStatus wbWorld_FindNearest(wbWorld *world, wbVec3 point, float maxDistance, const wbQueryFilter *filter,
                             wbNearest *nearest) {
    WB_REQUIRE(world);
    WB_REQUIRE(nearest);
    wbQueries *queries;
    wbSearch search = {.kind = wb_searchNearest,
                       .world = world,
                       .filter = filter,
                       .from = place(world, point),
                       .limit = maxDistance};
    *nearest = (wbNearest){0};
    WB_TRY(checkFilter(filter));
    WB_TRY(checkPoint("a query's point", search.from));
    if (!(maxDistance >= 0))
        return wbError(wb_errorInput, "a query's largest distance is %g m, allowed is 0 or more",
                       (double)maxDistance);
    WB_TRY(run(world, &search, &queries));
    if (search.count > 0) *nearest = makeNearest(&search, queries, &search.best);
    return wb_okStatus;
}
