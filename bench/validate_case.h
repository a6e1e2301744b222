// SPDX-License-Identifier: MIT
// What a validation case gets, does and reports.
#pragma once

#include "bench/case_solver.h"
#include "bench/plot.h"
#include "bench/smoke_volume.h"
#include "bench/validate.h"
#include "wirbel/wirbel.h"

typedef enum wbJudgement {
    wb_within,  ///< passes if |value - reference| <= tolerance
    wb_atLeast, ///< passes if value >= reference
    wb_noted,   ///< nothing is asked of it
} wbJudgement;

typedef enum wbResult {
    wb_resultPass,
    wb_resultNoted, ///< nothing is asked of it
    wb_resultMiss,  ///< missed, as is known: does not fail the command
    wb_resultFail,  ///< missed; or known as missed, and it passes or became worse by a tenth
} wbResult;

/// A number that is held against a reference.
typedef struct wbQuantity {
    const char *name;    ///< of the case; filled in by wbReportQuantity
    const char *backend; ///< filled in by wbReportQuantity
    const char *quantity, *unit, *source;
    double value, reference, tolerance;
    wbJudgement judgement;
    wbResult result; ///< filled in by wbReportQuantity
} wbQuantity;

enum { WB_MAX_QUANTITIES = 1024 };

typedef struct wbValidateRun {
    const wbValidateOptions *options;
    FILE *out;
    const char *name; ///< of the case that runs
    bool isSplit;     ///< worlds of it compute SPH by the method split
    bool stopped;
    int percent;         ///< of the case, as last shown; -1: not yet
    const char *backend; ///< "cpu" or "opencl"
    char machine[128];   ///< instruction set, or name of the device
    int quantityCount;
    int resultCounts[wb_resultFail + 1];
    wbQuantity quantities[WB_MAX_QUANTITIES];
} wbValidateRun;

typedef wbStatus wbCaseFn(wbValidateRun *run);

typedef enum wbCaseLength {
    wb_caseQuick,
    wb_caseQuickOnCores, ///< with --full on a device, which takes longer where steps are small and many
    wb_caseFull,         ///< takes longer than ten seconds: with --full
    wb_caseLong,         ///< takes longer than ten minutes: by its name alone
} wbCaseLength;

typedef struct wbValidateCase {
    const char *name;
    const char *sentence;
    wbCaseFn *run;
    wbCaseLength length;
} wbValidateCase;

wbCaseFn wbValidateMomentum, wbValidateCouple, wbValidateHydrostatic, wbValidateDamBreak, wbValidateDroplet,
    wbValidateLaplace, wbValidateLaplaceLarge, wbValidateDropSwing, wbValidateStableStep, wbValidateSoak;
wbCaseFn wbValidateCoupleDraft, wbValidateCoupleDrafts, wbValidateCoupleLog, wbValidateCoupleLight,
    wbValidateCoupleShaking, wbValidateCoupleRise, wbValidateCoupleArchimedes, wbValidateCoupleSizes,
    wbValidateCoupleCube, wbValidateCouplePiston, wbValidateCoupleGate, wbValidateCoupleWheel,
    wbValidateCoupleHash;
wbCaseFn wbValidateWetMomentum, wbValidateCoupleMembrane, wbValidateCoupleTrough, wbValidateCoupleBag,
    wbValidateCoupleSoftFloat, wbValidateCoupleOpenBag, wbValidateCoupleSoftPiston, wbValidateCoupleHull;
wbCaseFn wbValidateCoupleCart, wbValidateCoupleSlope, wbValidateCoupleSoft;
wbCaseFn wbValidateAirDrag, wbValidateAirFall, wbValidateAirSlug, wbValidateAirAddedMass, wbValidateAirVolume,
    wbValidateAirBalloon, wbValidateAirGridDrag, wbValidateSpray, wbValidateWaterInAir, wbValidateQuench,
    wbValidatePuddle, wbValidateHeatBalance, wbValidateCloud;
wbCaseFn wbValidateDropLiquid, wbValidateDropLiquidLarge, wbValidateDropPressure, wbValidateDropPressureLarge,
    wbValidateDropAngle, wbValidateDropAngleLarge;
wbCaseFn wbValidateSphStill, wbValidateSphStillDeep, wbValidateSphJet, wbValidateSphRoundJet,
    wbValidateSphLayers, wbValidateSphWave, wbValidateSphWaveFine, wbValidateSphTube, wbValidateSphSlosh;
wbCaseFn wbValidateSplitMomentum, wbValidateSplitHydrostatic, wbValidateSplitDamBreak, wbValidateSplitStill,
    wbValidateSplitStillDeep, wbValidateSplitLayers, wbValidateSplitJet, wbValidateSplitWave,
    wbValidateSplitWaveFine, wbValidateSplitTube, wbValidateSplitSlosh, wbValidateSplitDropSwing;
wbCaseFn wbValidateSmokeProjection, wbValidateSmokeCavity, wbValidateSmokeCavity1000,
    wbValidateSmokeTaylorGreen, wbValidateSmokeTaylorGreen1000, wbValidateSmokeMass, wbValidateSmokeMassOpen,
    wbValidateSmokeMassCompare;
wbCaseFn wbValidateSmokeSlab, wbValidateSmokeConvection;
wbCaseFn wbValidateProbesStill, wbValidateProbesJet;
wbCaseFn wbValidatePendulum, wbValidateChain, wbValidateSpring, wbValidateSpringRow, wbValidateRope,
    wbValidateSolvers, wbValidateSlope, wbValidatePbfRest;
wbCaseFn wbValidatePbfStill, wbValidatePbfStillDeep, wbValidatePbfLayers, wbValidatePbfWave,
    wbValidatePbfWaveFine, wbValidatePbfWall, wbValidatePbfTube, wbValidatePbfSlosh, wbValidatePbfSpin,
    wbValidatePbfFall;
wbCaseFn wbValidateAdaptiveAnalysis, wbValidateAdaptiveDisc, wbValidateAdaptiveBall,
    wbValidateAdaptiveBallLarge, wbValidateAdaptiveMomentum, wbValidateAdaptiveMomentumThesis,
    wbValidateAdaptivePool, wbValidateAdaptiveSplit, wbValidateAdaptiveSplitScales, wbValidateAdaptiveSplash,
    wbValidateAdaptivePressure;
wbCaseFn wbValidateRigidContact, wbValidateRigidRolling, wbValidateRigidSliding, wbValidateRigidTop,
    wbValidateRigidStack, wbValidateRigidBounce, wbValidateRigidCradle, wbValidateRigidPendulum,
    wbValidateRigidCone, wbValidateRigidMomentum, wbValidateRigidPile;

/// A 2D box with free-slip sides, Tait's equation, gravity downwards; m, m/s, m/s2.
typedef struct wbTank {
    double width, height, spacing, soundSpeed, gravity, artificialViscosity;
} wbTank;
wbWorldDef wbMakeTankDef(const wbTank *tank);

/// A world with one fluid, with threads, instruction set and settings of the options.
wbStatus wbCreateCaseWorld(wbValidateRun *run, wbWorldDef def, wbFluidSolver solver, wbWorld **world,
                           wbFluidId *fluid);

/// A volume of smoke alone, on what the options name.
wbStatus wbCreateCaseVolume(wbValidateRun *run, const wbSmokeParams *params, const wbDomainDef *domain,
                            int dimensions, wbSmokeVolume *volume);

/// For cases without a world: what to run on, and what it turned out to be, for the report.
wbStatus wbGetCaseMachine(const wbValidateRun *run, wbCaseMachine *machine);
void wbNameMachine(wbValidateRun *run, const wbDevice *device, wbSimd simd);
/// Shows progress and looks for a stop; false: the case ends, run->stopped is set.
bool wbContinueCase(wbValidateRun *run, double done);

/// One step of the world's own dt. Shows progress and looks for a stop; `done` is the share 0 … 1 of the
/// case.
wbStatus wbStepCase(wbValidateRun *run, wbWorld *world, double done);
/// The same for cases that look at moments: with dt auto one step as long as the solvers allow, and that in s.
wbStatus wbStepCaseFinely(wbValidateRun *run, wbWorld *world, double done);
float wbGetFineStep(const wbWorld *world);

/// A row that is missed and understood, with the worst value that was measured on any machine.
typedef struct wbKnownMiss {
    const char *name, *quantity;
    double value;
    bool isErratic; ///< rounding, the instruction set or the device decides its value: it may pass
} wbKnownMiss;
const wbKnownMiss *wbGetKnownMisses(int *count);
/// NULL: the quantity is none of them.
const wbKnownMiss *wbFindKnownMiss(const wbQuantity *quantity);
/// `known` may be NULL.
wbResult wbJudgeQuantity(const wbQuantity *quantity, const wbKnownMiss *known);

/// Judges, prints and keeps a quantity.
void wbReportQuantity(wbValidateRun *run, wbQuantity quantity);

/// Writes DIR/CASE-what.svg if plots are wanted.
wbStatus wbPlotCase(wbValidateRun *run, const char *what, const wbPlot *plot);

void wbPrintQuantityHeader(FILE *out);
void wbPrintQuantity(const wbQuantity *quantity, FILE *out);
void wbPrintQuantityJson(const wbQuantity *quantity, FILE *out);
/// Whether the page can be written: asked before the cases run.
wbStatus wbCheckValidationPage(const char *path);
/// The page docs/validation.md.
wbStatus wbWriteValidationPage(const wbValidateRun *run);
