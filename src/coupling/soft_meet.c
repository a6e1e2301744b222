// SPDX-License-Identifier: MIT
// Where a particle or a triangle meets a piece of a rigid body in a sub-step: the geometry of soft contacts.
#include <math.h>

#include "coupling/soft_contact.h"
#include "rigid/closest.h"
#include "rigid/manifold.h"

static const wbPushedBody *getBody(const wbSoftContacts *contacts, const wbPushedPiece *piece) {
    return wbSoftContacts_GetBody(contacts, piece->body);
}

static bool isTied(const wbSoftContacts *contacts, int particle, const wbPushedPiece *piece) {
    return contacts->tied && contacts->tied[particle] == getBody(contacts, piece)->row;
}

// A point of the piece, in its frame, and the soft point that it is to keep away from it along a normal of the world.
static void setBodySide(const wbSoftContacts *contacts, const wbPushedPiece *piece, wbVec3d onPiece,
                        wbVec3d normal, wbVec3d softStart, wbSoftContact *contact) {
    const float *p = getBody(contacts, piece)->end.position;
    const wbVec3d from = wbPose_Apply3d(&piece->start, onPiece), to = wbPose_Apply3d(&piece->end, onPiece),
                  centre = {p[0], p[1], p[2]};
    contact->body = piece->body, contact->normal = normal;
    contact->arm = wbSub3d(to, centre), contact->shift = wbSub3d(to, from);
    contact->height = wbDot3d(normal, wbSub3d(softStart, to)) - (double)contacts->radius;
}

// Particles

typedef struct Nearest {
    wbVec3d point, normal; // in the piece's frame
    double distance;
} Nearest;

static Nearest findNearest(const wbRigidPiece *piece, wbVec3d place) {
    wbVec3 point, normal;
    const double distance =
        (double)wbRigidPiece_FindNearest(piece, &wb_poseAtOrigin, wbToFloat(place), &point, &normal);
    return (Nearest){wbToDouble(point), wbToDouble(normal), distance};
}

static double getLength(wbVec3d v) { return sqrt(wbDot3d(v, v)); }

// What enters a piece, or goes right through a thin one, is held by the side that it came from.
static bool comesFrom(const Nearest *start, const Nearest *end, double length) {
    if (start->distance < 0) return false;
    return end->distance < 0 ||
           (wbDot3d(start->normal, end->normal) < 0 && start->distance + end->distance <= length);
}

bool wbMeetParticle(const wbSoftContacts *contacts, const float *records, int particle,
                    const wbPushedPiece *piece, wbSoftContact *contact) {
    if (isTied(contacts, particle, piece)) return false;
    const wbVec3d begin = wbGetRecordStart(records, particle),
                  after = wbAdd3d(begin, wbGetRecordWay(records, particle));
    const wbVec3d from = wbPose_ApplyInverse3d(&piece->start, begin),
                  to = wbPose_ApplyInverse3d(&piece->end, after);
    // corrections may lead it on, as with colliders: by a quarter of the radius, or half its way
    const double length = getLength(wbSub3d(to, from)),
                 reach = 1.25 * (double)contacts->radius + 0.5 * length;
    Nearest nearest = findNearest(piece->piece, to);
    if (nearest.distance > fmax(reach, length)) return false;
    if (nearest.distance <= length) {
        const Nearest before = findNearest(piece->piece, from);
        if (comesFrom(&before, &nearest, length)) nearest = before, nearest.distance = -length;
    }
    if (nearest.distance > reach) return false;
    *contact = (wbSoftContact){.particles = {particle, particle, particle}, .weights = {1}};
    setBodySide(contacts, piece, nearest.point, wbPose_Rotate3d(&piece->end, 1, nearest.normal), begin,
                contact);
    return true;
}

// Triangles: all in the piece's frame, where the sub-step begins

typedef struct Triangle {
    const int *particles;
    wbVec3d corners[3];
    wbVec3d normal; // of length 1
} Triangle;

// The weights of its corners at the foot of a point; false: it has no area.
static bool findWeights(const Triangle *t, wbVec3d p, double weights[3]) {
    const wbVec3d u = wbSub3d(t->corners[1], t->corners[0]), v = wbSub3d(t->corners[2], t->corners[0]),
                  w = wbSub3d(p, t->corners[0]), n = wbCross3d(u, v);
    const double area2 = wbDot3d(n, n);
    if (!(area2 > 0)) return false;
    weights[1] = wbDot3d(wbCross3d(w, v), n) / area2, weights[2] = wbDot3d(wbCross3d(u, w), n) / area2;
    weights[0] = 1 - weights[1] - weights[2];
    return true;
}

// One of its particles alone is met as a particle; what is beside the triangle is another's.
static bool isWithin(const double weights[3]) {
    const double whole = 1 - 1e-3;
    bool isInside = true;
    for (int m = 0; m < 3; m++) isInside &= weights[m] > -1e-6 && weights[m] < whole;
    return isInside;
}

static void setTriangle(const wbSoftContacts *contacts, const float *records, const Triangle *t,
                        const wbPushedPiece *piece, wbVec3d onPiece, wbVec3d normal, const double weights[3],
                        wbSoftContact *contact) {
    wbVec3d start = {0, 0, 0};
    *contact = (wbSoftContact){.body = -1};
    for (int m = 0; m < 3; m++) {
        contact->particles[m] = t->particles[m], contact->weights[m] = (float)fmax(weights[m], 0);
        start = wbAddScaled3d(start, (double)contact->weights[m], wbGetRecordStart(records, t->particles[m]));
    }
    setBodySide(contacts, piece, onPiece, wbPose_Rotate3d(&piece->start, 1, normal), start, contact);
}

// How near they are, in the piece's frame; false: farther apart than `most`.
static bool findClosest(const wbCore *core, const Triangle *t, double most, wbClosest *closest) {
    const wbVec3 corners[3] = {wbToFloat(t->corners[0]), wbToFloat(t->corners[1]), wbToFloat(t->corners[2])};
    const wbCore triangle = wbMakeTriangleCore(corners);
    const wbCorePair pair = {
        .a = core, .b = &triangle, .quaternion = {0, 0, 0, 1}, .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    wbSimplex simplex;
    if (!wbFindClosest(&pair, triangle.centre, most + core->skin, closest, &simplex))
        wbFindDepth(&pair, &simplex, INFINITY, closest);
    if (closest->isBeyond || closest->separation - core->skin > most) return false;
    closest->separation -= core->skin;
    closest->onA = wbAddScaled3d(closest->onA, core->skin, closest->normal);
    return true;
}

static int countCorners(const wbCore *core) {
    return core->kind == wb_coreBox ? 8 : core->kind == wb_coreCorners ? core->cornerCount : 0;
}

static wbVec3d getCorner(const wbCore *core, int k) {
    if (core->kind == wb_coreCorners) return wbToDouble(core->corners[k]);
    return (wbVec3d){k & 1 ? core->size[0] : -core->size[0], k & 2 ? core->size[1] : -core->size[1],
                     k & 4 ? core->size[2] : -core->size[2]};
}

// A corner of the piece before the triangle.
typedef struct Corner {
    wbVec3d place;
    double weights[3];
    double gap; // m
} Corner;

// Those that are nearest, so that a box that lies in one triangle lies on its corners; in the order of gaps.
static int findCorners(const wbCore *core, const Triangle *t, wbVec3d normal, double most,
                       const wbClosest *closest, Corner found[WB_TRIANGLE_CONTACTS - 1]) {
    int count = 0;
    for (int k = 0; k < countCorners(core); k++) {
        Corner corner = {.place = getCorner(core, k)};
        const wbVec3d apart = wbSub3d(corner.place, closest->onA);
        corner.gap = wbDot3d(normal, wbSub3d(t->corners[0], corner.place));
        const bool isNear = corner.gap <= most && corner.gap >= closest->separation - 1e-6 * core->reach;
        if (!isNear || wbDot3d(apart, apart) <= 1e-10 * core->reach * core->reach) continue;
        if (!findWeights(t, corner.place, corner.weights) || !isWithin(corner.weights)) continue;
        int at = count < WB_TRIANGLE_CONTACTS - 1 ? count++ : count;
        for (; at > 0 && found[at - 1].gap > corner.gap; at--)
            if (at < WB_TRIANGLE_CONTACTS - 1) found[at] = found[at - 1];
        if (at < WB_TRIANGLE_CONTACTS - 1) found[at] = corner;
    }
    return count;
}

static Triangle placeTriangle(const float *records, const int *particles, const wbPushedPiece *piece,
                              double *way) {
    Triangle t = {.particles = particles};
    *way = 0;
    for (int m = 0; m < 3; m++) {
        const wbVec3d start = wbGetRecordStart(records, particles[m]),
                      end = wbAdd3d(start, wbGetRecordWay(records, particles[m]));
        t.corners[m] = wbPose_ApplyInverse3d(&piece->start, start);
        *way = fmax(*way, getLength(wbSub3d(wbPose_ApplyInverse3d(&piece->end, end), t.corners[m])));
    }
    const wbVec3d n = wbCross3d(wbSub3d(t.corners[1], t.corners[0]), wbSub3d(t.corners[2], t.corners[0]));
    const double length = getLength(n);
    if (length > 0) t.normal = wbScale3d(1 / length, n);
    return t;
}

int wbMeetTriangle(const wbSoftContacts *contacts, const float *records, const int *particles,
                   const wbPushedPiece *piece, wbSoftContact found[WB_TRIANGLE_CONTACTS]) {
    const wbCore core = wbMakeCore(piece->piece);
    double way, weights[3];
    wbClosest closest;
    for (int m = 0; m < 3; m++)
        if (isTied(contacts, particles[m], piece)) return 0;
    const Triangle t = placeTriangle(records, particles, piece, &way);
    const double most = 1.25 * (double)contacts->radius + 1.5 * way;
    int count = 0;
    if (!findClosest(&core, &t, most, &closest)) return 0;
    if (findWeights(&t, closest.onB, weights) && isWithin(weights))
        setTriangle(contacts, records, &t, piece, closest.onA, closest.normal, weights, &found[count++]);
    // corners are before its face only if the piece is
    const double facing = wbDot3d(t.normal, closest.normal), sign = facing < 0 ? -1 : 1;
    if (fabs(facing) < 0.5) return count;
    Corner corners[WB_TRIANGLE_CONTACTS - 1];
    const wbVec3d normal = wbScale3d(sign, t.normal);
    const int cornerCount = findCorners(&core, &t, normal, most, &closest, corners);
    for (int k = 0; k < cornerCount; k++)
        setTriangle(contacts, records, &t, piece, corners[k].place, normal, corners[k].weights,
                    &found[count++]);
    return count;
}
