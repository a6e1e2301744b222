// SPDX-License-Identifier: MIT
// How soft bodies are made: particles in the body's own frame, then put into the world and tied to each other.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "world/collider.h"
#include "world/soft.h"

// All pairs of more particles are more constraints than a world can hold.
enum { MOST_FOR_ALL = 60000 };

// What is being built.
typedef struct Builder {
    wbWorld *world;
    wbPbd *pbd;
    const wbWork *work;
    const wbSoftBodyDef *def;
    const wbSoftBodyParams *params;
    wbSoftBody *body;
    wbSoftBodyLinks links;
    int sites[3];      // counts
    double measure;    // m3, m2 or m: what a density is multiplied by
    float inverseMass; // 1/kg
} Builder;

static bool hasEdges(wbSoftBodyShape shape) {
    return shape == wb_softBodyStick || shape == wb_softBodyRope || shape == wb_softBodyCloth ||
           shape == wb_softBodyMeshSurface;
}

static bool isOfMesh(wbSoftBodyShape shape) {
    return shape == wb_softBodyMeshSurface || shape == wb_softBodyMeshVolume;
}

static wbStatus readCounts(Builder *builder) {
    const float *counts = &builder->params->counts.x;
    bool isCloth = builder->params->shape == wb_softBodyCloth;
    double total = 1;
    for (int a = 0; a < 3; a++) {
        if (counts[a] != floorf(counts[a]))
            return wbError(wb_errorInput, "counts are %g, %g, %g, allowed are whole numbers", counts[0],
                           counts[1], counts[2]);
        builder->sites[a] = isCloth && a == 2 ? 1 : (int)counts[a];
        total *= builder->sites[a];
    }
    if (total > INT_MAX / 16)
        return wbError(wb_errorInput, "%.3g particles are more than a body can have", total);
    if (isCloth && (builder->sites[0] < 2 || builder->sites[1] < 2))
        return wbError(wb_errorInput, "a cloth has at least 2 particles along x and y");
    return wb_okStatus;
}

static wbStatus checkMesh(const wbMesh *mesh) {
    if (!mesh || mesh->triangleCount < 1) return wbError(wb_errorInput, "a body of a mesh needs one");
    for (int t = 0; t < mesh->triangleCount; t++) {
        const uint32_t *corner = mesh->indices + 3 * (size_t)t;
        for (int k = 0; k < 3; k++) {
            if (corner[k] >= (uint32_t)mesh->vertexCount)
                return wbError(wb_errorInput, "a mesh of %d vertices names vertex %u", mesh->vertexCount,
                               corner[k]);
            if (corner[k] == corner[(k + 1) % 3])
                return wbError(wb_errorInput, "triangle %d of the mesh has vertex %u twice: leave it out", t,
                               corner[k]);
        }
    }
    return wb_okStatus;
}

static wbStatus checkDef(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    WB_TRY(wbCheckParams(&wb_softBodyTable, p));
    WB_TRY(wbCheckRadius(&builder->world->domain, wbGetSoft(builder->world)->model.params.radius));
    WB_TRY(readCounts(builder));
    builder->links = p->constraints;
    if (p->constraints == wb_linksAuto)
        builder->links = hasEdges(p->shape) && p->shape != wb_softBodyStick ? wb_linksEdges : wb_linksAll;
    if (builder->links == wb_linksEdges && !hasEdges(p->shape))
        return wbError(wb_errorInput,
                       "constraints are edges, which only stick, rope, cloth and meshSurface have: take all "
                       "or decimated");
    if (builder->links == wb_linksDecimated && !(p->maxDistance > 0))
        return wbError(wb_errorInput, "constraints are decimated, but maxDistance is 0: give a distance");
    if (p->bending == wb_bendingDihedral && p->shape != wb_softBodyCloth &&
        p->shape != wb_softBodyMeshSurface)
        return wbError(wb_errorInput, "bending is dihedral, which needs triangles: cloth or meshSurface");
    if (p->density > 0 && p->mass > 0)
        return wbError(wb_errorInput, "density and mass both say how heavy it is: give one of them");
    return isOfMesh(p->shape) ? checkMesh(builder->def->mesh) : wb_okStatus;
}

// Particles

static wbStatus addPlaces(Builder *builder, int count, const float *places) {
    builder->body->particles.count = count;
    return wbPbd_AddBody(builder->pbd, builder->work->memory, count, places, builder->inverseMass,
                         &builder->body->particles.first);
}

static float *copyScaled(const Builder *builder) {
    const wbMesh *mesh = builder->def->mesh;
    float *places = wbArena_Alloc(builder->work->arena, sizeof(float[3]) * ((size_t)mesh->vertexCount + 1));
    for (size_t i = 0; places && i < 3 * (size_t)mesh->vertexCount; i++)
        places[i] = builder->params->scale * mesh->vertices[i];
    return places;
}

static double measureArea(const wbMesh *mesh, double scale) {
    double sum = 0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        wbVec3 corner[3];
        for (int k = 0; k < 3; k++) {
            const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)t + (size_t)k];
            corner[k] = wbMakeVec3(v[0], v[1], v[2]);
        }
        wbVec3 normal = wbCross(wbSub(corner[1], corner[0]), wbSub(corner[2], corner[0]));
        sum += 0.5 * sqrt((double)wbDot(normal, normal));
    }
    return scale * scale * sum;
}

static wbStatus buildSurface(Builder *builder) {
    float *places = copyScaled(builder);
    if (!places) return wbMemoryError(builder->work->memory, "the corners of a mesh need");
    return addPlaces(builder, builder->def->mesh->vertexCount, places);
}

// The sites of a lattice about the middle of the mesh's box that lie in it.
static wbStatus fillShape(Builder *builder, const wbShape *shape) {
    enum { MOST_SITES = 1 << 26 };
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const float *min = &tree->min.x, *max = &tree->max.x, spacing = builder->params->spacing;
    double total = 1;
    int sites[3], count = 0;
    for (int a = 0; a < 3; a++) {
        total *= floor(((double)max[a] - min[a]) / spacing) + 1;
        if (total > MOST_SITES)
            return wbError(wb_errorInput, "spacing is %g m, too small for a mesh of %g m", spacing,
                           fmax(fmax(max[0] - min[0], max[1] - min[1]), max[2] - min[2]));
        sites[a] = (int)floor(((double)max[a] - min[a]) / spacing) + 1;
    }
    float *places = wbArena_Alloc(builder->work->arena, sizeof(float[3]) * ((size_t)total + 1));
    if (!places) return wbMemoryError(builder->work->memory, "the places in a mesh need");
    for (int i = 0; i < (int)total; i++) {
        const int site[3] = {i % sites[0], i / sites[0] % sites[1], i / sites[0] / sites[1]};
        float *p = places + 3 * (size_t)count;
        for (int a = 0; a < 3; a++)
            p[a] = 0.5f * (min[a] + max[a]) + ((float)site[a] - 0.5f * (float)(sites[a] - 1)) * spacing;
        count += wbShape_FindSurface(shape, wbMakeVec3(p[0], p[1], p[2])).distance < 0;
    }
    if (count == 0)
        return wbError(wb_errorInput, "spacing is %g m, too large: no particle has room in the mesh",
                       spacing);
    return addPlaces(builder, count, places);
}

static wbStatus buildVolume(Builder *builder) {
    wbMesh mesh = *builder->def->mesh;
    mesh.vertices = copyScaled(builder);
    if (!mesh.vertices) return wbMemoryError(builder->work->memory, "the corners of a mesh need");
    wbShape *shape;
    WB_TRY(wbCreateShape(builder->work->memory, &mesh, &shape));
    builder->measure = wbMesh_GetVolume(&mesh);
    wbStatus status = fillShape(builder, shape);
    wbDestroyShape(shape);
    return status;
}

// From the middle: the first of n places along an edge, and the way from one to the next.
static float getStep(float edge, int n) { return n > 1 ? edge / (float)(n - 1) : 0; }
static float getFirst(float step, int n) { return -0.5f * step * (float)(n - 1); }

static wbStatus buildLattice(Builder *builder, wbVec3 steps) {
    const int *n = builder->sites;
    wbVec3 corner = wbMakeVec3(getFirst(steps.x, n[0]), getFirst(steps.y, n[1]), getFirst(steps.z, n[2]));
    return wbBuildLattice(builder->pbd, builder->work, corner, steps, n, builder->inverseMass,
                          &builder->body->particles);
}

static wbStatus buildLine(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    wbVec3 from = {-0.5f * p->length, 0, 0}, to = {0.5f * p->length, 0, 0};
    bool isChain = builder->links == wb_linksEdges;
    return isChain ? wbBuildRope(builder->pbd, builder->work, from, to, p->count,
                                 p->bending == wb_bendingOverTwoEdges, builder->inverseMass,
                                 &builder->body->particles)
                   : wbBuildStick(builder->pbd, builder->work, from, to, p->count, builder->inverseMass,
                                  &builder->body->particles);
}

static wbStatus buildCloth(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    const int *n = builder->sites;
    const wbVec3 corner = {-0.5f * p->size.x, -0.5f * p->size.y, 0}, x = {p->size.x, 0, 0},
                 y = {0, p->size.y, 0};
    if (builder->links == wb_linksEdges)
        return wbBuildCloth(builder->pbd, builder->work, corner, x, y, n[0], n[1], p->bending,
                            builder->inverseMass, &builder->body->particles);
    return buildLattice(builder, wbMakeVec3(getStep(p->size.x, n[0]), getStep(p->size.y, n[1]), 0));
}

static wbStatus buildParticles(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    const int *n = builder->sites;
    const wbVec3 zero = {0, 0, 0}, size = p->size;
    const uint32_t seed = (uint32_t)builder->world->params.seed + (uint32_t)builder->pbd->bodyCount;
    wbPbdBody *body = &builder->body->particles;
    switch (p->shape) {
    case wb_softBodyStick:
    case wb_softBodyRope:
        return buildLine(builder);
    case wb_softBodyCube:
        return buildLattice(builder,
                            wbMakeVec3(getStep(size.x, n[0]), getStep(size.y, n[1]), getStep(size.z, n[2])));
    case wb_softBodyGrid:
        return buildLattice(builder, wbMakeVec3(p->spacing, p->spacing, p->spacing));
    case wb_softBodySphere:
        return wbBuildSphere(builder->pbd, builder->work, zero, p->radius, p->count, builder->inverseMass,
                             body);
    case wb_softBodyCloth:
        return buildCloth(builder);
    case wb_softBodyMeshSurface:
        return buildSurface(builder);
    case wb_softBodyMeshVolume:
        return buildVolume(builder);
    case wb_softBodyRandom:
        return wbBuildRandom(builder->pbd, builder->work, wbScale(-0.5f, size), wbScale(0.5f, size), p->count,
                             seed, builder->inverseMass, body);
    }
    return wbError(wb_errorInput, "unknown shape %d", (int)p->shape);
}

// Mass

static double getMeasure(const Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    double size = (double)p->size.x * p->size.y * p->size.z, r = p->radius, h = p->spacing;
    switch (p->shape) {
    case wb_softBodyStick:
    case wb_softBodyRope:
        return p->length;
    case wb_softBodyCloth:
        return (double)p->size.x * p->size.y;
    case wb_softBodySphere:
        return 4.0 / 3 * 3.14159265358979323846 * r * r * r;
    case wb_softBodyGrid:
        return h * h * h * builder->body->particles.count;
    case wb_softBodyMeshSurface:
        return measureArea(builder->def->mesh, p->scale);
    case wb_softBodyMeshVolume:
        return builder->measure;
    default:
        return size;
    }
}

static void setMass(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    wbPbdBody body = builder->body->particles;
    double mass = p->mass > 0 ? (double)p->mass : (double)p->density * getMeasure(builder);
    builder->body->particleMass = mass > 0 ? (float)(mass / body.count) : 1;
    for (int i = body.first; i < body.first + body.count; i++)
        builder->pbd->w[i] = 1 / builder->body->particleMass;
}

// Place

static wbStatus checkPlace(const Builder *builder, const float p[3]) {
    const wbDomain *domain = &builder->world->domain;
    const float *min = domain->min, *max = domain->max;
    for (int a = 0; a < 3; a++) {
        if (!(fabsf(p[a]) <= 1e9f))
            return wbError(wb_errorInput, "it reaches to %c = %g, allowed is -1e+09 to 1e+09 m", "xyz"[a],
                           p[a]);
        // what stands on a side may be beyond it by a rounding
        const float hair = 1e-6f * (fabsf(p[a]) + max[a] - min[a]);
        if ((domain->closed[2 * a] && p[a] < min[a] - hair) ||
            (domain->closed[2 * a + 1] && p[a] > max[a] + hair))
            return wbError(wb_errorInput, "it reaches to %c = %g, beyond the domain's closed sides %g to %g",
                           "xyz"[a], p[a], min[a], max[a]);
    }
    return wb_okStatus;
}

static wbStatus place(Builder *builder) {
    wbPbd *pbd = builder->pbd;
    const wbSoftBodyParams *p = builder->params;
    const wbPose pose = wbGetRestPose(&(wbColliderParams){.position = p->position, .rotation = p->rotation});
    wbPbdBody body = builder->body->particles;
    for (int i = body.first; i < body.first + body.count; i++) {
        wbVec3 at = wbPose_Apply(&pose, wbMakeVec3(pbd->x[i], pbd->y[i], pbd->z[i]));
        WB_TRY(checkPlace(builder, (const float[3]){at.x, at.y, at.z}));
        pbd->x[i] = at.x, pbd->y[i] = at.y, pbd->z[i] = at.z;
        pbd->vx[i] = p->velocity.x, pbd->vy[i] = p->velocity.y, pbd->vz[i] = p->velocity.z;
    }
    return wb_okStatus;
}

// Constraints

static wbStatus addTriangles(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    wbSoft *soft = wbGetSoft(builder->world);
    wbSoftBody *body = builder->body;
    bool isCloth = p->shape == wb_softBodyCloth;
    body->firstTriangle = soft->triangleCount;
    if (!isCloth && p->shape != wb_softBodyMeshSurface) return wb_okStatus;
    int count =
        isCloth ? 2 * (builder->sites[0] - 1) * (builder->sites[1] - 1) : builder->def->mesh->triangleCount;
    if (count > INT_MAX / 4 - soft->triangleCount ||
        !wbArray_Reserve(builder->work->memory, &soft->triangles, soft->triangleCount + count))
        return wbMemoryError(builder->work->memory, "%d triangles need", count);
    int *triangles = (int *)soft->triangles.data + 3 * (size_t)soft->triangleCount;
    if (isCloth)
        wbListClothTriangles(builder->sites[0], builder->sites[1], triangles);
    else
        for (size_t k = 0; k < 3 * (size_t)count; k++) triangles[k] = (int)builder->def->mesh->indices[k];
    body->triangleCount = count;
    soft->triangleCount += count;
    return wb_okStatus;
}

// Triangles are counted from the body's first particle until all is built.
static wbStatus connectSurface(Builder *builder) {
    const int *triangles = wbSoft_GetTriangles(wbGetSoft(builder->world), builder->body->firstTriangle);
    return wbConnectTriangles(builder->pbd, builder->work, builder->body->particles, triangles,
                              builder->body->triangleCount, builder->params->bending);
}

// No edge is one of the braces too.
static wbStatus addBraces(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    const wbPbd *pbd = builder->pbd;
    float longest = 0;
    for (int k = builder->body->firstConstraint; k < pbd->constraintCount; k++)
        longest = fmaxf(longest, pbd->rest[k]);
    if (p->farMax > 0 && p->furthest <= longest)
        return wbError(wb_errorInput, "furthest is %g m, but there are edges of %g m: make it longer",
                       p->furthest, longest);
    return p->farMax > 0 ? wbConnectBraces(builder->pbd, builder->work, builder->body->particles, p->furthest,
                                           p->farMax)
                         : wb_okStatus;
}

static wbStatus connect(Builder *builder) {
    const wbSoftBodyParams *p = builder->params;
    wbPbdBody body = builder->body->particles;
    switch (builder->links) {
    case wb_linksAll:
        if (body.count > MOST_FOR_ALL)
            return wbError(wb_errorInput,
                           "constraints between all pairs of %d particles are too many: take decimated",
                           body.count);
        return wbConnectAll(builder->pbd, builder->work, body);
    case wb_linksDecimated:
        return wbConnectDecimated(builder->pbd, builder->work, body, p->maxDistance, p->furthest, p->farMax);
    default:
        if (p->shape == wb_softBodyMeshSurface) WB_TRY(connectSurface(builder));
        return addBraces(builder); // the edges of others came with their particles
    }
}

static wbStatus pin(Builder *builder) {
    wbPbdBody body = builder->body->particles;
    for (int k = 0; k < builder->def->pinCount; k++) {
        int pin = builder->def->pins[k], i = pin < 0 ? body.count + pin : pin;
        if (i < 0 || i >= body.count)
            return wbError(wb_errorInput, "pin %d is none of its %d particles: allowed is %d to %d", pin,
                           body.count, -body.count, body.count - 1);
        builder->pbd->w[body.first + i] = 0;
    }
    return wb_okStatus;
}

static void finish(Builder *builder) {
    wbSoftBody *body = builder->body;
    int *triangles = wbGetSoft(builder->world)->triangles.data;
    for (size_t k = 0; k < 3 * (size_t)body->triangleCount; k++)
        triangles[3 * (size_t)body->firstTriangle + k] += body->particles.first;
    body->constraintCount = builder->pbd->constraintCount - body->firstConstraint;
}

static wbStatus build(Builder *builder) {
    WB_TRY(checkDef(builder));
    WB_TRY(wbCheckSelfContact(builder->params));
    WB_TRY(addTriangles(builder));
    WB_TRY(buildParticles(builder));
    setMass(builder);
    WB_TRY(connect(builder));
    WB_TRY(place(builder));
    WB_TRY(pin(builder));
    finish(builder);
    WB_TRY(wbCheckThickness(builder->world, builder->body, builder->params));
    return wbAddSoft(builder->world, builder->def->name, builder->body, 0);
}

// What lies behind the last particle is zero, as when it was allocated.
static void clearBehind(wbPbd *pbd, int count) {
    wbColumn columns[WB_PBD_COLUMNS];
    wbPbd_ListColumns(pbd, columns);
    for (int c = 0; c < WB_PBD_COLUMNS && pbd->count > count; c++)
        memset((char *)*columns[c].data + 4 * (size_t)count, 0, 4 * (size_t)(pbd->count - count));
    pbd->count = count;
}

wbStatus wbBuildSoft(wbWorld *world, const wbSoftBodyDef *def) {
    wbSoft *soft = wbGetSoft(world);
    wbPbd *pbd = &soft->pbd;
    int particles = pbd->count, bodies = pbd->bodyCount, constraints = pbd->constraintCount,
        hinges = pbd->hingeCount, triangles = soft->triangleCount;
    size_t mark = wbArena_Mark(world->work.arena);
    wbSoftBody body = {.params = def->params, .firstConstraint = constraints};
    Builder builder = {.world = world,
                       .pbd = pbd,
                       .work = &world->work,
                       .def = def,
                       .params = &def->params,
                       .body = &body,
                       .inverseMass = 1};
    wbStatus status = build(&builder);
    wbArena_Release(world->work.arena, mark);
    if (wbIsOk(status)) return status;
    clearBehind(pbd, particles);
    pbd->bodyCount = bodies, pbd->constraintCount = constraints;
    pbd->hingeCount = hinges, soft->triangleCount = triangles;
    return status;
}
