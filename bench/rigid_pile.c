// SPDX-License-Identifier: MIT
#include "bench/rigid_pile.h"

#include <math.h>

#include "core/status.h"

static double random01(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * (1.0 / 16777216.0);
}

static wbDomain makeRoom(double half, double height) {
    wbDomainDef def = {.min = {(float)-half, 0, (float)-half},
                       .max = {(float)half, (float)height, (float)half}};
    for (int side = 0; side < wb_sideCount; side++)
        def.sides[side].type = side == wb_top ? wb_sideOpen : wb_sideNoSlip;
    return wbMakeDomain(&def, wbMakeVec3(0, -9.81f, 0), 3);
}

static void createRoom(double half, double height, float scale, wbRigidPile *pile) {
    *pile = (wbRigidPile){.domain = makeRoom(half * scale, height * scale)};
    pile->model.params = wbDefaultRigidParams();
    pile->model.params.sleep = false;
    wbRigid_Init(&pile->rigid);
    pile->model.domain = &pile->domain;
}

static wbStatus addCube(const wbWork *work, wbRigidPile *pile, const double place[3],
                        const double rotation[4], float scale) {
    wbPose frame;
    wbRigidPiece cube = {
        .kind = wb_pieceBox, .pose = wb_poseAtOrigin, .size = {0.5f * scale, 0.5f * scale, 0.5f * scale}};
    wbRigidBodySetup setup = {.pieces = &cube,
                              .pieceCount = 1,
                              .bits = WB_RIGID_DYNAMIC,
                              .mass = 1,
                              .solid = wbRigidPiece_GetMass(&cube, 3),
                              .gravityScale = 1,
                              .friction = 0.5f,
                              .category = 1,
                              .mask = 1};
    for (int k = 0; k < 3; k++) setup.pose.position[k] = (float)(place[k] * scale);
    for (int k = 0; k < 4; k++) setup.pose.rotation[k] = (float)rotation[k];
    return wbRigid_AddBody(&pile->rigid, work->memory, &pile->model, &setup, &frame);
}

wbStatus wbCreateJumble(const wbWork *work, int count, uint32_t seed, float scale, wbRigidPile *pile) {
    const int edge = (int)ceil(cbrt((double)count) - 1e-9);
    const double spacing = 1.75, half = 0.5 * (edge * spacing + 0.9), turn = 6.2831853;
    createRoom(half, 1000, scale, pile);
    for (int i = 0; i < count; i++) {
        const int ix = i % edge, iz = i / edge % edge, iy = i / (edge * edge);
        const double middle = 0.5 * (edge - 1);
        const double place[3] = {(ix - middle) * spacing + (iy & 1 ? 0.4 : -0.4), 1 + iy * spacing,
                                 (iz - middle) * spacing + (iy & 2 ? 0.4 : -0.4)};
        const double a = random01(&seed), b = random01(&seed) * turn, c = random01(&seed) * turn;
        const double rotation[4] = {sqrt(1 - a) * sin(b), sqrt(1 - a) * cos(b), sqrt(a) * sin(c),
                                    sqrt(a) * cos(c)};
        WB_TRY(addCube(work, pile, place, rotation, scale));
    }
    return wb_okStatus;
}

wbStatus wbCreateStack(const wbWork *work, int count, bool isUneven, float scale, wbRigidPile *pile) {
    uint32_t seed = 12345;
    createRoom(20, 1000, scale, pile);
    for (int i = 0; i < count; i++) {
        double place[3] = {0, 0.5 + i, 0}, rotation[4] = {0, 0, 0, 1};
        if (isUneven) {
            place[0] = (random01(&seed) - 0.5) * 0.1, place[2] = (random01(&seed) - 0.5) * 0.1;
            const double angle = (random01(&seed) - 0.5) * 0.4;
            rotation[1] = sin(angle), rotation[3] = cos(angle);
        }
        WB_TRY(addCube(work, pile, place, rotation, scale));
    }
    return wb_okStatus;
}

void wbDestroyPile(const wbWork *work, wbRigidPile *pile) { wbRigid_Free(work->memory, &pile->rigid); }

wbStatus wbRigidPile_Step(wbRigidPile *pile, const wbWork *work, float dt) {
    wbArena_Reset(work->arena);
    return wbRigid_Step(&pile->rigid, &pile->model, work, dt);
}

// Quality

typedef struct Cube {
    double centre[3], axes[3][3], half;
} Cube;

static Cube getCube(const wbRigidView *view, double edge, int i) {
    const wbPose pose = {{0, 0, 0}, {view->qx[i], view->qy[i], view->qz[i], view->qw[i]}};
    Cube cube = {.centre = {view->x[i], view->y[i], view->z[i]}, .half = 0.5 * edge};
    for (int k = 0; k < 3; k++) {
        const wbVec3d axis = wbPose_Rotate3d(&pose, 1, (wbVec3d){k == 0, k == 1, k == 2});
        cube.axes[k][0] = axis.x, cube.axes[k][1] = axis.y, cube.axes[k][2] = axis.z;
    }
    return cube;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// m: the least way by which one of two cubes must go so that they do not overlap; negative: they do not.
static double getOverlap(const Cube *a, const Cube *b) {
    double least = INFINITY;
    const double d[3] = {b->centre[0] - a->centre[0], b->centre[1] - a->centre[1],
                         b->centre[2] - a->centre[2]};
    for (int t = 0; t < 15; t++) {
        const double *u = t < 3   ? a->axes[t]
                          : t < 6 ? b->axes[t - 3]
                                  : a->axes[(t - 6) / 3],
                     *v = b->axes[t % 3];
        double n[3] = {u[0], u[1], u[2]};
        if (t >= 6)
            n[0] = u[1] * v[2] - u[2] * v[1], n[1] = u[2] * v[0] - u[0] * v[2],
            n[2] = u[0] * v[1] - u[1] * v[0];
        const double length = sqrt(dot(n, n));
        if (length < 1e-4) continue;
        double reach = 0;
        for (int k = 0; k < 3; k++)
            reach += a->half * fabs(dot(a->axes[k], n)) + b->half * fabs(dot(b->axes[k], n));
        least = fmin(least, (reach - fabs(dot(d, n))) / length);
    }
    return least;
}

static void measureBeyond(const wbRigidPile *pile, const Cube *cube, wbPileQuality *quality) {
    bool isBeyond = false;
    for (int side = 0; side < wb_sideCount; side++) {
        if (!pile->domain.closed[side]) continue;
        const int axis = side / 2;
        const double end = wbDomain_GetEnd(&pile->domain, side),
                     gap = side % 2 ? end - cube->centre[axis] : cube->centre[axis] - end;
        double reach = 0;
        for (int k = 0; k < 3; k++) reach += cube->half * fabs(cube->axes[k][axis]);
        isBeyond |= !(gap > 0);
        quality->maxBeyond = fmax(quality->maxBeyond, reach - gap);
    }
    quality->escaped += isBeyond;
}

wbOverlaps wbMeasureOverlaps(const wbRigidView *view, double edge) {
    wbOverlaps overlaps = {0};
    for (int i = 0; i < view->count; i++) {
        const Cube a = getCube(view, edge, i);
        for (int j = i + 1; j < view->count; j++) {
            const double dx = view->x[j] - a.centre[0], dy = view->y[j] - a.centre[1],
                         dz = view->z[j] - a.centre[2];
            if (dx * dx + dy * dy + dz * dz > 3 * edge * edge) continue;
            const Cube b = getCube(view, edge, j);
            const double overlap = getOverlap(&a, &b);
            if (overlap <= 0) continue;
            overlaps.count++;
            overlaps.mean += overlap;
            overlaps.max = fmax(overlaps.max, overlap);
        }
    }
    if (overlaps.count > 0) overlaps.mean /= overlaps.count;
    return overlaps;
}

wbPileQuality wbRigidPile_Measure(const wbRigidPile *pile) {
    const wbRigid *rigid = &pile->rigid;
    const wbRigidPiece *pieces = rigid->pieces.data;
    const double edge = 2 * (double)pieces[0].size[0];
    const wbRigidView view = {.count = rigid->count,
                              .x = rigid->x,
                              .y = rigid->y,
                              .z = rigid->z,
                              .qx = rigid->qx,
                              .qy = rigid->qy,
                              .qz = rigid->qz,
                              .qw = rigid->qw};
    wbPileQuality quality = {
        .overlaps = wbMeasureOverlaps(&view, edge), .kinetic = wbRigid_GetKinetic(rigid), .top = -INFINITY};
    for (int i = 0; i < rigid->count; i++) {
        const Cube cube = getCube(&view, edge, i);
        measureBeyond(pile, &cube, &quality);
        quality.top = fmax(quality.top, cube.centre[1]);
        quality.drift = fmax(quality.drift, hypot(cube.centre[0], cube.centre[2]));
    }
    return quality;
}
