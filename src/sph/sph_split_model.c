// SPDX-License-Identifier: MIT
#include "sph/sph_split_model.h"

#include <math.h>

#include "space/kernels.h"
#include "sph/sph_split.h"

#define PI 3.14159265358979323846

// V F at a site of the lattice, 1/m2.
static double getGradient(const wbSphModel *model, double r) {
    const SphConstants *c = &model->constants;
    const double s = fmax(1 - r / (double)model->h, 0),
                 scale = (double)c->gradientScale / (double)c->restDensity;
    if (model->params.kernel == wb_kernelWendland) return scale * s * s * s;
    return r > 0 ? scale * s * s / r : 0;
}

// |B|, 1/m, of a particle that is so much nearer to a plane than half a spacing, m.
static double getHold(const wbSphModel *model, double by) {
    const double spacing = model->spacing;
    double sum = 0;
    wbSite site = wbMakeSites((double)model->h / spacing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        const double x = spacing * site.x, y = spacing * site.y - by, z = spacing * site.z;
        if (site.y > 0) sum += getGradient(model, sqrt(x * x + y * y + z * z)) * y;
    }
    return sum;
}

// |S(q)|2 for a wave of k on the lattice, S = sum V F x sin(q·x), with q in units of a 16th of pi over the spacing.
static double getAnswer(const wbSphModel *model, const int wave[3]) {
    const double spacing = model->spacing;
    double sum[3] = {0};
    wbSite site = wbMakeSites((double)model->h / spacing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        const double phase = PI / 16 * (wave[0] * site.x + wave[1] * site.y + wave[2] * site.z);
        const double gradient = getGradient(model, spacing * site.r) * spacing * sin(phase);
        sum[0] += gradient * site.x, sum[1] += gradient * site.y, sum[2] += gradient * site.z;
    }
    return sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
}

// How the push of a site's neighbours on it changes with its displacement along a wave in which all are displaced, per pressure: with J
// = F 1 + F'/r x x^T, -sum V u^T J u (1 - cos(q·x)), u along q. 1/m2.
static double getSwing(const wbSphModel *model, const int wave[3]) {
    const double spacing = model->spacing, h = model->h,
                 scale = (double)model->constants.gradientScale / (double)model->constants.restDensity,
                 length = sqrt(wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2]);
    const bool isWendland = model->params.kernel == wb_kernelWendland;
    double sum = 0;
    wbSite site = wbMakeSites(h / spacing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        const double along = wave[0] * site.x + wave[1] * site.y + wave[2] * site.z, r = spacing * site.r;
        if (!(r > 0) || !(length > 0)) continue;
        const double s = fmax(1 - r / h, 0), x = spacing * along / length,
                     slope = isWendland ? -3 * scale * s * s / h : -scale * s * (2 / h + s / r) / r;
        sum -= (1 - cos(PI / 16 * along)) * (getGradient(model, r) + slope * x * x / r);
    }
    return sum;
}

static double findLargest(const wbSphModel *model, double (*get)(const wbSphModel *, const int[3])) {
    double most = 0;
    for (int x = 0; x <= 16; x++)
        for (int y = 0; y <= x; y++)
            for (int z = 0; z <= (model->domain->dimensions == 3 ? y : 0); z++)
                most = fmax(most, get(model, (int[3]){x, y, z}));
    return most;
}

wbSphLattice wbMeasureSphLattice(const wbSphModel *model) {
    const double spacing = model->spacing;
    const double way = 0.02 * spacing, hold = getHold(model, 0), nearest = getHold(model, way);
    double diagonal = 0;
    wbSite site = wbMakeSites((double)model->h / spacing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        const double length = getGradient(model, spacing * site.r) * spacing;
        diagonal += length * length * site.r * site.r;
    }
    return (wbSphLattice){.diagonal = diagonal,
                          .surface = hold * hold,
                          .nearest = nearest,
                          .depth = hold * way / (nearest - hold),
                          .lambda = findLargest(model, getAnswer) / diagonal,
                          .swing = findLargest(model, getSwing)};
}

// Of Jacobi's method, below 2.
static const double omega = 1.4;

SphSplitLimits wbSphModel_GetSplitLimits(const wbSphModel *model) {
    const wbSphParams *p = &model->params;
    return (SphSplitLimits){.minIterations = p->minIterations,
                            .maxIterations = p->maxIterations,
                            .tolerance = p->tolerance,
                            .shareWithMomentum = (float)(1 / omega)}; // momentum bears less of it: below 4/3
}

// Of d/v in a step, while pressures change.
static const double mostWay = 0.8;

// Pressures bear no wave that leaves densities as they are: sites swing in it as if between springs, with w2 = 2 k
// swing, and explicitly. Dt stays a tenth below the 2/w at which that grows, as it does below 0.8 d/v for some v2 =
// pace p.
static double getPaceOfPressure(const wbSphModel *model) {
    const double longest = 0.9 * 2, wayOfStep = mostWay * (double)model->spacing;
    return wayOfStep * wayOfStep * 2 * model->lattice.swing /
           (longest * longest * (double)model->params.restDensity);
}

SphSplitConstants wbSphModel_GetSplitConstants(const wbSphModel *model, float dt) {
    const wbSphLattice *lattice = &model->lattice;
    const double dt2 = (double)dt * dt;
    const wbVec3 gravity = model->domain->gravity;
    SphSplitConstants constants = {.sph = model->constants,
                                   .dt = dt,
                                   .dt2 = (float)dt2,
                                   .gravity = {gravity.x, gravity.y, gravity.z},
                                   .gain = (float)(omega / (lattice->lambda * dt2)),
                                   .leastDiagonal = (float)(0.2 * lattice->diagonal),
                                   .slack = 0.05f,
                                   .push = 0.3f,
                                   .deadZone = 0.03f,
                                   .contactFloor = (float)(0.01 * lattice->surface),
                                   .contactRest = (float)lattice->nearest,
                                   .contactRoom = (float)lattice->depth,
                                   .longestPush = 0.3f * model->spacing,
                                   .paceOfPressure = (float)getPaceOfPressure(model),
                                   .shift = 0.1f,
                                   .shiftFade = 50};
    constants.sph.gradientScale *= model->constants.inverseRestDensity;
    return constants;
}

// m/s, a spacing in the time that gravity allows.
static double getFallSpeed(const wbSphModel *model) {
    const double g = sqrt((double)wbDot(model->domain->gravity, model->domain->gravity));
    return 10 * sqrt(g * (double)model->spacing);
}

float wbSphModel_GetSplitSpeed(const wbSphModel *model, float speed) {
    return fmaxf(speed, (float)getFallSpeed(model));
}

// dt = min(0.8 d/v, 0.08 sqrt(d/g)); in longer steps it takes more updates than are saved. In deep water v is that of its pressure.
float wbSphModel_GetSplitStep(const wbSphModel *model, float speed) {
    return (float)mostWay * model->spacing / wbSphModel_GetSplitSpeed(model, speed);
}

wbSphModel wbSphModel_WithoutPressure(const wbSphModel *model, float speed) {
    wbSphModel other = *model;
    SphConstants *c = &other.constants;
    c->stiffness = c->bulkScale = c->minPressure = 0;
    c->artificialScale =
        model->params.artificialViscosity * wbSphModel_GetSplitSpeed(model, speed) * model->h;
    other.params.boundaryPressure = wb_boundaryPlain;
    return other;
}
