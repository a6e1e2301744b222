// SPDX-License-Identifier: MIT
// Where the particles of bodies stand.
#include "pbd/pbd_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"

static wbStatus outOfMemory(const wbWork *work, int count) {
    return wbMemoryError(work->memory, "a body of %d particles needs", count);
}

static float *allocatePlaces(const wbWork *work, int count) {
    return wbArena_Alloc(work->arena, sizeof(float[3]) * (size_t)(count + 1));
}

static void setPlace(float *places, int i, wbVec3 p) {
    places[3 * (size_t)i] = p.x, places[3 * (size_t)i + 1] = p.y, places[3 * (size_t)i + 2] = p.z;
}

static wbStatus addBody(wbPbd *pbd, const wbWork *work, const float *places, int count, float inverseMass,
                        wbPbdBody *body) {
    body->count = count;
    return wbPbd_AddBody(pbd, work->memory, count, places, inverseMass, &body->first);
}

static wbVec3 moveBy(wbVec3 p, wbVec3 by, float scale) {
    return wbMakeVec3(p.x + scale * by.x, p.y + scale * by.y, p.z + scale * by.z);
}

// nx × ny × nz places from a corner along three steps.
static wbStatus buildParallelepiped(wbPbd *pbd, const wbWork *work, wbVec3 corner, const wbVec3 steps[3],
                                    const int sites[3], float inverseMass, wbPbdBody *body) {
    int count = sites[0] * sites[1] * sites[2];
    size_t mark = wbArena_Mark(work->arena);
    float *places = allocatePlaces(work, count);
    if (!places) return outOfMemory(work, count);
    for (int i = 0; i < count; i++) {
        wbVec3 p = moveBy(corner, steps[0], (float)(i % sites[0]));
        p = moveBy(p, steps[1], (float)(i / sites[0] % sites[1]));
        setPlace(places, i, moveBy(p, steps[2], (float)(i / sites[0] / sites[1])));
    }
    wbStatus status = addBody(pbd, work, places, count, inverseMass, body);
    wbArena_Release(work->arena, mark);
    return status;
}

// The step that leads from one point to another in count - 1 steps.
static wbVec3 cutLine(wbVec3 from, wbVec3 to, int count) {
    float scale = count > 1 ? 1 / (float)(count - 1) : 0;
    return wbMakeVec3(scale * (to.x - from.x), scale * (to.y - from.y), scale * (to.z - from.z));
}

wbStatus wbBuildStick(wbPbd *pbd, const wbWork *work, wbVec3 from, wbVec3 to, int count, float inverseMass,
                      wbPbdBody *body) {
    const wbVec3 steps[3] = {cutLine(from, to, count)};
    return buildParallelepiped(pbd, work, from, steps, (int[3]){count, 1, 1}, inverseMass, body);
}

wbStatus wbBuildLattice(wbPbd *pbd, const wbWork *work, wbVec3 corner, wbVec3 spacing, const int sites[3],
                        float inverseMass, wbPbdBody *body) {
    const wbVec3 steps[3] = {{spacing.x, 0, 0}, {0, spacing.y, 0}, {0, 0, spacing.z}};
    return buildParallelepiped(pbd, work, corner, steps, sites, inverseMass, body);
}

typedef struct Site {
    int x, y, z, r2;
} Site;

static int compareSites(const void *a, const void *b) {
    const Site *p = a, *q = b;
    if (p->r2 != q->r2) return p->r2 < q->r2 ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

wbStatus wbBuildSphere(wbPbd *pbd, const wbWork *work, wbVec3 centre, float radius, int count,
                       float inverseMass, wbPbdBody *body) {
    int reach = (int)cbrt(0.24 * count) + 2, side = 2 * reach + 1, total = side * side * side;
    size_t mark = wbArena_Mark(work->arena);
    Site *sites = wbArena_Alloc(work->arena, sizeof(Site) * (size_t)total);
    float *places = allocatePlaces(work, count);
    if (!sites || !places) return outOfMemory(work, count);
    for (int i = 0; i < total; i++) {
        int x = i % side - reach, y = i / side % side - reach, z = i / side / side - reach;
        sites[i] = (Site){x, y, z, x * x + y * y + z * z};
    }
    qsort(sites, (size_t)total, sizeof *sites, compareSites);
    float scale = count > 1 ? radius / sqrtf((float)sites[count - 1].r2) : 0;
    for (int i = 0; i < count; i++) {
        wbVec3 site = {(float)sites[i].x, (float)sites[i].y, (float)sites[i].z};
        setPlace(places, i, moveBy(centre, site, scale));
    }
    wbStatus status = addBody(pbd, work, places, count, inverseMass, body);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbBuildRandom(wbPbd *pbd, const wbWork *work, wbVec3 min, wbVec3 max, int count, uint32_t seed,
                       float inverseMass, wbPbdBody *body) {
    size_t mark = wbArena_Mark(work->arena);
    float *places = allocatePlaces(work, count);
    if (!places) return outOfMemory(work, count);
    for (int i = 0; i < count; i++) {
        uint32_t counter = wbHash32(seed) + 3 * (uint32_t)i;
        setPlace(places, i,
                 wbMakeVec3(min.x + wbHashFloat(counter) * (max.x - min.x),
                            min.y + wbHashFloat(counter + 1) * (max.y - min.y),
                            min.z + wbHashFloat(counter + 2) * (max.z - min.z)));
    }
    wbStatus status = addBody(pbd, work, places, count, inverseMass, body);
    wbArena_Release(work->arena, mark);
    return status;
}

// Constraints between each site (x, y) and (x + dx, y + dy) of a grid of particles, where both are there.
static wbStatus connectGrid(wbPbd *pbd, const wbWork *work, wbPbdBody body, int nx, int ny, int dx, int dy,
                            wbPbdKind kind) {
    size_t mark = wbArena_Mark(work->arena);
    int *pairs = wbArena_Alloc(work->arena, sizeof(int[2]) * (size_t)(body.count + 1)), count = 0;
    if (!pairs) return outOfMemory(work, body.count);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            if (x + dx < 0 || x + dx >= nx || y + dy >= ny) continue;
            pairs[2 * (size_t)count] = body.first + y * nx + x;
            pairs[2 * (size_t)count++ + 1] = body.first + (y + dy) * nx + x + dx;
        }
    wbStatus status = wbPbd_AddConstraints(pbd, work->memory, count, pairs, kind);
    wbArena_Release(work->arena, mark);
    return status;
}

void wbListClothTriangles(int nx, int ny, int *triangles) {
    for (int y = 0; y + 1 < ny; y++)
        for (int x = 0; x + 1 < nx; x++) {
            int a = y * nx + x, b = a + 1, c = a + nx, d = c + 1;
            const int corners[6] = {a, b, d, a, d, c};
            memcpy(triangles, corners, sizeof corners);
            triangles += 6;
        }
}

static wbStatus addClothHinges(wbPbd *pbd, const wbWork *work, wbPbdBody cloth, int nx, int ny) {
    int count = 2 * (nx - 1) * (ny - 1);
    size_t mark = wbArena_Mark(work->arena);
    int *triangles = wbArena_Alloc(work->arena, sizeof(int[3]) * (size_t)(count + 1));
    if (!triangles) return outOfMemory(work, cloth.count);
    wbListClothTriangles(nx, ny, triangles);
    wbStatus status = wbConnectHinges(pbd, work, cloth, triangles, count);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbBuildCloth(wbPbd *pbd, const wbWork *work, wbVec3 corner, wbVec3 sideX, wbVec3 sideY, int nx,
                      int ny, wbBending bending, float inverseMass, wbPbdBody *body) {
    const wbVec3 none = {0, 0, 0}, steps[3] = {cutLine(none, sideX, nx), cutLine(none, sideY, ny)};
    static const struct {
        int dx, dy;
        wbPbdKind kind;
    } threads[] = {{1, 0, wb_pbdStretch},  {0, 1, wb_pbdStretch}, {1, 1, wb_pbdStretch},
                   {-1, 1, wb_pbdStretch}, {2, 0, wb_pbdBend},    {0, 2, wb_pbdBend}};
    WB_TRY(buildParallelepiped(pbd, work, corner, steps, (int[3]){nx, ny, 1}, inverseMass, body));
    for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
        if (threads[k].kind == wb_pbdBend && bending != wb_bendingOverTwoEdges) continue;
        WB_TRY(connectGrid(pbd, work, *body, nx, ny, threads[k].dx, threads[k].dy, threads[k].kind));
    }
    return bending == wb_bendingDihedral ? addClothHinges(pbd, work, *body, nx, ny) : wb_okStatus;
}

wbStatus wbBuildRope(wbPbd *pbd, const wbWork *work, wbVec3 from, wbVec3 to, int count, bool bends,
                     float inverseMass, wbPbdBody *body) {
    WB_TRY(wbBuildStick(pbd, work, from, to, count, inverseMass, body));
    WB_TRY(connectGrid(pbd, work, *body, count, 1, 1, 0, wb_pbdStretch));
    return bends ? connectGrid(pbd, work, *body, count, 1, 2, 0, wb_pbdBend) : wb_okStatus;
}
