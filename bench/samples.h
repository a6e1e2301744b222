// SPDX-License-Identifier: MIT
// Order statistics of measured times.
#pragma once

/// Sorts the values upwards in place.
void wbSortSamples(double *values, int count);

/// The value below which the share 0 … 1 of the sorted values lies, interpolated; 0 if there are none.
double wbQuantile(const double *sorted, int count, double share);
