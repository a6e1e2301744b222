// SPDX-License-Identifier: MIT
// The light of things that glow.
#pragma once

/// Red, green and blue of what is `kelvin` hot, as linear light: the colour by Planck's law as a camera sees it to
/// which 2200 K is white, the brightness pressed together (by Planck's law it falls to a thousandth from 1500 K to
/// 1000 K): it grows with the cube from 700 K on, and is 1 at 1500 K.
void wbGetBlackBody(float kelvin, float rgb[3]);

/// K above ambient are counted from here.
enum { WB_AMBIENT_KELVIN = 293 };
