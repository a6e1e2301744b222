// SPDX-License-Identifier: MIT
// Air that comes in through open sides: the same in C and in OpenCL C.
#pragma once

/// The velocity across an open side after dt, with cells = dt / h. Air that comes in was at rest in the centre of the cell
/// beyond, where the pressure is 0, so that u du/dx is u2 / 2 over h, and the pressure in the first cell becomes -u2 / 2: the
/// total pressure stays 0 on the way (Bernoulli). If it came as fast as it goes on, it would bring energy that nothing gave it.
/// It stops at most, so that any step will do. Tried: the implicit u' = u - u' |u| dt / (2 h) takes too little in steps of a
/// cell already: a wind that should settle at 4 m/s did at 6.
static inline float smoke_inflow(float velocity, int isHigh, float cells) {
    const float loss = (isHigh ? -0.5f : 0.5f) * velocity * cells;
    return loss > 0 ? velocity - velocity * (loss < 1 ? loss : 1) : velocity;
}
