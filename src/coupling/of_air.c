// SPDX-License-Identifier: MIT
#include "coupling/of_air.h"

#include <math.h>

static void findPlace(const wbSmokeGrid *grid, int place, int at[3]) {
    at[1] = place / grid->plane - 1;
    at[2] = place % grid->plane / grid->row - 1;
    at[0] = place % grid->row;
}

static bool isWithin(const wbSmokeGrid *grid, const int at[3]) {
    return at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < grid->nx && at[1] < grid->ny && at[2] < grid->nz;
}

// 0: air, or beyond the sides.
static uint16_t getMark(const wbAirBodies *air, const int at[3]) {
    const wbSmokeGrid *grid = &air->smoke->grid;
    return isWithin(grid, at) ? air->mask[wbSmokeCell(grid, at[0], at[1], at[2])] : 0;
}

// m/s; beyond the sides it is 0.
static double getPressure(const wbSmoke *smoke, const int at[3]) {
    const wbPressureLevel *level = &smoke->pressure.levels[0];
    const int colour = (at[0] + at[1] + at[2]) & 1,
              place = (at[0] >> 1) + level->row * (at[2] + 1) + level->plane * (at[1] + 1);
    return isWithin(&smoke->grid, at) ? (double)level->p[colour][place] : 0;
}

static void addImpulse(wbAirLoad *load, int axis, const double place[3], double impulse) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    load->impulse[axis] += impulse;
    load->impulse[3 + b] += (place[c] - load->centre[c]) * impulse;
    load->impulse[3 + c] -= (place[b] - load->centre[b]) * impulse;
}

// Of a face between air and a solid: the one below the cell at this place.
static void gatherFace(const wbAirBodies *air, int axis, const int at[3], double scale, wbAirLoad *loads) {
    const wbSmokeGrid *grid = &air->smoke->grid;
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z}, h = grid->h;
    int below[3] = {at[0], at[1], at[2]};
    below[axis]--;
    const uint16_t lower = getMark(air, below), upper = getMark(air, at);
    const int owner = air->owners[(lower ? lower : upper) - 1];
    double place[3];
    if (owner < 0) return;
    for (int a = 0; a < 3; a++) place[a] = origin[a] + h * (at[a] + (a == axis ? 0 : 0.5));
    if (grid->dimensions == 2) place[2] = loads[owner].centre[2];
    addImpulse(&loads[owner], axis, place,
               scale * (lower ? -getPressure(air->smoke, at) : getPressure(air->smoke, below)));
}

void wbGatherPressure(const wbAirBodies *air, double density, wbAirLoad *loads) {
    const wbSmoke *smoke = air->smoke;
    const double scale = density * pow((double)smoke->grid.h, smoke->grid.dimensions);
    const int *cells = smoke->solidCells.data;
    int at[3];
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        const int *places = smoke->faces[axis].places.data;
        for (int f = 0; f < smoke->faces[axis].surfaceCount; f++) {
            findPlace(&smoke->grid, places[f], at);
            gatherFace(air, axis, at, scale, loads);
        }
    }
    for (int c = 0; c < smoke->solidCount; c++) {
        findPlace(&smoke->grid, cells[c], at);
        const int owner = air->owners[getMark(air, at) - 1];
        if (owner >= 0) loads[owner].cells++;
    }
}

// Of the component across an axis, whose faces are half a cell beside those of the others.
static double interpolate(const wbSmoke *smoke, int axis, const double cells[3]) {
    const wbSmokeGrid *grid = &smoke->grid;
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    int low[3];
    double share[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        const int most = a < grid->dimensions ? counts[a] - (a == axis ? 0 : 1) : 0;
        const double at = fmin(fmax(cells[a] - (a == axis ? 0 : 0.5), 0), most);
        low[a] = at < most ? (int)at : most > 0 ? most - 1 : 0;
        share[a] = at - low[a];
    }
    for (int n = 0; n < 8; n++) {
        const int up[3] = {n & 1, n >> 1 & 1, n >> 2};
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= up[a] ? share[a] : 1 - share[a];
        if (weight > 0)
            sum +=
                weight *
                (double)
                    smoke->fields[axis][wbSmokeIndex(grid, low[0] + up[0], low[1] + up[1], low[2] + up[2])];
    }
    return sum;
}

void wbReadVelocity(const wbSmoke *smoke, const double place[3], float velocity[3]) {
    const wbSmokeGrid *grid = &smoke->grid;
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    double cells[3] = {0, 0, 0};
    for (int a = 0; a < grid->dimensions; a++) {
        cells[a] = (place[a] - origin[a]) / (double)grid->h;
        if (!(cells[a] >= 0 && cells[a] <= counts[a])) return;
    }
    for (int a = 0; a < grid->dimensions; a++) velocity[a] = (float)interpolate(smoke, a, cells);
}
