// SPDX-License-Identifier: MIT
// Meshes as sets of hulls: they hold all of the mesh, do not overlap, and have little volume more than it.
#include "rigid_support.h"

#include "rigid/decompose.h"
#include "rigid/manifold.h"

static void expectParts(const char *name, wbStatus made, wbMesh *mesh, int maxParts, double excess,
                        int least) {
    assertOk(made);
    const wbDecomposeParams params = {maxParts, 32, 64, 0.002f};
    wbDecomposition parts, again;
    assertOk(wbDecomposeMesh(NULL, mesh, &params, &parts));
    if (parts.excess > excess || parts.excess < -0.01 || parts.count < least || parts.count > maxParts)
        fail_msg("%s: %d parts, %.1f %% more volume", name, parts.count, 100 * parts.excess);
    print_message("%s: %d parts, %.2f %% more volume\n", name, parts.count, 100 * parts.excess);
    // every vertex is in a hull
    for (int v = 0; v < mesh->vertexCount; v += 1 + mesh->vertexCount / 200) {
        const wbVec3 p = {mesh->vertices[3 * v], mesh->vertices[3 * v + 1], mesh->vertices[3 * v + 2]};
        float nearest = INFINITY;
        for (int i = 0; i < parts.count; i++) {
            const wbRigidPiece piece = makeHullPiece(parts.hulls[i]);
            const wbPose at = wb_poseAtOrigin;
            wbVec3 on, normal;
            nearest = fminf(nearest, wbRigidPiece_FindNearest(&piece, &at, p, &on, &normal));
        }
        if (nearest > 0.02f) fail_msg("%s: a vertex is %g m outside", name, (double)nearest);
    }
    // the same again
    assertOk(wbDecomposeMesh(NULL, mesh, &params, &again));
    assert_int_equal(again.count, parts.count);
    for (int i = 0; i < parts.count; i++) {
        assert_int_equal(again.hulls[i]->cornerCount, parts.hulls[i]->cornerCount);
        assert_memory_equal(again.hulls[i]->corners, parts.hulls[i]->corners,
                            sizeof(wbVec3) * (size_t)parts.hulls[i]->cornerCount);
    }
    wbDecomposition_Free(NULL, &again);
    wbDecomposition_Free(NULL, &parts);
    wbFreeMesh(mesh);
}

static void testConvexIsOnePart(void **state) {
    (void)state;
    wbMesh mesh;
    expectParts("box", wbMakeBox(wbMakeVec3(1, 0.5f, 0.3f), &mesh), &mesh, 16, 1e-5, 1);
    expectParts("cylinder", wbMakeCylinder(0.5f, 1, 24, &mesh), &mesh, 1, 1e-4, 1);
}

static void testAngle(void **state) {
    (void)state;
    const float corners[6][2] = {{0, 0}, {1, 0}, {1, 0.3125f}, {0.3125f, 0.3125f}, {0.3125f, 1}, {0, 1}};
    wbMesh mesh;
    expectParts("angle", wbMakePrism(corners, 6, 0.5f, &mesh), &mesh, 2, 0.05, 2);
}

static void testRoundHoles(void **state) {
    (void)state;
    wbMesh mesh;
    expectParts("torus", wbMakeTorus(0.5f, 0.2f, 32, &mesh), &mesh, 16, 0.1, 8);
    const wbCupParams cup = {
        .innerRadius = 0.4f, .innerHeight = 0.8f, .wall = 0.1f, .floor = 0.1f, .segments = 24};
    expectParts("cup", wbMakeCup(&cup, &mesh), &mesh, 24, 0.3, 8);
}

// A ball with ears and a tail: its radius is a sum of waves.
static void testBlob(void **state) {
    (void)state;
    wbMesh mesh;
    assertOk(wbMakeSphere(1, 48, &mesh));
    for (int v = 0; v < mesh.vertexCount; v++) {
        float *p = mesh.vertices + 3 * v;
        const float r =
            0.6f + 0.25f * expf(-8 * ((p[0] - 0.5f) * (p[0] - 0.5f) + (p[1] - 0.8f) * (p[1] - 0.8f))) +
            0.15f * sinf(3 * p[0] + 1) * cosf(4 * p[2]) + 0.3f * expf(-10 * (1 + p[0]) * (1 + p[0]));
        for (int k = 0; k < 3; k++) p[k] *= r;
    }
    expectParts("blob", (wbStatus){.code = wb_ok}, &mesh, 16, 0.12, 4);
}

static void testRefuses(void **state) {
    (void)state;
    wbMesh mesh;
    wbDecomposition parts;
    assertOk(wbMakeBox(wbMakeVec3(1, 1, 1), &mesh));
    wbDecomposeParams params = {0, 32, 64, 0};
    expectInputError(wbDecomposeMesh(NULL, &mesh, &params, &parts), "in 0 parts");
    params = (wbDecomposeParams){4, 1000, 64, 0};
    expectInputError(wbDecomposeMesh(NULL, &mesh, &params, &parts), "1000 voxels");
    params.resolution = 32;
    mesh.triangleCount--;
    expectInputError(wbDecomposeMesh(NULL, &mesh, &params, &parts), "close the hole");
    mesh.triangleCount++;
    wbFreeMesh(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testConvexIsOnePart), cmocka_unit_test(testAngle),
        cmocka_unit_test(testRoundHoles),      cmocka_unit_test(testBlob),
        cmocka_unit_test(testRefuses),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
