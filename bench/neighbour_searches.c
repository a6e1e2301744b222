// SPDX-License-Identifier: MIT
// Searches with a reach per point, beside each other, on the points of an adaptive ball: grids of octaves (as the fluid searches), Z-order and binary
// searches (L. Geyer 2022, section 5.4.2), and Embree's point queries, a stand-in for ray tracing hardware (section 5.4.3). Not a part of wirbel.
// usage: neighbour_searches [dimensions [radius [repeats]]]
#include <embree3/rtcore.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/adaptive_theory.h"
#include "bench/case_work.h"
#include "core/hash.h"
#include "core/timer.h"
#include "pbd/pbf_thesis.h"
#include "reference/z_order.h"

// Points at random in a ball, as dense as the theory says at each place, with kernels as wide as there.
typedef struct Cloud {
    int dimensions, count;
    float *x, *y, *z, *h;
} Cloud;

static Cloud createCloud(int dimensions, double radius) {
    const wbAdaptiveTheory theory = wbMakeThesisTheory(dimensions, radius);
    const int wanted = (int)wbTheory_CountParticles(&theory);
    const size_t bytes = sizeof(float) * (size_t)(wanted + 64);
    Cloud cloud = {dimensions, 0, calloc(1, bytes), calloc(1, bytes), calloc(1, bytes), calloc(1, bytes)};
    const double densest = pow(2, -dimensions);
    for (uint32_t k = 0; cloud.count < wanted; k++) {
        double p[3] = {0}, r2 = 0;
        for (uint32_t a = 0; a < (uint32_t)dimensions; a++)
            p[a] = radius * (2 * (double)wbHashFloat(4 * k + a) - 1), r2 += p[a] * p[a];
        if (r2 >= radius * radius) continue;
        if ((double)wbHashFloat(4 * k + 3) * densest > wbTheory_GetDensity(&theory, sqrt(r2))) continue;
        const int i = cloud.count++;
        cloud.x[i] = (float)p[0], cloud.y[i] = (float)p[1], cloud.z[i] = (float)p[2];
        cloud.h[i] = (float)wbTheory_GetSupport(&theory, sqrt(r2));
    }
    return cloud;
}

static void report(const char *name, double build, double search, int64_t pairs, int count) {
    printf("| %s | %.2f | %.2f | %.0f | %lld |\n", name, build, search, 1e6 * (build + search) / count,
           (long long)pairs);
}

static void timeZOrder(const Cloud *c, int repeats) {
    double best = INFINITY, bestBuild = INFINITY;
    int64_t pairs = 0;
    for (int k = 0; k < repeats; k++) {
        double mark = wbGetSeconds();
        refZOrder *search = refCreateZOrder(c->dimensions, c->count, c->x, c->y, c->z, c->h);
        bestBuild = fmin(bestBuild, wbLapMs(&mark));
        pairs = 0;
        for (int n = 0; n < c->count; n++) pairs += refFindByZOrder(search, search->order[n], NULL) - 1;
        best = fmin(best, wbLapMs(&mark));
        refDestroyZOrder(search);
    }
    report("Z-order, one thread", bestBuild, best, pairs, c->count);
}

// As in section 5.4.3: kernels are boxes, a point asks in whose kernels it lies.
typedef struct Query {
    const Cloud *cloud;
    int own;
    int64_t found;
} Query;

static void getBounds(const struct RTCBoundsFunctionArguments *args) {
    const Cloud *c = args->geometryUserPtr;
    const float h = c->h[args->primID], *x = c->x + args->primID, *y = c->y + args->primID,
                *z = c->z + args->primID;
    *args->bounds_o = (struct RTCBounds){*x - h, *y - h, *z - h, 0, *x + h, *y + h, *z + h, 0};
}

static bool meet(struct RTCPointQueryFunctionArguments *args) {
    Query *q = args->userPtr;
    const Cloud *c = q->cloud;
    const unsigned j = args->primID;
    const float dx = c->x[j] - args->query->x, dy = c->y[j] - args->query->y, dz = c->z[j] - args->query->z;
    q->found += dx * dx + dy * dy + dz * dz < c->h[j] * c->h[j];
    return false;
}

static void timeEmbree(Cloud *c, int repeats) {
    double best = INFINITY, bestBuild = INFINITY;
    int64_t pairs = 0;
    RTCDevice device = rtcNewDevice("threads=1");
    for (int k = 0; k < repeats; k++) {
        double mark = wbGetSeconds();
        RTCScene scene = rtcNewScene(device);
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)c->count);
        rtcSetGeometryUserData(geometry, c);
        rtcSetGeometryBoundsFunction(geometry, getBounds, NULL);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        bestBuild = fmin(bestBuild, wbLapMs(&mark));
        pairs = 0;
        for (int i = 0; i < c->count; i++) {
            Query q = {.cloud = c, .own = i};
            struct RTCPointQuery query = {.x = c->x[i], .y = c->y[i], .z = c->z[i], .radius = 0};
            struct RTCPointQueryContext context;
            rtcInitPointQueryContext(&context);
            rtcPointQuery(scene, &query, &context, meet, &q);
            pairs += q.found - 1;
        }
        best = fmin(best, wbLapMs(&mark));
        rtcReleaseScene(scene);
    }
    rtcReleaseDevice(device);
    report("Embree, one thread", bestBuild, best, pairs, c->count);
}

// A step without iterations: the search is its phases sort and neighbours. Lists are written, in which each pair stands both ways.
static wbStatus timeGrids(const Cloud *c, int repeats) {
    wbWork work = {0};
    wbStatus status = wbCreateCaseWork(1, wb_simdAuto, &work);
    double sort = INFINITY, search = INFINITY;
    int64_t pairs = 0;
    for (int k = 0; k < repeats && wbIsOk(status); k++) {
        const wbDomain domain = wbMakeDomain(&(wbDomainDef){0}, (wbVec3){0}, c->dimensions);
        wbThesisParams params = wbDefaultThesisParams(c->dimensions);
        wbThesisModel model;
        wbThesis thesis;
        wbFluidState fluid = {0};
        params.spacing = 2, params.iterations = 0, params.relaxations = 0, params.reach = 0;
        wbThesisModel_Init(&model, &params, &domain);
        wbThesis_Init(&thesis), wbFluidState_Init(&fluid);
        status = wbParticles_Reserve(&fluid.particles, work.memory, c->count);
        if (wbIsOk(status)) status = wbThesis_Reserve(&thesis, work.memory, c->count);
        for (int i = 0; i < c->count && wbIsOk(status); i++) {
            wbParticles *p = &fluid.particles;
            p->x[i] = c->x[i], p->y[i] = c->y[i], p->z[i] = c->z[i], p->id[i] = (uint32_t)i, p->count = i + 1;
            p->vx[i] = p->vy[i] = p->vz[i] = p->density[i] = p->pressure[i] = 0;
        }
        if (wbIsOk(status)) wbThesis_Begin(&thesis, &model, 0, c->count);
        for (int warm = 0; warm < 3 && wbIsOk(status); warm++) { // the first makes room
            for (int i = 0; i < c->count; i++) thesis.h[i] = c->h[fluid.particles.id[i]];
            wbArena_Reset(work.arena);
            status = wbThesis_Step(&thesis, &fluid, &model, NULL, &work, 1e-6f, 1);
        }
        sort = fmin(sort, fluid.ms[0]), search = fmin(search, fluid.ms[2]);
        pairs = fluid.search.neighbours.pairs;
        wbThesis_Free(work.memory, &thesis), wbFluidState_Free(work.memory, &fluid);
    }
    report("grids of octaves, one thread, both ways", sort, search, pairs, c->count);
    wbDestroyCaseWork(&work);
    return status;
}

int main(int count, char **arguments) {
    const int dimensions = count > 1 ? atoi(arguments[1]) : 3, repeats = count > 3 ? atoi(arguments[3]) : 5;
    const double radius = count > 2 ? atof(arguments[2]) : 50;
    Cloud cloud = createCloud(dimensions, radius);
    printf("%d points in %dD, kernels from %.3g to %.3g\n\n", cloud.count, dimensions, 4.0,
           wbTheory_GetSupport(&(wbAdaptiveTheory){wb_theoryThesis, dimensions, radius, 4,
                                                   wbMakeThesisTheory(dimensions, radius).slope, 0},
                               0));
    printf("| search | build ms | search ms | ns per point | pairs |\n|---|---|---|---|---|\n");
    const wbStatus status = timeGrids(&cloud, repeats);
    timeZOrder(&cloud, repeats);
    timeEmbree(&cloud, repeats);
    free(cloud.x), free(cloud.y), free(cloud.z), free(cloud.h);
    return wbIsOk(status) ? 0 : 1;
}
