// SPDX-License-Identifier: MIT
// Files that tests look into.
#pragma once

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "test_support.h"

/// As on a full disk: the writing of files beyond so many bytes fails ("File too large"); RLIM_INFINITY: no more.
static inline void limitFiles(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/// How many files stand beside a path because they are written, or were left half written.
static inline int countParts(const char *path) {
    char pattern[2048];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.*part", path);
    int count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

/// A whole file, with a zero behind it; the caller frees.
static inline char *readAll(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = test_malloc(*size + 1);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}
