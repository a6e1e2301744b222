// SPDX-License-Identifier: MIT
#include "app/view/mesh_scene.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view/cache.h"
#include "core/hash.h"
#include "core/output_file.h"
#include "core/status.h"
#include "wirbel/mesh.h"

typedef struct Bounds {
    double min[3], max[3];
} Bounds;

static Bounds findBounds(const wbMesh *mesh) {
    Bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int v = 0; v < mesh->vertexCount; v++)
        for (int a = 0; a < 3; a++) {
            const double x = (double)mesh->vertices[3 * v + a];
            b.min[a] = fmin(b.min[a], x), b.max[a] = fmax(b.max[a], x);
        }
    return b;
}

// Quotes, backslashes and what cannot be printed, as JSON writes them.
static wbStatus printText(wbOutputFile *file, const char *text) {
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            WB_TRY(wbOutputFile_Print(file, "\\%c", c));
        else
            WB_TRY(wbOutputFile_Print(file, c < 32 ? "\\u%04x" : "%c", c));
    }
    return wb_okStatus;
}

// The longest edge becomes a metre, half a metre above the floor, a little tilted.
static wbStatus print(wbOutputFile *file, const char *mesh, const Bounds *b) {
    double longest = 0, at[3];
    for (int a = 0; a < 3; a++) longest = fmax(longest, b->max[a] - b->min[a]);
    const double scale = 1 / longest;
    for (int a = 0; a < 3; a++) at[a] = -0.5 * scale * (b->min[a] + b->max[a]);
    at[1] = 0.5 - scale * b->min[1];
    WB_TRY(wbOutputFile_Print(file, "{\"title\": \""));
    WB_TRY(printText(file, strrchr(mesh, '/') + 1));
    WB_TRY(
        wbOutputFile_Print(file,
                           "\",\n \"description\": \"a mesh of %.4g m, scaled to one, falls onto a floor\",\n"
                           " \"world\": {\"seconds\": 10},\n"
                           " \"domain\": {\"min\": [-1.5, 0, -1.5], \"max\": [1.5, 2.5, 1.5]},\n"
                           " \"bodies\": [{\"name\": \"mesh\", \"shape\": \"mesh\", \"scale\": %.9g, "
                           "\"position\": [%.9g, %.9g, %.9g], \"rotation\": [12, 0, 7], \"mesh\": \"",
                           longest, scale, at[0], at[1], at[2]));
    WB_TRY(printText(file, mesh));
    return wbOutputFile_Print(file, "\"}]}\n");
}

static wbStatus write(const char *mesh, const Bounds *bounds, char path[WB_SIM_TEXT]) {
    char folder[WB_CACHE_PATH];
    const char *name = strrchr(mesh, '/') + 1;
    wbOutputFile file;
    WB_TRY(wbOpenCache("meshes", folder));
    if (snprintf(path, WB_SIM_TEXT, "%s/%.*s-%08" PRIx32 ".json", folder, (int)strcspn(name, "."), name,
                 (uint32_t)wbHashBytes(WB_HASH_START, mesh, strlen(mesh))) >= WB_SIM_TEXT)
        return wbError(wb_errorInput, "the path of the cache folder is too long");
    WB_TRY(wbOutputFile_Open(&file, path));
    WB_TRY(print(&file, mesh, bounds));
    return wbOutputFile_Close(&file);
}

wbStatus wbWriteMeshScene(const char *mesh, char path[WB_SIM_TEXT]) {
    wbMesh read;
    char whole[PATH_MAX];
    if (!realpath(mesh, whole)) return wbFileError("read", mesh);
    wbStatus status = wbReadMesh(whole, &read);
    if (wbIsOk(status)) {
        const Bounds bounds = findBounds(&read);
        const bool isFlat = !(bounds.max[0] > bounds.min[0] || bounds.max[1] > bounds.min[1] ||
                              bounds.max[2] > bounds.min[2]);
        wbFreeMesh(&read);
        status = isFlat ? wbError(wb_errorInput, "%.150s: the mesh has no extent", mesh)
                        : write(whole, &bounds, path);
    }
    return status;
}
