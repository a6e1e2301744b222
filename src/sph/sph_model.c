// SPDX-License-Identifier: MIT
#include "sph/sph_model.h"

#include <float.h>
#include <math.h>

#include "core/status.h"
#include "space/kernels.h"
#include "sph/sph_split.h"
#include "sph/sph_split_model.h"
#include "sph/sph_tension.h"

#define PI 3.14159265358979323846

// Kernels and the factor F of their gradients, -grad W = F (x_i - x_j), in double; see sph_formula.h for
// sources.
static double wendlandFactor(const wbSphModel *model) {
    double h = model->h;
    return model->domain->dimensions == 2 ? 7 / (PI * h * h) : 21 / (2 * PI * h * h * h);
}

static double kernel(const wbSphModel *model, double r) {
    double h = model->h, q = r / h;
    if (q >= 1) return 0;
    if (model->params.kernel == wb_kernelMuller)
        return wbGetPoly6Factor(h, model->domain->dimensions) * pow(1 - q * q, 3);
    return wendlandFactor(model) * pow(1 - q, 4) * (1 + 4 * q);
}

// The factor of F that does not depend on r: F = factor * s^3 (Wendland) or factor * s^2 / r (spiky).
static double gradientFactor(const wbSphModel *model) {
    double h = model->h;
    if (model->params.kernel == wb_kernelMuller) return wbGetSpikyFactor(h, model->domain->dimensions);
    return 20 / (h * h) * wendlandFactor(model);
}

// The factor of the Laplacian: laplacian = factor * s^3 (Wendland, [B85]) or factor * s ([M03]).
static double laplacianFactor(const wbSphModel *model) {
    double h = model->h;
    if (model->params.kernel == wb_kernelWendland) return 2 * gradientFactor(model);
    return model->domain->dimensions == 2 ? 40 / (PI * h * h * h * h) : 45 / (PI * h * h * h * h * h);
}

// The same for the density's kernel, whose gradient gives normals: F = factor * s^3 (Wendland) or factor * (1 - q2)^2
// (poly6).
static double normalFactor(const wbSphModel *model) {
    if (model->params.kernel == wb_kernelWendland) return gradientFactor(model);
    return 6 / ((double)model->h * model->h) * kernel(model, 0);
}

// Sums over the undisturbed lattice: of W, of r·(-grad W) (pressure, normals), and of r2 times the Laplacian.
typedef struct LatticeSums {
    double density, gradient, normal, laplacian;
} LatticeSums;

static LatticeSums sumLattice(const wbSphModel *model) {
    LatticeSums sums = {0};
    double spacing = model->spacing, h = model->h;
    bool wendland = model->params.kernel == wb_kernelWendland;
    wbSite site = wbMakeSites(h / spacing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        double r = spacing * site.r, s = fmax(1 - r / h, 0);
        sums.density += kernel(model, r);
        sums.gradient += gradientFactor(model) * (wendland ? s * s * s * r * r : s * s * r);
        sums.normal += normalFactor(model) * (wendland ? s * s * s : pow(s * (2 - s), 2)) * r * r;
        sums.laplacian += laplacianFactor(model) * (wendland ? s * s * s : s) * r * r;
    }
    return sums;
}

// Surface tension [A13]. A force f between pairs in a fluid of n particles per volume makes the tension pi/8 n2 ∫ f r^4 dr
// in 3D, 1/3 n2 ∫ f r^3 dr in 2D: half the work that parts it along a plane. With the spline c of sph_cohesion the
// integrals are 21/28160 h^5 and 33/28672 h^4. The difference of normals adds to it, and particles are no continuum:
// drops swing and press as if the tension were `measured` times that (docs/water.md), so it is divided out. Gives the
// acceleration without c and the factor of low densities; `volume` is a particle's by the kernel's sum, as it was measured.
static double cohesionFactor(const wbSphModel *model, double volume) {
    double h = model->h, sigma = model->params.surfaceTension, rho0 = model->params.restDensity;
    bool flat = model->domain->dimensions == 2;
    double tension = flat ? 33.0 / 28672 / 3 * pow(h, 4) : 21.0 / 28160 * PI / 8 * pow(h, 5);
    double measured = flat ? 3.9 : 4.8;
    return sigma * volume / (rho0 * tension * measured);
}

// The difference of normals beside c, whose peak is 1/64. Cohesion alone freezes drops instead of rounding them; more
// than this makes them tremble.
static const double curvatureWeight = 0.003;

// Adhesion [A13], by the work per area that parts fluid and collider: pi/4 n2 ∫ f r^4 dr in 3D, 2/3 n2 ∫ f r^3 dr in 2D, for
// a force f between pairs. The integrals over the spline of sph_adhesion are 0.1165851 h^5 and 0.1427803 h^4.
static double adhesionFactor(const wbSphModel *model) {
    double h = model->h, rho0 = model->params.restDensity;
    double work = model->domain->dimensions == 2 ? 2.0 / 3 * 0.1427803044 * pow(h, 4)
                                                 : PI / 4 * 0.1165851036 * pow(h, 5);
    return 1 / (rho0 * rho0 * work);
}

// A particle has the mass of its site of the lattice, rho0 spacing^d, so that a volume of water weighs what it should.
// Kernels are calibrated there, each by its own sum: the lattice has the rest density, the divergence of x is d and the
// Laplacian of x2 is 2 d. Left alone, densities would be wrong by 3 %, gradients by 4 to 11 % at 2.1 spacings, and so would
// be the pressure of a resting column; viscosities by 3 to 12 %.
static void setConstants(wbSphModel *model) {
    const wbSphParams *p = &model->params;
    const LatticeSums sums = sumLattice(model);
    double h = model->h, rho0 = p->restDensity, c = p->soundSpeed, length = 0.5 * h,
           d = model->domain->dimensions;
    double gradient = gradientFactor(model) * d * sums.density / sums.gradient;
    double normal = normalFactor(model) * d * sums.density / sums.normal;
    double laplacian = laplacianFactor(model) * 2 * d * sums.density / sums.laplacian;
    double cohesion = cohesionFactor(model, 1 / sums.density);
    double divided = rho0 / sums.density; // the mass over volume times sum, by which the kernel is divided
    model->mass = rho0 * pow(model->spacing, d);
    model->constants = (SphConstants){
        .h2 = (float)(h * h),
        .inverseH = (float)(1 / h),
        .tiny = (float)(1e-12 * h * h),
        .densityScale = (float)(divided * kernel(model, 0)),
        .gradientScale = (float)(divided * gradient),
        .laplacianScale = (float)(p->viscosity * divided * laplacian),
        .artificialScale = (float)(2 * p->artificialViscosity * c * length),
        .artificialFloor = (float)(0.01 * length * length),
        .bulkScale = (float)(p->bulkViscosity * c * h),
        .restDensity = (float)rho0,
        .inverseRestDensity = (float)(1 / rho0),
        .stiffness = (float)(rho0 * c * c / (p->equation == wb_equationTait ? 7 : 1)),
        .minPressure = p->clampPressure ? 0 : -FLT_MAX,
        .ambient = (float)wbSphModel_GetAmbient(model),
        .normalScale = (float)(divided * h * normal),
        .cohesionScale = (float)(2 * rho0 * cohesion),
        .curvatureScale = (float)(2 * rho0 * cohesion * curvatureWeight),
        .boundaryShare = p->boundaryPressure == wb_boundaryMirrored ? 2 : 1,
        .adhesionScale = (float)(model->mass * adhesionFactor(model)),
    };
}

// p(1.01 rho0) = rho0 head, by either equation of state. Cohesion presses with about 2 sigma/h (docs/water.md), the air around a
// skin with sigma/h.
double wbSphModel_ChooseSoundSpeed(const wbSphParams *params, double head) {
    const double compression = 0.01;
    double h = (double)params->spacing * params->smoothing;
    head += (params->tensionMethod == wb_tensionStress ? 1 : 2) * (double)params->surfaceTension /
            (params->restDensity * h);
    if (params->equation == wb_equationTait) return sqrt(7 * head / (pow(1 + compression, 7) - 1));
    return sqrt(head / compression);
}

static wbStatus checkChosen(const wbSphParams *params) {
    if (params->particles > 0)
        return wbError(wb_errorInput,
                       "sph.particles divides the blocks of a scene: give a world sph.spacing");
    if (params->soundSpeed == 0)
        return wbError(wb_errorInput,
                       "sph.soundSpeed is auto, but there is no water yet to choose it by: give a "
                       "number, and set it to auto when the water is there");
    if (params->minIterations > params->maxIterations)
        return wbError(wb_errorInput,
                       "sph.minIterations is %d, more than sph.maxIterations, which is %d: make it less, or "
                       "that more",
                       params->minIterations, params->maxIterations);
    return wb_okStatus;
}

wbStatus wbSphModel_Init(wbSphModel *model, const wbSphParams *params, const wbDomain *domain) {
    WB_TRY(checkChosen(params));
    WB_TRY(wbCheckTension(params));
    *model = (wbSphModel){.domain = domain,
                          .spacing = params->spacing,
                          .h = params->spacing * params->smoothing,
                          .lightest = 1,
                          .params = *params};
    setConstants(model);
    if (wbSphModel_IsSplit(model)) model->lattice = wbMeasureSphLattice(model);
    model->tension = wbSphModel_MakeTension(model);
    return wb_okStatus;
}

wbStatus wbSphModel_CheckRoom(const wbSphModel *model) { return wbCheckRoom(model->domain, model->h, "sph"); }

// s: of sound, gravity and what damps sound.
static double getSoundStep(const wbSphModel *model, double maxSpeed, double maxDensity) {
    const wbSphParams *p = &model->params;
    double h = model->h, g = sqrt((double)wbDot(model->domain->gravity, model->domain->gravity));
    double c = p->soundSpeed / sqrt((double)model->lightest);
    // compressed water is stiffer: Tait's c grows with the third power of density
    if (p->equation == wb_equationTait) c *= pow(fmax(1, maxDensity / (double)p->restDensity), 3);
    double dt = 0.4 * h / (c + maxSpeed); // Courant
    if (g > 0) dt = fmin(dt, 0.25 * sqrt(h / g));
    // the artificial viscosity amounts to nu = alpha c h / (4 (d + 2)) [M92]
    if (p->artificialViscosity > 0)
        dt = fmin(dt, 0.25 * (model->domain->dimensions + 2) * h / (p->artificialViscosity * c));
    return dt;
}

float wbSphModel_GetStableStep(const wbSphModel *model, float maxSpeed, float maxDensity) {
    const wbSphParams *p = &model->params;
    double h = model->h, rho = (double)p->restDensity * model->lightest;
    double dt = wbSphModel_IsSplit(model) ? wbSphModel_GetSplitStep(model, maxSpeed)
                                          : getSoundStep(model, maxSpeed, maxDensity);
    // 0.125 would do inside the fluid; at corners of its surface, where densities are low, 0.09 is too much
    if (p->viscosity > 0) dt = fmin(dt, 0.06 * h * h * rho / p->viscosity);
    // capillary waves as long as h: Brackbill, Kothe and Zemach 1992
    const double capillary = p->tensionMethod == wb_tensionStress ? 0.4 : 0.5;
    if (p->surfaceTension > 0)
        dt = fmin(dt, capillary * sqrt(rho * h * h * h / (2 * PI * p->surfaceTension)));
    return (float)dt;
}

SphMove wbSphModel_GetMove(const wbSphModel *model, const wbDomain *domain, float kick, float drift,
                           bool driftsAfterKick) {
    SphMove move = {.room = wbGetRoom(domain, model->spacing),
                    .kick = kick,
                    .drift = drift,
                    .driftsAfterKick = driftsAfterKick,
                    .restitution = model->params.sideRestitution};
    for (int a = 0; a < 3; a++)
        move.lowSpeed[a] = domain->velocity[2 * a][a], move.highSpeed[a] = domain->velocity[2 * a + 1][a];
    return move;
}
