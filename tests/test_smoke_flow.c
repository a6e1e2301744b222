// SPDX-License-Identifier: MIT
// How smoke, fire and air move: what comes and goes through sides, what burns, what bodies push, what walls hold.
#include "smoke_support.h"

// Smoke that the air carries through an open side is gone: none of it stays in the last cells.
static void testLeaving(void **state) {
    (void)state;
    static const char *const names[] = {"semi-Lagrangian", "MacCormack", "conserving"};
    wbWork work = makeWork(1, wb_simdScalar);
    for (int method = 0; method < 3; method++) {
        for (int down = 0; down < 2; down++) {
            Volume volume = makeVolume(2, 12, 20, 1);
            volume.params.advection = method;
            volume.domain.sides[wb_bottom].type = volume.domain.sides[wb_top].type = wb_sideOpen;
            Twin twin;
            createTwin(&twin, &volume, &work);
            for (int f = 0; f < 5; f++)
                for (int c = 0; c < twin.smoke.grid.total; c++)
                    twin.smoke.fields[f][c] = f != wb_smokeV ? 0 : down ? -0.4f : 0.4f;
            for (int j = 0; j < 4; j++) *findValue(&twin.smoke, wb_smokeDensity, 5, down ? j : 19 - j, 0) = 1;
            wbSmoke_MarkDirty(&twin.smoke);
            for (int n = 0; n < 40; n++)
                assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.1 * n, 0.1f));
            double left;
            assertOk(wbSmoke_SumDensity(&twin.smoke, &work, &left));
            assertBelow(left, 1e-3, names[method]);
            assertBelow(fabs(twin.smoke.left - 4 + left), method == wb_smokeConserving ? 1e-4 : 4,
                        names[method]);
            destroyTwin(&twin, &work);
        }
    }
    freeWork(&work);
}

// A plume in a room that is open all around does not gain speed without end, however little the scheme damps.
static void testOpenRoom(void **state) {
    (void)state;
    wbWork work = makeWork(1, wb_simdScalar);
    Volume volume = makeVolume(3, 16, 22, 16);
    volume.params.velocityAdvection = wb_advectionMacCormack;
    volume.params.buoyancy = 0.06f;
    volume.params.confinement = 3;
    volume.params.tolerance = 1e-3f;
    volume.speed = 0;
    for (int s = 0; s < wb_sideCount; s++)
        if (s != wb_bottom) volume.domain.sides[s].type = wb_sideOpen;
    const wbSmokeSource source = {.shape = wb_sourceSphere,
                                  .feeds = true,
                                  .centre = {0.45f, 0.4f, 0.9f},
                                  .radius = 0.15f,
                                  .density = 1,
                                  .temperature = 50,
                                  .end = 100};
    Twin twin;
    createTwin(&twin, &volume, &work);
    for (int f = 0; f < 5; f++)
        memset(twin.smoke.fields[f], 0, (size_t)twin.smoke.grid.total * sizeof(float));
    wbSmoke_MarkDirty(&twin.smoke);
    for (int n = 0; n < 600; n++)
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, &source, 1, n / 60.0, 1 / 60.0f));
    assertBelow(twin.smoke.maxSpeed, 6, "speed, m/s");
    destroyTwin(&twin, &work);
    freeWork(&work);
}

static double sumOf(Twin *twin, int field) {
    const wbSmokeGrid *grid = &twin->smoke.grid;
    double sum = 0;
    for (int k = 0; k < grid->nz; k++)
        for (int j = 0; j < grid->ny; j++)
            for (int i = 0; i < grid->nx; i++) sum += *findValue(&twin->smoke, field, i, j, k);
    return sum;
}

// In still air, what the fuel loses becomes heat and smoke; cold fuel stays.
static void testFire(void **state) {
    (void)state;
    for (int hot = 0; hot < 2; hot++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 12, 12, 12);
        volume.params.fire = true;
        volume.params.soot = 0.5f, volume.params.burnHeat = 100, volume.params.ignition = 50;
        volume.speed = 0;
        Twin twin;
        createTwin(&twin, &volume, &work);
        for (int c = 0; c < twin.smoke.grid.total; c++)
            twin.smoke.fields[wb_smokeTemperature][c] += hot ? 60 : 10;
        double fuel = sumOf(&twin, wb_smokeFuel), heat = sumOf(&twin, wb_smokeTemperature);
        double density = sumOf(&twin, wb_smokeDensity);
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.1f));
        double burnt = fuel - sumOf(&twin, wb_smokeFuel);
        assertBelow(fabs(burnt - (hot ? fuel * (1 - exp(-0.3)) : 0)), 1e-3 * fuel, "burnt fuel");
        assertBelow(fabs(sumOf(&twin, wb_smokeTemperature) - heat - 100 * burnt), 1e-5 * heat, "heat");
        assertBelow(fabs(sumOf(&twin, wb_smokeDensity) - density - 0.5 * burnt), 1e-5 * density, "soot");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// A cell in a corner that is shut off from the rest.
static uint8_t corner(const Volume *volume, int i, int j, int k) {
    (void)volume;
    return i >= 10 && j <= 1 && k >= 10 && !(i == 11 && j == 0 && k == 11);
}

// Air that a source makes leaves through the open side, as much of it; in a closed box it cannot, and that is told.
static void testExplosion(void **state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        wbWork work = makeWork(1, wb_simdScalar);
        const wbSmokeSource source = {.shape = wb_sourceBox,
                                      .centre = {0.3f, 0.8f, 0.7f},
                                      .half = {0.24f, 0.24f, 0.24f},
                                      .expansion = 4,
                                      .end = 1};
        Volume volume = makeVolume(3, 12, 12, 12);
        volume.speed = 0;
        volume.solid = corner; // no expansion is blocked there
        volume.bodyCount = 1;
        if (open) volume.domain.sides[wb_top].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, &source, 1, 0, 0.1f));
        assert_int_equal(twin.smoke.pressure.pocketCount, open ? 1 : 2);
        assert_int_equal(twin.smoke.isBlocked, !open);
        double out = 0, cells = 4 * 4 * 4;
        for (int k = 0; k < 12; k++)
            for (int i = 0; i < 12; i++) out += *findValue(&twin.smoke, wb_smokeV, i, 12, k);
        assertBelow(fabs(out * 0.01 - (open ? 4 * cells * 0.001 : 0)), 1e-4, "outflow, m3/s");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// A ball that moves pushes the air before it; no smoke is in it, and the air does not flow through its surface.
static void testMovingBody(void **state) {
    (void)state;
    wbWork work = makeWork(2, wb_simdScalar);
    Volume volume = makeVolume(3, 24, 20, 20);
    volume.speed = 0;
    volume.solid = ball;
    volume.bodyCount = 1;
    volume.bodies[0].velocity = wbMakeVec3(1.5f, 0, 0);
    Twin twin;
    createTwin(&twin, &volume, &work);
    for (int n = 0; n < 3; n++)
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.05 * n, 0.05f));
    float before = *findValue(&twin.smoke, wb_smokeU, 18, 10, 10),
          beside = *findValue(&twin.smoke, wb_smokeU, 12, 17, 10);
    assert_true(before > 0.2f && beside < -0.05f);
    assertBelow(measureShare(&twin.smoke), 2e-5, "divergence around a moving ball");
    for (int k = 0; k < 20; k++)
        for (int j = 0; j < 20; j++)
            for (int i = 1; i < 24; i++)
                if (ball(&volume, i, j, k)) {
                    assert_true(*findValue(&twin.smoke, wb_smokeDensity, i, j, k) == 0);
                    assert_true(*findValue(&twin.smoke, wb_smokeU, i, j, k) == 1.5f);
                }
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// A plate that moves through smoke in a closed box takes none of it away, and leaves none within itself.
static void testPushedSmoke(void **state) {
    (void)state;
    enum { NX = 32, NY = 20, NZ = 12 };
    wbWork work = makeWork(2, wbIsSimdSupported(wb_simdAvx2) ? wb_simdAvx2 : wb_simdScalar);
    Volume volume = makeVolume(3, NX, NY, NZ);
    volume.params.tolerance = 1e-3f;
    volume.speed = 0;
    uint16_t *mask = test_calloc(NX * NY * NZ, sizeof *mask);
    const wbSmokeBody body = {.velocity = {1.5f, 0, 0}};
    Twin twin;
    createTwin(&twin, &volume, &work);
    double before = sumOf(&twin, wb_smokeDensity), heat = sumOf(&twin, wb_smokeTemperature), within = 0;
    for (int n = 0; n < 20; n++) {
        memset(mask, 0, sizeof *mask * NX * NY * NZ);
        for (int j = 4; j < 14; j++)
            for (int k = 3; k < 9; k++)
                for (int i = 0; i < 2; i++) mask[wbSmokeCell(&twin.smoke.grid, 4 + i + 3 * n / 4, j, k)] = 1;
        assertOk(wbSmoke_SetSolids(&twin.smoke, &twin.model, &work, &(wbSmokeSolids){mask, &body, 1}));
        assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.05 * n, 0.05f));
    }
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                if (mask[wbSmokeCell(&twin.smoke.grid, i, j, k)])
                    within += *findValue(&twin.smoke, wb_smokeDensity, i, j, k);
    assertBelow(within, 0, "smoke in the plate");
    assertBelow(fabs(sumOf(&twin, wb_smokeDensity) / before - 1), 1e-5, "change of the smoke");
    assertBelow(fabs(sumOf(&twin, wb_smokeTemperature) / heat - 1), 1e-5, "change of the heat");
    test_free(mask);
    destroyTwin(&twin, &work);
    freeWork(&work);
}

// Even smoke stays even in air without divergence, however it flows, and sharp edges stay positive and do not rise.
static void testEvenSmoke(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 24, 20, 16);
        volume.params.tolerance = 1e-6f;
        Twin twin;
        createTwin(&twin, &volume, &work);
        assertOk(wbSmoke_Project(&twin.smoke, &twin.model, &work));
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 20; j++)
                for (int i = 0; i < 24; i++)
                    *findValue(&twin.smoke, wb_smokeDensity, i, j, k) = !sharp || (i > 8 && i < 16 && j > 9);
        wbSmoke_MarkDirty(&twin.smoke);
        double before = sumOf(&twin, wb_smokeDensity), least = 1, most = 0;
        for (int n = 0; n < 8; n++)
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0.1 * n, 0.1f));
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 20; j++)
                for (int i = 0; i < 24; i++) {
                    double q = *findValue(&twin.smoke, wb_smokeDensity, i, j, k);
                    least = fmin(least, q), most = fmax(most, q);
                }
        assertBelow(fabs(sumOf(&twin, wb_smokeDensity) / before - 1), 1e-5, "change of the smoke");
        assertBelow(most, 1 + 1e-3, "most");
        assertBelow(sharp ? -least : 1 - least, sharp ? 1e-6 : 1e-3, "least");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

static uint8_t floorOfCells(const Volume *volume, int i, int j, int k) {
    (void)volume, (void)i, (void)k;
    return j < 3;
}

// A wind that blew along an open top, or through open ends, has less energy with every step after it has ended: what comes
// in brings none.
static void testInflowBringsNoEnergy(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 24, 20, 16);
        volume.params.scheme = variant & 1 ? wb_schemeReflect : wb_schemeProject;
        volume.params.velocityAdvection = variant & 1 ? wb_advectionSemiLagrangian : wb_advectionMacCormack;
        volume.params.tolerance = 1e-4f;
        volume.params.wind = wbMakeVec3(6, 0, 0);
        volume.speed = 0;
        volume.domain.sides[wb_top].type = wb_sideOpen;
        if (variant & 2) volume.domain.sides[wb_left].type = volume.domain.sides[wb_right].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        double before = 0;
        for (int n = 0; n < 60; n++) {
            if (n == 30) twin.model.params.wind.x = 0, before = sumSquares(&twin.smoke);
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.04f));
            if (n < 30) continue;
            double now = sumSquares(&twin.smoke);
            if (now > before) fail_msg("variant %d, step %d: %g times the energy", variant, n, now / before);
            before = now;
        }
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// Air that a wind draws in from rest and that leaves as a jet: its pressure falls by u2 / 2 as it comes in, all of which the
// wind gives back over the length: u2 = 2 a L, one cell longer for the half ones beyond both ends.
static void testDrawnWind(void **state) {
    (void)state;
    for (int scheme = 0; scheme < 2; scheme++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(2, 39, 4, 1);
        volume.params.scheme = scheme;
        volume.params.wind = wbMakeVec3(-2, 0, 0);
        volume.speed = 0;
        volume.domain.sides[wb_left].type = volume.domain.sides[wb_right].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        for (int n = 0; n < 250; n++)
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.04f));
        assertBelow(fabs(*findValue(&twin.smoke, wb_smokeU, 20, 2, 0) + 4), 0.01, "drawn wind");
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

// An even wind over a floor of solid cells is no slower there than above; viscous air is.
static void testSlip(void **state) {
    (void)state;
    for (int viscous = 0; viscous < 2; viscous++) {
        wbWork work = makeWork(1, wb_simdScalar);
        Volume volume = makeVolume(3, 16, 12, 8);
        volume.params.viscosity = viscous ? 0.01f : 0;
        volume.speed = 0;
        volume.solid = floorOfCells;
        volume.bodyCount = 1;
        volume.domain.sides[wb_left].type = volume.domain.sides[wb_right].type = wb_sideOpen;
        Twin twin;
        createTwin(&twin, &volume, &work);
        for (int c = 0; c < twin.smoke.grid.total; c++) twin.smoke.fields[wb_smokeU][c] = 1;
        for (int n = 0; n < 10; n++)
            assertOk(wbSmoke_Step(&twin.smoke, &twin.model, &work, NULL, 0, 0, 0.05f));
        float beside = *findValue(&twin.smoke, wb_smokeU, 8, 3, 4),
              above = *findValue(&twin.smoke, wb_smokeU, 8, 8, 4);
        assert_true(viscous ? beside < 0.9f * above : fabsf(beside / above - 1) < 1e-5f);
        destroyTwin(&twin, &work);
        freeWork(&work);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testLeaving),    cmocka_unit_test(testOpenRoom),
        cmocka_unit_test(testFire),       cmocka_unit_test(testExplosion),
        cmocka_unit_test(testMovingBody), cmocka_unit_test(testPushedSmoke),
        cmocka_unit_test(testEvenSmoke),  cmocka_unit_test(testInflowBringsNoEnergy),
        cmocka_unit_test(testDrawnWind),  cmocka_unit_test(testSlip)};
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
