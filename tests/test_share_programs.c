// SPDX-License-Identifier: MIT
// The layer under the tests on devices, share_programs.c: equal programs are one, others stay apart, and errors come through.
#include "gpu/gpu_state.h"
#include "gpu_support.h"

static const char *const source =
    "__kernel void give(__global int *out) { out[get_global_id(0)] = VALUE; }\n";

static wbGpuKernel *buildGive(wbGpu *gpu, int value) {
    char options[32];
    wbGpuProgram *program;
    wbGpuKernel *kernel;
    snprintf(options, sizeof options, "-DVALUE=%d", value);
    assertOk(wbGpu_Build(gpu, &(wbGpuProgramDef){"give", &source, 1, options}, &program));
    assertOk(wbGpuProgram_GetKernel(program, "give", &kernel));
    return kernel;
}

static int runGive(wbGpu *gpu, wbGpuKernel *kernel) {
    wbGpuBuffer buffer = {0};
    int found[16] = {0};
    assertOk(wbGpuBuffer_Reserve(gpu, &buffer, "found", sizeof found));
    assertOk(wbGpu_RunGroups(gpu, kernel, 1, 16, WB_GPU_ARGS(WB_GPU_BUFFER(buffer))));
    assertOk(wbGpu_Download(gpu, &buffer, found, sizeof found));
    wbGpuBuffer_Free(gpu, &buffer);
    for (int i = 1; i < 16; i++) assert_int_equal(found[i], found[0]);
    return found[0];
}

// What one device builds, another takes over, also when the first is closed.
static void testOptionsStayApart(void **state) {
    (void)state;
    TestGpu first = openTestGpu();
    assert_int_equal(runGive(first.gpu, buildGive(first.gpu, 3)), 3);
    TestGpu second = openTestGpu();
    if (getenv("OPENCL_LAYERS") && !triesAllShapes())
        assert_ptr_equal(first.gpu->context, second.gpu->context); // the layer is there
    wbGpuKernel *three = buildGive(second.gpu, 3), *five = buildGive(second.gpu, 5);
    closeTestGpu(&first);
    assert_int_equal(runGive(second.gpu, three), 3);
    assert_int_equal(runGive(second.gpu, five), 5);
    assert_int_equal(runGive(second.gpu, buildGive(second.gpu, 3)), 3);
    closeTestGpu(&second);
}

// Nothing is kept of a program that was not built.
static void testErrors(void **state) {
    (void)state;
    const char *const broken = "__kernel void give(__global int *out) { out[0] = missing; }\n";
    for (int k = 0; k < 2; k++) {
        TestGpu test = openTestGpu();
        wbGpuProgram *program;
        expectError(wbGpu_Build(test.gpu, &(wbGpuProgramDef){"broken", &broken, 1, "-DVALUE=1"}, &program),
                    wb_errorDevice, "missing");
        assert_int_equal(runGive(test.gpu, buildGive(test.gpu, 1)), 1);
        closeTestGpu(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testOptionsStayApart),
        cmocka_unit_test(testErrors),
    };
    int missing = findDevice();
    return missing ? missing : cmocka_run_group_tests(tests, catchAsserts, NULL);
}
