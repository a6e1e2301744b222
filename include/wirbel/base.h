// SPDX-License-Identifier: MIT
// Version, status, and the hooks by which a host program replaces memory, log and assertions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Names between these are those of C, in C++ too, and the ones that the shared library shows.
#ifdef __cplusplus
#    define WB_API_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#    define WB_API_END                                                                                       \
        }                                                                                                    \
        _Pragma("GCC visibility pop")
#else
#    define WB_API_BEGIN _Pragma("GCC visibility push(default)")
#    define WB_API_END   _Pragma("GCC visibility pop")
#endif

WB_API_BEGIN

/// The version of these headers, the only place where it stands. Until 1.0 programs are built anew for each minor one.
#define WB_VERSION_MAJOR 0
#define WB_VERSION_MINOR 1
#define WB_VERSION_PATCH 0

/// Versions as numbers that the preprocessor can compare: WB_VERSION >= WB_MAKE_VERSION(0, 2, 0).
#define WB_MAKE_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define WB_VERSION                           WB_MAKE_VERSION(WB_VERSION_MAJOR, WB_VERSION_MINOR, WB_VERSION_PATCH)

/// "major.minor.patch" of the library that runs.
const char *wbGetVersion(void);
/// The same as a number: less than WB_VERSION if the library is older than the headers.
int wbGetVersionNumber(void);

/// What built it: "gcc 12.2.0".
const char *wbGetCompiler(void);

/// What went wrong, as far as a program can react to it.
typedef enum wbCode {
    wb_ok,            ///< nothing
    wb_errorInput,    ///< a value, key or file that the user gave is wrong
    wb_errorFile,     ///< a file cannot be opened, read or written
    wb_errorMemory,   ///< out of memory, or above world.memoryLimit
    wb_errorUnstable, ///< the simulation left what floats can hold
    wb_errorDevice,   ///< a device (renderer, compute device) is missing or failed
} wbCode;

/// Returned by value from whatever can fail for reasons outside the program. The text names the place, the
/// value, the allowed range and what to do; it is empty when the code is wb_ok.
typedef struct wbStatus {
    wbCode code;
    char text[240];
} wbStatus;

static inline bool wbIsOk(wbStatus status) { return status.code == wb_ok; }

/// Memory hooks: process-wide, to be set before the first world is made. `alignment` is a power of two.
/// allocate may return NULL: the caller then gets wb_errorMemory.
typedef struct wbAllocator {
    void *(*allocate)(size_t bytes, size_t alignment, void *context);
    void (*release)(void *memory, size_t bytes, void *context);
    void *context;
} wbAllocator;

/// NULL restores the C library's allocator.
void wbSetAllocator(const wbAllocator *allocator);

/// Bytes that a function fills, and makes more of where they are too few: filled again and again they are allocated once. Starts
/// with zeros.
typedef struct wbBytes {
    void *data;
    size_t size, capacity;
} wbBytes;

void wbFreeBytes(wbBytes *bytes);

typedef enum wbLogLevel { wb_logInfo, wb_logWarning, wb_logError } wbLogLevel;
typedef void wbLogFn(wbLogLevel level, const char *message, void *context);

/// The library never prints: notices go to this function. NULL (the start value) drops them.
void wbSetLog(wbLogFn *log, void *context);

/// Called when the program broke a rule of the interface (stale id, def without defaults). It may not return
/// normally to continue: after it the library aborts. NULL restores the default: a line on stderr.
typedef void wbAssertFn(const char *condition, const char *file, int line, const char *message);
void wbSetAssert(wbAssertFn *handler);

WB_API_END
