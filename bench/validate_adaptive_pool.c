// SPDX-License-Identifier: MIT
// Pools of particles of different sizes beside the same of one size: their volume and calm, what splits, splashes, and how fast they feel a push.
#include <math.h>
#include <stdio.h>

#include "bench/validate_case.h"
#include "core/status.h"

#define PI 3.14159265358979323846

static const double gravity = 9.81, restDensity = 1000; // m/s2, kg/m3
static const double frame = 1.0 / 60;                   // s
static const double poolSpacing = 0.1;                  // m, where it does not matter

// Sizes are in spacings.
typedef struct Pool {
    wbAdaptiveMethod method;
    int dimensions, width, layers, depth; // depth along z
    double spacing;                       // m
    wbWorld *world;
    wbFluidId fluid;
} Pool;

static wbStatus createPool(wbValidateRun *run, Pool *pool) {
    wbWorldDef def = wbDefaultWorldDef();
    const float dx = (float)pool->spacing;
    def.params.dimensions = pool->dimensions;
    def.pbf.spacing = dx, def.pbf.adaptive.method = pool->method;
    def.domain.max = wbMakeVec3(dx * (float)pool->width, 3 * dx * (float)pool->layers,
                                pool->dimensions == 3 ? dx * (float)pool->depth : 0);
    for (int side = 0; side < wb_sideCount; side++) def.domain.sides[side].type = wb_sideFreeSlip;
    WB_TRY(wbCreateCaseWorld(run, def, wb_solverPbf, &pool->world, &pool->fluid));
    wbBlockDef block = {.max = def.domain.max};
    block.max.y = dx * (float)pool->layers;
    return wbFluid_AddBlock(pool->world, pool->fluid, &block);
}

static double getMass(const Pool *pool, const wbView *view, int i) {
    return view->mass ? (double)view->mass[i] : wbFluid_GetParticleMass(pool->world, pool->fluid);
}

static double getSpeed(const wbView *view, int i) {
    const double x = (double)view->vx[i], y = (double)view->vy[i], z = (double)view->vz[i];
    return sqrt(x * x + y * y + z * z);
}

// m, the upper end of what is highest at a place; particles are cubes.
static double findTop(const Pool *pool, const wbView *view, double x, double z) {
    double top = 0;
    for (int i = 0; i < view->count; i++) {
        const double r = view->radius ? (double)view->radius[i] : 0.5 * pool->spacing;
        if (fabs((double)view->x[i] - x) <= r && fabs((double)view->z[i] - z) <= r)
            top = fmax(top, (double)view->y[i] + r);
    }
    return top;
}

// m, the mean height of the surface: waves, which go on for long, do not change it, as they do the height of the centre of mass.
static double getLevel(const Pool *pool, const wbView *view) {
    const int layers = pool->dimensions == 3 ? pool->depth : 1;
    double sum = 0;
    for (int k = 0; k < layers; k++)
        for (int i = 0; i < pool->width; i++)
            sum += findTop(pool, view, (i + 0.5) * pool->spacing,
                           pool->dimensions == 3 ? (k + 0.5) * pool->spacing : 0);
    return sum / (pool->width * layers);
}

// By its root mean square over the mass, in m/s.
static double getUnrest(const Pool *pool) {
    const wbStats stats = wbWorld_GetStats(pool->world);
    return sqrt(2 * stats.kinetic / stats.mass);
}

static double findFastest(const wbView *view) {
    double fastest = 0;
    for (int i = 0; i < view->count; i++) fastest = fmax(fastest, getSpeed(view, i));
    return fastest;
}

// Where sizes change: particles that touch one of another size, and are not at the surface.

typedef struct Sum {
    double sum, squares;
    int count;
} Sum;

static bool touchesOther(const wbView *view, int i) {
    for (int j = 0; j < view->count; j++) {
        const float x = view->x[j] - view->x[i], y = view->y[j] - view->y[i], z = view->z[j] - view->z[i];
        const float reach = 1.2f * (view->radius[i] + view->radius[j]);
        if (view->mass[i] != view->mass[j] && x * x + y * y + z * z < reach * reach) return true;
    }
    return false;
}

static void addTransition(const Pool *pool, const wbView *view, Sum *sum) {
    for (int i = 0; i < view->count; i++) {
        if ((double)view->distance[i] < 2 * pool->spacing || !touchesOther(view, i)) continue;
        const double error = (double)view->density[i] / restDensity - 1;
        sum->sum += error, sum->squares += error * error, sum->count++;
    }
}

// A pool that is swayed sideways by its slowest wave for 5 s of each 10, so that merges and splits do not end.

typedef struct Swayed {
    double lowest, highest; // m
    Sum level, transition;
    int64_t splits;
} Swayed;

static wbStatus push(const Pool *pool, double time) {
    const double width = pool->width * pool->spacing, k = PI / width,
                 omega = sqrt(gravity * k * tanh(k * pool->layers * pool->spacing));
    const bool isPushed = fmod(time, 10) < 5;
    char value[64];
    snprintf(value, sizeof value, "%.9g,%.9g,0", isPushed ? 0.1 * gravity * sin(omega * time) : 0, -gravity);
    return wbWorld_SetParam(pool->world, "world.gravity", value);
}

// Looks at the end of each rest between pushes.
static wbStatus look(const Pool *pool, double time, Swayed *swayed) {
    wbView view;
    if (fmod(time, 10) < 9) return wb_okStatus;
    WB_TRY(wbFluid_GetView(pool->world, pool->fluid, &view));
    const double level = getLevel(pool, &view);
    swayed->lowest = fmin(swayed->lowest, level), swayed->highest = fmax(swayed->highest, level);
    swayed->level.sum += level, swayed->level.count++;
    if (pool->method == wb_adaptiveOff || fmod(time, 1) > 1.5 * frame) return wb_okStatus;
    addTransition(pool, &view, &swayed->transition);
    return wb_okStatus;
}

static wbStatus sway(wbValidateRun *run, Pool *pool, Swayed *swayed) {
    const double duration = 60;
    *swayed = (Swayed){.lowest = INFINITY};
    WB_TRY(createPool(run, pool));
    for (int k = 0; k * frame < duration && !run->stopped; k++) {
        WB_TRY(push(pool, k * frame));
        WB_TRY(wbStepCase(run, pool->world, k * frame / duration));
        WB_TRY(look(pool, k * frame, swayed));
    }
    swayed->splits = wbWorld_GetStats(pool->world).splits;
    return wb_okStatus;
}

// m/s, root mean square over the last two of ten seconds of a pool that nothing moves.
static wbStatus rest(wbValidateRun *run, Pool *pool, double *unrest) {
    enum { steps = 600, last = 120 };
    double squares = 0;
    WB_TRY(createPool(run, pool));
    for (int k = 0; k < steps && !run->stopped; k++) {
        WB_TRY(wbStepCase(run, pool->world, (double)k / steps));
        if (k >= steps - last) squares += pow(getUnrest(pool), 2) / last;
    }
    *unrest = sqrt(squares);
    return wb_okStatus;
}

typedef struct Rest {
    const char *lowest, *highest, *level, *mean, *scatter, *changes, *calm; // names of what is reported
    wbAdaptiveMethod method;
    int dimensions, width, layers, depth;
} Rest;

static double getMean(const Sum *sum) { return sum->sum / fmax(sum->count, 1); }

// The volume: constant, whatever merges and splits; and that of particles of one size, which is 1.4 % below that of their lattice: so much closer do
// these lie when they were moved.
static void reportSwayed(wbValidateRun *run, const Rest *row, const Swayed *uniform, const Swayed *own) {
    const Sum *zone = &own->transition;
    const wbQuantity level = {.unit = "of it", .reference = 1, .tolerance = 0.01, .source = "volume is kept"};
    wbQuantity lowest = level, highest = level, mean = level;
    lowest.quantity = row->lowest, lowest.value = own->lowest / getMean(&own->level);
    highest.quantity = row->highest, highest.value = own->highest / getMean(&own->level);
    mean.quantity = row->level, mean.value = getMean(&own->level) / getMean(&uniform->level);
    mean.source = "particles of one size";
    wbReportQuantity(run, lowest);
    wbReportQuantity(run, highest);
    wbReportQuantity(run, mean);
    wbReportQuantity(run, (wbQuantity){.quantity = row->mean,
                                       .unit = "rho0",
                                       .value = getMean(zone),
                                       .tolerance = 0.02,
                                       .source = "incompressible"});
    wbReportQuantity(run, (wbQuantity){.quantity = row->scatter,
                                       .unit = "rho0",
                                       .value = sqrt(zone->squares / fmax(zone->count, 1)),
                                       .judgement = wb_noted,
                                       .source = "incompressible"});
    wbReportQuantity(run, (wbQuantity){.quantity = row->changes,
                                       .unit = "1",
                                       .value = (double)own->splits,
                                       .reference = 20,
                                       .judgement = wb_atLeast,
                                       .source = "merges and splits go on"});
}

// What is slower than a hundredth of sqrt(g dx) is at rest.
static void reportCalm(wbValidateRun *run, const Rest *row, double uniform, double own) {
    wbReportQuantity(run, (wbQuantity){.quantity = row->calm,
                                       .unit = "m/s",
                                       .value = own,
                                       .tolerance = uniform + 0.01 * sqrt(gravity * poolSpacing),
                                       .source = "particles of one size"});
}

static Pool makePool(const Rest *row, wbAdaptiveMethod method) {
    return (Pool){method, row->dimensions, row->width, row->layers, row->depth, .spacing = poolSpacing};
}

static wbStatus validatePool(wbValidateRun *run, const Rest *row) {
    Swayed swayed[2];
    double unrest[2];
    for (int m = 0; m < 2 && !run->stopped; m++) {
        Pool pool = makePool(row, m ? row->method : wb_adaptiveOff);
        wbStatus status = sway(run, &pool, &swayed[m]);
        wbDestroyWorld(pool.world);
        WB_TRY(status);
        status = rest(run, &pool, &unrest[m]);
        wbDestroyWorld(pool.world);
        WB_TRY(status);
    }
    if (run->stopped) return wb_okStatus;
    reportSwayed(run, row, &swayed[0], &swayed[1]);
    reportCalm(run, row, unrest[0], unrest[1]);
    return wb_okStatus;
}

#define REST_NAMES(what)                                                                                     \
    "lowest level at rest, " what, "highest level at rest, " what, "mean level at rest, " what,              \
        "density where sizes change, " what, "its root mean square, " what, "splits, " what,                 \
        "velocity at rest, " what

wbStatus wbValidateAdaptivePool(wbValidateRun *run) {
    static const Rest rests[] = {{REST_NAMES("2D, levels"), wb_adaptiveLevels, 2, 40, 30, 1},
                                 {REST_NAMES("2D, thesis"), wb_adaptiveThesis, 2, 40, 30, 1},
                                 {REST_NAMES("3D, levels"), wb_adaptiveLevels, 3, 12, 18, 8}};
    for (size_t k = 0; k < sizeof rests / sizeof rests[0] && !run->stopped; k++)
        WB_TRY(validatePool(run, &rests[k]));
    return wb_okStatus;
}

// A pool at rest whose upper third is taken away: what was inside is at the surface then, and splits.

static wbStatus lowerPool(const Pool *pool) {
    const float dx = (float)pool->spacing, top = (float)pool->layers;
    const wbVec3 low = wbMakeVec3(-dx, floorf(2 * top / 3) * dx, -dx),
                 high =
                     wbMakeVec3(dx * (float)(pool->width + 1), 3 * dx * top, dx * (float)(pool->depth + 1));
    int removed;
    return wbFluid_RemoveParticlesInBox(pool->world, pool->fluid, low, high, &removed);
}

static wbStatus splitPool(wbValidateRun *run, Pool *pool, double *fastest, int64_t *splits) {
    enum { steps = 240, begin = 180 };
    WB_TRY(createPool(run, pool));
    *fastest = 0, *splits = 0;
    for (int k = 0; k < steps && !run->stopped; k++) {
        wbView view;
        if (k == begin) {
            *splits = wbWorld_GetStats(pool->world).splits;
            WB_TRY(lowerPool(pool));
        }
        WB_TRY(wbStepCase(run, pool->world, (double)k / steps));
        if (k < begin) continue;
        WB_TRY(wbFluid_GetView(pool->world, pool->fluid, &view));
        *fastest = fmax(*fastest, findFastest(&view));
    }
    *splits = wbWorld_GetStats(pool->world).splits - *splits;
    return wb_okStatus;
}

typedef struct Split {
    const char *fastest, *splits; // names of what is reported
    wbAdaptiveMethod method;
    int dimensions, width, layers, depth;
    double spacing; // m
} Split;

static wbStatus splitPools(wbValidateRun *run, const Split *rows, int count) {
    for (int k = 0; k < count && !run->stopped; k++) {
        const Split *row = &rows[k];
        double fastest[2] = {0};
        int64_t splits = 0;
        for (int m = 0; m < 2 && !run->stopped; m++) {
            Pool pool = {
                m ? row->method : wb_adaptiveOff, row->dimensions, row->width, row->layers, row->depth,
                .spacing = row->spacing};
            const wbStatus status = splitPool(run, &pool, &fastest[m], &splits);
            wbDestroyWorld(pool.world);
            WB_TRY(status);
        }
        if (run->stopped) break;
        const double unit = sqrt(gravity * row->spacing);
        wbReportQuantity(run, (wbQuantity){.quantity = row->fastest,
                                           .unit = "sqrt(g dx)",
                                           .value = fastest[1] / unit,
                                           .tolerance = 1.5 * fastest[0] / unit + 0.1,
                                           .source = "particles of one size"});
        wbReportQuantity(run, (wbQuantity){.quantity = row->splits,
                                           .unit = "1",
                                           .value = (double)splits,
                                           .reference = 20,
                                           .judgement = wb_atLeast,
                                           .source = "merges and splits go on"});
    }
    return wb_okStatus;
}

#define SPLIT_NAMES(what) "fastest after splits, " what, "splits, " what

wbStatus wbValidateAdaptiveSplit(wbValidateRun *run) {
    static const Split rows[] = {{SPLIT_NAMES("3D, levels"), wb_adaptiveLevels, 3, 12, 20, 12, 0.1}};
    return splitPools(run, rows, sizeof rows / sizeof rows[0]);
}

wbStatus wbValidateAdaptiveSplitScales(wbValidateRun *run) {
    static const Split rows[] = {{SPLIT_NAMES("2D, levels, 0.001 m"), wb_adaptiveLevels, 2, 30, 40, 1, 0.001},
                                 {SPLIT_NAMES("2D, levels, 0.01 m"), wb_adaptiveLevels, 2, 30, 40, 1, 0.01},
                                 {SPLIT_NAMES("2D, levels, 1 m"), wb_adaptiveLevels, 2, 30, 40, 1, 1},
                                 {SPLIT_NAMES("2D, levels, 0.1 m"), wb_adaptiveLevels, 2, 30, 40, 1, 0.1},
                                 {SPLIT_NAMES("2D, thesis, 0.1 m"), wb_adaptiveThesis, 2, 30, 40, 1, 0.1}};
    return splitPools(run, rows, sizeof rows / sizeof rows[0]);
}

// A ball of water falls into a pool: how high the jet goes that follows.

typedef struct Splash {
    const char *height; // name of what is reported
    wbAdaptiveMethod method;
    int dimensions, width, layers, depth;
    double radius; // of the ball, in spacings
} Splash;

static wbStatus addBall(const Pool *pool, double radius) {
    const int r = (int)ceil(radius), layers = pool->dimensions == 3 ? r : 0;
    const float dx = (float)pool->spacing, velocity[3] = {0, -6, 0};
    for (int k = -layers; k <= layers; k++)
        for (int j = -r; j <= r; j++)
            for (int i = -r; i <= r; i++) {
                const float place[3] = {dx * (0.5f * (float)pool->width + (float)i),
                                        dx * ((float)(pool->layers + r + 2) + (float)j),
                                        pool->dimensions == 3 ? dx * (0.5f * (float)pool->depth + (float)k)
                                                              : 0};
                if (i * i + j * j + k * k <= radius * radius)
                    WB_TRY(wbFluid_AddParticles(pool->world, pool->fluid, 1, place, velocity));
            }
    return wb_okStatus;
}

// m, above which a share of the mass is: one drop that flies alone says nothing.
static double findHeight(const Pool *pool, const wbView *view, double share) {
    const double mass = wbFluid_GetMass(pool->world, pool->fluid);
    double low = 0, high = 3 * pool->layers * pool->spacing;
    for (int k = 0; k < 20; k++) {
        const double middle = 0.5 * (low + high);
        double above = 0;
        for (int i = 0; i < view->count; i++)
            if ((double)view->y[i] > middle) above += getMass(pool, view, i);
        if (above > share * mass)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// From the first moment that the ball is under water, for 2 s.
static wbStatus splash(wbValidateRun *run, Pool *pool, double radius, double *height) {
    enum { steps = 120, first = 15 };
    WB_TRY(createPool(run, pool));
    WB_TRY(addBall(pool, radius));
    *height = 0;
    for (int k = 0; k < steps && !run->stopped; k++) {
        wbView view;
        WB_TRY(wbStepCase(run, pool->world, (double)k / steps));
        WB_TRY(wbFluid_GetView(pool->world, pool->fluid, &view));
        if (k >= first) *height = fmax(*height, findHeight(pool, &view, 0.002));
    }
    *height = *height / pool->spacing - pool->layers;
    return wb_okStatus;
}

wbStatus wbValidateAdaptiveSplash(wbValidateRun *run) {
    static const Splash rows[] = {{"height of a splash, 2D, levels", wb_adaptiveLevels, 2, 80, 40, 1, 6},
                                  {"height of a splash, 3D, levels", wb_adaptiveLevels, 3, 28, 20, 28, 5},
                                  {"height of a splash, 2D, thesis", wb_adaptiveThesis, 2, 80, 40, 1, 6}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        double height[2] = {0};
        for (int m = 0; m < 2 && !run->stopped; m++) {
            Pool pool = {m ? rows[k].method : wb_adaptiveOff,
                         rows[k].dimensions,
                         rows[k].width,
                         rows[k].layers,
                         rows[k].depth,
                         .spacing = poolSpacing};
            const wbStatus status = splash(run, &pool, rows[k].radius, &height[m]);
            wbDestroyWorld(pool.world);
            WB_TRY(status);
        }
        if (!run->stopped)
            wbReportQuantity(run, (wbQuantity){.quantity = rows[k].height,
                                               .unit = "spacings",
                                               .value = height[1],
                                               .reference = height[0],
                                               .tolerance = 0.1 * height[0],
                                               .source = "particles of one size"});
    }
    return wb_okStatus;
}

// The floor begins to rise: when the surface does. In water that cannot be compressed it would be the same moment; here what a floor
// does is felt as far as a kernel reaches in each iteration.

// m/s, of the mass within two spacings of the highest particle.
static double getRise(const Pool *pool, const wbView *view) {
    double top = 0, mass = 0, sum = 0;
    for (int i = 0; i < view->count; i++) top = fmax(top, (double)view->y[i]);
    for (int i = 0; i < view->count; i++) {
        if ((double)view->y[i] < top - 2 * pool->spacing) continue;
        mass += getMass(pool, view, i), sum += getMass(pool, view, i) * (double)view->vy[i];
    }
    return sum / mass;
}

// s, until the surface rises half as fast as the floor.
static wbStatus raiseFloor(wbValidateRun *run, Pool *pool, double *delay) {
    enum { calm = 180, steps = 30 };
    const double speed = 0.5; // m/s
    double before = 0;
    WB_TRY(createPool(run, pool));
    *delay = INFINITY;
    for (int k = 0; k < calm && !run->stopped; k++) WB_TRY(wbStepCase(run, pool->world, 0.5 * k / calm));
    WB_TRY(wbWorld_SetParam(pool->world, "domain.sideSpeed", "0.5"));
    WB_TRY(wbWorld_SetParam(pool->world, "domain.min", "0,0.25,0"));
    for (int k = 0; k < steps && isinf(*delay) && !run->stopped; k++) {
        wbView view;
        WB_TRY(wbStepCase(run, pool->world, 0.5 + 0.5 * k / steps));
        WB_TRY(wbFluid_GetView(pool->world, pool->fluid, &view));
        const double now = getRise(pool, &view), half = 0.5 * speed;
        if (now >= half) *delay = (k + (half - before) / (now - before)) * frame;
        before = now;
    }
    return wb_okStatus;
}

wbStatus wbValidateAdaptivePressure(wbValidateRun *run) {
    static const struct {
        const char *name;
        wbAdaptiveMethod method;
        int layers;
    } rows[] = {{"surface rises, 30 layers, one size", wb_adaptiveOff, 30},
                {"surface rises, 30 layers, levels", wb_adaptiveLevels, 30},
                {"surface rises, 30 layers, thesis", wb_adaptiveThesis, 30},
                {"surface rises, 80 layers, one size", wb_adaptiveOff, 80},
                {"surface rises, 80 layers, levels", wb_adaptiveLevels, 80}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !run->stopped; k++) {
        Pool pool = {rows[k].method, 2, 40, rows[k].layers, 1, .spacing = poolSpacing};
        double delay;
        const wbStatus status = raiseFloor(run, &pool, &delay);
        wbDestroyWorld(pool.world);
        WB_TRY(status);
        if (!run->stopped)
            wbReportQuantity(run, (wbQuantity){.quantity = rows[k].name,
                                               .unit = "s",
                                               .value = delay,
                                               .judgement = wb_noted,
                                               .source = "the floor rises at 0.5 m/s"});
    }
    return wb_okStatus;
}
