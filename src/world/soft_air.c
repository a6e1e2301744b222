// SPDX-License-Identifier: MIT
// Soft bodies in the wind: cloth and surfaces by their triangles, ropes and sticks by their segments.
#include <string.h>

#include "core/status.h"
#include "world/air.h"
#include "world/coupling.h"
#include "world/soft.h"

bool wbIsSoftBlown(const wbWorld *world) {
    return wbGetSoft(world) && world->def.coupling.airDensity > 0 &&
           wbGetPairMode(&world->def.coupling, wb_matterAir, wb_matterSoft) != wb_pairOff;
}

// Bodies do not change from step to step.
static wbStatus build(wbWorld *world) {
    wbSoft *soft = wbGetSoft(world);
    const wbWork *work = &world->work;
    const int count = world->softBodyIds.indexCount;
    const size_t mark = wbArena_Mark(work->arena);
    wbDragSheet *sheets = wbArena_Alloc(work->arena, sizeof *sheets * (size_t)count);
    wbDragRope *ropes = wbArena_Alloc(work->arena, sizeof *ropes * (size_t)count);
    int sheetCount = 0, ropeCount = 0;
    if (!sheets || !ropes) return wbMemoryError(work->memory, "the wind on %d soft bodies needs", count);
    for (int i = 0; i < count; i++) {
        const wbSoftBody *body = wbGetSoftBodyAt(world, i);
        const int *triangles = wbSoft_GetTriangles(soft, body->firstTriangle);
        wbDragSheet sheet = {triangles, body->triangleCount, false};
        if (body->params.shape == wb_softBodyMeshSurface)
            WB_TRY(wbFindClosed(work, triangles, body->triangleCount, &sheet.isClosed));
        if (body->triangleCount > 0) sheets[sheetCount++] = sheet;
        if (wbIsLine(body) && body->particles.count > 1)
            ropes[ropeCount++] =
                (wbDragRope){body->particles.first, body->particles.count, body->params.thickness};
    }
    soft->air.version = 0;
    WB_TRY(
        wbDragPieces_Build(&soft->air.pieces, work, soft->pbd.count, sheets, sheetCount, ropes, ropeCount));
    soft->air.version = soft->pbd.version;
    wbArena_Release(work->arena, mark);
    return wb_okStatus;
}

wbStatus wbBlowSoft(const wbPbd *pbd, float dt, const wbWork *work, float *const acceleration[3],
                    void *context) {
    wbWorld *world = context;
    wbSoftAir *soft = &wbGetSoft(world)->air;
    const wbWind wind = wbGetWind(world);
    wbDragAir air;
    const bool isComputed = wbGetAirTouch(world, wb_matterSoft, &air);
    if (isComputed) WB_TRY(wbPullState(world)); // air that a device computes
    if (soft->version != pbd->version) WB_TRY(build(world));
    WB_TRY(wbDragParticles(&soft->pieces, pbd, &wind, isComputed ? &air : NULL, world->domain.gravity, dt,
                           work, acceleration, soft->given));
    if (isComputed && air.isPushed) wbMarkAirPushed(world);
    return wb_okStatus;
}
