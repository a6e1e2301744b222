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
        return bodies ? wbError(wb_errorInput,
                                "it ties bodies in pairs and names %d of them: name two for each pair",
                                bodyCount)
                      : wbError(wb_errorInput, "it ties bodies in pairs, not all: name two for each pair");
    for (int k = 0; wbRigidForce_TiesPairs(&force) && k < bodyCount; k += 2)
        if (bodies[k] == bodies[k + 1])
            return wbError(wb_errorInput, "it ties body %d to itself: name another", bodies[k]);
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
    if (count == 0) return; // no force may have had any
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

// What devices do as well

bool wbRigidForce_IsForCores(const wbRigidForce *force) {
    return force->params.on && (force->function || wbRigidForce_GetRule(force).kind == FORCE_OTHER);
}

ForceRule wbRigidForce_GetRule(const wbRigidForce *force) {
    static const struct {
        int kind, onlyPulls;
    } rules[] = {[wb_forceGravity] = {FORCE_GRAVITY, 0},
                 [wb_forceDrag] = {FORCE_DRAG, 0},
                 [wb_forceSpring] = {FORCE_SPRING, 0},
                 [wb_forceAnchoredSpring] = {FORCE_ANCHORED, 0},
                 [wb_forceRod] = {FORCE_SPRING, 0},
                 [wb_forceBungee] = {FORCE_SPRING, 1},
                 [wb_forceAnchoredBungee] = {FORCE_ANCHORED, 1},
                 [wb_forceCable] = {FORCE_OTHER, 0},
                 [wb_forceRodConstraint] = {FORCE_OTHER, 0},
                 [wb_forceBuoyancy] = {FORCE_BUOYANCY, 0},
                 [wb_forceTorque] = {FORCE_TORQUE, 0},
                 [wb_forceAttraction] = {FORCE_ATTRACTION, 0},
                 [wb_forceWind] = {FORCE_DRAG, 0}};
    const wbForceParams *p = &force->params;
    ForceRule rule = {.kind = rules[p->kind].kind,
                      .onlyPulls = rules[p->kind].onlyPulls,
                      .vector = p->vector,
                      .anchor = p->anchor,
                      .attach = p->attach,
                      .attachOther = p->attachOther,
                      .stiffness = p->stiffness,
                      .damping = p->damping,
                      .length = p->length,
                      .linear = p->linear,
                      .quadratic = p->quadratic,
                      .waterHeight = p->waterHeight,
                      .maxDepth = p->maxDepth,
                      .volume = p->volume,
                      .liquidDensity = p->liquidDensity,
                      .strength = p->strength};
    if (p->kind == wb_forceDrag) rule.vector = wbMakeVec3(0, 0, 0); // of air that is still
    return rule;
}

float wbRigid_GetVolume(const wbRigid *rigid, int body, int dimensions) {
    const wbRigidPiece *pieces = (const wbRigidPiece *)rigid->pieces.data + rigid->firstPiece[body];
    double volume = 0;
    for (int k = 0; k < rigid->pieceCount[body]; k++)
        volume += wbRigidPiece_GetMass(&pieces[k], dimensions).volume;
    return (float)volume;
}

void wbRigidForces_CountTies(const wbRigid *rigid, int *ties) {
    const wbRigidForces *forces = &rigid->forces;
    memset(ties, 0, sizeof(int) * (size_t)rigid->count);
    for (int f = 0; f < forces->count; f++) {
        const wbRigidForce *force = &getList(forces)[f];
        const int kind = wbRigidForce_GetRule(force).kind;
        if (!force->params.on || force->function) continue;
        if (kind != FORCE_SPRING && kind != FORCE_ANCHORED) continue;
        for (int k = 0; k < force->count; k++) ties[getMembers(forces)[force->first + k]]++;
        for (int b = 0; force->isOnAll && b < rigid->count; b++) ties[b]++;
    }
}

// Sums

// One evaluation.
typedef struct Sum {
    const wbRigid *rigid;
    const wbRigidModel *model;
    const wbRigidLoads *loads;
    ForceSpan span;
    int *ties; // springs, rods and bungees at each body
    int *all;  // bodies that forces move
    int allCount;
} Sum;

bool wbRigid_IsMoved(const wbRigid *rigid, int body) {
    return rigid->inverseMass[body] > 0 && !(rigid->bits[body] & WB_RIGID_OFF);
}

// m: where a body's centre will be as far ahead as forces look.
static wbVec3 foreseePlace(const Sum *sum, int b) {
    const wbRigid *r = sum->rigid;
    const float ahead = sum->span.ahead;
    return wbMakeVec3(r->x[b] + ahead * r->vx[b], r->y[b] + ahead * r->vy[b], r->z[b] + ahead * r->vz[b]);
}

static ForceBody getBody(const wbRigid *r, int b) {
    return (ForceBody){
        .pose = wbRigid_GetPose(r, b),
        .velocity = {r->vx[b], r->vy[b], r->vz[b]},
        .spin = {r->wx[b], r->wy[b], r->wz[b]},
        .inverseInertia = {r->inverseInertiaX[b], r->inverseInertiaY[b], r->inverseInertiaZ[b]},
        .inverseMass = wbRigid_IsMoved(r, b) ? r->inverseMass[b] : 0};
}

static void pull(const Sum *sum, int body, wbVec3 force) {
    sum->loads->force[0][body] += force.x, sum->loads->force[1][body] += force.y;
    sum->loads->force[2][body] += force.z;
}

static void addLoad(const Sum *sum, int body, ForceLoad load) {
    if (!wbRigid_IsMoved(sum->rigid, body)) return;
    pull(sum, body, load.force);
    sum->loads->torque[0][body] += load.torque.x, sum->loads->torque[1][body] += load.torque.y;
    sum->loads->torque[2][body] += load.torque.z;
}

static void addSpring(const Sum *sum, const ForceRule *rule, int first, int second) {
    const ForceBody a = getBody(sum->rigid, first), b = getBody(sum->rigid, second);
    const ForceTie tie = force_tie_bodies(sum->span, rule, &a, &b);
    const int atA = sum->ties[first], atB = sum->ties[second];
    const float tension = force_stretch(sum->span, rule, &tie, atA > atB ? atA : atB);
    addLoad(sum, first, force_of_tie(&tie, tension, 0)), addLoad(sum, second, force_of_tie(&tie, tension, 1));
}

static void addAttraction(const Sum *sum, const ForceRule *rule, const int *bodies, int count) {
    const wbRigid *rigid = sum->rigid;
    for (int k = 0; k < count; k++)
        for (int n = k + 1; n < count; n++) {
            const int a = bodies[k], b = bodies[n];
            if (!wbRigid_IsMoved(rigid, a) || !wbRigid_IsMoved(rigid, b)) continue;
            const wbVec3 force =
                force_attraction(rule, foreseePlace(sum, a), rigid->floor[a] * rigid->inverseMass[a],
                                 foreseePlace(sum, b), rigid->floor[b] * rigid->inverseMass[b]);
            pull(sum, a, force), pull(sum, b, wbScale(-1, force));
        }
}

static void addToBody(const Sum *sum, const ForceRule *rule, int body) {
    if (!wbRigid_IsMoved(sum->rigid, body)) return;
    const ForceBody b = getBody(sum->rigid, body);
    const float volume = rule->kind == FORCE_BUOYANCY && !(rule->volume > 0)
                             ? wbRigid_GetVolume(sum->rigid, body, sum->model->domain->dimensions)
                             : 0;
    addLoad(sum, body, force_on_body(sum->span, rule, &b, volume, sum->ties[body]));
}

static void addForce(const Sum *sum, const wbRigidForce *force) {
    const int *bodies = force->isOnAll ? sum->all : getMembers(&sum->rigid->forces) + force->first;
    const int count = force->isOnAll ? sum->allCount : force->count;
    const ForceRule rule = wbRigidForce_GetRule(force);
    if (force->function) {
        force->function(sum->rigid, bodies, count, sum->span.dt, sum->loads, force->context);
    } else if (rule.kind == FORCE_ATTRACTION) {
        addAttraction(sum, &rule, bodies, count);
    } else if (rule.kind == FORCE_SPRING) {
        for (int k = 0; k < count; k += 2) addSpring(sum, &rule, bodies[k], bodies[k + 1]);
    } else {
        for (int k = 0; k < count; k++) addToBody(sum, &rule, bodies[k]);
    }
}

// Cables and rods

// One that is solved for: `tension` is what the passes have found so far.
typedef struct Cable {
    ForceTie tie;
    int bodies[2];
    const wbForceParams *params;
    float tension;
} Cable;

static bool isCable(const wbRigidForce *force) {
    return force->params.on && !force->function && wbRigidForce_GetRule(force).kind == FORCE_OTHER;
}

// m/s, that a hold will have by all loads as they are now.
static wbVec3 foresee(const Sum *sum, int b, const ForceHold *hold) {
    const wbRigid *rigid = sum->rigid;
    if (!wbRigid_IsMoved(rigid, b)) return hold->velocity;
    const wbRigidLoads *l = sum->loads;
    const wbVec3 force = {l->force[0][b], l->force[1][b], l->force[2][b]},
                 torque = {l->torque[0][b], l->torque[1][b], l->torque[2][b]};
    const wbVec3 pace =
        wbAdd(wbScale(rigid->inverseMass[b], force), wbScale(rigid->gravityScale[b], sum->span.gravity));
    const ForceBody body = getBody(rigid, b);
    const wbVec3 turn = wbCross(force_divide_by_inertia(&body, torque), hold->arm);
    return wbAdd(hold->velocity, wbScale(sum->span.dt, wbAdd(pace, turn)));
}

// How fast it shall become longer: half of what is missing in this step, no faster than bodies are pushed apart; a cable that
// becomes taut bounces.
static float getWantedSpeed(const Sum *sum, const Cable *cable) {
    const wbForceParams *params = cable->params;
    const float most = sum->model->params.pushSpeed, missing = params->length - cable->tie.length;
    const float back = fmaxf(-most, fminf(most, 0.5f * missing / sum->span.dt));
    if (params->kind == wb_forceRodConstraint) return back;
    if (missing > 0) return missing / sum->span.dt; // it may become as long as it is
    return cable->tie.speed > 0 ? fminf(back, -params->restitution * cable->tie.speed) : back;
}

static void tighten(const Sum *sum, Cable *cable) {
    const ForceTie *tie = &cable->tie;
    const int *bodies = cable->bodies;
    const float speed =
        wbDot(tie->n, wbSub(foresee(sum, bodies[1], &tie->b), foresee(sum, bodies[0], &tie->a)));
    float tension = cable->tension + (speed - getWantedSpeed(sum, cable)) / (tie->lightness * sum->span.dt);
    if (cable->params->kind == wb_forceCable) tension = fmaxf(tension, 0);
    const float more = tension - cable->tension;
    cable->tension = tension;
    addLoad(sum, bodies[0], force_of_tie(tie, more, 0)), addLoad(sum, bodies[1], force_of_tie(tie, more, 1));
}

static Cable makeCable(const Sum *sum, const wbForceParams *params, const int bodies[2]) {
    const ForceBody a = getBody(sum->rigid, bodies[0]), b = getBody(sum->rigid, bodies[1]);
    const ForceHold atA = force_look_ahead(sum->span, force_hold(&a, params->attach)),
                    atB = force_look_ahead(sum->span, force_hold(&b, params->attachOther));
    return (Cable){.tie = force_tie(&a, atA, &b, atB), .bodies = {bodies[0], bodies[1]}, .params = params};
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
        for (int k = 0; isCable(force) && k + 1 < force->count; k += 2) {
            cables[count] = makeCable(sum, &force->params, getMembers(forces) + force->first + k);
            count += cables[count].tie.lightness > 0;
        }
    }
    // there and back, so that chains pass tensions on in both directions
    for (int pass = 0; pass < (count > 1 ? PASSES : 1); pass++)
        for (int k = 0; k < count; k++) tighten(sum, &cables[pass % 2 ? count - 1 - k : k]);
    return wb_okStatus;
}

// All

static wbStatus beginSum(Sum *sum, const wbWork *work) {
    const wbRigid *rigid = sum->rigid;
    const size_t bytes = sizeof(int) * ((size_t)rigid->count + 1);
    sum->ties = wbArena_Alloc(work->arena, bytes), sum->all = wbArena_Alloc(work->arena, bytes);
    if (!sum->ties || !sum->all) return wbMemoryError(work->memory, "forces on %d bodies need", rigid->count);
    wbRigidForces_CountTies(rigid, sum->ties);
    for (int b = 0; b < rigid->count; b++)
        if (wbRigid_IsMoved(rigid, b)) sum->all[sum->allCount++] = b;
    return wb_okStatus;
}

static wbStatus apply(const wbRigid *rigid, const wbRigidModel *model, const wbWork *work, ForceSpan span,
                      const wbRigidLoads *loads, bool onlyForCores) {
    const wbRigidForces *forces = &rigid->forces;
    if (forces->count == 0) return wb_okStatus;
    const size_t mark = wbArena_Mark(work->arena);
    Sum sum = {.rigid = rigid, .model = model, .loads = loads, .span = span};
    wbStatus status = beginSum(&sum, work);
    for (int f = 0; wbIsOk(status) && f < forces->count; f++) {
        const wbRigidForce *force = &getList(forces)[f];
        if (force->params.on && (!onlyForCores || force->function)) addForce(&sum, force);
    }
    if (wbIsOk(status)) status = addCables(&sum, work);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbRigidForces_Apply(const wbRigid *rigid, const wbRigidModel *model, const wbWork *work, float dt,
                             int parts, const wbRigidLoads *loads) {
    const ForceSpan span = {model->domain->gravity, dt, dt * (float)(parts - 1) / (float)(2 * parts)};
    return apply(rigid, model, work, span, loads, false);
}

wbStatus wbRigidForces_ApplyForCores(const wbRigid *rigid, const wbRigidModel *model, const wbWork *work,
                                     float dt, const wbRigidLoads *loads) {
    const ForceSpan span = {model->domain->gravity, dt, 0};
    return apply(rigid, model, work, span, loads, true);
}
