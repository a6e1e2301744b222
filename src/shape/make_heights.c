// SPDX-License-Identifier: MIT
// Fields of heights as closed shapes: the surface, walls around it and an underside.
#include <math.h>

#include "core/status.h"
#include "shape/make_check.h"
#include "shape/mesh_maker.h"
#include "shape/shape_make.h"

static wbStatus checkHeights(const wbHeightsParams *p) {
    if (p->countX < 2 || p->countZ < 2 || p->countX > WB_MAX_HEIGHTS || p->countZ > WB_MAX_HEIGHTS)
        return wbError(wb_errorInput, "a field of %d x %d heights; allowed: 2 to %d along each axis",
                       p->countX, p->countZ, WB_MAX_HEIGHTS);
    for (int i = 0; i < p->countX * p->countZ; i++)
        if (!isfinite(p->heights[i]))
            return wbError(wb_errorInput, "height %d, %d of a field is %g; it must be finite", i % p->countX,
                           i / p->countX, (double)p->heights[i]);
    WB_TRY(wbCheckSize("heights", "their spacing", p->spacing));
    return wbCheckSize("heights", "the depth below the lowest", p->depth);
}

// The k-th place around the border, counter-clockwise as seen from above, from the corner of the lowest x and
// highest z on.
static void getBorder(const wbHeightsParams *p, int k, int *x, int *z) {
    const int w = p->countX - 1, d = p->countZ - 1;
    if (k < w)
        *x = k, *z = d;
    else if (k < w + d)
        *x = w, *z = d - (k - w);
    else if (k < 2 * w + d)
        *x = w - (k - w - d), *z = 0;
    else
        *x = 0, *z = k - 2 * w - d;
}

wbStatus wbMakeHeights(const wbHeightsParams *p, wbMesh *mesh) {
    *mesh = (wbMesh){0};
    WB_TRY(checkHeights(p));
    MeshMaker maker = wbStartMesh();
    float lowest = INFINITY;
    const float left = -0.5f * p->spacing * (float)(p->countX - 1),
                back = -0.5f * p->spacing * (float)(p->countZ - 1);
    for (int z = 0; z < p->countZ; z++)
        for (int x = 0; x < p->countX; x++) {
            const float height = p->heights[z * p->countX + x];
            lowest = fminf(lowest, height);
            wbMeshMaker_AddVertex(
                &maker, wbMakeVec3(left + p->spacing * (float)x, height, back + p->spacing * (float)z));
        }
    for (int z = 0; z + 1 < p->countZ; z++)
        for (int x = 0; x + 1 < p->countX; x++) {
            const int i = z * p->countX + x;
            wbMeshMaker_AddQuad(&maker, i, i + p->countX, i + p->countX + 1, i + 1);
        }
    const int around = 2 * (p->countX + p->countZ) - 4, first = maker.vertexCount;
    for (int k = 0; k < around; k++) {
        int x, z;
        getBorder(p, k, &x, &z);
        wbMeshMaker_AddVertex(&maker, wbMakeVec3(left + p->spacing * (float)x, lowest - p->depth,
                                                 back + p->spacing * (float)z));
    }
    const int middle = wbMeshMaker_AddVertex(&maker, wbMakeVec3(0, lowest - p->depth, 0));
    for (int k = 0; k < around; k++) {
        const int next = (k + 1) % around;
        int x, z, nextX, nextZ;
        getBorder(p, k, &x, &z), getBorder(p, next, &nextX, &nextZ);
        wbMeshMaker_AddQuad(&maker, first + k, first + next, nextZ * p->countX + nextX, z * p->countX + x);
        wbMeshMaker_AddTriangle(&maker, middle, first + next, first + k);
    }
    return wbFinishMesh(&maker, mesh);
}
