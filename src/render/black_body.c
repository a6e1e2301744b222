// SPDX-License-Identifier: MIT
#include "render/black_body.h"

#include <math.h>

// Planck's law at the middle wavelengths of a screen's red, green and blue, over that at the white temperature. The
// factor before the exponential is the same in both.
static double getRadiance(double wavelength, double kelvin) {
    const double second = 1.438777e-2; // h c / k, m K
    const double white = 2200;
    return expm1(second / (wavelength * white)) / expm1(second / (wavelength * kelvin));
}

void wbGetBlackBody(float kelvin, float rgb[3]) {
    const double wavelengths[3] = {610e-9, 549e-9, 468e-9};
    const double dark = 700, full = 1500;
    rgb[0] = rgb[1] = rgb[2] = 0;
    if (!(kelvin > dark)) return;
    double red = getRadiance(wavelengths[0], kelvin);
    double share = (kelvin - dark) / (full - dark);
    double brightness = share * share * share;
    for (int i = 0; i < 3; ++i) rgb[i] = (float)(brightness * getRadiance(wavelengths[i], kelvin) / red);
}
