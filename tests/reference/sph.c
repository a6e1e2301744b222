// SPDX-License-Identifier: MIT
// Sources: Müller, Charypar and Gross 2003 (kernels), Wendland 1995, Monaghan 1992 and 1994 (symmetric
// pressure, artificial viscosity, Tait), Cossins 2010 (leapfrog), Morris, Fox and Zhu 1997 (viscosity), Akinci, Akinci
// and Teschner 2013 (surface tension, adhesion), Akinci et al. 2012 (colliders as points).
#include "reference/sph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// Kernels

double refPoly6(int d, double h, double r) {
    if (r >= h) return 0;
    double scale = d == 2 ? 4 / (pi * pow(h, 8)) : 315 / (64 * pi * pow(h, 9));
    return scale * pow(h * h - r * r, 3);
}

static double wendlandScale(int d, double h) { return d == 2 ? 7 / (pi * h * h) : 21 / (2 * pi * h * h * h); }

double refWendland(int d, double h, double r) {
    if (r >= h) return 0;
    double q = r / h;
    return wendlandScale(d, h) * pow(1 - q, 4) * (1 + 4 * q);
}

double refWendlandSlope(int d, double h, double r) {
    if (r >= h) return 0;
    return -20 * wendlandScale(d, h) / (h * h) * pow(1 - r / h, 3);
}

double refSpikySlope(int d, double h, double r) {
    if (r >= h || r == 0) return 0; // two particles in one place: no direction, so no force
    double scale = d == 2 ? 30 / (pi * pow(h, 5)) : 45 / (pi * pow(h, 6));
    return -scale * (h - r) * (h - r) / r;
}

static double bluntScale(int d, double h) { return d == 2 ? 9 / (pi * h * h) : 105 / (8 * pi * pow(h, 3)); }

double refBlunt(int d, double h, double r) {
    const double q = r / h;
    return q < 1 ? bluntScale(d, h) * pow(1 - q, 3) * (1 + q / 3) : 0;
}

double refBluntSlope(int d, double h, double r) {
    const double q = r / h;
    return q < 1 && q > 0 ? -8.0 / 3 * bluntScale(d, h) * pow(1 - q, 2) * (1 + q / 2) / (h * r) : 0;
}

double refViscosityWeight(wbKernel kernel, int d, double h, double r) {
    if (r >= h) return 0;
    if (kernel == wb_kernelWendland) return -2 * refWendlandSlope(d, h, r);
    double scale = d == 2 ? 40 / (pi * pow(h, 5)) : 45 / (pi * pow(h, 6));
    return scale * (h - r);
}

double refPoly6Slope(int d, double h, double r) {
    if (r >= h) return 0;
    double scale = d == 2 ? 4 / (pi * pow(h, 8)) : 315 / (64 * pi * pow(h, 9));
    return -6 * scale * pow(h * h - r * r, 2);
}

// In 3D the paper's, 32/(pi h^9). In 2D such that the same gamma_s gives the same tension (see calibrateSurface): with
// the integrals there, 32/pi * pi/8 * 21/28160 * 3 * 28672/33 = 4704/605.
double refCohesion(int d, double h, double r) {
    if (r >= h) return 0;
    double scale = d == 2 ? 4704.0 / 605 / pow(h, 8) : 32 / (pi * pow(h, 9));
    double spline = pow(h - r, 3) * pow(r, 3);
    return scale * (2 * r > h ? spline : 2 * spline - pow(h, 6) / 64);
}

double refAdhesion(double h, double r) {
    if (r >= h || 2 * r <= h) return 0;
    return pow(-4 * r * r / h + 6 * r - 2 * h, 0.25) / pow(h, 0.25);
}

static double kernelValue(const refSph *sph, double r) {
    double value = sph->params.kernel == wb_kernelWendland ? refWendland(sph->dimensions, sph->h, r)
                                                           : refPoly6(sph->dimensions, sph->h, r);
    return value / sph->kernelFactor;
}

static double kernelSlope(const refSph *sph, double r) {
    double slope = sph->params.kernel == wb_kernelWendland ? refWendlandSlope(sph->dimensions, sph->h, r)
                                                           : refSpikySlope(sph->dimensions, sph->h, r);
    return slope / sph->gradientFactor;
}

double refGetSlope(const refSph *sph, double r) { return kernelSlope(sph, r); }

static double normalSlope(const refSph *sph, double r) {
    double slope = sph->params.kernel == wb_kernelWendland ? refWendlandSlope(sph->dimensions, sph->h, r)
                                                           : refPoly6Slope(sph->dimensions, sph->h, r);
    return slope / sph->normalFactor;
}

static double viscosityWeight(const refSph *sph, double r) {
    return refViscosityWeight(sph->params.kernel, sph->dimensions, sph->h, r) / sph->viscosityFactor;
}

// Set-up

// Sums over the sites of an infinite lattice: the kernel, -r dW/dr (of pressure and normals), and r2 times the viscosity
// weight.
static void sumLattice(const refSph *sph, double *kernelSum, double *gradientSum, double *normalSum,
                       double *viscositySum) {
    double spacing = sph->params.spacing;
    int reach = (int)ceil(sph->params.smoothing);
    int reachZ = sph->dimensions == 3 ? reach : 0;
    *kernelSum = *gradientSum = *normalSum = *viscositySum = 0;
    for (int k = -reachZ; k <= reachZ; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r = spacing * sqrt(i * i + j * j + k * k);
                *kernelSum += kernelValue(sph, r);
                *gradientSum -= kernelSlope(sph, r) * r * r;
                *normalSum -= normalSlope(sph, r) * r * r;
                *viscositySum += viscosityWeight(sph, r) * r * r;
            }
        }
    }
}

// Pairs that attract with force f at number density n make the tension pi/8 n2 ∫ f r^4 dr in 3D, 1/3 n2 ∫ f r^3 dr in
// 2D; for f = gamma_s m2 C that is 21/7040 gamma_s rho2 h2 in both. The difference of normals adds to it; the measured
// tension is `measured` times this.
static void calibrateSurface(refSph *sph) {
    double rho0 = sph->params.restDensity, h = sph->h;
    bool flat = sph->dimensions == 2;
    double measured = (flat ? 3.9 : 4.8) * sph->kernelFactor;
    sph->cohesion = 7040.0 / 21 * sph->params.surfaceTension / (measured * rho0 * rho0 * h * h);
    double splineScale = flat ? 4704.0 / 605 : 32 / pi;
    sph->curvature = 0.003 * splineScale * sph->cohesion * sph->mass / pow(h, sph->dimensions);
}

// The mass is that of the rest density in a site's volume, and the kernel is divided by its sum over the lattice, which
// then has that density. With few neighbours the lattice answers div x with less or more than d, and a column would
// settle at a pressure wrong by that factor; so gradients are divided by it. So is the Laplacian of x2, which is 2 d.
static void calibrate(refSph *sph) {
    double kernelSum, gradientSum, normalSum, viscositySum;
    sph->h = (double)sph->params.smoothing * sph->params.spacing;
    sph->kernelFactor = sph->gradientFactor = sph->normalFactor = sph->viscosityFactor = 1;
    sumLattice(sph, &kernelSum, &gradientSum, &normalSum, &viscositySum);
    double volume = pow(sph->params.spacing, sph->dimensions);
    sph->mass = sph->params.restDensity * volume;
    sph->kernelFactor = volume * kernelSum;
    sph->gradientFactor = volume * gradientSum / sph->dimensions;
    sph->normalFactor = volume * normalSum / sph->dimensions;
    sph->viscosityFactor = volume * viscositySum / (2 * sph->dimensions);
    calibrateSurface(sph);
}

refSph *refCreateSph(const wbWorldDef *def, int count) {
    refSph *sph = calloc(1, sizeof *sph);
    sph->dimensions = def->params.dimensions;
    sph->count = count;
    sph->params = def->sph;
    sph->domain = def->domain;
    sph->gravity[0] = def->params.gravity.x;
    sph->gravity[1] = def->params.gravity.y;
    sph->gravity[2] = sph->dimensions == 3 ? def->params.gravity.z : 0;
    sph->x = calloc(count, sizeof *sph->x);
    sph->v = calloc(count, sizeof *sph->v);
    sph->a = calloc(count, sizeof *sph->a);
    sph->relative = calloc(count, sizeof *sph->relative);
    sph->density = calloc(count, sizeof *sph->density);
    sph->pressure = calloc(count, sizeof *sph->pressure);
    sph->stress = calloc(count, sizeof *sph->stress);
    sph->normal = calloc(count, sizeof *sph->normal);
    for (int i = 0; i < count; i++) sph->density[i] = sph->params.restDensity, sph->relative[i] = 1;
    calibrate(sph);
    return sph;
}

void refDestroySph(refSph *sph) {
    free(sph->x);
    free(sph->v);
    free(sph->a);
    free(sph->relative);
    free(sph->density);
    free(sph->pressure);
    free(sph->stress);
    free(sph->normal);
    free(sph->ghosts);
    free(sph);
}

// Sides: side 2 * axis is the lower one, 2 * axis + 1 the upper one.

static bool isClosed(const refSph *sph, int side) { return sph->domain.sides[side].type != wb_sideOpen; }

static double sidePosition(const refSph *sph, int side) {
    wbVec3 corner = side % 2 == 0 ? sph->domain.min : sph->domain.max;
    return ((double[]){corner.x, corner.y, corner.z})[side / 2];
}

static void addGhost(refSph *sph, refGhost ghost) {
    if (sph->ghostCount == sph->ghostCapacity) {
        sph->ghostCapacity = 2 * sph->ghostCapacity + 64;
        sph->ghosts = realloc(sph->ghosts, sph->ghostCapacity * sizeof *sph->ghosts);
    }
    sph->ghosts[sph->ghostCount++] = ghost;
}

// Free slip reverses the normal velocity; no slip makes the mean of particle and ghost the velocity of the side, whose
// normal part counts as 0 (sides stay where they are).
static refGhost mirror(const refSph *sph, refGhost ghost, int side) {
    int axis = side / 2;
    const wbSideDef *def = &sph->domain.sides[side];
    ghost.x[axis] = 2 * sidePosition(sph, side) - ghost.x[axis];
    ghost.sign[axis] = -ghost.sign[axis];
    if (def->type == wb_sideNoSlip) {
        double drag[3] = {def->velocity.x, def->velocity.y, def->velocity.z};
        drag[axis] = 0;
        for (int k = 0; k < sph->dimensions; k++) ghost.v[k] = 2 * drag[k] - ghost.v[k];
    } else {
        ghost.v[axis] = -ghost.v[axis];
    }
    return ghost;
}

// Mirroring over one axis after the other gives ghosts over edges and corners too. A box must be at least h wide:
// then the ghost of a ghost over the opposite side is out of reach.
static void mirrorOverAxes(refSph *sph, refGhost from, int firstAxis) {
    for (int axis = firstAxis; axis < sph->dimensions; axis++) {
        for (int side = 2 * axis; side <= 2 * axis + 1; side++) {
            if (!isClosed(sph, side)) continue;
            if (fabs(from.x[axis] - sidePosition(sph, side)) >= sph->h) continue;
            refGhost ghost = mirror(sph, from, side);
            addGhost(sph, ghost);
            mirrorOverAxes(sph, ghost, axis + 1);
        }
    }
}

static void mirrorParticles(refSph *sph) {
    sph->ghostCount = 0;
    for (int i = 0; i < sph->count; i++) {
        refGhost from = {.original = i, .sign = {1, 1, 1}};
        memcpy(from.x, sph->x[i], sizeof from.x);
        memcpy(from.v, sph->v[i], sizeof from.v);
        mirrorOverAxes(sph, from, 0);
    }
}

// The last line: the pressure of ghosts turns particles round before, unless they are too fast for the step.
void refClampToSides(const refSph *sph, double x[3], double v[3]) {
    for (int side = 0; side < 2 * sph->dimensions; side++) {
        int axis = side / 2;
        double outward = side % 2 == 0 ? -1 : 1;
        double limit = sidePosition(sph, side) - outward * 1e-4 * sph->params.spacing;
        if (!isClosed(sph, side) || outward * (x[axis] - limit) <= 0) continue;
        x[axis] = limit;
        if (outward * v[axis] > 0) v[axis] *= -sph->params.sideRestitution;
    }
}

// Evaluation

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static double stateOf(const refSph *sph, double density) {
    if (sph->hasNoPressure) return 0;
    double rho0 = sph->params.restDensity, c2 = (double)sph->params.soundSpeed * sph->params.soundSpeed;
    if (sph->params.equation == wb_equationTait) return rho0 * c2 / 7 * (pow(density / rho0, 7) - 1);
    return c2 * (density - rho0);
}

static double clampPressure(const refSph *sph, double p) {
    return sph->params.clampPressure ? fmax(p, 0) : p;
}

// The bulk viscosity resists compression: beta c h drho/dt joins the pressure.
static void evaluateDensity(refSph *sph) {
    double bulk =
        sph->hasNoPressure ? 0 : (double)sph->params.bulkViscosity * sph->params.soundSpeed * sph->h;
    for (int i = 0; i < sph->count; i++) {
        double sum = 0, before = sph->density[i];
        for (int j = 0; j < sph->count; j++) sum += kernelValue(sph, distance(sph->x[i], sph->x[j]));
        for (int j = 0; j < sph->ghostCount; j++) {
            sum += kernelValue(sph, distance(sph->x[i], sph->ghosts[j].x));
        }
        sph->density[i] = sph->mass * sum;
        for (int b = 0; b < sph->boundaryCount; b++)
            sph->density[i] +=
                sph->boundary[b].psi * kernelValue(sph, distance(sph->x[i], sph->boundary[b].x));
        double rate = sph->sinceEvaluation > 0 ? (sph->density[i] - before) / sph->sinceEvaluation : 0;
        double state = stateOf(sph, sph->density[i]);
        sph->pressure[i] = clampPressure(sph, state) - refAmbient(sph);
        sph->stress[i] = clampPressure(sph, state + bulk * sqrt(sph->relative[i]) * rate); // by rho c
    }
}

// p/rho2, above the air's.
static double termOf(const refSph *sph, int i) {
    double rho0 = sph->params.restDensity;
    return sph->stress[i] / (sph->density[i] * sph->density[i]) - refAmbient(sph) / (rho0 * rho0);
}

// Akinci et al. 2013, eq. 4: n_i = h sum m/rho_j grad W.
static void evaluateNormals(refSph *sph) {
    for (int i = 0; i < sph->count; i++) {
        memset(sph->normal[i], 0, sizeof sph->normal[i]);
        for (int j = 0; j < sph->count + sph->ghostCount; j++) {
            const refGhost *ghost = j < sph->count ? NULL : &sph->ghosts[j - sph->count];
            const double *xj = ghost ? ghost->x : sph->x[j];
            double volume = sph->mass / sph->density[ghost ? ghost->original : j];
            double slope = normalSlope(sph, distance(sph->x[i], xj));
            for (int k = 0; k < 3; k++) sph->normal[i][k] += sph->h * volume * slope * (sph->x[i][k] - xj[k]);
        }
        for (int b = 0; b < sph->boundaryCount; b++) {
            const refBoundaryPoint *point = &sph->boundary[b];
            double slope = normalSlope(sph, distance(sph->x[i], point->x));
            double volume = point->psi / sph->params.restDensity;
            for (int k = 0; k < 3; k++)
                sph->normal[i][k] += sph->h * volume * slope * (sph->x[i][k] - point->x[k]);
        }
    }
}

// The mean over neighbours: sum m/rho_j W n_j.
static void smoothNormals(refSph *sph) {
    double(*rough)[3] = malloc(sph->count * sizeof *rough);
    memcpy(rough, sph->normal, sph->count * sizeof *rough);
    for (int i = 0; i < sph->count; i++) {
        memset(sph->normal[i], 0, sizeof sph->normal[i]);
        for (int j = 0; j < sph->count + sph->ghostCount; j++) {
            const refGhost *ghost = j < sph->count ? NULL : &sph->ghosts[j - sph->count];
            int original = ghost ? ghost->original : j;
            double weight = sph->mass / sph->density[original] *
                            kernelValue(sph, distance(sph->x[i], ghost ? ghost->x : sph->x[j]));
            for (int k = 0; k < 3; k++)
                sph->normal[i][k] += weight * rough[original][k] * (ghost ? ghost->sign[k] : 1);
        }
    }
    free(rough);
}

// Akinci et al. 2013, eqs. 1, 3 and 5: cohesion and the difference of normals.
static void addSurface(refSph *sph, int i, int j, const double xj[3], const double sign[3]) {
    double r = distance(sph->x[i], xj);
    if (r >= sph->h || r == 0) return;
    double few = 2 * sph->params.restDensity / (sph->density[i] + sph->density[j]);
    double cohesion = sph->cohesion * sph->mass * refCohesion(sph->dimensions, sph->h, r);
    for (int k = 0; k < 3; k++) {
        sph->a[i][k] -= few * (cohesion * (sph->x[i][k] - xj[k]) / r +
                               sph->curvature * (sph->normal[i][k] - sign[k] * sph->normal[j][k]));
    }
}

// Monaghan 1992, eq. 4.1, without the quadratic term; the smoothing length there is half the support radius.
static double artificialViscosity(const refSph *sph, double meanDensity, double vr, double r) {
    if (vr >= 0) return 0;
    double length = sph->h / 2;
    double mu = length * vr / (r * r + 0.01 * length * length);
    return -(double)sph->params.artificialViscosity * sph->params.soundSpeed * mu / meanDensity;
}

// Adds what j (a particle, or the ghost of one) does to i.
static void addPair(refSph *sph, int i, int j, const double xj[3], const double vj[3]) {
    double r = distance(sph->x[i], xj);
    if (r >= sph->h) return;
    double rhoI = sph->density[i], rhoJ = sph->density[j], m = sph->mass, vr = 0;
    for (int k = 0; k < 3; k++) vr += (sph->v[i][k] - vj[k]) * (sph->x[i][k] - xj[k]);
    double pressure = termOf(sph, i) + termOf(sph, j);
    double impedance = pow(sph->relative[i] * sph->relative[j], 0.25); // the mean of both rho c
    double artificial = impedance * artificialViscosity(sph, (rhoI + rhoJ) / 2, vr, r);
    double along = -m * (pressure + artificial) * kernelSlope(sph, r);
    double shear = sph->params.viscosity * m / (rhoI * rhoJ) * viscosityWeight(sph, r);
    for (int k = 0; k < 3; k++) {
        sph->a[i][k] += along * (sph->x[i][k] - xj[k]) + shear * (vj[k] - sph->v[i][k]);
    }
}

// Numerically, over the half of the support where the spline is not zero; the last factor gives dq.
static double adhesionMoment(int power) {
    const int steps = 100000;
    double sum = 0;
    for (int k = 0; k < steps; k++) {
        double q = 0.5 + 0.5 * (k + 0.5) / steps;
        sum += refAdhesion(1, q) * pow(q, power);
    }
    return sum * 0.5 / steps;
}

// Pairs that attract with force f across a plane make the work pi/4 n2 ∫ f r^4 dr per area in 3D, 2/3 n2 ∫ f r^3 dr per
// length in 2D. Gives the force between masses of 1 kg for a work of 1 N/m, without the spline.
static double adhesionFactor(const refSph *sph) {
    double rho0 = sph->params.restDensity, h = sph->h;
    double moment = sph->dimensions == 2 ? 2.0 / 3 * pow(h, 4) * adhesionMoment(3)
                                         : pi / 4 * pow(h, 5) * adhesionMoment(4);
    return 1 / (rho0 * rho0 * moment);
}

// What a boundary point does to i, and the other way round. The point has the mean of the pressures near it (after Adami, Hu
// and Adams 2012), or the particle's own, or none (Akinci et al. 2012).
static void addPoint(refSph *sph, int i, refBoundaryPoint *point, double stickiness, double meanTerm) {
    double r = distance(sph->x[i], point->x), rho = sph->density[i], vr = 0;
    if (r >= sph->h) return;
    for (int k = 0; k < 3; k++) vr += (sph->v[i][k] - point->v[k]) * (sph->x[i][k] - point->x[k]);
    double pressure = termOf(sph, i), shear = 0;
    if (sph->params.boundaryPressure == wb_boundaryMirrored) pressure *= 2;
    if (sph->params.boundaryPressure == wb_boundaryMean) pressure += meanTerm;
    if (point->noSlip) {
        pressure += sqrt(sph->relative[i]) * artificialViscosity(sph, rho, vr, r);
        shear = sph->params.viscosity * point->psi / (rho * rho) * viscosityWeight(sph, r);
    }
    double along = -point->psi * pressure * kernelSlope(sph, r);
    if (r > 0 && !refHasStress(sph))
        along -= point->adhesion * point->psi * stickiness * refAdhesion(sph->h, r) / r;
    for (int k = 0; k < 3; k++) {
        double a = along * (sph->x[i][k] - point->x[k]) + shear * (point->v[k] - sph->v[i][k]);
        sph->a[i][k] += a;
        point->f[k] -= sph->mass * a;
    }
}

// The mean of p/rho2 over the particles near a boundary point, and twice the bulk viscosity of those that come nearer, up to
// as much as the mean.
static double meanTermAt(const refSph *sph, const refBoundaryPoint *point) {
    double terms = 0, weights = 0, rate = 0, rho0 = sph->params.restDensity;
    double bulk = (double)sph->params.bulkViscosity * sph->params.soundSpeed * sph->h;
    for (int i = 0; i < sph->count; i++) {
        double r = distance(sph->x[i], point->x), weight = kernelValue(sph, r), vr = 0;
        if (r >= sph->h) continue;
        for (int k = 0; k < 3; k++) vr += (sph->v[i][k] - point->v[k]) * (sph->x[i][k] - point->x[k]);
        terms += weight * termOf(sph, i);
        weights += weight;
        rate += sqrt(sph->relative[i]) * sph->mass * kernelSlope(sph, r) * vr;
    }
    double mean = weights > 0 ? terms / weights : 0, most = fabs(mean);
    return mean + fmin(fmax(2 * bulk * rate / (rho0 * rho0), -most), most);
}

static void addBoundary(refSph *sph) {
    double factor = adhesionFactor(sph);
    for (int b = 0; b < sph->boundaryCount; b++) {
        memset(sph->boundary[b].f, 0, sizeof sph->boundary[b].f);
        double meanTerm = meanTermAt(sph, &sph->boundary[b]);
        for (int i = 0; i < sph->count; i++) addPoint(sph, i, &sph->boundary[b], factor, meanTerm);
    }
}

static void evaluateAcceleration(refSph *sph) {
    const double same[3] = {1, 1, 1};
    bool surface = sph->params.surfaceTension > 0 && !refHasStress(sph);
    for (int i = 0; i < sph->count; i++) {
        memset(sph->a[i], 0, sizeof sph->a[i]);
        for (int j = 0; j < sph->count; j++) {
            if (j != i) addPair(sph, i, j, sph->x[j], sph->v[j]);
            if (j != i && surface) addSurface(sph, i, j, sph->x[j], same);
        }
        for (int j = 0; j < sph->ghostCount; j++) {
            addPair(sph, i, sph->ghosts[j].original, sph->ghosts[j].x, sph->ghosts[j].v);
            if (surface) addSurface(sph, i, sph->ghosts[j].original, sph->ghosts[j].x, sph->ghosts[j].sign);
        }
    }
}

void refEvaluateSph(refSph *sph) {
    calibrate(sph);
    mirrorParticles(sph);
    evaluateDensity(sph);
    if (sph->params.surfaceTension > 0) evaluateNormals(sph);
    if (sph->params.surfaceTension > 0 && sph->params.smoothNormals) smoothNormals(sph);
    evaluateAcceleration(sph);
    if (sph->boundaryCount > 0) addBoundary(sph);
    if (refHasStress(sph)) refAddTension(sph);
    // forces so far are over the mass of the parameters' fluid
    for (int i = 0; i < sph->count; i++)
        for (int k = 0; k < 3; k++) sph->a[i][k] = sph->a[i][k] / sph->relative[i] + sph->gravity[k];
}

// Integration

void refPlaceBoundary(refSph *sph, double fraction) {
    if (sph->placeBoundary) sph->placeBoundary(sph, fraction, sph->placeContext);
}

static void stepEuler(refSph *sph, double dt) {
    refPlaceBoundary(sph, 0);
    refEvaluateSph(sph);
    for (int i = 0; i < sph->count; i++) {
        for (int k = 0; k < 3; k++) {
            double v = sph->v[i][k];
            sph->v[i][k] += dt * sph->a[i][k];
            sph->x[i][k] += dt * (sph->params.integrator == wb_integratorEuler ? v : sph->v[i][k]);
        }
        refClampToSides(sph, sph->x[i], sph->v[i]);
    }
    sph->sinceEvaluation = dt;
}

// v' = v + dt a(x½, v½) starts from the old velocity, which is therefore kept beside the half-step state.
static void stepLeapfrog(refSph *sph, double dt) {
    double(*oldV)[3] = malloc(sph->count * sizeof *oldV);
    memcpy(oldV, sph->v, sph->count * sizeof *oldV);
    refPlaceBoundary(sph, 0);
    refEvaluateSph(sph);
    for (int i = 0; i < sph->count; i++) {
        for (int k = 0; k < 3; k++) {
            sph->v[i][k] += dt / 2 * sph->a[i][k];
            sph->x[i][k] += dt / 2 * oldV[i][k];
        }
        refClampToSides(sph, sph->x[i], sph->v[i]);
    }
    sph->sinceEvaluation = dt / 2;
    refPlaceBoundary(sph, 0.5);
    refEvaluateSph(sph);
    for (int i = 0; i < sph->count; i++) {
        for (int k = 0; k < 3; k++) {
            sph->v[i][k] = oldV[i][k] + dt * sph->a[i][k];
            sph->x[i][k] += dt / 2 * sph->v[i][k];
        }
        refClampToSides(sph, sph->x[i], sph->v[i]);
    }
    free(oldV);
}

void refStepSph(refSph *sph, double dt) {
    if (sph->params.integrator == wb_integratorLeapfrog) {
        stepLeapfrog(sph, dt);
    } else {
        stepEuler(sph, dt);
    }
}
