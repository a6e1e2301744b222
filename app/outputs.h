// SPDX-License-Identifier: MIT
// Everything that a run writes. Opened before the first step, so that a bad path is refused at once.
#pragma once

#include "app/exports.h"
#include "app/pictures.h"
#include "io/stats_file.h"

typedef struct wbOutputs {
    const wbOptions *options;
    const wbScene *scene;
    wbPictures *pictures; ///< NULL without any
    wbExports exports;
    wbStatsFile *stats;
    wbStatsProbe *probes;
    int probeCount;
    int frameCount; ///< frames written
} wbOutputs;

/// After an error nothing is open and no file is left.
wbStatus wbOutputs_Open(wbOutputs *outputs, const wbOptions *options, const wbScene *scene, wbWorld *world);
wbStatus wbOutputs_WriteFrame(wbOutputs *outputs, wbWorld *world, int frame);
/// Completes all files, also after a run that failed or was stopped; gives the first error.
wbStatus wbOutputs_Close(wbOutputs *outputs);

/// "out/dam.mp4, out/png (301 pictures)"; "" if there are none.
void wbOutputs_Describe(const wbOutputs *outputs, char *text, size_t size);
