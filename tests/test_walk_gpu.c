// SPDX-License-Identifier: MIT
// The walk over candidates on a device (space/walk.cl) against all pairs, with what sides mirror and among points of colliders:
// every pair within reach is met, and none twice.
#include <math.h>

#include "core/hash.h"
#include "gpu_support.h"
#include "space/gpu_cells.h"

enum { POINTS = 700, PLACES = 333, ROOM = 1024, FAR = 4000 };

static const float radius = 0.21f;

// Neighbours of each point that searches.
static const char source[] =
    "__kernel void near_particles(SEARCHED(p), __global int *found) {\n"
    "    WALK(walk, p);\n"
    "    if (walk.isPast) return;\n"
    "    MASK sum = 0;\n"
    "    while (next_run(&walk))\n"
    "        while (next_candidate(&walk)) {\n"
    "            const Ghost *g = &walk.ghost;\n"
    "            const int j = walk.j;\n"
    "            const Real3 d = real3(walk.p.x - (g->sign[0] * pX[j] + g->offset[0]),\n"
    "                                  walk.p.y - (g->sign[1] * pY[j] + g->offset[1]),\n"
    "                                  walk.p.z - (g->sign[2] * pZ[j] + g->offset[2]));\n"
    "            sum += mask_ones((square3(d) < pSpace.sides.radius * pSpace.sides.radius) & walk.inside);\n"
    "        }\n"
    "    lanes_store(found + walk.first, sum);\n"
    "}\n"
    "WB_INLINE MASK count_near(Walk walk, float h) {\n"
    "    MASK sum = 0;\n"
    "    while (next_run(&walk))\n"
    "        while (next_candidate(&walk)) {\n"
    "            const Points s = walk.searched;\n"
    "            const Real3 d = real3(walk.p.x - s.x[walk.j], walk.p.y - s.y[walk.j],\n"
    "                                  walk.p.z - s.z[walk.j]);\n"
    "            sum += mask_ones((square3(d) < h * h) & walk.inside);\n"
    "        }\n"
    "    return sum;\n"
    "}\n"
    "__kernel void near_places(SEARCHED_PLACES(p, q), float h, __global int *found) {\n"
    "    WALK_PLACES(walk, p, q);\n"
    "    if (!walk.isPast) lanes_store(found + walk.first, count_near(walk, h));\n"
    "}\n"
    "__kernel void particles_near(SEARCHED_PARTICLES(q, p), float h, __global int *found) {\n"
    "    WALK_PARTICLES(walk, q, p);\n"
    "    if (!walk.isPast) lanes_store(found + walk.first, count_near(walk, h));\n"
    "}\n";

// Points on the device in the order of their cells, and on the host.
typedef struct Sorted {
    int count;
    float x[3][ROOM];
    wbGpuBuffer front[3], back[3];
    wbGpuCells cells;
} Sorted;

// In a box of a metre; with hashed cells half of them in another, far away. Behind the end, NaN.
static void sortPoints(Sorted *s, TestGpu *test, int count, bool hashed, uint32_t seed) {
    wbGpuPoints points = {&s->front[0], &s->front[1], &s->front[2], count, {0, 0, 0}, {1, 1, 1}};
    s->count = count;
    assertOk(wbGpuCells_Init(&s->cells, test->memory, test->gpu));
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < count; i++) {
            float place = (float)(wbHash32(seed + (uint32_t)(3 * i + a)) % 10000) * 1e-4f;
            s->x[a][i] = place + (hashed && i % 2 ? FAR : 0);
        }
        if (hashed) points.max[a] = FAR + 1;
        assertOk(wbGpuBuffer_Reserve(test->gpu, &s->front[a], "points", sizeof s->x[a]));
        assertOk(wbGpuBuffer_Reserve(test->gpu, &s->back[a], "points", sizeof s->x[a]));
        assertOk(wbGpu_Fill(test->gpu, &s->back[a], 0x7fc00000u, sizeof s->x[a]));
        assertOk(wbGpu_Upload(test->gpu, &s->front[a], s->x[a], sizeof(float) * (size_t)count));
    }
    assertOk(wbGpuCells_Sort(&s->cells, &points, radius, 3));
    assert_int_equal(s->cells.grid.hashed, hashed);
    assertOk(wbGpuCells_Reorder(&s->cells, count, s->front, s->back, 3));
    for (int a = 0; a < 3; a++)
        assertOk(wbGpu_Download(test->gpu, &s->front[a], s->x[a], sizeof(float) * (size_t)count));
}

static void freeSorted(Sorted *s, wbGpu *gpu) {
    for (int a = 0; a < 3; a++) wbGpuBuffer_Free(gpu, &s->front[a]), wbGpuBuffer_Free(gpu, &s->back[a]);
    wbGpuCells_Free(&s->cells);
}

// Two sides that meet in an edge, and one across from the first: ghosts of ghosts, and particles with ghosts on either hand.
static SpaceSides makeSides(void) {
    SpaceSides sides = {.radius = radius};
    const int closed[] = {0, 1, 2};
    for (int k = 0; k < 3; k++)
        sides.sides[closed[k]] = (SpaceSide){.closed = 1, .place = k == 1 ? 1.01f : -0.01f};
    for (int s = 0; s < 6; s++)
        for (int a = 0; a < 3; a++) sides.sides[s].velocitySign[a] = 1;
    return sides;
}

// How many of `others`, and of their mirrored ones, are within h of a point.
static int countNear(const Sorted *own, int i, const Sorted *others, const SpaceSides *sides, double h) {
    int count = 0;
    for (int j = 0; j < others->count; j++)
        for (int choice = 0; choice < (sides ? 27 : 1); choice++) {
            double r2 = 0;
            bool isThere = true;
            for (int a = 0, c = choice; a < 3; a++, c /= 3) {
                double place = (double)others->x[a][j];
                const SpaceSide *side = c % 3 ? &sides->sides[2 * a + c % 3 - 1] : NULL;
                if (side) isThere &= side->closed, place = 2 * (double)side->place - place;
                r2 += ((double)own->x[a][i] - place) * ((double)own->x[a][i] - place);
            }
            count += isThere && r2 < h * h;
        }
    return count;
}

// Pairs just at the radius may be in or out, by rounding.
static void checkFound(wbGpu *gpu, const wbGpuBuffer *buffer, const Sorted *own, const Sorted *others,
                       const SpaceSides *sides) {
    int found[ROOM];
    int64_t sum = 0;
    assertOk(wbGpu_Download(gpu, buffer, found, sizeof(int) * (size_t)own->count));
    for (int i = 0; i < own->count; i++) {
        int least = countNear(own, i, others, sides, (double)radius * 0.9999);
        int most = countNear(own, i, others, sides, (double)radius * 1.0001);
        if (found[i] < least || found[i] > most)
            fail_msg("point %d has %d neighbours, of %d to %d", i, found[i], least, most);
        sum += found[i];
    }
    assert_true(sum > 5 * own->count);
}

#define THREE(buffers) WB_GPU_BUFFER((buffers)[0]), WB_GPU_BUFFER((buffers)[1]), WB_GPU_BUFFER((buffers)[2])

// Which the walk does not look at.
#define RECORDS(buffers) WB_GPU_BUFFER((buffers)[0]), WB_GPU_BUFFER((buffers)[0])

static void checkWalks(TestGpu *test, bool hashed) {
    static Sorted particles, places;
    const char *const sources[] = {WB_GPU_SEARCH_SOURCES, source};
    wbGpuKernel *own, *toPlaces, *toParticles;
    const wbGpuKernelName names[] = {
        {"near_particles", &own}, {"near_places", &toPlaces}, {"particles_near", &toParticles}};
    const wbGpuProgramDef def = {"walk", sources, sizeof sources / sizeof sources[0],
                                 hashed ? "-DHASHED=1" : "-DHASHED=0"};
    wbGpu *gpu = test->gpu;
    wbGpuBuffer found = {0};
    int lanes = wbGpu_GetLanes(gpu);
    particles = places = (Sorted){0};
    sortPoints(&particles, test, POINTS, hashed, 1);
    sortPoints(&places, test, PLACES, hashed, 77777);
    SpaceSearch space = {.cells = particles.cells.cells, .sides = makeSides()};
    SpacePlaces set = {.cells = places.cells.cells};
    for (int a = 0; a < 3; a++) set.max[a] = hashed ? FAR + 1 : 1;
    assertOk(wbGpu_BuildKernels(gpu, &def, names, 3));
    assertOk(wbGpuBuffer_Reserve(gpu, &found, "found", sizeof(int[ROOM])));

    assertOk(wbGpu_Run(gpu, own, (POINTS + lanes - 1) / lanes,
                       WB_GPU_ARGS(WB_GPU_INT(POINTS), WB_GPU_STRUCT(space),
                                   WB_GPU_BUFFER(particles.cells.bucketStart), THREE(particles.front),
                                   WB_GPU_BUFFER(found))));
    checkFound(gpu, &found, &particles, &particles, &space.sides);
    assertOk(
        wbGpu_Run(gpu, toPlaces, (POINTS + lanes - 1) / lanes,
                  WB_GPU_ARGS(WB_GPU_INT(POINTS), WB_GPU_STRUCT(set), WB_GPU_BUFFER(places.cells.bucketStart),
                              THREE(places.front), RECORDS(places.front), THREE(particles.front),
                              WB_GPU_FLOAT(radius), WB_GPU_BUFFER(found))));
    checkFound(gpu, &found, &particles, &places, NULL);
    assertOk(wbGpu_Run(gpu, toParticles, (PLACES + lanes - 1) / lanes,
                       WB_GPU_ARGS(WB_GPU_INT(PLACES), WB_GPU_STRUCT(space),
                                   WB_GPU_BUFFER(particles.cells.bucketStart), THREE(particles.front),
                                   THREE(places.front), RECORDS(places.front), WB_GPU_FLOAT(radius),
                                   WB_GPU_BUFFER(found))));
    checkFound(gpu, &found, &places, &particles, NULL);
    wbGpuBuffer_Free(gpu, &found);
    freeSorted(&particles, gpu), freeSorted(&places, gpu);
}

static void testWalk(void **state) {
    (void)state;
    static const char *const lanes[] = {"1", "16"};
    for (int k = 0; k < 2; k++) {
        setenv("WIRBEL_GPU_LANES", lanes[k], 1);
        TestGpu test = openTestGpu();
        checkWalks(&test, false);
        checkWalks(&test, true);
        closeTestGpu(&test);
    }
    unsetenv("WIRBEL_GPU_LANES");
}

int main(void) {
    int skipped = findDevice();
    if (skipped) return skipped;
    const struct CMUnitTest tests[] = {cmocka_unit_test(testWalk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
