// SPDX-License-Identifier: MIT
// For tests of smoke: volumes with everything in them, and comparisons with the reference.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/hash.h"
#include "reference/smoke.h"
#include "smoke/smoke.h"
#include "test_support.h"

static inline void assertBelow(double value, double limit, const char *what) {
    if (value <= limit) return;
    print_error("%s: %g is above %g\n", what, value, limit);
    fail();
}

/// Memory, arena and threads of a test.
static inline wbWork makeWork(int threads, wbSimd simd) {
    wbWork work = {.memory = wbCreateMemory(0), .simd = simd};
    work.arena = wbCreateArena(work.memory);
    work.pool = wbCreateThreadPool(work.memory, threads, NULL, NULL);
    return work;
}

static inline void freeWork(wbWork *work) {
    wbDestroyThreadPool(work->pool);
    wbDestroyArena(work->arena);
    wbDestroyMemory(work->memory);
}

/// A volume of nx × ny × nz cells of 0.1 m with free-slip sides and no forces.
typedef struct Volume {
    int n[3], dimensions;
    wbSmokeParams params;
    wbDomainDef domain;
    wbVec3 gravity;
    int bodyCount;
    wbSmokeBody bodies[2];
    uint8_t (*solid)(const struct Volume *volume, int i, int j, int k); ///< NULL: no solid cells
    float speed;                                                        ///< of random velocities at the start
} Volume;

static inline Volume makeVolume(int dimensions, int nx, int ny, int nz) {
    Volume volume = {.n = {nx, ny, nz}, .dimensions = dimensions, .speed = 1};
    const float h = 0.1f;
    volume.params = wbDefaultSmokeParams();
    volume.params.cellSize = h;
    volume.params.confinement = volume.params.buoyancy = volume.params.weight = 0;
    volume.params.tolerance = 1e-5f;
    volume.params.maxCycles = 60;
    volume.domain.min = wbMakeVec3(-0.3f, 0.2f, 0.1f);
    volume.domain.max = wbMakeVec3(-0.3f + h * (float)nx, 0.2f + h * (float)ny, 0.1f + h * (float)nz);
    volume.gravity = wbMakeVec3(0, -9.81f, 0);
    return volume;
}

/// The same volume in both solvers.
typedef struct Twin {
    wbSmoke smoke;
    wbSmokeModel model;
    refSmoke *reference;
} Twin;

static inline float *findValue(wbSmoke *smoke, int field, int i, int j, int k) {
    return &smoke->fields[field][wbSmokeIndex(&smoke->grid, i, j, k)];
}

/// Calls visit for every value of every field that the reference has, too.
typedef void VisitFn(Twin *twin, int field, int i, int j, int k, float *fast, double *reference,
                     void *context);
static inline void visitValues(Twin *twin, VisitFn *visit, void *context) {
    refSmoke *ref = twin->reference;
    for (int f = 0; f < refDensity + twin->smoke.scalarCount && f < refFields; f++)
        for (int k = 0; k < refCount(ref, f, 2); k++)
            for (int j = 0; j < refCount(ref, f, 1); j++)
                for (int i = 0; i < refCount(ref, f, 0); i++)
                    visit(twin, f, i, j, k, findValue(&twin->smoke, f, i, j, k),
                          &ref->field[f][refIndex(ref, f, i, j, k)], context);
}

static inline void setRandom(Twin *twin, int f, int i, int j, int k, float *fast, double *reference,
                             void *context) {
    const Volume *volume = context;
    uint32_t counter = (uint32_t)(((f * 64 + k) * 256 + j) * 256 + i);
    bool solid = f >= 3 && twin->reference->solid[i + volume->n[0] * (j + volume->n[1] * k)];
    *fast = f < 3 ? volume->speed * (2 * wbHashFloat(counter) - 1) : wbHashFloat(counter);
    if (solid || (f == 2 && volume->dimensions == 2)) *fast = 0;
    *reference = *fast;
}

static inline void takeClosedFaces(Twin *twin, int f, int i, int j, int k, float *fast, double *reference,
                                   void *context) {
    (void)twin, (void)f, (void)i, (void)j, (void)k, (void)context;
    *fast = (float)*reference;
    *reference = *fast;
}

static inline void createTwin(Twin *twin, const Volume *volume, const wbWork *work) {
    const int *n = volume->n;
    const wbDomain domain = wbMakeDomain(&volume->domain, volume->gravity, volume->dimensions);
    assertOk(wbSmokeModel_Init(&twin->model, &volume->params, &domain));
    assertOk(wbSmoke_Init(&twin->smoke, &twin->model, work));
    assert_int_equal(twin->smoke.grid.nx, n[0]);
    assert_int_equal(twin->smoke.grid.ny, n[1]);
    refSmoke *ref = twin->reference =
        refCreateSmoke(volume->dimensions, n[0], n[1], n[2], volume->params.cellSize);
    ref->params = volume->params;
    ref->origin = volume->domain.min;
    memcpy(ref->sides, twin->model.sides, sizeof ref->sides);
    memcpy(ref->bodies, volume->bodies, sizeof volume->bodies);
    uint16_t *mask = calloc((size_t)(n[0] * n[1] * n[2]), sizeof *mask);
    for (int k = 0; k < n[2] && volume->solid; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                mask[wbSmokeCell(&twin->smoke.grid, i, j, k)] = ref->solid[i + n[0] * (j + n[1] * k)] =
                    volume->solid(volume, i, j, k);
    assertOk(wbSmoke_SetSolids(&twin->smoke, &twin->model, work,
                               &(wbSmokeSolids){mask, volume->bodies, volume->bodyCount}));
    free(mask);
    visitValues(twin, setRandom, (void *)volume);
    refSetClosedFaces(ref);
    visitValues(twin, takeClosedFaces, NULL);
}

static inline void destroyTwin(Twin *twin, const wbWork *work) {
    wbSmoke_Free(work->memory, &twin->smoke);
    refDestroySmoke(twin->reference);
}

static inline void takeWorst(Twin *twin, int f, int i, int j, int k, float *fast, double *reference,
                             void *context) {
    (void)twin, (void)f, (void)i, (void)j, (void)k;
    double *worst = context, difference = fabs(*fast - *reference);
    if (!(difference <= worst[f])) worst[f] = difference;
}

/// The largest difference of each field.
static inline void compareTwin(Twin *twin, double worst[refFields]) {
    for (int f = 0; f < refFields; f++) worst[f] = 0;
    visitValues(twin, takeWorst, worst);
}

/// The largest velocity across a face.
static inline float findFastest(wbSmoke *smoke) {
    const wbSmokeGrid *grid = &smoke->grid;
    float fastest = 0;
    for (int f = 0; f < grid->dimensions; f++)
        for (int k = 0; k < grid->nz + (f == 2); k++)
            for (int j = 0; j < grid->ny + (f == 1); j++)
                for (int i = 0; i < grid->nx + (f == 0); i++)
                    fastest = fmaxf(fastest, fabsf(*findValue(smoke, f, i, j, k)));
    return fastest;
}

/// Of all velocities across faces.
static inline double sumSquares(wbSmoke *smoke) {
    const wbSmokeGrid *grid = &smoke->grid;
    double sum = 0;
    for (int f = 0; f < grid->dimensions; f++)
        for (int k = 0; k < grid->nz + (f == 2); k++)
            for (int j = 0; j < grid->ny + (f == 1); j++)
                for (int i = 0; i < grid->nx + (f == 0); i++) {
                    double u = *findValue(smoke, f, i, j, k);
                    sum += u * u;
                }
    return sum;
}

/// What the pressure does at closed faces is no speed of the air.
static inline void checkMaxSpeed(wbSmoke *smoke, const char *what) {
    float sides = smoke->sideSpeed, fastest = fmaxf(findFastest(smoke), sides);
    assertBelow(fabsf(fmaxf(smoke->maxSpeed, sides) - fastest), 1e-6 * fastest, what);
}

/// A ball and a bar, of two bodies.
static inline uint8_t ballAndBar(const Volume *volume, int i, int j, int k) {
    const int *n = volume->n;
    double x = i - 0.4 * n[0], y = j - 0.5 * n[1], z = volume->dimensions == 3 ? k - 0.5 * n[2] : 0,
           r = 0.2 * n[1];
    if (x * x + y * y + z * z < r * r) return 1;
    return i == n[0] - 3 && j > 2 && j < n[1] - 2 ? 2 : 0;
}

/// Cells of makeBusy(3, …), and so the bytes of a mask for it.
enum { BUSY_X = 19, BUSY_Y = 17, BUSY_Z = 11, BUSY_CELLS = BUSY_X * BUSY_Y * BUSY_Z };

/// Heat is conducted, to a side and solid cells of fixed temperatures, from others that insulate; confinement takes away.
static inline void addHeat(Volume *volume) {
    volume->params.thermalDiffusivity = 0.07f;
    volume->params.ambient = 0.3f;
    volume->params.confinement = -0.25f;
    volume->domain.sides[wb_left].temperature = 1.7f;
    volume->domain.sides[wb_top].temperature = -0.6f;
    volume->domain.sides[wb_front].temperature = 0.9f;
    volume->bodies[0].hasTemperature = true;
    volume->bodies[0].temperature = 2.2f;
}

/// Everything at once; five bits of the variant choose how, and BUSY_HEAT adds heat.
enum { BUSY_HEAT = 32 };
static inline Volume makeBusy(int dimensions, int variant) {
    Volume volume = dimensions == 3 ? makeVolume(3, BUSY_X, BUSY_Y, BUSY_Z) : makeVolume(2, 37, 22, 1);
    static const wbSmokeAdvection advections[4] = {wb_smokeConserving, wb_smokeMacCormack,
                                                   wb_smokeSemiLagrangian, wb_smokeConserving};
    volume.params.advection = advections[variant & 3];
    volume.params.velocityAdvection = variant >> 1 & 1;
    volume.params.backtrace = variant >> 2 & 1;
    volume.params.scheme = variant >> 4 & 1;
    volume.params.tolerance = 2e-6f;
    volume.params.densityDecay = 0.3f, volume.params.cooling = 0.5f, volume.params.velocityDecay = 0.2f;
    volume.params.buoyancy = 3, volume.params.weight = 0.7f, volume.params.confinement = 0.4f;
    volume.params.wind = wbMakeVec3(0.25f, -0.2f, dimensions == 3 ? 0.4f : 0);
    volume.params.viscosity = variant & 8 ? 0.05f : 0;
    volume.params.keepMass = !(variant & 1);
    volume.params.fire = variant & 4;
    volume.params.ignition = 0.4f, volume.params.burnHeat = 2;
    wbSideDef *sides = volume.domain.sides;
    if (variant & 2) sides[wb_top].type = sides[wb_right].type = wb_sideOpen;
    sides[wb_left].type = wb_sideNoSlip;
    for (int s = 0; s < wb_sideCount; s++) sides[s].temperature = NAN;
    sides[wb_bottom] = (wbSideDef){wb_sideNoSlip, {0.6f, 0, dimensions == 3 ? -0.3f : 0}, NAN};
    if (dimensions == 3 && variant & 4) sides[wb_back].type = wb_sideOpen;
    volume.solid = ballAndBar;
    volume.bodyCount = 2;
    volume.bodies[0] =
        (wbSmokeBody){.centre = {0.2f, 0.9f, 0.5f}, .velocity = {0.3f, -0.2f, 0}, .spin = {0, 0, 1.5f}};
    if (variant & BUSY_HEAT) addHeat(&volume);
    return volume;
}

static const wbSmokeSource busySources[3] = {
    {.shape = wb_sourceSphere,
     .centre = {0.81f, 0.63f, 0.52f},
     .radius = 0.37f,
     .soft = true,
     .feeds = true,
     .density = 1.5f,
     .temperature = 2,
     .rate = 20,
     .end = 100},
    {.shape = wb_sourceBox,
     .centre = {0.123f, 1.213f, 0.617f},
     .half = {0.22f, 0.17f, 0.27f},
     .feeds = true,
     .blows = true,
     .density = 0.7f,
     .temperature = -1,
     .fuel = 0.6f,
     .expansion = 3,
     .velocity = {1, 0.5f, 0},
     .end = 100},
    {.shape = wb_sourceSphere,
     .centre = {0, 1, 0},
     .radius = 10,
     .feeds = true,
     .density = 9,
     .expansion = 5,
     .start = 50,
     .end = 100},
};

static inline uint8_t ball(const Volume *volume, int i, int j, int k) {
    const int *n = volume->n;
    double x = (i + 0.5) / n[0] - 0.5, y = (j + 0.5) / n[1] - 0.5, z = (k + 0.5) / n[2] - 0.5;
    return x * x + y * y + (volume->dimensions == 3 ? z * z : 0) < 0.02;
}

static inline uint8_t thinPlate(const Volume *volume, int i, int j, int k) {
    const int *n = volume->n;
    return j == n[1] / 2 + 1 && i > n[0] / 8 && i < n[0] * 7 / 8 &&
           (volume->dimensions == 2 || (k > 2 && k < n[2] - 3));
}

/// A shell of two cells around a closed room, with a slit in its lid or without.
static inline uint8_t shell(const Volume *volume, int i, int j, int k, bool slit) {
    const int *n = volume->n;
    int x = abs(i - n[0] / 2), y = abs(j - n[1] / 2), z = volume->dimensions == 3 ? abs(k - n[2] / 2) : 0;
    int far = x > y ? x : y, edge = n[1] / 4;
    far = far > z ? far : z;
    if (far < edge - 1 || far > edge) return 0;
    return !(slit && j > n[1] / 2 && x == 0 && z < 4);
}
static inline uint8_t closedRoom(const Volume *volume, int i, int j, int k) {
    return shell(volume, i, j, k, false);
}
static inline uint8_t slitRoom(const Volume *volume, int i, int j, int k) {
    return shell(volume, i, j, k, true);
}

static inline uint8_t rubble(const Volume *volume, int i, int j, int k) {
    return wbHashFloat((uint32_t)(i + volume->n[0] * (j + volume->n[1] * k))) < 0.3f;
}

/// Inviscid air around a ball, with far fewer sweeps than the pressure would take.
static inline Volume makeFewSweeps(wbPressureSolver solver) {
    Volume volume = makeVolume(2, 30, 26, 1);
    volume.params.pressureSolver = solver;
    volume.params.sweeps = 1;
    volume.params.relaxation = 1.99f;
    volume.solid = ball;
    volume.bodyCount = 1;
    return volume;
}

/// Divergence that is left by the definition, from the velocities themselves, as a share of `before`.
static inline double measureShare(const wbSmoke *smoke) {
    const wbSmokeGrid *grid = &smoke->grid;
    double sum = 0;
    for (int j = 0; j < grid->ny; j++) {
        for (int k = 0; k < grid->nz; k++) {
            for (int i = 0; i < grid->nx; i++) {
                int c = wbSmokeIndex(grid, i, j, k);
                const float *u = smoke->fields[0] + c, *v = smoke->fields[1] + c, *w = smoke->fields[2] + c;
                if (smoke->solid[wbSmokeCell(grid, i, j, k)]) continue;
                double d = (double)u[1] - u[0] + v[grid->plane] - v[0] + w[grid->row] - w[0];
                sum += d * d;
            }
        }
    }
    return sum > 0 ? sqrt(sum / smoke->pressure.airCount) / grid->h / smoke->divergenceBefore : 0;
}

/// The solver reports what it has left.
static inline void checkReport(const wbSmoke *smoke, const char *what) {
    double reported = smoke->divergence / fmax(smoke->divergenceBefore, 1e-30);
    assertBelow(fabs(measureShare(smoke) - reported), 1e-5, what);
}
