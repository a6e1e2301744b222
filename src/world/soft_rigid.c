// SPDX-License-Identifier: MIT
// Soft bodies among rigid ones: whether they may meet, how a step of soft bodies is done then, and ties between both.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "coupling/pairs.h"
#include "world/rigid.h"
#include "world/soft.h"

static wbPairMode getMode(const wbWorld *world) {
    return wbGetPairMode(&world->def.coupling, wb_matterRigid, wb_matterSoft);
}

bool wbAreSoftAndRigid(const wbWorld *world) {
    return wbGetSoft(world) && wbGetRigidBodies(world) && wbGetSoft(world)->rigid.mayMeet;
}

bool wbMeetsSoft(const wbWorld *world) {
    return wbGetSoft(world) && wbGetRigidBodies(world) && getMode(world) != wb_pairOff;
}

static void listBodies(wbWorld *world) {
    wbSoft *soft = wbGetSoft(world);
    wbSoftContacts *contacts = &soft->rigid.contacts;
    const wbVec3 g = world->domain.gravity;
    contacts->rigid = &wbGetRigidBodies(world)->rigid, contacts->pbd = &soft->pbd;
    contacts->triangles = soft->triangles.data, contacts->triangleCount = soft->triangleCount;
    contacts->ties = soft->rigid.ties.data, contacts->tieCount = soft->rigid.tieCount;
    contacts->mode = getMode(world);
    contacts->radius = soft->model.params.radius, contacts->gravity = sqrtf(wbDot(g, g));
}

static wbStatus checkTies(const wbWorld *world) {
    const wbSoftRigid *own = &wbGetSoft(world)->rigid;
    const int count = world->rigidBodyIds.indexCount;
    for (int k = 0; k < own->tieCount; k++) {
        const wbSoftTie *tie = (const wbSoftTie *)own->ties.data + k;
        if (tie->body >= count)
            return wbError(wb_errorInput, "a soft body is tied to rigid body %d, but there are %d", tie->body,
                           count);
    }
    return wb_okStatus;
}

wbStatus wbFindMeetings(wbWorld *world, double seconds) {
    wbSoft *soft = wbGetSoft(world);
    if (!soft) return wb_okStatus;
    soft->rigid.mayMeet = false;
    WB_TRY(checkTies(world));
    if (!wbMeetsSoft(world)) return wb_okStatus;
    if (wbSolver_IsAhead(&world->solvers[wb_solverIndex_pbd]) ||
        wbSolver_IsAhead(&world->solvers[wb_solverIndex_rigid]))
        WB_TRY(wbPullState(world)); // from now on the cores move both
    listBodies(world);
    soft->rigid.mayMeet = wbSoftContacts_MayMeet(&soft->rigid.contacts, (float)seconds);
    return wb_okStatus;
}

static void tellOfCores(const wbSolver *solver) {
    wbSoft *soft = solver->self;
    if (solver->device && !soft->rigid.areCoresTold)
        wbLog(wb_logWarning,
              "soft bodies are computed on the cores: the device does not compute what rigid bodies push "
              "(coupling.rigidSoft)");
    soft->rigid.areCoresTold |= solver->device != NULL;
}

// Of BDF2 only the first order is left, since it spreads an impulse over steps, and rigid bodies get theirs at once.
static void tellOfOrder(wbSoft *soft) {
    if (soft->model.params.integrator != wb_pbdBdf2) return;
    if (!soft->rigid.isOrderTold)
        wbLog(wb_logWarning,
              "pbd.integrator bdf2 counts as euler near rigid bodies: with it their momentum would "
              "be lost (coupling.rigidSoft)");
    soft->rigid.isOrderTold = true;
}

wbStatus wbBeginSoftRigid(wbSolver *solver, float dt, wbPbdPartner *room, const wbPbdPartner **partner) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    wbPbdParams *params = &soft->model.params;
    *partner = NULL;
    if (wbMeetsSoft(world)) tellOfCores(solver);
    if (!wbAreSoftAndRigid(world)) return wb_okStatus;
    tellOfOrder(soft);
    listBodies(world);
    // parts of a step share the parts that a whole one would be cut into
    params->subSteps = (params->subSteps + solver->planned - 1) / solver->planned;
    if (params->integrator == wb_pbdBdf2) params->integrator = wb_pbdEuler;
    wbSoftContacts *contacts = &soft->rigid.contacts;
    WB_TRY(
        wbSoftContacts_Begin(contacts, &world->work, &wbGetRigidBodies(world)->model, params->friction, dt));
    *room = (wbPbdPartner){wbSoftContacts_Find, wbSoftContacts_Push, wbSoftContacts_End, contacts};
    if (contacts->bodyCount > 0) *partner = room;
    return wb_okStatus;
}

// Ties

static wbSoftTie *getTie(const wbSoft *soft, int k) { return (wbSoftTie *)soft->rigid.ties.data + k; }

static int findTie(const wbSoft *soft, int particle) {
    for (int k = 0; k < soft->rigid.tieCount; k++)
        if (getTie(soft, k)->particle == particle) return k;
    return -1;
}

void wbDropSoftTies(wbSoft *soft, wbPbdBody gone) {
    const int end = gone.first + gone.count;
    for (int k = soft->rigid.tieCount - 1; k >= 0; k--) {
        int *particle = &getTie(soft, k)->particle;
        if (*particle >= end)
            *particle -= gone.count;
        else if (*particle >= gone.first)
            wbArray_Remove(&soft->rigid.ties, k, soft->rigid.tieCount--);
    }
}

void wbReleaseSoftTies(wbWorld *world, int rigidBody) {
    wbSoft *soft = wbGetSoft(world);
    if (!soft) return;
    for (int k = soft->rigid.tieCount - 1; k >= 0; k--) {
        int *body = &getTie(soft, k)->body;
        if (*body > rigidBody)
            --*body;
        else if (*body == rigidBody)
            wbArray_Remove(&soft->rigid.ties, k, soft->rigid.tieCount--);
    }
    wbCloseSoftAccount(world);
}

static wbPbdBody getParticles(const wbWorld *world, wbSoftBodyId id, int particle) {
    const wbPbdBody particles = wbGetSoftBodyAt(world, wbGetSoftBodyIndex(world, id))->particles;
    WB_ASSERT(particle >= 0 && particle < particles.count, "the body has no such particle");
    return particles;
}

// It has the velocity of what holds it.
static void putAt(wbPbd *pbd, int i, const wbRigid *r, int row, wbVec3 place) {
    const wbVec3 arm = wbSub(place, wbMakeVec3(r->x[row], r->y[row], r->z[row])),
                 turn = wbCross(wbMakeVec3(r->wx[row], r->wy[row], r->wz[row]), arm);
    pbd->x[i] = place.x, pbd->y[i] = place.y, pbd->z[i] = place.z;
    pbd->vx[i] = r->vx[row] + turn.x, pbd->vy[i] = r->vy[row] + turn.y, pbd->vz[i] = r->vz[row] + turn.z;
    wbPbd_ForgetMotion(pbd, i);
}

// m, of the box around its particles.
static double getSpan(const wbPbd *pbd, wbPbdBody body) {
    const float *const places[3] = {pbd->x, pbd->y, pbd->z};
    double span2 = 0;
    for (int a = 0; a < 3; a++) {
        float min = INFINITY, max = -INFINITY;
        for (int i = body.first; i < body.first + body.count; i++)
            min = fminf(min, places[a][i]), max = fmaxf(max, places[a][i]);
        span2 += pow((double)max - (double)min, 2);
    }
    return sqrt(span2);
}

// One that is put farther away than its body is large tears at it: what it is tied to would come after it at any speed.
static wbStatus checkWay(const wbWorld *world, wbSoftBodyId id, int particle, wbVec3 place) {
    const wbSoftBody *body = wbGetSoftBodyAt(world, wbGetSoftBodyIndex(world, id));
    const wbPbd *pbd = &wbGetSoft(world)->pbd;
    const int i = body->particles.first + particle;
    const double way = sqrt(pow((double)place.x - (double)pbd->x[i], 2) +
                            pow((double)place.y - (double)pbd->y[i], 2) +
                            pow((double)place.z - (double)pbd->z[i], 2)),
                 span = getSpan(pbd, body->particles);
    if (body->particles.count == 1 || way <= span) return wb_okStatus;
    return wbError(wb_errorInput,
                   "attach: particle %d of \"%s\" would be put at (%g, %g, %g) m, %.3g m from where it is; "
                   "allowed are up to %.3g "
                   "m, which the body measures: place it, or the point, nearer",
                   particle, body->name, (double)place.x, (double)place.y, (double)place.z, way, span);
}

wbStatus wbSoftBody_Attach(wbWorld *world, wbSoftBodyId id, int particle, wbRigidBodyId to,
                           const wbVec3 *point) {
    WB_REQUIRE(world);
    const int i = getParticles(world, id, particle).first + particle, row = wbGetRigidBodyIndex(world, to);
    wbSoft *soft = wbGetSoft(world);
    wbPbd *pbd = &soft->pbd;
    if (point && !(fabsf(point->x) <= 1e6f && fabsf(point->y) <= 1e6f && fabsf(point->z) <= 1e6f))
        return wbError(wb_errorInput, "attach at the point (%g, %g, %g) m, allowed is -1e+06 to 1e+06 each",
                       (double)point->x, (double)point->y, (double)point->z);
    WB_TRY(wbPullState(world));
    const wbPose origin = wbGetRigidOrigin(world, row);
    if (point) WB_TRY(checkWay(world, id, particle, wbPose_Apply(&origin, *point)));
    if (!wbArray_Reserve(world->memory, &soft->rigid.ties, soft->rigid.tieCount + 1))
        return wbMemoryError(world->memory, "%d ties of soft bodies need", soft->rigid.tieCount + 1);
    wbRigid *rigid = &wbGetRigidBodies(world)->rigid;
    const wbPose pose = wbRigid_GetPose(rigid, row);
    if (point) putAt(pbd, i, rigid, row, wbPose_Apply(&origin, *point));
    const wbVec3 own = wbPose_ApplyInverse(&pose, wbMakeVec3(pbd->x[i], pbd->y[i], pbd->z[i]));
    const int old = findTie(soft, i), at = old >= 0 ? old : soft->rigid.tieCount++;
    *getTie(soft, at) = (wbSoftTie){i, row, {own.x, own.y, own.z}};
    wbRigid_Wake(rigid, row);
    wbCloseSoftAccount(world);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

wbStatus wbSoftBody_Detach(wbWorld *world, wbSoftBodyId id, int particle) {
    WB_REQUIRE(world);
    wbSoft *soft = wbGetSoft(world);
    const int k = findTie(soft, getParticles(world, id, particle).first + particle);
    if (k < 0) return wb_okStatus;
    WB_TRY(wbPullState(world));
    wbRigid_Wake(&wbGetRigidBodies(world)->rigid, getTie(soft, k)->body);
    wbArray_Remove(&soft->rigid.ties, k, soft->rigid.tieCount--);
    wbCloseSoftAccount(world);
    wbMarkStateDirty(world);
    return wb_okStatus;
}

wbStatus wbSoftBody_GetAttachments(wbWorld *world, wbSoftBodyId id, wbAttachment *attachments, int capacity,
                                   int *count) {
    WB_REQUIRE(world);
    WB_REQUIRE(count);
    WB_ASSERT(capacity >= 0 && (attachments || capacity == 0), "there is no room for attachments");
    const wbPbdBody particles = getParticles(world, id, 0);
    const wbSoft *soft = wbGetSoft(world);
    *count = 0;
    for (int k = 0; k < soft->rigid.tieCount; k++) {
        const wbSoftTie *tie = getTie(soft, k);
        const wbPose *frame = &wbGetRigidBodyAt(world, tie->body)->frame;
        if (tie->particle < particles.first || tie->particle >= particles.first + particles.count) continue;
        if (*count < capacity)
            attachments[*count] =
                (wbAttachment){tie->particle - particles.first, wbWorld_GetRigidBody(world, tie->body),
                               wbPose_Apply(frame, wbMakeVec3(tie->point[0], tie->point[1], tie->point[2]))};
        ++*count;
    }
    return wb_okStatus;
}
