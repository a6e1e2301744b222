// SPDX-License-Identifier: MIT
// Validation rows that are missed, and why is understood. Each is recorded by the worst value of all instruction sets and
// devices: one that passes must be taken out of the table, one that becomes worse is a failure.
#include <math.h>
#include <string.h>

#include "bench/validate_case.h"

// sph-drop-swing: surface tension by normals holds a drop in shape where the push is gentle (docs/water.md), so that it
// swings too fast or not at all. What a gentle push can move is decided by rounding: the disc of 14 spacings pushed by 10 %
// has 0.42 with AVX2, 0.93 with SSE and does not swing back on a device, the ball of 12 has 0.80 with AVX2 and does not swing
// back on a device. So all of them are erratic, of which one may pass.
//
// drop-swing, drop-angle: drops of 6 and 8 spacings are small beside their skin, which lies a spacing below their surface; what corrects
// for that is of first order in the curvature. A flat film carries 0.95 of the tension, and so do large drops. At 120 degrees drops bead
// too much, the less the finer (docs/water.md), by how much rounding decides: heights are 1.085 with AVX-512, 1.073 with AVX2, 1.095 with SSE and
// 1.040 on a device (PoCL).
//
// apbf-disc: at rest particles of one size lie on their lattice, where 4 of 12 neighbours are at the very edge of a kernel of two spacings; a disc that expanded by a
// thousandth has lost half of them. So these have 74,690 pairs, of the 92,200 that the source counted, and thesis has 59,657 (66,011): with a kernel that is wider by a hundredth
// or by a tenth it saves 23 to 25 %.
//
// apbf-momentum-thesis: the formulas keep it (tests/test_reference_thesis.c, in double: 1e-12), but velocities are differences of places
// that each iteration rounds; and particles in a transfer count by the mass that they had before it or will have.
//
// apbf-pool, apbf-splash, apbf-split-scales: coarse water is more viscous than fine (pbf_calming: without that it is restless), so that splashes in space are lower,
// by 11 to 23 % in runs that differed by rounding. Sub-steps do not explain it: with 8 and 16 for both they are lower by 47 and 58 %. Without what a level
// adds to the mixing of velocities, in each sub-step, they are lower by 10, 38 and 48 %. With the ball at four places, by 25 % in the mean: 10 without what an offset left of a change adds to the mixing, 12 without both, and of the rest sizes and
// merges have their shares (docs/adaptive.md). In the plane, where levels are farther apart in size, a pool at rest moves at 0.07 m/s. Which particle is the fastest after splits is chance: 0.70 to 1.09 at four spacings, of which one may be 0.83 at most.
//
// couple-calm, couple-log: position based water at rest still moves a little in the plane, that of levels at 2 to 5 cm/s around a log, by merges and
// splits (without them at 1 to 2), and what floats in it with it; so do logs in water of split on a device, where bodies give way after the iterations alone (on the cores: 3e-5 at most); at a density of
// 0.25 a log is held at its angle by little, and stays where those motions leave it. The highest energy in 2.4 s is chance.
// couple-light: a log of 0.01 should be a tenth of a spacing deep; the water that SPH keeps at a distance bears it. couple-momentum: thesis drifts as
// much without a body, where its water hits water (apbf-momentum-thesis); of the drops that thesis and split lack the cause was not looked for. couple-rise: position based
// water of one size is a spring, on which the disc swings, as soft as its 6 iterations are: with 10 it rises with 0.35 g, with 40 with 0.32. In split's the disc starts with what
// pressures were off while it was held, by sph.tolerance, so that its mean is 0.20 to 0.32 g; with 1e-5 it is 0.25 g each time, 0.29 at first, at any spacing, step and viscosity: what it
// loses on the way is not known. In water of levels it starts a quarter too slowly, in SPH's at a density of 0.1 a sixth too quickly; why is not known, either. couple-light, -log and -rise were measured with AVX2.
//
// couple-archimedes: in water of levels what is held feels 0.91 to 0.99 of what it displaces, the less the more particles merge and split around it; how these make it less was not
// found. couple-piston: the floor counts both sides of the piston, of which one is under water; in water of levels that of a hundredth shakes by up to 0.19 g. Those of levels with
// AVX-512, AVX2 and without vectors, the others with AVX-512.
//
// split-still-deep: in 80 layers pressures beside the sides lack 4 % while the water still sinks; the force on the floor is right to a thousandth.
//
// split-wave-fine: particles in disorder take up to a thousandth more room than the lattice that they start on, and so stand higher.
//
// split-drop-swing: after strong pushes periods are 4 to 6 % long, within the noise of different instruction sets and of a device around the
// tolerance.
//
// split-tube: 1.78 to 1.92 s on different machines. The tube's radius is five spacings; what the amplitude loses in a period, 0.7 of it, lengthens it by 2 %; where the rest comes from is not known.
//
// pbf-tube: the walls of the legs bear a share of the layer beside them by the weight of water at rest (pbf_lean), also while it falls: where the tube is ten spacings wide it swings 7 % too slowly.
//
// couple-trough: so do the sides of a trough that is ten spacings wide, 3.5 % of its water's weight.
//
// sph-round-jet: 4.2 to 4.4 %, where 4 are allowed; why it was 2.6 in earlier sittings was not looked for. drop-laplace-large: a ball of ten spacings has a fifth of
// excess pressure too much, where discs of 8 to 24 are off by 7 to 8 %; why was not found.
//
// pbf-slosh: 25 layers press themselves together by 1 to 2 % (docs/positions.md). sph-slosh: with a speed of sound for 1 % of compression water at rest stands half a spacing low (sph-still), which
// is 2 % of 25 layers.
//
// sph-wave, sph-wave-fine: h is an eighth and a quarter of the depth at the coarsest spacing, and periods are 1.6 to 2.7 % and 1.1 to 2.3 % long, by rounding; at half of that spacing
// they are right to 0.5 %.
static const wbKnownMiss misses[] = {
    {"couple-momentum", "momentum drift, thesis, 2D", 3.69e-4, true},
    {"couple-momentum", "momentum drift, thesis, 3D", 1.75e-4, true},
    {"couple-momentum", "caught drops, thesis, 2D", 2, true},
    {"couple-momentum", "caught drops, split, 2D", 1, true},
    {"couple-calm", "kinetic energy, PBF, 0.3", 1.22e-4, true},
    {"couple-calm", "kinetic energy, levels, 0.3", 1.7e-3, true},
    {"couple-calm", "kinetic energy, levels, 0.5", 1.12e-3, true},
    {"couple-calm", "kinetic energy, levels, 0.8", 1.82e-3, true},
    {"couple-calm", "kinetic energy, split, 0.3", 1.75e-4, true},
    {"couple-calm", "kinetic energy, split, 0.5", 3.13e-4, true},
    {"couple-calm", "kinetic energy, split, 0.8", 3.17e-4, true},
    {"couple-log", "lies at, split, 0.25", 18.4, true},
    {"couple-log", "lies at, levels, 0.5", 40.78, true},
    {"couple-log", "lies at, PBF, 0.25", 22.5, true},
    {"couple-log", "lies at, thesis, 0.25", 21.5, true},
    {"couple-light", "draft, SPH, 0.01", -0.0194, true},
    {"couple-rise", "acceleration, split, 0.5", 0.196, true},
    {"couple-rise", "acceleration, split, 0.1", 0.591, true},
    {"couple-rise", "acceleration, SPH, 0.1", 0.881, true},
    {"couple-rise", "acceleration, levels, 0.5", 0.2284, true},
    {"couple-rise", "acceleration, levels, 0.1", 0.5469, true},
    {"couple-rise", "acceleration, PBF, 0.5", 1.64, true},
    {"couple-rise", "acceleration, PBF, 0.1", 2.95, true},
    {"couple-archimedes", "force, levels, cube", 71.62, true},
    {"couple-archimedes", "force, levels, ball", 39.78, true},
    {"couple-archimedes", "force, levels, tilted cube", 75.86, true},
    {"couple-archimedes", "torque, levels, cube", 0.0129, true},
    {"couple-piston", "period, SPH, 0.01", 0.5265, false},
    {"couple-piston", "period, levels, 0.01", 0.471, true},
    {"couple-piston", "shaking, levels, 0.01", 0.1868, true},
    {"split-still-deep", "pressure at the walls, 80 layers of 0.005 m", 0.9583, true},
    {"split-wave-fine", "energy above the start, 0.5 m deep, spacing 0.01 m", 1.011e-3, true},
    {"split-drop-swing", "period, disc of 8 spacings, by 30 %", 1.098, true},
    {"split-drop-swing", "period, disc of 14 spacings, by 30 %", 1.1, true},
    {"split-tube", "period in a tube", 1.92, true},
    {"pbf-tube", "period in a tube", 1.808, true},
    {"couple-trough", "weight borne by a trough, PBF, cloth", 388.5, true},
    {"couple-trough", "weight borne by a trough, levels, cloth", 388.5, true},
    {"sph-round-jet", "force of a round jet", 1.0425, true},
    {"drop-laplace-large", "pressure times R / 2, ball of 10 spacings, 3D", 0.0885, true},
    {"pbf-slosh", "level after sloshing, 2D", 0.4899, true},
    {"pbf-slosh", "level after sloshing, 3D", 0.4939, true},
    {"sph-slosh", "level after sloshing, 2D", 0.4902, false},
    {"sph-slosh", "level after sloshing, 3D", 0.4896, false},
    {"sph-wave", "period, 0.5 m deep, spacing 0.02 m", 0.8232, true},
    {"sph-wave", "period, 0.25 m deep, spacing 0.02 m", 0.8549, true},
    {"sph-wave-fine", "period, 0.5 m deep, spacing 0.02 m", 0.8232, true},
    {"sph-wave-fine", "period, 0.25 m deep, spacing 0.02 m", 0.8549, true},
    {"sph-drop-swing", "period, ball of 12 spacings, by 10 %", INFINITY, true},
    {"sph-drop-swing", "period, ball of 8 spacings, by 10 %", 2.873, true},
    {"sph-drop-swing", "period, disc of 14 spacings, by 10 %", INFINITY, true},
    {"sph-drop-swing", "period, disc of 14 spacings, by 30 %", 1.927, true},
    {"sph-drop-swing", "period, disc of 24 spacings, by 10 %", INFINITY, true},
    {"sph-drop-swing", "period, disc of 24 spacings, by 30 %", INFINITY, true},
    {"drop-swing", "period, disc of 8 spacings, by 10 %", 1.062, false},
    {"drop-swing-large", "period, disc of 24 spacings, by 10 %", 1.06, false},
    {"drop-swing-large", "period, ball of 6 spacings, by 10 %", 1.149, false},
    {"drop-swing-large", "period, ball of 6 spacings, by 30 %", 1.132, false},
    {"drop-angle-large", "height, disc of 30 spacings at 120 degrees", 1.058, false},
    {"drop-angle-large", "height, ball of 10 spacings at 60 degrees", 1.054, false},
    {"drop-angle-large", "width, ball of 10 spacings at 60 degrees", 0.9402, false},
    {"drop-angle", "height, disc of 16 spacings at 120 degrees", 1.095, true},
    {"drop-angle", "width, disc of 16 spacings at 120 degrees", 0.9293, true},
    {"apbf-disc", "pairs saved, disc of 100 radii, thesis", 0.2, true},
    {"apbf-momentum-thesis", "momentum, disc, thesis", 1.66e-5, true},
    {"apbf-pool", "velocity at rest, 2D, levels", 0.0676, true},
    {"apbf-splash", "height of a splash, 3D, levels", 13.08, true},
    {"apbf-split-scales", "fastest after splits, 2D, levels, 0.1 m", 0.9153, true},
    {"apbf-split-scales", "fastest after splits, 2D, levels, 0.01 m", 0.9216, true},
};

const wbKnownMiss *wbGetKnownMisses(int *count) {
    *count = sizeof misses / sizeof misses[0];
    return misses;
}

const wbKnownMiss *wbFindKnownMiss(const wbQuantity *quantity) {
    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++) {
        const wbKnownMiss *miss = &misses[i];
        if (strcmp(miss->name, quantity->name) == 0 && strcmp(miss->quantity, quantity->quantity) == 0)
            return miss;
    }
    return NULL;
}
