// SPDX-License-Identifier: MIT
#include "io/ply.h"

#include "core/output_file.h"
#include "core/status.h"
#include "io/little_endian.h"

enum { RECORD = 9 * 4 };

static wbStatus writeHeader(wbOutputFile *file, int64_t count) {
    return wbOutputFile_Print(file,
                              "ply\n"
                              "format binary_little_endian 1.0\n"
                              "comment wirbel %s, SI units, y is up\n"
                              "element vertex %lld\n"
                              "property float x\nproperty float y\nproperty float z\n"
                              "property float vx\nproperty float vy\nproperty float vz\n"
                              "property float density\nproperty float pressure\n"
                              "property uint id\n"
                              "end_header\n",
                              wbGetVersion(), (long long)count);
}

static wbStatus writeVertex(wbOutputFile *file, const wbView *view, int index) {
    size_t i = (size_t)index * (size_t)view->stride;
    const float *const columns[] = {view->x,  view->y,  view->z,       view->vx,
                                    view->vy, view->vz, view->density, view->pressure};
    uint8_t record[RECORD];
    uint8_t *to = record;
    for (int c = 0; c < 8; ++c) to = wbPutF32(to, columns[c] ? columns[c][i] : 0);
    wbPutU32(to, view->id[i]);
    return wbOutputFile_Write(file, record, sizeof record);
}

wbStatus wbWritePly(const char *path, const wbView *views, int viewCount) {
    int64_t count = 0;
    for (int v = 0; v < viewCount; ++v) count += views[v].count;
    wbOutputFile file;
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(writeHeader(&file, count));
    for (int v = 0; v < viewCount; ++v) {
        for (int i = 0; i < views[v].count; ++i) WB_TRY(writeVertex(&file, &views[v], i));
    }
    return wbOutputFile_Close(&file);
}
