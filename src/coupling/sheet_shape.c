// SPDX-License-Identifier: MIT
// Triangles that move, and points near them; the table of the half space.
#include <math.h>
#include <string.h>

#include "coupling/sheet.h"

static wbVec3d mix(wbVec3d a, wbVec3d b, double share) { return wbAddScaled3d(a, share, wbSub3d(b, a)); }

// Ericson 2005, 5.1.5.
int wbFindClosestOnTriangle(const wbVec3d c[3], wbVec3d p, double w[3]) {
    const wbVec3d ab = wbSub3d(c[1], c[0]), ac = wbSub3d(c[2], c[0]), ap = wbSub3d(p, c[0]),
                  bp = wbSub3d(p, c[1]), cp = wbSub3d(p, c[2]);
    const double d1 = wbDot3d(ab, ap), d2 = wbDot3d(ac, ap), d3 = wbDot3d(ab, bp), d4 = wbDot3d(ac, bp),
                 d5 = wbDot3d(ab, cp), d6 = wbDot3d(ac, cp);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    w[0] = w[1] = w[2] = 0;
    if (d1 <= 0 && d2 <= 0) return w[0] = 1, 1;
    if (d3 >= 0 && d4 <= d3) return w[1] = 1, 1;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return w[1] = d1 / (d1 - d3), w[0] = 1 - w[1], 2;
    if (d6 >= 0 && d5 <= d6) return w[2] = 1, 1;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return w[2] = d2 / (d2 - d6), w[0] = 1 - w[2], 2;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6)), w[1] = 1 - w[2], 2;
    w[1] = vb / (va + vb + vc), w[2] = vc / (va + vb + vc), w[0] = 1 - w[1] - w[2];
    return 3;
}

// Of the point and a triangle: six times the volume between them, as both go evenly.
typedef struct Pass {
    wbVec3d starts[3], ends[3]; // of corners, as seen from the point
} Pass;

static double getVolume(const Pass *pass, double t) {
    wbVec3d c[3];
    for (int k = 0; k < 3; k++) c[k] = mix(pass->starts[k], pass->ends[k], t);
    return wbDot3d(c[0], wbCross3d(c[1], c[2]));
}

// Whether the foot of the point is in the triangle, with a hair.
static bool isOver(const Pass *pass, double t) {
    const double hair = 1e-6;
    wbVec3d c[3];
    for (int k = 0; k < 3; k++) c[k] = mix(pass->starts[k], pass->ends[k], t);
    const wbVec3d n = wbCross3d(wbSub3d(c[1], c[0]), wbSub3d(c[2], c[0]));
    const double area2 = wbDot3d(n, n);
    if (!(area2 > 0)) return false;
    for (int k = 0; k < 3; k++)
        if (wbDot3d(wbCross3d(c[(k + 1) % 3], c[(k + 2) % 3]), n) / area2 < -hair) return false;
    return true;
}

// Where a cubic that is known at four times turns: in (0, 1), ascending.
static int findTurns(const Pass *pass, double f0, double f1, double turns[2]) {
    const double fh = getVolume(pass, 0.5), fm = getVolume(pass, -1);
    const double c2 = 0.5 * (f1 + fm) - f0, c13 = 0.5 * (f1 - fm),
                 c3 = (0.25 * c2 + 0.5 * c13 + f0 - fh) / 0.375, c1 = c13 - c3;
    const double a = 3 * c3, b = 2 * c2, inner = b * b - 4 * a * c1;
    int count = 0;
    if (!(inner > 0)) return 0;
    const double root = sqrt(inner), q = -0.5 * (b + (b > 0 ? root : -root));
    double first = a != 0 ? q / a : -1, second = q != 0 ? c1 / q : -1;
    if (first > second) {
        const double kept = first;
        first = second, second = kept;
    }
    if (first > 0 && first < 1) turns[count++] = first;
    if (second > 0 && second < 1 && second != first) turns[count++] = second;
    return count;
}

// Between two times with different signs: the last that has the sign of the first.
static double bisect(const Pass *pass, double from, double to, bool isPositive) {
    for (int k = 0; k < 45; k++) {
        const double middle = 0.5 * (from + to);
        if ((getVolume(pass, middle) > 0) == isPositive)
            from = middle;
        else
            to = middle;
    }
    return from;
}

double wbFindHitTime(const wbVec3d starts[3], const wbVec3d ends[3], wbVec3d from, wbVec3d to) {
    Pass pass;
    double times[4] = {0}, before;
    for (int k = 0; k < 3; k++)
        pass.starts[k] = wbSub3d(starts[k], from), pass.ends[k] = wbSub3d(ends[k], to);
    const double f0 = before = getVolume(&pass, 0), f1 = getVolume(&pass, 1);
    const int count = 1 + findTurns(&pass, f0, f1, times + 1);
    times[count] = 1;
    for (int k = 0; k < count; k++) {
        const double after = k + 1 == count ? f1 : getVolume(&pass, times[k + 1]);
        if ((before > 0) != (after > 0)) {
            const double t = bisect(&pass, times[k], times[k + 1], before > 0);
            if (isOver(&pass, t)) return t;
        }
        before = after;
    }
    return 2;
}

// The kernels at r < h, of a site that is so far along the normal; distances in spacings.
static double getDensity(wbSheetKernel kernel, double r, double h) {
    const double s = 1 - r / h;
    switch (kernel) {
    case wb_sheetBlunt:
        return s * s * s * (4 - s) / 3;
    case wb_sheetWendland:
        return pow(s, 4) * (5 - 4 * s);
    default:
        return pow(1 - r * r / (h * h), 3);
    }
}
static double getGradient(wbSheetKernel kernel, double r, double along, double h) {
    const double s = 1 - r / h;
    switch (kernel) {
    case wb_sheetWendland:
        return s * s * s * along;
    case wb_sheetMuller:
        return s * s * along / r;
    default:
        return s * s * (3 - s) / 2 * along / r;
    }
}

// Layers half a spacing, one and a half … behind the sheet, in the mean over shifts along it; distances from -1 to h, in spacings.
void wbSheetTable_Make(wbSheetTable *table, wbSheetKernel kernel, float smoothing) {
    enum { SHIFTS = 4 };
    const double h = (double)smoothing;
    const int reach = (int)ceil(h) + 1;
    if (table->smoothing == smoothing) return;
    *table = (wbSheetTable){.smoothing = smoothing};
    for (int k = 0; k <= WB_SHEET_TABLE; k++) {
        const double distance = -1 + (h + 1) * k / WB_SHEET_TABLE;
        double density = 0, gradient = 0;
        for (int shift = 0; shift < SHIFTS * SHIFTS; shift++)
            for (int x = -reach; x <= reach; x++)
                for (int z = -reach; z <= reach; z++)
                    for (int layer = 0; layer <= reach + 1; layer++) {
                        const double away[3] = {x + (shift % SHIFTS + 0.5) / SHIFTS, distance + layer + 0.5,
                                                z + (shift / SHIFTS + 0.5) / SHIFTS};
                        const double r = sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
                        if (r >= h || r == 0) continue;
                        density += getDensity(kernel, r, h);
                        gradient += getGradient(kernel, r, away[1], h);
                    }
        table->density[k] = (float)(density / (SHIFTS * SHIFTS));
        table->gradient[k] = (float)(gradient / (SHIFTS * SHIFTS));
    }
}
