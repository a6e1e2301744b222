// SPDX-License-Identifier: MIT
#include "render/volume_around.h"

#include "core/status.h"
#include "render/black_body.h"

#include <math.h>
#include <string.h>

/// Of a node: what shines in it per metre, and what it takes of the light per metre. Later the light that reaches it, and
/// the share of the sky that it sees.
typedef struct Node {
    float red, green, blue, dark;
} Node;

/// A grid of nodes.
typedef struct Level {
    int size[3];
    Node *nodes;
    float edge; ///< m
} Level;

enum { MAX_LEVELS = 12 };

static int64_t countNodes(const int size[3]) { return (int64_t)size[0] * size[1] * size[2]; }

static void halve(const int from[3], int to[3]) {
    for (int a = 0; a < 3; ++a) to[a] = (from[a] + 1) / 2;
}

static void add(Node *to, Node value, float share) {
    to->red += share * value.red, to->green += share * value.green, to->blue += share * value.blue;
    to->dark += share * value.dark;
}

/// How texels become nodes.
typedef struct Reading {
    const wbVolumeGrid *grid;
    const wbVolumeLight *light;
    float glow[256][3]; ///< by temperature
} Reading;

static void startReading(Reading *reading, const wbVolumeGrid *grid, const wbVolumeLight *light) {
    reading->grid = grid;
    reading->light = light;
    for (int t = 0; t < 256; ++t)
        wbGetBlackBody(WB_AMBIENT_KELVIN + (float)t / 255 * grid->temperature, grid->hottest,
                       reading->glow[t]);
}

// What a cell absorbs and sends out, by the formulas of volume_march.glsl.
static Node readCell(const Reading *reading, int64_t cell) {
    const wbVolumeGrid *grid = reading->grid;
    const uint8_t *texel = (const uint8_t *)grid->texels.data + 4 * cell;
    const uint8_t *tint = grid->hasTints ? (const uint8_t *)grid->tints.data + 4 * cell : NULL;
    static const uint8_t white[3] = {255, 255, 255};
    float root = (float)texel[0] / 255, colour[3];
    float dark = fminf(root * root * grid->density * reading->light->extinction, 1e6f);
    float shine = reading->light->shine + reading->light->sootShine * dark;
    wbTintGlow(reading->glow[texel[1]], tint ? tint : white, colour);
    return (Node){shine * colour[0], shine * colour[1], shine * colour[2], dark};
}

static void fillFinest(const Reading *reading, const Level *level) {
    const int *n = reading->grid->cells, *size = level->size;
    memset(level->nodes, 0, (size_t)countNodes(size) * sizeof(Node));
    int64_t cell = 0;
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i, ++cell) {
                // neither smoke nor heat
                const uint8_t *texel = (const uint8_t *)reading->grid->texels.data + 4 * cell;
                if (texel[0] == 0 && texel[1] == 0) continue;
                int64_t node = i / 2 + (int64_t)size[0] * (j / 2 + (int64_t)size[1] * (k / 2));
                add(&level->nodes[node], readCell(reading, cell), 0.125f);
            }
}

static void fillCoarser(const Level *fine, const Level *coarse) {
    const int *n = fine->size, *size = coarse->size;
    const Node *from = fine->nodes;
    memset(coarse->nodes, 0, (size_t)countNodes(size) * sizeof(Node));
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i)
                add(&coarse->nodes[i / 2 + (int64_t)size[0] * (j / 2 + (int64_t)size[1] * (k / 2))], *from++,
                    0.125f);
}

// The coarser level at a finer node, by linear interpolation: a quarter of the edge away from a node's middle.
static Node interpolate(const Level *coarse, int i, int j, int k) {
    const int place[3] = {i, j, k};
    int near[3], far[3];
    Node sum = {0};
    for (int a = 0; a < 3; ++a) {
        near[a] = place[a] / 2;
        far[a] = near[a] + (place[a] % 2 ? 1 : -1);
        if (far[a] < 0 || far[a] >= coarse->size[a]) far[a] = near[a];
    }
    for (int c = 0; c < 8; ++c) {
        int x = c & 1 ? far[0] : near[0], y = c & 2 ? far[1] : near[1], z = c & 4 ? far[2] : near[2];
        float share = (c & 1 ? 0.25f : 0.75f) * (c & 2 ? 0.25f : 0.75f) * (c & 4 ? 0.25f : 0.75f);
        add(&sum, coarse->nodes[x + (int64_t)coarse->size[0] * (y + (int64_t)coarse->size[1] * z)], share);
    }
    return sum;
}

// A shell around each node, about half its edge thick, is as its mean: what comes from further away goes through it, what
// shines in it is added. `coarse` is NULL around the coarsest: there is the sky.
static void lightLevel(const Level *level, const Level *coarse) {
    const int *n = level->size;
    Node *node = level->nodes;
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i, ++node) {
                Node light = {0, 0, 0, 1}, own = *node;
                if (coarse) light = interpolate(coarse, i, j, k);
                float way = 0.5f * level->edge, depth = own.dark * way, left = expf(-depth);
                float mean = depth > 1e-3f ? (1 - left) / own.dark : way;
                *node = (Node){light.red * left + own.red * mean, light.green * left + own.green * mean,
                               light.blue * left + own.blue * mean, light.dark * left};
            }
}

static wbStatus layOut(wbVolumeAround *around, const int cells[3], float cellSize, Level *levels,
                       int *levelCount) {
    int64_t total = 0, starts[MAX_LEVELS];
    const int *size = cells;
    int count = 0;
    do {
        levels[count].edge = cellSize * (float)(2 << count);
        halve(size, levels[count].size);
        size = levels[count].size;
        starts[count] = total;
        total += countNodes(size);
        ++count;
    } while (count < MAX_LEVELS && (size[0] > 1 || size[1] > 1 || size[2] > 1));
    around->levels.elementSize = (int)sizeof(Node);
    if (total >= INT32_MAX / 2 || !wbArray_Reserve(NULL, &around->levels, (int)total))
        return wbError(wb_errorMemory, "no memory for the light around %d x %d x %d cells of smoke", cells[0],
                       cells[1], cells[2]);
    for (int l = 0; l < count; ++l) levels[l].nodes = (Node *)around->levels.data + starts[l];
    *levelCount = count;
    return wb_okStatus;
}

wbStatus wbVolumeAround_Fill(wbVolumeAround *around, const wbVolumeGrid *grid, const wbVolumeLight *light,
                             float cellSize) {
    Level levels[MAX_LEVELS];
    Reading reading;
    int count = 0;
    WB_TRY(layOut(around, grid->cells, cellSize, levels, &count));
    startReading(&reading, grid, light);
    fillFinest(&reading, &levels[0]);
    for (int l = 1; l < count; ++l) fillCoarser(&levels[l - 1], &levels[l]);
    for (int l = count - 1; l >= 0; --l) lightLevel(&levels[l], l + 1 < count ? &levels[l + 1] : NULL);
    memcpy(around->size, levels[0].size, sizeof around->size);
    return wb_okStatus;
}

void wbVolumeAround_Free(wbVolumeAround *around) { wbArray_Free(NULL, &around->levels); }
