// SPDX-License-Identifier: MIT
// Points that fill a shape's shell. Candidates on a lattice of half the spacing move along the gradient of the
// distance onto the nearest layer; then, in a fixed order, each that has enough room stays.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/status.h"
#include "core/thread.h"
#include "shape/shape_state.h"

// Blocks of the lattice that are no longer than this are one thread's work.
enum { MAX_LATTICE = 1 << 20, MAX_CANDIDATES = 1 << 25, TASK_EDGE = 16 };

// Samples are no nearer than this many spacings. A lattice leaves no room for more; on a curved layer, where they come
// in no order, as many find room as a lattice has (with 0.99 only two thirds of that).
#define CLEARANCE 0.85f
// Spacings that samples in the middle of a thin shape keep: they must not get between the layers of a lattice.
#define MIDDLE_CLEARANCE 0.9f
// The narrowest lattice, in spacings: a bit more than the clearance.
#define NARROWEST 0.87

// Ranks of candidates: up to 3 by their half steps on the lattice; those in the middle of a thin shape come last.
enum { MIDDLE_RANK = 4 };

typedef struct Candidate {
    wbShapeSample sample;
    int layer;
    int rank;
    int place[3]; // on the lattice
} Candidate;

typedef struct Block {
    int low[3], high[3]; // high is beyond
} Block;

// What a search nearby has found: the side, 0 if not known, and how far away the surface is at most.
typedef struct Known {
    int side;
    float most;
} Known;

static const Known nothingKnown = {0, FLT_MAX};

typedef struct Task {
    Block block;
    Known known;
} Task;

// What one thread has found.
typedef struct Basket {
    wbArray items; // Candidate; of the list of work: Task
    int count;
    bool isShort;
} Basket;

typedef struct Sampler {
    const wbShape *shape;
    float spacing;
    int layers, dimensions;
    int size[3];    // of the lattice
    double step[3]; // m, from one place to the next
    Basket tasks, *baskets;
} Sampler;

static void *addItem(const Sampler *sampler, Basket *basket) {
    basket->isShort |= basket->count >= MAX_CANDIDATES ||
                       !wbArray_Reserve(sampler->shape->memory, &basket->items, basket->count + 1);
    return basket->isShort ? NULL
                           : (char *)basket->items.data + basket->items.elementSize * (size_t)basket->count++;
}

// The odd places are half a spacing, and whole spacings more, from the low faces of the box.
static wbVec3 getPlace(const Sampler *sampler, const double place[3]) {
    wbVec3 min = sampler->shape->tree.min;
    const double *step = sampler->step;
    return wbMakeVec3((float)(min.x + place[0] * step[0]), (float)(min.y + place[1] * step[1]),
                      sampler->dimensions == 2 ? 0 : (float)(min.z + place[2] * step[2]));
}

// Along an axis, stretched or shrunk so that whole spacings fill the box, where samples have room then: what is left over at the high end of
// a face would stay without any.
static double findStep(const Sampler *sampler, double extent) {
    const double spacing = (double)sampler->spacing, spacings = extent / spacing;
    double whole = floor(spacings + 0.5);
    if (spacings < whole * NARROWEST) whole--;
    return whole < 1 || fabs(spacings - whole) < 1e-4 ? 0.5 * spacing : 0.5 * extent / whole;
}

// About points that are up to `moved` away from one with that distance.
static Known getKnown(float distance, float moved) {
    Known known = {distance < 0 ? -1 : 1, 1.001f * (fabsf(distance) + moved)};
    if (fabsf(distance) < 1.001f * moved) known.side = 0;
    return known;
}

static wbSurface findSurface(const Sampler *sampler, wbVec3 point, Known known) {
    wbSurface surface = wbFindSurfaceFrom(sampler->shape, point, known.side, known.most);
    if (sampler->dimensions == 2) {
        surface.gradient.z = 0, surface.nearest.z = 0;
        float length = sqrtf(wbDot(surface.gradient, surface.gradient));
        if (length > 0) surface.gradient = wbScale(1 / length, surface.gradient);
    }
    return surface;
}

static wbVec3 sink(const wbSurface *surface, float depth) {
    return wbSub(surface->nearest, wbScale(depth, surface->gradient));
}

// Moves a point to a depth. False if it does not come to rest, because the shape is too thin there.
static bool moveToDepth(const Sampler *sampler, wbSurface surface, float depth, wbShapeSample *sample) {
    for (int k = 0; k < 4; k++) {
        wbVec3 position = sink(&surface, depth);
        surface = findSurface(sampler, position, getKnown(surface.distance, fabsf(depth + surface.distance)));
        *sample = (wbShapeSample){position, surface.gradient, -surface.distance};
        if (fabsf(sample->depth - depth) < 0.01f * sampler->spacing) return true;
    }
    return false;
}

// The deepest point below a point of the surface that still is nearest to it: on the middle surface of a thin shape.
// False if no face lies opposite, as at an edge.
static bool moveToMiddle(const Sampler *sampler, const wbSurface *surface, float depth,
                         wbShapeSample *sample) {
    float low = 0, high = depth;
    bool isFound = false, isOpposite = false;
    for (int k = 0; k < 8; k++) {
        float middle = 0.5f * (low + high);
        wbVec3 position = sink(surface, middle);
        wbSurface below = findSurface(sampler, position, nothingKnown);
        if (below.distance < -0.98f * middle) {
            *sample = (wbShapeSample){position, surface->gradient, -below.distance};
            low = middle, isFound = true;
        } else {
            high = middle, isOpposite = wbDot(surface->gradient, below.gradient) < -0.1f;
        }
    }
    return isFound && isOpposite;
}

static void addCandidate(const Sampler *sampler, Basket *basket, const int place[3], Known known) {
    const float spacing = sampler->spacing;
    const double at[3] = {place[0], place[1], place[2]};
    wbSurface surface = findSurface(sampler, getPlace(sampler, at), known);
    // from outside, too: a plate may lie between two places
    if (surface.distance > 0.45f * spacing) return;
    int layer = surface.distance > 0 ? 0 : (int)(-surface.distance / spacing);
    if (layer >= sampler->layers) return;
    Candidate candidate = {.layer = layer, .place = {place[0], place[1], place[2]}};
    for (int a = 0; a < sampler->dimensions; a++) candidate.rank += place[a] % 2 == 0;
    float depth = ((float)layer + 0.5f) * spacing;
    if (!moveToDepth(sampler, surface, depth, &candidate.sample)) {
        candidate.rank += MIDDLE_RANK;
        if (!moveToMiddle(sampler, &surface, depth, &candidate.sample)) return;
    }
    Candidate *added = addItem(sampler, basket);
    if (added) *added = candidate;
}

static float getLongestStep(const Sampler *sampler) {
    return (float)fmax(fmax(sampler->step[0], sampler->step[1]), sampler->step[2]);
}

// Its candidates; without a basket its parts become tasks.
static void addBlock(Sampler *sampler, Basket *basket, const Block *block, Known known) {
    if (basket ? basket->isShort : sampler->tasks.isShort) return;
    int longest = 0, size[3];
    double middle[3], diagonal2 = 0;
    for (int a = 0; a < 3; a++) {
        size[a] = block->high[a] - block->low[a];
        if (size[a] > size[longest]) longest = a;
        middle[a] = 0.5 * (block->low[a] + block->high[a] - 1);
        diagonal2 += (double)(size[a] - 1) * (size[a] - 1);
    }
    if (!basket && size[longest] <= TASK_EDGE) {
        Task *task = addItem(sampler, &sampler->tasks);
        if (task) *task = (Task){*block, known};
        return;
    }
    if (size[longest] == 1) {
        addCandidate(sampler, basket, block->low, known);
        return;
    }
    if (size[0] == size[1] || size[longest] > 4) { // not at every halving
        float half = getLongestStep(sampler) * 0.5002f * (float)sqrt(diagonal2),
              reach = half + 0.5f * sampler->spacing;
        float distance = findSurface(sampler, getPlace(sampler, middle), known).distance;
        if (distance > reach || -distance > half + sampler->spacing * (float)sampler->layers) return;
        known = getKnown(distance, half);
    }
    Block low = *block, high = *block;
    low.high[longest] = high.low[longest] = block->low[longest] + size[longest] / 2;
    addBlock(sampler, basket, &low, known);
    addBlock(sampler, basket, &high, known);
}

static void runTasks(int begin, int end, int worker, void *context) {
    Sampler *sampler = context;
    const Task *tasks = sampler->tasks.items.data;
    for (int i = begin; i < end; i++)
        addBlock(sampler, &sampler->baskets[worker], &tasks[i].block, tasks[i].known);
}

// All into the first basket. They are sorted later, so that who found them does not matter.
static void gather(const Sampler *sampler, int basketCount) {
    wbMemory *memory = sampler->shape->memory;
    Basket *all = &sampler->baskets[0];
    int64_t count = 0;
    for (int b = 0; b < basketCount; b++)
        count += sampler->baskets[b].count, all->isShort |= sampler->baskets[b].isShort;
    all->isShort |=
        sampler->tasks.isShort || count > MAX_CANDIDATES || !wbArray_Reserve(memory, &all->items, (int)count);
    for (int b = 1; b < basketCount; b++) {
        Basket *basket = &sampler->baskets[b];
        if (!all->isShort && basket->count > 0) {
            memcpy((Candidate *)all->items.data + all->count, basket->items.data,
                   sizeof(Candidate) * (size_t)basket->count);
            all->count += basket->count;
        }
        wbArray_Free(memory, &basket->items);
    }
}

static int compareCandidates(const void *first, const void *second) {
    const Candidate *a = first, *b = second;
    if (a->layer != b->layer) return a->layer < b->layer ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    for (int k = 2; k >= 0; k--)
        if (a->place[k] != b->place[k]) return a->place[k] < b->place[k] ? -1 : 1;
    return 0;
}

// Samples that stay, in hashed cells of a spacing.
typedef struct Kept {
    wbShapeSample *samples;
    int *heads, *next; // -1: none
    uint32_t mask;
    int count;
    float spacing;
} Kept;

static uint32_t hashCell(int x, int y, int z) {
    return (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
}

static bool hasRoom(const Kept *kept, wbVec3 p, const int cell[3], float clearance) {
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                uint32_t slot = hashCell(cell[0] + x, cell[1] + y, cell[2] + z) & kept->mask;
                for (int i = kept->heads[slot]; i >= 0; i = kept->next[i]) {
                    wbVec3 d = wbSub(kept->samples[i].position, p);
                    if (wbDot(d, d) < clearance * clearance) return false;
                }
            }
    return true;
}

static void keepWithRoom(Kept *kept, const Candidate *candidates, int count) {
    for (uint32_t slot = 0; slot <= kept->mask; slot++) kept->heads[slot] = -1;
    for (int c = 0; c < count; c++) {
        wbVec3 p = candidates[c].sample.position;
        int cell[3] = {(int)floorf(p.x / kept->spacing), (int)floorf(p.y / kept->spacing),
                       (int)floorf(p.z / kept->spacing)};
        float clearance = candidates[c].rank < MIDDLE_RANK ? CLEARANCE : MIDDLE_CLEARANCE;
        if (!hasRoom(kept, p, cell, clearance * kept->spacing)) continue;
        uint32_t slot = hashCell(cell[0], cell[1], cell[2]) & kept->mask;
        kept->next[kept->count] = kept->heads[slot], kept->heads[slot] = kept->count;
        kept->samples[kept->count++] = candidates[c].sample;
    }
}

// Sorts the candidates and keeps as many as have room.
static wbStatus choose(const Sampler *sampler, wbShapeSamples *samples) {
    wbMemory *memory = sampler->shape->memory;
    const Basket *all = &sampler->baskets[0];
    int count = all->count;
    uint32_t slots = 16;
    while (slots < (uint32_t)count / 4) slots *= 2;
    size_t headBytes = sizeof(int) * slots, nextBytes = sizeof(int) * (size_t)count;
    size_t bytes = sizeof(wbShapeSample) * (size_t)count;
    Kept kept = {.heads = wbAlloc(memory, headBytes),
                 .next = wbAlloc(memory, nextBytes),
                 .samples = wbAlloc(memory, bytes),
                 .mask = slots - 1,
                 .spacing = sampler->spacing};
    bool hasMemory = kept.heads && kept.next && kept.samples;
    if (hasMemory) {
        qsort(all->items.data, (size_t)count, sizeof(Candidate), compareCandidates);
        keepWithRoom(&kept, all->items.data, count);
        *samples = (wbShapeSamples){kept.samples, kept.count, bytes};
    } else {
        wbFree(memory, kept.samples, bytes);
    }
    wbFree(memory, kept.heads, headBytes);
    wbFree(memory, kept.next, nextBytes);
    return hasMemory ? wb_okStatus : wbMemoryError(memory, "%d points of a shape need", count);
}

static wbStatus layOut(Sampler *sampler) {
    const wbShapeTree *tree = &sampler->shape->tree;
    const float extents[3] = {tree->max.x - tree->min.x, tree->max.y - tree->min.y,
                              tree->max.z - tree->min.z};
    for (int a = 0; a < 3; a++) {
        const bool isUsed = a < sampler->dimensions;
        sampler->step[a] = isUsed ? findStep(sampler, (double)extents[a]) : 0;
        double places = isUsed ? ceil((double)extents[a] / sampler->step[a] - 1e-4) + 1 : 1;
        if (!(places < MAX_LATTICE))
            return wbError(wb_errorInput,
                           "a shape of %g m is too large for a spacing of %g m: take a larger one",
                           (double)extents[a], (double)sampler->spacing);
        sampler->size[a] = (int)places;
    }
    return wb_okStatus;
}

// A floor far larger than the water would take minutes. There are up to 8 candidates per sample.
static wbStatus checkSurface(const Sampler *sampler) {
    const wbShapeTree *tree = &sampler->shape->tree;
    double area = 0, spacing = sampler->spacing;
    for (int t = 0; t < tree->triangleCount; t++) {
        const wbVec3 *c = tree->triangles[t].corners;
        const wbVec3 normal = wbCross(wbSub(c[1], c[0]), wbSub(c[2], c[0]));
        area += 0.5 * sqrt((double)wbDot(normal, normal));
    }
    if (sampler->dimensions == 2 || 8 * sampler->layers * area / (spacing * spacing) < MAX_CANDIDATES)
        return wb_okStatus;
    return wbError(
        wb_errorInput,
        "a shape with a surface of %g m2 is too large for a spacing of %g m: make it no larger than "
        "the water needs, or the spacing larger",
        area, spacing);
}

static wbStatus fill(Sampler *sampler, wbThreadPool *pool, wbShapeSamples *samples) {
    const int basketCount = wbThreadPool_GetCount(pool);
    const size_t bytes = sizeof(Basket) * (size_t)basketCount;
    wbMemory *memory = sampler->shape->memory;
    const Block lattice = {.high = {sampler->size[0], sampler->size[1], sampler->size[2]}};
    wbStatus status = wb_okStatus;
    sampler->baskets = wbAllocZero(memory, bytes);
    if (!sampler->baskets) return wbMemoryError(memory, "the points of a shape need");
    for (int b = 0; b < basketCount; b++) sampler->baskets[b].items.elementSize = sizeof(Candidate);
    addBlock(sampler, NULL, &lattice, nothingKnown);
    wbParallelShare(pool, sampler->tasks.count, 1, runTasks, sampler);
    gather(sampler, basketCount);
    if (sampler->baskets[0].isShort)
        status = wbMemoryError(memory, "%d points of a shape need", sampler->baskets[0].count);
    else if (sampler->baskets[0].count > 0)
        status = choose(sampler, samples);
    wbArray_Free(memory, &sampler->tasks.items);
    wbArray_Free(memory, &sampler->baskets[0].items);
    wbFree(memory, sampler->baskets, bytes);
    return status;
}

wbStatus wbShape_Sample(const wbShape *shape, float spacing, float depth, int dimensions, wbThreadPool *pool,
                        wbShapeSamples *samples) {
    WB_ASSERT(spacing > 0 && depth > 0 && (dimensions == 2 || dimensions == 3),
              "samples need a spacing, a depth and 2 or 3 dimensions");
    *samples = (wbShapeSamples){0};
    Sampler sampler = {.shape = shape,
                       .spacing = spacing,
                       .dimensions = dimensions,
                       .tasks = {.items = {.elementSize = sizeof(Task)}}};
    WB_TRY(layOut(&sampler));
    sampler.layers = (int)fminf(fmaxf(depth / spacing + 0.49f, 1), MAX_LATTICE);
    WB_TRY(checkSurface(&sampler));
    return fill(&sampler, pool, samples);
}

void wbShape_FreeSamples(const wbShape *shape, wbShapeSamples *samples) {
    wbFree(shape->memory, samples->samples, samples->bytes);
    *samples = (wbShapeSamples){0};
}
