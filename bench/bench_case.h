// SPDX-License-Identifier: MIT
// What a benchmark is, measures and reports.
#pragma once

#include "bench/bench.h"
#include "bench/case_solver.h"
#include "wirbel/scene.h"

typedef struct wbBenchStage {
    const char *name; ///< static text
    double ms;        ///< median
} wbBenchStage;

enum { WB_MAX_KERNELS = 96 };
typedef struct wbBenchKernel {
    char name[32];
    double ms; ///< mean per step, on the device
} wbBenchKernel;

/// One line of output; fields as in `bench --json`.
typedef struct wbBenchResult {
    const char *name;
    const char *backend; ///< "cpu", or "opencl": simd and threads mean nothing then
    char device[96];
    wbSimd simd;
    int threads, dimensions, particles, bodies, steps;
    int subSteps; ///< of position based fluids, in the last step; 0 elsewhere
    int64_t pairs, cells;
    double divergenceBefore, divergenceAfter; ///< 1/s, of the last projection of smoke
    double msPerStep, msP95;
    double realtime; ///< simulated by wall time of the timed steps; 0: not told
    int stageCount;
    wbBenchStage stages[WB_MAX_PHASES];
    int kernelCount; ///< of a compute device
    wbBenchKernel kernels[WB_MAX_KERNELS];
    int constraints, colours;             ///< of position based bodies; 0 elsewhere
    double nsPerProjection;               ///< solver time by constraints and iterations
    double msFall;                        ///< of rigid bodies: while they fall; 0 elsewhere, as both below
    double overlapMean, overlapMax;       ///< m, of bodies that touch
    int64_t merges, splits;               ///< of particles of different sizes
    double smallestRadius, largestRadius; ///< m, of them; 0: not told, as the others below
    double densityErrorMean,
        densityErrorMax;      ///< compression, as in wbStats, at the end or as wbBenchLive says
    double densityErrorWorst; ///< the largest of any step; with the next one of wbBenchLive alone
    double energyMax;         ///< the most of any step, of what there was before the first
    double nearShare; ///< of particles that have a point of a body within reach; 0: not told, with both below
    double msAlone,
        msOff; ///< of water without bodies, and with bodies that it does not know, but for the bodies' own phases
    double msStirred; ///< of the same water from which the bodies were just taken
    double gain;      ///< how many times faster than with particles of one size
    size_t bytes;     ///< at most
    size_t bytesHeld; ///< at the end, of particles of different sizes: less than they were filled with
    uint64_t hash;
    bool stopped;
} wbBenchResult;

typedef struct wbBenchCase wbBenchCase;
typedef wbStatus wbBenchFn(const wbBenchCase *benchCase, const wbBenchOptions *options,
                           wbBenchResult *result);

struct wbBenchCase {
    const char *name;
    const char *sentence;
    wbBenchFn *run;
    int warmUp, timed; ///< steps; where a scene chooses its own ones, simulated milliseconds
};

/// A benchmark of many parts that prints itself: Markdown, or JSON.
typedef struct wbBenchReport wbBenchReport;
typedef wbStatus wbBenchReportFn(const wbBenchReport *report, const wbBenchOptions *options, FILE *out);

struct wbBenchReport {
    const char *name;
    const char *sentence;
    wbBenchReportFn *run;
    int warmUp, timed; ///< steps of each part; 0: the report's own
};

/// Steps the world of scenes/bench/NAME.json.
wbBenchFn wbBenchScene;
/// How fast simulated time goes by in scenes/bench/NAME.json, and in scenes/NAME.json, which are shown. Density errors are means over the
/// timed steps: of each step's mean, and of its largest.
wbBenchFn wbBenchLive, wbBenchShown;
/// Stable steps and speed of the blocks and pipes, for every integrator, on the cores and on a compute device.
wbBenchReportFn wbReportTable;
/// Rigid boxes as particles, beside the source's figures.
wbBenchReportFn wbReportRigidTable;
/// The fluid of scenes/bench/NAME.json with particles of one size and of different sizes; the same at the instants of a waterfall.
wbBenchReportFn wbReportSizes, wbReportWaterfall;
/// One of both: NAME-basic or NAME-adaptive.
wbBenchFn wbBenchSizes;
/// Time of a step against the number of particles.
wbBenchReportFn wbReportScaling;
/// Searches the neighbours of the particles of scenes/bench/NAME.json; a step is one repeat.
wbBenchFn wbBenchNeighbours;
/// Sorts the keys of as many items as its name says on the first compute device; a step is one sort.
wbBenchFn wbBenchGpuSort;

/// What coupling costs in scenes/bench/NAME.json.
wbBenchFn wbBenchCoupled;

/// Steps the water of scenes/bench/colliders.json with as many colliders as the name says.
wbBenchFn wbBenchColliders;

/// Saves the world of scenes/NAME.json, NAME as behind "restore-", to bytes and goes back to them a step later; both are its stages, and
/// together its time.
wbBenchFn wbBenchRestore;

/// Steps the soft bodies of scenes/bench/NAME.json, NAME without its end, which says the solver: -gs, -jp or -jc.
wbBenchFn wbBenchSoftBodies;

/// Steps the pile of rigid bodies of scenes/bench/NAME.json.
wbBenchFn wbBenchRigidPile;

/// Path of a case's scene, and of the scene of a name among those that are shown; an error if it is too long.
wbStatus wbGetBenchScene(const wbBenchCase *benchCase, const wbBenchOptions *options, char *path, int size);
wbStatus wbGetShownScene(const char *name, const wbBenchOptions *options, char *path, int size);

/// A scene file, on the machine of the options, and its world; `integrator`: NULL for the scene's.
wbStatus wbReadBenchScene(const char *path, const wbBenchOptions *options, wbScene **scene);
wbStatus wbLoadBenchWorld(const char *path, const wbBenchOptions *options, const wbIntegrator *integrator,
                          wbWorld **world);

/// Lets emitters with a count finish, warms up and times steps.
wbStatus wbTimeWorld(wbWorld *world, int warmUp, int timed, const wbBenchOptions *options,
                     wbBenchResult *result);

/// All of a result but times: what the world is, where it computes, and the names of its phases.
void wbDescribeBenchWorld(wbWorld *world, wbBenchResult *result);

/// A tenth of the steps if that is what the options want.
int wbShortenSteps(const wbBenchOptions *options, int steps);

bool wbIsBenchStopped(const wbBenchOptions *options);

/// Times of `timed` steps: the whole, and each stage.
typedef struct wbBenchTimes {
    int capacity, count, stageCount;
    double *whole;  ///< [capacity]
    double *stages; ///< [WB_MAX_PHASES][capacity]
} wbBenchTimes;

wbStatus wbCreateBenchTimes(int capacity, wbBenchTimes *times);
void wbDestroyBenchTimes(wbBenchTimes *times);
/// Room for one more step, where their number is not known before.
wbStatus wbBenchTimes_Grow(wbBenchTimes *times);
/// One more step; `stages` in the same order every time.
void wbBenchTimes_Add(wbBenchTimes *times, double wholeMs, const wbBenchStage *stages, int stageCount);
/// Medians and 95th percentile; the stages' names must already stand in the result.
void wbBenchTimes_Summarise(wbBenchTimes *times, wbBenchResult *result);
/// One more timed step, for whose times there is room.
wbStatus wbTimeStep(wbWorld *world, wbBenchTimes *times);
/// Simulated by wall time of the timed steps, which took so many simulated seconds.
double wbGetRealTime(const wbBenchTimes *times, double seconds);

/// Name of the CPU as the system tells it.
void wbGetDeviceName(char *name, int size);
/// The text without what JSON would need to escape.
void wbCopyPlain(char *target, int size, const char *text);

void wbPrintBenchJson(const wbBenchResult *result, FILE *out);
void wbPrintBenchHeader(FILE *out);
void wbPrintBenchRow(const wbBenchResult *result, FILE *out);
