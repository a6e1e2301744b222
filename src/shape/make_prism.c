// SPDX-License-Identifier: MIT
// Prisms over polygons.
#include <math.h>

#include "core/memory.h"
#include "shape/make_check.h"
#include "shape/mesh_maker.h"

enum { MAX_POINTS = 4096 };

typedef const float Point[2];

// Twice the area of a triangle; positive if it goes around counter-clockwise.
static double getArea2(Point a, Point b, Point c) {
    return ((double)b[0] - a[0]) * ((double)c[1] - a[1]) - ((double)b[1] - a[1]) * ((double)c[0] - a[0]);
}

static double getPolygonArea2(Point *points, int count) {
    double sum = 0;
    for (int i = 2; i < count; i++) sum += getArea2(points[0], points[i - 1], points[i]);
    return sum;
}

static bool doCross(Point a, Point b, Point c, Point d) {
    double ca = getArea2(c, d, a), cb = getArea2(c, d, b), ac = getArea2(a, b, c), ad = getArea2(a, b, d);
    return ((ca > 0 && cb < 0) || (ca < 0 && cb > 0)) && ((ac > 0 && ad < 0) || (ac < 0 && ad > 0));
}

// m, from p to the side a b.
static double getDistance(Point a, Point b, Point p) {
    double x = (double)b[0] - a[0], y = (double)b[1] - a[1], length2 = x * x + y * y;
    double along = length2 > 0 ? ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / length2 : 0;
    along = fmin(fmax(along, 0), 1);
    return hypot(p[0] - a[0] - along * x, p[1] - a[1] - along * y);
}

// A corner on another side makes a shape of no thickness there.
static wbStatus checkCorners(Point *points, int count) {
    double size = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, hypot(points[i][0] - points[0][0], points[i][1] - points[0][1]));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (k != i && k != (i + 1) % count &&
                getDistance(points[i], points[(i + 1) % count], points[k]) < 1e-6 * size)
                return wbError(wb_errorInput,
                               "polygon: point %d lies on the side from point %d; move it away", k, i);
    return wb_okStatus;
}

static wbStatus checkPolygon(Point *points, int count) {
    if (count < 3 || count > MAX_POINTS)
        return wbError(wb_errorInput, "polygon: it has %d points; allowed: 3 to %d", count, MAX_POINTS);
    for (int i = 0; i < count; i++)
        if (!(fabsf(points[i][0]) <= 1e4f && fabsf(points[i][1]) <= 1e4f))
            return wbError(wb_errorInput, "polygon: point %d is (%g, %g); allowed: -10000 to 10000 m", i,
                           (double)points[i][0], (double)points[i][1]);
    for (int i = 0; i < count; i++)
        for (int j = i + 2; j < count; j++)
            if (doCross(points[i], points[(i + 1) % count], points[j], points[(j + 1) % count]))
                return wbError(
                    wb_errorInput,
                    "polygon: its sides from point %d and from point %d cross; give its points in order", i,
                    j);
    WB_TRY(checkCorners(points, count));
    if (getPolygonArea2(points, count) == 0) return wbError(wb_errorInput, "polygon: it has no area");
    return wb_okStatus;
}

// What is left of a polygon while ears are cut off: indices, counter-clockwise.
typedef struct Rest {
    Point *points;
    int *order;
    int count;
} Rest;

static const float *getPoint(const Rest *rest, int place) {
    return rest->points[rest->order[(place + rest->count) % rest->count]];
}

// An ear has no other corner in it. Without area it may go, too: it only takes a point out of a straight side.
static bool isEar(const Rest *rest, int place) {
    const float *a = getPoint(rest, place - 1), *b = getPoint(rest, place), *c = getPoint(rest, place + 1);
    double area2 = getArea2(a, b, c);
    if (area2 <= 0) return area2 == 0;
    for (int k = 2; k < rest->count - 1; k++) {
        const float *p = getPoint(rest, place + k);
        bool isCorner = (p[0] == a[0] && p[1] == a[1]) || (p[0] == b[0] && p[1] == b[1]) ||
                        (p[0] == c[0] && p[1] == c[1]);
        if (!isCorner && getArea2(a, b, p) >= 0 && getArea2(b, c, p) >= 0 && getArea2(c, a, p) >= 0)
            return false;
    }
    return true;
}

// Both faces at once; vertex i of the front is 2 i, of the back 2 i + 1.
static void addFaces(MeshMaker *maker, int a, int b, int c) {
    wbMeshMaker_AddTriangle(maker, 2 * a, 2 * b, 2 * c);
    wbMeshMaker_AddTriangle(maker, 2 * a + 1, 2 * c + 1, 2 * b + 1);
}

static bool cutEars(MeshMaker *maker, Rest *rest) {
    while (rest->count > 3) {
        int place = 0;
        while (place < rest->count && !isEar(rest, place)) place++;
        if (place == rest->count) return false;
        int n = rest->count, *order = rest->order;
        addFaces(maker, order[(place + n - 1) % n], order[place], order[(place + 1) % n]);
        for (int k = place; k + 1 < n; k++) order[k] = order[k + 1];
        rest->count--;
    }
    addFaces(maker, rest->order[0], rest->order[1], rest->order[2]);
    return true;
}

static bool addPrism(MeshMaker *maker, Rest *rest, float length) {
    int count = rest->count;
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            wbMeshMaker_AddVertex(
                maker, wbMakeVec3(rest->points[i][0], rest->points[i][1], (side ? -0.5f : 0.5f) * length));
    for (int k = 0; k < count; k++) {
        int a = rest->order[k], b = rest->order[(k + 1) % count];
        wbMeshMaker_AddQuad(maker, 2 * a, 2 * a + 1, 2 * b + 1, 2 * b);
    }
    return cutEars(maker, rest);
}

wbStatus wbMakePrism(const float (*points)[2], int count, float length, wbMesh *mesh) {
    WB_TRY(wbCheckSize("polygon", "its length along z", length));
    WB_TRY(checkPolygon(points, count));
    size_t bytes = sizeof(int) * (size_t)count;
    int *order = wbAlloc(NULL, bytes);
    if (!order) return wbMemoryError(NULL, "a polygon of %d points needs", count);
    bool isTurned = getPolygonArea2(points, count) < 0;
    for (int i = 0; i < count; i++) order[i] = isTurned ? count - 1 - i : i;
    MeshMaker maker = wbStartMesh();
    Rest rest = {points, order, count};
    bool isCut = addPrism(&maker, &rest, length);
    wbFree(NULL, order, bytes);
    wbStatus status = wbFinishMesh(&maker, mesh);
    if (!wbIsOk(status) || isCut) return status;
    wbFreeMesh(mesh);
    return wbError(wb_errorInput, "polygon: its sides touch or cross; give its points in order, each once");
}
