// SPDX-License-Identifier: MIT
// The light of things that glow.
#pragma once

#include <stdint.h>

/// Red, green and blue of what is `kelvin` hot, as linear light, as a camera takes it that is set for something
/// `hottest` K hot: the colour by Planck's law, with that nearly white; the brightness pressed together (by Planck's law
/// it falls below a thousandth from 1500 K to 1000 K): it grows with the cube, from nothing at 700 K to about 1 at the hottest.
void wbGetBlackBody(float kelvin, float hottest, float rgb[3]);

/// What glows with `light` in coloured smoke, whose tint is as the screen shows it: as salts colour a flame, the heat gives the brightness
/// and the tint the colour, the less of it the paler the tint is. Soot, which is black, glows by its heat alone.
void wbTintGlow(const float light[3], const uint8_t tint[3], float rgb[3]);

/// K above ambient are counted from here.
enum { WB_AMBIENT_KELVIN = 293 };
