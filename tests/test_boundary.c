// SPDX-License-Identifier: MIT
// Colliders in water on the cores: against the reference, and what they promise by themselves.
#include "boundary_support.h"

#define FOR_EACH_SIMD(simd)                                                                                  \
    for (wbSimd simd = wb_simdScalar; simd <= wb_simdAvx512; simd = (wbSimd)(simd + 1))                      \
        if (wbIsSimdSupported(simd))

// Against the reference

static void compareWeights(const Tank *tank, const RefTank *reference) {
    for (int k = 0; k < tank->boundary.pointCount; k++) {
        int owner = tank->boundary.body[k], point = k - wbBoundary_GetBody(&tank->boundary, owner)->first;
        double expected = reference->psi[owner][point] / reference->sph->mass;
        assertBelow(fabs(tank->boundary.weight[k] - expected), 3e-6, "weight");
    }
}

// Density, pressure and acceleration of the start; the acceleration is the change of velocity in one step.
static void compareEvaluation(Setup *setup, const Bodies *bodies) {
    const float dt = 1e-3f;
    static float x[3 * maxParticles], v[3 * maxParticles];
    setup->def.sph.integrator = wb_integratorEuler;
    RefTank *reference = createRefTank(setup, bodies);
    refEvaluateSph(reference->sph);
    FOR_EACH_SIMD(simd) {
        setup->def.simd = simd;
        Tank *tank = createTank(setup, bodies);
        assertOk(stepTank(tank, bodies, dt));
        compareWeights(tank, reference);
        double worstDensity = 0, worstPressure = 0, largestPressure = 1, largest;
        for (int k = 0; k < tank->sph.fluid.particles.count; k++) {
            uint32_t i = tank->sph.fluid.particles.id[k];
            worstDensity = fmax(worstDensity,
                                fabs(tank->sph.fluid.particles.density[k] / reference->sph->density[i] - 1));
            worstPressure = fmax(worstPressure,
                                 fabs(tank->sph.fluid.particles.pressure[k] - reference->sph->pressure[i]));
            largestPressure = fmax(largestPressure, fabs(reference->sph->pressure[i]));
        }
        copyById(&tank->sph, x, v);
        for (int i = 0; i < 3 * setup->count; i++) v[i] = (v[i] - setup->v[i]) / dt;
        double worst = compareVectors(v, reference->sph->a, setup->count, &largest);
        assertBelow(worstDensity, 3e-6, "density");
        assertBelow(worstPressure / largestPressure, 2e-5, "pressure");
        assertBelow(worst / largest, 2e-5, "acceleration");
        compareForces(tank, reference, wb_atStart, dt, 1e-4);
        destroyTank(tank);
    }
    destroyRefTank(reference);
}

static void testEvaluation(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        makeBasin(dimensions, &setup, &bodies);
        for (int variant = 0; variant < variantCount; variant++) {
            setVariant(&setup.def.sph, variant);
            setup.def.sph.boundaryPressure = (wbBoundaryPressure)(variant % 3);
            bodies.bodies[1].adhesion = variant & 8 ? 30 : 0;
            if (dimensions == 2 || variant % 3 != 0) compareEvaluation(&setup, &bodies);
        }
    }
}

static void testSurface(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        makeBasin(dimensions, &setup, &bodies);
        for (int variant = 0; variant < surfaceVariantCount; variant++) {
            setSurfaceVariant(&setup.def.sph, variant);
            if (dimensions == 2 || variant % 3 == 0) compareEvaluation(&setup, &bodies);
        }
    }
}

// Bodies move on during a step: leapfrog sees them in its middle.
static void testSteps(void **state) {
    (void)state;
    static float x[3 * maxParticles], v[3 * maxParticles];
    static Setup setup;
    static Bodies bodies;
    for (int run = 0; run < 6; run++) {
        double largestX, largestV;
        makeBasin(run < 3 ? 2 : 3, &setup, &bodies);
        setup.def.sph.integrator = (wbIntegrator)(run % 3);
        bool isLeapfrog = setup.def.sph.integrator == wb_integratorLeapfrog;
        bodies.bodies[1].velocity[0] = 20; // so fast that half a step counts
        RefTank *reference = createRefTank(&setup, &bodies);
        for (int i = 0; i < comparedSteps; i++) stepRefTank(reference, (double)comparedDt);
        FOR_EACH_SIMD(simd) {
            setup.def.simd = simd;
            Tank *tank = createTank(&setup, &bodies);
            for (int i = 0; i < comparedSteps; i++) assertOk(stepTank(tank, &bodies, comparedDt));
            copyById(&tank->sph, x, v);
            double worstX = compareVectors(x, reference->sph->x, setup.count, &largestX);
            double worstV = compareVectors(v, reference->sph->v, setup.count, &largestV);
            assertBelow(worstX / setup.def.sph.spacing, 1e-4, "position in spacings");
            assertBelow(worstV / largestV, 1e-4, "velocity");
            compareForces(tank, reference, isLeapfrog ? wb_atMiddle : wb_atStart, comparedDt, 1e-3);
            destroyTank(tank);
        }
        destroyRefTank(reference);
    }
}

// Promises

static uint64_t hashTank(Tank *tank) {
    wbColumn columns[WB_PARTICLE_COLUMNS];
    uint64_t hash = 1;
    wbParticles_ListColumns(&tank->sph.fluid.particles, columns);
    for (int c = 0; c < WB_PARTICLE_COLUMNS; c++)
        if (columns[c].saved)
            hash = wbHashBytes(hash, *columns[c].data, 4 * (size_t)tank->sph.fluid.particles.count);
    for (int k = 0; k < tank->boundary.bodyCount; k++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(&tank->boundary, k);
        hash = wbHashBytes(hash, &body->impulse, sizeof body->impulse);
    }
    return hash;
}

static uint64_t hashSteps(const Setup *setup, const Bodies *bodies, int steps) {
    Tank *tank = createTank(setup, bodies);
    for (int i = 0; i < steps; i++) assertOk(stepTank(tank, bodies, comparedDt));
    uint64_t hash = hashTank(tank);
    destroyTank(tank);
    return hash;
}

// Colliders are walls with contact angles: that of the sides, or by their adhesion.
static void testTension(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int variant = 0; variant < 2; variant++) {
            makeBasin(dimensions, &setup, &bodies);
            setup.def.sph.soundSpeed = 2, setup.def.sph.surfaceTension = 100;
            setup.def.sph.tensionMethod = wb_tensionStress, setup.def.sph.smoothing = 2.8f;
            setup.def.sph.contactAngle = variant ? 60 : 90;
            bodies.bodies[1].adhesion = 50; // 120 degrees
            compareEvaluation(&setup, &bodies);
        }
}

static void testThreadsChangeNothing(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        makeBasin(dimensions, &setup, &bodies);
        setup.def.sph.integrator = wb_integratorLeapfrog;
        setup.def.sph.surfaceTension = 5;
        FOR_EACH_SIMD(simd) {
            setup.def.simd = simd;
            setup.def.threadCount = 1;
            uint64_t expected = hashSteps(&setup, &bodies, 10);
            for (setup.def.threadCount = 2; setup.def.threadCount <= 4; setup.def.threadCount++)
                assert_true(hashSteps(&setup, &bodies, 10) == expected);
        }
    }
}

// Neither no colliders, nor one without points, nor one far away.
static void testNothingNearChangesNothing(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    setup.def.simd = wb_simdScalar;
    for (int run = 0; run < 3; run++) {
        Bodies none = {.count = 0};
        Tank *tank = createTank(&setup, &none), *other;
        bodies.count = run == 2;
        bodies.bodies[0].position[1] = -100;
        other = createTank(&setup, &bodies);
        for (int i = 0; i < 5; i++) {
            wbArena_Reset(tank->work.arena);
            assertOk(wbSph_Step(&tank->sph, &tank->model, run == 0 ? NULL : &tank->colliders, &tank->work,
                                comparedDt));
            assertOk(stepTank(other, &bodies, comparedDt));
        }
        other->boundary.bodyCount = 0; // hashed without its forces, which are 0
        assert_true(hashTank(tank) == hashTank(other));
        destroyTank(tank);
        destroyTank(other);
    }
}

// What a step adds to the water's momentum is what the bodies did not get.
static void testMomentum(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    for (int run = 0; run < 4; run++) {
        makeBasin(run < 2 ? 2 : 3, &setup, &bodies);
        setup.def.domain.sides[wb_right].type = wb_sideOpen;
        setup.def.params.gravity = wbMakeVec3(0, 0, 0);
        setup.def.sph.artificialViscosity = 0.1f;
        setup.def.sph.integrator = run % 2 ? wb_integratorLeapfrog : wb_integratorSymplectic;
        Tank *tank = createTank(&setup, &bodies);
        double momentum[3] = {0}, impulse[3] = {0}, largest = 0;
        for (int i = 0; i < 3 * setup.count; i++) momentum[i % 3] -= tank->model.mass * (double)setup.v[i];
        for (int i = 0; i < 50; i++) {
            assertOk(stepTank(tank, &bodies, comparedDt));
            for (int k = 0; k < bodies.count; k++)
                for (int a = 0; a < 3; a++)
                    impulse[a] += wbBoundary_GetBody(&tank->boundary, k)->impulse.linear[a];
        }
        for (int i = 0; i < setup.count; i++) {
            momentum[0] += tank->model.mass * (double)tank->sph.fluid.particles.vx[i];
            momentum[1] += tank->model.mass * (double)tank->sph.fluid.particles.vy[i];
            momentum[2] += tank->model.mass * (double)tank->sph.fluid.particles.vz[i];
        }
        for (int a = 0; a < 3; a++) largest = fmax(largest, fabs(impulse[a]));
        assert_true(largest > 0);
        for (int a = 0; a < 3; a++)
            assertBelow(fabs(momentum[a] + impulse[a]) / largest, 1e-5, "momentum that was lost");
        destroyTank(tank);
    }
}

// Water in a vessel of points

// A vessel around a box from the origin, open at the top, on the lattice.
static void makeVessel(Body *body, int nx, int ny, float spacing, float h) {
    int layers = (int)ceilf(2 * h / spacing);
    body->count = 0;
    for (int j = -layers; j < ny; j++)
        for (int i = -layers; i < nx + layers; i++) {
            const float p[3] = {((float)i + 0.5f) * spacing, ((float)j + 0.5f) * spacing, 0};
            const float dx = fminf(fmaxf(p[0], 0), (float)nx * spacing) - p[0], dy = fmaxf(p[1], 0) - p[1];
            const float depth = sqrtf(dx * dx + dy * dy), normal[3] = {dx / depth, dy / depth, 0};
            if (depth > 0) addPoint(body, p, normal, depth);
        }
}

enum { columns = 16, layers = 30 };

typedef struct Column {
    double level, kinetic, weight, pressure[layers]; // m, m g H, m g, rho0 g H per layer one spacing high
} Column;

// The means of the last of six seconds; the tolerances of validation, see bench/validate_hydrostatic.c.
static Column settleColumn(bool isNoSlip) {
    const float spacing = 0.02f, gravity = 9.81f, height = layers * 0.02f;
    static Setup setup;
    static Bodies bodies;
    double samples[layers] = {0};
    Column column = {0};
    int steps = 0;
    setup = (Setup){.def = wbDefaultWorldDef(), .count = columns * layers};
    setup.def.params.dimensions = 2;
    setSides(&setup.def.domain, wb_sideOpen);
    setup.def.threadCount = 1;
    setup.def.sph.soundSpeed = 10 * sqrtf(gravity * height);
    setup.def.sph.artificialViscosity = 0.1f;
    for (int i = 0; i < setup.count; i++) {
        setup.x[3 * i] = ((float)(i % columns) + 0.5f) * spacing;
        setup.x[3 * i + 1] = ((float)(i / columns) + 0.5f) * spacing;
    }
    bodies = (Bodies){.count = 1};
    bodies.bodies[0].isNoSlip = isNoSlip;
    makeVessel(&bodies.bodies[0], columns, layers + 5, spacing, 2.1f * spacing);
    Tank *tank = createTank(&setup, &bodies);
    const wbParticles *particles = &tank->sph.fluid.particles;
    while (tank->time < 6) {
        float dt = wbSphModel_GetStableStep(&tank->model, particles->maxSpeed, particles->maxDensity);
        assertOk(stepTank(tank, &bodies, dt));
        if (tank->time < 5) continue;
        double highest[columns] = {0};
        for (int i = 0; i < particles->count; i++) {
            int layer = (int)(particles->y[i] / spacing), c = (int)(particles->x[i] / spacing);
            assert_true(layer >= 0 && c >= 0 && c < columns); // nothing leaks
            highest[c] = fmax(highest[c], particles->y[i] + spacing / 2);
            column.kinetic +=
                (double)(particles->vx[i] * particles->vx[i] + particles->vy[i] * particles->vy[i]) / 2 /
                (particles->count * (double)(gravity * height));
            if (layer < layers) column.pressure[layer] += particles->pressure[i], samples[layer]++;
        }
        for (int c = 0; c < columns; c++) column.level += highest[c] / columns;
        column.weight -= wbBoundary_GetBody(&tank->boundary, 0)->impulse.linear[1] /
                         (particles->count * tank->model.mass * (double)(gravity * dt));
        steps++;
    }
    column.level /= steps, column.kinetic /= steps, column.weight /= steps;
    for (int layer = 0; layer < layers; layer++)
        column.pressure[layer] /= samples[layer] * 1000 * (double)(gravity * height);
    destroyTank(tank);
    return column;
}

static void testColumnAtRest(void **state) {
    (void)state;
    for (int isNoSlip = 0; isNoSlip < 2; isNoSlip++) {
        Column column = settleColumn(isNoSlip);
        assertBelow(fabs(column.level - layers * 0.02), 0.02, "level");
        assertBelow(column.kinetic, 1e-4, "kinetic energy");
        assertBelow(fabs(column.weight - 1), 0.01, "weight on the vessel");
        for (int layer = 2; layer < layers - 2; layer++)
            assertBelow(fabs(column.pressure[layer] - (layers - layer - 0.5) / layers), 0.05, "pressure");
    }
}

// A column that is let go rings like a bell. Over points that have the mean pressure of the water near them, and nothing
// else, it rang on for seconds with more energy than it had: the floor was an engine.
static void testSoundFades(void **state) {
    (void)state;
    const float spacing = 0.2f, gravity = 9.81f;
    enum { height = 10 };
    static Setup setup;
    static Bodies bodies;
    double start = 0, highest = 0, kinetic = 0, time = 0;
    setup = (Setup){.def = wbDefaultWorldDef(), .count = columns * height};
    setup.def.params.dimensions = 2;
    setup.def.domain = (wbDomainDef){.min = {0, -2, 0}, .max = {columns * spacing, 4, 0}};
    setSides(&setup.def.domain, wb_sideFreeSlip);
    setup.def.threadCount = 1;
    setup.def.sph.spacing = spacing, setup.def.sph.soundSpeed = 60;
    for (int i = 0; i < setup.count; i++) {
        setup.x[3 * i] = ((float)(i % columns) + 0.5f) * spacing;
        setup.x[3 * i + 1] = ((float)(i / columns) + 0.5f) * spacing;
    }
    // it goes on behind the sides, which do not mirror it
    bodies = (Bodies){.count = 1};
    makeSlab(&bodies.bodies[0], columns + 6, 1, spacing, 2.1f * spacing, true);
    bodies.bodies[0].position[0] = -3 * (double)spacing;
    Tank *tank = createTank(&setup, &bodies);
    const wbParticles *p = &tank->sph.fluid.particles;
    while (tank->time < 2.5) {
        double potential = 0, moving = 0;
        for (int i = 0; i < p->count; i++) {
            potential += (double)(gravity * p->y[i]);
            moving += 0.5 * (double)(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i]);
        }
        if (start == 0) start = potential;
        highest = fmax(highest, potential + moving);
        float dt = wbSphModel_GetStableStep(&tank->model, p->maxSpeed, p->maxDensity);
        if (tank->time >= 2) kinetic += moving * (double)dt, time += (double)dt;
        assertOk(stepTank(tank, &bodies, dt));
    }
    assertBelow(highest / start - 1, 1e-4, "energy above the start");
    assertBelow(kinetic / time / start, 5e-4, "kinetic energy");
    destroyTank(tank);
}

// A piston drives a block of water in front of it.
static void testPiston(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    const double speed = 1;
    setup = (Setup){.def = wbDefaultWorldDef(), .count = 20 * 10};
    setup.def.params.dimensions = 2;
    setup.def.params.gravity = wbMakeVec3(0, 0, 0);
    setup.def.threadCount = 1;
    setup.def.sph.spacing = 0.1f;
    setup.def.domain = (wbDomainDef){.min = {-100, 0, 0}, .max = {100, 1, 0}};
    setup.def.domain.sides[wb_left].type = setup.def.domain.sides[wb_right].type = wb_sideOpen;
    for (int i = 0; i < setup.count; i++)
        setup.x[3 * i] = ((float)(i % 20) + 0.5f) * 0.1f,
                    setup.x[3 * i + 1] = ((float)(i / 20) + 0.5f) * 0.1f;
    bodies = (Bodies){.count = 1};
    Body *piston = &bodies.bodies[0];
    makeSlab(piston, 20, 1, 0.1f, 0.21f, true);
    piston->isMoving = true;
    piston->position[1] = 1.5, piston->angle = -acos(-1) / 2; // its face looks along x
    piston->velocity[0] = speed;
    Tank *tank = createTank(&setup, &bodies);
    double impulse = 0, mass = setup.count * tank->model.mass, momentum = 0;
    while (tank->time < 1) {
        float top = fmaxf(tank->sph.fluid.particles.maxSpeed, wbBoundary_GetTopSpeed(&tank->boundary));
        float dt = wbSphModel_GetStableStep(&tank->model, top, tank->sph.fluid.particles.maxDensity);
        assertOk(stepTank(tank, &bodies, dt));
        impulse -= wbBoundary_GetBody(&tank->boundary, 0)->impulse.linear[0];
        for (int i = 0; i < setup.count; i++)
            assert_true(tank->sph.fluid.particles.x[i] > speed * tank->time);
    }
    for (int i = 0; i < setup.count; i++)
        momentum += tank->model.mass * (double)tank->sph.fluid.particles.vx[i];
    assertBelow(fabs(impulse / momentum - 1), 1e-4, "impulse");
    assert_true(momentum / mass > 0.95 * speed && momentum / mass < 2 * speed);
    destroyTank(tank);
}

// What the collision is told

typedef struct Watch {
    int calls;
    wbBoundaryTime times[4];
    float drift; // s
    double worst;
} Watch;

static void watchDrift(const wbDrift *drift, const wbWork *work, void *context) {
    (void)work;
    Watch *watch = context;
    watch->times[2 * watch->calls] = drift->from, watch->times[2 * watch->calls + 1] = drift->to;
    watch->calls++;
    for (int i = 0; i < drift->count; i++) {
        float moved = drift->x[i] - drift->beforeX[i];
        watch->worst = fmax(watch->worst, fabsf(moved - watch->drift * drift->vx[i]));
        drift->vz[i] = 7; // what it changes stays
    }
}

static void testCollisionIsCalled(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    setup.def.domain.sides[wb_right].type = wb_sideOpen;
    setup.def.simd = wb_simdScalar;
    for (int k = 0; k < 2; k++) {
        Watch watch = {.drift = k == 0 ? 1e-3f : 0.5e-3f};
        setup.def.sph.integrator = k == 0 ? wb_integratorSymplectic : wb_integratorLeapfrog;
        Tank *tank = createTank(&setup, &bodies);
        tank->colliders.collide = watchDrift, tank->colliders.context = &watch;
        assertOk(stepTank(tank, &bodies, 1e-3f));
        assert_int_equal(watch.calls, k + 1);
        assert_int_equal(watch.times[0], wb_atStart);
        assert_int_equal(watch.times[1], k == 0 ? wb_atEnd : wb_atMiddle);
        if (k == 1) assert_true(watch.times[2] == wb_atMiddle && watch.times[3] == wb_atEnd);
        // leapfrog's first drift is by the velocity of before the kick
        assertBelow(watch.worst, k == 0 ? 1e-6 : 1e-3, "drift");
        for (int i = 0; i < setup.count; i++) assert_true(tank->sph.fluid.particles.vz[i] == 7);
        destroyTank(tank);
    }
}

static void countDrifts(const wbDrift *drift, const wbWork *work, void *context) {
    (void)drift, (void)work;
    ++*(int *)context;
}

static void testWarmStepsAllocateNothing(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    setup.def.params.gravity = wbMakeVec3(0, 0, 0);
    setup.def.sph.surfaceTension = 1;
    for (int integrator = wb_integratorEuler; integrator <= wb_integratorLeapfrog; integrator++) {
        setup.def.sph.integrator = (wbIntegrator)integrator;
        Tank *tank = createTank(&setup, &bodies);
        int drifts = 0;
        tank->colliders.collide = countDrifts, tank->colliders.context = &drifts;
        for (int i = 0; i < 3; i++) assertOk(stepTank(tank, &bodies, 1e-9f));
        uint64_t before = wbGetMemoryUse(tank->work.memory).calls;
        for (int i = 0; i < 50; i++) assertOk(stepTank(tank, &bodies, 1e-9f));
        assert_int_equal(wbGetMemoryUse(tank->work.memory).calls, before);
        destroyTank(tank);
    }
}

// Memory

typedef struct Heap {
    int calls, failing; // counted from 1; 0: none fails
    bool allFollow;
} Heap;

static void *allocate(size_t bytes, size_t alignment, void *context) {
    Heap *heap = context;
    void *block = NULL;
    heap->calls++;
    bool fails =
        heap->failing && (heap->allFollow ? heap->calls >= heap->failing : heap->calls == heap->failing);
    if (fails || posix_memalign(&block, alignment, bytes) != 0) return NULL;
    memset(block, 0xff, bytes); // NaN: what is read before it is written shows
    return block;
}

static void release(void *block, size_t bytes, void *context) {
    (void)bytes, (void)context;
    free(block);
}

// Particles by id, single numbers and forces.
typedef struct Snapshot {
    float columns[8][maxParticles];
    float values[3];
    wbImpulse impulses[maxBodies];
} Snapshot;

static void takeSnapshot(const Tank *tank, Snapshot *shot) {
    const wbParticles *particles = &tank->sph.fluid.particles;
    const float *columns_[8] = {particles->x,  particles->y,  particles->z,       particles->vx,
                                particles->vy, particles->vz, particles->density, particles->pressure};
    memset(shot, 0, sizeof *shot);
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < particles->count; k++) shot->columns[c][particles->id[k]] = columns_[c][k];
    shot->values[0] = particles->maxSpeed, shot->values[1] = particles->maxDensity;
    shot->values[2] = tank->sph.sinceEvaluation;
    for (int k = 0; k < tank->boundary.bodyCount; k++)
        shot->impulses[k] = wbBoundary_GetBody(&tank->boundary, k)->impulse;
}

// All columns as they are, or back to that.
static void copyColumns(wbParticles *particles, float copy[WB_SAVED_COLUMNS][maxParticles], bool isBack) {
    wbColumn list[WB_PARTICLE_COLUMNS];
    wbParticles_ListColumns(particles, list);
    for (int c = 0; c < WB_SAVED_COLUMNS; c++)
        memcpy(isBack ? *list[c].data : copy[c], isBack ? copy[c] : *list[c].data,
               4 * (size_t)particles->count);
}

// Lets the k-th allocation of the first step fail, then does the step again with the particles of before: it gives what it gives
// without a failure, k = 0. Adds to the failures after a drift; false if there are no so many allocations.
static bool failStep(const Setup *setup, const Bodies *bodies, Heap *heap, int k, bool allFollow,
                     int *failedInMiddle) {
    static Snapshot expected, found;
    static float start[WB_SAVED_COLUMNS][maxParticles];
    int drifts = 0;
    *heap = (Heap){0};
    Tank *tank = createTank(setup, bodies);
    tank->colliders.collide = countDrifts, tank->colliders.context = &drifts;
    copyColumns(&tank->sph.fluid.particles, start, false);
    *heap = (Heap){.failing = k, .allFollow = allFollow};
    wbStatus status = stepTank(tank, bodies, comparedDt);
    bool isReached = heap->calls >= k;
    heap->failing = 0;
    if (!wbIsOk(status)) {
        assert_int_equal(status.code, wb_errorMemory);
        *failedInMiddle += drifts > 0;
        copyColumns(&tank->sph.fluid.particles, start, true);
        tank->sph.sinceEvaluation = 0;
        assertOk(stepTank(tank, bodies, comparedDt));
    }
    takeSnapshot(tank, k == 0 ? &expected : &found);
    if (k > 0) assert_memory_equal(&found, &expected, sizeof found);
    destroyTank(tank);
    return isReached;
}

static void testMemoryFailure(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    static Heap heap;
    const wbAllocator allocator = {allocate, release, &heap};
    makeBasin(2, &setup, &bodies);
    bodies.bodies[2] = bodies.bodies[1], bodies.count = 3;
    bodies.bodies[2].velocity[0] = -1e5; // 50 m away in the middle of the step: more cells are needed
    setup.def.simd = wb_simdScalar;
    setup.def.threadCount = 1;
    setup.def.sph.surfaceTension = 1;
    wbSetAllocator(&allocator);
    for (int integrator = wb_integratorSymplectic; integrator <= wb_integratorLeapfrog; integrator++)
        for (int allFollow = 0; allFollow < 2; allFollow++) {
            int k = 0, failedInMiddle = 0;
            setup.def.sph.integrator = (wbIntegrator)integrator;
            while (failStep(&setup, &bodies, &heap, k, allFollow, &failedInMiddle)) k++;
            assert_true(k > 40);
            assert_true((failedInMiddle > 0) == (integrator == wb_integratorLeapfrog));
        }
    wbSetAllocator(NULL);
}

// The rest

static void testTopSpeed(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    Tank *tank = createTank(&setup, &bodies);
    const wbMotion motions[3] = {{.pose = wb_poseAtOrigin},
                                 {.pose = wb_poseAtOrigin, .velocity = {3, 4, 0}},
                                 {.pose = wb_poseAtOrigin}};
    assert_float_equal(wbBoundary_GetTopSpeed(&tank->boundary),
                       sqrtf(0.34f) + 2 * wbBoundary_GetBody(&tank->boundary, 1)->reach, 1e-5f);
    wbBoundary_SetMotion(&tank->boundary, 1, motions);
    assert_float_equal(wbBoundary_GetTopSpeed(&tank->boundary), 5, 1e-6f);
    float slow = wbSphModel_GetStableStep(&tank->model, 0, 0);
    assert_true(wbSphModel_GetStableStep(&tank->model, wbBoundary_GetTopSpeed(&tank->boundary), 0) < slow);
    destroyTank(tank);
}

// Other kernels need other weights, and still bodies may be put elsewhere: as if it had been so from the start.
static void testChanges(void **state) {
    (void)state;
    static Setup setup;
    static Bodies bodies;
    makeBasin(3, &setup, &bodies);
    setup.def.simd = wb_simdScalar;
    setup.def.threadCount = 1;
    Tank *tank = createTank(&setup, &bodies);
    assertOk(stepTank(tank, &bodies, comparedDt));
    setup.def.sph.kernel = wb_kernelMuller, setup.def.sph.smoothing = 2.5f;
    bodies.bodies[0].position[1] = -0.02, bodies.bodies[0].adhesion = 3;
    const wbMotion still = moveBody(&bodies.bodies[0], 0), motions[3] = {still, still, still};
    wbBoundary_SetMotion(&tank->boundary, 0, motions);
    assert_false(tank->boundary.isStillPlaced);
    wbBoundary_SetSurface(&tank->boundary, 0, true, 0, 3);
    assertOk(wbSphModel_Init(&tank->model, &setup.def.sph, &tank->domain));
    fillTank(tank, &setup);
    tank->sph.sinceEvaluation = 0, tank->time = 0;
    assertOk(stepTank(tank, &bodies, comparedDt));
    wbBoundary_SetMotion(&tank->boundary, 0, motions); // the same again: nothing is sorted anew
    assert_true(tank->boundary.isStillPlaced);
    Tank *fresh = createTank(&setup, &bodies);
    assertOk(stepTank(fresh, &bodies, comparedDt));
    assert_true(hashTank(tank) == hashTank(fresh));
    destroyTank(tank);
    destroyTank(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEvaluation),
        cmocka_unit_test(testSurface),
        cmocka_unit_test(testSteps),
        cmocka_unit_test(testTension),
        cmocka_unit_test(testThreadsChangeNothing),
        cmocka_unit_test(testNothingNearChangesNothing),
        cmocka_unit_test(testMomentum),
        cmocka_unit_test(testColumnAtRest),
        cmocka_unit_test(testSoundFades),
        cmocka_unit_test(testPiston),
        cmocka_unit_test(testCollisionIsCalled),
        cmocka_unit_test(testWarmStepsAllocateNothing),
        cmocka_unit_test(testMemoryFailure),
        cmocka_unit_test(testTopSpeed),
        cmocka_unit_test(testChanges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
