// SPDX-License-Identifier: MIT
// Two pieces with an inside: the normal of their contact, then its points.
#include <math.h>

#include "rigid/collide.h"

// A face's normal is taken if it is worse by no more than these shares, of the separation and of the
// thickness: otherwise normals would flicker between faces and edges. The same between faces of the first and
// of the second.
#define PREFER_DEPTH     0.05
#define PREFER_THICKNESS 0.005
#define PREFER_FIRST     0.001
// Cosine below which the nearest point of a cylinder is on its side.
#define RADIAL 1e-4
// Share of the thickness by which a round piece may reach over the edge of a face that it lies on.
#define SLACK 0.01
// A turn by an angle changes a quaternion by 2 sin(angle / 4), which is nearly half of it up to 1/2 rad.
#define ANGLE_PER_CHANGE 2.03
// Share of the thickness that a pair may move before its normal is found again: what faces are preferred by.
#define STILL 0.005

static double getThickness(const wbCorePair *pair) {
    const double a = pair->a->thickness, b = pair->b->thickness;
    // a triangle has none
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

static double getSkins(const wbCorePair *pair) { return pair->a->skin + pair->b->skin; }

double wbCorePair_GetPreference(const wbCorePair *pair, double separation) {
    return PREFER_DEPTH * fabs(separation - getSkins(pair)) + PREFER_THICKNESS * getThickness(pair);
}

// Faces

double wbCore_FindLowest(const wbCore *core, wbVec3d d, double floor) {
    if (core->kind != wb_coreCorners) return wbDot3d(d, wbCore_Support(core, wbScale3d(-1, d)));
    double lowest = INFINITY;
    for (int i = 0; i < core->cornerCount; i++) {
        const wbVec3 c = core->corners[i];
        const double height = c.x * d.x + c.y * d.y + c.z * d.z;
        if (height < lowest) lowest = height;
        if (lowest < floor) break;
    }
    return lowest;
}

// A face has the other's centre at least so far before it as the other is deep; `centre` is that in the
// face's frame.
static bool canBeBetter(const wbCoreFace *face, wbVec3d centre, const wbCore *other, double least) {
    return wbDot3d(face->normal, centre) - face->offset - other->depth > least;
}

static void tryFacesOfA(const wbCorePair *pair, wbAxis *best) {
    const wbVec3d centre = wbAdd3d(wbCorePair_Turn(pair, pair->b->centre), pair->shift);
    const int count = wbCore_CountFaces(pair->a);
    for (int f = 0; f < count; f++) {
        const wbCoreFace face = wbCore_GetFace(pair->a, f);
        if (!canBeBetter(&face, centre, pair->b, best->closest.separation)) continue;
        const double base = wbDot3d(face.normal, pair->shift) - face.offset;
        const double separation = base + wbCore_FindLowest(pair->b, wbCorePair_TurnBack(pair, face.normal),
                                                           best->closest.separation - base);
        if (separation > best->closest.separation)
            *best = (wbAxis){wb_axisFaceA, f, {.separation = separation, .normal = face.normal}};
    }
}

static void tryFacesOfB(const wbCorePair *pair, wbAxis *best) {
    const wbVec3d centre = wbCorePair_TurnBack(pair, wbSub3d(pair->a->centre, pair->shift));
    const int count = wbCore_CountFaces(pair->b);
    double least = best->closest.separation + PREFER_FIRST * getThickness(pair);
    for (int f = 0; f < count; f++) {
        const wbCoreFace face = wbCore_GetFace(pair->b, f);
        if (!canBeBetter(&face, centre, pair->a, least)) continue;
        const wbVec3d normal = wbCorePair_Turn(pair, face.normal);
        const double base = -wbDot3d(normal, pair->shift) - face.offset;
        const double separation = base + wbCore_FindLowest(pair->a, normal, least - base);
        if (separation <= least) continue;
        least = separation;
        *best = (wbAxis){wb_axisFaceB, f, {.separation = separation, .normal = wbScale3d(-1, normal)}};
    }
}

// The face along which they are farthest apart.
static wbAxis findFaceAxis(const wbCorePair *pair, double most) {
    wbAxis best = {.closest.separation = -INFINITY};
    tryFacesOfA(pair, &best);
    if (best.closest.separation <= most) tryFacesOfB(pair, &best);
    return best;
}

// Round sides

// Cylinders as the segments of their axes: where these are nearest across both, the normal is exact.
static bool findRadialAxis(const wbCorePair *pair, wbVec3d guess, double most, wbClosest *closest) {
    wbCore a = *pair->a, b = *pair->b;
    double radiusA = 0, radiusB = 0;
    wbSimplex simplex;
    if (a.kind == wb_coreCylinder) a.kind = wb_coreSegment, radiusA = a.size[0];
    if (b.kind == wb_coreCylinder) b.kind = wb_coreSegment, radiusB = b.size[0];
    if (radiusA + radiusB == 0) return false;
    wbCorePair segments = *pair;
    segments.a = &a, segments.b = &b;
    if (!wbFindClosest(&segments, guess, most + radiusA + radiusB, closest, &simplex))
        wbFindDepth(&segments, &simplex, INFINITY, closest);
    if (closest->isBeyond) return true;
    const wbVec3d n = closest->normal, axisB = {pair->turn[0][1], pair->turn[1][1], pair->turn[2][1]};
    if (radiusA > 0 && fabs(n.y) > RADIAL) return false;
    if (radiusB > 0 && fabs(wbDot3d(n, axisB)) > RADIAL) return false;
    closest->separation -= radiusA + radiusB;
    closest->onA = wbAddScaled3d(closest->onA, radiusA, n);
    closest->onB = wbAddScaled3d(closest->onB, -radiusB, n);
    return true;
}

static wbAxis prefer(const wbCorePair *pair, const wbAxis *face, const wbClosest *closest) {
    const double least = closest->separation - wbCorePair_GetPreference(pair, closest->separation);
    if (face->kind != wb_axisNone && face->closest.separation >= least) return *face;
    return (wbAxis){wb_axisFree, 0, *closest};
}

static wbAxis makeBeyond(double separation) {
    return (wbAxis){.kind = wb_axisNone, .closest.separation = separation};
}

wbAxis wbFindAxis(const wbCorePair *pair, double most) {
    // a ball's normal is always exact, and its point need not be over a face
    const bool isBall = pair->a->kind == wb_corePoint || pair->b->kind == wb_corePoint;
    wbAxis best = {.closest.separation = -INFINITY};
    if (!isBall) best = findFaceAxis(pair, most);
    if (best.closest.separation > most) return makeBeyond(best.closest.separation);
    const bool isCentred = wbDot3d(pair->shift, pair->shift) == 0;
    const wbVec3d guess = best.kind != wb_axisNone ? best.closest.normal
                          : isCentred              ? (wbVec3d){0, 1, 0}
                                                   : pair->shift;
    wbClosest closest;
    wbSimplex simplex;
    if (findRadialAxis(pair, guess, most, &closest)) {
        if (closest.isBeyond) return makeBeyond(most);
        best = prefer(pair, &best, &closest);
        if (closest.separation > 0) return best;
    }
    if (wbFindClosest(pair, guess, most, &closest, &simplex)) {
        if (closest.isBeyond) return makeBeyond(closest.separation);
        return prefer(pair, &best, &closest);
    }
    if (isBall) {
        const wbAxis face = findFaceAxis(pair, most);
        if (face.closest.separation > best.closest.separation) best = face;
    }
    const double depth = -best.closest.separation;
    wbFindDepth(pair, &simplex, depth < INFINITY ? depth - wbCorePair_GetPreference(pair, -depth) : INFINITY,
                &closest);
    return prefer(pair, &best, &closest);
}

// Manifolds

static void writeManifold(const wbContactPoints *contacts, wbVec3d normal, const wbPose *poseA,
                          wbManifold *manifold) {
    int chosen[WB_MANIFOLD_POINTS];
    manifold->count = wbChooseContactPoints(contacts, normal, chosen);
    manifold->normal = wbToFloat(wbPose_Rotate3d(poseA, 1, normal));
    for (int i = 0; i < manifold->count; i++) {
        const wbClipPoint *p = &contacts->points[chosen[i]];
        manifold->points[i] =
            (wbManifoldPoint){wbToFloat(wbPose_Apply3d(poseA, p->place)), (float)p->separation, p->feature};
    }
}

static wbAxis findNearestAxis(const wbCorePair *pair, double most) {
    wbSimplex simplex;
    wbAxis axis = {.kind = wb_axisFree};
    if (!wbFindClosest(pair, pair->shift, most, &axis.closest, &simplex))
        wbFindDepth(pair, &simplex, INFINITY, &axis.closest);
    return axis;
}

static void collide(const wbCorePair *pair, const wbPose *poseA, const wbAxis *axis, double margin,
                    wbManifold *manifold) {
    wbContactPoints contacts;
    wbFindContactPoints(pair, axis, margin, &contacts);
    // what is round touches also beside the face
    const bool isLost =
        contacts.count == 0 || (getSkins(pair) > 0 && contacts.lost > SLACK * getThickness(pair));
    if (axis->kind == wb_axisFree || !isLost) {
        writeManifold(&contacts, axis->closest.normal, poseA, manifold);
        return;
    }
    const wbAxis nearest = findNearestAxis(pair, margin + getSkins(pair));
    if (nearest.closest.isBeyond) return;
    wbFindContactPoints(pair, &nearest, margin, &contacts);
    writeManifold(&contacts, nearest.closest.normal, poseA, manifold);
}

void wbCollidePieces(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b, const wbPose *poseB,
                     float margin, wbManifold *manifold) {
    wbCollideCache cache = {.gap = -1};
    wbCollidePiecesAgain(a, poseA, b, poseB, margin, &cache, manifold);
}

// Of the turn between two quaternions, if it is small.
static double getAngle(const double a[4], const double b[4]) {
    double plus = 0, minus = 0;
    for (int k = 0; k < 4; k++) plus += (a[k] + b[k]) * (a[k] + b[k]), minus += (a[k] - b[k]) * (a[k] - b[k]);
    return ANGLE_PER_CHANGE * sqrt(fmin(plus, minus));
}

// How far a point of the second has moved at most since the cache was filled.
static double getWay(const wbCorePair *pair, const wbCollideCache *cache) {
    const float *p = cache->shift, *q = cache->turn;
    const wbVec3d way = wbSub3d(pair->shift, (wbVec3d){p[0], p[1], p[2]});
    return sqrt(wbDot3d(way, way)) +
           pair->b->reach * getAngle(pair->quaternion, (double[4]){q[0], q[1], q[2], q[3]});
}

static void setFloats(float to[3], wbVec3d v) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }
static wbVec3d getFloats(const float v[3]) { return (wbVec3d){v[0], v[1], v[2]}; }

static void fillCache(const wbCorePair *pair, const wbAxis *axis, wbCollideCache *cache) {
    *cache = (wbCollideCache){.gap = -1, .kind = axis->kind, .face = axis->face};
    setFloats(cache->shift, pair->shift);
    for (int k = 0; k < 4; k++) cache->turn[k] = (float)pair->quaternion[k];
    if (axis->kind == wb_axisNone) cache->gap = (float)(axis->closest.separation - getSkins(pair));
    if (axis->kind != wb_axisFree) return;
    setFloats(cache->normal, axis->closest.normal);
    setFloats(cache->onA, axis->closest.onA);
    setFloats(cache->onB, wbCorePair_TurnBack(pair, wbSub3d(axis->closest.onB, pair->shift)));
}

// A face's normal turns with it. Others stay in the first's frame, and the points in the frames of both.
static wbAxis getCachedAxis(const wbCorePair *pair, const wbCollideCache *cache) {
    wbAxis axis = {.kind = (wbAxisKind)cache->kind, .face = cache->face};
    wbClosest *closest = &axis.closest;
    if (axis.kind == wb_axisFaceA) {
        closest->normal = wbCore_GetFace(pair->a, axis.face).normal;
    } else if (axis.kind == wb_axisFaceB) {
        closest->normal = wbScale3d(-1, wbCorePair_Turn(pair, wbCore_GetFace(pair->b, axis.face).normal));
    } else {
        closest->normal = getFloats(cache->normal), closest->onA = getFloats(cache->onA);
        closest->onB = wbAdd3d(wbCorePair_Turn(pair, getFloats(cache->onB)), pair->shift);
        closest->separation = wbDot3d(closest->normal, wbSub3d(closest->onB, closest->onA));
    }
    return axis;
}

// A cache that was loaded may name a face that there is not. Balls are found as quickly as they are looked
// up.
static bool isStill(const wbCorePair *pair, const wbCollideCache *cache, double way) {
    const bool isBall = pair->a->kind == wb_corePoint || pair->b->kind == wb_corePoint;
    if (cache->kind == wb_axisNone || isBall || !(way <= STILL * getThickness(pair))) return false;
    const wbCore *core = cache->kind == wb_axisFaceB ? pair->b : pair->a;
    return cache->kind == wb_axisFree || (cache->face >= 0 && cache->face < wbCore_CountFaces(core));
}

void wbCollidePiecesAgain(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                          const wbPose *poseB, float margin, wbCollideCache *cache, wbManifold *manifold) {
    const wbCore coreA = wbMakeCore(a), coreB = wbMakeCore(b);
    const wbCorePair pair = wbMakeCorePair(&coreA, poseA, &coreB, poseB);
    manifold->count = 0;
    const double way = getWay(&pair, cache);
    if (cache->gap - way > margin) return;
    wbAxis axis;
    if (isStill(&pair, cache, way)) {
        axis = getCachedAxis(&pair, cache);
    } else {
        axis = wbFindAxis(&pair, margin + getSkins(&pair));
        fillCache(&pair, &axis, cache);
    }
    if (axis.kind != wb_axisNone) collide(&pair, poseA, &axis, margin, manifold);
}

// Pieces that hardly moved

float wbGetRelativeWay(const wbRigidPiece *a, const wbPose *fromA, const wbPose *toA, const wbPose *fromB,
                       const wbPose *toB) {
    const wbCore core = wbMakeCore(a);
    const wbCorePair from = wbMakeCorePair(NULL, fromB, &core, fromA),
                     to = wbMakeCorePair(NULL, toB, &core, toA);
    const wbVec3d way = wbSub3d(to.shift, from.shift);
    return (float)(sqrt(wbDot3d(way, way)) + core.reach * getAngle(from.quaternion, to.quaternion));
}

void wbManifold_Follow(const wbManifold *before, const wbPose *fromA, const wbPose *toA, const wbPose *fromB,
                       const wbPose *toB, float margin, wbManifold *now) {
    const wbVec3d old = wbToDouble(before->normal);
    const wbVec3d normal = wbPose_Rotate3d(toB, 1, wbPose_Rotate3d(fromB, -1, old));
    const int count = before->count;
    now->normal = wbToFloat(normal), now->count = 0;
    for (int i = 0; i < count; i++) {
        const wbManifoldPoint *p = &before->points[i];
        const wbVec3d place = wbToDouble(p->place);
        const wbVec3d onA = wbAddScaled3d(place, -0.5 * p->separation, old),
                      onB = wbAddScaled3d(place, 0.5 * p->separation, old);
        const wbVec3d a = wbPose_Apply3d(toA, wbPose_ApplyInverse3d(fromA, onA)),
                      b = wbPose_Apply3d(toB, wbPose_ApplyInverse3d(fromB, onB));
        const double separation = wbDot3d(normal, wbSub3d(b, a));
        if (separation <= margin)
            now->points[now->count++] =
                (wbManifoldPoint){wbToFloat(wbScale3d(0.5, wbAdd3d(a, b))), (float)separation, p->feature};
    }
}

// Two dimensions

void wbManifold_Flatten(wbManifold *manifold) {
    const wbVec3 n = manifold->normal;
    const float length = sqrtf(n.x * n.x + n.y * n.y);
    manifold->normal = length > 0 ? wbMakeVec3(n.x / length, n.y / length, 0) : wbMakeVec3(0, 1, 0);
    int low = 0, high = 0;
    float least = INFINITY, most = -INFINITY;
    for (int i = 0; i < manifold->count; i++) {
        wbManifoldPoint *p = &manifold->points[i];
        const float along = p->place.x * manifold->normal.y - p->place.y * manifold->normal.x;
        p->place.z = 0;
        if (along < least) least = along, low = i;
        if (along > most) most = along, high = i;
    }
    if (manifold->count == 0) return;
    const wbManifoldPoint ends[2] = {manifold->points[low], manifold->points[high]};
    manifold->points[0] = ends[0], manifold->points[1] = ends[1];
    manifold->count = most - least > 1e-6f ? 2 : 1;
}
