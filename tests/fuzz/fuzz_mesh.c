// SPDX-License-Identifier: MIT
// The bytes are a mesh: how many vertices, three coordinates each, then indices. It is refused with a text, or it is a
// shape that can be measured and filled.
#include "fuzz/fuzz.h"

#include <math.h>

#include "shape/shape.h"

enum { MOST_VERTICES = 64, MOST_TRIANGLES = 128 };

static void useShape(const wbShape *shape) {
    const wbShapeTree *tree = wbShape_GetTree(shape);
    wbSurface surface = wbShape_FindSurface(shape, tree->centre);
    wbExpect(isfinite(surface.distance), "a distance is finite");
    wbShapeSamples samples;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 1, NULL, NULL);
    wbExpectText(wbShape_Sample(shape, 0.2f * tree->radius, tree->radius, 3, pool, &samples));
    wbDestroyThreadPool(pool);
    for (int i = 0; i < samples.count; i++)
        wbExpect(isfinite(samples.samples[i].position.x), "samples are finite");
    wbShape_FreeSamples(shape, &samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    float vertices[3 * MOST_VERTICES];
    uint32_t indices[3 * MOST_TRIANGLES];
    wbMesh mesh = {.vertices = vertices, .indices = indices};
    if (size < 1 || data[0] > MOST_VERTICES || size < 1 + 3 * (size_t)data[0]) return 0;
    mesh.vertexCount = data[0];
    const uint8_t *rest = data + 1 + 3 * mesh.vertexCount;
    size_t triangles = (size_t)(data + size - rest) / 3;
    mesh.triangleCount = triangles < MOST_TRIANGLES ? (int)triangles : MOST_TRIANGLES;
    for (int i = 0; i < 3 * mesh.vertexCount; i++) vertices[i] = 0.25f * (float)(data[1 + i] - 128);
    for (int i = 0; i < 3 * mesh.triangleCount; i++) indices[i] = rest[i];
    wbShape *shape;
    wbStatus status = wbCreateShape(NULL, &mesh, &shape);
    wbExpectText(status);
    wbExpect(wbIsOk(status) == (shape != NULL), "a shape is there if and only if it was made");
    if (shape) useShape(shape);
    wbDestroyShape(shape);
    return 0;
}
