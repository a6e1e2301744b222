// SPDX-License-Identifier: MIT
// The base of fluids of particles: what a step does around a method's passes.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/status.h"
#include "space/particle_fluid.h"
#include "work_support.h"

// A block of particles in the corner of a box, in random order, with a closed floor and left side.
typedef struct Fluid {
    wbWork work;
    wbFluidState state;
    wbDomain domain;
    wbFluidStep step;
} Fluid;

enum { EDGE = 9, COUNT = EDGE * EDGE * EDGE };
static const float spacing = 0.1f;

static void createFluid(Fluid *f, int threads) {
    *f = (Fluid){.work = createWork(threads, wb_simdAuto),
                 .domain = {.dimensions = 3,
                            .max = {2, 2, 2},
                            .targetMax = {2, 2, 2},
                            .closed = {true, false, true, false, false, false}}};
    wbFluidState_Init(&f->state);
    wbParticles *p = &f->state.particles;
    assertOk(wbParticles_Reserve(p, f->work.memory, COUNT));
    p->count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        int site = (int)((int64_t)i * 401 % COUNT); // 401 and 729 have no divisor in common
        p->x[i] = spacing * ((float)(site % EDGE) + 0.5f);
        p->y[i] = spacing * ((float)(site / EDGE % EDGE) + 0.5f);
        p->z[i] = spacing * ((float)(site / (EDGE * EDGE)) + 0.5f);
        p->vx[i] = (float)i, p->id[i] = (uint32_t)i;
    }
    f->step = wbMakeFluidStep(&f->state, &f->domain, 2.1f * spacing, 2.1f, NULL, &f->work);
}

static void destroyFluid(Fluid *f) {
    wbFluidState_Free(f->work.memory, &f->state);
    destroyWork(&f->work);
}

static wbStatus sortFluid(Fluid *f) {
    wbMove moves[WB_SORTED_COLUMNS];
    wbParticles_ListMoves(&f->state.particles, moves);
    WB_TRY(wbFluidStep_Sort(&f->step, wbParticles_GetPoints(&f->state.particles), moves, WB_SORTED_COLUMNS));
    wbParticles_Flip(&f->state.particles);
    return wb_okStatus;
}

static wbPointSet findGhosts(Fluid *f) {
    wbPointSet set = {.firstIndex = -1};
    assertOk(sortFluid(f));
    assertOk(wbFluidStep_FindGhosts(&f->step, wbParticles_GetPoints(&f->state.particles), &set));
    return set;
}

// Columns stay together, and lists find the neighbours of a lattice.
static void sortedParticlesAreFound(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 2);
    wbPointSet ghosts = findGhosts(&f);
    const wbParticles *p = &f.state.particles;
    for (int i = 0; i < COUNT; i++) {
        int site = (int)((int64_t)p->id[i] * 401 % COUNT);
        assert_true(p->vx[i] == (float)p->id[i]);
        assert_true(p->x[i] == spacing * ((float)(site % EDGE) + 0.5f));
    }
    wbPointSet own = {.points = wbParticles_GetPoints(p), .grid = &f.state.search.grid};
    assertOk(wbNeighbours_Build(&f.state.search.neighbours, &f.work, &own, &ghosts, f.step.dummy));
    // 32 sites are nearer than 2.1 spacings; the block's four open faces lack some
    double mean = (double)f.state.search.neighbours.pairs / COUNT;
    assert_true(mean > 22 && mean < 32);
    assertOk(wbParticles_CheckPairs(p, f.state.search.neighbours.pairs, 2.1f, 3));
    destroyFluid(&f);
}

// Layers half and one and a half spacings before a closed side have ghosts, over the edge, too: 9 9 2 twice and 9 2 2.
static void ghostsFollowTheirParticles(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 1);
    wbPointSet set = findGhosts(&f);
    const wbGhosts *ghosts = &f.step.ghosts;
    const float away[4] = {1e15f, 1e15f, 1e15f, 7}, none[4] = {0};
    assert_int_equal(ghosts->count, 2 * (EDGE * EDGE * 2) + EDGE * 4);
    assert_int_equal(f.step.firstGhost, wbPadCount(COUNT));
    assert_int_equal(f.step.dummy, f.step.firstGhost + ghosts->count);
    assert_int_equal(set.firstIndex, f.step.firstGhost);

    float *positions = wbFluidStep_AllocPositions(&f.step, 7);
    float *velocities = wbFluidStep_AllocVectors(&f.step);
    float *numbers = wbFluidStep_AllocNumbers(&f.step, 5);
    assert_true(positions && velocities && numbers);
    const wbParticles *p = &f.state.particles;
    for (int i = 0; i < COUNT; i++) {
        const float position[4] = {p->x[i], p->y[i], p->z[i], (float)i}, velocity[4] = {1, 2, 3, 4};
        memcpy(positions + 4 * i, position, sizeof position);
        memcpy(velocities + 4 * i, velocity, sizeof velocity);
        numbers[i] = (float)i;
    }
    wbFluidStep_MirrorPositions(&f.step, positions);
    wbFluidStep_MirrorVectors(&f.step, velocities);
    wbFluidStep_CopyToGhosts(&f.step, numbers);
    for (int k = 0; k < ghosts->count; k++) {
        const float *position = positions + 4 * (f.step.firstGhost + k);
        const float *velocity = velocities + 4 * (f.step.firstGhost + k);
        assert_true(position[0] == ghosts->x[k] && position[1] == ghosts->y[k] &&
                    position[2] == ghosts->z[k]);
        assert_true(position[3] == (float)ghosts->source[k] && velocity[3] == 4);
        assert_true(velocity[0] == (ghosts->sides[k] & 1 ? -1 : 1));
        assert_true(velocity[1] == (ghosts->sides[k] & 4 ? -2 : 2) && velocity[2] == 3);
        assert_true(numbers[f.step.firstGhost + k] == (float)ghosts->source[k]);
    }
    // lists name the dummy, vectors read past the last particle
    assert_memory_equal(positions + 4 * f.step.dummy, away, sizeof away);
    assert_memory_equal(velocities + 4 * COUNT, none, sizeof none);
    assert_true(numbers[f.step.dummy] == 5 && numbers[f.step.firstGhost - 1] == 5);
    destroyFluid(&f);
}

static void openBoxHasNoGhosts(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 1);
    memset(f.domain.closed, 0, sizeof f.domain.closed);
    wbPointSet set = findGhosts(&f);
    assert_int_equal(f.step.ghosts.count, 0);
    assert_int_equal(set.firstIndex, -1);
    assert_int_equal(f.step.dummy, wbPadCount(COUNT));
    destroyFluid(&f);
}

// Fluids by ranges of ids, whatever the order in memory.
static void fluidsHaveTheirDensities(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 2);
    const uint32_t first[] = {0, 300, 500};
    const float relatives[] = {1, 0.5f, 13.6f};
    f.state.mixture = (wbMixture){3, first, relatives};
    assertOk(sortFluid(&f));
    float *relative, **const columns[] = {&relative};
    assert_true(wbFluidStep_AllocColumns(&f.step, columns, 1));
    wbFluidStep_FillRelative(&f.step, f.state.particles.id, relative);
    for (int i = 0; i < COUNT; i++) {
        uint32_t id = f.state.particles.id[i];
        assert_true(relative[i] == (id < 300 ? 1 : id < 500 ? 0.5f : 13.6f));
    }
    for (int i = COUNT; i < wbPadCount(COUNT); i++) assert_true(relative[i] == 1);
    destroyFluid(&f);
}

// Particles that have fallen into each other are found before lists are made of them, and are still as they were.
static void clumpIsRefusedBeforeAnythingMoves(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 1);
    f.domain.dimensions = 2; // where 423 neighbours are too many; in 3D 1167
    for (int i = 0; i < COUNT; i++)
        f.state.particles.x[i] = f.state.particles.y[i] = f.state.particles.z[i] = 0.5f;
    wbStatus status = sortFluid(&f);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "particles clump, with 729 neighbours each"));
    for (int i = 0; i < COUNT; i++) assert_true(f.state.particles.vx[i] == (float)i);
    for (int i = 0; i < COUNT; i++) f.state.particles.density[i] = i == 77 ? 2000 : 1000;
    status = wbParticles_CheckPairs(&f.state.particles, (int64_t)COUNT * (COUNT - 1), 2.1f, 2);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "particle 77 "));
    destroyFluid(&f);
}

static void maximaAreThoseOfAllBlocks(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 1);
    assertOk(wbFluidStep_Begin(&f.step, (wbBoundaryKernel){0}));
    const float maxima[][2] = {{4, 990}, {9, 1010}, {1, 1000}};
    memcpy(f.step.maxima, maxima, sizeof maxima);
    assertOk(wbFluidStep_TakeMaxima(&f.step));
    assert_true(f.state.particles.maxSpeed == 3 && f.state.particles.maxDensity == 1010);

    f.step.maxima[1][0] = NAN, f.state.particles.vy[5] = INFINITY;
    wbStatus status = wbFluidStep_TakeMaxima(&f.step);
    assert_int_equal(status.code, wb_errorUnstable);
    assert_non_null(strstr(status.text, "particle 5 "));
    assert_true(f.state.particles.maxSpeed == 3 && f.state.particles.maxDensity == 1010);
    destroyFluid(&f);
}

// After a step that found no memory the search has none, and works again.
static void searchStartsAnew(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 1);
    findGhosts(&f);
    assert_non_null(f.state.search.grid.bucketStart.data);
    wbFluidSearch_Reset(f.work.memory, &f.state.search);
    assert_null(f.state.search.grid.bucketStart.data);
    wbArena_Reset(f.work.arena);
    findGhosts(&f);
    assert_int_equal(f.step.ghosts.count, 2 * (EDGE * EDGE * 2) + EDGE * 4);
    destroyFluid(&f);
}

// Particles stop before closed sides, and go anywhere where there are none.
static void roomEndsBeforeClosedSides(void **state) {
    (void)state;
    Fluid f;
    createFluid(&f, 1);
    const SpaceRoom room = wbGetRoom(&f.domain, spacing);
    assert_true(room.low[0] == 1e-4f * spacing && room.low[1] == 1e-4f * spacing && room.low[2] == -FLT_MAX);
    assert_true(room.high[0] == FLT_MAX && room.high[1] == FLT_MAX && room.high[2] == FLT_MAX);
    assertOk(wbCheckRoom(&f.domain, 100, "sph")); // no two opposite sides are closed
    f.domain.closed[1] = true;
    assertOk(wbCheckRoom(&f.domain, 2, "sph"));
    wbStatus status = wbCheckRoom(&f.domain, 2.5f, "sph");
    assert_int_equal(status.code, wb_errorInput);
    assert_non_null(strstr(status.text, "2 m long in x"));
    assert_non_null(strstr(status.text, "sph.spacing or sph.smoothing smaller"));
    destroyFluid(&f);
}

// A floor of points below the block, half a spacing under its lowest layer.
static void addFloor(Fluid *f, wbBoundary *boundary) {
    enum { POINTS = EDGE * EDGE };
    float points[3 * POINTS], normals[3 * POINTS], depths[POINTS] = {0};
    for (int k = 0; k < POINTS; k++) {
        const float point[3] = {spacing * ((float)(k % EDGE) + 0.5f), 0,
                                spacing * ((float)(k / EDGE) + 0.5f)};
        memcpy(points + 3 * k, point, sizeof point);
        memcpy(normals + 3 * k, (float[3]){0, 1, 0}, sizeof(float[3]));
    }
    wbBoundary_Init(boundary);
    const wbBoundaryBodyDef def = {.count = POINTS,
                                   .points = points,
                                   .normals = normals,
                                   .depths = depths,
                                   .motion = {.pose = {.rotation = {0, 0, 0, 1}}}};
    assertOk(wbBoundary_AddBody(boundary, f->work.memory, &def));
    for (int k = 0; k < POINTS; k++) boundary->weight[k] = 1;
    wbBoundary_Settle(boundary, (wbBoundaryKey){f->step.h, 3, 0});
    assert_int_equal(wbBoundary_GetCount(boundary), POINTS);
}

// Each pair of a particle and a place is in both lists, or in one, as it is wished.
static void boundaryIsListedFromBothSides(void **state) {
    (void)state;
    Fluid f;
    wbBoundary boundary;
    wbBoundaryLists near;
    createFluid(&f, 2);
    addFloor(&f, &boundary);
    assert_false(wbFluidStep_HasBoundary(&f.step));
    const wbFluidColliders colliders = {.boundary = &boundary};
    f.step.colliders = &colliders;
    assert_true(wbFluidStep_HasBoundary(&f.step));
    findGhosts(&f);
    wbPoints points = wbParticles_GetPoints(&f.state.particles);
    assertOk(wbFluidStep_ListBoundary(&f.step, points, wb_atEnd, wb_wantsPlaces, &near));
    // a layer at 0.5 spacings sees 13 places within 2.04 spacings across, one at 1.5 sees 9 within 1.47; fewer at edges
    int64_t pairs = near.places->pairs;
    assert_true(!near.particles && !near.fx && pairs > 15 * EDGE * EDGE && pairs < 22 * EDGE * EDGE);
    assertOk(wbFluidStep_ListBoundary(&f.step, points, wb_atEnd, wb_wantsParticles, &near));
    assert_true(near.particles->pairs == pairs && near.places->pairs == pairs && !near.fx);
    assertOk(wbFluidStep_ListBoundary(&f.step, points, wb_atEnd, wb_wantsForces, &near));
    assert_true(near.particles->pairs == pairs);
    for (int k = 0; k < EDGE * EDGE; k++) assert_true(near.fx[k] == 0 && near.fy[k] == 0 && near.fz[k] == 0);
    wbBoundary_Free(f.work.memory, &boundary);
    destroyFluid(&f);
}

// What a method gets of a range function over lists: all of the points, in whole blocks, with what it gave.
typedef struct Seen {
    int count;
    uint8_t points[COUNT];
} Seen;

static void seeRange(int begin, int end, int worker, void *context) {
    (void)worker;
    const wbListPass *lists = context;
    const Seen *seen = lists->pass;
    assert_int_equal(begin % WB_BLOCK, 0);
    assert_true(end % WB_BLOCK == 0 || end == seen->count);
    assert_int_equal(lists->terms, 5);
    memset((uint8_t *)seen->points + begin, 1, (size_t)(end - begin));
}

static void passRunsOverAllPoints(void **state) {
    (void)state;
    Fluid f;
    static Seen seen = {.count = COUNT};
    createFluid(&f, 2);
    wbFluidStep_Run(&f.step, seeRange, COUNT,
                    (wbListPass){&f.state.search.neighbours, NULL, NULL, &seen, 5, true});
    for (int i = 0; i < COUNT; i++) assert_int_equal(seen.points[i], 1);
    destroyFluid(&f);
}

static void seeDrift(const wbDrift *drift, const wbWork *work, void *context) {
    (void)work;
    *(wbDrift *)context = *drift;
}

static void collisionSeesTheDrift(void **state) {
    (void)state;
    Fluid f;
    wbDrift seen = {0};
    wbSharedSum sums[WB_CAUGHT_SUMS];
    wbBoundary boundary = {.caught.data = sums};
    const wbFluidColliders none = {0},
                           colliders = {.boundary = &boundary, .collide = seeDrift, .context = &seen};
    createFluid(&f, 1);
    const wbParticles *p = &f.state.particles;
    assert_true(wbFluidStep_AllocBefore(&f.step) && !f.step.before[0]); // nothing to collide with
    wbFluidStep_KeepPositions(&f.step);
    wbFluidStep_Collide(&f.step, NULL, wb_atStart, wb_atEnd, true);
    f.step.colliders = &none;
    assert_false(wbFluidStep_HasCollision(&f.step));
    wbFluidStep_Collide(&f.step, NULL, wb_atStart, wb_atEnd, true);
    assert_int_equal(seen.count, 0);
    f.step.colliders = &colliders;
    assert_true(wbFluidStep_HasCollision(&f.step));
    assert_true(wbFluidStep_AllocBefore(&f.step));
    wbFluidStep_KeepPositions(&f.step);
    wbFluidStep_Collide(&f.step, p->density, wb_atMiddle, wb_atEnd, true);
    assert_int_equal(seen.count, COUNT);
    assert_true(seen.beforeY == f.step.before[1] && seen.z == p->z && seen.vx == p->vx);
    assert_memory_equal(seen.beforeY, p->y, sizeof(float) * COUNT);
    assert_true(seen.boundarySums == p->density && seen.from == wb_atMiddle && seen.to == wb_atEnd);
    assert_true(seen.caught == sums && seen.share == 1 && !seen.relative);
    wbFluidStep_Collide(&f.step, NULL, wb_atStart, wb_atMiddle, false);
    assert_null(seen.caught); // what does not last is given to nobody
    destroyFluid(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sortedParticlesAreFound),
        cmocka_unit_test(ghostsFollowTheirParticles),
        cmocka_unit_test(openBoxHasNoGhosts),
        cmocka_unit_test(fluidsHaveTheirDensities),
        cmocka_unit_test(clumpIsRefusedBeforeAnythingMoves),
        cmocka_unit_test(maximaAreThoseOfAllBlocks),
        cmocka_unit_test(searchStartsAnew),
        cmocka_unit_test(boundaryIsListedFromBothSides),
        cmocka_unit_test(passRunsOverAllPoints),
        cmocka_unit_test(collisionSeesTheDrift),
        cmocka_unit_test(roomEndsBeforeClosedSides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
