// SPDX-License-Identifier: MIT
// Soft bodies as queries see them.
#include <math.h>

#include "core/status.h"
#include "world/query.h"
#include "world/soft.h"

// Half the shortest distance that each body keeps; 0 if it keeps none.
static wbStatus measureBodies(const wbWorld *world, wbArray *array) {
    const wbSoft *soft = wbGetSoft(world);
    const wbSoftBody *bodies = soft->bodies.data;
    const int count = world->softBodyIds.indexCount;
    if (!wbArray_Reserve(world->memory, array, count))
        return wbMemoryError(world->memory, "the radii of %d soft bodies need", count);
    float *radii = array->data;
    for (int b = 0; b < count; b++) {
        const float *rest = soft->pbd.rest + bodies[b].firstConstraint;
        radii[b] = bodies[b].constraintCount > 0 ? 0.5f * rest[0] : 0;
        for (int c = 1; c < bodies[b].constraintCount; c++) radii[b] = fminf(radii[b], 0.5f * rest[c]);
    }
    return wb_okStatus;
}

wbStatus wbListSoftPoints(const wbSolver *solver, wbQueryTree *tree) {
    const wbWorld *world = solver->world;
    const wbSoft *soft = solver->self;
    const wbPbd *pbd = &soft->pbd;
    tree->points = (wbQueryPoints){.kind = wb_querySoftBodies,
                                   .points = {pbd->x, pbd->y, pbd->z, pbd->count},
                                   .ids = soft->numbers.data,
                                   .owners = pbd->body,
                                   .radius = world->def.pbd.radius};
    if (tree->points.radius > 0) return wb_okStatus;
    if (tree->version < 0) WB_TRY(measureBodies(world, &tree->radii));
    tree->points.radii = tree->radii.data;
    for (int b = 0; b < world->softBodyIds.indexCount; b++)
        tree->points.radius = fmaxf(tree->points.radius, tree->points.radii[b]);
    return wb_okStatus;
}
