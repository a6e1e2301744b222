// SPDX-License-Identifier: MIT
// Pieces on planes and meshes. A mesh is felt from outside. Over edges that do not stand out only the
// triangles' own normals count, and over those that do only what is between the normals of both sides:
// nothing bumps against the inner edges of a floor.
#include <math.h>
#include <string.h>

#include "rigid/collide.h"
#include "shape/shape.h"

enum { MOST_CONTACTS = 512 };
// Bends (1 - cosine) below which an edge is flat, and above which it stands out.
#define FLAT       1e-8
#define STANDS_OUT 3e-3
// Shares of skin and thickness by which a point may be beside a triangle: between two that bend a little
// there is a gap.
#define BESIDE_SKIN 0.08
#define BESIDE      1e-4
// Share of the thickness beyond which the way out may be another than a triangle's normal.
#define DEEP 0.02
// Cosine of normals that share a manifold, and the share of the thickness within which two points are one.
#define SAME_NORMAL 0.97
#define SAME_PLACE  1e-3

typedef struct GroundContact {
    wbVec3d place, normal; // in the ground's frame, the normal towards the piece
    double separation;     // m
    uint32_t feature;
    int triangle; // of the tree
} GroundContact;

typedef struct Touch {
    wbCorePair pair; // the ground, or a triangle of it, and the piece
    const wbCore *core;
    double margin;
    wbVec3d centre;        // m, of the piece
    float min[3], max[3];  // m, around it
    wbFeature feature;     // of the piece that looks against featureNormal
    wbVec3d featureNormal; // 0: there is none yet
    wbVec3d lowest;        // m, its lowest point along that
    GroundContact contacts[MOST_CONTACTS];
    int count;
} Touch;

// Thinning out: contacts with about the same normal are one manifold

// Moves those of one group to the end of those that are done, the deepest of all first; returns where the
// group ends.
static int gatherGroup(Touch *touch, int done) {
    GroundContact *c = touch->contacts;
    int deepest = done, end = done;
    for (int i = done + 1; i < touch->count; i++)
        if (c[i].separation < c[deepest].separation) deepest = i;
    const wbVec3d normal = c[deepest].normal;
    for (int pass = 0; pass < 2; pass++)
        for (int i = end; i < touch->count; i++) {
            if (pass == 0 ? i != deepest : wbDot3d(c[i].normal, normal) < SAME_NORMAL) continue;
            const GroundContact kept = c[i];
            // the others keep their order
            memmove(&c[end + 1], &c[end], (size_t)(i - end) * sizeof *c);
            c[end++] = kept;
            if (pass == 0) break;
        }
    return end;
}

// Up to four of a group, at its beginning, no two of them at one place. A ball touches a plane in one.
static int thinGroup(const Touch *touch, GroundContact *group, int count) {
    const double near = SAME_PLACE * touch->core->thickness;
    wbContactPoints points;
    int chosen[WB_MANIFOLD_POINTS], keptCount = 0;
    GroundContact kept[WB_MANIFOLD_POINTS];
    if (touch->core->kind == wb_corePoint) return 1;
    points.count = count;
    for (int i = 0; i < count; i++)
        points.points[i] = (wbClipPoint){group[i].place, group[i].separation, group[i].feature};
    const int chosenCount = wbChooseContactPoints(&points, group->normal, chosen);
    for (int i = 0; i < chosenCount; i++) {
        kept[keptCount++] = group[chosen[i]];
        for (int k = 0; k < keptCount - 1; k++) {
            const wbVec3d way = wbSub3d(kept[k].place, group[chosen[i]].place);
            if (wbDot3d(way, way) > near * near) continue;
            keptCount--;
            break;
        }
    }
    memcpy(group, kept, (size_t)keptCount * sizeof *group);
    return keptCount;
}

// What is left are groups of up to four, whose sizes are returned in `groups` if there is room for them.
static int thinContacts(Touch *touch, int capacity, int *groups) {
    int done = 0, groupCount = 0;
    while (done < touch->count) {
        const int end = gatherGroup(touch, done), kept = thinGroup(touch, &touch->contacts[done], end - done);
        memmove(&touch->contacts[done + kept], &touch->contacts[end],
                (size_t)(touch->count - end) * sizeof *touch->contacts);
        touch->count -= end - done - kept;
        if (groupCount < capacity) groups[groupCount] = kept;
        groupCount++;
        done += kept;
    }
    return groupCount;
}

static void addContact(Touch *touch, GroundContact contact) {
    if (touch->count == MOST_CONTACTS) thinContacts(touch, 0, NULL);
    // a surface of needles: the last group is the least deep
    if (touch->count == MOST_CONTACTS) touch->count--;
    touch->contacts[touch->count++] = contact;
}

// Halfway between the surfaces: of the piece, a point of its core.
static void addHeight(Touch *touch, wbVec3d point, wbVec3d normal, double height, uint32_t feature,
                      int triangle) {
    const double skin = touch->core->skin, separation = height - skin;
    if (separation > touch->margin) return;
    addContact(touch, (GroundContact){wbAddScaled3d(point, -(height + skin) / 2, normal), normal, separation,
                                      feature, triangle});
}

// Faces

static void findFeature(Touch *touch, wbVec3d normal) {
    const wbVec3d kept = touch->featureNormal;
    if (kept.x == normal.x && kept.y == normal.y && kept.z == normal.z) return;
    wbFeature *f = &touch->feature;
    wbCore_GetFeature(touch->core, wbScale3d(-1, wbCorePair_TurnBack(&touch->pair, normal)), f);
    wbCorePair_MoveFeature(&touch->pair, f);
    touch->featureNormal = normal, touch->lowest = f->points[0];
    for (int i = 1; i < f->count; i++)
        if (wbDot3d(normal, wbSub3d(f->points[i], touch->lowest)) < 0) touch->lowest = f->points[i];
}

static void collidePlane(Touch *touch) {
    const wbVec3d up = {0, 1, 0};
    findFeature(touch, up);
    for (int i = 0; i < touch->feature.count; i++)
        addHeight(touch, touch->feature.points[i], up, touch->feature.points[i].y, touch->feature.names[i],
                  0);
}

static double getBeside(const ShapeTriangle *t, int k, wbVec3d point) {
    return wbDot3d(wbToDouble(t->inwards[k]), wbSub3d(point, wbToDouble(t->corners[k])));
}

static bool isOver(const Touch *touch, const ShapeTriangle *t, wbVec3d point) {
    const double slack = BESIDE_SKIN * touch->core->skin + BESIDE * touch->core->thickness;
    for (int k = 0; k < 3; k++)
        if (getBeside(t, k, point) < -slack) return false;
    return true;
}

// The piece's corners over a triangle.
static void collideCorners(Touch *touch, const ShapeTriangle *t, wbVec3d normal, int triangle) {
    const double corner = wbDot3d(normal, wbToDouble(t->corners[0])),
                 most = touch->margin + touch->core->skin;
    for (int i = 0; i < touch->feature.count; i++) {
        const wbVec3d p = touch->feature.points[i];
        const double height = wbDot3d(normal, p) - corner;
        if (height <= most && isOver(touch, t, p))
            addHeight(touch, p, normal, height, touch->feature.names[i], triangle);
    }
}

// What of an edge of the mesh is below a face of the piece: from *low to *high of its way. The side of the
// face that it is under is its outside.
static bool clipEdge(const wbFeature *face, wbVec3d out, wbVec3d from, wbVec3d way, double *low,
                     double *high) {
    *low = 0, *high = 1;
    for (int i = 0; i < face->count; i++) {
        const wbVec3d a = face->points[i], b = face->points[i + 1 < face->count ? i + 1 : 0];
        const wbVec3d border = wbCross3d(wbSub3d(b, a), out);
        const double start = wbDot3d(border, wbSub3d(from, a)), speed = wbDot3d(border, way);
        if (speed == 0 && start > 0) return false;
        if (speed > 0) *high = fmin(*high, -start / speed);
        if (speed < 0) *low = fmax(*low, -start / speed);
        if (*low > *high) return false;
    }
    return true;
}

// An edge that stands out a little below a face of the piece: its ends, or where it leaves the face.
static void collideRidge(Touch *touch, const ShapeTriangle *t, int k, wbVec3d normal, int triangle) {
    const wbFeature *face = &touch->feature;
    const wbVec3d q = face->points[0];
    const wbVec3d out = wbCross3d(wbSub3d(face->points[1], q), wbSub3d(face->points[2], q));
    const wbVec3d from = wbToDouble(t->corners[k]), way = wbSub3d(wbToDouble(t->corners[(k + 1) % 3]), from);
    const double against = wbDot3d(out, normal);
    double ends[2];
    if (against >= 0 || !clipEdge(face, out, from, way, &ends[0], &ends[1])) return;
    for (int end = 0; end < 2; end++) {
        const wbVec3d p = wbAddScaled3d(from, ends[end], way);
        const double height = wbDot3d(out, wbSub3d(q, p)) / against;
        addHeight(touch, wbAddScaled3d(p, height, normal), normal, height,
                  0x200u | (uint32_t)(2 * k + end) | (uint32_t)triangle << 10, triangle);
    }
}

// An edge of the piece across an edge of the mesh.
static void collideCrossing(Touch *touch, const ShapeTriangle *t, int k, wbVec3d normal, int triangle) {
    const wbVec3d a = touch->feature.points[0], way = wbSub3d(touch->feature.points[1], a);
    const double start = getBeside(t, k, a), end = getBeside(t, k, wbAdd3d(a, way));
    if ((start < 0) == (end < 0)) return;
    const wbVec3d p = wbAddScaled3d(a, start / (start - end), way);
    if (isOver(touch, t, p))
        addHeight(touch, p, normal, wbDot3d(normal, wbSub3d(p, wbToDouble(t->corners[0]))),
                  0x300u | (uint32_t)k | (uint32_t)triangle << 10, triangle);
}

// Where the piece lies over a triangle with the triangle's normal. Edges that stand out count once, for one
// of their two sides.
static void collideFace(Touch *touch, const ShapeTriangle *t, const wbShapeEdges *edges, wbVec3d normal,
                        int triangle) {
    collideCorners(touch, t, normal, triangle);
    for (int k = 0; k < 3 && touch->feature.count > 1; k++) {
        if (edges && (edges->bends[k] < WB_FLAT_BEND || edges->neighbours[k] < triangle)) continue;
        if (touch->feature.count == 2)
            collideCrossing(touch, t, k, normal, triangle);
        else
            collideRidge(touch, t, k, normal, triangle);
    }
}

// Edges

// Whether a normal is one that the surface has about a triangle: over an edge that stands out, up to the
// other side's.
static bool isOfSurface(const ShapeTriangle *t, const wbShapeEdges *edges, wbVec3d normal) {
    const double along = wbDot3d(normal, wbToDouble(t->normal));
    for (int k = 0; k < 3; k++) {
        const double lean = -wbDot3d(normal, wbToDouble(t->inwards[k]));
        if (lean < 1e-3 || !edges) continue;
        if (edges->bends[k] < STANDS_OUT || along < 1 - edges->bends[k] - 1e-3) return false;
    }
    return edges || along > 0;
}

// False if the triangle's own normal is the right one. What leans over an edge that does not stand out is the
// other side's.
static bool collideEdges(Touch *touch, const ShapeTriangle *t, const wbShapeEdges *edges, int triangle) {
    const wbCore core = wbMakeTriangleCore(t->corners);
    touch->pair.a = &core;
    const wbAxis axis = wbFindAxis(&touch->pair, touch->margin + touch->core->skin);
    if (axis.kind == wb_axisFaceA) return false;
    if (axis.kind == wb_axisNone || !isOfSurface(t, edges, axis.closest.normal)) return true;
    wbContactPoints points;
    wbFindContactPoints(&touch->pair, &axis, touch->margin, &points);
    for (int i = 0; i < points.count; i++)
        addContact(touch,
                   (GroundContact){points.points[i].place, axis.closest.normal, points.points[i].separation,
                                   points.points[i].feature ^ (uint32_t)triangle << 10, triangle});
    return points.count > 0;
}

// Triangles

static bool isNear(const Touch *touch, const float min[3], const float max[3]) {
    for (int k = 0; k < 3; k++)
        if (min[k] > touch->max[k] || max[k] < touch->min[k]) return false;
    return true;
}

static bool isTriangleNear(const Touch *touch, const ShapeTriangle *t) {
    const wbVec3 *c = t->corners;
    float min[3] = {c[0].x, c[0].y, c[0].z}, max[3] = {c[0].x, c[0].y, c[0].z};
    for (int i = 1; i < 3; i++) {
        const float x[3] = {c[i].x, c[i].y, c[i].z};
        for (int k = 0; k < 3; k++)
            min[k] = x[k] < min[k] ? x[k] : min[k], max[k] = x[k] > max[k] ? x[k] : max[k];
    }
    return isNear(touch, min, max);
}

static void collideTriangle(Touch *touch, const ShapeTriangle *t, const wbShapeEdges *edges, int triangle) {
    const wbVec3d normal = wbToDouble(t->normal), corner = wbToDouble(t->corners[0]);
    if (!isTriangleNear(touch, t) || wbDot3d(normal, wbSub3d(touch->centre, corner)) <= 0) return;
    findFeature(touch, normal);
    const double separation = wbDot3d(normal, wbSub3d(touch->lowest, corner)) - touch->core->skin;
    if (separation > touch->margin) return;
    bool standsOut = edges == NULL;
    for (int k = 0; k < 3 && edges; k++) standsOut = standsOut || edges->bends[k] > STANDS_OUT;
    // where its lowest point is over the triangle, and not deep, the triangle's own normal is the way out
    const bool isPlain = separation > -DEEP * touch->core->thickness && isOver(touch, t, touch->lowest);
    if (standsOut && !isPlain && collideEdges(touch, t, edges, triangle)) return;
    collideFace(touch, t, edges, normal, triangle);
}

// Of what is flat only the piece's corners matter: whether one of them is over a node whose triangles are all
// of one plane.
static bool hasCornerOver(Touch *touch, const ShapeNode *node, wbVec3d normal) {
    const double slack = BESIDE_SKIN * touch->core->skin + BESIDE * touch->core->thickness + touch->margin;
    findFeature(touch, normal);
    for (int i = 0; i < touch->feature.count; i++) {
        const wbVec3d p = touch->feature.points[i];
        const double low = (normal.x < 0 ? node->max[0] : node->min[0]) * normal.x +
                           (normal.y < 0 ? node->max[1] : node->min[1]) * normal.y +
                           (normal.z < 0 ? node->max[2] : node->min[2]) * normal.z;
        const wbVec3d q = wbAddScaled3d(p, low - wbDot3d(normal, p), normal);
        if (q.x >= node->min[0] - slack && q.x <= node->max[0] + slack && q.y >= node->min[1] - slack &&
            q.y <= node->max[1] + slack && q.z >= node->min[2] - slack && q.z <= node->max[2] + slack)
            return true;
    }
    return false;
}

static void collideMesh(Touch *touch, const wbShapeTree *tree) {
    for (int i = 0; i < tree->nodeCount;) {
        const ShapeNode *node = &tree->nodes[i];
        const bool isFlat = tree->isFlat && tree->isFlat[i];
        if (!isNear(touch, node->min, node->max) ||
            (isFlat && !hasCornerOver(touch, node, wbToDouble(tree->triangles[node->first].normal)))) {
            i = node->skip;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++)
            collideTriangle(touch, &tree->triangles[k], tree->edges ? &tree->edges[k] : NULL, k);
        i++;
    }
}

// The first triangle above is one seen from behind.
static bool isInside(const wbShape *shape, wbVec3d point) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const double up = 2.5 * tree->radius;
    if (point.y < tree->min.y || point.y > tree->max.y) return false;
    const wbShapeHit hit = wbShape_CastRay(shape, point, (wbVec3d){0, up, 0}, 1);
    return hit.triangle >= 0 && tree->triangles[hit.triangle].normal.y > 0;
}

// A piece whose centre is inside is pushed out the shortest way.
static void leaveMesh(Touch *touch, const wbShape *shape) {
    if (!isInside(shape, touch->centre)) return;
    const wbSurface surface = wbShape_FindSurface(shape, wbToFloat(touch->centre));
    if (surface.distance >= 0) return;
    const wbVec3d out = wbToDouble(surface.gradient);
    const wbVec3d deepest = wbCorePair_SupportB(&touch->pair, wbScale3d(-1, out));
    addHeight(touch, deepest, out, wbDot3d(out, wbSub3d(deepest, wbToDouble(surface.nearest))), 0x103u, 0);
}

static void boundPiece(Touch *touch) {
    const double shift[3] = {touch->pair.shift.x, touch->pair.shift.y, touch->pair.shift.z};
    for (int k = 0; k < 3; k++) {
        const wbVec3d axis = {touch->pair.turn[k][0], touch->pair.turn[k][1], touch->pair.turn[k][2]};
        const double more = touch->core->skin + touch->margin;
        touch->min[k] = (float)(shift[k] + wbCore_FindLowest(touch->core, axis, -INFINITY) - more);
        touch->max[k] =
            (float)(shift[k] - wbCore_FindLowest(touch->core, wbScale3d(-1, axis), -INFINITY) + more);
    }
}

static void writeGroup(const GroundContact *group, int count, const wbPose *pose, wbManifold *manifold) {
    manifold->count = count;
    manifold->normal = wbToFloat(wbPose_Rotate3d(pose, 1, wbScale3d(-1, group->normal)));
    for (int i = 0; i < count; i++)
        manifold->points[i] = (wbManifoldPoint){wbToFloat(wbPose_Apply3d(pose, group[i].place)),
                                                (float)group[i].separation, group[i].feature};
}

int wbCollideGround(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *ground,
                    const wbPose *poseGround, float margin, int capacity, wbManifold *manifolds,
                    uint32_t *keys) {
    const wbCore core = wbMakeCore(a);
    Touch touch;
    int groups[MOST_CONTACTS];
    touch.core = &core, touch.margin = margin, touch.count = 0;
    touch.featureNormal = (wbVec3d){0, 0, 0};
    touch.pair = wbMakeCorePair(NULL, poseGround, &core, poseA);
    touch.centre = wbAdd3d(wbCorePair_Turn(&touch.pair, core.centre), touch.pair.shift);
    if (ground->kind == wb_piecePlane) {
        collidePlane(&touch);
    } else {
        boundPiece(&touch);
        collideMesh(&touch, wbShape_GetTree(ground->shape));
        if (touch.count == 0) leaveMesh(&touch, ground->shape);
    }
    const int count = thinContacts(&touch, MOST_CONTACTS, groups);
    for (int g = 0, first = 0; g < count && g < capacity; first += groups[g++]) {
        writeGroup(&touch.contacts[first], groups[g], poseGround, &manifolds[g]);
        int lowest = touch.contacts[first].triangle;
        for (int i = 1; i < groups[g]; i++)
            if (touch.contacts[first + i].triangle < lowest) lowest = touch.contacts[first + i].triangle;
        keys[g] = (uint32_t)lowest;
    }
    return count;
}
