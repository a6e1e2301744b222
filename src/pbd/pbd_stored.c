// SPDX-License-Identifier: MIT
// What constraints that do not hold may make of speed: the energy check of soft bodies counts with it.
//
// A correction of C in a sub-step of dt gives its particles the kinetic energy C2 / (2 dt2 sum of w). So to a sub-step a
// constraint is a spring of 1 / (compliance + dt2 sum of w), and no stiffer, however rigid it is: that of XPBD [M16].
#include <math.h>

#include "core/status.h"
#include "pbd/pbd.h"
#include "pbd/pbd_code.h"

// J, of a spring that is C m away from rest; weight is the sum of inverse masses, times squared gradients.
static double getSpring(double c, double weight, double compliance, double dt) {
    return weight > 0 ? 0.5 * c * c / (compliance + dt * dt * weight) : 0;
}

static double getDistance(const float *const p[3], int i, int j) {
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += ((double)p[a][i] - p[a][j]) * ((double)p[a][i] - p[a][j]);
    return sqrt(sum);
}

static double getCompliance(const wbPbdParams *params, wbPbdKind kind) {
    if (params->method != wb_methodXpbd) return 0;
    return kind == wb_pbdBend ? params->bendCompliance : params->compliance;
}

static double sumConstraints(const wbPbd *pbd, const wbPbdParams *params, const float *const p[3],
                             double dt) {
    double sum = 0;
    for (int k = 0; k < pbd->constraintCount; k++) {
        int i = pbd->first[k], j = pbd->second[k], kind = pbd->kind[k];
        double c = getDistance(p, i, j) - pbd->rest[k];
        if ((kind == wb_pbdAtMost && c < 0) || (kind == wb_pbdAtLeast && c > 0)) continue;
        sum += getSpring(c, (double)pbd->w[i] + pbd->w[j], getCompliance(params, (wbPbdKind)kind), dt);
    }
    return sum;
}

static double sumHinges(const wbPbd *pbd, const wbPbdParams *params, const float *const p[3], double dt) {
    double sum = 0;
    for (int k = 0; k < pbd->hingeCount; k++) {
        double length2 = 0, weight = 0;
        for (int a = 0; a < 3; a++) {
            double edge = 0;
            for (int m = 0; m < 4; m++) edge += (double)pbd->coefficient[m][k] * p[a][pbd->corner[m][k]];
            length2 += edge * edge;
        }
        for (int m = 0; m < 4; m++)
            weight += (double)pbd->coefficient[m][k] * pbd->coefficient[m][k] * pbd->w[pbd->corner[m][k]];
        sum += getSpring(sqrt(length2) - pbd->hingeRest[k], weight, getCompliance(params, wb_pbdBend), dt);
    }
    return sum;
}

// What pushes a particle out takes no heed of its constraints: each of them may store as much.
double wbPbd_CountTies(const wbPbd *pbd, int i) {
    return pbd->perConstraint[i] > 0 ? 1 + 1 / (double)pbd->perConstraint[i] : 1;
}

// Particles beyond the sides.
static double sumSides(const wbPbd *pbd, const wbPbdModel *model, const float *const p[3], double dt) {
    const wbDomain *domain = model->domain;
    double sum = 0;
    for (int side = 0; side < wb_sideCount; side++) {
        int a = side / 2;
        for (int i = 0; i < pbd->count && domain->closed[side]; i++) {
            double way = side % 2 ? (double)p[a][i] - domain->max[a] : (double)domain->min[a] - p[a][i];
            sum += wbPbd_CountTies(pbd, i) * getSpring(fmax(0, way + model->params.radius), pbd->w[i], 0, dt);
        }
    }
    return sum;
}

// Particles in the order of cells.
typedef struct Sorted {
    float *x[3];
    int *order;
} Sorted;

static double sumPairs(const wbPbd *pbd, const Sorted *sorted, double reach, double dt) {
    const float *const p[3] = {sorted->x[0], sorted->x[1], sorted->x[2]};
    double sum = 0;
    for (int k = 0; k < pbd->count; k++) {
        int rows, i = sorted->order[k];
        const int *list = wbNeighbours_GetRows(&pbd->neighbours, k / WB_GROUP, &rows) + k % WB_GROUP;
        for (int row = 0; row < rows; row++) {
            int other = list[row * WB_GROUP];
            if (other <= k || other >= pbd->count) continue; // each pair once, and nothing that fills up
            int j = sorted->order[other];
            if (pbd->body[i] == pbd->body[j]) continue;
            sum += fmax(wbPbd_CountTies(pbd, i), wbPbd_CountTies(pbd, j)) *
                   getSpring(fmax(0, reach - getDistance(p, k, other)), (double)pbd->w[i] + pbd->w[j], 0, dt);
        }
    }
    return sum;
}

// Particles of different bodies that are in each other.
static wbStatus sumContacts(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, const float *const p[3],
                            double dt, double *sum) {
    size_t length = (size_t)(wbPadCount(pbd->count) + WB_PADDING), mark = wbArena_Mark(work->arena);
    Sorted sorted = {.order = wbArena_Alloc(work->arena, sizeof(int) * length)};
    float *floats = wbArena_Alloc(work->arena, sizeof(float[3]) * length);
    wbStatus status = wb_okStatus;
    *sum = 0;
    if (!sorted.order || !floats)
        status = wbMemoryError(work->memory, "a step of %d particles needs", pbd->count);
    for (size_t a = 0; a < 3 && floats; a++) sorted.x[a] = floats + a * length;
    const wbPoints points = {p[0], p[1], p[2], pbd->count};
    if (wbIsOk(status))
        status =
            wbGrid_Sort(&pbd->grid, work, points, wbPbd_GetContactReach(model), 3, wb_gridAuto, sorted.order);
    if (wbIsOk(status)) {
        const wbMove moves[] = {{p[0], sorted.x[0]}, {p[1], sorted.x[1]}, {p[2], sorted.x[2]}};
        wbReorder(work, sorted.order, pbd->count, moves, 3);
        wbPointSet own = {.points = {sorted.x[0], sorted.x[1], sorted.x[2], pbd->count}, .grid = &pbd->grid};
        status = wbNeighbours_Build(&pbd->neighbours, work, &own, NULL, wbPadCount(pbd->count));
    }
    if (wbIsOk(status)) *sum = sumPairs(pbd, &sorted, 2 * (double)model->params.radius, dt);
    wbArena_Release(work->arena, mark);
    return status;
}

wbStatus wbPbd_GetStored(wbPbd *pbd, const wbPbdModel *model, const wbWork *work, const float *const p[3],
                         double dt, double *energy) {
    const wbPbdParams *params = &model->params;
    double contacts = 0;
    WB_TRY(wbPbd_Prepare(pbd, work, false));
    if (pbd->bodyCount > 1 && params->radius > 0) WB_TRY(sumContacts(pbd, model, work, p, dt, &contacts));
    *energy = contacts + sumConstraints(pbd, params, p, dt) + sumHinges(pbd, params, p, dt) +
              sumSides(pbd, model, p, dt);
    return wb_okStatus;
}
