// SPDX-License-Identifier: MIT
// A scene in memory: its parts, and the world that is made of it.
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"
#include "scene/forms.h"
#include "scene/solvers.h"

static const double maxParticles = 2147483647;

void *wbAppend(wbArray *array, int *count) {
    if (!wbArray_Reserve(NULL, array, *count + 1)) return NULL;
    return (char *)array->data + (size_t)(*count)++ * (size_t)array->elementSize;
}

wbStatus wbSetString(wbArray *string, const char *text) {
    int size = (int)strlen(text) + 1;
    if (!wbArray_Reserve(NULL, string, size)) return wbMemoryError(NULL, "a scene needs");
    memcpy(string->data, text, (size_t)size);
    return wb_okStatus;
}

wbStatus wbScene_AddFile(wbScene *scene, const char *path) {
    int size = (int)strlen(path) + 1;
    if (!wbArray_Reserve(NULL, &scene->files, scene->fileBytes + size))
        return wbMemoryError(NULL, "a scene needs");
    memcpy((char *)scene->files.data + scene->fileBytes, path, (size_t)size);
    scene->fileBytes += size;
    scene->fileCount++;
    return wb_okStatus;
}

int wbScene_GetFileCount(const wbScene *scene) {
    WB_REQUIRE(scene);
    return scene->fileCount;
}

const char *wbScene_GetFile(const wbScene *scene, int index) {
    WB_REQUIRE(scene);
    WB_ASSERT(index >= 0 && index < scene->fileCount, "file index out of range");
    const char *path = scene->files.data;
    for (int i = 0; i < index; i++) path += strlen(path) + 1;
    return path;
}

void wbDestroyScene(wbScene *scene) {
    if (!scene) return;
    wbFreeSource(&scene->source);
    for (int i = 0; i < scene->fluidCount; i++) {
        wbSceneFluid *fluid = wbScene_GetFluid(scene, i);
        wbArray_Free(NULL, &fluid->blocks);
        wbFreeFills(fluid);
        wbArray_Free(NULL, &fluid->positions);
        wbArray_Free(NULL, &fluid->velocities);
    }
    wbArray_Free(NULL, &scene->fluids);
    wbArray_Free(NULL, &scene->emitters);
    wbArray_Free(NULL, &scene->drains);
    for (int i = 0; i < scene->colliderCount; i++) {
        wbArray_Free(NULL, &wbScene_GetCollider(scene, i)->path);
        wbFreeMesh(&wbScene_GetCollider(scene, i)->mesh);
    }
    for (int i = 0; i < scene->mechanismCount; i++)
        wbArray_Free(NULL, &wbScene_GetMechanism(scene, i)->parts);
    wbArray_Free(NULL, &scene->colliders);
    wbArray_Free(NULL, &scene->mechanisms);
    for (int i = 0; i < scene->softBodyCount; i++) {
        wbArray_Free(NULL, &wbScene_GetSoftBody(scene, i)->pins);
        wbArray_Free(NULL, &wbScene_GetSoftBody(scene, i)->attachments);
        wbFreeMesh(&wbScene_GetSoftBody(scene, i)->mesh);
    }
    wbArray_Free(NULL, &scene->softBodies);
    for (int i = 0; i < scene->rigidBodyCount; i++) wbFreeSceneRigidBody(wbScene_GetRigidBody(scene, i));
    wbArray_Free(NULL, &scene->rigidBodies);
    for (int i = 0; i < scene->forceCount; i++) wbArray_Free(NULL, &wbScene_GetForce(scene, i)->bodies);
    wbArray_Free(NULL, &scene->joints);
    wbArray_Free(NULL, &scene->forces);
    for (int i = 0; i < scene->sourceCount; i++) wbFreeMesh(&wbScene_GetSource(scene, i)->mesh);
    wbArray_Free(NULL, &scene->sources);
    wbArray_Free(NULL, &scene->probes);
    wbArray_Free(NULL, &scene->grabs);
    wbArray_Free(NULL, &scene->script);
    wbArray_Free(NULL, &scene->cameraKeys);
    wbArray_Free(NULL, &scene->title);
    wbArray_Free(NULL, &scene->description);
    wbArray_Free(NULL, &scene->files);
    wbFree(NULL, scene, sizeof *scene);
}

// The lists of objects; each starts with its name.
typedef struct List {
    const char *kind;
    size_t array, count, size, params;
} List;
#define WB_LIST_OF(kind, list, number, type, field)                                                          \
    { kind, offsetof(wbScene, list), offsetof(wbScene, number), sizeof(type), offsetof(type, field) }
static const List lists[] = {
    WB_LIST_OF("fluid", fluids, fluidCount, wbSceneFluid, name),
    WB_LIST_OF("emitter", emitters, emitterCount, wbSceneEmitter, params),
    WB_LIST_OF("drain", drains, drainCount, wbSceneDrain, params),
    WB_LIST_OF("collider", colliders, colliderCount, wbSceneCollider, params),
    WB_LIST_OF("mechanism", mechanisms, mechanismCount, wbSceneMechanism, params),
    WB_LIST_OF("softBody", softBodies, softBodyCount, wbSceneSoftBody, params),
    WB_LIST_OF("source", sources, sourceCount, wbSceneSource, params),
    WB_LIST_OF("probe", probes, probeCount, wbSceneProbe, params),
    WB_LIST_OF("rigidBody", rigidBodies, rigidBodyCount, wbSceneRigidBody, params),
    WB_LIST_OF("joint", joints, jointCount, wbSceneJoint, params),
    WB_LIST_OF("force", forces, forceCount, wbSceneForce, params),
    WB_LIST_OF("grab", grabs, grabCount, wbSceneGrab, params),
};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

// The object at a place of all lists, one behind the other; NULL behind the last.
static char *getObject(const wbScene *scene, int index, const List **list) {
    for (int k = 0; k < LIST_COUNT; k++) {
        int count = *(const int *)((const char *)scene + lists[k].count);
        const wbArray *array = (const wbArray *)((const char *)scene + lists[k].array);
        *list = &lists[k];
        if (index < count) return (char *)array->data + (size_t)index * lists[k].size;
        index -= count;
    }
    return NULL;
}

const char *wbScene_GetObjectName(const wbScene *scene, int index) {
    const List *list;
    return getObject(scene, index, &list);
}

const char *wbScene_GetNameOfKind(const wbScene *scene, const char *kind, int index) {
    const List *list;
    const char *object;
    for (int i = 0; (object = getObject(scene, i, &list)) != NULL; i++)
        if (strcmp(list->kind, kind) == 0 && index-- == 0) return object;
    return NULL;
}

const wbParamTable *wbScene_FindObject(const wbScene *scene, const char *name, void **params) {
    const List *list;
    char *object;
    for (int i = 0; (object = getObject(scene, i, &list)) != NULL; i++) {
        *params = object + list->params;
        if (strcmp(object, name) == 0) return wbGetObjectParams(list->kind); // NULL of fluids
    }
    return NULL;
}

wbWorldDef *wbScene_GetWorldDef(wbScene *scene) {
    WB_REQUIRE(scene);
    return &scene->def;
}
const wbCameraParams *wbScene_GetCamera(const wbScene *scene) {
    WB_REQUIRE(scene);
    return &scene->camera;
}
const wbOutputParams *wbScene_GetOutput(const wbScene *scene) {
    WB_REQUIRE(scene);
    return &scene->output;
}
const char *wbScene_GetTitle(const wbScene *scene) {
    WB_REQUIRE(scene);
    return scene->title.data;
}
const char *wbScene_GetDescription(const wbScene *scene) {
    WB_REQUIRE(scene);
    return scene->description.data;
}

double wbScene_CountBlock(const wbScene *scene, wbFluidSolver solver, const wbBlockDef *block) {
    return wbBlockDef_CountParticles(block, wbScene_GetSpacing(scene, solver), scene->def.params.dimensions);
}

double wbScene_MeasureBlocks(const wbScene *scene, const wbSceneFluid *fluid) {
    double sum = 0;
    for (int k = 0; k < fluid->blockCount; k++) {
        const wbBlockDef *block = (const wbBlockDef *)fluid->blocks.data + k;
        const float *min = &block->min.x, *max = &block->max.x;
        double volume = 1;
        for (int a = 0; a < scene->def.params.dimensions; a++)
            volume *= fmax(0, (double)max[a] - (double)min[a]);
        sum += volume;
    }
    return sum;
}

double wbScene_CountFluid(const wbScene *scene, const wbSceneFluid *fluid) {
    const wbBlockDef *blocks = fluid->blocks.data;
    double count = fluid->particleCount + wbScene_CountFills(scene, fluid);
    for (int i = 0; i < fluid->blockCount; i++) count += wbScene_CountBlock(scene, fluid->solver, &blocks[i]);
    return count;
}

static double countFluids(const wbScene *scene) {
    double count = 0;
    for (int i = 0; i < scene->fluidCount; i++)
        count += wbScene_CountFluid(scene, wbScene_GetFluid(scene, i));
    return count;
}

// m3, by the tetrahedra between the origin and each triangle
double wbMeasureVolume(const wbMesh *mesh) {
    double sum = 0;
    for (size_t t = 0; t < (size_t)mesh->triangleCount; t++) {
        wbVec3 corner[3];
        for (size_t k = 0; k < 3; k++) {
            const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * t + k];
            corner[k] = wbMakeVec3(v[0], v[1], v[2]);
        }
        sum += (double)wbDot(corner[0], wbCross(corner[1], corner[2])) / 6;
    }
    return sum;
}

// Of a volume, about as many as fill it.
static double countSoftBody(const wbSceneSoftBody *softBody) {
    const wbSoftBodyParams *p = &softBody->params;
    switch (p->shape) {
    case wb_softBodyCube:
    case wb_softBodyGrid:
        return (double)p->counts.x * p->counts.y * p->counts.z;
    case wb_softBodyCloth:
        return (double)p->counts.x * p->counts.y;
    case wb_softBodyMeshSurface:
        return softBody->mesh.vertexCount;
    case wb_softBodyMeshVolume:
        return floor(fabs(wbMeasureVolume(&softBody->mesh)) * pow((double)p->scale / p->spacing, 3) + 0.5);
    default:
        return p->count;
    }
}

double wbScene_GetParticleCount(const wbScene *scene) {
    WB_REQUIRE(scene);
    double count = countFluids(scene);
    for (int i = 0; i < scene->softBodyCount; i++) count += countSoftBody(wbScene_GetSoftBody(scene, i));
    return count;
}

wbStatus wbCheckParticleCount(double count) {
    if (count <= maxParticles) return wb_okStatus;
    return wbError(
        wb_errorInput,
        "the scene has %.10g particles up to here, a world holds at most %.10g; is a spacing too small?",
        count, maxParticles);
}

// a side that closes an axis: 2 * axis for the lower one, 2 * axis + 1 for the upper one
static bool isClosed(const wbScene *scene, int side) {
    return scene->def.domain.sides[side].type != wb_sideOpen;
}

static wbStatus checkBelow(const wbScene *scene, wbVec3 corner) {
    const float *value = &corner.x, *min = &scene->def.domain.min.x;
    for (int i = 0; i < scene->def.params.dimensions; i++) {
        if (isClosed(scene, 2 * i) && value[i] < min[i])
            return wbError(wb_errorInput, "reaches to %c = %g, beyond the closed side \"%s\" at %g", "xyz"[i],
                           (double)value[i], wb_sideNames[2 * i], (double)min[i]);
    }
    return wb_okStatus;
}

static wbStatus checkAbove(const wbScene *scene, wbVec3 corner) {
    const float *value = &corner.x, *max = &scene->def.domain.max.x;
    for (int i = 0; i < scene->def.params.dimensions; i++) {
        if (isClosed(scene, 2 * i + 1) && value[i] > max[i])
            return wbError(wb_errorInput, "reaches to %c = %g, beyond the closed side \"%s\" at %g", "xyz"[i],
                           (double)value[i], wb_sideNames[2 * i + 1], (double)max[i]);
    }
    return wb_okStatus;
}

wbStatus wbScene_CheckPosition(const wbScene *scene, wbVec3 position) {
    WB_TRY(checkBelow(scene, position));
    return checkAbove(scene, position);
}

wbStatus wbScene_CheckBlock(const wbScene *scene, wbFluidSolver solver, const wbBlockDef *block) {
    const float *min = &block->min.x, *max = &block->max.x;
    for (int i = 0; i < scene->def.params.dimensions; i++) {
        if (!(max[i] > min[i]))
            return wbError(wb_errorInput, "is empty: max[%d] is %g, must be above min[%d], which is %g", i,
                           (double)max[i], i, (double)min[i]);
    }
    if (wbScene_CountBlock(scene, solver, block) < 1)
        return wbError(wb_errorInput,
                       "holds no particle: it is thinner than half of %s.spacing, which is %g m",
                       wbGetFluidSolver(solver)->name, wbScene_GetSpacing(scene, solver));
    WB_TRY(checkBelow(scene, block->min));
    return checkAbove(scene, block->max);
}

static wbStatus addBlocks(const wbScene *scene, const wbSceneFluid *fluid, wbWorld *world, wbFluidId id) {
    const wbBlockDef *blocks = fluid->blocks.data;
    for (int i = 0; i < fluid->blockCount; i++) {
        // once more: --set may have changed what the file was checked against
        wbStatus status = wbScene_CheckBlock(scene, fluid->solver, &blocks[i]);
        if (!wbIsOk(status))
            return wbError(status.code, "block %d of fluid \"%s\" %s", i, fluid->name, status.text);
        WB_TRY(wbFluid_AddBlock(world, id, &blocks[i]));
    }
    return wb_okStatus;
}

static wbStatus addFluid(const wbScene *scene, int index, wbWorld *world) {
    wbFluidDef def = wbDefaultFluidDef();
    wbFluidId id;
    def.name = wbScene_GetFluid(scene, index)->name;
    def.solver = wbScene_GetFluid(scene, index)->solver;
    def.restDensity = wbScene_GetFluid(scene, index)->restDensity;
    return wbCreateFluid(world, &def, &id);
}

static wbStatus fillFluid(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneFluid *fluid = wbScene_GetFluid(scene, index);
    wbFluidId id = wbWorld_GetFluid(world, index);
    WB_TRY(addBlocks(scene, fluid, world, id));
    WB_TRY(wbScene_AddFills(fluid, world, id));
    if (fluid->particleCount == 0) return wb_okStatus;
    return wbFluid_AddParticles(world, id, fluid->particleCount, fluid->positions.data,
                                fluid->velocities.data);
}

// The one of that name; null if there is none.
static wbFluidId findFluid(const wbWorld *world, const char *name) {
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++)
        if (strcmp(wbFluid_GetName(world, wbWorld_GetFluid(world, i)), name) == 0)
            return wbWorld_GetFluid(world, i);
    return (wbFluidId){0};
}

static wbStatus addEmitter(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneEmitter *emitter = wbScene_GetEmitter(scene, index);
    wbEmitterDef def = wbDefaultEmitterDef();
    wbEmitterId id;
    def.name = emitter->name;
    def.params = emitter->params;
    def.fluid = findFluid(world, emitter->fluid);
    return wbCreateEmitter(world, &def, &id);
}

static wbStatus addDrain(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneDrain *drain = wbScene_GetDrain(scene, index);
    wbDrainDef def = wbDefaultDrainDef();
    wbDrainId id;
    def.name = drain->name;
    def.params = drain->params;
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++) {
        wbEmitterId emitter = wbWorld_GetEmitter(world, i);
        if (strcmp(wbEmitter_GetName(world, emitter), drain->emitter) == 0) def.emitter = emitter;
    }
    return wbCreateDrain(world, &def, &id);
}

static wbStatus addCollider(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneCollider *collider = wbScene_GetCollider(scene, index);
    wbColliderDef def = wbDefaultColliderDef();
    wbColliderId id;
    def.name = collider->name;
    def.params = collider->params;
    def.mesh = &collider->mesh;
    def.path = collider->path.data, def.pathCount = collider->pathCount;
    return wbCreateCollider(world, &def, &id);
}

static wbStatus addMechanism(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneMechanism *mechanism = wbScene_GetMechanism(scene, index);
    wbMechanismDef def = wbDefaultMechanismDef();
    wbMechanismId id;
    wbArray colliders = {.elementSize = sizeof(wbColliderId)};
    if (!wbArray_Reserve(NULL, &colliders, mechanism->partCount))
        return wbMemoryError(NULL, "a mechanism needs");
    for (int i = 0; i < mechanism->partCount; i++)
        ((wbColliderId *)colliders.data)[i] =
            wbWorld_GetCollider(world, ((const int *)mechanism->parts.data)[i]);
    def.name = mechanism->name;
    def.params = mechanism->params;
    def.colliders = colliders.data, def.colliderCount = mechanism->partCount;
    wbStatus status = wbCreateMechanism(world, &def, &id);
    wbArray_Free(NULL, &colliders);
    return status;
}

static wbStatus addSoftBody(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneSoftBody *softBody = wbScene_GetSoftBody(scene, index);
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    wbSoftBodyId id;
    def.name = softBody->name;
    def.params = softBody->params;
    def.mesh = &softBody->mesh;
    def.pins = softBody->pins.data, def.pinCount = softBody->pinCount;
    return wbCreateSoftBody(world, &def, &id);
}

static wbStatus attachSoftBody(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneSoftBody *softBody = wbScene_GetSoftBody(scene, index);
    const wbSceneAttachment *list = softBody->attachments.data;
    const wbSoftBodyId id = wbWorld_GetSoftBody(world, index);
    const int particles = wbSoftBody_GetParticleCount(world, id);
    for (int k = 0; k < softBody->attachmentCount; k++) {
        const int particle = list[k].particle < 0 ? particles + list[k].particle : list[k].particle;
        if (particle < 0 || particle >= particles)
            return wbError(wb_errorInput, "attach: particle %d, allowed is %d to %d", list[k].particle,
                           -particles, particles - 1);
        WB_TRY(wbSoftBody_Attach(world, id, particle, wbWorld_GetRigidBody(world, list[k].body),
                                 list[k].hasPoint ? &list[k].point : NULL));
    }
    return wb_okStatus;
}

static bool hasAttachments(const wbScene *scene) {
    for (int i = 0; i < scene->softBodyCount; i++)
        if (wbScene_GetSoftBody(scene, i)->attachmentCount > 0) return true;
    return false;
}

static wbStatus addSource(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneSource *source = wbScene_GetSource(scene, index);
    wbSourceDef def = wbDefaultSourceDef();
    wbSourceId id;
    def.name = source->name;
    def.params = source->params;
    def.mesh = &source->mesh;
    return wbCreateSource(world, &def, &id);
}

static wbStatus addProbe(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneProbe *probe = wbScene_GetProbe(scene, index);
    wbProbeDef def = wbDefaultProbeDef();
    wbProbeId id;
    def.name = probe->name;
    def.params = probe->params;
    def.fluid = findFluid(world, probe->fluid);
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        wbColliderId collider = wbWorld_GetCollider(world, i);
        if (strcmp(wbCollider_GetName(world, collider), probe->collider) == 0) def.collider = collider;
    }
    return wbCreateProbe(world, &def, &id);
}

static wbStatus addGrab(const wbScene *scene, int index, wbWorld *world) {
    const wbSceneGrab *grab = wbScene_GetGrab(scene, index);
    wbGrabDef def = wbDefaultGrabDef();
    wbGrabId id;
    def.name = grab->name;
    def.params = grab->params;
    WB_TRY(wbCreateGrab(world, &def, &id));
    return wbGrab_SetOf(world, id, grab->of);
}

typedef wbStatus AddFn(const wbScene *scene, int index, wbWorld *world);

static wbStatus addAll(const wbScene *scene, const char *list, int count, AddFn *add, wbWorld *world) {
    for (int i = 0; i < count; i++) {
        if (scene->progress && !scene->progress(list, i, count, scene->progressContext))
            return wbError(wb_errorInput, "stopped before all of %.60s were made", list);
        wbStatus status = add(scene, i, world);
        if (!wbIsOk(status)) return wbScene_FailAtObject(scene, list, i, status);
    }
    return wb_okStatus;
}

// Fluids and soft bodies come first: colliders are sampled for the solvers that there are. Then what fills fluids, which is
// not put into colliders.
static wbStatus addObjects(const wbScene *scene, wbWorld *world) {
    WB_TRY(addAll(scene, "fluids", scene->fluidCount, addFluid, world));
    WB_TRY(addAll(scene, "softBodies", scene->softBodyCount, addSoftBody, world));
    WB_TRY(addAll(scene, scene->bodiesKey, scene->rigidBodyCount, wbScene_AddRigidBody, world));
    if (hasAttachments(scene))
        WB_TRY(addAll(scene, "softBodies", scene->softBodyCount, attachSoftBody, world));
    WB_TRY(addAll(scene, "joints", scene->jointCount, wbScene_AddJoint, world));
    WB_TRY(addAll(scene, "forces", scene->forceCount, wbScene_AddForce, world));
    WB_TRY(addAll(scene, "colliders", scene->colliderCount, addCollider, world));
    WB_TRY(addAll(scene, "mechanisms", scene->mechanismCount, addMechanism, world));
    WB_TRY(wbCheckParticleCount(wbScene_GetParticleCount(scene)));
    WB_TRY(addAll(scene, "fluids", scene->fluidCount, fillFluid, world));
    WB_TRY(addAll(scene, "emitters", scene->emitterCount, addEmitter, world));
    WB_TRY(addAll(scene, "drains", scene->drainCount, addDrain, world));
    WB_TRY(addAll(scene, "sources", scene->sourceCount, addSource, world));
    WB_TRY(addAll(scene, "probes", scene->probeCount, addProbe, world));
    return addAll(scene, "grabs", scene->grabCount, addGrab, world);
}

void wbScene_SetProgress(wbScene *scene, wbSceneProgressFn *tell, void *context) {
    WB_REQUIRE(scene);
    scene->progress = tell, scene->progressContext = context;
}

wbStatus wbScene_CreateWorld(const wbScene *scene, wbWorld **world) {
    WB_REQUIRE(scene);
    WB_REQUIRE(world);
    wbWorldDef def = scene->def;
    wbScene_HoldChosen(scene, &def);
    def.frameRate = (double)scene->output.fps;
    wbStatus status = wbCreateWorld(&def, world);
    if (!wbIsOk(status)) return wbScene_FailAtSection(scene, status);
    status = addObjects(scene, *world);
    if (wbIsOk(status)) status = wbScene_ChooseParams(scene, *world);
    if (wbIsOk(status)) return status;
    wbDestroyWorld(*world);
    *world = NULL;
    return status;
}

static wbStatus compareFluids(const wbScene *scene, const wbWorld *world) {
    if (wbWorld_GetFluidCount(world) != scene->fluidCount)
        return wbError(wb_errorInput, "it has %d fluids, the scene has %d", wbWorld_GetFluidCount(world),
                       scene->fluidCount);
    for (int i = 0; i < scene->fluidCount; i++) {
        const char *name = wbFluid_GetName(world, wbWorld_GetFluid(world, i));
        if (strcmp(name, wbScene_GetFluid(scene, i)->name) != 0)
            return wbError(wb_errorInput, "its fluid %d is \"%s\", the scene's is \"%s\"", i, name,
                           wbScene_GetFluid(scene, i)->name);
        if (wbFluid_GetSolver(world, wbWorld_GetFluid(world, i)) != wbScene_GetFluid(scene, i)->solver)
            return wbError(wb_errorInput, "its fluid \"%s\" has another solver than the scene's", name);
        float own = wbScene_GetFluid(scene, i)->restDensity;
        double density = wbFluid_GetRestDensity(world, wbWorld_GetFluid(world, i));
        if (own > 0 && density != (double)own)
            return wbError(wb_errorInput,
                           "its fluid \"%s\" has a rest density of %g kg/m3, the scene's has %g", name,
                           density, (double)own);
    }
    return wb_okStatus;
}

// Objects beside fluids whose names are theirs alone, kind by kind in the order of `lists`.
static const char *getEmitterName(const wbWorld *world, int i) {
    return wbEmitter_GetName(world, wbWorld_GetEmitter(world, i));
}
static const char *getDrainName(const wbWorld *world, int i) {
    return wbDrain_GetName(world, wbWorld_GetDrain(world, i));
}
static const char *getColliderName(const wbWorld *world, int i) {
    return wbCollider_GetName(world, wbWorld_GetCollider(world, i));
}
static const char *getMechanismName(const wbWorld *world, int i) {
    return wbMechanism_GetName(world, wbWorld_GetMechanism(world, i));
}

static const char *getSoftBodyName(const wbWorld *world, int i) {
    return wbSoftBody_GetName(world, wbWorld_GetSoftBody(world, i));
}

static const char *getSourceName(const wbWorld *world, int i) {
    return wbSource_GetName(world, wbWorld_GetSource(world, i));
}

static const char *getProbeName(const wbWorld *world, int i) {
    return wbProbe_GetName(world, wbWorld_GetProbe(world, i));
}

static wbStatus compareObjects(const wbScene *scene, const wbWorld *world) {
    typedef const char *GetNameFn(const wbWorld *world, int index);
    GetNameFn *const getters[] = {getEmitterName,  getDrainName,  getColliderName, getMechanismName,
                                  getSoftBodyName, getSourceName, getProbeName};
    const int its[] = {wbWorld_GetEmitterCount(world),  wbWorld_GetDrainCount(world),
                       wbWorld_GetColliderCount(world), wbWorld_GetMechanismCount(world),
                       wbWorld_GetSoftBodyCount(world), wbWorld_GetSourceCount(world),
                       wbWorld_GetProbeCount(world)},
              scenes[] = {scene->emitterCount,   scene->drainCount,    scene->colliderCount,
                          scene->mechanismCount, scene->softBodyCount, scene->sourceCount,
                          scene->probeCount};
    const int kindCount = (int)(sizeof scenes / sizeof scenes[0]);
    for (int kind = 0, first = scene->fluidCount; kind < kindCount; first += scenes[kind++]) {
        if (its[kind] != scenes[kind])
            return wbError(wb_errorInput, "it has %d %ss, the scene has %d", its[kind], lists[kind + 1].kind,
                           scenes[kind]);
        for (int i = 0; i < its[kind]; i++) {
            const char *name = getters[kind](world, i), *wanted = wbScene_GetObjectName(scene, first + i);
            if (strcmp(name, wanted) != 0)
                return wbError(wb_errorInput, "it has \"%s\" where the scene has \"%s\"", name, wanted);
        }
    }
    return wb_okStatus;
}

// Where soft bodies are alone, or a script or wbScene_Set says so, sides may have moved, and opened or closed.
static wbStatus compareDomains(const wbDomainDef *scenes, const wbDomainDef *worlds, int dimensions,
                               bool mayMove) {
    const float *sceneEnds[2] = {&scenes->min.x, &scenes->max.x},
                *worldEnds[2] = {&worlds->min.x, &worlds->max.x};
    for (int side = 0; side < 2 * dimensions; side++) {
        float sceneEnd = sceneEnds[side % 2][side / 2], worldEnd = worldEnds[side % 2][side / 2];
        if (mayMove) continue;
        if (sceneEnd != worldEnd)
            return wbError(wb_errorInput, "its domain ends at %g on the side \"%s\", the scene's at %g",
                           (double)worldEnd, wb_sideNames[side], (double)sceneEnd);
        if (scenes->sides[side].type != worlds->sides[side].type)
            return wbError(wb_errorInput, "its domain has another type of side \"%s\" than the scene's",
                           wb_sideNames[side]);
    }
    return wb_okStatus;
}

wbStatus wbScene_CheckWorld(const wbScene *scene, const wbWorld *world) {
    WB_REQUIRE(scene);
    WB_REQUIRE(world);
    int dimensions = wbWorld_GetWorldParams(world)->dimensions;
    if (dimensions != scene->def.params.dimensions)
        return wbError(wb_errorInput, "it has %d dimensions, the scene has %d", dimensions,
                       scene->def.params.dimensions);
    WB_TRY(wbScene_CompareSolvers(scene, world));
    WB_TRY(compareFluids(scene, world));
    WB_TRY(compareObjects(scene, world));
    WB_TRY(wbScene_CompareRigidBodies(scene, world));
    bool areSoftAlone = scene->softBodyCount > 0 && scene->fluidCount == 0 && !wbAsksForSolver(&scene->def);
    bool mayMove = areSoftAlone || scene->isDomainSet || wbScene_IsScripted(scene, "domain");
    const wbDomainDef domain = wbWorld_GetDomain(world);
    return compareDomains(&scene->def.domain, &domain, dimensions, mayMove);
}

wbStatus wbLoadScene(const char *path, wbWorld **world) {
    WB_REQUIRE(path);
    WB_REQUIRE(world);
    wbScene *scene;
    *world = NULL;
    WB_TRY(wbReadScene(path, &scene));
    wbStatus status = wbScene_CreateWorld(scene, world);
    wbDestroyScene(scene);
    return status;
}
