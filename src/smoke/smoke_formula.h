// SPDX-License-Identifier: MIT
// The physics of a cell, over REAL.
#pragma once

typedef struct SmokeVector {
    REAL x, y, z;
} SmokeVector;

static inline REAL smoke_mix(REAL a, REAL b, REAL share) { return real_madd(share, b - a, a); }

/// Confinement: scale N × curl, N = grad / |grad|, where grad is that of |curl| (Fedkiw, Stam and Jensen 2001, eq. 10).
/// Differences of velocity below 1e-6 m/s have no direction.
static inline SmokeVector smoke_confinement(SmokeVector curl, SmokeVector grad, float scale) {
    REAL square = real_madd(grad.x, grad.x, real_madd(grad.y, grad.y, grad.z * grad.z));
    REAL factor = real_rsqrt(square + 1e-12f) * scale;
    SmokeVector force = {factor * (grad.y * curl.z - grad.z * curl.y),
                         factor * (grad.z * curl.x - grad.x * curl.z),
                         factor * (grad.x * curl.y - grad.y * curl.x)};
    return force;
}

/// Lift of hot air and weight of smoke (the same, eq. 8).
static inline REAL smoke_lift(REAL temperature, REAL density, float buoyancy, float weight) {
    return buoyancy * temperature - weight * density;
}

/// Difference of the pressures on both sides of a face. A pressure of exactly 0 is none: that of solids, of what lies
/// beyond a side, and of cells that a solid has just left.
static inline REAL smoke_pressure_step(REAL above, REAL below) {
    return real_select(real_less(real_set(0), real_abs(above * below)), above - below, real_set(0));
}

/// Air that moves by less than this along every axis, in cells, has bends of paths by differences of velocity beside it.
#define SMOKE_SHORT_WAY 0.375f

/// From 0 at that to 1 at half a cell: the share of a bend that is found along the path.
static inline REAL smoke_long_share(REAL way) {
    return real_min(real_max((way - SMOKE_SHORT_WAY) * 8.0f, real_set(0)), real_set(1));
}

/// How much longer than `here` tells a short path is, for one component: reflected - here - (here × grad) reflected, where
/// velocities count as cells in this step and `slopes` are twice the derivatives.
static inline REAL smoke_short_bend(REAL reflected, REAL own, SmokeVector here, SmokeVector slopes) {
    const REAL change = real_madd(here.x, slopes.x, real_madd(here.y, slopes.y, here.z * slopes.z));
    return real_madd(change, real_set(-0.5f), reflected - own);
}

/// What burns of the fuel: a share of it where it is hot enough.
static inline REAL smoke_burnt(REAL fuel, REAL temperature, float ignition, float share) {
    return real_select(real_less(temperature, real_set(ignition)), real_set(0), fuel * share);
}

/// MacCormack: half the error of going there and back is taken away; no new extremes (Selle et al. 2008).
static inline REAL smoke_correct(REAL carried, REAL error, REAL least, REAL most) {
    return real_max(real_min(real_madd(real_set(0.5f), error, carried), most), least);
}

/// Slope of a field in a cell, per cell: central, and at most twice the difference to either neighbour; 0 at extremes (van Leer
/// 1977).
static inline REAL smoke_slope(REAL before, REAL here, REAL after) {
    const REAL down = here - before, up = after - here, mean = (down + up) * 0.5f;
    const REAL most = real_min(real_abs(down), real_abs(up)) * 2.0f, size = real_min(real_abs(mean), most);
    const REAL slope = real_select(real_less(mean, real_set(0)), -size, size);
    return real_select(real_less(real_set(0), down * up), slope, real_set(0));
}

/// Share of the upwind cell's air that passes a face as the air moves by `way` cells; below 0 if it goes down.
static inline REAL smoke_share(REAL way, REAL volumeBelow, REAL volumeAbove) {
    return way / real_select(real_less(way, real_set(0)), volumeAbove, volumeBelow);
}

/// What passes a face between the values `below` and `above` along an axis: the air takes the end of the upwind cell with it.
static inline REAL smoke_flux(REAL way, REAL share, REAL below, REAL slopeBelow, REAL above,
                              REAL slopeAbove) {
    const MASK isDown = real_less(way, real_set(0));
    const REAL end = real_select(isDown, real_set(-1), real_set(1)) - share;
    const REAL slope = real_select(isDown, slopeAbove, slopeBelow);
    return way * real_madd(end * 0.5f, slope, real_select(isDown, above, below));
}

/// Volume that the air of a cell has after it flowed along some axes only. Steps are short enough that it is not less.
static inline REAL smoke_volume(REAL gain) { return real_max(1.0f - gain, real_set(0.1f)); }

/// Air that flows out of a cell along an axis, in cells of it.
static inline REAL smoke_outflow(REAL low, REAL high) {
    return real_max(high, real_set(0)) - real_min(low, real_set(0));
}
