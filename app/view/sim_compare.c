// SPDX-License-Identifier: MIT
// How long a step takes on the processor's cores and on each compute device, and with each way to search for pairs. The world runs
// on from where it is and comes back: afterwards it is bit for bit as before.
#include <stdio.h>
#include <string.h>

#include "app/view/sim_internal.h"
#include "core/status.h"
#include "core/timer.h"

enum { MAX_RUNS = 12 };

/// One way to compute.
typedef struct Run {
    char name[160];
    wbBackend backend;
    int device;
    char key[64], value[32]; ///< a parameter that is set; "": none
} Run;

typedef struct Comparison {
    Run runs[MAX_RUNS];
    int steps;       ///< that are measured
    int count, done; ///< runs
    int left;        ///< that there is no room for
    double firstMs;  ///< of a step, of the first run
    wbBytes bytes;   ///< of the world as it is
    wbWorldParams params;
    char text[WB_COMPARISON_TEXT];
} Comparison;

static Run *addRun(Comparison *c, wbBackend backend, int device) {
    if (c->count == MAX_RUNS) {
        c->left++;
        return NULL;
    }
    c->runs[c->count] = (Run){.backend = backend, .device = device};
    return &c->runs[c->count++];
}

// "bodies|grid|allPairs" of a parameter called "search": with and without a grid.
static void addSearches(Comparison *c, const wbWorld *world) {
    int count;
    const wbParamTable *const *tables = wbGetParamTables(&count);
    for (int t = 0; t < count; t++)
        for (int p = 0; p < tables[t]->count; p++) {
            const wbParam *param = &tables[t]->params[p];
            if (strcmp(param->name, "search") != 0 || !wbWorld_HasSolver(world, tables[t]->section)) continue;
            for (const char *name = param->choices; *name; name += strcspn(name, "|"), name += *name == '|') {
                Run *run = addRun(c, wb_backendCpu, -1);
                if (!run) continue;
                const int length = (int)strcspn(name, "|");
                snprintf(run->key, sizeof run->key, "%s.search", tables[t]->section);
                snprintf(run->value, sizeof run->value, "%.*s", length, name);
                snprintf(run->name, sizeof run->name, "cores, %s.search %.*s", tables[t]->section, length,
                         name);
            }
        }
}

static void listRuns(wbSim *sim, Comparison *c) {
    const int threads = wbWorld_GetThreadCount(sim->world);
    snprintf(addRun(c, wb_backendCpu, -1)->name, sizeof c->runs[0].name, "cores, %d thread%s", threads,
             threads == 1 ? "" : "s");
    for (int d = 0; d < sim->deviceCount; d++) {
        Run *run = addRun(c, wb_backendOpencl, d);
        if (run) snprintf(run->name, sizeof run->name, "%s", sim->devices[d].name);
    }
    addSearches(c, sim->world);
}

static void addLine(Comparison *c, const char *name, const char *what) {
    const size_t length = strlen(c->text);
    snprintf(c->text + length, sizeof c->text - length, "%s%s: %s", length > 0 ? "\n" : "", name, what);
}

static wbStatus runStep(wbSim *sim) {
    WB_TRY(wbScene_RunScript(sim->scene, sim->world));
    return wbWorld_Step(sim->world, 0);
}

// To where it was, on what computed it.
static wbStatus goBack(wbSim *sim, const Comparison *c) {
    WB_TRY(wbWorld_SetBackend(sim->world, c->params.backend, c->params.device));
    return wbWorld_Restore(sim->world, c->bytes.data, c->bytes.size);
}

// A step to get warm, which builds a device's programs, and those that are measured.
static wbStatus runSteps(wbSim *sim, Comparison *c, const Run *run, double *ms) {
    char what[64];
    snprintf(what, sizeof what, "%.50s", run->name);
    WB_TRY(goBack(sim, c));
    WB_TRY(wbWorld_SetBackend(sim->world, run->backend, run->device));
    if (run->key[0]) WB_TRY(wbWorld_SetParam(sim->world, run->key, run->value));
    WB_TRY(runStep(sim));
    double clock = wbGetSeconds();
    for (int i = 0; i < c->steps && !wbSim_IsInterrupted(sim); i++) {
        wbSim_SayBusy(sim, what, (c->done + (double)i / c->steps) / c->count);
        WB_TRY(runStep(sim));
    }
    *ms = wbLapMs(&clock) / c->steps;
    return wb_okStatus;
}

static void runAll(wbSim *sim, Comparison *c) {
    for (; c->done < c->count; c->done++) {
        const Run *run = &c->runs[c->done];
        char text[256];
        double ms = 0;
        wbStatus status = runSteps(sim, c, run, &ms);
        if (wbSim_IsInterrupted(sim)) break;
        if (c->done == 0) c->firstMs = ms;
        if (!wbIsOk(status))
            snprintf(text, sizeof text, "%s", status.text);
        else if (c->done == 0 || c->firstMs <= 0)
            snprintf(text, sizeof text, "%.3f ms a step", ms);
        else
            snprintf(text, sizeof text, "%.3f ms a step, %.2f times as fast", ms, c->firstMs / ms);
        addLine(c, run->name, text);
    }
    if (c->done < c->count) addLine(c, "stopped", "what follows was not compared");
    char more[64];
    snprintf(more, sizeof more, "%d more ways to compute", c->left);
    if (c->left > 0) addLine(c, "not compared", more);
}

static wbStatus comeBack(wbSim *sim, const Comparison *c, uint64_t hash) {
    WB_TRY(goBack(sim, c));
    if (wbWorld_Hash(sim->world) == hash) return wb_okStatus;
    return wbError(wb_errorDevice, "the comparison did not come back to where it began");
}

wbStatus wbSim_RunComparison(wbSim *sim, int steps) {
    Comparison c = {.steps = steps, .params = *wbWorld_GetWorldParams(sim->world)};
    const uint64_t hash = wbWorld_Hash(sim->world);
    wbSim_FindDevices(sim);
    wbStatus status = wbWorld_SaveToBytes(sim->world, &c.bytes);
    if (wbIsOk(status)) {
        listRuns(sim, &c);
        runAll(sim, &c);
        status = comeBack(sim, &c, hash);
        sim->generation++; // meshes of bodies are others
    }
    wbFreeBytes(&c.bytes);
    wbSim_SayBusy(sim, "", 0);
    wbLock_Take(sim->lock);
    snprintf(sim->state.comparison, sizeof sim->state.comparison, "%s", c.text);
    sim->state.comparisonCount++;
    wbLock_Release(sim->lock);
    return status;
}

void wbSim_FindDevices(wbSim *sim) {
    wbDevice devices[WB_MAX_DEVICES];
    int count = 0;
    if (sim->hasDevices) return;
    (void)wbListDevices(devices, WB_MAX_DEVICES, &count); // without one the list is empty
    if (count > WB_MAX_DEVICES) count = WB_MAX_DEVICES;
    wbLock_Take(sim->lock);
    memcpy(sim->devices, devices, (size_t)count * sizeof devices[0]);
    sim->state.deviceCount = sim->deviceCount = count;
    sim->hasDevices = true;
    wbLock_Release(sim->lock);
}
