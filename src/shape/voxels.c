// SPDX-License-Identifier: MIT
// Every line through cell centres along an axis is cut by the triangles of the mesh; between the cuts it is inside or
// outside. Whether a line meets a triangle is decided exactly: coordinates are floats, so products of their differences
// are exact in double; a line through an edge or a corner counts as if it were shifted by an infinitely small way, the
// same for all triangles. So every line meets a closed surface an even number of times.
#include "shape/voxels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"

typedef struct Cut {
    float place; // m, along the line
    int code;    // 2 * triangle + 1 if the line leaves the shape here
} Cut;

typedef struct Lines {
    const wbVoxelGrid *grid;
    const wbMesh *mesh;
    const float (*vertices)[3]; // in the world
    int axis, first, second;    // of the lines, and those across them
    int *starts;                // of each line's cuts, in the order of lines: first + count[first] * second
    Cut *cuts;                  // NULL: they are only counted
} Lines;

static float getCentre(const wbVoxelGrid *grid, int axis, int n) {
    const float min[3] = {grid->min.x, grid->min.y, grid->min.z};
    return grid->isFlat && axis == 2 ? 0 : min[axis] + grid->size * ((float)n + 0.5f);
}

// Twice the area of u, v and p, seen along the line, and in *side its sign, which is never 0: p is shifted by (e, e2).
static double getArea(const double u[2], const double v[2], const double p[2], int *side) {
    if (v[0] < u[0] || (v[0] == u[0] && v[1] < u[1])) {
        double area = -getArea(v, u, p, side);
        *side = -*side;
        return area;
    }
    double area = (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
    *side = area > 0 ? 1 : area < 0 ? -1 : v[1] > u[1] ? -1 : 1;
    return area;
}

// Cells whose centres are from `low` to `high`: from *begin to *end - 1.
static void findCells(const wbVoxelGrid *grid, int axis, double low, double high, int *begin, int *end) {
    const float min[3] = {grid->min.x, grid->min.y, grid->min.z};
    double from = ceil((low - min[axis]) / grid->size - 0.5),
           to = ceil((high - min[axis]) / grid->size - 0.5);
    *begin = (int)fmin(fmax(from, 0), grid->count[axis]);
    *end = (int)fmin(fmax(to, 0), grid->count[axis]);
}

static void cutLine(Lines *lines, int triangle, const double corners[3][3], int j, int k) {
    const double p[2] = {getCentre(lines->grid, lines->first, j), getCentre(lines->grid, lines->second, k)};
    double areas[3], place = 0;
    int sides[3];
    for (int c = 0; c < 3; c++) {
        const double *u = corners[c], *v = corners[(c + 1) % 3];
        areas[c] = getArea(u, v, p, &sides[c]);
    }
    if (sides[0] != sides[1] || sides[1] != sides[2]) return;
    int line = j + lines->grid->count[lines->first] * k;
    if (lines->cuts) {
        double sum = areas[0] + areas[1] + areas[2];
        // the corner across from the edge c to c + 1 has its area as weight
        for (int c = 0; c < 3; c++) place += areas[c] / sum * corners[(c + 2) % 3][2];
        lines->cuts[lines->starts[line]] = (Cut){(float)place, 2 * triangle + (sides[0] > 0)};
    }
    lines->starts[line]++;
}

// The lines that a triangle may meet; a flat grid has only those in its plane.
static void cutTriangle(Lines *lines, int triangle) {
    const wbVoxelGrid *grid = lines->grid;
    double corners[3][3]; // across the line, then along it
    int begin[2], end[2];
    for (int c = 0; c < 3; c++) {
        const float *vertex = lines->vertices[lines->mesh->indices[3 * triangle + c]];
        corners[c][0] = vertex[lines->first], corners[c][1] = vertex[lines->second];
        corners[c][2] = vertex[lines->axis];
    }
    for (int n = 0; n < 2; n++) {
        double low = fmin(fmin(corners[0][n], corners[1][n]), corners[2][n]);
        double high = fmax(fmax(corners[0][n], corners[1][n]), corners[2][n]);
        int axis = n ? lines->second : lines->first;
        // rounded centres may lie a little farther
        findCells(grid, axis, low - 0.01 * grid->size, high + 0.01 * grid->size, &begin[n], &end[n]);
        if (grid->isFlat && axis == 2) begin[n] = 0, end[n] = low <= 0 && high >= 0;
    }
    for (int k = begin[1]; k < end[1]; k++)
        for (int j = begin[0]; j < end[0]; j++) cutLine(lines, triangle, corners, j, k);
}

static int compareCuts(const void *a, const void *b) {
    const Cut *one = a, *two = b;
    if (one->place != two->place) return one->place < two->place ? -1 : 1;
    return (one->code & 1) - (two->code & 1) ? (one->code & 1) - (two->code & 1) : one->code - two->code;
}

static wbVec3 getNormal(const Lines *lines, int code) {
    wbVec3 corners[3];
    for (int c = 0; c < 3; c++)
        memcpy(&corners[c], lines->vertices[lines->mesh->indices[3 * (code / 2) + c]], sizeof corners[c]);
    return wbCross(wbSub(corners[1], corners[0]), wbSub(corners[2], corners[0]));
}

// Whether a line enters and leaves a shape in nearly the same plane: it grazes a thick one. Else it passes a wall, or
// the place where two walls meet.
static bool isGrazing(const Lines *lines, const Cut *from, const Cut *to) {
    const float parallel = 0.9f;
    wbVec3 a = getNormal(lines, from->code), b = getNormal(lines, to->code);
    return wbDot(a, b) > parallel * sqrtf(wbDot(a, a) * wbDot(b, b));
}

// A piece of a line inside the shape. Without a centre in it, the cell of its middle stands for it.
static void fillPiece(const Lines *lines, const Cut *from, const Cut *to, uint8_t value, uint8_t *cells) {
    const wbVoxelGrid *grid = lines->grid;
    const float min[3] = {grid->min.x, grid->min.y, grid->min.z};
    ptrdiff_t stride = grid->stride[lines->axis];
    int begin, end;
    findCells(grid, lines->axis, from->place, to->place, &begin, &end);
    if (lines->axis == 0)
        for (int i = begin; i < end; i++) cells[i * stride] = value;
    if (begin < end || isGrazing(lines, from, to)) return;
    double middle = 0.5 * ((double)from->place + to->place);
    double cell = floor((middle - min[lines->axis]) / grid->size);
    if (cell >= 0 && cell < grid->count[lines->axis]) cells[(ptrdiff_t)cell * stride] = value;
}

static void fillLine(const Lines *lines, Cut *cuts, int count, uint8_t value, uint8_t *cells) {
    int depth = 0, first = 0;
    qsort(cuts, (size_t)count, sizeof *cuts, compareCuts);
    for (int n = 0; n < count; n++) {
        if (depth == 0) first = n;
        depth += cuts[n].code & 1 ? -1 : 1;
        if (depth == 0) fillPiece(lines, &cuts[first], &cuts[n], value, cells);
    }
}

// Counts the cuts of each line, finds them, and fills what is between them.
static bool fillAlong(Lines *lines, wbArena *arena, uint8_t value, uint8_t *mask) {
    const wbVoxelGrid *grid = lines->grid;
    int across = grid->count[lines->first], count = across * grid->count[lines->second], total = 0;
    lines->starts = wbArena_Alloc(arena, sizeof(int) * (size_t)(count + 1));
    lines->cuts = NULL;
    if (!lines->starts) return false;
    memset(lines->starts, 0, sizeof(int) * (size_t)(count + 1));
    for (int t = 0; t < lines->mesh->triangleCount; t++) cutTriangle(lines, t);
    for (int line = 0; line <= count; line++) {
        int cuts = lines->starts[line];
        lines->starts[line] = total, total += cuts;
    }
    if (total == 0) return true;
    lines->cuts = wbArena_Alloc(arena, sizeof(Cut) * (size_t)total);
    if (!lines->cuts) return false;
    for (int t = 0; t < lines->mesh->triangleCount; t++) cutTriangle(lines, t);
    // each start has moved on to its end
    for (int line = 0, start = 0; line < count; start = lines->starts[line++])
        if (lines->starts[line] > start)
            fillLine(lines, lines->cuts + start, lines->starts[line] - start, value,
                     mask + line % across * grid->stride[lines->first] +
                         line / across * grid->stride[lines->second]);
    return true;
}

wbStatus wbVoxelise(const wbVoxelGrid *grid, const wbMesh *mesh, const wbPose *pose, wbArena *arena,
                    uint8_t value, uint8_t *mask) {
    size_t mark = wbArena_Mark(arena);
    float(*vertices)[3] = wbArena_Alloc(arena, sizeof(float[3]) * (size_t)mesh->vertexCount);
    bool isDone = vertices != NULL;
    for (int v = 0; v < mesh->vertexCount && isDone; v++) {
        const float *own = mesh->vertices + 3 * v;
        wbVec3 point = wbPose_Apply(pose, wbMakeVec3(own[0], own[1], own[2]));
        memcpy(vertices[v], &point, sizeof vertices[v]);
    }
    for (int axis = 0; axis < (grid->isFlat ? 2 : 3) && isDone; axis++) {
        Lines lines = {.grid = grid,
                       .mesh = mesh,
                       .vertices = (const float(*)[3])vertices,
                       .axis = axis,
                       .first = (axis + 1) % 3,
                       .second = (axis + 2) % 3};
        isDone = fillAlong(&lines, arena, value, mask);
    }
    wbArena_Release(arena, mark);
    return isDone ? wb_okStatus : wbError(wb_errorMemory, "no memory to cut a shape into cells");
}
