// SPDX-License-Identifier: MIT
#include "pbd/pbf_model.h"

#include <float.h>
#include <math.h>

#include "core/status.h"
#include "space/kernels.h"

// What an iteration's sweep may leave of any wave that it damps. A sub-step that leaves the share p of a wave multiplies it and
// its speed by a matrix with determinant p and trace 2 p: unstable for p < -1/3. With 0.3, 80 layers at rest began to hop.
#define WAVE_LEFT 0.15
// s, of a fluid that nothing hurries: a frame of most screens
#define LONGEST_STEP (1.0 / 60)
// In h, how far the fastest particle goes in a sub-step.
#define WAY 0.8
// In spacings, how far a particle falls from rest in a sub-step.
#define FALL 0.2
// By how much of itself, over the layers of the water, the sub-step shrinks at most that the stiffness is of: slower than sound
// comes and goes. Compression that is stored at a long sub-step bursts where a short one, with the square of the rate, answers to it.
#define SHRINK 0.1
// Stiffness does not grow without end with shorter sub-steps, but up to this share of the one that is needed: the density's
// last digit would throw particles about, and blocks that overlap would part faster than sound. Bounds on the speed that constraints
// give, and corrections that give none (Macklin et al. 2014), were tried and lost: see docs/positions.md.
#define SHORTEST 0.25
#define PI       3.14159265358979323846

// Kernels at q = r/h without their factors: as in kernel_formula.h. The last two are those of particles of different sizes.
static double getKernel(double q) { return pow(fmax(0, 1 - q), 3) * (1 + q / 3); }
static double getSlope(double q) { return pow(fmax(0, 1 - q), 2) * (1 + q / 2); }
static double getPoly6(double q) { return pow(fmax(0, 1 - q * q), 3); }
static double getSpikySlope(double q) { return pow(fmax(0, 1 - q), 2); }

// What iterations answer to, by the kernel of most particles.
static double getAnswer(const wbPbfModel *model, double q) {
    return wbPbfModel_IsAdaptive(model) ? getSpikySlope(q) : getSlope(q);
}

// Over the sites of a collider whose surface is half a spacing away.
static double sumHalfLattice(const wbPbfModel *model, double (*kernel)(double q)) {
    double sum = 0, reach = model->params.smoothing;
    wbSite site = wbMakeSites(reach, model->domain->dimensions);
    while (wbSite_Next(&site))
        if (site.y > 0) sum += kernel(site.r / reach);
    return sum;
}

// Kernels are divided by what they sum to on the lattice: the density there is the rest density exactly, and so is the
// gradient of a linear field. G is that of the lattice, where a particle's own gradient vanishes.
static void sumLattice(wbPbfModel *model) {
    double density = 0, mixed = 0, squares = 0, slopes = 0, mixedSlopes = 0, spacing = model->params.spacing,
           h = model->h;
    wbSite site = wbMakeSites((double)model->params.smoothing, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        double q = spacing * site.r / h;
        if (q >= 1) continue;
        density += getKernel(q), mixed += getPoly6(q);
        if (q == 0) continue;
        squares += pow(getAnswer(model, q), 2);
        slopes += getSlope(q) * q * h / model->domain->dimensions;
        mixedSlopes += getSpikySlope(q) * q * h / model->domain->dimensions;
    }
    model->mass = model->params.restDensity * pow(spacing, model->domain->dimensions);
    model->kernelShare = 1 / density, model->gradientShare = 1 / slopes;
    model->mixedShare = 1 / mixed, model->mixedGradientShare = 1 / mixedSlopes;
    const double answers = wbPbfModel_IsAdaptive(model) ? mixedSlopes : slopes;
    model->gradientSum = squares / (answers * answers);
}

// The answer of an iteration [M13] to a wave of density on the lattice, C_i = cos(q x_i): all constraints push at once,
// and the wave changes by |S(q)|2 / G, S = sum over neighbours of |grad C| sin(q r) r/|r|. Above 2 it grows: 3.12 at 2.1
// spacings in 3D, where the paper's way alone never rests. Squared gradients without their factor, which cancels.
static double answerToWave(const wbPbfModel *model, const double q[3]) {
    double sum[3] = {0}, squares = 0, reach = model->params.smoothing;
    wbSite site = wbMakeSites(reach, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        double slope = getAnswer(model, site.r / reach);
        if (site.r == 0) continue;
        double wave = slope * sin(q[0] * site.x + q[1] * site.y + q[2] * site.z) / site.r;
        sum[0] += wave * site.x, sum[1] += wave * site.y, sum[2] += wave * site.z;
        squares += slope * slope;
    }
    return (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / squares;
}

// The largest answer, over a grid of wave vectors; by symmetry an eighth of an octant is enough.
static double findStiffestWave(const wbPbfModel *model) {
    enum { STEPS = 12 };
    double largest = 0;
    for (int a = 0; a <= STEPS; a++)
        for (int b = 0; b <= a; b++)
            for (int c = 0; c <= (model->domain->dimensions == 3 ? b : 0); c++)
                largest =
                    fmax(largest,
                         answerToWave(model, (double[3]){PI * a / STEPS, PI * b / STEPS, PI * c / STEPS}));
    return largest;
}

// The iterations of a sub-step are one Chebyshev sweep (Golub and Varga 1961): what they leave of a wave with the answer a is
// T_n(y(a)) / T_n(y(0)), with y from 1 to -1 between the smallest and the largest answer that is damped. The largest is 2 / omega of the lattice's.
// Long waves, which bear the weight, are then answered by `gain`, which grows with the square of the iterations: at 4 it is
// twice the 4 omega of plain iterations, at 10 five times.
//
// An equality also pulls, at single drops by many times what they are short of: iterations that build on each other throw them
// away. It has plain ones.
//
// In turn there is no sweep. Projections of half of omega, forth and back, leave between nothing and all of any wave; whole ones throw
// particles about that many constraints share: a tank at rest had four times the kinetic energy.
static void setSweep(wbPbfModel *model) {
    const int n = model->params.iterations;
    const bool isInTurn = model->params.solver == wb_pbdGaussSeidel;
    model->middleWave = (isInTurn ? 2 : model->stiffestWave) / (double)model->params.omega;
    model->spread2 = 0, model->gain = n / model->middleWave;
    if (isInTurn || model->params.constraint == wb_densityEquality) return;
    const double theta = acosh(1 / WAVE_LEFT) / n,
                 largest = model->stiffestWave * 2 / (double)model->params.omega;
    const double smallest = largest * (cosh(theta) - 1) / (cosh(theta) + 1);
    model->middleWave = 0.5 * (largest + smallest);
    model->spread2 = 1 / (cosh(theta) * cosh(theta));
    model->gain = n * sinh(n * theta) / sinh(theta) * WAVE_LEFT * 2 / (largest - smallest);
}

static void setConstants(wbPbfModel *model) {
    const wbPbfParams *p = &model->params;
    const double point = p->tensionPoint;
    model->constants = (PbfConstants){
        .inverseH = 1 / model->h,
        .tiny = 1e-12f * model->h * model->h,
        .densityScale = (float)model->kernelShare,
        .mixedScale = (float)model->mixedShare,
        .gradientScale = (float)model->gradientShare,
        .mixedGradient = (float)model->mixedGradientShare,
        .softness = (float)(p->relaxation * model->gradientSum),
        .most = p->constraint == wb_densityInequality ? 0 : FLT_MAX,
        .apartInverse = (float)(1 / (1 - point * point)),
        .stickSum = (float)sumHalfLattice(model, getKernel),
        .mixedStickSum = (float)sumHalfLattice(model, getPoly6),
        .viscosity = p->viscosity,
        .vorticity = p->vorticity,
    };
}

// h |grad C| of a particle in the first layer of a flat surface: the sum over one half of the lattice.
static double sumFlatGradient(const wbPbfModel *model) {
    double sum = 0, reach = model->params.smoothing;
    wbSite site = wbMakeSites(reach, model->domain->dimensions);
    while (wbSite_Next(&site)) {
        if (site.y > 0) sum += getSpikySlope(site.r / reach) * site.y / site.r;
    }
    return sum * (double)model->constants.mixedGradient * (double)model->h;
}

// Sums over a plane of points that are 1 apart, `away` from it, without the kernels' factors: poly6 of a support of h; spiky's slope across the
// plane, times h.
typedef struct Plane {
    double density, slope;
} Plane;

static Plane sumPlane(int dimensions, double h, double away) {
    const int reach = (int)h, reachZ = dimensions == 3 ? reach : 0;
    Plane sum = {0, 0};
    for (int k = -reachZ; k <= reachZ; k++)
        for (int i = -reach; i <= reach; i++) {
            const double r = sqrt(away * away + i * (double)i + k * (double)k);
            if (r == 0) continue;
            sum.density += getPoly6(r / h), sum.slope += getSpikySlope(r / h) * away / r;
        }
    return sum;
}

// What a flat collider adds to the sums of a particle of this level that lies on it, over its mass. The particle sees its layers stretched.
static Plane sumShell(const wbPbfModel *model, int level) {
    const int d = model->domain->dimensions;
    const double width = pow(2, (double)level / d), h = (double)model->params.smoothing * width;
    const double mass = pow(2, level);
    Plane sum = {0, 0};
    for (int layer = 0; layer + 0.5 < (double)model->params.smoothing; layer++) {
        const Plane plane = sumPlane(d, h, width * (layer + 1));
        sum.density += plane.density * width / mass, sum.slope += plane.slope * width / mass;
    }
    return sum;
}

// By what points of colliders are to be multiplied for large particles: their layers are stretched, and there are more of them near than there
// would be particles, to which the kernels' sums on the lattice do not apply.
static void setBoundary(wbPbfModel *model) {
    PbfLevels *levels = &model->levels;
    const int d = model->domain->dimensions;
    const Plane right = sumShell(model, 0);
    for (int l = 0; l < PBF_LEVELS; l++) {
        const double root = pow(2, -l / (2.0 * d)), mass = pow(2, l);
        const Plane sum = sumShell(model, l);
        const double width = pow(2, (double)l / d), density = width * right.density / sum.density,
                     slope = width * right.slope / sum.slope;
        levels->stretch[l] = (float)(width - 1);
        levels->boundary[l] = (float)density, levels->boundaryDensity[l] = (float)(density * pow(root, d));
        levels->boundarySlope[l] = (float)(slope * pow(root, d + 1));
        levels->boundarySquares[l] = (float)(slope * pow(root, 2 * d + 2));
        levels->boundaryForce[l] = (float)(slope * mass * pow(root, 2 * d + 2));
    }
}

double wbGetMixedShare(int dimensions) { return dimensions == 3 ? 1.025 : 1.03; }

// By PbfLevels; a level is a factor of two in mass.
static void setLevels(wbPbfModel *model) {
    PbfLevels *levels = &model->levels;
    const int d = model->domain->dimensions;
    for (int l = 0; l < PBF_LEVELS; l++) {
        const double root = pow(2, -l / (2.0 * d)), mass = pow(2, l), width = pow(2, (double)l / d);
        levels->root[l] = (float)root, levels->width[l] = (float)width, levels->mass[l] = (float)mass;
        levels->densityOwn[l] = (float)(pow(root, d) * (l > 0 ? wbGetMixedShare(d) : 1));
        levels->mixingOwn[l] = (float)pow(root, d);
        levels->slopeOwn[l] = (float)pow(root, d + 1);
        levels->inverseRoot[l] = (float)(1 / root);
        levels->squaresOwn[l] = (float)(mass * pow(root, 2 * d + 2));
        levels->softOwn[l] = (float)pow(root, 4);
        levels->h[l] = (float)((double)model->h * width);
        levels->radius[l] = (float)(0.5 * (double)model->params.spacing * width);
    }
    setBoundary(model);
    levels->flatGradient = (float)sumFlatGradient(model);
    levels->dimensions = d;
}

wbStatus wbPbfModel_Init(wbPbfModel *model, const wbPbfParams *params, const wbDomain *domain) {
    *model = (wbPbfModel){.params = *params,
                          .domain = domain,
                          .h = params->spacing * params->smoothing,
                          .contrast = 1,
                          .adaptive = params->adaptive};
    WB_TRY(wbCheckRoom(domain, model->h, "pbf"));
    sumLattice(model);
    model->stiffestWave = findStiffestWave(model);
    setSweep(model);
    setConstants(model);
    setLevels(model);
    return wb_okStatus;
}

// The share of its depth that water may sink by its own weight: 0.15 spacings, where that is not next to nothing nor too much.
static double getSink(double layers) { return fmin(fmax(0.15 / layers, 0.006), 0.03); }

static double getFall(const wbPbfModel *model) {
    const wbVec3 g = model->domain->gravity;
    return sqrt((double)g.x * g.x + (double)g.y * g.y + (double)g.z * g.z);
}

bool wbPbfModel_HasWeight(const wbPbfModel *model) { return getFall(model) > 0; }

static double countLayers(const wbPbfModel *model, double head) {
    const double fall = getFall(model);
    return head > 0 && fall > 0 ? fmax(head / (fall * (double)model->params.spacing), 1) : 1;
}

// s, the longest sub-step that bears the weight; without weight there is no longest. Where it is borne, dt2 grad p = dt2 rho0 g,
// lambda is dt2 g times the depth; and lambda is the gain times C / G. So the water sinks by its mean compression: the share
// dt2 g H G / (2 gain) of its depth H.
static double getBearingStep(const wbPbfModel *model, double head) {
    const double fall = getFall(model);
    double longest = INFINITY;
    if (fall > 0) longest = sqrt(FALL * (double)model->params.spacing / fall);
    if (fall > 0 && head > 0)
        longest = fmin(
            longest, sqrt(2 * getSink(countLayers(model, head)) * model->gain / (head * model->gradientSum)));
    return longest;
}

float wbPbfModel_GetSubStep(const wbPbfModel *model, double head, float maxSpeed) {
    double longest = fmin(LONGEST_STEP, getBearingStep(model, head)), way = WAY * (double)model->h;
    return (float)((double)maxSpeed * longest > way ? way / (double)maxSpeed : longest);
}

int wbPbfModel_CountSubSteps(const wbPbfModel *model, float dt, double head, float maxSpeed) {
    if (model->params.subSteps > 0) return (int)model->params.subSteps;
    double count = ceil((double)dt / (double)wbPbfModel_GetSubStep(model, head, maxSpeed) - 1e-3);
    return (int)fmin(fmax(count, 1), WB_PBF_MOST_SUB_STEPS);
}

// Emitters and mechanisms work once a step, so that it follows fast water even where sub-steps could. In fast water the step is a
// whole number of the longest sub-steps: 1/60 s that has room for 1.3 of them would take two. In calm water it stays 1/60 s. Steps
// that followed the depth would be uneven for who cuts the last one at a frame, and with them the forces; and sub-steps as
// long as they may be made waves in 12 layers 5.5 instead of 4.2 % too quick.
float wbPbfModel_GetStableStep(const wbPbfModel *model, double head, float maxSpeed) {
    const int pinned = (int)model->params.subSteps;
    const double subStep = (double)wbPbfModel_GetSubStep(model, head, maxSpeed);
    const double bySpeed = (double)wbPbfModel_GetSubStep(model, 0, maxSpeed);
    if (pinned > 0) return (float)fmin(LONGEST_STEP, pinned * subStep);
    const double longest = fmin(LONGEST_STEP, WB_PBF_FAST_SUB_STEPS * bySpeed);
    const bool isFast = bySpeed < (double)wbPbfModel_GetSubStep(model, 0, 0);
    return (float)(isFast ? fmax(floor(longest / subStep + 1e-3), 1) * subStep : longest);
}

// The first sub-step is as soft as the weight allows, and becomes stiffer from there: a lattice that is not pressed yet would be
// thrown up by the weight that comes on it at once. With the stiffness of 1/60 s at spacings of 1 m and more, or of shorter steps
// than the depth asks for, tanks at rest gained 1 % of their energy.
float wbPbfModel_GetSoftStep(const wbPbfModel *model, float before, float dt, double head, float maxSpeed) {
    const double bearing = getBearingStep(model, head);
    if (before == 0 && isfinite(bearing)) before = (float)bearing;
    float shortest = (float)SHORTEST * wbPbfModel_GetSubStep(model, head, maxSpeed);
    float shrink = (float)(SHRINK / countLayers(model, head));
    return fmaxf(fmaxf(dt, shortest), before - shrink * dt);
}

void wbPbfModel_SetIteration(const wbPbfModel *model, int iteration, PbfMove *move) {
    double last = 1 + (double)move->momentum;
    double weight = iteration == 0   ? 1
                    : iteration == 1 ? 1 / (1 - 0.5 * model->spread2)
                                     : 1 / (1 - 0.25 * model->spread2 * last);
    move->step = (float)((double)move->share * weight / model->middleWave);
    move->momentum = (float)(weight - 1);
}

// s_corr moves particles apart whatever the step is, so that its pressure grew with the square of the steps a second and
// with the iterations: a block at rest burst with 10 sub-steps. Its push is that of [M13] in a frame's step with 4 iterations,
// and for others the same acceleration. That grows with the spacing, gravity does not: with coarse particles it would lift water
// at rest, by 1.7 % of its energy with 5 layers of 2 m. So from a spacing of 0.4 m on, on earth, it stays what it is there. From
// 0.1 m on, which was tried, blocks of 1 m that fall are compressed by 25 instead of 13 %: it keeps particles apart, too. Large particles inside of
// small ones are pushed most; without weight nothing brings them back, and a disc flew apart at 1.3 m/s.
static double getTension(const wbPbfModel *model, float dt) {
    const wbPbfParams *p = &model->params;
    const double frames = 60.0 * (double)dt, earth = 9.81, most = 0.4 / earth; // m/s2, s2
    if (wbPbfModel_IsAdaptive(model) && !wbPbfModel_HasWeight(model)) return 0;
    const double share = fmin(1, most * fmax(getFall(model), earth) / (double)p->spacing);
    return (double)p->tension * share * fmin(1, frames * frames * 4 / p->iterations);
}

PbfMove wbPbfModel_GetMove(const wbPbfModel *model, const wbDomain *domain, float dt, float softStep) {
    const wbPbfParams *p = &model->params;
    double share = (double)dt / (double)softStep;
    PbfMove move = {.room = wbGetRoom(domain, p->spacing),
                    .dt = dt,
                    .rate = 1 / dt,
                    .share = (float)fmin(1, share * share),
                    .pressureScale = (float)(-(double)p->restDensity / ((double)dt * dt)),
                    .inverseSpacing = 1 / p->spacing,
                    .bearing = getFall(model) > 0 ? (float)(-2 / (getFall(model) * (double)model->h)) : 0,
                    .apartScale = (float)(getTension(model, dt) * (double)p->omega /
                                          (model->stiffestWave * model->gradientSum))};
    for (int s = 0; s < 2 * domain->dimensions; s++) {
        move.sticks[s] = domain->types[s] == wb_sideNoSlip;
        for (int a = 0; a < domain->dimensions; a++)
            if (a != s / 2) move.sideVelocity[s][a] = domain->velocity[s][a];
    }
    return move;
}
