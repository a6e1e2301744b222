// SPDX-License-Identifier: MIT
// Questions about single pieces: rays, nearest points, overlaps.
#include <math.h>

#include "rigid/collide.h"
#include "shape/shape.h"

// Rays: all in the piece's frame, in double

typedef struct Ray {
    wbVec3d origin, way;
    double enter, leave; // shares of the way between which it is inside, so far
    wbVec3d normal;      // where it enters
} Ray;

// Inside of a half space: normal · x <= offset. False: it misses.
static bool cutByPlane(Ray *ray, wbVec3d normal, double offset) {
    const double start = wbDot3d(normal, ray->origin) - offset, speed = wbDot3d(normal, ray->way);
    if (speed == 0) return start <= 0;
    const double at = -start / speed;
    if (speed < 0 && at > ray->enter) ray->enter = at, ray->normal = normal;
    if (speed > 0 && at < ray->leave) ray->leave = at;
    return ray->enter <= ray->leave;
}

// |x - centre|, without its part along y if it is a tube, is at most a radius.
static bool cutByRound(Ray *ray, wbVec3d centre, double radius, bool isTube) {
    wbVec3d from = wbSub3d(ray->origin, centre), way = ray->way;
    if (isTube) from.y = 0, way.y = 0;
    const double a = wbDot3d(way, way), b = wbDot3d(from, way), c = wbDot3d(from, from) - radius * radius;
    if (a == 0) return c <= 0;
    // from the point of the way nearest to the centre on: long ways lose no digits
    const wbVec3d nearest = wbAddScaled3d(from, -b / a, way);
    const double rest = radius * radius - wbDot3d(nearest, nearest);
    if (rest < 0) return false;
    const double half = sqrt(rest / a), enter = -b / a - half, leave = -b / a + half;
    if (enter > ray->enter) {
        const wbVec3d out = wbAddScaled3d(from, enter, way);
        ray->enter = enter, ray->normal = wbScale3d(1 / radius, out);
    }
    if (leave < ray->leave) ray->leave = leave;
    return ray->enter <= ray->leave;
}

static bool cutByFaces(Ray *ray, const wbCore *core) {
    for (int f = 0; f < wbCore_CountFaces(core); f++) {
        const wbCoreFace face = wbCore_GetFace(core, f);
        if (!cutByPlane(ray, face.normal, face.offset)) return false;
    }
    return true;
}

// The union of two balls and a tube: whichever is entered first. Where it begins inside of one it is inside.
static bool cutByCapsule(Ray *ray, const wbCore *core) {
    const double half = core->kind == wb_coreSegment ? core->size[1] : 0;
    Ray best = *ray;
    bool isHit = false;
    for (int part = 0; part < 3; part++) {
        Ray r = *ray;
        bool meets = part == 2 ? half > 0 && cutByRound(&r, (wbVec3d){0, 0, 0}, core->skin, true) &&
                                     cutByPlane(&r, (wbVec3d){0, 1, 0}, half) &&
                                     cutByPlane(&r, (wbVec3d){0, -1, 0}, half)
                               : cutByRound(&r, (wbVec3d){0, part ? half : -half, 0}, core->skin, false);
        meets = meets && r.leave >= 0;
        if (meets && (!isHit || r.enter < best.enter)) best = r;
        isHit = isHit || meets;
    }
    *ray = best;
    return isHit;
}

static bool castAtCore(Ray *ray, const wbCore *core) {
    if (core->skin > 0) return cutByCapsule(ray, core);
    if (core->kind == wb_coreCylinder && !cutByRound(ray, (wbVec3d){0, 0, 0}, core->size[0], true))
        return false;
    return cutByFaces(ray, core);
}

// The surface of a mesh is one of triangles: behind one is inside.
static bool castAtMesh(Ray *ray, const wbShape *shape) {
    const wbShapeHit hit = wbShape_CastRay(shape, ray->origin, ray->way, 1);
    if (hit.triangle < 0) return false;
    ray->normal = wbToDouble(wbShape_GetTree(shape)->triangles[hit.triangle].normal);
    ray->enter = wbDot3d(ray->normal, ray->way) < 0 ? hit.fraction : -1;
    return true;
}

bool wbRigidPiece_CastRay(const wbRigidPiece *piece, const wbPose *pose, wbVec3 origin, wbVec3 translation,
                          float *fraction, wbVec3 *normal) {
    Ray ray = {.origin = wbPose_ApplyInverse3d(pose, wbToDouble(origin)),
               .way = wbPose_Rotate3d(pose, -1, wbToDouble(translation)),
               .enter = -INFINITY,
               .leave = INFINITY};
    bool isHit;
    if (piece->kind == wb_piecePlane) {
        isHit = cutByPlane(&ray, (wbVec3d){0, 1, 0}, 0);
    } else if (piece->kind == wb_pieceMesh) {
        isHit = castAtMesh(&ray, piece->shape);
    } else {
        const wbCore core = wbMakeCore(piece);
        isHit = castAtCore(&ray, &core);
    }
    if (!isHit || ray.leave < 0 || ray.enter > 1) return false;
    *fraction = (float)fmax(ray.enter, 0);
    if (ray.enter >= 0) {
        *normal = wbToFloat(wbPose_Rotate3d(pose, 1, ray.normal));
    } else {
        const double length = sqrt(wbDot3d(ray.way, ray.way));
        *normal = length > 0 ? wbScale((float)(-1 / length), translation) : wbMakeVec3(0, 1, 0);
    }
    return true;
}

// Nearest points: of the core, in its frame

typedef struct Nearest {
    wbVec3d point, normal;
    double distance; // negative inside
} Nearest;

static Nearest makeNearest(wbVec3d from, wbVec3d point, wbVec3d normal, double sign) {
    const wbVec3d way = wbSub3d(from, point);
    const double distance = sqrt(wbDot3d(way, way));
    if (distance > 0) normal = wbScale3d(sign / distance, way);
    return (Nearest){point, normal, sign * distance};
}

static Nearest findOnCapsule(const wbCore *core, wbVec3d p) {
    const double half = core->kind == wb_coreSegment ? core->size[1] : 0;
    const wbVec3d axis = {0, fmin(fmax(p.y, -half), half), 0};
    const wbVec3d side = half > 0 ? (wbVec3d){1, 0, 0} : (wbVec3d){0, 1, 0};
    Nearest nearest = makeNearest(p, axis, side, 1);
    nearest.point = wbAddScaled3d(axis, core->skin, nearest.normal);
    nearest.distance -= core->skin;
    return nearest;
}

static Nearest findOnCylinder(const wbCore *core, wbVec3d p) {
    const double r = core->size[0], h = core->size[1], flat = sqrt(p.x * p.x + p.z * p.z);
    const double up = p.y < 0 ? -1 : 1, beyond = fabs(p.y) - h, beside = flat - r;
    const wbVec3d out = flat > 0 ? (wbVec3d){p.x / flat, 0, p.z / flat} : (wbVec3d){1, 0, 0},
                  end = {0, up, 0};
    if (beyond > 0 || beside > 0) {
        wbVec3d q = p;
        if (beside > 0) q.x = r * out.x, q.z = r * out.z;
        if (beyond > 0) q.y = up * h;
        return makeNearest(p, q, beyond > beside ? end : out, 1);
    }
    if (beyond > beside) return (Nearest){{p.x, up * h, p.z}, end, beyond};
    return (Nearest){{r * out.x, p.y, r * out.z}, out, beside};
}

// Below all faces the nearest is the one that is least below; otherwise it is what the two cores are apart.
static Nearest findOnFaces(const wbCore *core, wbVec3d p) {
    Nearest best = {.distance = -INFINITY};
    for (int f = 0; f < wbCore_CountFaces(core); f++) {
        const wbCoreFace face = wbCore_GetFace(core, f);
        const double height = wbDot3d(face.normal, p) - face.offset;
        if (height > best.distance)
            best = (Nearest){wbAddScaled3d(p, -height, face.normal), face.normal, height};
    }
    if (best.distance <= 0) return best;
    const wbCore point = {.kind = wb_corePoint};
    const wbCorePair pair = {.a = core, .b = &point, .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .shift = p};
    wbClosest closest;
    wbSimplex simplex;
    if (!wbFindClosest(&pair, p, INFINITY, &closest, &simplex)) return best;
    return (Nearest){closest.onA, closest.normal, closest.separation};
}

static Nearest findOnMesh(const wbShape *shape, wbVec3d p) {
    const wbSurface surface = wbShape_FindSurface(shape, wbToFloat(p));
    return (Nearest){wbToDouble(surface.nearest), wbToDouble(surface.gradient), surface.distance};
}

static Nearest findOnPiece(const wbRigidPiece *piece, wbVec3d p) {
    if (piece->kind == wb_piecePlane) return (Nearest){{p.x, 0, p.z}, {0, 1, 0}, p.y};
    if (piece->kind == wb_pieceMesh) return findOnMesh(piece->shape, p);
    const wbCore core = wbMakeCore(piece);
    if (core.skin > 0) return findOnCapsule(&core, p);
    return core.kind == wb_coreCylinder ? findOnCylinder(&core, p) : findOnFaces(&core, p);
}

float wbRigidPiece_FindNearest(const wbRigidPiece *piece, const wbPose *pose, wbVec3 point, wbVec3 *nearest,
                               wbVec3 *normal) {
    const Nearest found = findOnPiece(piece, wbPose_ApplyInverse3d(pose, wbToDouble(point)));
    *nearest = wbToFloat(wbPose_Apply3d(pose, found.point));
    *normal = wbToFloat(wbPose_Rotate3d(pose, 1, found.normal));
    return (float)found.distance;
}

// Overlaps

static bool areNear(const wbCorePair *pair, double distance) {
    wbClosest closest;
    wbSimplex simplex;
    const double most = distance + pair->b->skin + (pair->a ? pair->a->skin : 0);
    const wbVec3d guess = wbDot3d(pair->shift, pair->shift) > 0 ? pair->shift : (wbVec3d){0, 1, 0};
    if (!wbFindClosest(pair, guess, most, &closest, &simplex)) return true;
    return !closest.isBeyond && closest.separation <= most;
}

static bool isNearTriangles(const wbShapeTree *tree, wbCorePair *pair, const BroadBox *box, double distance) {
    for (int i = 0; i < tree->nodeCount;) {
        const ShapeNode *node = &tree->nodes[i];
        bool isApart = false;
        for (int k = 0; k < 3; k++)
            isApart =
                isApart || node->min[k] > box->max[k] + distance || node->max[k] < box->min[k] - distance;
        for (int t = node->first; !isApart && t < node->first + node->count; t++) {
            const wbCore triangle = wbMakeTriangleCore(tree->triangles[t].corners);
            pair->a = &triangle;
            if (areNear(pair, distance)) return true;
        }
        i = isApart ? node->skip : i + 1;
    }
    return false;
}

static bool isNearMesh(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *mesh,
                       const wbPose *poseMesh, double distance) {
    const wbCore core = wbMakeCore(a);
    wbCorePair pair = wbMakeCorePair(NULL, poseMesh, &core, poseA);
    const wbPose inverse = wbPose_Invert(poseMesh), relative = wbPose_Multiply(&inverse, poseA);
    const wbRigidPiece alone = {.kind = a->kind,
                                .pose = wb_poseAtOrigin,
                                .size = {a->size[0], a->size[1], a->size[2]},
                                .hull = a->hull};
    const BroadBox box = wbRigidPiece_Bound(&alone, &relative);
    if (isNearTriangles(wbShape_GetTree(mesh->shape), &pair, &box, distance)) return true;
    // it is all inside or all outside
    const wbVec3d centre = wbAdd3d(wbCorePair_Turn(&pair, core.centre), pair.shift);
    return wbShape_FindSurface(mesh->shape, wbToFloat(centre)).distance < 0;
}

static bool isGround(const wbRigidPiece *piece) {
    return piece->kind == wb_piecePlane || piece->kind == wb_pieceMesh;
}

bool wbRigidPiece_Overlaps(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *b,
                           const wbPose *poseB, float distance) {
    if (isGround(a) && isGround(b)) return false;
    if (isGround(a)) return wbRigidPiece_Overlaps(b, poseB, a, poseA, distance);
    if (b->kind == wb_pieceMesh) return isNearMesh(a, poseA, b, poseB, distance);
    const wbCore coreA = wbMakeCore(a);
    if (b->kind == wb_piecePlane) {
        const wbCorePair pair = wbMakeCorePair(NULL, poseB, &coreA, poseA);
        return wbCorePair_SupportB(&pair, (wbVec3d){0, -1, 0}).y - coreA.skin <= distance;
    }
    const wbCore coreB = wbMakeCore(b);
    const wbCorePair pair = wbMakeCorePair(&coreA, poseA, &coreB, poseB);
    return areNear(&pair, distance);
}
