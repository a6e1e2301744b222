// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/thread.h"
#include "test_support.h"

enum { MOST = 5000 };

typedef struct Cover {
    const wbThreadPool *pool;
    int count, block;
    int visits[MOST];
    int begins[WB_MAX_THREADS], ends[WB_MAX_THREADS];
    int calls[WB_MAX_THREADS];
} Cover;

static void visit(int begin, int end, int worker, void *context) {
    Cover *cover = context;
    cover->begins[worker] = begin;
    cover->ends[worker] = end;
    ++cover->calls[worker];
    for (int i = begin; i < end; ++i) ++cover->visits[i];
}

static void checkCover(wbThreadPool *pool, Cover *cover, int count, int block) {
    memset(cover, 0, sizeof *cover);
    wbParallelFor(pool, count, block, visit, cover);
    for (int i = 0; i < MOST; ++i) assert_int_equal(cover->visits[i], i < count);
    int blocks = (count + block - 1) / block, threads = wbThreadPool_GetCount(pool), next = 0;
    for (int w = 0; w < threads; ++w) {
        int begin, end;
        wbGetRange(pool, count, block, w, &begin, &end);
        assert_int_equal(cover->calls[w], w < blocks);
        if (w >= blocks) {
            assert_int_equal(begin, end);
            continue;
        }
        assert_int_equal(cover->begins[w], begin);
        assert_int_equal(cover->ends[w], end);
        assert_int_equal(begin, next);
        assert_int_equal(begin % block, 0);
        assert_true(end > begin);
        next = end;
    }
    assert_int_equal(next, count);
}

static void testEachIndexOnce(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 2, 7, 16, 17, 63, 64, 65, 1000, 4999, MOST};
    static const int blocks[] = {1, 3, 16, 64, 10000};
    static Cover cover;
    wbMemory *memory = wbCreateMemory(0);
    for (int threads = 1; threads <= 8; ++threads) {
        wbThreadPool *pool = wbCreateThreadPool(memory, threads, NULL, NULL);
        assert_int_equal(wbThreadPool_GetCount(pool), threads);
        uint64_t calls = wbGetMemoryUse(memory).calls;
        for (int c = 0; c < 12; ++c) {
            for (int b = 0; b < 5; ++b) checkCover(pool, &cover, counts[c], blocks[b]);
        }
        assert_int_equal(wbGetMemoryUse(memory).calls, calls);
        wbDestroyThreadPool(pool);
    }
    wbDestroyMemory(memory);
}

static void countItems(int begin, int end, int worker, void *context) {
    Cover *cover = context;
    assert_true(worker >= 0 && worker < wbThreadPool_GetCount(cover->pool));
    assert_int_equal(begin % cover->block, 0);
    assert_true(end == cover->count || end % cover->block == 0);
    for (int i = begin; i < end; ++i) __atomic_fetch_add(&cover->visits[i], 1, __ATOMIC_RELAXED);
}

static void testEachIndexOnceWhenShared(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 7, 65, 1000, MOST};
    static const int blocks[] = {1, 16, 10000};
    static Cover cover;
    for (int threads = 1; threads <= 5; ++threads) {
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        for (int c = 0; c < 6; ++c)
            for (int b = 0; b < 3; ++b) {
                memset(&cover, 0, sizeof cover);
                cover.pool = pool, cover.count = counts[c], cover.block = blocks[b];
                wbParallelShare(pool, counts[c], blocks[b], countItems, &cover);
                for (int i = 0; i < MOST; ++i) assert_int_equal(cover.visits[i], i < counts[c]);
            }
        wbDestroyThreadPool(pool);
    }
}

typedef struct HeldUp {
    int done;
    bool wasHelped;
} HeldUp;

// Who gets item 0 goes on only when all pieces but its own are done.
static void holdUp(int begin, int end, int worker, void *context) {
    (void)worker;
    HeldUp *held = context;
    for (int tries = 0; begin == 0 && tries < 20000 && !held->wasHelped; ++tries) {
        held->wasHelped = __atomic_load_n(&held->done, __ATOMIC_ACQUIRE) == 64 - (end - begin);
        usleep(500);
    }
    __atomic_fetch_add(&held->done, end - begin, __ATOMIC_RELEASE);
}

static void testSharedWorkIsTakenFromWhoIsHeldUp(void **state) {
    (void)state;
    for (int threads = 2; threads <= 4; ++threads) {
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        HeldUp held = {0};
        wbParallelShare(pool, 64, 1, holdUp, &held);
        assert_true(held.wasHelped);
        assert_int_equal(held.done, 64);
        wbDestroyThreadPool(pool);
    }
}

static void testRangesAreEven(void **state) {
    (void)state;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 3, NULL, NULL);
    int begin, end;
    wbGetRange(pool, 100, 16, 0, &begin, &end); // seven blocks: 2, 2 and 3, the last one short
    assert_int_equal(end, 32);
    wbGetRange(pool, 100, 16, 2, &begin, &end);
    assert_int_equal(begin, 64);
    assert_int_equal(end, 100);
    wbGetRange(pool, 2147483647, 2147483647, 0, &begin, &end);
    assert_int_equal(end, 2147483647);
    wbGetRange(pool, 2147483647, 1, 2, &begin, &end);
    assert_int_equal(begin, 1431655764);
    assert_int_equal(end, 2147483647);
    wbDestroyThreadPool(pool);
}

typedef struct Chain {
    const int *from;
    int *to;
} Chain;

static void addNeighbour(int begin, int end, int worker, void *context) {
    (void)worker;
    const Chain *chain = context;
    for (int i = begin; i < end; ++i) chain->to[i] = chain->from[(i + 1) % MOST] + 1;
}

// Each call reads what all threads wrote in the call before.
static void testCallsSeeEachOther(void **state) {
    (void)state;
    static int a[MOST], b[MOST];
    for (int threads = 2; threads <= 4; ++threads) {
        memset(a, 0, sizeof a);
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        for (int i = 0; i < 1000; ++i) {
            wbParallelFor(pool, MOST, 16, addNeighbour, i % 2 ? &(Chain){b, a} : &(Chain){a, b});
        }
        for (int i = 0; i < MOST; ++i) assert_int_equal(a[i], 1000);
        wbDestroyThreadPool(pool);
    }
}

// Few ranges, then many: threads that got nothing must not see a half-written job.
static void testAlternatingWidths(void **state) {
    (void)state;
    static Cover cover;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 6, NULL, NULL);
    for (int i = 0; i < 300; ++i) checkCover(pool, &cover, 1 + i % 7, 1);
    wbDestroyThreadPool(pool);
}

enum { PHASES = 300, PHASE_RANGES = 8 };

// Each range of a phase reads what all ranges of the phase before wrote.
typedef struct Relay {
    int values[PHASES + 1][PHASE_RANGES];
    int visits[PHASES][PHASE_RANGES];
    useconds_t pause; // of range 1, now and then
} Relay;

static void passOn(int phase, int range, int ranges, void *context) {
    Relay *relay = context;
    int sum = 1;
    if (relay->pause && range == 1 && phase % 100 == 0) usleep(relay->pause);
    for (int r = 0; r < ranges; ++r) sum += relay->values[phase][r];
    relay->values[phase + 1][range] = sum % 10007;
    ++relay->visits[phase][range];
}

static void checkPhases(wbThreadPool *pool, int mostRanges, useconds_t pause) {
    static Relay relay;
    memset(&relay, 0, sizeof relay);
    relay.pause = pause;
    const int threads = wbThreadPool_GetCount(pool), ranges = threads < mostRanges ? threads : mostRanges;
    wbParallelPhases(pool, PHASES, mostRanges, passOn, &relay);
    int expected = 0;
    for (int p = 0; p < PHASES; ++p) {
        expected = (1 + ranges * expected) % 10007;
        for (int r = 0; r < ranges; ++r) {
            assert_int_equal(relay.visits[p][r], 1);
            assert_int_equal(relay.values[p + 1][r] % 10007, expected);
        }
    }
}

static void testPhasesFollowEachOther(void **state) {
    (void)state;
    for (int threads = 1; threads <= PHASE_RANGES; ++threads) {
        wbThreadPool *pool = wbCreateThreadPool(NULL, threads, NULL, NULL);
        assert_non_null(pool);
        for (int repeat = 0; repeat < 20; ++repeat) checkPhases(pool, 1 + repeat % PHASE_RANGES, 0);
        checkPhases(pool, PHASE_RANGES, 2000);
        wbParallelPhases(pool, 0, PHASE_RANGES, passOn, NULL);
        wbDestroyThreadPool(pool);
    }
}

static void testSleepersWake(void **state) {
    (void)state;
    static Cover cover;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    for (int i = 0; i < 30; ++i) {
        usleep(200 * (useconds_t)(i % 3)); // past the end of spinning, and not
        checkCover(pool, &cover, 100, 1);
    }
    wbDestroyThreadPool(pool);
}

static void dawdle(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    int *done = context;
    if (worker == 1) usleep(3000);
    done[worker] = 1;
}

static void testCallerWaitsAsleep(void **state) {
    (void)state;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    for (int i = 0; i < 5; ++i) {
        int done[2] = {0};
        wbParallelFor(pool, 2, 1, dawdle, done);
        assert_int_equal(done[0] + done[1], 2);
    }
    wbDestroyThreadPool(pool);
}

static void halveSmallest(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    volatile float smallest = FLT_MIN;
    ((float *)context)[worker] = smallest * 0.5f;
}

static void hostRunBackwards(int count, wbTaskFn *task, void *taskContext, void *hostContext) {
    ++*(int *)hostContext;
    for (int i = count - 1; i >= 0; --i) task(i, taskContext);
}

static void testDenormalsAreFlushed(void **state) {
    (void)state;
    volatile float smallest = FLT_MIN;
    int hostCalls = 0;
    for (int mode = 0; mode < 3; ++mode) {
        wbThreadPool *pool =
            wbCreateThreadPool(NULL, mode == 0 ? 1 : 3, mode == 2 ? hostRunBackwards : NULL, &hostCalls);
        float halves[3] = {0, 0, 0};
        fesetround(FE_UPWARD);
        wbParallelFor(pool, 3, 1, halveSmallest, halves);
        assert_int_equal(fegetround(), FE_UPWARD);
        fesetround(FE_TONEAREST);
        for (int i = 0; i < 3; ++i) assert_true(halves[i] == 0);
        assert_true(smallest * 0.5f > 0); // as the caller had it
        wbDestroyThreadPool(pool);
    }
    assert_int_equal(hostCalls, 1);
}

static void addTiny(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    volatile float one = 1, tiny = 1e-10f;
    ((float *)context)[worker] = one + tiny;
}

static void testRoundingIsToNearest(void **state) {
    (void)state;
    float sums[2] = {0, 0};
    fesetround(FE_UPWARD);
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    wbParallelFor(pool, 2, 1, addTiny, sums);
    fesetround(FE_TONEAREST);
    assert_true(sums[0] == 1);
    assert_true(sums[1] == 1);
    wbDestroyThreadPool(pool);
}

typedef struct HostTask {
    wbTaskFn *task;
    void *context;
    int index;
} HostTask;

static void *runHostTask(void *context) {
    HostTask *hostTask = context;
    hostTask->task(hostTask->index, hostTask->context);
    return NULL;
}

// A host with threads of its own, one per task.
static void hostRunOnThreads(int count, wbTaskFn *task, void *taskContext, void *hostContext) {
    ++*(int *)hostContext;
    HostTask tasks[8];
    pthread_t threads[8];
    for (int i = 0; i < count; ++i) {
        tasks[i] = (HostTask){task, taskContext, i};
        pthread_create(&threads[i], NULL, runHostTask, &tasks[i]);
    }
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

static void testHostScheduler(void **state) {
    (void)state;
    static Cover cover;
    wbParallelFn *hosts[] = {hostRunBackwards, hostRunOnThreads};
    for (int h = 0; h < 2; ++h) {
        int calls = 0;
        wbThreadPool *pool = wbCreateThreadPool(NULL, 5, hosts[h], &calls);
        checkCover(pool, &cover, 1001, 8);
        checkCover(pool, &cover, 3, 1);
        assert_int_equal(calls, 2);
        wbDestroyThreadPool(pool);
    }
}

typedef struct Nested {
    wbThreadPool *inner;
    int calls;
} Nested;

static void countOne(int begin, int end, int worker, void *context) {
    (void)worker;
    *(int *)context += end - begin;
}

static void callInner(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    (void)worker;
    Nested *nested = context;
    wbParallelFor(nested->inner, 1, 1, countOne, &nested->calls);
}

// Also by a host that runs one task after another.
static void testPhasesOfAHost(void **state) {
    (void)state;
    int hostCalls = 0;
    wbThreadPool *pool = wbCreateThreadPool(NULL, 4, hostRunBackwards, &hostCalls);
    checkPhases(pool, PHASE_RANGES, 0);
    wbDestroyThreadPool(pool);
    pool = wbCreateThreadPool(NULL, 4, hostRunOnThreads, &hostCalls);
    checkPhases(pool, PHASE_RANGES, 0);
    wbDestroyThreadPool(pool);
}

static void testNestingIsAsserted(void **state) {
    (void)state;
    wbThreadPool *outer = wbCreateThreadPool(NULL, 1, NULL, NULL);
    wbThreadPool *inner = wbCreateThreadPool(NULL, 2, NULL, NULL);
    Nested nested = {inner, 0};
    wbParallelFor(outer, 1, 1, callInner, &nested); // another pool is no nesting
    assert_int_equal(nested.calls, 1);
    nested.inner = outer;
    expect_assert_failure(wbParallelFor(outer, 1, 1, callInner, &nested));
    assert_int_equal(nested.calls, 1);
    wbDestroyThreadPool(outer);
    wbDestroyThreadPool(inner);
}

static void testMisuseIsAsserted(void **state) {
    (void)state;
    expect_assert_failure(wbCreateThreadPool(NULL, 0, NULL, NULL));
    expect_assert_failure(wbCreateThreadPool(NULL, WB_MAX_THREADS + 1, NULL, NULL));
    wbThreadPool *pool = wbCreateThreadPool(NULL, 1, NULL, NULL);
    int calls = 0;
    expect_assert_failure(wbParallelFor(pool, 10, 0, countOne, &calls));
    expect_assert_failure(wbParallelFor(pool, -1, 1, countOne, &calls));
    wbDestroyThreadPool(pool);
}

static void testMostThreads(void **state) {
    (void)state;
    static Cover cover;
    wbThreadPool *pool = wbCreateThreadPool(NULL, WB_MAX_THREADS, NULL, NULL);
    assert_non_null(pool);
    checkCover(pool, &cover, MOST, 1);
    wbDestroyThreadPool(pool);
}

static void testOutOfMemory(void **state) {
    (void)state;
    wbMemory *memory = wbCreateMemory(100);
    assert_null(wbCreateThreadPool(memory, 2, NULL, NULL));
    wbDestroyMemory(memory);
    wbDestroyThreadPool(NULL);
    assert_true(wbGetCoreCount() >= 1);
}

// What the caller and a worker find, each for its own range: neither goes on until the other has come.
typedef struct Meeting {
    int come;
    int found[2];
} Meeting;

static void meet(Meeting *meeting) {
    __atomic_fetch_add(&meeting->come, 1, __ATOMIC_ACQ_REL);
    for (int tries = 0; tries < 20000 && __atomic_load_n(&meeting->come, __ATOMIC_ACQUIRE) < 2; ++tries)
        usleep(500);
}

static void askSignals(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    sigset_t set;
    Meeting *meeting = context;
    meet(meeting);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    meeting->found[worker] = sigismember(&set, SIGINT);
}

static void testSignalsStayWithTheCaller(void **state) {
    (void)state;
    Meeting blocked = {0};
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    wbParallelFor(pool, 2, 1, askSignals, &blocked);
    assert_int_equal(blocked.found[0], 0);
    assert_int_equal(blocked.found[1], 1);
    wbDestroyThreadPool(pool);
}

#ifdef __linux__
static void countCores(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    cpu_set_t set;
    Meeting *meeting = context;
    meet(meeting);
    sched_getaffinity(0, sizeof set, &set);
    meeting->found[worker] = CPU_COUNT(&set);
}

static void testWorkersKeepOffTheCallersCore(void **state) {
    (void)state;
    if (wbGetCoreCount() < 2) skip();
    Meeting cores = {0};
    wbThreadPool *pool = wbCreateThreadPool(NULL, 2, NULL, NULL);
    wbParallelFor(pool, 2, 1, countCores, &cores);
    assert_int_equal(cores.found[0], wbGetCoreCount()); // the host's threads are left alone
    assert_int_equal(cores.found[1], wbGetCoreCount() - 1);
    wbDestroyThreadPool(pool);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEachIndexOnce),
        cmocka_unit_test(testEachIndexOnceWhenShared),
        cmocka_unit_test(testSharedWorkIsTakenFromWhoIsHeldUp),
        cmocka_unit_test(testRangesAreEven),
        cmocka_unit_test(testCallsSeeEachOther),
        cmocka_unit_test(testAlternatingWidths),
        cmocka_unit_test(testPhasesFollowEachOther),
        cmocka_unit_test(testPhasesOfAHost),
        cmocka_unit_test(testSleepersWake),
        cmocka_unit_test(testCallerWaitsAsleep),
        cmocka_unit_test(testDenormalsAreFlushed),
        cmocka_unit_test(testRoundingIsToNearest),
        cmocka_unit_test(testHostScheduler),
        cmocka_unit_test(testNestingIsAsserted),
        cmocka_unit_test(testMisuseIsAsserted),
        cmocka_unit_test(testMostThreads),
        cmocka_unit_test(testOutOfMemory),
        cmocka_unit_test(testSignalsStayWithTheCaller),
#ifdef __linux__
        cmocka_unit_test(testWorkersKeepOffTheCallersCore),
#endif
    };
    return cmocka_run_group_tests(tests, catchAsserts, NULL);
}
