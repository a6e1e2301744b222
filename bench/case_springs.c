// SPDX-License-Identifier: MIT
#include "bench/case_springs.h"

#include "core/status.h"
#include "pbd/pbd_build.h"

static const float springLength = 0.1f, compliance = 1e-4f; // m, m/N

wbStatus wbHangSprings(wbCaseSolids *solids) {
    wbPbdBody row;
    WB_TRY(wbBuildRope(&solids->pbd, &solids->work, wbMakeVec3(0, 0, 0),
                       wbMakeVec3(0, -WB_CASE_LINKS * springLength, 0), WB_CASE_LINKS + 1, false, 1, &row));
    solids->pbd.w[0] = 0;
    solids->model.params.method = wb_methodXpbd, solids->model.params.compliance = compliance;
    solids->model.params.drag = 4;
    return wb_okStatus;
}

// The first spring bears all particles, the last a single one: 20 21 / 2 in all.
static const double loads = WB_CASE_LINKS * (WB_CASE_LINKS + 1) / 2.0;

double wbGetSpringStretch(const wbCaseSolids *solids) {
    double g = -(double)solids->model.gravity.y;
    double stretch = -(double)solids->pbd.y[WB_CASE_LINKS] - WB_CASE_LINKS * (double)springLength;
    return stretch / (loads * g * (double)compliance);
}

wbStatus wbHoldRope(wbCaseSolids *solids) {
    wbPbdBody rope;
    WB_TRY(wbBuildRope(&solids->pbd, &solids->work, wbMakeVec3(0, 0, 0), wbMakeVec3(WB_CASE_LINKS, 0, 0),
                       WB_CASE_LINKS + 1, false, 1, &rope));
    solids->pbd.w[0] = 0;
    return wb_okStatus;
}

double wbGetRopeEnergy(const wbCaseSolids *solids) {
    const wbPbd *pbd = &solids->pbd;
    double g = -(double)solids->model.gravity.y, energy = loads * g;
    for (int i = 1; i < pbd->count; i++)
        energy += g * pbd->y[i] + 0.5 * ((double)pbd->vx[i] * pbd->vx[i] + (double)pbd->vy[i] * pbd->vy[i] +
                                         (double)pbd->vz[i] * pbd->vz[i]);
    return energy / (loads * g);
}
