// SPDX-License-Identifier: MIT
// Levels of the multigrid from a mask of solids. A coarse cell is made of eight (of four in a single layer); its faces
// let through the mean of theirs.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "smoke/pressure.h"
#include "smoke/pressure_formula.h"

enum { SMALLEST = 4, SHARED_ROWS = 48 };

// Faces of a level by what they let through, 0 … 1. On the finest level they follow from the mask. In quiet rows all
// cells and their neighbours are whole and of air: nothing is computed or stored for them.
typedef struct Faces {
    int n[3];
    const uint8_t *solid;
    const bool *open;
    uint8_t *quiet;   // [k + nz j]
    float *weight[3]; // [i + (nx + 1) (k + (nz + 1) j)]
    // of cells, in those of the finest level: size, and how far the first starts beyond the lower side
    int size[3], start[3];
} Faces;

static int faceIndex(const Faces *faces, int i, int j, int k) {
    return i + (faces->n[0] + 1) * (k + (faces->n[2] + 1) * j);
}

// Of the row that the face below cell (i, j, k) belongs to; the last face along an axis belongs to the last cell.
static bool isQuiet(const Faces *faces, int j, int k) {
    int lastJ = faces->n[1] - 1, lastK = faces->n[2] - 1;
    return faces->quiet[(k < lastK ? k : lastK) + faces->n[2] * (j < lastJ ? j : lastJ)];
}

// Of the face below cell (i, j, k) along the axis.
static float getWeight(const Faces *faces, int axis, int i, int j, int k) {
    const int at[3] = {i, j, k}, strides[3] = {1, faces->n[0] * faces->n[2], faces->n[0]};
    bool isLow = at[axis] == 0, isHigh = at[axis] == faces->n[axis];
    if (isQuiet(faces, j, k)) return isLow || isHigh ? faces->open[2 * axis + isHigh] : 1;
    if (faces->weight[axis]) return faces->weight[axis][faceIndex(faces, i, j, k)];
    int cell = i + faces->n[0] * (k + faces->n[2] * j);
    if (isLow) return faces->open[2 * axis] && !faces->solid[cell];
    if (isHigh) return faces->open[2 * axis + 1] && !faces->solid[cell - strides[axis]];
    return !faces->solid[cell] && !faces->solid[cell - strides[axis]];
}

static bool isRowOfAir(const Faces *faces, int j, int k) {
    const uint8_t *row = faces->solid + faces->n[0] * (k + faces->n[2] * j);
    uint8_t any = 0;
    for (int i = 0; i < faces->n[0]; i++) any |= row[i];
    return any == 0;
}

static bool findQuietRows(Faces *faces, const wbWork *work) {
    size_t rows = (size_t)faces->n[1] * (size_t)faces->n[2];
    uint8_t *air = wbArena_Alloc(work->arena, rows);
    faces->quiet = wbArena_Alloc(work->arena, rows);
    if (!air || !faces->quiet) return false;
    int ny = faces->n[1], nz = faces->n[2];
    for (int j = 0, r = 0; j < ny; j++)
        for (int k = 0; k < nz; k++, r++) air[r] = isRowOfAir(faces, j, k);
    for (int j = 0, r = 0; j < ny; j++)
        for (int k = 0; k < nz; k++, r++)
            faces->quiet[r] = air[r] && (k == 0 || air[r - 1]) && (k == nz - 1 || air[r + 1]) &&
                              (j == 0 || air[r - nz]) && (j == ny - 1 || air[r + nz]);
    return true;
}

// Distance of the last cell's centre from where p = 0, half a finest cell beyond the side; in cells. A single cell
// stands in the middle of the box.
static float getReach(const Faces *faces, int axis, bool high, int finest) {
    float size = (float)faces->size[axis], first = 0.5f * size - (float)faces->start[axis];
    if (faces->n[axis] == 1) first = 0.5f * (float)finest;
    float reach = high ? (float)finest + 0.5f - (first + size * (float)(faces->n[axis] - 1)) : first + 0.5f;
    return fmaxf(reach / size, 0.0625f);
}

// Sizes of a level's arrays; false if an int cannot count them.
static bool setSizes(wbPressureLevel *level, const int n[3]) {
    level->nx = n[0], level->ny = n[1], level->nz = n[2];
    int half = (n[0] + 1) / 2;
    level->length = wbPadCount(half);
    level->row = wbPadCount(half + 1);
    int64_t plane = (int64_t)level->row * (n[2] + 2), total = plane * (n[1] + 2);
    if (total > INT32_MAX / 4) return false;
    level->plane = (int)plane, level->total = (int)total;
    level->cellsZ = n[2] == 1 ? 1 : 2;
    return true;
}

// What an odd number of cells does: coarse ones stick out at a closed side, the lower one if only that is closed; along x
// they start with the finer ones. With no such side the last cell is left out, or the pressure of a coarse cell whose
// centre is beyond the open side would be wrong, and the cycle diverge.
static void chooseShifts(wbPressureLevel *level, const bool open[6]) {
    level->shiftY = level->ny % 2 == 1 && open[3] && !open[2];
    level->shiftZ = level->cellsZ == 2 && level->nz % 2 == 1 && open[5] && !open[4];
}

static int countCoarse(int count, int shift, bool openHigh) {
    bool leavesOut = openHigh && !shift && count > 1;
    return leavesOut ? count / 2 : (count + 1) / 2;
}

// Hands out the arrays of fixed size one after the other; without a block it only counts.
typedef struct Block {
    char *start;
    size_t used;
} Block;

static void *take(Block *block, size_t bytes) {
    void *array = block->start ? block->start + block->used : NULL;
    block->used += (bytes + WB_ALIGNMENT - 1) / WB_ALIGNMENT * WB_ALIGNMENT;
    return array;
}

static float *takeFloats(Block *block, int count) {
    float *array = take(block, sizeof(float) * ((size_t)count + 2 * WB_SMOKE_MARGIN));
    return array ? array + WB_SMOKE_MARGIN : NULL;
}

static void takeArrays(wbPressureLevel *level, bool isFinest, Block *block) {
    size_t rows = (size_t)level->ny * (size_t)level->nz;
    for (int colour = 0; colour < 2; colour++) level->p[colour] = takeFloats(block, level->total);
    for (int colour = 0; colour < 2; colour++) level->b[colour] = takeFloats(block, level->total);
    for (int w = 0; w < 6; w++) level->weights[w] = isFinest ? NULL : takeFloats(block, 2 * level->total);
    level->diagonals = take(block, 2 * rows * sizeof(int));
    level->weighted = take(block, rows);
    level->near = take(block, rows);
    level->changed = isFinest ? NULL : take(block, rows);
}

static bool hasGrid(const wbPressure *pressure, const wbSmokeGrid *grid) {
    const wbSmokeGrid *own = &pressure->grid;
    return pressure->block && own->nx == grid->nx && own->ny == grid->ny && own->nz == grid->nz;
}

// Of the finest level, whose arrays do not depend on what is open.
static void keepPressures(const wbPressure *last, wbPressure *next) {
    const size_t bytes = sizeof(float) * (size_t)last->levels[0].total;
    for (int colour = 0; colour < 2; colour++)
        memcpy(next->levels[0].p[colour], last->levels[0].p[colour], bytes);
    next->likelyCycles = last->likelyCycles, next->slowSteps = last->slowSteps;
}

// After a failure all is as before.
static wbStatus reserveLevels(wbPressure *pressure, wbMemory *memory, const wbSmokeGrid *grid,
                              const bool open[6]) {
    wbPressure next = {.grid = *grid};
    wbPressureLevel *levels = next.levels;
    int n[3] = {grid->nx, grid->ny, grid->nz}, count = 0;
    if (hasGrid(pressure, grid) && memcmp(pressure->open, open, sizeof next.open) == 0) return wb_okStatus;
    for (;; count++) {
        if (!setSizes(&levels[count], n))
            return wbError(wb_errorInput, "smoke of %d x %d x %d cells is too large: take larger cells",
                           grid->nx, grid->ny, grid->nz);
        chooseShifts(&levels[count], open);
        if ((n[0] <= SMALLEST && n[1] <= SMALLEST && n[2] <= SMALLEST) || count == WB_PRESSURE_LEVELS - 1)
            break;
        n[0] = countCoarse(n[0], 0, open[1]);
        n[1] = countCoarse(n[1], levels[count].shiftY, open[3]);
        n[2] = countCoarse(n[2], levels[count].shiftZ, open[5]);
    }
    next.levelCount = count + 1;
    Block size = {NULL, 0};
    for (int l = 0; l <= count; l++) takeArrays(&levels[l], l == 0, &size);
    next.blockBytes = size.used;
    next.block = wbAllocZero(memory, next.blockBytes);
    Block block = {next.block, 0};
    if (!next.block)
        return wbMemoryError(memory, "the pressure of %d x %d x %d cells needs", grid->nx, grid->ny,
                             grid->nz);
    for (int l = 0; l <= count; l++) {
        takeArrays(&levels[l], l == 0, &block);
        levels[l].inverses.elementSize = levels[l].diagonalRows.elementSize = sizeof(float);
        levels[l].ghosts.elementSize = sizeof(wbPressureGhost);
        levels[l].ghostSources.elementSize = sizeof(int);
    }
    memcpy(next.open, open, sizeof next.open);
    next.isClosed = !memchr(open, true, sizeof next.open);
    if (hasGrid(pressure, grid)) keepPressures(pressure, &next);
    wbPressure_Free(memory, pressure);
    *pressure = next;
    return wb_okStatus;
}

void wbPressure_Free(wbMemory *memory, wbPressure *pressure) {
    for (int l = 0; l < pressure->levelCount && pressure->block; l++) {
        wbArray_Free(memory, &pressure->levels[l].inverses);
        wbArray_Free(memory, &pressure->levels[l].diagonalRows);
        wbArray_Free(memory, &pressure->levels[l].ghosts);
        wbArray_Free(memory, &pressure->levels[l].ghostSources);
    }
    if (pressure->runs.data) wbArray_Free(memory, &pressure->runs);
    wbFree(memory, pressure->block, pressure->blockBytes);
    *pressure = (wbPressure){0};
}

// Faces of the next coarser level.

static float *allocateFaces(const Faces *faces, const wbWork *work) {
    size_t count = (size_t)(faces->n[0] + 1) * (size_t)(faces->n[1] + 1) * (size_t)(faces->n[2] + 1);
    return wbArena_Alloc(work->arena, count * sizeof(float));
}

// The finer cells that a coarse one takes from along an axis, or the one finer face that it stands for.
typedef struct Span {
    int first, end;
} Span;

static Span getCells(int coarse, int per, int shift, int count) {
    Span span = {coarse * per - shift, coarse * per - shift + per};
    if (span.first < 0) span.first = 0;
    if (span.end > count) span.end = count;
    return span;
}

static Span getFace(int coarse, int coarseCount, int per, int shift, int count) {
    int face = coarse == 0 ? 0 : coarse * per - shift;
    if (coarse == coarseCount && face > count) face = count;
    return (Span){face, face + 1};
}

// Where all finer rows of a coarse one are there and quiet, so is it; but the open faces of a single layer grow.
static bool coarsenQuiet(const Faces *fine, Faces *coarse, const wbWork *work, const int per[3],
                         const int shift[3]) {
    coarse->quiet = wbArena_Alloc(work->arena, (size_t)coarse->n[1] * (size_t)coarse->n[2]);
    if (!coarse->quiet) return false;
    bool grows = per[2] == 1 && (fine->open[4] || fine->open[5]);
    for (int j = 0, r = 0; j < coarse->n[1]; j++) {
        for (int k = 0; k < coarse->n[2]; k++, r++) {
            Span y = getCells(j, per[1], shift[1], fine->n[1]), z = getCells(k, per[2], shift[2], fine->n[2]);
            bool quiet = !grows && y.end - y.first == per[1] && z.end - z.first == per[2] &&
                         2 * coarse->n[0] <= fine->n[0];
            for (int b = y.first; b < y.end && quiet; b++)
                for (int c = z.first; c < z.end && quiet; c++) quiet = isQuiet(fine, b, c);
            coarse->quiet[r] = quiet;
        }
    }
    return true;
}

static float sumFaces(const Faces *fine, int axis, const Span s[3]) {
    float sum = 0;
    for (int j = s[1].first; j < s[1].end; j++)
        for (int k = s[2].first; k < s[2].end; k++)
            for (int i = s[0].first; i < s[0].end; i++) sum += getWeight(fine, axis, i, j, k);
    return sum;
}

static void coarsenAxis(const Faces *fine, Faces *coarse, int axis, const int per[3], const int shift[3]) {
    float scale = 1.0f / (float)(per[0] * per[1] * per[2] / per[axis]);
    if (per[axis] == 1) scale *= 4; // as long, but four times as wide
    int end[3];
    for (int a = 0; a < 3; a++) end[a] = coarse->n[a] + (a == axis);
    for (int j = 0; j < end[1]; j++) {
        for (int k = 0; k < end[2]; k++) {
            if (isQuiet(coarse, j, k)) continue;
            for (int i = 0; i < end[0]; i++) {
                const int at[3] = {i, j, k};
                Span s[3];
                for (int a = 0; a < 3; a++)
                    s[a] = a == axis ? getFace(at[a], coarse->n[a], per[a], shift[a], fine->n[a])
                                     : getCells(at[a], per[a], shift[a], fine->n[a]);
                coarse->weight[axis][faceIndex(coarse, i, j, k)] = sumFaces(fine, axis, s) * scale;
            }
        }
    }
}

static bool coarsen(const Faces *fine, const wbPressureLevel *level, const wbWork *work, Faces *coarse) {
    const int per[3] = {2, 2, level->cellsZ}, shift[3] = {0, level->shiftY, level->shiftZ};
    *coarse = (Faces){.n = {level[1].nx, level[1].ny, level[1].nz}, .open = fine->open};
    for (int a = 0; a < 3; a++) {
        coarse->size[a] = fine->size[a] * per[a];
        coarse->start[a] = fine->start[a] + shift[a] * fine->size[a];
    }
    if (!coarsenQuiet(fine, coarse, work, per, shift)) return false;
    for (int a = 0; a < 3; a++) {
        coarse->weight[a] = allocateFaces(coarse, work);
        if (!coarse->weight[a]) return false;
        coarsenAxis(fine, coarse, a, per, shift);
    }
    return true;
}

// Rows of diagonals and weights.

static int placeOf(const wbPressureLevel *level, int i, int j, int k) {
    return (i >> 1) + level->row * (k + 1) + level->plane * (j + 1);
}

// Diagonal of a cell; a face at an open side counts by its distance from where p = 0.
static float sumWeights(const Faces *faces, const float openFactor[6], int i, int j, int k, float w[6]) {
    const int at[3] = {i, j, k};
    float sum = 0;
    for (int s = 0; s < 6; s++) {
        int a = s / 2, high = s & 1;
        w[s] = getWeight(faces, a, i + (high && a == 0), j + (high && a == 1), k + (high && a == 2));
        bool atSide = at[a] == (high ? faces->n[a] - 1 : 0);
        sum += atSide ? w[s] * openFactor[s] : w[s];
        if (atSide) w[s] = 0;
    }
    return sum;
}

// The place of a row among those kept, or -1 if memory ran out; most rows are like one of the first.
static int shareRow(wbPressureLevel *level, wbMemory *memory, const float *inverse) {
    int length = level->length, count = level->diagonalCount / length;
    const float *kept = level->inverses.data;
    for (int r = 0; r < count && r < SHARED_ROWS; r++)
        if (memcmp(inverse, kept + (size_t)r * (size_t)length, sizeof(float) * (size_t)length) == 0)
            return r * length;
    int first = level->diagonalCount, needed = first + length;
    if (!wbArray_Reserve(memory, &level->inverses, needed)) return -1;
    if (!wbArray_Reserve(memory, &level->diagonalRows, needed)) return -1;
    memcpy((float *)level->inverses.data + first, inverse, sizeof(float) * (size_t)length);
    float *diagonal = (float *)level->diagonalRows.data + first;
    for (int t = 0; t < length; t++) diagonal[t] = inverse[t] > 0 ? 1 / inverse[t] : 0;
    level->diagonalCount = needed;
    return first;
}

// True if they were others.
static bool storeWeights(wbPressureLevel *level, int i, int j, int k, const float w[6]) {
    int at = ((i + j + k) & 1) * level->total + placeOf(level, i, j, k);
    const float ordered[6] = {w[!(i & 1)], w[i & 1], w[4], w[5], w[2], w[3]};
    bool differ = false;
    for (int n = 0; n < 6; n++) {
        differ |= level->weights[n][at] != ordered[n];
        level->weights[n][at] = ordered[n];
    }
    return differ;
}

// Quiet rows differ by the sides that they are at, and by the colour of their first cell: their diagonals once found.
typedef struct QuietRows {
    bool isKnown[2][16];
    int diagonals[2][16][2]; // by colour
} QuietRows;

typedef struct Build {
    wbPressureLevel *level;
    const Faces *faces;
    wbMemory *memory;
    float openFactor[6];
    float *scratch; // two rows
    QuietRows quiet;
} Build;

// Whether there is air of each colour; fills the scratch, and sets what is special about the row.
static void computeRow(Build *build, int j, int k, bool any[2]) {
    wbPressureLevel *level = build->level;
    int row = k + level->nz * j;
    bool weighted = false, near = false, changed = false;
    memset(build->scratch, 0, sizeof(float) * 2 * (size_t)level->length);
    for (int i = 0; i < level->nx; i++) {
        float w[6], sum = sumWeights(build->faces, build->openFactor, i, j, k, w);
        const bool inner[6] = {i > 0, i<level->nx - 1, j> 0, j<level->ny - 1, k> 0, k < level->nz - 1};
        int colour = (i + j + k) & 1;
        changed |= storeWeights(level, i, j, k, w);
        near |= sum <= 0;
        if (sum <= 0) continue;
        any[colour] = true;
        build->scratch[colour * level->length + (i >> 1)] = 1 / sum;
        for (int s = 0; s < 6; s++) {
            near |= inner[s] && w[s] == 0;
            weighted |= inner[s] && w[s] != 1;
        }
    }
    level->weighted[row] = weighted;
    level->near[row] = near;
    level->changed[row] |= changed;
}

// The same on the finest level, from the mask: faces are open or shut, and 1 / diagonal is one of seven numbers.
static void computeFinestRow(Build *build, int j, int k, bool any[2]) {
    static const float inverses[7] = {0, 1, 1.0f / 2, 1.0f / 3, 1.0f / 4, 1.0f / 5, 1.0f / 6};
    wbPressureLevel *level = build->level;
    const Faces *faces = build->faces;
    const bool *open = faces->open;
    int nx = level->nx, plane = nx * level->nz;
    const uint8_t *row = faces->solid + nx * (k + level->nz * j);
    // rows beside it, and what lies beyond a side: itself, as if the face within were the side's
    const uint8_t *beside[4] = {j > 0 ? row - plane : row, j < level->ny - 1 ? row + plane : row,
                                k > 0 ? row - nx : row, k < level->nz - 1 ? row + nx : row};
    int shut = (j == 0 && !open[2]) + (j == level->ny - 1 && !open[3]) + (k == 0 && !open[4]) +
               (k == level->nz - 1 && !open[5]);
    bool near = false;
    memset(build->scratch, 0, sizeof(float) * 2 * (size_t)level->length);
    for (int i = 0; i < nx; i++) {
        bool left = i > 0 && row[i - 1], right = i < nx - 1 && row[i + 1];
        int solids = left + right + (beside[0][i] != 0) + (beside[1][i] != 0) + (beside[2][i] != 0) +
                     (beside[3][i] != 0);
        int shutHere = shut + (i == 0 && !open[0]) + (i == nx - 1 && !open[1]);
        int count = row[i] ? 0 : 6 - solids - shutHere, colour = (i + j + k) & 1;
        near |= count == 0 || solids > 0;
        any[colour] |= count > 0;
        build->scratch[colour * level->length + (i >> 1)] = inverses[count];
    }
    level->weighted[k + level->nz * j] = 0;
    level->near[k + level->nz * j] = near;
}

// One row of cells: its diagonals by colour. False if memory ran out.
static bool buildRow(Build *build, int j, int k) {
    wbPressureLevel *level = build->level;
    int *diagonals = level->diagonals + 2 * (k + level->nz * j), first = (j + k) & 1;
    int sides = (j == 0) | (j == level->ny - 1) << 1 | (k == 0) << 2 | (k == level->nz - 1) << 3;
    bool quiet = isQuiet(build->faces, j, k), any[2] = {false, false};
    if (quiet && build->quiet.isKnown[first][sides]) {
        memcpy(diagonals, build->quiet.diagonals[first][sides], sizeof(int[2]));
        level->weighted[k + level->nz * j] = level->near[k + level->nz * j] = 0;
        return true;
    }
    if (level->weights[0])
        computeRow(build, j, k, any);
    else
        computeFinestRow(build, j, k, any);
    for (int colour = 0; colour < 2; colour++) {
        const float *inverse = build->scratch + colour * level->length;
        float *p = level->p[colour] + placeOf(level, 0, j, k);
        diagonals[colour] = any[colour] ? shareRow(level, build->memory, inverse) : -1;
        if (any[colour] && diagonals[colour] < 0) return false;
        for (int t = 0; t < level->length; t++)
            p[t] = inverse[t] > 0 ? p[t] : 0; // a solid may have come here
    }
    if (!quiet) return true;
    build->quiet.isKnown[first][sides] = true;
    memcpy(build->quiet.diagonals[first][sides], diagonals, sizeof(int[2]));
    return true;
}

// Rows within two of a solid.
static void spreadNear(wbPressureLevel *level) {
    enum { SOLID = 1, SPREAD = 2 };
    for (int j = 0; j < level->ny; j++) {
        for (int k = 0; k < level->nz; k++) {
            if (!(level->near[k + level->nz * j] & SOLID)) continue;
            for (int y = j - 2; y <= j + 2; y++)
                for (int z = k - 2; z <= k + 2; z++)
                    if (y >= 0 && z >= 0 && y < level->ny && z < level->nz)
                        level->near[z + level->nz * y] |= SPREAD;
        }
    }
}

static bool isAir(const wbPressureLevel *level, int i, int j, int k) {
    if (i < 0 || j < 0 || k < 0 || i >= level->nx || j >= level->ny || k >= level->nz) return false;
    int row = level->diagonals[2 * (k + level->nz * j) + ((i + j + k) & 1)];
    return row >= 0 && ((const float *)level->inverses.data)[row + (i >> 1)] > 0;
}

// The nearest cells of air around a solid one: those across faces, else across edges, else across corners.
static int findAround(const wbPressureLevel *level, int i, int j, int k, int sources[12]) {
    int count = 0;
    for (int distance = 1; distance <= 3 && count == 0; distance++) {
        for (int c = 0; c < 27; c++) {
            int x = c % 3 - 1, y = c / 3 % 3 - 1, z = c / 9 - 1;
            if (x * x + y * y + z * z != distance || !isAir(level, i + x, j + y, k + z)) continue;
            sources[count++] = 2 * placeOf(level, i + x, j + y, k + z) + ((i + x + j + y + k + z) & 1);
        }
    }
    return count;
}

static bool addGhost(wbPressureLevel *level, wbMemory *memory, int i, int j, int k) {
    int sources[12], count = findAround(level, i, j, k, sources);
    if (count == 0) return true;
    if (!wbArray_Reserve(memory, &level->ghosts, level->ghostCount + 1)) return false;
    if (!wbArray_Reserve(memory, &level->ghostSources, level->ghostSourceCount + count)) return false;
    memcpy((int *)level->ghostSources.data + level->ghostSourceCount, sources, sizeof(int) * (size_t)count);
    ((wbPressureGhost *)level->ghosts.data)[level->ghostCount++] =
        (wbPressureGhost){(i + j + k) & 1, placeOf(level, i, j, k), level->ghostSourceCount, count};
    level->ghostSourceCount += count;
    return true;
}

static bool findGhosts(Build *build) {
    wbPressureLevel *level = build->level;
    level->ghostCount = level->ghostSourceCount = 0;
    for (int j = 0; j < level->ny; j++) {
        for (int k = 0; k < level->nz; k++) {
            if (isQuiet(build->faces, j, k)) continue;
            for (int i = 0; i < level->nx; i++)
                if (!isAir(level, i, j, k) && !addGhost(level, build->memory, i, j, k)) return false;
        }
    }
    return true;
}

static bool buildLevel(wbPressureLevel *level, const Faces *faces, const wbWork *work, const int finest[3]) {
    Build build = {.level = level, .faces = faces, .memory = work->memory};
    build.scratch = wbArena_Alloc(work->arena, sizeof(float) * 2 * (size_t)level->length);
    if (!build.scratch) return false;
    level->gain = level->weights[0] ? 1 : PRESSURE_FINEST_GAIN;
    for (int s = 0; s < 6; s++) {
        float reach = getReach(faces, s / 2, s & 1, finest[s / 2]);
        build.openFactor[s] = 1 / reach;
        level->beyond[s] = faces->open[s] ? fmaxf((reach - 1) / reach, -3) : 1;
    }
    level->diagonalCount = 0;
    for (int j = 0; j < level->ny; j++)
        for (int k = 0; k < level->nz; k++)
            if (!buildRow(&build, j, k)) return false;
    level->inverse = level->inverses.data, level->diagonal = level->diagonalRows.data;
    spreadNear(level);
    return !level->weights[0] || findGhosts(&build);
}

// Parts of the air that cannot leave, by runs of air along x.

typedef struct Runs {
    wbAirRun *list;
    int *parents; // run that it is joined to; itself: none
} Runs;

static int findRoot(int *parents, int run) {
    for (; parents[run] != run; run = parents[run]) parents[run] = parents[parents[run]];
    return run;
}

// Joins what touches in two neighbouring rows.
static void joinRows(Runs *runs, int first, int firstEnd, int second, int secondEnd) {
    while (first < firstEnd && second < secondEnd) {
        const wbAirRun *a = &runs->list[first], *b = &runs->list[second];
        if (a->first < b->end && b->first < a->end) {
            int x = findRoot(runs->parents, first), y = findRoot(runs->parents, second);
            runs->parents[x > y ? x : y] = x > y ? y : x;
        }
        if (a->end < b->end)
            first++;
        else
            second++;
    }
}

static bool addRuns(wbPressure *pressure, wbMemory *memory, const uint8_t *row, int number) {
    int nx = pressure->grid.nx;
    for (int i = 0; i < nx; i++) {
        if (row[i]) continue;
        int first = i;
        while (i < nx && !row[i]) i++;
        if (!wbArray_Reserve(memory, &pressure->runs, pressure->runCount + 1)) return false;
        ((wbAirRun *)pressure->runs.data)[pressure->runCount++] = (wbAirRun){number, first, i, 0};
        pressure->airCount += i - first;
    }
    return true;
}

static bool isAtOpenSide(const wbSmokeGrid *grid, const bool open[6], const wbAirRun *run) {
    int k = run->row % grid->nz, j = run->row / grid->nz;
    return (open[0] && run->first == 0) || (open[1] && run->end == grid->nx) || (open[2] && j == 0) ||
           (open[3] && j == grid->ny - 1) || (open[4] && k == 0) || (open[5] && k == grid->nz - 1);
}

// Numbers the parts that no open side is in.
static void numberParts(wbPressure *pressure, int *parents, const bool open[6], int *numbers) {
    enum { OUTSIDE = -1 };
    wbAirRun *runs = pressure->runs.data;
    memset(numbers, 0, sizeof(int) * (size_t)pressure->runCount);
    for (int r = 0; r < pressure->runCount; r++)
        if (isAtOpenSide(&pressure->grid, open, &runs[r])) numbers[findRoot(parents, r)] = OUTSIDE;
    for (int r = 0; r < pressure->runCount; r++) {
        int root = findRoot(parents, r);
        if (numbers[root] == 0) numbers[root] = ++pressure->pocketCount;
        runs[r].part = numbers[root] == OUTSIDE ? 0 : numbers[root];
    }
}

static bool findPockets(wbPressure *pressure, const wbWork *work, const uint8_t *solid, const bool open[6]) {
    const wbSmokeGrid *grid = &pressure->grid;
    int rows = grid->ny * grid->nz, *starts = wbArena_Alloc(work->arena, sizeof(int) * ((size_t)rows + 1));
    pressure->runs.elementSize = sizeof(wbAirRun);
    pressure->runCount = pressure->pocketCount = pressure->airCount = 0;
    for (int r = 0; r < rows && starts; r++) {
        starts[r] = pressure->runCount;
        if (!addRuns(pressure, work->memory, solid + (size_t)r * (size_t)grid->nx, r)) return false;
    }
    int *parents = wbArena_Alloc(work->arena, sizeof(int) * 2 * (size_t)(pressure->runCount + 1));
    if (!starts || !parents) return false;
    starts[rows] = pressure->runCount;
    for (int r = 0; r < pressure->runCount; r++) parents[r] = r;
    Runs runs = {pressure->runs.data, parents};
    for (int r = 0; r < rows; r++) {
        if (r % grid->nz > 0) joinRows(&runs, starts[r - 1], starts[r], starts[r], starts[r + 1]);
        if (r >= grid->nz)
            joinRows(&runs, starts[r - grid->nz], starts[r - grid->nz + 1], starts[r], starts[r + 1]);
    }
    numberParts(pressure, parents, open, parents + pressure->runCount + 1);
    return true;
}

wbStatus wbPressure_Build(wbPressure *pressure, const wbWork *work, const wbSmokeGrid *grid,
                          const uint8_t *solid, const bool open[6]) {
    WB_TRY(reserveLevels(pressure, work->memory, grid, open));
    size_t mark = wbArena_Mark(work->arena);
    Faces faces = {.n = {grid->nx, grid->ny, grid->nz}, .solid = solid, .open = open, .size = {1, 1, 1}};
    bool built = findQuietRows(&faces, work) && findPockets(pressure, work, solid, open);
    for (int l = 0; l < pressure->levelCount && built; l++) {
        built = buildLevel(&pressure->levels[l], &faces, work, (int[3]){grid->nx, grid->ny, grid->nz});
        Faces coarse;
        if (l == pressure->levelCount - 1 || !built) break;
        built = coarsen(&faces, &pressure->levels[l], work, &coarse);
        faces = coarse;
    }
    wbArena_Release(work->arena, mark);
    return built ? wb_okStatus : wbMemoryError(work->memory, "levels of the pressure need");
}
