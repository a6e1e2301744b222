// SPDX-License-Identifier: MIT
// Surfaces that touch: which elements there are, and which pairs of them are near.
#include "pbd/pbd_surface.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbd.h"
#include "pbd/pbd_code.h"
#include "pbd/pbd_surface_code.h"

#define PARTING 0.05f // of their distance, that those that begin nearer are parted in a sub-step

enum { NEAR_COLUMNS = 6, PRESSED_COLUMNS = 15 };

static void listNearColumns(wbPbdNear *n, wbColumn columns[NEAR_COLUMNS]) {
    const wbColumn list[NEAR_COLUMNS] = {
        {"corner0", (void **)&n->corner[0], sizeof(int), false},
        {"corner1", (void **)&n->corner[1], sizeof(int), false},
        {"corner2", (void **)&n->corner[2], sizeof(int), false},
        {"corner3", (void **)&n->corner[3], sizeof(int), false},
        {"distance", (void **)&n->distance, sizeof(float), false},
        {"measured", (void **)&n->measured, sizeof(float[WB_PBD_RECORD]), false}};
    memcpy(columns, list, sizeof list);
}

static void listPressedColumns(wbPbdPressed *p, wbColumn columns[PRESSED_COLUMNS]) {
    int n = 0;
    for (int m = 0; m < 4; m++)
        columns[n++] = (wbColumn){"corner", (void **)&p->corner[m], sizeof(int), false};
    for (int m = 0; m < 4; m++) columns[n++] = (wbColumn){"k", (void **)&p->k[m], sizeof(float), false};
    for (int a = 0; a < 3; a++) columns[n++] = (wbColumn){"n", (void **)&p->n[a], sizeof(float), false};
    columns[n++] = (wbColumn){"gap", (void **)&p->gap, sizeof(float), false};
    columns[n++] = (wbColumn){"target", (void **)&p->target, sizeof(float), false};
    columns[n++] = (wbColumn){"least", (void **)&p->least, sizeof(float), false};
    columns[n++] = (wbColumn){"left", (void **)&p->left, sizeof(float), false};
}

void wbPbdSurface_Init(wbPbdSurface *surface) {
    *surface = (wbPbdSurface){.elements.elementSize = sizeof(wbPbdElement),
                              .skins.elementSize = sizeof(wbPbdSkin),
                              .isOf.elementSize = sizeof(bool),
                              .rest.elementSize = sizeof(float),
                              .tubes.elementSize = sizeof(float[WB_PBD_RECORD]),
                              .boxes.elementSize = sizeof(BroadBox),
                              .edgeBoxes.elementSize = sizeof(BroadBox),
                              .isFelt.elementSize = sizeof(bool),
                              .pressed.list.elementSize = sizeof(wbPbdBatch),
                              .ways.elementSize = sizeof(float[3]),
                              .found.elementSize = sizeof(int),
                              .zone.elementSize = sizeof(int),
                              .zoneSums.elementSize = sizeof(double[5]),
                              .passing.elementSize = sizeof(int)};
}

void wbPbdSurface_Free(wbMemory *memory, wbPbdSurface *surface) {
    wbArray *arrays[] = {&surface->isOf,         &surface->elements, &surface->skins,     &surface->rest,
                         &surface->tubes,        &surface->boxes,    &surface->edgeBoxes, &surface->isFelt,
                         &surface->pressed.list, &surface->ways,     &surface->found,     &surface->zone,
                         &surface->zoneSums,     &surface->passing};
    wbColumn near[NEAR_COLUMNS], pressed[PRESSED_COLUMNS];
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) wbArray_Free(memory, arrays[k]);
    for (int m = 0; m < wb_pbdMeetingCount; m++) {
        listNearColumns(&surface->near[m], near);
        wbFreeColumns(memory, near, NEAR_COLUMNS, &surface->near[m].capacity);
    }
    listPressedColumns(&surface->pressed, pressed);
    wbFreeColumns(memory, pressed, PRESSED_COLUMNS, &surface->pressed.capacity);
    wbBroadPhase_Free(memory, &surface->tree);
}

static wbPbdElement *getElement(const wbPbdSurface *surface, int i) {
    return (wbPbdElement *)surface->elements.data + i;
}

static const BroadBox *getBox(const wbPbdSurface *surface, int particle) {
    return (const BroadBox *)surface->boxes.data + particle;
}

static wbStatus outOfMemory(const wbPbdSurface *surface, const wbWork *work) {
    return wbMemoryError(work->memory, "contacts of %d triangles and segments need", surface->elementCount);
}

// What there is

static int countElements(const wbPbdSkin *skin) {
    if (!(skin->half > 0)) return 0;
    if (skin->triangleCount > 0) return skin->triangleCount;
    return skin->isChain ? skin->count - 1 : skin->count;
}

static void addElements(wbPbdSurface *surface, const wbPbdSkin *skin, int number) {
    const int count = countElements(skin);
    for (int k = 0; k < count; k++) {
        wbPbdElement *e = getElement(surface, surface->elementCount++);
        const int i = skin->first + k;
        *e = (wbPbdElement){{i, i, i}, 1, 0, number, skin->half};
        if (skin->triangleCount > 0) {
            memcpy(e->corners, skin->triangles + 3 * (size_t)k, sizeof e->corners);
            e->cornerCount = 3;
        } else if (skin->isChain) {
            e->corners[1] = e->corners[2] = i + 1;
            e->cornerCount = 2;
        }
    }
}

static int getEdgeCount(const wbPbdElement *e) { return e->cornerCount == 3 ? 3 : e->cornerCount - 1; }

// An edge of an element, the lower particle first.
typedef struct Edge {
    int low, high, element, number;
} Edge;

static int compareEdges(const void *a, const void *b) {
    const Edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->element < q->element ? -1 : p->element > q->element;
}

static double getRestLength(const wbPbd *pbd, const Edge *edge) {
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double gap = (double)pbd->restPlace[a][edge->low] - pbd->restPlace[a][edge->high];
        sum += gap * gap;
    }
    return sqrt(sum);
}

// Corners and edges belong to the first element that has them. Gives the mean length of edges.
static wbStatus findOwners(wbPbdSurface *surface, const wbWork *work, const wbPbd *pbd, double *mean) {
    const size_t mark = wbArena_Mark(work->arena);
    Edge *edges = wbArena_Alloc(work->arena, sizeof *edges * 3 * (size_t)(surface->elementCount + 1));
    bool *isOwned = wbArena_Alloc(work->arena, (size_t)pbd->count + 1);
    int count = 0, own = 0;
    if (!edges || !isOwned) return outOfMemory(surface, work);
    memset(isOwned, 0, (size_t)pbd->count + 1);
    for (int i = 0; i < surface->elementCount; i++) {
        wbPbdElement *e = getElement(surface, i);
        for (int k = 0; k < e->cornerCount; k++) {
            e->own |= isOwned[e->corners[k]] ? 0 : 1u << k;
            isOwned[e->corners[k]] = true;
        }
        for (int k = 0; k < getEdgeCount(e); k++) {
            const int a = e->corners[k], b = e->corners[(k + 1) % 3];
            edges[count++] = (Edge){a < b ? a : b, a < b ? b : a, i, k};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    *mean = 0;
    for (int k = 0; k < count; k++) {
        if (k > 0 && edges[k].low == edges[k - 1].low && edges[k].high == edges[k - 1].high) continue;
        getElement(surface, edges[k].element)->own |= 8u << edges[k].number;
        *mean += getRestLength(pbd, &edges[k]), own++;
    }
    if (own > 0) *mean /= own;
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

// With a dummy behind them, and lanes that are read past the end.
static wbStatus makeRest(wbPbdSurface *surface, const wbWork *work, const wbPbd *pbd) {
    const size_t all = (size_t)wbPadCount(pbd->count) + 1;
    if (!wbArray_Reserve(work->memory, &surface->rest, (int)(WB_PBD_RECORD * all)) ||
        !wbArray_Reserve(work->memory, &surface->isOf, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->isFelt, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->tubes, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->boxes, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->edgeBoxes, 3 * surface->elementCount) ||
        !wbArray_Reserve(work->memory, &surface->ways, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->zone, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->zoneSums, (int)all) ||
        !wbArray_Reserve(work->memory, &surface->found, surface->elementCount) ||
        !wbBroadPhase_Reserve(work->memory, &surface->tree, surface->elementCount))
        return outOfMemory(surface, work);
    float *rest = surface->rest.data;
    bool *isOf = surface->isOf.data, *isFelt = surface->isFelt.data;
    memset(isOf, 0, all), memset(isFelt, 0, all),
        memset(surface->tubes.data, 0, sizeof(float[WB_PBD_RECORD]) * all);
    for (int k = 0; k < surface->elementCount; k++)
        for (int c = 0; c < 3; c++) {
            const int i = getElement(surface, k)->corners[c];
            isFelt[i] = true, isOf[i] |= getElement(surface, k)->cornerCount > 1;
        }
    memset(rest, 0, sizeof(float[WB_PBD_RECORD]) * all);
    for (size_t i = 0; i < (size_t)pbd->count; i++)
        for (int a = 0; a < 3; a++) rest[WB_PBD_RECORD * i + WB_PBD_HALF + a] = pbd->restPlace[a][i];
    return wb_okStatus;
}

static bool areSame(const wbPbdSkin *a, const wbPbdSkin *b) {
    return a->first == b->first && a->count == b->count && a->triangles == b->triangles &&
           a->triangleCount == b->triangleCount && a->isChain == b->isChain && a->half == b->half;
}

static bool isListed(const wbPbdSurface *surface, const wbPbd *pbd, const wbPbdSkin *skins, int count) {
    if (!surface->isListed || !pbd->isPrepared || surface->version != pbd->version ||
        surface->skinCount != count)
        return false;
    for (int k = 0; k < count; k++)
        if (!areSame((const wbPbdSkin *)surface->skins.data + k, &skins[k])) return false;
    return true;
}

wbStatus wbPbdSurface_List(wbPbdSurface *surface, const wbWork *work, const wbPbd *pbd,
                           const wbPbdSkin *skins, int count) {
    int elements = 0;
    double edge = 0;
    if (isListed(surface, pbd, skins, count)) return wb_okStatus;
    surface->isListed = surface->isKnown = false, surface->distance = 0;
    for (int k = 0; k < count; k++) {
        elements += countElements(&skins[k]);
        surface->distance = fmaxf(surface->distance, 2 * skins[k].half);
    }
    surface->elementCount = 0;
    if (!wbArray_Reserve(work->memory, &surface->elements, elements) ||
        !wbArray_Reserve(work->memory, &surface->skins, count))
        return outOfMemory(surface, work);
    if (count > 0) memcpy(surface->skins.data, skins, sizeof *skins * (size_t)count);
    for (int k = 0; k < count; k++) addElements(surface, &skins[k], k);
    surface->skinCount = count, surface->particleCount = pbd->count;
    WB_TRY(findOwners(surface, work, pbd, &edge));
    WB_TRY(makeRest(surface, work, pbd));
    surface->edge = (float)edge;
    const float scale = fminf(surface->distance, 0.4f * (float)edge);
    surface->slack = 0.15f * scale, surface->roam = 0.4f * scale;
    surface->isListed = pbd->isPrepared, surface->version = pbd->version;
    return wb_okStatus;
}

// What is near

typedef struct Search {
    wbPbdSurface *surface;
    const wbWork *work;
    const float *records;
    int dummy;
} Search;

static float min(float a, float b) { return a < b ? a : b; }
static float max(float a, float b) { return a > b ? a : b; }

// m, that a particle may be beside the middle of its tube.
static float getWidth(const wbPbdSurface *s, int i) {
    return ((const float *)s->tubes.data)[WB_PBD_RECORD * (size_t)i + WB_PBD_RECORD - 1];
}

// m2, from where a particle was expected to be when so many sub-steps have gone on evenly.
static float getAstray2(const wbPbdSurface *s, int i, const float place[3], float subSteps) {
    const float *expected = (const float *)s->tubes.data + WB_PBD_RECORD * (size_t)i;
    float sum = 0;
    for (int a = 0; a < 3; a++) {
        const float way = s->drift[a] + expected[a] / (float)s->ahead,
                    gap = place[a] - expected[WB_PBD_HALF + a] - subSteps * way;
        sum += gap * gap;
    }
    return sum;
}

// Whether all are within the tubes that pairs were looked for in.
static bool areNearKnown(const Search *search) {
    const wbPbdSurface *s = search->surface;
    if (!s->isKnown || s->gone >= s->ahead || s->dt != s->lookDt) return false;
    for (int i = 0; i < s->particleCount; i++) {
        const float *r = search->records + WB_PBD_RECORD * (size_t)i, *start = r + WB_PBD_HALF,
                    end[3] = {start[0] + r[0], start[1] + r[1], start[2] + r[2]},
                    most2 = getWidth(s, i) * getWidth(s, i);
        if (((const bool *)s->isFelt.data)[i] && !(getAstray2(s, i, start, (float)s->gone) <= most2 &&
                                                   getAstray2(s, i, end, (float)(s->gone + 1)) <= most2))
            return false;
    }
    return true;
}

static void joinBox(BroadBox *box, const BroadBox *other) {
    for (int a = 0; a < 3; a++)
        box->min[a] = min(box->min[a], other->min[a]), box->max[a] = max(box->max[a], other->max[a]);
}

// m, that the fastest goes in a sub-step beside the others.
static float findDrift(const Search *search) {
    wbPbdSurface *s = search->surface;
    double mean[3] = {0, 0, 0};
    float fastest2 = 0;
    int count = 0;
    for (int i = 0; i < s->particleCount; i++) {
        if (!((const bool *)s->isFelt.data)[i]) continue;
        for (int a = 0; a < 3; a++) mean[a] += (double)search->records[WB_PBD_RECORD * (size_t)i + (size_t)a];
        count++;
    }
    for (int a = 0; a < 3; a++) s->drift[a] = (float)(mean[a] / count);
    for (int i = 0; i < s->particleCount; i++) {
        const float *r = search->records + WB_PBD_RECORD * (size_t)i;
        float way2 = 0;
        for (int a = 0; a < 3; a++) way2 += (r[a] - s->drift[a]) * (r[a] - s->drift[a]);
        if (((const bool *)s->isFelt.data)[i]) fastest2 = max(fastest2, way2);
    }
    return sqrtf(fastest2);
}

// Tubes are wider where neighbours do not go the same way: it will not last.
static void widenTubes(const Search *search) {
    const wbPbdSurface *s = search->surface;
    float *tubes = s->tubes.data;
    for (int k = 0; k < s->elementCount; k++) {
        const int *corners = getElement(s, k)->corners;
        const float *r[3];
        float mean[3];
        for (int c = 0; c < 3; c++) r[c] = search->records + WB_PBD_RECORD * (size_t)corners[c];
        for (int a = 0; a < 3; a++) mean[a] = (r[0][a] + r[1][a] + r[2][a]) / 3;
        for (int c = 0; c < 3; c++) {
            float *width = &tubes[WB_PBD_RECORD * (size_t)corners[c] + WB_PBD_RECORD - 1], off2 = 0;
            for (int a = 0; a < 3; a++) off2 += (r[c][a] - mean[a]) * (r[c][a] - mean[a]);
            *width = max(*width, s->roam + (float)s->ahead * sqrtf(off2));
        }
    }
}

// Everybody goes on as it does now, in a tube; as far as pairs do not become too many.
static void layTubes(Search *search) {
    wbPbdSurface *s = search->surface;
    const float fastest = findDrift(search), margin = 0.5001f * (s->distance + s->slack);
    const float ahead = s->edge / max(fastest, 1e-9f);
    s->ahead = ahead >= (float)s->most ? s->most : ahead <= 1 ? 1 : (int)ahead;
    s->gone = 0, s->lookDt = s->dt;
    for (int i = 0; i < s->particleCount; i++)
        ((float *)s->tubes.data)[WB_PBD_RECORD * (size_t)i + WB_PBD_RECORD - 1] = s->roam;
    widenTubes(search);
    for (int i = 0; i < s->particleCount; i++) {
        const float *r = search->records + WB_PBD_RECORD * (size_t)i;
        float *tube = (float *)s->tubes.data + WB_PBD_RECORD * (size_t)i;
        BroadBox *box = (BroadBox *)s->boxes.data + i;
        *box = wbMakeEmptyBox();
        if (!((const bool *)s->isFelt.data)[i]) continue;
        for (int a = 0; a < 3; a++) {
            tube[a] = (float)s->ahead * (r[a] - s->drift[a]), tube[WB_PBD_HALF + a] = r[WB_PBD_HALF + a];
            box->min[a] = tube[WB_PBD_HALF + a] + min(tube[a], 0) - margin - getWidth(s, i);
            box->max[a] = tube[WB_PBD_HALF + a] + max(tube[a], 0) + margin + getWidth(s, i);
        }
    }
    for (int k = 0; k < s->elementCount; k++) {
        const wbPbdElement *e = getElement(s, k);
        BroadBox all = *getBox(s, e->corners[0]);
        for (int c = 0; c < getEdgeCount(e); c++) {
            BroadBox *edge = (BroadBox *)s->edgeBoxes.data + 3 * (size_t)k + c;
            *edge = *getBox(s, e->corners[c]);
            joinBox(edge, getBox(s, e->corners[(c + 1) % 3])), joinBox(&all, edge);
        }
        wbBroadPhase_SetBox(&s->tree, k, &all);
    }
}

static bool touch(const BroadBox *a, const BroadBox *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] &&
           b->min[1] <= a->max[1] && a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

// Elements behind one that may be near it: of the tree only what has such.
static int findBehind(const wbPbdSurface *s, int element) {
    const BroadNode *nodes = s->tree.nodes.data;
    const BroadBox box = *wbBroadPhase_GetBox(&s->tree, element);
    int count = 0;
    for (int i = 0; i < s->tree.nodeCount;) {
        if (nodes[i].last <= element || !touch(&nodes[i].box, &box)) {
            i = nodes[i].skip;
            continue;
        }
        if (nodes[i].skip == i + 1) ((int *)s->found.data)[count++] = nodes[i].last;
        i++;
    }
    return count;
}

static void sortFound(int *found, int count) {
    for (int k = 1; k < count; k++) {
        const int item = found[k];
        int at = k;
        for (; at > 0 && found[at - 1] > item; at--) found[at] = found[at - 1];
        found[at] = item;
    }
}

static bool add(Search *search, wbPbdMeeting meeting, const int corners[4], float distance) {
    wbPbdNear *near = &search->surface->near[meeting];
    if (near->count + WB_PADDING >= near->capacity) {
        wbColumn columns[NEAR_COLUMNS];
        listNearColumns(near, columns);
        if (!wbReserveColumns(search->work->memory, columns, NEAR_COLUMNS, &near->capacity,
                              near->count + 2 * WB_PADDING))
            return false;
    }
    for (int m = 0; m < 4; m++) near->corner[m][near->count] = 2 * corners[m];
    near->distance[near->count++] = distance;
    return true;
}

// Distances of what is of one body are negative at first.
static float getKept(const wbPbdElement *e, const wbPbdElement *f) {
    return e->skin == f->skin ? -(e->half + f->half) : e->half + f->half;
}

static bool addCorners(Search *search, const wbPbdElement *e, const wbPbdElement *f, const BroadBox *box) {
    if (f->cornerCount < 3) return true;
    for (int k = 0; k < e->cornerCount; k++) {
        const int i = e->corners[k], pair[4] = {i, f->corners[0], f->corners[1], f->corners[2]};
        if (!(e->own & 1u << k) || i == pair[1] || i == pair[2] || i == pair[3]) continue;
        if (touch(getBox(search->surface, i), box) && !add(search, wb_pbdCorners, pair, getKept(e, f)))
            return false;
    }
    return true;
}

static bool addEdges(Search *search, int i, int j) {
    const wbPbdSurface *s = search->surface;
    const wbPbdElement *e = getElement(s, i), *f = getElement(s, j);
    const BroadBox *boxes = s->edgeBoxes.data;
    for (int k = 0; k < getEdgeCount(e); k++) {
        const int first[2] = {e->corners[k], e->corners[(k + 1) % 3]};
        if (!(e->own & 8u << k)) continue;
        for (int l = 0; l < getEdgeCount(f); l++) {
            const int second[2] = {f->corners[l], f->corners[(l + 1) % 3]},
                      pair[4] = {first[0], first[1], second[0], second[1]};
            if (!(f->own & 8u << l) || first[0] == second[0] || first[0] == second[1] ||
                first[1] == second[0] || first[1] == second[1])
                continue;
            if (touch(&boxes[3 * (size_t)i + (size_t)k], &boxes[3 * (size_t)j + (size_t)l]) &&
                !add(search, wb_pbdEdges, pair, getKept(e, f)))
                return false;
        }
    }
    return true;
}

static bool addPairs(Search *search, int i) {
    wbPbdSurface *s = search->surface;
    const wbPbdElement *e = getElement(s, i);
    const BroadBox *box = wbBroadPhase_GetBox(&s->tree, i);
    const int count = findBehind(s, i);
    sortFound(s->found.data, count);
    for (int k = 0; k < count; k++) {
        const int j = ((const int *)s->found.data)[k];
        const wbPbdElement *f = getElement(s, j);
        if (!addCorners(search, e, f, wbBroadPhase_GetBox(&s->tree, j)) || !addCorners(search, f, e, box) ||
            !addEdges(search, i, j))
            return false;
    }
    return true;
}

static void measure(const Search *search, wbPbdMeeting meeting, const float *records) {
    wbPbdNear *near = &search->surface->near[meeting];
    const wbPbdLook look = {.records = records, .near = near, .meeting = meeting};
    const int padded = wbPadCount(near->count);
    for (int k = near->count; k < padded; k++)
        for (int m = 0; m < 4; m++) near->corner[m][k] = 2 * search->dummy;
    wbParallelFor(search->work->pool, padded, WB_BLOCK, wbGetPbdSurfaceCode(search->work->simd)->measure,
                  (void *)&look);
}

// Neighbours within a surface do not push each other as long as it has its shape: they keep half of what is between them then.
static void keepRest(const Search *search, wbPbdMeeting meeting) {
    const wbPbdNear *near = &search->surface->near[meeting];
    measure(search, meeting, search->surface->rest.data);
    for (int k = 0; k < near->count; k++)
        if (near->distance[k] < 0)
            near->distance[k] =
                fminf(-near->distance[k], 0.4f * near->measured[WB_PBD_RECORD * (size_t)k + 3]);
}

// m, of the widest tube of some corners.
static float getWidest(const wbPbdSurface *s, const wbPbdNear *near, int k, int from, int to) {
    float most = 0;
    for (int c = from; c < to; c++) most = max(most, getWidth(s, near->corner[c][k] / 2));
    return most;
}

// Those that cannot come near each other within their tubes.
static void dropFar(const Search *search, wbPbdMeeting meeting) {
    const wbPbdSurface *s = search->surface;
    wbPbdNear *near = &search->surface->near[meeting];
    const int split = meeting == wb_pbdEdges ? 2 : 1;
    int count = 0;
    measure(search, meeting, s->tubes.data);
    for (int k = 0; k < near->count; k++) {
        const float *m = near->measured + WB_PBD_RECORD * (size_t)k;
        const float most =
            near->distance[k] + s->slack + getWidest(s, near, k, 0, split) + getWidest(s, near, k, split, 4);
        if (min(m[3], m[7]) > 1.0001f * most) continue;
        for (int c = 0; c < 4; c++) near->corner[c][count] = near->corner[c][k];
        near->distance[count++] = near->distance[k];
    }
    near->count = count;
}

static wbStatus findNear(Search *search) {
    wbPbdSurface *s = search->surface;
    s->isKnown = false, s->searches++;
    wbBroadPhase_SetCount(&s->tree, s->elementCount);
    layTubes(search);
    wbBroadPhase_Update(&s->tree);
    for (int m = 0; m < wb_pbdMeetingCount; m++) s->near[m].count = 0;
    for (int i = 0; i < s->elementCount; i++)
        if (!addPairs(search, i)) return outOfMemory(s, search->work);
    for (int m = 0; m < wb_pbdMeetingCount; m++)
        keepRest(search, (wbPbdMeeting)m), dropFar(search, (wbPbdMeeting)m);
    s->isKnown = true;
    return wb_okStatus;
}

// What is pressed

enum { COLOURS = 64, WATCHED = -1 };

typedef struct Picked {
    int pair, colour;
} Picked;

// Whether the gap is about across the triangle, or across both edges. Others only are in the way of what lies beside them.
static bool isAcross(const float *measured, wbPbdMeeting meeting) {
    (void)meeting;
    return measured[6] < 2;
}

// Those that may touch, and a colour for each: the first that no other has at a particle that moves. Where there is none left, those that are
// left begin anew.
static int pick(const Search *search, wbPbdMeeting meeting, Picked *picked) {
    const wbPbdSurface *s = search->surface;
    const wbPbdNear *near = &s->near[meeting];
    int count = 0;
    for (int k = 0; k < near->count; k++) {
        const float *m = near->measured + WB_PBD_RECORD * (size_t)k;
        float weight = 0;
        if (!(m[7] < near->distance[k] + s->slack) || !(m[3] > 1e-9f)) continue;
        for (int c = 0; c < 4; c++) weight += search->records[WB_PBD_HALF * (size_t)near->corner[c][k] + 3];
        if (weight > 0) picked[count++] = (Picked){k, isAcross(m, meeting) ? 0 : WATCHED};
    }
    return count;
}

// Gives how many colours there are.
static int colourPicked(const Search *search, wbPbdMeeting meeting, uint64_t *used, Picked *picked,
                        int count) {
    const wbPbdNear *near = &search->surface->near[meeting];
    int colours = 0;
    for (int base = 0, left = 1; left > 0; base += COLOURS) {
        left = 0;
        memset(used, 0, sizeof *used * (size_t)(search->dummy + 1));
        for (int k = 0; k < count; k++) {
            uint64_t taken = 0;
            int colour = 0;
            if (picked[k].colour != base) continue;
            for (int c = 0; c < 4; c++) {
                const int corner = near->corner[c][picked[k].pair];
                if (search->records[WB_PBD_HALF * (size_t)corner + 3] > 0) taken |= used[corner / 2];
            }
            while (colour < COLOURS && taken >> colour & 1) colour++;
            picked[k].colour = base + colour;
            if (colour == COLOURS) {
                left++;
                continue;
            }
            for (int c = 0; c < 4; c++) used[near->corner[c][picked[k].pair] / 2] |= (uint64_t)1 << colour;
            colours = base + colour >= colours ? base + colour + 1 : colours;
        }
    }
    return colours;
}

static void append(const Search *search, wbPbdMeeting meeting, int k) {
    const wbPbdNear *near = &search->surface->near[meeting];
    wbPbdPressed *p = &search->surface->pressed;
    const int at = p->count++;
    if (k < 0) {
        for (int m = 0; m < 4; m++) p->corner[m][at] = 2 * search->dummy, p->k[m][at] = 0;
        for (int a = 0; a < 3; a++) p->n[a][at] = 0;
        p->gap[at] = 1, p->target[at] = 0, p->least[at] = -1;
        return;
    }
    const float *m = near->measured + WB_PBD_RECORD * (size_t)k, h = near->distance[k];
    const float corners[4] = {1, m[4] + m[5] - 1, -m[4], -m[5]}, edges[4] = {1 - m[4], m[4], m[5] - 1, -m[5]};
    for (int c = 0; c < 4; c++) {
        p->corner[c][at] = near->corner[c][k];
        p->k[c][at] = meeting == wb_pbdEdges ? edges[c] : corners[c];
    }
    for (int a = 0; a < 3; a++) p->n[a][at] = m[a];
    p->gap[at] = m[3];
    p->target[at] = min(h, m[3] + PARTING * h);
    p->least[at] = min(0.1f * h, 0.8f * m[3]);
}

static wbStatus reservePressed(const Search *search, int count, int colours) {
    wbPbdPressed *p = &search->surface->pressed;
    wbColumn columns[PRESSED_COLUMNS];
    listPressedColumns(p, columns);
    if (!wbReserveColumns(search->work->memory, columns, PRESSED_COLUMNS, &p->capacity,
                          p->count + count + (WB_PADDING - 1) * (colours + 1)) ||
        !wbArray_Reserve(search->work->memory, &p->list, p->batchCount + colours))
        return outOfMemory(search->surface, search->work);
    return wb_okStatus;
}

static wbStatus appendColours(const Search *search, wbPbdMeeting meeting, const Picked *picked, int count,
                              int colours) {
    const wbWork *work = search->work;
    wbPbdPressed *p = &search->surface->pressed;
    int *starts = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)colours + 1)),
        *order = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)count + 1));
    if (!starts || !order) return outOfMemory(search->surface, work);
    WB_TRY(reservePressed(search, count, colours));
    memset(starts, 0, sizeof(int) * ((size_t)colours + 1));
    for (int k = 0; k < count; k++)
        if (picked[k].colour != WATCHED) starts[picked[k].colour + 1]++;
    for (int c = 0; c < colours; c++) starts[c + 1] += starts[c];
    for (int k = 0; k < count; k++)
        if (picked[k].colour != WATCHED) order[starts[picked[k].colour]++] = picked[k].pair;
    for (int c = 0, k = 0; c < colours; c++) {
        wbPbdBatch batch = {.begin = p->count};
        for (; k < starts[c]; k++) append(search, meeting, order[k]);
        while (p->count % WB_PADDING != 0) append(search, meeting, -1);
        batch.end = p->count;
        if (batch.end > batch.begin) ((wbPbdBatch *)p->list.data)[p->batchCount++] = batch;
    }
    return wb_okStatus;
}

static wbStatus appendWatched(const Search *search, wbPbdMeeting meeting, const Picked *picked, int count) {
    wbPbdPressed *p = &search->surface->pressed;
    WB_TRY(reservePressed(search, count, 0));
    for (int k = 0; k < count; k++)
        if (picked[k].colour == WATCHED) append(search, meeting, picked[k].pair);
    while (p->count % WB_PADDING != 0) append(search, meeting, -1);
    return wb_okStatus;
}

static wbStatus pressNear(const Search *search) {
    wbPbdSurface *s = search->surface;
    const wbWork *work = search->work;
    uint64_t *used = wbArena_Alloc(work->arena, sizeof *used * (size_t)(search->dummy + 1));
    Picked *picked[wb_pbdMeetingCount];
    int counts[wb_pbdMeetingCount];
    s->pressed.count = s->pressed.batchCount = 0;
    if (!used) return outOfMemory(s, work);
    for (int m = 0; m < wb_pbdMeetingCount; m++) {
        const wbPbdMeeting meeting = (wbPbdMeeting)m;
        picked[m] = wbArena_Alloc(work->arena, sizeof **picked * (size_t)(s->near[m].count + 1));
        if (!picked[m]) return outOfMemory(s, work);
        measure(search, meeting, search->records);
        counts[m] = pick(search, meeting, picked[m]);
        const int colours = colourPicked(search, meeting, used, picked[m], counts[m]);
        s->pressed.begins[m] = s->pressed.count;
        WB_TRY(appendColours(search, meeting, picked[m], counts[m], colours));
    }
    for (int m = 0; m < wb_pbdMeetingCount; m++) {
        s->pressed.begins[wb_pbdMeetingCount + m] = s->pressed.count;
        WB_TRY(appendWatched(search, (wbPbdMeeting)m, picked[m], counts[m]));
    }
    return wb_okStatus;
}

static void noteWays(const Search *search) {
    float *ways = search->surface->ways.data;
    for (int i = 0; i < search->dummy; i++)
        memcpy(ways + 3 * (size_t)i, search->records + WB_PBD_RECORD * (size_t)i, sizeof(float[3]));
}

wbStatus wbPbdSurface_Look(wbPbdSurface *surface, const wbWork *work, const float *records) {
    Search search = {surface, work, records, surface->particleCount};
    const size_t mark = wbArena_Mark(work->arena);
    wbStatus status = areNearKnown(&search) ? wb_okStatus : findNear(&search);
    if (wbIsOk(status)) status = pressNear(&search);
    if (wbIsOk(status)) noteWays(&search);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbPbdSurface_Find(wbPbdSurface *surface, const wbWork *work, const float *records, float dt) {
    surface->dt = dt, surface->gone++;
    return wbPbdSurface_Look(surface, work, records);
}

float wbPbdSurface_GetPartingSpeed(const wbPbdSurface *surface, float dt) {
    return surface->elementCount > 0 ? PARTING * surface->distance / dt : 0;
}
