// SPDX-License-Identifier: MIT
// The walls of soft bodies are the sides of the domain, which can be moved while it runs: "domain.min" and "domain.max"
// say where they shall go, and they go there no faster than pbd.sideSpeed, so that they push.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "world/soft.h"

_Static_assert(offsetof(wbDomainDef, min) == offsetof(wbDomainParams, min) &&
                   offsetof(wbDomainDef, max) == offsetof(wbDomainParams, max),
               "a table for both");

void wbPlaceSides(wbWorld *world) {
    const wbDomainDef *domain = &world->domain;
    wbSoft *soft = world->soft;
    wbPbdSides *walls = &soft->pbd.walls;
    soft->sideMin = domain->min, soft->sideMax = domain->max;
    *walls = (wbPbdSides){0};
    memcpy(walls->min, &domain->min, sizeof walls->min);
    memcpy(walls->max, &domain->max, sizeof walls->max);
    for (int side = 0; side < wb_sideCount; side++) {
        walls->closed[side] = domain->sides[side].type != wb_sideOpen;
        memcpy(walls->velocity[side], &domain->sides[side].velocity, sizeof walls->velocity[side]);
        walls->velocity[side][side / 2] = 0; // sides of a domain slide along themselves
    }
}

wbStatus wbCheckRadius(const wbWorld *world, float radius) {
    const wbPbdSides *walls = &world->soft->pbd.walls;
    for (int a = 0; a < 3; a++) {
        float width = walls->max[a] - walls->min[a];
        if (walls->closed[2 * a] && walls->closed[2 * a + 1] && 2 * radius > width)
            return wbError(wb_errorInput,
                           "pbd.radius is %g m, but the domain is %g m wide along %c: make it at most half "
                           "of that, or the domain wider",
                           radius, width, "xyz"[a]);
    }
    return wb_okStatus;
}

void wbDriveSides(wbWorld *world, float dt) {
    wbSoft *soft = world->soft;
    wbPbdSides *walls = &soft->pbd.walls;
    float most = soft->model.params.sideSpeed;
    for (int a = 0; a < 3; a++) {
        float low = ((&soft->sideMin.x)[a] - walls->min[a]) / dt,
              high = ((&soft->sideMax.x)[a] - walls->max[a]) / dt;
        walls->velocity[2 * a][a] = fmaxf(-most, fminf(low, most));
        walls->velocity[2 * a + 1][a] = fmaxf(-most, fminf(high, most));
    }
}

// Sums of sub-steps miss the end of the way by a rounding.
static float settle(float at, float end) { return fabsf(at - end) <= 1e-6f * fabsf(end) + 1e-9f ? end : at; }

static bool isMoving(const wbPbdSides *walls) {
    for (int side = 0; side < wb_sideCount; side++)
        if (walls->velocity[side][side / 2] != 0) return true;
    return false;
}

wbStatus wbFollowSides(wbWorld *world) {
    wbSoft *soft = world->soft;
    wbPbdSides *walls = &soft->pbd.walls;
    if (!isMoving(walls)) return wb_okStatus;
    for (int a = 0; a < 3; a++) {
        walls->min[a] = settle(walls->min[a], (&soft->sideMin.x)[a]);
        walls->max[a] = settle(walls->max[a], (&soft->sideMax.x)[a]);
        walls->velocity[2 * a][a] = walls->velocity[2 * a + 1][a] = 0;
    }
    memcpy(&world->domain.min, walls->min, sizeof walls->min);
    memcpy(&world->domain.max, walls->max, sizeof walls->max);
    return wbSphModel_Init(&world->sphModel, &world->sphModel.params, &world->domain, world->params.gravity,
                           world->params.dimensions);
}

// An open side is no wall: it would not go where it is told to.
static wbStatus checkOpenSides(const wbSoft *soft, const wbParam *param, const wbDomainParams *wanted) {
    static const char *const names[wb_sideCount] = {"left", "right", "bottom", "top", "back", "front"};
    for (int side = 0; side < wb_sideCount; side++) {
        int a = side / 2;
        bool isMoved = side % 2 ? (&wanted->max.x)[a] != (&soft->sideMax.x)[a]
                                : (&wanted->min.x)[a] != (&soft->sideMin.x)[a];
        if (isMoved && !soft->pbd.walls.closed[side])
            return wbError(wb_errorInput,
                           "domain.%s: the %s side is open, so that there is no wall to move: leave %c as it "
                           "is, or close the side in the scene",
                           param->name, names[side], "xyz"[a]);
    }
    return wb_okStatus;
}

static wbStatus setWalls(wbWorld *world, const wbParam *param, const char *value) {
    wbSoft *soft = world->soft;
    wbDomainParams wanted = {soft->sideMin, soft->sideMax};
    wbStatus status = wbParam_SetText(param, &wanted, value);
    if (!wbIsOk(status)) return wbError(status.code, "domain.%s", status.text);
    if (wbWorld_GetFluidCount(world) > 0 || world->air)
        return wbError(wb_errorInput,
                       "domain.%s: walls around fluids and smoke stand still; only soft bodies can follow",
                       param->name);
    for (int a = 0; a < world->params.dimensions; a++)
        if (!((&wanted.min.x)[a] < (&wanted.max.x)[a]))
            return wbError(wb_errorInput, "domain.%s: min %g must be less than max %g along %c", param->name,
                           (&wanted.min.x)[a], (&wanted.max.x)[a], "xyz"[a]);
    WB_TRY(checkOpenSides(soft, param, &wanted));
    soft->sideMin = wanted.min, soft->sideMax = wanted.max;
    return wb_okStatus;
}

bool wbIsSoftTable(const wbParamTable *table) {
    return strcmp(table->section, "pbd") == 0 || strcmp(table->section, "domain") == 0;
}

wbStatus wbSetSoftParam(wbWorld *world, const wbParamTable *table, const wbParam *param, const char *value) {
    if (strcmp(table->section, "domain") == 0) return setWalls(world, param, value);
    wbPbdParams params = world->soft->model.params;
    wbStatus status = wbParam_SetText(param, &params, value);
    if (!wbIsOk(status)) return wbError(status.code, "pbd.%s", status.text);
    if (params.radius > world->soft->model.params.radius && world->soft->ids.indexCount > 0)
        WB_TRY(wbCheckRadius(world, params.radius));
    if (memcmp(&params, &world->soft->model.params, sizeof params) != 0) wbCloseSoftAccount(world);
    world->soft->model.params = params;
    return wb_okStatus;
}

wbStatus wbGetSoftParam(const wbWorld *world, const wbParamTable *table, const wbParam *param, char *value,
                        int size) {
    const wbDomainParams wanted = {world->soft->sideMin, world->soft->sideMax};
    bool isDomain = strcmp(table->section, "domain") == 0;
    return wbParam_GetText(param, isDomain ? (const void *)&wanted : &world->soft->model.params, value, size);
}
