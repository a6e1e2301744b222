// SPDX-License-Identifier: MIT
#include "io/poses_file.h"

#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"

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

wbStatus wbPosesFile_AddFrame(wbPosesFile *file, int frame, const wbWorld *world) {
    WB_ASSERT(file->file.stream != NULL, "a file whose writing failed can only be closed or aborted");
    for (int i = 0; i < wbWorld_GetColliderCount(world); ++i) {
        const wbColliderId id = wbWorld_GetCollider(world, i);
        const wbColliderStats stats = wbCollider_GetStats(world, id);
        const float *p = stats.position, *q = stats.rotation;
        WB_TRY(wbOutputFile_Print(&file->file, "%d,%.9g,%s", frame, wbWorld_GetTime(world),
                                  wbCollider_GetName(world, id)));
        for (int a = 0; a < 3; ++a) WB_TRY(wbOutputFile_Print(&file->file, ",%.9g", (double)p[a]));
        for (int a = 0; a < 4; ++a) WB_TRY(wbOutputFile_Print(&file->file, ",%.9g", (double)q[a]));
        WB_TRY(wbOutputFile_Print(&file->file, "\n"));
    }
    return wbOutputFile_Flush(&file->file);
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
