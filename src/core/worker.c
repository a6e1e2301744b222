// SPDX-License-Identifier: MIT
#include "core/worker.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#include "core/memory.h"

struct wbLock {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

wbLock *wbCreateLock(void) {
    wbLock *lock = wbAllocZero(NULL, sizeof *lock);
    if (!lock) return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return lock;
}

void wbDestroyLock(wbLock *lock) {
    if (!lock) return;
    pthread_mutex_destroy(&lock->mutex);
    pthread_cond_destroy(&lock->condition);
    wbFree(NULL, lock, sizeof *lock);
}

void wbLock_Take(wbLock *lock) { pthread_mutex_lock(&lock->mutex); }
void wbLock_Release(wbLock *lock) { pthread_mutex_unlock(&lock->mutex); }
void wbLock_WakeAll(wbLock *lock) { pthread_cond_broadcast(&lock->condition); }

void wbLock_Wait(wbLock *lock, double seconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double whole = floor(seconds);
    end.tv_sec += (time_t)whole;
    end.tv_nsec += (long)((seconds - whole) * 1e9);
    if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&lock->condition, &lock->mutex, &end);
}

struct wbWorker {
    pthread_t thread;
    wbWorkerFn *run;
    void *context;
};

static void *runWorker(void *context) {
    wbWorker *worker = context;
    worker->run(worker->context);
    return NULL;
}

wbWorker *wbStartWorker(wbWorkerFn *run, void *context) {
    wbWorker *worker = wbAllocZero(NULL, sizeof *worker);
    if (!worker) return NULL;
    worker->run = run, worker->context = context;
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    bool started = pthread_create(&worker->thread, NULL, runWorker, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    if (started) return worker;
    wbFree(NULL, worker, sizeof *worker);
    return NULL;
}

// Priorities are of threads on Linux alone: elsewhere the whole program would stand back.
void wbStandBack(void) {
#ifdef __linux__
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 10);
#endif
}

void wbWorker_Join(wbWorker *worker) {
    if (!worker) return;
    pthread_join(worker->thread, NULL);
    wbFree(NULL, worker, sizeof *worker);
}
