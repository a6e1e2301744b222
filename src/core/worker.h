// SPDX-License-Identifier: MIT
// A thread of a program, and a lock by which it and others meet.
#pragma once

#include <stdbool.h>

/// A mutex with a condition.
typedef struct wbLock wbLock;

/// NULL if there is no memory.
wbLock *wbCreateLock(void);
/// NULL is allowed.
void wbDestroyLock(wbLock *lock);
void wbLock_Take(wbLock *lock);
void wbLock_Release(wbLock *lock);
/// With the lock taken: lets it go until someone wakes the waiting ones, or so many seconds have passed.
void wbLock_Wait(wbLock *lock, double seconds);
void wbLock_WakeAll(wbLock *lock);

typedef struct wbWorker wbWorker;
typedef void wbWorkerFn(void *context);

/// Runs the function in a thread of its own, which takes no signals. NULL if there is no memory or no thread.
wbWorker *wbStartWorker(wbWorkerFn *run, void *context);
/// The calling thread, and threads and programs that it starts from now on, work when others of the same program have nothing to do.
void wbStandBack(void);
/// Waits until the function has returned, and frees. NULL is allowed.
void wbWorker_Join(wbWorker *worker);
