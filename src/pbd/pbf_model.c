// SPDX-License-Identifier: MIT
#include "pbd/pbf_model.h"

#include <float.h>
#include <math.h>

#include "core/status.h"

#define PI 3.14159265358979323846

// poly6 at r = 0, and the factor of spiky's gradient: -grad W = factor s2/r (x_i - x_j).
static double kernelFactor(const wbPbfModel *model) {
    double h = model->h;
    return model->dimensions == 2 ? 4 / (PI * h * h) : 315 / (64 * PI * h * h * h);
}

static double gradientFactor(const wbPbfModel *model) {
    double h = model->h;
    return model->dimensions == 2 ? 30 / (PI * h * h * h) : 45 / (PI * h * h * h * h);
}

// poly6 without its factor over the sites of a solid whose surface is half a spacing away.
static double sumHalfLattice(const wbPbfModel *model) {
    double sum = 0, reach = model->params.smoothing;
    int sites = (int)reach + 1, sitesZ = model->dimensions == 3 ? sites : 0;
    for (int z = -sitesZ; z <= sitesZ; z++)
        for (int y = 1; y <= sites; y++)
            for (int x = -sites; x <= sites; x++)
                sum += pow(fmax(0, 1 - (x * x + y * y + z * z) / (reach * reach)), 3);
    return sum;
}

// Mass and G are those of the lattice, where a particle's own gradient vanishes.
static void sumLattice(wbPbfModel *model) {
    double density = 0, squares = 0, slopes = 0, spacing = model->params.spacing, h = model->h;
    int reach = (int)(h / spacing) + 1, reachZ = model->dimensions == 3 ? reach : 0;
    for (int z = -reachZ; z <= reachZ; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double q = spacing * sqrt((double)(x * x + y * y + z * z)) / h;
                if (q >= 1) continue;
                density += kernelFactor(model) * pow(1 - q * q, 3);
                if (q == 0) continue;
                squares += pow(gradientFactor(model) * (1 - q) * (1 - q), 2);
                slopes += gradientFactor(model) * (1 - q) * (1 - q) * q * h / model->dimensions;
            }
    model->mass = model->params.restDensity / density;
    model->gradientSum = squares / (density * density);
    model->slope = slopes / density;
}

// The answer of an iteration [M13] to a wave of density on the lattice, C_i = cos(q x_i): all constraints push at once,
// and the wave changes by |S(q)|2 / G, S = sum over neighbours of |grad C| sin(q r) r/|r|. Above 2 it grows: 3.03 at 2.1
// spacings in 3D, where the paper's way alone never rests. Squared gradients without their factor, which cancels.
static double answerToWave(const wbPbfModel *model, const double q[3]) {
    double sum[3] = {0}, squares = 0, reach = model->params.smoothing;
    int sites = (int)reach + 1, sitesZ = model->dimensions == 3 ? sites : 0;
    for (int z = -sitesZ; z <= sitesZ; z++)
        for (int y = -sites; y <= sites; y++)
            for (int x = -sites; x <= sites; x++) {
                double r = sqrt((double)(x * x + y * y + z * z)), s = 1 - r / reach;
                if (r == 0 || s <= 0) continue;
                double wave = s * s * sin(q[0] * x + q[1] * y + q[2] * z) / r;
                sum[0] += wave * x, sum[1] += wave * y, sum[2] += wave * z;
                squares += s * s * s * s;
            }
    return (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / squares;
}

// The largest answer, over a grid of wave vectors; by symmetry an eighth of an octant is enough.
static double findStiffestWave(const wbPbfModel *model) {
    enum { STEPS = 12 };
    double largest = 0;
    for (int a = 0; a <= STEPS; a++)
        for (int b = 0; b <= a; b++)
            for (int c = 0; c <= (model->dimensions == 3 ? b : 0); c++)
                largest =
                    fmax(largest,
                         answerToWave(model, (double[3]){PI * a / STEPS, PI * b / STEPS, PI * c / STEPS}));
    return largest;
}

static void setConstants(wbPbfModel *model) {
    const wbPbfParams *p = &model->params;
    double volume = model->mass / p->restDensity, point = p->tensionPoint;
    model->constants = (PbfConstants){
        .inverseH = 1 / model->h,
        .tiny = 1e-12f * model->h * model->h,
        .densityScale = (float)(volume * kernelFactor(model)),
        .gradientScale = (float)(volume * gradientFactor(model)),
        .softness = (float)(p->relaxation * model->gradientSum),
        .correction = (float)(p->omega / model->stiffestWave * volume * gradientFactor(model)),
        .lowest = p->constraint == wb_densityInequality ? 0 : -FLT_MAX,
        .apartInverse = (float)(1 / (1 - point * point)),
        .stickSum = (float)sumHalfLattice(model),
        .viscosity = p->viscosity,
        .vorticity = p->vorticity,
    };
}

wbStatus wbPbfModel_Init(wbPbfModel *model, const wbPbfParams *params, const wbDomainDef *domain,
                         wbVec3 gravity, int dimensions) {
    static const char *const axisNames[3] = {"x", "y", "z"};
    *model = (wbPbfModel){.params = *params,
                          .dimensions = dimensions,
                          .gravity = gravity,
                          .domain = *domain,
                          .h = params->spacing * params->smoothing};
    if (dimensions == 2) model->gravity.z = 0;
    const float low[3] = {domain->min.x, domain->min.y, domain->min.z};
    const float high[3] = {domain->max.x, domain->max.y, domain->max.z};
    for (int a = 0; a < 3; a++) {
        model->box.min[a] = low[a], model->box.max[a] = high[a];
        for (int s = 2 * a; s <= 2 * a + 1; s++)
            model->box.closed[s] = domain->sides[s].type != wb_sideOpen && a < dimensions;
        if (model->box.closed[2 * a] && model->box.closed[2 * a + 1] && high[a] - low[a] < model->h)
            return wbError(
                wb_errorInput,
                "the domain is %g m long in %s, less than the support radius h = %g m: make it larger, or "
                "pbf.spacing or pbf.smoothing smaller",
                high[a] - low[a], axisNames[a], model->h);
    }
    sumLattice(model);
    model->stiffestWave = findStiffestWave(model);
    setConstants(model);
    return wb_okStatus;
}

float wbPbfModel_GetStableStep(const wbPbfModel *model, float maxSpeed) {
    const float longest = 1.0f / 60, way = 0.8f * model->h * (float)model->params.subSteps;
    return maxSpeed * longest > way ? way / maxSpeed : longest;
}

// s_corr moves particles apart whatever the step is, so that its pressure grew with the square of the steps a second and
// with the iterations: a block at rest burst with 10 sub-steps. Its push is that of [M13] in a frame's step with 4 iterations,
// and for others the same acceleration.
static double getTension(const wbPbfParams *p, float dt) {
    const double frames = 60.0 * (double)dt;
    return (double)p->tension * fmin(1, frames * frames * 4 / p->iterations);
}

PbfMove wbPbfModel_GetMove(const wbPbfModel *model, float dt) {
    const float gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    const wbPbfParams *p = &model->params;
    // as accelerations -sum m (p_i + p_j) / rho0^2 grad W would do it, whose sums are off by the slope
    double share = (double)p->omega / model->stiffestWave * model->slope;
    PbfMove move = {.dt = dt,
                    .rate = 1 / dt,
                    .pressureScale = (float)(-(double)p->restDensity * share / ((double)dt * dt)),
                    .inverseSpacing = 1 / p->spacing,
                    .apartScale = (float)(getTension(p, dt) / model->gradientSum)};
    float inset = 1e-4f * model->params.spacing; // a particle on a wall would coincide with its image
    for (int a = 0; a < 3; a++) {
        move.gravity[a] = gravity[a];
        move.low[a] = model->box.closed[2 * a] ? model->box.min[a] + inset : -FLT_MAX;
        move.high[a] = model->box.closed[2 * a + 1] ? model->box.max[a] - inset : FLT_MAX;
    }
    for (int s = 0; s < 2 * model->dimensions; s++) {
        const wbSideDef *side = &model->domain.sides[s];
        const float velocity[3] = {side->velocity.x, side->velocity.y, side->velocity.z};
        move.sticks[s] = side->type == wb_sideNoSlip;
        for (int a = 0; a < model->dimensions; a++) move.walls[s][a] = velocity[a];
    }
    return move;
}
