// SPDX-License-Identifier: MIT
// Particles for ParaView: VTK XML PolyData (.vtp) with velocity, density, pressure and id per point, and a
// collection (.pvd) that gives the files their times.
#pragma once

#include "wirbel/types.h"

/// All particles of all views in one file; `time` in s.
wbStatus wbWriteVtp(const char *path, const wbView *views, int viewCount, double time);

/// A directory with particles_000000.vtp … and particles.pvd, or with air_000000.vti … and air.pvd.
typedef struct wbVtkSeries wbVtkSeries;

/// Makes the directory if it is missing.
wbStatus wbVtkSeries_Open(const char *directory, wbVtkSeries **series);
wbStatus wbVtkSeries_OpenAir(const char *directory, wbVtkSeries **series);
/// After an error the series can still be closed.
wbStatus wbVtkSeries_AddFrame(wbVtkSeries *series, int frame, double time, const wbView *views,
                              int viewCount);
wbStatus wbVtkSeries_AddAir(wbVtkSeries *series, int frame, double time, const wbSmokeView *view);
/// Writes the collection and frees, also when it fails.
wbStatus wbVtkSeries_Close(wbVtkSeries *series);
/// Frees without writing. NULL is allowed.
void wbVtkSeries_Abort(wbVtkSeries *series);
