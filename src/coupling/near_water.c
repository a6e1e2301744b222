// SPDX-License-Identifier: MIT
#include "coupling/near_water.h"

#include <math.h>

#include "coupling/sheet.h"
#include "shape/vec3d.h"

enum { FEW = 32, BLOCK = 64 }; // particles of a box, boxes that a thread takes at once

static int countBoxes(const wbParticles *particles) { return (particles->count + FEW - 1) / FEW; }

static int findSwarm(const wbNearWater *near, int box) {
    int k = 0;
    while (box >= near->first[k + 1]) k++;
    return k;
}

static void stretch(const float *at, const float *speed, int begin, int end, float dt, float *min,
                    float *max) {
    for (int i = begin; i < end; i++) {
        const float then = at[i] + dt * speed[i];
        *min = fminf(*min, fminf(at[i], then)), *max = fmaxf(*max, fmaxf(at[i], then));
    }
}

typedef struct Span {
    const wbParticles *particles;
    float reach;
    int begin, end;
} Span;

static Span getSpan(const wbNearWater *near, int box) {
    const int k = findSwarm(near, box), begin = FEW * (box - near->first[k]);
    const wbParticles *p = near->swarms[k].particles;
    return (Span){p, near->swarms[k].reach, begin, begin + FEW < p->count ? begin + FEW : p->count};
}

static void listRange(int begin, int end, int worker, void *context) {
    const wbNearWater *near = context;
    (void)worker;
    for (int b = begin; b < end; b++) {
        const Span span = getSpan(near, b);
        const wbParticles *p = span.particles;
        const float *const at[3] = {p->x, p->y, p->z}, *const speed[3] = {p->vx, p->vy, p->vz};
        for (int a = 0; a < 3; a++) {
            float min = INFINITY, max = -INFINITY;
            stretch(at[a], speed[a], span.begin, span.end, near->dt, &min, &max);
            near->boxes[b].min[a] = min - span.reach, near->boxes[b].max[a] = max + span.reach;
        }
    }
}

bool wbNearWater_List(wbNearWater *near, const wbWork *work, float dt) {
    near->dt = dt, near->first[0] = 0;
    for (int k = 0; k < near->swarmCount; k++)
        near->first[k + 1] = near->first[k] + countBoxes(near->swarms[k].particles);
    const int count = wbNearWater_CountBoxes(near);
    near->boxes = wbArena_Alloc(work->arena, sizeof *near->boxes * (size_t)(count + 1));
    if (!near->boxes) return false;
    wbParallelFor(work->pool, count, BLOCK, listRange, near);
    return true;
}

static bool doMeet(const wbNearBox *a, const wbNearBox *b) {
    bool isApart = false;
    for (int k = 0; k < 3; k++) isApart |= a->min[k] > b->max[k] || b->min[k] > a->max[k];
    return !isApart;
}

int wbNearWater_FindBoxes(const wbNearWater *near, const wbNearBox *box, int *boxes) {
    int found = 0;
    for (int b = 0; b < wbNearWater_CountBoxes(near); b++)
        if (doMeet(&near->boxes[b], box)) boxes[found++] = b;
    return found;
}

// m: how far one may be from what moves at a speed, and meet it in the sub-step.
static float getReach(const wbNearWater *near, const Span *span, int i, float speed) {
    const wbParticles *p = span->particles;
    const float own = sqrtf(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i]);
    return span->reach + near->dt * (own + speed);
}

static wbVec3 getPlace(const Span *span, int i) {
    return wbMakeVec3(span->particles->x[i], span->particles->y[i], span->particles->z[i]);
}

static bool touchesShape(const wbShape *shape, const wbPose *pose, wbVec3 point, float reach) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const wbVec3 local = wbPose_ApplyInverse(pose, point), away = wbSub(local, tree->centre);
    if (sqrtf(wbDot(away, away)) > tree->radius + reach) return false;
    return wbShape_FindSurface(shape, local).distance < reach;
}

bool wbNearWater_FindShape(const wbNearWater *near, const wbShape *shape, const wbPose *pose, float speed) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const wbVec3 centre = wbPose_Apply(pose, tree->centre);
    const float radius = tree->radius + near->dt * speed, c[3] = {centre.x, centre.y, centre.z};
    wbNearBox box;
    for (int a = 0; a < 3; a++) box.min[a] = c[a] - radius, box.max[a] = c[a] + radius;
    for (int b = 0; b < wbNearWater_CountBoxes(near); b++) {
        if (!doMeet(&near->boxes[b], &box)) continue;
        const Span span = getSpan(near, b);
        for (int i = span.begin; i < span.end; i++)
            if (touchesShape(shape, pose, getPlace(&span, i), getReach(near, &span, i, speed))) return true;
    }
    return false;
}

static bool touchesElement(const wbNearElement *element, wbVec3 point, float reach) {
    wbVec3d corners[3];
    double weights[3];
    for (int k = 0; k < 3; k++) corners[k] = wbToDouble(element->corners[k]);
    const wbVec3d from = wbToDouble(point);
    (void)wbFindClosestOnTriangle(corners, from, weights);
    wbVec3d apart = from;
    for (int k = 0; k < 3; k++) apart = wbAddScaled3d(apart, -weights[k], corners[k]);
    return sqrt(wbDot3d(apart, apart)) < (double)(reach + element->radius);
}

bool wbNearWater_FindElement(const wbNearWater *near, const wbNearElement *element, const int *boxes,
                             int count) {
    const wbNearBox box = wbNearElement_GetBox(element, near->dt);
    for (int k = 0; k < count; k++) {
        if (!doMeet(&near->boxes[boxes[k]], &box)) continue;
        const Span span = getSpan(near, boxes[k]);
        for (int i = span.begin; i < span.end; i++)
            if (touchesElement(element, getPlace(&span, i), getReach(near, &span, i, element->speed)))
                return true;
    }
    return false;
}

wbNearBox wbNearElement_GetBox(const wbNearElement *element, float dt) {
    const float more = element->radius + dt * element->speed;
    wbNearBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; k++) {
        const float c[3] = {element->corners[k].x, element->corners[k].y, element->corners[k].z};
        for (int a = 0; a < 3; a++)
            box.min[a] = fminf(box.min[a], c[a] - more), box.max[a] = fmaxf(box.max[a], c[a] + more);
    }
    return box;
}
