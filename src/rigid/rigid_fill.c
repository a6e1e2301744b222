// SPDX-License-Identifier: MIT
#include "rigid/rigid_fill.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

enum { MOST_PARTICLES = 1 << 24 }; // of one body

// A lattice in a frame of its own, with the first and the last layer a radius from the ends of the pieces.
typedef struct Lattice {
    wbPose frame; // in that of the pieces
    int count[3];
    float start[3], step[3];
    float radius;
} Lattice;

static float getLength(wbVec3 v) { return sqrtf(wbDot(v, v)); }

static wbVec3 getDirection(wbVec3 v, wbVec3 otherwise) {
    const float length = getLength(v);
    return length > 0 ? wbScale(1 / length, v) : otherwise;
}

// m: how far below the surface of a piece a point of its frame is, negative outside; and the way out. Outside of boxes, cylinders
// and hulls it is the distance from the nearest face's plane.
static float getDepth(const wbRigidPiece *piece, wbVec3 p, int dimensions, wbVec3 *out) {
    const float *size = piece->size;
    *out = wbMakeVec3(0, 1, 0);
    switch (piece->kind) {
    case wb_pieceSphere:
    case wb_pieceCapsule: {
        const float half = piece->kind == wb_pieceCapsule ? size[1] : 0;
        const wbVec3 arm = wbMakeVec3(p.x, p.y - fmaxf(-half, fminf(half, p.y)), p.z);
        *out = getDirection(arm, wbMakeVec3(1, 0, 0));
        return size[0] - getLength(arm);
    }
    case wb_pieceBox: {
        const float point[3] = {p.x, p.y, p.z};
        float depth = INFINITY;
        for (int k = 0; k < dimensions; k++) {
            if (size[k] - fabsf(point[k]) >= depth) continue;
            depth = size[k] - fabsf(point[k]);
            const float sign = copysignf(1, point[k]);
            *out = wbMakeVec3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
        }
        return depth;
    }
    case wb_pieceCylinder: {
        const wbVec3 arm = wbMakeVec3(p.x, 0, p.z);
        const float side = size[0] - getLength(arm), end = size[1] - fabsf(p.y);
        *out = side < end ? getDirection(arm, wbMakeVec3(1, 0, 0)) : wbMakeVec3(0, copysignf(1, p.y), 0);
        return fminf(side, end);
    }
    case wb_pieceHull: {
        float depth = INFINITY;
        for (int f = 0; f < piece->hull->faceCount; f++) {
            const wbHullFace *face = &piece->hull->faces[f];
            const float below = face->offset - wbDot(face->normal, p);
            if (below >= depth || (dimensions == 2 && fabsf(face->normal.z) > 0.5f)) continue;
            depth = below, *out = face->normal;
        }
        return depth;
    }
    default:
        return -INFINITY;
    }
}

// The same of several, in their frame: of the one in which the point is deepest.
static float getDepthOfAll(const wbRigidPiece *pieces, int count, wbVec3 point, int dimensions, wbVec3 *out) {
    float deepest = -INFINITY;
    *out = wbMakeVec3(0, 1, 0);
    for (int i = 0; i < count; i++) {
        wbVec3 way;
        const float depth =
            getDepth(&pieces[i], wbPose_ApplyInverse(&pieces[i].pose, point), dimensions, &way);
        if (depth > deepest) deepest = depth, *out = wbPose_Rotate(&pieces[i].pose, way);
    }
    return deepest;
}

// One piece has the lattice along its own axes: a box is filled by whole layers.
static wbStatus layOut(const wbRigidPiece *pieces, int pieceCount, int perEdge, int dimensions,
                       Lattice *lattice) {
    BroadBox box = wbMakeEmptyBox();
    lattice->frame = pieceCount == 1 ? pieces[0].pose : wb_poseAtOrigin;
    const wbPose inverse = wbPose_Invert(&lattice->frame);
    for (int i = 0; i < pieceCount; i++) {
        const BroadBox bound = wbRigidPiece_Bound(&pieces[i], &inverse);
        box = i == 0 ? bound : wbJoinBoxes(&box, &bound);
    }
    float shortest = INFINITY;
    double total = 1;
    for (int k = 0; k < dimensions; k++) shortest = fminf(shortest, box.max[k] - box.min[k]);
    if (!(shortest > 0) || !isfinite(shortest))
        return wbError(wb_errorInput, "a body of %g m has no room for particles", (double)shortest);
    const float spacing = shortest / (float)perEdge;
    lattice->radius = 0.5f * spacing;
    for (int k = 0; k < 3; k++) {
        const float extent = box.max[k] - box.min[k];
        const double layers = k < dimensions ? fmax(1, ceil((double)extent / spacing - 1e-3)) : 1;
        total *= layers;
        lattice->count[k] = layers < MOST_PARTICLES ? (int)layers : MOST_PARTICLES;
        lattice->step[k] = layers > 1 ? (extent - spacing) / (float)(layers - 1) : 0;
        lattice->start[k] = k >= dimensions ? 0
                            : layers > 1    ? box.min[k] + lattice->radius
                                            : 0.5f * (box.min[k] + box.max[k]);
    }
    if (total > MOST_PARTICLES)
        return wbError(wb_errorInput,
                       "a body would have %.3g particles, allowed are %d: it is %g m thin, make it thicker, "
                       "or set particlesPerEdge, "
                       "which is %d, to less",
                       total, MOST_PARTICLES, (double)shortest, perEdge);
    return wb_okStatus;
}

static wbVec3 getSite(const Lattice *lattice, int i, int j, int k) {
    return wbPose_Apply(&lattice->frame, wbMakeVec3(lattice->start[0] + (float)i * lattice->step[0],
                                                    lattice->start[1] + (float)j * lattice->step[1],
                                                    lattice->start[2] + (float)k * lattice->step[2]));
}

typedef struct Sites {
    const Lattice *lattice;
    const bool *isInside;
    int dimensions;
} Sites;

static bool isInside(const Sites *sites, int i, int j, int k) {
    const int *n = sites->lattice->count;
    if (i < 0 || j < 0 || k < 0 || i >= n[0] || j >= n[1] || k >= n[2]) return false;
    return sites->isInside[((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i];
}

static bool isAtSurface(const Sites *sites, int i, int j, int k) {
    bool surrounded = isInside(sites, i - 1, j, k) && isInside(sites, i + 1, j, k) &&
                      isInside(sites, i, j - 1, k) && isInside(sites, i, j + 1, k);
    if (sites->dimensions == 3)
        surrounded = surrounded && isInside(sites, i, j, k - 1) && isInside(sites, i, j, k + 1);
    return !surrounded;
}

static void addPlace(wbRigidFill *fill, wbVec3 place) {
    memcpy(fill->places + 3 * (size_t)fill->count++, &place, sizeof place);
}

// Those at the surface, or the others. What would stick out is moved in until it touches the surface from inside.
static void addSites(const Sites *sites, const wbRigidPiece *pieces, int pieceCount, bool surface,
                     wbRigidFill *fill) {
    const Lattice *lattice = sites->lattice;
    for (int k = 0; k < lattice->count[2]; k++)
        for (int j = 0; j < lattice->count[1]; j++)
            for (int i = 0; i < lattice->count[0]; i++) {
                if (!isInside(sites, i, j, k) || isAtSurface(sites, i, j, k) != surface) continue;
                wbVec3 out, place = getSite(lattice, i, j, k);
                const float depth = getDepthOfAll(pieces, pieceCount, place, sites->dimensions, &out);
                if (depth < 0.999f * lattice->radius)
                    place = wbAdd(place, wbScale(depth - lattice->radius, out));
                addPlace(fill, place);
            }
}

static int countLargestLayer(const Lattice *lattice, int dimensions) {
    const int *n = lattice->count;
    if (dimensions == 2) return n[0] > n[1] ? n[0] : n[1];
    const int xy = n[0] * n[1], yz = n[1] * n[2], xz = n[0] * n[2];
    return xy > yz ? (xy > xz ? xy : xz) : (yz > xz ? yz : xz);
}

wbStatus wbFillPieces(const wbRigidPiece *pieces, int pieceCount, int perEdge, int dimensions, wbArena *arena,
                      wbMemory *memory, wbRigidFill *fill) {
    Lattice lattice;
    WB_TRY(layOut(pieces, pieceCount, perEdge, dimensions, &lattice));
    const size_t total =
        (size_t)lattice.count[0] * (size_t)lattice.count[1] * (size_t)lattice.count[2] + (size_t)pieceCount;
    bool *inside = wbArena_Alloc(arena, total);
    *fill = (wbRigidFill){.radius = lattice.radius,
                          .faceCount = countLargestLayer(&lattice, dimensions),
                          .places = wbArena_Alloc(arena, sizeof(float[3]) * total)};
    if (!inside || !fill->places) return wbMemoryError(memory, "%zu particles of a body need", total);
    const Sites sites = {&lattice, inside, dimensions};
    size_t site = 0;
    for (int k = 0; k < lattice.count[2]; k++)
        for (int j = 0; j < lattice.count[1]; j++)
            for (int i = 0; i < lattice.count[0]; i++) {
                wbVec3 out;
                inside[site++] =
                    getDepthOfAll(pieces, pieceCount, getSite(&lattice, i, j, k), dimensions, &out) > 0;
            }
    addSites(&sites, pieces, pieceCount, true, fill);
    fill->surfaceCount = fill->count;
    // one that is thinner than the lattice: a particle in its middle
    if (fill->count == 0) {
        addPlace(fill, wbMakeVec3(pieces[0].pose.position[0], pieces[0].pose.position[1],
                                  pieces[0].pose.position[2]));
        fill->surfaceCount = 1;
    }
    addSites(&sites, pieces, pieceCount, false, fill);
    return wb_okStatus;
}
