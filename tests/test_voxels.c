// SPDX-License-Identifier: MIT
// Closed meshes as cells: the right cells, and no way through walls that are thinner than one.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape/shape_make.h"
#include "shape/voxels.h"
#include "test_support.h"

enum { SIZE = 24 };

typedef struct Cells {
    wbVoxelGrid grid;
    uint8_t mask[SIZE * SIZE * SIZE];
} Cells;

// 24 cells of 0.1 m along each axis around the origin; flat: one layer.
static Cells makeCells(bool isFlat) {
    Cells cells = {.grid = {.count = {SIZE, SIZE, isFlat ? 1 : SIZE},
                            .stride = {1, SIZE, SIZE * SIZE},
                            .size = 0.1f,
                            .min = {-1.2f, -1.2f, -1.2f},
                            .isFlat = isFlat}};
    return cells;
}

static wbVec3 getCentre(int i, int j, int k) {
    return wbMakeVec3(-1.15f + 0.1f * (float)i, -1.15f + 0.1f * (float)j, -1.15f + 0.1f * (float)k);
}

static uint8_t *at(Cells *cells, int i, int j, int k) { return &cells->mask[i + SIZE * (j + SIZE * k)]; }

static void cut(Cells *cells, wbMesh *mesh, wbPose pose) {
    wbMemory *memory = wbCreateMemory(0);
    wbArena *arena = wbCreateArena(memory);
    memset(cells->mask, 0, sizeof cells->mask);
    wbVoxels voxels = {0};
    assertOk(wbVoxelise(&cells->grid, mesh, &pose, arena, memory, &voxels));
    const wbVoxelRun *runs = voxels.runs.data;
    for (int r = 0; r < voxels.runCount; r++) memset(cells->mask + runs[r].first, 7, (size_t)runs[r].count);
    wbVoxels_Free(memory, &voxels);
    wbDestroyArena(arena);
    wbDestroyMemory(memory);
    wbFreeMesh(mesh);
}

// A turn about an axis that is none of the grid's, and a shift.
static wbPose makePose(float angle, wbVec3 position) {
    float s = sinf(0.5f * angle) / sqrtf(14);
    return (wbPose){{position.x, position.y, position.z}, {s, 2 * s, 3 * s, cosf(0.5f * angle)}};
}

static void testBall(void **state) {
    (void)state;
    Cells cells = makeCells(false);
    wbMesh mesh;
    int wrong = 0, inside = 0;
    const wbVec3 centre = wbMakeVec3(0.03f, -0.11f, 0.07f);
    assertOk(wbMakeSphere(0.7f, 48, &mesh));
    cut(&cells, &mesh, makePose(1, centre));
    for (int k = 0; k < SIZE; k++)
        for (int j = 0; j < SIZE; j++)
            for (int i = 0; i < SIZE; i++) {
                wbVec3 way = wbSub(getCentre(i, j, k), centre);
                float distance = sqrtf(wbDot(way, way));
                inside += *at(&cells, i, j, k) == 7;
                // facets of the ball are up to 2 mm within it
                wrong +=
                    fabsf(distance - 0.699f) > 0.0015f && (distance < 0.7f) != (*at(&cells, i, j, k) == 7);
            }
    assert_int_equal(wrong, 0);
    assert_true(fabs(inside * 1e-3 - 4.18879 * 0.343) < 0.03);
}

// Lines through edges and corners: the faces of a box lie in planes of cell centres.
static void testLinesThroughEdges(void **state) {
    (void)state;
    Cells cells = makeCells(false);
    wbMesh mesh;
    // numbers that floats have
    cells.grid.min = wbMakeVec3(-1.25f, -1.25f, -1.25f);
    cells.grid.size = 0.125f;
    assertOk(wbMakeBox(wbMakeVec3(1, 1, 1), &mesh));
    wbPose pose = wb_poseAtOrigin;
    pose.position[0] = pose.position[1] = pose.position[2] = 0.0625f;
    cut(&cells, &mesh, pose);
    int count = 0;
    for (int n = 0; n < SIZE * SIZE * SIZE; n++) count += cells.mask[n] != 0;
    assert_int_equal(count, 8 * 8 * 8); // of two opposite faces one counts
}

// Cells that can be reached from a corner across faces.
static int flood(Cells *cells) {
    static int stack[SIZE * SIZE * SIZE];
    int count = 1, reached = 0, layers = cells->grid.count[2];
    stack[0] = 0, cells->mask[0] = 1;
    while (count > 0) {
        int cell = stack[--count], i = cell % SIZE, j = cell / SIZE % SIZE, k = cell / SIZE / SIZE;
        const int next[6][3] = {{i - 1, j, k}, {i + 1, j, k}, {i, j - 1, k},
                                {i, j + 1, k}, {i, j, k - 1}, {i, j, k + 1}};
        reached++;
        for (int n = 0; n < 6; n++) {
            int x = next[n][0], y = next[n][1], z = next[n][2];
            if (x < 0 || y < 0 || z < 0 || x >= SIZE || y >= SIZE || z >= layers || *at(cells, x, y, z))
                continue;
            *at(cells, x, y, z) = 1;
            stack[count++] = x + SIZE * (y + SIZE * z);
        }
    }
    return reached;
}

// A closed tank whose walls are a twentieth of a cell, turned any way: nothing gets in.
static void testThinWalls(void **state) {
    (void)state;
    for (int turn = 0; turn < 40; turn++) {
        Cells cells = makeCells(false);
        wbMesh mesh;
        wbTankParams tank = {.innerSize = {0.9f, 0.8f, 1}, .wall = 0.005f, .floor = 0.005f, .hasLid = true};
        assertOk(wbMakeTank(&tank, &mesh));
        float shift = 0.013f * (float)turn;
        cut(&cells, &mesh, makePose(0.157f * (float)turn, wbMakeVec3(-0.2f + shift, -0.4f, 0.1f - shift)));
        int solid = 0;
        for (int n = 0; n < SIZE * SIZE * SIZE; n++) solid += cells.mask[n] != 0;
        int outside = flood(&cells);
        assert_true(solid > 300 && solid < 1300); // walls of one cell
        // the room inside is not reached: at least that of a tank smaller by a cell
        assert_true(SIZE * SIZE * SIZE - solid - outside > 300);
    }
}

// In 2D it is the plane z = 0 that cuts, wherever the layer is.
static void testFlat(void **state) {
    (void)state;
    Cells cells = makeCells(true);
    wbMesh mesh;
    int count = 0;
    assertOk(wbMakeSphere(0.7f, 48, &mesh));
    cut(&cells, &mesh, makePose(0.4f, wbMakeVec3(0.01f, 0.02f, 0.3f)));
    for (int n = 0; n < SIZE * SIZE; n++) count += cells.mask[n] != 0;
    assert_true(fabs(count * 0.01 - 3.14159 * (0.49 - 0.09)) < 0.06);
    wbTankParams tank = {.innerSize = {0.9f, 0.8f, 1}, .wall = 0.005f, .floor = 0.005f, .hasLid = true};
    assertOk(wbMakeTank(&tank, &mesh));
    wbPose pose = {{0.1f, -0.5f, 0}, {0, 0, sinf(0.3f), cosf(0.3f)}};
    cut(&cells, &mesh, pose);
    int solid = 0;
    for (int n = 0; n < SIZE * SIZE; n++) solid += cells.mask[n] != 0;
    assert_true(SIZE * SIZE - solid - flood(&cells) > 30);
}

// Far away, and larger than all: nothing, and everything.
static void testBeyond(void **state) {
    (void)state;
    Cells cells = makeCells(false);
    wbMesh mesh;
    wbPose far = wb_poseAtOrigin;
    int count = 0;
    far.position[1] = 1e9f;
    assertOk(wbMakeBox(wbMakeVec3(1, 1, 1), &mesh));
    cut(&cells, &mesh, far);
    for (int n = 0; n < SIZE * SIZE * SIZE; n++) count += cells.mask[n] != 0;
    assert_int_equal(count, 0);
    assertOk(wbMakeBox(wbMakeVec3(1e4f, 1e4f, 1e4f), &mesh));
    cut(&cells, &mesh, makePose(0.7f, wbMakeVec3(0, 0, 0)));
    for (int n = 0; n < SIZE * SIZE * SIZE; n++) count += cells.mask[n] != 0;
    assert_int_equal(count, SIZE * SIZE * SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testBall), cmocka_unit_test(testLinesThroughEdges),
                                       cmocka_unit_test(testThinWalls), cmocka_unit_test(testFlat),
                                       cmocka_unit_test(testBeyond)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
