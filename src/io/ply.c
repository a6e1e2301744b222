// SPDX-License-Identifier: MIT
#include "io/ply.h"

#include "core/output_file.h"
#include "core/status.h"
#include "io/little_endian.h"

/// What a file consists of.
typedef struct Ply {
    wbOutputFile file;
    const wbWrittenBody *bodies;
    int count;
    bool has[WB_POINT_COLUMNS], hasIds, hasKinds;
} Ply;

static wbStatus writeHeader(Ply *ply) {
    static const char *const names[WB_POINT_COLUMNS] = {"x",       "y",        "z",    "vx",     "vy", "vz",
                                                        "density", "pressure", "mass", "radius", "age"};
    const long long triangles = wbCountTriangles(ply->bodies, ply->count);
    WB_TRY(wbOutputFile_Print(&ply->file,
                              "ply\n"
                              "format binary_little_endian 1.0\n"
                              "comment wirbel %s, SI units, y is up\n"
                              "element vertex %lld\n",
                              wbGetVersion(), (long long)wbCountPoints(ply->bodies, ply->count)));
    for (int c = 0; c < WB_POINT_COLUMNS; ++c)
        if (ply->has[c]) WB_TRY(wbOutputFile_Print(&ply->file, "property float %s\n", names[c]));
    if (ply->hasIds) WB_TRY(wbOutputFile_Print(&ply->file, "property uint id\n"));
    if (ply->hasKinds) WB_TRY(wbOutputFile_Print(&ply->file, "property uint kind\n"));
    WB_TRY(wbOutputFile_Print(&ply->file, "property uint body\n"));
    if (triangles > 0)
        WB_TRY(wbOutputFile_Print(&ply->file, "element face %lld\nproperty list uchar int vertex_indices\n",
                                  triangles));
    return wbOutputFile_Print(&ply->file, "end_header\n");
}

static wbStatus writeVertex(Ply *ply, int body, int index) {
    const wbView *view = &ply->bodies[body].view;
    const size_t i = (size_t)index * (size_t)view->stride;
    uint8_t record[4 * (WB_POINT_COLUMNS + 3)], *to = record;
    for (int c = 0; c < WB_POINT_COLUMNS; ++c) {
        const float *column = wbGetPointColumn(&ply->bodies[body], (wbPointColumn)c);
        if (ply->has[c]) to = wbPutF32(to, column ? column[i] : 0);
    }
    if (ply->hasIds) to = wbPutU32(to, view->id ? view->id[i] : 0);
    if (ply->hasKinds) to = wbPutU32(to, ply->bodies[body].kind ? ply->bodies[body].kind[i] : 0);
    to = wbPutU32(to, (uint32_t)body);
    return wbOutputFile_Write(&ply->file, record, (size_t)(to - record));
}

// `first`: the number in the file of the body's first point
static wbStatus writeFaces(Ply *ply, const wbWrittenBody *body, int64_t first) {
    for (int t = 0; t < body->triangleCount; ++t) {
        uint8_t record[13], *to = record;
        *to++ = 3;
        for (int k = 0; k < 3; ++k)
            to = wbPutU32(to,
                          (uint32_t)(first + body->triangles[3 * (size_t)t + (size_t)k] - body->firstPoint));
        WB_TRY(wbOutputFile_Write(&ply->file, record, sizeof record));
    }
    return wb_okStatus;
}

wbStatus wbWritePly(const char *path, const wbWrittenBody *bodies, int count) {
    Ply ply = {.bodies = bodies,
               .count = count,
               .hasIds = wbHasPointIds(bodies, count),
               .hasKinds = wbHasPointKinds(bodies, count)};
    for (int c = 0; c < WB_POINT_COLUMNS; ++c)
        ply.has[c] = c <= wb_pointZ || wbHasPointColumn(bodies, count, (wbPointColumn)c);
    WB_TRY(wbOutputFile_Open(&ply.file, path));
    WB_TRY(writeHeader(&ply));
    for (int b = 0; b < count; ++b)
        for (int i = 0; i < bodies[b].view.count; ++i) WB_TRY(writeVertex(&ply, b, i));
    for (int b = 0; b < count; ++b) WB_TRY(writeFaces(&ply, &bodies[b], wbCountPoints(bodies, b)));
    return wbOutputFile_Close(&ply.file);
}
