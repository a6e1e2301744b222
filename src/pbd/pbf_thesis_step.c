// SPDX-License-Identifier: MIT
// A step of pbf_thesis.h.
#include <string.h>

#include "core/status.h"
#include "pbd/pbf.h"
#include "pbd/pbf_constants.h"
#include "pbd/pbf_thesis_change_formula.h"
#include "pbd/pbf_thesis_step.h"

void wbThesisStep_Run(wbThesisStep *step, wbRangeFn *range) {
    wbParallelShare(step->work->pool, step->fluid.particles->count, WB_BLOCK, range, &step->pass);
}
void wbThesisStep_RunOverLists(wbThesisStep *step, wbRangeFn *range) {
    wbFluidStep_RunOverLists(&step->fluid, range, step->pass.places, &step->pass,
                             step->pass.relative ? THESIS_MIXED : 0);
}

// Ghosts have the records of their particles.
static void copyToGhosts(const wbThesisStep *step, float *records) {
    const wbFluidStep *fluid = &step->fluid;
    for (int k = 0; k < fluid->ghosts.count; k++)
        memcpy(records + 4 * (size_t)(fluid->firstGhost + k), records + 4 * (size_t)fluid->ghosts.source[k],
               sizeof(float[4]));
}
// Or ones of which only this first field is read.
static void fillGhosts(const wbThesisStep *step, float *records, float first) {
    const wbFluidStep *fluid = &step->fluid;
    for (int k = 0; k < fluid->ghosts.count; k++) records[4 * (size_t)(fluid->firstGhost + k)] = first;
}

// What each step begins with: where particles would go, and how far they are kept from the sides.
typedef struct Prediction {
    wbThesisStep *step;
    float *points[3], *reach;
} Prediction;

static void predict(int begin, int end, int worker, void *context) {
    (void)worker;
    const Prediction *prediction = context;
    const wbThesisStep *step = prediction->step;
    const wbParticles *p = step->fluid.particles;
    const ThesisMove *move = &step->pass.move;
    const float *const x[3] = {p->x, p->y, p->z}, *const v[3] = {p->vx, p->vy, p->vz};
    for (int i = begin; i < end; i++) {
        for (int a = 0; a < 3; a++)
            prediction->points[a][i] =
                thesis_predict(x[a][i], v[a][i], thesis_inset(p->id[i], a, move), a, move);
        prediction->reach[i] = thesis_reach(step->thesis->h[i], step->thesis->distance[i], &step->sizing);
    }
}

static void calibrate(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbThesisStep *step = context;
    for (int i = begin; i < end; i++) {
        const float r = thesis_radius(step->thesis->parts[i], &step->sizing);
        const ThesisSums sums =
            thesis_sums(step->model->sums, step->model->squares, thesis_least_radius(r, &step->sizing),
                        step->thesis->h[i], step->sizing.dimensions);
        step->pass.calibration[i] = sums.sum, step->pass.squares[i] = sums.squares;
        step->pass.places[4 * (size_t)i + 3] = thesis_mass(step->thesis->parts[i]);
    }
}
void wbThesisStep_Calibrate(wbThesisStep *step) {
    wbParallelFor(step->work->pool, step->fluid.particles->count, WB_BLOCK, calibrate, step);
}

static void place(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbThesisStep *step = context;
    const wbPoints points = step->lists.own;
    for (int i = begin; i < end; i++) {
        float *record = step->pass.places + 4 * (size_t)i;
        record[0] = points.x[i], record[1] = points.y[i], record[2] = points.z[i];
        for (int a = 0; a < 3; a++)
            step->pass.inset[a][i] = thesis_inset(step->fluid.particles->id[i], a, &step->pass.move);
        step->rest[i] = 1 + step->thesis->offset[i], step->least[i] = 0, step->pass.mu[i] = 0;
    }
}

static bool allocate(wbThesisStep *step) {
    wbThesisPass *pass = &step->pass;
    const wbFluidStep *fluid = &step->fluid;
    float **const columns[] = {&pass->inset[0],    &pass->inset[1],    &pass->inset[2],    &pass->calibration,
                               &pass->squares,     &step->rest,        &step->least,       &pass->density,
                               &pass->gradient[0], &pass->gradient[1], &pass->gradient[2], &pass->mu,
                               &pass->isBoundary};
    pass->places = wbFluidStep_AllocPositions(fluid, 0), pass->kernels = wbFluidStep_AllocVectors(fluid);
    pass->extra = wbFluidStep_AllocVectors(fluid), pass->result = wbFluidStep_AllocVectors(fluid);
    pass->rest = NULL;
    if (!pass->places || !pass->kernels || !pass->extra || !pass->result ||
        !wbFluidStep_AllocColumns(fluid, columns, 13))
        return false;
    pass->rest = step->rest, pass->least = step->least;
    return true;
}

// Of which fluid particles are, and the lightest around each of them: for all passes, as the lists are.
static wbStatus mixFluids(wbThesisStep *step) {
    wbFluidStep *fluid = &step->fluid;
    wbThesisPass *pass = &step->pass;
    if (fluid->mixture->count == 0) return wb_okStatus;
    float *relative = wbFluidStep_AllocNumbers(fluid, 1), *lowest = wbFluidStep_AllocNumbers(fluid, 1);
    if (!relative || !lowest) return wbFluidStep_FailByMemory(fluid);
    wbFluidStep_FillRelative(fluid, fluid->particles->id, relative);
    wbFluidStep_CopyToGhosts(fluid, relative);
    pass->relative = relative, pass->lowest = lowest;
    for (int i = 0; i < fluid->particles->count; i++) pass->kernels[4 * (size_t)i] = 1 / step->thesis->h[i];
    pass->kernels[4 * (size_t)fluid->dummy] = pass->constants.narrow; // else it would be near everybody
    copyToGhosts(step, pass->kernels);
    wbThesisStep_RunOverLists(step, step->code->lowest);
    return wb_okStatus;
}

static wbStatus findNeighbours(wbThesisStep *step) {
    wbFluidStep *fluid = &step->fluid;
    const wbWork *work = step->work;
    const int count = fluid->particles->count;
    Prediction prediction = {.step = step};
    float **const columns[] = {&prediction.points[0], &prediction.points[1], &prediction.points[2],
                               &prediction.reach};
    if (!wbFluidStep_AllocColumns(fluid, columns, 4)) return wbFluidStep_FailByMemory(fluid);
    wbParallelFor(work->pool, count, WB_BLOCK, predict, &prediction);
    WB_TRY(wbThesisStep_Sort(step, prediction.points, prediction.reach));
    wbFluidStep_EndPhase(fluid, wb_pbf_sort);
    WB_TRY(wbThesisStep_FindGhosts(step));
    if (!allocate(step)) return wbFluidStep_FailByMemory(fluid);
    wbParallelFor(work->pool, count, WB_BLOCK, place, step);
    step->pass.firstGhost = fluid->firstGhost, step->lists.dummy = fluid->dummy;
    WB_TRY(wbThesisStep_ListBoundary(step));
    wbFluidStep_EndPhase(fluid, wb_pbf_boundary);
    WB_TRY(wbThesisStep_BuildLists(step, &fluid->search->neighbours, &step->lists));
    wbThesisStep_Calibrate(step);
    WB_TRY(mixFluids(step));
    wbFluidStep_EndPhase(fluid, wb_pbf_neighbours);
    return wb_okStatus;
}

static void solve(wbThesisStep *step) {
    wbFluidStep_MirrorPositions(&step->fluid, step->pass.places);
    wbThesisStep_AddBoundary(step);
    wbThesisStep_RunOverLists(step, step->code->solve);
    copyToGhosts(step, step->pass.kernels);
}

static void iterate(wbThesisStep *step, int iterations, bool pushes) {
    for (int k = 0; k < iterations; k++) {
        solve(step);
        if (pushes) wbThesisStep_PushBoundary(step);
        wbThesisStep_RunOverLists(step, step->code->correct);
        wbThesisStep_Run(step, step->code->move);
        if (pushes) wbFluidStep_Respond(&step->fluid, &step->pass.near, wb_atEnd, step->pass.move.dt);
    }
}

// Density and gradient where particles are; the density that is to stay is where constraints push, at least the rest density.
static void measure(wbThesisStep *step) {
    const int count = step->fluid.particles->count;
    float *mu = step->pass.mu; // which the pressure is made of is that of the iterations
    step->pass.mu = step->pass.isBoundary;
    memset(step->pass.isBoundary, 0, sizeof(float) * (size_t)count);
    solve(step);
    step->pass.mu = mu;
}

// Section 4.5.2: from those of the last step, one neighbourhood farther.
static void findDistances(wbThesisStep *step) {
    wbThesis *thesis = step->thesis;
    const int count = step->fluid.particles->count;
    wbThesisStep_RunOverLists(step, step->code->boundary);
    for (int i = 0; i < count; i++) {
        if (step->pass.isBoundary[i] > 0) thesis->distance[i] = wbThesis_GetRadius(thesis, step->model, i);
        step->pass.extra[4 * (size_t)i] = thesis->distance[i];
    }
    fillGhosts(step, step->pass.extra, 1e30f);
    wbThesisStep_RunOverLists(step, step->code->distance);
    for (int i = 0; i < count; i++) {
        const float nearest = step->pass.result[i];
        if (step->pass.isBoundary[i] == 0 && nearest < 1e14f) thesis->distance[i] = nearest;
    }
}

// What sizes should be: by the distance to the boundary, and by whatever else is wished.
static wbStatus takeWishes(wbThesisStep *step) {
    const wbFluidStep *fluid = &step->fluid;
    const int count = fluid->particles->count;
    float *mass;
    float **const columns[] = {&step->size, &mass};
    if (!wbFluidStep_AllocColumns(fluid, columns, 2)) return wbFluidStep_FailByMemory(fluid);
    for (int i = 0; i < count; i++) mass[i] = thesis_mass(step->thesis->parts[i]);
    const PbfWishes wishes = wbThesisModel_GetWishes(step->model);
    float *toColliders;
    WB_TRY(wbFindToColliders(fluid, &wishes, step->pass.boundary ? &step->pass.near : NULL, &toColliders));
    const wbWishInput input = {
        .toSurface = step->thesis->distance, .toColliders = toColliders, .h = step->thesis->h, .mass = mass};
    return wbFindWishedSizes(fluid, &wishes, &input, step->size);
}

static void keepPositions(const wbThesisStep *step, float *const to[3]) {
    const wbParticles *p = step->fluid.particles;
    const size_t bytes = sizeof(float) * (size_t)p->count;
    memcpy(to[0], p->x, bytes), memcpy(to[1], p->y, bytes), memcpy(to[2], p->z, bytes);
}

// Velocities of the way, what surfaces and neighbours make of them; then what went through a collider is put back, and all forces are known.
static wbStatus finishVelocities(wbThesisStep *step) {
    wbThesisPass *pass = &step->pass;
    const wbFluidStep *fluid = &step->fluid;
    float *before[3];
    float **const columns[] = {&before[0], &before[1], &before[2]};
    if (!wbFluidStep_AllocColumns(fluid, columns, 3)) return wbFluidStep_FailByMemory(fluid);
    keepPositions(step, before);
    wbThesisStep_Run(step, step->code->finish);
    wbThesisStep_Stick(step);
    wbFluidStep_MirrorVelocities(fluid, pass->extra); // sides slip
    if (pass->constants.viscosity > 0) wbThesisStep_RunOverLists(step, step->code->smooth);
    WB_TRY(wbThesisStep_Collide(step, before, wb_atStart));
    if (pass->boundary)
        wbBoundary_AddForces(fluid->colliders->boundary, wb_atEnd, pass->near.fx, pass->near.fy,
                             pass->near.fz, (double)pass->move.dt);
    const wbParticles *p = fluid->particles;
    for (int i = 0; i < p->count; i++) {
        float *record = pass->places + 4 * (size_t)i;
        record[0] = p->x[i], record[1] = p->y[i], record[2] = p->z[i];
    }
    return wb_okStatus;
}

static void widen(wbThesisStep *step) {
    wbThesis *t = step->thesis;
    const ThesisSizing *sizing = &step->sizing;
    const int count = step->fluid.particles->count;
    if (sizing->isGeneral) {
        for (int i = 0; i < count; i++)
            step->pass.extra[4 * (size_t)i] = sizing->width * thesis_target(step->size[i], sizing);
        fillGhosts(step, step->pass.extra, 0);
        wbThesisStep_RunOverLists(step, step->code->spread);
    }
    for (int i = 0; i < count; i++) {
        const float wanted =
            sizing->isGeneral ? step->pass.result[i] : thesis_support(t->distance[i], step->size[i], sizing);
        t->h[i] = thesis_follow(t->h[i], wanted);
    }
}

// Towards the density of before, in `rest`, without velocity; what is left is a rest offset. Of colliders this knows the points alone, so that what went through
// a surface is put back again.
static wbStatus settle(wbThesisStep *step) {
    wbThesis *t = step->thesis;
    wbParticles *p = step->fluid.particles;
    float *before[3];
    float **const columns[] = {&before[0], &before[1], &before[2]};
    if (!wbFluidStep_AllocColumns(&step->fluid, columns, 3)) return wbFluidStep_FailByMemory(&step->fluid);
    keepPositions(step, before);
    step->pass.move.bearing = 0; // places alone: no weight is borne
    for (int i = 0; i < p->count; i++) step->least[i] = t->distance[i] > step->sizing.inside ? -0.1f : 0;
    iterate(step, step->model->params.relaxations, false);
    measure(step);
    for (int i = 0; i < p->count; i++) {
        t->offset[i] = pbf_carried(step->pass.density[i], step->rest[i], THESIS_CARRY);
        p->density[i] = step->pass.density[i] * step->model->params.restDensity;
        const float *place = step->pass.places + 4 * (size_t)i;
        p->x[i] = place[0], p->y[i] = place[1], p->z[i] = place[2];
    }
    return wbThesisStep_Collide(step, before, wb_atEnd);
}

// What splits left of the density, where particles are now: halves have that of what they came from.
static wbStatus settleSplits(wbThesisStep *step) {
    const wbParticles *p = step->fluid.particles;
    step->pass.move.dt = 0;
    WB_TRY(findNeighbours(step));
    for (int i = 0; i < p->count; i++)
        step->rest[i] = pbf_pressed(p->density[i] / step->model->params.restDensity, step->thesis->offset[i]);
    WB_TRY(settle(step));
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_velocities);
    return wb_okStatus;
}

// Section 5.1. Transfers and kernels change at the end instead of at the start, where lists are at hand to settle what comes of it.
static wbStatus advance(wbThesisStep *step) {
    WB_TRY(findNeighbours(step));
    iterate(step, step->model->params.iterations, true);
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_density);
    measure(step);
    for (int i = 0; i < step->fluid.particles->count; i++)
        step->rest[i] = pbf_pressed(step->pass.density[i], step->thesis->offset[i]);
    findDistances(step);
    WB_TRY(finishVelocities(step));
    WB_TRY(wbFluidStep_TakeMaxima(&step->fluid));
    WB_TRY(takeWishes(step));
    WB_TRY(wbThesisStep_Transfer(step));
    widen(step);
    wbThesisStep_Calibrate(step);
    WB_TRY(settle(step));
    WB_TRY(wbThesisStep_Change(step));
    step->thesis->steps++;
    wbFluidStep_EndPhase(&step->fluid, wb_pbf_velocities);
    return wb_okStatus;
}

// The sub-step that ends at this time of the step.
static void beginSubStep(wbThesisStep *step, float dt, float end) {
    const wbThesisModel *model = step->model;
    const double mass = wbThesisModel_GetMass(model);
    step->domain = wbDomain_At(model->domain, end);
    step->fluid.domain = &step->domain;
    step->pass = (wbThesisPass){.thesis = step->thesis,
                                .particles = step->fluid.particles,
                                .fluid = &step->fluid,
                                .constants = wbThesisModel_GetConstants(model),
                                .move = wbThesisModel_GetMove(model, &step->domain, dt, step->thesis->steps),
                                .forceScale = (float)(PBF_BOUNDARY_SHARE * mass / (double)dt / (double)dt),
                                .dragScale = (float)(mass / (double)dt)};
}

wbStatus wbThesis_Step(wbThesis *thesis, wbFluidState *fluid, const wbThesisModel *model,
                       const wbFluidColliders *colliders, const wbWork *work, float dt, int subSteps) {
    const wbThesisParams *params = &model->params;
    const float length = dt / (float)subSteps;
    const ThesisConstants constants = wbThesisModel_GetConstants(model);
    wbThesisStep step = {.thesis = thesis,
                         .model = model,
                         .work = work,
                         .code = wbGetThesisCode(work->simd),
                         .sizing = wbThesisModel_GetSizing(model),
                         .fluid = wbMakeFluidStep(fluid, model->domain,
                                                  params->width * wbThesisModel_GetSmallest(model),
                                                  0.5f * params->width, colliders, work)};
    if (fluid->particles.count == 0) return wb_okStatus;
    WB_TRY(wbFluidStep_Begin(&step.fluid, wbGetThesisBoundaryKernel(model, &constants, work->simd)));
    for (int k = 0; k < subSteps; k++) {
        const int count = fluid->particles.count;
        const int64_t splits = thesis->splits;
        const size_t scratch = wbArena_Mark(work->arena);
        if (colliders && colliders->move)
            colliders->move((float)k / (float)subSteps, (float)(k + 1) / (float)subSteps, colliders->context);
        beginSubStep(&step, length, (float)(k + 1) * length);
        WB_TRY(advance(&step));
        wbArena_Release(work->arena, scratch);
        if (thesis->splits > splits) WB_TRY(settleSplits(&step));
        wbArena_Release(work->arena, scratch);
        if (fluid->particles.count > count) WB_TRY(wbFluidStep_ReserveMaxima(&step.fluid));
    }
    wbFluidStep_TakeCaught(&step.fluid, wbThesisModel_GetMass(model));
    return wb_okStatus;
}
