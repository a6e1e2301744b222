// SPDX-License-Identifier: MIT
// Probes as objects: creation, parameters, and what each kind of them measures.
#include "world/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/param_table.h"
#include "core/status.h"

#define WB_PARAM_STRUCT wbProbeParams
static const wbParam rows[] = {WB_PARAM_ROWS(WB_PROBE_PARAMS)};
#undef WB_PARAM_STRUCT
const wbParamTable wb_probeTable =
    WB_PARAM_TABLE("probe", "what measures; set by its name", wbProbeParams, rows);

wbProbeDef wbDefaultProbeDef(void) {
    wbProbeDef def = {.name = "probe", .cookie = WB_PROBE_COOKIE};
    wbSetParamDefaults(&wb_probeTable, &def.params);
    return def;
}

const wbProbeParams *wbProbe_GetParams(const wbWorld *world, wbProbeId id) {
    return &wbGetProbeAt(world, wbGetProbeIndex(world, id))->params;
}

static bool isOfAir(const wbProbeParams *params) {
    return params->kind == wb_probeTemperature || params->medium == wb_probeAir;
}

static wbStatus checkKind(const wbWorld *world, const wbProbe *probe) {
    const wbProbeParams *p = &probe->params;
    const bool isForce = p->kind == wb_probeForce, hasCollider = !wbColliderId_IsNull(probe->collider);
    if (p->medium == wb_probeAir && (isForce || p->kind == wb_probeLevel || p->kind == wb_probeFlow))
        return wbError(wb_errorInput, "its kind measures in liquids, its medium is air");
    if (isOfAir(p) && wbWorld_GetCellCount(world) == 0)
        return wbError(wb_errorInput, "it measures in air, and the world has none");
    if (isForce != hasCollider)
        return wbError(wb_errorInput, isForce ? "a probe of force needs a collider"
                                              : "a collider is for probes of kind force");
    if (!wbFluidId_IsNull(probe->fluid) && (isForce || isOfAir(p)))
        return wbError(wb_errorInput, "a fluid is for probes in liquids");
    if (world->params.dimensions == 2 && (p->rotation.x != 0 || p->rotation.y != 0))
        return wbError(wb_errorInput, "in 2D it turns about z only, its rotation is %g,%g,%g",
                       (double)p->rotation.x, (double)p->rotation.y, (double)p->rotation.z);
    return wb_okStatus;
}

static wbStatus check(const wbWorld *world, const wbProbe *probe) {
    WB_TRY(wbCheckParamsOf(probe->name, &wb_probeTable, &probe->params));
    wbStatus status = checkKind(world, probe);
    return wbIsOk(status) ? status : wbError(status.code, "probe \"%s\": %s", probe->name, status.text);
}

static const char *getName(const wbWorld *world, int index) { return wbGetProbeAt(world, index)->name; }
static const void *getParams(const wbWorld *world, int index) { return &wbGetProbeAt(world, index)->params; }

static wbStatus setParams(wbWorld *world, int index, const void *params) {
    wbProbe probe = *wbGetProbeAt(world, index);
    memcpy(&probe.params, params, sizeof probe.params);
    WB_TRY(check(world, &probe));
    *wbGetProbeAt(world, index) = probe;
    return wb_okStatus;
}

const wbObjectKind wb_probeKind = {
    &wb_probeTable, "probe", offsetof(wbWorld, probeIds), getName, getParams, setParams, NULL, NULL};

wbStatus wbAddProbe(wbWorld *world, const wbProbe *probe, uint32_t index1) {
    const int count = world->probeIds.indexCount;
    if (count >= WB_MAX_PROBES) return wbError(wb_errorInput, "a world has at most %d probes", WB_MAX_PROBES);
    WB_TRY(wbCheckPlainName(world, "probe", probe->name));
    if (index1 == 0) WB_TRY(check(world, probe)); // a saved one gets its parameters later
    world->probes.elementSize = sizeof(wbProbe);
    if (!wbArray_Reserve(world->memory, &world->probes, count + 1))
        return wbMemoryError(world->memory, "a probe needs");
    WB_TRY(wbTakeObjectId(world, &wb_probeKind, index1));
    *wbGetProbeAt(world, count) = *probe;
    return wb_okStatus;
}

wbStatus wbCreateProbe(wbWorld *world, const wbProbeDef *def, wbProbeId *id) {
    WB_REQUIRE(world);
    WB_REQUIRE(id);
    WB_ASSERT(def && def->cookie == WB_PROBE_COOKIE, "make the def with wbDefaultProbeDef");
    WB_ASSERT(wbFluidId_IsNull(def->fluid) || wbFluid_IsValid(world, def->fluid), "this fluid id is stale");
    WB_ASSERT(wbColliderId_IsNull(def->collider) || wbCollider_IsValid(world, def->collider),
              "this collider id is stale");
    wbProbe probe = {.fluid = def->fluid, .collider = def->collider, .params = def->params};
    WB_TRY(wbCheckPlainName(world, "probe", def->name));
    snprintf(probe.name, sizeof probe.name, "%s", def->name);
    WB_TRY(wbAddProbe(world, &probe, 0));
    *id = wbWorld_GetProbe(world, world->probeIds.indexCount - 1);
    return wb_okStatus;
}

void wbDestroyProbe(wbWorld *world, wbProbeId id) {
    const int index = wbGetProbeIndex(world, id);
    wbDropObject(world, &wb_probeKind, &world->probes, index);
}

void wbFreeProbes(wbWorld *world) { wbArray_Free(world->memory, &world->probes); }

// Names and units of what each kind measures.
typedef struct Row {
    wbProbeKind kind;
    const char *name, *unit;
} Row;
static const Row valueRows[] = {
    {wb_probePressure, "pressure", "Pa"},    {wb_probeVelocity, "velocity_x", "m/s"},
    {wb_probeVelocity, "velocity_y", "m/s"}, {wb_probeVelocity, "velocity_z", "m/s"},
    {wb_probeDensity, "density", "kg/m3"},   {wb_probeTemperature, "temperature", "K"},
    {wb_probeLevel, "level", "m"},           {wb_probeFlow, "flow", "m3/s"},
    {wb_probeFlow, "mass_flow", "kg/s"},     {wb_probeForce, "force_x", "N"},
    {wb_probeForce, "force_y", "N"},         {wb_probeForce, "force_z", "N"},
    {wb_probeForce, "torque_x", "N m"},      {wb_probeForce, "torque_y", "N m"},
    {wb_probeForce, "torque_z", "N m"},
};

static void nameValues(const wbWorld *world, const wbProbeParams *params, wbProbeValues *values) {
    *values = (wbProbeValues){.count = 0};
    for (size_t r = 0; r < sizeof valueRows / sizeof valueRows[0]; r++) {
        const Row *row = &valueRows[r];
        if (row->kind != params->kind) continue;
        values->values[values->count].name = row->name;
        values->values[values->count].unit = row->unit;
        values->values[values->count++].value = NAN;
    }
    if (params->kind == wb_probeDensity && isOfAir(params)) values->values[0].unit = "";
    if (params->kind == wb_probeFlow && world->params.dimensions == 2)
        values->values[0].unit = "m2/s", values->values[1].unit = "kg/m/s";
}

// Without liquid there is no velocity, but a gauge shows no pressure, and nothing has no density.
static wbStatus measurePoint(wbWorld *world, int fluid, const wbProbeParams *params, double *v) {
    static const wbLiquidField fields[] = {[wb_probePressure] = wb_liquidPressure,
                                           [wb_probeVelocity] = wb_liquidVelocity,
                                           [wb_probeDensity] = wb_liquidDensity};
    bool isThere;
    WB_TRY(wbSampleLiquid(world, fluid, params->position, fields[params->kind], &isThere, v));
    for (int a = 0; a < 3 && !isThere; a++) v[a] = params->kind == wb_probeVelocity ? NAN : 0;
    return wb_okStatus;
}

static wbStatus measureForce(const wbWorld *world, const wbProbe *probe, double *v) {
    if (!wbCollider_IsValid(world, probe->collider)) return wb_okStatus;
    const wbColliderStats stats = wbCollider_GetStats(world, probe->collider);
    memcpy(v, stats.force, sizeof stats.force);
    memcpy(v + 3, stats.torque, sizeof stats.torque);
    return wb_okStatus;
}

static wbStatus measure(wbWorld *world, const wbProbe *probe, double v[WB_MAX_PROBE_VALUES]) {
    const wbProbeParams *params = &probe->params;
    int fluid = -1;
    if (params->kind == wb_probeForce) return measureForce(world, probe, v);
    if (isOfAir(params)) return wbSampleAir(world, params->position, params->kind, v);
    if (!wbFluidId_IsNull(probe->fluid)) {
        if (!wbFluid_IsValid(world, probe->fluid)) return wb_okStatus;
        fluid = wbGetFluidIndex(world, probe->fluid);
    }
    if (params->kind == wb_probeLevel) return wbFindLevel(world, fluid, params, &v[0]);
    if (params->kind == wb_probeFlow) return wbSumFlow(world, fluid, params, &v[0], &v[1]);
    return measurePoint(world, fluid, params, v);
}

wbStatus wbProbe_GetValues(wbWorld *world, wbProbeId id, wbProbeValues *values) {
    WB_REQUIRE(world);
    WB_REQUIRE(values);
    const wbProbe *probe = wbGetProbeAt(world, wbGetProbeIndex(world, id));
    double v[WB_MAX_PROBE_VALUES] = {NAN, NAN, NAN, NAN, NAN, NAN};
    nameValues(world, &probe->params, values);
    WB_TRY(measure(world, probe, v));
    for (int i = 0; i < values->count; i++) values->values[i].value = v[i];
    return wb_okStatus;
}
