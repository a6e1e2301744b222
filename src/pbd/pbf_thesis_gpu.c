// SPDX-License-Identifier: MIT
// A step of pbf_thesis.h on a device, as pbf_thesis_step.c has it on the cores. No ghosts are made of what sides mirror, and no lists.
#include "pbd/pbf_thesis_gpu.h"

#include <float.h>
#include <string.h>

#include "core/status.h"
#include "pbd/pbf.h"
#include "pbd/pbf_depth_gpu.h"
#include "pbd/pbf_sized_gpu.h"
#include "pbd/pbf_thesis_step.h"
#include "pbd/pbf_thesis_step_gpu.h"

extern const char wb_clPbfConstants[], wb_clPbfFormula[], wb_clPbfShared[], wb_clPbfAdaptiveConstants[],
    wb_clPbfAdaptiveLookFormula[], wb_clPbfOctavesDevice[], wb_clPbfOctaves[], wb_clPbfWishesConstants[],
    wb_clPbfWishesFormula[], wb_clPbfThesisConstants[], wb_clPbfThesisFormula[],
    wb_clPbfThesisChangeFormula[], wb_clPbfThesisWalk[], wb_clPbfThesis[], wb_clPbfThesisChange[];

// Predicted positions are sorted along with the particles' columns.
enum { X = wb_columnX, VX = wb_columnVx, PX = WB_SORTED_COLUMNS };
static const char *const predicted[WB_GPU_EXTRA] = {"predicted x", "predicted y", "predicted z"};

enum {
    QX = WB_THESIS_QX,
    NX = WB_THESIS_NX,
    NVX = WB_THESIS_NVX,
    INSET = WB_THESIS_INSET,
    GRADIENT = WB_THESIS_GRADIENT,
    VOLUME = WB_THESIS_VOLUME,
    INVERSE = WB_THESIS_INVERSE,
    REACH = WB_THESIS_REACH,
    CALIBRATION = WB_THESIS_CALIBRATION,
    LATTICE = WB_THESIS_LATTICE,
    REST = WB_THESIS_REST,
    DENSITY = WB_THESIS_DENSITY,
    MU = WB_THESIS_MU,
    PUSH = WB_THESIS_PUSH,
    MARK = WB_THESIS_MARK,
    SIZE = WB_THESIS_SIZE,
    LOWEST = WB_THESIS_LOWEST,
    BX = WB_THESIS_BOUNDARY
};
enum { HAS_COLLIDERS = 1, HAS_MIXTURE = 2 };
static const wbFluidColumn columns[WB_THESIS_GPU_COLUMNS] = {
    [QX] = {"present x", 0},
    {"present y", 0},
    {"present z", 0},
    [NX] = {"corrected x", 0},
    {"corrected y", 0},
    {"corrected z", 0},
    [NVX] = {"smoothed vx", 0},
    {"smoothed vy", 0},
    {"smoothed vz", 0},
    [INSET] = {"inset x", 0},
    {"inset y", 0},
    {"inset z", 0},
    [GRADIENT] = {"gradient x", 0},
    {"gradient y", 0},
    {"gradient z", 0},
    [VOLUME] = {"volume", 0},
    [INVERSE] = {"inverse width", 0},
    [REACH] = {"reach", 0},
    [CALIBRATION] = {"lattice sum", 0},
    [LATTICE] = {"lattice squares", 0},
    [REST] = {"rest density", 0},
    [DENSITY] = {"relative density", 0},
    [MU] = {"mu", 0},
    [PUSH] = {"push", 0},
    [MARK] = {"boundary", 0},
    [SIZE] = {"wished size", 0},
    [LOWEST] = {"lowest density", HAS_MIXTURE},
    [BX] = {"gradient x by colliders", HAS_COLLIDERS},
    {"gradient y by colliders", HAS_COLLIDERS},
    {"gradient z by colliders", HAS_COLLIDERS},
    {"density by colliders", HAS_COLLIDERS},
    {"squares by colliders", HAS_COLLIDERS},
    {"head x by colliders", HAS_COLLIDERS},
    {"head y by colliders", HAS_COLLIDERS},
    {"head z by colliders", HAS_COLLIDERS},
    {"lean on colliders", HAS_COLLIDERS}};

enum { HASHED = 1, MIXED = 2, KERNELS = wb_thesisDepthKernels + WB_DEPTH_KERNELS };
static const wbGpuVariantKernel kernels[KERNELS] = {[wb_thesisFindCells] = {"thesis_find_cells", 0},
                                                    [wb_thesisInvert] = {"thesis_invert", 0},
                                                    [wb_thesisFollowOthers] = {"thesis_follow_others", 0},
                                                    [wb_thesisBegin] = {"thesis_begin", 0},
                                                    [wb_thesisCalibrate] = {"thesis_calibrate", 0},
                                                    [wb_thesisFindLowest] = {"thesis_find_lowest", MIXED},
                                                    [wb_thesisSolve] = {"thesis_solve", 0},
                                                    [wb_thesisCorrect] = {"thesis_correct", 0},
                                                    [wb_thesisFindBoundary] = {"thesis_find_boundary", 0},
                                                    [wb_thesisMark] = {"thesis_mark", 0},
                                                    [wb_thesisFindDistances] = {"thesis_find_distances", 0},
                                                    [wb_thesisPress] = {"thesis_press", 0},
                                                    [wb_thesisFinish] = {"thesis_finish", 0},
                                                    [wb_thesisSmooth] = {"thesis_smooth", 0},
                                                    [wb_thesisWeigh] = {"thesis_weigh", 0},
                                                    [wb_thesisCarry] = {"thesis_carry", 0},
                                                    [wb_thesisFindFarthest] = {"thesis_find_farthest", 0},
                                                    [wb_thesisLookAround] = {"thesis_look_around", 0},
                                                    [wb_thesisWish] = {"thesis_wish", 0},
                                                    [wb_thesisPair] = {"thesis_pair", 0},
                                                    [wb_thesisStartMerges] = {"thesis_start_merges", 0},
                                                    [wb_thesisTransfer] = {"thesis_transfer", 0},
                                                    [wb_thesisFindWidest] = {"thesis_find_widest", 0},
                                                    [wb_thesisWiden] = {"thesis_widen", 0},
                                                    [wb_thesisCountSlots] = {"thesis_count_slots", 0},
                                                    [wb_thesisApply] = {"thesis_apply", 0},
                                                    [wb_thesisDepthKernels] = WB_DEPTH_KERNEL_NAMES};
static const char *const sources[] = {WB_GPU_SEARCH_SOURCES,
                                      WB_GPU_FLUID_SOURCES,
                                      WB_PBF_DEPTH_SOURCES,
                                      wb_clPbfConstants,
                                      wb_clPbfFormula,
                                      wb_clPbfShared,
                                      wb_clPbfAdaptiveConstants,
                                      wb_clPbfAdaptiveLookFormula,
                                      wb_clPbfWishesConstants,
                                      wb_clPbfWishesFormula,
                                      wb_clPbfThesisConstants,
                                      wb_clPbfThesisFormula,
                                      wb_clPbfThesisChangeFormula,
                                      wb_clPbfOctavesDevice,
                                      wb_clPbfOctaves,
                                      wb_clPbfThesisWalk,
                                      wb_clPbfThesis,
                                      wb_clPbfThesisChange,
                                      NULL};
static const char *const switches[] = {"HASHED", "MIXED", NULL};
static const wbGpuVariants program = {"pbf thesis", sources, switches, kernels, KERNELS};

const wbFluidGpuKind wb_thesisGpu = {.columns = columns,
                                     .columnCount = WB_THESIS_GPU_COLUMNS,
                                     .phaseCount = wb_pbfPhaseCount,
                                     .program = &program,
                                     .boundaryProgram = &wb_thesisBoundaryProgram};

void wbThesis_PutOn(wbThesis *thesis, wbParticlesGpu *device) {
    wbColumn own[2 * WB_THESIS_COLUMNS];
    wbThesis_ListPairs(thesis, own);
    wbParticlesGpu_SetOwn(device, own, WB_THESIS_COLUMNS);
}

wbStatus wbThesisStepGpu_Run(const wbThesisStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    const int count = step->fluid.search.count;
    return wbGpu_RunJoined(step->gpu, step->fluid.kernels[kernel], count, WB_GPU_ARGS(WB_GPU_INT(count)),
                           args, argCount);
}

wbStatus wbThesisStepGpu_Search(const wbThesisStepGpu *step, int kernel, const wbGpuArg *args, int argCount) {
    wbGpuArg all[WB_MAX_GPU_ARGS] = {WB_GPU_BUFFER(step->buffers[wb_thesisOctaves]),
                                     WB_GPU_BUFFER(step->columns[REACH])};
    WB_ASSERT(argCount + 2 <= WB_MAX_GPU_ARGS, "a kernel has too many arguments");
    memcpy(all + 2, args, sizeof *args * (size_t)argCount);
    return wbFluidStepGpu_Search(&step->fluid, kernel, all, argCount + 2);
}

static unsigned getSwitches(const wbThesisStepGpu *step) { return step->fluid.isMixed ? MIXED : 0; }

wbStatus wbThesisStepGpu_Reserve(wbThesisStepGpu *step) {
    const unsigned terms =
        (step->fluid.colliders ? HAS_COLLIDERS : 0) | (step->fluid.isMixed ? HAS_MIXTURE : 0);
    WB_TRY(wbFluidStepGpu_Reserve(
        &step->fluid, terms, predicted,
        wbGetThesisBoundaryKernel(step->model, &step->constants, step->fluid.work->simd)));
    return wbFluidStepGpu_ReserveResponse(&step->fluid);
}

// Neighbours

// Into the order of octaves and cells of the predicted positions; references of transfers follow.
static wbStatus sortParticles(wbThesisStepGpu *step) {
    wbFluidStepGpu *fluid = &step->fluid;
    wbParticlesGpu *particles = &step->device->particles;
    wbGpuBuffer *front = fluid->front, *own = step->own, *places = &step->columns[NX];
    PbfOctaves octaves;
    WB_TRY(wbLayOutOctaves(fluid, fluid->h, WB_THESIS_OCTAVES, &octaves));
    fluid->search.cells = &particles->cells;
    WB_TRY(wbFluidStepGpu_Build(fluid, getSwitches(step)));
    WB_TRY(wbGpu_Upload(step->gpu, &step->buffers[wb_thesisOctaves], &octaves, sizeof octaves));
    WB_TRY(wbThesisStepGpu_Run(
        step, wb_thesisFindCells,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_STRUCT(step->sizing),
                    WB_GPU_BUFFER(step->buffers[wb_thesisOctaves]), WB_GPU_BUFFER3(front + X),
                    WB_GPU_BUFFER3(front + VX), WB_GPU_BUFFER(front[wb_columnId]),
                    WB_GPU_BUFFER(own[WB_THESIS_WIDTH]), WB_GPU_BUFFER(own[WB_THESIS_DISTANCE]),
                    WB_GPU_BUFFER3(front + PX), WB_GPU_BUFFER(particles->cells.keys))));
    WB_TRY(wbSortByOctaves(fluid, &octaves, front + PX));
    WB_TRY(wbFluidStepGpu_Sort(fluid, WB_GPU_SORTED));
    WB_TRY(wbGpuCells_Reorder(&particles->cells, fluid->search.count, particles->ownFront, particles->ownBack,
                              WB_THESIS_COLUMNS));
    WB_TRY(wbGpuCells_Reorder(&particles->cells, fluid->search.count, &particles->pressure,
                              &step->columns[MARK], 1));
    WB_TRY(wbThesisStepGpu_Run(step, wb_thesisInvert,
                               WB_GPU_ARGS(WB_GPU_BUFFER(particles->cells.order), WB_GPU_BUFFER(*places))));
    return wbThesisStepGpu_Run(step, wb_thesisFollowOthers,
                               WB_GPU_ARGS(WB_GPU_BUFFER(*places), WB_GPU_BUFFER(own[WB_THESIS_OTHER])));
}

wbStatus wbThesisStepGpu_Calibrate(wbThesisStepGpu *step) {
    const wbGpuBuffer *c = step->columns, *own = step->own;
    return wbThesisStepGpu_Run(
        step, wb_thesisCalibrate,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing), WB_GPU_BUFFER(step->buffers[wb_thesisTable]),
                    WB_GPU_BUFFER(own[WB_THESIS_MASS]), WB_GPU_BUFFER(own[WB_THESIS_WIDTH]),
                    WB_GPU_BUFFER(c[VOLUME]), WB_GPU_BUFFER(c[INVERSE]), WB_GPU_BUFFER(c[CALIBRATION]),
                    WB_GPU_BUFFER(c[LATTICE])));
}

static wbStatus findLowest(wbThesisStepGpu *step) {
    WB_TRY(wbFluidStepGpu_FillRelative(&step->fluid));
    if (!step->fluid.isMixed) return wb_okStatus;
    return wbThesisStepGpu_Search(step, wb_thesisFindLowest,
                                  WB_GPU_ARGS(WB_GPU_BUFFER(step->columns[INVERSE]),
                                              WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                                              WB_GPU_BUFFER(step->columns[LOWEST])));
}

static wbStatus findNeighbours(wbThesisStepGpu *step) {
    const wbGpuBuffer *c = step->columns, *own = step->own;
    wbGpu_SetPhase(step->gpu, wb_pbf_sort);
    WB_TRY(sortParticles(step));
    wbGpu_SetPhase(step->gpu, wb_pbf_boundary);
    WB_TRY(wbThesisStepGpu_PlaceBoundary(step));
    wbGpu_SetPhase(step->gpu, wb_pbf_neighbours);
    WB_TRY(wbThesisStepGpu_Run(
        step, wb_thesisBegin,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_STRUCT(step->sizing),
                    WB_GPU_BUFFER(step->fluid.front[wb_columnId]), WB_GPU_BUFFER(own[WB_THESIS_WIDTH]),
                    WB_GPU_BUFFER(own[WB_THESIS_DISTANCE]), WB_GPU_BUFFER(own[WB_THESIS_OFFSET]),
                    WB_GPU_BUFFER(c[REACH]), WB_GPU_BUFFER3(c + INSET), WB_GPU_BUFFER(c[REST]),
                    WB_GPU_BUFFER(c[MU]))));
    WB_TRY(wbFluidStepGpu_Copy(&step->fluid, step->fluid.front + PX, step->columns + QX, 3));
    WB_TRY(wbThesisStepGpu_Calibrate(step));
    return findLowest(step);
}

// Constraints

// BOUNDARY of pbf_thesis.cl: any columns, where there are no colliders.
#define BOUNDARY(step)                                                                                       \
    WB_GPU_INT((step)->hasBoundary), WB_GPU_BUFFER3((step)->columns + ((step)->hasBoundary ? BX : 0)),       \
        WB_GPU_BUFFER((step)->columns[(step)->hasBoundary ? BX + 3 : 0]),                                    \
        WB_GPU_BUFFER((step)->columns[(step)->hasBoundary ? BX + 4 : 0])

static wbStatus solve(wbThesisStepGpu *step, float inside, const wbGpuBuffer *mu) {
    const wbGpuBuffer *c = step->columns, *lowest = wbFluidStepGpu_IfMixed(&step->fluid, &c[LOWEST]);
    WB_TRY(wbThesisStepGpu_AddBoundary(step));
    WB_TRY(wbThesisStepGpu_Search(
        step, wb_thesisSolve,
        WB_GPU_ARGS(WB_GPU_FLOAT(inside), WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(c[VOLUME]),
                    WB_GPU_BUFFER(c[INVERSE]), WB_GPU_BUFFER(c[CALIBRATION]), WB_GPU_BUFFER(c[LATTICE]),
                    BOUNDARY(step), WB_GPU_BUFFER(step->own[WB_THESIS_DISTANCE]), WB_GPU_BUFFER(c[REST]),
                    WB_GPU_BUFFER(*lowest), WB_GPU_BUFFER(*mu), WB_GPU_BUFFER(c[DENSITY]),
                    WB_GPU_BUFFER3(c + GRADIENT), WB_GPU_BUFFER(c[PUSH]),
                    WB_GPU_BUFFER(step->device->neighbours))));
    return wbThesisStepGpu_LeanOnBoundary(step, mu);
}

static wbStatus correct(wbThesisStepGpu *step) {
    wbGpuBuffer *c = step->columns;
    WB_TRY(wbThesisStepGpu_Search(
        step, wb_thesisCorrect,
        WB_GPU_ARGS(WB_GPU_STRUCT(step->move), WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(c[VOLUME]),
                    WB_GPU_BUFFER(c[INVERSE]), BOUNDARY(step),
                    WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)), WB_GPU_BUFFER(c[PUSH]),
                    WB_GPU_BUFFER3(c + INSET), WB_GPU_BUFFER3(c + NX))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&c[QX + a], &c[NX + a]);
    return wb_okStatus;
}

// Density and gradient where particles are. The mu that pressures are made of is that of the iterations.
static wbStatus measure(wbThesisStepGpu *step) { return solve(step, FLT_MAX, &step->columns[MARK]); }

static wbStatus solveDensity(wbThesisStepGpu *step) {
    wbGpu_SetPhase(step->gpu, wb_pbf_density);
    WB_TRY(wbFluidStepGpu_BeginResponse(&step->fluid, wb_atEnd, step->move.dt));
    for (int k = 0; k < step->model->params.iterations; k++) {
        WB_TRY(solve(step, FLT_MAX, &step->columns[MU]));
        WB_TRY(wbThesisStepGpu_PushBoundary(step));
        WB_TRY(correct(step));
        WB_TRY(wbFluidStepGpu_Respond(&step->fluid));
    }
    WB_TRY(wbFluidStepGpu_EndResponse(&step->fluid));
    return measure(step);
}

// Distances to the boundary: from those of the last step, one neighbourhood farther.
static wbStatus findDistances(wbThesisStepGpu *step) {
    const wbGpuBuffer *c = step->columns, *known = &c[NX], *distance = &step->own[WB_THESIS_DISTANCE];
    WB_TRY(wbThesisStepGpu_Search(step, wb_thesisFindBoundary,
                                  WB_GPU_ARGS(WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(c[VOLUME]),
                                              WB_GPU_BUFFER(c[INVERSE]), WB_GPU_BUFFER(c[CALIBRATION]),
                                              WB_GPU_BUFFER(c[MARK]))));
    WB_TRY(wbThesisStepGpu_Run(step, wb_thesisMark,
                               WB_GPU_ARGS(WB_GPU_STRUCT(step->sizing),
                                           WB_GPU_BUFFER(step->own[WB_THESIS_MASS]), WB_GPU_BUFFER(c[MARK]),
                                           WB_GPU_BUFFER(*distance), WB_GPU_BUFFER(*known))));
    return wbThesisStepGpu_Search(step, wb_thesisFindDistances,
                                  WB_GPU_ARGS(WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(c[MARK]),
                                              WB_GPU_BUFFER(*known), WB_GPU_BUFFER(*distance)));
}

// Velocities

static wbStatus smoothVelocities(wbThesisStepGpu *step) {
    wbGpuBuffer *c = step->columns, *velocities = &step->fluid.front[VX];
    if (step->constants.viscosity <= 0) return wb_okStatus;
    WB_TRY(wbThesisStepGpu_Search(step, wb_thesisSmooth,
                                  WB_GPU_ARGS(WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(c[VOLUME]),
                                              WB_GPU_BUFFER(c[INVERSE]),
                                              WB_GPU_BUFFER(step->own[WB_THESIS_OFFSET]),
                                              WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                                              WB_GPU_BUFFER3(velocities), WB_GPU_BUFFER3(c + NVX))));
    for (int a = 0; a < 3; a++) wbGpuBuffer_Swap(&velocities[a], &c[NVX + a]);
    return wb_okStatus;
}

wbStatus wbThesisStepGpu_Collide(wbThesisStepGpu *step, wbBoundaryTime from) {
    const wbGpuBuffer *weights = &step->columns[NX];
    if (!wbFluidStepGpu_HasCollision(&step->fluid)) return wb_okStatus;
    WB_TRY(wbThesisStepGpu_Run(step, wb_thesisWeigh,
                               WB_GPU_ARGS(WB_GPU_BUFFER(step->own[WB_THESIS_MASS]),
                                           WB_GPU_BUFFER(*wbFluidStepGpu_GetRelative(&step->fluid)),
                                           WB_GPU_BUFFER(*weights))));
    step->fluid.weights = weights;
    return wbFluidStepGpu_Collide(&step->fluid, from, wb_atEnd, true);
}

// Velocities of the way, what surfaces and neighbours make of them; then what went through a collider is put back.
static wbStatus finishVelocities(wbThesisStepGpu *step) {
    wbFluidStepGpu *fluid = &step->fluid;
    wbGpuBuffer *front = fluid->front, *c = step->columns;
    wbFluidSums sums;
    wbGpu_SetPhase(step->gpu, wb_pbf_velocities);
    WB_TRY(wbFluidStepGpu_KeepPositions(fluid));
    WB_TRY(wbFluidStepGpu_Move(fluid, wb_thesisFinish,
                               WB_GPU_ARGS(WB_GPU_STRUCT(step->constants), WB_GPU_STRUCT(step->move),
                                           WB_GPU_BUFFER3(front + X), WB_GPU_BUFFER3(front + VX),
                                           WB_GPU_BUFFER3(c + QX), WB_GPU_BUFFER(c[DENSITY]),
                                           WB_GPU_BUFFER(c[MU]), WB_GPU_BUFFER(front[wb_columnDensity]),
                                           WB_GPU_BUFFER(step->device->particles.pressure))));
    WB_TRY(wbFluidStepGpu_TakeSummaries(fluid, &sums));
    WB_TRY(wbThesisStepGpu_Stick(step));
    WB_TRY(smoothVelocities(step));
    WB_TRY(wbThesisStepGpu_Collide(step, wb_atStart));
    return wbFluidStepGpu_Copy(fluid, front + X, c + QX, 3);
}

// The density that settling is towards, from one in this unit.
static wbStatus press(wbThesisStepGpu *step, const wbGpuBuffer *density, float unit) {
    return wbThesisStepGpu_Run(step, wb_thesisPress,
                               WB_GPU_ARGS(WB_GPU_BUFFER(*density), WB_GPU_FLOAT(unit),
                                           WB_GPU_BUFFER(step->own[WB_THESIS_OFFSET]),
                                           WB_GPU_BUFFER(step->columns[REST])));
}

// Towards the density of before, without velocity; what is left is a rest offset.
static wbStatus settle(wbThesisStepGpu *step) {
    wbFluidStepGpu *fluid = &step->fluid;
    const wbGpuBuffer *c = step->columns;
    if (wbFluidStepGpu_HasCollision(fluid))
        WB_TRY(wbFluidStepGpu_Copy(fluid, fluid->front + X, fluid->fluid->before, 3));
    step->move.bearing = 0; // places alone: no weight is borne
    for (int k = 0; k < step->model->params.relaxations; k++) {
        WB_TRY(solve(step, step->sizing.inside, &c[MARK]));
        WB_TRY(correct(step));
    }
    WB_TRY(measure(step));
    WB_TRY(
        wbThesisStepGpu_Run(step, wb_thesisCarry,
                            WB_GPU_ARGS(WB_GPU_FLOAT(step->constants.restDensity), WB_GPU_BUFFER(c[DENSITY]),
                                        WB_GPU_BUFFER(c[REST]), WB_GPU_BUFFER(step->own[WB_THESIS_OFFSET]),
                                        WB_GPU_BUFFER(fluid->front[wb_columnDensity]))));
    WB_TRY(wbFluidStepGpu_Copy(fluid, c + QX, fluid->front + X, 3));
    return wbThesisStepGpu_Collide(step, wb_atEnd);
}

// What splits left of the density, where particles are now: halves have that of what they came from.
static wbStatus settleSplits(wbThesisStepGpu *step) {
    step->move.dt = 0;
    WB_TRY(findNeighbours(step));
    wbGpu_SetPhase(step->gpu, wb_pbf_velocities);
    WB_TRY(press(step, &step->fluid.front[wb_columnDensity], step->constants.restDensity));
    return settle(step);
}

// The order of things is that of pbf_thesis_step.c.
static wbStatus advance(wbThesisStepGpu *step, float dt) {
    const int64_t splits = step->thesis->splits;
    WB_TRY(wbFluidStepGpu_ClearForces(&step->fluid));
    WB_TRY(findNeighbours(step));
    WB_TRY(solveDensity(step));
    WB_TRY(press(step, &step->columns[DENSITY], 1));
    WB_TRY(findDistances(step));
    WB_TRY(finishVelocities(step));
    WB_TRY(wbThesisStepGpu_TakeWishes(step));
    WB_TRY(wbThesisStepGpu_Transfer(step));
    WB_TRY(wbThesisStepGpu_Widen(step));
    WB_TRY(wbThesisStepGpu_Calibrate(step));
    WB_TRY(settle(step));
    WB_TRY(wbThesisStepGpu_Change(step));
    step->thesis->steps++;
    if (step->thesis->splits > splits) WB_TRY(settleSplits(step));
    return wbFluidStepGpu_TakeImpulses(&step->fluid, wb_atEnd, (double)dt,
                                       wbThesisModel_GetMass(step->model));
}

static wbStatus uploadTables(wbThesisStepGpu *step) {
    const wbThesisModel *model = step->model;
    wbGpuBuffer *table = &step->buffers[wb_thesisTable];
    WB_TRY(wbGpuBuffer_Reserve(step->gpu, &step->buffers[wb_thesisOctaves], "octaves", sizeof(PbfOctaves)));
    WB_TRY(wbGpuBuffer_Reserve(step->gpu, &step->buffers[wb_thesisCounters], "counters",
                               sizeof(uint32_t) * WB_THESIS_COUNTERS));
    WB_TRY(wbGpuBuffer_Reserve(step->gpu, table, "lattice sums", sizeof model->sums + sizeof model->squares));
    WB_TRY(wbGpu_Upload(step->gpu, table, model->sums, sizeof model->sums));
    WB_TRY(wbGpu_UploadAt(step->gpu, table, sizeof model->sums, model->squares, sizeof model->squares));
    return wbUploadRuns(step->gpu, &step->thesis->runs, &step->buffers[wb_thesisRuns],
                        &step->buffers[wb_thesisRunFluids]);
}

// Room for all particles, which come to the device, if the host's are newer. The step must not be moved after this.
static wbStatus begin(wbThesisStepGpu *step, wbFluidGpu *device, wbThesisFluid of) {
    const wbThesisModel *model = of.model;
    const wbFluidStep given =
        wbMakeFluidStep(of.fluid, model->domain, model->params.width * wbThesisModel_GetSmallest(model),
                        0.5f * model->params.width, of.colliders, of.work);
    *step = (wbThesisStepGpu){.device = device,
                              .gpu = device->gpu,
                              .thesis = of.thesis,
                              .model = model,
                              .columns = device->columns,
                              .buffers = device->buffers,
                              .own = device->particles.ownFront,
                              .constants = wbThesisModel_GetConstants(model),
                              .sizing = wbThesisModel_GetSizing(model)};
    step->fluid = wbMakeFluidStepGpu(device, given, WB_GPU_STRUCT(step->constants));
    WB_TRY(wbThesisStepGpu_Reserve(step));
    step->hasBoundary = wbFluidStepGpu_HasBoundary(&step->fluid); // points that count are known by now
    WB_TRY(uploadTables(step));
    return wbFluidStepGpu_Begin(&step->fluid);
}

wbStatus wbThesisGpu_FindHead(wbFluidGpu *device, wbThesisFluid fluid, const wbPbfModel *model, double *head,
                              float *farthest) {
    wbThesisStepGpu step;
    WB_TRY(begin(&step, device, fluid));
    wbGpuBuffer *counters = &step.buffers[wb_thesisCounters], *slots = &step.buffers[wb_thesisDepth];
    wbGpu_SetPhase(step.gpu, wb_pbf_sort);
    WB_TRY(wbReserveDepth(&step.fluid, slots));
    WB_TRY(wbFluidStepGpu_Build(&step.fluid, getSwitches(&step)));
    WB_TRY(wbFindHeadGpu(&step.fluid, wb_thesisDepthKernels, slots, model, head));
    WB_TRY(wbGpu_Fill(step.gpu, counters, 0, sizeof(uint32_t) * WB_THESIS_COUNTERS));
    WB_TRY(wbThesisStepGpu_Run(
        &step, wb_thesisFindFarthest,
        WB_GPU_ARGS(WB_GPU_BUFFER(step.own[WB_THESIS_DISTANCE]), WB_GPU_BUFFER(*counters))));
    return wbGpu_DownloadAt(step.gpu, counters, sizeof(uint32_t) * WB_THESIS_FARTHEST, farthest,
                            sizeof *farthest);
}

wbStatus wbThesisGpu_Step(wbFluidGpu *device, wbThesisFluid fluid, float dt, int subSteps) {
    const wbFluidColliders *colliders = fluid.colliders;
    const float length = dt / (float)subSteps;
    wbThesisStepGpu step;
    if (fluid.fluid->particles.count == 0) return wb_okStatus;
    WB_TRY(begin(&step, device, fluid));
    for (int k = 0; k < subSteps; k++) {
        const wbDomain domain = wbDomain_At(fluid.model->domain, (float)(k + 1) * length);
        if (colliders && colliders->move)
            colliders->move((float)k / (float)subSteps, (float)(k + 1) / (float)subSteps, colliders->context);
        step.fluid.search.space.sides = wbGetSpaceSides(&domain, step.fluid.h);
        step.move = wbThesisModel_GetMove(fluid.model, &domain, length, fluid.thesis->steps);
        WB_TRY(advance(&step, length));
    }
    return wbFluidStepGpu_TakeTimes(&step.fluid);
}
