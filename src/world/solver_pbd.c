// SPDX-License-Identifier: MIT
// Soft bodies by position based dynamics, as the world sees them; soft*.c are parts of it.
#include "core/status.h"
#include "world/collider.h"
#include "world/soft.h"

static const char *const phaseNames[wb_pbdPhaseCount] = {
#define WB_PHASE(name) "pbd_" #name,
    WB_PBD_PHASES(WB_PHASE)
#undef WB_PHASE
};

static bool isUsed(const wbSolver *solver) { return solver->world->soft->ids.indexCount > 0; }

// They are stable at every step.
static float getStableStep(const wbSolver *solver, bool isAsked) {
    (void)solver, (void)isAsked;
    return WB_FRAME_STEP;
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): soft bodies: %s; dt is %.3g s",
                   (long long)world->stepCount + 1, world->time, what, dt);
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const wbWorld *world = solver->world;
    const wbSoft *soft = world->soft;
    const wbPbd *pbd = &soft->pbd;
    const wbVec3 g = world->domain.gravity;
    const float hair = 0.1f * soft->model.params.radius + 1e-4f; // m, that what is pressed may sink in
    for (int i = 0; i < pbd->count; i++) {
        double m = wbGetSoftBodyAt(world, (int)pbd->body[i])->particleMass;
        double vx = pbd->vx[i], vy = pbd->vy[i], vz = pbd->vz[i];
        stats->mass += m;
        stats->momentum[0] += m * vx, stats->momentum[1] += m * vy, stats->momentum[2] += m * vz;
        stats->kinetic += 0.5 * m * (vx * vx + vy * vy + vz * vz);
        stats->potential -=
            m * (g.x * (double)pbd->x[i] + g.y * (pbd->y[i] - ground) + g.z * (double)pbd->z[i]);
        const float p[3] = {pbd->x[i], pbd->y[i], pbd->z[i]};
        const float far = fmaxf(fmaxf(fabsf(p[0]), fabsf(p[1])), fabsf(p[2]));
        stats->leaked += wbDomain_IsBeyond(&world->domain, p, 1e-5f * (far + 1)) ||
                         (wbIsNear(p) && wbGetClearance(world, p, 0) < -hair);
    }
    stats->particles += pbd->count;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    const wbPbd *pbd = &solver->world->soft->pbd;
    wbAddPhases(profile, phaseNames, pbd->ms, wb_pbdPhaseCount);
    profile->pairs += pbd->neighbours.pairs;
}

const wbSolverKind wb_pbdSolver = {.name = "pbd",
                                   .place = wb_placeBodies,
                                   .isUsed = isUsed,
                                   .getStableStep = getStableStep,
                                   .explain = explain,
                                   .listValues = wbListSoftValues,
                                   .listColumns = wbListSoftColumns,
                                   .resize = wbResizeSoft,
                                   .saveObjects = wbSaveSoftBodies,
                                   .loadObjects = wbLoadSoftBodies,
                                   .addStats = addStats,
                                   .addProfile = addProfile};
