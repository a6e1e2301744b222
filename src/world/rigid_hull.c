// SPDX-License-Identifier: MIT
// Rigid bodies with walls that are thinner than the kernels of liquids: which are, and what liquids feel of all that is thin.
#include <math.h>

#include "core/log.h"
#include "core/status.h"
#include "coupling/hull_surface.h"
#include "world/coupling.h"
#include "world/rigid.h"

// What of a body's surface has to be thin.
static const float thinEnough = 0.5f;

static bool feels(const wbParticleFluid *liquid) {
    return liquid->method->feelsSheets && liquid->method->feelsSheets(liquid);
}

// The first one that does not feel hulls; NULL: all do.
static const wbParticleFluid *findDeaf(const wbWorld *world) {
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (!feels(l)) return l;
    return NULL;
}

static float findReach(const wbWorld *world) {
    float reach = 0;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        reach = fmaxf(reach, l->h);
    return reach;
}

static void tellOfDeaf(const wbWorld *world, const char *name, const wbParticleFluid *deaf) {
    wbCoupling *coupling = wbGetCoupling(world);
    if (coupling->isDeafHullTold) return;
    wbLog(
        wb_logWarning,
        "the walls of body \"%s\" are thinner than the fluids of %s reach: they feel each other through it, "
        "and so may others; take pbf.adaptive.method levels or off, a smaller spacing, or hull solid",
        name, deaf->solver->kind->info.name);
    coupling->isDeafHullTold = true;
}

wbStatus wbIsThinBody(wbWorld *world, int index, const wbShape *shape, bool *isThin) {
    const wbRigidBody *body = wbGetRigidBodyAt(world, index);
    wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), body->form);
    const wbParticleFluid *deaf = findDeaf(world);
    *isThin = false;
    if (!shape || body->params.hull == wb_hullSolid || world->params.dimensions == 2) return wb_okStatus;
    WB_TRY(wbHullSurface_Look(&form->hull, world->memory, &form->mesh, shape, findReach(world)));
    *isThin = body->params.hull == wb_hullThin || (form->hull.isWide && form->hull.thinShare >= thinEnough);
    if (*isThin && deaf) tellOfDeaf(world, body->name, deaf), *isThin = false;
    return wb_okStatus;
}

static wbStatus addHull(wbWorld *world, wbWetHulls *hulls, int index) {
    const wbRigidForm *form = wbGetRigidForm(wbGetRigidBodies(world), wbGetRigidBodyAt(world, index)->form);
    return wbWetHulls_Add(hulls, world->memory,
                          &(wbWetHull){.body = index,
                                       .mesh = &form->mesh,
                                       .faces = wbHullSurface_GetFaces(&form->hull),
                                       .key = form->recipe.hash});
}

wbStatus wbListHulls(wbWorld *world) {
    wbCoupling *coupling = wbGetCoupling(world);
    wbWetHulls *hulls = &coupling->hulls;
    wbWetHulls_Clear(hulls);
    for (int i = 0; i < coupling->wet.count; i++) {
        const wbWetBody *body = wbWetBodies_Get(&coupling->wet, i);
        if (body->isThin && !body->isOff) WB_TRY(addHull(world, hulls, i));
    }
    hulls->responds = world->def.coupling.response;
    if (hulls->count == 0) return wb_okStatus;
    return wbLeaveDevices(world, "thin walls of rigid bodies (hull solid: they are felt by points)");
}

bool wbHasHulls(const wbWorld *world) {
    return wbGetCoupling(world) && wbGetCoupling(world)->hulls.count > 0;
}

// As of sheets: half of a kernel's reach.
float wbGetHullStep(const wbWorld *world) {
    const float speed = wbWetHulls_GetTopSpeed(&wbGetCoupling(world)->hulls);
    float least = INFINITY;
    for (const wbParticleFluid *l = wbGetNextLiquid(world, NULL); l && speed > 0;
         l = wbGetNextLiquid(world, l))
        least = fminf(least, l->h / (2 * speed));
    return least;
}

// All sheets

const wbFluidSheets *wbGetFluidSheets(const wbParticleFluid *liquid) {
    const wbCoupling *coupling = wbGetCoupling(liquid->world);
    const bool isOpen = coupling && feels(liquid) && (coupling->soft.step || coupling->hulls.count > 0);
    return isOpen && coupling->thin.sheets.elementCount > 0 ? &coupling->sheets : NULL;
}

void wbSettleSheets(wbWorld *world) {
    wbCoupling *coupling = wbGetCoupling(world);
    wbWetSheets *thin = &coupling->thin;
    coupling->lost += (int)thin->sheets.counts.lost, thin->sheets.counts.lost = 0;
    for (wbParticleFluid *l = wbGetNextLiquid(world, NULL); l; l = wbGetNextLiquid(world, l))
        if (feels(l) && isfinite(thin->work))
            l->account.given += l->method->workFactor * thin->work / l->mass;
    thin->work = 0;
}
