// SPDX-License-Identifier: MIT
// Each worker waits at its own gate; the caller opens the gates of those that get a range, runs range 0 itself, then
// whatever of the others' ranges has not been begun, and waits at the gate that the last one to finish opens. A range
// is handed out in pieces. Only who took a piece reads the job, and the call returns when all pieces are done: so the
// next call may overwrite it, also if a worker is still on its way to find that nothing is left.
#define _GNU_SOURCE
#include "core/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/status.h"
#include "core/timer.h"

#if defined(__x86_64__)
#    include <immintrin.h>
#endif

// Long enough to bridge the serial code between two phases of a step, short enough that a shared core is soon
// given back: without an end, waiting costs whole time slices when there are more threads than cores. On a virtual
// machine, whose sleeping cores are slow to wake, 40 us made steps of smoke and lists of neighbours 8 to 20 % longer;
// 1 ms gained nothing more.
static const double spinSeconds = 300e-6;

// Few enough that a piece is long beside the cost of taking it, many enough that the last one is short.
enum { piecesOfRange = 8 };

typedef struct Gate {
    alignas(64) atomic_uint opened; // how often
    atomic_bool hasSleeper;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
} Gate;

// What of a thread's range nobody has taken.
typedef struct Share {
    alignas(64) atomic_int left; // pieces
} Share;

// A run of phases in one word: of which run it is, and a number.
typedef atomic_uint_fast64_t RunWord;
#define CLOSED UINT32_MAX // the number of a run that has ended

// Which phase of a range is to be done next.
typedef struct Turn {
    alignas(64) RunWord next;
} Turn;

// Phases that threads go through together. Only who took a range reads what is to be done.
typedef struct Phases {
    wbPhaseFn *phase;
    void *context;
    uint32_t run;
    atomic_int count, ranges;
    Turn firstTurn;            // of the caller's range
    alignas(64) RunWord ended; // ranges, of all phases
} Phases;

typedef struct Worker {
    Gate gate;
    Share share;
    Turn turn;
    wbThreadPool *pool;
    int index;
    pthread_t thread;
} Worker;

typedef struct Job {
    wbRangeFn *range;
    void *context;
    int count, block;
    int ranges, pieces; // of a range
    bool isShared;      // pieces count, ranges do not
} Job;

struct wbThreadPool {
    Job job;
    wbMemory *memory;
    wbParallelFn *host;
    void *hostContext;
    int threadCount;
    int workerCount; // own threads, without the caller
    bool spins;
    bool keepsOff; // workers keep off the caller's core
#ifdef __linux__
    cpu_set_t allowedCores;
    int callersCore;
#endif
    atomic_bool isBusy, isEnding;
    alignas(64) atomic_int pending; // pieces that have not ended
    Share share;                    // of the caller
    Gate done;
    Phases phases;
    Worker workers[];
};

static void initGate(Gate *gate) {
    atomic_init(&gate->opened, 0);
    atomic_init(&gate->hasSleeper, false);
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->condition, NULL);
}

static void freeGate(Gate *gate) {
    pthread_mutex_destroy(&gate->mutex);
    pthread_cond_destroy(&gate->condition);
}

// Sequentially consistent: either the opener sees the sleeper, or the sleeper sees the gate open.
static void openGate(Gate *gate) {
    atomic_fetch_add(&gate->opened, 1);
    if (!atomic_load(&gate->hasSleeper)) return;
    pthread_mutex_lock(&gate->mutex);
    pthread_cond_signal(&gate->condition);
    pthread_mutex_unlock(&gate->mutex);
}

static void pauseCore(void) {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool spinAtGate(Gate *gate, unsigned seen) {
    double end = wbGetSeconds() + spinSeconds;
    do {
        for (int i = 0; i < 32; ++i) {
            if (atomic_load_explicit(&gate->opened, memory_order_acquire) != seen) return true;
            pauseCore();
        }
    } while (wbGetSeconds() < end);
    return false;
}

// Until the gate was opened more often than `seen`.
static void waitAtGate(Gate *gate, unsigned seen, bool spins) {
    if (spins && spinAtGate(gate, seen)) return;
    pthread_mutex_lock(&gate->mutex);
    atomic_store(&gate->hasSleeper, true);
    while (atomic_load(&gate->opened) == seen) pthread_cond_wait(&gate->condition, &gate->mutex);
    atomic_store(&gate->hasSleeper, false);
    pthread_mutex_unlock(&gate->mutex);
}

// Denormals to zero and rounding to nearest, whatever the thread came with; returns what it came with.
static uint64_t enterFloatMode(void) {
#if defined(__x86_64__)
    unsigned saved = _mm_getcsr();
    _mm_setcsr((saved & ~_MM_ROUND_MASK) | 0x8040); // flush to zero, denormals are zero
    return saved;
#elif defined(__aarch64__)
    uint64_t saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    uint64_t mode = (saved & ~(UINT64_C(3) << 22)) | UINT64_C(1) << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
    return saved;
#else
    return 0;
#endif
}

static void leaveFloatMode(uint64_t saved) {
#if defined(__x86_64__)
    _mm_setcsr((unsigned)saved);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(saved));
#else
    (void)saved;
#endif
}

static int64_t countBlocks(int count, int block) { return ((int64_t)count + block - 1) / block; }

static void runItems(const Job *job, int begin, int end, int worker) {
    if (begin == end) return;
    uint64_t saved = enterFloatMode();
    job->range(begin, end, worker, job->context);
    leaveFloatMode(saved);
}

// The task that a host's scheduler runs.
static void runRange(int worker, void *context) {
    const wbThreadPool *pool = context;
    const Job *job = &pool->job;
    int begin, end;
    wbGetRange(pool, job->count, job->block, worker, &begin, &end);
    runItems(job, begin, end, worker);
}

static Share *getShare(wbThreadPool *pool, int range) {
    return range == 0 ? &pool->share : &pool->workers[range - 1].share;
}

// Takes what is left of a range, piece by piece; gives the number of pieces.
static int runPieces(wbThreadPool *pool, int range, int thread) {
    Share *share = getShare(pool, range);
    for (int done = 0;; ++done) {
        if (atomic_load_explicit(&share->left, memory_order_relaxed) <= 0) return done;
        int left = atomic_fetch_sub(&share->left, 1);
        if (left <= 0) return done;
        const Job *job = &pool->job;
        int begin, end, piece = job->pieces - left;
        wbGetRange(pool, job->count, job->block, range, &begin, &end);
        int64_t blocks = countBlocks(end - begin, job->block);
        int first = begin + (int)(blocks * piece / job->pieces) * job->block;
        if (piece + 1 < job->pieces) end = begin + (int)(blocks * (piece + 1) / job->pieces) * job->block;
        runItems(job, first, end, job->isShared ? thread : range);
    }
}

// True if these were the last.
static bool endPieces(wbThreadPool *pool, int count) {
    return count > 0 && atomic_fetch_sub(&pool->pending, count) == count;
}

// How often a thread looks whether others come before it does their ranges of a phase: some microseconds, which they need when
// they are on their way; and before it lets other programs have the core.
enum { looksBeforeHelp = 64, looksBeforeYield = 4096 };

static uint64_t makeWord(uint32_t run, uint32_t number) { return (uint64_t)run << 32 | number; }

static RunWord *getTurn(wbThreadPool *pool, int range) {
    return range == 0 ? &pool->phases.firstTurn.next : &pool->workers[range - 1].turn.next;
}

static bool runPhaseOf(wbThreadPool *pool, int range, int ranges, uint64_t turn) {
    Phases *phases = &pool->phases;
    if (atomic_load_explicit(getTurn(pool, range), memory_order_relaxed) != turn) return false;
    if (!atomic_compare_exchange_strong(getTurn(pool, range), &turn, turn + 1)) return false;
    phases->phase((int)(uint32_t)turn, range, ranges, phases->context);
    atomic_fetch_add(&phases->ended, 1);
    return true;
}

// Waits until `ended` changes; meanwhile takes a range that nobody has begun.
static void waitOrHelp(wbThreadPool *pool, int ranges, uint64_t ended, uint64_t turn) {
    for (int looks = 0; atomic_load_explicit(&pool->phases.ended, memory_order_acquire) == ended; ++looks) {
        for (int r = 0; looks >= looksBeforeHelp && r < ranges; ++r)
            if (runPhaseOf(pool, r, ranges, turn)) return;
        if (pool->spins && looks < looksBeforeYield)
            pauseCore();
        else
            sched_yield();
    }
}

// Goes through the phases of the run that is on, from where it is now.
static void runPhases(wbThreadPool *pool, int range) {
    Phases *phases = &pool->phases;
    const uint32_t run = (uint32_t)(atomic_load(&phases->ended) >> 32);
    for (;;) {
        const uint64_t ended = atomic_load(&phases->ended);
        const int ranges = atomic_load(&phases->ranges), count = atomic_load(&phases->count);
        if (ended >> 32 != run || (uint32_t)ended == CLOSED) return;
        const uint32_t phase = (uint32_t)ended / (uint32_t)ranges;
        if (phase >= (uint32_t)count) return;
        const uint64_t turn = makeWord(run, phase);
        if (range >= ranges || !runPhaseOf(pool, range, ranges, turn)) waitOrHelp(pool, ranges, ended, turn);
    }
}

static void *runWorker(void *context) {
    Worker *worker = context;
    wbThreadPool *pool = worker->pool;
    for (unsigned seen = 0;;) {
        waitAtGate(&worker->gate, seen, pool->spins);
        seen = atomic_load(&worker->gate.opened);
        if (atomic_load(&pool->isEnding)) return NULL;
        if ((uint32_t)atomic_load(&pool->phases.ended) != CLOSED) {
            uint64_t saved = enterFloatMode();
            runPhases(pool, worker->index);
            leaveFloatMode(saved);
        }
        int done = runPieces(pool, worker->index, worker->index);
        if (done > 0 && pool->job.isShared)
            for (int k = 1; k < pool->job.ranges; ++k)
                done += runPieces(pool, (worker->index + k) % pool->job.ranges, worker->index);
        if (endPieces(pool, done)) openGate(&pool->done);
    }
}

// Signals stay with the host's own threads.
static bool startWorker(Worker *worker, wbThreadPool *pool, int index) {
    worker->pool = pool;
    worker->index = index;
    initGate(&worker->gate);
    atomic_init(&worker->share.left, 0);
    atomic_init(&worker->turn.next, CLOSED);
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    bool started = pthread_create(&worker->thread, NULL, runWorker, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    if (!started) freeGate(&worker->gate);
    return started;
}

static size_t getPoolBytes(int threadCount) {
    return sizeof(wbThreadPool) + (size_t)threadCount * sizeof(Worker);
}

wbThreadPool *wbCreateThreadPool(wbMemory *memory, int threadCount, wbParallelFn *host, void *hostContext) {
    WB_ASSERT(threadCount >= 1 && threadCount <= WB_MAX_THREADS, "threads are 1 to 256");
    wbThreadPool *pool = wbAllocZero(memory, getPoolBytes(threadCount));
    if (!pool) return NULL;
    pool->memory = memory;
    pool->threadCount = threadCount;
    pool->host = host;
    pool->hostContext = hostContext;
    pool->spins = threadCount <= wbGetCoreCount();
#ifdef __linux__
    pool->callersCore = -1;
    pool->keepsOff = pool->spins && sched_getaffinity(0, sizeof(cpu_set_t), &pool->allowedCores) == 0;
#endif
    atomic_init(&pool->isBusy, false);
    atomic_init(&pool->isEnding, false);
    atomic_init(&pool->share.left, 0);
    atomic_init(&pool->phases.count, 0);
    atomic_init(&pool->phases.ranges, 1);
    atomic_init(&pool->phases.firstTurn.next, CLOSED);
    atomic_init(&pool->phases.ended, CLOSED);
    atomic_init(&pool->pending, 0);
    initGate(&pool->done);
    while (!host && pool->workerCount < threadCount - 1) {
        if (!startWorker(&pool->workers[pool->workerCount], pool, pool->workerCount + 1)) {
            wbDestroyThreadPool(pool);
            return NULL;
        }
        ++pool->workerCount;
    }
    return pool;
}

void wbDestroyThreadPool(wbThreadPool *pool) {
    if (!pool) return;
    atomic_store(&pool->isEnding, true);
    for (int i = 0; i < pool->workerCount; ++i) openGate(&pool->workers[i].gate);
    for (int i = 0; i < pool->workerCount; ++i) {
        pthread_join(pool->workers[i].thread, NULL);
        freeGate(&pool->workers[i].gate);
    }
    freeGate(&pool->done);
    wbFree(pool->memory, pool, getPoolBytes(pool->threadCount));
}

int wbThreadPool_GetCount(const wbThreadPool *pool) { return pool->threadCount; }

static int countRanges(const wbThreadPool *pool, int count, int block) {
    int64_t blocks = countBlocks(count, block);
    return blocks < pool->threadCount ? (int)blocks : pool->threadCount;
}

void wbGetRange(const wbThreadPool *pool, int count, int block, int worker, int *begin, int *end) {
    int ranges = countRanges(pool, count, block);
    *begin = *end = count;
    if (worker >= ranges) return;
    int64_t blocks = countBlocks(count, block);
    *begin = (int)(blocks * worker / ranges * block);
    int64_t last = blocks * (worker + 1) / ranges * block;
    if (last < count) *end = (int)last;
}

// Linux wakes a thread on the core of its waker if the other cores sleep deeply, as those of a virtual
// machine do, and leaves it there for many milliseconds: two threads then take longer than one (measured: 480
// us instead of 200). So workers may run anywhere but where the caller is.
static void keepOffCallersCore(wbThreadPool *pool) {
#ifdef __linux__
    int core = sched_getcpu();
    if (core == pool->callersCore) return;
    pool->callersCore = core;
    cpu_set_t others = pool->allowedCores;
    CPU_CLR(core, &others);
    for (int i = 0; i < pool->workerCount; ++i) {
        pthread_setaffinity_np(pool->workers[i].thread, sizeof others, &others);
    }
#else
    (void)pool;
#endif
}

static void runOnWorkers(wbThreadPool *pool) {
    const Job *job = &pool->job;
    if (pool->keepsOff) keepOffCallersCore(pool);
    unsigned seen = atomic_load_explicit(&pool->done.opened, memory_order_relaxed);
    atomic_store_explicit(&pool->pending, job->ranges * job->pieces, memory_order_relaxed);
    for (int r = 0; r < job->ranges; ++r) {
        atomic_store(&getShare(pool, r)->left, job->pieces);
        if (r > 0) openGate(&pool->workers[r - 1].gate);
    }
    int done = 0;
    for (int r = 0; r < job->ranges; ++r) done += runPieces(pool, r, 0);
    if (!endPieces(pool, done)) waitAtGate(&pool->done, seen, pool->spins);
}

static void runJob(wbThreadPool *pool, Job job) {
    WB_ASSERT(job.count >= 0 && job.block > 0, "a range needs items and blocks");
    if (job.count == 0) return;
    bool wasBusy = atomic_exchange(&pool->isBusy, true);
    WB_ASSERT(!wasBusy, "a parallel for inside a parallel for");
    job.ranges = countRanges(pool, job.count, job.block);
    pool->job = job;
    if (job.ranges == 1) {
        runRange(0, pool);
    } else if (pool->host) {
        pool->host(job.ranges, runRange, pool, pool->hostContext);
    } else {
        runOnWorkers(pool);
    }
    atomic_store(&pool->isBusy, false);
}

void wbParallelFor(wbThreadPool *pool, int count, int block, wbRangeFn *range, void *context) {
    runJob(pool, (Job){.range = range, .context = context, .count = count, .block = block, .pieces = 1});
}

void wbParallelShare(wbThreadPool *pool, int count, int block, wbRangeFn *range, void *context) {
    runJob(pool, (Job){.range = range,
                       .context = context,
                       .count = count,
                       .block = block,
                       .pieces = piecesOfRange,
                       .isShared = true});
}

// The task that a host's scheduler runs.
static void runPhasesOf(int range, void *context) {
    uint64_t saved = enterFloatMode();
    runPhases(context, range);
    leaveFloatMode(saved);
}

static void openPhases(wbThreadPool *pool, int phaseCount, int ranges, wbPhaseFn *phase, void *context) {
    Phases *phases = &pool->phases;
    const uint32_t run = ++phases->run;
    phases->phase = phase;
    phases->context = context;
    atomic_store(&phases->count, phaseCount);
    atomic_store(&phases->ranges, ranges);
    for (int r = 0; r < ranges; ++r) atomic_store(getTurn(pool, r), makeWord(run, 0));
    atomic_store(&phases->ended, makeWord(run, 0));
}

// Threads that are late find nothing to take: neither in this run nor, by an old word, in the next.
static void closePhases(wbThreadPool *pool, int ranges) {
    const uint32_t run = pool->phases.run;
    atomic_store(&pool->phases.ended, makeWord(run, CLOSED));
    for (int r = 0; r < ranges; ++r) atomic_store(getTurn(pool, r), makeWord(run, CLOSED));
}

void wbParallelPhases(wbThreadPool *pool, int phaseCount, int mostRanges, wbPhaseFn *phase, void *context) {
    WB_ASSERT(phaseCount >= 0 && mostRanges > 0, "phases need ranges");
    bool wasBusy = atomic_exchange(&pool->isBusy, true);
    WB_ASSERT(!wasBusy, "a parallel for inside a parallel for");
    const int ranges = mostRanges < pool->threadCount ? mostRanges : pool->threadCount;
    WB_ASSERT((int64_t)phaseCount * ranges < CLOSED, "fewer phases");
    if (ranges == 1) {
        uint64_t saved = enterFloatMode();
        for (int p = 0; p < phaseCount; ++p) phase(p, 0, 1, context);
        leaveFloatMode(saved);
    } else {
        openPhases(pool, phaseCount, ranges, phase, context);
        if (pool->host) {
            pool->host(ranges, runPhasesOf, pool, pool->hostContext);
        } else {
            if (pool->keepsOff) keepOffCallersCore(pool);
            for (int r = 1; r < ranges; ++r) openGate(&pool->workers[r - 1].gate);
            runPhasesOf(0, pool);
        }
        closePhases(pool, ranges);
    }
    atomic_store(&pool->isBusy, false);
}

int wbGetCoreCount(void) {
#ifdef __linux__
    // what this process may use, which containers make less than what there is
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}
