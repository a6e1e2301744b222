// SPDX-License-Identifier: MIT
#include "pbd/pbf_thesis.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/status.h"
#include "pbd/pbf_model.h"
#include "pbd/pbf_thesis_change_formula.h"
#include "pbd/pbf_thesis_step.h"

#define PI 3.14159265358979323846

wbThesisParams wbDefaultThesisParams(int dimensions) {
    return (wbThesisParams){.spacing = 0.1f,
                            .restDensity = 1000,
                            .iterations = 4,
                            .width = 4,
                            .slope = dimensions == 3 ? 0.3f : 0.4f,
                            .largest = 64,
                            .omega = 0.35f,
                            .softness = 0.01f,
                            .viscosity = 0.01f,
                            .mergeTime = 0.25f,
                            .reach = 2.2f,
                            .excess = 1.4f,
                            .gap = 0.9f,
                            .steep = 0.3f,
                            .thin = 0.7f,
                            .relaxations = 2,
                            .inside = 4};
}

// Model

// Over the sites of a lattice of spacing 2, of particles of radius 1 with kernels of this width.
static void sumLattice(int dimensions, double width, double *sum, double *squares) {
    const int reach = (int)(width / 2) + 1, reachZ = dimensions == 3 ? reach : 0;
    const double factor = pow(2 / width, dimensions) * (dimensions == 3 ? 15 : 10) / PI;
    *sum = *squares = 0;
    for (int z = -reachZ; z <= reachZ; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                const double s = fmax(1 - 2 * sqrt(x * x + y * y + z * z) / width, 0);
                *sum += factor * s * s * s;
                if (x != 0 || y != 0 || z != 0) *squares += pow(2, -dimensions) * pow(3 * factor * s * s, 2);
            }
    *squares *= pow(width, dimensions); // to V |grad W|2 h^(d + 2)
}

// By a half-space of the lattice, half a spacing before it.
static double sumHalf(int dimensions, double width) {
    const int reach = (int)(width / 2) + 1, reachZ = dimensions == 3 ? reach : 0;
    double sum = 0;
    for (int z = -reachZ; z <= reachZ; z++)
        for (int y = 1; y <= reach; y++)
            for (int x = -reach; x <= reach; x++)
                sum += pow(fmax(1 - 2 * sqrt(x * x + y * y + z * z) / width, 0), 3);
    return sum;
}

void wbThesisModel_Init(wbThesisModel *model, const wbThesisParams *params, const wbDomain *domain) {
    model->params = *params, model->domain = domain;
    model->wishes = (PbfWishes){0};
    model->stickSum = (float)sumHalf(domain->dimensions, (double)params->width);
    for (int k = 0; k <= WB_THESIS_TABLE; k++) {
        const double least = 1 / (double)THESIS_MOST_RATIO, most = 1 / (double)THESIS_LEAST_RATIO;
        const double inverse = least + (most - least) * k / WB_THESIS_TABLE;
        double sum, squares;
        sumLattice(domain->dimensions, 1 / inverse, &sum, &squares);
        model->sums[k] = (float)sum, model->squares[k] = (float)squares;
    }
}

void wbThesisModel_GetSums(const wbThesisModel *model, float r, float h, float *sum, float *squares) {
    const ThesisSums sums = thesis_sums(model->sums, model->squares, r, h, model->domain->dimensions);
    *sum = sums.sum, *squares = sums.squares;
}

float wbThesisModel_GetSmallest(const wbThesisModel *model) { return 0.5f * model->params.spacing; }

// Radius over distance to the boundary, where particles are not the smallest (4.39).
static float getRadiusSlope(const wbThesisParams *p) { return p->slope / (p->width * (1 + p->slope)); }

// max(slope b / r, 1) is 1 + slope (b - r / slope) / r, which is what sizes are by a slope and a band.
PbfWishes wbThesisModel_GetWishes(const wbThesisModel *model) {
    PbfWishes wishes = model->wishes;
    wishes.radius = wbThesisModel_GetSmallest(model), wishes.slope = getRadiusSlope(&model->params);
    wishes.band = wishes.radius / wishes.slope, wishes.dimensions = model->domain->dimensions;
    return wishes;
}

double wbThesisModel_GetMass(const wbThesisModel *model) {
    return (double)model->params.restDensity * pow((double)model->params.spacing, model->domain->dimensions);
}

ThesisConstants wbThesisModel_GetConstants(const wbThesisModel *model) {
    const wbThesisParams *p = &model->params;
    const int d = model->domain->dimensions;
    const double volume = pow((double)p->spacing, d);
    return (ThesisConstants){.kernelScale = (float)(volume * (d == 3 ? 15 : 10) / PI),
                             .softness = (float)(volume * (double)p->softness),
                             .omega = p->omega,
                             .inverseSpacing = 1 / p->spacing,
                             .narrow = 1 / (p->width * wbThesisModel_GetSmallest(model)),
                             .tiny = 1e-10f * p->spacing * p->spacing,
                             .viscosity = p->viscosity,
                             .restDensity = p->restDensity,
                             .steep = p->steep,
                             .thin = p->thin,
                             .stickSum = model->stickSum,
                             .isFlat = d == 2};
}

ThesisSizing wbThesisModel_GetSizing(const wbThesisModel *model) {
    const wbThesisParams *p = &model->params;
    const float smallest = wbThesisModel_GetSmallest(model);
    return (ThesisSizing){.smallest = smallest,
                          .width = p->width,
                          .slope = p->slope,
                          .largest = p->largest,
                          .reach = p->reach,
                          .excess = p->excess,
                          .radiusSlope = getRadiusSlope(p),
                          .wished = fmaxf(model->wishes.viewFactor, 1),
                          .gap = p->gap * p->spacing,
                          .inside = p->inside * smallest,
                          .mergeTime = p->mergeTime,
                          .isGeneral = p->isGeneral,
                          .losesMomentum = p->losesMomentum,
                          .movesTargets = p->movesTargets,
                          .splitsGradually = p->splitsGradually,
                          .dimensions = model->domain->dimensions};
}

ThesisMove wbThesisModel_GetMove(const wbThesisModel *model, const wbDomain *domain, float dt, int steps) {
    ThesisMove move = {.dt = dt,
                       .rate = 1 / dt,
                       .room = wbGetRoom(domain, model->params.spacing),
                       .inset = 1e-3f * model->params.spacing};
    const wbVec3 g = domain->gravity;
    const float fall = sqrtf(wbDot(g, g));
    move.bearing = fall > 0 ? -2 / fall : 0;
    for (int a = 0; a < 3; a++) move.salt[a] = wbHash32(3 * (uint32_t)steps + (uint32_t)a);
    for (int s = 0; s < wb_sideCount; s++) {
        move.sticks[s] = domain->types[s] == wb_sideNoSlip;
        memcpy(move.sideVelocity[s], domain->velocity[s], sizeof(float[3]));
    }
    return move;
}

// As getBearingStep in pbf_model.c: the mean compression is dt2 head G / (2 gain), G being the sum of squared gradients of C on the lattice of the
// smallest, and the gain omega times the iterations. What is coarse inside is stiffer.
int wbThesisModel_CountSubSteps(const wbThesisModel *model, float dt, double head) {
    const wbThesisParams *p = &model->params;
    const double most = 0.004, h = (double)(p->width * wbThesisModel_GetSmallest(model));
    const int d = model->domain->dimensions;
    float sum, squares;
    wbThesisModel_GetSums(model, 1, p->width, &sum, &squares);
    const double gradients =
        pow((double)p->spacing, d) * (double)squares / (pow(h, d + 2) * (double)sum * (double)sum);
    const double longest = sqrt(2 * most * (double)p->omega * p->iterations / fmax(head * gradients, 1e-30));
    return (int)fmin(fmax(ceil((double)dt / longest - 1e-3), 1), WB_PBF_MOST_SUB_STEPS);
}

// State

enum { COLUMNS = 2 * WB_THESIS_COLUMNS };
static void listColumns(wbThesis *t, wbColumn columns[COLUMNS]) {
    const wbColumn list[COLUMNS] = {
        {"units", (void **)&t->units, 4, true},
        {"parts", (void **)&t->parts, 4, true},
        {"width", (void **)&t->h, 4, true},
        {"distance", (void **)&t->distance, 4, true},
        {"offset", (void **)&t->offset, 4, true},
        {"role", (void **)&t->role, 4, true},
        {"other", (void **)&t->other, 4, true},
        {"left", (void **)&t->left, 4, true},
        {"backUnits", (void **)&t->backUnits, 4, false},
        {"backParts", (void **)&t->backParts, 4, false},
        {"backWidth", (void **)&t->backH, 4, false},
        {"backDistance", (void **)&t->backDistance, 4, false},
        {"backOffset", (void **)&t->backOffset, 4, false},
        {"backRole", (void **)&t->backRole, 4, false},
        {"backOther", (void **)&t->backOther, 4, false},
        {"backLeft", (void **)&t->backLeft, 4, false},
    };
    memcpy(columns, list, sizeof list);
}

void wbThesis_Init(wbThesis *thesis) {
    *thesis = (wbThesis){0};
    for (int g = 0; g < WB_THESIS_OCTAVES; g++)
        wbGrid_Init(&thesis->grids[g]), wbGrid_Init(&thesis->ghostGrids[g]);
}

void wbThesis_Free(wbMemory *memory, wbThesis *thesis) {
    wbColumn columns[COLUMNS];
    listColumns(thesis, columns);
    wbFreeColumns(memory, columns, COLUMNS, &thesis->capacity);
    wbSpareIds_Free(memory, &thesis->spare);
    wbArray_Free(memory, &thesis->hostIds.spans);
    for (int g = 0; g < WB_THESIS_OCTAVES; g++)
        wbGrid_Free(memory, &thesis->grids[g]), wbGrid_Free(memory, &thesis->ghostGrids[g]);
}

wbStatus wbThesis_Reserve(wbThesis *thesis, wbMemory *memory, int count) {
    wbColumn columns[COLUMNS];
    listColumns(thesis, columns);
    if (!wbReserveColumns(memory, columns, COLUMNS, &thesis->capacity, count))
        return wbMemoryError(memory, "sizes of %d particles need", count);
    return wb_okStatus;
}

void wbThesis_ListColumns(wbThesis *thesis, wbColumn columns[WB_THESIS_COLUMNS]) {
    wbColumn all[COLUMNS];
    listColumns(thesis, all);
    memcpy(columns, all, WB_THESIS_COLUMNS * sizeof *columns);
}

void wbThesis_ListPairs(wbThesis *thesis, wbColumn columns[2 * WB_THESIS_COLUMNS]) {
    wbColumn all[COLUMNS];
    listColumns(thesis, all);
    for (int c = 0; c < WB_THESIS_COLUMNS; c++)
        columns[2 * c] = all[c], columns[2 * c + 1] = all[WB_THESIS_COLUMNS + c];
}

void wbThesis_ListValues(wbThesis *thesis, wbSavedValue values[WB_THESIS_VALUES]) {
    const double many = 4e18; // merges and splits that 64 bits can still count on from
    const wbSavedValue list[WB_THESIS_VALUES] = {
        {"pbf.spareCount", &thesis->spare.count, wb_valueInt, 0, INT_MAX - 1024, true},
        {"pbf.spareSpans", &thesis->spare.spanCount, wb_valueInt, 0, INT_MAX - 1024, true},
        {"pbf.sizeSteps", &thesis->steps, wb_valueInt, 0, INT_MAX, true},
        {"pbf.merges", &thesis->merges, wb_valueInt64, 0, many, false},
        {"pbf.splits", &thesis->splits, wb_valueInt64, 0, many, false},
        {"pbf.lostMomentum", &thesis->lost, wb_valueDouble, 0, DBL_MAX, false},
    };
    memcpy(values, list, sizeof list);
}

// Columns as they are in a file, at any place.
static uint32_t readNumber(const void *column, int i) {
    uint32_t value;
    memcpy(&value, (const char *)column + sizeof value * (size_t)i, sizeof value);
    return value;
}
static float readFloat(const void *column, int i) {
    float value;
    memcpy(&value, (const char *)column + sizeof value * (size_t)i, sizeof value);
    return value;
}

static bool isTransfer(const void *roles, const void *others, int i, int count) {
    const uint32_t role = readNumber(roles, i);
    const int j = (int)readNumber(others, i);
    if (role > wb_roleSplitTarget) return false;
    if (role == wb_roleAlone) return j == -1;
    const uint32_t answer = role % 2 ? role + 1 : role - 1; // source and target stand beside each other
    return j >= 0 && j < count && (int)readNumber(others, j) == i && readNumber(roles, j) == answer;
}

bool wbThesis_AreColumns(const void *const columns[WB_THESIS_COLUMNS], int count, int64_t *units) {
    int64_t moved = 0;
    *units = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t own = readNumber(columns[0], i), parts = readNumber(columns[1], i);
        const float width = readFloat(columns[2], i), distance = readFloat(columns[3], i);
        const bool isNumber = width > 0 && width < 1e9f && distance >= 0 && distance < 1e9f &&
                              fabsf(readFloat(columns[4], i)) <= 1 && fabsf(readFloat(columns[7], i)) <= 1e9f;
        if (!isNumber || own < 1 || own > UINT32_MAX / WB_THESIS_PARTS) return false;
        if (!isTransfer(columns[5], columns[6], i, count)) return false;
        const int64_t more = (int64_t)parts - (int64_t)own * WB_THESIS_PARTS;
        if (readNumber(columns[5], i) == wb_roleAlone && more != 0) return false;
        *units += own, moved += more;
    }
    return moved == 0;
}

void wbThesis_RemoveMarked(wbThesis *t, const uint8_t *marks, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) t->backOther[i] = marks[i] ? -1 : kept++;
    kept = 0;
    for (int i = 0; i < count; i++) {
        if (marks[i]) continue;
        const int other = t->other[i] < 0 ? -1 : t->backOther[t->other[i]];
        const bool isLeft = t->other[i] >= 0 && other < 0;
        t->units[kept] = t->units[i], t->parts[kept] = isLeft ? t->units[i] * WB_THESIS_PARTS : t->parts[i];
        t->h[kept] = t->h[i], t->distance[kept] = t->distance[i], t->offset[kept] = t->offset[i];
        t->role[kept] = isLeft ? wb_roleAlone : t->role[i], t->left[kept] = t->left[i];
        t->other[kept++] = other;
    }
}

void wbThesis_Begin(wbThesis *t, const wbThesisModel *model, int begin, int end) {
    const float smallest = wbThesisModel_GetSmallest(model);
    for (int i = begin; i < end; i++) {
        t->units[i] = 1, t->parts[i] = WB_THESIS_PARTS, t->h[i] = model->params.width * smallest,
        t->distance[i] = smallest;
        t->offset[i] = 0, t->role[i] = wb_roleAlone, t->other[i] = -1, t->left[i] = 0;
    }
}

float wbThesis_GetRadius(const wbThesis *thesis, const wbThesisModel *model, int i) {
    return wbThesisModel_GetSmallest(model) *
           thesis_side(thesis_mass(thesis->parts[i]), model->domain->dimensions);
}

static void exchange(void *a, void *b) {
    void *first, *second;
    memcpy(&first, a, sizeof first), memcpy(&second, b, sizeof second);
    memcpy(a, &second, sizeof second), memcpy(b, &first, sizeof first);
}

void wbThesis_Flip(wbThesis *t) {
    exchange(&t->units, &t->backUnits), exchange(&t->parts, &t->backParts), exchange(&t->h, &t->backH),
        exchange(&t->distance, &t->backDistance);
    exchange(&t->offset, &t->backOffset), exchange(&t->role, &t->backRole);
    exchange(&t->other, &t->backOther), exchange(&t->left, &t->backLeft);
}
