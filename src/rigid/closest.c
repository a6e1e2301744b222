// SPDX-License-Identifier: MIT
#include "rigid/closest.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 64, // round cores need about 20, others less
    MOST_POINTS = MOST_STEPS + 4,
    MOST_FACES = 4 * MOST_POINTS,
};
// Relative: of the squared distance, of the depth, and what counts as no distance at all.
#define NEAR_ENOUGH 1e-8
#define DEEP_ENOUGH 1e-7
#define TOUCHING    1e-9

// Cores

wbCore wbMakeCore(const wbRigidPiece *piece) {
    const float *size = piece->size;
    wbCore core = {.size = {size[0], size[1], size[2]}};
    core.reach = sqrtf(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    switch (piece->kind) {
    case wb_pieceSphere:
        core.kind = wb_corePoint, core.skin = size[0], core.thickness = 2.0 * size[0];
        core.reach = size[0];
        break;
    case wb_pieceCapsule:
        core.kind = wb_coreSegment, core.skin = size[0], core.thickness = 2.0 * size[0];
        core.reach = size[0] + size[1];
        break;
    case wb_pieceBox:
        core.kind = wb_coreBox, core.depth = fminf(size[0], fminf(size[1], size[2]));
        core.thickness = 2 * core.depth;
        break;
    case wb_pieceCylinder:
        core.kind = wb_coreCylinder, core.depth = fminf(size[0], size[1]);
        core.thickness = 2 * core.depth;
        core.reach = sqrtf(size[0] * size[0] + size[1] * size[1]);
        break;
    default:
        core.kind = wb_coreCorners, core.hull = piece->hull;
        core.corners = piece->hull->corners, core.cornerCount = piece->hull->cornerCount;
        core.depth = piece->hull->depth, core.centre = wbToDouble(piece->hull->centre);
        core.thickness = 2 * core.depth, core.reach = piece->hull->reach;
    }
    return core;
}

wbCore wbMakeTriangleCore(const wbVec3 corners[3]) {
    const wbVec3d a = wbToDouble(corners[0]), b = wbToDouble(corners[1]), c = wbToDouble(corners[2]);
    return (wbCore){.kind = wb_coreCorners,
                    .corners = corners,
                    .cornerCount = 3,
                    .centre = wbScale3d(1.0 / 3, wbAdd3d(a, wbAdd3d(b, c)))};
}

static wbVec3d findFarthestCorner(const wbCore *core, wbVec3d d) {
    int best = 0;
    double farthest = -INFINITY;
    for (int i = 0; i < core->cornerCount; i++) {
        const wbVec3 c = core->corners[i];
        const double far = c.x * d.x + c.y * d.y + c.z * d.z;
        if (far > farthest) farthest = far, best = i;
    }
    return wbToDouble(core->corners[best]);
}

wbVec3d wbCore_Support(const wbCore *core, wbVec3d d) {
    const double *size = core->size;
    switch (core->kind) {
    case wb_corePoint:
        break;
    case wb_coreSegment:
        return (wbVec3d){0, copysign(size[1], d.y), 0};
    case wb_coreBox:
        return (wbVec3d){copysign(size[0], d.x), copysign(size[1], d.y), copysign(size[2], d.z)};
    case wb_coreCylinder: {
        const double flat = sqrt(d.x * d.x + d.z * d.z), share = flat > 0 ? size[0] / flat : 0;
        return (wbVec3d){share * d.x, copysign(size[1], d.y), share * d.z};
    }
    case wb_coreCorners:
        return findFarthestCorner(core, d);
    }
    return (wbVec3d){0, 0, 0};
}

// conj(a) b; quaternions need not be exactly of length 1.
static void getRelativeTurn(const float a[4], const float b[4], double q[4]) {
    const double x = -(double)a[0], y = -(double)a[1], z = -(double)a[2], w = a[3];
    q[0] = w * b[0] + x * b[3] + y * b[2] - z * b[1], q[1] = w * b[1] - x * b[2] + y * b[3] + z * b[0];
    q[2] = w * b[2] + x * b[1] - y * b[0] + z * b[3], q[3] = w * b[3] - x * b[0] - y * b[1] - z * b[2];
    const double scale = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] *= scale;
}

static void getMatrix(const double q[4], double m[3][3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    m[0][0] = 1 - 2 * (y * y + z * z), m[0][1] = 2 * (x * y - w * z), m[0][2] = 2 * (x * z + w * y);
    m[1][0] = 2 * (x * y + w * z), m[1][1] = 1 - 2 * (x * x + z * z), m[1][2] = 2 * (y * z - w * x);
    m[2][0] = 2 * (x * z - w * y), m[2][1] = 2 * (y * z + w * x), m[2][2] = 1 - 2 * (x * x + y * y);
}

wbCorePair wbMakeCorePair(const wbCore *a, const wbPose *poseA, const wbCore *b, const wbPose *poseB) {
    const float *p = poseB->position;
    wbCorePair pair = {.a = a, .b = b, .shift = wbPose_ApplyInverse3d(poseA, (wbVec3d){p[0], p[1], p[2]})};
    getRelativeTurn(poseA->rotation, poseB->rotation, pair.quaternion);
    getMatrix(pair.quaternion, pair.turn);
    return pair;
}

wbDifference wbCorePair_Support(const wbCorePair *pair, wbVec3d direction) {
    const wbVec3d a = wbCore_Support(pair->a, direction),
                  b = wbCorePair_SupportB(pair, wbScale3d(-1, direction));
    return (wbDifference){wbSub3d(a, b), a, b};
}

// The point of a simplex nearest to the origin (Ericson 2005, ch. 5.1); corners that it does not need are
// dropped.

static void keepPoints(wbSimplex *s, int count, const int *which, const double *weights) {
    wbDifference kept[3];
    for (int i = 0; i < count; i++) kept[i] = s->points[which[i]];
    memcpy(s->points, kept, (size_t)count * sizeof *kept);
    memcpy(s->weights, weights, (size_t)count * sizeof *weights);
    s->count = count;
}

// Simplexes are large, and mostly empty.
static void copySimplex(wbSimplex *to, const wbSimplex *from) {
    memcpy(to->points, from->points, (size_t)from->count * sizeof *to->points);
    memcpy(to->weights, from->weights, (size_t)from->count * sizeof *to->weights);
    to->count = from->count;
}

static void reduceSegment(wbSimplex *s) {
    const wbVec3d a = s->points[0].w, ab = wbSub3d(s->points[1].w, a);
    const double length2 = wbDot3d(ab, ab), t = length2 > 0 ? -wbDot3d(a, ab) / length2 : 0;
    if (t <= 0)
        keepPoints(s, 1, (int[]){0}, (double[]){1});
    else if (t >= 1)
        keepPoints(s, 1, (int[]){1}, (double[]){1});
    else
        s->weights[0] = 1 - t, s->weights[1] = t;
}

static void reduceTriangle(wbSimplex *s) {
    const wbVec3d a = s->points[0].w, b = s->points[1].w, c = s->points[2].w;
    const wbVec3d ab = wbSub3d(b, a), ac = wbSub3d(c, a);
    const double d1 = -wbDot3d(ab, a), d2 = -wbDot3d(ac, a), d3 = -wbDot3d(ab, b), d4 = -wbDot3d(ac, b),
                 d5 = -wbDot3d(ab, c), d6 = -wbDot3d(ac, c);
    if (d1 <= 0 && d2 <= 0) return keepPoints(s, 1, (int[]){0}, (double[]){1});
    if (d3 >= 0 && d4 <= d3) return keepPoints(s, 1, (int[]){1}, (double[]){1});
    if (d6 >= 0 && d5 <= d6) return keepPoints(s, 1, (int[]){2}, (double[]){1});
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const double toC = d4 - d3, toB = d5 - d6;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return keepPoints(s, 2, (int[]){0, 1}, (double[]){-d3 / (d1 - d3), d1 / (d1 - d3)});
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return keepPoints(s, 2, (int[]){0, 2}, (double[]){-d6 / (d2 - d6), d2 / (d2 - d6)});
    if (va <= 0 && toC >= 0 && toB >= 0)
        return keepPoints(s, 2, (int[]){1, 2}, (double[]){toB / (toC + toB), toC / (toC + toB)});
    const double sum = va + vb + vc;
    s->weights[0] = va / sum, s->weights[1] = vb / sum, s->weights[2] = vc / sum;
}

static wbVec3d getNearest(const wbSimplex *s) {
    wbVec3d v = {0, 0, 0};
    for (int i = 0; i < s->count; i++) v = wbAddScaled3d(v, s->weights[i], s->points[i].w);
    return v;
}

// Of the faces that have the origin before them the nearest; none: it is inside, and all four stay.
static void reduceTetrahedron(wbSimplex *s) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    wbSimplex best, face;
    double nearest = INFINITY;
    memset(face.weights, 0, sizeof face.weights);
    best.count = 0;
    for (int f = 0; f < 4; f++) {
        const wbDifference *p = s->points;
        const wbVec3d a = p[faces[f][0]].w, ab = wbSub3d(p[faces[f][1]].w, a),
                      ac = wbSub3d(p[faces[f][2]].w, a);
        const wbVec3d n = wbCross3d(ab, ac);
        const double origin = -wbDot3d(n, a), inner = wbDot3d(n, wbSub3d(p[faces[f][3]].w, a));
        // without volume the origin is outside of all
        if (origin * inner > 0) continue;
        for (int k = 0; k < 3; k++) face.points[k] = p[faces[f][k]];
        face.count = 3;
        reduceTriangle(&face);
        const wbVec3d v = getNearest(&face);
        const double distance2 = wbDot3d(v, v);
        if (distance2 < nearest) nearest = distance2, copySimplex(&best, &face);
    }
    if (best.count > 0) copySimplex(s, &best);
}

static void reduce(wbSimplex *s) {
    if (s->count == 1) s->weights[0] = 1;
    if (s->count == 2) reduceSegment(s);
    if (s->count == 3) reduceTriangle(s);
    if (s->count == 4) reduceTetrahedron(s);
}

static bool hasPoint(const wbSimplex *s, wbVec3d w) {
    for (int i = 0; i < s->count; i++) {
        const wbVec3d p = s->points[i].w;
        if (p.x == w.x && p.y == w.y && p.z == w.z) return true;
    }
    return false;
}

static double getSize2(const wbSimplex *s) {
    double most = 0;
    for (int i = 0; i < s->count; i++) most = fmax(most, wbDot3d(s->points[i].w, s->points[i].w));
    return most;
}

static void describe(const wbSimplex *s, wbVec3d v, wbClosest *closest) {
    const double distance = sqrt(wbDot3d(v, v));
    *closest = (wbClosest){.separation = distance, .normal = wbScale3d(-1 / distance, v)};
    for (int i = 0; i < s->count; i++) {
        closest->onA = wbAddScaled3d(closest->onA, s->weights[i], s->points[i].a);
        closest->onB = wbAddScaled3d(closest->onB, s->weights[i], s->points[i].b);
    }
}

bool wbFindClosest(const wbCorePair *pair, wbVec3d guess, double most, wbClosest *closest,
                   wbSimplex *simplex) {
    simplex->points[0] = wbCorePair_Support(pair, guess);
    simplex->weights[0] = 1, simplex->count = 1;
    wbVec3d v = simplex->points[0].w;
    double distance2 = wbDot3d(v, v);
    for (int step = 0; step < MOST_STEPS; step++) {
        if (simplex->count == 4 || distance2 <= TOUCHING * TOUCHING * getSize2(simplex)) return false;
        const wbDifference next = wbCorePair_Support(pair, wbScale3d(-1, v));
        const double along = wbDot3d(v, next.w);
        if (along > 0 && along * along > most * most * distance2) {
            *closest = (wbClosest){.separation = along / sqrt(distance2),
                                   .normal = wbScale3d(-1 / sqrt(distance2), v),
                                   .isBeyond = true};
            return true;
        }
        if (distance2 - along <= NEAR_ENOUGH * distance2 || hasPoint(simplex, next.w)) break;
        wbSimplex grown;
        copySimplex(&grown, simplex);
        grown.points[grown.count++] = next;
        reduce(&grown);
        const wbVec3d nearer = getNearest(&grown);
        if (grown.count < 4 && wbDot3d(nearer, nearer) >= distance2) break; // rounding
        copySimplex(simplex, &grown);
        v = nearer, distance2 = wbDot3d(v, v);
    }
    describe(simplex, v, closest);
    return true;
}

// Depth: a polytope inside of the difference grows where it is nearest to the origin (van den Bergen 2001)

typedef struct Face {
    int corners[3];
    wbVec3d normal;
    double distance; // of its plane; INFINITY: it has no area
} Face;

typedef struct Polytope {
    wbDifference points[MOST_POINTS];
    Face faces[MOST_FACES];
    int pointCount, faceCount;
    double rounding; // m, that a point must be above a face to see it: otherwise thin faces look anywhere
} Polytope;

static void addFace(Polytope *p, int i, int j, int k) {
    const wbVec3d a = p->points[i].w, ab = wbSub3d(p->points[j].w, a), ac = wbSub3d(p->points[k].w, a);
    const wbVec3d n = wbCross3d(ab, ac);
    const double length = sqrt(wbDot3d(n, n));
    Face *face = &p->faces[p->faceCount++];
    *face = (Face){{i, j, k}, {0, 0, 0}, INFINITY};
    if (length <= 1e-12 * (wbDot3d(ab, ab) + wbDot3d(ac, ac))) return;
    face->normal = wbScale3d(1 / length, n);
    // the origin is inside: below is rounding
    face->distance = fmax(wbDot3d(face->normal, a), 0);
}

// Takes away the faces that a new point sees and closes the hole with faces to it. False if there is no room.
static bool growPolytope(Polytope *p, int point) {
    int edges[MOST_FACES][2], edgeCount = 0, kept = 0;
    for (int f = 0; f < p->faceCount; f++) {
        const Face *face = &p->faces[f];
        const wbVec3d way = wbSub3d(p->points[point].w, p->points[face->corners[0]].w);
        if (wbDot3d(face->normal, way) <= p->rounding) {
            p->faces[kept++] = *face;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const int from = face->corners[k], to = face->corners[(k + 1) % 3];
            int twin = 0;
            while (twin < edgeCount && (edges[twin][0] != to || edges[twin][1] != from)) twin++;
            if (twin < edgeCount) {
                edgeCount--;
                memmove(edges[twin], edges[edgeCount], sizeof edges[0]);
            } else {
                if (edgeCount == MOST_FACES) return false;
                edges[edgeCount][0] = from, edges[edgeCount][1] = to, edgeCount++;
            }
        }
    }
    p->faceCount = kept;
    if (kept + edgeCount > MOST_FACES) return false;
    for (int e = 0; e < edgeCount; e++) addFace(p, edges[e][0], edges[e][1], point);
    return edgeCount > 0;
}

static wbVec3d findPerpendicular(wbVec3d v) {
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    // up, where it may be
    const wbVec3d axis = y <= x || y <= z ? (wbVec3d){0, 1, 0} : (wbVec3d){1, 0, 0};
    const wbVec3d along = wbAddScaled3d(axis, -wbDot3d(axis, v) / wbDot3d(v, v), v);
    return wbScale3d(1 / sqrt(wbDot3d(along, along)), along);
}

// A point of the difference that is off what the simplex spans, in a direction or against it; false: there is
// none, it is flat.
static bool extend(const wbCorePair *pair, wbSimplex *s, wbVec3d direction) {
    const double least = 1e-7 * sqrt(getSize2(s)) + DBL_MIN;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const wbDifference next = wbCorePair_Support(pair, wbScale3d(sign, direction));
        if (fabs(wbDot3d(direction, wbSub3d(next.w, s->points[0].w))) <= least) continue;
        s->points[s->count++] = next;
        return true;
    }
    return false;
}

// Makes a tetrahedron of a simplex. Otherwise the difference is flat: `out` is the way that leaves it at
// once.
static bool fillSimplex(const wbCorePair *pair, wbSimplex *s, wbVec3d *out) {
    static const wbVec3d axes[3] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    for (int k = 0; s->count == 1; k++) {
        *out = axes[2];
        if (k == 3) return false;
        extend(pair, s, axes[k]);
    }
    if (s->count == 2) {
        const wbVec3d line = wbSub3d(s->points[1].w, s->points[0].w), across = findPerpendicular(line);
        const wbVec3d other = wbCross3d(line, across);
        *out = across;
        if (!extend(pair, s, across) && !extend(pair, s, wbScale3d(1 / sqrt(wbDot3d(other, other)), other)))
            return false;
    }
    if (s->count == 3) {
        const wbVec3d a = s->points[0].w;
        const wbVec3d n = wbCross3d(wbSub3d(s->points[1].w, a), wbSub3d(s->points[2].w, a));
        const double length = sqrt(wbDot3d(n, n));
        *out = length > 0 ? wbScale3d(1 / length, n) : findPerpendicular(wbSub3d(s->points[1].w, a));
        return extend(pair, s, *out);
    }
    return true;
}

static void startPolytope(Polytope *p, const wbSimplex *s) {
    memcpy(p->points, s->points, sizeof s->points);
    p->pointCount = 4, p->faceCount = 0;
    p->rounding = TOUCHING * sqrt(getSize2(s));
    const wbVec3d a = s->points[0].w;
    const wbVec3d n = wbCross3d(wbSub3d(s->points[1].w, a), wbSub3d(s->points[2].w, a));
    const bool isAbove = wbDot3d(n, wbSub3d(s->points[3].w, a)) > 0;
    const int b = isAbove ? 2 : 1, c = isAbove ? 1 : 2;
    addFace(p, 0, b, c), addFace(p, 0, 3, b), addFace(p, b, 3, c), addFace(p, c, 3, 0);
}

static int findNearestFace(const Polytope *p) {
    int best = 0;
    for (int f = 1; f < p->faceCount; f++)
        if (p->faces[f].distance < p->faces[best].distance) best = f;
    return best;
}

// Weights of the point of a face nearest to the origin.
static void describeFace(const Polytope *p, const Face *face, wbClosest *closest) {
    wbSimplex s;
    s.count = 3;
    for (int k = 0; k < 3; k++) s.points[k] = p->points[face->corners[k]];
    reduceTriangle(&s);
    *closest = (wbClosest){.normal = face->normal};
    for (int i = 0; i < s.count; i++) {
        closest->onA = wbAddScaled3d(closest->onA, s.weights[i], s.points[i].a);
        closest->onB = wbAddScaled3d(closest->onB, s.weights[i], s.points[i].b);
    }
}

void wbFindDepth(const wbCorePair *pair, const wbSimplex *simplex, double enough, wbClosest *closest) {
    wbSimplex s;
    wbVec3d out;
    copySimplex(&s, simplex);
    if (!fillSimplex(pair, &s, &out)) {
        // towards the second's centre
        if (wbDot3d(out, pair->shift) < 0) out = wbScale3d(-1, out);
        describe(simplex, (wbVec3d){1, 0, 0}, closest);
        closest->separation = 0, closest->normal = out;
        return;
    }
    Polytope p;
    startPolytope(&p, &s);
    // the nearest face is no farther out than the surface, whose distance along its normal is a way out: both
    // meet
    Face nearest = p.faces[findNearestFace(&p)], best = nearest;
    double least = INFINITY;
    while (p.pointCount < MOST_POINTS && nearest.distance < INFINITY) {
        wbDifference *next = &p.points[p.pointCount];
        *next = wbCorePair_Support(pair, nearest.normal);
        const double depth = wbDot3d(next->w, nearest.normal);
        if (depth < least) least = depth, best = nearest;
        if (depth - nearest.distance <= DEEP_ENOUGH * depth + p.rounding || nearest.distance >= enough) break;
        if (!growPolytope(&p, p.pointCount++)) break;
        nearest = p.faces[findNearestFace(&p)];
    }
    describeFace(&p, &best, closest);
    closest->separation = -fmin(least, DBL_MAX);
}
