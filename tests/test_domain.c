// SPDX-License-Identifier: MIT
// Sides that move and change their kind while a world runs: what they press, hold and let out, in every solver.
#include "domain_support.h"

#include <stdlib.h>
#include <unistd.h>

#include "space/domain.h"
#include "world/collider.h"

// Ends go no faster than they may, and arrive where they shall be, to the bit.
static void testEndsTravel(void **state) {
    (void)state;
    const wbDomainDef def = {.min = {0, 0, 0}, .max = {1, 2, 3}, .sides[wb_top] = {.type = wb_sideOpen}};
    wbDomain domain = wbMakeDomain(&def, wbMakeVec3(0, -9.81f, 0), 3);
    assert_false(wbDomain_IsOnTheWay(&domain));
    domain.targetMin[0] = 0.1f, domain.targetMax[2] = 2.7f;
    for (int k = 0; k < 20; k++) {
        assert_true(wbDomain_IsOnTheWay(&domain) == (k < 10));
        wbDomain_Drive(&domain, 0.03f, 1);
        assert_true(wbDomain_GetTopSpeed(&domain) <= 1 && wbDomain_GetDragSpeed(&domain) == 0);
        if (k == 0) assert_true(fabsf(wbDomain_At(&domain, 0.015f).max[2] - 2.985f) < 1e-6f);
        wbDomain_Advance(&domain, 0.03f);
        assert_false(wbDomain_IsMoving(&domain));
    }
    assert_true(domain.min[0] == 0.1f && domain.max[2] == 2.7f);
    assert_true(domain.max[0] == 1 && domain.min[1] == 0 && domain.max[1] == 2 && domain.min[2] == 0);
}

// Pressed from 1 m to 0.5 m the water is twice as deep, and as before when it has its room again. The energy check, which
// runs along, has nothing to say.
static void pressAndRelease(const char *text, const char *half, const char *whole, double calmSeconds) {
    wbWorld *world = createWorldOf(text, wb_backendCpu, 2);
    runFor(world, 0.2);
    const double before = getLevel(world), particles = wbWorld_GetStats(world).particles;
    const double potential = wbWorld_GetStats(world).potential;
    const wbParticleFluid *liquid = wbGetNextLiquid(world, NULL);
    const double given = liquid->account.given;
    set(world, "domain.sideSpeed", "0.5");
    set(world, "domain.max", half);
    runFor(world, 0.5);
    assert_true(fabsf(wbWorld_GetDomain(world).max.x - 0.75f) < 0.02f);
    runFor(world, 0.5 + calmSeconds);
    assert_true(wbWorld_GetDomain(world).max.x == 0.5f);
    const double pressed = getLevel(world);
    // the work of the side, by the pressure at it, is what lifted the water, but for what waves have lost
    const double work = (liquid->account.given - given) * liquid->mass / liquid->method->workFactor;
    const double lifted = wbWorld_GetStats(world).potential - potential;
    if (work < 0.9 * lifted || work > 1.2 * lifted)
        fail_msg("%.40s: the side did %g J to lift water by %g J", text, work, lifted);
    if (fabs(pressed / before - 2) > 0.06)
        fail_msg("%.40s: the level is %g m, then %g m", text, before, pressed);
    set(world, "domain.max", whole);
    runFor(world, 1 + 2 * calmSeconds);
    const double released = getLevel(world);
    wbStats stats = wbWorld_GetStats(world);
    if (fabs(released / before - 1) > 0.05)
        fail_msg("%.40s: the level is %g m, and %g m after all", text, before, released);
    assert_true(stats.particles == particles && stats.removed == 0);
    assert_true(stats.kinetic < 0.05 * stats.potential);
    wbDestroyWorld(world);
}

static void testWaterRises(void **state) {
    (void)state;
    pressAndRelease(WATER_2D("sph"), "0.5,1", "1,1", 1);
    pressAndRelease(WATER_2D("pbf"), "0.5,1", "1,1", 1);
    pressAndRelease(WATER_3D("sph"), "0.5,1,0.3", "1,1,0.3", 0.5);
    pressAndRelease(WATER_3D("pbf"), "0.5,1,0.3", "1,1,0.3", 0.5);
}

// A box that flies with its water does nothing to it: what particles see of sides is how fast those go by.
static void testBoxCarriesWater(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createWorldOf(k ? FLYING("pbf") : FLYING("sph"), wb_backendCpu, 1);
        wbView view;
        float worst = 0;
        set(world, k ? "pbf.viscosity" : "sph.artificialViscosity", k ? "0.5" : "1");
        set(world, "domain.max", "2,0.5"), set(world, "domain.min", "1.5,0");
        runFor(world, 0.5);
        assert_true(fabsf(wbWorld_GetDomain(world).min.x - 0.2f) < 0.01f);
        assertOk(wbFluid_GetView(world, wbWorld_GetFluid(world, 0), &view));
        for (int i = 0; i < view.count; i++)
            worst = fmaxf(worst, fabsf(view.vx[i] - 0.4f) + fabsf(view.vy[i]));
        if (worst > 1e-3f) fail_msg("%s: a particle goes by %g m/s", k ? "pbf" : "sph", worst);
        double pressed = wbWorld_GetStats(world).densityErrorMax;
        if (pressed > 1e-4) fail_msg("%s: water is pressed by %g", k ? "pbf" : "sph", pressed);
        wbDestroyWorld(world);
    }
}

static int warnings;
static void countWarnings(wbLogLevel level, const char *message, void *context) {
    (void)context;
    warnings += level == wb_logWarning && strstr(message, "domain.sideSpeed = 1000") != NULL;
}

// Sides that are asked to be faster than water bears are not, it is said once, and water bears what is left: three blows.
static void testSidesKeepToTheirSpeed(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createWorldOf(k ? WATER_2D("pbf") : WATER_2D("sph"), wb_backendCpu, 1);
        const float sound = wbWorld_GetSphParams(world)->soundSpeed;
        // a tenth of the speed of sound, or a quarter of h in a 60th of a second
        const float most = k ? 0.25f * 60 * 0.05f * wbWorld_GetPbfParams(world)->smoothing : 0.1f * sound;
        const float stable = wbWorld_GetStableStep(world);
        set(world, "domain.sideSpeed", "1000");
        warnings = 0;
        wbSetLog(countWarnings, NULL);
        set(world, "domain.max", "0.45,1");
        wbSetLog(NULL, NULL);
        assert_int_equal(warnings, 1);
        // what moves shortens automatic steps
        if (k == 0) assert_true(wbWorld_GetStableStep(world) < 0.95f * stable);
        for (int n = 0; n < 5; n++) {
            float before = wbWorld_GetDomain(world).max.x;
            assertOk(wbWorld_Step(world, 0));
            float speed = (before - wbWorld_GetDomain(world).max.x) / wbWorld_GetProfile(world).dt;
            if (fabsf(speed / most - 1) > 0.01f) fail_msg("sides go at %g m/s, not %g", speed, most);
        }
        for (int n = 0; n < 3; n++) {
            runFor(world, 0.3);
            set(world, "domain.max", "1,1");
            runFor(world, 0.3);
            set(world, "domain.max", "0.45,1");
        }
        set(world, "domain.sideSpeed", "auto");
        set(world, "domain.max", "1,1");
        runFor(world, 1);
        assert_true(wbWorld_GetDomain(world).max.x == 1);
        wbDestroyWorld(world);
    }
}

// Water runs out of a side that opens, and is counted as it goes; a side closes only when nothing is beyond it.
static void testSideOpens(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        wbWorld *world = createWorldOf(k ? WATER_2D("pbf") : WATER_2D("sph"), wb_backendCpu, 1);
        runFor(world, 0.1);
        set(world, "domain.right", "open");
        runFor(world, 0.3);
        assert_int_equal(wbWorld_GetStats(world).removed, 0);
        wbStatus status = wbWorld_SetParam(world, "domain.right", "noSlip");
        assert_int_equal(status.code, wb_errorInput);
        assert_non_null(strstr(status.text, "beyond the right side"));
        addDrainAround(world, wbMakeVec3(1, 1, 1));
        runFor(world, 0.4);
        set(world, "domain.right", "noSlip");
        wbStats stats = wbWorld_GetStats(world);
        assert_true(stats.removed > 20 && stats.particles > 10);
        assert_true(stats.spawned - stats.removed == stats.particles);
        runFor(world, 0.5);
        assert_true(wbWorld_GetStats(world).removed == stats.removed);
        wbDestroyWorld(world);
    }
}

static double countSolid(wbWorld *world) {
    wbSmokeView view;
    double solid = 0;
    assertOk(wbWorld_GetSmokeView(world, &view));
    for (int k = 0; k < view.cells[2]; k++)
        for (int j = 0; j < view.cells[1]; j++)
            for (int i = 0; i < view.cells[0]; i++)
                solid += view.solid[i + j * view.solidStrideY + k * view.solidStrideZ] != 0;
    return solid / (view.cells[0] * view.cells[1] * view.cells[2]);
}

// m3/s (2D: m2/s), through the top.
static double sumOutflow(wbWorld *world, double area) {
    wbSmokeView view;
    double out = 0;
    assertOk(wbWorld_GetSmokeView(world, &view));
    for (int k = 0; k < view.cells[2]; k++)
        for (int i = 0; i < view.cells[0]; i++)
            out += (double)view.v[i + view.cells[1] * view.strideY + k * view.strideZ] * area;
    return out;
}

// A side that comes in pushes air and smoke before it and out of the open top; when it goes back, air comes in.
static void pressAir(const char *text, const char *half, const char *whole, double area, double depth) {
    wbWorld *world = createWorldOf(text, wb_backendCpu, 1);
    runFor(world, 0.4);
    const wbSmokeStats before = wbWorld_GetSmokeStats(world);
    set(world, "domain.sideSpeed", "0.5");
    set(world, "domain.max", half);
    runFor(world, 0.5);
    // what is covered goes out: over the side's area at half a metre per second
    double out = sumOutflow(world, area);
    if (fabs(out / (0.5 * depth) - 1) > 0.02) fail_msg("%g go out, not %g", out, 0.5 * depth);
    assert_true(wbWorld_GetSmokeStats(world).divergence < 1e-2);
    runFor(world, 0.6);
    assert_true(wbWorld_GetDomain(world).max.x == 0.5f && countSolid(world) == 0.5);
    const wbSmokeStats pressed = wbWorld_GetSmokeStats(world);
    if (fabs((pressed.amount + pressed.left) / (before.amount + before.left) - 1) > 0.05)
        fail_msg("of %g kg of smoke %g are there and %g went out", before.amount, pressed.amount,
                 pressed.left);
    set(world, "domain.max", whole);
    runFor(world, 1.2);
    assert_true(countSolid(world) == 0);
    assert_true(wbWorld_GetSmokeStats(world).amount <= pressed.amount * 1.001);
    wbDestroyWorld(world);
}

static void testAirIsPressedOut(void **state) {
    (void)state;
    pressAir(SMOKE_BOX("\"top\": \"open\""), "0.5,1,0.5", "1,1,0.5", 0.05 * 0.05, 0.5);
    pressAir(SMOKE_FLAT, "0.5,1", "1,1", 0.05, 1);
}

// As long as a side is within, all cells are fine; then they follow the smoke again.
static void testFineCellsAreAll(void **state) {
    (void)state;
    wbSmokeView view;
    wbWorld *world = createWorldOf(SMOKE_FOLLOWED, wb_backendCpu, 2);
    runFor(world, 0.1);
    assertOk(wbWorld_GetSmokeView(world, &view));
    assert_true(view.cells[0] < view.boxCells[0]);
    const wbSmokeStats before = wbWorld_GetSmokeStats(world);
    set(world, "domain.max", "2.1,2.4,1.6");
    runFor(world, 0.1);
    assertOk(wbWorld_GetSmokeView(world, &view));
    assert_memory_equal(view.cells, view.boxCells, sizeof view.cells);
    assert_true(sumOutflow(world, 0.05 * 0.05) > 1);
    set(world, "domain.max", "2.4,2.4,1.6");
    runFor(world, 0.4);
    assertOk(wbWorld_GetSmokeView(world, &view));
    assert_true(view.cells[0] < view.boxCells[0]);
    assert_true(wbWorld_GetSmokeStats(world).amount > before.amount);
    wbDestroyWorld(world);
}

// Air that is shut in goes nowhere; when the side opens it flows.
static void testAirIsLetOut(void **state) {
    (void)state;
    wbWorld *world = createWorldOf(SMOKE_BOX("\"right\": \"noSlip\""), wb_backendCpu, 1);
    set(world, "smoke.wind", "1,0,0");
    runFor(world, 0.5);
    assert_true(wbWorld_GetSmokeStats(world).left == 0);
    set(world, "domain.left", "open"), set(world, "domain.right", "open");
    runFor(world, 1);
    const wbSmokeStats stats = wbWorld_GetSmokeStats(world);
    assert_true(stats.left > 0.001 && stats.momentum[0] > 0.1);
    set(world, "domain.right", "freeSlip");
    assertOk(wbWorld_Step(world, 0)); // which carries smoke as the air still went, then stops the air
    const double left = wbWorld_GetSmokeStats(world).left;
    runFor(world, 0.2);
    const double more = wbWorld_GetSmokeStats(world).left - left;
    if (more > 1e-3 * stats.left)
        fail_msg("%g kg of smoke went through a closed side, after %g", more, stats.left);
    wbDestroyWorld(world);
}

// A body falls out of a side that opens below it, which then stays open.
static void testBodyFallsOut(void **state) {
    (void)state;
    wbWorld *world = createWorldOf(BALL, wb_backendCpu, 1);
    runFor(world, 0.5);
    assert_true(wbWorld_GetStats(world).potential > 0);
    set(world, "domain.bottom", "open");
    runFor(world, 0.6);
    assert_true(wbWorld_GetStats(world).potential < 0);
    wbStatus status = wbWorld_SetParam(world, "domain.bottom", "freeSlip");
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "beyond the bottom side"));
    wbDestroyWorld(world);
}

// Saved in the middle of the way, with sides of another kind than the scene's, it goes on to the bit; on any threads.
static void testResumesInMidPress(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        char path[] = "/tmp/wirbel-test-domain-XXXXXX";
        wbWorld *world = createWorldOf(EVERYTHING, wb_backendCpu, run == 1 ? 3 : 1);
        set(world, "domain.min", "0.2,0,0"), set(world, "domain.max", "0.9,1,0.3");
        set(world, "domain.left", "noSlip");
        for (int k = 0; k < 60; k++) assertOk(wbWorld_Step(world, 0));
        set(world, "domain.back", "open"); // what the pressure is solved with is made anew in the next step
        if (run == 2) {
            wbWorld *loaded;
            close(mkstemp(path));
            assertOk(wbWorld_Save(world, path));
            assertOk(wbLoadWorld(path, &loaded));
            assert_true(wbWorld_Hash(world) == wbWorld_Hash(loaded));
            unlink(path);
            wbDestroyWorld(world);
            world = loaded;
        }
        assert_true(wbWorld_GetDomain(world).sides[wb_left].type == wb_sideNoSlip);
        for (int k = 0; k < 60; k++) assertOk(wbWorld_Step(world, 0));
        if (fabsf(wbWorld_GetDomain(world).min.x - 0.096f) > 1e-3f)
            fail_msg("the left side is at %g m", wbWorld_GetDomain(world).min.x);
        assert_int_equal(wbWorld_GetStats(world).leaked, 0);
        hashes[run] = wbWorld_Hash(world);
        wbDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void refuse(wbWorld *world, const char *key, const char *value, const char *why) {
    const uint64_t hash = wbWorld_Hash(world);
    char before[64], after[64];
    assertOk(wbWorld_GetParam(world, key, before, sizeof before));
    wbStatus status = wbWorld_SetParam(world, key, value);
    if (status.code != wb_errorInput) fail_msg("%s = %s is taken", key, value);
    if (!strstr(status.text, why)) fail_msg("\"%s\" has no \"%s\"", status.text, why);
    assertOk(wbWorld_GetParam(world, key, after, sizeof after));
    assert_string_equal(before, after);
    assert_true(wbWorld_Hash(world) == hash);
}

static void testBadInputIsRefused(void **state) {
    (void)state;
    wbWorld *flat = createWorldOf(WATER_2D("sph"), wb_backendCpu, 1);
    refuse(flat, "domain.max", "-1,1", "min 0 must be less than max -1 along x");
    refuse(flat, "domain.min", "1,0", "must be less than max 1");
    refuse(flat, "domain.max", "0.08,1", "less than the support radius");
    refuse(flat, "domain.max", "0.5,0.5", "closed sides would leave 0.25 m2 for 0.");
    refuse(flat, "domain.max", "nan,1", "domain.max");
    refuse(flat, "domain.max", "1", "domain.max");
    refuse(flat, "domain.sideSpeed", "0", "allowed is 1e-06 to 1e+06 m/s, or auto");
    refuse(flat, "domain.sideSpeed", "-1", "allowed is 1e-06 to 1e+06 m/s, or auto");
    refuse(flat, "domain.left", "periodic", "allowed is freeSlip|noSlip|open");
    refuse(flat, "domain.front", "noSlip", "a world of 2 dimensions has no such side");
    set(flat, "domain.top", "open");
    refuse(flat, "domain.max", "1,2", "the top side is open");
    wbDestroyWorld(flat);
    wbWorld *pbf = createWorldOf(WATER_2D("pbf"), wb_backendCpu, 1);
    refuse(pbf, "domain.max", "0.08,1", "less than the support radius");
    wbDestroyWorld(pbf);
    wbWorld *air = createWorldOf(SMOKE_BOX("\"back\": \"noSlip\""), wb_backendCpu, 1);
    refuse(air, "domain.max", "0.5,1,0.5", "air is not compressed");
    set(air, "domain.top", "open");
    refuse(air, "domain.max", "1.5,1,0.5", "cannot go beyond x = 1, where the cells of the smoke end");
    set(air, "domain.sideSpeed", "0.5"), set(air, "domain.max", "0.9,1,0.5");
    runFor(air, 0.05);
    refuse(air, "domain.right", "open", "move it back to 1 before it opens");
    refuse(air, "domain.top", "freeSlip", "air is not compressed");
    wbDestroyWorld(air);
    wbWorldDef def = wbDefaultWorldDef();
    wbWorld *none;
    assertOk(wbCreateWorld(&def, &none));
    refuse(none, "domain.max", "1,1,1", "a domain without extent has no sides to move");
    wbDestroyWorld(none);
    def.domain.sideSpeed = NAN;
    assert_int_equal(wbCreateWorld(&def, &none).code, wb_errorInput);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEndsTravel),        cmocka_unit_test(testWaterRises),
        cmocka_unit_test(testBoxCarriesWater),   cmocka_unit_test(testSidesKeepToTheirSpeed),
        cmocka_unit_test(testSideOpens),         cmocka_unit_test(testAirIsPressedOut),
        cmocka_unit_test(testFineCellsAreAll),   cmocka_unit_test(testBodyFallsOut),
        cmocka_unit_test(testAirIsLetOut),       cmocka_unit_test(testResumesInMidPress),
        cmocka_unit_test(testBadInputIsRefused),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
