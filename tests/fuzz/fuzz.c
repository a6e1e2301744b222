// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"

void wbExpect(bool condition, const char *message) {
    if (condition) return;
    fprintf(stderr, "finding: %s\n", message);
    abort();
}

void wbExpectText(wbStatus status) {
    wbExpect(wbIsOk(status) == (status.text[0] == 0), "a failure has a text, and success has none");
}

bool wbLimitScene(wbScene *scene, size_t choice) {
    enum { MOST_PARTICLES = 3000, MOST_CELLS = 5000 };
    wbWorldDef *def = wbScene_GetWorldDef(scene);
    wbSimd simd = (wbSimd)(wb_simdScalar + choice % 4);
    def->simd = wbIsSimdSupported(simd) ? simd : wb_simdScalar;
    def->threadCount = 1;
    def->params.memoryLimit = fminf(def->params.memoryLimit, 8e6f); // also bounds the samples of colliders
    const wbVec3 size = wbSub(def->domain.max, def->domain.min);
    double h = (double)def->smoke.cellSize, depth = def->params.dimensions == 3 ? (double)size.z / h : 1;
    if (def->hasSmoke && !((double)size.x / h * ((double)size.y / h) * depth <= MOST_CELLS)) return false;
    return wbScene_GetParticleCount(scene) <= MOST_PARTICLES;
}

static void readFluid(wbWorld *world, wbFluidId fluid, bool mustBeFinite) {
    wbView view;
    wbStatus status = wbFluid_GetView(world, fluid, &view);
    wbExpectText(status);
    if (!wbIsOk(status) || !mustBeFinite) return;
    for (int i = 0; i < view.count; i++) {
        float sum =
            view.x[i] * 0 + view.y[i] * 0 + view.z[i] * 0 + view.vx[i] * 0 + view.vy[i] * 0 + view.vz[i] * 0;
        wbExpect(sum == 0, "a step that succeeds leaves finite particles");
    }
}

static void readRigidBody(wbWorld *world, wbRigidBodyId body, bool mustBeFinite) {
    wbRigidMotion motion;
    wbStatus status = wbRigidBody_GetMotion(world, body, &motion);
    wbExpectText(status);
    if (!wbIsOk(status) || !mustBeFinite) return;
    const wbVec3 sum = wbAdd(wbAdd(motion.position, motion.velocity), motion.spin);
    wbExpect(sum.x * 0 + sum.y * 0 + sum.z * 0 == 0, "a step that succeeds leaves finite rigid bodies");
}

// What emitters send in crosses so many spacings in a step of 1/60 s, each of which is a sub-step or more: 160000 at the fastest.
static double countSpacings(const wbWorld *world) {
    double fastest = 0;
    for (int i = 0; i < wbWorld_GetEmitterCount(world); i++) {
        char key[256], text[64];
        double speed;
        snprintf(key, sizeof key, "%s.velocity", wbEmitter_GetName(world, wbWorld_GetEmitter(world, i)));
        if (wbIsOk(wbWorld_GetParam(world, key, text, sizeof text)) && wbParseNumber(text, &speed))
            fastest = fmax(fastest, speed);
    }
    return fastest / 60 /
           (double)fminf(wbWorld_GetSphParams(world)->spacing, wbWorld_GetPbfParams(world)->spacing);
}

// Steps of position based fluids and soft bodies may be cut into 10000 parts of 10000 iterations each, those of rigid bodies into
// 1000, which is no finding.
static bool isShortStep(wbWorld *world) {
    enum { MOST_ITERATIONS = 100000 }; // of single particles
    const wbPbfParams *pbf = wbWorld_GetPbfParams(world);
    const wbPbdParams *pbd = wbWorld_GetPbdParams(world);
    const double parts = fmax((double)pbf->subSteps, wbWorld_GetProfile(world).pbfSubSteps);
    double sum = 0, spacings = countSpacings(world);
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++)
        sum += (pbf->iterations * parts + spacings) *
               wbFluid_GetParticleCount(world, wbWorld_GetFluid(world, i));
    for (int i = 0; i < wbWorld_GetSoftBodyCount(world); i++) {
        const int particles = wbSoftBody_GetParticleCount(world, wbWorld_GetSoftBody(world, i));
        sum += (double)pbd->iterations * pbd->subSteps * particles;
    }
    const wbRigidParams *rigid = wbWorld_GetRigidParams(world);
    const float subSteps = rigid->subSteps > 0 ? rigid->subSteps : 10;
    const int bodies = wbWorld_GetRigidBodyCount(world);
    // as particles, and each near each other
    sum += (double)subSteps * bodies * (rigid->contact == wb_contactParticles ? 100 : fmin(bodies, 30));
    return sum <= MOST_ITERATIONS;
}

void wbStepOnce(wbWorld *world) {
    if (!isShortStep(world)) return;
    wbStatus status = wbWorld_Step(world, 0);
    wbExpectText(status);
    for (int i = 0; i < wbWorld_GetFluidCount(world); i++)
        readFluid(world, wbWorld_GetFluid(world, i), wbIsOk(status));
    for (int i = 0; i < wbWorld_GetRigidBodyCount(world); i++)
        readRigidBody(world, wbWorld_GetRigidBody(world, i), wbIsOk(status));
    wbSmokeView smoke;
    wbExpectText(wbWorld_GetSmokeView(world, &smoke));
    for (int j = 0; j < smoke.cells[1] && wbIsOk(status); j++)
        for (int i = 0; i < smoke.cells[0]; i++)
            wbExpect(smoke.density[i + j * smoke.strideY] * 0 + smoke.u[i + j * smoke.strideY] * 0 == 0,
                     "a step that succeeds leaves finite air");
    (void)wbWorld_GetStats(world);
    (void)wbWorld_Hash(world);
}

void wbRunScene(const wbScene *scene) {
    wbWorld *world;
    wbStatus status = wbScene_CreateWorld(scene, &world);
    wbExpectText(status);
    wbExpect(wbIsOk(status) == (world != NULL), "a world is there if and only if it was made");
    if (!world) return;
    wbExpectText(wbScene_RunScript(scene, world));
    wbStepOnce(world);
    wbDestroyWorld(world);
}
