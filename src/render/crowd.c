// SPDX-License-Identifier: MIT
#include "render/crowd.h"

#include "core/status.h"

#include <math.h>
#include <stdlib.h>

static int compareFloats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static bool isFinite(const wbView *view, size_t i) { return isfinite(view->x[i] + view->y[i] + view->z[i]); }

// Where nearly all particles are along an axis: a few strays must not make the grid large.
static void findSpan(const wbView *views, const wbRenderFluid *fluids, int viewCount, int solver, int axis,
                     float *low, float *high) {
    enum { SAMPLES = 1000 };
    float samples[SAMPLES], least = INFINITY, most = -INFINITY;
    int64_t total = 0, seen = 0;
    int count = 0;
    for (int v = 0; v < viewCount; v++) total += fluids[v].solver == solver ? views[v].count : 0;
    for (int v = 0; v < viewCount; v++) {
        const float *const columns[3] = {views[v].x, views[v].y, views[v].z};
        for (int k = 0; k < views[v].count && fluids[v].solver == solver; k++, seen++) {
            const float value = columns[axis][(size_t)k * (size_t)views[v].stride];
            if (!isfinite(value)) continue;
            least = fminf(least, value), most = fmaxf(most, value);
            if (count < SAMPLES && seen * SAMPLES >= count * total) samples[count++] = value;
        }
    }
    *low = *high = 0;
    if (count == 0) return;
    qsort(samples, (size_t)count, sizeof samples[0], compareFloats);
    const float from = samples[count / 100], to = samples[count - 1 - count / 100], room = to - from;
    *low = fmaxf(least, from - room), *high = fminf(most, to + room);
}

// As many cells as there is use for: what lies outside belongs to those at the border.
static void layOut(wbCrowd *crowd, const wbView *views, const wbRenderFluid *fluids, int viewCount,
                   int solver) {
    float support = 0, low[3], high[3];
    for (int v = 0; v < viewCount; v++)
        if (fluids[v].solver == solver) support = fmaxf(support, fluids[v].support);
    for (int a = 0; a < 3; a++) {
        findSpan(views, fluids, viewCount, solver, a, &low[a], &high[a]);
        crowd->cell[a] = a == 0 ? 0.5f * support : support;
        crowd->size[a] = (int)fminf((high[a] - low[a]) / crowd->cell[a], 1e6f) + 1;
    }
    while ((double)crowd->size[0] * crowd->size[1] * crowd->size[2] > 65536.0 + 8.0 * crowd->count) {
        int longest = crowd->size[0] > crowd->size[1] ? 0 : 1;
        if (crowd->size[2] > crowd->size[longest]) longest = 2;
        crowd->size[longest] = (crowd->size[longest] + 1) / 2;
    }
    crowd->min = wbMakeVec3(low[0], low[1], low[2]);
}

static int findCell(const wbCrowd *crowd, int axis, float place) {
    const float cell = floorf((place - (&crowd->min.x)[axis]) / crowd->cell[axis]);
    return cell < 0 ? 0 : cell < (float)crowd->size[axis] ? (int)cell : crowd->size[axis] - 1;
}

static bool reserve(wbArray *array, int elementSize, int count) {
    array->elementSize = elementSize;
    return wbArray_Reserve(NULL, array, count);
}

static void measureCells(wbCrowd *crowd, int cells) {
    const int *starts = crowd->starts.data;
    crowd->filled = crowd->mostInCell = 0;
    for (int c = 0; c < cells; c++) {
        const int inside = starts[c + 1] - starts[c];
        crowd->filled += inside > 0;
        if (inside > crowd->mostInCell) crowd->mostInCell = inside;
    }
    crowd->meanInCell = crowd->filled > 0 ? (double)starts[cells] / crowd->filled : 0;
}

wbStatus wbCrowd_Sort(wbCrowd *crowd, const wbView *views, const wbRenderFluid *fluids, int viewCount,
                      int solver) {
    int64_t total = 0;
    for (int v = 0; v < viewCount; v++) total += views[v].count;
    if (total > INT32_MAX - 64) return wbError(wb_errorMemory, "no memory to sort particles");
    crowd->count = (int)total;
    layOut(crowd, views, fluids, viewCount, solver);
    const int cells = crowd->size[0] * crowd->size[1] * crowd->size[2];
    if (!reserve(&crowd->starts, sizeof(int), cells + 2) ||
        !reserve(&crowd->order, sizeof(int), crowd->count) ||
        !reserve(&crowd->places, sizeof(wbVec3), crowd->count) ||
        !reserve(&crowd->keys, sizeof(int), crowd->count))
        return wbMemoryError(NULL, "a grid of %d cells for %d particles needs", cells, crowd->count);
    int *starts = crowd->starts.data, *order = crowd->order.data, *keys = crowd->keys.data, at = 0;
    wbVec3 *places = crowd->places.data;
    for (int c = 0; c < cells + 2; c++) starts[c] = 0;
    // counted two places ahead, so that the ends of cells become the starts of the next ones while they are filled
    for (int v = 0; v < viewCount; v++)
        for (int k = 0; k < views[v].count; k++, at++) {
            const size_t i = (size_t)k * (size_t)views[v].stride;
            keys[at] = -1;
            if (fluids[v].solver != solver || !isFinite(&views[v], i)) continue;
            keys[at] = findCell(crowd, 0, views[v].x[i]) +
                       crowd->size[0] * (findCell(crowd, 1, views[v].y[i]) +
                                         crowd->size[1] * findCell(crowd, 2, views[v].z[i]));
            starts[keys[at] + 2]++;
        }
    for (int c = 1; c < cells + 2; c++) starts[c] += starts[c - 1];
    at = 0;
    for (int v = 0; v < viewCount; v++)
        for (int k = 0; k < views[v].count; k++, at++) {
            const size_t i = (size_t)k * (size_t)views[v].stride;
            if (keys[at] < 0) continue;
            const int to = starts[keys[at] + 1]++;
            order[to] = at, places[to] = wbMakeVec3(views[v].x[i], views[v].y[i], views[v].z[i]);
        }
    measureCells(crowd, cells);
    return wb_okStatus;
}

static int countNear(const wbCrowd *crowd, wbVec3 p, float reach) {
    const int *starts = crowd->starts.data;
    const wbVec3 *places = crowd->places.data;
    int low[3], high[3], count = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = findCell(crowd, a, (&p.x)[a] - reach);
        high[a] = findCell(crowd, a, (&p.x)[a] + reach);
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            const int row = crowd->size[0] * (y + crowd->size[1] * z);
            for (int k = starts[row + low[0]]; k < starts[row + high[0] + 1]; k++) {
                const float x = places[k].x - p.x, h = places[k].y - p.y, d = places[k].z - p.z;
                count += x * x + h * h + d * d < reach * reach;
            }
        }
    return count - 1; // itself
}

void wbCrowd_CountNeighbours(wbCrowd *crowd, const wbView *views, const wbRenderFluid *fluids, int viewCount,
                             int solver, float spacing, float *counts) {
    const int *keys = crowd->keys.data;
    int64_t sum = 0, counted = 0;
    int at = 0;
    crowd->mostNeighbours = 0;
    for (int v = 0; v < viewCount; v++)
        for (int k = 0; k < views[v].count; k++, at++) {
            const size_t i = (size_t)k * (size_t)views[v].stride;
            if (fluids[v].solver != solver || keys[at] < 0) continue;
            // larger particles reach as far as they are larger
            const float size = views[v].radius ? 2 * views[v].radius[i] / spacing : 1;
            const int near = countNear(crowd, wbMakeVec3(views[v].x[i], views[v].y[i], views[v].z[i]),
                                       fluids[v].support * size);
            if (counts) counts[at] = (float)near;
            if (near > crowd->mostNeighbours) crowd->mostNeighbours = near;
            sum += near, counted++;
        }
    crowd->meanNeighbours = counted > 0 ? (double)sum / (double)counted : 0;
}

void wbCrowd_Free(wbCrowd *crowd) {
    wbArray_Free(NULL, &crowd->starts);
    wbArray_Free(NULL, &crowd->order);
    wbArray_Free(NULL, &crowd->places);
    wbArray_Free(NULL, &crowd->keys);
}
