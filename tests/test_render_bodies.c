// SPDX-License-Identifier: MIT
#include "render_support.h"

#include "render/drawn_world.h"
#include "render/matrix.h"
#include "render/mesh_corners.h"

#include <math.h>

enum { SIDES = 24 };

static float cubeVertices[24], rodVertices[6 * SIDES];
static uint32_t rodIndices[3 * (4 * SIDES - 4)];
static uint32_t cubeIndices[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
/// A cube of side 1 and an upright cylinder of radius and height 1, both around the origin.
static const wbMesh cube = {8, 12, cubeVertices, cubeIndices};
static const wbMesh rod = {2 * SIDES, 4 * SIDES - 4, rodVertices, rodIndices};

static void addTriangle(uint32_t **indices, int a, int b, int c) {
    const int corners[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) *(*indices)++ = (uint32_t)corners[i];
}

static int makeMeshes(void **state) {
    (void)state;
    for (int i = 0; i < 24; ++i) cubeVertices[i] = (i / 3 >> i % 3 & 1) ? 0.5f : -0.5f;
    uint32_t *next = rodIndices;
    for (int i = 0; i < SIDES; ++i) {
        float angle = 6.2831853f * (float)i / SIDES;
        int other = (i + 1) % SIDES;
        for (int k = 0; k < 2; ++k) {
            float *v = rodVertices + 3 * (i + k * SIDES);
            v[0] = cosf(angle), v[1] = (float)k - 0.5f, v[2] = -sinf(angle);
        }
        addTriangle(&next, i, other, other + SIDES);
        addTriangle(&next, i, other + SIDES, i + SIDES);
        if (i == 0 || other == 0) continue;
        addTriangle(&next, 0, other, i);
        addTriangle(&next, SIDES, i + SIDES, other + SIDES);
    }
    return 0;
}

static const wbSize usual = {320, 180};
static Stage stage;
static wbRenderBody bodies[4];

static void setScene(wbWater water) {
    setStage(&stage, 3);
    stage.scene.output.water = water;
    stage.scene.output.legend = stage.scene.output.box = false;
    stage.scene.bodies = bodies;
    stage.scene.camera.position = wbMakeVec3(1, 1.2f, 3.2f);
    stage.scene.camera.target = wbMakeVec3(1, 0.4f, 0.5f);
}

static wbRenderBody *addBody(wbVec3 position) {
    wbRenderBody *body = &bodies[stage.scene.bodyCount++];
    *body = (wbRenderBody){.mesh = &cube,
                           .key = 1,
                           .position = {position.x, position.y, position.z},
                           .rotation = {0, 0, 0, 1},
                           .colour = {0.8f, 0.2f, 0.1f},
                           .opacity = 1};
    return body;
}

/// A smaller cube, as its own mesh.
static float smallVertices[24];
static const wbMesh small = {8, 12, smallVertices, cubeIndices};

static wbRenderBody *addSmall(wbVec3 position, float side) {
    for (int i = 0; i < 24; ++i) smallVertices[i] = side * cubeVertices[i];
    wbRenderBody *body = addBody(position);
    body->mesh = &small;
    body->key = 2;
    return body;
}

static bool isRed(const uint8_t *pixel) { return pixel[0] > pixel[2] + 40; }

// Faces of a cube are flat; the side of a cylinder is round and its ends are flat. Corners are shared where nothing tells them apart.
static void testCorners(void **state) {
    (void)state;
    wbArray corners = {0}, indices = {0};
    int count;
    assertOk(wbMakeCorners(&cube, 0.766f, &corners, &count, &indices));
    const wbCorner *list = corners.data;
    const uint32_t *index = indices.data;
    assert_int_equal(count, 24); // of 36: four per face
    for (int i = 0; i < 36; ++i) {
        const wbCorner *c = &list[index[i]];
        wbVec3 n = c->normal;
        assert_true(memcmp(&c->position, cubeVertices + (size_t)3 * cubeIndices[i], sizeof n) == 0);
        assert_true(fabsf(fmaxf(fmaxf(fabsf(n.x), fabsf(n.y)), fabsf(n.z)) - 1) < 1e-6f);
        assert_true(wbDot(n, c->position) > 0.499f);
    }
    assertOk(wbMakeCorners(&rod, 0.766f, &corners, &count, &indices));
    list = corners.data;
    assert_true(count <= 2 * rod.vertexCount);
    for (int i = 0; i < count; ++i) {
        wbVec3 n = list[i].normal, p = list[i].position;
        bool end = fabsf(n.y) > 0.5f;
        assert_true(fabsf((end ? 2 * n.y * p.y : n.x * p.x + n.z * p.z) - 1) < 1e-3f);
    }
    assertOk(wbMakeCorners(&rod, 0.99f, &corners, &count, &indices)); // 15 degrees are an edge now
    list = corners.data, index = indices.data;
    wbVec3 a = list[index[0]].position, b = list[index[1]].position, c = list[index[2]].position;
    assert_true(wbDot(wbNormalize(wbCross(wbSub(b, a), wbSub(c, a))), list[index[0]].normal) > 0.9999f);
    uint32_t wrong[3] = {0, 1, 8};
    const wbMesh broken = {8, 1, cubeVertices, wrong};
    assert_int_equal(wbMakeCorners(&broken, 0, &corners, &count, &indices).code, wb_errorInput);
    wbArray_Free(NULL, &corners);
    wbArray_Free(NULL, &indices);
}

// A cube is closed; without a face, or inside out, it is not.
static void testClosed(void **state) {
    (void)state;
    uint32_t turned[36];
    for (int i = 0; i < 36; ++i) turned[i] = cubeIndices[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
    assert_true(wbIsClosedMesh(&cube));
    assert_true(wbIsClosedMesh(&rod));
    assert_false(wbIsClosedMesh(&(wbMesh){8, 11, cubeVertices, cubeIndices}));
    assert_false(wbIsClosedMesh(&(wbMesh){8, 12, cubeVertices, turned}));
    assert_false(wbIsClosedMesh(&(wbMesh){0}));
}

// A body stands where its pose says, in both looks of water.
static void testPose(void **state) {
    (void)state;
    for (int water = wb_waterSpheres; water <= wb_waterSurface; ++water) {
        setScene((wbWater)water);
        wbRenderBody *body = addBody(wbMakeVec3(0.6f, 0.5f, 0));
        wbRenderer *renderer = makeRenderer(usual);
        uint8_t *first = draw(renderer, &stage.scene, usual);
        assert_true(isRed(pixelOf(renderer, first, usual, wbMakeVec3(0.6f, 0.5f, 0.5f))));
        assert_true(isRed(pixelOf(renderer, first, usual, wbMakeVec3(0.15f, 0.1f, 0.5f))));
        assert_false(isRed(pixelOf(renderer, first, usual, wbMakeVec3(1.2f, 0.5f, 0.5f))));
        body->position[0] = 1.4f;
        body->rotation[2] = 0.38268343f, body->rotation[3] = 0.92387953f; // about z by an eighth turn
        uint8_t *second = draw(renderer, &stage.scene, usual);
        assert_true(isRed(pixelOf(renderer, second, usual, wbMakeVec3(1.4f, 0.5f, 0.5f))));
        assert_true(isRed(pixelOf(renderer, second, usual, wbMakeVec3(0.75f, 0.5f, 0.5f))));
        assert_false(isRed(pixelOf(renderer, second, usual, wbMakeVec3(0.95f, 0.95f, 0.5f))));
        test_free(first);
        test_free(second);
        wbDestroyRenderer(renderer);
    }
}

// Particles before a body hide it, those behind do not.
static void testDepth(void **state) {
    (void)state;
    setScene(wb_waterSpheres);
    stage.scene.spacing = 0.2f;
    addBody(wbMakeVec3(1, 0.5f, 0.5f));
    const wbVec3 before = {0.7f, 0.5f, 1.2f}, behind = {1.1f, 0.3f, -0.2f};
    addParticle(&stage, before, 0);
    addParticle(&stage, behind, 0);
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    assert_false(isRed(pixelOf(renderer, rgb, usual, before)));
    assert_true(isRed(pixelOf(renderer, rgb, usual, behind)));
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

/// How much darker a point becomes by a small cube between it and the sun.
static int measureShadow(wbVec3 point) {
    wbVec3 sun = wbNormalize(wbMakeVec3(-0.55f, 1, 0.38f)), above = wbAdd(point, wbScale(0.45f, sun));
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *bright = draw(renderer, &stage.scene, usual);
    addSmall(above, 0.25f);
    uint8_t *dark = draw(renderer, &stage.scene, usual);
    int change = brightness(pixelOf(renderer, bright, usual, point)) -
                 brightness(pixelOf(renderer, dark, usual, point));
    test_free(bright);
    test_free(dark);
    wbDestroyRenderer(renderer);
    return change;
}

static void testShadows(void **state) {
    (void)state;
    for (int water = wb_waterSpheres; water <= wb_waterSurface; ++water) {
        setScene((wbWater)water);
        assert_true(measureShadow(wbMakeVec3(0.8f, 0, 0.5f)) > 80); // on the floor
        setScene((wbWater)water);
        wbRenderBody *low = addBody(wbMakeVec3(1, -0.2f, 0.5f));
        low->colour[0] = low->colour[1] = low->colour[2] = 0.7f;
        assert_true(measureShadow(wbMakeVec3(0.8f, 0.3f, 0.5f)) > 80); // on another body
        setScene((wbWater)water);
        addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0.3f, 1));
        assert_true(measureShadow(wbMakeVec3(0.8f, 0.3f, 0.5f)) > 15); // on water
    }
}

// A body casts no shadow on the faces that the sun shines on.
static void testNoOwnShadow(void **state) {
    (void)state;
    setScene(wb_waterSurface);
    addBody(wbMakeVec3(1, 0.2f, 0.5f));
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    int low = 765, high = 0;
    for (int i = 0; i < 400; ++i) {
        wbVec3 point = {0.6f + 0.04f * (float)(i % 20), 0.7f, 0.1f + 0.04f * (float)(i / 20)};
        int light = brightness(pixelOf(renderer, rgb, usual, point));
        low = light < low ? light : low, high = light > high ? light : high;
    }
    assert_true(low > 200 && high - low < 40);
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

// Water before a body tints and bends it; a body before the water looks as it does without.
static void testWater(void **state) {
    (void)state;
    setScene(wb_waterSurface);
    stage.scene.output.floor = false;               // its shadow would change
    addSmall(wbMakeVec3(0.5f, 0.25f, 0.55f), 0.3f); // in the water
    addSmall(wbMakeVec3(1.5f, 0.3f, 1.4f), 0.3f);   // before it
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *dry = draw(renderer, &stage.scene, usual);
    addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0.6f, 0.8f));
    uint8_t *wet = draw(renderer, &stage.scene, usual);
    const wbVec3 inside = {0.5f, 0.2f, 0.7f}, before = {1.5f, 0.25f, 1.55f};
    assert_true(isRed(pixelOf(renderer, dry, usual, inside)) && isRed(pixelOf(renderer, dry, usual, before)));
    assert_int_equal(difference(pixelOf(renderer, dry, usual, before), pixelOf(renderer, wet, usual, before)),
                     0);
    const uint8_t *seen = pixelOf(renderer, wet, usual, inside);
    assert_true(pixelOf(renderer, dry, usual, inside)[0] > seen[0] + 30);
    // where there is no body the same water is less red
    assert_true(seen[0] > pixelOf(renderer, wet, usual, wbMakeVec3(1.1f, 0.2f, 0.7f))[0] + 10);
    test_free(dry);
    test_free(wet);
    wbDestroyRenderer(renderer);
}

// Water that fills a barrel up to its walls bulges neither through them nor beyond their outline, though its spheres are larger than that.
static void testBehindWall(void **state) {
    (void)state;
    setScene(wb_waterSurface);
    stage.scene.output.floor = false;
    stage.scene.camera.position = wbMakeVec3(1, 0.6f, 5);
    addBody(wbMakeVec3(1, 0.5f, 0))->mesh = &rod; // of radius 1
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *dry = draw(renderer, &stage.scene, usual);
    for (int ring = 0; ring < 10; ring++)
        for (int k = 0; k < 60 * 10; k++) {
            const float r = 0.96f - 0.09f * (float)ring, turn = 6.2831853f * (float)(k % 60) / 60;
            addParticle(&stage,
                        wbMakeVec3(1 + r * cosf(turn), 0.05f + 0.1f * (float)(k / 60), r * sinf(turn)), 0);
        }
    uint8_t *wet = draw(renderer, &stage.scene, usual);
    int most = 0;
    for (int i = 0; i < 20; ++i) {
        const wbVec3 beside = {i % 2 ? -0.03f : 2.03f, 0.2f + 0.03f * (float)i, 0};
        const int change =
            difference(pixelOf(renderer, dry, usual, beside), pixelOf(renderer, wet, usual, beside));
        most = change > most ? change : most;
    }
    assert_true(most < 10);
    test_free(dry);
    test_free(wet);
    wbDestroyRenderer(renderer);
}

// A pane of glass changes what is behind it a little, throws no shadow, and hides nothing.
static void testClear(void **state) {
    (void)state;
    for (int water = wb_waterSpheres; water <= wb_waterSurface; ++water) {
        setScene((wbWater)water);
        addBlock(&stage, wbMakeVec3(0, 0, 0), wbMakeVec3(1.2f, 0.6f, 0.6f));
        addSmall(wbMakeVec3(0.6f, 0.3f, 0.5f), 0.5f)->opacity = 0.2f;
        wbRenderBody *pane = addSmall(wbMakeVec3(0.6f, 0.4f, 1.2f), 0.5f);
        pane->opacity = 0.2f;
        wbRenderer *renderer = makeRenderer(usual);
        uint8_t *with = draw(renderer, &stage.scene, usual);
        stage.scene.bodyCount = 0;
        uint8_t *without = draw(renderer, &stage.scene, usual);
        const wbVec3 middle = {0.6f, 0.4f, 1.45f};
        const uint8_t *a = pixelOf(renderer, with, usual, middle),
                      *b = pixelOf(renderer, without, usual, middle);
        assert_true(difference(a, b) > 10 && difference(a, b) < 250);
        assert_true(a[0] > b[0] + 5);
        const wbVec3 beside = {1.7f, 0, 0.5f};
        assert_int_equal(
            difference(pixelOf(renderer, with, usual, beside), pixelOf(renderer, without, usual, beside)), 0);
        test_free(with);
        test_free(without);
        wbDestroyRenderer(renderer);
    }
}

// A mesh is read when its key is new, and not again.
static void testKeys(void **state) {
    (void)state;
    size_t bytes = (size_t)(usual.width * usual.height * 3);
    setScene(wb_waterSurface);
    wbRenderBody *body = addSmall(wbMakeVec3(1, 0.4f, 0.5f), 0.4f);
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *first = draw(renderer, &stage.scene, usual);
    for (int i = 0; i < 24; ++i) smallVertices[i] *= 2;
    uint8_t *same = draw(renderer, &stage.scene, usual);
    assert_memory_equal(first, same, bytes);
    body->key = 3;
    uint8_t *grown = draw(renderer, &stage.scene, usual);
    assert_memory_not_equal(first, grown, bytes);
    test_free(first);
    test_free(same);
    test_free(grown);
    wbDestroyRenderer(renderer);
}

// A collider that is off is not drawn, also when its mesh was before.
static void testOff(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbColliderDef box = wbDefaultColliderDef();
    wbDrawnWorld drawn = {0};
    wbWorld *world;
    wbColliderId ids[2];
    assertOk(wbCreateWorld(&def, &world));
    for (int i = 0; i < 2; ++i) {
        box.name = i ? "b" : "a", box.params.size = wbMakeVec3(0.1f, 0.1f, 0.1f);
        box.params.position = wbMakeVec3(0.3f + 0.4f * (float)i, 0.5f, 0.5f);
        assertOk(wbCreateCollider(world, &box, &ids[i]));
    }
    for (int on = 1; on >= 0; --on) {
        assertOk(wbCollider_SetOn(world, ids[0], on));
        assertOk(wbDrawnWorld_Gather(&drawn, world, &stage.scene));
        assert_int_equal(stage.scene.bodyCount, 1 + on);
        assert_true(stage.scene.bodies[on].position[0] == box.params.position.x);
    }
    wbDrawnWorld_Free(&drawn);
    wbDestroyWorld(world);
}

// Bodies that are nowhere are left out; the order in which bodies come does not matter.
static void testStrangeBodies(void **state) {
    (void)state;
    size_t bytes = (size_t)(usual.width * usual.height * 3);
    setScene(wb_waterSurface);
    addBody(wbMakeVec3(0.6f, 0.5f, 0.5f));
    addSmall(wbMakeVec3(1.6f, 0.3f, 0.5f), 0.3f)->opacity = 0.3f;
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *plain = draw(renderer, &stage.scene, usual);
    wbRenderBody swap = bodies[0];
    bodies[0] = bodies[1], bodies[1] = swap;
    addBody(wbMakeVec3(NAN, 0, 0));
    const wbMesh empty = {0};
    wbRenderBody *none = addBody(wbMakeVec3(0, 0, 0));
    none->mesh = &empty, none->key = 9;
    uint8_t *strange = draw(renderer, &stage.scene, usual);
    assert_memory_equal(plain, strange, bytes);
    for (int i = 0; i < wb_sideCount; ++i) stage.domain.sides[i].type = wb_sideOpen;
    stage.scene.camera.position = stage.scene.camera.target;
    uint8_t *framed = draw(renderer, &stage.scene, usual); // no sides, no water: framed on the bodies
    assert_true(isRed(pixelOf(renderer, framed, usual, wbMakeVec3(0.6f, 0.5f, 1))));
    test_free(plain);
    test_free(strange);
    test_free(framed);
    wbDestroyRenderer(renderer);
}

// Whether something red, if only a thin line, is within two pixels of where a point is seen.
static bool isRedNear(const wbRenderer *renderer, const uint8_t *rgb, wbSize size, wbVec3 point) {
    float x, y;
    assert_true(wbRenderer_Project(renderer, point, &x, &y));
    for (int k = 0; k < 25; ++k) {
        const uint8_t *pixel = pixelAt(rgb, size, x + (float)(k % 5 - 2), y + (float)(k / 5 - 2));
        if (pixel[0] > pixel[2] + 20) return true;
    }
    return false;
}

// A square of four particles as balls, as two triangles, as a tube along them, and as its constraints; the surface moves.
static void testSoft(void **state) {
    (void)state;
    enum { FIRST = 7 }; // numbers count over all bodies of a world
    const wbSize size = {640, 360};
    float x[4] = {0.6f, 1.4f, 1.4f, 0.6f}, y[4] = {0.2f, 0.2f, 0.8f, 0.8f}, z[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    const int triangles[6] = {FIRST, FIRST + 1, FIRST + 2, FIRST, FIRST + 2, FIRST + 3};
    const int first[1] = {FIRST}, second[1] = {FIRST + 2};
    wbRenderSoft soft = {.view = {.count = 4, .stride = 1, .x = x, .y = y, .z = z, .vx = x, .vy = y, .vz = z},
                         .firstParticle = FIRST,
                         .triangles = triangles,
                         .triangleCount = 2,
                         .first = first,
                         .second = second,
                         .linkCount = 1,
                         .radius = 0.06f,
                         .colour = {0.9f, 0.15f, 0.1f}};
    const wbVec3 corner = {0.6f, 0.2f, 0.5f}, middle = {1, 0.5f, 0.5f}, edge = {1, 0.2f, 0.5f};
    const struct {
        wbSoftBodyShow show;
        bool isChain, corner, middle, edge;
    } looks[] = {{wb_showSpheres, false, true, false, false},
                 {wb_showSurface, false, true, true, true},
                 {wb_showLines, true, true, false, true},
                 {wb_showLines, false, true, true, false}};
    for (size_t k = 0; k < sizeof looks / sizeof looks[0]; ++k) {
        setScene(wb_waterSurface);
        stage.scene.softs = &soft, stage.scene.softCount = 1, stage.scene.viewCount = 0;
        stage.scene.isDry = true;
        soft.show = looks[k].show, soft.isChain = looks[k].isChain;
        wbRenderer *renderer = makeRenderer(size);
        uint8_t *rgb = draw(renderer, &stage.scene, size);
        assert_int_equal(isRedNear(renderer, rgb, size, corner), looks[k].corner);
        assert_int_equal(isRedNear(renderer, rgb, size, middle), looks[k].middle);
        assert_int_equal(isRedNear(renderer, rgb, size, edge), looks[k].edge);
        test_free(rgb);
        if (soft.show == wb_showSurface) {
            for (int i = 0; i < 4; ++i) y[i] -= 0.5f;
            rgb = draw(renderer, &stage.scene, size);
            assert_false(isRed(pixelOf(renderer, rgb, size, wbMakeVec3(1, 0.7f, 0.5f))));
            test_free(rgb);
            for (int i = 0; i < 4; ++i) y[i] += 0.5f;
        }
        wbDestroyRenderer(renderer);
    }
    x[2] = NAN; // nowhere: it is left out
    soft.show = wb_showSurface;
    wbRenderer *renderer = makeRenderer(usual);
    uint8_t *rgb = draw(renderer, &stage.scene, usual);
    test_free(rgb);
    wbDestroyRenderer(renderer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testCorners), cmocka_unit_test(testClosed),        cmocka_unit_test(testPose),
        cmocka_unit_test(testDepth),   cmocka_unit_test(testShadows),       cmocka_unit_test(testNoOwnShadow),
        cmocka_unit_test(testWater),   cmocka_unit_test(testBehindWall),    cmocka_unit_test(testClear),
        cmocka_unit_test(testKeys),    cmocka_unit_test(testStrangeBodies), cmocka_unit_test(testSoft),
        cmocka_unit_test(testOff),
    };
    return cmocka_run_group_tests(tests, makeMeshes, NULL);
}
