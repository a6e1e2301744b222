// SPDX-License-Identifier: MIT
#include "render/occupancy.h"

#include "core/status.h"

#include <math.h>

/// Larger lattices than this get larger cells: a stray drop far away must not cost gigabytes.
enum { MAX_NODES = 4 << 20, MARGIN = 3 };

static int64_t countNodes(wbOccupancy *o, const wbBounds *box) {
    float extent[3] = {box->max.x - box->min.x, box->max.y - box->min.y, box->max.z - box->min.z};
    int64_t count = 1;
    for (int a = 0; a < 3; ++a) {
        float cells = extent[a] / o->cell;
        if (cells > MAX_NODES) return MAX_NODES + 1;
        o->size[a] = (int)cells + 2 + 2 * MARGIN;
        count *= o->size[a];
        if (count > MAX_NODES) return count;
    }
    return count;
}

static bool prepare(wbOccupancy *o, const wbBounds *box, float spacing) {
    o->cell = 2 * spacing;
    while (countNodes(o, box) > MAX_NODES) o->cell *= 1.5f;
    int count = o->size[0] * o->size[1] * o->size[2];
    o->origin = wbSub(box->min, wbMakeVec3(MARGIN * o->cell, MARGIN * o->cell, MARGIN * o->cell));
    o->nodes.elementSize = o->scratch.elementSize = (int)sizeof(float);
    if (!wbArray_Reserve(NULL, &o->nodes, count) || !wbArray_Reserve(NULL, &o->scratch, count)) return false;
    float *nodes = o->nodes.data;
    for (int i = 0; i < count; ++i) nodes[i] = 0;
    return true;
}

/// The cell of a point: its lowest node, and how far the point is from there in cells.
typedef struct Place {
    int node;
    float fx, fy, fz;
} Place;

static int clampIndex(float value, int size) {
    float last = (float)(size - 2);
    return (int)(value < 0 ? 0 : value > last ? last : value);
}

static float clampShare(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

static Place locate(const wbOccupancy *o, float x, float y, float z) {
    float px = (x - o->origin.x) / o->cell, py = (y - o->origin.y) / o->cell,
          pz = (z - o->origin.z) / o->cell;
    int ix = clampIndex(px, o->size[0]), iy = clampIndex(py, o->size[1]), iz = clampIndex(pz, o->size[2]);
    return (Place){(iz * o->size[1] + iy) * o->size[0] + ix, clampShare(px - (float)ix),
                   clampShare(py - (float)iy), clampShare(pz - (float)iz)};
}

static bool isInside(const wbBounds *box, const wbDrop *d) {
    return d->x >= box->min.x && d->x <= box->max.x && d->y >= box->min.y && d->y <= box->max.y &&
           d->z >= box->min.z && d->z <= box->max.z;
}

// A point is shared among the eight nodes around it.
static void splatPoint(wbOccupancy *o, float x, float y, float z, float share) {
    float *nodes = o->nodes.data;
    int row = o->size[0], layer = o->size[0] * o->size[1];
    Place p = locate(o, x, y, z);
    for (int k = 0; k < 8; ++k) {
        float weight = (k & 1 ? p.fx : 1 - p.fx) * (k & 2 ? p.fy : 1 - p.fy) * (k & 4 ? p.fz : 1 - p.fz);
        nodes[p.node + (k & 1) + (k >> 1 & 1) * row + (k >> 2) * layer] += share * weight;
    }
}

// A large one is points no farther apart than nodes, over the cube that it stands for.
static void splatCube(wbOccupancy *o, const wbDrop *drop, float side, float share) {
    const int count = (int)ceilf(side / o->cell);
    const float gap = side / (float)count, first = 0.5f * (gap - side);
    for (int k = 0; k < count; ++k)
        for (int j = 0; j < count; ++j)
            for (int i = 0; i < count; ++i)
                splatPoint(o, drop->x + first + gap * (float)i, drop->y + first + gap * (float)j,
                           drop->z + first + gap * (float)k, share / (float)(count * count * count));
}

static void splat(wbOccupancy *o, const wbSwarm *swarm, float spacing) {
    const wbDrop *drops = swarm->drops.data;
    const float share = powf(spacing / o->cell, 3);
    for (int i = 0; i < swarm->count; ++i) {
        const float size = drops[i].size;
        if (!isInside(&swarm->body, &drops[i])) continue;
        if (size * spacing <= o->cell)
            splatPoint(o, drops[i].x, drops[i].y, drops[i].z, share * size * size * size);
        else
            splatCube(o, &drops[i], size * spacing, share * size * size * size);
    }
}

// 1 2 1 along one axis. The outermost nodes are empty by the margin and stay so.
static void blurAxis(wbOccupancy *o, int step) {
    int count = o->size[0] * o->size[1] * o->size[2];
    const float *from = o->nodes.data;
    float *to = o->scratch.data;
    for (int i = 0; i < step; ++i) to[i] = to[count - 1 - i] = 0;
    for (int i = step; i < count - step; ++i) to[i] = 0.25f * (from[i - step] + 2 * from[i] + from[i + step]);
    wbArray swap = o->nodes;
    o->nodes = o->scratch;
    o->scratch = swap;
}

static float sample(const wbOccupancy *o, float x, float y, float z) {
    Place p = locate(o, x, y, z);
    const float *n = (const float *)o->nodes.data + p.node;
    int row = o->size[0], layer = o->size[0] * o->size[1];
    float a = n[0] + p.fx * (n[1] - n[0]), b = n[row] + p.fx * (n[row + 1] - n[row]);
    n += layer;
    float c = n[0] + p.fx * (n[1] - n[0]), d = n[row] + p.fx * (n[row + 1] - n[row]);
    float low = a + p.fy * (b - a), high = c + p.fy * (d - c);
    return low + p.fz * (high - low);
}

static int8_t toByte(float value) { return (int8_t)lrintf(127 * fmaxf(-1, fminf(1, value))); }

static void shade(const wbOccupancy *o, wbDrop *drop) {
    float x = drop->x, y = drop->y, z = drop->z, h = 1.5f * o->cell;
    float left = sample(o, x - h, y, z), right = sample(o, x + h, y, z);
    float below = sample(o, x, y - h, z), above = sample(o, x, y + h, z);
    float back = sample(o, x, y, z - h), front = sample(o, x, y, z + h);
    drop->normal[0] = toByte(left - right);
    drop->normal[1] = toByte(below - above);
    drop->normal[2] = toByte(back - front);
    drop->occlusion = toByte((left + right + below + above + back + front) / 6);
}

wbStatus wbOccupancy_Apply(wbOccupancy *occupancy, wbSwarm *swarm, float spacing) {
    if (swarm->count == 0) return wb_okStatus;
    if (!prepare(occupancy, &swarm->body, spacing)) {
        return wbError(wb_errorMemory, "no memory to shade %d particles", swarm->count);
    }
    splat(occupancy, swarm, spacing);
    blurAxis(occupancy, 1);
    blurAxis(occupancy, occupancy->size[0]);
    blurAxis(occupancy, occupancy->size[0] * occupancy->size[1]);
    wbDrop *drops = swarm->drops.data;
    for (int i = 0; i < swarm->count; ++i) {
        if (isInside(&swarm->body, &drops[i])) shade(occupancy, &drops[i]);
    }
    return wb_okStatus;
}

// Half full counts as nothing: so it is along a surface, where a line of sight may run for long without being
// blocked.
float wbOccupancy_Measure(const wbOccupancy *occupancy, const wbDrop *drop, wbVec3 direction, float step) {
    enum { STEPS = 8 };
    float depth = 0;
    const float start = 0.5f * (drop->size - 1); // from where the smallest would be on its near side
    for (int i = 1; i <= STEPS; ++i) {
        wbVec3 offset = wbScale(step * (start + (float)i), direction);
        float full = sample(occupancy, drop->x + offset.x, drop->y + offset.y, drop->z + offset.z);
        depth += fmaxf(0, fminf(1, 2 * full - 1));
    }
    return depth;
}

void wbOccupancy_Free(wbOccupancy *occupancy) {
    wbArray_Free(NULL, &occupancy->nodes);
    wbArray_Free(NULL, &occupancy->scratch);
}
