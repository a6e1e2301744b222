// SPDX-License-Identifier: MIT
// Made meshes are closed shapes of the right volume.
#include "shape_support.h"

#define PI 3.14159265358979323846

static void expectVolume(wbStatus status, wbMesh *mesh, double expected, double tolerance) {
    assertOk(status);
    assertOk(wbMesh_Check(mesh));
    double volume = wbMesh_GetVolume(mesh);
    if (!(fabs(volume - expected) <= tolerance * expected))
        fail_msg("volume %.9g, not %.9g", volume, expected);
    wbFreeMesh(mesh);
}

// m2: of a regular polygon with its corners on the circle
static double discArea(double radius, int segments) {
    return 0.5 * segments * sin(2 * PI / segments) * radius * radius;
}

static void testRoundShapes(void **state) {
    (void)state;
    wbMesh mesh;
    expectVolume(wbMakeBox(wbMakeVec3(1, 2, 3), &mesh), &mesh, 6, 1e-6);
    expectVolume(wbMakeSphere(0.5f, 256, &mesh), &mesh, 4 * PI / 3 * 0.125, 1e-3);
    expectVolume(wbMakeSphere(0.5f, 3, &mesh), &mesh, 0.5 * discArea(0.5, 3) * 2 / 3 * 2, 0.5);
    expectVolume(wbMakeCylinder(0.5f, 2, 24, &mesh), &mesh, 2 * discArea(0.5, 24), 1e-6);
    expectVolume(wbMakeCapsule(0.5f, 2, 256, &mesh), &mesh, 2 * PI * 0.25 + 4 * PI / 3 * 0.125, 1e-3);
    expectVolume(wbMakeTorus(1, 0.25f, 512, &mesh), &mesh, 2 * PI * PI * 0.0625, 1e-3);
}

static void testVessels(void **state) {
    (void)state;
    wbMesh mesh;
    wbCupParams cup = {0.4f, 1, 0.1f, 0.2f, false, 32};
    double outer = discArea(0.5, 32), inner = discArea(0.4, 32);
    expectVolume(wbMakeCup(&cup, &mesh), &mesh, outer * 1.2 - inner, 1e-5);
    cup.hasLid = true;
    expectVolume(wbMakeCup(&cup, &mesh), &mesh, outer * 1.4 - inner, 1e-5);
    wbTankParams tank = {{1, 0.5f, 2}, 0.1f, 0.05f, false};
    expectVolume(wbMakeTank(&tank, &mesh), &mesh, 1.2 * 2.2 * 0.55 - 1, 1e-5);
    tank.hasLid = true;
    expectVolume(wbMakeTank(&tank, &mesh), &mesh, 1.2 * 2.2 * 0.6 - 1, 1e-5);
}

static void testWheel(void **state) {
    (void)state;
    wbMesh mesh;
    wbWheelParams wheel = {0.2f, 1, 0.5f, 0.05f, 8, 0, 32};
    double hub = discArea(0.2, 32) * 0.5, paddle = 0.9 * 0.05 * 0.5;
    expectVolume(wbMakeWheel(&wheel, &mesh), &mesh, hub + 8 * paddle, 1e-5);
    wheel.discThickness = 0.1f;
    hub *= 1.2, paddle *= 1.2;
    expectVolume(wbMakeWheel(&wheel, &mesh), &mesh, hub + 8 * paddle + 2 * 0.1 * discArea(1, 32), 1e-5);
    wheel.paddleThickness = 0.3f;
    expectInputError(wbMakeWheel(&wheel, &mesh), "thickness is 0.3; allowed: up to 0.19");
    wheel.radius = 0.1f;
    expectInputError(wbMakeWheel(&wheel, &mesh), "above its hub's radius");
}

static void testPipes(void **state) {
    (void)state;
    wbMesh mesh;
    wbVec3 path[] = {{0, 0, 0}, {0, -1, 0}, {1, -1, 0}, {1, -1, 1}, {2, -2, 2}};
    wbPipeParams pipe = {path, 2, 0.08f, 0.02f, 32};
    double area = discArea(0.1, 32) - discArea(0.08, 32);
    expectVolume(wbMakePipe(&pipe, &mesh), &mesh, area, 1e-5);
    // Pappus: the length of the middle, which is shorter by what each bend cuts off
    double length = 3 + sqrt(3), r = 0.2, angle = atan2(sqrt(2), 1);
    length -= 2 * (2 * r - r * PI / 2) + 2 * r * tan(angle / 2) - r * angle;
    pipe.pointCount = 5;
    expectVolume(wbMakePipe(&pipe, &mesh), &mesh, area * length, 5e-3);
    wbVec3 straight[] = {{0, 0, 0},       {0, -1, 0},      {0, -2, 0},
                         {0, -2.125f, 0}, {1, -2.125f, 0}, {0, -2.125f, 0}};
    pipe = (wbPipeParams){straight, 3, 0.08f, 0.02f, 32};
    expectVolume(wbMakePipe(&pipe, &mesh), &mesh, 2 * area, 1e-5);
    pipe.pointCount = 5;
    expectInputError(wbMakePipe(&pipe, &mesh), "piece 2 is 0.125");
    pipe.pointCount = 6;
    expectInputError(wbMakePipe(&pipe, &mesh), "turns back at point 4");
    pipe.pointCount = 1;
    expectInputError(wbMakePipe(&pipe, &mesh), "at least 2");
}

static void testTroughs(void **state) {
    (void)state;
    wbMesh mesh;
    wbVec3 path[] = {{0, 1, 0}, {2, 0.8f, 0}, {2, 0.7f, 1}, {4, 0.4f, 2}, {4, 2, 2}};
    wbTroughParams trough = {path, 2, 0.3f, 0.2f, 0.05f};
    double area = 0.4 * 0.25 - 0.3 * 0.2;
    expectVolume(wbMakeTrough(&trough, &mesh), &mesh, area * 2, 1e-5);
    // a mitre takes from the inner side what it gives to the outer one; where the path slopes as well, the sides twist
    trough.pointCount = 4;
    expectVolume(wbMakeTrough(&trough, &mesh), &mesh, area * (3 + sqrt(5)), 0.01);
    wbVec3 level[] = {{0, 1, 0}, {2, 1, 0}, {2, 1, 1}, {4, 1, 2}};
    trough.path = level;
    expectVolume(wbMakeTrough(&trough, &mesh), &mesh, area * (3 + sqrt(5)), 1e-5);
    trough.path = path;
    trough.pointCount = 5;
    expectInputError(wbMakeTrough(&trough, &mesh), "piece 3 stands upright");
    trough.pointCount = 4, trough.innerWidth = 1.5f;
    expectInputError(wbMakeTrough(&trough, &mesh), "piece 1 is 1 m long");
}

static void testPrisms(void **state) {
    (void)state;
    wbMesh mesh;
    // a comb, with points in the middle of straight sides
    const float comb[][2] = {{0, 0}, {2, 0}, {4, 0}, {4, 3},    {3, 3},    {3, 1}, {2, 1},
                             {2, 3}, {1, 3}, {1, 1}, {0.5f, 1}, {0.5f, 3}, {0, 3}, {0, 1}};
    float turned[14][2];
    for (int i = 0; i < 14; i++) turned[i][0] = comb[13 - i][0], turned[i][1] = comb[13 - i][1];
    expectVolume(wbMakePrism(comb, 14, 2, &mesh), &mesh, 2 * (4 + 2 * 2.5), 1e-6);
    expectVolume(wbMakePrism((const float(*)[2])turned, 14, 2, &mesh), &mesh, 2 * (4 + 2 * 2.5), 1e-6);
    const float bow[][2] = {{0, 0}, {1, 1}, {2, 0}, {0, 1}};
    expectInputError(wbMakePrism(bow, 4, 2, &mesh), "from point 0 and from point 2 cross");
    const float line[][2] = {{0, 0}, {1, 1}, {2, 2}};
    expectInputError(wbMakePrism(line, 3, 2, &mesh), "point 1 lies on the side from point 2");
    const float flag[4][2] = {{0, 0}, {1, 0}, {0.5f, 0}, {0.5f, 1}};
    expectInputError(wbMakePrism(flag, 4, 2, &mesh), "point 2 lies on the side from point 0");
    expectInputError(wbMakePrism(line, 2, 2, &mesh), "2 points");
}

static void testRefusesSizes(void **state) {
    (void)state;
    wbMesh mesh;
    expectInputError(wbMakeBox(wbMakeVec3(1, -1, 1), &mesh),
                     "y of its size is -1; allowed: 0.0001 to 10000 m");
    expectInputError(wbMakeSphere(NAN, 16, &mesh), "radius is nan");
    expectInputError(wbMakeCylinder(1, 1, 2, &mesh), "segments is 2; allowed: 3 to 1024");
    expectInputError(wbMakeTorus(1, 2, 16, &mesh), "ring's radius is 1; allowed: above");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRoundShapes),  cmocka_unit_test(testVessels), cmocka_unit_test(testWheel),
        cmocka_unit_test(testPipes),        cmocka_unit_test(testTroughs), cmocka_unit_test(testPrisms),
        cmocka_unit_test(testRefusesSizes),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
