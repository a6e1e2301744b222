// SPDX-License-Identifier: MIT
#include "render/volume_grid.h"

#include "core/status.h"
#include "render/black_body.h"

#include <math.h>
#include <string.h>

/// Bytes of a texel.
enum { DENSITY, TEMPERATURE, SUN, FREE_SUN, TEXEL };

/// K above ambient from which air glows.
static const float glow = 700 - WB_AMBIENT_KELVIN;

static bool reserve(wbArray *array, int elementSize, int64_t count) {
    array->elementSize = elementSize;
    return count < INT32_MAX / 2 && wbArray_Reserve(NULL, array, (int)count);
}

static int64_t countCells(const int n[3]) { return (int64_t)n[0] * n[1] * n[2]; }

static bool isSolid(const wbSmokeView *view, int i, int j, int k) {
    return view->solid && view->solid[i + j * view->solidStrideY + k * view->solidStrideZ] != 0;
}

static float findHighest(const wbSmokeView *view, const float *field) {
    float highest = 0;
    for (int k = 0; k < view->cells[2]; ++k) {
        for (int j = 0; j < view->cells[1]; ++j) {
            const float *row = field + j * view->strideY + k * view->strideZ;
            for (int i = 0; i < view->cells[0]; ++i)
                if (row[i] > highest && row[i] < 1e30f) highest = row[i];
        }
    }
    return highest;
}

// The mean of the neighbours in air: smoke reaches one solid cell deep, so that none is missing at the faces of
// colliders, where a picture mixes cells of both sides. The body that is drawn there hides what is too much.
static float extend(const wbSmokeView *view, const float *field, int i, int j, int k) {
    static const int around[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    float sum = 0;
    int count = 0;
    for (int n = 0; n < 6; ++n) {
        int x = i + around[n][0], y = j + around[n][1], z = k + around[n][2];
        bool inside =
            x >= 0 && y >= 0 && z >= 0 && x < view->cells[0] && y < view->cells[1] && z < view->cells[2];
        if (!inside || isSolid(view, x, y, z)) continue;
        sum += field[x + y * view->strideY + z * view->strideZ];
        ++count;
    }
    return count > 0 ? sum / (float)count : 0;
}

static float getDrawn(const wbSmokeView *view, const float *field, int i, int j, int k) {
    return isSolid(view, i, j, k) ? extend(view, field, i, j, k)
                                  : field[i + j * view->strideY + k * view->strideZ];
}

static uint8_t toByte(float share) { return share > 0 ? (uint8_t)(share < 1 ? share * 255 + 0.5f : 255) : 0; }

static void fillRow(const wbVolumeGrid *grid, const wbSmokeView *view, int j, int k, uint8_t *to) {
    float thick = 1 / fmaxf(grid->density, 1e-30f), hot = 1 / fmaxf(grid->temperature, 1e-30f);
    for (int i = 0; i < grid->cells[0]; ++i, to += TEXEL) {
        float density = getDrawn(view, view->density, i, j, k);
        float temperature = getDrawn(view, view->temperature, i, j, k);
        to[DENSITY] = density > 0 ? toByte(sqrtf(density * thick)) : 0;
        to[TEMPERATURE] = toByte(temperature * hot);
        to[SUN] = to[FREE_SUN] = 255;
    }
}

// How much of the smoke has each colour; the fourth byte says whether there is any. White where there is none.
static void fillTints(const wbSmokeView *view, int j, int k, uint8_t *to) {
    for (int i = 0; i < view->cells[0]; ++i, to += 4) {
        float density = getDrawn(view, view->density, i, j, k);
        for (int c = 0; c < 3; ++c)
            to[c] = density > 0 ? toByte(getDrawn(view, view->colour[c], i, j, k) / density) : 255;
        to[3] = density > 0;
    }
}

static void fillCells(wbVolumeGrid *grid, const wbSmokeView *view) {
    const int *n = grid->cells;
    uint8_t *texels = grid->texels.data, *tints = grid->tints.data;
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            size_t row = (size_t)n[0] * ((size_t)j + (size_t)n[1] * (size_t)k);
            fillRow(grid, view, j, k, texels + TEXEL * row);
            if (grid->hasTints) fillTints(view, j, k, tints + 4 * row);
        }
    }
}

// One line of values: each becomes a mean, in which it counts `own` times and its neighbours once.
static void smoothLine(uint8_t *line, int count, size_t stride, int own) {
    int before = *line;
    for (int n = 0; n < count; ++n, line += stride) {
        int here = *line, after = n + 1 < count ? line[stride] : here;
        *line = (uint8_t)((before + own * here + after + own / 2 + 1) / (own + 2));
        before = here;
    }
}

// Linear interpolation shows a front that is a cell thin as stairs, and light of fire, which grows fast with its heat, the
// least unevenness from cell to cell.
static void smooth(wbVolumeGrid *grid, int byte, int own) {
    const int *n = grid->cells;
    size_t nx = (size_t)n[0], ny = (size_t)n[1];
    uint8_t *values = (uint8_t *)grid->texels.data + byte;
    for (size_t k = 0; k < (size_t)n[2]; ++k)
        for (size_t j = 0; j < ny; ++j) smoothLine(values + TEXEL * nx * (j + ny * k), n[0], TEXEL, own);
    for (size_t k = 0; k < (size_t)n[2]; ++k)
        for (size_t i = 0; i < nx; ++i) smoothLine(values + TEXEL * (i + nx * ny * k), n[1], TEXEL * nx, own);
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i) smoothLine(values + TEXEL * (i + nx * j), n[2], TEXEL * nx * ny, own);
}

// Cells of a line without a tint take the mean of those beside them.
static void spreadLine(uint8_t *line, int count, size_t stride) {
    uint8_t before[4] = {0}, here[4];
    for (int n = 0; n < count; ++n, line += stride, memcpy(before, here, 4)) {
        memcpy(here, line, 4);
        const uint8_t *after = n + 1 < count ? line + stride : here;
        if (here[3] || !(before[3] || after[3])) continue;
        for (int c = 0; c < 3; ++c)
            line[c] = (uint8_t)((before[3] * before[c] + after[3] * after[c]) / (before[3] + after[3]));
        line[3] = 1;
    }
}

// The picture of thin smoke at an edge mixes in cells beyond it, by interpolation and as the density is smoothed: they must
// have its colour, or coloured smoke has pale rims.
static void spreadTints(wbVolumeGrid *grid) {
    enum { REACH = 2 };
    const int *n = grid->cells;
    size_t nx = (size_t)n[0], ny = (size_t)n[1];
    uint8_t *tints = grid->tints.data;
    for (int round = 0; round < REACH; ++round) {
        for (size_t k = 0; k < (size_t)n[2]; ++k)
            for (size_t j = 0; j < ny; ++j) spreadLine(tints + 4 * nx * (j + ny * k), n[0], 4);
        for (size_t k = 0; k < (size_t)n[2]; ++k)
            for (size_t i = 0; i < nx; ++i) spreadLine(tints + 4 * (i + nx * ny * k), n[1], 4 * nx);
        for (size_t j = 0; j < ny; ++j)
            for (size_t i = 0; i < nx; ++i) spreadLine(tints + 4 * (i + nx * j), n[2], 4 * nx * ny);
    }
}

/// One layer of cells from the side of the sun on, with room beside the box into which shadows fall.
typedef struct Layer {
    int size[2], first[2]; ///< along x and z; the cell of the first column
    float shift[2];        ///< cells by which light moves from layer to layer
} Layer;

static Layer makeLayer(const int cells[3], wbVec3 toSun) {
    const int sides[2] = {cells[0], cells[2]};
    Layer layer = {.shift = {-toSun.x / toSun.y, -toSun.z / toSun.y}};
    for (int a = 0; a < 2; ++a) {
        int room = (int)ceilf(fabsf(layer.shift[a]) * (float)cells[1]) + 2;
        layer.size[a] = sides[a] + room;
        layer.first[a] = layer.shift[a] < 0 ? 2 - room : -1;
    }
    return layer;
}

// What arrives at each column is what left the layer above where the light came from, by linear interpolation; beyond
// the layer there is nothing in its way.
static void shiftLayer(const Layer *layer, const float *from, float *to) {
    int nx = layer->size[0], nz = layer->size[1];
    int x = (int)floorf(-layer->shift[0]), z = (int)floorf(-layer->shift[1]);
    float p = -layer->shift[0] - (float)x, q = -layer->shift[1] - (float)z;
    const float weights[4] = {(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q};
    memset(to, 0, (size_t)nx * (size_t)nz * sizeof *to);
    for (int n = 0; n < 4; ++n) {
        int dx = x + (n & 1), dz = z + (n >> 1);
        int start = dx < 0 ? -dx : 0, end = dx > 0 ? nx - dx : nx;
        for (int k = 0; k < nz; ++k) {
            if (k + dz < 0 || k + dz >= nz) continue;
            const float *source = from + (ptrdiff_t)(k + dz) * nx + dx;
            float *row = to + (ptrdiff_t)k * nx;
            for (int i = start; i < end; ++i) row[i] += weights[n] * source[i];
        }
    }
}

enum { CURVE = 2048, CURVE_UNIT = 128 }; // entries, and how many of them are an optical depth of 1

// Light that is scattered several times goes deeper than the straight one.
static float getSun(float depth) { return 0.75f * expf(-depth) + 0.25f * expf(-0.25f * depth); }

static uint8_t readCurve(const uint8_t *curve, float depth) {
    float place = depth * CURVE_UNIT;
    return curve[place < CURVE - 1 ? (int)place : CURVE - 1];
}

/// The fall of light through the box.
typedef struct Fall {
    const wbSmokeView *view;
    Layer layer;
    float depth;                     ///< optical depth of density 1, from layer to layer
    float *arriving[2], *leaving[2]; ///< with the shadows of solid cells, and without
    uint8_t scattered[CURVE], straight[CURVE];
} Fall;

// Cells of one row: their light, and what they leave of it.
static void lightRow(Fall *fall, wbVolumeGrid *grid, int j, int k) {
    const wbSmokeView *view = fall->view;
    const int *n = grid->cells;
    const float solidDepth = 20;
    uint8_t *texel =
        (uint8_t *)grid->texels.data + TEXEL * (size_t)n[0] * ((size_t)j + (size_t)n[1] * (size_t)k);
    const float *density = view->density + j * view->strideY + k * view->strideZ;
    ptrdiff_t column = (ptrdiff_t)(k - fall->layer.first[1]) * fall->layer.size[0] - fall->layer.first[0];
    for (int i = 0; i < n[0]; ++i, texel += TEXEL) {
        float own = density[i] > 0 ? fall->depth * fminf(density[i], 1e6f) : 0;
        float all = fall->arriving[0][column + i], smoke = fall->arriving[1][column + i];
        bool solid = isSolid(view, i, j, k);
        texel[SUN] = readCurve(fall->scattered, all + 0.5f * own);
        texel[FREE_SUN] = readCurve(fall->straight, smoke + 0.5f * own);
        fall->leaving[0][column + i] = all + (solid ? solidDepth : own);
        fall->leaving[1][column + i] = smoke + own;
    }
}

static void swapLayers(Fall *fall, size_t bytes) {
    for (int s = 0; s < 2; ++s) {
        shiftLayer(&fall->layer, fall->leaving[s], fall->arriving[s]);
        memcpy(fall->leaving[s], fall->arriving[s], bytes);
    }
}

static void lightCells(Fall *fall, wbVolumeGrid *grid) {
    size_t bytes = (size_t)fall->layer.size[0] * (size_t)fall->layer.size[1] * sizeof(float);
    for (int i = 0; i < CURVE; ++i) {
        float depth = ((float)i + 0.5f) / CURVE_UNIT;
        fall->scattered[i] = i == 0 ? 255 : toByte(getSun(depth));
        fall->straight[i] = i == 0 ? 255 : toByte(expf(-depth));
    }
    for (int j = grid->cells[1] - 1; j >= 0; --j) {
        for (int k = 0; k < grid->cells[2]; ++k) lightRow(fall, grid, j, k);
        if (j > 0) swapLayers(fall, bytes);
    }
    uint8_t *shade = grid->shade.data;
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
        shade[i] = readCurve(fall->straight, fall->leaving[1][i]);
}

static wbStatus castLight(wbVolumeGrid *grid, const wbSmokeView *view, const wbVolumeLight *light) {
    Fall fall = {.view = view, .layer = makeLayer(grid->cells, light->toSun)};
    fall.depth = light->extinction * view->cellSize / light->toSun.y;
    int64_t size = (int64_t)fall.layer.size[0] * fall.layer.size[1];
    if (!reserve(&grid->columns, (int)sizeof(float), 4 * size) || !reserve(&grid->shade, 1, size))
        return wbError(wb_errorMemory, "no memory for the light in %d x %d x %d cells", grid->cells[0],
                       grid->cells[1], grid->cells[2]);
    memset(grid->columns.data, 0, 4 * (size_t)size * sizeof(float));
    for (int s = 0; s < 2; ++s) {
        fall.arriving[s] = (float *)grid->columns.data + s * size;
        fall.leaving[s] = (float *)grid->columns.data + (2 + s) * size;
    }
    memcpy(grid->shadeSize, fall.layer.size, sizeof grid->shadeSize);
    memcpy(grid->shadeFirst, fall.layer.first, sizeof grid->shadeFirst);
    lightCells(&fall, grid);
    return wb_okStatus;
}

static void includeCell(wbVolumeGrid *grid, const int cell[3]) {
    for (int a = 0; a < 3; ++a) {
        if (cell[a] < grid->low[a]) grid->low[a] = cell[a];
        if (cell[a] >= grid->high[a]) grid->high[a] = cell[a] + 1;
    }
}

// Blocks with anything to be seen, also where a picture mixes in a cell of the next block.
static void markBlocks(wbVolumeGrid *grid) {
    const int *n = grid->cells, *b = grid->blocks;
    const uint8_t *texel = grid->texels.data;
    uint8_t *steps = grid->steps.data;
    float leastHeat = glow / fmaxf(grid->temperature, 1e-30f) * 255;
    memset(steps, 255, (size_t)countCells(b));
    for (int a = 0; a < 3; ++a) grid->low[a] = n[a], grid->high[a] = 0;
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i, texel += TEXEL) {
                if (texel[DENSITY] == 0 && (float)texel[TEMPERATURE] <= leastHeat) continue;
                grid->isEmpty = false;
                includeCell(grid, (const int[3]){i, j, k});
                for (int c = 0; c < 8; ++c) {
                    int x = (i + (c & 1 ? 1 : -1)) / WB_VOLUME_BLOCK;
                    int y = (j + (c & 2 ? 1 : -1)) / WB_VOLUME_BLOCK;
                    int z = (k + (c & 4 ? 1 : -1)) / WB_VOLUME_BLOCK;
                    if (x < b[0] && y < b[1] && z < b[2]) steps[x + b[0] * (y + b[1] * z)] = 0;
                }
            }
        }
    }
}

// One more than the least of the neighbours that were visited before, going one way.
static void spreadSteps(wbVolumeGrid *grid, int way) {
    const int *b = grid->blocks;
    uint8_t *steps = grid->steps.data;
    int count = (int)countCells(b);
    for (int n = 0; n < count; ++n) {
        int at = way > 0 ? n : count - 1 - n;
        int x = at % b[0], y = at / b[0] % b[1], z = at / b[0] / b[1], least = steps[at];
        for (int c = 0; c < 13 && least > 1; ++c) {
            // the 13 neighbours that come before in memory
            int dx = c % 3 - 1, dy = c / 3 % 3 - 1, dz = c / 9 - 1;
            int i = x + way * dx, j = y + way * dy, k = z + way * dz;
            if (i < 0 || j < 0 || k < 0 || i >= b[0] || j >= b[1] || k >= b[2]) continue;
            int there = steps[i + b[0] * (j + b[1] * k)] + 1;
            if (there < least) least = there;
        }
        steps[at] = (uint8_t)least;
    }
}

// Nine tenths of all that glows are colder.
static float findHottest(const wbVolumeGrid *grid) {
    const uint8_t *texel = grid->texels.data;
    int64_t counts[256] = {0}, glowing = 0, colder = 0;
    int least = (int)ceilf(glow / grid->temperature * 255), t;
    for (int64_t n = countCells(grid->cells); n > 0; --n, texel += TEXEL) ++counts[texel[TEMPERATURE]];
    for (t = least; t < 256; ++t) glowing += counts[t];
    for (t = least; t < 255 && 10 * (colder + counts[t]) < 9 * glowing; ++t) colder += counts[t];
    return glowing > 0 ? WB_AMBIENT_KELVIN + (float)t / 255 * grid->temperature : 0;
}

// All that glows as one light: its middle, how far around it is, and its sum.
static void findFire(wbVolumeGrid *grid) {
    const int *n = grid->cells;
    const uint8_t *texel = grid->texels.data, *tint = grid->tints.data;
    float light[256][3];
    for (int t = 0; t < 256; ++t)
        wbGetBlackBody(WB_AMBIENT_KELVIN + (float)t / 255 * grid->temperature, grid->hottest, light[t]);
    double sum = 0, place[3] = {0}, squares = 0, colours[3] = {0};
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i, texel += TEXEL) {
                const float *glowing = light[texel[TEMPERATURE]];
                if (glowing[0] <= 0) continue;
                double weight = (double)glowing[0];
                sum += weight;
                place[0] += weight * i, place[1] += weight * j, place[2] += weight * k;
                squares += weight * ((double)i * i + (double)j * j + (double)k * k);
                float colour[3] = {glowing[0], glowing[1], glowing[2]};
                if (grid->hasTints)
                    wbTintGlow(glowing, tint + (texel - (uint8_t *)grid->texels.data), colour);
                for (int c = 0; c < 3; ++c) colours[c] += (double)colour[c];
            }
        }
    }
    grid->fireRadius = 0;
    for (int c = 0; c < 3; ++c) grid->fireLight[c] = (float)colours[c];
    if (sum <= 0) return;
    for (int a = 0; a < 3; ++a) place[a] /= sum;
    double spread = squares / sum - place[0] * place[0] - place[1] * place[1] - place[2] * place[2];
    grid->fire = wbMakeVec3((float)place[0] + 0.5f, (float)place[1] + 0.5f, (float)place[2] + 0.5f);
    grid->fireRadius = sqrtf((float)fmax(spread, 1));
}

wbStatus wbVolumeGrid_Fill(wbVolumeGrid *grid, const wbSmokeView *view, const wbVolumeLight *light) {
    memcpy(grid->cells, view->cells, sizeof grid->cells);
    for (int a = 0; a < 3; ++a) grid->blocks[a] = (grid->cells[a] + WB_VOLUME_BLOCK - 1) / WB_VOLUME_BLOCK;
    int64_t cells = countCells(grid->cells);
    grid->hasTints = view->colour[0] != NULL;
    if (!reserve(&grid->texels, TEXEL, cells) || !reserve(&grid->steps, 1, countCells(grid->blocks)) ||
        (grid->hasTints && !reserve(&grid->tints, 4, cells)))
        return wbError(wb_errorMemory, "no memory to draw %d x %d x %d cells of smoke", grid->cells[0],
                       grid->cells[1], grid->cells[2]);
    grid->density = findHighest(view, view->density);
    grid->temperature = fmaxf(findHighest(view, view->temperature), 1);
    grid->isEmpty = true;
    fillCells(grid, view);
    if (grid->hasTints) spreadTints(grid);
    smooth(grid, DENSITY, 6);
    if (grid->temperature > glow) smooth(grid, TEMPERATURE, 4);
    grid->hottest = fmaxf(findHottest(grid), 0.97f * grid->hottest);
    markBlocks(grid);
    if (grid->isEmpty) return wb_okStatus;
    findFire(grid);
    spreadSteps(grid, 1);
    spreadSteps(grid, -1);
    return castLight(grid, view, light);
}

void wbVolumeGrid_Free(wbVolumeGrid *grid) {
    wbArray_Free(NULL, &grid->texels);
    wbArray_Free(NULL, &grid->tints);
    wbArray_Free(NULL, &grid->steps);
    wbArray_Free(NULL, &grid->shade);
    wbArray_Free(NULL, &grid->columns);
}
