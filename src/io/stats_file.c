// SPDX-License-Identifier: MIT
#include "io/stats_file.h"

#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

enum { MAX_NAME = 48 };

struct wbStatsFile {
    wbOutputFile file;
    bool hasHeader;
    int phaseCount, solverCount;
    char phases[WB_MAX_PHASES][MAX_NAME], solvers[WB_MAX_SOLVERS][MAX_NAME];
};

wbStatus wbStatsFile_Open(const char *path, wbStatsFile **file) {
    *file = NULL;
    wbStatsFile *made = wbAllocZero(NULL, sizeof *made);
    if (made == NULL) return wbError(wb_errorMemory, "no memory to write %.150s", path);
    wbStatus status = wbOutputFile_Open(&made->file, path);
    if (status.code == wb_ok)
        *file = made;
    else
        wbFree(NULL, made, sizeof *made);
    return status;
}

static wbStatus writeHeader(wbStatsFile *file, const wbProfile *profile, const wbStatsProbe *probes,
                            int probeCount) {
    WB_TRY(wbOutputFile_Print(&file->file,
                              "frame,time,particles,mass,momentum_x,momentum_y,momentum_z,kinetic,potential,"
                              "density_error_mean,density_error_max,divergence,spawned,removed,leaked,ms"));
    file->phaseCount = profile->phaseCount;
    for (int p = 0; p < profile->phaseCount; ++p) {
        snprintf(file->phases[p], MAX_NAME, "%s", profile->phases[p].name);
        WB_TRY(wbOutputFile_Print(&file->file, ",ms_%s", file->phases[p]));
    }
    file->solverCount = profile->solverCount;
    for (int s = 0; s < profile->solverCount; ++s) {
        snprintf(file->solvers[s], MAX_NAME, "%s", profile->solvers[s].name);
        WB_TRY(wbOutputFile_Print(&file->file, ",substeps_%s", file->solvers[s]));
    }
    WB_TRY(wbOutputFile_Print(
        &file->file, ",pairs,merges,splits,smallest_radius,largest_radius,momentum_lost"
                     ",transit_x,transit_y,transit_z,water_rigid_x,water_rigid_y,water_rigid_z"
                     ",water_mechanism_x,water_mechanism_y,water_mechanism_z"
                     ",water_soft_x,water_soft_y,water_soft_z"
                     ",soft_rigid_x,soft_rigid_y,soft_rigid_z,air_soft_x,air_soft_y,air_soft_z,air_"
                     "rigid_x,air_rigid_y,air_rigid_z,air_water_x,air_water_y,air_water_z"
                     ",heat_air,heat_steam,heat_water,heat_lost,steam,clouds,boiling,evaporated,fuel_drowned"
                     ",heat_sources,heat_sides,heat_fluids"
                     ",spray,foam,bubbles,diffuse_refused,overlap"));
    for (int p = 0; p < probeCount; ++p)
        for (int v = 0; v < probes[p].values.count; ++v)
            WB_TRY(
                wbOutputFile_Print(&file->file, ",%s_%s", probes[p].name, probes[p].values.values[v].name));
    file->hasHeader = true;
    return wbOutputFile_Print(&file->file, "\n");
}

static wbStatus writeStats(wbOutputFile *file, int frame, const wbStats *s) {
    WB_TRY(wbOutputFile_Print(file, "%d,%.9g,%d,%.9g", frame, s->time, s->particles, s->mass));
    for (int i = 0; i < 3; ++i) WB_TRY(wbOutputFile_Print(file, ",%.9g", s->momentum[i]));
    WB_TRY(wbOutputFile_Print(file, ",%.9g,%.9g,%.6g,%.6g", s->kinetic, s->potential, s->densityErrorMean,
                              s->densityErrorMax));
    // only air has a divergence
    WB_TRY(isnan(s->divergence) ? wbOutputFile_Print(file, ",")
                                : wbOutputFile_Print(file, ",%.6g", s->divergence));
    return wbOutputFile_Print(file, ",%lld,%lld,%lld", (long long)s->spawned, (long long)s->removed,
                              (long long)s->leaked);
}

// By name: a phase that this step did not have stays empty.
static wbStatus writePhases(wbStatsFile *file, const wbProfile *profile) {
    WB_TRY(wbOutputFile_Print(&file->file, ",%.4f", profile->stepMs));
    for (int column = 0; column < file->phaseCount; ++column) {
        WB_TRY(wbOutputFile_Print(&file->file, ","));
        for (int p = 0; p < profile->phaseCount; ++p) {
            if (strncmp(profile->phases[p].name, file->phases[column], MAX_NAME - 1) != 0) continue;
            WB_TRY(wbOutputFile_Print(&file->file, "%.4f", profile->phases[p].ms));
            break;
        }
    }
    return wb_okStatus;
}

static wbStatus writeSubSteps(wbStatsFile *file, const wbProfile *profile) {
    for (int column = 0; column < file->solverCount; ++column) {
        WB_TRY(wbOutputFile_Print(&file->file, ","));
        for (int s = 0; s < profile->solverCount; ++s)
            if (strncmp(profile->solvers[s].name, file->solvers[column], MAX_NAME - 1) == 0)
                WB_TRY(wbOutputFile_Print(&file->file, "%d", profile->solvers[s].subSteps));
    }
    return wb_okStatus;
}

// Only fluids have pairs and radii.
static wbStatus writeSizes(wbOutputFile *file, const wbStats *s, const wbProfile *profile) {
    if (!(s->largestRadius > 0)) return wbOutputFile_Print(file, ",,,,,,");
    return wbOutputFile_Print(file, ",%lld,%lld,%lld,%.6g,%.6g,%.6g", (long long)profile->pairs,
                              (long long)s->merges, (long long)s->splits, s->smallestRadius, s->largestRadius,
                              s->momentumLost);
}

// What a probe cannot measure stays empty.
static wbStatus writeProbes(wbOutputFile *file, const wbStatsProbe *probes, int probeCount) {
    for (int p = 0; p < probeCount; ++p) {
        for (int v = 0; v < probes[p].values.count; ++v) {
            const double value = probes[p].values.values[v].value;
            WB_TRY(isnan(value) ? wbOutputFile_Print(file, ",") : wbOutputFile_Print(file, ",%.9g", value));
        }
    }
    return wb_okStatus;
}

// What solvers gave to each other.
static wbStatus writeExchange(wbOutputFile *file, const wbStats *stats) {
    const double *const given[] = {stats->transit,   stats->waterRigid, stats->waterMechanism,
                                   stats->waterSoft, stats->softRigid,  stats->airSoft,
                                   stats->airRigid,  stats->airWater};
    for (size_t k = 0; k < sizeof given / sizeof given[0]; ++k)
        for (int a = 0; a < 3; ++a) WB_TRY(wbOutputFile_Print(file, ",%.9g", given[k][a]));
    return wb_okStatus;
}

static wbStatus writeHeat(wbOutputFile *file, const wbStats *s) {
    const double values[] = {s->heatAir,     s->heatSteam,   s->heatWater, s->heatLost,
                             s->steam,       s->clouds,      s->boiling,   s->evaporated,
                             s->fuelDrowned, s->heatSources, s->heatSides, s->heatFluids};
    // to the joule, where much water is there
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k)
        WB_TRY(wbOutputFile_Print(file, ",%.13g", values[k]));
    return wb_okStatus;
}

wbStatus wbStatsFile_AddRow(wbStatsFile *file, int frame, const wbStats *stats, const wbProfile *profile,
                            const wbStatsProbe *probes, int probeCount) {
    WB_ASSERT(file->file.stream != NULL, "a file whose writing failed can only be closed or aborted");
    if (!file->hasHeader) WB_TRY(writeHeader(file, profile, probes, probeCount));
    WB_TRY(writeStats(&file->file, frame, stats));
    WB_TRY(writePhases(file, profile));
    WB_TRY(writeSubSteps(file, profile));
    WB_TRY(writeSizes(&file->file, stats, profile));
    WB_TRY(writeExchange(&file->file, stats));
    WB_TRY(writeHeat(&file->file, stats));
    WB_TRY(wbOutputFile_Print(&file->file, ",%d,%d,%d,%lld,%lld", stats->spray, stats->foam, stats->bubbles,
                              (long long)stats->diffuseRefused, (long long)stats->overlap));
    WB_TRY(writeProbes(&file->file, probes, probeCount));
    WB_TRY(wbOutputFile_Print(&file->file, "\n"));
    return wbOutputFile_Flush(&file->file);
}

static wbStatus complete(wbStatsFile *file) {
    if (file->file.stream == NULL) {
        return wbError(wb_errorFile, "%.150s was given up after an earlier error", file->file.path.final);
    }
    const wbProfile noPhases = {0};
    if (!file->hasHeader) WB_TRY(writeHeader(file, &noPhases, NULL, 0));
    return wbOutputFile_Close(&file->file);
}

wbStatus wbStatsFile_Close(wbStatsFile *file) {
    wbStatus status = complete(file);
    wbFree(NULL, file, sizeof *file);
    return status;
}

void wbStatsFile_Abort(wbStatsFile *file) {
    if (file == NULL) return;
    wbOutputFile_Abort(&file->file);
    wbFree(NULL, file, sizeof *file);
}
