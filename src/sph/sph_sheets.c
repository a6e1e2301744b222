// SPDX-License-Identifier: MIT
#include "sph/sph_sheets.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/timer.h"

static int getCount(const wbSphSheets *sheets) { return sheets->fluid->particles->count; }

// What they take is theirs, not a phase of the fluid's.
static void leaveOut(const wbSphSheets *sheets, double since) {
    sheets->fluid->mark += wbGetSeconds() - since;
}

// Where particles are, and where they would be after the drift.
static wbStatus placeParticles(wbSphSheets *sheets, float drift) {
    const wbFluidStep *fluid = sheets->fluid;
    const wbParticles *p = fluid->particles;
    const wbVec3 g = sheets->model->domain->gravity;
    float *starts = wbFluidStep_AllocPositions(fluid, 1), *places = wbFluidStep_AllocPositions(fluid, 1),
          *moved = wbFluidStep_AllocZeros(fluid, 4 * wbPadCount(p->count)),
          *sums = wbFluidStep_AllocZeros(fluid, 4 * wbPadCount(p->count)),
          *nearing = wbFluidStep_AllocZeros(fluid, p->count);
    if (!starts || !places || !moved || !sums || !nearing) return wbFluidStep_FailByMemory(fluid);
    for (int i = 0; i < p->count; i++) {
        const float way[3] = {drift * (p->vx[i] + drift * g.x), drift * (p->vy[i] + drift * g.y),
                              drift * (p->vz[i] + drift * g.z)};
        float *from = starts + 4 * (size_t)i, *to = places + 4 * (size_t)i;
        from[0] = p->x[i], from[1] = p->y[i], from[2] = p->z[i], from[3] = 1;
        for (int a = 0; a < 3; a++) to[a] = from[a] + way[a];
        to[3] = 1;
    }
    wbFluidStep_MirrorPositions(fluid, starts);
    sheets->swarm.starts = starts, sheets->swarm.places = places, sheets->swarm.moved = moved;
    sheets->sums = sums, sheets->nearing = nearing;
    return wb_okStatus;
}

wbStatus wbSphSheets_Find(wbSphSheets *sheets, const wbSphPass *pass, wbSheetSwarm part, float drift) {
    const wbFluidStep *fluid = pass->fluid;
    const wbSphModel *model = pass->model;
    const double start = wbGetSeconds();
    sheets->model = model;
    sheets->room = wbGetRoom(fluid->domain, model->spacing);
    sheets->swarm = (wbSheetSwarm){.count = fluid->particles->count,
                                   .firstGhost = fluid->firstGhost,
                                   .dummy = fluid->dummy,
                                   .ghosts = &fluid->ghosts,
                                   .kernel = model->params.kernel == wb_kernelWendland ? wb_sheetWendland
                                                                                       : wb_sheetMuller,
                                   .h = model->h,
                                   .spacing = model->spacing,
                                   .mass = model->mass,
                                   .relative = pass->relative,
                                   .share = 1,
                                   .dt = part.dt,
                                   .from = part.from,
                                   .to = part.to,
                                   .isSharp = true,
                                   .isAtStart = true,
                                   .room = &sheets->room};
    WB_TRY(placeParticles(sheets, drift));
    const wbFluidSheets *own = sheets->sheets;
    WB_TRY(own->find(&sheets->swarm, fluid->work, own->context));
    leaveOut(sheets, start);
    return wb_okStatus;
}

void wbSphSheets_AddDensity(wbSphSheets *sheets, float *boundarySums) {
    const wbFluidStep *fluid = sheets->fluid;
    const wbFluidSheets *own = sheets->sheets;
    const double start = wbGetSeconds();
    own->cut(&sheets->swarm, &fluid->search->neighbours, fluid->work, own->context);
    own->add(&sheets->swarm, sheets->sums, NULL, fluid->work, own->context);
    for (int i = 0; i < getCount(sheets); i++) boundarySums[i] += sheets->sums[4 * (size_t)i + 3];
    leaveOut(sheets, start);
}

// m F of a sum: the table's gradient is in spacings.
static double getScale(const wbSphSheets *sheets) {
    const SphConstants *c = &sheets->model->constants;
    return (double)c->gradientScale *
           (sheets->swarm.kernel == wb_sheetWendland ? (double)sheets->swarm.spacing : 1);
}

typedef struct ForceTask {
    const wbSphSheets *sheets;
    const wbSphPass *pass;
    float scale;
} ForceTask;

static void forcesRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const ForceTask *task = context;
    const wbSphPass *pass = task->pass;
    for (int i = begin; i < end; i++) {
        const float *sum = task->sheets->sums + 4 * (size_t)i;
        const float along = task->scale * pass->velocityRecords[4 * (size_t)i + 3];
        pass->ax[i] += along * sum[0], pass->ay[i] += along * sum[1], pass->az[i] += along * sum[2];
    }
}

// As the mean pressure of the water before it: it is as high behind a plane.
void wbSphSheets_AddForces(const wbSphSheets *sheets, const wbSphPass *pass, bool isLasting) {
    const wbWork *work = sheets->fluid->work;
    const double start = wbGetSeconds(),
                 share = pass->model->params.boundaryPressure == wb_boundaryPlain ? 1 : 2,
                 scale = share * getScale(sheets), dt = (double)sheets->swarm.dt;
    ForceTask task = {sheets, pass, (float)scale};
    wbParallelFor(work->pool, getCount(sheets), WB_BLOCK, forcesRange, &task);
    if (isLasting) {
        const wbSheetPush push = {pass->velocityRecords + 3, 4, -dt * dt * sheets->swarm.mass * scale, true};
        sheets->sheets->push(&sheets->swarm, &push, work, sheets->sheets->context);
    }
    leaveOut(sheets, start);
}

void wbSphSheets_AddNearing(const wbSphSheets *sheets, float *const columns[4]) {
    const wbSheetSwarm *swarm = &sheets->swarm;
    const double start = wbGetSeconds();
    const float scale = (float)(getScale(sheets) * (double)sheets->model->constants.inverseRestDensity);
    memset(sheets->nearing, 0, sizeof(float) * (size_t)swarm->count);
    sheets->sheets->near(swarm, sheets->nearing, sheets->fluid->work, sheets->sheets->context);
    for (int i = 0; i < swarm->count; i++) {
        for (int a = 0; a < 3; a++) columns[a][i] += scale * sheets->sums[4 * (size_t)i + a];
        columns[3][i] += scale * sheets->nearing[i];
    }
    leaveOut(sheets, start);
}

void wbSphSheets_Push(const wbSphSheets *sheets, const float *pressures, int stride, float *given) {
    const wbSheetSwarm *swarm = &sheets->swarm;
    const double start = wbGetSeconds(), dt = (double)swarm->dt,
                 scale = getScale(sheets) * (double)sheets->model->constants.inverseRestDensity;
    float *change = sheets->nearing; // which is not needed now
    for (int i = 0; i < swarm->count; i++) {
        const float own = pressures[(size_t)stride * (size_t)i];
        change[i] = own - given[i], given[i] = own;
    }
    const wbSheetPush push = {change, 1, -dt * dt * swarm->mass * scale, false};
    sheets->sheets->push(swarm, &push, sheets->fluid->work, sheets->sheets->context);
    leaveOut(sheets, start);
}

// Places as they are now, of which holding has moved none yet.
static void readPlaces(const wbSphSheets *sheets) {
    const wbParticles *p = sheets->fluid->particles;
    for (int i = 0; i < p->count; i++) {
        float *to = sheets->swarm.places + 4 * (size_t)i;
        to[0] = p->x[i], to[1] = p->y[i], to[2] = p->z[i];
    }
}

// By less than a hair they are put back without a push.
static bool isMoved(const wbSphSheets *sheets, int i) {
    const wbParticles *p = sheets->fluid->particles;
    const float *to = sheets->swarm.places + 4 * (size_t)i, *moved = sheets->swarm.moved + 4 * (size_t)i;
    return to[0] != p->x[i] || to[1] != p->y[i] || to[2] != p->z[i] || moved[0] != 0 || moved[1] != 0 ||
           moved[2] != 0;
}

static void takePlace(const wbSphSheets *sheets, int i, float *const start[3], float (*maxima)[2]) {
    const wbParticles *p = sheets->fluid->particles;
    const float *to = sheets->swarm.places + 4 * (size_t)i, *moved = sheets->swarm.moved + 4 * (size_t)i;
    const float rate = 1 / (sheets->swarm.to * sheets->swarm.dt);
    float *const x[3] = {p->x, p->y, p->z}, *const v[3] = {p->vx, p->vy, p->vz};
    float speed2 = 0;
    for (int a = 0; a < 3; a++) {
        x[a][i] = to[a], v[a][i] += rate * moved[a];
        if (start) start[a][i] += rate * moved[a];
        speed2 += v[a][i] * v[a][i];
    }
    float *most = maxima[i / WB_BLOCK];
    if (!(speed2 <= most[0])) most[0] = isfinite(most[0]) ? speed2 : most[0];
}

void wbSphSheets_Hold(wbSphSheets *sheets, float *const start[3], float (*maxima)[2]) {
    const double begin = wbGetSeconds();
    readPlaces(sheets);
    sheets->sheets->hold(&sheets->swarm, sheets->fluid->work, sheets->sheets->context);
    for (int i = 0; i < getCount(sheets); i++)
        if (isMoved(sheets, i)) takePlace(sheets, i, start, maxima);
    leaveOut(sheets, begin);
}
