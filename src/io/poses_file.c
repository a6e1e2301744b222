// SPDX-License-Identifier: MIT
#include "io/poses_file.h"

#include <stdio.h>

#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "io/output_folder.h"
#include "io/ply.h"

struct wbPosesFile {
    wbOutputFile file;
};

static wbStatus openFile(wbOutputFile *file, const char *path) {
    WB_TRY(wbOutputFile_Open(file, path));
    return wbOutputFile_Print(file, "frame,time,name,x,y,z,qx,qy,qz,qw\n");
}

wbStatus wbPosesFile_Open(const char *path, wbPosesFile **file) {
    *file = NULL;
    wbPosesFile *made = wbAllocZero(NULL, sizeof *made);
    if (made == NULL) return wbError(wb_errorMemory, "no memory to write %.150s", path);
    wbStatus status = openFile(&made->file, path);
    if (wbIsOk(status))
        *file = made;
    else
        wbFree(NULL, made, sizeof *made);
    return status;
}

typedef struct Line {
    int frame;
    double time;
    const char *name;
    const float *position, *rotation;
} Line;

static wbStatus addLine(wbOutputFile *file, const Line *line) {
    WB_TRY(wbOutputFile_Print(file, "%d,%.9g,%s", line->frame, line->time, line->name));
    for (int a = 0; a < 3; ++a) WB_TRY(wbOutputFile_Print(file, ",%.9g", (double)line->position[a]));
    for (int a = 0; a < 4; ++a) WB_TRY(wbOutputFile_Print(file, ",%.9g", (double)line->rotation[a]));
    return wbOutputFile_Print(file, "\n");
}

void wbNamePosedBody(const wbWorld *world, int index, char name[WB_POSED_NAME]) {
    const char *own = wbRigidBody_GetName(world, wbWorld_GetRigidBody(world, index));
    if (own[0])
        snprintf(name, WB_POSED_NAME, "%s", own);
    else
        snprintf(name, WB_POSED_NAME, "body-%d", index);
}

static wbStatus addColliders(wbOutputFile *file, int frame, const wbWorld *world) {
    for (int i = 0; i < wbWorld_GetColliderCount(world); ++i) {
        const wbColliderId id = wbWorld_GetCollider(world, i);
        const wbColliderStats stats = wbCollider_GetStats(world, id);
        WB_TRY(addLine(file, &(Line){frame, wbWorld_GetTime(world), wbCollider_GetName(world, id),
                                     stats.position, stats.rotation}));
    }
    return wb_okStatus;
}

static wbStatus addRigidBodies(wbOutputFile *file, int frame, wbWorld *world) {
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); ++i) {
        wbRigidMotion motion;
        char name[WB_POSED_NAME];
        WB_TRY(wbRigidBody_GetMotion(world, wbWorld_GetRigidBody(world, i), &motion));
        wbNamePosedBody(world, i, name);
        WB_TRY(
            addLine(file, &(Line){frame, wbWorld_GetTime(world), name, &motion.position.x, motion.rotation}));
    }
    return wb_okStatus;
}

wbStatus wbPosesFile_AddFrame(wbPosesFile *file, int frame, wbWorld *world) {
    WB_ASSERT(file->file.stream != NULL, "a file whose writing failed can only be closed or aborted");
    WB_TRY(addColliders(&file->file, frame, world));
    WB_TRY(addRigidBodies(&file->file, frame, world));
    return wbOutputFile_Flush(&file->file);
}

// The first body that has the same mesh.
static int findFirst(const wbWorld *world, int index) {
    const uint64_t key = wbRigidBody_GetMeshKey(world, wbWorld_GetRigidBody(world, index));
    int first = 0;
    while (wbRigidBody_GetMeshKey(world, wbWorld_GetRigidBody(world, first)) != key) ++first;
    return first;
}

static wbStatus writeMesh(const char *folder, const wbWorld *world, int index, const char *name) {
    const wbWrittenBody body = wbWriteMeshAs(wbRigidBody_GetMesh(world, wbWorld_GetRigidBody(world, index)));
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFilePath(path, folder, name, "ply"));
    return wbWritePly(path, &body, 1);
}

static wbStatus listMeshes(wbOutputFile *file, const char *folder, const wbWorld *world) {
    WB_TRY(wbOutputFile_Print(file, "name,mesh\n"));
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); ++i) {
        const int first = findFirst(world, i);
        char name[WB_POSED_NAME], mesh[WB_POSED_NAME];
        wbNamePosedBody(world, i, name);
        wbNamePosedBody(world, first, mesh);
        if (first == i) WB_TRY(writeMesh(folder, world, i, name));
        WB_TRY(wbOutputFile_Print(file, "%s,%s.ply\n", name, mesh));
    }
    return wb_okStatus;
}

wbStatus wbWriteBodyMeshes(const char *folder, const wbWorld *world) {
    wbOutputFile file;
    char path[WB_MAX_PATH];
    WB_TRY(wbMakeFilePath(path, folder, "meshes", "csv"));
    WB_TRY(wbOutputFile_Open(&file, path));
    wbStatus status = listMeshes(&file, folder, world);
    if (!wbIsOk(status)) {
        wbOutputFile_Abort(&file);
        return status;
    }
    return wbOutputFile_Close(&file);
}

wbStatus wbPosesFile_Close(wbPosesFile *file) {
    wbStatus status = file->file.stream ? wbOutputFile_Close(&file->file)
                                        : wbError(wb_errorFile, "%.150s was given up after an earlier error",
                                                  file->file.path.final);
    wbFree(NULL, file, sizeof *file);
    return status;
}

void wbPosesFile_Abort(wbPosesFile *file) {
    if (file == NULL) return;
    wbOutputFile_Abort(&file->file);
    wbFree(NULL, file, sizeof *file);
}
