// SPDX-License-Identifier: MIT
// How long a step may be, for every integrator and equation of state.
#include "bench/stable_step.h"
#include "core/status.h"

wbStatus wbValidateStableStep(wbValidateRun *run) {
    static const char *const quantities[WB_INTEGRATORS][WB_EQUATIONS] = {
        {"largest stable step, euler, linear", "largest stable step, euler, tait"},
        {"largest stable step, symplectic, linear", "largest stable step, symplectic, tait"},
        {"largest stable step, leapfrog, linear", "largest stable step, leapfrog, tait"},
    };
    wbStableSteps steps;
    WB_TRY(wbFindStableSteps(run, &steps));
    for (int i = 0; i < WB_INTEGRATORS && !run->stopped; i++)
        for (int e = 0; e < WB_EQUATIONS; e++) {
            bool isJudged = i == wb_integratorLeapfrog;
            wbReportQuantity(run, (wbQuantity){.quantity = quantities[i][e],
                                               .unit = "s",
                                               .value = steps.dt[i][e],
                                               .reference = isJudged ? 0.006 : 0,
                                               .judgement = isJudged ? wb_atLeast : wb_noted,
                                               .source = isJudged ? "wanted: 30 minutes at 0.006 s" : "-"});
        }
    return wb_okStatus;
}
