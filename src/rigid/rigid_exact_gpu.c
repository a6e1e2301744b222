// SPDX-License-Identifier: MIT
#include "rigid/rigid_exact_gpu.h"

#include <math.h>
#include <string.h>

#include "core/status.h"
#include "rigid/rigid_exact_state.h"

extern const char wb_clReal[], wb_clMath[], wb_clPose[], wb_clShapeDevice[], wb_clManifoldDevice[],
    wb_clCollideBallFormula[], wb_clCollideFollowFormula[], wb_clCollideGroundFormula[],
    wb_clCollideChooseFormula[], wb_clCollideThinFormula[], wb_clRigidConstants[], wb_clRigidVectorFormula[],
    wb_clRigidFormula[], wb_clRigidManifoldFormula[], wb_clRigidSolveFormula[], wb_clRigidBounceFormula[],
    wb_clRigidExactDevice[], wb_clRigidExactPairs[], wb_clRigidExactConvex[], wb_clRigidExactCollide[],
    wb_clRigidExactGround[], wb_clRigidExactColour[], wb_clRigidExactSolve[], wb_clRigidExactPass[];

_Static_assert((int)BIT_DYNAMIC == WB_RIGID_DYNAMIC && (int)BIT_KINEMATIC == WB_RIGID_KINEMATIC &&
                   (int)BIT_ASLEEP == WB_RIGID_ASLEEP && (int)BIT_MAY_SLEEP == WB_RIGID_MAY_SLEEP &&
                   (int)BIT_SENSOR == WB_RIGID_SENSOR && (int)BIT_OFF == WB_RIGID_OFF,
               "kernels have the same bits");
_Static_assert((int)PIECE_SPHERE == wb_pieceSphere && (int)PIECE_CAPSULE == wb_pieceCapsule &&
                   (int)PIECE_BOX == wb_pieceBox && (int)PIECE_CYLINDER == wb_pieceCylinder &&
                   (int)PIECE_HULL == wb_pieceHull && (int)PIECE_PLANE == wb_piecePlane &&
                   (int)PIECE_MESH == wb_pieceMesh,
               "and the same kinds of pieces");
_Static_assert((int)MIX_GEOMETRIC == wb_mixGeometric && (int)MIX_MEAN == wb_mixMean &&
                   (int)MIX_LEAST == wb_mixLeast && (int)MIX_MOST == wb_mixMost &&
                   (int)MIX_PRODUCT == wb_mixProduct,
               "and the same rules of mixing");
_Static_assert((int)CONTACT_GUEST == WB_CONTACT_GUEST && (int)CONTACT_SIDE == WB_CONTACT_SIDE &&
                   (int)RIGID_LEVELS == WB_PAIR_LEVELS && (int)RIGID_SIDES == wb_sideCount,
               "and the same names");
_Static_assert(sizeof(wbContact) == sizeof(float[8][4]) && sizeof(wbPiecePair) == sizeof(int[4]),
               "contacts and pairs are quads on the device");

// One contact for each work-item, whatever the device likes.
static const char oneLane[] = "#undef WB_LANES\n#define WB_LANES 1\n";

// Kernels

static wbStatus buildKernels(wbRigidExactGpu *device) {
    wbExactKernels *k = &device->kernels;
    if (k->areBuilt) return wb_okStatus;
    const char *const sources[] = {oneLane,
                                   wb_clReal,
                                   wb_clMath,
                                   wb_clPose,
                                   wb_clShapeDevice,
                                   wb_clManifoldDevice,
                                   wb_clRigidConstants,
                                   wb_clRigidVectorFormula,
                                   wb_clRigidFormula,
                                   wb_clRigidManifoldFormula,
                                   wb_clRigidSolveFormula,
                                   wb_clCollideBallFormula,
                                   wb_clCollideFollowFormula,
                                   wb_clCollideGroundFormula,
                                   wb_clCollideChooseFormula,
                                   wb_clCollideThinFormula,
                                   wb_clRigidExactDevice,
                                   wb_clRigidExactPairs,
                                   wb_clRigidExactConvex,
                                   wb_clRigidExactCollide,
                                   wb_clRigidExactGround,
                                   wb_clRigidExactColour,
                                   wb_clRigidExactSolve};
    const wbGpuProgramDef def = {"rigid_exact", sources, sizeof sources / sizeof sources[0], ""};
    const wbGpuKernelName kernels[] = {
#define WB_KERNEL(name) {"exact_" #name, &k->name},
        WB_EXACT_KERNELS(WB_KERNEL)
#undef WB_KERNEL
    };
    const char *const passSources[] = {wb_clReal,
                                       wb_clMath,
                                       wb_clShapeDevice,
                                       wb_clRigidConstants,
                                       wb_clRigidVectorFormula,
                                       wb_clRigidFormula,
                                       wb_clRigidManifoldFormula,
                                       wb_clRigidSolveFormula,
                                       wb_clRigidBounceFormula,
                                       wb_clRigidExactDevice,
                                       wb_clRigidExactPass};
    const wbGpuProgramDef passDef = {"rigid_passes", passSources, sizeof passSources / sizeof passSources[0],
                                     ""};
    const wbGpuKernelName passes[] = {
#define WB_KERNEL(name) {"exact_" #name, &k->name},
        WB_EXACT_PASSES(WB_KERNEL)
#undef WB_KERNEL
    };
    WB_TRY(wbGpu_BuildKernels(device->gpu, &def, kernels, (int)(sizeof kernels / sizeof kernels[0])));
    WB_TRY(wbGpu_BuildKernels(device->gpu, &passDef, passes, (int)(sizeof passes / sizeof passes[0])));
    k->areBuilt = true;
    return wb_okStatus;
}

wbStatus wbDeviceStep_Run(const wbDeviceStep *step, wbGpuKernel *kernel, int items, const wbGpuArg *args,
                          int argCount) {
    return wbGpu_RunJoined(step->device->gpu, kernel, items, WB_GPU_ARGS(WB_GPU_STRUCT(step->terms)), args,
                           argCount);
}

static wbStatus reserve(wbRigidExactGpu *device, wbGpuBuffer *buffer, const char *name, size_t size,
                        int count) {
    return wbGpuBuffer_Reserve(device->gpu, buffer, name, size * ((size_t)count + 1));
}

static wbStatus readCounters(wbDeviceStep *step) {
    return wbGpu_Download(step->device->gpu, &step->device->counters, &step->counters, sizeof step->counters);
}
static wbStatus clearCounters(const wbDeviceStep *step) {
    return wbGpu_Fill(step->device->gpu, &step->device->counters, 0, sizeof(RigidCounters));
}

// Bodies and pieces

static wbStatus begin(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbGpu_SetPhase(d->gpu, wb_rigid_forces);
    return wbDeviceStep_Run(
        step, d->kernels.begin, d->bodyCount + RIGID_SIDES,
        WB_GPU_ARGS(WB_GPU_BUFFER(d->terms), WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->state[EXACT_TURN]),
                    WB_GPU_BUFFER(d->state[EXACT_VELOCITY]), WB_GPU_BUFFER(d->state[EXACT_SPIN]),
                    WB_GPU_BUFFER(d->loads), WB_GPU_BUFFER(d->bodies), WB_GPU_BUFFER(d->masses),
                    WB_GPU_BUFFER(d->kicks), WB_GPU_BUFFER(d->starts), WB_GPU_BUFFER(d->tops)));
}

static wbStatus place(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    WB_TRY(clearCounters(step));
    return wbDeviceStep_Run(
        step, d->kernels.place, d->pieceCount,
        WB_GPU_ARGS(WB_GPU_BUFFER(d->pieces), WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->state[EXACT_CENTRE]),
                    WB_GPU_BUFFER(d->state[EXACT_TURN]), WB_GPU_BUFFER(d->state[EXACT_VELOCITY]),
                    WB_GPU_BUFFER(d->state[EXACT_SPIN]), WB_GPU_BUFFER(d->known), WB_GPU_BUFFER(d->places),
                    WB_GPU_BUFFER(d->moves), WB_GPU_BUFFER(d->counters)));
}

// Pairs

static unsigned countBuckets(int items) {
    unsigned buckets = 64;
    while (buckets < 2 * (unsigned)items) buckets *= 2;
    return buckets;
}

static bool haveSidesMoved(const wbDeviceStep *step) {
    const wbDomain *domain = step->model->domain;
    return memcmp(step->device->marks.sides[0], domain->min, sizeof(float[3])) != 0 ||
           memcmp(step->device->marks.sides[1], domain->max, sizeof(float[3])) != 0;
}

static wbStatus listPairs(const wbDeviceStep *step, bool writes) {
    wbRigidExactGpu *d = step->device;
    return wbDeviceStep_Run(
        step, d->kernels.list, d->pieceCount,
        WB_GPU_ARGS(WB_GPU_INT(writes), WB_GPU_BUFFER(d->pieces), WB_GPU_BUFFER(d->terms),
                    WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->places), WB_GPU_BUFFER(d->known),
                    WB_GPU_BUFFER(d->cells), WB_GPU_BUFFER(d->buckets), WB_GPU_BUFFER(d->order),
                    WB_GPU_BUFFER(d->planes), WB_GPU_BUFFER(d->tieStarts), WB_GPU_BUFFER(d->ties),
                    WB_GPU_BUFFER(d->pairStarts), WB_GPU_BUFFER(d->pairs)));
}

static wbStatus sortPieces(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int buckets = (int)step->terms.bucketMask + 2; // the last one for what is in no cell
    WB_TRY(reserve(d, &d->cells, "cells", sizeof(int[4]), d->pieceCount));
    WB_TRY(reserve(d, &d->keys, "cells", 4, d->pieceCount));
    WB_TRY(reserve(d, &d->order, "cells", 4, d->pieceCount));
    WB_TRY(reserve(d, &d->buckets, "cells", 4, buckets));
    WB_TRY(wbDeviceStep_Run(step, d->kernels.know, d->pieceCount,
                            WB_GPU_ARGS(WB_GPU_BUFFER(d->pieces), WB_GPU_BUFFER(d->bits),
                                        WB_GPU_BUFFER(d->places), WB_GPU_BUFFER(d->known),
                                        WB_GPU_BUFFER(d->cells), WB_GPU_BUFFER(d->keys))));
    return wbGpuSort_ByCounting(d->sort, &d->keys, d->pieceCount, buckets, &d->buckets, &d->order);
}

// Crowds that no pile of solids is, as on the cores (rigid_pairs.c).
enum { mostPairsPerPiece = 1000, mostPairsAtLeast = 4 << 20 };

// Of as many pieces in one place as would not be listed in reasonable time.
static wbStatus checkCrowds(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    if (d->pieceCount <= mostPairsPerPiece) return wb_okStatus;
    const int buckets = (int)step->terms.bucketMask + 1;
    const size_t size = sizeof(uint32_t) * (size_t)(buckets + 1), mark = wbArena_Mark(step->work->arena);
    uint32_t *starts = wbArena_Alloc(step->work->arena, size);
    if (!starts)
        return wbMemoryError(step->work->memory, "cells of %d rigid bodies' pieces need", d->pieceCount);
    WB_TRY(wbGpu_Download(d->gpu, &d->buckets, starts, size));
    double crowding = 0;
    for (int i = 0; i < buckets; i++) {
        const double pieces = starts[i + 1] - starts[i];
        crowding += pieces * pieces / d->pieceCount;
    }
    wbArena_Release(step->work->arena, mark);
    if (crowding <= mostPairsPerPiece) return wb_okStatus;
    return wbError(wb_errorInput,
                   "%d rigid bodies' pieces lie within each other, %g of them in one place on average, more "
                   "than %d: place them apart",
                   d->pieceCount, crowding, mostPairsPerPiece);
}

// Contacts of before are found again by their pieces, which are hashed.
static wbStatus linkContacts(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int count = d->marks.contactCount, pairCount = wbCountPairs(d);
    const int buckets = (int)countBuckets(count), mask = buckets - 1;
    if (count == 0 || pairCount == 0) return wb_okStatus;
    WB_TRY(reserve(d, &d->keys, "contacts", 4, count));
    WB_TRY(reserve(d, &d->order, "contacts", 4, count));
    WB_TRY(reserve(d, &d->buckets, "contacts", 4, buckets));
    WB_TRY(wbDeviceStep_Run(step, d->kernels.name, count,
                            WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(mask), WB_GPU_BUFFER(d->terms),
                                        WB_GPU_BUFFER(d->contacts), WB_GPU_BUFFER(d->keys))));
    WB_TRY(wbGpuSort_ByCounting(d->sort, &d->keys, count, buckets, &d->buckets, &d->order));
    return wbDeviceStep_Run(step, d->kernels.link, pairCount,
                            WB_GPU_ARGS(WB_GPU_INT(pairCount), WB_GPU_INT(mask), WB_GPU_BUFFER(d->terms),
                                        WB_GPU_BUFFER(d->contacts), WB_GPU_BUFFER(d->buckets),
                                        WB_GPU_BUFFER(d->order), WB_GPU_BUFFER(d->pairs)));
}

static wbStatus takePairCounts(wbDeviceStep *step, const uint32_t ends[wb_pairClassCount]) {
    wbRigidExactGpu *d = step->device;
    const double most = fmax(mostPairsAtLeast, (double)mostPairsPerPiece * d->pieceCount);
    if (ends[wb_pairOther] > most || ends[wb_pairOther] > INT32_MAX / 2)
        return wbError(wb_errorInput,
                       "%u pairs of rigid bodies' pieces are near each other, more than %.0f: %d pieces lie "
                       "within each other: place them apart",
                       ends[wb_pairOther], most, d->pieceCount);
    for (int c = 0; c < wb_pairClassCount; c++)
        d->marks.pairCounts[c] = (int)(ends[c] - (c > 0 ? ends[c - 1] : 0));
    step->terms.boxPairs = d->marks.pairCounts[wb_pairBoxes],
    step->terms.sidePairs = d->marks.pairCounts[wb_pairBoxSide];
    step->terms.otherPairs = d->marks.pairCounts[wb_pairOther];
    return wb_okStatus;
}

// Lists what is near each other: counted by class and piece, summed up, then written.
static wbStatus searchPairs(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int words = wb_pairClassCount * d->pieceCount;
    uint32_t ends[wb_pairClassCount];
    wbGpu_SetPhase(d->gpu, wb_rigid_search);
    d->marks.isListKnown = false; // also if it fails
    WB_TRY(sortPieces(step));
    WB_TRY(checkCrowds(step));
    WB_TRY(reserve(d, &d->pairStarts, "pairs", 4, words + 1));
    WB_TRY(reserve(d, &d->pairs, "pairs", sizeof(wbPiecePair), 0));
    WB_TRY(wbGpu_Fill(d->gpu, &d->pairStarts, 0, 4 * ((size_t)words + 1)));
    WB_TRY(listPairs(step, false));
    WB_TRY(wbGpuSort_Scan(d->sort, &d->pairStarts, words + 1));
    for (int c = 0; c < wb_pairClassCount; c++)
        WB_TRY(wbGpu_DownloadAt(d->gpu, &d->pairStarts, 4 * (size_t)(c + 1) * (size_t)d->pieceCount, &ends[c],
                                4));
    WB_TRY(takePairCounts(step, ends));
    WB_TRY(reserve(d, &d->pairs, "pairs", sizeof(wbPiecePair), wbCountPairs(d)));
    WB_TRY(listPairs(step, true));
    WB_TRY(linkContacts(step));
    WB_TRY(wbDeviceStep_StartGround(step, true));
    memcpy(d->marks.sides[0], step->model->domain->min, sizeof d->marks.sides[0]);
    memcpy(d->marks.sides[1], step->model->domain->max, sizeof d->marks.sides[1]);
    d->marks.isListKnown = true;
    step->rigid->contacts.isStale = 0;
    step->rigid->contacts.searches++;
    return wb_okStatus;
}

// Contacts

// What each pair has, and the sums of it. `again`: for those with meshes that found no room.
static wbStatus countContacts(wbDeviceStep *step, bool again) {
    wbRigidExactGpu *d = step->device;
    const int pairs = wbCountPairs(d);
    WB_TRY(wbDeviceStep_Run(step, d->kernels.collide, step->terms.boxPairs + step->terms.sidePairs + 1,
                            WB_GPU_ARGS(WB_GPU_INT(pairs), WB_GPU_BUFFER(d->pairs), WB_GPU_BUFFER(d->pieces),
                                        WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->places),
                                        WB_GPU_BUFFER(d->moves), WB_GPU_BUFFER(d->sources),
                                        WB_GPU_BUFFER(d->counts), WB_GPU_BUFFER(d->counters))));
    WB_TRY(wbDeviceStep_Run(
        step, d->kernels.convex, step->terms.otherPairs,
        WB_GPU_ARGS(WB_GPU_BUFFER(d->pairs), WB_GPU_BUFFER(d->pieces), WB_GPU_BUFFER(d->bits),
                    WB_GPU_BUFFER(d->places), WB_GPU_BUFFER(d->corners), WB_GPU_BUFFER(d->faces),
                    WB_GPU_BUFFER(d->loops), WB_GPU_BUFFER(d->edges), WB_GPU_BUFFER(d->moves),
                    WB_GPU_BUFFER(d->sources), WB_GPU_BUFFER(d->manifolds), WB_GPU_BUFFER(d->counts),
                    WB_GPU_BUFFER(d->counters))));
    WB_TRY(wbDeviceStep_CollideGround(step, again));
    WB_TRY(wbGpuSort_Scan(d->sort, &d->counts, pairs + 1));
    WB_TRY(wbGpu_CopyAt(d->gpu, &d->counts, 4 * (size_t)pairs, &d->counters,
                        offsetof(RigidCounters, contactCount), 4));
    return readCounters(step);
}

static wbStatus collide(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int pairs = wbCountPairs(d), others = d->marks.pairCounts[wb_pairOther];
    const int manifolds = d->marks.keptCount > others ? d->marks.keptCount : others;
    wbGpu_SetPhase(d->gpu, wb_rigid_collide);
    WB_TRY(reserve(d, &d->sources, "pairs", 4, pairs));
    WB_TRY(reserve(d, &d->counts, "pairs", 4, pairs + 1));
    WB_TRY(reserve(d, &d->manifolds, "pairs", sizeof(RigidManifold), manifolds));
    WB_TRY(wbDeviceStep_RunLanes(step, d->kernels.boxes, step->terms.boxPairs,
                                 WB_GPU_ARGS(WB_GPU_INT(step->terms.boxPairs),
                                             WB_GPU_FLOAT(step->terms.terms.margin), WB_GPU_BUFFER(d->pairs),
                                             WB_GPU_BUFFER(d->places), WB_GPU_BUFFER(d->moves),
                                             WB_GPU_BUFFER(d->sources))));
    WB_TRY(countContacts(step, false));
    while (step->counters.cramped > 0) {
        const int none = 0;
        WB_TRY(wbDeviceStep_MakeRoom(step));
        WB_TRY(wbGpu_UploadAt(d->gpu, &d->counters, offsetof(RigidCounters, cramped), &none, sizeof none));
        WB_TRY(countContacts(step, true));
    }
    return wb_okStatus;
}

static wbStatus checkPlaces(const wbDeviceStep *step) {
    if (step->counters.far == 0) return wb_okStatus;
    return wbError(wb_errorUnstable,
                   "%d pieces of rigid bodies are farther away than 1e+18 m: use a smaller world.dt, more "
                   "rigid.subSteps, or weaker forces",
                   step->counters.far);
}

static wbStatus plan(wbDeviceStep *step, bool notes) {
    wbRigidExactGpu *d = step->device;
    const int count = step->counters.contactCount, pairs = wbCountPairs(d);
    WB_TRY(reserve(d, &d->plans, "contacts", sizeof(RigidPlan), count));
    WB_TRY(reserve(d, &d->colours, "contacts", 4, count));
    return wbDeviceStep_Run(step, d->kernels.plan, pairs,
                            WB_GPU_ARGS(WB_GPU_INT(pairs), WB_GPU_INT(notes), WB_GPU_BUFFER(d->pairs),
                                        WB_GPU_BUFFER(d->pieces), WB_GPU_BUFFER(d->bits),
                                        WB_GPU_BUFFER(d->sources), WB_GPU_BUFFER(d->manifolds),
                                        WB_GPU_BUFFER(d->contacts), WB_GPU_BUFFER(d->counts),
                                        WB_GPU_BUFFER(d->plans), WB_GPU_BUFFER(d->colours)));
}

// Where pieces are, which are near each other, and which of these touch. The list of pairs is taken to hold; if it turns out that it does
// not, which is seldom, they are looked for again.
static wbStatus touchPieces(wbDeviceStep *step) {
    const bool isListOld = !step->device->marks.isListKnown || haveSidesMoved(step);
    WB_TRY(begin(step));
    WB_TRY(place(step));
    if (isListOld) WB_TRY(searchPairs(step));
    WB_TRY(collide(step));
    WB_TRY(checkPlaces(step));
    if (isListOld || step->counters.movedFar == 0) return wb_okStatus;
    WB_TRY(searchPairs(step));
    WB_TRY(clearCounters(step));
    return collide(step);
}

// Bodies that something touches wake up, with all that touch those.
static wbStatus findContacts(wbDeviceStep *step) {
    for (;;) {
        int woken;
        WB_TRY(touchPieces(step));
        if (step->counters.woken == 0) return plan(step, true);
        WB_TRY(plan(step, false));
        WB_TRY(wbDeviceStep_WakeTouched(step, &woken));
        if (woken == 0) return plan(step, true);
        WB_TRY(wbDeviceStep_PushBits(step));
    }
}

// Colours

static wbStatus runRounds(wbDeviceStep *step, int count, int rounds) {
    wbRigidExactGpu *d = step->device;
    for (int round = 0; round < rounds; round++) {
        WB_TRY(
            wbDeviceStep_Run(step, d->kernels.bid, count,
                             WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_BUFFER(d->plans), WB_GPU_BUFFER(d->bits),
                                         WB_GPU_BUFFER(d->colours), WB_GPU_BUFFER(d->best))));
        WB_TRY(wbDeviceStep_Run(
            step, d->kernels.take, count,
            WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(round), WB_GPU_BUFFER(d->plans), WB_GPU_BUFFER(d->bits),
                        WB_GPU_BUFFER(d->colours), WB_GPU_BUFFER(d->ranks), WB_GPU_BUFFER(d->best),
                        WB_GPU_BUFFER(d->next), WB_GPU_BUFFER(d->taken), WB_GPU_BUFFER(d->counters))));
        wbGpuBuffer_Swap(&d->best, &d->next);
    }
    return readCounters(step);
}

// Gives all colours out at once, in a few rounds; contacts that find none in these wait for further colours.
static wbStatus shareColours(wbDeviceStep *step, int count, int base) {
    wbRigidExactGpu *d = step->device;
    const size_t bids = (size_t)RIGID_COLOURS * (size_t)d->bodyCount;
    WB_TRY(wbGpuBuffer_Reserve(d->gpu, &d->bids, "colours", 4 * bids));
    for (int round = 0; round < RIGID_CROWD_ROUNDS; round++) {
        WB_TRY(wbGpu_Fill(d->gpu, &d->bids, 0, 4 * bids));
        WB_TRY(wbDeviceStep_Run(step, d->kernels.crowd_bid, count,
                                WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(round), WB_GPU_BUFFER(d->plans),
                                            WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->taken),
                                            WB_GPU_BUFFER(d->colours), WB_GPU_BUFFER(d->ranks),
                                            WB_GPU_BUFFER(d->bids), WB_GPU_BUFFER(d->counters))));
        WB_TRY(wbDeviceStep_Run(
            step, d->kernels.crowd_take, count,
            WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(base), WB_GPU_INT(round == RIGID_CROWD_ROUNDS - 1),
                        WB_GPU_BUFFER(d->plans), WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->bids),
                        WB_GPU_BUFFER(d->taken), WB_GPU_BUFFER(d->colours), WB_GPU_BUFFER(d->ranks),
                        WB_GPU_BUFFER(d->counters))));
    }
    return readCounters(step);
}

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

// The first RIGID_COLOURS colours. If that does not get on, some bodies touch very many others. When it is given up does not depend on
// how many rounds are run at once.
static wbStatus giveFirstColours(wbDeviceStep *step, int count) {
    wbRigidExactGpu *d = step->device;
    const size_t bodies = (size_t)d->bodyCount + 1;
    const int *left = step->counters.left, few = RIGID_ROUNDS / 4, half = RIGID_ROUNDS / 2;
    WB_TRY(wbGpu_Fill(d->gpu, &d->best, 0, 4 * bodies));
    WB_TRY(wbGpu_Fill(d->gpu, &d->next, 0, 4 * bodies));
    // as many rounds at once as the last step needed, for the host waits after them
    int rounds = d->rounds < 1 ? half : clamp(d->rounds, 1, RIGID_ROUNDS);
    for (int done = 0; done < RIGID_MOST_ROUNDS;) {
        static const int none[RIGID_ROUNDS] = {0};
        WB_TRY(runRounds(step, count, rounds));
        if (left[rounds - 1] == 0) {
            for (; rounds > 1 && left[rounds - 2] == 0; rounds--) {
            }
            d->rounds = done + rounds;
            return wb_okStatus;
        }
        // in a pile about half of the contacts have a colour by now
        if (done < half && done + rounds >= half && left[half - 1 - done] > count - count / 8) break;
        done += rounds;
        WB_TRY(wbGpu_UploadAt(d->gpu, &d->counters, offsetof(RigidCounters, left), none, sizeof none));
        rounds = clamp((done < half ? half : RIGID_MOST_ROUNDS) - done, 1, few);
    }
    return shareColours(step, count, 0);
}

// Colours base … base + RIGID_COLOURS - 1 for as many contacts as find one of them.
static wbStatus giveColours(wbDeviceStep *step, int count, int base) {
    wbRigidExactGpu *d = step->device;
    WB_TRY(clearCounters(step));
    WB_TRY(wbGpu_Fill(d->gpu, &d->taken, 0, 8 * ((size_t)d->bodyCount + 1)));
    return base == 0 ? giveFirstColours(step, count) : shareColours(step, count, base);
}

static wbStatus sortColours(wbDeviceStep *step, int count, int base) {
    wbRigidExactGpu *d = step->device;
    if (!wbArray_Reserve(d->memory, &d->colourFirsts, d->colourCount + RIGID_COLOURS + 1))
        return wbMemoryError(d->memory, "%d colours of contacts need", d->colourCount + RIGID_COLOURS);
    int *firsts = d->colourFirsts.data;
    const size_t most = (size_t)(step->slotCount + count + RIGID_COLOURS * RIGID_GROUP);
    WB_TRY(wbGpuBuffer_Grow(d->gpu, &d->slots, "contacts", 4 * most, 4 * (size_t)step->slotCount));
    WB_TRY(wbGpu_Run(d->gpu, d->kernels.sort, count + RIGID_COLOURS * RIGID_GROUP,
                     WB_GPU_ARGS(WB_GPU_INT(count), WB_GPU_INT(base), WB_GPU_INT(step->slotCount),
                                 WB_GPU_BUFFER(d->plans), WB_GPU_BUFFER(d->colours), WB_GPU_BUFFER(d->ranks),
                                 WB_GPU_BUFFER(d->counters), WB_GPU_BUFFER(d->slots))));
    for (int c = 0; c < RIGID_COLOURS; c++) {
        if (step->counters.colours[c] == 0) continue;
        firsts[d->colourCount++] = step->slotCount;
        step->slotCount += ((int)step->counters.colours[c] + RIGID_GROUP - 1) / RIGID_GROUP * RIGID_GROUP;
    }
    firsts[d->colourCount] = step->slotCount;
    return wb_okStatus;
}

static wbStatus colour(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    const int count = d->marks.contactCount = step->counters.contactCount;
    step->slotCount = d->colourCount = 0;
    if (count == 0) return wb_okStatus;
    wbGpu_SetPhase(d->gpu, wb_rigid_colour);
    WB_TRY(reserve(d, &d->ranks, "contacts", 4, count));
    for (int base = 0;; base += RIGID_COLOURS) {
        WB_TRY(giveColours(step, count, base));
        WB_TRY(sortColours(step, count, base));
        WB_TRY(wbDeviceStep_Run(
            step, d->kernels.crowd, d->bodyCount,
            WB_GPU_ARGS(WB_GPU_INT(base == 0), WB_GPU_BUFFER(d->taken), WB_GPU_BUFFER(d->crowds))));
        if (step->counters.stuck == 0) break;
    }
    WB_TRY(reserve(d, &d->colourStarts, "colours", 4, d->colourCount + 1));
    return wbGpu_Upload(d->gpu, &d->colourStarts, d->colourFirsts.data, 4 * ((size_t)d->colourCount + 1));
}

static wbStatus buildContacts(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbGpu_SetPhase(d->gpu, wb_rigid_manifolds);
    WB_TRY(reserve(d, &d->constraints, "contacts", sizeof(float[RIGID_FIELDS]), step->slotCount));
    WB_TRY(reserve(d, &d->contactRows, "contacts", sizeof(int[2]), step->slotCount));
    WB_TRY(reserve(d, &d->bounces, "contacts", sizeof(float[BOUNCE_FIELDS]),
                   step->bounces ? step->slotCount : 0));
    WB_TRY(reserve(d, &d->bounceFlags, "contacts", sizeof(int), BOUNCE_SWEEPS + 1));
    WB_TRY(clearCounters(step));
    return wbDeviceStep_Run(
        step, d->kernels.build, step->slotCount,
        WB_GPU_ARGS(WB_GPU_INT(step->slotCount), WB_GPU_BUFFER(d->slots), WB_GPU_BUFFER(d->plans),
                    WB_GPU_BUFFER(d->pairs), WB_GPU_BUFFER(d->terms), WB_GPU_BUFFER(d->bits),
                    WB_GPU_BUFFER(d->state[EXACT_CENTRE]), WB_GPU_BUFFER(d->places),
                    WB_GPU_BUFFER(d->manifolds), WB_GPU_BUFFER(d->bodies), WB_GPU_BUFFER(d->masses),
                    WB_GPU_BUFFER(d->contacts), WB_GPU_BUFFER(d->crowds), WB_GPU_BUFFER(d->contactRows),
                    WB_GPU_BUFFER(d->constraints), WB_GPU_BUFFER(d->bounces)));
}

// After the last

static wbStatus keepContacts(const wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbGpu_SetPhase(d->gpu, wb_rigid_contacts);
    WB_TRY(reserve(d, &d->spare, "contacts", sizeof(wbContact), d->marks.contactCount));
    WB_TRY(reserve(d, &d->touches, "contacts", 4, d->marks.contactCount));
    return wbDeviceStep_Run(
        step, d->kernels.keep, d->marks.contactCount,
        WB_GPU_ARGS(WB_GPU_INT(d->marks.contactCount), WB_GPU_BUFFER(d->plans), WB_GPU_BUFFER(d->pairs),
                    WB_GPU_BUFFER(d->terms), WB_GPU_BUFFER(d->constraints), WB_GPU_BUFFER(d->bounces),
                    WB_GPU_BUFFER(d->manifolds), WB_GPU_BUFFER(d->contacts), WB_GPU_BUFFER(d->spare),
                    WB_GPU_BUFFER(d->touches), WB_GPU_BUFFER(d->counters)));
}

static wbStatus endBodies(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    wbGpu_SetPhase(d->gpu, wb_rigid_integrate);
    WB_TRY(wbDeviceStep_Run(
        step, d->kernels.end, d->bodyCount,
        WB_GPU_ARGS(WB_GPU_BUFFER(d->terms), WB_GPU_BUFFER(d->bits), WB_GPU_BUFFER(d->bodies),
                    WB_GPU_BUFFER(d->tops), WB_GPU_BUFFER(d->state[0]), WB_GPU_BUFFER(d->state[1]),
                    WB_GPU_BUFFER(d->state[2]), WB_GPU_BUFFER(d->state[3]), WB_GPU_BUFFER(d->state[4]),
                    WB_GPU_BUFFER(d->after[0]), WB_GPU_BUFFER(d->after[1]), WB_GPU_BUFFER(d->after[2]),
                    WB_GPU_BUFFER(d->after[3]), WB_GPU_BUFFER(d->after[4]), WB_GPU_BUFFER(d->counters))));
    WB_TRY(wbDeviceStep_EndJoints(step));
    return readCounters(step);
}

// Bodies that went too far are stopped, and end anew.
static wbStatus endSteps(wbDeviceStep *step) {
    WB_TRY(endBodies(step));
    if (step->counters.fast > 0) {
        const RigidCounters before = step->counters;
        WB_TRY(wbDeviceStep_StopFast(step));
        WB_TRY(clearCounters(step));
        WB_TRY(endBodies(step));
        step->counters.hits = before.hits;
        memcpy(step->counters.touchHash, before.touchHash, sizeof before.touchHash);
    }
    if (step->counters.broken == 0) return wb_okStatus;
    return wbError(wb_errorUnstable,
                   "%d rigid bodies left what floats can hold: use a smaller world.dt or more rigid.subSteps",
                   step->counters.broken);
}

static void takeState(wbDeviceStep *step) {
    wbRigidExactGpu *d = step->device;
    for (int k = 0; k < EXACT_STATE; k++) wbGpuBuffer_Swap(&d->state[k], &d->after[k]);
    wbGpuBuffer_Swap(&d->contacts, &d->spare);
    d->marks.subStep = step->terms.h;
    memcpy(&step->rigid->maxSpeed, &step->counters.maxSpeed, sizeof(float));
}

static void clearLoads(wbRigid *rigid) {
    float *columns[6] = {rigid->fx, rigid->fy, rigid->fz, rigid->tx, rigid->ty, rigid->tz};
    for (int k = 0; k < 6; k++) memset(columns[k], 0, sizeof(float) * (size_t)rigid->count);
}

static bool resetsStill(const wbRigid *rigid, const wbRigidModel *model) {
    const wbVec3 g = model->domain->gravity;
    const float *before = rigid->islands.gravity;
    return g.x != before[0] || g.y != before[1] || g.z != before[2] || wbDomain_IsMoving(model->domain) ||
           !model->params.sleep;
}

static bool hasAny(const wbRigid *rigid, const float *column) {
    for (int i = 0; i < rigid->count + rigid->guestCount; i++)
        if (column[i] > 0) return true;
    return false;
}

static bool hasNeedles(const wbRigid *rigid) {
    for (int i = 0; i < rigid->count; i++) {
        const float x = rigid->inverseInertiaX[i], y = rigid->inverseInertiaY[i],
                    z = rigid->inverseInertiaZ[i];
        if (fmaxf(fmaxf(x, y), z) > RIGID_NEEDLE * fminf(fminf(x, y), z)) return true;
    }
    return false;
}

static wbDeviceStep makeStep(wbRigidExactGpu *device, wbRigid *rigid, const wbRigidModel *model,
                             const wbWork *work, float dt) {
    const wbRigidParams *params = &model->params;
    const wbDomain *domain = model->domain;
    wbDeviceStep step = {.device = device, .rigid = rigid, .model = model, .work = work, .dt = dt};
    step.subSteps = params->subSteps > 0 ? (int)params->subSteps : 4;
    step.rolls = hasAny(rigid, rigid->rollingFriction);
    step.bounces = hasAny(rigid, rigid->restitution) ||
                   (params->sideMaterial == wb_sideMaterialOwn && params->sideRestitution > 0);
    step.hasNeedles = hasNeedles(rigid);
    RigidExactModel *terms = &step.terms;
    *terms = (RigidExactModel){.dt = dt,
                               .h = dt / (float)step.subSteps,
                               .gravity = {domain->gravity.x, domain->gravity.y, domain->gravity.z},
                               .sleepSpeed = params->sleepSpeed,
                               .sleepTime = params->sleepTime,
                               .hitSpeed = params->hitSpeed,
                               .bodyCount = rigid->count + rigid->guestCount,
                               .ownCount = rigid->count,
                               .pieceCount = rigid->totalPieces,
                               .dimensions = domain->dimensions,
                               .frictionMix = (int)params->frictionMix,
                               .restitutionMix = (int)params->restitutionMix,
                               .sidesAreOwn = params->sideMaterial == wb_sideMaterialOwn,
                               .sideFriction = params->sideFriction,
                               .sideRestitution = params->sideRestitution,
                               .bounces = step.bounces,
                               .isContinuous = params->continuous,
                               .maySleep = params->sleep,
                               .bucketMask = countBuckets(rigid->totalPieces) - 1};
    terms->terms = wbGetRigidTerms(model, terms->h);
    for (int side = 0; side < RIGID_SIDES; side++) {
        terms->sideEnds[side] = wbDomain_GetEnd(domain, side), terms->isClosed[side] = domain->closed[side];
        memcpy(terms->sideVelocities[side], domain->velocity[side], sizeof(float[3]));
    }
    return step;
}

wbStatus wbRigidExactGpu_Step(wbRigidExactGpu *device, wbRigid *rigid, const wbRigidModel *model,
                              const wbWork *work, float dt) {
    const bool resets = resetsStill(rigid, model);
    if (!device->deviceIsNewer) WB_TRY(wbRigidExactGpu_Note(device, rigid));
    memset(rigid->ms, 0, sizeof rigid->ms);
    wbRigidEvents_Clear(&rigid->events);
    rigid->maxSpeed = 0, rigid->previousDt = dt;
    if (!wbWakePushed(rigid, model)) return wb_okStatus;
    wbDeviceStep step = makeStep(device, rigid, model, work, dt);
    step.resetsStill = resets;
    WB_TRY(buildKernels(device));
    WB_TRY(wbDeviceStep_PlanJoints(&step));
    WB_TRY(wbDeviceStep_Push(&step));
    device->deviceIsNewer = true;
    WB_TRY(findContacts(&step));
    WB_TRY(colour(&step));
    WB_TRY(buildContacts(&step));
    WB_TRY(wbDeviceStep_DoSubSteps(&step));
    WB_TRY(keepContacts(&step));
    WB_TRY(endSteps(&step));
    takeState(&step);
    clearLoads(rigid);
    WB_TRY(wbDeviceStep_TakeBroken(&step));
    WB_TRY(wbDeviceStep_Tell(&step));
    WB_TRY(wbDeviceStep_FallAsleep(&step));
    return wbGpu_TakeTimes(device->gpu, rigid->ms, wb_rigidPhaseCount);
}
