// SPDX-License-Identifier: MIT
#include "render/black_body.h"

#include <math.h>

// Planck's law at the middle wavelengths of a screen's red, green and blue, over that at the white temperature. The
// factor before the exponential is the same in both.
static double getRadiance(double wavelength, double kelvin, double white) {
    const double second = 1.438777e-2; // h c / k, m K
    return expm1(second / (wavelength * white)) / expm1(second / (wavelength * kelvin));
}

void wbGetBlackBody(float kelvin, float hottest, float rgb[3]) {
    const double wavelengths[3] = {610e-9, 549e-9, 468e-9};
    // glowing coals look red also if nothing is hotter
    const double dark = 700, full = fmax(1200, 0.9 * (double)hottest),
                 white = fmax(2600, 2.1 * (double)hottest);
    rgb[0] = rgb[1] = rgb[2] = 0;
    if (!((double)kelvin > dark)) return;
    double share = ((double)kelvin - dark) / (full - dark), brightness = share * share * share;
    double red = getRadiance(wavelengths[0], (double)kelvin, white);
    for (int i = 0; i < 3; ++i)
        rgb[i] = (float)(brightness * getRadiance(wavelengths[i], (double)kelvin, white) / red);
}

void wbTintGlow(const float light[3], const uint8_t tint[3], float rgb[3]) {
    float t[3] = {(float)tint[0] / 255, (float)tint[1] / 255, (float)tint[2] / 255};
    float most = fmaxf(fmaxf(t[0], t[1]), t[2]), least = fminf(fminf(t[0], t[1]), t[2]);
    float share = (1 - least / fmaxf(most, 1e-6f)) * fminf(8 * most, 1);
    for (int c = 0; c < 3; ++c) {
        float pure = t[c] / fmaxf(most, 1e-6f);
        rgb[c] = light[c] + share * (light[0] * pure * pure - light[c]);
    }
}
