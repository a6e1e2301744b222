// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/block.h"
#include "bench/pipe.h"
#include "bench/plot.h"
#include "bench/samples.h"
#include "bench/validate.h"
#include "bench/validate_case.h"
#include "wirbel/scene.h"

static void testQuantiles(void **state) {
    (void)state;
    double values[] = {5, 1, 4, 2, 3};
    wbSortSamples(values, 5);
    for (int i = 0; i < 5; i++) assert_true(values[i] == i + 1);
    assert_true(wbQuantile(values, 5, 0.5) == 3);
    assert_true(wbQuantile(values, 5, 0) == 1);
    assert_true(wbQuantile(values, 5, 1) == 5);
    assert_true(fabs(wbQuantile(values, 4, 0.5) - 2.5) < 1e-12);
    assert_true(wbQuantile(values, 1, 0.95) == 1);
    assert_true(wbQuantile(values, 0, 0.5) == 0);
}

// What a command prints, as a string.
static char *readBack(FILE *file) {
    long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void testListsNameEveryCase(void **state) {
    (void)state;
    FILE *file = tmpfile();
    wbBenchOptions bench = wbDefaultBenchOptions(); // no names: the list
    assert_int_equal(wbRunBench(&bench, file).code, wb_ok);
    wbValidateOptions validate = wbDefaultValidateOptions();
    int failed = -1;
    validate.list = true;
    assert_int_equal(wbRunValidate(&validate, file, &failed).code, wb_ok);
    assert_int_equal(failed, 0);
    char *text = readBack(file);
    assert_non_null(strstr(text, "neighbours-262144 "));
    assert_non_null(strstr(text, "sph-block-32768-leapfrog-plain "));
    assert_non_null(strstr(text, "sph-pipe-32768-leapfrog-plain "));
    assert_non_null(strstr(text, "sph-table "));
    assert_non_null(strstr(text, "sph-dam-break "));
    free(text);
}

static void testUnknownNamesAreRefused(void **state) {
    (void)state;
    int failed;
    wbBenchOptions bench = wbDefaultBenchOptions();
    bench.names = (const char *const[]){"neighbors-32768"};
    bench.nameCount = 1;
    wbStatus status = wbRunBench(&bench, stderr);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "neighbours-32768"));
    wbValidateOptions validate = wbDefaultValidateOptions();
    validate.names = (const char *const[]){"sph-dambreak"};
    validate.nameCount = 1;
    status = wbRunValidate(&validate, stderr, &failed);
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "sph-dam-break"));
}

static int countText(const char *text, const char *word) {
    int count = 0;
    while ((text = strstr(text, word)) != NULL) {
        count++;
        text += strlen(word);
    }
    return count;
}

// A decade is as wide as every other, and each end has its power of ten.
static void testLogPlot(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-plot-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    const double x[] = {1000, 10000, 100000}, y[] = {1, 1, 1};
    wbSeries series = {"s", x, y, 3, false};
    assert_int_equal(wbWriteLogPlot(path, &(wbPlot){"title", "x", "y", &series, 1}).code, wb_ok);
    FILE *file = fopen(path, "r");
    fseek(file, 0, SEEK_END);
    char *text = readBack(file);
    remove(path);
    const char *points = strstr(text, "points='");
    double px[3], py;
    assert_non_null(points);
    assert_int_equal(sscanf(points, "points='%lf,%lf %lf,%lf %lf,", &px[0], &py, &px[1], &py, &px[2]), 5);
    assert_true(px[1] > px[0] && fabs(px[2] - 2 * px[1] + px[0]) < 0.2);
    assert_non_null(strstr(text, ">1000<"));
    assert_non_null(strstr(text, ">100000<"));
    free(text);
}

static void testPlotHoldsEveryPoint(void **state) {
    (void)state;
    char path[] = "/tmp/wirbel-plot-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    const double x[] = {0, 1, 2, 3}, y[] = {-1, 2, NAN, 5};
    wbSeries series[] = {{"ours", x, y, 4, false}, {"theirs", x, y, 4, true}};
    assert_int_equal(wbWritePlot(path, &(wbPlot){"title", "x", "y", series, 2}).code, wb_ok);
    FILE *file = fopen(path, "r");
    fseek(file, 0, SEEK_END);
    char *text = readBack(file);
    remove(path);
    assert_int_equal(countText(text, "<circle"), 3 + 1); // NaN is left out; one in the legend
    assert_int_equal(countText(text, "<polyline"), 1);
    assert_int_equal(countText(text, "nan"), 0);
    assert_non_null(strstr(text, "theirs</text>"));
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    assert_int_equal(wbWritePlot("/no/such/folder/x.svg", &(wbPlot){"", "", "", series, 2}).code,
                     wb_errorFile);
}

static double readNumber(const char *text, const char *key) {
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

// A scene that chooses its own steps goes on for as long as is asked, and what it left is told.
static void testLiveScenesTellTheirErrors(void **state) {
    (void)state;
    wbBenchOptions bench = wbDefaultBenchOptions();
    bench.names = (const char *const[]){"dam-33k-pbf"};
    bench.nameCount = 1;
    bench.quick = bench.json = true;
    bench.sceneDirectory = WB_SOURCE_DIR "/scenes";
    FILE *file = tmpfile();
    assert_int_equal(wbRunBench(&bench, file).code, wb_ok);
    char *text = readBack(file);
    assert_true(readNumber(text, "\"steps\": ") == 9); // of 1/60 s, in 0.15 s
    assert_true(readNumber(text, "\"realtime\": ") > 0);
    double mean = readNumber(text, "\"density_error_mean\": "),
           max = readNumber(text, "\"density_error_max\": ");
    assert_true(mean > 0 && mean < max && max <= readNumber(text, "\"density_error_worst\": "));
    double energy = readNumber(text, "\"energy_max\": ");
    assert_true(energy > 0.9 && energy < 1.001);
    free(text);
}

// The block that code makes is the one of the scene file: as many particles, and the same bits after a step.
static void testBlockIsThatOfTheScene(void **state) {
    (void)state;
    wbWorld *made, *read;
    wbFluidId fluid;
    wbScene *scene;
    wbWorldDef def = wbMakeBlockWorld(16);
    wbFluidDef water = wbDefaultFluidDef();
    assert_int_equal(wbCreateWorld(&def, &made).code, wb_ok);
    assert_int_equal(wbCreateFluid(made, &water, &fluid).code, wb_ok);
    assert_int_equal(wbAddBlockOf(made, fluid, 16).code, wb_ok);
    assert_int_equal(wbReadScene(WB_SOURCE_DIR "/scenes/bench/sph-block-4096-leapfrog.json", &scene).code,
                     wb_ok);
    assert_int_equal(wbScene_CreateWorld(scene, &read).code, wb_ok);
    assert_int_equal(wbWorld_GetStats(made).particles, 4096);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wbWorld_Step(made, 0).code, wb_ok);
        assert_int_equal(wbWorld_Step(read, 0).code, wb_ok);
    }
    assert_true(wbWorld_Hash(made) == wbWorld_Hash(read));
    wbDestroyWorld(made);
    wbDestroyWorld(read);
    wbDestroyScene(scene);
}

// The pipe that the benchmark makes is that of the scene: the first layers come out alike.
static void testPipeIsThatOfTheScene(void **state) {
    (void)state;
    wbWorld *made, *read;
    wbFluidId fluid;
    wbScene *scene;
    wbWorldDef def = wbMakePipeWorld();
    wbFluidDef water = wbDefaultFluidDef();
    assert_int_equal(wbCreateWorld(&def, &made).code, wb_ok);
    assert_int_equal(wbCreateFluid(made, &water, &fluid).code, wb_ok);
    assert_int_equal(wbAddPipe(made, fluid).code, wb_ok);
    assert_int_equal(wbReadScene(WB_SOURCE_DIR "/scenes/pipe-box.json", &scene).code, wb_ok);
    assert_int_equal(wbScene_CreateWorld(scene, &read).code, wb_ok);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(wbWorld_Step(made, 0).code, wb_ok);
        assert_int_equal(wbWorld_Step(read, 0).code, wb_ok);
    }
    assert_true(wbWorld_GetStats(made).particles > 500);
    assert_true(wbWorld_Hash(made) == wbWorld_Hash(read));
    wbDestroyWorld(made);
    wbDestroyWorld(read);
    wbDestroyScene(scene);
}

// What each judgement asks, and how a line says it.
static void testJudgements(void **state) {
    (void)state;
    wbValidateOptions options = wbDefaultValidateOptions();
    wbValidateRun run = {
        .options = &options, .out = tmpfile(), .name = "case", .backend = "cpu", .percent = -1};
    wbQuantity quantity = {.quantity = "q", .unit = "s", .source = "-", .reference = 2, .tolerance = 0.5};
    const double values[] = {1, 2, 3};
    const int failed[][3] = {{1, 0, 1}, {1, 0, 0}, {0, 0, 0}};
    for (int judgement = wb_within; judgement <= wb_noted; judgement++)
        for (int k = 0; k < 3; k++) {
            int before = run.resultCounts[wb_resultFail];
            quantity.judgement = (wbJudgement)judgement, quantity.value = values[k];
            wbReportQuantity(&run, quantity);
            assert_int_equal(run.resultCounts[wb_resultFail] - before, failed[judgement][k]);
        }
    options.json = true;
    wbReportQuantity(&run, quantity); // noted
    char *text = readBack(run.out);
    assert_int_equal(countText(text, "FAIL"), 3);
    assert_int_equal(countText(text, "or more"), 3);
    assert_int_equal(countText(text, " noted "), 3);
    assert_non_null(
        strstr(text, "\"reference\": null, \"tolerance\": null, \"pass\": true, \"result\": \"noted\""));
    free(text);
}

// A known miss is a miss, unless it passes or becomes worse by a tenth.
static void testKnownMisses(void **state) {
    (void)state;
    const wbKnownMiss known = {"case", "q", 0.5, false}, never = {"case", "q", INFINITY, false},
                      erratic = {"case", "q", 0.5, true};
    const struct {
        wbJudgement judgement;
        double value;
        const wbKnownMiss *known;
        wbResult result;
    } cases[] = {
        {wb_within, 0.5, NULL, wb_resultFail},        {wb_within, 0.5, &known, wb_resultMiss},
        {wb_within, 0.451, &known, wb_resultMiss},    {wb_within, 0.449, &known, wb_resultFail},
        {wb_within, 1.549, &known, wb_resultMiss},    {wb_within, 0.95, &known, wb_resultFail}, // it passes
        {wb_within, 0.95, NULL, wb_resultPass},       {wb_within, NAN, NULL, wb_resultFail},
        {wb_within, NAN, &known, wb_resultFail},      {wb_within, INFINITY, &known, wb_resultFail},
        {wb_within, INFINITY, &never, wb_resultMiss}, {wb_within, 5, &never, wb_resultMiss},
        {wb_within, 1, &never, wb_resultFail},        {wb_atLeast, 0.5, &known, wb_resultMiss},
        {wb_atLeast, 0.44, &known, wb_resultFail},    {wb_atLeast, 1.2, &known, wb_resultFail},
        {wb_atLeast, 1.2, NULL, wb_resultPass},       {wb_noted, 7, NULL, wb_resultNoted},
        {wb_within, 0.95, &erratic, wb_resultPass},   {wb_within, 0.5, &erratic, wb_resultMiss},
        {wb_within, 0.449, &erratic, wb_resultFail},  {wb_within, NAN, &erratic, wb_resultFail},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wbQuantity quantity = {
            .value = cases[i].value, .reference = 1, .tolerance = 0.1, .judgement = cases[i].judgement};
        assert_int_equal(wbJudgeQuantity(&quantity, cases[i].known), cases[i].result);
    }
}

// As the table, the lines, the page and the count of failures have it.
static void testKnownMissesAreReported(void **state) {
    (void)state;
    char page[] = "/tmp/wirbel-test-bench-XXXXXX";
    close(mkstemp(page));
    wbValidateOptions options = wbDefaultValidateOptions();
    options.markdownPath = page;
    int count;
    const wbKnownMiss *known = wbGetKnownMisses(&count);
    while (count > 0 && !isfinite(known->value)) known++, count--;
    assert_true(count > 0);
    wbValidateRun run = {
        .options = &options, .out = tmpfile(), .name = known->name, .backend = "cpu", .percent = -1};
    wbQuantity quantity = {
        .quantity = known->quantity, .unit = "", .source = "-", .reference = 1, .tolerance = 0.01};
    quantity.value = known->value; // still missed
    wbReportQuantity(&run, quantity);
    options.json = true;
    wbReportQuantity(&run, quantity);
    assert_int_equal(run.resultCounts[wb_resultMiss], 2);
    assert_int_equal(run.resultCounts[wb_resultFail], 0);
    quantity.value = 1 + 1.2 * (known->value - 1); // worse by a fifth
    wbReportQuantity(&run, quantity);
    assert_int_equal(run.resultCounts[wb_resultFail], 1);
    options.settingCount = 1; // other parameters: nothing is known of them
    quantity.value = 1;
    wbReportQuantity(&run, quantity);
    assert_int_equal(run.resultCounts[wb_resultPass], 1);
    assert_true(wbIsOk(wbWriteValidationPage(&run)));
    char *text = readBack(run.out);
    assert_int_equal(countText(text, " miss "), 1);
    assert_int_equal(countText(text, "\"pass\": false, \"result\": \"miss\""), 1);
    assert_int_equal(countText(text, "\"pass\": false, \"result\": \"fail\""), 1);
    free(text);
    FILE *file = fopen(page, "r");
    fseek(file, 0, SEEK_END);
    text = readBack(file);
    assert_int_equal(countText(text, "| **miss** |"), 2);
    assert_int_equal(countText(text, "| **fail** |"), 1);
    assert_non_null(strstr(text, "1 pass, 2 are missed as is known, 1 fail; 0 are noted."));
    free(text);
    remove(page);
}

// Where rounding decides, what passes is a pass.
static void testErraticMissesMayPass(void **state) {
    (void)state;
    wbValidateOptions options = wbDefaultValidateOptions();
    int count, erraticCount = 0;
    const wbKnownMiss *known = wbGetKnownMisses(&count);
    wbValidateRun run = {.options = &options, .out = tmpfile(), .backend = "cpu", .percent = -1};
    for (int i = 0; i < count; i++) {
        if (!known[i].isErratic) continue;
        run.name = known[i].name;
        wbQuantity quantity = {.quantity = known[i].quantity,
                               .unit = "",
                               .source = "-",
                               .value = erraticCount == 0 ? known[i].value : 1,
                               .reference = 1,
                               .tolerance = 0.01};
        wbReportQuantity(&run, quantity);
        erraticCount++;
    }
    assert_int_equal(run.resultCounts[wb_resultMiss], 1);
    assert_int_equal(run.resultCounts[wb_resultPass], erraticCount - 1);
    fclose(run.out);
    assert_true(erraticCount > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testQuantiles),
        cmocka_unit_test(testListsNameEveryCase),
        cmocka_unit_test(testUnknownNamesAreRefused),
        cmocka_unit_test(testPlotHoldsEveryPoint),
        cmocka_unit_test(testLogPlot),
        cmocka_unit_test(testLiveScenesTellTheirErrors),
        cmocka_unit_test(testBlockIsThatOfTheScene),
        cmocka_unit_test(testPipeIsThatOfTheScene),
        cmocka_unit_test(testJudgements),
        cmocka_unit_test(testKnownMisses),
        cmocka_unit_test(testKnownMissesAreReported),
        cmocka_unit_test(testErraticMissesMayPass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
