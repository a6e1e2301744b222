// SPDX-License-Identifier: MIT
#include "smoke/smoke_diffusion.h"

static double sumRange(wbDiffusion *d, wbRangeFn *range) {
    int planes = d->task.kind->count[1];
    double sum = 0;
    wbParallelFor(d->work->pool, planes, 1, range, &d->task);
    for (int j = 0; j < planes; j++) sum += d->task.sums[j];
    return sum;
}

void wbDiffuse(wbDiffusion *d) {
    const wbSmokeCode *code = wbGetSmokeCode(d->work->simd);
    int planes = d->task.kind->count[1];
    wbThreadPool *pool = d->work->pool;
    d->walls->fillHalo(d, d->task.u, false);
    wbParallelFor(pool, planes, 1, code->laplace, &d->task);
    d->walls->correct(d, d->task.u, d->task.residual, false);
    d->task.turn = d->task.along = 0;
    wbParallelFor(pool, planes, 1, code->turn, &d->task);
    double left = sumRange(d, code->advance), enough = d->tolerance * d->tolerance * left;
    for (int n = 0; n < WB_DIFFUSION_ITERATIONS && left > enough; n++) {
        d->walls->fillHalo(d, d->task.direction, true);
        wbParallelFor(pool, planes, 1, code->apply, &d->task);
        d->walls->correct(d, d->task.direction, d->task.product, true);
        double along = left / sumRange(d, code->dotProduct), before = left;
        d->task.along = (float)along;
        left = sumRange(d, code->advance);
        d->task.turn = (float)(left / before);
        wbParallelFor(pool, planes, 1, code->turn, &d->task);
    }
}
