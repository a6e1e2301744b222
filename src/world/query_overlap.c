// SPDX-License-Identifier: MIT
// How far liquids of different solvers are in each other: they do not feel each other (coupling.fluids ignore).
#include <math.h>

#include "world/query.h"

typedef struct Overlap {
    const wbQueryPoints *others;
    double at[3], radius; ///< m, of the particle beside which others are counted
    int64_t count;
} Overlap;

static double getRadius(const wbQueryPoints *points, int place) {
    return (double)(points->ownRadii ? points->ownRadii[place] : points->radius);
}

static double measure(const wbPointBox *box, const void *context) {
    const Overlap *overlap = context;
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double gap =
            fmax(0, fmax(box->min[a] - overlap->at[a], overlap->at[a] - box->max[a])); // inf: it is empty
        square += gap * gap;
    }
    return sqrt(square) - overlap->radius - (double)overlap->others->radius;
}

static void visit(int place, void *context) {
    Overlap *overlap = context;
    const wbPoints *points = &overlap->others->points;
    const double x = points->x[place] - overlap->at[0], y = points->y[place] - overlap->at[1],
                 z = points->z[place] - overlap->at[2];
    const double reach = overlap->radius + getRadius(overlap->others, place);
    overlap->count += x * x + y * y + z * z < reach * reach;
}

// Each particle of one among all of the other.
static int64_t countPairs(const wbQueryPoints *some, const wbQueryTree *tree) {
    static const double limit = 0;
    Overlap overlap = {.others = &tree->points};
    const wbPointSearch search = {measure, visit, &overlap, &limit};
    for (int i = 0; i < some->points.count; i++) {
        overlap.at[0] = some->points.x[i], overlap.at[1] = some->points.y[i],
        overlap.at[2] = some->points.z[i];
        overlap.radius = getRadius(some, i);
        wbPointTree_Search(&tree->tree, &search);
    }
    return overlap.count;
}

static bool hasParticles(const wbSolver *solver) {
    return solver->liquid && solver->liquid->particles->count > 0;
}

int64_t wbCountOverlaps(wbWorld *world) {
    wbQueries *queries;
    int64_t count = 0;
    int liquids = 0;
    for (const wbSolver *s = world->solvers; s < world->solvers + WB_SOLVER_COUNT; s++)
        liquids += hasParticles(s);
    if (liquids < 2) return 0;
    if (wbGetQueries(world, &queries).code != wb_ok ||
        wbRefreshTrees(world, queries, wb_queryFluids).code != wb_ok)
        return -1;
    for (int s = 0; s < WB_SOLVER_COUNT; s++)
        for (int t = 0; t < s; t++)
            if (hasParticles(&world->solvers[s]) && hasParticles(&world->solvers[t]))
                count += countPairs(&queries->trees[s].points, &queries->trees[t]);
    return count;
}
