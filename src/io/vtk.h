// SPDX-License-Identifier: MIT
// Points and triangles for ParaView: VTK XML PolyData (.vtp) with velocity, density, pressure, id and body per point, and
// a collection (.pvd) that gives the files their times.
#pragma once

#include "io/written_body.h"

/// All bodies in one file; `time` in s.
wbStatus wbWriteVtp(const char *path, const wbWrittenBody *bodies, int count, double time);

/// A directory with <stem>_000000.vtp … and <stem>.pvd, or with air_000000.vti … and air.pvd.
typedef struct wbVtkSeries wbVtkSeries;

/// Makes the directory if it is missing. The stem is not copied.
wbStatus wbVtkSeries_Open(const char *directory, const char *stem, wbVtkSeries **series);
wbStatus wbVtkSeries_OpenAir(const char *directory, wbVtkSeries **series);
/// After an error the series can still be closed.
wbStatus wbVtkSeries_AddFrame(wbVtkSeries *series, int frame, double time, const wbWrittenBody *bodies,
                              int count);
wbStatus wbVtkSeries_AddAir(wbVtkSeries *series, int frame, double time, const wbSmokeView *view);
/// Writes the collection and frees, also when it fails.
wbStatus wbVtkSeries_Close(wbVtkSeries *series);
/// Frees without writing. NULL is allowed.
void wbVtkSeries_Abort(wbVtkSeries *series);
