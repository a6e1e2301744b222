// SPDX-License-Identifier: MIT
#include "space/broad_phase.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/status.h"

// An item on its way into the tree.
typedef struct Entry {
    float middle[3];
    int item;
} Entry;

static BroadNode *getNodes(const wbBroadPhase *tree) { return tree->nodes.data; }
static BroadBox *getBoxes(const wbBroadPhase *tree) { return tree->boxes.data; }
static int *getParents(const wbBroadPhase *tree) { return tree->parents.data; }
static int *getLeaves(const wbBroadPhase *tree) { return tree->leaves.data; }
static bool *getMarks(const wbBroadPhase *tree) { return tree->isChanged.data; }

bool wbBroadPhase_Reserve(wbMemory *memory, wbBroadPhase *tree, int count) {
    tree->nodes.elementSize = sizeof(BroadNode), tree->boxes.elementSize = sizeof(BroadBox);
    tree->parents.elementSize = tree->leaves.elementSize = tree->changed.elementSize = sizeof(int);
    tree->isChanged.elementSize = sizeof(bool), tree->entries.elementSize = sizeof(Entry);
    if (!wbArray_Reserve(memory, &tree->boxes, count)) return false;
    const int room = tree->boxes.capacity;
    if (!wbArray_Reserve(memory, &tree->nodes, 2 * room) ||
        !wbArray_Reserve(memory, &tree->parents, 2 * room) || !wbArray_Reserve(memory, &tree->leaves, room) ||
        !wbArray_Reserve(memory, &tree->changed, room) || !wbArray_Reserve(memory, &tree->isChanged, room) ||
        !wbArray_Reserve(memory, &tree->entries, room))
        return false;
    tree->room = room;
    return true;
}

void wbBroadPhase_Free(wbMemory *memory, wbBroadPhase *tree) {
    wbArray *arrays[] = {&tree->nodes,   &tree->parents,   &tree->boxes,  &tree->leaves,
                         &tree->changed, &tree->isChanged, &tree->entries};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) wbArray_Free(memory, arrays[i]);
    *tree = (wbBroadPhase){0};
}

// Of numbers: devices may compare NaNs as they like.
BroadBox wbMakeEmptyBox(void) {
    return (BroadBox){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static bool isEmpty(const BroadBox *box) {
    return !(box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2]);
}

BroadBox wbJoinBoxes(const BroadBox *a, const BroadBox *b) {
    BroadBox box;
    for (int k = 0; k < 3; k++)
        box.min[k] = fminf(a->min[k], b->min[k]), box.max[k] = fmaxf(a->max[k], b->max[k]);
    return box;
}

BroadBox wbGrowBox(const BroadBox *box, float margin) {
    BroadBox grown;
    for (int k = 0; k < 3; k++) grown.min[k] = box->min[k] - margin, grown.max[k] = box->max[k] + margin;
    return grown;
}

BroadBox wbBoundTurned(wbVec3 middle, wbVec3 a, wbVec3 b, wbVec3 c) {
    const wbVec3 half = {fabsf(a.x) + fabsf(b.x) + fabsf(c.x), fabsf(a.y) + fabsf(b.y) + fabsf(c.y),
                         fabsf(a.z) + fabsf(b.z) + fabsf(c.z)};
    return (BroadBox){{middle.x - half.x, middle.y - half.y, middle.z - half.z},
                      {middle.x + half.x, middle.y + half.y, middle.z + half.z}};
}

BroadBox wbBoundShape(const wbShape *shape, const wbPose *pose) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const wbVec3 half = wbSub(tree->max, tree->centre), middle = wbPose_Apply(pose, tree->centre);
    const BroadBox box = wbBoundTurned(middle, wbPose_Rotate(pose, wbMakeVec3(half.x, 0, 0)),
                                       wbPose_Rotate(pose, wbMakeVec3(0, half.y, 0)),
                                       wbPose_Rotate(pose, wbMakeVec3(0, 0, half.z)));
    const float size = sqrtf(wbDot(middle, middle)) + sqrtf(wbDot(tree->centre, tree->centre)) + tree->radius;
    return wbGrowBox(&box, 0x1p-16f * size);
}

const BroadBox *wbBroadPhase_GetBox(const wbBroadPhase *tree, int item) { return &getBoxes(tree)[item]; }

void wbBroadPhase_SetBox(wbBroadPhase *tree, int item, const BroadBox *box) {
    BroadBox *own = &getBoxes(tree)[item];
    if (memcmp(own, box, sizeof *own) == 0) return;
    *own = *box;
    if (item >= tree->leafCount || getMarks(tree)[item]) return;
    getMarks(tree)[item] = true;
    ((int *)tree->changed.data)[tree->changedCount++] = item;
}

void wbBroadPhase_SetCount(wbBroadPhase *tree, int count) {
    const BroadBox empty = wbMakeEmptyBox();
    WB_ASSERT(count <= tree->room, "the broad phase has no room for so many items");
    for (int i = tree->count; i < count; i++) wbBroadPhase_SetBox(tree, i, &empty);
    for (int i = count; i < tree->count; i++) wbBroadPhase_SetBox(tree, i, &empty);
    tree->count = count;
}

void wbBroadPhase_Remove(wbBroadPhase *tree, int item) {
    for (int i = item + 1; i < tree->count; i++)
        wbBroadPhase_SetBox(tree, i - 1, wbBroadPhase_GetBox(tree, i));
    wbBroadPhase_SetCount(tree, tree->count - 1);
}

// Building

// Also of boxes that are empty or endless.
static float getMiddle(const BroadBox *box, int axis) {
    return 0.5f * fmaxf(fminf(box->min[axis], FLT_MAX), -FLT_MAX) +
           0.5f * fmaxf(fminf(box->max[axis], FLT_MAX), -FLT_MAX);
}

static int findLongestAxis(const Entry *entries, int count) {
    int longest = 0;
    float extents[3];
    for (int a = 0; a < 3; a++) {
        float min = entries[0].middle[a], max = min;
        for (int i = 1; i < count; i++)
            min = fminf(min, entries[i].middle[a]), max = fmaxf(max, entries[i].middle[a]);
        extents[a] = 0.5f * max - 0.5f * min;
        if (extents[a] > extents[longest]) longest = a;
    }
    return longest;
}

static bool isBefore(const Entry *a, const Entry *b, int axis) {
    return a->middle[axis] != b->middle[axis] ? a->middle[axis] < b->middle[axis] : a->item < b->item;
}

// Puts those that come first along an axis into the first half: Hoare's selection.
static void halve(Entry *entries, int count, int axis) {
    const int half = count / 2;
    for (int low = 0, high = count - 1; low < high;) {
        const Entry pivot = entries[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (isBefore(&entries[i], &pivot, axis)) i++;
            while (isBefore(&pivot, &entries[j], axis)) j--;
            if (i > j) break;
            const Entry other = entries[i];
            entries[i++] = entries[j], entries[j--] = other;
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            break;
    }
}

// The two children of an inner node.
static int getFirst(int node) { return node + 1; }
static int getSecond(const wbBroadPhase *tree, int node) { return getNodes(tree)[node + 1].skip; }
static bool isLeaf(const BroadNode *nodes, int node) { return nodes[node].skip == node + 1; }

static BroadBox boundNode(const wbBroadPhase *tree, int node) {
    const BroadNode *nodes = getNodes(tree);
    return isLeaf(nodes, node) ? getBoxes(tree)[nodes[node].last]
                               : wbJoinBoxes(&nodes[getFirst(node)].box, &nodes[getSecond(tree, node)].box);
}

static void buildNode(wbBroadPhase *tree, Entry *entries, int count, int parent);

// An inner node and all below it; its first child is over the first of the entries.
static void buildInner(wbBroadPhase *tree, Entry *entries, int count, int first, int parent) {
    BroadNode *nodes = getNodes(tree);
    const int node = tree->nodeCount++;
    getParents(tree)[node] = parent;
    buildNode(tree, entries, first, node);
    const int second = tree->nodeCount;
    buildNode(tree, entries + first, count - first, node);
    nodes[node].last = nodes[node + 1].last > nodes[second].last ? nodes[node + 1].last : nodes[second].last;
    nodes[node].skip = tree->nodeCount;
    nodes[node].box = boundNode(tree, node);
}

static void buildNode(wbBroadPhase *tree, Entry *entries, int count, int parent) {
    if (count > 1) {
        halve(entries, count, findLongestAxis(entries, count));
        buildInner(tree, entries, count, count / 2, parent);
        return;
    }
    const int node = tree->nodeCount++, item = entries->item;
    getParents(tree)[node] = parent;
    getLeaves(tree)[item] = node;
    getNodes(tree)[node] = (BroadNode){getBoxes(tree)[item], node + 1, item};
}

static double getExtent(const BroadBox *box, int axis) {
    return fmax((double)box->max[axis] - box->min[axis], 0);
}

// m2, half the surface of all nodes: how many of them a search meets.
static double sumCost(const wbBroadPhase *tree) {
    double sum = 0;
    for (int i = 0; i < tree->nodeCount; i++) {
        const BroadBox *box = &getNodes(tree)[i].box;
        const double x = getExtent(box, 0), y = getExtent(box, 1), z = getExtent(box, 2);
        sum += x * y + y * z + z * x;
    }
    return sum;
}

// Leaves for all that there is room for: empty ones stand apart, behind the others, and wait for boxes to come.
static void build(wbBroadPhase *tree) {
    Entry *entries = tree->entries.data;
    BroadBox *boxes = getBoxes(tree);
    int full = 0, empty = tree->room;
    for (int i = 0; i < tree->room; i++) {
        if (i >= tree->count) boxes[i] = wbMakeEmptyBox();
        const Entry entry = {{getMiddle(&boxes[i], 0), getMiddle(&boxes[i], 1), getMiddle(&boxes[i], 2)}, i};
        entries[isEmpty(&boxes[i]) ? --empty : full++] = entry;
    }
    tree->nodeCount = 0;
    if (full > 0 && full < tree->room)
        buildInner(tree, entries, tree->room, full, -1);
    else
        buildNode(tree, entries, tree->room, -1);
    tree->leafCount = tree->room;
    tree->builtCost = sumCost(tree);
    tree->followed = 0;
}

// Following

// From a leaf up, as far as boxes change.
static void followItem(wbBroadPhase *tree, int item) {
    for (int node = getLeaves(tree)[item]; node >= 0; node = getParents(tree)[node]) {
        const BroadBox box = boundNode(tree, node);
        if (memcmp(&box, &getNodes(tree)[node].box, sizeof box) == 0) return;
        getNodes(tree)[node].box = box;
    }
}

static void follow(wbBroadPhase *tree) {
    // a walk over all is as quick as many ways up
    if (tree->changedCount > tree->count / 8)
        for (int node = tree->nodeCount - 1; node >= 0; node--)
            getNodes(tree)[node].box = boundNode(tree, node);
    else
        for (int i = 0; i < tree->changedCount; i++) followItem(tree, ((int *)tree->changed.data)[i]);
    tree->followed += tree->changedCount;
    if (tree->followed < tree->count) return;
    tree->followed = 0;
    if (sumCost(tree) > 2 * tree->builtCost) build(tree);
}

static void clearChanged(wbBroadPhase *tree) {
    for (int i = 0; i < tree->changedCount; i++) getMarks(tree)[((int *)tree->changed.data)[i]] = false;
    tree->changedCount = 0;
}

void wbBroadPhase_Update(wbBroadPhase *tree) {
    if (tree->leafCount < tree->count)
        build(tree);
    else if (tree->changedCount > 0)
        follow(tree);
    clearChanged(tree);
}

// Searches

static bool isUpToDate(const wbBroadPhase *tree) {
    return tree->count <= tree->leafCount && tree->changedCount == 0;
}

int wbBroadPhase_FindNext(const wbBroadPhase *tree, const BroadBox *box, int after) {
    WB_ASSERT_HOT(isUpToDate(tree), "the broad phase has to be updated before a search");
    return broad_find_next(getNodes(tree), tree->nodeCount, box, after);
}

void wbBroadPhase_FindAll(const wbBroadPhase *tree, const BroadBox *box, wbBroadFoundFn *found,
                          void *context) {
    WB_ASSERT(isUpToDate(tree), "the broad phase has to be updated before a search");
    const BroadNode *nodes = getNodes(tree);
    for (int i = 0; i < tree->nodeCount;) {
        const bool touches = broad_touches(&nodes[i].box, box);
        if (touches && isLeaf(nodes, i)) found(nodes[i].last, context);
        i = touches ? i + 1 : nodes[i].skip;
    }
}

// How far a box is from what is sought; INFINITY: it is not met.
typedef double Measure(const BroadBox *box, const void *what);

static double measurePoint(const BroadBox *box, const void *what) {
    const wbVec3 *point = what;
    const double p[3] = {point->x, point->y, point->z};
    double sum = 0;
    if (isEmpty(box)) return INFINITY;
    for (int a = 0; a < 3; a++) {
        const double d = fmax(fmax(box->min[a] - p[a], p[a] - box->max[a]), 0);
        sum += d * d;
    }
    return sqrt(sum);
}

typedef struct Ray {
    double origin[3], direction[3];
} Ray;

// Where a ray comes between the planes of each pair of faces: Kay and Kajiya 1986.
static double measureRay(const BroadBox *box, const void *what) {
    const Ray *ray = what;
    double from = 0, to = INFINITY;
    if (isEmpty(box)) return INFINITY;
    for (int a = 0; a < 3; a++) {
        const double low = box->min[a] - ray->origin[a], high = box->max[a] - ray->origin[a];
        if (ray->direction[a] == 0) {
            if (!(low <= 0 && high >= 0)) return INFINITY;
            continue;
        }
        const bool isUp = ray->direction[a] > 0;
        from = fmax(from, (isUp ? low : high) / ray->direction[a]);
        to = fmin(to, (isUp ? high : low) / ray->direction[a]);
    }
    // a box without depth, met askew, is met also after rounding
    return from <= to + 1e-12 * fabs(to) ? from : INFINITY;
}

// Of two children the nearer one first; the other waits on a stack as deep as the tree.
static void seekAll(const wbBroadPhase *tree, Measure *measure, const void *what, float most,
                    wbBroadSeekFn *seek, void *context) {
    struct {
        int node;
        double distance;
    } stack[64];
    WB_ASSERT_HOT(isUpToDate(tree), "the broad phase has to be updated before a search");
    const BroadNode *nodes = getNodes(tree);
    int depth = 0;
    if (tree->nodeCount > 0) stack[depth].node = 0, stack[depth++].distance = measure(&nodes[0].box, what);
    while (depth > 0) {
        const int node = stack[--depth].node;
        // what is as far as `most` but for rounding is looked at, so that the order of equals does not matter
        if (!(stack[depth].distance * (1 - 1e-6) <= most) || isinf(stack[depth].distance)) continue;
        if (isLeaf(nodes, node)) {
            most = seek(nodes[node].last, most, context);
            continue;
        }
        const int children[2] = {getFirst(node), getSecond(tree, node)};
        const double d[2] = {measure(&nodes[children[0]].box, what), measure(&nodes[children[1]].box, what)};
        const int nearer = d[1] < d[0];
        stack[depth].node = children[!nearer], stack[depth++].distance = d[!nearer];
        stack[depth].node = children[nearer], stack[depth++].distance = d[nearer];
    }
}

void wbBroadPhase_SeekNearest(const wbBroadPhase *tree, wbVec3 point, float most, wbBroadSeekFn *seek,
                              void *context) {
    seekAll(tree, measurePoint, &point, most, seek, context);
}

void wbBroadPhase_SeekRay(const wbBroadPhase *tree, wbVec3 origin, wbVec3 direction, float most,
                          wbBroadSeekFn *seek, void *context) {
    const Ray ray = {{origin.x, origin.y, origin.z}, {direction.x, direction.y, direction.z}};
    seekAll(tree, measureRay, &ray, most, seek, context);
}
