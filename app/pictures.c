// SPDX-License-Identifier: MIT
#include "app/pictures.h"

#include "app/frame_copy.h"
#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "core/worker.h"
#include "io/output_folder.h"
#include "io/png.h"
#include "io/video.h"

/// Frames that take more are not copied: the world waits until they are drawn.
static const size_t largestCopy = (size_t)1 << 29;

/// What the thread is asked for; it goes back to NOTHING when that is done.
typedef enum Task { TASK_NOTHING, TASK_OPEN, TASK_DRAW, TASK_END } Task;

struct wbPictures {
    const wbOptions *options;
    const wbScene *scene; ///< the thread that steps has it, as scripts change it
    wbSize size;
    double fps; ///< of the film
    wbWorker *worker;
    wbLock *lock;
    Task task;       ///< under the lock; what follows belongs to whom it is the turn of
    wbStatus status; ///< the thread's first error: it draws no more
    wbFrameScene frame;
    wbFrameCopy copy;
    const wbRenderScene *drawn; ///< the copy's, or a large frame's own
    int number;                 ///< of the frame
    wbRenderer *renderer;       ///< the thread's alone, with its OpenGL context
    wbVideo *video;
    uint8_t *pixels;
    size_t pixelBytes;
};

static wbStatus open(wbPictures *pictures) {
    const wbOptions *options = pictures->options;
    const wbSize size = pictures->size;
    WB_TRY(wbCreateRenderer(size.width, size.height, &pictures->renderer));
    pictures->pixelBytes = (size_t)size.width * (size_t)size.height * 3;
    pictures->pixels = wbAlloc(NULL, pictures->pixelBytes);
    if (!pictures->pixels) return wbError(wb_errorMemory, "no memory for pictures");
    if (options->png) WB_TRY(wbTryFolder(options->png));
    if (!options->video) return wb_okStatus;
    return wbVideo_Open(options->video, size.width, size.height, pictures->fps, &pictures->video);
}

static wbStatus draw(wbPictures *pictures) {
    const wbOptions *options = pictures->options;
    const wbSize size = pictures->size;
    char path[WB_MAX_PATH];
    WB_TRY(wbRenderer_DrawFrame(pictures->renderer, pictures->drawn));
    WB_TRY(wbRenderer_ReadPixels(pictures->renderer, pictures->pixels));
    if (pictures->video) WB_TRY(wbVideo_AddFrame(pictures->video, pictures->pixels));
    if (!options->png || pictures->number % options->pngEvery != 0) return wb_okStatus;
    WB_TRY(wbMakeFramePath(path, options->png, "frame", pictures->number, "png"));
    return wbWritePng(path, pictures->pixels, size.width, size.height, 3);
}

static Task awaitTask(wbPictures *pictures) {
    wbLock_Take(pictures->lock);
    while (pictures->task == TASK_NOTHING) wbLock_Wait(pictures->lock, 1);
    const Task task = pictures->task;
    wbLock_Release(pictures->lock);
    return task;
}

static void setTask(wbPictures *pictures, Task task) {
    wbLock_Take(pictures->lock);
    pictures->task = task;
    wbLock_WakeAll(pictures->lock);
    wbLock_Release(pictures->lock);
}

static void awaitThread(wbPictures *pictures) {
    wbLock_Take(pictures->lock);
    while (pictures->task != TASK_NOTHING) wbLock_Wait(pictures->lock, 1);
    wbLock_Release(pictures->lock);
}

// Where the cores draw, they are busy with it all the time, and the loops of a step, which all threads share, end with the last of
// them: the channel was simulated three times as slowly while it was filmed.
static void runThread(void *context) {
    wbPictures *pictures = context;
    wbStandBack();
    for (Task task; (task = awaitTask(pictures)) != TASK_END; setTask(pictures, TASK_NOTHING))
        if (wbIsOk(pictures->status)) pictures->status = task == TASK_OPEN ? open(pictures) : draw(pictures);
    wbDestroyRenderer(pictures->renderer);
}

static void endThread(wbPictures *pictures) {
    if (!pictures->worker) return;
    awaitThread(pictures);
    setTask(pictures, TASK_END);
    wbWorker_Join(pictures->worker);
    pictures->worker = NULL;
}

static void freeAll(wbPictures *pictures) {
    wbDestroyLock(pictures->lock);
    wbFrameScene_Free(&pictures->frame);
    wbFrameCopy_Free(&pictures->copy);
    wbFree(NULL, pictures->pixels, pictures->pixelBytes);
    wbFree(NULL, pictures, sizeof *pictures);
}

static wbStatus start(wbPictures *pictures) {
    pictures->task = TASK_OPEN;
    pictures->lock = wbCreateLock();
    if (pictures->lock) pictures->worker = wbStartWorker(runThread, pictures);
    if (!pictures->worker) return wbError(wb_errorMemory, "no memory for a thread that draws pictures");
    awaitThread(pictures);
    return pictures->status;
}

wbStatus wbPictures_Open(const wbOptions *options, const wbScene *scene, wbPictures **pictures) {
    wbPictures *made = wbAllocZero(NULL, sizeof *made);
    *pictures = NULL;
    if (!made) return wbError(wb_errorMemory, "no memory for pictures");
    const wbOutputParams *output = wbScene_GetOutput(scene);
    made->options = options, made->scene = scene;
    made->size = output->size, made->fps = (double)output->fps / options->every;
    const wbStatus status = start(made);
    if (wbIsOk(status))
        *pictures = made;
    else
        wbPictures_Abort(made);
    return status;
}

wbStatus wbPictures_AddFrame(wbPictures *pictures, wbWorld *world, int frame) {
    WB_TRY(wbFrameScene_Gather(&pictures->frame, pictures->scene, world, wbScene_GetTitle(pictures->scene)));
    awaitThread(pictures);
    if (!wbIsOk(pictures->status)) return pictures->status;
    const bool isLarge = wbFrameCopy_CountBytes(&pictures->frame, false) > largestCopy;
    if (!isLarge) WB_TRY(wbFrameCopy_Fill(&pictures->copy, &pictures->frame, 0, false));
    pictures->drawn = isLarge ? &pictures->frame.scene : &pictures->copy.scene;
    pictures->number = frame;
    setTask(pictures, TASK_DRAW);
    if (!isLarge) return wb_okStatus;
    awaitThread(pictures);
    return pictures->status;
}

wbStatus wbPictures_Close(wbPictures *pictures) {
    if (!pictures) return wb_okStatus;
    endThread(pictures);
    wbStatus status = pictures->status;
    if (pictures->video) {
        const wbStatus closed = wbVideo_Close(pictures->video);
        if (wbIsOk(status)) status = closed;
    }
    freeAll(pictures);
    return status;
}

void wbPictures_Abort(wbPictures *pictures) {
    if (!pictures) return;
    endThread(pictures);
    wbVideo_Abort(pictures->video);
    freeAll(pictures);
}
