// SPDX-License-Identifier: MIT
#include "bench/case_springs.h"

#include "core/status.h"
#include "pbd/pbd_build.h"

static const float springLength = 0.1f, compliance = 1e-4f; // m, m/N

wbStatus wbHangSprings(wbCaseBodies *bodies) {
    wbPbdBody row;
    WB_TRY(wbBuildRope(&bodies->pbd, &bodies->work, wbMakeVec3(0, 0, 0),
                       wbMakeVec3(0, -WB_CASE_LINKS * springLength, 0), WB_CASE_LINKS + 1, false, 1, &row));
    bodies->pbd.w[0] = 0;
    bodies->model.params.method = wb_methodXpbd, bodies->model.params.compliance = compliance;
    bodies->model.params.drag = 4;
    return wb_okStatus;
}

// The first spring bears all particles, the last a single one: 20 21 / 2 in all.
static const double loads = WB_CASE_LINKS * (WB_CASE_LINKS + 1) / 2.0;

double wbGetSpringStretch(const wbCaseBodies *bodies) {
    double g = -(double)bodies->domain.gravity.y;
    double stretch = -(double)bodies->pbd.y[WB_CASE_LINKS] - WB_CASE_LINKS * (double)springLength;
    return stretch / (loads * g * (double)compliance);
}

wbStatus wbHoldRope(wbCaseBodies *bodies) {
    wbPbdBody rope;
    WB_TRY(wbBuildRope(&bodies->pbd, &bodies->work, wbMakeVec3(0, 0, 0), wbMakeVec3(WB_CASE_LINKS, 0, 0),
                       WB_CASE_LINKS + 1, false, 1, &rope));
    bodies->pbd.w[0] = 0;
    return wb_okStatus;
}

double wbGetRopeEnergy(const wbCaseBodies *bodies) {
    const wbPbd *pbd = &bodies->pbd;
    double g = -(double)bodies->domain.gravity.y, energy = loads * g;
    for (int i = 1; i < pbd->count; i++)
        energy += g * pbd->y[i] + 0.5 * ((double)pbd->vx[i] * pbd->vx[i] + (double)pbd->vy[i] * pbd->vy[i] +
                                         (double)pbd->vz[i] * pbd->vz[i]);
    return energy / (loads * g);
}
