// SPDX-License-Identifier: MIT
// What overlays are made of, without a window: marks, edges of meshes, cells and neighbours, arrows, slices.
#include "test_support.h"

#include "app/view/geometry.h"
#include "app/view/overlays.h"
#include "render/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const wbInk ink = {{1, 2, 3, 4}, 2};

static const wbMark *getMark(const wbMarkList *list, int i) { return (const wbMark *)list->marks.data + i; }

static int countKind(const wbMarkList *list, wbMarkKind kind) {
    int count = 0;
    for (int i = 0; i < list->count; i++) count += getMark(list, i)->kind == kind;
    return count;
}

static void testMarks(void **state) {
    (void)state;
    wbMarkList list = {0};
    wbMarkList_Clear(&list);
    wbMarkList_AddBox(&list, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 2, 3), ink);
    assert_int_equal(list.count, 12);
    float length = 0;
    for (int i = 0; i < 12; i++) {
        const wbVec3 way = wbSub(getMark(&list, i)->to, getMark(&list, i)->from);
        length += sqrtf(wbDot(way, way));
        assert_int_equal(getMark(&list, i)->colour[2], 3);
    }
    assert_true(fabsf(length - 24) < 1e-5f);
    wbMarkList_Clear(&list);
    wbMarkList_AddBox(&list, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 2, 0), ink);
    assert_int_equal(list.count, 4);
    // a ring's points are a radius away from its middle, and in its plane
    wbMarkList_Clear(&list);
    wbMarkList_AddRing(&list, wbMakeVec3(1, 1, 1), wbMakeVec3(0, 5, 0), 0.5f, ink);
    for (int i = 0; i < list.count; i++) {
        const wbVec3 way = wbSub(getMark(&list, i)->to, wbMakeVec3(1, 1, 1));
        assert_true(fabsf(sqrtf(wbDot(way, way)) - 0.5f) < 1e-5f && fabsf(way.y) < 1e-6f);
    }
    // texts stay with their labels, also after the array has moved
    wbMarkList_Clear(&list);
    for (int i = 0; i < 300; i++) {
        wbMarkList_AddLabel(&list, wbMakeVec3((float)i, 0, 0), 10, "number %d", i);
        wbMarkList_AddPoint(&list, wbMakeVec3(0, 0, 0), ink);
    }
    wbMarkList_Finish(&list);
    assert_int_equal(countKind(&list, wb_markLabel), 300);
    assert_string_equal(getMark(&list, 2 * 217)->text, "number 217");
    assert_true(getMark(&list, 2 * 217)->from.x == 217);
    wbMarkList_Free(&list);
    // signs: blue below, red above
    assert_true(wbInk_OfSigned(-1, 1).colour[2] > 200 && wbInk_OfSigned(-1, 1).colour[0] < 60);
    assert_true(wbInk_OfSigned(7, 1).colour[0] > 200 && wbInk_OfSigned(7, 1).colour[2] < 60);
    assert_int_equal(wbInk_OfSigned(NAN, 1).colour[0], wbInk_OfSigned(0, 1).colour[0]);
}

// A box of twelve triangles has twelve edges that are seen, a square of two triangles four.
static void testWires(void **state) {
    (void)state;
    static float box[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    static uint32_t corners[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    const wbMesh mesh = {8, 12, box, corners}, square = {4, 2, box, corners};
    wbWires wires = {0};
    const wbVec3 *ends, *again;
    int count;
    assert_true(wbIsOk(wbWires_Find(&wires, &mesh, 5, 1, &ends, &count)));
    assert_int_equal(count, 12);
    for (int i = 0; i < count; i++) {
        const wbVec3 way = wbSub(ends[2 * i + 1], ends[2 * i]);
        assert_true(fabsf(wbDot(way, way) - 1) < 1e-6f);
    }
    assert_true(wbIsOk(wbWires_Find(&wires, &square, 6, 1, &ends, &count)));
    assert_int_equal(count, 4);
    // found again without another look; forgotten with its world
    assert_true(wbIsOk(wbWires_Find(&wires, &mesh, 6, 1, &again, &count)));
    assert_true(count == 4 && again == ends && wires.wireCount == 2);
    assert_true(wbIsOk(wbWires_Find(&wires, &mesh, 6, 2, &ends, &count)));
    assert_true(count == 12 && wires.wireCount == 1);
    wbWires_Free(&wires);
}

enum { CLOUD = 600 };
static float cloud[6][CLOUD];
static uint32_t ids[CLOUD];

static wbView makeCloud(void) {
    unsigned seed = 7;
    for (int i = 0; i < CLOUD; i++) {
        for (int a = 0; a < 6; a++) {
            seed = seed * 1664525u + 1013904223u;
            cloud[a][i] = (float)(seed >> 8) / (1 << 24);
        }
        ids[i] = (uint32_t)i;
    }
    cloud[0][0] = 900; // a stray
    return (wbView){.count = CLOUD,
                    .stride = 1,
                    .x = cloud[0],
                    .y = cloud[1],
                    .z = cloud[2],
                    .vx = cloud[3],
                    .vy = cloud[4],
                    .vz = cloud[5],
                    .id = ids};
}

static int countNear(int i, float reach) {
    int count = 0;
    for (int j = 0; j < CLOUD; j++) {
        float square = 0;
        for (int a = 0; a < 3; a++) square += (cloud[a][j] - cloud[a][i]) * (cloud[a][j] - cloud[a][i]);
        count += j != i && square < reach * reach;
    }
    return count;
}

// Against all pairs; particles of other solvers are not seen.
static void testCrowd(void **state) {
    (void)state;
    static float counts[2 * CLOUD];
    const wbView views[2] = {makeCloud(), makeCloud()};
    const wbRenderFluid fluids[2] = {{1000, 0.17f, 0}, {1000, 0.3f, 1}};
    wbCrowd crowd = {0};
    for (int solver = 0; solver < 2; solver++) {
        assert_true(wbIsOk(wbCrowd_Sort(&crowd, views, fluids, 2, solver)));
        wbCrowd_CountNeighbours(&crowd, views, fluids, 2, solver, 0.1f, counts);
        double sum = 0;
        int most = 0;
        for (int i = 0; i < CLOUD; i++) {
            const int near = countNear(i, fluids[solver].support);
            assert_int_equal((int)counts[solver * CLOUD + i], near);
            sum += near;
            if (near > most) most = near;
        }
        assert_int_equal(crowd.mostNeighbours, most);
        assert_true(fabs(crowd.meanNeighbours - sum / CLOUD) < 1e-9);
        assert_true(fabs(crowd.meanInCell * crowd.filled - CLOUD) < 1e-9);
        assert_true(crowd.size[0] < 200); // the stray does not count
    }
    wbCrowd_Free(&crowd);
}

static wbStill makeStill(const wbView *view, const wbRenderFluid *fluid) {
    return (wbStill){
        .scene = {.views = view, .fluids = fluid, .viewCount = 1, .dimensions = 3, .spacing = 0.05f},
        .domain = {.min = {0, 0, 0}, .max = {1, 2, 3}},
        .generation = 1,
        .dt = 0.01f};
}

// One filled cell has six faces of four lines, two beside each other have ten.
static void testCells(void **state) {
    (void)state;
    const wbRenderFluid fluid = {1000, 1, 0};
    const float x[2] = {0, 0.6f}, y[2] = {0, 0}, z[2] = {0, 1.5f};
    wbCrowd crowd = {0};
    wbMarkList list = {0};
    const wbView apart = {.count = 2, .stride = 1, .x = x, .y = y, .z = z},
                 beside = {.count = 2, .stride = 1, .x = x, .y = y, .z = y};
    assert_true(wbIsOk(wbCrowd_Sort(&crowd, &apart, &fluid, 1, 0)));
    wbMarkList_Clear(&list);
    wbAddCells(&list, &crowd);
    assert_int_equal(list.count, 2 * 6 * 4);
    assert_true(crowd.cell[0] == 0.5f && crowd.cell[1] == 1);
    // in a plane: one square each
    assert_true(wbIsOk(wbCrowd_Sort(&crowd, &beside, &fluid, 1, 0)));
    wbMarkList_Clear(&list);
    wbAddCells(&list, &crowd);
    assert_int_equal(list.count, 2 * 4);
    wbMarkList_Free(&list);
    wbCrowd_Free(&crowd);
}

// Every n-th particle by its id, as long as it is fast, with the fastest as the measure.
static void testArrows(void **state) {
    (void)state;
    const wbView view = makeCloud();
    const wbRenderFluid fluid = {1000, 0.1f, 0};
    const wbStill still = makeStill(&view, &fluid);
    wbOverlays overlays = {.every = 10, .errorShown = 0.05f};
    overlays.isOn[wb_overlayArrows] = true;
    assert_int_equal(wbOverlays_GetWants(&overlays), 0);
    assert_true(wbIsOk(wbOverlays_Make(&overlays, &still, 1)));
    assert_int_equal(countKind(&overlays.list, wb_markArrow), CLOUD / 10);
    float fastest = 0;
    for (int i = 0; i < CLOUD; i++)
        fastest = fmaxf(fastest, sqrtf(cloud[3][i] * cloud[3][i] + cloud[4][i] * cloud[4][i] +
                                       cloud[5][i] * cloud[5][i]));
    const float longest = 2.5f * 0.05f * cbrtf(10);
    const wbMark *arrow = getMark(&overlays.list, 3);
    assert_true(arrow->from.x == cloud[0][30]);
    assert_true(fabsf(arrow->to.x - arrow->from.x - cloud[3][30] / fastest * longest) < 1e-4f);
    // the domain: twelve edges, and three labels
    overlays.isOn[wb_overlayArrows] = false, overlays.isOn[wb_overlayDomain] = true;
    assert_true(wbIsOk(wbOverlays_Make(&overlays, &still, 1)));
    assert_int_equal(countKind(&overlays.list, wb_markLine), 12);
    assert_int_equal(countKind(&overlays.list, wb_markLabel), 3);
    assert_int_equal(countKind(&overlays.list, wb_markArrow), 0);
    wbOverlays_Free(&overlays);
}

static void testSlice(void **state) {
    (void)state;
    const wbSmokeView air = {
        .cells = {10, 20, 30}, .boxCells = {10, 20, 30}, .cellSize = 0.1f, .min = {1, 0, 0}};
    wbRenderScene scene = {.smoke = &air, .dimensions = 3, .output = {.slice = wb_axisY, .sliceAt = NAN}};
    int axis;
    assert_true(wbFindSlice(&scene, &axis) == 9.5f && axis == 1);
    scene.output.slice = wb_axisX, scene.output.sliceAt = 1.35f;
    assert_true(fabsf(wbFindSlice(&scene, &axis) - 3) < 1e-4f && axis == 0);
    scene.output.sliceAt = 99;
    assert_true(wbFindSlice(&scene, &axis) == 9);
    scene.smoke = NULL;
    assert_true(wbFindSlice(&scene, &axis) < 0);
}

// Each has a name of its own, and what it asks for is asked for.
static void testSwitches(void **state) {
    (void)state;
    for (int i = 0; i < WB_OVERLAY_COUNT; i++) {
        wbOverlays overlays = {.every = 0};
        overlays.isOn[i] = true;
        assert_int_equal(wbFindOverlay(wb_overlays[i].name), i);
        assert_true(wb_overlays[i].label && wb_overlays[i].sentence);
        assert_int_equal(wbOverlays_GetWants(&overlays), wb_overlays[i].wants);
    }
    assert_int_equal(wbFindOverlay("nothing"), -1);
}

// Errors of lengths are signed, and end where the user says.
static void testLinks(void **state) {
    (void)state;
    wbShownLink links[2] = {{{0, 0, 0}, {1, 0, 0}, 0.5f}, {{0, 0, 0}, {0, 1, 0}, -0.5f}};
    wbStill still = {.extras = {.links.data = links, .linkCount = 2}, .scene.dimensions = 3};
    wbOverlays overlays = {.errorShown = 0.05f};
    overlays.isOn[wb_overlayConstraints] = true;
    assert_true(wbIsOk(wbOverlays_Make(&overlays, &still, 1)));
    assert_int_equal(overlays.list.count, 2);
    assert_true(getMark(&overlays.list, 0)->colour[0] > 200 && getMark(&overlays.list, 1)->colour[2] > 200);
    wbOverlays_Free(&overlays);
}

// Of a cube of 24^3 particles the outer two layers stay, large drops fill the next cells, and what is deeper goes. A thin sheet stays as it is.
static void testInside(void **state) {
    (void)state;
    enum { SIDE = 24 };
    wbSwarm swarm = {.drops.elementSize = (int)sizeof(wbDrop)};
    for (int layers = 2; layers <= SIDE; layers += SIDE - 2) {
        assert_true(wbArray_Reserve(NULL, &swarm.drops, SIDE * SIDE * SIDE));
        wbDrop *drops = swarm.drops.data;
        swarm.count = 0;
        for (int z = 0; z < layers; z++)
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++)
                    drops[swarm.count++] =
                        (wbDrop){(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f, 1, 1, {0}, 0, 0};
        swarm.body = (wbBounds){{0, 0, 0}, {SIDE, SIDE, (float)layers}};
        const int before = swarm.count;
        assertOk(wbDropInside(&swarm, 1));
        int small = 0, large = 0;
        for (int i = 0; i < swarm.count; i++) {
            const float p[3] = {drops[i].x, drops[i].y, drops[i].z};
            float depth = SIDE;
            for (int a = 0; a < 3; a++)
                depth = fminf(depth, fminf(p[a], (a == 2 ? (float)layers : SIDE) - p[a]));
            if (drops[i].size == 1)
                small++;
            else
                large++, assert_true(depth > drops[i].size * 0.5f); // none reaches out of the water
        }
        if (layers == 2) {
            assert_int_equal(swarm.count, before);
        } else {
            assert_int_equal(small, SIDE * SIDE * SIDE - (SIDE - 4) * (SIDE - 4) * (SIDE - 4));
            assert_int_equal(large, 10 * 10 * 10 - 8 * 8 * 8);
        }
    }
    wbSwarm_Free(&swarm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMarks),    cmocka_unit_test(testWires),  cmocka_unit_test(testCrowd),
        cmocka_unit_test(testCells),    cmocka_unit_test(testArrows), cmocka_unit_test(testSlice),
        cmocka_unit_test(testSwitches), cmocka_unit_test(testLinks),  cmocka_unit_test(testInside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
