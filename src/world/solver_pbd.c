// SPDX-License-Identifier: MIT
// Soft bodies by position based dynamics, as the world sees them; soft*.c are parts of it.
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

#define WB_PARAM_STRUCT wbPbdParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_PBD_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_pbdTable =
    WB_PARAM_TABLE("pbd", "soft bodies (position based dynamics)", wbPbdParams, rows);

static const char *const phaseNames[wb_pbdPhaseCount] = {
#define WB_PHASE(name) "pbd_" #name,
    WB_PBD_PHASES(WB_PHASE)
#undef WB_PHASE
};

static wbStatus setParams(wbSolver *solver, void *params) {
    wbWorld *world = solver->world;
    wbPbdModel *model = &wbGetSoft(world)->model;
    const wbPbdParams *next = params;
    if (next->radius > model->params.radius) WB_TRY(wbCheckRadius(&world->domain, next->radius));
    if (memcmp(next, &model->params, sizeof *next) != 0) wbCloseSoftAccount(world);
    model->params = *next;
    return wb_okStatus;
}

static void refresh(wbSolver *solver) { wbGetSoft(solver->world)->model.domain = &solver->world->domain; }

// They are stable at every step; contacts with rigid bodies are as stiff as those of rigid bodies.
static float getStableStep(const wbSolver *solver, bool isAsked) {
    (void)isAsked;
    return wbAreSoftAndRigid(solver->world) || wbAreSoftWet(solver->world) ? WB_SHARED_STEP : WB_FRAME_STEP;
}

static bool joins(const wbSolver *solver, const wbSolver *other) {
    return other == &solver->world->solvers[wb_solverIndex_rigid] && wbAreSoftAndRigid(solver->world);
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): soft bodies: %s; dt is %.3g s",
                   (long long)world->stepCount + 1, world->time, what, dt);
}

// They bear any; this is how fast they are pushed if nothing is said.
static float getColliderSpeed(const wbSolver *solver) {
    const float usual = 5; // m/s
    return solver->world->domain.sideSpeed > 0 ? solver->world->domain.sideSpeed : usual;
}

static wbStatus checkDomain(const wbSolver *solver, const wbDomain *next) {
    const wbSoft *soft = wbGetSoft(solver->world);
    const float *const places[3] = {soft->pbd.x, soft->pbd.y, soft->pbd.z};
    WB_TRY(wbCheckRadius(next, soft->model.params.radius));
    return wbCheckClosing(solver->world, next, places, soft->pbd.count);
}

static void disturb(wbSolver *solver) { wbCloseSoftAccount(solver->world); }

// Before the first step bodies and colliders come in any order, and part when it is done.
static int64_t countTrapped(const wbSolver *solver, const wbShape *shape, const wbPose *pose) {
    const wbPbd *pbd = &wbGetSoft(solver->world)->pbd;
    const float nearest = WB_NEAREST * wbGetSoft(solver->world)->model.params.radius;
    int64_t count = 0;
    for (int i = 0; i < pbd->count && solver->world->stepCount > 0; i++)
        count += wbIsNearer(shape, pose, wbMakeVec3(pbd->x[i], pbd->y[i], pbd->z[i]), nearest);
    return count;
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const wbWorld *world = solver->world;
    const wbSoft *soft = wbGetSoft(world);
    const wbPbd *pbd = &soft->pbd;
    const wbVec3 g = world->domain.gravity;
    const float hair = 0.1f * soft->model.params.radius + 1e-4f; // m, that what is pressed may sink in
    for (int i = 0; i < pbd->count; i++) {
        double m = wbGetSoftBodyAt(world, (int)pbd->body[i])->particleMass;
        double vx = pbd->vx[i], vy = pbd->vy[i], vz = pbd->vz[i],
               inertia = fmax(m, wbGetSoftInertia(world, i));
        stats->mass += m;
        stats->momentum[0] += inertia * vx, stats->momentum[1] += inertia * vy,
            stats->momentum[2] += inertia * vz;
        stats->kinetic += 0.5 * inertia * (vx * vx + vy * vy + vz * vz);
        stats->maxSpeed = fmax(stats->maxSpeed, sqrt(vx * vx + vy * vy + vz * vz));
        stats->potential -=
            m * (g.x * (double)pbd->x[i] + g.y * (pbd->y[i] - ground) + g.z * (double)pbd->z[i]);
        const float p[3] = {pbd->x[i], pbd->y[i], pbd->z[i]};
        const float far = fmaxf(fmaxf(fabsf(p[0]), fabsf(p[1])), fabsf(p[2]));
        stats->leaked += wbDomain_IsBeyond(&world->domain, p, 1e-5f * (far + 1)) ||
                         (wbIsNear(p) && wbGetClearance(world, p, 0) < -hair);
    }
    stats->particles += pbd->count;
    for (int a = 0; a < 3; a++) stats->airSoft[a] += soft->air.given[a];
    for (int a = 0; a < 3; a++) stats->softRigid[a] += soft->rigid.contacts.given[a];
}

static int listDerived(const wbSolver *solver, wbDerived list[WB_MAX_DERIVED]) {
    const wbSoft *soft = wbGetSoft(solver->world);
    list[0] = (wbDerived){"pbd", "particles", "", "of all soft bodies", soft->pbd.count};
    list[1] = (wbDerived){"pbd", "constraints", "", "distances that are kept", soft->pbd.constraintCount};
    list[2] = (wbDerived){"pbd", "error of lengths", "", "relative, root of the mean square",
                          wbPbd_GetLengthError(&soft->pbd)};
    list[3] = (wbDerived){"pbd", "stable step", "s", "the longest sub-step as things are",
                          solver->kind->getStableStep(solver, false)};
    return 4;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbPbd *pbd = &wbGetSoft(solver->world)->pbd;
    wbAddPhases(profile, phaseNames, pbd->ms, wb_pbdPhaseCount);
    profile->pairs += pbd->neighbours.pairs;
}

static wbStatus createDevice(const wbSolver *solver, wbGpu *gpu, void **device) {
    wbPbdGpu *made;
    WB_TRY(wbCreatePbdGpu(solver->world->memory, gpu, &made));
    *device = made;
    return wb_okStatus;
}
static void destroyDevice(void *device) { wbDestroyPbdGpu(device); }
static bool isAhead(const wbSolver *solver) { return wbPbdGpu_IsNewer(solver->device); }
static wbStatus fetch(wbSolver *solver) {
    return wbPbdGpu_Fetch(solver->device, &wbGetSoft(solver->world)->pbd);
}
static void take(wbSolver *solver) { wbPbdGpu_Take(solver->device, &wbGetSoft(solver->world)->pbd); }
static void markDirty(wbSolver *solver) { wbPbdGpu_Invalidate(solver->device); }

static void discard(wbSolver *solver, wbStatus why) {
    (void)why;
    wbPbdGpu_Discard(solver->device);
    wbCloseSoftAccount(solver->world);
}

static const wbSolverDevice deviceHooks = {createDevice, destroyDevice, NULL,      isAhead,
                                           fetch,        take,          markDirty, discard};

const wbSolverKind wb_pbdSolver = {.info = {.name = "pbd",
                                            .moves = "soft bodies",
                                            .object = "softBody",
                                            .isFluid = false,
                                            .params = offsetof(wbWorldDef, pbd)},
                                   .place = wb_placeBodies,
                                   .table = &wb_pbdTable,
                                   .setParams = setParams,
                                   .refresh = refresh,
                                   .create = wbCreateSoft,
                                   .destroy = wbDestroySoft,
                                   .getStableStep = getStableStep,
                                   .joins = joins,
                                   .plan = wbPlanSoft,
                                   .step = wbStepSoft,
                                   .explain = explain,
                                   .listValues = wbListSoftValues,
                                   .listColumns = wbListSoftColumns,
                                   .listUnsaved = wbListSoftUnsaved,
                                   .resize = wbResizeSoft,
                                   .checkColumns = wbCheckSoftColumns,
                                   .renew = wbRenewSoft,
                                   .saveObjects = wbSaveSoftBodies,
                                   .loadObjects = wbLoadSoftBodies,
                                   .device = &deviceHooks,
                                   .getColliderSpeed = getColliderSpeed,
                                   .disturb = disturb,
                                   .countTrapped = countTrapped,
                                   .listPoints = wbListSoftPoints,
                                   .checkDomain = checkDomain,
                                   .addStats = addStats,
                                   .listDerived = listDerived,
                                   .addProfile = addProfile};
