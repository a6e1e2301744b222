// SPDX-License-Identifier: MIT
#include "world/soft_room.h"

#include <math.h>

#include "core/status.h"
#include "coupling/of_soft.h"
#include "world/soft.h"

// A triangle, or a ball about the first corner.
typedef struct Piece {
    wbVec3d corners[3];
    double radius; // m; 0: a triangle
} Piece;

void wbSoftRoom_Init(wbSoftRoom *room) {
    *room = (wbSoftRoom){.middles.elementSize = sizeof(float), .pieces.elementSize = sizeof(Piece)};
    wbPointTree_Init(&room->tree);
}

void wbSoftRoom_Free(wbMemory *memory, wbSoftRoom *room) {
    wbPointTree_Free(memory, &room->tree);
    wbArray_Free(memory, &room->middles);
    wbArray_Free(memory, &room->pieces);
    wbSoftRoom_Init(room);
}

static wbVec3d getPlace(const wbPbd *pbd, int i) { return (wbVec3d){pbd->x[i], pbd->y[i], pbd->z[i]}; }

static double getDistance(wbVec3d a, wbVec3d b) {
    const wbVec3d apart = wbSub3d(a, b);
    return sqrt(wbDot3d(apart, apart));
}

// Of all its particles: fluids feel those at its surface alone, but none is to be within.
static double getRadius(const wbWetSoft *wet, const wbSoftBody *body) {
    double radius = 0;
    for (int k = 0; k < body->particles.count; k++)
        radius = fmax(radius, (double)wbWetSoft_Get(wet, body->particles.first + k)->radius);
    return radius;
}

static int countPieces(const wbWetSoft *wet, const wbSoftBody *body) {
    if (body->triangleCount > 0) return body->triangleCount;
    return getRadius(wet, body) > 0 ? body->particles.count : 0;
}

static void addPiece(wbSoftRoom *room, int total, const Piece *piece) {
    float *x = room->middles.data, *y = x + total, *z = y + total;
    const wbVec3d *c = piece->corners;
    const wbVec3d sum = wbAddScaled3d(wbAddScaled3d(c[0], 1, c[1]), 1, c[2]);
    const int at = room->count++;
    ((Piece *)room->pieces.data)[at] = *piece;
    x[at] = (float)(sum.x / 3), y[at] = (float)(sum.y / 3), z[at] = (float)(sum.z / 3);
    const wbVec3d middle = {x[at], y[at], z[at]};
    for (int k = 0; k < 3; k++)
        room->reach = fmaxf(room->reach, (float)(getDistance(c[k], middle) + piece->radius));
}

static void addBody(wbSoftRoom *room, int total, const wbWorld *world, const wbWetSoft *wet,
                    const wbSoftBody *body) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const int *triangles = wbSoft_GetTriangles(wbGetSoft(world), body->firstTriangle);
    const int count = countPieces(wet, body);
    const double radius = body->triangleCount > 0 ? 0 : getRadius(wet, body);
    room->gap = fmaxf(room->gap, (sqrtf(3) - 1) * (float)radius);
    for (int k = 0; k < count; k++) {
        Piece piece = {.radius = radius};
        for (int c = 0; c < 3; c++)
            piece.corners[c] = getPlace(pbd, radius > 0 ? body->particles.first + k : triangles[3 * k + c]);
        addPiece(room, total, &piece);
    }
}

wbStatus wbSoftRoom_List(wbSoftRoom *room, const wbWorld *world, const wbWetSoft *wet, int first) {
    const int bodies = world->softBodyIds.indexCount;
    int total = 0;
    for (int i = first; i < bodies; i++) total += countPieces(wet, wbGetSoftBodyAt(world, i));
    room->count = 0, room->reach = room->gap = 0;
    if (!wbArray_Reserve(world->memory, &room->middles, 3 * total) ||
        !wbArray_Reserve(world->memory, &room->pieces, total))
        return wbMemoryError(world->memory, "the room that %d soft bodies leave to fluids needs",
                             bodies - first);
    for (int i = first; i < bodies; i++) addBody(room, total, world, wet, wbGetSoftBodyAt(world, i));
    const float *x = room->middles.data;
    const wbStatus status =
        wbPointTree_Build(&room->tree, &world->work, (wbPoints){x, x + total, x + 2 * (size_t)total, total});
    if (!wbIsOk(status)) room->count = 0;
    return status;
}

typedef struct Search {
    const wbSoftRoom *room;
    wbVec3d point;
    double found, limit; // m: to a piece, to a middle
} Search;

static double measure(const wbPointBox *box, const void *context) {
    const Search *search = context;
    const double *p = &search->point.x;
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double off = fmax(fmax((double)box->min[a] - p[a], p[a] - (double)box->max[a]), 0);
        sum += off * off;
    }
    return sqrt(sum);
}

static void visit(int index, void *context) {
    Search *search = context;
    const Piece *piece = (const Piece *)search->room->pieces.data + index;
    double w[3] = {1, 0, 0};
    wbVec3d nearest = {0, 0, 0};
    if (!(piece->radius > 0)) (void)wbFindClosestOnTriangle(piece->corners, search->point, w);
    for (int k = 0; k < 3; k++) nearest = wbAddScaled3d(nearest, w[k], piece->corners[k]);
    search->found = fmin(search->found, getDistance(search->point, nearest) - piece->radius);
    search->limit = fmax(search->found, 0) + (double)search->room->reach;
}

float wbSoftRoom_Find(const wbSoftRoom *room, const float p[3], float most) {
    Search search = {room, {p[0], p[1], p[2]}, most, fmax((double)most, 0) + (double)room->reach};
    wbPointTree_Search(
        &room->tree,
        &(wbPointSearch){.measure = measure, .visit = visit, .context = &search, .limit = &search.limit});
    return (float)search.found;
}
