// SPDX-License-Identifier: MIT
#include "rigid/rigid_force.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid.h"

// Lists

static wbRigidForce *getList(const wbRigidForces *forces) { return forces->list.data; }
static int *getMembers(const wbRigidForces *forces) { return forces->members.data; }

void wbRigidForces_Init(wbRigidForces *forces) {
    *forces = (wbRigidForces){.list.elementSize = sizeof(wbRigidForce), .members.elementSize = sizeof(int)};
}

void wbRigidForces_Free(wbMemory *memory, wbRigidForces *forces) {
    wbArray_Free(memory, &forces->list), wbArray_Free(memory, &forces->members);
    wbRigidForces_Init(forces);
}

void wbRigidForces_ListMembers(wbRigidForces *forces, wbColumn columns[WB_RIGID_MEMBER_COLUMNS]) {
    columns[0] = (wbColumn){"forceMember", &forces->members.data, 4, true};
}

bool wbRigidForce_TiesPairs(const wbRigidForce *force) {
    switch (force->params.kind) {
    case wb_forceSpring:
    case wb_forceRod:
    case wb_forceBungee:
    case wb_forceCable:
    case wb_forceRodConstraint:
        return !force->function;
    default:
        return false;
    }
}

static wbStatus add(wbRigid *rigid, wbMemory *memory, wbRigidForce force, const int *bodies, int bodyCount) {
    wbRigidForces *forces = &rigid->forces;
    for (int k = 0; k < bodyCount && bodies; k++)
        if (bodies[k] < 0 || bodies[k] >= rigid->count)
            return wbError(wb_errorInput, "a force names body %d, and there are %d", bodies[k], rigid->count);
    if (wbRigidForce_TiesPairs(&force) && (!bodies || bodyCount % 2))
        return wbError(wb_errorInput, "a force that ties bodies names %d of them: they come in pairs",
                       bodies ? bodyCount : rigid->count);
    for (int k = 0; wbRigidForce_TiesPairs(&force) && k < bodyCount; k += 2)
        if (bodies[k] == bodies[k + 1])
            return wbError(wb_errorInput, "a force ties body %d to itself", bodies[k]);
    force.isOnAll = !bodies, force.first = forces->memberCount, force.count = bodies ? bodyCount : 0;
    if (!wbArray_Reserve(memory, &forces->list, forces->count + 1) ||
        !wbArray_Reserve(memory, &forces->members, forces->memberCount + force.count))
        return wbMemoryError(memory, "a force on %d bodies needs", force.count);
    getList(forces)[forces->count++] = force;
    if (force.count) memcpy(getMembers(forces) + force.first, bodies, sizeof(int) * (size_t)force.count);
    forces->memberCount += force.count;
    return wb_okStatus;
}

wbStatus wbRigidForces_Add(wbRigid *rigid, wbMemory *memory, const wbForceParams *params, const int *bodies,
                           int bodyCount) {
    return add(rigid, memory, (wbRigidForce){.params = *params}, bodies, bodyCount);
}

wbStatus wbRigidForces_AddFunction(wbRigid *rigid, wbMemory *memory, wbRigidForceFn *function, void *context,
                                   const int *bodies, int bodyCount) {
    return add(rigid, memory,
               (wbRigidForce){.params = {.on = true}, .function = function, .context = context}, bodies,
               bodyCount);
}

static void removeMembers(wbRigidForces *forces, int first, int count) {
    memmove(getMembers(forces) + first, getMembers(forces) + first + count,
            sizeof(int) * (size_t)(forces->memberCount - first - count));
    forces->memberCount -= count;
    for (int f = 0; f < forces->count; f++)
        if (getList(forces)[f].first > first) getList(forces)[f].first -= count;
}

void wbRigidForces_Remove(wbRigidForces *forces, int force) {
    const wbRigidForce gone = getList(forces)[force];
    wbArray_Remove(&forces->list, force, forces->count--);
    removeMembers(forces, gone.first, gone.count);
}

void wbRigidForces_RemoveBody(wbRigidForces *forces, int body) {
    for (int f = 0; f < forces->count; f++) {
        wbRigidForce *force = &getList(forces)[f];
        const int width = wbRigidForce_TiesPairs(force) ? 2 : 1;
        for (int k = 0; k < force->count;) {
            const int *members = getMembers(forces) + force->first + k;
            if (members[0] != body && members[width - 1] != body) {
                k += width;
                continue;
            }
            force->count -= width;
            removeMembers(forces, force->first + k, width);
        }
    }
    for (int k = 0; k < forces->memberCount; k++)
        if (getMembers(forces)[k] > body) getMembers(forces)[k]--;
}

// Bodies

// One evaluation.
typedef struct Sum {
    const wbRigid *rigid;
    const wbRigidModel *model;
    const wbRigidLoads *loads;
    float dt;
    float ahead;     // s: springs look so far ahead
    const int *ties; // springs, rods and bungees at each body
} Sum;

static wbVec3 getVelocity(const wbRigid *rigid, int body) {
    return wbMakeVec3(rigid->vx[body], rigid->vy[body], rigid->vz[body]);
}

static bool isMoved(const wbRigid *rigid, int body) {
    return rigid->inverseMass[body] > 0 && !(rigid->bits[body] & WB_RIGID_OFF);
}

static void pull(const Sum *sum, int body, wbVec3 force) {
    sum->loads->force[0][body] += force.x, sum->loads->force[1][body] += force.y;
    sum->loads->force[2][body] += force.z;
}

static void twist(const Sum *sum, int body, wbVec3 torque) {
    sum->loads->torque[0][body] += torque.x, sum->loads->torque[1][body] += torque.y;
    sum->loads->torque[2][body] += torque.z;
}

// R diag(1 / I) R^T v
static wbVec3 divideByInertia(const wbRigid *rigid, int body, wbVec3 v) {
    const wbPose pose = wbRigid_GetPose(rigid, body);
    const wbVec3 own = wbPose_RotateInverse(&pose, v);
    return wbPose_Rotate(&pose, wbMakeVec3(rigid->inverseInertiaX[body] * own.x,
                                           rigid->inverseInertiaY[body] * own.y,
                                           rigid->inverseInertiaZ[body] * own.z));
}

// Where a tie holds a body, or the world: body -1.
typedef struct Hold {
    int body;
    wbVec3 place, arm, velocity, turning; // turning: of the arm, m/s
} Hold;

static Hold holdBody(const wbRigid *rigid, int body, const wbVec3 *attach) {
    const wbPose pose = wbRigid_GetPose(rigid, body);
    const wbVec3 arm = wbPose_Rotate(&pose, *attach);
    const wbVec3 turning = wbCross(wbMakeVec3(rigid->wx[body], rigid->wy[body], rigid->wz[body]), arm);
    return (Hold){body, wbAdd(arm, wbMakeVec3(pose.position[0], pose.position[1], pose.position[2])), arm,
                  wbAdd(getVelocity(rigid, body), turning), turning};
}

static Hold holdWorld(const wbVec3 *place) { return (Hold){.body = -1, .place = *place}; }

// 1/kg: how much faster a hold becomes along a direction by a unit of impulse there.
static float getLightness(const wbRigid *rigid, const Hold *hold, wbVec3 n) {
    if (hold->body < 0 || !isMoved(rigid, hold->body)) return 0;
    const wbVec3 turn = wbCross(hold->arm, n);
    return rigid->inverseMass[hold->body] + wbDot(turn, divideByInertia(rigid, hold->body, turn));
}

static void pullHold(const Sum *sum, const Hold *hold, wbVec3 force) {
    if (hold->body < 0 || !isMoved(sum->rigid, hold->body)) return;
    pull(sum, hold->body, force);
    twist(sum, hold->body, wbCross(hold->arm, force));
}

// What ties two holds: the direction from the first to the second, how long it is, and how fast it becomes longer.
typedef struct Tie {
    Hold a, b;
    wbVec3 n;
    float length, speed, lightness;
} Tie;

static bool makeTie(const Sum *sum, Hold a, Hold b, Tie *tie) {
    const wbVec3 gap = wbSub(b.place, a.place);
    const float length = sqrtf(wbDot(gap, gap));
    if (!(length > 0)) return false;
    *tie = (Tie){.a = a, .b = b, .n = wbScale(1 / length, gap), .length = length};
    tie->speed = wbDot(tie->n, wbSub(b.velocity, a.velocity));
    tie->lightness = getLightness(sum->rigid, &a, tie->n) + getLightness(sum->rigid, &b, tie->n);
    return tie->lightness > 0;
}

// Springs

// The most springs that hold one of two bodies: each takes its share of the body, so that all together stay stable.
static float getShare(const Sum *sum, int a, int b) {
    const int atA = a >= 0 ? sum->ties[a] : 0, atB = b >= 0 ? sum->ties[b] : 0;
    return (float)(atA > atB ? atA : atB);
}

// N, of a spring and a damper that are stretched and become longer, over dt: see the header.
static float respond(const Sum *sum, float stiffness, float damping, float stretch, float speed,
                     float lightness) {
    const float dt = sum->dt, force = stiffness * stretch + damping * speed;
    return force / (1 + 0.5f * lightness * dt * (stiffness * dt + damping));
}

// A spring under tension also drives what it holds back across itself, and turns it: direction and arm look ahead as its
// length does.
static Hold lookAhead(const Sum *sum, Hold hold) {
    hold.place = wbAdd(hold.place, wbScale(sum->ahead, hold.velocity));
    hold.arm = wbAdd(hold.arm, wbScale(sum->ahead, hold.turning));
    return hold;
}

static void addSpring(const Sum *sum, const wbForceParams *params, Hold a, Hold b, bool onlyPulls) {
    Tie tie;
    if (!makeTie(sum, lookAhead(sum, a), lookAhead(sum, b), &tie)) return;
    const float stretch = tie.length - params->length, share = fmaxf(1, getShare(sum, a.body, b.body));
    if (onlyPulls && stretch <= 0) return;
    float tension =
        respond(sum, params->stiffness, params->damping, stretch, tie.speed, share * tie.lightness);
    if (onlyPulls) tension = fmaxf(tension, 0);
    pullHold(sum, &tie.a, wbScale(tension, tie.n));
    pullHold(sum, &tie.b, wbScale(-tension, tie.n));
}

// Media

// N: against a velocity by its size and its square, but no more than would stop the body.
static void resist(const Sum *sum, int body, wbVec3 speed, float linear, float quadratic) {
    const float rate = linear + quadratic * sqrtf(wbDot(speed, speed));
    const float most = 1 / (sum->dt * sum->rigid->inverseMass[body]);
    pull(sum, body, wbScale(-fminf(rate, most), speed));
}

static double getVolume(const wbRigid *rigid, int body, int dimensions) {
    const wbRigidPiece *pieces = (const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[body];
    double volume = 0;
    for (int k = 0; k < rigid->pieceCount[body]; k++)
        volume += wbRigidPiece_GetMass(&pieces[k], dimensions).volume;
    return volume;
}

// Archimedes, with the share of the body that is under water by the height of its centre: a spring between two ends.
static void addBuoyancy(const Sum *sum, const wbForceParams *params, int body) {
    const wbRigid *rigid = sum->rigid;
    const wbVec3 g = sum->model->domain->gravity;
    const float volume =
        params->volume > 0 ? params->volume : (float)getVolume(rigid, body, sum->model->domain->dimensions);
    const float weight = params->liquidDensity * volume * sqrtf(wbDot(g, g));
    const float depth = params->waterHeight + params->maxDepth - rigid->y[body], full = 2 * params->maxDepth;
    if (depth <= 0 || !(weight > 0)) return;
    const float lift = depth >= full ? weight
                                     : respond(sum, weight / full, 0, depth - sum->ahead * rigid->vy[body], 0,
                                               rigid->inverseMass[body]);
    pull(sum, body, wbScale(-fmaxf(lift, 0) / sqrtf(wbDot(g, g)), g));
}

// Newton's law among all of them.
static void addAttraction(const Sum *sum, const wbForceParams *params, const int *bodies, int count) {
    const wbRigid *rigid = sum->rigid;
    for (int k = 0; k < count; k++)
        for (int n = k + 1; n < count; n++) {
            const int a = bodies[k], b = bodies[n];
            if (!isMoved(rigid, a) || !isMoved(rigid, b)) continue;
            const double d[3] = {(double)rigid->x[b] - rigid->x[a], (double)rigid->y[b] - rigid->y[a],
                                 (double)rigid->z[b] - rigid->z[a]};
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (!(r2 > 0)) continue;
            const double size =
                params->strength / ((double)rigid->inverseMass[a] * rigid->inverseMass[b]) / r2;
            const double s = size / sqrt(r2);
            const wbVec3 force = {(float)(s * d[0]), (float)(s * d[1]), (float)(s * d[2])};
            pull(sum, a, force), pull(sum, b, wbScale(-1, force));
        }
}

// Forces

static void addToBody(const Sum *sum, const wbForceParams *params, int body) {
    const wbVec3 vector = params->vector;
    const wbRigid *rigid = sum->rigid;
    if (!isMoved(rigid, body)) return;
    switch (params->kind) {
    case wb_forceGravity:
        pull(sum, body, wbScale(1 / rigid->inverseMass[body], vector));
        break;
    case wb_forceDrag:
        resist(sum, body, getVelocity(rigid, body), params->linear, params->quadratic);
        break;
    case wb_forceWind:
        resist(sum, body, wbSub(getVelocity(rigid, body), vector), params->linear, params->quadratic);
        break;
    case wb_forceTorque:
        twist(sum, body, vector);
        break;
    case wb_forceBuoyancy:
        addBuoyancy(sum, params, body);
        break;
    case wb_forceAnchoredSpring:
    case wb_forceAnchoredBungee:
        addSpring(sum, params, holdBody(rigid, body, &params->attach), holdWorld(&params->anchor),
                  params->kind == wb_forceAnchoredBungee);
        break;
    default:
        break;
    }
}

static void addForce(const Sum *sum, const wbRigidForce *force, const int *bodies, int count) {
    const wbForceParams *params = &force->params;
    if (force->function) {
        force->function(sum->rigid, bodies, count, sum->dt, sum->loads, force->context);
    } else if (params->kind == wb_forceAttraction) {
        addAttraction(sum, params, bodies, count);
    } else if (params->kind == wb_forceSpring || params->kind == wb_forceRod ||
               params->kind == wb_forceBungee) {
        for (int k = 0; k < count; k += 2)
            addSpring(sum, params, holdBody(sum->rigid, bodies[k], &params->attach),
                      holdBody(sum->rigid, bodies[k + 1], &params->attachOther),
                      params->kind == wb_forceBungee);
    } else {
        for (int k = 0; k < count; k++) addToBody(sum, params, bodies[k]);
    }
}

// Cables and rods

// One that is solved for: `tension` is what the passes have found so far.
typedef struct Cable {
    Tie tie;
    const wbForceParams *params;
    float tension;
} Cable;

static bool isCable(const wbRigidForce *force) {
    return force->params.on && !force->function &&
           (force->params.kind == wb_forceCable || force->params.kind == wb_forceRodConstraint);
}

// m/s, that a hold will have by all loads as they are now.
static wbVec3 foresee(const Sum *sum, const Hold *hold) {
    const wbRigid *rigid = sum->rigid;
    const int b = hold->body;
    if (!isMoved(rigid, b)) return hold->velocity;
    const wbRigidLoads *l = sum->loads;
    const wbVec3 force = {l->force[0][b], l->force[1][b], l->force[2][b]},
                 torque = {l->torque[0][b], l->torque[1][b], l->torque[2][b]};
    const wbVec3 pace = wbAdd(wbScale(rigid->inverseMass[b], force),
                              wbScale(rigid->gravityScale[b], sum->model->domain->gravity));
    const wbVec3 turn = wbCross(divideByInertia(rigid, b, torque), hold->arm);
    return wbAdd(hold->velocity, wbScale(sum->dt, wbAdd(pace, turn)));
}

// How fast it shall become longer: half of what is missing in this step, no faster than bodies are pushed apart; a cable that
// becomes taut bounces.
static float getWantedSpeed(const Sum *sum, const Cable *cable) {
    const wbForceParams *params = cable->params;
    const float most = sum->model->params.pushSpeed, missing = params->length - cable->tie.length;
    const float back = fmaxf(-most, fminf(most, 0.5f * missing / sum->dt));
    if (params->kind == wb_forceRodConstraint) return back;
    if (missing > 0) return missing / sum->dt; // it may become as long as it is
    return cable->tie.speed > 0 ? fminf(back, -params->restitution * cable->tie.speed) : back;
}

static void tighten(const Sum *sum, Cable *cable) {
    const Tie *tie = &cable->tie;
    const float speed = wbDot(tie->n, wbSub(foresee(sum, &tie->b), foresee(sum, &tie->a)));
    float tension = cable->tension + (speed - getWantedSpeed(sum, cable)) / (tie->lightness * sum->dt);
    if (cable->params->kind == wb_forceCable) tension = fmaxf(tension, 0);
    const wbVec3 more = wbScale(tension - cable->tension, tie->n);
    cable->tension = tension;
    pullHold(sum, &tie->a, more), pullHold(sum, &tie->b, wbScale(-1, more));
}

static wbStatus addCables(const Sum *sum, const wbWork *work) {
    enum { PASSES = 16 }; // of chains; one alone needs one
    const wbRigidForces *forces = &sum->rigid->forces;
    int count = 0;
    for (int f = 0; f < forces->count; f++)
        if (isCable(&getList(forces)[f])) count += getList(forces)[f].count / 2;
    if (count == 0) return wb_okStatus;
    Cable *cables = wbArena_Alloc(work->arena, sizeof(Cable) * (size_t)count);
    if (!cables) return wbMemoryError(work->memory, "%d cables and rods need", count);
    count = 0;
    for (int f = 0; f < forces->count; f++) {
        const wbRigidForce *force = &getList(forces)[f];
        const int *bodies = getMembers(forces) + force->first;
        for (int k = 0; isCable(force) && k + 1 < force->count; k += 2) {
            Cable cable = {.params = &force->params};
            if (makeTie(sum, holdBody(sum->rigid, bodies[k], &force->params.attach),
                        holdBody(sum->rigid, bodies[k + 1], &force->params.attachOther), &cable.tie))
                cables[count++] = cable;
        }
    }
    // there and back, so that chains pass tensions on in both directions
    for (int pass = 0; pass < (count > 1 ? PASSES : 1); pass++)
        for (int k = 0; k < count; k++) tighten(sum, &cables[pass % 2 ? count - 1 - k : k]);
    return wb_okStatus;
}

// How many springs hold each body.
static int *countTies(const wbRigid *rigid, const wbWork *work) {
    const wbRigidForces *forces = &rigid->forces;
    const size_t bytes = sizeof(int) * ((size_t)rigid->count + 1);
    int *ties = wbArena_Alloc(work->arena, bytes);
    if (!ties) return NULL;
    memset(ties, 0, bytes);
    for (int f = 0; f < forces->count; f++) {
        const wbRigidForce *force = &getList(forces)[f];
        const wbForceKind kind = force->params.kind;
        if (!force->params.on || force->function) continue;
        if (kind != wb_forceSpring && kind != wb_forceRod && kind != wb_forceBungee &&
            kind != wb_forceAnchoredSpring && kind != wb_forceAnchoredBungee)
            continue;
        for (int k = 0; k < force->count; k++) ties[getMembers(forces)[force->first + k]]++;
        for (int b = 0; force->isOnAll && b < rigid->count; b++) ties[b]++;
    }
    return ties;
}

wbStatus wbRigidForces_Apply(const wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt,
                             int parts, const wbRigidLoads *loads) {
    const wbRigidForces *forces = &rigid->forces;
    if (forces->count == 0) return wb_okStatus;
    const size_t mark = wbArena_Mark(work->arena);
    int *ties = countTies(rigid, work), *all = wbArena_Alloc(work->arena, sizeof(int) * (size_t)rigid->count);
    wbStatus status =
        ties && all ? wb_okStatus : wbMemoryError(work->memory, "forces on %d bodies need", rigid->count);
    const Sum sum = {rigid, model, loads, dt, dt * (float)(parts - 1) / (float)(2 * parts), ties};
    int allCount = 0;
    for (int b = 0; wbIsOk(status) && b < rigid->count; b++)
        if (isMoved(rigid, b)) all[allCount++] = b;
    for (int f = 0; wbIsOk(status) && f < forces->count; f++) {
        const wbRigidForce *force = &getList(forces)[f];
        if (!force->params.on) continue;
        if (force->isOnAll)
            addForce(&sum, force, all, allCount);
        else
            addForce(&sum, force, getMembers(forces) + force->first, force->count);
    }
    if (wbIsOk(status)) status = addCables(&sum, work);
    wbArena_Release(work->arena, mark);
    return status;
}
