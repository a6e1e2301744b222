// SPDX-License-Identifier: MIT
// Faces and edges of cores, and where they touch.
#include <math.h>

#include "rigid/collide.h"
#include "rigid/vector_double.h"

enum { RIM_POINTS = 16 };
// Corners that stand over by less than this share of the thickness are not cut off: they stay the same ones.
#define SLACK 1e-4
// Sines below which an edge lies across a normal, and two edges are parallel.
#define ACROSS   0.1
#define PARALLEL 0.1
// A cylinder whose end looks less than this towards a face meets it with its side.
#define END_COSINE 0.7
// Sine of the tilt below which the points of a rim stay where they are on the cylinder.
#define UPRIGHT 0.02

static wbVec3d getCorner(const wbCore *core, int i) { return wbToDouble(core->corners[i]); }

int wbCore_CountFaces(const wbCore *core) {
    switch (core->kind) {
    case wb_coreBox:
        return 6;
    case wb_coreCylinder:
        return 2;
    case wb_coreCorners:
        return core->hull ? core->hull->faceCount : 1;
    default:
        return 0;
    }
}

wbCoreFace wbCore_GetFace(const wbCore *core, int face) {
    const double sign = face & 1 ? -1 : 1;
    if (core->kind == wb_coreBox) {
        const int k = face / 2;
        return (wbCoreFace){{k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0}, core->size[k]};
    }
    if (core->kind == wb_coreCylinder) return (wbCoreFace){{0, sign, 0}, core->size[1]};
    if (core->hull) {
        const wbHullFace *f = &core->hull->faces[face];
        return (wbCoreFace){wbToDouble(f->normal), f->offset};
    }
    const wbVec3d a = getCorner(core, 0);
    const wbVec3d n = wbCross3d(wbSub3d(getCorner(core, 1), a), wbSub3d(getCorner(core, 2), a));
    const double length2 = wbDot3d(n, n);
    const wbVec3d normal = wbScale3d(length2 > 0 ? 1 / sqrt(length2) : 0, n);
    return (wbCoreFace){normal, wbDot3d(normal, a)};
}

static int findHullFace(const wbHull *hull, wbVec3d d) {
    int corner = 0, best = -1;
    double farthest = -INFINITY, most = -INFINITY;
    for (int i = 0; i < hull->cornerCount; i++) {
        const wbVec3 c = hull->corners[i];
        const double far = c.x * d.x + c.y * d.y + c.z * d.z;
        if (far > farthest) farthest = far, corner = i;
    }
    for (int k = hull->firstFaces[corner]; k < hull->firstFaces[corner + 1]; k++) {
        const int face = hull->cornerFaces[k];
        const double along = wbDot3d(wbToDouble(hull->faces[face].normal), d);
        if (along > most) most = along, best = face;
    }
    return best;
}

int wbCore_FindFace(const wbCore *core, wbVec3d d) {
    if (core->kind == wb_coreCylinder) return d.y < 0;
    if (core->hull) return findHullFace(core->hull, d);
    if (core->kind != wb_coreBox) return core->kind == wb_coreCorners ? 0 : -1;
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    if (y >= x && y >= z) return 2 + (d.y < 0);
    return x >= z ? d.x < 0 : 4 + (d.z < 0);
}

static void addPoint(wbFeature *f, wbVec3d point) { f->points[f->count++] = point; }

static void getBoxFace(const wbCore *core, int face, wbFeature *f) {
    static const double ways[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const int k = face / 2, i = (k + 1) % 3, j = (k + 2) % 3;
    const double sign = face & 1 ? -1 : 1;
    for (int c = 0; c < 4; c++) {
        double p[3];
        p[k] = sign * core->size[k], p[i] = ways[c][0] * core->size[i],
        p[j] = sign * ways[c][1] * core->size[j];
        addPoint(f, (wbVec3d){p[0], p[1], p[2]});
    }
}

// Points around an end. If the cylinder is tilted the first is the one that is farthest in the direction.
static void getEnd(const wbCore *core, int face, wbVec3d d, wbFeature *f) {
    static const double cosines[RIM_POINTS / 4] = {1, 0.92387953251128674, 0.70710678118654752,
                                                   0.38268343236508977};
    const double flat = sqrt(d.x * d.x + d.z * d.z), length = sqrt(flat * flat + d.y * d.y);
    const bool isTilted = flat > UPRIGHT * length;
    const double x = isTilted ? d.x / flat : 1, z = isTilted ? d.z / flat : 0;
    const double r = core->size[0], sign = face & 1 ? -1 : 1;
    for (int i = 0; i < RIM_POINTS; i++) {
        const int quarter = i / (RIM_POINTS / 4), place = i % (RIM_POINTS / 4);
        double c = cosines[place], s = place > 0 ? cosines[RIM_POINTS / 4 - place] : 0;
        for (int turn = 0; turn < quarter; turn++) {
            const double kept = c;
            c = -s, s = kept;
        }
        // counter-clockwise as seen from outside
        s *= -sign;
        addPoint(f, (wbVec3d){r * (c * x - s * z), sign * core->size[1], r * (c * z + s * x)});
    }
}

static void getSide(const wbCore *core, wbVec3d d, wbFeature *f) {
    const double flat = sqrt(d.x * d.x + d.z * d.z), share = flat > 0 ? core->size[0] / flat : 0;
    for (int end = 0; end < 2; end++)
        addPoint(f, (wbVec3d){share * d.x, end ? core->size[1] : -core->size[1], share * d.z});
}

static void getFaceFeature(const wbCore *core, int face, wbVec3d d, wbFeature *f) {
    if (core->kind == wb_coreBox) getBoxFace(core, face, f);
    if (core->kind == wb_coreCylinder) getEnd(core, face, d, f);
    if (core->kind != wb_coreCorners) return;
    const wbHull *hull = core->hull;
    const int count = hull ? hull->faces[face].count : core->cornerCount;
    for (int i = 0; i < count; i++) {
        addPoint(f, getCorner(core, hull ? hull->loops[hull->faces[face].first + i] : i));
    }
}

void wbCore_GetFeature(const wbCore *core, wbVec3d d, wbFeature *f) {
    f->count = 0;
    if (core->kind == wb_corePoint) {
        addPoint(f, (wbVec3d){0, 0, 0});
    } else if (core->kind == wb_coreSegment) {
        for (int end = 0; end < 2; end++) addPoint(f, (wbVec3d){0, end ? core->size[1] : -core->size[1], 0});
    } else if (core->kind == wb_coreCylinder && d.y * d.y < END_COSINE * END_COSINE * wbDot3d(d, d)) {
        getSide(core, d, f);
    } else {
        getFaceFeature(core, wbCore_FindFace(core, d), d, f);
    }
}

void wbCorePair_MoveFeature(const wbCorePair *pair, wbFeature *f) {
    for (int i = 0; i < f->count; i++)
        f->points[i] = wbAdd3d(wbCorePair_Turn(pair, f->points[i]), pair->shift);
}

// The feature of one of both in the first's frame; the direction is in that frame, too.
static void getFeatureInA(const wbCorePair *pair, bool isB, wbVec3d d, wbFeature *f) {
    wbCore_GetFeature(isB ? pair->b : pair->a, isB ? wbCorePair_TurnBack(pair, d) : d, f);
    if (isB) wbCorePair_MoveFeature(pair, f);
}

// Clipping: Sutherland and Hodgman 1974

static void cutPolygon(const wbFeature *from, wbVec3d normal, double offset, double slack, wbFeature *to) {
    to->count = 0;
    double hj = wbDot3d(normal, from->points[0]) - offset;
    const double first = hj;
    for (int i = 0; i < from->count; i++) {
        const int j = i + 1 < from->count ? i + 1 : 0;
        const double hi = hj;
        hj = j > 0 ? wbDot3d(normal, from->points[j]) - offset : first;
        if (hi <= slack) addPoint(to, from->points[i]);
        if ((hi <= slack) == (hj <= slack) || to->count == WB_CLIP_POINTS) continue;
        // an edge has no way back
        if (from->count == 2 && i == 1) continue;
        const double t = fmin(fmax(hi / (hi - hj), 0), 1);
        addPoint(to, wbAddScaled3d(from->points[i], t, wbSub3d(from->points[j], from->points[i])));
        if (to->count == WB_CLIP_POINTS) break;
    }
}

const wbFeature *wbClipFeature(const wbFeature *reference, wbVec3d normal, double slack, wbFeature *incident,
                               wbFeature *spare) {
    if (incident->count == 1) return incident;
    wbFeature *from = incident, *to = spare;
    for (int i = 0; i < reference->count && from->count > 0; i++) {
        const wbVec3d a = reference->points[i],
                      edge = wbSub3d(reference->points[i + 1 < reference->count ? i + 1 : 0], a);
        const wbVec3d out = wbCross3d(edge, normal);
        const double length2 = wbDot3d(out, out);
        if (length2 == 0) continue;
        const wbVec3d unit = wbScale3d(1 / sqrt(length2), out);
        cutPolygon(from, unit, wbDot3d(unit, a), slack, to);
        wbFeature *kept = from;
        from = to, to = kept;
    }
    return from;
}

static void addContact(wbContactPoints *contacts, wbVec3d place, double separation) {
    contacts->points[contacts->count++] = (wbClipPoint){place, separation};
}

static double findLowest(const wbFeature *f, wbVec3d d) {
    double lowest = INFINITY;
    for (int i = 0; i < f->count; i++) lowest = fmin(lowest, wbDot3d(d, f->points[i]));
    return lowest;
}

static void findFacePoints(const wbCorePair *pair, const wbAxis *axis, double margin,
                           wbContactPoints *contacts) {
    wbFeature reference, incident, spare;
    const bool isB = axis->kind == wb_axisFaceB;
    const wbCore *core = isB ? pair->b : pair->a;
    // outwards from the reference face
    const wbVec3d out = isB ? wbScale3d(-1, axis->closest.normal) : axis->closest.normal;
    reference.count = 0;
    getFaceFeature(core, axis->face, wbCore_GetFace(core, axis->face).normal, &reference);
    if (isB) wbCorePair_MoveFeature(pair, &reference);
    getFeatureInA(pair, !isB, wbScale3d(-1, out), &incident);
    const double offset = wbDot3d(out, reference.points[0]), slack = SLACK * core->thickness;
    const double skin = isB ? pair->a->skin : pair->b->skin;
    const double before = findLowest(&incident, out);
    const wbFeature *over = wbClipFeature(&reference, out, slack, &incident, &spare);
    contacts->lost = findLowest(over, out) - before;
    for (int i = 0; i < over->count; i++) {
        const double height = wbDot3d(out, over->points[i]) - offset, separation = height - skin;
        // halfway: the skin is nearer than the core
        if (separation <= margin)
            addContact(contacts, wbAddScaled3d(over->points[i], -(height + skin) / 2, out), separation);
    }
}

// The edge of a feature that is farthest in a direction; false: it does not lie across it.
static bool findEdge(const wbFeature *f, wbVec3d d, wbVec3d edge[2]) {
    int best = -1;
    double farthest = -INFINITY;
    for (int i = 0; i < f->count && f->count > 1; i++) {
        const double height = fmin(wbDot3d(d, f->points[i]), wbDot3d(d, f->points[(i + 1) % f->count]));
        if (height > farthest) farthest = height, best = i;
    }
    if (best < 0) return false;
    edge[0] = f->points[best], edge[1] = f->points[(best + 1) % f->count];
    const wbVec3d way = wbSub3d(edge[1], edge[0]);
    return fabs(wbDot3d(way, d)) <= ACROSS * sqrt(wbDot3d(way, way));
}

static void addBetween(wbContactPoints *contacts, const wbCorePair *pair, wbVec3d normal, wbVec3d onA,
                       wbVec3d onB, double margin) {
    const double separation = wbDot3d(normal, wbSub3d(onB, onA)) - pair->a->skin - pair->b->skin;
    const wbVec3d outA = wbAddScaled3d(onA, pair->a->skin, normal),
                  outB = wbAddScaled3d(onB, -pair->b->skin, normal);
    if (separation <= margin) addContact(contacts, wbScale3d(0.5, wbAdd3d(outA, outB)), separation);
}

// Two edges side by side touch where they lie beside each other: at both ends of that.
static void findParallelPoints(const wbCorePair *pair, const wbVec3d a[2], const wbVec3d b[2], wbVec3d normal,
                               double margin, wbContactPoints *contacts) {
    const wbVec3d way = wbSub3d(a[1], a[0]), other = wbSub3d(b[1], b[0]);
    const double length2 = wbDot3d(way, way), along = wbDot3d(way, other);
    double t0 = wbDot3d(wbSub3d(b[0], a[0]), way) / length2, t1 = t0 + along / length2;
    const double low = fmax(fmin(t0, t1), 0), high = fmin(fmax(t0, t1), 1);
    if (high <= low) return;
    for (int end = 0; end < 2; end++) {
        const double t = end ? high : low, u = (t - t0) / (t1 - t0);
        addBetween(contacts, pair, normal, wbAddScaled3d(a[0], t, way), wbAddScaled3d(b[0], u, other),
                   margin);
    }
}

static bool areParallel(const wbVec3d a[2], const wbVec3d b[2]) {
    const wbVec3d u = wbSub3d(a[1], a[0]), v = wbSub3d(b[1], b[0]), c = wbCross3d(u, v);
    return wbDot3d(c, c) < PARALLEL * PARALLEL * wbDot3d(u, u) * wbDot3d(v, v);
}

static void findFreePoints(const wbCorePair *pair, const wbAxis *axis, double margin,
                           wbContactPoints *contacts) {
    const wbClosest *closest = &axis->closest;
    const wbVec3d normal = closest->normal;
    if (pair->a->kind != wb_corePoint && pair->b->kind != wb_corePoint) {
        wbFeature a, b;
        wbVec3d edgeA[2], edgeB[2];
        getFeatureInA(pair, false, normal, &a);
        getFeatureInA(pair, true, wbScale3d(-1, normal), &b);
        if (findEdge(&a, normal, edgeA) && findEdge(&b, wbScale3d(-1, normal), edgeB) &&
            areParallel(edgeA, edgeB))
            findParallelPoints(pair, edgeA, edgeB, normal, margin, contacts);
    }
    if (contacts->count < 2) addBetween(contacts, pair, normal, closest->onA, closest->onB, margin);
}

void wbFindContactPoints(const wbCorePair *pair, const wbAxis *axis, double margin,
                         wbContactPoints *contacts) {
    contacts->count = 0, contacts->lost = 0;
    if (axis->kind == wb_axisFree)
        findFreePoints(pair, axis, margin, contacts);
    else
        findFacePoints(pair, axis, margin, contacts);
}

// Choosing

#define CHOOSE_POINT wbClipPoint
#include "rigid/collide_choose_formula.h"
_Static_assert((int)CHOOSE_MOST == WB_MANIFOLD_POINTS, "as many as a manifold has");

int wbChooseContactPoints(const wbClipPoint *points, int count, wbVec3d normal,
                          int chosen[WB_MANIFOLD_POINTS]) {
    return choose_points(points, count, normal, chosen);
}
