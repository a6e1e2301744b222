// SPDX-License-Identifier: MIT
// The source's tables of rigid boxes as particles: steps per second without a grid, with one, by pairs of bodies, and on a device
// with groups of different sizes; time by stage; and by particles along an edge. Beside them stand the source's figures.
#include <math.h>
#include <string.h>

#include "bench/bench_case.h"
#include "bench/case_work.h"
#include "bench/rigid_pile.h"
#include "core/status.h"
#include "core/timer.h"
#include "rigid/rigid_gpu.h"
#include "wirbel/wirbel.h"

// The source's figures (D. Keßelheim, Bachelor's thesis, Koblenz 2015), on an Athlon 64 X2 6000+ and a GeForce GTX 650; 0: none.
static const int boxes[] = {10, 50, 100, 500, 1000, 3000, 6000, 10000};
enum { SIZES = sizeof boxes / sizeof boxes[0], GROUPS = 5, LARGEST_WITHOUT_GRID = 1000, STAGED = 1000 };
static const int groupSizes[GROUPS] = {64, 128, 256, 512, 1024};
static const double sourceWithout[SIZES] = {411.3, 26.3, 6.6};
static const double sourceWith[SIZES] = {804.5, 384.2, 218.0, 61.8, 34.4, 19.6, 13.2, 9.6};
static const double sourceDevice[GROUPS][SIZES] = {{1250.7, 1080.7, 909.8, 409.0, 227.4},
                                                   {1222.5, 1077.0, 938.1, 400.3, 226.9, 161.8, 117.4, 73.9},
                                                   {1206.9, 1076.2, 934.6, 403.0, 226.5},
                                                   {1206.8, 1051.8, 912.7, 375.1, 224.9},
                                                   {1199.0, 1041.4, 852.9, 355.3, 198.4}};

// Stages as the source counts them: its two kernels of the grid are one here.
enum { STAGES = 5 };
static const char *const stageNames[STAGES] = {"grid", "forces", "momentum", "integrate", "particles"};
static const int stagePhases[STAGES] = {wb_rigid_grid, wb_rigid_contacts, wb_rigid_momentum,
                                        wb_rigid_integrate, wb_rigid_particles};
static const double sourceStages[STAGES] = {0.153 + 0.157, 0.695, 0.370, 0.143, 0.143};

// Who computes: without a grid, with one, by pairs of bodies, and on the device by size of groups.
enum { WITHOUT, WITH, BODIES, DEVICE, VARIANTS = DEVICE + GROUPS };

typedef struct Table {
    const wbBenchReport *report;
    const wbBenchOptions *options;
    FILE *out;
    wbWork work;
    wbGpu *gpu;                      // NULL: there is none
    double speeds[VARIANTS][SIZES];  // 1/s; 0: not measured
    double stages[VARIANTS][STAGES]; // ms, of STAGED boxes
    char device[96];
} Table;

static void useSource(wbRigidPile *pile, int perEdge) {
    wbRigidParams *params = &pile->model.params;
    params->contact = wb_contactParticles, params->subSteps = 1;
    params->stiffness = 100, params->damping = 0.5f, params->seed = true, params->terminalSpeed = 20;
    for (int b = 0; b < pile->rigid.count; b++) pile->rigid.particlesPerEdge[b] = perEdge;
}

static wbStatus stepPile(const Table *table, wbRigidPile *pile, wbRigidGpu *device) {
    const float dt = 0.01f;
    wbArena_Reset(table->work.arena);
    return device ? wbRigidGpu_Step(device, &pile->rigid, &pile->model, &table->work, dt)
                  : wbRigid_Step(&pile->rigid, &pile->model, &table->work, dt);
}

// Where the bodies of a pile were: everyone who is timed begins there.
typedef struct Start {
    wbColumn columns[WB_RIGID_COLUMNS];
    char *bytes;
    size_t columnBytes;
} Start;

static size_t getBytes(const Start *start) { return start->columnBytes * WB_RIGID_MOVING; }

static wbStatus keepStart(const Table *table, wbRigidPile *pile, Start *start) {
    wbRigid_ListColumns(&pile->rigid, start->columns);
    start->columnBytes = sizeof(float) * (size_t)pile->rigid.count;
    start->bytes = wbAlloc(table->work.memory, getBytes(start));
    if (!start->bytes)
        return wbMemoryError(table->work.memory, "the places of %d bodies need", pile->rigid.count);
    for (int k = 0; k < WB_RIGID_MOVING; k++)
        memcpy(start->bytes + (size_t)k * start->columnBytes, *start->columns[k].data, start->columnBytes);
    return wb_okStatus;
}

static void goToStart(const Start *start) {
    for (int k = 0; k < WB_RIGID_MOVING; k++)
        memcpy(*start->columns[k].data, start->bytes + (size_t)k * start->columnBytes, start->columnBytes);
}

// The best of some steps: the whole, and its stages (which may be NULL).
static wbStatus timeSteps(const Table *table, wbRigidPile *pile, wbRigidGpu *device, int steps, double *ms,
                          double *stages) {
    steps = wbShortenSteps(table->options, steps);
    WB_TRY(stepPile(table, pile, device)); // it makes room
    for (int k = 0; k < steps; k++) {
        double mark = wbGetSeconds();
        WB_TRY(stepPile(table, pile, device));
        const double now = wbLapMs(&mark);
        if (now >= *ms) continue;
        *ms = now;
        for (int s = 0; s < STAGES && stages; s++) stages[s] = pile->rigid.ms[stagePhases[s]];
    }
    return wb_okStatus;
}

// The best of the same steps, several times: others may keep the machine busy.
static wbStatus timeRounds(const Table *table, wbRigidPile *pile, const Start *start, int rounds, int steps,
                           double *ms, double *stages) {
    wbStatus status = wb_okStatus;
    for (int k = 0; k < rounds && wbIsOk(status) && !wbIsBenchStopped(table->options); k++) {
        goToStart(start);
        status = timeSteps(table, pile, NULL, steps, ms, stages);
    }
    return status;
}

static void report(const Table *table, const char *quantity, const char *variant, int count, double value) {
    if (!table->options->json) return;
    fprintf(table->out,
            "{\"name\": \"%s\", \"quantity\": \"%s\", \"variant\": \"%s\", \"boxes\": %d, \"threads\": %d, "
            "\"value\": %.5g}\n",
            table->report->name, quantity, variant, count, wbThreadPool_GetCount(table->work.pool), value);
    fflush(table->out);
}

static wbStatus timeDevice(Table *table, wbRigidPile *pile, int size) {
    wbRigidGpu *device;
    WB_TRY(wbCreateRigidGpu(table->work.memory, table->gpu, &device));
    wbStatus status = wb_okStatus;
    const int most = wbGpu_GetDevice(table->gpu)->maxGroupSize;
    for (int g = 0; g < GROUPS && wbIsOk(status) && groupSizes[g] <= most; g++) {
        double ms = INFINITY, *stages = boxes[size] == STAGED ? table->stages[DEVICE + g] : NULL;
        char name[32];
        snprintf(name, sizeof name, "device-%d", groupSizes[g]);
        wbRigidGpu_SetGroupSize(device, groupSizes[g]);
        status = timeSteps(table, pile, device, boxes[size] > STAGED ? 8 : 32, &ms, stages);
        if (!wbIsOk(status)) break;
        table->speeds[DEVICE + g][size] = 1e3 / ms;
        report(table, "steps_per_s", name, boxes[size], 1e3 / ms);
    }
    wbDestroyRigidGpu(device);
    return status;
}

// One pile, which has fallen.
static wbStatus timeCores(Table *table, wbRigidPile *pile, const Start *start, int size) {
    static const char *const names[DEVICE] = {"without-grid", "with-grid", "by-bodies"};
    static const wbRigidSearch searches[DEVICE] = {wb_searchAllPairs, wb_searchGrid, wb_searchBodies};
    for (int v = 0; v < DEVICE && !wbIsBenchStopped(table->options); v++) {
        double ms = INFINITY, *stages = boxes[size] == STAGED ? table->stages[v] : NULL;
        if (v == WITHOUT && boxes[size] > LARGEST_WITHOUT_GRID) continue;
        pile->model.params.search = searches[v];
        const bool isSlow = v == WITHOUT && boxes[size] >= 500;
        WB_TRY(timeRounds(table, pile, start, isSlow ? 2 : 8, isSlow ? 3 : 8, &ms, stages));
        table->speeds[v][size] = 1e3 / ms;
        report(table, "steps_per_s", names[v], boxes[size], 1e3 / ms);
    }
    return wb_okStatus;
}

static wbStatus timeSize(Table *table, int size) {
    enum { FALL = 300 };
    wbRigidPile pile;
    Start start = {.bytes = NULL};
    wbStatus status = wbCreateJumble(&table->work, boxes[size], 12345, 1, &pile);
    pile.model.domain = &pile.domain;
    useSource(&pile, 3);
    for (int k = 0; k < wbShortenSteps(table->options, FALL) && wbIsOk(status); k++)
        status = stepPile(table, &pile, NULL);
    if (wbIsOk(status)) status = keepStart(table, &pile, &start);
    if (wbIsOk(status)) status = timeCores(table, &pile, &start, size);
    if (wbIsOk(status)) goToStart(&start);
    if (wbIsOk(status) && table->gpu && !wbIsBenchStopped(table->options))
        status = timeDevice(table, &pile, size);
    if (start.bytes) wbFree(table->work.memory, start.bytes, getBytes(&start));
    wbDestroyPile(&table->work, &pile);
    return status;
}

static void printNumber(FILE *out, double value) {
    if (value > 0)
        fprintf(out, value < 100 ? " %.1f |" : " %.0f |", value);
    else
        fprintf(out, " |");
}

static void printRow(const Table *table, const char *name, const double *values, int count) {
    fprintf(table->out, "| %s |", name);
    for (int k = 0; k < count; k++) printNumber(table->out, values[k]);
    fprintf(table->out, "\n");
}

static void printSpeeds(const Table *table) {
    FILE *out = table->out;
    double gain[SIZES] = {0}, deviceGain[SIZES] = {0};
    fprintf(out, "Steps per second, by boxes of 27 particles:\n\n| boxes |");
    for (int k = 0; k < SIZES; k++) fprintf(out, " %d |", boxes[k]);
    fprintf(out, "\n|---|");
    for (int k = 0; k < SIZES; k++) fprintf(out, "---|");
    fprintf(out, "\n");
    printRow(table, "source, CPU without grid", sourceWithout, SIZES);
    printRow(table, "without grid", table->speeds[WITHOUT], SIZES);
    printRow(table, "source, CPU with grid", sourceWith, SIZES);
    printRow(table, "with grid", table->speeds[WITH], SIZES);
    for (int k = 0; k < SIZES; k++) {
        if (table->speeds[WITHOUT][k] > 0) gain[k] = table->speeds[WITH][k] / table->speeds[WITHOUT][k];
        if (table->speeds[DEVICE + 1][k] > 0)
            deviceGain[k] = table->speeds[DEVICE + 1][k] / table->speeds[WITH][k];
    }
    printRow(table, "× by the grid", gain, SIZES);
    printRow(table, "by pairs of bodies", table->speeds[BODIES], SIZES);
    for (int g = 0; g < GROUPS; g++) {
        char name[48];
        snprintf(name, sizeof name, "source, GPU, groups of %d", groupSizes[g]);
        printRow(table, name, sourceDevice[g], SIZES);
        snprintf(name, sizeof name, "device, groups of %d", groupSizes[g]);
        if (table->gpu) printRow(table, name, table->speeds[DEVICE + g], SIZES);
    }
    if (table->gpu) printRow(table, "× by the device (128), beside the grid", deviceGain, SIZES);
}

static void printStages(const Table *table) {
    FILE *out = table->out;
    fprintf(out, "\nms by stage, 1000 boxes:\n\n| |");
    for (int s = 0; s < STAGES; s++) fprintf(out, " %s |", stageNames[s]);
    fprintf(out, "\n|---|");
    for (int s = 0; s < STAGES; s++) fprintf(out, "---|");
    fprintf(out, "\n");
    static const char *const names[] = {"with grid", "by pairs of bodies", "device, groups of 128"};
    static const int variants[] = {WITH, BODIES, DEVICE + 1};
    for (int n = -1; n < (table->gpu ? 3 : 2); n++) {
        const double *values = n < 0 ? sourceStages : table->stages[variants[n]];
        fprintf(out, "| %s |", n < 0 ? "source, GPU" : names[n]);
        for (int s = 0; s < STAGES; s++) fprintf(out, " %.3f |", values[s]);
        fprintf(out, "\n");
    }
}

// Particles along an edge: what they cost with the source's springs, and with those that follow from the overlap.
static wbStatus reportEdges(const Table *table) {
    enum { FALL = 300 };
    if (!table->options->json)
        fprintf(table->out, "\n| particles along an edge | all | at the surface | ms, the source's springs | "
                            "ms, ten sub-steps | mean overlap, edges |\n|---|---|---|---|---|---|\n");
    for (int n = 2; n <= 5 && !wbIsBenchStopped(table->options); n++) {
        wbRigidPile pile;
        double seedMs = INFINITY, ms = INFINITY;
        wbStatus status = wbCreateJumble(&table->work, STAGED, 12345, 1, &pile);
        pile.model.domain = &pile.domain;
        useSource(&pile, n);
        const wbRigidParams source = pile.model.params;
        pile.model.params = wbDefaultRigidParams();
        pile.model.params.contact = wb_contactParticles;
        for (int k = 0; k < wbShortenSteps(table->options, FALL) && wbIsOk(status); k++)
            status = stepPile(table, &pile, NULL);
        if (wbIsOk(status)) status = timeSteps(table, &pile, NULL, 64, &ms, NULL);
        const wbPileQuality quality = wbRigidPile_Measure(&pile);
        pile.model.params = source;
        if (wbIsOk(status)) status = timeSteps(table, &pile, NULL, 64, &seedMs, NULL);
        const wbRigidParticles *p = &pile.rigid.particles;
        if (wbIsOk(status) && !table->options->json)
            fprintf(table->out, "| %d | %d | %d | %.2f | %.2f | %.3f |\n", n, p->particleCount[0],
                    p->surfaceCount[0], seedMs, ms, quality.overlaps.mean);
        char name[16];
        snprintf(name, sizeof name, "edge-%d", n);
        if (wbIsOk(status)) report(table, "ms_per_step", name, STAGED, ms);
        wbDestroyPile(&table->work, &pile);
        WB_TRY(status);
    }
    return wb_okStatus;
}

static wbStatus runTable(Table *table) {
    for (int size = 0; size < SIZES && !wbIsBenchStopped(table->options); size++)
        WB_TRY(timeSize(table, size));
    if (!table->options->json && !wbIsBenchStopped(table->options)) printSpeeds(table), printStages(table);
    WB_TRY(reportEdges(table));
    if (table->options->json || wbIsBenchStopped(table->options)) return wb_okStatus;
    char cpu[96];
    wbGetDeviceName(cpu, sizeof cpu);
    fprintf(table->out, "\n%s, %d threads, %s", cpu, wbThreadPool_GetCount(table->work.pool),
            wbGetSimdName(table->work.simd));
    if (table->gpu) fprintf(table->out, "; device: %s", table->device);
    fprintf(table->out, ".\n");
    return wb_okStatus;
}

wbStatus wbReportRigidTable(const wbBenchReport *benchReport, const wbBenchOptions *options, FILE *out) {
    Table table = {.report = benchReport, .options = options, .out = out};
    int devices = 0;
    WB_TRY(wbCreateCaseWork(options->threadCount, options->simd, &table.work));
    (void)wbListDevices(NULL, 0, &devices);
    wbStatus status = wb_okStatus;
    if (devices > 0) status = wbOpenGpu(table.work.memory, options->deviceIndex, &table.gpu);
    if (wbIsOk(status) && table.gpu)
        wbCopyPlain(table.device, sizeof table.device, wbGpu_GetDevice(table.gpu)->name);
    if (wbIsOk(status)) status = runTable(&table);
    wbCloseGpu(table.gpu);
    wbDestroyCaseWork(&table.work);
    return status;
}
