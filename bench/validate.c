// SPDX-License-Identifier: MIT
#include "bench/validate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench/names.h"
#include "bench/validate_case.h"
#include "core/status.h"

static const wbValidateCase cases[] = {
    {"sph-momentum", "blobs without sides and gravity keep their momentum", wbValidateMomentum, wb_caseQuick},
    {"couple-momentum", "a free box that fluids hit, and they, keep their momentum", wbValidateCouple,
     wb_caseQuick},
    {"couple-draft", "a log floats as deep as Archimedes says", wbValidateCoupleDraft, wb_caseQuickOnCores},
    {"couple-calm", "logs of three densities float for 12 s", wbValidateCoupleDrafts, wb_caseFull},
    {"couple-log", "square logs lie in the water as their density makes them", wbValidateCoupleLog,
     wb_caseFull},
    {"couple-shaking", "logs of six densities, down to a hundredth of the water's, shake while they float",
     wbValidateCoupleShaking, wb_caseFull},
    {"couple-light", "light logs are dropped into water", wbValidateCoupleLight, wb_caseFull},
    {"couple-rise", "discs are let go under water", wbValidateCoupleRise, wb_caseFull},
    {"couple-archimedes", "a cube, a ball and a tilted cube are held under water", wbValidateCoupleArchimedes,
     wb_caseFull},
    {"couple-sizes", "cubes and balls of 5 to 16 spacings are held under water", wbValidateCoupleSizes,
     wb_caseFull},
    {"couple-cube", "cubes that float stand on a corner", wbValidateCoupleCube, wb_caseFull},
    {"couple-piston", "a column of 20 layers swings on a piston that a spring bears", wbValidateCouplePiston,
     wb_caseFull},
    {"couple-gate", "a gate hinged at its foot holds water back by a spring", wbValidateCoupleGate,
     wb_caseFull},
    {"couple-wheel", "a jet hits a plate that is held, and one that a motor moves half as fast",
     wbValidateCoupleWheel, wb_caseFull},
    {"couple-hash", "every solver in one box: the same bits for any number of threads, and resumed",
     wbValidateCoupleHash, wb_caseFull},
    {"couple-cart", "a soft block slides onto a free cart", wbValidateCoupleCart, wb_caseQuickOnCores},
    {"couple-slope", "a soft block slides down a rigid slope, a box rests on a soft slab",
     wbValidateCoupleSlope, wb_caseQuickOnCores},
    {"couple-soft-momentum", "a box that hits a soft ball, and that, keep their momentum",
     wbValidateCoupleSoft, wb_caseQuickOnCores},
    {"couple-wet-momentum", "water that hits a cloth and a soft ball, and they, keep their momentum",
     wbValidateWetMomentum, wb_caseQuickOnCores},
    {"couple-membrane", "a sheet between two levels of water", wbValidateCoupleMembrane, wb_caseFull},
    {"couple-trough", "a cloth full of water hangs as a lintearia", wbValidateCoupleTrough, wb_caseFull},
    {"couple-bag", "a cloth bag holds its water while gravity swings", wbValidateCoupleBag, wb_caseFull},
    {"couple-open-bag", "a hose fills an open bag of cloth, which swings for a minute",
     wbValidateCoupleOpenBag, wb_caseFull},
    {"couple-soft-piston", "a block of springs sinks under a column of water", wbValidateCoupleSoftPiston,
     wb_caseFull},
    {"couple-soft-float", "a soft ball floats as deep as Archimedes says", wbValidateCoupleSoftFloat,
     wb_caseFull},
    {"couple-hull", "bodies with thin walls float, sink, and keep water apart", wbValidateCoupleHull,
     wb_caseFull},
    {"air-drag", "the force of a wind on what is held", wbValidateAirDrag, wb_caseQuick},
    {"air-fall", "a cloth and a board fall flat through still air", wbValidateAirFall, wb_caseQuickOnCores},
    {"air-slug", "a slab in a duct pushes all of its air", wbValidateAirSlug, wb_caseQuick},
    {"air-added-mass", "the air that goes along with a disc and a ball", wbValidateAirAddedMass, wb_caseFull},
    {"air-volume", "a bar stirs smoke in a closed box", wbValidateAirVolume, wb_caseQuickOnCores},
    {"air-cloth", "what a cloth takes from the air of a grid", wbValidateAirGridDrag, wb_caseQuick},
    {"air-spray", "a drop falls through still air", wbValidateSpray, wb_caseQuickOnCores},
    {"air-water", "a box of water falls through smoke", wbValidateWaterInAir, wb_caseQuickOnCores},
    {"air-quench", "a gram of water boils away in hot air", wbValidateQuench, wb_caseQuick},
    {"air-puddle", "hot air warms a puddle through its surface", wbValidatePuddle, wb_caseQuickOnCores},
    {"air-heat", "heat of a closed box in which water splashes and boils", wbValidateHeatBalance,
     wb_caseQuickOnCores},
    {"air-cloud", "a cloud forms where air rises", wbValidateCloud, wb_caseQuickOnCores},
    {"air-balloon", "a ball lighter than air rises in it", wbValidateAirBalloon, wb_caseFull},
    {"sph-hydrostatic", "a column of 30 layers comes to rest with p = rho0 g depth", wbValidateHydrostatic,
     wb_caseQuick},
    {"sph-dam-break", "front and height of a collapsing column (Martin and Moyce 1952)", wbValidateDamBreak,
     wb_caseQuickOnCores},
    {"sph-droplet", "a floating cube of 12^3 particles becomes a ball by its surface tension",
     wbValidateDroplet, wb_caseQuickOnCores},
    {"sph-laplace", "pressure in drops at rest by surface tension", wbValidateLaplace, wb_caseQuickOnCores},
    {"sph-laplace-large", "the same in larger drops", wbValidateLaplaceLarge, wb_caseFull},
    {"sph-drop-swing",
     "the same by cohesion: period of drops that were pushed out of their round shape (Rayleigh, Lamb)",
     wbValidateDropSwing, wb_caseFull},
    {"drop-swing", "drops whose tension is a stress swing, and come back to round", wbValidateDropLiquid,
     wb_caseQuickOnCores},
    {"drop-swing-large", "the same, larger, and balls", wbValidateDropLiquidLarge, wb_caseFull},
    {"drop-laplace", "pressure in such drops at rest", wbValidateDropPressure, wb_caseFull},
    {"drop-laplace-large", "the same, larger, and balls", wbValidateDropPressureLarge, wb_caseFull},
    {"drop-angle", "drops on a plate make the contact angle that is given", wbValidateDropAngle, wb_caseFull},
    {"drop-angle-large", "the same, larger, and balls", wbValidateDropAngleLarge, wb_caseFull},
    {"sph-still", "a tank of 20 layers rests, and 1 m3 weighs 1,000 kg", wbValidateSphStill, wb_caseQuick},
    {"sph-still-deep", "tanks of 10 coarse, 40 and 80 layers rest", wbValidateSphStillDeep, wb_caseFull},
    {"sph-wave", "standing waves of 1 m, with the quality precise", wbValidateSphWave, wb_caseQuickOnCores},
    {"sph-wave-fine", "the same at three resolutions", wbValidateSphWaveFine, wb_caseFull},
    {"sph-tube", "water swings in a tube like a U, with the quality precise", wbValidateSphTube, wb_caseFull},
    {"sph-slosh", "a box half full is shaken for 10 s and rests for 50, with the quality precise",
     wbValidateSphSlosh, wb_caseFull},
    {"sph-layers", "two fluids of different density rest in layers, and waves run between them",
     wbValidateSphLayers, wb_caseQuickOnCores},
    {"sph-jet", "a flat jet hits a plate", wbValidateSphJet, wb_caseQuick},
    {"sph-round-jet", "a round jet hits a plate", wbValidateSphRoundJet, wb_caseFull},
    {"sph-stable-dt", "the largest step with which a block of 4096 particles stays calm for 10 s",
     wbValidateStableStep, wb_caseFull},
    {"sph-soak", "a pipe fills a box; world.seconds (1800) later its 32768 particles rest in it",
     wbValidateSoak, wb_caseLong},
    {"split-momentum", "sph-momentum by the method split", wbValidateSplitMomentum, wb_caseQuick},
    {"split-hydrostatic", "sph-hydrostatic by the method split", wbValidateSplitHydrostatic, wb_caseQuick},
    {"split-dam-break", "sph-dam-break by the method split", wbValidateSplitDamBreak, wb_caseQuick},
    {"split-still", "sph-still by the method split", wbValidateSplitStill, wb_caseQuick},
    {"split-still-deep", "sph-still-deep by the method split", wbValidateSplitStillDeep, wb_caseFull},
    {"split-layers", "sph-layers by the method split", wbValidateSplitLayers, wb_caseFull},
    {"split-jet", "sph-jet by the method split", wbValidateSplitJet, wb_caseQuick},
    {"split-drop-swing", "drop-swing by the method split", wbValidateSplitDropSwing, wb_caseQuickOnCores},
    {"split-wave", "standing waves of 1 m, with the quality balanced", wbValidateSplitWave,
     wb_caseQuickOnCores},
    {"split-wave-fine", "the same at three resolutions", wbValidateSplitWaveFine, wb_caseFull},
    {"split-tube", "water swings in a tube like a U, with the quality balanced", wbValidateSplitTube,
     wb_caseFull},
    {"split-slosh", "a box half full is shaken for 10 s and rests for 50, with the quality balanced",
     wbValidateSplitSlosh, wb_caseFull},
    {"pbd-pendulum", "a distance constraint swings with the period of a pendulum", wbValidatePendulum,
     wb_caseQuick},
    {"pbd-chain", "an inextensible chain hangs as a catenary", wbValidateChain, wb_caseQuickOnCores},
    {"pbd-rope", "a rope that swings from horizontal keeps its energy", wbValidateRope, wb_caseQuickOnCores},
    {"xpbd-spring", "a weight stretches one compliant constraint alike with any iterations and steps",
     wbValidateSpring, wb_caseQuick},
    {"xpbd-chain", "20 springs in a row stretch by their weight, the better the more sub-steps",
     wbValidateSpringRow, wb_caseQuickOnCores},
    {"pbd-solvers", "each solver restores a squeezed ball", wbValidateSolvers, wb_caseQuickOnCores},
    {"pbd-slope", "a block of particles slides down a collider", wbValidateSlope, wb_caseQuickOnCores},
    {"pbf-rest", "a box half full of a position based fluid rests without being compressed",
     wbValidatePbfRest, wb_caseQuickOnCores},
    {"pbf-still", "tanks of 10 and 20 layers rest", wbValidatePbfStill, wb_caseQuickOnCores},
    {"pbf-still-deep", "tanks of 40 and 80 layers rest", wbValidatePbfStillDeep, wb_caseFull},
    {"pbf-layers", "two fluids of different density rest in layers, and waves run between them",
     wbValidatePbfLayers, wb_caseQuick},
    {"pbf-wave", "standing waves of 1 m", wbValidatePbfWave, wb_caseQuick},
    {"pbf-wave-fine", "the same at three resolutions", wbValidatePbfWaveFine, wb_caseFull},
    {"pbf-wall", "a plate holds back water at rest", wbValidatePbfWall, wb_caseQuickOnCores},
    {"pbf-tube", "water swings in a tube like a U", wbValidatePbfTube, wb_caseFull},
    {"pbf-slosh", "a box half full is shaken for 10 s and rests for 50", wbValidatePbfSlosh, wb_caseFull},
    {"pbf-spin", "a ball spins in free flight", wbValidatePbfSpin, wb_caseQuick},
    {"pbf-fall", "a ball falls, by both integrators", wbValidatePbfFall, wb_caseQuick},
    {"apbf-analysis", "the theory of particles of different sizes", wbValidateAdaptiveAnalysis, wb_caseQuick},
    {"apbf-momentum", "blobs that merge and split in free flight keep their momentum",
     wbValidateAdaptiveMomentum, wb_caseQuickOnCores},
    {"apbf-momentum-thesis", "the same by the method thesis", wbValidateAdaptiveMomentumThesis, wb_caseFull},
    {"apbf-ball", "discs and balls of particles of different sizes rest", wbValidateAdaptiveBall,
     wb_caseQuickOnCores},
    {"apbf-ball-large", "the same, larger, by both methods", wbValidateAdaptiveBallLarge, wb_caseFull},
    {"apbf-disc", "the source's disc, beside particles of one size", wbValidateAdaptiveDisc, wb_caseFull},
    {"apbf-pool", "pools whose particles merge and split for 60 s", wbValidateAdaptivePool, wb_caseFull},
    {"apbf-split", "a pool at rest splits whole", wbValidateAdaptiveSplit, wb_caseQuickOnCores},
    {"apbf-split-scales", "the same by both methods, from 1 mm to 1 m", wbValidateAdaptiveSplitScales,
     wb_caseFull},
    {"apbf-splash", "a ball of water falls into a pool", wbValidateAdaptiveSplash, wb_caseFull},
    {"apbf-pressure", "when the surface feels that the floor rises", wbValidateAdaptivePressure, wb_caseFull},
    {"rigid-contact", "two spheres of one particle each meet head-on", wbValidateRigidContact, wb_caseQuick},
    {"rigid-rolling", "a ball rolls down a slope", wbValidateRigidRolling, wb_caseQuick},
    {"rigid-sliding", "a box slides down a slope, or sticks", wbValidateRigidSliding, wb_caseQuick},
    {"rigid-cone", "friction is the same in all directions", wbValidateRigidCone, wb_caseQuick},
    {"rigid-top", "a free body turns over about its middle axis", wbValidateRigidTop, wb_caseQuickOnCores},
    {"rigid-stack", "ten boxes stand for 10 s, aligned and uneven", wbValidateRigidStack, wb_caseQuick},
    {"rigid-bounce", "how high a ball bounces", wbValidateRigidBounce, wb_caseQuick},
    {"rigid-cradle", "a ball hits four others in a row", wbValidateRigidCradle, wb_caseQuick},
    {"rigid-pendulum", "a rod swings on a hinge", wbValidateRigidPendulum, wb_caseQuick},
    {"rigid-momentum", "two boxes meet in free flight", wbValidateRigidMomentum, wb_caseQuick},
    {"rigid-pile", "200 boxes fall on each other", wbValidateRigidPile, wb_caseQuick},
    {"smoke-projection", "the divergence that a projection leaves, in 2D and 3D, with solid cells",
     wbValidateSmokeProjection, wb_caseQuick},
    {"smoke-cavity", "air in a box with a sliding lid (Ghia, Ghia and Shin 1982)", wbValidateSmokeCavity,
     wb_caseQuickOnCores},
    {"smoke-taylor-green", "vortices that fade by viscosity alone", wbValidateSmokeTaylorGreen, wb_caseQuick},
    {"smoke-taylor-green-1000", "the same at a tenth of the viscosity, in steps as a world chooses them",
     wbValidateSmokeTaylorGreen1000, wb_caseQuick},
    {"smoke-cavity-1000", "the cavity with a faster lid (Botella and Peyret 1998)", wbValidateSmokeCavity1000,
     wb_caseFull},
    {"smoke-mass", "smoke in a closed box for ten seconds", wbValidateSmokeMass, wb_caseQuick},
    {"smoke-mass-open", "smoke that rises below an open top", wbValidateSmokeMassOpen, wb_caseQuick},
    {"smoke-mass-compare", "how much of the smoke other advections lose or make", wbValidateSmokeMassCompare,
     wb_caseFull},
    {"smoke-slab", "heat goes through still air between sides of two temperatures", wbValidateSmokeSlab,
     wb_caseQuick},
    {"smoke-convection", "when a layer of air that is heated from below begins to turn (Rayleigh, Benard)",
     wbValidateSmokeConvection, wb_caseFull},
    {"probes-still", "gauges in tanks of 20 layers at rest", wbValidateProbesStill, wb_caseQuickOnCores},
    {"probes-jet", "a rectangle that a round jet goes through", wbValidateProbesJet, wb_caseQuick},
};

enum { caseCount = sizeof cases / sizeof cases[0] };

wbValidateOptions wbDefaultValidateOptions(void) { return (wbValidateOptions){.deviceIndex = -1}; }

// For cases

static wbStatus applySettings(const wbValidateOptions *options, wbWorld *world) {
    for (int i = 0; i < options->settingCount; i++) {
        WB_TRY(wbWorld_SetParam(world, options->settings[i].key, options->settings[i].value));
    }
    return wb_okStatus;
}

wbWorldDef wbMakeTankDef(const wbTank *tank) {
    wbWorldDef def = wbDefaultWorldDef();
    def.params.dimensions = 2;
    def.params.gravity = wbMakeVec3(0, (float)-tank->gravity, 0);
    def.sph.spacing = (float)tank->spacing;
    def.sph.equation = wb_equationTait;
    def.sph.soundSpeed = (float)tank->soundSpeed;
    def.sph.artificialViscosity = (float)tank->artificialViscosity;
    def.domain.max = wbMakeVec3((float)tank->width, (float)tank->height, 0);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    return def;
}

void wbNameMachine(wbValidateRun *run, const wbDevice *device, wbSimd simd) {
    run->backend = device ? "opencl" : "cpu";
    snprintf(run->machine, sizeof run->machine, "%s", device ? device->name : wbGetSimdName(simd));
}

wbStatus wbGetCaseMachine(const wbValidateRun *run, wbCaseMachine *machine) {
    const wbValidateOptions *options = run->options;
    if (options->settingCount > 0 && options->nameCount > 0)
        return wbError(wb_errorInput, "%s has no parameters to set: leave --set out", run->name);
    *machine = (wbCaseMachine){.threadCount = options->threadCount > 0 ? options->threadCount : 1,
                               .simd = options->simd,
                               .backend = options->backend,
                               .deviceIndex = options->deviceIndex};
    return wb_okStatus;
}

wbStatus wbCreateCaseWorld(wbValidateRun *run, wbWorldDef def, wbFluidSolver solver, wbWorld **world,
                           wbFluidId *fluid) {
    // small worlds: a second thread costs more than it brings; the results do not depend on it
    def.threadCount = run->options->threadCount > 0 ? run->options->threadCount : 1;
    def.simd = run->options->simd;
    def.params.backend = run->options->backend;
    def.params.device = run->options->deviceIndex;
    if (run->isSplit) def.sph.method = wb_sphSplit;
    WB_TRY(wbCreateWorld(&def, world));
    wbFluidDef water = wbDefaultFluidDef();
    water.name = "water", water.solver = solver;
    wbStatus status = wbCreateFluid(*world, &water, fluid);
    if (wbIsOk(status)) status = applySettings(run->options, *world);
    if (!wbIsOk(status)) {
        wbDestroyWorld(*world);
        *world = NULL;
        return status;
    }
    wbNameMachine(run, wbWorld_GetDevice(*world), wbWorld_GetSimd(*world));
    return wb_okStatus;
}

wbStatus wbCreateCaseVolume(wbValidateRun *run, const wbSmokeParams *params, const wbDomainDef *domain,
                            int dimensions, wbSmokeVolume *volume) {
    wbCaseMachine machine;
    WB_TRY(wbGetCaseMachine(run, &machine));
    WB_TRY(wbCreateSmokeVolume(volume, &machine, params, domain, dimensions));
    wbNameMachine(run, volume->gpu ? wbGpu_GetDevice(volume->gpu) : NULL, volume->work.simd);
    return wb_okStatus;
}

static void showProgress(wbValidateRun *run, double done) {
    int percent = (int)(100 * done);
    if (percent == run->percent || !isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%-24s %3d %%", run->name, percent);
    run->percent = percent;
}

// Leaves the terminal as it was, so that results stand on a line of their own.
static void hideProgress(wbValidateRun *run) {
    if (run->percent >= 0) fprintf(stderr, "\r%40s\r", "");
    run->percent = -1;
}

bool wbContinueCase(wbValidateRun *run, double done) {
    showProgress(run, done);
    if (run->options->stop != NULL && *run->options->stop != 0) run->stopped = true;
    return !run->stopped;
}

wbStatus wbStepCase(wbValidateRun *run, wbWorld *world, double done) {
    return wbContinueCase(run, done) ? wbWorld_Step(world, 0) : wb_okStatus;
}

float wbGetFineStep(const wbWorld *world) {
    const float asked = wbWorld_GetWorldParams(world)->dt;
    return asked > 0 ? asked : wbWorld_GetStableStep(world);
}

wbStatus wbStepCaseFinely(wbValidateRun *run, wbWorld *world, double done) {
    return wbContinueCase(run, done) ? wbWorld_Step(world, wbGetFineStep(world)) : wb_okStatus;
}

// How far a value is from passing.
static double getError(const wbQuantity *q, double value) {
    if (q->judgement == wb_atLeast) return fmax(0, q->reference - value);
    return fabs(value - q->reference);
}

wbResult wbJudgeQuantity(const wbQuantity *q, const wbKnownMiss *known) {
    if (q->judgement == wb_noted) return wb_resultNoted;
    double error = getError(q, q->value);
    bool passes = error <= (q->judgement == wb_within ? q->tolerance : 0);
    if (!known || (passes && known->isErratic)) return passes ? wb_resultPass : wb_resultFail;
    // what is not a number is worse than anything
    return !passes && error <= 1.1 * getError(q, known->value) ? wb_resultMiss : wb_resultFail;
}

static void explainFailure(const wbQuantity *q, const wbKnownMiss *known) {
    if (!known || q->result != wb_resultFail) return;
    if (wbJudgeQuantity(q, NULL) == wb_resultPass)
        fprintf(stderr, "%s: %s passes, but is known as missed: take it out of bench/validate_known.c\n",
                q->name, q->quantity);
    else
        fprintf(stderr, "%s: %s is %.4g, worse by a tenth than the %.4g that is known\n", q->name,
                q->quantity, q->value, known->value);
}

void wbReportQuantity(wbValidateRun *run, wbQuantity quantity) {
    WB_ASSERT(run->quantityCount < WB_MAX_QUANTITIES, "too many quantities: raise WB_MAX_QUANTITIES");
    hideProgress(run);
    quantity.name = run->name;
    quantity.backend = run->backend;
    // of other parameters nothing is known
    const wbKnownMiss *known = run->options->settingCount == 0 ? wbFindKnownMiss(&quantity) : NULL;
    quantity.result = wbJudgeQuantity(&quantity, known);
    run->resultCounts[quantity.result]++;
    run->quantities[run->quantityCount++] = quantity;
    (run->options->json ? wbPrintQuantityJson : wbPrintQuantity)(&quantity, run->out);
    fflush(run->out);
    explainFailure(&quantity, known);
}

wbStatus wbPlotCase(wbValidateRun *run, const char *what, const wbPlot *plot) {
    char path[1024];
    const char *folder = run->options->plotDirectory;
    if (folder == NULL) return wb_okStatus;
    int length = snprintf(path, sizeof path, "%s/%s-%s.svg", folder, run->name, what);
    if (length >= (int)sizeof path)
        return wbError(wb_errorInput, "the path of the folder for plots is too long");
    return wbWritePlot(path, plot);
}

// The command

static void printList(FILE *out) {
    static const char *const lengths[] = {"", " (on a device: --full)", " (--full)", " (by its name alone)"};
    for (int i = 0; i < caseCount; i++) {
        fprintf(out, "%-20s %s%s\n", cases[i].name, cases[i].sentence, lengths[cases[i].length]);
    }
}

static wbStatus findCase(const char *name, int *index) {
    const char *known[caseCount];
    for (int i = 0; i < caseCount; i++) known[i] = cases[i].name;
    return wbFindName("validation case", "validate", name, known, caseCount, index);
}

static bool isWanted(const wbValidateOptions *options, const wbValidateCase *candidate) {
    const wbCaseLength quick = options->backend == wb_backendCpu ? wb_caseQuickOnCores : wb_caseQuick;
    if (options->nameCount == 0) return candidate->length <= (options->full ? wb_caseFull : quick);
    for (int i = 0; i < options->nameCount; i++) {
        if (strcmp(options->names[i], candidate->name) == 0) return true;
    }
    return false;
}

// An unstable run is a result, and a failed one; whatever else goes wrong ends the command.
static wbStatus runCase(wbValidateRun *run, const wbValidateCase *chosen) {
    run->name = chosen->name;
    run->percent = -1;
    wbStatus status = chosen->run(run);
    hideProgress(run);
    if (status.code != wb_errorUnstable) return status;
    fprintf(stderr, "%s: %s\n", chosen->name, status.text);
    wbReportQuantity(run,
                     (wbQuantity){.quantity = "stays stable", .unit = "", .reference = 1, .source = "-"});
    return wb_okStatus;
}

wbStatus wbRunValidate(const wbValidateOptions *options, FILE *out, int *failedCount) {
    wbValidateRun run = {.options = options, .out = out, .percent = -1};
    *failedCount = 0;
    if (options->list) {
        printList(out);
        return wb_okStatus;
    }
    int index;
    for (int i = 0; i < options->nameCount; i++) WB_TRY(findCase(options->names[i], &index));
    if (options->markdownPath != NULL) WB_TRY(wbCheckValidationPage(options->markdownPath));
    if (!options->json) wbPrintQuantityHeader(out);
    for (int i = 0; i < caseCount && !run.stopped; i++) {
        if (isWanted(options, &cases[i])) WB_TRY(runCase(&run, &cases[i]));
    }
    *failedCount = run.resultCounts[wb_resultFail];
    if (options->markdownPath != NULL && !run.stopped) WB_TRY(wbWriteValidationPage(&run));
    return wb_okStatus;
}
