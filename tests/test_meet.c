// SPDX-License-Identifier: MIT
// Particles and the points of bodies that they meet, against all pairs, for every instruction set; the same for any number of threads.
#include <math.h>
#include <stdlib.h>

#include "core/hash.h"
#include "space/meet.h"
#include "work_support.h"

enum { PARTICLES = 3000, BODIES = 6, DUMMY = PARTICLES };
static const float radius = 0.2f, clearance = 0.05f;

typedef struct Setup {
    wbWork work;
    wbBoundary boundary;
    wbMeetSearch search;
    wbMeetings meetings;
    float x[PARTICLES + WB_PADDING], y[PARTICLES + WB_PADDING], z[PARTICLES + WB_PADDING];
} Setup;

static float random01(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * 0x1p-24f;
}

// A few points, many, and none that count; turned, and one of them off.
static void addBody(Setup *s, int index, int dimensions, uint32_t *state) {
    const int count = (const int[]){1, 64, 700, 40, 256, 3}[index];
    float *points = malloc(sizeof(float[3]) * (size_t)count),
          *normals = calloc((size_t)count, sizeof(float[3])), *depths = calloc((size_t)count, sizeof(float));
    const float size = count > 256 ? 1.6f : 0.4f, angle = 3 * random01(state);
    for (int k = 0; k < 3 * count; k++)
        points[k] = dimensions == 2 && k % 3 == 2 ? 0 : size * (random01(state) - 0.5f);
    const wbBoundaryBodyDef def = {.count = count,
                                   .points = points,
                                   .normals = normals,
                                   .depths = depths,
                                   .isOff = index == 3,
                                   .isMoving = index % 2 == 0,
                                   .motion.pose = {.position = {2 * random01(state), 2 * random01(state),
                                                                dimensions == 2 ? 0 : random01(state)},
                                                   .rotation = {0, 0, sinf(angle), cosf(angle)}}};
    assertOk(wbBoundary_AddBody(&s->boundary, s->work.memory, &def));
    const wbBoundaryBody *body = wbBoundary_GetBody(&s->boundary, index);
    for (int k = body->first; k < body->first + count; k++)
        s->boundary.weight[k] = index == 5 || k % 7 == 0 ? 0 : 0.5f;
    free(points), free(normals), free(depths);
}

// Bodies that are met by nobody, so many that others are found in a tree.
static void addCrowd(Setup *s, int count) {
    const float zeros[3] = {0};
    const wbBoundaryBodyDef def = {.count = 1,
                                   .points = zeros,
                                   .normals = zeros,
                                   .depths = zeros,
                                   .isOff = true,
                                   .motion.pose = wb_poseAtOrigin};
    for (int b = 0; b < count; b++) assertOk(wbBoundary_AddBody(&s->boundary, s->work.memory, &def));
}

static Setup *beginAmong(wbSimd simd, int threads, int dimensions, int crowd) {
    Setup *s = calloc(1, sizeof *s);
    uint32_t state = 7;
    s->work = createWork(threads, simd);
    wbBoundary_Init(&s->boundary);
    wbMeetSearch_Init(&s->search);
    for (int b = 0; b < BODIES; b++) addBody(s, b, dimensions, &state);
    addCrowd(s, crowd);
    wbBoundary_Settle(&s->boundary, (wbBoundaryKey){radius, dimensions, 0});
    for (int i = 0; i < PARTICLES; i++) { // in rows, as sorted ones nearly are
        s->x[i] = 2.5f * (float)(i % 60) / 60 + 0.03f * random01(&state);
        s->y[i] = 2.5f * (float)(i / 60) / 50 + 0.03f * random01(&state);
        s->z[i] = dimensions == 2 ? 0 : random01(&state);
    }
    assertOk(wbBoundary_SortBodies(&s->boundary, &s->work));
    const wbPoints particles = {s->x, s->y, s->z, PARTICLES};
    assertOk(wbMeetSearch_Find(&s->search, &s->boundary, &s->work, particles, wb_atEnd, DUMMY, clearance,
                               &s->meetings));
    return s;
}

static Setup *begin(wbSimd simd, int threads, int dimensions) {
    return beginAmong(simd, threads, dimensions, 0);
}

static void end(Setup *s) {
    wbMeetSearch_Free(s->work.memory, &s->search);
    wbBoundary_Free(s->work.memory, &s->boundary);
    destroyWork(&s->work);
    free(s);
}

// m, from a particle to a point of a body's own order.
static float findDistance(const Setup *s, int particle, int body, int point) {
    const wbPose *pose = &wbBoundary_GetBody(&s->boundary, body)->motions[wb_atEnd].pose;
    const float *own = s->boundary.ownRecords + 4 * (size_t)point;
    const wbVec3 p = wbPose_Apply(pose, wbMakeVec3(own[0], own[1], own[2])),
                 d = wbSub(p, wbMakeVec3(s->x[particle], s->y[particle], s->z[particle]));
    return sqrtf(wbDot(d, d));
}

// How often a point is in the list of a meeting.
static int countPoint(const Setup *s, int meeting, int point) {
    int rowCount, count = 0;
    const int *rows = wbNeighbours_GetRows(s->meetings.lists, meeting / WB_GROUP, &rowCount);
    for (int k = 0; k < rowCount; k++) count += rows[WB_GROUP * k + meeting % WB_GROUP] == point;
    return count;
}

// All pairs but those at the very end of the radius are listed once, and no others; bodies are met once, in their order.
static int64_t checkParticle(const Setup *s, int i) {
    const wbMeetings *m = &s->meetings;
    int meetingOf[BODIES] = {0}, last = -1;
    int64_t pairs = 0;
    for (int k = m->head[i]; k > 0; k = m->next[k]) {
        const int body = m->bodies[k / WB_GROUP];
        assert_true(body > last && m->particles[k] == i);
        meetingOf[body] = k, last = body;
    }
    for (int b = 0; b < BODIES; b++) {
        const wbBoundaryBody *body = wbBoundary_GetBody(&s->boundary, b);
        int listed = 0;
        for (int p = body->first; p < body->first + body->ownCount; p++) {
            const float distance = findDistance(s, i, b, p);
            const int count = meetingOf[b] ? countPoint(s, meetingOf[b], p) : 0;
            if (body->isOff || distance > 1.00001f * radius)
                assert_int_equal(count, 0);
            else if (distance < 0.99999f * radius)
                assert_int_equal(count, 1);
            listed += count;
        }
        assert_int_equal(meetingOf[b] > 0, listed > 0);
        if (meetingOf[b]) assert_true(m->clearances[meetingOf[b]] == 0); // whose points are on a lattice
        pairs += listed;
    }
    return pairs;
}

// Lists of a body are not longer than those before them in their block, and those of nobody are empty.
static void checkOrder(const Setup *s) {
    const wbMeetings *m = &s->meetings;
    for (int k = WB_GROUP, last = 0; k < m->count; k++) {
        int rowCount, length = 0;
        const int *rows = wbNeighbours_GetRows(m->lists, k / WB_GROUP, &rowCount);
        while (length < rowCount && rows[WB_GROUP * length + k % WB_GROUP] != s->boundary.pointCount)
            length++;
        const bool isFirst = k % WB_BLOCK == 0 || m->bodies[k / WB_GROUP] != m->bodies[(k - 1) / WB_GROUP];
        assert_true(isFirst || length <= last);
        assert_int_equal(m->particles[k] == DUMMY, length == 0);
        last = length;
    }
}

static void testAllPairs(void **state) {
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (wbSimd simd = wb_simdScalar; simd <= wb_simdAvx512; simd = (wbSimd)(simd + 1)) {
            if (!wbIsSimdSupported(simd)) continue;
            Setup *s = begin(simd, 2, dimensions);
            int64_t pairs = 0;
            for (int i = 0; i < PARTICLES; i++) pairs += checkParticle(s, i);
            assert_true(pairs > 1000);
            assert_int_equal(pairs, s->meetings.lists->pairs);
            checkOrder(s);
            end(s);
        }
}

static void testManyBodies(void **state) {
    (void)state;
    Setup *few = begin(wb_simdAuto, 2, 3), *many = beginAmong(wb_simdAuto, 2, 3, 1000);
    int64_t pairs = 0;
    for (int i = 0; i < PARTICLES; i++) pairs += checkParticle(many, i);
    assert_int_equal(pairs, few->meetings.lists->pairs);
    checkOrder(many);
    end(few), end(many);
}

static uint64_t hashMeetings(const Setup *s) {
    const wbMeetings *m = &s->meetings;
    uint64_t hash = wbHashBytes(1, m->head, sizeof(int) * PARTICLES);
    for (int g = 1; g < m->count / WB_GROUP; g++) {
        int rowCount;
        const int *rows = wbNeighbours_GetRows(m->lists, g, &rowCount);
        hash = wbHashBytes(hash, rows, sizeof(int[WB_GROUP]) * (size_t)rowCount);
        hash = wbHashBytes(hash, m->particles + WB_GROUP * g, sizeof(int[WB_GROUP]));
    }
    return hash;
}

static void testThreads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 4; threads++) {
        Setup *s = begin(wb_simdAuto, threads, 3);
        const uint64_t hash = hashMeetings(s);
        if (threads == 1) first = hash;
        assert_true(hash == first);
        end(s);
    }
}

// Bodies that come and go are sorted again.
static void testBodiesChange(void **state) {
    (void)state;
    Setup *s = begin(wb_simdAuto, 2, 3);
    const wbPoints particles = {s->x, s->y, s->z, PARTICLES};
    wbBoundary_SetOn(&s->boundary, 3, true);
    assertOk(wbBoundary_SortBodies(&s->boundary, &s->work));
    assertOk(wbMeetSearch_Find(&s->search, &s->boundary, &s->work, particles, wb_atEnd, DUMMY, clearance,
                               &s->meetings));
    assert_true(s->meetings.firstGroup[4] > s->meetings.firstGroup[3]);
    for (int i = 0; i < PARTICLES; i++) checkParticle(s, i);
    end(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testAllPairs), cmocka_unit_test(testManyBodies),
                                       cmocka_unit_test(testThreads), cmocka_unit_test(testBodiesChange)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
