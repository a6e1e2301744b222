// SPDX-License-Identifier: MIT
#include "space/domain.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

const char *const wb_domainSideNames[wb_sideCount] = {"left", "right", "bottom", "top", "back", "front"};

// K, of a side, either way: as parameters with temperatures have it.
#define WB_MOST_TEMPERATURE 1e6

static bool isFiniteVec3(wbVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool hasExtent(const wbDomainDef *def, int dimensions) {
    const float *low = &def->min.x, *high = &def->max.x;
    for (int a = 0; a < dimensions; a++)
        if (!(low[a] == high[a])) return true;
    return false;
}

wbStatus wbCheckDomain(const wbDomainDef *def, int dimensions) {
    bool isBox = hasExtent(def, dimensions);
    const float low[3] = {def->min.x, def->min.y, def->min.z};
    const float high[3] = {def->max.x, def->max.y, def->max.z};
    if (!(def->sideSpeed >= 0) || !isfinite(def->sideSpeed))
        return wbError(wb_errorInput,
                       "domain.sideSpeed is %g m/s, must be positive, or 0 (auto): what the solvers bear",
                       def->sideSpeed);
    for (int s = 0; s < 2 * dimensions; s++) {
        const wbSideDef *side = &def->sides[s];
        const char *name = wb_domainSideNames[s];
        if ((unsigned)side->type > wb_sideOpen)
            return wbError(wb_errorInput, "domain side %s has the unknown type %d", name, (int)side->type);
        if (!isFiniteVec3(side->velocity))
            return wbError(wb_errorInput, "the velocity of domain side %s is not finite", name);
        if (fabsf(side->temperature) > WB_MOST_TEMPERATURE)
            return wbError(
                wb_errorInput,
                "the temperature of domain side %s is %g K, allowed is -%g to %g, or NAN: it insulates", name,
                side->temperature, WB_MOST_TEMPERATURE, WB_MOST_TEMPERATURE);
        if (!isBox && side->type == wb_sideNoSlip)
            return wbError(
                wb_errorInput,
                "domain side %s is closed, but the box has no extent: set domain.min and domain.max", name);
        if (isBox && side->type != wb_sideOpen &&
            !(isfinite(low[s / 2]) && isfinite(high[s / 2]) && low[s / 2] < high[s / 2]))
            return wbError(wb_errorInput, "domain: min %g must be less than max %g along the axis of side %s",
                           low[s / 2], high[s / 2], name);
    }
    return wb_okStatus;
}

wbDomain wbMakeDomain(const wbDomainDef *def, wbVec3 gravity, int dimensions) {
    wbDomain domain = {.dimensions = dimensions, .sideSpeed = def->sideSpeed};
    const int sides = hasExtent(def, dimensions) ? 2 * dimensions : 0;
    wbDomain_SetGravity(&domain, gravity);
    memcpy(domain.min, &def->min, sizeof domain.min), memcpy(domain.max, &def->max, sizeof domain.max);
    memcpy(domain.madeMin, domain.min, sizeof domain.min);
    memcpy(domain.madeMax, domain.max, sizeof domain.max);
    memcpy(domain.targetMin, domain.min, sizeof domain.min);
    memcpy(domain.targetMax, domain.max, sizeof domain.max);
    for (int s = 0; s < wb_sideCount; s++) {
        domain.types[s] = wb_sideOpen, domain.temperature[s] = NAN;
        if (s >= sides) continue;
        const wbSideDef *side = &def->sides[s];
        const float along[3] = {side->velocity.x, side->velocity.y, side->velocity.z};
        domain.types[s] = side->type, domain.temperature[s] = side->temperature;
        domain.closed[s] = side->type != wb_sideOpen;
        for (int a = 0; a < dimensions; a++)
            if (a != s / 2) domain.velocity[s][a] = along[a];
    }
    return domain;
}

wbDomainDef wbDomain_GetDef(const wbDomain *domain) {
    wbDomainDef def = {.sideSpeed = domain->sideSpeed};
    memcpy(&def.min, domain->min, sizeof domain->min), memcpy(&def.max, domain->max, sizeof domain->max);
    for (int s = 0; s < wb_sideCount; s++) {
        const float *v = domain->velocity[s];
        const wbVec3 along = wbMakeVec3(s / 2 == 0 ? 0 : v[0], s / 2 == 1 ? 0 : v[1], s / 2 == 2 ? 0 : v[2]);
        def.sides[s] = (wbSideDef){domain->types[s], along, domain->temperature[s]};
    }
    return def;
}

void wbDomain_SetGravity(wbDomain *domain, wbVec3 gravity) {
    domain->gravity = gravity;
    if (domain->dimensions == 2) domain->gravity.z = 0;
}

static float limit(float speed, float most) { return fmaxf(-most, fminf(speed, most)); }

void wbDomain_Drive(wbDomain *domain, float dt, float speed) {
    for (int a = 0; a < 3; a++) {
        float low = (domain->targetMin[a] - domain->min[a]) / dt,
              high = (domain->targetMax[a] - domain->max[a]) / dt;
        domain->velocity[2 * a][a] = limit(low, speed);
        domain->velocity[2 * a + 1][a] = limit(high, speed);
    }
}

wbDomain wbDomain_At(const wbDomain *domain, float time) {
    wbDomain then = *domain;
    for (int a = 0; a < 3; a++) {
        if (then.closed[2 * a]) then.min[a] += time * then.velocity[2 * a][a];
        if (then.closed[2 * a + 1]) then.max[a] += time * then.velocity[2 * a + 1][a];
    }
    return then;
}

// A speed over dt, times dt, misses the end of the way by a rounding.
static float settle(float at, float end) { return fabsf(at - end) <= 1e-6f * fabsf(end) + 1e-9f ? end : at; }

void wbDomain_Advance(wbDomain *domain, float dt) {
    if (!wbDomain_IsMoving(domain)) return;
    *domain = wbDomain_At(domain, dt);
    for (int a = 0; a < 3; a++) {
        domain->min[a] = settle(domain->min[a], domain->targetMin[a]);
        domain->max[a] = settle(domain->max[a], domain->targetMax[a]);
        domain->velocity[2 * a][a] = domain->velocity[2 * a + 1][a] = 0;
    }
}

bool wbDomain_IsMoving(const wbDomain *domain) {
    for (int s = 0; s < wb_sideCount; s++)
        if (domain->velocity[s][s / 2] != 0) return true;
    return false;
}

bool wbDomain_IsOnTheWay(const wbDomain *domain) {
    for (int a = 0; a < 3; a++)
        if (domain->min[a] != domain->targetMin[a] || domain->max[a] != domain->targetMax[a]) return true;
    return false;
}

static double getTopSpeed(const wbDomain *domain, bool isAlong) {
    double most = 0;
    for (int s = 0; s < wb_sideCount; s++) {
        double speed2 = 0;
        for (int a = 0; a < 3; a++)
            if (a != s / 2 || !isAlong) speed2 += (double)domain->velocity[s][a] * domain->velocity[s][a];
        most = fmax(most, speed2);
    }
    return sqrt(most);
}

double wbDomain_GetTopSpeed(const wbDomain *domain) { return getTopSpeed(domain, false); }
double wbDomain_GetDragSpeed(const wbDomain *domain) { return getTopSpeed(domain, true); }

bool wbDomain_IsBeyond(const wbDomain *domain, const float p[3], float hair) {
    for (int s = 0; s < wb_sideCount; s++) {
        float end = wbDomain_GetEnd(domain, s), at = p[s / 2];
        if (domain->closed[s] && (s % 2 ? at > end + hair : at < end - hair)) return true;
    }
    return false;
}

int wbDomain_FindNarrow(const wbDomain *domain, float width, float *least) {
    for (int a = 0; a < 3; a++) {
        if (!domain->closed[2 * a] || !domain->closed[2 * a + 1]) continue;
        *least = fminf(domain->max[a] - domain->min[a], domain->targetMax[a] - domain->targetMin[a]);
        if (*least < width) return a;
    }
    return -1;
}
