// SPDX-License-Identifier: MIT
// Fluids: named sets of particles. All fluids of one solver share its arrays, so that they meet; a particle's
// fluid is found by its id.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "core/status.h"
#include "world/collider.h"

wbFluidDef wbDefaultFluidDef(void) { return (wbFluidDef){.name = "water", .cookie = WB_FLUID_COOKIE}; }

wbFluid *wbGetFluidOf(const wbWorld *world, wbFluidId id) {
    int index = wbGetFluidIndex(world, id); // first: it looks whether there is a world
    return (wbFluid *)world->fluids.data + index;
}

wbParticleFluid *wbGetLiquidOf(const wbWorld *world, int fluid) {
    return world->solvers[((const wbFluid *)world->fluids.data)[fluid].solver].liquid;
}

wbParticleFluid *wbGetNextLiquid(const wbWorld *world, const wbParticleFluid *liquid) {
    const wbSolver *solver = liquid ? liquid->solver + 1 : world->solvers;
    for (; solver < world->solvers + WB_SOLVER_COUNT; solver++)
        if (solver->liquid) return solver->liquid;
    return NULL;
}

bool wbIsFluidSolver(uint32_t index) {
    return index < WB_SOLVER_COUNT && wbGetSolverKind((int)index)->info.isFluid;
}

static wbParticleFluid *getLiquid(const wbWorld *world, wbFluidId id) {
    return wbGetLiquidOf(world, wbGetFluidIndex(world, id));
}

int64_t wbCountParticles(const wbWorld *world) {
    int64_t count = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        count += l->particles->count;
    return count;
}

double wbGetRelativeDensity(const wbWorld *world, int index) {
    const wbFluid *fluid = (const wbFluid *)world->fluids.data + index;
    float own = fluid->restDensity;
    return own > 0 ? (double)own / wbGetLiquidOf(world, index)->restDensity : 1;
}

bool wbIsMixed(const wbParticleFluid *liquid) {
    for (int i = 0; i < liquid->world->fluidIds.indexCount; i++)
        if (wbGetLiquidOf(liquid->world, i) == liquid && wbGetRelativeDensity(liquid->world, i) != 1)
            return true;
    return false;
}

double wbWeighLiquid(const wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    double sum = 0;
    const wbFluid *fluids = world->fluids.data;
    if (!wbIsMixed(liquid)) return (double)wbCountUnits(liquid);
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        if (wbGetLiquidOf(world, i) == liquid)
            sum += wbGetRelativeDensity(world, i) * (double)(fluids[i].spawned - fluids[i].removed);
    return sum;
}

wbDensityRange wbFindDensityRange(const wbParticleFluid *liquid) {
    const wbWorld *world = liquid->world;
    wbDensityRange range = {1, 1};
    for (int i = 0, found = 0; i < world->fluidIds.indexCount; i++) {
        float relative = (float)wbGetRelativeDensity(world, i);
        if (wbGetLiquidOf(world, i) != liquid) continue;
        range.least = found ? fminf(relative, range.least) : relative;
        range.most = found++ ? fmaxf(relative, range.most) : relative;
    }
    return range;
}

void wbFreeViews(wbWorld *world, int fluid) {
    wbFluid *owner = (wbFluid *)world->fluids.data + fluid;
    wbArray_Free(world->memory, &owner->viewFloats);
    wbArray_Free(world->memory, &owner->viewIds);
    wbArray_Free(world->memory, &owner->viewSizes);
}

void wbFreeFluids(wbWorld *world) {
    for (int i = 0; i < world->fluidIds.indexCount; i++) wbFreeViews(world, i);
    wbArray_Free(world->memory, &world->fluids);
}

static const char *getName(const wbWorld *world, int index) {
    return ((const wbFluid *)world->fluids.data)[index].name;
}

const wbObjectKind wb_fluidKind = {NULL, "fluid", offsetof(wbWorld, fluidIds), getName, NULL, NULL,
                                   NULL, NULL};

static wbStatus checkRestDensity(const wbFluidDef *def) {
    if (def->restDensity == 0) return wb_okStatus;
    if (!(def->restDensity >= 1e-3f && def->restDensity <= 1e6f))
        return wbError(wb_errorInput,
                       "restDensity is %g, allowed is 0.001 to 1e+06 kg/m3, or 0: the solver's",
                       (double)def->restDensity);
    return wb_okStatus;
}

wbStatus wbCreateFluid(wbWorld *world, const wbFluidDef *def, wbFluidId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_FLUID_COOKIE, "make the def with wbDefaultFluidDef");
    WB_ASSERT(wbIsFluidSolver((uint32_t)def->solver), "unknown solver");
    WB_TRY(wbCheckNewName(world, "fluid", def->name));
    WB_TRY(checkRestDensity(def));
    WB_TRY(wbCheckOtherFluids(world, def));
    wbFluid fluid = wbMakeFluid(def->solver, def->restDensity);
    snprintf(fluid.name, sizeof fluid.name, "%s", def->name);
    if (!wbArray_Reserve(world->memory, &world->fluids, world->fluidIds.indexCount + 1))
        return wbMemoryError(world->memory, "a fluid needs");
    wbSolver *solver = &world->solvers[def->solver];
    bool isFirst = !solver->self;
    WB_TRY(wbSolver_Create(solver));
    wbStatus status = wbCallSolvers(world); // others may have waited for fluids
    if (wbIsOk(status)) status = wbTakeObjectId(world, &wb_fluidKind, 0);
    if (!wbIsOk(status)) {
        if (isFirst) wbSolver_Destroy(solver);
        return status;
    }
    const int index = world->fluidIds.indexCount - 1;
    ((wbFluid *)world->fluids.data)[index] = fluid;
    solver->liquid->method->follow(solver->liquid);
    *id = wbWorld_GetFluid(world, index);
    return wb_okStatus;
}

int wbFluid_GetParticleCount(const wbWorld *world, wbFluidId id) {
    return wbGetFluidOf(world, id)->particleCount;
}

double wbFluid_GetParticleMass(const wbWorld *world, wbFluidId id) {
    return getLiquid(world, id)->mass * wbGetRelativeDensity(world, wbGetFluidIndex(world, id));
}

wbFluidSolver wbFluid_GetSolver(const wbWorld *world, wbFluidId id) {
    return wbGetFluidOf(world, id)->solver;
}

double wbFluid_GetSpacing(const wbWorld *world, wbFluidId id) {
    return (double)getLiquid(world, id)->spacing;
}

double wbFluid_GetRestDensity(const wbWorld *world, wbFluidId id) {
    float own = wbGetFluidOf(world, id)->restDensity;
    return (double)(own > 0 ? own : getLiquid(world, id)->restDensity);
}

double wbFluid_GetSupportRadius(const wbWorld *world, wbFluidId id) {
    return (double)getLiquid(world, id)->h;
}

// m and m/s, as in scene files; squares of distances farther out do not fit into floats
#define WB_FARTHEST 1e9f
#define WB_FASTEST  1e6f

static wbStatus checkMotion(const wbWorld *world, int i, const float *p, const float *v) {
    const wbDomain *domain = &world->domain;
    for (int a = 0; a < world->params.dimensions; a++) {
        const char axis = "xyz"[a];
        if ((p && !isfinite(p[a])) || (v && !isfinite(v[a])))
            return wbError(wb_errorInput, "particle %d: position or velocity is not finite", i);
        if (v && fabsf(v[a]) > WB_FASTEST)
            return wbError(wb_errorInput,
                           "particle %d: velocity along %c is %g, allowed is -1e+06 to 1e+06 m/s", i, axis,
                           v[a]);
        if (!p) continue;
        if (fabsf(p[a]) > WB_FARTHEST)
            return wbError(wb_errorInput, "particle %d: coordinate %c is %g, allowed is -1e+09 to 1e+09 m", i,
                           axis, p[a]);
        if ((domain->closed[2 * a] && p[a] < domain->min[a]) ||
            (domain->closed[2 * a + 1] && p[a] > domain->max[a]))
            return wbError(wb_errorInput,
                           "particle %d: coordinate %c is %g, beyond the domain's closed sides %g to %g", i,
                           axis, p[a], domain->min[a], domain->max[a]);
    }
    return wb_okStatus;
}

wbStatus wbCheckParticle(const wbWorld *world, int i, const float *p, const float *v) {
    WB_TRY(checkMotion(world, i, p, v));
    if (p && wbGetClearance(world, p, 0) < 0)
        return wbError(wb_errorInput, "particle %d: (%g, %g, %g) m is inside a collider", i, p[0], p[1],
                       p[2]);
    return wb_okStatus;
}

static wbStatus reserveParticles(wbWorld *world, wbParticleFluid *liquid, int64_t count) {
    WB_TRY(wbPullState(world));
    int64_t total = wbCountParticles(world) + count;
    if (total > INT_MAX - 1024 || world->nextId + (uint64_t)count > INT_MAX - 1024)
        return wbError(wb_errorInput, "%lld particles are more than a world can hold", (long long)total);
    WB_TRY(wbReserveParticles(liquid, liquid->particles->count + (int)count));
    return wbReserveIdRun(world);
}

uint32_t wbBookParticle(wbWorld *world, int fluidIndex, const float p[3], const float v[3]) {
    wbFluid *fluid = (wbFluid *)world->fluids.data + fluidIndex;
    wbParticles *particles = wbGetLiquidOf(world, fluidIndex)->particles;
    fluid->particleCount++, fluid->spawned++, world->spawned++;
    particles->maxSpeed = fmaxf(particles->maxSpeed, sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    wbAddEnergy(world, fluidIndex, 1, p, v);
    return wbTakeId(world, fluidIndex);
}

void wbUnbookParticle(wbWorld *world, uint32_t id, double units, const float p[3], const float v[3]) {
    int index = wbDropId(world, id);
    wbFluid *fluid = (wbFluid *)world->fluids.data + index;
    const wbParticleFluid *liquid = wbGetLiquidOf(world, index);
    int64_t others = wbCountParticles(world) - liquid->particles->count;
    wbTakeEnergy(world, index, units, p, v, world->spawned - world->removed - others);
    fluid->particleCount--, fluid->removed += llround(units), world->removed += llround(units);
}

// Room was reserved and the values were checked.
static void appendParticle(wbWorld *world, wbFluidId id, const float *p, const float *v) {
    wbParticleFluid *liquid = getLiquid(world, id);
    wbParticles *to = liquid->particles;
    bool flat = world->params.dimensions == 2;
    int i = to->count++;
    to->x[i] = p[0], to->y[i] = p[1], to->z[i] = flat ? 0 : p[2];
    to->vx[i] = v[0], to->vy[i] = v[1], to->vz[i] = flat ? 0 : v[2];
    to->density[i] = liquid->restDensity;
    to->pressure[i] = 0;
    wbBeginParticles(liquid, i);
    to->id[i] = wbBookParticle(world, wbGetFluidIndex(world, id), (float[3]){to->x[i], to->y[i], to->z[i]},
                               (float[3]){to->vx[i], to->vy[i], to->vz[i]});
}

wbStatus wbFluid_AddParticles(wbWorld *world, wbFluidId id, int count, const float *pos3, const float *vel3) {
    WB_REQUIRE(world);
    wbParticleFluid *liquid = getLiquid(world, id);
    WB_ASSERT(count >= 0 && (pos3 || count == 0), "positions are missing");
    const float atRest[3] = {0};
    for (int i = 0; i < count; i++)
        WB_TRY(wbCheckParticle(world, i, pos3 + 3 * (size_t)i, vel3 ? vel3 + 3 * (size_t)i : NULL));
    WB_TRY(reserveParticles(world, liquid, count));
    for (int i = 0; i < count; i++)
        appendParticle(world, id, pos3 + 3 * (size_t)i, vel3 ? vel3 + 3 * (size_t)i : atRest);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

// How much of a layer may be missing, so that a length of n spacings has n layers whatever the floats that say so.
static double getSlack(float min, float max, double spacing) {
    float farthest = fmaxf(fabsf(min), fabsf(max));
    return 1e-3 + (double)(nextafterf(farthest, INFINITY) - farthest) / spacing;
}

// Whole layers that fit between min and max; one if there is room for half of it.
static double countLayers(float min, float max, double spacing) {
    double layers = ((double)max - min) / spacing;
    return layers < 0.5 ? 0 : fmax(1, floor(layers + getSlack(min, max, spacing)));
}

double wbBlockDef_CountParticles(const wbBlockDef *block, double spacing, int dimensions) {
    WB_REQUIRE(block);
    const float *min = &block->min.x, *max = &block->max.x;
    double count = 1;
    for (int a = 0; a < dimensions; a++) count *= countLayers(min[a], max[a], spacing);
    return count;
}

double wbLayAxis(const wbWorld *world, const wbParticleFluid *liquid, int axis, float min, float max,
                 float *low) {
    const wbDomain *domain = &world->domain;
    const float spacing = liquid->spacing, sides[2] = {domain->min[axis], domain->max[axis]};
    bool isLow = domain->closed[2 * axis], isHigh = domain->closed[2 * axis + 1];
    if (isLow && min < sides[0] && min >= sides[0] - 0.5f * spacing) min = sides[0];
    if (isHigh && max > sides[1] && max <= sides[1] + 0.5f * spacing) max = sides[1];
    double n = countLayers(min, max, spacing), left = (double)max - min - n * spacing;
    bool isFull = n == 0 || fabs(left) <= getSlack(min, max, spacing) * spacing;
    *low = isFull ? min : (float)(min + 0.5 * left);
    // a layer that is thicker than the block keeps its distance from a side
    if (n == 1 && isLow && min >= sides[0]) *low = fmaxf(*low, sides[0]);
    if (n == 1 && isHigh && max <= sides[1]) *low = fminf(*low, sides[1] - spacing);
    return n;
}

// A block's lattice: sites along each axis, and the start of its random numbers.
typedef struct Lattice {
    const wbBlockDef *block;
    int64_t n[3];
    float low[3]; // m, its corner
    float spacing;
    uint32_t random;
} Lattice;

static wbStatus layLattice(const wbWorld *world, const wbParticleFluid *liquid, const wbBlockDef *block,
                           Lattice *lattice) {
    const float min[3] = {block->min.x, block->min.y, block->min.z};
    const float max[3] = {block->max.x, block->max.y, block->max.z};
    *lattice = (Lattice){.block = block, .n = {1, 1, 1}, .spacing = liquid->spacing};
    lattice->random = wbHash32((uint32_t)world->params.seed) ^ world->nextId * 0x9e3779b9u;
    if (!(block->jitter >= 0 && block->jitter <= 0.5f))
        return wbError(wb_errorInput, "a block's jitter is %g, allowed is 0 to 0.5 spacings", block->jitter);
    for (int a = 0; a < world->params.dimensions; a++) {
        const char axis = "xyz"[a];
        if (!(min[a] < max[a]) || !isfinite(min[a]) || !isfinite(max[a]))
            return wbError(wb_errorInput, "a block's min %g must be less than its max %g in %c", min[a],
                           max[a], axis);
        double layers = wbLayAxis(world, liquid, a, min[a], max[a], &lattice->low[a]);
        lattice->n[a] = layers < 1 ? 1 : layers > INT_MAX ? INT_MAX : (int64_t)layers;
        float farthest = fmaxf(fabsf(min[a]), fabsf(max[a])),
              step = nextafterf(farthest, INFINITY) - farthest;
        if (lattice->n[a] > 1 && step > 0.125f * lattice->spacing)
            return wbError(
                wb_errorInput,
                "a block reaches to %c = %g m, where positions are rounded to %.2g m, too coarse for "
                "%s.spacing = %g m: move it nearer to 0, or use a larger spacing",
                axis, farthest, step, liquid->solver->kind->info.name, lattice->spacing);
    }
    const int64_t *n = lattice->n;
    if ((double)n[0] * (double)n[1] * (double)n[2] > INT_MAX - 1024)
        return wbError(wb_errorInput, "a block of %lld x %lld x %lld particles is more than a world can hold",
                       (long long)n[0], (long long)n[1], (long long)n[2]);
    return wb_okStatus;
}

static void findSite(const Lattice *lattice, int i, float p[3]) {
    const int64_t *n = lattice->n, site[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    for (int a = 0; a < 3; a++) {
        float shift = 2 * wbHashFloat(lattice->random + 3 * (uint32_t)i + (uint32_t)a) - 1;
        p[a] = lattice->low[a] + ((float)site[a] + 0.5f + lattice->block->jitter * shift) * lattice->spacing;
    }
}

wbStatus wbFluid_AddBlock(wbWorld *world, wbFluidId id, const wbBlockDef *block) {
    WB_REQUIRE(world);
    WB_REQUIRE(block);
    wbParticleFluid *liquid = getLiquid(world, id);
    const float v[3] = {block->velocity.x, block->velocity.y, block->velocity.z};
    Lattice lattice;
    float p[3];
    WB_TRY(wbListRoom(world));
    WB_TRY(layLattice(world, liquid, block, &lattice));
    int count = (int)(lattice.n[0] * lattice.n[1] * lattice.n[2]);
    WB_TRY(reserveParticles(world, liquid, count)); // first: to look at a billion sites takes long
    for (int i = 0; i < count; i++) {
        findSite(&lattice, i, p);
        WB_TRY(checkMotion(world, i, p, v));
    }
    // a lattice that begins half a spacing beside a collider keeps all its places
    const float clearance = 0.49f * liquid->spacing;
    for (int i = 0; i < count; i++) {
        findSite(&lattice, i, p);
        if (wbGetRoomAround(world, p, clearance) >= clearance) appendParticle(world, id, p, v);
    }
    wbMarkStateDirty(world);
    return wb_okStatus;
}

// Copies the particles of one fluid out of the shared arrays.
static wbStatus copyView(wbWorld *world, wbFluidId id, wbView *view) {
    enum { FIELDS = 8, DENSITY = 6 };
    const int index = wbGetFluidIndex(world, id);
    const float relative = (float)wbGetRelativeDensity(world, index);
    const wbParticles *all = getLiquid(world, id)->particles;
    wbFluid *fluid = wbGetFluidOf(world, id);
    int count = view->count, stride = wbPadCount(count);
    if ((int64_t)FIELDS * stride > INT_MAX - 1024)
        return wbError(wb_errorMemory,
                       "a view of %d particles beside another fluid is more than an array can hold", count);
    if (!wbArray_Reserve(world->memory, &fluid->viewFloats, FIELDS * stride) ||
        !wbArray_Reserve(world->memory, &fluid->viewIds, count))
        return wbMemoryError(world->memory, "a view of %d particles needs", count);
    const float *from[FIELDS] = {all->x,  all->y,  all->z,       all->vx,
                                 all->vy, all->vz, all->density, all->pressure};
    const float **to[FIELDS] = {&view->x,  &view->y,  &view->z,       &view->vx,
                                &view->vy, &view->vz, &view->density, &view->pressure};
    uint32_t *ids = fluid->viewIds.data;
    float *floats = fluid->viewFloats.data;
    for (int i = 0, k = 0; i < all->count; i++) {
        if (wbGetFluidOfId(world, all->id[i]) != index) continue;
        for (int f = 0; f < FIELDS; f++) floats[f * stride + k] = from[f][i];
        floats[DENSITY * stride + k] *= relative;
        ids[k++] = all->id[i];
    }
    for (int f = 0; f < FIELDS; f++) *to[f] = floats + f * stride;
    view->id = ids;
    return wb_okStatus;
}

wbStatus wbFluid_GetView(wbWorld *world, wbFluidId id, wbView *view) {
    WB_REQUIRE(world);
    WB_REQUIRE(view);
    WB_TRY(wbPullState(world));
    const wbParticles *all = getLiquid(world, id)->particles;
    *view = (wbView){.count = wbGetFluidOf(world, id)->particleCount,
                     .stride = 1,
                     .x = all->x,
                     .y = all->y,
                     .z = all->z,
                     .vx = all->vx,
                     .vy = all->vy,
                     .vz = all->vz,
                     .density = all->density,
                     .pressure = all->pressure,
                     .id = all->id};
    bool isAll = view->count == all->count && wbGetRelativeDensity(world, wbGetFluidIndex(world, id)) == 1;
    if (view->count == 0) return wb_okStatus;
    if (!isAll) WB_TRY(copyView(world, id, view));
    return wbFillViewSizes(world, wbGetFluidIndex(world, id), view);
}

typedef struct IdPlace {
    uint32_t id;
    int place;
} IdPlace;

static int compareIds(const void *a, const void *b) {
    uint32_t one = ((const IdPlace *)a)->id, two = ((const IdPlace *)b)->id;
    return one < two ? -1 : one > two;
}

wbFluidStats wbFluid_GetStats(const wbWorld *world, wbFluidId id) {
    const wbFluid *fluid = wbGetFluidOf(world, id);
    return (wbFluidStats){fluid->particleCount, fluid->spawned, fluid->removed};
}

wbStatus wbFluid_CopyById(wbWorld *world, wbFluidId id, float *pos3, float *vel3) {
    WB_REQUIRE(world);
    WB_TRY(wbPullState(world));
    const wbParticles *all = getLiquid(world, id)->particles;
    const int fluid = wbGetFluidIndex(world, id);
    size_t mark = wbArena_Mark(world->work.arena), count = 0;
    IdPlace *order = wbArena_Alloc(world->work.arena, sizeof *order * ((size_t)all->count + 1));
    if (!order) return wbMemoryError(world->memory, "the order of %d particles needs", all->count);
    for (int i = 0; i < all->count; i++)
        if (wbGetFluidOfId(world, all->id[i]) == fluid) order[count++] = (IdPlace){all->id[i], i};
    qsort(order, count, sizeof *order, compareIds);
    for (size_t n = 0; n < count; n++) {
        int i = order[n].place;
        if (pos3) pos3[3 * n] = all->x[i], pos3[3 * n + 1] = all->y[i], pos3[3 * n + 2] = all->z[i];
        if (vel3) vel3[3 * n] = all->vx[i], vel3[3 * n + 1] = all->vy[i], vel3[3 * n + 2] = all->vz[i];
    }
    wbArena_Release(world->work.arena, mark);
    return wb_okStatus;
}
