// SPDX-License-Identifier: MIT
// The air's drag on rigid bodies: points of their surface, and what all of them get.
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "coupling/drag.h"
#include "coupling/drag_code.h"
#include "shape/vec3d.h"

enum { SURFACE_ARRAYS = 7 };
static void listColumns(wbDragSurface *surface, wbArray *columns[SURFACE_ARRAYS]) {
    for (int a = 0; a < 3; a++) columns[a] = &surface->place[a], columns[3 + a] = &surface->normal[a];
    columns[6] = &surface->area;
}

static void addPoint(wbDragSurface *surface, wbVec3d place, wbVec3d normal, double area) {
    wbArray *columns[SURFACE_ARRAYS];
    const double values[SURFACE_ARRAYS] = {place.x, place.y, place.z, normal.x, normal.y, normal.z, area};
    listColumns(surface, columns);
    for (int k = 0; k < SURFACE_ARRAYS; k++) ((float *)columns[k]->data)[surface->count] = (float)values[k];
    surface->count++;
}

typedef struct Triangle {
    wbVec3d corner[3], normal; // of length 1
    double area;
} Triangle;

static Triangle getTriangle(const wbMesh *mesh, int t) {
    Triangle triangle;
    for (size_t c = 0; c < 3; c++) {
        const float *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * (size_t)t + c];
        triangle.corner[c] = (wbVec3d){v[0], v[1], v[2]};
    }
    const wbVec3d *p = triangle.corner, zero = {0, 0, 0},
                  cross = wbCross3d(wbSub3d(p[1], p[0]), wbSub3d(p[2], p[0]));
    const double length = sqrt(wbDot3d(cross, cross));
    triangle.area = 0.5 * length;
    triangle.normal = length > 0 ? wbAddScaled3d(zero, 1 / length, cross) : zero;
    return triangle;
}

// By the middles of its edges moments of area are right, too, and with them how spin is held back.
static void addByEdges(wbDragSurface *surface, const Triangle *t) {
    for (int c = 0; c < 3; c++) {
        const wbVec3d *a = &t->corner[c], *b = &t->corner[(c + 1) % 3];
        const wbVec3d middle = {0.5 * (a->x + b->x), 0.5 * (a->y + b->y), 0.5 * (a->z + b->z)};
        addPoint(surface, middle, t->normal, t->area / 3);
    }
}

static void addByMiddle(wbDragSurface *surface, const Triangle *t) {
    const wbVec3d *p = t->corner;
    const wbVec3d middle = {(p[0].x + p[1].x + p[2].x) / 3, (p[0].y + p[1].y + p[2].y) / 3,
                            (p[0].z + p[1].z + p[2].z) / 3};
    addPoint(surface, middle, t->normal, t->area);
}

// Small ones of a fine surface have one point, large ones three.
static const double largeShare = 1.0 / 64;

wbStatus wbDragSurface_Build(wbDragSurface *surface, wbMemory *memory, const wbMesh *mesh) {
    wbArray *columns[SURFACE_ARRAYS];
    double area = 0;
    listColumns(surface, columns);
    for (int k = 0; k < SURFACE_ARRAYS; k++) {
        columns[k]->elementSize = sizeof(float);
        if (!wbArray_Reserve(memory, columns[k], 3 * mesh->triangleCount + WB_PADDING))
            return wbMemoryError(memory, "the wind on %d triangles needs", mesh->triangleCount);
    }
    surface->count = 0;
    for (int t = 0; t < mesh->triangleCount; t++) area += getTriangle(mesh, t).area;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const Triangle triangle = getTriangle(mesh, t);
        if (triangle.area > largeShare * area)
            addByEdges(surface, &triangle);
        else
            addByMiddle(surface, &triangle);
    }
    while (surface->count % WB_PADDING != 0) addPoint(surface, (wbVec3d){0, 0, 0}, (wbVec3d){0, 0, 0}, 0);
    return wb_okStatus;
}

void wbDragSurface_Free(wbMemory *memory, wbDragSurface *surface) {
    wbArray *columns[SURFACE_ARRAYS];
    listColumns(surface, columns);
    for (int k = 0; k < SURFACE_ARRAYS; k++) wbArray_Free(memory, columns[k]);
    *surface = (wbDragSurface){0};
}

static void setThree(float to[3], wbVec3d v) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }

// Of six numbers: a velocity and a spin, or an impulse and one about the centre of mass.
typedef struct Matrix {
    double m[6][6];
} Matrix;

// How the impulse of the air falls as the body goes along with it: with D = t + (s - t) n nᵀ of each point, the sum over points of
// (D, -D r×; r× D, -r× D r×).
static Matrix makeDrag(const double sums[WB_DRAG_SUMS]) {
    const double t = sums[WB_DRAG_ALONG], *arm = sums + WB_DRAG_ARM, *rr = sums + WB_DRAG_MOMENTS;
    const double cross[3][3] = {{0, arm[2], -arm[1]}, {-arm[2], 0, arm[0]}, {arm[1], -arm[0], 0}};
    const double moments[3][3] = {{rr[0], rr[1], rr[2]}, {rr[1], rr[3], rr[4]}, {rr[2], rr[4], rr[5]}};
    const double trace = rr[0] + rr[3] + rr[5];
    Matrix drag;
    for (int a = 0, m = WB_DRAG_ACROSS; a < 6; a++)
        for (int b = a; b < 6; b++, m++) drag.m[a][b] = drag.m[b][a] = sums[m];
    for (int a = 0; a < 3; a++) {
        drag.m[a][a] += t;
        for (int b = 0; b < 3; b++) {
            drag.m[a][3 + b] += cross[a][b], drag.m[3 + b][a] += cross[a][b];
            drag.m[3 + a][3 + b] += (a == b ? trace : 0) - moments[a][b];
        }
    }
    return drag;
}

// Inverse inertia about the axes of the surface's frame: the sum over principal axes of inverse times axis times axis.
static Matrix makeMobility(const wbRigid *rigid, int i, const wbPose *frame) {
    const float inverse[3] = {rigid->inverseInertiaX[i], rigid->inverseInertiaY[i],
                              rigid->inverseInertiaZ[i]};
    Matrix mobility = {0};
    for (int a = 0; a < 3; a++) mobility.m[a][a] = (double)rigid->inverseMass[i];
    for (int k = 0; k < 3; k++) {
        const wbVec3d v = wbPose_Rotate3d(frame, 1, (wbVec3d){k == 0, k == 1, k == 2});
        const double axis[3] = {v.x, v.y, v.z};
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) mobility.m[3 + a][3 + b] += (double)inverse[k] * axis[a] * axis[b];
    }
    return mobility;
}

static double multiplyRow(const Matrix *a, int row, const double x[6]) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += a->m[row][k] * x[k];
    return sum;
}

// a x = x by Gauss, with the largest of a column as its pivot; a is a unit matrix plus a product of two that are not negative.
static void solve(Matrix *a, double x[6]) {
    for (int c = 0; c < 6; c++) {
        int pivot = c;
        for (int r = c + 1; r < 6; r++)
            if (fabs(a->m[r][c]) > fabs(a->m[pivot][c])) pivot = r;
        for (int k = 0; k < 6; k++) {
            const double m = a->m[c][k];
            a->m[c][k] = a->m[pivot][k], a->m[pivot][k] = m;
        }
        const double swapped = x[c];
        x[c] = x[pivot], x[pivot] = swapped;
        for (int r = c + 1; r < 6; r++) {
            const double share = a->m[r][c] / a->m[c][c];
            for (int k = c; k < 6; k++) a->m[r][k] -= share * a->m[c][k];
            x[r] -= share * x[c];
        }
    }
    for (int c = 5; c >= 0; c--) {
        for (int k = c + 1; k < 6; k++) x[c] -= a->m[c][k] * x[k];
        x[c] /= a->m[c][c];
    }
}

// J = f - K V, where V = W J is what the body gains: (1 + W K) V = W f.
static void findImpulse(const Matrix *mobility, const Matrix *drag, const double force[6],
                        double impulse[6]) {
    Matrix system;
    double gain[6];
    for (int a = 0; a < 6; a++) {
        gain[a] = multiplyRow(mobility, a, force);
        for (int b = 0; b < 6; b++) {
            system.m[a][b] = a == b;
            for (int k = 0; k < 6; k++) system.m[a][b] += mobility->m[a][k] * drag->m[k][b];
        }
    }
    solve(&system, gain);
    for (int a = 0; a < 6; a++) impulse[a] = force[a] - multiplyRow(drag, a, gain);
}

void wbDragRigid(const wbDragSurface *surface, const wbPose *frame, const wbRigid *rigid, int i,
                 const wbWind *wind, wbVec3 gravity, float dt, wbSimd simd, double impulse[6]) {
    const wbPose pose = wbRigid_GetPose(rigid, i), back = wbPose_Invert(frame),
                 origin = wbPose_Multiply(&pose, &back);
    const double fall = 0.5 * (double)dt * (double)rigid->gravityScale[i];
    const wbVec3d v = {(double)rigid->vx[i] + fall * (double)gravity.x,
                       (double)rigid->vy[i] + fall * (double)gravity.y,
                       (double)rigid->vz[i] + fall * (double)gravity.z},
                  spin = {rigid->wx[i], rigid->wy[i], rigid->wz[i]},
                  air = {wind->velocity[0], wind->velocity[1], wind->velocity[2]};
    wbDragBody body = {.surface = surface, .wind = *wind, .dt = dt};
    double sums[WB_DRAG_SUMS], own[6];
    memcpy(body.centre, frame->position, sizeof body.centre);
    setThree(body.wind.velocity, wbPose_Rotate3d(&origin, -1, air));
    setThree(body.velocity, wbPose_Rotate3d(&origin, -1, v));
    setThree(body.spin, wbPose_Rotate3d(&origin, -1, spin));
    wbGetDragCode(simd)->sum(&body, sums);
    const Matrix mobility = makeMobility(rigid, i, frame), drag = makeDrag(sums);
    findImpulse(&mobility, &drag, sums + WB_DRAG_PUSH, own);
    const wbVec3d linear = wbPose_Rotate3d(&origin, 1, (wbVec3d){own[0], own[1], own[2]}),
                  angular = wbPose_Rotate3d(&origin, 1, (wbVec3d){own[3], own[4], own[5]});
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(impulse, all, sizeof all);
}
