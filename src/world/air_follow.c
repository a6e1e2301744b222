// SPDX-License-Identifier: MIT
// Fine cells that follow the smoke: which part of the box they fill, and moving on to another.
#include <math.h>
#include <string.h>

#include "core/log.h"
#include "core/status.h"
#include "smoke/smoke_heat.h"
#include "world/air.h"
#include "world/collider.h"

// A box of cells; empty if some low is not below its high.
typedef struct Cells {
    int low[3], high[3];
} Cells;

// More of the box than this, and all of it is computed; a window that could be so much smaller shrinks.
#define MOST_OF_BOX 0.75
#define SHRINK_BY   1.5
// Of the box; larger colliders need not be in the window as a whole.
#define SMALL_SOLID 0.1

static void getBoxCells(const wbAir *air, int cells[3]) {
    const wbSmokeGrid *grid = &air->coarse->box.grid;
    cells[0] = grid->nx, cells[1] = grid->ny, cells[2] = grid->nz;
}

static double getVolume(const Cells *c) {
    double volume = 1;
    for (int a = 0; a < 3; a++) volume *= c->high[a] - c->low[a];
    return volume;
}

static bool isEmpty(const Cells *c) {
    return c->low[0] >= c->high[0] || c->low[1] >= c->high[1] || c->low[2] >= c->high[2];
}

static bool isWithin(const Cells *c, const Cells *other) {
    bool within = true;
    for (int a = 0; a < 3; a++) within &= c->low[a] >= other->low[a] && c->high[a] <= other->high[a];
    return within;
}

static Cells getWindow(const wbAir *air) {
    Cells window;
    memcpy(window.low, air->coarse->low, sizeof window.low);
    memcpy(window.high, air->coarse->high, sizeof window.high);
    return window;
}

bool wbIsFollowing(const wbAir *air) {
    if (!air->coarse) return false;
    Cells window = getWindow(air);
    int cells[3];
    getBoxCells(air, cells);
    for (int a = 0; a < 3; a++)
        if (window.low[a] > 0 || window.high[a] < cells[a]) return true;
    return false;
}

wbSmokePair wbGetAirPair(wbAir *air) {
    wbCoarseAir *coarse = air->coarse;
    wbSmokePair pair = {&air->smoke, &coarse->smoke, &air->model, &coarse->model, coarse->factor, {0, 0, 0}};
    for (int a = 0; a < air->model.grid.dimensions; a++) pair.low[a] = coarse->low[a] / coarse->factor;
    return pair;
}

// Creation

int wbChooseNestedFactor(const wbSmokeModel *box) {
    const wbSmokeGrid *grid = &box->grid;
    for (int factor = 4; factor > 1 && box->params.follow; factor /= 2)
        if (grid->nx % factor == 0 && grid->ny % factor == 0 &&
            (grid->dimensions == 2 || grid->nz % factor == 0))
            return factor;
    return 0;
}

static Cells getAll(const wbSmokeGrid *box) { return (Cells){{0, 0, 0}, {box->nx, box->ny, box->nz}}; }

static Cells getSmallest(const wbSmokeGrid *box) {
    Cells c = {{0, 0, 0}, {WB_SMOKE_BLOCK_X, WB_SMOKE_BLOCK, WB_SMOKE_BLOCK}};
    const int cells[3] = {box->nx, box->ny, box->nz};
    for (int a = 0; a < 3; a++)
        if (c.high[a] > cells[a]) c.high[a] = cells[a];
    return c;
}

static void setWindow(wbAir *air, const Cells *window) {
    memcpy(air->coarse->low, window->low, sizeof window->low);
    memcpy(air->coarse->high, window->high, sizeof window->high);
}

// Wind along an open side against a wall drives the air everywhere, in eddies that coarse cells cannot follow: they made
// a sixth of the kinetic energy in a second. Elsewhere it pushes all air alike, or pressure holds it.
static bool isWindTurned(const wbSmokeModel *model) {
    const float wind[3] = {model->params.wind.x, model->params.wind.y, model->params.wind.z};
    bool isTurned = false;
    for (int a = 0; a < model->grid.dimensions; a++) {
        bool goesThrough = model->open[2 * a] && model->open[2 * a + 1];
        for (int s = 0; s < 2 * model->grid.dimensions; s++)
            isTurned |= wind[a] != 0 && !goesThrough && s / 2 != a && model->open[s];
    }
    return isTurned;
}

// Sides that heat or cool the air do so along all of their length.
static bool hasHeatedSide(const wbSmokeModel *model) {
    bool any = false;
    for (int s = 0; s < 2 * model->grid.dimensions; s++)
        any |= !model->open[s] && wbIsHeating(model, model->sides[s].temperature);
    return any;
}

// Why all of the box has to be fine, wherever the smoke is, and what to do about it; NULL: it has not.
static const char *getNeed(const wbWorld *world, const wbSmokeModel *box) {
    if (box->params.viscosity > 0) return "with smoke.viscosity: set it to 0";
    if (isWindTurned(box))
        return "with smoke.wind along an open side against a closed one: open that one as well, or set "
               "smoke.wind to 0";
    if (hasHeatedSide(box))
        return "with a side of another temperature than smoke.ambient: leave its temperature out, or set "
               "smoke.thermalDiffusivity to 0";
    if (world->def.coupling.airWater != wb_pairOff) return "with coupling.airWater: turn smoke.follow off";
    return NULL;
}

wbStatus wbCreateNested(wbWorld *world, const wbSmokeModel *box) {
    wbAir *air = wbGetAir(world);
    int factor = wbChooseNestedFactor(box);
    if (!box->params.follow) return wb_okStatus;
    if (factor == 0) {
        wbLog(wb_logWarning,
              "smoke.follow: %d x %d x %d cells do not divide by 2, so the whole box is computed; choose "
              "domain or smoke.cellSize so that they do, best by 4",
              box->grid.nx, box->grid.ny, box->grid.nz);
        return wb_okStatus;
    }
    if (getNeed(world, box))
        wbLog(wb_logWarning, "smoke.follow: the whole box is computed %s", getNeed(world, box));
    wbCoarseAir *coarse = air->coarse = wbAllocZero(world->memory, sizeof *coarse);
    if (!coarse) return wbMemoryError(world->memory, "smoke needs");
    Cells first = getNeed(world, box) ? getAll(&box->grid) : getSmallest(&box->grid);
    coarse->factor = factor;
    setWindow(air, &first);
    wbSetAirModel(air, box);
    coarse->cellCount = wbCountAirCells(&coarse->model.grid);
    coarse->mask = wbAlloc(world->memory, sizeof *coarse->mask * coarse->cellCount);
    if (!coarse->mask) return wbMemoryError(world->memory, "coarse cells of smoke need");
    WB_TRY(wbSmoke_Init(&coarse->smoke, &coarse->model, &world->work));
    coarse->smoke.maxSpeed = 0;
    wbSmoke_ClearMarks(&coarse->smoke);
    return wb_okStatus;
}

void wbFreeNested(wbWorld *world) {
    wbCoarseAir *coarse = wbGetAir(world)->coarse;
    if (!coarse) return;
    wbSmoke_Free(world->memory, &coarse->smoke);
    if (coarse->mask) wbFree(world->memory, coarse->mask, sizeof *coarse->mask * coarse->cellCount);
    wbFreeAirCuts(world->memory, &coarse->cuts);
    wbFree(world->memory, coarse, sizeof *coarse);
    wbGetAir(world)->coarse = NULL;
}

void wbSetAirModel(wbAir *air, const wbSmokeModel *box) {
    wbCoarseAir *coarse = air->coarse;
    if (!coarse) {
        air->model = *box;
        return;
    }
    coarse->box = *box;
    wbSmokeModel_Cut(&air->model, box, coarse->low, coarse->high);
    wbSmokeModel_Coarsen(&coarse->model, box, coarse->factor);
}

// What has to be in the window

static void includeCells(Cells *all, const Cells *c) {
    if (isEmpty(c)) return;
    bool isFirst = isEmpty(all);
    for (int a = 0; a < 3; a++) {
        if (isFirst || c->low[a] < all->low[a]) all->low[a] = c->low[a];
        if (isFirst || c->high[a] > all->high[a]) all->high[a] = c->high[a];
    }
}

// With so many cells around, as far as they are in the box.
static void include(const wbAir *air, Cells *all, const Cells *c, int around) {
    int cells[3];
    Cells grown = *c;
    getBoxCells(air, cells);
    for (int a = 0; a < 3; a++) {
        grown.low[a] = a < air->model.grid.dimensions ? c->low[a] - around : 0;
        grown.high[a] = a < air->model.grid.dimensions ? c->high[a] + around : 1;
        if (grown.low[a] < 0) grown.low[a] = 0;
        if (grown.high[a] > cells[a]) grown.high[a] = cells[a];
    }
    includeCells(all, &grown);
}

// Blocks that smoke is in.
static Cells findSmoke(const wbAir *air, const uint8_t *marks) {
    const wbSmokeBlocks blocks = wbCountSmokeBlocks(&air->smoke.grid);
    const int size[3] = {WB_SMOKE_BLOCK_X, WB_SMOKE_BLOCK, WB_SMOKE_BLOCK};
    Cells all = {{0, 0, 0}, {0, 0, 0}};
    for (int y = 0; y < blocks.y; y++) {
        for (int z = 0; z < blocks.z; z++) {
            for (int x = 0; x < blocks.x; x++) {
                const int at[3] = {x, y, z};
                Cells c;
                if (!marks[x + blocks.x * (z + blocks.z * y)]) continue;
                for (int a = 0; a < 3; a++) {
                    c.low[a] = air->coarse->low[a] + at[a] * size[a];
                    c.high[a] = c.low[a] + size[a];
                }
                includeCells(&all, &c);
            }
        }
    }
    return all;
}

// Cells of a box in m; none if it lies beyond the domain.
static Cells findCells(const wbAir *air, wbVec3 min, wbVec3 max) {
    const wbSmokeGrid *grid = &air->coarse->box.grid;
    const float low[3] = {min.x - grid->origin.x, min.y - grid->origin.y, min.z - grid->origin.z},
                high[3] = {max.x - grid->origin.x, max.y - grid->origin.y, max.z - grid->origin.z};
    Cells c;
    int cells[3];
    getBoxCells(air, cells);
    for (int a = 0; a < 3; a++) {
        c.low[a] = (int)floorf(fminf(fmaxf(low[a] / grid->h, 0), (float)cells[a]));
        c.high[a] = (int)ceilf(fminf(fmaxf(high[a] / grid->h, 0), (float)cells[a]));
    }
    if (grid->dimensions == 2) c.low[2] = 0, c.high[2] = 1;
    return c;
}

// A box that grows with the points in it.
typedef struct Bounds {
    wbVec3 min, max;
} Bounds;

static const Bounds noBounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void addPoint(Bounds *bounds, wbVec3 p) {
    bounds->min = wbMakeVec3(fminf(bounds->min.x, p.x), fminf(bounds->min.y, p.y), fminf(bounds->min.z, p.z));
    bounds->max = wbMakeVec3(fmaxf(bounds->max.x, p.x), fmaxf(bounds->max.y, p.y), fmaxf(bounds->max.z, p.z));
}

// By the corners of the box around it in its own frame.
static Cells findSolid(const wbAir *air, const wbCollider *collider) {
    const wbShapeTree *tree = wbShape_GetTree(collider->shape);
    Bounds bounds = noBounds;
    for (int n = 0; n < 8; n++) {
        wbVec3 corner = {n & 1 ? tree->max.x : tree->min.x, n & 2 ? tree->max.y : tree->min.y,
                         n & 4 ? tree->max.z : tree->min.z};
        addPoint(&bounds, wbPose_Apply(&collider->motion[2].pose, corner));
    }
    return findCells(air, bounds.min, bounds.max);
}

static Cells findSource(const wbAir *air, const wbAirSource *source) {
    const wbSourceParams *p = &source->params;
    wbVec3 reach = wbMakeVec3(p->radius, p->radius, p->radius);
    Bounds bounds = noBounds;
    if (p->shape == wb_sourceBox) reach = wbScale(0.5f, p->size);
    if (p->shape != wb_sourceMesh)
        return findCells(air, wbSub(p->position, reach), wbAdd(p->position, reach));
    for (int v = 0; v < source->mesh.vertexCount; v++) {
        const float *at = source->mesh.vertices + 3 * v;
        addPoint(&bounds, wbAdd(p->position, wbMakeVec3(at[0], at[1], at[2])));
    }
    return findCells(air, bounds.min, bounds.max);
}

// A small collider that the rim would cut: coarse cells beyond it know too little of its shape.
static bool isCut(const wbAir *air, const Cells *all, const Cells *c) {
    bool meets = !isEmpty(all);
    for (int a = 0; a < 3; a++) meets &= c->low[a] < all->high[a] && all->low[a] < c->high[a];
    return meets && getVolume(c) < SMALL_SOLID * (double)wbCountAirCells(&air->coarse->box.grid);
}

static Cells findNeeded(const wbWorld *world, const uint8_t *marks, float dt) {
    const wbAir *air = wbGetAir(world);
    int margin = air->model.params.margin;
    Cells all = {{0, 0, 0}, {0, 0, 0}}, smoke = findSmoke(air, marks);
    float way = air->smoke.maxSpeed * dt / air->smoke.grid.h;
    if (!isEmpty(&smoke)) include(air, &all, &smoke, margin + (int)fminf(way, 1e6f) + 1);
    for (int i = 0; i < world->sourceIds.indexCount; i++) {
        const wbAirSource *source = wbGetSourceAt(world, i);
        const wbSourceParams *p = &source->params;
        if (!p->open || world->time < p->start || world->time >= p->end) continue;
        Cells c = findSource(air, source);
        if (!isEmpty(&c)) include(air, &all, &c, margin);
    }
    for (int i = 0; i < world->colliderIds.indexCount; i++) {
        const wbCollider *collider = wbGetColliderAt(world, i);
        if (!collider->params.on) continue;
        bool acts =
            wbIsMoving(&collider->motion[2]) || wbIsHeating(&air->model, collider->params.temperature);
        Cells c = findSolid(air, collider);
        if (!isEmpty(&c) && (acts || isCut(air, &all, &c))) include(air, &all, &c, margin);
    }
    return all;
}

// Whole blocks, with room to grow.
static Cells roundUp(const wbAir *air, const Cells *needed) {
    const int size[3] = {WB_SMOKE_BLOCK_X, WB_SMOKE_BLOCK, WB_SMOKE_BLOCK};
    int cells[3];
    Cells c = *needed;
    getBoxCells(air, cells);
    if (isEmpty(needed)) return getSmallest(&air->coarse->box.grid);
    for (int a = 0; a < air->model.grid.dimensions; a++) {
        c.low[a] = (c.low[a] - WB_SMOKE_BLOCK / 2) / size[a] * size[a];
        c.high[a] = (c.high[a] + WB_SMOKE_BLOCK / 2 + size[a] - 1) / size[a] * size[a];
        if (c.low[a] < 0) c.low[a] = 0;
        if (c.high[a] > cells[a]) c.high[a] = cells[a];
    }
    return c;
}

static Cells chooseWindow(const wbWorld *world, const uint8_t *marks, float dt) {
    const wbAir *air = wbGetAir(world);
    Cells needed = findNeeded(world, marks, dt), target = roundUp(air, &needed), window = getWindow(air),
          box = getAll(&air->coarse->box.grid);
    if (getNeed(world, &air->coarse->box) || wbIsSideWithin(world, dt)) return box;
    bool isTooSmall = !isEmpty(&needed) && !isWithin(&needed, &window);
    if (!isTooSmall && SHRINK_BY * getVolume(&target) >= getVolume(&window)) return window;
    return getVolume(&target) > MOST_OF_BOX * getVolume(&box) ? box : target;
}

// Moving on

// The new fine grid beside the old one, with all that is known of the air there.
static wbStatus fillWindow(wbWorld *world, const Cells *window, const wbSmokeModel *model, wbSmoke *next) {
    wbAir *air = wbGetAir(world);
    int shift[3], low[3], high[3];
    wbSmokePair pair = wbGetAirPair(air);
    if (!wbIsFollowing(air)) wbSmokePair_Gather(&pair, &world->work);
    for (int a = 0; a < 3; a++) shift[a] = air->coarse->low[a] - window->low[a];
    wbCopySmoke(next, &air->smoke, shift, &world->work, low, high);
    pair.fine = next, pair.fineModel = model;
    for (int a = 0; a < model->grid.dimensions; a++) pair.low[a] = window->low[a] / pair.factor;
    return wbSmokePair_Scatter(&pair, &world->work, low, high);
}

// What was in the window before is the caller's.
static void openWindow(wbWorld *world, const wbAirWindow *window) {
    wbAir *air = wbGetAir(world);
    wbResetAirDevice(world);
    wbDropAirCells(world);
    air->smoke = window->smoke, air->model = window->model;
    air->mask = window->mask, air->cellCount = window->cellCount;
    memcpy(air->coarse->low, window->low, sizeof window->low);
    memcpy(air->coarse->high, window->high, sizeof window->high);
    air->areCollidersStale = true;
}

static void freeWindow(wbWorld *world, wbAirWindow *window) {
    wbSmoke_Free(world->memory, &window->smoke);
    wbFree(world->memory, window->mask, sizeof *window->mask * window->cellCount);
    *window = (wbAirWindow){.mask = NULL};
}

// Its grid and its mask, without anything in them.
static wbStatus makeWindow(wbWorld *world, const int low[3], const int high[3], wbAirWindow *window) {
    const wbAir *air = wbGetAir(world);
    *window = (wbAirWindow){.mask = NULL};
    memcpy(window->low, low, sizeof window->low);
    memcpy(window->high, high, sizeof window->high);
    wbSmokeModel_Cut(&window->model, &air->coarse->box, low, high);
    window->cellCount = wbCountAirCells(&window->model.grid);
    WB_TRY(wbSmoke_Init(&window->smoke, &window->model, &world->work));
    window->mask = wbAlloc(world->memory, sizeof *window->mask * window->cellCount);
    if (window->mask) return wb_okStatus;
    wbSmoke_Free(world->memory, &window->smoke);
    return wbMemoryError(world->memory, "the colliders in %zu cells of smoke need", window->cellCount);
}

// The one before stays.
static void goTo(wbWorld *world, const wbAirWindow *window) {
    wbAir *air = wbGetAir(world);
    wbAirWindow last = {
        .smoke = air->smoke, .model = air->model, .mask = air->mask, .cellCount = air->cellCount};
    memcpy(last.low, air->coarse->low, sizeof last.low);
    memcpy(last.high, air->coarse->high, sizeof last.high);
    openWindow(world, window);
    air->coarse->last = last;
}

wbStatus wbMoveWindow(wbWorld *world, const int low[3], const int high[3]) {
    wbAirWindow window;
    Cells cells;
    memcpy(cells.low, low, sizeof cells.low);
    memcpy(cells.high, high, sizeof cells.high);
    WB_TRY(makeWindow(world, low, high, &window));
    wbStatus status = fillWindow(world, &cells, &window.model, &window.smoke);
    if (wbIsOk(status))
        goTo(world, &window);
    else
        freeWindow(world, &window);
    return status;
}

wbStatus wbOpenWindow(wbWorld *world, const int low[3], const int high[3]) {
    wbAirWindow window;
    const wbSmokeValues values = wbSmoke_GetValues(&wbGetAir(world)->smoke);
    WB_TRY(makeWindow(world, low, high, &window));
    wbSmoke_SetValues(&window.smoke, &values);
    goTo(world, &window);
    return wb_okStatus;
}

void wbEndWindow(wbWorld *world, bool isUndone) {
    wbAir *air = wbGetAir(world);
    if (!air->coarse || !air->coarse->last.mask) return;
    wbAirWindow left = air->coarse->last;
    if (isUndone) {
        left = (wbAirWindow){.smoke = air->smoke, .mask = air->mask, .cellCount = air->cellCount};
        openWindow(world, &air->coarse->last);
    }
    freeWindow(world, &left);
    air->coarse->last = (wbAirWindow){.mask = NULL};
}

static bool isWindowMoving(const wbCoarseAir *coarse) {
    return memcmp(coarse->nextLow, coarse->low, sizeof coarse->low) != 0 ||
           memcmp(coarse->nextHigh, coarse->high, sizeof coarse->high) != 0;
}

wbStatus wbPlanWindow(wbSolver *solver, float dt) {
    wbWorld *world = solver->world;
    wbCoarseAir *coarse = wbGetAir(world)->coarse;
    WB_TRY(wbFitAirFill(world));
    if (!coarse) return wb_okStatus;
    const uint8_t *marks;
    WB_TRY(wbFetchAirMarks(world, &marks));
    const Cells window = chooseWindow(world, marks, dt);
    memcpy(coarse->nextLow, window.low, sizeof window.low);
    memcpy(coarse->nextHigh, window.high, sizeof window.high);
    return isWindowMoving(coarse) ? wbPullState(world) : wb_okStatus;
}

wbStatus wbFollowSmoke(wbWorld *world) {
    const wbCoarseAir *coarse = wbGetAir(world)->coarse;
    if (!coarse) return wb_okStatus;
    if (isWindowMoving(coarse)) WB_TRY(wbMoveWindow(world, coarse->nextLow, coarse->nextHigh));
    return wbCutSources(world);
}
