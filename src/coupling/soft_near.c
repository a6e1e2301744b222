// SPDX-License-Identifier: MIT
// Which soft bodies a fluid may touch in a sub-step that begins.
#include <math.h>

#include "coupling/near_water.h"
#include "coupling/of_soft.h"

enum { GROUP = 64 }; // elements that are looked at in one go

typedef struct Search {
    const wbWetSoft *wet;
    const wbPbd *pbd;
    const wbNearWater *near;
    const wbWetSoftBody *body;
    const int *boxes;
    int boxCount;
    bool *found; // of each group
} Search;

static wbNearElement getElement(const wbWetSoft *wet, const wbPbd *pbd, int element) {
    const wbSheetElement *from = wbSheets_GetElement(wet->sheets, element);
    wbNearElement e = {.radius = from->radius};
    for (int k = 0; k < 3; k++) {
        const int c = from->corners[k];
        e.corners[k] = wbMakeVec3(pbd->x[c], pbd->y[c], pbd->z[c]);
        e.speed = fmaxf(e.speed,
                        sqrtf(pbd->vx[c] * pbd->vx[c] + pbd->vy[c] * pbd->vy[c] + pbd->vz[c] * pbd->vz[c]));
    }
    return e;
}

static void findRange(int begin, int end, int worker, void *context) {
    const Search *s = context;
    (void)worker;
    for (int g = begin; g < end; g++) {
        const int most = (g + 1) * GROUP, last = most < s->body->elementCount ? most : s->body->elementCount;
        s->found[g] = false;
        for (int e = g * GROUP; e < last && !s->found[g]; e++) {
            const wbNearElement element = getElement(s->wet, s->pbd, s->body->firstElement + e);
            s->found[g] = wbNearWater_FindElement(s->near, &element, s->boxes, s->boxCount);
        }
    }
}

// Of all particles, as far as the fastest goes and the largest reaches.
static wbNearBox getBox(const wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body, float dt) {
    wbNearBox all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const float *const places[3] = {pbd->x, pbd->y, pbd->z};
    float speed2 = 0, radius = 0;
    for (int i = body->first; i < body->first + body->count; i++) {
        speed2 = fmaxf(speed2, pbd->vx[i] * pbd->vx[i] + pbd->vy[i] * pbd->vy[i] + pbd->vz[i] * pbd->vz[i]);
        radius = fmaxf(radius, wbWetSoft_Get(wet, i)->radius);
        for (int a = 0; a < 3; a++)
            all.min[a] = fminf(all.min[a], places[a][i]), all.max[a] = fmaxf(all.max[a], places[a][i]);
    }
    const float more = radius + dt * sqrtf(speed2);
    for (int a = 0; a < 3; a++) all.min[a] -= more, all.max[a] += more;
    return all;
}

static bool findIn(Search *search, const wbWork *work, bool *isNear) {
    const wbWetSoftBody *body = search->body;
    const int groups = (body->elementCount + GROUP - 1) / GROUP;
    const wbNearBox all = getBox(search->wet, search->pbd, body, search->near->dt);
    int *boxes = wbArena_Alloc(work->arena, sizeof(int) * (size_t)(wbNearWater_CountBoxes(search->near) + 1));
    search->found = wbArena_Alloc(work->arena, sizeof(bool) * (size_t)(groups + 1));
    if (!boxes || !search->found) return false;
    search->boxes = boxes, search->boxCount = wbNearWater_FindBoxes(search->near, &all, boxes);
    *isNear = false;
    if (search->boxCount == 0) return true;
    wbParallelFor(work->pool, groups, 1, findRange, search);
    for (int g = 0; g < groups; g++) *isNear |= search->found[g];
    return true;
}

bool wbWetSoft_FindNear(const wbWetSoft *wet, const wbPbd *pbd, const wbWetSoftBody *body,
                        const wbNearWater *near, const wbWork *work, bool *isNear) {
    Search search = {.wet = wet, .pbd = pbd, .near = near, .body = body};
    const size_t mark = wbArena_Mark(work->arena);
    const bool isDone = findIn(&search, work, isNear);
    wbArena_Release(work->arena, mark);
    return isDone;
}
