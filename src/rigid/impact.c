// SPDX-License-Identifier: MIT
// Continuous collision by conservative advancement (Mirtich 1996): pieces go on by what they surely can
// without touching, until they are near enough.
#include <math.h>

#include "rigid/closest.h"
#include "rigid/manifold.h"
#include "shape/shape.h"

enum { MOST_STEPS = 128 };

// A piece on its way: straight on, and turning evenly about an axis that stays.
typedef struct Sweep {
    const wbPose *from, *to;
    double way[3];      // m
    double rotation[4]; // of `to`, on the shorter way around
    double angle;       // of half the turn
    wbVec3d axis;       // of the turn, in the world
    double reach;       // m, of any point from the origin
    double coreReach;   // m, the same of its core
    double wobble;      // m per radian of the turn: the most that any tangent plane of it moves
} Sweep;

// The turn's axis in the piece's own frame, times the sine of half the turn.
static wbVec3d findTurn(const float p[4], const double q[4]) {
    return (wbVec3d){p[3] * q[0] - q[3] * p[0] - (p[1] * q[2] - p[2] * q[1]),
                     p[3] * q[1] - q[3] * p[1] - (p[2] * q[0] - p[0] * q[2]),
                     p[3] * q[2] - q[3] * p[2] - (p[0] * q[1] - p[1] * q[0])};
}

// Only the core's points count: the skin is as thick in any direction. What is round about y moves only as far as its axis leans.
static void boundTurn(Sweep *sweep, const wbCore *core, wbVec3d axis) {
    const bool isRound = core->kind == wb_coreSegment || core->kind == wb_coreCylinder;
    sweep->coreReach = core->reach - core->skin;
    sweep->wobble = isRound ? sweep->coreReach * hypot(axis.x, axis.z) : sweep->coreReach;
}

// `core` NULL: nothing but the reach is known.
static Sweep makeSweep(const wbPose *from, const wbPose *to, const wbCore *core, double reach) {
    Sweep sweep = {.from = from, .to = to, .reach = reach, .coreReach = reach, .wobble = reach};
    double cosine = 0;
    for (int k = 0; k < 3; k++) sweep.way[k] = (double)to->position[k] - from->position[k];
    for (int k = 0; k < 4; k++) cosine += (double)from->rotation[k] * to->rotation[k];
    for (int k = 0; k < 4; k++) sweep.rotation[k] = cosine < 0 ? -to->rotation[k] : to->rotation[k];
    const wbVec3d turn = findTurn(from->rotation, sweep.rotation);
    const double sine = sqrt(wbDot3d(turn, turn));
    sweep.angle = atan2(sine, fabs(cosine));
    if (sine > 0) {
        const wbVec3d axis = wbScale3d(1 / sine, turn);
        sweep.axis = wbPose_Rotate3d(from, 1, axis);
        if (core) boundTurn(&sweep, core, axis);
    }
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

// How far its farthest point along a direction gets that way, at most, at the pace of the whole way: (turn x r) n = r (n x turn).
static double getAdvance(const Sweep *sweep, wbVec3d direction) {
    const wbVec3d lever = wbCross3d(direction, sweep->axis);
    return sweep->way[0] * direction.x + sweep->way[1] * direction.y + sweep->way[2] * direction.z +
           2 * sweep->angle * fmin(sqrt(wbDot3d(lever, lever)) * sweep->coreReach, sweep->wobble);
}

typedef struct Gap {
    double separation; // m, with skins
    wbVec3d normal;    // of the world, from the first to the second
} Gap;

// `b` NULL: a plane.
static Gap findGap(const wbCore *a, const wbPose *poseA, const wbCore *b, const wbPose *poseB) {
    if (!b) {
        const wbCorePair pair = wbMakeCorePair(NULL, poseB, a, poseA);
        const double height = wbCorePair_SupportB(&pair, (wbVec3d){0, -1, 0}).y;
        return (Gap){height - a->skin, wbPose_Rotate3d(poseB, 1, (wbVec3d){0, -1, 0})};
    }
    const wbCorePair pair = wbMakeCorePair(a, poseA, b, poseB);
    wbClosest closest;
    wbSimplex simplex;
    const wbVec3d guess = wbDot3d(pair.shift, pair.shift) > 0 ? pair.shift : (wbVec3d){0, 1, 0};
    if (!wbFindClosest(&pair, guess, INFINITY, &closest, &simplex))
        wbFindDepth(&pair, &simplex, INFINITY, &closest);
    return (Gap){closest.separation - a->skin - b->skin, wbPose_Rotate3d(poseA, 1, closest.normal)};
}

// Looks no farther than a share `most` of the way.
static double findImpact(const wbCore *a, const Sweep *sweepA, const wbCore *b, const Sweep *sweepB,
                         double slop, double most) {
    double t = 0, target = 0;
    for (int step = 0; step < MOST_STEPS; step++) {
        const wbPose poseA = getPose(sweepA, t), poseB = getPose(sweepB, t);
        const Gap gap = findGap(a, &poseA, b, &poseB);
        // halfway between what is allowed; those that touch already may still slide
        if (step == 0) target = gap.separation > slop ? 0.5 * slop : gap.separation - slop;
        if (step > 0 && gap.separation <= target + 0.5 * slop) return t;
        const double speed = getAdvance(sweepA, gap.normal) + getAdvance(sweepB, wbScale3d(-1, gap.normal));
        if (speed <= 0) return most;
        t += (gap.separation - target) / speed;
        if (t >= most) return most;
    }
    return t;
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

static double findMeshImpact(const wbCore *a, const Sweep *sweepA, const wbShape *shape, const wbPose *from,
                             const wbPose *to, double slop) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const Sweep sweep = makeSweep(from, to, NULL, tree->radius + sqrtf(wbDot(tree->centre, tree->centre)));
    const BroadBox box = boundSweep(sweepA, &sweep);
    const wbVec3d centre = wbPose_ApplyInverse3d(from, wbPose_Apply3d(sweepA->from, a->centre));
    double first = 1;
    for (int i = 0; i < tree->nodeCount;) {
        const ShapeNode *node = &tree->nodes[i];
        bool isApart = false;
        for (int k = 0; k < 3; k++)
            isApart = isApart || node->min[k] > box.max[k] || node->max[k] < box.min[k];
        for (int t = node->first; !isApart && t < node->first + node->count; t++) {
            if (isBehind(&tree->triangles[t], centre)) continue;
            const wbCore triangle = wbMakeTriangleCore(tree->triangles[t].corners);
            first = findImpact(a, sweepA, &triangle, &sweep, slop, first);
        }
        i = isApart ? node->skip : i + 1;
    }
    return first;
}

float wbFindTimeOfImpact(const wbRigidPiece *a, const wbPose *fromA, const wbPose *toA, const wbRigidPiece *b,
                         const wbPose *fromB, const wbPose *toB, float slop) {
    const wbCore core = wbMakeCore(a);
    const Sweep sweepA = makeSweep(fromA, toA, &core, core.reach);
    if (b->kind == wb_pieceMesh) return (float)findMeshImpact(&core, &sweepA, b->shape, fromB, toB, slop);
    if (b->kind == wb_piecePlane) {
        // a plane that turns is as fast as it is far below the piece
        const wbVec3d away = {(double)fromA->position[0] - fromB->position[0],
                              (double)fromA->position[1] - fromB->position[1],
                              (double)fromA->position[2] - fromB->position[2]};
        const Sweep sweep = makeSweep(fromB, toB, NULL, sqrt(wbDot3d(away, away)) + core.reach);
        return (float)findImpact(&core, &sweepA, NULL, &sweep, slop, 1);
    }
    const wbCore other = wbMakeCore(b);
    const Sweep sweepB = makeSweep(fromB, toB, &other, other.reach);
    return (float)findImpact(&core, &sweepA, &other, &sweepB, slop, 1);
}
