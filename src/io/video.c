// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // memfd_create
#include "io/video.h"

#include "core/memory.h"
#include "core/output_file.h"
#include "core/status.h"
#include "wirbel/math.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct wbVideo {
    wbOutputPath path;
    size_t frameBytes;
    pid_t child;
    int frames;   ///< socket that ffmpeg reads frames from
    int messages; ///< file in memory that takes ffmpeg's stderr: unlike a pipe it never fills up
};

static void closeFile(int *file) {
    if (*file >= 0) close(*file);
    *file = -1;
}

// Frames go through a socket, not a pipe: send can say that a reader which died is no reason for SIGPIPE,
// and the program's signal handlers stay untouched.
static bool makeChannels(wbVideo *video, int *childEnd) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    video->frames = ends[0];
    *childEnd = ends[1];
    video->messages = memfd_create("ffmpeg", MFD_CLOEXEC);
    return video->messages >= 0;
}

// Own process group: Ctrl-C in the terminal ends the simulation, and ffmpeg then completes the file.
static int spawnInGroup(wbVideo *video, int input, char *const arguments[]) {
    sigset_t none, reset;
    sigemptyset(&none);
    sigemptyset(&reset);
    sigaddset(&reset, SIGPIPE);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &reset);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, video->messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, video->messages, STDERR_FILENO);
    int error = posix_spawnp(&video->child, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int startEncoder(wbVideo *video, int input, wbSize size, double fps) {
    char sizeText[32], rate[32], output[WB_MAX_PATH + 8];
    snprintf(sizeText, sizeof sizeText, "%dx%d", size.width, size.height);
    snprintf(rate, sizeof rate, "%.9g", fps);
    snprintf(output, sizeof output, "file:%s", video->path.isDevice ? video->path.final : video->path.part);
    char filters[] = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
    // clang-format off
    char *const arguments[] = {
        "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", sizeText, "-framerate", rate, "-i", "pipe:0",
        "-vf", filters, "-c:v", "libx264", "-preset", "veryfast", "-crf", "18",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
        "-movflags", "+faststart", "-f", "mp4", output, NULL};
    // clang-format on
    return spawnInGroup(video, input, arguments);
}

static void freeVideo(wbVideo *video) {
    closeFile(&video->frames);
    closeFile(&video->messages);
    wbFree(NULL, video, sizeof *video);
}

static wbStatus startVideo(wbVideo *video, wbSize size, double fps) {
    int childEnd = -1;
    if (!makeChannels(video, &childEnd)) {
        wbStatus status = wbFileError("make a channel to ffmpeg for", video->path.final);
        closeFile(&childEnd);
        return status;
    }
    int error = startEncoder(video, childEnd, size, fps);
    closeFile(&childEnd);
    if (error == 0) return wb_okStatus;
    video->child = -1;
    if (error == ENOENT) return wbError(wb_errorFile, "ffmpeg not found: install the package ffmpeg");
    errno = error;
    return wbFileError("start ffmpeg for", video->path.final);
}

// ffmpeg takes the file that is made here: it would say only with the first frame that it cannot make one.
static wbStatus makeFile(wbOutputPath *path, const char *name) {
    int file;
    WB_TRY(wbOutputPath_Set(path, name));
    WB_TRY(wbOutputPath_Create(path, &file));
    close(file);
    return wb_okStatus;
}

wbStatus wbVideo_Open(const char *path, int width, int height, double fps, wbVideo **video) {
    *video = NULL;
    if (width <= 0 || height <= 0 || !(fps > 0)) {
        return wbError(wb_errorInput, "a video of %d x %d pixels and %g frames/s cannot be", width, height,
                       fps);
    }
    wbVideo *made = wbAllocZero(NULL, sizeof *made);
    if (made == NULL) return wbError(wb_errorMemory, "no memory for the video %.150s", path);
    made->frameBytes = (size_t)width * (size_t)height * 3;
    made->frames = made->messages = -1;
    made->child = -1;
    wbStatus status = makeFile(&made->path, path);
    if (status.code == wb_ok) status = startVideo(made, (wbSize){width, height}, fps);
    if (status.code == wb_ok) {
        *video = made;
        return status;
    }
    wbOutputPath_Discard(&made->path);
    freeVideo(made);
    return status;
}

// Without the last line if that only introduces a reason and ends before it: "Error initializing … -- ".
static ssize_t cutOpenLine(const char *text, ssize_t length) {
    ssize_t end = length;
    while (end > 0 && strchr(" \r\n", text[end - 1])) --end;
    if (end < 2 || memcmp(text + end - 2, "--", 2) != 0) return end;
    while (end > 0 && text[end - 1] != '\n') --end;
    return end > 0 ? end : length; // if there is no other, it is better than nothing
}

// The last line that ffmpeg wrote says best what went wrong.
static void readLastMessage(const wbVideo *video, char *text, size_t size) {
    char tail[2048];
    off_t end = lseek(video->messages, 0, SEEK_END);
    off_t start = end > (off_t)sizeof tail - 1 ? end - (off_t)sizeof tail + 1 : 0;
    ssize_t length = pread(video->messages, tail, sizeof tail - 1, start);
    length = length > 0 ? cutOpenLine(tail, length) : 0;
    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == '\r')) --length;
    tail[length > 0 ? length : 0] = '\0';
    char *line = strrchr(tail, '\n');
    snprintf(text, size, "%.*s", (int)size - 1, line != NULL ? line + 1 : tail);
}

// Ends the input and waits. False if ffmpeg did not end well.
static bool awaitEncoder(wbVideo *video) {
    closeFile(&video->frames);
    int result = 0;
    pid_t ended;
    do ended = waitpid(video->child, &result, 0);
    while (ended < 0 && errno == EINTR);
    video->child = -1;
    return ended > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static wbStatus encoderError(const wbVideo *video) {
    char message[160];
    readLastMessage(video, message, sizeof message);
    const char *reason = message[0] != '\0' ? message : "it ended early without a word";
    return wbError(wb_errorFile, "cannot write %.80s: ffmpeg: %s", video->path.final, reason);
}

wbStatus wbVideo_AddFrame(wbVideo *video, const uint8_t *rgb) {
    if (video->frames < 0) return encoderError(video);
    for (size_t sent = 0; sent < video->frameBytes;) {
        ssize_t count = send(video->frames, rgb + sent, video->frameBytes - sent, MSG_NOSIGNAL);
        if (count >= 0)
            sent += (size_t)count;
        else if (errno != EINTR) {
            awaitEncoder(video); // its message is complete only then
            return encoderError(video);
        }
    }
    return wb_okStatus;
}

// Walks over the boxes of an MP4 file: each says its length and its type, and one of them is the index, "moov".
static bool isWholeMp4(FILE *file) {
    uint8_t head[16];
    bool hasIndex = false;
    for (;;) {
        size_t got = fread(head, 1, 8, file);
        if (got == 0) return hasIndex && feof(file);
        if (got < 8) return false;
        uint64_t size = 0, headSize = 8;
        for (int i = 0; i < 4; ++i) size = size << 8 | head[i];
        if (size == 1) { // 64 bits follow
            if (fread(head + 8, 1, 8, file) < 8) return false;
            size = 0;
            for (int i = 8; i < 16; ++i) size = size << 8 | head[i];
            headSize = 16;
        }
        hasIndex |= memcmp(head + 4, "moov", 4) == 0;
        // the last byte must be there: seeking alone would go beyond the end
        if (size < headSize || size > INT64_MAX) return false;
        if (size > headSize &&
            (fseeko(file, (off_t)(size - headSize - 1), SEEK_CUR) != 0 || fgetc(file) == EOF))
            return false;
    }
}

// ffmpeg ends well and says nothing when the disk is full.
static wbStatus checkWhole(const wbOutputPath *path) {
    if (path->isDevice) return wb_okStatus;
    FILE *file = fopen(path->part, "rbe");
    if (file == NULL) return wbFileError("read back", path->final);
    bool isWhole = isWholeMp4(file);
    fclose(file);
    if (isWhole) return wb_okStatus;
    return wbError(wb_errorFile, "cannot write %.150s: ffmpeg left it incomplete; is the disk full?",
                   path->final);
}

wbStatus wbVideo_Close(wbVideo *video) {
    bool alive = video->child > 0;
    wbStatus status = alive && awaitEncoder(video) ? checkWhole(&video->path) : encoderError(video);
    if (status.code == wb_ok) status = wbOutputPath_Commit(&video->path);
    if (status.code != wb_ok) wbOutputPath_Discard(&video->path);
    freeVideo(video);
    return status;
}

void wbVideo_Abort(wbVideo *video) {
    if (video == NULL) return;
    if (video->child > 0) {
        kill(video->child, SIGKILL);
        awaitEncoder(video);
    }
    wbOutputPath_Discard(&video->path);
    freeVideo(video);
}
