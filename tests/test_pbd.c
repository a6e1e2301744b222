// SPDX-License-Identifier: MIT
// Position based bodies: against the reference, and what they promise by themselves.
#include <float.h>
#include <stdlib.h>

#include "pbd_support.h"
#include "space/colour.h"

static void testAgainstReference(void **state) {
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        refPbd *reference = NULL;
        FOR_EACH_SIMD(simd) {
            Scene scene = createScene(2, simd);
            buildMixture(&scene);
            setVariant(&scene.model.params, variant);
            bool first = reference == NULL;
            if (first) reference = createReference(&scene);
            for (int k = 0; k < 4; k++) {
                stepScene(&scene, dt);
                if (first) refStepPbd(reference, (double)dt);
            }
            compare(&scene.pbd, reference);
            destroyScene(&scene);
        }
        refDestroyPbd(reference);
    }
}

// BDF2 with sub-steps that become shorter and longer, and so much longer that it begins anew.
static void testStepsChange(void **state) {
    (void)state;
    static const float steps[] = {0.004f, 0.002f, 0.003f, 0.006f, 0.001f, 0.005f, 0.004f};
    for (int variant = 12; variant < VARIANTS; variant++) {
        Scene scene = createScene(1, wb_simdAuto);
        buildMixture(&scene);
        setVariant(&scene.model.params, variant);
        refPbd *reference = createReference(&scene);
        for (int k = 0; k < 7; k++) stepScene(&scene, steps[k]), refStepPbd(reference, (double)steps[k]);
        compare(&scene.pbd, reference);
        refDestroyPbd(reference);
        destroyScene(&scene);
    }
}

// One constraint alone: all solvers do the same.
static void testSolversAgreeOnOne(void **state) {
    (void)state;
    float results[3][3];
    for (int solver = 0; solver < 3; solver++) {
        Scene scene = createScene(1, wb_simdAuto);
        wbPbdBody body;
        scene.model.params.solver = (wbPbdSolver)solver;
        assertOk(wbBuildRope(&scene.pbd, &scene.work, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0.5f, 0), 2, false,
                             1, &body));
        scene.pbd.vx[0] = -3, scene.pbd.w[1] = 0.5f;
        for (int k = 0; k < 20; k++) stepScene(&scene, 0.01f);
        const float x[3] = {scene.pbd.x[0], scene.pbd.y[0], scene.pbd.x[1]};
        memcpy(results[solver], x, sizeof x);
        assertBelow(wbPbd_GetLengthError(&scene.pbd), 1e-6, "length");
        destroyScene(&scene);
    }
    for (int a = 0; a < 3; a++) {
        assertBelow(fabsf(results[1][a] - results[0][a]), 1e-6, "particles");
        assertBelow(fabsf(results[2][a] - results[0][a]), 1e-6, "constraints");
    }
}

// Two particles in one place part, by equal and opposite ways.
static void testCoincidentPointsPart(void **state) {
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        Scene scene = createScene(1, wb_simdAuto);
        wbPbdBody body;
        assertOk(wbBuildRope(&scene.pbd, &scene.work, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 0, 0), 2, false, 1,
                             &body));
        setVariant(&scene.model.params, variant);
        scene.domain->gravity = wbMakeVec3(0, 0, 0);
        scene.model.params.compliance = 0, scene.model.params.omega = 1;
        scene.pbd.x[1] = 0;
        for (int k = 0; k < 5; k++) stepScene(&scene, 0.01f);
        assertBelow(fabsf(scene.pbd.x[0] + scene.pbd.x[1]), 1e-6, "centre");
        assert_true(fabsf(scene.pbd.x[0] - scene.pbd.x[1]) > 0.5f);
        destroyScene(&scene);
    }
}

// Of different bodies they part by a contact, however far apart the numbers of the bodies are.
static void testCoincidentBodiesPart(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    const float place[3] = {0, 0, 0}, away[3] = {9, 9, 9};
    int first, last = 0;
    assertOk(wbPbd_AddBody(&scene.pbd, scene.work.memory, 1, place, 1, &first));
    for (int k = 0; k < 50; k++)
        assertOk(wbPbd_AddBody(&scene.pbd, scene.work.memory, 1, k < 49 ? away : place, 1, &last));
    scene.model.params.radius = 0.05f, scene.domain->gravity = wbMakeVec3(0, 0, 0);
    scene.model.params.subSteps = 1;
    stepScene(&scene, 0.01f);
    assertBelow(fabsf(scene.pbd.x[first] + scene.pbd.x[last]), 1e-6, "centre");
    assertBelow(fabsf(fabsf(scene.pbd.x[first] - scene.pbd.x[last]) - 0.1f), 1e-5, "contact");
    destroyScene(&scene);
}

// Promises

static uint64_t hashParticles(wbPbd *pbd) {
    wbColumn columns[WB_PBD_COLUMNS];
    uint64_t hash = WB_HASH_START;
    wbPbd_ListColumns(pbd, columns);
    for (int k = 0; k < WB_PBD_COLUMNS; k++)
        if (columns[k].saved) hash = wbHashBytes(hash, *columns[k].data, sizeof(float) * (size_t)pbd->count);
    return hash;
}

// A cloth whose colours are large enough for all threads falls onto a ball.
static uint64_t hashAfterFall(int threads, wbSimd simd, wbPbdSolver solver, wbPbdMethod method,
                              wbPbdIntegrator integrator) {
    Scene scene = createScene(threads, simd);
    wbPbdBody cloth, ball;
    assertOk(wbBuildCloth(&scene.pbd, &scene.work, wbMakeVec3(0, 1, 0), wbMakeVec3(3, 0, 0),
                          wbMakeVec3(0, 0, 3), 110, 110, wb_bendingOverTwoEdges, 1, &cloth));
    assertOk(wbBuildSphere(&scene.pbd, &scene.work, wbMakeVec3(1.5f, 0.95f, 1.5f), 0.5f, 300, 1, &ball));
    assertOk(wbConnectDecimated(&scene.pbd, &scene.work, ball, 0.25f, 0.9f, 3));
    closeBox(scene.domain, wbMakeVec3(-1, 0.3f, -1), wbMakeVec3(4, 3, 4));
    scene.model.params.solver = solver, scene.model.params.method = method;
    scene.model.params.integrator = integrator;
    scene.model.params.radius = 0.02f, scene.model.params.iterations = 2;
    for (int k = 0; k < 10; k++) stepScene(&scene, 0.01f);
    uint64_t hash = hashParticles(&scene.pbd);
    destroyScene(&scene);
    return hash;
}

static void testThreadsChangeNothing(void **state) {
    (void)state;
    for (int solver = 0; solver < 3; solver++) {
        wbPbdMethod method = solver == 1 ? wb_methodXpbd : wb_methodPbd;
        wbPbdIntegrator integrator = solver == 2 ? wb_pbdEuler : wb_pbdBdf2;
        FOR_EACH_SIMD(simd) {
            uint64_t expected = hashAfterFall(1, simd, (wbPbdSolver)solver, method, integrator);
            assert_true(hashAfterFall(3, simd, (wbPbdSolver)solver, method, integrator) == expected);
        }
    }
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    Scene scene = createScene(2, wb_simdAuto);
    buildMixture(&scene);
    memset(scene.domain->velocity, 0, sizeof scene.domain->velocity);
    uint64_t calls = 0;
    for (int k = 0; k < 150; k++) {
        scene.model.params.solver = (wbPbdSolver)(k % 3),
        scene.model.params.integrator = (wbPbdIntegrator)(k / 3 % 3);
        stepScene(&scene, dt);
        if (k == 119) calls = wbGetMemoryUse(scene.work.memory).calls;
    }
    assert_true(wbGetMemoryUse(scene.work.memory).calls == calls);
    destroyScene(&scene);
}

// Solvers keep the momentum of what has no sides, but for the averaged ones of PBD, which weigh each end of a
// constraint by its own count.
static void testMomentum(void **state) {
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        Scene scene = createScene(1, wb_simdAuto);
        buildMixture(&scene);
        setVariant(&scene.model.params, variant);
        wbPbd *pbd = &scene.pbd;
        const wbPbdParams *p = &scene.model.params;
        bool averaged = p->solver != wb_pbdGaussSeidel && p->method == wb_methodPbd;
        memset(scene.domain->closed, 0, sizeof scene.domain->closed);
        scene.domain->gravity = wbMakeVec3(0, 0, 0), scene.model.params.drag = 0,
        scene.model.params.radius = 0;
        double before = 0, after = 0, size = 0;
        for (int i = 0; i < pbd->count; i++) {
            if (pbd->w[i] == 0) pbd->w[i] = 1;
            before += pbd->vx[i] / pbd->w[i], size += fabsf(pbd->vx[i] / pbd->w[i]);
        }
        for (int k = 0; k < 50; k++) stepScene(&scene, dt);
        for (int i = 0; i < pbd->count; i++) after += pbd->vx[i] / pbd->w[i];
        if (averaged)
            assert_true(fabs(after - before) / size > 0.01);
        else
            assertBelow(fabs(after - before) / size, 1e-3, "momentum");
        destroyScene(&scene);
    }
}

static void testPinsStay(void **state) {
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant += 4) {
        Scene scene = createScene(1, wb_simdAuto);
        buildMixture(&scene);
        setVariant(&scene.model.params, variant);
        float x = scene.pbd.x[11], y = scene.pbd.y[11];
        for (int k = 0; k < 50; k++) stepScene(&scene, dt);
        assert_true(scene.pbd.x[11] == x && scene.pbd.y[11] == y && scene.pbd.vx[11] == 0);
        destroyScene(&scene);
    }
}

// J, of all particles, by gravity and speed.
static double getEnergy(const Scene *scene) {
    const wbPbd *pbd = &scene->pbd;
    double energy = 0;
    for (int i = 0; i < pbd->count; i++) {
        double speed2 = pow(pbd->vx[i], 2) + pow(pbd->vy[i], 2) + pow(pbd->vz[i], 2);
        if (pbd->w[i] > 0)
            energy += (0.5 * speed2 - (double)scene->domain->gravity.y * pbd->y[i]) / pbd->w[i];
    }
    return energy;
}

// The share of its energy that a pendulum from 120 degrees has lost after a second.
static double swing(wbPbdIntegrator integrator, int subSteps) {
    Scene scene = createScene(1, wb_simdAuto);
    wbPbdBody rope;
    const wbVec3 end = {0.8660254f, 0.5f, 0};
    assertOk(wbBuildRope(&scene.pbd, &scene.work, wbMakeVec3(0, 0, 0), end, 2, false, 1, &rope));
    scene.pbd.w[0] = 0;
    scene.model.params.integrator = integrator;
    scene.model.params.iterations = 1, scene.model.params.subSteps = subSteps;
    double before = getEnergy(&scene), lowest = -9.81;
    for (int k = 0; k < 60; k++) stepScene(&scene, 1.0f / 60);
    double lost = (before - getEnergy(&scene)) / (before - lowest);
    destroyScene(&scene);
    return lost;
}

// BDF2 loses a tenth of what Euler loses, and a quarter of that with steps half as long.
static void testSecondOrder(void **state) {
    (void)state;
    double euler = swing(wb_pbdEuler, 8), coarse = swing(wb_pbdBdf2, 8), fine = swing(wb_pbdBdf2, 16);
    assertBelow(coarse, 0.1 * euler, "BDF2 beside Euler");
    assertBelow(fabs(fine), 0.3 * coarse, "order");
    assertBelow(-1e-4, fine, "gain");
}

// Whatever stops suddenly or is not solved to the end, BDF2 makes no energy of it.
static void checkNoGain(Scene *scene, wbPbdSolver solver, int subSteps) {
    scene->model.params.solver = solver, scene->model.params.integrator = wb_pbdBdf2;
    scene->model.params.iterations = 1, scene->model.params.subSteps = subSteps;
    double start = getEnergy(scene), size = fabs(start) + 1;
    for (int k = 0; k < 60; k++) {
        stepScene(scene, 1.0f / 60);
        assertBelow(getEnergy(scene), start + 1e-3 * size, "energy");
    }
    destroyScene(scene);
}

static void testNothingIsGained(void **state) {
    (void)state;
    for (int solver = 0; solver < 3; solver++)
        for (int subSteps = 2; subSteps <= 32; subSteps *= 4) {
            Scene hanging = createScene(1, wb_simdAuto), falling = createScene(1, wb_simdAuto);
            wbPbdBody cloth, ball, rope;
            assertOk(wbBuildCloth(&hanging.pbd, &hanging.work, wbMakeVec3(0, 1, 0), wbMakeVec3(1, 0, 0),
                                  wbMakeVec3(0, 0, 1), 20, 20, wb_bendingNone, 1, &cloth));
            hanging.pbd.w[0] = hanging.pbd.w[19] = 0;
            checkNoGain(&hanging, (wbPbdSolver)solver, subSteps);
            assertOk(wbBuildSphere(&falling.pbd, &falling.work, wbMakeVec3(0, 1, 0), 0.4f, 100, 1, &ball));
            assertOk(wbConnectAll(&falling.pbd, &falling.work, ball));
            assertOk(wbBuildRope(&falling.pbd, &falling.work, wbMakeVec3(-0.4f, 1.6f, 0),
                                 wbMakeVec3(0.5f, 1.9f, 0), 12, false, 1, &rope));
            for (int i = 0; i < falling.pbd.count; i++) falling.pbd.vx[i] = 2, falling.pbd.vy[i] = -3;
            closeBox(falling.domain, wbMakeVec3(-1, 0, -1), wbMakeVec3(1, 3, 1));
            falling.model.params.radius = 0.04f;
            checkNoGain(&falling, (wbPbdSolver)solver, subSteps);
        }
}

// Two pins that are tied to each other may be moved into one place.
static void testPinsMeet(void **state) {
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        Scene scene = createScene(1, wb_simdAuto);
        wbPbdBody rope;
        assertOk(wbBuildRope(&scene.pbd, &scene.work, wbMakeVec3(0, 0, 0), wbMakeVec3(2, 0, 0), 3, true, 1,
                             &rope));
        setVariant(&scene.model.params, variant);
        scene.pbd.w[0] = scene.pbd.w[2] = 0;
        scene.pbd.x[2] = 0;
        for (int k = 0; k < 5; k++) stepScene(&scene, 0.01f);
        assert_true(scene.pbd.x[0] == 0 && scene.pbd.x[2] == 0 && isfinite(scene.pbd.x[1]));
        destroyScene(&scene);
    }
}

// Coulomb: a particle that slides on the floor is slowed by mu g, and rests where it comes to rest.
static void testFriction(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    int first;
    const float place[3] = {0, 0.1f, 0};
    assertOk(wbPbd_AddBody(&scene.pbd, scene.work.memory, 1, place, 1, &first));
    closeBox(scene.domain, wbMakeVec3(-10, 0, -10), wbMakeVec3(10, 10, 10));
    scene.model.params.radius = 0.1f, scene.model.params.friction = 0.4f;
    scene.pbd.vx[0] = 2;
    for (int k = 0; k < 400; k++) stepScene(&scene, 0.002f);
    assertBelow(fabs(scene.pbd.x[0] - 2 * 2 / (2 * 0.4 * 9.81)), 5e-3, "way to rest");
    assertBelow(fabsf(scene.pbd.vx[0]), 1e-6, "speed");
    scene.domain->velocity[wb_bottom][0] = 1; // the floor carries it along
    for (int k = 0; k < 400; k++) stepScene(&scene, 0.002f);
    assertBelow(fabsf(scene.pbd.vx[0] - 1), 1e-3, "speed of the floor");
    destroyScene(&scene);
}

// Bodies do not pass through each other.
static void testBodiesTouch(void **state) {
    (void)state;
    Scene scene = createScene(2, wb_simdAuto);
    wbPbdBody lower, upper;
    const int sites[3] = {8, 4, 8}, fewer[3] = {4, 4, 4};
    wbPbd *pbd = &scene.pbd;
    assertOk(wbBuildLattice(pbd, &scene.work, wbMakeVec3(0, 0.05f, 0), wbMakeVec3(0.1f, 0.1f, 0.1f), sites, 1,
                            &lower));
    assertOk(wbConnectDecimated(pbd, &scene.work, lower, 0.25f, 10, 0));
    assertOk(wbBuildLattice(pbd, &scene.work, wbMakeVec3(0.22f, 0.6f, 0.23f), wbMakeVec3(0.1f, 0.1f, 0.1f),
                            fewer, 1, &upper));
    assertOk(wbConnectDecimated(pbd, &scene.work, upper, 0.25f, 10, 0));
    closeBox(scene.domain, wbMakeVec3(-1, 0, -1), wbMakeVec3(2, 3, 2));
    scene.model.params.radius = 0.05f, scene.model.params.iterations = 10, scene.model.params.drag = 1;
    for (int k = 0; k < 300; k++) stepScene(&scene, 0.005f);
    double height = 0, nearest = 1;
    for (int i = 0; i < upper.count; i++) height += pbd->y[upper.first + i] / (double)upper.count;
    for (int i = 0; i < lower.count; i++)
        for (int j = 0; j < upper.count; j++) {
            int a = lower.first + i, b = upper.first + j;
            nearest = fmin(nearest,
                           hypot(hypot(pbd->x[a] - pbd->x[b], pbd->y[a] - pbd->y[b]), pbd->z[a] - pbd->z[b]));
        }
    assert_true(height > 0.5 && height < 0.62); // its particles sink into the gaps between those below
    assertBelow(0.09, nearest, "gap");
    assertBelow(wbPbd_GetLengthError(pbd), 0.02, "shape");
    destroyScene(&scene);
}

// Lists that are filled up touch nothing, wherever a particle is.
static void testAloneIsNotTouched(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    const float together[] = {5, 5, 5, 5.1f, 5, 5, 5, 5.1f, 5}, alone[] = {0.01f, 0, 0};
    int first, last;
    assertOk(wbPbd_AddBody(&scene.pbd, scene.work.memory, 3, together, 1, &first)); // whose lists are longer
    assertOk(wbPbd_AddBody(&scene.pbd, scene.work.memory, 1, alone, 1, &last));
    scene.model.params.radius = 0.05f, scene.domain->gravity = wbMakeVec3(0, 0, 0);
    for (int variant = 0; variant < 6; variant++) { // no constraints either
        setVariant(&scene.model.params, variant);
        stepScene(&scene, 0.01f);
    }
    assert_true(scene.pbd.x[last] == 0.01f && scene.pbd.vx[last] == 0);
    destroyScene(&scene);
}

// A side that comes down presses a ball flat; when it goes up again, the ball is round again.
static void testSqueeze(void **state) {
    (void)state;
    Scene scene = createScene(2, wb_simdAuto);
    wbPbdBody ball;
    assertOk(wbBuildSphere(&scene.pbd, &scene.work, wbMakeVec3(0, 1, 0), 1, 220, 1, &ball));
    assertOk(wbConnectAll(&scene.pbd, &scene.work, ball));
    assert_int_equal(scene.pbd.constraintCount, 24090);
    closeBox(scene.domain, wbMakeVec3(-5, 0, -5), wbMakeVec3(5, 2, 5));
    scene.model.params.iterations = 2;
    scene.domain->velocity[wb_top][1] = -1;
    for (int k = 0; k < 100; k++) stepScene(&scene, 0.01f);
    float top = 0;
    for (int i = 0; i < 220; i++) top = fmaxf(top, scene.pbd.y[i]);
    assertBelow(top, 1.001, "height under the side");
    assert_true(wbPbd_GetLengthError(&scene.pbd) > 0.1);
    scene.domain->velocity[wb_top][1] = 5;
    for (int k = 0; k < 100; k++) stepScene(&scene, 0.01f);
    assertBelow(wbPbd_GetLengthError(&scene.pbd), 1e-3, "shape");
    destroyScene(&scene);
}

// With less memory than a step needs it says so and changes nothing; with enough it goes on.
static void testMemoryRunsOut(void **state) {
    (void)state;
    for (int solver = 0; solver < 3; solver++) {
        Scene scene = createScene(2, wb_simdAuto);
        buildMixture(&scene);
        scene.model.params.solver = (wbPbdSolver)solver, scene.model.params.subSteps = 1;
        scene.model.params.integrator = (wbPbdIntegrator)solver;
        uint64_t before = hashParticles(&scene.pbd);
        size_t room = 0;
        int refused = 0;
        for (;; room += 5000, refused++) {
            wbArena_Reset(scene.work.arena);
            wbMemory_SetLimit(scene.work.memory, wbGetMemoryUse(scene.work.memory).bytes + room);
            wbStatus status = wbPbd_Step(&scene.pbd, &scene.model, &scene.work, dt);
            if (wbIsOk(status)) break;
            assert_int_equal(status.code, wb_errorMemory);
            assert_true(hashParticles(&scene.pbd) == before);
        }
        assert_true(refused > 3 && hashParticles(&scene.pbd) != before);
        destroyScene(&scene);
    }
}

// Error of the lengths of a squeezed ball after a while, with the constraints in colours or all in one batch, where
// lanes that share a particle overwrite each other's corrections.
static double restoreBall(bool coloured) {
    Scene scene = createScene(1, wb_simdAuto);
    wbPbd *pbd = &scene.pbd;
    wbPbdBody ball;
    assertOk(wbBuildSphere(pbd, &scene.work, wbMakeVec3(0, 1, 0), 1, 220, 1, &ball));
    assertOk(wbConnectAll(pbd, &scene.work, ball));
    for (int i = 0; i < pbd->count; i++) pbd->y[i] *= 0.5f;
    assertOk(wbPbd_Prepare(pbd, &scene.work, false));
    for (int k = 0; k < pbd->constraintCount && !coloured; k++) {
        wbPbdBatches *b = &pbd->batches;
        b->first[k] = 2 * pbd->first[k], b->second[k] = 2 * pbd->second[k], b->rest[k] = pbd->rest[k];
        *(wbPbdBatch *)b->list.data = (wbPbdBatch){0, pbd->constraintCount / 16 * 16, wb_pbdStretch};
        b->batchCount = 1;
    }
    scene.model.params.drag = 1;
    for (int k = 0; k < 100; k++) {
        wbArena_Reset(scene.work.arena);
        if (!wbIsOk(wbPbd_Step(pbd, &scene.model, &scene.work, 0.01f))) break; // beyond what floats can hold
    }
    double error = wbPbd_GetLengthError(pbd);
    destroyScene(&scene);
    return error;
}

static void testColoursAreNeeded(void **state) {
    (void)state;
    assertBelow(restoreBall(true), 1e-5, "with colours");
    if (!wbIsSimdSupported(wb_simdSse)) return; // one lane overwrites nothing
    double without = restoreBall(false);
    assert_true(!(without < 0.05)); // 0.11 with 16 lanes, 0.59 with 4
}

static void testUnstableIsFound(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    buildMixture(&scene);
    scene.pbd.vx[20] = FLT_MAX;
    wbArena_Reset(scene.work.arena);
    assert_int_equal(wbPbd_Step(&scene.pbd, &scene.model, &scene.work, 0.01f).code, wb_errorUnstable);
    destroyScene(&scene);
}

// Colours

static void checkColours(const wbWork *work, const int *members, int width, int items, int nodes, int most) {
    size_t bytes = sizeof(int) * (size_t)(items + 1);
    int *colours = wbAlloc(work->memory, bytes), count;
    uint8_t *seen = wbAllocZero(work->memory, (size_t)nodes * (size_t)most);
    assertOk(wbColourItems(work, members, width, items, nodes, colours, &count));
    assert_in_range(count, 1, most);
    for (int k = 0; k < items * width; k++) {
        if (members[k] < 0) continue;
        uint8_t *at = &seen[(size_t)members[k] * (size_t)most + (size_t)colours[k / width]];
        assert_int_equal(*at, 0);
        *at = 1;
    }
    for (int k = 0; k < items; k++) // greedy: each smaller colour is taken at one of its nodes
        for (int colour = 0; colour < colours[k]; colour++) {
            bool taken = false;
            for (int m = 0; m < width; m++) {
                int node = members[k * width + m];
                taken |= node >= 0 && seen[(size_t)node * (size_t)most + (size_t)colour];
            }
            assert_true(taken);
        }
    wbFree(work->memory, seen, (size_t)nodes * (size_t)most);
    wbFree(work->memory, colours, bytes);
}

static void testColours(void **state) {
    (void)state;
    static int members[40000];
    wbWork work = createWork(2, wb_simdAuto);
    int items = 0;
    for (int i = 0; i < 90; i++) // all pairs
        for (int j = i + 1; j < 90; j++) members[2 * items] = i, members[2 * items++ + 1] = j;
    checkColours(&work, members, 2, items, 90, 178);
    for (int k = 0; k < 900; k++) members[2 * k] = 0, members[2 * k + 1] = k + 1; // a star
    checkColours(&work, members, 2, 900, 901, 900);
    for (int k = 0; k < 10000; k++) { // three or four of many, at random
        for (int m = 0; m < 4; m++)
            members[4 * k + m] = 500 * m + (int)(wbHash32((uint32_t)(4 * k + m)) % 500);
        if (k % 3 == 0) members[4 * k + 3] = -1;
    }
    checkColours(&work, members, 4, 10000, 2000, 200);
    destroyWork(&work);
}

// Hubs and tails with a million constraints: what is not linear would not end.
static void testColoursAreLinear(void **state) {
    (void)state;
    wbWork work = createWork(1, wb_simdAuto);
    enum { ITEMS = 1000000 };
    int *members = wbAlloc(work.memory, sizeof(int[2]) * ITEMS),
        *colours = wbAlloc(work.memory, sizeof(int) * ITEMS);
    int count;
    for (int k = 0; k < ITEMS; k++) members[2 * k] = k % 4, members[2 * k + 1] = 4 + k;
    assertOk(wbColourItems(&work, members, 2, ITEMS, ITEMS + 4, colours, &count));
    assert_int_equal(count, ITEMS / 4);
    assert_true(wbGetMemoryUse(work.memory).bytes < (size_t)100 * ITEMS);
    wbFree(work.memory, members, sizeof(int[2]) * ITEMS), wbFree(work.memory, colours, sizeof(int) * ITEMS);
    destroyWork(&work);
}

// Builders

static int comparePairs(const void *a, const void *b) { return memcmp(a, b, sizeof(int[2])); }

static void assertPairsAreUnique(const wbPbd *pbd) {
    int(*pairs)[2] = calloc((size_t)pbd->constraintCount, sizeof *pairs);
    for (int k = 0; k < pbd->constraintCount; k++) {
        int i = pbd->first[k], j = pbd->second[k];
        pairs[k][0] = i < j ? i : j, pairs[k][1] = i < j ? j : i;
        assert_true(i != j);
    }
    qsort(pairs, (size_t)pbd->constraintCount, sizeof *pairs, comparePairs);
    for (int k = 1; k < pbd->constraintCount; k++)
        assert_int_not_equal(comparePairs(pairs[k - 1], pairs[k]), 0);
    free(pairs);
}

static void testDecimation(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    wbPbdBody ball;
    assertOk(wbBuildSphere(&scene.pbd, &scene.work, wbMakeVec3(0, 15, 0), 10, 702, 1, &ball));
    assertOk(wbConnectDecimated(&scene.pbd, &scene.work, ball, 5, 19, 2));
    assert_in_range(scene.pbd.constraintCount, 18000, 24000);
    assertPairsAreUnique(&scene.pbd);
    int near = 0, wanted = 0, braces[702] = {0};
    for (int k = 0; k < scene.pbd.constraintCount; k++) {
        if (scene.pbd.rest[k] < 5) near++;
        if (scene.pbd.rest[k] < 5) continue;
        assert_true(scene.pbd.rest[k] > 19);
        braces[scene.pbd.first[k]]++, braces[scene.pbd.second[k]]++;
    }
    for (int i = 0; i < 702; i++) assert_in_range(braces[i], 0, 2);
    for (int i = 0; i < 702; i++)
        for (int j = i + 1; j < 702; j++) {
            double dx = scene.pbd.x[i] - scene.pbd.x[j], dy = scene.pbd.y[i] - scene.pbd.y[j];
            double dz = scene.pbd.z[i] - scene.pbd.z[j];
            wanted += dx * dx + dy * dy + dz * dz < 25;
        }
    assert_int_equal(near, wanted);
    destroyScene(&scene);
}

static void testTriangles(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    wbPbdBody body;
    const int sites[3] = {3, 3, 1},
              triangles[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 3, 4, 7, 3, 7, 6, 4, 5, 8, 4, 8, 7};
    assertOk(wbBuildStick(&scene.pbd, &scene.work, wbMakeVec3(0, 5, 0), wbMakeVec3(1, 5, 0), 4, 1, &body));
    assertOk(
        wbBuildLattice(&scene.pbd, &scene.work, wbMakeVec3(0, 0, 0), wbMakeVec3(1, 1, 1), sites, 1, &body));
    assertOk(wbConnectTriangles(&scene.pbd, &scene.work, body, triangles, 8, wb_bendingOverTwoEdges));
    int bends = 0;
    for (int k = 0; k < scene.pbd.constraintCount; k++) bends += scene.pbd.kind[k] == wb_pbdBend;
    assert_int_equal(scene.pbd.constraintCount - bends, 16); // 12 sides and 4 diagonals
    assert_int_equal(bends, 8);                              // across 4 diagonals and 4 inner sides
    assertPairsAreUnique(&scene.pbd);
    for (int k = 0; k < scene.pbd.constraintCount; k++) assert_true(scene.pbd.first[k] >= 4);
    destroyScene(&scene);
}

// Two triangles that were turned about their edge turn back and keep their edges, whether they were made flat or at an
// angle.
static void testHingesKeepAngles(void **state) {
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        bool flat = variant / 6;
        Scene scene = createScene(1, wb_simdAuto);
        const float places[] = {0, 0, 0, 0, 0, 1, 1, 0, 0.5f, flat ? -1 : -0.6f, flat ? 0 : 0.8f, 0.5f};
        const int triangles[] = {0, 1, 2, 1, 0, 3};
        wbPbdBody body = {.count = 4};
        wbPbd *pbd = &scene.pbd;
        assertOk(wbPbd_AddBody(pbd, scene.work.memory, 4, places, 1, &body.first));
        assertOk(wbConnectTriangles(pbd, &scene.work, body, triangles, 2, wb_bendingDihedral));
        assert_int_equal(pbd->hingeCount, 1);
        assert_int_equal(pbd->constraintCount, 5);
        setVariant(&scene.model.params, variant % 6);
        scene.domain->gravity = wbMakeVec3(0, 0, 0), scene.model.params.drag = 5,
        scene.model.params.omega = 1;
        pbd->x[3] = -0.3f, pbd->y[3] = 0.95394f;
        for (int k = 0; k < 1000; k++) stepScene(&scene, 0.01f);
        float dx = pbd->x[2] - pbd->x[3], dy = pbd->y[2] - pbd->y[3], dz = pbd->z[2] - pbd->z[3];
        float wx = places[6] - places[9], wy = places[7] - places[10];
        assertBelow(fabs(sqrt(dx * dx + dy * dy + dz * dz) - sqrt(wx * wx + wy * wy)), 0.01, "width");
        assertBelow(wbPbd_GetLengthError(pbd), 1e-3, "lengths");
        destroyScene(&scene);
    }
}

static void testRandomBody(void **state) {
    (void)state;
    Scene scene = createScene(1, wb_simdAuto);
    wbPbdBody body;
    assertOk(wbBuildRandom(&scene.pbd, &scene.work, wbMakeVec3(-1, 2, 0), wbMakeVec3(1, 3, 0.5f), 500, 7, 1,
                           &body));
    double mean = 0;
    for (int i = 0; i < 500; i++) {
        assert_true(scene.pbd.x[i] >= -1 && scene.pbd.x[i] < 1 && scene.pbd.y[i] >= 2 &&
                    scene.pbd.z[i] < 0.5f);
        mean += scene.pbd.y[i] / 500;
    }
    assertBelow(fabs(mean - 2.5), 0.05, "mean height");
    destroyScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAgainstReference),
        cmocka_unit_test(testStepsChange),
        cmocka_unit_test(testSecondOrder),
        cmocka_unit_test(testNothingIsGained),
        cmocka_unit_test(testSolversAgreeOnOne),
        cmocka_unit_test(testCoincidentPointsPart),
        cmocka_unit_test(testCoincidentBodiesPart),
        cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testPinsStay),
        cmocka_unit_test(testPinsMeet),
        cmocka_unit_test(testFriction),
        cmocka_unit_test(testBodiesTouch),
        cmocka_unit_test(testAloneIsNotTouched),
        cmocka_unit_test(testSqueeze),
        cmocka_unit_test(testMemoryRunsOut),
        cmocka_unit_test(testColoursAreNeeded),
        cmocka_unit_test(testUnstableIsFound),
        cmocka_unit_test(testColours),
        cmocka_unit_test(testColoursAreLinear),
        cmocka_unit_test(testDecimation),
        cmocka_unit_test(testTriangles),
        cmocka_unit_test(testHingesKeepAngles),
        cmocka_unit_test(testRandomBody),
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
