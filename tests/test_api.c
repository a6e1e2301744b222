// SPDX-License-Identifier: MIT
// The public interface holds its callers to its rules: every pointer that must be given is asserted, in every function
// of the headers, and values that come from outside are refused with a status.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file_support.h"
#include "test_support.h"
#include "wirbel/query.h"
#include "wirbel/scene.h"

static wbWorld *makeWorld(void) {
    static const char text[] =
        "{\"domain\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"sph\":{\"spacing\":0.1},\"smoke\":{\"cellSize\":0.2}"
        ","
        "\"fluids\":[{\"name\":\"water\"}],"
        "\"emitters\":[{\"name\":\"jet\",\"position\":[0.5,0.5,0.5]}],"
        "\"drains\":[{\"name\":\"sink\",\"min\":[0,0,0],\"max\":[0.1,0.1,0.1]}],"
        "\"colliders\":[{\"name\":\"box\",\"size\":[0.5,0.2,0.5],\"position\":[0.2,0.9,0.2]}],"
        "\"mechanisms\":[{\"name\":\"gate\",\"kind\":\"gate\",\"colliders\":[\"box\"]}],"
        "\"softBodies\":[{\"name\":\"rope\",\"shape\":\"rope\",\"length\":0.5,\"count\":5,"
        "\"position\":[0.5,0.8,0.5],\"pins\":[0]}],"
        "\"sources\":[{\"name\":\"ember\",\"position\":[0.5,0.3,0.5]}]}";
    wbScene *scene;
    wbWorld *world;
    assertOk(wbReadSceneText("test", text, sizeof text - 1, &scene));
    wbScene_GetWorldDef(scene)->threadCount = 1;
    assertOk(wbScene_CreateWorld(scene, &world));
    wbDestroyScene(scene);
    return world;
}

static void testFilesAndTables(void **state) {
    (void)state;
    const wbParamTable *sph = wbGetParams("sph");
    const wbParam *spacing = wbFindParam(sph, "spacing");
    wbSphParams params;
    wbMesh mesh;
    char text[64];
    int count;
    wbSetParamDefaults(sph, &params);
    expect_assert_failure(wbReadMesh(NULL, &mesh));
    expect_assert_failure(wbReadMesh("a.obj", NULL));
    expect_assert_failure(wbFreeMesh(NULL));
    expect_assert_failure(wbGetParamTables(NULL));
    expect_assert_failure(wbGetObjectTables(NULL));
    expect_assert_failure(wbGetSceneParamTables(NULL));
    expect_assert_failure(wbGetParams(NULL));
    expect_assert_failure(wbGetObjectParams(NULL));
    expect_assert_failure(wbGetQuality((wbQuality)-1));
    expect_assert_failure(wbWorldDef_SetQuality(NULL, wb_qualityFast));
    expect_assert_failure(wbFindParam(NULL, "spacing"));
    expect_assert_failure(wbFindParam(sph, NULL));
    expect_assert_failure(wbNearestParam(NULL, "spacing"));
    expect_assert_failure(wbNearestParam(sph, NULL));
    expect_assert_failure(wbSetParamDefaults(NULL, &params));
    expect_assert_failure(wbSetParamDefaults(sph, NULL));
    expect_assert_failure(wbParam_IsAuto(NULL, 0));
    expect_assert_failure(wbParam_SetNumbers(NULL, &params, &(double){1}, 1));
    expect_assert_failure(wbParam_SetNumbers(spacing, NULL, &(double){1}, 1));
    expect_assert_failure(wbParam_SetNumbers(spacing, &params, NULL, 1));
    expect_assert_failure(wbParam_GetNumbers(NULL, &params, (double[3]){0}));
    expect_assert_failure(wbParam_GetNumbers(spacing, NULL, (double[3]){0}));
    expect_assert_failure(wbParam_GetNumbers(spacing, &params, NULL));
    expect_assert_failure(wbParam_SetText(NULL, &params, "1"));
    expect_assert_failure(wbParam_SetText(spacing, NULL, "1"));
    expect_assert_failure(wbParam_SetText(spacing, &params, NULL));
    expect_assert_failure(wbParam_GetText(NULL, &params, text, sizeof text));
    expect_assert_failure(wbParam_GetText(spacing, NULL, text, sizeof text));
    expect_assert_failure(wbParam_GetText(spacing, &params, NULL, sizeof text));
    expect_assert_failure(wbParam_GetText(spacing, &params, text, 0));
    expect_assert_failure(wbGetCpuName(NULL, 10));
    expect_assert_failure(wbGetCpuName(text, 0));
    expect_assert_failure(wbListDevices(NULL, 1, &count));
    expect_assert_failure(wbListDevices(NULL, 0, NULL));
    expect_assert_failure(wbGetSimdName((wbSimd)99));
    expect_assert_failure(wbIsSimdSupported((wbSimd)99));
}

static void testScenes(void **state) {
    (void)state;
    static const char text[] = "{\"title\":\"Test\"}";
    wbWorld *world = makeWorld();
    wbScene *scene;
    char value[64];
    expect_assert_failure(wbLoadScene(NULL, &world));
    expect_assert_failure(wbLoadScene("scene.json", NULL));
    expect_assert_failure(wbReadScene(NULL, &scene));
    expect_assert_failure(wbReadScene("scene.json", NULL));
    expect_assert_failure(wbReadSceneText(NULL, text, sizeof text - 1, &scene));
    expect_assert_failure(wbReadSceneText("test", NULL, 1, &scene));
    expect_assert_failure(wbReadSceneText("test", text, sizeof text - 1, NULL));
    assertOk(wbReadSceneText("test", text, sizeof text - 1, &scene));
    wbDestroyScene(NULL);
    expect_assert_failure(wbScene_Set(NULL, "world.seed", "1"));
    expect_assert_failure(wbScene_Set(scene, NULL, "1"));
    expect_assert_failure(wbScene_Set(scene, "world.seed", NULL));
    expect_assert_failure(wbScene_Get(NULL, "world.seed", value, sizeof value));
    expect_assert_failure(wbScene_Get(scene, NULL, value, sizeof value));
    expect_assert_failure(wbScene_Get(scene, "world.seed", NULL, sizeof value));
    expect_assert_failure(wbScene_SetAt(NULL, 1, "world.dt", "1"));
    expect_assert_failure(wbScene_SetAt(scene, 1, NULL, "1"));
    expect_assert_failure(wbScene_SetAt(scene, 1, "world.dt", NULL));
    expect_assert_failure(wbScene_CreateWorld(NULL, &world));
    expect_assert_failure(wbScene_CreateWorld(scene, NULL));
    expect_assert_failure(wbScene_RunScript(NULL, world));
    expect_assert_failure(wbScene_RunScript(scene, NULL));
    expect_assert_failure(wbScene_CheckWorld(NULL, world));
    expect_assert_failure(wbScene_CheckWorld(scene, NULL));
    expect_assert_failure(wbWriteColouring(NULL, world));
    expect_assert_failure(wbWriteColouring("colours", NULL));
    expect_assert_failure(wbReadColouring(NULL, world));
    expect_assert_failure(wbReadColouring("colours", NULL));
    expect_assert_failure(wbScene_GetWorldDef(NULL));
    expect_assert_failure(wbScene_GetCamera(NULL));
    expect_assert_failure(wbScene_GetCameraAt(NULL, 0));
    expect_assert_failure(wbScene_GetOutput(NULL));
    expect_assert_failure(wbScene_GetTitle(NULL));
    expect_assert_failure(wbScene_GetDescription(NULL));
    expect_assert_failure(wbScene_GetFileCount(NULL));
    expect_assert_failure(wbScene_GetFile(NULL, 0));
    expect_assert_failure(wbScene_GetFile(scene, 0)); // it is a text in memory
    expect_assert_failure(wbScene_GetParticleCount(NULL));
    wbDestroyScene(scene);
    wbDestroyWorld(world);
}

static void testWorlds(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef(), zero = {0};
    wbWorld *world = makeWorld(), *other;
    char value[64];
    expect_assert_failure(wbCreateWorld(NULL, &other));
    expect_assert_failure(wbCreateWorld(&zero, &other));
    expect_assert_failure(wbCreateWorld(&def, NULL));
    wbDestroyWorld(NULL);
    expect_assert_failure(wbWorld_Step(NULL, 0));
    expect_assert_failure(wbWorld_GetTimeStep(NULL));
    expect_assert_failure(wbWorld_GetStableStep(NULL));
    expect_assert_failure(wbWorld_GetFrameRate(NULL));
    expect_assert_failure(wbWorld_SetFrameRate(NULL, 60));
    expect_assert_failure(wbWorld_GetTime(NULL));
    expect_assert_failure(wbWorld_GetStepCount(NULL));
    expect_assert_failure(wbWorld_Hash(NULL));
    expect_assert_failure(wbWorld_GetStats(NULL));
    expect_assert_failure(wbWorld_GetProfile(NULL));
    expect_assert_failure(wbWorld_GetDerived(NULL, NULL, 0, &(int){0}));
    expect_assert_failure(wbWorld_GetDerived(world, NULL, 0, NULL));
    expect_assert_failure(wbWorld_GetDerived(world, NULL, 1, &(int){0}));
    expect_assert_failure(wbWorld_SetParam(NULL, "world.dt", "1"));
    expect_assert_failure(wbWorld_SetParam(world, NULL, "1"));
    expect_assert_failure(wbWorld_SetParam(world, "world.dt", NULL));
    expect_assert_failure(wbWorld_GetParam(NULL, "world.dt", value, sizeof value));
    expect_assert_failure(wbWorld_GetParam(world, NULL, value, sizeof value));
    expect_assert_failure(wbWorld_GetParam(world, "world.dt", NULL, sizeof value));
    expect_assert_failure(wbWorld_SetBackend(NULL, wb_backendCpu, 0));
    expect_assert_failure(wbWorld_GetDevice(NULL));
    expect_assert_failure(wbWorld_GetDomain(NULL));
    expect_assert_failure(wbWorld_GetWorldParams(NULL));
    expect_assert_failure(wbWorld_HasSolver(NULL, "sph"));
    expect_assert_failure(wbWorld_HasSolver(world, NULL));
    expect_assert_failure(wbWorld_HasSolver(world, "smog"));
    expect_assert_failure(wbGetSolvers(NULL));
    expect_assert_failure(wbWorld_GetSphParams(NULL));
    expect_assert_failure(wbWorld_GetPbdParams(NULL));
    expect_assert_failure(wbWorld_GetPbfParams(NULL));
    expect_assert_failure(wbWorld_GetSimd(NULL));
    expect_assert_failure(wbWorld_Save(NULL, "file"));
    expect_assert_failure(wbWorld_Save(world, NULL));
    expect_assert_failure(wbLoadWorld(NULL, &other));
    expect_assert_failure(wbLoadWorld("file", NULL));
    expect_assert_failure(wbLoadWorldOn(NULL, wb_backendCpu, 0, &other));
    expect_assert_failure(wbLoadWorldOn("file", wb_backendCpu, 0, NULL));
    expect_assert_failure(wbWorld_SaveToBytes(NULL, &(wbBytes){0}));
    expect_assert_failure(wbWorld_SaveToBytes(world, NULL));
    expect_assert_failure(wbLoadWorldFromBytes(NULL, 0, &other));
    expect_assert_failure(wbLoadWorldFromBytes("", 0, NULL));
    expect_assert_failure(wbWorld_Restore(NULL, "", 0));
    expect_assert_failure(wbWorld_Restore(world, NULL, 0));
    expect_assert_failure(wbFreeBytes(NULL));
    expect_assert_failure(wbWorld_GetScriptTime(NULL));
    expect_assert_failure(wbWorld_SetScriptTime(NULL, 0));
    expect_assert_failure(wbWorld_SetUserData(NULL, NULL));
    expect_assert_failure(wbWorld_GetUserData(NULL));
    expect_assert_failure(wbWorld_SetGravity(NULL, (wbVec3){0}));
    expect_assert_failure(wbWorld_SetWind(NULL, (wbVec3){0}));
    expect_assert_failure(wbWorld_SetThreadCount(NULL, 1));
    expect_assert_failure(wbWorld_GetThreadCount(NULL));
    wbDestroyWorld(world);
}

static void testFluids(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbFluidDef def = wbDefaultFluidDef(), zero = {0};
    wbFluidId id = wbWorld_GetFluid(world, 0), made;
    const wbBlockDef block = {.max = {1, 1, 1}};
    const wbBallDef ball = {.radius = 1};
    const wbFillMeshDef mesh = {.scale = 1};
    const wbRandomDef random = {.max = {1, 1, 1}, .count = 1};
    wbView view;
    float place[3] = {0};
    expect_assert_failure(wbCreateFluid(NULL, &def, &made));
    expect_assert_failure(wbCreateFluid(world, NULL, &made));
    expect_assert_failure(wbCreateFluid(world, &zero, &made));
    expect_assert_failure(wbCreateFluid(world, &def, NULL));
    expect_assert_failure(wbFluid_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetFluidCount(NULL));
    expect_assert_failure(wbWorld_GetFluid(NULL, 0));
    expect_assert_failure(wbFluid_GetName(NULL, id));
    expect_assert_failure(wbFluid_SetUserData(NULL, id, NULL));
    expect_assert_failure(wbFluid_GetUserData(NULL, id));
    expect_assert_failure(wbFluid_AddParticles(NULL, id, 1, place, NULL));
    expect_assert_failure(wbFluid_AddParticles(world, id, 1, NULL, NULL));
    expect_assert_failure(wbBlockDef_CountParticles(NULL, 0.1, 3));
    expect_assert_failure(wbFluid_AddBlock(NULL, id, &block));
    expect_assert_failure(wbFluid_AddBlock(world, id, NULL));
    expect_assert_failure(wbFluid_AddBall(NULL, id, &ball));
    expect_assert_failure(wbFluid_AddBall(world, id, NULL));
    expect_assert_failure(wbFluid_AddMesh(NULL, id, &mesh));
    expect_assert_failure(wbFluid_AddMesh(world, id, NULL));
    expect_assert_failure(wbFluid_AddRandom(NULL, id, &random));
    expect_assert_failure(wbFluid_AddRandom(world, id, NULL));
    expect_assert_failure(wbFluid_RemoveParticles(NULL, id, 0, NULL));
    expect_assert_failure(wbFluid_RemoveParticles(world, id, 1, NULL));
    expect_assert_failure(wbFluid_RemoveParticlesInBox(NULL, id, block.min, block.max, NULL));
    expect_assert_failure(wbFluid_SetParticles(NULL, id, 0, NULL, NULL, NULL));
    expect_assert_failure(wbFluid_SetParticles(world, id, 1, NULL, place, NULL));
    expect_assert_failure(wbFluid_GetParticleCount(NULL, id));
    expect_assert_failure(wbFluid_GetParticleMass(NULL, id));
    expect_assert_failure(wbFluid_GetMass(NULL, id));
    expect_assert_failure(wbFluid_GetSolver(NULL, id));
    expect_assert_failure(wbFluid_GetSpacing(NULL, id));
    expect_assert_failure(wbFluid_GetRestDensity(NULL, id));
    expect_assert_failure(wbFluid_GetSupportRadius(NULL, id));
    expect_assert_failure(wbFluid_GetView(NULL, id, &view));
    expect_assert_failure(wbFluid_GetView(world, id, NULL));
    expect_assert_failure(wbFluid_CopyById(NULL, id, place, NULL));
    assertOk(wbFluid_CopyById(world, id, NULL, NULL));
    expect_assert_failure(wbWorld_GetTransfers(NULL, NULL, 0, &(int){0}));
    expect_assert_failure(wbWorld_GetTransfers(world, NULL, 0, NULL));
    expect_assert_failure(wbWorld_GetTransfers(world, NULL, 1, &(int){0}));
    const wbFluidSurfaceDef surface = wbDefaultFluidSurfaceDef();
    wbMesh built;
    expect_assert_failure(wbFluid_BuildSurface(NULL, id, &surface, &built));
    expect_assert_failure(wbFluid_BuildSurface(world, id, NULL, &built));
    expect_assert_failure(wbFluid_BuildSurface(world, id, &surface, NULL));
    expect_assert_failure(wbFluid_GetStats(NULL, id));
    wbDestroyWorld(world);
}

static void testEmittersAndDrains(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbEmitterDef emitterDef = wbDefaultEmitterDef();
    wbDrainDef drainDef = wbDefaultDrainDef();
    wbEmitterId emitter = wbWorld_GetEmitter(world, 0);
    wbDrainId drain = wbWorld_GetDrain(world, 0);
    expect_assert_failure(wbCreateEmitter(NULL, &emitterDef, &emitter));
    expect_assert_failure(wbCreateEmitter(world, NULL, &emitter));
    expect_assert_failure(wbCreateEmitter(world, &emitterDef, NULL));
    expect_assert_failure(wbEmitter_IsValid(NULL, emitter));
    expect_assert_failure(wbWorld_GetEmitterCount(NULL));
    expect_assert_failure(wbWorld_GetEmitter(NULL, 0));
    expect_assert_failure(wbEmitter_GetName(NULL, emitter));
    expect_assert_failure(wbEmitter_SetUserData(NULL, emitter, NULL));
    expect_assert_failure(wbEmitter_GetUserData(NULL, emitter));
    expect_assert_failure(wbEmitter_GetParams(NULL, emitter));
    expect_assert_failure(wbEmitter_SetRate(NULL, emitter, 1));
    expect_assert_failure(wbEmitter_GetStats(NULL, emitter));
    expect_assert_failure(wbEmitter_CountBlocked(NULL, emitter));
    expect_assert_failure(wbCreateDrain(NULL, &drainDef, &drain));
    expect_assert_failure(wbCreateDrain(world, NULL, &drain));
    expect_assert_failure(wbCreateDrain(world, &drainDef, NULL));
    expect_assert_failure(wbDrain_IsValid(NULL, drain));
    expect_assert_failure(wbWorld_GetDrainCount(NULL));
    expect_assert_failure(wbWorld_GetDrain(NULL, 0));
    expect_assert_failure(wbDrain_GetName(NULL, drain));
    expect_assert_failure(wbDrain_SetUserData(NULL, drain, NULL));
    expect_assert_failure(wbDrain_GetUserData(NULL, drain));
    expect_assert_failure(wbDrain_GetParams(NULL, drain));
    expect_assert_failure(wbDrain_GetStats(NULL, drain));
    wbDestroyWorld(world);
}

static void testColliders(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbColliderDef def = wbDefaultColliderDef(), hollow = def, pathless = def;
    const wbMesh empty = {.vertexCount = 3, .triangleCount = 1};
    wbColliderId id = wbWorld_GetCollider(world, 0);
    hollow.name = pathless.name = "new";
    hollow.params.shape = wb_shapeMesh, hollow.mesh = &empty;
    pathless.params.shape = wb_shapePipe, pathless.pathCount = 2;
    expect_assert_failure(wbCreateCollider(NULL, &def, &id));
    expect_assert_failure(wbCreateCollider(world, NULL, &id));
    expect_assert_failure(wbCreateCollider(world, &def, NULL));
    expect_assert_failure(wbCreateCollider(world, &hollow, &id));
    expect_assert_failure(wbCreateCollider(world, &pathless, &id));
    expect_assert_failure(wbCollider_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetColliderCount(NULL));
    expect_assert_failure(wbWorld_GetCollider(NULL, 0));
    expect_assert_failure(wbCollider_GetName(NULL, id));
    expect_assert_failure(wbCollider_SetUserData(NULL, id, NULL));
    expect_assert_failure(wbCollider_GetUserData(NULL, id));
    expect_assert_failure(wbCollider_GetParams(NULL, id));
    expect_assert_failure(wbCollider_SetOn(NULL, id, false));
    expect_assert_failure(wbCollider_GetMesh(NULL, id));
    expect_assert_failure(wbCollider_GetStats(NULL, id));
    expect_assert_failure(wbCollider_GetMechanism(NULL, id));
    expect_assert_failure(wbCollider_MoveTo(NULL, id, def.params.position, def.params.rotation));
    expect_assert_failure(wbCollider_Place(NULL, id, def.params.position, def.params.rotation));
    expect_assert_failure(wbCollider_SetVelocity(NULL, id, def.params.position, def.params.position));
    expect_assert_failure(wbCollider_SetPose(NULL, id, def.params.position, (const float[4]){0, 0, 0, 1}));
    wbDestroyWorld(world);
}

static void testMechanisms(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbMechanismDef def = wbDefaultMechanismDef();
    wbMechanismId id = wbWorld_GetMechanism(world, 0);
    def.name = "new", def.colliderCount = 1;
    expect_assert_failure(wbCreateMechanism(NULL, &def, &id));
    expect_assert_failure(wbCreateMechanism(world, NULL, &id));
    expect_assert_failure(wbCreateMechanism(world, &def, NULL));
    expect_assert_failure(wbCreateMechanism(world, &def, &id)); // without its colliders
    expect_assert_failure(wbMechanism_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetMechanismCount(NULL));
    expect_assert_failure(wbWorld_GetMechanism(NULL, 0));
    expect_assert_failure(wbMechanism_GetName(NULL, id));
    expect_assert_failure(wbMechanism_SetUserData(NULL, id, NULL));
    expect_assert_failure(wbMechanism_GetUserData(NULL, id));
    expect_assert_failure(wbMechanism_GetParams(NULL, id));
    expect_assert_failure(wbMechanism_SetOpen(NULL, id, 1));
    expect_assert_failure(wbMechanism_SetSpeed(NULL, id, 1));
    expect_assert_failure(wbMechanism_GetStats(NULL, id));
    wbDestroyWorld(world);
}

static void testSoftBodies(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbSoftBodyDef def = wbDefaultSoftBodyDef(), pinned = def;
    wbSoftBodyId id = wbWorld_GetSoftBody(world, 0);
    wbView view;
    int colours[100];
    double error;
    pinned.name = "new", pinned.pinCount = 1;
    expect_assert_failure(wbCreateSoftBody(NULL, &def, &id));
    expect_assert_failure(wbCreateSoftBody(world, NULL, &id));
    expect_assert_failure(wbCreateSoftBody(world, &def, NULL));
    expect_assert_failure(wbCreateSoftBody(world, &pinned, &id));
    expect_assert_failure(wbSoftBody_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetSoftBodyCount(NULL));
    expect_assert_failure(wbWorld_GetSoftBody(NULL, 0));
    expect_assert_failure(wbSoftBody_GetName(NULL, id));
    expect_assert_failure(wbSoftBody_SetUserData(NULL, id, NULL));
    expect_assert_failure(wbSoftBody_GetUserData(NULL, id));
    expect_assert_failure(wbSoftBody_GetParams(NULL, id));
    expect_assert_failure(wbSoftBody_GetContactRadius(NULL, id));
    expect_assert_failure(wbSoftBody_GetParticleCount(NULL, id));
    expect_assert_failure(wbSoftBody_GetView(NULL, id, &view));
    expect_assert_failure(wbSoftBody_GetView(world, id, NULL));
    expect_assert_failure(wbSoftBody_GetMesh(NULL, id));
    expect_assert_failure(wbSoftBody_Pin(NULL, id, 0, true));
    expect_assert_failure(wbSoftBody_MovePin(NULL, id, 0, (wbVec3){0}));
    expect_assert_failure(wbSoftBody_GetPins(NULL, id, NULL, 0, &(int){0}));
    expect_assert_failure(wbSoftBody_GetPins(world, id, NULL, 0, NULL));
    expect_assert_failure(wbSoftBody_GetPins(world, id, NULL, 1, &(int){0}));
    expect_assert_failure(wbSoftBody_Attach(NULL, id, 0, (wbRigidBodyId){0}, NULL));
    expect_assert_failure(wbSoftBody_Attach(world, id, 0, (wbRigidBodyId){0}, NULL));
    expect_assert_failure(wbSoftBody_Detach(NULL, id, 0));
    expect_assert_failure(wbSoftBody_Detach(world, id, 1000000));
    expect_assert_failure(wbSoftBody_GetAttachments(NULL, id, NULL, 0, &(int){0}));
    expect_assert_failure(wbSoftBody_GetAttachments(world, id, NULL, 0, NULL));
    expect_assert_failure(wbSoftBody_GetAttachments(world, id, NULL, 1, &(int){0}));
    expect_assert_failure(wbWorld_GetConstraintCount(NULL));
    expect_assert_failure(wbWorld_HashConstraints(NULL));
    expect_assert_failure(wbWorld_GetColours(NULL, colours));
    expect_assert_failure(wbWorld_GetColours(world, NULL));
    expect_assert_failure(wbWorld_SetColours(NULL, colours));
    expect_assert_failure(wbWorld_SetColours(world, NULL));
    expect_assert_failure(wbWorld_GetLengthError(NULL, &error));
    expect_assert_failure(wbWorld_GetLengthError(world, NULL));
    wbDestroyWorld(world);
}

static void testSmoke(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbSourceDef def = wbDefaultSourceDef();
    wbSourceId id = wbWorld_GetSource(world, 0);
    wbSmokeView view;
    expect_assert_failure(wbWorld_GetSmokeView(NULL, &view));
    expect_assert_failure(wbWorld_GetSmokeView(world, NULL));
    wbDiffuseView diffuse;
    expect_assert_failure(wbWorld_GetDiffuseView(NULL, &diffuse));
    expect_assert_failure(wbWorld_GetDiffuseView(world, NULL));
    assertOk(wbWorld_GetDiffuseView(world, &diffuse));
    assert_int_equal(diffuse.count, 0);
    expect_assert_failure(wbWorld_GetSmokeStats(NULL));
    expect_assert_failure(wbWorld_GetCellCount(NULL));
    expect_assert_failure(wbWorld_GetSmokeParams(NULL));
    expect_assert_failure(wbCreateSource(NULL, &def, &id));
    expect_assert_failure(wbCreateSource(world, NULL, &id));
    expect_assert_failure(wbCreateSource(world, &def, NULL));
    expect_assert_failure(wbSource_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetSourceCount(NULL));
    expect_assert_failure(wbWorld_GetSource(NULL, 0));
    expect_assert_failure(wbSource_GetName(NULL, id));
    expect_assert_failure(wbSource_SetUserData(NULL, id, NULL));
    expect_assert_failure(wbSource_GetUserData(NULL, id));
    expect_assert_failure(wbSource_GetParams(NULL, id));
    wbDestroyWorld(world);
}

static void testGrabs(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbGrabDef def = wbDefaultGrabDef(), zero = {0};
    wbGrabId id;
    wbVec3 point;
    char of[8];
    bool isThere;
    assertOk(wbCreateGrab(world, &def, &id));
    expect_assert_failure(wbCreateGrab(NULL, &def, &id));
    expect_assert_failure(wbCreateGrab(world, NULL, &id));
    expect_assert_failure(wbCreateGrab(world, &zero, &id));
    expect_assert_failure(wbCreateGrab(world, &def, NULL));
    expect_assert_failure(wbDestroyGrab(NULL, id));
    expect_assert_failure(wbGrab_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetGrabCount(NULL));
    expect_assert_failure(wbWorld_GetGrab(NULL, 0));
    expect_assert_failure(wbWorld_GetGrab(world, 1));
    expect_assert_failure(wbGrab_GetName(NULL, id));
    expect_assert_failure(wbGrab_SetUserData(NULL, id, world));
    expect_assert_failure(wbGrab_GetUserData(NULL, id));
    expect_assert_failure(wbGrab_GetParams(NULL, id));
    expect_assert_failure(wbGrab_SetTarget(NULL, id, (wbVec3){0}));
    expect_assert_failure(wbGrab_SetOn(NULL, id, true));
    expect_assert_failure(wbGrab_SetOf(NULL, id, ""));
    expect_assert_failure(wbGrab_SetOf(world, id, NULL));
    expect_assert_failure(wbGrab_GetOf(NULL, id, of, sizeof of));
    expect_assert_failure(wbGrab_GetOf(world, id, NULL, 0));
    expect_assert_failure(wbGrab_GetPoint(NULL, id, &isThere, &point));
    expect_assert_failure(wbGrab_GetPoint(world, id, NULL, &point));
    expect_assert_failure(wbWorld_Apply(NULL, "world.dt", "auto"));
    expect_assert_failure(wbWorld_Apply(world, NULL, "auto"));
    expect_assert_failure(wbWorld_Apply(world, "world.dt", NULL));
    expect_assert_failure(wbIsCommandKey(NULL));
    wbDestroyWorld(world);
}

static void testProbesAndQueries(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    wbProbeDef def = wbDefaultProbeDef(), zero = {0};
    wbProbeId id;
    wbProbeValues values;
    assertOk(wbCreateProbe(world, &def, &id));
    expect_assert_failure(wbCreateProbe(NULL, &def, &id));
    expect_assert_failure(wbCreateProbe(world, NULL, &id));
    expect_assert_failure(wbCreateProbe(world, &zero, &id));
    expect_assert_failure(wbCreateProbe(world, &def, NULL));
    expect_assert_failure(wbDestroyProbe(NULL, id));
    expect_assert_failure(wbProbe_IsValid(NULL, id));
    expect_assert_failure(wbWorld_GetProbeCount(NULL));
    expect_assert_failure(wbWorld_GetProbe(NULL, 0));
    expect_assert_failure(wbProbe_GetName(NULL, id));
    expect_assert_failure(wbProbe_GetParams(NULL, id));
    expect_assert_failure(wbProbe_SetUserData(NULL, id, world));
    expect_assert_failure(wbProbe_GetUserData(NULL, id));
    expect_assert_failure(wbProbe_GetValues(NULL, id, &values));
    expect_assert_failure(wbProbe_GetValues(world, id, NULL));
    const wbQueryFilter filter = wbDefaultQueryFilter();
    const wbVec3 p = {1, 1, 1};
    wbRayHit hit;
    wbNearest nearest;
    wbQueryObject object;
    int count;
    expect_assert_failure(wbWorld_CastRay(NULL, p, p, &filter, &hit));
    expect_assert_failure(wbWorld_CastRay(world, p, p, NULL, &hit));
    expect_assert_failure(wbWorld_CastRay(world, p, p, &filter, NULL));
    expect_assert_failure(wbWorld_CastRayAll(NULL, p, p, &filter, &hit, 1, &count));
    expect_assert_failure(wbWorld_CastRayAll(world, p, p, &filter, &hit, 1, NULL));
    expect_assert_failure(wbWorld_OverlapBox(NULL, p, p, &filter, &object, 1, &count));
    expect_assert_failure(wbWorld_OverlapBox(world, p, p, NULL, &object, 1, &count));
    expect_assert_failure(wbWorld_OverlapSphere(NULL, p, 1, &filter, &object, 1, &count));
    expect_assert_failure(wbWorld_OverlapSphere(world, p, 1, &filter, NULL, 1, &count));
    expect_assert_failure(wbWorld_FindNearest(NULL, p, 1, &filter, &nearest));
    expect_assert_failure(wbWorld_FindNearest(world, p, 1, &filter, NULL));
    wbDestroyWorld(world);
}

static void assertRefused(wbStatus status, const char *text) {
    if (!strstr(status.text, text)) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
    assert_int_equal(status.code, wb_errorInput);
}

static void testBackends(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    assertRefused(wbWorld_SetBackend(world, (wbBackend)99, 0), "world.backend is 99, allowed is cpu|opencl");
    assertRefused(wbWorld_SetBackend(world, (wbBackend)-1, 0), "world.backend is -1");
    assertRefused(wbWorld_SetBackend(world, wb_backendCpu, 256), "world.device is 256, allowed is -1 to 255");
    assert_int_equal(wbWorld_GetWorldParams(world)->backend, wb_backendCpu);
    assertOk(wbWorld_SetBackend(world, wb_backendCpu, 255));
    assertOk(wbWorld_Step(world, 0));
    wbDestroyWorld(world);
}

// A value that does not fit is not passed off as one that does.
static void testValuesFit(void **state) {
    (void)state;
    const struct {
        const char *key, *value;
    } cases[] = {{"world.gravity", "0,-9.81,0"},   {"sph.spacing", "0.1"},
                 {"pbf.constraint", "inequality"}, {"pbd.radius", "0"},
                 {"smoke.follow", "false"},        {"jet.position", "0.5,0.5,0.5"},
                 {"domain.max", "1,1,1"}};
    wbWorld *world = makeWorld();
    wbScene *scene;
    assertOk(wbReadSceneText("test", "{}", 2, &scene));
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        int size = (int)strlen(cases[c].value) + 1;
        char value[64], needed[128];
        assertOk(wbWorld_GetParam(world, cases[c].key, value, size));
        assert_string_equal(value, cases[c].value);
        snprintf(needed, sizeof needed, "takes %d bytes with the zero at its end, there is room for %d", size,
                 size - 1);
        assertRefused(wbWorld_GetParam(world, cases[c].key, value, size - 1), needed);
        if (size > 2) assertRefused(wbWorld_GetParam(world, cases[c].key, value, 1), "takes ");
    }
    char value[8];
    assertRefused(wbScene_Get(scene, "output.size", value, 8), "takes 9 bytes");
    assertRefused(wbScene_Get(scene, "output.size", value, 1), "takes 9 bytes");
    wbDestroyScene(scene);
    wbDestroyWorld(world);
}

// Rigid bodies, joints and forces: all of their functions need a world.
static void testRigidBodies(void **state) {
    (void)state;
    wbWorld *world = makeWorld();
    const wbRigidBodyDef def = wbDefaultRigidBodyDef();
    const wbRigidBodyDef wrong = {.cookie = 0};
    wbRigidBodyDef pointed = def;
    wbRigidPartDef part = wbDefaultRigidPartDef();
    const wbJointDef jointDef = wbDefaultJointDef(), wrongJoint = {.cookie = 0};
    wbForceDef forceDef = wbDefaultForceDef();
    wbRigidBodyId body;
    wbJointId joint = {0};
    wbForceId force = {0};
    wbRigidMotion motion;
    wbRigidView view;
    wbJointReading reading;
    const wbRigidEvent *events;
    const wbWaterEvent *waterEvents;
    const wbVec3 v = {0};
    const float q[4] = {0, 0, 0, 1};
    bool isAwake;
    int count;
    assertOk(wbCreateRigidBody(world, &def, &body));
    pointed.pointCount = 1;
    expect_assert_failure(wbCreateRigidBody(world, &pointed, &body));
    pointed.pointCount = 0, pointed.partCount = 1;
    expect_assert_failure(wbCreateRigidBody(world, &pointed, &body));
    part.cookie = 0, pointed.parts = &part;
    expect_assert_failure(wbCreateRigidBody(world, &pointed, &body));
    expect_assert_failure(wbCreateRigidBody(NULL, &def, &body));
    expect_assert_failure(wbCreateRigidBody(world, NULL, &body));
    expect_assert_failure(wbCreateRigidBody(world, &wrong, &body));
    expect_assert_failure(wbCreateRigidBody(world, &def, NULL));
    expect_assert_failure(wbCreateJoint(NULL, &jointDef, &joint));
    expect_assert_failure(wbCreateJoint(world, &wrongJoint, &joint));
    expect_assert_failure(wbCreateJoint(world, &jointDef, NULL));
    expect_assert_failure(wbCreateForce(NULL, &forceDef, &force));
    expect_assert_failure(wbCreateForce(world, &forceDef, NULL));
    forceDef.bodyCount = 1;
    expect_assert_failure(wbCreateForce(world, &forceDef, &force));
    expect_assert_failure(wbRigidBody_GetMotion(world, body, NULL));
    expect_assert_failure(wbRigidBody_SetPose(world, body, v, NULL));
    expect_assert_failure(wbRigidBody_IsAwake(world, body, NULL));
    expect_assert_failure(wbWorld_GetRigidView(world, NULL));
    expect_assert_failure(wbWorld_GetContacts(world, NULL, 1, &count));
    expect_assert_failure(wbJoint_GetParams(world, joint));
    expect_assert_failure(wbForce_GetParams(world, force));
    expect_assert_failure(wbRigidBody_IsValid(NULL, body));
    expect_assert_failure(wbWorld_GetRigidBodyCount(NULL));
    expect_assert_failure(wbWorld_GetRigidBody(NULL, 0));
    expect_assert_failure(wbRigidBody_GetName(NULL, body));
    expect_assert_failure(wbRigidBody_SetUserData(NULL, body, NULL));
    expect_assert_failure(wbRigidBody_GetUserData(NULL, body));
    expect_assert_failure(wbRigidBody_GetParams(NULL, body));
    expect_assert_failure(wbWorld_GetRigidParams(NULL));
    expect_assert_failure(wbRigidBody_GetMotion(NULL, body, &motion));
    expect_assert_failure(wbRigidBody_SetPose(NULL, body, v, q));
    expect_assert_failure(wbRigidBody_SetVelocity(NULL, body, v));
    expect_assert_failure(wbRigidBody_SetSpin(NULL, body, v));
    expect_assert_failure(wbRigidBody_GetMass(NULL, body));
    expect_assert_failure(wbRigidBody_GetWater(NULL, body));
    expect_assert_failure(wbRigidBody_ApplyForce(NULL, body, v));
    expect_assert_failure(wbRigidBody_ApplyForceAt(NULL, body, v, v));
    expect_assert_failure(wbRigidBody_ApplyTorque(NULL, body, v));
    expect_assert_failure(wbRigidBody_ApplyImpulse(NULL, body, v));
    expect_assert_failure(wbRigidBody_ApplyImpulseAt(NULL, body, v, v));
    expect_assert_failure(wbRigidBody_ApplyAngularImpulse(NULL, body, v));
    expect_assert_failure(wbRigidBody_Wake(NULL, body));
    expect_assert_failure(wbRigidBody_Sleep(NULL, body));
    expect_assert_failure(wbRigidBody_IsAwake(NULL, body, &isAwake));
    expect_assert_failure(wbRigidBody_SetType(NULL, body, wb_rigidStatic));
    expect_assert_failure(wbRigidBody_SetOn(NULL, body, true));
    expect_assert_failure(wbRigidBody_SetGravityScale(NULL, body, 1));
    expect_assert_failure(wbRigidBody_GetMesh(NULL, body));
    expect_assert_failure(wbRigidBody_GetMeshKey(NULL, body));
    expect_assert_failure(wbRigidBody_SampleSurface(NULL, body, 1, NULL, NULL, 0, &count));
    expect_assert_failure(wbRigidBody_GetParticles(NULL, body, NULL, 0, &count, NULL));
    expect_assert_failure(wbWorld_GetTies(NULL, NULL, 0, &count));
    expect_assert_failure(wbWorld_GetRigidView(NULL, &view));
    expect_assert_failure(wbWorld_GetContacts(NULL, NULL, 0, &count));
    expect_assert_failure(wbWorld_GetRigidEvents(NULL, &events, &count));
    expect_assert_failure(wbWorld_GetWaterEvents(NULL, &waterEvents, &count));
    expect_assert_failure(wbJoint_IsValid(NULL, joint));
    expect_assert_failure(wbWorld_GetJointCount(NULL));
    expect_assert_failure(wbWorld_GetJoint(NULL, 0));
    expect_assert_failure(wbJoint_GetName(NULL, joint));
    expect_assert_failure(wbJoint_SetUserData(NULL, joint, NULL));
    expect_assert_failure(wbJoint_GetUserData(NULL, joint));
    expect_assert_failure(wbJoint_GetParams(NULL, joint));
    expect_assert_failure(wbJoint_GetFirst(NULL, joint));
    expect_assert_failure(wbJoint_GetSecond(NULL, joint));
    expect_assert_failure(wbJoint_GetReading(NULL, joint, &reading));
    expect_assert_failure(wbJoint_SetMotor(NULL, joint, true, 1, 1));
    expect_assert_failure(wbJoint_SetLimits(NULL, joint, true, 0, 1));
    expect_assert_failure(wbJoint_SetSpring(NULL, joint, 1, 1));
    expect_assert_failure(wbJoint_SetOn(NULL, joint, true));
    expect_assert_failure(wbForce_IsValid(NULL, force));
    expect_assert_failure(wbWorld_GetForceCount(NULL));
    expect_assert_failure(wbWorld_GetForce(NULL, 0));
    expect_assert_failure(wbForce_GetName(NULL, force));
    expect_assert_failure(wbForce_SetUserData(NULL, force, NULL));
    expect_assert_failure(wbForce_GetUserData(NULL, force));
    expect_assert_failure(wbForce_GetParams(NULL, force));
    expect_assert_failure(wbForce_SetOn(NULL, force, true));
    expect_assert_failure(wbForce_SetVector(NULL, force, v));
    expect_assert_failure(wbForce_SetFunction(NULL, force, NULL, NULL));
    wbDestroyWorld(world);
}

// Functions that take no pointer, or say that each may be NULL.
static const char *const others[] = {
    "wbGetVersion",          "wbGetCompiler",
    "wbSetAllocator",        "wbSetLog",
    "wbSetAssert",           "wbDefaultWorldDef",
    "wbDefaultFluidDef",     "wbDefaultEmitterDef",
    "wbDefaultDrainDef",     "wbDefaultSoftBodyDef",
    "wbDefaultColliderDef",  "wbDefaultMechanismDef",
    "wbDefaultSourceDef",    "wbDefaultFluidSurfaceDef",
    "wbGetVersionNumber",    "wbDefaultProbeDef",
    "wbDefaultQueryFilter",  "wbDefaultRigidBodyDef",
    "wbDefaultRigidPartDef", "wbDefaultJointDef",
    "wbDefaultForceDef",     "wbDefaultGrabDef",
};

// Each function that a header declares at the start of a line is tried above.
static void testNothingIsLeftOut(void **state) {
    (void)state;
    static const char *const headers[] = {"base",   "mesh",  "params", "types",
                                          "wirbel", "rigid", "query",  "scene"};
    size_t size;
    int count = 0;
    char *own = readAll(WB_SOURCE_DIR "/tests/test_api.c", &size);
    for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++) {
        char path[1024], *line;
        snprintf(path, sizeof path, WB_SOURCE_DIR "/include/wirbel/%s.h", headers[h]);
        char *text = readAll(path, &size);
        for (char *rest = text; (line = strtok_r(rest, "\n", &rest));) {
            char *open = strchr(line, '('), *name = open, call[128];
            if (!isalpha((unsigned char)line[0]) || strncmp(line, "typedef", 7) == 0 || !open) continue;
            while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
            if (strncmp(name, "wb", 2) != 0) continue;
            snprintf(call, sizeof call, "expect_assert_failure(%.*s(", (int)(open - name), name);
            bool isTried = strstr(own, call) != NULL;
            for (size_t o = 0; o < sizeof others / sizeof others[0]; o++)
                isTried |= strlen(others[o]) == (size_t)(open - name) &&
                           strncmp(others[o], name, (size_t)(open - name)) == 0;
            isTried |= strstr(call, "(wbDestroy") != NULL || strstr(line, "static inline") != NULL;
            if (!isTried) fail_msg("%.*s of wirbel/%s.h is not tried", (int)(open - name), name, headers[h]);
            count++;
        }
        test_free(text);
    }
    test_free(own);
    assert_true(count > 140);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFilesAndTables),
        cmocka_unit_test(testScenes),
        cmocka_unit_test(testWorlds),
        cmocka_unit_test(testFluids),
        cmocka_unit_test(testEmittersAndDrains),
        cmocka_unit_test(testColliders),
        cmocka_unit_test(testMechanisms),
        cmocka_unit_test(testSoftBodies),
        cmocka_unit_test(testRigidBodies),
        cmocka_unit_test(testSmoke),
        cmocka_unit_test(testProbesAndQueries),
        cmocka_unit_test(testGrabs),
        cmocka_unit_test(testBackends),
        cmocka_unit_test(testValuesFit),
        cmocka_unit_test(testNothingIsLeftOut),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
