// SPDX-License-Identifier: MIT
// The block of the benchmarks sph-block-N, made by code: for any number of particles and any integrator.
#pragma once

#include "wirbel/wirbel.h"

/// A box (2 n + 1) x (1.5 n + 1) x (n + 1) m with the parameters of scenes/bench/sph-block-N.json: particles of 1 m,
/// Tait's equation, leapfrog, all forces.
wbWorldDef wbMakeBlockWorld(int n);

/// The n^3 particles at one end of it.
wbStatus wbAddBlockOf(wbWorld *world, wbFluidId fluid, int n);
