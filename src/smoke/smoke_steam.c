// SPDX-License-Identifier: MIT
#include "smoke/smoke_steam.h"

#include <math.h>

#include "wirbel/types.h"

static const double zeroKelvin = 273.15, gasShare = 0.622, pressure = 101325, exponent = 3.5; // Pa
static const double lightness = 0.608; // of vapour: 1 / gasShare - 1

wbSteamModel wbMakeSteamModel(const wbSmokeParams *params) {
    return (wbSteamModel){zeroKelvin + (double)params->celsius, WB_AIR_DENSITY, (double)params->lapse};
}

// Air at a height over that at the bottom: kelvin, if it has come up from there.
static double getCooling(const wbSteamModel *model, double height) {
    return fmax(1 - model->lapse * fmax(height, 0) / model->kelvin, 0.05);
}

// Pa, over water.
static double getVapourPressure(double celsius) { return 611.2 * exp(17.62 * celsius / (243.12 + celsius)); }

// Of a temperature where the cell is, K: where water boils there is no most.
static double findMost(const wbSteamModel *model, double kelvin, double cooling, double *slope) {
    const double celsius = fmax(kelvin - zeroKelvin, -100);
    *slope = 0;
    if (celsius >= 100) return 1e9;
    const double most =
        1000 * model->density * gasShare * getVapourPressure(celsius) / (pressure * pow(cooling, exponent));
    *slope = most * 17.62 * 243.12 / ((243.12 + celsius) * (243.12 + celsius));
    return most;
}

double wbFindSaturation(const wbSteamModel *model, double temperature, double height) {
    const double cooling = getCooling(model, height);
    double slope;
    return findMost(model, (model->kelvin + temperature) * cooling, cooling, &slope);
}

// Newton's method for the droplets, between bounds that it may not leave.
static double findDroplets(const wbSteamModel *model, double kelvin, double cooling, double all,
                           double droplets, double perGram) {
    enum { MOST = 40 };
    double low = 0, high = all, x = droplets, slope;
    if (all <= findMost(model, kelvin - perGram * droplets, cooling, &slope)) return 0;
    for (int n = 0; n < MOST; n++) {
        const double most = findMost(model, kelvin + perGram * (x - droplets), cooling, &slope);
        const double excess = all - x - most;
        if (excess > 0)
            low = x;
        else
            high = x;
        double next = x + excess / (1 + perGram * slope);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - x) <= 1e-9 * all) return next;
        x = next;
    }
    return x;
}

void wbSettleSteam(const wbSteamModel *model, double height, double *temperature, double *vapour,
                   double *droplets) {
    const double all = *vapour + *droplets, cooling = getCooling(model, height),
                 perGram = WB_STEAM_HEAT / (1000 * model->density * WB_AIR_HEAT);
    if (!(all > 0)) return;
    const double next =
        findDroplets(model, (model->kelvin + *temperature) * cooling, cooling, all, *droplets, perGram);
    *temperature += perGram * (next - *droplets) / cooling;
    *vapour = all - next, *droplets = next;
}

typedef struct Pass {
    wbSmoke *smoke;
    wbSteamModel steam;
    const wbSmokeModel *model;
} Pass;

static double getHeight(const Pass *pass, int i, int j, int k) {
    const wbVec3 up = pass->model->up;
    const float h = pass->smoke->grid.h;
    const wbSmokeGrid *grid = &pass->smoke->grid;
    // from the lowest corner on, whichever way is up
    const double x = up.x < 0 ? grid->nx - i - 0.5 : i + 0.5, y = up.y < 0 ? grid->ny - j - 0.5 : j + 0.5,
                 z = up.z < 0 ? grid->nz - k - 0.5 : k + 0.5;
    return (double)h * (fabs((double)up.x) * x + fabs((double)up.y) * y + fabs((double)up.z) * z);
}

static void condenseRow(const Pass *pass, int j, int k) {
    wbSmoke *smoke = pass->smoke;
    const wbSmokeGrid *grid = &smoke->grid;
    const uint8_t *marks = smoke->marks + wbSmokeBlockRow(grid, j, k);
    float *temperature = smoke->fields[wb_smokeTemperature], *vapour = smoke->fields[smoke->steam],
          *droplets = smoke->fields[smoke->steam + 1];
    for (int i = 0; i < grid->nx; i++) {
        const int c = wbSmokeIndex(grid, i, j, k);
        if (!marks[i / WB_SMOKE_BLOCK_X] || !(vapour[c] + droplets[c] > 0)) continue;
        double t = (double)temperature[c], v = (double)vapour[c], d = (double)droplets[c];
        wbSettleSteam(&pass->steam, getHeight(pass, i, j, k), &t, &v, &d);
        temperature[c] = (float)t, vapour[c] = (float)v, droplets[c] = (float)d;
    }
}

static void condensePlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Pass *pass = context;
    for (int j = begin; j < end; j++)
        for (int k = 0; k < pass->smoke->grid.nz; k++) condenseRow(pass, j, k);
}

void wbCondense(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    Pass pass = {smoke, wbMakeSteamModel(&model->params), model};
    if (smoke->steam) wbParallelFor(work->pool, smoke->grid.ny, 1, condensePlanes, &pass);
}

static void liftPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Pass *pass = context;
    const wbSmoke *smoke = pass->smoke;
    const wbSmokeGrid *grid = &smoke->grid;
    const float perGram = (float)(pass->steam.kelvin / (1000 * pass->steam.density));
    for (int j = begin; j < end; j++)
        for (int k = 0; k < grid->nz; k++) {
            const int row = wbSmokeIndex(grid, 0, j, k);
            for (int c = row; c < row + grid->nx; c++)
                smoke->lift[c] = smoke->fields[wb_smokeTemperature][c] +
                                 perGram * ((float)lightness * smoke->fields[smoke->steam][c] -
                                            smoke->fields[smoke->steam + 1][c]);
        }
}

void wbFindLift(wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work) {
    Pass pass = {smoke, wbMakeSteamModel(&model->params), model};
    if (smoke->steam) wbParallelFor(work->pool, smoke->grid.ny, 1, liftPlanes, &pass);
}

double wbGetCooling(const wbSmoke *smoke, const wbSmokeModel *model, const int cell[3]) {
    const Pass pass = {(wbSmoke *)smoke, wbMakeSteamModel(&model->params), model};
    return getCooling(&pass.steam, getHeight(&pass, cell[0], cell[1], cell[2]));
}

// Of a cubic metre of the air there: of a kelvin, and of a gram of vapour.
static const double perKelvin = WB_AIR_DENSITY * WB_AIR_HEAT, perVapour = 1e-3 * WB_STEAM_HEAT;

static double getVolume(const wbSmokeGrid *grid) { return pow((double)grid->h, grid->dimensions); }

// So many cells of a row, from number i on: per cubic metre of them.
static void addCells(const Pass *pass, int i, int j, int k, int count, wbSteamSums *sums) {
    const wbSmoke *smoke = pass->smoke;
    const int c = wbSmokeIndex(&smoke->grid, i, j, k);
    const float *temperature = smoke->fields[wb_smokeTemperature] + c;
    double heat = 0, vapour = 0, droplets = 0;
    for (int n = 0; n < count; n++) {
        const double cooling =
            pass->steam.lapse > 0 ? getCooling(&pass->steam, getHeight(pass, i + n, j, k)) : 1;
        heat += cooling * (double)temperature[n];
    }
    for (int n = 0; n < count && smoke->steam; n++) {
        vapour += (double)smoke->fields[smoke->steam][c + n];
        droplets += (double)smoke->fields[smoke->steam + 1][c + n];
    }
    sums->heat += perKelvin * heat, sums->latent += perVapour * vapour;
    sums->vapour += 1e-3 * vapour, sums->droplets += 1e-3 * droplets;
}

static void addPlane(const Pass *pass, int j, wbSteamSums *sums) {
    const wbSmokeGrid *grid = &pass->smoke->grid;
    const double volume = getVolume(grid);
    wbSteamSums own = {0};
    for (int k = 0; k < grid->nz; k++) {
        const uint8_t *dirty = pass->smoke->dirty[0] + wbSmokeBlockRow(grid, j, k);
        for (int i = 0; i < grid->nx; i += WB_SMOKE_BLOCK_X) {
            const int left = grid->nx - i;
            if (dirty[i / WB_SMOKE_BLOCK_X])
                addCells(pass, i, j, k, left < WB_SMOKE_BLOCK_X ? left : WB_SMOKE_BLOCK_X, &own);
        }
    }
    sums->heat += volume * own.heat, sums->latent += volume * own.latent;
    sums->vapour += volume * own.vapour, sums->droplets += volume * own.droplets;
}

wbSteamSums wbSumSteam(const wbSmoke *smoke, const wbSmokeModel *model) {
    const Pass pass = {(wbSmoke *)smoke, wbMakeSteamModel(&model->params), model};
    wbSteamSums sums = {0};
    for (int j = 0; j < smoke->grid.ny; j++) addPlane(&pass, j, &sums);
    return sums;
}

typedef struct HeatPass {
    Pass pass;
    double *sums;
} HeatPass;

static void sumPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const HeatPass *task = context;
    for (int j = begin; j < end; j++) {
        wbSteamSums sums = {0};
        addPlane(&task->pass, j, &sums);
        task->sums[j] = sums.heat + sums.latent;
    }
}

double wbSumAirHeat(const wbSmoke *smoke, const wbSmokeModel *model, const wbWork *work, double *sums) {
    HeatPass task = {{(wbSmoke *)smoke, wbMakeSteamModel(&model->params), model}, sums};
    double sum = 0;
    wbParallelFor(work->pool, smoke->grid.ny, 1, sumPlanes, &task);
    for (int j = 0; j < smoke->grid.ny; j++) sum += sums[j];
    return sum;
}

double wbSumBuriedHeat(const wbSmoke *smoke, const wbSmokeModel *model) {
    const wbSmokeGrid *grid = &smoke->grid;
    const int *cells = smoke->solidCells.data;
    double sum = 0;
    for (int n = 0; n < smoke->solidCount; n++) {
        const int c = cells[n], at[3] = {c % grid->row, c / grid->plane - 1, c % grid->plane / grid->row - 1};
        const float heat = smoke->fields[wb_smokeTemperature][c], vapour = smoke->fields[smoke->steam][c];
        if (heat == 0 && vapour == 0) continue;
        sum += getVolume(grid) *
               (perKelvin * wbGetCooling(smoke, model, at) * (double)heat + perVapour * (double)vapour);
    }
    return sum;
}
