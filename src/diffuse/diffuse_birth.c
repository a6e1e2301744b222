// SPDX-License-Identifier: MIT
// Where diffuse particles are born: where water traps air, and at the crests of waves, by its kinetic energy.
#include <math.h>

#include "core/hash.h"
#include "core/status.h"
#include "diffuse/diffuse.h"
#include "diffuse/diffuse_code.h"

/// A crest breaks where the water moves along its normal: the cosine between both (Ihmsen's eq. 6).
static const float leastFacing = 0.6f;
/// Of the normal of a flat surface: what is shorter is inside.
static const float leastNormal = 0.3f;

typedef struct Birth {
    wbDiffuse *diffuse;
    const wbDiffuseStep *step;
    const wbDiffuseLayer *layer;
    wbDiffusePotentials potentials;
    int *counts; ///< that each fluid particle bears
} Birth;

/// Random numbers of one fluid particle in one step: the same whichever thread asks, and in resumed runs.
typedef struct Dice {
    uint32_t state;
} Dice;

static Dice makeDice(const Birth *birth, uint32_t id) {
    const uint64_t step = (uint64_t)birth->diffuse->stepCount;
    uint32_t state = wbHash32(birth->step->seed ^ 0x5bd1e995u);
    state = wbHash32(state ^ (uint32_t)step * 0x9e3779b9u ^ (uint32_t)(step >> 32));
    return (Dice){wbHash32(state ^ id * 0x85ebca6bu)};
}

static float roll(Dice *dice) { return wbHashFloat(dice->state++); }

// Born per second (eq. 8), with speeds and energies over those of the shortest waves.
static float getRate(const Birth *birth, int i) {
    const wbDiffuseParams *p = birth->step->params;
    const wbDiffuseLayer *l = birth->layer;
    const float u = l->waveSpeed, v2 = l->vx[i] * l->vx[i] + l->vy[i] * l->vy[i] + l->vz[i] * l->vz[i];
    const float energy = wbRamp(v2 / (u * u), p->energyFrom, p->energyTo);
    const float trapped = wbRamp(birth->potentials.closing[i] / u, p->trappedFrom, p->trappedTo);
    const float crest = wbRamp(birth->potentials.bends[i], p->crestFrom, p->crestTo);
    return energy * (p->trappedRate * trapped + p->crestRate * crest);
}

static void count(int begin, int end, int worker, void *context) {
    const Birth *birth = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        Dice dice = makeDice(birth, birth->layer->id[i]);
        birth->counts[i] = (int)fminf(getRate(birth, i) * birth->step->dt + roll(&dice), 1e6f);
    }
}

// Two directions across a velocity, of length 1; in 2D the first is in the plane, the second 0.
static void findAxes(const float v[3], int dimensions, float e[2][3]) {
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), scale = length > 0 ? 1 / length : 0;
    wbVec3 d = {v[0] * scale, v[1] * scale, v[2] * scale};
    if (!(length > 0)) d = wbMakeVec3(0, 1, 0);
    wbVec3 one = dimensions == 2 ? wbMakeVec3(-d.y, d.x, 0)
                                 : wbCross(d, fabsf(d.y) < 0.9f ? wbMakeVec3(0, 1, 0) : wbMakeVec3(1, 0, 0));
    one = wbScale(1 / sqrtf(wbDot(one, one)), one);
    const wbVec3 two = dimensions == 2 ? wbMakeVec3(0, 0, 0) : wbCross(d, one);
    const float axes[2][3] = {{one.x, one.y, one.z}, {two.x, two.y, two.z}};
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++) e[k][a] = axes[k][a];
}

// In the cylinder that a fluid particle sweeps in the step (eqs. 9 to 11), with a part of the speed at which others come near it across.
static void bear(const Birth *birth, int i, Dice *dice) {
    wbDiffuse *d = birth->diffuse;
    const wbDiffuseLayer *l = birth->layer;
    const wbDiffuseParams *p = birth->step->params;
    const int n = d->count++, dimensions = birth->step->domain->dimensions;
    const float v[3] = {l->vx[i], l->vy[i], l->vz[i]}, x[3] = {l->x[i], l->y[i], l->z[i]};
    const float along = roll(dice), angle = 6.2831853f * roll(dice), wide = sqrtf(roll(dice));
    const float c = wide * cosf(angle), s = wide * sinf(angle),
                scatter = p->scatter * birth->potentials.closing[i];
    float e[2][3], *const to[3] = {d->x, d->y, d->z}, *const speeds[3] = {d->vx, d->vy, d->vz};
    findAxes(v, dimensions, e);
    for (int a = 0; a < 3; a++) {
        const float across = c * e[0][a] + s * e[1][a];
        to[a][n] = x[a] + 0.5f * l->spacing * across + along * birth->step->dt * v[a];
        speeds[a][n] = v[a] + scatter * across;
    }
    d->age[n] = 0, d->left[n] = p->lifetime * (0.5f + roll(dice));
    d->kind[n] = (uint32_t)wbClassifyDiffuse(p, (birth->potentials.count[i] + 1) / l->full);
    d->id[n] = d->nextId++;
}

// Beyond the limit births are left out evenly: of `wanted` the k-th comes where k room / wanted passes a whole number.
static wbStatus bearAll(Birth *birth) {
    wbDiffuse *d = birth->diffuse;
    int64_t wanted = 0, k = 0;
    for (int i = 0; i < birth->layer->count; i++) wanted += birth->counts[i];
    int64_t room = birth->step->params->limit - (int64_t)d->count;
    room = room < 0 ? 0 : room < wanted ? room : wanted;
    WB_TRY(wbDiffuse_Reserve(d, birth->step->work->memory, d->count + (int)room));
    for (int i = 0; i < birth->layer->count; i++) {
        if (birth->counts[i] == 0) continue;
        Dice dice = makeDice(birth, birth->layer->id[i]);
        (void)roll(&dice); // that of the count
        for (int n = 0; n < birth->counts[i]; n++, k++)
            if ((k + 1) * room / wanted > k * room / wanted) bear(birth, i, &dice);
    }
    d->born += room, d->refused += wanted - room;
    return wb_okStatus;
}

static bool allocate(Birth *birth) {
    wbArena *arena = birth->step->work->arena;
    const int count = birth->layer->count, padded = wbPadCount(count) + WB_PADDING;
    wbDiffusePotentials *p = &birth->potentials;
    float **const columns[] = {&p->closing,    &p->count,      &p->bends,
                               &p->normals[0], &p->normals[1], &p->normals[2]};
    bool hasRoom = (birth->counts = wbArena_Alloc(arena, (size_t)padded * sizeof(int))) != NULL;
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        float *column = *columns[c] = wbArena_Alloc(arena, (size_t)padded * sizeof(float));
        hasRoom = hasRoom && column;
        for (int i = count; column && i < padded; i++) column[i] = 0; // read by whole vectors
    }
    return hasRoom;
}

static wbStatus bearFrom(wbDiffuse *d, const wbDiffuseStep *step, const wbDiffuseLayer *layer) {
    const wbWork *work = step->work;
    const wbDiffuseCode *code = wbGetDiffuseCode(work->simd);
    Birth birth = {
        .diffuse = d,
        .step = step,
        .layer = layer,
        .potentials = {.layer = layer,
                       .leastSpeed2 = step->params->energyFrom * layer->waveSpeed * layer->waveSpeed,
                       .leastNormal = leastNormal * layer->halfNormal,
                       .leastFacing = leastFacing}};
    if (!allocate(&birth)) return wbMemoryError(work->memory, "births near %d particles need", layer->count);
    wbParallelFor(work->pool, layer->count, WB_BLOCK, code->potentials, &birth.potentials);
    wbParallelFor(work->pool, layer->count, WB_BLOCK, code->bends, &birth.potentials);
    wbParallelFor(work->pool, layer->count, WB_BLOCK, count, &birth);
    return bearAll(&birth);
}

wbStatus wbDiffuse_Bear(wbDiffuse *d, const wbDiffuseStep *step) {
    wbStatus status = wb_okStatus;
    for (int l = 0; l < d->layerCount && wbIsOk(status); l++) {
        const size_t mark = wbArena_Mark(step->work->arena);
        if (d->layers[l].isFinest && d->layers[l].count > 0) status = bearFrom(d, step, &d->layers[l]);
        wbArena_Release(step->work->arena, mark);
    }
    return status;
}
