// SPDX-License-Identifier: MIT
// Surfaces that touch: in the end of a sub-step nothing has gone through. What would is pushed back, pair after pair; what still would
// goes on together.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbd.h"
#include "pbd/pbd_surface.h"
#include "pbd/pbd_surface_code.h"

enum { PASSES = 4, HALVINGS = 5 };

typedef struct Hold {
    wbPbdSurface *surface;
    const wbWork *work;
    float *records;
    int passingCount;
} Hold;

typedef struct Point {
    double x[3];
} Point;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double clamp(double a) { return a < 0 ? 0 : a > 1 ? 1 : a; }

static float *getRecord(const Hold *hold, int pair, int corner) {
    return hold->records + WB_PBD_HALF * (size_t)hold->surface->pressed.corner[corner][pair];
}

static bool isOfEdges(const wbPbdPressed *p, int pair) {
    return pair >= p->begins[3] || (pair >= p->begins[1] && pair < p->begins[2]);
}

// Corners of a pair at a share of the sub-step, as seen from where the first one starts.
static void placeAt(const Hold *hold, int pair, double time, Point points[4]) {
    const float *first = getRecord(hold, pair, 0) + WB_PBD_HALF;
    for (int m = 0; m < 4; m++) {
        const float *r = getRecord(hold, pair, m);
        for (int a = 0; a < 3; a++) points[m].x[a] = (double)r[WB_PBD_HALF + a] - first[a] + time * r[a];
    }
}

// From the closest point of an edge: the squared gap.
static double nearEdge(const double from[3], const double edge[3], double gap[3]) {
    const double length2 = dot(edge, edge), t = length2 > 0 ? clamp(dot(from, edge) / length2) : 0;
    for (int a = 0; a < 3; a++) gap[a] = from[a] - t * edge[a];
    return dot(gap, gap);
}

static void takeNearer(double gap[3], double *best, const double other[3]) {
    const double next = dot(other, other);
    if (!(next < *best)) return;
    *best = next;
    memcpy(gap, other, sizeof(double[3]));
}

static void findTriangleGap(const Point points[4], double gap[3]) {
    double e[3], f[3], g[3], from[3], beyond[3], other[3], best;
    for (int a = 0; a < 3; a++) {
        e[a] = points[2].x[a] - points[1].x[a], f[a] = points[3].x[a] - points[1].x[a];
        g[a] = f[a] - e[a], from[a] = points[0].x[a] - points[1].x[a], beyond[a] = from[a] - e[a];
    }
    best = nearEdge(from, e, gap);
    (void)nearEdge(from, f, other), takeNearer(gap, &best, other);
    (void)nearEdge(beyond, g, other), takeNearer(gap, &best, other);
    const double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), pe = dot(from, e), pf = dot(from, f),
                 area2 = ee * ff - ef * ef;
    if (!(area2 > 1e-12 * ee * ff)) return;
    const double v = (ff * pe - ef * pf) / area2, w = (ee * pf - ef * pe) / area2;
    if (v < 0 || w < 0 || v + w > 1) return;
    for (int a = 0; a < 3; a++) gap[a] = from[a] - v * e[a] - w * f[a];
}

static void findEdgeGap(const Point points[4], double gap[3]) {
    double d[3], e[3], r[3];
    for (int a = 0; a < 3; a++) {
        d[a] = points[1].x[a] - points[0].x[a], e[a] = points[3].x[a] - points[2].x[a];
        r[a] = points[0].x[a] - points[2].x[a];
    }
    const double dd = dot(d, d), de = dot(d, e), ee = dot(e, e), dr = dot(d, r), er = dot(e, r),
                 area2 = dd * ee - de * de;
    double s = area2 > 1e-12 * dd * ee ? clamp((de * er - dr * ee) / area2) : 0.5;
    const double t = ee > 0 ? clamp((de * s + er) / ee) : 0;
    s = dd > 0 ? clamp((de * t - dr) / dd) : 0;
    for (int a = 0; a < 3; a++) gap[a] = r[a] + s * d[a] - t * e[a];
}

// m, between all corners of both along a direction that need not be of length 1.
static double findLeft(const Point points[4], const double n[3], bool edges) {
    const double length = sqrt(dot(n, n)), a = dot(points[0].x, n), b = dot(points[1].x, n),
                 c = dot(points[2].x, n), d = dot(points[3].x, n);
    if (!(length > 0)) return -1;
    return (edges ? fmin(a, b) - fmax(c, d) : a - fmax(b, fmax(c, d))) / length;
}

static void findGap(const Point points[4], bool edges, double gap[3]) {
    if (edges)
        findEdgeGap(points, gap);
    else
        findTriangleGap(points, gap);
}

// Whether a direction is found that parts them from one time to another.
static bool areParted(const Hold *hold, int pair, double from, double to, double least, int halvings) {
    const bool edges = isOfEdges(&hold->surface->pressed, pair);
    Point start[4], end[4];
    double gap[3];
    placeAt(hold, pair, from, start), placeAt(hold, pair, to, end);
    findGap(end, edges, gap);
    if (!(dot(gap, gap) >= least * least)) return false;
    if (findLeft(start, gap, edges) > 0 && findLeft(end, gap, edges) > 0) return true;
    findGap(start, edges, gap);
    if (findLeft(start, gap, edges) > 0 && findLeft(end, gap, edges) > 0) return true;
    const double middle = 0.5 * (from + to);
    return halvings > 0 && areParted(hold, pair, from, middle, least, halvings - 1) &&
           areParted(hold, pair, middle, to, least, halvings - 1);
}

// Pairs that would go through, in their order.
static wbStatus listPassing(Hold *hold) {
    wbPbdSurface *s = hold->surface;
    wbPbdPressed *p = &s->pressed;
    const wbPbdLook look = {.records = hold->records, .pressed = p};
    hold->passingCount = 0;
    if (!wbArray_Reserve(hold->work->memory, &s->passing, p->count))
        return wbMemoryError(hold->work->memory, "contacts of %d triangles and segments need",
                             s->elementCount);
    wbParallelFor(hold->work->pool, p->count, WB_BLOCK, wbGetPbdSurfaceCode(hold->work->simd)->check,
                  (void *)&look);
    for (int k = 0; k < p->count; k++)
        if (p->left[k] < p->least[k] && !areParted(hold, k, 0, 1, (double)p->least[k], HALVINGS))
            ((int *)s->passing.data)[hold->passingCount++] = k;
    return wb_okStatus;
}

// Along the plane between where they start.
static void pushBack(const Hold *hold, int pair) {
    const wbPbdPressed *p = &hold->surface->pressed;
    double c = p->gap[pair], weight = 0;
    for (int m = 0; m < 4; m++) {
        const float *r = getRecord(hold, pair, m);
        const double k = p->k[m][pair];
        for (int a = 0; a < 3; a++) c += k * r[a] * p->n[a][pair];
        weight += k * k * r[3];
    }
    const double depth = fmax((double)p->least[pair] - c, 0) + 0.1 * p->least[pair];
    if (!(weight > 0)) return;
    for (int m = 0; m < 4; m++) {
        float *r = getRecord(hold, pair, m);
        for (int a = 0; a < 3; a++)
            r[a] += (float)(r[3] * (double)p->k[m][pair] * depth / weight * p->n[a][pair]);
    }
}

// Whether ways are still those that pairs were looked for with, as far as it matters.
static bool areKnown(const Hold *hold) {
    const wbPbdSurface *s = hold->surface;
    const float *known = s->ways.data;
    const double most = 0.5 * (double)s->slack;
    for (int i = 0; i < s->particleCount; i++) {
        const float *r = hold->records + WB_PBD_RECORD * (size_t)i;
        double sum = 0;
        for (int a = 0; a < 3; a++) {
            const double gap = (double)r[a] - known[3 * (size_t)i + (size_t)a];
            sum += gap * gap;
        }
        if (!(sum <= most * most)) return false;
    }
    return true;
}

static wbStatus look(const Hold *hold) {
    return areKnown(hold) ? wb_okStatus : wbPbdSurface_Look(hold->surface, hold->work, hold->records);
}

// Zones

static int findZone(const wbPbdSurface *s, int i) {
    int *zone = s->zone.data;
    while (zone[i] != i) i = zone[i] = zone[zone[i]];
    return i;
}

static bool joinPassing(const Hold *hold) {
    const wbPbdSurface *s = hold->surface;
    bool isNew = false;
    for (int k = 0; k < hold->passingCount; k++) {
        const int pair = ((const int *)s->passing.data)[k];
        for (int m = 1; m < 4; m++) {
            const int a = findZone(s, s->pressed.corner[0][pair] / 2),
                      b = findZone(s, s->pressed.corner[m][pair] / 2);
            isNew |= a != b;
            ((int *)s->zone.data)[a > b ? a : b] = a < b ? a : b;
        }
    }
    return isNew;
}

typedef struct ZoneSum {
    double mass, way[3];
    double held; ///< particles that do not give way
} ZoneSum;
_Static_assert(sizeof(ZoneSum) == sizeof(double[5]), "as room is made");

// What is held goes where it goes, and its zone with it.
static void moveZones(const Hold *hold) {
    const wbPbdSurface *s = hold->surface;
    ZoneSum *sums = s->zoneSums.data;
    memset(sums, 0, sizeof *sums * (size_t)s->particleCount);
    for (int i = 0; i < s->particleCount; i++) {
        const float *r = hold->records + WB_PBD_RECORD * (size_t)i;
        ZoneSum *sum = &sums[findZone(s, i)];
        if (!(r[3] > 0)) {
            sum->held++;
            continue;
        }
        sum->mass += 1 / (double)r[3];
        for (int a = 0; a < 3; a++) sum->way[a] += r[a] / (double)r[3];
    }
    for (int i = 0; i < s->particleCount; i++) {
        float *r = hold->records + WB_PBD_RECORD * (size_t)i;
        const int zone = findZone(s, i);
        const ZoneSum *sum = &sums[zone];
        if (!(r[3] > 0) || (zone == i && sum->held == 0 && sum->mass <= 1.000001 / (double)r[3])) continue;
        for (int a = 0; a < 3; a++) r[a] = sum->held > 0 ? 0 : (float)(sum->way[a] / sum->mass);
    }
}

// A zone that nothing is added to keeps what is in it apart: there is an end.
static wbStatus runZones(Hold *hold) {
    wbPbdSurface *s = hold->surface;
    for (int i = 0; i < s->particleCount; i++) ((int *)s->zone.data)[i] = i;
    while (hold->passingCount > 0 && joinPassing(hold)) {
        s->zones++;
        moveZones(hold);
        WB_TRY(look(hold));
        WB_TRY(listPassing(hold));
    }
    return wb_okStatus;
}

wbStatus wbPbdSurface_Hold(wbPbdSurface *surface, const wbWork *work, float *records, bool *isChanged) {
    Hold hold = {surface, work, records, 0};
    *isChanged = false;
    for (int pass = 0; pass <= PASSES; pass++) {
        WB_TRY(look(&hold));
        WB_TRY(listPassing(&hold));
        if (hold.passingCount == 0) return wb_okStatus;
        *isChanged = true;
        surface->held += hold.passingCount;
        if (pass < PASSES)
            for (int k = 0; k < hold.passingCount; k++)
                pushBack(&hold, ((const int *)surface->passing.data)[k]);
    }
    return runZones(&hold);
}
