// SPDX-License-Identifier: MIT
// Creation: triangles and the tree over them.
#include "shape/shape.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/status.h"
#include "shape/mesh.h"
#include "shape/shape_state.h"

enum { LEAF_TRIANGLES = 4 };

// A triangle on its way into the tree.
typedef struct Entry {
    float middle[3];
    float key;
    int index;
} Entry;

typedef struct Builder {
    wbShape *shape;
    const wbMesh *mesh;
    Entry *entries;
    int nodeCount;
} Builder;

static wbVec3 getVertex(const wbMesh *mesh, int triangle, int corner) {
    const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)triangle + (size_t)corner];
    return wbMakeVec3(v[0], v[1], v[2]);
}

static float getAxis(wbVec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// In double, because a thin triangle's normal is a small difference.
static void cross(const double a[3], const double b[3], double result[3]) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        result[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static wbVec3 normalise(const double v[3]) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length == 0) return wbMakeVec3(0, 0, 0);
    return wbMakeVec3((float)(v[0] / length), (float)(v[1] / length), (float)(v[2] / length));
}

static void subtract(wbVec3 a, wbVec3 b, double result[3]) {
    result[0] = (double)a.x - b.x, result[1] = (double)a.y - b.y, result[2] = (double)a.z - b.z;
}

static ShapeTriangle makeTriangle(const wbMesh *mesh, int index) {
    ShapeTriangle t;
    double edges[3][3], normal[3], inwards[3];
    for (int k = 0; k < 3; k++) t.corners[k] = getVertex(mesh, index, k);
    for (int k = 0; k < 3; k++) subtract(t.corners[(k + 1) % 3], t.corners[k], edges[k]);
    cross(edges[0], edges[1], normal);
    t.normal = normalise(normal);
    for (int k = 0; k < 3; k++) {
        cross(normal, edges[k], inwards);
        t.inwards[k] = normalise(inwards);
    }
    return t;
}

static int compareEntries(const void *first, const void *second) {
    const Entry *a = first, *b = second;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Halves the entries along the axis in which their middles lie farthest apart.
static void sortAlongLongest(Entry *entries, int count) {
    int longest = 0;
    float extents[3];
    for (int a = 0; a < 3; a++) {
        float min = FLT_MAX, max = -FLT_MAX;
        for (int i = 0; i < count; i++)
            min = fminf(min, entries[i].middle[a]), max = fmaxf(max, entries[i].middle[a]);
        extents[a] = max - min;
        if (extents[a] > extents[longest]) longest = a;
    }
    for (int i = 0; i < count; i++) entries[i].key = entries[i].middle[longest];
    qsort(entries, (size_t)count, sizeof *entries, compareEntries);
}

static void boundTriangles(ShapeNode *node, const ShapeTriangle *triangles, int count) {
    for (int a = 0; a < 3; a++) node->min[a] = FLT_MAX, node->max[a] = -FLT_MAX;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) {
                node->min[a] = fminf(node->min[a], getAxis(triangles[i].corners[k], a));
                node->max[a] = fmaxf(node->max[a], getAxis(triangles[i].corners[k], a));
            }
}

// From the node's triangles, which stand one after the other also for an inner node.
static void sumCluster(ShapeCluster *cluster, const ShapeTriangle *triangles, int count) {
    double centre[3] = {0}, area[3] = {0}, weight = 0;
    for (int i = 0; i < count; i++) {
        const wbVec3 *c = triangles[i].corners;
        double ab[3], ac[3], n[3];
        subtract(c[1], c[0], ab), subtract(c[2], c[0], ac);
        cross(ab, ac, n);
        double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + DBL_MIN;
        for (int a = 0; a < 3; a++) {
            area[a] += n[a] / 2;
            centre[a] += size * ((double)getAxis(c[0], a) + getAxis(c[1], a) + getAxis(c[2], a)) / 3;
        }
        weight += size;
    }
    for (int a = 0; a < 3; a++)
        cluster->centre[a] = (float)(centre[a] / weight), cluster->area[a] = (float)area[a];
    wbVec3 middle = wbMakeVec3(cluster->centre[0], cluster->centre[1], cluster->centre[2]);
    float radius2 = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            wbVec3 d = wbSub(triangles[i].corners[k], middle);
            radius2 = fmaxf(radius2, wbDot(d, d));
        }
    cluster->radius = sqrtf(radius2);
}

// Builds the node over entries begin … end - 1 and all below it.
static void buildNode(Builder *builder, int begin, int end) {
    wbShape *shape = builder->shape;
    int index = builder->nodeCount++, count = end - begin;
    ShapeNode node = {.first = begin, .count = count};
    if (count > LEAF_TRIANGLES) {
        int middle = begin + count / 2;
        sortAlongLongest(builder->entries + begin, count);
        buildNode(builder, begin, middle);
        buildNode(builder, middle, end);
        node.count = 0;
    } else {
        for (int i = begin; i < end; i++) {
            shape->meshTriangles[i] = builder->entries[i].index;
            shape->triangles[i] = makeTriangle(builder->mesh, builder->entries[i].index);
        }
    }
    boundTriangles(&node, shape->triangles + begin, count);
    sumCluster(&shape->clusters[index], shape->triangles + begin, count);
    node.skip = builder->nodeCount;
    shape->nodes[index] = node;
}

static void buildTree(wbShape *shape, const wbMesh *mesh, Entry *entries) {
    for (int t = 0; t < mesh->triangleCount; t++) {
        entries[t].index = t;
        for (int a = 0; a < 3; a++)
            entries[t].middle[a] = (getAxis(getVertex(mesh, t, 0), a) + getAxis(getVertex(mesh, t, 1), a) +
                                    getAxis(getVertex(mesh, t, 2), a)) /
                                   3;
    }
    Builder builder = {shape, mesh, entries, 0};
    buildNode(&builder, 0, mesh->triangleCount);
    const ShapeNode *root = shape->nodes;
    wbShapeTree *tree = &shape->tree;
    *tree = (wbShapeTree){.nodes = root,
                          .clusters = shape->clusters,
                          .triangles = shape->triangles,
                          .meshTriangles = shape->meshTriangles,
                          .nodeCount = builder.nodeCount,
                          .triangleCount = mesh->triangleCount,
                          .min = {root->min[0], root->min[1], root->min[2]},
                          .max = {root->max[0], root->max[1], root->max[2]}};
    tree->centre = wbScale(0.5f, wbAdd(tree->min, tree->max));
    wbVec3 half = wbSub(tree->max, tree->centre);
    tree->radius = sqrtf(wbDot(half, half));
}

// The lowest vertex that is joined to one by triangles, so far.
static int findRoot(int *roots, int vertex) {
    while (roots[vertex] != vertex) vertex = roots[vertex] = roots[roots[vertex]];
    return vertex;
}

static wbVec3 getCorner(const wbMesh *mesh, int triangle, int corner) {
    const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)triangle + (size_t)corner];
    return wbMakeVec3(v[0], v[1], v[2]);
}

static wbVec3 getCross(const wbMesh *mesh, int t) {
    const wbVec3 a = getCorner(mesh, t, 0);
    return wbCross(wbSub(getCorner(mesh, t, 1), a), wbSub(getCorner(mesh, t, 2), a));
}

// Just behind its largest face a part must be inside: one that is inside out has its outside there, a hollow has not.
static wbStatus checkPart(const wbShape *shape, const wbMesh *mesh, int largest) {
    const wbVec3 cross = getCross(mesh, largest), a = getCorner(mesh, largest, 0);
    const float area2 = sqrtf(wbDot(cross, cross));
    const wbVec3 middle =
        wbScale(1 / 3.0f, wbAdd(a, wbAdd(getCorner(mesh, largest, 1), getCorner(mesh, largest, 2))));
    // a step that floats can tell, and no thickness of a plate
    const float step = 1e-5f * sqrtf(area2) + 1e-6f * sqrtf(wbDot(middle, middle));
    const wbVec3 behind = wbSub(middle, wbScale(step / area2, cross));
    if (!(area2 > 0) || wbShape_GetWinding(shape, behind) > 0.5) return wb_okStatus;
    return wbError(wb_errorInput,
                   "a part of the mesh is inside out, that of triangle %d; turn its triangles over", largest);
}

// roots, largest: room for a number per vertex each.
static wbStatus checkParts(const wbShape *shape, const wbMesh *mesh, int *roots, int *largest) {
    for (int v = 0; v < mesh->vertexCount; v++) roots[v] = v, largest[v] = -1;
    for (int t = 0; t < mesh->triangleCount; t++)
        for (int k = 1; k < 3; k++) {
            int a = findRoot(roots, (int)mesh->indices[3 * (size_t)t]),
                b = findRoot(roots, (int)mesh->indices[3 * (size_t)t + (size_t)k]);
            roots[a > b ? a : b] = a > b ? b : a;
        }
    for (int t = 0; t < mesh->triangleCount; t++) {
        int *best = &largest[findRoot(roots, (int)mesh->indices[3 * (size_t)t])];
        wbVec3 cross = getCross(mesh, t), other = *best < 0 ? wbMakeVec3(0, 0, 0) : getCross(mesh, *best);
        if (*best < 0 || wbDot(cross, cross) > wbDot(other, other)) *best = t;
    }
    for (int v = 0; v < mesh->vertexCount; v++)
        if (largest[v] >= 0) WB_TRY(checkPart(shape, mesh, largest[v]));
    return wb_okStatus;
}

static wbStatus checkAllParts(const wbShape *shape, const wbMesh *mesh) {
    size_t bytes = sizeof(int[2]) * (size_t)mesh->vertexCount;
    int *room = wbAlloc(shape->memory, bytes);
    if (!room) return wbMemoryError(shape->memory, "the check of %d vertices needs", mesh->vertexCount);
    wbStatus status = checkParts(shape, mesh, room, room + mesh->vertexCount);
    wbFree(shape->memory, room, bytes);
    return status;
}

wbStatus wbCreateShape(wbMemory *memory, const wbMesh *mesh, wbShape **result) {
    *result = NULL;
    WB_TRY(wbMesh_Check(mesh));
    // a leaf has at least two triangles, or is the only node
    int count = mesh->triangleCount, nodes = count;
    size_t entryBytes = sizeof(Entry) * (size_t)count;
    Entry *entries = wbAlloc(memory, entryBytes);
    wbShape *shape = wbAllocZero(memory, sizeof *shape);
    if (shape) {
        shape->memory = memory, shape->nodeCapacity = nodes, shape->tree.triangleCount = count;
        shape->nodes = wbAlloc(memory, sizeof(ShapeNode) * (size_t)nodes);
        shape->clusters = wbAlloc(memory, sizeof(ShapeCluster) * (size_t)nodes);
        shape->triangles = wbAlloc(memory, sizeof(ShapeTriangle) * (size_t)count);
        shape->meshTriangles = wbAlloc(memory, sizeof(int) * (size_t)count);
    }
    bool hasMemory =
        entries && shape && shape->nodes && shape->clusters && shape->triangles && shape->meshTriangles;
    if (hasMemory) buildTree(shape, mesh, entries);
    wbFree(memory, entries, entryBytes);
    wbStatus status = hasMemory ? checkAllParts(shape, mesh)
                                : wbMemoryError(memory, "a shape of %d triangles needs", count);
    if (wbIsOk(status))
        *result = shape;
    else
        wbDestroyShape(shape);
    return status;
}

wbShape *wbShape_Share(wbShape *shape) {
    shape->moreOwners++;
    return shape;
}

void wbDestroyShape(wbShape *shape) {
    if (!shape || shape->moreOwners-- > 0) return;
    wbFree(shape->memory, shape->nodes, sizeof(ShapeNode) * (size_t)shape->nodeCapacity);
    wbFree(shape->memory, shape->clusters, sizeof(ShapeCluster) * (size_t)shape->nodeCapacity);
    wbFree(shape->memory, shape->triangles, sizeof(ShapeTriangle) * (size_t)shape->tree.triangleCount);
    wbFree(shape->memory, shape->isFlat, sizeof(bool) * (size_t)shape->tree.nodeCount);
    wbFree(shape->memory, shape->edges, sizeof(wbShapeEdges) * (size_t)shape->tree.triangleCount);
    wbFree(shape->memory, shape->meshTriangles, sizeof(int) * (size_t)shape->tree.triangleCount);
    wbFree(shape->memory, shape, sizeof *shape);
}

const wbShapeTree *wbShape_GetTree(const wbShape *shape) { return &shape->tree; }
