// SPDX-License-Identifier: MIT
// Continuous collision: when two pieces first touch on their ways. Along the direction in which they are nearest, the way is cut where
// the point that ends up deepest touches, until none is too deep (Catto 2013); then they are asked anew where they are nearest. What
// rests on one end slides and tips over meanwhile, since only points that do come nearer count.
#include <math.h>

#include "rigid/closest.h"
#include "rigid/manifold.h"
#include "shape/shape.h"

enum { MOST_STEPS = 128, MOST_CUTS = 32, MOST_HALVINGS = 40 };
// rad: how far pieces turn at once at most, or what dips and comes back would not be seen.
static const double mostTurn = 0.5;

// A piece on its way: straight on, and turning evenly about an axis that stays.
typedef struct Sweep {
    const wbPose *from, *to;
    double way[3];      // m
    double rotation[4]; // of `to`, on the shorter way around
    double angle;       // of half the turn
    double reach;       // m, of any point from the origin
} Sweep;

static Sweep makeSweep(const wbPose *from, const wbPose *to, double reach) {
    Sweep sweep = {.from = from, .to = to, .reach = reach};
    double cosine = 0;
    for (int k = 0; k < 3; k++) sweep.way[k] = (double)to->position[k] - from->position[k];
    for (int k = 0; k < 4; k++) cosine += (double)from->rotation[k] * to->rotation[k];
    for (int k = 0; k < 4; k++) sweep.rotation[k] = cosine < 0 ? -to->rotation[k] : to->rotation[k];
    sweep.angle = acos(fmin(1, fabs(cosine)));
    return sweep;
}

static wbPose getPose(const Sweep *sweep, double t) {
    wbPose pose;
    const double sine = sin(sweep->angle);
    const double a = sine > 1e-6 ? sin((1 - t) * sweep->angle) / sine : 1 - t,
                 b = sine > 1e-6 ? sin(t * sweep->angle) / sine : t;
    double q[4], length2 = 0;
    for (int k = 0; k < 3; k++) pose.position[k] = (float)(sweep->from->position[k] + t * sweep->way[k]);
    for (int k = 0; k < 4; k++) {
        q[k] = a * sweep->from->rotation[k] + b * sweep->rotation[k];
        length2 += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) pose.rotation[k] = (float)(q[k] / sqrt(length2));
    return pose;
}

typedef struct Gap {
    double separation; // m, with skins
    wbVec3d normal;    // of the world, from the first to the second
    wbVec3d point;     // m, of the first's core in the world
} Gap;

// `b` NULL: a plane.
static Gap findGap(const wbCore *a, const wbPose *poseA, const wbCore *b, const wbPose *poseB) {
    if (!b) {
        const wbCorePair pair = wbMakeCorePair(NULL, poseB, a, poseA);
        const wbVec3d lowest = wbCorePair_SupportB(&pair, (wbVec3d){0, -1, 0});
        return (Gap){lowest.y - a->skin, wbPose_Rotate3d(poseB, 1, (wbVec3d){0, -1, 0}),
                     wbPose_Apply3d(poseB, lowest)};
    }
    const wbCorePair pair = wbMakeCorePair(a, poseA, b, poseB);
    wbClosest closest;
    wbSimplex simplex;
    const wbVec3d guess = wbDot3d(pair.shift, pair.shift) > 0 ? pair.shift : (wbVec3d){0, 1, 0};
    if (!wbFindClosest(&pair, guess, INFINITY, &closest, &simplex))
        wbFindDepth(&pair, &simplex, INFINITY, &closest);
    return (Gap){closest.separation - a->skin - b->skin, wbPose_Rotate3d(poseA, 1, closest.normal),
                 wbPose_Apply3d(poseA, closest.onA)};
}

// Two pieces on their ways. `b` NULL: a plane.
typedef struct Meeting {
    const wbCore *a, *b;
    const Sweep *sweepA, *sweepB;
    double slop; // m
} Meeting;

// Points of both pieces, in their own frames, and a direction from the first to the second in the second's.
typedef struct Witness {
    wbVec3d a, b, normal;
} Witness;

// m, between two points, after a share of the way.
static double getSeparation(const Meeting *meeting, const Witness *witness, double t) {
    const wbPose poseA = getPose(meeting->sweepA, t), poseB = getPose(meeting->sweepB, t);
    const wbVec3d a = wbPose_ApplyInverse3d(&poseB, wbPose_Apply3d(&poseA, witness->a));
    const double skins = meeting->a->skin + (meeting->b ? meeting->b->skin : 0);
    return wbDot3d(witness->normal, wbSub3d(witness->b, a)) - skins;
}

// The points that are deepest along the direction.
static void findDeepest(const Meeting *meeting, double t, Witness *witness) {
    const wbPose poseA = getPose(meeting->sweepA, t), poseB = getPose(meeting->sweepB, t);
    const wbVec3d world = wbPose_Rotate3d(&poseB, 1, witness->normal);
    witness->a = wbCore_Support(meeting->a, wbPose_Rotate3d(&poseA, -1, world));
    if (meeting->b) witness->b = wbCore_Support(meeting->b, wbScale3d(-1, witness->normal));
}

// Where two points that are farther apart than `target` at first, and nearer at last, are just that far.
static double findCrossing(const Meeting *meeting, const Witness *witness, double first, double last,
                           double target) {
    double t = last;
    for (int n = 0; n < MOST_HALVINGS; n++) {
        t = 0.5 * (first + last);
        const double off = getSeparation(meeting, witness, t) - target;
        if (fabs(off) <= 0.1 * meeting->slop) break;
        if (off > 0)
            first = t;
        else
            last = t;
    }
    return t;
}

// How far they can go on from t along one direction, `last` at most.
static double goOn(const Meeting *meeting, wbVec3d normal, double t, double last, double target) {
    const wbPose poseB = getPose(meeting->sweepB, t);
    Witness witness = {.normal = wbPose_Rotate3d(&poseB, -1, normal)};
    for (int n = 0; n < MOST_CUTS; n++) {
        findDeepest(meeting, last, &witness);
        if (getSeparation(meeting, &witness, last) >= target - 0.2 * meeting->slop) break;
        last = findCrossing(meeting, &witness, t, last, target);
    }
    return last;
}

// Looks no farther than the impact says that is known already.
static void findImpact(const Meeting *meeting, wbImpact *impact) {
    const double turn = 2 * fmax(meeting->sweepA->angle, meeting->sweepB->angle), slop = meeting->slop,
                 most = impact->share;
    double t = 0, target = 0;
    for (int step = 0; step < MOST_STEPS; step++) {
        const wbPose poseA = getPose(meeting->sweepA, t), poseB = getPose(meeting->sweepB, t);
        const Gap gap = findGap(meeting->a, &poseA, meeting->b, &poseB);
        // halfway between what is allowed; those that touch already may still slide
        if (step == 0) target = gap.separation > slop ? 0.5 * slop : gap.separation - slop;
        const bool isNear = step > 0 && gap.separation <= target + 0.5 * slop;
        if (isNear || step == MOST_STEPS - 1) {
            *impact = (wbImpact){(float)t, gap.point, gap.normal};
            return;
        }
        t = goOn(meeting, gap.normal, t, turn > 0 ? fmin(most, t + mostTurn / turn) : most, target);
        if (t >= most) return;
    }
}

// Meshes

// A box around the way of a piece in the mesh's frame: a straight way and what turning adds to it.
static BroadBox boundSweep(const Sweep *a, const Sweep *mesh) {
    const wbPose *poses[2][2] = {{a->from, mesh->from}, {a->to, mesh->to}};
    BroadBox box;
    double far = 0;
    for (int end = 0; end < 2; end++) {
        const float *p = poses[end][0]->position;
        const wbVec3d at = wbPose_ApplyInverse3d(poses[end][1], (wbVec3d){p[0], p[1], p[2]});
        const float x[3] = {(float)at.x, (float)at.y, (float)at.z};
        far = fmax(far, sqrt(wbDot3d(at, at)));
        for (int k = 0; k < 3; k++) {
            box.min[k] = end && box.min[k] < x[k] ? box.min[k] : x[k];
            box.max[k] = end && box.max[k] > x[k] ? box.max[k] : x[k];
        }
    }
    // the way bends away from its chord where the mesh turns
    const float more = (float)(a->reach + far * (1 - cos(fmin(mesh->angle, 1.5))) * 1.001);
    for (int k = 0; k < 3; k++) box.min[k] -= more, box.max[k] += more;
    return box;
}

static bool isBehind(const ShapeTriangle *t, wbVec3d point) {
    return wbDot3d(wbToDouble(t->normal), wbSub3d(point, wbToDouble(t->corners[0]))) <= 0;
}

static void findMeshImpact(const wbCore *a, const Sweep *sweepA, const wbShape *shape, const wbPose *from,
                           const wbPose *to, double slop, wbImpact *impact) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const Sweep sweep = makeSweep(from, to, tree->radius + sqrtf(wbDot(tree->centre, tree->centre)));
    const BroadBox box = boundSweep(sweepA, &sweep);
    const wbVec3d centre = wbPose_ApplyInverse3d(from, wbPose_Apply3d(sweepA->from, a->centre));
    for (int i = 0; i < tree->nodeCount;) {
        const ShapeNode *node = &tree->nodes[i];
        bool isApart = false;
        for (int k = 0; k < 3; k++)
            isApart = isApart || node->min[k] > box.max[k] || node->max[k] < box.min[k];
        for (int t = node->first; !isApart && t < node->first + node->count; t++) {
            if (isBehind(&tree->triangles[t], centre)) continue;
            const wbCore triangle = wbMakeTriangleCore(tree->triangles[t].corners);
            const Meeting meeting = {a, &triangle, sweepA, &sweep, slop};
            findImpact(&meeting, impact);
        }
        i = isApart ? node->skip : i + 1;
    }
}

wbImpact wbFindImpact(const wbRigidPiece *a, const wbPose *fromA, const wbPose *toA, const wbRigidPiece *b,
                      const wbPose *fromB, const wbPose *toB, float slop) {
    const wbCore core = wbMakeCore(a);
    const Sweep sweepA = makeSweep(fromA, toA, core.reach);
    wbImpact impact = {.share = 1};
    if (b->kind == wb_pieceMesh) {
        findMeshImpact(&core, &sweepA, b->shape, fromB, toB, slop, &impact);
        return impact;
    }
    const bool isPlane = b->kind == wb_piecePlane;
    const wbCore other = isPlane ? (wbCore){.reach = INFINITY} : wbMakeCore(b);
    const Sweep sweepB = makeSweep(fromB, toB, other.reach);
    const Meeting meeting = {&core, isPlane ? NULL : &other, &sweepA, &sweepB, slop};
    findImpact(&meeting, &impact);
    return impact;
}
