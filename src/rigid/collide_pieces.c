// SPDX-License-Identifier: MIT
// Two pieces with an inside: the normal of their contact, then its points.
#include <math.h>

#include "rigid/collide.h"
#include "rigid/vector_double.h"

#include "rigid/collide_ball_formula.h"

_Static_assert((int)BALL_POINT == wb_corePoint && (int)BALL_SEGMENT == wb_coreSegment &&
                   (int)BALL_BOX == wb_coreBox && (int)BALL_CYLINDER == wb_coreCylinder,
               "kinds of cores have the same numbers");
_Static_assert((int)BALL_POINT == wb_pieceSphere && (int)BALL_SEGMENT == wb_pieceCapsule &&
                   (int)BALL_BOX == wb_pieceBox && (int)BALL_CYLINDER == wb_pieceCylinder,
               "and so have pieces");

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
// Shares of the thickness. That a pair may move before it is collided again: what faces are preferred by. The
// same where a round side may roll on another or on a rim: points that stayed behind would drive it on. And
// how much farther than asked for those that are apart are looked at, so that this need not be often.
#define STILL   0.005
#define ROLLING 2e-5
#define LOOK    0.05
// Cosines between a cylinder's axis and a normal: below the first it touches with its side, from the second on
// with its end; between them with the rim.
#define ON_SIDE 0.1
#define ON_END  0.9998

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
// face's frame. Of most faces of hulls this is all that is looked at.
static bool canBeBetter(const wbCore *core, int f, wbVec3d centre, const wbCore *other, double least) {
    if (!core->hull) {
        const wbCoreFace face = wbCore_GetFace(core, f);
        return wbDot3d(face.normal, centre) - face.offset - other->depth > least;
    }
    const wbHullFace *face = &core->hull->faces[f];
    const wbVec3 n = face->normal;
    return n.x * centre.x + n.y * centre.y + n.z * centre.z - face->offset - other->depth > least;
}

static void tryFacesOfA(const wbCorePair *pair, wbAxis *best) {
    const wbVec3d centre = wbAdd3d(wbCorePair_Turn(pair, pair->b->centre), pair->shift);
    const int count = wbCore_CountFaces(pair->a);
    for (int f = 0; f < count; f++) {
        if (!canBeBetter(pair->a, f, centre, pair->b, best->closest.separation)) continue;
        const wbCoreFace face = wbCore_GetFace(pair->a, f);
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
        if (!canBeBetter(pair->b, f, centre, pair->a, least)) continue;
        const wbCoreFace face = wbCore_GetFace(pair->b, f);
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
    if (closest->isBeyond) {
        closest->separation -= radiusA + radiusB;
        return true;
    }
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

static bool hasBall(const wbCorePair *pair) {
    return pair->a->kind == wb_corePoint || pair->b->kind == wb_corePoint;
}

wbAxis wbFindAxis(const wbCorePair *pair, double most) {
    wbClosest closest;
    wbSimplex simplex;
    // a ball's normal is always exact, and its point need not be over a face
    const bool isBall = hasBall(pair);
    wbAxis best = {.closest.separation = -INFINITY};
    if (!isBall) best = findFaceAxis(pair, most);
    if (best.closest.separation > most) return makeBeyond(best.closest.separation);
    const bool isCentred = wbDot3d(pair->shift, pair->shift) == 0;
    const wbVec3d guess = best.kind != wb_axisNone ? best.closest.normal
                          : isCentred              ? (wbVec3d){0, 1, 0}
                                                   : pair->shift;
    const double farthest = most + LOOK * getThickness(pair);
    if (findRadialAxis(pair, guess, farthest, &closest)) {
        if (closest.isBeyond) return makeBeyond(fmax(closest.separation, most));
        best = prefer(pair, &best, &closest);
        if (closest.separation > 0) return best;
    }
    if (wbFindClosest(pair, guess, farthest, &closest, &simplex)) {
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

// Balls

// The second of two balls is the ball. It need not turn to stay where it is.
static bool collideBall(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                        const wbPose *poseB, double margin, wbManifold *manifold, wbCollideHold *hold) {
    const bool isSecond = b->kind == wb_pieceSphere;
    if (!isSecond && a->kind != wb_pieceSphere) return false;
    const wbCore core = wbMakeCore(isSecond ? a : b);
    const wbPose *pose = isSecond ? poseA : poseB;
    const float *p = isSecond ? poseB->position : poseA->position;
    const double radius = isSecond ? b->size[0] : a->size[0];
    const wbVec3d at = {p[0], p[1], p[2]};
    if (core.kind == wb_coreCorners) return false; // the search for nearest points knows these
    const BallWay way = ball_find_way((int)core.kind, core.size, wbPose_ApplyInverse3d(pose, at));
    const double separation = way.separation - radius - core.skin;
    *hold = (wbCollideHold){.way = (float)fmax(separation - margin, 0),
                            .reach = isSecond ? (float)core.reach : 0};
    manifold->count = separation <= margin;
    if (manifold->count == 0) return true;
    const wbVec3d out = wbPose_Rotate3d(pose, 1, way.normal);
    manifold->normal = wbToFloat(wbScale3d(isSecond ? 1 : -1, out));
    manifold->points[0] =
        (wbManifoldPoint){wbToFloat(wbAddScaled3d(at, -(radius + separation / 2), out)), (float)separation};
    return true;
}

// Manifolds

static void writeManifold(const wbContactPoints *contacts, wbVec3d normal, const wbPose *poseA,
                          wbManifold *manifold) {
    int chosen[WB_MANIFOLD_POINTS];
    manifold->count = wbChooseContactPoints(contacts->points, contacts->count, normal, chosen);
    manifold->normal = wbToFloat(wbPose_Rotate3d(poseA, 1, normal));
    for (int i = 0; i < manifold->count; i++) {
        const wbClipPoint *p = &contacts->points[chosen[i]];
        manifold->points[i] =
            (wbManifoldPoint){wbToFloat(wbPose_Apply3d(poseA, p->place)), (float)p->separation};
    }
}

static wbAxis findNearestAxis(const wbCorePair *pair, double most) {
    wbSimplex simplex;
    wbAxis axis = {.kind = wb_axisFree};
    if (!wbFindClosest(pair, pair->shift, most, &axis.closest, &simplex))
        wbFindDepth(pair, &simplex, INFINITY, &axis.closest);
    return axis;
}

// The axis may become another one.
static void collide(const wbCorePair *pair, const wbPose *poseA, wbAxis *axis, double margin,
                    wbManifold *manifold) {
    wbContactPoints contacts;
    wbFindContactPoints(pair, axis, margin, &contacts);
    // what is round touches also beside the face
    const bool isLost =
        contacts.count == 0 || (getSkins(pair) > 0 && contacts.lost > SLACK * getThickness(pair));
    if (axis->kind != wb_axisFree && isLost) {
        *axis = findNearestAxis(pair, margin + getSkins(pair));
        if (axis->closest.isBeyond) return;
        wbFindContactPoints(pair, axis, margin, &contacts);
    }
    writeManifold(&contacts, axis->closest.normal, poseA, manifold);
}

// How a core touches along a direction of its own frame.
typedef enum Roundness { isFlat, isRound, isRim } Roundness;

static Roundness getRoundness(const wbCore *core, wbVec3d d) {
    if (core->kind == wb_corePoint || core->kind == wb_coreSegment) return isRound;
    if (core->kind != wb_coreCylinder || fabs(d.y) >= ON_END) return isFlat;
    return fabs(d.y) <= ON_SIDE ? isRound : isRim;
}

static float getSkin(const wbCore *core, Roundness roundness) {
    return (float)(core->kind == wb_coreCylinder && roundness == isRound ? core->size[0] : core->skin);
}

// Where two round sides meet, or a rim, points that turn with pieces would not be those that touch. Balls are
// found as quickly as they are followed.
static wbCollideHold holdContact(const wbCorePair *pair, const wbAxis *axis) {
    const wbVec3d normal = axis->closest.normal;
    const Roundness a = axis->kind == wb_axisFaceA ? isFlat : getRoundness(pair->a, normal),
                    b = axis->kind == wb_axisFaceB ? isFlat
                                                   : getRoundness(pair->b, wbCorePair_TurnBack(pair, normal));
    const bool rolls = a == isRim || b == isRim || (a == isRound && b == isRound);
    const double way = hasBall(pair) ? 0 : (rolls ? ROLLING : STILL) * getThickness(pair);
    const bool isOfFirst = axis->kind == wb_axisFaceA || (axis->kind == wb_axisFree && b != isFlat);
    return (wbCollideHold){
        (float)way, (float)pair->a->reach, {getSkin(pair->a, a), getSkin(pair->b, b)}, isOfFirst};
}

wbCollideHold wbCollidePieces(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                              const wbPose *poseB, float margin, wbManifold *manifold) {
    wbCollideHold hold;
    if (collideBall(a, poseA, b, poseB, margin, manifold, &hold)) return hold;
    const wbCore coreA = wbMakeCore(a), coreB = wbMakeCore(b);
    const wbCorePair pair = wbMakeCorePair(&coreA, poseA, &coreB, poseB);
    const double most = margin + getSkins(&pair);
    manifold->count = 0;
    wbAxis axis = wbFindAxis(&pair, most);
    if (axis.kind != wb_axisNone && axis.closest.separation <= most)
        collide(&pair, poseA, &axis, margin, manifold);
    if (manifold->count > 0) return holdContact(&pair, &axis);
    return (wbCollideHold){.way = (float)fmax(axis.closest.separation - most, 0),
                           .reach = (float)coreA.reach};
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
