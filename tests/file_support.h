// SPDX-License-Identifier: MIT
// Files that tests look into.
#pragma once

#include <stdio.h>

#include "test_support.h"

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
