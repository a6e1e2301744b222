// SPDX-License-Identifier: MIT
// What the writers wrote is read back by other means; what cannot be written leaves nothing behind.
#include "file_support.h"

#include "io/output_folder.h"
#include "io/ply.h"
#include "io/png.h"
#include "io/poses_file.h"
#include "io/stats_file.h"
#include "io/video.h"
#include "io/vtk.h"

#include <math.h>
#include <png.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/wirbel_io_XXXXXX";

static const char *inFolder(const char *name) {
    static char path[4][WB_MAX_PATH];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], WB_MAX_PATH, "%s/%s", folder, name);
    return path[turn];
}

static bool exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

static void assertFails(wbStatus status, wbCode code, const char *text) {
    assert_int_equal(status.code, code);
    if (strstr(status.text, text) == NULL) fail_msg("\"%s\" does not say \"%s\"", status.text, text);
}

static void assertNothingAt(const char *path) {
    assert_false(exists(path));
    assert_int_equal(countParts(path), 0);
}

enum { FULL = 64 }; // bytes that a full disk still takes

enum { COUNT = 1000, STRIDE = 2 };

/// Every second element of the arrays belongs to the view, the others are poison.
typedef struct Particles {
    float data[8][COUNT * STRIDE];
    uint32_t id[COUNT * STRIDE];
    wbView view;
} Particles;

static float valueOf(int column, int i) { return (float)column * 1000 + 0.5f * (float)i; }

static void fillParticles(Particles *p) {
    for (int i = 0; i < COUNT * STRIDE; ++i) {
        bool real = i % STRIDE == 0;
        for (int c = 0; c < 8; ++c) p->data[c][i] = real ? valueOf(c, i / STRIDE) : -1e30f;
        p->id[i] = real ? (uint32_t)(7 * (i / STRIDE)) : 0xDEADu;
    }
    p->view = (wbView){COUNT,      STRIDE,     p->data[0], p->data[1], p->data[2], p->data[3], p->data[4],
                       p->data[5], p->data[6], p->data[7], p->id,      NULL,       NULL,       NULL};
}

static float readFloat(const char *bytes) {
    float value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t readU32(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t readU64(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void checkPng(int width, int height, int channels) {
    uint8_t pixels[64 * 64 * 4], back[64 * 64 * 4];
    size_t bytes = (size_t)(width * height * channels);
    for (size_t i = 0; i < bytes; ++i) pixels[i] = (uint8_t)(i * 37 + i / 7);
    const char *path = inFolder("picture.png");
    assertOk(wbWritePng(path, pixels, width, height, channels));
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format, channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB);
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(back, pixels, bytes);
    if (channels == 3) {
        wbArray rgb = {0};
        wbSize size;
        assertOk(wbReadPng(path, &rgb, &size));
        assert_true(size.width == width && size.height == height);
        assert_memory_equal(rgb.data, pixels, bytes);
        wbArray_Free(NULL, &rgb);
    }
    unlink(path);
    assertNothingAt(path);
}

static void testPng(void **state) {
    (void)state;
    checkPng(64, 48, 3);
    checkPng(31, 17, 4);
    checkPng(1, 1, 3);
}

static void testPngErrors(void **state) {
    (void)state;
    static const uint8_t pixels[64 * 64 * 3];
    assertFails(wbWritePng(inFolder("nowhere/a.png"), pixels, 64, 64, 3), wb_errorFile, "No such file");
    const char *path = inFolder("full.png");
    limitFiles(FULL);
    wbStatus status = wbWritePng(path, pixels, 64, 64, 3);
    limitFiles(RLIM_INFINITY);
    assertFails(status, wb_errorFile, "File too large");
    assertNothingAt(path);
    assertFails(wbWritePng(folder, pixels, 64, 64, 3), wb_errorFile, "Is a directory");
    assertFails(wbWritePng("", pixels, 64, 64, 3), wb_errorInput, "empty");
    // one that is cut, one that is none, and none
    wbArray rgb = {0};
    wbSize size;
    assertOk(wbWritePng(path, pixels, 64, 64, 3));
    assert_int_equal(truncate(path, 60), 0);
    assertFails(wbReadPng(path, &rgb, &size), wb_errorInput, "full.png: ");
    assert_int_equal(truncate(path, 4), 0);
    assertFails(wbReadPng(path, &rgb, &size), wb_errorInput, "full.png: ");
    unlink(path);
    assertFails(wbReadPng(path, &rgb, &size), wb_errorFile, "No such file");
    wbArray_Free(NULL, &rgb);
}

static void testPly(void **state) {
    (void)state;
    static Particles p;
    fillParticles(&p);
    const wbWrittenBody bodies[2] = {{.view = p.view}, {.view = p.view}};
    const char *path = inFolder("a.ply");
    assertOk(wbWritePly(path, bodies, 2));
    size_t size;
    char *text = readAll(path, &size);
    assert_non_null(strstr(text, "ply\nformat binary_little_endian 1.0\n"));
    assert_non_null(strstr(text, "element vertex 2000\n"));
    static const char *const names[] = {"float x",  "float y",  "float z",       "float vx",
                                        "float vy", "float vz", "float density", "float pressure",
                                        "uint id",  "uint body"};
    const char *at = text;
    for (int i = 0; i < 10; ++i) {
        char line[64];
        snprintf(line, sizeof line, "property %s\n", names[i]);
        at = strstr(at, line);
        assert_non_null(at);
    }
    at = strstr(text, "end_header\n") + strlen("end_header\n");
    assert_int_equal(size - (size_t)(at - text), 2 * COUNT * 40);
    for (int i = 0; i < 2 * COUNT; ++i, at += 40) {
        for (int c = 0; c < 8; ++c) assert_true(readFloat(at + 4 * c) == valueOf(c, i % COUNT));
        assert_int_equal(readU32(at + 32), 7 * (i % COUNT));
        assert_int_equal(readU32(at + 36), i / COUNT);
    }
    test_free(text);
}

/// Two particles and a triangle whose corners are counted from 5 on, as soft bodies have them.
static void makeMixed(wbWrittenBody bodies[2]) {
    static const float zeros[3], x[3] = {0, 1, 0}, y[3] = {0, 0, 1};
    static const uint32_t ids[3] = {3, 4, 9};
    static const int corners[3] = {5, 6, 7};
    const wbView view = {2, 1, x, y, zeros, x, y, zeros, x, NULL, ids, NULL, NULL, NULL};
    bodies[0] = (wbWrittenBody){.view = view};
    bodies[1] = (wbWrittenBody){.view = view, .triangles = corners, .triangleCount = 1, .firstPoint = 5};
    bodies[1].view.count = 3;
    bodies[1].view.density = NULL;
}

// Triangles follow the vertices; a column that a body lacks is 0, one that all lack is left out.
static void testPlyTriangles(void **state) {
    (void)state;
    wbWrittenBody bodies[2];
    makeMixed(bodies);
    const char *path = inFolder("triangle.ply");
    assertOk(wbWritePly(path, bodies, 2));
    size_t size;
    char *text = readAll(path, &size);
    assert_non_null(strstr(text, "element vertex 5\n"));
    assert_non_null(strstr(text, "element face 1\nproperty list uchar int vertex_indices\nend_header\n"));
    assert_non_null(strstr(text, "property float density\n"));
    assert_null(strstr(text, "pressure"));
    const char *at = strstr(text, "end_header\n") + strlen("end_header\n");
    assert_int_equal(size - (size_t)(at - text), 5 * 36 + 13);
    assert_true(readFloat(at + 36 + 24) == 1);     // density of the second particle
    assert_true(readFloat(at + 3 * 36 + 24) == 0); // of the triangle's second corner
    assert_int_equal(at[5 * 36], 3);
    for (int k = 0; k < 3; ++k) assert_int_equal(readU32(at + 5 * 36 + 1 + 4 * k), 2 + k);
    test_free(text);
    const wbMesh mesh = {3, 1, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, (uint32_t[3]){0, 1, 2}};
    const wbWrittenBody body = wbWriteMeshAs(&mesh);
    assertOk(wbWritePly(path, &body, 1));
    wbMesh back;
    assertOk(wbReadMesh(path, &back));
    assert_int_equal(back.triangleCount, 1);
    assert_memory_equal(back.vertices, mesh.vertices, sizeof(float[9]));
    wbFreeMesh(&back);
}

// Spray, foam and bubbles have an age and a kind, in both formats.
static void testDiffuse(void **state) {
    (void)state;
    static const float x[2] = {1, 2}, age[2] = {0.5f, 0.25f};
    static const uint32_t kind[2] = {wb_diffuseFoam, wb_diffuseBubble}, id[2] = {8, 9};
    const wbDiffuseView view = {2, x, x, x, x, x, x, age, age, kind, id, 0.01f};
    const wbWrittenBody body = wbWriteDiffuseAs(&view);
    const char *path = inFolder("diffuse.ply");
    assertOk(wbWritePly(path, &body, 1));
    size_t size;
    char *text = readAll(path, &size);
    assert_non_null(
        strstr(text, "property float age\nproperty uint id\nproperty uint kind\nproperty uint body\n"));
    const char *at = strstr(text, "end_header\n") + strlen("end_header\n");
    assert_int_equal(size - (size_t)(at - text), 2 * 40);
    assert_true(readFloat(at + 40 + 24) == 0.25f);
    assert_int_equal(readU32(at + 28), 8);
    assert_int_equal(readU32(at + 40 + 32), wb_diffuseBubble);
    test_free(text);
    path = inFolder("diffuse.vtp");
    assertOk(wbWriteVtp(path, &body, 1, 0));
    text = readAll(path, &size);
    assert_non_null(strstr(text, "Name=\"age\""));
    assert_non_null(strstr(text, "Name=\"kind\""));
    assert_null(strstr(text, "Name=\"density\""));
    test_free(text);
}

static void testPlyErrors(void **state) {
    (void)state;
    static Particles p;
    fillParticles(&p);
    const wbWrittenBody body = {.view = p.view};
    const char *path = inFolder("full.ply");
    limitFiles(FULL);
    wbStatus status = wbWritePly(path, &body, 1);
    limitFiles(RLIM_INFINITY);
    assertFails(status, wb_errorFile, "File too large");
    assertNothingAt(path);
    assertFails(wbWritePly("/dev/full", &body, 1), wb_errorFile, "/dev/full");
    assert_true(exists("/dev/full"));
    // a file that is there stays as it was if a new one cannot be written
    path = inFolder("old.ply");
    assertOk(wbWritePly(path, &body, 1));
    limitFiles(FULL);
    status = wbWritePly(path, &body, 1);
    limitFiles(RLIM_INFINITY);
    assertFails(status, wb_errorFile, "File too large");
    size_t size;
    test_free(readAll(path, &size));
    assert_true(size > COUNT * 40);
}

/// Start of an array's data in the appended part, after its size was checked; the first of that name after `text`.
static const char *findSized(const char *text, const char *name, const char *type, int components,
                             int count) {
    char tag[160];
    snprintf(tag, sizeof tag,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"",
             type, name, components);
    const char *at = strstr(text, tag);
    if (at == NULL) fail_msg("no %s", tag);
    uint64_t offset = strtoull(at + strlen(tag), NULL, 10);
    const char *data = strchr(strstr(text, "<AppendedData encoding=\"raw\">"), '_') + 1 + offset;
    assert_int_equal(readU64(data), (uint64_t)count * 4 * (uint64_t)components);
    return data + 8;
}

static const char *findArray(const char *text, const char *name, const char *type, int components) {
    return findSized(text, name, type, components, COUNT);
}

static void testVtp(void **state) {
    (void)state;
    static Particles p;
    fillParticles(&p);
    const wbWrittenBody body = {.view = p.view};
    const char *path = inFolder("a.vtp");
    assertOk(wbWriteVtp(path, &body, 1, 0.25));
    size_t size;
    char *text = readAll(path, &size);
    assert_non_null(strstr(text, "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                                 "header_type=\"UInt64\">"));
    assert_non_null(strstr(text, "NumberOfPoints=\"1000\" NumberOfVerts=\"1000\""));
    assert_non_null(strstr(text, "format=\"ascii\">0.25</DataArray>"));
    assert_string_equal(text + size - strlen("\n  </AppendedData>\n</VTKFile>\n"),
                        "\n  </AppendedData>\n</VTKFile>\n");
    const char *points = findArray(text, "Points", "Float32", 3);
    const char *velocity = findArray(text, "velocity", "Float32", 3);
    const char *density = findArray(text, "density", "Float32", 1);
    const char *pressure = findArray(text, "pressure", "Float32", 1);
    const char *id = findArray(text, "id", "UInt32", 1);
    const char *number = findArray(text, "body", "UInt32", 1);
    const char *connectivity = findArray(text, "connectivity", "Int32", 1);
    const char *offsets = findArray(text, "offsets", "Int32", 1);
    for (int i = 0; i < COUNT; ++i) {
        for (int c = 0; c < 3; ++c) {
            assert_true(readFloat(points + 12 * i + 4 * c) == valueOf(c, i));
            assert_true(readFloat(velocity + 12 * i + 4 * c) == valueOf(3 + c, i));
        }
        assert_true(readFloat(density + 4 * i) == valueOf(6, i));
        assert_true(readFloat(pressure + 4 * i) == valueOf(7, i));
        assert_int_equal(readU32(id + 4 * i), 7 * i);
        assert_int_equal(readU32(number + 4 * i), 0);
        assert_int_equal(readU32(connectivity + 4 * i), i);
        assert_int_equal(readU32(offsets + 4 * i), i + 1);
    }
    test_free(text);
}

static void testVtpTriangles(void **state) {
    (void)state;
    wbWrittenBody bodies[2];
    makeMixed(bodies);
    const char *path = inFolder("triangle.vtp");
    assertOk(wbWriteVtp(path, bodies, 2, 0));
    size_t size;
    char *text = readAll(path, &size);
    assert_non_null(strstr(text, "NumberOfPoints=\"5\" NumberOfVerts=\"2\" NumberOfLines=\"0\" "
                                 "NumberOfStrips=\"0\" NumberOfPolys=\"1\""));
    assert_null(strstr(text, "pressure"));
    const char *velocity = findSized(text, "velocity", "Float32", 3, 5);
    const char *number = findSized(text, "body", "UInt32", 1, 5);
    const char *vertices = findSized(strstr(text, "<Verts>"), "connectivity", "Int32", 1, 2);
    const char *ends = findSized(strstr(text, "<Polys>"), "offsets", "Int32", 1, 1);
    const char *corners = findSized(strstr(text, "<Polys>"), "connectivity", "Int32", 1, 3);
    assert_true(readFloat(velocity + 12 * 3) == 1);
    for (int i = 0; i < 5; ++i) assert_int_equal(readU32(number + 4 * i), i > 1);
    for (int i = 0; i < 2; ++i) assert_int_equal(readU32(vertices + 4 * i), i);
    for (int i = 0; i < 3; ++i) assert_int_equal(readU32(corners + 4 * i), 2 + i);
    assert_int_equal(readU32(ends), 3);
    test_free(text);
}

static void testVtkSeries(void **state) {
    (void)state;
    static Particles p;
    fillParticles(&p);
    p.view.count = 3;
    const wbWrittenBody body = {.view = p.view};
    wbVtkSeries *series;
    const char *path = inFolder("deep/down");
    assertOk(wbVtkSeries_Open(path, "particles", &series));
    for (int i = 0; i < 40; ++i) assertOk(wbVtkSeries_AddFrame(series, 2 * i, 0.125 * i, &body, 1));
    // after 32 frames there is already a collection
    size_t size;
    test_free(readAll(inFolder("deep/down/particles.pvd"), &size));
    assertOk(wbVtkSeries_Close(series));
    char *text = readAll(inFolder("deep/down/particles.pvd"), &size);
    assert_non_null(strstr(text, "<VTKFile type=\"Collection\""));
    assert_non_null(strstr(text, "<DataSet timestep=\"0.125\" part=\"0\" file=\"particles_000002.vtp\"/>"));
    assert_non_null(strstr(text, "<DataSet timestep=\"4.875\" part=\"0\" file=\"particles_000078.vtp\"/>"));
    assert_true(exists(inFolder("deep/down/particles_000078.vtp")));
    assert_int_equal(countParts(inFolder("deep/down/particles.pvd")), 0);
    test_free(text);
}

static wbProfile makeProfile(int phaseCount) {
    wbProfile profile = {.stepMs = 3.5, .phaseCount = phaseCount};
    static const char *const names[] = {"sort", "density"};
    for (int i = 0; i < phaseCount; ++i) profile.phases[i].name = names[i], profile.phases[i].ms = 1 + i;
    return profile;
}

static void testStats(void **state) {
    (void)state;
    const wbStats stats = {.time = 0.5,
                           .particles = 12,
                           .mass = 8,
                           .momentum = {1, -2, 3},
                           .kinetic = 4,
                           .potential = 5,
                           .densityErrorMean = 0.001,
                           .densityErrorMax = 0.02,
                           .divergence = NAN,
                           .spawned = 6,
                           .removed = 7,
                           .leaked = 1,
                           .merges = 9,
                           .splits = 2,
                           .smallestRadius = 0.05,
                           .largestRadius = 0.2,
                           .momentumLost = 0.5,
                           .transit = {11, 12, 13},
                           .waterRigid = {14, 15, 16},
                           .waterMechanism = {60, 61, 62},
                           .waterSoft = {33, 34, 35},
                           .softRigid = {17, 18, 19},
                           .airSoft = {20, 21, 22},
                           .airRigid = {23, 24, 25},
                           .airWater = {30, 31, 32},
                           .heatAir = 41,
                           .heatSteam = 42,
                           .heatWater = 43,
                           .heatLost = 44,
                           .steam = 45,
                           .clouds = 46,
                           .boiling = 47,
                           .evaporated = 48,
                           .fuelDrowned = 49,
                           .heatSources = 50,
                           .heatSides = 51,
                           .heatFluids = 52,
                           .spray = 26,
                           .foam = 27,
                           .bubbles = 28,
                           .diffuseRefused = 29,
                           .overlap = 63};
    wbStatsFile *file;
    const char *path = inFolder("stats.csv");
    assertOk(wbStatsFile_Open(path, &file));
    wbProfile whole = makeProfile(2), half = makeProfile(1);
    whole.pairs = half.pairs = 77;
    assertOk(wbStatsFile_AddRow(file, 0, &stats, &whole, NULL, 0));
    size_t size;
    char part[WB_MAX_PATH];
    snprintf(part, sizeof part, "%.900s.%d.part", path, (int)getpid());
    test_free(readAll(part, &size)); // a crash would leave the row
    assert_true(size > 150);
    assertOk(wbStatsFile_AddRow(file, 1, &stats, &half, NULL, 0));
    assertOk(wbStatsFile_Close(file));
    char *text = readAll(path, &size);
    assert_string_equal(
        text, "frame,time,particles,mass,momentum_x,momentum_y,momentum_z,kinetic,potential,"
              "density_error_mean,density_error_max,divergence,spawned,removed,leaked,ms,"
              "ms_sort,ms_density,pairs,merges,splits,smallest_radius,largest_radius,momentum_lost,transit_x,"
              "transit_y,transit_z,"
              "water_rigid_x,water_rigid_y,water_rigid_z,water_mechanism_x,water_mechanism_y,water_mechanism_"
              "z,water_soft_x,water_soft_y,water_soft_z,soft_rigid_x,soft_rigid_y,soft_rigid_z,air_soft_x,"
              "air_soft_y,air_soft_z,"
              "air_rigid_x,air_rigid_y,air_rigid_z,air_water_x,air_water_y,air_water_z,"
              "heat_air,heat_steam,heat_water,heat_lost,steam,clouds,boiling,evaporated,fuel_drowned,"
              "heat_sources,heat_sides,heat_fluids,spray,foam,bubbles,diffuse_refused,overlap\n"
              "0,0.5,12,8,1,-2,3,4,5,0.001,0.02,,6,7,1,3.5000,1.0000,2.0000,77,9,2,0.05,0.2,0.5,11,12,13,14,"
              "15,16,60,61,62,33,34,35,17,18,19,20,21,22,23,24,25,30,31,32,41,42,43,44,45,46,47,48,49,50,51,"
              "52,26,27,28,29,63\n"
              "1,0.5,12,8,1,-2,3,4,5,0.001,0.02,,6,7,1,3.5000,1.0000,,77,9,2,0.05,0.2,0.5,11,12,13,14,15,16,"
              "60,61,62,33,34,35,17,18,19,20,21,22,23,24,25,30,31,32,41,42,43,44,45,46,47,48,49,50,51,52,26,"
              "27,28,29,63\n");
    test_free(text);
}

// Columns of probes stand at the end; what cannot be measured is empty.
static void testStatsOfProbes(void **state) {
    (void)state;
    const wbStatsProbe probes[2] = {
        {"gauge", {.count = 1, .values = {{"pressure", "Pa", 1234.5}}}},
        {"eye",
         {.count = 3,
          .values = {{"velocity_x", "m/s", NAN}, {"velocity_y", "m/s", -2}, {"velocity_z", "m/s", 0}}}}};
    const wbStats stats = {.divergence = NAN};
    wbStatsFile *file;
    const char *path = inFolder("probes.csv");
    wbProfile profile = makeProfile(1);
    assertOk(wbStatsFile_Open(path, &file));
    assertOk(wbStatsFile_AddRow(file, 0, &stats, &profile, probes, 2));
    assertOk(wbStatsFile_Close(file));
    size_t size;
    char *text = readAll(path, &size);
    assert_non_null(strstr(
        text, ",ms,ms_sort,pairs,merges,splits,smallest_radius,largest_radius,momentum_lost,transit_x,"
              "transit_y,transit_z,water_rigid_x,water_rigid_y,water_rigid_z,water_mechanism_x,water_"
              "mechanism_y,water_mechanism_z,water_soft_x,water_soft_y,water_soft_z,soft_rigid_x,soft_rigid_"
              "y,soft_rigid_z,air_soft_x,"
              "air_soft_y,air_soft_z,air_rigid_x,air_rigid_y,air_rigid_z,air_water_x,air_water_y,air_"
              "water_z,heat_air,heat_steam,heat_water,heat_lost,steam,clouds,boiling,evaporated,"
              "fuel_drowned,heat_sources,heat_sides,heat_fluids,spray,foam,bubbles,diffuse_"
              "refused,overlap,gauge_pressure,eye_velocity_"
              "x,eye_velocity_y,eye_velocity_z\n"));
    assert_non_null(strstr(text, ",1.0000,,,,,,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
                                 "0,0,0,0,0,0,0,0,0,0,0,1234.5,,-2,0\n"));
    test_free(text);
}

static void testStatsErrors(void **state) {
    (void)state;
    wbStatsFile *file;
    assertFails(wbStatsFile_Open(inFolder("nowhere/stats.csv"), &file), wb_errorFile, "No such file");
    assert_null(file);
    const char *path = inFolder("full.csv");
    const wbStats stats = {0};
    wbProfile profile = makeProfile(1);
    assertOk(wbStatsFile_Open(path, &file));
    limitFiles(FULL);
    wbStatus status = wbStatsFile_AddRow(file, 0, &stats, &profile, NULL, 0);
    limitFiles(RLIM_INFINITY);
    assertFails(status, wb_errorFile, "File too large");
    assertNothingAt(path);
    assertFails(wbStatsFile_Close(file), wb_errorFile, "earlier error");
    assertOk(wbStatsFile_Open(inFolder("dropped.csv"), &file));
    assertOk(wbStatsFile_AddRow(file, 0, &stats, &profile, NULL, 0));
    wbStatsFile_Abort(file);
    assertNothingAt(inFolder("dropped.csv"));
}

// A row per collider; nothing stays of a file that cannot be written.
static void testPoses(void **state) {
    (void)state;
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *world;
    def.threadCount = 1;
    assertOk(wbCreateWorld(&def, &world));
    wbColliderDef box = wbDefaultColliderDef();
    wbColliderId id;
    box.name = "box";
    box.params.position = wbMakeVec3(1, 2, 3);
    box.params.rotation = wbMakeVec3(0, 0, 90);
    assertOk(wbCreateCollider(world, &box, &id));
    wbPosesFile *file;
    const char *path = inFolder("poses.csv");
    assertOk(wbPosesFile_Open(path, &file));
    assertOk(wbPosesFile_AddFrame(file, 7, world));
    assertOk(wbPosesFile_Close(file));
    size_t size;
    char *text = readAll(path, &size), *row = strchr(text, '\n') + 1;
    double q[4];
    assert_int_equal(row - text, strlen("frame,time,name,x,y,z,qx,qy,qz,qw\n"));
    assert_int_equal(sscanf(row, "7,0,box,1,2,3,%lf,%lf,%lf,%lf\n", &q[0], &q[1], &q[2], &q[3]), 4);
    for (int a = 0; a < 4; ++a) assert_true(fabs(q[a] - (a < 2 ? 0 : sqrt(0.5))) < 1e-6);
    test_free(text);
    assertOk(wbPosesFile_Open(inFolder("full.csv"), &file));
    limitFiles(FULL);
    wbStatus status = wbPosesFile_AddFrame(file, 0, world);
    limitFiles(RLIM_INFINITY);
    assertFails(status, wb_errorFile, "File too large");
    assertFails(wbPosesFile_Close(file), wb_errorFile, "earlier error");
    assertNothingAt(inFolder("full.csv"));
    assertOk(wbPosesFile_Open(inFolder("dropped.csv"), &file));
    wbPosesFile_Abort(file);
    assertNothingAt(inFolder("dropped.csv"));
    assertFails(wbPosesFile_Open(inFolder("nowhere/poses.csv"), &file), wb_errorFile, "No such file");
    wbDestroyWorld(world);
}

static void testDirectories(void **state) {
    (void)state;
    assertOk(wbMakeDirectory(inFolder("a/b/c")));
    assertOk(wbMakeDirectory(inFolder("a/b/c")));
    assertOk(wbMakeDirectory(inFolder("a/b/d/")));
    struct stat info;
    assert_int_equal(stat(inFolder("a/b/d"), &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    const char *path = inFolder("a/file");
    FILE *file = fopen(path, "w");
    fclose(file);
    assertFails(wbMakeDirectory(path), wb_errorFile, "Not a directory");
    assertFails(wbMakeDirectory(inFolder("a/file/b")), wb_errorFile, "Not a directory");
    assertFails(wbMakeDirectory(""), wb_errorInput, "empty");
    char name[WB_MAX_PATH];
    assertOk(wbMakeFramePath(name, "out", "frame", 42, "png"));
    assert_string_equal(name, "out/frame_000042.png");
}

static void fillFrame(uint8_t *rgb, int width, int height, int frame) {
    for (int i = 0; i < width * height; ++i) {
        rgb[3 * i] = (uint8_t)(25 * frame);
        rgb[3 * i + 1] = (uint8_t)(i % width * 255 / width);
        rgb[3 * i + 2] = 40;
    }
}

/// What ffprobe says of the only stream: "width,height,frames".
static void probe(const char *path, char *text, size_t size) {
    char command[WB_MAX_PATH + 200];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
             "stream=width,height,nb_read_frames -of csv=p=0 %s",
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, (int)size, pipe));
    assert_int_equal(pclose(pipe), 0);
    text[strcspn(text, "\n")] = '\0';
}

static void checkVideo(int width, int height, const char *expected) {
    uint8_t *rgb = test_malloc((size_t)(width * height * 3));
    wbVideo *video;
    const char *path = inFolder("a.mp4");
    assertOk(wbVideo_Open(path, width, height, 30, &video));
    for (int i = 0; i < 10; ++i) {
        fillFrame(rgb, width, height, i);
        assertOk(wbVideo_AddFrame(video, rgb));
    }
    assert_false(exists(path));
    assertOk(wbVideo_Close(video));
    char text[80];
    probe(path, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(countParts(path), 0);
    unlink(path);
    test_free(rgb);
}

static void testVideo(void **state) {
    (void)state;
    checkVideo(160, 90, "160,90,10");
    checkVideo(161, 91, "162,92,10");
}

static void testVideoErrors(void **state) {
    (void)state;
    wbVideo *video;
    assertFails(wbVideo_Open(inFolder("nowhere/a.mp4"), 64, 64, 30, &video), wb_errorFile, "No such file");
    assertFails(wbVideo_Open(inFolder("a.mp4"), 0, 64, 30, &video), wb_errorInput, "0 x 64");
    static uint8_t rgb[64 * 64 * 3];
    assertOk(wbVideo_Open(inFolder("dropped.mp4"), 64, 64, 30, &video));
    assertOk(wbVideo_AddFrame(video, rgb));
    wbVideo_Abort(video);
    assertNothingAt(inFolder("dropped.mp4"));
    wbVideo_Abort(NULL);
}

// The encoder dies early: no signal, but a status with its reason.
static void testVideoFullDisk(void **state) {
    (void)state;
    static uint8_t rgb[256 * 256 * 3];
    wbVideo *video;
    assertOk(wbVideo_Open("/dev/full", 256, 256, 30, &video));
    wbStatus status = {0};
    for (int i = 0; i < 300 && status.code == wb_ok; ++i) {
        for (size_t k = 0; k < sizeof rgb; ++k) rgb[k] = (uint8_t)rand();
        status = wbVideo_AddFrame(video, rgb);
    }
    wbStatus closed = wbVideo_Close(video);
    assertFails(closed, wb_errorFile, "/dev/full: ffmpeg: ");
    assert_true(exists("/dev/full"));
}

static void testVideoWithoutEncoder(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    wbVideo *video;
    wbStatus status = wbVideo_Open(inFolder("b.mp4"), 64, 64, 30, &video);
    setenv("PATH", path, 1);
    free(path);
    assertFails(status, wb_errorFile, "ffmpeg not found: install the package ffmpeg");
    assert_null(video);
    assertNothingAt(inFolder("b.mp4"));
}

static void ignoreInterrupt(int number) { (void)number; }

// As the terminal does it: the signal goes to the whole process group, and the video is completed all the
// same.
static void testVideoInterrupted(void **state) {
    (void)state;
    const char *path = inFolder("interrupted.mp4");
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        signal(SIGINT, ignoreInterrupt);
        static uint8_t rgb[64 * 64 * 3];
        wbVideo *video;
        bool good = wbIsOk(wbVideo_Open(path, 64, 64, 30, &video));
        for (int i = 0; good && i < 6; ++i) {
            if (i == 3) kill(0, SIGINT);
            usleep(30000);
            good = wbIsOk(wbVideo_AddFrame(video, rgb));
        }
        _exit(good && wbIsOk(wbVideo_Close(video)) ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    char text[80];
    probe(path, text, sizeof text);
    assert_string_equal(text, "64,64,6");
}

static int makeFolder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int removeFolder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testPng),
        cmocka_unit_test(testPngErrors),
        cmocka_unit_test(testPly),
        cmocka_unit_test(testPlyTriangles),
        cmocka_unit_test(testDiffuse),
        cmocka_unit_test(testPlyErrors),
        cmocka_unit_test(testVtp),
        cmocka_unit_test(testVtpTriangles),
        cmocka_unit_test(testVtkSeries),
        cmocka_unit_test(testPoses),
        cmocka_unit_test(testStats),
        cmocka_unit_test(testStatsOfProbes),
        cmocka_unit_test(testStatsErrors),
        cmocka_unit_test(testDirectories),
        cmocka_unit_test(testVideo),
        cmocka_unit_test(testVideoErrors),
        cmocka_unit_test(testVideoFullDisk),
        cmocka_unit_test(testVideoWithoutEncoder),
        cmocka_unit_test(testVideoInterrupted),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
