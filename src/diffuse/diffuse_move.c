// SPDX-License-Identifier: MIT
// How diffuse particles move: spray by gravity and air, foam with the water, bubbles up through it.
#include <math.h>

#include "core/status.h"
#include "diffuse/diffuse.h"
#include "diffuse/diffuse_code.h"

typedef struct Move {
    wbDiffuse *diffuse;
    const wbDiffuseStep *step;
    wbDiffuseSamples samples;
    uint8_t *isGone;
    float reach;       ///< m, of the finest layer
    float bubbleShare; ///< of a bubble's velocity against the water that a step leaves
    float up[3];       ///< against gravity
} Move;

// m, at most `reach`, that a point is inside of a side; fminf and fmaxf would be calls.
static float getRoom(float distance, float reach) {
    return distance < 0 ? 0 : distance < reach ? distance : reach;
}

// Share of the cube around a point that is between closed sides: what is behind them would be water, too.
static float getOpenShare(const wbDomain *domain, const float p[3], float reach) {
    float share = 1;
    for (int a = 0; a < domain->dimensions; a++) {
        const float low = domain->closed[2 * a] ? getRoom(p[a] - domain->min[a], reach) : reach;
        const float high = domain->closed[2 * a + 1] ? getRoom(domain->max[a] - p[a], reach) : reach;
        share *= (low + high) / (2 * reach);
    }
    return share > 0.125f ? share : 0.125f; // a corner's
}

// Eq. 12 with drag by the square of the speed, implicit: it never turns it round.
static void fly(const Move *move, const float place[3], float v[3]) {
    const wbVec3 g = move->step->domain->gravity;
    const float dt = move->step->dt;
    if (move->step->blow) {
        move->step->blow(place, v, dt, move->step->context);
        return;
    }
    v[0] += dt * g.x, v[1] += dt * g.y, v[2] += dt * g.z;
    const float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const float kept = 1 / (1 + move->step->params->airDrag * speed * dt);
    for (int a = 0; a < 3; a++) v[a] *= kept;
}

// Foam has the water's velocity (eq. 14). A bubble rises at its final speed against the water around it, and comes there by drag:
// eq. 13 for any step.
static void follow(const Move *move, int i, wbDiffuseKind kind, float v[3]) {
    const bool isBubble = kind == wb_diffuseBubble;
    for (int a = 0; a < 3; a++) {
        const float rise = isBubble ? move->step->params->bubbleRise * move->up[a] : 0;
        const float aim = move->samples.v[a][i] + rise;
        v[a] = aim + (v[a] - aim) * (isBubble ? move->bubbleShare : 0);
    }
}

static wbDiffuseKind classify(const Move *move, int i, const float p[3]) {
    const float share = getOpenShare(move->step->domain, p, move->reach);
    return wbClassifyDiffuse(move->step->params, move->samples.fullness[i] / share);
}

// Foam and bubbles stay within closed sides; spray that meets one, or a collider, wets it.
static bool place(const Move *move, int kind, const float from[3], float to[3]) {
    const wbDomain *domain = move->step->domain;
    if (kind == wb_diffuseSpray) {
        wbIsBlockedFn *isBlocked = move->step->isBlocked;
        return !wbDomain_IsBeyond(domain, to, 0) && !(isBlocked && isBlocked(from, to, move->step->context));
    }
    for (int a = 0; a < domain->dimensions; a++) {
        if (domain->closed[2 * a] && to[a] < domain->min[a]) to[a] = domain->min[a];
        if (domain->closed[2 * a + 1] && to[a] > domain->max[a]) to[a] = domain->max[a];
    }
    return true;
}

// Spray and bubbles last as well, the latter four times as long: they come up as foam.
static float getAging(wbDiffuseKind kind) { return kind == wb_diffuseBubble ? 0.25f : 1; }

static void moveOne(const Move *move, int i) {
    wbDiffuse *d = move->diffuse;
    const wbDiffuseSamples *s = &move->samples;
    const float dt = move->step->dt, from[3] = {d->x[i], d->y[i], d->z[i]};
    float v[3] = {d->vx[i], d->vy[i], d->vz[i]}, to[3];
    wbDiffuseKind kind = (wbDiffuseKind)d->kind[i];
    const bool isAsked = !((d->id[i] ^ s->turn) & 1);
    if (isAsked) kind = classify(move, i, from);
    if (kind == wb_diffuseSpray) fly(move, from, v);
    if (isAsked && kind != wb_diffuseSpray) follow(move, i, kind, v);
    if (move->step->domain->dimensions == 2) v[2] = 0;
    for (int a = 0; a < 3; a++) to[a] = from[a] + dt * v[a];
    const bool isLeft = place(move, (int)kind, from, to);
    d->x[i] = to[0], d->y[i] = to[1], d->z[i] = to[2];
    d->vx[i] = v[0], d->vy[i] = v[1], d->vz[i] = v[2];
    d->kind[i] = (uint32_t)kind;
    d->age[i] += dt, d->left[i] -= dt * getAging(kind);
    const float sum = to[0] + to[1] + to[2] + v[0] + v[1] + v[2];
    move->isGone[i] = !isLeft || !(d->left[i] > 0) || !isfinite(sum);
}

static void moveRange(int begin, int end, int worker, void *context) {
    (void)worker;
    for (int i = begin; i < end; i++) moveOne(context, i);
}

static void removeGone(wbDiffuse *d, const uint8_t *isGone) {
    wbColumn columns[WB_DIFFUSE_STATE_COLUMNS];
    int count = 0;
    wbDiffuse_ListColumns(d, columns);
    for (int c = 0; c < WB_DIFFUSE_STATE_COLUMNS; c++) {
        uint32_t *values = *(uint32_t **)columns[c].data;
        count = 0;
        for (int i = 0; i < d->count; i++)
            if (!isGone[i]) values[count++] = values[i];
    }
    d->count = count;
}

static bool allocate(Move *move, int count) {
    wbArena *arena = move->step->work->arena;
    const size_t bytes = (size_t)wbPadCount(count) * sizeof(float);
    move->isGone = wbArena_Alloc(arena, (size_t)count);
    move->samples.fullness = wbArena_Alloc(arena, bytes);
    for (int a = 0; a < 3; a++) move->samples.v[a] = wbArena_Alloc(arena, bytes);
    return move->isGone && move->samples.fullness && move->samples.v[0] && move->samples.v[1] &&
           move->samples.v[2];
}

static void run(Move *move) {
    const wbWork *work = move->step->work;
    const int count = move->diffuse->count;
    const wbVec3 g = move->step->domain->gravity;
    const float gravity = sqrtf(wbDot(g, g)), scale = gravity > 0 ? -1 / gravity : 0;
    move->up[0] = g.x * scale, move->up[1] = g.y * scale, move->up[2] = g.z * scale;
    move->bubbleShare = expf(-move->step->params->bubbleDrag * 2 * move->step->dt); // from turn to turn
    wbParallelFor(work->pool, count, WB_BLOCK, wbGetDiffuseCode(work->simd)->samples, &move->samples);
    wbParallelFor(work->pool, count, WB_BLOCK, moveRange, move);
    removeGone(move->diffuse, move->isGone);
}

wbStatus wbDiffuse_Move(wbDiffuse *d, const wbDiffuseStep *step) {
    if (d->count == 0) return wb_okStatus;
    const size_t mark = wbArena_Mark(step->work->arena);
    Move move = {.diffuse = d,
                 .step = step,
                 .samples = {.layers = d->layers,
                             .layerCount = d->layerCount,
                             .x = d->x,
                             .y = d->y,
                             .z = d->z,
                             .id = d->id,
                             .turn = (uint32_t)d->stepCount},
                 .reach = d->layerCount > 0 ? d->layers[0].radius : 1};
    const bool hasRoom = allocate(&move, d->count);
    if (hasRoom) run(&move);
    wbArena_Release(step->work->arena, mark);
    return hasRoom ? wb_okStatus : wbMemoryError(step->work->memory, "%d diffuse particles need", d->count);
}
