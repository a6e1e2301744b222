// SPDX-License-Identifier: MIT
// Rigid bodies in the air of a grid. Those that are thick enough fill cells, as colliders do, and feel the pressure on them; thinner ones, and those that are
// lighter than the air that would have to go along with them, feel the wind around them.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "coupling/of_air.h"
#include "coupling/pairs.h"
#include "world/air.h"
#include "world/rigid.h"

// Cells along its least extent, from which on a body fills them.
static const float leastCells = 4;

bool wbAreBodiesInAir(const wbWorld *world) {
    return wbGetAir(world) && wbGetRigidBodies(world) &&
           wbGetPairMode(&world->def.coupling, wb_matterAir, wb_matterRigid) != wb_pairOff;
}

// m, the least along the axes of its frame; in 2D within the plane.
static float findThickness(const wbMesh *mesh, int dimensions) {
    float least = INFINITY;
    for (int a = 0; a < dimensions; a++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < mesh->vertexCount; i++) {
            const float x = mesh->vertices[3 * (size_t)i + (size_t)a];
            low = fminf(low, x), high = fmaxf(high, x);
        }
        least = fminf(least, high - low);
    }
    return least;
}

// m3, of the air that has to be accelerated along with it, roughly: of a ball or a disc, or of a plate.
static double getAddedVolume(const wbWorld *world, double volume, double thickness) {
    const double section = volume / thickness;
    return world->params.dimensions == 3 ? fmax(0.5 * volume, 0.4 * pow(section, 1.5))
                                         : fmax(volume, 0.8 * section * section);
}

bool wbFillsAir(const wbWorld *world, int index) {
    const wbRigidBody *body = wbGetRigidBodyAt(world, index);
    const wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), body->form);
    if (!body->params.on || body->params.sensor || !(form->solid.volume > 0)) return false;
    const float thickness = findThickness(&form->mesh, world->params.dimensions);
    if (thickness < leastCells * wbGetAir(world)->model.grid.h) return false;
    // what waits for the end of a step to feel a pressure must be heavier than the air that goes along with it
    return body->params.type != wb_rigidDynamic ||
           body->mass > (double)world->def.coupling.airDensity *
                            getAddedVolume(world, form->solid.volume, (double)thickness);
}

wbSmokeBody wbMakeAirBody(const wbWorld *world, int body, bool moves) {
    const wbRigid *r = &wbGetRigidBodies(world)->rigid;
    wbSmokeBody made = {.hasTemperature = false};
    if (!moves) return made;
    made.centre = wbMakeVec3(r->x[body], r->y[body], r->z[body]);
    made.velocity = wbMakeVec3(r->vx[body], r->vy[body], r->vz[body]);
    made.spin = wbMakeVec3(r->wx[body], r->wy[body], r->wz[body]);
    return made;
}

// Whether all of a body is within the cells: then its volume is known, and what its cells have more or less of it.
static bool isInside(const wbWorld *world, int body) {
    const wbSmokeGrid *grid = &wbGetAir(world)->smoke.grid;
    const wbRigid *r = &wbGetRigidBodies(world)->rigid;
    const float place[3] = {r->x[body], r->y[body], r->z[body]}, *origin = &grid->origin.x;
    const int cells[3] = {grid->nx, grid->ny, grid->nz};
    bool isIn = true;
    for (int a = 0; a < grid->dimensions; a++)
        isIn &= place[a] - r->reach[body] >= origin[a] &&
                place[a] + r->reach[body] <= origin[a] + grid->h * (float)cells[a];
    return isIn;
}

static void scaleLoad(const wbWorld *world, int body, wbAirLoad *load) {
    const wbSmokeGrid *grid = &wbGetAir(world)->smoke.grid;
    const wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), wbGetRigidBodyAt(world, body)->form);
    const double cut = load->cells * pow((double)grid->h, grid->dimensions);
    for (int k = 0; k < 6 && cut > 0 && isInside(world, body); k++)
        load->impulse[k] *= form->solid.volume / cut;
}

void wbForgetAirBodies(wbWorld *world) {
    if (wbGetAir(world)) wbGetAir(world)->areCollidersStale = true;
}

wbStatus wbFindAirLoads(wbWorld *world) {
    if (!wbGetAir(world) || !wbAreRigidBlown(world)) return wb_okStatus;
    wbAir *air = wbGetAir(world);
    const wbRigid *r = &wbGetRigidBodies(world)->rigid;
    WB_TRY(wbPullState(world));
    WB_TRY(wbCutColliders(world, 0));
    air->loads.elementSize = sizeof(wbAirLoad);
    if (!wbArray_Reserve(world->memory, &air->loads, r->count))
        return wbMemoryError(world->memory, "what air does to %d rigid bodies needs", r->count);
    wbAirLoad *loads = air->loads.data;
    for (int i = 0; i < r->count; i++)
        loads[i] = (wbAirLoad){.centre = {(double)r->x[i], (double)r->y[i], (double)r->z[i]}};
    const wbAirBodies bodies = {&air->smoke, air->mask, air->owners.data};
    wbGatherPressure(&bodies, (double)world->def.coupling.airDensity, loads);
    for (int i = 0; i < r->count; i++) scaleLoad(world, i, &loads[i]);
    return wb_okStatus;
}

void wbGetAirLoad(const wbWorld *world, int body, float dt, double impulse[6]) {
    const wbAir *air = wbGetAir(world);
    const double lasted = (double)air->smoke.pressureStep;
    for (int k = 0; k < 6; k++)
        impulse[k] =
            lasted > 0 ? ((const wbAirLoad *)air->loads.data)[body].impulse[k] * (double)dt / lasted : 0;
}

void wbFindWindAt(const wbWorld *world, int body, float velocity[3]) {
    const wbRigid *r = &wbGetRigidBodies(world)->rigid;
    const wbVec3 wind = world->def.coupling.wind;
    const double place[3] = {(double)r->x[body], (double)r->y[body], (double)r->z[body]};
    velocity[0] = wind.x, velocity[1] = wind.y, velocity[2] = wind.z;
    wbReadVelocity(&wbGetAir(world)->smoke, place, velocity);
}
