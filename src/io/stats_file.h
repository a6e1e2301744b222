// SPDX-License-Identifier: MIT
// Statistics as CSV, one row per frame: frame, time, particles, mass, momentum, energies, density errors,
// divergence, spawned, removed, leaked, ms, ms_<phase> for each phase of the step, and <probe>_<value> for each value of each
// probe. SI units; columns are always there, empty where they mean nothing.
#pragma once

#include "wirbel/types.h"

typedef struct wbStatsFile wbStatsFile;

wbStatus wbStatsFile_Open(const char *path, wbStatsFile **file);
/// A probe by its name, with what it measures.
typedef struct wbStatsProbe {
    const char *name;
    wbProbeValues values;
} wbStatsProbe;

/// The phases of the first row's profile, and its probes, make the columns; the probes of all rows are the same. After an
/// error the file is to be aborted.
wbStatus wbStatsFile_AddRow(wbStatsFile *file, int frame, const wbStats *stats, const wbProfile *profile,
                            const wbStatsProbe *probes, int probeCount);
/// Completes and frees, also when it fails.
wbStatus wbStatsFile_Close(wbStatsFile *file);
/// Removes what was written and frees. NULL is allowed.
void wbStatsFile_Abort(wbStatsFile *file);
