// SPDX-License-Identifier: MIT
// The solver of exact contacts on a compute device: what is queued for each sub-step, as in rigid_exact.c.
#include "core/status.h"
#include "rigid/rigid_exact_state.h"

// Items have as many contacts as lanes: small groups, or one core would do a colour alone.
enum { laneGroup = 4 };

wbStatus wbDeviceStep_RunLanes(const wbDeviceStep *step, wbGpuKernel *kernel, int count, const wbGpuArg *args,
                               int argCount) {
    wbGpu *gpu = step->device->gpu;
    const int lanes = wbGpu_GetLanes(gpu), items = (count + lanes - 1) / lanes;
    if (lanes == 1 || items == 0) return wbGpu_Run(gpu, kernel, items, args, argCount);
    return wbGpu_RunGroups(gpu, kernel, (items + laneGroup - 1) / laneGroup, laneGroup, args, argCount);
}

// Passes over contacts

static RigidPass makePass(const wbDeviceStep *step, int kind, int first, int count) {
    return (RigidPass){.terms = step->terms.terms,
                       .kind = kind,
                       .rolls = step->rolls,
                       .bounces = step->bounces,
                       .first = first,
                       .count = count};
}

static bool isShort(const wbRigidExactGpu *d, int colour) {
    const int *firsts = d->colourFirsts.data;
    return firsts[colour + 1] - firsts[colour] <= RIGID_TAIL_GROUP;
}

static wbStatus solveColour(const wbDeviceStep *step, int kind, int sweep, int colour) {
    wbRigidExactGpu *d = step->device;
    const int *firsts = d->colourFirsts.data, count = firsts[colour + 1] - firsts[colour];
    const bool bounces = kind == PASS_BOUNCE || kind == PASS_SCRAPE;
    RigidPass own = makePass(step, kind, firsts[colour], count);
    own.sweep = sweep;
    const wbGpuArg args[] = {
        WB_GPU_STRUCT(own),           WB_GPU_BUFFER(d->contactRows), WB_GPU_BUFFER(d->constraints),
        WB_GPU_BUFFER(d->bodies),     WB_GPU_BUFFER(d->masses),      WB_GPU_BUFFER(d->bounces),
        WB_GPU_BUFFER(d->bounceFlags)};
    return wbDeviceStep_RunLanes(step, bounces ? d->kernels.bounce : d->kernels.solve, count, args,
                                 bounces ? 7 : 6);
}

static wbStatus solveShort(const wbDeviceStep *step, int kind, int sweep, int first, int last) {
    wbRigidExactGpu *d = step->device;
    const bool bounces = kind == PASS_BOUNCE || kind == PASS_SCRAPE;
    RigidPass own = makePass(step, kind, first, last - first);
    own.sweep = sweep;
    const wbGpuArg args[] = {WB_GPU_STRUCT(own),
                             WB_GPU_BUFFER(d->colourStarts),
                             WB_GPU_BUFFER(d->contactRows),
                             WB_GPU_BUFFER(d->constraints),
                             WB_GPU_BUFFER(d->bodies),
                             WB_GPU_BUFFER(d->masses),
                             WB_GPU_BUFFER(d->bounces),
                             WB_GPU_BUFFER(d->bounceFlags)};
    return wbGpu_RunGroups(d->gpu, bounces ? d->kernels.bounce_tail : d->kernels.solve_tail, 1,
                           wbGpu_GetLanes(d->gpu) == 1 ? RIGID_TAIL_GROUP : laneGroup, args, bounces ? 8 : 7);
}

static wbStatus pass(const wbDeviceStep *step, int kind, int sweep) {
    const wbRigidExactGpu *d = step->device;
    for (int colour = 0, last; colour < d->colourCount; colour = last) {
        for (last = colour; last < d->colourCount && isShort(d, last); last++) {
        }
        if (last > colour)
            WB_TRY(solveShort(step, kind, sweep, colour, last));
        else
            WB_TRY(solveColour(step, kind, sweep, last++));
    }
    return wb_okStatus;
}

// Bodies

static wbStatus kick(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int rows = d->bodyCount + RIGID_SIDES;
    return wbGpu_Run(d->gpu, d->kernels.kick, rows,
                     WB_GPU_ARGS(WB_GPU_INT(rows), WB_GPU_BUFFER(d->kicks), WB_GPU_BUFFER(d->starts),
                                 WB_GPU_BUFFER(d->bodies)));
}

static wbStatus hold(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int rows = d->bodyCount + RIGID_SIDES;
    return wbGpu_Run(d->gpu, d->kernels.hold, rows,
                     WB_GPU_ARGS(WB_GPU_INT(rows), WB_GPU_BUFFER(d->bodies), WB_GPU_BUFFER(d->starts)));
}

static wbStatus move(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    return wbDeviceStep_Run(step, d->kernels.move, d->bodyCount + RIGID_SIDES,
                            WB_GPU_ARGS(WB_GPU_BUFFER(d->terms), WB_GPU_BUFFER(d->bits),
                                        WB_GPU_BUFFER(d->starts), WB_GPU_BUFFER(d->bodies),
                                        WB_GPU_BUFFER(d->tops), WB_GPU_BUFFER(d->jointTurns),
                                        WB_GPU_BUFFER(d->jointMasses)));
}

// Needles turn for as long as they waited.
static wbStatus endWaiting(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    return wbDeviceStep_Run(step, d->kernels.swing, d->bodyCount,
                            WB_GPU_ARGS(WB_GPU_BUFFER(d->terms), WB_GPU_BUFFER(d->bits),
                                        WB_GPU_BUFFER(d->bodies), WB_GPU_BUFFER(d->tops)));
}

// Restitution

static wbStatus readFlag(const wbDeviceStep *step, int index, int *flag) {
    return wbGpu_DownloadAt(step->device->gpu, &step->device->bounceFlags, sizeof(int) * (size_t)index, flag,
                            sizeof *flag);
}

static wbStatus meet(const wbDeviceStep *step, int *meets) {
    wbRigidExactGpu *d = step->device;
    const RigidPass own = makePass(step, PASS_MEET, 0, step->slotCount);
    WB_TRY(wbGpu_Fill(d->gpu, &d->bounceFlags, 0, sizeof(int[BOUNCE_SWEEPS + 1])));
    WB_TRY(wbDeviceStep_RunLanes(step, d->kernels.meet, own.count,
                                 WB_GPU_ARGS(WB_GPU_STRUCT(own), WB_GPU_BUFFER(d->contactRows),
                                             WB_GPU_BUFFER(d->constraints), WB_GPU_BUFFER(d->bodies),
                                             WB_GPU_BUFFER(d->masses), WB_GPU_BUFFER(d->bounces),
                                             WB_GPU_BUFFER(d->kicks), WB_GPU_BUFFER(d->bounceFlags))));
    return readFlag(step, 0, meets);
}

// A sweep after one that changed nothing does nothing: the host need not look after each.
static wbStatus sweepAll(const wbDeviceStep *step) {
    int isLeft = 1;
    for (int sweep = 0; sweep < BOUNCE_SWEEPS && isLeft; sweep += BOUNCE_RUN) {
        for (int k = 0; k < BOUNCE_RUN; k++) WB_TRY(pass(step, PASS_BOUNCE, sweep + k));
        WB_TRY(readFlag(step, sweep + BOUNCE_RUN, &isLeft));
    }
    return wb_okStatus;
}

// What meets bounces, then what meets by that, until nothing does, as on the cores. Where nothing meets, four bytes come back.
static wbStatus bounce(const wbDeviceStep *step) {
    int meets;
    if (!step->bounces || step->slotCount == 0) return wb_okStatus;
    WB_TRY(meet(step, &meets));
    if (!meets) return wb_okStatus;
    WB_TRY(hold(step));
    for (int round = 0; round < step->slotCount && meets; round++) {
        WB_TRY(sweepAll(step));
        WB_TRY(pass(step, PASS_SCRAPE, 0));
        WB_TRY(meet(step, &meets));
    }
    return hold(step);
}

wbStatus wbDeviceStep_DoSubSteps(const wbDeviceStep *step) {
    wbGpu_SetPhase(step->device->gpu, wb_rigid_solve);
    WB_TRY(wbDeviceStep_BeginJoints(step));
    for (int s = 0; s < step->subSteps; s++) {
        WB_TRY(kick(step));
        if (s == 0) WB_TRY(pass(step, PASS_WARM, 0));
        WB_TRY(bounce(step));
        // joints first: contacts, which are harder to bear, have the last word
        WB_TRY(wbDeviceStep_SolveJoints(step, wb_passWarmStart));
        WB_TRY(wbDeviceStep_SolveJoints(step, wb_passBias));
        WB_TRY(pass(step, PASS_BIAS, 0));
        WB_TRY(move(step));
        WB_TRY(wbDeviceStep_SolveJoints(step, wb_passRelax));
        WB_TRY(pass(step, PASS_RELAX, 0));
    }
    return step->hasNeedles ? endWaiting(step) : wb_okStatus;
}
