// SPDX-License-Identifier: MIT
// What `wirbel check` says of smoke, and of heat that does nothing.
#include <math.h>
#include <stdio.h>

#include "app/args.h"
#include "app/solvers.h"
#include "scene/forms.h"
#include "scene/scene.h"

// At the start the window is small, unless it has to be all of the box.
static bool followsSmoke(const wbSmokeView *view) {
    bool isAll = true;
    for (int a = 0; a < 3; a++) isAll = isAll && view->cells[a] == view->boxCells[a];
    return !isAll;
}

static void describe(const wbScene *scene, wbWorld *world) {
    (void)scene;
    const wbSmokeParams *params = wbWorld_GetSmokeParams(world);
    wbSmokeView view;
    if (!wbIsOk(wbWorld_GetSmokeView(world, &view))) return;
    printf("smoke      %d x %d x %d cells of %.4g m%s%s\n", view.boxCells[0], view.boxCells[1],
           view.boxCells[2], (double)view.cellSize, params->fire ? ", with fire" : "",
           followsSmoke(&view) ? ", fine only around the smoke" : "");
    for (int i = 0; i < wbWorld_GetSourceCount(world); i++)
        printf("source     %s\n", wbSource_GetName(world, wbWorld_GetSource(world, i)));
}

/// A source with what is around it.
typedef struct Place {
    const wbScene *scene;
    const wbSceneSource *source;
    const wbSmokeParams *smoke;
    float min[3], max[3]; ///< m, around the source
} Place;

static bool isZero(wbVec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static void copy(wbVec3 v, float to[3]) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

static void findBounds(Place *place) {
    const wbSourceParams *p = &place->source->params;
    const wbMesh *mesh = &place->source->mesh;
    wbVec3 half =
        p->shape == wb_sourceBox ? wbScale(0.5f, p->size) : wbMakeVec3(p->radius, p->radius, p->radius);
    copy(wbSub(p->position, half), place->min);
    copy(wbAdd(p->position, half), place->max);
    if (p->shape != wb_sourceMesh) return;
    for (int a = 0; a < 3; a++) place->min[a] = INFINITY, place->max[a] = -INFINITY;
    for (int n = 0; n < mesh->vertexCount; n++) {
        const float *vertex = mesh->vertices + 3 * (ptrdiff_t)n;
        float at[3];
        copy(wbAdd(p->position, wbScale(p->scale, wbMakeVec3(vertex[0], vertex[1], vertex[2]))), at);
        for (int a = 0; a < 3; a++) {
            place->min[a] = fminf(place->min[a], at[a]);
            place->max[a] = fmaxf(place->max[a], at[a]);
        }
    }
}

static void warnOfPlace(const Place *place, const wbDomainDef *domain, int dimensions) {
    const char *name = place->source->name;
    bool isOutside = false, isSmall = false;
    float low[3], high[3];
    copy(domain->min, low);
    copy(domain->max, high);
    for (int a = 0; a < dimensions; a++) {
        isOutside |= place->max[a] < low[a] || place->min[a] > high[a];
        isSmall |= place->max[a] - place->min[a] < place->smoke->cellSize;
    }
    if (isOutside)
        wbComplain("warning: source \"%s\" lies outside the domain's box: it does nothing", name);
    else if (isSmall)
        wbComplain(
            "warning: source \"%s\" is smaller than a cell of %g m and may miss all of them: enlarge it, "
            "or make smoke.cellSize smaller",
            name, (double)place->smoke->cellSize);
}

static void warnOfTimes(const Place *place, float seconds) {
    const wbSourceParams *p = &place->source->params;
    const char *name = place->source->name;
    if (!p->open)
        wbComplain("warning: source \"%s\" is closed and nothing opens it", name);
    else if (p->end <= p->start)
        wbComplain("warning: source \"%s\" ends at %g s, not after its start at %g s: it does nothing", name,
                   (double)p->end, (double)p->start);
    else if (p->start >= seconds)
        wbComplain("warning: source \"%s\" starts at %g s, but the run ends at %g s", name, (double)p->start,
                   (double)seconds);
}

static void warnOfValues(const Place *place, wbVec3 gravity) {
    const wbSourceParams *p = &place->source->params;
    const wbSmokeParams *smoke = place->smoke;
    const char *name = place->source->name;
    bool isWhite = p->colour.x == 1 && p->colour.y == 1 && p->colour.z == 1;
    bool isHot = !isnan(p->temperature) && p->temperature != smoke->ambient;
    if (p->density == 0 && !isHot && p->fuel == 0 && p->steam == 0 && p->expansion == 0 &&
        isZero(p->velocity))
        wbComplain("warning: source \"%s\" has no density, temperature, fuel, velocity or expansion: it does "
                   "nothing",
                   name);
    if (p->steam > 0 && !smoke->steam)
        wbComplain("warning: source \"%s\" has steam, but the air carries none: set smoke.steam to true",
                   name);
    if (p->fuel > 0 && !smoke->fire)
        wbComplain("warning: source \"%s\" has fuel, but nothing burns: set smoke.fire to true", name);
    if (isHot && !smoke->fire && (smoke->buoyancy == 0 || isZero(gravity)))
        wbComplain("warning: source \"%s\" has a temperature, but heat lifts nothing: %s is 0", name,
                   smoke->buoyancy == 0 ? "smoke.buoyancy" : "world.gravity");
    if (!isWhite && !smoke->coloured)
        wbComplain(
            "warning: source \"%s\" has a colour, but its smoke shows none: set smoke.coloured to true",
            name);
}

static void warnOfSource(const wbScene *scene, const wbWorld *world, int index) {
    const wbWorldParams *params = wbWorld_GetWorldParams(world);
    const wbDomainDef domain = wbWorld_GetDomain(world);
    Place place = {scene, wbScene_GetSource(scene, index), wbWorld_GetSmokeParams(world), {0}, {0}};
    findBounds(&place);
    if (wbScene_IsScripted(scene, place.source->name)) return;
    warnOfPlace(&place, &domain, params->dimensions);
    warnOfTimes(&place, params->seconds);
    warnOfValues(&place, params->gravity);
}

static bool hasFuel(const wbScene *scene) {
    for (int i = 0; i < scene->sourceCount; i++)
        if (wbScene_GetSource(scene, i)->params.fuel > 0 ||
            wbScene_IsScripted(scene, wbScene_GetSource(scene, i)->name))
            return true;
    return false;
}

static void warnOfExchange(wbScene *scene, bool hasAir) {
    const wbWorldDef *def = wbScene_GetWorldDef(scene);
    if (!hasAir && (def->coupling.airHeat || def->coupling.airWater != wb_pairOff))
        wbComplain("warning: coupling.%s does nothing: there is no air; add a section \"smoke\"",
                   def->coupling.airHeat ? "airHeat" : "airWater");
    if (!hasAir || !def->coupling.airHeat || (def->smoke.steam && def->coupling.airWater != wb_pairOff))
        return;
    wbComplain("warning: coupling.airHeat does nothing: set %s",
               def->smoke.steam ? "coupling.airWater to both" : "smoke.steam to true");
}

static bool hasSlidingSide(const wbWorld *world) {
    const wbDomainDef domain = wbWorld_GetDomain(world);
    for (int s = 0; s < 2 * wbWorld_GetWorldParams(world)->dimensions; s++)
        if (domain.sides[s].type == wb_sideNoSlip && !isZero(domain.sides[s].velocity)) return true;
    return false;
}

// A slice beyond the box is drawn at its side.
static void warnOfSlice(const wbScene *scene, const wbWorld *world) {
    const wbOutputParams *output = wbScene_GetOutput(scene);
    const wbDomainDef domain = wbWorld_GetDomain(world);
    float low[3], high[3];
    copy(domain.min, low);
    copy(domain.max, high);
    if (wbWorld_GetWorldParams(world)->dimensions == 2 || output->field == wb_fieldAuto) return;
    if (output->sliceAt < low[output->slice] || output->sliceAt > high[output->slice])
        wbComplain("warning: output.sliceAt is %g m, but the domain's box is from %g to %g m",
                   (double)output->sliceAt, (double)low[output->slice], (double)high[output->slice]);
}

// Temperatures that do nothing. True if there is one that does.
static bool warnOfHeat(const wbScene *scene, const wbWorld *world) {
    const wbDomainDef domain = wbWorld_GetDomain(world);
    const wbSmokeParams *smoke = wbWorld_GetSmokeParams(world);
    const char *missing = smoke ? "no heat is conducted: set smoke.thermalDiffusivity" : "there is no smoke";
    bool conducts = smoke && (smoke->thermalDiffusivity > 0 || wbScene_IsScripted(scene, "smoke"));
    bool heats = false;
    for (int s = 0; s < 2 * wbWorld_GetWorldParams(world)->dimensions; s++) {
        const wbSideDef *side = &domain.sides[s];
        if (isnan(side->temperature)) continue;
        heats |= conducts && side->type != wb_sideOpen && side->temperature != smoke->ambient;
        if (smoke && side->type == wb_sideOpen)
            wbComplain("warning: side %s has a temperature, but it is open: air that comes in is as warm as "
                       "smoke.ambient",
                       wb_sideNames[s]);
        else if (!conducts)
            wbComplain("warning: side %s has a temperature, but %s", wb_sideNames[s], missing);
    }
    for (int n = 0; n < wbWorld_GetColliderCount(world); n++) {
        wbColliderId id = wbWorld_GetCollider(world, n);
        float temperature = wbCollider_GetParams(world, id)->temperature;
        if (isnan(temperature)) continue;
        heats |= conducts && temperature != smoke->ambient;
        if (!conducts)
            wbComplain("warning: collider \"%s\" has a temperature, but %s", wbCollider_GetName(world, id),
                       missing);
    }
    return heats;
}

static void warn(const wbScene *scene, wbWorld *world) {
    const wbSmokeParams *smoke = wbWorld_GetSmokeParams(world);
    bool heats = warnOfHeat(scene, world);
    warnOfExchange((wbScene *)scene, smoke);
    if (!smoke) return;
    for (int i = 0; i < scene->sourceCount; i++) warnOfSource(scene, world, i);
    bool isStill = !heats && smoke->vortices == 0 && isZero(smoke->wind) && !hasSlidingSide(world) &&
                   wbWorld_GetMechanismCount(world) == 0 && !wbScene_IsScripted(scene, "smoke");
    if (scene->sourceCount == 0 && isStill)
        wbComplain(
            "warning: the air stays at rest and without smoke: add \"sources\", or set smoke.vortices");
    warnOfSlice(scene, world);
    if (smoke->fire && !hasFuel(scene))
        wbComplain("warning: smoke.fire is on, but no source has fuel: nothing burns");
}

const wbSolverReport wb_smokeReport = {.name = "smoke", .describe = describe, .warn = warn};
