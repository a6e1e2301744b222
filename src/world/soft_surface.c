// SPDX-License-Identifier: MIT
// Soft bodies whose surfaces touch themselves and each other.
#include "core/log.h"
#include "core/status.h"
#include "world/soft.h"

static bool isChain(wbSoftBodyShape shape) { return shape == wb_softBodyRope || shape == wb_softBodyStick; }

static bool touches(const wbSoftBody *body) {
    return body->params.selfContact && (body->triangleCount > 0 || isChain(body->params.shape));
}

bool wbIsSoftTouching(const wbWorld *world) {
    if (!wbGetSoft(world)) return false;
    for (int i = 0; i < world->softBodyIds.indexCount; i++)
        if (touches(wbGetSoftBodyAt(world, i))) return true;
    return false;
}

wbStatus wbCheckSelfContact(const wbSoftBodyParams *params) {
    const bool hasSurface = params->shape == wb_softBodyCloth || params->shape == wb_softBodyMeshSurface ||
                            isChain(params->shape);
    if (!params->selfContact) return wb_okStatus;
    if (!hasSurface)
        return wbError(
            wb_errorInput,
            "selfContact is for cloth, meshSurface, stick and rope; others keep pbd.radius from each other");
    if (!(params->thickness > 0))
        return wbError(wb_errorInput, "selfContact needs a thickness above 0: it is what layers keep apart");
    return wb_okStatus;
}

static double getRestGap(const wbPbd *pbd, int i, int j) {
    double sum = 0;
    for (int a = 0; a < 3; a++)
        sum += ((double)pbd->restPlace[a][i] - pbd->restPlace[a][j]) *
               ((double)pbd->restPlace[a][i] - pbd->restPlace[a][j]);
    return sqrt(sum);
}

// m, the mean length of edges; 0 without any.
static double getEdge(const wbSoft *soft, const wbSoftBody *body) {
    const int *triangles = wbSoft_GetTriangles(soft, body->firstTriangle);
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 3 * body->triangleCount; k++, count++)
        sum += getRestGap(&soft->pbd, triangles[k], triangles[k % 3 < 2 ? k + 1 : k - 2]);
    for (int k = 1; k < body->particles.count && body->triangleCount == 0; k++, count++)
        sum += getRestGap(&soft->pbd, body->particles.first + k - 1, body->particles.first + k);
    return count > 0 ? sum / count : 0;
}

wbStatus wbCheckThickness(const wbWorld *world, const wbSoftBody *body, const wbSoftBodyParams *params) {
    enum { MOST = 3 };
    const double edge = getEdge(wbGetSoft(world), body);
    if (!params->selfContact || (double)params->thickness <= MOST * edge) return wb_okStatus;
    return wbError(wb_errorInput,
                   "thickness is %g m, but edges are %g m long on average: with selfContact it is at most %d "
                   "times as much",
                   (double)params->thickness, edge, MOST);
}

// What does not touch itself is felt as balls, as others are, if it has a radius.
static wbPbdSkin makeSkin(const wbWorld *world, int index) {
    const wbSoft *soft = wbGetSoft(world);
    const wbSoftBody *body = wbGetSoftBodyAt(world, index);
    wbPbdSkin skin = {.first = body->particles.first, .count = body->particles.count};
    skin.half = touches(body) ? 0.5f * body->params.thickness : soft->model.params.radius;
    if (!touches(body)) return skin;
    skin.isChain = body->triangleCount == 0;
    skin.triangleCount = body->triangleCount;
    if (skin.triangleCount > 0) skin.triangles = wbSoft_GetTriangles(soft, body->firstTriangle);
    return skin;
}

static void tellOfCores(const wbSolver *solver) {
    wbSoft *soft = solver->self;
    if (!solver->device || soft->surface.areCoresTold) return;
    wbLog(wb_logWarning, "soft bodies are computed on the cores: the device does not compute how they touch "
                         "themselves (softBody.selfContact)");
    soft->surface.areCoresTold = true;
}

wbStatus wbBeginSoftSurface(wbSolver *solver, wbPbdSurface **surface) {
    wbWorld *world = solver->world;
    wbSoft *soft = solver->self;
    const int count = world->softBodyIds.indexCount;
    *surface = NULL;
    if (!wbIsSoftTouching(world)) return wb_okStatus;
    tellOfCores(solver);
    const size_t mark = wbArena_Mark(world->work.arena);
    wbPbdSkin *skins = wbArena_Alloc(world->work.arena, sizeof *skins * (size_t)count);
    if (!skins) return wbMemoryError(world->memory, "contacts of %d soft bodies need", count);
    for (int i = 0; i < count; i++) skins[i] = makeSkin(world, i);
    const wbStatus status = wbPbdSurface_List(&soft->surface.pairs, &world->work, &soft->pbd, skins, count);
    wbArena_Release(world->work.arena, mark);
    // fluids cut the step alone
    soft->surface.pairs.most = solver->planned * (wbAreSoftWet(world) ? 1 : soft->model.params.subSteps);
    if (wbIsOk(status) && soft->surface.pairs.elementCount > 0) *surface = &soft->surface.pairs;
    return status;
}
