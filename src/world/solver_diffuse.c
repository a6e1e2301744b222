// SPDX-License-Identifier: MIT
// Spray, foam and bubbles as the world sees them: a solver that is there while it is switched on and there are liquids. Liquids on a
// compute device are copied to the host for it before each step.
#include <math.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "diffuse/diffuse.h"
#include "space/surface.h"
#include "world/collider.h"
#include "world/drops.h"

#define WB_PARAM_STRUCT wbDiffuseParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_DIFFUSE_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_diffuseTable =
    WB_PARAM_TABLE("diffuse", "spray, foam and bubbles", wbDiffuseParams, rows);

static const char *const phaseNames[wb_diffusePhaseCount] = {
#define WB_PHASE(name) "diffuse_" #name,
    WB_DIFFUSE_PHASES(WB_PHASE)
#undef WB_PHASE
};

static bool isWanted(const wbSolver *solver) {
    return solver->world->def.diffuse.on && wbGetNextLiquid(solver->world, NULL);
}

static wbStatus create(wbSolver *solver) {
    wbDiffuse *diffuse = solver->self = wbAllocZero(solver->world->memory, sizeof *diffuse);
    if (!diffuse) return wbMemoryError(solver->world->memory, "diffuse particles need");
    wbDiffuse_Init(diffuse);
    return wb_okStatus;
}

static void destroy(wbSolver *solver) {
    wbDiffuse_Free(solver->world->memory, solver->self);
    wbFree(solver->world->memory, solver->self, sizeof(wbDiffuse));
}

static wbStatus setParams(wbSolver *solver, void *params) {
    (void)solver, (void)params;
    return wb_okStatus;
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    (void)solver, (void)isAsked;
    return INFINITY;
}

// It reads the particles of all liquids.
static wbStatus plan(wbSolver *solver, float dt) {
    (void)dt;
    return wbPullState(solver->world);
}

// Ways through surfaces, as they stand.

static bool crosses(const wbShape *shape, const wbPose *pose, wbVec3 from, wbVec3 to) {
    const wbVec3 a = wbPose_ApplyInverse(pose, from), way = wbSub(wbPose_ApplyInverse(pose, to), a);
    const wbVec3d origin = {(double)a.x, (double)a.y, (double)a.z};
    const wbVec3d translation = {(double)way.x, (double)way.y, (double)way.z};
    return wbShape_CastRay(shape, origin, translation, 1).triangle >= 0;
}

static bool isNear(const wbShape *shape, const wbPose *pose, wbVec3 from, wbVec3 to) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    const wbVec3 away = wbSub(wbPose_ApplyInverse(pose, from), tree->centre), way = wbSub(to, from);
    return sqrtf(wbDot(away, away)) <= tree->radius + sqrtf(wbDot(way, way));
}

static bool isBlocked(const float from[3], const float to[3], const void *context) {
    const wbWorld *world = context;
    const wbSurfaceOwner *owner = wbGetBodyOwner(world);
    const wbVec3 a = {from[0], from[1], from[2]}, b = {to[0], to[1], to[2]}, way = wbSub(b, a);
    const float half = 0.5f * sqrtf(wbDot(way, way));
    for (int i = -1; (i = wbFindNextCollider(world, wbScale(0.5f, wbAdd(a, b)), half, i)) >= 0;) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        if (collider->params.on && isNear(collider->shape, &collider->state.pose, a, b) &&
            crosses(collider->shape, &collider->state.pose, a, b))
            return true;
    }
    for (int i = 0; i < owner->countBodies(owner->context); i++) {
        const wbSurfaceBody body = owner->getBody(owner->context, i);
        if (!body.isOff && isNear(body.shape, &body.pose, a, b) && crosses(body.shape, &body.pose, a, b))
            return true;
    }
    return false;
}

// The sizes of particles over the smallest's, in the arena; NULL where all are of one.
static wbStatus listSizes(const wbParticleFluid *liquid, float **sizes) {
    wbWorld *world = liquid->world;
    const int count = liquid->particles->count;
    *sizes = NULL;
    if (!wbIsSized(liquid)) return wb_okStatus;
    *sizes = wbArena_Alloc(world->work.arena, (size_t)(count + 1) * sizeof **sizes);
    if (!*sizes) return wbMemoryError(world->memory, "diffuse particles near %d of fluids need", count);
    for (int i = 0; i < count; i++)
        (*sizes)[i] = 2 * wbGetRadiusOf(liquid, wbGetUnits(liquid, i)) / liquid->spacing;
    return wb_okStatus;
}

static wbStatus listLiquids(const wbWorld *world, wbDiffuseLiquid liquids[WB_SOLVER_COUNT], int *count) {
    *count = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        float *sizes;
        WB_TRY(listSizes(l, &sizes));
        liquids[(*count)++] = (wbDiffuseLiquid){l->particles, sizes, l->spacing, l->restDensity};
    }
    return wb_okStatus;
}

static wbStatus step(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    const wbDiffuseStep now = {.params = &world->def.diffuse,
                               .domain = &world->domain,
                               .work = &world->work,
                               .seed = (uint32_t)world->params.seed,
                               .dt = dt,
                               .isBlocked = isBlocked,
                               .blow = wbAreDropsBlown(world) ? wbBlowSpray : NULL,
                               .context = world};
    wbDiffuseLiquid liquids[WB_SOLVER_COUNT];
    const size_t mark = wbArena_Mark(world->work.arena);
    int count;
    wbStatus status = listLiquids(world, liquids, &count);
    if (wbIsOk(status)) status = wbDiffuse_Step(solver->self, &now, liquids, count);
    wbArena_Release(world->work.arena, mark);
    return status;
}

// State

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    wbDiffuse_ListValues(solver->self, values);
    return WB_DIFFUSE_VALUES;
}

static int listColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbDiffuse *diffuse = solver->self;
    wbColumn list[WB_DIFFUSE_STATE_COLUMNS];
    wbDiffuse_ListColumns(diffuse, list);
    return wbAddColumns(solver, list, WB_DIFFUSE_STATE_COLUMNS, diffuse->count, true, columns);
}

static wbStatus resize(const wbSolver *solver, wbSectionList *list) {
    wbDiffuse *diffuse = solver->self;
    (void)list;
    return wbDiffuse_Reserve(diffuse, solver->world->memory, diffuse->count);
}

// Of a file that may say anything.
static wbStatus checkColumns(const wbSolver *solver, wbSectionList *list) {
    static const char *const names[] = {"diffuse.x",  "diffuse.y",  "diffuse.z",   "diffuse.vx",
                                        "diffuse.vy", "diffuse.vz", "diffuse.age", "diffuse.left"};
    const int count = ((const wbDiffuse *)solver->self)->count;
    wbStatus status = wb_okStatus;
    for (size_t c = 0; c < sizeof names / sizeof names[0]; c++)
        WB_TRY(wbCheckFloatSection(list, names[c], (size_t)count));
    const char *kinds = wbFindSection(list, "diffuse.kind", (size_t)count * sizeof(uint32_t), &status);
    for (int i = 0; kinds && i < count; i++) {
        uint32_t kind;
        memcpy(&kind, kinds + (size_t)i * sizeof kind, sizeof kind);
        if (kind > wb_diffuseBubble)
            return wbError(wb_errorInput, "section \"diffuse.kind\" has %u, allowed is 0 to %d", kind,
                           wb_diffuseBubble);
    }
    return status;
}

// Reports

wbStatus wbWorld_GetDiffuseView(wbWorld *world, wbDiffuseView *view) {
    WB_REQUIRE(world);
    WB_REQUIRE(view);
    const wbDiffuse *d = world->solvers[wb_solverIndex_diffuse].self;
    const wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
    *view = (wbDiffuseView){0};
    if (!d || !liquid) return wb_okStatus;
    *view = (wbDiffuseView){.count = d->count,
                            .x = d->x,
                            .y = d->y,
                            .z = d->z,
                            .vx = d->vx,
                            .vy = d->vy,
                            .vz = d->vz,
                            .age = d->age,
                            .left = d->left,
                            .kind = d->kind,
                            .id = d->id,
                            .radius = world->def.diffuse.radius * liquid->spacing};
    return wb_okStatus;
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const wbDiffuse *d = solver->self;
    (void)ground;
    int counts[wb_diffuseBubble + 1] = {0};
    for (int i = 0; i < d->count; i++) counts[d->kind[i]]++;
    stats->spray += counts[wb_diffuseSpray], stats->foam += counts[wb_diffuseFoam];
    stats->bubbles += counts[wb_diffuseBubble], stats->diffuseRefused += d->refused;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    wbAddPhases(profile, phaseNames, ((const wbDiffuse *)solver->self)->ms, wb_diffusePhaseCount);
}

static int listDerived(const wbSolver *solver, wbDerived list[WB_MAX_DERIVED]) {
    const wbDiffuse *d = solver->self;
    list[0] = (wbDerived){"diffuse", "particles", "", "spray, foam and bubbles that there are", d->count};
    list[1] = (wbDerived){"diffuse", "born", "", "since it was switched on", (double)d->born};
    list[2] =
        (wbDerived){"diffuse", "refused", "", "that diffuse.limit kept from being born", (double)d->refused};
    return 3;
}

const wbSolverKind wb_diffuseSolver = {.info = {.name = "diffuse",
                                                .moves = "spray, foam and bubbles",
                                                .object = NULL,
                                                .with = "fluid",
                                                .isFluid = false,
                                                .params = offsetof(wbWorldDef, diffuse)},
                                       .place = wb_placeDiffuse,
                                       .table = &wb_diffuseTable,
                                       .setParams = setParams,
                                       .create = create,
                                       .destroy = destroy,
                                       .isWanted = isWanted,
                                       .getStableStep = getStableStep,
                                       .plan = plan,
                                       .step = step,
                                       .listValues = listValues,
                                       .listColumns = listColumns,
                                       .resize = resize,
                                       .checkColumns = checkColumns,
                                       .addStats = addStats,
                                       .listDerived = listDerived,
                                       .addProfile = addProfile};
