// SPDX-License-Identifier: MIT
// What fills a scene's fluids beside blocks: balls, meshes, random places.
#include <math.h>

#include "core/status.h"
#include "scene/solvers.h"

static double measureBall(const wbScene *scene, const wbBallDef *ball) {
    const double pi = 3.14159265358979323846, r = ball->radius;
    return scene->def.params.dimensions == 3 ? 4.0 / 3 * pi * r * r * r : pi * r * r;
}

double wbScene_MeasureFills(const wbScene *scene, const wbSceneFluid *fluid) {
    double sum = 0;
    for (int i = 0; i < fluid->ballCount; i++)
        sum += measureBall(scene, (const wbBallDef *)fluid->balls.data + i);
    for (int i = 0; i < fluid->meshCount; i++) {
        const wbSceneMesh *mesh = (const wbSceneMesh *)fluid->meshes.data + i;
        sum += fabs(wbMeasureVolume(&mesh->mesh)) * pow((double)mesh->def.scale, 3);
    }
    return sum;
}

double wbScene_CountFills(const wbScene *scene, const wbSceneFluid *fluid) {
    double spacing = wbScene_GetSpacing(scene, fluid->solver);
    double count =
        floor(wbScene_MeasureFills(scene, fluid) / pow(spacing, scene->def.params.dimensions) + 0.5);
    for (int i = 0; i < fluid->randomCount; i++) count += ((const wbRandomDef *)fluid->random.data)[i].count;
    return count;
}

wbStatus wbScene_CheckBall(const wbScene *scene, const wbBallDef *ball) {
    const wbVec3 r = {ball->radius, ball->radius, ball->radius};
    WB_TRY(wbScene_CheckPosition(scene, wbSub(ball->position, r)));
    return wbScene_CheckPosition(scene, wbAdd(ball->position, r));
}

wbStatus wbScene_CheckRandom(const wbScene *scene, const wbRandomDef *random) {
    const float *min = &random->min.x, *max = &random->max.x;
    for (int i = 0; i < scene->def.params.dimensions; i++)
        if (!(max[i] > min[i]))
            return wbError(wb_errorInput, "is empty: max[%d] is %g, must be above min[%d], which is %g", i,
                           (double)max[i], i, (double)min[i]);
    WB_TRY(wbScene_CheckPosition(scene, random->min));
    return wbScene_CheckPosition(scene, random->max);
}

static wbStatus explain(const wbSceneFluid *fluid, const char *what, int i, wbStatus status) {
    return wbIsOk(status)
               ? status
               : wbError(status.code, "%s[%d] of fluid \"%s\": %s", what, i, fluid->name, status.text);
}

wbStatus wbScene_AddFills(const wbSceneFluid *fluid, wbWorld *world, wbFluidId id) {
    for (int i = 0; i < fluid->ballCount; i++)
        WB_TRY(
            explain(fluid, "balls", i, wbFluid_AddBall(world, id, (const wbBallDef *)fluid->balls.data + i)));
    for (int i = 0; i < fluid->meshCount; i++) {
        const wbSceneMesh *mesh = (const wbSceneMesh *)fluid->meshes.data + i;
        wbFillMeshDef def = mesh->def;
        def.mesh = &mesh->mesh;
        WB_TRY(explain(fluid, "meshes", i, wbFluid_AddMesh(world, id, &def)));
    }
    for (int i = 0; i < fluid->randomCount; i++)
        WB_TRY(explain(fluid, "random", i,
                       wbFluid_AddRandom(world, id, (const wbRandomDef *)fluid->random.data + i)));
    return wb_okStatus;
}

void wbFreeFills(wbSceneFluid *fluid) {
    for (int i = 0; i < fluid->meshCount; i++) wbFreeMesh(&((wbSceneMesh *)fluid->meshes.data)[i].mesh);
    wbArray_Free(NULL, &fluid->balls);
    wbArray_Free(NULL, &fluid->meshes);
    wbArray_Free(NULL, &fluid->random);
}
