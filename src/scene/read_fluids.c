// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/status.h"
#include "scene/read.h"
#include "scene/solvers.h"

enum { WB_MAX_FLUIDS = 4096 };

static wbStatus addToCount(const wbReader *reader, const wbPath *path, double count) {
    *reader->particleCount += count;
    wbStatus status = wbCheckParticleCount(*reader->particleCount);
    return wbIsOk(status) ? status : wbSource_FailAt(reader->source, path, "%s", status.text);
}

static wbStatus readBlocks(const wbReader *reader, const json_t *array, const wbPath *path,
                           wbSceneFluid *fluid) {
    WB_TRY(wbCheckType(reader, json_is_array(array), array, path, "an array"));
    for (size_t i = 0; i < json_array_size(array); i++) {
        wbPath blockPath = {path, NULL, i};
        wbBlockDef *block = wbAppend(&fluid->blocks, &fluid->blockCount);
        if (!block) return wbMemoryError(NULL, "a block needs");
        WB_TRY(wbReadObject(reader, &wb_blockForm, json_array_get(array, i), &blockPath, block));
    }
    return wb_okStatus;
}

static wbStatus readBalls(const wbReader *reader, const json_t *array, const wbPath *path,
                          wbSceneFluid *fluid) {
    WB_TRY(wbCheckType(reader, json_is_array(array), array, path, "an array"));
    for (size_t i = 0; i < json_array_size(array); i++) {
        wbPath ballPath = {path, NULL, i};
        wbBallDef *ball = wbAppend(&fluid->balls, &fluid->ballCount);
        if (!ball) return wbMemoryError(NULL, "a ball needs");
        WB_TRY(wbReadObject(reader, &wb_ballForm, json_array_get(array, i), &ballPath, ball));
        wbStatus status = wbScene_CheckBall(reader->scene, ball);
        if (!wbIsOk(status)) return wbReader_FailAtSubject(reader, &ballPath, status);
    }
    return wb_okStatus;
}

static wbStatus readMeshes(const wbReader *reader, const json_t *array, const wbPath *path,
                           wbSceneFluid *fluid) {
    WB_TRY(wbCheckType(reader, json_is_array(array), array, path, "an array"));
    if (reader->scene->def.params.dimensions == 2)
        return wbSource_FailAt(reader->source, path,
                               "a mesh cannot be filled in 2D: use balls, blocks or single particles");
    for (size_t i = 0; i < json_array_size(array); i++) {
        wbPath meshPath = {path, NULL, i};
        const json_t *value = json_array_get(array, i);
        wbSceneMesh *mesh = wbAppend(&fluid->meshes, &fluid->meshCount);
        if (!mesh) return wbMemoryError(NULL, "a mesh needs");
        mesh->def.scale = 1;
        WB_TRY(wbReadObject(reader, &wb_fillMeshForm, value, &meshPath, &mesh->def));
        WB_TRY(wbReadMeshKey(reader, json_object_get(value, "mesh"), &meshPath, &mesh->mesh));
    }
    return wb_okStatus;
}

static wbStatus readRandom(const wbReader *reader, const json_t *array, const wbPath *path,
                           wbSceneFluid *fluid) {
    WB_TRY(wbCheckType(reader, json_is_array(array), array, path, "an array"));
    for (size_t i = 0; i < json_array_size(array); i++) {
        wbPath randomPath = {path, NULL, i};
        wbRandomDef *random = wbAppend(&fluid->random, &fluid->randomCount);
        if (!random) return wbMemoryError(NULL, "random places need");
        WB_TRY(wbReadObject(reader, &wb_randomForm, json_array_get(array, i), &randomPath, random));
        wbStatus status = wbScene_CheckRandom(reader->scene, random);
        if (!wbIsOk(status)) return wbReader_FailAtSubject(reader, &randomPath, status);
    }
    return wb_okStatus;
}

// What fills a fluid, kind by kind.
static wbStatus readFills(const wbReader *reader, const json_t *value, const wbPath *path,
                          wbSceneFluid *fluid) {
    static const struct {
        const char *key;
        wbStatus (*read)(const wbReader *reader, const json_t *array, const wbPath *path,
                         wbSceneFluid *fluid);
    } kinds[] = {
        {"blocks", readBlocks}, {"balls", readBalls}, {"meshes", readMeshes}, {"random", readRandom}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const json_t *array = json_object_get(value, kinds[k].key);
        if (array) WB_TRY(kinds[k].read(reader, array, &(wbPath){path, kinds[k].key, 0}, fluid));
    }
    return wb_okStatus;
}

// When all have been read: the spacing may follow from them.
static wbStatus checkBlocks(const wbReader *reader, const wbPath *path, const wbSceneFluid *fluid) {
    for (int i = 0; i < fluid->blockCount; i++) {
        wbPath blockPath = {path, NULL, (size_t)i};
        const wbBlockDef *block = (const wbBlockDef *)fluid->blocks.data + i;
        wbStatus status = wbScene_CheckBlock(reader->scene, fluid->solver, block);
        if (!wbIsOk(status)) return wbReader_FailAtSubject(reader, &blockPath, status);
        WB_TRY(addToCount(reader, &blockPath, wbScene_CountBlock(reader->scene, fluid->solver, block)));
    }
    return wb_okStatus;
}

static wbStatus readParticles(const wbReader *reader, const json_t *array, const wbPath *path,
                              wbSceneFluid *fluid) {
    WB_TRY(wbCheckType(reader, json_is_array(array), array, path, "an array"));
    int count = (int)json_array_size(array);
    if (!wbArray_Reserve(NULL, &fluid->positions, count) || !wbArray_Reserve(NULL, &fluid->velocities, count))
        return wbMemoryError(NULL, "%d particles need", count);
    for (int i = 0; i < count; i++) {
        wbPath particlePath = {path, NULL, (size_t)i};
        const json_t *value = json_array_get(array, (size_t)i);
        wbSceneParticle particle = {0};
        WB_TRY(wbReadObject(reader, &wb_particleForm, value, &particlePath, &particle));
        wbStatus status = wbScene_CheckPosition(reader->scene, particle.position);
        if (!wbIsOk(status)) return wbReader_FailAtSubject(reader, &particlePath, status);
        ((wbVec3 *)fluid->positions.data)[i] = particle.position;
        ((wbVec3 *)fluid->velocities.data)[i] = particle.velocity;
    }
    fluid->particleCount = count;
    return addToCount(reader, path, count);
}

static const wbParam *findMethod(const wbSolverInfo *solver) {
    return wbFindParam(wbGetParams(solver->name), WB_FLUID_GROUP ".method");
}

static wbStatus failWithoutGroup(const wbReader *reader, const wbPath *path, const char *name) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++)
        if (solvers[s]->isFluid && findMethod(solvers[s]))
            return wbSource_FailAtKey(
                reader->source, path,
                "particles of the solver %s are all of one size: use \"solver\": \"%s\"", name,
                solvers[s]->name);
    return wbSource_FailAtKey(reader->source, path, "particles of the solver %s are all of one size", name);
}

// Fluids of one solver are one liquid: what one says of sizes is said of all of them, and only once. Who says something wants them.
static wbStatus readSizes(const wbReader *reader, const json_t *value, const wbPath *path,
                          const wbSceneFluid *fluid) {
    const wbSolverInfo *solver = wbGetFluidSolver(fluid->solver);
    const wbPath group = {path, WB_FLUID_GROUP, 0};
    const json_t *object = json_object_get(value, WB_FLUID_GROUP);
    void *params = wbGetSolverParams(&reader->scene->def, solver);
    if (!object) return wb_okStatus;
    if (!findMethod(solver)) return failWithoutGroup(reader, &group, solver->name);
    for (int i = 0; i + 1 < reader->scene->fluidCount; i++) {
        const wbSceneFluid *other = wbScene_GetFluid(reader->scene, i);
        if (other->solver == fluid->solver && other->hasSizes)
            return wbSource_FailAtKey(reader->source, &group,
                                      "fluid \"%s\" has said it for all fluids of the solver %s: say it once",
                                      other->name, solver->name);
    }
    wbScene_GetFluid(reader->scene, reader->scene->fluidCount - 1)->hasSizes = true;
    WB_TRY(wbParam_SetText(findMethod(solver), params, "levels"));
    return wbReadGroup(reader, wbGetParams(solver->name), WB_FLUID_GROUP, object, &group, params);
}

static wbStatus readFluid(const wbReader *reader, const json_t *value, const wbPath *path) {
    wbSceneFluidKeys keys = {0};
    char name[WB_NAME_SIZE];
    WB_TRY(wbReadObject(reader, &wb_fluidForm, value, path, &keys));
    WB_TRY(wbReadName(reader, value, path, name));
    WB_TRY(wbCheckQuality(reader, value, path, &keys));

    wbSceneFluid *fluid = wbAppend(&reader->scene->fluids, &reader->scene->fluidCount);
    if (!fluid) return wbMemoryError(NULL, "a fluid needs");
    memcpy(fluid->name, name, sizeof name);
    fluid->solver = keys.solver, fluid->quality = keys.quality, fluid->restDensity = keys.restDensity;
    fluid->blocks.elementSize = sizeof(wbBlockDef);
    fluid->positions.elementSize = fluid->velocities.elementSize = sizeof(wbVec3);
    fluid->balls.elementSize = sizeof(wbBallDef), fluid->meshes.elementSize = sizeof(wbSceneMesh);
    fluid->random.elementSize = sizeof(wbRandomDef);
    WB_TRY(readSizes(reader, value, path, fluid));
    WB_TRY(readFills(reader, value, path, fluid));
    const json_t *particles = json_object_get(value, "particles");
    if (particles) WB_TRY(readParticles(reader, particles, &(wbPath){path, "particles", 0}, fluid));
    return wb_okStatus;
}

static wbStatus chooseSpacings(const wbReader *reader) {
    int count;
    const wbSolverInfo *const *solvers = wbGetSolvers(&count);
    for (int s = 0; s < count; s++) {
        wbStatus status = wbScene_ChooseSpacing(reader->scene, solvers[s]);
        wbPath section = {NULL, solvers[s]->name, 0};
        if (!wbIsOk(status))
            return wbSource_FailAt(reader->source, &(wbPath){&section, "particles", 0}, "%s", status.text);
    }
    return wb_okStatus;
}

wbStatus wbReadFluids(const wbReader *reader, const json_t *value, const wbPath *path) {
    WB_TRY(wbCheckType(reader, json_is_array(value), value, path, "an array"));
    // names are compared one by one
    if (json_array_size(value) > WB_MAX_FLUIDS)
        return wbSource_FailAt(reader->source, path, "%zu fluids, a scene holds at most %d",
                               json_array_size(value), WB_MAX_FLUIDS);
    for (size_t i = 0; i < json_array_size(value); i++) {
        WB_TRY(readFluid(reader, json_array_get(value, i), &(wbPath){path, NULL, i}));
    }
    WB_TRY(chooseSpacings(reader));
    for (int i = 0; i < reader->scene->fluidCount; i++) {
        wbPath fluidPath = {path, NULL, (size_t)i};
        const wbSceneFluid *fluid = wbScene_GetFluid(reader->scene, i);
        WB_TRY(checkBlocks(reader, &(wbPath){&fluidPath, "blocks", 0}, fluid));
        WB_TRY(addToCount(reader, &fluidPath, wbScene_CountFills(reader->scene, fluid)));
    }
    return wb_okStatus;
}
