// SPDX-License-Identifier: MIT
// Queries among particles, as balls: trees over all particles of a solver, and the search in them.
#include <math.h>

#include "core/status.h"
#include "world/query.h"

wbStatus wbGetQueries(wbWorld *world, wbQueries **queries) {
    if (!world->queries) {
        wbQueries *made = world->queries = wbAllocZero(world->memory, sizeof *made);
        if (!made) return wbMemoryError(world->memory, "queries need");
        made->findings.elementSize = sizeof(wbFinding);
        made->bodyVersion = -1;
        for (int s = 0; s < WB_SOLVER_COUNT; s++) {
            wbPointTree_Init(&made->trees[s].tree);
            made->trees[s].radii.elementSize = sizeof(float);
            made->trees[s].version = -1;
        }
    }
    *queries = world->queries;
    return wb_okStatus;
}

void wbFreeQueries(wbWorld *world) {
    wbQueries *queries = world->queries;
    if (!queries) return;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        wbPointTree_Free(world->memory, &queries->trees[s].tree);
        wbArray_Free(world->memory, &queries->trees[s].radii);
    }
    wbBroadPhase_Free(world->memory, &queries->bodyBoxes);
    wbArray_Free(world->memory, &queries->findings);
    wbArray_Free(world->memory, &queries->slices);
    wbFree(world->memory, queries, sizeof *queries);
    world->queries = NULL;
}

// Of particles of different sizes, once for each state.
static wbStatus listRadii(const wbParticleFluid *liquid, wbQueryTree *tree) {
    const int count = liquid->particles->count;
    if (!wbIsSized(liquid)) return wb_okStatus;
    if (!wbArray_Reserve(liquid->world->memory, &tree->radii, count))
        return wbMemoryError(liquid->world->memory, "the radii of %d particles need", count);
    float *radii = tree->radii.data;
    for (int i = 0; i < count && tree->version < 0; i++)
        radii[i] = wbGetRadiusOf(liquid, wbGetUnits(liquid, i));
    tree->points.ownRadii = radii;
    for (int i = 0; i < count; i++) tree->points.radius = fmaxf(tree->points.radius, radii[i]);
    return wb_okStatus;
}

static wbStatus listPoints(const wbSolver *solver, wbQueryTree *tree) {
    tree->points = (wbQueryPoints){0};
    if (solver->liquid) {
        const wbParticles *p = solver->liquid->particles;
        tree->points = (wbQueryPoints){.kind = wb_queryFluids,
                                       .points = wbParticles_GetPoints(p),
                                       .ids = p->id,
                                       .radius = 0.5f * solver->liquid->spacing};
        return listRadii(solver->liquid, tree);
    } else if (solver->self && solver->kind->listPoints) {
        return solver->kind->listPoints(solver, tree);
    }
    return wb_okStatus;
}

wbStatus wbRefreshTrees(wbWorld *world, wbQueries *queries, uint32_t kinds) {
    WB_TRY(wbPullState(world));
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        wbQueryTree *tree = &queries->trees[s];
        if (tree->version != world->stateVersion) tree->version = -1;
        WB_TRY(listPoints(&world->solvers[s], tree)); // room that was asked for in vain may have moved them
        if (tree->version >= 0 || !(tree->points.kind & kinds)) continue;
        WB_TRY(wbPointTree_Build(&tree->tree, &world->work, tree->points.points));
        tree->version = world->stateVersion;
    }
    return wb_okStatus;
}

int wbFindOwner(const wbWorld *world, const wbQueryPoints *points, int place) {
    return points->owners ? (int)points->owners[place] : wbGetFluidOfId(world, points->ids[place]);
}

typedef struct Walk {
    wbSearch *search;
    const wbQueryPoints *points;
    int solver;
    double reach; // m, of the largest particle
} Walk;

// Of two numbers; calls of the library's would take most of a query's time.
static double getLess(double a, double b) { return b < a ? b : a; }
static double getMore(double a, double b) { return b > a ? b : a; }

// How far two intervals are apart.
static double getGap(double low, double high, double otherLow, double otherHigh) {
    return getMore(0, getMore(otherLow - high, low - otherHigh));
}

// m, from a box to a box or a point that is looked for.
static double getDistance(const wbPointBox *box, wbVec3d min, wbVec3d max) {
    const double x = getGap(box->min[0], box->max[0], min.x, max.x),
                 y = getGap(box->min[1], box->max[1], min.y, max.y),
                 z = getGap(box->min[2], box->max[2], min.z, max.z);
    return sqrt(x * x + y * y + z * z);
}

// The fraction at which a ray comes into a box that is wider by `reach`; INFINITY: it misses it.
static double enterBox(const wbPointBox *box, wbVec3d from, wbVec3d along, double reach) {
    const double o[3] = {from.x, from.y, from.z}, d[3] = {along.x, along.y, along.z};
    double begin = 0, end = 1;
    for (int a = 0; a < 3; a++) {
        // rounding must not lose a ball that touches the box from within
        const double margin = reach + 1e-9 * (fabs(o[a]) + fabs(d[a]) + reach);
        const double low = box->min[a] - margin, high = box->max[a] + margin;
        if (d[a] == 0) {
            if (o[a] < low || o[a] > high) return INFINITY;
            continue;
        }
        const double one = (low - o[a]) / d[a], two = (high - o[a]) / d[a];
        begin = getMore(begin, getLess(one, two)), end = getLess(end, getMore(one, two));
    }
    return begin <= end ? begin : INFINITY;
}

static double measureBox(const wbPointBox *box, const void *context) {
    const Walk *walk = context;
    const wbSearch *s = walk->search;
    if (box->min[0] > box->max[0]) return INFINITY;
    switch (s->kind) {
    case wb_searchRay:
        return enterBox(box, s->from, s->to, walk->reach);
    case wb_searchBox:
        return getDistance(box, s->from, s->to) <= walk->reach ? 0 : INFINITY;
    case wb_searchBall:
        return getDistance(box, s->from, s->from) <= walk->reach + s->radius ? 0 : INFINITY;
    case wb_searchNearest:
        break;
    }
    return getDistance(box, s->from, s->from) - walk->reach;
}

// The fraction at which a ray comes into a ball; INFINITY: it misses it.
static double enterBall(wbVec3d centre, double radius, wbVec3d from, wbVec3d along) {
    const wbVec3d o = wbSub3d(from, centre);
    const double a = wbDot3d(along, along), b = wbDot3d(o, along), c = wbDot3d(o, o) - radius * radius;
    if (c <= 0) return 0;
    const double root2 = b * b - a * c;
    if (root2 < 0 || b > 0) return INFINITY;
    return (-b - sqrt(root2)) / a;
}

static double measureBall(const wbSearch *s, wbVec3d centre, double radius) {
    const wbPointBox point = {{(float)centre.x, (float)centre.y, (float)centre.z},
                              {(float)centre.x, (float)centre.y, (float)centre.z}};
    switch (s->kind) {
    case wb_searchRay:
        return enterBall(centre, radius, s->from, s->to);
    case wb_searchBox:
        return getDistance(&point, s->from, s->to) <= radius ? 0 : INFINITY;
    case wb_searchBall:
        return getDistance(&point, s->from, s->from) <= radius + s->radius ? 0 : INFINITY;
    case wb_searchNearest:
        break;
    }
    return getDistance(&point, s->from, s->from) - radius;
}

static void visit(int place, void *context) {
    const Walk *walk = context;
    const wbQueryPoints *p = walk->points;
    const wbVec3d centre = {p->points.x[place], p->points.y[place], p->points.z[place]};
    const float given = walk->search->filter->radius;
    if (!isfinite(centre.x + centre.y + centre.z)) return; // of a world that has broken
    // who it is of takes longest to find
    float radius = isnan(given) ? p->radius : given;
    if (isnan(given) && p->ownRadii) radius = p->ownRadii[place];
    if (isnan(given) && p->radii) radius = p->radii[wbFindOwner(walk->search->world, p, place)];
    const double measure = measureBall(walk->search, centre, radius);
    if (!(measure <= walk->search->limit)) return;
    wbSearch_Add(walk->search, &(wbFinding){.measure = measure,
                                            .kind = p->kind,
                                            .owner = wbFindOwner(walk->search->world, p, place),
                                            .id = p->ids[place],
                                            .place = place,
                                            .solver = walk->solver,
                                            .radius = radius});
}

void wbSearchParticles(wbSearch *search, const wbQueries *queries) {
    const float given = search->filter->radius;
    for (int s = 0; s < WB_SOLVER_COUNT; s++) {
        const wbQueryTree *tree = &queries->trees[s];
        if (!(tree->points.kind & search->filter->kinds)) continue;
        Walk walk = {search, &tree->points, s, isnan(given) ? tree->points.radius : given};
        wbPointTree_Search(&tree->tree, &(wbPointSearch){measureBox, visit, &walk, &search->limit});
    }
}
