// SPDX-License-Identifier: MIT
// The places where an emitter puts particles: a lattice in a disc, or a box.
#include <math.h>
#include <stdlib.h>

#include "core/status.h"
#include "world/flow.h"

enum { MAX_LAYER = 1 << 20, MAX_PLACES = 1 << 24 };

typedef struct Place {
    int64_t ring; // squared distance from the centre, in millionths of a squared spacing
    float angle, u, v;
} Place;

// From the centre outwards, so that a layer that is not full is a smaller disc.
static int comparePlaces(const void *a, const void *b) {
    const Place *one = a, *two = b;
    if (one->ring != two->ring) return one->ring < two->ring ? -1 : 1;
    return one->angle < two->angle ? -1 : one->angle > two->angle;
}

static wbStatus reserve(const wbWorld *world, wbMouth *mouth, double count) {
    if (count > MAX_LAYER)
        return wbError(wb_errorInput, "has %.3g places in a layer, at most %d are allowed: is it too large?",
                       count, MAX_LAYER);
    mouth->u.elementSize = mouth->v.elementSize = sizeof(float);
    if (!wbArray_Reserve(world->memory, &mouth->u, (int)count) ||
        !wbArray_Reserve(world->memory, &mouth->v, (int)count))
        return wbMemoryError(world->memory, "an emitter of %.0f places needs", count);
    mouth->sites.count = (int)count;
    return wb_okStatus;
}

static void setPlace(wbMouth *mouth, int k, double u, double v) {
    ((float *)mouth->u.data)[k] = (float)u, ((float *)mouth->v.data)[k] = (float)v;
    mouth->sites.radius = fmaxf(mouth->sites.radius, (float)sqrt(u * u + v * v));
}

static wbStatus fillLine(const wbWorld *world, const wbParticleFluid *liquid, double radius, wbMouth *mouth) {
    double spacing = liquid->spacing, count = fmax(1, floor(2 * radius / spacing + 0.5));
    WB_TRY(reserve(world, mouth, count));
    // 0, -1, 1, -2, 2, … spacings, moved by a half if they are even
    for (int k = 0; k < mouth->sites.count; k++) {
        double step = (k + 1) / 2 * (k % 2 ? -1 : 1) + (mouth->sites.count % 2 ? 0 : 0.5);
        setPlace(mouth, k, step * spacing, 0);
    }
    return wb_okStatus;
}

// Lattice points around the centre, sorted; at least `wanted` of them. Returns how many.
static int listPlaces(Place *places, int capacity, int reach, wbLattice lattice, double spacing,
                      bool isShifted) {
    // both lattices have an area of a squared spacing per place
    double edge = lattice == wb_latticeSquare ? 1 : sqrt(2 / sqrt(3)), row = 1 / edge;
    int count = 0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach && count < capacity; i++) {
            double shift = lattice == wb_latticeSquare ? 0 : 0.5 * (j & 1);
            double u = edge * (i + shift + (isShifted ? 0.5 : 0));
            double v = row * (j + (isShifted ? lattice == wb_latticeSquare ? 0.5 : 1.0 / 3 : 0));
            places[count++] = (Place){(int64_t)floor((u * u + v * v) * 1e6 + 0.5), (float)atan2(v, u),
                                      (float)(u * spacing), (float)(v * spacing)};
        }
    }
    qsort(places, (size_t)count, sizeof *places, comparePlaces);
    return count;
}

// As many places as the area has room for: those nearest to the centre, which is one or lies between some, whichever
// makes the rounder disc.
static wbStatus fillDisc(const wbWorld *world, const wbParticleFluid *liquid, const wbEmitterParams *params,
                         wbMouth *mouth) {
    double spacing = liquid->spacing, radius = (double)params->radius / spacing;
    WB_TRY(reserve(world, mouth, fmax(1, floor(3.14159265358979 * radius * radius + 0.5))));
    int reach = (int)ceil(1.1 * radius) + 2, wanted = mouth->sites.count;
    size_t capacity = (size_t)(2 * reach + 1) * (size_t)(2 * reach + 1), bytes = capacity * sizeof(Place);
    Place *places = wbAlloc(world->memory, 2 * bytes);
    if (!places) return wbMemoryError(world->memory, "an emitter of %d places needs", wanted);
    double spread[2] = {0, 0};
    for (int shifted = 0; shifted < 2; shifted++) {
        Place *from = places + (size_t)shifted * capacity;
        int found = listPlaces(from, (int)capacity, reach, params->lattice, spacing, shifted);
        WB_ASSERT(found >= wanted, "a disc has more places than were listed");
        for (int k = 0; k < wanted; k++) spread[shifted] += (double)from[k].ring;
    }
    const Place *best = places + (spread[1] < spread[0] ? capacity : 0);
    for (int k = 0; k < wanted; k++) setPlace(mouth, k, best[k].u, best[k].v);
    wbFree(world->memory, places, 2 * bytes);
    return wb_okStatus;
}

static wbStatus fillBlock(const wbWorld *world, const wbParticleFluid *liquid, const wbEmitterParams *params,
                          wbMouth *mouth) {
    const float min[3] = {params->min.x, params->min.y, params->min.z};
    const float max[3] = {params->max.x, params->max.y, params->max.z};
    double spacing = liquid->spacing, n[3] = {1, 1, 1};
    for (int a = 0; a < world->params.dimensions; a++) {
        float low;
        n[a] = wbLayAxis(world, liquid, a, min[a], max[a], &low);
        if (!(n[a] >= 1))
            return wbError(wb_errorInput, "is thinner than half of %s.spacing: min is %g and max %g in %c",
                           liquid->solver->kind->info.name, min[a], max[a], "xyz"[a]);
        mouth->sites.origin[a] = low + 0.5f * (float)spacing;
    }
    WB_TRY(reserve(world, mouth, n[1] * n[2]));
    if (n[0] * n[1] * n[2] > MAX_PLACES)
        return wbError(wb_errorInput, "holds %.3g particles, at most %d are allowed: is it too large?",
                       n[0] * n[1] * n[2], MAX_PLACES);
    for (int k = 0; k < mouth->sites.count; k++)
        setPlace(mouth, k, fmod(k, n[1]) * spacing, floor(k / n[1]) * spacing);
    mouth->sites.layers = (int)n[0];
    return wb_okStatus;
}

// Unit vectors along the flow and across it.
static void setFrame(const wbWorld *world, wbVec3 direction, FlowSites *sites) {
    double d[3] = {direction.x, direction.y, world->params.dimensions == 2 ? 0 : direction.z};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int a = 0; a < 3; a++) d[a] /= length, sites->axis[a] = (float)d[a];
    // across: in the plane z = 0, where the flow is not along z
    double flat = sqrt(d[0] * d[0] + d[1] * d[1]);
    double u[3] = {flat > 1e-3 ? -d[1] / flat : 1, flat > 1e-3 ? d[0] / flat : 0, 0};
    double along = u[0] * d[0] + u[1] * d[1];
    double rest = sqrt(1 - along * along);
    for (int a = 0; a < 3; a++) u[a] = (u[a] - along * d[a]) / rest, sites->side[0][a] = (float)u[a];
    sites->side[1][0] = (float)(d[1] * u[2] - d[2] * u[1]);
    sites->side[1][1] = (float)(d[2] * u[0] - d[0] * u[2]);
    sites->side[1][2] = (float)(d[0] * u[1] - d[1] * u[0]);
}

static wbStatus checkCorner(const wbWorld *world, const wbParticleFluid *liquid, const float p[3]) {
    const wbDomain *domain = &world->domain;
    for (int a = 0; a < world->params.dimensions; a++) {
        if ((domain->closed[2 * a] && p[a] < domain->min[a]) ||
            (domain->closed[2 * a + 1] && p[a] > domain->max[a]))
            return wbError(wb_errorInput, "reaches to %c = %g, beyond the closed sides %g to %g", "xyz"[a],
                           p[a], domain -> min[a], domain -> max[a]);
        float step = nextafterf(fabsf(p[a]), INFINITY) - fabsf(p[a]);
        if (step > 0.125f * liquid->spacing)
            return wbError(
                wb_errorInput,
                "reaches to %c = %g m, where positions are rounded to %.2g m: too coarse for %s.spacing",
                "xyz"[a], p[a], step, liquid -> solver -> kind -> info.name);
    }
    return wb_okStatus;
}

static wbStatus checkPlaces(const wbWorld *world, const wbParticleFluid *liquid, const wbMouth *mouth) {
    const FlowSites *sites = &mouth->sites;
    const float *u = mouth->u.data, *v = mouth->v.data;
    for (int end = 0; end < 2; end++) {
        float along = end ? sites->gap * (float)(sites->layers - 1) : 0;
        for (int k = 0; k < sites->count; k++) {
            float p[3];
            for (int a = 0; a < 3; a++)
                p[a] = sites->origin[a] + along * sites->axis[a] + u[k] * sites->side[0][a] +
                       v[k] * sites->side[1][a];
            WB_TRY(checkCorner(world, liquid, p));
        }
    }
    return wb_okStatus;
}

static wbStatus build(const wbWorld *world, const wbParticleFluid *liquid, const wbEmitterParams *params,
                      wbMouth *mouth) {
    FlowSites *sites = &mouth->sites;
    const float spacing = liquid->spacing;
    sites->gap = spacing, sites->clearance = 0.5f * spacing, sites->layers = 1;
    bool isFlat = world->params.dimensions == 2;
    if (params->direction.x == 0 && params->direction.y == 0 && (isFlat || params->direction.z == 0))
        return wbError(wb_errorInput, "has no direction: one number of it must not be 0");
    if (params->kind == wb_emitterBlock) {
        setFrame(world, (wbVec3){1, 0, 0}, sites);
        WB_TRY(fillBlock(world, liquid, params, mouth));
    } else {
        const float centre[3] = {params->position.x, params->position.y, isFlat ? 0 : params->position.z};
        setFrame(world, params->direction, sites);
        // what comes out is a slab as thick as the spacing: its middle is half of that before the mouth
        for (int a = 0; a < 3; a++) sites->origin[a] = centre[a] + 0.5f * spacing * sites->axis[a];
        if (isFlat)
            WB_TRY(fillLine(world, liquid, params->radius, mouth));
        else
            WB_TRY(fillDisc(world, liquid, params, mouth));
    }
    return checkPlaces(world, liquid, mouth);
}

wbStatus wbMouth_Build(const wbWorld *world, const wbParticleFluid *liquid, const char *name,
                       const wbEmitterParams *params, wbMouth *mouth) {
    *mouth = (wbMouth){0};
    wbStatus status = build(world, liquid, params, mouth);
    if (wbIsOk(status)) return status;
    wbMouth_Free(world, mouth);
    return status.code == wb_errorInput ? wbError(status.code, "emitter \"%s\" %s", name, status.text)
                                        : status;
}

void wbMouth_Free(const wbWorld *world, wbMouth *mouth) {
    wbArray_Free(world->memory, &mouth->u);
    wbArray_Free(world->memory, &mouth->v);
}
