// SPDX-License-Identifier: MIT
#include "bench/case_work.h"

#include "core/cpu.h"
#include "core/status.h"

wbStatus wbCreateCaseWork(int threadCount, wbSimd simd, wbWork *work) {
    int threads = threadCount > 0 ? threadCount : wbGetCoreCount();
    *work = (wbWork){0};
    WB_TRY(wbChooseSimd(simd, &work->simd));
    work->memory = wbCreateMemory(0);
    if (work->memory != NULL) {
        work->arena = wbCreateArena(work->memory);
        work->pool = wbCreateThreadPool(work->memory, threads, NULL, NULL);
    }
    if (work->arena != NULL && work->pool != NULL) return wb_okStatus;
    wbDestroyCaseWork(work);
    return wbError(wb_errorMemory, "no memory or threads for a solver on %d threads", threads);
}

void wbDestroyCaseWork(wbWork *work) {
    if (work->memory == NULL) return;
    if (work->pool != NULL) wbDestroyThreadPool(work->pool);
    if (work->arena != NULL) wbDestroyArena(work->arena);
    wbDestroyMemory(work->memory);
    *work = (wbWork){0};
}
