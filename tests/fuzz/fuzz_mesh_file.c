// SPDX-License-Identifier: MIT
// The bytes are a file of a mesh: a PLY file if they begin so, an STL file if they can be one, else an OBJ file. It is
// refused with a text, or its mesh names vertices that it has, at finite places.
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "io/mesh_file.h"

static const char *chooseName(const uint8_t *data, size_t size) {
    if (size >= 3 && memcmp(data, "ply", 3) == 0) return "fuzz.ply";
    bool isText = size >= 5 && memcmp(data, "solid", 5) == 0;
    bool isBinary = size >= 84 && (size - 84) % 50 == 0;
    return isText || isBinary ? "fuzz.stl" : "fuzz.obj";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wbMesh mesh;
    wbStatus status = wbReadMeshBytes(chooseName(data, size), data, size, &mesh);
    wbExpectText(status);
    wbExpect(wbIsOk(status) == (mesh.triangleCount > 0), "a mesh is there if and only if it was read");
    for (int i = 0; i < 3 * mesh.vertexCount; i++)
        wbExpect(isfinite(mesh.vertices[i]), "vertices are at finite places");
    for (int i = 0; i < 3 * mesh.triangleCount; i++)
        wbExpect(mesh.indices[i] < (uint32_t)mesh.vertexCount, "triangles name vertices that are there");
    wbFreeMesh(&mesh);
    return 0;
}
