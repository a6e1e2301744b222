// SPDX-License-Identifier: MIT
// Pieces on planes and meshes. A mesh is felt from outside. Over edges that do not stand out only the
// triangles' own normals count, and over those that do only what is between the normals of both sides:
// nothing bumps against the inner edges of a floor.
#include <math.h>

#include "rigid/collide.h"
#include "rigid/vector_double.h"
#include "shape/shape.h"

#include "rigid/collide_thin_formula.h"

_Static_assert((int)GROUND_MOST_CONTACTS > (int)GROUND_MOST_GROUPS * WB_MANIFOLD_POINTS,
               "there is no room for what is left");

typedef struct Touch {
    wbCorePair pair; // the ground, or a triangle of it, and the piece
    const wbCore *core;
    GroundPiece piece;
    double look;
    wbVec3d centre;                  // m, inside the piece
    wbVec3d middle;                  // m, of the box around the piece's core in its own frame
    wbVec3d axes[3];                 // its axes, times half its edges
    GroundReach reach;               // around that
    double radius;                   // m, of the core about the middle
    wbFeature feature;               // of the piece that looks against featureNormal
    wbVec3d featureNormal;           // 0: there is none yet
    int featureFace;                 // of the piece; -1: it is no face
    wbVec3d lowest;                  // m, its lowest point along that
    wbVec3d out;                     // if it is a face: out of it, of any length
    wbVec3d borders[WB_CLIP_POINTS]; // and out of its edges
    GroundContact contacts[GROUND_MOST_CONTACTS];
    int count;
    double apart; // m, that it surely may move before it touches, if it does not
} Touch;

// What is left are groups of up to four, whose sizes are returned.
static int thinContacts(Touch *touch, int groups[GROUND_MOST_GROUPS]) {
    const bool isBall = touch->core->kind == wb_corePoint;
    int groupCount = 0;
    for (int done = 0; done < touch->count; done += groups[groupCount++])
        groups[groupCount] =
            ground_thin(touch->contacts, &touch->count, done, touch->piece.thickness, isBall);
    return groupCount;
}

static void addContact(Touch *touch, wbVec3d place, wbVec3d normal, double separation, int triangle) {
    int groups[GROUND_MOST_GROUPS];
    if (touch->count == GROUND_MOST_CONTACTS) thinContacts(touch, groups);
    touch->contacts[touch->count++] = (GroundContact){place, separation, wbToFloat(normal), triangle};
}

// Halfway between the surfaces: of the piece, a point of its core.
static void addHeight(Touch *touch, wbVec3d point, wbVec3d normal, double height, int triangle) {
    const double skin = touch->piece.skin, separation = height - skin;
    if (separation > touch->piece.margin) return;
    addContact(touch, wbAddScaled3d(point, -(height + skin) / 2, normal), normal, separation, triangle);
}

// Faces

// The planes that stand on the edges of a face.
static void findBorders(Touch *touch) {
    const wbFeature *f = &touch->feature;
    touch->out = wbCross3d(wbSub3d(f->points[1], f->points[0]), wbSub3d(f->points[2], f->points[0]));
    for (int i = 0; i < f->count; i++)
        touch->borders[i] =
            wbCross3d(wbSub3d(f->points[i + 1 < f->count ? i + 1 : 0], f->points[i]), touch->out);
}

// Faces of boxes and hulls are the same for many normals, and so are points and segments.
static void findFeature(Touch *touch, wbVec3d normal) {
    const wbVec3d kept = touch->featureNormal;
    if (kept.x == normal.x && kept.y == normal.y && kept.z == normal.z) return;
    wbFeature *f = &touch->feature;
    const bool isNew = kept.x == 0 && kept.y == 0 && kept.z == 0;
    const wbVec3d down = wbScale3d(-1, wbCorePair_TurnBack(&touch->pair, normal));
    const int face = wbCore_FindFace(touch->core, down);
    if (isNew || face != touch->featureFace || touch->core->kind == wb_coreCylinder) {
        wbCore_GetFeature(touch->core, down, f);
        wbCorePair_MoveFeature(&touch->pair, f);
        if (f->count > 2) findBorders(touch);
    }
    touch->featureNormal = normal, touch->featureFace = face, touch->lowest = f->points[0];
    for (int i = 1; i < f->count; i++)
        if (wbDot3d(normal, wbSub3d(f->points[i], touch->lowest)) < 0) touch->lowest = f->points[i];
}

static void collidePlane(Touch *touch) {
    const wbVec3d up = {0, 1, 0};
    findFeature(touch, up);
    for (int i = 0; i < touch->feature.count; i++)
        addHeight(touch, touch->feature.points[i], up, touch->feature.points[i].y, 0);
    touch->apart = touch->lowest.y - touch->piece.skin - touch->piece.margin;
}

// The piece's corners over a triangle.
static void collideCorners(Touch *touch, const GroundTriangle *t) {
    const double corner = wbDot3d(t->normal, t->corners[0]), most = touch->piece.margin + touch->piece.skin;
    for (int i = 0; i < touch->feature.count; i++) {
        const wbVec3d p = touch->feature.points[i];
        const double height = wbDot3d(t->normal, p) - corner;
        if (height <= most && ground_is_over(&touch->piece, t, p))
            addHeight(touch, p, t->normal, height, t->number);
    }
}

// What of an edge of the mesh is below a face of the piece.
static bool clipEdge(const Touch *touch, wbVec3d from, wbVec3d way, double *low, double *high) {
    const wbFeature *face = &touch->feature;
    *low = 0, *high = 1;
    for (int i = 0; i < face->count; i++)
        if (!ground_clip_border(touch->borders[i], face->points[i], from, way, low, high)) return false;
    return true;
}

// An edge that stands out a little below a face of the piece: its ends, or where it leaves the face.
static void collideRidge(Touch *touch, const GroundTriangle *t, int k) {
    const wbVec3d from = t->corners[k], way = wbSub3d(t->corners[(k + 1) % 3], from);
    const double most = touch->piece.margin + touch->piece.skin;
    const GroundRidge ridge = ground_find_ridge(touch->out, touch->feature.points[0], from, way, t->normal);
    double ends[2];
    if (!ridge.isBelow || (ridge.height > most && ridge.height + ridge.rise > most)) return;
    if (!clipEdge(touch, from, way, &ends[0], &ends[1])) return;
    for (int end = 0; end < 2; end++) {
        const double at = ridge.height + ends[end] * ridge.rise;
        addHeight(touch, wbAddScaled3d(wbAddScaled3d(from, ends[end], way), at, t->normal), t->normal, at,
                  t->number);
    }
}

// An edge of the piece across an edge of the mesh.
static void collideCrossing(Touch *touch, const GroundTriangle *t, int k) {
    const wbVec3d a = touch->feature.points[0], way = wbSub3d(touch->feature.points[1], a);
    wbVec3d p;
    if (ground_crosses(t, k, a, way, &p) && ground_is_over(&touch->piece, t, p))
        addHeight(touch, p, t->normal, wbDot3d(t->normal, wbSub3d(p, t->corners[0])), t->number);
}

// Where the piece lies over a triangle with the triangle's normal.
static void collideFace(Touch *touch, const GroundTriangle *t) {
    collideCorners(touch, t);
    for (int k = 0; k < 3 && touch->feature.count > 1; k++) {
        if (!ground_counts_edge(t, k)) continue;
        if (touch->feature.count == 2)
            collideCrossing(touch, t, k);
        else
            collideRidge(touch, t, k);
    }
}

// Edges

// False if the triangle's own normal is the right one. What leans over an edge that does not stand out is the
// other side's.
static bool collideEdges(Touch *touch, const ShapeTriangle *shape, const GroundTriangle *t) {
    const wbCore core = wbMakeTriangleCore(shape->corners);
    touch->pair.a = &core;
    const double most = touch->piece.margin + touch->piece.skin;
    const wbAxis axis = wbFindAxis(&touch->pair, most);
    if (axis.kind == wb_axisFaceA) return false;
    if (axis.kind == wb_axisNone || axis.closest.separation > most) {
        touch->apart = fmin(touch->apart, axis.closest.separation - most);
        return true;
    }
    if (!ground_is_of_surface(t, axis.closest.normal)) return true;
    wbContactPoints points;
    wbFindContactPoints(&touch->pair, &axis, touch->piece.margin, &points);
    for (int i = 0; i < points.count; i++)
        addContact(touch, points.points[i].place, axis.closest.normal, points.points[i].separation,
                   t->number);
    return points.count > 0;
}

// Triangles

// m: how far the core reaches from its middle at most.
static double getExtent(const Touch *touch, wbVec3d normal) {
    const wbVec3d *axes = touch->axes;
    const double extent =
        fabs(wbDot3d(axes[0], normal)) + fabs(wbDot3d(axes[1], normal)) + fabs(wbDot3d(axes[2], normal));
    return extent < touch->radius ? extent : touch->radius;
}

static GroundTriangle loadTriangle(const wbShapeTree *tree, int number) {
    const ShapeTriangle *from = &tree->triangles[number];
    GroundTriangle t = {
        .normal = wbToDouble(from->normal), .number = number, .isEdgeKnown = tree->edges != NULL};
    for (int k = 0; k < 3; k++) {
        t.corners[k] = wbToDouble(from->corners[k]), t.inwards[k] = wbToDouble(from->inwards[k]);
        if (!tree->edges) continue;
        t.bends[k] = tree->edges[number].bends[k], t.neighbours[k] = tree->edges[number].neighbours[k];
    }
    return t;
}

static void collideTriangle(Touch *touch, const wbShapeTree *tree, int number) {
    const ShapeTriangle *shape = &tree->triangles[number];
    const wbVec3d normal = wbToDouble(shape->normal), corner = wbToDouble(shape->corners[0]);
    const GroundPiece *piece = &touch->piece;
    if (!ground_is_triangle_near(&touch->reach, shape->corners)) return;
    const double height = wbDot3d(normal, wbSub3d(touch->centre, corner));
    // one that is seen from behind is not felt before the piece's centre is in front of it
    const double above = height > 0 ? wbDot3d(normal, wbSub3d(touch->middle, corner)) -
                                          getExtent(touch, normal) - piece->margin - piece->skin
                                    : -height;
    if (height <= 0 || above > 0) {
        touch->apart = fmin(touch->apart, above);
        return;
    }
    findFeature(touch, normal);
    const double separation = wbDot3d(normal, wbSub3d(touch->lowest, corner)) - piece->skin;
    if (separation > piece->margin) {
        touch->apart = fmin(touch->apart, separation - piece->margin);
        return;
    }
    const GroundTriangle t = loadTriangle(tree, number);
    // where its lowest point is over the triangle, and not deep, the triangle's own normal is the way out
    const bool isPlain =
        separation > -GROUND_DEEP * piece->thickness && ground_is_over(piece, &t, touch->lowest);
    if (ground_stands_out(&t) && !isPlain && collideEdges(touch, shape, &t)) return;
    touch->apart = 0;
    collideFace(touch, &t);
}

// Of what is flat only the piece's corners matter: whether one of them is over a node whose triangles are all
// of one plane.
static bool hasCornerOver(Touch *touch, const ShapeNode *node, wbVec3d normal) {
    const double slack = GROUND_BESIDE_SKIN * touch->piece.skin + GROUND_BESIDE * touch->piece.thickness +
                         touch->piece.margin + touch->look;
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
        if (!ground_is_node_near(&touch->reach, node) ||
            (isFlat && !hasCornerOver(touch, node, wbToDouble(tree->triangles[node->first].normal)))) {
            i = node->skip;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++) collideTriangle(touch, tree, k);
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
    addHeight(touch, deepest, out, wbDot3d(out, wbSub3d(deepest, wbToDouble(surface.nearest))), 0);
}

// Around the core, in its own frame: a box, and the radius of a ball about its middle.
static double boundCore(const wbCore *core, wbVec3d *centre, double half[3]) {
    double min[3], max[3], farthest2 = 0;
    for (int k = 0; k < 3; k++) {
        const wbVec3d axis = {k == 0, k == 1, k == 2};
        min[k] = wbCore_FindLowest(core, axis, -INFINITY);
        max[k] = -wbCore_FindLowest(core, wbScale3d(-1, axis), -INFINITY);
        half[k] = 0.5 * (max[k] - min[k]);
    }
    *centre = (wbVec3d){0.5 * (min[0] + max[0]), 0.5 * (min[1] + max[1]), 0.5 * (min[2] + max[2])};
    if (core->kind == wb_coreCylinder) return sqrt(half[0] * half[0] + half[1] * half[1]);
    if (core->kind != wb_coreCorners) return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    for (int i = 0; i < core->cornerCount; i++) {
        const wbVec3d way = wbSub3d(wbToDouble(core->corners[i]), *centre);
        farthest2 = fmax(farthest2, wbDot3d(way, way));
    }
    return sqrt(farthest2);
}

static void boundPiece(Touch *touch) {
    double half[3];
    wbVec3d centre;
    touch->radius = boundCore(touch->core, &centre, half);
    touch->middle = wbAdd3d(wbCorePair_Turn(&touch->pair, centre), touch->pair.shift);
    const double at[3] = {touch->middle.x, touch->middle.y, touch->middle.z};
    const double more = touch->piece.skin + touch->piece.margin + touch->look;
    GroundReach *reach = &touch->reach;
    reach->reach[3] = (float)(touch->radius + more);
    for (int k = 0; k < 3; k++) {
        const wbVec3d way = wbCorePair_Turn(&touch->pair, (wbVec3d){k == 0, k == 1, k == 2});
        touch->axes[k] = wbScale3d(half[k], way);
        reach->ways[k][0] = (float)way.x, reach->ways[k][1] = (float)way.y, reach->ways[k][2] = (float)way.z;
        reach->reach[k] = (float)(half[k] + more);
    }
    for (int k = 0; k < 3; k++) {
        const double extent = getExtent(touch, (wbVec3d){k == 0, k == 1, k == 2}) + more;
        reach->middle[k] = (float)at[k];
        reach->min[k] = (float)(at[k] - extent), reach->max[k] = (float)(at[k] + extent);
    }
}

static void writeGroup(const GroundContact *group, int count, const wbPose *pose, wbManifold *manifold) {
    manifold->count = count;
    manifold->normal = wbToFloat(wbPose_Rotate3d(pose, 1, wbScale3d(-1, wbToDouble(group->normal))));
    for (int i = 0; i < count; i++)
        manifold->points[i] =
            (wbManifoldPoint){wbToFloat(wbPose_Apply3d(pose, group[i].place)), (float)group[i].separation};
}

// A ball touches the next triangle at any time.
static wbCollideHold holdContacts(const Touch *touch) {
    const wbCore *core = touch->core;
    const double still = core->kind == wb_corePoint      ? 0
                         : core->kind == wb_coreCylinder ? GROUND_ROLLING
                                                         : GROUND_STILL;
    const double way = touch->count > 0 ? still * core->thickness : fmin(fmax(touch->apart, 0), touch->look);
    return (wbCollideHold){(float)way, (float)core->reach, {(float)core->skin, 0}, 0};
}

int wbCollideGround(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *ground,
                    const wbPose *poseGround, float margin, int capacity, wbManifold *manifolds,
                    uint32_t *keys, wbCollideHold *hold) {
    const wbCore core = wbMakeCore(a);
    Touch touch;
    int groups[GROUND_MOST_GROUPS];
    touch.core = &core, touch.look = GROUND_LOOK * core.thickness, touch.count = 0;
    touch.piece = (GroundPiece){.skin = core.skin, .thickness = core.thickness, .margin = margin};
    touch.featureNormal = (wbVec3d){0, 0, 0}, touch.featureFace = -1;
    touch.apart = touch.look;
    touch.pair = wbMakeCorePair(NULL, poseGround, &core, poseA);
    touch.centre = wbAdd3d(wbCorePair_Turn(&touch.pair, core.centre), touch.pair.shift);
    if (ground->kind == wb_piecePlane) {
        collidePlane(&touch);
    } else {
        boundPiece(&touch);
        collideMesh(&touch, wbShape_GetTree(ground->shape));
        if (touch.count == 0) leaveMesh(&touch, ground->shape);
    }
    *hold = holdContacts(&touch);
    const int count = thinContacts(&touch, groups);
    for (int g = 0, first = 0; g < count && g < capacity; first += groups[g++]) {
        writeGroup(&touch.contacts[first], groups[g], poseGround, &manifolds[g]);
        keys[g] = (uint32_t)ground_key(&touch.contacts[first], groups[g]);
    }
    return count;
}
