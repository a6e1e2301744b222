// SPDX-License-Identifier: MIT
// The domain's parameters while a world runs: "domain.min" and "domain.max" say where its sides shall go, and they go there
// no faster than domain.sideSpeed, so that they push.
#include <string.h>

#include "core/status.h"
#include "world/world.h"

_Static_assert(offsetof(wbDomainDef, min) == offsetof(wbDomainParams, min) &&
                   offsetof(wbDomainDef, max) == offsetof(wbDomainParams, max) &&
                   offsetof(wbDomainDef, sideSpeed) == offsetof(wbDomainParams, sideSpeed),
               "a table for both");

static wbDomainParams getParams(const wbDomain *domain) {
    wbDomainParams params = {.sideSpeed = domain->sideSpeed};
    memcpy(&params.min, domain->targetMin, sizeof domain->targetMin);
    memcpy(&params.max, domain->targetMax, sizeof domain->targetMax);
    return params;
}

// An open side is no wall: it would not go where it is told to.
static wbStatus checkOpenSides(const wbDomain *domain, const wbParam *param, const wbDomainParams *wanted) {
    for (int side = 0; side < wb_sideCount; side++) {
        int a = side / 2;
        bool isMoved = side % 2 ? (&wanted->max.x)[a] != domain->targetMax[a]
                                : (&wanted->min.x)[a] != domain->targetMin[a];
        if (isMoved && !domain->closed[side])
            return wbError(wb_errorInput,
                           "domain.%s: the %s side is open, so that there is no wall to move: leave %c as it "
                           "is, or close the side in the scene",
                           param->name, wb_domainSideNames[side], "xyz"[a]);
    }
    return wb_okStatus;
}

wbStatus wbSetDomainParam(wbWorld *world, const wbParam *param, const char *value) {
    wbDomain *domain = &world->domain;
    wbDomainParams wanted = getParams(domain);
    wbStatus status = wbParam_SetText(param, &wanted, value);
    if (!wbIsOk(status)) return wbError(status.code, "domain.%s", status.text);
    bool isSpeed = param->type != wb_paramVec3;
    if (!isSpeed && (wbWorld_GetFluidCount(world) > 0 || wbWorld_GetCellCount(world) > 0))
        return wbError(wb_errorInput,
                       "domain.%s: walls around fluids and air stand still; only soft bodies can follow",
                       param->name);
    for (int a = 0; a < domain->dimensions && !isSpeed; a++)
        if (!((&wanted.min.x)[a] < (&wanted.max.x)[a]))
            return wbError(wb_errorInput, "domain.%s: min %g must be less than max %g along %c", param->name,
                           (&wanted.min.x)[a], (&wanted.max.x)[a], "xyz"[a]);
    WB_TRY(checkOpenSides(domain, param, &wanted));
    memcpy(domain->targetMin, &wanted.min, sizeof domain->targetMin);
    memcpy(domain->targetMax, &wanted.max, sizeof domain->targetMax);
    domain->sideSpeed = wanted.sideSpeed;
    return wb_okStatus;
}

wbStatus wbGetDomainParam(const wbWorld *world, const wbParam *param, char *value, int size) {
    const wbDomainParams params = getParams(&world->domain);
    return wbParam_GetText(param, &params, value, size);
}
