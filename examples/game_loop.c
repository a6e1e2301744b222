// SPDX-License-Identifier: MIT
// A game loop around a world: fixed steps, things that come and go, a crate that floats, a ray under the crosshair and a
// rollback, on threads and memory of the game's own. docs/embedding.md says more about each of them.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <wirbel/query.h>
#include <wirbel/wirbel.h>

enum { HELPERS = 2, LAST_STEP = 90 };

/// The game's threads. They take one task after another under a lock: tasks are few, and long.
typedef struct Jobs {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t threads[HELPERS];
    wbTaskFn *task;
    void *context;
    int next, count, left;
    bool isOver;
} Jobs;

/// A body of the game; its collider points back to it.
typedef struct Crate {
    const char *name;
    wbColliderId collider;
    float mass; // kg
    wbVec3 velocity;
} Crate;

typedef struct Game {
    wbWorld *world;
    wbFluidId water;
    wbEmitterId hose;
    wbSoftBodyId jelly;
    Crate crate, savedCrate;
    wbBytes saved; // the world, to roll back to
} Game;

static atomic_size_t bytesHeld;

static void *allocate(size_t bytes, size_t alignment, void *context) {
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory) atomic_fetch_add((atomic_size_t *)context, bytes);
    return memory;
}

static void release(void *memory, size_t bytes, void *context) {
    atomic_fetch_sub((atomic_size_t *)context, bytes);
    free(memory);
}

static void printNotice(wbLogLevel level, const char *message, void *context) {
    (void)context;
    fprintf(stderr, "%s: %s\n", level == wb_logInfo ? "note" : "warning", message);
}

/// What no player can mend ends the game, with the library's text.
static void check(wbStatus status) {
    if (wbIsOk(status)) return;
    fprintf(stderr, "%s\n", status.text);
    exit(1);
}

/// Takes a task and runs it, without the lock that the caller holds; false if none is left to take.
static bool runTask(Jobs *jobs) {
    if (jobs->next == jobs->count) return false;
    const int index = jobs->next++;
    pthread_mutex_unlock(&jobs->lock);
    jobs->task(index, jobs->context);
    pthread_mutex_lock(&jobs->lock);
    if (--jobs->left == 0) pthread_cond_signal(&jobs->done);
    return true;
}

static void *help(void *data) {
    Jobs *jobs = data;
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->isOver)
        if (!runTask(jobs)) pthread_cond_wait(&jobs->wake, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

/// The world's parallel loops: a wbParallelFn.
static void runTasks(int count, wbTaskFn *task, void *taskContext, void *hostContext) {
    Jobs *jobs = hostContext;
    pthread_mutex_lock(&jobs->lock);
    jobs->task = task, jobs->context = taskContext;
    jobs->next = 0, jobs->count = jobs->left = count;
    pthread_cond_broadcast(&jobs->wake);
    while (runTask(jobs)) {
    }
    while (jobs->left > 0) pthread_cond_wait(&jobs->done, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
}

static void startHelpers(Jobs *jobs) {
    for (int i = 0; i < HELPERS; i++)
        if (pthread_create(&jobs->threads[i], NULL, help, jobs) != 0) exit(1);
}

static void stopHelpers(Jobs *jobs) {
    pthread_mutex_lock(&jobs->lock);
    jobs->isOver = true;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    for (int i = 0; i < HELPERS; i++) pthread_join(jobs->threads[i], NULL);
}

/// A basin of 1 m, water to a third of it, and a hose.
static void startGame(Game *game, Jobs *jobs) {
    wbWorldDef def = wbDefaultWorldDef();
    def.domain.max = wbMakeVec3(1, 1, 1);
    def.pbf.spacing = 0.06f;
    def.pbd.radius = 0.02f;
    def.threadCount = HELPERS + 1;
    def.parallel = runTasks, def.parallelContext = jobs;
    check(wbCreateWorld(&def, &game->world));
    wbFluidDef water = wbDefaultFluidDef();
    water.solver = wb_solverPbf;
    check(wbCreateFluid(game->world, &water, &game->water));
    wbBlockDef block = {.max = {1, 0.35f, 1}};
    check(wbFluid_AddBlock(game->world, game->water, &block));
    wbEmitterDef hose = wbDefaultEmitterDef();
    hose.name = "hose", hose.fluid = game->water;
    hose.params.position = wbMakeVec3(0.1f, 0.8f, 0.2f), hose.params.velocity = 2;
    check(wbCreateEmitter(game->world, &hose, &game->hose));
}

static void dropCrate(Game *game) {
    wbColliderDef def = wbDefaultColliderDef();
    def.name = "crate";
    def.params.size = wbMakeVec3(0.3f, 0.3f, 0.3f), def.params.position = wbMakeVec3(0.5f, 0.55f, 0.5f);
    game->crate = (Crate){.name = "a wooden crate", .mass = 0.3f * 0.3f * 0.3f * 700};
    check(wbCreateCollider(game->world, &def, &game->crate.collider));
    wbCollider_SetUserData(game->world, game->crate.collider, &game->crate);
}

static void throwJelly(Game *game) {
    wbSoftBodyDef def = wbDefaultSoftBodyDef();
    def.name = "jelly", def.params.mass = 1;
    def.params.counts = wbMakeVec3(4, 4, 4), def.params.size = wbMakeVec3(0.15f, 0.15f, 0.15f);
    def.params.position = wbMakeVec3(0.2f, 0.85f, 0.5f), def.params.velocity = wbMakeVec3(2, 1, 0);
    check(wbCreateSoftBody(game->world, &def, &game->jelly));
}

/// One step of everything: the crate moves by what the water gave it in the step, and by its weight.
static void stepGame(Game *game) {
    const float dt = wbWorld_GetTimeStep(game->world);
    check(wbWorld_Step(game->world, 0));
    Crate *crate = &game->crate;
    if (!wbCollider_IsValid(game->world, crate->collider)) return;
    const wbColliderStats stats = wbCollider_GetStats(game->world, crate->collider);
    const double *impulse = stats.impulse;
    const wbVec3 pushed = wbMakeVec3((float)impulse[0], (float)impulse[1], (float)impulse[2]);
    const wbVec3 fallen = wbScale(dt, wbMakeVec3(0, -9.81f, 0));
    crate->velocity = wbAdd(crate->velocity, wbAdd(wbScale(1 / crate->mass, pushed), fallen));
    check(wbCollider_SetVelocity(game->world, crate->collider, crate->velocity, wbMakeVec3(0, 0, 0)));
}

/// What is under the crosshair of a player who looks down into the basin.
static void aim(Game *game) {
    wbQueryFilter filter = wbDefaultQueryFilter();
    filter.kinds = wb_queryColliders | wb_queryFluids;
    wbRayHit hit;
    check(wbWorld_CastRay(game->world, wbMakeVec3(0.5f, 2, 0.5f), wbMakeVec3(0, -3, 0), &filter, &hit));
    const char *name = hit.object.kind == wb_queryFluids ? "water" : "nothing";
    if (hit.object.kind == wb_queryColliders)
        name = ((Crate *)wbCollider_GetUserData(game->world, hit.object.collider))->name;
    printf("under the crosshair: %s\n", name);
}

static void saveGame(Game *game) {
    check(wbWorld_SaveToBytes(game->world, &game->saved));
    game->savedCrate = game->crate;
}

/// As when a late message comes over the network: back, and the same steps again. The game's own state goes along.
static void rollBack(Game *game) {
    const int64_t now = wbWorld_GetStepCount(game->world);
    const uint64_t hash = wbWorld_Hash(game->world);
    check(wbWorld_Restore(game->world, game->saved.data, game->saved.size));
    game->crate = game->savedCrate;
    while (wbWorld_GetStepCount(game->world) < now) stepGame(game);
    printf("rolled back: %s\n", wbWorld_Hash(game->world) == hash ? "the same again" : "something else");
}

static void takeBucket(Game *game) {
    int removed;
    check(wbFluid_RemoveParticlesInBox(game->world, game->water, wbMakeVec3(0.7f, 0, 0.7f),
                                       wbMakeVec3(1, 1, 1), &removed));
    printf("a bucket took %s\n", removed > 0 ? "some water" : "nothing");
}

/// What players do, before a step.
static void play(Game *game, int64_t step) {
    check(wbEmitter_SetRate(game->world, game->hose, step < 30 ? 50 : 500));
    if (step == 5) dropCrate(game);
    if (step == 20) throwJelly(game);
    if (step == 40) aim(game);
    if (step == 45) saveGame(game);
    if (step == 50) rollBack(game);
    if (step == 55) check(wbDestroySoftBody(game->world, game->jelly));
    if (step == 60) takeBucket(game);
    if (step == 75) check(wbDestroyCollider(game->world, game->crate.collider));
    if (step == 85) aim(game);
}

int main(void) {
    static Jobs jobs = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .wake = PTHREAD_COND_INITIALIZER,
                        .done = PTHREAD_COND_INITIALIZER};
    static const double frames[] = {0.016, 0.017, 0.035, 0.009}; // s, as a clock would say
    const wbAllocator allocator = {allocate, release, &bytesHeld};
    wbSetAllocator(&allocator);
    wbSetLog(printNotice, NULL);
    startHelpers(&jobs);
    Game game = {0};
    startGame(&game, &jobs);

    double behind = 0;
    for (int frame = 0; wbWorld_GetStepCount(game.world) < LAST_STEP; frame++) {
        // a frame that took long is not made up for: else the next ones would take longer still
        behind += frames[frame % 4] < 0.1 ? frames[frame % 4] : 0.1;
        for (double dt; (dt = wbWorld_GetTimeStep(game.world)) <= behind; behind -= dt) {
            play(&game, wbWorld_GetStepCount(game.world));
            stepGame(&game);
        }
    }
    const wbFluidStats water = wbFluid_GetStats(game.world, game.water);
    printf("after %.1f s: %s\n", wbWorld_GetTime(game.world),
           water.spawned - water.removed == water.particles ? "every particle accounted for"
                                                            : "some are lost");
    wbDestroyWorld(game.world);
    wbFreeBytes(&game.saved);
    stopHelpers(&jobs);
    printf("%zu bytes left\n", atomic_load(&bytesHeld));
    return atomic_load(&bytesHeld) == 0 ? 0 : 1;
}
