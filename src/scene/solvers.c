// SPDX-License-Identifier: MIT
#include "scene/solvers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"

const wbSolverInfo *wbFindSolverInfo(const char *name) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++)
        if (strcmp(solvers[s]->name, name) == 0) return solvers[s];
    return NULL;
}

const wbSolverInfo *wbGetFluidSolver(wbFluidSolver solver) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    WB_ASSERT((int)solver < count && solvers[solver]->isFluid, "a fluid has no such solver");
    return solvers[solver];
}

static bool isAsked(const wbWorldDef *def, const wbSolverInfo *solver) {
    return solver->isAsked > 0 && *(const bool *)((const char *)def + solver->isAsked);
}

bool wbMayHaveSolver(const wbWorldDef *def, const wbSolverInfo *solver) {
    return solver->isAsked == 0 || isAsked(def, solver);
}

bool wbAsksForSolver(const wbWorldDef *def) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    bool asks = false;
    for (int s = 0; s < count; s++) asks = asks || isAsked(def, solvers[s]);
    return asks;
}

static double getNumber(const wbParam *param, const void *params) {
    double values[3];
    wbParam_GetNumbers(param, params, values);
    return values[0];
}

double wbScene_GetSpacing(const wbScene *scene, wbFluidSolver solver) {
    const wbSolverInfo *info = wbGetFluidSolver(solver);
    return getNumber(wbFindParam(wbGetParams(info->name), "spacing"), wbGetSolverParams(&scene->def, info));
}

static bool isOf(const wbSceneFluid *fluid, const wbSolverInfo *solver) {
    return wbGetFluidSolver(fluid->solver) == solver;
}

// m3 (2D: m2), of all fluids of a solver but for their single particles.
static double measureFluids(const wbScene *scene, const wbSolverInfo *solver) {
    double sum = 0;
    for (int i = 0; i < scene->fluidCount; i++) {
        const wbSceneFluid *fluid = wbScene_GetFluid(scene, i);
        if (isOf(fluid, solver))
            sum += wbScene_MeasureBlocks(scene, fluid) + wbScene_MeasureFills(scene, fluid);
    }
    return sum;
}

// Particles of all fluids of a solver but for single ones.
static double countFluids(const wbScene *scene, const wbSolverInfo *solver) {
    double count = 0;
    for (int i = 0; i < scene->fluidCount; i++) {
        const wbSceneFluid *fluid = wbScene_GetFluid(scene, i);
        if (isOf(fluid, solver)) count += wbScene_CountFluid(scene, fluid) - fluid->particleCount;
    }
    return count;
}

// Blocks hold whole layers: near the spacing that divides the volume, the one that comes nearest to the number.
wbStatus wbScene_ChooseSpacing(wbScene *scene, const wbSolverInfo *solver) {
    enum { tries = 100 };
    const wbParamTable *table = wbGetParams(solver->name);
    const wbParam *particles = wbFindParam(table, "particles"), *spacing = wbFindParam(table, "spacing");
    void *params = wbGetSolverParams(&scene->def, solver);
    if (!solver->isFluid || !particles || !spacing) return wb_okStatus;
    const double wanted = getNumber(particles, params), volume = measureFluids(scene, solver);
    if (wbParam_IsAuto(particles, wanted)) return wb_okStatus;
    if (volume == 0)
        return wbError(
            wb_errorInput,
            "%s.particles divides blocks, balls and meshes, and the scene has none: give %s.spacing",
            solver->name, solver->name);
    double even = pow(volume / wanted, 1.0 / scene->def.params.dimensions), nearest = HUGE_VAL, chosen = even;
    for (int k = 0; k <= 2 * tries; k++) { // outwards, so that the even one wins ties
        double tried = even * (1 + 0.001 * (k % 2 ? -(k + 1) / 2 : k / 2));
        if (!wbIsOk(wbParam_SetNumbers(spacing, params, &tried, 1))) continue;
        double miss = fabs(countFluids(scene, solver) - wanted);
        if (miss < nearest) nearest = miss, chosen = tried;
    }
    WB_TRY(wbParam_SetText(particles, params, "auto"));
    wbStatus status = wbParam_SetNumbers(spacing, params, &chosen, 1);
    return wbIsOk(status)
               ? status
               : wbError(status.code, "%s.particles is %.10g: %s", solver->name, wanted, status.text);
}

static bool isLeftToWorld(const wbParam *param, const void *params) {
    return param->isChosen && wbParam_IsAuto(param, getNumber(param, params));
}

void wbScene_HoldChosen(const wbScene *scene, wbWorldDef *def) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        const wbParamTable *table = wbGetParams(solvers[s]->name);
        for (const wbParam *p = table->params; p < table->params + table->count; p++)
            if (isLeftToWorld(p, wbGetSolverParams(&scene->def, solvers[s])))
                (void)wbParam_SetNumbers(p, wbGetSolverParams(def, solvers[s]), &p->min, 1);
    }
}

wbStatus wbScene_ChooseParams(const wbScene *scene, wbWorld *world) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        const wbParamTable *table = wbGetParams(solvers[s]->name);
        for (const wbParam *p = table->params; p < table->params + table->count; p++) {
            char key[WB_KEY_SIZE];
            if (!isLeftToWorld(p, wbGetSolverParams(&scene->def, solvers[s]))) continue;
            snprintf(key, sizeof key, "%s.%s", table->section, p->name);
            wbStatus status = wbWorld_SetParam(world, key, "auto");
            if (!wbIsOk(status)) return wbScene_FailAtSection(scene, status);
        }
    }
    return wb_okStatus;
}

// Parameters that can change while a world runs may have.
static wbStatus compareParams(const wbScene *scene, const wbWorld *world, const wbSolverInfo *solver) {
    const wbParamTable *table = wbGetParams(solver->name);
    for (const wbParam *p = table->params; p < table->params + table->count; p++) {
        char key[WB_KEY_SIZE], own[WB_VALUE_SIZE], wanted[WB_VALUE_SIZE];
        if (p->live) continue;
        snprintf(key, sizeof key, "%s.%s", table->section, p->name);
        WB_TRY(wbWorld_GetParam(world, key, own, sizeof own));
        WB_TRY(wbParam_GetText(p, wbGetSolverParams(&scene->def, solver), wanted, sizeof wanted));
        if (strcmp(own, wanted) != 0)
            return wbError(wb_errorInput, "its %s is %s, the scene's is %s", key, own, wanted);
    }
    return wb_okStatus;
}

// Of those that come with objects the objects are compared.
wbStatus wbScene_CompareSolvers(const wbScene *scene, const wbWorld *world) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        const char *name = solvers[s]->name;
        bool isThere = wbWorld_HasSolver(world, name), isWanted = isAsked(&scene->def, solvers[s]);
        if (solvers[s]->isAsked == 0) continue;
        if (isThere != isWanted)
            return wbError(wb_errorInput, "it has %s%s, the scene has %s", isThere ? "" : "no ", name,
                           isThere ? "none" : "some");
        if (isThere) WB_TRY(compareParams(scene, world, solvers[s]));
    }
    return wb_okStatus;
}
