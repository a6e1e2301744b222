// SPDX-License-Identifier: MIT
#include "world/rigid_form.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "rigid/decompose.h"
#include "shape/mesh.h"
#include "shape/mesh_maker.h"
#include "shape/shape.h"
#include "world/collider.h"

// A recipe starts with this; what it counts follows: points, vertices, indices, heights, and parts, each with its points.
typedef struct Head {
    int32_t shape, dimensions;
    int32_t isCut;     // a mesh that moves: into convex pieces
    int32_t mostParts; // of those
    float size[3], radius, height, scale;
    int32_t pointCount, vertexCount, triangleCount, heightCounts[2], partCount;
} Head;
_Static_assert(sizeof(Head) == 64, "as it stands in the file");

typedef struct Part {
    int32_t shape;
    float position[3], rotation[3], size[3], radius, height;
    int32_t pointCount;
} Part;
_Static_assert(sizeof(Part) == 52, "as it stands in the file");

enum {
    MOST_PARTS = 1 << 16,
    MOST_POINTS = 1 << 20,
    MOST_HEIGHTS = 1 << 24,
    MOST_CORNERS = 64, // of a hull: more are cut off where they cost least volume
    CUT_RESOLUTION = 48,
};
#define CUT_EXCESS 0.02f

// Writing. Without a target, bytes are only counted.

typedef struct Writer {
    char *bytes;
    size_t size;
} Writer;

static void put(Writer *writer, const void *data, size_t bytes) {
    if (writer->bytes && bytes > 0) memcpy(writer->bytes + writer->size, data, bytes);
    writer->size += bytes;
}

static bool isPointed(wbRigidShape shape) { return shape == wb_rigidHull || shape == wb_rigidPolygon; }

static void putParts(Writer *writer, const wbRigidBodyDef *def) {
    for (int i = 0; i < def->partCount; i++) {
        const wbRigidPartDef *p = &def->parts[i];
        const Part part = {.shape = (int32_t)p->shape,
                           .position = {p->position.x, p->position.y, p->position.z},
                           .rotation = {p->rotation.x, p->rotation.y, p->rotation.z},
                           .size = {p->size.x, p->size.y, p->size.z},
                           .radius = p->radius,
                           .height = p->height,
                           .pointCount = isPointed(p->shape) ? p->pointCount : 0};
        put(writer, &part, sizeof part);
        put(writer, p->points, sizeof(wbVec3) * (size_t)part.pointCount);
    }
}

// What does not matter for a shape is 0, so that bodies which differ in nothing else share their form.
static Head makeHead(const wbRigidBodyDef *def, int dimensions) {
    const wbRigidBodyParams *p = &def->params;
    Head head = {.shape = (int32_t)p->shape, .dimensions = dimensions};
    const bool isBox = p->shape == wb_rigidBox, isMesh = p->shape == wb_rigidMesh,
               isHeights = p->shape == wb_rigidHeights, isHull = p->shape == wb_rigidHull,
               isRound =
                   p->shape == wb_rigidSphere || p->shape == wb_rigidCapsule || p->shape == wb_rigidCylinder;
    if (isBox || isHeights || p->shape == wb_rigidPolygon)
        head.size[0] = p->size.x, head.size[1] = p->size.y, head.size[2] = p->size.z;
    if (isRound) head.radius = p->radius;
    if (isRound && p->shape != wb_rigidSphere) head.height = p->height;
    if (isMesh || isPointed(p->shape)) head.scale = p->scale;
    if (isPointed(p->shape)) head.pointCount = def->pointCount;
    if (def->mesh && (isMesh || (isHull && def->pointCount == 0)))
        head.vertexCount = def->mesh->vertexCount, head.triangleCount = def->mesh->triangleCount;
    if (isHeights) memcpy(head.heightCounts, def->heightCounts, sizeof head.heightCounts);
    if (isMesh && p->type == wb_rigidDynamic) head.isCut = 1, head.mostParts = p->maxParts;
    if (p->shape == wb_rigidCompound) head.partCount = def->partCount;
    return head;
}

static size_t countHeights(const Head *head) {
    return (size_t)head->heightCounts[0] * (size_t)head->heightCounts[1];
}

static void writeRecipe(Writer *writer, const wbRigidBodyDef *def, const Head *head) {
    put(writer, head, sizeof *head);
    put(writer, def->points, sizeof(wbVec3) * (size_t)head->pointCount);
    if (head->vertexCount > 0) put(writer, def->mesh->vertices, sizeof(float[3]) * (size_t)head->vertexCount);
    if (head->triangleCount > 0)
        put(writer, def->mesh->indices, sizeof(uint32_t[3]) * (size_t)head->triangleCount);
    put(writer, def->heights, sizeof(float) * countHeights(head));
    if (head->partCount > 0) putParts(writer, def);
}

wbStatus wbWriteRigidRecipe(wbMemory *memory, const wbRigidBodyDef *def, int dimensions,
                            wbRigidRecipe *recipe) {
    const Head head = makeHead(def, dimensions);
    Writer writer = {0};
    *recipe = (wbRigidRecipe){0};
    if (head.heightCounts[0] > MOST_HEIGHTS || head.heightCounts[1] > MOST_HEIGHTS ||
        countHeights(&head) > MOST_HEIGHTS)
        return wbError(wb_errorInput, "%d x %d heights, allowed are %d in all", head.heightCounts[0],
                       head.heightCounts[1], MOST_HEIGHTS);
    writeRecipe(&writer, def, &head);
    recipe->size = writer.size;
    recipe->bytes = wbAlloc(memory, recipe->size);
    if (!recipe->bytes) return wbMemoryError(memory, "the shape of a rigid body needs");
    writer = (Writer){.bytes = recipe->bytes};
    writeRecipe(&writer, def, &head);
    recipe->hash = wbHashBytes(WB_HASH_START, recipe->bytes, recipe->size);
    return wb_okStatus;
}

void wbFreeRigidRecipe(wbMemory *memory, wbRigidRecipe *recipe) {
    wbFree(memory, recipe->bytes, recipe->size);
    *recipe = (wbRigidRecipe){0};
}

// Reading

typedef struct Reader {
    const char *at;
    size_t left;
    bool isCut; // the bytes ended too early
} Reader;

static const void *get(Reader *reader, size_t bytes) {
    const char *at = reader->at;
    reader->isCut |= bytes > reader->left;
    if (reader->isCut) return NULL;
    reader->at += bytes, reader->left -= bytes;
    return at;
}

typedef struct Recipe {
    Head head;
    const wbVec3 *points;
    wbMesh mesh; // not scaled
    const float *heights;
    Reader parts;
} Recipe;

static bool isCount(int32_t count, int32_t most) { return count >= 0 && count <= most; }

static wbStatus readRecipe(const wbRigidRecipe *bytes, Recipe *recipe) {
    Reader reader = {bytes->bytes, bytes->size, false};
    const void *start = get(&reader, sizeof(Head));
    *recipe = (Recipe){0};
    if (!start) return wbError(wb_errorInput, "its shape is cut");
    const Head *head = &recipe->head;
    memcpy(&recipe->head, start, sizeof *head);
    if (!isCount(head->pointCount, MOST_POINTS) || !isCount(head->vertexCount, WB_MAX_VERTICES) ||
        !isCount(head->triangleCount, WB_MAX_TRIANGLES) || !isCount(head->heightCounts[0], MOST_HEIGHTS) ||
        !isCount(head->heightCounts[1], MOST_HEIGHTS) || countHeights(head) > MOST_HEIGHTS ||
        !isCount(head->partCount, MOST_PARTS) ||
        (head->isCut && (head->mostParts < 1 || head->mostParts > 256)) ||
        (head->dimensions != 2 && head->dimensions != 3))
        return wbError(
            wb_errorInput,
            "its shape has %d points, %d vertices, %d triangles, %d parts, allowed are %d, %d, %d, %d",
            head->pointCount, head->vertexCount, head->triangleCount, head->partCount, MOST_POINTS,
            WB_MAX_VERTICES, WB_MAX_TRIANGLES, MOST_PARTS);
    recipe->points = get(&reader, sizeof(wbVec3) * (size_t)head->pointCount);
    recipe->mesh = (wbMesh){.vertexCount = head->vertexCount, .triangleCount = head->triangleCount};
    recipe->mesh.vertices = (float *)get(&reader, sizeof(float[3]) * (size_t)head->vertexCount);
    recipe->mesh.indices = (uint32_t *)get(&reader, sizeof(uint32_t[3]) * (size_t)head->triangleCount);
    recipe->heights = get(&reader, sizeof(float) * countHeights(head));
    recipe->parts = reader;
    return reader.isCut ? wbError(wb_errorInput, "its shape is cut") : wb_okStatus;
}

// Pieces

typedef struct Maker {
    wbMemory *memory;
    wbRigidForm *form;
    wbArray pieces; // wbRigidPiece
    int dimensions;
} Maker;

static wbStatus addPiece(Maker *maker, const wbRigidPiece *piece) {
    if (!wbArray_Reserve(maker->memory, &maker->pieces, maker->form->pieceCount + 1)) {
        wbDestroyHull(piece->hull);
        wbDestroyShape(piece->shape);
        return wbMemoryError(maker->memory, "%d pieces of a rigid body need", maker->form->pieceCount + 1);
    }
    ((wbRigidPiece *)maker->pieces.data)[maker->form->pieceCount++] = *piece;
    return wb_okStatus;
}

static wbStatus addHull(Maker *maker, const wbPose *pose, const float *points3, int count) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; i++) {
        if (!(fabsf(points3[i]) <= 1e6f))
            return wbError(wb_errorInput, "a point of a hull is at %g m, allowed is -1e+06 to 1e+06",
                           (double)points3[i]);
        low[i % 3] = fminf(low[i % 3], points3[i]), high[i % 3] = fmaxf(high[i % 3], points3[i]);
    }
    const float extent = count > 0 ? fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) : 0;
    wbRigidPiece piece = {.kind = wb_pieceHull, .pose = *pose};
    WB_TRY(wbCreateHull(maker->memory, points3, count, 1e-4f * extent, MOST_CORNERS, &piece.hull));
    return addPiece(maker, &piece);
}

// Points times a scale; a polygon's once at each of its two ends.
static wbStatus addPoints(Maker *maker, const wbPose *pose, const wbVec3 *points, int count, float scale,
                          float depth) {
    const int copies = depth > 0 ? 2 : 1;
    const size_t bytes = sizeof(float[3]) * (size_t)count * (size_t)copies;
    if (count == 0) return wbError(wb_errorInput, "its points are missing");
    float *places = wbAlloc(maker->memory, bytes);
    if (!places) return wbMemoryError(maker->memory, "%d points of a rigid body need", count);
    for (int i = 0; i < copies * count; i++) {
        const wbVec3 p = points[i % count];
        places[3 * i] = scale * p.x, places[3 * i + 1] = scale * p.y;
        places[3 * i + 2] = depth > 0 ? (i < count ? -0.5f : 0.5f) * depth : scale * p.z;
    }
    wbStatus status = addHull(maker, pose, places, copies * count);
    wbFree(maker->memory, places, bytes);
    return status;
}

// Corners in order turn the same way, and once around.
static wbStatus checkPolygon(const wbVec3 *points, int count) {
    const double once = 6.283185307179586, straight = 1e-4;
    double sum = 0, least = INFINITY, most = -INFINITY, x = 0, y = 0;
    int leastCorner = 0, mostCorner = 0;
    for (int i = 0; i < 2 * count; i++) { // the first round finds the last edge that has a length
        const wbVec3 a = points[i % count], b = points[(i + 1) % count];
        const double dx = (double)b.x - a.x, dy = (double)b.y - a.y;
        if (dx == 0 && dy == 0) continue;
        const double turn = atan2(x * dy - y * dx, x * dx + y * dy);
        x = dx, y = dy;
        if (i < count) continue;
        sum += turn;
        if (turn < least) least = turn, leastCorner = i % count;
        if (turn > most) most = turn, mostCorner = i % count;
    }
    const int hollow = sum > 0 ? leastCorner : mostCorner;
    if (count < 3 || (sum > 0 ? least >= -straight : most <= straight)) {
        if (count < 3 || fabs(sum) < 1.5 * once) return wb_okStatus; // what is flat is no hull
        return wbError(wb_errorInput, "its corners go around it %.0f times: list them in order",
                       fabs(sum) / once);
    }
    return wbError(
        wb_errorInput,
        "its corner %d at (%g, %g) m is hollow, and polygons are convex: list the corners in order "
        "around it, or make it a compound of convex parts",
        hollow, (double)points[hollow].x, (double)points[hollow].y);
}

// A shape as a part of a compound has it, and as a body has it alone.
typedef struct Solid {
    wbRigidShape shape;
    wbPose pose;
    float size[3], radius, height, scale;
    const wbVec3 *points;
    int pointCount;
} Solid;

static bool isLength(float value) { return value >= 1e-4f && value <= 1e4f; }

static wbStatus checkSolid(const Solid *solid, int dimensions) {
    const bool isBox = solid->shape == wb_rigidBox,
               isLong = solid->shape == wb_rigidCapsule || solid->shape == wb_rigidCylinder,
               isRound = isLong || solid->shape == wb_rigidSphere;
    for (int k = 0; k < 3; k++)
        if (isBox && !isLength(solid->size[k]))
            return wbError(wb_errorInput, "size is %g m along %c, allowed is 0.0001 to 10000",
                           (double)solid->size[k], "xyz"[k]);
    if (isRound && !isLength(solid->radius))
        return wbError(wb_errorInput, "radius is %g m, allowed is 0.0001 to 10000", (double)solid->radius);
    if (isLong && !isLength(solid->height))
        return wbError(wb_errorInput, "height is %g m, allowed is 0.0001 to 10000", (double)solid->height);
    if (dimensions == 2 && solid->shape == wb_rigidCylinder)
        return wbError(wb_errorInput,
                       "a cylinder needs 3 dimensions: in 2 a sphere is a disc, and a box a rectangle");
    for (int k = 0; k < 3; k++)
        if (!(fabsf(solid->pose.position[k]) <= 1e6f))
            return wbError(wb_errorInput, "a part is at %g m along %c, allowed is -1e+06 to 1e+06",
                           (double)solid->pose.position[k], "xyz"[k]);
    return wb_okStatus;
}

// In two dimensions all is a slab of 1 m about z = 0.
static wbStatus addSolid(Maker *maker, const Solid *solid) {
    const bool isFlat = maker->dimensions == 2;
    wbRigidPiece piece = {.pose = solid->pose, .size = {solid->radius, 0.5f * solid->height, 0}};
    WB_TRY(checkSolid(solid, maker->dimensions));
    switch (solid->shape) {
    case wb_rigidBox:
        piece.kind = wb_pieceBox;
        for (int k = 0; k < 3; k++) piece.size[k] = 0.5f * (isFlat && k == 2 ? 1 : solid->size[k]);
        return addPiece(maker, &piece);
    case wb_rigidSphere:
        piece.kind = wb_pieceSphere, piece.size[1] = 0;
        return addPiece(maker, &piece);
    case wb_rigidCapsule:
        piece.kind = wb_pieceCapsule;
        return addPiece(maker, &piece);
    case wb_rigidCylinder:
        piece.kind = wb_pieceCylinder;
        return addPiece(maker, &piece);
    case wb_rigidHull:
        return addPoints(maker, &solid->pose, solid->points, solid->pointCount, solid->scale, isFlat);
    case wb_rigidPolygon:
        WB_TRY(checkPolygon(solid->points, solid->pointCount));
        return addPoints(maker, &solid->pose, solid->points, solid->pointCount, solid->scale,
                         isFlat ? 1 : solid->size[2]);
    default:
        return wbError(wb_errorInput, "a compound has boxes, spheres, capsules, cylinders, hulls, polygons");
    }
}

static wbStatus addParts(Maker *maker, const Recipe *recipe) {
    Reader reader = recipe->parts;
    if (recipe->head.partCount == 0) return wbError(wb_errorInput, "a compound needs parts");
    for (int i = 0; i < recipe->head.partCount; i++) {
        const void *start = get(&reader, sizeof(Part));
        Part part = {0};
        if (start) memcpy(&part, start, sizeof part);
        if (!isCount(part.pointCount, MOST_POINTS))
            return wbError(wb_errorInput, "part %d has %d points, allowed are %d", i, part.pointCount,
                           MOST_POINTS);
        const wbVec3 *points = get(&reader, sizeof(wbVec3) * (size_t)part.pointCount);
        if (reader.isCut) return wbError(wb_errorInput, "its shape is cut");
        const wbColliderParams place = {.position = {part.position[0], part.position[1], part.position[2]},
                                        .rotation = {part.rotation[0], part.rotation[1], part.rotation[2]}};
        const Solid solid = {.shape = (wbRigidShape)part.shape,
                             .pose = wbGetRestPose(&place),
                             .size = {part.size[0], part.size[1], part.size[2]},
                             .radius = part.radius,
                             .height = part.height,
                             .scale = 1,
                             .points = points,
                             .pointCount = part.pointCount};
        wbStatus status = addSolid(maker, &solid);
        if (!wbIsOk(status)) return wbError(status.code, "part %d: %s", i, status.text);
    }
    return wb_okStatus;
}

// Triangles

static wbStatus scaleMesh(const Recipe *recipe, wbMesh *mesh) {
    if (recipe->mesh.triangleCount == 0) return wbError(wb_errorInput, "its mesh is missing");
    WB_TRY(wbAllocMesh(recipe->mesh.vertexCount, recipe->mesh.triangleCount, mesh));
    memcpy(mesh->indices, recipe->mesh.indices, sizeof(uint32_t[3]) * (size_t)mesh->triangleCount);
    for (int i = 0; i < 3 * mesh->vertexCount; i++)
        mesh->vertices[i] = recipe->head.scale * recipe->mesh.vertices[i];
    return wb_okStatus;
}

// The k-th of the places around a grid, counter-clockwise as seen from above.
static int getEdgePlace(int k, int nx, int nz) {
    if (k < nz - 1) return nx * k;
    k -= nz - 1;
    if (k < nx - 1) return nx * (nz - 1) + k;
    k -= nx - 1;
    if (k < nz - 1) return nx * (nz - 1 - k) + nx - 1;
    return nx - 1 - (k - (nz - 1));
}

// Sides down to a height, and an underside.
static void closeHeights(MeshMaker *maker, int nx, int nz, float bottom) {
    const int around = 2 * (nx - 1) + 2 * (nz - 1), first = maker->vertexCount, middle = first + around;
    for (int k = 0; k < around; k++) {
        const float *top = (const float *)maker->vertices.data + 3 * (size_t)getEdgePlace(k, nx, nz);
        wbMeshMaker_AddVertex(maker, wbMakeVec3(top[0], bottom, top[2]));
    }
    wbMeshMaker_AddVertex(maker, wbMakeVec3(0, bottom, 0));
    for (int k = 0; k < around; k++) {
        const int next = (k + 1) % around, a = getEdgePlace(k, nx, nz), b = getEdgePlace(next, nx, nz);
        wbMeshMaker_AddQuad(maker, a, first + k, first + next, b);
        wbMeshMaker_AddTriangle(maker, middle, first + next, first + k);
    }
}

// A field of heights, closed by sides and an underside that is size.y below its lowest place.
static wbStatus makeHeights(const Recipe *recipe, wbMesh *mesh) {
    const Head *head = &recipe->head;
    const int nx = head->heightCounts[0], nz = head->heightCounts[1], count = nx * nz;
    if (nx < 2 || nz < 2)
        return wbError(wb_errorInput, "it has %d x %d heights, needed are 2 x 2 at least", nx, nz);
    float lowest = INFINITY;
    for (int i = 0; i < count; i++) {
        if (!(fabsf(recipe->heights[i]) <= 1e6f))
            return wbError(wb_errorInput, "height %d is %g m, allowed is -1e+06 to 1e+06", i,
                           (double)recipe->heights[i]);
        lowest = fminf(lowest, recipe->heights[i]);
    }
    MeshMaker maker = wbStartMesh();
    for (int i = 0; i < count; i++)
        wbMeshMaker_AddVertex(&maker, wbMakeVec3(head->size[0] * ((float)(i % nx) / (float)(nx - 1) - 0.5f),
                                                 recipe->heights[i],
                                                 head->size[2] * ((float)(i / nx) / (float)(nz - 1) - 0.5f)));
    for (int z = 0; z + 1 < nz; z++)
        for (int x = 0; x + 1 < nx; x++) {
            const int corner = x + nx * z;
            wbMeshMaker_AddQuad(&maker, corner, corner + nx, corner + nx + 1, corner + 1);
        }
    closeHeights(&maker, nx, nz, lowest - head->size[1]);
    return wbFinishMesh(&maker, mesh);
}

// A mesh that moves: hulls that collide, and the mass of what it encloses.
static wbStatus addHulls(Maker *maker, const Recipe *recipe) {
    const wbDecomposeParams params = {recipe->head.mostParts, CUT_RESOLUTION, MOST_CORNERS, CUT_EXCESS};
    wbDecomposition parts;
    WB_TRY(wbMesh_Check(&maker->form->mesh));
    WB_TRY(wbDecomposeMesh(maker->memory, &maker->form->mesh, &params, &parts));
    wbStatus status = wb_okStatus;
    for (int i = 0; i < parts.count && wbIsOk(status); i++) {
        const wbRigidPiece piece = {
            .kind = wb_pieceHull, .pose = wb_poseAtOrigin, .hull = wbHull_Share(parts.hulls[i])};
        status = addPiece(maker, &piece);
    }
    wbDecomposition_Free(maker->memory, &parts);
    maker->form->solid = wbGetMeshMass(&maker->form->mesh);
    return status;
}

static wbStatus addMesh(Maker *maker, const Recipe *recipe) {
    wbMesh *mesh = &maker->form->mesh;
    wbRigidPiece piece = {.kind = wb_pieceMesh, .pose = wb_poseAtOrigin};
    if (maker->dimensions == 2)
        return wbError(wb_errorInput, "meshes and heights need 3 dimensions: in 2 take polygons");
    WB_TRY(recipe->head.shape == wb_rigidMesh ? scaleMesh(recipe, mesh) : makeHeights(recipe, mesh));
    if (recipe->head.isCut) return addHulls(maker, recipe);
    WB_TRY(wbCreateShape(maker->memory, mesh, &piece.shape));
    maker->form->shape = wbShape_Share(piece.shape);
    return addPiece(maker, &piece);
}

static wbStatus addVertices(Maker *maker, const Recipe *recipe) {
    const wbPose pose = wb_poseAtOrigin;
    return addPoints(maker, &pose, (const wbVec3 *)recipe->mesh.vertices, recipe->mesh.vertexCount,
                     recipe->head.scale, 0);
}

static wbStatus addPieces(Maker *maker, const Recipe *recipe) {
    const Head *head = &recipe->head;
    const wbRigidPiece plane = {.kind = wb_piecePlane, .pose = wb_poseAtOrigin};
    Solid solid = {.shape = (wbRigidShape)head->shape,
                   .pose = wb_poseAtOrigin,
                   .radius = head->radius,
                   .height = head->height,
                   .scale = head->scale,
                   .points = recipe->points,
                   .pointCount = head->pointCount};
    memcpy(solid.size, head->size, sizeof solid.size);
    switch ((wbRigidShape)head->shape) {
    case wb_rigidPlane:
        return addPiece(maker, &plane);
    case wb_rigidMesh:
    case wb_rigidHeights:
        return addMesh(maker, recipe);
    case wb_rigidCompound:
        return addParts(maker, recipe);
    case wb_rigidHull:
        if (head->pointCount == 0 && head->vertexCount > 0) return addVertices(maker, recipe);
        return addSolid(maker, &solid);
    default:
        return addSolid(maker, &solid);
    }
}

// The sum of its pieces; of a mesh, what it encloses.
static void weigh(wbRigidForm *form, int dimensions) {
    if (form->solid.volume > 0) return;
    for (int i = 0; i < form->pieceCount; i++) {
        const wbMassProperties mass = wbRigidPiece_GetMass(&form->pieces[i], dimensions);
        wbMassProperties_Add(&form->solid, &mass, 1);
    }
}

static wbStatus drawPieces(wbRigidForm *form) {
    MeshMaker maker = wbStartMesh();
    wbStatus status = wb_okStatus;
    if (form->mesh.triangleCount > 0 || form->pieces[0].kind == wb_piecePlane) return wb_okStatus;
    for (int i = 0; i < form->pieceCount && wbIsOk(status); i++)
        status = wbDrawRigidPiece(&form->pieces[i], &maker);
    wbStatus finished = wbFinishMesh(&maker, &form->mesh);
    return wbIsOk(status) ? finished : status;
}

static wbStatus makeForm(wbMemory *memory, wbRigidForm *form) {
    Recipe recipe;
    WB_TRY(readRecipe(&form->recipe, &recipe));
    Maker maker = {.memory = memory,
                   .form = form,
                   .pieces.elementSize = sizeof(wbRigidPiece),
                   .dimensions = recipe.head.dimensions};
    wbStatus status = addPieces(&maker, &recipe);
    form->pieces = maker.pieces.data, form->pieceRoom = maker.pieces.capacity;
    WB_TRY(status);
    weigh(form, recipe.head.dimensions);
    return drawPieces(form);
}

wbStatus wbMakeRigidForm(wbMemory *memory, const wbRigidRecipe *recipe, wbRigidForm *form) {
    *form = (wbRigidForm){.recipe = {wbAlloc(memory, recipe->size), recipe->size, recipe->hash}};
    if (!form->recipe.bytes) return wbMemoryError(memory, "the shape of a rigid body needs");
    memcpy(form->recipe.bytes, recipe->bytes, recipe->size);
    wbStatus status = makeForm(memory, form);
    if (!wbIsOk(status)) wbFreeRigidForm(memory, form);
    return status;
}

void wbFreeRigidForm(wbMemory *memory, wbRigidForm *form) {
    for (int i = 0; i < form->pieceCount; i++) {
        wbDestroyHull(form->pieces[i].hull);
        wbDestroyShape(form->pieces[i].shape);
    }
    wbArray_Free(memory, &(wbArray){form->pieces, form->pieceRoom, sizeof(wbRigidPiece)});
    wbDestroyShape(form->shape);
    wbDragSurface_Free(memory, &form->drag);
    wbHullSurface_Free(memory, &form->hull);
    wbFreeMesh(&form->mesh);
    wbFreeRigidRecipe(memory, &form->recipe);
    *form = (wbRigidForm){0};
}
