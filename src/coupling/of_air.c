// SPDX-License-Identifier: MIT
#include "coupling/of_air.h"

#include <math.h>
#include <string.h>

#include "coupling/air_points.h"

static void findPlace(const wbSmokeGrid *grid, int place, int at[3]) {
    at[1] = place / grid->plane - 1;
    at[2] = place % grid->plane / grid->row - 1;
    at[0] = place % grid->row;
}

static bool isWithin(const wbSmokeGrid *grid, const int at[3]) {
    return at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < grid->nx && at[1] < grid->ny && at[2] < grid->nz;
}

// 0: air, or beyond the sides.
static uint16_t getMark(const wbSmoke *smoke, const uint16_t *mask, const int at[3]) {
    const wbSmokeGrid *grid = &smoke->grid;
    return isWithin(grid, at) ? mask[wbSmokeCell(grid, at[0], at[1], at[2])] : 0;
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

wbAirFace wbFindAirFace(const wbSmoke *smoke, const uint16_t *mask, int axis, int place) {
    wbAirFace face;
    int at[3], below[3];
    findPlace(&smoke->grid, place, at);
    memcpy(below, at, sizeof at);
    below[axis]--;
    const uint16_t lower = getMark(smoke, mask, below);
    face.mark = lower ? lower : getMark(smoke, mask, at);
    face.sign = lower ? -1 : 1;
    memcpy(face.solid, lower ? below : at, sizeof at);
    memcpy(face.air, lower ? at : below, sizeof at);
    face.isAirWithin = isWithin(&smoke->grid, face.air);
    face.pressure = getPressure(smoke, face.air);
    return face;
}

// Of a face between air and a solid: the one below the cell at this place.
static void gatherFace(const wbAirBodies *air, int axis, int at, double scale, wbAirLoad *loads) {
    const wbSmokeGrid *grid = &air->smoke->grid;
    const wbAirFace face = wbFindAirFace(air->smoke, air->mask, axis, at);
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z}, h = grid->h;
    const int owner = air->owners[face.mark - 1];
    double place[3];
    if (owner < 0) return;
    for (int a = 0; a < 3; a++)
        place[a] = a == axis ? origin[a] + h * (face.sign < 0 ? face.air[a] : face.solid[a])
                             : origin[a] + h * (face.solid[a] + 0.5);
    if (grid->dimensions == 2) place[2] = loads[owner].centre[2];
    addImpulse(&loads[owner], axis, place, scale * face.sign * face.pressure);
}

void wbGatherPressure(const wbAirBodies *air, double density, wbAirLoad *loads) {
    const wbSmoke *smoke = air->smoke;
    const double scale = density * pow((double)smoke->grid.h, smoke->grid.dimensions);
    const int *cells = smoke->solidCells.data;
    int at[3];
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        const int *places = smoke->faces[axis].places.data;
        for (int f = 0; f < smoke->faces[axis].surfaceCount; f++)
            gatherFace(air, axis, places[f], scale, loads);
    }
    for (int c = 0; c < smoke->solidCount; c++) {
        findPlace(&smoke->grid, cells[c], at);
        const int owner = air->owners[getMark(smoke, air->mask, at) - 1];
        if (owner >= 0) loads[owner].cells++;
    }
}

void wbReadVelocity(const wbSmoke *smoke, const double place[3], float velocity[3]) {
    wbAirStencil stencil;
    for (int axis = 0; axis < smoke->grid.dimensions; axis++) {
        double sum = 0;
        if (!wbFindAirStencil(&smoke->grid, axis, place, &stencil)) return;
        for (int n = 0; n < 8; n++) sum += stencil.weight[n] * (double)smoke->fields[axis][stencil.face[n]];
        velocity[axis] = (float)sum;
    }
}
