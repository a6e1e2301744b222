// SPDX-License-Identifier: MIT
#include "bench/bench.h"

#include "bench/bench_case.h"
#include "bench/names.h"
#include "core/status.h"

static const wbBenchCase cases[] = {
    {"neighbours-32768", "cell sort, reordering and neighbour lists of 32^3 jittered particles",
     wbBenchNeighbours, 5, 50},
    {"neighbours-262144", "the same for 64^3", wbBenchNeighbours, 5, 50},
    {"sph-block-4096-euler-plain", "block of 16^3 particles falls over in a box, one evaluation a step",
     wbBenchScene, 300, 200},
    {"sph-block-4096-leapfrog-plain", "the same with leapfrog, two evaluations a step", wbBenchScene, 300,
     200},
    {"sph-block-32768-euler-plain", "block of 32^3 particles falls over in a box, one evaluation a step",
     wbBenchScene, 300, 200},
    {"sph-block-32768-leapfrog-plain", "the same with leapfrog, two evaluations a step", wbBenchScene, 300,
     200},
    {"sph-block-4096-euler", "block of 16^3 particles with surface tension, one evaluation a step",
     wbBenchScene, 300, 200},
    {"sph-block-4096-leapfrog", "the same with leapfrog, two evaluations a step", wbBenchScene, 300, 200},
    {"sph-block-32768-euler", "block of 32^3 particles with surface tension, one evaluation a step",
     wbBenchScene, 300, 200},
    {"sph-block-32768-leapfrog", "the same with leapfrog, two evaluations a step", wbBenchScene, 300, 200},
    {"sph-pipe-4096-euler-plain", "4096 particles poured from a pipe into a box, one evaluation a step",
     wbBenchScene, 50, 200},
    {"sph-pipe-4096-leapfrog-plain", "the same with leapfrog, two evaluations a step", wbBenchScene, 50, 200},
    {"sph-pipe-32768-euler-plain", "32768 particles poured from a pipe into a box, one evaluation a step",
     wbBenchScene, 50, 200},
    {"sph-pipe-32768-leapfrog-plain", "the same with leapfrog, two evaluations a step", wbBenchScene, 50,
     200},
    {"sph-pipe-4096-euler", "4096 particles with surface tension poured from a pipe, one evaluation a step",
     wbBenchScene, 50, 200},
    {"sph-pipe-4096-leapfrog", "the same with leapfrog, two evaluations a step", wbBenchScene, 50, 200},
    {"sph-pipe-32768-euler", "32768 particles with surface tension poured from a pipe, one evaluation a step",
     wbBenchScene, 50, 200},
    {"sph-pipe-32768-leapfrog", "the same with leapfrog, two evaluations a step", wbBenchScene, 50, 200},
    {"pbd-ball-220-gs", "a ball of 220 particles and all pairs of them falls into a box, 2 iterations",
     wbBenchSoftBodies, 60, 300},
    {"pbd-ball-220-jp", "the same with Jacobi by particles", wbBenchSoftBodies, 60, 300},
    {"pbd-ball-220-jc", "the same with Jacobi by constraints", wbBenchSoftBodies, 60, 300},
    {"pbd-ball-702-48k-gs", "a ball of 702 particles and 48,047 pairs, 5 iterations", wbBenchSoftBodies, 60,
     300},
    {"pbd-ball-702-48k-jp", "the same with Jacobi by particles", wbBenchSoftBodies, 60, 300},
    {"pbd-ball-702-48k-jc", "the same with Jacobi by constraints", wbBenchSoftBodies, 60, 300},
    {"pbd-ball-702-20k-gs", "a ball of 702 particles and 20,629 pairs, 1 iteration", wbBenchSoftBodies, 60,
     300},
    {"pbd-ball-702-20k-jp", "the same with Jacobi by particles", wbBenchSoftBodies, 60, 300},
    {"pbd-ball-702-20k-jc", "the same with Jacobi by constraints", wbBenchSoftBodies, 60, 300},
    {"pbd-cloth-200-gs", "a cloth of 200^2 particles hangs from two corners, 5 iterations", wbBenchSoftBodies,
     60, 200},
    {"pbf-4000", "block of a position based fluid collapses, 4 iterations", wbBenchScene, 60, 100},
    {"pbf-32768", "the same with 32^3 particles", wbBenchScene, 60, 100},
    {"world-water", "a basin of 32768 particles, position based", wbBenchScene, 120, 120},
    {"world-boxes-in-water", "the same with 100 boxes that fall into it", wbBenchScene, 120, 120},
    {"world-few-boxes-in-water",
     "the same with 50, a tenth of the water near them, beside the water alone and with the pair off",
     wbBenchCoupled, 120, 120},
    {"world-few-boxes-in-water-split", "40 boxes by the method split of SPH", wbBenchCoupled, 120, 120},
    {"world-few-boxes-in-water-explicit", "the same by explicit SPH, in steps of 1 ms", wbBenchCoupled, 480,
     120},
    {"world-cloth-bag", "a bag of 1152 triangles, with 1700 particles of water in it", wbBenchScene, 120,
     120},
    {"world-soft-balls", "three soft balls of 250 particles fall into 10800 of water", wbBenchScene, 120,
     120},
    {"world-machine", "every solver in one scene, as it is shown: 5 s", wbBenchShown, 0, 5000},
    {"pbf-100000", "the same with 50 x 40 x 50", wbBenchScene, 60, 100},
    {"apbf-pool-50-basic", "a pool of 100 x 100 x 50 particles at rest", wbBenchSizes, 180, 60},
    {"apbf-pool-50-adaptive", "the same with particles of different sizes", wbBenchSizes, 180, 60},
    {"apbf-pool-64-basic", "a pool of 64^3 particles at rest", wbBenchSizes, 180, 60},
    {"apbf-pool-64-adaptive", "the same with particles of different sizes", wbBenchSizes, 180, 60},
    {"apbf-shallow-3-basic", "200 x 200 particles of a shallow pool, 3 layers", wbBenchSizes, 60, 60},
    {"apbf-shallow-3-adaptive", "the same with particles of different sizes", wbBenchSizes, 60, 60},
    {"apbf-shallow-6-basic", "200 x 200 particles of a shallow pool, 6 layers", wbBenchSizes, 60, 60},
    {"apbf-shallow-6-adaptive", "the same with particles of different sizes", wbBenchSizes, 60, 60},
    {"apbf-disc-100-basic", "a disc of 7,857 particles without weight", wbBenchSizes, 600, 50},
    {"apbf-disc-100-adaptive", "the same with particles of different sizes", wbBenchSizes, 600, 50},
    {"apbf-ball-100-basic", "a ball of 524,000 particles without weight", wbBenchSizes, 600, 50},
    {"apbf-ball-100-adaptive", "the same with particles of different sizes", wbBenchSizes, 600, 50},
    {"channel", "the water channel as it is shown, 21,000 particles: 3 s from 2 s on", wbBenchShown, 2000,
     3000},
    {"dam-33k-explicit", "a column of 32 x 64 x 16 particles falls over and hits the wall: 1.5 s, SPH",
     wbBenchLive, 0, 1500},
    {"dam-33k-pbf", "the same by positions", wbBenchLive, 0, 1500},
    {"dam-33k-split", "the same by the method split", wbBenchLive, 0, 1500},
    {"colliders-0", "block of 32^3 particles of a position based fluid collapses in a high box",
     wbBenchColliders, 60, 100},
    {"colliders-10", "the same onto ten boxes as colliders", wbBenchColliders, 60, 100},
    {"colliders-1000", "the same, and 990 more hang above the water", wbBenchColliders, 60, 100},
    {"smoke-plume-64-multigrid",
     "plume of hot smoke around a ball in 64^3 cells, pressure by multigrid to 1e-3", wbBenchScene, 40, 60},
    {"smoke-plume-64-jacobi40", "the same with 40 sweeps of Jacobi", wbBenchScene, 40, 60},
    {"smoke-plume-100-multigrid",
     "plume of hot smoke around a ball in 100^3 cells, pressure by multigrid to 1e-3", wbBenchScene, 40, 60},
    {"smoke-plume-100-jacobi40", "the same with 40 sweeps of Jacobi", wbBenchScene, 40, 60},
    {"smoke-plume-100-reflect", "the same by multigrid in steps of second order", wbBenchScene, 40, 60},
    {"smoke-plume-128-multigrid",
     "plume of hot smoke around a ball in 128^3 cells, pressure by multigrid to 1e-3", wbBenchScene, 40, 60},
    {"smoke-plume-128-jacobi40", "the same with 40 sweeps of Jacobi", wbBenchScene, 40, 60},
    {"smoke-plume-150-multigrid",
     "plume of hot smoke around a ball in 150^3 cells, pressure by multigrid to 1e-3", wbBenchScene, 40, 60},
    {"smoke-plume-150-jacobi40", "the same with 40 sweeps of Jacobi", wbBenchScene, 40, 60},
    {"rigid-boxes-10-exact", "a pile of 10 unit cubes between four walls, by their shapes", wbBenchRigidPile,
     600, 100},
    {"rigid-boxes-100-exact", "the same with 100", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-1000-exact", "the same with 1,000", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-10000-exact", "the same with 10,000", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-10-particles", "10 cubes as 27 particles each, 10 sub-steps", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-100-particles", "the same with 100", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-1000-particles", "the same with 1,000", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-10000-particles", "the same with 10,000", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-10-particles-seed", "10 cubes as particles with the source's springs, one sub-step",
     wbBenchRigidPile, 600, 100},
    {"rigid-boxes-100-particles-seed", "the same with 100", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-1000-particles-seed", "the same with 1,000", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-10000-particles-seed", "the same with 10,000", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-10-nogrid", "10 cubes as particles, all pairs of particles", wbBenchRigidPile, 600, 100},
    {"rigid-boxes-100-nogrid", "the same with 100", wbBenchRigidPile, 600, 100},
    {"rigid-mixed-1000", "a pile of 1,000 boxes, balls, capsules and cylinders in turn", wbBenchRigidPile,
     600, 100},
    {"rigid-hulls-1000", "a pile of 1,000 hulls of 24 corners", wbBenchRigidPile, 600, 100},
    {"rigid-mesh-1000", "1,000 cubes on uneven ground of 100,000 triangles", wbBenchRigidPile, 600, 100},
    {"restore-channel", "the water channel is saved to bytes and goes back to them a step later",
     wbBenchRestore, 300, 60},
    {"restore-dam-break-3d", "the same of the dam break", wbBenchRestore, 20, 30},
    {"restore-cloth", "the same of cloth", wbBenchRestore, 20, 30},
    {"restore-plume", "the same of smoke in 100^3 cells", wbBenchRestore, 5, 10},
    {"world-plume-and-water", "smoke in 100^3 cells and 16^3 particles of SPH for a second, dt auto",
     wbBenchScene, 0, 60},
    {"world-plume-alone", "the same without water", wbBenchScene, 0, 60},
    {"world-water-alone", "the same without smoke", wbBenchScene, 0, 60},
    {"gpu-sort-32768-counting", "counting sort of 32^3 random keys on the first compute device",
     wbBenchGpuSort, 5, 50},
    {"gpu-sort-32768-bitonic", "the same by a bitonic network", wbBenchGpuSort, 5, 50},
    {"gpu-sort-262144-counting", "counting sort of 64^3 random keys on the first compute device",
     wbBenchGpuSort, 5, 50},
    {"gpu-sort-262144-bitonic", "the same by a bitonic network", wbBenchGpuSort, 5, 50},
};

static const wbBenchReport reports[] = {
    {"sph-table", "a table: stable steps and speed of blocks and pipes, every integrator, cores and device",
     wbReportTable, 0, 0},
    {"sph-scaling", "a table: time of a step against the number of particles, 1000 to 1000000",
     wbReportScaling, 0, 0},
    {"rigid-table", "tables: rigid boxes as particles, 10 to 10000, every search, cores and device",
     wbReportRigidTable, 0, 0},
    {"apbf-pool-50", "a pool of 100 x 100 x 50 particles at rest, of one size and of different sizes",
     wbReportSizes, 180, 60},
    {"apbf-pool-64", "a pool of 64^3 particles at rest, of one size and of different sizes", wbReportSizes,
     180, 60},
    {"apbf-shallow-3", "200 x 200 particles of a shallow pool, 3 layers, of one size and of different sizes",
     wbReportSizes, 60, 60},
    {"apbf-shallow-6", "200 x 200 particles of a shallow pool, 6 layers, of one size and of different sizes",
     wbReportSizes, 60, 60},
    {"apbf-disc-100", "a disc of 7,857 particles without weight, of one size and of different sizes",
     wbReportSizes, 600, 50},
    {"apbf-ball-100", "a ball of 524,000 particles without weight, of one size and of different sizes",
     wbReportSizes, 600, 50},
    {"apbf-waterfall-2d", "a waterfall in the plane at eight instants, of one size and of different sizes",
     wbReportWaterfall, 0, 0},
    {"apbf-waterfall-2d-basic", "the first half of it", wbReportWaterfall, 0, 0},
    {"apbf-waterfall-2d-adaptive", "the other half", wbReportWaterfall, 0, 0},
    {"apbf-waterfall-3d", "a waterfall in space at four instants, of one size and of different sizes",
     wbReportWaterfall, 0, 0},
    {"apbf-waterfall-3d-basic", "the first half of it", wbReportWaterfall, 0, 0},
    {"apbf-waterfall-3d-adaptive", "the other half", wbReportWaterfall, 0, 0},
};

enum {
    caseCount = sizeof cases / sizeof cases[0],
    reportCount = sizeof reports / sizeof reports[0],
    nameCount = caseCount + reportCount
};

wbBenchOptions wbDefaultBenchOptions(void) {
    return (wbBenchOptions){.deviceIndex = -1, .sceneDirectory = "scenes"};
}

bool wbIsBenchStopped(const wbBenchOptions *options) { return options->stop != NULL && *options->stop != 0; }

static wbStatus findScene(const char *folder, const char *name, const wbBenchOptions *options, char *path,
                          int size) {
    int length = snprintf(path, (size_t)size, "%s%s/%s.json", options->sceneDirectory, folder, name);
    if (length < size) return wb_okStatus;
    return wbError(wb_errorInput, "the path of the folder with scenes is too long (%d bytes)", length);
}

wbStatus wbGetBenchScene(const wbBenchCase *benchCase, const wbBenchOptions *options, char *path, int size) {
    return findScene("/bench", benchCase->name, options, path, size);
}

wbStatus wbGetShownScene(const char *name, const wbBenchOptions *options, char *path, int size) {
    return findScene("", name, options, path, size);
}

static void printList(FILE *out) {
    for (int i = 0; i < caseCount; i++) fprintf(out, "%-32s %s\n", cases[i].name, cases[i].sentence);
    for (int i = 0; i < reportCount; i++) fprintf(out, "%-32s %s\n", reports[i].name, reports[i].sentence);
}

// Reports are counted behind the cases.
static wbStatus findName(const char *name, int *index) {
    const char *known[nameCount];
    for (int i = 0; i < nameCount; i++)
        known[i] = i < caseCount ? cases[i].name : reports[i - caseCount].name;
    return wbFindName("benchmark", "bench", name, known, nameCount, index);
}

int wbShortenSteps(const wbBenchOptions *options, int steps) {
    return options->quick ? (steps + 9) / 10 : steps;
}

static wbStatus runCase(wbBenchCase benchCase, const wbBenchOptions *options, FILE *out) {
    benchCase.warmUp = wbShortenSteps(options, benchCase.warmUp);
    benchCase.timed = wbShortenSteps(options, benchCase.timed);
    wbBenchResult result = {.name = benchCase.name, .backend = "cpu"};
    wbGetDeviceName(result.device, sizeof result.device);
    WB_TRY(benchCase.run(&benchCase, options, &result));
    if (!result.stopped) (options->json ? wbPrintBenchJson : wbPrintBenchRow)(&result, out);
    return wb_okStatus;
}

wbStatus wbRunBench(const wbBenchOptions *options, FILE *out) {
    if (options->list || options->nameCount == 0) {
        printList(out);
        return wb_okStatus;
    }
    int index;
    bool hasRows = false;
    for (int i = 0; i < options->nameCount; i++) {
        WB_TRY(findName(options->names[i], &index));
        hasRows = hasRows || index < caseCount;
    }
    if (hasRows && !options->json) wbPrintBenchHeader(out);
    for (int i = 0; i < options->nameCount && !wbIsBenchStopped(options); i++) {
        WB_TRY(findName(options->names[i], &index));
        const wbBenchReport *report = index < caseCount ? NULL : &reports[index - caseCount];
        WB_TRY(report ? report->run(report, options, out) : runCase(cases[index], options, out));
        fflush(out);
    }
    return wb_okStatus;
}
