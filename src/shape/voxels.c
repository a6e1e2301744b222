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
    int begin[2], end[2];       // lines that the mesh may meet, across
    int *starts;                // of each line's cuts, in the order of lines: first + across * second
    Cut *cuts;                  // NULL: they are only counted
    wbMemory *memory;
    wbVoxels *voxels;
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
    int line = j - lines->begin[0] + (lines->end[0] - lines->begin[0]) * (k - lines->begin[1]);
    if (lines->cuts) {
        double sum = areas[0] + areas[1] + areas[2];
        // the corner across from the edge c to c + 1 has its area as weight
        for (int c = 0; c < 3; c++) place += areas[c] / sum * corners[(c + 2) % 3][2];
        lines->cuts[lines->starts[line]] = (Cut){(float)place, 2 * triangle + (sides[0] > 0)};
    }
    lines->starts[line]++;
}

// The lines that what reaches from low to high may meet; a flat grid has only those in its plane.
static void findLines(const Lines *lines, const double low[2], const double high[2], int begin[2],
                      int end[2]) {
    const wbVoxelGrid *grid = lines->grid;
    for (int n = 0; n < 2; n++) {
        int axis = n ? lines->second : lines->first;
        // rounded centres may lie a little farther
        findCells(grid, axis, low[n] - 0.01 * grid->size, high[n] + 0.01 * grid->size, &begin[n], &end[n]);
        if (grid->isFlat && axis == 2) begin[n] = 0, end[n] = low[n] <= 0 && high[n] >= 0;
    }
}

static void cutTriangle(Lines *lines, int triangle) {
    double corners[3][3], low[2], high[2]; // across the line, then along it
    int begin[2], end[2];
    for (int c = 0; c < 3; c++) {
        const float *vertex = lines->vertices[lines->mesh->indices[3 * triangle + c]];
        corners[c][0] = vertex[lines->first], corners[c][1] = vertex[lines->second];
        corners[c][2] = vertex[lines->axis];
    }
    for (int n = 0; n < 2; n++) {
        low[n] = fmin(fmin(corners[0][n], corners[1][n]), corners[2][n]);
        high[n] = fmax(fmax(corners[0][n], corners[1][n]), corners[2][n]);
    }
    findLines(lines, low, high, begin, end);
    for (int k = begin[1]; k < end[1]; k++)
        for (int j = begin[0]; j < end[0]; j++) cutLine(lines, triangle, corners, j, k);
}

static void boundMesh(Lines *lines) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int v = 0; v < lines->mesh->vertexCount; v++)
        for (int n = 0; n < 2; n++) {
            const double place = lines->vertices[v][n ? lines->second : lines->first];
            low[n] = fmin(low[n], place), high[n] = fmax(high[n], place);
        }
    findLines(lines, low, high, lines->begin, lines->end);
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

static bool addRun(const Lines *lines, ptrdiff_t first, int count) {
    wbVoxels *voxels = lines->voxels;
    if (!wbArray_Reserve(lines->memory, &voxels->runs, voxels->runCount + 1)) return false;
    ((wbVoxelRun *)voxels->runs.data)[voxels->runCount++] = (wbVoxelRun){(int)first, count};
    return true;
}

// A piece of a line inside the shape, whose first cell stands at `line`. Without a centre in it, the cell of its middle stands
// for it.
static bool fillPiece(const Lines *lines, const Cut *from, const Cut *to, ptrdiff_t line) {
    const wbVoxelGrid *grid = lines->grid;
    const float min[3] = {grid->min.x, grid->min.y, grid->min.z};
    ptrdiff_t stride = grid->stride[lines->axis];
    int begin, end;
    findCells(grid, lines->axis, from->place, to->place, &begin, &end);
    if (begin < end) return lines->axis != 0 || addRun(lines, line + begin * stride, end - begin);
    if (isGrazing(lines, from, to)) return true;
    double middle = 0.5 * ((double)from->place + to->place);
    double cell = floor((middle - min[lines->axis]) / grid->size);
    if (!(cell >= 0 && cell < grid->count[lines->axis])) return true;
    return addRun(lines, line + (ptrdiff_t)cell * stride, 1);
}

static bool fillLine(const Lines *lines, Cut *cuts, int count, ptrdiff_t line) {
    int depth = 0, first = 0;
    bool isDone = true;
    qsort(cuts, (size_t)count, sizeof *cuts, compareCuts);
    for (int n = 0; n < count && isDone; n++) {
        if (depth == 0) first = n;
        depth += cuts[n].code & 1 ? -1 : 1;
        if (depth == 0) isDone = fillPiece(lines, &cuts[first], &cuts[n], line);
    }
    return isDone;
}

// Counts the cuts of each line, finds them, and fills what is between them.
static bool fillAlong(Lines *lines, wbArena *arena) {
    const wbVoxelGrid *grid = lines->grid;
    boundMesh(lines);
    int across = lines->end[0] - lines->begin[0], total = 0;
    int count =
        across > 0 && lines->end[1] > lines->begin[1] ? across * (lines->end[1] - lines->begin[1]) : 0;
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
    bool isDone = true;
    for (int line = 0, start = 0; line < count && isDone; start = lines->starts[line++])
        if (lines->starts[line] > start)
            isDone = fillLine(lines, lines->cuts + start, lines->starts[line] - start,
                              (lines->begin[0] + line % across) * grid->stride[lines->first] +
                                  (lines->begin[1] + line / across) * grid->stride[lines->second]);
    return isDone;
}

void wbVoxels_Free(wbMemory *memory, wbVoxels *voxels) {
    wbArray_Free(memory, &voxels->runs);
    *voxels = (wbVoxels){0};
}

wbStatus wbVoxelise(const wbVoxelGrid *grid, const wbMesh *mesh, const wbPose *pose, wbArena *arena,
                    wbMemory *memory, wbVoxels *voxels) {
    size_t mark = wbArena_Mark(arena);
    float(*vertices)[3] = wbArena_Alloc(arena, sizeof(float[3]) * (size_t)mesh->vertexCount);
    bool isDone = vertices != NULL;
    voxels->runs.elementSize = sizeof(wbVoxelRun), voxels->runCount = 0;
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
                       .second = (axis + 2) % 3,
                       .memory = memory,
                       .voxels = voxels};
        isDone = fillAlong(&lines, arena);
    }
    wbArena_Release(arena, mark);
    return isDone ? wb_okStatus : wbError(wb_errorMemory, "no memory to cut a shape into cells");
}
