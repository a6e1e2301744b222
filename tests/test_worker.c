// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <sys/resource.h>

#include "core/worker.h"
#include "test_support.h"

typedef struct Priorities {
    int own, ofChild, ofMain; ///< nice values, higher ones stand back
} Priorities;

static void *readPriority(void *priority) {
    *(int *)priority = getpriority(PRIO_PROCESS, 0);
    return NULL;
}

static void standBack(void *context) {
    Priorities *priorities = context;
    pthread_t child;
    wbStandBack();
    priorities->own = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(pthread_create(&child, NULL, readPriority, &priorities->ofChild), 0);
    pthread_join(child, NULL);
}

// A driver draws with threads of its own, which are made by the one that stood back.
static void testStandBack(void **state) {
    (void)state;
    const int before = getpriority(PRIO_PROCESS, 0);
    Priorities priorities = {0};
    wbWorker *worker = wbStartWorker(standBack, &priorities);
    assert_non_null(worker);
    wbWorker_Join(worker);
    readPriority(&priorities.ofMain);
    assert_int_equal(priorities.ofMain, before);
    assert_int_equal(priorities.own, before + 10 < 19 ? before + 10 : 19);
    assert_int_equal(priorities.ofChild, priorities.own);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(testStandBack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
