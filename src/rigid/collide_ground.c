// SPDX-License-Identifier: MIT
// Pieces on planes and meshes. A mesh is felt from outside. Over edges that do not stand out only the
// triangles' own normals count, and over those that do only what is between the normals of both sides:
// nothing bumps against the inner edges of a floor.
#include <math.h>
#include <string.h>

#include "rigid/collide.h"
#include "shape/shape.h"

// Contacts before they are thinned out, which leaves four for each group. Groups begin with normals that are
// at least 14 degrees from each other (SAME_NORMAL), of which there are fewer than 2 / (1 - cos 7 degrees) =
// 266: there is always room again.
enum { MOST_GROUPS = 266, MOST_CONTACTS = 1280 };
_Static_assert(MOST_CONTACTS > MOST_GROUPS * WB_MANIFOLD_POINTS, "there is no room for what is left");
// Bend (1 - cosine) above which an edge stands out.
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

// Shares of the thickness, as in collide_pieces.c: that it may move before all is done again, the same if it
// may roll, and how much farther than asked for is looked.
#define STILL   0.005
#define ROLLING 2e-5
#define LOOK    0.05

typedef struct GroundContact {
    wbClipPoint point; // in the ground's frame
    wbVec3 normal;     // towards the piece
    int triangle;      // of the tree
} GroundContact;

typedef struct Touch {
    wbCorePair pair; // the ground, or a triangle of it, and the piece
    const wbCore *core;
    double margin, look;
    wbVec3d centre;                  // m, inside the piece
    wbVec3d middle;                  // m, of the box around the piece's core in its own frame
    wbVec3d axes[3];                 // its axes, times half its edges
    float ways[3][3];                // the axes, of length 1
    float reach[4];                  // m, along them, as far as is looked; and from the middle, all around
    float min[3], max[3];            // m, around that
    double radius;                   // m, of the core about the middle
    wbFeature feature;               // of the piece that looks against featureNormal
    wbVec3d featureNormal;           // 0: there is none yet
    int featureFace;                 // of the piece; -1: it is no face
    wbVec3d lowest;                  // m, its lowest point along that
    wbVec3d out;                     // if it is a face: out of it, of any length
    wbVec3d borders[WB_CLIP_POINTS]; // and out of its edges
    GroundContact contacts[MOST_CONTACTS];
    int count;
    double apart; // m, that it surely may move before it touches, if it does not
} Touch;

// Thinning out: contacts with about the same normal are one manifold

// Moves those of one group to the end of those that are done, the deepest of all first; returns where the
// group ends.
static int gatherGroup(Touch *touch, int done) {
    GroundContact *c = touch->contacts;
    int deepest = done, end = done;
    for (int i = done + 1; i < touch->count; i++)
        if (c[i].point.separation < c[deepest].point.separation) deepest = i;
    const wbVec3 normal = c[deepest].normal;
    for (int pass = 0; pass < 2; pass++)
        for (int i = end; i < touch->count; i++) {
            if (pass == 0 ? i != deepest : wbDot(c[i].normal, normal) < SAME_NORMAL) continue;
            const GroundContact kept = c[i];
            // the others keep their order
            if (i > end) memmove(&c[end + 1], &c[end], (size_t)(i - end) * sizeof *c);
            c[end++] = kept;
            if (pass == 0) break;
        }
    return end;
}

// Up to four of a group, at its beginning, no two of them at one place. A ball touches a plane in one.
static int thinGroup(const Touch *touch, GroundContact *group, int count) {
    const double near = SAME_PLACE * touch->core->thickness;
    wbClipPoint points[MOST_CONTACTS];
    int chosen[WB_MANIFOLD_POINTS], keptCount = 0;
    GroundContact kept[WB_MANIFOLD_POINTS];
    if (touch->core->kind == wb_corePoint) return 1;
    for (int i = 0; i < count; i++) points[i] = group[i].point;
    const int chosenCount = wbChooseContactPoints(points, count, wbToDouble(group->normal), chosen);
    for (int i = 0; i < chosenCount; i++) {
        kept[keptCount++] = group[chosen[i]];
        for (int k = 0; k < keptCount - 1; k++) {
            const wbVec3d way = wbSub3d(kept[k].point.place, group[chosen[i]].point.place);
            if (wbDot3d(way, way) > near * near) continue;
            keptCount--;
            break;
        }
    }
    memcpy(group, kept, (size_t)keptCount * sizeof *group);
    return keptCount;
}

// What is left are groups of up to four, whose sizes are returned.
static int thinContacts(Touch *touch, int groups[MOST_GROUPS]) {
    int done = 0, groupCount = 0;
    while (done < touch->count) {
        const int end = gatherGroup(touch, done), kept = thinGroup(touch, &touch->contacts[done], end - done);
        memmove(&touch->contacts[done + kept], &touch->contacts[end],
                (size_t)(touch->count - end) * sizeof *touch->contacts);
        touch->count -= end - done - kept;
        groups[groupCount++] = kept;
        done += kept;
    }
    return groupCount;
}

static void addContact(Touch *touch, wbVec3d place, wbVec3d normal, double separation, int triangle) {
    int groups[MOST_GROUPS];
    if (touch->count == MOST_CONTACTS) thinContacts(touch, groups);
    touch->contacts[touch->count++] = (GroundContact){{place, separation}, wbToFloat(normal), triangle};
}

// Halfway between the surfaces: of the piece, a point of its core.
static void addHeight(Touch *touch, wbVec3d point, wbVec3d normal, double height, int triangle) {
    const double skin = touch->core->skin, separation = height - skin;
    if (separation > touch->margin) return;
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
    touch->apart = touch->lowest.y - touch->core->skin - touch->margin;
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
        if (height <= most && isOver(touch, t, p)) addHeight(touch, p, normal, height, triangle);
    }
}

// What of an edge of the mesh is below a face of the piece: from *low to *high of its way. The side of the
// face that it is under is its outside.
static bool clipEdge(const Touch *touch, wbVec3d from, wbVec3d way, double *low, double *high) {
    const wbFeature *face = &touch->feature;
    *low = 0, *high = 1;
    for (int i = 0; i < face->count; i++) {
        const wbVec3d border = touch->borders[i];
        const double start = wbDot3d(border, wbSub3d(from, face->points[i])), speed = wbDot3d(border, way);
        if (speed == 0 && start > 0) return false;
        if (speed > 0 && -start < *high * speed) *high = -start / speed;
        if (speed < 0 && -start < *low * speed) *low = -start / speed;
        if (*low > *high) return false;
    }
    return true;
}

// An edge that stands out a little below a face of the piece: its ends, or where it leaves the face.
static void collideRidge(Touch *touch, const ShapeTriangle *t, int k, wbVec3d normal, int triangle) {
    const wbVec3d q = touch->feature.points[0], out = touch->out;
    const wbVec3d from = wbToDouble(t->corners[k]), way = wbSub3d(wbToDouble(t->corners[(k + 1) % 3]), from);
    const double against = wbDot3d(out, normal), most = touch->margin + touch->core->skin;
    double ends[2];
    if (against >= 0) return;
    const double height = wbDot3d(out, wbSub3d(q, from)) / against, rise = -wbDot3d(out, way) / against;
    if ((height > most && height + rise > most) || !clipEdge(touch, from, way, &ends[0], &ends[1])) return;
    for (int end = 0; end < 2; end++) {
        const double at = height + ends[end] * rise;
        addHeight(touch, wbAddScaled3d(wbAddScaled3d(from, ends[end], way), at, normal), normal, at,
                  triangle);
    }
}

// An edge of the piece across an edge of the mesh.
static void collideCrossing(Touch *touch, const ShapeTriangle *t, int k, wbVec3d normal, int triangle) {
    const wbVec3d a = touch->feature.points[0], way = wbSub3d(touch->feature.points[1], a);
    const double start = getBeside(t, k, a), end = getBeside(t, k, wbAdd3d(a, way));
    if ((start < 0) == (end < 0)) return;
    const wbVec3d p = wbAddScaled3d(a, start / (start - end), way);
    if (isOver(touch, t, p))
        addHeight(touch, p, normal, wbDot3d(normal, wbSub3d(p, wbToDouble(t->corners[0]))), triangle);
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
    const double most = touch->margin + touch->core->skin;
    const wbAxis axis = wbFindAxis(&touch->pair, most);
    if (axis.kind == wb_axisFaceA) return false;
    if (axis.kind == wb_axisNone || axis.closest.separation > most) {
        touch->apart = fmin(touch->apart, axis.closest.separation - most);
        return true;
    }
    if (!isOfSurface(t, edges, axis.closest.normal)) return true;
    wbContactPoints points;
    wbFindContactPoints(&touch->pair, &axis, touch->margin, &points);
    for (int i = 0; i < points.count; i++)
        addContact(touch, points.points[i].place, axis.closest.normal, points.points[i].separation, triangle);
    return points.count > 0;
}

// Triangles

static bool isNear(const Touch *touch, const float min[3], const float max[3]) {
    for (int k = 0; k < 3; k++)
        if (min[k] > touch->max[k] || max[k] < touch->min[k]) return false;
    return true;
}

// The same around the piece and along its axes: what is round or lies askew has much room beside it.
static bool isNodeNear(const Touch *touch, const ShapeNode *node) {
    if (!isNear(touch, node->min, node->max)) return false;
    const wbVec3d middle = touch->middle;
    const float way[3] = {0.5f * (node->min[0] + node->max[0]) - (float)middle.x,
                          0.5f * (node->min[1] + node->max[1]) - (float)middle.y,
                          0.5f * (node->min[2] + node->max[2]) - (float)middle.z};
    const float half[3] = {0.5f * (node->max[0] - node->min[0]), 0.5f * (node->max[1] - node->min[1]),
                           0.5f * (node->max[2] - node->min[2])};
    float away2 = 0;
    for (int k = 0; k < 3; k++) {
        const float away = fabsf(way[k]) - half[k];
        away2 += away > 0 ? away * away : 0;
    }
    if (away2 > touch->reach[3] * touch->reach[3]) return false;
    for (int k = 0; k < 3; k++) {
        const float *axis = touch->ways[k];
        const float distance = fabsf(axis[0] * way[0] + axis[1] * way[1] + axis[2] * way[2]);
        const float extent = fabsf(axis[0]) * half[0] + fabsf(axis[1]) * half[1] + fabsf(axis[2]) * half[2];
        if (distance > extent + touch->reach[k]) return false;
    }
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

// m: how far the core reaches from its middle at most.
static double getExtent(const Touch *touch, wbVec3d normal) {
    const wbVec3d *axes = touch->axes;
    const double extent =
        fabs(wbDot3d(axes[0], normal)) + fabs(wbDot3d(axes[1], normal)) + fabs(wbDot3d(axes[2], normal));
    return extent < touch->radius ? extent : touch->radius;
}

static void collideTriangle(Touch *touch, const ShapeTriangle *t, const wbShapeEdges *edges, int triangle) {
    const wbVec3d normal = wbToDouble(t->normal), corner = wbToDouble(t->corners[0]);
    if (!isTriangleNear(touch, t)) return;
    const double height = wbDot3d(normal, wbSub3d(touch->centre, corner));
    // one that is seen from behind is not felt before the piece's centre is in front of it
    const double above = height > 0 ? wbDot3d(normal, wbSub3d(touch->middle, corner)) -
                                          getExtent(touch, normal) - touch->margin - touch->core->skin
                                    : -height;
    if (height <= 0 || above > 0) {
        touch->apart = fmin(touch->apart, above);
        return;
    }
    findFeature(touch, normal);
    const double separation = wbDot3d(normal, wbSub3d(touch->lowest, corner)) - touch->core->skin;
    if (separation > touch->margin) {
        touch->apart = fmin(touch->apart, separation - touch->margin);
        return;
    }
    bool standsOut = edges == NULL;
    for (int k = 0; k < 3 && edges; k++) standsOut = standsOut || edges->bends[k] > STANDS_OUT;
    // where its lowest point is over the triangle, and not deep, the triangle's own normal is the way out
    const bool isPlain = separation > -DEEP * touch->core->thickness && isOver(touch, t, touch->lowest);
    if (standsOut && !isPlain && collideEdges(touch, t, edges, triangle)) return;
    touch->apart = 0;
    collideFace(touch, t, edges, normal, triangle);
}

// Of what is flat only the piece's corners matter: whether one of them is over a node whose triangles are all
// of one plane.
static bool hasCornerOver(Touch *touch, const ShapeNode *node, wbVec3d normal) {
    const double slack =
        BESIDE_SKIN * touch->core->skin + BESIDE * touch->core->thickness + touch->margin + touch->look;
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
        if (!isNodeNear(touch, node) ||
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
    const double more = touch->core->skin + touch->margin + touch->look;
    touch->reach[3] = (float)(touch->radius + more);
    for (int k = 0; k < 3; k++) {
        const wbVec3d way = wbCorePair_Turn(&touch->pair, (wbVec3d){k == 0, k == 1, k == 2});
        touch->axes[k] = wbScale3d(half[k], way);
        touch->ways[k][0] = (float)way.x, touch->ways[k][1] = (float)way.y, touch->ways[k][2] = (float)way.z;
        touch->reach[k] = (float)(half[k] + more);
    }
    for (int k = 0; k < 3; k++) {
        const double extent = getExtent(touch, (wbVec3d){k == 0, k == 1, k == 2}) + more;
        touch->min[k] = (float)(at[k] - extent), touch->max[k] = (float)(at[k] + extent);
    }
}

static void writeGroup(const GroundContact *group, int count, const wbPose *pose, wbManifold *manifold) {
    manifold->count = count;
    manifold->normal = wbToFloat(wbPose_Rotate3d(pose, 1, wbScale3d(-1, wbToDouble(group->normal))));
    for (int i = 0; i < count; i++)
        manifold->points[i] = (wbManifoldPoint){wbToFloat(wbPose_Apply3d(pose, group[i].point.place)),
                                                (float)group[i].point.separation};
}

static uint32_t getKey(const GroundContact *group, int count) {
    int lowest = group[0].triangle;
    for (int i = 1; i < count; i++)
        if (group[i].triangle < lowest) lowest = group[i].triangle;
    return (uint32_t)lowest;
}

// A ball touches the next triangle at any time.
static wbCollideHold holdContacts(const Touch *touch) {
    const wbCore *core = touch->core;
    const double still = core->kind == wb_corePoint ? 0 : core->kind == wb_coreCylinder ? ROLLING : STILL;
    const double way = touch->count > 0 ? still * core->thickness : fmin(fmax(touch->apart, 0), touch->look);
    return (wbCollideHold){(float)way, (float)core->reach, {(float)core->skin, 0}, 0};
}

int wbCollideGround(const wbRigidPiece *a, const wbPose *poseA, const wbRigidPiece *ground,
                    const wbPose *poseGround, float margin, int capacity, wbManifold *manifolds,
                    uint32_t *keys, wbCollideHold *hold) {
    const wbCore core = wbMakeCore(a);
    Touch touch;
    int groups[MOST_GROUPS];
    touch.core = &core, touch.margin = margin, touch.look = LOOK * core.thickness, touch.count = 0;
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
        keys[g] = getKey(&touch.contacts[first], groups[g]);
    }
    return count;
}
