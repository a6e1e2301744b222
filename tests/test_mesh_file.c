// SPDX-License-Identifier: MIT
// Meshes are read from OBJ, STL and PLY files, and whatever is wrong with a file is said.
#include "shape_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/mesh_file.h"

static char folder[] = "/tmp/wirbel_mesh_XXXXXX";

static const char *inFolder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char cubeObj[] = "o cube\nmtllib missing.mtl\n"
                              "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                              "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static const char cubePly[] = "ply\nformat ascii 1.0\nelement vertex 8\n"
                              "property float x\nproperty float y\nproperty float z\n"
                              "element face 6\nproperty list uchar int vertex_indices\nend_header\n"
                              "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
                              "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";

// A made mesh as binary STL: 80 bytes, a count, then twelve floats and two bytes per triangle.
static size_t makeStl(const wbMesh *mesh, char *bytes) {
    memset(bytes, 0, 80);
    memcpy(bytes + 80, &mesh->triangleCount, 4);
    char *to = bytes + 84;
    for (int t = 0; t < mesh->triangleCount; t++, to += 50) {
        memset(to, 0, 50);
        for (int k = 0; k < 3; k++)
            memcpy(to + 12 + 12 * k, mesh->vertices + 3 * mesh->indices[3 * t + k], 12);
    }
    return (size_t)(to - bytes);
}

static void expectMesh(wbStatus status, wbMesh *mesh, int vertices, int triangles, double volume) {
    assertOk(status);
    assertOk(wbMesh_Check(mesh));
    assert_int_equal(mesh->vertexCount, vertices);
    assert_int_equal(mesh->triangleCount, triangles);
    assert_true(fabs(wbMesh_GetVolume(mesh) - volume) < 1e-6);
    wbFreeMesh(mesh);
}

static void testReadsFormats(void **state) {
    (void)state;
    wbMesh mesh, sphere;
    static char stl[200000];
    expectMesh(wbReadMeshBytes("cube.obj", cubeObj, sizeof cubeObj - 1, &mesh), &mesh, 8, 12, 1);
    expectMesh(wbReadMeshBytes("cube.PLY", cubePly, sizeof cubePly - 1, &mesh), &mesh, 8, 12, 1);
    assertOk(wbMakeSphere(0.5f, 32, &sphere));
    size_t size = makeStl(&sphere, stl);
    assert_true(size < sizeof stl);
    expectMesh(wbReadMeshBytes("ball.stl", stl, size, &mesh), &mesh, sphere.vertexCount, sphere.triangleCount,
               wbMesh_GetVolume(&sphere));
    wbFreeMesh(&sphere);
}

static void testDropsDegenerateTriangles(void **state) {
    (void)state;
    wbMesh mesh;
    char text[1000];
    int length = snprintf(text, sizeof text, "%sv 1 0 0\nf 1 1 2\nf 2 9 1\n", cubeObj);
    expectMesh(wbReadMeshBytes("cube.obj", text, (size_t)length, &mesh), &mesh, 8, 12, 1);
}

static void testReadsFile(void **state) {
    (void)state;
    wbMesh mesh;
    const char *path = inFolder("cube.obj");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(cubeObj, file);
    fclose(file);
    expectMesh(wbReadMesh(path, &mesh), &mesh, 8, 12, 1);
    unlink(path);
}

static void expectError(wbStatus status, wbCode code, const char *text, const wbMesh *mesh) {
    if (status.code != code || !strstr(status.text, text))
        fail_msg("\"%s\" has no \"%s\"", status.text, text);
    assert_null(mesh->vertices);
    assert_null(mesh->indices);
}

static wbStatus readText(const char *path, const char *text, wbMesh *mesh) {
    return wbReadMeshBytes(path, text, strlen(text), mesh);
}

static void testRefusesFiles(void **state) {
    (void)state;
    wbMesh mesh;
    expectError(wbReadMesh(inFolder("no.obj"), &mesh), wb_errorFile, "no.obj: No such file", &mesh);
    assert_int_equal(mkdir(inFolder("folder.obj"), 0700), 0);
    assert_int_equal(wbReadMesh(inFolder("folder.obj"), &mesh).code, wb_errorFile);
    rmdir(inFolder("folder.obj"));
    expectError(readText("a.png", "x", &mesh), wb_errorInput,
                "a.png: its name must end in .obj, .stl or .ply", &mesh);
    expectError(readText("a", "x", &mesh), wb_errorInput, "must end in", &mesh);
    expectError(readText("a.obj", "", &mesh), wb_errorInput, "a.obj: the file is empty", &mesh);
    expectError(readText("a.stl", "nonsense", &mesh), wb_errorInput, "a.stl: this is no stl file", &mesh);
    assert_null(strstr(readText("a.stl", "nonsense", &mesh).text, "magic"));
    expectError(readText("a.ply", "nonsense", &mesh), wb_errorInput, "a.ply: this is no ply file", &mesh);
    assert_int_equal(readText("a.obj", "nonsense", &mesh).code, wb_errorInput);
    expectError(readText("a.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n", &mesh), wb_errorInput, "no triangles", &mesh);
    expectError(readText("a.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", &mesh), wb_errorInput,
                "write finite numbers", &mesh);
    expectError(readText("a.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1.8 0.2 0\nf 3 4 1 2\nf 1 2 3 4\n", &mesh),
                wb_errorInput, "corner that points inwards", &mesh);
    expectError(
        readText("a.ply",
                 "ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
                 "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n",
                 &mesh),
        wb_errorInput, "promises 2000000000 of \"vertex\"", &mesh);
    const char *large = inFolder("large.stl"); // a file with a hole: it takes no room on the disk
    FILE *file = fopen(large, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 32), 0);
    fclose(file);
    expectError(wbReadMesh(large, &mesh), wb_errorInput, "4294967296 bytes; at most 1073741824", &mesh);
    unlink(large);
}

// A device has no end, and a pipe without a writer no beginning.
static void testRefusesWhatIsNoFile(void **state) {
    (void)state;
    wbMesh mesh;
    const char *path = inFolder("pipe.ply");
    assert_int_equal(mkfifo(path, 0600), 0);
    expectError(wbReadMesh(path, &mesh), wb_errorFile, "pipe.ply: it is a device or a pipe, not a file",
                &mesh);
    unlink(path);
    assert_int_equal(symlink("/dev/zero", inFolder("zero.stl")), 0);
    expectError(wbReadMesh(inFolder("zero.stl"), &mesh), wb_errorFile, "it is a device or a pipe", &mesh);
    unlink(inFolder("zero.stl"));
}

// Numbers of a binary PLY file, the lowest byte first or last.
static size_t putNumber(unsigned char *to, const void *number, size_t bytes, bool isBig) {
    for (size_t i = 0; i < bytes; i++) to[i] = ((const unsigned char *)number)[isBig ? bytes - 1 - i : i];
    return bytes;
}

// A tetrahedron with all types of numbers, other properties, an element that is no surface, and a line.
static size_t makeBinaryPly(unsigned char *file, bool isBig) {
    static const double places[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint16_t faces[5][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 1, 9}};
    size_t at = (size_t)sprintf((char *)file,
                                "ply\r\nformat binary_%s_endian 1.0\r\ncomment element vertex 3\r\n"
                                "element grid 2\r\nproperty list uint32 double weights\r\n"
                                "element vertex 4\r\nproperty uchar red\r\nproperty float32 x\r\n"
                                "property double y\r\nproperty short z\r\nelement face 5\r\n"
                                "property int8 flags\r\nproperty list uint8 ushort vertex_index\r\n"
                                "property list int float uv\r\nend_header\r\n",
                                isBig ? "big" : "little");
    const uint32_t three = 3, none = 0;
    const int32_t two = 2;
    const double weight = 0.25;
    at += putNumber(file + at, &three, 4, isBig);
    for (int i = 0; i < 3; i++) at += putNumber(file + at, &weight, 8, isBig);
    at += putNumber(file + at, &none, 4, isBig);
    for (int v = 0; v < 4; v++) {
        float x = (float)places[v][0];
        int16_t z = (int16_t)places[v][2];
        file[at++] = 200;
        at += putNumber(file + at, &x, 4, isBig);
        at += putNumber(file + at, &places[v][1], 8, isBig);
        at += putNumber(file + at, &z, 2, isBig);
    }
    for (int f = 0; f < 5; f++) {
        float uv = 0.5f;
        file[at++] = 0xff;
        file[at++] = f < 4 ? 3 : 2;
        for (int k = 0; k < (f < 4 ? 3 : 2); k++) at += putNumber(file + at, &faces[f][k], 2, isBig);
        at += putNumber(file + at, &two, 4, isBig);
        for (int i = 0; i < 2; i++) at += putNumber(file + at, &uv, 4, isBig);
    }
    return at;
}

static void testReadsBinaryPly(void **state) {
    (void)state;
    wbMesh mesh;
    for (int isBig = 0; isBig < 2; isBig++) {
        unsigned char file[2000];
        size_t size = makeBinaryPly(file, isBig);
        assert_true(size < sizeof file);
        expectMesh(wbReadMeshBytes("a.ply", file, size, &mesh), &mesh, 4, 4, 1.0 / 6);
        // cut anywhere, it is refused
        for (size_t cut = 0; cut < size; cut++) {
            unsigned char *copy = malloc(cut ? cut : 1);
            memcpy(copy, file, cut);
            expectError(wbReadMeshBytes("a.ply", copy, cut, &mesh), wb_errorInput, "a.ply: ", &mesh);
            free(copy);
        }
    }
}

static void *allocateLittle(size_t bytes, size_t alignment, void *context) {
    (void)context;
    assert_true(bytes < 100000);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void releaseLittle(void *block, size_t bytes, void *context) {
    (void)bytes, (void)context;
    free(block);
}

// Whatever a file claims, memory is taken for what it holds.
static void testLiesTakeNoMemory(void **state) {
    (void)state;
    static const char head[] = "ply\nformat %s 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                               "property float z\nelement face 1\nproperty list %s int vertex_indices\n"
                               "end_header\n";
    wbMesh mesh;
    char text[600];
    wbSetAllocator(&(wbAllocator){allocateLittle, releaseLittle, NULL});
    int length = snprintf(text, sizeof text, head, "ascii", "int");
    strcpy(text + length, "0 0 0\n1 0 0\n0 1 0\n2000000000 0 1 2\n");
    expectError(readText("a.ply", text, &mesh), wb_errorInput, "face 0 promises a list of 2000000000", &mesh);
    strcpy(text + length, "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n");
    expectError(readText("a.ply", text, &mesh), wb_errorInput, "face 0 promises a list of -3", &mesh);
    strcpy(text + length, "0 0 0\n1 0 0\n0 1 0\n3 0 1 2.5\n");
    expectError(readText("a.ply", text, &mesh), wb_errorInput, "face 0 names vertex 2.5", &mesh);
    strcpy(text + length, "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n");
    expectError(readText("a.ply", text, &mesh), wb_errorInput, "a face names vertex 3; there are 3", &mesh);
    strcpy(text + length, "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n");
    expectError(readText("a.ply", text, &mesh), wb_errorInput, "write finite numbers", &mesh);
    length = snprintf(text, sizeof text, head, "binary_little_endian", "uint");
    const uint32_t many = 2000000000;
    memset(text + length, 0, 36);
    memcpy(text + length + 36, &many, 4);
    memset(text + length + 40, 0, 12);
    expectError(wbReadMeshBytes("a.ply", text, (size_t)length + 52, &mesh), wb_errorInput,
                "face 0 promises a list of 2000000000", &mesh);
    char stl[84 + 50] = "x";
    memcpy(stl + 80, &many, 4);
    expectError(wbReadMeshBytes("a.stl", stl, sizeof stl, &mesh), wb_errorInput, "a.stl: ", &mesh);
    wbSetAllocator(NULL);
}

// What the formats allow, and errors with their lines.
static void testReadsObjAndStl(void **state) {
    (void)state;
    wbMesh mesh;
    expectMesh(readText("a.obj",
                        "# v 9 9 9\r\nv 0 0 0 1\rv 1 0 0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\n\tv 0 1 0\n"
                        "f 1/1/1 3//1 2/1 # the floor\nf 1 2 4\nv 0 0 1\nf -4 -1 -2\nf 2 \\\r\n 3 \\\n4",
                        &mesh),
               &mesh, 4, 4, 1.0 / 6);
    expectMesh(
        readText("a.stl",
                 "solid vertex 1 2\nfacet normal 0 0 -1 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 "
                 "endloop endfacet\rfacet normal 0 -1 0 outer loop\n vertex 0 0 0\n vertex 1e0 0 0\n vertex "
                 "0 0 1\n endloop\n endfacet\n endsolid\nsolid\nfacet normal 0 0 0\nouter loop vertex 0 0 "
                 "0 vertex 0 0 1 vertex 0 1 0 endloop\nouter loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 "
                 "endloop",
                 &mesh),
        &mesh, 4, 4, 1.0 / 6);
    expectError(readText("a.obj", "v 0 0 0\n\nv 1 0\n", &mesh), wb_errorInput,
                "a.obj:3: a vertex has 2 numbers", &mesh);
    expectError(readText("a.obj", "v 0 0 0\r\nv 1 0 x\r\n", &mesh), wb_errorInput,
                "a.obj:2: \"x\" is no number", &mesh);
    expectError(readText("a.obj", "v 0 0 0\nf 1 \\\n0 1\n", &mesh), wb_errorInput,
                "a.obj:3: a face names vertex \"0\"; there are 1 before it", &mesh);
    expectError(readText("a.obj", "v 0 0 0\nf -2 1 1\n", &mesh), wb_errorInput, "names vertex \"-2\"", &mesh);
    expectError(readText("a.obj", "v 0 0 0\nf 1 2000000000 1\n", &mesh), wb_errorInput,
                "a face names vertex 1999999999; there are 1", &mesh);
    expectError(readText("a.obj", "v 0 0 0\nf 1 1e300 1\n", &mesh), wb_errorInput, "names vertex \"1e300\"",
                &mesh);
    expectError(readText("a.stl", "solid\nouter loop vertex 0 0 0 vertex 1 0 0\n", &mesh), wb_errorInput,
                "ends within a triangle", &mesh);
    expectError(readText("a.stl", "solid\nvertex 0 0", &mesh), wb_errorInput, "a.stl:2: \"\" is no number",
                &mesh);
    // binary files whose head begins as that of a text, or that have something behind their triangles
    char stl[84 + 50 + 7] = "solid of triangles";
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    stl[80] = 1;
    memcpy(stl + 96, corners, sizeof corners);
    assertOk(wbReadMeshBytes("a.stl", stl, 84 + 50, &mesh));
    assert_int_equal(mesh.triangleCount, 1);
    wbFreeMesh(&mesh);
    stl[0] = 'x';
    assertOk(wbReadMeshBytes("a.stl", stl, sizeof stl, &mesh));
    assert_int_equal(mesh.vertexCount, 3);
    wbFreeMesh(&mesh);
    expectError(wbReadMeshBytes("a.stl", stl, 84 + 49, &mesh), wb_errorInput,
                "a.stl: this is no stl file: 1 triangles take 134 bytes, it has 133", &mesh);
}

// A group, a material or a solid of its own for each triangle: one surface, in no more time and memory.
static void testManyPieces(void **state) {
    (void)state;
    enum { PIECES = 20000, ROOM = 200 * PIECES };
    static const char *const pieces[] = {"#\no a%d\nf 1 2 3\n", "\tg a%d\nusemtl b\nf 1\\\n 2 3\n"};
    wbMesh mesh;
    char *text = malloc(ROOM);
    for (int n = 0; n < 2; n++) {
        size_t length = (size_t)sprintf(text, "mtllib a\nv 0 0 0\rv 1 0 0\r\nv 0 1 0\n");
        for (int i = 0; i < PIECES; i++) length += (size_t)sprintf(text + length, pieces[n], i);
        assertOk(wbReadMeshBytes("a.obj", text, length, &mesh));
        assert_int_equal(mesh.vertexCount, 3);
        assert_int_equal(mesh.triangleCount, PIECES);
        wbFreeMesh(&mesh);
    }
    size_t length = 0;
    for (int i = 0; i < PIECES; i++)
        length += (size_t)sprintf(text + length,
                                  "solid %d\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n"
                                  " vertex 0 1 0\n endloop\n endfacet\n endsolid\n",
                                  i);
    assertOk(wbReadMeshBytes("a.stl", text, length, &mesh));
    assert_int_equal(mesh.triangleCount, PIECES);
    wbFreeMesh(&mesh);
    free(text);
}

// A cut file is read or refused, with a text.
static void testCutFiles(void **state) {
    (void)state;
    wbMesh mesh, sphere;
    static char stl[200000];
    assertOk(wbMakeSphere(0.5f, 8, &sphere));
    size_t stlSize = makeStl(&sphere, stl);
    wbFreeMesh(&sphere);
    const struct {
        const char *path, *bytes;
        size_t size;
    } files[] = {{"a.obj", cubeObj, sizeof cubeObj - 1},
                 {"a.ply", cubePly, sizeof cubePly - 1},
                 {"a.stl", stl, stlSize}};
    for (int f = 0; f < 3; f++)
        for (size_t size = 0; size < files[f].size; size += 7) {
            wbStatus status = wbReadMeshBytes(files[f].path, files[f].bytes, size, &mesh);
            assert_int_equal(wbIsOk(status), status.text[0] == 0);
            assert_int_equal(wbIsOk(status), mesh.triangleCount > 0);
            wbFreeMesh(&mesh);
        }
}

static int makeFolder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int removeFolder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testReadsFormats),   cmocka_unit_test(testDropsDegenerateTriangles),
        cmocka_unit_test(testReadsFile),      cmocka_unit_test(testRefusesFiles),
        cmocka_unit_test(testCutFiles),       cmocka_unit_test(testRefusesWhatIsNoFile),
        cmocka_unit_test(testReadsBinaryPly), cmocka_unit_test(testLiesTakeNoMemory),
        cmocka_unit_test(testManyPieces),     cmocka_unit_test(testReadsObjAndStl),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
