// SPDX-License-Identifier: MIT
#include "coupling/air_fill.h"

#include <math.h>
#include <string.h>

#include "core/status.h"

// Edges of a particle's cube over the cube root of its volume.
static const float spread = 1.5f;

void wbAirFill_Init(wbAirFill *fill) {
    *fill = (wbAirFill){.cells.elementSize = sizeof(wbAirFilled),
                        .kicks.elementSize = sizeof(float[3]),
                        .surface.elementSize = sizeof(float),
                        .wet.elementSize = sizeof(float),
                        .cover.elementSize = sizeof(float),
                        .ways.elementSize = sizeof(uint8_t),
                        .filled.elementSize = sizeof(uint8_t)};
}

void wbAirFill_Free(wbMemory *memory, wbAirFill *fill) {
    wbArray_Free(memory, &fill->cells);
    wbArray_Free(memory, &fill->kicks);
    wbArray_Free(memory, &fill->surface);
    wbArray_Free(memory, &fill->wet);
    wbArray_Free(memory, &fill->cover);
    wbArray_Free(memory, &fill->ways);
    wbArray_Free(memory, &fill->filled);
    wbAirFill_Init(fill);
}

wbStatus wbAirFill_Open(wbAirFill *fill, wbMemory *memory, const wbSmokeGrid *grid) {
    const int count = grid->nx * grid->ny * grid->nz;
    if (!wbArray_Reserve(memory, &fill->cells, count) || !wbArray_Reserve(memory, &fill->kicks, count) ||
        !wbArray_Reserve(memory, &fill->surface, count) || !wbArray_Reserve(memory, &fill->wet, count) ||
        !wbArray_Reserve(memory, &fill->cover, count) || !wbArray_Reserve(memory, &fill->ways, count) ||
        !wbArray_Reserve(memory, &fill->filled, count))
        return wbMemoryError(memory, "water in %d cells of the air needs", count);
    fill->grid = *grid, fill->cellCount = count;
    memset(fill->filled.data, 0, (size_t)count);
    memset(fill->cells.data, 0, sizeof(wbAirFilled) * (size_t)count);
    return wb_okStatus;
}

// The cells that a particle is in, and along each axis the share of it in each.
enum { MOST_CELLS = 32 };
typedef struct Cover {
    int low[3], count[3];
    float share[3][MOST_CELLS];
} Cover;

// Without the care for what is no number, which costs calls.
static float larger(float a, float b) { return a > b ? a : b; }
static float smaller(float a, float b) { return a < b ? a : b; }

static void coverAxis(const wbSmokeGrid *grid, int axis, float place, float edge, Cover *cover) {
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    const float most = (float)counts[axis], at = (place - (&grid->origin.x)[axis]) / grid->h,
                half = 0.5f * edge / grid->h;
    const float low = larger(at - half, 0), high = smaller(at + half, most);
    cover->low[axis] = cover->count[axis] = 0;
    if (!(low < high)) return;
    const int first = (int)low;
    cover->low[axis] = first;
    for (int c = first; c < counts[axis] && (float)c < high; c++)
        cover->share[axis][cover->count[axis]++] =
            (smaller(high, (float)(c + 1)) - larger(low, (float)c)) / (high - low);
}

static float getVolume(const wbAirFillers *set, int i) {
    return set->volume ? set->volume[i] : set->allVolume;
}
static float getMass(const wbAirFillers *set, int i) { return set->mass ? set->mass[i] : set->allMass; }

float wbGetFillEdge(int dimensions, float volume) { return dimensions == 3 ? cbrtf(volume) : sqrtf(volume); }

// At least so long. As many cells as there is room for: cells are not much smaller than particles, or they are taken as
// smaller than they are.
static float getEdge(const wbSmokeGrid *grid, const wbAirFillers *set, int i, float least) {
    const float own = set->volume ? wbGetFillEdge(grid->dimensions, set->volume[i]) : set->allEdge;
    return smaller(larger(least, spread * own), (MOST_CELLS - 2) * grid->h);
}

// In a cube of its own size, or `least`. False: nowhere in the planes from begin to end - 1, which `cover` is cut to.
static bool findCoverOf(const wbSmokeGrid *grid, const wbAirFillers *set, int i, float least, int begin,
                        int end, Cover *cover, int *skipped) {
    const float edge = getEdge(grid, set, i, least);
    coverAxis(grid, 1, set->place[1][i], edge, cover);
    *skipped = cover->low[1] < begin ? begin - cover->low[1] : 0;
    if (cover->low[1] + cover->count[1] > end) cover->count[1] = end - cover->low[1];
    if (*skipped >= cover->count[1]) return false;
    coverAxis(grid, 0, set->place[0][i], edge, cover);
    if (grid->dimensions == 3)
        coverAxis(grid, 2, set->place[2][i], edge, cover);
    else
        cover->low[2] = 0, cover->count[2] = 1, cover->share[2][0] = 1;
    return cover->count[0] > 0 && cover->count[2] > 0;
}

// As it fills cells.
static bool findCover(const wbSmokeGrid *grid, const wbAirFillers *set, int i, int begin, int end,
                      Cover *cover, int *skipped) {
    return findCoverOf(grid, set, i, grid->h, begin, end, cover, skipped);
}

typedef struct Find {
    wbAirFill *fill;
    const wbAirFillers *sets;
    int setCount;
    float cellVolume;
} Find;

static void addParticle(const Find *find, const wbAirFillers *set, int i, int begin, int end) {
    const wbSmokeGrid *grid = &find->fill->grid;
    wbAirFilled *cells = find->fill->cells.data;
    Cover cover;
    int skipped;
    if (!findCover(grid, set, i, begin, end, &cover, &skipped)) return;
    const float volume = getVolume(set, i), mass = getMass(set, i),
                v[3] = {set->velocity[0][i], set->velocity[1][i], set->velocity[2][i]};
    for (int y = skipped; y < cover.count[1]; y++)
        for (int z = 0; z < cover.count[2]; z++)
            for (int x = 0; x < cover.count[0]; x++) {
                const float share = cover.share[0][x] * cover.share[1][y] * cover.share[2][z];
                wbAirFilled *c =
                    cells + wbSmokeCell(grid, cover.low[0] + x, cover.low[1] + y, cover.low[2] + z);
                c->volume += share * volume, c->mass += share * mass;
                for (int a = 0; a < 3; a++) c->momentum[a] += share * mass * v[a];
            }
}

// Planes from begin to end - 1, in the order of particles: the same sums whoever has them.
static void findPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Find *find = context;
    const wbSmokeGrid *grid = &find->fill->grid;
    const size_t plane = (size_t)grid->nx * (size_t)grid->nz, first = plane * (size_t)begin;
    wbAirFilled *cells = find->fill->cells.data;
    uint8_t *filled = find->fill->filled.data;
    memset(cells + first, 0, sizeof *cells * plane * (size_t)(end - begin));
    for (int s = 0; s < find->setCount; s++)
        for (int i = 0; i < find->sets[s].count; i++) addParticle(find, &find->sets[s], i, begin, end);
    for (size_t c = first; c < plane * (size_t)end; c++)
        filled[c] = cells[c].volume > find->cellVolume * (filled[c] ? WB_FILL_TO : WB_FILL_FROM);
}

void wbAirFill_Find(wbAirFill *fill, const wbWork *work, const wbAirFillers *sets, int setCount) {
    const float h = fill->grid.h;
    Find find = {fill, sets, setCount, fill->grid.dimensions == 3 ? h * h * h : h * h};
    wbParallelFor(work->pool, fill->grid.ny, 1, findPlanes, &find);
}

static int findOwn(const wbSmokeGrid *grid, const wbAirFillers *set, int i, int axis) {
    const int counts[3] = {grid->nx, grid->ny, grid->nz};
    const float at = (set->place[axis][i] - (&grid->origin.x)[axis]) / grid->h;
    return axis < grid->dimensions ? (int)smaller(larger(at, 0), (float)(counts[axis] - 1)) : 0;
}

// What of a particle is within a collider stands in the cell of its middle: else water would be seen behind thin walls.
typedef struct WetCells {
    const wbAirFill *fill;
    Cover cover;
    int ownY, own;
} WetCells;

static bool listWet(const wbAirFill *fill, const wbAirFillers *set, int i, WetCells *cells) {
    const wbSmokeGrid *grid = &fill->grid;
    int skipped;
    *cells = (WetCells){.fill = fill, .ownY = findOwn(grid, set, i, 1)};
    cells->own = wbSmokeCell(grid, findOwn(grid, set, i, 0), cells->ownY, findOwn(grid, set, i, 2));
    return findCoverOf(grid, set, i, 0, 0, grid->ny, &cells->cover, &skipped);
}

// Cell (x, y, z) of a cover, and which plane it is of.
static int getWetCell(const WetCells *cells, int x, int y, int z, int *plane) {
    const wbAirFill *fill = cells->fill;
    const int *low = cells->cover.low, cell = wbSmokeCell(&fill->grid, low[0] + x, low[1] + y, low[2] + z);
    const bool isWall = fill->mask[cell] != 0 && fill->mask[cell] != fill->mark;
    *plane = isWall ? cells->ownY : low[1] + y;
    return isWall ? cells->own : cell;
}

// Deeper down all cells are covered, whoever is in them.
static bool isShallow(const wbAirFill *fill, const wbAirFillers *set, int i) {
    const wbSmokeGrid *grid = &fill->grid;
    const int own =
        wbSmokeCell(grid, findOwn(grid, set, i, 0), findOwn(grid, set, i, 1), findOwn(grid, set, i, 2));
    return ((const uint8_t *)fill->ways.data)[own] <= fill->reach + (int)(set->allEdge / grid->h) + 1;
}

static void addWet(const Find *find, const wbAirFillers *set, int i, int begin, int end) {
    float *wet = find->fill->wet.data;
    const float volume = set->water[i] * getVolume(set, i);
    WetCells cells;
    if (!(volume > 0) || !isShallow(find->fill, set, i) || !listWet(find->fill, set, i, &cells)) return;
    const Cover *cover = &cells.cover;
    if (cover->low[1] >= end || cover->low[1] + cover->count[1] <= begin) return;
    for (int y = 0; y < cover->count[1]; y++)
        for (int z = 0; z < cover->count[2]; z++)
            for (int x = 0; x < cover->count[0]; x++) {
                int plane;
                const int cell = getWetCell(&cells, x, y, z, &plane);
                if (plane >= begin && plane < end)
                    wet[cell] += cover->share[0][x] * cover->share[1][y] * cover->share[2][z] * volume;
            }
}

static void findWetPlanes(int begin, int end, int worker, void *context) {
    (void)worker;
    const Find *find = context;
    const size_t plane = (size_t)find->fill->grid.nx * (size_t)find->fill->grid.nz;
    memset((float *)find->fill->wet.data + plane * (size_t)begin, 0,
           sizeof(float) * plane * (size_t)(end - begin));
    for (int s = 0; s < find->setCount; s++)
        for (int i = 0; i < find->sets[s].count && find->sets[s].water; i++)
            addWet(find, &find->sets[s], i, begin, end);
}

void wbAirFill_FindWet(wbAirFill *fill, const wbWork *work, const wbAirFillers *sets, int setCount) {
    Find find = {.fill = fill, .sets = sets, .setCount = setCount};
    wbParallelFor(work->pool, fill->grid.ny, 1, findWetPlanes, &find);
}

double wbAirFill_GatherWet(const wbAirFill *fill, const wbAirFillers *set, int i, const float *numbers) {
    WetCells cells;
    double sum = 0;
    if (!listWet(fill, set, i, &cells)) return 0;
    const Cover *cover = &cells.cover;
    for (int y = 0; y < cover->count[1]; y++)
        for (int z = 0; z < cover->count[2]; z++)
            for (int x = 0; x < cover->count[0]; x++) {
                int plane;
                sum += (double)(cover->share[0][x] * cover->share[1][y] * cover->share[2][z]) *
                       (double)numbers[getWetCell(&cells, x, y, z, &plane)];
            }
    return sum;
}

static const wbAirFilled *getCell(const wbAirFill *fill, const int at[3]) {
    const wbSmokeGrid *grid = &fill->grid;
    const bool isWithin =
        at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < grid->nx && at[1] < grid->ny && at[2] < grid->nz;
    return isWithin ? (const wbAirFilled *)fill->cells.data + wbSmokeCell(grid, at[0], at[1], at[2]) : NULL;
}

float wbAirFill_GetFlow(const void *context, int axis, const int at[3]) {
    const wbAirFill *fill = context;
    int below[3] = {at[0], at[1], at[2]};
    below[axis]--;
    const wbAirFilled *cells[2] = {getCell(fill, at), getCell(fill, below)};
    float mass = 0, momentum = 0;
    for (int c = 0; c < 2; c++)
        if (cells[c]) mass += cells[c]->mass, momentum += cells[c]->momentum[axis];
    return mass > 0 ? momentum / mass : 0;
}

// What the air does

typedef struct Press {
    wbAirFill *fill;
    const wbAirOver *over;
    double faceMass; // kg, of air
} Press;

static void give(const Press *press, int cell, int axis, double impulse) {
    const wbAirFilled *in = (const wbAirFilled *)press->fill->cells.data + cell;
    float(*kicks)[3] = press->fill->kicks.data;
    if (!(in->mass > 0)) return;
    kicks[cell][axis] += (float)(impulse / (double)in->mass);
}

// Along the surface between a filled cell and one of air: tau = C rho u2 (Large and Pond 1981), for the velocity at the end.
static void shear(const Press *press, int axis, int cell, const int air[3]) {
    const wbAirOver *over = press->over;
    wbSmoke *smoke = over->smoke;
    const wbSmokeGrid *grid = &smoke->grid;
    const wbAirFilled *in = (const wbAirFilled *)press->fill->cells.data + cell;
    const int c = wbSmokeIndex(grid, air[0], air[1], air[2]), ups[3] = {1, grid->plane, grid->row};
    double u[3] = {0, 0, 0}, speed = 0;
    for (int a = 0; a < grid->dimensions; a++) {
        if (a == axis || !(in->mass > 0)) continue;
        u[a] = 0.5 * ((double)smoke->fields[a][c] + (double)smoke->fields[a][c + ups[a]]) -
               (double)(in->momentum[a] / in->mass);
        speed += u[a] * u[a];
    }
    if (!(speed > 0)) return;
    const double strength =
        (double)over->shear * (double)over->dt / (double)grid->h * press->faceMass * sqrt(speed);
    const double share = strength / (1 + strength * (0.5 / press->faceMass + 1 / (double)in->mass));
    for (int a = 0; a < grid->dimensions; a++) {
        if (a == axis) continue;
        give(press, cell, a, share * u[a]);
        const float change = (float)(0.5 * share * u[a] / press->faceMass);
        smoke->fields[a][c] -= change, smoke->fields[a][c + ups[a]] -= change;
    }
}

void wbAirFill_Press(wbAirFill *fill, const wbAirOver *over) {
    const wbSmoke *smoke = over->smoke;
    const wbSmokeGrid *grid = &fill->grid;
    const Press press = {fill, over, (double)over->density * pow((double)grid->h, grid->dimensions)};
    memset(fill->kicks.data, 0, sizeof(float[3]) * (size_t)fill->cellCount);
    for (int axis = 0; axis < grid->dimensions; axis++) {
        const int *places = smoke->faces[axis].places.data;
        for (int f = 0; f < smoke->faces[axis].surfaceCount; f++) {
            const wbAirFace face = wbFindAirFace(smoke, over->mask, axis, places[f]);
            if (face.mark != over->mark) continue;
            give(&press, wbSmokeCell(grid, face.solid[0], face.solid[1], face.solid[2]), axis,
                 face.sign * press.faceMass * face.pressure);
            if (face.isAirWithin)
                shear(&press, axis, wbSmokeCell(grid, face.solid[0], face.solid[1], face.solid[2]), face.air);
        }
    }
}

// Of a block of particles.
typedef struct KickSum {
    float fastest; // squared
    double given[3];
} KickSum;

typedef struct Kick {
    const wbAirFill *fill;
    const wbAirFillers *set;
    KickSum *sums;
} Kick;

static void kickOne(const Kick *kick, int i, KickSum *total) {
    const wbSmokeGrid *grid = &kick->fill->grid;
    const wbAirFillers *set = kick->set;
    const float(*kicks)[3] = kick->fill->kicks.data;
    Cover cover;
    int skipped;
    float sum[3] = {0, 0, 0}, speed2 = 0;
    if (set->weight && set->weight[i] == 0) return;
    if (!findCover(grid, set, i, 0, grid->ny, &cover, &skipped)) return;
    for (int y = 0; y < cover.count[1]; y++)
        for (int z = 0; z < cover.count[2]; z++)
            for (int x = 0; x < cover.count[0]; x++) {
                const float share = cover.share[0][x] * cover.share[1][y] * cover.share[2][z];
                const float *j =
                    kicks[wbSmokeCell(grid, cover.low[0] + x, cover.low[1] + y, cover.low[2] + z)];
                for (int a = 0; a < 3; a++) sum[a] += share * j[a];
            }
    for (int a = 0; a < 3; a++) {
        set->velocity[a][i] += sum[a];
        speed2 += set->velocity[a][i] * set->velocity[a][i];
        total->given[a] += (double)getMass(set, i) * (double)sum[a];
    }
    total->fastest = fmaxf(total->fastest, speed2);
}

static void kickRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const Kick *kick = context;
    for (int i = begin; i < end; i++) kickOne(kick, i, &kick->sums[i / WB_BLOCK]);
}

float wbAirFill_Kick(const wbAirFill *fill, const wbWork *work, const wbAirFillers *set, double given[3]) {
    const size_t mark = wbArena_Mark(work->arena);
    const int blocks = set->count / WB_BLOCK + 1;
    float fastest = 0;
    Kick kick = {fill, set, wbArena_Alloc(work->arena, sizeof(KickSum) * (size_t)blocks)};
    WB_ASSERT(kick.sums, "room for it was reserved");
    memset(kick.sums, 0, sizeof(KickSum) * (size_t)blocks);
    wbParallelFor(work->pool, set->count, WB_BLOCK, kickRange, &kick);
    for (int b = 0; b < blocks; b++) {
        fastest = fmaxf(fastest, kick.sums[b].fastest);
        for (int a = 0; a < 3; a++) given[a] += kick.sums[b].given[a];
    }
    wbArena_Release(work->arena, mark);
    return sqrtf(fastest);
}
