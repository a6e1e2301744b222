// SPDX-License-Identifier: MIT
// Rigid bodies, as the world sees them; rigid*.c are parts of it.
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"
#include "rigid/rigid_guest.h"
#include "world/air.h"
#include "world/rigid.h"

#define WB_PARAM_STRUCT wbRigidParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_RIGID_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_rigidTable = WB_PARAM_TABLE("rigid", "rigid bodies", wbRigidParams, rows);

static const char *const phaseNames[wb_rigidPhaseCount] = {
#define WB_PHASE(name) "rigid_" #name,
    WB_RIGID_PHASES(WB_PHASE)
#undef WB_PHASE
};

static wbStatus create(wbSolver *solver) {
    wbWorld *world = solver->world;
    wbRigidBodies *bodies = solver->self = wbAllocZero(world->memory, sizeof *bodies);
    if (!bodies) return wbMemoryError(world->memory, "rigid bodies need");
    wbRigid_Init(&bodies->rigid);
    bodies->bodies.elementSize = sizeof(wbRigidBody);
    bodies->forms.elementSize = sizeof(wbRigidForm);
    bodies->joints.elementSize = sizeof(wbRigidJoint);
    bodies->forces.elementSize = sizeof(wbBodyForce);
    bodies->events.elementSize = sizeof(wbRigidEvent);
    bodies->loads.elementSize = sizeof(float[6]);
    bodies->model = (wbRigidModel){.params = world->def.rigid, .domain = &world->domain};
    return wb_okStatus;
}

static void destroy(wbSolver *solver) {
    const wbWorld *world = solver->world;
    wbRigidBodies *bodies = solver->self;
    wbRigid_Free(world->memory, &bodies->rigid);
    for (int i = 0; i < bodies->formCount; i++) wbFreeRigidForm(world->memory, wbGetRigidForm(bodies, i));
    wbArray_Free(world->memory, &bodies->bodies);
    wbArray_Free(world->memory, &bodies->forms);
    wbArray_Free(world->memory, &bodies->joints);
    for (int i = 0; i < world->forceIds.indexCount; i++)
        wbFree(world->memory, wbGetForceAt(world, i)->own, sizeof(wbOwnForce));
    wbArray_Free(world->memory, &bodies->forces);
    wbArray_Free(world->memory, &bodies->events);
    wbArray_Free(world->memory, &bodies->loads);
    wbFree(world->memory, bodies, sizeof *bodies);
}

static wbStatus setParams(wbSolver *solver, void *params) {
    wbRigidBodies *bodies = solver->self;
    if (memcmp(params, &bodies->model.params, sizeof bodies->model.params) != 0) {
        WB_TRY(wbPullState(solver->world));
        wbRigid_WakeAll(&bodies->rigid);
        wbMarkStateDirty(solver->world);
    }
    memcpy(&bodies->model.params, params, sizeof bodies->model.params);
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    wbRigidBodies *bodies = solver->self;
    bodies->model.domain = &solver->world->domain;
}

// They are stable at every step.
static float getStableStep(const wbSolver *solver, bool isAsked) {
    (void)solver, (void)isAsked;
    return WB_FRAME_STEP;
}

// Contacts and pairs are most of the state: they are held, not copied.
static wbStatus plan(wbSolver *solver, float dt) {
    (void)dt;
    wbRigidBodies *bodies = solver->self;
    if (solver->planned > 1 && !wbArray_Reserve(solver->world->memory, &bodies->loads, bodies->rigid.count))
        return wbMemoryError(solver->world->memory, "forces on %d rigid bodies need", bodies->rigid.count);
    wbRigidContacts_Hold(&bodies->rigid.contacts);
    memset(bodies->blown, 0, sizeof bodies->blown);
    WB_TRY(wbPrepareRigidDevice(solver));
    return wbFindAirLoads(solver->world);
}

// Forces of programs act over the whole step: each sub-step begins with those that the first one had.
static void keepLoads(const wbSolver *solver) {
    wbRigidBodies *bodies = solver->self;
    wbRigid *r = &bodies->rigid;
    float *const columns[6] = {r->fx, r->fy, r->fz, r->tx, r->ty, r->tz}, *loads = bodies->loads.data;
    for (int i = 0; i < r->count && solver->planned > 1; i++)
        for (int k = 0; k < 6; k++) {
            float *load = &loads[6 * (size_t)i + (size_t)k];
            if (solver->done == 0) *load = columns[k][i];
            columns[k][i] = *load;
        }
}

static wbStatus prepare(wbSolver *solver, float dt) {
    WB_TRY(wbSettleLoaded(solver->world));
    keepLoads(solver);
    wbPullRigidBodies(solver->world, dt);
    return wbBlowRigidBodies(solver->world, dt);
}

static void endStep(const wbSolver *solver, bool isUndone) {
    wbRigidContacts_Release(&((wbRigidBodies *)solver->self)->rigid.contacts, isUndone);
}

// Parts of a step share the parts that a whole one would be cut into.
static wbRigidModel makeModel(const wbSolver *solver) {
    wbRigidModel model = ((const wbRigidBodies *)solver->self)->model;
    const float usual = model.params.contact == wb_contactExact ? 4 : 10;
    if (model.params.subSteps == 0 && solver->planned > 1)
        model.params.subSteps = ceilf(usual / (float)solver->planned);
    return model;
}

static wbStatus step(wbSolver *solver, float dt) {
    wbRigidBodies *bodies = solver->self;
    const wbRigidModel model = makeModel(solver);
    bodies->rigid.events.isContinued = solver->done > 0;
    WB_TRY(wbInviteColliders(solver->world));
    wbStatus status = wbIsRigidOnDevice(solver)
                          ? wbStepRigidOnDevice(solver, dt)
                          : wbRigid_Step(&bodies->rigid, &model, &solver->world->work, dt);
    wbRigid_DropGuests(&bodies->rigid);
    return status;
}

// Sums of what is not finite are not finite.
static bool isFinite(const wbRigid *r, int i) {
    const float sum = r->x[i] + r->y[i] + r->z[i] + r->vx[i] + r->vy[i] + r->vz[i] + r->wx[i] + r->wy[i] +
                      r->wz[i] + r->qx[i] + r->qy[i] + r->qz[i] + r->qw[i];
    return fabsf(sum) < 1e30f;
}

// A device looks by itself.
static wbStatus check(wbSolver *solver, float dt) {
    const wbRigid *r = &((const wbRigidBodies *)solver->self)->rigid;
    int lost = 0;
    (void)dt;
    if (wbIsRigidOnDevice(solver)) return wb_okStatus;
    for (int i = 0; i < r->count; i++) lost += !isFinite(r, i);
    for (int i = 0; i < r->count && lost > 0; i++) {
        if (isFinite(r, i)) continue;
        const char *name = wbGetRigidBodyAt(solver->world, i)->name;
        return wbError(wb_errorUnstable, "body %d%s%s%s is at (%g, %g, %g) m, with (%g, %g, %g) m/s", i,
                       name[0] ? " \"" : "", name, name[0] ? "\"" : "", (double)r->x[i], (double)r->y[i],
                       (double)r->z[i], (double)r->vx[i], (double)r->vy[i], (double)r->vz[i]);
    }
    return wb_okStatus;
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): rigid bodies: %s; dt is %.3g s%s",
                   (long long)world->stepCount + 1, world->time, what, dt,
                   world->def.rigid.contact == wb_contactParticles
                       ? ": springs may be too stiff for it, try more rigid.subSteps"
                       : "");
}

// What sleeps may not be at rest any more, and what is near may be others.
static void disturb(wbSolver *solver) {
    wbRigidBodies *bodies = solver->self;
    wbRigid_WakeAll(&bodies->rigid);
    wbForgetPairs(bodies);
}

static void dropCollider(wbSolver *solver, int index) { wbForgetCollider(solver->world, index); }

static wbStatus checkDomain(const wbSolver *solver, const wbDomain *next) {
    const wbRigid *rigid = &((const wbRigidBodies *)solver->self)->rigid;
    const float *const places[3] = {rigid->x, rigid->y, rigid->z};
    return wbCheckClosing(solver->world, next, places, rigid->count);
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const wbWorld *world = solver->world;
    const wbRigid *r = &((const wbRigidBodies *)solver->self)->rigid;
    const wbVec3 g = world->domain.gravity;
    for (int i = 0; i < r->count; i++) {
        if (!(r->bits[i] & WB_RIGID_DYNAMIC)) continue;
        const wbRigidBody *body = wbGetRigidBodyAt(world, i);
        const double m = body->mass * fmax((double)body->floor, 1), weight = m * (double)r->gravityScale[i];
        stats->mass += body->mass;
        const double vx = r->vx[i], vy = r->vy[i], vz = r->vz[i];
        stats->maxSpeed = fmax(stats->maxSpeed, sqrt(vx * vx + vy * vy + vz * vz));
        stats->momentum[0] += m * (double)r->vx[i], stats->momentum[1] += m * (double)r->vy[i];
        stats->momentum[2] += m * (double)r->vz[i];
        stats->potential -=
            weight * (g.x * (double)r->x[i] + g.y * (r->y[i] - ground) + g.z * (double)r->z[i]);
        const float p[3] = {r->x[i], r->y[i], r->z[i]};
        stats->leaked += wbDomain_IsBeyond(&world->domain, p, 0);
    }
    stats->kinetic += wbRigid_GetKinetic(r);
    for (int a = 0; a < 3; a++) stats->airRigid[a] += ((const wbRigidBodies *)solver->self)->blown[a];
}

static int listDerived(const wbSolver *solver, wbDerived list[WB_MAX_DERIVED]) {
    const wbRigid *r = &((const wbRigidBodies *)solver->self)->rigid;
    int asleep = 0;
    for (int i = 0; i < r->count; i++) asleep += (r->bits[i] & WB_RIGID_ASLEEP) != 0;
    list[0] = (wbDerived){"rigid", "bodies", "", "that there are", r->count};
    list[1] = (wbDerived){"rigid", "asleep", "", "bodies at rest that are not computed", asleep};
    list[2] = (wbDerived){"rigid", "touching", "", "pairs of bodies, or of a body and a collider",
                          r->contacts.count};
    list[3] = (wbDerived){"rigid", "joints", "", "that there are", r->joints.count};
    return 4;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbRigidBodies *bodies = solver->self;
    wbAddPhases(profile, phaseNames, bodies->rigid.ms, wb_rigidPhaseCount);
}

const wbSolverKind wb_rigidSolver = {.info = {.name = "rigid",
                                              .moves = "rigid bodies",
                                              .object = "rigidBody",
                                              .isFluid = false,
                                              .params = offsetof(wbWorldDef, rigid)},
                                     .place = wb_placeBodies,
                                     .table = &wb_rigidTable,
                                     .setParams = setParams,
                                     .refresh = refresh,
                                     .create = create,
                                     .destroy = destroy,
                                     .getStableStep = getStableStep,
                                     .plan = plan,
                                     .prepare = prepare,
                                     .step = step,
                                     .changesWithParams = true,
                                     .check = check,
                                     .explain = explain,
                                     .listValues = wbListRigidValues,
                                     .listColumns = wbListRigidColumns,
                                     .listUnsaved = wbListRigidUnsaved,
                                     .endStep = endStep,
                                     .resize = wbResizeRigid,
                                     .checkColumns = wbCheckRigidColumns,
                                     .renew = wbRenewRigid,
                                     .saveObjects = wbSaveRigidBodies,
                                     .loadObjects = wbLoadRigidBodies,
                                     .device = &wb_rigidDevice,
                                     .disturb = disturb,
                                     .dropCollider = dropCollider,
                                     .checkDomain = checkDomain,
                                     .addStats = addStats,
                                     .listDerived = listDerived,
                                     .addProfile = addProfile};
