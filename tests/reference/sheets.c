// SPDX-License-Identifier: MIT
#include "reference/sheets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void sub(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}
static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

typedef struct Triangle {
    double c[3][3], normal[3];
} Triangle;

static Triangle getTriangle(const refSheets *sheets, double (*nodes)[3], int element) {
    Triangle t;
    double ab[3], ac[3];
    for (int k = 0; k < 3; k++) memcpy(t.c[k], nodes[sheets->corners[element][k]], sizeof t.c[k]);
    sub(t.c[1], t.c[0], ab), sub(t.c[2], t.c[0], ac), cross(ab, ac, t.normal);
    const double length = sqrt(dot(t.normal, t.normal));
    for (int k = 0; k < 3; k++) t.normal[k] = length > 0 ? t.normal[k] / length : 0;
    return t;
}

// Whether a point of a triangle's plane is in it, by areas.
static bool isIn(const Triangle *t, const double p[3], double least) {
    for (int k = 0; k < 3; k++) {
        double edge[3], to[3], c[3];
        sub(t->c[(k + 1) % 3], t->c[k], edge), sub(p, t->c[k], to), cross(edge, to, c);
        if (!(dot(c, t->normal) > least * sqrt(dot(edge, edge)))) return false;
    }
    return true;
}

// Which corners a closest point is between: bits.
typedef struct Closest {
    double place[3], distance2;
    unsigned corners;
} Closest;

static void tryPoint(Closest *best, const double p[3], const double place[3], unsigned corners) {
    double away[3];
    sub(p, place, away);
    if (!(dot(away, away) < best->distance2)) return;
    best->distance2 = dot(away, away), best->corners = corners;
    memcpy(best->place, place, sizeof best->place);
}

static Closest findClosest(const Triangle *t, const double p[3]) {
    Closest best = {.distance2 = DBL_MAX};
    double away[3], foot[3];
    for (int k = 0; k < 3; k++) tryPoint(&best, p, t->c[k], 1u << k);
    for (int k = 0; k < 3; k++) {
        double edge[3], at[3];
        sub(t->c[(k + 1) % 3], t->c[k], edge), sub(p, t->c[k], away);
        const double along = dot(away, edge) / dot(edge, edge);
        for (int a = 0; a < 3; a++) at[a] = t->c[k][a] + along * edge[a];
        if (along > 0 && along < 1) tryPoint(&best, p, at, 1u << k | 1u << (k + 1) % 3);
    }
    sub(p, t->c[0], away);
    for (int a = 0; a < 3; a++) foot[a] = p[a] - dot(away, t->normal) * t->normal[a];
    if (isIn(t, foot, 0)) tryPoint(&best, p, foot, 7);
    return best;
}

static bool hasNode(const refSheets *sheets, int element, int node) {
    const int *c = sheets->corners[element];
    return sheets->radii[element] == 0 && (c[0] == node || c[1] == node || c[2] == node);
}

static int countAtEdge(const refSheets *sheets, int a, int b) {
    int count = 0;
    for (int e = 0; e < sheets->count; e++) count += hasNode(sheets, e, a) && hasNode(sheets, e, b);
    return count;
}

static bool isRim(const refSheets *sheets, int element, unsigned corners) {
    const int *c = sheets->corners[element];
    for (int k = 0; k < 3 && corners != 7; k++) {
        if (corners == (1u << k | 1u << (k + 1) % 3)) return countAtEdge(sheets, c[k], c[(k + 1) % 3]) == 1;
        for (int e = 0; e < sheets->count && corners == 1u << k; e++)
            for (int m = 0; m < 3 && hasNode(sheets, e, c[k]); m++) {
                const int a = sheets->corners[e][m], b = sheets->corners[e][(m + 1) % 3];
                if ((a == c[k] || b == c[k]) && countAtEdge(sheets, a, b) == 1) return true;
            }
    }
    return false;
}

void refFindRims(refSheets *sheets) {
    for (int e = 0; e < sheets->count; e++)
        for (unsigned corners = 1; corners < 8; corners++)
            sheets->rims[e][corners] = sheets->radii[e] == 0 && isRim(sheets, e, corners);
}

static bool isClose(double a, double b, double by) { return fabs(a - b) < by; }

// All that may be a foot, with its distance along its normal.
typedef struct Feet {
    refFoot *all;
    Closest *closest;
    int count;
} Feet;

static bool isHidden(const refSheets *sheets, const Feet *feet, int element, bool *isDoubtful) {
    const Closest *own = &feet->closest[element];
    for (int e = 0; e < sheets->count && own->corners != 7; e++) {
        bool shares = e != element;
        for (int k = 0; k < 3; k++)
            if (own->corners >> k & 1) shares = shares && hasNode(sheets, e, sheets->corners[element][k]);
        const double other = feet->closest[e].distance2;
        if (shares && other < own->distance2 * (1 - 1e-4)) return true;
        if (shares && other < own->distance2 * (1 - 1e-12)) *isDoubtful = true;
    }
    return false;
}

static bool judge(const refSheets *sheets, const Feet *feet, int e, const double start[3],
                  const double place[3], refFoot *foot, bool *isDoubtful) {
    const Closest *closest = &feet->closest[e];
    const Triangle before = getTriangle(sheets, sheets->starts, e),
                   now = getTriangle(sheets, sheets->ends, e);
    double away[3], facing[3];
    const double length = sqrt(closest->distance2), s = sheets->spacing;
    sub(start, before.c[0], away);
    const double sign = dot(away, before.normal) > 0 ? 1 : -1;
    sub(place, closest->place, away);
    for (int a = 0; a < 3; a++) facing[a] = sign * now.normal[a];
    *foot = (refFoot){.element = e, .share = 1, .angle = M_PI, .length = length};
    memcpy(foot->place, closest->place, sizeof foot->place);
    for (int a = 0; a < 3; a++) foot->normal[a] = away[a] / length;
    foot->distance = length - sheets->radii[e];
    if (length < 1e-4 * s) *isDoubtful = true;
    if (sheets->radii[e] > 0) return foot->distance < sheets->h;
    if (closest->corners == 7) {
        memcpy(foot->normal, facing, sizeof facing), foot->distance = dot(away, facing);
        if (isClose(foot->distance, -1.5 * s, 1e-4 * s)) *isDoubtful = true;
        return length < sheets->h && foot->distance > -1.5 * s;
    }
    if (length > sheets->h) return false;
    const double across = dot(away, facing);
    if (sheets->rims[e][closest->corners]) {
        if (isClose(across, 0, 1e-4 * s)) *isDoubtful = true;
        memcpy(foot->normal, facing, sizeof facing), foot->distance = across, foot->isBeyond = true;
        return across > 0 && !isHidden(sheets, feet, e, isDoubtful);
    }
    if (isClose(across, -0.2 * length, 1e-4 * s) || isClose(length, 0.3 * s, 1e-4 * s)) *isDoubtful = true;
    return !(across < -0.2 * length && length < 0.3 * s) && !isHidden(sheets, feet, e, isDoubtful);
}

static double getAlong(const refFoot *a, const refFoot *b) { return fmax(0, dot(a->normal, b->normal)); }

// Those beyond a rim come last, the nearest of them first, and of those at one place the one that is highest above its plane.
static bool isBefore(const refFoot *a, const refFoot *b) {
    if (a->isBeyond != b->isBeyond) return b->isBeyond;
    if (!a->isBeyond) return fabs(a->distance) < fabs(b->distance);
    return a->length != b->length ? a->length < b->length : a->distance > b->distance;
}

// Which of two comes first that show different ways is beyond floats.
static bool isTie(const refFoot *a, const refFoot *b) {
    const bool isSame = a->isBeyond && a->length == b->length;
    const double first = a->isBeyond && !isSame ? a->length : fabs(a->distance),
                 second = b->isBeyond && !isSame ? b->length : fabs(b->distance);
    return a->isBeyond == b->isBeyond && getAlong(a, b) < 1 - 1e-6 &&
           isClose(first, second, 1e-4 * second + 1e-9);
}

static refFoot *findNext(Feet *feet, bool *isDoubtful) {
    refFoot *first = NULL;
    for (refFoot *f = feet->all; f < feet->all + feet->count; f++) {
        if (isClose(f->share, 0.02, 1e-4)) *isDoubtful = true;
        if (f->share > 0.02 && (!first || isBefore(f, first))) first = f;
    }
    for (refFoot *f = feet->all; f < feet->all + feet->count; f++)
        if (first && f != first && f->share > 0.02 && isTie(f, first)) *isDoubtful = true;
    return first;
}

// m2, from a foot to the nearest rim.
static double findRim(const refSheets *sheets, const refFoot *foot) {
    double least = DBL_MAX;
    for (int e = 0; e < sheets->count; e++)
        for (int k = 0; k < 3; k++) {
            const Triangle t = getTriangle(sheets, sheets->ends, e);
            const double *from = t.c[k], *to = t.c[(k + 1) % 3];
            double edge[3], away[3], at[3];
            if (sheets->radii[e] > 0 || !sheets->rims[e][1u << k | 1u << (k + 1) % 3]) continue;
            sub(to, from, edge), sub(foot->place, from, away);
            const double along = fmin(fmax(dot(away, edge) / dot(edge, edge), 0), 1);
            for (int a = 0; a < 3; a++) at[a] = foot->place[a] - from[a] - along * edge[a];
            least = fmin(least, dot(at, at));
        }
    return least;
}

// Of the wedge that is hidden behind the sheet, from its plane to the rim; nothing beyond the kernel's reach is.
static double findAngle(const refSheets *sheets, const refFoot *foot) {
    const double height = fmax(foot->distance, 0), reach2 = sheets->h * sheets->h - height * height,
                 beside2 =
                     foot->isBeyond ? foot->length * foot->length - height * height : findRim(sheets, foot),
                 angle =
                     beside2 < reach2 ? atan2(height, sqrt(fmax(beside2, 0))) * (1 - beside2 / reach2) : 0;
    return foot->isBeyond ? angle : M_PI - angle;
}

int refFindFeet(const refSheets *sheets, const double start[3], const double place[3], refFoot found[3],
                bool *isDoubtful) {
    Feet feet = {malloc(sizeof(refFoot) * (size_t)sheets->count),
                 malloc(sizeof(Closest) * (size_t)sheets->count), 0};
    refFoot *next;
    int count = 0;
    *isDoubtful = false;
    for (int e = 0; e < sheets->count; e++) {
        const Triangle now = getTriangle(sheets, sheets->ends, e);
        feet.closest[e] = findClosest(&now, place);
    }
    for (int e = 0; e < sheets->count; e++)
        feet.count += judge(sheets, &feet, e, start, place, feet.all + feet.count, isDoubtful);
    while (count < 3 && (next = findNext(&feet, isDoubtful))) {
        found[count] = *next;
        if (sheets->radii[next->element] == 0) found[count].angle = findAngle(sheets, next);
        next->share = 0;
        for (refFoot *f = feet.all; f < feet.all + feet.count; f++)
            f->share *= 1 - getAlong(f, &found[count]);
        count++;
    }
    free(feet.all), free(feet.closest);
    return count;
}

int refFindSide(const refSheets *sheets, const double start[3], double reach, bool *isDoubtful) {
    double least = DBL_MAX, second = DBL_MAX;
    int side = 0;
    for (int e = 0; e < sheets->count; e++) {
        const Triangle t = getTriangle(sheets, sheets->starts, e);
        const Closest closest = findClosest(&t, start);
        double away[3];
        if (sheets->radii[e] > 0) continue;
        sub(start, t.c[0], away);
        if (!(closest.distance2 < least)) {
            second = fmin(second, closest.distance2);
            continue;
        }
        second = least, least = closest.distance2;
        side = sheets->rims[e][closest.corners] ? 0 : dot(away, t.normal) > 0 ? 1 : -1;
    }
    *isDoubtful = isClose(sqrt(least), sqrt(second), 1e-4 * sheets->spacing) ||
                  isClose(sqrt(least), reach, 0.1 * sheets->spacing);
    return least < reach * reach ? side : 0;
}

bool refIsBetween(const refSheets *sheets, const double a[3], const double b[3], bool *isDoubtful) {
    bool isBetween = false;
    *isDoubtful = false;
    for (int e = 0; e < sheets->count; e++) {
        const Triangle t = getTriangle(sheets, sheets->starts, e);
        double from[3], to[3], at[3];
        if (sheets->radii[e] > 0) continue;
        sub(a, t.c[0], from), sub(b, t.c[0], to);
        const double above = dot(from, t.normal), below = dot(to, t.normal);
        if ((above > 0) == (below > 0)) continue;
        for (int k = 0; k < 3; k++) at[k] = a[k] + above / (above - below) * (b[k] - a[k]);
        if (isIn(&t, at, 1e-6 * sheets->spacing))
            isBetween = true;
        else if (isIn(&t, at, -1e-6 * sheets->spacing))
            *isDoubtful = true;
    }
    *isDoubtful = *isDoubtful && !isBetween;
    return isBetween;
}

static double getWay(const double from[3], const double to[3]) {
    double way[3];
    sub(to, from, way);
    return sqrt(dot(way, way));
}

// Whether ways are too short for a particle to come to a triangle.
static bool isFar(const refSheets *sheets, int element, const double from[3], const double to[3]) {
    const Triangle t = getTriangle(sheets, sheets->starts, element);
    double way = getWay(from, to);
    for (int c = 0; c < 3; c++) {
        const int node = sheets->corners[element][c];
        way += getWay(sheets->starts[node], sheets->ends[node]);
    }
    return findClosest(&t, from).distance2 > way * way;
}

// Side and foot at many times: between two of them the sign changes and the foot is in the triangle at both.
bool refGoesThrough(const refSheets *sheets, const double from[3], const double to[3]) {
    enum { TIMES = 400 };
    for (int e = 0; e < sheets->count; e++) {
        if (isFar(sheets, e, from, to)) continue;
        double before = 0;
        bool wasIn = false;
        for (int k = 0; k <= TIMES && sheets->radii[e] == 0; k++) {
            const double time = (double)k / TIMES;
            double nodes[3][3], p[3], away[3], foot[3];
            const int own[1][3] = {{0, 1, 2}};
            const refSheets one = {.corners = own};
            for (int c = 0; c < 3; c++)
                for (int a = 0; a < 3; a++) {
                    const double start = sheets->starts[sheets->corners[e][c]][a];
                    nodes[c][a] = start + time * (sheets->ends[sheets->corners[e][c]][a] - start);
                }
            for (int a = 0; a < 3; a++) p[a] = from[a] + time * (to[a] - from[a]);
            const Triangle t = getTriangle(&one, nodes, 0);
            sub(p, t.c[0], away);
            const double above = dot(away, t.normal);
            for (int a = 0; a < 3; a++) foot[a] = p[a] - above * t.normal[a];
            const bool is = isIn(&t, foot, 1e-3 * sheets->spacing);
            if (k > 0 && is && wasIn && (above > 0) != (before > 0)) return true;
            before = above, wasIn = is;
        }
    }
    return false;
}

void refSumHalfSpace(double h, double distance, double *density, double *gradient) {
    enum { SHIFTS = 4 };
    const int reach = (int)ceil(h) + 1;
    *density = *gradient = 0;
    for (int k = 0; k < SHIFTS * SHIFTS; k++)
        for (int x = -reach; x <= reach; x++)
            for (int z = -reach; z <= reach; z++)
                for (int y = 0; y <= reach + 1; y++) {
                    const double away[3] = {x + (k % SHIFTS + 0.5) / SHIFTS, distance + y + 0.5,
                                            z + (k / SHIFTS + 0.5) / SHIFTS},
                                 r = sqrt(dot(away, away));
                    if (!(r < h)) continue;
                    const double s = 1 - r / h;
                    *density += s * s * s * (1 + r / h / 3) / (SHIFTS * SHIFTS);
                    *gradient += s * s * (1 + r / h / 2) * away[1] / r / (SHIFTS * SHIFTS);
                }
}
