// SPDX-License-Identifier: MIT
// The exchange between liquids and rigid bodies, as the world sees it: a solver that is there while both are. It has them share
// sub-steps; in each of them bodies move, liquids see how, and bodies feel what the liquids did.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/param_table.h"
#include "core/status.h"
#include "core/timer.h"
#include "coupling/pairs.h"
#include "coupling/response.h"
#include "world/collider.h"
#include "world/coupling.h"
#include "world/rigid.h"
#include "world/soft.h"

#define WB_PARAM_STRUCT wbCouplingParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_COUPLING_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_couplingTable =
    WB_PARAM_TABLE("coupling", "what solvers do to each other", wbCouplingParams, rows);

static const char *const phaseNames[wb_couplingPhaseCount] = {"coupling_place", "coupling_take",
                                                              "coupling_sheets"};

static wbStatus create(wbSolver *solver) {
    wbCoupling *coupling = solver->self = wbAllocZero(solver->world->memory, sizeof *coupling);
    if (!coupling) return wbMemoryError(solver->world->memory, "the exchange between solvers needs");
    wbWetBodies_Init(&coupling->wet);
    coupling->events.elementSize = sizeof(wbWaterEvent);
    coupling->owner = wbWetBodies_GetOwner(&coupling->wet);
    wbWetSoft_Init(&coupling->soft);
    wbWetHulls_Init(&coupling->hulls, &coupling->wet);
    wbWetSheets_Init(&coupling->thin, &coupling->soft, &coupling->hulls);
    wbSoftRoom_Init(&coupling->room);
    coupling->sheets = wbWetSheets_GetCalls(&coupling->thin);
    return wb_okStatus;
}

static void destroy(wbSolver *solver) {
    wbCoupling *coupling = solver->self;
    wbWetBodies_Free(solver->world->memory, &coupling->wet);
    wbArray_Free(solver->world->memory, &coupling->events);
    wbWetSoft_Free(solver->world->memory, &coupling->soft);
    wbWetHulls_Free(solver->world->memory, &coupling->hulls);
    wbWetSheets_Free(solver->world->memory, &coupling->thin);
    wbSoftRoom_Free(solver->world->memory, &coupling->room);
    wbFree(solver->world->memory, coupling, sizeof *coupling);
}

// Bodies

static bool isWanted(const wbWorld *world) {
    return wbGetRigidBodies(world) && wbGetNextLiquid(world, NULL) &&
           wbGetPairMode(&world->def.coupling, wb_matterWater, wb_matterRigid) != wb_pairOff;
}

// kg: fluid that goes along with a body of this section, as of a plate and roughly of anything else; in 2D for a depth of 1 m.
double wbGetAddedMass(const wbParticleFluid *liquid, double section) {
    return liquid->world->params.dimensions == 3 ? 0.5 * (double)liquid->restDensity * pow(section, 1.5)
                                                 : 0.8 * (double)liquid->restDensity * section * section;
}

// kg, of the layers of particles on both sides of it.
static double getLayers(const wbParticleFluid *liquid, double section) {
    return 2 * (double)liquid->restDensity * (double)liquid->spacing * section;
}

// kg, of particles that may hit it at once if it is as small as they are, from both sides, and in an adaptive fluid several times as heavy. One
// that hits gives it the momentum that it would have to lose if the body were held: a body lighter than those goes back faster than they
// came, and between them and a side ever faster.
static double getDrops(const wbParticleFluid *liquid, double section) {
    const bool isFlat = liquid->world->params.dimensions == 2;
    const double dx = (double)liquid->spacing, width = fmin((isFlat ? section : sqrt(section)) + dx, 2 * dx),
                 layer = (double)liquid->restDensity * dx * (isFlat ? width : width * width);
    return (wbIsSized(liquid) ? 8 : 2) * layer;
}

// kg: the least inertia that is calm in a liquid. What it pushes in steps holds one layer of particles on either side; what asks bodies
// within its iterations a tenth of the added mass, and half of it if it does not.
static double getLeastInertia(const wbParticleFluid *liquid, double section) {
    const wbBearing bearing = wbGetBearing(liquid);
    const bool asks = bearing >= wb_bearingShared && liquid->world->def.coupling.response;
    return fmax(getDrops(liquid, section), bearing == wb_bearingSoft
                                               ? getLayers(liquid, section)
                                               : (asks ? 0.1 : 0.5) * wbGetAddedMass(liquid, section));
}

// The part of a liquid's inertia by which a body's answer within the iterations is held back: more is slower, less swings. Kg, and as a share
// of the inertia of what is displaced.
static void findLoad(const wbParticleFluid *liquid, double section, double *mass, double *turn) {
    const double whole = 0.45 * wbGetAddedMass(liquid, section);
    *mass = wbGetBearing(liquid) == wb_bearingKept ? fmin(getLayers(liquid, section), whole) : whole;
    *turn = whole > 0 ? 0.6 * *mass / whole : 0;
}

// Position based fluids take the velocity of what they stick to at once, and the body gets what that took afterwards: if
// the layer beside it were heavier than the body, it would be thrown to and fro. So one sub-step moves along half of the
// body's own inertia at most, kg, and the rest follows in the next ones. The layer is that of a cube, or of a square, of
// this section.
static double findSlack(const wbParticleFluid *liquid, double section, double inertia) {
    const double sides = liquid->world->params.dimensions == 3 ? 6 : 4,
                 layer = sides * section * (double)liquid->restDensity * (double)liquid->spacing;
    return wbGetBearing(liquid) == wb_bearingShared ? fmax(1 - 0.5 * inertia / layer, 0) : 0;
}

// The inertia that it has where fluids may touch it, over its own; 0: the same.
static float findFloor(wbWorld *world, int index, double least) {
    const wbRigidBody *body = wbGetRigidBodyAt(world, index);
    wbCoupling *coupling = wbGetCoupling(world);
    const float floor = body->mass > 0 && least > body->mass ? (float)(least / body->mass) : 0;
    if (floor > 1.01f && !coupling->isFloorTold) { // of less nobody sees anything
        wbLog(wb_logWarning,
              "rigid body \"%s\" of %.3g kg is too light for these fluids: in them it has the inertia of "
              "%.3g kg, "
              "and its own weight; others may have, too (coupling.floor)",
              body->name, body->mass, least);
        coupling->isFloorTold = true;
    }
    return floor;
}

// Its surface, where it has an inside: what is open holds no water.
static wbStatus findShape(wbWorld *world, int index, wbShape **shape) {
    const wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), wbGetRigidBodyAt(world, index)->form);
    *shape = NULL;
    return form->solid.volume > 0 ? wbGetRigidShape(world, index, shape) : wb_okStatus;
}

static bool isLeftOut(const wbWorld *world, int index) {
    const wbRigidBodyParams *params = &wbGetRigidBodyAt(world, index)->params;
    return !params->on || params->sensor;
}

static wbStatus describe(wbWorld *world, int index, wbWetBody *row) {
    const wbRigidBody *body = wbGetRigidBodyAt(world, index);
    const wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), body->form);
    wbShape *shape;
    double least = 0, load = 0, turnLoad = 0;
    bool isThin;
    WB_TRY(findShape(world, index, &shape));
    WB_TRY(wbIsThinBody(world, index, shape, &isThin));
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && shape; l = wbGetNextLiquid(world, l)) {
        double mass, turn;
        findLoad(l, (double)form->section, &mass, &turn);
        const double displaced =
            isThin ? wbGetAddedMass(l, (double)form->section) : (double)l->restDensity * form->solid.volume;
        least = fmax(least, getLeastInertia(l, (double)form->section));
        load = fmax(load, mass), turnLoad = fmax(turnLoad, turn * displaced);
    }
    const bool isMoved =
        body->params.type == wb_rigidDynamic && wbGetCoupling(world)->wet.mode == wb_pairBoth;
    const float floor = findFloor(world, index, isMoved ? (double)world->def.coupling.floor * least : 0);
    *row = (wbWetBody){.name = body->name,
                       .shape = shape,
                       .frame = body->frame,
                       .isOff = isLeftOut(world, index),
                       .isThin = isThin,
                       .isNoSlip = body->params.slip == wb_slipNone,
                       .adhesion = body->params.adhesion,
                       .load = (float)load,
                       .turnLoad = body->mass > 0 ? (float)(turnLoad / body->mass) : 0,
                       .floor = floor};
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && isMoved; l = wbGetNextLiquid(world, l))
        row->slack = fmaxf(row->slack,
                           (float)findSlack(l, (double)form->section, body->mass * fmax((double)floor, 1)));
    wbApplyFloor(world, index);
    return wb_okStatus;
}

static void dropFloors(wbWorld *world) {
    for (int i = 0; i < world->rigidBodyIds.indexCount; i++) wbSetInertiaFloor(world, i, 0);
}

static wbStatus listRigid(wbWorld *world) {
    wbWetBodies *wet = &wbGetCoupling(world)->wet;
    if (!isWanted(world)) {
        if (wet->count > 0) dropFloors(world);
        wet->mode = wb_pairOff;
        wbWetHulls_Clear(&wbGetCoupling(world)->hulls);
        return wbWetBodies_Reserve(wet, world->memory, 0);
    }
    wet->rigid = &wbGetRigidBodies(world)->rigid;
    wet->mode = wbGetPairMode(&world->def.coupling, wb_matterWater, wb_matterRigid);
    WB_TRY(wbWetBodies_Reserve(wet, world->memory, wet->rigid->count));
    for (int i = 0; i < wet->count; i++) WB_TRY(describe(world, i, wbWetBodies_Get(wet, i)));
    wbWetBodies_Begin(wet);
    return wbListHulls(world);
}

wbStatus wbListBodies(wbWorld *world) {
    wbSolver *solver = &world->solvers[wb_solverIndex_coupling];
    const bool isRigid = isWanted(world), isSoft = wbAreSoftWanted(world);
    if (!isRigid && !isSoft) {
        if (solver->self) dropFloors(world), wbSolver_Destroy(solver);
        return wb_okStatus;
    }
    WB_TRY(wbSolver_Create(solver));
    wbCoupling *coupling = wbGetCoupling(world);
    WB_TRY(listRigid(world));
    coupling->hasSoft = isSoft, coupling->room.count = 0;
    if (isSoft) return wbPrepareWetSoft(world, coupling);
    wbWetSoft_Forget(&coupling->soft);
    WB_TRY(wbWetSoft_ReserveParticles(&coupling->soft, world->memory, 0));
    return wbWetSheets_Prepare(&coupling->thin, &world->work, NULL, NULL, 0);
}

void wbDropBody(wbWorld *world, int index) {
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        if (!wbIsSampled(l) || index >= l->bodyCount) continue;
        wbBoundary_RemoveBody(&l->boundary, world->colliderIds.indexCount + index);
        l->bodyCount--;
        world->isCollisionStale = true;
    }
    if (!wbGetCoupling(world)) return;
    wbWetBodies_Remove(&wbGetCoupling(world)->wet, index);
    wbWetHulls_Clear(&wbGetCoupling(world)->hulls); // until bodies are listed again
}

static bool areBodiesFree(const wbWorld *world) {
    const wbCoupling *coupling = wbGetCoupling(world);
    return coupling && coupling->wet.mode == wb_pairBoth;
}

static wbExchange getExchange(wbParticleFluid *liquid) {
    return (wbExchange){wbGetBodyOwner(liquid->world), &liquid->boundary,
                        liquid->world->colliderIds.indexCount};
}

// Mechanisms, then bodies.
static void respond(const wbImpulse *forces, wbBoundaryTime time, float seconds, void *context) {
    wbParticleFluid *liquid = context;
    wbWorld *world = liquid->world;
    const wbExchange exchange = getExchange(liquid);
    if (wbHasFree(world) && wbRespondGuides(liquid, forces, time))
        wbFollowGuides(world, &liquid->boundary, time);
    if (areBodiesFree(world))
        wbWetBodies_Respond(&wbGetCoupling(world)->wet, &exchange, forces, time, seconds, &world->work);
}

// The same order, for devices.
static int describeResponse(Response *free, int *bodyRows, wbBoundaryTime time, float seconds,
                            void *context) {
    wbParticleFluid *liquid = context;
    wbWorld *world = liquid->world;
    const wbExchange exchange = getExchange(liquid);
    const int count = wbDescribeGuides(liquid, free, bodyRows, time);
    return areBodiesFree(world) ? wbWetBodies_Describe(&wbGetCoupling(world)->wet, &exchange, free, count,
                                                       bodyRows, time, seconds)
                                : count;
}

static void takeResponse(const ResponseAnswer *answers, wbBoundaryTime time, void *context) {
    wbParticleFluid *liquid = context;
    wbWorld *world = liquid->world;
    const wbExchange exchange = getExchange(liquid);
    const int count = wbTakeGuideAnswers(world, answers);
    wbFollowGuides(world, &liquid->boundary, time);
    if (areBodiesFree(world))
        wbWetBodies_TakeAnswers(&wbGetCoupling(world)->wet, &exchange, answers, count, time);
}

void wbSetResponse(const wbWorld *world, wbFluidColliders *colliders) {
    if (!wbDoesRespond(world)) return;
    colliders->respond = respond;
    colliders->describeResponse = describeResponse, colliders->takeResponse = takeResponse;
}

bool wbDoesRespond(const wbWorld *world) {
    return world->def.coupling.response && (areBodiesFree(world) || wbHasFree(world));
}

// Room

float wbGetRoomAround(const wbWorld *world, const float p[3], float most) {
    const wbSurfaceOwner *owner = wbGetBodyOwner(world);
    const wbVec3 point = wbMakeVec3(p[0], p[1], p[2]);
    float room = wbGetClearance(world, p, most);
    for (int i = 0; i < owner->countBodies(owner->context); i++) {
        const wbSurfaceBody body = owner->getBody(owner->context, i);
        if (body.isOff || !wbIsNearer(body.shape, &body.pose, point, room)) continue;
        room = wbShape_FindSurface(body.shape, wbPose_ApplyInverse(&body.pose, point)).distance;
    }
    const wbCoupling *coupling = wbGetCoupling(world);
    return coupling && coupling->room.count > 0 ? wbSoftRoom_Find(&coupling->room, p, room) : room;
}

static wbStatus failByRoom(int64_t count) {
    return wbError(
        wb_errorInput,
        "%lld particles of fluids would be in it, or too near to it: put it where there is room, "
        "and let it fall, or throw it; or make it before the fluids are filled, which leaves it room",
        (long long)count);
}

wbStatus wbCheckBodyRoom(wbWorld *world, int index) {
    wbShape *shape;
    int64_t count = 0;
    if (!isWanted(world)) return wb_okStatus;
    WB_TRY(findShape(world, index, &shape));
    const wbPose pose = wbGetRigidOrigin(world, index);
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (shape && !isLeftOut(world, index)) count += wbCountTrappedFluid(l->solver, shape, &pose);
    return count > 0 ? failByRoom(count) : wb_okStatus;
}

// Deeper in it than half a spacing, where they were not before: those at a body that floats rest as far outside of it, and are pressed into it a little.
static int64_t countCovered(const wbWorld *world, const wbShape *shape, const wbPose *pose,
                            const wbPose *before) {
    int64_t count = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        for (int i = 0; i < l->particles->count; i++) {
            const wbVec3 p = wbMakeVec3(l->particles->x[i], l->particles->y[i], l->particles->z[i]);
            const float most = -0.5f * l->spacing;
            count += wbIsNearer(shape, pose, p, most) && !(before && wbIsNearer(shape, before, p, most));
        }
    return count;
}

wbStatus wbCheckBodyPlace(wbWorld *world, int index, const wbPose *pose, const wbPose *before) {
    wbShape *shape;
    const wbRigidBodyParams *params = &wbGetRigidBodyAt(world, index)->params;
    if (!isWanted(world) || params->sensor) return wb_okStatus;
    WB_TRY(findShape(world, index, &shape));
    const int64_t count = shape ? countCovered(world, shape, pose, before) : 0;
    if (count == 0) return wb_okStatus;
    return wbError(wb_errorInput,
                   "%lld particles of fluids would be in rigid body \"%s\" at (%g, %g, %g) m, which would "
                   "throw them out: put it "
                   "where there is room, and let it fall, or move it into them by its velocity",
                   (long long)count, wbGetRigidBodyAt(world, index)->name, (double)pose->position[0],
                   (double)pose->position[1], (double)pose->position[2]);
}

static wbStatus listSoftRoom(wbWorld *world, int first) {
    WB_TRY(wbListBodies(world));
    wbCoupling *coupling = wbGetCoupling(world);
    return coupling && coupling->hasSoft ? wbSoftRoom_List(&coupling->room, world, &coupling->soft, first)
                                         : wb_okStatus;
}

wbStatus wbListRoom(wbWorld *world) { return listSoftRoom(world, 0); }

// Cloth may be made in fluids: they are on both sides of it then.
wbStatus wbCheckSoftRoom(wbWorld *world, int index) {
    int64_t count = 0;
    if (wbCountParticles(world) == 0) return wb_okStatus;
    WB_TRY(listSoftRoom(world, index));
    const wbCoupling *coupling = wbGetCoupling(world);
    if (!coupling || coupling->room.count == 0 || wbGetSoftBodyAt(world, index)->triangleCount > 0)
        return wb_okStatus;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l)) {
        const wbParticles *all = l->particles;
        const float most = fmaxf(0.25f * l->spacing, coupling->room.gap);
        for (int i = 0; i < all->count; i++)
            count += wbSoftRoom_Find(&coupling->room, (const float[3]){all->x[i], all->y[i], all->z[i]},
                                     most) < most;
    }
    return count > 0 ? failByRoom(count) : wb_okStatus;
}

wbStatus wbCheckOtherFluids(const wbWorld *world, const wbFluidDef *def) {
    const wbFluid *fluids = world->fluids.data;
    if (world->def.coupling.fluids == wb_otherFluidsIgnore) return wb_okStatus;
    for (int i = 0; i < world->fluidIds.indexCount; i++)
        if (fluids[i].solver != def->solver)
            return wbError(
                wb_errorInput,
                "%s is %s, %s is %s: liquids of different solvers do not feel each other; give both "
                "one solver, or set coupling.fluids to ignore",
                fluids[i].name, wbGetSolverKind((int)fluids[i].solver)->info.name, def->name,
                wbGetSolverKind((int)def->solver)->info.name);
    return wb_okStatus;
}

static int countNone(const void *context) {
    (void)context;
    return 0;
}
static int listNone(const void *context, const int **bodies) {
    (void)context;
    *bodies = NULL;
    return 0;
}
static void placeNone(void *context, float from, float to) { (void)context, (void)from, (void)to; }

const wbSurfaceOwner *wbGetBodyOwner(const wbWorld *world) {
    static const wbSurfaceOwner none = {.countBodies = countNone, .listMoving = listNone, .place = placeNone};
    const wbCoupling *coupling = wbGetCoupling(world);
    return coupling ? &coupling->owner : &none;
}

bool wbHasBodies(const wbWorld *world) { return wbGetCoupling(world) && wbGetCoupling(world)->wet.count > 0; }

void wbPlaceBodies(const wbWorld *world, wbBoundaryTime from, wbBoundaryTime to, wbCollisionPlace *places) {
    const wbCoupling *coupling = wbGetCoupling(world);
    if (coupling) wbWetBodies_Place(&coupling->wet, from, to, places);
}

// The step

static bool joins(const wbSolver *solver, const wbSolver *other) {
    const wbCoupling *coupling = solver->self;
    return other->liquid ||
           (coupling->wet.count > 0 && other == &solver->world->solvers[wb_solverIndex_rigid]) ||
           (coupling->hasSoft && other == &solver->world->solvers[wb_solverIndex_pbd]);
}

static float getStableStep(const wbSolver *solver, bool isAsked) {
    const wbCoupling *coupling = solver->self;
    float step = WB_SHARED_STEP;
    if (coupling->hasSoft && !isAsked) step = fminf(step, wbGetWetSoftStep(solver->world));
    if (coupling->hulls.count > 0 && !isAsked) step = fminf(step, wbGetHullStep(solver->world));
    return step;
}

static wbStatus plan(wbSolver *solver, float dt) {
    wbCoupling *coupling = solver->self;
    (void)dt;
    wbWetBodies_Tell(&coupling->wet);
    memset(coupling->soft.given, 0, sizeof coupling->soft.given);
    return wb_okStatus;
}

static wbStatus prepare(wbSolver *solver, float dt) {
    WB_TRY(wbFollowFloors(solver->world, dt));
    wbWetBodies_Begin(&((wbCoupling *)solver->self)->wet);
    return wb_okStatus;
}

static wbStatus step(wbSolver *solver, float dt) {
    wbCoupling *coupling = solver->self;
    double mark = wbGetSeconds();
    wbWetBodies_Move(&coupling->wet, dt);
    wbShowBodies(solver->world, solver->group);
    coupling->ms[wb_couplingPlace] = wbLapMs(&mark);
    coupling->ms[wb_couplingTake] = coupling->ms[wb_couplingSheets] = 0;
    return wb_okStatus;
}

static void settle(wbSolver *solver, float dt) {
    wbCoupling *coupling = solver->self;
    (void)dt;
    double mark = wbGetSeconds();
    wbGiveToBodies(solver->world, solver->group);
    wbWetBodies_Settle(&coupling->wet);
    wbSettleSheets(solver->world);
    solver->ms[wb_couplingTake] += wbLapMs(&mark);
    solver->ms[wb_couplingSheets] += coupling->thin.ms;
    coupling->thin.ms = 0;
}

static wbStatus explain(const wbSolver *solver, float dt, const char *what) {
    const wbWorld *world = solver->world;
    return wbError(wb_errorUnstable, "unstable at step %lld (%g s): bodies in fluids: %s; dt is %.3g s",
                   (long long)world->stepCount + 1, world->time, what, (double)dt);
}

// State, parameters, reports

static int listValues(const wbSolver *solver, wbSavedValue values[WB_MAX_SOLVER_VALUES]) {
    wbCoupling *coupling = solver->self;
    values[0] = (wbSavedValue){
        "coupling.bodies", &coupling->wet.stateCount, wb_valueInt, 0, WB_MAX_RIGID_BODIES, true};
    values[1] = (wbSavedValue){
        "coupling.softParticles", &coupling->soft.particleCount, wb_valueInt, 0, 1 << 28, true};
    values[2] = (wbSavedValue){"coupling.lost", &coupling->lost, wb_valueInt, 0, INT_MAX, true};
    static const char *const names[2][3] = {
        {"coupling.leftX", "coupling.leftY", "coupling.leftZ"},
        {"coupling.softLeftX", "coupling.softLeftY", "coupling.softLeftZ"}};
    for (int a = 0; a < 3; a++) {
        values[3 + a] =
            (wbSavedValue){names[0][a], &coupling->wet.left[a], wb_valueDouble, -DBL_MAX, DBL_MAX, false};
        values[6 + a] =
            (wbSavedValue){names[1][a], &coupling->soft.left[a], wb_valueDouble, -DBL_MAX, DBL_MAX, false};
    }
    return 9;
}

static int listColumns(const wbSolver *solver, wbStateColumn columns[WB_MAX_STATE_COLUMNS]) {
    wbCoupling *coupling = solver->self;
    const wbColumn states = {"states", &coupling->wet.states.data, sizeof(wbWetState), true};
    const wbColumn soft = {"soft", &coupling->soft.particles.data, sizeof(wbWetParticle), true};
    const int n = wbAddColumns(solver, &states, 1, coupling->wet.stateCount, true, columns);
    return n + wbAddColumns(solver, &soft, 1, coupling->soft.particleCount, true, columns + n);
}

static wbStatus resize(const wbSolver *solver, wbSectionList *list) {
    wbCoupling *coupling = solver->self;
    (void)list;
    WB_TRY(wbWetSoft_ReserveParticles(&coupling->soft, solver->world->memory, coupling->soft.particleCount));
    return wbWetBodies_ReserveStates(&coupling->wet, solver->world->memory, coupling->wet.stateCount);
}

// What is younger than new would never be felt.
static wbStatus checkAges(const wbCoupling *coupling, wbSectionList *list) {
    const size_t count = (size_t)coupling->soft.particleCount;
    wbStatus status = wb_okStatus;
    const char *bytes = wbFindSection(list, "coupling.soft", count * sizeof(wbWetParticle), &status);
    for (size_t i = 0; bytes && i < count; i++) {
        wbWetParticle particle;
        memcpy(&particle, bytes + i * sizeof particle, sizeof particle);
        if (particle.age < 0)
            return wbError(wb_errorInput, "coupling.soft: particle %zu is %g s old, allowed is 0 or more", i,
                           (double)particle.age);
    }
    return status;
}

// Of a file that may say anything.
static wbStatus checkColumns(const wbSolver *solver, wbSectionList *list) {
    const wbCoupling *coupling = solver->self;
    WB_TRY(wbCheckFloatSection(list, "coupling.states",
                               sizeof(wbWetState) / sizeof(float) * (size_t)coupling->wet.stateCount));
    WB_TRY(wbCheckFloatSection(list, "coupling.soft",
                               sizeof(wbWetParticle) / sizeof(float) * (size_t)coupling->soft.particleCount));
    return checkAges(coupling, list);
}

static wbStatus setParams(wbSolver *solver, void *params) {
    (void)solver, (void)params;
    return wb_okStatus;
}

static void refresh(wbSolver *solver) {
    wbCoupling *coupling = solver->self;
    coupling->owner = wbWetBodies_GetOwner(&coupling->wet);
    coupling->sheets = wbWetSheets_GetCalls(&coupling->thin);
}

static void addStats(const wbSolver *solver, double ground, wbStats *stats) {
    const wbCoupling *coupling = solver->self;
    (void)ground;
    for (int i = 0; i < coupling->wet.stateCount; i++)
        for (int a = 0; a < 3; a++)
            stats->transit[a] += (double)wbWetBodies_GetState(&coupling->wet, i)->transit[a];
    for (int i = 0; i < coupling->soft.particleCount; i++)
        for (int a = 0; a < 3; a++)
            stats->transit[a] += (double)wbWetSoft_Get(&coupling->soft, i)->transit[a];
    for (int a = 0; a < 3; a++) stats->transit[a] += coupling->wet.left[a] + coupling->soft.left[a];
    for (int a = 0; a < 3; a++)
        stats->waterRigid[a] += coupling->wet.given[a], stats->waterSoft[a] += coupling->soft.given[a];
    stats->leaked += coupling->lost;
}

static void addProfile(const wbSolver *solver, wbProfile *profile) {
    wbAddPhases(profile, phaseNames, ((const wbCoupling *)solver->self)->ms, wb_couplingPhaseCount);
}

const wbSolverKind wb_couplingSolver = {.info = {.name = "coupling",
                                                 .moves = "bodies in fluids",
                                                 .object = NULL,
                                                 .with = "softBody|rigidBody",
                                                 .isFluid = false,
                                                 .params = offsetof(wbWorldDef, coupling)},
                                        .place = wb_placeSurfaces,
                                        .table = &wb_couplingTable,
                                        .setParams = setParams,
                                        .refresh = refresh,
                                        .create = create,
                                        .destroy = destroy,
                                        .getStableStep = getStableStep,
                                        .joins = joins,
                                        .plan = plan,
                                        .prepare = prepare,
                                        .step = step,
                                        .settle = settle,
                                        .explain = explain,
                                        .listValues = listValues,
                                        .listColumns = listColumns,
                                        .resize = resize,
                                        .checkColumns = checkColumns,
                                        .addStats = addStats,
                                        .addProfile = addProfile};
