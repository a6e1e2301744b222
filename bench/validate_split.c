// SPDX-License-Identifier: MIT
// Cases of SPH once more, by the method split.
#include "bench/validate_case.h"

static wbStatus runSplit(wbValidateRun *run, wbCaseFn *sameCase) {
    run->isSplit = true;
    wbStatus status = sameCase(run);
    run->isSplit = false;
    return status;
}

wbStatus wbValidateSplitMomentum(wbValidateRun *run) { return runSplit(run, wbValidateMomentum); }
wbStatus wbValidateSplitHydrostatic(wbValidateRun *run) { return runSplit(run, wbValidateHydrostatic); }
wbStatus wbValidateSplitDamBreak(wbValidateRun *run) { return runSplit(run, wbValidateDamBreak); }
wbStatus wbValidateSplitStill(wbValidateRun *run) { return runSplit(run, wbValidateSphStill); }
wbStatus wbValidateSplitStillDeep(wbValidateRun *run) { return runSplit(run, wbValidateSphStillDeep); }
wbStatus wbValidateSplitLayers(wbValidateRun *run) { return runSplit(run, wbValidateSphLayers); }
wbStatus wbValidateSplitDropSwing(wbValidateRun *run) { return runSplit(run, wbValidateDropLiquid); }
wbStatus wbValidateSplitJet(wbValidateRun *run) { return runSplit(run, wbValidateSphJet); }
