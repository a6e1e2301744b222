// SPDX-License-Identifier: MIT
// What fills fluids beside blocks: balls and meshes on a lattice, and random places.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "shape/mesh.h"
#include "world/collider.h"

enum { MOST_TRIES = 20000 }; // in a row, for one random place

// Places that were found, and where they may be.
typedef struct Fill {
    wbWorld *world;
    const wbParticleFluid *liquid;
    const char *what; // "a ball"
    int dimensions;
    float min[3], max[3]; // m, around all
    wbArray places;       // x, y, z each
    int count;
} Fill;

static Fill beginFill(wbWorld *world, wbFluidId id, const char *what) {
    (void)wbGetFluidOf(world, id);
    return (Fill){.world = world,
                  .liquid = wbGetLiquidOf(world, wbGetFluidIndex(world, id)),
                  .what = what,
                  .dimensions = world->params.dimensions,
                  .places.elementSize = sizeof(float[3])};
}

// As blocks do, a fill lies within the closed sides, and where floats are fine enough for the lattice.
static wbStatus checkReach(const Fill *fill) {
    const wbDomain *domain = &fill->world->domain;
    for (int a = 0; a < fill->dimensions; a++) {
        const char axis = "xyz"[a];
        float farthest = fmaxf(fabsf(fill->min[a]), fabsf(fill->max[a])),
              step = nextafterf(farthest, INFINITY) - farthest;
        if (!isfinite(farthest))
            return wbError(wb_errorInput, "%s reaches to %c = %g", fill->what, axis, farthest);
        if (step > 0.125f * fill->liquid->spacing)
            return wbError(wb_errorInput,
                           "%s reaches to %c = %g m, where positions are rounded to %.2g m, too coarse for "
                           "%s.spacing = %g m: move it nearer to 0, or use a larger spacing",
                           fill->what, axis, farthest, step, fill->liquid->solver->kind->info.name,
                           fill->liquid->spacing);
        const float hair = 1e-6f * farthest; // what touches a side may be beyond it by a rounding
        if ((domain->closed[2 * a] && fill->min[a] < domain->min[a] - hair) ||
            (domain->closed[2 * a + 1] && fill->max[a] > domain->max[a] + hair))
            return wbError(wb_errorInput, "%s reaches from %c = %g to %g, beyond the closed sides %g to %g",
                           fill->what, axis, fill->min[a], fill->max[a], domain->min[a], domain->max[a]);
    }
    return wb_okStatus;
}

// Before places are looked at one by one: a billion of them take long.
static wbStatus reserve(Fill *fill, double count) {
    if (!(count < INT_MAX - 1024))
        return wbError(wb_errorInput, "%s of %.3g particles is more than a world can hold", fill->what,
                       count);
    if (!wbArray_Reserve(fill->world->memory, &fill->places, (int)count + 1))
        return wbMemoryError(fill->world->memory, "%s of %.3g particles needs", fill->what, count);
    return wb_okStatus;
}

// A lattice begins half a spacing beside colliders and closed sides: nothing is nearer.
static bool isFree(const Fill *fill, const float p[3]) {
    const wbDomain *domain = &fill->world->domain;
    const float clearance = 0.49f * fill->liquid->spacing;
    for (int a = 0; a < fill->dimensions; a++)
        if ((domain->closed[2 * a] && p[a] < domain->min[a] + clearance) ||
            (domain->closed[2 * a + 1] && p[a] > domain->max[a] - clearance))
            return false;
    return wbGetRoomAround(fill->world, p, clearance) >= clearance;
}

static wbStatus add(Fill *fill, const float p[3]) {
    if (!wbArray_Reserve(fill->world->memory, &fill->places, fill->count + 1))
        return wbMemoryError(fill->world->memory, "%s of %d particles needs", fill->what, fill->count);
    memcpy((float *)fill->places.data + 3 * (size_t)fill->count++, p, sizeof(float[3]));
    return wb_okStatus;
}

// All particles, or none. The places are freed.
static wbStatus endFill(Fill *fill, wbFluidId id, wbVec3 velocity, wbStatus status) {
    wbMemory *memory = fill->world->memory;
    size_t bytes = sizeof(wbVec3) * (size_t)fill->count;
    if (wbIsOk(status) && fill->count == 0)
        status = wbError(wb_errorInput,
                         "%s holds no particle: it is too small for %s.spacing = %g m, or in a collider",
                         fill->what, fill->liquid->solver->kind->info.name, fill->liquid->spacing);
    wbVec3 *velocities = wbIsOk(status) ? wbAlloc(memory, bytes) : NULL;
    if (wbIsOk(status) && !velocities)
        status = wbMemoryError(memory, "%s of %d particles needs", fill->what, fill->count);
    for (int i = 0; i < fill->count && velocities; i++) velocities[i] = velocity;
    if (velocities)
        status = wbFluid_AddParticles(fill->world, id, fill->count, fill->places.data, &velocities[0].x);
    wbFree(memory, velocities, bytes);
    wbArray_Free(memory, &fill->places);
    return status;
}

// A lattice of n sites along each axis; the first is at `first`.
typedef struct Sites {
    double first[3], spacing;
    int64_t n[3];
} Sites;

static void findSite(const Sites *sites, int64_t i, float p[3]) {
    const int64_t *n = sites->n, site[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    for (int a = 0; a < 3; a++) p[a] = (float)(sites->first[a] + (double)site[a] * sites->spacing);
}

static int64_t countSites(const Sites *sites) { return sites->n[0] * sites->n[1] * sites->n[2]; }

// Balls

// A ball's sites: all that are no farther from its middle than the last whole shell. Distances are in half spacings, where
// their squares are whole numbers.
typedef struct Ball {
    int reach;   // sites to each side
    int shifted; // axes, the first ones, along which the middle is between sites; it is one along the others
    int64_t last;
} Ball;

static int64_t getSquare(const Ball *ball, int dimensions, const int64_t k[3]) {
    int64_t sum = 0;
    for (int a = 0; a < dimensions; a++) {
        int64_t way = 2 * k[a] + (a < ball->shifted);
        sum += way * way;
    }
    return sum;
}

// The next of (2 reach + 1)^dimensions sites; false behind the last.
static bool goOn(const Ball *ball, int dimensions, int64_t k[3]) {
    for (int a = 0; a < dimensions; a++) {
        if (++k[a] <= ball->reach) return true;
        k[a] = -ball->reach;
    }
    return false;
}

// The last shell with which the number of sites comes nearest to what is wanted; gives by how much it misses it.
static double findLast(Ball *ball, int dimensions, double wanted, int64_t *shells, int64_t shellCount) {
    int64_t k[3] = {-ball->reach, -ball->reach, dimensions == 3 ? -ball->reach : 0}, count = 0;
    double least = INFINITY;
    memset(shells, 0, sizeof *shells * (size_t)shellCount);
    do {
        int64_t square = getSquare(ball, dimensions, k);
        if (square < shellCount) shells[square]++;
    } while (goOn(ball, dimensions, k));
    for (int64_t d = 0; d < shellCount; d++) {
        count += shells[d];
        double miss = fabs((double)count - wanted);
        if (count > 0 && miss < least) least = miss, ball->last = d;
    }
    return least;
}

static wbStatus chooseBall(const Fill *fill, double radius, double wanted, Ball *best) {
    wbMemory *memory = fill->world->memory;
    int reach = (int)radius + 1; // radius: in spacings
    int64_t shellCount = 4 * ((int64_t)reach * reach + 1);
    size_t bytes = sizeof(int64_t) * (size_t)shellCount;
    int64_t *shells = wbAlloc(memory, bytes);
    double least = INFINITY;
    if (!shells) return wbMemoryError(memory, "%s of %.3g particles needs", fill->what, wanted);
    for (int shifted = 0; shifted <= fill->dimensions; shifted++) {
        Ball ball = {reach, shifted, 0};
        double miss = findLast(&ball, fill->dimensions, wanted, shells, shellCount);
        if (miss < least) least = miss, *best = ball;
    }
    wbFree(memory, shells, bytes);
    return wb_okStatus;
}

static wbStatus addBall(Fill *fill, const wbBallDef *def, const Ball *ball) {
    const float centre[3] = {def->position.x, def->position.y, def->position.z};
    const double spacing = fill->liquid->spacing;
    int64_t k[3] = {-ball->reach, -ball->reach, fill->dimensions == 3 ? -ball->reach : 0};
    do {
        float p[3] = {0, 0, 0};
        if (getSquare(ball, fill->dimensions, k) > ball->last) continue;
        for (int a = 0; a < fill->dimensions; a++)
            p[a] = (float)(centre[a] + ((double)k[a] + 0.5 * (a < ball->shifted)) * spacing);
        if (isFree(fill, p)) WB_TRY(add(fill, p));
    } while (goOn(ball, fill->dimensions, k));
    return wb_okStatus;
}

static wbStatus fillBall(Fill *fill, const wbBallDef *def) {
    const double pi = 3.14159265358979323846, r = (double)def->radius / fill->liquid->spacing;
    const float centre[3] = {def->position.x, def->position.y, def->position.z};
    if (!(def->radius > 0) || !isfinite(def->radius))
        return wbError(wb_errorInput, "a ball's radius is %g m, must be above 0", def->radius);
    for (int a = 0; a < fill->dimensions; a++)
        fill->min[a] = centre[a] - def->radius, fill->max[a] = centre[a] + def->radius;
    WB_TRY(checkReach(fill));
    double wanted = fill->dimensions == 3 ? 4.0 / 3 * pi * r * r * r : pi * r * r;
    if (wanted < 0.5) return wb_okStatus; // none, which is said at the end
    Ball ball = {0, 0, 0};
    WB_TRY(reserve(fill, wanted));
    WB_TRY(chooseBall(fill, r, wanted, &ball));
    return addBall(fill, def, &ball);
}

wbStatus wbFluid_AddBall(wbWorld *world, wbFluidId id, const wbBallDef *ball) {
    WB_REQUIRE(world);
    WB_REQUIRE(ball);
    WB_TRY(wbListRoom(world));
    Fill fill = beginFill(world, id, "a ball");
    wbStatus status = fillBall(&fill, ball);
    return endFill(&fill, id, ball->velocity, status);
}

// Meshes

static wbStatus makeScaled(const wbFillMeshDef *def, wbMesh *mesh) {
    if (!def->mesh || def->mesh->triangleCount < 1)
        return wbError(wb_errorInput, "a mesh that is filled has no triangles");
    if (!(def->scale > 0) || !isfinite(def->scale))
        return wbError(wb_errorInput, "the scale of a mesh is %g, must be above 0", def->scale);
    WB_TRY(wbAllocMesh(def->mesh->vertexCount, def->mesh->triangleCount, mesh));
    memcpy(mesh->indices, def->mesh->indices, sizeof(uint32_t[3]) * (size_t)mesh->triangleCount);
    for (int i = 0; i < 3 * mesh->vertexCount; i++) mesh->vertices[i] = def->scale * def->mesh->vertices[i];
    return wb_okStatus;
}

static void findBounds(Fill *fill, const wbMesh *mesh, const wbPose *pose) {
    for (int a = 0; a < 3; a++) fill->min[a] = INFINITY, fill->max[a] = -INFINITY;
    for (int i = 0; i < mesh->vertexCount; i++) {
        const float *v = mesh->vertices + 3 * (size_t)i;
        const wbVec3 p = wbPose_Apply(pose, wbMakeVec3(v[0], v[1], v[2]));
        const float corner[3] = {p.x, p.y, p.z};
        for (int a = 0; a < 3; a++)
            fill->min[a] = fminf(fill->min[a], corner[a]), fill->max[a] = fmaxf(fill->max[a], corner[a]);
    }
}

// In the middle of the box around the mesh, half a spacing from its sides or farther.
static Sites layMesh(const Fill *fill) {
    Sites sites = {.spacing = fill->liquid->spacing, .n = {1, 1, 1}};
    for (int a = 0; a < 3; a++) {
        double edge = (double)fill->max[a] - fill->min[a];
        sites.n[a] = (int64_t)fmax(1, floor(edge / sites.spacing + 1e-3));
        sites.first[a] =
            0.5 * ((double)fill->min[a] + fill->max[a]) - 0.5 * (double)(sites.n[a] - 1) * sites.spacing;
    }
    return sites;
}

static wbStatus fillShape(Fill *fill, const wbShape *shape, const wbPose *pose) {
    const Sites sites = layMesh(fill);
    for (int64_t i = 0; i < countSites(&sites); i++) {
        float p[3];
        findSite(&sites, i, p);
        const wbVec3 local = wbPose_ApplyInverse(pose, wbMakeVec3(p[0], p[1], p[2]));
        if (wbShape_FindSurface(shape, local).distance < 0 && isFree(fill, p)) WB_TRY(add(fill, p));
    }
    return wb_okStatus;
}

static wbStatus fillMesh(Fill *fill, const wbFillMeshDef *def, const wbMesh *mesh) {
    const wbPose pose =
        wbGetRestPose(&(wbColliderParams){.position = def->position, .rotation = def->rotation});
    wbShape *shape;
    findBounds(fill, mesh, &pose);
    WB_TRY(checkReach(fill));
    wbStatus status = wbCreateShape(fill->world->memory, mesh, &shape);
    if (!wbIsOk(status)) return wbError(status.code, "a mesh that is filled: %s", status.text);
    double wanted = wbMesh_GetVolume(mesh) / pow(fill->liquid->spacing, 3);
    status = reserve(fill, wanted);
    if (wbIsOk(status) && wanted >= 0.5) status = fillShape(fill, shape, &pose); // else none, as of a ball
    wbDestroyShape(shape);
    return status;
}

wbStatus wbFluid_AddMesh(wbWorld *world, wbFluidId id, const wbFillMeshDef *def) {
    WB_REQUIRE(world);
    WB_REQUIRE(def);
    WB_TRY(wbListRoom(world));
    Fill fill = beginFill(world, id, "a mesh");
    wbMesh mesh = {0};
    if (fill.dimensions == 2)
        return wbError(wb_errorInput, "a mesh cannot be filled in 2D: use balls, blocks or single particles");
    wbStatus status = makeScaled(def, &mesh);
    if (wbIsOk(status)) status = fillMesh(&fill, def, &mesh);
    wbFreeMesh(&mesh);
    return endFill(&fill, id, def->velocity, status);
}

// Random places

// Places by the cells that they are in: lists that begin at a cell's hash. Cells have an edge of the spacing.
typedef struct Near {
    const float *origin;
    float spacing;
    int *heads, *next;
    float *places; // x, y, z each
    int count, mask;
} Near;

static uint32_t hashCell(const Near *near, const int64_t cell[3]) {
    uint32_t hash = 0;
    for (int a = 0; a < 3; a++) hash = wbHash32(hash ^ (uint32_t)cell[a]);
    return hash & (uint32_t)near->mask;
}

static void findCell(const Near *near, const float p[3], int64_t cell[3]) {
    for (int a = 0; a < 3; a++) cell[a] = (int64_t)floor(((double)p[a] - near->origin[a]) / near->spacing);
}

static void keep(Near *near, const float p[3]) {
    int64_t cell[3];
    findCell(near, p, cell);
    uint32_t head = hashCell(near, cell);
    memcpy(near->places + 3 * (size_t)near->count, p, sizeof(float[3]));
    near->next[near->count] = near->heads[head];
    near->heads[head] = near->count++;
}

static bool isApart(const Near *near, const float p[3], int dimensions) {
    int64_t cell[3];
    findCell(near, p, cell);
    for (int64_t dz = dimensions == 3 ? -1 : 0; dz <= (dimensions == 3 ? 1 : 0); dz++)
        for (int64_t dy = -1; dy <= 1; dy++)
            for (int64_t dx = -1; dx <= 1; dx++) {
                const int64_t other[3] = {cell[0] + dx, cell[1] + dy, cell[2] + dz};
                for (int i = near->heads[hashCell(near, other)]; i >= 0; i = near->next[i]) {
                    const float *q = near->places + 3 * (size_t)i;
                    const double d[3] = {(double)p[0] - q[0], (double)p[1] - q[1], (double)p[2] - q[2]};
                    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < (double)near->spacing * near->spacing)
                        return false;
                }
            }
    return true;
}

// What is there already keeps its distance too.
static void keepPresent(Near *near, const Fill *fill) {
    const wbParticles *all = fill->liquid->particles;
    for (int i = 0; i < all->count; i++) {
        const float p[3] = {all->x[i], all->y[i], all->z[i]};
        bool isNear = true;
        for (int a = 0; a < fill->dimensions; a++)
            isNear = isNear && p[a] > fill->min[a] - near->spacing && p[a] < fill->max[a] + near->spacing;
        if (isNear) keep(near, p);
    }
}

static wbStatus scatter(Fill *fill, Near *near, int wanted) {
    uint32_t random = wbHash32((uint32_t)fill->world->params.seed) ^ fill->world->nextId * 0x9e3779b9u;
    for (int tries = 0; fill->count < wanted;) {
        float p[3] = {0, 0, 0};
        for (int a = 0; a < fill->dimensions; a++)
            p[a] = fill->min[a] + wbHashFloat(random++) * (fill->max[a] - fill->min[a]);
        if (isApart(near, p, fill->dimensions) && isFree(fill, p)) {
            WB_TRY(add(fill, p));
            keep(near, p);
            tries = 0;
        } else if (++tries == MOST_TRIES) {
            return wbError(
                wb_errorInput,
                "random places: %d of %d found no place a spacing (%g m) from all others and half of "
                "one from colliders and sides: make the box larger, or the count smaller",
                wanted - fill->count, wanted, fill->liquid->spacing);
        }
    }
    return wb_okStatus;
}

// Balls of half a spacing around the places do not overlap in the box that is larger by that on all sides. Boxes fill
// space, so they lie no denser than balls can, pi / sqrt(18) (Hales 2005), or discs, pi / sqrt(12) (Fejes Toth 1942).
static double countMostPlaces(const Fill *fill) {
    double count = fill->dimensions == 3 ? sqrt(2) : 2 / sqrt(3);
    for (int a = 0; a < fill->dimensions; a++)
        count *= ((double)fill->max[a] - fill->min[a]) / fill->liquid->spacing + 1;
    return count;
}

static wbStatus fillRandom(Fill *fill, const wbRandomDef *def) {
    wbMemory *memory = fill->world->memory;
    const float min[3] = {def->min.x, def->min.y, def->min.z}, max[3] = {def->max.x, def->max.y, def->max.z};
    for (int a = 0; a < fill->dimensions; a++) {
        fill->min[a] = min[a], fill->max[a] = max[a];
        if (!(min[a] < max[a]))
            return wbError(wb_errorInput, "random places: min %g must be less than max %g in %c", min[a],
                           max[a], "xyz"[a]);
    }
    if (def->count < 1)
        return wbError(wb_errorInput, "random places: the count is %d, must be 1 or more", def->count);
    WB_TRY(checkReach(fill));
    if (def->count > countMostPlaces(fill)) // before memory is taken for them, and time
        return wbError(wb_errorInput,
                       "random places: the count is %d, but the box has room for fewer than %.0f that are a "
                       "spacing (%g m) apart: make the box larger, or the count smaller",
                       def->count, floor(countMostPlaces(fill)) + 1, fill->liquid->spacing);
    WB_TRY(wbPullState(fill->world));
    int64_t all = (int64_t)def->count + fill->liquid->particles->count, slots = 64;
    WB_TRY(reserve(fill, (double)all));
    while (slots < all && slots < 1 << 30) slots *= 2;
    size_t headBytes = sizeof(int) * (size_t)slots, nextBytes = sizeof(int) * (size_t)all,
           placeBytes = sizeof(float[3]) * (size_t)all;
    Near near = {.origin = fill->min,
                 .spacing = fill->liquid->spacing,
                 .heads = wbAlloc(memory, headBytes),
                 .next = wbAlloc(memory, nextBytes),
                 .places = wbAlloc(memory, placeBytes),
                 .mask = (int)(slots - 1)};
    wbStatus status = wb_okStatus;
    if (near.heads && near.next && near.places) {
        for (int64_t i = 0; i < slots; i++) near.heads[i] = -1;
        keepPresent(&near, fill);
        status = scatter(fill, &near, def->count);
    } else {
        status = wbMemoryError(memory, "%d random places need", def->count);
    }
    wbFree(memory, near.heads, headBytes);
    wbFree(memory, near.next, nextBytes);
    wbFree(memory, near.places, placeBytes);
    return status;
}

wbStatus wbFluid_AddRandom(wbWorld *world, wbFluidId id, const wbRandomDef *def) {
    WB_REQUIRE(world);
    WB_REQUIRE(def);
    WB_TRY(wbListRoom(world));
    Fill fill = beginFill(world, id, "a box of random places");
    wbStatus status = fillRandom(&fill, def);
    return endFill(&fill, id, def->velocity, status);
}
