// SPDX-License-Identifier: MIT
// Soft bodies in liquids: whether they feel each other, and a sub-step of soft bodies that is open until liquids have moved.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "core/timer.h"
#include "world/coupling.h"
#include "world/soft.h"

static bool feels(const wbParticleFluid *liquid) {
    return liquid->method->feelsSheets && liquid->method->feelsSheets(liquid);
}

static wbPairMode getMode(const wbWorld *world) {
    return wbGetPairMode(&world->def.coupling, wb_matterWater, wb_matterSoft);
}

// Whether any body has something that fluids could feel. Where none has, soft bodies keep sub-steps of their own: a rope bears a
// weight by them, not by iterations.
static bool isAnyFelt(const wbWorld *world) {
    for (int i = 0; i < world->softBodyIds.indexCount; i++)
        if (!wbIsLine(wbGetSoftBodyAt(world, i))) return true;
    return false;
}

bool wbAreSoftWet(const wbWorld *world) {
    if (!wbGetSoft(world) || getMode(world) == wb_pairOff || !isAnyFelt(world)) return false;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (feels(l)) return true;
    return false;
}

static void tellOfDeaf(const wbWorld *world) {
    wbSoft *soft = wbGetSoft(world);
    if (soft->water.isDeafTold) return;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (feels(l)) continue;
        wbLog(wb_logWarning,
              "soft bodies and the fluids of %s do not feel each other: take pbf.adaptive.method levels or "
              "off, "
              "or set coupling.waterSoft to off",
              l->solver->kind->info.name);
        soft->water.isDeafTold = true;
    }
}

static void tellOfBare(const wbWorld *world, int index) {
    wbSoft *soft = wbGetSoft(world);
    if (!soft->water.isBareTold)
        wbLog(wb_logWarning, "soft body \"%s\" has no surface: fluids do not feel it, nor others like it",
              wbGetSoftBodyAt(world, index)->name);
    soft->water.isBareTold = true;
}

bool wbAreSoftWanted(const wbWorld *world) {
    if (!wbGetSoft(world) || getMode(world) == wb_pairOff) return false;
    if (isAnyFelt(world))
        tellOfDeaf(world);
    else if (world->softBodyIds.indexCount > 0 && wbGetNextLiquid(world, NULL))
        tellOfBare(world, 0);
    return wbAreSoftWet(world);
}

// Before a step

wbStatus wbLeaveDevices(wbWorld *world, const char *why) {
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!l->solver->device || !feels(l)) continue;
        WB_TRY(wbPullState(world));
        wbLog(wb_logWarning,
              "%s of the solver %s are computed on the cores from now on: the device does not compute %s",
              l->solver->kind->info.moves, l->solver->kind->info.name, why);
        wbSolver_CloseDevice(l->solver);
    }
    return wb_okStatus;
}

static wbStatus leaveDevices(wbWorld *world) {
    WB_TRY(wbLeaveDevices(world, "what soft bodies push (coupling.waterSoft)"));
    const wbSolver *pbd = &world->solvers[wb_solverIndex_pbd];
    return wbSolver_IsAhead(pbd) ? wbPullState(world) : wb_okStatus;
}

static void tellOfCores(const wbWorld *world) {
    wbSoft *soft = wbGetSoft(world);
    if (!world->solvers[wb_solverIndex_pbd].device || soft->water.areCoresTold) return;
    wbLog(wb_logWarning, "soft bodies are computed on the cores: the device does not compute what fluids "
                         "push (coupling.waterSoft)");
    soft->water.areCoresTold = true;
}

static void tellOfFloor(const wbWorld *world, wbCoupling *coupling) {
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const wbWetSoft *wet = &coupling->soft;
    for (int i = 0; i < pbd->count && !coupling->isSoftFloorTold; i++) {
        const float inverse = wbWetSoft_FindInverseMassInFluids(wet, pbd, i);
        if (!(inverse < 0.999f * pbd->w[i]) || wet->mode != wb_pairBoth) continue;
        wbLog(wb_logWarning,
              "soft body \"%s\" is too light for these fluids: in them its particles have the inertia of "
              "%.3g kg instead "
              "of %.3g kg, and their own weight; others may have, too (coupling.floor)",
              wbGetSoftBodyAt(world, (int)pbd->body[i])->name, 1 / (double)inverse, 1 / (double)pbd->w[i]);
        coupling->isSoftFloorTold = true;
    }
}

static void listBodies(const wbWorld *world, wbWetSoftBody *bodies) {
    const int *triangles = wbGetSoft(world)->triangles.data;
    for (int i = 0; i < world->softBodyIds.indexCount; i++) {
        const wbSoftBody *body = wbGetSoftBodyAt(world, i);
        bodies[i] = (wbWetSoftBody){.first = body->particles.first, .count = body->particles.count};
        if (body->triangleCount > 0)
            bodies[i].triangles = triangles + 3 * (size_t)body->firstTriangle,
            bodies[i].triangleCount = body->triangleCount;
    }
}

// What bears sheets by its sound is calm from a layer of particles on either side on (coupling.md); it does not iterate, so that all that it
// pushes is taken at once.
static void findLayers(const wbWorld *world, wbWetSoft *wet) {
    wet->layer = wet->along = 0, wet->floor = world->def.coupling.floor;
    bool isSoft = false;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!feels(l)) continue;
        wet->layer = fmaxf(wet->layer, l->restDensity * (float)wbGetHeaviest(l) * l->spacing);
        if (wbGetBearing(l) == wb_bearingSoft)
            isSoft = true;
        else
            wet->along = 1;
    }
    if (isSoft) wet->floor *= 2;
}

wbStatus wbPrepareWetSoft(wbWorld *world, wbCoupling *coupling) {
    const wbSoft *soft = wbGetSoft(world);
    wbWetSoft *wet = &coupling->soft;
    const size_t mark = wbArena_Mark(world->work.arena);
    wbWetSoftBody *bodies =
        wbArena_Alloc(world->work.arena, sizeof *bodies * (size_t)world->softBodyIds.indexCount);
    if (!bodies)
        return wbMemoryError(world->memory, "%d soft bodies among fluids need",
                             world->softBodyIds.indexCount);
    WB_TRY(leaveDevices(world));
    listBodies(world, bodies);
    wet->mode = getMode(world), wet->step = NULL;
    findLayers(world, wet);
    wbStatus status = wbWetSoft_Prepare(wet, &world->work, &soft->pbd, bodies, world->softBodyIds.indexCount);
    if (wbIsOk(status))
        status = wbWetSheets_Prepare(&coupling->thin, &world->work, &soft->pbd, bodies,
                                     world->softBodyIds.indexCount);
    if (wbIsOk(status)) {
        tellOfCores(world), tellOfFloor(world, coupling);
        for (int i = 0; i < world->softBodyIds.indexCount; i++)
            if (!wbWetSoft_HasSurface(wet, &bodies[i])) tellOfBare(world, i);
    }
    wbArena_Release(world->work.arena, mark);
    return status;
}

// Half of a kernel's reach: faster sheets would leave behind what is near them.
float wbGetWetSoftStep(const wbWorld *world) {
    const float speed = wbGetSoft(world) ? wbGetSoft(world)->pbd.maxSpeed : 0;
    float least = INFINITY;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && speed > 0;
         l = wbGetNextLiquid(world, l))
        if (feels(l)) least = fminf(least, l->h / (2 * speed));
    return least;
}

void wbDropWetSoft(wbWorld *world, int first, int count) {
    if (wbGetCoupling(world)) wbWetSoft_Remove(&wbGetCoupling(world)->soft, first, count);
}

double wbGetSoftInertia(const wbWorld *world, int particle) {
    const wbCoupling *coupling = wbGetCoupling(world);
    if (!coupling || !coupling->hasSoft || particle >= coupling->soft.particleCount) return 0;
    const float inverse = wbWetSoft_FindInverseMass(&coupling->soft, &wbGetSoft(world)->pbd, particle);
    return inverse > 0 ? 1 / (double)inverse : 0;
}

// The sub-step

// What pushes soft bodies counts with their own masses.
static wbStatus push(const wbPbd *pbd, float dt, const wbWork *work, float *const acceleration[3],
                     void *context) {
    wbWorld *world = context;
    for (int a = 0; a < 3; a++) memset(acceleration[a], 0, sizeof(float) * (size_t)pbd->count);
    if (wbIsSoftBlown(world)) WB_TRY(wbBlowSoft(pbd, dt, work, acceleration, world));
    wbWetSoft_WeighPushes(&wbGetCoupling(world)->soft, pbd, world->domain.gravity, acceleration);
    return wb_okStatus;
}

static void tellOfOrder(wbSoft *soft) {
    if (soft->model.params.integrator == wb_pbdEuler) return;
    if (!soft->water.isOrderTold)
        wbLog(wb_logWarning, "pbd.integrator counts as euler in fluids: with others momentum would be lost "
                             "(coupling.waterSoft)");
    soft->water.isOrderTold = true;
}

// Iterations of soft bodies in one of a liquid's; in sub-steps of sound, which are short, as many fewer.
static int countSweeps(const wbPbdModel *model, const wbWorld *world, float dt) {
    const int all = model->params.subSteps * model->params.iterations;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (feels(l) && wbGetBearing(l) != wb_bearingSoft) return all;
    return (int)ceil(all * fmin((double)dt / WB_SHARED_STEP, 1));
}

wbStatus wbOpenWetSoft(wbSolver *solver, wbPbdModel *model, float dt) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    wbWetSoft *wet = &wbGetCoupling(world)->soft;
    const wbPbdForces forces = {push, world};
    wbPbdOpenStep *step;
    tellOfOrder(soft);
    wet->step = NULL, wet->sweeps = countSweeps(model, world, dt);
    model->params.subSteps = 1, model->params.integrator = wb_pbdEuler;
    model->forces = &forces, model->inverseMasses = wbWetSoft_GetInverseMasses(wet);
    WB_TRY(wbPbd_Open(&soft->pbd, model, &world->work, dt, wet->sweeps, &step));
    wbWetSoft_Begin(wet, step, &soft->pbd, dt);
    return wb_okStatus;
}

wbStatus wbSettleSoft(wbWorld *world, const wbSubStep *part, const wbSolver **where) {
    const wbSolver *solver = &world->solvers[wb_solverIndex_pbd];
    wbCoupling *coupling = wbGetCoupling(world);
    if (!coupling || !coupling->soft.step || !wbIsIn(solver, part->group)) return wb_okStatus;
    wbPbdOpenStep *step = coupling->soft.step;
    double mark = wbGetSeconds();
    *where = solver;
    wbWetSoft_End(&coupling->soft);
    WB_TRY(wbPbdOpenStep_Close(step));
    wbGetSoft(world)->account.isDriven = true;
    WB_TRY(wbCheckSoft(world, part->dt));
    coupling->thin.ms += wbLapMs(&mark);
    *where = NULL;
    return wb_okStatus;
}
