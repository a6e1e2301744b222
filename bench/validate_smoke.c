// SPDX-License-Identifier: MIT
// Smoke: the projection, the lid-driven cavity, the vortices of Taylor and Green, and the amount of smoke.
#include <math.h>
#include <string.h>

#include "bench/validate_case.h"
#include "core/hash.h"
#include "core/status.h"

static const double pi = 3.14159265358979323846;

// A box of whole cells from the origin; all sides are free-slip.
static wbDomainDef makeBox(double x, double y, double z) {
    return (wbDomainDef){.max = {(float)x, (float)y, (float)z}};
}

// Steps to the end of the time, or until the run is stopped; the fields may be read then.
static wbStatus advance(wbValidateRun *run, wbSmokeVolume *volume, double from, double to, double end,
                        double dt) {
    int steps = (int)lround((to - from) / dt);
    for (int n = 0; n < steps && wbContinueCase(run, (from + n * dt) / end); n++)
        WB_TRY(wbSmokeVolume_Step(volume, NULL, 0, from + n * dt, (float)dt));
    return wbSmokeVolume_Pull(volume);
}

static float *findValue(wbSmokeVolume *volume, wbSmokeField field, int i, int j, int k) {
    return &volume->smoke.fields[field][wbSmokeIndex(&volume->smoke.grid, i, j, k)];
}

// Projection

static bool isInBallOrPlate(wbVec3 p, const void *context) {
    const int *dimensions = context;
    float x = p.x - 0.3f, y = p.y - 0.4f, z = *dimensions == 3 ? p.z - 0.5f : 0;
    return x * x + y * y + z * z < 0.03f || (fabsf(p.y - 0.8f) < 0.01f && p.x > 0.4f);
}

static bool isAir(const wbSmokeVolume *volume, const int at[3]) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    return !volume->smoke.solid[wbSmokeCell(grid, at[0], at[1], at[2])];
}

// Of the face below a cell along an axis, or of the last one: whether air is on both sides, or an open side beyond it.
static bool isFree(const wbSmokeVolume *volume, int axis, const int at[3]) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    const int cells[3] = {grid->nx, grid->ny, grid->nz};
    int below[3] = {at[0], at[1], at[2]};
    below[axis]--;
    bool isLow = at[axis] == 0, isHigh = at[axis] == cells[axis];
    if ((isLow || isHigh) && !volume->model.open[2 * axis + isHigh]) return false;
    return (isLow || isAir(volume, below)) && (isHigh || isAir(volume, at));
}

// No flow across closed sides and faces of solid cells.
static void fillRandom(wbSmokeVolume *volume) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    for (int f = 0; f < grid->dimensions; f++) {
        for (int j = 0; j < grid->ny + (f == 1); j++) {
            for (int k = 0; k < grid->nz + (f == 2); k++) {
                for (int i = 0; i < grid->nx + (f == 0); i++) {
                    uint32_t counter = (uint32_t)(wbSmokeIndex(grid, i, j, k) + f * grid->total);
                    *findValue(volume, f, i, j, k) =
                        isFree(volume, f, (int[3]){i, j, k}) ? 2 * wbHashFloat(counter) - 1 : 0;
                }
            }
        }
    }
}

// By its definition from the velocities, in 1/s: root mean square over the cells of air.
static double measureDivergence(const wbSmokeVolume *volume) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    const int ups[3] = {1, grid->plane, grid->row};
    double sum = 0, count = 0;
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i < grid->nx; i++) {
                double divergence = 0;
                if (!isAir(volume, (int[3]){i, j, k})) continue;
                for (int a = 0; a < grid->dimensions; a++) {
                    const float *v = volume->smoke.fields[a] + wbSmokeIndex(grid, i, j, k);
                    divergence += ((double)v[ups[a]] - v[0]) / grid->h;
                }
                sum += divergence * divergence, count++;
            }
        }
    }
    return sqrt(sum / count);
}

static wbStatus project(wbValidateRun *run, int dimensions, wbPressureSolver solver, double *share) {
    wbSmokeParams params = wbDefaultSmokeParams();
    const double h = dimensions == 3 ? 1.0 / 64 : 1.0 / 200;
    params.cellSize = (float)h;
    params.pressureSolver = solver;
    wbDomainDef domain = makeBox(1, 1, dimensions == 3 ? 1 : 0);
    domain.sides[wb_top].type = wb_sideOpen;
    wbSmokeVolume volume;
    WB_TRY(wbCreateCaseVolume(run, &params, &domain, dimensions, &volume));
    wbStatus status =
        wbFillSolids(&volume, isInBallOrPlate, &dimensions, &(wbSmokeBody){.hasTemperature = false});
    if (wbIsOk(status)) {
        fillRandom(&volume);
        double before = measureDivergence(&volume);
        status = wbSmokeVolume_Project(&volume);
        if (wbIsOk(status)) status = wbSmokeVolume_Pull(&volume);
        *share = measureDivergence(&volume) / before;
    }
    wbDestroySmokeVolume(&volume);
    return status;
}

wbStatus wbValidateSmokeProjection(wbValidateRun *run) {
    static const char *const names[2][2] = {
        {"divergence left, 40 Jacobi sweeps, 2D", "divergence left, multigrid, 2D"},
        {"divergence left, 40 Jacobi sweeps, 3D", "divergence left, multigrid, 3D"}};
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        for (int multigrid = 1; multigrid >= 0; multigrid--) {
            double share = 1;
            WB_TRY(project(run, dimensions, multigrid ? wb_pressureMultigrid : wb_pressureJacobi, &share));
            wbReportQuantity(run,
                             (wbQuantity){.quantity = names[dimensions - 2][multigrid],
                                          .unit = "of before",
                                          .value = share,
                                          .tolerance = 1e-3,
                                          .judgement = multigrid ? wb_within : wb_noted,
                                          .source = multigrid ? "the default tolerance" : "for comparison"});
        }
    }
    return wb_okStatus;
}

// Steps as long as a world's automatic ones; the last ends at `to`.
static wbStatus advanceFreely(wbValidateRun *run, wbSmokeVolume *volume, double from, double to, double end) {
    const wbSmokeParams *params = &volume->model.params;
    double time = from;
    while (time < to && wbContinueCase(run, time / end)) {
        double speed = fmax(volume->smoke.maxSpeed, volume->smoke.sideSpeed);
        double dt = fmin(params->longestStep, params->cfl * volume->smoke.grid.h / speed);
        int left = (int)ceil((to - time) / dt - 1e-6);
        dt = left <= 1 ? to - time : left == 2 ? 0.5 * (to - time) : dt;
        WB_TRY(wbSmokeVolume_Step(volume, NULL, 0, time, (float)dt));
        time = left <= 1 ? to : time + dt;
    }
    return wbSmokeVolume_Pull(volume);
}

// Cavity

typedef struct LinePoint {
    double place, speed;
} LinePoint;

enum { cavityCells = 128, mostPoints = 15 };

typedef struct Cavity {
    const char *title, *source;
    double viscosity, end, dt; // s; dt 0: as a world chooses it
    double tolerance;          // speeds of the lid
    LinePoint u[mostPoints], v[mostPoints];
    int uCount, vCount;
} Cavity;

static const Cavity ghia = {.title = "Lid-driven cavity, Re 100",
                            .source = "Ghia, Ghia and Shin 1982, Re 100",
                            .viscosity = 0.01,
                            .end = 20,
                            .dt = 1.0 / 100,
                            .tolerance = 0.015,
                            .u = {{0.9766, 0.84123},
                                  {0.9688, 0.78871},
                                  {0.9609, 0.73722},
                                  {0.9531, 0.68717},
                                  {0.8516, 0.23151},
                                  {0.7344, 0.00332},
                                  {0.6172, -0.13641},
                                  {0.5000, -0.20581},
                                  {0.4531, -0.21090},
                                  {0.2813, -0.15662},
                                  {0.1719, -0.10150},
                                  {0.1016, -0.06434},
                                  {0.0703, -0.04775},
                                  {0.0625, -0.04192},
                                  {0.0547, -0.03717}},
                            .v = {{0.9688, -0.05906},
                                  {0.9609, -0.07391},
                                  {0.9531, -0.08864},
                                  {0.9453, -0.10313},
                                  {0.9063, -0.16914},
                                  {0.8594, -0.22445},
                                  {0.8047, -0.24533},
                                  {0.5000, 0.05454},
                                  {0.2344, 0.17527},
                                  {0.2266, 0.17507},
                                  {0.1563, 0.16077},
                                  {0.0938, 0.12317},
                                  {0.0781, 0.10890},
                                  {0.0703, 0.10091},
                                  {0.0625, 0.09233}},
                            .uCount = 15,
                            .vCount = 15};

static const Cavity botella = {.title = "Lid-driven cavity, Re 1000",
                               .source = "Botella and Peyret 1998, Re 1000",
                               .viscosity = 0.001,
                               .end = 60,
                               .tolerance = 0.02,
                               .u = {{0.9766, 0.6644},
                                     {0.8516, 0.3372},
                                     {0.7344, 0.1887},
                                     {0.5000, -0.0621},
                                     {0.4531, -0.1082},
                                     {0.2813, -0.2804},
                                     {0.1719, -0.3886},
                                     {0.1016, -0.3005},
                                     {0.0547, -0.1813}},
                               .v = {{0.9453, -0.4104},
                                     {0.9063, -0.5264},
                                     {0.8594, -0.4265},
                                     {0.5000, 0.0258},
                                     {0.2344, 0.3254},
                                     {0.1563, 0.3769},
                                     {0.0938, 0.3330}},
                               .uCount = 9,
                               .vCount = 7};

// On the centre line x = 0.5 or y = 0.5, which faces stand on.
static double getLineSpeed(wbSmokeVolume *volume, wbSmokeField field, double place) {
    double at = place * cavityCells - 0.5;
    int low = (int)floor(at), half = cavityCells / 2;
    float *a =
        field == wb_smokeU ? findValue(volume, field, half, low, 0) : findValue(volume, field, low, half, 0);
    float *b = field == wb_smokeU ? findValue(volume, field, half, low + 1, 0)
                                  : findValue(volume, field, low + 1, half, 0);
    return *a + (at - low) * (*b - *a);
}

static wbStatus plotCavity(wbValidateRun *run, wbSmokeVolume *volume, const Cavity *cavity) {
    double x[2][mostPoints], y[4][mostPoints];
    for (int n = 0; n < cavity->uCount; n++) {
        x[0][n] = cavity->u[n].place, y[1][n] = cavity->u[n].speed;
        y[0][n] = getLineSpeed(volume, wb_smokeU, cavity->u[n].place);
    }
    for (int n = 0; n < cavity->vCount; n++) {
        x[1][n] = cavity->v[n].place, y[3][n] = cavity->v[n].speed;
        y[2][n] = getLineSpeed(volume, wb_smokeV, cavity->v[n].place);
    }
    const wbSeries series[] = {{"u, wirbel", x[0], y[0], cavity->uCount, false},
                               {"u, published", x[0], y[1], cavity->uCount, true},
                               {"v, wirbel", x[1], y[2], cavity->vCount, false},
                               {"v, published", x[1], y[3], cavity->vCount, true}};
    return wbPlotCase(run, "lines",
                      &(wbPlot){cavity->title, "place on the centre line", "speed of the lid", series, 4});
}

static void reportCavity(wbValidateRun *run, wbSmokeVolume *volume, const Cavity *cavity) {
    double worstU = 0, worstV = 0;
    for (int n = 0; n < cavity->uCount; n++)
        worstU = fmax(worstU, fabs(getLineSpeed(volume, wb_smokeU, cavity->u[n].place) - cavity->u[n].speed));
    for (int n = 0; n < cavity->vCount; n++)
        worstV = fmax(worstV, fabs(getLineSpeed(volume, wb_smokeV, cavity->v[n].place) - cavity->v[n].speed));
    wbQuantity quantity = {.quantity = "largest error of u on x = 0.5",
                           .unit = "lid speed",
                           .value = worstU,
                           .tolerance = cavity->tolerance,
                           .source = cavity->source};
    wbReportQuantity(run, quantity);
    quantity.quantity = "largest error of v on y = 0.5";
    quantity.value = worstV;
    wbReportQuantity(run, quantity);
}

static wbStatus validateCavity(wbValidateRun *run, const Cavity *cavity) {
    wbSmokeParams params = wbDefaultSmokeParams();
    params.cellSize = 1.0f / cavityCells;
    params.velocityAdvection = wb_advectionMacCormack;
    params.backtrace = wb_backtraceMidpoint;
    params.confinement = 0;
    params.viscosity = (float)cavity->viscosity;
    wbDomainDef domain = makeBox(1, 1, 0);
    for (int s = 0; s < wb_sideCount; s++) domain.sides[s].type = wb_sideNoSlip;
    domain.sides[wb_top].velocity.x = 1;
    wbSmokeVolume volume;
    WB_TRY(wbCreateCaseVolume(run, &params, &domain, 2, &volume));
    volume.smoke.maxSpeed = 0;
    wbStatus status = cavity->dt > 0 ? advance(run, &volume, 0, cavity->end, cavity->end, cavity->dt)
                                     : advanceFreely(run, &volume, 0, cavity->end, cavity->end);
    if (wbIsOk(status) && !run->stopped) {
        reportCavity(run, &volume, cavity);
        status = plotCavity(run, &volume, cavity);
    }
    wbDestroySmokeVolume(&volume);
    return status;
}

wbStatus wbValidateSmokeCavity(wbValidateRun *run) { return validateCavity(run, &ghia); }
wbStatus wbValidateSmokeCavity1000(wbValidateRun *run) { return validateCavity(run, &botella); }

// Taylor and Green

static void fillVortices(wbSmokeVolume *volume) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    for (int j = 0; j <= grid->ny; j++) {
        for (int i = 0; i <= grid->nx; i++) {
            double x = 2 * pi * i * grid->h, y = 2 * pi * j * grid->h, half = pi * grid->h;
            if (j < grid->ny) *findValue(volume, wb_smokeU, i, j, 0) = (float)(sin(x) * cos(y + half));
            if (i < grid->nx) *findValue(volume, wb_smokeV, i, j, 0) = (float)(-cos(x + half) * sin(y));
        }
    }
    volume->smoke.maxSpeed = 1;
}

static double findMaxSpeed(wbSmokeVolume *volume) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    float most = 0;
    for (int j = 0; j < grid->ny; j++)
        for (int i = 0; i < grid->nx; i++)
            most = fmaxf(most, fmaxf(fabsf(*findValue(volume, wb_smokeU, i, j, 0)),
                                     fabsf(*findValue(volume, wb_smokeV, i, j, 0))));
    return most;
}

static double sumSquares(wbSmokeVolume *volume) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    double sum = 0;
    for (int j = 0; j < grid->ny; j++)
        for (int i = 0; i < grid->nx; i++)
            sum += pow(*findValue(volume, wb_smokeU, i, j, 0), 2) +
                   pow(*findValue(volume, wb_smokeV, i, j, 0), 2);
    return sum;
}

static wbStatus createVortices(wbValidateRun *run, double viscosity, wbSmokeVolume *volume) {
    wbSmokeParams params = wbDefaultSmokeParams();
    params.cellSize = 1.0f / 128;
    params.velocityAdvection = wb_advectionMacCormack;
    params.backtrace = wb_backtraceMidpoint;
    params.confinement = 0;
    params.viscosity = (float)viscosity;
    wbDomainDef domain = makeBox(1, 1, 0);
    WB_TRY(wbCreateCaseVolume(run, &params, &domain, 2, volume));
    fillVortices(volume);
    return wb_okStatus;
}

typedef struct Fading {
    double viscosity, dt; // dt 0: as a world chooses it
    double times[4];
    const char *names[3];
} Fading;

static wbStatus validateFading(wbValidateRun *run, const Fading *fading) {
    wbSmokeVolume volume;
    const double *times = fading->times;
    wbStatus status = wb_okStatus;
    WB_TRY(createVortices(run, fading->viscosity, &volume));
    for (int n = 0; n < 3 && wbIsOk(status) && !run->stopped; n++) {
        status = fading->dt > 0 ? advance(run, &volume, times[n], times[n + 1], times[3], fading->dt)
                                : advanceFreely(run, &volume, times[n], times[n + 1], times[3]);
        if (!wbIsOk(status) || run->stopped) break;
        double exact = exp(-8 * pi * pi * fading->viscosity * times[n + 1]);
        wbReportQuantity(run, (wbQuantity){.quantity = fading->names[n],
                                           .unit = "m/s",
                                           .value = findMaxSpeed(&volume),
                                           .reference = exact,
                                           .tolerance = 0.03 * exact,
                                           .source = "exp(-8 pi2 nu t)"});
    }
    wbDestroySmokeVolume(&volume);
    return status;
}

wbStatus wbValidateSmokeTaylorGreen(wbValidateRun *run) {
    static const Fading fading = {0.01,
                                  0.5 / 128,
                                  {0, 0.25, 0.5, 1},
                                  {"max speed at t = 0.25", "max speed at t = 0.5", "max speed at t = 1"}};
    return validateFading(run, &fading);
}

// Without viscosity, and in steps as a world chooses them, vortices keep what they have.
static wbStatus validateEnergy(wbValidateRun *run) {
    wbSmokeVolume volume;
    WB_TRY(createVortices(run, 0, &volume));
    double before = sumSquares(&volume);
    wbStatus status = advanceFreely(run, &volume, 0, 1, 1);
    if (wbIsOk(status) && !run->stopped)
        wbReportQuantity(run, (wbQuantity){.quantity = "energy after 1 s without viscosity",
                                           .unit = "of before",
                                           .value = sumSquares(&volume) / before,
                                           .reference = 1,
                                           .tolerance = 0.02,
                                           .source = "a steady flow"});
    wbDestroySmokeVolume(&volume);
    return status;
}

wbStatus wbValidateSmokeTaylorGreen1000(wbValidateRun *run) {
    static const Fading fading = {
        0.001, 0, {0, 1, 2, 5}, {"max speed at t = 1", "max speed at t = 2", "max speed at t = 5"}};
    WB_TRY(validateFading(run, &fading));
    return run->stopped ? wb_okStatus : validateEnergy(run);
}

// Mass

static void fillPuff(wbSmokeVolume *volume) {
    const wbSmokeGrid *grid = &volume->smoke.grid;
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i < grid->nx; i++) {
                double x = (i + 0.5) * grid->h - 0.5, y = (j + 0.5) * grid->h - 0.3,
                       z = (k + 0.5) * grid->h - 0.5;
                if (x * x + y * y + z * z > 0.03) continue;
                *findValue(volume, wb_smokeDensity, i, j, k) =
                    *findValue(volume, wb_smokeTemperature, i, j, k) = 1;
            }
        }
    }
}

// How the amount changes, and the least density.
static wbStatus measureMass(wbValidateRun *run, wbSmokeAdvection method, bool open, double seconds,
                            double *change, double *least) {
    wbSmokeParams params = wbDefaultSmokeParams();
    params.cellSize = 1.0f / 40;
    params.buoyancy = 2;
    params.advection = method;
    params.keepMass = false;
    wbDomainDef domain = makeBox(1, open ? 2 : 1, 1);
    if (open) domain.sides[wb_top].type = wb_sideOpen;
    wbSmokeVolume volume;
    double before = 1, after = 1;
    WB_TRY(wbCreateCaseVolume(run, &params, &domain, 3, &volume));
    fillPuff(&volume);
    wbStatus status = wbSmoke_SumDensity(&volume.smoke, &volume.work, &before);
    if (wbIsOk(status)) status = advance(run, &volume, 0, seconds, seconds, 1.0 / 60);
    if (wbIsOk(status)) status = wbSmoke_SumDensity(&volume.smoke, &volume.work, &after);
    const wbSmokeGrid *grid = &volume.smoke.grid;
    *change = after / before - 1;
    *least = 0;
    for (int j = 0; j < grid->ny && wbIsOk(status); j++)
        for (int k = 0; k < grid->nz; k++)
            for (int i = 0; i < grid->nx; i++)
                *least = fmin(*least, *findValue(&volume, wb_smokeDensity, i, j, k));
    wbDestroySmokeVolume(&volume);
    return status;
}

static wbStatus validateMass(wbValidateRun *run, bool open, double seconds, const char *name,
                             const char *source) {
    double change = 0, least = 0;
    WB_TRY(measureMass(run, wb_smokeConserving, open, seconds, &change, &least));
    if (run->stopped) return wb_okStatus;
    wbReportQuantity(
        run,
        (wbQuantity){
            .quantity = name, .unit = "of the smoke", .value = change, .tolerance = 0.01, .source = source});
    wbReportQuantity(run, (wbQuantity){.quantity = "least density",
                                       .unit = "",
                                       .value = least,
                                       .tolerance = 1e-6,
                                       .source = "there is no less than none"});
    return wb_okStatus;
}

static const double closedSeconds = 10, openSeconds = 4;

wbStatus wbValidateSmokeMass(wbValidateRun *run) {
    return validateMass(run, false, closedSeconds, "change of the smoke in 10 s", "a closed box keeps it");
}

wbStatus wbValidateSmokeMassOpen(wbValidateRun *run) {
    return validateMass(run, true, openSeconds, "change in 4 s, before any leaves",
                        "none is lost below an open top");
}

// What the advections that do not conserve do in the same boxes.
wbStatus wbValidateSmokeMassCompare(wbValidateRun *run) {
    static const struct {
        const char *name;
        wbSmokeAdvection method;
        bool open;
    } others[] = {{"semi-Lagrangian, without keepMass", wb_smokeSemiLagrangian, false},
                  {"MacCormack, without keepMass", wb_smokeMacCormack, false},
                  {"semi-Lagrangian, below an open top", wb_smokeSemiLagrangian, true},
                  {"MacCormack, below an open top", wb_smokeMacCormack, true}};
    double change = 0, least = 0;
    for (size_t k = 0; k < sizeof others / sizeof others[0] && !run->stopped; k++) {
        WB_TRY(measureMass(run, others[k].method, others[k].open,
                           others[k].open ? openSeconds : closedSeconds, &change, &least));
        if (run->stopped) break;
        wbReportQuantity(run, (wbQuantity){.quantity = others[k].name,
                                           .unit = "of the smoke",
                                           .value = change,
                                           .judgement = wb_noted,
                                           .source = "for comparison"});
    }
    return wb_okStatus;
}
