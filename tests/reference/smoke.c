// SPDX-License-Identifier: MIT
// Sources: Stam 1999 (stable advection), van Leer 1977 and Easter 1993 (fluxes along one axis after the other), Zehnder, Narain and Thomaszewski 2018 (reflection), Fedkiw, Stam and Jensen 2001 (buoyancy, confinement), Harlow and Welch 1965
// (staggered grid), Selle, Fedkiw, Kim, Liu and Rossignac 2008 (MacCormack).
#include "reference/smoke.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double Vec[3];

int refCount(const refSmoke *smoke, int field, int axis) { return smoke->n[axis] + (field == axis); }

int refIndex(const refSmoke *smoke, int field, int i, int j, int k) {
    return i + refCount(smoke, field, 0) * (j + refCount(smoke, field, 1) * k);
}

static int valueCount(const refSmoke *smoke, int field) {
    return refCount(smoke, field, 0) * refCount(smoke, field, 1) * refCount(smoke, field, 2);
}

static int cellCount(const refSmoke *smoke) { return smoke->n[0] * smoke->n[1] * smoke->n[2]; }

refSmoke *refCreateSmoke(int dimensions, int nx, int ny, int nz, double h) {
    refSmoke *smoke = calloc(1, sizeof *smoke);
    smoke->dimensions = dimensions;
    smoke->n[0] = nx, smoke->n[1] = ny, smoke->n[2] = nz;
    smoke->h = h;
    smoke->up[1] = 1;
    smoke->massRatio = 1;
    smoke->nearest = HUGE_VAL;
    smoke->solid = calloc(cellCount(smoke), 1);
    smoke->pressure = calloc(cellCount(smoke), sizeof(double));
    for (int f = 0; f < refFields; f++) smoke->field[f] = calloc(valueCount(smoke, f), sizeof(double));
    return smoke;
}

void refDestroySmoke(refSmoke *smoke) {
    for (int f = 0; f < refFields; f++) free(smoke->field[f]);
    free(smoke->solid);
    free(smoke->pressure);
    free(smoke);
}

static bool isFlat(const refSmoke *smoke, int axis) { return axis == 2 && smoke->dimensions == 2; }

static bool isOpen(const refSmoke *smoke, int axis, int high) {
    return !isFlat(smoke, axis) && smoke->sides[2 * axis + high].type == wb_sideOpen;
}

static bool isClosedBox(const refSmoke *smoke) {
    for (int s = 0; s < 2 * smoke->dimensions; s++)
        if (smoke->sides[s].type == wb_sideOpen) return false;
    return true;
}

static double component(wbVec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// A value, also beyond the sides: what does not slip is mirrored about the side's velocity, ambient air has no smoke,
// all else goes on.
static double value(const refSmoke *smoke, int f, const double *field, int i, int j, int k) {
    int at[3] = {i, j, k};
    for (int a = 1; a != 3; a = a == 1 ? 2 : a == 2 ? 0 : 3) { // y, z, x
        int last = refCount(smoke, f, a) - 1;
        if (at[a] >= 0 && at[a] <= last) continue;
        int high = at[a] > last;
        const wbSideDef *side = &smoke->sides[2 * a + high];
        at[a] = high ? last : 0;
        if (f >= refDensity && isOpen(smoke, a, high)) return 0;
        if (f < 3 && f != a && !isFlat(smoke, a) && side->type == wb_sideNoSlip)
            return 2 * component(side->velocity, f) - value(smoke, f, field, at[0], at[1], at[2]);
        return value(smoke, f, field, at[0], at[1], at[2]);
    }
    return field[refIndex(smoke, f, at[0], at[1], at[2])];
}

static int cellIndex(const refSmoke *smoke, int i, int j, int k) {
    return i + smoke->n[0] * (j + smoke->n[1] * k);
}

// Values within go on beyond the sides, and across open ones.
static double goingOn(const refSmoke *smoke, int f, const double *field, int i, int j, int k) {
    int at[3] = {i, j, k};
    for (int a = 0; a < 3; a++) {
        int low = f == a && isOpen(smoke, a, 0),
            high = refCount(smoke, f, a) - 1 - (f == a && isOpen(smoke, a, 1));
        at[a] = at[a] < low ? low : at[a] > high ? high : at[a];
    }
    return field[refIndex(smoke, f, at[0], at[1], at[2])];
}

// What is carried of a velocity.
static double carriedValue(const refSmoke *smoke, int f, const double *field, int i, int j, int k) {
    double u = value(smoke, f, field, i, j, k);
    return f < 3 && smoke->half[f] && field == smoke->field[f]
               ? u + goingOn(smoke, f, smoke->half[f], i, j, k)
               : u;
}

// Faces that nothing flows through: closed sides and solid cells

static int solidAt(const refSmoke *smoke, int i, int j, int k) {
    if (i < 0 || j < 0 || k < 0 || i >= smoke->n[0] || j >= smoke->n[1] || k >= smoke->n[2]) return 0;
    return smoke->solid[cellIndex(smoke, i, j, k)];
}

static double bodyVelocity(const refSmoke *smoke, int body, int f, int i, int j, int k) {
    const wbSmokeBody *b = &smoke->bodies[body];
    const double at[3] = {i, j, k};
    Vec r, w = {b->spin.x, b->spin.y, b->spin.z};
    for (int a = 0; a < 3; a++)
        r[a] =
            component(smoke->origin, a) + smoke->h * (at[a] + (f == a ? 0 : 0.5)) - component(b->centre, a);
    if (smoke->dimensions == 2) r[2] = 0;
    int c = (f + 1) % 3, d = (f + 2) % 3;
    return component(b->velocity, f) + w[c] * r[d] - w[d] * r[c];
}

// Whether the velocity at a face is given, by a side or a body, and which.
static bool isClosedFace(const refSmoke *smoke, int f, int i, int j, int k, double *velocity) {
    const int at[3] = {i, j, k};
    *velocity = 0;
    if (isFlat(smoke, f)) return true;
    if (at[f] == 0 && !isOpen(smoke, f, 0)) return true;
    if (at[f] == smoke->n[f] && !isOpen(smoke, f, 1)) return true;
    int down = solidAt(smoke, i - (f == 0), j - (f == 1), k - (f == 2)), up = solidAt(smoke, i, j, k);
    if (!down && !up) return false;
    *velocity = bodyVelocity(smoke, (down ? down : up) - 1, f, i, j, k);
    return true;
}

void refSetClosedFaces(refSmoke *smoke) {
    for (int f = 0; f < 3; f++) {
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    double velocity;
                    if (isClosedFace(smoke, f, i, j, k, &velocity))
                        smoke->field[f][refIndex(smoke, f, i, j, k)] = velocity;
                }
            }
        }
    }
}

// Air that comes in through an open side was at rest a cell before: u du/dx is u2 / (2 h) there; it stops at most.
void refSlowInflow(refSmoke *smoke, double dt) {
    for (int f = 0; f < smoke->dimensions; f++) {
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    const int at = f == 0 ? i : f == 1 ? j : k, high = at == smoke->n[f];
                    double *u = &smoke->field[f][refIndex(smoke, f, i, j, k)], in = high ? -*u : *u;
                    if ((at == 0 || high) && isOpen(smoke, f, high) && in > 0)
                        *u -= *u * fmin(in * dt / (2 * smoke->h), 1);
                }
            }
        }
    }
}

// Air slips along solid cells, unless it is viscous: within them the velocity goes on from free faces beside.
static void slipAlongSolids(refSmoke *smoke, double *const velocities[3]) {
    for (int f = 0; f < smoke->dimensions && smoke->params.viscosity == 0; f++) {
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    double sum = 0, velocity;
                    int count = 0;
                    if (!solidAt(smoke, i, j, k) || !solidAt(smoke, i - (f == 0), j - (f == 1), k - (f == 2)))
                        continue;
                    for (int s = 0; s < 2 * smoke->dimensions; s++) {
                        int a = s / 2, there[3] = {i, j, k};
                        there[a] += s & 1 ? 1 : -1;
                        if (a == f || there[a] < 0 || there[a] >= smoke->n[a]) continue;
                        if (isClosedFace(smoke, f, there[0], there[1], there[2], &velocity)) continue;
                        sum += velocities[f][refIndex(smoke, f, there[0], there[1], there[2])];
                        count++;
                    }
                    if (count) velocities[f][refIndex(smoke, f, i, j, k)] = sum / count;
                }
            }
        }
    }
}

// Advection

// The part of the box that a field may be sampled in: up to closed sides, and half a cell beyond open sides for smoke.
static double clampPlace(const refSmoke *smoke, int f, int axis, double x) {
    double low = f == axis ? 0 : -0.5, high = f == axis ? smoke->n[axis] : smoke->n[axis] - 0.5;
    if (f >= refDensity && isOpen(smoke, axis, 0)) low = -1;
    if (f >= refDensity && isOpen(smoke, axis, 1)) high = smoke->n[axis];
    if (isFlat(smoke, axis)) low = high = 0;
    return fmin(fmax(x, low), high);
}

// Trilinear, at a place counted in values of the field; also the smallest and largest of the eight.
typedef double ValueFn(const refSmoke *smoke, int f, const double *field, int i, int j, int k);
static double sampleBy(ValueFn *valueOf, const refSmoke *smoke, int f, const double *field, const Vec place,
                       double *least, double *most) {
    int base[3];
    double part[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double x = clampPlace(smoke, f, a, place[a]);
        int top = refCount(smoke, f, a) - 1 + (f != a) - 1;
        base[a] = (int)floor(x);
        if (base[a] > top) base[a] = top;
        part[a] = x - base[a];
    }
    for (int c = 0; c < 8; c++) {
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= c >> a & 1 ? part[a] : 1 - part[a];
        double q =
            valueOf(smoke, f, field, base[0] + (c & 1), base[1] + (c >> 1 & 1), base[2] + (c >> 2 & 1));
        if (least) *least = c == 0 ? q : fmin(*least, q);
        if (most) *most = c == 0 ? q : fmax(*most, q);
        sum += weight * q;
    }
    return sum;
}

static double sample(const refSmoke *smoke, int f, const double *field, const Vec place, double *least,
                     double *most) {
    return sampleBy(carriedValue, smoke, f, field, place, least, most);
}

// Component a of the velocity, or of what is carried of it, at a place counted in values of field f.
static double velocityBy(ValueFn *valueOf, const refSmoke *smoke, int f, int a, const Vec place) {
    Vec there;
    for (int b = 0; b < 3; b++) there[b] = place[b] + (f == b ? 0 : 0.5) - (a == b ? 0 : 0.5);
    return sampleBy(valueOf, smoke, a, smoke->field[a], there, NULL, NULL);
}

static double velocityAt(const refSmoke *smoke, int f, int a, const Vec place) {
    return velocityBy(value, smoke, f, a, place);
}

// Of a component of what is carried, between the faces of a cell.
static double carriedAt(const refSmoke *smoke, int a, int i, int j, int k) {
    return 0.5 * (carriedValue(smoke, a, smoke->field[a], i, j, k) +
                  carriedValue(smoke, a, smoke->field[a], i + (a == 0), j + (a == 1), k + (a == 2)));
}

// By differences of what is carried, along the way.
static void findShortBend(const refSmoke *smoke, const Vec centre, double cells, const Vec way, Vec bend) {
    int at[3] = {(int)lround(centre[0]), (int)lround(centre[1]), (int)lround(centre[2])};
    for (int a = 0; a < 3; a++) {
        double change = 0;
        for (int b = 0; b < smoke->dimensions; b++) {
            int x = b == 0, y = b == 1, z = b == 2;
            double slope = 0.5 * (carriedAt(smoke, a, at[0] + x, at[1] + y, at[2] + z) -
                                  carriedAt(smoke, a, at[0] - x, at[1] - y, at[2] - z));
            if (a == b)
                slope = carriedValue(smoke, a, smoke->field[a], at[0] + x, at[1] + y, at[2] + z) -
                        carriedValue(smoke, a, smoke->field[a], at[0], at[1], at[2]);
            change += way[b] * slope;
        }
        bend[a] = cells * (carriedAt(smoke, a, at[0], at[1], at[2]) - change) - way[a];
    }
    if (smoke->dimensions == 2) bend[2] = 0;
}

// By how much the path to a centre is longer than the velocity there tells: it is as fast on it as what is carried is at its
// start, which the midpoint rule gives.
static void findBend(const refSmoke *smoke, const Vec centre, double cells, Vec bend) {
    Vec middle, start, here;
    double way = 0;
    for (int a = 0; a < 3; a++) {
        here[a] = cells * velocityAt(smoke, refDensity, a, centre);
        middle[a] = centre[a] - 0.5 * here[a];
        way = fmax(way, fabs(here[a]));
    }
    Vec shortBend;
    double share = fmin(fmax(8 * (way - 0.375), 0), 1);
    findShortBend(smoke, centre, cells, here, shortBend);
    for (int a = 0; a < 3; a++) start[a] = centre[a] - cells * velocityAt(smoke, refDensity, a, middle);
    for (int a = 0; a < 3; a++)
        bend[a] = (1 - share) * shortBend[a] +
                  share * (cells * velocityBy(carriedValue, smoke, refDensity, a, start) - here[a]);
}

// To a face, with the bends of the cells on both sides; forth, the way that is as fast as what is carried.
static void traceReflected(const refSmoke *smoke, int f, const Vec from, double cells, Vec to) {
    if (cells < 0) {
        for (int a = 0; a < 3; a++) to[a] = from[a] - cells * velocityBy(carriedValue, smoke, f, a, from);
        return;
    }
    for (int a = 0; a < 3; a++) to[a] = from[a] - cells * velocityAt(smoke, f, a, from);
    for (int side = 0; side < 2; side++) {
        Vec centre = {from[0], from[1], from[2]}, bend;
        centre[f] = fmin(fmax(from[f] - side, 0), smoke->n[f] - 1);
        findBend(smoke, centre, cells, bend);
        for (int a = 0; a < 3; a++) to[a] -= 0.5 * bend[a];
    }
}

static void trace(const refSmoke *smoke, int f, const Vec from, double cells, Vec to) {
    Vec middle;
    if (f < 3 && smoke->half[f]) {
        traceReflected(smoke, f, from, cells, to);
        return;
    }
    for (int a = 0; a < 3; a++) to[a] = from[a] - cells * velocityAt(smoke, f, a, from);
    if (smoke->params.backtrace == wb_backtraceEuler) return;
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * (from[a] + to[a]);
    for (int a = 0; a < 3; a++) to[a] = from[a] - cells * velocityAt(smoke, f, a, middle);
}

// Whether the error of a way that leads to x counts: in the box, and before the clear air at open sides; of velocities two
// cells before it.
static bool isInBox(const refSmoke *smoke, int f, int axis, double x) {
    double edge = f == axis ? 0 : 0.5, low = -edge, high = smoke->n[axis] - edge;
    if (isOpen(smoke, axis, 0)) low = f >= refDensity ? 0 : low + 2;
    if (isOpen(smoke, axis, 1)) high = f >= refDensity ? smoke->n[axis] - 1 : high - 2;
    return isFlat(smoke, axis) || (x >= low && x <= high);
}

static double *advectField(const refSmoke *smoke, int f, double dt, double factor) {
    const double *old = smoke->field[f];
    double *first = calloc(valueCount(smoke, f), sizeof(double));
    double *second = calloc(valueCount(smoke, f), sizeof(double));
    bool corrects = f < 3 ? smoke->params.velocityAdvection == wb_advectionMacCormack
                          : smoke->params.advection == wb_smokeMacCormack;
    double cells = dt / smoke->h;
    for (int pass = 0; pass < 1 + corrects; pass++) {
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    Vec from = {i, j, k}, back, forth;
                    double least = 0, most = 0;
                    int c = refIndex(smoke, f, i, j, k);
                    trace(smoke, f, from, cells, back);
                    double carried = sample(smoke, f, old, back, &least, &most);
                    if (pass == 0) {
                        first[c] = carried;
                        continue;
                    }
                    // half the error of going there and back is taken away, unless the way leads out; no new extremes
                    trace(smoke, f, from, -cells, forth);
                    double error =
                        carriedValue(smoke, f, old, i, j, k) - sample(smoke, f, first, forth, NULL, NULL);
                    for (int a = 0; a < 3; a++)
                        if (!isInBox(smoke, f, a, forth[a])) error = 0;
                    second[c] = fmin(fmax(carried + 0.5 * error, least), most);
                }
            }
        }
    }
    if (corrects) memcpy(first, second, valueCount(smoke, f) * sizeof(double));
    for (int c = 0; c < valueCount(smoke, f); c++) first[c] *= factor;
    for (int k = 0; k < refCount(smoke, f, 2) && f < 3 && smoke->half[f]; k++)
        for (int j = 0; j < refCount(smoke, f, 1); j++)
            for (int i = 0; i < refCount(smoke, f, 0); i++)
                first[refIndex(smoke, f, i, j, k)] -= goingOn(smoke, f, smoke->half[f], i, j, k);
    free(second);
    return first;
}

static double sumDensity(const refSmoke *smoke) {
    double sum = 0;
    for (int c = 0; c < cellCount(smoke); c++) sum += smoke->solid[c] ? 0 : smoke->field[refDensity][c];
    return sum;
}

static void emptySolids(refSmoke *smoke) {
    for (int c = 0; c < cellCount(smoke); c++)
        for (int f = refDensity; f < refFields && smoke->solid[c]; f++) smoke->field[f][c] = 0;
}

// Fluxes: along one axis after the other, in parts of the step in which no cell is emptied.

// The velocity across a face of a cell along an axis, low or high: none into solid cells.
static double flowAcross(const refSmoke *smoke, int a, int i, int j, int k, int high) {
    int x = a == 0, y = a == 1, z = a == 2, up[3] = {i + high * x, j + high * y, k + high * z};
    if (isFlat(smoke, a)) return 0;
    bool below = solidAt(smoke, up[0] - x, up[1] - y, up[2] - z), above = solidAt(smoke, up[0], up[1], up[2]);
    return below != above ? 0 : smoke->field[a][refIndex(smoke, a, up[0], up[1], up[2])];
}

static double gainAlong(const refSmoke *smoke, int a, int i, int j, int k) {
    return flowAcross(smoke, a, i, j, k, 1) - flowAcross(smoke, a, i, j, k, 0);
}

static double outflowAlong(const refSmoke *smoke, int a, int i, int j, int k) {
    return fmax(flowAcross(smoke, a, i, j, k, 1), 0) - fmin(flowAcross(smoke, a, i, j, k, 0), 0);
}

// Order of the axes: x, z, y, or the opposite.
static int axisOf(const refSmoke *smoke, int turned, int n) {
    static const int axes[2][3] = {{0, 1, 2}, {0, 2, 1}};
    return axes[smoke->dimensions == 3][turned ? smoke->dimensions - 1 - n : n];
}

static int countParts(const refSmoke *smoke, double dt) {
    double most = 0;
    for (int k = 0; k < smoke->n[2]; k++) {
        for (int j = 0; j < smoke->n[1]; j++) {
            for (int i = 0; i < smoke->n[0]; i++) {
                for (int turned = 0; turned < 2; turned++) {
                    double gain = 0;
                    for (int n = 0; n < smoke->dimensions; n++) {
                        int a = axisOf(smoke, turned, n);
                        most = fmax(most, outflowAlong(smoke, a, i, j, k) + gain);
                        gain += gainAlong(smoke, a, i, j, k);
                    }
                }
            }
        }
    }
    return (int)fmax(ceil(most * dt / (0.9 * smoke->h)), 1);
}

static double limitedSlope(double before, double here, double after) {
    double down = here - before, up = after - here;
    if (down * up <= 0) return 0;
    return copysign(fmin(fabs(down + up) / 2, 2 * fmin(fabs(down), fabs(up))), down);
}

typedef struct Flow {
    double cells;           // dt / h of the part
    int done[2], doneCount; // axes along which it flowed already
} Flow;

// Volume that the air of a cell has by now.
static double volumeOf(const refSmoke *smoke, const Flow *flow, int i, int j, int k) {
    double gain = 0;
    for (int n = 0; n < flow->doneCount; n++) gain += gainAlong(smoke, flow->done[n], i, j, k);
    return fmax(1 - flow->cells * gain, 0.1);
}

// What passes the high face of cell (i, j, k), which may be the one before the first.
static double fluxAcross(const refSmoke *smoke, const Flow *flow, int f, int a, int i, int j, int k) {
    int x = a == 0, y = a == 1, z = a == 2;
    const double *field = smoke->field[f];
    double way = flow->cells * flowAcross(smoke, a, i, j, k, 1), sign = way < 0 ? -1 : 1;
    if (way == 0) return 0;
    int up[3] = {i, j, k}; // upwind
    if (way < 0) up[a]++;
    double here = value(smoke, f, field, up[0], up[1], up[2]);
    if (up[a] < 0 || up[a] >= smoke->n[a]) return way * here;
    double slope = limitedSlope(value(smoke, f, field, up[0] - x, up[1] - y, up[2] - z), here,
                                value(smoke, f, field, up[0] + x, up[1] + y, up[2] + z));
    return way * (here + 0.5 * (sign - way / volumeOf(smoke, flow, up[0], up[1], up[2])) * slope);
}

static void flowAlong(refSmoke *smoke, Flow *flow, int a, bool isLast) {
    double *moved[refFields];
    Flow after = *flow;
    if (!isLast) after.done[after.doneCount++] = a;
    for (int f = refDensity; f < refFields; f++) {
        moved[f] = calloc(valueCount(smoke, f), sizeof(double));
        for (int k = 0; k < smoke->n[2]; k++) {
            for (int j = 0; j < smoke->n[1]; j++) {
                for (int i = 0; i < smoke->n[0]; i++) {
                    int c = cellIndex(smoke, i, j, k);
                    double in = fluxAcross(smoke, flow, f, a, i - (a == 0), j - (a == 1), k - (a == 2)),
                           out = fluxAcross(smoke, flow, f, a, i, j, k);
                    moved[f][c] = volumeOf(smoke, flow, i, j, k) * smoke->field[f][c] + in - out;
                    if (!isLast) moved[f][c] /= volumeOf(smoke, &after, i, j, k);
                }
            }
        }
    }
    for (int f = refDensity; f < refFields; f++) {
        free(smoke->field[f]);
        smoke->field[f] = moved[f];
    }
    *flow = after;
}

static void flowScalars(refSmoke *smoke, double dt, const double decay[refFields]) {
    int parts = countParts(smoke, dt);
    for (int part = 0; part < parts; part++, smoke->turned = !smoke->turned) {
        Flow flow = {.cells = dt / (smoke->h * parts)};
        for (int n = 0; n < smoke->dimensions; n++)
            flowAlong(smoke, &flow, axisOf(smoke, smoke->turned, n), n == smoke->dimensions - 1);
    }
    for (int f = refDensity; f < refFields; f++)
        for (int c = 0; c < cellCount(smoke); c++) smoke->field[f][c] *= exp(-decay[f] * dt);
}

static void takeMoved(refSmoke *smoke, double *const moved[refFields], int first, int end) {
    for (int f = first; f < end; f++) {
        free(smoke->field[f]);
        smoke->field[f] = moved[f];
    }
}

void refAdvect(refSmoke *smoke, double dt) {
    const double decay[refFields] = {0, 0, 0, smoke->params.densityDecay, smoke->params.cooling, 0};
    double *moved[refFields], before = sumDensity(smoke);
    slipAlongSolids(smoke, smoke->field);
    if (smoke->params.advection == wb_smokeConserving) {
        flowScalars(smoke, dt, decay);
        emptySolids(smoke);
        return;
    }
    for (int f = refDensity; f < refFields; f++) moved[f] = advectField(smoke, f, dt, exp(-decay[f] * dt));
    takeMoved(smoke, moved, refDensity, refFields);
    emptySolids(smoke);
    double kept = before * exp(-decay[refDensity] * dt), after = sumDensity(smoke);
    smoke->massRatio = kept > 0 ? after / kept : 1;
    if (!smoke->params.keepMass || !isClosedBox(smoke) || after <= 0) return;
    for (int c = 0; c < cellCount(smoke); c++) smoke->field[refDensity][c] *= kept / after;
}

// Sources

static double strength(const wbSmokeSource *source, const Vec x) {
    double d[3] = {x[0] - source->centre.x, x[1] - source->centre.y, x[2] - source->centre.z};
    if (source->shape == wb_sourceBox)
        return fabs(d[0]) <= source->half.x && fabs(d[1]) <= source->half.y && fabs(d[2]) <= source->half.z;
    double r2 = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / ((double)source->radius * source->radius);
    if (r2 > 1) return 0;
    return source->soft ? exp(-2 * r2) : 1;
}

static void feedFields(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt,
                       int first, int end) {
    for (int s = 0; s < count; s++) {
        const wbSmokeSource *source = &sources[s];
        if (time < source->start || time >= source->end) continue;
        double share = source->rate > 0 ? 1 - exp(-source->rate * dt) : 1;
        const double targets[refFields] = {source->velocity.x,
                                           source->velocity.y,
                                           source->velocity.z,
                                           source->density,
                                           source->temperature - smoke->params.ambient,
                                           source->fuel};
        for (int f = first; f < end; f++) {
            if (!(f < 3 ? source->blows : source->feeds) || isFlat(smoke, f)) continue;
            for (int k = 0; k < refCount(smoke, f, 2); k++) {
                for (int j = 0; j < refCount(smoke, f, 1); j++) {
                    for (int i = 0; i < refCount(smoke, f, 0); i++) {
                        const double at[3] = {i, j, k};
                        Vec x;
                        for (int a = 0; a < 3; a++)
                            x[a] = component(smoke->origin, a) + smoke->h * (at[a] + (f == a ? 0 : 0.5));
                        if (smoke->dimensions == 2) x[2] = source->centre.z;
                        double *q = &smoke->field[f][refIndex(smoke, f, i, j, k)];
                        *q += share * strength(source, x) * (targets[f] - *q);
                    }
                }
            }
        }
    }
}

void refFeed(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt) {
    feedFields(smoke, sources, count, time, dt, refDensity, refFields);
    emptySolids(smoke);
}

void refBlow(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt) {
    feedFields(smoke, sources, count, time, dt, 0, 3);
}

// Hot fuel burns to heat and smoke.
void refBurn(refSmoke *smoke, double dt) {
    const wbSmokeParams *p = &smoke->params;
    for (int c = 0; c < cellCount(smoke) && p->fire; c++) {
        double *temperature = &smoke->field[refTemperature][c], *fuel = &smoke->field[refFuel][c];
        if (*fuel > 1e-4) smoke->nearest = fmin(smoke->nearest, fabs(*temperature - p->ignition));
        double burnt = *temperature < p->ignition ? 0 : *fuel * (1 - exp(-p->burnRate * dt));
        *fuel -= burnt;
        *temperature += p->burnHeat * burnt;
        smoke->field[refDensity][c] += p->soot * burnt;
    }
}

// Forces

// Velocity at a cell's centre, also one beyond the sides.
static double centreVelocity(const refSmoke *smoke, int a, int i, int j, int k) {
    const double *field = smoke->field[a];
    return 0.5 * (value(smoke, a, field, i, j, k) +
                  value(smoke, a, field, i + (a == 0), j + (a == 1), k + (a == 2)));
}

static double slope(const refSmoke *smoke, int component_, int axis, int i, int j, int k) {
    int x = axis == 0, y = axis == 1, z = axis == 2;
    return (centreVelocity(smoke, component_, i + x, j + y, k + z) -
            centreVelocity(smoke, component_, i - x, j - y, k - z)) /
           (2 * smoke->h);
}

static double dotVec(const Vec a, const Vec b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double length(const Vec a) { return sqrt(dotVec(a, a)); }

static int clampCell(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

// f = epsilon h N × omega, N = grad |omega| / |grad |omega||, which fades where differences of velocity are below 1e-6 m/s.
static void confine(const refSmoke *smoke, Vec *curl, double dt, Vec *force) {
    double epsilon = smoke->params.confinement;
    if (epsilon < 0) epsilon /= 1 - 2 * epsilon * dt; // what it takes away is half of what is there at most
    const int *n = smoke->n;
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            for (int i = 0; i < n[0]; i++) {
                Vec grad;
                for (int a = 0; a < 3; a++) {
                    int x = a == 0, y = a == 1, z = a == 2;
                    int up = cellIndex(smoke, clampCell(i + x, n[0]), clampCell(j + y, n[1]),
                                       clampCell(k + z, n[2]));
                    int down = cellIndex(smoke, clampCell(i - x, n[0]), clampCell(j - y, n[1]),
                                         clampCell(k - z, n[2]));
                    grad[a] = length(curl[up]) - length(curl[down]);
                }
                int c = cellIndex(smoke, i, j, k);
                double size = length(grad), scale = size > 0 ? epsilon * smoke->h / size : 0;
                for (int a = 0; a < 3; a++) {
                    int b = (a + 1) % 3, d = (a + 2) % 3;
                    force[c][a] = scale * (grad[b] * curl[c][d] - grad[d] * curl[c][b]);
                }
            }
        }
    }
}

static void sumForces(const refSmoke *smoke, double dt, Vec *force) {
    const int *n = smoke->n;
    Vec *curl = calloc(cellCount(smoke), sizeof *curl);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                for (int a = 0; a < 3; a++)
                    curl[cellIndex(smoke, i, j, k)][a] = slope(smoke, (a + 2) % 3, (a + 1) % 3, i, j, k) -
                                                         slope(smoke, (a + 1) % 3, (a + 2) % 3, i, j, k);
    confine(smoke, curl, dt, force);
    for (int c = 0; c < cellCount(smoke); c++) {
        double lift = smoke->params.buoyancy * smoke->field[refTemperature][c] -
                      smoke->params.weight * smoke->field[refDensity][c];
        for (int a = 0; a < 3; a++) force[c][a] += lift * smoke->up[a] + component(smoke->params.wind, a);
    }
    free(curl);
}

// A face takes the mean of its two cells; at a side, of the one that there is.
void refAccelerate(refSmoke *smoke, double dt) {
    const int *n = smoke->n;
    Vec *force = calloc(cellCount(smoke), sizeof *force);
    sumForces(smoke, dt, force);
    for (int f = 0; f < smoke->dimensions; f++) {
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    int up = cellIndex(smoke, clampCell(i, n[0]), clampCell(j, n[1]), clampCell(k, n[2]));
                    int down = cellIndex(smoke, clampCell(i - (f == 0), n[0]), clampCell(j - (f == 1), n[1]),
                                         clampCell(k - (f == 2), n[2]));
                    smoke->field[f][refIndex(smoke, f, i, j, k)] +=
                        0.5 * dt * (force[up][f] + force[down][f]);
                }
            }
        }
    }
    free(force);
}

// Velocities

// A pressure of exactly 0 is none.
static double pressureStep(const refSmoke *smoke, int f, int i, int j, int k) {
    const int at[3] = {i, j, k};
    if (at[f] == 0 || at[f] == smoke->n[f]) return 0;
    double up = smoke->pressure[cellIndex(smoke, i, j, k)],
           down = smoke->pressure[cellIndex(smoke, i - (f == 0), j - (f == 1), k - (f == 2))];
    return up == 0 || down == 0 ? 0 : (up - down) / smoke->h;
}

static double lift(const refSmoke *smoke, int c) {
    return smoke->params.buoyancy * smoke->field[refTemperature][c] -
           smoke->params.weight * smoke->field[refDensity][c];
}

// Half of the acceleration by lift, wind and the pressure of the last step, times dt; closed faces are as fast as they are.
static void findHalf(refSmoke *smoke, double dt) {
    double share = smoke->pressureStep > 0 ? fmin(dt / smoke->pressureStep, 2) : 0;
    const int *n = smoke->n;
    for (int f = 0; f < 3; f++) {
        smoke->half[f] = calloc(valueCount(smoke, f), sizeof(double));
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    double velocity;
                    int up = cellIndex(smoke, clampCell(i, n[0]), clampCell(j, n[1]), clampCell(k, n[2]));
                    int down = cellIndex(smoke, clampCell(i - (f == 0), n[0]), clampCell(j - (f == 1), n[1]),
                                         clampCell(k - (f == 2), n[2]));
                    double *half = &smoke->half[f][refIndex(smoke, f, i, j, k)];
                    if (isClosedFace(smoke, f, i, j, k, &velocity)) {
                        *half = velocity - smoke->field[f][refIndex(smoke, f, i, j, k)];
                        continue;
                    }
                    *half = 0.5 * dt * component(smoke->params.wind, f) +
                            0.25 * dt * smoke->up[f] * (lift(smoke, up) + lift(smoke, down)) -
                            0.5 * share * pressureStep(smoke, f, i, j, k);
                }
            }
        }
    }
    slipAlongSolids(smoke, smoke->half);
}

void refAdvectVelocity(refSmoke *smoke, double dt) {
    double *moved[refFields], factor = exp(-smoke->params.velocityDecay * dt);
    slipAlongSolids(smoke, smoke->field);
    if (smoke->params.scheme == wb_schemeReflect) findHalf(smoke, dt);
    for (int f = 0; f < 3; f++) moved[f] = advectField(smoke, f, dt, factor);
    takeMoved(smoke, moved, 0, 3);
    for (int f = 0; f < 3; f++) {
        free(smoke->half[f]);
        smoke->half[f] = NULL;
    }
    smoke->pressureStep = dt;
}

// Viscosity: (1 - nu dt laplace) u = u*, by sweeps of Gauss-Seidel

static double relaxFace(refSmoke *smoke, int f, const double *start, double alpha, int i, int j, int k) {
    double velocity, *u = smoke->field[f];
    if (isClosedFace(smoke, f, i, j, k, &velocity)) return 0;
    int c = refIndex(smoke, f, i, j, k);
    double sum = 0, old = u[c];
    for (int s = 0; s < 2 * smoke->dimensions; s++) {
        int step = s & 1 ? 1 : -1, a = s / 2;
        sum += value(smoke, f, u, i + step * (a == 0), j + step * (a == 1), k + step * (a == 2)) - old;
    }
    // mirrored values change along with u, so that the diagonal is only a bound: under-relaxed, but it ends alike
    u[c] = old + (start[c] - old + alpha * sum) / (1 + alpha * 4 * smoke->dimensions);
    return fabs(u[c] - old);
}

void refDiffuse(refSmoke *smoke, double dt) {
    double alpha = smoke->params.viscosity * dt / (smoke->h * smoke->h), change = 1;
    if (alpha <= 0) return;
    for (int f = 0; f < smoke->dimensions; f++) {
        double *start = malloc(valueCount(smoke, f) * sizeof(double));
        memcpy(start, smoke->field[f], valueCount(smoke, f) * sizeof(double));
        do {
            change = 0;
            for (int k = 0; k < refCount(smoke, f, 2); k++)
                for (int j = 0; j < refCount(smoke, f, 1); j++)
                    for (int i = 0; i < refCount(smoke, f, 0); i++)
                        change = fmax(change, relaxFace(smoke, f, start, alpha, i, j, k));
        } while (change > 1e-12);
        free(start);
    }
}

// Conduction: (1 - kappa dt laplace) T = T*, by sweeps; T is above ambient

// Of a cell to its neighbour across a side, in units of kappa dt / h2; `weight`: how the cell itself counts.
static double heatFlux(const refSmoke *smoke, int side, int i, int j, int k, double *weight) {
    int a = side / 2, high = side & 1, at[3] = {i, j, k};
    const double own = smoke->field[refTemperature][cellIndex(smoke, i, j, k)];
    at[a] += high ? 1 : -1;
    bool isBeyond = at[a] < 0 || at[a] >= smoke->n[a];
    int body = isBeyond ? 0 : smoke->solid[cellIndex(smoke, at[0], at[1], at[2])];
    double surface = isBeyond ? smoke->sides[side].temperature
                     : body > 0 && smoke->bodies[body - 1].hasTemperature
                         ? smoke->bodies[body - 1].temperature
                         : NAN;
    bool isSurface = isBeyond || body > 0;
    *weight = 0;
    if (isSurface && (isnan(surface) || (isBeyond && isOpen(smoke, a, high)))) return 0;
    *weight = isSurface ? 2 : 1;
    double beside = isSurface ? surface - smoke->params.ambient
                              : smoke->field[refTemperature][cellIndex(smoke, at[0], at[1], at[2])];
    return *weight * (beside - own);
}

static double relaxCell(refSmoke *smoke, const double *start, double alpha, int i, int j, int k) {
    int c = cellIndex(smoke, i, j, k);
    double sum = 0, weights = 0, *own = &smoke->field[refTemperature][c], old = *own;
    if (smoke->solid[c]) return 0;
    for (int side = 0; side < 2 * smoke->dimensions; side++) {
        double weight;
        sum += heatFlux(smoke, side, i, j, k, &weight);
        weights += weight;
    }
    *own = old + (start[c] - old + alpha * sum) / (1 + alpha * weights);
    return fabs(*own - old);
}

void refConduct(refSmoke *smoke, double dt) {
    double alpha = smoke->params.thermalDiffusivity * dt / (smoke->h * smoke->h), change = 1;
    if (alpha <= 0) return;
    double *start = malloc(cellCount(smoke) * sizeof(double));
    memcpy(start, smoke->field[refTemperature], cellCount(smoke) * sizeof(double));
    while (change > 1e-12) {
        change = 0;
        for (int k = 0; k < smoke->n[2]; k++)
            for (int j = 0; j < smoke->n[1]; j++)
                for (int i = 0; i < smoke->n[0]; i++)
                    change = fmax(change, relaxCell(smoke, start, alpha, i, j, k));
    }
    free(start);
}

// Projection: laplace p = div u, then u -= grad p; p in m2/s

static double divergenceAt(const refSmoke *smoke, int i, int j, int k) {
    double sum = 0;
    for (int a = 0; a < smoke->dimensions; a++)
        sum += smoke->field[a][refIndex(smoke, a, i + (a == 0), j + (a == 1), k + (a == 2))] -
               smoke->field[a][refIndex(smoke, a, i, j, k)];
    return sum / smoke->h;
}

// -h2 laplace p over the faces that let pass; p is 0 beyond open sides.
static void applyLaplace(const refSmoke *smoke, const double *p, double *out) {
    const int *n = smoke->n;
    for (int c = 0; c < cellCount(smoke); c++) {
        int i = c % n[0], j = c / n[0] % n[1], k = c / n[0] / n[1];
        out[c] = 0;
        if (smoke->solid[c]) continue;
        for (int s = 0; s < 2 * smoke->dimensions; s++) {
            int high = s & 1, a = s / 2, x = a == 0, y = a == 1, z = a == 2;
            double velocity;
            if (isClosedFace(smoke, a, i + x * high, j + y * high, k + z * high, &velocity)) continue;
            int step = high ? 1 : -1, there[3] = {i + step * x, j + step * y, k + step * z};
            bool inside = there[a] >= 0 && there[a] < n[a];
            out[c] += p[c] - (inside ? p[cellIndex(smoke, there[0], there[1], there[2])] : 0);
        }
    }
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int c = 0; c < count; c++) sum += a[c] * b[c];
    return sum;
}

// Where air cannot leave, what flows in must be taken away evenly. Cells reached from `start`, marked with `label`.
static int fillPocket(const refSmoke *smoke, int start, int label, int *labels, int *stack, bool *leaves) {
    const int *n = smoke->n;
    int count = 0, top = 0;
    stack[top++] = start, labels[start] = label;
    *leaves = false;
    while (top > 0) {
        int c = stack[--top], at[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
        count++;
        for (int s = 0; s < 2 * smoke->dimensions; s++) {
            int a = s / 2, there[3] = {at[0], at[1], at[2]};
            there[a] += s & 1 ? 1 : -1;
            if (there[a] < 0 || there[a] >= n[a]) {
                *leaves |= isOpen(smoke, a, s & 1);
                continue;
            }
            int d = cellIndex(smoke, there[0], there[1], there[2]);
            if (smoke->solid[d] || labels[d]) continue;
            labels[d] = label;
            stack[top++] = d;
        }
    }
    return count;
}

static void balancePockets(const refSmoke *smoke, double *b) {
    int cells = cellCount(smoke), label = 0;
    int *labels = calloc(cells, sizeof(int)), *stack = malloc(cells * sizeof(int));
    for (int start = 0; start < cells; start++) {
        bool leaves;
        if (smoke->solid[start] || labels[start]) continue;
        int count = fillPocket(smoke, start, ++label, labels, stack, &leaves);
        double sum = 0;
        for (int c = 0; c < cells; c++) sum += labels[c] == label ? b[c] : 0;
        for (int c = 0; c < cells && !leaves; c++) b[c] -= labels[c] == label ? sum / count : 0;
    }
    free(labels);
    free(stack);
}

static double measureDivergence(const refSmoke *smoke, double *out) {
    const int *n = smoke->n;
    double sum = 0;
    int fluid = 0;
    for (int c = 0; c < cellCount(smoke); c++) {
        double d = smoke->solid[c] ? 0 : divergenceAt(smoke, c % n[0], c / n[0] % n[1], c / n[0] / n[1]);
        if (out) out[c] = -d * smoke->h * smoke->h;
        sum += d * d;
        fluid += !smoke->solid[c];
    }
    return fluid ? sqrt(sum / fluid) : 0;
}

static void subtractGradient(refSmoke *smoke) {
    const int *n = smoke->n;
    for (int f = 0; f < smoke->dimensions; f++) {
        for (int k = 0; k < refCount(smoke, f, 2); k++) {
            for (int j = 0; j < refCount(smoke, f, 1); j++) {
                for (int i = 0; i < refCount(smoke, f, 0); i++) {
                    const int at[3] = {i, j, k};
                    double velocity;
                    if (isClosedFace(smoke, f, i, j, k, &velocity)) continue;
                    double up = at[f] < n[f] ? smoke->pressure[cellIndex(smoke, i, j, k)] : 0;
                    double down =
                        at[f] > 0
                            ? smoke->pressure[cellIndex(smoke, i - (f == 0), j - (f == 1), k - (f == 2))]
                            : 0;
                    smoke->field[f][refIndex(smoke, f, i, j, k)] -= (up - down) / smoke->h;
                }
            }
        }
    }
}

// Sources that expand make divergence: it is wanted there.
static double addExpansion(const refSmoke *smoke, const wbSmokeSource *sources, int count, double time,
                           double *b) {
    const int *n = smoke->n;
    double h = smoke->h, sum = 0;
    int air = 0;
    for (int c = 0; c < cellCount(smoke); c++) {
        const double at[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
        if (smoke->solid[c]) continue;
        for (int s = 0; s < count; s++) {
            Vec x;
            for (int a = 0; a < 3; a++) x[a] = component(smoke->origin, a) + h * (at[a] + 0.5);
            if (smoke->dimensions == 2) x[2] = sources[s].centre.z;
            if (time >= sources[s].start && time < sources[s].end)
                b[c] += sources[s].expansion * strength(&sources[s], x) * h * h;
        }
        sum += b[c] * b[c] / (h * h * h * h);
        air++;
    }
    return air ? sqrt(sum / air) : 0;
}

// Conjugate gradients.
void refProject(refSmoke *smoke, const wbSmokeSource *sources, int count, double time) {
    int cells = cellCount(smoke);
    double *r = calloc(cells, sizeof(double)), *d = calloc(cells, sizeof(double)),
           *q = calloc(cells, sizeof(double));
    measureDivergence(smoke, r);
    smoke->divergenceBefore = addExpansion(smoke, sources, count, time, r);
    balancePockets(smoke, r);
    memset(smoke->pressure, 0, cells * sizeof(double));
    memcpy(d, r, cells * sizeof(double));
    double rr = dot(r, r, cells), enough = 1e-24 * rr;
    for (int it = 0; it < 10 * cells && rr > enough; it++) {
        applyLaplace(smoke, d, q);
        double along = rr / dot(d, q, cells), old = rr;
        for (int c = 0; c < cells; c++) smoke->pressure[c] += along * d[c], r[c] -= along * q[c];
        rr = dot(r, r, cells);
        for (int c = 0; c < cells; c++) d[c] = r[c] + rr / old * d[c];
    }
    subtractGradient(smoke);
    smoke->divergence = measureDivergence(smoke, NULL);
    free(r), free(d), free(q);
}

void refStepSmoke(refSmoke *smoke, const wbSmokeSource *sources, int count, double time, double dt) {
    refAdvect(smoke, dt);
    refFeed(smoke, sources, count, time, dt);
    refBurn(smoke, dt);
    refConduct(smoke, dt);
    refAdvectVelocity(smoke, dt);
    refSlowInflow(smoke, dt);
    refBlow(smoke, sources, count, time, dt);
    refAccelerate(smoke, dt);
    refSetClosedFaces(smoke);
    refDiffuse(smoke, dt);
    refProject(smoke, sources, count, time);
}
