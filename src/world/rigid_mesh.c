// SPDX-License-Identifier: MIT
// The surfaces of rigid bodies: triangles of their pieces, their particles, and points.
#include "core/status.h"
#include "rigid/rigid_fill.h"
#include "shape/mesh_maker.h"
#include "shape/shape.h"
#include "shape/shape_make.h"
#include "world/rigid.h"

// Round pieces are finer than they seem by their outline: they are shaded smoothly.
enum { SEGMENTS = 24 };

static void addMesh(const wbRigidPiece *piece, const wbMesh *mesh, MeshMaker *maker) {
    const int first = maker->vertexCount;
    for (int i = 0; i < mesh->vertexCount; i++) {
        const float *v = mesh->vertices + 3 * (size_t)i;
        wbMeshMaker_AddVertex(maker, wbPose_Apply(&piece->pose, wbMakeVec3(v[0], v[1], v[2])));
    }
    for (int t = 0; t < mesh->triangleCount; t++) {
        const uint32_t *corners = mesh->indices + 3 * (size_t)t;
        wbMeshMaker_AddTriangle(maker, first + (int)corners[0], first + (int)corners[1],
                                first + (int)corners[2]);
    }
}

static void addHull(const wbRigidPiece *piece, MeshMaker *maker) {
    const wbHull *hull = piece->hull;
    const int first = maker->vertexCount;
    for (int i = 0; i < hull->cornerCount; i++)
        wbMeshMaker_AddVertex(maker, wbPose_Apply(&piece->pose, hull->corners[i]));
    for (int f = 0; f < hull->faceCount; f++) {
        const int *loop = hull->loops + hull->faces[f].first;
        for (int c = 2; c < hull->faces[f].count; c++)
            wbMeshMaker_AddTriangle(maker, first + loop[0], first + loop[c - 1], first + loop[c]);
    }
}

static wbStatus makeMesh(const wbRigidPiece *piece, wbMesh *mesh) {
    const float *size = piece->size;
    *mesh = (wbMesh){0};
    switch (piece->kind) {
    case wb_pieceSphere:
        return wbMakeSphere(size[0], SEGMENTS, mesh);
    case wb_pieceCapsule:
        return wbMakeCapsule(size[0], 2 * size[1], SEGMENTS, mesh);
    case wb_pieceBox:
        return wbMakeBox(wbMakeVec3(2 * size[0], 2 * size[1], 2 * size[2]), mesh);
    case wb_pieceCylinder:
        return wbMakeCylinder(size[0], 2 * size[1], SEGMENTS, mesh);
    default:
        return wb_okStatus;
    }
}

wbStatus wbDrawRigidPiece(const wbRigidPiece *piece, MeshMaker *maker) {
    wbMesh mesh;
    if (piece->kind == wb_pieceHull) {
        addHull(piece, maker);
        return wb_okStatus;
    }
    wbStatus status = makeMesh(piece, &mesh);
    if (wbIsOk(status)) addMesh(piece, &mesh, maker);
    wbFreeMesh(&mesh);
    return status;
}

const wbMesh *wbRigidBody_GetMesh(const wbWorld *world, wbRigidBodyId id) {
    const int index = wbGetRigidBodyIndex(world, id);
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    return &wbGetRigidForm(bodies, wbGetRigidBodyAt(world, index)->form)->mesh;
}

uint64_t wbRigidBody_GetMeshKey(const wbWorld *world, wbRigidBodyId id) {
    const int index = wbGetRigidBodyIndex(world, id);
    const wbRigidBodies *bodies = wbGetRigidBodies(world);
    return wbGetRigidForm(bodies, wbGetRigidBodyAt(world, index)->form)->recipe.hash;
}

// Half of what all triangles show: each ray enters and leaves. In two dimensions only across the plane's axes, and for a depth of 1 m, however
// deep it is drawn.
static float findSection(const wbMesh *mesh, int dimensions) {
    double sums[3] = {0}, low = INFINITY, high = -INFINITY;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const uint32_t *corners = mesh->indices + 3 * (size_t)t;
        wbVec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float *v = mesh->vertices + 3 * (size_t)corners[k];
            p[k] = wbMakeVec3(v[0], v[1], v[2]);
            low = fmin(low, (double)v[2]), high = fmax(high, (double)v[2]);
        }
        const wbVec3 area = wbCross(wbSub(p[1], p[0]), wbSub(p[2], p[0]));
        sums[0] += 0.25 * fabs((double)area.x), sums[1] += 0.25 * fabs((double)area.y);
        sums[2] += 0.25 * fabs((double)area.z);
    }
    const double across = fmax(sums[0], sums[1]);
    if (dimensions == 2) return high > low ? (float)(across / (high - low)) : 0;
    return (float)fmax(across, sums[2]);
}

wbStatus wbGetRigidShape(wbWorld *world, int index, wbShape **shape) {
    wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), wbGetRigidBodyAt(world, index)->form);
    if (!form->shape && form->mesh.triangleCount > 0)
        WB_TRY(wbCreateShape(world->memory, &form->mesh, &form->shape));
    if (form->section == 0) form->section = findSection(&form->mesh, world->params.dimensions);
    *shape = form->shape;
    return wb_okStatus;
}

wbStatus wbRigidBody_SampleSurface(wbWorld *world, wbRigidBodyId id, float spacing, wbVec3 *points,
                                   wbVec3 *normals, int capacity, int *count) {
    const int index = wbGetRigidBodyIndex(world, id);
    wbShape *shape;
    wbShapeSamples samples;
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && ((points && normals) || capacity == 0), "there is no room for points");
    if (!(spacing >= 1e-6f && spacing <= 1e6f))
        return wbError(wb_errorInput, "a spacing of %g m, allowed is 1e-06 to 1e+06", (double)spacing);
    *count = 0;
    WB_TRY(wbGetRigidShape(world, index, &shape));
    if (!shape) return wb_okStatus;
    WB_TRY(wbShape_Sample(shape, spacing, spacing, world->params.dimensions, world->work.pool, &samples));
    *count = samples.count;
    for (int i = 0; i < samples.count && i < capacity; i++)
        points[i] = samples.samples[i].position, normals[i] = samples.samples[i].normal;
    wbShape_FreeSamples(shape, &samples);
    return wb_okStatus;
}

wbStatus wbRigidBody_GetParticles(wbWorld *world, wbRigidBodyId id, wbVec3 *points, int capacity, int *count,
                                  float *radius) {
    const int index = wbGetRigidBodyIndex(world, id);
    WB_REQUIRE(count);
    WB_REQUIRE(radius);
    WB_ASSERT(capacity >= 0 && (points || capacity == 0), "there is no room for particles");
    const wbRigidBody *body = wbGetRigidBodyAt(world, index);
    const wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    *count = 0, *radius = 0;
    if (body->mass == 0) return wb_okStatus;
    const size_t mark = wbArena_Mark(world->work.arena);
    wbRigidFill fill;
    wbStatus status = wbFillPieces((const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[index],
                                   rigid->pieceCount[index], rigid->particlesPerEdge[index],
                                   world->params.dimensions, world->work.arena, world->memory, &fill);
    for (int i = 0; wbIsOk(status) && i < fill.surfaceCount && i < capacity; i++) {
        const float *p = fill.places + 3 * (size_t)i;
        points[i] = wbPose_Apply(&body->frame, wbMakeVec3(p[0], p[1], p[2]));
    }
    if (wbIsOk(status)) *count = fill.surfaceCount, *radius = fill.radius;
    wbArena_Release(world->work.arena, mark);
    return status;
}
