// SPDX-License-Identifier: MIT
#include "app/exports.h"

#include <stdio.h>

#include "core/memory.h"
#include "core/status.h"
#include "io/mhd.h"
#include "io/output_folder.h"
#include "io/ply.h"
#include "io/vdb.h"

static bool canHaveWater(const wbWorld *world) {
    bool can = false;
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++)
        can |= wbWorld_GetEmitterCount(world) > 0 ||
               wbFluid_GetParticleCount(world, wbWorld_GetFluid(world, i)) > 0;
    return can;
}

// Files that nothing of the scene could ever stand in.
static wbStatus checkContent(const wbOptions *options, const wbWorld *world) {
    bool hasAir = wbWorld_GetCellCount(world) > 0, hasParticles = wbWorld_GetSoftBodyCount(world) > 0 ||
                                                                  wbWorld_GetRigidBodyCount(world) > 0 ||
                                                                  canHaveWater(world);
    const char *flag = options->vdb ? "--vdb" : "--raw";
    if ((options->vdb || options->raw) && !hasAir)
        return wbError(wb_errorInput,
                       "%s writes smoke, but the scene has none: give it \"smoke\", or leave %s out", flag,
                       flag);
    if (options->ply && !hasParticles)
        return wbError(wb_errorInput, "--ply writes particles, but the scene has none%s",
                       hasAir ? ": its smoke is written by --vtk, --vdb and --raw"
                              : " and nothing emits any");
    if (options->vtk && !hasParticles && !hasAir)
        return wbError(wb_errorInput, "--vtk writes particles and smoke, but the scene has neither");
    if (options->surface && !canHaveWater(world))
        return wbError(wb_errorInput, "--surface writes the surface of fluids, but the scene has none%s%s",
                       wbWorld_GetFluidCount(world) > 0 ? " with particles, and nothing emits any" : "",
                       wbWorld_GetSoftBodyCount(world) > 0
                           ? ": soft bodies and their triangles are written by --ply and --vtk"
                           : "");
    if (options->poses && wbWorld_GetColliderCount(world) == 0 && wbWorld_GetRigidBodyCount(world) == 0)
        return wbError(wb_errorInput,
                       "--poses writes where colliders and rigid bodies are, but the scene has none");
    return wb_okStatus;
}

static wbStatus openBodies(wbExports *exports, const wbWorld *world) {
    exports->fluidCount = wbWorld_GetFluidCount(world);
    exports->softEnd = exports->fluidCount + wbWorld_GetSoftBodyCount(world);
    exports->bodyCount = exports->softEnd + wbWorld_GetRigidBodyCount(world);
    if (exports->bodyCount == 0) return wb_okStatus;
    exports->bodies = wbAllocZero(NULL, (size_t)exports->bodyCount * sizeof *exports->bodies);
    exports->surfaces = wbAllocZero(NULL, (size_t)exports->bodyCount * sizeof *exports->surfaces);
    return exports->bodies && exports->surfaces ? wb_okStatus
                                                : wbError(wb_errorMemory, "no memory for files of particles");
}

// Particles of worlds that can have some, smoke of those that have it.
static wbStatus openVtk(wbExports *exports, const wbWorld *world) {
    const char *folder = exports->options->vtk;
    bool hasAir = wbWorld_GetCellCount(world) > 0;
    if (!hasAir || exports->bodyCount > 0) WB_TRY(wbVtkSeries_Open(folder, "particles", &exports->particles));
    return hasAir ? wbVtkSeries_OpenAir(folder, &exports->air) : wb_okStatus;
}

// The meshes of colliders and rigid bodies as they are in their own frames, once, and the file of their poses.
static wbStatus openPoses(wbExports *exports, const wbWorld *world) {
    const char *folder = exports->options->poses;
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFilePath(path, folder, "poses", "csv"));
    WB_TRY(wbPosesFile_Open(path, &exports->poses));
    if (wbWorld_GetRigidBodyCount(world) > 0) WB_TRY(wbWriteBodyMeshes(folder, world));
    for (int i = 0; i < wbWorld_GetColliderCount(world); i++) {
        const wbColliderId id = wbWorld_GetCollider(world, i);
        const wbWrittenBody body = wbWriteMeshAs(wbCollider_GetMesh(world, id));
        WB_TRY(wbMakeFilePath(path, folder, wbCollider_GetName(world, id), "ply"));
        WB_TRY(wbWritePly(path, &body, 1));
    }
    return wb_okStatus;
}

static wbStatus openAll(wbExports *exports, const wbWorld *world) {
    const wbOptions *options = exports->options;
    const char *const folders[] = {options->ply, options->vtk,     options->vdb,
                                   options->raw, options->surface, options->poses};
    WB_TRY(checkContent(options, world));
    WB_TRY(openBodies(exports, world));
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++)
        if (folders[f]) WB_TRY(wbTryFolder(folders[f]));
    if (options->surface) WB_TRY(wbVtkSeries_Open(options->surface, "surface", &exports->surface));
    if (options->vtk) WB_TRY(openVtk(exports, world));
    return options->poses ? openPoses(exports, world) : wb_okStatus; // last: it writes the first files
}

wbStatus wbExports_Open(wbExports *exports, const wbOptions *options, const wbScene *scene,
                        const wbWorld *world) {
    *exports = (wbExports){.options = options, .scene = scene};
    wbStatus status = openAll(exports, world);
    if (!wbIsOk(status)) wbExports_Abort(exports);
    return status;
}

static void freeSurfaces(wbExports *exports) {
    for (int i = 0; i < exports->fluidCount; i++) wbFreeMesh(&exports->surfaces[i]);
}

// q v q* + p
static wbVec3 place(const wbRigidMotion *motion, const float *v) {
    const float *r = motion->rotation;
    const wbVec3 q = {r[0], r[1], r[2]}, local = {v[0], v[1], v[2]};
    const wbVec3 turned = wbAdd(wbCross(q, local), wbScale(r[3], local));
    return wbAdd(motion->position, wbAdd(local, wbScale(2, wbCross(q, turned))));
}

// Their meshes where they are.
static wbStatus listRigidBodies(wbExports *exports, wbWorld *world) {
    int64_t total = 0;
    for (int i = exports->softEnd; i < exports->bodyCount; i++)
        total += wbRigidBody_GetMesh(world, wbWorld_GetRigidBody(world, i - exports->softEnd))->vertexCount;
    exports->vertices.elementSize = sizeof(float[3]);
    if (total > INT32_MAX / 4 || !wbArray_Reserve(NULL, &exports->vertices, (int)total))
        return wbMemoryError(NULL, "files of rigid bodies need");
    wbVec3 *vertices = exports->vertices.data;
    for (int i = exports->softEnd; i < exports->bodyCount; i++) {
        const wbRigidBodyId id = wbWorld_GetRigidBody(world, i - exports->softEnd);
        wbMesh mesh = *wbRigidBody_GetMesh(world, id);
        wbRigidMotion motion;
        WB_TRY(wbRigidBody_GetMotion(world, id, &motion));
        for (int v = 0; v < mesh.vertexCount; v++)
            vertices[v] = place(&motion, mesh.vertices + 3 * (size_t)v);
        mesh.vertices = &vertices->x, vertices += mesh.vertexCount;
        exports->bodies[i] = wbWriteMeshAs(&mesh);
    }
    return wb_okStatus;
}

static wbStatus listParticles(wbExports *exports, wbWorld *world) {
    for (int i = 0; i < exports->fluidCount; i++) {
        exports->bodies[i] = (wbWrittenBody){0};
        WB_TRY(wbFluid_GetView(world, wbWorld_GetFluid(world, i), &exports->bodies[i].view));
    }
    for (int i = exports->fluidCount; i < exports->softEnd; i++) {
        const wbSoftBodyId id = wbWorld_GetSoftBody(world, i - exports->fluidCount);
        const wbSoftBodyMesh mesh = wbSoftBody_GetMesh(world, id);
        exports->bodies[i] = (wbWrittenBody){.triangles = mesh.triangles,
                                             .triangleCount = mesh.triangleCount,
                                             .firstPoint = mesh.firstParticle};
        WB_TRY(wbSoftBody_GetView(world, id, &exports->bodies[i].view));
    }
    return listRigidBodies(exports, world);
}

static wbStatus writeParticles(wbExports *exports, wbWorld *world, int frame) {
    const char *folder = exports->options->ply;
    char path[WB_MAX_PATH];
    WB_TRY(listParticles(exports, world));
    if (folder) {
        WB_TRY(wbMakeFramePath(path, folder, "particles", frame, "ply"));
        WB_TRY(wbWritePly(path, exports->bodies, exports->bodyCount));
    }
    if (!exports->particles) return wb_okStatus;
    return wbVtkSeries_AddFrame(exports->particles, frame, wbWorld_GetTime(world), exports->bodies,
                                exports->bodyCount);
}

// A file of its own per frame, from the first on in which there can be some.
static wbStatus writeDiffuse(wbExports *exports, wbWorld *world, int frame) {
    const wbOptions *options = exports->options;
    char path[WB_MAX_PATH];
    wbDiffuseView view;
    WB_TRY(wbWorld_GetDiffuseView(world, &view));
    const wbWrittenBody body = wbWriteDiffuseAs(&view);
    if (!(view.radius > 0)) return wb_okStatus;
    if (options->ply) {
        WB_TRY(wbMakeFramePath(path, options->ply, "diffuse", frame, "ply"));
        WB_TRY(wbWritePly(path, &body, 1));
    }
    if (!options->vtk) return wb_okStatus;
    if (!exports->diffuse) WB_TRY(wbVtkSeries_Open(options->vtk, "diffuse", &exports->diffuse));
    return wbVtkSeries_AddFrame(exports->diffuse, frame, wbWorld_GetTime(world), &body, 1);
}

static wbStatus buildSurfaces(wbExports *exports, wbWorld *world) {
    const wbOutputParams *output = wbScene_GetOutput(exports->scene);
    wbFluidSurfaceDef def = wbDefaultFluidSurfaceDef();
    def.cellSize = output->surfaceCell;
    def.radius = output->surfaceRadius;
    def.smoothing = output->surfaceSmoothing;
    for (int i = 0; i < exports->fluidCount; i++) {
        WB_TRY(wbFluid_BuildSurface(world, wbWorld_GetFluid(world, i), &def, &exports->surfaces[i]));
        exports->bodies[i] = wbWriteMeshAs(&exports->surfaces[i]);
    }
    return wb_okStatus;
}

static wbStatus writeSurfaces(wbExports *exports, wbWorld *world, int frame) {
    char path[WB_MAX_PATH];
    WB_TRY(buildSurfaces(exports, world));
    WB_TRY(wbMakeFramePath(path, exports->options->surface, "surface", frame, "ply"));
    WB_TRY(wbWritePly(path, exports->bodies, exports->fluidCount));
    return wbVtkSeries_AddFrame(exports->surface, frame, wbWorld_GetTime(world), exports->bodies,
                                exports->fluidCount);
}

static wbStatus writeAir(wbExports *exports, wbWorld *world, int frame) {
    const wbOptions *options = exports->options;
    const double time = wbWorld_GetTime(world);
    char path[WB_MAX_PATH];
    wbSmokeView air;
    WB_TRY(wbWorld_GetSmokeView(world, &air));
    if (exports->air) WB_TRY(wbVtkSeries_AddAir(exports->air, frame, time, &air));
    if (options->vdb) {
        WB_TRY(wbMakeFramePath(path, options->vdb, "air", frame, "vdb"));
        WB_TRY(wbWriteVdb(path, &air, time));
    }
    return options->raw ? wbWriteMhd(options->raw, frame, &air) : wb_okStatus;
}

// Brings back from a compute device what is going to be written, and nothing else.
wbStatus wbExports_WriteFrame(wbExports *exports, wbWorld *world, int frame) {
    const wbOptions *options = exports->options;
    if (options->ply || exports->particles) WB_TRY(writeParticles(exports, world, frame));
    if (options->ply || options->vtk) WB_TRY(writeDiffuse(exports, world, frame));
    if (exports->air || options->vdb || options->raw) WB_TRY(writeAir(exports, world, frame));
    if (exports->poses) WB_TRY(wbPosesFile_AddFrame(exports->poses, frame, world));
    if (!exports->surface) return wb_okStatus;
    wbStatus status = writeSurfaces(exports, world, frame);
    freeSurfaces(exports);
    return status;
}

static void freeAll(wbExports *exports) {
    const size_t count = (size_t)exports->bodyCount;
    wbFree(NULL, exports->bodies, count * sizeof *exports->bodies);
    wbFree(NULL, exports->surfaces, count * sizeof *exports->surfaces);
    wbArray_Free(NULL, &exports->vertices);
    *exports = (wbExports){0};
}

wbStatus wbExports_Close(wbExports *exports) {
    wbVtkSeries *const series[] = {exports->particles, exports->air, exports->surface, exports->diffuse};
    wbStatus first = exports->poses ? wbPosesFile_Close(exports->poses) : wb_okStatus;
    for (size_t s = 0; s < sizeof series / sizeof series[0]; s++) {
        wbStatus status = series[s] ? wbVtkSeries_Close(series[s]) : wb_okStatus;
        if (wbIsOk(first)) first = status;
    }
    freeAll(exports);
    return first;
}

void wbExports_Abort(wbExports *exports) {
    wbVtkSeries_Abort(exports->particles);
    wbVtkSeries_Abort(exports->air);
    wbVtkSeries_Abort(exports->surface);
    wbVtkSeries_Abort(exports->diffuse);
    wbPosesFile_Abort(exports->poses);
    freeAll(exports);
}
