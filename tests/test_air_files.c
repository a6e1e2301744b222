// SPDX-License-Identifier: MIT
// Files of the air are read back by other means. That OpenVDB reads the .vdb is tested by test_air_files.sh.
#include "file_support.h"

#include "io/mhd.h"
#include "io/vdb.h"
#include "io/vti.h"
#include "io/vtk.h"

#include "core/output_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/wirbel_air_XXXXXX";

static const char *inFolder(const char *name) {
    static char path[4][WB_MAX_PATH];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], WB_MAX_PATH, "%s/%s", folder, name);
    return path[turn];
}

static float readFloat(const char *bytes) {
    float value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t readU64(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/// 5 x 4 x 3 cells; rows are longer than that, and follow each other along z first, as the solver has them.
enum { NX = 5, NY = 4, NZ = 3, ROW = 9, PLANE = ROW * 6, TOTAL = PLANE * 7 };

static float fields[10][TOTAL];
static uint8_t solid[NX * NY * NZ];
static wbSmokeView view;

static ptrdiff_t getPlace(int i, int j, int k) { return i + j * PLANE + k * ROW; }

static void fillAir(bool coloured) {
    for (int f = 0; f < 10; ++f)
        for (int n = 0; n < TOTAL; ++n) fields[f][n] = (float)(1000 * (f + 1) + n);
    for (int n = 0; n < NX * NY * NZ; ++n) solid[n] = (uint8_t)(n % 7 == 0 ? n % 3 + 1 : 0);
    view = (wbSmokeView){.cells = {NX, NY, NZ},
                         .strideY = PLANE,
                         .strideZ = ROW,
                         .cellSize = 0.25f,
                         .min = {-1, 2, 0.5f},
                         .density = fields[0],
                         .temperature = fields[1],
                         .fuel = coloured ? fields[2] : NULL,
                         .pressure = fields[3],
                         .u = fields[4],
                         .v = fields[5],
                         .w = fields[6],
                         .solid = solid,
                         .solidStrideY = NX * NZ,
                         .solidStrideZ = NX};
    for (int c = 0; c < 3 && coloured; ++c) view.colour[c] = fields[7 + c];
}

// All cells of a field, x first, as floats of `components`.
static void checkNumbers(const char *bytes, const float *const from[3], int components, bool centred) {
    const ptrdiff_t steps[3] = {1, PLANE, ROW};
    for (int n = 0; n < NX * NY * NZ; ++n) {
        ptrdiff_t at = getPlace(n % NX, n / NX % NY, n / NX / NY);
        for (int c = 0; c < components; ++c) {
            float exact = from[c][at];
            if (centred) exact = 0.5f * (exact + from[c][at + steps[c]]);
            assert_true(readFloat(bytes + 4 * (components * n + c)) == exact);
        }
    }
}

static void checkSolid(const char *bytes) {
    for (int n = 0; n < NX * NY * NZ; ++n)
        assert_int_equal(bytes[n], solid[n % NX + n / NX % NY * NX * NZ + n / NX / NY * NX] != 0);
}

/// The bytes of an appended array, behind its size.
static const char *findArray(const char *text, const char *name, uint64_t bytes) {
    char tag[64];
    snprintf(tag, sizeof tag, "Name=\"%s\"", name);
    const char *found = strstr(text, tag);
    if (found == NULL) return NULL;
    size_t offset = strtoul(strstr(found, "offset=\"") + 8, NULL, 10);
    const char *array = strstr(text, "<AppendedData encoding=\"raw\">\n_");
    array += strlen("<AppendedData encoding=\"raw\">\n_") + offset;
    assert_int_equal(readU64(array), bytes);
    return array + 8;
}

static void testVti(void **state) {
    (void)state;
    const uint64_t cells = NX * NY * NZ;
    for (int coloured = 0; coloured < 2; ++coloured) {
        fillAir(coloured);
        size_t size;
        assertOk(wbWriteVti(inFolder("a.vti"), &view, 2.5));
        char *text = readAll(inFolder("a.vti"), &size);
        assert_non_null(
            strstr(text, "WholeExtent=\"0 5 0 4 0 3\" Origin=\"-1 2 0.5\" Spacing=\"0.25 0.25 0.25\""));
        assert_non_null(strstr(text, ">2.5</DataArray>"));
        checkNumbers(findArray(text, "density", 4 * cells), (const float *[3]){fields[0]}, 1, false);
        checkNumbers(findArray(text, "temperature", 4 * cells), (const float *[3]){fields[1]}, 1, false);
        checkNumbers(findArray(text, "pressure", 4 * cells), (const float *[3]){fields[3]}, 1, false);
        checkNumbers(findArray(text, "velocity", 12 * cells),
                     (const float *[3]){fields[4], fields[5], fields[6]}, 3, true);
        checkSolid(findArray(text, "solid", cells));
        const char *fuel = findArray(text, "fuel", 4 * cells),
                   *colour = findArray(text, "colour", 12 * cells);
        assert_true((fuel != NULL) == coloured && (colour != NULL) == coloured);
        if (coloured) checkNumbers(colour, (const float *[3]){fields[7], fields[8], fields[9]}, 3, false);
        assert_string_equal(text + size - strlen("</VTKFile>\n"), "</VTKFile>\n");
        test_free(text);
    }
}

static void testSeries(void **state) {
    (void)state;
    fillAir(false);
    wbVtkSeries *series;
    size_t size;
    assertOk(wbVtkSeries_OpenAir(inFolder("series"), &series));
    assertOk(wbVtkSeries_AddAir(series, 7, 0.5, &view));
    assertOk(wbVtkSeries_Close(series));
    char *text = readAll(inFolder("series/air.pvd"), &size);
    assert_non_null(strstr(text, "timestep=\"0.5\" part=\"0\" file=\"air_000007.vti\""));
    test_free(text);
    test_free(readAll(inFolder("series/air_000007.vti"), &size));
}

static void testMhd(void **state) {
    (void)state;
    fillAir(true);
    size_t size;
    assertOk(wbWriteMhd(folder, 12, &view));
    char *text = readAll(inFolder("velocity_000012.mhd"), &size);
    assert_non_null(strstr(text, "DimSize = 5 4 3\n"));
    assert_non_null(strstr(text, "Offset = -0.875 2.125 0.625\n")); // of the first cell's centre
    assert_non_null(strstr(text, "ElementSpacing = 0.25 0.25 0.25\n"));
    assert_non_null(strstr(text, "ElementNumberOfChannels = 3\nElementType = MET_FLOAT\n"));
    // the format wants it last
    const char *last = "ElementDataFile = velocity_000012.raw\n";
    assert_string_equal(text + size - strlen(last), last);
    test_free(text);
    char *numbers = readAll(inFolder("velocity_000012.raw"), &size);
    assert_int_equal(size, 12 * NX * NY * NZ);
    checkNumbers(numbers, (const float *[3]){fields[4], fields[5], fields[6]}, 3, true);
    test_free(numbers);
    numbers = readAll(inFolder("solid_000012.raw"), &size);
    assert_int_equal(size, NX * NY * NZ);
    checkSolid(numbers);
    test_free(numbers);
}

// Offsets of grids lead to each other and to the end; nothing is written of what is empty.
static void testVdb(void **state) {
    (void)state;
    fillAir(false);
    size_t size, emptySize;
    assertOk(wbWriteVdb(inFolder("a.vdb"), &view, 1));
    char *bytes = readAll(inFolder("a.vdb"), &size);
    assert_int_equal(readU64(bytes), 0x56444220);
    const char *names[] = {"density", "temperature", "velocity"};
    uint64_t end = 0;
    for (int n = 0; n < 3; ++n) {
        char start[32];
        int length = snprintf(start, sizeof start, "%c%c%c%c%s", (int)strlen(names[n]), 0, 0, 0, names[n]);
        const char *found = NULL;
        // the name of a grid and then that of its tree
        for (size_t i = (size_t)end; i + 64 < size && found == NULL; ++i)
            if (memcmp(bytes + i, start, (size_t)length) == 0 &&
                memcmp(bytes + i + length + 4, "Tree_", 5) == 0)
                found = bytes + i;
        assert_non_null(found);
        if (n > 0) assert_int_equal(found - bytes, end);
        const char *offsets = found + length + 4 + 16 + 4;
        assert_int_equal(readU64(offsets), offsets + 24 - bytes);
        assert_true(readU64(offsets + 8) > readU64(offsets));
        end = readU64(offsets + 16);
    }
    assert_int_equal(end, size);
    test_free(bytes);
    memset(fields[0], 0, sizeof fields[0]);
    memset(fields[1], 0, sizeof fields[1]);
    assertOk(wbWriteVdb(inFolder("a.vdb"), &view, 1));
    test_free(readAll(inFolder("a.vdb"), &emptySize));
    // three grids lose two masks per node, and the values
    assert_true(size - emptySize > 3 * (2 * 4096 + 2 * 512 + 64));
}

// What cannot be written leaves nothing behind.
static void testFullDisk(void **state) {
    (void)state;
    fillAir(true);
    const char *path = inFolder("full.vdb");
    limitFiles(64);
    wbStatus status = wbWriteVdb(path, &view, 0);
    limitFiles(RLIM_INFINITY);
    assert_int_equal(status.code, wb_errorFile);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(countParts(path), 0);
    assert_int_equal(wbWriteVti(inFolder("no/such.vti"), &view, 0).code, wb_errorFile);
    assert_int_equal(wbWriteMhd(inFolder("no"), 0, &view).code, wb_errorFile);
}

static int makeFolder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int removeFolder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testVti), cmocka_unit_test(testSeries),   cmocka_unit_test(testMhd),
        cmocka_unit_test(testVdb), cmocka_unit_test(testFullDisk),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
