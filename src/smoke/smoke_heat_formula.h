// SPDX-License-Identifier: MIT
// What solids do to the conduction of heat in the cells beside them: the same in C and in OpenCL C.
#pragma once

/// A cell that solids touch, or one of a solid that touches air or a side of the box.
typedef struct SmokeHeatEdge {
    int place;       ///< by wbSmokeIndex
    int isAir;       ///< 0: no heat goes there
    float insulated; ///< how many neighbours are solids that insulate
    float fixed;     ///< and how many have a temperature,
    float heat;      ///< which add up to this
} SmokeHeatEdge;

/// The sum over neighbours minus own counts solids as cells of 0. Less that, plus what they do: no flux to an insulating
/// one; a wall of fixed temperature stands half a cell away, 2 (wall - own). Temperatures are above ambient;
/// `walls`: 1, or 0 as if they all were at 0.
static inline float smoke_heat_edge(SmokeHeatEdge edge, float own, float ambient, float walls) {
    return (edge.insulated - edge.fixed) * own + 2 * walls * (edge.heat - edge.fixed * ambient);
}
