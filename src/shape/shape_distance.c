// SPDX-License-Identifier: MIT
// Distance from the surface, and on which side of it a point is.
#include <float.h>
#include <math.h>

#include "shape/shape_state.h"

// Doubles, because thin triangles lose many digits.
typedef struct Vec {
    double x, y, z;
} Vec;

static Vec toVec(wbVec3 v) { return (Vec){v.x, v.y, v.z}; }
static Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec addScaled(Vec a, double s, Vec b) { return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Nearest point of a triangle by the region of its plane that the point lies above: Ericson, Real-Time Collision
// Detection, 2005, section 5.1.5.
static Vec findNearest(const ShapeTriangle *t, Vec p) {
    Vec a = toVec(t->corners[0]), b = toVec(t->corners[1]), c = toVec(t->corners[2]);
    Vec ab = sub(b, a), ac = sub(c, a), ap = sub(p, a), bp = sub(p, b), cp = sub(p, c);
    double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
           d6 = dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) return a;
    if (d3 >= 0 && d4 <= d3) return b;
    if (d6 >= 0 && d5 <= d6) return c;
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return addScaled(a, d1 / (d1 - d3), ab);
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return addScaled(a, d2 / (d2 - d6), ac);
    double toC = d4 - d3, toB = d5 - d6;
    if (va <= 0 && toC >= 0 && toB >= 0) return addScaled(b, toC / (toC + toB), sub(c, b));
    double sum = va + vb + vc;
    if (sum <= 0) return a; // no area: its neighbours are as near
    return addScaled(addScaled(a, vb / sum, ab), vc / sum, ac);
}

static double getBoxDistance2(const ShapeNode *node, wbVec3 p) {
    const double v[3] = {p.x, p.y, p.z};
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double below = node->min[a] - v[a], above = v[a] - node->max[a], d = below > above ? below : above;
        if (d > 0) sum += d * d;
    }
    return sum;
}

typedef struct Nearest {
    double distance2;
    Vec point;
    const ShapeTriangle *triangle;
} Nearest;

static void searchLeaf(const wbShape *shape, const ShapeNode *node, Vec p, Nearest *nearest) {
    for (int i = node->first; i < node->first + node->count; i++) {
        Vec q = findNearest(&shape->triangles[i], p), d = sub(p, q);
        double distance2 = dot(d, d);
        if (distance2 < nearest->distance2) *nearest = (Nearest){distance2, q, &shape->triangles[i]};
    }
}

// Of two children the nearer one first; the other waits on a stack as deep as the tree.
static Nearest search(const wbShape *shape, wbVec3 point, double most) {
    struct {
        int node;
        double distance2;
    } stack[64];
    Nearest nearest = {.distance2 = most * most, .triangle = NULL};
    int depth = 0;
    stack[depth].node = 0, stack[depth++].distance2 = 0;
    while (depth > 0) {
        int index = stack[--depth].node;
        if (stack[depth].distance2 >= nearest.distance2) continue;
        const ShapeNode *node = &shape->nodes[index];
        if (node->count > 0) {
            searchLeaf(shape, node, toVec(point), &nearest);
            continue;
        }
        int children[2] = {index + 1, shape->nodes[index + 1].skip};
        double d[2] = {getBoxDistance2(&shape->nodes[children[0]], point),
                       getBoxDistance2(&shape->nodes[children[1]], point)};
        int nearer = d[1] < d[0];
        stack[depth].node = children[!nearer], stack[depth++].distance2 = d[!nearer];
        stack[depth].node = children[nearer], stack[depth++].distance2 = d[nearer];
    }
    return nearest;
}

// Solid angle of a triangle: Van Oosterom and Strackee 1983, eq. 8.
static double getSolidAngle(const ShapeTriangle *t, Vec p) {
    Vec a = sub(toVec(t->corners[0]), p), b = sub(toVec(t->corners[1]), p), c = sub(toVec(t->corners[2]), p);
    double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
    double volume =
        a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
    return 2 * atan2(volume, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

// Far groups of triangles count as one, as in Barill et al. 2018, "Fast winding numbers for soups and clouds", which
// takes 2 radii for far.
double wbShape_GetWinding(const wbShape *shape, wbVec3 point) {
    Vec p = toVec(point);
    double sum = 0;
    for (int i = 0; i < shape->tree.nodeCount;) {
        const ShapeNode *node = &shape->nodes[i];
        const ShapeCluster *cluster = &shape->clusters[i];
        Vec d = sub((Vec){cluster->centre[0], cluster->centre[1], cluster->centre[2]}, p);
        double r2 = dot(d, d), far = 2.0 * cluster->radius;
        if (r2 > far * far) {
            sum += dot(d, (Vec){cluster->area[0], cluster->area[1], cluster->area[2]}) / (r2 * sqrt(r2));
            i = node->skip;
        } else {
            for (int k = node->first; k < node->first + node->count; k++)
                sum += getSolidAngle(&shape->triangles[k], p);
            i++;
        }
    }
    return sum / (4 * 3.14159265358979323846);
}

// Behind a face that is the nearest is inside. Before it may be inside another part; over an edge nothing is clear.
static bool isInside(const wbShape *shape, wbVec3 point, const Nearest *nearest) {
    Vec away = sub(toVec(point), nearest->point);
    double along = dot(away, toVec(nearest->triangle->normal));
    if (along < 0 && along * along > 0.9999 * nearest->distance2) return true;
    return getBoxDistance2(shape->nodes, point) == 0 && wbShape_GetWinding(shape, point) > 0.5;
}

wbSurface wbShape_FindSurface(const wbShape *shape, wbVec3 point) {
    return wbFindSurfaceFrom(shape, point, 0, FLT_MAX);
}

wbSurface wbFindSurfaceFrom(const wbShape *shape, wbVec3 point, int side, float most) {
    Nearest nearest = search(shape, point, most);
    // rounding may have made `most` too small
    if (!nearest.triangle) nearest = search(shape, point, FLT_MAX);
    // not finite, or so far that squares are not
    if (!nearest.triangle) return (wbSurface){.distance = FLT_MAX, .nearest = point, .gradient = {0, 1, 0}};
    Vec away = sub(toVec(point), nearest.point);
    double distance = sqrt(nearest.distance2), sign = side;
    if (side == 0) sign = isInside(shape, point, &nearest) ? -1 : 1;
    wbSurface surface = {.distance = (float)(sign * distance),
                         .nearest = {(float)nearest.point.x, (float)nearest.point.y, (float)nearest.point.z},
                         .gradient = nearest.triangle->normal};
    // on the surface itself the way there says nothing
    if (distance > 1e-6 * shape->tree.radius) {
        double scale = sign / distance;
        surface.gradient =
            wbMakeVec3((float)(away.x * scale), (float)(away.y * scale), (float)(away.z * scale));
    }
    return surface;
}
