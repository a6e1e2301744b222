// SPDX-License-Identifier: MIT
// Plots without a window: rings, gaps, statistics, parameters, and the table that is written.
#include "test_support.h"

#include "app/view/plots.h"
#include "app/view/radial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find(const wbPlots *plots, const char *title, const char *name) {
    const wbPlot *list = plots->plots.data;
    for (int s = 0; s < plots->seriesCount; s++) {
        const wbSeries *series = wbPlots_GetSeries(plots, s);
        if (strcmp(series->name, name) == 0 && strcmp(list[series->plot].title, title) == 0) return s;
    }
    return -1;
}

static wbStill makeStill(int64_t step) {
    wbStill still = {.step = step, .time = 0.5 * (double)step};
    still.stats = (wbStats){.kinetic = (double)step, .potential = 10, .divergence = NAN};
    still.profile = (wbProfile){.stepMs = 3, .phaseCount = 2};
    still.profile.phases[0].name = "search", still.profile.phases[0].ms = 2;
    still.profile.phases[1].name = "forces", still.profile.phases[1].ms = 1;
    still.extras.lengthError = still.extras.cycles = NAN;
    return still;
}

// The mean, the value below which 95 of 100 lie, and the highest, over the last 600 frames alone.
static void testSummary(void **state) {
    (void)state;
    static wbPlots plots;
    for (int64_t step = 0; step <= 1000; step++) {
        const wbStill still = makeStill(step);
        assertOk(wbPlots_Add(&plots, &still, 0.5));
    }
    assert_int_equal(plots.count, WB_PLOT_FRAMES); // the start counts for nothing
    assert_int_equal(plots.steps[plots.first], 401);
    const wbPlotSummary s = wbPlots_Summarize(&plots, find(&plots, "energy, J", "kinetic"));
    assert_true(fabsf(s.mean - 700.5f) < 1e-3f);
    assert_true(s.high == 970 && s.highest == 1000);
    assert_true(wbPlots_Summarize(&plots, find(&plots, "energy, J", "total")).highest == 1010);
    const int search = find(&plots, "time of a step, ms: its phases on top of each other", "search");
    assert_true(((const wbPlot *)plots.plots.data)[wbPlots_GetSeries(&plots, search)->plot].isStacked);
    // what a world does not have is not there
    assert_int_equal(find(&plots, "particles", "particles"), -1);
    assert_int_equal(find(&plots, "density, kg/m³", "mean"), -1);
    wbPlots_Clear(&plots);
    assert_true(plots.count == 0 && plots.seriesCount == 0);
    wbPlots_Free(&plots);
}

// A quantity that comes later has gaps before, one that goes has them after; neither counts.
static void testGaps(void **state) {
    (void)state;
    static wbPlots plots;
    wbShownProbe probe = {.name = "gauge", .values = {1, {{"pressure", "Pa", 40}}}};
    for (int64_t step = 1; step <= 30; step++) {
        wbStill still = makeStill(step);
        if (step > 10 && step <= 20) still.extras.probes.data = &probe, still.extras.probeCount = 1;
        if (step > 20) still.extras.lengthError = 0.02;
        assertOk(wbPlots_Add(&plots, &still, 1));
    }
    const int gauge = find(&plots, "probe gauge, Pa", "pressure");
    assert_true(gauge >= 0);
    assert_true(wbPlots_Summarize(&plots, gauge).mean == 40);
    assert_true(isnan(wbPlots_GetSeries(&plots, gauge)->values[5]));
    assert_true(isnan(wbPlots_GetSeries(&plots, gauge)->values[25]));
    const int error = find(&plots, "constraint error: lengths, %", "root of the mean square");
    assert_true(fabsf(wbPlots_Summarize(&plots, error).highest - 2) < 1e-5f);
    wbPlots_Free(&plots);
}

// Numbers, vectors and ticks of parameters that were chosen, and no others.
static void testParams(void **state) {
    (void)state;
    static wbPlots plots;
    const wbParam params[3] = {{.name = "rate"}, {.name = "wind"}, {.name = "on"}};
    const wbParamTable table = {.section = "emitter", .params = params, .count = 3};
    wbSection section = {.name = "pipe", .table = &table};
    wbShownValue values[3] = {{0, 0, "7.5"}, {0, 1, "1, -2, 3"}, {0, 2, "true"}};
    wbStill still = makeStill(1);
    still.sections.data = &section, still.values.data = values, still.valueCount = 3;
    assertOk(wbPlots_SwitchParam(&plots, "pipe.rate"));
    assertOk(wbPlots_SwitchParam(&plots, "pipe.wind"));
    assertOk(wbPlots_SwitchParam(&plots, "pipe.on"));
    assertOk(wbPlots_SwitchParam(&plots, "pipe.on"));
    assertOk(wbPlots_Add(&plots, &still, 1));
    assert_true(wbPlots_Summarize(&plots, find(&plots, "pipe.rate", "pipe.rate")).mean == 7.5f);
    assert_true(wbPlots_Summarize(&plots, find(&plots, "pipe.wind", "y")).mean == -2);
    assert_true(wbPlots_Summarize(&plots, find(&plots, "pipe.wind", "z")).mean == 3);
    assert_false(wbPlots_HasParam(&plots, "pipe.on"));
    assert_int_equal(find(&plots, "pipe.on", "pipe.on"), -1);
    wbPlots_Free(&plots);
}

static void testWrite(void **state) {
    (void)state;
    static wbPlots plots;
    char path[] = "/tmp/wirbel-plots-XXXXXX", line[1024];
    close(mkstemp(path));
    for (int64_t step = 1; step <= 3; step++) {
        wbStill still = makeStill(step);
        if (step == 3) still.extras.cycles = 4;
        assertOk(wbPlots_Add(&plots, &still, 1));
    }
    assertOk(wbPlots_Write(&plots, path));
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, file));
    assert_true(
        strncmp(line, "step,time,\"time of a step, ms: its phases on top of each other: search\",", 70) == 0);
    assert_non_null(fgets(line, sizeof line, file));
    assert_true(strncmp(line, "1,0.5,2,1,3,1,1,10,11,", 22) == 0);
    assert_true(strcmp(line + strlen(line) - 2, ",\n") == 0); // no cycles yet
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(fgets(line, sizeof line, file));
    assert_true(strcmp(line + strlen(line) - 3, ",4\n") == 0);
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    remove(path);
    assert_false(wbIsOk(wbPlots_Write(&plots, "/nowhere/plots.csv")));
    wbPlots_Free(&plots);
}

// On a line about (2, 1, 0): density falls by 100 kg/m3 per m from the middle, no particle is between 0.5 and 0.6 m, nobody has a radius.
static void testRadial(void **state) {
    (void)state;
    enum { COUNT = 2001 };
    static float x[COUNT], y[COUNT], z[COUNT], vx[COUNT], vy[COUNT], vz[COUNT], density[COUNT];
    wbRadial radial;
    wbView view = {.x = x, .y = y, .z = z, .vx = vx, .vy = vy, .vz = vz, .density = density, .stride = 1};
    assert_true(!wbRadial_Make(&radial, &view, 1));
    for (int i = 0; i < COUNT; i++) {
        const float r = (float)(i - COUNT / 2) / (COUNT / 2); // -1 to 1 m
        if (fabsf(r) > 0.5f && fabsf(r) < 0.6f) continue;
        const int n = view.count++;
        x[n] = 2 + r, y[n] = 1, density[n] = 1000 - 100 * fabsf(r), vx[n] = 3, vz[n] = -4;
    }
    assert_true(wbRadial_Make(&radial, &view, 1));
    assert_true(fabsf(radial.centre.x - 2) < 1e-5f && radial.centre.y == 1 && radial.centre.z == 0);
    assert_true(fabsf(radial.reach - 1) < 1e-5f);
    int sum = 0;
    for (int p = 0; p < WB_RADIAL_PARTS; p++) {
        const float middle = ((float)p + 0.5f) / WB_RADIAL_PARTS;
        sum += radial.counts[p];
        assert_true(isnan(radial.means[wb_radialRadius][p]) && isnan(radial.means[wb_radialPressure][p]));
        if (middle > 0.52f && middle < 0.58f) {
            assert_true(radial.counts[p] == 0 && isnan(radial.means[wb_radialDensity][p]));
        } else {
            assert_true(fabsf(radial.means[wb_radialDensity][p] - (1000 - 100 * middle)) < 1.2f);
            assert_true(fabsf(radial.means[wb_radialSpeed][p] - 5) < 1e-4f);
        }
    }
    assert_int_equal(sum, view.count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSummary), cmocka_unit_test(testGaps),   cmocka_unit_test(testParams),
        cmocka_unit_test(testWrite),   cmocka_unit_test(testRadial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
